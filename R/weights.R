# Observation weights: data with weights come to the solvers as sqrt(w_i) (x_i - mean), with the
# weighted mean, and so does the response; nothing behind knows of weights. data$observed is made by
# observed_samples(), and data$given holds the samples as they were given, for what needs more
# digits than the roots have. Whole weights are counts: all is as if the samples were repeated.
# Others are relative: they stand for as many samples as there are.

check_weights <- function(weights, n) {
  weights <- plain_weights(weights)
  refuse_if(!is_plain_numeric(weights) || length(weights) != n || !is.null(dim(weights)), "length",
    "weights", sprintf("must be one number per sample (%.0f)", n), describe(weights)
  )
  wrong <- sum(!is.finite(weights) | weights < 0)
  refuse_if(wrong > 0L, "range", "weights", "must be finite numbers of at least 0",
    sprintf("%d that are not", wrong)
  )
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
  refuse_if(!is_classes(y), "type", "weights",
    "= \"balanced\" needs the classes of the samples as `y`", describe(y)
  )
  check_known_labels(y, "y")
  y <- factor(y)
  (length(y) / nlevels(y) / tabulate(y))[y]
}

are_counts <- function(weights) all(weights == round(weights))

# weights above zero, their square roots and sum, how many samples they stand for, which samples
# these are, out of how many, and what the mean adds to the length of a column
observed_samples <- function(weights, least = 2L) {
  rows <- which(weights > 0)
  total <- sum(weights)
  refuse_if(length(rows) < least || !is.finite(total), "range", "weights",
    sprintf("must have a finite sum and be above 0 for %s", count_of(least, "sample")),
    sprintf("%d above 0", length(rows))
  )
  list(
    weight = weights[rows], root = sqrt(weights[rows]), total = total,
    count = if (are_counts(weights)) total else as.double(length(rows)), rows = rows,
    samples = length(weights), length = sqrt(total)
  )
}

# raw data with weights: samples of weight 0 are left out. Sparse ones become dense.
add_weights_of_samples <- function(raw, weights, argument, least = 2L) {
  if (is.null(weights)) {
    return(raw)
  }
  refuse_if(raw$kind %in% c("moments", "blocks"), "argument", "weights",
    "must be left out for row blocks, and for moments, which carry their own",
    way_out = "moments(x, y, weights = w) of parts of the samples add up"
  )
  check_no_block_beside(list(weights = weights, block = adjustment(raw)))
  check_memory(16 * as.double(raw$n) * raw$d, argument,
    "moments(x, y, weights = w) of parts of the samples add up"
  )
  raw$observed <- observed_samples(check_weights(weights, raw$n), least)
  x <- dense_columns(raw, seq_len(raw$d))[raw$observed$rows, , drop = FALSE]
  raw[c("kind", "x", "given", "i", "p")] <- list("dense", x, x, NULL, NULL)
  raw$n <- nrow(raw$x)
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
# weight, so that a factor in relative weights changes no scale
variance_divisor <- function(data) degrees_of_freedom(data) * average_weight(data)

average_weight <- function(data) or_default(data$observed$total, data$n) / sample_size(data)

# how many samples the data stand for
sample_size <- function(data) or_default(data$observed$count, data$n)

check_no_block_beside <- function(given) {
  refuse_if(!is.null(given[["weights"]]) && !is.null(given[["block"]]), "argument", "weights",
    "and `block` cannot go together"
  )
}

# the response of the samples with a weight above 0
observed_response <- function(y, data) {
  if (is.null(data$observed) || is.null(y)) {
    return(y)
  }
  check_response_length(y, data$observed$samples)
  rows_of(y, data$observed$rows)
}

# only regressions know what to do with weights
check_takes_weights <- function(entry, weights) {
  serve <- function() names(Filter(function(entry) isTRUE(entry$weighted), method_table()))
  refuse_if(!is.null(weights) && !isTRUE(entry$weighted) && !is.character(weights), "argument",
    "weights", sprintf("of the samples are for regressions: %s take them, %s does not",
      paste0(serve(), "()", collapse = ", "), entry$name
    ), way_out = "moments(x, weights = w) carry them to every method that takes moments"
  )
}

# ---- moments ---------------------------------------------------------------------------

weighted_moments <- function(raw, y, weights) {
  check_room_for_products(raw$d)
  y <- whole_response(y, raw$n)
  raw <- add_weights_of_samples(raw, weights, "x", 1L)
  piece <- piece_moments(raw, rows_of(y, raw$observed$rows))
  piece$summary[c("weight", "count")] <- raw$observed[c("total", "count")]
  check_squares(piece$summary)
  finish_moments(list(summary = piece$summary, S = .Call(C_gram, piece$raw)))
}

# what samples count in the mean, and how many they stand for: their number where they have no
# weights
moments_weight <- function(x) or_default(x$weight, as.double(x$n))
moments_count <- function(x) or_default(x$count, as.double(x$n))
