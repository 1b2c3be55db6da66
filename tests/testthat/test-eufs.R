plain_eufs <- function(z, U, V, L, s) {
  sum(plain_norms(z - U %*% t(V))) + s$alpha * sum(plain_norms(V)) + s$beta * sum(U * (L %*% U))
}

shrink_rows <- function(A, by) A * pmax(0, 1 - by / pmax(plain_norms(A), 1e-300))

# the iteration of the multipliers, step by step
plain_admm <- function(z, U, L, s, steps) {
  V <- crossprod(z, U)
  J <- V
  Z <- U
  Y1 <- 0 * U
  Y2 <- 0 * V
  Y3 <- 0 * z
  mu <- s$mu
  for (step in seq_len(steps)) {
    E <- shrink_rows(z - U %*% t(V) + Y3 / mu, 1 / mu)
    B <- z - E + Y3 / mu
    V <- (crossprod(B, U) + J + Y2 / mu) / 2
    J <- shrink_rows(V - Y2 / mu, s$alpha / mu)
    Z <- pmax(U - Y1 / mu - s$beta / mu * L %*% U, 0)
    U <- plain_polar(Z + Y1 / mu - s$beta / mu * L %*% Z + B %*% V)
    Y1 <- Y1 + mu * (Z - U)
    Y2 <- Y2 + mu * (J - V)
    Y3 <- Y3 + mu * (z - U %*% t(V) - E)
    rest <- z - U %*% t(V) - E
    mu <- mu * s$rho
  }
  hard <- Z * (col(Z) == max.col(Z, "first"))
  list(
    U = sweep(hard, 2, sqrt(colSums(hard^2)), "/"), V = J,
    residuals = c(
      sqrt(sum((Z - U)^2) / ncol(U)),
      sqrt(sum((J - V)^2)) / max(sqrt(sum(V^2)), sqrt(nrow(z))), sqrt(sum(rest^2) / nrow(z))
    )
  )
}

unit_start <- function(y) sweep(outer(y, 1:3, "=="), 2, sqrt(tabulate(y)), "/")

test_that("iterations are those of the multipliers", {
  set.seed(1)
  for (d in c(8, 30)) {
    x <- matrix(rnorm(20 * d), 20)
    y <- rep(1:3, length.out = 20)
    graph <- graph_of(x)
    L <- symmetric_laplacian(graph)
    s <- list(size = 1, alpha = 0.4, beta = 0.5, mu = 0.7, rho = 1.2)
    for (steps in c(1L, 6L)) {
      out <- c_call("C_eufs", as_c_data(x), unit_start(y), graph,
        c(s, list(largest_mu = 1e10, tol = 0, maxit = steps))
      )
      plain <- plain_admm(centred(x), unit_start(y), L, s, steps)
      expect_equal(out$residuals, plain$residuals, tolerance = 1e-8)
      # the returned point is that of the iteration in `best`
      best <- plain_admm(centred(x), unit_start(y), L, s, out$best)
      if (out$best > 0) expect_equal(out$W, best$V, tolerance = 1e-8)
      expect_equal(out$F, if (out$best > 0) best$U else unit_start(y), tolerance = 1e-8)
      expect_equal(tail(out$objective, 1), plain_eufs(centred(x), out$F, out$W, L, s),
        tolerance = 1e-10
      )
      expect_length(out$objective, steps + 1L)
    }
  }
})

core_ends_here()

test_that("U is feasible, the objective that of the paper, and the best one is kept", {
  data <- class_data(2, 60, 20, 6)
  for (alpha in c(0.1, 1)) {
    for (beta in c(0, 5)) {
      fit <- suppressWarnings(eufs(data$x, 3, alpha = alpha, beta = beta))
      expect_orthonormal(fit$assignment)
      expect_true(all(fit$assignment >= 0))
      expect_never_rises(fit$objective)
      expect_identical(fit$best, which.min(fit$objective) - 1L)
      L <- symmetric_laplacian(graph_of(data$x))
      value <- plain_eufs(centred(data$x), fit$assignment, fit$loadings, L,
        list(alpha = alpha, beta = beta)
      )
      expect_equal(value, tail(fit$objective, 1), tolerance = 1e-9)
      expect_true(all(fit$residuals >= 0))
    }
  }
})

test_that("a large alpha leaves nothing", {
  data <- class_data(4, 60, 20, 6)
  limit <- eufs(data$x, 3, start = data$y)$parameters$alpha_max
  z <- centred(data$x)
  rows <- z / plain_norms(z)
  expect_equal(limit, max(plain_norms(crossprod(rows, unit_start(data$label)))), tolerance = 1e-6)
  expect_warning(fit <- eufs(data$x, 3, alpha = 2 * limit), class = "rowsparse_warning_zero")
  expect_true(all(fit$loadings == 0))
})
