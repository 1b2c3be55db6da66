# Variable genes as they are chosen elsewhere: functions of the task, of k and, where they
# have it, of `block`, which return columns. limited_fit() finds them in `candidates`.

other_methods <- function(task) {
  c(
    if (installed("scran")) list(scran = scran_genes),
    if (installed("Seurat")) {
      list(seurat_vst = function(x, k, block = NULL) seurat_genes(task$counts, k, block))
    }
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

# ---- rankings by their published formulas, nothing to be installed -------------------------
# All take the log expressions, cells in rows, and the counts, genes in rows, and return the
# genes in their order.

ranked <- function(score) order(-ifelse(is.finite(score), score, -Inf))

# Stuart et al. (2019), as in Seurat's vst: variances of counts that were standardised by the
# deviation which a loess of the variances on the means expects, clipped at the root of n
vst_ranking <- function(x, counts) {
  n <- ncol(counts)
  mean <- Matrix::rowMeans(counts)
  variance <- (Matrix::rowSums(counts^2) - n * mean^2) / (n - 1)
  varies <- variance > 1e-12 * mean^2 & mean > 0
  trend <- stats::loess(log10(variance[varies]) ~ log10(mean[varies]), span = 0.3)
  deviation <- rep(Inf, length(mean))
  deviation[varies] <- sqrt(10^trend$fitted)
  gene <- counts@i + 1L
  z <- pmin((counts@x - mean[gene]) / deviation[gene], sqrt(n))
  squares <- rowsum(c(z^2, numeric(length(mean))), c(gene, seq_along(mean)))[, 1]
  zeros <- n - tabulate(gene, length(mean))
  ranked(squares + zeros * (mean / deviation)^2)
}

# Satija et al. (2015), as in Seurat's "dispersion": the logarithm of variance over mean of
# counts per ten thousand, standardised within twenty bins of the mean
dispersion_ranking <- function(x, counts) {
  n <- ncol(counts)
  counts@x <- 1e4 * counts@x / rep(Matrix::colSums(counts), diff(counts@p))
  mean <- Matrix::rowMeans(counts)
  ratio <- log((Matrix::rowSums(counts^2) - n * mean^2) / (n - 1) / mean)
  ratio[!is.finite(ratio)] <- 0
  bin <- cut(log1p(mean), 20)
  ranked((ratio - stats::ave(ratio, bin)) / stats::ave(ratio, bin, FUN = stats::sd))
}

# Townes et al. (2019): the binomial deviance from a constant share of all cells
deviance_ranking <- function(x, counts) {
  total <- Matrix::colSums(counts)
  share <- Matrix::rowSums(counts) / sum(total)
  gene <- counts@i + 1L
  size <- rep(total, diff(counts@p))
  y <- counts@x
  rest <- size - y
  filled <- y * log(y / (size * share[gene])) +
    ifelse(rest > 0, rest * log(rest / (size * (1 - share[gene]))), 0)
  sums <- rowsum(cbind(c(filled, numeric(length(share))), c(size, numeric(length(share)))),
    c(gene, seq_along(share))
  )
  ranked(2 * (sums[, 1] - (sum(total) - sums[, 2]) * log1p(-share)))
}

scran_ranking <- function(x, counts) {
  told <- scran::modelGeneVar(Matrix::t(x))
  ranked(told$bio)
}

variance_ranking <- function(x, counts) ranked(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2)
