# rowsparse_glm(): objectives beside other programs, coefficients, proofs, wide data, samples left
# out, and PROBLEMS=20000 tiny problems enumerated. Writes bench/results/families.md; with names of
# parts (objectives, coefficients, proofs, wide, held_out, enumeration) it prints these alone:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/families.R [part ...]
# What others find is kept in build/families. Packages and data that are absent are left out.
source(file.path("bench", "common.R"))
source_folder("families")

title <- function(...) cat("\n## ", ..., "\n", sep = "")
share <- function(kept) sprintf("%d of %d", sum(kept, na.rm = TRUE), sum(!is.na(kept)))

# the rows of the sets of data that are there
rows_of_data <- function(names, f) {
  rows_of(names, function(name) {
    data <- data_set(name)
    if (!is.null(data)) f(name, data)
  })
}

objectives <- function() {
  title("Objectives of k features, and processor seconds")
  rows <- rows_of_data(rownames(sets), function(name, data) {
    cases <- expand.grid(k = c(5, 10), share = as.numeric(listed(sets[name, "ridges"])))
    cases$reference <- c(sets[name, "five"], sets[name, "ten"], NA, NA)[seq_len(nrow(cases))]
    rows_of(split(cases, seq_len(nrow(cases))), objective_row, name, data)
  })
  real <- vapply(rows, is.double, NA)
  markdown(replace(rows, real, lapply(rows[real], decimals, 3)))
  ratio <- rows$found / rows$reference
  most <- max(ratio, na.rm = TRUE)
  gate(most <= 1.0005, "at most 1.0005 of the reference: %s, %.5f at most.",
    share(ratio <= 1.0005), most
  )
  ratio <- rows$found / pmin(rows$abess, rows$L0Learn, rows$glmnet, na.rm = TRUE)
  low <- ratio <= 1 + 1e-7
  gate(mean(low, na.rm = TRUE) >= 62 / 65 && max(ratio, na.rm = TRUE) <= 1.003,
    "not above abess, L0Learn, glmnet (62 of 65), never above 1.003: %s, %.5f at most.",
    share(low), max(ratio, na.rm = TRUE)
  )
  for (family in c("binomial", "poisson", "cox")) {
    times <- (rows$s / rows$abess_s)[rows$family == family]
    most <- if (family == "cox") 1 else 3
    middle <- stats::median(times, na.rm = TRUE)
    gate(middle <= most, "%s, processor time at most %d x abess's: %s, median %.2f.", family, most,
      share(times <= most), middle
    )
  }
}

objective_row <- function(case, name, data) {
  ridge <- case$share * nrow(data$x)
  run <- timed(ours(data, case$k, ridge, path = FALSE), 1)
  file <- file.path("build", "families", sprintf("%s-%d-%g.rds", name, case$k, case$share))
  peers <- kept(file, others(data, case$k, ridge))
  data.frame(data = name, family = data$family, k = format(case$k), ridge = format(case$share),
    found = refit(data, run$value$path$features[[1]], ridge)$objective,
    reference = case$reference, lapply(peers, `[`, 1), s = run$cpu, abess_s = peers$abess[2]
  )
}

# the largest difference from other estimates of the coefficients of the same set
coefficients <- function(k = 5) {
  title("Coefficients beside glm() and coxph(), and with a ridge beside optim(), k = ", k)
  rows <- rows_of_data(setdiff(rownames(sets), "spam"), function(name, data) {
    differences <- vapply(c(0, 0.01 * nrow(data$x)), function(ridge) {
      if (ridge == 0 && data$family == "multinomial") return(NA)
      fit <- tryCatch(ours(data, k, ridge), rowsparse_error = function(separated) NULL)
      if (is.null(fit)) return(NA)
      set <- fit$path$features[[k]]
      own <- rbind(if (data$family != "cox") fit$path$intercept[[k]], fit$path$coefficients[[k]])
      other <- if (ridge > 0) refit(data, set, ridge)$coefficients else usual(data, set)
      # intercepts of classes are unique but for their mean
      max(abs(own - other - if (ncol(own) > 1) rowMeans(own - other) else 0))
    }, 0)
    data.frame(data = name, family = data$family, none = differences[1], ridge = differences[2])
  })
  markdown(cbind(rows[1:2], format(rows[3:4], digits = 2)))
  most <- max(rows[3:4], na.rm = TRUE)
  gate(most <= 1e-7, "at most 1e-7: %.1e.", most)
}

