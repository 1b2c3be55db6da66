#' Clustering with the selected features
#'
#' The common test of unsupervised feature selection: k-means on the first `k` selected features,
#' many times from different starting centres, and the agreement of the clusters with known
#' classes.
#'
#' The number of clusters is the number of classes in `y`. Every run starts from that number of
#' different samples, drawn at random. The starts are drawn once and used for every feature set,
#' so that two sets are compared in pairs of runs. The features are clustered as they are: scale
#' `x` beforehand if they are to have equal weight.
#'
#' The algorithm is that of Hartigan and Wong ([stats::kmeans()]), which moves a sample wherever
#' that lowers the sum of squares within clusters. Papers mostly use Lloyd's iteration, which
#' assigns every sample to the nearest centre and moves the centres to the means: to compare with
#' published scores, take `algorithm = "Lloyd"`. From the same starts Lloyd's iteration ends, on
#' average, at larger sums of squares and often at lower scores, by several points on some data:
#' scores of the two algorithms cannot be compared.
#'
#' Several [workers] can share the repeats; the result does not depend on their
#' number. Progress is reported through progressr when that is installed.
#'
#' @section Accuracy and mutual information:
#' The accuracy is the share of samples whose cluster is the partner of their class, for the
#' best one-to-one matching \eqn{\pi}{pi} of clusters to classes, found by the Hungarian method of
#' [clue::solve_LSAP()],
#' \deqn{\mathrm{ACC} = \frac{1}{n} \max_{\pi} \sum_c n_{c, \pi(c)},}{ACC =
#' max over pi of sum_c n[c, pi(c)] / n,}
#' where \eqn{n_{c,g}}{n[c,g]} counts the samples of class \eqn{c} in cluster \eqn{g}. The
#' normalised mutual information is
#' \deqn{\mathrm{NMI} = \frac{I(P, Q)}{\sqrt{H(P)\,H(Q)}},}{NMI = I(P, Q) /
#' sqrt(H(P) H(Q)),}
#' with \eqn{I} the mutual information of clusters and classes and \eqn{H} their entropies. Both are
#' 1 when clusters and classes are the same.
#'
#' @section Batches:
#' Clusters of uncorrected samples may be their batches. With `block` every feature is centred
#' within the levels, in random sets as well, so that the clusters found are shared by the
#' batches, as in [tune_rowsparse()]. If the shares of the classes differ much between the levels,
#' centring removes a part of their difference. Results with and without `block` answer different
#' questions and cannot be compared.
#'
#' @param fit What is evaluated: a fit of this package, or a vector of column
#'   indices or feature names, best first.
#' @param x The data, samples in rows: numeric matrix, data frame or
#'   `dgCMatrix` (only the selected columns are made dense), or a `SummarizedExperiment`
#'   (see [experiments]). Features are matched
#'   with those of `fit` by name where both have names.
#' @param y Class of every sample; for a `SummarizedExperiment` also the name of a column
#'   of `colData(x)`.
#' @param k Number of features, or several numbers to compare. Default values above the number of
#'   features in the data or the selection are left out.
#' @param repeats How often the evaluation is repeated with new random draws, here of starting
#'   samples: the number of k-means runs for every feature set.
#' @param random Number of random feature sets of every size, evaluated in the
#'   same way as a baseline.
#' @param algorithm The algorithm of k-means, `"Hartigan-Wong"` or `"Lloyd"`, see above. In
#'   Lloyd's iteration a cluster that loses all of its samples stays empty.
#' @inheritParams moments
#' @param block The level of each sample, such as its batch: a factor or vector, for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`. The features are
#'   centred within the levels before they are clustered; see below. `NULL` is determined as in
#'   [compare_panels()].
#' @param assay For a `SummarizedExperiment`: name or number of the assay; see [experiments].
#'
#' @return A data frame of class `feature_evaluation`, one row per method and
#'   `k`: `method` (the fit's method, `"selection"` for a plain vector, and
#'   `"random"`), `k`, `runs` (of k-means), `acc_mean`, `acc_sd`, `nmi_mean`, `nmi_sd`. Standard
#'   deviations are over all runs, for the random sets over sets and runs. It
#'   has a `print` method; `summary()` is a data frame with one row per
#'   method: the means over all `k`, and the `k` of the highest accuracy.
#'
#'   A warning of class `rowsparse_warning` is given if fewer than `k` features have a nonzero
#'   score in `fit`, and if k-means runs ended before they converged.
#' @section Errors:
#' Of class `rowsparse_error`: unusable data (see [rowsparse()]), `y` of another
#' length or with one class only, `k`, `repeats` or `random` out of range,
#' features that `x` does not have, package clue not installed.
#' @references
#' Hartigan, J. A. and Wong, M. A. (1979). Algorithm AS 136: a K-means
#' clustering algorithm. *Applied Statistics* 28, 100--108.
#' \doi{10.2307/2346830}
#'
#' Kuhn, H. W. (1955). The Hungarian method for the assignment problem.
#' *Naval Research Logistics Quarterly* 2, 83--97.
#' \doi{10.1002/nav.3800020109}
#'
#' Lloyd, S. P. (1982). Least squares quantization in PCM. *IEEE Transactions on
#' Information Theory* 28, 129--137.
#' \doi{10.1109/TIT.1982.1056489}
#'
#' Strehl, A. and Ghosh, J. (2002). Cluster ensembles: a knowledge reuse
#' framework for combining multiple partitions. *Journal of Machine Learning
#' Research* 3, 583--617.
#' @examplesIf requireNamespace("clue", quietly = TRUE)
#' set.seed(1)
#' data <- simulate_shapes("diamond9", n = 450)
#' result <- evaluate_features(c("f4", "f5", "f1"), data$x, data$y,
#'                             k = 1:3, repeats = 5, random = 2)
#' result
#' @export
evaluate_features <- function(fit, x, y, k = seq(10, 100, 10), repeats = 50, random = 0,
                              algorithm = c("Hartigan-Wong", "Lloyd"), block = NULL,
                              BPPARAM = NULL, assay = NULL) {
  check_workers(BPPARAM)
  algorithm <- check_choice(algorithm, "algorithm", kmeans_algorithms)
  x <- coded_like(fit, x)
  task <- clustering_task(plain_samples(x, assay), sample_column(x, y, "y"), repeats,
    block_beside(block, fit, x), algorithm
  )
  features <- feature_columns(fit, "fit", task$x$d, task$x$names)
  k <- check_sizes(k, length(features), default = missing(k))
  random <- check_count(random, "random", 0, 1e6)
  warn_if_filled(fit, k)
  sets <- c(leading_sets(method_label(fit), features, k),
            random_sets(task$x$d, k, random))
  feature_evaluation(score_sets(task, sets, BPPARAM = BPPARAM))
}

