# Prints what every file of src/ and R/ is for, by the first sentence of its comment:
#   Rscript tools/map.R [pattern]

# the comment that a header, a C file or an R file begins with, as one line
first_comment <- function(file) {
  lines <- readLines(file, warn = FALSE)
  if (grepl("[.]R$", file)) {
    end <- match(FALSE, startsWith(lines, "#"), length(lines) + 1L)
    text <- sub("^#+'? ?", "", lines[seq_len(end - 1)])
  } else {
    end <- grep("*/", lines, fixed = TRUE)[1]
    text <- sub("^ ?/?[*]+/? ?", "", lines[seq_len(end)])
  }
  text <- trimws(gsub("\\s+", " ", paste(text, collapse = " ")))
  sub("([.;]) .*", "\\1", sub("^[a-z_/0-9]+[.][hc]: ", "", text))
}

files <- c(
  list.files("src", "[.]h$", recursive = TRUE, full.names = TRUE),
  list.files("R", "[.]R$", full.names = TRUE)
)
pattern <- commandArgs(TRUE)
if (length(pattern) > 0) files <- grep(pattern[1], files, value = TRUE)
cat(sprintf("%-40s %s\n", files, vapply(files, first_comment, "")), sep = "")
