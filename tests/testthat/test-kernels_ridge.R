plain_ridge <- function(x, B, w, s) {
  z <- centred(x)
  unname(solve(crossprod(z / sqrt(s)) + diag(w, ncol(z)), B))
}

test_that("primal and dual ridge equations have the solution of the normal equations", {
  set.seed(71)
  for (shape in list(c(30, 8), c(9, 40), c(20, 20))) {
    x <- sample_matrix(shape[1], shape[2])
    B <- matrix(rnorm(3 * shape[2]), shape[2])
    for (spread in c(1, 100)) {
      w <- spread^runif(shape[2], -1, 1)
      s <- spread^runif(shape[1], -1, 1)
      expected <- plain_ridge(x, B, w, s)
      for (data in list(as_c_data(x), as_c_data(Matrix::Matrix(x, sparse = TRUE)))) {
        for (dual in c(FALSE, TRUE)) {
          end <- c_call("C_ridge", data, B, w, s, dual)
          expect_equal(end$solution, expected, tolerance = 1e-7)
          expect_identical(end$growth, 0)
        }
      }
    }
  }
})

test_that("the inverse of the system is whole and symmetric, panel by panel", {
  set.seed(74)
  shapes <- list(c(21, 1), c(21, 8), c(70, 64), c(65, 40), c(150, 131))
  for (shape in if (is_quick()) shapes[-5] else shapes) {
    n <- shape[1]
    d <- shape[2]
    x <- sample_matrix(n, d)
    w <- 10^runif(d, -1, 1)
    s <- 10^runif(n, -1, 1)
    for (block in list(NULL, batches(n))) {
      z <- if (is.null(block)) centred(x) else within_levels(x, block)
      primal <- unname(solve(crossprod(z / sqrt(s)) + diag(w, d)))
      dual <- unname(solve(tcrossprod(z %*% diag(1 / sqrt(w), d)) + diag(s)))
      for (kind in kinds(x)) {
        data <- unclass(as_data(kind, block = block))
        for (by_samples in c(FALSE, TRUE)) {
          end <- c_call("C_ridge", data, matrix(1, d), w, s, by_samples)
          expect_equal(end$inverse, if (by_samples) dual else primal, tolerance = 1e-8)
          expect_identical(end$inverse, t(end$inverse))
          expect_equal(drop(end$solution), rowSums(primal), tolerance = 1e-7)
        }
      }
    }
  }
})

test_that("a ridge of rounding size makes the diagonal grow, and no more than it must", {
  set.seed(72)
  x <- sample_matrix(12, 5)
  x <- unname(cbind(x, x, x))
  end <- c_call("C_ridge", as_c_data(x), matrix(1, 15), rep(-1e-12, 15), rep(1, 12), FALSE)
  expect_true(all(is.finite(end$solution)))
  expect_gt(end$growth, 0)
  expect_lte(end$growth, 1e-6)
  expect_refused(
    c_call("C_ridge", as_c_data(x), matrix(1, 15), rep(-1e9, 15), rep(1, 12), FALSE),
    "numerical", "singular"
  )
})

test_that("the Cholesky factor in pieces is the one of LAPACK", {
  set.seed(73)
  sizes <- c(1, 7, 130, if (!is_quick()) 900)
  for (p in sizes) {
    A <- crossprod(matrix(rnorm(p * (p + 5)), p + 5)) + diag(p)
    expect_equal(c_call("C_cholesky", A), chol(A), tolerance = 1e-9)
    inverse <- c_call("C_cholesky_inverse", A)
    expect_equal(inverse, t(inverse))
    expect_lt(max(abs(inverse %*% A - diag(nrow(A)))), 1e-7)
    A[p, p] <- -1
    expect_refused(c_call("C_cholesky", A), "numerical", "singular")
  }
})
