#' UDFS: minor components of the local discriminative matrix, with few features
#'
#' Ranks features by directions, of few features, along which a sample hardly differs from its
#' neighbours while neighbourhoods differ. Without labels. It favours features of small local
#' scatter: scale features that differ in units.
#'
#' @section The problem:
#' Ranks features by the row norms of
#' \deqn{\min_{W'W = I_m} \; \mathrm{tr}(W'MW) + \gamma \sum_j \|w_j\|, \quad
#' M = X_c' \Big( \sum_i E_i C (Z_i Z_i' + \lambda I)^{-1} C E_i' \Big) X_c,}{
#' min over W'W = I_m of tr(W'MW) + gamma sum_j ||w_j||,
#' M = Xc' ( sum_i E_i C (Z_i Z_i' + lambda I)^(-1) C E_i' ) Xc,}
#' where \eqn{w_j} is row \eqn{j} of the d x m matrix W (Yang et al., 2011). The neighbourhood of
#' sample i holds the sample and its nearest neighbours; \eqn{Z_i} are their centred rows, C is
#' the centring matrix, and \eqn{E_i} puts the result at their places among the n samples.
#' The first term sums over the neighbourhoods how far W separates their samples, relative to
#' their scatter.
#'
#' @section Algorithm:
#' Reweighting, as published: with
#' \eqn{q_j = \frac12 (\|w_j\|^2 + \epsilon)^{-1/2}}{q_j = 1/2 (||w_j||^2 +
#' eps)^(-1/2)} the next W holds the eigenvectors of the m smallest eigenvalues of
#' \eqn{M + \gamma \, \mathrm{diag}(q)}{M + gamma diag(q)}, from q = 1 on. Each iteration
#' lowers `objective`, where \eqn{(\|w_j\|^2 + \epsilon)^{1/2}}{(||w_j||^2 +
#' eps)^(1/2)} replaces the norms, \eqn{\epsilon = 10^{-10} m / d}{eps = 1e-10 m / d}. The problem
#' is not convex.
#'
#' M is never formed from n x n matrices of samples: every neighbourhood keeps a square
#' matrix of its own size.
#'
#' @section At least as many features as samples:
#' M then has a null space of d - n + 1 or more dimensions, all equally good in the first
#' iteration, and the published algorithm returns an arbitrary part of it: with the columns in
#' another order its ranking changes. Here W is then sought in the row space of the centred data,
#' W = V B with \eqn{V'V = I} and \eqn{B'B = I_m}, which makes the problem well posed, with
#' matrices of order n - 1 in place of d x d. Rows of W do not become zero, however large gamma:
#' only their order counts.
#'
#' @section Penalties:
#' `lambda` has the units of x squared, `gamma` none. Papers search both among the
#' powers of ten from 1e-6 to 1e6, whatever the data. By default `lambda` is the mean
#' scatter of a neighbourhood, \eqn{\mathrm{tr}(Z_i Z_i')}{tr(Z_i Z_i')} over its number
#' of neighbours, and `gamma` such that, if all rows of W had the same norm,
#' \eqn{\gamma q_j}{gamma q_j} would be the mean eigenvalue of M, in the row space of the
#' data where W is sought there.
#' With a larger `lambda` all neighbourhoods count by their plain scatter; a larger `gamma`
#' concentrates W on fewer features.
#'
#' @section Differences from public code:
#' With no more features than neighbours, one widely used code takes the inverse of lambda in
#' place of lambda; here the formula above holds for any d. Another, scikit-feature, adds every
#' neighbourhood at the places of the first few samples, which gives another M. W loads on
#' features of small local scatter: features of small variance come first unless they are scaled.
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()], but no moments.
#' @param gamma Penalty on the rows of W; `NULL` for the data-driven default. 0 is allowed.
#' @param lambda Regularisation of the neighbourhoods, above 0; `NULL` for the
#'   data-driven default.
#' @param neighbours Number of neighbours in a neighbourhood, or all where the samples
#'   are fewer. Among equally near samples the first in x are taken.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-10 (relative
#'   change of the objective), `maxit` 2000.
#' @return A list of class `c("udfs", "rowsparse")` with the elements of [spcafs()], where
#'   \item{scores}{row norms of W; 0 for constant features}
#'   \item{objective}{with smoothed norms, after the step with q = 1 and after each
#'     iteration}
#'   \item{penalised}{the objective without smoothing, at the end}
#'   \item{kkt}{size of the projected gradient of the smoothed objective, relative to
#'     that of the gradient}
#'   \item{restricted}{was W sought in the row space of the data?}
#' @section Errors and warnings:
#' As for [bsufs()]; moments; `neighbours` out of range. A warning of class
#' `rowsparse_warning_rank` when `m` is above the rank of the data, which is used in
#' its place.
#' @references
#' Yang, Shen, Ma, Huang and Zhou (2011) l2,1-norm regularized discriminative feature
#' selection for unsupervised learning. IJCAI 2011, 1589-1594.
#' \doi{10.5591/978-1-57735-516-8/IJCAI11-267}
#' @seealso [sogfs()], [lapscore()]
#' @examples
#' fit <- udfs(iris[, 1:4], m = 2)
#' fit
#' fit$scores
#' @export
udfs <- function(x, m = NULL, gamma = NULL, lambda = NULL, neighbours = 5, scale = FALSE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                 assay = NULL, groups = NULL) {
  run_method("udfs")
}

