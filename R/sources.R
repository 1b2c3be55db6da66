#' Data on disk or in a database, read in blocks of rows
#'
#' Makes a source of blocks of rows from data that are too large for memory or not yet in it. The
#' methods take a source in place of `x` and hold one block at a time, beside their own working
#' memory.
#'
#' @section What a source is:
#' A function `read(i)` returns the rows of block i, samples in rows, as a matrix, a data frame of
#' numbers or a sparse matrix; `rows` is the number of rows of every block. `read` may be asked for
#' any block, in any order, at any time, and must return the same rows each time: every block is
#' checked whenever it is read, also by a fingerprint of the first reading, so that a change of the
#' data is found. Data that were changed on purpose need a new source. The vignette on large data
#' has readers of a database and of the row groups of a Parquet file.
#'
#' @section Passes:
#' The first pass finds means and variances. After that every product with the data is one pass.
#' Methods of second moments (`bsufs()`, `fspca()`, `css()` and others) form
#' \eqn{X_c'X_c}{Xc'Xc} in one pass, where it takes at most a quarter of the memory, and need no
#' further pass. Neighbours of samples take a pass for every few thousand samples. The number of
#' passes is in the fit, `fit$passes`, and shown by `print()`. [moments()] of a source are computed
#' in one pass, serve any number of fits and add up across machines.
#'
#' Wide data, which take less memory than d x d numbers and at most a quarter of all memory, are
#' read once and held. So are data of methods that would read them more than a dozen times, and of
#' a `block` of several variables; larger data are refused by an error of class
#' `rowsparse_error_memory`, which names the methods to use instead.
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
#'   memory. `print()` and `dim()` read nothing: columns are `NA` before the first reading. `x[i]`
#'   is the source of the blocks `i` only.
#' @section Errors:
#' When the data are read, of class `rowsparse_error_block`: a block with other rows or columns than
#' stated, that is not numeric, or that has changed since it was last read; an error of the reader,
#' which is the `parent` of the condition.
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
    check_no_more("row_blocks", c("rows", "read", "megabytes", "counts", "names", "assay"), ...)
    list(names = names, assay = assay)
  })(...)
  refuse_if(!is.null(read) && !is.character(x),
    "argument", "read", "is for names of files", describe(x))
  if (is_experiment(x)) {
    return(blocks_of_experiment(x, rows, megabytes, counts, more$assay))
  }
  blocks <- if (is.function(x)) {
    new_blocks(x, rows, more$names, "a function")
  } else if (is.character(x) && is.null(dim(x))) {
    blocks_of_files(x, rows, read, more$names)
  } else if (is.matrix(x) || is.data.frame(x) || is_of(x, c("Matrix", "DelayedMatrix"))) {
    blocks_of_matrix(x, rows, megabytes)
  } else {
    stop_rowsparse("type", "x", paste(
      "must be a function that can read a block, names of files, a DelayedMatrix, a",
      "SummarizedExperiment, a matrix or a data frame"
    ), describe(x))
  }
  if (counts) normalised_blocks(blocks, "x") else blocks
}

# What every source ends in. `d`: number of columns, `sparse`: are the blocks sparse, where known.
# `known`, found out when the source is read: `d`, and `prints`, the fingerprints of the blocks.
new_blocks <- function(read, rows, names, source, d = NULL, sparse = NA) {
  if (!is.null(names)) {
    refuse_if(!is.character(names) || !is.null(dim(names)),
      "type", "names", "must be the names of the features", describe(names))
    check_names_given(names, "x")
    d <- length(names)
  }
  structure(
    list(
      read = read, rows = check_rows(rows), names = names, sparse = sparse, source = source,
      known = list2env(list(d = d), parent = emptyenv())
    ),
    class = "rowsparse_blocks"
  )
}

# other blocks with the same columns
with_reader <- function(x, read, rows = x$rows) {
  x$read <- read
  x$rows <- rows
  x$known <- list2env(list(d = x$known[["d"]]), parent = emptyenv())
  x
}

