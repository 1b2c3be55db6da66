#' Spectral embedding of the samples
#'
#' Joins every sample with its nearest neighbours in a weighted graph and returns
#' the smoothest vectors on it: the eigenvectors of the smallest eigenvalues of its
#' Laplacian, the trivial one left out. Clusters of samples show as groups of
#' points in the first of them.
#'
#' With \eqn{W} the symmetric matrix of the weights,
#' \eqn{A = W + \tau \bar\delta / n}{A = W + tau delta / n} in every entry, where
#' \eqn{\bar\delta}{delta} is the mean degree and \eqn{\tau}{tau} the
#' `regularization`, and \eqn{D} the diagonal matrix of the row sums of A,
#' \deqn{\min_V \; \sum_{l = 1}^m \frac{1}{2} \sum_{i,j} A_{ij} (v_{il} - v_{jl})^2
#' = \mathrm{tr}(V'(D - A)V)}{min over V of 1/2 sum_l sum_ij A_ij (v_il - v_jl)^2 =
#' tr(V'(D - A)V)}
#' subject to \eqn{V'DV = I} and \eqn{V'D1 = 0} for `"random_walk"`
#' (\eqn{I - D^{-1}A}, Shi and Malik's normalised cut), and to \eqn{V'V = I} and
#' \eqn{V'1 = 0} for `"unnormalized"`; `"symmetric"` gives the vectors
#' \eqn{D^{1/2}V} of the first, which are orthonormal eigenvectors of
#' \eqn{I - D^{-1/2} A D^{-1/2}}.
#'
#' @section Weights:
#' Samples i and j are joined when one is among the q = `neighbours` nearest of the
#' other; with `mutual = TRUE`, when each is. All at the distance of the q-th are
#' among them, so that the order of the samples decides nothing. The edge of length
#' \eqn{d_{ij}}{d_ij} weighs
#' * `"heat"`: \eqn{\exp(-d_{ij}^2 / (2 t^2))}{exp(-d_ij^2 / (2 t^2))};
#' * `"binary"`: 1;
#' * `"self_tuning"`: \eqn{\exp(-d_{ij}^2 / (\sigma_i \sigma_j))}{exp(-d_ij^2 /
#'   (s_i s_j))}, where \eqn{\sigma_i}{s_i} is the distance of the q-th neighbour of i
#'   (at least 1e-6 of the largest distance), so that dense and thin regions count
#'   alike (Zelnik-Manor and Perona);
#' * `"can"`: \eqn{(a_{ij} + a_{ji}) / 2}{(a_ij + a_ji) / 2}, where the row
#'   \eqn{a_i} holds the probabilities that minimise
#'   \eqn{\sum_j (d_{ij}^2 a_{ij} + \gamma_i a_{ij}^2)}{sum_j (d_ij^2 a_ij + g_i
#'   a_ij^2)} with the \eqn{\gamma_i}{g_i} that leaves q of them positive (Nie, Wang
#'   and Huang): with the squared distances of i in order,
#'   \eqn{a_{ij} = (d_{(q+1)}^2 - d_{ij}^2)_+ / (q d_{(q+1)}^2 - \sum_{h \le q}
#'   d_{(h)}^2)}{a_ij = max(0, d_(q+1)^2 - d_ij^2) / (q d_(q+1)^2 - sum_{h <= q}
#'   d_(h)^2)}.
#'
#' @section Components:
#' A graph in c parts that no edge joins has the eigenvalue 0 c times: one is the
#' trivial one that every graph has, the others come first among the values, and
#' their vectors only tell the parts apart (in any basis of their space). A warning
#' says so. More neighbours, or some `regularization` (0.1, say), which joins all
#' parts weakly, avoid it. A sample without any edge, possible with `mutual =
#' TRUE` or with a `t` that is far too small, is a part of its own.
#'
#' @section Algorithm:
#' Neighbours as in [neighbours()]. The eigenvectors come from LAPACK for up to 256
#' samples, else from subspace iteration with Chebyshev polynomials of the Laplacian
#' (Zhou, Saad, Tiago and Chelikowsky), which needs the graph alone: \eqn{O(nq)}
#' numbers beside a block of \eqn{1.4 m} vectors, never n x n. Signs are chosen so
#' that the largest entry of every vector is positive.
#'
#' With `search = "approximate"` the neighbours are approximate, as in [neighbours()], whose
#' default of `components` is taken; of samples at the distance of the q-th neighbour, not
#' all are joined then, and the root mean square distance takes the place of the largest and
#' the mean one.
#'
#' @inheritParams neighbours
#' @param x Data as in [neighbours()], or a result of it, whose metric, search and ties
#'   are then taken over. For the methods a result of `spectral_embedding()`.
#' @param m Number of vectors, at most n - 1.
#' @param neighbours Number q of neighbours, at most n - 1 (of `x`, where that
#'   is a result of [neighbours()]: at most its k, with `"can"` one less).
#' @param weights The weights of the edges; see Weights.
#' @param t Length scale of `"heat"`; `NULL`: the mean of all n x n distances.
#' @param mutual Join only samples that are neighbours of each other?
#' @param laplacian The Laplacian, by default the symmetric one; see the formulas.
#' @param regularization \eqn{\tau}{tau}: what is spread over all pairs of samples,
#'   as a share of the mean degree.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-12 (on the
#'   residual \eqn{\|Lv - \lambda v\|}{||L v - value v||} relative to the largest
#'   eigenvalue that L can have), `maxit` 500.
#'
#' @return An object of class `rowsparse_embedding`: a list of
#'   \item{vectors}{V, n x m, with the row names of x; every column has norm 1}
#'   \item{values}{the m eigenvalues, ascending}
#'   \item{residuals}{\eqn{\|Lv - \lambda v\|}{||L v - value v||} of each}
#'   \item{components, component}{number of connected components of W, and the
#'     component of each sample}
#'   \item{degree}{the diagonal of D}
#'   \item{graph}{W by rows: list of `n`, `start` (n + 1 offsets from 0), `index`,
#'     `weight`}
#'   \item{n, parameters}{number of samples, and the settings, with the `t` that
#'     was used}
#'   \item{converged, status, elapsed, call}{how it ended, seconds, the call}
#' @section Errors and warnings:
#' Of class `rowsparse_error`: unusable data, arguments out of range, [moments()].
#' Warnings of class `rowsparse_warning_components` (several components and no
#' regularisation) and `rowsparse_warning_convergence`.
#' @references
#' Zelnik-Manor and Perona (2004) Self-tuning spectral clustering. Advances in
#' Neural Information Processing Systems 17.
#'
#' von Luxburg (2007) A tutorial on spectral clustering. Statistics and Computing
#' 17, 395-416. \doi{10.1007/s11222-007-9033-z}
#'
#' Amini, Chen, Bickel and Levina (2013) Pseudo-likelihood methods for community
#' detection in large sparse networks. The Annals of Statistics 41, 2097-2122.
#' \doi{10.1214/13-AOS1138}
#'
#' Nie, Wang and Huang (2014) Clustering and projected clustering with adaptive
#' neighbors. Proceedings of the 20th ACM SIGKDD conference, 977-986.
#' \doi{10.1145/2623330.2623726}
#'
#' Zhou, Saad, Tiago and Chelikowsky (2006) Self-consistent-field calculations using
#' Chebyshev-filtered subspace iteration. Journal of Computational Physics 219,
#' 172-184. \doi{10.1016/j.jcp.2006.03.017}
#' @seealso [neighbours()]
#' @examples
#' fit <- spectral_embedding(iris[, 1:4], m = 2, weights = "self_tuning", neighbours = 10)
#' fit
#' plot(fit, groups = iris$Species)
#' @export
spectral_embedding <- function(x, m = 2, neighbours = 5,
                               weights = c("heat", "binary", "self_tuning", "can"), t = NULL,
                               mutual = FALSE,
                               laplacian = c("symmetric", "random_walk", "unnormalized"),
                               regularization = 0, metric = c("euclidean", "cosine"),
                               scale = FALSE, control = rowsparse_control(), exclude = NULL,
                               block = NULL, search = c("exact", "approximate"),
                               assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  left_out <- c(
    metric = missing(metric), scale = missing(scale), exclude = is.null(exclude),
    block = is.null(block), search = missing(search), assay = missing(assay)
  )
  weights <- check_choice(weights, "weights", c("heat", "binary", "self_tuning", "can"))
  t <- check_heat_scale(t, weights)
  mutual <- check_flag(mutual, "mutual")
  laplacian <- check_choice(laplacian, "laplacian", laplacian_kinds)
  regularization <- check_number(regularization, "regularization", 0, 1e6)
  metric <- check_choice(metric, "metric", neighbour_metrics)
  search <- check_search(search)
  control <- resolve_control(control, tol = 1e-12, maxit = 500L)
  if (inherits(x, "rowsparse_neighbours")) {
    check_left_out(left_out)
    near <- listed_neighbours(x, neighbours, weights, m)
    names <- rownames(x$index)
    metric <- x$metric
    search <- x$search
  } else {
    check_holds_samples(x)
    data <- as_data(x, scale, assay, block, exclude = exclude)
    near <- near_samples(data, m, neighbours, weights, metric, search)
    names <- sample_names(x, near$n)
  }
  parameters <- list(
    m = as.integer(m), neighbours = as.integer(neighbours), weights = weights,
    t = if (weights == "heat") or_default(t, near$mean), mutual = mutual, laplacian = laplacian,
    regularization = regularization, metric = metric, search = search
  )
  new_embedding(near, names, parameters, control, call, started)
}

