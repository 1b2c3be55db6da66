#' Laplacian score: features that vary little between neighbouring samples
#'
#' Scores every feature by how little it varies between neighbouring samples, relative to
#' its variance, without labels. Fast, and good where the neighbours on all features are
#' meaningful; copies of a good feature are all ranked high.
#'
#' @section The problem:
#' The variation of a feature along the edges of a graph that joins neighbouring samples, over its
#' variance, both weighted by the degrees of the samples (He, Cai and Niyogi, 2005):
#' \deqn{LS_j = \frac{f_j' L f_j}{\sum_i D_{ii} (f_{ij} - \mu_j)^2}
#'   = \frac{\frac12 \sum_{i,l} w_{il} (f_{ij} - f_{lj})^2}{
#'     \sum_i D_{ii} (f_{ij} - \mu_j)^2},}{
#'   LS_j = f_j'L f_j / sum_i D_ii (f_ij - mu_j)^2,}
#' with weights W, degrees \eqn{D_{ii} = \sum_l w_{il}}{D_ii = sum of w_il}, \eqn{L = D - W} and
#' \eqn{\mu_j} the mean of the feature weighted by D. Small is good: 0 for a feature that is
#' constant on every component of the graph, 1 on average for a feature unrelated to the graph, and
#' never above 2. `scores` hold \eqn{2 - LS_j}{2 - LS_j}, so that larger is better.
#'
#' The graph is built from all features: if most are noise, so are the neighbours. Some public code
#' returns 1 - LS, or keeps an edge from every sample to itself.
#'
#' @section Weights:
#' Samples i and j are joined when one is among the q = `neighbours` nearest of the other; with
#' `mutual = TRUE`, when each is. All samples at the distance of the q-th are included. The weight
#' of an edge of length \eqn{d_{ij}}{d_ij} is
#' * `"heat"`: \eqn{\exp(-d_{ij}^2 / (2 t^2))}{exp(-d_ij^2 / (2 t^2))};
#' * `"binary"`: 1;
#' * `"self_tuning"`: \eqn{\exp(-d_{ij}^2 / (\sigma_i \sigma_j))}{exp(-d_ij^2 / (s_i s_j))}, where
#'   \eqn{\sigma_i}{s_i} is the distance of the q-th neighbour of i (at least 1e-6 of the largest
#'   distance), so that dense and sparse regions count alike (Zelnik-Manor and Perona);
#' * `"can"`: \eqn{(a_{ij} + a_{ji}) / 2}{(a_ij + a_ji) / 2}, where the row \eqn{a_i} holds the
#'   probabilities that minimise \eqn{\sum_j (d_{ij}^2 a_{ij} + \gamma_i a_{ij}^2)}{sum_j (d_ij^2
#'   a_ij + g_i a_ij^2)} with the \eqn{\gamma_i}{g_i} that leaves q of them positive (Nie, Wang and
#'   Huang): with the squared distances of i in order, \eqn{a_{ij} = (d_{(q+1)}^2 - d_{ij}^2)_+ / (q
#'   d_{(q+1)}^2 - \sum_{h \le q} d_{(h)}^2)}{a_ij = max(0, d_(q+1)^2 - d_ij^2) / (q d_(q+1)^2 -
#'   sum_{h <= q} d_(h)^2)}.
#'
#' @inheritParams bsufs
#' @param x Data, see [rowsparse_data], but no moments.
#' @param neighbours Number q of neighbours, or all where the samples are fewer.
#' @param weights The weights of the edges; see Weights.
#' @param t Length scale of `"heat"`; `NULL`: the mean of all n x n distances.
#' @param mutual Join only samples that are neighbours of each other?
#' @param metric The distance: `"euclidean"`, the default, or `"cosine"`, of samples divided
#'   by their norms.
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @return A list of class `c("lapscore", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{\eqn{2 - LS_j}{2 - LS_j}; 0 for constant features}
#'   \item{objective}{the smallest \eqn{LS_j}{LS_j}}
#'   \item{isolated}{number of samples without an edge of positive weight, which do not count, with
#'     a warning of class `rowsparse_warning_isolated`}
#' @references
#' He, Cai and Niyogi (2005) Laplacian score for feature selection. Advances in Neural Information
#' Processing Systems 18, 507-514.
#'
#' Zelnik-Manor and Perona (2004) Self-tuning spectral clustering. Advances in Neural Information
#' Processing Systems 17.
#'
#' Nie, Wang and Huang (2014) Clustering and projected clustering with adaptive neighbors.
#' Proceedings of the 20th ACM SIGKDD conference, 977-986. \doi{10.1145/2623330.2623726}
#' @seealso [mcfs()], [alignment()]
#' @examples
#' fit <- lapscore(iris[, 1:4])
#' fit
#' 2 - fit$scores
#' @export
lapscore <- function(x, neighbours = 5, weights = c("heat", "binary", "self_tuning", "can"),
                     t = NULL, mutual = FALSE, metric = c("euclidean", "cosine"), scale = FALSE,
                     control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                     assay = NULL) {
  run_method("lapscore")
}

solve_lapscore <- function(data, args, control) {
  graph <- sample_graph(data, args)
  out <- .Call(C_roughness, unclass(in_binary_units(data)), graph$rows)
  warn_isolated(out$isolated, data$n)
  out$relative[data$constant] <- 2
  list(
    scores = pmax(0, 2 - out$relative), objective = min(out$relative), iterations = 0L,
    converged = TRUE, status = "solved", parameters = graph$settings, isolated = out$isolated
  )
}

descriptor_lapscore <- function() {
  descriptor(lapscore, check = check_graph, solve = solve_lapscore,
    bytes = function(s) neighbour_bytes(s) + edge_bytes(s), passes = 10, family = "graph",
    sees = "neighbours", title = "Laplacian score",
    reference = "He, Cai and Niyogi (2005), NIPS 18, 507-514",
    cost = "O(n^2 d) for the neighbours, O(n d neighbours)"
  )
}
