# Runs the R code in README.md and in pkgdown/index.md and writes what it prints below
# each expression, and the figures of README.md, help and vignettes from the pages of
# bench/results/:
#   Rscript tools/readme.R

source(file.path("tools", "readme-blocks.R"))
source(file.path("tools", "figures.R"))

grDevices::pdf(NULL) # where plot() draws
for (file in c("README.md", file.path("pkgdown", "index.md"))) {
  writeLines(with_blocks_run(readLines(file), new.env()), file)
}

for (file in files_with_figures()) {
  fresh <- checked_file(file)
  if (!identical(fresh$lines, readLines(file))) writeLines(fresh$lines, file)
}
