# Do methods differ over data sets, and which? The test of Friedman on the ranks of the methods,
# and the critical difference of Nemenyi: what summary() of a comparison holds.

# `scores`: data sets x methods, or a comparison
friedman_nemenyi <- function(scores, metric = c("acc", "nmi"), alpha = 0.05,
                             larger_is_better = TRUE, sizes = c("mean", "best", "each"),
                             incomplete = c("refuse", "last", "omit")) {
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  sizes <- check_choice(sizes, "sizes", c("mean", "best", "each"))
  incomplete <- check_choice(incomplete, "incomplete", c("refuse", "last", "omit"))
  if (inherits(scores, "method_comparison")) {
    check_evaluation(scores, "scores")
    one <- length(unique(scores$data)) == 1L
    scores <- score_matrix(scores, metric, if (one) "each" else sizes)
  }
  scores <- check_scores(scores, incomplete)
  alpha <- check_number(alpha, "alpha", 0, 1, open_lower = TRUE)
  if (alpha == 1) stop_rowsparse("range", "alpha", "must be a number between 0 and 1", "1")
  larger_is_better <- check_flag(larger_is_better, "larger_is_better")
  blocks <- nrow(scores)
  methods <- ncol(scores)

  signed <- if (larger_is_better) -scores else scores
  ranked <- rank_methods(signed)
  ranks <- sort(colMeans(ranked))
  test <- stats::friedman.test(ranked)
  tied <- is.nan(test$statistic)  # every data set ranks all methods equal
  critical_difference <- stats::qtukey(1 - alpha, methods, Inf) / sqrt(2) *
    sqrt(methods * (methods + 1) / (6 * blocks))
  structure(list(statistic = if (tied) 0 else unname(test$statistic),
                 df = methods - 1, p_value = if (tied) 1 else test$p.value,
                 ranks = ranks, critical_difference = critical_difference,
                 groups = rank_groups(ranks, critical_difference),
                 block_ranks = ranked[, names(ranks), drop = FALSE],
                 blocks = blocks, alpha = alpha),
            class = "friedman_nemenyi")
}

# blocks x methods; a mean or best that lacks a size is missing
score_matrix <- function(comparison, metric, sizes) {
  value <- comparison[[paste0(metric, "_mean")]]
  data <- or_default(comparison[["data"]], rep("", length(value)))
  block <- if (sizes == "each") trimws(paste(data, comparison$k)) else as.character(data)
  method <- as.character(comparison$method)
  tapply(value, list(factor(block, unique(block)), factor(method, unique(method))),
         if (sizes == "best") max else mean)
}

check_scores <- function(scores, incomplete) {
  if (is.data.frame(scores)) {
    scores <- as.matrix(scores)
  }
  if (!is.matrix(scores) || !is.numeric(scores)) {
    stop_rowsparse("type", "scores", "must be a numeric matrix or a comparison", describe(scores))
  }
  scores <- check_complete(scores, incomplete)
  if (nrow(scores) < 2 || ncol(scores) < 2) {
    stop_rowsparse("range", "scores", "must have at least 2 data sets (rows) and 2 methods",
                   sprintf("%d x %d", nrow(scores), ncol(scores)))
  }
  if (is.null(colnames(scores))) {
    colnames(scores) <- paste0("method", seq_len(ncol(scores)))
  }
  scores
}

check_complete <- function(scores, incomplete) {
  lost <- is.na(scores)
  if (incomplete == "omit") scores <- scores[, colSums(lost) == 0, drop = FALSE]
  bad <- if (incomplete == "last") !lost & !is.finite(scores) else !is.finite(scores)
  if (any(bad) || all(lost)) {
    stop_rowsparse("nonfinite", "scores",
                   "must be complete and finite: every method on every data set",
                   sprintf("%d missing or infinite", sum(bad | lost)),
                   "See the argument `incomplete`")
  }
  scores
}

# The largest runs of neighbouring (sorted) average ranks within the difference
rank_groups <- function(ranks, difference) {
  reach <- ranks + (1 + tie_share) * difference
  last <- vapply(reach, function(end) max(which(ranks <= end)), 0L)
  first <- seq_along(ranks)
  # a run that ends where an earlier one ends lies inside it
  keep <- last > first & !duplicated(last)
  Map(function(from, to) names(ranks)[from:to], first[keep], unname(last[keep]))
}

#' @export
print.friedman_nemenyi <- function(x, digits = 3, ...) {
  check_friedman(x)
  digits <- check_count(digits, "digits", 0L, 15L)
  cat(friedman_lines(x, digits), sep = "\n")
  cat("Average ranks:\n")
  print(round(x$ranks, digits))
  invisible(x)
}

friedman_lines <- function(x, digits) {
  c(
    sprintf("Friedman test: chi-squared = %.*f, df = %.0f, p = %s (%d methods, %s)",
      digits, x$statistic, x$df, format.pval(x$p_value, max(1L, digits)), length(x$ranks),
      count_of(x$blocks, "block")
    ),
    sprintf("Nemenyi critical difference at level %g: %.*f", x$alpha, digits,
      x$critical_difference
    )
  )
}

# NULL where there are not two methods and two data sets to be compared; what is missing is last
test_of_ranks <- function(scores, ...) {
  tryCatch(friedman_nemenyi(scores, ..., incomplete = "last"),
    rowsparse_error_range = function(e) if (e$argument == "scores") NULL else stop(e),
    rowsparse_error_nonfinite = function(e) NULL
  )
}

#' @export
as.data.frame.friedman_nemenyi <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_friedman(x)
  data.frame(method = names(x$ranks), rank = unname(x$ranks))
}

#' @export
summary.friedman_nemenyi <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_friedman(object, "object")
  structure(list(test = object, pairs = rank_pairs(object)), class = "summary.friedman_nemenyi")
}

# every two methods, the furthest apart first
rank_pairs <- function(test) {
  ranks <- test$ranks
  at <- utils::combn(length(ranks), 2)
  gap <- abs(unname(ranks[at[2, ]] - ranks[at[1, ]]))
  methods <- length(ranks)
  unit <- sqrt(methods * (methods + 1) / (6 * max(1, test$blocks)))
  pairs <- data.frame(
    better = names(ranks)[at[1, ]], worse = names(ranks)[at[2, ]], difference = gap,
    p_value = stats::ptukey(gap / unit * sqrt(2), methods, Inf, lower.tail = FALSE),
    differ = gap > (1 + tie_share) * test$critical_difference
  )
  pairs <- pairs[order(-pairs$difference), ]
  rownames(pairs) <- NULL
  pairs
}

#' @export
print.summary.friedman_nemenyi <- function(x, digits = 3, ...) {
  check_elements(x, "x", "a summary", list(
    test = rule("a Friedman test", function(v, x) inherits(v, "friedman_nemenyi")),
    pairs = data_frame
  ))
  check_columns(x$pairs, "x$pairs")
  print(x$test, digits)
  cat("Pairs of methods, by Nemenyi's test:\n")
  print(x$pairs, digits = max(1L, digits), row.names = FALSE)
  invisible(x)
}
