# The diagram of critical differences (Demsar, 2006): average ranks of methods on an axis, and
# bars under those that do not differ. `ranks`: named, best first; `difference`: the critical one.
draw_critical_difference <- function(ranks, difference, main = NULL) {
  ranks <- sort(ranks)
  count <- length(ranks)
  last <- vapply(ranks, function(rank) max(which(ranks <= rank + difference)), 0L)
  first <- seq_len(count)
  # a bar inside another one, or under one method, says nothing
  bars <- which(last > first & !duplicated(last))
  left <- first <= ceiling(count / 2)
  level <- -0.5 * length(bars) - ifelse(left, first, count - first + 1)
  end <- ifelse(left, 1, count)
  old <- graphics::par(mar = c(1, 1, 3, 1))
  on.exit(graphics::par(old))
  graphics::plot.new()
  margin <- 0.45 * max(count - 1, difference)
  graphics::plot.window(c(1 - margin, max(count, 1 + difference) + margin), c(min(level) - 0.5, 2))
  graphics::title(main)
  graphics::segments(1, 0, count, 0)
  graphics::segments(first, 0, first, 0.2)
  graphics::text(first, 0.25, first, adj = c(0.5, 0))
  graphics::segments(1, 1.2, 1 + difference, 1.2)
  graphics::text(1 + difference / 2, 1.45, sprintf("CD = %.2f", difference), adj = c(0.5, 0))
  graphics::segments(ranks[bars], -0.5 * seq_along(bars), ranks[last[bars]],
    -0.5 * seq_along(bars), lwd = 5, lend = "butt"
  )
  graphics::segments(ranks, 0, ranks, level)
  graphics::segments(ranks, level, end, level)
  graphics::text(end, level, sprintf("%s (%.2f)", names(ranks), ranks),
    pos = ifelse(left, 2, 4), xpd = NA
  )
}
