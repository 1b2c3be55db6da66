same_fit <- function(a, b) {
  parts <- c("ranking", "scores", "selected", "objective", "feature_names", "explained", "n", "d")
  expect_equal(unclass(a)[parts], unclass(b)[parts], tolerance = 1e-12)
}

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

test_that("what is no number is refused with the line that codes it", {
  expect_refused(rowsparse(Sepal.Width ~ ., data = iris, k = 2), "type",
    "rowsparse(model.matrix(Sepal.Width ~ . - 1, iris), iris$Sepal.Width)"
  )
  line <- rowsparse(model.matrix(Sepal.Width ~ . - 1, iris), iris$Sepal.Width)
  expect_identical(line$d, 6L)
  expect_refused(rowsparse(mpg ~ wt * hp, data = mtcars), "type",
    "rowsparse(model.matrix(mpg ~ wt * hp - 1, mtcars), mtcars$mpg)"
  )
  expect_refused(rowsparse(log(mpg) ~ wt + log(hp), data = mtcars), "type",
    "rowsparse(model.matrix(log(mpg) ~ wt + log(hp) - 1, mtcars), with(mtcars, log(mpg)))"
  )
  line <- rowsparse(model.matrix(log(mpg) ~ wt + log(hp) - 1, mtcars), with(mtcars, log(mpg)))
  expect_identical(line$feature_names, c("wt", "log(hp)"))
  expect_refused(rowsparse(~., data = iris), "type", "rowsparse(model.matrix(~. - 1, iris))")
  texts <- data.frame(a = 1:4, b = letters[1:4])
  expect_refused(rowsparse(~ a + b, data = texts), "type", "model.matrix(~a + b - 1, texts)")
  expect_refused(do.call(rowsparse, list(~., data = texts)), "type", "model.matrix(~. - 1, data)")
})

test_that("a data frame with factors is told both ways out, and they work", {
  expect_refused(rowsparse(iris, k = 2), "type", "1 that is not, the first in column 5")
  expect_refused(rowsparse(iris, k = 2), "type", "`x[sapply(x, is.numeric)]` leaves them out")
  expect_refused(css(iris, 2), "type", "`model.matrix(~ . - 1, x)` codes them as 0/1 columns")
  x <- iris
  expect_identical(rowsparse(x[sapply(x, is.numeric)], k = 2)$d, 4L)
  expect_identical(rowsparse(model.matrix(~ . - 1, x), k = 2)$d, 7L)
})

test_that("formulas that name nothing, too much or nothing known are refused", {
  expect_refused(rowsparse(mpg ~ nothing, data = mtcars), "names", "\"nothing\" is none")
  expect_refused(rowsparse(nothing ~ ., data = mtcars), "names", "left side")
  expect_refused(rowsparse(mpg ~ mpg + wt, data = mtcars), "names", "the response")
  expect_refused(rowsparse(mpg ~ wt - wt, data = mtcars), "size", "must name a feature")
  expect_refused(rowsparse(mpg ~ . - 1, data = mtcars), "type", "always centred")
  expect_refused(rowsparse(mpg ~ 1, data = mtcars), "type", "always centred")
  expect_refused(rowsparse(mpg ~ -wt, data = mtcars), "type", "single columns")
  expect_refused(rowsparse(mpg ~ "wt", data = mtcars), "type", "single columns")
  expect_refused(rowsparse(mpg ~ wt), "missing", "`data` must be given")
  expect_refused(rowsparse(mpg ~ wt, data = as.matrix(mtcars)), "type", "must be a data frame")
  expect_refused(rowsparse(mpg ~ wt, mtcars$mpg, data = mtcars), "argument", "must be left out")
  expect_refused(rowsparse(mtcars, data = mtcars), "argument", "belongs to a formula")
  expect_refused(rowsparse(~., data = mtcars, k = 2, method = "cdlsr"), "type", "must be given")
})
