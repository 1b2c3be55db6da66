# The kinds of pictures, drawn in base graphics, and what they share: colours, names that fit,
# margins and legends. What is drawn is put together in plot.R.

# Draws the picture of a result on a page of its own or in the next place of the caller's layout,
# puts the parameters of the device back and returns the result
draw_picture <- function(x, picture, ...) {
  check_graphical(...)
  before <- graphics::par(mar = c(0, 0, 0, 0))
  on.exit(graphics::par(c(before, list(new = FALSE))))
  # words can be measured once a page has begun; what follows is drawn on this page
  graphics::plot.new()
  graphics::par(new = TRUE)
  switch(picture$kind,
    stems = draw_stems(picture, ...), lines = draw_lines(picture, ...),
    map = draw_map(picture, ...), dots = draw_dots(picture, ...),
    intervals = draw_intervals(picture, ...)
  )
  invisible(x)
}

# ---- colours ---------------------------------------------------------------------

# colours that differ in hue for colour-blind readers and in lightness in print
plot_colours <- c(blue = "#0072B2", orange = "#E69F00", grey = "#999999", dark = "#333333")

# blue below zero, white at zero, orange above; both arms as dark at their ends
diverging_colours <- function() {
  grDevices::colorRampPalette(
    c("#08306B", "#2171B5", "#9ECAE1", "#FFFFFF", "#FDBE85", "#D94801", "#7F2704"), space = "Lab"
  )(51L)
}

# ---- names, margins and legends --------------------------------------------------

# width of the longest of some words
words_inches <- function(words, cex = 0.8, font = NULL) {
  if (length(words) == 0) 0 else max(graphics::strwidth(words, "inches", cex, font))
}

# names that are shortened to some inches, but not below eight characters
names_within <- function(names, inches, cex = 0.8, font = NULL) {
  short <- names <- in_valid_bytes(as.character(names))
  width <- min(60L, max(0L, nchar(encodeString(names), "width")))
  while (width > 8L && words_inches(short, cex, font) > inches) {
    width <- max(8L, width - 2L)
    short <- short_labels(names, width)
  }
  short
}

# lines of the margin that words at a side take, with a gap
words_lines <- function(words) 1 + words_inches(words) / graphics::par("csi")

# whole numbers within limits, for ranks and counts
whole_ticks <- function(limits) {
  at <- pretty(limits, 6)
  unique(at[at == round(at) & at >= min(limits) & at <= max(limits)])
}

# Margins in lines; if they take more than half of a small device, they shrink
set_margins <- function(lines) {
  room <- graphics::par("fin") / graphics::par("csi") / 2
  share <- pmin(1, room / pmax(c(lines[2] + lines[4], lines[1] + lines[3]), 0.1))
  graphics::par(mar = lines * share[c(2, 1, 2, 1)])
}

# a title that fits the page
draw_title <- function(main, ..., line = NULL) {
  styled <- with_graphical(list(cex.main = 1.1), ...)
  styled <- styled[names(styled) %in% c("cex.main", "col.main", "font.main")]
  centre <- graphics::par("mai")[2] + graphics::par("pin")[1] / 2
  room <- 1.94 * min(centre, graphics::par("fin")[1] - centre)
  if (is_text(main)) main <- names_within(main, room, styled$cex.main, 2)
  do.call(graphics::title, c(list(main = main, line = line), styled))
}

# a legend at the right, outside of the data, as long as there is room
side_legend <- function(labels) {
  room <- max(2, floor(0.75 * graphics::par("fin")[2] / (0.92 * graphics::par("csi"))))
  shown <- names_within(utils::head(labels, room), graphics::par("fin")[1] / 4)
  list(labels = shown, lines = 2.8 + words_lines(shown))
}

# a legend at a share of the width, at the top of the picture or some lines above
draw_legend <- function(at, labels, ..., above = 0, cex = 0.8) {
  top <- 1 + above * graphics::par("csi") / graphics::par("pin")[2]
  graphics::legend(graphics::grconvertX(at, "npc", "user"),
    graphics::grconvertY(top, "npc", "user"), labels, bty = "n", xpd = NA, cex = cex, ...
  )
}

