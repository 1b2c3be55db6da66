# Builds the site into build/site, from the installed package and without any
# network:
#   Rscript tools/site.R [part]
# part: home, reference, articles or news builds this alone, on top of what is
# there. Warnings on the way and links to nowhere are errors at the end. Formulas
# become MathML, so that no page needs a script from elsewhere.

options(pkgdown.internet = FALSE)
Sys.setenv(OPENBLAS_NUM_THREADS = "1", TZ = "UTC")
folder <- file.path("build", "site")

# Packages that are not installed have no link: their addresses would be looked up.
utils::assignInNamespace("CRAN_urls", function() {
  data.frame(Package = character(), URL = character())
}, "downlit")

# ---- pages ------------------------------------------------------------------------

build_parts <- function(part) {
  package <- pkgdown::as_pkgdown(".")
  if (is.na(part)) unlink(folder, recursive = TRUE)
  pkgdown::init_site(package)
  wanted <- function(name) is.na(part) || part == name
  if (wanted("home")) pkgdown::build_home(package, preview = FALSE)
  if (wanted("reference")) {
    pkgdown::build_reference(package, lazy = FALSE, preview = FALSE, devel = FALSE, seed = 1)
  }
  if (wanted("articles")) pkgdown::build_articles(package, lazy = FALSE, preview = FALSE)
  if (wanted("news")) pkgdown::build_news(package, preview = FALSE)
}

with_warnings_kept <- function(code) {
  kept <- character()
  withCallingHandlers(code, warning = function(w) {
    kept <<- c(kept, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  unique(kept)
}

# ---- formulas ---------------------------------------------------------------------

# \(...\) in a line, \[...\] and $$...$$ on their own; what stands in code is left alone
formula_pattern <- "\\\\\\((.+?)\\\\\\)|\\\\\\[(.+?)\\\\\\]|\\$\\$(.+?)\\$\\$"
texts_with_formulas <- paste0(
  "//main//text()[not(ancestor::pre or ancestor::code or ancestor::script)]",
  "[contains(., '\\(') or contains(., '\\[') or contains(., '$$')]"
)

formulas_of <- function(text) {
  regmatches(text, gregexpr(paste0("(?s)", formula_pattern), text, perl = TRUE))
}

# One run of pandoc for all of them
as_mathml <- function(formulas) {
  display <- !startsWith(formulas, "\\(")
  tex <- substr(formulas, 3, nchar(formulas) - 2)
  tex <- gsub("\\s+", " ", trimws(tex))
  mark <- ifelse(display, "$$", "$")
  files <- tempfile(fileext = c(".md", ".html"))
  writeLines(paste0("FORMULA\n\n", mark, tex, mark, "\n"), files[1])
  rmarkdown::pandoc_convert(files[1], "html", "markdown", files[2],
    options = c("--mathml", "--wrap=none")
  )
  html <- paste(readLines(files[2]), collapse = "\n")
  pieces <- strsplit(html, "<p>FORMULA</p>", fixed = TRUE)[[1]][-1]
  found <- regmatches(pieces, regexpr("(?s)<math.*</math>", pieces, perl = TRUE))
  stopifnot(length(found) == length(formulas))
  gsub("<annotation.*?</annotation>", "", found)
}

escaped <- function(text) {
  text <- gsub("&", "&amp;", text, fixed = TRUE)
  gsub("<", "&lt;", gsub(">", "&gt;", text, fixed = TRUE), fixed = TRUE)
}

set_formulas <- function(pages) {
  documents <- lapply(pages, xml2::read_html)
  nodes <- lapply(documents, xml2::xml_find_all, texts_with_formulas)
  texts <- lapply(nodes, xml2::xml_text)
  all <- unique(unlist(lapply(texts, formulas_of)))
  if (length(all) == 0) return(invisible())
  mathml <- stats::setNames(as_mathml(all), all)
  for (i in which(lengths(texts) > 0)) {
    for (j in seq_along(texts[[i]])) {
      found <- formulas_of(texts[[i]][j])
      if (length(found[[1]]) > 0) put(nodes[[i]][[j]], texts[[i]][j], found, mathml)
    }
    xml2::write_html(documents[[i]], pages[i], format = FALSE)
  }
}

# The text between and the formulas, in the place of the node
put <- function(node, text, found, mathml) {
  between <- regmatches(text, gregexpr(paste0("(?s)", formula_pattern), text, perl = TRUE),
    invert = TRUE
  )[[1]]
  html <- paste0(escaped(between), c(mathml[found[[1]]], ""), collapse = "")
  fragment <- xml2::read_html(paste0("<body><span class=\"with-math\">", html, "</span></body>"))
  xml2::xml_replace(node, xml2::xml_find_first(fragment, "//span"))
}

# ---- search -----------------------------------------------------------------------

words_of <- function(page) {
  main <- xml2::xml_find_first(xml2::read_html(page), "//main")
  title <- xml2::xml_text(xml2::xml_find_first(main, ".//h1"))
  name <- xml2::xml_text(xml2::xml_find_first(main, ".//div[contains(@class, 'name')]"))
  words <- unique(strsplit(tolower(xml2::xml_text(main)), "[^[:alnum:]_.]+")[[1]])
  path <- substring(page, nchar(folder) + 2)
  if (grepl("^reference/", path) && !is.na(name)) title <- paste0(sub("[.]Rd$", "", name))
  list(path = path, title = trimws(title), about = about(main),
    text = paste(words[nchar(words) > 1], collapse = " ")
  )
}

about <- function(main) {
  text <- xml2::xml_text(xml2::xml_find_first(main, ".//p[string-length(.) > 20]"))
  if (is.na(text)) "" else strtrim(gsub("\\s+", " ", text), 110)
}

write_index <- function(pages) {
  entries <- vapply(lapply(pages, words_of), function(entry) {
    jsonlite::toJSON(entry, auto_unbox = TRUE)
  }, "")
  writeLines(c("window.siteIndex = [", paste(entries, collapse = ",\n"), "];"),
    file.path(folder, "search-index.js")
  )
}

# ---- the whole --------------------------------------------------------------------

warned <- with_warnings_kept(build_parts(commandArgs(trailingOnly = TRUE)[1]))
# examples of packages that are not here are left out: to be known, and no fault
left_out <- startsWith(warned, "@examplesIf condition")
for (text in warned[left_out]) cat("Left out: ", text, "\n", sep = "")
warned <- warned[!left_out]
pages <- list.files(folder, pattern = "[.]html$", recursive = TRUE, full.names = TRUE)
set_formulas(pages)
write_index(setdiff(pages, file.path(folder, "404.html")))

source(file.path("tools", "links.R"))
broken <- broken_links(folder)
for (text in c(warned, broken)) message(text)
cat(sprintf("%d pages in %s, %d warnings, %d broken links\n", length(pages), folder,
  length(warned), length(broken)
))
quit(status = as.integer(length(warned) + length(broken) > 0))
