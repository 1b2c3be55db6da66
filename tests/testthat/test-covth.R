# scores from all eigenpairs of the full matrix
plain_covth <- function(x, cut, soft = FALSE, diagonal = 0) {
  C <- suppressWarnings(cor(as.matrix(x)))
  C[is.na(C)] <- 0
  kept <- ifelse(abs(C) > cut + 1e-12, if (soft) sign(C) * (abs(C) - cut) else C, 0)
  diag(kept) <- diagonal
  pairs <- eigen(kept, symmetric = TRUE)
  first <- pairs$values > pairs$values[1] - 1e-8 * max(1, abs(pairs$values[1]))
  sqrt(rowSums(pairs$vectors[, first, drop = FALSE]^2))
}

# two groups of features, and noise
covth_data <- function(n = 60, d = 30) {
  x <- from_seed(51, matrix(rnorm(n * d), n))
  x[, 1:6] <- x[, 1:6] + 2 * rnorm(n) * rep(c(1, -1), each = n * 3)
  x[, 11:14] <- x[, 11:14] + 2 * rnorm(n)
  colnames(x) <- paste0("f", seq_len(d))
  x
}

test_that("scores are those of the formula", {
  x <- covth_data()
  for (cut in c(0, 0.1, 0.2, 0.3, 0.645)) {
    for (shape in c("hard", "soft")) {
      fit <- covth(x, cut, shape)
      for (diagonal in 0:1) {
        plain <- plain_covth(x, cut, shape == "soft", diagonal)
        expect_equal(unname(fit$scores), plain, tolerance = 1e-8)
      }
      C <- abs(cor(x))
      expect_identical(fit$survivors, sum(C[upper.tri(C)] > cut) + 0)
      expect_equal(fit$largest, max(C[upper.tri(C)]))
    }
  }
  expect_identical(covth(x)$parameters$cut, 5 / sqrt(60))
  # without a cut it is the first principal component
  first <- prcomp(x, scale. = TRUE)$sdev[1]^2
  expect_equal(1 - covth(x, 0)$objective, first, tolerance = 1e-8)
  expect_equal(covth(x, 0)$explained, first / 30, tolerance = 1e-8)
})

core_ends_here()

test_that("large groups go through products with the survivors", {
  set.seed(52)
  n <- 50
  d <- if (is_quick()) 270 else 400
  x <- matrix(rnorm(n * d), n) + outer(rnorm(n), rnorm(d)) + outer(rnorm(n), 0.7 * rnorm(d))
  for (shape in c("hard", "soft")) {
    fit <- covth(x, 0.35, shape)
    expect_true(fit$converged)
    expect_lt(fit$kkt, 1e-9)
    expect_equal(unname(fit$scores), plain_covth(x, 0.35, shape == "soft"), tolerance = 1e-7)
  }
  short <- suppressWarnings(covth(x, 0.1, control = list(tol = 0, maxit = 1)))
  expect_identical(short$converged, FALSE)
})

test_that("the largest eigenvalue counts, not that of largest modulus", {
  # three features whose correlations are all -1/2 have eigenvalues -1 and 1/2 twice
  z <- from_seed(53, qr.Q(qr(scale(matrix(rnorm(40 * 4), 40), scale = FALSE))))
  plane <- cbind(c(1, 0), c(-1, sqrt(3)) / 2, c(-1, -sqrt(3)) / 2)
  x <- cbind(z[, 1:2] %*% plane, z[, 3], z[, 3] + 3 * z[, 4])
  fit <- covth(x, 0.25)
  expect_equal(fit$objective, -0.5, tolerance = 1e-8)
  expect_identical(fit$multiplicity, 2L)
  expect_equal(unname(fit$scores), c(rep(sqrt(2 / 3), 3), 0, 0), tolerance = 1e-8)
  expect_null(fit$loadings)
})

test_that("equal groups share the eigenspace, and copies share their score", {
  z <- from_seed(54, matrix(rnorm(30 * 4), 30))
  x <- cbind(z, z[, 1:3])
  fit <- covth(x, 0.9)
  expect_identical(fit$multiplicity, 3L)
  expect_equal(unname(fit$scores), sqrt(c(1, 1, 1, 0, 1, 1, 1) / 2), tolerance = 1e-9)
  # by variance among equal ones
  expect_identical(fit$ranking, c(setdiff(order(-apply(x, 2, var)), 4L), 4L))
  columns <- c(5, 2, 7, 4, 1, 6, 3)
  expect_equal(covth(x[, columns], 0.9)$scores, fit$scores[columns])
})

test_that("where nothing survives a warning says so and the correlations rank", {
  x <- covth_data(20, 16)
  expect_warning(fit <- covth(x), "largest is", class = "rowsparse_warning_zero")
  expect_identical(unname(fit$scores), numeric(16))
  C <- abs(cor(x)) - diag(16)
  expect_identical(fit$ranking, order(-round(apply(C, 1, max), 8), -apply(x, 2, var)))
  # a correlation at the cut itself does not survive
  two <- cbind(c(1, 1, -1, -1), c(1, -1, 1, -1), c(3, 1, -1, -3))
  at <- cor(two)[1, 3]
  others <- sum(abs(cor(two)[cbind(c(1, 2), c(2, 3))]) > at)
  expect_identical(suppressWarnings(covth(two, at))$survivors, others + 0)
  # the front door lowers the cut until there are enough
  expect_no_warning(fit <- rowsparse(x, k = 4, method = "covth"))
  expect_lt(fit$parameters$cut, 1)
  expect_gte(sum(fit$scores > 0), 4)
})
