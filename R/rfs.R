#' RFS: robust feature selection by a joint l2,1 loss and penalty
#'
#' Ranks features by a regression on classes or numbers whose penalty sets whole rows of the
#' coefficients to zero. Residuals are not squared, so outlying samples weigh less. The problem is
#' convex: the solution does not depend on a start, and `gap` bounds the fit's distance from the
#' minimum.
#'
#' @section The problem:
#' \deqn{\min_W \; \sum_i \|y_i - W'x_i\| + \lambda \sum_j \|w_j\|,}{
#' min over W of sum_i ||y_i - W'x_i|| + lambda sum_j ||w_j||,}
#' where \eqn{x_i}{xi} holds the centred features of sample i (divided by their standard deviation
#' with `scale = TRUE`), \eqn{y_i}{yi} its centred response (indicators of the classes, or numbers),
#' and \eqn{w_j}{wj} is the row of W that belongs to feature j. The centre is the mean, which a
#' gross outlier in a numeric response still shifts; a free intercept would be another problem.
#'
#' @section Algorithm:
#' Reweighted least squares as published. With \eqn{u_j = 2\|w_j\|}{uj = 2 ||wj||}
#' and \eqn{v_i = 2\|y_i - W'x_i\|}{vi = 2 ||yi - W'xi||} from the last W,
#' and U and V the diagonal matrices of \eqn{u_j}{uj} and \eqn{v_i}{vi}, each regression takes
#' \deqn{W = U X'(X U X' + \lambda V)^{-1} Y
#' = (X'V^{-1}X + \lambda U^{-1})^{-1} X'V^{-1} Y,}{
#' W = U X'(X U X' + lambda V)^{-1} Y = (X'V^{-1}X + lambda U^{-1})^{-1} X'V^{-1} Y,}
#' by the smaller of the two systems. The norms in U and V are smoothed, which adds to either sum at
#' most a fiftieth of what `tol` allows, and the weights are extrapolated on the logarithmic scale
#' (Varadhan and Roland, 2008) if the smoothed objective falls. With at least 256 features and
#' samples (and four times the responses) splitting comes first: with \eqn{R = Y - XW} and
#' \eqn{V = W}, 96 steps of the alternating direction method of multipliers (Boyd and others, 2011),
#' of which one factorisation serves all. Along a path ([rowsparse_path()]) each point starts from
#' the previous ones, with a certificate of its own.
#'
#' @section Certificate:
#' The dual problem is
#' \deqn{\max_\Theta \; \langle \Theta, Y \rangle \quad \mathrm{s.t.} \quad
#' \|\theta_i\| \le 1, \; \|X_j'\Theta\| \le \lambda.}{
#' max over Theta of <Theta, Y> s.t. ||theta_i|| <= 1, ||Xj'Theta|| <= lambda.}
#' The directions of the residuals, shortened until they satisfy both constraints, give a lower
#' bound of the minimum, and so do the multipliers of the weighted regression; rounding is allowed
#' for. The iteration stops when the relative gap is at most `tol`.
#'
#' W = 0 is the solution exactly from
#' \deqn{\lambda_{\max} = \max_j \Big\| \sum_i x_{ij} \, y_i / \|y_i\| \Big\|}{
#' lambda_max = max_j || sum_i xij yi / ||yi|| ||}
#' upwards (where some \eqn{y_i}{yi} is exactly zero, possibly from slightly less). This value does
#' not depend on the units of the response nor, with `scale = TRUE`, of the features.
#'
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data], but no moments: the loss needs the samples.
#' @param lambda Penalty, above 0, in the units of the objective. `NULL` for a tenth of
#'   \eqn{\lambda_{\max}}{lambda_max}, which `parameters$lambda_max` holds. Raise it for fewer
#'   nonzero rows (`Rscript bench/checked.R penalty`).
#' @param start Where the iteration starts: a fit of this function to the same features and
#'   responses, or a d x c matrix W. The solution does not depend on it. `NULL`: equal weights for
#'   all features.
#' @param scale Divide features by their standard deviation? By default yes, so that the penalty
#'   treats all features alike.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-3 (relative duality gap),
#'   `maxit` 1000 (regressions). Below 1e-5 the last digits may take thousands of regressions.
#'
#' @return A list of class `c("rfs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{row norms of W. Zero rows follow in the order of
#'     \eqn{\|X_j'\Theta\|}{||Xj'Theta||}; with W = 0 this is the order of the
#'     penalties at which features would enter alone, and a warning of class
#'     `rowsparse_warning_zero` gives the smallest such `lambda`}
#'   \item{loadings}{W, d x c, one column per class or response, for the
#'     centred (and scaled) features}
#'   \item{objective}{objective of the best W so far: at the start (W = 0 or better) and after every
#'     regression}
#'   \item{explained}{share of the response's centred sum of squares that W reproduces}
#'   \item{bound, gap}{`NA` where rounding leaves no bound}
#'
#'   `coef()` and [predict()][predict.rowsparse] use this one W at all sizes: `k`, or the selection
#'   of [rowsparse()], keeps only its rows of the selected features.
#'
#' @references
#' Boyd, Parikh, Chu, Peleato and Eckstein (2011) Distributed optimization and statistical
#' learning via the alternating direction method of multipliers. Foundations and Trends in
#' Machine Learning 3, 1-122. \doi{10.1561/2200000016}
#'
#' Nie, Huang, Cai and Ding (2010) Efficient and robust feature selection via joint l2,1-norms
#' minimization. Advances in Neural Information Processing Systems 23, 1813-1821.
#'
#' Varadhan and Roland (2008) Simple and globally convergent methods for
#' accelerating the convergence of any EM algorithm. Scandinavian Journal of
#' Statistics 35, 335-353. \doi{10.1111/j.1467-9469.2007.00585.x}
#' @seealso [cdlsr()] for exactly k features, [rowsparse_path()] for a path over `lambda`
#' @examples
#' fit <- rfs(iris[, 1:4], iris$Species)
#' selected(fit, 2)
#' fit$gap
#' table(predict(fit, iris, type = "class"), iris$Species)
#' @export
rfs <- function(x, y, lambda = NULL, start = NULL, scale = TRUE, control = rowsparse_control(),
                include = NULL, exclude = NULL, block = NULL, assay = NULL) {
  run_method("rfs")
}

