#' Means and cross-products, mergeable over blocks of rows
#'
#' Collects the sample size, the column means and the centred cross-products
#' \eqn{S = \sum_i (x_i - \bar x)(x_i - \bar x)'}{S = Xc'Xc} of some samples. `+` adds moments of
#' two parts to the moments of both, by the pairwise update of Chan, Golub and LeVeque, exact up to
#' rounding. Every method that needs only second moments takes the result in place of `x`.
#'
#' [row_blocks()] and a `DelayedMatrix`, also in an experiment, are read once, block by block, in at
#' most 16 parts of consecutive blocks, which [workers] may share. Memory holds the result, one
#' block, its centred copy, and one more d x d matrix. The entries of `S` have errors of a few units
#' in the fifteenth digit of \eqn{\sqrt{S_{ii} S_{jj}}}{sqrt(S_ii S_jj)}, for features whose mean is
#' up to about \eqn{10^{10}}{1e10} standard deviations from zero.
#'
#' @param x The data, see [rowsparse_data].
#' @param y Optional response, see [rowsparse_data]. All parts to be added must have the same
#'   classes; use a factor with all levels.
#' @param block Optional factor (or vector) with the level of each sample, for example its batch.
#'   Then S and the products with `y` are pooled within the levels, \eqn{S = \sum_l \sum_{i \in l}
#'   (x_i - \bar x_l)(x_i - \bar x_l)'}{S = sum_l sum_{i in l} (x_i - mean_l)(x_i - mean_l)'}. All
#'   parts to be added must have the same levels, but may lack samples of some. Methods take such
#'   moments without a `block` of their own.
#' @param rank `NULL`, or a number r: keep a sketch of `S` of rank r instead; see Sketches.
#' @param weights Observation weights, as in [cdlsr()]. `n` is the number of samples, `weight`
#'   the sum of their weights, `count` how many samples they stand for: the sum if all are whole
#'   numbers, else n; variances are those of count - 1 samples of average weight. Not with row
#'   blocks, `block` or `rank`: instead add moments of parts, each with its weights.
#' @param missing How missing entries (`NA`) of `x` are treated: `"error"` refuses them, `"em"` fits
#'   a model to the observed entries; see Missing entries.
#' @param BPPARAM A BiocParallelParam, the [workers] that share the parts of row blocks. `NULL`:
#'   this process alone.
#' @param assay For a `SummarizedExperiment`: name or number of the assay.
#' @param e1,e2 Moments with the same features (and responses).
#' @return An object of class `rowsparse_moments`: a list with `n`, `mean`, `S` (d x d),
#'   `feature_names`, and with `y` also `y_mean`, `Sxy` (d x c), `Syy` (c x c), `levels` and
#'   `response_names`, for numbers also `y_range` (2 x c, the smallest and largest of each); with
#'   `block` also `block`, a list with its `levels`, the `size` (samples) and the `mean` of each
#'   (levels x d), and `y_mean` (levels x c). Every mean has its rounding error as `fine` or
#'   `y_fine`. With a `rank` it has, in place of `S`, `factor` (at most r x d), `square` (the
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
#' its norm. The eigenvalues of F'F are at most `error` below those of S. Where `error` is small
#' relative to the gap between the eigenvalues m and m + 1, the angle between the spaces of the m
#' leading eigenvectors has a sine of at most about error / gap, and clearly selected features do
#' not change. Otherwise use a larger r. With `scale = TRUE` the remainder is multiplied, too: scale
#' the data before the sketch where features differ much in size. [cdlsr()] needs full moments, and
#' the methods take at most r components.
#'
#' @section Missing entries:
#' With `missing = "em"` the samples are modelled as normal and entries as missing at random:
#' whether an entry is missing may depend on the observed entries of the sample, not on the missing
#' ones. Means and covariance are estimated from all observed entries, by EM. `mean` and `S` are
#' then the expected means and cross-products: those of the samples with each gap filled by its
#' conditional mean, plus, in `S`, the conditional covariances of the filled entries. The columns of
#' `y` join the model (all classes but one); `y` itself must be complete.
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
#' for each feature. With few samples it makes variances of missing entries a few percent too large.
#' EM ends when relative changes of the objective, the log likelihood of the observed entries plus
#' the logarithm of the prior, are below 1e-7 (1e-5 with components). The element `missing` is a
#' list: `entries` that were missing, `by_column` and in how many `rows` (of which `empty` had no
#' observed entry), `route` (`"normal"`, `"factors"`, `"none"`), `components`, `ridge` (lambda),
#' `loglik` and `objective` at each step, `iterations`, `converged`, `status`, and `model`, which
#' `predict()` uses.
#'
#' On twenty data sets with up to 40% of the entries removed, panels and predictions from these
#' moments were on average at least as good as after imputation (`bench/results/missing.md` of the
#' sources). Nearest neighbours take less time, and preserve a panel better where a few dozen
#' samples have hundreds of features.
#'
#' A column without any entry is refused, as are `weights`, `block`, `BPPARAM` and row blocks.
#' Sparse data are made dense; entries that are not stored are zero, not missing. Moments by EM do
#' not add up by `+`: give all rows to one call.
#' @references Chan, Golub and LeVeque (1983) Algorithms for computing the sample variance. The
#'   American Statistician 37, 242-247. \doi{10.1080/00031305.1983.10483115}
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
  refuse_if(inherits(x, "rowsparse_moments"), "type", "x", "must be data, not moments", "moments")
  missing <- check_choice(missing, "missing", c("error", "em"))
  if (!is.null(rank)) rank <- check_count(rank, "rank")
  check_workers(BPPARAM)
  y <- sample_column(x, y, "y")
  block <- sample_column(x, block, "block")
  weights <- sample_weights(x, weights, y)
  x <- as_kept(x, assay, !is.null(weights) || missing == "em")
  check_together(x, missing, block, rank, weights, BPPARAM)
  raw <- read_input(x, NULL, "x")
  check_names(raw$names, "x")
  refuse_if(raw$d < 1L || raw$n < 1L, "size", "x", "must have at least one row and one column",
    sprintf("%d x %d", raw$n, raw$d), "Leave empty blocks out"
  )
  if (!is.null(weights)) {
    return(weighted_moments(raw, y, weights))
  }
  if (!is.null(rank)) rank <- min(rank, raw$d) # more rows than features are never needed
  if (missing == "em") {
    return(moments_with_gaps(raw, y, rank))
  }
  if (!is.null(block)) block <- coded_levels(all_levels(block, raw$n))
  moments_of_rows(raw, whole_response(y, raw$n), block, rank, BPPARAM)
}

