# bsufs(): the objective in plain R, stationary ends, published runs

# the penalised objective in plain R, S already multiplied by its factor
plain_bsufs <- function(fit, x) {
  p <- fit$parameters
  S <- scatter(x, !is.null(fit$scale))
  if (p$normalize) S <- S * ncol(S) / sum(diag(S))
  f <- -sum(fit$W * (S %*% fit$W))
  if (p$lambda2 > 0) {
    f <- f + p$lambda2 * plain_penalty(fit$U, p$q) + p$beta1 / 2 * sum((fit$W - fit$U)^2)
  }
  if (p$lambda1 > 0) {
    f <- f + p$lambda1 * plain_penalty(plain_norms(fit$loadings), p$p) +
      p$beta2 / 2 * sum((fit$W - fit$loadings)^2)
  }
  f
}

test_that("the objective is the formula, never rises, and W is feasible", {
  set.seed(41)
  for (x in list(sample_matrix(40, 30), sample_matrix(15, 80))) {
    for (solver in c("mm", "rtr", "pencf")) {
      for (exponents in list(c(0, 0), c(0.5, 0.5), c(0.3, 0.8), c(1, 1))) {
        fit <- bsufs(x, 3, p = exponents[1], q = exponents[2], solver = solver)
        expect_equal(end_of(fit), plain_bsufs(fit, x), tolerance = 1e-9)
        expect_never_rises(fit$objective)
        expect_orthonormal(fit$W)
        expect_true(fit$converged)
        expect_equal(unname(fit$scores), unname(plain_norms(fit$loadings)))
      }
    }
  }
})

core_ends_here()

test_that("run to the end, the point is stationary in W, U and V", {
  x <- from_seed(42, sample_matrix(40, 25))
  fit <- bsufs(x, 2, control = rowsparse_control(tol = 1e-15, maxit = 20000))
  expect_lte(max(fit$kkt, bsufs_kkt(fit, x)), 1e-4)
  warm <- bsufs(x, 2, start = fit)
  expect_lte(warm$iterations, 10)
  expect_equal(bsufs(x, 2, start = fit$W)$objective, warm$objective)
})

test_that("the basis of the components is turned to few loadings", {
  scores <- from_seed(46, qr.Q(qr(scale(matrix(rnorm(200 * 4), 200), TRUE, FALSE))))
  x <- scores %*% kronecker(diag(4), t(rnorm(6, 1, 0.1))) + 0.002 * matrix(rnorm(200 * 24), 200)
  fit <- bsufs(x, 4, lambda1 = 0)
  expect_equal(end_of(fit), plain_bsufs(fit, x), tolerance = 1e-9)
  # four blocks of six features, whose variances are nearly the same
  expect_lte(sum(abs(fit$U) > 1e-8), 24)
})

test_that("without penalties it is principal component analysis, from any start", {
  x <- from_seed(43, sample_matrix(30, 20))
  best <- -sum(svd(centred(x))$d[1:3]^2)
  for (solver in c("mm", "rtr", "pencf")) {
    for (start in list(NULL, orthonormal(20, 3))) {
      fit <- bsufs(x, 3, 0, 0, normalize = FALSE, solver = solver, start = start,
        control = rowsparse_control(tol = 1e-14, maxit = 5000)
      )
      expect_equal(end_of(fit), best, tolerance = 1e-6)
    }
  }
})

test_that("a zero lambda switches its copy off", {
  x <- from_seed(44, sample_matrix(30, 20))
  rows <- bsufs(x, 2, lambda2 = 0)
  expect_equal(rows$U, rows$W)
  expect_equal(bsufs(x, 2, lambda2 = 0, beta1 = 17)$objective, rows$objective)
  elements <- bsufs(x, 2, lambda1 = 0)
  expect_equal(elements$loadings, elements$W)
})

test_that("normalize = FALSE is the absolute scale of the same problem", {
  x <- from_seed(49, sample_matrix(40, 20))
  fit <- bsufs(x, 2)
  unit <- sum(diag(scatter(x))) / 20
  p <- fit$parameters
  same <- bsufs(x, 2, p$lambda1 * unit, p$lambda2 * unit,
    beta1 = p$beta1 * unit, beta2 = p$beta2 * unit, normalize = FALSE
  )
  expect_equal(end_of(same) / unit, end_of(fit), tolerance = 5e-3)
  expect_setequal(selected(same, 8), selected(fit, 8))
})
