# rfs() against the published iteration, and the default of lambda.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/rfs.R [solver|choice] [data]
source(file.path("bench", "common.R"))
machine_line()

row_norms <- function(W) sqrt(rowSums(W^2))

standardised <- function(data) {
  x <- scale(data$x)
  list(
    x = unname(x[, attr(x, "scaled:scale") > 0]),
    y = scale(outer(data$y, sort(unique(data$y)), "==") + 0, TRUE, FALSE)
  )
}

# The constrained form min ||[W; E]||_{2,1} with XW + lambda E = Y: every step in
# n equations, from unit weights. NULL where these have become singular.
published <- function(x, y, lambda, steps) {
  u <- rep(1, ncol(x))
  e <- rep(1, nrow(x))
  for (i in seq_len(steps)) {
    K <- x %*% (u * t(x))
    diag(K) <- diag(K) + lambda^2 * e
    Z <- tryCatch(solve(K, y), error = function(condition) NULL)
    if (is.null(Z)) {
      return(NULL)
    }
    W <- u * crossprod(x, Z)
    u <- 2 * row_norms(W)
    e <- 2 * row_norms(lambda * e * Z)
  }
  W
}

objective_of <- function(x, y, W, lambda) {
  sum(row_norms(y - x %*% W)) + lambda * sum(row_norms(W))
}

# growth of the peak by one fit, in MB, in a process that has only read the data
extra_memory <- function(name) {
  script <- c(file.path("bench", "rfs.R"), "memory", name)
  utils::tail(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE), 1)
}

print_memory <- function(name) {
  data <- bench_data(name)
  before <- reset_peak_memory()
  suppressWarnings(rfs(data$x, factor(data$y)))
  cat(sprintf("%.0f\n", peak_memory() - before))
}

compare_solvers <- function(name) {
  data <- bench_data(name)
  y <- factor(data$y)
  run <- timed(suppressWarnings(rfs(data$x, y)), 3)
  fit <- run$value
  end <- utils::tail(fit$objective, 1)
  lambda <- fit$parameters$lambda
  close <- suppressWarnings(rfs(data$x, y, start = fit, control = list(tol = 1e-6, maxit = 2000)))
  best <- utils::tail(close$objective, 1)
  row <- function(what, steps, objective, gap, nonzero, cpu, memory) {
    cat(sprintf("| %s | %s | %d | %.6f | %.1e | %s | %d | %.2f | %s |\n", name, what, steps,
      objective, objective / best - 1, gap, nonzero, cpu, memory
    ))
  }
  row("rfs()", fit$iterations, end, sprintf("%.1e", fit$gap), sum(fit$scores > 0), run$cpu,
    extra_memory(name)
  )
  plain <- standardised(data)
  for (steps in c(20, 50, fit$iterations)) {
    run <- timed(published(plain$x, plain$y, lambda, steps), 1)
    if (is.null(run$value)) {
      cat(sprintf("| %s | published | %d | singular equations | | | | | |\n", name, steps))
      next
    }
    objective <- objective_of(plain$x, plain$y, run$value, lambda)
    norms <- row_norms(run$value)
    row("published", steps, objective, "", sum(norms > 1e-6 * max(norms)), run$cpu, "")
  }
}

# mean accuracy over 1 to 80 features, five folds, by lambda / lambda_max
shares <- c(0.7, 0.5, 0.3, 0.1, 0.03, 0.01)

compare_shares <- function(name) {
  data <- bench_data(name)
  data$x <- data$x[, apply(data$x, 2, stats::sd) > 0] + 0
  set.seed(1)
  folds <- stratified_folds(data$y)
  k <- seq_len(min(80, length(data$y) - max(tabulate(folds)) - 1))
  accuracy <- rowMeans(vapply(1:5, function(fold) {
    out <- folds == fold
    train <- list(x = data$x[!out, ], y = data$y[!out])
    test <- list(x = data$x[out, ], y = data$y[out])
    y <- factor(train$y)
    limit <- suppressWarnings(rfs(train$x, y, lambda = 1e9))$parameters$lambda_max
    vapply(shares, function(share) {
      fit <- suppressWarnings(rfs(train$x, y, lambda = share * limit))
      mean(nested_accuracy(train, test, fit$ranking, k))
    }, 0)
  }, shares))
  cat(sprintf("| %s | %s |\n", name, paste(sprintf("%.3f", accuracy), collapse = " | ")))
}

arguments <- commandArgs(TRUE)
parts <- intersect(c("solver", "choice", "memory"), arguments)
names <- setdiff(arguments, parts)
if (length(parts) == 0) parts <- c("solver", "choice")
or_these <- function(default) if (length(names) == 0) default else names

if ("solver" %in% parts) {
  cat("\n| data | solver | steps | objective | above best | gap | nonzero rows | s | MB |\n")
  cat("|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
  for (name in or_these(c("SRBCT", "ALLAML", "Isolet", "COIL20"))) compare_solvers(name)
}
if ("choice" %in% parts) {
  cat(sprintf("\n| lambda / lambda_max | %s |\n", paste(shares, collapse = " | ")))
  cat("|---|", strrep("---:|", length(shares)), "\n", sep = "")
  for (name in or_these(c("SRBCT", "ALLAML", "USPS_1000", "UMIST", "COIL20", "Isolet"))) {
    compare_shares(name)
  }
}
if ("memory" %in% parts) print_memory(names)
