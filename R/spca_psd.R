#' SPCA-PSD: convex sparse PCA on the positive semidefinite cone
#'
#' Ranks features by the column norms of a reconstruction matrix
#' \eqn{\Omega} (d x d), the solution of
#' \deqn{\min_{\Omega \succeq 0} \; \ell(R) + \lambda \sum_j \|\omega_j\| +
#' \eta \, \mathrm{tr}(\Omega), \qquad R = X_c - X_c \Omega,}{
#' min over Omega >= 0 of loss(R) + lambda sum_j ||omega_j|| + eta tr(Omega),
#' R = Xc - Xc Omega,}
#' where \eqn{X_c}{Xc} is the centred data matrix and \eqn{\omega_j}{omega_j}
#' column \eqn{j}. `lambda` makes columns short (fewer features), `eta` lowers
#' the rank. The problem is convex, and `solver = "exact"` solves it with a
#' certificate.
#'
#' @section Models:
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
#' in place of its columns.
#'
#' The mean is the best centre for the Frobenius loss, so `center` makes no
#' difference there. The l21 loss is robust against outlying samples.
#'
#' @section Solvers:
#' `"paper"` is the published iteration. With
#' \eqn{D = \mathrm{diag}(1 / (2 \|\omega_j\|))}{D = diag(1/(2 ||omega_j||))},
#' sample weights \eqn{T} (the identity, or
#' \eqn{\mathrm{diag}(1 / (2 \|r_i\|))}{diag(1/(2 ||r_i||))}) and
#' \eqn{S_T = X_c' T X_c}{S_T = Xc'T Xc}, it takes
#' \deqn{\Omega \leftarrow \mathrm{PSD\ part\ of\ sym}\left((S_T -
#' \tfrac{\eta}{2} I)(S_T + \lambda D + \epsilon I)^{-1}\right).}{
#' Omega <- PSD part of sym((S_T - eta/2 I)(S_T + lambda D + epsilon I)^{-1}).}
#' Smoothing follows the published code, in the units of the data: machine
#' epsilon (Frobenius loss) or 1e-3 under the roots of the column norms, 1e-6
#' of the mean squared sample norm under those of the residuals,
#' \eqn{\epsilon} 5e-5 (Frobenius) or 3e-4 of the mean diagonal of S_T. Two
#' routes give the same iterates. The dense one works on d x d matrices. The
#' low-rank one, for d > n, never forms one: by Woodbury's formula the matrix
#' has at most n positive eigenvalues, which an iterative eigen-solver finds
#' from those of the step before, and a step costs
#' \eqn{O(n^2 d + n r d)} for rank r. The cheaper one is taken;
#' `options(rowsparse.spca_route = "dense")` or `"lowrank"` forces one.
#'
#' `"exact"` minimises over \eqn{\Omega = FF'} by Newton's method on the d x r
#' factor F (conjugate gradients in a trust region, preconditioned by the
#' blocks of the Hessian), with columns added to F until the dual slack matrix
#' is positive semidefinite. It stops when the relative duality gap is at most
#' `tol`. It uses no d x d matrix for d above about 2n, so d may be large; its cost
#' grows with the rank of \eqn{\Omega}: about \eqn{n r d} per conjugate gradient
#' step and \eqn{n^2 d} per Newton step. Thousands of columns with norms close to
#' zero take hundreds of Newton steps. A small `eta` and a `lambda` much above it
#' mean a large rank. For the l21 loss it also solves AW-SPCA-PSD; where most
#' residuals vanish (`lambda` far below its default) rounding stops it early,
#' with a warning, and `gap` says how far.
#'
#' Without the cone the published iteration is a descent method for the
#' (smoothed) convex problem, so there is no `"exact"` there; `kkt` tells how
#' far it went. CSPCA works on d x d matrices, AW-SPCA on n x n ones for d > n.
#'
#' @section How far the published iteration ends from the optimum:
#' Symmetrising the minimiser and then projecting it is not the minimiser
#' under the constraint. The objective of `"paper"` need not fall, and it ends
#' above the optimum. Both solvers, one thread:
#'
#' ```
#' data           lambda, eta        paper above   top 50 in   rank
#'                                   optimum by    common
#' lung_discrete  default            0.015 %       49           6
#' GLIOMA         default            0.36  %       50           6
#' ALLAML         default            0.23  %       49           7
#' orlraws10P     default            0.15  %       46           7
#' Isolet         default            0.13  %       50           7
#' lung_discrete  10, 10             3.9   %       49          72
#' 60 features    10, 10             257   %       49 (of 60)  45
#' 60 features    100, 10           151   %       50 (of 60)  46
#' ```
#'
#' (`Rscript bench/spca_psd.R finding` prints the table.) With the default
#' parameters the gap is below half a per cent and the ranking of the best
#' features hardly changes. With small parameters the objective is far off
#' while the order of the norms still is about right; use
#' `"exact"` where the norms, the rank or the objective themselves matter, or
#' to compare parameters. For the l21 loss with small parameters on
#' lung_discrete the published iteration ends 35 % (CSPCA-PSD, both 1) to ten
#' times (AW-SPCA-PSD, 0.1) above the best value found.
#'
#' The published code of CSPCA-PSD subtracts \eqn{\eta I} where the derivative
#' gives \eqn{(\eta/2) I}; `"paper"` uses the derivative. On lung_discrete with
#' lambda = eta = 10 and on Isolet the objective then ends 1.3 % and 2.4 %
#' below that of the published code; with lambda = eta = 1 and 0.1 on
#' lung_discrete it ends 8 % and 30 % above, as the projection costs more there
#' than the wrong factor gained. `"exact"` is 20 % and 72 % below the published
#' code there.
#'
#' @param x Data, samples in rows and features in columns; see [bsufs()]. The
#'   Frobenius loss also takes [moments()].
#' @param lambda,eta Penalties on the columns and on the trace, in the units of
#'   the loss. `NULL`: `eta` is 5 % of the scale of the loss, `lambda` is
#'   5 % of that; the scale is tr(S) for the Frobenius loss, the sum of
#'   \eqn{\|x_i\| / 2}{||x_i|| / 2} for the l21 loss. With `center = "adaptive"` `eta` is 0
#'   and `lambda` 1 % of the scale, as it is wherever `eta` is 0.
#'   Raise `eta` for fewer components (the authors advise 1 % to 10 % of
#'   tr(S)), `lambda` (at most a tenth of `eta`) for fewer features. Vectors
#'   give a grid: see Value.
#' @param loss,center,psd The model; see the table.
#' @param solver `"paper"` or `"exact"`; see Solvers.
#' @param start For `"paper"`, a d-vector of column norms, taken as a diagonal
#'   \eqn{\Omega}; for both solvers, a symmetric positive semidefinite d x d
#'   matrix or a fit of this function. `NULL` starts `"paper"` from unit
#'   weights, whose first step has the leading eigenvectors of S, and `"exact"`
#'   from leading eigenvectors. The optimum does not depend on the start, so
#'   `"exact"` does not use a vector; neither do the adaptive models, whose
#'   published iteration starts from unit weights.
#' @param scale Divide features by their standard deviation?
#' @param control Settings from [rowsparse_control()]. Defaults for `"paper"`:
#'   `tol` 1e-5 (relative change of the objective), `maxit` 100 (500 without
#'   the cone), `inner_tol` 1e-10, `inner_maxit` 200 (eigen-solver). For
#'   `"exact"`: `tol` 1e-6 (relative duality gap), `maxit` 300 (Newton steps),
#'   `inner_maxit` 500 (conjugate gradient steps within one).
#' @param assay See [bsufs()].
#'
#' @return A list of class `c("spca_psd", "rowsparse")`:
#'   \item{ranking}{column indices, best first; constant features last}
#'   \item{scores}{column norms of \eqn{\Omega} (row norms without the cone)}
#'   \item{factor, loadings}{F, d x r, with \eqn{\Omega = FF'}; without the
#'     cone \eqn{\Omega = F G'} and `right` holds G. See [omega()]}
#'   \item{rank}{of \eqn{\Omega}}
#'   \item{objective}{value at the start (where it has one) and after each
#'     iteration; the last is the value at the factor}
#'   \item{bound, gap}{a lower bound of the optimum and
#'     (objective - bound) / objective. For `"paper"` this is what the
#'     published iteration left behind; its bound comes from some steps of the
#'     exact solver, for a few times the work of the iteration, so that with a
#'     large rank the gap may be far from tight, though never too small. `NA`
#'     without the cone}
#'   \item{kkt}{first-order residual: the largest of the negative part of the
#'     dual slack's spectrum relative to `lambda + eta`, and
#'     the complementarity \eqn{|\langle M, \Omega\rangle|}{|<M, Omega>|} relative to the
#'     objective; without the cone the relative norm of the gradient}
#'   \item{reconstruction}{\eqn{\|R\|^2}{||R||^2}}
#'   \item{iterations, converged, status, rises}{how the iteration ended, and
#'     how often the objective rose}
#'   \item{parameters}{everything that was used, defaults filled in}
#'   \item{n, d, feature_names, center, scale, elapsed, call}{}
#'
#'   When `lambda` or `eta` is a vector, a list of class `"spca_psd_grid"` with
#'   the fits of all pairs, each started from the one before (largest `eta`,
#'   then largest `lambda` first), and `table`, one row per fit.
#'
#' @section Errors and warnings:
#' Classed errors as in [bsufs()]; `lambda` must be above 0 (at 0 the linear
#' system is singular and the solution is plain PCA with shrunken eigenvalues),
#' `eta` at least 0; a start must be positive semidefinite. A warning of class
#' `rowsparse_warning_zero` names the largest useful `eta` when
#' \eqn{\Omega = 0}; one of class `rowsparse_warning_convergence` says that a
#' limit was reached.
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
#' @seealso [omega()], [selected()], [plot.rowsparse()]
#' @examples
#' fit <- spca_psd(iris[, 1:4], solver = "exact")
#' fit
#' fit$gap
#' round(omega(fit), 3)
#' selected(fit, 2)
#' @export
spca_psd <- function(x, lambda = NULL, eta = NULL, loss = c("frobenius", "l21"),
                     center = c("mean", "adaptive"), psd = TRUE, solver = c("paper", "exact"),
                     start = NULL, scale = FALSE, control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  model <- check_spca_model(loss, center, psd, solver)
  check_penalties(lambda, "lambda", open = TRUE)
  check_penalties(eta, "eta", open = FALSE)
  control <- spca_control(control, model)
  data <- as_data(x, scale, assay)
  if (model$loss == "l21" && data$kind == "moments") {
    stop_rowsparse("type", "x", "must hold the samples for `loss = \"l21\"`", "moments")
  }
  start <- check_spca_start(start, data, model)

  samples <- spca_samples(data, model)
  grid <- spca_grid(lambda, eta, spca_scale(data, model), model)
  if (nrow(grid) > 1L) {
    return(fit_spca_grid(grid, samples, data, model, start, control, call, started))
  }
  fit_spca(grid$lambda, grid$eta, samples, data, model, start, control, call, started)
}

