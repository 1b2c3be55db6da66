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

test_that("a bound is no artefact of vanished residuals", {
  set.seed(4)
  x <- matrix(rnorm(60), 30)
  fit <- spca_psd(x, lambda = 3e-4 * sum(sqrt(rowSums(x^2))), loss = "l21",
    center = "adaptive", solver = "exact"
  )
  expect_lte(fit$bound, tail(fit$objective, 1))
  expect_gt(fit$gap, 0)
  expect_lte(fit$gap, 1e-6)
  expect_lt(fit$kkt, 1e-6)
})

test_that("the multipliers of the l21 loss close the gap at default parameters", {
  set.seed(104)
  gaps <- vapply(1:40, function(i) {
    x <- matrix(rnorm(160), 20)
    if (i %% 2 == 0) x <- round(x, 1)
    center <- c("mean", "adaptive")[1 + i %% 3 %% 2]
    fit <- suppressWarnings(spca_psd(x, loss = "l21", center = center, solver = "exact"))
    if (fit$converged) fit$gap else Inf
  }, 0)
  expect_gt(mean(gaps <= 1e-6), 0.9)
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
