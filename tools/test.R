# Runs the test suite against the installed package and counts its tests:
#   Rscript tools/test.R [filter]
# The last line reads "N passed, N failed, N skipped"; a test is one test_that()
# block. The exit status is 1 when a test failed, or skipped where
# tools/allowed-skips.txt does not let it.

library(testthat)

# The worst result of every test, and of everything outside a test that did not
# pass (a file that stops or skips as a whole).
counter <- R6::R6Class("Counter",
  inherit = Reporter,
  public = list(
    outcomes = character(),
    seconds = numeric(),
    skips = data.frame(test = character(), reason = character()),
    outcome = NULL,
    started = NULL,
    start_test = function(context, test) {
      self$outcome <- "passed"
      self$started <- proc.time()[["elapsed"]]
    },
    add_result = function(context, test, result) {
      outcome <- outcome_of(result)
      if (outcome == "skipped") {
        name <- if (is.null(self$outcome)) "a whole file" else test
        self$skips[nrow(self$skips) + 1, ] <- list(name, conditionMessage(result))
      }
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

# ---- skips that may be -------------------------------------------------------

switched_on <- function(variable) tolower(Sys.getenv(variable)) %in% c("1", "true", "yes")

# the same search as in tests/testthat/helper-shared.R
has_reference_data <- function() {
  helpers <- new.env()
  sys.source(file.path("tests", "testthat", "helper-shared.R"), helpers)
  !is.null(helpers$shared_dir(file.path(getwd(), "tests", "testthat")))
}

# whether a condition of tools/allowed-skips.txt holds here
holds <- function(condition) {
  package <- sub("^no package ", "", condition)
  if (package != condition) {
    return(!requireNamespace(package, quietly = TRUE))
  }
  switch(condition,
    "no reference data" = !has_reference_data(),
    "no slow tests" = !switched_on("ROWSPARSE_SLOW_TESTS"),
    "memory checker" = switched_on("ROWSPARSE_QUICK"),
    windows = .Platform$OS.type == "windows",
    stop("unknown condition in tools/allowed-skips.txt: ", condition, call. = FALSE)
  )
}

allowed_skips <- function() {
  lines <- readLines(file.path("tools", "allowed-skips.txt"))
  lines <- lines[nzchar(lines) & !startsWith(lines, "#")]
  allowed <- utils::read.table(text = lines, sep = "|", quote = "", comment.char = "",
    strip.white = TRUE, col.names = c("condition", "reason", "test"), colClasses = "character"
  )
  conditions <- unique(allowed$condition)
  allowed[allowed$condition %in% conditions[vapply(conditions, holds, NA)], ]
}

# the skips without a line that allows them
forbidden <- function(skips, allowed) {
  fits <- function(test, reason) {
    any(allowed$test %in% c("*", test) &
      vapply(allowed$reason, grepl, NA, x = reason, fixed = TRUE))
  }
  skips[!as.logical(mapply(fits, skips$test, skips$reason)), ]
}

# ---- the run -----------------------------------------------------------------

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
bad <- forbidden(counter$skips, allowed_skips())
if (nrow(bad) > 0) {
  cat("Skips that tools/allowed-skips.txt does not allow here:\n")
  cat(sprintf("  %s: %s\n", bad$test, gsub("[[:space:]]+", " ", bad$reason)), sep = "")
}
count <- table(factor(counter$outcomes, c("passed", "failed", "skipped")))
cat(sprintf("%d passed, %d failed, %d skipped\n", count[[1]], count[[2]], count[[3]]))
quit(status = as.integer(count[["failed"]] > 0 || nrow(bad) > 0))
