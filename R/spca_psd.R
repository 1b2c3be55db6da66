#' SPCA-PSD: convex sparse PCA on the positive semidefinite cone
#'
#' Ranks features by how much they contribute when the whole table is reconstructed from itself. It
#' needs no labels. A larger `lambda` gives fewer features, a larger `eta` fewer components. The
#' problem is convex: the default solver finds its optimum, with a certificate. `solver = "paper"`
#' is the published iteration, which ends near the optimum.
#'
#' @section The problem:
#' Features are ranked by the column norms of a reconstruction matrix
#' \eqn{\Omega} (d x d), the solution of
#' \deqn{\min_{\Omega \succeq 0} \; \ell(R) + \lambda \sum_j \|\omega_j\| +
#' \eta \, \mathrm{tr}(\Omega), \qquad R = X_c - X_c \Omega,}{
#' min over Omega >= 0 of loss(R) + lambda sum_j ||omega_j|| + eta tr(Omega),
#' R = Xc - Xc Omega,}
#' where \eqn{X_c}{Xc} is the centred data matrix and \eqn{\omega_j}{omega_j} column \eqn{j}.
#' `lambda` makes columns short, `eta` lowers the rank.
#'
#' | `loss` | `center` | `psd` | model |
#' |---|---|---|---|
#' | `"frobenius"` | `"mean"` | `TRUE` | SPCA-PSD: \eqn{\ell(R) = \|R\|^2}{loss = ||R||^2} |
#' | `"l21"` | `"mean"` | `TRUE` | CSPCA-PSD: \eqn{\ell(R) = \sum_i \|r_i\|}{loss = sum_i ||r_i||} |
#' | `"l21"` | `"adaptive"` | `TRUE` | AW-SPCA-PSD: the same, free centre, `eta` = 0 |
#' | `"l21"` | `"mean"` | `FALSE` | CSPCA: no cone, nuclear norm for the trace |
#' | `"l21"` | `"adaptive"` | `FALSE` | AW-SPCA: no cone, free centre, `eta` = 0 |
#'
#' With a free centre \eqn{R = X - X\Omega - 1v'}{R = X - X Omega - 1 v'} is
#' minimised over v too. Without the cone the rows of \eqn{\Omega} are penalised
#' in place of its columns. The mean is the best centre for the Frobenius loss, so `center` makes no
#' difference there. The l21 loss is robust against outlying samples.
#'
#' @section Solvers:
#' `"exact"`, for the Frobenius loss, minimises over \eqn{\Omega = FF'} by Newton's method on the
#' d x r factor F, within a trust region. F gains columns until the dual slack matrix is positive
#' semidefinite, and the solver stops when the relative duality gap is at most `tol`. A Newton step
#' costs about \eqn{n^2 d}, and no d x d matrix is needed for d above 2n. Rounding, or columns whose
#' scales differ by 1e4 and more, may stop it at a gap of some 1e-6; a warning says so, and the best
#' point on the way is returned.
#'
#' `"paper"` is the published iteration, and the only one for the l21 loss. With \eqn{D =
#' \mathrm{diag}(1 / (2 \|\omega_j\|))}{D = diag(1/(2 ||omega_j||))}, sample weights \eqn{T} (the
#' identity, or \eqn{\mathrm{diag}(1 / (2 \|r_i\|))}{diag(1/(2 ||r_i||))}) and \eqn{S_T = X_c' T
#' X_c}{S_T = Xc'T Xc}, it takes
#' \deqn{\Omega \leftarrow \mathrm{PSD\ part\ of\ sym}\left((S_T -
#' \tfrac{\eta}{2} I)(S_T + \lambda D + \epsilon I)^{-1}\right).}{
#' Omega <- PSD part of sym((S_T - eta/2 I)(S_T + lambda D + epsilon I)^{-1}).}
#' Smoothing follows the published code: machine epsilon (Frobenius loss) or 1e-3 is added under the
#' roots of the column norms, and 1e-6 of the mean squared sample norm under the roots of the
#' residual norms; \eqn{\epsilon} is 5e-5 (Frobenius) or 3e-4 of the mean diagonal of S_T. For d > n
#' the same iterates come from n x n matrices; `options(rowsparse.spca_route = "dense")` or
#' `"lowrank"` forces one way.
#'
#' The symmetric part of a minimiser, projected on the cone, is not the minimiser on the cone, so
#' the objective of `"paper"` need not fall (lung_discrete, penalties 10: 28 rises in 31 steps) and
#' ends above the optimum: with the default parameters and the Frobenius loss by a fraction of a
#' percent on most data sets, with small penalties and the l21 loss far, while the order of the
#' norms is still about right. The published code of CSPCA-PSD subtracts \eqn{\eta I} in place of
#' \eqn{(\eta/2) I}.
#'
#' Without the cone the iteration descends to the optimum of the smoothed problem, with less
#' smoothing each time it has converged. [cspca] and `aw_spca` are short names of the two models.
#' @section Where \eqn{\Omega} is zero:
#' From \eqn{\eta = \lambda_1(G) - \lambda}{eta = lambda_1(G) - lambda} upwards 0 is certainly
#' optimal, with \eqn{G = 2S}{G = 2 S} (Frobenius loss) or \eqn{\sum_i x_i x_i' / \|x_i\|}{sum_i xi
#' xi' / ||xi||} (l21 loss, centred samples); single features and leading directions give penalties
#' below which it is not. A warning of class `rowsparse_warning_zero` names both limits; features
#' are then ranked by variance.
#'
#' @param x Data, see [rowsparse_data]. [moments()] serve the Frobenius loss alone.
#' @param lambda,eta Penalties on the columns and on the trace, in the units of the loss. Raise
#'   `eta` for fewer components (the authors advise 1 % to 10 % of tr(S)), `lambda` (above 0, at
#'   most a tenth of `eta`) for fewer features; [rowsparse_path()] takes several `lambda`. `NULL`:
#'   `eta` is 5 % of the scale of the loss, 0 with `center = "adaptive"`; `lambda` is 5 % of `eta`,
#'   or 1 % of the scale where `eta` is 0; both at most three quarters of the largest useful
#'   penalties. The scale is tr(S) for the Frobenius loss, the sum of \eqn{\|x_i\| / 2}{||x_i|| / 2}
#'   for the l21 loss.
#' @param loss,center,psd The model, by default SPCA-PSD; see the table.
#' @param solver `"exact"`, the default of the Frobenius loss on the cone, finds the optimum, to a
#'   gap of `tol`; `"paper"` is the published iteration, the default elsewhere. See Solvers.
#' @param start A symmetric positive semidefinite d x d matrix or a fit of this function. `NULL`
#'   starts `"paper"` from unit weights and `"exact"` from leading eigenvectors. The optimum does
#'   not depend on the start.

