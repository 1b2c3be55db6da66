# What can be asked of a comparison of methods.

#' Summary of a comparison of methods
#'
#' `summary()` gives means over the data sets and sizes, ranks, and how often each method was
#' the best.
#'
#' On each data set methods are ranked by their mean over the sizes `k`, 1 for the best; ties
#' share their mean rank, and a method without a result for all sizes is last. Means of accuracies
#' leave out the data sets on which a method has no result for all sizes: if `failed` is above
#' zero, use the ranks.
#'
#' @param object,x A result of [compare_methods()], or several stacked with [rbind()].
#' @param sizes Values ranked for the tests: the `"mean"` of a method over the sizes, or its
#'   `"best"` size, chosen by the labels, as in papers. With `"each"`, and always with one data
#'   set, every size of every data set is a block; blocks of one data set are not independent, and
#'   the p value is then only descriptive.
#' @param alpha Level of the tests.
#' @param ... Unused.
#'
#' @return `summary()`: a list of class `summary.method_comparison` of
#'   \item{methods}{a data frame, one row per method, best mean rank of accuracy first:
#'     `acc_mean` and `nmi_mean` over data sets and sizes; `acc_rank` and `nmi_rank`, mean
#'     ranks; `acc_wins` and `nmi_wins`, the number of data sets on which the method is best
#'     (ties shared), not counting `"random"`; `above_random`, the share of its data sets on
#'     which its mean accuracy is above that of the random sets; `k_best`, the size of the
#'     highest mean accuracy; `elapsed`, mean seconds; `failed`, the number of data sets without
#'     a result for all sizes}
#'   \item{sets}{a data frame, one row per data set and method, as the summary of
#'     [evaluate_features()]}
#'   \item{acc_ranks, nmi_ranks}{matrices of the ranks, data sets in rows}
#'   \item{acc_test, nmi_test}{the tests of these ranks, see Are the differences real. Lists of
#'     class `friedman_nemenyi`: `statistic`, `df` and `p_value` of Friedman's test
#'     ([stats::friedman.test()]); `ranks`, the average ranks, best first; `critical_difference`;
#'     `groups`, the largest sets of methods within this difference; `block_ranks`, the ranks in
#'     each data set; `blocks`, their number; `alpha`. `NULL` with fewer than two methods or two
#'     blocks}
#' @section Are the differences real:
#' Friedman's test asks whether the average ranks of \eqn{K} methods on \eqn{N} data sets are
#' compatible with equal methods. If not, Nemenyi's test shows which methods differ: those whose
#' average ranks differ by more than the critical difference
#' \deqn{\mathrm{CD} = q_\alpha \sqrt{\frac{K (K + 1)}{6 N}},}{CD = q sqrt(K (K + 1) / (6 N)),}
#' \eqn{q_\alpha}{q} being the
#' \eqn{1 - \alpha}{1 - alpha} quantile of the studentised range of \eqn{K} normal variables,
#' divided by \eqn{\sqrt{2}}{sqrt(2)}. Its `summary()` has the
#' difference and the p value of every pair. `as.data.frame()` gives the ranks.
#' @section Errors:
#' Of class `rowsparse_error`: objects changed by hand, unknown choices.
#' @references
#' Demsar, J. (2006). Statistical comparisons of classifiers over multiple data
#' sets. *Journal of Machine Learning Research* 7, 1--30.
#' @examplesIf requireNamespace("clue", quietly = TRUE)
#' set.seed(1)
#' sets <- lapply(c(moons = "two_moons", diamonds = "diamond9"), simulate_shapes, n = 100)
#' result <- compare_methods(sets, k = 1:4, methods = c("css", "variance"), repeats = 5,
#'                           random = 5)
#' summary(result)
#' @export
summary.method_comparison <- function(object, sizes = c("mean", "best", "each"), alpha = 0.05,
                                      ...) {
  check_no_more("summary", c("sizes", "alpha"), ...)
  check_evaluation(object, "object")
  values <- lapply(c(acc = "acc", nmi = "nmi"), function(metric) {
    score_matrix(object, metric, "mean")
  })
  ranks <- lapply(values, function(value) rank_methods(-value, worst = 1))
  methods <- data.frame(
    method = colnames(values$acc),
    acc_mean = known_means(values$acc), nmi_mean = known_means(values$nmi),
    acc_rank = colMeans(ranks$acc), nmi_rank = colMeans(ranks$nmi),
    acc_wins = shared_wins(values$acc), nmi_wins = shared_wins(values$nmi),
    above_random = above_random(values$acc), k_best = best_sizes(object, colnames(values$acc)),
    elapsed = mean_elapsed(object, colnames(values$acc)), failed = colSums(is.na(values$acc))
  )
  methods <- methods[order(methods$acc_rank), ]
  rownames(methods) <- NULL
  sets <- summary.feature_evaluation(object)
  structure(
    list(
      methods = methods, sets = sets, acc_ranks = ranks$acc, nmi_ranks = ranks$nmi,
      acc_test = test_of_ranks(object, metric = "acc", sizes = sizes, alpha = alpha),
      nmi_test = test_of_ranks(object, metric = "nmi", sizes = sizes, alpha = alpha)
    ),
    class = "summary.method_comparison"
  )
}

