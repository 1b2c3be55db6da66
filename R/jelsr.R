#' JELSR: features that predict an embedding of the samples learned with them
#'
#' Ranks features by a row-sparse regression of a low-dimensional embedding of the samples on the
#' features. Both are learned together: neighbours stay neighbours, along directions of few
#' features. Without labels, for a few thousand samples at most.
#'
#' @section The problem:
#' Ranks features by the row norms of W in
#' \deqn{\min_{Y'Y = I, W} \; \mathrm{tr}(Y'LY) + \beta \Big(\|X_c W - Y\|_F^2 +
#'   \alpha \sum_j \|w_j\|\Big),}{
#' min over Y'Y = I and W of tr(Y'LY) + beta (||Xc W - Y||_F^2 + alpha sum_j ||w_j||),}
#' joint embedding learning and sparse regression (Hou et al., 2014). Y (n x m) is an
#' embedding of the samples, W (d x m) its regression on the features with few nonzero rows.
#' \eqn{L = (I - R)'(I - R)}, and row i of R holds the weights of sum 1 by which the `neighbours`
#' nearest samples best reconstruct sample i, so that \eqn{\mathrm{tr}(Y'LY)}{ tr(Y'LY)} is the
#' error with which Y keeps these reconstructions (locally linear embedding).
#'
#' A small `beta` in effect learns the embedding first and then its regression; a large one gives
#' an embedding that linear combinations of few features reproduce.
#'
#' @section Algorithm:
#' With \eqn{u_j = 2 \|w_j\|}{u_j = 2 ||w_j||} of the last W and
#' \eqn{\sum_j \|w_j\|^2 / u_j}{sum_j ||w_j||^2 / u_j} in place of the penalty, W can be
#' eliminated, and with \eqn{K = X_c U X_c'}{K = Xc U Xc'}
#' * Y holds the m smallest eigenvectors of \eqn{L + \alpha \beta (K + \alpha I)^{-1}},
#' * \eqn{W = U X_c'(K + \alpha I)^{-1} Y}{W = U Xc'(K + alpha I)^(-1) Y}.
#'
#' Both steps are of order n whatever d, no division by a norm occurs, and the objective never
#' rises. The first W has equal \eqn{u_j}. Rows that should be zero become small and are ordered
#' by \eqn{\|x_j'(Y - X_c W)\|}{||xj'(Y - Xc W)||}. One iteration takes \eqn{O(n^2 d + n^3)}
#' operations, and n x n matrices are kept: the method is for a few thousand samples.
#'
#' The constant vector is also an eigenvector, with eigenvalue `beta` and W = 0. It is
#' uninformative, and Y is kept orthogonal to it.
#'
#' @section Scale of the parameters:
#' `alpha` is in the units of the data: \eqn{\alpha_{\max} = 2 \max_j \|x_j'Y\|}{alpha_max =
#' 2 max_j ||xj'Y||}, with Y of L alone, is the smallest at which W = 0 while Y stays. The
#' default is a tenth of that; `parameters$alpha_max` holds it. `beta` has no unit.
#'
#' @section Differences from public code:
#' One public version (by Liang) takes these steps from \eqn{u_j = 1}, 20 times, and keeps the
#' constant vector, which then takes one column of Y if `alpha` is large. Another takes the
#' leading eigenvectors of a normalised matrix in place of \eqn{L}, and confuses the neighbours of
#' the samples. One toolbox returns the worst features first.
#'
#' @inheritParams lapscore
#' @param m Dimension of the embedding. `NULL`: the elbow of the leading eigenvalues of the
#'   scatter matrix, as in [bsufs()].
#' @param alpha Penalty on the rows of W: larger = fewer features. `NULL` for the default.
#' @param beta Weight of the regression relative to the graph. Small values learn the embedding
#'   first; the default is 1.
#' @param neighbours Number of neighbours of each reconstruction; among samples at the same
#'   distance the first in x are taken.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 (relative
#'   change of the objective), `maxit` 1000. Rows converge to zero slowly: of the first 50 of 1000
#'   features one or two may still change; with `tol` 1e-8 hardly any.
#' @return A list of class `c("jelsr", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{row norms of W, those below 1e-8 of the largest one of the first
#'     regression set to 0; zeros are ordered by \eqn{\|x_j'(Y - X_c W)\|}{||xj'(Y -
#'     Xc W)||}}
#'   \item{loadings}{W, d x m}
#'   \item{embedding}{Y, n x m}
#'   \item{objective}{after the first regression and after each iteration}
#'   \item{terms}{\eqn{\mathrm{tr}(Y'LY)}{tr(Y'LY)}, \eqn{\|X_c W - Y\|_F^2}{||Xc W -
#'     Y||_F^2} and \eqn{\sum_j \|w_j\|}{sum ||w_j||} at the end}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     components \eqn{X_c W}{Xc W} reproduces}
#'   \item{kkt, bound, gap}{`NA`}
#' @section Errors and warnings:
#' As for [lapscore()]; n x n matrices that do not fit into the memory. A warning of
#' class `rowsparse_warning_zero` when `alpha` leaves no row.
#' @references
#' Hou, Nie, Li, Yi and Wu (2014) Joint embedding learning and sparse regression: a framework
#' for unsupervised feature selection. IEEE Transactions on Cybernetics 44, 793-804.
#' @seealso [mcfs()], [ndfs()]
#' @examples
#' fit <- jelsr(iris[, 1:4], m = 2)
#' fit
#' fit$terms
#' @export
jelsr <- function(x, m = NULL, alpha = NULL, beta = 1, neighbours = 5, scale = FALSE,
                  control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                  assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (!is.null(alpha)) alpha <- check_number(alpha, "alpha", 0, open_lower = TRUE)
  beta <- check_number(beta, "beta", 0, open_lower = TRUE)
  control <- resolve_control(control, tol = 1e-6, maxit = 1000L)
  data <- sample_data("jelsr", x, scale, assay, block, include, exclude)
  neighbours <- min(check_count(neighbours, "neighbours"), data$n - 1L)
  check_fit_size("jelsr", data, m = m, neighbours = neighbours, control = control)
  m <- resolve_dimension(m, with_spectrum(data, m), corner_dimension)

  inside <- in_binary_units(data)
  L <- reconstruction_laplacian(inside, neighbours)
  reach <- .Call(C_jelsr_reach, unclass(inside), L, m)
  level <- if (is.null(alpha)) 0.1 * reach else alpha / inside$unit
  out <- .Call(C_jelsr, unclass(inside), L, list(
    m = m, alpha = level, beta = beta, u = 2 * m / (level * data$d), tol = control$tol,
    maxit = control$maxit
  ))
  parameters <- list(
    m = m, alpha = level * inside$unit, alpha_max = reach * inside$unit, beta = beta,
    neighbours = neighbours
  )
  new_jelsr(data, inside, out, c(parameters, control), call, started)
}

descriptor_jelsr <- function() {
  descriptor(jelsr,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + 56 * s$n^2,
    most_samples = 5000,
    title = "Row-sparse regression on an embedding that is learned with it",
    family = "graph", sees = c("neighbours", "second moments"),
    reference = "Hou et al. (2014), IEEE Trans. Cybern. 44, 793-804",
    cost = "O(n^2 d + n^3) per iteration",
    input = c("dense", "sparse", "blocks"), dimension = "m", sizes = "nested"
  )
}

new_jelsr <- function(data, inside, out, parameters, call, started) {
  norms <- row_norms(out$W)
  norms[norms < 1e-8 * out$level] <- 0
  new_fit("jelsr", data,
    scores = norms / inside$unit, ties = out$pull, loadings = out$W / inside$unit,
    run = out, explained = explained_by_components(out$W, inside),
    parameters = parameters, embedding = out$Y,
    terms = stats::setNames(
      out$terms / c(1, 1, inside$unit), c("laplacian", "regression", "rows")
    ),
    call = call, started = started, verbose = parameters$verbose,
    undecided = if (all(norms == 0)) paste(
      "W is zero, as `alpha` is too large; features are ordered by the penalty at which they",
      "would enter alone"
    )
  )
}
