# What the C code reads: `read` gives the rows of a block, checked: a matrix of numbers, or
# a dgCMatrix where `sparse`; density: the share of numbers that are stored, from the first
# block. `reads` is an environment:
#   count    reads of each block; before: how many there were at the end of the fit before
#   known    of the source: the fingerprints of the blocks, as they were read first
#   first    block 1, from when the data are looked at until the first pass begins
#   bar      the bar of the pass
# quick: are they read from memory, see packed.R?
# A reading of every block `once` does without the checks that all numbers are finite and that a
# block gives what it gave before.
blocks_input <- function(x, argument, once = FALSE) {
  check_blocks(x, argument)
  rule <- list(argument = argument, rows = x$rows, d = NULL, names = x$names, once = once)
  first <- raw_block(x$read, 1L, rule)
  rule$sparse <- if (is.na(x$sparse)) is_sparse_block(first) else x$sparse
  rule$d <- or_default(x$known$d, ncol(first))
  if (is.null(rule$names)) rule$names <- colnames(first)
  if (!is.null(rule$names) && length(rule$names) != rule$d) {
    stop_block(argument, 1L, count_of(length(rule$names), "column"), rule$d)
  }
  reads <- new_reads(rule, x$known)
  reads$first <- read_block(function(number) first, 1L, rule, reads)
  x$known$d <- rule$d
  list(
    kind = "blocks", n = sum(x$rows), d = rule$d, names = rule$names,
    start = c(0L, cumsum(x$rows)), kept = .Call(C_keeper), sparse = rule$sparse,
    density = stored_share(reads$first), reads = reads, quick = !is.null(x$from_source),
    read = function(number) read_block(x$read, number, rule, reads)
  )
}

# The fingerprints of a source are kept in `known` for as many blocks that are as sparse
new_reads <- function(rule, known = new.env(parent = emptyenv())) {
  blocks <- length(rule$rows)
  if (!identical(known$prints$sparse, rule$sparse)) {
    known$prints <- list(sparse = rule$sparse, print = matrix(NA_real_, 2L, blocks))
  }
  list2env(list(count = integer(blocks), before = 0L, first = NULL, bar = NULL, known = known),
    parent = emptyenv()
  )
}

check_blocks <- function(x, argument) {
  sound <- is.list(x) && is.function(x$read) && is.integer(x$rows) && is_whole(x$rows) &&
    all(x$rows > 0) && (is.null(x$names) || is.character(x$names)) && is.environment(x$known) &&
    is.logical(x$sparse) && length(x$sparse) == 1L
  if (!sound) {
    stop_rowsparse("type", argument, "must be row blocks as row_blocks() makes them",
      "parts that do not go together"
    )
  }
}

# ---- reading -------------------------------------------------------------------------

# the rows of one block as `rule` wants them: list(argument, rows, d, names, sparse, once)
read_block <- function(read, number, rule, reads) {
  held <- reads$first
  reads$first <- NULL
  if (number == 1L && !is.null(held)) {
    return(held)
  }
  rows <- raw_block(read, number, rule)
  check_block_size(rows, number, rule)
  rows <- as_block_of_kind(rows, rule$sparse)
  if (!rule$once) compare_block(rows, number, rule, reads)
  reads$count[number] <- reads$count[number] + 1L
  show_pass(reads, number)
  rows
}

# what the reader gives, as a matrix or a dgCMatrix in order
raw_block <- function(read, number, rule) {
  rows <- tryCatch(
    block_matrix(read(number), rule$argument),
    error = function(e) stop_reader(rule$argument, number, e)
  )
  if (!is_sparse_block(rows) && !(is.matrix(rows) && is_plain_numeric(rows))) {
    stop_block(rule$argument, number, "a numeric matrix", describe(rows))
  }
  rows
}

block_matrix <- function(rows, argument) {
  if (is.data.frame(rows)) {
    data_frame_matrix(rows, argument)
  } else if (inherits(rows, "sparseMatrix")) {
    sound_columns(rows, argument)
  } else if (inherits(rows, "DelayedMatrix")) {
    realised(rows, argument)
  } else if (inherits(rows, "Matrix")) {
    as.matrix(rows)
  } else {
    rows
  }
}

is_sparse_block <- function(rows) inherits(rows, "dgCMatrix")

as_block_of_kind <- function(rows, sparse) {
  if (sparse == is_sparse_block(rows)) {
    return(if (is.object(rows) && !sparse) unclass(rows) else rows)
  }
  if (!sparse) {
    return(as.matrix(rows))
  }
  storage.mode(rows) <- "double"
  methods::as(methods::as(rows, "CsparseMatrix"), "generalMatrix")
}

stored_share <- function(rows) {
  if (is_sparse_block(rows)) max(1, length(rows@x)) / max(1, prod(dim(rows))) else 1
}

check_block_size <- function(rows, number, rule) {
  if (nrow(rows) != rule$rows[number]) {
    stop_block(rule$argument, number, count_of(rule$rows[number], "row"), nrow(rows))
  }
  if (ncol(rows) != rule$d) {
    stop_block(rule$argument, number, sprintf("the %s of the first", count_of(rule$d, "column")),
      ncol(rows)
    )
  }
  names <- colnames(rows)
  if (!is.null(names) && !is.null(rule$names) && !identical(names, rule$names)) {
    at <- which(names != rule$names)[1]
    stop_block(rule$argument, number, sprintf("the columns of the first, %s as number %d",
      quoted(rule$names[at]), at
    ), quoted(names[at]))
  }
}

