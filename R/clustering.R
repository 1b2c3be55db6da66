# k-means on the features of a panel, and how well its clusters agree with types: by their best
# matching, and by their mutual information.

# A data frame of nmi, and with `matched` of acc, a row for each run; NA if no clusters can be made
cluster_runs <- function(data, types, runs, matched) {
  types <- match(types, unique(types))
  clusters <- max(types)
  x <- .Call(C_columns, unclass(data), seq_len(data$d))
  x <- x / unit_above(max(abs(x))) # squares stay finite
  measures <- c(nmi = mutual_information_share, acc = if (matched) matched_share)
  runs <- replicate(runs, simplify = FALSE, {
    counts <- if (clusters > 1L && clusters < nrow(x)) table(types, kmeans_run(x, clusters))
    lapply(measures, function(measure) if (is.null(counts)) NA_real_ else measure(counts))
  })
  do.call(rbind, lapply(runs, as.data.frame))
}

# The clusters of one run as published comparisons have it: at most 200 rounds of Lloyd's iteration
# from k-means++ starts, in which a cluster left empty gets the sample farthest from its centre
kmeans_run <- function(x, clusters) {
  centres <- x[spread_centres(x, clusters), , drop = FALSE]
  half_squares <- rowSums(x^2) / 2
  cluster <- NULL
  for (round in 1:200) {
    before <- cluster
    # the nearest centre c has the largest x'c - ||c||^2 / 2
    near <- tcrossprod(x, centres) - rep(rowSums(centres^2) / 2, each = nrow(x))
    cluster <- max.col(near, "first")
    gap <- half_squares - near[cbind(seq_along(cluster), cluster)]
    for (empty in which(tabulate(cluster, nrow(centres)) == 0)) {
      alone <- tabulate(cluster)[cluster] == 1
      cluster[which.max(replace(gap, alone, -Inf))] <- empty
    }
    if (identical(cluster, before)) break
    centres <- rowsum(x, cluster) / tabulate(cluster)
  }
  cluster
}

# Rows, each drawn with a probability proportional to its squared distance from the nearest one
# drawn before; fewer than `clusters` where the rows have fewer different values
spread_centres <- function(x, clusters) {
  by_sample <- t(x)
  drawn <- sample.int(nrow(x), 1L)
  gap <- Inf
  while (length(drawn) < clusters) {
    gap <- pmin(gap, colSums((by_sample - by_sample[, drawn[length(drawn)]])^2))
    if (sum(gap) == 0) break
    drawn <- c(drawn, sample.int(nrow(x), 1L, prob = gap))
  }
  drawn
}

# ACC of a contingency table; surplus groups are matched to none
matched_share <- function(counts) {
  if (nrow(counts) > ncol(counts)) counts <- t(counts)
  partner <- as.integer(clue::solve_LSAP(counts, maximum = TRUE))
  sum(counts[cbind(seq_along(partner), partner)]) / sum(counts)
}

# NMI of a contingency table
mutual_information_share <- function(counts) {
  if (min(dim(counts)) == 1L) {
    return(as.numeric(max(dim(counts)) == 1L))
  }
  entropy <- function(p) -sum(p[p > 0] * log(p[p > 0]))
  joint <- counts / sum(counts)
  p <- entropy(rowSums(joint))
  q <- entropy(colSums(joint))
  min(1, max(0, (p + q - entropy(joint)) / sqrt(p * q)))
}
