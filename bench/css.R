# css: time on a large matrix, how well k-means recovers the classes from
# the selected features, beside random sets, and what is proved in which time.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/css.R [large|clusters|exact|bounds]
#     [data sets]
source(file.path("bench", "common.R"))
source(file.path("bench", "lib", "clustering.R"))
machine_line()

large <- function() {
  cat("\n## 1000 x 20000, k = 100\n\n")
  cat("| method | share reproduced | processor s | elapsed s | peak MB beyond the data |\n")
  cat("|---|---:|---:|---:|---:|\n")
  set.seed(1)
  x <- matrix(rnorm(1000 * 50), 1000) %*% matrix(rnorm(50 * 20000), 50)
  x <- x + 3 * matrix(rnorm(1000 * 20000), 1000)
  runs <- list(
    forward = quote(css(x, 100, m = Inf, solver = "forward")),
    "exchange, no path" = quote(css(x, 100, m = Inf, path = FALSE)),
    exchange = quote(css(x, 100, m = Inf))
  )
  for (name in names(runs)) {
    base <- reset_peak_memory()
    before <- proc.time()
    fit <- eval(runs[[name]])
    spent <- proc.time() - before
    cat(sprintf("| %s | %.6f | %.1f | %.1f | %.0f |\n", name, fit$explained, sum(spent[1:2]),
      spent[[3]], peak_memory() - base
    ))
  }
}

# ACC and NMI of k-means: the selected features (20 repeats), random sets
# (20 sets of 3 repeats: mean and 90th percentile over the sets)
clusters <- function(names) {
  cat("\n## k-means on k features: ACC / NMI\n\n")
  cat("| data | k | share | forward share | css | random mean | random 90% | s |\n")
  cat("|---|---:|---:|---:|---|---:|---:|---:|\n")
  for (name in names) {
    data <- bench_data(name)
    limit <- min(nrow(data$x) - 1, ncol(data$x) - 1)
    for (k in c(20, 50, 100)) if (k <= limit) clusters_at(name, data, k)
  }
}

clusters_at <- function(name, data, k) {
  fit <- suppressWarnings(css(data$x, k, m = Inf))
  set.seed(1)
  ours <- evaluate_features(fit, data$x, data$y, k = k, repeats = 20)
  random <- vapply(1:20, function(i) {
    set <- sample(ncol(data$x), k)
    unlist(evaluate_features(set, data$x, data$y, k = k, repeats = 3)[c("acc_mean", "nmi_mean")])
  }, numeric(2))
  forward <- 1 - utils::tail(fit$path$forward, 1) / sum(scale(data$x, scale = FALSE)^2)
  both <- function(values) sprintf("%.3f / %.3f", values[1], values[2])
  cat(sprintf("| %s | %d | %.4f | %.4f | %s | %s | %s | %.2f |\n", name, k, fit$explained, forward,
    both(c(ours$acc_mean, ours$nmi_mean)), both(rowMeans(random)),
    both(apply(random, 1, stats::quantile, 0.9)), fit$elapsed
  ))
}

# processor seconds of a call, and its fit
timed <- function(code) {
  before <- proc.time()
  fit <- suppressWarnings(code)
  list(fit = fit, seconds = sum((proc.time() - before)[1:2]))
}

# Proofs
exact <- function(names) {
  cat("\n## Proofs: css(x, k, m = Inf, solver = \"exact\")\n\n")
  cat("| data | n x d | k | status | share | nodes | processor s |\n")
  cat("|---|---|---:|---|---:|---:|---:|\n")
  for (name in intersect(names, names(proved))) {
    x <- bench_data(name)$x
    for (k in proved[[name]]) {
      run <- timed(css(x, k, m = Inf, solver = "exact"))
      cat(sprintf("| %s | %d x %d | %d | %s | %.6f | %.0f | %.2f |\n", name, nrow(x), ncol(x), k,
        run$fit$status, run$fit$explained, run$fit$proof$nodes, run$seconds
      ))
    }
  }
}

# The sets of the default beside those of exchanges of single features alone
default <- function(names) {
  cat("\n## The default beside single exchanges\n\n")
  cat("| data | k | single | s | default | s | more, % | status |\n")
  cat("|---|---:|---:|---:|---:|---:|---:|---|\n")
  for (name in names) for (k in c(5, 10, 20, 50)) default_at(name, k)
}

# the cases that take up to two minutes
proved <- list(
  lung_discrete = 3:5, USPS_1000 = 3:5, UMIST = 3:4, Isolet = 3:4, COIL20 = 3:4, SRBCT = 3:4,
  warpPIE10P = 3, GLIOMA = 3
)

# What the first bound of larger sets allows beyond the set found: no search
bounds <- function(names) {
  cat("\n## The first bound of larger sets\n\n| data | k | share | bound | more, % |\n")
  cat("|---|---:|---:|---:|---:|\n")
  all <- numeric()
  for (name in names) for (k in c(5, 10, 20, 50)) {
    x <- bench_data(name)$x
    if (k > nrow(x) - 2) next
    fit <- suppressWarnings(css(x, k, m = Inf, solver = "exact", time_limit = 0))
    share <- 1 - fit$bound / sum(scale(x, TRUE, FALSE)^2)
    more <- 100 * (share / fit$explained - 1)
    cat(sprintf("| %s | %d | %.4f | %.4f | %.1f |\n", name, k, fit$explained, share, more))
    all <- c(all, if (k >= 10) more)
  }
  cat(sprintf("\nMedian from k = 10 on: %.1f%%, range %.1f to %.1f%%.\n", stats::median(all),
    min(all), max(all)
  ))
}

default_at <- function(name, k) {
  x <- bench_data(name)$x
  if (k > nrow(x) - 2) return(invisible())
  effort <- rowsparse:::css_effort
  set <- function(value) utils::assignInNamespace("css_effort", value, "rowsparse")
  set(list(restarts = 0, quiet = 0L))
  single <- timed(css(x, k, m = Inf))
  set(effort)
  default <- timed(css(x, k, m = Inf))
  cat(sprintf("| %s | %d | %.6f | %.2f | %.6f | %.2f | %.2f | %s |\n", name, k,
    single$fit$explained, single$seconds, default$fit$explained, default$seconds,
    100 * (default$fit$explained / single$fit$explained - 1), default$fit$status
  ))
}

real_sets <- c(
  "lung_discrete", "SRBCT", "GLIOMA", "ALLAML", "warpPIE10P", "orlraws10P", "USPS_1000",
  "UMIST", "COIL20", "Isolet", "pie", "USPS"
)
chosen <- commandArgs(TRUE)
if (length(chosen) == 0 || chosen[1] == "large") large()
named <- if (length(chosen) > 1) chosen[-1] else real_sets
if (length(chosen) == 0 || chosen[1] == "clusters") clusters(named)
if (length(chosen) == 0 || chosen[1] == "exact") exact(named)
if (length(chosen) == 0 || chosen[1] == "default") default(named)
if (length(chosen) == 0 || chosen[1] == "bounds") bounds(setdiff(named, c("ALLAML", "orlraws10P")))
