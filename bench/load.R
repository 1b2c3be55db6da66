# load: what library(rowsparse) takes, in fresh processes. Writes bench/results/load.md:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/load.R
# Matrix, which most sessions that need this package have loaded already, is counted apart.
# RUNS=11 sets the number of processes.
source(file.path("bench", "common.R"))

runs <- as.integer(Sys.getenv("RUNS", "11"))

# in a process of its own: seconds and processor seconds of each package after the one before,
# and how many packages each of them loads
child <- 'loaded <- length(loadedNamespaces())
for (package in c("Matrix", "rowsparse")) {
  spent <- system.time(suppressPackageStartupMessages(library(package, character.only = TRUE)))
  count <- length(loadedNamespaces())
  cat(spent[["elapsed"]], sum(spent[1:2]), count - loaded, "")
  loaded <- count
}
suggested <- c("recipes", "generics", "tibble", "rlang", "R6", "mlr3", "mlr3filters", "ggplot2",
  "SummarizedExperiment")
cat(sum(suggested %in% loadedNamespaces()))'

one_run <- function(run) {
  out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(child)), stdout = TRUE)
  as.numeric(strsplit(trimws(utils::tail(out, 1)), " +")[[1]])
}

one_run(0) # files into memory
values <- vapply(seq_len(runs), one_run, numeric(7))
middle <- apply(values, 1, stats::median)
least <- apply(values, 1, min)

sink(file.path("bench", "results", "load.md"))
cat("# library(rowsparse)\n\n`OPENBLAS_NUM_THREADS=1 Rscript bench/load.R`  \n")
machine_line()
cat(sprintf("Seconds in %d fresh processes on a shared machine with two cores, each after\n", runs))
cat("the packages above it.\n\n")
cat("| package | elapsed, median | processor, median | processor, least | packages loaded |\n")
cat("|---|---:|---:|---:|---:|\n")
for (at in 1:2) {
  i <- 3 * (at - 1) + 1:3
  cat(sprintf("| %s | %.3f | %.3f | %.3f | %.0f |\n", c("Matrix", "rowsparse")[at], middle[i[1]],
    middle[i[2]], least[i[2]], middle[i[3]]
  ))
}
cat(sprintf("\nOf the packages that are suggested, %.0f are loaded.\n", max(values[7, ])))
sink()
