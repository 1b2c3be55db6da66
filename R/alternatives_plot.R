# Pictures of alternatives(): prices as intervals, and a map of single exchanges.

#' @rdname print.feature_alternatives
#' @export
plot.feature_alternatives <- function(x, type = c("prices", "exchanges"), n = NULL, ...) {
  check_alternatives(x)
  check_graphical(...)
  draw_picture(alternatives_picture(x, type, n), ...)
  invisible(x)
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.feature_alternatives <- function(object, type = c("prices", "exchanges"), n = NULL, ...) {
  check_no_more("autoplot", c("type", "n"), ...)
  check_alternatives(object, "object")
  gg_picture(alternatives_picture(object, type, n))
}

alternatives_picture <- function(x, type, n) {
  type <- check_choice(type, "type", c("prices", "exchanges"))
  if (!is.null(n)) n <- check_shown(n)
  if (type == "prices") prices_picture(x, n) else exchanges_picture(x, n)
}

# `data` of plot(fit, type = "alternatives"): what alternatives() gave, or the data of the fit
fit_alternatives_picture <- function(fit, data, n) {
  if (is.null(data)) {
    stop_rowsparse("type", "data",
      "must be given for \"alternatives\": the data of the fit, or a result of alternatives()"
    )
  }
  if (!inherits(data, "feature_alternatives")) data <- alternatives(data, fit)
  check_alternatives(data, "data")
  prices_picture(data, n)
}

# selected features on top, dearest first, the cheapest others below
prices_picture <- function(x, n) {
  known <- x$features[is.finite(x$features$price_most), ]
  own <- sum(known$selected)
  if (is.null(n)) n <- own + max(own, 15L)
  known <- utils::head(known, n)
  if (nrow(known) == 0L) {
    stop_rowsparse("choice", "type", "\"prices\" needs prices, and none is known", x$kind)
  }
  shares <- c(known$price_least, known$price_most, x$tolerance)
  floor <- min(shares[shares > 0], 1) / 3
  proved <- known$proved
  list(
    kind = "intervals", table = data.frame(
      feature = as.character(known$feature), lower = pmax(known$price_least, floor),
      upper = pmax(known$price_most, floor), role = droplevels(known$role), proved = proved,
      chosen = known$selected
    ),
    line = x$tolerance[x$tolerance > 0], log = "x",
    xlab = "price, share of the value", title = paste0(x$method, ": prices of features")
  )
}

exchanges_picture <- function(x, n) {
  cost <- x$exchanges
  if (is.null(cost)) {
    stop_rowsparse("choice", "type",
      "\"exchanges\" needs the costs of exchanges, and none is known", x$kind
    )
  }
  cost <- cost[, seq_len(min(ncol(cost), or_default(n, 15L))), drop = FALSE]
  # shares below a ten-thousandth of the largest are all alike
  largest <- max(cost, .Machine$double.xmin, na.rm = TRUE)
  value <- log10(pmax(unname(cost), 1e-4 * largest))
  list(
    kind = "map", value = value, rows = rownames(cost), columns = colnames(cost),
    limits = log10(largest) + c(-4, 0), colours = rev(sequential_colours()),
    ylab = "leaves", xlab = "enters",
    title = paste0(x$method, ": cost of exchanges (log10 of shares)")
  )
}

# ---- intervals -----------------------------------------------------------------------

role_colours <- c(
  essential = "#D55E00", exchangeable = "#0072B2", undecided = "#999999", excluded = "#333333"
)

draw_intervals <- function(p, ...) {
  page <- start_page()
  on.exit(graphics::par(page))
  table <- p$table
  at <- rev(seq_len(nrow(table)))
  names <- names_at_side(rev(table$feature))
  set_margins(c(4.5, names$lines, 4.5, 1))
  main <- or_default(list(...)$main, p$title)
  arguments <- with_graphical(list(
    x = table$upper, y = at, type = "n", log = p$log, yaxt = "n", bty = "l", ylab = "",
    xlab = p$xlab, xlim = range(table$lower, table$upper, p$line)
  ), ...)
  arguments$main <- ""
  do.call(graphics::plot.default, arguments)
  for (line in p$line) draw_mark(line)
  between <- sum(table$chosen)
  if (between > 0 && between < nrow(table)) {
    graphics::abline(h = nrow(table) - between + 0.5, lty = 3, col = plot_colours[["grey"]])
  }
  colour <- role_colours[as.character(table$role)]
  graphics::segments(table$lower, at, table$upper, at, col = colour, lwd = 2)
  filled <- ifelse(table$proved, colour, "white")
  graphics::points(table$upper, at, pch = 21, col = colour, bg = filled)
  graphics::points(table$lower, at, pch = 21, col = colour, bg = filled)
  label_axis(2, names$labels)
  draw_title(main, ..., line = 2.7)
  shown <- levels(table$role)
  draw_top_legend(shown, role_colours[shown])
}

gg_intervals <- function(p) {
  table <- p$table
  table$row <- row_factor(seq_len(nrow(table)), nrow(table))
  table$known <- ifelse(table$proved, as.character(table$role), "open")
  ends <- rbind(
    data.frame(table, value = table$lower), data.frame(table, value = table$upper)
  )
  between <- sum(table$chosen)
  gg_base(table, x = "lower", y = "row", colour = "role", title = p$title, xlab = p$xlab) +
    (if (length(p$line) > 0) {
      ggplot2::geom_vline(xintercept = p$line, linetype = "dashed",
        colour = plot_colours[["orange"]]
      )
    }) +
    (if (between > 0 && between < nrow(table)) {
      ggplot2::geom_hline(yintercept = nrow(table) - between + 0.5, linetype = "dotted",
        colour = plot_colours[["grey"]]
      )
    }) +
    ggplot2::geom_segment(gg_aes(xend = "upper", yend = "row"), linewidth = 0.9) +
    ggplot2::geom_point(gg_aes(x = "value", fill = "known"), data = ends, shape = 21, size = 2,
      show.legend = FALSE
    ) +
    ggplot2::scale_colour_manual(NULL, values = role_colours) +
    ggplot2::scale_fill_manual(values = c(role_colours, open = "white")) +
    ggplot2::scale_x_log10() +
    gg_rows(table$feature) +
    ggplot2::theme(legend.position = "top")
}
