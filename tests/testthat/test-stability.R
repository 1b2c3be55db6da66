core_ends_here()

test_that("stability follows its definition and its two anchors", {
  set.seed(1)
  Z <- matrix(rbinom(8 * 12, 1, 0.3), 8)
  kbar <- mean(rowSums(Z))
  d <- ncol(Z)
  expected <- 1 - mean(apply(Z, 2, var)) / (kbar / d * (1 - kbar / d))
  expect_equal(nogueira_stability(Z)$stability, expected)
  same <- matrix(rep(c(1, 0, 1, 0, 0), each = 4), 4)
  expect_equal(nogueira_stability(same)$stability, 1)
  expect_equal(nogueira_stability(same)$variance, 0)
  # random selections of fixed size: 0 in expectation
  random <- selection_matrix(replicate(400, sample(50, 10), simplify = FALSE), 50)
  expect_lt(abs(nogueira_stability(random)$stability), 0.01)
})

test_that("with selections of one size it is the mean pairwise kappa", {
  set.seed(2)
  runs <- 6
  d <- 15
  k <- 4
  Z <- selection_matrix(replicate(runs, sample(d, k, prob = (1:d)^2), simplify = FALSE), d)
  kappa <- combn(runs, 2, function(pair) {
    overlap <- sum(Z[pair[1], ] * Z[pair[2], ])
    (overlap - k^2 / d) / (k - k^2 / d)
  })
  expect_equal(nogueira_stability(Z)$stability, mean(kappa))
})

test_that("stability does not depend on the order of runs or features", {
  set.seed(3)
  Z <- matrix(rbinom(6 * 9, 1, 0.4), 6)
  expect_equal(nogueira_stability(Z[sample(6), sample(9)]), nogueira_stability(Z))
})

test_that("the variance agrees with the jackknife and the interval covers", {
  set.seed(4)
  d <- 40
  frequency <- rep(c(0.8, 0.1), c(8, 32))
  draw <- function(runs) matrix(rbinom(runs * d, 1, rep(frequency, each = runs)), runs)
  Z <- draw(300)
  result <- nogueira_stability(Z)
  leave_one_out <- vapply(seq_len(300), function(i) nogueira_stability(Z[-i, ])$stability, 0)
  jackknife <- 299 / 300 * sum((leave_one_out - mean(leave_one_out))^2)
  expect_equal(result$variance, jackknife, tolerance = 0.05)
  expect_equal(mean(c(result$lower, result$upper)), result$stability)
  expect_equal(result$upper - result$lower, 2 * qnorm(0.975) * sqrt(result$variance))
  expect_lt(diff(unlist(nogueira_stability(Z, 0.5)[c("lower", "upper")])),
            result$upper - result$lower)

  size <- mean(frequency)
  population <- 1 - mean(frequency * (1 - frequency)) / (size * (1 - size))
  covered <- replicate(300, {
    interval <- nogueira_stability(draw(50))
    interval$lower <= population && population <= interval$upper
  })
  expect_gt(mean(covered), 0.9)
  expect_lt(mean(covered), 0.99)
})

test_that("stability is undefined when there is no choice", {
  expect_identical(nogueira_stability(matrix(0, 3, 4))$stability, NA_real_)
  expect_identical(nogueira_stability(matrix(TRUE, 3, 4))$upper, NA_real_)
})

test_that("selection_matrix marks what was selected", {
  Z <- selection_matrix(list(c(3, 1), integer(), 2), 4)
  expect_identical(Z, rbind(c(1, 0, 1, 0), 0, c(0, 1, 0, 0)))
})
