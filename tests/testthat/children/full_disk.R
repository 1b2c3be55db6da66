# compare_methods() with a store, by a method whose note is as long as the caller says, on as
# many samples: tells what it ends in. Run with and without a limit on the size of files.
library(rowsparse)
given <- commandArgs(TRUE)
n <- as.numeric(given[4])
x <- matrix(sin(seq_len(6 * n)), n)
words <- paste(sample(c(letters, LETTERS, 0:9), as.numeric(given[2]), TRUE), collapse = "")
talks <- function(x) {
  warning(simpleWarning(words))
  1:3
}
ended <- tryCatch(
  {
    compare_methods(x, rep_len(1:2, n), methods = list(talks = talks), k = 1:2, repeats = 2,
      store = given[1], refit = given[3] == "refit"
    )
    "done"
  },
  error = function(e) c(class(e)[1], conditionMessage(e))
)
cat(ended, sep = "\n")
