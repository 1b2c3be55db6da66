set.seed(62)
x <- sample_matrix(20, 5)
y <- x[, 1] + stats::rnorm(20)
class <- factor(rep(c("u", "v"), 10))

core_ends_here()

test_that("methods, sizes and settings are checked before the folds", {
  cv <- function(...) cv_rowsparse(x, ...)
  expect_each_refused("type",
    "must be given: ftest is supervised" = cv(method = "ftest"),
    "`grid`" = cv(y, method = "cdlsr", grid = 1:3),
    "the argument `k`" = cv(y, method = "cdlsr", grid = list(k = 1:2)),
    "got moments" = cv_rowsparse(moments(x, y), method = "cdlsr"),
    "got row blocks" = cv_rowsparse(row_blocks(x, rows = 10), y)
  )
  expect_each_refused("length", "one method at least" = cv(y, method = character()))
  expect_each_refused("choice",
    "`method`" = cv(y, method = "nosuch"), "Did you mean `k = 3`?" = cv(y, method = 3),
    "`rule`" = cv(y, method = "ftest", rule = "best"),
    "needs classes" = cv(y, method = "ftest", measure = "balanced"),
    "without a response" = cv(y, method = "ftest", measure = "explained"),
    "needs classes" = cv(k = 2, measure = "log_loss"),
    "needs a response that is numbers" = cv(class, k = 2, measure = "mae"),
    "needs two classes" = cv(gl(4, 5), k = 2, measure = "auc"),
    "Take fewer `folds`" = cv(class, k = 1, method = "ftest", measure = "auc", folds = 20),
    "without a response" = cv(y, rule = "elbow"), "three sizes" = cv(k = 1:2, rule = "elbow"),
    "three sizes" = cv(method = "spcafs", lambda = c(1, 2, 3), rule = "elbow")
  )
  expect_each_refused("range",
    "Did you mean `method = \"ftest\"`?" = cv(y, k = "ftest"),
    "`lambda`" = cv(y, method = "rfs", k = 1:2, lambda = 1:2),
    "`k`" = cv(y, method = "ftest", k = 0), "`k`" = cv(y, method = "ftest", k = 6),
    "This is a training set of 10 of the 20 samples" =
      cv_rowsparse(matrix(stats::rnorm(300), 20), y, method = "pgd", k = 15, folds = 2),
    "`grid$m`" = cv(method = "fspca", k = 2, grid = list(m = 0))
  )
  expect_each_refused("argument",
    "`ridge`" = cv(y, method = "ftest", ridge = 1),
    "`lambda`" = cv(y, method = "ftest", lambda = 1), "`start`" = cv(y, method = "rfs", start = 1),
    "`m`" = cv(y, method = "cdlsr", grid = list(m = 1:2)),
    # names of other packages, and names nearly right
    "The number of folds is `folds`" = cv(y, nfolds = 5),
    "classes, numbers are numbers" = cv(y, method = "cdlsr", family = "gaussian"),
    "as `lambda`" = cv(y, method = "rfs", nlambda = 5),
    "`ridge` is the quadratic one" = cv(y, alpha = 1),
    "Did you mean \"measure\"?" = cv(y, meaure = "error"),
    "Did you mean \"ridge\"?" = cv(y, method = "cdlsr", rige = 1),
    "y - offset" = rowsparse(x, y, k = 2, offset = y),
    "\"nlambda\"" = rowsparse_path(x, y, method = "rfs", nlamda = 5)
  )
  expect_refused(cv(y[-1], k = 2), "length", "`y`")
  expect_refused(cv(factor(c("a", rep("b", 19))), k = 1), "class", "A class needs two samples")
})

test_that("folds that are given must be folds", {
  run <- function(...) cv_rowsparse(x, class, method = "ftest", k = 1:2, ...)
  for (foldid in list(1:5, 3, c(NA, rep(1:2, 9), 1), matrix(1:2, 5, 2))) {
    expect_refused(run(foldid = foldid), "length", "`foldid`")
  }
  expect_each_refused("range",
    "`foldid`" = run(foldid = rep(1, 20)), "`folds`" = run(folds = 1),
    "`repeats`" = run(foldid = rep(1:5, each = 4), repeats = 2), "`repeats`" = run(repeats = 0)
  )
  expect_refused(run(foldid = rep(1:2, 10)), "class", "without fold 1")
})

test_that("what is wrong with functions is told", {
  run <- function(method = "ftest", ...) cv_rowsparse(x, y, 2, method, folds = 4, ...)
  one <- function(x, y) mean(y)
  expect_each_refused("type",
    "`predict`" = run(fit = one), "`fit`" = run(fit = 1, predict = 2),
    "`predict`" = run(fit = one, predict = function(m, newx) m),
    "a number" = run(fit = one, predict = function(m, newx) "a")
  )
  expect_refused(run(function(x, y, k) 1), "length", "at least 2 features")
  expect_refused(run(function(x, y, k) "no"), "names", "`method`")
  expect_refused(run(function(x, y, k) 1:2, ridge = 1), "argument", "`ridge`")
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
