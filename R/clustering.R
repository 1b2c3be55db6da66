# How well clusters agree with classes: their best matching, and their mutual information.

# counts[c, g]: samples of class c in cluster g; only groups that occur
contingency <- function(truth, cluster) {
  truth <- check_labels(truth, "truth")
  cluster <- check_labels(cluster, "cluster", length(truth))
  class <- match(truth, unique(truth))
  group <- match(cluster, unique(cluster))
  rows <- max(class)
  columns <- max(group)
  cells <- as.double(rows) * columns
  if (cells > .Machine$integer.max) {
    stop_rowsparse("memory", "cluster",
      sprintf("makes a table of %.1f GB with `truth`; take fewer groups", 4 * cells / 1e9),
      sprintf("%d x %d groups", rows, columns)
    )
  }
  matrix(tabulate(class + rows * (group - 1L), rows * columns), rows, columns)
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
