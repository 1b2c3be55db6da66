# What the files around the package say of it must agree; exit status 1 where it does
# not:
#   Rscript tools/lint-project.R           codemeta.json, _pkgdown.yml, README.md, the workflow,
#                                          names in R/, packages in R/ and tests/, figures
#   Rscript tools/lint-project.R write     writes codemeta.json from DESCRIPTION
#   Rscript tools/lint-project.R release   also what a submission needs

source(file.path("tools", "figures.R"))
description <- read.dcf("DESCRIPTION")
field <- function(name) {
  if (name %in% colnames(description)) gsub("\\s+", " ", description[, name][[1]]) else NA
}

# ---- codemeta.json ------------------------------------------------------------------

quoted <- function(text) paste0("\"", gsub("\"", "\\\\\"", text), "\"")

person_lines <- function(person, indent) {
  given <- trimws(paste(format(person, include = c("given", "family"))))
  entry <- sprintf("  \"%s\": %s", c("name", "email"), quoted(c(given, person$email)))
  paste0(indent, c("{", "  \"@type\": \"Organization\",", paste0(entry, c(",", "")), "}"))
}

codemeta <- function() {
  people <- eval(parse(text = field("Authors@R")))
  packages <- trimws(strsplit(field("Imports"), ",")[[1]])
  optional <- c(
    if (!is.na(field("URL"))) sprintf("  \"url\": %s,", quoted(field("URL"))),
    if (!is.na(field("BugReports"))) sprintf("  \"issueTracker\": %s,", quoted(field("BugReports")))
  )
  needs <- c("R", packages)
  c("{",
    "  \"@context\": \"https://doi.org/10.5063/schema/codemeta-2.0\",",
    "  \"@type\": \"SoftwareSourceCode\",",
    sprintf("  \"identifier\": %s,", quoted(field("Package"))),
    sprintf("  \"name\": %s,", quoted(paste0(field("Package"), ": ", field("Title")))),
    sprintf("  \"description\": %s,", quoted(field("Description"))),
    sprintf("  \"version\": %s,", quoted(field("Version"))),
    "  \"license\": \"https://spdx.org/licenses/MIT\",",
    "  \"programmingLanguage\": {\"@type\": \"ComputerLanguage\", \"name\": \"R\"},",
    optional,
    "  \"author\": [", person_lines(people, "    "), "  ],",
    "  \"softwareRequirements\": [",
    paste0("    {\"@type\": \"SoftwareApplication\", \"name\": ", quoted(needs), "}",
      rep(c(",", ""), c(length(needs) - 1, 1))),
    "  ]", "}"
  )
}

# ---- what must agree ------------------------------------------------------------------

agrees_codemeta <- function() {
  if (!identical(readLines("codemeta.json"), codemeta())) {
    "codemeta.json is not that of DESCRIPTION: Rscript tools/lint-project.R write"
  }
}

topic_names <- function() {
  files <- list.files("man", pattern = "[.]Rd$", full.names = TRUE)
  lines <- lapply(files, readLines)
  internal <- vapply(lines, function(text) any(startsWith(text, "\\keyword{internal}")), NA)
  sub("[.]Rd$", "", basename(files[!internal]))
}

# every help page in exactly one group of the site
agrees_reference <- function() {
  lines <- readLines("_pkgdown.yml")
  lines <- lines[-seq_len(which(lines == "reference:"))]
  listed <- trimws(sub("^ *- ", "", grep("^  - [^:]+$", lines, value = TRUE)))
  topics <- topic_names()
  aliases <- function(name) {
    text <- readLines(file.path("man", paste0(name, ".Rd")))
    gsub("\\\\alias\\{|\\}$", "", grep("^\\\\alias", text, value = TRUE))
  }
  covered <- vapply(topics, function(name) sum(listed %in% c(name, aliases(name))), 0)
  c(sprintf("_pkgdown.yml: no group for %s", topics[covered == 0]),
    sprintf("_pkgdown.yml: %s in more than one place", topics[covered > 1]),
    sprintf("_pkgdown.yml: no help page of %s",
      setdiff(listed, c(topics, unlist(lapply(topics, aliases)))))
  )
}

# every vignette is named in README.md and has its place on the site
agrees_vignettes <- function() {
  names <- sub("[.]Rmd$", "", list.files("vignettes", pattern = "[.]Rmd$"))
  readme <- paste(readLines("README.md"), collapse = "\n")
  site <- trimws(readLines("_pkgdown.yml"))
  named <- vapply(names, function(name) {
    grepl(sprintf("vignette(\"%s\")", name), readme, fixed = TRUE)
  }, NA)
  c(sprintf("README.md does not name the vignette %s", names[!named]),
    sprintf("_pkgdown.yml has no place for the vignette %s", names[!paste("-", names) %in% site])
  )
}

# Figures and tables of each paper, and the index of them in the overview: every one stands there
# once, with a page that has a heading with its number, and a call of functions that exist
in_papers <- list(
  BSUFS = c(16, 6), DSCOFS = c(11, 6), "SPCA-PSD" = c(9, 5), "CD-LSR" = c(5, 3),
  "K-means UFS" = c(4, 4)
)

numbered <- function(text) {
  parts <- strsplit(strsplit(text, "; ?")[[1]], " ", fixed = TRUE)
  unlist(lapply(parts, function(part) {
    paste(part[1], trimws(strsplit(paste(part[-1], collapse = " "), ",")[[1]]))
  }))
}