solve_rfs <- function(problem, args, control) {
  start <- args[["start"]]
  if (inherits(start, "rfs")) start <- rows_of_features(start, start$loadings, problem$data)
  if (!is.null(start)) {
    start <- given_loadings(start, problem) / problem$response$unit * problem$data$unit
  }
  lambda_max <- rfs_lambda_max(problem)
  lambda <- or_default(args$lambda, 0.1 * lambda_max)
  settings <- c(rfs_settings(problem, control), gamma = lambda / problem$data$unit)
  out <- .Call(C_rfs, unclass(problem$data), unname(problem$response$Y), start, settings)
  told_of_rfs(problem, out, list(lambda = lambda, lambda_max = lambda_max))
}

# With fewer equations (side) than this, or fewer per response, a regression costs no more
# than some products: splitting, with one factorisation in all, would save nothing.
rfs_splits <- function(side, responses) side >= 256 && side >= 4 * responses

rfs_settings <- function(problem, control) {
  side <- min(problem$data$n, problem$data$d)
  list(
    tol = control$tol, maxit = control$maxit, split = rfs_splits(side, ncol(problem$response$Y))
  )
}

# the smallest penalty with W = 0
rfs_lambda_max <- function(problem) {
  problem$data$unit * max(.Call(C_rfs_pull, unclass(problem$data), unname(problem$response$Y)))
}

# what a fit tells of the W that the solver found in units
told_of_rfs <- function(problem, out, parameters) {
  response <- problem$response
  unit <- response$unit
  W <- coefficients_in_range(out$W, c(unit, 1 / problem$data$unit), problem$given)
  colnames(W) <- response$names
  list(
    scores = row_norms(W), ties = out$pull, loadings = W, run = out,
    objective = out$objective * unit, bound = out$bound * unit,
    explained = explained_of(response, data_times(problem$given, W) / unit),
    parameters = parameters,
    undecided = if (all(W == 0) && out$converged) words_of_zero(parameters)
  )
}

# share of the centred response that fitted values reproduce, whatever its units
explained_of <- function(response, fitted) {
  unit <- max(abs(response$Y))
  max(0, 1 - sum(((response$Y - fitted) / unit)^2) / sum((response$Y / unit)^2))
}

# Words on a solution that the penalty empties
words_of_zero <- function(parameters) {
  sprintf("W is zero: `lambda` is %s and the largest useful one %s; features are ordered by %s",
    format(parameters$lambda, digits = 6), format(parameters$lambda_max, digits = 6),
    "the penalty at which they would enter first"
  )
}

# ---- descriptor -------------------------------------------------------------

# a panel of the active features; the equations are weighted by sample
rfs_bytes <- function(s) {
  if (!rfs_splits(s$side, s$classes)) {
    return(1024 * s$n + ridge_bytes(s, s$classes))
  }
  # splitting: one factorisation, and systems of equations of the corrections
  1024 * s$n + 5 * gram_bytes(s) + 88 * s$classes * (s$d + s$n) # some of it for paths alone
}

descriptor_rfs <- function() {
  descriptor(rfs,
    rules = list(lambda = optional(positive)), control = list(tol = 1e-3, maxit = 1000L),
    solve = solve_rfs, build = new_regression,
    bytes = rfs_bytes, family = "regression", sees = "labels",
    title = "Regression with an l2,1 loss and penalty", cost = "O(n d min(n, d)) per iteration",
    reference = "Nie, Huang, Cai and Ding (2010), NIPS 23, 1813-1821", penalty = "lambda",
    path_tol = 1e-3, penalty_points = rfs_points,
    largest_penalty = function(data, given, y) rfs_lambda_max(problem_in_units(data, NULL, y))
  )
}

# Points of a path over lambda from one call of the core, which goes on from penalty to penalty
# with the iterate, its multipliers and the products of the data
rfs_points <- function(data, grid, given, y) {
  for (lambda in grid) positive(lambda, "lambda")
  control <- method_control(method_table()[["rfs"]], given)
  problem <- problem_in_units(data, NULL, y)
  check_fit_size("rfs", data, classes = ncol(problem$response$Y), control = control)
  fits <- .Call(C_rfs_path, unclass(problem$data), unname(problem$response$Y),
    grid / problem$data$unit, c(rfs_settings(problem, control), gamma = 1, most = data$d)
  )
  lambda_max <- rfs_lambda_max(problem)
  parameters <- function(at) list(lambda = grid[at], lambda_max = lambda_max)
  points <- lapply(seq_along(grid), function(at) {
    if (!is.null(fits[[at]])) rfs_point(fits[[at]], problem, parameters(at), control)
  })
  list(points = points, parameters = c(parameters(sum(lengths(points) > 0)), control))
}

rfs_point <- function(out, problem, parameters, control) {
  out$W <- expand_rows(out$W, out$rows, problem$data)
  told <- told_of_rfs(problem, out, parameters)
  fit <- quiet_fit("rfs", problem$given, told, response = kept_response(problem$response))
  path_point(fit, scored_features(fit))
}
