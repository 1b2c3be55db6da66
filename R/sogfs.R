#' SOGFS: a learned graph of the samples, and directions in which neighbours are near
#'
#' Ranks features by directions along which neighbouring samples are near, on a graph
#' that is learned with them and is driven to fall into `clusters` parts. Without labels.
#'
#' @section The problem:
#' Ranks features by the row norms of W in
#' \deqn{\min \; \mathrm{tr}(W'X_c'LX_cW) + \frac{\alpha}{2} \sum_{i,l} a_{il}^2 +
#' \gamma \sum_j \|w_j\|^p + \lambda \, \mathrm{tr}(F'LF),}{
#' min  tr(W'Xc'L Xc W) + alpha/2 sum_il a_il^2 + gamma sum_j ||w_j||^p +
#' lambda tr(F'LF),}
#' over W (d x m) with \eqn{W'W = I}, F (n x clusters) with \eqn{F'F = I}, and A, whose
#' rows are nonnegative and sum to 1 (Nie, Zhu and Li, 2016). L is the
#' Laplacian of \eqn{(A + A')/2}: sample i gives most of its weight to the samples that
#' are nearest to it along W. The last term drives the graph to as many
#' connected components as there are `clusters`.
#'
#' @section Algorithm:
#' As published, A starts from the weights of `weights = "can"` (see [lapscore()]) on the
#' `neighbours` nearest samples, \eqn{\alpha}{alpha} is the mean of the parameters for which each
#' row has that many positive weights, and \eqn{\lambda = \alpha}{lambda = alpha}. A round updates
#' \enumerate{
#'   \item A, row by row, the projection of
#'     \eqn{-(\|W'(x_i - x_l)\|^2 + \lambda \|f_i - f_l\|^2) / (2 \alpha)}{
#'     -(||W'(x_i - x_l)||^2 + lambda ||f_i - f_l||^2) / (2 alpha)} on the simplex, over
#'     the `neighbours` samples nearest in x during the first five rounds, and afterwards over
#'     those with the smallest such sum;
#'   \item W, by reweighting from equal weights, as in [udfs()] with \eqn{X_c'LX_c}{Xc'L Xc}
#'     in place of M; or from the last W where that ends lower, and where the graph has so many
#'     components that equal weights do not determine W;
#'   \item F, the eigenvectors of the smallest eigenvalues of L.
#' }
#' Then lambda is doubled if the graph has fewer components than `clusters` (the smallest
#' eigenvalues of L sum to more than 1e-9 times the mean degree) and
#' halved, with F as before, if it has more (with the next eigenvalue the sum is less than 1e-11
#' of it); otherwise the iteration ends, though not in the first round. From the second change of
#' direction on, the factor is replaced by its square root, so that lambda does not alternate
#' between two values. The iteration also ends when lambda is below an eighth of alpha, where the
#' neighbours alone give more components than `clusters`.
#'
#' Within a round, at one lambda, the objective never rises (`rounds`, from `before` to `after`).
#' From one round to the next it rises if lambda grows: `objective` is therefore no measure of
#' progress.
#'
#' With at least as many features as samples W is sought in the row space of
#' the data, as in [udfs()]: the published problem has no unique solution there.
#'
#' @section Scale of the parameters:
#' Features are scaled to norm 1, as in the published code (`scale = FALSE`: all are
#' divided by the root of their mean square norm). `gamma` and lambda belong to the objective
#' above, half of the published one, \eqn{\sum_{i,l} \|W'(x_i - x_l)\|^2 a_{il} + ...}{the
#' sum of ||W'(x_i - x_l)||^2 a_il + ...}: this `gamma` is that of the published code, and half of
#' that in the displayed problem of the paper. Papers search it among the powers of ten from 1e-6
#' to 1e6. By default it is set so that rows of W of equal norms would have weights equal to the
#' mean eigenvalue of \eqn{X_c'LX_c}{Xc'L Xc} at the start. Larger values gather W on fewer
#' features. `p` is 1 in the published code; comparing papers state 0.5.
#'
#' @section Differences from public code:
#' After five rounds the public code takes the candidates of A from the distances along W alone,
#' so that the step may raise the objective. It leaves out the first sorted entry, which need not
#' be the sample itself if samples coincide.
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()], but no moments.
#' @param clusters Number of components of the graph; `NULL`: as in [alignment()].
#' @param gamma Penalty on the rows of W; `NULL` for the data-driven default. 0 is allowed.
#' @param p Exponent of the penalty, above 0 and at most 2; the default, 1, sets rows to zero,
#'   smaller values more of them.
#' @param neighbours Number of neighbours in the graph, at most n - 2. More join larger
#'   groups.
#' @param scale Divide features by their standard deviation? By default yes: of features in
#'   their own units those of small variance would come first.
#' @param control Settings from [rowsparse_control()]. Defaults: `maxit` 50 (rounds),
#'   `inner_tol` 1e-5, `inner_maxit` 100 (relative change of the objective of W, and
#'   steps in a round). `tol` is not used.
#' @return A list of class `c("sogfs", "rowsparse")` with the elements of [spcafs()], where
#'   \item{scores}{row norms of W; 0 for constant features}
#'   \item{objective}{at the start, and after each round with the lambda of that round}
#'   \item{converged}{did the iteration end by itself?}
#'   \item{kkt}{size of the projected gradient for W, relative to that of the gradient}
#'   \item{rounds}{data frame: `lambda`, the objective at it `before` and `after` the round,
#'     the sums of the smallest eigenvalues of L (`lowest`, and with one more
#'     `next_lowest`), `steps` of W}
#'   \item{cluster}{the component of the graph that each sample is in}
#'   \item{graph}{A: `index` and `weight`, n x neighbours}
#'   \item{restricted}{was W sought in the row space of the data?}
#' @section Errors and warnings:
#' As for [udfs()].
#' @references
#' Nie, Zhu and Li (2016) Unsupervised feature selection with structured graph
#' optimization. AAAI 2016, 1302-1308. \doi{10.1609/aaai.v30i1.10168}
#' @seealso [udfs()], [alignment()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60)
#' x[, 1:3] <- x[, 1:3] + 4 * rep(0:2, each = 20)
#' fit <- sogfs(x, m = 2, clusters = 3)
#' fit
#' table(fit$cluster, rep(1:3, each = 20))
#' fit$rounds
#' @export
sogfs <- function(x, m = NULL, clusters = NULL, gamma = NULL, p = 1, neighbours = 5, scale = TRUE,
                  control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                  assay = NULL, groups = NULL) {
  run_method("sogfs")
}

