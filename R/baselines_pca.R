#' Baselines of sparse PCA and self-representation: COVTH, FEN-PCAFS, CSPCA, AW-SPCA
#'
#' Methods without labels that look for features which carry or reconstruct the others, called by
#' name: `rowsparse(x, k = 10, method = "covth", cut = 0.3)`. Their own arguments stand below with
#' their defaults, shared ones in [rowsparse_data]. \eqn{X_c}{Xc} is the centred data, \eqn{w_j}
#' row j of W.
#'
#' @section COVTH, correlations above a cut:
#' `cut = NULL, shape = c("hard", "soft")`; [moments()] too, and always of scaled features.
#' \deqn{T_{ij} = c_{ij} \, 1[|c_{ij}| > t], \quad i \ne j, \qquad
#'   s_j = |v_j|, \quad v = \mathrm{argmax}_{\|v\| = 1} v' T v.}{
#'   T_ij = c_ij where |c_ij| > t, else 0 (i != j); s_j = |v_j|, v the leading eigenvector of T.}
#' `"soft"` also moves the surviving correlations towards zero by t. The `cut` t is by default
#' \eqn{5 / \sqrt n}{5 / sqrt(n)}, as in published comparisons; [rowsparse()] halves it until k
#' features have a score. Features outside the group of the largest eigenvalue have score 0 and
#' follow by their largest correlation; of a multiple eigenvalue the norms of the rows of its
#' eigenspace are taken. Only surviving correlations are kept, 12 bytes a pair, in at most half of
#' the memory. If nothing survives, a warning of class `rowsparse_warning_zero`. Control: `tol`
#' 1e-10, `maxit` 300, of the eigenvector. Also in the fit: `survivors`, `components`,
#' `multiplicity`, `largest`.
#'
#' Krauthgamer, Nadler and Vilenchik (2015) Do semidefinite relaxations solve sparse PCA up to the
#' information limit? Annals of Statistics 43, 1300-1322. Deshpande and Montanari (2014) Sparse PCA
#' via covariance thresholding. NIPS 27.
#'
#' @section FEN-PCAFS, an elastic net that weighs its own parts:
#' `m = NULL, lambda = NULL, p = 0.5, u = 0.01, t = 1, normalize = TRUE, start = NULL, ridge = 0,
#' scale = FALSE`; [moments()] and `groups` too.
#' \deqn{\min_{W, Z, a} \; \|X_c - X_c W Z'\|_F^2 + \lambda \Big(a^u \|W\|_F^2 +
#'   t (1 - a)^u \sum_j \|w_j\|^p\Big), \quad Z'Z = I_m, \; 0 \le a \le 1.}{
#'   min over W, Z, a of ||Xc - Xc W Z'||_F^2 + lambda (a^u ||W||_F^2
#'   + t (1 - a)^u sum_j ||w_j||^p), Z'Z = I_m, 0 <= a <= 1.}
#' As in the authors' code, in turn: Z the polar factor of SW, \eqn{S = X_c'X_c}{S = Xc'Xc};
#' \eqn{a = 1 / (1 + (B / A)^{1 / (1 - u)})}{a = 1 / (1 + (B / A)^(1 / (1 - u)))} with A and B the
#' two penalties; \eqn{W = (S + \lambda E)^{-1} S Z}{W = (S + lambda E)^(-1) S Z} with the weights
#' of the last W. **For 0 < u < 1, where the paper's values lie, the step in a is the maximum** of
#' the penalty, not the minimum: the iteration balances both parts, and the best iterate is returned
#' (`objective` so far, `trace` of all). `u = 1` has no stationary point and is refused, and `t = 0`
#' with `u > 1`. With `normalize` S is multiplied by d / tr(S); `lambda` is by default such that
#' rows of equal norms are shrunk by a tenth of the mean leading eigenvalue; the paper searches 1e-6
#' to 1e6 with `normalize = FALSE`. Rows below \eqn{\epsilon = 10^{-5} (m / d)^{1/2}}{1e-5 (m /
#' d)^(1/2)} are 0. Control: `tol` 1e-6, `maxit` 1000. Also in the fit: `Z`, `a`.
#'
#' The authors' code adds 0.001 to the diagonal (`ridge = 0.001`) and partly takes uncentred data.
#'
#' Gao et al. (2024) Principal component analysis with fuzzy elastic net for feature selection. IEEE
#' Transactions on Fuzzy Systems 32, 6878-6890. \doi{10.1109/TFUZZ.2024.3466926}
#'
#' @section CSPCA and AW-SPCA, reconstruction without the cone:
#' `lambda = NULL, eta = NULL, start = NULL, scale = FALSE` of `"cspca"`, and `lambda = NULL, scale
#' = FALSE` of `"aw_spca"`; both take `groups`. With \eqn{r_i} the residual of sample i,
#' \deqn{\min_W \; \sum_i \|r_i\| + \lambda \sum_j \|w_j\| + \eta \|W\|_*, \qquad R = X_c - X_c W,}{
#'   min over W of sum_i ||r_i|| + lambda sum_j ||w_j|| + eta ||W||_*, R = Xc - Xc W,}
#' over all d x d matrices; with `eta = 0` this is regularised self-representation, RSR. AW-SPCA has
#' no nuclear norm and also estimates the centre v in \eqn{x_i - x_i W - v}. They are
#' `spca_psd(loss = "l21", psd = FALSE)` with `center = "mean"` and `"adaptive"`: convex, by
#' reweighted least squares, \eqn{W = (X'TX + \lambda Q + \eta N)^{-1} X'TX}{W = (X'TX + lambda Q +
#' eta N)^(-1) X'TX} with \eqn{T = \mathrm{diag}(1 / (2\|r_i\|))}{T = diag(1 / (2 ||r_i||))},
#' \eqn{Q = \mathrm{diag}(1 / (2\|w_j\|))}{Q = diag(1 / (2 ||w_j||))}, \eqn{N = (WW')^{-1/2} / 2}{N
#' = (WW')^(-1/2) / 2}, whose smoothed objective never rises. With more features than samples W is
#' sought in the row space. `eta` is by default 5% of half the sum of the norms of the samples and
#' `lambda` 5% of `eta`; without `eta` `lambda` is 1% of that half sum; less if W might be zero. The
#' papers search 1e-4 to 1e4. With `lambda` >= 1e-4 ends lie at most 0.5% above the least value
#' found, with smaller ones perhaps far more. Control: `tol` 1e-5, `maxit` 500. The fits have the
#' elements of [spca_psd()], \eqn{W = FG'} with F in `factor` and G in `right`, and no bound.
#'
#' Chang, Nie, Yang, Zhang and Huang (2016) Convex sparse PCA for unsupervised feature learning. ACM
#' TKDD 11. \doi{10.1145/2910585} Yi, He, Jing, Li, Cheung and Nie (2020) Adaptive weighted sparse
#' principal component analysis. IEEE TNNLS 31, 2153-2163. \doi{10.1109/TNNLS.2019.2928755} Zhu,
#' Zuo, Zhang, Hu and Shiu (2015) Unsupervised feature selection by regularized self-representation.
#' Pattern Recognition 48, 438-446.
#'
#' @return A fit, see [rowsparse_fit], with the elements named above.
#' @name baselines_pca
#' @aliases covth fen_pcafs cspca aw_spca RSR
#' @concept regularized self-representation
#' @examples
#' rowsparse(iris[, 1:4], k = 2, method = "covth")$survivors
#' rowsparse(iris[, 1:4], k = 2, method = "fen_pcafs", m = 2)$a
#' # RSR, regularised self-representation
#' rowsparse(iris[, 1:4], k = 2, method = "cspca", eta = 0)
NULL

