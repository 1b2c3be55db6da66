#' Means and cross-products, mergeable over blocks of rows
#'
#' Collects the sample size, the column means and the centred cross-products
#' \eqn{S = \sum_i (x_i - \bar x)(x_i - \bar x)'}{S = Xc'Xc} of a block of samples. `+` adds moments
#' of two blocks to the moments of both, by the pairwise update of Chan, Golub and LeVeque, which is
#' exact up to rounding. Every method that needs only second moments takes the result in place of
#' `x`.
#'
#' [row_blocks()] and a `DelayedMatrix`, also in an experiment, are read once, block by block, in at
#' most 16 parts of consecutive blocks, whose moments are added in order: the result is the same, to
#' the bit, for any number of [workers] that share the parts. Memory holds the result, one block,
#' its centred copy, and one more d x d matrix.
#'
#' The data are centred before they are multiplied: the entries of `S` have errors of a few units in
#' the fifteenth digit of \eqn{\sqrt{S_{ii} S_{jj}}}{sqrt(S_ii S_jj)}, for features whose mean is up
#' to about \eqn{10^{10}}{1e10} standard deviations from zero.
#'
#' @param x The data, see [rowsparse_data].
#' @param y Optional response, see [rowsparse_data]. All pieces to be added must have the same
#'   classes; use a factor with all levels.
#' @param block Optional factor (or vector) with the level of each sample, for example its batch.
#'   Then S is pooled within the levels, \eqn{S = \sum_l \sum_{i \in l} (x_i - \bar x_l)(x_i - \bar
#'   x_l)'}{S = sum_l
#'   sum_{i in l} (x_i - mean_l)(x_i - mean_l)'}, and so are the products with `y`. All pieces to be
#'   added must have the same levels; use a factor with all of them. A piece may lack a level, or
#'   have one sample of it. Methods take such moments without a `block` of their own.
#' @param rank `NULL`, or a number r: keep a sketch of `S` of rank r instead; see Sketches.
#' @param weights Observation weights: a number of at least 0 per sample, or `NULL` for ones; for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`; `"balanced"` gives every
#'   class of y, for example every cell type, the same total weight. A whole weight counts a sample
#'   that many times, and samples of weight 0 are left out. `n` is the number of samples, `weight`
#'   the sum of their weights; variances are those of n - 1 samples of average weight. Not with row
#'   blocks, `block` or `rank`: instead add moments of parts, each with its weights.
#' @param missing How missing entries (`NA`) of `x` are treated: `"error"` refuses them, `"em"` fits
#'   a model to the observed entries; see Missing entries.
#' @param BPPARAM A BiocParallelParam, the [workers] that share the parts of row blocks. `NULL`:
#'   this process alone.
#' @param assay For a `SummarizedExperiment`: name or number of the assay.
#' @param e1,e2 Moments of two blocks with the same features (and responses).
#' @return An object of class `rowsparse_moments`: a list with `n`, `mean`, `S` (d x d),
#'   `feature_names`, and with `y` also `y_mean`, `Sxy` (d x c), `Syy` (c x c), `levels` and
#'   `response_names`, for numbers also `y_range` (2 x c, the smallest and the largest of each, for
#'   the limits of predictions); with `block` also `block`, a list with its `levels`, the `size`
#'   (samples) and the `mean` of each (levels x d), and `y_mean` (levels x c). Every mean has its
#'   rounding error as `fine` or `y_fine`, so that sums of moments are also accurate for features
#'   far from zero. With a `rank` it has, in place of `S`, `factor` (at most r x d), `square` (the
#'   diagonal of S), `rank` and `error`. With `missing = "em"` also `missing`. Methods: `print`;
#'   `summary`, with the variances and the leading part of the spectrum; `predict`;
#'   `as.data.frame`, with `feature`, `mean` and `variance` (divisor n - 1, or n - levels).
#' @section Sketches:
#' With d features S takes 8 d^2 bytes. `moments(x, rank = r)` keeps a thin `factor` F of at most r
#' rows instead, with \eqn{S \approx F'F}{S ~ F'F}; means, sums of squares of the columns, the trace
#' of S and the products with `y` remain exact. It takes 8 d (4 r + b) bytes, where b rows are
#' stacked at a time (2 r, from 128 to 1024), and its products take about 2 r times as long as
#' reading the data. Sketches add up with `+`, as moments do.
#'
#' The remainder \eqn{S - F'F} is positive semidefinite, and the element `error` an upper bound of
#' its norm: the sum of the first eigenvalue left out at each step, or the trace of the remainder,
#' whichever is smaller, with an allowance for rounding. The eigenvalues of F'F are at most `error`
#' below those of S. Where `error` is small relative to the gap between the eigenvalues m and m + 1,
#' the angle between the spaces of the m leading eigenvectors has a sine of at most about
#' error / gap, and clearly selected features do not change. Otherwise features near the border may
#' change: use a larger r. With `scale = TRUE` the remainder is multiplied, too: scale the data
#' before the sketch where features differ much in size. [cdlsr()] needs full moments, and the
#' methods take at most r components.
#'
#' @section Missing entries:
#' With `missing = "em"` the samples are modelled as normal and entries as missing at random:
#' whether an entry is missing may depend on the observed entries of the sample, not on the missing
#' ones. Means and covariance are estimated from all observed entries, by EM. `mean` and `S` are
#' then the expected means and cross-products: those of the samples with each gap filled by its
#' conditional mean, plus, in `S`, the conditional covariances of the filled entries. The columns of
#' `y` join the model (all classes but one); `y` itself must be complete. Every method that takes
#' moments runs on the result.
#'
#' Features and responses are scaled to mean 0 and variance 1 of their observed entries. If there
#' are at most 200 of them, and fewer than samples, their full covariance is estimated. Otherwise
#' the covariance has r components plus noise of one variance (probabilistic principal components).
#' r is 1, 2, 4, ..., at most 36, as long as held-out entries, one in twenty, are predicted better.
#' With at least as many samples as features, up to 2000 features, or with `y`, S is full; otherwise
#' the result is a sketch of rank n, or of the given `rank`, and no d x d matrix is formed. A sketch
#' includes the variances of the missing entries; their covariances are in `error`.
#'
#' The prior of the covariance is inverse Wishart: lambda samples with the identity as their
#' cross-products, in the scaled units. With s the smallest number of observed entries of a feature,
#' \eqn{\lambda = 10^{-7} n + \min(n, \max(0, 3(d + 1) - s^2/n))/10}{lambda = 1e-7 n + min(n,
#' max(0, 3 (d + 1) - s^2/n))/10}: next to nothing where there are three samples, observed together,
#' for each feature. With fewer it keeps the covariance regular; with few samples it makes variances
#' of missing entries a few percent too large. EM ends when relative changes of the objective, the
#' log likelihood of the observed entries plus the logarithm of the prior, are below 1e-7 (1e-5 with
#' components). The element `missing` is a list: `entries` that were missing, `by_column` and in how
#' many `rows` (of which `empty` had no observed entry), `route` (`"normal"`, `"factors"`,
#' `"none"`), `components`, `ridge` (lambda), `loglik` and `objective` at each step, `iterations`,
#' `converged`, `status`, and `model`, which `predict()` uses.
#'
#' On twenty data sets with 5, 20 and 40% of the entries removed, panels and predictions from these
#' moments were on average at least as good as after imputation by means, nearest neighbours or low
#' rank (`bench/results/missing.md` of the sources). Nearest neighbours take less time, and preserve
#' a panel better where a few dozen samples have hundreds of features.
#'
#' A column without any entry is refused, as are `weights`, `block`, `BPPARAM` and row blocks.
#' Sparse data are made dense; entries that are not stored are zero, not missing. Moments by EM do
#' not add up by `+`: give all rows to one call.
#' @references Chan, Golub and LeVeque (1983) Algorithms for computing the
#'   sample variance. The American Statistician 37, 242-247.
#'   \doi{10.1080/00031305.1983.10483115}
#'
#'   Dempster, Laird and Rubin (1977) Maximum likelihood from incomplete data via the EM
#'   algorithm. Journal of the Royal Statistical Society B 39, 1-38.
#'
#'   Tipping and Bishop (1999) Probabilistic principal component analysis. Journal of the Royal
#'   Statistical Society B 61, 611-622. \doi{10.1111/1467-9868.00196}
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' both <- moments(x[1:60, ]) + moments(x[61:150, ])
#' all.equal(both$S, moments(x)$S)
#' as.data.frame(both)
#'
#' x[cbind(1:30, rep(1:4, length.out = 30))] <- NA
#' known <- moments(x, iris$Species, missing = "em")
#' known
#' selected(cdlsr(known, k = 2))
#' suppressWarnings(predict(known, x))[1:4, ]
#' @export
moments <- function(x, y = NULL, block = NULL, rank = NULL, weights = NULL,
                    missing = c("error", "em"), BPPARAM = NULL, assay = NULL) {
  if (inherits(x, "rowsparse_moments")) {
    stop_rowsparse("type", "x", "must be data, not moments", "moments")
  }
  missing <- check_choice(missing, "missing", c("error", "em"))
  rank <- check_rank(rank)
  check_workers(BPPARAM)
  y <- sample_column(x, y, "y")
  block <- sample_column(x, block, "block")
  weights <- sample_weights(x, weights, y)
  x <- as_kept(x, assay, !is.null(weights) || missing == "em")
  if (missing == "em") {
    return(moments_with_gaps(x, y, block, rank, BPPARAM, assay, weights))
  }
  if (!is.null(weights)) {
    if (inherits(x, "rowsparse_blocks") || !is.null(block) || !is.null(rank)) {
      stop_rowsparse("argument", "weights",
        "cannot go together with row blocks, `block` or `rank`",
        way_out = "Moments of parts of the samples, with their weights, add up by `+`"
      )
    }
    return(weighted_moments(x, y, weights))
  }
  if (inherits(x, "rowsparse_blocks")) {
    return(moments_in_parts(x, y, block, rank, BPPARAM))
  }
  raw <- read_input(x, assay, "x")
  check_names(raw$names, "x")
  check_filled(raw)
  y <- whole_response(y, raw$n)
  if (!is.null(block)) block <- all_levels(block, raw$n)
  rank <- useful_rank(rank, raw$d)
  check_room_for_moments(raw$d, rank)
  summed_moments(add_piece(NULL, piece_moments(raw, y, block, whole = TRUE), rank), rank)
}