# weights and models of gaps are for data in memory, and go together with little else
check_together <- function(x, missing, block, rank, weights, BPPARAM) {
  together <- c(if (inherits(x, "rowsparse_blocks")) "row blocks", if (!is.null(block)) "`block`")
  with_em <- c(together, if (!is.null(weights)) "`weights`", if (!is.null(BPPARAM)) "`BPPARAM`")
  refuse_if(missing == "em" && length(with_em) > 0L, "argument", "missing",
    paste("= \"em\" cannot go together with", with_em[1]),
    way_out = "Fill the gaps first, predict(moments(x, missing = \"em\"), x)"
  )
  refuse_if(!is.null(weights) && (length(together) > 0L || !is.null(rank)), "argument", "weights",
    "cannot go together with row blocks, `block` or `rank`",
    way_out = "Moments of parts of the samples, with their weights, add up by `+`"
  )
}

# Data as they are read: what is kept elsewhere comes in blocks, with weights only where it
# takes more than a quarter of the memory, as these are refused there
as_kept <- function(x, assay, weighted) {
  # a block is held two or three times while it is read, and turned where samples are columns
  blocks <- function(values) row_blocks(values, megabytes = 32)
  if (is_experiment(x)) {
    return(experiment_matrix(x, assay, "x", blocks, all = !weighted))
  }
  if (!is_of(x, "DelayedMatrix")) {
    return(x)
  }
  check_delayed()
  if (weighted && is_small(x)) realised(x) else blocks(x)
}

