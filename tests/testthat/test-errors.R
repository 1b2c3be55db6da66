x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 4)

core_ends_here()

test_that("data that are not numeric are refused", {
  expect_refused(bsufs(letters, 1), "type", "`x` must be a numeric matrix")
  expect_refused(bsufs(matrix("a", 3, 3), 1), "type", "`x`")
  expect_refused(bsufs(iris, 1), "type", "Species")
  expect_refused(bsufs(list(1, 2), 1), "type", "`x`")
  expect_refused(bsufs(NULL, 1), "type", "NULL")
  expect_refused(bsufs(1:10, 1), "type", "pass cbind(x)")
  expect_refused(bsufs(matrix("a", 3, 3), 1), "type", "got a character matrix of size 3 x 3")
  expect_refused(bsufs(x + 0i, 1), "type", "got a complex matrix of size 4 x 3")
  expect_refused(bsufs(matrix(list(1), 2, 2), 1), "type", "got a matrix of lists")
  expect_refused(bsufs(structure(x, class = "integer64"), 1), "type", "64-bit")
  table <- data.frame(a = 1:3)
  table$big <- structure(c(1, 2, 3), class = "integer64")
  expect_refused(bsufs(table, 1), "type", "column 2 (\"big\"): an object of class integer64")
  expect_refused(bsufs(array(1:24, 2:4), 1), "type", "an integer array of size 2 x 3 x 4")
  expect_refused(bsufs(mean, 1), "type", "a function")
})

test_that("a formula is told what to do instead", {
  text <- "The front door takes formulas: rowsparse(y ~ ., data = data"
  expect_refused(css(Species ~ ., 1), "type", text)
  expect_refused(moments(Species ~ .), "type", text)
  expect_refused(compare_panels(1, Species ~ .), "type", text)
  expect_refused(cdlsr(x, y ~ 1, 2), "type", "`y` must hold the data")
})

test_that("missing and infinite values are counted and located", {
  bad <- x
  bad[3, 2] <- NA
  bad[4, 3] <- Inf
  expect_refused(bsufs(bad, 1), "nonfinite", "2 of them, the first at row 3, column 2")
  bad[1, 2] <- NaN
  expect_refused(bsufs(bad, 1), "nonfinite", "3 of them, the first at row 1, column 2")
  whole <- round(x)
  storage.mode(whole) <- "integer"
  whole[2, 1] <- NA
  expect_refused(bsufs(whole, 1), "nonfinite", "row 2, column 1")
  sparse <- Matrix::sparseMatrix(i = c(1, 3, 2), j = c(1, 2, 3), x = c(1, NA, 2), dims = c(4, 3))
  expect_refused(bsufs(sparse, 1), "nonfinite", "row 3, column 2")
})

test_that("values that are missing are found by the name of their column", {
  bad <- x
  colnames(bad) <- c("age", "height", "weight")
  bad[3, 2] <- NA
  told <- "row 3, column 2 (\"height\"); they are in 1 of 4 rows"
  expect_refused(bsufs(bad, 1), "nonfinite", told)
  expect_refused(bsufs(as.data.frame(bad), 1), "nonfinite", "\"height\"")
  colnames(bad)[2] <- strrep("h", 1e4)
  message <- conditionMessage(expect_error(bsufs(bad, 1), class = "rowsparse_error_nonfinite"))
  expect_lt(nchar(message), 550)
  colnames(bad) <- c("a", NA, "b")
  expect_refused(bsufs(bad, 1), "names", "NA as the name of column 2")
})

test_that("the shape of the data is checked", {
  expect_refused(bsufs(x[1, , drop = FALSE], 1), "size", "at least 2 samples (rows); got 1")
  expect_refused(bsufs(x[, 0], 1), "size", "at least one feature")
  named <- x
  colnames(named) <- c("a", "b", "a")
  expect_refused(bsufs(named, 1), "names", "\"a\"")
  expect_refused(bsufs(matrix(2, 5, 3), 1), "constant", "that varies")
})

test_that("constant features get score 0, the last ranks and a warning", {
  mixed <- cbind(7, x, 1e10)
  expect_warning(fit <- bsufs(mixed, 1), class = "rowsparse_warning_constant")
  expect_identical(fit$scores[c(1, 5)], c(0, 0))
  expect_identical(fit$ranking[4:5], c(1L, 5L))
  scaled <- suppressWarnings(bsufs(mixed, 1, scale = TRUE))
  expect_true(all(is.finite(scaled$scores)))
})

