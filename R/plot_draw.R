# Pictures in base graphics, one function for each kind. What they show is put together
# elsewhere, once for base graphics and ggplot2.

# draws the picture of a result and returns the result
draw_picture <- function(x, picture, ...) {
  check_graphical(...)
  draw <- switch(picture$kind,
    stems = draw_stems, curves = draw_curves, map = draw_map, pixels = draw_pixels,
    samples = draw_sample_views, paths = draw_paths, dots = draw_dots, ranks = draw_ranks,
    radar = draw_radar, panels = draw_panels, intervals = draw_intervals
  )
  draw(picture, ...)
  invisible(x)
}

# The frame of a plot on a page that has begun: margins by the width of the tick labels of
# `values`, whole numbers below where asked for, or those given, a title that fits
draw_frame <- function(ours, values, right = 1, whole = FALSE, above = 3, ...) {
  set_margins(c(4.5, 2.4 + number_width(values), above, right))
  own_axis <- !isFALSE(whole) && is.null(list(...)$xaxt)
  if (own_axis) ours$xaxt <- "n"
  arguments <- with_graphical(utils::modifyList(list(bty = "l", las = 1), ours), ...)
  words <- arguments[c("xlab", "ylab", "main")]
  arguments[c("xlab", "ylab", "main")] <- ""
  do.call(graphics::plot.default, arguments)
  # on the page where margins had to shrink
  margins <- graphics::par("mar")
  graphics::title(xlab = words$xlab, line = max(0, min(3, margins[1] - 1.2)))
  beside <- 1.2 + number_width(values)
  graphics::title(ylab = words$ylab, line = max(0, min(beside, margins[2] - 1.2)))
  draw_title(words$main, ..., line = if (above > 3) above - 1.5)
  if (own_axis) {
    ends <- range(or_default(arguments$xlim, arguments$x))
    graphics::axis(1, if (isTRUE(whole)) whole_ticks(ends) else whole)
  }
}

draw_title <- function(main, ..., line = NULL) {
  given <- list(...)
  styled <- given[intersect(names(given), c("cex.main", "col.main", "font.main"))]
  if (is.null(styled$cex.main)) styled$cex.main <- 1.1
  ours <- list(main = title_within(main, styled$cex.main))
  if (!is.null(line)) ours$line <- line
  do.call(graphics::title, c(ours, styled))
}

# ---- stems -----------------------------------------------------------------------

draw_stems <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  table <- p$table
  colour <- ifelse(table$chosen, plot_colours[["blue"]], plot_colours[["grey"]])
  both <- !all(table$chosen)
  above <- if (both) 4.5 else 3
  roomy_margins(c(0, table$value), above = above)
  words <- stem_words(p, graphics::par("pin"))
  draw_frame(list(
    x = table$rank, y = table$value, type = "h", lwd = 2, col = colour, xlab = p$xlab,
    ylab = p$ylab, main = p$title, xlim = c(0.5, nrow(table) + 0.5), ylim = c(0, words$top)
  ), c(0, words$top), whole = TRUE, above = above, ...)
  graphics::points(table$rank, table$value, pch = 19, cex = 0.6, col = colour)
  if (length(words$names) > 0) {
    value <- table$value[seq_along(words$names)]
    bent <- abs(words$at - seq_along(words$at)) > 1e-8
    lift <- 0.015 * words$top
    if (any(bent)) {
      graphics::segments(which(bent), value[bent], words$at[bent], value[bent] + lift,
        col = plot_colours[["grey"]]
      )
    }
    graphics::text(words$at, value + lift, words$names, srt = 90, adj = c(0, 0.5),
      cex = words$cex, col = plot_colours[["dark"]]
    )
  }
  if (!is.null(p$line)) draw_mark(p$line)
  if (both) draw_top_legend(chosen_words, plot_colours[c("blue", "grey")])
}

chosen_words <- c("selected", "not selected")

