#' Variance explained by selected features
#'
#' The share of the total variance that a linear regression of all features on
#' the selected ones reproduces,
#' \deqn{1 - \min_B \|X_c - X_{c,T} B\|^2 / \|X_c\|^2 =
#' \|P_T X_c\|^2 / \|X_c\|^2,}{1 - min over B of ||Xc - Xc[,T] B||^2 / ||Xc||^2
#' = ||P Xc||^2 / ||Xc||^2,}
#' where \eqn{X_c} holds the centred features, \eqn{T} the selected ones and
#' \eqn{P_T}{P} projects onto their span.
#'
#' The projection comes from a QR factorisation of the selected columns, in
#' which a column that depends on earlier ones (to a relative tolerance of
#' 1e-7) adds nothing. Sparse data are not made dense, apart from the selected
#' columns. With [moments()] the selected block of the cross-products is factored, with a
#' tolerance of 1e-6.
#'
#' @param x The data, samples in rows: numeric matrix, data frame,
#'   `dgCMatrix`, a [moments()] object or a `SummarizedExperiment` (see [experiments]).
#' @param selected A fit of this package, or a vector of column indices or
#'   feature names, best first.
#' @param k Numbers of leading features for which to compute the share; `NULL` for all of
#'   `selected`. With a fit that does not select a fixed number, `k` is needed.
#' @param block The level of each sample, such as its batch: a factor or vector, for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`. Features are centred within
#'   the levels. `NULL`: the block of the fit if that is the name of a column that `x` has too;
#'   for another block of the fit, a message says that none is used.
#' @param assay For a `SummarizedExperiment`: name or number of the assay; see [experiments].
#'
#' @return The share, between 0 and 1, for every entry of `k`. It never falls
#'   with `k`, and is 1 when as many independent features are selected as the
#'   centred data have dimensions. Dividing features by their standard
#'   deviation beforehand gives them equal weight.
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, features that `x` does not have
#' or that are repeated, `k` out of range, or so large that the factorisation takes more
#' memory than the machine has.
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' variance_explained(x, "Petal.Length")
#' variance_explained(x, c("Petal.Length", "Sepal.Length", "Sepal.Width"), k = 1:3)
#' @export
variance_explained <- function(x, selected, k = NULL, block = NULL, assay = NULL) {
  block <- block_beside(block, selected, x)
  x <- coded_like(selected, x)
  data <- without_constant_warning(as_data(x, assay = assay, block = block))
  columns <- feature_columns(selected, "selected", data$d, data$names)
  k <- leading_counts(k, selected, length(columns))
  gain <- projection_gain(data, columns[seq_len(max(k))])
  pmin(1, cumsum(gain)[k] / data_trace(data))
}

leading_counts <- function(k, selected, available) {
  if (!is.null(k)) {
    k <- check_counts(k, "k", lower = 1L, upper = available)
    warn_if_filled(selected, k)
    k
  } else if (inherits(selected, "rowsparse")) {
    length(selected_index(selected, NULL))
  } else {
    available
  }
}

# ||Xc'q_j||^2 for the orthonormal q_j that column j adds to the span of the
# columns before it; 0 for a column that adds none
projection_gain <- function(data, columns) {
  check_memory(projection_bytes(data, length(columns)), "k", "choose fewer features")
  gain <- numeric(length(columns))
  varying <- which(!data$constant[columns])
  if (length(varying) == 0) {
    return(gain)
  }
  columns <- columns[varying]
  projected <- switch(data$kind,
    moments = projected_cross(cross_products(data, , columns), columns, data$weight),
    blocks = projected_cross(scatter_columns(data, columns), columns, data$weight),
    projected_samples(data, columns)
  )
  gain[varying[projected$independent]] <- projected$gain
  gain
}

# the columns, their factorisation and its orthonormal part
projection_bytes <- function(data, count) {
  sides <- if (data$kind %in% c("moments", "blocks")) data$d else data$n
  24 * as.double(sides) * count
}

weighted_squares <- function(XtQ, weight) {
  if (!is.null(weight)) XtQ <- XtQ * weight
  colSums(XtQ^2)
}

# QR of the centred columns; Xc'Q = X'Q - M'(E'Q) with the means M of the levels E, some
# columns of Q at a time, so that nothing of the size of the data is made where there
# are many
projected_samples <- function(data, columns) {
  chosen <- centred_columns(data, columns)
  decomposition <- qr(chosen, tol = 1e-7)
  independent <- seq_len(decomposition$rank)
  Q <- qr.Q(decomposition)[, independent, drop = FALSE]
  gain <- unlist(lapply(split(independent, (independent - 1L) %/% 16L), function(some) {
    XtQ <- crossprod_samples(data, Q[, some, drop = FALSE])
    XtQ <- XtQ - mean_products(data, Q[, some, drop = FALSE])
    weighted_squares(XtQ, data$weight)
  }), use.names = FALSE)
  list(gain = as.double(gain), independent = decomposition$pivot[independent])
}

# S_.T of data that only give products
scatter_columns <- function(data, columns) {
  data$weight <- NULL
  unit <- matrix(0, data$d, length(columns))
  unit[cbind(columns, seq_along(columns))] <- 1
  .Call(C_covop, unclass(data), unit)$product
}

# The same from the columns T of S = Xc'Xc: with F'F = S_TT and F = Q_F R, the columns of
# Xc_T R^-1 are orthonormal and Xc'Q = S_.T R^-1
projected_cross <- function(cross, columns, weight) {
  block <- eigen(cross[columns, , drop = FALSE], symmetric = TRUE)
  factor <- sqrt(pmax(block$values, 0)) * t(block$vectors)
  decomposition <- qr(factor, tol = 1e-6)
  independent <- seq_len(decomposition$rank)
  kept <- decomposition$pivot[independent]
  R <- qr.R(decomposition)[independent, independent, drop = FALSE]
  XtQ <- t(backsolve(R, t(cross[, kept, drop = FALSE]), transpose = TRUE))
  list(gain = weighted_squares(XtQ, weight), independent = kept)
}
