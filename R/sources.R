#' Data on disk or in a database, read in blocks of rows
#'
#' Makes a source of blocks of rows from data that are too large for memory or not yet in it. The
#' methods take a source in place of `x` and hold one block at a time, beside their own working
#' memory. A source is made from files, a `DelayedMatrix` (HDF5 and others), a database query, or
#' any function that returns the rows of block 1, 2, ...
#'
#' @section What a source is:
#' A source has four parts: a function `read(i)` that returns the rows of block i, samples in
#' rows, as a matrix, a data frame of numbers or a sparse matrix; `rows`, the number of rows of
#' every block; and, where known beforehand, the `names` of the features and whether the blocks
#' are `sparse`. A new source takes about ten lines. For binary files of numbers with the same
#' number of columns each, stored by column:
#' ```
#' from_binary <- function(files, columns) {
#'   rows <- file.size(files) / 8 / columns
#'   read <- function(i) {
#'     connection <- file(files[i], "rb")
#'     on.exit(close(connection))
#'     matrix(readBin(connection, "double", rows[i] * columns), ncol = columns)
#'   }
#'   row_blocks(read, rows)
#' }
#' ```
#' `read` may be asked for any block, in any order, at any time, and must return the same rows
#' each time. `x[i]` is the source of the blocks `i` only.
#'
#' @section What is checked:
#' Every block is checked whenever it is read: it has the stated number of rows and the columns
#' and names of the first block, its numbers are finite, and a sparse block is a valid sparse
#' matrix. Its fingerprint of 64 bits is compared with the fingerprint of the first reading, so
#' that a change of the data between two passes is found, also between two fits from the same
#' source. [moments()] read once, and check sizes only. In every pass databases are checked for
#' further rows, and HDF5 and Parquet files for their number of rows. The checks take a small part
#' of the reading time. Data that were changed on purpose need a new source.
#'
#' @section Passes:
#' The first pass finds means and variances. After that every product with the data is one pass: a
#' method reads the data once per iteration, and once more where `k` features are compared at the
#' end. Methods of second moments (`bsufs()`, `fspca()`, `css()` and others) form
#' \eqn{X_c'X_c}{Xc'Xc} in one pass, where it takes at most a quarter of the memory, and need no
#' further pass; [cdlsr()] takes one more for the response, [kmeans_ufs()] two for the clusters,
#' [alignment()] about eight, and a few more with more than 4000 features, whose cross-products it
#' does not form. Neighbours of samples take a pass for every few thousand samples.
#'
#' Wide data, which take less memory than d x d numbers and at most a quarter of all memory, are
#' read once and held: the fit then works as on data in memory.
#'
#' Sparse counts that [log_counts()] or an experiment normalises stay in memory once their library
#' sizes are known, in three or four bytes each, where they take at most a quarter of it: all
#' later passes use this copy, and the source is read once. `fspca(solver = "go")`, the default
#' for experiments without a response, then finds the leading eigenvectors of more than 4000
#' features by products with the counts, in about thirty passes, and forms no d x d matrix, as for
#' sparse data in memory with more samples than features.
#'
#' Methods that would read the data more than a dozen times hold the data in memory where they
#' take at most a quarter of it. Larger data are refused by an error of class
#' `rowsparse_error_memory`, which states their size and the methods to use instead. This concerns
#' `aw_spca()`, `cspca()`, `crfs()`, `eufs()`, `ipfs()`, `jelsr()`, `mcfs()`, `ndfs()`, `pgd()`,
#' `rfs()`, `rne()`, `rpfs()`, `rufs()`, `s2dfs()`, `sf2sog()`, `slap()`, `sogfs()`, `spdfs()`,
#' `tsfs()`, `udfs()`, and `kmeans_ufs(solver = "alternate")` and `spca_psd(loss = "l21")`.
#'
#' The number of passes is in the fit, `fit$passes`, and shown by `print()`. With handlers of
#' progressr each pass has its own progress bar. [moments()] of a source are computed in one pass,
#' serve any number of fits and add up across machines: they are better for several fits or
#' settings, where \eqn{d^2} numbers fit into memory.
#'
#' @section Files of anndata, and BPCells:
#' HDF5Array reads the counts of an `.h5ad` file as a sparse matrix of genes by cells; the names
#' are read separately:
#' ```
#' x <- HDF5Array::H5SparseMatrix("cells.h5ad", "X")      # or "layers/counts"
#' rownames(x) <- as.character(rhdf5::h5read("cells.h5ad", "var/_index"))
#' x <- log_counts(row_blocks(DelayedArray::t(x)))
#' fit <- rowsparse(x, k = 200, method = "fspca", solver = "go")
#' ```
#' which is the default method for experiments. Matrices of BPCells also have cells in columns,
#' and each block is converted to a dgCMatrix:
#' ```
#' cells <- split(seq_len(ncol(x)), (seq_len(ncol(x)) - 1) %/% 5000)
#' read <- function(i) Matrix::t(as(x[, cells[[i]]], "dgCMatrix"))
#' x <- log_counts(row_blocks(read, lengths(cells), rownames(x)))
#' ```
#'
#' @section Memory:
#' A fit takes a few times the memory of the largest block: the block as read, and its centred
#' copy. The sources below cut their data into blocks of `megabytes`. Sparse blocks stay sparse.
#' Two blocks are held where the inner products of all samples are needed.
#'
#' @param x The source of the data, samples in rows:
#'   * a function of one argument, the number of a block, that returns its rows;
#'   * names of files, one block each: `.rds`, `.csv`, `.tsv`, `.txt` (also compressed) with a
#'     line of column names, `.parquet` by nanoparquet, or any other with `read`. A single Parquet
#'     file is read by its row groups; with a nanoparquet that cannot read single groups this
#'     takes longer, but no more memory;
#'   * a `DelayedMatrix`, for instance an `HDF5Matrix`;
#'   * a `SummarizedExperiment`, whose samples are columns, see [experiments];
#'   * a connection of DBI, with a `query`;
#'   * a matrix, data frame or sparse matrix, in pieces, for comparisons.
#' @param rows Number of rows of every block. Needed for functions only: for files the rows are
#'   counted, which reads the files once, and other sources choose the size by `megabytes`; for
#'   these sources one number is the size of all blocks but the last.
#' @param names Names of the features, where the blocks come without them.
#' @param sparse Are the blocks sparse? `NULL`: as the first block. `TRUE` makes all blocks
#'   sparse, `FALSE` dense.
#' @param read For files: a function of one file name that returns the rows in it. For
#'   functions: another way to name the function itself.
#' @param megabytes Size of a block in memory. Blocks of a `DelayedMatrix` are
#'   whole chunks of the file, if a chunk has few enough rows.
#' @param assay For a `SummarizedExperiment`: name or number of the assay; see [experiments].
#' @param query For a database: one `SELECT`, of numeric columns. It needs an `ORDER BY` of
#'   columns that determine the order: without it a database may return the rows in another order
#'   each time. A pass is one result set, fetched block by block; an earlier block starts a new
#'   one. While it is open the connection must not be used otherwise.
#' @param ... Further arguments of the methods, as listed.
#' @return An object of class `rowsparse_blocks`. `as.matrix()` reads all rows, if they fit into
#'   memory. `print()` and `as.data.frame()` (the rows of each block) read nothing, `summary()`
#'   reads the first block. `dim()` gives rows and columns, with `NA` columns before the first
#'   reading; `x[i]` the blocks `i`.
#' @section Errors:
#' Of class `rowsparse_error`: an `x` that is no source, missing files, `rows` that are not
#' counts. When the data are read, of class `rowsparse_error_block`: a block with a wrong number
#' of rows or wrong columns, that is not numeric, or that has changed since it was last read; an
#' error of the reader, which is the `parent` of the condition. Of class
#' `rowsparse_error_nonfinite`: missing or infinite values. The message names the block.
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
row_blocks <- function(x, ...) {
  if (missing(x) && ...length() == 0L) {
    return(row_blocks.default())
  }
  UseMethod("row_blocks")
}

