# SPCAFS: seconds, objective, memory; the reference runs.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/spcafs.R
source(file.path("bench", "common.R"))
machine_line()

real_data <- function() {
  cat("\n## Real data, default penalty\n")
  cases <- list(c("lung_discrete", 7), c("GLIOMA", 4), c("warpPIE10P", 10), c("Isolet", 26),
    c("COIL20", 20)
  )
  for (case in cases) {
    x <- bench_data(case[1])$x
    m <- as.integer(case[2])
    for (p in c(0.5, 1)) {
      base <- reset_peak_memory()
      out <- timed(suppressWarnings(spcafs(x, m, p = p)), 1)
      fit <- out$value
      cat(sprintf(
        paste0(
          "%-14s p %.1f  CPU %5.2f s  %3d iterations  F",
          " %-10.6g kkt %.0e  %4d nonzero rows  +%.0f MB\n"
        ),
        case[1], p, out$cpu, fit$iterations, utils::tail(fit$objective, 1), fit$kkt,
        sum(fit$scores > 0), peak_memory() - base
      ))
    }
  }
}

# the published iteration: a dense eigen-solver each time, until the smoothed objective
# changes by no more than `tol`
published <- function(x, m, parameters, tol = 1e-6, iterations = 400) {
  S <- crossprod(sweep(x, 2, colMeans(x)))
  W <- eigen(S, TRUE)$vectors[, seq_len(m)]
  value <- function(eps) {
    norms <- rowSums(W^2)
    -sum(W * (S %*% W)) + parameters$lambda * sum((norms + eps)^(parameters$p / 2))
  }
  last <- Inf
  for (i in seq_len(iterations)) {
    q <- parameters$p / 2 * (rowSums(W^2) + parameters$eps)^(parameters$p / 2 - 1)
    W <- eigen(S - parameters$lambda * diag(q), TRUE)$vectors[, seq_len(m)]
    now <- value(parameters$eps)
    if (abs(last - now) <= tol * abs(now)) break
    last <- now
  }
  list(value = value(0), iterations = i, rows = sum(rowSums(W^2) > 1e-10))
}

against_reference <- function() {
  cat("\n## Against the published runs (true objective; difference in units of tr(S))\n")
  x <- bench_data("lung_discrete")$x
  trace <- sum(sweep(x, 2, colMeans(x))^2)
  cases <- bench_reference("spca_family")$cases
  for (case in cases[grepl("^SPCAFS.*sym1$", names(cases))]) {
    p <- case$params
    fit <- spcafs(x, p$m, p$gamma, p$p, normalize = FALSE)
    cat(sprintf("%-36s %+.2e  %d iterations (published: %d), %.2f s\n", case$case,
      (fit$penalised - utils::tail(p$obj_l2p, 1)) / trace, fit$iterations, p$iterations,
      fit$elapsed
    ))
  }
}

against_published <- function() {
  cat("\n## Beside the published iteration (R's eigen each time), both to a change of 1e-6\n")
  for (case in list(c("lung_discrete", 7), c("Isolet", 26), c("COIL20", 20))) {
    x <- unname(bench_data(case[1])$x)
    m <- as.integer(case[2])
    usual <- suppressWarnings(spcafs(x, m, normalize = FALSE))$parameters
    for (times in c(1, 5)) {
      fit <- timed(suppressWarnings(
        spcafs(x, m, times * usual$lambda, normalize = FALSE)
      ), 1)
      other <- timed(published(x, m, fit$value$parameters), 1)
      cat(sprintf(
        paste0(
          "%-14s %d x default: CPU %6.2f s, %3d iterations, objective %11.6g, %4d rows;",
          " published %6.2f s, %3d, %11.6g, %4d\n"
        ),
        case[1], times, fit$cpu, fit$value$iterations, fit$value$penalised,
        sum(fit$value$scores > 0), other$cpu, other$value$iterations, other$value$value,
        other$value$rows
      ))
    }
  }
}

wide <- function() {
  cat("\n## Wide data, n = 200, m = 10, 10 iterations (no d x d matrix)\n")
  set.seed(1)
  for (d in c(1000, 10000, 50000)) {
    x <- matrix(rnorm(200 * d), 200)
    x[, 1:100] <- x[, 1:100] + 2 * matrix(rnorm(200 * 10), 200) %*% matrix(rnorm(10 * 100), 10)
    base <- reset_peak_memory()
    out <- timed(suppressWarnings(spcafs(x, 10, control = list(maxit = 10))), 1)
    cat(sprintf(paste0(
      "d = %5d  CPU %6.2f s  %d iterations, %.0f",
      " columns multiplied, +%.0f MB (data %.0f)\n"
    ),
      d, out$cpu, out$value$iterations, out$value$products, peak_memory() - base,
      8 * 200 * d / 2^20
    ))
  }
}

real_data()
against_reference()
against_published()
wide()