# all finite, and what the block was when it was read before
compare_block <- function(rows, number, rule, reads) {
  found <- if (is_sparse_block(rows)) {
    .Call(C_check_block, rows@x, rows@i, rows@p)
  } else {
    .Call(C_check_block, rows, NULL, NULL)
  }
  known <- reads$known$prints$print[, number]
  if (anyNA(known)) {
    if (found$bad > 0) stop_block_entry(rows, number, found, rule)
    reads$known$prints$print[, number] <- found$print
  } else if (any(known != found$print)) {
    stop_rowsparse("block", rule$argument,
      "must give the same rows whenever a block is read",
      sprintf("other rows of block %d than the first time: it changed its answer", number)
    )
  }
}

# found: `bad`, how many numbers are not finite, and the place of the `first`, from 0
stop_block_entry <- function(rows, number, found, rule) {
  if (is_sparse_block(rows)) {
    row <- rows@i[found$first + 1]
    column <- findInterval(found$first, rows@p, left.open = FALSE)
  } else {
    row <- found$first %% nrow(rows)
    column <- found$first %/% nrow(rows) + 1
  }
  before <- sum(rule$rows[seq_len(number - 1L)])
  stop_rowsparse("nonfinite", rule$argument, "must not hold NA, NaN or infinite values",
    sprintf("%.0f of them in block %d, the first at row %.0f (%.0f of the block), %s", found$bad,
      number, before + row + 1, row + 1, column_label(rule$names, column)
    ),
    "Leave out the samples or features that have them, or impute them"
  )
}

stop_block <- function(argument, number, rule, got) {
  stop_rowsparse("block", argument, sprintf("must deliver %s as block %d", rule, number), got)
}

# `parent` is the condition that the reader ended with
stop_reader <- function(argument, number, parent) {
  stop_rowsparse("block", argument, sprintf("must be readable; block %d was not", number),
    paste("the error:", sub("[.]$", "", conditionMessage(parent))), parent = parent
  )
}

# ---- passes --------------------------------------------------------------------------

# how often the data were read until now, in passes, since the fit before if they have served
# one; NULL for other data
passes_of <- function(data) {
  reads <- data$reads
  if (is.environment(reads)) {
    now <- sum(reads$count)
    passes <- (now - reads$before) / length(reads$count)
    reads$before <- now
    passes
  }
}

# a bar for each pass
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

# Means, squares, deviations and magnitudes: those of the blocks of rows, put together
# by the update of Chan, Golub and LeVeque; with a factor `block`, level by level.
block_statistics <- function(raw, argument) {
  together <- NULL
  for (number in seq_len(length(raw$start) - 1L)) {
    size <- raw$start[number + 1L] - raw$start[number]
    groups <- row_groups(raw, raw$start[number], size)
    stats <- statistics_of_rows(raw[["read"]](number), size, groups)
    part <- list(
      size = or_default(groups$size, size), square = stats$square, largest = stats$largest,
      mean = or_default(stats$level_mean, matrix(stats$mean, 1L)),
      fine = or_default(stats$level_fine, matrix(stats$fine, 1L))
    )
    together <- if (is.null(together)) part else merge_statistics(together, part)
  }
  n <- sum(together$size)
  list(
    mean = drop(crossprod(together$mean, together$size / n)), fine = drop(together$fine),
    square = together$square, deviation = sqrt(together$square / degrees_of_freedom(raw)),
    largest = together$largest, level_mean = together$mean, level_fine = together$fine
  )
}

statistics_of_rows <- function(rows, size, groups) {
  sparse <- is_sparse_block(rows)
  if (sparse && !is.null(groups)) groups$row <- rows@i
  .Call(C_column_stats, if (sparse) rows@x else rows, if (sparse) rows@p, size, groups)
}

# size: rows of each level; mean and fine: levels x d
merge_statistics <- function(a, b) {
  n <- a$size + b$size
  share <- ifelse(n > 0, b$size / n, 0)
  both <- a$size > 0 & b$size > 0
  apart <- gap_of_means(a, b)[both, , drop = FALSE]^2
  c(pool_means(a, b, share), list(
    size = n, largest = pmax(a$largest, b$largest),
    square = a$square + b$square + drop(crossprod(apart, (a$size * share)[both]))
  ))
}

# ---- columns and names ---------------------------------------------------------------

# these columns of all rows: a matrix, or a dgCMatrix, in one pass
read_columns <- function(raw, columns) {
  blocks <- seq_len(length(raw$start) - 1L)
  out <- do.call(rbind, lapply(blocks, function(i) raw[["read"]](i)[, columns, drop = FALSE]))
  colnames(out) <- raw$names[columns]
  out
}

# a matrix without rows that has the columns and their names; reads the first block
blocks_outline <- function(newdata) {
  raw <- blocks_input(newdata, "newdata")
  matrix(0, 0L, raw$d, dimnames = list(NULL, raw$names))
}
