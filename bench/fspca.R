# FSPCA: the best sets and their certificates under one fixed recipe; the sets of other
# methods as shares of the bound. One thread; about an hour. Writes bench/results/fspca.csv
# and, from it, bench/results/fspca.md.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/fspca.R
#   CASES='GLIOMA 3 10$' SECONDS=60 DEEP=120 for the cases (data, m, k) of this pattern again
source(file.path("bench", "common.R"))

seconds <- as.numeric(Sys.getenv("SECONDS", "60"))
deep <- as.numeric(Sys.getenv("DEEP", "120"))
sets <- list(
  lung_discrete = 7, UMIST = 20, Isolet = 26, COIL20 = 20, GLIOMA = 4, orlraws10P = 10
)

cases <- rows_of(names(sets), function(name) {
  expand.grid(data = name, m = c(1, 3, sets[[name]]), k = c(10, 50, 100), stringsAsFactors = FALSE)
})
cases$m <- pmin(cases$m, cases$k)
cases <- unique(cases)

# what the sets of other methods carry, in the same unit
other_sets <- function(x, k, m, unit) {
  value <- function(set) {
    x <- sweep(x[, set], 2, colMeans(x[, set]))
    sum(svd(x, 0, 0)$d[seq_len(m)]^2) / unit
  }
  top <- function(fit) suppressWarnings(selected(fit, k))
  c(
    go = value(fspca(x, k, m, "go")$selected), ipu = value(fspca(x, k, m, "ipu")$selected),
    variance = value(variance(x)$ranking[seq_len(k)]),
    # of no more features than the centred samples have dimensions
    css = value(css(x, min(k, nrow(x) - 1))$ranking[seq_len(k)]),
    bsufs = value(suppressWarnings(bsufs(x, m))$ranking[seq_len(k)]),
    dscofs = value(suppressWarnings(dscofs(x, k, m, start = "leading"))$selected)
  )
}

run_case <- function(case) {
  x <- unname(bench_data(case$data)$x)
  m <- case$m
  k <- case$k
  unit <- sum(sweep(x, 2, colMeans(x))^2) / ncol(x)
  # sets of ten are given the time of a proof
  limit <- if (k == 10) deep else seconds
  run <- timed(suppressWarnings(fspca(x, k, m, certify = limit)), 1)
  found <- run$value$certificate
  best <- sum(run$value$values) / unit
  bound <- found$bound / unit
  others <- other_sets(x, k, m, unit)
  left <- ncol(x) - length(found$essential) - length(found$excluded)
  data.frame(
    data = sprintf("%s (%d)", case$data, ncol(x)), m = m, k = k, best = best,
    eigenvalues = found$free[["eigenvalues"]] / unit,
    variances = found$free[["variances"]] / unit, bound = bound,
    gap = 100 * (bound / best - 1), left = left, nodes = found$nodes,
    seconds = run$cpu, status = found$status, t(others / bound)
  )
}

small_problems <- function() {
  set.seed(1)
  rows_of(list(c(30, 1, 5), c(30, 3, 10), c(60, 1, 10), c(60, 2, 8), c(60, 3, 10)),
    function(size) {
      d <- size[1]
      x <- matrix(stats::rnorm(100 * d), 100) %*% diag(stats::runif(d, 0.5, 1.5))
      run <- timed(fspca(x, size[3], size[2], certify = 60), 1)
      data.frame(d = d, m = size[2], k = size[3], nodes = run$value$certificate$nodes,
        seconds = run$cpu, status = run$value$certificate$status
      )
    }
  )
}

summary_of <- function(table) {
  optimal <- table$status == "optimal"
  gaps <- sort(table$gap, decreasing = TRUE)
  above <- 100 * (max(pmin(table$eigenvalues, table$variances) / table$best) - 1)
  c(sprintf("Proved optimal: %d of %d sets, %d of %d sets of ten features. ", sum(optimal),
      nrow(table), sum(optimal & table$k == 10), sum(table$k == 10)),
    sprintf("The largest gaps: %.2f, %.2f and %.2f%%.\n", gaps[1], gaps[2], gaps[3]),
    sprintf("The less of eigenvalues and variances is up to %.1f%% above the best.", above)
  )
}

write_results <- function(table, small) {
  sink(file.path("bench", "results", "fspca.md"))
  on.exit(sink())
  cat("# Certified sets of FSPCA\n\n")
  cat(sprintf("`SECONDS=%g DEEP=%g OPENBLAS_NUM_THREADS=1 Rscript bench/fspca.R`; ", seconds, deep))
  machine_line()
  cat("\nS scaled to mean diagonal 1; gap = bound over best less 1, in percent; left: features\n")
  cat("neither in all nor in no better set; seconds of processor time, at most ", seconds,
    " for the\ncertificate and ", deep, " where k = 10. Lines are kept in `fspca.csv`, and ",
    "measured again by\nthemselves where a change concerns them.\n", sep = "")
  markdown(rounded(table[1:12]))
  cat("\n", summary_of(table), "\n", sep = "")
  cat("\n## Sets of other methods, as shares of the bound\n")
  markdown(rounded(table[c(1:3, 13:ncol(table))]))
  cat("\n## Small problems\n")
  markdown(rounded(small))
}

table <- csv_rows("fspca.csv", do.call(paste, cases), function(at) run_case(cases[at, ]))
if (nrow(table) >= nrow(cases)) write_results(table[-1], small_problems())
