# What every method without labels selects from cells of several batches, with and
# without `block`. Of 1200 genes 40 follow the batch and 40 the type of the cell:
# how many of each are among the k = 30 selected?
#
#   Rscript bench/blocks.R [method ...]
source(file.path("bench", "common.R"))
machine_line()

# log-expression-like values; the types are in all batches, in unequal shares
planted_batches <- function(seed, n = 240, d = 1200, planted = 40) {
  set.seed(seed)
  batch <- factor(rep(c("b1", "b2", "b3", "b4"), c(80, 70, 50, 40)))
  share <- list(c(4, 3, 3), c(3, 4, 3), c(3, 3, 4), c(4, 4, 2))
  type <- unlist(lapply(seq_len(4), function(b) {
    sample(rep_len(rep(1:3, share[[b]]), sum(batch == levels(batch)[b])))
  }))
  x <- matrix(stats::rnorm(n * d), n)
  batches <- seq_len(planted)
  types <- planted + seq_len(planted)
  x[, batches] <- x[, batches] + 2.5 * matrix(stats::rnorm(4 * planted), 4)[batch, ]
  x[, types] <- x[, types] + 1.5 * matrix(stats::rnorm(3 * planted), 3)[type, ]
  list(x = x, batch = batch, type = type, batches = batches, types = types)
}

methods <- rowsparse_methods()
methods <- methods$method[!methods$supervised]
asked <- commandArgs(trailingOnly = TRUE)
if (length(asked) > 0) methods <- intersect(methods, asked)

counts <- function(method, data, block) {
  set.seed(1)
  time <- system.time(
    fit <- suppressWarnings(rowsparse(data$x, k = 30, method = method, block = block))
  )
  c(
    batch = sum(selected(fit) %in% data$batches), type = sum(selected(fit) %in% data$types),
    seconds = time[["elapsed"]]
  )
}

seeds <- 1:3
cat(sprintf("k = 30; expected of 40 among 1200 genes: 1, and at most %d with 99.9%%\n\n",
  stats::qhyper(0.999, 40, 1160, 30)
))
cat("| method | batch genes without `block` | with | type genes without | with | seconds with |\n")
cat("|---|---|---|---|---|---:|\n")
for (method in methods) {
  runs <- lapply(seeds, function(seed) {
    data <- planted_batches(seed)
    rbind(counts(method, data, NULL), counts(method, data, data$batch))
  })
  shown <- function(row, what) toString(vapply(runs, function(run) run[row, what], 0))
  cat(sprintf("| `%s` | %s | %s | %s | %s | %.1f |\n", method, shown(1, "batch"),
    shown(2, "batch"), shown(1, "type"), shown(2, "type"),
    stats::median(vapply(runs, function(run) run[2, "seconds"], 0))
  ))
}