solve_sogfs <- function(data, given, control) {
  clusters <- given$clusters
  if (is.null(clusters)) clusters <- resolve_clusters(NULL, with_spectrum(data))
  neighbours <- given$neighbours
  inside <- in_unit_columns(data)
  near <- find_neighbours(inside, min(neighbours + 1L, data$n - 1L), "euclidean", ties = FALSE)
  settings <- sogfs_settings(given$m, clusters, given$gamma, given$p, neighbours, control)
  out <- .Call(C_sogfs, unclass(inside), near, with_row_groups(settings, data))
  warn_rank(ncol(out$W), given$m)
  list(
    scores = group_norms(row_norms(out$W), data), loadings = out$W, run = out,
    status = sogfs_status(out), kkt = out$kkt,
    parameters = list(
      m = ncol(out$W), clusters = clusters, gamma = out$gamma, p = given$p,
      neighbours = neighbours, alpha = out$alpha, eps = out$eps
    ),
    rounds = sogfs_rounds(out$rounds), cluster = out$label, graph = learned_graph(out),
    restricted = out$restricted
  )
}

sogfs_settings <- function(m, clusters, gamma, p, neighbours, control) {
  c(
    list(
      m = m, clusters = clusters, neighbours = neighbours, gamma = or_default(gamma, 1),
      relative_gamma = as.integer(is.null(gamma)), p = p, eps = 1e-10, rounds = 5L
    ), control[c("maxit", "inner_tol", "inner_maxit")]
  )
}

check_sogfs <- function(given, data) {
  given$neighbours <- few_neighbours(given$neighbours, data, 1L)
  if (!is.null(given$clusters)) given$clusters <- resolve_clusters(given$clusters, data)
  given
}

resolve_clusters <- function(clusters, data) {
  if (is.null(clusters)) {
    return(as.integer(min(corner_clusters(data), data$n - 1L)))
  }
  check_count(clusters, "clusters", 1L, data$n - 1L)
}

sogfs_status <- function(out) {
  if (out$alternates) "lambda went up and down without end" else out$status
}

sogfs_rounds <- function(rounds) {
  colnames(rounds) <- c("lambda", "before", "after", "lowest", "next_lowest", "steps")
  as.data.frame(rounds)
}

# n x k matrices of the neighbours of each sample and of their weights
learned_graph <- function(out) {
  list(index = t(out$index), weight = t(out$weight))
}

# Data whose features that vary have a mean square norm of 1: every one of them,
# where they were scaled
in_unit_columns <- function(data) {
  inside <- in_binary_units(data)
  unit <- sqrt(sum(inside$square) / sum(!inside$constant))
  inside$weight <- or_default(inside$weight, rep(1, data$d)) / unit
  inside$square <- inside$square / unit / unit
  drop_constants(inside)
}

# ---- descriptor -------------------------------------------------------------

descriptor_sogfs <- function() {
  descriptor(sogfs,
    rules = list(gamma = check_penalty, p = positive_to(2)),
    control = list(tol = 0, maxit = 50L, inner_tol = 1e-5, inner_maxit = 100L),
    check = check_sogfs, solve = solve_sogfs,
    bytes = function(s) {
      spectrum_bytes(s) + neighbour_bytes(s) + embedding_bytes(s, s$clusters) + minor_bytes(s)
    },
    most_samples = 1e5,
    passes = Inf,
    title = "Directions along which the samples of a learned graph are near",
    reference = "doi:10.1609/aaai.v30i1.10168",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per step of W",
    input = c("dense", "sparse", "blocks"), dimension = "m", sizes = "nested",
    family = "graph", sees = c("neighbours", "clusters"), explains = FALSE
  )
}
