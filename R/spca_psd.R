#' SPCA-PSD: convex sparse PCA on the positive semidefinite cone
#'
#' Ranks features by how much they contribute when the whole table is reconstructed from itself. It
#' needs no labels. A larger `lambda` gives fewer features, a larger `eta` fewer components. The
#' problem is convex: the default solver finds its optimum, with a certificate. `solver = "paper"`
#' is the published iteration, which ends near the optimum.
#'
#' @section The problem:
#' Ranks features by the column norms of a reconstruction matrix
#' \eqn{\Omega} (d x d), the solution of
#' \deqn{\min_{\Omega \succeq 0} \; \ell(R) + \lambda \sum_j \|\omega_j\| +
#' \eta \, \mathrm{tr}(\Omega), \qquad R = X_c - X_c \Omega,}{
#' min over Omega >= 0 of loss(R) + lambda sum_j ||omega_j|| + eta tr(Omega),
#' R = Xc - Xc Omega,}
#' where \eqn{X_c}{Xc} is the centred data matrix and \eqn{\omega_j}{omega_j}
#' column \eqn{j}. `lambda` makes columns short (fewer features), `eta` lowers
#' the rank. The problem is convex.
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
#' d x r factor F. Each step is found by conjugate gradients in a trust region. F gains columns
#' until the dual slack matrix is positive semidefinite; the solver stops when the relative duality
#' gap is at most `tol`. It costs about \eqn{n r d} per conjugate gradient step and \eqn{n^2 d} per
#' Newton step, and uses no d x d matrix for d above 2n. Rounding may stop it at a gap of some 1e-6,
#' and so may columns whose scales differ by 1e4 and more; a warning says so. The best point on the
#' way is returned.
#'
#' `"paper"` is the published iteration, and the only one for the l21 loss. With
#' \eqn{D = \mathrm{diag}(1 / (2 \|\omega_j\|))}{D = diag(1/(2 ||omega_j||))},
#' sample weights \eqn{T} (the identity, or
#' \eqn{\mathrm{diag}(1 / (2 \|r_i\|))}{diag(1/(2 ||r_i||))}) and
#' \eqn{S_T = X_c' T X_c}{S_T = Xc'T Xc}, it takes
#' \deqn{\Omega \leftarrow \mathrm{PSD\ part\ of\ sym}\left((S_T -
#' \tfrac{\eta}{2} I)(S_T + \lambda D + \epsilon I)^{-1}\right).}{
#' Omega <- PSD part of sym((S_T - eta/2 I)(S_T + lambda D + epsilon I)^{-1}).}
#' Smoothing follows the published code, in the units of the data: machine epsilon (Frobenius loss)
#' or 1e-3 is added under the roots of the column norms, and 1e-6 of the mean squared sample norm
#' under the roots of the residual norms; \eqn{\epsilon} is 5e-5 (Frobenius) or 3e-4 of the mean
#' diagonal of S_T. For d > n the same iterates come from n x n matrices (Woodbury's formula) at
#' \eqn{O(n^2 d + n r d)} per step; `options(rowsparse.spca_route = "dense")` or `"lowrank"` forces
#' one way.
#'
#' The symmetric part of a minimiser, projected on the cone, is not the minimiser on the cone, so
#' the objective of `"paper"` need not fall and ends above the optimum: with the default parameters
#' and the Frobenius loss by a fraction of a percent on most data sets, and of the best 50 features
#' nearly all are the same. With small penalties it ends far above, most for the l21 loss, while
#' the order of the norms is still about right. The published code of CSPCA-PSD subtracts
#' \eqn{\eta I} where the derivative gives \eqn{(\eta/2) I}; `"paper"` uses the derivative.
#'
#' Without the cone the iteration descends to the optimum of the smoothed problem; `kkt` tells how
#' close it came. It continues with less smoothing each time it has converged, down to 1e-6 for rows
#' and 1e-8 of the mean squared sample norm for residuals. [cspca] and `aw_spca` are short names of
#' the two models.
#'
#' @section Where \eqn{\Omega} is zero:
#' With \eqn{G = 2S}{G = 2 S} (Frobenius loss) or
#' \eqn{\sum_i x_i x_i' / \|x_i\|}{sum_i xi xi' / ||xi||} (l21 loss, centred samples),
#' \eqn{\Omega = 0} is optimal exactly when
#' \deqn{\langle G, \Omega \rangle \le \eta \, \mathrm{tr}(\Omega) + \lambda \sum_j
#' \|\omega_j\| \quad \mathrm{for\ all\ } \Omega \succeq 0.}{
#' <G, Omega> <= eta tr(Omega) + lambda sum_j ||omega_j|| for all Omega >= 0.}
#' From \eqn{\eta = \lambda_1(G) - \lambda}{eta = lambda_1(G) - lambda} upwards 0 is certainly
#' optimal; single features, leading and sparse directions, and projectors onto leading eigenvectors
#' of G give penalties below which it is not. A warning of class `rowsparse_warning_zero` names both
#' limits; features are then ranked by variance.
#'
#' @param x Data as for [bsufs()]. [moments()] serve the Frobenius loss alone.
#' @param lambda,eta Penalties on the columns and on the trace, in the units of the loss. Raise
#'   `eta` for fewer components (the authors advise 1 % to 10 % of tr(S)), `lambda` (at most a tenth
#'   of `eta`) for fewer features; [rowsparse_path()] takes several `lambda`. `NULL`: `eta` is 5 %
#'   of the scale of the loss, `lambda` is 5 % of `eta`. The scale is tr(S) for the Frobenius loss,
#'   the sum of \eqn{\|x_i\| / 2}{||x_i|| / 2} for the l21 loss. With `center = "adaptive"` `eta` is
#'   0. Wherever `eta` is 0, `lambda` is 1 % of the scale. Defaults are at most three quarters of the
#'   largest useful penalties (see Where \eqn{\Omega} is zero). `lambda` must be above 0.
#' @param loss,center,psd The model, by default SPCA-PSD; see the table.
#' @param solver `"exact"`, the default of the Frobenius loss on the cone, finds the optimum, to a
#'   gap of `tol`; `"paper"` is the published iteration, the default elsewhere. See Solvers.
#' @param start A symmetric positive semidefinite d x d matrix or a fit of this function. For
#'   `"paper"` also a d-vector of column norms, taken as a diagonal \eqn{\Omega}. `NULL` starts
#'   `"paper"` from unit weights and `"exact"` from leading eigenvectors, as do the adaptive models
#'   and `"exact"` where a vector is given. The optimum does not depend on the start.
#' @param scale Divide features by their standard deviation? By default not.
#' @param control Settings from [rowsparse_control()]. Defaults for `"paper"`: `tol` 1e-5 (relative
#'   change of the objective), `maxit` 100 (500 without the cone), `inner_tol` 1e-10, `inner_maxit`
#'   200 (eigen-solver). For `"exact"`: `tol` 1e-6 (relative duality gap), `maxit` 300 (Newton
#'   steps), `inner_maxit` 500 (conjugate gradient steps within one).
#' @inheritParams bsufs
#'
#' @return A list of class `c("spca_psd", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{column norms of \eqn{\Omega} (row norms without the cone)}
#'   \item{factor, loadings}{F, d x r, with \eqn{\Omega = FF'}; without the
#'     cone \eqn{\Omega = F G'} and `right` holds G. `tcrossprod(fit$factor)` is
#'     \eqn{\Omega} itself, d x d}
#'   \item{rank}{rank of \eqn{\Omega}}
#'   \item{objective}{value at the start (at \eqn{\Omega = 0}{Omega = 0} where `"paper"` starts from
#'     weights) and after each iteration; the last is the value at the factor, with the best centre
#'     where the centre is free}
#'   \item{bound, gap}{for the Frobenius loss a lower bound of the optimum and (objective - bound) /
#'     objective; else `NA`. The bound allows for rounding; where that could move it by half of the
#'     objective, it is `NA`, and `status` says so. For `"paper"` the bound is computed at the last
#'     point and is far from tight}
#'   \item{kkt}{first-order residual at the multipliers that gave the bound: the larger of the
#'     negative part of the dual slack's spectrum, relative to `lambda + eta`, and the
#'     complementarity \eqn{|\langle M, \Omega\rangle|}{|<M, Omega>|}, relative to the objective.
#'     Without the cone the relative norm of the gradient of the smoothed problem}
#'   \item{reconstruction}{\eqn{\|R\|^2}{||R||^2}}
#'   \item{explained}{1 - \eqn{\|R\|^2 / \|X_c\|^2}{||R||^2 / ||Xc||^2}, or 0 if negative}
#'   \item{rises}{how often the objective rose}
#'
#' @references
#' Zheng, Zhang, Liu, Jiang, Huo and Liu (2023) Fast sparse PCA via positive
#' semidefinite projection for unsupervised feature selection.
#' \doi{10.48550/arXiv.2309.06202}
#'
#' Chang, Nie, Yang, Zhang and Huang (2016) Convex sparse PCA for unsupervised
#' feature learning. ACM Transactions on Knowledge Discovery from Data 11.
#' \doi{10.1145/2910585}
#'
#' Yi, He, Jing, Li, Cheung and Nie (2020) Adaptive weighted sparse principal
#' component analysis for robust unsupervised feature selection. IEEE
#' Transactions on Neural Networks and Learning Systems 31, 2153-2163.
#' \doi{10.1109/TNNLS.2019.2928755}
#'
#' Burer and Monteiro (2003) A nonlinear programming algorithm for solving
#' semidefinite programs via low-rank factorization. Mathematical Programming
#' 95, 329-357. \doi{10.1007/s10107-002-0352-8}
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
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  model <- check_spca_model(loss, center, psd, solver)
  data <- as_data(x, scale, assay, block, include, exclude)
  hold <- if (model$loss == "l21") hold_blocks else resolve_blocks
  fit_spca(hold(data, "spca_psd"), lambda, eta, model, start, control, call, started)
}

