example_fit <- function(...) {
  set.seed(61)
  bsufs(sample_matrix(30, 12), 2, ...)
}

test_that("a fit has the elements that all methods share", {
  fit <- example_fit()
  expect_s3_class(fit, c("bsufs", "rowsparse"), exact = TRUE)
  expect_setequal(fit$ranking, 1:12)
  expect_type(fit$ranking, "integer")
  expect_identical(names(fit$scores), paste0("g", 1:12))
  expect_identical(rownames(fit$loadings), paste0("g", 1:12))
  expect_false(is.unsorted(-fit$scores[fit$ranking]))
  expect_identical(fit$n, 30L)
  expect_identical(fit$d, 12L)
  expect_true(is.call(fit$call))
  expect_gte(fit$elapsed, 0)
})

test_that("print, summary, coef and as.data.frame tell the same story", {
  fit <- example_fit()
  best <- paste0("g", fit$ranking[1])
  expect_output(print(fit), best)
  expect_identical(withVisible(print(fit))$visible, FALSE) |> capture.output()
  expect_output(print(summary(fit)), best)
  expect_identical(coef(fit), fit$loadings)
  table <- as.data.frame(fit)
  expect_identical(names(table), c("feature", "index", "rank", "score", "selected"))
  expect_identical(table$index, fit$ranking)
  expect_identical(table$feature, paste0("g", fit$ranking))
  expect_identical(table$score, unname(fit$scores[fit$ranking]))
})

test_that("selected gives names or indices and warns when scores run out", {
  fit <- example_fit()
  expect_identical(selected(fit, 3), paste0("g", fit$ranking[1:3]))
  set.seed(61)
  expect_identical(selected(bsufs(unname(sample_matrix(30, 12)), 2), 3), fit$ranking[1:3])
  sparse <- example_fit(lambda1 = fit$parameters$lambda1_max, p = 0)
  expect_lt(sum(sparse$scores > 0), 12)
  expect_warning(selected(sparse, 12), class = "rowsparse_warning_fill")
  expect_error(selected(fit), class = "rowsparse_error_range")
  expect_error(selected(fit, 13), class = "rowsparse_error_range")
})

test_that("zero scores are ordered by the row norms of W", {
  fit <- suppressWarnings(example_fit(lambda1 = 1e6))
  expect_true(all(fit$scores == 0))
  expect_identical(fit$ranking, order(-plain_norms(fit$W)))
})

test_that("predict restricts and projects", {
  set.seed(61)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2, scale = TRUE)
  top <- fit$ranking[1:4]
  expect_identical(predict(fit, x, k = 4), x[, top])
  shuffled <- x[, sample(12)]
  expect_identical(predict(fit, shuffled, k = 4), x[, top])
  expect_identical(predict(fit, unname(x), k = 4), unname(x)[, top])
  expect_identical(names(predict(fit, as.data.frame(x), k = 4)), colnames(x)[top])
  expected <- unname(centred(x, TRUE) %*% fit$loadings)
  expect_equal(unname(predict(fit, x, type = "components")), expected)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(unname(predict(fit, sparse, type = "components")), expected)
  few <- centred(x, TRUE)[, top] %*% fit$loadings[top, ]
  expect_equal(unname(predict(fit, x, k = 4, type = "components")), unname(few))
  expect_error(predict(fit, x[, -top[1]], k = 4), class = "rowsparse_error_names")
  expect_error(predict(fit, unname(x[, -1]), k = 4), class = "rowsparse_error_size")
  expect_error(predict(fit, x, type = "response"), class = "rowsparse_error_choice")
})

test_that("every plot draws", {
  fit <- example_fit()
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(unlink(file))
  for (type in c("scores", "objective", "loadings")) {
    expect_identical(withVisible(plot(fit, type = type, main = "title"))$visible, FALSE)
  }
  before <- graphics::par("mar")
  plot(fit, type = "loadings")
  expect_identical(graphics::par("mar"), before)
  grDevices::dev.off()
  expect_gt(file.size(file), 1000)
})

test_that("fits survive a round trip through a file", {
  fit <- example_fit()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_equal(readRDS(file), fit)
})

test_that("components of a data frame are those of its matrix", {
  set.seed(62)
  x <- sample_matrix(20, 6)
  fit <- bsufs(x, 2)
  expect_equal(
    predict(fit, as.data.frame(x), type = "components"), predict(fit, x, type = "components")
  )
})

test_that("verbose tells one line at the end", {
  set.seed(63)
  x <- sample_matrix(20, 6)
  told <- capture_messages(fit <- bsufs(x, 2, control = rowsparse_control(verbose = TRUE)))
  expect_length(told, 1)
  expect_match(told, sprintf("bsufs: 20 samples, 6 features, converged after %d", fit$iterations))
})
