# What fits say of proofs, and proofs of several sizes in one search.

proof_problem <- function(n = 60, d = 14, seed = 51) {
  x <- from_seed(seed, sample_matrix(n, d, rank = 6, noise = 1))
  list(x = x, y = as.double(x[, 1:4] %*% c(2, -1, 1, 0.5) + 2 * stats::rnorm(n)))
}

test_that("sizes that are proved together are as those proved alone", {
  for (ridge in c(0, 5)) {
    data <- proof_problem(seed = 51 + ridge)
    fit <- cdlsr(data$x, data$y, c(7, 2, 4, 4), solver = "exact", ridge = ridge)
    expect_length(fit$selected, 7)
    expect_identical(fit$path$proved[c(2, 4, 7)], c(TRUE, TRUE, TRUE))
    expect_true(all(is.na(fit$path$proved[c(1, 3, 5, 6)])))
    for (k in c(2, 4, 7)) {
      alone <- cdlsr(data$x, data$y, k, solver = "exact", ridge = ridge)
      expect_setequal(fit$path$features[[k]], alone$selected)
      expect_equal(fit$path$objective[k], utils::tail(alone$objective, 1), tolerance = 1e-10)
      expect_equal(fit$path$bound[k], alone$bound, tolerance = 1e-8)
    }
    expect_true(all(is.na(fit$path$bound) | fit$path$bound <= fit$path$objective * (1 + 1e-12)))
  }
})

core_ends_here()

test_that("a better set of a smaller size replaces the one of the descent", {
  improved <- 0
  for (seed in 1:5) {
    data <- proof_problem(30, 25, seed = seed)
    plain <- cdlsr(data$x, data$y, 6)
    fit <- cdlsr(data$x, data$y, 3:6, solver = "exact", ridge = 0)
    for (k in 3:6) {
      set <- fit$path$features[[k]]
      xs <- scale(data$x)[, set]
      expect_equal(fit$path$objective[k], sum(stats::lm.fit(cbind(1, xs), data$y)$residuals^2))
      expect_lte(fit$path$objective[k], plain$path$objective[k] * (1 + 1e-9))
      improved <- improved + (fit$path$objective[k] < plain$path$objective[k] * (1 - 1e-9))
    }
  }
  expect_gt(improved, 0)
})

test_that("paths over k are proved, and cross-validation takes the solver", {
  data <- proof_problem()
  path <- rowsparse_path(data$x, data$y, method = "cdlsr", k = 1:6, certify = TRUE)
  expect_equal(path$gap, rep(0, 6), tolerance = 1e-9)
  expect_true(all(path$converged))
  expect_equal(path$bound, path$objective, tolerance = 1e-9)
  columns <- rowsparse_path(data$x[, 1:8], method = "css", k = 1:4, m = Inf, certify = TRUE)
  expect_equal(columns$gap, rep(0, 4), tolerance = 1e-9)
})

test_that("print and summary say what is proved, and the picture ends where the proof does", {
  data <- proof_problem()
  fit <- cdlsr(data$x, data$y, 4, solver = "exact")
  expect_output(print(fit), "Proved: no other set of 4 features fits better")
  expect_output(print(summary(fit)), "Proved: no other.*proof: [0-9]+ nodes?, ")
  trace <- fit$proof$trace
  expect_true(all(diff(trace$seconds) >= 0))
  expect_true(all(diff(trace$value) >= 0))
  expect_true(all(diff(trace$bound) <= 1e-12))
  expect_true(all(trace$bound >= trace$value - 1e-12))

  # a certificate of fspca() says the same
  carried <- fspca(data$x, 4, 2, solver = "exact")
  expect_identical(carried$certificate$status, "optimal")
  expect_output(print(carried), "Proved: no other set of 4 features carries more")

  # no time: the words claim nothing, and the bound is one
  x <- from_seed(12, matrix(rnorm(60 * 40), 60))
  open <- suppressWarnings(cdlsr(x, rnorm(60), 8, solver = "exact", time_limit = 0))
  expect_false(open$proof$complete)
  expect_output(print(open), "Not proved: ")
})

test_that("sizes beyond the independent features claim no more than their own fits", {
  # rounding hides what three of four features add, from moments
  x <- from_seed(6, matrix(rnorm(40), 10))
  x[8, ] <- 3e8 * x[8, ]
  told <- suppressWarnings(moments(x, rnorm(10)))
  path <- suppressWarnings(rowsparse_path(told, method = "cdlsr", k = 1:3, solver = "exact"))
  alone <- suppressWarnings(cdlsr(told, k = 3, solver = "exact"))
  expect_equal(path$bound[3], alone$bound, tolerance = 1e-9)
  expect_gt(min(path$gap[3], alone$gap), 0)
})