# Draw a legend in one row between picture and title, points or lines, as wide as the page at most
draw_top_legend <- function(labels, colours, lty = NULL, above = 0) {
  share <- graphics::par("fin")[1] / (length(labels) * (words_inches(labels) + 0.5))
  draw_legend(0.5, labels, col = colours, pch = if (is.null(lty)) 19, lty = lty, horiz = TRUE,
    xjust = 0.5, yjust = 0, above = above, cex = 0.8 * min(1, share)
  )
}

# ---- the caller's parameters -----------------------------------------------------

# parameters have names; what is drawn, and how many features, is not among them
check_graphical <- function(...) {
  given <- or_default(names(list(...)), rep("", ...length()))
  wrong <- given[!nzchar(given) | given %in% c("x", "y", "z", "height", "k")]
  refuse_if(length(wrong) > 0L, "argument", if (nzchar(wrong[1])) wrong[1] else "...",
    "is not an argument of this plot; graphical parameters are given by name"
  )
}

# parameters of the caller over ours
with_graphical <- function(ours, ...) utils::modifyList(ours, list(...))

# The frame of a plot: margins by the lines that labels take below and beside (NULL: those of
# numbers), titles of the axes next to them, whole numbers below if `whole`. `ours`: the arguments
# of plot.default()
draw_frame <- function(p, ours, beside = NULL, below = 2.5, right = 1, above = 3, whole = FALSE,
                       ...) {
  if (is.null(beside)) beside <- 1.2 + 0.5 * max(nchar(format(pretty(ours$ylim))))
  set_margins(c(below + 2 * nzchar(p$xlab), beside + 2 * !is.null(p$ylab), above, right))
  words <- with_graphical(list(xlab = p$xlab, ylab = p$ylab, main = p$title), ...)
  arguments <- with_graphical(c(list(bty = "l", las = 1), ours), ...)
  arguments[c("xlab", "ylab", "main")] <- ""
  whole <- whole && is.null(arguments$xaxt)
  if (whole) arguments$xaxt <- "n"
  do.call(graphics::plot.default, arguments)
  if (whole) graphics::axis(1, whole_ticks(arguments$xlim))
  margins <- graphics::par("mar")
  graphics::title(xlab = words$xlab, line = max(0, min(below + 0.5, margins[1] - 1.2)))
  graphics::title(ylab = words$ylab, line = max(0, min(beside + 0.6, margins[2] - 1.2)))
  draw_title(words$main, ..., line = if (above > 3) above - 1.5)
}

# ---- stems and lines -------------------------------------------------------------

# p$table: rank, value, feature and chosen; the first p$named features are named
draw_stems <- function(p, ...) {
  table <- p$table
  colour <- plot_colours[ifelse(table$chosen, "blue", "grey")]
  both <- !all(table$chosen)
  above <- if (both) 4.5 else 3
  words <- stem_words(p, graphics::par("fin") - graphics::par("csi") * c(6, 5.5 + above))
  draw_frame(p, list(
    x = table$rank, y = table$value, type = "h", lwd = 2, col = colour,
    xlim = c(0.5, nrow(table) + 0.5), ylim = c(0, words$top)
  ), above = above, whole = TRUE, ...)
  graphics::points(table$rank, table$value, pch = 19, cex = 0.6, col = colour)
  if (both) draw_top_legend(c("selected", "not selected"), plot_colours[c("blue", "grey")])
  shown <- seq_along(words$names)
  if (length(shown) == 0L) {
    return(invisible())
  }
  lift <- table$value[shown] + 0.015 * words$top
  graphics::segments(shown, table$value[shown], words$at, lift, col = plot_colours[["grey"]])
  graphics::text(words$at, lift, words$names, srt = 90, adj = c(0, 0.5), cex = 0.75,
    col = plot_colours[["dark"]]
  )
}

