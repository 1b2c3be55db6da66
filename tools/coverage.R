# Which test reaches which lines of R and of C, each test in a process of its own: the share
# reached file by file, what no test reaches (coverage/unreached.txt), and what tools/mutants.py
# reads: coverage/points.csv, the places that are watched, and tests.csv, which of them are met.
#   Rscript tools/coverage.R           in JOBS processes
#   Rscript tools/coverage.R serve     for tools/mutants.py: each line of the standard input has a
#                                      folder with library/rowsparse, and package/R to be taken
#                                      instead of what is installed, and a file that lists tests
#                                      as file:line: how does each of them go?

home <- getwd()
folder <- file.path(home, "build", "coverage")
jobs <- as.integer(Sys.getenv("JOBS", "1"))
Sys.setenv(ROWSPARSE_TESTING = "1", NOT_CRAN = "true", LANGUAGE = "en", TESTTHAT = "true",
  TESTTHAT_PKG = "rowsparse", TZ = "UTC", OPENBLAS_NUM_THREADS = "1", OMP_NUM_THREADS = "1")

# here, and in processes that tests start
use_library <- function(library) {
  .libPaths(c(library, .libPaths()))
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
}

# ---- tests ---------------------------------------------------------------------------

start_tests <- function() {
  library(testthat)
  library(rowsparse)
  setwd(file.path(home, "tests", "testthat"))
  local_edition(3, .env = globalenv())
}

read_tests <- function(file) {
  code <- parse(file, keep.source = TRUE)
  is_test <- function(part) is.call(part) && identical(part[[1]], quote(test_that))
  data.frame(name = paste0(file, ":", vapply(attr(code, "srcref"), `[`, 0L, 1L)),
    is_test = vapply(code, is_test, NA), code = I(as.list(code)))
}

# where the tests of a file are run: the package, helpers, and what the file defines
around <- function(parts) {
  place <- new.env(parent = asNamespace("rowsparse"))
  testthat::source_test_helpers(".", place)
  testthat::source_test_setup(".", place)
  for (part in parts$code[!parts$is_test]) eval(part, place)
  place
}

# calls `failing` whenever a test fails, by what fails in tools/test.R
run_test <- function(test, place, failing) {
  watcher <- R6::R6Class("Watcher", inherit = testthat::Reporter, public = list(
    add_result = function(context, test, result) {
      kinds <- paste0("expectation_", c("failure", "error", "warning"))
      if (inherits(result, kinds)) failing()
    }
  ))
  testthat::with_reporter(watcher$new(), {
    set.seed(1)
    suppressMessages(eval(test, place))
  })
}

# says how the tests of a list go with the package of a folder
run_list <- function(from, list) {
  say <- function(...) cat("\n test", ..., "\n")
  say(0, "pid", Sys.getpid())
  use_library(file.path(from, "library"))
  replace_code(loadNamespace("rowsparse"), file.path(from, "package", "R"))
  start_tests()
  wanted <- readLines(list)
  files <- sub(":.*", "", wanted)
  parts <- lapply(stats::setNames(nm = unique(files)), read_tests)
  places <- new.env()
  for (at in seq_along(wanted)) {
    say(at, "begins")
    file <- files[at]
    if (is.null(places[[file]])) places[[file]] <- around(parts[[file]])
    test <- parts[[file]]$code[[match(wanted[at], parts[[file]]$name)]]
    run_test(test, places[[file]], function() say(at, "fails"))
    say(at, "ends")
  }
}

# the R code of a folder, instead of installing it
replace_code <- function(space, code) {
  for (name in ls(space, all.names = TRUE)) unlockBinding(name, space)
  code <- unlist(lapply(list.files(code, full.names = TRUE), parse, keep.source = FALSE))
  for (part in code) if (identical(part[[1]], quote(`<-`))) eval(part, space)
  library <- dirname(getNamespaceInfo(space, "path"))
  registerS3methods(parseNamespaceFile("rowsparse", library)$S3methods, "rowsparse", space)
  space$.onLoad(library, "rowsparse")
}

# what takes long to load, before the processes of tests begin
load_heavy <- function() {
  packages <- c("testthat", "R6", "Matrix", "SingleCellExperiment", "HDF5Array", "recipes")
  for (package in packages) requireNamespace(package, quietly = TRUE)
}

