#' Convex sparse PCA without the cone: CSPCA and AW-SPCA
#'
#' Rank features by how well few of them reconstruct all others, with norms that are not squared,
#' so that outlying samples count less. Without labels. `cspca()` also penalises the rank of the
#' reconstruction; `aw_spca()` also estimates the centre. [spca_psd()] solves similar problems on
#' symmetric matrices, with a certificate.
#'
#' @section The problem:
#' `cspca()` ranks features by the row norms of the d x d matrix W that minimises
#' \deqn{\sum_i \|r_i\| + \lambda \sum_j \|w^j\| + \eta \|W\|_*, \qquad
#'   R = X_c - X_c W,}{sum_i ||r_i|| + lambda sum_j ||w^j|| + eta ||W||_*,
#'   R = Xc - Xc W,}
#' over all matrices, with \eqn{r_i} the residual of sample i, \eqn{w^j} row j of W
#' and \eqn{\|W\|_*}{||W||_*} the sum of the singular values (Chang et al., 2016). With
#' `eta = 0` this is regularised self-representation, RSR (Zhu et al., 2015).
#' `aw_spca()` has no nuclear norm and also estimates the centre (Yi et al., 2020):
#' \deqn{\min_{W, v} \; \sum_i \|x_i - x_i W - v\| + \lambda \sum_j \|w^j\|.}{
#'   min over W, v of sum_i ||xi - xi W - v|| + lambda sum_j ||w^j||.}
#' Norms that are not squared make both robust against outlying
#' samples. They are `spca_psd(loss = "l21", psd = FALSE)` with `center = "mean"` and, for
#' `aw_spca()`, `"adaptive"`. They differ from the problems on the cone of positive semidefinite
#' matrices, as the best W is not symmetric.
#'
#' Both problems are convex. They are solved by iteratively reweighted least squares,
#' \deqn{W \leftarrow (X' T X + \lambda Q + \eta N)^{-1} X' T X,}{
#'   W <- (X'TX + lambda Q + eta N)^{-1} X'TX,}
#' with \eqn{T = \mathrm{diag}(1/(2\|r_i\|))}{T = diag(1/(2||r_i||))},
#' \eqn{Q = \mathrm{diag}(1/(2\|w^j\|))}{Q = diag(1/(2||w^j||))} and
#' \eqn{N = \frac12 (WW')^{-1/2}}{N = (WW')^{-1/2} / 2}; the centre of `aw_spca()` is
#' the mean of the samples weighted by T. Small smoothing constants under the roots, in the units
#' of the data (see [spca_psd()]), keep the weights finite; they are reduced once the iteration
#' has converged with larger ones. Each step minimises a quadratic upper bound of the smoothed
#' objective, which therefore never rises; for n >= d the steps are extrapolated while this lowers
#' it. The reported objective is not smoothed and may rise between iterations. No norm is exactly
#' zero.
#'
#' Where d > n, W is found in the row space of the data, with \eqn{O(n^2 d)}{O(n^2 d)} a step
#' and four d x n matrices in memory; no d x d matrix is formed. Otherwise a step costs
#' \eqn{O(n d^2 + d^3)}{O(n d^2 + d^3)}.
#'
#' @param x Data as for [bsufs()], but no moments.
#' @param lambda,eta Penalties on the row norms and on the nuclear norm, in the units of
#'   the data. `NULL`: `eta` is 5 % of half the sum of the norms of the centred samples and
#'   `lambda` 5 % of `eta`; for `aw_spca()`, and with `eta = 0`, `lambda` is 1 % of that half sum;
#'   less if W might then be zero (see [spca_psd()]). Raise `lambda` for fewer features, `eta` for
#'   a smaller rank. The papers search 1e-4, 1e-3, ..., 1e4.
#' @param start A d-vector of row norms, a d x d matrix or a fit, whose row norms give the
#'   first weights; `NULL`: unit weights.
#' @inheritParams spca_psd
#' @inheritParams bsufs
#' @param control Settings from [rowsparse_control()]: `tol` 1e-5 (relative change of the
#'   objective), `maxit` 500. With a thousandth of this `tol` up to two of the first 50 of 1000
#'   features change for `cspca()` and up to eight for `aw_spca()`, after far more iterations.
#' @return A list of class `c("cspca", "spca_psd", "rowsparse")` or `c("aw_spca", "spca_psd",
#'   "rowsparse")` with the elements of [spca_psd()]. `scores` are the row norms of
#'   \eqn{W = FG'}, `factor` holds F and `right` G. `tcrossprod(fit$factor, fit$right)` is W itself.
#'   `bound` and
#'   `gap` are `NA`; `kkt` is the relative norm of the gradient of the smoothed problem.
#' @section Errors and warnings:
#' As for [spca_psd()].
#' @references
#' Chang, Nie, Yang, Zhang and Huang (2016) Convex sparse PCA for unsupervised
#' feature learning. ACM Transactions on Knowledge Discovery from Data 11.
#' \doi{10.1145/2910585}
#'
#' Yi, He, Jing, Li, Cheung and Nie (2020) Adaptive weighted sparse principal
#' component analysis for robust unsupervised feature selection. IEEE
#' Transactions on Neural Networks and Learning Systems 31, 2153-2163.
#' \doi{10.1109/TNNLS.2019.2928755}
#'
#' Zhu, Zuo, Zhang, Hu and Shiu (2015) Unsupervised feature selection by regularized
#' self-representation. Pattern Recognition 48, 438-446.
#' @seealso [spca_psd()]
#' @aliases RSR
#' @concept RSR
#' @concept regularized self-representation
#' @examples
#' fit <- cspca(iris[, 1:4])
#' fit
#' # RSR, regularised self-representation
#' cspca(iris[, 1:4], eta = 0)$ranking
#' aw_spca(iris[, 1:4])$scores
#' @export
cspca <- function(x, lambda = NULL, eta = NULL, start = NULL, scale = FALSE,
                  control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                  assay = NULL, groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  data <- sample_data("cspca", x, scale, assay, block, include, exclude, groups)
  fit_spca(data, lambda, eta, plain_model("cspca"), start, control, call, started)
}

