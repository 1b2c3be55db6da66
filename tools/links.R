# Links and pictures of a site in a folder that lead to a file or a place that is
# not there, and whatever a page would fetch from elsewhere:
#   source("tools/links.R"); broken_links("build/site")

# every address in a page, and whether the browser fetches it unasked
addresses_of <- function(document) {
  take <- function(path, attribute, fetched) {
    values <- xml2::xml_attr(xml2::xml_find_all(document, path), attribute)
    data.frame(address = values[!is.na(values)], fetched = rep(fetched, sum(!is.na(values))))
  }
  rbind(take("//a[@href]", "href", FALSE), take("//link[@href]", "href", TRUE),
    take("//img[@src]", "src", TRUE), take("//script[@src]", "src", TRUE)
  )
}

places_in <- function(document) {
  xml2::xml_attr(xml2::xml_find_all(document, "//*[@id or @name]"), "id")
}

is_elsewhere <- function(address) grepl("^(https?:|mailto:|//)", address)

broken_links <- function(folder) {
  pages <- list.files(folder, pattern = "[.]html$", recursive = TRUE, full.names = TRUE)
  documents <- stats::setNames(lapply(pages, xml2::read_html), normalizePath(pages))
  places <- lapply(documents, places_in)
  unlist(lapply(names(documents), function(page) {
    found <- addresses_of(documents[[page]])
    found <- unique(found[!startsWith(found$address, "data:"), ])
    elsewhere <- is_elsewhere(found$address)
    fetched <- found$address[elsewhere & found$fetched]
    missing <- Filter(function(address) !leads(address, page, places), found$address[!elsewhere])
    name <- substring(page, nchar(normalizePath(folder)) + 2)
    c(sprintf("%s: fetches %s", name, fetched), sprintf("%s: no %s", name, missing))
  }))
}

# does an address within the site lead somewhere?
leads <- function(address, page, places) {
  parts <- strsplit(utils::URLdecode(address), "#", fixed = TRUE)[[1]]
  file <- sub("[?].*$", "", parts[1])
  if (address == "#" || address == "") return(TRUE)
  target <- if (nzchar(file)) file.path(dirname(page), file) else page
  if (dir.exists(target)) target <- file.path(target, "index.html")
  if (!file.exists(target)) return(FALSE)
  place <- parts[2]
  known <- places[[normalizePath(target)]]
  is.na(place) || is.null(known) || place %in% known
}