check_rows <- function(rows) {
  refuse_if(!is_whole(rows) || any(rows < 1),
    "type", "rows", "must be the number of rows of every block, 1 or more", describe(rows))
  refuse_if(sum(rows) > .Machine$integer.max,
    "size", "rows", "must add up to at most 2^31 - 1", format(sum(rows)))
  as.integer(rows)
}

# ---- matrices of every kind ----------------------------------------------------------

# number of a block -> its rows
pieces <- function(rows) {
  last <- cumsum(rows)
  function(i) seq.int(last[i] - rows[i] + 1L, last[i])
}

blocks_of_matrix <- function(x, rows, megabytes) {
  delayed <- is_of(x, "DelayedMatrix")
  if (delayed) check_delayed()
  check_readable(x, "x")
  if (is_of(x, "sparseMatrix")) x <- input_matrix(sparse_input(x, "x"))
  rows <- rows_of_pieces(x, rows, megabytes, if (delayed) DelayedArray::chunkdim(x)[1])
  at <- pieces(rows)
  read <- if (delayed) function(i) delayed_rows(x, at(i)) else function(i) x[at(i), , drop = FALSE]
  new_blocks(read, rows, colnames(x), kind_of(x), ncol(x), is_stored_sparse(x))
}

# The rows of each block: as given (one number: all but the last), or by `megabytes`, whole `unit`s
rows_of_pieces <- function(x, rows, megabytes, unit) {
  n <- nrow(x)
  refuse_if(n < 1, "size", "x", "must have at least one row", "none")
  if (is.null(rows)) {
    megabytes <- check_number(megabytes, "megabytes", 0, open_lower = TRUE)
    rows <- max(1, floor(megabytes * 2^20 / max(1, bytes_of(x) / n)))
    unit <- or_default(unit, 1)
    if (unit <= 4 * rows) rows <- max(1, floor(rows / unit)) * unit
    rows <- min(rows, n)
  }
  rows <- check_rows(rows)
  if (length(rows) == 1L && rows != n) {
    rows <- diff(as.integer(unique(c(seq.int(0, n, by = min(rows, n)), n))))
  }
  refuse_if(sum(rows) != n,
    "size", "rows", sprintf("must add up to the rows of `x` (%.0f)", n), sum(rows))
  rows
}

# Rows of a DelayedMatrix, as one piece of its file; `[` reads the small blocks of DelayedArray,
# which takes longer. Older versions lack the function for sparse ones.
delayed_rows <- function(x, rows) {
  if (!is_stored_sparse(x)) {
    return(DelayedArray::extract_array(x, list(rows, NULL)))
  }
  extract <- get0("extract_sparse_array", asNamespace("DelayedArray"), mode = "function")
  if (is.null(extract)) extract <- function(x, index) x[index[[1]], , drop = FALSE]
  out <- methods::as(extract(x, list(rows, NULL)), "dgCMatrix")
  dimnames(out) <- list(rownames(x)[rows], colnames(x))
  out
}

check_delayed <- function() check_installed("DelayedArray", "to read a DelayedMatrix")

is_stored_sparse <- function(x) {
  is_sparse_block(x) || (is_of(x, "DelayedMatrix") && DelayedArray::is_sparse(x))
}

# The share of numbers that a sparse DelayedMatrix stores is taken from its first rows or, if
# these are the columns of a file, columns
bytes_of <- function(x) {
  size <- as.double(dim(x))
  if (!is_stored_sparse(x)) {
    return(8 * prod(size))
  }
  part <- x
  if (!is_sparse_block(x)) {
    chunk <- or_default(DelayedArray::chunkdim(x), c(1, 1))
    first <- pmin(size, pmax(chunk, 64))
    part <- if (chunk[1] > chunk[2]) x[, seq_len(first[2])] else x[seq_len(first[1]), ]
    part <- delivered(methods::as(part, "dgCMatrix"), "x")
  }
  12 * prod(size) * stored_share(part)
}

