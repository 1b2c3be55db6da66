# cspca, aw_spca and covth: time, objective and memory. Writes bench/results/pca_methods.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/pca_methods.R
source(file.path("bench", "common.R"))

row <- function(name, data, method, call) {
  before <- reset_peak_memory()
  run <- timed(call(data$x), repeats = 1)
  fit <- run$value
  cat(sprintf("| %s | %d x %d | %s | %.2f | %d | %.7g | %.3f | %.0f | %s |\n", name, nrow(data$x),
    ncol(data$x), method, run$cpu, fit$iterations, utils::tail(fit$objective, 1), fit$explained,
    peak_memory() - before, toString(fit$ranking[1:5])
  ))
}

sink(file.path("bench", "results", "pca_methods.md"), split = TRUE)
cat("# cspca, aw_spca and covth\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/pca_methods.R`  \n")
machine_line()
cat("One run each with the defaults, processor seconds on a shared machine; memory: the peak\n")
cat("above that of the session before.\n\n")
cat("| data | size | method | s | iterations | objective | explained | MB | first five |\n")
cat("|---|---|---|---:|---:|---:|---:|---:|---|\n")
for (name in c("lung_discrete", "GLIOMA", "COIL20")) {
  data <- bench_data(name)
  data$x <- as.matrix(data$x)
  row(name, data, "covth", covth)
  row(name, data, "aw_spca", aw_spca)
  row(name, data, "cspca", cspca)
}
cat("\nBefore `cspca()` worked in the row space of wide data it took 0.83 s on\n")
cat("lung_discrete, and was left out on GLIOMA; `covth()` took 0.38 s\n")
cat("there before it made half of the products.\n")
sink()
