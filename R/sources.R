#' Data on disk or in a database, read in blocks of rows
#'
#' Makes a source of blocks of rows from data that are too large for memory or not yet in it. The
#' methods take a source in place of `x` and hold one block at a time, beside their own working
#' memory.
#'
#' @section What a source is:
#' A function `read(i)` returns the rows of block i, samples in rows, as a matrix, a data frame of
#' numbers or a sparse matrix; `rows` is the number of rows of every block. `read` may be asked for
#' any block, in any order, at any time, and must return the same rows each time. The vignette on
#' large data has readers of a database and of the row groups of a Parquet file.
#'
#' @section What is checked:
#' Every block is checked whenever it is read: it has the stated number of rows and the columns
#' and names of the first block, its numbers are finite, and a sparse block is a valid sparse
#' matrix. Its fingerprint of 64 bits is compared with that of the first reading, so that a change
#' of the data between two passes, or two fits, is found. [moments()] read once, and check sizes
#' only. Data that were changed on purpose need a new source.
#'
#' @section Passes:
#' The first pass finds means and variances. After that every product with the data is one pass.
#' Methods of second moments (`bsufs()`, `fspca()`, `css()` and others) form
#' \eqn{X_c'X_c}{Xc'Xc} in one pass, where it takes at most a quarter of the memory, and need no
#' further pass. Neighbours of samples take a pass for every few thousand samples. The number of
#' passes is in the fit, `fit$passes`, and shown by `print()`.
#'
#' Wide data, which take less memory than d x d numbers and at most a quarter of all memory, are
#' read once and held. So are data of methods that would read them more than a dozen times, and of
#' a `block` of several variables; larger data are refused by an error of class
#' `rowsparse_error_memory`, which names the methods to use instead. [moments()] of a source are
#' computed in one pass, serve any number of fits and add up across machines.
#'
#' @section Counts:
#' With `counts = TRUE` the counts of every sample are divided by its size factor, and logarithms
#' taken, \eqn{\log_2(x_{ij} / s_i + 1)}{log2(x_ij / s_i + 1)}, whenever a block is read. The size
#' factors are the library sizes, the sums of the counts of each sample, divided by their mean;
#' those of an experiment may be stored, see [experiments]. The source is read once for the library
#' sizes. Sparse counts then stay in memory, in three or four bytes each, where they take at most a
#' quarter of it: all later passes use this copy.
#'
#' HDF5Array reads the counts of an `.h5ad` file as a sparse matrix of genes by cells, and BPCells
#' has cells in columns, too:
#' ```
#' x <- HDF5Array::H5SparseMatrix("cells.h5ad", "X")      # or "layers/counts"
#' rownames(x) <- as.character(rhdf5::h5read("cells.h5ad", "var/_index"))
#' x <- row_blocks(DelayedArray::t(x), counts = TRUE)
#' fit <- rowsparse(x, k = 200, method = "fspca", solver = "go")
#'
#' cells <- split(seq_len(ncol(y)), (seq_len(ncol(y)) - 1) %/% 5000)  # y: of BPCells
#' read <- function(i) Matrix::t(as(y[, cells[[i]]], "dgCMatrix"))
#' y <- row_blocks(read, lengths(cells), names = rownames(y), counts = TRUE)
#' ```
#'
#' @param x The source of the data, samples in rows:
#'   * a function of one argument, the number of a block, that returns its rows;
#'   * names of files, one block each: `.rds`, `.csv`, `.tsv`, `.txt` (also compressed) with a
#'     line of column names, or any other with `read`;
#'   * a `DelayedMatrix`, for instance an `HDF5Matrix`;
#'   * a `SummarizedExperiment`, whose samples are columns, see [experiments];
#'   * a matrix, data frame or sparse matrix, in pieces, for comparisons.
#' @param rows Number of rows of every block. Needed for functions only: for files the rows are
#'   counted, which reads the files once, and other sources choose the size by `megabytes`; for
#'   these sources one number is the size of all blocks but the last.
#' @param read For files: a function of one file name that returns the rows in it.
#' @param megabytes Size of a block in memory. Blocks of a `DelayedMatrix` are
#'   whole chunks of the file, if a chunk has few enough rows.
#' @param counts Are these counts, to be log-normalised as they are read?
#' @param ... `names`, the names of the features, where the blocks of a function or of files come
#'   without them; `assay`, name or number of the assay of an experiment.
#' @return An object of class `rowsparse_blocks`. `as.matrix()` reads all rows, if they fit into
#'   memory. `print()` and `as.data.frame()` (the rows of each block) read nothing, `summary()`
#'   reads the first block. `dim()` gives rows and columns, with `NA` columns before the first
#'   reading; `x[i]` is the source of the blocks `i` only.
#' @section Errors:
#' When the data are read, of class `rowsparse_error_block`: a block with a wrong number of rows or
#' wrong columns, that is not numeric, or that has changed since it was last read; an error of the
#' reader, which is the `parent` of the condition. Of class `rowsparse_error_range` and
#' `rowsparse_error_zero`: negative counts, and samples without any.
#' @seealso [moments()] for methods that need only sums over the samples.
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' blocks <- row_blocks(function(i) x[50 * (i - 1) + 1:50, ], rows = c(50, 50, 50))
#' fit <- rowsparse(blocks, k = 2)
#' fit$selected
#' fit$passes
#'
#' # the same from files
#' files <- file.path(tempdir(), paste0("part", 1:3, ".rds"))
#' for (i in 1:3) saveRDS(x[50 * (i - 1) + 1:50, ], files[i])
#' rowsparse(row_blocks(files), k = 2)$selected
#' @export
row_blocks <- function(x, rows = NULL, read = NULL, megabytes = 64, counts = FALSE, ...) {
  counts <- check_flag(counts, "counts")
  more <- (function(names = NULL, assay = NULL, ...) {
    takes <- c("rows", "read", "megabytes", "counts", "names", "assay")
    check_no_more("row_blocks", takes, ...)
    list(names = names, assay = assay)
  })(...)
  if (!is.null(read) && !is.character(x)) {
    stop_rowsparse("argument", "read", "is for names of files", describe(x))
  }
  if (is_experiment(x)) {
    return(blocks_of_experiment(x, rows, megabytes, counts, more$assay))
  }
  blocks <- if (is.function(x)) {
    new_blocks(x, check_rows(rows), more$names, "a function")
  } else if (is.character(x) && is.null(dim(x))) {
    blocks_of_files(x, rows, read, more$names)
  } else if (inherits(x, "DelayedMatrix")) {
    blocks_of_delayed(x, rows, megabytes)
  } else if (is.matrix(x) || is.data.frame(x) || inherits(x, "Matrix")) {
    blocks_of_matrix(x, rows, megabytes)
  } else {
    stop_rowsparse("type", "x", paste(
      "must be a function that can read a block, names of files, a DelayedMatrix, a",
      "SummarizedExperiment, a matrix or a data frame"
    ), describe(x))
  }
  if (counts) normalised_blocks(blocks, "x") else blocks
}

