q_problem <- function(d = 60, m = 4) {
  set.seed(31)
  S <- scatter(sample_matrix(80, d))
  S <- S / norm(S, "2")
  # a coupling of the size of S, as the methods have it: one basin
  C <- 4 * orthonormal(d, m) + 0.1 * matrix(rnorm(d * m), d)
  list(S = S, C = C, start = orthonormal(d, m))
}

solve_q <- function(problem, solver, tol = 1e-10, start = problem$start) {
  maxit <- c(mm = 50000L, rtr = 500L, pencf = 50000L)[[solver]]
  c_call("C_qsolve", problem$S, problem$C, start,
    list(solver = solver, inner_tol = tol, inner_maxit = maxit)
  )
}

q_value <- function(problem, W) {
  -sum(W * (problem$S %*% W)) - sum(W * problem$C)
}

test_that("the three solvers agree, are feasible and stationary", {
  problem <- q_problem()
  ends <- lapply(c("mm", "rtr", "pencf"), function(solver) solve_q(problem, solver))
  values <- vapply(ends, `[[`, 0, "value")
  expect_lte(diff(range(values)), 1e-8 * abs(values[1]))
  for (end in ends) {
    expect_orthonormal(end$W)
    expect_equal(end$value, q_value(problem, end$W), tolerance = 1e-12)
    gradient <- -2 * problem$S %*% end$W - problem$C
    multiplier <- crossprod(end$W, gradient)
    residual <- gradient - end$W %*% (multiplier + t(multiplier)) / 2
    expect_lte(sqrt(sum(residual^2)), 1e-8 * max(1, sqrt(sum(gradient^2))))
    expect_lte(end$residual, 1e-8)
  }
})

test_that("with C = 0 all solvers find the leading eigenspace", {
  problem <- q_problem()
  problem$C[] <- 0
  best <- -sum(eigen(problem$S, symmetric = TRUE)$values[1:4])
  for (solver in c("mm", "rtr", "pencf")) {
    expect_equal(solve_q(problem, solver, 1e-8)$value, best, tolerance = 1e-8)
  }
})

test_that("with S = 0 the solution is the polar factor of C", {
  problem <- q_problem()
  problem$S[] <- 0
  best <- -sum(svd(problem$C)$d)
  for (solver in c("mm", "rtr", "pencf")) {
    expect_equal(solve_q(problem, solver)$value, best, tolerance = 1e-8)
  }
})

test_that("no solver ends above its start", {
  for (scale in 10^c(-6, 0, 6)) {
    problem <- q_problem(20, 3)
    problem$S <- problem$S * scale
    for (solver in c("mm", "rtr", "pencf")) {
      for (maxit in c(1L, 3L, 30L)) {
        end <- c_call("C_qsolve", problem$S, problem$C, problem$start,
          list(solver = solver, inner_tol = 0, inner_maxit = maxit)
        )
        start <- q_value(problem, problem$start)
        expect_lte(end$value, start + 1e-12 * abs(start))
        expect_orthonormal(end$W)
      }
    }
  }
})

test_that("the trust region converges in few iterations near a solution", {
  problem <- q_problem()
  first <- solve_q(problem, "rtr", 1e-4)
  second <- solve_q(problem, "rtr", 1e-10, first$W)
  expect_lte(second$iterations, 5)
  expect_identical(second$status, "converged")
})
