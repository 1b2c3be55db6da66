#' Nearest neighbours of the samples
#'
#' Finds, for every sample, the k others at the smallest distance, exactly. With
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
#' @inheritParams css
#' @param x Data, samples in rows and features in columns: a numeric matrix, a
#'   data frame of numeric columns, a sparse matrix (`dgCMatrix`), [row_blocks()],
#'   or a `SummarizedExperiment` (features in rows there, transposed for you).
#' @param k Number of neighbours, at most n - 1.
#' @param metric The distance; see above.
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @param exclude Features that the distances leave out, as for [rowsparse()].
#' @param block The level of each sample, such as its batch, as for [rowsparse()]: the
#'   samples are centred within the levels, so that distances between batches are those
#'   that remain when their means agree.
#'
#' @return An object of class `rowsparse_neighbours`: a list of
#'   \item{index}{n x k matrix of row numbers, the nearest first; its row names are
#'     those of x}
#'   \item{distance}{n x k matrix of their distances}
#'   \item{largest, mean}{the largest of all distances, and the mean of all n x n of
#'     them, the zeros of the diagonal included}
#'   \item{n, d, k, metric, scale}{what was asked for; d counts the features in use}
#'   \item{elapsed, call}{seconds, and the call}
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, `k` out of range, [moments()], which
#' hold no samples.
#' @seealso [spectral_embedding()]
#' @examples
#' near <- neighbours(iris[, 1:4], k = 3)
#' near
#' near$index[1, ]
#' head(as.data.frame(near), 3)
#' @export
neighbours <- function(x, k = 10, metric = c("euclidean", "cosine"), scale = FALSE,
                       control = rowsparse_control(), exclude = NULL, block = NULL,
                       assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  metric <- check_choice(metric, "metric", neighbour_metrics)
  control <- resolve_control(control, tol = 0, maxit = 1L)
  check_holds_samples(x)
  data <- as_data(x, scale, assay, block, exclude = exclude)
  k <- check_count(k, "k", 1L, data$n - 1L)
  check_neighbour_memory(data, k)
  found <- find_neighbours(data, k, metric, ties = FALSE)
  names <- sample_names(x, data$n)
  matrix_of <- function(values) {
    matrix(values, data$n, k, byrow = TRUE, dimnames = if (!is.null(names)) list(names, NULL))
  }
  out <- structure(
    list(
      index = matrix_of(found$index), distance = matrix_of(found$distance),
      largest = found$largest, mean = found$mean, n = data$n, d = data$d, k = k,
      metric = metric, scale = scale, elapsed = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "rowsparse_neighbours"
  )
  if (control$verbose) message(sprintf("neighbours: %s; %.2f s", neighbours_line(out), out$elapsed))
  out
}

neighbour_metrics <- c("euclidean", "cosine")

check_neighbour_memory <- function(data, k) {
  bytes <- neighbour_needs(data_sizes(data), k)[["memory"]]
  check_memory(bytes, "k", "choose a smaller `k`")
}

# the lists of neighbours that the C code makes, distances in the units of x; those of
# directions have none
find_neighbours <- function(data, k, metric, ties) {
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
    largest = rule("a distance", is_length), mean = rule("a distance", is_length),
    metric = rule("the name of a metric", function(v, x) is_text(v) && v %in% neighbour_metrics)
  ), c("n", "k", "index", "distance", "largest", "mean", "metric"))
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
  sprintf("the %s nearest (%s) of each of %s", near$k, near$metric, count_of(near$n, "sample"))
}

#' @export
print.rowsparse_neighbours <- function(x, ...) {
  check_neighbours(x)
  cat("Neighbours: ", neighbours_line(x), "\n", sep = "")
  cat(sprintf("Distances: %.4g to %.4g; of all pairs, up to %.4g, mean %.4g\n",
    min(x$distance), max(x$distance), x$largest, x$mean
  ))
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
    rank = seq_len(object$k), least = by_rank(min), median = by_rank(stats::median),
    largest = by_rank(max)
  )
}
