# Reference data and reference runs live outside the package, in a folder with
# the subfolders `data` and `reference`. ROWSPARSE_SHARED names it; otherwise a
# folder `shared` beside any directory above the tests is taken. Where there is
# none the tests that need it are skipped, and tools/test.R counts them.

is_shared_dir <- function(path) all(dir.exists(file.path(path, c("data", "reference"))))

# Path of the reference folder, or NULL.
shared_dir <- function(from = getwd()) {
  named <- Sys.getenv("ROWSPARSE_SHARED", unset = "")
  if (nzchar(named)) {
    return(if (is_shared_dir(named)) normalizePath(named) else NULL)
  }
  here <- normalizePath(from)
  repeat {
    above <- dirname(here)
    if (identical(above, here)) {
      return(NULL)
    }
    candidate <- file.path(above, "shared")
    if (is_shared_dir(candidate)) {
      return(candidate)
    }
    here <- above
  }
}

shared_data <- function(name) read_shared("data", name)

shared_reference <- function(name) read_shared("reference", name)

read_shared <- function(folder, name) {
  file <- paste0(name, ".rds")
  directory <- shared_dir()
  if (is.null(directory)) {
    testthat::skip(sprintf("%s/%s is not here: set ROWSPARSE_SHARED", folder, file))
  }
  path <- file.path(directory, folder, file)
  if (!file.exists(path)) {
    testthat::skip(sprintf("%s/%s is missing from %s", folder, file, directory))
  }
  readRDS(path)
}

is_switched_on <- function(variable) tolower(Sys.getenv(variable)) %in% c("1", "true", "yes")

# Ends a file of tests in the core of the suite: what CRAN runs, and what every build of the C code
# must pass. Tests above the call are the core, and a file without one is core as a whole.
core_ends_here <- function() {
  core <- is_switched_on("ROWSPARSE_CORE") || !is_switched_on("NOT_CRAN")
  testthat::skip_if(core, "the core of the suite ends here")
}

# Tests of more than about five seconds run in `make release`, with ROWSPARSE_SLOW_TESTS=true.
skip_slow <- function() testthat::skip_if_not(is_slow(), "ROWSPARSE_SLOW_TESTS is not set")

is_slow <- function() is_switched_on("ROWSPARSE_SLOW_TESTS")

# How many of `count` random instances a test takes: all of them among the slow tests, otherwise a
# fifth, which still differ by what they are made to be, and under the memory checkers a twentieth
instances <- function(count) ceiling(count / if (is_slow()) 1 else if (is_quick()) 20 else 5)

# Memory checkers run the code 20 to 50 times slower and set ROWSPARSE_QUICK.
# A test may leave out its larger cases then, or shrink them.
is_quick <- function() is_switched_on("ROWSPARSE_QUICK")

skip_if_quick <- function() testthat::skip_if(is_quick(), "ROWSPARSE_QUICK is set")
