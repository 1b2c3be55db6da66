# An atlas of cells in a file: rowsparse() on counts as they lie in HDF5, beside the time of
# reading them and beside modelGeneVar() of scran on the same file.
#
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/atlas.R FILE [STEP ...]
#     FILE   is simulated where it does not exist, of CELLS=200000 cells and GENES=20000 genes
#     STEP   read (all counts, in blocks), slices (the same rows through `[`), fit
#            (rowsparse(sce, k = K, block = "batch"), K=200), memory (the same of a dgCMatrix,
#            without the time of reading it), model (modelGeneVar());
#            each in a process of its own prints
#            processor seconds, seconds, the peak of memory, and how many of the selected genes are
#            markers of a type
source(file.path("bench", "common.R"))
source(file.path("bench", "atlas", "simulate.R"))

arguments <- commandArgs(TRUE)
file <- arguments[1]
steps <- arguments[-1]
if (length(steps) == 0L) steps <- c("read", "slices", "fit", "memory", "model")
size <- function(name, usual) as.integer(Sys.getenv(name, usual))
if (!file.exists(file)) simulate_atlas(file, size("CELLS", "200000"), size("GENES", "20000"))

about <- readRDS(paste0(file, ".rds"))
in_memory <- paste0(file, ".counts.rds")
script <- file.path("bench", "atlas.R")
experiment <- function() {
  SingleCellExperiment::SingleCellExperiment(
    list(counts = HDF5Array::TENxMatrix(file, "matrix")),
    colData = data.frame(batch = about$batch)
  )
}

run <- list(
  read = function() {
    blocks <- row_blocks(experiment(), assay = "counts")
    for (number in seq_along(blocks$rows)) blocks$read(number)
    NULL
  },
  slices = function() {
    suppressPackageStartupMessages(library(HDF5Array))
    cells <- DelayedArray::t(SummarizedExperiment::assay(experiment()))
    parts <- split(seq_len(nrow(cells)), seq_len(nrow(cells)) %/% 5000L)
    for (rows in parts) methods::as(cells[rows, , drop = FALSE], "dgCMatrix")
  },
  fit = function() rowsparse(experiment(), k = size("K", "200"), block = "batch"),
  # in a process of its own, which needs four times what it saves
  matrix = function() {
    counts <- methods::as(SummarizedExperiment::assay(experiment()), "dgCMatrix")
    saveRDS(counts, in_memory, compress = FALSE)
    NULL
  },
  memory = function() {
    if (!file.exists(in_memory)) system2("Rscript", c(script, shQuote(file), "matrix"))
    sce <- SingleCellExperiment::SingleCellExperiment(
      list(counts = readRDS(in_memory)), colData = data.frame(batch = about$batch)
    )
    started <<- proc.time()
    rowsparse(sce, k = 200, block = "batch")
  },
  model = function() {
    sce <- experiment()
    sizes <- DelayedArray::colSums(SummarizedExperiment::assay(sce))
    sce <- scuttle::logNormCounts(sce, size.factors = sizes)
    found <- scran::modelGeneVar(sce, block = about$batch)
    scran::getTopHVGs(found, n = 200)
  }
)

if (length(steps) == 1L) {
  started <- proc.time()
  found <- run[[steps]]()
  time <- proc.time() - started
  chosen <- if (is.list(found)) selected(found) else found
  cat(sprintf("%s %s: %.1f processor s, %.1f s, %.1f GB%s\n", basename(file), steps,
    sum(time[1:2]), time[[3]], peak_memory() / 1024,
    if (is.null(chosen)) "" else sprintf(", %d of %d are markers", sum(chosen %in% about$of_type),
      length(chosen)
    )
  ))
  if (is.list(found) && !is.null(found$passes)) cat("  passes:", found$passes, "\n")
} else {
  for (step in steps) system2("Rscript", c(script, shQuote(file), step))
}
