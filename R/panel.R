# What a selection keeps of the data it was made from: the neighbourhoods of the
# samples, and which features could stand in for the selected ones.

#' Sample neighbourhoods kept by a set of features
#'
#' For every sample, the share of its nearest neighbours on all features that are
#' among its nearest neighbours on the selected features as well. With \eqn{N_i}{N_i}
#' the `neighbours` samples nearest to sample i by the Euclidean distance of the
#' centred (and, with `scale = TRUE`, standardised) rows of x, and \eqn{N_i(S)}{N_i(S)} those
#' nearest by the columns in S only,
#' \deqn{\mbox{kept}_i = |N_i \cap N_i(S)| / |N_i|.}{kept_i = |N_i and N_i(S)| / |N_i|.}
#' A random set of neighbours has the expected share `neighbours / (n - 1)`.
#'
#' All pairs of samples are compared, in \eqn{n^2 d} multiplications. With more than `samples`
#' samples, that number of samples, evenly spaced over the rows, is used, and neighbours are
#' sought among these.
#'
#' @inheritParams css
#' @param x Data, samples in rows and features in columns: a numeric matrix, a
#'   data frame of numeric columns, a sparse matrix (`dgCMatrix`), or a
#'   `SummarizedExperiment` (features in rows, transposed for you).
#' @param features The set: column numbers or names from any source; or a fit, for its selected
#'   features. If its `block` was given by names of columns that `x` has too, the same columns are
#'   the `block` here.
#' @param neighbours Number of neighbours of a sample, at most the number of samples minus 1.
#' @param samples The largest number of samples that are compared; `Inf` for all.
#'
#' @return A numeric vector, one share in \[0, 1\] per compared sample, named where
#'   the samples have names; its attribute `rows` holds their row numbers, `chance` the expected
#'   share of a random set of neighbours.
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, features that do not exist,
#' `neighbours` or `samples` out of range, [moments()] and [row_blocks()], which hold no samples.
#' @seealso `summary(fit, x = )`, which shows it for a fit; [evaluate_features()] for known
#'   classes.
#' @examples
#' x <- scale(iris[, 1:4])
#' mean(neighbours_kept(x, c("Petal.Length", "Sepal.Width")))
#' mean(neighbours_kept(x, "Petal.Length"))
#' @export
neighbours_kept <- function(x, features, neighbours = 15, samples = 2000, scale = FALSE,
                            block = NULL, assay = NULL) {
  own <- if (inherits(features, "rowsparse")) features[["selected"]]
  part <- spread_samples(x, samples, block_beside(block, features, x), assay)
  data <- data_of_part(part, scale)
  columns <- feature_columns(features, "features", data$d, data$names, own)
  judge <- judge_of_part(part, data, neighbours, scale)
  judge(columns)$kept
}

# of the first k features of a fit on the data x: list(kept, neighbours, near_copies, types)
panel_of <- function(fit, k, x, neighbours, samples, block, assay, types) {
  scale <- !is.null(fit$scale)
  x <- coded_like(fit, x)
  part <- spread_samples(x, samples, block_beside(block, fit, x), assay, types)
  columns <- new_columns(fit, part$x, fit$ranking[seq_len(k)])
  data <- data_of_part(part, scale)
  judged <- judge_of_part(part, data, neighbours, scale)(columns)
  list(
    kept = judged$kept, neighbours = neighbours,
    near_copies = nearest_copies(data, columns, kept_out(fit, data)), types = judged$types
  )
}

data_of_part <- function(part, scale, columns = NULL) {
  x <- if (is.null(columns)) part$x else part$x[, columns, drop = FALSE]
  without_constant_warning(as_data(x, scale, block = part$block))
}

# Finds the neighbours on all features; returns a function of columns that tells what these make
# of them: list(kept, by sample the share that is kept; types, the table by type or NULL)
judge_of_part <- function(part, data, neighbours, scale) {
  neighbours <- check_count(neighbours, "neighbours", 1L, data$n - 1L)
  check_neighbour_memory(data, neighbours)
  on_all <- neighbour_sets(data, neighbours)
  function(columns) {
    on_some <- neighbour_sets(data_of_part(part, scale, columns), neighbours)
    kept <- stats::setNames(shares_kept(on_all, on_some), sample_names(part$x, data$n))
    list(
      kept = structure(kept, rows = part$rows, chance = neighbours / (data$n - 1)),
      types = if (!is.null(part$types)) type_table(part$types, on_all, on_some)
    )
  }
}

