#' SPCAFS: PCA with an l2,p penalty on the features
#'
#' Ranks features by principal components with a penalty that empties whole rows of the
#' loadings, without labels. A larger `lambda` keeps fewer features. [bsufs()] solves the
#' same problem by other steps and can also thin out single loadings.
#'
#' @section The problem:
#' Ranks features by the row norms of
#' \deqn{\min_{W'W = I_m} \; -\mathrm{tr}(W'SW) + \lambda \sum_j \|w_j\|^p,
#' \quad 0 < p \le 1,}{
#' min over W'W = I_m of -tr(W'SW) + lambda sum_j ||w_j||^p, 0 < p <= 1,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred data
#' and \eqn{w_j} row \eqn{j} of \eqn{W}.
#'
#' @section Algorithm:
#' Reweighting, as published: with
#' \eqn{q_j = \frac{p}{2} (\|w_j\|^2 + \epsilon)^{p/2 - 1}}{q_j = p/2 (||w_j||^2
#' + eps)^(p/2 - 1)} the next W holds the m leading eigenvectors of the
#' symmetric matrix \eqn{S - \lambda \, \mathrm{diag}(q)}{S - lambda diag(q)}. Each
#' iteration decreases the smoothed objective
#' \deqn{F(W) = -\mathrm{tr}(W'SW) + \lambda \sum_{w_j \ne 0} (\|w_j\|^2 +
#' \epsilon)^{p/2}, \quad \epsilon = 10^{-10} m / d.}{
#' F(W) = -tr(W'SW) + lambda sum over nonzero w_j of (||w_j||^2 + eps)^(p/2),
#' eps = 1e-10 m / d.}
#' A row with \eqn{\|w_j\|^2 \le \epsilon}{||w_j||^2 <= eps} whose weight
#' \eqn{\lambda q_j}{lambda q_j} exceeds the leading eigenvalues cannot become nonzero again: it
#' is set to zero, which lowers F, and left out from then on.
#'
#' Reweighting alone removes rows one by one, over hundreds of iterations. Once F changes by less
#' than 0.001 in an iteration, all rows without which F is lower to first order are therefore
#' dropped together if F then falls, otherwise a quarter of them, and so on. On three data sets
#' and two penalties this ended no higher than the published iteration, at the larger penalty far
#' lower and with fewer rows, and never took more iterations (`bench/spcafs.R` of the sources).
#' The problem is not convex, and the result depends on the start, unless only m rows remain: then
#' W is orthogonal on them, and they are replaced by the m features of largest variance, the best
#' such set. The iteration ends as converged when the relative change of F is at most `tol` and
#' `kkt` at most 0.01 (or the square root of `tol`, where that is larger).
#'
#' No d x d matrix is formed where d is large: the eigenvectors are then found
#' by products with S, from the last W, with a diagonal preconditioner (Davidson's
#' method); once few rows remain, from the small matrix on them.
#'
#' The same problem is solved by another algorithm, with a separate copy for
#' the rows, by [bsufs()] with `lambda2 = 0`.
#'
#' @section Scale of the parameters:
#' With `normalize = TRUE`, S is multiplied by \eqn{d / \mathrm{tr}(S)}{d / tr(S)}, so
#' that `lambda` does not depend on the units or the size of the data; with
#' `normalize = FALSE` it has the absolute meaning of the paper. By default
#' `lambda` is such that, if all rows of W had the same norm, each weight
#' \eqn{\lambda q_j}{lambda q_j} would be a tenth of the mean of the m leading
#' eigenvalues. On many data sets five to ten times this value leaves the m features with the
#' largest variances; much smaller values give the row norms of the PCA loadings.
#'
#' @inheritParams bsufs
#' @param lambda Penalty on the rows; larger values keep fewer
#'   features. `NULL` for the data-driven default; see Scale of the parameters.
#' @param p Exponent of the penalty, above 0 and at most 1; the paper uses 0.5.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6
#'   (relative change of F), `maxit` 1000, `inner_tol` 1e-6, `inner_maxit` 50
#'   (residual and limit of the iterative eigen-solver).
#'
#' @return A list of class `c("spcafs", "rowsparse")`:
#'   \item{ranking}{column indices, best first; constant features last}
#'   \item{scores}{row norms of W, those below 1e-8 set to 0; ties and
#'     zeros are ordered by the variance of the features}
#'   \item{selected}{`NULL`: the method has no exact number of features; see
#'     [selected()]}
#'   \item{loadings}{W, d x m}
#'   \item{objective}{F at the start and after each iteration}
#'   \item{penalised}{the objective itself, without smoothing, at the end}
#'   \item{iterations, converged, status}{how the iteration ended}
#'   \item{kkt}{first-order residual: the Riemannian gradient norm of F over
#'     the nonzero rows, relative to the Euclidean one}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     m components \eqn{X_c W}{Xc W} reproduces}
#'   \item{bound, gap}{`NA`: the method has no bound of the optimum}
#'   \item{parameters}{all settings used, with defaults filled in}
#'   \item{n, d, feature_names, center, scale, elapsed, call}{}
#'
#' @section Errors and warnings:
#' Classed errors (`rowsparse_error`) for unusable data and for arguments out of
#' range; warnings (`rowsparse_warning`) for constant features, for an `m` above the rank of the
#' data (the rank is then used), and when the iteration did not converge. [selected()] warns when
#' `k` exceeds the number of nonzero rows.
#' @references
#' Li, Nie, Bian, Wu and Li (2023) Sparse PCA via l2,p-norm regularization for
#' unsupervised feature selection. IEEE Transactions on Pattern Analysis and
#' Machine Intelligence 45, 5322-5328. \doi{10.1109/TPAMI.2021.3121329}
#' @seealso [bsufs()], [fspca()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 40), 60) %*% diag(seq(2, 0.5, length.out = 40))
#' fit <- spcafs(x, m = 3)
#' fit
#' selected(fit, 5)
#' @export
spcafs <- function(x, m = NULL, lambda = NULL, p = 0.5, normalize = TRUE, start = NULL,
                   scale = FALSE, control = rowsparse_control(), include = NULL, exclude = NULL,
                   block = NULL, assay = NULL, groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  normalize <- check_flag(normalize, "normalize")
  lambda <- check_penalty(lambda, "lambda")
  p <- check_number(p, "p", 0, 1, open_lower = TRUE)
  control <- resolve_control(control,
    tol = 1e-6, maxit = 1000L, inner_tol = 1e-6, inner_maxit = 50L
  )
  data <- as_data(x, scale, assay, block, include, exclude, groups = groups)
  m <- asked_dimension(m, start)
  check_fit_size("spcafs", data, m = m, control = control)
  problem <- components_problem(data, m, start)
  parameters <- spcafs_parameters(
    lambda, p, problem$data, problem$m, problem$leading, normalize
  )
  settings <- c(parameters, control[c("tol", "maxit", "inner_tol", "inner_maxit")])
  fit <- .Call(C_spcafs, unclass(problem$operator), problem$start, with_row_groups(settings, data))

  scores <- group_norms(row_norms(fit$W), data)
  scores[scores < 1e-8] <- 0
  scores <- signif(scores, 12) # all are 1 where m rows are left
  new_fit("spcafs", problem$data,
    scores = scores, ties = problem$data$square, loadings = fit$W,
    run = fit, kkt = fit$kkt,
    explained = explained_by_components(fit$W, problem$operator),
    parameters = c(list(m = problem$m), parameters, control),
    call = call, started = started, verbose = control$verbose,
    penalised = fit$penalised, products = fit$products
  )
}