# Names above their stems, cut to what finds room, moved aside where stems are too near;
# `top`: the limit above at which the longest end inside
stem_words <- function(p, inches, cex = 0.75) {
  value <- p$table$value
  highest <- max(value, 0)
  if (highest <= 1e-300) highest <- 1
  count <- p$named
  top <- 1.06 * highest
  if (count == 0L) {
    return(list(names = character(), top = top))
  }
  line <- graphics::par("csi") * cex * 1.05
  per_inch <- nrow(p$table) / (0.92 * inches[1])
  count <- max(1L, min(count, floor(0.92 * inches[1] / line)))
  names <- names_within(p$table$feature[seq_len(count)], 0.45 * inches[2], cex)
  room <- pmin(0.8 * inches[2], graphics::strwidth(names, "inches", cex) + 0.1)
  list(
    names = names, cex = cex, at = apart(seq_len(count), line * per_inch, nrow(p$table) + 0.5),
    top = max(top, (value[seq_len(count)] + 0.015 * top) / (1 - room / inches[2]))
  )
}

# ascending places at least `gap` apart and not beyond `last`
apart <- function(at, gap, last) {
  for (i in seq_along(at)[-1]) at[i] <- max(at[i], at[i - 1] + gap)
  at[length(at)] <- min(at[length(at)], last)
  for (i in rev(seq_along(at))[-1]) at[i] <- min(at[i], at[i + 1] - gap)
  at
}

# a vertical line that marks the suggestion or the default
draw_mark <- function(at) {
  graphics::abline(v = at, lty = 2, col = plot_colours[["orange"]])
}

# in one row between picture and title
draw_top_legend <- function(labels, colours, hollow = FALSE) {
  graphics::legend(graphics::grconvertX(0.5, "npc", "user"), graphics::grconvertY(1, "npc", "user"),
    labels, col = colours, pch = if (hollow) c(19, 1) else 19, horiz = TRUE, bty = "n", xpd = NA,
    xjust = 0.5, yjust = 0, cex = 0.8
  )
}

# ---- curves ----------------------------------------------------------------------

draw_curves <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  style <- curve_look(p)
  legend <- if (length(style$labels) > 1L && !isFALSE(p$legend)) side_legend(style$labels)
  values <- if (identical(p$log, "y")) 1e-4 else curve_limits(p)
  given <- list(...)
  draw_frame(list(
    x = p$x, y = p$y, type = "n", log = or_default(p$log, ""), xlab = p$xlab, ylab = p$ylab,
    main = p$title, xlim = curve_range(p), ylim = curve_limits(p)
  ), values, right = if (is.null(legend)) 1 else legend$lines,
  whole = or_default(p$ticks, isTRUE(p$whole)), ...)
  draw_band(p$band)
  for (level in seq_along(style$groups)) {
    own <- if (is.null(p$group)) seq_along(p$x) else which(p$group == style$groups[level])
    draw_one_curve(p, own, level, style, given)
  }
  if (!is.null(p$line)) draw_mark(p$line)
  if (!is.null(p$note)) draw_note(p$note)
  if (!is.null(legend)) draw_side_legend(legend, style, lines = TRUE)
}

draw_one_curve <- function(p, own, level, style, given) {
  colour <- or_default(given[["col"]], style$colour[level])
  if (!is.null(p$se)) {
    graphics::segments(p$x[own], (p$y - p$se)[own], p$x[own], (p$y + p$se)[own], col = colour)
  }
  graphics::lines(p$x[own], p$y[own], type = if (isFALSE(p$points)) "l" else "o", cex = 0.7,
    col = colour, lty = style$lty[level],
    pch = style$pch[level]
  )
}

# colours, symbols and names of the curves, the band of random sets last
curve_look <- function(p) {
  groups <- if (is.null(p$group)) "" else levels(p$group)
  style <- curve_style(length(groups))
  if (is.null(p$group)) {
    style <- list(colour = plot_colours[["blue"]], lty = 1, pch = 19)
  }
  style$groups <- groups
  style$labels <- groups
  if (!is.null(p$band)) {
    style$labels <- c(groups, "random")
    style$colour <- c(style$colour, plot_colours[["grey"]])
    style$lty <- c(style$lty, 2)
    style$pch <- c(style$pch, NA)
  }
  style
}

