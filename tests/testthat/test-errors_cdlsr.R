x <- cbind(a = c(1, 2, 4, 3, 7, 9), b = c(2, 1, 4, 5, 3, 8), c = c(5, 1, 1, 2, 9, 4))
y <- c(1.5, 2, 3.5, 3, 8, 9)

core_ends_here()

test_that("sizes, starts and numbers of regressions on k features are checked", {
  expect_refused(cdlsr(x, y, 4), "range", "from 1 to 3")
  wide <- matrix(sin(1:24), 3)
  expect_refused(cdlsr(wide, c(1, 2, 4), 3), "range", "ridge` > 0 lifts n - 1")
  expect_refused(cdlsr(wide, c(1, 2, 4), 9, ridge = 1), "range", "from 1 to 8")
  expect_refused(css(x, 2, m = 7), "range", "`m`")
  expect_refused(cdlsr(moments(x), k = 2), "type", "moments(x, y)")
  expect_refused(cdlsr(moments(x, y), y, 2), "type", "left out")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 1)), "range", "distinct columns")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 4)), "range", "(1 to 3)")
  expect_refused(cdlsr(x, y, 2, start = cbind(1, 2, 3)), "range", "`start`")
  expect_refused(
    suppressWarnings(cdlsr(cbind(x, d = 1), y, 2, start = cbind(1, 4))), "constant", "`start`"
  )
  expect_out_of_range(function(...) cdlsr(x, y, 2, ...), starts = 0, ridge = -1, time_limit = -1)
  expect_out_of_range(function(...) css(x, 2, ...), time_limit = "1")
  expect_refused(pgd(x, y, 2, step = 0), "range", "`step`")
  expect_refused(pgd(x, y, 2, start = matrix(0, 2, 2)), "size", "3 x 1")
  expect_refused(rpfs(x, y, 2, rho = 0.9), "range", "`rho`")
  expect_refused(ipfs(x, y, 2, ridge = 0), "range", "`ridge`")
})

test_that("predictions of sizes that a fit does not hold are refused", {
  fit <- cdlsr(x, y, 2)
  expect_refused(coef(fit, 3), "range", "1 to 2")
  expect_refused(predict(fit, x, 3, "response"), "range", "`k`")
  expect_refused(coef(cdlsr(x, y, 2, solver = "cd"), 1), "range", "the only size")
})
