#' ggplot2 pictures of fits, paths, tunings and evaluations
#'
#' The pictures of [plot.rowsparse()], [rowsparse_path()], [tune_rowsparse()] and
#' [evaluate_features()] as ggplot2 objects, to be styled further. The methods are there when
#' ggplot2 is installed. For a result of [friedman_nemenyi()] each average rank comes with a bar
#' of half the critical difference on either side: methods whose bars do not overlap differ.
#'
#' @param object A fit, a path, a tuning, a cross-validation, an evaluation, a comparison, a
#'   Friedman test or [moments()].
#' @param type Which picture: as for the `plot()` method of `object`.
#' @param n,labels,dim,background,data,groups,others,byrow,over As for [plot.rowsparse()] and for
#'   the `plot()` methods of [rowsparse_path()] and [tune_rowsparse()].
#' @param metric As for the `plot()` method of [evaluate_features()].
#' @param ... Unused.
#' @return A `ggplot` object.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' fit <- bsufs(iris[, 1:4], m = 2)
#' ggplot2::autoplot(fit)
#' ggplot2::autoplot(fit, type = "loadings")
#' @name autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse <- function(object, type = c(
                                 "scores", "objective", "loadings", "image", "correlation",
                                 "embedding"
                               ),
                               n = 50, labels = 10, dim = NULL, background = NULL, data = NULL,
                               ..., groups = NULL, others = NULL, byrow = FALSE) {
  check_no_more("autoplot",
    c("type", "n", "labels", "dim", "background", "data", "groups", "others", "byrow"), ...
  )
  check_fit(object, "object")
  type <- check_choice(type, "type", eval(formals(autoplot.rowsparse)$type))
  shown <- if (missing(n)) NULL else check_shown(n)
  n <- check_shown(n)
  labels <- check_shown(labels, "labels", 0L)
  switch(type,
    scores = gg_scores(object, n, labels),
    objective = if (is.null(others)) gg_objective(object) else gg_convergence(object, others),
    loadings = gg_loadings(object, n),
    image = gg_image(object, features_shown(object, shown), dim, background, byrow),
    correlation = gg_correlation(object, features_shown(object, shown), data),
    embedding = gg_embeddings(object, groups, data, shown)
  )
}

# columns of the plot's data by name
gg_aes <- function(...) {
  columns <- list(...)
  do.call(ggplot2::aes, lapply(columns, as.name))
}

gg_base <- function(data, ..., title) {
  ggplot2::ggplot(data, gg_aes(...)) +
    ggplot2::labs(title = title) +
    ggplot2::theme_bw()
}

gg_scores <- function(fit, n, labels) {
  table <- utils::head(as.data.frame(fit), n)
  named <- utils::head(table[table$score > 0, ], labels)
  gg_base(table, x = "rank", y = "score", title = plot_title(fit, "scores")) +
    ggplot2::geom_segment(gg_aes(xend = "rank"), yend = 0, colour = plot_colours[["blue"]]) +
    ggplot2::geom_point(colour = plot_colours[["blue"]]) +
    ggplot2::geom_text(gg_aes(label = "feature"), data = named, angle = 90, hjust = -0.15,
      size = 2.6, colour = plot_colours[["dark"]]
    ) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(c(0.02, 0.25)))
}

gg_objective <- function(fit) {
  check_objective(fit)
  table <- data.frame(iteration = seq_along(fit$objective) - 1, objective = fit$objective)
  gg_base(table, x = "iteration", y = "objective", title = plot_title(fit, "objective")) +
    ggplot2::geom_line(colour = plot_colours[["blue"]]) +
    ggplot2::geom_point(colour = plot_colours[["blue"]], size = 1) +
    ggplot2::labs(x = "outer iteration")
}

gg_convergence <- function(fit, others) {
  table <- convergence_table(fit, others)
  style <- curve_style(nlevels(table$fit))
  gg_base(table, x = "iteration", y = "gap", colour = "fit", linetype = "fit", shape = "fit",
    title = "Convergence"
  ) +
    ggplot2::geom_line() +
    ggplot2::geom_point(size = 1) +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(NULL, values = style$colour, drop = FALSE) +
    ggplot2::scale_shape_manual(NULL, values = style$pch, drop = FALSE) +
    ggplot2::scale_linetype_manual(NULL, values = style$lty, drop = FALSE) +
    ggplot2::labs(x = "outer iteration", y = convergence_label)
}

