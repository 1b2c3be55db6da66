# Methods with learned labels, and fen_pcafs(): time, iterations, objective and
# memory on three data sets, and what the selected features are good for. Writes
# bench/results/label_methods.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/label_methods.R
source(file.path("bench", "common.R"))

fits <- list(
  "ndfs()" = function(x, c) ndfs(x, c),
  "ndfs(gamma = 1000)" = function(x, c) ndfs(x, c, gamma = 1000),
  "ndfs(solver = \"paper\")" = function(x, c) ndfs(x, c, solver = "paper"),
  "rufs()" = function(x, c) rufs(x, c),
  "rufs(laplacian = \"symmetric\")" = function(x, c) rufs(x, c, laplacian = "symmetric"),
  "eufs()" = function(x, c) eufs(x, c),
  "eufs(rho = 1.1)" = function(x, c) eufs(x, c, rho = 1.1),
  "fen_pcafs(m = classes - 1)" = function(x, c) fen_pcafs(x, c - 1),
  "fen_pcafs(u = 2)" = function(x, c) fen_pcafs(x, c - 1, u = 2)
)

row_of <- function(label, data, classes) {
  before <- reset_peak_memory()
  run <- timed(suppressWarnings(fits[[label]](data$x, classes)), repeats = 1)
  memory <- peak_memory() - before
  fit <- run$value
  groups <- if (is.null(fit$cluster)) NA else clustering_accuracy(data$y, fit$cluster)
  cat(sprintf("| %s | %.1f | %.0f | %d%s | %.5g | %.5g | %d | %.2f |\n", label, run$cpu, memory,
    fit$iterations, if (fit$converged) "" else "*", fit$objective[1],
    utils::tail(fit$objective, 1), sum(fit$scores > 1e-4 * max(fit$scores)), groups
  ))
}

table_of <- function(name) {
  data <- bench_data(name)
  classes <- length(unique(data$y))
  cat(sprintf("\n## %s, %d x %d, %d classes\n\n", name, nrow(data$x), ncol(data$x), classes))
  cat("| fit | processor s | MB | iterations | objective at the start | at the end | rows |",
    "accuracy of the clusters |\n")
  cat("|---|---:|---:|---:|---:|---:|---:|---:|\n")
  for (label in names(fits)) row_of(label, data, classes)
}

sink(file.path("bench", "results", "label_methods.md"))
cat("# Methods with learned labels, and fen_pcafs\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/label_methods.R`  \n")
machine_line()
cat("Default settings, clusters = classes; one run each, on a shared machine with two cores.\n")
cat("MB: peak memory above that before the fit. Rows: scores above 1e-4 of the largest one.\n")
cat("Objectives of different lines are not those of one problem. * not converged.\n")
for (name in c("lung_discrete", "GLIOMA", "COIL20")) table_of(name)
sink()
