# Pictures of alternatives(): prices as intervals, and a map of single exchanges.

#' @rdname print.feature_alternatives
#' @export
plot.feature_alternatives <- function(x, type = c("prices", "exchanges"), n = NULL, ...) {
  check_alternatives(x)
  draw_picture(x, alternatives_picture(x, type, n), ...)
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
  if (type == "prices") prices_picture(x, n, type) else exchanges_picture(x, n)
}

# `data` of plot(fit, type = "alternatives"): what alternatives() gave, or the data of the fit
fit_alternatives_picture <- function(fit, data, n) {
  if (is.null(data)) {
    stop_rowsparse("type", "data",
      "must be given for \"alternatives\": the data of the fit, or a result of alternatives()"
    )
  }
  if (inherits(data, "feature_alternatives")) {
    check_alternatives(data, "data")
    check_alternatives_of(fit, data)
  } else {
    data <- alternatives_as_data(data, fit)
  }
  prices_picture(data, n, "alternatives")
}

# the argument that errors are about is called `data` in a plot
alternatives_as_data <- function(data, fit) {
  tryCatch(alternatives(data, fit), rowsparse_error = function(e) {
    if (!e$argument %in% c("x", "selected")) stop(e)
    stop_rowsparse(sub("rowsparse_error_", "", class(e)[1]), "data",
      "must be the data of the fit, or a result of alternatives()",
      way_out = sub("[.]$", "", conditionMessage(e)), parent = e
    )
  })
}

check_alternatives_of <- function(fit, found) {
  own <- unit_view(fit)
  set <- or_default(own[["selected"]], utils::head(own$ranking, found$k))
  given <- found$features$index[found$features$selected]
  if (own$d != found$d || !setequal(set, given)) {
    stop_rowsparse("size", "data", "must be alternatives to the set of this fit",
      sprintf("those to a set of %d of %s", found$k, count_of(found$d, found$unit))
    )
  }
}

# selected features on top, dearest first, the cheapest others below
prices_picture <- function(x, n, type) {
  known <- x$features[is.finite(x$features$price_most), ]
  own <- sum(known$selected)
  if (is.null(n)) n <- own + max(own, 15L)
  known <- utils::head(known, n)
  if (nrow(known) == 0L) {
    stop_rowsparse("choice", "type", sprintf("\"%s\" needs prices, and %s", type,
      if (is.na(x$value)) {
        sprintf("%s() gives sets no value: see $witness for what enters", x$method)
      } else {
        "no feature may leave or enter"
      }
    ))
  }
  shares <- c(known$price_least, known$price_most, x$tolerance)
  floor <- min(shares[shares > 0], 1) / 3
  proved <- known$proved
  list(
    kind = "intervals", table = data.frame(
      feature = as.character(known$feature), lower = pmax(known$price_least, floor),
      upper = pmax(known$price_most, floor), role = droplevels(known$role), proved = proved,
      chosen = known$selected, from_zero = known$price_least < floor
    ),
    line = x$tolerance[x$tolerance > 0], log = "x",
    xlab = "price, share of the value", title = paste0(x$method, ": prices of features")
  )
}

exchanges_picture <- function(x, n) {
  cost <- x$exchanges
  if (is.null(cost)) {
    stop_rowsparse("choice", "type",
      "\"exchanges\" needs the costs of single exchanges, which are not known here"
    )
  }
  cost <- cost[, seq_len(min(ncol(cost), or_default(n, 15L))), drop = FALSE]
  # shares below a ten-thousandth of the largest are all alike
  largest <- max(cost, .Machine$double.xmin, na.rm = TRUE)
  value <- log10(pmax(unname(cost), 1e-4 * largest))
  limits <- range(value, log10(largest) - 0.1, na.rm = TRUE)
  list(
    kind = "map", value = value, rows = rownames(cost), columns = colnames(cost),
    limits = limits, colours = rev(sequential_colours()),
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
  limits <- range(table$lower, table$upper, p$line)
  at <- draw_feature_rows(p, table$upper, limits, list(log = p$log), ...)
  for (line in p$line) draw_mark(line)
  between <- sum(table$chosen)
  if (between > 0 && between < nrow(table)) {
    graphics::abline(h = nrow(table) - between + 0.5, lty = 3, col = plot_colours[["grey"]])
  }
  colour <- role_colours[as.character(table$role)]
  graphics::segments(table$lower, at, table$upper, at, col = colour, lwd = 2)
  filled <- ifelse(table$proved, colour, "white")
  graphics::points(table$upper, at, pch = 21, col = colour, bg = filled)
  # intervals from 0 have no left end on a logarithmic axis
  ended <- !table$from_zero | table$upper == table$lower
  graphics::points(table$lower[ended], at[ended], pch = 21, col = colour[ended], bg = filled[ended])
  shown <- levels(table$role)
  draw_top_legend(shown, role_colours[shown])
}

gg_intervals <- function(p) {
  table <- p$table
  table$row <- row_factor(seq_len(nrow(table)), nrow(table))
  table$known <- ifelse(table$proved, as.character(table$role), "open")
  ends <- rbind(
    data.frame(table, value = table$lower)[!table$from_zero, ],
    data.frame(table, value = table$upper)
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
