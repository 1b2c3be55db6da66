# Circles of calls in src/: no source file may need itself through others, so that each can be
# read, tested and changed with nothing in mind but what stands before it. What a file needs
# is told by its object, compiled for this: the functions that it defines and those that
# it leaves open. Nor may there be a function that only the tests of src/testing call. Prints
# what breaks a rule; the exit status is then 1.

folder <- file.path("build", "objects")
sources <- list.files("src", pattern = "[.]c$", recursive = TRUE)

# circles that wait to be dissolved, a vector of files each: the list may only shrink
known <- list()

# ---- objects ---------------------------------------------------------------------------

config <- function(variable) {
  words <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", variable), stdout = TRUE)
  strsplit(words, " +")[[1]]
}

compile <- function(source) {
  object <- file.path(folder, sub("[.]c$", ".o", source))
  dir.create(dirname(object), recursive = TRUE, showWarnings = FALSE)
  status <- system2(compiler[1], c(compiler[-1], include, file.path("src", source), "-o", object))
  if (status != 0) stop("cannot compile src/", source, call. = FALSE)
  object
}

# rows of name and kind: "U" where it is left open, capitals where others see it
symbols_of <- function(object) {
  lines <- system2("nm", c("-g", "-P", object), stdout = TRUE)
  fields <- strsplit(lines, " ")
  data.frame(name = vapply(fields, `[`, "", 1), kind = vapply(fields, `[`, "", 2))
}

compiler <- config("CC")
include <- c(
  "-c", "-O0", "-w", "-Isrc", config("--cppflags"), "-DUSE_FC_LEN_T", "-DSTRICT_R_HEADERS",
  "-DR_NO_REMAP", "-DROWSPARSE_TESTING=1", "-fopenmp"
)
unlink(folder, recursive = TRUE)
objects <- vapply(sources, compile, "")
symbols <- lapply(objects, symbols_of)

open <- lapply(symbols, function(s) s$name[s$kind %in% c("U", "w", "v")])
defined <- lapply(symbols, function(s) s$name[grepl("^[A-TVX]$", s$kind)])
home <- stats::setNames(rep(sources, lengths(defined)), unlist(defined))
needs <- lapply(open, function(names) unique(stats::na.omit(unname(home[names]))))

# ---- circles ---------------------------------------------------------------------------

reached_from <- function(file) {
  seen <- character()
  todo <- needs[[file]]
  while (length(todo) > 0) {
    seen <- c(seen, todo)
    todo <- setdiff(unlist(needs[todo]), seen)
  }
  seen
}
reached <- lapply(stats::setNames(sources, sources), reached_from)

# those of a circle reach each other
circles <- unique(lapply(sources, function(a) {
  sort(Filter(function(b) a %in% reached[[b]], reached[[a]]))
}))
circles <- circles[lengths(circles) > 0]
is_known <- vapply(circles, function(circle) {
  any(vapply(known, function(files) all(circle %in% files), NA))
}, NA)

describe <- function(circle) {
  pairs <- unlist(lapply(circle, function(a) {
    there <- intersect(needs[[a]], setdiff(circle, a))
    vapply(there, function(b) {
      calls <- intersect(open[[a]], names(home)[home == b])
      sprintf("  src/%s calls %s of src/%s", a, paste(calls, collapse = ", "), b)
    }, "")
  }))
  c(paste("A circle of calls:", paste(circle, collapse = ", ")), unname(pairs))
}

found <- unlist(lapply(circles[!is_known], describe))
gone <- known[!vapply(known, function(files) any(files %in% unlist(circles)), NA)]
found <- c(found, vapply(gone, function(files) {
  sprintf("tools/lint-calls.R allows a circle that is no longer there: %s", toString(files))
}, ""))

# ---- functions that only the tests call --------------------------------------------------

is_entry <- grepl("^C_|^R_", names(home))
core <- home[!is_entry & !startsWith(home, "testing/")]
used <- unlist(open[!startsWith(sources, "testing/")])
is_used <- names(core) %in% used | mapply(function(name, file) {
  text <- readLines(file.path("src", file), warn = FALSE)
  sum(grepl(sprintf("\\b%s\\b", name), text)) > 1
}, names(core), core)
in_r <- unlist(lapply(list.files("R", "[.]R$", full.names = TRUE), readLines, warn = FALSE))
entries <- home[startsWith(names(home), "C_") & startsWith(home, "glue/")]
is_called <- vapply(names(entries), function(name) {
  any(grepl(sprintf("\\b%s\\b", name), in_r))
}, NA)
idle <- c(core[!is_used], entries[!is_called])
found <- c(found, sprintf("src/%s: nothing but the tests calls %s", idle, names(idle)))

if (length(found) > 0) {
  writeLines(found)
  quit(status = 1)
}
cat(sprintf("%d source files: no circle of calls%s\n", length(sources),
  if (length(known) > 0) sprintf(" but %d that are known", length(known)) else ""
))
