test_that("weights are those of the published steps, in the order of all paths", {
  for (tokens in c(2, 3, 4, 9)) {
    data <- class_data(tokens, d = 8)
    fit <- ilfs(data$x, data$y, tokens)
    plain <- plain_ilfs(data$x, data$y, tokens)
    expect_equal(fit$scores, plain$pi, tolerance = 1e-10)
    expect_equal(plain$paths / sum(plain$paths), plain$pi / sum(plain$pi))
    expect_never_rises(fit$objective)
    expect_lte(fit$iterations, 15)
    expect_identical(colSums(fit$counts), rep(45, 8))
  }
})

core_ends_here()

test_that("more steps reach the maximum of the likelihood", {
  data <- class_data(5, d = 8)
  fit <- ilfs(data$x, data$y, control = list(tol = 1e-14, maxit = 5000))
  expect_true(fit$converged)
  a <- seq(5000, 1, length.out = 4)
  a <- a / sum(a)
  for (j in 1:8) {
    found <- stats::optimize(
      function(pi) sum(fit$counts[, j] * log(pi * a + (1 - pi) * rev(a))), 0:1,
      maximum = TRUE, tol = 1e-10
    )
    expect_equal(fit$scores[j], found$maximum, tolerance = 1e-4)
  }
  expect_warning(ilfs(data$x, data$y, control = list(tol = 1e-14, maxit = 3)),
    class = "rowsparse_warning_convergence"
  )
})