# a process for each line
serve <- function() {
  load_heavy()
  input <- file("stdin", "r")
  while (length(line <- readLines(input, 1L)) > 0L) {
    asked <- strsplit(line, "\t")[[1]]
    try(parallel::mccollect(parallel::mcparallel(run_list(asked[1], asked[2]))))
    cat("\n test 0 over\n")
  }
}

# ---- a package that is watched -------------------------------------------------------

# R code that calls .reach() before every statement; the points after `last`
watch_r <- function(file, last) {
  lines <- readLines(file)
  nodes <- utils::getParseData(parse(file, keep.source = TRUE))
  nodes <- nodes[nodes$token != "COMMENT", ]
  opening <- nodes$token[match(nodes$parent, nodes$parent)] # of the parent
  statement <- opening == "'{'" & !nodes$token %in% c("'{'", "'}'", "';'")
  bare <- opening %in% c("FUNCTION", "'\\\\'") & !duplicated(nodes$parent, fromLast = TRUE) &
    nodes$token[match(nodes$id, nodes$parent)] != "'{'" # a function without braces
  points <- cbind(nodes, bare)[statement | bare, ]
  bare <- points$bare
  id <- last + seq_along(bare)
  insert <- data.frame(line = c(points$line1, points$line2[bare]),
    column = c(points$col1, points$col2[bare] + 1L),
    text = c(sprintf("%s.reach(%d);", ifelse(bare, "{", ""), id), rep("}", sum(bare))))
  for (at in order(-insert$line, -insert$column)) {
    line <- lines[insert$line[at]]
    lines[insert$line[at]] <- paste0(substr(line, 1L, insert$column[at] - 1L), insert$text[at],
      substring(line, insert$column[at]))
  }
  writeLines(lines, file)
  data.frame(point = id, file = rep(paste0("R/", basename(file)), length(id)),
    first = points$line1, last = points$line2)
}

reach_r <- "
.reached <- new.env(parent = emptyenv())
.reach <- function(point) assign(as.character(point), TRUE, .reached)
"

# clang has a flag for every block of code, and its address: the offsets of all or of those met
reach_c <- "
#define _GNU_SOURCE
#include <dlfcn.h>
#include <Rinternals.h>
static char *flag;
static char **block;
static int count;
void __sanitizer_cov_bool_flag_init(char *start, char *stop)
{
    flag = start;
    count = (int)(stop - start);
}
void __sanitizer_cov_pcs_init(char **start, char **stop)
{
    block = start;
    (void)stop;
}
SEXP reached(SEXP all)
{
    SEXP out = PROTECT(Rf_allocVector(INTSXP, count));
    Dl_info info;
    dladdr(block[0], &info);
    for (int i = 0; i < count; i++)
        INTEGER(out)[i] = Rf_asLogical(all) || flag[i]
            ? (int)(block[2 * i] - (char *)info.dli_fbase) : NA_INTEGER;
    UNPROTECT(1);
    return out;
}
"

# the lines of each block, whose point is minus its offset
watched_c <- function(library, offsets) {
  text <- system2("objdump", c("-d", "-l", "--no-show-raw-insn", library), stdout = TRUE)
  is_place <- grepl("^/.*[.][ch]:[0-9]+", text)
  steps <- grep("^ +[0-9a-f]+:\t", text)
  address <- strtoi(sub(":.*", "", trimws(text[steps])), 16L)
  place <- sub(" .*", "", sub(".*/src/([.]/)?", "src/", text[is_place]))
  rows <- unique(stats::na.omit(data.frame(
    point = -c(NA, sort(offsets))[findInterval(address, sort(offsets)) + 1L],
    place = c(NA, place)[cumsum(is_place)[steps] + 1L]
  )))
  line <- as.integer(sub(".*:", "", rows$place))
  data.frame(point = rows$point, file = sub(":.*", "", rows$place), first = line, last = line)
}

