#' @rdname rowsparse_path
#' @param x For the methods: a path. For `rowsparse_path()`: the data.
#' @param type What is drawn along the path: the `scores` of the features
#'   (over k: which features are selected), the number of features (`nonzero`),
#'   or the share `explained`.
#' @param labels Number of features named, the first to enter.
#' @export
plot.rowsparse_path <- function(x, type = c("scores", "nonzero", "explained"), labels = 10, ...) {
  check_path(x)
  check_graphical(...)
  type <- check_choice(type, "type", c("scores", "nonzero", "explained"))
  labels <- check_shown(labels, "labels", 0L)
  switch(type,
    scores = if (x$over == "k") plot_entries(x, labels, ...) else plot_score_paths(x, labels, ...),
    nonzero = plot_path_curve(x, type, ...),
    explained = plot_path_curve(x, type, ...)
  )
  invisible(x)
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

# one column per group, shorter ones filled up with NA
by_group <- function(values, groups) {
  if (is.null(groups)) {
    return(as.matrix(values))
  }
  parts <- split(values, groups)
  vapply(parts, function(part) part[seq_len(max(lengths(parts)))], numeric(max(lengths(parts))))
}

# the axis along the path: penalties descend from left to right
path_axis <- function(path) {
  if (path$over == "k") {
    list(x = path$grid, log = "", xlim = range(path$grid), xlab = "number of features k")
  } else {
    positive <- path$grid > 0
    if (!any(positive)) {
      return(list(x = path$grid, log = "", xlim = c(1, 0), xlab = path$over))
    }
    x <- ifelse(positive, path$grid, min(path$grid[positive]) / 2)
    list(x = x, log = "x", xlim = rev(range(x)), xlab = path$over)
  }
}

plot_path_curve <- function(path, type, ...) {
  axis <- path_axis(path)
  groups <- path_groups(path)
  values <- as.double(path[[type]])
  axis$x <- matrix(by_group(axis$x, groups), ncol = max(1L, nlevels(groups)))
  style <- if (is.null(groups)) {
    list(colour = plot_colours[["blue"]], pch = 19, lty = 1)
  } else {
    curve_style(nlevels(groups))
  }
  limits <- if (type == "explained") c(0, 1) else range(values)
  # room for the legend below the curves
  rows <- ceiling(nlevels(groups) / 2)
  if (rows > 0) limits[1] <- limits[1] - 0.09 * min(5, rows) * max(1, diff(limits))
  margins <- roomy_margins(limits)
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::matplot, c(axis, list(
    y = matrix(by_group(values, groups), ncol = ncol(axis$x)), type = "o", pch = style$pch,
    lty = style$lty, cex = 0.5, col = style$colour, bty = "l", las = 1, ylab = path_labels[[type]],
    ylim = limits, main = path_title(path)
  )), limits, ...)
  if (rows > 0) {
    graphics::legend("bottom", levels(groups), pch = style$pch, lty = style$lty,
      col = style$colour, bty = "n", ncol = 2, cex = 0.75
    )
  }
}

path_title <- function(path) {
  sprintf("%s: path over %s", path$method, paste(names(path_values(path)), collapse = ", "))
}

# where two penalties change, the points stand in blocks, one per value of the second,
# with a gap between them; `order`: the points by position, NA in the gaps
block_axis <- function(path, groups) {
  blocks <- split(seq_along(groups), groups)
  order <- utils::head(unlist(lapply(blocks, c, NA), use.names = FALSE), -1)
  ends <- cumsum(lengths(blocks) + 1L)
  list(
    x = seq_along(order), log = "", xlim = c(1, length(order)), order = order,
    xlab = sprintf("%s falls within each block", path$over), gaps = utils::head(ends, -1),
    centres = ends - (lengths(blocks) + 1L) / 2, labels = levels(groups)
  )
}

draw_blocks <- function(axis) {
  graphics::abline(v = axis$gaps, lty = 3, col = plot_colours[["grey"]])
  graphics::axis(1, axis$centres, axis$labels, tick = FALSE, cex.axis = 0.7)
}

# one line per feature; the first to enter in colour and named in the margin
plot_score_paths <- function(path, labels, ...) {
  groups <- path_groups(path)
  axis <- if (is.null(groups)) path_axis(path) else block_axis(path, groups)
  drawn <- entered_features(path, 300L)
  first <- seq_len(min(labels, length(drawn)))
  scores <- t(as.matrix(path$scores[drawn, , drop = FALSE]))
  if (!is.null(groups)) scores <- scores[axis$order, , drop = FALSE]
  names <- feature_labels(path, drawn[first])
  style <- curve_style(length(first))
  others <- length(drawn) - length(first)
  pale <- grDevices::adjustcolor(plot_colours[["grey"]], 0.5)
  margins <- roomy_margins(scores, right = 3.5 + label_width(names))
  on.exit(graphics::par(margins))
  # the named ones are drawn last, on top
  plot_with_y_label(graphics::matplot, list(
    x = axis$x, y = scores[, rev(seq_along(drawn)), drop = FALSE], log = axis$log,
    xlim = axis$xlim, type = "l", lty = c(rep(1L, others), rev(style$lty)),
    lwd = rep(c(0.6, 2), c(others, length(first))), col = c(rep(pale, others), rev(style$colour)),
    bty = "l", las = 1, xlab = axis$xlab, ylab = "score", main = path_title(path),
    xaxt = if (is.null(groups)) "s" else "n"
  ), scores, ...)
  if (!is.null(groups)) draw_blocks(axis)
  if (labels == 0L) {
    return(invisible())
  }
  edge <- graphics::par("usr")
  graphics::legend(if (axis$log == "x") 10^edge[2] else edge[2], edge[4], names, lwd = 2,
    lty = style$lty, col = style$colour, title = "first to enter", bty = "n", xpd = NA, cex = 0.75,
    seg.len = 3
  )
}

# the first of them to enter
entered_features <- function(path, most) {
  drawn <- utils::head(entry_order(path), most)
  if (length(drawn) == 0) {
    stop_rowsparse("choice", "type", "\"scores\": no feature was selected along the path")
  }
  drawn
}

# a bar from the size at which a feature enters to where it leaves
plot_entries <- function(path, labels, ...) {
  drawn <- rev(entered_features(path, 40L))
  names <- feature_labels(path, drawn)
  inside <- do.call(rbind, lapply(path$selected, function(set) drawn %in% set)) + 0
  margins <- set_margins(c(4.5, label_width(names), 3, 1))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::image.default, list(
    x = seq_along(path$grid), y = seq_along(drawn), z = unname(inside), zlim = c(0, 1),
    col = c("grey95", plot_colours[["blue"]]), axes = FALSE, xlab = "number of features k",
    ylab = "", main = paste0(path_title(path), ", features selected")
  ), ...)
  label_axis(1, path$grid)
  label_axis(2, names)
}
