# Feature rankings of three neural networks, for comparisons: see bench/neural/README.md.
# Writes bench/results/neural.csv:
#   OPENBLAS_NUM_THREADS=1 nice -n 19 Rscript bench/neural.R [method ...] [data ...]
# Named methods and data sets replace their part of the file. ROWSPARSE_PYTHON is a
# Python with numpy and PyTorch (default python3). The network of tsfs is trained from five
# seeds, since its rankings differ; the others from one.
source(file.path("bench", "common.R"))

methods <- c("cae", "tsfs", "firdl")
data_names <- c("lung_discrete", "GLIOMA", "USPS_1000", "Isolet")
seeds <- list(cae = 1L, tsfs = 1:5, firdl = 1L)
python <- Sys.getenv("ROWSPARSE_PYTHON", "python3")
Sys.setenv(PYTHONDONTWRITEBYTECODE = "1")
results <- file.path("bench", "results", "neural.csv")

asked <- function(known) {
  named <- intersect(commandArgs(TRUE), known)
  if (length(named) > 0) named else known
}

has_torch <- function() {
  file.exists(python) && system2(python, c("-c", shQuote("import torch")), stderr = FALSE) == 0
}

write_plain <- function(x, path) {
  utils::write.table(x, path, sep = ",", row.names = FALSE, col.names = FALSE)
}

# the ranking that a script writes for data in `folder`
run_script <- function(method, folder, seed) {
  out <- file.path(folder, "out.csv")
  status <- system2(python, c(file.path("bench", "neural", paste0(method, ".py")),
    "--x", file.path(folder, "x.csv"), "--y", file.path(folder, "y.csv"), "--out", out,
    "--seed", seed
  ))
  if (status != 0) stop(method, " failed")
  utils::read.csv(out)
}

# in place of earlier rows of the same method and data
replace_rows <- function(rows) {
  if (file.exists(results)) {
    old <- utils::read.csv(results)
    old <- old[!(old$data == rows$data[1] & old$method == rows$method[1]), ]
    rows <- rbind(old, rows)
  }
  rows <- rows[order(rows$data, rows$method, rows$seed, rows$rank), ]
  utils::write.csv(rows, results, row.names = FALSE, quote = FALSE)
}

if (has_torch()) {
  for (name in asked(data_names)) {
    set <- bench_data(name)
    folder <- tempfile("neural")
    dir.create(folder)
    write_plain(as.matrix(set$x), file.path(folder, "x.csv"))
    write_plain(as.integer(factor(set$y)), file.path(folder, "y.csv"))
    for (method in asked(methods)) {
      rankings <- lapply(seeds[[method]], function(seed) {
        data.frame(data = name, method = method, seed = seed, run_script(method, folder, seed))
      })
      replace_rows(do.call(rbind, rankings))
      cat(sprintf("%s, %s: %.0f s\n", name, method, rankings[[1]]$seconds[1]))
    }
    unlink(folder, recursive = TRUE)
  }
} else {
  cat("No Python with PyTorch at", python, "- nothing done\n")
}
