# Runs the test suite against the installed package and counts its tests:
#   Rscript tools/test.R [filter]
# The last line reads "N passed, N failed, N skipped"; a test is one test_that()
# block. The exit status is 1 when a test failed.

library(testthat)

filter <- commandArgs(trailingOnly = TRUE)
Sys.setenv(NOT_CRAN = "true", LANGUAGE = "en")

results <- as.data.frame(test_dir(
  "tests/testthat",
  filter = if (length(filter) > 0) filter,
  package = "rowsparse",
  load_package = "installed",
  reporter = "summary",
  stop_on_failure = FALSE
))

failed <- results$failed > 0 | results$error
skipped <- results$skipped & !failed

slowest <- head(results[order(-results$real), c("file", "test", "real")], 5)
cat(sprintf("%6.1f s  %s: %s\n", slowest$real, slowest$file, slowest$test), sep = "")
cat(sprintf("%d passed, %d failed, %d skipped\n",
  sum(!failed & !skipped), sum(failed), sum(skipped)))
quit(status = as.integer(any(failed)))
