#' Means and cross-products, mergeable over blocks of rows
#'
#' Collects the sample size, the column means and the centred cross-products
#' \eqn{S = \sum_i (x_i - \bar x)(x_i - \bar x)'}{S = Xc'Xc} of a block of
#' samples. Moments of two blocks add up with `+` to the moments of both, by
#' the pairwise update of Chan, Golub and LeVeque, which is exact up to
#' rounding. Every method that needs only second moments takes the result in
#' place of `x`, so data may come in blocks, from any engine that can map over
#' blocks and reduce.
#'
#' @param x Numeric matrix, data frame or sparse matrix, samples in rows.
#' @param y Optional response: a factor or vector of class labels, or a numeric
#'   vector or matrix. All blocks must have the same classes; use a factor
#'   with all levels.
#' @param e1,e2 Moments of two blocks with the same features (and responses).
#' @return An object of class `rowsparse_moments`: a list with `n`, `mean`,
#'   `S` (d x d), `feature_names`, and with `y` also `y_mean`, `Sxy` (d x c),
#'   `Syy` (c x c), `levels` and `response_names`. It needs \eqn{8 d^2} bytes.
#' @references Chan, Golub and LeVeque (1983) Algorithms for computing the
#'   sample variance. The American Statistician 37, 242-247.
#'   \doi{10.1080/00031305.1983.10483115}
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' both <- moments(x[1:60, ]) + moments(x[61:150, ])
#' all.equal(both$S, moments(x)$S)
#' @export
moments <- function(x, y = NULL) {
  check_block(x)
  raw <- read_input(x, NULL, "x")
  check_names(raw$names, "x")
  check_memory(8 * raw$d^2, "x", "select features first, or pass the data themselves")
  stats <- .Call(C_column_stats, raw$x, raw$p, raw$n)
  check_finite(stats, raw, "x")
  raw$mean <- stats$mean
  out <- list(
    n = raw$n, mean = stats::setNames(stats$mean, raw$names),
    S = .Call(C_gram, raw), feature_names = raw$names
  )
  dimnames(out$S) <- if (!is.null(raw$names)) list(raw$names, raw$names)
  if (!is.null(y)) out <- c(out, response_moments(raw, y))
  structure(out, class = "rowsparse_moments")
}

check_block <- function(x) {
  if (inherits(x, "rowsparse_moments")) {
    stop_rowsparse("type", "x", "must be data, not moments", "moments")
  }
}

# a block may lack a class, so levels are kept as they are
response_moments <- function(raw, y) {
  if (!is.factor(y) && (is.character(y) || is.logical(y) || (is.integer(y) && is.null(dim(y))))) {
    y <- factor(y)
  }
  if (is.factor(y)) {
    check_response_length(length(y), raw$n, "y")
    if (anyNA(y)) stop_rowsparse("nonfinite", "y", "must not hold NA", sum(is.na(y)))
    Y <- outer(as.integer(y), seq_len(nlevels(y)), "==") + 0
    colnames(Y) <- levels(y)
    type <- "class"
  } else {
    Y <- numeric_response(y, raw$n, "y")$Y
    type <- "numeric"
  }
  y_mean <- colMeans(Y)
  Yc <- sweep(Y, 2, y_mean)
  list(
    y_mean = y_mean, Sxy = cross_with_response(raw, Yc), Syy = crossprod(Yc),
    y_type = type, levels = if (type == "class") levels(y), response_names = colnames(Y)
  )
}

# Xc'Yc without a centred copy: the columns of Yc sum to zero
cross_with_response <- function(raw, Yc) {
  out <- crossprod_samples(raw, Yc)
  dimnames(out) <- list(raw$names, colnames(Yc))
  out
}

#' @rdname moments
#' @export
`+.rowsparse_moments` <- function(e1, e2) {
  check_mergeable(e1, e2)
  n <- e1$n + e2$n
  weight <- as.double(e1$n) * e2$n / n
  gap <- e2$mean - e1$mean
  out <- e1
  out$n <- n
  out$mean <- e1$mean + gap * (e2$n / n)
  out$S <- e1$S + e2$S + weight * tcrossprod(gap)
  if (!is.null(e1$Sxy)) {
    y_gap <- e2$y_mean - e1$y_mean
    out$y_mean <- e1$y_mean + y_gap * (e2$n / n)
    out$Sxy <- e1$Sxy + e2$Sxy + weight * tcrossprod(gap, y_gap)
    out$Syy <- e1$Syy + e2$Syy + weight * tcrossprod(y_gap)
  }
  out
}

check_mergeable <- function(e1, e2) {
  both <- inherits(e1, "rowsparse_moments") && inherits(e2, "rowsparse_moments")
  same <- both && length(e1$mean) == length(e2$mean) &&
    identical(e1$feature_names, e2$feature_names) &&
    identical(e1$response_names, e2$response_names) &&
    length(e1$y_mean) == length(e2$y_mean)
  if (!same) {
    stop_rowsparse("type", "e2", "must be moments of the same features and responses as `e1`",
      describe(e2)
    )
  }
}

#' @export
print.rowsparse_moments <- function(x, ...) {
  cat(sprintf("Moments of %d samples, %d features%s\n", x$n, length(x$mean),
    if (is.null(x$y_mean)) "" else sprintf(", %d responses", length(x$y_mean))
  ))
  invisible(x)
}