# Names above their stems, as many as find room, moved aside where stems are too near; `top`: the
# upper limit at which the longest name ends inside
stem_words <- function(p, inches, cex = 0.75) {
  inches <- pmax(inches, 0.5)
  value <- p$table$value
  highest <- max(value, 0)
  top <- 1.06 * if (highest <= 1e-300) 1 else highest
  line <- graphics::par("csi") * cex * 1.05
  count <- min(p$named, max(1, floor(0.92 * inches[1] / line)))
  if (count == 0L) {
    return(list(names = character(), at = numeric(), top = top))
  }
  names <- names_within(p$table$feature[seq_len(count)], 0.45 * inches[2], cex)
  room <- pmin(0.8 * inches[2], graphics::strwidth(names, "inches", cex) + 0.1)
  gap <- line * nrow(p$table) / (0.92 * inches[1])
  list(
    names = names, at = 1 + (seq_len(count) - 1) * max(1, gap),
    top = max(top, (value[seq_len(count)] + 0.015 * top) / (1 - room / inches[2]))
  )
}

# p$x: the points; p$y: a column for each line, of which the first, as many as p$names, have a
# style and a name, and the others are pale; p$se: as y, bars; p$allowed: a dotted line, the limit
# of rule "1se"; p$marks: vertical lines with names; p$log, p$reverse, p$whole: the axis below;
# p$top: labels above the points; p$note: words below the title
draw_lines <- function(p, ...) {
  p$y <- as.matrix(p$y)
  several <- ncol(p$y) > 1L
  # colours of Okabe and Ito without their pale yellow; lines differ by their pattern as well
  colours <- unname(grDevices::palette.colors(9, "Okabe-Ito")[-5])
  count <- if (several) length(p$names) else 1L
  style <- list(colour = rep_len(colours, count), lty = rep_len(1:6, count))
  if (!several) style$colour <- or_default(list(...)[["col"]], plot_colours[["blue"]])
  legend <- if (several && length(p$names) > 0) side_legend(p$names)
  limits <- or_default(p$limits, range(p$y, p$allowed, p$y - p$se, p$y + p$se, finite = TRUE))
  ends <- range(p$x)
  if (ends[1] == ends[2] && !isTRUE(p$log)) ends <- ends + c(-0.5, 0.5)
  draw_frame(p, list(
    x = ends, y = limits, type = "n", log = if (isTRUE(p$log)) "x" else "", ylim = limits,
    xlim = if (isTRUE(p$reverse)) rev(ends) else ends
  ), right = or_default(legend$lines, 1), whole = isTRUE(p$whole),
  above = 3 + sum(c(1.2, 1.6, 1.4)[lengths(p[c("note", "top", "marks")]) > 0]), ...)
  draw_beside_lines(p, style$colour)
  for (at in rev(seq_len(ncol(p$y)))) {
    known <- at <= length(style$colour)
    graphics::lines(p$x, p$y[, at], lwd = if (known) 1.6 else 0.6, pch = 19, cex = 0.6,
      lty = if (known) style$lty[at] else 1, type = if (several && length(p$x) > 1L) "l" else "o",
      col = if (known) style$colour[at] else grDevices::adjustcolor(plot_colours[["grey"]], 0.5)
    )
  }
  if (!is.null(legend)) {
    known <- seq_along(legend$labels)
    draw_legend(1, legend$labels, col = style$colour[known], lty = style$lty[known], seg.len = 2.5,
      title = p$naming, title.adj = 0
    )
  }
}

draw_beside_lines <- function(p, colours) {
  if (!is.null(p$allowed)) graphics::lines(p$x, p$allowed, lty = 3, col = colours[1])
  if (!is.null(p$se)) {
    # side by side, so that none hides another
    aside <- 0.008 * (seq_len(ncol(p$y)) - (ncol(p$y) + 1) / 2)
    x <- outer(graphics::grconvertX(p$x, "user", "npc"), aside, "+")
    x <- graphics::grconvertX(x, "npc", "user")
    own <- if (ncol(p$y) > 1L) rep(colours, each = nrow(p$y)) else plot_colours[["grey"]]
    graphics::segments(x, p$y - p$se, x, p$y + p$se, col = own)
  }
  lift <- if (is.null(p$top)) 0.3 else 2
  if (!is.null(p$marks)) {
    lty <- 1 + seq_along(p$marks)
    first <- if (ncol(p$y) > 1L) "grey" else "orange" # curves have colours of their own
    colour <- plot_colours[c(first, rep("dark", length(lty) - 1L))]
    graphics::abline(v = p$marks, lty = lty, lwd = 1.5, col = colour)
    limit <- if (!is.null(p$allowed)) "limit of \"1se\""
    draw_top_legend(c(names(p$marks), limit), c(colour, colours[1]), c(lty, 3), lift)
    lift <- lift + 1.4
  }
  if (!is.null(p$top)) {
    at <- unique(round(seq(1, length(p$x), length.out = min(7, length(p$x)))))
    graphics::axis(3, p$x[at], p$top[at], tick = FALSE, line = -0.8, cex.axis = 0.8)
    graphics::mtext("features", 3, 1, cex = 0.8 * graphics::par("cex"))
  }
  if (!is.null(p$note)) {
    words <- names_within(p$note, 0.95 * graphics::par("fin")[1], 0.8)
    graphics::mtext(words, 3, lift, cex = 0.8 * graphics::par("cex"))
  }
}

