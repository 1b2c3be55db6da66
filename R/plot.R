#' Plot a fit
#'
#' `"scores"`: the largest scores in rank order, the best features named;
#' `"objective"`: the objective at each outer iteration, or with `others` the convergence of
#' several fits; `"loadings"`: the
#' nonzero rows of the loadings as a heat map, best feature on top; `"image"`:
#' where the selected features lie in an image whose pixels are the features;
#' `"correlation"`: the correlations of the selected features in rank order;
#' `"embedding"`: the samples on their first two principal components by all features (left) and
#' by the selected ones (right), these turned to be next to those. For [alignment()], without
#' `data`: the embedding that the features were aligned to and the same by the selected features.
#'
#' Colours can be told apart by colour-blind readers, and in grey by their
#' lightness: in the heat maps negative values are dark and positive ones light.
#'
#' @param x A fit.
#' @param type Which plot.
#' @param n Number of features shown. In `"image"`, `"correlation"` and `"embedding"` all
#'   selected features are shown where the fit selects a fixed number and `n` is
#'   left out.
#' @param labels Number of features named in `"scores"`.
#' @param dim For `"image"`: height and width of the image in pixels. The first feature is the
#'   pixel at the top left, the next ones lie below it: the features fill the image column by
#'   column, as R and MATLAB store matrices.
#' @param background For `"image"`: d grey values to draw below, for example the
#'   mean of all samples.
#' @param data For `"correlation"` and `"embedding"`: the data, as in the call of the fit.
#' @param groups For `"embedding"`: classes of the samples, shown by colour. `NULL`:
#'   the colour is the place along the first direction on the left, so that samples
#'   can be found again on the right.
#' @param others For `"objective"`: a fit or a named list of fits to draw beside `x`. Their
#'   objectives may have nothing in common: what is drawn, on a logarithmic scale, is the
#'   distance to the objective at the end, relative to that at the start.
#' @param byrow For `"image"`: `TRUE` where the features fill the image row by row.
#' @param ... Passed on to the base graphics function.
#' @return `x`, invisibly.
#' @seealso [autoplot.rowsparse()] for ggplot2
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 2)
#' plot(fit)
#' plot(fit, type = "loadings")
#' plot(fit, type = "correlation", data = iris[, 1:4], n = 3)
#' plot(fit, type = "embedding", data = iris[, 1:4], n = 2, groups = iris$Species)
#' plot(fit, type = "objective", others = list(rtr = bsufs(iris[, 1:4], m = 2, solver = "rtr")))
#' # a 4 x 4 image with a bright corner that varies
#' set.seed(1)
#' pixels <- matrix(rnorm(20 * 16), 20)
#' pixels[, c(1, 2, 5, 6)] <- 3 * pixels[, c(1, 2, 5, 6)] + 5
#' plot(rowsparse(pixels, k = 4), type = "image", dim = c(4, 4), background = colMeans(pixels))
#' @export
plot.rowsparse <- function(x, type = c(
                             "scores", "objective", "loadings", "image", "correlation", "embedding"
                           ),
                           n = 50, labels = 10, dim = NULL, background = NULL, data = NULL,
                           ..., groups = NULL, others = NULL, byrow = FALSE) {
  check_fit(x, "x")
  check_graphical(...)
  type <- check_choice(type, "type", eval(formals(plot.rowsparse)$type))
  shown <- if (missing(n)) NULL else check_shown(n)
  n <- check_shown(n)
  labels <- check_shown(labels, "labels", 0L)
  switch(type,
    scores = plot_scores(x, n, labels, ...),
    objective = if (is.null(others)) plot_objective(x, ...) else plot_convergence(x, others, ...),
    loadings = plot_loadings(x, n, ...),
    image = plot_image(x, features_shown(x, shown), dim, background, byrow, ...),
    correlation = plot_correlation(x, features_shown(x, shown), data, ...),
    embedding = plot_embeddings(x, groups, data, shown, ...)
  )
  invisible(x)
}