#' @param control Settings from [rowsparse_control()]. Defaults for `"paper"`: `tol` 1e-5 (relative
#'   change of the objective), `maxit` 100 (500 without the cone), `inner_tol` 1e-10, `inner_maxit`
#'   200 (eigen-solver). For `"exact"`: `tol` 1e-6 (relative duality gap), `maxit` 300 (Newton
#'   steps), `inner_maxit` 500 (conjugate gradient steps within one).
#' @inheritParams bsufs
#'
#' @return A list of class `c("spca_psd", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{column norms of \eqn{\Omega} (row norms without the cone)}
#'   \item{factor, loadings}{F, d x r, with \eqn{\Omega = FF'}; without the cone \eqn{\Omega = F G'}
#'     and `right` holds G. `tcrossprod(fit$factor)` is \eqn{\Omega} itself, d x d}
#'   \item{rank}{rank of \eqn{\Omega}}
#'   \item{objective}{value at the start (at \eqn{\Omega = 0}{Omega = 0} where `"paper"` starts from
#'     weights) and after each iteration; the last is the value at the factor, with the best centre
#'     where the centre is free}
#'   \item{bound, gap}{for the Frobenius loss a lower bound of the optimum, which allows for
#'     rounding, and (objective - bound) / objective; else, or where rounding leaves no bound, `NA`.
#'     For `"paper"` the bound is far from tight}
#'   \item{kkt}{first-order residual at the multipliers of the bound: the larger of the negative
#'     part of the dual slack's spectrum, relative to `lambda + eta`, and of the complementarity,
#'     relative to the objective. Without the cone the relative gradient norm of the smoothed
#'     problem; `NA` for the l21 loss on it}
#'   \item{reconstruction}{\eqn{\|R\|^2}{||R||^2}}
#'   \item{explained}{1 - \eqn{\|R\|^2 / \|X_c\|^2}{||R||^2 / ||Xc||^2}, or 0 if negative}
#'   \item{rises}{how often the objective rose}
#'
#' @references
#' Zheng, Zhang, Liu, Jiang, Huo and Liu (2023) Fast sparse PCA via positive semidefinite projection
#' for unsupervised feature selection. \doi{10.48550/arXiv.2309.06202}
#'
#' Chang, Nie, Yang, Zhang and Huang (2016) Convex sparse PCA for unsupervised feature learning. ACM
#' Transactions on Knowledge Discovery from Data 11. \doi{10.1145/2910585}
#'
#' Yi, He, Jing, Li, Cheung and Nie (2020) Adaptive weighted sparse principal component analysis for
#' robust unsupervised feature selection. IEEE Transactions on Neural Networks and Learning Systems
#' 31, 2153-2163. \doi{10.1109/TNNLS.2019.2928755}
#'
#' Burer and Monteiro (2003) A nonlinear programming algorithm for solving semidefinite programs via
#' low-rank factorization. Mathematical Programming 95, 329-357. \doi{10.1007/s10107-002-0352-8}
#' @seealso [selected()], [plot.rowsparse()]
#' @examples
#' fit <- spca_psd(iris[, 1:4])
#' fit
#' fit$gap
#' round(tcrossprod(fit$factor), 3) # Omega
#' selected(fit, 2)
#' @export
spca_psd <- function(x, lambda = NULL, eta = NULL, loss = c("frobenius", "l21"),
                     center = c("mean", "adaptive"), psd = TRUE, solver = c("exact", "paper"),
                     start = NULL, scale = FALSE, control = rowsparse_control(), include = NULL,
                     exclude = NULL, block = NULL, assay = NULL) {
  run_method("spca_psd")
}

