#' FEN-PCAFS: PCA with an elastic net that weighs its own parts
#'
#' Ranks features by principal components with an elastic net on the features: a ridge and a
#' row-sparse penalty, whose mixture the method sets itself. Without labels; a variant of
#' [spcafs()] that shrinks more evenly.
#'
#' @section The problem:
#' Ranks features by the row norms of W in
#' \deqn{\min_{W, Z, a} \; \|X_c - X_c W Z'\|_F^2 + \lambda \Big(a^u \|W\|_F^2 +
#'   t (1 - a)^u \sum_j \|w_j\|^p\Big), \quad Z'Z = I_m, \; 0 \le a \le 1,}{
#' min over W, Z, a of ||Xc - Xc W Z'||_F^2 + lambda (a^u ||W||_F^2
#'   + t (1 - a)^u sum_j ||w_j||^p),   Z'Z = I_m, 0 <= a <= 1,}
#' where W is d x m and \eqn{w_j} its row \eqn{j} (Gao et al., 2024). W itself need not be
#' orthonormal: the penalty shrinks it.
#'
#' @section Algorithm:
#' As in the authors' code, in turn
#' * Z is the polar factor of \eqn{SW}{SW}, \eqn{S = X_c'X_c}{S = Xc'Xc}, which is optimal;
#' * \eqn{a = 1 / (1 + (B/A)^{1/(1-u)})}{a = 1 / (1 + (B/A)^(1/(1-u)))} with
#'   \eqn{A = \|W\|_F^2}{A = ||W||_F^2} and
#'   \eqn{B = t \sum_j (\|w_j\|^2 + \epsilon)^{p/2}}{B = t sum_j (||w_j||^2 + eps)^(p/2)};
#' * \eqn{W = (S + \lambda E)^{-1} S Z}{W = (S + lambda E)^-1 S Z}, with
#'   \eqn{E} diagonal, \eqn{e_j = a^u + t (1-a)^u \frac{p}{2} (\|w_j\|^2 +
#'   \epsilon)^{p/2-1}}{e_j = a^u + t (1-a)^u p/2 (||w_j||^2 + eps)^(p/2 - 1)} of the last W, by d
#'   x d equations, or n x n equations with fewer samples.
#'
#' The steps in Z and W lower the objective, smoothed by
#' \eqn{\epsilon = 10^{-10} m/d}{eps = 1e-10 m / d}. The step in a is a stationary
#' point of \eqn{a^u A + (1-a)^u B}{a^u A + (1-a)^u B}. For u > 1 that is the minimum, and
#' the iteration descends. **For 0 < u < 1, where the paper's values lie, it is the
#' maximum**: the minimum would be at a = 0 or a = 1, with one penalty alone. The iteration then
#' balances the two parts and may raise the objective. No rise was seen on real data; if one
#' occurs, the best iterate is returned: `objective` holds the values of the best iterate so far,
#' `trace` those of every iterate. u = 0 is the plain sum of both penalties, without a; u = 1 has
#' no stationary point and is refused.
#'
#' @section Scale of the parameters:
#' With `normalize = TRUE`, S is multiplied by \eqn{d / \mathrm{tr}(S)}{d / tr(S)}, so
#' that `lambda` does not depend on the units or the size of the data. By default
#' `lambda` is such that, with rows of W of equal norm, \eqn{\lambda e_j}{lambda e_j} is a tenth
#' of the mean of the m leading eigenvalues. `normalize = FALSE` gives the scale of the paper,
#' whose grid is 1e-6, 1e-4, ..., 1e6.
#'
#' @section Differences from public code:
#' The authors' code starts from the singular vectors of the uncentred data; here the start is
#' those of the centred data, the principal components. The code adds 0.001 to the diagonal of the
#' equations (`ridge = 0.001` with `normalize = FALSE` does the same), and 0.01 with fewer samples
#' than features; it then also multiplies by uncentred data, so that W solves other equations. The
#' value it logs combines the penalty of the last W with the loss of the new one: where it rises,
#' the objective need not rise.
#'
#' @inheritParams spcafs
#' @param lambda Weight of both penalties; `NULL` for the data-driven default. Larger values keep
#'   fewer rows, and shrink them.
#' @param p Exponent of the penalty on the rows, above 0 and at most 1; smaller values keep fewer
#'   rows. The paper takes 0.1, 0.5 and 1.
#' @param u Exponent of the weights a and 1 - a, at least 0 and not 1; see Algorithm.
#' @param t Weight of the penalty on the rows relative to the quadratic one. 0: quadratic penalty
#'   only.
#' @param start Where W starts: a d x m matrix or a fit with such loadings; `NULL` for the
#'   leading eigenvectors of S.
#' @param ridge A further quadratic penalty on W, on the scale of `lambda`; by default none.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 (relative
#'   change of the objective), `maxit` 1000.
#'
#' @return A list of class `c("fen_pcafs", "rowsparse")` with the elements of [spcafs()],
#'   where
#'   \item{scores}{row norms of W, 0 for those below the square root of
#'     \eqn{\epsilon}{eps}; these too are ordered by their norms}
#'   \item{loadings}{W, d x m; the element `Z` holds Z}
#'   \item{objective}{the smoothed objective of the best iterate so far, at the start and
#'     after each iteration}
#'   \item{trace}{that of every iterate}
#'   \item{a}{weight of the quadratic penalty at the end}
#'   \item{kkt, bound, gap}{`NA`}
#' @section Errors and warnings:
#' As for [spcafs()]; `u = 1`, and `t = 0` with `u > 1`, where a = 0 removes both penalties.
#' @references
#' Gao et al. (2024) Principal component analysis with fuzzy elastic net for feature
#' selection. IEEE Transactions on Fuzzy Systems 32, 6878-6890.
#' \doi{10.1109/TFUZZ.2024.3466926}
#' @seealso [spcafs()], [bsufs()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 40), 60) %*% diag(seq(2, 0.5, length.out = 40))
#' fit <- fen_pcafs(x, m = 3)
#' fit
#' selected(fit, 5)
#' fit$a
#' @export
fen_pcafs <- function(x, m = NULL, lambda = NULL, p = 0.5, u = 0.01, t = 1, normalize = TRUE,
                      start = NULL, ridge = 0, scale = FALSE, control = rowsparse_control(),
                      include = NULL, exclude = NULL, block = NULL, assay = NULL, groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  given <- check_fen_penalty(lambda, p, u, t, ridge, normalize)
  control <- resolve_control(control, tol = 1e-6, maxit = 1000L)
  data <- as_data(x, scale, assay, block, include, exclude, groups = groups)
  m <- asked_dimension(m, start)
  check_fit_size("fen_pcafs", data, m = m, control = control)
  problem <- components_problem(data, m, start)
  data <- problem$data
  parameters <- fen_parameters(given, data, problem$m, problem$leading)
  fit <- .Call(C_fen_pcafs, unclass(problem$operator), problem$start,
    with_row_groups(c(parameters, control[c("tol", "maxit")]), data)
  )

  norms <- group_norms(row_norms(fit$W), data)
  new_fit("fen_pcafs", data,
    scores = ifelse(norms^2 > parameters$eps, norms, 0), ties = norms, loadings = fit$W,
    run = fit, explained = explained_by_components(fit$W, problem$operator),
    parameters = c(list(m = problem$m), parameters, control),
    call = call, started = started, verbose = control$verbose,
    Z = per_feature(fit$Z, data), a = fit[["a"]], trace = fit$trace
  )
}

