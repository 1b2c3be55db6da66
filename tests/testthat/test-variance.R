test_that("scores are the variances, and the k best have the largest sum of all sets", {
  x <- from_seed(2, matrix(stats::rnorm(60), 10) %*% diag(6:1))
  fit <- variance(x)
  expect_equal(fit$scores, apply(x, 2, stats::var))
  expect_equal(fit$objective, -sum(fit$scores))
  sets <- utils::combn(6, 3)
  sums <- colSums(matrix(fit$scores[sets], 3))
  expect_setequal(rowsparse(x, k = 3, method = "variance")$selected, sets[, which.max(sums)])
})
