# spcafs(): the objective in plain R, stationary ends, recorded runs

penalised <- function(W, S, lambda, p) {
  norms <- plain_norms(W)
  -sum(W * (S %*% W)) + lambda * sum(norms[norms > 0]^p)
}

test_that("the objective is the formula, never rises, and W is feasible", {
  set.seed(91)
  for (d in c(30, 320)) for (p in c(0.3, 1)) {
    x <- sample_matrix(40, d)
    S <- scatter(x) * d / sum(diag(scatter(x)))
    for (lambda in c(0.01, 0.3, 3)) {
      fit <- spcafs(x, 3, lambda, p)
      norms <- plain_norms(fit$loadings)
      smoothed <- -sum(fit$loadings * (S %*% fit$loadings)) +
        lambda * sum((norms[norms > 0]^2 + fit$parameters$eps)^(p / 2))
      expect_equal(utils::tail(fit$objective, 1), smoothed, tolerance = 1e-9)
      expect_equal(fit$penalised, penalised(fit$loadings, S, lambda, p), tolerance = 1e-9)
      expect_never_rises(fit$objective)
      expect_orthonormal(fit$loadings)
      expect_true(fit$converged)
    }
  }
})

test_that("rows that are left out stay zero, and the objective falls to a stationary end", {
  for (at in list(c(300, 30, 6), c(320, 30, 7), c(320, 60, 3))) {
    set.seed(at[3])
    d <- at[1]
    n <- at[2]
    x <- matrix(rnorm(n * 5), n) %*% (matrix(rnorm(5 * d), 5) * rexp(5 * d)) +
      matrix(rnorm(n * d), n)
    S <- scatter(x) * d / sum(diag(scatter(x)))
    fit <- spcafs(x)
    W <- unname(fit$loadings)
    expect_never_rises(fit$objective)
    rows <- plain_norms(W) > 0
    expect_true(all(plain_norms(W)[rows] > 1e-12) && !all(rows))
    at <- fit$parameters
    expect_equal(utils::tail(fit$objective, 1),
      -sum(W * (S %*% W)) + at$lambda * sum((plain_norms(W)[rows]^2 + at$eps)^(at$p / 2))
    )
    expect_lte(spcafs_kkt(fit, x), 0.01)
  }
})

core_ends_here()

# the published iteration; before a step, once they are slow, the shortest rows go of those that f
# may be lower without: all, or a quarter of them, and so on
plain_spcafs <- function(S, m, lambda, p, eps, steps) {
  square <- function(W) plain_norms(W)^2
  value <- function(W) -sum(W * (S %*% W)) + lambda * sum((square(W)[square(W) > 0] + eps)^(p / 2))
  W <- eigen(S, TRUE)$vectors[, seq_len(m)]
  level <- sum(W * (S %*% W)) / m
  objective <- value(W)
  for (step in seq_len(steps)) {
    last <- utils::tail(objective, 1)
    rows <- which(square(W) > 0)
    if (step > 1 && abs(last - objective[step - 1]) <= 1e-3 * max(abs(last), 1)) {
      SW <- S %*% W
      change <- 2 * rowSums(W * SW) - diag(S) * square(W) - rowSums(W * (W %*% crossprod(W, SW))) -
        lambda * (square(W) + eps)^(p / 2)
      may <- rows[change[rows] < 0]
      may <- may[order(square(W)[may])]
      count <- min(length(may), length(rows) - m)
      while (count > 0) {
        V <- W
        V[may[seq_len(count)], ] <- 0
        V <- plain_polar(V)
        if (value(V) < last) W <- V
        count <- if (value(V) < last) 0 else count %/% 4
      }
    }
    q <- p / 2 * (square(W) + eps)^(p / 2 - 1)
    rows <- which(square(W) > 0 & (square(W) > eps | lambda * q <= level))
    W[-rows, ] <- 0
    W[rows, ] <- eigen(S[rows, rows] - lambda * diag(q[rows]), TRUE)$vectors[, seq_len(m)]
    objective <- c(objective, value(W))
  }
  list(objective = objective, W = W)
}

test_that("iterations are those of plain R", {
  for (at in list(c(12, 2, 0.5, 1), c(12, 4, 1, 1), c(30, 2, 1, 1), c(30, 1, 0.5, 3),
    c(30, 1, 0.3, 1), c(300, 0.2, 0.5, 1))) {
    x <- from_seed(at[4], sample_matrix(40, at[1]))
    S <- scatter(x) * at[1] / sum(diag(scatter(x)))
    steps <- if (at[1] < 300) 25 else 1
    fit <- suppressWarnings(spcafs(x, 3, at[2], at[3],
      control = rowsparse_control(maxit = steps, tol = 0, inner_tol = 1e-10, inner_maxit = 500)
    ))
    plain <- plain_spcafs(S, 3, at[2], at[3], fit$parameters$eps, fit$iterations)
    expect_equal(fit$objective, plain$objective, tolerance = 1e-8)
    expect_equal(tcrossprod(unname(fit$loadings)), tcrossprod(plain$W), tolerance = 1e-5)
  }
})

test_that("limits: PCA without a penalty, the largest variances with a large one", {
  x <- from_seed(94, sample_matrix(40, 25))
  plain <- spcafs(x, 3, 0)
  expect_equal(unname(plain$scores), plain_norms(svd(centred(x))$v[, 1:3]), tolerance = 1e-5)
  expect_equal(plain$iterations, 1)
  single <- spcafs(x, 3, 1e3)
  expect_equal(sum(single$scores > 0), 3)
  expect_equal(unname(sort(single$scores, decreasing = TRUE)[1:3]), rep(1, 3))
  all <- spcafs(x[, 1:4], 4, 0.1)
  expect_equal(unname(all$scores), rep(1, 4))
  for (lambda in rep(c(2, 5, 20), 8)) {
    small <- sample_matrix(12, 8)
    left <- which(spcafs(small, 2, lambda, 0.3)$scores > 0)
    if (length(left) == 2) expect_setequal(left, order(-diag(scatter(small)))[1:2])
  }
  # zeros are ordered by variance
  zeros <- single$ranking[-(1:3)]
  expect_false(is.unsorted(-diag(scatter(x))[zeros]))
})

test_that("it agrees with bsufs(lambda2 = 0) as the coupling grows", {
  x <- from_seed(95, sample_matrix(40, 20))
  S <- scatter(x) * 20 / sum(diag(scatter(x)))
  for (p in c(0.5, 1)) {
    for (lambda in c(0.05, 0.2, 0.5)) {
      fit <- spcafs(x, 2, lambda, p)
      gap <- vapply(c(10, 1000), function(beta) {
        split <- bsufs(x, 2, lambda1 = lambda, lambda2 = 0, p = p, beta2 = beta,
          start = fit$loadings,
          control = rowsparse_control(tol = 1e-10, maxit = 5000)
        )
        # the split objective is a lower one: V = W is one of its points
        expect_lte(utils::tail(split$objective, 1), fit$penalised + 1e-6)
        abs(penalised(plain_polar(split$loadings), S, lambda, p) - fit$penalised)
      }, 0)
      expect_lte(gap[2], 1e-4 * 20) # the trace is d
      expect_lt(gap[2], gap[1])
    }
  }
})
