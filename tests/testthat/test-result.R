# What fits hold; what all of them do is in test-contract.R.

result_data <- function(n = 40, d = 15) {
  set.seed(91)
  x <- sample_matrix(n, d)
  x[, 1:4] <- x[, 1:4] + matrix(stats::rnorm(16), 4)[rep(1:4, length.out = n), ]
  list(x = x, y = x[, 1] - x[, 6] + 0.1 * stats::rnorm(n))
}

core_ends_here()

test_that("fits by other solvers and models are whole", {
  data <- result_data()
  for (fit in list(
    css(data$x, 4, m = Inf, solver = "forward"), cdlsr(data$x, data$y, 4, solver = "exact"),
    fspca(data$x, 4, 2, "exact"), kmeans_ufs(data$x, 4, 4, "admm"),
    suppressWarnings(spca_psd(data$x, loss = "l21")), spca_psd(data$x, psd = FALSE),
    rfs(data$x, data$y)
  )) expect_whole(fit)
})

test_that("explained is the share that the method's own fit reproduces", {
  data <- result_data()
  for (m in c(3, Inf)) {
    fit <- css(data$x, 4, m = m, scale = TRUE)
    expect_equal(fit$explained, share_reproduced(scale(data$x), fit$selected), tolerance = 1e-6)
  }
  expect_identical(fspca(data$x, 4)$explained, NA_real_)
  for (method in list(cdlsr, pgd)) {
    fit <- method(data$x, data$y, 4)
    expect_equal(fit$explained, summary(stats::lm(data$y ~ data$x[, fit$selected]))$r.squared)
    expect_equal(unname(fit$response$explained), fit$explained)
  }
  fit <- rfs(data$x, data$y)
  residual <- data$y - predict(fit, data$x, type = "response")
  expect_equal(fit$explained, 1 - sum(residual^2) / sum(centred(data$y)^2))
  V <- bsufs(data$x, 3)$loadings
  components <- stats::lm.fit(centred(data$x) %*% V, centred(data$x))$residuals
  expect_equal(bsufs(data$x, 3)$explained, 1 - sum(components^2) / sum(centred(data$x)^2))
})

test_that("the gains of a greedy stand beside its scores", {
  data <- result_data()
  for (fit in list(css(data$x, 5), cdlsr(data$x, data$y, 5))) {
    expect_named(fit$gains, colnames(data$x))
    gains <- unname(fit$gains[fit$selected])
    expect_equal(sum(gains), utils::tail(fit$path$explained, 1), tolerance = 1e-9)
    expect_equal(unname(fit$scores[fit$selected]), 2 - c(0, cumsum(gains)[-5]), tolerance = 1e-9)
    expect_lt(max(fit$scores[-fit$selected]), min(fit$scores[fit$selected]))
  }
})

test_that("a bound beyond the value that it confines is reported and not stated", {
  expect_identical(honest_bound(1, 2, "here"), 1)
  expect_identical(honest_bound(NA_real_, 2, "here"), NA_real_)
  expect_identical(honest_bound(-3, c(5, -2), "here"), -3)
  # rounding, beside the largest value so far
  expect_identical(honest_bound(2 + 1e-14, 2, "here"), 2)
  expect_identical(honest_bound(1e-12, c(1, 0), "here"), 0)
  expect_warning(wrong <- honest_bound(2.1, 2, "here"), class = "rowsparse_warning_internal")
  expect_identical(wrong, NA_real_)
  # an objective of the wrong side never looks like a gap
  expect_lt(relative_gap(1, 2), 0)
  expect_identical(relative_gap(2, 1), 0.5)
  expect_identical(relative_gap(-2, -4), 1)
})