fit_spca <- function(data, lambda, eta, model, start, control, call, started) {
  job <- spca_job(data, lambda, eta, model, start, control)
  problem <- job$problem
  settings <- with_row_groups(spca_settings(job), data)
  run <- if (model$psd) run_spca else run_plain
  fit <- run(problem$samples, job$start, settings, loss_at_zero(problem))
  spca_result(fit, job, call, started)
}

# list(problem, lambda, eta, start, control): the arguments checked and prepared, the penalties in
# problem$unit
spca_job <- function(data, lambda, eta, model, start, control) {
  check_spca_penalty(lambda, "lambda", open = TRUE)
  check_spca_penalty(eta, "eta", open = FALSE)
  control <- spca_control(control, model)
  if (model$loss == "l21" && data$kind == "moments") {
    stop_rowsparse("type", "x", "must hold the samples for `loss = \"l21\"`", "moments")
  }
  start <- check_spca_start(start, data, model)
  check_fit_size(model$name, data,
    loss = model$loss, psd = model$psd, solver = model$solver, spca_route = spca_route(),
    control = control
  )
  problem <- spca_problem(data, model)
  c(list(problem = problem, start = start, control = control), spca_penalties(lambda, eta, problem))
}

# ---- arguments --------------------------------------------------------------

check_spca_model <- function(loss, center, psd, solver, name = "spca_psd") {
  model <- list(
    name = name,
    loss = check_choice(loss, "loss", c("frobenius", "l21")),
    center = check_choice(center, "center", c("mean", "adaptive")),
    psd = check_flag(psd, "psd"),
    solver = check_choice(solver, "solver", c("exact", "paper"))
  )
  certified <- model$psd && model$loss == "frobenius"
  if (!certified && length(solver) > 1L) model$solver <- "paper"
  if (!certified && model$solver == "exact") {
    stop_rowsparse("choice", "solver",
      "must be \"paper\" with `loss = \"l21\"` or `psd = FALSE`", "\"exact\""
    )
  }
  model$adaptive <- model$loss == "l21" && model$center == "adaptive"
  model
}

