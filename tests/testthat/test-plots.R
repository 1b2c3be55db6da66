# What base graphics drew: the arguments of every call of a kind, for example
# "C_plotXY", in order. The result must be invisible and the margins as before.
draws <- function(expr) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  old <- graphics::par("mar")
  testthat::expect_false(withVisible(expr)$visible)
  testthat::expect_identical(graphics::par("mar"), old)
  calls <- lapply(grDevices::recordPlot()[[1]], `[[`, 2)
  kinds <- vapply(calls, function(call) {
    if (is.list(call[[1]]) && !is.null(call[[1]]$name)) call[[1]]$name else ""
  }, "")
  structure(lapply(calls, function(call) call[-1]), names = kinds)
}

# the points of the first call that draws some, and all that is written
points_of <- function(drawn, at = 1) drawn[names(drawn) == "C_plotXY"][[at]][[1]]
texts_of <- function(drawn) {
  unlist(lapply(drawn[names(drawn) == "C_text"], `[[`, 2), use.names = FALSE)
}
titles_of <- function(drawn) {
  unlist(lapply(drawn[names(drawn) == "C_title"], function(call) unlist(call[1:4])))
}
axis_labels <- function(drawn) {
  lapply(drawn[names(drawn) == "C_axis"], `[[`, 3)
}

test_that("the scores are drawn at their ranks, those above zero named", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2, lambda1 = 0.7 * bsufs(x, 2)$parameters$lambda1_max)
  scored <- sum(fit$scores > 0)
  expect_lt(scored, 10)
  drawn <- draws(plot(fit))
  expect_equal(points_of(drawn)$x, 1:12)
  expect_equal(points_of(drawn)$y, unname(fit$scores[fit$ranking]))
  expect_identical(texts_of(drawn), colnames(x)[fit$ranking[seq_len(scored)]])
  expect_true(all(c("bsufs: scores", "rank", "score") %in% titles_of(drawn)))
  none <- suppressWarnings(bsufs(x, 2, lambda1 = 1e6))
  expect_length(texts_of(draws(plot(none))), 0)
  expect_length(texts_of(draws(plot(fit, labels = 0))), 0)
  few <- draws(plot(fit, n = 4, labels = 2, main = "A title", ylab = "norm"))
  expect_equal(points_of(few)$y, unname(fit$scores[fit$ranking[1:4]]))
  expect_length(texts_of(few), 2)
  expect_true(all(c("A title", "norm") %in% titles_of(few)))
  # no room above the largest score is lost, none is cut
  limits <- drawn[["C_plot_window"]][[2]]
  expect_identical(limits[1], 0)
  expect_gt(limits[2], max(fit$scores))
})

test_that("the objective and the loadings are those of the fit", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2)
  drawn <- draws(plot(fit, "objective"))
  expect_equal(points_of(drawn)$x, seq_along(fit$objective) - 1)
  expect_equal(points_of(drawn)$y, fit$objective)
  drawn <- draws(plot(fit, "loadings"))
  shown <- rev(fit$ranking[plain_norms(fit$loadings[fit$ranking, ]) > 0])
  expect_equal(drawn[["C_image"]][[2]], seq(0.5, length(shown) + 0.5))
  labels <- axis_labels(drawn)
  expect_identical(labels[[2]], colnames(x)[shown])
  # a supervised fit has classes for columns
  y <- factor(x[, 1] > 0, labels = c("low", "high"))
  drawn <- draws(plot(cdlsr(x, y, 3), "loadings"))
  expect_identical(axis_labels(drawn)[[1]], c("low", "high"))
  expect_true("class" %in% titles_of(drawn))
})

test_that("marks lie on the selected pixels", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  drawn <- draws(plot(fit, type = "image", dim = c(3, 4), background = colMeans(x)))
  marks <- drawn[names(drawn) == "C_rect"][[1]]
  expect_equal((marks[[1]] + marks[[3]]) / 2, (fit$selected - 1) %/% 3 + 1)
  expect_equal((marks[[2]] + marks[[4]]) / 2, 3 - (fit$selected - 1) %% 3)
})