#' @rdname cspca
#' @export
aw_spca <- function(x, lambda = NULL, scale = FALSE, control = rowsparse_control(), include = NULL,
                    exclude = NULL, block = NULL, assay = NULL, groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  data <- sample_data("aw_spca", x, scale, assay, block, include, exclude, groups)
  fit_spca(data, lambda, 0, plain_model("aw_spca"), NULL, control, call, started)
}

# the model without the cone that a method is
plain_model <- function(name) {
  check_spca_model("l21", if (name == "cspca") "mean" else "adaptive", FALSE, "paper", name)
}

descriptor_cspca <- function() {
  descriptor(cspca,
    bytes = self_representation_bytes,
    title = "Convex sparse PCA without the cone", reference = "doi:10.1145/2910585",
    family = "self-representation", sees = "second moments",
    cost = "O(n^2 d) or O(n d^2 + d^3) per iteration", input = c("dense", "sparse", "blocks"),
    sizes = "nested", penalty = "lambda",
    largest_penalty = function(data, given, y) {
      largest_model_penalty(data, given[["eta"]], plain_model("cspca"))
    },
    path_tol = 1e-5, lowered = c("lambda", "eta"),
    also = c("RSR" = "eta = 0", "regularised self-representation" = "eta = 0")
  )
}

descriptor_aw_spca <- function() {
  descriptor(aw_spca,
    bytes = self_representation_bytes,
    title = "Adaptive weighted sparse PCA", reference = "doi:10.1109/TNNLS.2019.2928755",
    family = "self-representation", sees = "second moments",
    cost = "O(n^2 d) or O(n d^2 + d^3) per iteration", input = c("dense", "sparse", "blocks"),
    sizes = "nested", penalty = "lambda",
    largest_penalty = function(data, given, y) {
      largest_model_penalty(data, 0, plain_model("aw_spca"))
    },
    path_tol = 1e-5
  )
}