check_fen_penalty <- function(lambda, p, u, t, ridge, normalize) {
  given <- list(
    lambda = check_penalty(lambda, "lambda"), p = check_number(p, "p", 0, 1, open_lower = TRUE),
    u = check_number(u, "u", 0), t = check_number(t, "t", 0),
    ridge = check_number(ridge, "ridge", 0), normalize = check_flag(normalize, "normalize")
  )
  if (given[["u"]] == 1) {
    stop_rowsparse("range", "u", "must not be 1, where no weight of the two parts is stationary", 1)
  }
  if (given[["u"]] > 1 && given[["t"]] == 0) {
    stop_rowsparse("range", "t", "must be above 0 with `u` above 1, or both penalties vanish", 0)
  }
  given
}

# every parameter on the scale of the operator that the solver sees
fen_parameters <- function(given, data, m, leading) {
  level <- mean(leading$values) * operator_factor(data, given[["normalize"]])
  square <- m / data$d # of a row norm, if all were equal
  given$lambda <- or_default(given[["lambda"]], 0.1 * level / fen_weight(given, m, data$d))
  c(given, list(eps = 1e-10 * square))
}

# e_j with m orthonormal columns whose rows are all alike
fen_weight <- function(given, m, d) {
  p <- given[["p"]]
  t <- given[["t"]]
  u <- given[["u"]]
  B <- t * d * (m / d)^(p / 2)
  a <- 1 / (1 + (B / m)^(1 / (1 - u)))
  a^u + t * (1 - a)^u * p / 2 * (m / d)^(p / 2 - 1)
}

# ---- descriptor -------------------------------------------------------------

descriptor_fen_pcafs <- function() {
  descriptor(fen_pcafs,
    bytes = function(s) {
      formed <- operator_sizes(s)$kind == "moments"
      spectrum_bytes(s) + 96 * s$d * s$m + if (formed) 16 * s$d^2 else ridge_bytes(s, s$m)
    },
    title = "Principal component analysis with a self-weighing elastic net",
    cost = "O(n d min(n, d)) per iteration", reference = "doi:10.1109/TFUZZ.2024.3466926",
    family = "sparse PCA", sees = "second moments", dimension = "m", sizes = "nested"
  )
}
