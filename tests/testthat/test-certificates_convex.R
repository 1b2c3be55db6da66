# Bounds and gaps against oracles in plain R, on hostile data: see helper-certificates_convex.R.

core_ends_here()

test_that("no bound of spca_psd() or rfs() is above an objective", {
  set.seed(101)
  campaigns <- list(spca_campaign(4), rfs_campaign(4))
  for (campaign in campaigns) {
    expect_none_wrong(campaign)
    # rounding may leave no bound, but not as a rule
    expect_lt(sum(campaign$none), 0.1 * sum(campaign$tried))
  }
})

test_that("a point where the bound's step would be negative has no false bound", {
  # the published iteration leaves tr(Omega) above 1 here, and <Y, X> below 0
  set.seed(105)
  for (trial in 1:20) {
    x <- matrix(rnorm(15), 15) %*% matrix(rnorm(5), 1)
    trace <- sum(centred(x)^2)
    penalties <- 10^runif(2, -4, -2) * trace
    paper <- suppressWarnings(spca_psd(x, penalties[1], penalties[2]))
    v <- svd(centred(x))$v[, 1]
    expect_lte(paper$bound, penalties[1] * sum(abs(v)) + penalties[2]) # the objective at vv'
  }
})