# NULL or one number
check_spca_penalty <- function(value, argument, open) {
  if (length(value) > 1L) {
    stop_rowsparse("range", argument, "must be one number", describe(value),
      "rowsparse_path(lambda = ) fits several penalties"
    )
  }
  if (!is.null(value)) check_number(value, argument, 0, open_lower = open)
}

spca_control <- function(control, model) {
  if (model$solver == "exact") {
    resolve_control(control, tol = 1e-6, maxit = spca_steps, inner_maxit = 500L)
  } else {
    resolve_control(control,
      tol = 1e-5, maxit = if (model$psd) 100L else 500L, inner_tol = 1e-10, inner_maxit = 200L
    )
  }
}

# Newton steps of the exact solver by default, and multiplications they may take, about twenty
# seconds
spca_steps <- 300L
spca_flops <- 3e11

# NULL, a d-vector, or a d x r factor F of Omega = F F'
check_spca_start <- function(start, data, model) {
  if (is.null(start)) {
    return(NULL)
  }
  if (inherits(start, "rowsparse")) {
    start <- fitted_start(start, data, model)
    if (model$psd) {
      return(if (ncol(start) > 0L) unname(start))
    }
  }
  if (!is.numeric(start) || !all(is.finite(start))) {
    stop_rowsparse("type", "start", "must hold finite numbers", describe(start))
  }
  start <- inner_square(start, data)
  if (is.matrix(start) && all(dim(start) == data$d)) {
    return(start_matrix(unname(start), model))
  }
  if (!is.null(dim(start)) || length(start) != data$d) {
    stop_rowsparse("size", "start",
      sprintf("must be a vector of length %d, a %d x %d matrix or a fit", data$d, data$d, data$d),
      describe(start)
    )
  }
  start_vector(start, model)
}