# Data as they are read: what is kept elsewhere comes in blocks, with weights only where it
# takes more than a quarter of the memory, as these are refused there
as_kept <- function(x, assay, weighted) {
  # a block is held two or three times while it is read, and turned where samples are columns
  blocks <- function(values) row_blocks(values, megabytes = 32)
  if (is_experiment(x)) {
    return(experiment_matrix(x, assay, "x", delayed = if (weighted) "large" else "all",
      blocks = blocks
    ))
  }
  if (!inherits(x, "DelayedMatrix")) {
    return(x)
  }
  check_delayed()
  if (weighted && is_small(x)) realised(x) else blocks(x)
}

# one row is enough: moments add up
check_filled <- function(raw) {
  if (raw$d < 1L || raw$n < 1L) {
    stop_rowsparse("size", "x", "must have at least one row and one column",
      sprintf("%d x %d", raw$n, raw$d), "Leave empty blocks out"
    )
  }
}

check_room_for_products <- function(d) {
  check_memory(8 * d^2, "x", paste(
    "give a `rank`, for moments in a sketch of so many rows, select features first, or pass the",
    "data themselves"
  ))
}

check_room_for_moments <- function(d, rank) {
  if (is.null(rank)) {
    check_room_for_products(d)
  } else {
    check_memory(8 * as.double(d) * (4 * rank + sketch_height(rank)), "rank",
      "a smaller one needs less"
    )
  }
}

