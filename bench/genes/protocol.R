# What is held fixed: the sets, their scale, and how selected genes are judged.

gene_protocol_version <- c(genes = 1)

# in the order of their numbers of genes
gene_sets <- c(
  "panc8_small", "zheng500", "mECS", "mix_rnamix_celseq2", "mix_3cl_2batch", "yan124", "Goolam"
)
gene_components <- 10
gene_starts <- 50

# as usefulness_data(), with `batch` (NULL where none is known) and the counts as they were
# read, genes in rows (for logarithms without counts, what they are the logarithms of)
gene_task <- function(name) {
  raw <- bench_data(name)
  task <- usefulness_data(name)
  genes <- paste0("g", seq_len(ncol(task$x)))
  cells <- paste0("c", seq_len(nrow(task$x)))
  dimnames(task$x) <- list(cells, genes)
  counts <- if (inherits(raw$x, "dgCMatrix")) raw$x else methods::as(2^raw$x - 1, "CsparseMatrix")
  task$counts <- Matrix::t(counts)
  dimnames(task$counts) <- list(genes, cells)
  task$batch <- if (!is.null(raw$batch)) as.integer(factor(raw$batch))
  task
}

# of selected columns: purity and ARI by the types, and mixing of the batches; the cells are
# seen by the leading principal components of the selected log expressions
gene_measures <- function(task, columns) {
  cells <- leading_components(dense_part(task$x, columns), gene_components)
  c(
    purity = purity(cells, task$y), ari = adjusted_rand(task$y, type_clusters(cells, task$y)),
    mixing = if (is.null(task$batch)) NA_real_ else batch_mixing(cells, task$batch)
  )
}

# the best of many runs of k-means, with as many clusters as types
type_clusters <- function(cells, y) {
  fixed_seed(1)
  suppressWarnings(
    stats::kmeans(cells, length(unique(y)), nstart = gene_starts, iter.max = 100)
  )$cluster
}

adjusted_rand <- function(a, b) {
  pairs <- function(count) sum(choose(count, 2))
  both <- table(a, b)
  rows <- pairs(rowSums(both))
  columns <- pairs(colSums(both))
  expected <- rows * columns / choose(length(a), 2)
  (pairs(both) - expected) / ((rows + columns) / 2 - expected)
}

# share of the neighbours that are of another batch, over what it would be among cells drawn
# at random: 1 where the batches are mixed, 0 where they lie apart
batch_mixing <- function(cells, batch) {
  n <- length(batch)
  expected <- mean((n - tabulate(batch)[batch]) / (n - 1))
  (1 - purity(cells, batch)) / expected
}
