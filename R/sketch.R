# Moments with a thin factor F in place of S = Xc'Xc: S ~ F'F, with at most `rank` rows.
# A sum grows by pieces of rows: those of F and of the piece are stacked, A = [F; Z], the
# leading eigenvectors U of AA' are kept, and F <- U'A. What is left out is
# A'(I - UU')A, positive semidefinite, of norm equal to the first eigenvalue left out;
# these numbers add up to the `lost` part of the bound. While a sum grows, it keeps
# 2 `rank` rows. Rows of F are kept as columns, `thin` (d x t).

check_rank <- function(rank) {
  if (!is.null(rank)) check_count(rank, "rank")
}

# more than a row per feature is never needed
useful_rank <- function(rank, d) if (!is.null(rank)) min(rank, d)

is_sketch <- function(x) is.list(x) && !is.null(x[["factor"]])

# rows of data that are stacked under the factor at a time
sketch_height <- function(rank) max(128, min(2 * rank, 1024))

# a piece of rows, some at a time; the gap between the means is one more row
add_to_sketch <- function(sum, piece, rank) {
  raw <- piece$raw
  if (is.null(sum)) {
    sum <- list(thin = matrix(0, raw$d, 0L), lost = 0, rounding = 0)
    merged <- list(sum = piece$summary)
  } else {
    merged <- merge_pieces(sum$summary, piece$summary)
    sum$thin <- cbind(sum$thin, t(unname(merged$gaps)))
  }
  sum$summary <- merged$sum
  step <- sketch_height(rank)
  for (first in seq(1, raw$n, by = step)) {
    rows <- seq.int(first, min(first + step - 1, raw$n))
    sum <- stack_rows(sum, rows_of_piece(raw, rows), 2 * rank)
  }
  sum
}

# some rows of the data, to be centred by the means of the whole piece
rows_of_piece <- function(raw, rows) {
  part <- raw
  if (length(rows) < raw$n) {
    part$n <- length(rows)
    if (raw$kind == "dense") {
      part$x <- raw$x[rows, , drop = FALSE]
    } else {
      kept <- sparse_samples(raw)[rows, , drop = FALSE]
      part[c("i", "p", "x")] <- list(kept@i, kept@p, kept@x)
    }
    if (!is.null(raw$block)) part$block$code <- raw$block$code[rows]
  }
  if (part$kind == "dense") part$kept <- .Call(C_keeper)
  part
}

# AA' of the rows of F and Z
stacked_products <- function(thin, data) {
  own <- .Call(C_gram_samples, data, NULL)
  if (ncol(thin) == 0L) {
    return(own)
  }
  mixed <- .Call(C_times, data, thin)
  rbind(cbind(crossprod(thin), t(mixed)), cbind(mixed, own))
}

stack_rows <- function(sum, data, keep) {
  thin <- sum$thin
  t <- ncol(thin)
  leading <- leading_rows(stacked_products(thin, data), keep, data$d)
  U <- leading$vectors
  fresh <- .Call(C_cross, data, U[t + seq_len(data$n), , drop = FALSE], ncol(U))
  sum_of_rows(sum, fresh + thin %*% U[seq_len(t), , drop = FALSE], leading)
}

# the same if only rows of F are left out
cut_rows <- function(sum, keep) {
  if (ncol(sum$thin) <= keep) {
    return(sum)
  }
  leading <- leading_rows(crossprod(sum$thin), keep, nrow(sum$thin))
  sum_of_rows(sum, sum$thin %*% leading$vectors, leading)
}

sum_of_rows <- function(sum, thin, leading) {
  sum$thin <- thin
  sum$lost <- sum$lost + leading$lost
  sum$rounding <- sum$rounding + leading$rounding
  sum
}

