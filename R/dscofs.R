#' DSCOFS: PCA under double sparsity constraints
#'
#' Selects exactly k features by principal components that use no others and have few
#' nonzero loadings, without labels. Use it as [fspca()], where single loadings should be
#' sparse, too; `alpha = 1` switches that off.
#'
#' @section The problem:
#' Selects exactly k features by principal component analysis with two sparsity
#' constraints on the loadings,
#' \deqn{\max_{W'W = I_m} \; \mathrm{tr}(W'SW) \quad \mbox{subject to at most }
#' k \mbox{ nonzero rows and at most } s \mbox{ nonzero entries},}{
#' max over W'W = I_m of tr(W'SW) subject to at most k nonzero rows and at most
#' s nonzero entries,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred data
#' and \eqn{W} is d x m. The first constraint removes features, the second
#' single loadings.
#'
#' @section Algorithm:
#' With copies \eqn{Y} (at most s nonzero entries) and \eqn{Z} (at most k
#' nonzero rows) of \eqn{W} the method minimises
#' \deqn{f(W, Y, Z) = -\mathrm{tr}(W'SW) + \mu_1 \|W - Y\|^2 + \mu_2 \|W - Z\|^2}{
#' f(W, Y, Z) = -tr(W'SW) + mu1 ||W - Y||^2 + mu2 ||W - Z||^2}
#' by proximal alternating minimisation, in the order W, Y, Z. Y keeps the s
#' entries of largest modulus, Z the k rows of largest norm; both are found in
#' linear time; values that differ by rounding (1e-11 of the largest) tie, and ties
#' go to the feature of larger variance, then to the smaller index. `alpha = 1` switches Y off and
#' `k = d` switches Z off: the copy then is W, without a coupling.
#'
#' The step in W is a problem on the Stiefel manifold. `solver = "mm"` takes
#' one step \eqn{W \leftarrow \mathrm{polar}(2SW + C)}{W <- polar(2 S W + C)} with
#' \eqn{C = 2(\mu_1 Y + \mu_2 Z + \tau_1 W)}{C = 2 (mu1 Y + mu2 Z + tau1 W)}; it
#' first tries an extrapolated argument and falls back on the plain one where f
#' would not decrease enough. `"pencf"` minimises over W by the authors'
#' exact-penalty first-order method, `"rtr"` by a Riemannian trust region. The
#' iteration ends as converged when \eqn{|f_{t+1} - f_t| \le \mathrm{tol} (u + |f_t|)}{
#' |f_new - f_old| <= tol (u + |f_old|)}, where the mean variance u = tr(S) / d
#' takes the place of the paper's 1, and when `kkt` is at most 0.01 (or the square
#' root of `tol`, where that is larger). Where f stands still before that, `status`
#' says so and `converged` is `FALSE`.
#'
#' @section What is proved:
#' \describe{
#'   \item{`"mm"`}{S is positive semidefinite, so \eqn{-\mathrm{tr}(W'SW)}{-tr(W'SW)} lies
#'     below its tangent, and one step decreases f by at least
#'     \eqn{\tau_1 \|\Delta W\|^2}{tau1 ||dW||^2}, at any \eqn{\mu}{mu} and on
#'     any data. The steps in Y and Z, exact minimisers with weight
#'     \eqn{\tau_2}{tau2} on their change, add
#'     \eqn{\tau_2(\mu_1 \|\Delta Y\|^2 + \mu_2 \|\Delta Z\|^2)}{tau2 (mu1
#'     ||dY||^2 + mu2 ||dZ||^2)}, and extrapolated steps are accepted only
#'     with this decrease. The optimality conditions of the three steps bound
#'     the distance of 0 from \eqn{\nabla f}{grad f} plus the normal cones by a
#'     multiple of the lengths of the last two steps. f is bounded below and
#'     everything is semi-algebraic: the whole sequence converges to a
#'     stationary point (Attouch, Bolte and Svaiter, 2013).}
#'   \item{`"rtr"`}{No step ends above its start, so f decreases by at
#'     least the same amounts. The inner problem is solved to the fixed
#'     tolerance `inner_tol`, not to a multiple of the step length, so the
#'     theorem does not apply as it stands: the limit is stationary up to that
#'     tolerance.}
#'   \item{`"pencf"`}{The theorem of Xiu et al. assumes exact solutions
#'     of the step in W and a penalty \eqn{\beta}{beta} above a bound that is
#'     not computed in practice; the authors' default (used here) does not
#'     ensure it, and a step may end above its start. Such a step is
#'     detected, replaced by one `"mm"` step, counted in `rejected_steps` and
#'     reported in a warning. f therefore never rises, but nothing is proved
#'     about the limit.}
#' }
#' Whatever the solver, `kkt` reports how stationary the end is: the largest of
#' the Riemannian gradient norm of f in W relative to the Euclidean one and of
#' \eqn{\|W - Y\|}{||W - Y||} and \eqn{\|W - Z\|}{||W - Z||} over the nonzero
#' entries of the copy, divided by \eqn{\sqrt m}{sqrt(m)} (elsewhere the normal cone is
#' everything). A stationary point is not a global solution.
#'
#' @section Starting point:
#' The set of rows that Z holds is reinforced by the coupling, so the start decides about the set:
#' the default is the set of [fspca()], which with the default \eqn{\mu}{mu} is kept or improved.
#' On six reference data sets (m = 3 and the number of classes, k = 50 and 100) the selected
#' features then carry 5% to 38% more variance in their m components (`polished$captured`)
#' than from the leading eigenvectors, `start = "leading"`, from where the selection is (nearly)
#' the k rows of largest norm of the PCA loadings at every \eqn{\mu}{mu}. The price is a second
#' or a few for the exchanges of [fspca()]. f itself is lower from the one start as often as from
#' the other, and what regression on the features reproduces (`explained`) is more often better
#' from the leading eigenvectors, whose rows are spread wider; so may be clusters on them
#' (`bench/results/dscofs.md`, `front_door.md`): try both where that is what matters.
#' `start = "random"` is the authors' choice.
#'
#' @section Scale of the parameters:
#' With `normalize = TRUE`, S is multiplied by \eqn{d / \mathrm{tr}(S)}{d / tr(S)}, so
#' that the parameters do not depend on the units or the size of the data. With
#' `normalize = FALSE` they have the absolute meaning of the paper, and
#' `objective` is its formula with \eqn{S = X_c'X_c}{S = Xc'Xc}. The defaults of
#' `mu1` and `mu2` are the mean of the m leading eigenvalues of S. Far smaller
#' values end at the principal components, far larger ones at the start.
#'
#' @inheritParams bsufs
#' @param k Number of features to select, from m to d.
#' @param m Dimension of the subspace (columns of W), from 1 to
#'   min(n - 1, number of features that vary); the paper takes the number of
#'   groups. `NULL`: the number of columns of a given `start`, else the elbow of the
#'   leading eigenvalues (see "The dimension of the subspace" in [rowsparse()]), at
#'   most k.
#' @param alpha Element sparsity: a share in (0, 1\] of the d m entries that
#'   may be nonzero, or their number, a whole number above 1. At least m entries
#'   must be left. 1 switches the constraint off.
#' @param mu1,mu2 Coupling of W with Y (elements) and with Z (rows); `NULL` for
#'   the default.
#' @param start `NULL` or `"fspca"` for the basis of the set that [fspca()] finds, `"leading"`
#'   for the m leading eigenvectors of S, `"random"` for the best of ten random orthonormal
#'   matrices (from R's generator), a fit to start from, or a d x m matrix (made orthonormal
#'   when it is not).
#'
#' @return A list of class `c("dscofs", "rowsparse")`:
#'   \item{ranking}{column indices, best first: the selected features, then the
#'     others by the row norms of W; constant features last}
#'   \item{scores}{row norms of Z for the selected features, of W for the
#'     others (at most the smallest selected score)}
#'   \item{selected}{the k selected columns in rank order. Where Z has fewer
#'     than k nonzero rows, features follow by their variance.}
#'   \item{loadings}{d x m, within both constraints: Z with its s largest
#'     entries, where each row first keeps its own largest one (so there are k
#'     nonzero rows if s is at least k and Z has as many). Its columns are
#'     orthonormal only as far as W and Z agree.}
#'   \item{polished}{the best orthonormal basis on the selected features:
#'     `loadings` (d x m), `values` (the m leading eigenvalues of
#'     \eqn{S_{II}}{S\[I, I\]}, in the units of the data) and `captured`
#'     (their sum over tr(S))}
#'   \item{W, Y, Z}{the orthonormal factor, the element-sparse and the
#'     row-sparse copy}
#'   \item{objective}{f at the start and after each outer iteration}
#'   \item{iterations, converged, status}{how the iteration ended}
#'   \item{kkt}{first-order residual, see What is proved}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     selected features reproduces, see [variance_explained()]; `NA` for many features of large
#'     data, see [rowsparse()]}
#'   \item{bound, gap}{`NA`: the method has no bound of the optimum}
#'   \item{inner_iterations, rejected_steps}{steps of the inner solver; steps
#'     that ended above their start and were replaced}
#'   \item{parameters}{everything that was used, defaults filled in; `s` is the
#'     number of entries}
#'   \item{n, d, feature_names, center, scale, elapsed, call}{}
#'
#' @section Errors and warnings:
#' Classed errors (`rowsparse_error`) for unusable data and for arguments out
#' of range: `m` above the rank, `k` below m (the loadings could not have m
#' orthonormal columns) or above d, `alpha` that leaves fewer than m entries.
#' Warnings (`rowsparse_warning`) for constant features, for an `m` above the rank
#' of the data (the rank is used in its place), when the iteration
#' limit was reached, and for replaced steps of `"pencf"`.
#'
#' @references
#' Xiu, Yang, Huang, Li and Liu (2025) Enhancing unsupervised feature selection
#' via double sparsity constrained optimization.
#' \doi{10.48550/arXiv.2501.00726}
#'
#' Xiao, Liu and Yuan (2022) A class of smooth exact penalty function methods
#' for optimization problems with orthogonality constraints. Optimization
#' Methods and Software 37, 1205-1241.
#' \doi{10.1080/10556788.2020.1852236}
#'
#' Attouch, Bolte and Svaiter (2013) Convergence of descent methods for
#' semi-algebraic and tame problems. Mathematical Programming 137, 91-129.
#' \doi{10.1007/s10107-011-0484-9}
#' @seealso [fspca()] for the row constraint alone,
#'   [selected()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 40), 60) %*% diag(seq(2, 0.5, length.out = 40))
#' fit <- dscofs(x, k = 8, m = 3, alpha = 0.1)
#' fit
#' selected(fit)
#'
#' # the ablation of the paper: how many features does the element constraint
#' # change?
#' rows_only <- dscofs(x, k = 8, m = 3, alpha = 1)
#' # the share of the first eight that both select
#' mean(selected(fit, 8) %in% selected(rows_only, 8))
#'
#' # from the principal components, and what the selected features capture
#' again <- dscofs(x, k = 8, m = 3, start = "leading")
#' c(fit$polished$captured, again$polished$captured)
#' @export
dscofs <- function(x, k, m = NULL, alpha = 0.5, mu1 = NULL, mu2 = NULL, normalize = TRUE,
                   solver = c("mm", "pencf", "rtr"), start = NULL, scale = FALSE,
                   control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                   assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  solver <- check_choice(solver, "solver", c("mm", "pencf", "rtr"))
  normalize <- check_flag(normalize, "normalize")
  given <- list(mu1 = check_penalty(mu1, "mu1"), mu2 = check_penalty(mu2, "mu2"))
  control <- q_control(control, solver)
  data <- as_data(x, scale, assay, block, include, exclude)
  m <- asked_dimension(m, start)
  k <- check_basis_size(k, m, data)
  start <- named_start(start)
  check_needs("dscofs", data,
    k = k, m = m, searches = identical(start, "fspca"), control = control
  )
  data <- with_spectrum(data, m)
  m <- settle_dimension(m, data, most = k)
  # the default is one entry at least
  if (missing(alpha)) alpha <- max(alpha, 1 / data$d)
  entries <- count_entries(alpha, m, data)

  operator <- as_operator(data, m)
  leading <- within_rank(leading_eigenvectors(operator, m), data$d, start)
  m <- length(leading$values)
  start <- dscofs_start(start, data, m, operator, leading, k)
  parameters <- c(
    list(k = k, alpha = alpha, s = entries_within(entries, alpha, m, data$d)),
    dscofs_parameters(given, data, leading, normalize)
  )
  fit <- .Call(C_dscofs, unclass(operator), start, c(parameters, q_settings(solver, control)))
  warn_rejected(fit[["rejected"]])

  selected <- largest_rows(fit$Z, fit$W, data, k)
  new_fit("dscofs", data,
    scores = selection_scores(fit$Z, fit$W, selected), selected = selected, loadings = fit$loadings,
    objective = fit$objective, iterations = fit$iterations, converged = fit$converged,
    status = fit$status, kkt = fit$kkt, explained = explained_by(selected, operator),
    parameters = c(list(m = m), parameters, list(solver = solver), control),
    call = call, started = started, verbose = control$verbose,
    undecided = if (m == k) words_of_sums(selected, data),
    polished = polished_basis(operator, data, selected, m),
    W = per_feature(fit$W, data), Y = per_feature(fit$Y, data), Z = per_feature(fit$Z, data),
    inner_iterations = fit[["inner"]], rejected_steps = fit[["rejected"]], products = fit$products
  )
}

