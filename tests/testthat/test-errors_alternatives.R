set.seed(75)
x <- sample_matrix(20, 6)
fit <- fspca(x, k = 3, m = 3)

core_ends_here()

test_that("what is wrong with a question about alternatives is told", {
  expect_refused(alternatives(x), "missing", "`selected`")
  expect_refused(alternatives(x, "nosuch"), "names", "`selected`")
  expect_refused(alternatives(x, c(1, 1)), "names", "`selected`")
  expect_refused(alternatives(x, 7), "names", "`selected`")
  expect_refused(alternatives(x, NULL), "type", "`selected`")
  expect_refused(alternatives(x, 1:3, k = 3), "argument", "`k`")
  expect_refused(alternatives(x, bsufs(x, m = 1)), "range", "`k`")
  expect_refused(alternatives(x, fit, method = "css"), "argument", "`method`")
  expect_refused(alternatives(x, 1:3, method = "nosuch"), "choice", "`method`")
  expect_refused(alternatives(x, 1:3, ridge = 1), "argument", "`ridge`")
  expect_refused(alternatives(x, 1:3, m = 4), "range", "`k`")
  expect_refused(alternatives(x, 1:3, method = "cdlsr"), "type", "`y`")
  expect_refused(alternatives(x, fit, weights = rep(1, 20)), "argument", "`weights`")
  for (tolerance in list(-1, 1, NA, "a", numeric(), NULL[0], Inf)) {
    if (is.null(tolerance)) next
    expect_refused(alternatives(x, fit, tolerance = tolerance), "range", "`tolerance`")
  }
  expect_refused(alternatives(x, fit, seconds = -1), "range", "`seconds`")
  expect_refused(alternatives(x, fit, sets = -1), "range", "`sets`")
  expect_refused(alternatives(x, fit, sets = 1.5), "range", "`sets`")
  expect_refused(alternatives(x, 1:3, m = 3, exclude = 1), "names", "`selected`")
  expect_refused(alternatives(x, 1:3, m = 3, include = 4), "names", "`selected`")
  expect_refused(alternatives(x, fit, return = "object"), "type", "`return`")
  expect_refused(alternatives(x, fit, stability = 1), "type", "`stability`")
  expect_refused(alternatives(replace(x, 3, NaN), 1:3), "nonfinite", "`x`")
  expect_refused(alternatives(x[, 1:5], fit), "names", "`selected`")
  y <- factor(rep(1:2, 10))
  for (method in c("alignment", "s2dfs", "ftest")) {
    supervised <- rowsparse(x, y, k = 2, method = method)
    k <- if (method == "ftest") 2
    expect_refused(alternatives(x, supervised, y[-1], k = k), "length", "`y`")
  }
})

test_that("stability must be of these features and this size", {
  tuned <- tune_rowsparse(x, method = "css", k = 1:2, subsamples = 3)
  expect_refused(alternatives(x, fit, stability = tuned), "range", "`stability`")
  expect_refused(alternatives(x[, 1:3], 1:2, m = 2, stability = tuned), "size", "`stability`")
})

test_that("what a result of alternatives cannot give is refused", {
  found <- alternatives(x, fit)
  expect_refused(summary(found, what = 1), "argument", "`what`")
  expect_refused(as.data.frame(found, tolerance = 2), "range", "`tolerance`")
  expect_refused(plot(alternatives(x, fspca(x, k = ncol(x)))), "choice", "prices")
})
