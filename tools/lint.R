# Style of R (.lintr), format of C (.clang-format) and the length of C
# functions; exit status 1 when something is found. An argument keeps the R files
# whose names match it.

longest_c_function <- 60

filter <- c(commandArgs(TRUE), "")[1]
scripts <- list.files(c("R", "tests", "tools", "bench"), pattern = "[.]R$", full.names = TRUE,
  recursive = TRUE
)
lints <- do.call(c, lapply(grep(filter, scripts, value = TRUE), lintr::lint))
for (lint in lints) {
  file <- sub(paste0(getwd(), "/"), "", lint$filename, fixed = TRUE)
  cat(sprintf("%s:%d: %s\n", file, lint$line_number, lint$message))
}

sources <- list.files("src", pattern = "[.][ch]$", full.names = TRUE, recursive = TRUE)
format_status <- system2("clang-format", c("--dry-run", "-Werror", sources))

# A function's body stands between a line "{" and the next line "}".
long_functions <- function(file) {
  lines <- readLines(file)
  opens <- which(lines == "{")
  closes <- which(lines == "}")
  sizes <- vapply(opens, function(open) min(closes[closes > open]) - open, 0)
  long <- sizes > longest_c_function
  sprintf("%s:%d: function body of %d lines", file, opens[long], sizes[long])
}
long <- unlist(lapply(sources, long_functions))
writeLines(as.character(long))

quit(status = as.integer(length(lints) > 0 || format_status != 0 || length(long) > 0))