usual <- function(data, set) {
  y <- response(data)
  x <- data$x[, set]
  cbind(stats::coef(if (data$family == "cox") {
    quiet(survival::coxph(y ~ x, ties = "breslow", eps = 1e-14, toler.chol = 1e-15))
  } else {
    stats::glm(y ~ x, data$family, epsilon = 1e-15, maxit = 50)
  }))
}

proofs <- function(limit = 60) {
  title("Proofs, within ", limit, " seconds, beside nodes and seconds of a prototype")
  cases <- read_list("proofs.txt")
  rows <- rows_of(split(cases, seq_len(nrow(cases))), function(case) {
    rows_of_data(case$name, function(name, data) {
      run <- timed(ours(data, case$k, case$ridge * nrow(data$x), solver = "exact", path = FALSE,
        time_limit = limit
      ), 1)
      cbind(case, status = run$value$status, gap = run$value$gap,
        found_nodes = run$value$proof$nodes, s = run$cpu
      )
    })
  })
  markdown(rounded(rows))
  quick <- rows$s <= 2 * rows$seconds
  gate(all(quick, na.rm = TRUE), "at most twice the seconds of the prototype: %s.", share(quick))
  large <- rows[rows$name %in% c("binomial=1000=1000=0.7=0.5", "cox=1000=500=0.7=0.5"), ]
  gate(all(large$gap <= c(0, 0.01)), "%s.", paste(
    "binomial, 1000 x 1000, proved; cox, 1000 x 500, with a gap of at most 1%:",
    toString(paste(large$status, decimals(large$s, 1), "s"))
  ))
}

wide <- function() {
  title("300 samples of 20 000 features, k = 10, a ridge of .01 n")
  rows <- rows_of(c("binomial", "poisson", "cox"), function(family) {
    data <- simulate(family, 300, 20000, 0.7, 0.7)
    run <- timed(ours(data, 10, 3, path = FALSE), 3)
    data.frame(family, s = run$cpu, objective = utils::tail(run$value$objective, 1))
  })
  markdown(rounded(rows))
  gate(max(rows$s) <= 1, "at most a second: %.2f s.", max(rows$s))
}

held_out <- function() {
  title("A third of the samples left out, k = 5: the loss, of times 1 - concordance")
  names <- c("nki70", "GBSG2", "pbc", "wpbc", "Sonar", "Ionosphere", "musk", "SRBCT",
    "RecreationDemand", "bioChemists"
  )
  rows <- rows_of_data(names, function(name, data) rows_of(1:3, held_out_row, name, data))
  markdown(rounded(rows))
  for (other in c("glmnet", "cdlsr")) {
    ratio <- rows$rowsparse_glm / rows[[other]]
    error <- stats::sd(ratio) / sqrt(length(ratio))
    gate(mean(ratio) <= 1 + error, "at most 1 + 1 se of %s: mean ratio %.4f, se %.4f, %d cases.",
      other, mean(ratio), error, length(ratio)
    )
  }
}

held_out_row <- function(split, name, data, k = 5) {
  set.seed(split)
  train <- sort(sample.int(nrow(data$x), round(nrow(data$x) * 2 / 3)))
  new <- in_rows(data, -train)
  data <- in_rows(data, train)
  data.frame(data = name, split = split,
    rowsparse_glm = error_of(new, stats::predict(ours(data, k, "cv"), new$x, type = "link")),
    glmnet = error_of(new, link_of(new, by_folds(data, glmnet_set, k))),
    cdlsr = error_of(new, link_of(new, by_folds(data, cdlsr_set, k)))
  )
}

parts <- list(objectives = objectives, coefficients = coefficients, proofs = proofs, wide = wide,
  held_out = held_out, enumeration = enumeration
)
run_parts(parts, "families.md", "# Exactly k features by a likelihood\n\n",
  "`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/families.R`  \n"
)
stop_if_failed()
