#' Plots of fits, paths, tunings and evaluations by ggplot2
#'
#' The plots of [plot.rowsparse()], [rowsparse_path()], [tune_rowsparse()], [evaluate_features()],
#' [compare_methods()] and the test in its summary, [compare_panels()], [improve()], [moments()],
#' [rowsparse_cost()] and [alternatives()] as ggplot2 objects, to be styled further. `type` and
#' the other arguments are those of `plot()`, and both draw the same numbers. The methods need
#' ggplot2.
#'
#' @param object A fit, a path, a tuning, a cross-validation, an evaluation, a comparison or its
#'   test, [moments()], costs or alternatives.
#' @param type Which plot: as for the `plot()` method of `object`.
#' @param n,labels,dim,background,data,groups,others,byrow,over As for [plot.rowsparse()] and for
#'   the `plot()` methods of [rowsparse_path()] and [tune_rowsparse()].
#' @param metric As for the `plot()` method of [evaluate_features()].
#' @param ... Unused.
#' @return A `ggplot` object.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' fit <- bsufs(iris[, 1:4], m = 2)
#' ggplot2::autoplot(fit)
#' ggplot2::autoplot(fit, type = "loadings")
#' ggplot2::autoplot(fit, "embedding", data = iris[, 1:4], n = 2, groups = iris$Species)
#' @name autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse <- function(object, type = c(
                                 "scores", "objective", "loadings", "pixels", "correlation",
                                 "embedding", "proof", "alternatives"
                               ),
                               n = 50, labels = 10, dim = NULL, background = NULL, data = NULL,
                               ..., groups = NULL, others = NULL, byrow = FALSE) {
  check_no_more("autoplot",
    c("type", "n", "labels", "dim", "background", "data", "groups", "others", "byrow"), ...
  )
  check_fit(object, "object")
  gg_picture(fit_picture(object, type, if (missing(n)) NULL else check_shown(n),
    labels, dim, background, data, groups, others, byrow
  ))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_path <- function(object, type = c("scores", "nonzero", "explained"),
                                    labels = 10, ...) {
  check_no_more("autoplot", c("type", "labels"), ...)
  check_path(object, "object")
  gg_picture(path_picture(object, type, labels))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_tuning <- function(object, type = c(
                                        "criterion", "stability", "frequency", "paths", "surface"
                                      ),
                                      n = 30, over = NULL, ...) {
  check_no_more("autoplot", c("type", "n", "over"), ...)
  check_tuning(object, "object")
  gg_picture(tuning_picture(object, type, n, over))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.feature_evaluation <- function(object, metric = c("acc", "nmi"), ...) {
  check_no_more("autoplot", "metric", ...)
  check_evaluation(object, "object")
  gg_picture(evaluation_picture(object, metric))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.panel_comparison <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_panel_comparison(object, "object")
  gg_picture(panels_picture(object))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.improved_panel <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_improved(object, "object")
  gg_picture(improved_picture(object))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.method_comparison <- function(object, metric = c("acc", "nmi"),
                                       type = c("sizes", "map", "criteria"), ...) {
  check_no_more("autoplot", c("metric", "type"), ...)
  check_evaluation(object, "object")
  gg_picture(comparison_picture(object, metric, type))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.friedman_nemenyi <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_friedman(object, "object")
  gg_picture(ranks_picture(object))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_cost <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_cost(object, "object")
  gg_picture(cost_picture(object))
}

# ---- the kinds of pictures -------------------------------------------------------

gg_picture <- function(picture) {
  draw <- switch(picture$kind,
    stems = gg_stems, curves = gg_curves, map = gg_map, pixels = gg_pixels,
    samples = gg_samples, paths = gg_paths, dots = gg_dots, ranks = gg_ranks,
    radar = gg_radar, panels = gg_panels, costs = gg_costs, intervals = gg_intervals
  )
  draw(picture)
}

# columns of the plot's data by name
gg_aes <- function(...) {
  columns <- list(...)
  do.call(ggplot2::aes, lapply(columns, as.name))
}

gg_base <- function(data, ..., title, xlab = NULL, ylab = NULL) {
  wrapped <- if (!is.null(title)) paste(strwrap(title, 64L), collapse = "\n")
  ggplot2::ggplot(data, gg_aes(...)) +
    ggplot2::labs(title = wrapped, x = xlab, y = ylab) +
    ggplot2::theme_bw()
}

# colours, symbols and lines of a factor in one legend, long ones in several columns
gg_style <- function(levels, title = NULL, lines = TRUE) {
  style <- curve_style(length(levels))
  names <- cut_names(levels, 28L)
  size <- if (length(levels) > 16L) 7 else 8.8
  guide <- ggplot2::guide_legend(title, ncol = 1L + length(levels) %/% 26L,
    label.theme = ggplot2::element_text(size = size), keyheight = size / 9
  )
  scale <- function(fun, values) fun(values = values, labels = names, drop = FALSE, guide = guide)
  list(
    scale(ggplot2::scale_colour_manual, style$colour),
    scale(ggplot2::scale_shape_manual, style$pch),
    if (lines) scale(ggplot2::scale_linetype_manual, style$lty)
  )
}

gg_mark <- function(at) {
  if (!is.null(at)) {
    ggplot2::geom_vline(xintercept = at, linetype = "dashed", colour = plot_colours[["orange"]])
  }
}

# an axis along numbers: whole, logarithmic, descending
gg_axis <- function(p) {
  if (identical(p$log, "x")) {
    # descending on a logarithmic scale: as -log10
    ticks <- grDevices::axisTicks(log10(range(p$x)), log = TRUE, nint = 6)
    return(list(
      x = -log10(p$x),
      scale = ggplot2::scale_x_continuous(breaks = -log10(ticks), labels = signif(ticks, 3))
    ))
  }
  scale <- if (isTRUE(p$reverse)) {
    ggplot2::scale_x_reverse()
  } else if (!is.null(p$ticks)) {
    ggplot2::scale_x_continuous(breaks = p$ticks,
      guide = ggplot2::guide_axis(check.overlap = TRUE)
    )
  } else if (isTRUE(p$whole)) {
    ggplot2::scale_x_continuous(breaks = whole_ticks)
  }
  list(x = p$x, scale = scale)
}

# ---- stems and dots --------------------------------------------------------------

# as if the panel were six by four inches: ggplot2 measures nothing before it draws
gg_stems <- function(p) {
  table <- p$table
  table$chosen <- factor(table$chosen, c(TRUE, FALSE), chosen_words)
  named <- table[seq_len(p$named), ]
  named$label <- cut_names(named$feature, 24L)
  highest <- max(table$value, 0)
  if (highest <= 1e-300) highest <- 1
  room <- pmin(0.8, (0.06 * nchar(named$label) + 0.1) / 4)
  top <- max(1.06 * highest, (named$value + 0.015 * highest) / (1 - room))
  if (nrow(named) > 0) {
    named$at <- apart(named$rank, 0.13 * nrow(table) / 6, nrow(table) + 0.5)
    named$lifted <- named$value + 0.015 * top
  }
  both <- !all(p$table$chosen)
  gg_base(table, x = "rank", y = "value", title = p$title, xlab = p$xlab, ylab = p$ylab) +
    ggplot2::geom_segment(gg_aes(xend = "rank", colour = "chosen"), yend = 0,
      show.legend = FALSE
    ) +
    ggplot2::geom_point(gg_aes(colour = "chosen"), show.legend = both) +
    (if (nrow(named) > 0) {
      list(
        ggplot2::geom_segment(gg_aes(xend = "at", yend = "lifted"), data = named,
          colour = plot_colours[["grey"]], linewidth = 0.3
        ),
        ggplot2::geom_text(gg_aes(x = "at", y = "lifted", label = "label"), data = named,
          angle = 90, hjust = 0, size = 2.6, colour = plot_colours[["dark"]]
        )
      )
    }) +
    gg_mark(p$line) +
    ggplot2::scale_colour_manual(NULL, drop = FALSE,
      values = unname(plot_colours[c("blue", "grey")])
    ) +
    ggplot2::scale_x_continuous(breaks = whole_ticks) +
    ggplot2::coord_cartesian(ylim = c(0, top)) +
    ggplot2::theme(legend.position = "top")
}

# rows of a picture by number, the first on top, and their names, as many as find room
gg_rows <- function(names, room = 46L) {
  every <- max(1L, ceiling(length(names) / room))
  shown <- seq(1L, length(names), by = every)
  list(
    ggplot2::scale_y_discrete(breaks = as.character(shown), labels = cut_names(names)[shown],
      drop = FALSE, expand = c(0, 0.5)
    ),
    ggplot2::theme(axis.text.y = ggplot2::element_text(
      size = max(6, min(8.8, 290 / min(room, length(names))))
    ))
  )
}

row_factor <- function(index, count) factor(index, rev(seq_len(count)))

gg_dots <- function(p) {
  table <- p$table
  table$row <- row_factor(seq_len(nrow(table)), nrow(table))
  table$chosen <- factor(table$chosen, c(TRUE, FALSE), chosen_words)
  gg_base(table, x = "value", y = "row", title = p$title, xlab = p$xlab) +
    ggplot2::geom_segment(gg_aes(yend = "row"), xend = 0, colour = plot_colours[["grey"]]) +
    ggplot2::geom_point(gg_aes(fill = "chosen"), shape = 21, size = 2,
      colour = plot_colours[["blue"]]
    ) +
    ggplot2::scale_fill_manual(NULL, values = c(plot_colours[["blue"]], "white"), drop = FALSE) +
    ggplot2::scale_x_continuous(limits = c(0, 1)) +
    gg_rows(table$feature) +
    ggplot2::theme(legend.position = "top")
}

gg_costs <- function(p) {
  labels <- vapply(p$panels, `[[`, "", "label")
  count <- length(p$methods)
  table <- do.call(rbind, lapply(p$panels, function(panel) {
    data.frame(
      row = row_factor(seq_len(count), count), value = panel$value, route = p$route,
      panel = factor(panel$label, labels)
    )
  }))
  limit <- p$panels[[2]]$line
  gg_base(table, x = "value", y = "row", colour = "route", shape = "route", title = p$title) +
    ggplot2::geom_point() +
    (if (!is.null(limit)) {
      ggplot2::geom_vline(gg_aes(xintercept = "value"), linetype = "dashed",
        data = data.frame(value = limit, panel = factor(labels[2], labels)),
        colour = plot_colours[["orange"]]
      )
    }) +
    ggplot2::facet_wrap("panel", scales = "free_x") +
    ggplot2::scale_x_log10() +
    gg_style(levels(p$route), lines = FALSE) +
    gg_rows(p$methods)
}

# ---- curves ----------------------------------------------------------------------

curve_data <- function(p) {
  table <- data.frame(x = gg_axis(p)$x, y = p$y)
  table$lower <- p$y - or_default(p$se, NA_real_)
  table$upper <- p$y + or_default(p$se, NA_real_)
  table$group <- or_default(p$group, factor(rep("", length(p$x))))
  table[is.finite(table$y), ]
}

gg_curves <- function(p) {
  gg_curve_layers(p, curve_data(p), p$band, p$title)
}

gg_panels <- function(p) {
  titles <- vapply(p$panels, `[[`, "", "title")
  stack <- function(tables) {
    do.call(rbind, Map(function(table, title) {
      if (!is.null(table) && nrow(table) > 0) cbind(table, panel = factor(title, titles))
    }, tables, titles))
  }
  gg_curve_layers(
    p$panels[[1]], stack(lapply(p$panels, curve_data)), stack(lapply(p$panels, `[[`, "band")), NULL
  ) +
    ggplot2::facet_wrap("panel", scales = "free", labeller = function(labels) {
      list(cut_names(labels[[1]], max(8, 48 %/% ceiling(sqrt(length(titles))))))
    })
}

gg_curve_layers <- function(p, table, band, title) {
  several <- nlevels(table$group) > 1L
  single <- list(colour = plot_colours[["blue"]])
  look <- if (several) list() else single
  aesthetics <- if (several) {
    list(colour = "group", shape = "group", linetype = "group", group = "group")
  }
  do.call(gg_base, c(list(table, x = "x", y = "y"), aesthetics,
    list(title = title, xlab = p$xlab, ylab = p$ylab)
  )) +
    gg_band(band) +
    (if (!is.null(p$se)) {
      do.call(ggplot2::geom_linerange, c(list(gg_aes(ymin = "lower", ymax = "upper"),
        na.rm = TRUE, linetype = "solid", show.legend = FALSE
      ), look))
    }) +
    (if (max(table(table$group)) > 1L) do.call(ggplot2::geom_line, look)) +
    (if (!isFALSE(p$points)) do.call(ggplot2::geom_point, c(list(size = 1.2), look))) +
    (if (several) gg_style(levels(table$group))) +
    gg_mark(p$line) +
    (if (identical(p$log, "y")) ggplot2::scale_y_log10()) +
    (if (!is.null(p$limits)) ggplot2::expand_limits(y = p$limits)) +
    ggplot2::labs(subtitle = p$note) +
    gg_axis(p)$scale
}

# random sets, below the curves
gg_band <- function(band) {
  if (is.null(band)) {
    return(NULL)
  }
  band$random <- "random"
  list(
    ggplot2::geom_ribbon(gg_aes(x = "k", ymin = "lower", ymax = "upper", fill = "random"),
      data = band, inherit.aes = FALSE
    ),
    ggplot2::geom_line(gg_aes(x = "k", y = "value"), data = band, inherit.aes = FALSE,
      linetype = 2, colour = plot_colours[["grey"]]
    ),
    ggplot2::scale_fill_manual(NULL, values = c(random = band_colour))
  )
}

gg_paths <- function(p) {
  axis <- gg_axis(p)
  count <- ncol(p$value)
  table <- data.frame(
    feature = factor(rep(seq_len(count), each = length(p$x))), x = rep(axis$x, count),
    y = as.vector(p$value)
  )
  if (!is.null(p$blocks)) table$block <- rep(p$blocks, count)
  first <- as.integer(table$feature) <= p$named
  named <- droplevels(table[first, ])
  picture <- gg_base(table[!first, ], x = "x", y = "y", group = "feature", title = p$title,
    xlab = p$xlab, ylab = p$ylab
  ) +
    ggplot2::geom_line(colour = plot_colours[["grey"]], alpha = 0.5, linewidth = 0.2) +
    ggplot2::geom_line(gg_aes(colour = "feature", linetype = "feature"), data = named,
      linewidth = 0.8
    ) +
    gg_style(p$features[seq_len(p$named)], p$naming) +
    gg_mark(p$line) +
    axis$scale
  if (is.null(p$blocks)) picture else picture + ggplot2::facet_wrap("block")
}

# ---- maps ------------------------------------------------------------------------

# tiles of a map, one row each
map_data <- function(p) {
  count <- nrow(p$value)
  table <- data.frame(
    row = row_factor(rep(seq_len(count), ncol(p$value)), count),
    column = rep(seq_len(ncol(p$value)), each = count), value = as.vector(p$value)
  )
  if (!is.null(p$tiles)) {
    table$label <- as.vector(p$tiles)
    table$ink <- ink_on(table$value, p$limits, p$colours)
  }
  table
}

gg_map <- function(p) {
  table <- map_data(p)
  picture <- gg_base(table, x = "column", y = "row", title = p$title, xlab = p$xlab,
    ylab = p$ylab
  ) +
    ggplot2::geom_tile(gg_aes(fill = "value"), show.legend = !isFALSE(p$scale)) +
    ggplot2::scale_fill_gradientn(NULL, colours = p$colours, limits = p$limits,
      na.value = "grey90"
    ) +
    gg_columns(p$columns) +
    gg_rows(p$rows) +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
  if (!is.null(p$tiles)) {
    picture <- picture +
      ggplot2::geom_text(gg_aes(label = "label", colour = "ink"), size = 2.6, na.rm = TRUE) +
      ggplot2::scale_colour_identity()
  }
  if (!is.null(p$frame)) {
    at <- table[p$frame[1] + nrow(p$value) * (p$frame[2] - 1L), ]
    picture <- picture +
      ggplot2::geom_tile(data = at, fill = NA, colour = plot_colours[["orange"]], linewidth = 1.2)
  }
  picture
}

# names below a map: numbers as many as find room, words turned where they are long
gg_columns <- function(names) {
  count <- length(names)
  at <- seq(1L, count, by = max(1L, ceiling(count / if (is.numeric(names)) 16L else 50L)))
  labels <- if (is.numeric(names)) names else cut_names(names, 24L)
  turned <- !is.numeric(names) && sum(nchar(labels) + 2L) > 60L
  list(
    ggplot2::scale_x_continuous(breaks = at, labels = labels[at], expand = c(0, 0)),
    if (turned) {
      ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5,
        size = max(4.5, min(8.8, 400 / count))
      ))
    }
  )
}

gg_pixels <- function(p) {
  table <- p$all
  table$grey <- or_default(p$grey, 1)
  marks <- p$marks
  gg_base(table, x = "column", y = "row", title = p$title) +
    ggplot2::geom_raster(gg_aes(fill = "grey"), show.legend = FALSE) +
    ggplot2::scale_fill_gradientn(
      colours = if (is.null(p$grey)) c("grey95", "grey95") else image_greys()
    ) +
    ggplot2::geom_tile(data = marks, width = mark_size, height = mark_size,
      colour = mark_rim(p$dim), fill = plot_colours[["orange"]]
    ) +
    ggplot2::coord_equal(expand = FALSE) +
    ggplot2::theme_void() +
    ggplot2::theme(
      panel.border = ggplot2::element_rect(colour = plot_colours[["grey"]], fill = NA),
      plot.title = ggplot2::element_text(hjust = 0.5, margin = ggplot2::margin(6, 0, 6, 0)),
      plot.margin = ggplot2::margin(4, 4, 4, 4)
    )
}

# ---- samples ---------------------------------------------------------------------

gg_samples <- function(p) {
  titles <- vapply(p$panels, `[[`, "", "title")
  table <- do.call(rbind, lapply(p$panels, function(view) {
    data.frame(first = view$at[, 1], second = view$at[, 2], panel = factor(view$title, titles))
  }))
  labels <- p$panels[[1]]$labels
  picture <- gg_base(table, x = "first", y = "second", title = p$title, xlab = labels[1],
    ylab = labels[2]
  )
  if (length(titles) > 1L) picture <- picture + ggplot2::facet_wrap("panel", scales = "free")
  if (is.null(p$groups)) {
    picture$data$shade <- p$shade
    return(picture +
      ggplot2::geom_point(gg_aes(colour = "shade"), size = 1.2, show.legend = isTRUE(p$scale)) +
      ggplot2::scale_colour_gradientn(NULL, colours = sequential_colours()))
  }
  picture$data$group <- rep(p$groups, length(titles))
  picture +
    ggplot2::geom_point(gg_aes(colour = "group", shape = "group"), size = 1.2,
      show.legend = !isFALSE(p$legend)
    ) +
    gg_style(levels(p$groups), lines = FALSE)
}

# ---- comparisons -----------------------------------------------------------------

gg_radar <- function(p) {
  frame <- radar_frame(colnames(p$value))
  rings <- do.call(rbind, Map(cbind, frame$rings, ring = seq_along(frame$rings)))
  axes <- frame$axes
  axes$hjust <- (1 - sign(round(axes$x, 3))) / 2
  axes$vjust <- 0.5 - 0.5 * axes$y
  axes$zero <- 0
  points <- radar_points(p$value)
  gg_base(points, x = "x", y = "y", title = p$title) +
    ggplot2::geom_polygon(gg_aes(group = "ring"), data = rings, fill = NA, colour = "grey80") +
    ggplot2::geom_segment(gg_aes(xend = "zero", yend = "zero"), data = axes, colour = "grey80") +
    ggplot2::geom_text(gg_aes(label = "criterion", hjust = "hjust", vjust = "vjust"), size = 3,
      data = transform(axes, x = 1.06 * axes$x, y = 1.06 * axes$y)
    ) +
    ggplot2::geom_polygon(gg_aes(colour = "method", linetype = "method"), fill = NA,
      linewidth = 0.8, key_glyph = ggplot2::draw_key_path
    ) +
    ggplot2::geom_point(gg_aes(colour = "method", shape = "method"), size = 2) +
    gg_style(levels(points$method)) +
    ggplot2::coord_equal(xlim = c(-1.6, 1.6), ylim = c(-1.15, 1.2)) +
    ggplot2::theme_void() +
    ggplot2::theme(plot.margin = ggplot2::margin(6, 6, 6, 6))
}

gg_ranks <- function(p) {
  table <- p$labels
  table$words <- sprintf("%s (%.2f)", cut_names(table$method, 18L), table$rank)
  # in units of the axis, as if the page were seven inches wide
  share <- min(0.35, 0.075 * max(nchar(table$words)) / 7 + 0.02)
  width <- max(p$methods - 1, p$difference)
  margin <- width * share / (1 - 2 * share)
  # an elbow: from the axis down, then out to the label
  table$zero <- 0
  table$outside <- table$end + ifelse(table$left, -1, 1) * 0.01 * width
  table$hjust <- as.numeric(table$left)
  axis <- data.frame(at = seq_len(p$methods), y = 0, top = 0.2, label = seq_len(p$methods))
  shown <- axis[seq(1L, p$methods, by = max(1L, ceiling(p$methods / 15))), ]
  cd <- data.frame(
    x = c(1, 1, 1 + p$difference), xend = c(1 + p$difference, 1, 1 + p$difference),
    y = c(1.2, 1.1, 1.1), yend = c(1.2, 1.3, 1.3)
  )
  line <- function(data, x, y, xend, yend, ...) {
    ggplot2::geom_segment(gg_aes(x = x, y = y, xend = xend, yend = yend), data = data, ...)
  }
  gg_base(table, x = "rank", y = "level", title = p$title) +
    line(p$bars, "from", "level", "to", "level", linewidth = 2.2) +
    line(table, "rank", "zero", "rank", "level") +
    line(table, "rank", "level", "end", "level") +
    line(axis, "at", "y", "at", "top") +
    line(data.frame(x = 1, y = 0, xend = p$methods), "x", "y", "xend", "y") +
    line(cd, "x", "y", "xend", "yend") +
    ggplot2::geom_text(gg_aes(x = "outside", label = "words", hjust = "hjust"), size = 3.2) +
    ggplot2::geom_text(gg_aes(x = "at", y = "top", label = "label"), data = shown, vjust = -0.4,
      size = 3
    ) +
    ggplot2::annotate("text", x = 1 + p$difference / 2, y = 1.4, vjust = 0, size = 3.2,
      label = difference_words(p$difference)
    ) +
    ggplot2::coord_cartesian(xlim = c(1 - margin, 1 + width + margin), ylim = c(p$below, 2)) +
    ggplot2::theme_void()
}
