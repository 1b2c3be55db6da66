#' CRFS: regression by correntropy, which outlying samples hardly affect
#'
#' Ranks features by a regression on classes or numbers whose loss ignores samples that do not
#' fit: with a residual beyond a few `sigma` a sample has no influence. Use it in place of [rfs()]
#' if some labels are wrong or some samples are outliers.
#'
#' @section The problem:
#' Ranks features by the row norms of a solution of
#' \deqn{\min_W \; \sum_i s \, (1 - e^{-\|y_i - W'x_i\|^2 / s})
#'   + \lambda \sum_j \|w_j\|, \qquad s = 2 \sigma^2,}{
#'   min over W of sum_i s (1 - exp(-||y_i - W'x_i||^2 / s)) + lambda sum_j ||w_j||,
#'   s = 2 sigma^2,}
#' where \eqn{x_i}{xi} holds the centred features of sample i (divided by their
#' standard deviation with `scale = TRUE`) and \eqn{y_i}{yi} its centred response,
#' indicators of classes or numbers (He, Tan, Wang and Zheng, 2012). The loss is that of least
#' squares for small residuals and at most s for any: beyond a few \eqn{\sigma}{ sigma} a sample
#' has no influence. The paper writes the problem as the maximum of \eqn{\sum_i e^{-\|y_i -
#' W'x_i\|^2 / s} - (\lambda / s) \sum_j \|w_j\|}{ sum_i exp(-||y_i - W'x_i||^2 / s) - (lambda /
#' s) sum_j ||w_j||}. For large s it is least squares with an l2,1 penalty. It is not convex: the
#' solution is a local one.
#'
#' @section Algorithm:
#' Half-quadratic steps, each a regression with the weights
#' \eqn{e^{-\|y_i - W'x_i\|^2 / s}}{exp(-||y_i - W'x_i||^2 / s)} of the samples and
#' \eqn{1 / (2 \|w_j\|)}{1 / (2 ||wj||)} of the rows from the last W, by a system of
#' order min(n, d). The first regression, the start, has equal weights. Row norms are smoothed,
#' \eqn{(\|w_j\|^2 + \epsilon)^{1/2}}{sqrt(||wj||^2 + eps)} with \eqn{\epsilon}{eps} 1e-10 of the
#' mean square of the first rows, so that a small row can grow again; as a consequence no row is
#' exactly zero.
#'
#' With `sigma = NULL` the first `sigma_steps` iterations set \eqn{s = 4}{s = 4} times the
#' mean square of the residuals, as the authors' code does in all of its five, but at least 1e-6
#' of its value for W = 0. Objectives with different s cannot be compared: s is then held fixed,
#' `objective` is computed with the last s throughout, and falls in all iterations after the first
#' `sigma_steps`.
#'
#' @section Differences from public code:
#' The authors' code takes five steps, far from convergence, weights rows by \eqn{2 / \|w_j\|}{2
#' / ||wj||} and leaves out 1 / s: its penalty is a fourth of `lambda` here. It neither centres
#' nor adds an intercept. Its five steps correspond to the start and `maxit = 4`.
#'
#' @inheritParams rfs
#' @param lambda Penalty, above 0; larger values empty more rows. `NULL` for a tenth of
#'   `parameters$lambda_max`, the value from which W = 0 is a solution.
#' @param sigma Width of the loss in units of the response, above 0 (for classes of
#'   0/1 indicators); `NULL` to estimate it.
#' @param sigma_steps Number of iterations in which `sigma` is estimated, at least 0.
#' @param start Start of the iteration: a fit of this function to the same features and responses,
#'   or a d x c matrix W, whose row norms give the weights of the rows in the first regression.
#'   `NULL`: equal weights.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 (relative
#'   change of the objective), `maxit` 500.
#' @return A list of class `c("crfs", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{scores}{row norms of W}
#'   \item{loadings}{W, d x c, one column per class or response, for the centred (and
#'     scaled) features}
#'   \item{objective}{with the last s, at the first regression and after each iteration}
#'   \item{sample_weights}{of the last W; near 0 for outlying samples}
#'   \item{explained}{share of the response's centred sum of squares that W reproduces}
#'   \item{parameters}{`lambda`, `lambda_max`, `sigma` at the end, and the settings}
#'   `coef()` and [predict()][predict.cdlsr] work as for [rfs()].
#' @section Errors:
#' As for [cdlsr()]; moments; penalties and widths out of range.
#' @references
#' He, Tan, Wang and Zheng (2012) l2,1 regularized correntropy for robust feature
#' selection. IEEE Conference on Computer Vision and Pattern Recognition, 2504-2511.
#' \doi{10.1109/CVPR.2012.6247966}
#' @seealso [rfs()], whose convex problem has a certificate
#' @examples
#' fit <- crfs(iris[, 1:4], iris$Species)
#' fit
#' range(fit$sample_weights)
#' @export
crfs <- function(x, y, lambda = NULL, sigma = NULL, sigma_steps = 20, start = NULL, scale = TRUE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                 assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  if (!is.null(lambda)) lambda <- check_number(lambda, "lambda", 0, open_lower = TRUE)
  if (!is.null(sigma)) sigma <- check_number(sigma, "sigma", 0, open_lower = TRUE)
  sigma_steps <- check_count(sigma_steps, "sigma_steps", 0L, 1000L)
  control <- resolve_control(control, tol = 1e-6, maxit = 500L)
  check_holds_samples(x)
  problem <- sample_problem(x, y, scale, assay, block, include, exclude, units = TRUE, "crfs")
  check_fit_size("crfs", problem$data,
    classes = ncol(problem$response$Y), sigma_steps = sigma_steps, control = control
  )
  weights <- crfs_start(start, problem)
  lambda_max <- crfs_lambda_max(problem, sigma)
  lambda <- or_default(lambda, 0.1 * lambda_max)
  steps <- if (is.null(sigma)) sigma_steps else 0L
  out <- run_crfs(problem, weights, lambda, sigma, steps, control)
  new_crfs(problem, out,
    list(lambda = lambda, lambda_max = lambda_max, sigma = out$sigma, sigma_steps = steps),
    control, call, started
  )
}

