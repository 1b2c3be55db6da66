# Genes: what methods without labels select from single cells, beside scran's and Seurat's
# variable genes, the largest variances and random sets, on seven sets with known types.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 nice Rscript bench/genes.R [SETTING=value ...]
#     PART=fits,choice,panel,tables   what is done (fits, choice and tables); choice: the
#       candidates for the default on halves of the cells; panel: time and memory of a panel
#       from 20 000 x 20 000
#       evidence: where the default is ahead, ties and is behind, by set, with rare types apart;
#       search: rules that were tried for rare types; verdicts: bench/results/genes_by_set.md
#       and .csv from what these two have left in the store
#     METHOD='css, fspca(m = 5)'   some methods only (all without labels, scran, seurat_vst); in
#       evidence and search some of their rows: METHOD=default,scran
#     BLOCK=true          also with the batches as blocks, where they are known
#     DATA=mECS,zheng500  some sets only (evidence and search have arrays besides)
#     K=50,200,500        sizes
#     RANDOM=20           random sets of each size
#     SECONDS=60          processor seconds of one fit, beyond which there is no result
#     STORE=build/genes   where results are kept: a rerun computes what is missing
#     AGAIN=true          fit again what is in the store (the package has changed)
# Needs scran, SingleCellExperiment and Seurat for their rows, which are left out without.
# `PART=tables` alone writes bench/results/genes.md and .csv from the store.
source(file.path("bench", "common.R"))
for (file in c("protocol", "store", "fits", "clusters", "tables")) {
  source(file.path("bench", "usefulness", paste0(file, ".R")))
}
for (file in list.files(file.path("bench", "genes"), "[.]R$", full.names = TRUE)) source(file)

settings <- list(
  PART = "fits,choice,tables", METHOD = NULL, BLOCK = "true", DATA = toString(gene_sets),
  K = "50,200,500", RANDOM = "20", SECONDS = "60", STORE = file.path("build", "genes"),
  AGAIN = "false"
)
for (argument in commandArgs(TRUE)) {
  name <- sub("=.*", "", argument)
  if (!name %in% c(names(settings), "METHOD")) stop("no setting ", argument)
  settings[[name]] <- sub("^[^=]*=", "", argument)
}
listed <- function(text) trimws(strsplit(text, ",")[[1]])

run_started <- Sys.time()
seconds_limit <- as.numeric(settings$SECONDS)
store_folder <- settings$STORE
protocol_version <- c(protocol_version, gene_protocol_version)
candidates <- list()
plan <- list(
  sets = listed(settings$DATA), sizes = as.integer(listed(settings$K)),
  random = as.integer(settings$RANDOM), again = tolower(settings$AGAIN) == "true",
  block = tolower(settings$BLOCK) == "true",
  evidence = if (identical(settings$DATA, toString(gene_sets))) {
    evidence_sets()
  } else {
    listed(settings$DATA)
  },
  calls = parse_methods(if (is.null(settings$METHOD)) toString(gene_methods()) else settings$METHOD)
)

parts <- listed(settings$PART)
if ("fits" %in% parts) run_genes(plan)
if ("choice" %in% parts) run_choice(plan)
if ("panel" %in% parts) run_panel()
asked_for <- function(methods) {
  if (is.null(settings$METHOD)) methods else methods[names(methods) %in% listed(settings$METHOD)]
}
if ("evidence" %in% parts) run_evidence(plan, asked_for(evidence_methods()), evidence_sizes)
if ("search" %in% parts) run_evidence(plan, asked_for(search_methods()), search_sizes, 3)
if ("verdicts" %in% parts) write_verdicts()
if ("tables" %in% parts) write_gene_tables(plan)
