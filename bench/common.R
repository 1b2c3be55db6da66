# What the benchmark scripts share. Run them with one thread:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/<method>.R
# from the project's root, or with `make bench METHOD=<method>`.

library(rowsparse)

# the folder with data/ and reference/; NULL where there is none
shared_folder <- function() {
  candidates <- c(Sys.getenv("ROWSPARSE_SHARED"), file.path("..", "shared"))
  found <- candidates[nzchar(candidates) & dir.exists(file.path(candidates, "data"))]
  if (length(found) > 0) found[1] else NULL
}

bench_data <- function(name) {
  folder <- shared_folder()
  if (is.null(folder)) stop("set ROWSPARSE_SHARED to the folder with the data sets")
  readRDS(file.path(folder, "data", paste0(name, ".rds")))
}

# the regressions with real data, by name
regressions <- function() {
  files <- list.files(file.path(shared_folder(), "data", "regression"), "[.]rds$",
    full.names = TRUE
  )
  stats::setNames(lapply(files, readRDS), sub("[.]rds$", "", basename(files)))
}

# the columns of largest variance of those that vary
widest <- function(x, most) {
  x <- unname(as.matrix(x)) + 0
  variance <- apply(x, 2, stats::var)
  x[, utils::head(order(-variance), min(most, sum(variance > 0, na.rm = TRUE))), drop = FALSE]
}

# ---- settings and stores ---------------------------------------------------------------

# `defaults`, a list of texts or NULL, with what the arguments NAME=value give instead
read_settings <- function(defaults) {
  for (argument in grep("=", commandArgs(TRUE), value = TRUE)) {
    name <- sub("=.*", "", argument)
    if (!name %in% names(defaults)) stop("no setting ", argument)
    defaults[[name]] <- sub("^[^=]*=", "", argument)
  }
  defaults
}

listed <- function(text) trimws(strsplit(text, ",")[[1]])
is_true <- function(text) tolower(text) == "true"

# the value kept in `file`; else that of `expression`, which is kept from then on
kept <- function(file, expression, again = FALSE) {
  if (!again && file.exists(file)) return(readRDS(file))
  keep(expression, file)
}

# The rows of the runs whose names fit `pattern`, made anew, and those of other runs as they are
# kept in bench/results, in the order of `names`
csv_rows <- function(file, names, make, pattern = Sys.getenv("CASES")) {
  file <- file.path("bench", "results", file)
  rows <- NULL
  for (at in grep(pattern, names)) {
    row <- cbind(run = names[at], make(at))
    message(paste(format(row), collapse = " "))
    rows <- rbind(rows, row)
  }
  if (file.exists(file)) {
    before <- utils::read.csv(file)
    rows <- rbind(rows, before[!before$run %in% rows$run, ])
  }
  if (!is.null(rows)) {
    rows <- rows[order(match(rows$run, names)), ]
    utils::write.csv(format(rows, digits = 4, trim = TRUE), file, row.names = FALSE, quote = FALSE)
  }
  rows
}

# written in one step, so that an interrupt leaves no half of a file
keep <- function(value, file) {
  dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
  draft <- paste0(file, ".", Sys.getpid())
  saveRDS(value, draft)
  file.rename(draft, file)
  value
}

kept_or_null <- function(file) if (file.exists(file)) readRDS(file)

# sources all files of a folder of bench/
source_folder <- function(folder) {
  for (file in list.files(file.path("bench", folder), "[.]R$", full.names = TRUE)) source(file)
}

# the rows that f gives for each element, in one table
rows_of <- function(over, f, ...) do.call(rbind, lapply(over, f, ...))

installed <- function(package) requireNamespace(package, quietly = TRUE)

quiet <- function(code) suppressMessages(suppressWarnings(code))

# ---- time and memory ---------------------------------------------------------------------

machine <- function() {
  threads <- Sys.getenv("OPENBLAS_NUM_THREADS", "not set")
  sprintf("%s; BLAS %s; OPENBLAS_NUM_THREADS %s", R.version.string,
    basename(normalizePath(La_library())), threads
  )
}

machine_line <- function() cat(machine(), "\n", sep = "")

# median seconds of `repeats` runs (`cpu`: of processor time, which other work on
# the machine disturbs less; `least`: the least of it), and the last value
timed <- function(expression, repeats = 5) {
  code <- substitute(expression)
  frame <- parent.frame()
  seconds <- cpu <- numeric(repeats)
  for (i in seq_len(repeats)) {
    time <- system.time(value <- eval(code, frame))
    seconds[i] <- time[["elapsed"]]
    cpu[i] <- time[["user.self"]] + time[["sys.self"]]
  }
  list(seconds = stats::median(seconds), cpu = stats::median(cpu), least = min(cpu), value = value)
}

# the value within a limit of processor seconds, or an error
within_seconds <- function(expression, seconds) {
  setTimeLimit(cpu = seconds, transient = TRUE)
  on.exit(setTimeLimit())
  quiet(expression)
}