blocks_of_experiment <- function(x, rows, megabytes, counts, assay) {
  in_blocks <- function(values) blocks_of_matrix(values, rows, megabytes)
  blocks <- experiment_matrix(x, assay, "x", in_blocks, all = TRUE, counts = counts)
  if (!inherits(blocks, "rowsparse_blocks")) blocks <- in_blocks(blocks)
  blocks$experiment <- TRUE
  blocks
}

# ---- files ---------------------------------------------------------------------------

blocks_of_files <- function(x, rows, read, names) {
  lost <- x[!file.exists(x) | dir.exists(x)]
  refuse_if(length(lost) > 0 || length(x) == 0L, "range", "x", "must be names of files that exist",
    sprintf("%d, of which %d are not found: %s", length(x), length(lost), first_few(lost)))
  files <- normalizePath(x)
  read <- or_default(read, usual_reader(files))
  refuse_if(!is.function(read),
    "type", "read", "must be a function of the name of a file", describe(read))
  of_block <- function(i) read(files[i])
  size <- NULL
  if (is.null(rows)) {
    size <- vapply(seq_along(files), function(i) dim(raw_block(of_block, i, "x")), c(0L, 0L))
    rows <- size[1, ]
  }
  refuse_if(length(rows) != length(files), "length", "rows",
    sprintf("must have the number of rows of each file (%d)", length(files)), length(rows))
  source <- paste0(count_of(length(files), "file"), ", ", first_few(basename(files)))
  new_blocks(of_block, rows, names, source, size[2])
}

file_readers <- list(
  rds = readRDS,
  csv = function(file) utils::read.csv(file, check.names = FALSE),
  tsv = function(file) utils::read.delim(file, check.names = FALSE),
  txt = function(file) utils::read.table(file, header = TRUE, check.names = FALSE)
)

usual_reader <- function(files) {
  kind_of_file <- function(files) {
    tolower(sub(".*[.]", "", sub("[.](gz|bz2|xz)$", "", basename(files), ignore.case = TRUE)))
  }
  strange <- !kind_of_file(files) %in% names(file_readers)
  refuse_if(any(strange), "choice", "x", paste(
    "must be files whose names end in", paste0(".", names(file_readers), collapse = ", "),
    "where no `read` is given"
  ), quoted(basename(files[strange][1])))
  function(file) file_readers[[kind_of_file(file)]](file)
}

# ---- what can be done with a source --------------------------------------------------

#' @export
print.rowsparse_blocks <- function(x, ...) {
  print_lines(x, sprintf("Data in %s, %s in all%s, from %s", count_of(length(x$rows), "block"),
    count_of(sum(x$rows), "row"),
    if (is.null(x$known$d)) "" else paste(" of", count_of(x$known$d, "feature")), x$source
  ))
}

#' @export
dim.rowsparse_blocks <- function(x) {
  parts <- unclass(x)
  c(sum(parts$rows), as.integer(or_default(parts$known$d, NA)))
}

#' @export
`[.rowsparse_blocks` <- function(x, i, ...) {
  refuse_if(nargs() > 2L,
    "argument", "...", "must be left out: x[i] are blocks, with all their columns")
  chosen <- if (is.numeric(i) || is.logical(i)) seq_along(x$rows)[i]
  refuse_if(length(chosen) == 0L || anyNA(chosen),
    "range", "i", sprintf("must be blocks from 1 to %d", length(x$rows)), describe(i))
  if (!is.null(x$from_source)) x$from_source <- reader_of_some(x$from_source, chosen)
  with_reader(x, reader_of_some(x$read, chosen), x$rows[chosen])
}

reader_of_some <- function(read, chosen) {
  force(list(read, chosen))
  function(number) read(chosen[number])
}

#' @export
as.matrix.rowsparse_blocks <- function(x, ...) {
  check_no_more("as.matrix", NULL, ...)
  raw <- blocks_input(x, "x")
  check_memory(16 * as.double(raw$n) * raw$d, "x",
    "leave it in row blocks, or take some of them, x[i]")
  out <- as.matrix(read_columns(raw, seq_len(raw$d)))
  rownames(out) <- NULL
  out
}
