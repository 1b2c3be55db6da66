# min ||y - z a||^2 / 2 + lambda ||a||_1 by coordinate descent
plain_lasso <- function(z, y, lambda, sweeps = 3000) {
  a <- numeric(ncol(z))
  r <- y
  square <- colSums(z^2)
  for (sweep in seq_len(sweeps)) {
    before <- a
    for (j in which(square > 0)) {
      g <- sum(z[, j] * r) + square[j] * a[j]
      new <- sign(g) * max(0, abs(g) - lambda) / square[j]
      r <- r - z[, j] * (new - a[j])
      a[j] <- new
    }
    if (max(abs(a - before)) <= 1e-14 * max(abs(a), 1e-300)) break
  }
  a
}

lasso_paths <- function(x, Y, size, ridge = 0) {
  c_call("C_mcfs", as_c_data(x), as.matrix(Y), list(size = as.integer(size), ridge = ridge))
}

# the conditions under which a is the lasso of lambda, and how many correlations reach it
expect_lasso <- function(x, y, a, lambda, pull, tolerance = 1e-9) {
  z <- centred(x)
  correlation <- unname(drop(crossprod(z, y - z %*% a)))
  unit <- max(abs(crossprod(z, y)))
  expect_lte(max(abs(correlation)), lambda + tolerance * unit)
  expect_equal(correlation[a != 0] / unit, lambda / unit * sign(a[a != 0]), tolerance = tolerance)
  if (lambda > 0) expect_equal(pull, abs(correlation) / lambda, tolerance = 1e-6)
}

test_that("paths end where one feature more would enter, at the lasso of their penalty", {
  set.seed(1)
  for (shape in list(c(30, 8), c(12, 40), c(40, 40))) {
    x <- sample_matrix(shape[1], shape[2], noise = 1)
    Y <- matrix(rnorm(shape[1] * 3), shape[1])
    for (size in c(1, 2, 5, 7)) {
      end <- lasso_paths(x, Y, size)
      expect_true(end$converged)
      for (l in 1:3) {
        a <- end$coefficients[, l]
        y <- Y[, l] - mean(Y[, l])
        expect_lasso(x, y, a, end$lambda[l], end$pull[, l])
        expect_identical(sum(a != 0), as.integer(size))
        # the next feature is at the door
        expect_equal(max(end$pull[a == 0, l]), 1, tolerance = 1e-8)
        if (shape[1] > shape[2]) {
          plain <- plain_lasso(unname(centred(x)), y, end$lambda[l])
          expect_equal(a, plain, tolerance = 1e-5)
        }
      }
    }
  }
})

test_that("features that leave again are followed", {
  set.seed(2)
  dropped <- 0
  for (trial in 1:30) {
    x <- matrix(rnorm(15 * 4), 15) %*% matrix(rnorm(4 * 25), 4) + 0.3 * rnorm(15 * 25)
    y <- rnorm(15)
    for (size in c(3, 8, 12)) {
      end <- lasso_paths(x, y, size)
      dropped <- dropped + (end$steps - size) / 2
      expect_lasso(x, y - mean(y), end$coefficients[, 1], end$lambda, end$pull[, 1])
    }
  }
  expect_gt(dropped, 20)
})

test_that("a path with room for all features ends at least squares", {
  set.seed(3)
  x <- sample_matrix(30, 6)
  y <- rnorm(30)
  end <- lasso_paths(x, y, 6)
  expect_identical(end$lambda, 0)
  expect_equal(end$coefficients[, 1], unname(coef(lm(y ~ x))[-1]), tolerance = 1e-8)
  # more features than samples: no residual, and at most n - 1 coefficients
  x <- sample_matrix(10, 30)
  y <- rnorm(10)
  end <- lasso_paths(x, y, 25)
  rest <- y - mean(y) - centred(x) %*% end$coefficients
  expect_lte(max(abs(rest)), 1e-8)
  expect_lte(sum(end$coefficients != 0), 9)
  expect_identical(lasso_paths(x, numeric(10), 3)$coefficients, matrix(0, 30, 1))
})

test_that("copies and sums of active features never enter, and ties have no order", {
  set.seed(4)
  x <- unname(sample_matrix(20, 6))
  y <- rnorm(20)
  alone <- lasso_paths(x, y, 4)
  copied <- cbind(x, x[, 2], -x[, 4], x[, 1] + x[, 3])
  end <- lasso_paths(copied, y, 4)
  expect_lasso(copied, y - mean(y), end$coefficients[, 1], end$lambda, end$pull[, 1])
  expect_equal(end$lambda, alone$lambda, tolerance = 1e-10)
  # orthogonal columns with the same correlation come together: no coefficient
  # is given to the one of them that there is no room for, nor to the other
  z <- contr.helmert(8)
  z <- sweep(z, 2, sqrt(colSums(z^2)), "/")
  y <- drop(z %*% c(3, 2, 2, 1, 0, 0, 0))
  for (columns in list(1:7, c(3, 2, 1, 4:7), 7:1)) {
    end <- lasso_paths(z[, columns], y, 2)
    a <- end$coefficients[order(columns), 1]
    expect_equal(a, c(1, 0, 0, 0, 0, 0, 0), tolerance = 1e-10)
    expect_equal(end$lambda, 2, tolerance = 1e-10)
    end <- lasso_paths(z[, columns], y, 3)
    expect_equal(end$coefficients[order(columns), 1], c(2, 1, 1, 0, 0, 0, 0), tolerance = 1e-10)
  }
})

test_that("responses that move together have the paths that they have alone", {
  set.seed(5)
  x <- sample_matrix(25, 50)
  Y <- cbind(matrix(rnorm(75), 25), 0, x[, 7])
  end <- lasso_paths(x, Y, 6)
  for (l in 1:5) {
    alone <- lasso_paths(x, Y[, l], 6)
    expect_equal(end$coefficients[, l], alone$coefficients[, 1], tolerance = 1e-9)
    expect_identical(end$steps[l], alone$steps)
  }
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(lasso_paths(sparse, Y, 6)$coefficients, end$coefficients, tolerance = 1e-8)
})

test_that("a ridge is added to the Gram matrix of the active features alone", {
  set.seed(6)
  x <- sample_matrix(20, 9)
  y <- rnorm(20)
  z <- centred(x)
  # one feature: its correlation falls by x'x / (x'x + ridge) of lambda
  first <- which.max(abs(crossprod(z, y)))
  end <- lasso_paths(x, y, 1, ridge = 50)
  a <- end$coefficients[first, 1]
  lambda <- max(abs(crossprod(z, y)))
  expect_equal(abs(a) * (sum(z[, first]^2) + 50), lambda - end$lambda, tolerance = 1e-10)
  inactive <- abs(crossprod(z, y - z %*% end$coefficients))[-first]
  expect_equal(max(inactive), end$lambda, tolerance = 1e-10)
})
