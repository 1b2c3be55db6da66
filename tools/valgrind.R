# Prints the errors in a valgrind XML report that have code of rowsparse on the
# stack; exit status 1 when there are any:
#   Rscript tools/valgrind.R <report.xml>

report <- paste(readLines(commandArgs(trailingOnly = TRUE)[1], warn = FALSE), collapse = "\n")
errors <- regmatches(report, gregexpr("(?s)<error>.*?</error>", report, perl = TRUE))[[1]]
ours <- errors[grepl("/rowsparse[.]so</obj>", errors)]

# Contents of every <tag> in some XML text, "" where a frame has none.
contents <- function(tag, text) {
  pattern <- sprintf("(?s).*<%s>(.*?)</%s>.*", tag, tag)
  ifelse(grepl(pattern, text, perl = TRUE), sub(pattern, "\\1", text, perl = TRUE), "")
}

print_error <- function(error) {
  frames <- regmatches(error, gregexpr("(?s)<frame>.*?</frame>", error, perl = TRUE))[[1]]
  cat(contents("kind", error), "\n", sep = "")
  cat(sprintf("  %s (%s:%s)\n", contents("fn", frames), contents("file", frames),
    contents("line", frames)), sep = "")
}

invisible(lapply(ours, print_error))
cat(sprintf("valgrind: %d errors, %d of them in rowsparse\n", length(errors), length(ours)))
quit(status = as.integer(length(ours) > 0))
