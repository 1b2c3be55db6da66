# What the article "A panel of 100 genes under rules" shows; needs SingleCellExperiment,
# SeuratObject and scran, and bbknnR or a CRAN mirror. From the package's root:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/articles/gene-panel.R
# writes vignettes/articles/gene-panel.rds, in some minutes.
source(file.path("vignettes", "precomputed", "genes-methods.R"))

## ---- cells
library(rowsparse)
library(SingleCellExperiment)
sce <- log_counts(read_pancreas())

## ---- markers
markers <- list(
  acinar = c("PRSS1", "CPA1", "CPA2", "CTRB1", "CTRB2", "PNLIP", "REG1A", "CELA3A", "CELA2A"),
  alpha = c("GCG", "TTR", "IRX2", "GC", "LOXL4", "PCSK2", "ARX", "CRYBA2", "DPP4"),
  beta = c("INS", "IAPP", "MAFA", "DLK1", "ADCYAP1", "NPTX2", "G6PC2", "PCSK1", "HADH"),
  delta = c("SST", "LEPR", "RBP4", "BCHE", "PRG4", "HHEX", "GHSR", "UNC5B"),
  ductal = c("KRT19", "KRT7", "SPP1", "CFTR", "SLC4A4", "MUC1", "TFF1", "TFF2", "ANXA4"),
  endothelial = c("PECAM1", "VWF", "PLVAP", "FLT1", "KDR", "ESAM", "CD34", "CLDN5", "ENG")
)
markers <- lapply(markers, intersect, rownames(sce))
brightness <- Matrix::rowMeans(logcounts(sce))

## ---- rules
rules <- panel_rules(
  cost = brightness, budget = 180, sets = markers, at_least = 2, in_batches = 3
)
locked <- c("SST", "IAPP", "PPY", "KRT19")

## ---- panel
panel <- fspca(sce, k = 100, m = 10, block = "tech", rules = rules, include = locked)

## ---- free
free <- fspca(sce, k = 100, m = 10, block = "tech")

## ---- bound
bound <- fspca_bound(sce, k = 100, m = 10, block = "tech")

## ---- scran
told <- scran::modelGeneVar(sce, block = sce$tech)
variable <- scran::getTopHVGs(told, n = 100)

## ---- compare
set.seed(1)
compared <- compare_panels(
  list(rules = panel, free = free, scran = variable), sce, types = "celltype", block = "tech",
  random = 20
)

## ---- improve
better <- improve(variable, sce, swaps = 10, method = "fspca", m = 10, block = "tech")

## ---- again
set.seed(1)
again <- compare_panels(list(scran = variable, improved = better), sce, types = "celltype",
  block = "tech", random = 20
)

## ---- kept
batches <- rowSums(sapply(split(seq_len(ncol(sce)), sce$tech), function(cells) {
  Matrix::rowSums(logcounts(sce)[, cells, drop = FALSE] > 0) > 0
}))
sets <- list(rules = selected(panel), free = selected(free), scran = variable)
obeyed <- t(sapply(sets, function(genes) {
  c(
    brightness = sum(brightness[genes]), `in fewer than 3 batches` = sum(batches[genes] < 3),
    locked = sum(locked %in% genes), sapply(markers, function(own) sum(own %in% genes))
  )
}))
saveRDS(
  list(
    cells = table(sce$tech, sce$celltype), markers = markers, rules = rules, panel = panel,
    free = free, bound = bound, shared = length(intersect(selected(panel), variable)),
    compared = compared, again = again, better = better, obeyed = obeyed, size = dim(sce),
    versions = vapply(c("rowsparse", "scran", "SingleCellExperiment"), function(package) {
      as.character(utils::packageVersion(package))
    }, "")
  ),
  file.path("vignettes", "articles", "gene-panel.rds"), compress = "xz"
)
