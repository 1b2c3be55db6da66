# Rare types: two types of six cells each, thirty genes, and how well held-out cells of these two
# are told. The two sets of the gate, and two more.
#   Rscript bench/panels/rare.R > bench/results/panels_rare.md
# Of the types with more than six cells for training the two smallest are thinned to six, drawn.

source(file.path("bench", "common.R"))
source(file.path("bench", "panels", "macro.R"))
genes <- 30
draws <- 10

# list(train, test, rare): the cells taken from a type are in neither part
thinned <- function(type, seed, left = 6) {
  cells <- training_cells(type, seed)
  size <- table(type[cells])
  rare <- names(utils::head(sort(size[size > left]), 2))
  train <- unlist(lapply(split(cells, type[cells], drop = TRUE), function(own) {
    if (type[own[1]] %in% rare) own[sample.int(length(own), left)] else own
  }), use.names = FALSE)
  list(train = train, test = setdiff(seq_along(type), cells), rare = rare)
}

# genes x types: the AUC of a type against the rest
auc_table <- function(x, y) {
  size <- as.vector(table(y))
  sums <- t(rowsum(apply(as.matrix(x), 2, rank), y))
  t((t(sums) - size * (size + 1) / 2) / (size * (length(y) - size)))
}

# minus the mean over the other types of the rank by Welch's t; one cell has no variance
place_table <- function(x, y) {
  of_types <- function(f) sapply(split(seq_along(y), y), function(own) f(as.matrix(x[own, ])))
  mean <- of_types(colMeans)
  square <- of_types(function(x) {
    colMeans(sweep(x, 2, colMeans(x))^2) / max(1, nrow(x) - 1)
  })
  sapply(seq_along(levels(y)), function(a) {
    -rowMeans(sapply(seq_along(levels(y))[-a], function(b) {
      gap <- mean[, a] - mean[, b]
      rank(-ifelse(abs(gap) < 1e-12, 0, gap / sqrt(square[, a] + square[, b])))
    }))
  })
}

# the best of every type, then the second best, and so on
in_turn <- function(value, k) {
  utils::head(unique(as.vector(t(apply(-value, 2, order)))), k)
}

panels <- function(x, y) {
  pillai <- function(...) cdlsr(x, y, genes, ridge = "pillai", ...)$selected
  default <- function(...) alignment(x, y, genes, ...)$selected
  within <- panel_rules(candidates = 20)
  list(
    "(a) alignment" = default(), "(b) cdlsr" = pillai(),
    "(c) two of ten" = default(rules = panel_rules(types = y, at_least = 2)),
    "(d) 20 candidates" = default(rules = within),
    "(e) 20 candidates, cdlsr balanced" = pillai(weights = "balanced", rules = within),
    "(f) AUC in turn" = in_turn(auc_table(x, y), genes),
    "(g) pairwise t in turn" = in_turn(place_table(x, y), genes)
  )
}

judged <- function(name) {
  data <- panel_data(name)
  scores <- sapply(seq_len(draws), simplify = "array", function(seed) {
    part <- thinned(data$type, seed)
    sets <- quiet(panels(data$x[part$train, ], droplevels(data$type[part$train])))
    sapply(sets, function(set) {
      f1 <- panel_f1(data, colnames(data$x)[set], part$train, part$test)
      c(mean(f1[part$rare]), mean(f1, na.rm = TRUE))
    })
  })
  t(apply(scores, 1:2, mean))
}

names <- c("panc8_small", "yan124", "Goolam", "mix_rnamix_celseq2")
found <- lapply(names, judged)
rare <- vapply(found, function(own) own[, 1], numeric(nrow(found[[1]])))[, 1:2]
cat("# Rare types\n\nF1 of two types thinned to six cells | macro F1, ten draws.\n")
cells <- sapply(found, function(own) apply(decimals(own, 3), 1, paste, collapse = " \\| "))
markdown(stats::setNames(data.frame(rownames(found[[1]]), cells), c("panel of 30 genes", names)))
for (way in 4:5) {
  gate(all(rare[way, ] - rare[1, ] >= 0.05), "%s: at least .05 above (a) on the first two sets: %s",
    rownames(rare)[way], toString(decimals(rare[way, ] - rare[1, ], 3))
  )
  gate(all(rare[way, ] >= rare[6, ]), "%s: not below (f): %s", rownames(rare)[way],
    toString(decimals(rare[way, ] - rare[6, ], 3))
  )
}
cat("\n", machine(), "\n", sep = "")
