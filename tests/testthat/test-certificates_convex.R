# Bounds and gaps against oracles in plain R, on hostile data: see helper-certificates_convex.R.

expect_no_wrong_claim <- function(campaign) {
  expect_identical(campaign$family[campaign$wrong > 0], character())
  # rounding may leave no bound, but not as a rule
  expect_lt(sum(campaign$none), 0.1 * sum(campaign$tried))
}

core_ends_here()

test_that("no bound of spca_psd() is above an objective, on hostile data", {
  set.seed(101)
  expect_no_wrong_claim(spca_campaign(5))
})

test_that("no bound of rfs() is above an objective, on hostile data, also with its splitting", {
  set.seed(102)
  expect_no_wrong_claim(rfs_campaign(5))
  expect_no_wrong_claim(instead_of("rfs_splits", function(side, responses) TRUE, rfs_campaign(5)))
})

test_that("a point where the bound's step would be negative has no false bound", {
  # the published iteration leaves tr(Omega) above 1 here, and <Y, X> below 0
  set.seed(105)
  bounds <- replicate(60, {
    x <- matrix(rnorm(15), 15) %*% matrix(rnorm(5), 1)
    trace <- sum(scale(x, scale = FALSE)^2)
    eta <- 10^runif(1, -4, -2) * trace
    lambda <- 10^runif(1, -4, -2) * trace
    paper <- suppressWarnings(spca_psd(x, lambda, eta))
    v <- svd(scale(x, scale = FALSE))$v[, 1]
    above <- lambda * sum(abs(v)) + eta # the objective at vv'
    paper$bound <= above
  })
  expect_true(all(bounds))
})
