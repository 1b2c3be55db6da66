# Runs the test suite against the installed package and counts its tests:
#   Rscript tools/test.R [filter]
# SUITE is what is run: whole (the default); slow, the whole with what is slow;
# core, what can depend on the compiler, the BLAS or the number of threads; published, the
# tests that read reference data. The files are shared out among JOBS processes (one if it is not
# set); seconds are of the processor, child processes included. A test is one
# test_that() block; it fails also by a warning that it does not expect. The last line
# reads "N passed, N failed, N skipped". The exit status is 1 when a test failed, or was
# skipped where tools/allowed-skips.txt does not let it.

# ---- the tests of a file, in one of the processes ---------------------------------

# Runs one file of tests. Its tests with their outcomes and seconds, the reasons of
# those that were skipped, and what the others that did not pass say.
run_file <- function(path) {
  library(testthat)
  compiler::enableJIT(1L) # what runs once takes longer to compile than to run
  seen <- list(test = character(), outcome = character(), seconds = numeric(), note = character())
  worst <- NULL # of the running test; outside a test only what does not pass counts
  started <- NULL
  processor_seconds <- function() sum(proc.time()[-3])
  began <- processor_seconds()

  outcome_of <- function(result) {
    if (inherits(result, c("expectation_failure", "expectation_error", "expectation_warning"))) {
      "failed"
    } else if (inherits(result, "expectation_skip")) {
      "skipped"
    } else {
      "passed"
    }
  }
  text_of <- function(result, outcome) {
    if (outcome == "skipped") {
      return(gsub("[[:space:]]+", " ", sub("^Reason: ", "", conditionMessage(result))))
    }
    kind <- sub("expectation_", "", class(result)[1])
    paste0(kind, ", line ", c(result$srcref[1], "?")[1], ": ", format(result))
  }
  keep <- function(test, outcome, seconds, note) {
    seen <<- Map(c, seen, list(test, outcome, seconds, note))
  }
  watcher <- R6::R6Class("Watcher", inherit = Reporter, public = list(
    start_test = function(context, test) {
      worst <<- list(outcome = "passed", note = character())
      started <<- processor_seconds()
    },
    add_result = function(context, test, result) {
      outcome <- outcome_of(result)
      if (outcome == "passed") {
        return()
      }
      note <- text_of(result, outcome)
      if (is.null(worst)) {
        keep("a whole file", outcome, 0, note)
      } else if (outcome == "failed" && worst$outcome == "failed") {
        worst$note <<- c(worst$note, note)
      } else if (outcome == "failed" || worst$outcome == "passed") {
        worst <<- list(outcome = outcome, note = note)
      }
    },
    end_test = function(context, test) {
      keep(test, worst$outcome, processor_seconds() - started, paste(worst$note, collapse = "\n"))
      worst <<- NULL
    }
  ))
  suppressMessages(test_file(path, package = "rowsparse", load_package = "installed",
    reporter = watcher$new(), stop_on_failure = FALSE
  ))
  tests <- data.frame(file = rep(basename(path), length(seen$test)), seen)
  tests <- tests[tests$note != "the core of the suite ends here", ]
  failed <- tests[tests$outcome == "failed", ]
  spent <- processor_seconds() - began
  cat(sprintf("%6.1f s  %s: %d tests%s\n", spent, basename(path), nrow(tests),
    if (nrow(failed) > 0) sprintf(", %d FAILED", nrow(failed)) else ""))
  cat(sprintf("-- %s: %s\n%s\n\n", failed$file, failed$test, failed$note), sep = "")
  list(tests = tests, seconds = data.frame(file = basename(path), seconds = spent))
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
    "no slow tests" = suite != "slow",
    "memory checker" = switched_on("ROWSPARSE_QUICK"),
    "no testing build" = !switched_on("ROWSPARSE_TESTING"),
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

# for every skip the condition that allows it, NA where there is none
allowed_by <- function(skips, allowed) {
  condition <- function(test, reason) {
    fits <- allowed$test %in% c("*", test) &
      vapply(allowed$reason, grepl, NA, x = reason, fixed = TRUE)
    allowed$condition[fits][1]
  }
  as.character(mapply(condition, skips$test, skips$note))
}

# ---- which tests -----------------------------------------------------------------

test_paths <- function(folder, filter) {
  files <- list.files(folder, pattern = "^test-.*[.]R$", full.names = TRUE)
  names <- sub("^test-(.*)[.]R$", "\\1", basename(files))
  files <- files[if (length(filter) > 0) grepl(filter, names) else TRUE]
  if (suite == "core") files <- Filter(has_core, files)
  if (length(files) == 0) stop("no file of tests has such a name: ", filter, call. = FALSE)
  files[order(-file.size(files))] # the long ones first: no process waits at the end
}

# Are there tests above the end of the core?
has_core <- function(path) {
  lines <- readLines(path)
  !"core_ends_here()" %in% lines ||
    any(startsWith(lines[seq_len(match("core_ends_here()", lines))], "test_that("))
}

# A copy of the tests in which those that read no reference data are blank lines
published_copy <- function(folder) {
  copy <- file.path("build", "published")
  unlink(copy, recursive = TRUE)
  dir.create(copy, recursive = TRUE)
  file.copy(list.files(folder, full.names = TRUE), copy, recursive = TRUE)
  helpers <- unlist(lapply(list.files(copy, "^helper-", full.names = TRUE), parse))
  readers <- grown_by("read_shared", helpers)
  for (file in list.files(copy, pattern = "^test-", full.names = TRUE)) {
    keep_readers(file, readers)
  }
  copy
}

keep_readers <- function(file, readers) {
  code <- parse(file, keep.source = TRUE)
  is_test <- vapply(code, is_call_of, NA, name = "test_that")
  reads <- vapply(code, mentions, NA, names = grown_by(readers, code[!is_test]))
  if (!any(is_test & reads)) {
    return(unlink(file))
  }
  lines <- readLines(file)
  for (place in attr(code, "srcref")[is_test & !reads]) lines[place[1]:place[3]] <- ""
  writeLines(lines, file)
}

is_call_of <- function(code, name) is.call(code) && identical(code[[1]], as.name(name))

mentions <- function(code, names) any(all.names(code) %in% names)

# these names, and those of the functions that code defines by way of them
grown_by <- function(names, code) {
  more <- lapply(code, function(part) {
    if (is_call_of(part, "<-") && mentions(part[[3]], names)) as.character(part[[2]])
  })
  grown <- union(names, unlist(more))
  if (length(grown) > length(names)) grown_by(grown, code) else grown
}

# ---- the run ---------------------------------------------------------------------

run_files <- function(paths, jobs) {
  jobs <- min(jobs, length(paths))
  if (jobs < 2) {
    return(lapply(paths, run_file))
  }
  # several processes of several threads each would only wait for each other
  Sys.setenv(OPENBLAS_NUM_THREADS = Sys.getenv("OPENBLAS_NUM_THREADS", "1"))
  workers <- parallel::makeCluster(jobs, outfile = "")
  on.exit(try(parallel::stopCluster(workers), silent = TRUE))
  parallel::clusterCall(workers, setwd, getwd())
  # one process loads what takes many seconds to load
  heavy <- vapply(paths, function(path) any(grepl("Experiment", readLines(path))), NA)
  tasks <- c(list(paths[heavy]), paths[!heavy])
  do.call(c, parallel::clusterApplyLB(workers, tasks, lapply, run_file))
}

suite <- match.arg(Sys.getenv("SUITE", "whole"), c("whole", "slow", "core", "published"))
Sys.setenv(NOT_CRAN = "true", LANGUAGE = "en", TZ = Sys.getenv("TZ", "UTC"),
  ROWSPARSE_CORE = suite == "core", ROWSPARSE_SLOW_TESTS = suite == "slow"
)
folder <- file.path("tests", "testthat")
if (suite == "published") folder <- published_copy(folder)
jobs <- suppressWarnings(as.integer(Sys.getenv("JOBS", "1")))
paths <- test_paths(folder, commandArgs(trailingOnly = TRUE))
files <- run_files(paths, max(1L, jobs, na.rm = TRUE))
tests <- do.call(rbind, lapply(files, `[[`, "tests"))
seconds <- do.call(rbind, lapply(files, `[[`, "seconds"))

slowest <- utils::head(tests[order(-tests$seconds), ], 5)
cat("Slowest tests:\n", sprintf("%6.1f s  %s\n", slowest$seconds, slowest$test), sep = "")
slowest <- utils::head(seconds[order(-seconds$seconds), ], 5)
cat("Slowest files:\n", sprintf("%6.1f s  %s\n", slowest$seconds, slowest$file), sep = "")
cat(sprintf("%6.1f s  of the processor in all\n", sum(seconds$seconds)))

skips <- tests[tests$outcome == "skipped", ]
condition <- allowed_by(skips, allowed_skips())
without_data <- sum(condition %in% "no reference data")
if (without_data > 0) {
  cat(sprintf("%d tests skipped for want of reference data, whose folder ROWSPARSE_SHARED names\n",
    without_data))
}
bad <- skips[is.na(condition), ]
if (nrow(bad) > 0) {
  cat("Skips that tools/allowed-skips.txt does not allow here:\n")
  cat(sprintf("  %s: %s\n", bad$test, bad$note), sep = "")
}
count <- table(factor(tests$outcome, c("passed", "failed", "skipped")))
cat(sprintf("%d passed, %d failed, %d skipped\n", count[[1]], count[[2]], count[[3]]))
quit(status = as.integer(count[["failed"]] > 0 || nrow(bad) > 0))