# ---- maps ------------------------------------------------------------------------

# p$value: rows from top to bottom x columns, with the names of both, limits and colours;
# p$tiles: are the values written?; p$shade: what is drawn in colour, if not the values; p$scale:
# FALSE for none, or words for its ends and its middle; p$size: the areas of dots in place of tiles
draw_map <- function(p, ...) {
  size <- dim(p$value)
  rows <- names_within(rev(p$rows), graphics::par("fin")[1] / 3)
  left <- words_lines(rows)
  below <- names_below(p$columns, left + 5)
  draw_frame(p, list(
    x = c(0.5, size[2] + 0.5), y = c(0.5, size[1] + 0.5), type = "n", axes = FALSE, xaxs = "i",
    yaxs = "i"
  ), left, below$lines, right = if (isFALSE(p$scale)) 1 else 5, ...)
  colours <- or_default(list(...)[["col"]], p$colours)
  p$shade <- or_default(p$shade, p$value)
  upwards <- p$shade[rev(seq_len(size[1])), , drop = FALSE]
  if (is.null(p$size)) {
    graphics::image(seq_len(size[2]), seq_len(size[1]), t(upwards),
      zlim = p$limits, col = colours, add = TRUE
    )
  } else {
    widest <- 0.46 * min(0.3, graphics::par("pin") / rev(size))
    radius <- as.vector(sqrt(p$size[rev(seq_len(size[1])), ])) * widest
    graphics::symbols(col(upwards), row(upwards), pmax(radius, 1e-3), inches = max(radius, 1e-3),
      bg = colours[1 + round(upwards * (length(colours) - 1))], fg = plot_colours[["grey"]],
      add = TRUE
    )
  }
  graphics::box(col = plot_colours[["grey"]])
  label_axis(1, below$labels, below$turned)
  label_axis(2, rows, TRUE)
  ends <- format(c(p$limits[1], mean(p$limits), p$limits[2]), digits = 2)
  if (!isFALSE(p$scale)) draw_scale(or_default(p$scale, ends), colours)
  if (isTRUE(p$tiles)) label_tiles(p)
}

# names below a map, turned where they do not fit side by side; numbers never are
names_below <- function(names, taken) {
  room <- (graphics::par("fin")[1] - taken * graphics::par("csi")) / length(names)
  if (is.numeric(names) || words_inches(paste0(names, "n")) <= room) {
    return(list(labels = names, turned = FALSE, lines = 2.5))
  }
  labels <- names_within(names, graphics::par("fin")[2] / 4)
  list(labels = labels, turned = TRUE, lines = words_lines(labels))
}

# Draw as many labels as fit; the first at the left and the one at the top, the best, always
label_axis <- function(side, labels, turned) {
  room <- graphics::par("pin")[side]
  height <- graphics::par("cin")[2]
  size <- if (turned) min(0.8, max(0.6, 0.95 * room / (height * length(labels)))) else 0.8
  each <- if (turned) 0.8 * size * height else words_inches(paste0(labels, "n"))
  at <- seq(1, length(labels), by = max(1, ceiling(each * length(labels) / room - 1e-6)))
  if (side == 2) at <- rev(length(labels) + 1 - at)
  graphics::axis(side, at, labels[at], las = if (turned) 2 else 1, tick = FALSE, gap.axis = 0,
    cex.axis = size, line = -0.5
  )
}

