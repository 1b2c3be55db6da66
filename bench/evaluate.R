# Evaluation of features by clustering: k-means by Hartigan and Wong (used by
# evaluate_features) beside Lloyd's iteration from the same starts, all features.
# Run from the project root, with the package installed:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/evaluate.R
# Reference data: ROWSPARSE_SHARED, default ../shared.
library(rowsparse)

shared <- Sys.getenv("ROWSPARSE_SHARED", "../shared")
repeats <- 20

from_same_starts <- function(data, algorithm) {
  classes <- length(unique(data$y))
  set.seed(1)
  elapsed <- system.time(runs <- replicate(repeats, {
    start <- data$x[sample.int(nrow(data$x), classes), , drop = FALSE]
    fit <- suppressWarnings(
      stats::kmeans(data$x, start, iter.max = 100, algorithm = algorithm)
    )
    c(clustering_accuracy(data$y, fit$cluster), nmi(data$y, fit$cluster), fit$tot.withinss)
  }))[["elapsed"]]
  data.frame(algorithm = algorithm, acc = mean(runs[1, ]), acc_sd = stats::sd(runs[1, ]),
             nmi = mean(runs[2, ]), within = mean(runs[3, ]), seconds = elapsed)
}

cat("BLAS (not used by k-means):", extSoftVersion()[["BLAS"]], "\n")
for (name in c("lung_discrete", "GLIOMA", "COIL20")) {
  data <- readRDS(file.path(shared, "data", paste0(name, ".rds")))
  both <- rbind(from_same_starts(data, "Hartigan-Wong"), from_same_starts(data, "Lloyd"))
  both$within <- both$within / both$within[1]
  cat(sprintf("\n%s, all %d features, %d starts (`within` relative to the first row)\n", name,
              ncol(data$x), repeats))
  print(both, digits = 3, row.names = FALSE)
}
