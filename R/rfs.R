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
#' On smaller data, reweighted least squares as published. With \eqn{u_j = 2\|w_j\|}{uj = 2 ||wj||}
#' and \eqn{v_i = 2\|y_i - W'x_i\|}{vi = 2 ||yi - W'xi||} from the last W,
#' and U and V the diagonal matrices of \eqn{u_j}{uj} and \eqn{v_i}{vi}, each regression takes
#' \deqn{W = U X'(X U X' + \lambda V)^{-1} Y
#' = (X'V^{-1}X + \lambda U^{-1})^{-1} X'V^{-1} Y,}{
#' W = U X'(X U X' + lambda V)^{-1} Y = (X'V^{-1}X + lambda U^{-1})^{-1} X'V^{-1} Y,}
#' by the smaller of the two systems. The norms in U and V are smoothed, which adds to either sum at
#' most a fiftieth of what `tol` allows. The weights are extrapolated after every two steps on the
#' logarithmic scale (Varadhan and Roland, 2008) if the smoothed objective falls, and rows of
#' features well inside their dual constraint are left out until that constraint is violated.
#'
#' With at least 256 features and samples (and four times the responses) splitting comes first: with
#' \eqn{R = Y - XW} and \eqn{V = W}, the alternating direction method of multipliers (Boyd and
#' others, 2011) takes a ridge regression, whose factorisation serves all steps, and shrinks the
#' rows of R and of V. After 96 steps the weighted regressions start from the best V. Along a path
#' ([rowsparse_path()]) each point starts from the previous ones, with a certificate of its own.
#'
#' @section Certificate:
#' The dual problem is
#' \deqn{\max_\Theta \; \langle \Theta, Y \rangle \quad \mathrm{s.t.} \quad
#' \|\theta_i\| \le 1, \; \|X_j'\Theta\| \le \lambda.}{
#' max over Theta of <Theta, Y> s.t. ||theta_i|| <= 1, ||Xj'Theta|| <= lambda.}
#' The directions of the residuals, shortened until they satisfy both constraints, give a lower
#' bound of the minimum, and so do the multipliers of the weighted regression; rounding is allowed
#' for. The iteration stops when the relative gap between the objective and the bound is at most
#' `tol`. The objective is closer to the minimum than the gap suggests
#' (`Rscript bench/checked.R plain`).
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
#'   \item{parameters}{`lambda`, `lambda_max` and the settings}
#'
#'   `coef()` and [predict()][predict.rowsparse] use this one W at all sizes: `k`, or the selection
#'   of [rowsparse()], keeps only its rows of the selected features. Least squares on them
#'   ([cdlsr()]) predicts without shrinkage.
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
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  if (!is.null(lambda)) lambda <- check_number(lambda, "lambda", 0, open_lower = TRUE)
  control <- resolve_control(control, tol = 1e-3, maxit = 1000L)
  data <- sample_data("rfs", x, scale, assay, block, include, exclude)
  problem <- list(data = data, given = data, response = prepare_response(data, x, y, FALSE))
  check_fit_size("rfs", problem$data, classes = ncol(problem$response$Y), control = control)
  if (inherits(start, "rfs")) start <- rows_of_features(start, start$loadings, problem$data)
  if (!is.null(start)) start <- given_loadings(start, problem)

  lambda_max <- rfs_lambda_max(problem)
  lambda <- or_default(lambda, 0.1 * lambda_max)
  out <- run_rfs(problem, start, lambda, control)
  fit <- rfs_result(problem, out, list(lambda = lambda, lambda_max = lambda_max), control, call,
    started
  )
  with_fitted(fit, problem$data)
}

# The solver sees data and response divided by powers of two, so that no unit
# takes squares out of range.
rfs_units <- function(problem) {
  Y <- problem$response$Y
  centred <- sweep(Y, 2, colMeans(Y))
  list(
    x = 2^floor(log2(max(problem$data$square) / problem$data$n) / 2),
    y = 2^floor(log2(max(abs(centred))))
  )
}

# With fewer equations (side) than this, or fewer per response, a regression costs no more
# than some products: splitting, with one factorisation in all, would save nothing.
rfs_splits <- function(side, responses) side >= 256 && side >= 4 * responses

