# What all pictures share: colours, names that fit, margins, legends and titles. Base graphics
# measure words on the device; ggplot2 cannot, and cuts them to numbers of characters.

# ---- colours ---------------------------------------------------------------------

# colours that differ in hue for colour-blind readers and in lightness in print
plot_colours <- c(blue = "#0072B2", orange = "#E69F00", grey = "#999999", dark = "#333333")

# blue below zero, white at zero, orange above; both arms as dark at their ends
diverging_colours <- function(count = 51L) {
  grDevices::colorRampPalette(
    c("#08306B", "#2171B5", "#9ECAE1", "#FFFFFF", "#FDBE85", "#D94801", "#7F2704"),
    space = "Lab"
  )(count)
}

# dark to light, as seen with and without colours
sequential_colours <- function(count = 51L) {
  grDevices::hcl.colors(count, "Cividis")
}

# Told apart by symbol and line as well as by colour; the colours are those of
# Okabe and Ito, safe for colour-blind readers, without their pale yellow
curve_style <- function(count) {
  colours <- grDevices::palette.colors(9, "Okabe-Ito")[-5]
  list(colour = unname(rep_len(colours, count)), lty = rep_len(1:6, count),
       pch = rep_len(c(16, 17, 15, 1, 2, 0, 5, 6, 4), count))
}

# limits of a scale that is white in the middle
symmetric_limits <- function(values) {
  c(-1, 1) * max(abs(values[is.finite(values)]), .Machine$double.xmin)
}

# white on dark tiles, black on light ones
ink_on <- function(values, limits, colours) {
  at <- (values - limits[1]) / diff(limits) * (length(colours) - 1)
  at <- pmin(pmax(round(at), 0), length(colours) - 1) + 1
  light <- drop(c(0.299, 0.587, 0.114) %*% grDevices::col2rgb(colours)) / 255
  ifelse(light[at] < 0.5, "white", "black")
}

# ---- names -----------------------------------------------------------------------

# at most `width` characters, the middle left out; those that become alike are numbered
cut_names <- function(names, width = 28L) {
  make.unique(short_labels(as.character(names), width), "~")
}

# as long as `inches` allow, on a page that has begun
names_within <- function(names, inches, cex = 0.8) {
  width <- min(60L, max(8L, nchar(encodeString(as.character(names)), "width")))
  repeat {
    short <- cut_names(names, width)
    if (width <= 8L || words_inches(short, cex) <= inches) {
      return(short)
    }
    width <- width - 1L
  }
}

# width of the longest
words_inches <- function(words, cex = 1, font = NULL) {
  if (length(words) == 0) 0 else max(graphics::strwidth(words, "inches", cex, font))
}

# whole numbers within limits, for ranks and counts
whole_ticks <- function(limits, count = 6) {
  at <- pretty(limits, count)
  unique(at[at == round(at) & at >= min(limits) & at <= max(limits)])
}

# ---- pages and margins -----------------------------------------------------------

# Starts a page, so that words can be measured before the margins are chosen. Returns what
# par() must be given at the end; what is drawn next is drawn on this page.
start_page <- function() {
  before <- graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
  graphics::par(new = TRUE)
  c(before, list(new = FALSE))
}

# whether the caller shares the page out among several pictures
has_layout <- function() prod(graphics::par("mfrow")) > 1L

# Rows and columns for the panels of one picture, unless the caller has a layout, whose next
# places they take. Returns what par() must be given at the end.
start_layout <- function(shape) {
  if (has_layout()) {
    return(list())
  }
  before <- graphics::par(c("mfrow", "mar", "oma", "cex"))
  graphics::par(mfrow = shape)
  before
}

# Margins in lines, what they were before returned for par(); on a device too
# small for them they shrink until half of it is left to the picture
set_margins <- function(lines) {
  room <- graphics::par("fin") / graphics::par("csi") / 2
  taken <- c(lines[2] + lines[4], lines[1] + lines[3])
  share <- pmin(1, room / pmax(taken, 0.1))
  graphics::par(mar = lines * share[c(2, 1, 2, 1)])
}

# room at the left for horizontal tick labels and a title beside them
roomy_margins <- function(values, right = 1, above = 3) {
  set_margins(c(4.5, 2.4 + number_width(values), above, right))
}