# k features carry m components, where the caller says how many these are
check_basis_size <- function(k, m, data) {
  if (is_grouped(data)) {
    return(check_group_basis(k, m, data))
  }
  check_locked_size(k, data)
  least <- if (is.null(m)) 1L else check_dimension(m, data)
  check_count(k, "k", least, data$d)
}

# the number s of nonzero entries, from a share or a count
count_entries <- function(alpha, m, data) {
  total <- as.double(data$d) * m
  s <- if (!is_number(alpha) || alpha <= 0) {
    0
  } else if (alpha <= 1) {
    floor(alpha * total)
  } else if (alpha == round(alpha)) {
    alpha
  } else {
    0
  }
  if (s < m || s > total) {
    stop_rowsparse("range", "alpha",
      sprintf(
        "must be a share from %.3g to 1 or a whole number of entries from %d to %.0f (m to d m)",
        1 / data$d, max(2L, m), total
      ),
      describe(alpha)
    )
  }
  s
}

# the same for an m that the rank of the data has lowered
entries_within <- function(entries, alpha, m, d) {
  total <- as.double(d) * m
  if (alpha <= 1) floor(alpha * total) else min(entries, total)
}

# every parameter in the scale of the operator that the solver sees
dscofs_parameters <- function(given, data, leading, normalize) {
  level <- mean(leading$values) * operator_factor(data, normalize)
  list(
    mu1 = or_default(given[["mu1"]], level), mu2 = or_default(given[["mu2"]], level),
    tau1 = proximal_weight(level), tau2 = 1e-3, normalize = normalize
  )
}