curve_range <- function(p) {
  x <- range(p$x, p$band$k)
  if (length(unique(x)) == 1L && !identical(p$log, "x")) x <- x + c(-0.5, 0.5)
  if (isTRUE(p$reverse)) rev(x) else x
}

curve_limits <- function(p) {
  if (!is.null(p$limits)) {
    return(p$limits)
  }
  spread <- or_default(p$se, 0)
  spread[is.na(spread)] <- 0
  values <- c(p$y - spread, p$y + spread, p$band$lower, p$band$upper)
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

draw_note <- function(note) {
  graphics::mtext(title_within(note, 0.8), side = 3, line = -1.5, cex = 0.8,
    col = plot_colours[["dark"]]
  )
}

# several panels of curves, with one legend
draw_panels <- function(p, ...) {
  before <- start_layout(panel_grid(length(p$panels) + 1L, grDevices::dev.size()))
  on.exit(graphics::par(before))
  for (panel in p$panels) {
    panel$legend <- FALSE
    draw_curves(panel, ...)
  }
  page <- start_page()
  on.exit(graphics::par(page), add = TRUE, after = FALSE)
  draw_legend_panel(curve_look(p$panels[[1]]))
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

# as large as fits in one panel, in one column or more
draw_legend_panel <- function(style) {
  graphics::plot.new()
  labels <- cut_names(style$labels, 24L)
  draw <- function(cex, ncol, plot) {
    graphics::legend("center", labels, bty = "n", ncol = ncol, cex = cex, pch = style$pch,
      lty = style$lty, col = style$colour, plot = plot, seg.len = 2.5
    )
  }
  fits <- function(cex, ncol) {
    size <- draw(cex, ncol, FALSE)$rect
    size$w <= diff(graphics::par("usr")[1:2]) && size$h <= diff(graphics::par("usr")[3:4])
  }
  tried <- expand.grid(ncol = 1:3, cex = c(1, 0.85, 0.7, 0.6, 0.5, 0.4))
  good <- match(TRUE, mapply(fits, tried$cex, tried$ncol), nrow(tried))
  draw(tried$cex[good], tried$ncol[good], TRUE)
}

# ---- maps ------------------------------------------------------------------------

draw_map <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  rows <- names_at_side(rev(p$rows))
  below <- names_below(p, rows$lines + or_default(p$right, 5))
  set_margins(c(
    (if (below$turned) below$lines else 2.5) + (if (nzchar(or_default(p$xlab, ""))) 2 else 0.5),
    rows$lines + (if (is.null(p$ylab)) 0 else 1.5), 3, if (isFALSE(p$scale)) 1 else 5
  ))
  z <- t(p$value[rev(seq_len(nrow(p$value))), , drop = FALSE])
  arguments <- with_graphical(list(
    x = seq_len(nrow(z)), y = seq_len(ncol(z)), z = z, zlim = p$limits, col = p$colours,
    axes = FALSE, xlab = "", ylab = "", useRaster = FALSE, main = p$title
  ), ...)
  titles <- list(main = arguments$main, xlab = list(...)$xlab, ylab = list(...)$ylab)
  arguments$main <- arguments$xlab <- arguments$ylab <- ""
  do.call(graphics::image.default, arguments)
  graphics::box(col = plot_colours[["grey"]])
  label_axis(1, below$labels, below$turned)
  label_axis(2, rows$labels)
  draw_title(titles$main, ...)
  graphics::title(xlab = or_default(titles$xlab, or_default(p$xlab, "")),
    line = if (below$turned) below$lines + 0.3 else 2.5
  )
  graphics::title(ylab = or_default(titles$ylab, or_default(p$ylab, "")), line = rows$lines)
  if (!isFALSE(p$scale)) draw_scale(p$limits, arguments$col)
  if (!is.null(p$tiles)) label_tiles(p)
  draw_tile_frame(p)
}

# names below a map, turned and cut where they do not fit side by side; numbers never are
names_below <- function(p, taken, cex = 0.8) {
  if (is.numeric(p$columns)) {
    return(list(labels = p$columns, turned = FALSE))
  }
  inches <- graphics::par("fin")
  room <- (inches[1] - taken * graphics::par("csi")) / length(p$columns)
  if (words_inches(paste0(p$columns, "n"), cex) <= room) {
    return(list(labels = p$columns, turned = FALSE))
  }
  labels <- names_within(p$columns, inches[2] / 4, cex)
  list(labels = labels, turned = TRUE, lines = words_lines(labels, cex))
}

# as many labels as fit, perpendicular to the axis at the left, and below where `turned`; the
# first at the left and the one at the top, which is the best of them, always
label_axis <- function(side, labels, turned = side == 2) {
  room <- graphics::par("pin")[if (side == 1) 1 else 2]
  height <- graphics::par("cin")[2]
  size <- min(0.8, max(0.6, 0.95 * room / (height * length(labels))))
  every <- if (turned) {
    ceiling(0.8 * size * height * length(labels) / room - 1e-6)
  } else {
    ceiling(words_inches(paste0(labels, "n"), 0.8) * length(labels) / room)
  }
  at <- seq(1, length(labels), by = max(1, every))
  if (side == 2) at <- rev(length(labels) + 1 - at)
  graphics::axis(side, at, labels[at], las = if (turned) 2 else 1, tick = FALSE, gap.axis = 0,
    cex.axis = if (turned) size else 0.8, line = -0.5
  )
}

draw_scale <- function(limits, colours) {
  box <- graphics::par("usr")
  # within the margin, however wide the picture is
  x <- box[2] + graphics::xinch(graphics::par("mai")[4]) * c(0.12, 0.32)
  y <- seq(box[3], box[4], length.out = length(colours) + 1)
  graphics::rect(x[1], y[-length(y)], x[2], y[-1], col = colours, border = NA, xpd = NA)
  graphics::rect(x[1], box[3], x[2], box[4], border = plot_colours[["grey"]], xpd = NA)
  graphics::text(x[2], box[3] + diff(box[3:4]) * c(0, 0.5, 1),
    format(c(limits[1], mean(limits), limits[2]), digits = 2), pos = 4, cex = 0.75, xpd = NA
  )
}

# words in the tiles of a map, light on dark
label_tiles <- function(p) {
  at <- which(!is.na(p$value), arr.ind = TRUE)
  room <- min(graphics::par("pin")[1] / ncol(p$value) / 0.4,
    graphics::par("pin")[2] / nrow(p$value) / 0.17
  )
  graphics::text(at[, 2], nrow(p$value) + 1 - at[, 1], p$tiles[at],
    cex = max(0.3, min(0.8, 0.8 * room)), col = ink_on(p$value[at], p$limits, p$colours)
  )
}

# around one tile
draw_tile_frame <- function(p) {
  if (is.null(p$frame)) {
    return(invisible())
  }
  x <- p$frame[2]
  y <- nrow(p$value) + 1 - p$frame[1]
  graphics::rect(x - 0.5, y - 0.5, x + 0.5, y + 0.5, lwd = 3, border = plot_colours[["orange"]],
    xpd = NA
  )
}

draw_pixels <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  set_margins(c(1, 1, 3, 1))
  grey <- matrix(0, p$dim[1], p$dim[2])
  grey[cbind(p$all$row, p$all$column)] <- or_default(p$grey, 0.95)
  arguments <- with_graphical(list(
    x = seq_len(p$dim[2]), y = seq_len(p$dim[1]), z = t(grey), asp = 1, axes = FALSE,
    col = if (is.null(p$grey)) "grey95" else image_greys(), xlab = "", ylab = "", main = p$title
  ), ...)
  main <- arguments$main
  arguments$main <- ""
  do.call(graphics::image.default, arguments)
  draw_title(main, ...)
  half <- mark_size / 2
  graphics::rect(p$marks$column - half, p$marks$row - half, p$marks$column + half,
    p$marks$row + half, col = plot_colours[["orange"]], border = mark_rim(p$dim), lwd = 0.7
  )
  graphics::rect(0.5, 0.5, p$dim[2] + 0.5, p$dim[1] + 0.5, border = plot_colours[["grey"]])
}