#' @export
row_blocks.default <- function(x, ..., read = x) {
  got <- if (missing(x) && missing(read)) "nothing" else describe(read)
  stop_rowsparse("type", "x", paste(
    "must be a function that can read a block, names of files, a DelayedMatrix, a",
    "SummarizedExperiment, a connection of DBI, a matrix or a data frame"
  ), got)
}

#' @rdname row_blocks
#' @usage \method{row_blocks}{function}(x, rows, names = NULL, sparse = NULL, ..., read = x)
#' @export
row_blocks.function <- function(x, rows, names = NULL, sparse = NULL, ..., read = x) {
  check_no_more("row_blocks", c("rows", "names", "sparse"), ...)
  if (!is.function(read)) {
    stop_rowsparse("type", "read", "must be a function of the number of a block", describe(read))
  }
  if (missing(rows)) rows <- NULL
  new_blocks(read, check_rows(rows), names, sparse, "a function")
}

# what every source ends in; `d`: number of columns, where known; `close`: ends what the
# source has under way
new_blocks <- function(read, rows, names = NULL, sparse = NULL, source = "", d = NULL,
                       close = NULL) {
  if (is.character(names)) check_names_given(names, "x")
  if (!is.null(names) && !(is.character(names) && !anyNA(names) && is.null(dim(names)))) {
    stop_rowsparse("type", "names", "must be the names of the features", describe(names))
  }
  if (!is.null(sparse)) check_flag(sparse, "sparse")
  known <- known_columns(list(d = if (is.null(names)) d else length(names)))
  structure(
    list(
      read = read, rows = rows, names = names, sparse = or_default(sparse, NA), source = source,
      known = known, close = close
    ),
    class = "rowsparse_blocks"
  )
}

