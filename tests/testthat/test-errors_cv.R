set.seed(62)
x <- sample_matrix(20, 5)
y <- x[, 1] + stats::rnorm(20)
class <- factor(rep(c("u", "v"), 10))

core_ends_here()

test_that("methods and arguments must be those of a supervised method", {
  expect_refused(cv_rowsparse(x, y, method = "css"), "choice", "selection_error()")
  expect_refused(cv_rowsparse(x, y, method = "nosuch"), "choice", "`method`")
  expect_refused(cv_rowsparse(x), "missing", "`y`")
  expect_refused(cv_rowsparse(y ~ x), "missing", "`data` must be given")
  expect_refused(cv_rowsparse(x, y, method = "ftest", ridge = 1), "argument", "`ridge`")
  expect_refused(cv_rowsparse(x, y, method = "ftest", lambda = 1), "argument", "`lambda`")
  expect_refused(cv_rowsparse(x, y, method = "rfs", k = 1:2, lambda = 1:2), "range", "`lambda`")
  expect_refused(cv_rowsparse(x, y, method = "rfs", start = 1), "argument", "`start`")
  expect_refused(cv_rowsparse(x, y, method = "ftest", rule = "best"), "choice", "`rule`")
  for (name in c("balanced", "log_loss")) {
    expect_refused(cv_rowsparse(x, y, method = "ftest", measure = name), "choice", "needs classes")
    expect_refused(selection_error(x, y, 2, "ftest", measure = name), "choice", "needs classes")
  }
  expect_refused(cv_rowsparse(x, class, measure = "auc"), "choice", "`measure`")
  expect_refused(cv_rowsparse(x, y, method = "ftest", k = 0), "range", "`k`")
  expect_refused(cv_rowsparse(x, y, method = "ftest", k = 6), "range", "`k`")
  expect_refused(cv_rowsparse(x, y, method = "cdlsr", k = 1:6), "range", "`k`")
  expect_refused(cv_rowsparse(matrix(stats::rnorm(300), 20), y, method = "pgd", k = 15, folds = 2),
    "range",
    "smallest training set"
  )
  expect_refused(cv_rowsparse(x, y, method = "rfs", nlambda = 1), "range", "`nlambda`")
  expect_refused(cv_rowsparse(moments(x, y), method = "cdlsr"), "type", "not moments")
})

test_that("folds that are given must be folds", {
  run <- function(...) cv_rowsparse(x, class, method = "ftest", k = 1:2, ...)
  expect_refused(run(foldid = 1:5), "length", "`foldid`")
  expect_refused(run(foldid = 3), "length", "`foldid`")
  expect_refused(run(foldid = rep(1, 20)), "range", "`foldid`")
  expect_refused(run(foldid = c(NA, rep(1:2, 9), 1)), "length", "`foldid`")
  expect_refused(run(foldid = rep(1:2, 10)), "class", "without fold 1")
  expect_refused(run(foldid = rep(1:5, each = 4), repeats = 2), "range", "`repeats`")
  expect_refused(run(foldid = matrix(1:2, 5, 2)), "length", "`foldid`")
  expect_refused(run(repeats = 0), "range", "`repeats`")
  expect_refused(run(folds = 1), "range", "`folds`")
})

test_that("what is asked of the result is checked", {
  cv <- cv_rowsparse(x, y, method = "ftest", k = 1:3, folds = 4)
  expect_refused(coef(cv, s = "best"), "choice", "`s`")
  expect_refused(predict(cv), "type", "`newdata`")
  expect_refused(predict(cv, x, type = "class"), "choice", "class labels")
  expect_refused(selected(cv, what = 1), "argument", "`what`")
})
