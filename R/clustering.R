#' Clustering accuracy
#'
#' The share of samples whose cluster is the partner of their class, for the
#' best one-to-one matching of clusters to classes:
#' \deqn{\mathrm{ACC} = \frac{1}{n} \max_{\pi} \sum_c n_{c, \pi(c)},}{ACC =
#' max over pi of sum_c n[c, pi(c)] / n,}
#' where \eqn{n_{c,g}}{n[c,g]} counts the samples of class \eqn{c} in cluster
#' \eqn{g} and \eqn{\pi}{pi} is one-to-one. When there are more clusters than
#' classes (or the reverse), the surplus ones have no partner and their samples
#' count as errors. The matching is found by the Hungarian method of
#' [clue::solve_LSAP()].
#'
#' @param truth,cluster Two vectors of the same length (integer, character,
#'   factor or logical): the class and the cluster of every sample. Only
#'   equality of labels matters, not their values.
#' @return A number in (0, 1]; 1 when the two partitions are the same.
#' @section Errors:
#' Of class `rowsparse_error`: labels that are missing or not a vector, lengths
#' that differ; package clue not installed.
#' @references
#' Kuhn, H. W. (1955). The Hungarian method for the assignment problem.
#' *Naval Research Logistics Quarterly* 2, 83--97.
#' \doi{10.1002/nav.3800020109}
#' @seealso [nmi()], [evaluate_features()]
#' @examplesIf requireNamespace("clue", quietly = TRUE)
#' clustering_accuracy(c(1, 1, 2, 2), c("b", "b", "a", "b"))
#' @export
clustering_accuracy <- function(truth, cluster) {
  counts <- contingency(truth, cluster)
  check_installed("clue", "for clustering_accuracy()")
  matched_share(counts)
}

#' Normalised mutual information
#'
#' Agreement of two partitions of the same samples,
#' \deqn{\mathrm{NMI} = \frac{I(P, Q)}{\sqrt{H(P)\,H(Q)}},}{NMI = I(P, Q) /
#' sqrt(H(P) H(Q)),}
#' with \eqn{I} the mutual information and \eqn{H} the entropy of the two
#' label distributions. A partition into one single group has entropy 0: the
#' value is then 1 when both are such (they are the same partition), and 0
#' when only one is.
#'
#' @inheritParams clustering_accuracy
#' @return A number in \[0, 1\]; 1 when the two partitions are the same, 0 when
#'   they are independent. Symmetric in its arguments.
#' @section Errors:
#' Of class `rowsparse_error`: labels that are missing or not a vector, lengths
#' that differ.
#' @references
#' Strehl, A. and Ghosh, J. (2002). Cluster ensembles: a knowledge reuse
#' framework for combining multiple partitions. *Journal of Machine Learning
#' Research* 3, 583--617.
#' @seealso [clustering_accuracy()], [evaluate_features()]
#' @examples
#' nmi(c(1, 1, 2, 2), c("b", "b", "a", "a"))
#' nmi(c(1, 1, 2, 2), c(1, 2, 1, 2))
#' @export
nmi <- function(truth, cluster) {
  mutual_information_share(contingency(truth, cluster))
}

#' Feature similarity rate
#'
#' The share of features that two selections of the same size have in common,
#' \deqn{\mathrm{FSR} = |T_a \cap T_b| / k,}{FSR = |Ta and Tb| / k,}
#' with \eqn{T_a} and \eqn{T_b} the first `k` features of either.
#'
#' @param a,b Two selections: fits of this package, or vectors of column
#'   indices or feature names, best first.
#' @param k Number of features compared (100 in the source). `NULL`: all
#'   selected features, where both select equally many.
#' @return A number in \[0, 1\].
#' @section Errors:
#' Of class `rowsparse_error`: `k` larger than a selection, selections of
#' different size when `k` is `NULL`, names compared with indices, or
#' repeated features.
#' @references
#' Xiu, X., Yang, A., Huang, C., Li, X. and Liu, W. (2025). Enhancing
#' unsupervised feature selection via double sparsity constrained
#' optimization. \doi{10.48550/arXiv.2501.00726}
#' @examples
#' feature_similarity(c(4, 5, 1), c(5, 4, 9), k = 2)
#' feature_similarity(c("f4", "f5", "f1"), c("f5", "f2", "f9"))
#' @export
feature_similarity <- function(a, b, k = NULL) {
  by_name <- is.character(a) || is.character(b)
  first <- feature_order(a, "a", by_name, all = !is.null(k))
  second <- feature_order(b, "b", by_name, all = !is.null(k))
  sizes <- c(length(first), length(second))
  if (is.null(k) && sizes[1] != sizes[2]) {
    stop_rowsparse("length", "k", "must be given when `a` and `b` differ in size",
                   sprintf("NULL with sizes %d and %d", sizes[1], sizes[2]))
  }
  if (!is.null(k)) {
    k <- check_count(k, "k", lower = 1L, upper = min(sizes))
    warn_if_filled(a, k)
    warn_if_filled(b, k)
  } else {
    k <- sizes[1]
  }
  length(intersect(utils::head(first, k), utils::head(second, k))) / k
}

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
