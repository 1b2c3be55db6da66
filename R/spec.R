#' SPEC: features that agree with the spectrum of a sample graph
#'
#' Scores every feature by how well it agrees with the smooth vectors on a graph of the samples,
#' without labels. `style` chooses among three scores. The default is the Laplacian score: scores
#' and ranking are those of [lapscore()].
#'
#' @section The problem:
#' Scores every feature by how well it agrees with a graph of the samples (Zhao and
#' Liu, 2007). With weights W, degrees \eqn{D = \mathrm{diag}(W1)}{D = diag(W1)},
#' eigenpairs \eqn{(\lambda_l, \xi_l)}{(lambda_l, xi_l)} of
#' \eqn{I - D^{-1/2} W D^{-1/2}}, ascending, the first the trivial one
#' (\eqn{\lambda_1 = 0}, \eqn{\xi_1 \propto D^{1/2} 1}{xi_1 along D^(1/2) 1}), and
#' \eqn{z_j = D^{1/2} f_j / \|D^{1/2} f_j\|}{z_j = D^(1/2) f_j / ||D^(1/2) f_j||},
#' \deqn{\varphi_1 = \sum_l \lambda_l (z_j'\xi_l)^2
#'   = z_j'(I - D^{-1/2} W D^{-1/2}) z_j,}{
#'   phi1 = sum_l lambda_l (z_j'xi_l)^2 = z_j'(I - D^(-1/2) W D^(-1/2)) z_j,}
#' \deqn{\varphi_2 = \frac{\sum_{l \ge 2} \lambda_l (z_j'\xi_l)^2}{
#'   \sum_{l \ge 2} (z_j'\xi_l)^2}, \qquad
#'   \varphi_3 = \sum_{l = 2}^{K} (2 - \lambda_l) (z_j'\xi_l)^2.}{
#'   phi2 = sum_{l >= 2} lambda_l (z_j'xi_l)^2 / sum_{l >= 2} (z_j'xi_l)^2,
#'   phi3 = sum_{l = 2..K} (2 - lambda_l) (z_j'xi_l)^2.}
#' Small \eqn{\varphi_1}{phi1} and \eqn{\varphi_2}{phi2} and large
#' \eqn{\varphi_3}{phi3} are good; all lie between 0 and 2. `scores` hold
#' \eqn{2 - \varphi_1}{2 - phi1}, \eqn{2 - \varphi_2}{2 - phi2} or
#' \eqn{\varphi_3}{phi3}, so that larger is better.
#'
#' \eqn{\varphi_2}{phi2} is the Laplacian score of the same graph: with its defaults
#' `spec()` gives the scores of [lapscore()]. \eqn{\varphi_3}{phi3} uses only the K - 1 smoothest
#' vectors, which noise changes least.
#'
#' @section The mean of a feature counts:
#' As in the paper, \eqn{f_j} is the uncentred feature. A feature whose mean is large relative to
#' its standard deviation is then close to \eqn{\xi_1}{xi_1}: \eqn{\varphi_1}{phi1} then rates it
#' good, and \eqn{\varphi_3}{phi3} bad. \eqn{\varphi_2}{phi2}, the default, does not depend on the
#' mean. For the other two, zero should be a meaningful value of the features; otherwise centre
#' the columns of `x`.
#'
#' @section The graph:
#' A number of neighbours gives the graph of [lapscore()]. In the paper, and here with
#' `neighbours = NULL`, all pairs of samples are joined with the weights \eqn{w_{il} =
#' \exp(-d_{il}^2 / (2 t^2))}{w_il = exp(-d_il^2 / (2 t^2))}, none with itself. That graph is not
#' the default: on 50 features selected by \eqn{\varphi_2}{phi2} k-means agreed less with the
#' classes than with 5 neighbours, on COIL20, GLIOMA, lung_discrete and SRBCT
#' (`Rscript bench/usefulness.R PART=clusters K=50 METHOD='spec, spec(neighbours = Inf)'`). With
#' `t = NULL`, the mean distance, the weights of all pairs have the same order of magnitude,
#' whatever the units of the data. With a `t` far below the distances the weights underflow: the
#' best known public code has \eqn{\exp(-d^2)}{exp(-d^2)}, which on raw data of many features
#' leaves all samples isolated. \eqn{\varphi_1}{phi1} and \eqn{\varphi_2}{phi2} take the full
#' graph in tiles, without an n x n matrix; \eqn{\varphi_3}{phi3} needs memory for several.
#'
#' @section Differences from public code:
#' scikit-feature orders the features of every style from the worst to the best.
#' Auto-UFSTool sorts every style ascending, which is wrong for
#' \eqn{\varphi_3}{phi3}. The graph of scikit-feature joins every sample with itself. If the graph
#' has several components both codes drop an arbitrary vector of eigenvalue 0 in place of
#' \eqn{\xi_1}{xi_1}.
#'
#' @inheritParams lapscore
#' @param style Which of the three scores; the default, `"phi2"`, is the Laplacian score.
#' @param clusters K of \eqn{\varphi_3}{phi3}, from 2 to n - 1: K - 1 eigenvectors
#'   after the trivial one. `NULL`: the elbow of the leading eigenvalues of the
#'   scatter matrix, as in [kmeans_ufs()].
#' @param neighbours Number of neighbours, or all where the samples are fewer.
#'   `NULL` joins all samples; so does `Inf`, which [rowsparse()] passes on where `NULL`
#'   means the default.
#' @param weights,t,mutual,metric The graph, as in [lapscore()].
#' @param control Settings from [rowsparse_control()]. Defaults for the eigenvectors of
#'   \eqn{\varphi_3}{phi3}: `inner_tol` 1e-10, `inner_maxit` 500.
#' @return A list of class `c("spec_fit", "rowsparse")` (`"spec"` is that of
#'   [stats::spectrum()]) with the elements of
#'   [bsufs()], where
#'   \item{scores}{see The problem; 0 for constant features}
#'   \item{objective}{the smallest \eqn{\varphi_1}{phi1} or
#'     \eqn{\varphi_2}{phi2}, minus the largest \eqn{\varphi_3}{phi3}}
#'   \item{eigenvalues}{the K - 1 that \eqn{\varphi_3}{phi3} used, NULL otherwise}
#'   \item{isolated}{samples without an edge of positive weight, which do not count}
#'   There are no `loadings`.
#' @section Errors and warnings:
#' As for [lapscore()]; `clusters` out of range; other weights than `"heat"`, or `mutual`,
#' with `neighbours = NULL`; a full graph that does not fit into the memory.
#' @references
#' Zhao and Liu (2007) Spectral feature selection for supervised and unsupervised
#' learning. Proceedings of the 24th International Conference on Machine Learning,
#' 1151-1157. \doi{10.1145/1273496.1273641}
#' @seealso [lapscore()], [mcfs()]
#' @examples
#' fit <- spec(iris[, 1:4])
#' fit
#' 2 - fit$scores
#' spec(iris[, 1:4], style = "phi3", clusters = 3)$ranking
#' # the full graph of the paper
#' spec(iris[, 1:4], neighbours = NULL)$ranking
#' @export
spec <- function(x, style = c("phi2", "phi1", "phi3"), clusters = NULL, neighbours = 5,
                 weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
                 metric = c("euclidean", "cosine"), scale = FALSE, control = rowsparse_control(),
                 include = NULL, exclude = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  style <- check_choice(style, "style", c("phi2", "phi1", "phi3"))
  control <- resolve_control(control, tol = 0, maxit = 1L, inner_tol = 1e-10, inner_maxit = 500L)
  check_holds_samples(x)
  data <- as_data(x, scale, assay, block, include, exclude)
  clusters <- spec_clusters(clusters, style, data)
  if (is.null(neighbours) || is_unlimited(neighbours)) {
    neighbours <- NULL
  } else {
    neighbours <- check_count(neighbours, "neighbours")
  }
  check_fit_size("spec", data, neighbours = or_default(neighbours, Inf), control = control)
  graph <- spec_graph(data, neighbours, weights, t, mutual, metric, style)
  out <- run_spec(data, graph, style, clusters, control)
  warn_isolated(out$isolated, data$n)
  scores <- if (style == "phi3") out$phi else pmax(0, 2 - out$phi)
  new_fit("spec_fit", data,
    scores = scores, objective = if (style == "phi3") -max(out$phi) else min(out$phi),
    iterations = 0L, converged = out$converged, status = out$status,
    parameters = c(list(style = style, clusters = clusters), graph$settings, control),
    eigenvalues = out$eigenvalues, isolated = out$isolated, call = call, started = started,
    verbose = control$verbose
  )
}