check_room_for_products <- function(d) {
  check_memory(8 * d^2, "x", paste(
    "give a `rank`, for moments in a sketch of so many rows, select features first, or pass the",
    "data themselves"
  ))
}

# ---- one piece of the rows -------------------------------------------------------------

# Of some rows of the data a `summary` with what moments hold beside S, and `square` and `largest`;
# and `raw`, for the products. y: a factor or a matrix; levels of raw$block may be without samples
piece_moments <- function(raw, y = NULL) {
  raw <- add_statistics(raw, "x")
  if (raw$kind == "dense") raw$kept <- .Call(C_keeper)
  Y <- if (is.factor(y)) indicators(y) else y
  summary <- c(
    list(n = raw$n, mean = stats::setNames(raw$mean, raw$names), feature_names = raw$names),
    raw[c("fine", "square", "largest")], if (!is.null(y)) response_moments(raw, y, Y)
  )
  if (!is.null(raw$block)) summary$block <- kept_levels(raw$block, raw$names, Y)
  list(summary = summary, raw = raw)
}

indicators <- function(classes) {
  Y <- label_matrix(as.integer(classes), nlevels(classes))
  colnames(Y) <- levels(classes)
  Y
}

# a piece may lack a class, so levels are kept as they are
response_moments <- function(raw, y, Y) {
  centred <- if (is.null(raw$observed)) centre_columns(Y) else centre_by_weights(Y, raw$observed)
  Yc <- if (is.null(raw$block)) centred$values else without_level_means(Y, raw$block)
  numeric <- !is.factor(y)
  list(
    y_mean = centred$mean, y_fine = unname(centred$fine), Sxy = cross_with_response(raw, Yc),
    Syy = crossprod(Yc), y_range = if (numeric) unname(apply(Y, 2, range)),
    y_type = if (numeric) "numeric" else "class", levels = levels(y), response_names = colnames(Y)
  )
}

# Xc'Yc, centred on both sides (sums of the raw data would cancel), and weighted
# where the data have weights
cross_with_response <- function(raw, Yc) {
  out <- .Call(C_cross, raw, unname(Yc), ncol(Yc))
  dimnames(out) <- list(raw$names, colnames(Yc))
  out
}

# the response of all samples, checked once: a factor or a matrix
whole_response <- function(y, n) {
  if (is.null(y)) {
    return(NULL)
  }
  y <- usable_response(y)
  refuse_survival(y)
  checked <- if (is_classes(y)) {
    check_labels(factor(y, levels(as.factor(y)), ordered = FALSE), "y", n)
  } else {
    numeric_response(y, n)$Y
  }
  tell_response(y)
  checked
}

new_moments <- function(summary, products) {
  refuse_if(!all(is.finite(c(summary$Sxy, summary$Syy))), "range", "y",
    "must have squares, and products with `x`, that double precision can hold",
    sprintf("values up to %.3g", max(abs(summary$y_range))), "Divide it by a power of ten"
  )
  parts <- c("fine", "weight", "count", "feature_names", "y_mean", "y_fine", "Sxy", "Syy",
    "y_range", "y_type", "levels", "response_names", "block"
  )
  kept <- c(summary[c("n", "mean")], products, summary[intersect(parts, names(summary))])
  structure(Filter(Negate(is.null), kept), class = "rowsparse_moments")
}

# ---- sums ------------------------------------------------------------------------------