# What is found out about a source when it is read, for whoever reads it next: `d`, its columns,
# and `prints`, the fingerprints of its blocks. Another source with the same columns:
known_columns <- function(known) {
  d <- if (is.environment(known) || is.list(known)) known[["d"]]
  list2env(list(d = d), parent = emptyenv())
}

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

in_pieces <- function(x, rows, sparse, source) {
  at <- pieces(rows)
  new_blocks(function(i) x[at(i), , drop = FALSE], rows, colnames(x), sparse, source, ncol(x))
}

#' @rdname row_blocks
#' @export
row_blocks.matrix <- function(x, rows = NULL, megabytes = 64, ...) {
  check_no_more("row_blocks", c("rows", "megabytes"), ...)
  in_pieces(x, rows_of_pieces(rows, nrow(x), 8 * ncol(x), megabytes), NULL, "a matrix")
}

#' @rdname row_blocks
#' @export
row_blocks.data.frame <- function(x, rows = NULL, megabytes = 64, ...) {
  check_no_more("row_blocks", c("rows", "megabytes"), ...)
  in_pieces(x, rows_of_pieces(rows, nrow(x), 8 * ncol(x), megabytes), FALSE, "a data frame")
}

#' @rdname row_blocks
#' @export
row_blocks.Matrix <- function(x, rows = NULL, megabytes = 64, ...) {
  check_no_more("row_blocks", c("rows", "megabytes"), ...)
  sparse <- inherits(x, "sparseMatrix")
  if (sparse) x <- sound_columns(x, "x")
  bytes <- if (sparse) 12 * length(x@x) / max(1, nrow(x)) else 8 * ncol(x)
  rows <- rows_of_pieces(rows, nrow(x), bytes, megabytes)
  in_pieces(x, rows, sparse, if (sparse) "a sparse matrix" else "a matrix")
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
  new_blocks(read, rows, names, TRUE, "a sparse matrix", nrow(x))
}

# ---- DelayedMatrix and experiments ---------------------------------------------------

#' @rdname row_blocks
#' @export
row_blocks.DelayedMatrix <- function(x, rows = NULL, megabytes = 64, ...) {
  check_no_more("row_blocks", c("rows", "megabytes"), ...)
  check_delayed("x")
  check_readable(x, "x")
  sparse <- DelayedArray::is_sparse(x)
  unit <- or_default(DelayedArray::chunkdim(x)[1], 1)
  if (is.null(rows)) {
    bytes <- ncol(x) * if (sparse) 12 * stored_share_of(x) else 8
    rows <- rows_of_pieces(NULL, nrow(x), bytes, megabytes, unit)
  } else {
    rows <- rows_of_pieces(rows, nrow(x))
  }
  at <- pieces(rows)
  read <- function(i) {
    if (i == 1L) check_sizes_in_files(x)
    if (sparse) {
      delayed_rows(x, at(i))
    } else {
      DelayedArray::extract_array(x, list(at(i), NULL))
    }
  }
  new_blocks(read, rows, colnames(x), sparse, paste("an object of class", class(x)[1]), ncol(x))
}

