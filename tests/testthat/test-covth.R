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
  set.seed(51)
  x <- matrix(rnorm(n * d), n)
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
})

core_ends_here()

test_that("without a cut the scores are those of the first principal component", {
  x <- covth_data()
  first <- prcomp(x, scale. = TRUE)
  fit <- covth(x, 0)
  expect_equal(unname(fit$scores), unname(abs(first$rotation[, 1])), tolerance = 1e-8)
  expect_equal(1 - fit$objective, first$sdev[1]^2, tolerance = 1e-8)
  expect_equal(fit$explained, first$sdev[1]^2 / 30, tolerance = 1e-8)
})

test_that("a planted group is found, whatever the signs of its features", {
  x <- covth_data()
  fit <- covth(x, 0.5)
  expect_setequal(fit$ranking[1:6], 1:6)
  expect_identical(unname(fit$scores[-(1:6)]), numeric(24))
  # the others by their largest correlation
  strongest <- cor(x) - diag(30)
  expect_identical(fit$ranking[7:30],
    setdiff(order(-round(apply(abs(strongest), 1, max), 8), -apply(x, 2, var)), 1:6)
  )
  flipped <- sweep(x, 2, rep(c(1, -1), 15), "*")
  expect_equal(covth(flipped, 0.5)$scores, fit$scores, tolerance = 1e-9)
  expect_identical(fit$multiplicity, 1L)
  expect_equal(sign(fit$loadings[1:3, 1]), -sign(fit$loadings[4:6, 1]), ignore_attr = TRUE)
})

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
  set.seed(53)
  z <- qr.Q(qr(scale(matrix(rnorm(40 * 4), 40), scale = FALSE)))
  plane <- cbind(c(1, 0), c(-1, sqrt(3)) / 2, c(-1, -sqrt(3)) / 2)
  x <- cbind(z[, 1:2] %*% plane, z[, 3], z[, 3] + 3 * z[, 4])
  fit <- covth(x, 0.25)
  expect_equal(fit$objective, -0.5, tolerance = 1e-8)
  expect_identical(fit$multiplicity, 2L)
  expect_equal(unname(fit$scores), c(rep(sqrt(2 / 3), 3), 0, 0), tolerance = 1e-8)
  expect_null(fit$loadings)
})

test_that("equal groups share the eigenspace, and copies share their score", {
  set.seed(54)
  z <- matrix(rnorm(30 * 4), 30)
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

test_that("every kind of data, unit and order gives the same scores", {
  x <- round(covth_data(), 1)
  x[abs(x) < 0.8] <- 0
  x <- cbind(x, constant = 3)
  run <- function(...) suppressWarnings(covth(..., cut = 0.3))
  fit <- run(x)
  expect_identical(fit$ranking[31], 31L)
  expect_equal(unname(fit$scores), plain_covth(x, 0.3), tolerance = 1e-8)
  others <- list(
    methods::as(x, "CsparseMatrix"), moments(x), 1e-120 * x, 1e120 * x, x[60:1, ],
    row_blocks(function(i) x[20 * (i - 1) + 1:20, , drop = FALSE], c(20, 20, 20))
  )
  for (data in others) expect_equal(run(data)$scores, fit$scores, tolerance = 1e-8)
  columns <- c(31, 1, 30:2)
  expect_equal(run(x[, columns])$scores, fit$scores[columns], tolerance = 1e-8)
})

test_that("paths over the cut, refused input and too little room", {
  x <- covth_data()
  path <- rowsparse_path(x, method = "covth", nlambda = 5)
  expect_identical(path$over, "cut")
  expect_equal(path$grid[1], covth(x)$largest, tolerance = 1e-10)
  expect_error(covth(x, -1), class = "rowsparse_error_range")
  expect_error(covth(x, shape = "round"), class = "rowsparse_error_choice")
  before <- options(rowsparse.memory = 1e5)
  on.exit(options(before))
  set.seed(55)
  wide <- matrix(rnorm(20 * 140), 20)
  expect_error(covth(wide, 0), "GB", class = "rowsparse_error_memory")
})

test_that("recorded eigenvectors are met", {
  skip_if_quick()
  reference <- shared_reference("baselines_pca_family")
  cases <- reference$cases[grepl("^covth", names(reference$cases))]
  # those with and without the diagonal are the same run here
  if (!is_slow()) {
    cases <- cases[!grepl("glioma_t0.[35]|(lung|glioma).*nodiag", names(cases))]
  }
  for (case in cases) {
    x <- if (case$data == "tiny") reference$tiny$x else shared_data(case$data)$x
    fit <- covth(x, case$params$threshold)
    expect_equal(unname(fit$scores), case$score, tolerance = 1e-6)
    expect_identical(fit$survivors, case$survivors_off_diagonal + 0)
    kept <- if (case$params$keep_diagonal) 1 else 0
    expect_equal(kept - fit$objective, case$leading_eigenvalues[1], tolerance = 1e-8)
    expect_lt(max(0, fit$scores[case$score < 1e-12]), 1e-9)
    expect_gt(min(fit$scores[case$score > 1e-8]), 0)
  }
})