descriptor_spec <- function() {
  descriptor(spec,
    bytes = function(s) {
      if (s$neighbours < s$n - 1) neighbour_bytes(s) + edge_bytes(s) else 80 * s$n^2
    },
    most_samples = 2e5,
    passes = 10,
    family = "graph", sees = "neighbours", explains = FALSE,
    title = "Spectral feature selection (by default the Laplacian score)",
    reference = "doi:10.1145/1273496.1273641",
    cost = "O(n^2 d)", input = c("dense", "sparse", "blocks"), sizes = "nested"
  )
}

#' @export
print.spec_fit <- function(x, n = 10, ...) {
  NextMethod()
  style <- x$parameters$style
  if (is_text(style)) {
    known <- if (style == "phi2") ": the Laplacian score, as lapscore()"
    cat("style ", style, known, "\n", sep = "")
  }
  invisible(x)
}

# K, where the style has one
spec_clusters <- function(clusters, style, data) {
  if (!is.null(clusters)) clusters <- check_count(clusters, "clusters", 2L, max(2L, data$n - 1L))
  if (style != "phi3") {
    return(NULL)
  }
  if (is.null(clusters)) clusters <- corner_clusters(with_spectrum(data))
  max(2L, min(clusters, data$n - 1L))
}

# list(rows, settings); rows = NULL: the full graph, by tiles
spec_graph <- function(data, neighbours, weights, t, mutual, metric, style) {
  if (!is.null(neighbours)) {
    return(sample_graph(data, graph_settings(data, neighbours, weights, t, mutual, metric)))
  }
  list(settings = full_graph_settings(data, weights, t, mutual, metric))
}

run_spec <- function(data, graph, style, clusters, control) {
  inside <- in_binary_units(data)
  means <- inside$mean * or_default(inside$weight, 1)
  embedding <- if (style == "phi3") {
    rows <- if (is.null(graph$rows)) full_graph(data, graph$settings) else graph$rows
    symmetric_vectors(rows, min(clusters - 1L, data$n - 1L), control)
  }
  found <- .Call(C_spec, unclass(inside), graph$rows, means, embedding, list(
    style = style, metric = graph$settings$metric, t = if (is.null(graph$rows)) {
      inside_scale(graph$settings, inside)
    }
  ))
  found$phi[data$constant] <- if (style == "phi3") 0 else 2
  c(found, list(
    eigenvalues = embedding$values, converged = !isFALSE(embedding$converged),
    status = or_default(embedding$status, "solved")
  ))
}
