# Balanced error on held-out samples of nine arrays with classes, of the default of rowsparse() with
# classes and its own predict(), and of peers at as many genes. A peer that shrinks is refitted on
# the genes it selects, so that no shrinkage is measured that was set for another number of genes.
# Run: OPENBLAS_NUM_THREADS=1 Rscript bench/panels/arrays.R > bench/results/panels_arrays.md
source(file.path("bench", "common.R"))
source(file.path("bench", "panels", "macro.R"))

arrays <- c(
  "ALLAML", "SRBCT", "GLIOMA", "borovecki", "christensen", "pomeroy", "su", "subramanian", "west"
)
sizes <- c(5, 10, 20, 50)
splits <- 1:10
folder <- file.path("build", "panels", "arrays")

balanced_error <- function(truth, told) mean(tapply(as.character(told) != truth, truth, mean))

# classes told by a shrunken linear rule on some genes
linear <- function(x, y, new, genes) {
  genes <- genes[apply(x[, genes, drop = FALSE], 2, stats::var) > 0]
  rule <- sda::sda(x[, genes, drop = FALSE], y, verbose = FALSE)
  stats::predict(rule, new[, genes, drop = FALSE], verbose = FALSE)$class
}

# genes by the moderated F, the largest first
by_limma <- function(x, y) {
  fit <- limma::eBayes(limma::lmFit(t(x), stats::model.matrix(~y)))
  told <- limma::topTable(fit, coef = seq_len(nlevels(y))[-1], number = Inf, sort.by = "none")
  order(told$P.Value)
}

# genes by where they enter the path of the lasso (classes enter together), then by their size
by_lasso <- function(x, y) {
  multi <- nlevels(y) > 2
  fit <- glmnet::glmnet(x, y, family = if (multi) "multinomial" else "binomial", nlambda = 200,
    lambda.min.ratio = 0.001, type.multinomial = "grouped"
  )
  size <- Reduce(`+`, lapply(if (multi) fit$beta else list(fit$beta), abs))
  enters <- apply(size > 0, 1, function(on) match(TRUE, on))
  found <- which(!is.na(enters))
  found[order(enters[found], -size[cbind(found, enters[found])])]
}

forest <- function(x, y, seed, ...) {
  ranger::ranger(x = x, y = y, num.trees = 1000, seed = seed, num.threads = 1, ...)
}
forest_tells <- function(fit, new) stats::predict(fit, new, num.threads = 1)$predictions

# matrix of the errors: method, size
one_split <- function(name, seed) {
  raw <- bench_data(name)
  x <- as.matrix(raw$x) + 0
  colnames(x) <- paste0("g", seq_len(ncol(x)))
  y <- factor(raw$y)
  train <- training_cells(y, seed)
  known <- x[train, ]
  new <- x[-train, ]
  limma <- by_limma(known, y[train])
  lasso <- by_lasso(known, y[train])
  whole <- forest(known, y[train], seed, importance = "impurity")
  trees <- order(-whole$variable.importance)
  vapply(sizes, function(k) {
    top <- utils::head(trees, k)
    told <- list(
      rowsparse = stats::predict(rowsparse(known, y[train], k = k), new),
      limma = linear(known, y[train], new, utils::head(limma, k)),
      lasso = linear(known, y[train], new, utils::head(lasso, k)),
      forest = forest_tells(forest(known[, top], y[train], seed), new[, top]),
      all_genes = forest_tells(whole, new)
    )
    vapply(told, function(one) balanced_error(y[-train], one), 0)
  }, numeric(5))
}

error_of <- function(name) {
  runs <- lapply(splits, function(seed) {
    kept(file.path(folder, paste0(name, "_", seed, ".rds")), quiet(one_split(name, seed)))
  })
  Reduce(`+`, runs) / length(runs)
}

# errors of rowsparse() by size with a share of the samples for training, means of eight splits
error_with <- function(name, share) {
  raw <- bench_data(name)
  x <- as.matrix(raw$x) + 0
  y <- factor(raw$y)
  rowMeans(vapply(1:8, function(seed) {
    train <- training_cells(y, seed, share)
    vapply(sizes, function(k) {
      fit <- quiet(rowsparse(x[train, ], y[train], k = k))
      balanced_error(y[-train], stats::predict(fit, x[-train, ]))
    }, 0)
  }, sizes))
}

begin_page("panels", "arrays.md", conclusions = "arrays_conclusions.md")
errors <- simplify2array(lapply(arrays, error_of))
titles <- c("rowsparse, default", "limma, linear rule", "lasso, linear rule",
  "forest on its own genes", "forest on all genes"
)
cross_table(titles, as.character(sizes), function(title, size) {
  own <- errors[match(title, titles), sizes == size, ]
  more <- own - errors[1, sizes == size, ]
  mean <- decimals(mean(own), 3)
  if (title == titles[1]) return(mean)
  sprintf("%s; %+.3f (%.3f)", mean, mean(more), stats::sd(more) / sqrt(length(more)))
}, paste("k =", sizes))
cat("\n## Rowsparse with more samples for training\n")
shares <- c("4/5" = 0.8, "9/10" = 0.9)
with_more <- lapply(shares, function(share) rowMeans(vapply(arrays, error_with, sizes, share)))
cross_table(names(shares), as.character(sizes), function(share, size) {
  decimals(with_more[[share]][sizes == size], 3)
}, paste("k =", sizes), "for training")
