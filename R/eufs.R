#' EUFS: features of a robust clustering of the samples
#'
#' Ranks features by a robust clustering of the samples on few features, without labels. Outlying
#' samples have little influence, and neighbouring samples tend to share a cluster. The problem is
#' not convex; the best iterate is returned.
#'
#' @section The problem:
#' Ranks features by the row norms of V in
#' \deqn{\min_{U, V} \; \|X_c - U V'\|_{2,1} + \alpha \sum_j \|v_j\| + \beta \,
#'   \mathrm{tr}(U'LU), \quad U'U = I, \; U \ge 0,}{
#' min over U and V of ||Xc - U V'||_2,1 + alpha sum_j ||v_j|| + beta tr(U'LU),
#'   U'U = I, U >= 0,}
#' embedded unsupervised feature selection (Wang, Tang and Liu, 2015). U (n x `clusters`) is
#' orthonormal and nonnegative, an indicator of clusters with weights; V (d x `clusters`) holds
#' the features of the clusters, with few rows. The loss is the sum of the norms of the
#' samples, so that outliers count less. L is the symmetric normalised Laplacian of a graph
#' that joins neighbouring samples.
#'
#' **The updates are derived here from that objective, with the splitting that the paper
#' describes; no public code was found to compare with**, and its constants are not known.
#'
#' @section Algorithm:
#' The alternating direction method of multipliers on
#' \deqn{E = X_c - U V', \quad J = V, \quad Z = U, \quad Z \ge 0, \quad U'U = I,}{
#' E = Xc - U V', J = V, Z = U, Z >= 0, U'U = I,}
#' with one penalty parameter mu for the three equations, which grows by the factor `rho` in every
#' iteration. E and J shrink the norms of samples and features, V is a mean, Z the positive part
#' of a step along the graph, U a polar factor. The data are first divided by the root mean square
#' norm of the samples.
#'
#' This is not a descent method, the problem is not convex, and once mu is large the iterates
#' hardly move, whether or not the equations hold: `residuals` shows how well. Each iterate is
#' therefore made feasible: U keeps the largest entry of every sample in Z, with columns scaled to
#' norm 1, and V is J. The feasible point with the lowest objective is returned; the first one is
#' the start. A larger `rho` is faster and ends at a higher objective.
#'
#' @section Scale of the parameters:
#' `alpha` has no unit: \eqn{\alpha_{\max} = \max_j \|x_j' R U\|}{alpha_max = max_j ||xj'RU||},
#' R the diagonal matrix of one over the norms of the samples, is the value at which V = 0 becomes
#' optimal for the clusters of the start; the default is 0.3 of it; `parameters$alpha_max` holds
#' it. `beta` is in the units of the data; by default 0.1 E / c, E = n times the root mean square
#' norm of the samples and c clusters. The paper's grid is 1e-6, 1e-4, ..., 1e6 for both.
#'
#' @inheritParams ndfs
#' @param alpha Penalty on the rows of V: larger = fewer features. `NULL`: 0.3 of the value
#'   at which all are zero.
#' @param beta Weight of the graph: larger = U smoother along it. `NULL`: see Scale of the
#'   parameters.
#' @param start A label per sample to start from; `NULL`: k-means, as in [ndfs()].
#' @param mu First penalty parameter of the iteration. Similar algorithms start at 1e-3, where
#'   everything is first shrunk to zero.
#' @param rho Factor by which mu grows, at least 1, up to mu = 1e10. Larger values are faster and
#'   end at a higher objective.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-3 (of the
#'   three relative residuals), `maxit` 1000.
#' @return A list of class `c("eufs", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{row norms of V; zeros are ordered by the `alpha` at which they would enter}
#'   \item{loadings}{V, d x `clusters`}
#'   \item{assignment}{U, n x `clusters`, feasible; `cluster` holds the column of each sample}
#'   \item{objective}{of the best feasible point so far, at the start and after each iteration;
#'     `best` is the iteration of the returned point}
#'   \item{residuals}{of Z = U, J = V and E = Xc - UV' at the end, relative}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     components \eqn{X_c V}{Xc V} reproduces}
#'   \item{isolated}{samples without an edge}
#'   \item{kkt, bound, gap}{`NA`}
#' @section Errors and warnings:
#' As for [ndfs()]; a sparse x that takes too much memory, as four dense matrices of its size are
#' held.
#' @references
#' Wang, Tang and Liu (2015) Embedded unsupervised feature selection. Proceedings of the 29th
#' AAAI Conference on Artificial Intelligence, 470-476.
#' @seealso [rufs()], [ndfs()], [kmeans_ufs()]
#' @examples
#' fit <- eufs(iris[, 1:4], clusters = 3)
#' fit
#' fit$residuals
#' table(fit$cluster, iris$Species)
#' @export
eufs <- function(x, clusters = NULL, alpha = NULL, beta = NULL, neighbours = 5,
                 weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
                 metric = c("euclidean", "cosine"), start = NULL, mu = 1, rho = 1.02, scale = FALSE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                 assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  given <- list(alpha = check_penalty(alpha, "alpha"), beta = check_penalty(beta, "beta"))
  mu <- check_number(mu, "mu", 0, 1e10, open_lower = TRUE)
  rho <- check_number(rho, "rho", 1)
  control <- resolve_control(control, tol = 1e-3, maxit = 1000L)
  data <- sample_data("eufs", x, scale, assay, block, include, exclude)
  settings <- graph_settings(data, neighbours, weights, t, mutual, metric)
  clusters <- affordable_clusters("eufs", clusters, data, start, settings, control)

  inside <- in_binary_units(data)
  # rounding can decide where this iteration goes: features in an order of their own
  place <- order(data$square)
  sorted <- in_order(data, place)
  inner <- in_order(inside, place)
  labels <- fill_clusters(max.col(given_labels(start, inner, clusters), "first"), clusters)
  first <- label_matrix(labels, clusters)
  first <- sweep(first, 2, sqrt(colSums(first)), "/")
  graph <- sample_graph(sorted, settings)
  scaled <- eufs_penalties(given, inner, first)
  out <- .Call(C_eufs, unclass(inner), first, graph$rows,
    c(scaled, list(mu = mu, rho = rho, largest_mu = 1e10), control[c("tol", "maxit")])
  )
  out$W[place, ] <- out$W
  out$pull[place] <- out$pull
  warn_isolated(out$isolated, data$n)
  unit <- scaled$size * inside$unit
  out$objective <- out$objective * unit
  new_label_fit("eufs", data, inside, out,
    c(list(
      clusters = clusters, alpha = scaled$alpha, alpha_max = scaled$alpha_max,
      beta = scaled$beta * unit
    ), graph$settings, list(mu = mu, rho = rho), control),
    call, started, control$verbose,
    unit = unit, residuals = stats::setNames(out$residuals, c("Z", "J", "E")), best = out$best
  )
}

