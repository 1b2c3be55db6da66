#' Data that are read in blocks of rows
#'
#' Data too large for memory, or not yet there, given by a function that returns
#' them block by block. The methods take the result in place of `x` and hold one
#' block at a time, beside what they need themselves.
#'
#' Every product with the data is one pass over the blocks, so that a method
#' reads them as often as it iterates; methods that work from second moments read
#' them least when [moments()] of the blocks are added up instead. The function
#' must return the same rows whenever it is asked for the same block.
#'
#' @param read A function of one argument, the number of a block (1, 2, ...),
#'   that returns its rows as a numeric matrix or data frame, samples in rows and
#'   features in columns.
#' @param rows Number of rows of every block.
#' @return An object of class `rowsparse_blocks`. `print()` and `as.data.frame()` (the
#'   rows of each block) read nothing, `summary()` reads the first block for the number
#'   of features.
#' @section Errors:
#' Of class `rowsparse_error`: `read` is no function, `rows` are no counts, and,
#' when the data are read, a block that has another number of rows or other
#' columns than it should, is not numeric, or holds values that are missing or
#' not finite. The message names the block. Errors of `read` itself are passed
#' on.
#' @seealso [moments()] for data of which only sums are needed.
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' blocks <- row_blocks(function(i) x[50 * (i - 1) + 1:50, ], rows = c(50, 50, 50))
#' rowsparse(blocks, k = 2)$selected
#' @export
row_blocks <- function(read, rows) {
  if (!is.function(read)) {
    stop_rowsparse("type", "read", "must be a function of the number of a block", describe(read))
  }
  if (!is_whole(rows) || any(rows < 1)) {
    stop_rowsparse("type", "rows", "must be the number of rows of every block, 1 or more",
      describe(rows)
    )
  }
  if (sum(rows) > .Machine$integer.max) {
    stop_rowsparse("size", "rows", "must add up to at most 2^31 - 1", format(sum(rows)))
  }
  structure(list(read = read, rows = as.integer(rows)), class = "rowsparse_blocks")
}

#' @export
print.rowsparse_blocks <- function(x, ...) {
  check_elements(x, "x", "row blocks", list(
    rows = rule("the number of rows of every block", function(v, x) is.integer(v))
  ), "rows")
  cat(sprintf("Data in %s, %s in all\n", count_of(length(x$rows), "block"),
    count_of(sum(x$rows), "row")
  ))
  invisible(x)
}

#' @export
as.data.frame.rowsparse_blocks <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  blocks_input(x, "x")
  last <- cumsum(x$rows)
  data.frame(block = seq_along(x$rows), first = last - x$rows + 1L, last = last, rows = x$rows)
}

#' @export
summary.rowsparse_blocks <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  read <- blocks_input(object, "object")
  structure(
    list(blocks = length(object$rows), n = read$n, d = read$d, rows = range(object$rows)),
    class = "summary.rowsparse_blocks"
  )
}

#' @export
print.summary.rowsparse_blocks <- function(x, ...) {
  count <- rule("a whole number", function(v, x) is_count(v))
  check_elements(x, "x", "a summary", list(
    blocks = count, n = count, d = count,
    rows = rule("two whole numbers", function(v, x) is_whole(v) && length(v) == 2L)
  ), c("blocks", "n", "d", "rows"))
  cat(sprintf("%s, %s, in %s of %s rows\n", count_of(x$n, "sample"), count_of(x$d, "feature"),
    count_of(x$blocks, "block"), from_to(x$rows)
  ))
  invisible(x)
}

# what the C code reads: `read` gives the rows of a block as doubles, checked
blocks_input <- function(x, argument) {
  if (!is.list(x) || !is.function(x$read) || !is.integer(x$rows) || anyNA(x$rows)) {
    stop_rowsparse("type", argument, "must be row blocks as row_blocks() makes them",
      "parts that do not go together"
    )
  }
  first <- read_block(x, 1L, NULL, argument)
  names <- colnames(first)
  d <- ncol(first)
  force(argument)
  list(
    kind = "blocks", n = sum(x$rows), d = d, names = names,
    start = c(0L, cumsum(x$rows)), kept = .Call(C_keeper),
    read = function(number) read_block(x, number, d, argument)
  )
}

# the rows of one block, a matrix of doubles
read_block <- function(x, number, d, argument) {
  rows <- x$read(number)
  if (is.data.frame(rows)) rows <- data_frame_matrix(rows, argument)
  if (!is.matrix(rows) || !is_plain_numeric(rows)) {
    stop_block(argument, number, "a numeric matrix", describe(rows))
  }
  if (nrow(rows) != x$rows[number]) {
    stop_block(argument, number, count_of(x$rows[number], "row"), nrow(rows))
  }
  if (!is.null(d) && ncol(rows) != d) {
    stop_block(argument, number, sprintf("the %s of the first", count_of(d, "column")), ncol(rows))
  }
  storage.mode(rows) <- "double"
  rows
}

stop_block <- function(argument, number, rule, got) {
  stop_rowsparse("block", argument, sprintf("must deliver %s as block %d", rule, number), got)
}

# Means, squares, deviations and magnitudes: those of the blocks of rows, put together
# by the update of Chan, Golub and LeVeque; with a factor `block`, level by level.
block_statistics <- function(raw, argument) {
  together <- NULL
  for (number in seq_len(length(raw$start) - 1L)) {
    size <- raw$start[number + 1L] - raw$start[number]
    groups <- row_groups(raw, raw$start[number], size)
    stats <- .Call(C_column_stats, raw$read(number), NULL, size, groups)
    block <- list(kind = "dense", n = size, names = raw$names, everything = raw$everything)
    check_finite(stats, block, argument, raw$start[number])
    part <- list(
      size = or_default(groups$size, size), square = stats$square, largest = stats$largest,
      mean = or_default(stats$level_mean, matrix(stats$mean, 1L))
    )
    together <- if (is.null(together)) part else merge_statistics(together, part)
  }
  n <- sum(together$size)
  list(
    mean = drop(crossprod(together$mean, together$size / n)), square = together$square,
    deviation = sqrt(together$square / degrees_of_freedom(raw)), largest = together$largest,
    level_mean = together$mean
  )
}

# size: rows of each level; mean: levels x d
merge_statistics <- function(a, b) {
  n <- a$size + b$size
  share <- ifelse(n > 0, b$size / n, 0)
  gap <- b$mean - a$mean
  list(
    size = n, mean = a$mean + gap * share, largest = pmax(a$largest, b$largest),
    square = a$square + b$square + drop(crossprod(gap^2, a$size * share))
  )
}