test_that("paths, tunings and comparisons are drawn from their tables", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  drawn <- draws(plot(path, type = "nonzero"))
  expect_equal(points_of(drawn)[c("x", "y")], list(x = path$grid, y = path$nonzero))
  drawn <- draws(plot(path, type = "explained"))
  expect_equal(points_of(drawn)$y, path$explained)
  # the largest penalty stands at the left
  window <- drawn[["C_plot_window"]][[1]]
  expect_gt(window[1], window[2])
  tuned <- tune_rowsparse(x, method = "css", grid = list(k = 2:6), repeats = 3)
  drawn <- draws(plot(tuned))
  expect_equal(points_of(drawn)$y, tuned$table$reconstruction)
  expect_true(sprintf("css: suggested k = %d", tuned$k) %in% titles_of(drawn))
  drawn <- draws(plot(tuned, "frequency"))
  frequency <- sort(tuned$frequency[, as.character(tuned$k)], decreasing = TRUE)
  expect_equal(points_of(drawn)$x, frequency[frequency > 0], ignore_attr = TRUE)
  test <- friedman_nemenyi(cbind(a = 1:6 + 0, b = 2:7 + 0, c = c(9, 9, 9, 1, 9, 9)))
  drawn <- draws(plot(test, main = "Ranks"))
  expect_true(all(sprintf("%s (%.2f)", names(test$ranks), test$ranks) %in% texts_of(drawn)))
  expect_true(sprintf("CD = %.2f", test$critical_difference) %in% texts_of(drawn))
  expect_true("Ranks" %in% titles_of(drawn))
})

test_that("plots fit a small device, with long names", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  colnames(x) <- paste0("a_rather_long_name_of_a_feature_", 1:12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  path <- rowsparse_path(x, method = "css", k = 1:4)
  tuned <- tune_rowsparse(x, grid = list(k = 2:4), repeats = 2)
  grDevices::pdf(NULL, width = 1.5, height = 1.5)
  on.exit(grDevices::dev.off())
  expect_silent({
    for (type in c("scores", "objective", "loadings")) plot(fit, type)
    plot(fit, "correlation", data = x)
    plot(fit, "image", dim = c(3, 4))
    for (type in c("scores", "nonzero", "explained")) plot(path, type)
    for (type in c("criterion", "stability", "frequency")) plot(tuned, type)
    plot(friedman_nemenyi(cbind(a = 1:4, a_long_name_of_a_method = 4:1, c = 1)))
  })
})

test_that("a path of one size, an empty one and a tuning without a choice are drawn or refused", {
  x <- outer(c(1, 4, 2, 8), 1:5)
  draws(plot(suppressWarnings(rowsparse_path(x, method = "css"))))
  empty <- suppressWarnings(rowsparse_path(x, method = "bsufs", m = 1, lambda = c(1e6, 1e5)))
  expect_refused(plot(empty), "choice", "no feature was selected along the path")
  expect_refused(selected(empty, 1), "range", "no point of the path selects a feature")
  draws(plot(suppressWarnings(rowsparse_path(x, method = "bsufs", m = 1, lambda = 0)), "nonzero"))
  tuned <- suppressWarnings(tune_rowsparse(x[, 1, drop = FALSE], method = "css", repeats = 2))
  expect_refused(plot(tuned, "stability"), "choice", "all features are selected")
})

test_that("every plot of a fit draws and puts the margins back", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  for (type in c("scores", "objective", "loadings")) draws(plot(fit, type = type))
  draws(plot(fit, type = "scores", ylab = "norm", main = "title"))
  draws(plot(fit, type = "image", dim = c(3, 4), background = colMeans(x)))
  draws(plot(fit, type = "image", dim = c(4, 3)))
  draws(plot(fit, type = "correlation", data = x))
  draws(plot(fit, type = "correlation", data = moments(x), n = 3))
  draws(plot(css(unname(x), 4)))
})