# the factor of a fit for the features of the data; without the cone Omega itself
fitted_start <- function(fit, data, model) {
  start <- if (is.null(fit$right)) {
    inner_rows(rows_of_features(fit, fit$factor, data), data)
  } else {
    omega(fit)
  }
  if (is.null(start) || !nrow(start) %in% c(data$d, view_of(data)$d)) {
    stop_rowsparse("size", "start",
      sprintf("must be a fit of %s() with the same features", model$name)
    )
  }
  start
}

# a vector or a square matrix of all features, for those that are left
inner_square <- function(start, data) {
  whole <- view_of(data)
  if (is.matrix(start) && all(dim(start) == whole$d)) {
    start[whole$kept, whole$kept, drop = FALSE]
  } else if (is.null(dim(start)) && length(start) == whole$d) {
    start[whole$kept]
  } else {
    start
  }
}

start_vector <- function(start, model) {
  if (any(start < 0)) {
    stop_rowsparse("start", "start", "must be positive semidefinite: norms of at least 0",
      format(min(start), digits = 6)
    )
  }
  if (!model$adaptive && model$solver == "paper") as.double(start)
}

start_matrix <- function(start, model) {
  if (!model$psd) {
    return(start_vector(row_norms(start), model))
  }
  if (!isSymmetric(start)) {
    stop_rowsparse("start", "start", "must be symmetric and positive semidefinite",
      "a matrix that is not symmetric"
    )
  }
  pairs <- eigen(start, symmetric = TRUE)
  largest <- max(abs(pairs$values))
  if (min(pairs$values) < -1e-8 * largest) {
    stop_rowsparse("start", "start", "must be positive semidefinite",
      paste("a smallest eigenvalue of", format(min(pairs$values), digits = 6))
    )
  }
  keep <- pairs$values > 1e-10 * largest
  if (any(keep)) pairs$vectors[, keep, drop = FALSE] %*% diag(sqrt(pairs$values[keep]), sum(keep))
}

# ---- data and parameters ----------------------------------------------------

# What all fits to the same data share. The solvers see the data divided by a
# power of two, so that no unit takes squares of squares out of range: `unit` is
# what penalties and objectives are then measured in.
spca_problem <- function(data, model) {
  unit <- 2^floor(log2(max(data$square) / data$n) / 2)
  scaled <- divide_data(data, unit)
  list(
    data = data, scaled = scaled, samples = spca_samples(scaled, model), model = model,
    length = unit, unit = if (model$loss == "frobenius") unit^2 else unit
  )
}

divide_data <- function(data, unit) {
  data$weight <- or_default(data$weight, rep(1, data$d)) / unit
  data$square <- data$square / unit^2
  data
}

