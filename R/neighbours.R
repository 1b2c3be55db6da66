#' Nearest neighbours of the samples
#'
#' Finds, for every sample, the k others at the smallest distance: exactly or, on
#' request, approximately. With
#' \eqn{z_i}{z_i} the centred (and, with `scale = TRUE`, standardised) rows of x,
#' \deqn{d_{ij} = \|z_i - z_j\| \quad\mbox{or}\quad
#' d_{ij} = \left\|\frac{z_i}{\|z_i\|} - \frac{z_j}{\|z_j\|}\right\|
#' = \sqrt{2 - 2 \cos(z_i, z_j)},}{d_ij = ||z_i - z_j||   or
#' d_ij = || z_i / ||z_i|| - z_j / ||z_j|| || = sqrt(2 - 2 cos(z_i, z_j)),}
#' for `metric = "euclidean"` and `"cosine"`. A sample at the mean of all has no
#' direction; its row stays zero in the second, at distance 1 from all others.
#'
#' The distances come from matrix products of blocks of rows, in \eqn{n^2 d}
#' multiplications, and never as an n x n matrix. What rounding leaves open in the
#' products is computed again from the differences of the rows: copies of a sample
#' are at distance 0 exactly, and of samples that are equally near (up to the
#' rounding of these differences) those that come first in x are taken. A sample is
#' never its own neighbour. Sparse data stay sparse.
#'
#' @section Approximate search:
#' With `search = "approximate"` the package RcppHNSW suggests candidates, k and some
#' more, by walks on a hierarchy of graphs of the samples (Malkov and Yashunin), in about
#' \eqn{n \log n}{n log n} distances in place of \eqn{n^2}; the k nearest of them are
#' returned. What is approximate is who is found: a row may miss some of the k nearest and
#' hold the next ones in their place. The distances themselves are exact.
#'
#' Dense data of up to 200 features are searched as they are; sparse data, row blocks and
#' data of more features by the scores of their leading principal components (50,
#' or `components`). What these components leave out is not seen by the search, so that
#' fewer of the k nearest are found where it matters, as in pure noise; the distances of
#' those that were found are still those of all features. Of row blocks the distances are
#' those of the scores as well. One thread and a fixed order make every call give the same.
#' Of candidates that are equally near those that come first in x are taken, as in the exact
#' search; but of more samples at one distance than there are candidates the search, not
#' their order, decides which are among these.
#'
#' The exact search is made of matrix products and hard to beat on fewer than some 30 000
#' samples. With 50 features in fifty groups and k = 10, on one thread, exact and
#' approximate search took 1.2 and 2.3 seconds for 10 000 samples, 4.4 and 5.4 for 20 000,
#' 16.5 and 14.4 for 40 000; the share of the k nearest that was found (recall) was above
#' 0.999, and 0.979 in noise without groups. By 50 components it was above 0.999 for digits (USPS)
#' and spoken letters (Isolet), and 0.27 for groups in noise of 1 000 dimensions
#' (`bench/neighbours.R`).
#'
#' @inheritParams css
#' @param x Data, samples in rows and features in columns: a numeric matrix, a
#'   data frame of numeric columns, a sparse matrix (`dgCMatrix`), [row_blocks()],
#'   or a `SummarizedExperiment` (features in rows there, transposed for you).
#' @param k Number of neighbours, at most n - 1.
#' @param metric The distance: `"euclidean"`, the default, or `"cosine"`, of samples divided
#'   by their norms.
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @param exclude Features that the distances leave out, as for [rowsparse()].
#' @param block The level of each sample, such as its batch, as for [rowsparse()]: the
#'   samples are centred within the levels, so that distances between batches are those
#'   that remain when their means agree.
#' @param search `"exact"`, or `"approximate"`, which needs the package RcppHNSW; see
#'   below.
#' @param components Number of principal components by whose scores the approximate search
#'   goes. `NULL`: none for dense data of up to 200 features, else 50, or fewer where
#'   the data have no more.
#'
#' @return An object of class `rowsparse_neighbours`: a list of
#'   \item{index}{n x k matrix of row numbers, the nearest first; its row names are
#'     those of x}
#'   \item{distance}{n x k matrix of their distances}
#'   \item{largest, mean}{the largest of all distances, and the mean of all n x n of
#'     them, the zeros of the diagonal included; `NA` in approximate search}
#'   \item{n, d, k, metric, scale}{what was asked for; d counts the features in use}
#'   \item{search}{`"exact"` or `"approximate"`}
#'   \item{elapsed, call}{seconds, and the call}
#'   and, in approximate search,
#'   \item{components}{number of components by which was searched; `NA`: the data themselves}
#'   \item{space}{what the distances are of: `"data"`, or `"components"`}
#'   \item{rms}{the root of the mean of all n x n squared distances, which is known}
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, `k` out of range, [moments()], which
#' hold no samples; `components` in exact search; RcppHNSW not installed where it is needed.
#' @references
#' Malkov and Yashunin (2020) Efficient and robust approximate nearest neighbor search
#' using hierarchical navigable small world graphs. IEEE Transactions on Pattern Analysis
#' and Machine Intelligence 42, 824-836. \doi{10.1109/TPAMI.2018.2889473}
#' @seealso [spectral_embedding()]
#' @examples
#' near <- neighbours(iris[, 1:4], k = 3)
#' near
#' near$index[1, ]
#' head(as.data.frame(near), 3)
#' @export
neighbours <- function(x, k = 10, metric = c("euclidean", "cosine"), scale = FALSE,
                       control = rowsparse_control(), exclude = NULL, block = NULL,
                       search = c("exact", "approximate"), components = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  metric <- check_choice(metric, "metric", neighbour_metrics)
  search <- check_search(search)
  control <- resolve_control(control, tol = 0, maxit = 1L)
  check_holds_samples(x)
  data <- as_data(x, scale, assay, block, exclude = exclude)
  k <- check_count(k, "k", 1L, data$n - 1L)
  components <- resolve_components(components, data, search)
  check_neighbour_memory(data, k)
  found <- find_neighbours(data, k, metric, FALSE, search, components)
  names <- sample_names(x, data$n)
  matrix_of <- function(values) {
    matrix(values, data$n, k, byrow = TRUE, dimnames = if (!is.null(names)) list(names, NULL))
  }
  out <- structure(
    list(
      index = matrix_of(found$index), distance = matrix_of(found$distance),
      largest = found$largest, mean = found$mean, n = data$n, d = data$d, k = k,
      metric = metric, scale = scale, search = search,
      elapsed = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "rowsparse_neighbours"
  )
  if (search == "approximate") {
    out$components <- or_default(components, NA_integer_)
    out[c("space", "rms")] <- found[c("space", "rms")]
  }
  if (control$verbose) message(sprintf("neighbours: %s; %.2f s", neighbours_line(out), out$elapsed))
  out
}

neighbour_metrics <- c("euclidean", "cosine")

check_neighbour_memory <- function(data, k) {
  bytes <- neighbour_needs(data_sizes(data), k)[["memory"]]
  check_memory(bytes, "k", "choose a smaller `k`")
}

# the lists of neighbours that the C code makes, distances in the units of x; those of
# directions have none. Approximate ones know of no ties; see approximate_neighbours().
find_neighbours <- function(data, k, metric, ties, search = "exact", components = NULL) {
  if (search == "approximate") {
    return(approximate_neighbours(data, k, metric, components))
  }
  inside <- in_binary_units(data)
  settings <- list(k = k, ties = as.integer(ties), metric = metric)
  found <- .Call(C_neighbours, unclass(inside), settings)[[1]]
  lengths <- c("distance", "largest", "mean")
  if (metric == "euclidean") found[lengths] <- lapply(found[lengths], `*`, inside$unit)
  found
}

# names of the samples of any kind of input; NULL where they have none
sample_names <- function(x, n) {
  names <- if (is_experiment(x)) {
    colnames(x)
  } else if (is.data.frame(x)) {
    if (is.character(attr(x, "row.names"))) attr(x, "row.names")
  } else if (is.matrix(x) || inherits(x, "Matrix") || inherits(x, "DelayedMatrix")) {
    rownames(x)
  }
  if (is.character(names) && length(names) == n) names
}

# ---- the object -------------------------------------------------------------

check_neighbours <- function(near, argument = "x") {
  check_elements(near, argument, "neighbours", list(
    n = rule("the number of samples", function(v, x) is_count(v) && v > 1),
    k = rule("the number of neighbours", function(v, x) is_count(v) && v > 0 && v < x$n),
    index = rule("an n x k matrix of row numbers", are_row_numbers),
    distance = rule("an n x k matrix of distances, the smallest first", are_distances),
    search = rule("\"exact\" or \"approximate\"", function(v, x) is_text(v) && v %in% search_kinds),
    largest = rule("a distance", is_overall), mean = rule("a distance", is_overall),
    rms = rule("a distance", function(v, x) !is_approximate(x) || is_length(v)),
    metric = rule("the name of a metric", function(v, x) is_text(v) && v %in% neighbour_metrics)
  ), c("n", "k", "index", "distance", "search", "largest", "mean", "metric",
    if (is_approximate(near)) "rms"
  ))
}

is_approximate <- function(near) is.list(near) && identical(near$search, "approximate")

# of all pairs, which only the exact search meets
is_overall <- function(value, near) {
  if (is_approximate(near)) identical(value, NA_real_) else is_length(value)
}

is_neighbour_matrix <- function(value, near) {
  is.matrix(value) && nrow(value) == near$n && ncol(value) == near$k && !anyNA(value)
}

are_row_numbers <- function(value, near) {
  is.integer(value) && is_neighbour_matrix(value, near) &&
    all(value >= 1L & value <= near$n & value != row(value))
}

are_distances <- function(value, near) {
  is.double(value) && is_neighbour_matrix(value, near) && all(is.finite(value)) &&
    all(value >= 0) && all(value[, -1L] >= value[, -near$k])
}

is_length <- function(value, ...) is_number(value) && is.null(dim(value)) && value >= 0

neighbours_line <- function(near) {
  sprintf("the %s nearest (%s%s) of each of %s", near$k, near$metric,
    if (is_approximate(near)) ", approximate" else "", count_of(near$n, "sample")
  )
}

#' @export
print.rowsparse_neighbours <- function(x, ...) {
  check_neighbours(x)
  cat("Neighbours: ", neighbours_line(x), "\n", sep = "")
  all_pairs <- if (is_approximate(x)) {
    sprintf("root mean square %.4g", x$rms)
  } else {
    sprintf("up to %.4g, mean %.4g", x$largest, x$mean)
  }
  cat(sprintf("Distances: %.4g to %.4g; of all pairs, %s\n", min(x$distance), max(x$distance),
    all_pairs
  ))
  if (is_count(x$components)) {
    cat(sprintf("Searched by the scores of %s%s\n", count_of(x$components, "component"),
      if (identical(x$space, "components")) ", whose distances these are" else ""
    ))
  }
  copies <- sum(x$distance[, 1] == 0)
  if (copies > 0) cat(count_of(copies, "sample"), "with a copy among the others\n")
  invisible(x)
}

#' @export
as.data.frame.rowsparse_neighbours <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_neighbours(x)
  labels <- sample_labels(rownames(x$index), x$n)
  data.frame(
    sample = rep(labels, each = x$k), rank = rep(seq_len(x$k), x$n),
    neighbour = labels[t(x$index)], index = as.vector(t(x$index)),
    distance = as.vector(t(x$distance))
  )
}

# names, or row numbers where there are none
sample_labels <- function(names, n) {
  if (is.null(names)) seq_len(n) else names
}

# distances by rank
#' @export
summary.rowsparse_neighbours <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_neighbours(object, "object")
  by_rank <- function(f) unname(apply(object$distance, 2, f))
  data.frame(
    rank = seq_len(object[["k"]]), least = by_rank(min), median = by_rank(stats::median),
    largest = by_rank(max), search = object$search
  )
}
