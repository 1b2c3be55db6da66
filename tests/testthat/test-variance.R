test_that("scores are the variances, whatever the data come as", {
  set.seed(1)
  x <- sample_matrix(30, 12)
  fit <- variance(x)
  expect_equal(fit$scores, apply(x, 2, stats::var))
  expect_identical(fit$ranking, order(-apply(x, 2, stats::var)))
  expect_equal(variance(moments(x))$scores, fit$scores)
  expect_equal(variance(methods::as(x, "CsparseMatrix"))$scores, fit$scores)
  expect_equal(fit$objective, -sum(apply(x, 2, stats::var)))
})

core_ends_here()

test_that("the k best have the largest sum of variances of all sets", {
  set.seed(2)
  x <- matrix(stats::rnorm(60), 10) %*% diag(6:1)
  sets <- utils::combn(6, 3)
  sums <- colSums(matrix(apply(x, 2, stats::var)[sets], 3))
  best <- rowsparse(x, k = 3, method = "variance")
  expect_setequal(best$selected, sets[, which.max(sums)])
})

test_that("variances in any units, and constant features last", {
  set.seed(3)
  x <- cbind(matrix(stats::rnorm(50), 10), 7)
  for (unit in 10^c(-140, 0, 140)) {
    fit <- suppressWarnings(variance(x * unit))
    expect_identical(fit$ranking, suppressWarnings(variance(x))$ranking)
    expect_identical(utils::tail(fit$ranking, 1), 6L)
    expect_identical(fit$scores[6], 0)
  }
})

test_that("the front door gives the variances as they are", {
  x <- as.matrix(iris[, 1:4])
  fit <- rowsparse(x, k = 2, method = "variance")
  expect_equal(fit$scores, apply(x, 2, stats::var))
  expect_equal(fit$scores, variance(x)$scores)
})
