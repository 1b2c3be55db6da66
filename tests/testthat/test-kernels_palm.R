# With the penalties c_i/2 ||U||^2 the copies are beta_i W / (beta_i + c_i) at
# the minimum, and the minimiser spans the leading eigenvectors of S.
palm <- function(S, start, curvature, beta, solver = "mm", extrapolates = 1L, maxit = 5000L) {
  settings <- list(
    solver = solver, inner_tol = 1e-8, inner_maxit = if (solver == "mm") 1L else 500L,
    tau = 1e-3, inertia = 1e-3, extrapolates = extrapolates, tol = 1e-14, maxit = maxit
  )
  c_call("C_palm", S, start, as.double(curvature), as.double(beta), settings)
}

palm_problem <- function() {
  set.seed(81)
  S <- scatter(sample_matrix(60, 25))
  list(S = S / mean(diag(S)), start = orthonormal(25, 3))
}

palm_minimum <- function(S, curvature, beta, m) {
  on <- curvature >= 0
  fixed <- sum(beta[on] * curvature[on] / (beta[on] + curvature[on])) / 2
  m * fixed - sum(eigen(S, symmetric = TRUE)$values[seq_len(m)])
}

test_that("alternating minimisation finds the known minimum, with any solver and copies", {
  p <- palm_problem()
  beta <- c(2, 5)
  for (curvature in list(c(1, 3), c(-1, 3), c(1, -1), c(-1, -1), c(0, 0))) {
    for (solver in c("mm", "rtr", "pencf")) {
      fit <- palm(p$S, p$start, curvature, beta, solver)
      best <- palm_minimum(p$S, curvature, beta, 3)
      expect_equal(tail(fit$objective, 1), best, tolerance = 1e-8)
      expect_never_rises(fit$objective)
      expect_orthonormal(fit$W)
      expect_lte(fit$kkt, 1e-2)
      for (i in 1:2) {
        share <- if (curvature[i] >= 0) beta[i] / (beta[i] + curvature[i]) else 1
        expect_equal(fit[[c("first", "second")[i]]], share * fit$W, tolerance = 1e-2)
      }
    }
  }
})

test_that("the extrapolation saves rounds and never lets the objective rise", {
  p <- palm_problem()
  plain <- palm(p$S, p$start, c(1, 3), c(40, 40), extrapolates = 0L)
  fast <- palm(p$S, p$start, c(1, 3), c(40, 40))
  expect_lt(length(fast$objective), length(plain$objective))
  expect_never_rises(fast$objective)
  expect_equal(tail(fast$objective, 1), tail(plain$objective, 1), tolerance = 1e-8)
  expect_identical(palm(p$S, p$start, c(1, 3), c(2, 5), maxit = 2L)$status,
                   "iteration limit reached")
})