# list(loss, center, psd, solver, adaptive)
spca_model <- function(args) {
  model <- args[c("loss", "center", "psd")]
  solvers <- c("exact", "paper")
  certified <- model$psd && model$loss == "frobenius"
  model$solver <- if (certified) "exact" else "paper"
  if (!identical(args$solver, solvers)) model$solver <- check_choice(args$solver, "solver", solvers)
  refuse_if(model$solver == "exact" && !certified, "choice", "solver",
    "must be \"paper\" with `loss = \"l21\"` or `psd = FALSE`", describe(args$solver))
  model$adaptive <- model$loss == "l21" && model$center == "adaptive"
  model
}

# Newton steps of the exact solver by default, and their multiplications, about twenty seconds
spca_steps <- 300L
spca_flops <- 3e11

spca_defaults <- function(args) {
  if (spca_model(args)$solver == "exact") {
    list(tol = 1e-6, maxit = spca_steps, inner_maxit = 500L)
  } else {
    list(tol = 1e-5, maxit = if (args$psd) 100L else 500L, inner_tol = 1e-10, inner_maxit = 200L)
  }
}

check_spca <- function(args, data) {
  args$model <- spca_model(args)
  args$solver <- args$model$solver
  refuse_if(args$loss == "l21" && data$kind == "moments",
    "type", "x", "must hold the samples for `loss = \"l21\"`", "moments")
  args["start"] <- list(check_spca_start(args[["start"]], data, args$model))
  args
}

solve_spca <- function(data, args, control) {
  job <- spca_job(data, args, control)
  start <- args[["start"]]
  fit <- if (args$solver == "exact") {
    spca_optima(job, job$lambda, start)[[1]]
  } else {
    finish_spca(.Call(C_spca_reweighted, unclass(job$problem$samples), start,
      with_row_groups(job$settings, data)
    ))
  }
  # unit weights, which the published iteration starts from, stand for Omega = 0
  if (args$solver == "paper" && is.null(start)) {
    fit$objective <- c(job$problem$at_zero, fit$objective)
  }
  spca_parts(fit, job)
}