test_that("constant features of the same data are told once per session", {
  before <- options(rowsparse.warn_constant = NULL)
  on.exit(options(before))
  told <- function(code) length(conditions_heard(code, "rowsparse_warning_constant"))
  one <- cbind(1, cos(outer(1:37, 1:5))) # a size that no other test has
  expect_identical(told(without_constant_warning(bsufs(one, 1))), 0L)
  expect_error(
    tryCatch(bsufs(one, 1), rowsparse_warning_constant = function(w) stop("heard")), "heard"
  )
  expect_identical(told(bsufs(one, 1)), 1L)
  expect_identical(told(for (method in c("bsufs", "css", "alignment")) {
    rowsparse(one, k = 2, method = method)
  }), 0L)
  expect_identical(told(bsufs(cbind(one[, -2], 2), 1)), 1L) # as many features, one more constant
  expect_identical(told(bsufs(one[-1, ], 1)), 1L)
  expect_identical(told(bsufs(one, 1)), 0L)
  for (call in 1:2) {
    expect_warning(rowsparse(one, k = 2, method = "css", include = 1),
      class = "rowsparse_warning_include"
    )
  }
  options(rowsparse.warn_constant = "always")
  expect_identical(told(bsufs(one, 1)), 1L)
})

test_that("arguments out of range say the range", {
  expect_refused(bsufs(x, 0), "range", "from 1 to 3")
  expect_refused(bsufs(x, 4), "range", "`m` must be a whole number from 1 to 3; got 4")
  expect_refused(bsufs(x, 1.5), "range", "`m`")
  expect_refused(bsufs(x, "a"), "range", "`m`")
  expect_refused(bsufs(x, 1, p = 1.2), "range", "`p` must be a number from 0 to 1; got 1.2")
  expect_refused(bsufs(x, 1, q = -1), "range", "`q`")
  expect_refused(bsufs(x, 1, lambda1 = -1), "range", "`lambda1`")
  expect_refused(bsufs(x, 1, lambda2 = NA_real_), "range", "`lambda2`")
  expect_refused(bsufs(x, 1, beta1 = 0), "range", "above 0")
  expect_refused(bsufs(x, 1, solver = "newton"), "choice", "\"mm\", \"rtr\", \"pencf\"")
  expect_refused(bsufs(x, 1, normalize = NA), "type", "`normalize` must be TRUE or FALSE")
  expect_refused(bsufs(x, 1, scale = "yes"), "type", "`scale`")
  expect_refused(bsufs(x, 1, start = diag(3)), "size", "3 x 1")
  expect_refused(bsufs(x, 1, start = matrix(NaN, 3, 1)), "nonfinite", "`start`")
})

test_that("the control is checked", {
  expect_refused(rowsparse_control(tol = -1), "range", "`tol`")
  expect_refused(rowsparse_control(maxit = 0), "range", "`maxit`")
  expect_refused(rowsparse_control(threads = 0), "range", "`threads`")
  expect_refused(rowsparse_control(verbose = 1), "type", "`verbose`")
  expect_refused(rowsparse_control(tolerance = 1), "control", "\"tolerance\"")
  expect_refused(rowsparse_control(maxiter = 1), "control", "Did you mean \"maxit\"?")
  expect_refused(bsufs(x, 1, control = list(tolerance = 1)), "control", "tolerance")
  expect_refused(bsufs(x, 1, control = 1e-6), "type", "rowsparse_control()")
  expect_identical(bsufs(x, 1, control = list(maxit = 400))$parameters$maxit, 400L)
})

test_that("controls made or changed by hand are checked as well", {
  by_hand <- function(...) structure(list(...), class = "rowsparse_control")
  expect_identical(bsufs(x, 1, control = by_hand())$parameters$maxit, 500L)
  expect_refused(bsufs(x, 1, control = by_hand(maxit = NA)), "range", "`maxit`")
  expect_refused(bsufs(x, 1, control = by_hand(maxit = -5)), "range", "from 1 to 1000000")
  expect_refused(bsufs(x, 1, control = by_hand(tol = "a")), "range", "`tol`")
  expect_refused(bsufs(x, 1, control = by_hand(threads = 1e9)), "range", "`threads`")
  expect_refused(bsufs(x, 1, control = by_hand(speed = 1)), "control", "\"speed\"")
  expect_refused(bsufs(x, 1, control = list(1)), "control", "by its name")
  expect_refused(bsufs(x, 1, control = list(tol = 1, tol = 2)), "control", "once")
  expect_refused(bsufs(x, 1, control = list(maxit = quote(stop("evaluated")))), "range", "`maxit`")
  expect_refused(bsufs(x, 1, control = NULL), "type", "NULL")
})

