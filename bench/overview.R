# Every method through the front door, k = 40, on three sets of different shapes:
# processor seconds, the better of two runs where one takes less than five. The rows
# are those of rowsparse_methods(), or of the methods named as arguments. Prints a table in
# markdown; that of all methods is bench/results/overview.md.
source(file.path("bench", "common.R"))

limit <- 60 # processor seconds of one fit

seconds_of <- function(method, set) {
  known <- rowsparse_methods()
  y <- if (known$supervised[known$method == method]) factor(set$y)
  run <- function() {
    set.seed(1)
    setTimeLimit(cpu = limit, transient = TRUE)
    on.exit(setTimeLimit())
    time <- system.time(suppressWarnings(rowsparse(set$x, y, k = 40, method = method)))
    time[["user.self"]] + time[["sys.self"]]
  }
  first <- tryCatch(run(), error = function(e) Inf)
  if (first < 5) min(first, run()) else first
}

sets <- lapply(c("COIL20", "GLIOMA", "orlraws10P"), bench_data)
methods <- rowsparse_methods()$method
if (length(commandArgs(TRUE)) > 0) methods <- intersect(methods, commandArgs(TRUE))
seconds <- vapply(sets, function(set) vapply(methods, seconds_of, 0, set = set),
  numeric(length(methods))
)
seconds <- matrix(seconds, length(methods))

heads <- vapply(sets, function(set) sprintf("%s %d x %d", set$name, nrow(set$x), ncol(set$x)), "")
rows <- apply(seconds, 1, function(row) {
  paste(ifelse(is.finite(row), sprintf("%.2f", row), sprintf("> %d", limit)), collapse = " | ")
})
table <- c(
  sprintf("| method | %s |", paste(heads, collapse = " | ")),
  paste0("|---|", strrep("---:|", length(sets))),
  sprintf("| `%s()` | %s |", methods, rows)
)
writeLines(table)
if (length(commandArgs(TRUE)) == 0) {
  writeLines(c("# Every method with its defaults", "",
    "`make bench METHOD=overview`: processor seconds of `rowsparse(x, y, k = 40, method = )`,",
    sprintf("the better of two runs where one takes less than five, at most %d.", limit),
    paste0(machine(), "."), "", table
  ), file.path("bench", "results", "overview.md"))
}