# What every source ends in. `d`: number of columns, `sparse`: are the blocks sparse, where known
new_blocks <- function(read, rows, names = NULL, source = "", d = NULL, sparse = NA) {
  if (!is.null(names)) {
    if (!is.character(names) || !is.null(dim(names))) {
      stop_rowsparse("type", "names", "must be the names of the features", describe(names))
    }
    check_names_given(names, "x")
  }
  known <- known_columns(list(d = if (is.null(names)) d else length(names)))
  structure(
    list(read = read, rows = rows, names = names, sparse = sparse, source = source, known = known),
    class = "rowsparse_blocks"
  )
}

# What is found out about a source when it is read, for whoever reads it next: `d`, its columns,
# and `prints`, the fingerprints of its blocks. Another source with the same columns:
known_columns <- function(known) list2env(list(d = known[["d"]]), parent = emptyenv())

check_rows <- function(rows) {
  if (!is_whole(rows) || any(rows < 1)) {
    stop_rowsparse("type", "rows", "must be the number of rows of every block, 1 or more",
      describe(rows)
    )
  }
  if (sum(rows) > .Machine$integer.max) {
    stop_rowsparse("size", "rows", "must add up to at most 2^31 - 1", format(sum(rows)))
  }
  as.integer(rows)
}

# ---- pieces of a matrix --------------------------------------------------------------

