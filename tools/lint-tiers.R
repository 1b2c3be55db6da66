# The tiers of src/, read off the includes: a file may include what stands in its
# own folder or in one before it, only the glue and init.c know R, no two headers
# include each other, and Makevars lists every source file once. Prints what
# breaks a rule; the exit status is then 1.

tiers <- c("base", "la", "data", "solve", "eigen", "sets", "proof", "graph", "method", "glue",
  "testing"
)
files <- list.files("src", pattern = "[.][ch]$", recursive = TRUE)
tier_of <- function(file) {
  folder <- dirname(file)
  if (folder == ".") length(tiers) + 1L else match(sub("/.*", "", folder), tiers)
}

includes_of <- function(file, mark) {
  lines <- readLines(file.path("src", file), warn = FALSE)
  pattern <- sprintf("^#include %s([^\">]+).*", mark)
  sub(pattern, "\\1", grep(pattern, lines, value = TRUE))
}
includes <- lapply(stats::setNames(files, files), includes_of, mark = "\"")

unknown_folder <- files[is.na(vapply(files, tier_of, 0L))]
upwards <- unlist(lapply(files, function(file) {
  there <- vapply(includes[[file]], tier_of, 0L)
  bad <- names(there)[is.na(there) | there > tier_of(file)]
  if (length(bad) > 0) sprintf("src/%s includes %s, which is above it", file, bad)
}))
missing_file <- unlist(lapply(files, function(file) {
  bad <- includes[[file]][!file.exists(file.path("src", includes[[file]]))]
  if (length(bad) > 0) sprintf("src/%s includes %s, which does not exist", file, bad)
}))

# BLAS and LAPACK are declared in R's headers, and wanted in la alone
knows_r <- unlist(lapply(files[vapply(files, tier_of, 0L) < match("glue", tiers)],
  function(file) {
    system <- includes_of(file, "<")
    bad <- grep("^R[.]h$|^Rinternals|^Rmath|^R_ext/", system, value = TRUE)
    if (dirname(file) == "la") bad <- bad[!bad %in% c("R_ext/BLAS.h", "R_ext/Lapack.h")]
    if (length(bad) > 0) sprintf("src/%s includes <%s>: only the glue knows R", file, bad)
  }
))

# a header reached from itself through others
reached_from <- function(file) {
  seen <- character(0)
  todo <- includes[[file]]
  while (length(todo) > 0) {
    seen <- c(seen, todo)
    todo <- setdiff(unlist(includes[todo]), seen)
  }
  seen
}
headers <- grep("[.]h$", files, value = TRUE)
circular <- headers[vapply(headers, function(file) file %in% reached_from(file), NA)]

# a source file and its header stand for one module: no two need each other
module <- sub("[.][ch]$", "", files)
needs <- lapply(split(includes, module), function(x) unique(sub("[.]h$", "", unlist(x))))
needs <- lapply(stats::setNames(names(needs), names(needs)), function(m) setdiff(needs[[m]], m))
mutual <- unlist(lapply(names(needs), function(a) {
  both <- Filter(function(b) b > a && a %in% needs[[b]], needs[[a]])
  if (length(both) > 0) sprintf("src/%s and src/%s need each other", a, both)
}))

makevars <- readLines("src/Makevars")
listed <- sub("^ *([a-z0-9_/]+)[.]o.*", "\\1.c", grep("^ *[a-z0-9_/]+[.]o", makevars, value = TRUE))
sources <- grep("[.]c$", files, value = TRUE)
makefile <- c(
  sprintf("src/Makevars does not list %s", setdiff(sources, listed)),
  sprintf("src/Makevars lists %s, which does not exist", setdiff(listed, sources)),
  sprintf("src/Makevars lists %s twice", listed[duplicated(listed)]),
  if (is.unsorted(vapply(listed, tier_of, 0L))) "src/Makevars is not in the order of the tiers"
)

found <- c(
  sprintf("src/%s is in no tier", unknown_folder), upwards, missing_file, knows_r,
  sprintf("src/%s includes itself through others", circular), mutual, makefile
)
if (length(found) > 0) {
  writeLines(found)
  quit(status = 1)
}
cat(sprintf("%d files in %d tiers: nothing is included upwards\n", length(files), length(tiers)))
