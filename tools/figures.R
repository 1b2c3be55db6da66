# Figures in README.md, help and vignettes that come from pages of bench/results/, for
# tools/readme.R, which writes them, and tools/lint-project.R, which compares them and finds others.
#
# tools/figures.txt names them: `file` (one or more) and its `text`, {} for each figure; `page` and
# what is `there`, with the same figures in the same order. ... is anything within a section, as
# short as may be; white space is any. Both stand once in their files. A figure may have fewer
# decimals than that of the page. Without `page` they are settings, arithmetic, or made by code.

# regular expression of a text with figures
figures_pattern <- function(text) {
  text <- gsub("([][\\\\|()*+?^$.])", "\\\\\\1", text, perl = TRUE)
  text <- gsub("[ \n]+", "\\\\s+(?:#'\\\\s+)?", text)
  text <- gsub("\\.\\.\\.", "(?:(?!\n##)[^\001])*?", text, fixed = TRUE)
  gsub("{}", "(?<![0-9.])([0-9]+(?: [0-9]{3})*(?:[.][0-9]+)?)(?![0-9])", text, fixed = TRUE)
}

# places of the figures, first and last characters; NULL where the text does not stand there once
figures_at <- function(text, page) {
  found <- gregexpr(figures_pattern(text), page, perl = TRUE)[[1]]
  if (found[1] < 0 || length(found) > 1) return(NULL)
  from <- attr(found, "capture.start")[1, ]
  list(from = from, to = from + attr(found, "capture.length")[1, ] - 1)
}

# `value` of a page with as many decimals as `old`, or its own where these are fewer
like <- function(value, old) {
  digits <- function(x) nchar(sub("^[^.]*[.]?", "", x))
  value <- gsub(" ", "", value)
  if (digits(value) > digits(old)) value <- sprintf("%.*f", digits(old), as.numeric(value))
  if (nchar(sub("[.].*", "", value)) > 4) prettyNum(value, big.mark = " ") else value
}

# figures of a row of figures.txt in the text of its file, and what its page has; or a complaint
figures_of <- function(row, text) {
  at <- figures_at(row$text, text)
  if (is.null(at)) return(sprintf("%s: not there, or twice: %s", row$file, row$text))
  old <- substring(text, at$from, at$to)
  if (is.na(row$page)) return(data.frame(at, old, new = old, page = NA))
  page <- paste(readLines(file.path("bench", "results", row$page)), collapse = "\n")
  there <- figures_at(row$there, page)
  if (length(there$from) != length(old)) {
    return(sprintf("%s: not there, twice, or with other figures: %s", row$page, row$there))
  }
  new <- mapply(like, substring(page, there$from, there$to), old)
  data.frame(at, old, new, page = row$page)
}

put <- function(text, figures, new) {
  for (i in rev(order(as.integer(figures$from)))) {
    text <- paste0(substring(text, 1, figures$from[i] - 1), new[i],
      substring(text, figures$to[i] + 1)
    )
  }
  text
}

# the lines of a file as its pages want them, and what is wrong with it
checked_file <- function(file) {
  text <- paste(readLines(file), collapse = "\n")
  rows <- as.data.frame(read.dcf(file.path("tools", "figures.txt")))
  rows <- rows[vapply(strsplit(rows$file, " "), function(names) file %in% names, NA), ]
  found <- lapply(split(rows, seq_len(nrow(rows))), figures_of, text = text)
  figures <- do.call(rbind, c(list(data.frame()), Filter(is.list, found)))
  differ <- figures[figures$old != figures$new, ]
  unnamed <- measured_in(put(text, figures, strrep("#", nchar(figures$old))), file)
  list(lines = strsplit(paste0(put(text, figures, figures$new), "\n"), "\n")[[1]], wrong = c(
    unlist(Filter(is.character, found), use.names = FALSE),
    sprintf("%s: %s, but %s in bench/results/%s", file, differ$old, differ$new, differ$page),
    sprintf("%s: no page named in tools/figures.txt for: %s", file, unnamed)
  ))
}

# A measured figure: a number before a unit of time or memory, a comparison of such, points, or
# percent, unless that is 95 or one digit and zeros, which are settings; a share of two digits.
measured <- paste0("(?:[0-9][0-9.]* ?(?:processor |elapsed )?(?:s|ms|seconds?|minutes?|hours?|kB|",
  "MB|GB|points?|times (?:faster|slower|the time|as (?:long|fast|much)))",
  "|(?<![0-9.])(?!95|[1-9]0*[ %]|0[.]0*[1-9][ %])[0-9.]+ ?(?:%|per ?cent)",
  "|(?<![0-9.])0[.][0-9]*[1-9][0-9]+)(?![[:alnum:]]|[.]t[.])"
)

# lines of roxygen comments, without examples
help_of <- function(lines) {
  begins <- c(TRUE, (grepl("^#' @", lines) | !startsWith(lines, "#'"))[-1])
  examples <- grepl("^#' @examples", lines)[begins][cumsum(begins)]
  sub("^#' *", "", lines[startsWith(lines, "#'") & !examples])
}

# measured figures in prose, which code and tables are not
measured_in <- function(text, file) {
  lines <- strsplit(text, "\n")[[1]]
  lines <- if (endsWith(file, ".R")) help_of(lines) else lines[!startsWith(lines, "    ")]
  fence <- startsWith(lines, "```")
  lines <- lines[!fence & cumsum(fence) %% 2 == 0 & !startsWith(lines, "|")]
  prose <- gsub("`[^`]+`", "", paste(lines, collapse = " "))
  regmatches(prose, gregexpr(paste0("[^.:;]{0,40}", measured), prose, perl = TRUE))[[1]]
}

files_with_figures <- function() {
  c("README.md", file.path("pkgdown", "index.md"), list.files("R", "[.]R$", full.names = TRUE),
    list.files("vignettes", "[.]Rmd([.]orig)?$", recursive = TRUE, full.names = TRUE)
  )
}