# a name, the default one where none is given, or what the caller gave
named_start <- function(start) {
  choices <- c("fspca", "leading", "random")
  if (is.null(start) || is.character(start)) {
    check_choice(or_default(start, choices), "start", choices)
  } else {
    start
  }
}

dscofs_start <- function(start, data, m, operator, leading, k) {
  if (identical(start, "fspca") && k < data$d) {
    set <- run_fspca(operator, leading, k, "exchange", list(maxit = 100L))
    expand_rows(set$V, set$subset, data)
  } else if (identical(start, "random")) {
    best_random_start(operator, m, data)
  } else {
    as_start(if (!is.character(start)) start, data, m, leading$vectors)
  }
}

# of ten random orthonormal matrices the one that captures most
best_random_start <- function(operator, m, data, tries = 10L) {
  candidates <- lapply(seq_len(tries), function(i) {
    qr.Q(qr(drawn_rows(matrix(stats::rnorm(as.double(data$d) * m), data$d), data)))
  })
  all <- do.call(cbind, candidates)
  captured <- colSums(all * .Call(C_covop, unclass(operator), all)$product)
  candidates[[which.max(colSums(matrix(captured, m)))]]
}

# k rows by norm in Z, then in W, then by variance, up to rounding: fewer than k
# rows may be nonzero
largest_rows <- function(Z, W, data, k) {
  levels <- lapply(list(row_norms(Z), row_norms(W), data$square), tie_level)
  best <- order(-levels[[1]], -levels[[2]], -levels[[3]], method = "radix")
  include_first(best, data)[seq_len(k)]
}

