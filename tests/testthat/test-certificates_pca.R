# the generators and the oracles are in helper-certificates_pca.R

core_ends_here()

test_that("residuals and proximal points are what is claimed of them", {
  set.seed(301)
  expect_none_wrong(certify_bsufs(3))
  expect_none_wrong(certify_dscofs(3))
  expect_none_wrong(certify_spcafs(3))
  # dropping rows can leave others of lower rank
  expect_none_wrong(certify_spcafs(10, "duplicates"))
  expect_none_wrong(certify_prox(80))
})

test_that("values that overflow give a status and never an index", {
  x <- from_seed(314, matrix(stats::rnorm(200), 20))
  huge <- list(x * 1e154, x * 1e160, x * 1e200, replace(x, 3, 1e300), x * 1e-160, x * 1e-200)
  calls <- list(
    function(x) bsufs(x, 2), function(x) dscofs(x, 3, 2), function(x) fspca(x, 3, 2),
    function(x) fspca(x, 2, 1, "exact"), function(x) spcafs(x, 2),
    function(x) kmeans_ufs(x, 3, 2, scale = FALSE),
    function(x) kmeans_ufs(x, 3, 2, "admm", scale = FALSE),
    function(x) kmeans_ufs(x, 3, 2, "alternate", scale = FALSE, starts = 3)
  )
  for (data in huge) {
    for (call in calls) {
      fit <- tryCatch(suppressWarnings(call(data)), error = identity)
      if (inherits(fit, "error")) {
        expect_true(nzchar(conditionMessage(fit)))
      } else {
        expect_true(all(is.finite(fit$scores)))
        expect_setequal(fit$ranking, 1:10)
      }
    }
  }
})

test_that("more columns than the rank of the data are not filled with rounding", {
  x <- from_seed(315, outer(stats::rnorm(20), c(3, 1, 2, 5, 4)))
  for (fit in list(function() bsufs(x, 3), function() dscofs(x, 3, 3), function() spcafs(x, 3))) {
    expect_warning(end <- fit(), class = "rowsparse_warning_rank")
    expect_identical(ncol(end$loadings), 1L)
    expect_identical(end$ranking, c(4L, 5L, 1L, 3L, 2L))
    expect_identical(end$parameters$m, 1L)
  }
})

test_that("one or two features and two or three samples are enough", {
  set.seed(317)
  for (size in list(c(10, 1), c(10, 2), c(2, 6), c(3, 6), c(2, 1))) {
    x <- matrix(stats::rnorm(prod(size)), size[1])
    fits <- suppressWarnings(list(
      bsufs(x, 1), dscofs(x, 1, 1), fspca(x, 1, 1), fspca(x, 1, 1, "exact"), spcafs(x, 1),
      kmeans_ufs(x, 1, 2), kmeans_ufs(x, 1, 2, "admm"),
      kmeans_ufs(x, 1, 2, "alternate", starts = 2)
    ))
    for (fit in fits) {
      expect_true(all(is.finite(fit$scores)))
      expect_setequal(fit$ranking, seq_len(size[2]))
    }
    largest <- which.max(colSums(centred(x)^2))
    expect_identical(unname(fits[[3]]$selected), largest)
    expect_identical(unname(fits[[4]]$selected), largest)
  }
})

test_that("samples that coincide are no centres beside each other", {
  set.seed(318)
  for (trial in 1:10) {
    rows <- matrix(stats::rnorm(2 * 5), 2) * 10^stats::runif(1, -6, 9)
    x <- rows[sample(rep(1:2, 2)), ]
    for (scale in c(TRUE, FALSE)) {
      fit <- suppressWarnings(kmeans_ufs(x, 2, 4, scale = scale))
      expect_true(all(is.finite(fit$scores)))
      expect_identical(length(fit$cluster), 4L)
    }
    data <- rowsparse:::in_binary_units(rowsparse:::as_data(x))
    spectral <- suppressWarnings(
      rowsparse:::spectral_problem(data, 4, 2, list(inner_tol = 1e-8, inner_maxit = 300L))
    )
    expect_setequal(rowsparse:::distant_samples(spectral), 1:4)
  }
  data <- as_c_data(matrix(stats::rnorm(20), 5))
  for (bad in list(c(1L, NA), c(0L, 1L), c(1L, 6L))) {
    expect_error(rowsparse:::kmeans_on(data, bad, 10L))
  }
})
