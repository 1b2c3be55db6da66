# Selections that are not the only ones. What every method does is in test-contract.R.

classes_of <- function(code) unlist(lapply(conditions_heard(code, "warning"), class))

core_ends_here()

test_that("a fit gives features as they were given, whatever their order inside", {
  x <- diag(6)[, c(4, 2, 6, 1, 3, 5)] + outer(1:6, 1:6, function(i, j) 0.01 * (i == 1) * (j == 5))
  colnames(x) <- letters[1:6]
  fit <- suppressWarnings(variance(x))
  expect_equal(fit$scores, apply(x, 2, var))
  expect_equal(unname(fit$center), unname(colMeans(x)))
  expect_setequal(fit$ranking, 1:6)
  expect_null(fit$excluded)
  apart <- suppressWarnings(rowsparse(x, k = 2, method = "css", exclude = "b", include = "c"))
  expect_identical(selected(apart)[1], "c")
  expect_identical(apart$excluded, 2L)
  # loadings are rows of the same features
  load <- suppressWarnings(fspca(x, k = 2, m = 1))
  expect_identical(unname(which(load$loadings[, 1] != 0)), sort(load$selected))
})

test_that("tied scores at the cut are told, and those elsewhere are not", {
  x <- cbind(c(-3, 3, 0, 0), c(-2, 2, 0, 0), c(0, 0, -2, 2), c(-1, 1, 0, 0), c(0, 1, 0, -1))
  for (k in 1:4) {
    found <- classes_of(fit <- rowsparse(x, k = k, method = "variance"))
    expect_identical(fit$unique, !k %in% c(2, 4))
    expect_identical("rowsparse_warning_not_unique" %in% found, k %in% c(2, 4))
  }
  ranking <- variance(x)
  expect_identical(ranking$unique, NA)
  expect_equal(ranking$ties$places, cbind(from = c(2, 4), to = c(3, 5)))
  expect_warning(selected(ranking, 2), class = "rowsparse_warning_not_unique")
  expect_silent(selected(ranking, 3))
  expect_output(print(suppressWarnings(rowsparse(x, k = 2, method = "variance"))), "Not unique")
})

test_that("scores of zero are one warning that says so", {
  set.seed(4)
  expect_warning(zero <- covth(scale(qr.Q(qr(cbind(1, matrix(rnorm(80), 10))))[, -1])),
    class = "rowsparse_warning_not_unique"
  )
  expect_false(zero$unique)
})

test_that("equal eigenvalues at the cut leave no claim, whatever the order of columns", {
  wave <- from_seed(5, rnorm(12))
  x <- t(vapply(0:11, function(i) wave[(0:11 - i) %% 12 + 1], wave))
  values <- eigen(cov(x))$values
  for (clusters in 2:6) {
    tied <- values[clusters] - values[clusters + 1] < 1e-8 * values[1]
    orders <- list(1:12, 12:1, c(5, 3, 8, 1, 12, 2, 9, 11, 4, 10, 7, 6))
    fits <- lapply(orders, function(order) {
      suppressWarnings(kmeans_ufs(x[, order], 4, clusters))
    })
    sets <- Map(function(fit, order) sort(as.integer(order[fit$selected])), fits, orders)
    expect_length(unique(sets), 1)
    for (fit in fits) {
      expect_identical(is.na(fit$bound), tied)
      expect_identical(is.na(fit$gap), tied)
      expect_false(fit$unique)
    }
  }
  # features of different variance: nothing but the eigenvalues ties
  basis <- qr.Q(qr(cbind(1, matrix(rnorm(20 * 6), 20))))[, -1]
  turn <- qr.Q(qr(matrix(rnorm(36), 6)))
  y <- basis %*% diag(sqrt(c(5, 2, 2, 1, 0.5, 0.1))) %*% t(turn)
  for (method in c("kmeans_ufs", "fspca", "dscofs", "bsufs", "spcafs", "udfs")) {
    for (m in 2:3) {
      given <- list(x = y, k = 3, method = method, scale = FALSE, m)
      names(given)[5] <- if (method == "kmeans_ufs") "clusters" else "m"
      found <- classes_of(fit <- do.call(rowsparse, given))
      expect_identical(fit$unique, m == 3L, info = paste(method, m))
      expect_identical("rowsparse_warning_not_unique" %in% found, m == 2L)
    }
  }
})

test_that("pgd() stays at its start where no feature outside pulls enough", {
  set.seed(7)
  y <- gl(3, 20)
  stays <- logical()
  for (noise in c(0.3, 1, 3)) {
    x <- noise * matrix(rnorm(60 * 30), 60) + matrix(rnorm(90), 3)[y, ]
    z <- scale(x)
    Y <- scale(outer(as.integer(y), 1:3, "==") + 0, scale = FALSE)
    set <- ftest(x, y)$ranking[1:4]
    W <- qr.solve(z[, set], Y)
    pull <- sqrt(rowSums(crossprod(z, Y - z[, set] %*% W)^2)) / svd(z)$d[1]^2
    fixed <- max(pull[-set]) < min(sqrt(rowSums(W^2)))
    fit <- pgd(x, y, 4)
    if (fixed) expect_setequal(fit$selected, set)
    if (fixed) expect_identical(fit$iterations, 1L)
    stays <- c(stays, fixed)
  }
  expect_true(any(stays))
})

test_that("with as many components as features sets of equal variances are told", {
  x <- from_seed(3, matrix(rnorm(30 * 12), 30))
  expect_true(dscofs(x, 3, m = 3)$unique)
  for (data in list(x, moments(x))) {
    expect_warning(
      fit <- dscofs(data, 3, m = 3, scale = TRUE), class = "rowsparse_warning_not_unique"
    )
    expect_false(fit$unique)
    expect_match(fit$ties$reasons, "variances")
  }
  # two components tell the sets apart
  expect_true(dscofs(x, 3, m = 2, scale = TRUE)$unique)
})

test_that("proofs look for other sets that are as good", {
  x <- from_seed(1, matrix(rnorm(120), 20))
  unique_of <- function(...) suppressWarnings(cdlsr(..., solver = "exact"))$unique
  expect_true(unique_of(x, x[, 1] + x[, 2], 2))
  expect_false(unique_of(x, x[, 1], 2)) # any {1, j}
  expect_false(unique_of(cbind(x, 2 * x[, 1]), x[, 1] + x[, 2], 2)) # a copy
  x <- outer(1:14, 1:6, function(i, j) (i * j) %% 7) # 1-6, 2-5 and 3-4 tie
  expect_false(suppressWarnings(css(x, 2, m = Inf, solver = "exact"))$unique)
})
