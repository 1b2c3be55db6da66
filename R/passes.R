# How data in row blocks are read: the one place where it is decided.
#   wide data   whose rows, with their centred copy, take less than d x d numbers, and at most a
#             quarter of the memory, are held from the beginning. Packed counts of more samples
#             than features are exempt: they are in memory already and take less of it.
# For others the descriptor of the method says how many passes it takes (`passes`):
#   1         the statistics are all that it wants
#   few       as second moments where these are all it wants and take at most a quarter of
#             the memory; else by products with the blocks, a pass each. Methods that also look
#             at the samples have Z'Z of up to crossed_at_once features beside the blocks.
#   Inf       it needs all of the data at once, or more passes than few_passes: they are held if
#             they take at most a quarter of the memory, and refused otherwise
# Other data come back as they are. `moments`: what makes second moments of the blocks.
resolve_blocks <- function(data, method, moments = second_moments) {
  entry <- method_table()[[method]]
  if (data$kind != "blocks" || entry$passes <= 1) {
    data
  } else if (is.infinite(entry$passes)) {
    hold_blocks(data, method)
  } else if (entry$samples) {
    if (data$d <= crossed_at_once) with_cross_products(data) else data
  } else {
    if ("moments" %in% entry$input) moments(data) else data
  }
}

passes_memory <- function() memory_bytes() / 4

# ---- second moments ------------------------------------------------------------------

fits_cross_products <- function(data) {
  # squares of features that are yet to be scaled
  8 * as.double(data$d)^2 <= passes_memory() && all(raw_square(data) < 1e300)
}

# blocks as the moments that moments() would make of them, where d x d numbers fit
second_moments <- function(data) {
  if (data$kind != "blocks" || !(has_cross_products(data) || fits_cross_products(data))) {
    return(data)
  }
  weight <- or_default(data$weight, 1)
  plain <- data
  plain$weight <- NULL # the weights of the features are not in S
  data$S <- if (has_cross_products(data)) {
    data$operator$S / tcrossprod(rep_len(ifelse(weight > 0, weight, 1), data$d))
  } else {
    .Call(C_gram, unclass(plain))
  }
  data$kind <- "moments"
  data$read <- data$kept <- NULL
  data
}

# blocks with the operator S in them, where it fits: products of features are known then
with_cross_products <- function(data) {
  if (data$kind == "blocks" && is.null(data$operator) && fits_cross_products(data)) {
    data$operator <- as_operator(data, 1L)
  }
  data
}

# Up to this many features it is faster to form all cross-products than those that are asked for
crossed_at_once <- 4000

# Is nothing but the leading eigenvectors asked for, of many features in packed counts, or in more
# samples that are sparse and in memory? The products that find them take less memory than S, and
# mostly less time. For data and for sizes.
takes_wide_products <- function(x) {
  quick <- if (x$kind == "blocks") isTRUE(x$quick) else x$kind == "sparse"
  quick && isTRUE(x$only_leading) && x$d > crossed_at_once && x$n >= x$d
}

has_cross_products <- function(data) identical(data$operator$kind, "moments")

# ---- all at once ---------------------------------------------------------------------

hold_blocks <- function(data, method) {
  if (data$kind != "blocks") {
    return(data)
  }
  if (!can_be_held(data_sizes(data))) {
    table <- method_table()
    others <- vapply(table, function(entry) {
      entry$passes <= few_passes && needs_response(entry) == needs_response(table[[method]])
    }, NA)
    stop_rowsparse("memory", "x", sprintf(
      "must fit into a quarter of the memory (%.2g GB) for %s(), which needs all samples at once",
      passes_memory() / 1e9, method
    ), sprintf("row blocks of %.2g GB", data_bytes(data_sizes(data)) / 1e9),
      paste("In few passes read", toString(names(table)[others]))
    )
  }
  held_rows(data)
}

few_passes <- 12

is_held_wide <- function(s) {
  s$kind == "blocks" && can_be_held(s) && !(isTRUE(s$quick) && s$n >= s$d) &&
    data_bytes(s) + 8 * held_copy(s) < 8 * s$d^2
}

can_be_held <- function(s) {
  data_bytes(s) <= passes_memory() && (!s$sparse || s$stored < .Machine$integer.max)
}

# numbers of the centred copy
held_copy <- function(s) if (s$sparse) 0 else s$n * s$d

held_rows <- function(data) {
  x <- read_columns(data, seq_len(data$d))
  data$read <- data$kept <- NULL
  data[c("kind", "i", "p", "x")] <- raw_rows(unname(x))[c("kind", "i", "p", "x")]
  if (data$kind == "dense") data$kept <- .Call(C_keeper)
  data
}
