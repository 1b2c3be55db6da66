# Objects of every class and calls of every function that work, taken from the
# examples of the help pages and from the method table:
#   Rscript tools/fuzz/objects.R <file.rds>
# The file holds `objects`, a named list, and `templates`, a list of list(name,
# arguments, formals).

suppressMessages(library(rowsparse))
source(file.path("tools", "fuzz", "calls.R"))

examples_of <- function(page) {
  file <- tempfile()
  tools::Rd2ex(page, file, commentDontrun = TRUE)
  lines <- if (file.exists(file)) readLines(file) else character()
  # what wraps an example that needs another package
  lines <- lines[!grepl("examplesIf$", lines)]
  parse(text = lines, keep.source = FALSE)
}

templates <- list()

# a function that keeps the arguments it was called with
recorder <- function(name, fun, wanted) {
  force(name)
  force(fun)
  function(...) {
    arguments <- list(...)
    if (is.null(names(arguments))) names(arguments) <- rep("", length(arguments))
    if (wanted(arguments)) {
      keep <- name_arguments(arguments, fun)
      templates[[length(templates) + 1]] <<- list(
        name = name, arguments = keep, formals = formals_of(fun)
      )
    }
    fun(...)
  }
}

# names of the formals for the leading unnamed arguments
name_arguments <- function(arguments, fun) {
  free <- setdiff(names(formals(args(fun))), c("...", names(arguments)))
  unnamed <- which(!nzchar(names(arguments)))
  labels <- c(free, paste0(".arg", seq_along(unnamed)))[seq_along(unnamed)]
  names(arguments)[unnamed] <- labels
  arguments
}

# the world of an example: the package's functions record their arguments
example_world <- function(known) {
  world <- new.env(parent = globalenv())
  for (name in known$functions) {
    world[[name]] <- recorder(name, getExportedValue("rowsparse", name), function(...) TRUE)
  }
  for (name in unique(known$methods[, 1])) {
    generic <- generic_of(name)
    classes <- known$methods[known$methods[, 1] == name, 2]
    if (is.function(generic) && !is.primitive(generic) && !grepl("::", name)) {
      world[[name]] <- recorder(name, generic, function(arguments) {
        length(arguments) > 0 && inherits(arguments[[1]], classes)
      })
    }
  }
  world
}

# An object per method of the table, and of the classes that no example leaves.
table_objects <- function() {
  set.seed(1)
  x <- named(dense(20, 10, "raised"))
  y <- classes(x, 2)
  table <- rowsparse_methods()
  fits <- lapply(stats::setNames(table$method, table$method), function(method) {
    try(rowsparse(x, if (table$supervised[table$method == method]) y, k = 3, method = method),
      silent = TRUE
    )
  })
  unnamed <- try(css(unname(x), k = 4), silent = TRUE)
  numeric <- try(cdlsr(x, x[, 1] + x[, 2], k = 3), silent = TRUE)
  others <- list(
    unnamed = unnamed, numeric = numeric, moments = try(moments(x), silent = TRUE),
    moments_y = try(moments(x, y), silent = TRUE),
    moments_gaps = try(moments(with_cells(x, NA, 7), y, missing = "em"), silent = TRUE),
    summary = try(summary(unnamed), silent = TRUE),
    summary_moments = try(summary(moments(x)), silent = TRUE),
    summary_cdlsr = try(summary(numeric), silent = TRUE),
    alignment_y = try(alignment(x, y, k = 3), silent = TRUE),
    path = try(rowsparse_path(x, method = "css"), silent = TRUE),
    path_alignment = try(rowsparse_path(x), silent = TRUE),
    path_pair = try(spca_psd(x, lambda = c(1, 0.1), eta = c(1, 2)), silent = TRUE),
    summary_path = try(summary(rowsparse_path(x, method = "css")), silent = TRUE)
  )
  Filter(is_known_object, c(fits, others, alternatives_objects(x, y, fits)))
}

# answers of all kinds
alternatives_objects <- function(x, y, fits) {
  of <- c("fspca", "css", "alignment", "dscofs", "s2dfs", "sf2sog", "variance")
  found <- lapply(of, function(method) {
    try(alternatives(x, fits[[method]], if (method == "s2dfs") y, k = if (method == "variance") 3,
      tolerance = c(0.01, 0.1), sets = 4, seconds = 1
    ), silent = TRUE)
  })
  names(found) <- paste0("alternatives_", of)
  found$summary_alternatives <- try(summary(found[[1]]), silent = TRUE)
  found
}

is_known_object <- function(object) {
  inherits(object, unique(known$methods[, 2]))
}

source(file.path("tools", "fuzz", "values.R"))
grDevices::pdf(NULL)
known <- targets()
objects <- suppressWarnings(suppressMessages(table_objects()))
for (page in dir("man", pattern = "[.]Rd$", full.names = TRUE)) {
  world <- example_world(known)
  own <- ls(world)
  utils::capture.output(suppressMessages(suppressWarnings(try(
    for (e in examples_of(page)) world[[paste0("value", length(ls(world)))]] <- eval(e, world),
    silent = TRUE
  ))))
  for (name in setdiff(ls(world), own)) {
    if (is_known_object(world[[name]])) {
      objects[[paste0(sub("[.]Rd$", "", basename(page)), "_", name)]] <- world[[name]]
    }
  }
}
kept <- Filter(function(t) utils::object.size(t$arguments) < 2e6, templates)
kept <- kept[!duplicated(kept)]
saveRDS(list(objects = objects, templates = kept), commandArgs(trailingOnly = TRUE)[1])
cat(sprintf("%d objects, %d example calls\n", length(objects), length(kept)))
