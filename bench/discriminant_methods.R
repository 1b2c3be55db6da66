# ftest, ilfs, crfs, s2dfs and spdfs: time, objective and memory. Writes
# bench/results/discriminant_methods.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/discriminant_methods.R
source(file.path("bench", "common.R"))

fits <- list(
  ftest = function(x, y, k) ftest(x, y),
  ilfs = function(x, y, k) ilfs(x, y),
  crfs = function(x, y, k) suppressWarnings(crfs(x, y)),
  "s2dfs, m = C - 1" = function(x, y, k) s2dfs(x, y, k),
  "s2dfs, m = k" = function(x, y, k) s2dfs(x, y, k, m = k),
  spdfs = function(x, y, k) spdfs(x, k, nlevels(y))
)

method_row <- function(name, label, data, k) {
  y <- factor(data$y)
  before <- reset_peak_memory()
  run <- timed(suppressWarnings(fits[[label]](data$x, y, k)), repeats = 3)
  fit <- run$value
  cat(sprintf("| %s | %s | %.3f | %d | %s | %.6g | %.0f |\n", name, label, run$cpu, fit$iterations,
    if (fit$converged) "yes" else "no", utils::tail(fit$objective, 1), peak_memory() - before
  ))
}

# the largest ratio of 250 sets that differ from a fit's by one feature, at random
random_swaps <- function(fit, x, y) {
  z <- scale(x)
  z[is.nan(z)] <- 0
  indicators <- qr(outer(as.integer(y), seq_len(nlevels(y)), "==") + 0)
  delta <- fit$parameters$ridge * sum(z^2) / ncol(z)
  max(replicate(250, {
    place <- sample(length(fit$selected), 1)
    other <- sample(setdiff(which(colSums(z^2) > 0), fit$selected), 1)
    part <- z[, replace(fit$selected, place, other)]
    between <- crossprod(qr.fitted(indicators, part))
    largest_ratio(between, crossprod(part) - between + diag(delta, ncol(part)), fit$parameters$m)
  }))
}

# max over orthonormal W of tr(W'BW) / tr(W'AW), by its root
largest_ratio <- function(B, A, m) {
  above <- function(ratio) sum(eigen(B - ratio * A, TRUE, TRUE)$values[seq_len(m)])
  upper <- 2
  while (above(upper) > 0) upper <- 2 * upper
  stats::uniroot(above, c(0, upper), tol = 1e-10)$root
}

exchange_row <- function(name, k) {
  data <- bench_data(name)
  y <- factor(data$y)
  x <- as.matrix(data$x)
  run <- timed(suppressWarnings(s2dfs(x, y, k)), repeats = 3)
  fit <- run$value
  set.seed(1)
  cat(sprintf("| %s | %d | %.2f | %d | %d | %.4f | %.4f |\n", name, k, run$cpu, fit$iterations,
    fit$candidates, fit$ratio, random_swaps(fit, x, y)
  ))
}

sink(file.path("bench", "results", "discriminant_methods.md"), split = TRUE)
cat("# ftest, ilfs, crfs, s2dfs, spdfs\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/discriminant_methods.R`  \n")
machine_line()
cat("Processor seconds of one thread, medians of three runs, on a shared machine with two\n")
cat("cores; defaults, k = 20. Memory: growth of the peak during the runs, MB. Objectives are\n")
cat("each method's own: R2, -log-likelihood, loss, -trace ratio, ratio.\n\n")
cat("| data | method | s | iterations | converged | objective | MB |\n")
cat("|---|---|---:|---:|---|---:|---:|\n")
for (name in c("lung_discrete", "GLIOMA", "USPS_1000")) {
  data <- bench_data(name)
  for (label in names(fits)) method_row(name, label, data, 20)
}
cat("\n## The exchanges of s2dfs()\n\n")
cat("Of the sets that differ from the one returned by one feature, 250 at random: none has a\n")
cat("larger ratio if the last column is below the one before it.\n\n")
cat("| data | k | s | iterations | candidates | ratio | best of 250 exchanges |\n")
cat("|---|---:|---:|---:|---:|---:|---:|\n")
for (name in c("lung_discrete", "SRBCT", "pomeroy", "su", "orlraws10P", "warpPIE10P", "COIL20",
  "Isolet"
)) {
  for (k in c(10, 50)) exchange_row(name, k)
}
sink()