descriptor_covth <- function() {
  baseline("covth", alist(x = , cut = NULL, shape = c("hard", "soft")),
    rules = list(cut = check_penalty),
    control = list(tol = 1e-10, maxit = 300L), solve = solve_covth,
    bytes = function(s) survivor_bytes * s$d^2 / 200 + 2048 * s$d,
    moments = TRUE, family = "sparse PCA", sees = "second moments",
    title = "Covariance thresholding",
    reference = "Krauthgamer, Nadler and Vilenchik (2015), Ann. Statist. 43, 1300-1322",
    cost = "O(n d^2)", penalty = "cut", path_tol = 1e-10,
    # the largest absolute correlation of two features
    largest_penalty = function(data, given, y) {
      max(threshold_correlations(data, 2, "hard", list(tol = 1, maxit = 1L))$strongest)
    }
  )
}

solve_covth <- function(data, args, control) {
  cut <- or_default(args$cut, 5 / sqrt(data$n))
  out <- threshold_correlations(data, cut, args$shape, control)
  vector <- matrix(out$vector)
  loadings <- if (out$multiplicity == 1L) vector * largest_sign(vector)
  list(
    scores = round(out$score, 10), ties = round(out$strongest, 8), loadings = loadings, run = out,
    objective = -out$value, iterations = 0L, kkt = out$residual, parameters = list(cut = cut),
    explained = explained_by_components(loadings, data), multiplicity = out$multiplicity,
    survivors = out$survivors, components = out$components, largest = max(out$strongest),
    undecided = if (out$survivors == 0) sprintf(paste(
      "no correlation is above `cut` = %g, the largest is %.3g; features are ordered by their",
      "largest correlations"
    ), cut, max(out$strongest))
  )
}

