core_ends_here()

test_that("columns that say nothing are refused by name", {
  x <- data.frame(a = 1:6, b = factor(rep("u", 6)))
  expect_refused(rowsparse(x, k = 1), "constant", "a single level, \"u\", in \"b\"")
  expect_refused(rowsparse(x, k = 1), "constant", "x[setdiff(names(x), \"b\")]")
  x$b <- letters[1:6]
  expect_refused(rowsparse(x, k = 1), "identifier", "as many levels as rows (6) in \"b\"")
  x$b <- as.character(seq(0.5, 3, 0.5))
  expect_refused(rowsparse(x, k = 1), "identifier", "as.numeric()")
  x$b <- letters[1:6]
  expect_refused(rowsparse(a ~ ., data = x, k = 1), "identifier", "of the formula: - b")
  expect_refused(rowsparse(a ~ log(a) + b, data = x, k = 1), "identifier", "- b")
})

test_that("columns that are no columns are refused with what to do", {
  x <- data.frame(a = 1:6, b = rep(c("u", "v"), 3))
  x$c <- as.list(1:6)
  expect_refused(rowsparse(x, k = 1), "type", "a list of length 6 in \"c\"")
  x$c <- matrix(1:12, 6)
  expect_refused(rowsparse(x, k = 1), "type", "an integer matrix")
  expect_refused(rowsparse(x, k = 1), "type", "do.call(data.frame, x)")
  x$c <- complex(real = 1:6)
  expect_refused(rowsparse(x, k = 1), "type", "Make numbers or a factor")
  x$c <- data.frame(u = 1:6)
  expect_refused(rowsparse(x, k = 1), "type", "a data frame")
  x$c <- NULL
  names(x) <- c("a", "a")
  expect_refused(rowsparse(x, k = 1), "names", "distinct")
})

test_that("new rows that do not go with the fit are refused by name", {
  x <- data.frame(a = c(1:5, 9), b = rep(c("u", "v"), 3), d = as.Date("2020-01-01") + c(1:5, 40))
  fit <- suppressMessages(rowsparse(x, k = 3, method = "variance"))
  bad <- x
  bad$b[2:3] <- c("w", "z")
  numbers <- function(x) code_rows(fit$blueprint, x)
  expect_refused(numbers(bad), "levels", "in \"b\"; got \"w\", \"z\". It knows \"u\", \"v\"")
  expect_refused(numbers(x[c("a", "d")]), "names", "1 missing: \"b\"")
  bad <- x
  bad$a <- letters[1:6]
  expect_refused(numbers(bad), "type", "must have numbers in \"a\"")
  bad <- x
  bad$d <- as.POSIXct(bad$d)
  expect_refused(numbers(bad), "type", "must have dates in \"d\"")
  bad$d <- 1:6
  expect_refused(numbers(bad), "type", "must have dates in \"d\"")
  bad <- x
  bad$b <- NA
  expect_identical(sum(is.na(numbers(bad))), 6L)
})

test_that("formulas say what they cannot be", {
  expect_refused(rowsparse(mpg ~ wt + offset(log(hp)), data = mtcars, k = 1), "type",
    "offset(log(hp))"
  )
  expect_refused(rowsparse(mpg ~ log(wt) - 1, data = mtcars, k = 1), "type", "always centred")
  expect_refused(rowsparse(mpg ~ log(weight), data = mtcars, k = 1), "names", "\"weight\" is none")
  expect_refused(rowsparse(mpg ~ log(gears), data = mtcars, k = 1), "names",
    "Did you mean \"gear\"?"
  )
  expect_refused(rowsparse(mpg ~ poly(wt, 100), data = mtcars, k = 1), "names", "degree")
  expect_refused(cv_rowsparse(~., data = mtcars), "type", "left side")
  expect_refused(selection_error(~., data = mtcars, k = 2), "type", "left side")
  expect_refused(cv_rowsparse(mpg ~ .), "missing", "rowsparse(x, y)")
  expect_refused(cv_rowsparse(mtcars), "missing", "`y` must be given")
  expect_refused(cv_rowsparse(mtcars, "mpg"), "length", "rowsparse(mpg ~ ., data = x)")
})

test_that("new data that a formula cannot be computed from are refused", {
  x <- data.frame(a = c(1:5, 9), b = c(2, 1, 4, 3, 8, 5), y = c(1, 3, 2, 5, 4, 9))
  fit <- rowsparse(y ~ log(a) + I(b^2), data = x, k = 2, method = "cdlsr")
  expect_refused(predict(fit, x["b"]), "names", "1 missing: \"a\"")
  expect_refused(predict(fit, data.frame(a = letters, b = 1)), "names", "non-numeric")
  outside <- x$b
  fit <- rowsparse(y ~ log(a) + sqrt(outside), data = x, k = 2, method = "cdlsr")
  expect_refused(predict(fit, x[1:2, ]), "length", "sqrt(outside)")
})

test_that("what na.action is, and where it is none of the call's", {
  x <- data.frame(a = c(1:5, NA), b = c(2, 1, NA, 3, 8, 5))
  numbers <- as.matrix(mtcars)
  expect_refused(rowsparse(numbers, k = 2, na.action = na.omit), "argument", "data frames")
  expect_refused(rowsparse(x, k = 1, na.action = "nothing"), "type", "na.omit")
  expect_refused(rowsparse(x, k = 1, na.action = 3), "type", "na.omit")
  expect_refused(rowsparse(x, k = 1, na.action = function(x) x[1:3, ]), "type", "as na.omit() does")
  expect_refused(rowsparse(x[c(3, 6), ], k = 1, na.action = na.omit), "nonfinite",
    "2 of 2 rows with missing values"
  )
  x$c <- letters[c(1, 1, 2, 2, 2, 1)]
  expect_refused(rowsparse(x, k = 1, na.action = na.pass), "nonfinite", "2 of them")
})

test_that("methods for single columns refuse factors of several levels by name", {
  x <- data.frame(a = sin(1:30), b = cos(1:30), f = factor(rep(1:3, 10)))
  serving <- names(Filter(function(entry) takes(entry, "groups"), method_table()))
  others <- setdiff(names(method_table()), serving)
  y <- gl(2, 15)
  for (method in utils::head(others, 3)) {
    expect_refused(rowsparse(x, y, k = 2, method = method), "groups", "several indicators of \"f\"")
  }
  fit <- rowsparse(x, k = 2, method = "css", include = "f")
  x$f <- factor(rep(3:5, 10))
  expect_refused(predict(fit, x, type = "components"), "levels", "got \"4\", \"5\"")
  expect_refused(rowsparse(x, k = 2, method = "css", include = "g"), "names", "\"g\"")
})

test_that("single methods tell the way to a table's factors", {
  expect_refused(css(iris, 2), "type", "rowsparse(x, method = ...)")
})

test_that("responses that are none are refused where they stand in a formula", {
  x <- data.frame(a = factor(1:6 > 3), b = as.Date("2020-01-01") + 1:6, d = 1:6)
  expect_refused(suppressWarnings(rowsparse(a + b ~ d, data = x, k = 1)), "type", "a + b")
  expect_refused(rowsparse(d[1:3] ~ a, data = x, k = 1), "length", "(6)")
})
