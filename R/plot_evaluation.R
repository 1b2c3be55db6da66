# Pictures of evaluations and comparisons: curves over the number of features, and maps of
# data sets and methods.

#' @rdname evaluate_features
#' @param metric Which of the two is drawn, against the number of features; the
#'   vertical bars, left out from nine methods on, are one standard deviation either way.
#'   Random sets are a grey band, their mean and one standard deviation. Comparisons on
#'   several data sets give one panel for each, with a legend of their own.
#' @param ... Further graphical parameters for [graphics::plot.default()].
#' @export
plot.feature_evaluation <- function(x, metric = c("acc", "nmi"), ...) {
  check_evaluation(x)
  check_graphical(...)
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  sets <- split_by_data(x)
  if (length(sets) == 1L && length(curve_names(x)) <= 9L) {
    draw_curves(sets[[1]], metric, names(sets), curve_names(x), TRUE, ...)
    return(invisible(x))
  }
  before <- graphics::par(c("mfrow", "mar"))
  on.exit(graphics::par(before))
  graphics::par(mfrow = panel_grid(length(sets) + 1L, grDevices::dev.size()))
  for (name in names(sets)) {
    graphics::par(mar = c(4, 4, 2, 1))
    draw_curves(sets[[name]], metric, name, curve_names(x), FALSE, ...)
  }
  draw_legend_panel(x)
  invisible(x)
}

# rows and columns for `count` panels of about four by three on a device of that
# size: the grid with the largest panels
panel_grid <- function(count, size) {
  columns <- seq_len(count)
  rows <- ceiling(count / columns)
  widest <- pmin(size[1] / columns / 4, size[2] / rows / 3)
  best <- which.max(widest)
  c(rows[best], columns[best])
}

# tables by data set; one without a name where there is none
split_by_data <- function(table) {
  data <- as.character(or_default(table[["data"]], rep("", nrow(table))))
  split(as.data.frame(table), factor(data, unique(data)))
}

# the methods that have a curve
curve_names <- function(table) {
  setdiff(unique(as.character(table$method)), "random")
}

bars_are_drawn <- function(count) count <= 8L

# matrices of means and deviations, sizes x methods; the band is that of random sets
curves_of <- function(evaluation, metric, methods) {
  k <- sort(unique(evaluation$k))
  centre <- spread <- matrix(NA_real_, length(k), length(methods) + 1L)
  cell <- cbind(match(evaluation$k, k), match(evaluation$method, c(methods, "random")))
  centre[cell] <- evaluation[[paste0(metric, "_mean")]]
  spread[cell] <- evaluation[[paste0(metric, "_sd")]]
  spread[is.na(spread)] <- 0
  last <- length(methods) + 1L
  random <- "random" %in% evaluation$method
  list(
    k = k, step = if (length(k) > 1) min(diff(k)) else 1,
    centre = centre[, -last, drop = FALSE], spread = spread[, -last, drop = FALSE],
    band = if (random) list(centre = centre[, last], spread = spread[, last])
  )
}

# a band needs some width where there is one size only
widened <- function(curves) {
  at <- curves$k
  pick <- seq_along(at)
  if (length(at) == 1L) {
    at <- at + c(-0.4, 0.4)
    pick <- c(1L, 1L)
  }
  centre <- curves$band$centre[pick]
  spread <- curves$band$spread[pick]
  known <- !is.na(centre)
  data.frame(k = at, value = centre, lower = centre - spread, upper = centre + spread)[known, ]
}

draw_curves <- function(evaluation, metric, title, methods, with_legend, ...) {
  curves <- curves_of(evaluation, metric, methods)
  count <- length(methods)
  bars <- bars_are_drawn(count)
  # curves side by side, so that their bars do not hide each other
  shift <- if (bars) 0.3 * (seq_len(count) / (count + 1) - 0.5) else numeric(count)
  at <- outer(curves$k, curves$step * shift, "+")
  band <- if (!is.null(curves$band)) widened(curves)
  limits <- curve_limits(curves, band, bars)
  legend_rows <- ceiling((count + !is.null(band)) / 3)
  if (with_legend) limits[1] <- limits[1] - 0.1 * legend_rows * diff(limits)
  style <- curve_style(count)
  margins <- set_margins(graphics::par("mar"))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::plot.default, list(
    x = range(at, curves$k, band$k), y = limits, type = "n", xlab = "number of features",
    ylab = metric_labels[[metric]], main = title, ylim = limits, xaxt = "n", bty = "l", las = 1
  ), ...)
  graphics::axis(1, at = curves$k)
  draw_band(band)
  if (count > 0) {
    graphics::matlines(at, curves$centre, type = "o", pch = style$pch, lty = style$lty,
      col = style$colour
    )
    if (bars) {
      graphics::segments(at, curves$centre - curves$spread, at, curves$centre + curves$spread,
        col = rep(style$colour, each = nrow(at))
      )
    }
  }
  if (with_legend) {
    draw_legend("bottom", methods, !is.null(band), ceiling((count + !is.null(band)) / legend_rows))
  }
}