solve_udfs <- function(data, given, control) {
  inside <- drop_constants(in_binary_units(data))
  near <- find_neighbours(data, given$neighbours, "euclidean", ties = FALSE)
  settings <- udfs_settings(given, inside$unit, control)
  out <- .Call(C_udfs, unclass(inside), near, with_row_groups(settings, data))
  warn_rank(ncol(out$W), given$m)
  list(
    scores = group_norms(row_norms(out$W), data), loadings = out$W, run = out, kkt = out$kkt,
    parameters = list(
      m = ncol(out$W), gamma = out$gamma, lambda = out$lambda * inside$unit^2,
      neighbours = given$neighbours, eps = out$eps
    ),
    penalised = out$penalised, restricted = out$restricted
  )
}

# a penalty that is not given becomes a share of the data's own
udfs_settings <- function(given, unit, control) {
  lambda <- given[["lambda"]]
  list(
    m = given$m, neighbours = given$neighbours,
    gamma = or_default(given$gamma, 1), relative_gamma = as.integer(is.null(given$gamma)),
    lambda = if (is.null(lambda)) 1 else lambda / unit / unit,
    relative_lambda = as.integer(is.null(lambda)),
    eps = 1e-10, tol = control$tol, maxit = control$maxit
  )
}

# their number, at most all other samples less `spare`
few_neighbours <- function(neighbours, data, spare = 0L) {
  as.integer(max(1L, min(check_count(neighbours, "neighbours"), data$n - 1L - spare)))
}

# for the descriptors of methods that need as many neighbours, and `spare` more
check_neighbours <- function(spare = 0L) {
  function(given, data) {
    given$neighbours <- few_neighbours(given$neighbours, data, spare)
    given
  }
}

# features without variance, so that directions leave them out
drop_constants <- function(data) {
  data$square[data$constant] <- 0
  data
}

warn_rank <- function(used, asked) {
  if (used < asked) {
    warn_rowsparse("rank", sprintf(
      "the data have rank %d: `m` = %d is used in place of %d.", used, used, asked
    ))
  }
}

# ---- descriptor -------------------------------------------------------------

# a square for the neighbours of each sample, and the problem of order min(n, d), with the row
# space of wide data, see solve/minor
minor_bytes <- function(s) {
  wide <- s$d >= s$n
  8 * (s$n * (s$neighbours + 1)^2 + 5 * s$side^2 + wide * s$side * (s$d + s$n))
}

descriptor_udfs <- function() {
  descriptor(udfs,
    rules = list(gamma = check_penalty, lambda = optional(positive)),
    control = list(tol = 1e-10, maxit = 2000L), check = check_neighbours(), solve = solve_udfs,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + minor_bytes(s),
    most_samples = 2e5,
    title = "Minor components of local discriminative matrices",
    reference = "doi:10.5591/978-1-57735-516-8/IJCAI11-267",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per iteration",
    input = c("dense", "sparse", "blocks"), dimension = "m", sizes = "nested",
    family = "graph", sees = "neighbours", explains = FALSE
  )
}