mark_size <- 0.84

image_greys <- function() grDevices::grey.colors(256, 0, 1)

# a dark rim keeps marks visible on bright and on dark pixels, unless it would cover them
mark_rim <- function(dim) if (max(dim) > 64L) NA else "black"

# ---- samples ---------------------------------------------------------------------

draw_sample_views <- function(p, ...) {
  if (length(p$panels) == 1L || has_layout()) {
    return(draw_single_views(p, ...))
  }
  before <- start_layout(panel_grid(2L, grDevices::dev.size()))
  on.exit(graphics::par(before))
  # measured on a page of its own, which nothing is drawn on
  page <- start_page()
  legend <- sample_legend(p, graphics::par("din"))
  graphics::par(page)
  graphics::par(oma = c(0, 0, 1.5, if (is.null(legend)) 0 else legend$lines))
  graphics::par(new = TRUE, mfg = c(1, 1))
  for (panel in p$panels) {
    page <- start_page()
    draw_sample_panel(p, panel, panel$title, NULL, ...)
    if (identical(panel, p$panels[[2]])) draw_sample_legend(p, legend)
    graphics::par(page)
  }
  graphics::mtext(or_default(list(...)$main, p$title), outer = TRUE, font = 2)
}

# every view for itself: alone on the page, or in the next places of the caller's layout
draw_single_views <- function(p, ...) {
  for (panel in p$panels) {
    page <- start_page()
    legend <- sample_legend(p)
    title <- if (length(p$panels) > 1L) paste0(p$title, ", ", panel$title) else p$title
    draw_sample_panel(p, panel, or_default(list(...)$main, title), legend$lines, ...)
    draw_sample_legend(p, legend)
    graphics::par(page)
  }
}