# Rows of a sparse DelayedMatrix, as one piece of its file; through `[` they would be read in the
# small blocks of DelayedArray, which takes longer. Where the function stands has changed.
delayed_rows <- function(x, rows) {
  extract <- get0("extract_sparse_array", asNamespace("DelayedArray"), mode = "function")
  if (is.null(extract)) {
    return(methods::as(x[rows, , drop = FALSE], "dgCMatrix"))
  }
  out <- methods::as(extract(x, list(rows, NULL)), "dgCMatrix")
  dimnames(out) <- list(rownames(x)[rows], colnames(x))
  out
}

check_delayed <- function(argument) {
  if (!requireNamespace("DelayedArray", quietly = TRUE)) {
    stop_rowsparse("package", argument, "needs the package DelayedArray to be read")
  }
}

# what lies in HDF5 files may have become larger since
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

# of a sparse one the share of numbers that are stored, from its first rows or, where
# these are the columns of a file, columns
stored_share_of <- function(x) {
  chunk <- or_default(DelayedArray::chunkdim(x), c(1, 1))
  size <- pmin(dim(x), pmax(chunk, 64))
  part <- if (chunk[1] > chunk[2]) {
    x[, seq_len(size[2]), drop = FALSE]
  } else {
    x[seq_len(size[1]), , drop = FALSE]
  }
  stored_share(delivered(methods::as(part, "dgCMatrix"), "x"))
}

#' @rdname row_blocks
#' @export
row_blocks.SummarizedExperiment <- function(x, rows = NULL, megabytes = 64, assay = NULL, ...) {
  check_no_more("row_blocks", c("rows", "megabytes", "assay"), ...)
  in_blocks <- function(values) row_blocks(values, rows, megabytes)
  values <- experiment_matrix(x, assay, "x", delayed = "all", blocks = in_blocks)
  blocks <- if (inherits(values, "rowsparse_blocks")) values else in_blocks(values)
  blocks$experiment <- TRUE
  blocks
}

are_blocks_of_experiment <- function(x) inherits(x, "rowsparse_blocks") && isTRUE(x[["experiment"]])

# ---- files ---------------------------------------------------------------------------

#' @rdname row_blocks
#' @export
row_blocks.character <- function(x, rows = NULL, read = NULL, names = NULL, sparse = NULL, ...) {
  check_no_more("row_blocks", c("rows", "read", "names", "sparse"), ...)
  files <- check_files(x)
  if (is.null(read)) {
    read <- usual_reader(files)
  } else if (!is.function(read)) {
    stop_rowsparse("type", "read", "must be a function of the name of a file", describe(read))
  }
  source <- sprintf("%s, %s%s", count_of(length(files), "file"), basename(files[1]),
    if (length(files) > 1L) ", ..." else ""
  )
  if (length(files) == 1L && is.null(rows) && identical(read, read_parquet)) {
    return(parquet_groups(files, names, source))
  }
  seen <- if (is.null(rows)) look_at_files(files, read) else list(rows = check_rows(rows))
  if (length(seen$rows) != length(files)) {
    stop_rowsparse("length", "rows", sprintf("must have the number of rows of each file (%d)",
      length(files)
    ), length(seen$rows))
  }
  new_blocks(function(i) read(files[i]), seen$rows, or_default(names, seen$names), sparse, source,
    seen$d
  )
}

check_files <- function(files) {
  if (anyNA(files) || length(files) == 0L) {
    stop_rowsparse("type", "x", "must be names of files", describe(files))
  }
  lost <- files[!file.exists(files) | dir.exists(files)]
  if (length(lost) > 0) {
    stop_rowsparse("range", "x", "must be names of files that exist",
      sprintf("%s (%d of %d not found)", quoted(lost[1]), length(lost), length(files))
    )
  }
  normalizePath(files)
}

file_kind <- function(files) {
  tolower(sub(".*[.]", "", sub("[.](gz|bz2|xz)$", "", basename(files), ignore.case = TRUE)))
}

file_readers <- list(
  rds = function(file) readRDS(file),
  csv = function(file) utils::read.csv(file, check.names = FALSE),
  tsv = function(file) utils::read.delim(file, check.names = FALSE),
  txt = function(file) utils::read.table(file, header = TRUE, check.names = FALSE),
  parquet = function(file) read_parquet(file)
)

