#' BSUFS: bi-sparse unsupervised feature selection
#'
#' Ranks features, without labels, by principal components with few features and, in each component,
#' few loadings. Use it for features that carry the main directions of variation; raise `lambda1` to
#' keep fewer. Use [fspca()] or [dscofs()] for exactly k features.
#'
#' @section The problem:
#' \deqn{\min_{W'W = I_m} \; -\mathrm{tr}(W'SW) + \lambda_1 \sum_i \|w_i\|^p
#' + \lambda_2 \sum_{ij} |w_{ij}|^q,}{
#' min over W'W = I_m of -tr(W'SW) + lambda1 sum_i ||w_i||^p + lambda2 sum_ij |w_ij|^q,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred data, \eqn{w_i} row
#' \eqn{i} of \eqn{W}, and p, q lie in \[0, 1\] (0 counts nonzeros). The first penalty removes
#' features, the second removes single loadings.
#'
#' @section Algorithm:
#' With copies \eqn{U} and \eqn{V} of \eqn{W} the method minimises
#' \deqn{f(W, U, V) = -\mathrm{tr}(W'SW) + \lambda_1 \sum_i \|v_i\|^p +
#' \lambda_2 \sum_{ij} |u_{ij}|^q + \tfrac{\beta_1}{2}\|W - U\|^2 +
#' \tfrac{\beta_2}{2}\|W - V\|^2}{
#' f(W, U, V) = -tr(W'SW) + lambda1 sum_i ||v_i||^p + lambda2 sum_ij |u_ij|^q
#' + beta1/2 ||W - U||^2 + beta2/2 ||W - V||^2}
#' by proximal alternating minimisation, in the order W, U, V. A zero \eqn{\lambda} switches its
#' copy off, so that `lambda1 = 0, lambda2 = 0` is principal component analysis and `lambda2 = 0` is
#' the method SPCAFS (see [spcafs()]).
#'
#' The steps in U (for every entry a of W) and V (for the norm a of every row) take the minimiser of
#' \deqn{\lambda |x|^q + \tfrac12 (x - a)^2.}{lambda |x|^q + (x - a)^2 / 2.}
#' It is 0 for a up to \eqn{\kappa = \frac{2-q}{2(1-q)} (2 \lambda (1-q))^{1/(2-q)}}{ kappa = (2-q)
#' / (2 (1-q)) * (2 lambda (1-q))^(1/(2-q))}, and above that the larger root of \eqn{x - a + \lambda
#' q x^{q-1} = 0}.
#'
#' The step in W, over orthonormal matrices, is one step \eqn{W \leftarrow \mathrm{polar}(2SW +
#' C)}{W <- polar(2 S W + C)} with `solver = "mm"`, with the coupling in C; `"rtr"` minimises by a
#' Riemannian trust region, as the authors do, and `"pencf"` by an exact-penalty first-order method.
#' Steps are extrapolated where f then decreases enough, so f never rises. The iterates of `"mm"`
#' converge to a critical point for rational p and q (Attouch, Bolte and Svaiter,
#' 2013), in general a local minimum. The iteration has converged when the relative change of f is
#' below `tol` and `kkt` is at most 0.01 (or the square root of `tol`, if larger).
#'
#' @section Scale of the parameters:
#' With `normalize = TRUE`, S is multiplied by \eqn{d / \mathrm{tr}(S)}{d / tr(S)}, so that the
#' parameters do not depend on the units or the size of the data. With `normalize = FALSE` they have
#' the absolute meaning of the paper. `tol` compares the change of f with the larger of |f| and
#' tr(S) / d.
#'
#' The largest useful penalties, `lambda1_max` and `lambda2_max` in the element `parameters`, are
#' the smallest ones for which V or U vanishes at the principal components. By default `lambda1` is
#' 0.2 times `lambda1_max`, and `lambda2` 0.01 times `lambda2_max`.
#'
#' @param x Data, samples in rows, see [rowsparse_data]. They are always centred.
#' @param groups One label for each column of x, or a list of columns by name or number: [groups],
#'   which are ranked or selected as a whole. Penalties on rows then apply to the norm of all rows
#'   of a group.
#' @param m Dimension of the subspace (columns of W), from 1 to min(n - 1, number of features that
#'   vary); often the expected number of groups. `NULL`: the number of columns of a given `start`,
#'   else the elbow of the leading eigenvalues (see "The dimension of the subspace" in
#'   [rowsparse()]).
#' @param lambda1,lambda2 Penalties on rows (features) and on single loadings; `NULL` for the
#'   data-driven defaults.
#' @param p,q Exponents of the penalties on rows and on single loadings, from 0 (counts nonzeros) to
#'   1 (convex). Smaller exponents leave fewer nonzeros, with less shrinkage.
#' @param beta1,beta2 Coupling of W with U and with V; `NULL` for the mean of the m leading
#'   eigenvalues of S.
#' @param normalize Are parameters relative to the scale of the data? See Scale in [bsufs()].
#' @param solver Solver of the step in W, see Algorithm: `"mm"`, the default, takes one cheap step.
#' @param start A d x m matrix (made orthonormal when it is not), a fit to start from, or `NULL` for
#'   the m leading eigenvectors of S.
#' @param scale Divide features by their standard deviation? By default not: features of large
#'   variance count more. Use `TRUE` where features differ in units.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 for `"mm"` and 1e-5 for
#'   the other solvers (relative change of f), `maxit` 500; `inner_tol`, `inner_maxit` 1e-6, 1
#'   (`"mm"`), 1e-6, 100 (`"rtr"`), 1e-8, 1000 (`"pencf"`).
#' @param include,exclude Features that are always selected, and features that are removed before
#'   the method runs: names, column numbers, or one `TRUE` or `FALSE` per feature; `exclude` also a
#'   regular expression, as `"^MT-"`.
#' @param block What differs between batches, sites or donors and is not to count: a factor, or a
#'   vector with the level of each sample, within whose levels the data are centred. See "Batches"
#'   in [rowsparse_data].
#' @param assay For a `SummarizedExperiment`: name or number of the assay, see [experiments].
#'
#' @return A list of class `c("bsufs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{row norms of V; ties and zeros are ordered by the row norms of W}
#'   \item{loadings}{V, d x m}
#'   \item{W, U}{the orthonormal factor and the element-sparse copy}
#'   \item{kkt}{first-order residual: the largest of the Riemannian gradient norm of f in W relative
#'     to the Euclidean one, and of the distances of U and V from their minimisers over sqrt(m)}
#'   \item{explained}{share of the centred sum of squares of x that regression on the m components
#'     \eqn{X_c V}{Xc V} reproduces}
#'
#' @references
#' Xiu, Huang, Shang and Liu (2025) Bi-sparse unsupervised feature selection. IEEE Transactions on
#' Image Processing 34. \doi{10.1109/TIP.2025.3620667}
#'
#' Xiao, Liu and Yuan (2022) A class of smooth exact penalty function methods for optimization
#' problems with orthogonality constraints. Optimization Methods and Software 37, 1205-1241.
#' \doi{10.1080/10556788.2020.1852236}
#'
#' Attouch, Bolte and Svaiter (2013) Convergence of descent methods for semi-algebraic and tame
#' problems. Mathematical Programming 137, 91-129. \doi{10.1007/s10107-011-0484-9}
#' @seealso [selected()], [plot.rowsparse()], [compare_panels()], [rowsparse_conditions]
#' @examples
#' set.seed(1)
#' shape <- simulate_shapes("diamond9", n = 300, ratio = 0.5)
#' fit <- bsufs(shape$x, m = 2)
#' fit
#' selected(fit, 2)
#' @export
bsufs <- function(x, m = NULL, lambda1 = NULL, lambda2 = NULL, p = 0.5, q = 0.5, beta1 = NULL,
                  beta2 = NULL, normalize = TRUE, solver = c("mm", "rtr", "pencf"), start = NULL,
                  scale = FALSE, control = rowsparse_control(), include = NULL, exclude = NULL,
                  block = NULL, assay = NULL, groups = NULL) {
  run_method("bsufs")
}