# The rows of every block of n: as given (one number for all but the last), or as many as
# `megabytes` hold at so many bytes a row, in multiples of `unit`
rows_of_pieces <- function(rows, n, bytes, megabytes, unit = 1) {
  if (n < 1) {
    stop_rowsparse("size", "x", "must have at least one row", "none")
  }
  if (is.null(rows)) {
    megabytes <- check_number(megabytes, "megabytes", 0, open_lower = TRUE)
    rows <- max(1, floor(megabytes * 2^20 / max(1, bytes)))
    if (unit <= 4 * rows) rows <- max(1, floor(rows / unit)) * unit
    rows <- min(rows, n)
  }
  rows <- check_rows(rows)
  if (length(rows) == 1L && rows != n) {
    rows <- diff(as.integer(unique(c(seq.int(0, n, by = min(rows, n)), n))))
  }
  if (sum(rows) != n) {
    stop_rowsparse("size", "rows", sprintf("must add up to the rows of `x` (%.0f)", n), sum(rows))
  }
  rows
}

# number of a block -> its rows
pieces <- function(rows) {
  last <- cumsum(rows)
  function(i) seq.int(last[i] - rows[i] + 1L, last[i])
}

blocks_of_matrix <- function(x, rows, megabytes) {
  sparse <- inherits(x, "sparseMatrix")
  if (sparse) x <- sound_columns(x, "x")
  bytes <- if (sparse) 12 * length(x@x) / max(1, nrow(x)) else 8 * ncol(x)
  rows <- rows_of_pieces(rows, nrow(x), bytes, megabytes)
  at <- pieces(rows)
  new_blocks(function(i) x[at(i), , drop = FALSE], rows, colnames(x),
    if (sparse) "a sparse matrix" else if (is.data.frame(x)) "a data frame" else "a matrix",
    ncol(x), sparse
  )
}

# Columns of a dgCMatrix as row blocks: a block is turned at a time, never the matrix
columns_in_blocks <- function(x, names, megabytes = 64) {
  rows <- rows_of_pieces(NULL, ncol(x), 12 * length(x@x) / ncol(x), megabytes)
  at <- pieces(rows)
  read <- function(i) {
    turned <- Matrix::t(x[, at(i), drop = FALSE])
    colnames(turned) <- names
    turned
  }
  new_blocks(read, rows, names, "a sparse matrix", nrow(x), TRUE)
}

# ---- DelayedMatrix and experiments ---------------------------------------------------

blocks_of_delayed <- function(x, rows, megabytes) {
  check_delayed()
  check_readable(x, "x")
  sparse <- DelayedArray::is_sparse(x)
  unit <- or_default(DelayedArray::chunkdim(x)[1], 1)
  bytes <- if (is.null(rows)) ncol(x) * if (sparse) 12 * stored_share_of(x) else 8
  rows <- rows_of_pieces(rows, nrow(x), bytes, megabytes, unit)
  at <- pieces(rows)
  read <- function(i) {
    if (i == 1L) check_sizes_in_files(x)
    if (sparse) delayed_rows(x, at(i)) else DelayedArray::extract_array(x, list(at(i), NULL))
  }
  new_blocks(read, rows, colnames(x), paste("an object of class", class(x)[1]), ncol(x), sparse)
}

# Rows of a sparse DelayedMatrix, as one piece of its file; through `[` they would be read in the
# small blocks of DelayedArray, which takes longer. Older versions lack the function.
delayed_rows <- function(x, rows) {
  extract <- get0("extract_sparse_array", asNamespace("DelayedArray"), mode = "function")
  if (is.null(extract)) extract <- function(x, index) x[index[[1]], , drop = FALSE]
  out <- methods::as(extract(x, list(rows, NULL)), "dgCMatrix")
  dimnames(out) <- list(rownames(x)[rows], colnames(x))
  out
}

