# What the C code reads: `read` gives the rows of a block, checked: a matrix of numbers, or
# a dgCMatrix where `sparse`; density: the share of numbers that are stored, from the first
# block. `reads` is an environment:
#   count    reads of each block; before: how many there were at the end of the fit before
#   known    of the source: `prints`, fingerprints of the blocks, as they were read first
#   first    block 1, from when the data are looked at until the first pass begins
#   bar      the bar of the pass
# quick: are they read from memory, see packed.R? source: what reads them from where they are
blocks_input <- function(x, argument) {
  refuse_if(!is.list(x) || !is.function(x$read) || !is_whole(x$rows) || !is.environment(x$known),
    "type", argument, "must be row blocks as row_blocks() makes them",
    "parts that do not go together"
  )
  first <- raw_block(x$read, 1L, argument)
  rule <- list(
    argument = argument, rows = x$rows, d = or_default(x$known$d, ncol(first)),
    names = or_default(x$names, colnames(first)),
    sparse = if (is.na(x$sparse)) is_sparse_block(first) else x$sparse
  )
  reads <- new_reads(rule, x$known)
  reads$first <- read_block(function(number) first, 1L, rule, reads)
  x$known$d <- rule$d
  list(
    kind = "blocks", n = sum(x$rows), d = rule$d, names = rule$names, start = c(0L, cumsum(x$rows)),
    kept = .Call(C_keeper), sparse = rule$sparse, density = stored_share(reads$first),
    reads = reads, quick = !is.null(x$from_source), read = block_reader(x$read, rule, reads),
    rule = rule, source = or_default(x$from_source, x$read)
  )
}

new_reads <- function(rule, known = new.env(parent = emptyenv())) {
  blocks <- length(rule$rows)
  if (is.null(known$prints)) known$prints <- matrix(NA_real_, 2L, blocks)
  list2env(list(count = integer(blocks), before = 0L, first = NULL, bar = NULL, known = known),
    parent = emptyenv()
  )
}

# ---- reading -------------------------------------------------------------------------

# alone with what it needs, as it may travel
block_reader <- function(read, rule, reads) {
  force(list(read, rule, reads))
  function(number) read_block(read, number, rule, reads)
}

# the rows of one block as `rule` wants them: list(argument, rows, d, names, sparse)
read_block <- function(read, number, rule, reads) {
  held <- reads$first
  reads$first <- NULL
  if (number == 1L && !is.null(held)) {
    return(held)
  }
  rows <- raw_block(read, number, rule$argument)
  check_block_size(rows, number, rule)
  if (!rule$sparse) rows <- as.matrix(rows)
  if (rule$sparse && !is_sparse_block(rows)) rows <- sparse_of(rows + 0)
  compare_block(rows, number, rule, reads)
  reads$count[number] <- reads$count[number] + 1L
  show_pass(reads, number)
  rows
}

# what the reader gives, as a matrix or a dgCMatrix in order
raw_block <- function(read, number, argument) {
  tryCatch(block_matrix(read(number), argument), error = function(e) {
    stop_rowsparse("block", argument, sprintf("must be readable; block %d was not", number),
      paste("the error:", sub("[.]$", "", conditionMessage(e))), parent = e)
  })
}

block_matrix <- function(rows, argument = "x") {
  out <- input_matrix(read_input(realised(rows, argument), NULL, argument))
  if (is_sparse_block(out)) rownames(out) <- rownames(rows)
  out
}

is_sparse_block <- function(rows) is_of(rows, "dgCMatrix")

stored_share <- function(rows) {
  if (is_sparse_block(rows)) max(1, length(rows@x)) / max(1, prod(dim(rows))) else 1
}

check_block_size <- function(rows, number, rule) {
  deliver <- function(what, got) {
    what <- sprintf("must deliver %s as block %d", what, number)
    stop_rowsparse("block", rule$argument, what, got)
  }
  if (nrow(rows) != rule$rows[number]) deliver(count_of(rule$rows[number], "row"), nrow(rows))
  if (ncol(rows) != rule$d) deliver(count_of(rule$d, "column"), ncol(rows))
  names <- colnames(rows)
  if (!is.null(names) && !is.null(rule$names) && !identical(names, rule$names)) {
    at <- which(names != rule$names)[1]
    deliver(sprintf("the columns of the first, %s as number %d", quoted(rule$names[at]), at),
      quoted(names[at])
    )
  }
}

# all finite, and what the block was when it was read before
compare_block <- function(rows, number, rule, reads) {
  raw <- raw_rows(rows)
  found <- .Call(C_check_block, raw$x, raw[["i"]], raw$p)
  if (found$bad > 0) {
    at <- not_finite(raw)
    stop_rowsparse("nonfinite", rule$argument, "must not hold NA, NaN or infinite values",
      sprintf("%.0f of them in block %d, the first at row %.0f (%.0f of the block), %s", found$bad,
        number, sum(rule$rows[seq_len(number - 1L)]) + at$row[1], at$row[1],
        column_label(rule$names, at$column[1])
      ),
      "Leave out the samples or features that have them, or impute them"
    )
  }
  known <- reads$known$prints[, number]
  if (anyNA(known)) reads$known$prints[, number] <- known <- found$print
  refuse_if(any(known != found$print),
    "block", rule$argument, "must give the same rows whenever a block is read",
    sprintf("other rows of block %d than the first time: it changed its answer", number)
  )
}

# ---- passes --------------------------------------------------------------------------

# passes over the data until now, or since the fit before that they served; NULL for other data
passes_of <- function(data) {
  reads <- data$reads
  if (is.environment(reads)) {
    now <- sum(reads$count)
    passes <- (now - reads$before) / length(reads$count)
    reads$before <- now
    passes
  }
}

show_pass <- function(reads, number) {
  blocks <- length(reads$count)
  done <- sum(reads$count)
  if (is.null(reads$bar)) reads$bar <- progress_bar(blocks)
  reads$bar$step(sprintf("pass %d, block %d", (done - 1L) %/% blocks + 1L, number))
  if (done %% blocks == 0L) {
    reads$bar$close()
    reads$bar <- NULL
  }
}

# ---- statistics ----------------------------------------------------------------------

# Means, squares, deviations, magnitudes, from those of the blocks, with a `block` level by level
block_statistics <- function(raw) {
  at <- pieces(raw[["rule"]]$rows)
  total <- NULL
  for (number in seq_along(raw[["rule"]]$rows)) {
    piece <- raw_rows(raw[["read"]](number), NULL)
    piece$block <- rows_of_block(raw$block, at(number))
    summary <- piece_moments(piece)$summary
    total <- if (is.null(total)) summary else merge_means(total, summary)$sum
  }
  c(total[c("mean", "fine", "square", "largest")], list(
    deviation = sqrt(total$square / degrees_of_freedom(raw)),
    level_mean = unname(total$block$mean), level_fine = total$block$fine
  ))
}

# ---- columns and names ---------------------------------------------------------------

# Columns of all rows: a matrix, or a dgCMatrix, in one pass
read_columns <- function(raw, columns) {
  blocks <- seq_len(length(raw$start) - 1L)
  out <- do.call(rbind, lapply(blocks, function(i) raw[["read"]](i)[, columns, drop = FALSE]))
  colnames(out) <- raw$names[columns]
  out
}
