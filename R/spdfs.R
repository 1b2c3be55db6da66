#' SPDFS: a fuzzy partition on exactly k features
#'
#' Selects exactly k features on which samples fall into fuzzy clusters, with a partition
#' and a projection that are learned together. Without labels.
#'
#' @section The problem:
#' Selects the k features on which samples fall into clusters, with a fuzzy partition and
#' a projection that are learned together (Dong, Nie, Tian, Wang and Li, 2025):
#' \deqn{\min \; \frac{\sum_{ij} y_{ij}^r \|W'x_i - \mu_j\|^2}{\mathrm{tr}(W'S_t W)},
#'   \quad W'W = I_m, \; k \mbox{ nonzero rows},}{
#'   min sum_ij y_ij^r ||W'x_i - mu_j||^2 / tr(W'S_t W), W'W = I_m, k nonzero rows,}
#' over centres \eqn{\mu_j}{mu_j} and memberships \eqn{y_{ij} \ge 0}{y_ij >= 0} that sum to
#' 1 for every sample; \eqn{x_i}{xi} are the centred samples and \eqn{S_t} their scatter.
#'
#' @section Algorithm:
#' Two steps alternate: fuzzy c-means on the projected samples, and W for the partition. With
#' \eqn{\lambda}{lambda} the ratio so far, \eqn{F = (y_{ij}^r)}{F = (y_ij^r)} and
#' \deqn{S_m = X'(\mathrm{diag}(F1) - F \mathrm{diag}(F'1)^{-1}F')X,}{
#'   S_m = X'(diag(F 1) - F diag(F'1)^-1 F')X,}
#' W raises \eqn{\mathrm{tr}(W'(\lambda S_t - S_m)W)}{tr(W'(lambda S_t - S_m)W)} on k
#' features by the projection updates of [fspca()]; on each set the ratio is then solved exactly.
#' The ratio never rises. The result is a local solution that depends on the start. The first set
#' depends on the first clusters, which the set of [fspca()] would not use.
#'
#' With k of at least n - `clusters` + m features, of n samples, every set reaches a ratio of
#' zero, as the samples of a cluster can be projected on one point: the ratio cannot choose a set.
#' Then the first set is kept, with a warning.
#'
#' A sample at a centre belongs to it alone, and a cluster that has lost all weight stays
#' empty. Larger `r` makes the partition fuzzier and the ratio smaller: values with
#' different `r` cannot be compared.
#'
#' @section Differences from public code:
#' The public code divides samples by their norms instead of centring them, starts W at random,
#' and forms d x d matrices. Here the data enter through products and the columns of the current
#' set.
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()], but no moments.
#' @param k Number of features, at least m.
#' @param clusters Number of clusters; `NULL` for a number from the leading eigenvalues of
#'   the data, see [kmeans_ufs()].
#' @param m Dimension of the projection; `NULL` for a third of k, rounded up. The authors
#'   take k / 3 to k.
#' @param r Fuzziness, from 1 (each sample in one cluster) to 10; the authors take 1.1 to
#'   1.3.
#' @param start The first partition: a label for each sample, or an n x clusters matrix
#'   of memberships. `NULL`: k-means on the leading components. The first set has the largest
#'   ratio of the scatter between these clusters to the scatter within.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6, relative
#'   change of the ratio; `maxit` 100.
#' @return A list of class `c("spdfs", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{selected}{the k features, by score}
#'   \item{scores}{the diagonal entries of \eqn{P = AW(W'AW)^+W'A}{P = A W (W'AW)^+ W'A} for
#'     the last matrix A, shifted to be positive; if the ratio is zero, for each feature the
#'     scatter between the first clusters over that within}
#'   \item{loadings}{W, d x m, orthonormal, zero outside the selected rows}
#'   \item{objective}{the ratio, for the first set and after each iteration}
#'   \item{membership}{y, n x clusters; `cluster` has the largest of each sample}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     selected features reproduces; `NA` for many features of large data, see [rowsparse()]}
#' @section Errors and warnings:
#' As for [bsufs()]; moments; `k` below m or above d; `clusters`, `r` or `start` out of range.
#' A ratio of zero warns (`rowsparse_warning_not_unique`).
#' @references
#' Dong, Nie, Tian, Wang and Li (2025) IEEE Transactions on Pattern Analysis and Machine
#' Intelligence. \doi{10.1109/TPAMI.2025.3580669}
#' @seealso [s2dfs()], the same with classes; [kmeans_ufs()]
#' @examples
#' fit <- spdfs(iris[, 1:4], k = 2, clusters = 3)
#' fit
#' table(fit$cluster, iris$Species)
#' @export
spdfs <- function(x, k, clusters = NULL, m = NULL, r = 1.2, start = NULL, scale = FALSE,
                  control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                  assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  r <- check_number(r, "r", 1, 10)
  control <- resolve_control(control, tol = 1e-6, maxit = 100L)
  data <- sample_data("spdfs", x, scale, assay, block, include, exclude)
  k <- check_basis_size(k, m, data)
  clusters <- label_clusters(clusters, data, start)
  m <- or_default(m, min(ceiling(k / 3), largest_dimension(data)))
  check_fit_size("spdfs", data,
    k = k, m = m, clusters = clusters, argument = "k", control = control
  )
  inside <- in_binary_units(data)
  first <- memberships(given_labels(start, inside, clusters))
  scatter <- partition_scatter(first, inside)
  out <- .Call(C_spdfs, unclass(inside), first, partition_set(scatter, inside, k), list(
    m = as.integer(m), r = r, ties = data$deviation, constant = data$constant,
    tol = control$tol, maxit = control$maxit
  ))
  if (out$is_zero) {
    out$scores <- scatter$between / scatter$within
  }
  parameters <- c(list(k = k, clusters = clusters, m = as.integer(m), r = r), control)
  new_spdfs(data, out, parameters, call, started)
}