# peak resident memory of this process so far, in MB (Linux)
peak_memory <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA_real_)
  line <- grep("^VmHWM", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# what a script tells by tell_result() in a process of its own
own_process <- function(script, arguments) {
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c(file.path("bench", script), shQuote(arguments)), stdout = TRUE, stderr = FALSE
  ))
  strsplit(c(grep("^RESULT", out, value = TRUE), "RESULT")[1], "\t")[[1]][-1]
}

tell_result <- function(...) cat(paste(c("RESULT", ...), collapse = "\t"), "\n", sep = "")

# start counting the peak again (Linux, needs write access to clear_refs)
reset_peak_memory <- function() {
  gc(full = TRUE)
  try(suppressWarnings(cat("5", file = "/proc/self/clear_refs")), silent = TRUE)
  invisible(peak_memory())
}

# columns that correlate by rho with the one before
autoregressive <- function(n, d, rho) {
  x <- matrix(stats::rnorm(n * d), n)
  for (j in seq_len(d)[-1]) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
  x
}

# groups in a tenth of the features, ten factors, noise
dense_data <- function(n, d) {
  set.seed(n + d)
  y <- factor(rep_len(1:5, n))
  x <- matrix(rnorm(n * 10), n) %*% (matrix(rnorm(10 * d), 10) * (10:1) / 10)
  x <- x + matrix(rnorm(n * d), n)
  some <- seq_len(d %/% 10)
  x[, some] <- x[, some] + 1.5 * matrix(rnorm(5 * length(some)), 5)[y, ]
  list(x = x, y = y)
}

# folds 1, ..., count with equal shares of the classes
stratified_folds <- function(y, count = 5) {
  folds <- integer(length(y))
  order <- order(y, stats::runif(length(y)))
  folds[order] <- rep_len(seq_len(count), length(folds))
  folds
}

# what least squares leaves of new samples, and the squares of it as a share of those about the mean
least_squares <- function(train, y, test, truth) {
  b <- stats::lm.fit(cbind(1, train), y)$coefficients
  b[is.na(b)] <- 0
  truth - cbind(1, test) %*% b
}
least_squares_error <- function(train, y, test, truth) {
  sum(least_squares(train, y, test, truth)^2) / sum((truth - mean(y))^2)
}

# accuracy on the test samples of least squares on the first k features
nested_accuracy <- function(train, test, features, k) {
  Y <- outer(train$y, sort(unique(train$y)), "==") + 0
  vapply(k, function(size) {
    set <- features[seq_len(size)]
    W <- qr.coef(qr(cbind(1, train$x[, set, drop = FALSE])), Y)
    W[is.na(W)] <- 0
    fitted <- cbind(1, test$x[, set, drop = FALSE]) %*% W
    mean(sort(unique(train$y))[max.col(fitted, "first")] == test$y)
  }, numeric(1))
}

# ---- pages of parts, with gates ----------------------------------------------------

# the parts that the arguments name, or all of them, on a page that begins with `head`
run_parts <- function(parts, page, ...) {
  asked <- commandArgs(TRUE)
  if (length(asked) == 0) {
    asked <- names(parts)
    sink(file.path("bench", "results", page), split = TRUE)
    cat(..., sep = "")
  }
  machine_line()
  for (part in asked) parts[[part]]()
}

failed_gates <- 0
gate <- function(met, ...) {
  failed_gates <<- failed_gates + !met
  cat("\nGate", if (met) "" else " **not met**", ": ", sprintf(...), "\n", sep = "")
}
stop_if_failed <- function() if (failed_gates > 0) stop(failed_gates, " gates are not met")

# ---- tables ----------------------------------------------------------------------

rounded <- function(table) {
  table[] <- lapply(table, function(column) if (is.double(column)) round(column, 4) else column)
  table
}

# cells: character matrix or data frame; the first column is text
markdown <- function(cells) {
  cells <- as.data.frame(cells, check.names = FALSE)
  cat("\n|", paste(names(cells), collapse = " | "), "|\n")
  cat("|---|", strrep("---:|", ncol(cells) - 1), "\n", sep = "")
  for (i in seq_len(nrow(cells))) cat("|", paste(unlist(cells[i, ]), collapse = " | "), "|\n")
}

# a table of the texts that cell(row, column) gives
cross_table <- function(rows, columns, cell, titles = columns, first = "method") {
  cells <- outer(rows, columns, Vectorize(cell))
  markdown(stats::setNames(data.frame(rows, cells), c(first, titles)))
}

# What a page begins with: its protocol, the version and the machine, and what is concluded
begin_page <- function(folder, protocol = "protocol.md", told = "",
                       conclusions = "conclusions.md") {
  page <- function(name) {
    file <- file.path("bench", folder, name)
    if (file.exists(file)) writeLines(c(readLines(file), ""))
  }
  page(protocol)
  cat(told, "rowsparse ", format(utils::packageVersion("rowsparse")), " on ", machine(), "\n\n",
    sep = ""
  )
  page(conclusions)
}

decimals <- function(value, digits = 2) {
  ifelse(is.na(value), "-", formatC(value, format = "f", digits = digits))
}

# log2 of counts by library size
logged <- function(x) {
  size <- Matrix::rowSums(x)
  x@x <- log2(x@x / unname(size / mean(size))[x@i + 1L] + 1)
  x
}
