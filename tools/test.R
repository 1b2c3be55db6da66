# Runs the test suite against the installed package and counts its tests:
#   Rscript tools/test.R [filter]
# The last line reads "N passed, N failed, N skipped"; a test is one test_that()
# block. The exit status is 1 when a test failed.

library(testthat)

# The worst result of every test, and of everything outside a test that did not
# pass (a file that stops or skips as a whole).
counter <- R6::R6Class("Counter",
  inherit = Reporter,
  public = list(
    outcomes = character(),
    seconds = numeric(),
    outcome = NULL,
    started = NULL,
    start_test = function(context, test) {
      self$outcome <- "passed"
      self$started <- proc.time()[["elapsed"]]
    },
    add_result = function(context, test, result) {
      outcome <- outcome_of(result)
      if (is.null(self$outcome)) {
        self$keep(outcome[outcome != "passed"], "a whole file", 0)
      } else if (outcome == "failed" || (outcome == "skipped" && self$outcome == "passed")) {
        self$outcome <- outcome
      }
    },
    end_test = function(context, test) {
      self$keep(self$outcome, test, proc.time()[["elapsed"]] - self$started)
      self$outcome <- NULL
    },
    keep = function(outcome, test, seconds) {
      self$outcomes <- c(self$outcomes, outcome)
      self$seconds <- c(self$seconds, stats::setNames(seconds, test)[seq_along(outcome)])
    }
  )
)$new()

outcome_of <- function(result) {
  if (inherits(result, c("expectation_failure", "expectation_error"))) {
    "failed"
  } else if (inherits(result, "expectation_skip")) {
    "skipped"
  } else {
    "passed"
  }
}

filter <- commandArgs(trailingOnly = TRUE)
Sys.setenv(NOT_CRAN = "true", LANGUAGE = "en")
options(testthat.summary.max_reports = 1000)
test_dir(
  "tests/testthat",
  filter = if (length(filter) > 0) filter,
  package = "rowsparse",
  load_package = "installed",
  reporter = MultiReporter$new(reporters = list(SummaryReporter$new(), counter)),
  stop_on_failure = FALSE
)

slowest <- utils::head(sort(counter$seconds, decreasing = TRUE), 5)
cat(sprintf("%6.1f s  %s\n", slowest, names(slowest)), sep = "")
count <- table(factor(counter$outcomes, c("passed", "failed", "skipped")))
cat(sprintf("%d passed, %d failed, %d skipped\n", count[[1]], count[[2]], count[[3]]))
quit(status = as.integer(count[["failed"]] > 0))
