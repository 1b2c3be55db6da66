# Sizes whose products no int holds: 46341 squared is the first.

# columns 1 to 30 have more entries than the others, y is the sum of five of them and noise
large_table <- function(n = 60000L) {
  set.seed(161)
  few <- Matrix::sparseMatrix(rep(seq_len(n), 5)[seq_len(36000)], rep(1:30, each = 1200),
    x = 1 + stats::rexp(36000), dims = c(n, 30L)
  )
  columns <- c(seq_len(n - 30L), sample(n - 30L, 3e5 - n + 30L, TRUE))
  rest <- Matrix::sparseMatrix(sample(n, 3e5, TRUE), columns, x = 1 + stats::rexp(3e5),
    dims = c(n, n - 30L)
  )
  x <- cbind(few, rest)
  list(x = x, y = Matrix::rowSums(x[, 1:5]) + stats::rnorm(n))
}

core_ends_here()

test_that("60 000 samples of 60 000 features", {
  skip_slow()
  table <- large_table()
  x <- table$x
  n <- nrow(x)
  means <- Matrix::colMeans(x)
  variance <- (Matrix::colSums(x^2) - n * means^2) / (n - 1)
  fit <- rowsparse(x, k = 50, method = "variance")
  expect_equal(unname(fit$scores), unname(variance), tolerance = 1e-12)
  expect_setequal(fit$selected, order(-variance)[1:50])

  y <- table$y - mean(table$y)
  correlation <- as.numeric(Matrix::crossprod(x, y)) / sqrt((n - 1) * variance * sum(y^2))
  fit <- rowsparse(x, table$y, k = 30, method = "ftest")
  expect_equal(unname(fit$scores), unname(correlation)^2, tolerance = 1e-8)

  best <- stats::lm.fit(cbind(1, as.matrix(x[, 1:5])), table$y)
  for (method in c("pgd", "cdlsr")) {
    fit <- rowsparse(x, table$y, k = 5, method = method)
    expect_setequal(fit$selected, 1:5)
  }
  expect_equal(utils::tail(fit$objective, 1), sum(best$residuals^2), tolerance = 1e-9)

  for (method in c("fspca", "spcafs", "bsufs")) {
    fit <- suppressWarnings(rowsparse(x, k = 5, method = method))
    expect_true(all(fit$selected %in% 1:30), info = method)
  }
  fit <- fspca(x, 5, m = 1)
  S <- stats::cov(as.matrix(x[, fit$selected])) * (n - 1)
  expect_equal(utils::tail(fit$objective, 1), -eigen(S, TRUE)$values[1], tolerance = 1e-9)
})
