# groups that overlap a little, so that the graph has one component
grouped <- function(n = 60, d = 20, informative = 5) {
  x <- matrix(rnorm(n * d), n)
  means <- matrix(rnorm(3 * informative), 3)
  x[, seq_len(informative)] <- x[, seq_len(informative)] + means[rep(1:3, length.out = n), ]
  x
}

test_that("scores are the largest normalised coefficients of lassos on the graph's vectors", {
  x <- from_seed(1, grouped())
  z <- centred(x)
  fit <- mcfs(x, k = 6, clusters = 3)
  Y <- spectral_vectors(embedded_weights(x), 3)
  expect_identical(fit$components, 1L)
  A <- fit$loadings
  expect_equal(colSums(A^2), rep(1, 3), tolerance = 1e-12)
  expect_identical(colSums(A != 0), rep(6, 3))
  expect_equal(unname(fit$scores), apply(abs(A), 1, max), tolerance = 1e-10)
  left <- 0
  for (l in 1:3) {
    y <- Y[, l] - mean(Y[, l])
    # the direction is that of the lasso: the length and the penalty follow from it
    active <- which(A[, l] != 0)
    signs <- sign(A[active, l])
    gram <- crossprod(z[, active])
    b <- solve(gram, crossprod(z[, active], y))
    g <- solve(gram, signs)
    size <- svd(cbind(A[active, l], b, g))$d
    expect_lte(size[3], 1e-8 * size[1])
    at <- qr.solve(cbind(A[active, l], g), b)
    rest <- y - at[1] * z %*% A[, l]
    lambda <- abs(at[2])
    expect_lte(max(abs(crossprod(z, rest))), lambda * (1 + 1e-6))
    left <- left + sum(rest^2) / sum(y^2)
  }
  expect_equal(fit$objective, left, tolerance = 1e-7)
})

core_ends_here()

test_that("a ridge is in the units of the squares", {
  x <- from_seed(3, grouped())
  some <- mcfs(x, 5, 3, ridge = 7)
  expect_equal(mcfs(1e-100 * x, 5, 3, ridge = 7e-200)$scores, some$scores, tolerance = 1e-8)
  expect_gt(max(abs(some$scores - mcfs(x, 5, 3)$scores)), 1e-4)
})

test_that("components of the graph have vectors that no order chose", {
  x <- from_seed(4, matrix(rnorm(60 * 8), 60))
  x[, 1:3] <- x[, 1:3] + 50 * diag(4)[rep(1:4, 15), 1:3]
  for (clusters in c(2, 3, 5)) {
    fit <- mcfs(x, 3, clusters)
    expect_identical(fit$components, 4L)
    rows <- sample(60)
    again <- mcfs(x[rows, ], 3, clusters)
    expect_equal(again$scores, fit$scores, tolerance = 1e-6)
    expect_identical(again$selected, fit$selected)
  }
  expect_setequal(mcfs(x, 3, 3)$selected, 1:3)
})

test_that("more features than coefficients are filled by how near they came", {
  x <- from_seed(5, grouped(12, 30))
  fit <- suppressWarnings(mcfs(x, 25, 2, neighbours = 3))
  expect_length(fit$selected, 25)
  expect_warning(lonely <- mcfs(grouped(20), 2, 3, t = 1e-4), class = "rowsparse_warning_isolated")
  expect_identical(lonely$isolated, 20L)
  expect_true(all(is.finite(lonely$scores)))
})
