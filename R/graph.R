# The graph of the samples that methods share: its settings and its making.

# list(neighbours, weights, t, mutual, metric), checked. Few samples are all neighbours.
graph_settings <- function(data, neighbours, weights, t, mutual, metric) {
  weights <- check_choice(weights, "weights", c("heat", "binary", "self_tuning", "can"))
  list(
    neighbours = min(check_count(neighbours, "neighbours"), data$n - 1L), weights = weights,
    t = check_heat_scale(t, weights), mutual = check_flag(mutual, "mutual"),
    metric = check_choice(metric, "metric", neighbour_metrics)
  )
}

# list(rows: the graph as C_graph() makes it, settings: with the t that was used)
sample_graph <- function(data, settings) {
  check_neighbour_memory(data, settings$neighbours)
  k <- needed_neighbours(settings$neighbours, settings$weights, data$n)
  near <- find_neighbours(data, k, settings$metric, ties = TRUE)
  if (settings$weights == "heat") settings$t <- or_default(settings$t, near$mean)
  rows <- .Call(C_graph, near, list(
    weights = settings$weights, neighbours = settings$neighbours,
    mutual = as.integer(settings$mutual), t = or_default(settings$t, 0)
  ))
  list(rows = rows, settings = settings)
}

warn_isolated <- function(isolated, n) {
  if (isolated > 0) {
    warn_rowsparse("isolated", sprintf(
      "%d of %s have no edges and do not count; a larger `t`, or `mutual = FALSE`, joins them.",
      isolated, count_of(n, "sample")
    ))
  }
}
