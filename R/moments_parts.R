# Moments of row blocks in one pass. The blocks are cut into parts, whose moments are added in their
# order: the sum is the same to the bit for any number of workers.

# parts at most, and bytes that their cross-products take together at most
part_limits <- c(count = 16, bytes = 4e9)

# The part of every block: runs of blocks, as many of them in each as in any other or one
# more. Their number depends on the blocks and the features only.
parts_of_blocks <- function(blocks, d, rank = NULL) {
  bytes <- 8 * as.double(d) * if (is.null(rank)) d else 2 * rank
  count <- min(blocks, part_limits[["count"]], max(1, floor(part_limits[["bytes"]] / bytes)))
  as.integer((seq_len(blocks) - 1) %/% (blocks / count)) + 1L
}

# y: a factor or a matrix; block: coded levels
moments_of_rows <- function(raw, y, block = NULL, rank = NULL, BPPARAM = NULL) {
  if (is.null(rank)) {
    check_room_for_products(raw$d)
  } else {
    height <- sketch_height(rank, raw$kind == "sparse" || isTRUE(raw$sparse))
    check_memory(8 * as.double(raw$d) * (4 * rank + height), "rank", "a smaller one needs less")
  }
  read <- raw[["read"]]
  rows <- diff(raw$start)
  if (raw$kind != "blocks") { # one block, of all rows
    check_finite(.Call(C_check_block, raw$x, raw[["i"]], raw$p), raw, "x")
    read <- function(number) input_matrix(raw)
    rows <- raw$n
  }
  settings <- list(at = pieces(rows), names = raw$names, y = y, block = block, rank = rank)
  parts <- unname(split(seq_along(rows), parts_of_blocks(length(rows), raw$d, rank)))
  shared <- check_workers(BPPARAM) && raw$kind == "blocks"
  if (shared) parts <- apply_with_progress(parts, moments_of_part, travelling_reader(raw), settings,
    BPPARAM = BPPARAM
  )
  total <- NULL
  for (part in parts) {
    if (!shared) part <- moments_of_part(part, read, settings)
    total <- if (length(parts) == 1L) part else add_piece(total, part, rank)
  }
  check_squares(total$summary)
  finish_moments(total, rank)
}

# what a worker reads blocks with, by the rule of the first one
travelling_reader <- function(raw) block_reader(raw$source, raw[["rule"]], new_reads(raw[["rule"]]))

# Moments of the rows of one part; for a sketch these are cut once more
moments_of_part <- function(numbers, read, settings) {
  rank <- settings$rank
  total <- NULL
  for (number in numbers) {
    values <- read(number)
    rows <- settings$at(number)
    sparse <- is_sparse_block(values)
    height <- if (is.null(rank)) length(rows) else sketch_height(rank, sparse)
    whole <- length(rows) <= height
    # rows of what is stored by columns: all of it is looked at for any of them
    turned <- if (sparse && !whole) Matrix::t(values)
    for (some in split(seq_along(rows), (seq_along(rows) - 1L) %/% height)) {
      piece <- if (is.null(turned)) values else Matrix::t(turned[, some, drop = FALSE])
      if (!whole && !sparse) piece <- values[some, , drop = FALSE]
      raw <- raw_rows(piece, settings$names)
      raw$block <- rows_of_block(settings$block, rows[some])
      total <- add_piece(total, piece_moments(raw, rows_of(settings$y, rows[some])), rank)
    }
  }
  if (is.null(rank)) {
    total$S <- .Call(C_scatter_end, total$kept)
    total$kept <- NULL
  }
  total
}

# the squares must be numbers, whatever the sums
check_squares <- function(summary) {
  raw <- summary[c("n", "square", "largest", "block")]
  raw$kind <- "dense"
  raw[c("names", "mean")] <- list(summary$feature_names, unname(summary$mean))
  raw$d <- length(raw$mean)
  raw$deviation <- sqrt(summary$square / max(1, moments_degrees(summary)))
  raw$constant <- raw$n < 2L | is_constant(raw)
  check_magnitude(raw, FALSE, "x", scalable = FALSE)
}
