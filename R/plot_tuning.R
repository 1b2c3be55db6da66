#' @rdname tune_rowsparse
#' @param type For `plot()`: the deciding `criterion` against k with its
#'   standard error, one curve per setting; the `stability` index in the same
#'   way; or the `frequency` with which the most frequent features were
#'   selected at the suggested point; or the `surface`, a map of the deciding criterion over
#'   two parameters, with the suggested point framed.
#' @param n Number of features drawn in `"frequency"`, and named by `summary()`.
#' @param over For `"surface"`: the names of the two parameters, `"k"` among those that can be
#'   named. `NULL`: the first two settings that have several values, or the one and k.
#'   The others are held at the suggested point.
#' @export
plot.rowsparse_tuning <- function(x, type = c("criterion", "stability", "frequency", "surface"),
                                  n = 30, over = NULL, ...) {
  check_tuning(x)
  check_graphical(...)
  type <- check_choice(type, "type", eval(formals(plot.rowsparse_tuning)$type))
  n <- check_shown(n)
  switch(type,
    criterion = plot_tuning_curves(x, x$criterion, ...),
    stability = plot_tuning_curves(x, "stability", ...),
    frequency = plot_frequency(x, n, ...),
    surface = plot_surface(x, over, ...)
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

# ---- a map over two parameters ---------------------------------------------------

plot_surface <- function(tuning, over, ...) {
  map <- tuning_surface(tuning, over)
  at <- map$suggested
  draw_map(map$value, map$labels[[2]], map$labels[[1]], map$limits,
    after = function() {
      graphics::rect(at[1] - 0.5, at[2] - 0.5, at[1] + 0.5, at[2] + 0.5, lwd = 3,
        border = plot_colours[["orange"]], xpd = NA
      )
    }, xlab = map$over[1], main = map$title, ...
  )
  graphics::title(ylab = map$over[2], line = 3, xpd = NA)
}

# value: first parameter x second; labels of both, the place of the suggestion
tuning_surface <- function(tuning, over) {
  over <- check_over(tuning, over)
  suggested <- c(as.list(tuning$setting), list(k = tuning$k))
  held <- setdiff(names(suggested), over)
  same <- function(name) same_value(tuning$table[[name]], suggested[[name]])
  rows <- Reduce(`&`, lapply(held, same), rep(TRUE, nrow(tuning$table)))
  table <- tuning$table[rows, , drop = FALSE]
  values <- lapply(table[over], function(column) sort(unique(column)))
  value <- matrix(NA_real_, length(values[[1]]), length(values[[2]]))
  at <- function(name, of) match(TRUE, same_value(values[[name]], of))
  places <- vapply(over, function(name) {
    vapply(table[[name]], function(of) at(name, of), 0L)
  }, integer(nrow(table)))
  value[matrix(places, ncol = 2)] <- table[[tuning$criterion]]
  if (!any(is.finite(value))) {
    stop_rowsparse("choice", "type", sprintf("\"%s\" is undefined at every point",
      tuning$criterion
    ))
  }
  list(
    value = value, over = over, limits = widened_range(value[is.finite(value)]),
    labels = lapply(values, function(v) if (is.numeric(v)) signif(v, 3) else as.character(v)),
    suggested = vapply(over, function(name) at(name, suggested[[name]]), 0L),
    title = surface_title(tuning, suggested[held])
  )
}

# numbers of a grid may have been rounded on their way
same_value <- function(values, value) {
  if (is.numeric(values)) abs(values - value) <= 1e-8 * abs(value) else values == value
}

# differences that are rounding are none
widened_range <- function(values) {
  limits <- range(values)
  largest <- max(abs(limits), 1e-300)
  if (diff(limits) > tie_share * largest) limits else limits + c(-0.5, 0.5) * largest
}

surface_title <- function(tuning, held) {
  words <- criterion_labels[[tuning$criterion]]
  if (length(held) == 0) {
    return(sprintf("%s: %s", tuning$method, words))
  }
  sprintf("%s: %s at %s", tuning$method, words, setting_labels(as.data.frame(held)))
}

check_over <- function(tuning, over) {
  names <- c(names(tuning$setting), "k")
  counts <- vapply(names, function(name) length(unique(tuning$table[[name]])), 0L)
  varied <- names[counts > 1]
  if (length(varied) < 2) {
    stop_rowsparse("choice", "type", "\"surface\" needs two parameters with several values",
      if (length(varied) == 0) "none" else toString(varied)
    )
  }
  if (is.null(over)) {
    return(varied[1:2])
  }
  if (!is.character(over) || length(over) != 2L || anyNA(over) || over[1] == over[2] ||
      !all(over %in% varied)) {
    stop_rowsparse("choice", "over", sprintf("must name two of %s", toString(varied)),
      if (is.character(over)) toString(over) else describe(over)
    )
  }
  over
}
