# Roles of features in cdlsr(): how many are decided, and in how much processor time, by tolerance.
# Part of bench/alternatives.R.

internal_roles <- asNamespace("rowsparse")

# features of variance 1, or none
standardised <- function(x) {
  x <- scale(as.matrix(x))
  x[, colSums(is.na(x)) == 0]
}

# few features of real data, where all near-optimal sets are listed
listed_cases <- function() {
  usps <- bench_data("USPS_1000")
  isolet <- bench_data("Isolet")
  glioma <- bench_data("GLIOMA")
  srbct <- bench_data("SRBCT")
  list(
    list(name = "usps", data = usps, y = as.numeric(usps$y == min(usps$y)), k = c(3, 5),
      ridge = nrow(usps$x) - 1
    ),
    list(name = "isolet", data = isolet, y = as.numeric(isolet$y == 1), k = c(3, 5),
      ridge = nrow(isolet$x) - 1
    ),
    list(name = "glioma", data = glioma, y = factor(glioma$y), k = c(2, 3), ridge = 1),
    list(name = "srbct", data = srbct, y = factor(srbct$y), k = c(2, 3), ridge = 1)
  )
}

# the designs of reference/exact_cases.R with ten features that are proved in ten seconds
asked_cases <- function() {
  source(file.path(shared_folder(), "reference", "exact_cases.R"), local = TRUE)
  cases <- exact_cases(file.path(shared_folder(), "data"))
  cases <- cases[grepl("^ar_.*_k10", names(cases)) & !grepl("ridge1$", names(cases))]
  Map(function(case, name) c(case, list(name = name)), cases, names(cases))
}

# one row: the roles at a tolerance, the number of sets, processor seconds
regression_row <- function(name, x, y, k, ridge, tolerance, sets, seconds) {
  data <- internal_roles$in_binary_units(internal_roles$as_data(x, FALSE))
  response <- internal_roles$prepare_response(data, x, y, units = TRUE)
  fit <- suppressMessages(cdlsr(x, y, k, ridge = ridge, scale = FALSE, path = FALSE))
  problem <- list(inner = data, response = response,
    settings = list(ridge = internal_roles$ridge_in_units(ridge, data))
  )
  time <- system.time(found <- internal_roles$cdlsr_roles(problem, fit$selected, tolerance, sets,
    time_from_now(seconds)
  ))
  cut <- (1 - tolerance) * found$value - found$slack
  no <- found$high < cut
  yes <- !no & found$low >= cut
  best <- seq_along(no) %in% found$best
  data.frame(
    case = name, k = k, tolerance = tolerance, essential = sum(no & best),
    excluded = sum(no & !best), exchangeable = sum(yes), undecided = sum(!no & !yes),
    sets = found$count, complete = found$complete, nodes = found$nodes,
    questions = found$questions, seconds = sum(time[1:2])
  )
}

# one run for each case, number of features and tolerance: functions of its seconds, by name
cdlsr_runs <- function() {
  runs <- list()
  add <- function(case, x, k, sets) {
    for (eps in c(0.001, 0.01, 0.05)) {
      local({
        tolerance <- eps
        runs[[paste("cdlsr", case$name, k, tolerance)]] <<- function(seconds) {
          regression_row(case$name, x(), case$y, k, case$ridge, tolerance, sets, seconds)
        }
      })
    }
  }
  for (case in listed_cases()) {
    local({
      own <- case
      for (k in own$k) add(own, function() standardised(own$data$x), k, 10)
    })
  }
  for (case in asked_cases()) {
    local({
      own <- case
      add(own, function() own$x, own$k, 0)
    })
  }
  runs
}

cdlsr_line <- function(row) {
  least <- if (isTRUE(as.logical(row$complete))) "" else "at least "
  sets <- if (is.na(row$sets)) "" else sprintf("%s%.0f", least, row$sets)
  sprintf("| %s, k = %d | %g%% | %d | %d | %d | %d | %s | %.1f |", row$case, row$k,
    100 * row$tolerance, row$essential, row$excluded, row$exchangeable, row$undecided, sets,
    row$seconds
  )
}

cdlsr_lines <- function(rows) {
  c(
    "## cdlsr()", "",
    paste("| case | tolerance | in every set | in none, proved | in some | undecided | sets |",
      "processor seconds |"
    ),
    "|---|---:|---:|---:|---:|---:|---:|---:|",
    vapply(seq_len(nrow(rows)), function(i) cdlsr_line(rows[i, ]), ""), ""
  )
}
