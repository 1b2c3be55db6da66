# Runs the R code in README.md and in pkgdown/index.md and writes what it prints below
# each expression, the table of methods from their descriptors, and the figures of README.md, help
# and vignettes from the pages of bench/results/:
#   Rscript tools/readme.R

source(file.path("tools", "readme-blocks.R"))
source(file.path("tools", "figures.R"))

grDevices::pdf(NULL) # where plot() draws
for (file in c("README.md", file.path("pkgdown", "index.md"))) {
  writeLines(with_blocks_run(readLines(file), new.env()), file)
}

# The table between two marks.
method_rows <- function() {
  known <- rowsparse::rowsparse_methods()
  source <- sub("^doi:10.48550/arXiv.", "arXiv ", known$reference)
  labels <- ifelse(known$supervised, "yes", ifelse(takes_response(known$method), "optional", "no"))
  c(
    "| function | labels | keeps | problem | source |", "|---|---|---|---|---|",
    sprintf("| `%s()` | %s | %s | %s | %s |", known$method, labels,
      ifelse(known$exact_k, "k", "ranking"),
      paste0(known$title, ifelse(nzchar(known$also), paste("; also", known$also), "")),
      sub("^doi:", "doi ", source)
    )
  )
}

takes_response <- function(methods) {
  vapply(methods, function(name) {
    "y" %in% names(formals(rowsparse:::method_table()[[name]]$fit))
  }, NA)
}

lines <- readLines("README.md")
marks <- c(which(lines == "<!-- methods -->"), which(lines == "<!-- end of methods -->"))
writeLines(c(lines[seq_len(marks[1])], "", method_rows(), "", lines[seq(marks[2], length(lines))]),
  "README.md"
)

for (file in files_with_figures()) {
  fresh <- checked_file(file)
  if (!identical(fresh$lines, readLines(file))) writeLines(fresh$lines, file)
}
