#' RUFS: robust features of robust nonnegative clusters
#'
#' Ranks features by a row-sparse regression of sample clusters on the features; the clusters come
#' from a nonnegative factorisation of the data. In both losses outlying samples count less.
#' Without labels; a robust variant of [ndfs()].
#'
#' @section The problem:
#' Ranks features by the row norms of W in
#' \deqn{\min_{G \ge 0, F \ge 0, W} \; \|X_+ - G F\|_{2,1} + \nu \, \mathrm{tr}(G'LG) +
#'   \alpha \|X_c W - G\|_{2,1} + \beta \sum_j \|w_j\| + \frac{\zeta}{4} \|G'G - I\|_F^2,}{
#' min over G >= 0, F >= 0 and W of ||X+ - G F||_2,1 + nu tr(G'LG)
#'   + alpha ||Xc W - G||_2,1 + beta sum_j ||w_j|| + (zeta / 4) ||G'G - I||_F^2,}
#' robust unsupervised feature selection (Qian and Zhai, 2013). G (n x `clusters`) is a
#' relaxed indicator of clusters, a factor of the data and the target of a regression with few
#' nonzero rows. Both losses sum the norms of the samples, not their squares, so that outliers
#' count less. The last term enforces G'G = I.
#'
#' \eqn{X_+}{X+} is nonnegative, as the factorisation needs: the minimum of every column is
#' subtracted. The regression uses the centred data.
#'
#' @section The graph:
#' `laplacian = "local"`, the paper's, is \eqn{L = (I - A)'(I - A)}{L = (I - A)'(I - A)}, where
#' row i of A predicts sample i from its nearest neighbours by kernel ridge regression:
#' \eqn{k_i'(K_i + 0.1 I)^{-1}}{k_i' (K_i + 0.1 I)^-1} with the heat kernel \eqn{\exp(-d^2 /
#' (2 t^2))}{exp(-d^2 / (2 t^2))} among the neighbours (1 on the diagonal) and from i to
#' them. Public code has zeros on that diagonal, which makes the equations indefinite and changes
#' L. `laplacian = "symmetric"` is the normalised Laplacian of the graph of [lapscore()], as in a
#' later paper.
#'
#' @section Algorithm:
#' The three nested quasi-Newton methods of the paper are replaced by closed-form steps for the
#' same problem. The norms of samples are smoothed, \eqn{(\|v\|^2 + \epsilon^2)^{1/2}}{(||v||^2 +
#' eps^2)^(1/2)} with eps = 1e-6 of the mean norm at the start, and replaced by weighted squares
#' that bound them from above and touch them at the current point. Then W is a weighted
#' regression, by d x d or n x n equations; F takes multiplicative steps; G takes one with the
#' root of the ratio of the two parts of the gradient, or its fourth root if the objective would
#' otherwise rise. No iteration raises the objective. The published code adds small penalties on F
#' and on the sum of G, which are left out here.
#'
#' @section Scale of the parameters:
#' The defaults do not depend on the units. With E = n times the root mean square norm of
#' the centred samples and c clusters, \eqn{\alpha = E / \sqrt{n c}}{alpha = E / sqrt(n c)},
#' so that both losses have similar size, \eqn{\nu = E / c}{nu = E / c} and \eqn{\zeta = 10^4
#' E}{zeta = 1e4 E}. `beta` is a tenth of \eqn{\alpha \max_j \|x_j'\hat G\|}{alpha
#' max_j ||xj'Ghat||}, the value from which W = 0 while G stays at its start (\eqn{\hat G}{Ghat}:
#' its rows of norm 1); `parameters$beta_max` holds it. The paper's grid is 1e-6, 1e-4, ..., 1e6
#' for nu, alpha and beta and its zeta is 1e7. A large zeta keeps G near the clusters of the
#' start, as in [ndfs()], more so than the quasi-Newton steps of the published code. With a
#' smaller zeta G changes more; continue from its fit with a larger one:
#' `rufs(x, zeta = 100 * zeta, start = fit$assignment)`.
#'
#' @inheritParams ndfs
#' @param alpha Weight of the regression; `NULL`: both losses have similar size.
#' @param beta Penalty on the rows of W: larger = fewer features. `NULL`: a
#'   tenth of the value at which all are zero.
#' @param nu Weight of the graph: larger = G smoother along it. `NULL`: see Scale of the
#'   parameters.
#' @param zeta Weight of the orthonormality of G. `NULL`: so large that G stays near the
#'   clusters of the start; see Scale of the parameters.
#' @param laplacian Which L: `"local"`, the default and the paper's, or `"symmetric"`; see
#'   The graph.
#' @param weights,mutual For `laplacian = "symmetric"`, as in [lapscore()].
#' @param t Scale of the heat kernel; `NULL` for the mean distance.
#' @param start Clusters to start from: a label per sample, or an n x `clusters` matrix G of
#'   nonnegative numbers, taken as it is. `NULL`: those of [ndfs()], in columns of norm 1.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-4 (relative
#'   change of the objective), `maxit` 200. Multiplicative steps converge very slowly: with a
#'   thousandth of `tol` other features enter, after hundreds of times the steps.
#' @return A list of class `c("rufs", "rowsparse")` with the elements of [ndfs()], where
#'   \item{assignment}{G}
#'   \item{basis}{the transpose of F, d x `clusters`}
#'   \item{scores}{row norms of W; zeros are ordered by the penalty at which they would enter}
#'   \item{objective}{the smoothed objective, at the start and after each iteration}
#'   \item{terms}{the five terms without their weights, at the end}
#' @section Errors and warnings:
#' As for [ndfs()].
#' @references
#' Qian and Zhai (2013) Robust unsupervised feature selection. Proceedings of the 23rd
#' International Joint Conference on Artificial Intelligence, 1621-1627.
#' @seealso [ndfs()], [eufs()]
#' @examples
#' fit <- rufs(iris[, 1:4], clusters = 3)
#' fit
#' table(fit$cluster, iris$Species)
#' @export
rufs <- function(x, clusters = NULL, alpha = NULL, beta = NULL, nu = NULL, zeta = NULL,
                 laplacian = c("local", "symmetric"), neighbours = 5,
                 weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
                 start = NULL, scale = FALSE, control = rowsparse_control(), include = NULL,
                 exclude = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  penalties <- check_rufs_penalties(alpha, beta, nu, zeta)
  laplacian <- check_choice(laplacian, "laplacian", c("local", "symmetric"))
  control <- resolve_control(control, tol = 1e-4, maxit = 200L)
  data <- sample_data("rufs", x, scale, assay, block, include, exclude)
  settings <- graph_settings(data, neighbours, weights, t, mutual, "euclidean")
  clusters <- affordable_clusters("rufs", clusters, data, start, settings, control)

  inside <- in_binary_units(data)
  graph <- switch(laplacian,
    local = local_learning_matrix(data, inside, settings),
    symmetric = sample_graph(data, settings)
  )
  first <- offset_labels(start, inside, clusters)
  if (!is.matrix(start)) first <- sweep(first, 2, sqrt(colSums(first^2)), "/")
  scaled <- rufs_penalties(penalties, inside, first)
  out <- .Call(C_rufs, unclass(inside), first, graph$rows,
    c(scaled$inside, control[c("tol", "maxit")], laplacian = laplacian)
  )
  warn_isolated(out$isolated, data$n)
  out$objective <- out$objective * inside$unit
  new_label_fit("rufs", data, inside, out,
    c(list(clusters = clusters), scaled$outside, list(laplacian = laplacian), graph$settings,
      control
    ), call, started, control$verbose,
    basis = per_feature(out$basis * inside$unit, data),
    terms = stats::setNames(out$terms * inside$unit^c(1, 0, 0, -1, 0),
      c("factors", "laplacian", "regression", "rows", "orthogonality")
    )
  )
}