check_delayed <- function() check_installed("DelayedArray", "to read a DelayedMatrix")

# HDF5 files may have become larger since
check_sizes_in_files <- function(x) {
  DelayedArray::seedApply(x, function(seed) {
    if (inherits(seed, "HDF5ArraySeed")) {
      now <- dim(HDF5Array::HDF5ArraySeed(seed@filepath, seed@name))
      if (!identical(now, seed@dim)) {
        stop(sprintf("%s of %s has become %s, it was %s", quoted(seed@name),
          quoted(basename(seed@filepath)), paste(now, collapse = " x "),
          paste(seed@dim, collapse = " x ")
        ))
      }
    }
  })
}

# The share of numbers that a sparse DelayedMatrix stores, from its first rows or, if these are
# the columns of a file, columns
stored_share_of <- function(x) {
  chunk <- or_default(DelayedArray::chunkdim(x), c(1, 1))
  size <- pmin(dim(x), pmax(chunk, 64))
  by_columns <- chunk[1] > chunk[2]
  part <- if (by_columns) x[, seq_len(size[2])] else x[seq_len(size[1]), ]
  stored_share(delivered(methods::as(part, "dgCMatrix"), "x"))
}

blocks_of_experiment <- function(x, rows, megabytes, counts, assay) {
  in_blocks <- function(values) row_blocks(values, rows, megabytes = megabytes)
  values <- experiment_matrix(x, assay, "x", delayed = "all", blocks = in_blocks, counts = counts)
  blocks <- if (inherits(values, "rowsparse_blocks")) values else in_blocks(values)
  blocks$experiment <- TRUE
  blocks
}

are_blocks_of_experiment <- function(x) inherits(x, "rowsparse_blocks") && isTRUE(x[["experiment"]])

# ---- files ---------------------------------------------------------------------------

blocks_of_files <- function(x, rows, read, names) {
  files <- check_files(x)
  if (is.null(read)) {
    read <- usual_reader(files)
  } else if (!is.function(read)) {
    stop_rowsparse("type", "read", "must be a function of the name of a file", describe(read))
  }
  seen <- if (is.null(rows)) look_at_files(files, read) else list(rows = check_rows(rows))
  if (length(seen$rows) != length(files)) {
    stop_rowsparse("length", "rows", sprintf("must have the number of rows of each file (%d)",
      length(files)
    ), length(seen$rows))
  }
  source <- paste0(count_of(length(files), "file"), ", ", first_few(basename(files)))
  new_blocks(function(i) read(files[i]), seen$rows, or_default(names, seen$names), source, seen$d)
}

check_files <- function(files) {
  lost <- files[!file.exists(files) | dir.exists(files)]
  if (length(lost) > 0 || length(files) == 0L) {
    stop_rowsparse("range", "x", "must be names of files that exist",
      sprintf("%d, of which %d are not found: %s", length(files), length(lost), first_few(lost))
    )
  }
  normalizePath(files)
}

file_readers <- list(
  rds = function(file) readRDS(file),
  csv = function(file) utils::read.csv(file, check.names = FALSE),
  tsv = function(file) utils::read.delim(file, check.names = FALSE),
  txt = function(file) utils::read.table(file, header = TRUE, check.names = FALSE)
)

file_kind <- function(files) {
  tolower(sub(".*[.]", "", sub("[.](gz|bz2|xz)$", "", basename(files), ignore.case = TRUE)))
}

usual_reader <- function(files) {
  strange <- !file_kind(files) %in% base::names(file_readers)
  if (any(strange)) {
    stop_rowsparse("choice", "x", paste(
      "must be files whose names end in", paste0(".", base::names(file_readers), collapse = ", "),
      "where no `read` is given"
    ), quoted(basename(files[strange][1])))
  }
  function(file) {
    if (!file.exists(file)) stop("the file is gone")
    # R warns of a last line or a quote that does not end, for instance
    withCallingHandlers(file_readers[[file_kind(file)]](file), warning = function(w) {
      warn_rowsparse("file", paste0("While a file was read: ", conditionMessage(w), "."))
      tryInvokeRestart("muffleWarning")
    })
  }
}

