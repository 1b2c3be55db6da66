# Moments of data in blocks of rows, in one pass. The blocks are cut into parts, whose
# moments are made one by one, by whoever is there, and merged in their order: the sum is
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
  check_blocks(x, "x")
  n <- sum(x$rows)
  y <- whole_response(y, n)
  block <- moments_levels(block, n)
  raw <- opened_blocks(x)
  sound <- FALSE
  on.exit(if (!sound) close_source(raw$reads))
  check_names(raw$names, "x")
  check_filled(raw)
  if (is.null(rank)) check_room_for_products(raw$d)
  rank <- useful_rank(rank, raw$d)
  sound <- TRUE
  here <- check_workers(BPPARAM) == "here"
  jobs <- part_jobs(x, y, block, parts_of_blocks(length(x$rows), raw$d, rank))
  source <- if (here) list(ready = raw[["read"]], close = x$close) else travelling_source(x, raw)
  spare <- if (here) new.env(parent = emptyenv())
  total <- part_collector(jobs, rank, spare)
  apply_apart(jobs, moments_of_part, total$collect,
    source = source, names = raw$names, rank = rank, spare = spare, BPPARAM = BPPARAM
  )
  sum <- total$end()
  if (length(sum$missing) > 0) stop_unfinished(sum, rank, length(x$rows))
  check_pieces(sum$sum$summary)
  summed_moments(sum$sum, rank)
}

# the first block is read, and kept for the first part
opened_blocks <- function(x) {
  unfinished <- function(e) {
    stop_unfinished(list(missing = seq_along(x$rows), error = e), NULL, length(x$rows))
  }
  tryCatch(blocks_input(x, "x", once = TRUE),
    rowsparse_error_block = unfinished, rowsparse_error_nonfinite = unfinished
  )
}

# what a worker needs to read blocks by the rule of the first one
travelling_source <- function(x, raw) {
  list(
    read = or_default(x$from_source, x$read), close = x$close,
    rule = list(
      argument = "x", rows = x$rows, d = raw$d, names = raw$names, sparse = raw$sparse, once = TRUE
    )
  )
}

source_reader <- function(source) {
  if (!is.null(source$ready)) {
    return(source$ready)
  }
  blocks <- length(source$rule$rows)
  reads <- list2env(list(
    count = integer(blocks), first = NULL, tick = NULL, close = source$close
  ), parent = emptyenv())
  function(number) read_block(source$read, number, source$rule, reads)
}

summed_moments <- function(sum, rank) {
  if (is.null(rank)) {
    finish_moments(sum, .Call(C_scatter_end, sum$kept))
  } else {
    sketch_moments(sum, rank)
  }
}

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

# Errors name the blocks that are missing, and carry the moments of the others
stop_unfinished <- function(sum, rank, blocks) {
  error <- sum$error
  missing <- sort(sum$missing)
  worker <- inherits(error, "rowsparse_error_worker")
  told <- if (inherits(error, "rowsparse_error")) {
    conditionMessage(error)
  } else {
    sprintf("`x` could not be read: block %d, %s.", missing[1], conditionMessage(error))
  }
  class <- c(class(error), if (!worker) "rowsparse_error_block", "rowsparse_error")
  stop(structure(
    class = c(unique(class[startsWith(class, "rowsparse_error")]), "error", "condition"),
    list(
      message = sprintf("%s Not in the sum: %s %s of %d; ?moments says how to add them.",
        told, if (length(missing) > 1) "blocks" else "block", runs_of(missing), blocks
      ),
      call = NULL, argument = "x", blocks = missing, parent = error,
      done = if (!is.null(sum$sum)) summed_moments(sum$sum, rank)
    )
  ))
}

# 1, 4-6
runs_of <- function(numbers) {
  run <- cumsum(c(1, diff(numbers) != 1))
  words <- vapply(split(numbers, run), function(part) {
    paste(unique(range(part)), collapse = "-")
  }, "")
  shorten(paste(words, collapse = ", "), 60L)
}

# Of one part: `sum`, that of the blocks that could be read, and the `missing` ones with the
# error of the first: a part ends there. spare: where this process adds the parts up, an
# environment, whose element `kept` is a sum of products that the part may use up
moments_of_part <- function(job, source, names, rank = NULL, spare = NULL) {
  read <- source_reader(source)
  sum <- NULL
  done <- 0L
  failed <- NULL
  for (at in seq_along(job$numbers)) {
    failed <- tryCatch(
      {
        sum <- add_piece(sum, block_piece(job, at, read, names), rank, spare)
        NULL
      },
      error = identity
    )
    if (!is.null(failed)) {
      close_source(source)
      break
    }
    done <- at
  }
  list(
    sum = if (done > 0L) if (is.null(spare)) end_sum(sum) else sum,
    missing = job$numbers[seq_along(job$numbers) > done], error = failed
  )
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

# a sum that grows: the summary of all pieces so far, and their products, kept by the C code
# or as a sketch
add_piece <- function(sum, piece, rank = NULL, spare = NULL) {
  if (!is.null(rank)) {
    return(add_to_sketch(sum, piece, rank))
  }
  merged <- list(sum = piece$summary)
  if (!is.null(sum)) merged <- merge_pieces(sum$summary, piece$summary)
  kept <- if (is.null(sum)) new_scatter(piece$raw$d, spare) else sum$kept
  .Call(C_scatter_add, kept, piece$raw, NULL, merged$gaps)
  list(summary = merged$sum, kept = kept)
}

# cross-products of d features, as yet none
new_scatter <- function(d, spare = NULL) {
  used <- spare$kept
  if (!is.null(used)) spare$kept <- NULL
  .Call(C_scatter, d, used)
}

# what a worker sends
end_sum <- function(sum) {
  if (!is.null(sum$kept)) {
    sum$S <- .Call(C_scatter_end, sum$kept)
    sum$kept <- NULL
  }
  sum
}

# parts in the order of the blocks
add_part <- function(sum, part, rank = NULL, spare = NULL) {
  if (!is.null(rank)) {
    return(if (is.null(sum)) part else add_sketches(sum, part, 2 * rank))
  }
  kept <- sum$kept
  merged <- list(sum = part$summary)
  if (is.null(sum)) {
    kept <- new_scatter(length(part$summary$mean))
  } else {
    merged <- merge_pieces(sum$summary, part$summary)
  }
  .Call(C_scatter_add, kept, NULL, or_default(part$S, part$kept), merged$gaps)
  if (!is.null(part$kept)) spare$kept <- part$kept
  list(summary = merged$sum, kept = kept)
}

# Hears of the parts in any order and adds them up in theirs
part_collector <- function(jobs, rank, spare = NULL) {
  waiting <- vector("list", length(jobs))
  following <- 1L
  state <- list(sum = NULL, missing = integer(), error = NULL)
  take <- function(number, outcome) {
    part <- or_default(outcome$value, list(missing = jobs[[number]]$numbers, error = outcome$error))
    if (!is.null(part$sum)) state$sum <<- add_part(state$sum, part$sum, rank, spare)
    state$missing <<- c(state$missing, part$missing)
    if (is.null(state$error)) state$error <<- part$error
  }
  collect <- function(number, outcome) {
    waiting[[number]] <<- outcome
    while (following <= length(jobs) && !is.null(waiting[[following]])) {
      take(following, waiting[[following]])
      waiting[following] <<- list(NULL)
      following <<- following + 1L
    }
  }
  list(collect = collect, end = function() state)
}
