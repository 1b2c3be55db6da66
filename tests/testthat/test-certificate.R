# The certificate of row-sparse PCA, see also test-roles_fspca.R.

# the raw relaxation at given variables
relaxation <- function(S, k, m, x, width = 0.005, inside = logical(nrow(S))) {
  found <- c_call("C_fspca_relaxation", S, x,
    list(k = as.integer(k), m = as.integer(m), width = width, inside = inside)
  )
  c(found, list(bound = found$eigen_part + largest_terms(found$h, k, inside)))
}

largest_terms <- function(h, k, inside) {
  sum(h[inside]) + sum(utils::head(sort(h[!inside], decreasing = TRUE), k - sum(inside)))
}

# F(U, L, alpha) by its formula; rows in `inside` count in any case
plain_bound <- function(x, S, k, m, inside = logical(nrow(S))) {
  p <- nrow(S)
  r <- (length(x) - p^2 - p) / p
  U <- matrix(x[seq_len(p^2)], p, byrow = TRUE)
  L <- matrix(x[p^2 + seq_len(p * r)], p)
  alpha <- exp(utils::tail(x, p))
  s <- vapply(seq_len(p), function(i) {
    U[i, i]^2 + sum(utils::head(sort(U[i, -i]^2, decreasing = TRUE), k - 1))
  }, 0)
  h <- rowSums(L^2) + s / 4 / alpha
  A <- S - tcrossprod(L) - (U + t(U)) / 2 + diag(alpha, p)
  sum(eigen(A, TRUE, TRUE)$values[seq_len(m)]) + largest_terms(h, k, inside)
}

random_variables <- function(p, m) {
  r <- max(12, 3 * m)
  c(stats::rnorm(p^2), 0.3 * stats::rnorm(p * r), 0.5 * stats::rnorm(p))
}

test_that("the bound is its formula, and above every set, whatever the variables", {
  set.seed(501)
  for (trial in 1:5) {
    p <- sample(2:8, 1)
    m <- sample(min(3, p - 1), 1)
    k <- sample(seq(m, p), 1)
    S <- crossprod(matrix(stats::rnorm(p * sample(2:10, 1)), ncol = p))
    x <- random_variables(p, m)
    inside <- seq_len(p) %in% sample(p, sample(0:(k - 1), 1))
    found <- relaxation(S, k, m, x, inside = inside)
    plain <- plain_bound(x, S, k, m, inside)
    expect_equal(found$bound, plain, tolerance = 1e-10)
    expect_gte(found$bound, plain * (1 - 1e-14))
    sets <- utils::combn(p, k)
    sets <- sets[, apply(sets, 2, function(set) all(which(inside) %in% set)), drop = FALSE]
    expect_gte(found$bound, max(apply(sets, 2, components_value(S, m))))
  }
})

core_ends_here()

test_that("the smoothed bound has the gradient of finite differences", {
  set.seed(502)
  for (width in c(0.5, 0.05)) {
    S <- crossprod(matrix(stats::rnorm(60), 10))
    x <- random_variables(6, 2)
    value <- function(x) relaxation(S, 3, 2, x, width = width)$value
    step <- 1e-5
    differences <- vapply(seq_along(x), function(i) {
      (value(replace(x, i, x[i] + step)) - value(replace(x, i, x[i] - step))) / 2 / step
    }, 0)
    expect_equal(relaxation(S, 3, 2, x, width = width)$gradient, differences, tolerance = 1e-6)
  }
})

test_that("the free bounds come with every fit, and a certificate is never above them", {
  x <- from_seed(506, sample_matrix(40, 30))
  S <- scatter(x)
  free <- c(
    eigenvalues = sum(eigen(S, TRUE, TRUE)$values[1:2]), variances = sum(sort(diag(S), TRUE)[1:5])
  )
  fit <- fspca(x, 5, 2)
  expect_equal(fit$certificate$free, free, tolerance = 1e-6)
  expect_equal(-fit$bound, min(free), tolerance = 1e-6)
  expect_identical(fit$certificate$status, "not certified")
  none <- fspca(x, 5, 2, certify = 0)
  expect_identical(none$bound, fit$bound)
  full <- fspca(x, 5, 2, certify = 5)
  expect_lte(full$certificate$bound, min(full$certificate$free) * (1 + 1e-12))
  expect_gte(full$certificate$bound, components_value(S, 2)(full$selected) * (1 - 1e-12))
})

test_that("features that are locked in or out bound the sets that are meant", {
  x <- from_seed(508, matrix(stats::rnorm(30 * 10), 30) %*% diag(stats::runif(10, 0.3, 1.5)))
  fit <- fspca(x, 4, 2, certify = 10, include = 2:3, exclude = 1)
  S <- scatter(x)
  best <- max(utils::combn(4:10, 2, function(set) components_value(S, 2)(c(2, 3, set))))
  expect_equal(sum(fit$values), best)
  expect_equal(fit$certificate$bound, best, tolerance = 1e-8)
  expect_true(all(2:3 %in% fit$selected))
})

test_that("words hold what they say", {
  words <- rowsparse:::certificate_words
  expect_identical(words(0), "optimal")
  expect_identical(words(0.0201), "within 2.1% of the optimum")
  expect_identical(words(0.25), "within 25% of the optimum")
  expect_identical(words(0.5, FALSE), "not certified")
  expect_error(fspca(sample_matrix(20, 10), 3, 2, certify = -1), class = "rowsparse_error_range")
  expect_error(fspca(sample_matrix(20, 10), 3, 2, certify = NA), class = "rowsparse_error_type")
})

# ---- steps -----------------------------------------------------------------------

test_that("a panel that carries nothing is told so, and a bound below a set is an error", {
  x <- from_seed(7, cbind(matrix(rnorm(180), 30), 1, 2, 3))
  nothing <- alternatives(x, 7:9, method = "fspca", m = 2, tolerance = 0)
  expect_equal(nothing$share, 0)
  expect_lt(nothing$gap, 2e-9)
  fit <- suppressWarnings(fspca(x, 3, 2, include = 7:9, certify = TRUE))
  expect_equal(c(fit$captured, fit$gap), c(0, 0))
  expect_equal(bound_above(1 - 1e-12, 1), 1)
  expect_error(bound_above(1 - 1e-8, 1), class = "rowsparse_error_internal")
  expect_error(bound_above(NaN, 1), class = "rowsparse_error_internal")
})

test_that("a proof that met another set as good says so", {
  set.seed(5)
  fit <- suppressWarnings(fspca(matrix(stats::rbinom(40, 1, 0.5) + 0, 8), 2, 1, solver = "exact"))
  expect_identical(fit$ties$reasons, "another set has the same objective")
  expect_false(fit$unique)
})