# the optima for a row of penalties `lambda`, in problem$unit
spca_optima <- function(job, lambda, start) {
  settings <- c(job$settings, list(lambdas = lambda, etas = rep(job$eta, length(lambda))))
  lapply(.Call(C_spca_path, unclass(job$problem$samples), start, settings), finish_spca)
}

# list(problem, lambda, eta, settings of the solver): the penalties in problem$unit
spca_job <- function(data, args, control) {
  problem <- spca_problem(data, args$model)
  penalties <- spca_penalties(args[["lambda"]], args[["eta"]], problem)
  model <- args$model
  settings <- list(
    loss = model$loss, adaptive = as.integer(model$adaptive), psd = as.integer(model$psd),
    route = spca_route(), tol = control$tol, maxit = control$maxit,
    inner_maxit = or_default(control$inner_maxit, 0L), inner_tol = or_default(control$inner_tol, 0),
    flops = spca_flops * control$maxit / spca_steps
  )
  c(list(problem = problem, settings = c(penalties, settings)), penalties)
}

# ---- the start ----------------------------------------------------------------

# A factor F of Omega = F F', or without the cone the norms of the rows of Omega; NULL for a start
# of its own, as adaptive models without the cone take it
check_spca_start <- function(start, data, model) {
  made_of <- if (inherits(start, "rowsparse")) fitted_start else start_matrix
  if (!is.null(start)) start <- made_of(start, data, model)
  is_used <- if (model$psd) length(start) > 0L else !model$adaptive
  if (is_used) unname(start)
}

fitted_start <- function(fit, data, model) {
  start <- if (is.null(fit$right)) fit$factor
  if (!model$psd) start <- as.matrix(fit$scores)
  start <- inner_rows(rows_of_features(fit, start, data), data)
  refuse_if(is.null(fit$factor) || is.null(start) || nrow(start) != data$d,
    "size", "start", "must be a fit of the same method with the same features")
  if (model$psd) start else drop(start)
}

start_matrix <- function(start, data, model) {
  d <- view_of(data)$d
  is_sound <- is.matrix(start) && all(dim(start) == d) && is.numeric(start)
  refuse_if(!is_sound || !all(is.finite(start)), "size", "start",
    sprintf("must be a %d x %d matrix of numbers, or a fit", d, d), describe(start))
  start <- t(inner_rows(t(inner_rows(start, data)), data))
  if (!model$psd) {
    return(row_norms(start))
  }
  pairs <- eigen(start, symmetric = TRUE)
  largest <- max(abs(pairs$values))
  refuse_if(!isSymmetric(unname(start)) || min(pairs$values) < -1e-8 * largest,
    "start", "start", "must be symmetric and positive semidefinite")
  keep <- pairs$values > 1e-10 * largest
  pairs$vectors[, keep, drop = FALSE] %*% diag(sqrt(pairs$values[keep]), sum(keep))
}

# ---- data and parameters ----------------------------------------------------

# What all fits to the same data share. The data are divided by a power of two, so that squares of
# squares stay within range: `unit` is what penalties and objectives are then measured in.
spca_problem <- function(data, model) {
  unit <- 2^floor(log2(max(data$square) / data$n) / 2)
  scaled <- divide_data(data, unit)
  frobenius <- model$loss == "frobenius"
  # the trace of S_T at Omega = 0, to which the default penalties are relative
  scale <- data_trace(scaled)
  if (!frobenius) scale <- sum(sqrt(pmax(.Call(C_row_squares, unclass(scaled)), 0))) / 2
  list(
    data = data, samples = spca_samples(scaled, model), model = model,
    length = unit, unit = if (frobenius) unit^2 else unit, scale = scale,
    at_zero = if (frobenius) scale else 2 * scale
  )
}

divide_data <- function(data, unit) {
  data$weight <- or_default(data$weight, rep(1, data$d)) / unit
  data$square <- data$square / unit / unit
  data
}

