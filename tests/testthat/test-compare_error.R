core_ends_here()

test_that("errors of methods are those of select-then-fit in the same folds", {
  set.seed(75)
  x <- sample_matrix(30, 8)
  y <- x[, 1] - x[, 3] + stats::rnorm(30)
  folds <- rep(1:3, 10)
  found <- compare_methods(x, y, methods = c("css", "ftest"), k = c(1, 3), criterion = "error",
    foldid = folds, random = 3, data = "one"
  )
  expect_identical(found$method, rep(c("css", "ftest", "random"), each = 2))
  for (method in c("css", "ftest")) {
    alone <- selection_error(x, y, c(1, 3), method, foldid = folds)
    expect_equal(found$error[found$method == method], alone$table$inside / alone$null_error)
  }
  expect_true(all(is.finite(found$error)))
  by_hand <- compare_methods(x, y, methods = list(
    f = function(x, y) order(-abs(stats::cor(x, y))), v = function(x) 1:8
  ), k = c(1, 3), criterion = "error", foldid = folds)
  expect_equal(by_hand$error[1:2], found$error[found$method == "ftest"])
})

test_that("data sets are compared together, and failures noted", {
  set.seed(76)
  sets <- list(flowers = list(x = iris[, 1:4], y = iris$Species),
    width = list(x = iris[, 1:3], y = iris$Petal.Width)
  )
  expect_warning(
    found <- compare_methods(sets, methods = c("ftest", "ilfs"), k = 1:3, folds = 3,
      criterion = "error"
    ),
    class = "rowsparse_warning_failed"
  )
  means <- summary(found)
  expect_identical(dim(means$errors), c(2L, 2L))
  expect_identical(means$methods$method[1], "ftest")
  expect_identical(means$methods$failed[means$methods$method == "ilfs"], 1)
  expect_match(found$note[found$data == "width" & found$method == "ilfs"][1], "class")
  expect_true(all(found$error < 0.7, na.rm = TRUE))
})

test_that("what errors cannot be made of is refused", {
  run <- function(methods = "ftest", ...) {
    compare_methods(iris[, 1:4], iris$Species, methods = methods, k = 2, criterion = "error", ...)
  }
  expect_refused(run(list(a = 1:3)), "type", "must be a function")
  expect_refused(run(store = tempfile()), "argument", "`store`")
  expect_refused(run(refit = TRUE), "argument", "`refit`")
  expect_refused(run(block = rep(1:2, 75)), "argument", "block")
  expect_refused(run(foldid = 1:3), "length", "foldid")
  expect_refused(compare_methods(iris[, 1:4], iris$Species, methods = "css", criterion = "best"),
    "choice",
    "`criterion`"
  )
})
