#' @rdname rowsparse_path
#' @param x For the methods: a path. For `rowsparse_path()`: the data.
#' @param type For `plot()`, what is drawn along the path: the `scores` of the features
#'   (over k: which features are selected), the number of features (`nonzero`),
#'   or the share `explained`. For `predict()` as for [predict.rowsparse()]: `NULL` for `"class"`
#'   where the response is classes, `"response"` where it is numbers, `"features"` without one.
#' @param labels Number of features named, the first to enter.
#' @export
plot.rowsparse_path <- function(x, type = c("scores", "nonzero", "explained"), labels = 10, ...) {
  check_path(x)
  draw_picture(x, path_picture(x, type, labels), ...)
}

path_picture <- function(path, type, labels) {
  type <- check_choice(type, "type", c("scores", "nonzero", "explained"))
  labels <- check_shown(labels, "labels", 0L)
  if (type != "scores") {
    return(path_curve_picture(path, type))
  }
  if (path$over == "k") entries_picture(path) else score_paths_picture(path, labels)
}

path_labels <- c(
  nonzero = "features with a nonzero score", explained = "share of variance reproduced"
)

# features in the order in which they enter, those that never do left out
entry_order <- function(path) {
  order(path$entry, -path$scores[, length(path$grid)], na.last = NA)
}

# where two penalties change: for every point the value of the second one, in words;
# elsewhere, also where the second follows from the first, NULL
path_groups <- function(path) {
  if (anyDuplicated(path$grid) > 0 && !is.null(path$others)) {
    labels <- setting_labels(path$others)
    factor(labels, unique(labels))
  }
}

# the axis along the path: penalties descend from left to right
path_axis <- function(path) {
  if (path$over == "k") {
    list(x = path$grid, log = "", whole = TRUE, xlab = "number of features k")
  } else {
    positive <- path$grid > 0
    if (!any(positive)) {
      return(list(x = path$grid, log = "", reverse = TRUE, xlab = path$over))
    }
    x <- ifelse(positive, path$grid, min(path$grid[positive]) / 2)
    list(x = x, log = "x", reverse = TRUE, xlab = path$over)
  }
}

path_curve_picture <- function(path, type) {
  axis <- path_axis(path)
  c(axis, list(
    kind = "curves", y = as.double(path[[type]]), group = path_groups(path),
    limits = c(0, if (type == "explained") 1 else max(path[[type]], 1)),
    ylab = path_labels[[type]], title = path_title(path)
  ))
}

path_title <- function(path) {
  sprintf("%s: path over %s", path$method, paste(names(path_values(path)), collapse = ", "))
}

# one line per feature; the first to enter named
score_paths_picture <- function(path, labels) {
  drawn <- entered_features(path, 300L)
  c(path_axis(path), list(
    kind = "paths", value = unname(t(as.matrix(path$scores[drawn, , drop = FALSE]))),
    features = as.character(feature_labels(path, drawn)), named = min(labels, length(drawn)),
    naming = "first to enter", blocks = path_groups(path), ylab = "score", title = path_title(path)
  ))
}

# the first of them to enter
entered_features <- function(path, most) {
  drawn <- utils::head(entry_order(path), most)
  if (length(drawn) == 0) {
    stop_rowsparse("choice", "type", "\"scores\": no feature was selected along the path")
  }
  drawn
}

# the sizes at which features are selected, the first to enter on top
entries_picture <- function(path) {
  drawn <- entered_features(path, 40L)
  inside <- vapply(path$selected, function(set) drawn %in% set, logical(length(drawn)))
  all <- sum(!is.na(path$entry))
  list(
    kind = "map", value = matrix(inside + 0, length(drawn)), columns = path$grid,
    rows = as.character(feature_labels(path, drawn)), limits = c(0, 1), scale = FALSE,
    colours = c("grey95", plot_colours[["blue"]]), xlab = "number of features k",
    title = paste0(path_title(path), ", features selected", if (all > length(drawn)) {
      sprintf(" (the first %d of %d)", length(drawn), all)
    })
  )
}
