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

# a dense eigen-solver at every iteration, as published
published <- function(x, m, lambda, p, eps, iterations) {
  S <- crossprod(sweep(x, 2, colMeans(x)))
  W <- eigen(S, TRUE)$vectors[, seq_len(m)]
  for (i in seq_len(iterations)) {
    q <- p / 2 * (rowSums(W^2) + eps)^(p / 2 - 1)
    W <- eigen(S - lambda * diag(q), TRUE)$vectors[, seq_len(m)]
  }
  -sum(W * (S %*% W)) + lambda * sum(rowSums(W^2)^(p / 2))
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

against_dense <- function() {
  cat("\n## Beside a dense eigen-solver per iteration (R's eigen), same number of iterations\n")
  x <- bench_data("Isolet")$x
  fit <- timed(suppressWarnings(spcafs(x, 26, normalize = FALSE, control = list(maxit = 20))), 1)
  p <- fit$value$parameters
  other <- timed(published(x, 26, p$lambda, p$p, p$eps, fit$value$iterations), 1)
  cat(sprintf("Isolet: CPU %.2f s and %.6g; dense %.2f s and %.6g\n", fit$cpu, fit$value$penalised,
    other$cpu, other$value
  ))
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
against_dense()
wide()
