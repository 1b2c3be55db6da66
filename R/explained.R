# The share of the centred sum of squares that a regression of all features on some of them
# reproduces: ||P Xc||^2 / ||Xc||^2 with the projection P on the span of the columns. In a QR
# factorisation of these, a column that depends on earlier ones (to a relative tolerance of 1e-7;
# 1e-6 for cross-products) adds nothing.

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
    XtQ <- as.matrix(Matrix::crossprod(input_matrix(data), Q[, some, drop = FALSE]))
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
