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
sink()
