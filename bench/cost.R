# What rowsparse_cost() tells beside what fits take: processor seconds and the peak of the
# memory beyond the data, every method, each in a process of its own, with a limit of
# processor time. Writes bench/results/cost.md,
# and cost.csv row by row, which a second call goes on from:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/cost.R [methods, all] [sizes, 1,2,3,4] [seconds, 60]
source(file.path("bench", "common.R"))

# logarithms of counts, of which a share is not zero
sparse_data <- function(n, d, share = 0.05) {
  set.seed(n + d)
  y <- factor(rep_len(1:5, n))
  rate <- exp(rnorm(d))
  rate <- rate / mean(rate) * share
  fold <- matrix(exp(0.7 * rnorm(5 * d)), 5)
  columns <- lapply(seq_len(d), function(j) {
    counts <- rpois(n, rate[j] * fold[y, j])
    at <- which(counts > 0)
    list(i = at, x = log1p(counts[at]))
  })
  size <- lengths(lapply(columns, `[[`, "i"))
  x <- Matrix::sparseMatrix(
    i = unlist(lapply(columns, `[[`, "i")), p = c(0, cumsum(size)),
    x = unlist(lapply(columns, `[[`, "x")), dims = c(n, d)
  )
  list(x = x, y = y)
}

sizes <- list(
  "500 x 2000" = function() dense_data(500, 2000),
  "3000 x 500" = function() dense_data(3000, 500),
  "COIL20, 1440 x 1024" = function() bench_data("COIL20"),
  "5000 x 2000, sparse" = function() sparse_data(5000, 2000)
)

# ---- one fit, in a process of its own ------------------------------------------------

one_fit <- function(method, size) {
  data <- sizes[[size]]()
  methods <- rowsparse_methods()
  y <- if (methods$supervised[methods$method == method]) factor(data$y)
  small <- data$x[seq_len(60), 1:12] + matrix(rnorm(720), 60) / 1e3
  try(suppressWarnings(rowsparse(small, if (!is.null(y)) factor(rep_len(1:3, 60)),
    k = 3, method = method
  )), silent = TRUE)
  told <- as.data.frame(rowsparse_cost(data$x, method = method, y = y, k = 50))
  reset_peak_memory()
  before <- resident()
  cat(sprintf("TOLD %g %g\n", told$seconds, 1e3 * told$memory_gb))
  flush(stdout())
  set.seed(1)
  time <- system.time(suppressWarnings(rowsparse(data$x, y, k = 50, method = method)))
  cat(sprintf("TOOK %g %g\n", sum(time[1:2]), peak_memory() - before))
}

in_child <- function(method, size) {
  command <- sprintf("ulimit -t %d; Rscript bench/cost.R --one %s %s 2> /dev/null", limit + 10,
    method, shQuote(size)
  )
  lines <- suppressWarnings(system(command, intern = TRUE))
  numbers <- function(word, count) {
    line <- grep(paste0("^", word, " "), lines, value = TRUE)
    if (length(line) == 0) return(rep(NA_real_, count))
    as.numeric(strsplit(line[1], " ")[[1]][-1])
  }
  c(numbers("TOLD", 2), numbers("TOOK", 2))
}

# ---- the table --------------------------------------------------------------------------

given <- commandArgs(trailingOnly = TRUE)
limit <- if (length(given) == 3 && given[1] != "--one") as.integer(given[3]) else 60L
if (length(given) == 3 && given[1] == "--one") {
  one_fit(given[2], given[3])
  quit("no")
}
methods <- rowsparse_methods()$method
if (length(given) > 0 && given[1] != "all") methods <- strsplit(given[1], ",")[[1]]
chosen <- names(sizes)
if (length(given) > 1) chosen <- chosen[as.integer(strsplit(given[2], ",")[[1]])]

# every row is kept as soon as it is there
store <- file.path("bench", "results", "cost.csv")
known <- if (file.exists(store)) utils::read.csv(store) else data.frame()
for (size in chosen) {
  for (method in methods) {
    row <- in_child(method, size)
    known <- rbind(known[!(known$size == size & known$method == method), ], data.frame(
      size = size, method = method, told_s = row[1], took_s = row[3], told_mb = row[2],
      took_mb = row[4]
    ))
    utils::write.csv(known, store, row.names = FALSE)
    cat(sprintf("%s, %s: told %.2f s %.0f MB, took %.2f s %.0f MB\n", size, method,
      row[1], row[2], row[3], row[4]
    ))
  }
}
table <- known[order(match(known$size, names(sizes)), match(known$method,
  rowsparse_methods()$method
)), ]
within <- function(told, took, least, factor) {
  ratio <- pmax(told, least) / pmax(took, least)
  sprintf("%d of %d within a factor of %g, the furthest %.2g and %.2g",
    sum(ratio >= 1 / factor & ratio <= factor, na.rm = TRUE), sum(!is.na(ratio)), factor,
    min(ratio, na.rm = TRUE), max(ratio, na.rm = TRUE)
  )
}
shown <- function(value, form) ifelse(is.na(value), sprintf("> %d", limit), sprintf(form, value))
sink(file.path("bench", "results", "cost.md"))
cat("# What rowsparse_cost() tells, and what fits take\n\n")
cat("`make bench METHOD=cost`: `rowsparse(x, y, k = 50, method = )` in a process of its own,",
  sprintf("processor seconds (given up after %d)", limit), "and the peak of the memory beyond",
  "the data, beside the estimates made before. "
)
machine_line()
cat(sprintf("\nSeconds, tenths at least: %s.\nMemory, 10 MB at least: %s.\n\n",
  within(table$told_s, table$took_s, 0.1, 3), within(table$told_mb, table$took_mb, 10, 3)
))
for (size in unique(table$size)) {
  part <- table[table$size == size, ]
  cat(sprintf("## %s\n\n", size))
  cat("| method | told s | took s | ratio | told MB | took MB |\n")
  cat("|---|---:|---:|---:|---:|---:|\n")
  ratio <- ifelse(is.na(part$took_s), "", sprintf("%.2f", part$told_s / part$took_s))
  cat(sprintf("| `%s()` | %.2f | %s | %s | %.0f | %s |\n", part$method, part$told_s,
    shown(part$took_s, "%.2f"), ratio, part$told_mb,
    ifelse(is.na(part$took_mb), "", sprintf("%.0f", part$took_mb))
  ), sep = "")
  cat("\n")
}
sink()
