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
#' `lambda` makes columns short (fewer features), `eta` lowers the rank. The problem is convex.
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
#' `"paper"` is the published iteration, and the only one for the l21 loss. With \eqn{D =
#' \mathrm{diag}(1 / (2 \|\omega_j\|))}{D = diag(1/(2 ||omega_j||))}, sample weights \eqn{T} (the
#' identity, or \eqn{\mathrm{diag}(1 / (2 \|r_i\|))}{diag(1/(2 ||r_i||))}) and \eqn{S_T = X_c' T
#' X_c}{S_T = Xc'T Xc}, it takes
#' \deqn{\Omega \leftarrow \mathrm{PSD\ part\ of\ sym}\left((S_T -
#' \tfrac{\eta}{2} I)(S_T + \lambda D + \epsilon I)^{-1}\right).}{
#' Omega <- PSD part of sym((S_T - eta/2 I)(S_T + lambda D + epsilon I)^{-1}).}
#' Smoothing follows the published code, in the units of the data: machine epsilon (Frobenius loss)
#' or 1e-3 is added under the roots of the column norms, and 1e-6 of the mean squared sample norm
#' under the roots of the residual norms; \eqn{\epsilon} is 5e-5 (Frobenius) or 3e-4 of the mean
#' diagonal of S_T. For d > n the same iterates come from n x n matrices (Woodbury's formula);
#' `options(rowsparse.spca_route = "dense")` or `"lowrank"` forces one way.
#'
#' The symmetric part of a minimiser, projected on the cone, is not the minimiser on the cone, so
#' the objective of `"paper"` need not fall and ends above the optimum: with the default parameters
#' and the Frobenius loss by a fraction of a percent on most data sets, with small penalties far,
#' most for the l21 loss, while the order of the norms is still about right. The published code of
#' CSPCA-PSD subtracts \eqn{\eta I} where the derivative gives \eqn{(\eta/2) I}; `"paper"` uses the
#' derivative.
#'
#' Without the cone the iteration descends to the optimum of the smoothed problem, with less
#' smoothing each time it has converged, down to 1e-6 for rows and 1e-8 of the mean squared sample
#' norm for residuals. [cspca] and `aw_spca` are short names of the two models.
#' @section Where \eqn{\Omega} is zero:
#' With \eqn{G = 2S}{G = 2 S} (Frobenius loss) or \eqn{\sum_i x_i x_i' / \|x_i\|}{sum_i xi xi' /
#' ||xi||} (l21 loss, centred samples), \eqn{\Omega = 0} is optimal exactly when
#' \deqn{\langle G, \Omega \rangle \le \eta \, \mathrm{tr}(\Omega) + \lambda \sum_j
#' \|\omega_j\| \quad \mathrm{for\ all\ } \Omega \succeq 0.}{
#' <G, Omega> <= eta tr(Omega) + lambda sum_j ||omega_j|| for all Omega >= 0.}
#' From \eqn{\eta = \lambda_1(G) - \lambda}{eta = lambda_1(G) - lambda} upwards 0 is certainly
#' optimal; single features, leading and sparse directions, and projectors onto leading eigenvectors
#' of G give penalties below which it is not. A warning of class `rowsparse_warning_zero` names both
#' limits; features are then ranked by variance.
#'
#' @param x Data, see [rowsparse_data]. [moments()] serve the Frobenius loss alone.
#' @param lambda,eta Penalties on the columns and on the trace, in the units of the loss. Raise
#'   `eta` for fewer components (the authors advise 1 % to 10 % of tr(S)), `lambda` (at most a tenth
#'   of `eta`) for fewer features; [rowsparse_path()] takes several `lambda`. `NULL`: `eta` is 5 %
#'   of the scale of the loss, `lambda` is 5 % of `eta`. The scale is tr(S) for the Frobenius loss,
#'   the sum of \eqn{\|x_i\| / 2}{||x_i|| / 2} for the l21 loss. With `center = "adaptive"` `eta` is
#'   0. Wherever `eta` is 0, `lambda` is 1 % of the scale. Defaults are at most three quarters of
#'   the largest useful penalties (see Where \eqn{\Omega} is zero). `lambda` must be above 0.
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
#' @return A list of class `c("spca_psd", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{column norms of \eqn{\Omega} (row norms without the cone)}
#'   \item{factor, loadings}{F, d x r, with \eqn{\Omega = FF'}; without the cone \eqn{\Omega = F G'}
#'     and `right` holds G. `tcrossprod(fit$factor)` is \eqn{\Omega} itself, d x d}
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
  certified <- model$psd && model$loss == "frobenius"
  model$solver <- if (!certified && length(args$solver) > 1L) {
    "paper"
  } else {
    check_choice(args$solver, "solver", c("exact", "paper"))
  }
  if (!certified && model$solver == "exact") {
    stop_rowsparse("choice", "solver",
      "must be \"paper\" with `loss = \"l21\"` or `psd = FALSE`", "\"exact\""
    )
  }
  model$adaptive <- model$loss == "l21" && model$center == "adaptive"
  model
}