gg_embeddings <- function(fit, groups, data, shown) {
  views <- embedding_views(fit, groups, data, shown)
  shade <- or_default(views$groups, views$shade)
  table <- do.call(rbind, lapply(views$panels, function(view) {
    data.frame(first = view$at[, 1], second = view$at[, 2], shade = shade, panel = view$title)
  }))
  titles <- vapply(views$panels, `[[`, "", "title")
  table$panel <- factor(table$panel, titles)
  labels <- views$panels[[1]]$labels
  picture <- gg_base(table, x = "first", y = "second", colour = "shade",
    title = plot_title(fit, "embedding")
  ) +
    ggplot2::geom_point(size = 1, show.legend = !is.null(groups)) +
    ggplot2::facet_wrap("panel", scales = "free") +
    ggplot2::labs(x = labels[1], y = labels[2], colour = NULL)
  if (is.null(groups)) {
    picture + ggplot2::scale_colour_gradientn(colours = grDevices::hcl.colors(51, "Cividis"))
  } else {
    picture + ggplot2::scale_colour_manual(values = group_colours(nlevels(shade)))
  }
}

# entries of a matrix, one row each; rows from top to bottom
long_matrix <- function(values, rows, columns) {
  data.frame(
    row = factor(rep(rows, ncol(values)), levels = rev(rows)),
    column = rep(columns, each = nrow(values)), value = as.vector(values)
  )
}

gg_signed_map <- function(table, limit, title, xlab) {
  colours <- grDevices::hcl.colors(51, "Cividis")
  gg_base(table, x = "column", y = "row", fill = "value", title = title) +
    ggplot2::geom_tile() +
    ggplot2::scale_fill_gradientn(colours = colours, limits = c(-limit, limit)) +
    ggplot2::labs(x = xlab, y = NULL, fill = NULL)
}

gg_loadings <- function(fit, n) {
  shown <- nonzero_loadings(fit, n)
  values <- fit$loadings[shown, , drop = FALSE]
  columns <- loading_columns(fit)
  table <- long_matrix(values, as.character(feature_labels(fit, shown)),
    factor(columns$labels, columns$labels)
  )
  gg_signed_map(table, max(abs(values), .Machine$double.xmin), plot_title(fit, "loadings"),
    columns$what
  )
}

gg_correlation <- function(fit, shown, data) {
  values <- correlation_of_features(fit, shown, data)
  table <- long_matrix(values, as.character(feature_labels(fit, shown)), seq_along(shown))
  gg_signed_map(table, 1, plot_title(fit, "correlation of the selected features"), "rank")
}

