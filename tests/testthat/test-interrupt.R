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

test_that("starts on several threads can be stopped", {
  skip_if_quick()
  set.seed(72)
  x <- sample_matrix(100, 400, 40, 1)
  y <- stats::rnorm(100)
  limited <- function() {
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    on.exit(setTimeLimit())
    cdlsr(x, y, 30, init = "random", starts = 5000, control = rowsparse_control(threads = 2))
  }
  expect_error(capture.output(limited(), type = "message"), "interrupted|time limit")
  expect_length(cdlsr(x, y, 3)$selected, 3)
})
