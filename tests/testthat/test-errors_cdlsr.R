x <- cbind(a = c(1, 2, 4, 3, 7, 9), b = c(2, 1, 4, 5, 3, 8), c = c(5, 1, 1, 2, 9, 4))
y <- c(1.5, 2, 3.5, 3, 8, 9)
classes <- factor(c("u", "u", "v", "v", "w", "w"))

core_ends_here()

test_that("k is checked against samples and features", {
  expect_refused(cdlsr(x, y, 4), "range", "from 1 to 3")
  expect_refused(cdlsr(x, y, 0), "range", "`k` must be a whole number")
  expect_refused(cdlsr(x, y, 1.5), "range", "got 1.5")
  expect_refused(cdlsr(x, y, NA), "range", "`k`")
  expect_refused(cdlsr(x, y, "2"), "range", "`k`")
  wide <- matrix(sin(1:24), 3)
  expect_refused(cdlsr(wide, c(1, 2, 4), 3), "range", "ridge` > 0 lifts n - 1")
  expect_length(cdlsr(wide, c(1, 2, 4), 3, ridge = 1)$selected, 3)
  expect_refused(cdlsr(wide, c(1, 2, 4), 9, ridge = 1), "range", "from 1 to 8")
  expect_refused(css(x, 4), "range", "from 1 to 3")
  expect_refused(css(x, 2, m = 7), "range", "`m`")
  expect_refused(pgd(x, y, 4), "range", "`k`")
})

test_that("the response is checked", {
  expect_refused(cdlsr(x, rep(1, 6), 2), "constant", "`y` must vary")
  expect_refused(cdlsr(x, factor(rep("u", 6)), 2), "constant", "two classes")
  expect_refused(cdlsr(x, replace(y, 2, NA), 2), "nonfinite", "row 2")
  expect_refused(cdlsr(x, replace(classes, 2, NA), 2), "nonfinite", "`y`")
  expect_refused(cdlsr(x, replace(y, 2, Inf), 2), "nonfinite", "`y`")
  expect_refused(cdlsr(x, y[-1], 2), "length", "one entry per sample (6); got 5")
  expect_refused(cdlsr(x, cbind(y, y)[-1, ], 2), "length", "`y`")
  expect_refused(cdlsr(x, classes[-1], 2), "length", "`y`")
  expect_refused(cdlsr(x, as.list(y), 2), "type", "`y`")
  expect_refused(cdlsr(x, sin, 2), "type", "`y`")
  expect_refused(cdlsr(x, cbind(y, 1), 2), "constant", "`y`")
  expect_refused(cdlsr(x, k = 2), "type", "`y` must be given")
  expect_refused(cdlsr(moments(x), k = 2), "type", "moments(x, y)")
  expect_refused(cdlsr(moments(x, y), y, 2), "type", "left out")
  expect_refused(pgd(moments(x, y), k = 2), "type", "must hold the samples")
})

test_that("solvers, starts and numbers are checked", {
  expect_refused(cdlsr(x, y, 2, solver = "best"), "choice", "\"exchange\", \"cd\", \"exact\"")
  expect_refused(cdlsr(x, y, 2, start = "warm"), "choice", "`start`")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 1)), "range", "distinct columns")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 4)), "range", "(1 to 3)")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 2, 3)), "range", "`start`")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, NA_real_)), "range", "`start`")
  with_constant <- cbind(x, d = 1)
  expect_refused(
    suppressWarnings(cdlsr(with_constant, y, 2, start = cbind(1, 4))), "constant", "`start`"
  )
  expect_refused(cdlsr(x, y, 2, starts = 0), "range", "`starts`")
  expect_refused(cdlsr(x, y, 2, ridge = -1), "range", "`ridge`")
  expect_refused(cdlsr(x, y, 2, path = NA), "type", "`path`")
  expect_refused(cdlsr(x, y, 2, time_limit = -1), "range", "`time_limit`")
  expect_refused(cdlsr(x, y, 2, control = list(speed = 1)), "control", "speed")
  expect_refused(css(x, 2, solver = "cd"), "choice", "`solver`")
  expect_refused(css(x, 2, solver = "exact", time_limit = -1), "range", "`time_limit`")
  expect_refused(css(x, 2, solver = "exact", time_limit = "1"), "range", "`time_limit`")
  expect_refused(css(x, 2, solver = "exact", time_limit = NA), "range", "`time_limit`")
  expect_refused(css(x, 4, solver = "exact"), "range", "from 1 to 3")
  expect_refused(pgd(x, y, 2, step = 0), "range", "`step`")
  expect_refused(pgd(x, y, 2, start = matrix(0, 2, 2)), "size", "3 x 1")
  expect_refused(pgd(x, y, 2, start = matrix(NA_real_, 3, 1)), "nonfinite", "`start`")
  expect_refused(rpfs(x, y, 2, rho = 0.9), "range", "`rho`")
  expect_refused(rpfs(x, y, 2, start = "fisher"), "choice", "`start`")
  expect_refused(ipfs(x, y, 2, ridge = 0), "range", "`ridge`")
})

test_that("predictions and sizes are checked", {
  fit <- cdlsr(x, y, 2)
  expect_refused(coef(fit, 3), "range", "1 to 2")
  expect_refused(predict(fit, x, 3, "response"), "range", "`k`")
  expect_refused(predict(fit, x, type = "class"), "choice", "class labels")
  expect_refused(predict(fit, x[, 1, drop = FALSE], type = "response"), "names", "`newdata`")
  expect_refused(predict(fit, unname(x)[, 1:2], type = "response"), "size", "3 features")
  expect_refused(predict(fit, 1:3, type = "response"), "type", "`newdata`")
  one <- cdlsr(x, y, 2, solver = "cd")
  expect_refused(coef(one, 1), "range", "the only size")
})

test_that("cross-validation needs samples of each class", {
  single <- factor(c("u", "u", "u", "v", "v", "w"))
  expect_refused(
    cv_rowsparse(x, single, k = 1, method = "cdlsr", folds = 2), "class", "one of class \"w\""
  )
  expect_refused(
    cv_rowsparse(x, classes, k = 1, method = "cdlsr", foldid = c(1, 1, 2, 2, 3, 3)), "class",
    "fold 1"
  )
  expect_refused(
    cv_rowsparse(x, classes, k = 1, method = "cdlsr", folds = c(1, 1, 2, 2, 3, 3)), "range",
    "`foldid`"
  )
  expect_refused(
    cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 2), "range", "smallest training set"
  )
  expect_refused(cv_rowsparse(x, y, k = 1, method = "cdlsr", folds = 1), "range", "`folds`")
  expect_refused(cv_rowsparse(x, y, k = 1, method = "cdlsr", folds = 7), "range", "`folds`")
  expect_refused(cv_rowsparse(x, y, k = 1, method = "cdlsr", folds = c(1, 2)), "range", "`folds`")
  expect_refused(cv_rowsparse(moments(x, y), k = 1, method = "cdlsr"), "type", "not moments")
})

test_that("an impossible request for memory is refused", {
  old <- options(rowsparse.memory = 2000)
  on.exit(options(old))
  expect_refused(css(matrix(sin(1:400), 20), 3), "memory", "`x` asks for")
  expect_refused(css(matrix(sin(1:400), 20), 3, solver = "exact"), "memory", "`x` asks for")
})
