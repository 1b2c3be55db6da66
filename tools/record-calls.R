# Runs the test suite and keeps, for every entry point of the C code, a few
# quick calls of different kinds with their arguments in build/calls.rds, for
# tools/replay-calls.R to repeat under a memory checker:
#   Rscript tools/record-calls.R [filter]

library(testthat)
# the whole suite: its core does not reach all entry points
Sys.setenv(NOT_CRAN = "true", ROWSPARSE_QUICK = "true")

calls_per_entry <- 12
longest_call <- 0.2 # seconds
largest_call <- 2e6 # bytes

recorded <- new.env()

# What kind of call it is: the types of all arguments, and the values of flags
# and counts, which choose the way through the code.
signature_of <- function(arguments) {
  kind <- function(x) {
    chooses <- length(x) == 1 && (is.integer(x) || is.logical(x) || is.character(x))
    if (chooses) as.character(x) else typeof(x)
  }
  paste(rapply(arguments, kind, how = "unlist"), collapse = " ")
}

record <- function(entry, arguments, seconds) {
  if (seconds > longest_call || object.size(arguments) > largest_call) {
    return()
  }
  known <- recorded[[entry]]
  key <- signature_of(arguments)
  if (length(known) < calls_per_entry && !key %in% names(known)) {
    known[[key]] <- arguments
    recorded[[entry]] <- known
  }
}

recording_call <- function(.NAME, ...) {
  started <- proc.time()[["elapsed"]]
  value <- base::.Call(.NAME, ...)
  record(.NAME$name, list(...), proc.time()[["elapsed"]] - started)
  value
}

# A twin of the package's namespace whose functions find this .Call first.
recording_twin <- function(namespace) {
  twin <- new.env(parent = parent.env(namespace))
  for (name in ls(namespace, all.names = TRUE)) {
    value <- namespace[[name]]
    if (is.function(value) && identical(environment(value), namespace)) {
      environment(value) <- twin
    }
    twin[[name]] <- value
  }
  twin$.Call <- recording_call
  table <- twin$described_methods()
  twin$method_table <- function() table
  twin
}

filter <- commandArgs(trailingOnly = TRUE)
test_dir(
  "tests/testthat",
  filter = if (length(filter) > 0) filter,
  env = new.env(parent = recording_twin(asNamespace("rowsparse"))),
  load_package = "none", reporter = "check", stop_on_failure = FALSE
)

calls <- as.list(recorded)
saveRDS(calls, "build/calls.rds")
cat(sprintf("\n%d calls of %d entry points recorded\n", sum(lengths(calls)), length(calls)))
