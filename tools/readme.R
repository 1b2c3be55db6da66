# Runs the R code in README.md and writes what it prints below each expression:
#   Rscript tools/readme.R

# A code block with fresh output: lines "#> ...".
with_output <- function(code) {
  expressions <- parse(text = code[!startsWith(code, "#>")], keep.source = TRUE)
  sources <- lapply(attr(expressions, "srcref"), as.character)
  outputs <- lapply(expressions, function(expression) {
    result <- withVisible(eval(expression, globalenv()))
    if (result$visible) paste("#>", utils::capture.output(print(result$value)))
  })
  unlist(Map(c, sources, outputs))
}

lines <- readLines("README.md")
open <- which(lines == "```r")
close <- min(which(lines == "```" & seq_along(lines) > open))
block <- with_output(lines[seq(open + 1, close - 1)])
writeLines(c(lines[seq_len(open)], block, lines[seq(close, length(lines))]), "README.md")