headings_of <- function(page) {
  file <- file.path("vignettes", c("", "articles"), paste0(page, ".Rmd"))
  grep("^##", unlist(lapply(file[file.exists(file)], readLines)), value = TRUE)
}

agrees_papers <- function() {
  rows <- grep("^[|]", readLines(file.path("man", "rmd", "papers.Rmd")), value = TRUE)[-(1:2)]
  rows <- strsplit(rows, " *\\| *")
  exports <- grep("^export\\(", readLines("NAMESPACE"), value = TRUE)
  known <- c(gsub("export\\(|\\)", "", exports), getNamespaceExports("stats"),
    getNamespaceExports("base")
  )
  found <- unlist(lapply(rows, function(row) paste(row[2], numbered(row[3]))))
  wrong <- lapply(rows, function(row) {
    page <- gsub("`", "", row[4])
    headings <- headings_of(page)
    if (page == "synthetic-shapes") headings <- grep(row[2], headings, value = TRUE)
    missing <- Filter(function(item) !any(grepl(paste0(item, "\\b"), headings)), numbered(row[3]))
    call <- parse(text = gsub("`", "", row[5]))
    called <- grep("^[a-z]", setdiff(all.names(call), all.vars(call)), value = TRUE)
    c(sprintf("no heading of the page %s names %s of %s", page, missing, row[2]),
      sprintf("papers.Rmd calls %s, which is not there", setdiff(called, known))
    )
  })
  wanted <- lapply(names(in_papers), function(paper) {
    tables <- seq_len(in_papers[[paper]][2])
    if (paper %in% c("BSUFS", "K-means UFS")) tables <- utils::as.roman(tables)
    paste(paper, c(paste("Figure", seq_len(in_papers[[paper]][1])), paste("Table", tables)))
  })
  c(unlist(wrong), sprintf("papers.Rmd lacks %s", setdiff(unlist(wanted), found)),
    sprintf("papers.Rmd has %s twice", found[duplicated(found)]),
    sprintf("papers.Rmd has %s, which its paper has not", setdiff(found, unlist(wanted)))
  )
}

agrees_workflow <- function() {
  makefile <- readLines("Makefile")
  lines <- readLines(file.path(".github", "workflows", "check.yml"))
  called <- sub(".*run: make ([a-z-]+).*", "\\1", grep("run: make ", lines, value = TRUE))
  targets <- sub(":.*", "", grep("^[a-z-]+:", makefile, value = TRUE))
  sprintf("the workflow calls make %s, which is no target", setdiff(called, targets))
}

# a second definition would replace the first without a word
agrees_names <- function() {
  lines <- unlist(lapply(list.files("R", pattern = "[.]R$", full.names = TRUE), readLines))
  names <- sub(" <- .*", "", grep("^[A-Za-z.][A-Za-z0-9._]* <- ", lines, value = TRUE))
  twice <- unique(names[duplicated(names)])
  sprintf("R/ defines %s twice", twice)
}

# R CMD check refuses what DESCRIPTION does not list, but late
agrees_packages <- function() {
  files <- list.files(c("R", "tests"), pattern = "[.]R$", recursive = TRUE, full.names = TRUE)
  used <- lapply(files, function(file) {
    tokens <- utils::getParseData(parse(file, keep.source = TRUE))
    unique(tokens$text[tokens$token == "SYMBOL_PACKAGE"])
  })
  listed <- unlist(lapply(c("Imports", "Suggests", "Enhances", "Package"), field))
  listed <- trimws(sub("\\(.*", "", unlist(strsplit(listed, ","))))
  own <- rownames(utils::installed.packages(priority = "base"))
  unknown <- lapply(used, setdiff, c(listed, own))
  sprintf("%s uses %s, which DESCRIPTION does not list", rep(files, lengths(unknown)),
    unlist(unknown)
  )
}

agrees_figures <- function() {
  unlist(lapply(files_with_figures(), function(file) checked_file(file)$wrong))
}

# ---- what a submission needs ------------------------------------------------------------

release_list <- function() {
  people <- eval(parse(text = field("Authors@R")))
  email <- unlist(lapply(people, function(person) person$email))
  c(if (is.na(field("URL"))) "DESCRIPTION: no URL (the address of the sources or of the site)",
    if (is.na(field("BugReports"))) "DESCRIPTION: no BugReports (where to report)",
    if (all(vapply(people, function(person) is.null(person$family), NA))) {
      "DESCRIPTION: Authors@R names no person; CRAN takes one with given and family name as \"cre\""
    },
    if (any(grepl("[.]example$", email))) "DESCRIPTION: the maintainer's address takes no mail",
    if (grepl("[.]9[0-9]*$", field("Version"))) "DESCRIPTION: the version is one of development"
  )
}

task <- c(commandArgs(trailingOnly = TRUE), "")[1]
if (task == "write") writeLines(codemeta(), "codemeta.json")
found <- c(agrees_codemeta(), agrees_reference(), agrees_vignettes(), agrees_papers(),
  agrees_workflow(), agrees_names(), agrees_packages(), agrees_figures(),
  if (task == "release") release_list()
)
writeLines(as.character(found))
quit(status = as.integer(length(found) > 0))
