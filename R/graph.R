# Nearest neighbours of the samples, and the graph of them that methods share. With z_i the centred
# rows, the distance is ||z_i - z_j||, or ||z_i / ||z_i|| - z_j / ||z_j|| || for "cosine".

# The lists of neighbours that the C code makes, distances in the units of x; those of directions
# have none. Of samples equally near (up to rounding) the first are taken, or with `ties` all.
find_neighbours <- function(data, k, metric, ties) {
  inside <- in_binary_units(data)
  settings <- list(k = k, ties = as.integer(ties), metric = metric)
  found <- .Call(C_neighbours, unclass(inside), settings)[[1]]
  lengths <- c("distance", "largest", "mean")
  if (metric == "euclidean") found[lengths] <- lapply(found[lengths], `*`, inside$unit)
  found
}

# The arguments of a graph; few samples are all neighbours
check_graph <- function(args, data) {
  args$neighbours <- min(check_count(args$neighbours, "neighbours"), data$n - 1L)
  refuse_if(!is.null(args[["t"]]) && args$weights != "heat",
    "argument", "t", "must be left out unless weights = \"heat\"", describe(args[["t"]]))
  args["t"] <- list(optional(positive)(args[["t"]], "t"))
  args
}

# list(rows: the graph as C_graph() makes it, settings: with the t that was used), from checked
# arguments of a method, which may have no metric
sample_graph <- function(data, args) {
  settings <- args[intersect(c("neighbours", "weights", "t", "mutual", "metric"), names(args))]
  settings$metric <- or_default(args[["metric"]], "euclidean")
  # CAN weights need the distance of one neighbour more, if there is one
  k <- min(settings$neighbours + (settings$weights == "can"), data$n - 1L)
  near <- find_neighbours(data, k, settings$metric, ties = TRUE)
  if (settings$weights == "heat") settings$t <- or_default(settings[["t"]], near$mean)
  rows <- .Call(C_graph, near, list(
    weights = settings$weights, neighbours = settings$neighbours,
    mutual = as.integer(settings$mutual), t = or_default(settings[["t"]], 0)
  ))
  list(rows = rows, settings = settings)
}

warn_isolated <- function(isolated, n) {
  if (isolated > 0) warn_rowsparse("isolated", sprintf(
    "%d of %s have no edges and do not count; a larger `t`, or `mutual = FALSE`, joins them.",
    isolated, count_of(n, "sample")
  ))
}

# ---- the smoothest vectors on a graph ---------------------------------------------

# list(vectors, values, components, converged, status): the m smallest eigenvectors after the
# trivial one, as solutions of L y = value D y, columns of norm 1. Where eigenvalues coincide, as
# those of components do, the principal directions of the data, which depend on no order, decide.
graph_vectors <- function(data, rows, m, control) {
  found <- symmetric_vectors(rows, m, control)
  if (found$components - 1L > m) found <- symmetric_vectors(rows, found$components - 1L, control)
  vectors <- from_symmetric(found)
  first <- c(TRUE, diff(found$values) > 1e-8)
  for (block in split(seq_along(first), cumsum(first))) {
    if (length(block) == 1L) next
    Y <- vectors[, block] # turned so that X'Y has orthogonal columns, the longest first
    turned <- .Call(C_cross, unclass(in_binary_units(data)), Y, ncol(Y))
    vectors[, block] <- Y %*% eigen(crossprod(turned), symmetric = TRUE)$vectors
  }
  found$vectors <- unit_columns(vectors[, seq_len(m), drop = FALSE])
  found$values <- found$values[seq_len(m)]
  found
}

# D^{-1/2} V, and columns of norm 1 or 0
from_symmetric <- function(found) {
  ifelse(found$degree > 0, 1 / sqrt(found$degree), 0) * found$vectors
}

unit_columns <- function(V, least = 0) {
  norms <- sqrt(colSums(V^2))
  sweep(V, 2, ifelse(norms > least, 1 / norms, 0), "*")
}

symmetric_vectors <- function(rows, m, control, regularization = 0) {
  .Call(C_embedding, rows, list(
    laplacian = "symmetric", regularization = regularization, m = m, tol = control$inner_tol,
    maxit = control$inner_maxit
  ))
}

# (I - R)'(I - R), n x n, with the weights R by which neighbours reconstruct each sample
reconstruction_laplacian <- function(data, neighbours) {
  near <- find_neighbours(data, neighbours, "euclidean", ties = FALSE)
  # as many neighbours as features reconstruct exactly, in many ways
  ridge <- if (neighbours < data$d) 1e-8 else 1e-3
  settings <- list(neighbours = neighbours, t = 0, ridge = ridge)
  rows <- .Call(C_local_weights, unclass(in_binary_units(data)), near, settings)
  unname(as.matrix(squared_rest(rows)))
}

# (I - A)'(I - A), of an n x n matrix A by rows, as the C code gives it
squared_rest <- function(rows) {
  n <- rows$n
  A <- Matrix::sparseMatrix(
    i = rep(seq_len(n), diff(rows$start)), j = rows$index, x = rows$weight, dims = c(n, n)
  )
  Matrix::crossprod(Matrix::Diagonal(n) - A)
}