kmeans_algorithms <- c("Hartigan-Wong", "Lloyd")

# Data, classes and starting samples of one comparison, and the algorithm of its k-means
clustering_task <- function(x, y, repeats, block = NULL, algorithm = kmeans_algorithms[1]) {
  check_installed("clue", "to evaluate features by clustering")
  x <- read_samples(x)
  class <- check_labels(y, "y", x$n)
  class <- match(class, unique(class))
  classes <- max(class)
  if (classes < 2) {
    stop_rowsparse("constant", "y", "must have at least two classes", "one")
  }
  check_cluster_count(classes, x$n, "y")
  block <- as_block(block, x$n)
  starts <- draw_samples(repeats, "repeats", x$n, classes)
  list(x = x, class = class, classes = classes, starts = starts, block = block,
       algorithm = algorithm)
}

# starting samples of every run; a surplus of candidates, for the case that some
# are equal on few features
draw_samples <- function(repeats, argument, n, classes) {
  repeats <- check_count(repeats, argument, 1, 1e6)
  candidates <- min(n, 20L * classes)
  check_memory(8 * repeats * (candidates + 20), argument, "take fewer runs")
  lapply(seq_len(repeats), function(i) sample.int(n, candidates))
}

# k-means needs more samples than clusters
check_cluster_count <- function(classes, n, argument) {
  if (classes >= n) {
    rule <- if (argument == "y") {
      "must have fewer classes than there are samples (a numeric response: cut() it into classes)"
    } else {
      "must be fewer than the samples"
    }
    stop_rowsparse("class", argument, rule, sprintf("%d for %d samples", classes, n))
  }
}

# One feature set per k: list(method, k, columns)
leading_sets <- function(method, features, k) {
  lapply(k, function(size) list(method = method, k = size, columns = features[seq_len(size)]))
}

random_sets <- function(d, k, count) {
  check_memory(8 * as.double(count) * sum(k + 20), "random", "take fewer random sets")
  sizes <- rep(k, each = count)
  lapply(sizes, function(size) list(method = "random", k = size, columns = sample.int(d, size)))
}