# lines that the tick labels of an axis take
number_width <- function(values) {
  values <- values[is.finite(values)]
  if (length(values) == 0) {
    return(1.3)
  }
  0.8 + 0.5 * max(nchar(format(pretty(range(values)))))
}

# lines that words take at the side of a picture, with a gap
words_lines <- function(words, cex = 0.8) {
  1 + words_inches(words, cex) / graphics::par("csi")
}

# names along one side of a map, on a page that has begun: cut to a third of the page, with
# the lines that they take
names_at_side <- function(names, cex = 0.8, share = 1 / 3) {
  labels <- names_within(names, share * graphics::par("fin")[1], cex)
  list(labels = labels, lines = words_lines(labels, cex))
}

# ---- legends ---------------------------------------------------------------------

# A legend at the right, outside the data, on a page that has begun: as large as the height
# of the page allows, what finds no room counted in its last line
side_legend <- function(labels, cex = 0.8, inches = graphics::par("fin")) {
  line <- graphics::par("csi") * 1.15
  room <- max(2, floor(0.75 * inches[2] / line / 0.5))
  more <- length(labels) - room
  if (more > 0) labels <- c(labels[seq_len(room - 1L)], sprintf("and %d more", more + 1L))
  cex <- max(0.4, min(cex, 0.75 * inches[2] / line / length(labels)))
  shown <- names_within(labels, inches[1] / 4, cex)
  list(labels = shown, cex = cex, lines = 3.5 * cex + words_lines(shown, cex))
}

# style: colour, pch and lty where there are some
draw_side_legend <- function(legend, style, lines = FALSE, title = NULL) {
  known <- function(values) rep_len(values, length(legend$labels))
  arguments <- list(
    graphics::grconvertX(1, "npc", "user"), graphics::grconvertY(1, "npc", "user"), legend$labels,
    col = known(style$colour), pch = if (!is.null(style$pch)) known(style$pch), bty = "n",
    xpd = NA, cex = legend$cex, title = title, title.adj = 0
  )
  if (lines) arguments <- c(arguments, list(lty = known(style$lty), seg.len = 2.5))
  do.call(graphics::legend, arguments)
}

# ---- titles and the caller's parameters ------------------------------------------

plot_title <- function(fit, what) {
  paste0(class(fit)[1], ": ", what)
}

# words in two lines at most that fit the page above the plot, once the margins are set
title_within <- function(text, cex = 1.1) {
  if (!is.character(text) || length(text) != 1L || is.na(text)) {
    return(text)
  }
  centre <- graphics::par("mai")[2] + graphics::par("pin")[1] / 2
  room <- 1.94 * min(centre, graphics::par("fin")[1] - centre)
  for (width in seq(min(300L, nchar(text) + 1L), 12L)) {
    lines <- strwrap(text, width)
    if (words_inches(lines, cex, 2) <= room) break
  }
  if (length(lines) > 2L) lines <- c(lines[1], paste(lines[-1], collapse = " "))
  while (words_inches(lines, cex, 2) > room && width > 8L) {
    width <- width - 1L
    lines <- short_labels(lines, width)
  }
  paste(lines, collapse = "\n")
}

# the caller's graphics arguments win over ours
plot_arguments <- function(draw, ours, ...) {
  do.call(draw, with_graphical(ours, ...))
}

plot_with_y_label <- function(draw, ours, values, ...) {
  arguments <- with_graphical(ours, ...)
  label <- arguments$ylab
  arguments$ylab <- ""
  do.call(draw, arguments)
  graphics::title(ylab = label, line = 1.2 + number_width(values))
}

# parameters have names; what is drawn, and how many features, is not among them
check_graphical <- function(...) {
  given <- or_default(names(list(...)), rep("", ...length()))
  wrong <- which(!nzchar(given) | given %in% c("x", "y", "z", "height", "k"))
  if (length(wrong) > 0) {
    name <- given[wrong[1]]
    stop_rowsparse("argument", if (nzchar(name)) name else "...",
      "is not an argument of this plot; graphical parameters are given by name"
    )
  }
}

# graphical parameters of the user over ours
with_graphical <- function(ours, ...) {
  check_graphical(...)
  utils::modifyList(ours, list(...))
}