# A sum that grows by a piece, some rows of the data, or by a part, whose products are made:
# the summary of all so far, and their products, kept by the C code or as a sketch
add_piece <- function(total, piece, rank = NULL) {
  merged <- list(sum = piece$summary)
  if (!is.null(total)) merged <- merge_means(total$summary, piece$summary)
  if (!is.null(rank)) {
    return(add_to_sketch(total, piece, merged, rank))
  }
  kept <- or_default(total$kept, .Call(C_scatter, length(piece$summary$mean), NULL))
  .Call(C_scatter_add, kept, piece$raw, piece$S, merged$gaps)
  list(summary = merged$sum, kept = kept)
}

finish_moments <- function(total, rank = NULL) {
  if (!is.null(rank)) {
    return(sketch_moments(total, rank))
  }
  S <- or_default(total$S, .Call(C_scatter_end, total$kept))
  names <- total$summary$feature_names
  dimnames(S) <- if (!is.null(names)) list(names, names)
  new_moments(total$summary, list(S = S))
}

# Two summaries of the same features: their sum, and the gaps between their means, of all samples
# or of each level, a row each, times (n1 n2 / (n1 + n2))^{1/2}. What else the first holds stays.
merge_means <- function(e1, e2) {
  out <- e1
  out$n <- check_count(as.double(e1$n) + e2$n, "e1 + e2")
  total <- moments_weight(e1) + moments_weight(e2)
  if (!is.null(e1$weight) || !is.null(e2$weight)) {
    out[c("weight", "count")] <- list(total, moments_count(e1) + moments_count(e2))
  }
  block <- a <- centred_levels(e1)
  b <- centred_levels(e2)
  block$size <- a$size + b$size
  share <- ifelse(block$size > 0, b$size / block$size, 0)
  gaps <- list()
  for (of in c("", if (!is.null(e1$Sxy)) "y_")) {
    parts <- paste0(of, c("mean", "fine"))
    means <- function(x) stats::setNames(x[parts], c("mean", "fine"))
    out[parts] <- pool_means(means(e1), means(e2), moments_weight(e2) / total)
    block[parts] <- pool_means(means(a), means(b), share)
    gaps[[parts[1]]] <- gap_of_means(means(a), means(b)) * sqrt(a$size * share)
  }
  if (!is.null(e1$block)) out$block <- block
  if (!is.null(e1$Sxy)) {
    out$Sxy <- e1$Sxy + e2$Sxy + crossprod(gaps$mean, gaps$y_mean)
    out$Syy <- e1$Syy + e2$Syy + crossprod(gaps$y_mean)
    if (!is.null(e1$y_range)) out$y_range <- apply(rbind(e1$y_range, e2$y_range), 2, range)
  }
  if (!is.null(e1$square)) out$square <- e1$square + e2$square + colSums(gaps$mean^2)
  if (!is.null(e1$largest)) out$largest <- pmax(e1$largest, e2$largest)
  list(sum = out, gaps = gaps$mean)
}

# the levels within which moments are centred: those of their block, or one of all samples
centred_levels <- function(x) {
  means <- x[intersect(c("mean", "fine", "y_mean", "y_fine"), names(x))]
  or_default(x$block, c(list(size = moments_weight(x)), lapply(means, matrix, 1L)))
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
  check_mergeable(list(e1 = e1, e2 = e2))
  rank <- if (is_sketch(e1)) max(e1$rank, e2$rank)
  total <- NULL
  for (x in list(e1, e2)) {
    part <- list(summary = x, S = x[["S"]], lost = x$error)
    if (is_sketch(x)) part$thin <- t(unname(x$factor))
    total <- add_piece(total, part, rank)
  }
  out <- finish_moments(total, rank)
  check_moments(out, "e1 + e2")
  out
}

