set.seed(62)
x <- sample_matrix(20, 5)
y <- x[, 1] + stats::rnorm(20)
class <- factor(rep(c("u", "v"), 10))

core_ends_here()

test_that("methods, sizes and settings are checked before the folds", {
  refused <- function(subclass, text, ...) expect_refused(cv_rowsparse(x, ...), subclass, text)
  refused("type", "must be given: ftest is supervised", method = "ftest")
  refused("choice", "`method`", y, method = "nosuch")
  refused("choice", "Did you mean `k = 3`?", y, method = 3)
  refused("range", "Did you mean `method = \"ftest\"`?", y, k = "ftest")
  refused("argument", "`ridge`", y, method = "ftest", ridge = 1)
  refused("argument", "`lambda`", y, method = "ftest", lambda = 1)
  refused("range", "`lambda`", y, method = "rfs", k = 1:2, lambda = 1:2)
  refused("argument", "`start`", y, method = "rfs", start = 1)
  refused("choice", "`rule`", y, method = "ftest", rule = "best")
  refused("range", "`k`", y, method = "ftest", k = 0)
  refused("range", "`k`", y, method = "ftest", k = 6)
  expect_refused(cv_rowsparse(matrix(stats::rnorm(300), 20), y, method = "pgd", k = 15, folds = 2),
    "range", "This is a training set of 10 of the 20 samples"
  )
  refused("choice", "needs classes", y, method = "ftest", measure = "balanced")
  refused("choice", "without a response", y, method = "ftest", measure = "explained")
  refused("choice", "needs classes", k = 2, measure = "log_loss")
  refused("type", "`grid`", y, method = "cdlsr", grid = 1:3)
  refused("argument", "the argument `k`", y, method = "cdlsr", grid = list(k = 1:2))
  refused("argument", "`m`", y, method = "cdlsr", grid = list(m = 1:2))
  refused("range", "`grid$m`", method = "fspca", k = 2, grid = list(m = 0))
  refused("length", "`y`", y[-1], k = 2)
  refused("class", "A class needs two samples", factor(c("a", rep("b", 19))), k = 1)
  expect_refused(cv_rowsparse(moments(x, y), method = "cdlsr"), "type", "got moments")
  blocks <- row_blocks(function(i) x[10 * (i - 1) + 1:10, ], rows = c(10, 10))
  expect_refused(cv_rowsparse(blocks, y), "type", "got row blocks")
})

test_that("names of other packages, and names nearly right, are told", {
  refused <- function(text, ...) expect_refused(cv_rowsparse(x, y, ...), "argument", text)
  refused("The number of folds is `folds`", nfolds = 5)
  refused("classes, numbers are numbers", family = "gaussian")
  refused("as `lambda`", method = "rfs", nlambda = 5)
  refused("`ridge` is the quadratic one", alpha = 1)
  refused("Did you mean \"measure\"?", meaure = "error")
  refused("Did you mean \"ridge\"?", method = "cdlsr", rige = 1)
  expect_refused(rowsparse(x, y, k = 2, family = "gaussian"), "argument", "Leave it out")
  expect_refused(rowsparse_path(x, y, method = "rfs", nlamda = 5), "argument", "\"nlambda\"")
})

test_that("folds that are given must be folds", {
  run <- function(...) cv_rowsparse(x, class, method = "ftest", k = 1:2, ...)
  for (foldid in list(1:5, 3, c(NA, rep(1:2, 9), 1), matrix(1:2, 5, 2))) {
    expect_refused(run(foldid = foldid), "length", "`foldid`")
  }
  expect_refused(run(foldid = rep(1, 20)), "range", "`foldid`")
  expect_refused(run(foldid = rep(1:2, 10)), "class", "without fold 1")
  expect_refused(run(foldid = rep(1:5, each = 4), repeats = 2), "range", "`repeats`")
  expect_refused(run(repeats = 0), "range", "`repeats`")
  expect_refused(run(folds = 1), "range", "`folds`")
})

test_that("what is wrong with functions is told", {
  run <- function(method = "ftest", ...) cv_rowsparse(x, y, 2, method, folds = 4, ...)
  expect_refused(run(fit = function(x, y) 1), "type", "`predict`")
  expect_refused(run(fit = 1, predict = 2), "type", "`fit`")
  expect_refused(run(function(x, y, k) 1), "length", "at least 2 features")
  expect_refused(run(function(x, y, k) "no"), "names", "`method`")
  expect_refused(run(function(x, y, k) 1:2, ridge = 1), "argument", "`ridge`")
  one <- function(x, y) mean(y)
  expect_refused(run(fit = one, predict = function(m, newx) m), "type", "`predict`")
  expect_refused(run(fit = one, predict = function(m, newx) "a"), "type", "a number")
  expect_refused(cv_rowsparse(x, class, 2, "ftest", measure = "log_loss", folds = 4,
    fit = function(x, y) levels(y)[1], predict = function(m, newx) rep(m, nrow(newx))
  ), "choice", "probabilities")
  expect_error(run(function(x, y, k) stop("mine")), "mine")
})

test_that("an error in a training set says so, one of all samples does not", {
  folds <- rep(1:4, 5)
  # with one fold left out, the response is constant
  odd <- ifelse(folds == 2, y, 1)
  expect_refused(cv_rowsparse(x, odd, k = 1:2, method = "cdlsr", foldid = folds), "constant",
    "This is a training set of 15 of the 20 samples: try other `folds`."
  )
  wrong <- tryCatch(cv_rowsparse(x, y, k = 1, method = "cdlsr", solver = "best"), error = identity)
  expect_s3_class(wrong, "rowsparse_error_choice")
  expect_no_match(conditionMessage(wrong), "training set")
})

test_that("what is asked of the result is checked", {
  cv <- cv_rowsparse(x, y, method = "ftest", k = 1:3, folds = 4)
  expect_refused(predict(cv), "type", "`newdata`")
  expect_refused(predict(cv, x, type = "class"), "choice", "class labels")
  expect_refused(selected(cv, what = 1), "argument", "`what`")
  expect_refused(selected(cv, 6), "range", "`k`")
})
