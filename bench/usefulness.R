# The place where a default is judged: how useful the selected features are, beside
# random sets of the same size, on 25 data sets with known classes.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/usefulness.R [SETTING=value ...]
#     PART=clusters,labels,tables   what is computed (all)
#     METHOD='css, css(solver = "exchange")'   methods of rowsparse(), with arguments
#       where they are not the defaults (all that fit the part)
#     DATA=GLIOMA,pie  K=50  SPLIT=1,2      some data sets, sizes, splits only
#     AGAIN=true       fit again what is in the store (the package has changed)
#     SECONDS=60       processor seconds of one fit, beyond which it is a miss
#     STORE=build/usefulness   where results are kept: a rerun computes what is missing
# `PART=tables` alone writes bench/results/usefulness.md and .csv from the store; parts that it
# does not hold stay as they are.
source(file.path("bench", "common.R"))
source_folder("lib")
source_folder("usefulness")

settings <- read_settings(list(
  PART = "clusters,labels,tables", METHOD = NULL, DATA = NULL, K = NULL,
  SPLIT = "1,2", AGAIN = "false", SECONDS = "60", STORE = file.path("build", "usefulness")
))

run_started <- Sys.time()
seconds_limit <- as.numeric(settings$SECONDS)
store_folder <- settings$STORE
candidates <- list()
parts <- listed(settings$PART)
again <- is_true(settings$AGAIN)
names_chosen <- if (is.null(settings$DATA)) names(usefulness_kinds) else listed(settings$DATA)
sizes_of_part <- function(all) if (is.null(settings$K)) all else as.numeric(listed(settings$K))
splits <- as.integer(listed(settings$SPLIT))

if ("clusters" %in% parts) {
  run_clusters(names_chosen, chosen_methods("clusters", settings$METHOD),
    sizes_of_part(cluster_sizes), again
  )
}
if ("labels" %in% parts) {
  run_labels(names_chosen, chosen_methods("labels", settings$METHOD), sizes_of_part(label_sizes),
    splits, again
  )
}
if ("tables" %in% parts) write_tables()