# The Frobenius loss sees the data through S alone: with more samples than
# features, or from moments, S = R'R replaces them by at most d rows.
spca_samples <- function(data, model) {
  formed <- data$kind == "moments"
  if (model$loss == "l21" || is_sketch(data) || (!formed && data$n <= data$d)) {
    return(sketch_rows_data(data))
  }
  S <- if (formed) data$S * tcrossprod(data$weight) else .Call(C_gram, unclass(data))
  root <- suppressWarnings(chol(S, pivot = TRUE))
  rank <- max(1L, attr(root, "rank"))
  root <- root[seq_len(rank), order(attr(root, "pivot")), drop = FALSE]
  list(kind = "dense", x = root, n = rank, d = data$d, mean = numeric(data$d))
}

# the share of the largest useful penalties that defaults do not exceed
useful_share <- 0.75

# Along eta = eta0 + s eta1, lambda = lambda0 + s lambda1: an s below which
# Omega = 0 is not optimal; the search ends at `enough`
spca_reach <- function(problem, eta0 = 0, eta1 = 0, lambda0 = 0, lambda1 = 0, enough = Inf) {
  .Call(C_spca_reach, unclass(problem$samples), list(
    loss = problem$model$loss, eta0 = eta0, eta1 = eta1, lambda0 = lambda0,
    lambda1 = lambda1, enough = enough
  ))
}

# `wanted`, or less where Omega = 0 might be optimal there
useful_penalty <- function(problem, wanted, ...) {
  reach <- spca_reach(problem, ..., enough = wanted / useful_share)
  if (reach > 0) min(wanted, useful_share * reach) else wanted
}

# list(lambda, eta) in problem$unit; given penalties are in the units of the data
spca_penalties <- function(lambda, eta, problem) {
  level <- problem$scale
  own <- function(given, usual) if (is.null(given)) usual else given / problem$unit
  useful <- function() useful_penalty(problem, 0.05 * level, eta1 = 1, lambda1 = 0.05)
  eta <- own(eta, if (problem$model$adaptive) 0 else useful())
  wanted <- if (eta > 0) 0.05 * eta else 0.01 * level
  list(lambda = own(lambda, useful_penalty(problem, wanted, eta0 = eta, lambda1 = 1)), eta = eta)
}

spca_route <- function() {
  check_choice(getOption("rowsparse.spca_route", "cheapest"), "rowsparse.spca_route",
    c("dense", "lowrank", "cheapest"))
}

# ---- fits -------------------------------------------------------------------

# the arguments of new_fit(), in the units of the data
spca_parts <- function(fit, job) {
  problem <- job$problem
  data <- problem$data
  unit <- problem$unit
  fit$objective <- fit$objective * unit
  reconstruction <- sum(fit$residuals^2) * problem$length^2
  list(
    scores = group_norms(fit$scores, data), loadings = fit$factor, run = fit,
    # penalties near the smallest number make any residual beside them overflow
    kkt = if (is.na(fit$kkt)) NA_real_ else min(fit$kkt, .Machine$double.xmax),
    explained = max(0, 1 - reconstruction / data_trace(data)), bound = fit$bound * unit,
    parameters = c(
      list(lambda = job$lambda * unit, eta = job$eta * unit),
      problem$model[c("loss", "center", "psd", "solver")], list(route = fit$route)
    ),
    factor = per_feature(fit$factor, data), right = per_feature(fit$right, data),
    rank = ncol(fit$factor), reconstruction = reconstruction, rises = fit$rises,
    inner_iterations = fit[["inner"]],
    undecided = if (problem$model$psd && ncol(fit$factor) == 0L) zero_words(fit, job)
  )
}

# The last objective becomes that of the factor. A bound is left out if rounding could have moved
# it by half of the objective; the l21 loss has none, nor have problems without the cone.
finish_spca <- function(fit) {
  if (fit$route == "exact") fit$route <- NULL
  fit$objective[length(fit$objective)] <- fit[["value"]]
  is_known <- isTRUE(fit[["margin"]] <= 0.5 * fit[["value"]])
  if (!is_known && !is.na(fit$bound)) fit$status <- paste0(fit$status, "; rounding leaves no bound")
  fit$bound <- if (is_known) max(fit$bound, 0) else NA_real_
  if (is.null(fit$factor)) fit[c("factor", "right")] <- split_product(fit[["left"]], fit$right)
  fit
}

