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

test_that("sizes and weights near the limits of the double range are no limits", {
  # a weight that moves a by less than rounding
  expect_identical(prox_lq(1e155, 0.1, 2 / 3), 1e155)
  expect_identical(prox_lq(1, 1e-300, 2 / 3), 1)
  expect_identical(prox_lq(1e300, 0.1, 0.5), 1e300)
  expect_identical(prox_lq(5e-324, 5e-324, 0), 0)
  # scaled by 2^e, with lambda scaled by 2^(e (2 - q)), the answer scales
  for (q in c(0, 0.25, 0.5, 0.75)) {
    a <- c(-3, 0.2, 0.9, 1, 5)
    for (e in c(-520, -400, 400, 500)) {
      expect_equal(prox_lq(a * 2^e, 0.3 * 2^(e * (2 - q)), q) / 2^e, prox_lq(a, 0.3, q),
        tolerance = 1e-12
      )
    }
  }
  A <- rbind(c(3, 4), c(0.3, 0.4), c(0, 0))
  for (e in c(-1000, -700, -500, 500, 700, 1000)) {
    for (p in c(0, 0.5, 1)) {
      expect_equal(prox_l2p(A * 2^e, 0, p) / 2^e, A, tolerance = 1e-15)
    }
    half <- prox_l2p(A * 2^e, 2^(e - 1), 1)
    expect_equal(half / 2^e, prox_l2p(A, 0.5, 1), tolerance = 1e-12)
  }
})

test_that("q = 1/2 is right to the last digits, above the threshold and far from it", {
  lambda <- 0.3
  threshold <- 1.5 * lambda^(2 / 3)
  a <- threshold * c(1 + 10^-(1:12), 1 + (1:400) / 200, 10^(1:30))
  t <- rep(1, length(a)) # x = a t^2, by Newton's method, which falls to the root
  for (i in 1:80) t <- t - (t^3 - t + lambda / 2 / a^1.5) / (3 * t^2 - 1)
  expect_lte(max(abs(prox_lq(a, lambda, 0.5) / (a * t^2) - 1)), 8 * .Machine$double.eps)
  # other units, far from 1
  for (e in c(-120, 130)) {
    scaled <- prox_lq(a * 2^e, lambda * 2^(1.5 * e), 0.5)
    expect_lte(max(abs(scaled / (a * t^2 * 2^e) - 1)), 1e-14)
  }
})

test_that("q = 1/2 treats every entry alone, however many there are", {
  set.seed(4)
  for (count in c(1, 31:33, 64, 65, 200)) {
    a <- rnorm(count) * 2^sample(-3:3, count, TRUE)
    a[sample(count, count %/% 5)] <- 0
    together <- prox_lq(a, 0.3, 0.5)
    expect_identical(together, vapply(a, function(one) prox_lq(one, 0.3, 0.5), 0))
    expect_identical(prox_lq(rev(a), 0.3, 0.5), rev(together))
  }
  far <- c(1, 1e150, -2, 1e-150, 3) # entries of sizes that need care among others
  expect_identical(prox_lq(far, 0.3, 0.5), c(prox_lq(1, 0.3, 0.5), 1e150, prox_lq(-2, 0.3, 0.5),
    0, prox_lq(3, 0.3, 0.5)))
})