plot_scores <- function(fit, n, labels, ...) {
  shown <- utils::head(fit$ranking, n)
  scores <- unname(fit$scores[shown])
  colour <- plot_colours[["blue"]]
  named <- seq_len(min(labels, sum(scores > 0)))
  names <- feature_labels(fit, shown[named])
  # an axis needs some length
  highest <- max(scores)
  top <- (if (highest > 1e-300) highest else 1) * (1.1 + 0.025 * min(12, max(nchar(names), 0)))
  margins <- roomy_margins(c(0, top))
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::plot.default, list(
    x = seq_along(shown), y = scores, type = "h", lwd = 2, col = colour, bty = "l",
    xlab = "rank", ylab = "score", main = plot_title(fit, "scores"), las = 1,
    xlim = c(1, length(shown) + 0.5), ylim = c(0, top)
  ), c(0, top), ...)
  graphics::points(seq_along(shown), scores, pch = 19, cex = 0.6, col = colour)
  # names stand above their stems, the narrower the more stems there are
  width <- graphics::par("pin")[1] / max(1, length(shown))
  size <- min(0.8, max(0.35, 6 * width))
  if (length(named) > 0) {
    graphics::text(named, scores[named], names,
      srt = 90, adj = c(-0.2, 0.5), cex = size, col = plot_colours[["dark"]], xpd = NA
    )
  }
}

plot_objective <- function(fit, ...) {
  check_objective(fit)
  margins <- roomy_margins(fit$objective)
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::plot.default, list(
    x = seq_along(fit$objective) - 1, y = fit$objective, type = "o", pch = 19, cex = 0.5,
    col = plot_colours[["blue"]], bty = "l", las = 1, xlab = "outer iteration",
    ylab = "objective", main = plot_title(fit, "objective")
  ), fit$objective, ...)
}

plot_convergence <- function(fit, others, ...) {
  table <- convergence_table(fit, others)
  style <- curve_style(nlevels(table$fit))
  # tick labels of a logarithmic axis are of one width
  margins <- roomy_margins(1e-4)
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::plot.default, list(
    x = table$iteration, y = table$gap, type = "n", log = "y", bty = "l", las = 1,
    xlab = "outer iteration", ylab = convergence_label, main = "Convergence"
  ), 1e-4, ...)
  for (name in levels(table$fit)) {
    own <- table[table$fit == name, ]
    at <- match(name, levels(table$fit))
    graphics::lines(own$iteration, own$gap, type = "o", cex = 0.5, col = style$colour[at],
      lty = style$lty[at], pch = style$pch[at]
    )
  }
  graphics::legend("topright", levels(table$fit), col = style$colour, lty = style$lty,
    pch = style$pch, bty = "n", cex = 0.8
  )
}

convergence_label <- "distance to the end, relative to the start"

# iteration, gap and fit: |f_t - f_T| / |f_0 - f_T| as far as it is more than rounding
convergence_table <- function(fit, others) {
  fits <- fits_to_draw(fit, others)
  rows <- Map(function(one, name) {
    check_objective(one)
    f <- one$objective
    gap <- abs(f - f[length(f)])
    first <- gap[is.finite(gap) & gap > 0]
    gap <- gap / c(first, 1)[1]
    known <- is.finite(gap) & gap > 1e-12
    data.frame(iteration = seq_along(f)[known] - 1, gap = gap[known], fit = rep(name, sum(known)))
  }, fits, names(fits))
  table <- do.call(rbind, unname(rows))
  if (nrow(table) == 0) {
    stop_rowsparse("choice", "others", "must hold fits whose objective changes")
  }
  table$fit <- factor(table$fit, names(fits))
  table
}

