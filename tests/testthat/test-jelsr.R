# plain steps, W by d x d equations, Y by all eigenvectors
plain_jelsr <- function(x, L, m, alpha, beta, u, iterations) {
  z <- centred(x)
  n <- nrow(z)
  q <- rep(1 / u, ncol(z))
  f <- numeric()
  for (it in seq_len(iterations)) {
    A <- solve(crossprod(z) + alpha * diag(q, ncol(z)))
    M <- L + beta * (diag(n) - z %*% A %*% t(z)) + 1e3 / n
    Y <- eigen(M, symmetric = TRUE)$vectors[, n:(n - m + 1), drop = FALSE]
    W <- A %*% crossprod(z, Y)
    q <- 1 / (2 * plain_norms(W))
    f <- c(f, jelsr_objective(x, L, Y, W, alpha, beta))
  }
  list(Y = Y, W = W, objective = f)
}

jelsr_objective <- function(x, L, Y, W, alpha, beta) {
  sum(Y * (L %*% Y)) + beta * (sum((centred(x) %*% W - Y)^2) + alpha * sum(plain_norms(W)))
}

jelsr_laplacian <- function(x, neighbours = 5) {
  rowsparse:::reconstruction_laplacian(rowsparse:::as_data(x), neighbours)
}

test_that("the steps are those of the equations by features, for either shape", {
  for (x in from_seed(1, of_sizes(list(c(40, 8), c(20, 35)), sample_matrix, noise = 1))) {
    L <- jelsr_laplacian(x)
    for (alpha in c(0.5, 5)) {
      found <- c_call("C_jelsr", as_c_data(x), L,
        list(m = 3L, alpha = alpha, beta = 2, u = 0.3, tol = 0, maxit = 7L)
      )
      plain <- plain_jelsr(x, L, 3, alpha, 2, 0.3, 8)
      expect_equal(found$objective, plain$objective, tolerance = 1e-8)
      expect_equal(plain_norms(found$W), unname(plain_norms(plain$W)), tolerance = 1e-6)
      expect_equal(tcrossprod(found$Y), tcrossprod(plain$Y), tolerance = 1e-6)
    }
  }
})

core_ends_here()

test_that("the objective is that of the fit, never rises, and Y is feasible", {
  for (x in from_seed(2, of_sizes(list(c(50, 12), c(25, 80), c(300, 20)), sample_matrix))) {
    fit <- jelsr(x, m = 3)
    expect_true(fit$converged)
    expect_never_rises(fit$objective)
    expect_orthonormal(fit$embedding, 1e-8)
    expect_lte(max(abs(colSums(fit$embedding))), 1e-6)
    p <- fit$parameters
    L <- jelsr_laplacian(x)
    value <- jelsr_objective(x, L, fit$embedding, fit$loadings, p$alpha, p$beta)
    expect_equal(utils::tail(fit$objective, 1), value, tolerance = 1e-8)
    expect_equal(sum(c(1, p$beta, p$alpha * p$beta) * fit$terms), value, tolerance = 1e-8)
    # weights of sum 1: the constant vector is free
    expect_lte(max(abs(L %*% rep(1, nrow(x)))), 1e-8)
  }
})

test_that("more alpha leaves fewer rows, and none with a warning", {
  x <- from_seed(5, cbind(sample_matrix(40, 15), one = 1))
  alpha <- suppressWarnings(jelsr(x, 2))$parameters$alpha_max
  weight <- vapply(c(0.01, 0.1, 0.5), function(share) {
    fit <- suppressWarnings(jelsr(x, 2, alpha = share * alpha))
    fit$terms[["rows"]]
  }, 0)
  expect_true(all(diff(weight) < 0))
  fit <- suppressWarnings(jelsr(x, 2))
  expect_identical(fit$ranking[16], 16L)
  heard <- conditions_heard(none <- jelsr(x, 2, alpha = 100 * alpha), "warning")
  expect_equal(unname(none$terms[-1]), c(2, 0)) # m, and no rows
  expect_true("rowsparse_warning_zero" %in% vapply(heard, function(warning) class(warning)[1], ""))
  copies <- x[c(1:20, 1:20), ]
  expect_true(all(is.finite(suppressWarnings(jelsr(copies, 2))$scores)))
})
