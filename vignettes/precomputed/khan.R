# Tables of the vignette "One table, many methods"; needs the packages sda and clue.
# From the package's root:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/khan.R
# writes vignettes/precomputed/khan.rds.

library(rowsparse)
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "khan-methods.R"))

khan <- read_khan()
x <- khan$x
y <- khan$y
k <- 50

run <- function(name, x, y, k) suppressWarnings(selections[[name]](x, y, k))
selected_sets <- function(k) {
  set.seed(1)
  lapply(setNames(nm = names(selections)), function(name) best(run(name, x, y, k), k))
}

# what the components hold: shares of their variance between groups of samples
components <- function(count = 10) {
  pca <- prcomp(x)
  known <- grepl("-[TC][0-9]", rownames(x))
  origin <- sub(".*-([TC]).*", "\\1", rownames(x)[known])
  between <- function(score, group) summary(lm(score ~ group))$r.squared
  data.frame(
    component = seq_len(count), variance = pca$sdev[1:count]^2 / sum(pca$sdev^2),
    class = apply(pca$x[, 1:count], 2, between, y),
    origin = apply(pca$x[known, 1:count], 2, between, origin), row.names = NULL
  )
}

# processor time, the median of three runs
seconds <- function(name) {
  stats::median(replicate(3, sum(system.time(run(name, x, y, k))[1:2])))
}

correlation_within <- function(columns) {
  r <- abs(cor(x[, columns]))
  mean(r[upper.tri(r)])
}

fit_row <- function(name) {
  fit <- run(name, x, y, k)
  is_fit <- inherits(fit, "rowsparse")
  columns <- best(fit, k)
  data.frame(
    method = name,
    start = if (is_fit) fit$objective[1] else NA,
    end = if (is_fit) utils::tail(fit$objective, 1) else NA,
    iterations = if (is_fit) fit$iterations else NA,
    converged = if (is_fit) fit$converged else NA,
    seconds = seconds(name),
    variance = variance_explained(x, columns),
    correlation = correlation_within(columns)
  )
}

# mean ACC and NMI of 50 k-means runs per method and number of features
clustering <- function(k) {
  sets <- selected_sets(k)
  set.seed(2)
  compare_methods(x, y, methods = sets, k = k, repeats = 50)
}

all_features <- function() {
  set.seed(2)
  evaluate_features(seq_len(ncol(x)), x, y, k = ncol(x), repeats = 50)
}

# the same for random sets, one row per set
random_sets <- function(k, sets = 50) {
  set.seed(3)
  rows <- lapply(seq_len(sets), function(i) {
    columns <- sample(ncol(x), k)
    result <- evaluate_features(columns, x, y, k = k, repeats = 20)
    data.frame(
      k = k, acc = result$acc_mean, nmi = result$nmi_mean,
      variance = variance_explained(x, columns), correlation = correlation_within(columns)
    )
  })
  do.call(rbind, rows)
}

# Nogueira's index of 20 selections, each from 80 per cent of the samples:
# 1 when all agree, 0 in expectation for random selections
stability <- function(name, runs = 20) {
  set.seed(4)
  chosen <- replicate(runs, {
    rows <- sample(nrow(x), round(0.8 * nrow(x)))
    seq_len(ncol(x)) %in% best(run(name, x[rows, ], y[rows], k), k)
  })
  p <- rowMeans(chosen)
  share <- k / ncol(x)
  1 - runs / (runs - 1) * mean(p * (1 - p)) / (share * (1 - share))
}

# clustering by the features of bsufs and dscofs over the dimension
by_dimension <- function(m) {
  fits <- list(bsufs = bsufs(x, m), dscofs = dscofs(x, k, m, start = "leading"))
  set.seed(2)
  rows <- lapply(names(fits), function(name) {
    result <- evaluate_features(best(fits[[name]], k), x, y, k = k, repeats = 50)
    data.frame(
      method = name, m = m, acc = result$acc_mean, nmi = result$nmi_mean,
      variance = variance_explained(x, best(fits[[name]], k))
    )
  })
  do.call(rbind, rows)
}

overlaps <- function() {
  sets <- selected_sets(k)
  outer(seq_along(sets), seq_along(sets), Vectorize(function(i, j) {
    mean(sets[[i]] %in% sets[[j]])
  }))
}

started <- proc.time()[["elapsed"]]
set.seed(1)
sizes <- c(20, 50, 80)
result <- list(
  components = components(),
  fits = do.call(rbind, lapply(names(selections), fit_row)),
  clustering = do.call(rbind, lapply(sizes, clustering)),
  random = do.call(rbind, lapply(sizes, random_sets)),
  all = all_features(),
  stability = vapply(names(selections), stability, 0),
  dimension = do.call(rbind, lapply(c(1:6, 8, 10, 15, 20, 40), by_dimension)),
  overlap = overlaps(),
  blas = if (grepl("openblas", extSoftVersion()[["BLAS"]])) "OpenBLAS" else "the reference BLAS",
  version = as.character(utils::packageVersion("rowsparse"))
)
saveRDS(result, file.path(folder, "khan.rds"))
cat(sprintf("%.0f s\n", proc.time()[["elapsed"]] - started))
