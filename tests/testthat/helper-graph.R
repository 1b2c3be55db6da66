# Neighbours of the samples and vectors of their graph, by the parts that the methods take them
# from: what the tests of methods on graphs compare with.

# n x k matrices of row numbers and of distances, the nearest first
neighbours <- function(x, k, metric = "euclidean", scale = FALSE, ...) {
  data <- rowsparse:::as_data(x, scale, ...)
  found <- rowsparse:::find_neighbours(data, k, metric, ties = FALSE)
  experiment <- inherits(x, "SummarizedExperiment")
  names <- if (experiment) colnames(x) else if (length(dim(x)) == 2L) rownames(x)
  matrix_of <- function(values) {
    matrix(values, data$n, k, byrow = TRUE, dimnames = if (!is.null(names)) list(names, NULL))
  }
  list(
    index = matrix_of(found$index), distance = matrix_of(found$distance),
    largest = found$largest, mean = found$mean
  )
}

# the m smoothest vectors after the trivial one, each of norm 1, and what belongs to them
spectral_embedding <- function(x, m = 2, neighbours = 5, weights = "heat", t = NULL,
                               mutual = FALSE, laplacian = "symmetric", regularization = 0,
                               metric = "euclidean", scale = FALSE, maxit = 500L, ...) {
  data <- rowsparse:::as_data(x, scale, ...)
  settings <- list(
    neighbours = neighbours, weights = weights, t = t, mutual = mutual, metric = metric
  )
  graph <- rowsparse:::sample_graph(data, rowsparse:::check_graph(settings, data))
  out <- c_call("C_embedding", graph$rows, list(
    laplacian = laplacian, regularization = regularization, m = as.integer(m), tol = 1e-12,
    maxit = maxit
  ))
  out$vectors <- sweep(out$vectors, 2, rowsparse:::largest_sign(out$vectors), "*")
  c(out, list(component = out$label, graph = graph$rows, parameters = graph$settings))
}

# a graph that is held by rows, as a matrix
graph_matrix <- function(graph) {
  W <- matrix(0, graph$n, graph$n)
  W[cbind(rep(seq_len(graph$n), diff(graph$start)), graph$index)] <- graph$weight
  W
}

# that of an embedding with these settings
embedded_weights <- function(x, ...) {
  graph_matrix(suppressWarnings(spectral_embedding(x, 2, ..., regularization = 0.1))$graph)
}

# I - D^(-1/2) W D^(-1/2)
symmetric_laplacian <- function(graph) {
  W <- graph_matrix(graph)
  root <- 1 / sqrt(rowSums(W))
  diag(graph$n) - root * t(root * W)
}

# the graph that methods take by default
graph_of <- function(x, ...) spectral_embedding(x, 2, ..., regularization = 0.1)$graph