# ---- arguments --------------------------------------------------------------

check_spca_model <- function(loss, center, psd, solver) {
  model <- list(
    loss = check_choice(loss, "loss", c("frobenius", "l21")),
    center = check_choice(center, "center", c("mean", "adaptive")),
    psd = check_flag(psd, "psd"),
    solver = check_choice(solver, "solver", c("paper", "exact"))
  )
  if (!model$psd && model$solver == "exact") {
    stop_rowsparse("choice", "solver",
      "must be \"paper\" with `psd = FALSE`, where that iteration descends to the optimum",
      "\"exact\""
    )
  }
  model$adaptive <- model$loss == "l21" && model$center == "adaptive"
  model
}

# NULL, one number, or a grid of distinct numbers
check_penalties <- function(value, argument, open) {
  if (is.null(value)) {
    return(NULL)
  }
  if (!is.numeric(value) || length(value) == 0L || anyDuplicated(value)) {
    stop_rowsparse("range", argument, "must be a number or distinct numbers", describe(value))
  }
  for (number in value) check_number(number, argument, 0, open_lower = open)
}

spca_control <- function(control, model) {
  if (model$solver == "exact") {
    resolve_control(control, tol = 1e-6, maxit = 300L, inner_maxit = 500L)
  } else {
    resolve_control(control,
      tol = 1e-5, maxit = if (model$psd) 100L else 500L, inner_tol = 1e-10, inner_maxit = 200L
    )
  }
}