# prepared data with their features in another order
in_order <- function(data, place) {
  data <- data_columns(data, place)
  data$operator <- NULL
  if (data$kind == "dense") data$kept <- .Call(C_keeper)
  data
}

# the root mean square norm of the samples, and penalties for data divided by it
eufs_penalties <- function(given, data, first) {
  size <- sqrt(data_trace(data) / data$n)
  norms <- sqrt(.Call(C_row_squares, unclass(data)))
  pull <- .Call(C_product_squares, unclass(data), first / pmax(norms, 1e-12 * size))
  alpha_max <- sqrt(max(pull))
  list(
    size = size, alpha_max = alpha_max, alpha = or_default(given[["alpha"]], 0.3 * alpha_max),
    beta = if (is.null(given[["beta"]])) {
      0.1 * data$n / ncol(first)
    } else {
      given[["beta"]] / data$unit / size
    }
  )
}

# samples of the largest clusters for those that have none
fill_clusters <- function(labels, clusters) {
  repeat {
    sizes <- tabulate(labels, clusters)
    if (all(sizes > 0)) {
      return(labels)
    }
    labels[which(labels == which.max(sizes))[1]] <- which(sizes == 0)[1]
  }
}

# ---- descriptor ----------------------------------------------------------------

descriptor_eufs <- function() {
  descriptor(eufs,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + 32 * s$n * s$d,
    most_samples = 2e5,
    passes = Inf,
    title = "Robust nonnegative clustering with few features",
    reference = "Wang, Tang and Liu (2015), AAAI 29, 470-476",
    cost = "O(n^2 d) for the neighbours, O(n d clusters) per iteration",
    family = "pseudo-labels", sees = c("neighbours", "clusters"),
    input = c("dense", "sparse", "blocks"), dimension = "clusters", sizes = "nested"
  )
}
