#' Covariance thresholding
#'
#' Scores features by the first principal component of the correlations above a cut; smaller ones,
#' which may be chance, are first set to zero. Without labels; for one group of correlated
#' features among many noise features, in wide tables.
#'
#' @section The problem:
#' Sets correlations up to a cut to zero, and scores the features by the leading eigenvector of
#' the resulting matrix (Krauthgamer, Nadler and Vilenchik, 2015):
#' \deqn{T_{ij} = c_{ij} \, 1[|c_{ij}| > t], \quad i \ne j, \qquad
#'   s_j = |v_j|, \quad v = \mathrm{argmax}_{\|v\| = 1} v' T v.}{
#'   T_ij = c_ij where |c_ij| > t, else 0 (i != j); s_j = |v_j|, v the leading
#'   eigenvector of T.}
#' `shape = "soft"` also moves the surviving correlations towards zero by the cut:
#' \eqn{\mathrm{sign}( c_{ij}) (|c_{ij}| - t)_+}{sign(c_ij) (|c_ij| - t)+} (Deshpande and
#' Montanari, 2014). With `cut = 0` the scores are those of the first principal component of the
#' standardised data.
#'
#' T has a zero diagonal; a diagonal of ones would add 1 to every eigenvalue and change no score.
#' T need not be positive semidefinite: the largest eigenvalue counts, not the largest modulus. If
#' the largest eigenvalue is multiple (within a share of 1e-8) the score is the norm of the row of
#' its whole eigenspace.
#'
#' The surviving correlations connect features into groups, and features outside the group with
#' the largest eigenvalue have score exactly 0. They follow in the order of their largest absolute
#' correlation with any other feature, then of their variance.
#'
#' The correlations are computed in blocks of columns, \eqn{O(n d^2)}{O(n d^2)}, and only the
#' surviving ones are kept, 12 bytes for a pair: no d x d matrix. A low cut on many features keeps
#' many, and a need for more than half of the memory of the machine is refused.
#'
#' @section Choice of the cut:
#' The default \eqn{5 / \sqrt n}{5 / sqrt(n)} is what published comparisons use. A
#' correlation of independent features has standard deviation
#' \eqn{1 / \sqrt{n - 1}}{1 / sqrt(n - 1)}, so that hardly any of them survives. For n up to 25
#' the default is at least 1, and nothing survives: a warning states how large the correlations
#' are. If `cut` is not given, [rowsparse()] halves it until k features have a score.
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()].
#' @param cut The cut t, at least 0; `NULL`: \eqn{5 / \sqrt n}{5 / sqrt(n)}.
#' @param shape `"hard"`, the default, keeps the surviving correlations unchanged; `"soft"` moves
#'   them towards zero by the cut.
#' @param control Settings from [rowsparse_control()]: `tol` 1e-10 (relative residual of the
#'   eigenvector) and `maxit` 300 (steps of the eigen-solver) matter for groups of more
#'   than 256 features.
#' @return A list of class `c("covth", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{\eqn{|v_j|}, to ten decimals}
#'   \item{loadings}{v, d x 1; `NULL` where the largest eigenvalue is not simple}
#'   \item{objective}{minus the largest eigenvalue of T}
#'   \item{multiplicity}{of the largest eigenvalue}
#'   \item{survivors, components}{numbers of surviving correlations, and of groups of connected
#'     features, single ones included}
#'   \item{largest}{the largest absolute correlation of two features}
#' @section Errors and warnings:
#' As for [bsufs()]; a `cut` below 0; an error of class `rowsparse_error_memory` when the
#' surviving correlations do not fit. A warning of class `rowsparse_warning_zero` when nothing
#' survives; all scores are then 0 and the ranking is by the largest correlations.
#' @references
#' Krauthgamer, Nadler and Vilenchik (2015) Do semidefinite relaxations solve sparse PCA
#' up to the information limit? Annals of Statistics 43, 1300-1322.
#'
#' Deshpande and Montanari (2014) Sparse PCA via covariance thresholding. Advances in
#' Neural Information Processing Systems 27.
#' @seealso [variance()], [fspca()], [spca_psd()]
#' @examples
#' fit <- covth(iris[, 1:4])
#' fit
#' fit$survivors
#' @export
covth <- function(x, cut = NULL, shape = c("hard", "soft"), control = rowsparse_control(),
                  include = NULL, exclude = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (!is.null(cut)) cut <- check_number(cut, "cut", 0)
  shape <- check_choice(shape, "shape", c("hard", "soft"))
  control <- resolve_control(control, tol = 1e-10, maxit = 300L)
  data <- resolve_blocks(as_data(x, TRUE, assay, block, include, exclude), "covth")
  check_fit_size("covth", data, control = control)
  cut <- or_default(cut, 5 / sqrt(data$n))

  out <- threshold_correlations(data, cut, shape, control)
  loadings <- if (out$multiplicity == 1L) matrix(out$vector)
  new_fit("covth", data,
    scores = round(out$score, 10), ties = round(out$strongest, 8), loadings = loadings,
    objective = -out$value, iterations = 0L, converged = out$converged, status = out$status,
    kkt = out$residual, explained = explained_by_components(loadings, data),
    parameters = c(list(cut = cut, shape = shape), control), call = call, started = started,
    multiplicity = out$multiplicity, survivors = out$survivors, components = out$components,
    largest = max(out$strongest), verbose = control$verbose,
    undecided = if (out$survivors == 0) words_of_nothing(cut, out)
  )
}

# bytes of a pair of features whose correlation is kept
survivor_bytes <- 12

threshold_correlations <- function(data, cut, shape, control) {
  room <- memory_bytes() / 2
  out <- .Call(C_covth, unclass(data), list(
    cut = cut, shape = shape, room = room / survivor_bytes,
    usable = as.integer(!data$constant), tol = control$tol, maxit = control$maxit
  ))
  if (!out$kept) {
    stop_rowsparse("memory", "cut", sprintf(
      "= %g leaves %.0f correlations, which need %.1f GB where %.1f GB may be used", cut,
      out$survivors, out$survivors * survivor_bytes / 1e9, room / 1e9
    ), way_out = "Raise it, or select fewer features first")
  }
  out
}

words_of_nothing <- function(cut, out) {
  sprintf("no correlation is above `cut` = %g, the largest is %.3g; features are ordered by %s",
    cut, max(out$strongest), "their largest correlations"
  )
}

# the largest absolute correlation of two features
largest_correlation <- function(data, given, y) {
  control <- list(tol = 1, maxit = 1L)
  max(threshold_correlations(data, 2, "hard", control)$strongest)
}

descriptor_covth <- function() {
  descriptor(covth,
    bytes = function(s) survivor_bytes * s$d^2 / 200 + 2048 * s$d,
    title = "Covariance thresholding",
    reference = "Krauthgamer, Nadler and Vilenchik (2015), Ann. Statist. 43, 1300-1322",
    family = "sparse PCA", sees = "second moments",
    cost = "O(n d^2)", sizes = "nested", penalty = "cut",
    largest_penalty = largest_correlation, path_tol = 1e-10
  )
}
