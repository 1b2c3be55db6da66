# Panels without labels: would alignment to clusterings of the cells be a better default for
# expression objects than today's fspca(solver = "go")? The rule was written before any of the
# `new_sets` was run and is told in full in race.md: k-means of the training cells with 3, 5, 8, 12
# and 20 clusters on 20 principal components as one response of alignment(), from 100 training
# cells on; macro() at 20, 50 and 100 genes, splits 1 to 4; the gate is a mean gain over the new
# sets at 20 genes above two standard errors, and at 50 and 100 genes none lost beyond one.
# Run: OPENBLAS_NUM_THREADS=1 Rscript bench/panels/race.R > bench/results/panels_race.md
source(file.path("bench", "common.R"))
source(file.path("bench", "panels", "macro.R"))
source(file.path("bench", "panels", "new_sets.R"))

sizes <- c(20, 50, 100)
least_cells <- 100
folder <- file.path("build", "panels", "race")

# the cells on their leading principal components, each as it is
leading <- function(x, count = 20) {
  z <- scale(as.matrix(x), scale = FALSE)
  parts <- eigen(tcrossprod(z), symmetric = TRUE)
  count <- seq_len(min(count, nrow(z) - 1))
  parts$vectors[, count] %*% diag(sqrt(parts$values[count]))
}

clusterings <- function(x, seed, counts = c(3, 5, 8, 12, 20)) {
  set.seed(seed)
  cells <- leading(x)
  do.call(cbind, lapply(counts, function(count) {
    cluster <- stats::kmeans(cells, count, nstart = 20, iter.max = 100)$cluster
    outer(cluster, seq_len(count), "==") + 0
  }))
}

# each method tells the genes of training cells x for every size; features enter alignment(), and
# leave scran's and the variances' order, one at a time
heads <- function(genes) lapply(sizes, function(k) utils::head(genes, k))
methods <- list(
  today = function(x, seed) {
    lapply(sizes, function(k) rowsparse(x, k = k, method = "fspca", solver = "go")$selected)
  },
  clusterings = function(x, seed) {
    Y <- clusterings(x, seed)
    heads(rowsparse(x, Y, k = max(sizes), method = "alignment")$ranking)
  },
  scran = function(x, seed) {
    told <- scran::modelGeneVar(as.matrix(Matrix::t(x)))
    heads(match(scran::getTopHVGs(told, n = max(sizes)), colnames(x)))
  },
  variance = function(x, seed) heads(order(-apply(x, 2, stats::var)))
)

# macro F1 of every method (rows) and size (columns) on one split of a set, kept
one_split <- function(name, seed) {
  kept(file.path(folder, paste0(name, "_", seed, ".rds")), {
    data <- if (name %in% panel_sets) panel_data(name) else new_set(name)
    train <- training_cells(data$type, seed)
    test <- setdiff(seq_along(data$type), train)
    values <- t(vapply(methods, function(method) {
      panels <- quiet(method(data$x[train, ], seed))
      quiet(vapply(panels, function(panel) macro(data, panel, train, test), 0))
    }, numeric(length(sizes))))
    list(train = length(train), values = values)
  })
}

# array of method, size, set: means over the splits; sets with too few training cells are left out
race <- function(sets, splits = 1:4) {
  told <- lapply(stats::setNames(sets, sets), function(set) {
    runs <- lapply(splits, function(seed) one_split(set, seed))
    if (runs[[1]]$train >= least_cells) Reduce(`+`, lapply(runs, `[[`, "values")) / length(splits)
  })
  simplify2array(Filter(Negate(is.null), told))
}

# a table by set at every size
by_set <- function(told) {
  for (at in seq_along(sizes)) {
    cat("\n", sizes[at], " genes\n", sep = "")
    cross_table(rownames(told), c(dimnames(told)[[3]], "mean"), function(method, set) {
      decimals(if (set == "mean") mean(told[method, at, ]) else told[method, at, set], 3)
    })
  }
}

gain_of <- function(told, method) told[method, , ] - told["today", , ]
error_of <- function(gain) apply(gain, 1, stats::sd) / sqrt(ncol(gain))
gains <- function(title, told) {
  cat("\n", title, ", ", dim(told)[3], " sets\n", sep = "")
  cross_table(rownames(told)[-1], as.character(sizes), function(method, size) {
    gain <- gain_of(told, method)
    sprintf("%.3f (%.3f)", rowMeans(gain)[sizes == size], error_of(gain)[sizes == size])
  }, paste(sizes, "genes"))
}

begin_page("panels", "race.md", conclusions = "race_conclusions.md")
new <- race(names(new_sets))
known <- race(panel_sets)
cat("## Gains over today's default: means over sets (standard errors)\n")
gains("Sets nobody had used", new)
gain <- gain_of(new, "clusterings")
gate(mean(gain[1, ]) > 2 * error_of(gain)[1] && all(rowMeans(gain)[-1] > -error_of(gain)[-1]),
  "at 20 genes a gain above two standard errors (%.4f, %.4f), at 50 and 100 no loss beyond one",
  mean(gain[1, ]), 2 * error_of(gain)[1]
)
others <- race(names(new_sets), 5:12)
gains("Looked at after the gate: the same sets by the splits 5 to 12", others)
p <- vapply(list(new, others), function(told) {
  stats::t.test(gain_of(told, "clusterings")[1, ])$p.value
}, 0)
cat(sprintf("\nTwo-sided p of a t test of the gain at 20 genes: %.2f, %.2f\n", p[1], p[2]))
gains("Sets that were known", known)
gains("Both", simplify2array(c(asplit(new, 3), asplit(known, 3))))
cat("\n## Sets nobody had used\n")
by_set(new)
cat("\n## The same by the splits 5 to 12\n")
by_set(others)
cat("\n## Sets that were known\n")
by_set(known)
