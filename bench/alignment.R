# alignment(): time, memory, and what a graph of landmarks costs in quality. Writes
# bench/results/alignment.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/alignment.R
# With n=d=landmarks=components as an argument: one row of the table of large data.
source(file.path("bench", "common.R"))
source_folder("lib")
source_folder("usefulness")
source(file.path("bench", "atlas", "simulate.R"))

out_of <- function(x, ...) suppressWarnings(alignment(x, k = 50, ...))

# 5% of the entries nonzero; ten groups, each with entries of its own in 20 features
sparse_groups <- function(n, d, groups = 10) {
  x <- Matrix::rsparsematrix(n, d, 0.05, rand.x = function(count) 1 + stats::rexp(count))
  group <- rep_len(seq_len(groups), n)
  own <- seq_len(min(d, 20 * groups))
  rows <- unlist(lapply(own, function(j) which(group == (j - 1) %% groups + 1)))
  columns <- rep(own, vapply(own, function(j) sum(group == (j - 1) %% groups + 1), 0L))
  kept <- stats::runif(length(rows)) < 0.3
  extra <- Matrix::sparseMatrix(rows[kept], columns[kept], x = 1 + stats::rexp(sum(kept)),
    dims = dim(x)
  )
  list(x = x + extra, own = own)
}

# one row of the table, in a process of its own for its peak of memory
large_row <- function(n, d, landmarks, components) {
  set.seed(1)
  data <- sparse_groups(n, d)
  quick <- timed(rowsparse(data$x, k = 50, method = "fspca", solver = "go"), repeats = 1)
  before <- peak_memory()
  run <- timed(out_of(data$x, landmarks = if (landmarks > 0) landmarks,
    components = if (components > 0) components
  ), repeats = 1)
  marks <- run$value$parameters$landmarks
  tell_result(n, d, if (is.null(marks)) "all samples" else marks,
    if (is.finite(components)) 20 else "all of the data", decimals(run$cpu, 1),
    decimals(run$cpu / quick$cpu, 1), decimals(peak_memory() - before, 0),
    sum(run$value$selected %in% data$own)
  )
}

# sizes: "n=d=landmarks=components", 0 for the defaults
large_table <- function(sizes) {
  cat("\n## Sparse data with ten groups, k = 50\n\n")
  cat("5% of the entries nonzero at random; 200 features with 30% more in one of the groups.\n")
  cat("MB: how far the call lifts the peak of memory that making the data had reached.\n\n")
  cat("Times: of `fspca(solver = \"go\")`, the default for experiments, on the same data.\n\n")
  rows <- rows_of(sizes, function(size) own_process("alignment.R", size))
  colnames(rows) <- c("samples", "features", "landmarks", "neighbours in", "processor s", "times",
    "MB", "of the 50 among the 200"
  )
  markdown(rows)
}

# purity() of up to 3000 samples
purity_of <- function(set, columns) {
  set.seed(1)
  rows <- if (nrow(set$x) > 3000) sample.int(nrow(set$x), 3000) else seq_len(nrow(set$x))
  purity(dense_part(set$x[rows, ], columns), match(set$y, unique(set$y))[rows])
}

components_table <- function(names) {
  cat("\n## Neighbours in 20 components beside all of the data\n\n")
  cat("Purity: the share of the 15 nearest on the selected features that are of the same class.\n")
  cat("USPS with its darkest value as 0, and simulated counts of 20 types (counted). The default\n")
  cat("takes components from 2000 samples on, so that only the last two have them by default.\n\n")
  cat("Default: `fspca(solver = \"go\")`. Shared: features in both selections of alignment.\n")
  rows <- rows_of(names, function(name) {
    set.seed(1)
    set <- switch(name, counted = atlas_cells(20000, 2000), USPS = bench_data(name),
      usefulness_data(name)
    )
    if (name == "USPS") set$x <- set$x - min(set$x)
    if (name == "counted") set$x <- logged(set$x[, Matrix::colSums(set$x > 0) > 20])
    rows_of(c(50, 200), components_row, name, set)
  })
  gain <- rows$few - rows$all
  rows[c("all", "few")] <- lapply(rows[c("all", "few")], decimals, 3)
  markdown(stats::setNames(rows, c("data", "samples", "zeros", "k", "purity all", "components",
    "shared", "s all", "s components", "s default"
  )))
  cat(sprintf("\nMean gain of purity: %.3f; the largest loss: %.3f.\n", mean(gain), -min(gain)))
}

components_row <- function(k, name, set) {
  fit <- function(components) suppressWarnings(alignment(set$x, k = k, components = components))
  full <- timed(fit(Inf), repeats = 1)
  few <- timed(fit(20), repeats = 1)
  quick <- timed(suppressWarnings(rowsparse(set$x, k = k, method = "fspca", solver = "go")), 1)
  some <- set$x[seq(1, nrow(set$x), length.out = 100), ]
  data.frame(name, samples = nrow(set$x), zeros = decimals(mean(as.matrix(some) == 0)), k,
    all = purity_of(set, full$value$selected), few = purity_of(set, few$value$selected),
    shared = length(intersect(full$value$selected, few$value$selected)),
    s = decimals(full$cpu, 1), s_few = decimals(few$cpu, 1), s_default = decimals(quick$cpu, 1)
  )
}

quality_table <- function(names, landmarks) {
  cat(sprintf("\n## A graph of %d landmarks beside one of all samples, k = 50\n\n", landmarks))
  cat("ACC and NMI of k-means on the selected features, as many clusters as classes, means\n")
  cat("of 20 starts that are the same for both. Shared: features in both selections.\n\n")
  rows <- rows_of(names, function(name) {
    set <- cluster_task(name)
    full <- out_of(set$x)$selected
    part <- out_of(set$x, landmarks = landmarks)$selected
    all <- mean_agreement(dense_part(set$x, full), set)
    few <- mean_agreement(dense_part(set$x, part), set)
    data.frame(data = name, samples = nrow(set$x), classes = length(unique(set$y)), all = t(all),
      landmarks = t(few), shared = length(intersect(full, part))
    )
  })
  loss <- stats::setNames(rows$all.acc - rows$landmarks.acc, names)
  markdown(rounded(rows))
  lost <- names[loss > 0.02]
  cat(sprintf("\nACC is lower by more than .02 on %d of %d: %s.\n", length(lost), length(names),
    paste(sprintf("%s (%.3f)", names(loss), -loss), collapse = ", ")
  ))
  if (length(lost) > 0) {
    cat("So the default takes landmarks only above 3000 samples, at least 1000.\n")
  }
}

asked <- commandArgs(TRUE)
if (length(asked) > 0) {
  do.call(large_row, as.list(as.numeric(strsplit(asked[1], "=")[[1]])))
  quit()
}

sink(file.path("bench", "results", "alignment.md"), split = TRUE)
cat("# alignment\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/alignment.R`  \n")
machine_line()
cat("Processor seconds of one thread on a shared machine with two cores; medians of three\n")
cat("runs, one run for the large data.\n")
quality_table(c("COIL20", "Isolet", "UMIST", "pie"), 500)
components_table(c(
  "panc8_small", "mECS", "zheng500", "mix_3cl_2batch", "mix_rnamix_celseq2", "Goolam", "yan124",
  "USPS", "counted"
))
large_table(c("20000=2000=0=0", "20000=2000=0=Inf", "20000=2000=5000=0", "100000=1000=0=0"))
sink()
