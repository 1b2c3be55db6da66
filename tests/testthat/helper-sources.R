# The same data as every kind of source, an open connection among them: close_sources()
# ends what is open. Samples in rows, `rows` of them in each of the files.
sources_of <- function(x, rows) {
  folder <- tempfile("sources")
  dir.create(folder)
  out <- list(
    sparse = methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"),
    files = row_blocks(rds_files(x, rows, folder)),
    sparse_blocks = row_blocks(
      methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"),
      rows = 20
    )
  )
  if (requireNamespace("HDF5Array", quietly = TRUE)) {
    out$hdf5 <- row_blocks(hdf5_matrix(x, file.path(folder, "x.h5")), rows = 40)
  }
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    connection <- sqlite_table(x, file.path(folder, "x.sqlite"))
    out$query <- row_blocks(connection, query = table_query(x), rows = 47)
    out$query$connection <- connection
  }
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    file <- file.path(folder, "x.parquet")
    nanoparquet::write_parquet(as.data.frame(x), file,
      options = nanoparquet::parquet_options(num_rows_per_row_group = 41L)
    )
    out$parquet <- row_blocks(file)
  }
  out
}

close_sources <- function(sources) {
  if (!is.null(sources$query)) {
    sources$query$close()
    DBI::dbDisconnect(sources$query$connection)
  }
}

rds_files <- function(x, rows, folder = tempfile("files")) {
  dir.create(folder, showWarnings = FALSE)
  files <- file.path(folder, sprintf("part%02d.rds", seq_along(rows)))
  last <- cumsum(rows)
  for (i in seq_along(rows)) {
    saveRDS(x[seq.int(last[i] - rows[i] + 1, last[i]), , drop = FALSE], files[i])
  }
  files
}

hdf5_matrix <- function(x, file = tempfile(fileext = ".h5"), chunk = c(10, 8)) {
  HDF5Array::writeHDF5Array(x, file, "x", chunkdim = pmin(chunk, dim(x)), with.dimnames = TRUE)
}

sqlite_table <- function(x, file = ":memory:") {
  testthat::skip_if_not_installed("RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(connection, "samples", cbind(sample = seq_len(nrow(x)), as.data.frame(x)))
  connection
}

table_query <- function(x) {
  columns <- paste0("\"", colnames(x), "\"", collapse = ", ")
  sprintf("SELECT %s FROM samples ORDER BY sample;", columns)
}
