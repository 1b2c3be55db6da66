# f by its definition, for centred data z
plain_fen <- function(z, W, Z, a, s) {
  penalty <- a^s$u * sum(W^2) + s$t * (1 - a)^s$u * sum((rowSums(W^2) + s$eps)^(s$p / 2))
  sum((z - z %*% W %*% t(Z))^2) + s$lambda * penalty + s$ridge * sum(W^2)
}

# the published iteration, by d x d equations
plain_fen_steps <- function(z, W, s, steps) {
  S <- crossprod(z)
  for (step in seq_len(steps)) {
    Z <- plain_polar(S %*% W)
    square <- rowSums(W^2)
    B <- s$t * sum((square + s$eps)^(s$p / 2))
    a <- 1 / (1 + (B / sum(square))^(1 / (1 - s$u)))
    e <- a^s$u + s$t * (1 - a)^s$u * s$p / 2 * (square + s$eps)^(s$p / 2 - 1)
    W <- solve(S + diag(s$lambda * e + s$ridge), S %*% Z)
  }
  list(W = W, Z = Z, a = a)
}

fen_core <- function(x, start, ..., tol = 0, maxit = 5L) {
  settings <- utils::modifyList(
    list(lambda = 5, p = 0.5, u = 0.3, t = 1, ridge = 0, normalize = 0L, eps = 1e-8), list(...)
  )
  c_call("C_fen_pcafs", as_c_data(x), start, c(settings, list(tol = tol, maxit = maxit)))
}

test_that("iterations are those of the paper, by features and by samples", {
  for (x in from_seed(1, of_sizes(list(c(40, 8), c(12, 30)), normal_matrix, mean = 4))) {
    z <- centred(x)
    start <- svd(z)$v[, 1:3]
    for (s in list(
      list(lambda = 5, p = 0.5, u = 0.3, t = 1, ridge = 0, eps = 1e-8),
      list(lambda = 2, p = 1, u = 3, t = 0.5, ridge = 0.1, eps = 1e-6)
    )) {
      fit <- do.call(fen_core, c(list(x, start), s))
      plain <- plain_fen_steps(z, start, s, 5)
      expect_equal(fit$W, plain$W, tolerance = 1e-8)
      expect_equal(fit$Z, plain$Z, tolerance = 1e-8)
      expect_equal(fit$a, plain$a, tolerance = 1e-10)
      expect_equal(tail(fit$objective, 1), plain_fen(z, plain$W, plain$Z, plain$a, s),
        tolerance = 1e-10
      )
      expect_length(fit$objective, 6)
    }
  }
})

core_ends_here()

test_that("the best iterate is returned, its objective never rises, and Z is orthonormal", {
  set.seed(2)
  for (u in c(0, 0.05, 0.5, 0.95, 1.5, 4)) {
    x <- sample_matrix(30, 12)
    fit <- fen_pcafs(x, m = 3, u = u, control = rowsparse_control(maxit = 5000))
    expect_never_rises(fit$objective)
    expect_equal(cummin(fit$trace), fit$objective)
    if (u > 1) expect_never_rises(fit$trace)
    expect_orthonormal(fit$Z)
    z <- centred(x) * sqrt(12 / sum(centred(x)^2))
    expect_equal(plain_fen(z, fit$loadings, fit$Z, fit$a, fit$parameters),
      tail(fit$objective, 1), tolerance = 1e-9
    )
    expect_true(fit$a >= 0 && fit$a <= 1)
  }
})

test_that("the step in a maximises for u below 1 and minimises above", {
  x <- from_seed(3, sample_matrix(30, 10))
  grid <- seq(0.001, 0.999, 0.001)
  for (u in c(0.2, 0.8, 2)) {
    fit <- fen_core(x, svd(centred(x))$v[, 1:2], u = u, maxit = 1L)
    W <- svd(centred(x))$v[, 1:2]
    value <- function(a) a^u * sum(W^2) + (1 - a)^u * sum((rowSums(W^2) + 1e-8)^0.25)
    extreme <- if (u < 1) max(value(grid)) else min(value(grid))
    expect_equal(value(fit$a), extreme, tolerance = 1e-5)
  }
})

test_that("with t = 0 what is left is ridge shrinkage", {
  x <- from_seed(5, sample_matrix(30, 9))
  S <- scatter(x)
  fit <- fen_pcafs(x, m = 2, lambda = 3, t = 0, u = 0.5, normalize = FALSE,
    control = rowsparse_control(tol = 1e-14, maxit = 5000)
  )
  expect_identical(fit$a, 1)
  expect_equal(unname(fit$loadings), unname(solve(S + 3 * diag(9), S %*% fit$Z)), tolerance = 1e-6)
})

test_that("what has no meaning is refused", {
  x <- matrix(rnorm(60), 12)
  expect_each_refused("range", "`u` must not be 1" = fen_pcafs(x, u = 1),
    "`t` must be above 0" = fen_pcafs(x, u = 2, t = 0)
  )
})
