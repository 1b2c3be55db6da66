# Limits of seconds, and the elapsed time that calls with them take, from the call until the
# result: a limit is kept where that is at most a tenth of it and one second more.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/time_limits.R \
#     > bench/results/time_limits.md
source(file.path("bench", "common.R"))
cat(
  "# Limits of time\n\nSeconds taken by limit, `Rscript bench/time_limits.R`; ",
  "n/a: the call takes no such limit.\n\n",
  sep = ""
)
machine_line()

limits <- c(0, 0.05, 0.1, 1, 5)

# correlated normal features, `k` of them in the response
autoregressive <- function(n, d, rho, k, snr) {
  x <- matrix(stats::rnorm(n * d), n)
  for (j in seq_len(d)[-1]) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
  signal <- rowSums(x[, sample(d, k)])
  list(x = x, y = signal + stats::rnorm(n) * stats::sd(signal) / sqrt(snr))
}

set.seed(1)
strong <- autoregressive(600, 300, 0.5, 20, 5)
weak <- autoregressive(600, 300, 0.1, 20, 5)
wide <- autoregressive(100, 5000, 0.5, 10, 2)
tall <- autoregressive(20000, 200, 0.5, 10, 2)
classes <- cut(wide$y, 5)

exact <- function(data, k, ..., x = data$x) {
  function(limit) cdlsr(x, data$y, k, solver = "exact", time_limit = limit, ...)
}

calls <- list(
  "cdlsr, 600 x 300, rho 0.5, k = 20, ridge 0.1" = exact(strong, 20, ridge = 0.1),
  "cdlsr, 600 x 300, rho 0.1, k = 20, ridge 0.1" = exact(weak, 20, ridge = 0.1),
  "cdlsr, 600 x 300, k = 2" = exact(strong, 2),
  "cdlsr, 600 x 300, k = 3" = exact(strong, 3),
  "cdlsr, 600 x 300, k = 100" = exact(strong, 100),
  "cdlsr, 600 x 300, k = 20, weights" = exact(strong, 20, weights = stats::runif(600)),
  "cdlsr, 600 x 300, k = 20, ten random starts" = exact(strong, 20,
    start = "random", starts = 10
  ),
  "cdlsr, 600 x 300, k = 20, row blocks" = exact(strong, 20, x = row_blocks(strong$x, rows = 250)),
  "cdlsr, 600 x 300, k = 20, moments" = function(limit) {
    cdlsr(moments(strong$x, strong$y), k = 20, solver = "exact", time_limit = limit)
  },
  "cdlsr, 100 x 5000, k = 2" = exact(wide, 2),
  "cdlsr, 100 x 5000, k = 3" = exact(wide, 3),
  "cdlsr, 100 x 5000, k = 10" = exact(wide, 10),
  "cdlsr, 100 x 5000, k = 10, ridge 10" = exact(wide, 10, ridge = 10),
  "cdlsr, 100 x 5000, k = 10, five classes" = function(limit) {
    cdlsr(wide$x, classes, 10, solver = "exact", time_limit = limit)
  },
  "cdlsr, 100 x 5000, k = 10, sparse" = exact(wide, 10,
    x = Matrix::Matrix(wide$x * (abs(wide$x) > 1), sparse = TRUE)
  ),
  "cdlsr, 20 000 x 200, k = 10" = exact(tall, 10),
  "fspca(certify = ), 600 x 300, k = 20, m = 5, the fit included" = function(limit) {
    fspca(strong$x, 20, 5, certify = limit)
  },
  "fspca_bound(), 600 x 300, k = 20, m = 5" = function(limit) {
    fspca_bound(strong$x, 20, 5, seconds = limit)
  },
  "fspca_bound(), 100 x 5000, k = 20, m = 5" = function(limit) {
    fspca_bound(wide$x, 20, 5, seconds = limit)
  },
  "compare_methods(), one endless method" = function(limit) {
    if (limit == 0) return(NULL)
    compare_methods(list(one = list(x = wide$x[, 1:50], y = classes)),
      methods = list(endless = function(x) while (TRUE) sqrt(2)), k = 5, repeats = 1,
      random = 0, time_limit = limit
    )
  },
  "setTimeLimit(), spca_psd() of 100 x 1000" = function(limit) {
    if (limit == 0) return(NULL)
    on.exit(setTimeLimit())
    setTimeLimit(elapsed = limit, transient = TRUE)
    try(spca_psd(wide$x[, 1:1000], 0.1, 0, solver = "exact"), silent = TRUE)
  },
  "setTimeLimit(), rfs() of 100 x 5000" = function(limit) {
    if (limit == 0) return(NULL)
    on.exit(setTimeLimit())
    setTimeLimit(elapsed = limit, transient = TRUE)
    try(rfs(wide$x, wide$y, 10), silent = TRUE)
  },
  "setTimeLimit(), cdlsr(k = 50, starts = 1e4)" = function(limit) {
    if (limit == 0) return(NULL)
    on.exit(setTimeLimit())
    setTimeLimit(elapsed = limit, transient = TRUE)
    try(cdlsr(wide$x, wide$y, 50, start = "random", starts = 1e4), silent = TRUE)
  }
)

taken <- function(call, limit) {
  before <- proc.time()[["elapsed"]]
  value <- suppressMessages(suppressWarnings(call(limit)))
  if (is.null(value)) NA else proc.time()[["elapsed"]] - before
}

seconds <- t(vapply(calls, function(call) vapply(limits, taken, 0, call = call), limits))
late <- seconds > rep(1 + 1.1 * limits, each = nrow(seconds))
shown <- paste0(format(round(seconds, 2)), ifelse(late, " (late)", ""))
text <- ifelse(is.na(seconds), "n/a", shown)
table <- cbind(Call = names(calls), matrix(text, nrow(seconds), dimnames = list(NULL, limits)))
cat("\n|", paste(colnames(table), collapse = " | "), "|\n|---", rep("|---:", length(limits)), "|\n",
  sep = ""
)
for (i in seq_len(nrow(table))) cat("|", paste(table[i, ], collapse = " | "), "|\n")
cat(sprintf("\n%d of %d calls were late.\n", sum(late, na.rm = TRUE), sum(!is.na(late))))