run_rfs <- function(problem, start, lambda, control) {
  unit <- rfs_units(problem)
  if (!is.null(start)) start <- start * unit$x / unit$y
  settings <- rfs_settings(problem, control)
  settings$gamma <- lambda / unit$x
  out <- .Call(C_rfs, unclass(divide_data(problem$data, unit$x)), problem$response$Y / unit$y,
    start, settings
  )
  rfs_in_units(out, unit, problem$data)
}

rfs_settings <- function(problem, control) {
  side <- min(problem$data$n, problem$data$d)
  list(
    gamma = 1, tol = control$tol, maxit = control$maxit,
    split = rfs_splits(side, ncol(problem$response$Y))
  )
}

rfs_in_units <- function(out, unit, data) {
  out$W <- coefficients_in_range(out$W, c(unit$y, 1 / unit$x), data)
  out$scores <- row_norms(out$W)
  out$pull <- out$pull * unit$x
  out$objective <- out$objective * unit$y
  out$bound <- out$bound * unit$y
  out
}

# the smallest penalty with W = 0
rfs_lambda_max <- function(problem) {
  unit <- rfs_units(problem)
  unit$x * max(.Call(C_rfs_pull, unclass(divide_data(problem$data, unit$x)),
    problem$response$Y / unit$y
  ))
}

rfs_result <- function(problem, out, parameters, control, call, started) {
  response <- problem$response
  colnames(out$W) <- response$names
  new_fit("rfs", problem$data,
    scores = out$scores, ties = out$pull, loadings = out$W, run = out,
    explained = explained_of(response, data_times(problem$data, out$W)), bound = out$bound,
    parameters = c(parameters, control),
    response = kept_response(response),
    call = call, started = started, verbose = control$verbose,
    undecided = if (all(out$W == 0) && out$converged) words_of_zero(parameters)
  )
}

# share of the centred response that fitted values reproduce, whatever its units
explained_of <- function(response, fitted) {
  unit <- max(abs(response$Y))
  max(0, 1 - sum(((response$Y - fitted) / unit)^2) / sum((response$Y / unit)^2))
}

# of a solution that the penalty empties
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
    bytes = rfs_bytes, family = "regression", sees = "labels",
    title = "Regression with an l2,1 loss and penalty", cost = "O(n d min(n, d)) per iteration",
    reference = "Nie, Huang, Cai and Ding (2010), NIPS 23, 1813-1821", penalty = "lambda",
    largest_penalty = largest_rfs_penalty, path_tol = 1e-3, penalty_points = rfs_points
  )
}

# Points of a path over lambda from one call of the core, which goes on from penalty to penalty
# with the iterate, its multipliers and the products of the data
rfs_points <- function(data, grid, given, y) {
  for (lambda in grid) check_number(lambda, "lambda", 0, open_lower = TRUE)
  control <- resolve_control(given[["control"]], tol = 1e-3, maxit = 1000L)
  problem <- list(data = data, response = prepare_response(data, NULL, y))
  check_fit_size("rfs", data, classes = ncol(problem$response$Y), control = control)
  unit <- rfs_units(problem)
  fits <- .Call(C_rfs_path, unclass(divide_data(data, unit$x)), problem$response$Y / unit$y,
    grid / unit$x, c(rfs_settings(problem, control), most = data$d)
  )
  lambda_max <- rfs_lambda_max(problem)
  parameters <- function(at) list(lambda = grid[at], lambda_max = lambda_max)
  points <- lapply(seq_along(grid), function(at) {
    if (!is.null(fits[[at]])) rfs_point(fits[[at]], problem, unit, parameters(at), control)
  })
  list(points = points, parameters = c(parameters(sum(lengths(points) > 0)), control))
}

rfs_point <- function(out, problem, unit, parameters, control) {
  W <- matrix(0, problem$data$d, ncol(out$W))
  W[out$rows, ] <- out$W
  out$W <- W
  out <- rfs_in_units(out, unit, problem$data)
  fit <- quietly(rfs_result(problem, out, parameters, control, NULL, proc.time()[["elapsed"]]))
  path_point(fit, scored_features(fit))
}

# the smallest with W = 0
largest_rfs_penalty <- function(data, given, y) {
  rfs_lambda_max(list(data = data, response = prepare_response(data, NULL, y)))
}
