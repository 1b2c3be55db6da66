# Roles of features in cdlsr(): how many are decided, and in how much processor time, by tolerance.
# Part of bench/alternatives.R; by itself:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/alternatives/cdlsr.R
# SECONDS=60 sets the elapsed time of each search, CASES=usps,ar_ those whose names begin so.
if (!exists("bench_data")) source(file.path("bench", "common.R"))

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

# one line: the roles at a tolerance, the number of sets, processor seconds
role_row <- function(name, x, y, k, ridge, tolerance, sets, seconds) {
  data <- internal_roles$in_binary_units(internal_roles$as_data(x, FALSE))
  response <- internal_roles$prepare_response(data, x, y, units = TRUE)
  fit <- suppressMessages(cdlsr(x, y, k, ridge = ridge, scale = FALSE, path = FALSE))
  time <- system.time(found <- internal_roles$cdlsr_roles(data, response, k, NULL, fit$selected,
    tolerance, seconds, sets, integer(), integer(),
    list(ridge = internal_roles$ridge_in_units(ridge, data))
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

wanted_case <- function(name) {
  starts <- strsplit(Sys.getenv("CASES"), ",")[[1]]
  length(starts) == 0 || any(startsWith(name, starts))
}

cdlsr_rows <- function(seconds = as.numeric(Sys.getenv("SECONDS", "60"))) {
  rows <- list()
  add <- function(case, x, k, sets) {
    if (!wanted_case(case$name)) return(invisible())
    for (eps in c(0.001, 0.01, 0.05)) {
      row <- role_row(case$name, x, case$y, k, case$ridge, eps, sets, seconds)
      rows[[length(rows) + 1]] <<- row
      message(paste(cdlsr_line(row), collapse = ""))
    }
  }
  for (case in listed_cases()) {
    for (k in case$k) add(case, standardised(case$data$x), k, 10)
  }
  for (case in asked_cases()) add(case, case$x, case$k, 0)
  do.call(rbind, rows)
}

cdlsr_line <- function(row) {
  sets <- if (is.na(row$sets)) "" else if (row$complete) row$sets else paste("at least", row$sets)
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

if (sys.nframe() == 0L) {
  machine_line()
  writeLines(cdlsr_lines(cdlsr_rows()))
}
