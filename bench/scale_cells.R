# Sparse counts of many cells through the methods without labels: seconds and the peak of
# resident memory, each method in a process of its own that reads the same matrix.
#
#   N=200000 D=5000 DENSITY=0.05 METHOD=alignment,bsufs Rscript bench/scale_cells.R
#
# Default: the five methods below with their defaults and k = 50. Values are log(1 + count)
# of cells of 12 types of unequal sizes; 300 genes follow the types, the means of the genes
# are log-normal. THREADS of BLAS are those of OPENBLAS_NUM_THREADS.
source(file.path("bench", "common.R"))

setting <- function(name, default) {
  value <- Sys.getenv(name)
  if (nzchar(value)) value else default
}

# gene by gene: the cells of each type in which it is seen, then how often
simulate_cells <- function(n, d, density, types = 12L, planted = 300L) {
  set.seed(1)
  size <- stats::rgamma(types, 1.5)
  type <- sort(sample.int(types, n, TRUE, size))
  cells <- split(seq_len(n), factor(type, seq_len(types)))
  level <- exp(stats::rnorm(d, 0, 1.2))
  effect <- matrix(1, types, d)
  markers <- sample.int(d, min(planted, d))
  effect[, markers] <- exp(matrix(stats::rnorm(types * length(markers), 0, 1.5), types))
  found <- function(factor) mean(-expm1(-factor * level)) - density
  level <- level * stats::uniroot(found, c(1e-6, 10))$root
  depth <- exp(stats::rnorm(n, 0, 0.3))
  one <- function(j) {
    rate <- level[j] * effect[, j]
    rows <- lapply(seq_len(types), function(t) {
      cells[[t]][sample.int(length(cells[[t]]),
        stats::rbinom(1L, length(cells[[t]]), -expm1(-rate[t]))
      )]
    })
    i <- unlist(rows)
    counts <- 1 + stats::rpois(length(i), rep(rate, lengths(rows)) * depth[i] / 2)
    list(i = i - 1L, x = log1p(counts / depth[i]), order = order(i))
  }
  columns <- lapply(seq_len(d), function(j) {
    column <- one(j)
    list(i = column$i[column$order], x = column$x[column$order])
  })
  sizes <- vapply(columns, function(column) length(column$i), 0L)
  x <- methods::new("dgCMatrix",
    i = unlist(lapply(columns, `[[`, "i")), p = c(0L, cumsum(sizes)),
    x = unlist(lapply(columns, `[[`, "x")), Dim = c(as.integer(n), as.integer(d)),
    Dimnames = list(NULL, paste0("gene", seq_len(d)))
  )
  list(x = x, type = type, markers = markers)
}

k <- 50L

# what the child does
run_method <- function(method, file, out) {
  cells <- readRDS(file)
  start <- reset_peak_memory()
  time <- system.time(fit <- suppressWarnings(rowsparse(cells$x, k = k, method = method)))
  saveRDS(list(
    seconds = time[["elapsed"]], cpu = time[["user.self"]] + time[["sys.self"]],
    start = start, peak = peak_memory(),
    markers = sum(match(selected(fit), colnames(cells$x)) %in% cells$markers),
    selected = selected(fit), explained = fit$explained
  ), out)
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 3L) {
  run_method(arguments[1], arguments[2], arguments[3])
} else {
  n <- as.numeric(setting("N", "200000"))
  d <- as.numeric(setting("D", "5000"))
  density <- as.numeric(setting("DENSITY", "0.05"))
  methods <- strsplit(setting("METHOD", "alignment,bsufs,fspca,kmeans_ufs,css"), ",")[[1]]
  machine_line()
  file <- setting("CELLS", tempfile(fileext = ".rds"))
  if (!file.exists(file)) saveRDS(simulate_cells(n, d, density), file, compress = FALSE)
  cells <- readRDS(file)
  cat(sprintf("%d x %d, %.1f million nonzero values (%.1f%%), %.0f MB; k = %d\n\n",
    nrow(cells$x), ncol(cells$x), length(cells$x@x) / 1e6,
    100 * length(cells$x@x) / prod(dim(cells$x)),
    as.numeric(utils::object.size(cells$x)) / 2^20, k
  ))
  markers <- length(cells$markers)
  rm(cells)
  invisible(gc())
  cat("| method | seconds | processor seconds | GB before | GB peak |",
    sprintf("of %d marker genes among the %d |\n", markers, k)
  )
  cat("|---|---:|---:|---:|---:|---:|\n")
  for (method in methods) {
    out <- tempfile()
    system2(file.path(R.home("bin"), "Rscript"),
      c(file.path("bench", "scale_cells.R"), method, file, out)
    )
    if (!file.exists(out)) {
      cat(sprintf("| `%s` | failed | | | | |\n", method))
      next
    }
    run <- readRDS(out)
    cat(sprintf("| `%s` | %.1f | %.1f | %.2f | %.2f | %d |\n", method, run$seconds, run$cpu,
      run$start / 1024, run$peak / 1024, run$markers
    ))
  }
}
