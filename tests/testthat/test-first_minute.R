test_that("features of different units are told, once and with the way out", {
  expect_message(fit <- rowsparse(mtcars, k = 3), "scale = TRUE", class = "rowsparse_message_scale")
  expect_message(rowsparse(mtcars, k = 3), "\"disp\"", class = "rowsparse_message_scale")
  expect_message(rowsparse(as.matrix(mtcars), k = 3, method = "css"), "css takes large numbers",
    class = "rowsparse_message_scale"
  )
  expect_message(rowsparse(~., data = mtcars, k = 3), class = "rowsparse_message_scale")
  expect_no_message(rowsparse(mtcars, k = 3, scale = TRUE))
  expect_no_message(rowsparse(mtcars, k = 3, scale = FALSE))
  expect_no_message(rowsparse(mpg ~ ., data = mtcars, k = 3)) # which scales
  expect_no_message(rowsparse(mtcars, k = 11))
  expect_no_message(rowsparse(mtcars, k = 3, method = "kmeans_ufs"))
  expect_no_message(rowsparse(mtcars, k = 3, method = "variance")) # which has no scale
  expect_no_message(rowsparse(iris[1:4], k = 2))
  expect_no_message(css(mtcars, 3))
})

core_ends_here()

test_that("pixels, genes and expression objects are not asked about their units", {
  set.seed(331)
  # an image with an empty border
  light <- outer(stats::dnorm(1:16, 8, 2), stats::dnorm(1:16, 8, 2))
  image <- matrix(stats::runif(40 * 256), 40) * rep(pmax(c(light) / max(light), 0.2), each = 40)
  expect_no_message(rowsparse(image, k = 5, method = "css"))
  genes <- matrix(stats::rnorm(20 * 600), 20) * rep(10^stats::runif(600, 0, 4), each = 20)
  expect_no_message(rowsparse(genes, k = 5, method = "variance"))
  expect_no_message(rowsparse(genes, k = 5, method = "css", m = 3))
  few <- genes[, 1:30]
  expect_message(rowsparse(few, k = 5, method = "css"), class = "rowsparse_message_scale")
  expect_no_message(rowsparse(methods::as(few, "CsparseMatrix"), k = 5, method = "css"))
  expect_no_message(rowsparse(moments(few), k = 5, method = "css"))
  skip_if_not_installed("SummarizedExperiment")
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(few)))
  expect_no_message(rowsparse(object, k = 5, method = "css"))
})

test_that("print() says which, of how many, by what and why, and what comes next", {
  fit <- rowsparse(iris[, 1:4], k = 2)
  shown <- utils::capture.output(print(fit))
  expect_match(shown[1], "^alignment: 2 of 4 features selected: ")
  expect_match(shown, "alignment is the default for data without a response", all = FALSE)
  expect_true("Next: selected(), summary(), plot(), predict()" %in% shown)
  named <- utils::capture.output(print(rowsparse(iris[, 1:4], k = 2, method = "css")))
  expect_no_match(named, "Next|default")
})
