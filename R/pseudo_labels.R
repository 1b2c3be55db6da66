# What methods with learned labels share: clusters of the samples to start from, and their number.

# Labels 1, ..., clusters of k-means on the leading components, as many as there are clusters, from
# samples that lie far apart along them: the same at every call, and for any order of the samples,
# which are visited by their distance from the mean. A cluster may be empty where samples coincide.
start_labels <- function(data, clusters) {
  svd <- truncated_svd(data, min(clusters, largest_dimension(data)))
  keep <- seq_len(leading_rank(svd$squares, data$d))
  scores <- sweep(svd$left[, keep, drop = FALSE], 2, sqrt(svd$squares[keep]), "*")
  visits <- order(tie_level(rowSums(scores^2)))
  spectral <- list(
    left = svd$left[visits, keep, drop = FALSE], squares = svd$squares[keep], clusters = clusters
  )
  scores <- without_constant_warning(as_data(scores[visits, , drop = FALSE]))
  labels <- integer(data$n)
  labels[visits] <- kmeans_on(unclass(scores), distant_samples(spectral), 100L)$cluster
  labels
}

# n x clusters, 1 where a sample is in the cluster
label_matrix <- function(labels, clusters = max(labels)) {
  outer(labels, seq_len(clusters), "==") + 0
}

# The start of a method that learns labels: the caller's labels (a vector of n), or an
# n x clusters matrix of nonnegative numbers, or that of start_labels()
given_labels <- function(start, data, clusters) {
  if (is.null(start)) {
    return(label_matrix(start_labels(data, clusters), clusters))
  }
  if (is.matrix(start)) {
    return(check_label_matrix(start, data$n, clusters))
  }
  labels <- check_labels(start, "start", data$n)
  labels <- match(labels, unique(labels))
  refuse_if(max(labels) != clusters, "range", "start",
    sprintf("must have %d different labels", clusters), sprintf("%d", max(labels)))
  label_matrix(labels, clusters)
}

check_label_matrix <- function(start, n, clusters) {
  sound <- is.numeric(start) && all(is.finite(start)) && all(start >= 0)
  refuse_if(!sound || !identical(dim(start), c(as.integer(n), as.integer(clusters))),
    "type", "start",
    sprintf("must be labels of the samples or a %d x %d matrix of nonnegative numbers", n,
      clusters
    ),
    describe(start)
  )
  storage.mode(start) <- "double"
  unname(start)
}

# the arguments with the number of clusters that is given, by itself or by a start
check_clusters <- function(args, data) {
  start <- args[["start"]]
  clusters <- args[["clusters"]]
  if (is.null(clusters) && is.matrix(start)) clusters <- ncol(start)
  if (is.null(clusters) && !is.null(start)) {
    clusters <- length(unique(check_labels(start, "start", data$n)))
  }
  if (!is.null(clusters)) args$clusters <- check_count(clusters, "clusters", 2L, data$n)
  args
}

# A start of indicators is raised by 0.2, since a zero would stay one; a matrix is taken as it is.
offset_labels <- function(start, data, clusters) {
  labels <- given_labels(start, data, clusters)
  if (is.matrix(start)) labels else labels + 0.2
}
