# Genes: what methods without labels select from single cells, beside scran's and Seurat's
# variable genes, the largest variances and random sets, on seven sets with known types.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 nice Rscript bench/genes.R [SETTING=value ...]
#     PART=fits,tables    what is done (both)
#       evidence: where the default is ahead, ties and is behind, by set, with rare types apart;
#       verdicts: bench/results/genes_by_set.md and .csv from what that has left in the store
#     METHOD='css, fspca(m = 5)'   some methods only (all without labels, scran, seurat_vst); in
#       evidence some of its rows: METHOD=default,scran
#     BLOCK=true          also with the batches as blocks, where they are known
#     DATA=mECS,zheng500  some sets only (evidence has arrays besides)
#     K=50,200,500        sizes
#     RANDOM=20           random sets of each size
#     SECONDS=60          processor seconds of one fit, beyond which there is no result
#     STORE=build/genes   where results are kept: a rerun computes what is missing
#     AGAIN=true          fit again what is in the store (the package has changed)
# Needs scran, SingleCellExperiment and Seurat for their rows, which are left out without.
# `PART=tables` alone writes bench/results/genes.md and .csv from the store.
source(file.path("bench", "common.R"))
source_folder("lib")
source_folder("usefulness")
source_folder("genes")

settings <- read_settings(list(
  PART = "fits,tables", METHOD = NULL, BLOCK = "true", DATA = toString(gene_sets),
  K = "50,200,500", RANDOM = "20", SECONDS = "60", STORE = file.path("build", "genes"),
  AGAIN = "false"
))

run_started <- Sys.time()
seconds_limit <- as.numeric(settings$SECONDS)
store_folder <- settings$STORE
protocol_version <- c(protocol_version, gene_protocol_version)
candidates <- list()
plan <- list(
  sets = listed(settings$DATA), sizes = as.integer(listed(settings$K)),
  random = as.integer(settings$RANDOM), again = is_true(settings$AGAIN),
  block = is_true(settings$BLOCK),
  evidence = if (identical(settings$DATA, toString(gene_sets))) {
    evidence_sets()
  } else {
    listed(settings$DATA)
  },
  calls = parse_methods(if (is.null(settings$METHOD)) toString(gene_methods()) else settings$METHOD)
)

parts <- listed(settings$PART)
if ("fits" %in% parts) run_genes(plan)
if ("evidence" %in% parts) {
  methods <- evidence_methods()
  if (!is.null(settings$METHOD)) methods <- methods[names(methods) %in% listed(settings$METHOD)]
  run_evidence(plan, methods)
}
if ("verdicts" %in% parts) write_verdicts()
if ("tables" %in% parts) write_gene_tables(plan)
