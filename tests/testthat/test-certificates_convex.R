# Bounds and gaps against oracles in plain R, on hostile data: see
# helper-certificates_convex.R.

expect_no_wrong_claim <- function(campaign) {
  expect_identical(campaign$family[campaign$wrong > 0], character())
  # rounding may leave no bound, but not as a rule
  expect_lt(sum(campaign$none), 0.1 * sum(campaign$tried))
}

core_ends_here()

test_that("no bound of spca_psd() is above an objective, on hostile data", {
  set.seed(101)
  expect_no_wrong_claim(spca_campaign(instances(25)))
  expect_no_wrong_claim(spca_leading_campaign(instances(12)))
})

test_that("no bound of rfs() is above an objective, on hostile data", {
  set.seed(102)
  expect_no_wrong_claim(rfs_campaign(instances(40)))
  expect_no_wrong_claim(rfs_split_campaign(instances(40)))
})

test_that("thousands of bounds hold against a long-run optimiser", {
  skip_slow()
  set.seed(103)
  expect_no_wrong_claim(spca_campaign(120, thorough = TRUE))
  expect_no_wrong_claim(spca_campaign(250))
  expect_no_wrong_claim(rfs_campaign(250, thorough = TRUE))
  expect_no_wrong_claim(rfs_split_campaign(250, thorough = TRUE))
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
