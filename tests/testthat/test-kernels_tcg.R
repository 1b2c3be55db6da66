tcg <- function(H, g, radius, scale = NULL, reduction = 1e-12, maxit = 200L) {
  c_call("C_tcg", H, g, scale, list(radius = radius, reduction = reduction, maxit = maxit))
}

model <- function(H, g, p) sum(g * p) + sum(p * (H %*% p)) / 2

test_that("inside the region the step is Newton's, with and without preconditioner", {
  set.seed(61)
  H <- crossprod(matrix(rnorm(600), 30)) + diag(seq(1, 40, length.out = 20))
  g <- rnorm(20)
  newton <- -solve(H, g)
  for (scale in list(NULL, diag(H), rep(2, 20))) {
    end <- tcg(H, g, 1e3, scale)
    expect_equal(end$step, newton, tolerance = 1e-8)
    expect_equal(end$decrease, -model(H, g, newton), tolerance = 1e-10)
    weight <- if (is.null(scale)) 1 else scale
    expect_equal(end$length, sqrt(sum(weight * newton^2)), tolerance = 1e-8)
    expect_false(end$at_boundary)
  }
  expect_equal(tcg(diag(20), g, 1e3)$iterations, 1L)
  expect_equal(tcg(diag(1:20 + 0), g, 1e3, 1:20 + 0)$iterations, 1L)
})

test_that("a step that would leave the region ends at its boundary", {
  set.seed(62)
  H <- crossprod(matrix(rnorm(600), 30))
  g <- rnorm(20)
  for (scale in list(NULL, diag(H))) {
    weight <- if (is.null(scale)) 1 else scale
    last <- 0
    for (radius in c(1e-8, 1e-3, 1e-2)) {
      end <- tcg(H, g, radius, scale)
      expect_true(end$at_boundary)
      expect_equal(sqrt(sum(weight * end$step^2)), radius, tolerance = 1e-8)
      expect_equal(end$decrease, -model(H, g, end$step), tolerance = 1e-8)
      expect_gt(end$decrease, last)
      last <- end$decrease
    }
  }
})

test_that("negative curvature leads to the boundary, a vanished gradient nowhere", {
  H <- diag(c(-1, 2, 3))
  end <- tcg(H, c(1, 1, 1), 5)
  expect_true(end$at_boundary)
  expect_equal(sqrt(sum(end$step^2)), 5, tolerance = 1e-12)
  expect_gt(end$decrease, 0)
  expect_true(tcg(matrix(0, 3, 3), c(0, 2, 0), 2)$at_boundary)
  expect_equal(tcg(matrix(0, 3, 3), c(0, 2, 0), 2)$step, c(0, -2, 0))
  none <- tcg(H, c(0, 0, 0), 5)
  expect_identical(none$step, c(0, 0, 0))
  expect_identical(none$iterations, 0L)
})

test_that("the iteration stops at the wanted reduction and at its limit", {
  set.seed(63)
  H <- diag(10^seq(0, 4, length.out = 40))
  g <- rnorm(40)
  loose <- tcg(H, g, 1e6, reduction = 0.1)
  expect_lte(sqrt(sum((H %*% loose$step + g)^2)), 0.1 * sqrt(sum(g^2)) * (1 + 1e-8))
  expect_lt(loose$iterations, tcg(H, g, 1e6)$iterations)
  expect_identical(tcg(H, g, 1e6, maxit = 3L)$iterations, 3L)
  # rounding must not turn the length to the boundary into the root of a negative number
  for (radius in sqrt(sum(loose$step^2)) * (1 + c(-1, 0, 1) * 1e-16)) {
    expect_true(all(is.finite(tcg(H, g, radius, reduction = 0.1)$step)))
  }
})
