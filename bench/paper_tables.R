# The clustering tables of the BSUFS and DSCOFS papers, computed again: k-means on the selected
# features, ACC and NMI in percent, best over k = 10, ..., 100, by both algorithms of k-means.
#
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/paper_tables.R [SETTING=value ...]
#     PART=cells,tables   what is done (both): compute cells, write bench/results/paper_tables.md
#     DATA=GLIOMA,UMIST   data sets (lung_discrete, GLIOMA, warpPIE10P, UMIST, COIL20, Isolet)
#     METHOD=bsufs,udfs   methods (all that the papers show, and css, kmeans_ufs, alignment)
#     GRID=equal          the same absolute penalties 1e-6, 1e-4, ..., 1e6 for every method that has
#                         one, both of them where it has two, with exponents 1/2, and the alpha 0.1,
#                         ..., 0.9 of DSCOFS with its coupling weights; GRID=paper: for BSUFS the
#                         exponents 0, 1/2 and 2/3 as well (441 settings)
#     REPEATS=10          k-means runs of every set (the papers: 50)
#     BUDGET=20           processor seconds for the settings of one method on one data set: those
#                         that are not reached are told. They are tried in a random order
#     STORE=build/paper_tables   where cells are kept: a rerun computes those that are missing
#
# Like the papers, each method shows its best setting, chosen by ACC with the labels (by Lloyd's
# k-means, 3 runs at k = 50 and 100): the figures flatter every method that has parameters.
source(file.path("bench", "common.R"))
source(file.path("bench", "lib", "clustering.R"))
source_folder("paper_tables")

settings <- read_settings(list(
  PART = "cells,tables", DATA = NULL, METHOD = NULL, GRID = "equal", REPEATS = "10", BUDGET = "20",
  STORE = file.path("build", "paper_tables")
))
plan <- list(
  grid = settings$GRID, repeats = as.integer(settings$REPEATS),
  budget = as.numeric(settings$BUDGET), store = file.path(settings$STORE, settings$GRID)
)
chosen <- function(name, default = NULL) {
  if (is.null(settings[[name]])) default else listed(settings[[name]])
}
tables_of <- c("lung_discrete", "GLIOMA", "warpPIE10P", "UMIST", "COIL20", "Isolet")

if ("cells" %in% listed(settings$PART)) {
  for (name in chosen("DATA", tables_of)) compute_cells(name, chosen("METHOD"), plan)
}
if ("tables" %in% listed(settings$PART)) {
  page <- file.path("bench", "results", "paper_tables.md")
  writeLines(utils::capture.output(write_tables(plan)), page)
}
