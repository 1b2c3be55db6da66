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

test_that("results that were edited are refused", {
  found <- alternatives(x, fit)
  for (part in c("features", "roles", "tolerance", "kind", "share", "status")) {
    broken <- found
    broken[[part]] <- NULL
    expect_refused(print(broken), "object", part)
    expect_refused(summary(broken), "object", part)
    expect_refused(plot(broken), "object", part)
  }
  broken <- found
  broken$feature_names <- "g1"
  expect_refused(as.data.frame(broken, tolerance = 0.1), "object", "feature_names")
  expect_refused(plot(found, "nosuch"), "choice", "`type`")
  expect_refused(summary(found, what = 1), "argument", "`what`")
  expect_refused(as.data.frame(found, tolerance = 2), "range", "`tolerance`")
  expect_refused(plot(fit, "alternatives"), "type", "`data`")
  filter <- alternatives(x, variance(x), k = 2)
  expect_refused(plot(filter), "choice", "`type`")
  expect_refused(plot(filter, "exchanges"), "choice", "`type`")
})

test_that("a plot of the alternatives to another set, or of other data, is refused", {
  set.seed(8)
  x <- sample_matrix(30, 8)
  fit <- fspca(x, k = 3)
  other <- alternatives(x, setdiff(1:8, fit$selected)[1:3], method = "fspca")
  draw <- function(data) plot(fit, type = "alternatives", data = data)
  expect_error(draw(other), "must be alternatives to the set of this fit; got those to a set",
    class = "rowsparse_error_size"
  )
  expect_error(draw(x[, 1:2]), "^`data` must be the data of the fit", class = "rowsparse_error")
  expect_error(draw(list()), "^`data` must be the data of the fit", class = "rowsparse_error_type")
  shown <- alternatives(x, rowsparse(x, k = 3, method = "ndfs"))
  expect_error(plot(shown), "ndfs\\(\\) gives sets no value", class = "rowsparse_error_choice")
  expect_error(plot(shown, "exchanges"), "single exchanges, which are not known here")
  expect_error(plot(alternatives(x, fspca(x, k = 8))), "no feature may leave or enter")
})