# named list of fits, named by their methods where the caller gives no names
fits_to_draw <- function(fit, others) {
  if (inherits(others, "rowsparse")) others <- list(others)
  sound <- is.list(others) && length(others) > 0 &&
    all(vapply(others, inherits, NA, what = "rowsparse"))
  if (!sound) {
    stop_rowsparse("type", "others", "must be a fit or a list of fits", describe(others))
  }
  for (one in others) check_fit(one, "others")
  labels <- or_default(names(others), rep("", length(others)))
  own <- vapply(others, function(one) class(one)[1], "")
  labels[is.na(labels) | !nzchar(labels)] <- own[is.na(labels) | !nzchar(labels)]
  fits <- c(list(fit), unname(others))
  stats::setNames(fits, make.unique(c(class(fit)[1], labels), " "))
}

check_objective <- function(fit) {
  if (!any(is.finite(fit$objective))) {
    stop_rowsparse("choice", "type",
      sprintf("\"objective\": this fit of %s holds no finite value", class(fit)[1])
    )
  }
}

plot_loadings <- function(fit, n, ...) {
  shown <- rev(nonzero_loadings(fit, n))
  values <- fit$loadings[shown, , drop = FALSE]
  columns <- loading_columns(fit)
  draw_signed_map(t(values), feature_labels(fit, shown), columns$labels,
    xlab = columns$what, main = plot_title(fit, "loadings"), ...
  )
}

# what the columns of the loadings are
loading_columns <- function(fit) {
  labels <- colnames(fit$loadings)
  if (is.null(fit$response) || is.null(labels)) {
    return(list(labels = seq_len(ncol(fit$loadings)), what = "component"))
  }
  list(labels = labels, what = if (fit$response$type == "class") "class" else "response")
}

# features with a nonzero row of loadings, best first, at most n
nonzero_loadings <- function(fit, n) {
  if (is.null(fit$loadings)) {
    stop_rowsparse("choice", "type", sprintf("\"loadings\": %s has none", class(fit)[1]))
  }
  norms <- row_norms(fit$loadings[fit$ranking, , drop = FALSE])
  utils::head(fit$ranking[norms > 0], n)
}

# dark below zero, light above, so that the sign survives without colour
draw_signed_map <- function(z, rows, columns, limit = max(abs(z), .Machine$double.xmin), ...) {
  draw_map(z, rows, columns, c(-limit, limit), ...)
}

# z: columns x rows of the picture, the lowest row first; a scale at the right. `turned`:
# the labels of the columns are; `after` draws on top
draw_map <- function(z, rows, columns, limits, turned = FALSE, after = function() NULL, ...) {
  colours <- grDevices::hcl.colors(51, "Cividis")
  below <- if (turned) label_width(columns) + 1 else 4.5
  margins <- set_margins(c(below, label_width(rows), 3, 5))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::image.default, list(
    x = seq_len(nrow(z)), y = seq_len(ncol(z)), z = unname(z), zlim = limits,
    col = colours, axes = FALSE, ylab = "", useRaster = FALSE
  ), ...)
  label_axis(1, columns, turned)
  label_axis(2, rows)
  draw_scale(limits, colours)
  after()
}

# as many labels as fit, perpendicular to the axis at the left, and below where `turned`
label_axis <- function(side, labels, turned = side == 2) {
  room <- graphics::par("pin")[if (side == 1) 1 else 2]
  height <- graphics::par("cin")[2]
  size <- min(0.8, max(0.35, 0.95 * room / (height * length(labels))))
  every <- ceiling(0.35 * height * length(labels) / room)
  at <- seq(1, length(labels), by = max(1, if (turned) every else ceiling(length(labels) / 12)))
  graphics::axis(side, at, labels[at], las = if (turned) 2 else 0, tick = FALSE,
    cex.axis = if (turned) size else 0.8, line = -0.5
  )
}

draw_scale <- function(limits, colours) {
  box <- graphics::par("usr")
  # within the margin, however wide the picture is
  x <- box[2] + graphics::xinch(graphics::par("mai")[4]) * c(0.12, 0.32)
  y <- seq(box[3], box[4], length.out = length(colours) + 1)
  graphics::rect(x[1], y[-length(y)], x[2], y[-1], col = colours, border = NA, xpd = NA)
  graphics::text(x[2], box[3] + diff(box[3:4]) * c(0, 0.5, 1),
    format(c(limits[1], mean(limits), limits[2]), digits = 2), pos = 4, cex = 0.75, xpd = NA
  )
}