# By type, the rarest first: its samples, the share of their neighbours that are of the type by
# the panel, by all features and by chance, and the share that the panel keeps; NA for a type
# with one sample, which can have no such neighbour
type_table <- function(types, on_all, on_some) {
  of_own <- function(sets) {
    colMeans(matrix(as.integer(types)[sets] == rep(as.integer(types), each = nrow(sets)),
      nrow(sets)
    ))
  }
  by_type <- function(shares) as.vector(tapply(shares, types, mean))
  size <- tabulate(types, nlevels(types))
  alone <- function(shares) ifelse(size > 1, shares, NA_real_)
  table <- data.frame(
    type = levels(types), samples = size, same = alone(by_type(of_own(on_some))),
    same_all = alone(by_type(of_own(on_all))),
    chance = alone((size - 1) / (length(types) - 1)),
    kept = by_type(shares_kept(on_all, on_some))
  )
  table <- table[order(table$samples), ]
  rownames(table) <- NULL
  table
}

# At most so many samples, evenly spaced over the rows: list(x, block, types, rows)
spread_samples <- function(x, samples, block, assay, types = NULL) {
  check_at_hand(x)
  if (!identical(samples, Inf)) samples <- check_count(samples, "samples", 2L)
  block <- sample_column(x, block, "block")
  types <- sample_column(x, types, "types")
  x <- plain_samples(x, assay)
  if (inherits(x, "dgCMatrix")) sparse_input(x, "x")
  n <- sample_count(x)
  if (!is.null(types)) types <- used_levels(types, n, "types")
  rows <- if (is.na(n)) integer() else seq_len(n) # of no samples, which are refused later
  if (isTRUE(n > samples)) {
    rows <- round(seq(1, n, length.out = samples))
    x <- x[rows, , drop = FALSE]
    if (!is.null(block)) {
      check_response_length(block, n, "block")
      block <- part_of(block, rows)
    }
    types <- part_of(types, rows)
  }
  list(x = x, block = block, types = types, rows = rows)
}

check_at_hand <- function(x) {
  if (inherits(x, c("rowsparse_moments", "rowsparse_blocks", "rowsparse_data"))) {
    stop_rowsparse("type", "x", "must hold the samples themselves, in memory", describe(x))
  }
}

# neighbours x n row numbers
neighbour_sets <- function(data, neighbours) {
  matrix(find_neighbours(data, neighbours, "euclidean", ties = FALSE)$index, neighbours)
}

# by column, how much of the first set is in the second
shares_kept <- function(sets, others) {
  pairs <- function(sets) sets + (col(sets) - 1) * ncol(sets)
  colMeans(matrix(pairs(sets) %in% pairs(others), nrow(sets)))
}

# ---- features that could stand in ------------------------------------------------

# A correlation of this size, either sign, makes a feature a near-copy
near_copy_level <- 0.9

# columns of features that the caller excluded, where they are in these data
kept_out <- function(fit, data) {
  columns <- if (is.null(fit$feature_names) || is.null(data$names)) {
    fit$excluded
  } else {
    match(fit$feature_names[fit$excluded], data$names)
  }
  columns[!is.na(columns)]
}

# For every column in `columns` the feature outside that correlates most with it (0 where
# nothing varies with it), none of `never`, and how many reach the level; and its partner, the
# one of `columns` that correlates most with it: a data frame
nearest_copies <- function(data, columns, never = integer()) {
  label <- function(index) if (is.null(data$names)) index else data$names[index]
  outside <- setdiff(seq_len(data$d), c(columns, never))
  batches <- split(columns, (seq_along(columns) - 1L) %/% 32L)
  found <- lapply(batches, function(some) {
    r <- abs(correlations_with(data, some))
    copy <- largest_of(r, outside)
    within <- r[columns, , drop = FALSE]
    within[cbind(match(some, columns), seq_along(some))] <- -1 # itself
    partner <- largest_of(within, if (length(columns) > 1L) seq_along(columns))
    data.frame(
      feature = label(some), copy = label(copy$row), correlation = copy$value,
      count = as.integer(colSums(r[outside, , drop = FALSE] >= near_copy_level)),
      partner = label(columns[partner$row]), within = partner$value
    )
  })
  do.call(rbind, unname(found))
}