test_that("counts beyond the largest integer are out of range, not NA", {
  expect_refused(rowsparse_control(maxit = 3e9), "range", "`maxit`")
  y <- c(1, 2, 4, 3)
  expect_refused(cdlsr(x, y, 1, starts = 3e9, start = "random"), "range", "from 1 to 1000000")
  expect_refused(kmeans_ufs(x, 1, 2, starts = 3e9), "range", "`starts`")
  expect_refused(tune_rowsparse(x, subsamples = 3e9), "range", "`subsamples`")
  expect_refused(rowsparse_path(x, method = "bsufs", m = 1, nlambda = 3e9), "range", "`nlambda`")
  expect_refused(simulate_shapes("diamond9", n = 3e9), "range", "`n`")
  expect_refused(simulate_shapes("diamond9", noise = 3e9), "range", "`noise`")
  expect_refused(rowsparse:::check_count(3e9, "k"), "range", "from 1 to 2147483647; got 3e+09")
  expect_refused(rowsparse:::check_counts(c(1, 3e9), "k"), "range", "a numeric vector of length 2")
  expect_identical(rowsparse:::check_count(2147483647, "k"), .Machine$integer.max)
})

test_that("counts of an evaluation are bounded too", {
  skip_if_not_installed("clue")
  shape <- simulate_shapes("diamond9", n = 30)
  evaluate <- function(...) evaluate_features(1:2, shape$x, shape$y, k = 1, ...)
  expect_refused(evaluate(random = 1e10), "range", "`random`")
  expect_refused(evaluate(repeats = 3e9), "range", "`repeats`")
  expect_refused(
    compare_methods(shape$x, shape$y, methods = "css", random = 3e9), "range", "`random`"
  )
})

test_that("values are described in a few words", {
  describe <- rowsparse:::describe
  expect_identical(describe(strrep("a", 1e4)), paste0("\"", strrep("a", 40), "...\""))
  expect_identical(describe("a\nb"), "\"a\\nb\"")
  expect_identical(describe(NA_character_), "NA")
  expect_identical(describe(1:3), "an integer vector of length 3")
  expect_identical(describe(letters), "a character vector of length 26")
  expect_identical(describe(list()), "a list of length 0")
  expect_identical(describe(iris), "a data frame of size 150 x 5")
  expect_identical(describe(y ~ x), "a formula")
  expect_identical(describe(matrix(TRUE, 2, 3)), "a logical matrix of size 2 x 3")
  expect_identical(describe(Matrix::Diagonal(3)), "an object of class ddiMatrix of size 3 x 3")
  expect_match(describe("\xff"), "xff")
})

test_that("requests beyond the machine's memory are refused beforehand", {
  old <- options(rowsparse.memory = 1000)
  on.exit(options(old))
  wide <- matrix(rnorm(400), 4)
  expect_refused(bsufs(wide, 1), "memory", "GB")
  options(rowsparse.memory = 10000)
  expect_refused(bsufs(wide, 3), "memory", "`m`")
  expect_refused(moments(wide), "memory", "select features first")
})