draw_scale <- function(words, colours) {
  box <- graphics::par("usr")
  x <- box[2] + graphics::xinch(graphics::par("mai")[4]) * c(0.12, 0.32)
  y <- seq(box[3], box[4], length.out = length(colours) + 1)
  graphics::rect(x[1], y[-length(y)], x[2], y[-1], col = colours, border = NA, xpd = NA)
  graphics::text(x[2], box[3] + diff(box[3:4]) * c(0, 0.5, 1), words, pos = 4, cex = 0.75,
    xpd = NA
  )
}

# values in the tiles, white on the lower, dark half of the colours
label_tiles <- function(p) {
  at <- which(!is.na(p$value), arr.ind = TRUE)
  room <- min(graphics::par("pin") / rev(dim(p$value)) / c(0.4, 0.17))
  graphics::text(at[, 2], nrow(p$value) + 1 - at[, 1],
    sub("^(-?)0[.]", "\\1.", sprintf("%.2f", p$value[at])), cex = max(0.3, min(0.8, 0.8 * room)),
    col = ifelse(p$shade[at] < mean(p$limits), "white", "black")
  )
}

# p$value: of each of p$rows, from the top, within p$limits; p$chosen: those in blue, as p$key
# tells; p$line is marked
draw_dots <- function(p, ...) {
  at <- draw_rows(p, p$rows, list(x = p$value, xlim = or_default(p$limits, range(0, p$value))),
    above = if (is.null(p$key)) 3 else 4.5, ...
  )
  colours <- plot_colours[ifelse(or_default(p$chosen, TRUE), "blue", "grey")]
  graphics::abline(v = 0, col = plot_colours[["dark"]])
  graphics::segments(0, at, p$value, at, col = plot_colours[["grey"]])
  graphics::points(p$value, at, pch = 19, col = or_default(list(...)[["col"]], colours))
  graphics::abline(v = p$line, lty = 2, col = plot_colours[["orange"]])
  if (!is.null(p$key)) draw_top_legend(p$key, plot_colours[c("blue", "grey")])
}

# Draw the frame of values beside the names of their rows; returns the places of these
draw_rows <- function(p, rows, ours, ...) {
  at <- rev(seq_along(rows))
  names <- names_within(rev(rows), graphics::par("fin")[1] / 3)
  limits <- range(at) + c(-0.5, 0.5)
  draw_frame(p, c(list(y = at, type = "n", yaxt = "n", ylim = limits), ours),
    beside = words_lines(names), ...
  )
  label_axis(2, names, TRUE)
  at
}

# p$table: feature, lower, upper, role, proved and chosen, a row each from the top; the values
# have a logarithmic axis, and p$line is marked. Rows whose names have no room are left out.
draw_intervals <- function(p, ...) {
  room <- graphics::par("fin")[2] - min(graphics::par("fin")[2] / 2, 9 * graphics::par("csi"))
  table <- utils::head(p$table, max(1, floor(room / (0.54 * graphics::par("cin")[2]))))
  without <- nrow(p$table) - nrow(table)
  if (without > 0) p$xlab <- sprintf("%s (%s not drawn)", p$xlab, count_of(without, p$unit))
  at <- draw_rows(p, table$feature, list(
    x = table$upper, log = "x", xlim = range(table$lower, table$upper, p$line)
  ), above = 4.5, ...)
  graphics::abline(v = p$line, lty = 2, col = plot_colours[["orange"]])
  between <- nrow(table) - sum(table$chosen) + 0.5
  graphics::abline(h = between, lty = 3, col = plot_colours[["grey"]])
  colours <- c(essential = "#D55E00", exchangeable = "#0072B2", undecided = "#999999",
    excluded = "#333333")
  colour <- colours[as.character(table$role)]
  graphics::segments(table$lower, at, table$upper, at, col = colour, lwd = 2)
  filled <- ifelse(table$proved, colour, "white")
  graphics::points(table$upper, at, pch = 21, col = colour, bg = filled)
  # intervals from 0 have no left end on a logarithmic axis
  ended <- !table$from_zero
  graphics::points(table$lower[ended], at[ended], pch = 21, col = colour[ended], bg = filled[ended])
  shown <- unique(as.character(table$role))
  draw_top_legend(shown, colours[shown])
}