# ---- one piece of the rows -------------------------------------------------------------

# Of some rows of the data, read and unchecked, all but their cross-products: a `summary`
# with what moments hold beside S, and `square` and `largest`; and `raw`, for the products
# (`whole`: they are all the rows); refuse: tells where numbers that are not finite are
piece_moments <- function(raw, y = NULL, block = NULL, whole = FALSE,
                          refuse = function(stats) check_finite(stats, raw, "x")) {
  raw$block <- if (!is.null(block)) coded_levels(block)
  stats <- .Call(C_column_stats, raw$x, raw$p, raw$n, row_groups(raw))
  if (stats$bad > 0) refuse(stats)
  if (!is.null(raw$block)) raw$block[c("mean", "fine")] <- stats[c("level_mean", "level_fine")]
  raw[c("mean", "fine")] <- stats[c("mean", "fine")]
  if (raw$kind == "dense") raw$kept <- .Call(C_keeper)
  summary <- list(
    n = raw$n, mean = stats::setNames(raw$mean, raw$names), fine = raw$fine,
    feature_names = raw$names
  )
  summary[c("square", "largest")] <- stats[c("square", "largest")]
  summary$block <- kept_levels(raw)
  if (whole) check_pieces(summary)
  if (!is.null(y)) {
    summary$block <- NULL
    summary <- c(summary, response_moments(raw, y))
  }
  list(summary = summary, raw = raw)
}

