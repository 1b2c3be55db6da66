# Figures of the article "Designing a panel"; needs SingleCellExperiment, scran, and bbknnR or the
# sources of it (see genes-methods.R). From the package's root:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/panel-design.R
# writes vignettes/precomputed/panel-design.rds, in a minute or two.

library(rowsparse)
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "genes-methods.R"))
source(file.path(folder, "panel-markers.R"))

sce <- log_counts(read_pancreas())
k <- 100
known <- lapply(known, intersect, rownames(sce))
brightness <- setNames(rowMeans(as.matrix(SingleCellExperiment::counts(sce))), rownames(sce))

free <- fspca(sce, k, block = "tech", certify = 60)
spent <- sum(brightness[selected(free)])
rules <- panel_rules(
  cost = brightness, budget = 0.4 * spent,
  sets = c(known, list("too bright" = names(which(brightness > 400)))),
  at_least = pmin(lengths(known), 3), at_most = c("too bright" = 0),
  in_batches = 4
)
# five markers of each type are too many: this names the rules that clash
five <- rules
five$at_least[names(known)] <- pmin(lengths(known), 5)
clash <- tryCatch(
  fspca(sce, k, block = "tech", include = locked, rules = five),
  rowsparse_error = conditionMessage
)
panel <- fspca(sce, k, block = "tech", include = locked, rules = rules, certify = 60)

told <- scran::modelGeneVar(SingleCellExperiment::logcounts(sce), block = sce$tech)
theirs <- scran::getTopHVGs(told, n = k)
better <- improve(theirs, sce, swaps = 10, block = "tech", m = panel$parameters$m, seconds = 60)

judged <- compare_panels(
  list(rules = panel, free = free, scran = theirs, "scran, 10 swaps" = better),
  sce, types = "celltype", block = "tech", samples = Inf
)
print(panel)
print(better)
print(judged)
backups <- summary(panel, x = sce, types = "celltype", samples = Inf)$panel$near_copies

number_of <- function(set, genes) vapply(set, function(own) sum(genes %in% own), 0L)
saveRDS(list(
  n = ncol(sce), d = nrow(sce), m = panel$parameters$m, locked = locked, clash = clash,
  cells = table(type = sce$celltype, tech = sce$tech), rules = rules, judged = judged,
  better = replace(better, "call", list(NULL)), backups = backups, known = known,
  members = sapply(list(rules = selected(panel), free = selected(free), scran = theirs),
    function(genes) number_of(known, genes)
  ),
  bright = sapply(list(rules = selected(panel), free = selected(free), scran = theirs),
    function(genes) c(sum = sum(brightness[genes]), brightest = max(brightness[genes]))
  ),
  captured = c(rules = sum(panel$values), free = sum(free$values), bound = free$certificate$bound),
  gap = c(rules = panel$gap, free = free$gap), selected = selected(panel)
), file.path(folder, "panel-design.rds"), version = 2)
