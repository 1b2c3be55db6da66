#' MCFS: features that the clusters of the samples need in a sparse regression
#'
#' Multi-cluster feature selection: selects the k features that together reproduce the smoothest
#' vectors on a graph of the samples, which show their clusters. Without labels.
#'
#' @section The problem:
#' 1. The K smallest solutions of \eqn{L y = \lambda D y} after the trivial one, on the graph of
#'    [lapscore()] with weights W, degrees D and \eqn{L = D - W}.
#' 2. For each of them, \eqn{y_l}, the lasso with k features,
#'    \deqn{\min_{a_l} \; \|y_l - X a_l\|^2 \quad \mathrm{s.t.} \quad
#'    \|a_l\|_1 \le \gamma_l,}{min over a_l of ||y_l - X a_l||^2 subject to
#'    ||a_l||_1 <= gamma_l,}
#'    where \eqn{\gamma_l}{gamma_l} is the largest bound up to which no more
#'    than k features have had a coefficient.
#' 3. The score of feature j is \eqn{\max_l |a_{lj}| / \|a_l\|}{max over l of
#'    |a_lj| / ||a_l||}, and the k best are selected.
#'
#' As the lasso chooses among redundant features, the selection holds few copies, unlike that of
#' [lapscore()]. It depends on k: the sets of two sizes need not be nested.
#'
#' The path of each lasso is followed exactly, by least angle regression with drops (Efron and
#' others, 2004), to the point where the (k + 1)-th feature enters, or with k of min(n - 1, d) or
#' more to the least squares solution. If several eigenvalues coincide, as the zeros of a graph with
#' several components do, their eigenvectors are rotated to the principal directions of the data in
#' their space, so that the scores do not depend on the order of the samples.
#'
#' As in the authors' code, which has `ridge = 0.001` and does not centre the data, coefficients are
#' divided by their norm. scikit-feature takes the maximum without absolute values.
#'
#' @inheritParams lapscore
#' @param k Number of features, at most the number that vary, and of coefficients of each
#'   regression.
#' @param clusters K, from 1 to n - 1. `NULL`: the elbow of the leading eigenvalues of
#'   the scatter matrix, as in [kmeans_ufs()].
#' @param ridge Added to the diagonal of the Gram matrix of the features with a
#'   coefficient, in the units of `x` squared. 0 is the lasso.
#' @param control Settings from [rowsparse_control()]. Defaults for the eigenvectors:
#'   `inner_tol` 1e-10, `inner_maxit` 500.
#' @return A list of class `c("mcfs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected}{the k features of largest score}
#'   \item{scores}{see The problem. Features without a coefficient have 0; they follow in the order
#'     in which they would enter next}
#'   \item{loadings}{the \eqn{a_l / \|a_l\|}{a_l / ||a_l||}, d x K}
#'   \item{objective}{sum over l of the share of \eqn{\|y_l - \bar y_l\|^2}{||y_l -
#'     mean||^2} not explained by \eqn{a_l}}
#'   \item{eigenvalues}{the K values \eqn{\lambda}{lambda}}
#'   \item{components, isolated}{numbers of connected components of the graph, and of samples
#'     without an edge of positive weight, at 0 in every \eqn{y_l}}
#' @references
#' Cai, Zhang and He (2010) Unsupervised feature selection for multi-cluster data. Proceedings of
#' the 16th ACM SIGKDD conference, 333-342. \doi{10.1145/1835804.1835848}
#'
#' Efron, Hastie, Johnstone and Tibshirani (2004) Least angle regression. The Annals of
#' Statistics 32, 407-499. \doi{10.1214/009053604000000067}
#' @seealso [lapscore()], [alignment()]
#' @examples
#' mcfs(iris[, 1:4], k = 2, clusters = 2)
#' @export
mcfs <- function(x, k, clusters = NULL, neighbours = 5,
                 weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
                 metric = c("euclidean", "cosine"), ridge = 0, scale = FALSE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                 assay = NULL) {
  run_method("mcfs")
}

check_mcfs <- function(args, data) {
  args$k <- check_group_size(args$k, data)
  if (!is.null(args$clusters)) args$clusters <- resolve_clusters(args$clusters, data)
  check_graph(args, data)
}

solve_mcfs <- function(data, args, control) {
  graph <- sample_graph(data, args)
  embedding <- graph_vectors(data, graph$rows, args$clusters, control)
  inside <- in_binary_units(data)
  paths <- .Call(C_mcfs, unclass(inside), embedding$vectors,
    list(size = min(args$k, data$n), ridge = args$ridge / inside$unit / inside$unit)
  )
  isolated <- sum(embedding$degree <= 0)
  warn_isolated(isolated, data$n)
  norms <- sqrt(colSums(paths$coefficients^2))
  loadings <- sweep(paths$coefficients, 2, ifelse(norms > 0, norms, 1), "/")
  # scores that rounding cannot tell apart are equal
  scores <- round(apply(abs(loadings), 1, max), 12)
  nearness <- round(apply(paths$pull, 1, max), 12)
  best <- rank_features(scores, nearness, data$constant, NULL, raw_square(data))
  selected <- include_first(best, data)[seq_len(args$k)]
  centred <- sweep(embedding$vectors, 2, colMeans(embedding$vectors))
  rest <- centred - data_times(inside, paths$coefficients)
  whole <- colSums(centred^2)
  list(
    scores = scores, ties = nearness, selected = selected, loadings = loadings,
    objective = sum(ifelse(whole > 0, colSums(rest^2) / whole, 0)), iterations = 0L,
    converged = paths$converged && embedding$converged,
    status = if (embedding$converged) paths$status else embedding$status,
    parameters = c(args[c("k", "clusters", "ridge")], graph$settings),
    eigenvalues = embedding$values, components = embedding$components, isolated = isolated
  )
}

descriptor_mcfs <- function() {
  descriptor(mcfs,
    rules = list(ridge = number(0)), check = check_mcfs, solve = solve_mcfs,
    control = list(tol = 0, maxit = 1L, inner_tol = 1e-10, inner_maxit = 500L),
    bytes = function(s) {
      size <- min(s$k, s$n)
      spectrum_bytes(s) + neighbour_bytes(s) + embedding_bytes(s, s$clusters) +
        8 * s$clusters * (s$n * size + 2 * size^2 + 5 * s$d + 2 * s$n)
    },
    title = "Multi-cluster feature selection by lasso paths", family = "graph",
    sees = c("neighbours", "second moments"), reference = "doi:10.1145/1835804.1835848",
    cost = "O(n^2 d) for the neighbours, O(n d k clusters)", dimension = "clusters",
    choose_dimension = function(data) resolve_clusters(NULL, data),
    largest = varying_features
  )
}