test_that("the correlations are those of the data", {
  set.seed(112)
  x <- sample_matrix(30, 8)
  fit <- rowsparse(x, k = 4)
  expected <- stats::cor(x[, fit$selected])
  for (data in list(x, methods::as(x, "CsparseMatrix"), moments(x))) {
    found <- rowsparse:::correlation_of_features(fit, fit$selected, data)
    expect_equal(found, expected, ignore_attr = TRUE)
    expect_lte(max(abs(found)), 1)
  }
})

test_that("every plot of a path and of a tuning draws", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  by_penalty <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  by_size <- rowsparse_path(x, method = "dscofs", m = 2, k = 2:6)
  for (type in c("scores", "nonzero", "explained")) {
    draws(plot(by_penalty, type = type))
    draws(plot(by_size, type = type))
  }
  tuned <- tune_rowsparse(x, method = "bsufs", grid = list(m = 1:2, k = 2:4), repeats = 3)
  for (type in c("criterion", "stability", "frequency")) draws(plot(tuned, type = type))
})

test_that("ggplot2 draws the same pictures when it is there", {
  skip_if_not_installed("ggplot2")
  set.seed(114)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  sizes <- rowsparse_path(x, method = "css", k = 2:6)
  tuned <- tune_rowsparse(x, method = "bsufs", grid = list(m = 1:2, k = 2:4), repeats = 3)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  builds <- function(picture) {
    expect_s3_class(picture, "ggplot")
    expect_silent(built <- ggplot2::ggplot_build(picture))
    invisible(built$data)
  }
  drawn <- builds(ggplot2::autoplot(fit))
  expect_equal(drawn[[1]]$y, unname(fit$scores[fit$ranking]))
  builds(ggplot2::autoplot(fit, "objective"))
  expect_identical(nrow(builds(ggplot2::autoplot(fit, "loadings"))[[1]]),
                   2L * sum(plain_norms(fit$loadings) > 0))
  expect_identical(nrow(builds(ggplot2::autoplot(fit, "correlation", data = x))[[1]]), 25L)
  marks <- builds(ggplot2::autoplot(fit, "image", dim = c(3, 4)))[[2]]
  expect_identical(marks$x, (fit$selected - 1) %/% 3 + 1)
  expect_identical(marks$y, 3 - (fit$selected - 1) %% 3)
  for (type in c("scores", "nonzero", "explained")) {
    builds(ggplot2::autoplot(path, type))
    builds(ggplot2::autoplot(sizes, type))
  }
  for (type in c("criterion", "stability", "frequency")) builds(ggplot2::autoplot(tuned, type))
  expect_error(ggplot2::autoplot(fit, "image"), class = "rowsparse_error_size")
})

test_that("ggplot2 draws evaluations", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("clue")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(115)
  shape <- simulate_shapes("banana", n = 60)
  result <- compare_methods(shape$x, shape$y, list(truth = shape$informative), k = 1:2,
                            repeats = 2, random = 2, data = "a")
  both <- rbind(result, transform(result, data = "b"))
  for (metric in c("acc", "nmi")) {
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(result, metric)))
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(both, metric)))
  }
})

test_that("bars of half the critical difference overlap just where ranks do not differ", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(116)
  scores <- sapply(c(worst = 0, poor = 0.5, good = 2, best = 4), function(level) {
    level + stats::rnorm(12)
  })
  result <- friedman_nemenyi(scores)
  expect_silent(built <- ggplot2::ggplot_build(ggplot2::autoplot(result))$data)
  bars <- built[[1]][order(built[[1]]$y, decreasing = TRUE), ]
  expect_equal(built[[2]]$x[order(built[[2]]$y, decreasing = TRUE)], unname(result$ranks))
  touch <- outer(bars$xend, bars$x, ">=") & outer(bars$x, bars$xend, "<=")
  near <- abs(outer(result$ranks, result$ranks, "-")) <= result$critical_difference
  expect_identical(touch, unname(near))
  expect_false(all(near))
})