# left margin, in lines, for the longest label
label_width <- function(labels) {
  2 + 0.45 * min(24, max(0, nchar(labels)))
}

# ---- selected features ---------------------------------------------------------

# columns in rank order: the n best, or the fit's own selection
features_shown <- function(fit, n) {
  if (is.null(n) && is.null(fit$selected)) n <- 50L
  if (is.null(n)) fit$selected else utils::head(fit$ranking, n)
}

plot_image <- function(fit, shown, dim, background, byrow, ...) {
  check_image(dim, background, byrow, fit$d)
  grey <- if (is.null(background)) rep(0.95, fit$d) else background
  picture <- matrix(as.double(grey), dim[1], dim[2], byrow = byrow)
  margins <- set_margins(c(1, 1, 3, 1))
  on.exit(graphics::par(margins))
  shades <- if (is.null(background)) "grey95" else grDevices::grey.colors(256, 0, 1)
  plot_arguments(graphics::image.default, list(
    x = seq_len(dim[2]), y = seq_len(dim[1]), z = t(picture[rev(seq_len(dim[1])), , drop = FALSE]),
    col = shades, asp = 1, axes = FALSE, xlab = "", ylab = "",
    main = plot_title(fit, sprintf("%d selected pixels", length(shown)))
  ), ...)
  at <- pixel_places(shown, dim, byrow)
  column <- at$column
  row <- at$row
  # a dark rim keeps the mark visible on bright and on dark pixels
  graphics::rect(column - 0.42, row - 0.42, column + 0.42, row + 0.42,
    col = plot_colours[["orange"]], border = "black", lwd = 0.7
  )
  graphics::rect(0.5, 0.5, dim[2] + 0.5, dim[1] + 0.5, border = plot_colours[["grey"]])
}

# column from the left and row from below of the pixels of some features
pixel_places <- function(index, dim, byrow) {
  if (byrow) {
    data.frame(column = (index - 1) %% dim[2] + 1, row = dim[1] - (index - 1) %/% dim[2])
  } else {
    data.frame(column = (index - 1) %/% dim[1] + 1, row = dim[1] - (index - 1) %% dim[1])
  }
}

check_image <- function(dim, background, byrow, d) {
  check_flag(byrow, "byrow")
  if (!is_whole(dim) || length(dim) != 2L || any(dim < 1) || prod(dim) != d) {
    stop_rowsparse("size", "dim",
      sprintf("must be two whole numbers with product %d, the number of features", d),
      describe(dim)
    )
  }
  if (!is.null(background) && length(check_numbers(background, "background")) != d) {
    stop_rowsparse("length", "background", sprintf("must hold %d values, one per feature", d),
      length(background)
    )
  }
}

plot_correlation <- function(fit, shown, data, ...) {
  correlation <- correlation_of_features(fit, shown, data)
  labels <- feature_labels(fit, shown)
  last <- length(shown)
  draw_signed_map(correlation[, rev(seq_len(last)), drop = FALSE], rev(labels), seq_len(last),
    limit = 1, xlab = "rank", main = plot_title(fit, "correlation of the selected features"), ...
  )
}

correlation_of_features <- function(fit, shown, data) {
  if (is.null(data)) {
    stop_rowsparse("type", "data", "must be given for the correlations: the data of the fit")
  }
  data <- without_constant_warning(as_data(data, argument = "data"))
  columns <- feature_columns(feature_labels(fit, shown), "x", data$d, data$names)
  block <- centred_block(data, columns)
  S <- cross_block(data, columns, block, columns, block)
  deviation <- sqrt(diag(S))
  # rounding must not leave the scale of the picture
  correlation <- S / pmax(deviation, .Machine$double.xmin)
  correlation <- sweep(correlation, 2, pmax(deviation, .Machine$double.xmin), "/")
  pmin(pmax(correlation, -1), 1)
}

# ---- the samples ------------------------------------------------------------------