# NULL, a d-vector, or a d x r factor F of Omega = F F'
check_spca_start <- function(start, data, model) {
  if (is.null(start)) {
    return(NULL)
  }
  if (inherits(start, "rowsparse")) {
    start <- if (is.null(start$right)) start$factor else omega(start)
    rule <- "must be a fit of spca_psd() with the same features"
    if (is.null(start) || nrow(start) != data$d) stop_rowsparse("size", "start", rule)
    if (model$psd) {
      return(if (ncol(start) > 0L) unname(start))
    }
  }
  if (!is.numeric(start) || !all(is.finite(start))) {
    stop_rowsparse("type", "start", "must hold finite numbers", describe(start))
  }
  if (is.matrix(start) && all(dim(start) == data$d)) {
    start_matrix(unname(start), model)
  } else if (is.null(dim(start)) && length(start) == data$d) {
    start_vector(start, model)
  } else {
    stop_rowsparse("size", "start",
      sprintf("must be a vector of length %d, a %d x %d matrix or a fit", data$d, data$d, data$d),
      describe(start)
    )
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

# The Frobenius loss sees the data through S alone: with more samples than
# features, or from moments, S = R'R replaces them by at most d rows.
spca_samples <- function(data, model) {
  if (model$loss == "l21" || (data$kind != "moments" && data$n <= data$d)) {
    return(data)
  }
  check_memory(32 * data$d^2, "x", "select fewer features first")
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
spca_scale <- function(data, model) {
  if (model$loss == "frobenius") {
    return(data_trace(data))
  }
  sum(sqrt(pmax(.Call(C_row_squares, unclass(data)), 0))) / 2
}

# all pairs, in the order in which each is a good start for the next
spca_grid <- function(lambda, eta, level, model) {
  eta <- or_default(eta, if (model$adaptive) 0 else 0.05 * level)
  if (is.null(lambda)) {
    lambda <- ifelse(eta > 0, 0.05 * eta, 0.01 * level)
    return(data.frame(lambda, eta)[order(-eta), , drop = FALSE])
  }
  grid <- expand.grid(lambda = sort(lambda, decreasing = TRUE), eta = sort(eta, decreasing = TRUE))
  grid[c("lambda", "eta")]
}

spca_settings <- function(lambda, eta, samples, data, model, control) {
  list(
    loss = match(model$loss, c("frobenius", "l21")) - 1L, adaptive = as.integer(model$adaptive),
    lambda = lambda, eta = eta, exact = as.integer(model$solver == "exact"),
    route = spca_route(), expected_rank = expected_rank(eta, samples, data, model),
    tol = control$tol, maxit = control$maxit, inner_maxit = control$inner_maxit,
    inner_tol = or_default(control$inner_tol, 0),
    bound_gap = if (model$loss == "l21") 1e-3 else 1e-5,
    bound_flops = 5e10
  )
}

# -1: the cheaper one
spca_route <- function() {
  route <- getOption("rowsparse.spca_route")
  if (is.null(route)) -1L else match(check_choice(route, "rowsparse.spca_route",
    c("dense", "lowrank")
  ), c("dense", "lowrank")) - 1L
}

# at most that many eigenvalues of S exceed eta / 2
expected_rank <- function(eta, samples, data, model) {
  if (eta == 0 || model$loss == "l21") {
    return(samples$n)
  }
  min(samples$n, 2 * data_trace(data) / eta)
}

# ---- fits -------------------------------------------------------------------

fit_spca <- function(lambda, eta, samples, data, model, start, control, call, started) {
  settings <- spca_settings(lambda, eta, samples, data, model, control)
  fit <- if (model$psd) run_spca(samples, start, settings) else run_plain(samples, start, settings)
  parameters <- c(
    list(lambda = lambda, eta = eta), model[c("loss", "center", "psd", "solver")],
    list(route = fit$route), control
  )
  if (model$psd && ncol(fit$factor) == 0L) warn_zero(eta - fit$lowest)
  new_fit("spca_psd", data,
    scores = fit$scores, loadings = fit$factor, objective = fit$objective,
    iterations = fit$iterations, converged = fit$converged, status = fit$status,
    kkt = fit$kkt, parameters = parameters, call = call, started = started,
    verbose = control$verbose,
    factor = name_rows(fit$factor, data$names), right = name_rows(fit$right, data$names),
    rank = ncol(fit$factor), gap = fit$gap, bound = fit$bound,
    reconstruction = sum(fit$residuals^2), rises = fit$rises, inner_iterations = fit$inner
  )
}

run_spca <- function(samples, start, settings) {
  routes <- c("dense", "lowrank")
  if (settings$route == 0L) check_dense(samples$d)
  fit <- .Call(C_spca_psd, unclass(samples), start, settings)
  fit$gap <- max(0, (fit$value - fit$bound) / fit$value)
  fit$route <- if (fit$route >= 0L) routes[fit$route + 1L]
  recorded <- length(fit$objective)
  fit$objective[recorded] <- fit$value
  fit$iterations <- if (is.null(start) && settings$exact == 0L) recorded else recorded - 1L
  fit
}

# Without a nuclear norm, wide data need no d x d matrix.
run_plain <- function(samples, start, settings) {
  settings$wide <- as.integer(settings$eta == 0 && settings$route != 0L && samples$n < samples$d)
  if (settings$wide == 0L) check_dense(samples$d)
  fit <- .Call(C_spca_plain, unclass(samples), start, settings)
  pair <- if (settings$wide) shorten_pair(fit$left, fit$right) else split_matrix(fit$left)
  fit$factor <- pair$left
  fit$right <- pair$right
  fit$gap <- fit$bound <- NA_real_
  fit$iterations <- length(fit$objective) - !is.null(start)
  fit$route <- if (settings$wide) "lowrank" else "dense"
  fit$inner <- 0L
  fit
}

# Omega = left right' from a singular value decomposition
split_matrix <- function(omega) {
  parts <- svd(omega)
  keep <- parts$d > 1e-10 * parts$d[1]
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

check_dense <- function(d) {
  check_memory(7 * 8 * d^2, "x", "select fewer features first or use the low-rank route")
}

warn_zero <- function(largest) {
  warn_rowsparse("zero", sprintf(
    "Omega is zero: `eta` is too large and no feature is ranked; the largest useful `eta` is %s.",
    format(largest, digits = 6)
  ))
}

fit_spca_grid <- function(grid, samples, data, model, start, control, call, started) {
  fits <- vector("list", nrow(grid))
  for (i in seq_len(nrow(grid))) {
    began <- proc.time()[["elapsed"]]
    fits[[i]] <- fit_spca(grid$lambda[i], grid$eta[i], samples, data, model, start, control,
      call, began
    )
    if (model$psd && fits[[i]]$rank > 0L) start <- unname(fits[[i]]$factor)
  }
  pick <- function(what) vapply(fits, function(fit) as.double(fit[[what]]), numeric(1))
  last <- vapply(fits, function(fit) utils::tail(fit$objective, 1), numeric(1))
  table <- data.frame(grid,
    objective = last, gap = pick("gap"), rank = pick("rank"), iterations = pick("iterations"),
    reconstruction = pick("reconstruction"), row.names = NULL
  )
  structure(
    list(
      fits = fits, table = table, call = call, elapsed = proc.time()[["elapsed"]] - started
    ),
    class = "spca_psd_grid"
  )
}

#' @export
print.spca_psd_grid <- function(x, ...) {
  cat(sprintf("spca_psd: %d fits, %.2f s\n", length(x$fits), x$elapsed))
  print(x$table, digits = 4, row.names = FALSE)
  invisible(x)
}

#' @export
print.spca_psd <- function(x, n = 6, ...) {
  NextMethod()
  gap <- if (is.na(x$gap)) "" else sprintf(", within %.2g of the optimum (relative)", x$gap)
  cat(sprintf("rank %d%s\n", x$rank, gap))
  invisible(x)
}

#' The reconstruction matrix of a fit
#'
#' Forms \eqn{\Omega = FF'} (d x d) from the factor of a fit of [spca_psd()].
#' The fit itself never holds it.
#'
#' @param fit A fit of [spca_psd()].
#' @param limit Largest size to form, in GB.
#' @return A d x d matrix, rows and columns named by feature.
#' @section Errors:
#' Of class `rowsparse_error_memory`, with the GB that the matrix would need,
#' when that exceeds `limit` or the memory of the machine.
#' @examples
#' fit <- spca_psd(iris[, 1:4])
#' omega(fit)
#' @export
omega <- function(fit, limit = 4) {
  if (!inherits(fit, "spca_psd")) {
    stop_rowsparse("type", "fit", "must be a fit of spca_psd()", describe(fit))
  }
  limit <- check_number(limit, "limit", 0)
  bytes <- 8 * fit$d^2
  check_memory(bytes, "fit", "use its factor")
  if (bytes > 1e9 * limit) {
    stop_rowsparse("memory", "fit", sprintf(
      "needs %.1f GB for its %d x %d matrix where `limit` is %g GB; use its factor",
      bytes / 1e9, fit$d, fit$d, limit
    ))
  }
  out <- if (is.null(fit$right)) tcrossprod(fit$factor) else tcrossprod(fit$factor, fit$right)
  if (!is.null(fit$feature_names)) dimnames(out) <- list(fit$feature_names, fit$feature_names)
  out
}
