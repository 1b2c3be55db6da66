test_that("weights are derivatives of the smoothed powers, and majorise them", {
  square <- c(0, 1e-6, 0.3, 1, 7, 1e4)
  power <- function(x, eps, p) sum((x + eps)^(p / 2))
  for (p in c(0.2, 0.5, 1, 1.5, 2)) {
    for (eps in c(1e-8, 1e-2, 1)) {
      found <- c_call("C_reweight", square, eps, p)
      expect_equal(found$sum, power(square, eps, p), tolerance = 1e-13)
      expect_equal(found$weight, p / 2 * (square + eps)^(p / 2 - 1), tolerance = 1e-13)
      for (other in list(square * 2, rev(square), square + 0.1)) {
        bound <- found$sum + sum(found$weight * (other - square))
        expect_lte(power(other, eps, p), bound * (1 + 1e-12))
      }
    }
  }
  expect_identical(c_call("C_reweight", c(0, 4), 0, 1)$weight, c(Inf, 0.25))
  expect_identical(c_call("C_reweight", numeric(0), 1, 1), list(weight = numeric(0), sum = 0))
})