# bytes of a pair of features whose correlation is kept
survivor_bytes <- 12

threshold_correlations <- function(data, cut, shape, control) {
  room <- memory_bytes() / 2
  out <- .Call(C_covth, unclass(data), c(control[c("tol", "maxit")], list(
    cut = cut, shape = shape, room = room / survivor_bytes, usable = as.integer(!data$constant)
  )))
  refuse_if(!out$kept, "memory", "cut", sprintf(
    "= %g leaves %.0f correlations, which need %.1f GB where %.1f GB may be used", cut,
    out$survivors, out$survivors * survivor_bytes / 1e9, room / 1e9
  ), way_out = "Raise it, or select fewer features first")
  out
}

descriptor_fen_pcafs <- function() {
  baseline("fen_pcafs",
    alist(
      x = , m = NULL, lambda = NULL, p = 0.5, u = 0.01, t = 1, normalize = TRUE, start = NULL,
      ridge = 0, scale = FALSE, groups = NULL
    ),
    rules = list(
      lambda = check_penalty, p = positive_to(1), u = number(0), t = number(0), ridge = number(0)
    ),
    control = list(tol = 1e-6, maxit = 1000L), check = check_fen, solve = solve_fen,
    bytes = function(s) {
      formed <- operator_sizes(s)$kind == "moments"
      spectrum_bytes(s) + 96 * s$d * s$m + if (formed) 16 * s$d^2 else ridge_bytes(s, s$m)
    },
    moments = TRUE, dimension = "m", family = "sparse PCA", sees = "second moments",
    title = "Principal component analysis with a self-weighing elastic net",
    cost = "O(n d min(n, d)) per iteration", reference = "doi:10.1109/TFUZZ.2024.3466926"
  )
}

check_fen <- function(args, data) {
  u <- args[["u"]]
  refuse_if(u == 1,
    "range", "u", "must not be 1, where no weight of the two parts is stationary", 1)
  refuse_if(u > 1 && args[["t"]] == 0,
    "range", "t", "must be above 0 with `u` above 1, or both penalties vanish", 0)
  check_components(args, data)
}

solve_fen <- function(data, args, control) {
  problem <- components_problem(data, args$m, args[["start"]])
  level <- component_level(data, problem$leading, args$normalize)
  used <- list(
    lambda = or_default(args$lambda, 0.1 * level / fen_weight(args, problem$m, data$d)),
    eps = 1e-10 * problem$m / data$d
  )

  fit <- .Call(C_fen_pcafs, unclass(problem$operator), problem$start, with_row_groups(
    c(control, used, args[c("p", "u", "t", "ridge", "normalize")]), data
  ))
  norms <- group_norms(row_norms(fit$W), data)
  list(
    scores = ifelse(norms^2 > used$eps, norms, 0), ties = norms, loadings = fit$W,
    run = fit, explained = explained_by_components(fit$W, problem$operator),
    parameters = c(list(m = problem$m), used),
    Z = per_feature(fit$Z, data), a = fit[["a"]], trace = fit$trace
  )
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

# the arguments of spca_psd() that make it a model without the cone
without_cone <- function(args, center) {
  if (center == "adaptive") args$eta <- 0
  utils::modifyList(args, list(loss = "l21", center = center, psd = FALSE, solver = "paper"))
}

spca_without_cone <- function(name, own, center, ...) {
  baseline(name, own,
    rules = list(lambda = optional(positive), eta = check_penalty), class = c(name, "spca_psd"),
    control = function(args) spca_defaults(without_cone(args, center)),
    check = function(args, data) check_spca(without_cone(args, center), data), solve = solve_spca,
    bytes = self_representation_bytes, family = "self-representation", sees = "second moments",
    cost = "O(n^2 d) or O(n d^2 + d^3) per iteration", penalty = "lambda", path_tol = 1e-5,
    largest_penalty = function(data, given, y) {
      args <- without_cone(complete_arguments(name, given), center)
      largest_spca_penalty(data, given, y, args)
    }, ...
  )
}

descriptor_cspca <- function() {
  spca_without_cone("cspca",
    alist(x = , lambda = NULL, eta = NULL, start = NULL, scale = FALSE, groups = NULL), "mean",
    title = "Convex sparse PCA without the cone", reference = "doi:10.1145/2910585",
    lowered = c("lambda", "eta")
  )
}

descriptor_aw_spca <- function() {
  spca_without_cone("aw_spca", alist(x = , lambda = NULL, scale = FALSE, groups = NULL), "adaptive",
    title = "Adaptive weighted sparse PCA", reference = "doi:10.1109/TNNLS.2019.2928755"
  )
}
