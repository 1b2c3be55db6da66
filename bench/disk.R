# Moments of an experiment that lies in an HDF5 file of 1.2 GB: the peak of the memory, by
# GNU time, of a process of its own for every kind, beside that of the packages alone.
#
#   Rscript bench/disk.R [folder]
# The folder is for the files; each kind is also run by itself, as
# `Rscript bench/disk.R folder kind`.
source(file.path("bench", "common.R"))

given <- commandArgs(trailingOnly = TRUE)
folder <- if (length(given) > 0) given[1] else tempdir()
n <- 100000
d <- 1500

# how the numbers lie: what is in a row of the file, and the chunks
files <- list(
  samples_in_columns = list(turned = TRUE, chunk = c(d, 500)),
  samples_in_rows = list(turned = FALSE, chunk = c(500, d)),
  square_chunks = list(turned = TRUE, chunk = c(250, 250))
)

write_file <- function(kind) {
  file <- file.path(folder, paste0(kind, ".h5"))
  if (file.exists(file)) return(file)
  at <- files[[kind]]
  size <- if (at$turned) c(d, n) else c(n, d)
  rhdf5::h5createFile(file)
  rhdf5::h5createDataset(file, "x", size, storage.mode = "double", chunk = at$chunk, level = 0)
  for (from in seq(1, n, by = 10000)) {
    set.seed(from)
    part <- matrix(stats::rnorm(10000 * d, rep(seq_len(d) / d, each = 10000)), 10000)
    index <- list(from + 0:9999, NULL)
    if (at$turned) part <- t(part)
    rhdf5::h5write(part, file, "x", index = if (at$turned) rev(index) else index)
  }
  file
}

run_kind <- function(kind, route) {
  suppressPackageStartupMessages({
    library(rowsparse)
    library(HDF5Array)
    library(SummarizedExperiment)
  })
  values <- HDF5Array(file.path(folder, paste0(kind, ".h5")), "x")
  if (!files[[kind]]$turned) values <- t(values)
  se <- SummarizedExperiment(list(values = values))
  seconds <- system.time(made <- switch(route,
    moments = moments(se), blocks = moments(row_blocks(se)), sketch = moments(se, rank = 20),
    none = NULL
  ))[["elapsed"]]
  cat(sprintf("%.1f s, sum of the variances %.6f\n", seconds,
    if (is.null(made)) NA else sum(as.data.frame(made)$variance)
  ))
}

if (length(given) == 3) {
  run_kind(given[2], given[3])
} else {
  machine_line()
  cat("\n| file | route | peak (GB) | result |\n|---|---|---:|---|\n")
  for (kind in names(files)) {
    write_file(kind)
    for (route in c("none", "moments", "blocks", "sketch")) {
      told <- system2("/usr/bin/time", c("-v", file.path(R.home("bin"), "Rscript"), "bench/disk.R",
        shQuote(folder), kind, route
      ), stdout = TRUE, stderr = TRUE)
      peak <- as.numeric(sub(".*: ", "", grep("Maximum resident", told, value = TRUE)))
      cat(sprintf("| %s | %s | %.2f | %s |\n", kind, route, peak * 1024 / 1e9,
        paste(grep("sum of the", told, value = TRUE), collapse = "")
      ))
    }
  }
}
