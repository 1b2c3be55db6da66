core_ends_here()

test_that("the oracle is right where the answer is known", {
  # a 4 x 3 design whose least squares problems have small rational solutions
  x <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1), c(1, 0, 0, 1))
  Y <- response_matrix(c(1, 2, 3, 6))
  expect_equal(dd_objective(x, Y, 1), 5, tolerance = 1e-15)
  expect_equal(dd_objective(x, Y, 1:2), 1, tolerance = 1e-15)
  expect_lte(dd_objective(x, Y, 1:3), 1e-28)
  # what lm() finds, where lm() can
  set.seed(300)
  x <- matrix(stats::rnorm(60), 12)
  y <- stats::rnorm(12)
  plain <- stats::deviance(stats::lm(y ~ x[, c(1, 4)]))
  expect_equal(dd_objective(x, response_matrix(y), c(1, 4)), plain, tolerance = 1e-13)
  # x2 - x1 is 2^-40 b, exactly: the pair explains what {x1, b} does
  a <- sample(-8:8, 12, TRUE)
  b <- sample(-8:8, 12, TRUE)
  near <- cbind(a, a + 2^-40 * b, b)
  Y <- response_matrix(y)
  expect_equal(dd_objective(near, Y, 1:2), dd_objective(near, Y, c(1, 3)), tolerance = 1e-12)
  # a column at the rounding level of another adds nothing
  expect_equal(dd_objective(cbind(x, 3 * x[, 1] - 5), Y, c(1, 6)), dd_objective(x, Y, 1))
  # and the fast version agrees
  many <- many_objectives(x, Y, utils::combn(5, 2), 0.5, rep(1, 5))$value
  slow <- apply(utils::combn(5, 2), 2, function(set) dd_objective(x, Y, set, 0.5))
  expect_equal(many, slow, tolerance = 1e-12)
})

test_that("a pair that differs by 1e-5 of the response is found and proved", {
  set.seed(3)
  n <- 40
  a <- stats::rnorm(n)
  u <- stats::rnorm(n)
  y <- stats::rnorm(n)
  x <- unname(cbind(a, a + 1e-5 * y, matrix(stats::rnorm(160), n)))
  for (solver in c("exchange", "exact")) {
    fit <- cdlsr(x, y, 2, solver = solver)
    expect_setequal(fit$selected, 1:2)
    expect_lte(utils::tail(fit$path$objective, 1), stats::deviance(stats::lm(y ~ x[, 1:2])))
  }
  expect_identical(fit$status, "proved optimal")
  expect_lte(fit$bound, utils::tail(fit$path$objective, 1))
})

test_that("nearly dependent pairs are resolved down to the rounding level", {
  set.seed(301)
  for (digits in 3:10) {
    for (k in 2:4) {
      x <- matrix(stats::rnorm(14 * 7), 14)
      hidden <- stats::rnorm(14)
      x[, 5] <- x[, 3] + 10^-digits * hidden
      y <- hidden + 0.1 * stats::rnorm(14)
      fit <- cdlsr(x, y, k, solver = "exact")
      expect_true(all(c(3, 5) %in% fit$selected))
      expect_identical(wrong_claims(fit, x, y, k, 0, TRUE), character())
      expect_true(fit$proof$complete)
      swapped <- cdlsr(x, y, k)
      expect_identical(wrong_claims(swapped, x, y, k, 0, TRUE, exact = FALSE), character())
    }
  }
})

test_that("exchanges among many nearly dependent features end where none helps", {
  set.seed(308)
  for (i in seq_len(instances(60))) {
    n <- 16
    x <- matrix(stats::rnorm(n * 14), n)
    hidden <- matrix(stats::rnorm(n * 7), n)
    # from one place after the other to combinations that rounding alone tells apart
    apart <- 10^-stats::runif(7, 3, 15)
    x[, 8:14] <- x[, 1:7] + x[, c(2:7, 1)] * (i %% 2) + hidden * rep(apart, each = n)
    if (i %% 3 == 0) x <- x + 100
    y <- hidden %*% stats::rnorm(7) + x[, 1:3] %*% stats::rnorm(3) + 0.3 * stats::rnorm(n)
    k <- sample(3:8, 1)
    ridge <- if (i %% 5 == 0) 1e-7 else 0
    fit <- suppressWarnings(cdlsr(x, y, k, ridge = ridge))
    wrong <- wrong_claims(fit, x, y, k, ridge, TRUE, exact = FALSE)
    expect_identical(wrong, character(), info = paste("problem", i))
  }
})