spca_penalty <- function(value, argument) {
  if (length(value) > 1L) {
    stop_rowsparse("range", argument, "must be one number", describe(value),
      "rowsparse_path(lambda = ) fits several penalties"
    )
  }
  if (!is.null(value)) check_number(value, argument, 0, open_lower = argument == "lambda")
}

# Newton steps of the exact solver by default, and multiplications they may take, about twenty
# seconds
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
  if (args$loss == "l21" && data$kind == "moments") {
    stop_rowsparse("type", "x", "must hold the samples for `loss = \"l21\"`", "moments")
  }
  args["start"] <- list(check_spca_start(args[["start"]], data, args$model))
  args
}

solve_spca <- function(data, args, control) {
  job <- spca_job(data, args, control)
  settings <- with_row_groups(spca_settings(job), data)
  run <- if (args$psd) run_spca else run_plain
  spca_parts(run(job$problem$samples, args[["start"]], settings, job$problem$at_zero), job)
}

# list(problem, control, lambda, eta): the penalties in problem$unit
spca_job <- function(data, args, control) {
  problem <- spca_problem(data, args$model)
  c(list(problem = problem, control = control),
    spca_penalties(args[["lambda"]], args[["eta"]], problem)
  )
}

# ---- the start ----------------------------------------------------------------

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
      "must be a fit of the same method with the same features"
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
  frobenius <- model$loss == "frobenius"
  # the trace of S_T at Omega = 0, to which the default penalties are relative
  scale <- if (frobenius) {
    data_trace(scaled)
  } else {
    sum(sqrt(pmax(.Call(C_row_squares, unclass(scaled)), 0))) / 2
  }
  list(
    data = data, scaled = scaled, samples = spca_samples(scaled, model), model = model,
    length = unit, unit = if (frobenius) unit^2 else unit, scale = scale,
    at_zero = if (frobenius) scale else 2 * scale
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
  eta <- if (!is.null(eta)) {
    eta / problem$unit
  } else if (problem$model$adaptive) {
    0
  } else {
    useful_penalty(problem, 0.05 * level, eta1 = 1, lambda1 = 0.05)
  }
  lambda <- if (!is.null(lambda)) {
    lambda / problem$unit
  } else {
    wanted <- if (eta > 0) 0.05 * eta else 0.01 * level
    useful_penalty(problem, wanted, eta0 = eta, lambda1 = 1)
  }
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
    kkt = min(fit$kkt, .Machine$double.xmax),
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
  pair <- if (wide) shorten_pair(fit[["left"]], fit$right) else split_matrix(fit[["left"]])
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
  wide <- s$kind != "moments" && s$n < s$d && spca_route() != "dense"
  if (wide) {
    return(32 * s$n * s$d + 96 * s$n^2)
  }
  residuals <- if (s$kind == "moments") 0 else s$n * (2 * s$d + 192) + s$d^2
  8 * (6 * s$d^2 + residuals)
}

descriptor_spca_psd <- function() {
  descriptor(spca_psd,
    rules = list(
      lambda = spca_penalty, eta = spca_penalty, solver = function(value, argument) value
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
  for (lambda in grid) spca_penalty(lambda, "lambda")
  data <- resolve_blocks(data, "spca_psd")
  args <- check_spca(args, data)
  control <- method_control(known_descriptor("spca_psd"), args)
  check_fit_size("spca_psd", data, solver = "exact", control = control)
  args$lambda <- grid[1]
  job <- spca_job(data, args, control)
  lambdas <- grid / job$problem$unit
  settings <- c(spca_settings(job), list(lambdas = lambdas, etas = rep(job$eta, length(grid))))
  fits <- .Call(C_spca_path, unclass(job$problem$samples), args[["start"]], settings)
  points <- lapply(seq_along(grid), function(at) {
    job$lambda <- lambdas[at]
    parts <- spca_parts(finish_spca(fits[[at]], "frobenius"), job)
    fit <- quietly(do.call(new_fit, c(list("spca_psd", data), parts, list(
      call = NULL, started = proc.time()[["elapsed"]], verbose = FALSE
    )), quote = TRUE))
    point <- path_point(fit, scored_features(fit))
    point$explained <- fits[[at]]$explained
    point$parameters <- c(fit$parameters, control)
    point
  })
  list(points = points, parameters = points[[length(points)]]$parameters)
}

# twenty times the default, so that lambda = eta: few columns are left
largest_spca_penalty <- function(data, given, y) {
  args <- complete_arguments("spca_psd", given)
  largest_model_penalty(data, args[["eta"]], spca_model(args))
}

largest_model_penalty <- function(data, eta, model) {
  problem <- spca_problem(data, model)
  20 * spca_penalties(NULL, eta, problem)$lambda * problem$unit
}
