#' @rdname tune_rowsparse
#' @param type For `plot()`: the deciding `criterion` against k with its
#'   standard error, one curve per setting; the `stability` index in the same
#'   way; or the `frequency` with which the most frequent features were
#'   selected at the suggested point.
#' @param n Number of features drawn in `"frequency"`, and named by `summary()`.
#' @export
plot.rowsparse_tuning <- function(x, type = c("criterion", "stability", "frequency"), n = 30,
                                  ...) {
  check_tuning(x)
  check_graphical(...)
  type <- check_choice(type, "type", c("criterion", "stability", "frequency"))
  n <- check_shown(n)
  switch(type,
    criterion = plot_tuning_curves(x, x$criterion, ...),
    stability = plot_tuning_curves(x, "stability", ...),
    frequency = plot_frequency(x, n, ...)
  )
  invisible(x)
}

criterion_labels <- c(
  reconstruction = "share of variance reproduced", stability = "stability of the selection",
  silhouette = "mean silhouette", accuracy = "clustering accuracy",
  nmi = "normalised mutual information", error = "cross-validated error"
)

# settings as curves; at most eight, the suggested one among them
plot_tuning_curves <- function(tuning, criterion, ...) {
  curves <- tuning_curves(tuning, criterion)
  shown <- unique(c(curves$suggested, utils::head(seq_along(curves$labels), 8L)))
  shown <- sort(utils::head(shown, 8L))
  labels <- curves$labels[shown]
  centre <- curves$value[, shown, drop = FALSE]
  spread <- curves$se[, shown, drop = FALSE]
  spread[is.na(spread)] <- 0
  style <- curve_style(length(shown))
  limits <- range(centre - spread, centre + spread, na.rm = TRUE)
  several <- length(shown) > 1
  # room for the legend below the curves
  if (several) limits[1] <- limits[1] - 0.09 * min(4, length(shown)) * diff(limits)
  margins <- roomy_margins(limits)
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::matplot, list(
    x = curves$sizes, y = centre, type = "o", pch = style$pch, lty = style$lty, cex = 0.7,
    col = style$colour, bty = "l", las = 1, ylim = limits, xlab = "number of features k",
    ylab = criterion_labels[[criterion]],
    main = sprintf("%s: suggested k = %d", tuning$method, tuning$k)
  ), limits, ...)
  graphics::segments(curves$sizes, centre - spread, curves$sizes, centre + spread,
    col = rep(style$colour, each = nrow(centre))
  )
  graphics::abline(v = tuning$k, lty = 3, col = plot_colours[["dark"]])
  if (several) {
    graphics::legend("bottomright", labels, pch = style$pch, lty = style$lty, col = style$colour,
      bty = "n", ncol = ceiling(length(shown) / 4), cex = 0.8, seg.len = 3
    )
  }
}

# size x setting
tuning_curves <- function(tuning, criterion) {
  sizes <- unique(tuning$table$k)
  settings <- names(tuning$setting)
  if (!any(is.finite(tuning$table[[criterion]]))) {
    stop_rowsparse("choice", "type", sprintf(
      "\"%s\" is undefined at every size: all features are selected", criterion
    ))
  }
  matrix_of <- function(column) matrix(tuning$table[[column]], length(sizes))
  first <- tuning$table[tuning$table$k == sizes[1], settings, drop = FALSE]
  labels <- if (is.null(settings)) tuning$method else setting_labels(first)
  list(
    sizes = sizes, value = matrix_of(criterion), se = matrix_of(paste0(criterion, "_se")),
    labels = labels,
    suggested = if (is.null(settings)) 1L else match(setting_labels(tuning$setting), labels)
  )
}

setting_labels <- function(table) {
  columns <- Map(function(name, value) {
    paste(name, "=", if (is.numeric(value)) signif(value, 3) else as.character(value))
  }, names(table), table)
  do.call(paste, c(unname(columns), sep = ", "))
}

# the features selected most often at the suggested point
frequency_table <- function(tuning, n) {
  frequency <- tuning$frequency[, match(tuning$k, colnames(tuning$frequency))]
  shown <- utils::head(order(-frequency, method = "radix"), n)
  shown <- shown[frequency[shown] > 0]
  data.frame(
    feature = as.character(feature_labels(tuning$fit, shown)), frequency = unname(frequency[shown]),
    chosen = shown %in% tuning$fit$selected
  )
}

plot_frequency <- function(tuning, n, ...) {
  table <- frequency_table(tuning, n)
  at <- rev(seq_along(table$feature))
  margins <- set_margins(c(4.5, label_width(table$feature), 4.5, 1))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::plot.default, list(
    x = table$frequency, y = at, type = "n", xlim = c(0, 1), yaxt = "n", bty = "l",
    ylab = "", xlab = sprintf("share of %d subsamples", tuning$repeats), main = ""
  ), ...)
  graphics::segments(0, at, table$frequency, at, col = plot_colours[["grey"]])
  graphics::points(table$frequency, at, pch = 21,
    bg = ifelse(table$chosen, plot_colours[["blue"]], "white"), col = plot_colours[["blue"]]
  )
  label_axis(2, rev(table$feature))
  graphics::title(sprintf("%s: how often each feature was selected (k = %d)", tuning$method,
    tuning$k
  ), line = 2.8, cex.main = 1)
  graphics::legend("top", c("selected from all samples", "not selected"), pch = 21,
    pt.bg = c(plot_colours[["blue"]], "white"), col = plot_colours[["blue"]], horiz = TRUE,
    bty = "n", inset = c(0, -0.08), xpd = NA
  )
}