install_watched <- function() {
  unlink(folder, recursive = TRUE)
  for (part in c("library", "package")) dir.create(file.path(folder, part), recursive = TRUE)
  file.copy(c("DESCRIPTION", "NAMESPACE", "LICENSE", "R", "src", "inst"),
    file.path(folder, "package"), recursive = TRUE)
  old <- setwd(folder)
  on.exit(setwd(old))
  unlink(list.files("package/src", "[.]s?o$", recursive = TRUE, full.names = TRUE))
  points <- NULL
  for (file in list.files("package/R", full.names = TRUE)) {
    points <- rbind(points, watch_r(file, NROW(points)))
  }
  writeLines(reach_r, "package/R/AAA.R")
  writeLines(reach_c, "reach.c")
  writeLines(c("CC = clang", "CFLAGS = -O1 -g", "SHLIB_OPENMP_CFLAGS ="), "Makevars")
  Sys.setenv(R_MAKEVARS_USER = file.path(folder, "Makevars"), ROWSPARSE_SYMBOLS = "keep",
    MAKEFLAGS = paste0("-j", jobs))
  stopifnot(system2("R", c("CMD", "SHLIB", "reach.c"), stdout = "reach.log") == 0L)
  # every block has a flag: a line belongs to the block that begins before it
  cat("CFLAGS += -fsanitize-coverage=bb,no-prune,inline-bool-flag,pc-table\n", file = "Makevars",
    append = TRUE)
  install <- c("CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile",
    "--library=library", "package")
  stopifnot(system2("R", install, stdout = "install.log", stderr = "install.log") == 0L)
  points
}

# one test in a process of its own, which has met nothing before
trace_test <- function(test, parts) {
  began <- sum(proc.time()[1:2])
  outcome <- "passed"
  run_test(test$code[[1]], around(parts), function() outcome <<- "failed")
  met <- c(-stats::na.omit(.Call("reached", FALSE)), ls(asNamespace("rowsparse")$.reached))
  data.frame(test = test$name, seconds = sum(proc.time()[1:2]) - began, outcome = outcome,
    points = paste(met, collapse = " "))
}

trace_tests <- function() {
  load_heavy()
  start_tests()
  on.exit(setwd(home))
  parts <- lapply(list.files(pattern = "^test-.*[.]R$"), read_tests)
  tests <- do.call(rbind, lapply(seq_along(parts), function(file) cbind(parts[[file]], file)))
  tests <- tests[tests$is_test, ]
  traced <- parallel::mclapply(seq_len(nrow(tests)), function(at) {
    own <- parallel::mcparallel(trace_test(tests[at, ], parts[[tests$file[at]]]))
    parallel::mccollect(own)[[1]]
  }, mc.preschedule = FALSE, mc.cores = jobs) # which forks only if there are several
  do.call(rbind, Filter(is.data.frame, traced))
}

report <- function(points, tests) {
  points$met <- points$point %in% unlist(strsplit(tests$points, " "))
  lines <- stats::aggregate(met ~ first + file, points, any)
  percent <- function(by) sort(100 * tapply(lines$met, by, mean))
  by_file <- percent(lines$file)
  cat(sprintf("%6.1f%%  %s\n", by_file, names(by_file)), sep = "")
  unreached <- lines[!lines$met, ]
  writeLines(sprintf("%s:%d", unreached$file, unreached$first), "coverage/unreached.txt")
  cat(sprintf("failed: %s\n", tests$test[tests$outcome == "failed"]), sep = "")
  by_language <- percent(ifelse(startsWith(lines$file, "src/"), "C", "R"))
  cat(sprintf("%s %.1f%%\n", names(by_language), by_language), sep = "")
}

if (length(commandArgs(trailingOnly = TRUE)) > 0L) {
  serve()
} else {
  points <- install_watched()
  dyn.load(file.path(folder, "reach.so"), local = FALSE)
  use_library(file.path(folder, "library"))
  loadNamespace("rowsparse")
  library <- file.path(folder, "library", "rowsparse", "libs", "rowsparse.so")
  points <- rbind(points, watched_c(library, .Call("reached", TRUE)))
  tests <- trace_tests()
  dir.create("coverage", showWarnings = FALSE)
  utils::write.csv(points, "coverage/points.csv", row.names = FALSE, quote = FALSE)
  utils::write.csv(tests, "coverage/tests.csv", row.names = FALSE, quote = FALSE)
  writeLines(system2("git", c("rev-parse", "HEAD"), stdout = TRUE), "coverage/commit")
  report(points, tests)
}