test_that("a fit that did not converge warns and is returned", {
  expect_warning(
    fit <- bsufs(x, 1, control = rowsparse_control(maxit = 1, tol = 0)),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_identical(fit$status, "iteration limit reached")
  expect_identical(fit$iterations, 1L)
})

test_that("responses are checked", {
  response <- rowsparse:::as_response
  expect_refused(response(letters[1:3], 4), "length", "one entry per sample (4); got 3")
  expect_refused(response(c("a", NA, "b"), 3), "nonfinite", "`y`")
  expect_refused(response(c("a", "a"), 2), "constant", "two classes")
  expect_refused(response(c(1, 1), 2), "constant", "must vary")
  expect_refused(response(c(1, NaN), 2), "nonfinite", "row 2, column 1")
  expect_refused(response(list(1, 2), 2), "type", "`y`")
  expect_refused(response(matrix(0, 4, 0), 4), "size", "at least one column")
  expect_refused(response(data.frame(row.names = 1:4), 4), "size", "at least one column")
  expect_refused(response(array(1:16 + 0, c(4, 2, 2)), 4), "type", "size 4 x 2 x 2")
  expect_refused(response(structure(c(1, 2), class = "integer64"), 2), "type", "integer64")
  expect_refused(response(matrix(letters[1:4]), 4), "type", "a character matrix of size 4 x 1")
  expect_refused(response(Sys.time() + 1:4, 4), "type", "POSIXct")
  expect_refused(response(data.frame(a = 1:2, f = factor(1:2)), 2), "type", "column 2 (\"f\")")
  expect_refused(response(cbind(a = 1:3, b = 5), 3), "constant", "column 2 (\"b\")")
  expect_refused(response(cbind(a = 1:3, b = c(1, NA, 2)), 3), "nonfinite", "column 2 (\"b\")")
  expect_identical(response(c("b", "a", "b"), 3)$levels, c("a", "b"))
})

test_that("a response without columns is refused by every supervised method", {
  methods <- rowsparse_methods()
  for (name in methods$method[methods$supervised]) {
    expect_refused(rowsparse(x, matrix(0, 4, 0), k = 1, method = name), "size", "one column")
  }
})

test_that("a `y` of the wrong length is an error with every method, and asks for k", {
  set.seed(1)
  x <- matrix(stats::rnorm(120), 20)
  for (name in rowsparse_methods()$method) {
    expect_refused(rowsparse(x, 5, method = name), "length", "Did you mean `k = 5`?")
    expect_refused(rowsparse(x, stats::rnorm(19), k = 2, method = name), "length", "got 19")
  }
  expect_refused(rowsparse(x, 5), "length", "one entry per sample (20); got the number 5")
  expect_refused(rowsparse(x, "a"), "length", "got the string \"a\"")
  expect_refused(rowsparse_path(x, "bsufs"), "length", "Did you mean `method = \"bsufs\"`?")
  expect_refused(rowsparse(x, cbind(1:19), k = 2), "length", "got 19")
  expect_refused(rowsparse(moments(x), 5), "length", "Did you mean `k = 5`?")
  expect_refused(rowsparse(Matrix::Matrix(x), 5), "length", "Did you mean `k = 5`?")
  expect_refused(rowsparse(as.data.frame(x), 5), "length", "Did you mean `k = 5`?")
  expect_refused(tune_rowsparse(x, 5), "length", "Did you mean `k = 5`?")
  expect_refused(rowsparse_path(x, y = 5), "length", "Did you mean `k = 5`?")
  expect_refused(cv_rowsparse(x, 5, k = 1:2, method = "cdlsr"), "length", "Did you mean `k = 5`?")
  expect_refused(cdlsr(x, 5, 2), "length", "Did you mean `k = 5`?")
  y <- x[, 1] > 0
  expect_s3_class(rowsparse(x, y, k = 2), "rowsparse")
})

test_that("numbers are numbers however they are stored, and told where they could be labels", {
  response <- rowsparse:::as_response
  said <- "rowsparse_message_response"
  labels <- list(rep(1:2, 5), rep(c(3L, 7L, -1L), 4), rep(0:11, 3), rep(1:68, 2), rep(0:1, 4))
  others <- list(1:6, 20:65, rep(20:65, 5), rep(c(1:11, 13L), 4), rep(c(0.5, 1), 4))
  for (y in c(labels, others)) {
    for (stored in list(y, as.double(y))) {
      if (list(y) %in% labels) {
        expect_message(found <- response(stored, length(y)), "factor\\(y\\) makes them classes",
          class = said
        )
      } else {
        expect_no_message(found <- response(stored, length(y)))
      }
      expect_identical(found$type, "numeric")
      expect_identical(found$Y[, 1], as.double(y))
    }
    expect_identical(response(factor(c(y, y)), 2 * length(y))$type, "class")
  }
  expect_identical(response(cbind(1:6, 6:1), 6)$text, "2 numeric responses")
  expect_identical(response(c(TRUE, FALSE, TRUE), 3)$type, "class")
  expect_refused(response(rep(1, 8), 8), "constant", "a constant response")
  expect_refused(response(paste0("s", 1:60), 60), "constant", "as many classes as samples (60)")
})

test_that("what a response is taken for is said once for all fits, and is so in every fold", {
  set.seed(2)
  x <- matrix(stats::rnorm(60 * 5), 60)
  age <- sample(rep(0:5, 10))
  count_said <- function(code) length(conditions_heard(code, "rowsparse_message_response"))
  expect_equal(count_said(rowsparse(x, age, k = 2, method = "cdlsr")), 1)
  expect_equal(count_said(rowsparse_path(x, age, method = "cdlsr", k = 1:2)), 1)
  expect_equal(count_said(tune_rowsparse(x, age, method = "cdlsr", subsamples = 2, k = 1:2)), 1)
  expect_equal(count_said(cv_rowsparse(x, age, k = 1:2, method = "cdlsr", folds = 5)), 1)
  expect_equal(count_said(moments(x, age)), 1)
  expect_equal(count_said(selection_error(x, age, "cdlsr", k = 1:2, folds = 3)), 1)
  fit <- suppressMessages(cdlsr(x, age, 2))
  expect_identical(fit$response$text, "a numeric response")
  expect_equal(fit$explained, suppressMessages(cdlsr(x, as.double(age), 2))$explained)
  expect_identical(cdlsr(x, factor(age), 2)$response$text, "6 classes")
  # counts, of which some folds would look like labels and others would not
  for (seed in 1:10) {
    set.seed(seed)
    counts <- stats::rpois(60, 2)
    foldid <- sample(rep(1:3, 20))
    found <- suppressMessages(cv_rowsparse(x, counts, method = "cdlsr", k = 1:2, foldid = foldid))
    plain <- suppressMessages(
      cv_rowsparse(x, cbind(as.double(counts)), method = "cdlsr", k = 1:2, foldid = foldid)
    )
    expect_equal(as.data.frame(found), as.data.frame(plain))
  }
})
