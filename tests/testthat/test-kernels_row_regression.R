# W of the normal equations in the rows with u > 0, zero elsewhere
plain_row_regression <- function(x, target, beta, u, v) {
  live <- u > 0
  W <- matrix(0, ncol(x), ncol(target))
  inside <- x[, live, drop = FALSE]
  W[live, ] <- solve(crossprod(inside / v, inside) + diag(beta / u[live], sum(live)),
    crossprod(inside / v, target)
  )
  W
}

test_that("coefficients are those of the normal equations, by either side", {
  set.seed(1)
  for (shape in list(c(30, 8), c(9, 40), c(12, 12))) {
    x <- centred(sample_matrix(shape[1], shape[2]))
    target <- matrix(rnorm(3 * shape[1]), shape[1])
    u <- 10^runif(shape[2], -1, 1)
    u[2] <- 0
    for (v in list(NULL, 10^runif(shape[1], -1, 1))) {
      for (data in list(as_c_data(x), as_c_data(Matrix::Matrix(x, sparse = TRUE)))) {
        end <- c_call("C_row_regression", data, target, u, v, 0.7)
        weights <- if (is.null(v)) rep(1, shape[1]) else v
        expect_equal(end$W, plain_row_regression(x, target, 0.7, u, weights), ignore_attr = TRUE)
        expect_equal(end$R, target - x %*% end$W, ignore_attr = TRUE)
        expect_identical(end$W[2, ], numeric(3))
      }
    }
  }
})

test_that("coefficients near given ones are those of the normal equations, by either side", {
  set.seed(4)
  for (shape in list(c(30, 8), c(9, 40))) {
    x <- centred(sample_matrix(shape[1], shape[2]))
    target <- matrix(rnorm(2 * shape[1]), shape[1])
    centre <- matrix(rnorm(2 * shape[2]), shape[2])
    W <- solve(crossprod(x) + diag(0.7, shape[2]), crossprod(x, target) + 0.7 * centre)
    for (beta in list(0.7, c(3, 0.7))) {
      end <- c_call("C_row_regression_about", as_c_data(x), target, centre, beta)
      expect_equal(end$W, W, ignore_attr = TRUE)
      expect_equal(end$R, target - x %*% W, ignore_attr = TRUE)
    }
  }
})

test_that("the second of two systems does not see the first", {
  set.seed(2)
  x <- centred(sample_matrix(20, 5))
  target <- matrix(rnorm(20), 20)
  for (v in list(NULL, runif(20, 1, 2))) {
    once <- c_call("C_row_regression", as_c_data(x), target, rep(2, 5), v, 0.5)
    again <- c_call("C_row_regression", as_c_data(x), target, rep(2, 5), v, 0.5)
    expect_identical(once, again)
  }
})

test_that("a multiplicative step lowers its objective and keeps zeros", {
  set.seed(3)
  labels <- abs(matrix(rnorm(30), 10))
  labels[2, 1] <- 0
  A <- crossprod(matrix(rnorm(100), 10))
  value <- function(labels) {
    sum(labels * (A %*% labels)) / 2 + 5 * sum((crossprod(labels) - diag(3))^2)
  }
  last <- value(labels)
  for (i in 1:30) {
    plus <- pmax(A, 0) %*% labels + 20 * labels %*% crossprod(labels)
    minus <- pmax(-A, 0) %*% labels + 20 * labels
    labels <- c_call("C_nonnegative", labels, minus, plus, 0.5)
    expect_lte(value(labels), last * (1 + 1e-12))
    last <- value(labels)
  }
  expect_identical(labels[2, 1], 0)
  expect_identical(c_call("C_nonnegative", c(2, 2, 2), c(1, 0, 4), c(0, 0, 1), 0.5),
    c(2e4, 2, 4)
  )
})
