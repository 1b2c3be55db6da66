# Moments of data in blocks of rows, in one pass. The blocks are cut into parts, whose
# moments are made one by one, by whoever is there, and added in their order: the sum is
# the same to the bit for any number of workers.

# parts at most, and bytes that their cross-products take together at most
part_limits <- c(count = 16, bytes = 4e9)

# The part of every block: runs of blocks, as many of them in each as in any other or one
# more. Their number depends on the blocks and the features only.
parts_of_blocks <- function(blocks, d, rank = NULL) {
  bytes <- 8 * as.double(d) * if (is.null(rank)) d else 2 * rank
  count <- min(blocks, part_limits[["count"]], max(1, floor(part_limits[["bytes"]] / bytes)))
  as.integer((seq_len(blocks) - 1) %/% (blocks / count)) + 1L
}

moments_in_parts <- function(x, y, block, rank, BPPARAM) {
  raw <- blocks_input(x, "x", once = TRUE)
  y <- whole_response(y, raw$n)
  if (!is.null(block)) block <- all_levels(block, raw$n)
  check_names(raw$names, "x")
  check_filled(raw)
  rank <- useful_rank(rank, raw$d)
  check_room_for_moments(raw$d, rank)
  jobs <- part_jobs(x, y, block, parts_of_blocks(length(x$rows), raw$d, rank))
  total <- NULL
  if (check_workers(BPPARAM)) {
    parts <- apply_with_progress(jobs, moments_of_part,
      read = travelling_reader(x, raw), names = raw$names, rank = rank, BPPARAM = BPPARAM
    )
    for (part in parts) total <- add_piece(total, part, rank)
  } else {
    for (job in jobs) {
      total <- add_piece(total, moments_of_part(job, raw[["read"]], raw$names, rank), rank)
    }
  }
  check_pieces(total$summary)
  summed_moments(total, rank)
}

# what a worker reads blocks with, by the rule of the first one
travelling_reader <- function(x, raw) {
  read <- or_default(x$from_source, x$read)
  rule <- list(
    argument = "x", rows = x$rows, d = raw$d, names = raw$names, sparse = raw$sparse, once = TRUE
  )
  reads <- new_reads(rule)
  rm(x, raw) # these do not travel
  function(number) read_block(read, number, rule, reads)
}

# the blocks of each part, and the response and the levels of their samples
part_jobs <- function(x, y, block, part) {
  last <- cumsum(as.double(x$rows))
  lapply(unname(split(seq_along(x$rows), part)), function(numbers) {
    before <- last[numbers[1]] - x$rows[numbers[1]]
    rows <- seq.int(before + 1, last[numbers[length(numbers)]])
    list(
      numbers = numbers, all_rows = x$rows, rows = x$rows[numbers],
      y = if (!is.null(y)) rows_of(y, rows), block = block[rows]
    )
  })
}

moments_of_part <- function(job, read, names, rank = NULL) {
  sum <- NULL
  for (at in seq_along(job$numbers)) {
    sum <- add_piece(sum, block_piece(job, at, read, names), rank)
  }
  if (!is.null(sum$kept)) {
    sum$S <- .Call(C_scatter_end, sum$kept)
    sum$kept <- NULL
  }
  sum
}

block_piece <- function(job, at, read, names) {
  before <- sum(job$rows[seq_len(at - 1L)])
  rows <- read(job$numbers[at])
  some <- before + seq_len(nrow(rows))
  raw <- list(kind = "dense", n = nrow(rows), d = ncol(rows), names = names, x = rows)
  if (is_sparse_block(rows)) {
    raw$kind <- "sparse"
    raw[c("i", "p", "x")] <- list(rows@i, rows@p, rows@x)
  }
  refuse <- function(stats) {
    stop_block_entry(rows, job$numbers[at], list(bad = stats$bad, first = stats$first_entry),
      list(argument = "x", rows = job$all_rows, names = names)
    )
  }
  piece_moments(raw, if (!is.null(job$y)) rows_of(job$y, some),
    if (!is.null(job$block)) job$block[some],
    refuse = refuse
  )
}

# ---- sums of pieces --------------------------------------------------------------------

# A sum that grows by a piece, some rows of the data, or by a part, whose products are made:
# the summary of all so far, and their products, kept by the C code or as a sketch
add_piece <- function(sum, piece, rank = NULL) {
  if (!is.null(piece$thin)) {
    return(if (is.null(sum)) piece else add_sketches(sum, piece, 2 * rank))
  }
  if (!is.null(rank)) {
    return(add_to_sketch(sum, piece, rank))
  }
  merged <- list(sum = piece$summary)
  if (!is.null(sum)) merged <- merge_pieces(sum$summary, piece$summary)
  kept <- sum$kept
  if (is.null(kept)) kept <- .Call(C_scatter, length(piece$summary$mean), NULL)
  .Call(C_scatter_add, kept, piece$raw, piece$S, merged$gaps)
  list(summary = merged$sum, kept = kept)
}

summed_moments <- function(sum, rank) {
  if (is.null(rank)) {
    finish_moments(sum, .Call(C_scatter_end, sum$kept))
  } else {
    sketch_moments(sum, rank)
  }
}
