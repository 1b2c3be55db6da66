# The code of README.md and of the home page of the site, run as it stands there. These files
# are beside the tests only in the sources.

sources_of_project <- function() {
  root <- test_path("..", "..")
  skip_if_not(file.exists(file.path(root, "tools", "readme-blocks.R")), "README.md is not here")
  root
}

# how long something took is another each time
without_seconds <- function(lines) gsub("[0-9.]+ s$", "... s", lines)

core_ends_here()

test_that("the code of the README runs as it stands and gives the output shown", {
  root <- sources_of_project()
  tools <- new.env()
  sys.source(file.path(root, "tools", "readme-blocks.R"), tools)
  draw_nowhere()
  for (file in c("README.md", file.path("pkgdown", "index.md"))) {
    lines <- readLines(file.path(root, file))
    fresh <- tools$with_blocks_run(lines, new.env(parent = globalenv()))
    expect_identical(without_seconds(fresh), without_seconds(lines), info = file)
  }
})