test_that("cross-products claim no proof that they cannot have", {
  set.seed(302)
  data <- near_copy(1e-6)
  for (k in 2:4) {
    expect_warning(
      fit <- cdlsr(data$moments, k = k, solver = "exact"), class = "rowsparse_warning_convergence"
    )
    expect_match(fit$status, "not proved")
    expect_false(fit$proof$resolved)
    expect_lte(fit$bound, dd_objective(data$x, response_matrix(data$y), 1:2) + 1e-9)
    expect_true(cdlsr(data$x, data$y, k, solver = "exact")$proof$complete)
  }
})

test_that("claims hold on hostile problems of every family", {
  set.seed(303)
  result <- expect_none_wrong(check_cdlsr_certificates(instances(25)))
  # and they are made: a search that never proves anything would pass
  expect_gt(sum(result$proved), 0.3 * sum(result$tried))
})

test_that("claims hold on thousands of hostile problems", {
  skip_slow()
  set.seed(304)
  expect_none_wrong(check_cdlsr_certificates(300))
  expect_none_wrong(check_cdlsr_unfinished(300))
})

test_that("what is said when there was no time to search holds on hostile problems", {
  set.seed(307)
  result <- expect_none_wrong(check_cdlsr_unfinished(instances(12)))
  expect_gt(sum(result$bounded), 0.8 * sum(result$tried))
})

test_that("many nearly dependent and copied features leave proofs right", {
  set.seed(305)
  for (k in 2:3) {
    base <- matrix(stats::rnorm(25 * 15), 25)
    x <- cbind(base, base + 1e-6 * matrix(stats::rnorm(25 * 15), 25), base[, 1:5])
    y <- stats::rnorm(25)
    fit <- cdlsr(x, y, k, solver = "exact")
    expect_true(fit$proof$complete)
    expect_identical(wrong_claims(fit, x, y, k, 0, TRUE), character())
  }
})

# share of ||Xc||^2 that a set reproduces, and 1-swap optimality, in plain R
css_claims <- function(fit, x, scale) {
  xc <- centred(x, scale)
  share <- function(set) {
    1 - sum(qr.resid(qr(xc[, set, drop = FALSE], tol = 1e-10), xc)^2) / sum(xc^2)
  }
  wrong <- character()
  shares <- vapply(fit$path$features, share, numeric(1))
  if (max(abs(fit$path$explained - shares)) > 1e-6) wrong <- c(wrong, "path")
  if (abs(fit$explained - utils::tail(shares, 1)) > 1e-6) wrong <- c(wrong, "explained")
  if (min(diff(c(0, fit$path$explained))) < -1e-12) wrong <- c(wrong, "order")
  best <- 0
  for (out in seq_along(fit$selected)) {
    for (new in setdiff(seq_len(ncol(x)), fit$selected)) {
      best <- max(best, share(replace(fit$selected, out, new)))
    }
  }
  if (best > fit$explained + 1e-6) wrong <- c(wrong, "exchange")
  wrong
}

test_that("what css() says of its sets is true on hostile problems", {
  set.seed(306)
  for (family in setdiff(certificate_families, "units")) {
    for (i in seq_len(instances(8))) {
      x <- certificate_problem(family)$x
      k <- sample(seq_len(min(3, ncol(x) - 1, nrow(x) - 1)), 1)
      fit <- suppressWarnings(css(x, k, m = Inf, scale = i %% 2 == 0))
      expect_length(unique(fit$selected), k)
      expect_identical(css_claims(fit, x, i %% 2 == 0), character(), info = family)
    }
  }
})
