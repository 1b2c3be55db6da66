# Data sets of a folder: they take the place of those of bench/usefulness.R.

# their names; NAME.rds holds a list with x and y, NAME_x.csv and NAME_y.csv the same
use_folder <- function(folder) {
  files <- list.files(folder, "([.]rds|_x[.]csv)$")
  names <- sort(unique(sub("([.]rds|_x[.]csv)$", "", files)))
  if (length(names) == 0L) stop("no NAME.rds and no NAME_x.csv in ", folder)
  sets <- lapply(stats::setNames(nm = names), function(name) folder_set(folder, name))
  usefulness_kinds <<- stats::setNames(rep("own", length(sets)), names)
  usefulness_groups <<- list(own = names)
  bench_data <<- function(name) sets[[name]]
  names
}

folder_set <- function(folder, name) {
  path <- function(end) file.path(folder, paste0(name, end))
  set <- if (file.exists(path(".rds"))) {
    readRDS(path(".rds"))
  } else {
    list(x = utils::read.csv(path("_x.csv")), y = utils::read.csv(path("_y.csv"))[[1]])
  }
  if (!is.list(set) || !all(c("x", "y") %in% names(set))) stop(name, ": no list with x and y")
  if (is.data.frame(set$x)) set$x <- as.matrix(set$x)
  if (nrow(set$x) != length(set$y)) {
    stop(sprintf("%s: %d samples in x, %d in y", name, nrow(set$x), length(set$y)))
  }
  set[c("x", "y")]
}
