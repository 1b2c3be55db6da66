# Moments with a thin factor F in place of S = Xc'Xc: S ~ F'F, with at most `rank` rows. A sum grows
# by pieces of rows: those of F and of the piece are stacked, A = [F; Z], the leading eigenvectors U
# of AA' are kept, and F <- U'A. What is left out is A'(I - UU')A, positive semidefinite, of norm
# equal to the first eigenvalue left out; these numbers add up to the `lost` part of the bound.
# While a sum grows, it keeps half as many rows again. Rows of F are columns of `thin` (d x t).

is_sketch <- function(x) is.list(x) && !is.null(x[["factor"]])

# Rows of data that are stacked under the factor at a time: products of dense rows with each other
# take as long as those with the factor then; those of sparse rows take next to nothing
sketch_height <- function(rank, sparse = FALSE) {
  if (sparse) 512 else max(128, min(2 * rank, 1024))
}

# the rows of a piece, or those of another sketch; the gaps between the means are further rows
add_to_sketch <- function(total, piece, merged, rank) {
  gaps <- if (!is.null(merged$gaps)) t(unname(merged$gaps))
  thin <- cbind(total$thin, piece$thin, gaps)
  if (is.null(thin)) thin <- matrix(0, length(piece$summary$mean), 0L)
  stack_rows(list(
    summary = merged$sum, thin = thin, values = total$values,
    lost = sum(total$lost, piece$lost), rounding = sum(total$rounding, piece$rounding)
  ), ceiling(1.5 * rank), piece$raw)
}

# The rows of F, and those of `data` under them, if there are some, cut to `keep`. AA' is put
# together from the products of both; FF' of rows that were cut before is diag(`values`).
stack_rows <- function(total, keep, data = NULL) {
  thin <- total$thin
  t <- ncol(thin)
  if (is.null(data) && t <= keep) {
    return(total)
  }
  K <- thin_products(thin, total$values)
  if (!is.null(data)) {
    mixed <- if (t > 0L) .Call(C_times, data, thin) else matrix(0, data$n, 0L)
    K <- rbind(cbind(K, t(mixed)), cbind(mixed, .Call(C_gram_samples, data, NULL)))
  }
  leading <- leading_rows(K, keep, nrow(thin))
  U <- leading$vectors
  total$thin <- thin %*% U[seq_len(t), , drop = FALSE]
  if (!is.null(data)) {
    below <- U[t + seq_len(data$n), , drop = FALSE]
    total$thin <- total$thin + .Call(C_cross, data, below, ncol(U))
  }
  total$values <- leading$values
  total$lost <- total$lost + leading$lost
  total$rounding <- total$rounding + leading$rounding
  total
}

# FF' of rows of which the first are orthogonal, of squares `values`
thin_products <- function(thin, values) {
  known <- seq_along(values)
  if (length(known) == 0L) {
    return(crossprod(thin))
  }
  mixed <- crossprod(thin, thin[, -known, drop = FALSE])
  cbind(rbind(diag(values, length(known)), t(mixed[known, , drop = FALSE])), mixed)
}

# The leading eigenvectors of AA' (p x p) and their values, the first one left out, and a bound of
# what rounding adds to the norm of S - F'F: twice the constants (d + p) eps of products of that
# length, as the rows of the next F are orthogonal only so far
leading_rows <- function(K, keep, d) {
  refuse_if(!all(is.finite(K)), "scale", "x",
    "must have features whose squares double precision can hold (about 1e-150 to 1e150)")
  p <- nrow(K)
  decomposition <- eigen(K, symmetric = TRUE)
  values <- decomposition$values
  keep <- max(1L, min(keep, sum(values > p * .Machine$double.eps * values[1])))
  list(
    vectors = decomposition$vectors[, seq_len(keep), drop = FALSE],
    values = values[seq_len(keep)],
    lost = if (keep < p) max(0, values[keep + 1L]) else 0,
    rounding = 2 * (d + 4 * p + 2 * p * sqrt(keep)) * .Machine$double.eps * sum(diag(K))
  )
}

# `rank` rows, and the bound of ||S - F'F||_2: what was left out, by steps, or the trace of all
sketch_moments <- function(total, rank) {
  total <- stack_rows(total, rank)
  summary <- total$summary
  factor <- t(total$thin)
  trace <- sum(summary$square)
  rest <- max(0, trace - sum(factor^2)) + (summary$n + length(factor)) * .Machine$double.eps * trace
  colnames(factor) <- summary$feature_names
  new_moments(summary, list(
    factor = factor, square = unname(summary$square), rank = rank,
    error = min(total$lost, rest) * (1 + 1e-12) + total$rounding
  ))
}

# ---- as data ----------------------------------------------------------------------------

# S[rows, columns] of moments, weights left out
cross_products <- function(data, rows, columns) {
  if (!is_sketch(data)) {
    return(data$S[rows, columns, drop = FALSE])
  }
  crossprod(data$factor[, rows, drop = FALSE], data$factor[, columns, drop = FALSE])
}

# For methods that work on rows: those of F and of -F, over the root of 2, so that their
# means are zero; all other data as they are
sketch_rows_data <- function(data) {
  if (!is_sketch(data)) {
    return(data)
  }
  rows <- data
  rows$kind <- "dense"
  rows$x <- rbind(data$factor, -data$factor) * sqrt(0.5)
  rows$n <- nrow(rows$x)
  rows$mean <- numeric(data$d)
  rows$square <- colSums(rows$x^2)
  if (!is.null(data$weight)) rows$square <- rows$square * data$weight^2
  rows$factor <- rows$block <- rows$fine <- NULL
  rows$kept <- .Call(C_keeper)
  rows
}
