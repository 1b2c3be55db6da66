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
#' With \eqn{R = Y - XW} and \eqn{V = W} as variables of their own, the alternating direction method
#' of multipliers (Boyd and others, 2011) takes steps that one factorisation serves, as long as 64
#' of them halve the gap. From there reweighted regressions as published go on to the end. With
#' \eqn{u_j = \|w_j\|}{uj = ||wj||} and \eqn{v_i = \|y_i - W'x_i\|}{vi = ||yi - W'xi||} from the
#' last W, and U and V the diagonal matrices of \eqn{u_j}{uj} and \eqn{v_i}{vi}, each takes
#' \deqn{W = U X'(X U X' + \lambda V)^{-1} Y
#' = (X'V^{-1}X + \lambda U^{-1})^{-1} X'V^{-1} Y,}{
#' W = U X'(X U X' + lambda V)^{-1} Y = (X'V^{-1}X + lambda U^{-1})^{-1} X'V^{-1} Y,}
#' by the smaller of the two systems.
#'
#' @section Certificate:
#' The dual problem is
#' \deqn{\max_\Theta \; \langle \Theta, Y \rangle \quad \mathrm{s.t.} \quad
#' \|\theta_i\| \le 1, \; \|X_j'\Theta\| \le \lambda.}{
#' max over Theta of <Theta, Y> s.t. ||theta_i|| <= 1, ||Xj'Theta|| <= lambda.}
#' The multipliers of the splitting and of the regressions, shortened until they satisfy both
#' constraints, give a lower bound of the minimum; rounding is allowed for. The iteration stops when
#' the relative gap is at most `tol`.
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
#'   responses, or a d x c matrix W. The solution does not depend on it. `NULL`: W = 0.
#' @param scale Divide features by their standard deviation? By default yes, so that the penalty
#'   treats all features alike.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-3 (relative duality gap),
#'   `maxit` 2000 (steps and regressions). Below 1e-5 the last digits may take thousands.
#'
#' @return A list of class `c("rfs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{row norms of W. Zero rows follow in the order of
#'     \eqn{\|X_j'\Theta\|}{||Xj'Theta||}; with W = 0 this is the order of the penalties at
#'     which features would enter alone, and a warning (`rowsparse_warning_zero`) gives the least}
#'   \item{loadings}{W, d x c, one column per class or response, for the centred (scaled) features}
#'   \item{objective}{objective of the best W so far: at the start (W = 0) and after every step or
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
  start <- start_in_units(args[["start"]], problem, "rfs")
  lambda_max <- rfs_lambda_max(problem)
  lambda <- or_default(args$lambda, 0.1 * lambda_max)
  out <- .Call(C_rfs, unclass(problem$data), unname(problem$response$Y), start,
    c(control[c("tol", "maxit")], gamma = lambda / problem$data$unit)
  )
  told_of_rfs(problem, out, list(lambda = lambda, lambda_max = lambda_max))
}

# the coefficients of the caller, or of a fit of the method, in the units of the problem
start_in_units <- function(start, problem, method) {
  if (inherits(start, method)) start <- rows_of_features(start, start$loadings, problem$data)
  if (!is.null(start)) given_loadings(start, problem)
}

# the smallest penalty with W = 0
rfs_lambda_max <- function(problem) {
  problem$data$unit * max(.Call(C_rfs_pull, unclass(problem$data), unname(problem$response$Y)))
}

# what a fit tells of the W that the solver found in units
told_of_rfs <- function(problem, out, parameters) {
  unit <- problem$response$unit
  own <- regression_in_units(out$W, problem)
  c(own, list(
    ties = out$pull, run = out, objective = out$objective * unit, bound = out$bound * unit,
    parameters = parameters, undecided = if (all(own$loadings == 0) && out$converged) {
      sprintf("W is zero: `lambda` is %s and the largest useful one %s; features are ordered by %s",
        format(parameters$lambda, digits = 6), format(parameters$lambda_max, digits = 6),
        "the penalty at which they would enter first"
      )
    }
  ))
}

# W in the units of the data, and the share of the centred response that it reproduces
regression_in_units <- function(W, problem) {
  response <- problem$response
  W <- coefficients_in_range(W, c(response$unit, 1 / problem$data$unit), problem$given)
  colnames(W) <- response$names
  rest <- response$Y - data_times(problem$given, W) / response$unit
  largest <- max(abs(response$Y))
  explained <- max(0, 1 - sum((rest / largest)^2) / sum((response$Y / largest)^2))
  list(scores = row_norms(W), loadings = W, explained = explained)
}

descriptor_rfs <- function() {
  descriptor(rfs, rules = list(lambda = optional(positive)),
    control = list(tol = 1e-3, maxit = 2000L), solve = solve_rfs, build = new_regression,
    # systems of equations for the splitting, the regressions and corrections
    bytes = function(s) 1024 * s$n + 4 * gram_bytes(s) + 88 * s$classes * (s$d + s$n),
    family = "regression", sees = "labels",
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
  check_fit_size("rfs", data, classes = ncol(problem$response$Y))
  fits <- .Call(C_rfs_path, unclass(problem$data), unname(problem$response$Y),
    grid / problem$data$unit, control[c("tol", "maxit")]
  )
  lambda_max <- rfs_lambda_max(problem)
  parameters <- function(at) list(lambda = grid[at], lambda_max = lambda_max)
  points <- lapply(seq_along(grid), function(at) {
    out <- fits[[at]]
    out$W <- expand_rows(out$W, out$rows, problem$data)
    told <- told_of_rfs(problem, out, parameters(at))
    fit <- quiet_fit("rfs", problem$given, told, response = kept_response(problem$response))
    path_point(fit, scored_features(fit))
  })
  list(points = points, parameters = c(parameters(length(grid)), control))
}