laplacian_kinds <- c("symmetric", "random_walk", "unnormalized")

check_heat_scale <- function(t, weights) {
  if (is.null(t)) {
    return(NULL)
  }
  if (weights != "heat") {
    stop_rowsparse("argument", "t", "must be left out unless weights = \"heat\"", describe(t))
  }
  check_number(t, "t", 0, open_lower = TRUE)
}

check_left_out <- function(left_out, where = "is a result of neighbours()") {
  if (!all(left_out)) {
    stop_rowsparse("argument", names(which(!left_out))[1],
      sprintf("must be left out where `x` %s, which has its own", where)
    )
  }
}

# CAN weights need the distance of one neighbour more, where there is one
needed_neighbours <- function(neighbours, weights, n) {
  min(neighbours + (weights == "can"), n - 1L)
}

near_samples <- function(data, m, neighbours, weights, metric, search) {
  neighbours <- check_count(neighbours, "neighbours", 1L, data$n - 1L)
  m <- check_count(m, "m", 1L, data$n - 1L)
  check_neighbour_memory(data, neighbours)
  check_embedding_memory(data$n, m)
  k <- needed_neighbours(neighbours, weights, data$n)
  components <- resolve_components(NULL, data, search)
  overall_by_rms(find_neighbours(data, k, metric, TRUE, search, components))
}