# 2 sigma^2 and the penalty in units of problem$data and problem$response
crfs_width <- function(problem, sigma) {
  if (is.null(sigma)) 0 else in_range(2, rep(sigma / problem$response$unit, 2), "`sigma`")
}

# 1 / weights of the rows in the first regression: twice the norms of a given W, which
# leave none at zero, or of the best regression on one feature
crfs_start <- function(start, problem, share = 0.1) {
  if (is.null(start)) {
    pull <- penalty_pull(problem, rep(1, problem$data$n))
    return(rep(2 * max(pull) / max(problem$data$square), problem$data$d))
  }
  if (inherits(start, "crfs")) start <- rows_of_features(start, start$loadings, problem$data)
  square <- rowSums((given_loadings(start, problem) / problem$response$unit * problem$data$unit)^2)
  if (all(square == 0)) {
    return(crfs_start(NULL, problem))
  }
  2 * sqrt(square + share^2 * mean(square))
}

run_crfs <- function(problem, weights, lambda, sigma, steps, control) {
  unit <- list(x = problem$data$unit, y = problem$response$unit)
  out <- .Call(C_crfs, unclass(problem$data), unname(problem$response$Y), list(
    lambda = in_range(lambda, 1 / unlist(unit), "`lambda`"),
    u = weights, eps = -1,
    width = crfs_width(problem, sigma), least = 4e-6 * problem$response$total / problem$data$n,
    width_steps = steps, tol = control$tol, maxit = control$maxit
  ))
  out$W <- coefficients_in_range(out$W, c(unit$y, 1 / unit$x), problem$given)
  out$objective <- squares_in_units(out$objective, unit$y)
  out$sigma <- sqrt(out$width / 2) * unit$y
  out
}

# ||x_j'(r y)|| for every feature, in units of its own
penalty_pull <- function(problem, weights) {
  weighted <- unname(problem$response$Y) * weights
  sqrt(.Call(C_product_squares, unclass(problem$data), weighted))
}

# the smallest penalty for which W = 0 is stationary
crfs_lambda_max <- function(problem, sigma) {
  square <- rowSums(problem$response$Y^2)
  width <- if (is.null(sigma)) 4 * mean(square) else crfs_width(problem, sigma)
  weights <- exp(-square / width)
  2 * max(penalty_pull(problem, weights)) * problem$data$unit * problem$response$unit
}

new_crfs <- function(problem, out, parameters, control, call, started) {
  response <- problem$response
  W <- out$W
  colnames(W) <- response$names
  fitted <- data_times(problem$given, W) / response$unit
  fit <- new_fit("crfs", problem$given,
    scores = row_norms(W), loadings = W, run = out,
    explained = explained_of(response, fitted), parameters = c(parameters, control),
    sample_weights = out$sample, response = kept_response(response),
    call = call, started = started, verbose = control$verbose
  )
  with_fitted(fit, problem$given)
}

# ---- descriptor --------------------------------------------------------------

descriptor_crfs <- function() {
  descriptor(crfs,
    bytes = function(s) {
      8 * s$n * (or_default(s$sigma_steps, 20) + 4) + ridge_bytes(s, s$classes)
    },
    family = "regression", sees = "labels",
    title = "Regression by correntropy with an l2,1 penalty",
    input = c("dense", "sparse", "blocks"), cost = "O(n d min(n, d)) per iteration",
    reference = "He, Tan, Wang and Zheng (2012), CVPR, 2504-2511", sizes = "nested",
    penalty = "lambda", path_tol = 1e-4,
    largest_penalty = function(data, given, y) {
      problem <- list(data = in_binary_units(data))
      problem$response <- prepare_response(problem$data, NULL, y, units = TRUE)
      crfs_lambda_max(problem, given[["sigma"]])
    }
  )
}