plot_embeddings <- function(fit, groups, data, shown, ...) {
  views <- embedding_views(fit, groups, data, shown)
  colours <- if (is.null(groups)) {
    grDevices::hcl.colors(64, "Cividis")[cut(views$shade, 64, labels = FALSE)]
  } else {
    group_colours(nlevels(views$groups))[as.integer(views$groups)]
  }
  before <- graphics::par(mfrow = c(1, 2))
  on.exit(graphics::par(before))
  for (view in views$panels) {
    margins <- set_margins(c(4.5, 4.5, 3, 1))
    plot_arguments(graphics::plot.default, list(
      x = view$at[, 1], y = view$at[, 2], col = colours, pch = 19, cex = 0.7, bty = "l", las = 1,
      xlab = view$labels[1], ylab = view$labels[2], main = view$title
    ), ...)
    if (!is.null(groups) && identical(view, views$panels[[1]])) {
      label_groups(views$groups)
    }
    graphics::par(margins)
  }
}

# where they are few enough to be told apart
label_groups <- function(groups) {
  count <- nlevels(groups)
  if (count <= 12L) {
    graphics::legend("topright", levels(groups),
      col = group_colours(count), pch = 19, cex = 0.7, bty = "n"
    )
  }
}

# the two pictures of the samples, and what colours them
embedding_views <- function(fit, groups, data, shown) {
  pair <- if (is.null(data)) fitted_embeddings(fit) else component_pair(fit, data, shown)
  view <- function(vectors, title) {
    at <- vectors[, seq_len(min(2L, ncol(vectors))), drop = FALSE]
    labels <- paste(pair$axis, 1:2)
    if (ncol(at) == 1L) {
      at <- cbind(seq_len(nrow(at)), at)
      labels <- c("sample", labels[1])
    }
    list(at = at, labels = labels, title = title)
  }
  list(
    groups = if (!is.null(groups)) check_groups(groups, nrow(pair$all)), shade = pair$all[, 1],
    panels = list(
      view(pair$all, pair$title),
      view(pair$seen, sprintf("seen in %s", count_of(pair$k, "feature")))
    )
  )
}

# what alignment() has aligned to
fitted_embeddings <- function(fit) {
  if (is.null(fit$embedding) || is.null(fit$embedding_selected)) {
    stop_rowsparse("type", "data",
      sprintf("must be given for the embedding: the data of the fit of %s", class(fit)[1])
    )
  }
  list(
    all = fit$embedding, seen = fit$embedding_selected, k = fit$parameters$k,
    title = "aligned to", axis = "direction"
  )
}

# the two leading components by all features and by the selected ones, the latter turned
# to the former
component_pair <- function(fit, data, shown) {
  samples <- read_samples(data, "data")
  chosen <- feature_labels(fit, features_shown(fit, shown))
  columns <- feature_columns(chosen, "data", samples$d, samples$names)
  scale <- !is.null(fit$scale)
  all <- two_components(input_matrix(samples), scale)
  seen <- two_components(dense_columns(samples, columns), scale)
  list(
    all = all, seen = turned_to(seen, all), k = length(columns),
    title = sprintf("by all %s", count_of(samples$d, "feature")), axis = "component"
  )
}

# scores of the samples on at most two principal components
two_components <- function(x, scale) {
  data <- without_constant_warning(as_data(x, scale, argument = "data"))
  inside <- in_binary_units(data)
  svd <- truncated_svd(inside, min(2L, largest_dimension(data)))
  sweep(svd$left, 2, sqrt(pmax(svd$squares[seq_len(ncol(svd$left))], 0)), "*")
}

# rotation and reflection that bring A nearest to B; columns that it lacks are zero
turned_to <- function(A, B) {
  turn <- svd(crossprod(A, B))
  A %*% turn$u %*% t(turn$v)
}

check_groups <- function(groups, n) {
  class_response(groups, n, "groups")
  droplevels(as.factor(groups))
}

group_colours <- function(count) {
  grDevices::hcl.colors(max(2L, count), "Dark 3")
}
