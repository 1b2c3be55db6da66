# How alignment() makes products with features: processor seconds in memory, and passes over row
# blocks without all cross-products (100 rows each), beside the selection one feature at a time,
# which a sparse matrix has.
#
#   ROWSPARSE_SHARED=folder Rscript bench/alignment_products.R [SET ...]
library(rowsparse)

folder <- Sys.getenv("ROWSPARSE_SHARED")
if (!dir.exists(folder)) stop("the reference data are needed")
sets <- commandArgs(TRUE)
if (length(sets) == 0L) sets <- c("GLIOMA", "su", "mECS", "yan124", "zheng500", "COIL20")

# products of the features to come, whatever their number, and no rows that are held
internal <- function(name, value) utils::assignInNamespace(name, value, "rowsparse")
in_passes <- function(x, k) {
  from <- unique(c(seq(0L, nrow(x) - 1L, by = 100L), nrow(x)))
  read <- function(i) x[seq.int(from[i] + 1L, from[i + 1L]), , drop = FALSE]
  internal("is_held_wide", function(s) FALSE)
  internal("crossed_at_once", 0)
  alignment(row_blocks(read, diff(from), names = colnames(x)), k = k)
}

cat("| data | size | k | s | passes | of them for k = 2 | same |\n")
cat("|---|---|---:|---:|---:|---:|---|\n")
for (set in sets) {
  x <- readRDS(file.path(folder, "data", paste0(set, ".rds")))
  x <- as.matrix(if (is.null(x$x)) x$X else x$x)
  for (k in c(50, 200, 500)) {
    suppressWarnings({
      time <- system.time(fit <- alignment(x, k = k))[1]
      alone <- alignment(methods::as(x, "CsparseMatrix"), k = k)
      read <- in_passes(x, k)
      base <- in_passes(x, 2)
    })
    same <- identical(fit$selected, alone$selected) && identical(fit$selected, read$selected)
    cat(sprintf("| %s | %d x %d | %d | %.2f | %.1f | %.1f | %s |\n", set, nrow(x), ncol(x), k, time,
      read$passes, base$passes, if (same) "yes" else "no"
    ))
  }
}
