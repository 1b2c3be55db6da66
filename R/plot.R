#' Plot a fit
#'
#' `"scores"`: the largest scores in rank order, the best features named;
#' `"objective"`: the objective at each outer iteration; `"loadings"`: the
#' nonzero rows of the loadings as a heat map, best feature on top.
#'
#' @param x A fit.
#' @param type Which plot.
#' @param n Number of features shown.
#' @param labels Number of features named in `"scores"`.
#' @param ... Passed on to the base graphics function.
#' @return `x`, invisibly.
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 2)
#' plot(fit)
#' plot(fit, type = "loadings")
#' @export
plot.rowsparse <- function(x, type = c("scores", "objective", "loadings"), n = 50, labels = 10,
                           ...) {
  type <- check_choice(type, "type", c("scores", "objective", "loadings"))
  switch(type,
    scores = plot_scores(x, n, labels, ...),
    objective = plot_objective(x, ...),
    loadings = plot_loadings(x, n, ...)
  )
  invisible(x)
}

# colours that differ in hue for colour-blind readers and in lightness in print
plot_colours <- c(blue = "#0072B2", orange = "#E69F00", grey = "#999999", dark = "#333333")

plot_scores <- function(fit, n, labels, ...) {
  shown <- utils::head(fit$ranking, n)
  scores <- unname(fit$scores[shown])
  colour <- plot_colours[["blue"]]
  plot_arguments(graphics::plot.default, list(
    x = seq_along(shown), y = scores, type = "h", lwd = 2, col = colour, bty = "l",
    xlab = "rank", ylab = "score", main = paste0(class(fit)[1], ": scores"), las = 1,
    xlim = c(1, length(shown) + 0.5), ylim = c(0, max(scores) * 1.25)
  ), ...)
  graphics::points(seq_along(shown), scores, pch = 19, cex = 0.6, col = colour)
  named <- seq_len(min(labels, length(shown)))
  graphics::text(named, scores[named], feature_labels(fit, shown[named]),
    srt = 90, adj = c(-0.15, 0.5), cex = 0.75, col = plot_colours[["dark"]], xpd = NA
  )
}

plot_objective <- function(fit, ...) {
  plot_arguments(graphics::plot.default, list(
    x = seq_along(fit$objective) - 1, y = fit$objective, type = "o", pch = 19, cex = 0.5,
    col = plot_colours[["blue"]], bty = "l", las = 1, xlab = "outer iteration",
    ylab = "objective", main = paste0(class(fit)[1], ": objective")
  ), ...)
}

plot_loadings <- function(fit, n, ...) {
  if (is.null(fit$loadings)) {
    stop_rowsparse("choice", "type", sprintf("\"loadings\": %s has none", class(fit)[1]))
  }
  nonzero <- fit$ranking[row_norms(fit$loadings[fit$ranking, , drop = FALSE]) > 0]
  shown <- rev(utils::head(nonzero, n))
  values <- fit$loadings[shown, , drop = FALSE]
  limit <- max(abs(values), .Machine$double.xmin)
  margins <- graphics::par(mar = c(4, label_width(fit, shown), 3, 1))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::image.default, list(
    x = seq_len(ncol(values)), y = seq_len(nrow(values)), z = t(values),
    zlim = c(-limit, limit), col = grDevices::hcl.colors(51, "Blue-Red 3"), axes = FALSE,
    xlab = "component", ylab = "", main = paste0(class(fit)[1], ": loadings")
  ), ...)
  graphics::axis(1, seq_len(ncol(values)), tick = FALSE)
  graphics::axis(2, seq_len(nrow(values)), feature_labels(fit, shown),
    las = 1, tick = FALSE, cex.axis = max(0.4, min(0.8, 25 / nrow(values)))
  )
}

# left margin, in lines, for the longest label
label_width <- function(fit, shown) {
  2 + 0.45 * min(24, max(nchar(feature_labels(fit, shown))))
}

# the caller's graphics arguments win over ours
plot_arguments <- function(draw, ours, ...) {
  do.call(draw, utils::modifyList(ours, list(...)))
}
