# What baselines share. They are reached by name alone, rowsparse(x, method = name), so that their
# functions are made here from their own arguments.

# Descriptor of a method with these arguments, as alist() makes them, and those of all methods.
# Arguments of one name are checked alike; `spare`: further samples that cannot be neighbours.
baseline <- function(name, own, ..., check = function(args, data) args, spare = 0L) {
  shared <- alist(
    control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL, assay = NULL
  )
  here <- parent.env(environment())
  descriptor(as.function(c(own, shared, call("run_method", name)), here), ...,
    check = function(args, data) check(check_shared(args, data, spare), data),
    stated = setdiff(names(own), c("x", "y", "start", "seed", "scale", "groups", "teacher"))
  )
}

# Arguments of methods on the graph of lapscore()
graph_arguments <- alist(
  neighbours = 5, weights = c("heat", "binary", "self_tuning", "can"), t = NULL, mutual = FALSE,
  metric = c("euclidean", "cosine")
)

check_shared <- function(args, data, spare) {
  has <- function(...) all(c(...) %in% names(args))
  if (has("neighbours")) {
    most <- data$n - 1L - spare
    asked <- args$neighbours
    if (!is_unlimited(asked)) most <- min(check_count(asked, "neighbours"), most)
    args$neighbours <- as.integer(max(1L, most))
  }
  if (has("weights")) args <- check_graph(args, data)
  if (has("clusters")) args <- check_clusters(args, data)
  if (has("k", "m")) args$k <- check_basis_size(args$k, args$m, data)
  if (!has("k") && !is.null(args[["m"]])) args$m <- check_dimension(args$m, data)
  args
}

# ---- parts of fits ----------------------------------------------------------------------

# Directions that are the smallest eigenvectors of a weighted problem; `out` of the solver
direction_parts <- function(out, data, args, parameters = list(), ...) {
  warn_rank(ncol(out$W), args$m)
  list(
    scores = group_norms(row_norms(out$W), data), loadings = out$W, run = out, kkt = out$kkt,
    parameters = c(list(m = ncol(out$W)), out[c("gamma", "eps")], parameters),
    restricted = out$restricted, ...
  )
}

# their settings, with the smoothed penalty on rows, by default a share of the data's own
direction_settings <- function(args, control, data, ...) {
  gamma <- args[["gamma"]]
  with_row_groups(c(control, args[c("m", "neighbours")], list(
    gamma = or_default(gamma, 1), relative_gamma = as.integer(is.null(gamma)), eps = 1e-10, ...
  )), data)
}

# a square for the neighbours of each sample, and the problem of order min(n, d), with the row
# space of wide data, see solve/minor
minor_bytes <- function(s) {
  wide <- s$d >= s$n
  8 * (s$n * (s$neighbours + 1)^2 + 5 * s$side^2 + wide * s$side * (s$d + s$n))
}

# A projection V on a subset of features
subset_parts <- function(out, data, scores = pmax(out$scores, 0), ...) {
  chosen <- order_features(out$scores[out$subset], data$deviation[out$subset])
  list(
    scores = scores, selected = out$subset[chosen],
    loadings = expand_rows(out$V, out$subset, data), run = out, ...
  )
}

# the columns of a set and their image, its matrix
form_bytes <- function(s, m) 8 * (2 * s$n * (s$k + m) + 3 * s$k^2 + 12 * s$d * m)

# A regression W, whose rows below a share of the largest (`level`) are zero; `unit`: of W
regression_parts <- function(out, inside, unit = 1 / inside$unit, ...) {
  norms <- row_norms(out$W)
  norms[norms < 1e-8 * or_default(out$level, 0)] <- 0
  list(
    scores = norms * unit, ties = out$pull, loadings = out$W * unit, run = out,
    explained = explained_by_components(out$W, inside), ...,
    undecided = if (all(norms == 0)) paste(
      "the loadings are zero, as the penalty on rows is too large; features are ordered by the",
      "penalty at which they would enter alone"
    )
  )
}

# n x k matrices of the neighbours of each sample and of their weights
learned_graph <- function(out) list(index = t(out$index), weight = t(out$weight))

# ---- units ------------------------------------------------------------------------------

# features without variance, so that directions leave them out
drop_constants <- function(data) {
  data$square[data$constant] <- 0
  data
}

# data with this sum of squares; `unit` is what they were divided by
divided_by_root <- function(data, sum_of_squares) {
  data <- in_binary_units(data)
  unit <- sqrt(sum(data$square) / sum_of_squares)
  data <- divide_data(data, unit)
  data$unit <- data$unit * unit
  data
}

# data whose features that vary have a mean square norm of 1: every one of them, if they are scaled
in_unit_columns <- function(data) drop_constants(divided_by_root(data, sum(!data$constant)))
