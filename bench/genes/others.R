# Variable genes as they are chosen elsewhere: functions of the task, of k and, where they
# have it, of `block`, which return columns. limited_fit() finds them in `candidates`.

other_methods <- function(task) {
  c(
    if (requireNamespace("scran", quietly = TRUE)) list(scran = scran_genes),
    if (requireNamespace("Seurat", quietly = TRUE)) {
      list(seurat_vst = function(x, k, block = NULL) seurat_genes(task$counts, k, block))
    },
    list(fspca_root = fspca_root)
  )
}

scran_genes <- function(x, k, block = NULL) {
  told <- scran::modelGeneVar(Matrix::t(x), block = block)
  match(scran::getTopHVGs(told, n = k), colnames(x))
}

# with several batches what Seurat has for these: genes that are variable in most of them
seurat_genes <- function(counts, k, block) {
  variable <- function(counts) {
    object <- Seurat::CreateSeuratObject(counts)
    Seurat::FindVariableFeatures(object, nfeatures = k, verbose = FALSE)
  }
  found <- if (is.null(block)) {
    Seurat::VariableFeatures(variable(counts))
  } else {
    parts <- lapply(split(seq_len(ncol(counts)), block), function(cells) variable(counts[, cells]))
    Seurat::SelectIntegrationFeatures(parts, nfeatures = k, verbose = FALSE)
  }
  match(found, rownames(counts))
}

# a candidate for the default: columns divided by the root of their deviation
fspca_root <- function(x, k, ...) {
  mean <- Matrix::colMeans(x)
  variance <- pmax(Matrix::colMeans(x^2) - mean^2, 0)
  weight <- ifelse(variance > 1e-12 * max(variance), variance^-0.25, 0)
  scaled <- if (inherits(x, "dgCMatrix")) {
    x@x <- x@x * rep(weight, diff(x@p))
    x
  } else {
    x * rep(weight, each = nrow(x))
  }
  fspca(scaled, k, ...)$selected
}
