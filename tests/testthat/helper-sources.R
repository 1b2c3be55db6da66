# the rows of x in files, `rows` of them in each
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

# blocks of these rows, by a reader that carries its data and counts how often it reads
counted_blocks <- function(x, rows, ...) {
  last <- cumsum(rows)
  seen <- new.env()
  seen$reads <- 0L
  blocks <- row_blocks(function(i) {
    seen$reads <- seen$reads + 1L
    x[seq.int(last[i] - rows[i] + 1L, last[i]), , drop = FALSE]
  }, rows, ...)
  list(blocks = blocks, passes = function() seen$reads / length(rows))
}

in_blocks <- function(x, rows, ...) counted_blocks(x, rows, ...)$blocks