# two summaries of the same features, and the gaps between their means
merge_pieces <- function(a, b) {
  merged <- merge_means(a, b)
  out <- merged$sum
  out$square <- a$square + b$square + colSums(merged$gaps^2)
  out$largest <- pmax(a$largest, b$largest)
  list(sum = out, gaps = merged$gaps)
}

# the squares must be numbers, whatever the sums
check_pieces <- function(summary) {
  raw <- summary[c("n", "square", "largest", "block")]
  raw$kind <- "dense"
  raw[c("names", "mean")] <- list(summary$feature_names, unname(summary$mean))
  raw$d <- length(raw$mean)
  degrees <- max(1, moments_degrees(summary))
  raw$deviation <- sqrt(summary$square / degrees)
  raw$constant <- raw$n < 2L | is_constant(raw)
  check_magnitude(raw, FALSE, "x", scalable = FALSE)
}

new_moments <- function(summary, products) {
  parts <- c("fine", "weight", "feature_names", "y_mean", "y_fine", "Sxy", "Syy", "y_range",
    "y_type", "levels", "response_names"
  )
  kept <- c(summary[c("n", "mean")], products, summary[intersect(parts, names(summary))])
  kept$block <- summary$block
  structure(kept, class = "rowsparse_moments")
}

finish_moments <- function(piece, S) {
  summary <- piece$summary
  names <- summary$feature_names
  dimnames(S) <- if (!is.null(names)) list(names, names)
  new_moments(summary, list(S = S))
}

# the response of all samples, checked once: a factor or a matrix
whole_response <- function(y, n) {
  if (is.null(y)) {
    return(NULL)
  }
  y <- usable_response(y)
  if (!is_classes(y)) {
    Y <- numeric_response(y, n)$Y
    tell_response(y)
    return(Y)
  }
  tell_response(y)
  check_labels(as_labels(y), "y", n)
}