solve_bsufs <- function(data, args, control) {
  problem <- components_problem(data, args[["m"]], args[["start"]])
  parameters <- bsufs_parameters(args, problem$data, problem$leading)
  fit <- descend_bsufs(problem, problem$start, parameters, args$solver, control)
  list(
    scores = group_norms(row_norms(fit$V), data), ties = group_norms(row_norms(fit$W), data),
    loadings = fit$V, run = fit, kkt = fit$kkt,
    explained = explained_by_components(fit$V, problem$operator),
    parameters = c(list(m = problem$m), parameters, args["solver"]),
    W = per_feature(fit$W, data), U = per_feature(fit$U, data),
    inner_iterations = fit[["inner"]], products = fit$products
  )
}

descend_bsufs <- function(problem, start, parameters, solver, control) {
  .Call(C_bsufs, unclass(problem$operator), start,
    with_row_groups(c(parameters, q_settings(solver, control)), problem$data)
  )
}

# Points of a path and their parameters, each from where the one of the next smaller penalty ended
bsufs_points <- function(data, grid, given, y) {
  entry <- method_table()[["bsufs"]]
  args <- check_components(complete_arguments("bsufs", given), data)
  data <- method_blocks(entry, args, data)
  control <- method_control(entry, args)
  check_fit_size("bsufs", data, m = args[["m"]], solver = args$solver)
  problem <- quietly(components_problem(data, args[["m"]], args[["start"]]))
  parameters <- bsufs_parameters(args, problem$data, problem$leading)
  fit <- list(W = problem$start)
  points <- vector("list", length(grid))
  for (at in rev(seq_along(grid))) {
    parameters$lambda1 <- grid[at]
    fit <- descend_bsufs(problem, fit$W, parameters, args$solver, control)
    points[[at]] <- bsufs_point(fit, problem)
  }
  list(points = points, parameters = c(list(m = problem$m), parameters, args["solver"], control))
}

