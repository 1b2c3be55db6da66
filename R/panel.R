# What a selection keeps of the data it was made from: the neighbourhoods of the
# samples, and which features could stand in for the selected ones.

#' Neighbourhoods that a set of features keeps
#'
#' For every sample, the share of its nearest neighbours on all features that are
#' among its nearest neighbours on the selected features as well. With \eqn{N_i}{N_i}
#' the `neighbours` samples nearest to sample i by the Euclidean distance of the
#' centred (and, with `scale = TRUE`, standardised) rows of x, and
#' \eqn{N_i(S)}{N_i(S)} those by the columns in S only,
#' \deqn{\mbox{kept}_i = |N_i \cap N_i(S)| / |N_i|.}{kept_i = |N_i and N_i(S)| / |N_i|.}
#' A random set of neighbours would share `neighbours / (n - 1)` of them.
#'
#' All pairs of samples are compared, in \eqn{n^2 d} multiplications. Where there are
#' more than `samples` of them, that many, evenly spaced over the rows, stand for
#' all, and neighbours are those among them.
#'
#' @inheritParams css
#' @param x Data, samples in rows and features in columns: a numeric matrix, a
#'   data frame of numeric columns, a sparse matrix (`dgCMatrix`), or a
#'   `SummarizedExperiment` (features in rows there, transposed for you).
#' @param features The set: column numbers or names, whoever chose them; or a fit, whose
#'   selected features these are. Where it was given the name of columns that `x` has as its
#'   `block`, these are the `block` here.
#' @param neighbours How many neighbours make a neighbourhood. At most the number of
#'   samples less 1.
#' @param samples The largest number of samples that are compared; `Inf` for all.
#'
#' @return A numeric vector, one share in \[0, 1\] per compared sample, named where
#'   the samples have names; its attribute `rows` holds their numbers, `chance` what a
#'   random set of neighbours would share.
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, features that do not exist,
#' `neighbours` or `samples` out of range, [moments()] and [row_blocks()], whose
#' samples are not at hand.
#' @seealso `summary(fit, x = )`, which tells it of a fit; [evaluate_features()] where
#'   classes are known.
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
  shares_of_part(part, data, columns, neighbours, scale)
}

# of the first k features of a fit on the data x: list(kept, neighbours, near_copies)
panel_of <- function(fit, k, x, neighbours, samples, block, assay) {
  scale <- !is.null(fit$scale)
  x <- coded_like(fit, x)
  part <- spread_samples(x, samples, block_beside(block, fit, x), assay)
  columns <- new_columns(fit, part$x, fit$ranking[seq_len(k)])
  data <- data_of_part(part, scale)
  list(
    kept = shares_of_part(part, data, columns, neighbours, scale), neighbours = neighbours,
    near_copies = nearest_copies(data, columns, kept_out(fit, data))
  )
}

data_of_part <- function(part, scale, columns = NULL) {
  x <- if (is.null(columns)) part$x else part$x[, columns, drop = FALSE]
  without_constant_warning(as_data(x, scale, block = part$block))
}

shares_of_part <- function(part, data, columns, neighbours, scale) {
  neighbours <- check_count(neighbours, "neighbours", 1L, data$n - 1L)
  check_neighbour_memory(data, neighbours)
  on_all <- neighbour_sets(data, neighbours)
  on_some <- neighbour_sets(data_of_part(part, scale, columns), neighbours)
  structure(stats::setNames(shares_kept(on_all, on_some), sample_names(part$x, data$n)),
    rows = part$rows, chance = neighbours / (data$n - 1)
  )
}

# At most so many samples, evenly spaced over the rows: list(x, block, rows)
spread_samples <- function(x, samples, block, assay) {
  check_at_hand(x)
  if (!identical(samples, Inf)) samples <- check_count(samples, "samples", 2L)
  block <- sample_column(x, block, "block")
  x <- plain_samples(x, assay)
  if (inherits(x, "dgCMatrix")) sparse_input(x, "x")
  n <- sample_count(x)
  rows <- if (is.na(n)) integer() else seq_len(n) # of no samples, which are refused later
  if (isTRUE(n > samples)) {
    rows <- round(seq(1, n, length.out = samples))
    x <- x[rows, , drop = FALSE]
    if (!is.null(block)) {
      check_response_length(block, n, "block")
      block <- part_of(block, rows)
    }
  }
  list(x = x, block = block, rows = rows)
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
# nothing varies with it), none of `never`, and how many reach the level: a data frame
nearest_copies <- function(data, columns, never = integer()) {
  label <- function(index) if (is.null(data$names)) index else data$names[index]
  outside <- setdiff(seq_len(data$d), c(columns, never))
  batches <- split(columns, (seq_along(columns) - 1L) %/% 32L)
  found <- lapply(batches, function(some) {
    r <- abs(correlations_with(data, some)[outside, , drop = FALSE])
    best <- if (length(outside)) apply(r, 2, which.max) else rep(NA_integer_, length(some))
    data.frame(
      feature = label(some), copy = label(outside[best]),
      correlation = if (length(outside)) r[cbind(best, seq_along(some))] else NA_real_,
      count = as.integer(colSums(r >= near_copy_level))
    )
  })
  do.call(rbind, unname(found))
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