# Omega = left right' from a singular value decomposition; right: orthonormal, NULL: the identity
split_product <- function(left, right) {
  parts <- svd(left)
  keep <- parts$d > 1e-8 * parts$d[1]
  root <- diag(sqrt(parts$d[keep]), sum(keep))
  v <- parts$v[, keep, drop = FALSE] %*% root
  list(parts$u[, keep, drop = FALSE] %*% root, if (is.null(right)) v else right %*% v)
}

# Words about an Omega of zero; numbers of the fit and the job are in problem$unit
zero_words <- function(fit, job) {
  shown <- function(value) format(value * job$problem$unit, digits = 6)
  below <- spca_reach(job$problem, eta1 = 1, lambda0 = job$lambda)
  reason <- if (job$eta < below) {
    "the iteration fell to zero where the optimum is not; try `solver = \"exact\"`"
  } else if (is.na(fit$lowest)) {
    sprintf("the largest useful `eta` at this `lambda` is at least %s", shown(below))
  } else if (below > 0) {
    sprintf("the largest useful `eta` at this `lambda` lies between %s and %s", shown(below),
      shown(max(below, job$eta - fit$lowest))
    )
  } else {
    reach <- spca_reach(job$problem, lambda1 = 1)
    sprintf("the largest useful `lambda` at `eta` = 0 is about %s", shown(reach))
  }
  sprintf("Omega is zero at `lambda` = %s, `eta` = %s: %s; features are ordered by their variance",
    shown(job$lambda), shown(job$eta), reason
  )
}

# matrices of all features, d x d, or for few samples factors of such
self_representation_bytes <- function(s) {
  wide <- s$kind != "moments" && s$n < s$d && spca_route() != "dense"
  residuals <- if (s$kind == "moments") 0 else s$n * (3 * s$d + 64)
  if (wide) 56 * s$n * s$d + 96 * s$n^2 else 8 * (9 * s$d^2 + residuals)
}

descriptor_spca_psd <- function() {
  descriptor(spca_psd,
    rules = list(
      lambda = optional(positive), eta = check_penalty, solver = function(value, argument) value
    ),
    control = spca_defaults, check = check_spca, solve = solve_spca,
    holds = function(args) args$loss == "l21",
    bytes = function(s) {
      robust <- identical(s$loss, "l21") && !isFALSE(s$psd)
      self_representation_bytes(s) + if (robust) 96 * s$n * (s$side + 16) else 0
    },
    family = "self-representation", sees = "second moments",
    title = "Convex sparse PCA on the positive semidefinite cone",
    cost = "O(n^2 d) or O(d^3) per iteration", reference = "doi:10.48550/arXiv.2309.06202",
    moments = TRUE, penalty = "lambda", largest_penalty = largest_spca_penalty, path_tol = 1e-5,
    penalty_points = followed_spca_points, lowered = c("lambda", "eta")
  )
}

# Points of a path over lambda that the core makes in one walk along the optima. NULL for the
# published iteration, which is made fit by fit.
followed_spca_points <- function(data, grid, given, y) {
  args <- complete_arguments("spca_psd", given)
  if (spca_model(args)$solver != "exact" || length(grid) < 2L) {
    return(NULL)
  }
  for (lambda in grid) positive(lambda, "lambda")
  data <- resolve_blocks(data, "spca_psd")
  args <- check_spca(args, data)
  control <- method_control(method_table()[["spca_psd"]], args)
  check_fit_size("spca_psd", data, solver = "exact")
  args$lambda <- grid[1]
  job <- spca_job(data, args, control)
  lambdas <- grid / job$problem$unit
  fits <- spca_optima(job, lambdas, args[["start"]])
  points <- lapply(seq_along(grid), function(at) {
    job$lambda <- lambdas[at]
    fit <- quiet_fit("spca_psd", data, spca_parts(fits[[at]], job))
    point <- path_point(fit, scored_features(fit))
    point$explained <- fits[[at]]$explained
    point$parameters <- c(fit$parameters, control)
    point
  })
  list(points = points, parameters = points[[length(points)]]$parameters)
}

# twenty times the default, so that lambda = eta: few columns are left
largest_spca_penalty <- function(data, given, y, args = complete_arguments("spca_psd", given)) {
  problem <- spca_problem(data, spca_model(args))
  20 * spca_penalties(NULL, args[["eta"]], problem)$lambda * problem$unit
}