# The leading eigenvectors of AA' (p x p), the first eigenvalue left out, and a bound of
# what rounding adds to the norm of S - F'F, with the usual constants (d + p) eps of
# products of that length in the worst case
leading_rows <- function(K, keep, d) {
  if (!all(is.finite(K))) {
    stop_rowsparse("scale", "x",
      "must have features whose squares double precision can hold (about 1e-150 to 1e150)"
    )
  }
  p <- nrow(K)
  decomposition <- eigen(K, symmetric = TRUE)
  values <- decomposition$values
  keep <- max(1L, min(keep, sum(values > p * .Machine$double.eps * values[1])))
  list(
    vectors = decomposition$vectors[, seq_len(keep), drop = FALSE],
    lost = if (keep < p) max(0, values[keep + 1L]) else 0,
    rounding = (d + 4 * p + 2 * p * sqrt(keep)) * .Machine$double.eps * sum(diag(K))
  )
}

# ---- sums of sketches -------------------------------------------------------------------

add_sketches <- function(a, b, keep) {
  merged <- merge_pieces(a$summary, b$summary)
  cut_rows(list(
    summary = merged$sum, thin = cbind(a$thin, b$thin, t(unname(merged$gaps))),
    lost = a$lost + b$lost, rounding = a$rounding + b$rounding
  ), keep)
}

# what is returned: `rank` rows, and the bound
sketch_moments <- function(sum, rank) {
  sum <- cut_rows(sum, rank)
  factor <- t(sum$thin)
  colnames(factor) <- sum$summary$feature_names
  new_moments(sum$summary, list(
    factor = factor, square = unname(sum$summary$square), rank = rank,
    error = sketch_error(sum, factor)
  ))
}

# ||S - F'F||_2: what was left out, step by step, or the trace of all of it
sketch_error <- function(sum, factor) {
  trace <- sum(sum$summary$square)
  entries <- length(factor)
  rest <- max(0, trace - sum(factor^2)) + (sum$summary$n + entries) * .Machine$double.eps * trace
  min(sum$lost, rest) * (1 + 1e-12) + sum$rounding
}

# e1 + e2
merge_sketches <- function(e1, e2) {
  rank <- max(e1$rank, e2$rank)
  of_sum <- function(x) {
    x$largest <- rep(0, length(x$mean)) # is not kept
    list(summary = x, thin = t(unname(x$factor)), lost = x$error, rounding = 0)
  }
  out <- sketch_moments(add_sketches(of_sum(e1), of_sum(e2), rank), rank)
  check_moments(out, "e1 + e2")
  out
}

# ---- as data ----------------------------------------------------------------------------

check_sketch <- function(x, argument) {
  d <- length(x$mean)
  factor <- x$factor
  sound <- is_finite_matrix(factor, NROW(factor), d) && nrow(factor) >= 1L &&
    is_finite_sized(x$square, d) && all(x$square >= 0) && is_number(x$error) && x$error >= 0 &&
    is_number(x$rank) && x$rank >= nrow(factor)
  if (!sound || any(colSums(factor^2) > x$square * (1 + 1e-6) + 1e-9 * max(x$square))) {
    stop_moments(argument, "a factor that does not go with the rest")
  }
}

# kind "moments" with `factor` in place of S: variances are exact, products are those of F
sketch_input <- function(x, argument) {
  list(
    kind = "moments", n = x$n, d = ncol(x$factor), factor = unname(x$factor), error = x$error,
    mean = as.double(unname(x$mean)), fine = x$fine, square = unname(x$square),
    names = x$feature_names, block = moments_block(x, argument)
  )
}

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

# the bound beside the trace and beside an eigenvalue, in words
sketch_line <- function(x) {
  sprintf("A sketch of rank %d; the norm of what it leaves out is at most %.2g of the trace of S",
    x$rank, if (sum(x$square) > 0) x$error / sum(x$square) else 0
  )
}

eigenvalue_line <- function(spectrum) {
  if (!is.null(spectrum)) {
    sprintf("and at most %.2g of the eigenvalue %d, the last that the methods take by default",
      spectrum$error, spectrum$m
    )
  }
}
