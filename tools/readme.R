# Runs the R code in README.md and in pkgdown/index.md and writes what it prints below
# each expression, and the table of methods from their descriptors:
#   Rscript tools/readme.R

# A code block with fresh output: lines "#> ...". Whole lines are kept, comments and
# empty ones included.
with_output <- function(code) {
  code <- code[!startsWith(code, "#>")]
  expressions <- parse(text = code, keep.source = TRUE)
  ends <- vapply(attr(expressions, "srcref"), function(place) place[3], 0L)
  begins <- c(1L, utils::head(ends, -1) + 1L)
  unlist(lapply(seq_along(expressions), function(i) {
    result <- withVisible(eval(expressions[[i]], globalenv()))
    output <- if (result$visible) utils::capture.output(print(result$value))
    c(code[begins[i]:ends[i]], if (length(output)) trimws(paste("#>", output), "right"))
  }))
}

# Blocks that only show how a call looks cannot be run, and have no output.
runs <- function(block) !any(grepl("sce|blocks <-|recipes::", block))

with_blocks_run <- function(lines) {
  done <- character()
  while (!is.na(open <- match("```r", lines))) {
    close <- min(which(lines == "```" & seq_along(lines) > open))
    block <- lines[seq(open + 1, close - 1)]
    done <- c(done, lines[seq_len(open)], if (runs(block)) with_output(block) else block, "```")
    lines <- lines[-seq_len(close)]
  }
  c(done, lines)
}

grDevices::pdf(NULL) # where plot() draws
for (file in c("README.md", file.path("pkgdown", "index.md"))) {
  writeLines(with_blocks_run(readLines(file)), file)
}

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
