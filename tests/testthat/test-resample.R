# How samples are assigned to folds.

folds_of <- function(x, y, ...) {
  method <- if (is.null(y)) "variance" else "ftest"
  withCallingHandlers(cv_rowsparse(x, y, k = 1, method = method, ...)$foldid,
    rowsparse_warning_no_better = function(w) tryInvokeRestart("muffleWarning")
  )
}

core_ends_here()

test_that("folds are even, hold the classes evenly, and need no draw", {
  y <- iris$Species[1:140]
  folds <- folds_of(iris[1:140, 1:4], y, folds = 5)
  expect_lte(diff(range(table(folds))), 1)
  expect_lte(max(apply(table(folds, y), 2, function(n) diff(range(n)))), 1)
  # the order of samples, features and levels is of no account
  turned <- sample(140)
  expect_identical(folds_of(iris[turned, 4:1], factor(y, rev(levels(y)))[turned], folds = 5),
    folds[turned]
  )
})

test_that("numbers are dealt out by rank, several by a component, samples alone by distance", {
  x <- from_seed(57, sample_matrix(43, 6))
  several <- folds_of(x, x[, 1:2] + stats::rnorm(86), folds = 4)
  expect_identical(sort(tabulate(several)), c(10L, 11L, 11L, 11L))
  y <- stats::rnorm(40)
  one <- folds_of(x[1:40, ], y, folds = 4)
  # four neighbours in rank lie in four folds
  expect_true(all(apply(matrix(one[order(y)], 4), 2, function(fold) length(unique(fold)) == 4)))
  none <- folds_of(x[1:40, ], NULL, folds = 4)
  distance <- rowSums(scale(x[1:40, ])^2)
  expect_identical(none[order(distance)], rep_len(c(1:4, 4:1), 40))
})

test_that("drawn folds are stratified, follow the seed, and are averaged over repeats", {
  x <- from_seed(60, sample_matrix(30, 6))
  y <- factor(x[, 1] + stats::rnorm(30) > 0)
  run <- function(...) cv_rowsparse(x, y, method = "ftest", k = 1:3, ...)
  cv <- run(folds = 5, repeats = 3, seed = 4)
  expect_identical(dim(cv$foldid), c(30L, 3L))
  expect_lte(max(apply(table(cv$foldid[, 2], y), 2, function(n) diff(range(n)))), 1)
  single <- lapply(1:3, function(r) run(foldid = cv$foldid[, r])$table)
  expect_equal(cv$table$error, rowMeans(vapply(single, `[[`, numeric(3), "error")))
  expect_equal(cv$table$se, sqrt(rowMeans(vapply(single, `[[`, numeric(3), "se")^2)))
  again <- run(foldid = cv$foldid)
  expect_identical(again$table, cv$table)
  expect_identical(again$repeats, 3L)
})

test_that("levels of a block are spread evenly, and stay in every training set", {
  x <- from_seed(61, sample_matrix(60, 4))
  block <- rep(c("a", "b", "c"), c(30, 20, 10))
  folds <- folds_of(x, stats::rnorm(60), block = block, folds = 5)
  expect_lte(max(apply(table(folds, block), 2, function(n) diff(range(n)))), 1)
  expect_refused(folds_of(x, stats::rnorm(60), block = rep(1:30, 2), folds = 3), "block", "samples")
})

test_that("small data have fewer folds, and folds may be named", {
  x <- from_seed(1, sample_matrix(9, 5))
  y <- stats::rnorm(9)
  expect_message(folds <- folds_of(x, y), "9 folds", class = "rowsparse_message_folds")
  expect_identical(sort(folds), 1:9)
  named <- folds_of(x, y, foldid = c("u", "v", "w")[rep(1:3, 3)])
  expect_identical(named, rep(1:3, 3))
})
