# Pictures of cross-validations, in base graphics and ggplot2.

#' @rdname predict.cv_rowsparse
#' @export
plot.cv_rowsparse <- function(x, ...) {
  check_cv(x)
  check_graphical(...)
  check_drawable(x)
  curve <- cv_curve(x)
  limits <- range(curve$lower, curve$upper)
  margins <- set_margins(c(4.5, 2.4 + number_width(limits), if (curve$log) 5.4 else 3.8, 1))
  on.exit(graphics::par(margins))
  plot_with_y_label(graphics::plot.default, list(
    x = curve$x, y = curve$error, log = if (curve$log) "x" else "", type = "n", bty = "l", las = 1,
    xlim = if (curve$log) rev(range(curve$x)) else range(curve$x), xlab = curve$xlab,
    ylab = x$measure, ylim = limits, main = ""
  ), limits, ...)
  graphics::title(main = cv_title(x), line = if (curve$log) 3.6 else 1.8)
  graphics::mtext(cv_subtitle(x), 3, if (curve$log) 2.5 else 0.6, cex = 0.8)
  draw_feature_axis(curve)
  graphics::abline(h = curve$threshold, lty = 3, col = plot_colours[["grey"]])
  graphics::abline(v = curve$x[curve$at[2]], lty = 3, lwd = 1.5, col = plot_colours[["dark"]])
  graphics::abline(v = curve$x[curve$at[1]], lty = 2, lwd = 1.5, col = plot_colours[["orange"]])
  graphics::segments(curve$x, curve$lower, curve$x, curve$upper, col = plot_colours[["grey"]])
  graphics::lines(curve$x, curve$error, type = "o", pch = 19, cex = 0.6,
    col = plot_colours[["blue"]]
  )
  invisible(x)
}

# mean numbers of features above the points of a path over a penalty
draw_feature_axis <- function(curve) {
  if (curve$log) {
    graphics::axis(3, curve$x[curve$named], curve$count[curve$named], tick = FALSE, line = -0.8,
      cex.axis = 0.8
    )
    graphics::mtext("features", 3, 1.4, cex = 0.8)
  }
}

cv_title <- function(cv) sprintf("%s: cross-validated error", cv$method)

# which line stands for which rule
cv_subtitle <- function(cv) {
  value <- function(rule) format(cv[[paste0(cv$over, "_", rule)]], digits = 3)
  sprintf("%s = %s by \"%s\" (dashed), %s by \"%s\" (dotted)", cv$over, value(cv$rule), cv$rule,
    value(setdiff(cv_rules_known, cv$rule)), setdiff(cv_rules_known, cv$rule)
  )
}

# what is drawn; `at`: the point chosen and that of the other rule
cv_curve <- function(cv) {
  table <- cv$table
  error <- cv_error(cv)
  log <- cv$over == "lambda"
  x <- table[[1]]
  if (log) x[x <= 0] <- min(x[x > 0], 1) / 2
  rules <- c(cv$rule, setdiff(cv_rules_known, cv$rule))
  at <- vapply(rules, function(rule) match(cv[[paste0(cv$over, "_", rule)]], table[[1]]), 0L)
  lowest <- match(cv[[paste0(cv$over, "_min")]], table[[1]])
  list(
    x = x, log = log, xlab = if (log) "lambda" else "number of features", at = unname(at),
    rules = rules, error = error$error, lower = error$error - error$se,
    upper = error$error + error$se, threshold = error$error[lowest] + error$se[lowest],
    count = format(round(table$features, if (max(table$features) < 10) 1 else 0), trim = TRUE),
    named = unique(round(seq(1, length(x), length.out = min(7, length(x)))))
  )
}

check_drawable <- function(cv, argument = "x") {
  if (!all(is.finite(unlist(cv_error(cv))))) {
    stop_rowsparse("range", argument, "must have finite errors to be drawn", "infinite ones",
      "Divide `y` by a power of ten"
    )
  }
}

#' @rdname autoplot.rowsparse
#' @exportS3Method ggplot2::autoplot
autoplot.cv_rowsparse <- function(object, ...) {
  check_no_more("autoplot", NULL, ...)
  check_cv(object, "object")
  check_drawable(object, "object")
  curve <- cv_curve(object)
  if (curve$log) curve[c("penalty", "x")] <- list(curve$x, -log10(curve$x))
  table <- as.data.frame(curve[c("x", "error", "lower", "upper")])
  picture <- gg_base(table, x = "x", y = "error", title = cv_title(object)) +
    ggplot2::geom_hline(yintercept = curve$threshold, linetype = "dotted",
      colour = plot_colours[["grey"]]
    ) +
    ggplot2::geom_vline(xintercept = curve$x[curve$at[2]], linetype = "dotted",
      colour = plot_colours[["dark"]]
    ) +
    ggplot2::geom_vline(xintercept = curve$x[curve$at[1]], linetype = "dashed",
      colour = plot_colours[["orange"]]
    ) +
    ggplot2::geom_linerange(gg_aes(ymin = "lower", ymax = "upper"),
      colour = plot_colours[["grey"]]
    ) +
    ggplot2::geom_line(colour = plot_colours[["blue"]]) +
    ggplot2::geom_point(colour = plot_colours[["blue"]]) +
    ggplot2::labs(x = curve$xlab, y = object$measure, subtitle = cv_subtitle(object))
  picture + if (curve$log) {
    gg_feature_axis(curve)
  } else {
    ggplot2::scale_x_continuous(breaks = whole_ticks)
  }
}

# penalties descend to the right, as -log10, and the mean numbers of features stand above
gg_feature_axis <- function(curve) {
  ticks <- grDevices::axisTicks(log10(range(curve$penalty)), log = TRUE, nint = 6)
  ggplot2::scale_x_continuous(breaks = -log10(ticks), labels = signif(ticks, 3),
    sec.axis = ggplot2::dup_axis(
      name = "features", breaks = curve$x[curve$named], labels = curve$count[curve$named]
    )
  )
}
