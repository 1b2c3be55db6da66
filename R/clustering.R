# k-means on the features of a panel, and how well its clusters agree with types: by their best
# matching, and by their mutual information.

# A data frame of nmi, and with `matched` of acc, a row for each run; NA if there are no clusters to
# ask for
cluster_runs <- function(data, types, runs, matched) {
  types <- match(types, unique(types))
  clusters <- max(types)
  x <- centred_columns(data, seq_len(data$d))
  if (!is.null(data$weight)) x <- x * rep(data$weight, each = nrow(x))
  x <- in_unit_range(x)
  scores <- vapply(seq_len(runs), function(run) {
    if (clusters < 2L || clusters >= nrow(x)) {
      return(c(NA_real_, NA_real_))
    }
    counts <- table(types, lloyd_clusters(x, clusters))
    c(if (matched) matched_share(counts) else NA_real_, mutual_information_share(counts))
  }, numeric(2))
  out <- data.frame(acc = scores[1, ], nmi = scores[2, ])
  if (matched) out else out["nmi"]
}

# Lloyd's iteration from samples that k-means++ draws. A cluster that it empties has no centre from
# then on
lloyd_clusters <- function(x, clusters) {
  start <- spread_centres(x, clusters)
  if (length(start) == 1L) {
    return(rep(1L, nrow(x)))
  }
  centres <- x[start, , drop = FALSE]
  suppressWarnings(stats::kmeans(x, centres, iter.max = 100, algorithm = "Lloyd"))$cluster
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

# x over a power of two, which loses no digit, so that squares stay finite
in_unit_range <- function(x) {
  largest <- max(abs(x))
  if (largest > 0) x / 2^max(-1000, min(1000, floor(log2(largest)))) else x
}

# ACC of a contingency table; surplus groups are matched to empty ones
matched_share <- function(counts) {
  size <- max(dim(counts))
  square <- matrix(0, size, size)
  square[seq_len(nrow(counts)), seq_len(ncol(counts))] <- counts
  partner <- as.integer(clue::solve_LSAP(square, maximum = TRUE))
  sum(square[cbind(seq_len(size), partner)]) / sum(counts)
}

# NMI of a contingency table
mutual_information_share <- function(counts) {
  joint <- counts / sum(counts)
  p <- rowSums(joint)
  q <- colSums(joint)
  if (length(p) == 1 || length(q) == 1) {
    return(as.numeric(length(p) == length(q)))
  }
  # I = sum p_cg log(p_cg / (p_c q_g)), with 0 log 0 = 0
  terms <- joint * log(joint / outer(p, q))
  information <- sum(terms[joint > 0])
  min(1, max(0, information / sqrt(entropy(p) * entropy(q))))
}

entropy <- function(p) -sum(p * log(p))
