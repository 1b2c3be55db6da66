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
#' @return An object of class `rowsparse_blocks`.
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

# Means, squares, deviations and magnitudes: those of the blocks, put together
# by the update of Chan, Golub and LeVeque.
block_statistics <- function(raw, argument) {
  n <- 0
  for (number in seq_len(length(raw$start) - 1L)) {
    size <- raw$start[number + 1L] - raw$start[number]
    block <- list(kind = "dense", n = size, names = raw$names)
    stats <- .Call(C_column_stats, raw$read(number), NULL, size)
    check_finite(stats, block, argument, raw$start[number])
    if (n == 0) {
      mean <- stats$mean
      square <- stats$square
      largest <- stats$largest
    } else {
      gap <- stats$mean - mean
      square <- square + stats$square + gap^2 * (n * size / (n + size))
      mean <- mean + gap * (size / (n + size))
      largest <- pmax(largest, stats$largest)
    }
    n <- n + size
  }
  list(mean = mean, square = square, deviation = sqrt(square / (n - 1)), largest = largest)
}
