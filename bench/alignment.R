# alignment(): time, memory, and what a graph of landmarks costs in quality. Writes
# bench/results/alignment.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/alignment.R
# With n=d=landmarks as an argument: one row of the table of large data.
source(file.path("bench", "common.R"))

out_of <- function(x, ...) suppressWarnings(alignment(x, k = 50, ...))

small_table <- function(names) {
  cat("\n## Data of the comparison, k = 50\n\n")
  cat("| data | samples | features | processor s |\n|---|---:|---:|---:|\n")
  seconds <- vapply(names, function(name) {
    x <- bench_data(name)$x
    run <- timed(out_of(x), repeats = 3)
    cat(sprintf("| %s | %d | %d | %.2f |\n", name, nrow(x), ncol(x), run$cpu))
    run$cpu
  }, 0)
  slow <- names[seconds >= 1]
  cat(if (length(slow) == 0) {
    "\nAll of them take less than a second.\n"
  } else {
    sprintf("\nA second or more: %s.\n", paste(slow, collapse = ", "))
  })
}

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
large_row <- function(n, d, landmarks) {
  set.seed(1)
  data <- sparse_groups(n, d)
  before <- peak_memory()
  run <- timed(out_of(data$x, landmarks = if (landmarks > 0) landmarks), repeats = 1)
  cat(sprintf("| %d | %d | %s | %.1f | %.0f | %d |\n", n, d,
    or_all(run$value$parameters$landmarks), run$cpu, peak_memory() - before,
    sum(run$value$selected %in% data$own)
  ))
}

# sizes: "n=d=landmarks", the last one 0 for the default
large_table <- function(sizes) {
  cat("\n## Sparse data with ten groups, k = 50\n\n")
  cat("5% of the entries nonzero at random; 200 features with 30% more in one of the groups.\n")
  cat("MB: how far the call lifts the peak of memory that making the data had reached.\n\n")
  cat("| samples | features | landmarks | processor s | MB | of the 50 among the 200 |\n")
  cat("|---:|---:|---:|---:|---:|---:|\n")
  for (size in sizes) {
    script <- c(file.path("bench", "alignment.R"), size)
    row <- system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE)
    cat(row, sep = "\n")
  }
}

or_all <- function(landmarks) if (is.null(landmarks)) "all samples" else as.character(landmarks)

# mean ACC and NMI of k-means on these columns from 20 fixed starts
agreement <- function(x, y, columns) {
  classes <- length(unique(y))
  x <- x[, columns, drop = FALSE]
  distinct <- which(!duplicated(x))
  set.seed(1)
  scores <- replicate(20, {
    centres <- x[sample(distinct, classes), , drop = FALSE]
    cluster <- suppressWarnings(stats::kmeans(x, centres, iter.max = 100)$cluster)
    c(acc = clustering_accuracy(y, cluster), nmi = nmi(y, cluster))
  })
  rowMeans(scores)
}

quality_table <- function(names, landmarks) {
  cat(sprintf("\n## A graph of %d landmarks beside one of all samples, k = 50\n\n", landmarks))
  cat("ACC and NMI of k-means on the selected features, as many clusters as classes, means\n")
  cat("of 20 starts that are the same for both. Shared: features in both selections.\n\n")
  cat("| data | samples | classes | ACC all | ACC landmarks | NMI all | NMI landmarks | shared |")
  cat("\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
  loss <- vapply(names, function(name) {
    set <- bench_data(name)
    full <- out_of(set$x)$selected
    part <- out_of(set$x, landmarks = landmarks)$selected
    all <- agreement(set$x, set$y, full)
    few <- agreement(set$x, set$y, part)
    cat(sprintf("| %s | %d | %d | %.3f | %.3f | %.3f | %.3f | %d |\n", name, nrow(set$x),
      length(unique(set$y)), all[["acc"]], few[["acc"]], all[["nmi"]], few[["nmi"]],
      length(intersect(full, part))
    ))
    all[["acc"]] - few[["acc"]]
  }, 0)
  lost <- names[loss > 0.02]
  cat(sprintf("\nACC is lower by more than .02 on %d of %d: %s.\n", length(lost), length(names),
    paste(sprintf("%s (%.3f)", names(loss), -loss), collapse = ", ")
  ))
  cat(if (length(lost) > 0) {
    "So landmarks are not free: the default takes them only above 20 000 samples.\n"
  } else {
    "On these data landmarks cost nothing.\n"
  })
}

asked <- commandArgs(TRUE)
if (length(asked) > 0) {
  do.call(large_row, as.list(as.integer(strsplit(asked[1], "=")[[1]])))
  quit()
}

sink(file.path("bench", "results", "alignment.md"), split = TRUE)
cat("# alignment\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/alignment.R`  \n")
machine_line()
cat("Processor seconds of one thread on a shared machine with two cores; medians of three\n")
cat("runs, one run for the large data.\n")
small_table(c("COIL20", "Isolet", "orlraws10P"))
quality_table(c("COIL20", "Isolet", "UMIST", "pie"), 500)
large_table(c("20000=2000=0", "20000=2000=5000", "100000=1000=0"))
sink()
