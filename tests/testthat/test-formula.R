same_fit <- function(a, b) {
  parts <- c("ranking", "scores", "selected", "objective", "feature_names", "explained", "n", "d")
  expect_equal(unclass(a)[parts], unclass(b)[parts], tolerance = 1e-12)
}

core_ends_here()

test_that("a formula is the call with its columns", {
  same_fit(rowsparse(Species ~ ., data = iris, k = 2), rowsparse(iris[1:4], iris$Species, k = 2))
  same_fit(rowsparse(~., data = iris[1:4], k = 2), rowsparse(iris[1:4], k = 2))
  same_fit(
    rowsparse(mpg ~ . - gear - (vs + am), data = mtcars, k = 3, method = "cdlsr"),
    rowsparse(mtcars[setdiff(names(mtcars), c("mpg", "gear", "vs", "am"))], mtcars$mpg, 3, "cdlsr")
  )
  same_fit(
    rowsparse(~ hp + (wt + qsec) + disp - wt, data = mtcars, k = 2, method = "css", m = 1),
    rowsparse(mtcars[c("hp", "qsec", "disp")], k = 2, method = "css", m = 1)
  )
  same_fit(
    rowsparse(~ . - Species, data = iris, k = 2, method = "variance"),
    rowsparse(iris[1:4], k = 2, method = "variance")
  )
  fit <- rowsparse(Species ~ ., iris, k = 2) # where lm() has its data
  expect_identical(fit$selected, rowsparse(Species ~ ., data = iris, k = 2)$selected)
})

test_that("the left side is computed in the data, and then where the formula was written", {
  x <- mtcars[c("wt", "hp", "qsec")]
  same_fit(
    rowsparse(log(mpg) ~ wt + hp + qsec, data = mtcars, k = 2, method = "cdlsr"),
    rowsparse(x, log(mtcars$mpg), 2, "cdlsr")
  )
  same_fit(
    rowsparse(cbind(mpg, disp) ~ wt + hp + qsec, data = mtcars, k = 2, method = "cdlsr"),
    rowsparse(x, cbind(mtcars$mpg, mtcars$disp), 2, "cdlsr")
  )
  same_fit(
    rowsparse(factor(cyl) ~ ., data = mtcars, k = 2, method = "ftest"),
    rowsparse(mtcars[-2], factor(mtcars$cyl), 2, "ftest")
  )
  outside <- mtcars$mpg
  same_fit(rowsparse(outside ~ ., data = x, k = 2), rowsparse(x, outside, k = 2))
})

test_that("names that are no syntax, long sums and tibbles' relatives work", {
  x <- stats::setNames(iris[1:3], c("a b", "if", "Width"))
  fit <- rowsparse(Width ~ `a b` + `if`, data = x, k = 1, method = "cdlsr")
  expect_identical(fit$feature_names, c("a b", "if"))
  wide <- as.data.frame(sample_matrix(20, 600))
  sum <- stats::reformulate(names(wide)[600:2])
  fit <- rowsparse(sum, data = wide, k = 3, method = "variance")
  expect_identical(fit$feature_names, names(wide)[600:2])
  expect_identical(fit$d, 599L)
})

test_that("predictions and calls are those of any fit", {
  fit <- rowsparse(mpg ~ ., data = mtcars, k = 3, method = "cdlsr")
  expect_identical(names(predict(fit, mtcars, type = "features")), selected(fit))
  expect_identical(fit$call$data, quote(mtcars))
  locked <- rowsparse(mpg ~ ., data = mtcars, k = 3, method = "cdlsr", include = "cyl",
    exclude = "wt"
  )
  expect_true("cyl" %in% selected(locked) && !"wt" %in% selected(locked))
})

test_that("formulas that name nothing, too much or nothing known are refused", {
  expect_refused(rowsparse(mpg ~ nothing, data = mtcars), "names", "\"nothing\" is none")
  expect_refused(rowsparse(nothing ~ ., data = mtcars), "names", "left side")
  expect_refused(rowsparse(mpg ~ mpg + wt, data = mtcars), "names", "the response")
  expect_refused(rowsparse(mpg ~ wt - wt, data = mtcars), "size", "must name a feature")
  expect_refused(rowsparse(mpg ~ . - 1, data = mtcars), "type", "always centred")
  expect_refused(rowsparse(mpg ~ 1, data = mtcars), "type", "always centred")
  expect_refused(rowsparse(mpg ~ wt:hp + 0, data = mtcars), "type", "always centred")
  expect_refused(rowsparse(mpg ~ -wt, data = mtcars), "size", "must name a feature")
  expect_refused(rowsparse(mpg ~ "wt", data = mtcars), "type", "functions and interactions")
  expect_refused(rowsparse(mpg ~ wt), "missing", "`data` must be given")
  expect_refused(rowsparse(mpg ~ wt, data = as.matrix(mtcars)), "type", "must be a data frame")
  expect_refused(rowsparse(mpg ~ wt, mtcars$mpg, data = mtcars), "argument", "must be left out")
  expect_refused(rowsparse(mtcars, data = mtcars), "argument", "belongs to a formula")
  expect_refused(rowsparse(~., data = mtcars, k = 2, method = "cdlsr"), "type", "must be given")
})