check_mergeable <- function(both) {
  for (name in names(both)) {
    refuse_if(!inherits(both[[name]], "rowsparse_moments"),
      "type", name, "must be moments", describe(both[[name]]))
    check_moments(both[[name]], name)
    refuse_if(isTRUE(both[[name]][["missing"]]$entries > 0),
      "type", name, "must be moments of data without missing entries",
      "moments of a model, by missing = \"em\"", "Give all rows to one call of moments()"
    )
  }
  same <- list(
    "number of features" = function(x) length(x$mean),
    "feature names" = function(x) x$feature_names,
    "responses" = function(x) c(length(x$y_mean), x$y_type, x$response_names),
    "levels" = function(x) x$levels, "levels of the block" = function(x) x$block$levels,
    "kinds: one is a sketch" = is_sketch
  )
  different <- !vapply(same, function(of) identical(of(both$e1), of(both$e2)), NA)
  refuse_if(any(different),
    "type", "e2", "must be moments of the same features and responses as `e1`",
    paste("different", names(same)[different][1]),
    "For classes and blocks, use factors with all levels in every piece; a `rank` in all or none"
  )
}

#' @export
print.rowsparse_moments <- function(x, ...) print_lines(x, moments_line(x))

# the norm of what a sketch leaves out is told beside the trace and, in a summary, an eigenvalue
moments_line <- function(x, spectrum = NULL) {
  samples <- c(count_of(x$n, "sample"), if (!is.null(x$weight)) "weighted")
  parts <- c(
    samples, if (!is.null(x$block)) count_of(sum(x$block$size > 0), "level"),
    count_of(length(x$mean), "feature"),
    if (!is.null(x$y_mean)) response_text(x$y_type, length(x$y_mean))
  )
  bound <- function(size) if (size > 0) x$error / size else 0
  c(
    paste("Moments of", toString(parts)),
    if (!is.null(x[["missing"]])) missing_line(x[["missing"]], x$n),
    if (is_sketch(x)) {
      sprintf(
        "A sketch of rank %d; the norm of what it leaves out is at most %.2g of the trace of S",
        x$rank, bound(sum(x$square))
      )
    },
    if (is_sketch(x) && !is.null(spectrum)) {
      sprintf("and at most %.2g of the eigenvalue %d, the last that the methods take by default",
        bound(spectrum$values[spectrum$m]), spectrum$m
      )
    }
  )
}

#' @export
as.data.frame.rowsparse_moments <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  # variances of one sample are not known
  degrees <- moments_degrees(x) * moments_weight(x) / moments_count(x)
  square <- if (is_sketch(x)) x$square else unname(diag(x$S))
  data.frame(
    feature = or_default(x$feature_names, as.character(seq_along(x$mean))),
    mean = unname(x$mean), variance = if (degrees > 0) square / degrees else NA_real_
  )
}

#' @rdname moments
#' @param n Number of components and features shown.
#' @export
summary.rowsparse_moments <- function(object, n = 10, ...) {
  check_no_more("summary", "n", ...)
  n <- check_shown(n)
  table <- as.data.frame(object)
  spectrum <- if (any(table$variance > 0, na.rm = TRUE) && !any(object$block$size == 1)) {
    moments_spectrum(object)
  }
  structure(
    list(
      line = c(moments_line(object, spectrum), model_line(object[["missing"]])),
      missing = object[["missing"]]$by_column,
      variance = stats::quantile(table$variance, na.rm = TRUE),
      shares = utils::head(spectrum$shares, n),
      table = table[utils::head(order(-table$variance, method = "radix"), n), ]
    ),
    class = "summary.rowsparse_moments"
  )
}

# the leading eigenvalues, their shares of the trace, and how many are the default of `m`
moments_spectrum <- function(x) {
  data <- with_eigenvectors(without_constant_warning(as_data(x)))
  values <- leading_values(data)
  list(values = values, shares = values / data_trace(data), m = corner_dimension(data))
}

#' @export
print.summary.rowsparse_moments <- function(x, ...) {
  cat(x$line, "Variances of the features:", sep = "\n")
  print(x$variance, digits = 4)
  if (length(x$shares) > 0) {
    cat("Shares of the total variance, by component:\n")
    print(unname(x$shares), digits = 3)
  }
  cat("Largest variances:\n")
  print(x$table, digits = 4, row.names = FALSE)
  invisible(x)
}
