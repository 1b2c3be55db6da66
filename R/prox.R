#' Proximal operators of the l_q and l_{2,p} penalties
#'
#' `prox_lq()` solves, for every entry of `a`,
#' \deqn{\min_x \; \lambda |x|^q + \tfrac12 (x - a)^2,}{min_x lambda |x|^q + (x - a)^2 / 2,}
#' and `prox_l2p()`, for every row of `A`,
#' \deqn{\min_x \; \lambda \|x\|^p + \tfrac12 \|x - a\|^2,}{min_x lambda ||x||^p + ||x - a||^2 / 2,}
#' for every exponent in \[0, 1\]; at 0 the penalty counts nonzeros.
#'
#' Values up to the threshold
#' \deqn{\kappa = \frac{2-q}{2(1-q)} \bigl(2 \lambda (1-q)\bigr)^{1/(2-q)}}{
#' kappa = (2-q) / (2 (1-q)) * (2 lambda (1-q))^(1/(2-q))}
#' are mapped to 0, larger ones to the larger root of
#' \eqn{x - a + \lambda q x^{q-1} = 0}: in closed form for q in
#' \{0, 1/2, 2/3, 1\}, by Newton's method, which converges monotonically from
#' \eqn{x = a}, otherwise. At the threshold itself both 0 and the root are
#' minimisers; 0 is returned.
#'
#' @param a Numeric vector or matrix.
#' @param A Numeric matrix; rows are the groups.
#' @param lambda Nonnegative weight of the penalty.
#' @param q,p Exponent from 0 to 1.
#' @return An object of the shape of `a` or `A`.
#' @references
#' Cao, Sun and Xu (2013) Fast image deconvolution using closed-form
#' thresholding formulas of l_q (q = 1/2, 2/3) regularization. Journal of
#' Visual Communication and Image Representation 24, 31-41.
#' \doi{10.1016/j.jvcir.2012.10.006}
#' @examples
#' a <- seq(-2, 2, by = 0.5)
#' cbind(a, hard = prox_lq(a, 0.5, 0), half = prox_lq(a, 0.5, 0.5), soft = prox_lq(a, 0.5, 1))
#' prox_l2p(rbind(c(3, 4), c(0.3, 0.4)), lambda = 1, p = 0)
#' @export
prox_lq <- function(a, lambda, q) {
  a <- check_finite_numbers(a, "a")
  lambda <- check_number(lambda, "lambda", 0)
  q <- check_number(q, "q", 0, 1)
  .Call(C_prox_lq, a, lambda, q)
}

#' @rdname prox_lq
#' @export
prox_l2p <- function(A, lambda, p) {
  if (!is.matrix(A)) stop_rowsparse("type", "A", "must be a numeric matrix", describe(A))
  A <- check_finite_numbers(A, "A")
  lambda <- check_number(lambda, "lambda", 0)
  p <- check_number(p, "p", 0, 1)
  .Call(C_prox_l2p, A, lambda, p)
}

check_finite_numbers <- function(value, argument) {
  if (!is.numeric(value)) stop_rowsparse("type", argument, "must be numeric", describe(value))
  if (!all(is.finite(value))) {
    stop_rowsparse("nonfinite", argument, "must not hold NA, NaN or infinite values",
      paste(sum(!is.finite(value)), "of them")
    )
  }
  storage.mode(value) <- "double"
  value
}
