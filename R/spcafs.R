#' SPCAFS: PCA with an l2,p penalty on the features
#'
#' Ranks features by principal components with a penalty that empties whole rows of the
#' loadings, without labels. A larger `lambda` keeps fewer features. [bsufs()] solves the
#' same problem by other steps and can also thin out single loadings.
#'
#' @section The problem:
#' \deqn{\min_{W'W = I_m} \; -\mathrm{tr}(W'SW) + \lambda \sum_j \|w_j\|^p,
#' \quad 0 < p \le 1,}{
#' min over W'W = I_m of -tr(W'SW) + lambda sum_j ||w_j||^p, 0 < p <= 1,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred data
#' and \eqn{w_j} row \eqn{j} of \eqn{W}.
#'
#' By reweighting, as published: with \eqn{q_j = \frac{p}{2} (\|w_j\|^2 + \epsilon)^{p/2 - 1}}{q_j =
#' p/2 (||w_j||^2 + eps)^(p/2 - 1)} the next W holds the m leading eigenvectors of \eqn{S - \lambda
#' \, \mathrm{diag}(q)}{S - lambda diag(q)}. Each iteration decreases
#' \deqn{F(W) = -\mathrm{tr}(W'SW) + \lambda \sum_{w_j \ne 0} (\|w_j\|^2 +
#' \epsilon)^{p/2}, \quad \epsilon = 10^{-10} m / d.}{
#' F(W) = -tr(W'SW) + lambda sum over nonzero w_j of (||w_j||^2 + eps)^(p/2),
#' eps = 1e-10 m / d.}
#'
#' Beyond the paper, rows without which F falls are left out: fewer iterations, and an end no higher
#' than that of reweighting alone. The result depends on the start, unless only m rows remain: then
#' these are the m features of largest variance, the best such set.
#'
#' By default `lambda` is such that, if all rows of W had the same norm, each weight \eqn{\lambda
#' q_j}{lambda q_j} would be a tenth of the mean of the m leading eigenvalues. Often five to ten
#' times this value leaves the m features with the largest variances; much smaller values give the
#' row norms of the PCA loadings.
#'
#' @inheritParams bsufs
#' @param lambda Penalty on the rows; larger values keep fewer features. `NULL`: see above.
#' @param p Exponent of the penalty, above 0 and at most 1; the paper uses 0.5.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 (relative change of F;
#'   `kkt` must be at most 0.01 or its square root too), `maxit` 1000, `inner_tol` 1e-6,
#'   `inner_maxit` 50 (residual and limit of the iterative eigen-solver).
#'
#' @return A list of class `c("spcafs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{row norms of W, those below 1e-8 set to 0; ties and
#'     zeros are ordered by the variance of the features}
#'   \item{loadings}{W, d x m}
#'   \item{penalised}{the objective itself, without smoothing, at the end}
#'   \item{kkt}{first-order residual: the Riemannian gradient norm of F over
#'     the nonzero rows, relative to the Euclidean one}
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
  run_method("spcafs")
}

solve_spcafs <- function(data, args, control) {
  problem <- components_problem(data, args$m, args$start)
  parameters <- spcafs_parameters(args$lambda, args$p, problem, args$normalize)
  settings <- c(parameters, control[c("tol", "maxit", "inner_tol", "inner_maxit")])
  fit <- .Call(C_spcafs, unclass(problem$operator), problem$start, with_row_groups(settings, data))
  scores <- group_norms(row_norms(fit$W), data)
  scores[scores < 1e-8] <- 0
  list(
    scores = signif(scores, 12), # all are 1 where m rows are left
    ties = data$square, loadings = fit$W, run = fit, kkt = fit$kkt,
    explained = explained_by_components(fit$W, problem$operator),
    parameters = c(list(m = problem$m), parameters),
    penalised = fit$penalised, products = fit$products
  )
}

check_penalty <- optional(number(0))

spcafs_parameters <- function(lambda, p, problem, normalize) {
  level <- component_level(problem$data, problem$leading, normalize)
  square <- problem$m / problem$data$d # of a row norm, if all were equal
  list(
    lambda = or_default(lambda, 0.1 * level * 2 / p * square^(1 - p / 2)), p = p,
    eps = 1e-10 * square, normalize = normalize
  )
}

descriptor_spcafs <- function() {
  descriptor(spcafs, rules = list(lambda = check_penalty, p = positive_to(1)),
    control = list(tol = 1e-6, maxit = 1000L, inner_tol = 1e-6, inner_maxit = 50L),
    check = check_components, solve = solve_spcafs, bytes = principal_bytes, family = "sparse PCA",
    sees = "second moments", title = "Principal component analysis with an l2,p penalty",
    cost = "O(n d m) per inner iteration", reference = "doi:10.1109/TPAMI.2021.3121329",
    dimension = "m", moments = TRUE, penalty = "lambda", largest_penalty = largest_spcafs_penalty,
    upwards = TRUE, path_tol = 1e-5
  )
}

# fifty times the default, where about m features are left
largest_spcafs_penalty <- function(data, args, y) {
  args <- complete_arguments("spcafs", args)
  leading <- leading_eigenvectors(as_operator(data, args[["m"]]), args[["m"]])
  problem <- list(data = data, m = args[["m"]], leading = leading)
  50 * spcafs_parameters(NULL, args$p, problem, args$normalize)$lambda
}
