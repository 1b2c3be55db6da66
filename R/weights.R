# Observation weights: sums of squares with a factor w_i for each sample. Data with weights
# come to the solvers as sqrt(w_i) (x_i - mean), with the weighted mean, and so does the
# response; nothing behind knows of weights. data$observed is made by observed_samples(), and
# data$given holds the samples as they were given, for what needs more digits than the roots have.

check_weights <- function(weights, n) {
  weights <- plain_weights(weights)
  if (!is_plain_numeric(weights) || length(weights) != n || !is.null(dim(weights))) {
    stop_rowsparse("length", "weights", sprintf("must be one number per sample (%.0f)", n),
      describe(weights)
    )
  }
  if (!all(is.finite(weights)) || any(weights < 0)) {
    stop_rowsparse("range", "weights", "must be finite numbers of at least 0",
      sprintf("%d that are not", sum(!is.finite(weights) | weights < 0))
    )
  }
  as.double(weights)
}

# the case weights of hardhat are numbers that refuse to be counted with
plain_weights <- function(weights) {
  if (inherits(weights, "hardhat_case_weights")) as.double(unclass(weights)) else weights
}

# Weights as they were given, or from a column of colData(x). "balanced": by the classes of y, which
# weigh the same together, in the mean 1
sample_weights <- function(x, weights, y) {
  weights <- plain_weights(weights)
  if (!identical(weights, "balanced")) {
    return(sample_column(x, weights, "weights"))
  }
  y <- sample_column(x, y, "y")
  if (is.null(y) || !is_classes(y)) {
    stop_rowsparse("type", "weights", "= \"balanced\" needs the classes of the samples as `y`",
      describe(y)
    )
  }
  y <- droplevels(as_labels(y))
  if (anyNA(y)) stop_missing_labels(y, "y")
  size <- tabulate(y, nlevels(y))
  (length(y) / nlevels(y) / size)[as.integer(y)]
}

# weights above zero, their square roots and sum, which samples these are, out of how many, and what
# the mean adds to the length of a column
observed_samples <- function(weights) {
  rows <- which(weights > 0)
  total <- sum(weights)
  if (length(rows) < 2L || !is.finite(total)) {
    stop_rowsparse("range", "weights", "must have a finite sum and be above 0 for 2 samples",
      sprintf("%d above 0", length(rows))
    )
  }
  list(
    weight = weights[rows], root = sqrt(weights[rows]), total = total, rows = rows,
    samples = length(weights), length = sqrt(total)
  )
}

# raw data with weights: samples of weight 0 are left out. Sparse ones become dense.
add_weights_of_samples <- function(raw, weights, argument) {
  if (is.null(weights)) {
    return(raw)
  }
  if (raw$kind %in% c("moments", "blocks")) {
    stop_rowsparse("argument", "weights",
      "must be left out for row blocks, and for moments, which carry their own",
      way_out = "moments(x, y, weights = w) of parts of the samples add up"
    )
  }
  check_no_block_beside(list(weights = weights, block = adjustment(raw)))
  check_memory(16 * as.double(raw$n) * raw$d, argument,
    "pass moments(x, y, weights = w), which are made from parts of the samples"
  )
  raw$observed <- observed_samples(check_weights(weights, raw$n))
  raw <- made_dense(raw)
  raw$x <- raw$given <- raw$x[raw$observed$rows, , drop = FALSE]
  raw$n <- nrow(raw$x)
  raw
}

made_dense <- function(raw) {
  raw[c("kind", "x", "i", "p")] <- list("dense", dense_columns(raw, seq_len(raw$d)), NULL, NULL)
  raw
}

# x as the solvers will see it; its weighted means, which are taken off twice, as the
# first are off by rounding
weighted_statistics <- function(raw, argument) {
  check_finite(.Call(C_column_stats, raw$x, NULL, raw$n, NULL), raw, argument)
  raw$largest <- apply(abs(raw$x), 2, max)
  centred <- centre_by_weights(raw$x, raw$observed)
  raw$mean <- unname(centred$mean)
  raw$fine <- unname(centred$fine)
  raw$x <- centred$values
  raw$square <- unname(colSums(raw$x^2))
  raw$deviation <- sqrt(raw$square / variance_divisor(raw))
  raw
}