# Runs: data frame with method, k, acc, nmi, converged; one row per set and run.
# `spread` goes over the starts: lapply() where a worker is at work already
score_sets <- function(task, sets, spread = apply_with_progress, ...) {
  columns <- lapply(sets, `[[`, "columns")
  needed <- sort(unique(unlist(columns)))  # all that a worker has to be sent
  scores <- spread(task$starts, score_from_start,
                   x = keep_columns(task$x, needed), columns = lapply(columns, match, needed),
                   class = task$class, classes = task$classes, block = task$block,
                   algorithm = task$algorithm, ...)
  runs <- data.frame(method = vapply(sets, `[[`, "", "method"),
                     k = vapply(sets, `[[`, 0L, "k"))
  runs <- runs[rep(seq_along(sets), length(scores)), , drop = FALSE]
  cbind(runs, as.data.frame(do.call(rbind, scores)), row.names = NULL)
}

# ACC, NMI and convergence of every set (rows) for one draw of starting samples
score_from_start <- function(start, x, columns, class, classes, block = NULL,
                             algorithm = kmeans_algorithms[1]) {
  scores <- vapply(columns, function(set) {
    sample <- without_level_means(dense_columns(x, set), block)
    run <- kmeans_from(sample, start, classes, algorithm)
    counts <- contingency(class, run$cluster)
    c(acc = matched_share(counts), nmi = mutual_information_share(counts),
      converged = run$converged)
  }, numeric(3))
  t(scores)
}

# k-means from the first `clusters` different samples among `start`, or, if
# there are not so many, in the data; fewer clusters when even these run out.
# Hartigan and Wong's algorithm cannot fail from such a start: every centre
# has its own sample, and no step empties a cluster. One that Lloyd's iteration empties has no
# centre from then on.
kmeans_from <- function(x, start, clusters, algorithm = kmeans_algorithms[1]) {
  x <- in_unit_range(x)
  centres <- x[start[seq_len(clusters)], , drop = FALSE]
  if (anyDuplicated(centres)) {
    pool <- c(start, seq_len(nrow(x)))
    distinct <- pool[!duplicated(x[pool, , drop = FALSE])]
    centres <- x[utils::head(distinct, clusters), , drop = FALSE]
  }
  if (nrow(centres) == 1) {
    return(list(cluster = rep(1L, nrow(x)), converged = TRUE))
  }
  run <- suppressWarnings(stats::kmeans(x, centres, iter.max = 100, algorithm = algorithm))
  list(cluster = run$cluster, converged = is.null(run$ifault) || run$ifault == 0)
}

# Means and standard deviations over the runs of every method and k
feature_evaluation <- function(runs) {
  stalled <- sum(runs$converged == 0)
  if (stalled > 0) {
    warn_rowsparse("convergence", sprintf("%d of %d k-means runs ended before they converged",
                                            stalled, nrow(runs)))
  }
  key <- paste(runs$method, runs$k)
  groups <- split(runs, factor(key, unique(key)))
  rows <- lapply(groups, function(run) {
    data.frame(method = run$method[1], k = run$k[1], runs = nrow(run),
               acc_mean = mean(run$acc), acc_sd = stats::sd(run$acc),
               nmi_mean = mean(run$nmi), nmi_sd = stats::sd(run$nmi))
  })
  result <- do.call(rbind, unname(rows))
  class(result) <- c("feature_evaluation", "data.frame")
  result
}

method_label <- function(fit) {
  if (inherits(fit, "rowsparse")) class(fit)[1] else "selection"
}

# Numbers of features that can be served; a default gives way, a request does not
check_sizes <- function(k, available, default) {
  if (default) {
    k <- if (any(k <= available)) k[k <= available] else available
  }
  check_counts(k, "k", lower = 1L, upper = available)
}

#' @rdname evaluate_features
#' @param digits Number of decimals printed.
#' @export
print.feature_evaluation <- function(x, digits = 3, ...) {
  check_columns(x)
  digits <- check_count(digits, "digits", 0L, 15L)
  cat("k-means on the selected features: accuracy and normalised mutual information\n")
  shown <- lapply(x, function(column) if (is.double(column)) round(column, digits) else column)
  print(as.data.frame(shown), row.names = FALSE)
  invisible(x)
}

#' @export
summary.feature_evaluation <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_evaluation(object, "object")
  table <- as.data.frame(object)
  group <- paste(table[["data"]], table$method)
  rows <- lapply(split(table, factor(group, unique(group))), function(part) {
    best <- first_largest(part$acc_mean)
    data.frame(
      part[1, intersect(c("data", "method"), names(part)), drop = FALSE], sizes = nrow(part),
      acc_mean = mean(part$acc_mean), nmi_mean = mean(part$nmi_mean), k_best = part$k[best],
      acc_best = part$acc_mean[best], nmi_best = part$nmi_mean[best]
    )
  })
  do.call(rbind, unname(rows))
}