# The Frobenius loss sees the data through S alone: with more samples than
# features, or from moments, S = R'R replaces them by at most d rows.
spca_samples <- function(data, model) {
  if (model$loss == "l21" || (data$kind != "moments" && data$n <= data$d)) {
    return(data)
  }
  if (is_sketch(data)) {
    return(sketch_rows_data(data))
  }
  S <- scatter_matrix(data)
  root <- suppressWarnings(chol(S, pivot = TRUE))
  rank <- max(1L, attr(root, "rank"))
  root <- root[seq_len(rank), order(attr(root, "pivot")), drop = FALSE]
  list(kind = "dense", x = root, n = rank, d = data$d, mean = numeric(data$d))
}

scatter_matrix <- function(data) {
  if (data$kind != "moments") {
    return(.Call(C_gram, unclass(data)))
  }
  if (is.null(data$weight)) data$S else data$S * tcrossprod(data$weight)
}

# what the default parameters are relative to: the trace of S_T at Omega = 0
spca_scale <- function(problem) {
  if (problem$model$loss == "frobenius") {
    return(data_trace(problem$scaled))
  }
  sum(sqrt(pmax(.Call(C_row_squares, unclass(problem$scaled)), 0))) / 2
}

# the objective at Omega = 0
loss_at_zero <- function(problem) {
  spca_scale(problem) * if (problem$model$loss == "frobenius") 1 else 2
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

default_eta <- function(problem, level) {
  if (problem$model$adaptive) {
    return(0)
  }
  useful_penalty(problem, 0.05 * level, eta1 = 1, lambda1 = 0.05)
}

default_lambda <- function(problem, level, eta) {
  wanted <- if (eta > 0) 0.05 * eta else 0.01 * level
  useful_penalty(problem, wanted, eta0 = eta, lambda1 = 1)
}

# list(lambda, eta) in problem$unit; given penalties are in the units of the data
spca_penalties <- function(lambda, eta, problem) {
  level <- spca_scale(problem)
  eta <- if (is.null(eta)) default_eta(problem, level) else eta / problem$unit
  lambda <- if (is.null(lambda)) default_lambda(problem, level, eta) else lambda / problem$unit
  list(lambda = lambda, eta = eta)
}

spca_settings <- function(job) {
  model <- job$problem$model
  control <- job$control
  list(
    loss = model$loss, adaptive = as.integer(model$adaptive),
    lambda = job$lambda, eta = job$eta, solver = model$solver,
    route = spca_route(), expected_rank = expected_rank(job$eta, job$problem),
    tol = control$tol, maxit = control$maxit, inner_maxit = control$inner_maxit,
    inner_tol = or_default(control$inner_tol, 0), flops = spca_flops * control$maxit / spca_steps
  )
}

spca_route <- function() {
  check_choice(getOption("rowsparse.spca_route", "cheapest"), "rowsparse.spca_route",
    c("dense", "lowrank", "cheapest")
  )
}

# at most that many eigenvalues of S exceed eta / 2
expected_rank <- function(eta, problem) {
  most <- problem$samples$n
  if (eta == 0 || problem$model$loss == "l21") {
    return(most)
  }
  min(most, 2 * data_trace(problem$scaled) / eta)
}

# ---- fits -------------------------------------------------------------------

spca_result <- function(fit, job, call, started) {
  problem <- job$problem
  model <- problem$model
  data <- problem$data
  control <- job$control
  fit <- in_data_units(fit, problem)
  parameters <- c(
    list(lambda = job$lambda * problem$unit, eta = job$eta * problem$unit),
    model[c("loss", "center", "psd", "solver")], list(route = fit$route), control
  )
  new_fit(unique(c(model$name, "spca_psd")), data,
    scores = group_norms(fit$scores, data), loadings = fit$factor, run = fit,
    # penalties near the smallest number make any residual beside them overflow
    kkt = min(fit$kkt, .Machine$double.xmax),
    explained = max(0, 1 - fit$reconstruction / data_trace(data)), bound = fit$bound,
    parameters = parameters, call = call, started = started, verbose = control$verbose,
    factor = per_feature(fit$factor, data), right = per_feature(fit$right, data),
    rank = ncol(fit$factor),
    reconstruction = fit$reconstruction, rises = fit$rises, inner_iterations = fit[["inner"]],
    undecided = if (model$psd && ncol(fit$factor) == 0L) zero_words(fit, job)
  )
}

in_data_units <- function(fit, problem) {
  fit$objective <- fit$objective * problem$unit
  fit$bound <- fit$bound * problem$unit
  fit$reconstruction <- sum(fit$residuals^2) * problem$length^2
  fit
}

run_spca <- function(samples, start, settings, at_zero) {
  fit <- finish_spca(.Call(C_spca_psd, unclass(samples), start, settings), settings$loss)
  if (settings$solver == "paper") with_first_objective(fit, start, at_zero) else fit
}

# The last objective becomes that of the factor. A bound of the Frobenius loss is left out if
# rounding could have moved it by half of the objective; the l21 loss has none.
finish_spca <- function(fit, loss) {
  if (fit$route == "exact") fit$route <- NULL
  fit$objective[length(fit$objective)] <- fit[["value"]]
  if (loss == "l21") {
    fit$bound <- NA_real_
  } else if (isTRUE(fit[["margin"]] <= 0.5 * fit[["value"]])) {
    fit$bound <- max(fit$bound, 0)
  } else {
    fit$bound <- NA_real_
    fit$status <- paste0(fit$status, "; rounding leaves no bound")
  }
  fit
}

# unit weights, which the published iteration starts from, stand for Omega = 0
with_first_objective <- function(fit, start, at_zero) {
  if (is.null(start)) fit$objective <- c(at_zero, fit$objective)
  fit
}

# wide data need no d x d matrix
run_plain <- function(samples, start, settings, at_zero) {
  wide <- settings$route != "dense" && samples$n < samples$d
  settings$wide <- as.integer(wide)
  fit <- .Call(C_spca_plain, unclass(samples), start, settings)
  pair <- if (wide) shorten_pair(fit$left, fit$right) else split_matrix(fit$left)
  fit[c("factor", "right")] <- pair
  fit$bound <- NA_real_
  fit$route <- if (wide) "lowrank" else "dense"
  fit$inner <- 0L
  with_first_objective(fit, start, at_zero)
}

# Omega = left right' from a singular value decomposition
split_matrix <- function(omega) {
  parts <- svd(omega)
  keep <- parts$d > 1e-8 * parts$d[1]
  root <- rep(sqrt(parts$d[keep]), each = nrow(omega))
  list(left = parts$u[, keep, drop = FALSE] * root, right = parts$v[, keep, drop = FALSE] * root)
}

# the same pair with as many columns as the product has rank
shorten_pair <- function(left, right) {
  a <- qr(left, LAPACK = TRUE)
  b <- qr(right, LAPACK = TRUE)
  core <- tcrossprod(unpivoted_r(a), unpivoted_r(b))
  inner <- split_matrix(core)
  list(left = qr.qy(a, pad_rows(inner$left, nrow(left))),
    right = qr.qy(b, pad_rows(inner$right, nrow(right))))
}

unpivoted_r <- function(decomposition) {
  qr.R(decomposition)[, order(decomposition$pivot), drop = FALSE]
}

pad_rows <- function(m, rows) {
  rbind(m, matrix(0, rows - nrow(m), ncol(m)))
}

# Words about an Omega of zero; numbers of the fit and the job are in problem$unit
zero_words <- function(fit, job) {
  problem <- job$problem
  lambda <- job$lambda
  eta <- job$eta
  shown <- function(value) format(value * problem$unit, digits = 6)
  below <- spca_reach(problem, eta1 = 1, lambda0 = lambda)
  reason <- if (eta < below) {
    "the iteration fell to zero where the optimum is not; try `solver = \"exact\"`"
  } else if (below > 0) {
    sprintf("the largest useful `eta` at this `lambda` lies between %s and %s", shown(below),
      shown(max(below, eta - fit$lowest))
    )
  } else {
    sprintf("the largest useful `lambda` at `eta` = 0 is about %s",
      shown(spca_reach(problem, lambda1 = 1))
    )
  }
  sprintf("Omega is zero at `lambda` = %s, `eta` = %s: %s; features are ordered by their variance",
    shown(lambda), shown(eta), reason
  )
}

spca_point <- function(fit, explained) {
  point <- path_point(fit, scored_features(fit))
  point$explained <- explained
  point$parameters <- fit$parameters
  point
}

#' @export
print.spca_psd <- function(x, n = 10, ...) {
  NextMethod()
  gap <- if (is.na(x$gap)) "" else sprintf(", within %.2g of the optimum (relative)", x$gap)
  cat(sprintf("rank %d%s\n", x$rank, gap))
  invisible(x)
}

# Omega of a fit, d x d, named by feature
omega <- function(fit) {
  check_memory(8 * fit$d^2, "start", "pass its factor")
  # symmetric to the last digit with any BLAS where it is the square of one factor
  out <- tcrossprod(fit$factor, fit$right)
  if (!is.null(fit$feature_names)) dimnames(out) <- list(fit$feature_names, fit$feature_names)
  out
}

# ---- descriptor -------------------------------------------------------------

# a matrix of all features, d x d, or for few samples its two factors
self_representation_bytes <- function(s) {
  wide <- s$kind != "moments" && s$n < s$d && !identical(s$spca_route, "dense")
  if (wide) {
    return(32 * s$n * s$d + 96 * s$n^2)
  }
  residuals <- if (s$kind == "moments") 0 else s$n * (2 * s$d + 192) + s$d^2
  8 * (6 * s$d^2 + residuals)
}

descriptor_spca_psd <- function() {
  descriptor(spca_psd,
    bytes = function(s) {
      robust <- identical(s$loss, "l21") && !isFALSE(s$psd)
      self_representation_bytes(s) + if (robust) 96 * s$n * (s$side + 16) else 0
    },
    family = "self-representation", sees = "second moments",
    title = "Convex sparse PCA on the positive semidefinite cone",
    cost = "O(n^2 d) or O(d^3) per iteration",
    reference = "doi:10.48550/arXiv.2309.06202", sizes = "nested",
    penalty = "lambda", largest_penalty = largest_spca_penalty, path_tol = 1e-5,
    penalty_points = followed_spca_points, lowered = c("lambda", "eta")
  )
}

given_spca_model <- function(given) {
  defaults <- formals(spca_psd)
  check_spca_model(
    or_default(given[["loss"]], eval(defaults$loss)),
    or_default(given[["center"]], eval(defaults$center)), or_default(given[["psd"]], TRUE),
    or_default(given[["solver"]], eval(defaults$solver))
  )
}

# Points of a path over lambda that the core makes in one walk along the optima. NULL for the
# published iteration, which is made fit by fit.
followed_spca_points <- function(data, grid, given, y) {
  model <- given_spca_model(given)
  if (model$solver != "exact" || length(grid) < 2L) {
    return(NULL)
  }
  for (lambda in grid) check_spca_penalty(lambda, "lambda", open = TRUE)
  data <- resolve_blocks(data, "spca_psd")
  job <- spca_job(data, grid[1], given[["eta"]], model, given[["start"]], given[["control"]])
  lambdas <- grid / job$problem$unit
  settings <- c(spca_settings(job), list(lambdas = lambdas, etas = rep(job$eta, length(grid))))
  began <- proc.time()[["elapsed"]]
  fits <- .Call(C_spca_path, unclass(job$problem$samples), job$start, settings)
  points <- lapply(seq_along(grid), function(at) {
    share <- fits[[at]]$explained
    job$lambda <- lambdas[at]
    fit <- finish_spca(fits[[at]], model$loss)
    spca_point(quietly(spca_result(fit, job, NULL, began)), share)
  })
  list(points = points, parameters = points[[length(points)]]$parameters)
}

# twenty times the default, so that lambda = eta: few columns are left
largest_spca_penalty <- function(data, given, y) {
  largest_model_penalty(data, given[["eta"]], given_spca_model(given))
}

largest_model_penalty <- function(data, eta, model) {
  check_spca_penalty(eta, "eta", open = FALSE)
  problem <- spca_problem(data, model)
  20 * spca_penalties(NULL, eta, problem)$lambda * problem$unit
}