metric_labels <- c(
  acc = "clustering accuracy", nmi = "normalised mutual information", error = "error"
)

curve_limits <- function(curves, band, bars) {
  spread <- if (bars) curves$spread else 0
  values <- c(curves$centre - spread, curves$centre + spread, band$lower, band$upper)
  values <- values[is.finite(values)]
  if (length(values) == 0) c(0, 1) else range(values)
}

band_colour <- "grey85"

draw_band <- function(band) {
  if (is.null(band) || nrow(band) == 0) {
    return(invisible())
  }
  graphics::polygon(c(band$k, rev(band$k)), c(band$lower, rev(band$upper)), col = band_colour,
    border = NA
  )
  graphics::lines(band$k, band$value, lty = 2, col = plot_colours[["grey"]])
}

# as large as fits
draw_legend <- function(where, methods, band, ncol) {
  style <- curve_style(length(methods))
  draw <- function(cex, plot) {
    graphics::legend(where, c(methods, if (band) "random"), bty = "n", ncol = ncol, cex = cex,
      pch = c(style$pch, if (band) 22), lty = c(style$lty, if (band) 2), pt.bg = band_colour,
      pt.cex = c(rep(cex, length(methods)), if (band) 2.2 * cex), plot = plot,
      col = c(style$colour, if (band) plot_colours[["grey"]])
    )
  }
  room <- graphics::par("usr")
  for (cex in c(1, 0.85, 0.7, 0.6, 0.5, 0.4)) {
    size <- draw(cex, FALSE)$rect
    if (size$w <= diff(room[1:2]) && size$h <= diff(room[3:4])) break
  }
  draw(cex, TRUE)
}

# one legend for all panels
draw_legend_panel <- function(table) {
  methods <- curve_names(table)
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
  draw_legend("center", methods, "random" %in% table$method, if (length(methods) > 12L) 2 else 1)
}

# ---- comparisons -----------------------------------------------------------------

#' @rdname summary.method_comparison
#' @param metric Accuracy or normalised mutual information.
#' @param type `"sizes"`: the curves over the number of features, as the plot of
#'   [evaluate_features()], one panel for each data set; or `"map"`: the mean over the sizes in
#'   every data set (columns) by every method (rows, the best mean rank on top), coloured by
#'   its difference to that of the random sets, or to the mean of all methods where there are
#'   no random sets.
#' @export
plot.method_comparison <- function(x, metric = c("acc", "nmi"), type = c("sizes", "map"), ...) {
  check_evaluation(x)
  check_graphical(...)
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  type <- check_choice(type, "type", c("sizes", "map"))
  if (type == "sizes") {
    return(plot.feature_evaluation(x, metric, ...))
  }
  map <- comparison_map(x, metric)
  draw_map(map$gain, rev(map$methods), map$sets, c(-1, 1) * map$limit,
    turned = TRUE, after = function() label_tiles(map$value, map$gain < 0), xlab = "",
    main = map$title, ...
  )
  invisible(x)
}

# values and gains, data sets x methods, the best method last
comparison_map <- function(comparison, metric) {
  value <- score_matrix(comparison, metric, "mean")
  order <- order(colMeans(rank_methods(-value, worst = 1)), decreasing = TRUE)
  value <- value[, order, drop = FALSE]
  random <- "random" %in% colnames(value)
  reference <- if (random) value[, "random"] else rowMeans(value, na.rm = TRUE)
  value <- value[, colnames(value) != "random", drop = FALSE]
  if (ncol(value) == 0) {
    stop_rowsparse("choice", "type", "\"map\" needs a method beside the random sets")
  }
  gain <- value - reference
  list(
    value = value, gain = gain, methods = rev(colnames(value)), sets = rownames(value),
    limit = max(abs(gain), .Machine$double.xmin, na.rm = TRUE),
    title = sprintf("mean %s, colour: against %s", metric_labels[[metric]],
      if (random) "random sets" else "the mean of all methods"
    )
  )
}

# numbers in the tiles of a map, light on dark
label_tiles <- function(values, dark) {
  at <- which(!is.na(values), arr.ind = TRUE)
  room <- min(graphics::par("pin")[1] / nrow(values) / 0.35,
    graphics::par("pin")[2] / ncol(values) / 0.17
  )
  graphics::text(at[, 1], at[, 2], sub("^0", "", sprintf("%.2f", values[at])),
    cex = max(0.3, min(0.8, 0.8 * room)), col = ifelse(dark[at], "white", "black")
  )
}