# list(values, mean, fine): sqrt(w) (x - mean)
centre_by_weights <- function(x, observed) {
  off <- list()
  for (pass in 1:2) {
    off[[pass]] <- colSums(x * observed$weight) / observed$total
    x <- x - rep(off[[pass]], each = nrow(x))
  }
  c(list(values = x * observed$root), sum_in_two(off[[1]], off[[2]]))
}

# What sums of squares are divided by in variances: n - 1 (or n - levels) samples of average
# weight, so that a factor in all weights changes no scale
variance_divisor <- function(data) {
  degrees_of_freedom(data) * if (is.null(data$observed)) 1 else data$observed$total / data$n
}

check_no_block_beside <- function(given) {
  if (!is.null(given[["weights"]]) && !is.null(given[["block"]])) {
    stop_rowsparse("argument", "weights", "and `block` cannot go together")
  }
}

# the response of the samples with a weight above 0
observed_response <- function(y, data) {
  if (is.null(data$observed)) {
    return(y)
  }
  check_response_length(y, data$observed$samples)
  rows_of(y, data$observed$rows)
}

# only least squares know what to do with weights
check_takes_weights <- function(entry, weights) {
  if (is.null(weights) || isTRUE(entry$weighted) || is.character(weights)) {
    return(invisible())
  }
  those <- names(Filter(function(entry) isTRUE(entry$weighted), method_table()))
  stop_rowsparse("argument", "weights", sprintf(
    "of the samples are for least squares: %s take them, %s does not",
    paste0(those, "()", collapse = ", "), entry$name
  ), way_out = "moments(x, weights = w) carry them to every method that takes moments")
}

# ---- moments ---------------------------------------------------------------------------

# of all samples; sparse ones are made dense in parts, which are added
weighted_moments <- function(x, y, weights, numbers = 1e7) {
  if (is.na(sample_count(x)) || any(dim(x) < 1L)) check_filled(read_input(x, NULL, "x"))
  weights <- check_weights(weights, sample_count(x))
  n <- length(weights)
  y <- whole_response(y, n)
  height <- n
  if (inherits(x, "sparseMatrix")) height <- max(2, floor(numbers / max(1, ncol(x))))
  parts <- split(seq_len(n), (seq_len(n) - 1L) %/% height)
  out <- NULL
  for (rows in parts) {
    rows <- rows[weights[rows] > 0]
    if (length(rows) > 0L) {
      part <- if (length(rows) == n) x else x[rows, , drop = FALSE]
      raw <- read_input(part, NULL, "x")
      check_names(raw$names, "x")
      out <- out + weighted_part(raw, if (!is.null(y)) rows_of(y, rows), weights[rows])
    }
  }
  if (is.null(out)) stop_rowsparse("range", "weights", "must be above 0 for a sample", "zeros")
  out
}

weighted_part <- function(raw, y, weights) {
  check_room_for_products(raw$d)
  raw <- made_dense(raw)
  raw$observed <- list(
    weight = weights, root = sqrt(weights), total = sum(weights), length = sqrt(sum(weights))
  )
  raw <- weighted_statistics(raw, "x")
  raw$constant <- is_constant(raw)
  check_magnitude(raw, FALSE, "x", scalable = FALSE)
  S <- .Call(C_gram, raw)
  dimnames(S) <- if (!is.null(raw$names)) list(raw$names, raw$names)
  summary <- list(
    n = raw$n, weight = raw$observed$total, mean = stats::setNames(raw$mean, raw$names),
    fine = raw$fine, feature_names = raw$names
  )
  if (!is.null(y)) summary <- c(summary, response_moments(raw, y))
  new_moments(summary, list(S = S))
}

# what samples count in the mean: their number where they have no weights
moments_weight <- function(x) or_default(x$weight, as.double(x$n))
