core_ends_here()

test_that("types and priors that make no sense are refused", {
  fit <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  numeric <- rowsparse(iris[, 1:3], iris$Petal.Width, k = 2)
  for (type in c("class", "prob")) {
    expect_refused(predict(numeric, iris, type = type), "choice", "needs a fit to class labels")
    expect_refused(predict(rowsparse(iris[, 1:4], k = 2), iris, type = type), "choice",
      "has no response"
    )
  }
  for (prior in list(c(1, 1), c(1, 1, 0), c(1, NA, 1), "a", c(a = 1, b = 1, c = 1), -1:1)) {
    expect_refused(predict(fit, iris, prior = prior), "range", "for each of the 3 classes")
  }
  expect_refused(predict(fit, iris, type = "features", prior = c(1, 1, 1)), "argument",
    "is for classes"
  )
  expect_refused(predict(numeric, iris, prior = 1), "argument", "is for classes")
  changed <- fit
  changed$training$values <- "a"
  expect_refused(predict(changed, iris), "object", "its element `training`")
})
