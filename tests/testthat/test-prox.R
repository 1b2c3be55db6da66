# objective of the scalar proximal problem, by brute force on a fine grid
grid_minimum <- function(a, lambda, q) {
  x <- c(0, seq(-1.2, 1.2, length.out = 24001) * max(abs(a), 1e-3))
  min(lambda * (if (q == 0) x != 0 else abs(x)^q) + (x - a)^2 / 2)
}

prox_value <- function(x, a, lambda, q) {
  lambda * plain_penalty(x, q) + (x - a)^2 / 2
}

exponents <- c(0, 0.1, 1 / 3, 0.5, 0.6, 2 / 3, 0.9, 0.99, 1)

test_that("prox_lq minimises its objective for every exponent", {
  for (q in exponents) {
    for (lambda in c(1e-3, 0.1, 1, 10)) {
      for (a in c(-3, -0.7, 0, 0.01, 0.4, 1, 2.5, 20)) {
        x <- prox_lq(a, lambda, q)
        expect_lte(prox_value(x, a, lambda, q), grid_minimum(a, lambda, q) + 1e-12)
      }
    }
  }
})

test_that("nonzero results satisfy the stationarity equation", {
  for (q in exponents[-1]) {
    a <- c(0.5, 1, 3, 50)
    x <- prox_lq(a, 0.2, q)
    kept <- x > 0
    expect_true(any(kept))
    residual <- x[kept] - a[kept] + 0.2 * q * x[kept]^(q - 1)
    expect_lte(max(abs(residual) / a[kept]), 1e-12)
  }
})

test_that("closed forms agree with Newton's method beside them", {
  a <- seq(0.1, 4, by = 0.037)
  for (q in c(0.5, 2 / 3)) {
    near <- prox_lq(a, 0.1, q + 1e-9)
    expect_equal(prox_lq(a, 0.1, q), near, tolerance = 1e-6)
  }
})

test_that("the threshold is where zero stops being the minimiser", {
  for (q in exponents) {
    lambda <- 0.3
    kappa <- if (q == 1) lambda else
      (2 - q) / (2 * (1 - q)) * (2 * lambda * (1 - q))^(1 / (2 - q))
    expect_identical(prox_lq(kappa * (1 - 1e-9), lambda, q), 0)
    expect_gt(prox_lq(kappa * (1 + 1e-6), lambda, q), 0)
    expect_equal(c_call("C_prox_lambda_at", kappa, q), lambda, tolerance = 1e-12)
  }
  # the published exponent of the threshold would give 0.394 here
  expect_identical(prox_lq(0.2623, 0.1, 2 / 3), 0)
  expect_gt(prox_lq(0.2625, 0.1, 2 / 3), 0)
})

test_that("prox_lq is odd, keeps shape, and is the identity for lambda = 0", {
  A <- matrix(c(-2, -0.3, 0, 1, 5, 0.1), 2, dimnames = list(c("a", "b"), NULL))
  for (q in exponents) {
    expect_equal(prox_lq(-A, 0.2, q), -prox_lq(A, 0.2, q))
    expect_identical(prox_lq(A, 0, q), A)
  }
  expect_identical(dimnames(prox_lq(A, 0.2, 0.5)), dimnames(A))
  expect_equal(prox_lq(A, 0.2, 1), sign(A) * pmax(abs(A) - 0.2, 0))
  expect_equal(prox_lq(A, 0.2, 0), A * (abs(A) > sqrt(0.4)))
})

test_that("prox_l2p shrinks row norms and keeps directions", {
  set.seed(1)
  A <- rbind(matrix(rnorm(30), 10), 0)
  for (p in exponents) {
    B <- prox_l2p(A, 0.4, p)
    expect_equal(plain_norms(B), prox_lq(plain_norms(A), 0.4, p), tolerance = 1e-12)
    kept <- plain_norms(B) > 0
    cosine <- rowSums(A * B)[kept] / (plain_norms(A) * plain_norms(B))[kept]
    expect_equal(cosine, rep(1, sum(kept)))
  }
  column <- A[, 1, drop = FALSE]
  expect_equal(prox_l2p(column, 0.4, 0.5), prox_lq(column, 0.4, 0.5))
})
