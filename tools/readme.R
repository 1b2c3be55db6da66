# Runs the R code in README.md and writes what it prints below each expression,
# and the table of methods from their descriptors:
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

# The table between two marks.
method_rows <- function() {
  known <- rowsparse::rowsparse_methods()
  source <- sub("^doi:10.48550/arXiv.", "arXiv ", known$reference)
  labels <- ifelse(known$supervised, "yes", ifelse(takes_response(known$method), "optional", "no"))
  c(
    "| function | labels | keeps | problem | source |", "|---|---|---|---|---|",
    sprintf("| `%s()` | %s | %s | %s | %s |", known$method, labels,
      ifelse(known$exact_k, "k", "ranking"), known$title, sub("^doi:", "doi ", source)
    )
  )
}

takes_response <- function(methods) {
  vapply(methods, function(name) {
    "y" %in% names(formals(getExportedValue("rowsparse", name)))
  }, NA)
}

lines <- readLines("README.md")
marks <- c(which(lines == "<!-- methods -->"), which(lines == "<!-- end of methods -->"))
writeLines(c(lines[seq_len(marks[1])], "", method_rows(), "", lines[seq(marks[2], length(lines))]),
  "README.md"
)