# a block may lack a class, so levels are kept as they are
response_moments <- function(raw, y) {
  type <- if (is.factor(y)) "class" else "numeric"
  Y <- y
  if (type == "class") {
    Y <- outer(as.integer(y), seq_len(nlevels(y)), "==") + 0
    colnames(Y) <- levels(y)
  }
  centred <- if (is.null(raw$observed)) centre_columns(Y) else centre_by_weights(Y, raw$observed)
  Yc <- if (is.null(raw$block)) centred$values else without_level_means(Y, raw$block)
  products <- list(Sxy = cross_with_response(raw, Yc), Syy = crossprod(Yc))
  if (!all(is.finite(unlist(products)))) {
    stop_rowsparse("range", "y",
      "must have squares, and products with `x`, that double precision can hold",
      sprintf("values up to %.3g", max(abs(Y))), "divide it by a power of ten"
    )
  }
  c(list(y_mean = centred$mean, y_fine = unname(centred$fine)), products, if (type == "numeric") {
    list(y_range = unname(apply(Y, 2, range)))
  }, list(
    y_type = type, levels = if (type == "class") levels(y), response_names = colnames(Y),
    block = kept_levels(raw, Y)
  ))
}

# Xc'Yc, centred on both sides (sums of the raw data would cancel), and weighted
# where the data have weights
cross_with_response <- function(raw, Yc) {
  out <- .Call(C_cross, raw, unname(Yc), ncol(Yc))
  dimnames(out) <- list(raw$names, colnames(Yc))
  out
}

#' @rdname moments
#' @export
`+.rowsparse_moments` <- function(e1, e2) {
  if (missing(e2) || is.null(e2)) {
    return(e1)
  }
  if (is.null(e1)) {
    return(e2)
  }
  check_mergeable(e1, e2)
  if (!is.null(e1$factor)) {
    return(merge_sketches(e1, e2))
  }
  merged <- merge_means(e1, e2)
  out <- merged$sum
  out$S <- e1[["S"]] + e2[["S"]] + crossprod(merged$gaps)
  check_moments(out, "e1 + e2")
  out
}

# all but the cross-products of the features: those of `e1` stay in `sum`; and the gaps
merge_means <- function(e1, e2) {
  out <- e1
  out$n <- check_count(as.double(e1$n) + e2$n, "e1 + e2")
  total <- moments_weight(e1) + moments_weight(e2)
  if (!is.null(e1$weight) || !is.null(e2$weight)) out$weight <- total
  share <- moments_weight(e2) / total
  out[c("mean", "fine")] <- pool_means(e1, e2, share)
  between <- level_gaps(e1, e2)
  if (!is.null(e1$Sxy)) {
    out[c("y_mean", "y_fine")] <- pool_means(response_means(e1), response_means(e2), share)
    out$Sxy <- e1$Sxy + e2$Sxy + crossprod(between$x, between$y)
    out$Syy <- e1$Syy + e2$Syy + crossprod(between$y)
    if (!is.null(e1$y_range)) {
      out$y_range <- apply(rbind(e1$y_range, e2$y_range), 2, range)
    }
  }
  out$block <- between$block
  list(sum = out, gaps = between$x)
}

# gaps between the means of e1 and e2, of all samples or of each level, a row each,
# times (n1 n2 / (n1 + n2))^{1/2}; and the block of both
level_gaps <- function(e1, e2) {
  if (!is.null(e1$block)) {
    return(merge_levels(e1$block, e2$block))
  }
  first <- moments_weight(e1)
  second <- moments_weight(e2)
  root <- sqrt(first / (first + second) * second)
  list(
    x = t(root * gap_of_means(e1, e2)),
    y = if (!is.null(e1$Sxy)) t(root * gap_of_means(response_means(e1), response_means(e2)))
  )
}

# of moments, or of their block
response_means <- function(x) list(mean = x$y_mean, fine = x$y_fine)

