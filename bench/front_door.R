# What variants of css() and the redundancy guard select without any tuning, against
# random features (bench/usefulness.R judges the default).
#
#   Rscript bench/front_door.R [set ...]
#
# For every data set: mean clustering accuracy of 50 k-means runs on k = 50
# selected features, and the median, the 90th percentile and the largest of that
# mean over 50 random sets of 50 features, all from the same starting samples.
source(file.path("bench", "common.R"))
machine_line()

sets <- c("GLIOMA", "ALLAML", "orlraws10P", "COIL20", "Isolet", "pie")
asked <- commandArgs(trailingOnly = TRUE)
if (length(asked) > 0) sets <- intersect(sets, asked)

least_squares <- function(x, ...) css(x, min(50, nrow(x) - 1), m = Inf, ...)
candidates <- list(
  "rowsparse, css" = function(x) rowsparse(x, k = 50, method = "css"),
  "css() by itself" = function(x) least_squares(x),
  "css(), forward" = function(x) least_squares(x, solver = "forward"),
  "css, scale" = function(x) rowsparse(x, k = 50, method = "css", scale = TRUE),
  "css, m = 10" = function(x) rowsparse(x, k = 50, method = "css", m = 10),
  "bsufs" = function(x) rowsparse(x, k = 50, method = "bsufs"),
  "bsufs, diverse" = function(x) rowsparse(x, k = 50, method = "bsufs", diverse = TRUE),
  "bsufs, diverse at 0.7" =
    function(x) rowsparse(x, k = 50, method = "bsufs", diverse = TRUE, threshold = 0.7),
  "bsufs, scale, diverse" =
    function(x) rowsparse(x, k = 50, method = "bsufs", scale = TRUE, diverse = TRUE),
  "dscofs" = function(x) rowsparse(x, k = 50, method = "dscofs"),
  "dscofs, diverse" = function(x) rowsparse(x, k = 50, method = "dscofs", diverse = TRUE),
  "fspca" = function(x) rowsparse(x, k = 50, method = "fspca"),
  "spcafs" = function(x) rowsparse(x, k = 50, method = "spcafs"),
  "kmeans_ufs" = function(x) rowsparse(x, k = 50, method = "kmeans_ufs"),
  "kmeans_ufs, diverse" = function(x) rowsparse(x, k = 50, method = "kmeans_ufs", diverse = TRUE)
)

# mean accuracy over the runs of k-means from the given starting samples
mean_accuracy <- function(task, columns) {
  internal <- asNamespace("rowsparse")
  scores <- internal$score_sets(task, list(list(method = "", k = length(columns),
                                                columns = columns)))
  mean(scores$acc)
}

random_level <- function(task, d, count = 50, k = 50) {
  draws <- lapply(seq_len(count), function(i) sample.int(d, k))
  vapply(draws, function(columns) mean_accuracy(task, columns), 0)
}

one_set <- function(name) {
  data <- bench_data(name)
  set.seed(1)
  task <- asNamespace("rowsparse")$clustering_task(data$x, data$y, 50)
  level <- random_level(task, ncol(data$x))
  limit <- stats::quantile(level, 0.9)
  cat(sprintf("\n## %s: random sets median %.3f, 90th percentile %.3f, largest %.3f\n", name,
    stats::median(level), limit, max(level)
  ))
  for (label in names(candidates)) {
    set.seed(2)
    fit <- suppressWarnings(candidates[[label]](data$x))
    stopifnot(all(is.finite(fit$scores)))
    accuracy <- mean_accuracy(task, fit$ranking[1:50])
    cat(sprintf("%-24s ACC %.3f %s  %6.2f s  %s%s\n", label, accuracy,
      if (accuracy > limit) "above" else "     ", fit$elapsed, fit$status,
      if (is.null(fit$parameters[["m"]])) "" else sprintf(", m = %g", fit$parameters[["m"]])
    ))
  }
}

for (name in sets) one_set(name)
