# Every method through the front door, k = 40, by two installed versions of the package in turn:
# processor seconds of each, and their ratio. The smaller of REPEATS runs counts, each in a
# process of its own, the versions one after the other.
#
#   OPENBLAS_NUM_THREADS=1 BEFORE=library NOW=library Rscript bench/overview_pairs.R [method] ...
#
# BEFORE, NOW: libraries that hold the versions; LIMIT: processor seconds of a fit (60). Prints a
# table in markdown, with the rows first whose ratio is above 1.1.
source(file.path("bench", "common.R"))
libraries <- Sys.getenv(c("BEFORE", "NOW"))
repeats <- as.integer(Sys.getenv("REPEATS", "2"))
limit <- as.numeric(Sys.getenv("LIMIT", "60"))
sets <- c("COIL20", "GLIOMA", "orlraws10P")
methods <- rowsparse_methods()$method
if (length(commandArgs(TRUE)) > 0) methods <- intersect(methods, commandArgs(TRUE))

child <- '
  arguments <- commandArgs(TRUE)
  suppressMessages(library(rowsparse, lib.loc = arguments[1]))
  set <- readRDS(arguments[2])
  known <- rowsparse_methods()
  y <- if (known$supervised[known$method == arguments[3]]) factor(set$y)
  set.seed(1)
  fit <- function(rows, columns, k) {
    suppressWarnings(suppressMessages(
      rowsparse(set$x[rows, columns], y = y[rows], k = k, method = arguments[3])
    ))
  }
  few <- order(-apply(set$x, 2, var))[1:50]
  try(fit(seq_len(nrow(set$x)), few, 5), silent = TRUE) # what a first call compiles
  setTimeLimit(cpu = as.numeric(arguments[4]) + 5)
  time <- system.time(fit(TRUE, TRUE, 40))
  cat("seconds", time[["user.self"]] + time[["sys.self"]], "\n")
'
script <- tempfile(fileext = ".R")
writeLines(child, script)

seconds_of <- function(library, file, method) {
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c(script, library, file, method, limit), stdout = TRUE, stderr = FALSE
  ))
  said <- grep("^seconds ", out, value = TRUE)
  if (length(said) == 1L) as.numeric(sub("seconds ", "", said)) else NA_real_
}

pair_of <- function(name, method) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(bench_data(name)[c("x", "y")], file, compress = FALSE)
  runs <- vapply(seq_len(repeats), function(i) {
    vapply(libraries, seconds_of, 0, file = file, method = method)
  }, c(0, 0))
  best <- suppressWarnings(apply(matrix(runs, 2), 1, min, na.rm = TRUE))
  message(sprintf("%s %s: %.2f %.2f", name, method, best[1], best[2]))
  data.frame(method = method, data = name, before = best[1], now = best[2])
}

rows <- do.call(rbind, lapply(sets, function(name) {
  do.call(rbind, lapply(methods, pair_of, name = name))
}))
# what the clock of processor seconds can tell
rows$ratio <- (rows$now + 0.02) / (rows$before + 0.02)
rows <- rows[order(!(is.finite(rows$ratio) & rows$ratio > 1.1), rows$method), ]
cat("| method | data | before | now | ratio |\n|---|---|---:|---:|---:|\n")
cat(sprintf("| `%s()` | %s | %.2f | %.2f | %.2f |\n", rows$method, rows$data, rows$before, rows$now,
  rows$ratio
), sep = "")
cat(sprintf("\nGeometric mean of the ratios: %.3f.\n",
  exp(mean(log(rows$ratio[is.finite(rows$ratio)])))
))