selection_scores <- function(Z, W, selected) {
  scores <- row_norms(W)
  scores[selected] <- row_norms(Z[selected, , drop = FALSE])
  scores
}

# the best orthonormal basis on the selected features, and what it captures
polished_basis <- function(operator, data, selected, m) {
  leading <- .Call(C_subpca, unclass(operator), selected, m)
  loadings <- expand_rows(leading$vectors, selected, data)
  list(
    loadings = per_feature(loadings, data), values = leading$values,
    captured = sum(leading$values) / data_trace(data)
  )
}

# d x m from the rows of the features `index`
expand_rows <- function(rows, index, data) {
  loadings <- matrix(0, data$d, ncol(rows))
  loadings[index, ] <- rows
  loadings
}

warn_rejected <- function(rejected) {
  if (rejected > 0) {
    warn_rowsparse("descent", sprintf(
      "%d steps of solver \"pencf\" ended above their start and were replaced by steps of \"mm\".",
      rejected
    ))
  }
}

# ---- descriptor -------------------------------------------------------------

descriptor_dscofs <- function() {
  descriptor(dscofs,
    needs = function(s) {
      principal_needs(s) + if (isFALSE(s$searches)) work() else exchange_needs(s, 20)
    }, iterations = 100,
    include = "given",
    family = "sparse PCA", sees = "second moments",
    title = "Principal component analysis under double sparsity constraints",
    cost = "O(n d m) per iteration",
    reference = "doi:10.48550/arXiv.2501.00726", dimension = "m",
    choose_dimension = corner_dimension, basis = TRUE, sizes = "refit", points = dscofs_points
  )
}