# what stands for the largest and the mean of all distances where they are not known
overall_by_rms <- function(near) {
  if (is.na(near$mean)) near[c("largest", "mean")] <- near$rms
  near
}

check_embedding_memory <- function(n, m) {
  check_memory(embedding_needs(list(n = n), m, 1)[["memory"]], "m", "choose a smaller `m`")
}

# the lists of a result of neighbours(), as the C code wants them
listed_neighbours <- function(x, neighbours, weights, m) {
  check_neighbours(x)
  n <- as.integer(x$n)
  k <- as.integer(x$k)
  most <- if (weights == "can" && k < n - 1L) k - 1L else k
  if (most < 1L) {
    stop_rowsparse("size", "x", "must hold at least 2 neighbours of each sample for CAN weights", k)
  }
  check_count(neighbours, "neighbours", 1L, most)
  check_count(m, "m", 1L, n - 1L)
  check_embedding_memory(n, m)
  overall_by_rms(list(
    n = n, k = k, ties = 0L, start = as.double(k) * (0:n), index = as.vector(t(x$index)),
    distance = as.vector(t(x$distance)), largest = x$largest, mean = x$mean, rms = x$rms
  ))
}

new_embedding <- function(near, names, parameters, control, call, started) {
  graph <- .Call(C_graph, near, list(
    weights = parameters$weights, neighbours = parameters$neighbours,
    mutual = as.integer(parameters$mutual), t = or_default(parameters$t, 0)
  ))
  out <- .Call(C_embedding, graph, list(
    laplacian = parameters$laplacian, regularization = parameters$regularization,
    m = parameters$m, tol = control$tol, maxit = control$maxit
  ))
  label <- function(value) if (is.null(names)) value else stats::setNames(value, names)
  vectors <- sweep(out$vectors, 2, largest_sign(out$vectors), "*")
  dimnames(vectors) <- list(names, paste0("v", seq_len(parameters$m)))
  fit <- structure(
    list(
      vectors = vectors, values = out$values, residuals = out$residuals,
      components = out$components, component = label(out$label), degree = label(out$degree),
      graph = graph, n = near$n, parameters = c(parameters, control), converged = out$converged,
      status = out$status, elapsed = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "rowsparse_embedding"
  )
  warn_embedding(fit)
  if (control$verbose) {
    message(sprintf("spectral_embedding: %s; %.2f s", embedding_line(fit), fit$elapsed))
  }
  fit
}

# 1 or -1: the sign of the entry of largest modulus in every column; of entries that
# tie the first decides
largest_sign <- function(vectors) {
  apply(vectors, 2, function(v) {
    at <- which(abs(v) >= (1 - 1e-8) * max(abs(v)))[1]
    if (v[at] < 0) -1 else 1
  })
}

warn_embedding <- function(fit) {
  if (fit$components > 1L && fit$parameters$regularization == 0) {
    warn_rowsparse("components", sprintf(
      "the graph has %d connected components: the first %s. %s.", fit$components,
      if (min(fit$components - 1L, fit$parameters$m) == 1L) {
        "vector only tells them apart"
      } else {
        sprintf("%d vectors only tell them apart", min(fit$components - 1L, fit$parameters$m))
      },
      "More `neighbours`, or `regularization` = 0.1, join them"
    ))
  }
  if (!fit$converged) {
    warn_rowsparse("convergence", sprintf(
      "spectral_embedding() did not reach its tolerance (largest residual %.2g); %s.",
      max(fit$residuals), "raise `maxit`, or take an `m` with a gap behind it in the values"
    ))
  }
}

# ---- the object -------------------------------------------------------------

check_embedding <- function(fit, argument = "x") {
  per_vector <- function(v, x) is.double(v) && length(v) == ncol(x$vectors) && !anyNA(v)
  check_elements(fit, argument, "an embedding", list(
    vectors = rule("a matrix of numbers", function(v, x) {
      is.double(v) && is.matrix(v) && all(dim(v) > 0) && all(is.finite(v))
    }),
    values = rule("one number per vector", per_vector),
    residuals = rule("one number per vector", per_vector),
    components = rule("a number of components", function(v, x) is_count(v) && v > 0),
    component = rule("one component per sample", function(v, x) {
      is.integer(v) && length(v) == nrow(x$vectors) && !anyNA(v) && all(v > 0)
    }),
    parameters = rule("the settings", function(v, x) {
      is.list(v) && is_text(v$weights) && is_text(v$laplacian) && is_count(v$neighbours)
    })
  ))
}

embedding_line <- function(fit) {
  sprintf("%s of %s (%s Laplacian, %s weights, %s)", count_of(ncol(fit$vectors), "vector"),
    count_of(nrow(fit$vectors), "sample"), sub("_", " ", fit$parameters$laplacian),
    sub("_", "-", fit$parameters$weights), count_of(fit$parameters$neighbours,
      if (identical(fit$parameters$search, "approximate")) {
        "approximate neighbour"
      } else {
        "neighbour"
      }
    )
  )
}

#' @rdname spectral_embedding
#' @param digits Number of significant digits printed.
#' @export
print.rowsparse_embedding <- function(x, digits = 4, ...) {
  check_embedding(x)
  digits <- check_count(digits, "digits", 1L, 15L)
  cat("Spectral embedding: ", embedding_line(x), "\n", sep = "")
  shown <- utils::head(x$values, 10L)
  cat("Eigenvalues: ", paste(format(shown, digits = digits), collapse = " "),
    if (length(x$values) > 10L) " ...", "\n",
    sep = ""
  )
  cat(sprintf("%s; residuals up to %.2g\n", count_of(x$components, "connected component"),
    max(x$residuals)
  ))
  invisible(x)
}

#' @export
as.data.frame.rowsparse_embedding <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_embedding(x)
  vectors <- unname(x$vectors)
  colnames(vectors) <- paste0("v", seq_len(ncol(vectors)))
  data.frame(
    sample = sample_labels(rownames(x$vectors), nrow(vectors)),
    component = unname(x$component), vectors
  )
}

