# Data that stay on disk: time and memory of one pass over an HDF5 matrix, in several layouts.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/scale.R [SETTING=value ...]
#     N=100000 D=2000           samples and features (1.6 GB as double precision)
#     LAYOUT=plain-tiles,...    layouts of the file, of those below
#     FOLDER=                   where the files are written (a temporary folder), one at a time
# Every line is a process of its own: "read": all blocks of rows are read once; "product": the
# cross-products of a block in memory, as often as there are blocks; "pass": moments() of
# row_blocks() of the file; then bsufs() on these moments. The page wants
#   pass <= 1.3 (read + product), peak memory < 1 GB.
# Memory: the peak resident set of the process, beside that of a process that loads the same
# packages and does nothing. Results: bench/results/scale.md is written by hand from the output.
source(file.path("bench", "common.R"))

settings <- read_settings(list(
  N = "100000", D = "2000", LAYOUT = "plain-tiles,plain-rows,gzip-tiles,gzip-rows",
  FOLDER = tempdir(), STEP = "all", FILE = ""
))
n <- as.integer(settings$N)
d <- as.integer(settings$D)

# Whole numbers of counts, logged: like a matrix of expression values, and gzip finds
# something to compress. Ten types of samples that differ in twenty features each.
rows_of_file <- function(first, count) {
  set.seed(first)
  type <- (first + seq_len(count) - 2L) %% 10L
  rate <- matrix(rep(0.5 + (seq_len(d) %% 7) / 2, each = count), count)
  for (t in 0:9) rate[type == t, 20 * t + 1:20] <- 8
  log2(1 + matrix(stats::rpois(count * d, rate), count))
}

write_file <- function(file, layout) {
  chunk <- if (grepl("tiles", layout)) c(2000L, 100L) else c(100L, d)
  level <- if (grepl("gzip", layout)) 6L else 0L
  rhdf5::h5createFile(file)
  rhdf5::h5createDataset(file, "x", c(n, d), storage.mode = "double", chunk = chunk, level = level)
  for (first in seq(1L, n, 10000L)) {
    count <- min(10000L, n - first + 1L)
    rhdf5::h5write(rows_of_file(first, count), file, "x", start = c(first, 1L),
      count = c(count, d)
    )
  }
}

blocks_of <- function(file) row_blocks(HDF5Array::HDF5Array(file, "x"))

steps <- list(
  nothing = function(file) blocks_of(file),
  read = function(file) {
    blocks <- blocks_of(file)
    for (i in seq_along(blocks$rows)) blocks$read(i)
  },
  product = function(file) {
    blocks <- blocks_of(file)
    rows <- blocks$read(1L)
    times <- n / nrow(rows)
    started <- proc.time()
    for (i in seq_len(ceiling(times))) crossprod(rows)
    spent <- (proc.time() - started) * times / ceiling(times)
    list(time = spent)
  },
  pass = function(file) moments(blocks_of(file)),
  bsufs = function(file) {
    started <- proc.time()
    m <- moments(blocks_of(file))
    mark <- proc.time()
    fit <- bsufs(m, m = 9)
    picked <- utils::head(fit$ranking, 200)
    list(time = proc.time() - mark, note = sprintf("%d of the best 200 are informative",
      sum(picked <= 200)
    ))
  }
)

# one step, in this process
if (settings$STEP != "all") {
  invisible(steps$nothing(settings$FILE))
  reset_peak_memory()
  time <- system.time(value <- steps[[settings$STEP]](settings$FILE))
  if (is.list(value) && inherits(value$time, "proc_time")) time <- value$time
  note <- if (is.list(value) && is.character(value$note)) value$note else ""
  tell_result(time[["elapsed"]], time[["user.self"]] + time[["sys.self"]], peak_memory(), note)
  quit("no")
}

machine_line()
cat(sprintf("%d x %d, %.2f GB\n\n", n, d, 8 * as.double(n) * d / 1e9))
cat("| layout | step | seconds | processor s | peak MB | |\n|---|---|---:|---:|---:|---|\n")
for (layout in strsplit(settings$LAYOUT, ",")[[1]]) {
  file <- file.path(settings$FOLDER, paste0(layout, ".h5"))
  unlink(file)
  write_file(file, layout)
  rhdf5::h5closeAll()
  spent <- list()
  for (step in names(steps)) {
    parts <- own_process("scale.R", paste0(c("N=", "D=", "STEP=", "FILE="), c(n, d, step, file)))
    spent[[step]] <- as.numeric(parts[1:3])
    note <- if (length(parts) > 3) parts[4] else ""
    if (step == "pass") {
      note <- sprintf("%.2f times read + product (processor: %.2f)",
        spent$pass[1] / (spent$read[1] + spent$product[1]),
        spent$pass[2] / (spent$read[2] + spent$product[2])
      )
    }
    cat(sprintf("| %s, %.2f GB | %s | %.1f | %.1f | %.0f | %s |\n", layout,
      file.size(file) / 1e9, step, spent[[step]][1], spent[[step]][2], spent[[step]][3], note
    ))
  }
  unlink(file)
}