bsufs_point <- function(fit, problem) {
  data <- problem$data
  scores <- row_norms(fit$V)
  ranking <- rank_features(scores, row_norms(fit$W), data$constant, NULL, raw_square(data))
  best <- utils::head(ranking, sum(scores > 0 & !data$constant))
  list(
    selected = outer_index(best, data), scores = cummin(scores[best]),
    loadings = matrix(fit$V[best, ], ncol = ncol(fit$V), dimnames = list(data$names[best], NULL)),
    explained = explained_by_components(fit$V, problem$operator),
    objective = utils::tail(fit$objective, 1), iterations = fit$iterations,
    converged = fit$converged, bound = NA_real_, gap = NA_real_
  )
}

# the weight of |x|^q with which the proximal operator takes what is at most a to zero
prox_lambda_at <- function(a, q) {
  if (q >= 1) a else (a * 2 * (1 - q) / (2 - q))^(2 - q) / (2 * (1 - q))
}

bsufs_parameters <- function(args, data, leading) {
  level <- component_level(data, leading, args$normalize)
  beta1 <- or_default(args[["beta1"]], level)
  beta2 <- or_default(args[["beta2"]], level)
  lambda1_max <- beta2 * prox_lambda_at(max(row_norms(leading$vectors)), args[["p"]])
  lambda2_max <- beta1 * prox_lambda_at(max(abs(leading$vectors)), args[["q"]])
  list(
    lambda1 = or_default(args[["lambda1"]], 0.2 * lambda1_max),
    lambda2 = or_default(args[["lambda2"]], 0.01 * lambda2_max), p = args[["p"]], q = args[["q"]],
    beta1 = beta1, beta2 = beta2, tau = proximal_share * level, normalize = args$normalize,
    lambda1_max = lambda1_max, lambda2_max = lambda2_max
  )
}

descriptor_bsufs <- function() {
  descriptor(bsufs,
    rules = list(
      lambda1 = optional(number(0)), lambda2 = optional(number(0)), p = number(0, 1),
      q = number(0, 1), beta1 = optional(positive), beta2 = optional(positive)
    ),
    control = q_defaults, check = check_components, solve = solve_bsufs,
    bytes = principal_bytes, family = "sparse PCA", sees = "second moments",
    title = "Bi-sparse principal component analysis", cost = "O(n d m) per iteration",
    reference = "doi:10.1109/TIP.2025.3620667", dimension = "m", moments = TRUE,
    penalty = "lambda1", largest_penalty = largest_bsufs_penalty, upwards = TRUE,
    path_tol = 5e-4, penalty_points = bsufs_points
  )
}

# lambda1_max of a fit with these arguments
largest_bsufs_penalty <- function(data, given, y) {
  given <- complete_arguments("bsufs", given)
  leading <- leading_eigenvectors(as_operator(data, given[["m"]]), given[["m"]])
  bsufs_parameters(given, data, leading)$lambda1_max
}
