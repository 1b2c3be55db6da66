draws <- function(expr) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  old <- graphics::par(no.readonly = TRUE)
  testthat::expect_false(withVisible(expr)$visible)
  # margins are put back
  testthat::expect_identical(graphics::par("mar"), old$mar)
}

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
  }
})

test_that("every plot of a path and of a tuning draws", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  by_penalty <- rowsparse_path(x, "bsufs", m = 2, nlambda = 6)
  by_size <- rowsparse_path(x, "dscofs", m = 2, k = 2:6)
  for (type in c("scores", "nonzero", "variance")) {
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
  path <- rowsparse_path(x, "bsufs", m = 2, nlambda = 6)
  sizes <- rowsparse_path(x, "css", k = 2:6)
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
  for (type in c("scores", "nonzero", "variance")) {
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
