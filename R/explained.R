# The share of the centred sum of squares that a regression of all features on some of them
# reproduces: ||P Xc||^2 / ||Xc||^2 with the projection P on the span of the columns. A column that
# depends on earlier ones, to a relative tolerance of 1e-6, adds nothing.

# ||Xc'q_j||^2 for the orthonormal q_j that column j adds to the span of the columns before it; 0
# for a column that adds none. From the columns T of S = Xc'Xc, in standard deviations: with
# F'F = S_TT and F = Q_F R, the columns of Xc_T R^-1 are orthonormal, and Xc'Q = S_.T R^-1.
projection_gain <- function(data, columns) {
  gain <- numeric(length(columns))
  varying <- which(!data$constant[columns])
  if (length(varying) == 0) {
    return(gain)
  }
  columns <- columns[varying]
  cross <- scatter_columns(data, columns)
  deviation <- sqrt(cross[cbind(columns, seq_along(columns))])
  cross <- cross / rep(deviation, each = nrow(cross))
  spectrum <- eigen(cross[columns, , drop = FALSE] / deviation, symmetric = TRUE)
  decomposition <- qr(sqrt(pmax(spectrum$values, 0)) * t(spectrum$vectors), tol = 1e-6)
  independent <- seq_len(decomposition$rank)
  kept <- decomposition$pivot[independent]
  R <- qr.R(decomposition)[independent, independent, drop = FALSE]
  XtQ <- backsolve(R, t(cross[, kept, drop = FALSE]), transpose = TRUE)
  if (!is.null(data$weight)) XtQ <- XtQ * rep(data$weight, each = nrow(XtQ))
  gain[varying[kept]] <- rowSums(XtQ^2)
  gain
}

# the columns T of the scatter matrix of the features as they are given, d x length(columns)
scatter_columns <- function(data, columns) {
  if (data$kind == "moments") {
    return(cross_products(data, , columns))
  }
  data$weight <- NULL
  unit <- matrix(0, data$d, length(columns))
  unit[cbind(columns, seq_along(columns))] <- 1
  .Call(C_covop, unclass(data), unit)$product
}