#' @rdname spectral_embedding
#' @param dims The two vectors to draw, or one, against the order of the samples.
#' @param groups One label per sample: points are told apart by colour and symbol.
#'   `NULL`: by connected component.
#' @param ... Further graphical parameters.
#' @export
plot.rowsparse_embedding <- function(x, dims = c(1, 2), groups = NULL, ...) {
  check_embedding(x)
  check_graphical(...)
  draw_picture(vectors_picture(x, if (missing(dims)) NULL else dims, groups), ...)
  invisible(x)
}

vectors_picture <- function(fit, dims, groups) {
  view <- embedding_points(fit, dims, groups)
  list(
    kind = "samples", title = "Spectral embedding", groups = view$labels,
    legend = !is.null(groups),
    panels = list(list(at = view$at, labels = view$names, title = "Spectral embedding"))
  )
}

# where the samples lie, what the axes are, and the group or component of each
embedding_points <- function(fit, dims, groups) {
  if (is.null(dims)) dims <- seq_len(min(2L, ncol(fit$vectors)))
  dims <- check_counts(dims, "dims", 1L, ncol(fit$vectors))
  if (length(dims) > 2L) {
    stop_rowsparse("size", "dims", "must name one vector or two", describe(dims))
  }
  n <- nrow(fit$vectors)
  labels <- if (is.null(groups)) fit[["component"]] else check_labels(groups, "groups", n)
  list(
    at = cbind(if (length(dims) == 1L) seq_len(n), unname(fit$vectors[, dims])),
    names = c(if (length(dims) == 1L) "sample", paste("vector", dims)),
    labels = as.factor(unname(labels))
  )
}

#' @export
summary.rowsparse_embedding <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_embedding(object, "object")
  data.frame(
    vector = seq_along(object$values), value = object$values, residual = object$residuals
  )
}
