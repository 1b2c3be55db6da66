# What vignettes/imaging-panel.Rmd.orig uses: the data, and tables of the benchmarks.

# The data set panc8_small of bbknnR: from the installed package, or else from its sources,
# without installing them
read_pancreas <- function() {
  file <- system.file("data", package = "bbknnR")
  held <- new.env()
  if (nzchar(file)) {
    utils::data("panc8_small", package = "bbknnR", envir = held)
  } else {
    folder <- tempfile("bbknnR")
    dir.create(folder)
    source <- utils::download.packages("bbknnR", folder, type = "source", quiet = TRUE)
    utils::untar(source[, 2], exdir = folder)
    load(file.path(folder, "bbknnR", "data", "panc8_small.rda"), held)
  }
  object <- SeuratObject::UpdateSeuratObject(held$panc8_small)
  SingleCellExperiment::SingleCellExperiment(
    list(counts = SeuratObject::GetAssayData(object, slot = "counts")),
    colData = object[[]][c("celltype", "tech")]
  )
}

# the rows of the first table of a page of bench/results whose heading fits, as markdown
table_of_page <- function(page, heading) {
  file <- file.path(c(".", ".."), "bench", "results", page)
  lines <- readLines(file[file.exists(file)][1])
  from <- grep(heading, lines)[1]
  rows <- grep("^\\|", lines)
  rows <- rows[rows > from]
  rows <- rows[rows - rows[1] == seq_along(rows) - 1L]
  cat(lines[rows], sep = "\n")
}