check_rufs_penalties <- function(alpha, beta, nu, zeta) {
  list(
    alpha = if (!is.null(alpha)) check_number(alpha, "alpha", 0, open_lower = TRUE),
    beta = if (!is.null(beta)) check_number(beta, "beta", 0, open_lower = TRUE),
    nu = check_penalty(nu, "nu"), zeta = check_penalty(zeta, "zeta")
  )
}

# The defaults, in the units of the solver (objective over unit, W times unit) and of
# the data
rufs_penalties <- function(given, data, first) {
  unit <- data$unit
  size <- sqrt(data$n * data_trace(data))
  own <- function(name, default) {
    if (is.null(given[[name]])) default else given[[name]] / unit
  }
  alpha <- own("alpha", size / sqrt(data$n * ncol(first)))
  norms <- pmax(row_norms(first), 1e-300)
  beta_max <- alpha * sqrt(max(.Call(C_product_squares, unclass(data), first / norms)))
  inside <- list(
    alpha = alpha,
    beta = if (is.null(given[["beta"]])) 0.1 * beta_max else given[["beta"]] / unit / unit,
    nu = own("nu", size / ncol(first)), zeta = own("zeta", 1e4 * size),
    eps = 1e-6 * size / data$n
  )
  outside <- list(
    alpha = alpha * unit, beta = inside$beta * unit * unit, beta_max = beta_max * unit * unit,
    nu = inside$nu * unit, zeta = inside$zeta * unit, eps = inside$eps * unit
  )
  list(inside = inside, outside = outside)
}

# ---- the matrix of the graph ------------------------------------------------------

# list(rows: a symmetric matrix by rows, settings)
local_learning_matrix <- function(data, inside, settings) {
  check_neighbour_memory(data, settings$neighbours)
  near <- find_neighbours(data, settings$neighbours, "euclidean", ties = FALSE)
  settings$t <- or_default(settings$t, near$mean)
  A <- sparse_rows(.Call(C_local_learning, unclass(inside), near, list(
    neighbours = settings$neighbours, t = settings$t / inside$unit, ridge = 0.1
  )))
  L <- Matrix::crossprod(Matrix::Diagonal(data$n) - A)
  list(rows = matrix_rows(L), settings = settings[c("neighbours", "t")])
}

# a matrix by rows as the C code gives it
sparse_rows <- function(rows) {
  Matrix::sparseMatrix(
    i = rep(seq_len(rows$n), diff(rows$start)), j = rows$index, x = rows$weight,
    dims = c(rows$n, rows$n)
  )
}

# and as it takes a symmetric one
matrix_rows <- function(L) {
  L <- methods::as(methods::as(L, "generalMatrix"), "CsparseMatrix")
  list(n = nrow(L), start = as.double(L@p), index = L@i + 1L, weight = L@x)
}

# ---- descriptor ----------------------------------------------------------------

descriptor_rufs <- function() {
  descriptor(rufs,
    bytes = label_bytes,
    most_samples = 2e5,
    title = "Robust row-sparse regression on nonnegative factors",
    reference = "Qian and Zhai (2013), IJCAI 23, 1621-1627",
    cost = "O(n^2 d) for the neighbours, O(n d min(n, d)) per iteration",
    family = "pseudo-labels", sees = c("neighbours", "clusters"),
    input = c("dense", "sparse", "blocks"), dimension = "clusters", sizes = "nested"
  )
}