# by column the largest value in these rows, and its row; NA of no rows
largest_of <- function(values, rows) {
  if (length(rows) == 0L) {
    return(list(row = rep(NA_integer_, ncol(values)), value = rep(NA_real_, ncol(values))))
  }
  best <- rows[apply(values[rows, , drop = FALSE], 2, which.max)]
  list(row = best, value = values[cbind(best, seq_along(best))])
}

# d x length(columns), 0 where a feature does not vary
correlations_with <- function(data, columns) {
  unit <- matrix(0, data$d, length(columns))
  unit[cbind(columns, seq_along(columns))] <- 1
  product <- .Call(C_covop, unclass(data), unit)$product
  deviation <- sqrt(data$square)
  size <- outer(deviation, deviation[columns])
  varies <- outer(!data$constant, !data$constant[columns])
  ifelse(varies > 0, pmin(1, pmax(-1, product / size)), 0)
}

# ---- what summary() prints -------------------------------------------------------

panel_lines <- function(panel, shown = 8L) {
  if (is.null(panel)) {
    return(NULL)
  }
  percent <- function(share) paste0(format(100 * share, digits = 2), "%")
  kept <- panel$kept
  least <- unname(stats::quantile(kept, 0.1))
  told <- strwrap(sprintf(
    "Neighbourhoods: %s of a sample's %d nearest neighbours on all features are so on these %s",
    percent(mean(kept)), panel$neighbours, sprintf("(by chance %s; for a tenth of %s at most %s)",
      percent(attr(kept, "chance")), count_of(length(kept), "sample"), percent(least)
    )
  ), exdent = 2)
  told <- c(told, type_lines(panel$types), redundancy_line(panel$near_copies))
  copied <- panel$near_copies[panel$near_copies$count > 0, ]
  if (nrow(copied) == 0) {
    return(c(told, sprintf("No feature outside correlates with one of these by %g or more",
      near_copy_level
    )))
  }
  copied <- copied[order(-copied$correlation), ]
  first <- utils::head(copied, shown)
  pairs <- sprintf("%s: %s (%.2f)", short_labels(as.character(first$feature)),
    short_labels(as.character(first$copy)), first$correlation
  )
  text <- sprintf("%d of %d have a near-copy outside (correlation of at least %g), as",
    nrow(copied), nrow(panel$near_copies), near_copy_level
  )
  c(told, wrap_items(text, c(pairs, if (nrow(copied) > shown) "...")))
}

# the rarest types, in a table of their own
type_lines <- function(types, shown = 12L) {
  if (is.null(types)) {
    return(NULL)
  }
  first <- utils::head(types, shown)
  decimals <- function(values) {
    text <- sprintf("%.2f", values)
    replace(text, is.na(values), "-")
  }
  columns <- list(
    type = short_labels(first$type, 24L), samples = as.character(first$samples),
    these = decimals(first$same), all = decimals(first$same_all), chance = decimals(first$chance),
    kept = decimals(first$kept)
  )
  cells <- Map(function(column, name) {
    format(c(name, column), justify = if (name == "type") "left" else "right")
  }, columns, names(columns))
  more <- nrow(types) - nrow(first)
  c(
    "Share of neighbours of a sample's own type, rare types first: on these features, on all,",
    "  by chance, and the share of its neighbours on all that are kept",
    paste0("  ", do.call(paste, unname(cells))),
    if (more > 0) sprintf("  and %s", count_of(more, "more type"))
  )
}

redundancy_line <- function(table) {
  within <- table[["within"]]
  if (is.null(within) || all(is.na(within))) {
    return(NULL)
  }
  most <- table[which.max(within), ]
  strwrap(sprintf(
    "Among them %s and %s correlate most (%.2f); in the median the nearest is at %.2f",
    short_labels(as.character(most$feature)), short_labels(as.character(most$partner)),
    most$within, stats::median(within, na.rm = TRUE)
  ), exdent = 2)
}
