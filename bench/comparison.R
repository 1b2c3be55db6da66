# All methods, with their defaults, on all data sets with classes: k-means on the selected
# features at k = 10, ..., 100, beside random sets.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 nice Rscript bench/comparison.R [SETTING=value ...]
#     PART=fits,tables    what is done (both)
#     METHOD=css,mcfs     some methods only (all of rowsparse_methods())
#     DATA=GLIOMA,pie     some data sets only (the 25 of bench/usefulness.R; USPS too by name)
#     DATA=folder         the data sets of a folder of your own, as they are: NAME.rds, a list with
#                         x (samples in rows) and y (classes), or NAME_x.csv with a header and
#                         NAME_y.csv with one class a line below a header. All is written into
#                         folder/comparison, the store as well. `make bench METHOD=comparison
#                         DATA=folder` does the same
#     K=10,20             sizes (10, 20, ..., 100)
#     REPEATS=20 RANDOM=10   runs of k-means of every set of features; random sets of each size
#     REFIT=true          fit methods that choose exactly k features again for every k
#     SECONDS=300         processor seconds of one fit, beyond which it has failed
#     STORE=build/comparison   where results are kept: a rerun computes what is missing, and
#       tries failures again, those at the limit when SECONDS is raised
#     AGAIN=true          forget what is in the store of these methods and data sets
#     NEURAL=bench/results/neural.csv   rankings from elsewhere, where the file exists: columns
#       data, method, seed, rank, feature (from 1), seconds
# Several processes may work on one store, on other data sets or methods each:
#   nice Rscript bench/comparison.R PART=fits DATA=pie,COIL20 >build/pie.log &
# A run takes hours: give it a copy of the installed package (R_LIBS) where the package is built
# anew meanwhile. Results belong to a version of the package: after a change of a method
# within one, AGAIN=true METHOD=...
# `PART=tables` alone writes bench/results/comparison.md and .csv.
source(file.path("bench", "common.R"))
source_folder("lib")
source_folder("usefulness")
source_folder("comparison")

settings <- read_settings(list(
  PART = "fits,tables", METHOD = NULL, DATA = NULL, K = toString(seq(10, 100, 10)), REPEATS = "20",
  RANDOM = "10", REFIT = "true", SECONDS = "300", STORE = file.path("build", "comparison"),
  AGAIN = "false", NEURAL = file.path("bench", "results", "neural.csv")
))

plan <- list(
  sizes = as.integer(listed(settings$K)), repeats = as.integer(settings$REPEATS),
  random = as.integer(settings$RANDOM), refit = is_true(settings$REFIT),
  seconds = as.numeric(settings$SECONDS), store = settings$STORE, again = is_true(settings$AGAIN)
)
seconds_limit <- plan$seconds
candidates <- list()
methods <- rowsparse_methods()$method
if (!is.null(settings$METHOD)) methods <- listed(settings$METHOD)
sets <- names(usefulness_kinds)
plan$results <- file.path("bench", "results")
own <- !is.null(settings$DATA) && dir.exists(settings$DATA)
if (own) {
  sets <- use_folder(settings$DATA)
  plan$results <- file.path(settings$DATA, "comparison")
  plan$store <- file.path(plan$results, "store")
  dir.create(plan$store, recursive = TRUE, showWarnings = FALSE)
} else if (!is.null(settings$DATA)) {
  sets <- listed(settings$DATA)
}
neural <- if (!own) read_rankings(settings$NEURAL)

if ("fits" %in% listed(settings$PART)) {
  for (name in by_size(sets)) compare_on(name, methods, neural[[name]], plan)
}
if ("tables" %in% listed(settings$PART)) write_comparison(plan, neural)
