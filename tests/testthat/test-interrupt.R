# A time limit is noticed where interrupts are: in the same poll of the core.
stops_early <- function(code) {
  limit <- function() setTimeLimit(elapsed = 0.3, transient = TRUE)
  limit()
  on.exit(setTimeLimit())
  expect_error(force(code), "time limit")
}

test_that("a long fit can be stopped and the session goes on", {
  set.seed(71)
  x <- sample_matrix(60, 300)
  endless <- rowsparse_control(tol = 0, maxit = 1e6, inner_tol = 0, inner_maxit = 1e6)
  for (solver in c("mm", "rtr", "pencf")) {
    stops_early(bsufs(x, 3, solver = solver, control = endless))
  }
  stops_early(rfs(x, x[, 1] + sin(1:60), control = endless))
  expect_true(bsufs(x, 3)$converged)
})