draw_sample_panel <- function(p, view, title, right, ...) {
  look <- sample_look(p)
  given <- list(...)
  given$main <- NULL
  ours <- list(
    x = view$at[, 1], y = view$at[, 2], col = look$colour, pch = look$pch, cex = 0.8,
    xlab = view$labels[1], ylab = view$labels[2], main = title
  )
  do.call(draw_frame, c(list(ours, view$at[, 2], right = or_default(right, 1)), given))
}

# colour and symbol of every sample
sample_look <- function(p) {
  if (is.null(p$groups)) {
    at <- (p$shade - min(p$shade)) / max(diff(range(p$shade)), .Machine$double.xmin)
    return(list(colour = sequential_colours(64)[1 + round(63 * at)], pch = 19))
  }
  style <- curve_style(nlevels(p$groups))
  at <- as.integer(p$groups)
  list(colour = style$colour[at], pch = style$pch[at])
}

# classes, or a scale where numbers shade the samples; NULL where neither says anything
sample_legend <- function(p, inches = graphics::par("fin")) {
  if (!is.null(p$groups) && !isFALSE(p$legend)) {
    side_legend(levels(p$groups), inches = inches)
  } else if (isTRUE(p$scale)) {
    list(lines = 5)
  }
}

draw_sample_legend <- function(p, legend) {
  if (is.null(legend)) {
    return(invisible())
  }
  if (is.null(p$groups)) {
    return(draw_outer_scale(range(p$shade), legend$lines))
  }
  draw_side_legend(legend, curve_style(nlevels(p$groups)))
}

# a scale of colours right of the last panel
draw_outer_scale <- function(limits, lines) {
  box <- graphics::par("usr")
  width <- graphics::xinch(lines * graphics::par("csi"))
  x <- box[2] + width * c(0.15, 0.35)
  colours <- sequential_colours()
  y <- seq(box[3], box[4], length.out = length(colours) + 1)
  graphics::rect(x[1], y[-length(y)], x[2], y[-1], col = colours, border = NA, xpd = NA)
  graphics::text(x[2], box[c(3, 4)], format(limits, digits = 2), pos = 4, cex = 0.75, xpd = NA)
}

# ---- lines of features -----------------------------------------------------------