# rows, columns and names of files, from the files themselves
look_at_files <- function(files, read) {
  rows <- integer(length(files))
  for (i in seq_along(files)) {
    found <- tryCatch(read(files[i]), error = function(e) stop_reader("x", i, e))
    if (length(dim(found)) != 2L) stop_block("x", i, "a table of rows", describe(found))
    rows[i] <- nrow(found)
    if (i == 1L) first <- list(names = colnames(found), d = ncol(found))
  }
  if (any(rows < 1)) {
    stop_rowsparse("size", "x", "must be files with at least one row",
      sprintf("none in %s", quoted(basename(files[rows < 1][1])))
    )
  }
  c(list(rows = check_rows(rows)), first)
}

# ---- what can be done with a source --------------------------------------------------

#' @export
print.rowsparse_blocks <- function(x, ...) {
  cat(sprintf("Data in %s, %s in all%s\n", count_of(length(x$rows), "block"),
    count_of(sum(x$rows), "row"), if (nzchar(x$source)) paste0(", from ", x$source) else ""
  ))
  invisible(x)
}

#' @export
dim.rowsparse_blocks <- function(x) {
  parts <- unclass(x)
  c(sum(parts$rows), as.integer(or_default(parts$known$d, NA)))
}

#' @export
`[.rowsparse_blocks` <- function(x, i, ...) {
  check_blocks(x, "x")
  if (nargs() > 2L) {
    stop_rowsparse("argument", "...", "must be left out: x[i] are blocks, with all their columns")
  }
  parts <- unclass(x)
  chosen <- if (is.numeric(i) || is.logical(i)) seq_along(parts$rows)[i]
  if (length(chosen) == 0L || anyNA(chosen)) {
    stop_rowsparse("range", "i", sprintf("must be blocks from 1 to %d", length(parts$rows)),
      describe(i)
    )
  }
  parts$read <- reader_of_some(parts$read, chosen)
  if (!is.null(parts$from_source)) parts$from_source <- reader_of_some(parts$from_source, chosen)
  parts$rows <- parts$rows[chosen]
  parts$known <- known_columns(parts$known)
  structure(parts, class = class(x))
}

reader_of_some <- function(read, chosen) {
  force(read)
  force(chosen)
  function(number) read(chosen[number])
}

# all rows in memory
#' @export
as.matrix.rowsparse_blocks <- function(x, ...) {
  check_no_more("as.matrix", NULL, ...)
  raw <- blocks_input(x, "x")
  check_memory(8 * (as.double(raw$n) + max(x$rows)) * raw$d, "x",
    "leave it in row blocks, or take some of them, x[i]"
  )
  out <- held_dense(raw, raw[["read"]])$x
  dimnames(out) <- if (!is.null(raw$names)) list(NULL, raw$names)
  out
}

#' @export
as.data.frame.rowsparse_blocks <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_blocks(x, "x")
  last <- cumsum(x$rows)
  data.frame(block = seq_along(x$rows), first = last - x$rows + 1L, last = last, rows = x$rows)
}

#' @export
summary.rowsparse_blocks <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  read <- blocks_input(object, "object")
  structure(
    list(
      blocks = length(object$rows), n = read$n, d = read$d, rows = range(object$rows),
      sparse = read$sparse
    ),
    class = "summary.rowsparse_blocks"
  )
}

#' @export
print.summary.rowsparse_blocks <- function(x, ...) {
  cat(sprintf("%s, %s, in %s of %s rows%s\n", count_of(x$n, "sample"), count_of(x$d, "feature"),
    count_of(x$blocks, "block"), from_to(x$rows), if (x$sparse) ", sparse" else ""
  ))
  invisible(x)
}