# Points of a path over k: their fits start from sets that are found together. NULL where fits
# start from something else, and where columns of S are passes over blocks.
dscofs_points <- function(data, sizes, given, ...) {
  if (!identical(named_start(given[["start"]]), "fspca") || length(sizes) < 3L) {
    return(NULL)
  }
  check_needs("dscofs", data, k = max(sizes), m = given[["m"]], searches = TRUE)
  data <- with_spectrum(data, given[["m"]])
  m <- pmin(settle_dimension(given[["m"]], data, most = max(sizes)), sizes)
  operator <- as_operator(data, max(m))
  leading <- leading_eigenvectors(operator, max(m))
  if (!reads_columns(operator, sizes) || leading_rank(leading$values, data$d) < max(m)) {
    return(NULL)
  }
  data$operator <- operator
  data$operator$leading <- leading
  sets <- chained_sets(data$operator, sizes, m)
  fit <- NULL
  points <- lapply(seq_along(sizes), function(at) {
    fit <<- quietly(fit_from_set(data, sets[[at]], sizes[at], m[at], given))
    path_point(fit, fit$selected)
  })
  list(points = points, parameters = fit$parameters)
}

# dscofs() from the leading eigenvectors on a set
fit_from_set <- function(data, set, k, m, given) {
  if (k < data$d) {
    basis <- .Call(C_subpca, unclass(data$operator), set, m)$vectors
    given$start <- expand_rows(basis, set, data)
  }
  given$m <- m
  do.call(dscofs, c(list(data, k), given[setdiff(names(given), data_arguments)]), quote = TRUE)
}