usual_reader <- function(files) {
  kinds <- file_kind(files)
  strange <- !kinds %in% base::names(file_readers)
  if (any(strange)) {
    stop_rowsparse("choice", "x", paste(
      "must be files whose names end in", paste0(".", base::names(file_readers), collapse = ", "),
      "where no `read` is given"
    ), quoted(basename(files[strange][1])))
  }
  if ("parquet" %in% kinds) check_installed("nanoparquet", "to read Parquet files")
  if (all(kinds == "parquet")) {
    return(read_parquet)
  }
  function(file) {
    if (!file.exists(file)) stop("the file is gone")
    withCallingHandlers(file_readers[[file_kind(file)]](file), warning = pass_on_warning)
  }
}

# what R warns of while it reads a file: a last line or a quote that does not end, for instance
pass_on_warning <- function(w) {
  warn_rowsparse("file", paste0("While a file was read: ", conditionMessage(w), "."))
  tryInvokeRestart("muffleWarning")
}

# rows, columns and names of files, from the files themselves
look_at_files <- function(files, read) {
  if (identical(read, read_parquet)) {
    info <- parquet_info(files, nanoparquet::read_parquet_info)
    return(list(rows = check_file_rows(vapply(info, function(i) i$num_rows, 0), files)))
  }
  rows <- integer(length(files))
  for (i in seq_along(files)) {
    found <- tryCatch(read(files[i]), error = function(e) stop_reader("x", i, e))
    if (length(dim(found)) != 2L) stop_block("x", i, "a table of rows", describe(found))
    rows[i] <- nrow(found)
    if (i == 1L) first <- list(names = colnames(found), d = ncol(found))
  }
  c(list(rows = check_file_rows(rows, files)), first)
}

# what each file says of itself
parquet_info <- function(files, read) {
  lapply(seq_along(files), function(i) {
    tryCatch(read(files[i]), error = function(e) stop_reader("x", i, e))
  })
}

check_file_rows <- function(rows, files) {
  if (any(rows < 1)) {
    stop_rowsparse("size", "x", "must be files with at least one row",
      sprintf("none in %s", quoted(basename(files[rows < 1][1])))
    )
  }
  check_rows(rows)
}

read_parquet <- function(file) {
  as.data.frame(nanoparquet::read_parquet(file))
}

# one file in its row groups
parquet_groups <- function(file, names, source, read_group = parquet_group_reader()) {
  groups <- parquet_info(file, nanoparquet::read_parquet_metadata)[[1]]$row_groups
  rows <- check_file_rows(groups$num_rows, rep(file, nrow(groups)))
  if (length(rows) < 2L) {
    return(new_blocks(function(i) read_parquet(file), sum(rows), names, FALSE, source))
  }
  read <- if (is.null(read_group)) {
    parquet_column_reader(file, rows)
  } else {
    function(i) {
      check_still(nanoparquet::read_parquet_info(file)$num_rows, rows)
      as.data.frame(read_group(file = file, row_group = groups$id[i]))
    }
  }
  new_blocks(read, rows, names, FALSE, paste0(source, ", by row groups"))
}

check_still <- function(now, rows) {
  if (now != sum(rows)) stop(sprintf("there are %.0f rows now, and were %.0f", now, sum(rows)))
}

# What reads one row group is there, but not for everybody: it may vanish, or change. NULL then.
parquet_group_reader <- function() {
  reader <- get0("read_parquet_row_group", asNamespace("nanoparquet"), mode = "function")
  if (all(c("file", "row_group") %in% base::names(formals(reader)))) reader
}

# Rows of one group from as many columns at a time as have about the size of a group: all
# of the file is read for every group, but never held
parquet_column_reader <- function(file, rows) {
  at <- pieces(rows)
  columns <- seq_len(nanoparquet::read_parquet_info(file)$num_cols)
  parts <- split(columns, (columns - 1L) %/% ceiling(length(columns) / length(rows)))
  function(i) {
    some <- lapply(parts, function(part) {
      whole <- as.data.frame(nanoparquet::read_parquet(file, col_select = part))
      check_still(nrow(whole), rows)
      whole[at(i), , drop = FALSE]
    })
    found <- do.call(cbind, unname(some))
    rownames(found) <- NULL
    found
  }
}

# ---- databases -----------------------------------------------------------------------

