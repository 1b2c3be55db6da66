x <- cbind(a = c(1, 2, 4, 3, 7, 9), b = c(2, 1, 4, 5, 3, 8), c = c(5, 1, 1, 2, 9, 4))
y <- c(1.5, 2, 3.5, 3, 8, 9)
classes <- factor(c("u", "u", "v", "v", "w", "w"))

core_ends_here()

test_that("data and response are checked", {
  expect_refused(rfs(moments(x, y)), "type", "not moments")
  expect_refused(rfs(moments(x), y), "type", "not moments")
  expect_refused(rfs(replace(x, 2, NA), y), "nonfinite", "`x`")
  expect_refused(rfs(x, rep(1, 6)), "constant", "`y` must vary")
  expect_refused(rfs(x, replace(classes, 2, NA)), "nonfinite", "`y`")
  expect_refused(rfs(x, y[-1]), "length", "one entry per sample (6); got 5")
  expect_refused(rfs(x, NULL), "type", "`y` must be given")
  expect_refused(rowsparse(x, k = 2, method = "rfs"), "type", "`y`")
  expect_refused(rowsparse_path(x, method = "rfs"), "type", "`y`")
})

test_that("numbers and starts are checked", {
  expect_refused(rfs(x, y, lambda = 0), "range", "`lambda` must be a number above 0")
  expect_refused(rfs(x, y, lambda = -1), "range", "`lambda`")
  expect_refused(rfs(x, y, lambda = c(1, 2)), "range", "`lambda`")
  expect_refused(rfs(x, y, lambda = Inf), "range", "`lambda`")
  expect_refused(rfs(x, y, scale = NA), "type", "`scale`")
  expect_refused(rfs(x, y, start = matrix(0, 2, 1)), "size", "3 x 1")
  expect_refused(rfs(x, y, start = "random"), "size", "`start`")
  expect_refused(rfs(x, y, start = matrix(NaN, 3, 1)), "nonfinite", "`start`")
  expect_refused(rfs(x, y, start = rfs(x, classes)), "size", "`start`")
  expect_refused(rfs(x, y, control = list(speed = 1)), "control", "speed")
  expect_warning(rfs(x, y, control = list(maxit = 1)), class = "rowsparse_warning_convergence")
})

test_that("predictions are checked", {
  fit <- rfs(x, y)
  expect_refused(predict(fit, x, ncol(x) + 1, "response"), "range", "`k` must be a whole number")
  expect_refused(predict(fit, x, type = "class"), "choice", "class labels")
  expect_refused(predict(fit, x[, 1, drop = FALSE], type = "response"), "names", "`newdata`")
})

test_that("an impossible request for memory is refused", {
  old <- options(rowsparse.memory = 20000)
  on.exit(options(old))
  expect_refused(rfs(matrix(sin(1:400), 20), sin(1:20)), "memory", "`x` asks for")
})
