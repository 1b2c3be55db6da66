x <- as.matrix(iris[, 1:4])

core_ends_here()

test_that("parameters out of range are named", {
  for (bad in list(0, -1, NA, Inf, "a", c(1, 1), numeric(0), c(1, -2))) {
    expect_error(spca_psd(x, lambda = bad), "`lambda`", class = "rowsparse_error_range")
  }
  for (bad in list(-1, NA, Inf, "a", c(2, 2))) {
    expect_error(spca_psd(x, eta = bad), "`eta`", class = "rowsparse_error_range")
  }
  expect_no_error(spca_psd(x, eta = 0))
})

test_that("models and solvers are checked", {
  expect_error(spca_psd(x, loss = "l1"), "`loss`", class = "rowsparse_error_choice")
  expect_error(spca_psd(x, center = "median"), "`center`", class = "rowsparse_error_choice")
  expect_error(spca_psd(x, solver = "admm"), "`solver`", class = "rowsparse_error_choice")
  expect_error(spca_psd(x, psd = NA), "`psd`", class = "rowsparse_error_type")
  expect_error(spca_psd(x, psd = FALSE, solver = "exact"), "`solver`",
    class = "rowsparse_error_choice"
  )
  expect_error(spca_psd(x, control = list(gap = 1)), "`control`",
    class = "rowsparse_error_control"
  )
  expect_error(spca_psd(moments(x), loss = "l21"), "samples", class = "rowsparse_error_type")
})

test_that("a start must fit and be positive semidefinite", {
  expect_error(spca_psd(x, start = c(1, 1, -1, 1)), "positive semidefinite",
    class = "rowsparse_error_start"
  )
  expect_error(spca_psd(x, start = diag(c(1, 1, 1, -1))), "smallest eigenvalue",
    class = "rowsparse_error_start"
  )
  expect_error(spca_psd(x, start = matrix(1:16, 4)), "symmetric", class = "rowsparse_error_start")
  expect_error(spca_psd(x, start = rep(1, 3)), "`start`", class = "rowsparse_error_size")
  expect_error(spca_psd(x, start = c(1, NA, 1, 1)), "`start`", class = "rowsparse_error_type")
  expect_error(spca_psd(x, start = "pca"), "`start`", class = "rowsparse_error_type")
  other <- spca_psd(x[, 1:3])
  expect_error(spca_psd(x, start = other), "same features", class = "rowsparse_error_size")
})

test_that("data are checked before any work", {
  expect_error(spca_psd("a"), class = "rowsparse_error_type")
  expect_error(spca_psd(x[1, , drop = FALSE]), class = "rowsparse_error_size")
  bad <- x
  bad[3, 2] <- NA
  expect_error(spca_psd(bad), "row 3, column 2", class = "rowsparse_error_nonfinite")
})

test_that("an eta that leaves nothing names the largest useful one", {
  trace <- sum(scale(x, scale = FALSE)^2)
  largest <- 2 * eigen(crossprod(scale(x, scale = FALSE)))$values[1]
  for (solver in c("paper", "exact")) {
    for (loss in c("frobenius", "l21")) {
      expect_warning(fit <- spca_psd(x, 1, 10 * trace, loss = loss, solver = solver),
        "largest useful `eta`",
        class = "rowsparse_warning_zero"
      )
      expect_identical(fit$rank, 0L)
      expect_identical(unname(fit$scores), numeric(4))
      expect_identical(dim(fit$factor), c(4L, 0L))
      expect_lt(fit$gap, 1e-6)
    }
  }
  expect_warning(spca_psd(x, 1, 10 * trace), format(largest - 1, digits = 6), fixed = TRUE)
  expect_identical(spca_psd(x, 1, 0.9 * largest, solver = "exact")$rank, 1L)
})

test_that("a limit that is too low is a warning", {
  expect_warning(spca_psd(x, control = list(maxit = 1)), class = "rowsparse_warning_convergence")
  expect_warning(fit <- spca_psd(x, solver = "exact", control = list(maxit = 1)),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
})

test_that("sizes beyond the memory are refused with the GB", {
  fit <- spca_psd(x)
  old <- options(rowsparse.memory = 5e4)
  on.exit(options(old))
  for (rows in c(60, 59)) {
    large <- matrix(rnorm(rows * 60), rows)
    expect_error(spca_psd(large, loss = "l21", psd = FALSE), "GB", class = "rowsparse_error_memory")
  }
})

test_that("a forced route must be known", {
  old <- options(rowsparse.spca_route = "fast")
  on.exit(options(old))
  expect_error(spca_psd(x), "rowsparse.spca_route", class = "rowsparse_error_choice")
})
