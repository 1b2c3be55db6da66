# How long a call runs on after Ctrl-C: on real data, a second process sends SIGINT
# at random moments of calls that would never end by themselves, and of the calls
# around the methods. Writes bench/results/interrupt.md:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/interrupt.R [signals per row, 10]
source(file.path("bench", "common.R"))

given <- commandArgs(trailingOnly = TRUE)
signals <- if (length(given) > 0) as.integer(given[1]) else 10L

# seconds from the signal to its condition; the delay is random, so that the
# signal meets every part of the computation
latency <- function(call, longest = 1.5) {
  delay <- stats::runif(1, 0.05, longest)
  sent <- tempfile()
  # the time of the signal by the clock of this machine
  system(sprintf("(sleep %.3f; date +%%s.%%N > %s; kill -INT %d) &", delay, sent, Sys.getpid()))
  outcome <- tryCatch(
    {
      repeat suppressWarnings(suppressMessages(call()))
    },
    interrupt = function(condition) as.numeric(Sys.time())
  )
  outcome - as.numeric(readLines(sent))
}

measure <- function(label, call) {
  seconds <- vapply(seq_len(signals), function(i) latency(call), 0)
  cat(sprintf("| %s | %.3f | %.3f |\n", label, stats::median(seconds), max(seconds)))
  data.frame(label = label, median = stats::median(seconds), largest = max(seconds))
}

faces <- bench_data("warpPIE10P")
genes <- bench_data("ALLAML")
data_sets <- list(
  warpPIE10P = faces, ALLAML = genes, pie = bench_data("pie")
)

endless <- function(threads) {
  rowsparse_control(tol = 0, maxit = 1e6, inner_tol = 0, inner_maxit = 1e6, threads = threads)
}

method_calls <- function(name, data, threads) {
  control <- endless(threads)
  methods <- rowsparse_methods()
  y <- if (methods$supervised[methods$method == name]) factor(data$y)
  function() rowsparse(data$x, y, k = 50, method = name, control = control)
}

around_calls <- function(data, threads) {
  control <- endless(threads)
  y <- factor(data$y)
  list(
    "cdlsr, random starts" = function() {
      cdlsr(data$x, y, 30, start = "random", starts = 1000,
        control = rowsparse_control(threads = threads)
      )
    },
    "cdlsr, exact" = function() cdlsr(data$x, y, 4, solver = "exact", control = control),
    "rowsparse_path, bsufs" = function() {
      rowsparse_path(data$x, method = "bsufs", m = 5, control = control)
    },
    "rowsparse_path, rfs" = function() {
      rowsparse_path(data$x, y, method = "rfs", control = rowsparse_control(threads = threads))
    },
    "rowsparse_path, cdlsr over k" = function() {
      rowsparse_path(data$x, y, method = "cdlsr", k = 1:50, control = control)
    },
    "tune_rowsparse, css" = function() tune_rowsparse(data$x, method = "css", control = control),
    "tune_rowsparse, cdlsr by error" = function() {
      tune_rowsparse(data$x, y, method = "cdlsr", criterion = "error", control = control)
    },
    "cv_rowsparse, cdlsr" = function() {
      cv_rowsparse(data$x, y, k = 1:30, method = "cdlsr", folds = 5, control = control)
    },
    "evaluate_features" = function() evaluate_features(1:100, data$x, y),
    "moments" = function() moments(data$x[, seq_len(min(5000, ncol(data$x)))])
  )
}

file <- file.path("bench", "results", "interrupt.md")
cat("Rows appear as they are measured.\n\n")
rows <- list()
for (set in names(data_sets)) {
  data <- data_sets[[set]]
  size <- sprintf("%s, %d x %d", set, nrow(data$x), ncol(data$x))
  calls <- lapply(rowsparse_methods()$method, method_calls, data = data, threads = 1)
  names(calls) <- rowsparse_methods()$method
  calls <- list("1" = c(calls, around_calls(data, 1)), "2" = c(
    list(cdlsr = method_calls("cdlsr", data, 2)), around_calls(data, 2)[1:8]
  ))
  for (threads in names(calls)) {
    for (name in names(calls[[threads]])) {
      label <- sprintf("%s | %s | %s", size, name, threads)
      rows <- c(rows, list(measure(label, calls[[threads]][[name]])))
    }
  }
}
table <- do.call(rbind, rows)

sink(file)
cat("# How long a call runs on after Ctrl-C\n\n")
cat(sprintf("`OPENBLAS_NUM_THREADS=1 Rscript bench/interrupt.R %d`  \n", signals))
machine_line()
load <- tryCatch(strsplit(readLines("/proc/loadavg"), " ")[[1]][3], error = function(e) "unknown")
cat(sprintf("; %d cores; load average of the last 15 minutes %s (with other work on the machine, ",
  parallel::detectCores(), load
))
cat("the largest values are those of a process that had to wait)\n")
cat(sprintf("\n%d signals per row, each at a random moment of calls without an end. ", signals))
cat(sprintf("Seconds from the signal to the condition `interrupt`: median of all %d rows' medians ",
  nrow(table)
))
cat(sprintf("%.3f, largest of all %.3f.\n\n", stats::median(table$median), max(table$largest)))
cat("| data | call | threads | median | largest |\n|---|---|---|---|---|\n")
cat(sprintf("| %s | %.3f | %.3f |\n", table$label, table$median, table$largest), sep = "")
sink()