# p$value: points x features, the named first; p$blocks: a factor where the points stand in
# blocks, side by side with gaps between
draw_paths <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  axis <- if (is.null(p$blocks)) path_axis_of(p) else block_axis(p)
  value <- if (is.null(p$blocks)) p$value else p$value[axis$order, , drop = FALSE]
  drawn <- ncol(value)
  first <- seq_len(p$named)
  style <- curve_style(p$named)
  legend <- if (p$named > 0) side_legend(p$features[first])
  draw_frame(list(
    x = range(axis$x), y = range(value, na.rm = TRUE), type = "n", log = axis$log,
    xlim = axis$xlim, xlab = axis$xlab, ylab = p$ylab, main = p$title,
    xaxt = if (is.null(p$blocks)) "s" else "n"
  ), value, right = if (is.null(legend)) 1 else legend$lines, whole = isTRUE(p$whole), ...)
  pale <- grDevices::adjustcolor(plot_colours[["grey"]], 0.5)
  # the named ones are drawn last, on top
  for (at in rev(seq_len(drawn))) {
    named <- at <= p$named
    graphics::lines(axis$x, value[, at], lwd = if (named) 2 else 0.6,
      lty = if (named) style$lty[at] else 1, col = if (named) style$colour[at] else pale
    )
  }
  if (!is.null(p$blocks)) draw_blocks(axis)
  if (!is.null(p$line)) draw_mark(p$line)
  if (!is.null(legend)) {
    style$pch <- NULL
    draw_side_legend(legend, style, lines = TRUE, title = p$naming)
  }
}

path_axis_of <- function(p) {
  list(
    x = p$x, log = or_default(p$log, ""), xlab = p$xlab,
    xlim = if (isTRUE(p$reverse)) rev(range(p$x)) else range(p$x)
  )
}

# where two penalties change, the points stand in blocks, one per value of the second,
# with a gap between them; `order`: the points by position, NA in the gaps
block_axis <- function(p) {
  blocks <- split(seq_along(p$blocks), p$blocks)
  order <- utils::head(unlist(lapply(blocks, c, NA), use.names = FALSE), -1)
  ends <- cumsum(lengths(blocks) + 1L)
  list(
    x = seq_along(order), log = "", xlim = c(1, length(order)), order = order,
    xlab = sprintf("%s falls within each block", p$xlab), gaps = utils::head(ends, -1),
    centres = ends - (lengths(blocks) + 1L) / 2, labels = levels(p$blocks)
  )
}

draw_blocks <- function(axis) {
  graphics::abline(v = axis$gaps, lty = 3, col = plot_colours[["grey"]])
  room <- graphics::par("pin")[1] / length(axis$labels)
  graphics::axis(1, axis$centres, names_within(axis$labels, room, 0.7), tick = FALSE,
    cex.axis = 0.7
  )
}

# ---- dots ------------------------------------------------------------------------

# an empty frame for values of the features of the table, a row each, named at the left;
# `limits` of the values, and their `scale` as for plot.default(); returns the heights of the
# rows
draw_feature_rows <- function(p, values, limits, scale, ...) {
  at <- rev(seq_len(nrow(p$table)))
  names <- names_at_side(rev(p$table$feature))
  set_margins(c(4.5, names$lines, 4.5, 1))
  arguments <- with_graphical(c(scale, list(
    x = values, y = at, type = "n", yaxt = "n", bty = "l", ylab = "", xlab = p$xlab,
    xlim = limits
  )), ...)
  arguments$main <- ""
  do.call(graphics::plot.default, arguments)
  label_axis(2, names$labels)
  draw_title(or_default(list(...)$main, p$title), ..., line = 2.7)
  at
}

draw_dots <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  table <- p$table
  at <- draw_feature_rows(p, table$value, c(0, 1), NULL, ...)
  graphics::segments(0, at, table$value, at, col = plot_colours[["grey"]])
  graphics::points(table$value, at, pch = 21, col = plot_colours[["blue"]],
    bg = ifelse(table$chosen, plot_colours[["blue"]], "white")
  )
  draw_top_legend(chosen_words, plot_colours[["blue"]], hollow = TRUE)
}