#' @rdname row_blocks
#' @export
row_blocks.DBIConnection <- function(x, query, rows = NULL, megabytes = 64, ...) {
  check_no_more("row_blocks", c("query", "rows", "megabytes"), ...)
  check_installed("DBI", "to read from a database")
  if (missing(query) || !is_text(query)) {
    stop_rowsparse("type", "query", "must be one SELECT", if (missing(query)) "none" else
      describe(query)
    )
  }
  query <- sub("[;[:space:]]+$", "", query)
  n <- ask_database(DBI::dbGetQuery(x, sprintf("SELECT COUNT(*) FROM (%s) AS counted", query)))
  columns <- base::names(ask_database(DBI::dbGetQuery(x, query, n = 1L)))
  rows <- rows_of_pieces(rows, as.double(n[[1]]), 8 * length(columns), megabytes)
  cursor <- new_cursor(x, query)
  new_blocks(function(i) fetch_block(cursor, i, rows), rows, columns, FALSE,
    paste("a query to a", class(x)[1]), length(columns), function() close_cursor(cursor)
  )
}

ask_database <- function(expr) {
  tryCatch(expr, error = function(e) {
    stop_rowsparse("type", "query", "must be a SELECT that the database answers",
      paste("the error:", sub("[.]$", "", conditionMessage(e))), parent = e
    )
  })
}

# A result set that is under way, and the block that it gives next. Who forgets it forgets
# the result set.
new_cursor <- function(connection, query) {
  cursor <- list2env(list(connection = connection, query = query, result = NULL, at = 1L),
    parent = emptyenv()
  )
  reg.finalizer(cursor, close_cursor, onexit = TRUE)
  cursor
}

close_cursor <- function(cursor) {
  result <- cursor$result
  cursor$result <- NULL
  if (!is.null(result) && DBI::dbIsValid(result)) DBI::dbClearResult(result)
}

fetch_block <- function(cursor, number, rows) {
  sound <- FALSE
  on.exit(if (!sound || number == length(rows)) close_cursor(cursor))
  open <- !is.null(cursor$result) && DBI::dbIsValid(cursor$result) && cursor$at <= number
  if (!open) {
    close_cursor(cursor)
    cursor$result <- DBI::dbSendQuery(cursor$connection, cursor$query)
    cursor$at <- 1L
  }
  while (cursor$at < number) fetch_rows(cursor, rows)
  out <- fetch_rows(cursor, rows)
  if (number == length(rows) && nrow(DBI::dbFetch(cursor$result, n = 1L)) > 0) {
    stop(sprintf("the query gives more rows than the %.0f that were counted", sum(rows)))
  }
  sound <- TRUE
  out
}

# a warning here is about values that the database could not give as they are
fetch_rows <- function(cursor, rows) {
  out <- withCallingHandlers(DBI::dbFetch(cursor$result, n = rows[cursor$at]),
    warning = function(w) stop(conditionMessage(w), call. = FALSE)
  )
  cursor$at <- cursor$at + 1L
  out
}

# ---- what can be done with a source --------------------------------------------------

#' @export
print.rowsparse_blocks <- function(x, ...) {
  cat(sprintf("Data in %s, %s in all%s\n", count_of(length(x$rows), "block"),
    count_of(sum(x$rows), "row"),
    if (is_text(x$source) && nzchar(x$source)) paste0(", from ", x$source) else ""
  ))
  invisible(x)
}

#' @export
dim.rowsparse_blocks <- function(x) {
  parts <- unclass(x)
  if (!is.list(parts) || !is.integer(parts$rows)) {
    return(NULL)
  }
  d <- if (is.environment(parts$known)) parts$known$d
  if (is.null(d) && is.character(parts$names)) d <- length(parts$names)
  c(sum(parts$rows), if (is_count(d)) as.integer(d) else NA_integer_)
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
  on.exit(close_source(raw$reads))
  check_memory(8 * (as.double(raw$n) + max(x$rows)) * raw$d, "x",
    "leave it in row blocks, or take some of them, x[i]"
  )
  out <- matrix(0, raw$n, raw$d, dimnames = list(NULL, raw$names))
  for (number in seq_along(x$rows)) {
    out[raw$start[number] + seq_len(x$rows[number]), ] <- as.matrix(raw[["read"]](number))
  }
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
  close_source(read$reads)
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
    count_of(x$blocks, "block"), from_to(x$rows), if (isTRUE(x$sparse)) ", sparse" else ""
  ))
  invisible(x)
}
