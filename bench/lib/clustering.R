# Features judged by k-means: ACC (best matching of clusters and classes) and NMI.
# Every set of features is clustered from the same starting samples, `repeats` times.

clustering_task <- function(x, y, repeats) {
  class <- match(y, unique(y))
  classes <- max(class)
  stopifnot(classes > 1L, classes < nrow(x), length(class) == nrow(x))
  # a surplus of candidates, for the case that some are equal on few features
  candidates <- min(nrow(x), 20L * classes)
  starts <- lapply(seq_len(repeats), function(i) sample.int(nrow(x), candidates))
  list(x = x, class = class, classes = classes, starts = starts)
}

random_sets <- function(d, k, count) {
  lapply(rep(k, each = count), function(size) {
    list(method = "random", k = size, columns = sample.int(d, size))
  })
}

# method, k, acc, nmi of every set and run
score_sets <- function(task, sets) {
  rows_of(task$starts, function(start) {
    scores <- vapply(sets, function(set) {
      x <- as.matrix(task$x[, set$columns, drop = FALSE])
      cluster_scores(task$class, kmeans_from(x, start, task$classes))
    }, numeric(2))
    data.frame(
      method = vapply(sets, `[[`, "", "method"), k = vapply(sets, `[[`, 0, "k"),
      acc = scores[1, ], nmi = scores[2, ]
    )
  })
}

cluster_scores <- function(class, cluster) {
  counts <- table(as.vector(class), cluster)
  c(acc = rowsparse:::matched_share(counts), nmi = rowsparse:::mutual_information_share(counts))
}

# By Hartigan and Wong's exchanges, from the first `clusters` different samples among `start`, or,
# if there are not so many, in the data; with fewer clusters if even these run out.
kmeans_from <- function(x, start, clusters) {
  x <- x / rowsparse:::unit_above(max(abs(x)))
  centres <- x[start[seq_len(clusters)], , drop = FALSE]
  if (anyDuplicated(centres)) {
    pool <- c(start, seq_len(nrow(x)))
    distinct <- pool[!duplicated(x[pool, , drop = FALSE])]
    centres <- x[utils::head(distinct, clusters), , drop = FALSE]
  }
  if (nrow(centres) == 1L) return(rep(1L, nrow(x)))
  suppressWarnings(stats::kmeans(x, centres, iter.max = 100))$cluster
}

mean_scores <- function(runs) {
  key <- paste(runs$method, runs$k)
  rows_of(unname(split(runs, factor(key, unique(key)))), function(run) {
    data.frame(
      method = run$method[1], k = run$k[1], runs = nrow(run), acc_mean = mean(run$acc),
      acc_sd = stats::sd(run$acc), nmi_mean = mean(run$nmi), nmi_sd = stats::sd(run$nmi)
    )
  })
}