check_mergeable <- function(e1, e2) {
  both <- list(e1 = e1, e2 = e2)
  for (name in names(both)) {
    one <- both[[name]]
    if (!inherits(one, "rowsparse_moments")) {
      stop_rowsparse("type", name, "must be moments", describe(one))
    }
    check_moments(one, name)
    check_no_gaps(one, name)
  }
  if (is_sketch(e1) != is_sketch(e2)) {
    stop_rowsparse("type", "e2", "must be a sketch where `e1` is one, and whole where it is not",
      if (is_sketch(e2)) "a sketch" else "whole moments", "Make both with a `rank`, or none"
    )
  }
  parts <- c("feature_names", "response_names", "levels", "y_type")
  different <- parts[!vapply(parts, function(part) identical(e1[[part]], e2[[part]]), NA)]
  if (!identical(e1$block$levels, e2$block$levels)) different <- "levels of the block"
  if (length(e1$mean) != length(e2$mean)) different <- "number of features"
  if (length(different) > 0 || length(e1$y_mean) != length(e2$y_mean)) {
    stop_rowsparse("type", "e2", "must be moments of the same features and responses as `e1`",
      paste("different", paste(c(different, "responses")[1], collapse = ", ")),
      "For classes and blocks, use factors with all levels in every piece"
    )
  }
}

#' @export
print.rowsparse_moments <- function(x, ...) {
  print_lines(x, moments_line(x))
}

moments_line <- function(x) {
  response <- if (!is.null(x$y_mean)) response_text(x$y_type, length(x$y_mean))
  within <- if (!is.null(x$block)) count_of(sum(x$block$size > 0), "level")
  samples <- c(count_of(x$n, "sample"), if (!is.null(x$weight)) "weighted")
  parts <- c(samples, within, count_of(length(x$mean), "feature"), response)
  c(
    paste("Moments of", paste(parts, collapse = ", ")),
    if (!is.null(x[["missing"]])) missing_line(x[["missing"]], x$n),
    if (is_sketch(x)) sketch_line(x)
  )
}

#' @export
as.data.frame.rowsparse_moments <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  # variances of one sample are not known
  degrees <- moments_degrees(x) * moments_weight(x) / x$n
  variance <- if (degrees > 0) moments_squares(x) / degrees else rep(NA_real_, length(x$mean))
  data.frame(
    feature = or_default(x$feature_names, as.character(seq_along(x$mean))),
    mean = unname(x$mean), variance = variance
  )
}

#' @rdname moments
#' @param n Number of components and features shown.
#' @export
summary.rowsparse_moments <- function(object, n = 10, ...) {
  check_no_more("summary", "n", ...)
  n <- check_shown(n)
  table <- as.data.frame(object)
  largest <- utils::head(order(-table$variance, method = "radix"), n)
  varies <- moments_degrees(object) > 0 && any(moments_squares(object) > 0)
  spectrum <- if (varies && !any(object$block$size == 1)) moments_spectrum(object)
  structure(
    list(
      line = c(
        moments_line(object), if (is_sketch(object)) eigenvalue_line(spectrum),
        model_line(object[["missing"]])
      ),
      missing = object[["missing"]]$by_column,
      variance = stats::quantile(table$variance, na.rm = TRUE),
      shares = if (!is.null(spectrum)) utils::head(spectrum$shares, n),
      table = table[largest, ]
    ),
    class = "summary.rowsparse_moments"
  )
}

# of every feature
moments_squares <- function(x) if (is_sketch(x)) x$square else unname(diag(x$S))

# the shares of the total variance that the leading components carry, and how many of
# them are the default of `m`
moments_spectrum <- function(x) {
  data <- with_eigenvectors(without_constant_warning(as_data(x)))
  values <- leading_values(data)
  m <- corner_dimension(data)
  list(shares = values / data_trace(data), m = m, error = x$error / values[m])
}

#' @export
print.summary.rowsparse_moments <- function(x, ...) {
  cat(x$line, sep = "\n")
  cat("Variances of the features:\n")
  print(x$variance, digits = 4)
  if (length(x$shares) > 0) {
    cat("Shares of the total variance, by component:\n")
    print(unname(x$shares), digits = 3)
  }
  cat("Largest variances:\n")
  print(x$table, digits = 4, row.names = FALSE)
  invisible(x)
}
