# Pictures of evaluations and comparisons: curves over the number of features, and maps of
# data sets and methods.

#' @rdname evaluate_features
#' @param metric Which of the two is drawn, against the number of features; the
#'   vertical bars, omitted with nine or more methods, are one standard deviation either way.
#'   Random sets are a grey band, their mean and one standard deviation. Comparisons on several
#'   data sets have one panel for each, and one for the legend.
#' @param ... Further graphical parameters for [graphics::plot.default()].
#' @export
plot.feature_evaluation <- function(x, metric = c("acc", "nmi"), ...) {
  check_evaluation(x)
  draw_picture(x, evaluation_picture(x, metric), ...)
}

# one panel of curves for each data set
evaluation_picture <- function(x, metric) {
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  sets <- split_by_data(x)
  methods <- curve_names(x)
  panels <- unname(Map(evaluation_panel, sets, names(sets), list(metric), list(methods)))
  if (length(panels) == 1L) panels[[1]] else list(kind = "panels", panels = panels)
}

evaluation_panel <- function(evaluation, title, metric, methods) {
  curves <- curves_of(evaluation, metric, methods)
  count <- length(methods)
  bars <- bars_are_drawn(count)
  # curves side by side, so that their bars do not hide each other
  shift <- if (bars) 0.3 * (seq_len(count) / (count + 1) - 0.5) else numeric(count)
  list(
    kind = "curves", x = as.vector(outer(curves$k, curves$step * shift, "+")),
    y = as.vector(curves$centre), se = if (bars) as.vector(curves$spread),
    group = factor(rep(methods, each = length(curves$k)), methods), ticks = curves$k,
    band = if (!is.null(curves$band)) widened(curves), xlab = "number of features",
    ylab = metric_labels[[metric]], title = title
  )
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

metric_labels <- c(
  acc = "clustering accuracy", nmi = "normalised mutual information", error = "error"
)

# ---- comparisons -----------------------------------------------------------------

#' @rdname summary.method_comparison
#' @param metric Accuracy or normalised mutual information.
#' @param type `"sizes"`: the curves over the number of features, as the plot of
#'   [evaluate_features()], one panel for each data set; `"map"`: the mean over the sizes in
#'   every data set (columns) by every method (rows, the best mean rank on top), coloured by
#'   its difference to that of the random sets, or to the mean of all methods where there are
#'   no random sets; `"criteria"`: the methods by the criteria of [summary()] (both means, the
#'   number of data sets won, the share above random, the speed), each scaled between the worst
#'   and the best of these methods: a radar chart for up to five methods, a map for more.
#' @export
plot.method_comparison <- function(x, metric = c("acc", "nmi"),
                                   type = c("sizes", "map", "criteria"), ...) {
  check_evaluation(x)
  draw_picture(x, comparison_picture(x, metric, type), ...)
}

comparison_picture <- function(x, metric, type) {
  metric <- check_choice(metric, "metric", c("acc", "nmi"))
  type <- check_choice(type, "type", c("sizes", "map", "criteria"))
  switch(type,
    sizes = evaluation_picture(x, metric),
    map = comparison_map_picture(x, metric),
    criteria = criteria_picture(x)
  )
}

comparison_map_picture <- function(x, metric) {
  map <- comparison_map(x, metric)
  value <- t(map$value)[map$methods, , drop = FALSE]
  signed_map(t(map$gain)[map$methods, , drop = FALSE], map$methods, map$sets,
    limits = c(-1, 1) * map$limit, title = map$title, xlab = "",
    tiles = without_zero(value)
  )
}

without_zero <- function(values) {
  words <- sub("^(-?)0[.]", "\\1.", sprintf("%.2f", values))
  words[is.na(values)] <- ""
  array(words, dim(values))
}

# methods x criteria, in their own units and between 0, the worst, and 1, the best
criteria_table <- function(comparison) {
  table <- summary(comparison)$methods
  table <- table[table$method != "random", , drop = FALSE]
  values <- cbind(
    "accuracy" = table$acc_mean, "NMI" = table$nmi_mean, "data sets won" = table$acc_wins,
    "above random" = table$above_random, "speed" = -log10(pmax(table$elapsed, 1e-3))
  )
  rownames(values) <- table$method
  told <- apply(values, 2, function(column) {
    known <- column[is.finite(column)]
    length(known) == length(column) && diff(range(known)) > 1e-8
  })
  values <- values[, told & nrow(values) > 1L, drop = FALSE]
  if (ncol(values) == 0) {
    stop_rowsparse("choice", "type",
      "\"criteria\" needs two methods beside the random sets that differ"
    )
  }
  share <- apply(values, 2, function(column) (column - min(column)) / diff(range(column)))
  list(share = matrix(share, nrow(values), dimnames = dimnames(values)), value = values)
}

criteria_picture <- function(comparison) {
  table <- criteria_table(comparison)
  title <- "Methods by criteria, from the worst (0) to the best (1) of them"
  share <- table$share
  if (ncol(share) >= 3L && nrow(share) <= 5L) {
    return(list(kind = "radar", value = share, title = title))
  }
  list(
    kind = "map", value = unname(share), rows = rownames(share), columns = colnames(share),
    limits = c(0, 1), colours = sequential_colours(), title = title, xlab = "",
    tiles = without_zero(share)
  )
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

# ---- radar and ranks -------------------------------------------------------------

# corners of the methods (rows of value) on axes from the centre to the rim
radar_points <- function(value) {
  angle <- pi / 2 - 2 * pi * (seq_len(ncol(value)) - 1) / ncol(value)
  # the worst stands off the centre, so that every method has an outline
  radius <- 0.15 + 0.85 * value
  data.frame(
    method = factor(rep(rownames(value), ncol(value)), rownames(value)),
    criterion = rep(colnames(value), each = nrow(value)),
    x = as.vector(sweep(radius, 2, cos(angle), "*")),
    y = as.vector(sweep(radius, 2, sin(angle), "*"))
  )
}

# axes and rings of a radar chart, and where the names of the axes stand
radar_frame <- function(criteria) {
  angle <- pi / 2 - 2 * pi * (seq_along(criteria) - 1) / length(criteria)
  list(
    axes = data.frame(x = cos(angle), y = sin(angle), criterion = criteria),
    rings = lapply(0.15 + 0.85 * c(0, 0.5, 1), function(radius) {
      data.frame(x = radius * cos(angle), y = radius * sin(angle))
    })
  )
}

draw_radar <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  style <- curve_style(nrow(p$value))
  legend <- side_legend(rownames(p$value))
  set_margins(c(1, 1, 3, legend$lines))
  frame <- radar_frame(colnames(p$value))
  graphics::plot.window(c(-1.5, 1.5), c(-1.2, 1.2), asp = 1)
  for (ring in frame$rings) graphics::polygon(ring, border = "grey80")
  graphics::segments(0, 0, frame$axes$x, frame$axes$y, col = "grey80")
  for (at in seq_len(nrow(frame$axes))) {
    axis <- frame$axes[at, ]
    graphics::text(1.06 * axis$x, 1.06 * axis$y, axis$criterion, cex = 0.85, xpd = NA,
      adj = c((1 - sign(round(axis$x, 3))) / 2, 0.5 - 0.5 * axis$y)
    )
  }
  points <- radar_points(p$value)
  for (at in seq_len(nrow(p$value))) {
    own <- points[as.integer(points$method) == at, ]
    graphics::polygon(own$x, own$y, border = style$colour[at], lwd = 2, lty = style$lty[at])
    graphics::points(own$x, own$y, col = style$colour[at], pch = style$pch[at])
  }
  draw_title(or_default(list(...)$main, p$title), ...)
  draw_side_legend(legend, style, lines = TRUE)
}

# A critical-difference diagram. Rows below the axis (y = 0): the bars of methods that do not
# differ, then the labels; the best half stands at the left, the outermost label of a side
# highest, so that no lines cross.
ranks_picture <- function(test) {
  methods <- length(test$ranks)
  at <- seq_len(methods)
  on_left <- ceiling(methods / 2)
  left <- at <= on_left
  bars <- lapply(test$groups, function(group) range(test$ranks[group]))
  list(
    kind = "ranks", methods = methods, difference = test$critical_difference,
    labels = data.frame(
      method = names(test$ranks), rank = unname(test$ranks), left = left,
      level = -0.5 * length(bars) - ifelse(left, at, methods - at + 1),
      end = ifelse(left, 1, methods)
    ),
    bars = data.frame(
      from = vapply(bars, `[`, 0, 1) - 0.01 * (methods - 1),
      to = vapply(bars, `[`, 0, 2) + 0.01 * (methods - 1), level = -0.5 * seq_along(bars)
    ),
    below = -0.5 * length(bars) - on_left - 0.5, title = NULL
  )
}

draw_ranks <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  set_margins(c(1, 1, 3, 1))
  inches <- graphics::par("pin")[1]
  table <- p$labels
  words <- sprintf("%s (%.2f)", names_within(table$method, inches * 0.17, 1), table$rank)
  cex <- min(1, 0.8 * graphics::par("pin")[2] / graphics::par("csi") / (2 - p$below))
  cex <- max(0.45, cex)
  share <- min(0.35, (words_inches(words, cex) + 0.2) / inches)
  width <- max(p$methods - 1, p$difference)
  margin <- width * share / (1 - 2 * share)
  graphics::plot.window(c(1 - margin, 1 + width + margin), c(p$below, 2))
  given <- list(...)
  draw_title(given[["main"]], ...)
  do.call(graphics::title, given[setdiff(names(given), "main")])
  draw_rank_axis(p$methods)
  draw_critical_difference(p$difference)
  graphics::segments(p$bars$from, p$bars$level, p$bars$to, p$bars$level, lwd = 5, lend = "butt")
  for (i in seq_along(words)) {
    row <- table[i, ]
    graphics::lines(c(row$rank, row$rank, row$end), c(0, row$level, row$level))
    graphics::text(row$end, row$level, words[i], pos = if (row$left) 2 else 4, cex = cex, xpd = NA)
  }
}

draw_rank_axis <- function(methods) {
  graphics::segments(1, 0, methods, 0)
  graphics::segments(seq_len(methods), 0, seq_len(methods), 0.2)
  # as many numbers as have room
  room <- graphics::strwidth("99") * 1.5
  at <- seq(1, methods, by = max(1, ceiling(room)))
  graphics::text(at, 0.25, at, adj = c(0.5, 0))
}

draw_critical_difference <- function(difference) {
  ends <- c(1, 1 + difference)
  graphics::segments(c(1, ends), c(1.2, 1.1, 1.1), c(ends[2], ends), c(1.2, 1.3, 1.3))
  graphics::text(1 + difference / 2, 1.45, difference_words(difference), adj = c(0.5, 0))
}

difference_words <- function(difference) sprintf("CD = %.2f", difference)