gg_image <- function(fit, shown, dim, background, byrow) {
  check_image(dim, background, byrow, fit$d)
  pixel <- function(index) pixel_places(index, dim, byrow)
  table <- pixel(seq_len(fit$d))
  table$grey <- if (is.null(background)) 1 else as.double(background)
  gg_base(table, x = "column", y = "row",
    title = plot_title(fit, sprintf("%d selected pixels", length(shown)))
  ) +
    ggplot2::geom_raster(gg_aes(fill = "grey"), show.legend = FALSE) +
    ggplot2::scale_fill_gradient(
      low = "black", high = if (is.null(background)) "grey95" else "white"
    ) +
    ggplot2::geom_tile(data = pixel(shown), width = 0.84, height = 0.84, colour = "black",
      fill = plot_colours[["orange"]]
    ) +
    ggplot2::coord_equal(expand = FALSE) +
    ggplot2::theme_void()
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_path <- function(object, type = c("scores", "nonzero", "explained"),
                                    labels = 10, ...) {
  check_no_more("autoplot", c("type", "labels"), ...)
  check_path(object, "object")
  labels <- check_shown(labels, "labels", 0L)
  type <- check_choice(type, "type", c("scores", "nonzero", "explained"))
  if (type == "scores") {
    return(if (object$over == "k") gg_entries(object) else gg_score_paths(object, labels))
  }
  axis <- gg_path_axis(object)
  table <- data.frame(x = axis$x, y = object[[type]])
  table$group <- path_groups(object)
  gg_path_lines(table, path_title(object)) +
    axis$scale +
    ggplot2::labs(x = axis$xlab, y = path_labels[[type]])
}

# one curve, or one for each group
gg_path_lines <- function(table, title) {
  if (is.null(table$group)) {
    return(gg_base(table, x = "x", y = "y", title = title) +
      ggplot2::geom_line(colour = plot_colours[["blue"]]) +
      ggplot2::geom_point(colour = plot_colours[["blue"]], size = 1))
  }
  style <- curve_style(nlevels(table$group))
  gg_base(table, x = "x", y = "y", colour = "group", linetype = "group", title = title) +
    ggplot2::geom_line() +
    ggplot2::geom_point(size = 1) +
    ggplot2::scale_colour_manual(NULL, values = style$colour) +
    ggplot2::scale_linetype_manual(NULL, values = style$lty)
}

# penalties descend from left to right on a logarithmic scale: as -log10
gg_path_axis <- function(path) {
  axis <- path_axis(path)
  if (path$over == "k") {
    return(list(x = axis$x, xlab = axis$xlab, scale = ggplot2::scale_x_continuous()))
  }
  if (axis$log == "") {
    return(list(x = axis$x, xlab = axis$xlab, scale = ggplot2::scale_x_continuous()))
  }
  ticks <- grDevices::axisTicks(log10(range(axis$x)), log = TRUE, nint = 6)
  list(
    x = -log10(axis$x), xlab = axis$xlab,
    scale = ggplot2::scale_x_continuous(breaks = -log10(ticks), labels = signif(ticks, 3))
  )
}

gg_score_paths <- function(path, labels) {
  axis <- gg_path_axis(path)
  drawn <- entered_features(path, 300L)
  first <- seq_along(drawn) <= labels
  scores <- as.matrix(path$scores[drawn, , drop = FALSE])
  names <- as.character(feature_labels(path, drawn))
  table <- data.frame(
    feature = factor(rep(names, ncol(scores)), levels = names),
    x = rep(axis$x, each = length(drawn)), score = as.vector(scores)
  )
  groups <- path_groups(path)
  if (!is.null(groups)) table$group <- rep(groups, each = length(drawn))
  named <- table$feature %in% names[first]
  style <- curve_style(sum(first))
  picture <- gg_base(table[!named, ], x = "x", y = "score", group = "feature",
    title = path_title(path)
  ) +
    ggplot2::geom_line(colour = plot_colours[["grey"]], alpha = 0.5, linewidth = 0.2) +
    ggplot2::geom_line(gg_aes(colour = "feature", linetype = "feature"), data = table[named, ],
      linewidth = 0.8
    ) +
    ggplot2::scale_colour_manual("first to enter", values = style$colour) +
    ggplot2::scale_linetype_manual("first to enter", values = style$lty) +
    axis$scale +
    ggplot2::labs(x = axis$xlab)
  if (is.null(groups)) picture else picture + ggplot2::facet_wrap("group")
}

gg_entries <- function(path) {
  drawn <- entered_features(path, 40L)
  names <- as.character(feature_labels(path, drawn))
  table <- do.call(rbind, lapply(seq_along(path$grid), function(at) {
    inside <- drawn %in% path$selected[[at]]
    data.frame(at = rep(at, sum(inside)), feature = factor(names[inside], levels = rev(names)))
  }))
  shown <- round(seq(1, length(path$grid), length.out = min(10, length(path$grid))))
  gg_base(table, x = "at", y = "feature", title = path_title(path)) +
    ggplot2::geom_tile(fill = plot_colours[["blue"]]) +
    ggplot2::scale_x_continuous(breaks = shown, labels = path$grid[shown]) +
    ggplot2::labs(x = "number of features k", y = NULL)
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_tuning <- function(object,
                                      type = c("criterion", "stability", "frequency", "surface"),
                                      n = 30, over = NULL, ...) {
  check_no_more("autoplot", c("type", "n", "over"), ...)
  check_tuning(object, "object")
  n <- check_shown(n)
  type <- check_choice(type, "type", eval(formals(autoplot.rowsparse_tuning)$type))
  if (type == "frequency") {
    return(gg_frequency(object, n))
  }
  if (type == "surface") {
    return(gg_surface(object, over))
  }
  criterion <- if (type == "criterion") object$criterion else "stability"
  curves <- tuning_curves(object, criterion)
  table <- data.frame(
    k = curves$sizes, value = as.vector(curves$value), se = as.vector(curves$se),
    setting = factor(rep(curves$labels, each = length(curves$sizes)), levels = curves$labels)
  )
  gg_curves(table, "k", "setting") +
    ggplot2::geom_vline(xintercept = object$k, linetype = "dotted") +
    ggplot2::labs(x = "number of features k", y = criterion_labels[[criterion]],
      title = sprintf("%s: suggested k = %d", object$method, object$k)
    )
}

# value and bars of one standard error (or deviation) by group
gg_curves <- function(table, x, group, below = NULL, bars = TRUE) {
  style <- curve_style(nlevels(table[[group]]))
  table$lower <- table$value - table$se
  table$upper <- table$value + table$se
  gg_base(table,
    x = x, y = "value", colour = group, shape = group, linetype = group, title = NULL
  ) +
    below +
    (if (bars) {
      ggplot2::geom_linerange(gg_aes(ymin = "lower", ymax = "upper"), linetype = "solid",
        na.rm = TRUE
      )
    }) +
    ggplot2::geom_line() +
    ggplot2::geom_point() +
    ggplot2::scale_colour_manual(values = style$colour) +
    ggplot2::scale_shape_manual(values = style$pch) +
    ggplot2::scale_linetype_manual(values = style$lty)
}

gg_surface <- function(tuning, over) {
  map <- tuning_surface(tuning, over)
  levels <- lapply(map$labels, as.character)
  table <- data.frame(
    first = factor(rep(levels[[1]], ncol(map$value)), levels[[1]]),
    second = factor(rep(levels[[2]], each = nrow(map$value)), levels[[2]]),
    value = as.vector(map$value)
  )
  at <- table[map$suggested[1] + nrow(map$value) * (map$suggested[2] - 1L), ]
  gg_base(table, x = "first", y = "second", fill = "value", title = map$title) +
    ggplot2::geom_tile() +
    ggplot2::geom_tile(data = at, fill = NA, colour = plot_colours[["orange"]], linewidth = 1.2) +
    ggplot2::scale_fill_gradientn(colours = grDevices::hcl.colors(51, "Cividis"),
      limits = map$limits
    ) +
    ggplot2::labs(x = map$over[1], y = map$over[2], fill = NULL)
}

gg_frequency <- function(tuning, n) {
  table <- frequency_table(tuning, n)
  table$feature <- factor(table$feature, levels = rev(table$feature))
  gg_base(table, x = "frequency", y = "feature", fill = "chosen",
    title = sprintf("%s: how often each feature was selected (k = %d)", tuning$method, tuning$k)
  ) +
    ggplot2::geom_segment(gg_aes(yend = "feature"), xend = 0, colour = plot_colours[["grey"]]) +
    ggplot2::geom_point(shape = 21, size = 2, colour = plot_colours[["blue"]]) +
    ggplot2::scale_fill_manual("selected from all samples",
      values = c(`TRUE` = plot_colours[["blue"]], `FALSE` = "white")
    ) +
    ggplot2::labs(x = sprintf("share of %d subsamples", tuning$repeats), y = NULL)
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.feature_evaluation <- function(object, metric = c("acc", "nmi"), ...) {
  check_no_more("autoplot", "metric", ...)
  check_evaluation(object, "object")
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  gg_evaluation(object, metric)
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.method_comparison <- function(object, metric = c("acc", "nmi"), type = c("sizes", "map"),
                                       ...) {
  check_no_more("autoplot", c("metric", "type"), ...)
  check_evaluation(object, "object")
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  type <- check_choice(type, "type", c("sizes", "map"))
  if (type == "sizes") gg_evaluation(object, metric) else gg_comparison_map(object, metric)
}

gg_evaluation <- function(evaluation, metric) {
  methods <- curve_names(evaluation)
  sets <- split_by_data(evaluation)
  named <- function(table, name) {
    if (nrow(table) > 0) cbind(table, data = factor(name, names(sets)))
  }
  table <- as.data.frame(evaluation)[evaluation$method %in% methods, ]
  table <- data.frame(
    k = table$k, value = table[[paste0(metric, "_mean")]], se = table[[paste0(metric, "_sd")]],
    method = factor(table$method, methods),
    data = factor(or_default(table[["data"]], rep("", nrow(table))), names(sets))
  )
  bands <- do.call(rbind, Map(function(set, name) {
    curves <- curves_of(set, metric, methods)
    if (!is.null(curves$band)) named(widened(curves), name)
  }, sets, names(sets)))
  picture <- gg_curves(table[!is.na(table$value), ], "k", "method", gg_band(bands),
    bars = bars_are_drawn(length(methods))
  ) +
    ggplot2::labs(x = "number of features", y = metric_labels[[metric]])
  if (length(sets) > 1) picture <- picture + ggplot2::facet_wrap("data", scales = "free_y")
  picture
}

# layers below the curves
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

gg_comparison_map <- function(comparison, metric) {
  map <- comparison_map(comparison, metric)
  table <- long_matrix(t(map$gain)[map$methods, , drop = FALSE], map$methods,
    factor(map$sets, map$sets)
  )
  table$label <- sub("^0", "", sprintf("%.2f", t(map$value)[map$methods, ]))
  table$label[is.na(table$value)] <- ""
  table$dark <- table$value < 0
  gg_signed_map(table, map$limit, map$title, NULL) +
    ggplot2::geom_text(data = table[!table$dark %in% TRUE, ], gg_aes(label = "label"), size = 2.6) +
    ggplot2::geom_text(data = table[table$dark %in% TRUE, ], gg_aes(label = "label"), size = 2.6,
      colour = "white"
    ) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.friedman_nemenyi <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_friedman(object, "object")
  half <- object$critical_difference / 2
  table <- data.frame(
    method = factor(names(object$ranks), rev(names(object$ranks))), rank = unname(object$ranks)
  )
  table$lower <- table$rank - half
  table$upper <- table$rank + half
  gg_base(table, x = "rank", y = "method", title = sprintf("Critical difference %.2f", 2 * half)) +
    ggplot2::geom_segment(gg_aes(x = "lower", xend = "upper", yend = "method"),
      linewidth = 1, colour = plot_colours[["grey"]]
    ) +
    ggplot2::geom_point(size = 2, colour = plot_colours[["blue"]]) +
    ggplot2::labs(x = sprintf("average rank (level %g)", object$alpha), y = NULL)
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_moments <- function(object, type = c("spectrum", "variances"), n = 30, ...) {
  check_no_more("autoplot", c("type", "n"), ...)
  check_moments_object(object, "object")
  type <- check_choice(type, "type", c("spectrum", "variances"))
  drawn <- moments_curve(object, type, check_shown(n), "object")
  table <- data.frame(rank = seq_along(drawn$value), value = drawn$value)
  picture <- gg_base(table, x = "rank", y = "value", title = drawn$title) +
    ggplot2::labs(x = drawn$xlab, y = drawn$ylab)
  if (type == "variances") {
    return(picture +
      ggplot2::geom_segment(gg_aes(xend = "rank"), yend = 0, colour = plot_colours[["blue"]]))
  }
  picture +
    ggplot2::geom_line(colour = plot_colours[["blue"]]) +
    ggplot2::geom_point(colour = plot_colours[["blue"]]) +
    ggplot2::geom_vline(xintercept = drawn$m, linetype = "dashed",
      colour = plot_colours[["orange"]]
    )
}

#' @rdname autoplot.rowsparse
#' @param dims As for the `plot()` method of [spectral_embedding()].
#' @exportS3Method ggplot2::autoplot
autoplot.rowsparse_embedding <- function(object, dims = c(1, 2), groups = NULL, ...) {
  check_no_more("autoplot", c("dims", "groups"), ...)
  check_embedding(object, "object")
  view <- embedding_points(object, if (missing(dims)) NULL else dims, groups)
  table <- data.frame(first = view$at[, 1], second = view$at[, 2], group = view$labels)
  gg_base(table, x = "first", y = "second", colour = "group", title = "Spectral embedding") +
    ggplot2::geom_point(size = 1, show.legend = !is.null(groups)) +
    ggplot2::scale_colour_manual(values = group_colours(nlevels(table$group))) +
    ggplot2::labs(x = view$names[1], y = view$names[2], colour = NULL)
}
