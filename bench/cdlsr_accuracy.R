# Five-fold cross-validated accuracy for 1 to 80 features: cdlsr beside the
# F test, rfs() and random features. The classifier is the same for all: least
# squares on the selected features.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cdlsr_accuracy.R
source(file.path("bench", "common.R"))
machine_line()

largest <- 80
random_rankings <- 5

f_ranking <- function(x, y) {
  means <- rowsum(x, y) / as.vector(table(y))
  within <- colSums((x - means[match(y, rownames(means)), ])^2)
  total <- colSums(sweep(x, 2, colMeans(x))^2)
  order(-(total - within) / pmax(within, 1e-300))
}

path_accuracy <- function(train, test, k) {
  fit <- suppressWarnings(cdlsr(train$x, factor(train$y), max(k)))
  vapply(k, function(size) {
    mean(predict(fit, test$x, min(size, length(fit$path$k)), "class") == test$y)
  }, numeric(1))
}

fold_accuracy <- function(data, out, k) {
  train <- list(x = data$x[!out, ], y = data$y[!out])
  test <- list(x = data$x[out, ], y = data$y[out])
  random <- replicate(random_rankings, {
    nested_accuracy(train, test, sample(ncol(data$x)), k)
  })
  robust <- suppressWarnings(rfs(train$x, factor(train$y)))
  cbind(
    cdlsr = path_accuracy(train, test, k),
    "F test" = nested_accuracy(train, test, f_ranking(train$x, train$y), k),
    random = rowMeans(random),
    rfs = nested_accuracy(train, test, robust$ranking, k)
  )
}

run <- function(name) {
  data <- bench_data(name)
  data$x <- data$x[, apply(data$x, 2, stats::sd) > 0] + 0
  set.seed(1)
  folds <- stratified_folds(data$y)
  k <- seq_len(min(largest, length(data$y) - max(tabulate(folds)) - 1))
  before <- proc.time()
  curves <- Reduce(`+`, lapply(1:5, function(fold) fold_accuracy(data, folds == fold, k))) / 5
  cat(sprintf("%s: %.0f s of processor time\n", name, sum((proc.time() - before)[1:2])))
  list(name = name, k = k, curves = curves)
}

table_rows <- function(result) {
  shown <- intersect(c(5, 10, 20, 40, 80, max(result$k)), result$k)
  for (method in colnames(result$curves)) {
    at <- sprintf("%d: %.3f", shown, result$curves[shown, method])
    cat(sprintf("| %s | %s | %s | %.3f |\n", result$name, method, paste(at, collapse = ", "),
      mean(result$curves[, method])
    ))
  }
}

draw <- function(results, file) {
  grDevices::png(file, 1500, 900, res = 130)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 3), mar = c(4, 4, 2, 0.5), las = 1, bty = "l")
  colours <- c("#0072B2", "#E69F00", "#999999", "#009E73")
  for (result in results) {
    methods <- ncol(result$curves)
    graphics::matplot(result$k, result$curves,
      type = "l", lty = seq_len(methods), lwd = 2, col = colours, ylim = c(0, 1),
      xlab = "number of features", ylab = "accuracy", main = result$name
    )
  }
  graphics::plot.new()
  graphics::legend("center", colnames(results[[1]]$curves),
    lty = seq_along(colours), lwd = 2, col = colours, bty = "n"
  )
}

names <- commandArgs(TRUE)
if (length(names) == 0) names <- c("SRBCT", "USPS_1000", "UMIST", "COIL20", "Isolet")
results <- lapply(names, run)
cat("\n| data | method | accuracy at k | mean over k |\n|---|---|---|---:|\n")
for (result in results) table_rows(result)
draw(results, file.path("bench", "results", "cdlsr_accuracy.png"))