# rows that sum to 1; equal shares where there are none
memberships <- function(labels) {
  labels[rowSums(labels) == 0, ] <- 1
  labels / rowSums(labels)
}

# scatter of every feature between the clusters, and within, a little more
partition_scatter <- function(first, data) {
  size <- colSums(first)
  basis <- sweep(first[, size > 0, drop = FALSE], 2, sqrt(size[size > 0]), "/")
  between <- pmin(data$square, .Call(C_product_squares, unclass(data), basis))
  list(between = between, within = data$square - between + 1e-3 * mean(data$square))
}

# the k features of the largest scatter between the clusters over that within
partition_set <- function(scatter, data, k) {
  single <- largest_scores(scatter$between / scatter$within, k, data)
  trace_ratio_set(scatter$between, scatter$within, single, data)
}

new_spdfs <- function(data, out, parameters, call, started) {
  chosen <- order_features(out$scores[out$subset], data$deviation[out$subset])
  selected <- out$subset[chosen]
  scores <- pmax(out$scores, 0)
  new_fit("spdfs", data,
    scores = scores, selected = selected,
    loadings = expand_rows(out$V, out$subset, data), run = out,
    explained = explained_by(selected, data), parameters = parameters, membership = out$Y,
    cluster = max.col(out$Y, ties.method = "first"), call = call, started = started,
    verbose = parameters$verbose,
    undecided = if (out$is_zero) paste(
      "the ratio is zero, as it is on other sets of so many features; features are ordered by",
      "their own ratios for the first partition, and a smaller `k` would leave something to",
      "choose by"
    )
  )
}

descriptor_spdfs <- function() {
  descriptor(spdfs,
    bytes = function(s) {
      m <- if ("m" %in% s$given) s$m else ceiling(s$k / 3)
      spectrum_bytes(s) + 32 * s$n * s$clusters + form_bytes(s, m)
    },
    include = "given",
    family = "subset", sees = "clusters",
    title = "A fuzzy partition on k features",
    reference = "Dong, Nie, Tian, Wang and Li (2025), IEEE TPAMI",
    cost = "O(n d m + n k^2 + k^3) per iteration", input = c("dense", "sparse", "blocks"),
    dimension = "clusters", sizes = "refit"
  )
}
