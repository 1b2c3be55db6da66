# Figures of the article "What could be swapped"; needs the package sda, and for the last part the
# spoken letters Isolet as bench/ takes them (see bench/common.R). From the package's root:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/alternatives.R
# writes vignettes/precomputed/alternatives.rds, in a few minutes.

source(file.path("bench", "common.R"))
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "khan-methods.R"))

# what the page reads of a result
kept <- function(found) {
  found$call <- NULL
  found$witness <- found$witness[as.character(found$best)]
  found
}

# twelve genes, and how often each of the selected ones is selected from half of the tumours
khan <- read_khan()
x <- khan$x
panel <- fspca(x, k = 12, m = 2)
set.seed(1)
tuned <- tune_rowsparse(x, method = "fspca", k = 12, grid = list(m = 2), criterion = "stability",
  subsamples = 50
)
genes <- alternatives(x, panel, tolerance = c(0.001, 0.1 / 12), seconds = 60, sets = 20,
  stability = tuned
)
print(summary(genes))

# letters: what single exchanges say, and what is true
letters <- bench_data("Isolet")$x
fit <- fspca(letters, k = 10, m = 1)
isolet <- alternatives(letters, fit, tolerance = c(0.001, 0.01), seconds = 60, sets = 5)
print(summary(isolet))

saveRDS(list(
  n = nrow(x), d = ncol(x), genes = kept(genes), isolet = kept(isolet),
  samples = nrow(letters)
), file.path(folder, "alternatives.rds"), version = 2)
