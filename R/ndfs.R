#' NDFS: features that predict nonnegative cluster indicators of the samples
#'
#' Ranks features by a row-sparse regression of cluster indicators of the samples on the features.
#' Without labels. With the default `gamma` the clusters stay those of k-means, the start; smaller
#' values also let the regression and a graph of neighbours change them.
#'
#' @section The problem:
#' Ranks features by the row norms of W in
#' \deqn{\min_{F \ge 0, W} \; \mathrm{tr}(F'LF) + \alpha \Big(\|X_c W - F\|_F^2 +
#'   \beta \sum_j \|w_j\|\Big) + \frac{\gamma}{2} \|F'F - I\|_F^2,}{
#' min over F >= 0 and W of tr(F'LF) + alpha (||Xc W - F||_F^2 + beta sum_j ||w_j||)
#'   + (gamma / 2) ||F'F - I||_F^2,}
#' nonnegative discriminative feature selection (Li et al., 2012). F (n x `clusters`) is a
#' relaxed indicator of clusters, L the symmetric normalised Laplacian of a graph that joins
#' neighbouring samples, W (d x `clusters`) a regression of F on the features with few nonzero
#' rows. A large `gamma` enforces F'F = I.
#'
#' **With the paper's `gamma` = 1e8, the default, F hardly moves.** It becomes orthonormal in the
#' first iterations and then stays fixed: the problem becomes a row-sparse regression on the
#' clusters of the start, and the graph has almost no influence. With `gamma` of 1 to 1000, F
#' learns from the graph and the features; the clusters are then not always better than those of
#' the start.
#'
#' @section Algorithm:
#' Steps in turn, each of which lowers the objective:
#' * W is the solution of the regression with \eqn{\sum_j \|w_j\|^2 / u_j}{sum_j ||w_j||^2 /
#'   u_j} in place of the penalty, \eqn{u_j = 2 \|w_j\|}{u_j = 2 ||w_j||} of the last W, by d x d
#'   equations, or n x n equations with fewer samples. No division by a norm occurs. Rows that
#'   should be zero become small and are ordered by \eqn{\|x_j'(F - X_c W)\|}{||xj'(F - Xc W)||}.
#' * F takes a multiplicative step with W fixed: each entry is multiplied by the root of the
#'   negative part of the gradient over the positive one, or by its fourth root where the
#'   objective would rise otherwise.
#'
#' `solver = "paper"` takes the published step in F, with W the regression of F. It divides
#' \eqn{\gamma F}{gamma F} by a sum that can be negative, as the smoother of a regression has
#' entries of either sign, and then gives the columns norm 1. Below a `gamma` of about 1000, F
#' then leaves the nonnegative numbers, and the objective may rise.
#'
#' @section Scale of the parameters:
#' `beta` is in the units of the data: \eqn{\beta_{\max} = 2 \max_j \|x_j'F\|}{beta_max =
#' 2 max_j ||xj'F||} with the clusters of the start is the smallest at which W = 0 while F stays.
#' The default is a tenth of that; `parameters$beta_max` holds it. `alpha` and
#' `gamma` have no unit. The paper's grid for `alpha` and `beta` is 1e-6, 1e-4, ..., 1e6; some
#' papers write `beta` for \eqn{\alpha \beta}{alpha beta}.
#'
#' @section Differences from public code:
#' Data are centred here, and the start is the same in every call: k-means of the leading
#' principal components, from samples that lie far apart, its indicator plus 0.2, as in the paper.
#' Public versions start from random numbers, or from the indicator alone, whose zeros cannot
#' change; one forms the Laplacian as degrees minus weights in every entry, without a diagonal
#' matrix. The objective they log uses the weights of the last W and a quarter of `gamma`, and is
#' not the published one.
#'
#' @inheritParams lapscore
#' @param clusters Number of clusters, at least 2; `NULL`: as for [kmeans_ufs()].
#' @param alpha Weight of the regression relative to the graph; the default is 1.
#' @param beta Penalty on the rows of W: larger = fewer features. `NULL` for the default.
#' @param gamma Weight of the orthonormality of F. The paper's 1e8, the default, keeps the
#'   clusters of the start; 1 to 1000 let them change.
#' @param neighbours Number of neighbours in the graph. More join larger groups.
#' @param start Clusters to start from: a label per sample, or an n x `clusters` matrix F of
#'   nonnegative numbers, taken as it is. `NULL`: k-means.
#' @param solver How F is updated: `"monotone"`, the default, never raises the objective; `"paper"`
#'   takes the published step, which may. See Algorithm.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-5 (relative
#'   change of the objective), `maxit` 500.
#' @return A list of class `c("ndfs", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{row norms of W, those below 1e-8 of the largest one of the first
#'     regression set to 0; zeros are ordered by \eqn{\|x_j'(F - X_c W)\|}{||xj'(F -
#'     Xc W)||}}
#'   \item{loadings}{W, d x `clusters`}
#'   \item{assignment}{F, n x `clusters`; `cluster` holds the column of the largest entry of
#'     every sample}
#'   \item{objective}{at the start and after each iteration}
#'   \item{terms}{tr(F'LF), \eqn{\|X_c W - F\|_F^2}{||Xc W - F||_F^2},
#'     \eqn{\sum_j \|w_j\|}{sum ||w_j||} and \eqn{\|F'F - I\|_F^2}{||F'F - I||_F^2} at the
#'     end}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     components \eqn{X_c W}{Xc W} reproduces}
#'   \item{isolated}{samples without an edge}
#'   \item{kkt, bound, gap}{`NA`}
#' @section Errors and warnings:
#' As for [lapscore()]; `start` that does not fit. A warning of class
#' `rowsparse_warning_zero` when `beta` leaves no row.
#' @references
#' Li, Yang, Liu, Zhou and Lu (2012) Unsupervised feature selection using nonnegative
#' spectral analysis. Proceedings of the 26th AAAI Conference on Artificial Intelligence,
#' 1026-1032. \doi{10.1609/aaai.v26i1.8289}
#' @seealso [udfs()], [kmeans_ufs()], [alignment()]
#' @examples
#' fit <- ndfs(iris[, 1:4], clusters = 3)
#' fit
#' table(fit$cluster, iris$Species)
#' @export
ndfs <- function(x, clusters = NULL, alpha = 1, beta = NULL, gamma = 1e8, neighbours = 5,
                 weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
                 metric = c("euclidean", "cosine"), start = NULL, solver = c("monotone", "paper"),
                 scale = FALSE, control = rowsparse_control(), include = NULL, exclude = NULL,
                 block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  penalties <- list(
    alpha = check_number(alpha, "alpha", 0, open_lower = TRUE),
    beta = if (!is.null(beta)) check_number(beta, "beta", 0, open_lower = TRUE),
    gamma = check_number(gamma, "gamma", 0, open_lower = TRUE)
  )
  solver <- check_choice(solver, "solver", c("monotone", "paper"))
  control <- resolve_control(control, tol = 1e-5, maxit = 500L)
  data <- sample_data("ndfs", x, scale, assay, block, include, exclude)
  settings <- graph_settings(data, neighbours, weights, t, mutual, metric)
  clusters <- affordable_clusters("ndfs", clusters, data, start, settings, control)

  inside <- in_binary_units(data)
  first <- offset_labels(start, inside, clusters)
  graph <- sample_graph(data, settings)
  scaled <- ndfs_penalties(penalties, inside, first)
  out <- .Call(C_ndfs, unclass(inside), first, graph$rows,
    c(scaled[c("alpha", "beta", "gamma", "u")], control[c("tol", "maxit")], solver = solver)
  )
  warn_isolated(out$isolated, data$n)
  penalties$beta <- scaled$beta * inside$unit
  penalties$beta_max <- scaled$beta_max * inside$unit
  new_label_fit("ndfs", data, inside, out,
    c(list(clusters = clusters), penalties, graph$settings, list(solver = solver), control),
    call, started, control$verbose,
    terms = stats::setNames(
      out$terms / c(1, 1, inside$unit, 1), c("laplacian", "regression", "rows", "orthogonality")
    )
  )
}

# beta, and the 2 ||w_j|| = u of a W with equal rows whose penalty is as large as the loss
# of W = 0, in the units of the solver
ndfs_penalties <- function(penalties, data, first) {
  size <- sum(first^2)
  normed <- sweep(first, 2, sqrt(pmax(colSums(first^2), 1e-300)), "/")
  beta_max <- 2 * sqrt(max(.Call(C_product_squares, unclass(data), normed)))
  beta <- if (is.null(penalties$beta)) 0.1 * beta_max else penalties$beta / data$unit
  c(penalties[c("alpha", "gamma")], list(
    beta = beta, beta_max = beta_max, u = 2 * size / (beta * data$d)
  ))
}

# ---- descriptor ----------------------------------------------------------------

descriptor_ndfs <- function() {
  descriptor(ndfs,
    bytes = label_bytes,
    most_samples = 2e5,
    title = "Row-sparse regression on nonnegative clusters",
    reference = "doi:10.1609/aaai.v26i1.8289",
    cost = "O(n^2 d) for the neighbours, O(n d min(n, d)) per iteration",
    family = "pseudo-labels", sees = "clusters",
    input = c("dense", "sparse", "blocks"), dimension = "clusters", sizes = "nested"
  )
}