# NULL or a penalty of at least 0
check_penalty <- function(value, argument) {
  if (is.null(value)) NULL else check_number(value, argument, 0)
}

# every parameter in the scale of the operator that the solver sees
spcafs_parameters <- function(lambda, p, data, m, leading, normalize) {
  level <- mean(leading$values) * operator_factor(data, normalize)
  square <- m / data$d # of a row norm, if all were equal
  list(
    lambda = or_default(lambda, 0.1 * level * 2 / p * square^(1 - p / 2)), p = p,
    eps = 1e-10 * square, normalize = normalize
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_spcafs <- function() {
  descriptor(spcafs,
    bytes = principal_bytes,
    family = "sparse PCA", sees = "second moments",
    title = "Principal component analysis with an l2,p penalty",
    cost = "O(n d m) per inner iteration",
    reference = "doi:10.1109/TPAMI.2021.3121329", dimension = "m", sizes = "nested",
    penalty = "lambda", largest_penalty = largest_spcafs_penalty, upwards = TRUE,
    path_tol = 1e-5
  )
}

# fifty times the default, where about m features are left
largest_spcafs_penalty <- function(data, given, y) {
  p <- check_number(or_default(given[["p"]], formals(spcafs)$p), "p", 0, 1, open_lower = TRUE)
  normalize <- is.null(given[["normalize"]]) || check_flag(given[["normalize"]], "normalize")
  leading <- leading_eigenvectors(as_operator(data, given[["m"]]), given[["m"]])
  50 * spcafs_parameters(NULL, p, data, given[["m"]], leading, normalize)$lambda
}
