# Approximate nearest neighbours: RcppHNSW suggests candidates, from the data or from the
# scores of principal components, and the C code takes the nearest of them by their
# distances in the data.

search_kinds <- c("exact", "approximate")

check_search <- function(search) {
  search <- check_choice(search, "search", search_kinds)
  if (search == "approximate") check_installed("RcppHNSW", "for search = \"approximate\"")
  search
}

# data of more features are searched by the scores of so many components
most_features_searched <- 200L
usual_components <- 50L

# edges of a point of the graph, and widths of the searches that build and use it: beyond
# them little is gained
hnsw_edges <- 16L
hnsw_building <- 100L
hnsw_searching <- 100L

# the number of components by whose scores is searched; NULL: by the data
resolve_components <- function(components, data, search) {
  if (search == "exact") {
    if (!is.null(components)) {
      stop_rowsparse("argument", "components",
        "must be left out unless search = \"approximate\"", describe(components)
      )
    }
    return(NULL)
  }
  most <- largest_dimension(data)
  if (!is.null(components)) {
    return(check_count(components, "components", 1L, most))
  }
  if (data$kind != "dense" || data$d > most_features_searched) min(usual_components, most)
}

# like find_neighbours(), with the root of the mean of all squared distances (`rms`) where the
# largest and the mean are not known; `space`: what the distances are of
approximate_neighbours <- function(data, k, metric, components = NULL) {
  inside <- in_binary_units(data)
  searched <- component_scores(inside, components)
  each <- as.integer(min(data$n - 1, if (is.null(components)) k + 5 else 2 * k + 10))
  check_approximate_memory(searched, each)
  listed <- hnsw_candidates(search_points(searched, metric), each)
  measured <- if (data$kind == "blocks") searched else inside
  found <- .Call(C_neighbours_among, unclass(measured), listed, list(k = k, metric = metric))
  found$largest <- found$mean <- NA_real_
  found$rms <- root_mean_square(measured, metric)
  if (metric == "euclidean") {
    found[c("distance", "rms")] <- lapply(found[c("distance", "rms")], `*`, inside$unit)
  }
  found$space <- if (data$kind == "blocks") "components" else "data"
  found
}

# as data; a rough residual will do where candidates are chosen
component_scores <- function(data, components) {
  graph_data(data, list(components = components), list(inner_tol = 1e-4, inner_maxit = 100L))
}

# points, a room of three copies of them in single precision, edges and candidates
check_approximate_memory <- function(searched, each) {
  bytes <- searched$n * (20 * searched$d + 12 * hnsw_edges + 40 * each)
  check_memory(bytes, "k", "choose a smaller `k`, or fewer `components`")
}

# n x d, centred and scaled, or divided by their norms; of ordinary size, as they are kept in
# single precision
search_points <- function(data, metric) {
  points <- centred_columns(data, seq_len(data$d))
  if (!is.null(data$weight)) points <- sweep(points, 2, data$weight, "*")
  norms <- sqrt(rowSums(points^2))
  points * if (metric == "cosine") direction_factors(norms) else 1 / max(norms)
}

# rows at the mean of all have no direction
direction_factors <- function(norms) {
  ifelse(norms > 1e-14 * max(norms), 1 / norms, 0)
}

# the root of the mean of the n x n squared distances, from the mean of the rows
root_mean_square <- function(data, metric) {
  if (metric == "euclidean") {
    return(sqrt(2 * data_trace(data) / data$n))
  }
  norms <- sqrt(.Call(C_row_squares, unclass(data)))
  factors <- direction_factors(norms)
  centre <- .Call(C_cross, unclass(data), cbind(factors), 1L) / data$n
  sqrt(2 * max(0, mean((factors * norms)^2) - sum(centre^2)))
}

# ---- candidates ---------------------------------------------------------------------

# each x n: row numbers of others that are near each point. One thread and a fixed order
# of the points: the same in every call.
hnsw_candidates <- function(points, each) {
  n <- nrow(points)
  graph <- methods::new(RcppHNSW::HnswL2, ncol(points), n, hnsw_edges, hnsw_building)
  pieces <- split(seq_len(n), (seq_len(n) - 1L) %/% 500L)
  for (rows in pieces) graph$addItems(points[rows, , drop = FALSE])
  ask <- function(rows, width) {
    graph$setEf(as.integer(min(n, width)))
    tryCatch(graph$getAllNNsList(points[rows, , drop = FALSE], each + 1L, FALSE)$item,
      error = function(e) NULL
    )
  }
  listed <- lapply(pieces, function(rows) candidates_of(rows, points, each, ask))
  do.call(cbind, listed)
}

# A search that comes short of each + 1 points, as where many are copies, gives
# nothing: a wider one is tried, then one of fewer rows, and at last all distances of a few.
candidates_of <- function(rows, points, each, ask) {
  width <- max(hnsw_searching, 2L * (each + 1L))
  item <- ask(rows, width)
  if (is.null(item)) item <- ask(rows, 8 * width)
  if (!is.null(item)) {
    return(others_of(item, rows, each))
  }
  if (length(rows) <= 16L) {
    return(nearest_points(rows, points, each))
  }
  first <- seq_len(length(rows) %/% 2L)
  cbind(
    candidates_of(rows[first], points, each, ask), candidates_of(rows[-first], points, each, ask)
  )
}

# without the points themselves, or the last where copies hide them
others_of <- function(item, rows, each) {
  own <- item == rows
  missed <- rowSums(own) == 0
  own[missed, each + 1L] <- TRUE
  matrix(t(item)[t(!own)], each)
}

nearest_points <- function(rows, points, each) {
  squares <- rowSums(points^2) - 2 * tcrossprod(points, points[rows, , drop = FALSE])
  squares[cbind(rows, seq_along(rows))] <- Inf
  matrix(apply(squares, 2, function(column) order(column)[seq_len(each)]), each)
}