# by column; NA rather than NaN where nothing is known
known_means <- function(values) {
  means <- colMeans(values, na.rm = TRUE)
  ifelse(is.nan(means), NA_real_, means)
}

# ranks within rows, 1 for the smallest; what is missing is last
rank_methods <- function(values, worst = max(values, 0, na.rm = TRUE) + 1) {
  values[is.na(values)] <- worst
  values[] <- t(apply(values, 1, tied_ranks))
  values
}

shared_wins <- function(values) {
  values[, colnames(values) == "random"] <- NA
  best <- apply(values, 1, function(row) max(row, -Inf, na.rm = TRUE))
  won <- !is.na(values) & values >= best - 1e-8
  colSums(won / pmax(1, rowSums(won)))
}

above_random <- function(values) {
  if (!"random" %in% colnames(values)) {
    return(NA_real_)
  }
  share <- known_means(values > values[, "random"])
  ifelse(names(share) == "random", NA, share)
}

# by method, the size of the highest mean over the data sets, of those that all its
# data sets serve
best_sizes <- function(comparison, methods) {
  vapply(methods, function(method) {
    own <- comparison[comparison$method == method & !is.na(comparison$acc_mean), ]
    if (nrow(own) == 0) {
      return(NA_real_)
    }
    served <- table(own[["k"]])
    sizes <- sort(unique(own[["k"]]))[served == max(served)]
    means <- vapply(sizes, function(k) mean(own$acc_mean[own[["k"]] == k]), 0)
    as.double(sizes[first_largest(means)])
  }, 0)
}

mean_elapsed <- function(comparison, methods) {
  if (is.null(comparison[["elapsed"]])) {
    return(NA_real_)
  }
  seconds <- tapply(comparison$elapsed, list(comparison$data, comparison$method), mean)
  known_means(seconds)[methods]
}

#' @export
print.summary.method_comparison <- function(x, digits = 3, ...) {
  ranks <- rule("a matrix of ranks", function(v, x) is.matrix(v) && is.numeric(v))
  check_elements(x, "x", "a summary", list(
    methods = data_frame, sets = data_frame, acc_ranks = ranks, nmi_ranks = ranks
  ))
  check_columns(x$methods, "x$methods")
  if (!is.null(x$acc_test)) check_friedman(x$acc_test, "x$acc_test")
  digits <- check_count(digits, "digits", 0L, 15L)
  cat(sprintf("%s on %s: k-means on the selected features, means over k\n",
    count_of(ncol(x$acc_ranks), "method"), count_of(nrow(x$acc_ranks), "data set")
  ))
  print_rounded(x$methods, digits)
  if (!is.null(x$acc_test)) cat(friedman_lines(x$acc_test, digits), sep = "\n")
  invisible(x)
}

print_rounded <- function(table, digits) {
  shown <- lapply(table, function(column) if (is.double(column)) round(column, digits) else column)
  print(as.data.frame(shown), row.names = FALSE)
}

#' @export
print.method_comparison <- function(x, digits = 3, ...) {
  check_columns(x)
  digits <- check_count(digits, "digits", 0L, 15L)
  several <- length(unique(x[["data"]])) > 1
  if (!several) {
    # a column that says nothing is not shown
    if (!is.null(x[["note"]]) && !any(nzchar(x[["note"]]))) {
      shown <- x[names(x) != "note"]
    } else {
      shown <- x
    }
    print.feature_evaluation(shown, digits)
    return(invisible(x))
  }
  print(summary(x), digits)
  told <- failures_of(x)
  if (length(told) > 0) cat("Without result:", told, sep = "\n  ")
  cat("\n")
  invisible(x)
}

# "method on data: why"
failures_of <- function(comparison) {
  if (is.null(comparison[["note"]])) {
    return(character())
  }
  failed <- comparison[is.na(comparison$acc_mean), ]
  failed <- failed[!duplicated(failed[c("data", "method")]), ]
  sprintf("%s on %s: %s", failed$method, failed$data, failed$note)
}
