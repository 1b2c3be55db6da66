# Code blocks of README.md and of pkgdown/index.md, run for tools/readme.R and for
# tests/testthat/test-readme.R.

# A code block with fresh output: lines "#> ...". Whole lines are kept, comments and
# empty ones included.
with_output <- function(code, envir) {
  code <- code[!startsWith(code, "#>")]
  expressions <- parse(text = code, keep.source = TRUE)
  ends <- vapply(attr(expressions, "srcref"), function(place) place[3], 0L)
  begins <- c(1L, utils::head(ends, -1) + 1L)
  unlist(lapply(seq_along(expressions), function(i) {
    result <- suppressMessages(withVisible(eval(expressions[[i]], envir)))
    output <- if (result$visible) utils::capture.output(print(result$value))
    c(code[begins[i]:ends[i]], if (length(output)) trimws(paste("#>", output), "right"))
  }))
}

# every package that the block names is there
can_run <- function(block) {
  calls <- unlist(regmatches(block, gregexpr("[[:alnum:].]+(?=::)", block, perl = TRUE)))
  all(vapply(unique(calls), requireNamespace, NA, quietly = TRUE))
}

# the lines of a file with the output of its blocks made again
with_blocks_run <- function(lines, envir) {
  done <- character()
  while (!is.na(open <- match("```r", lines))) {
    close <- min(which(lines == "```" & seq_along(lines) > open))
    block <- lines[seq(open + 1, close - 1)]
    fresh <- if (can_run(block)) with_output(block, envir) else block
    done <- c(done, lines[seq_len(open)], fresh, "```")
    lines <- lines[-seq_len(close)]
  }
  c(done, lines)
}
