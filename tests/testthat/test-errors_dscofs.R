set.seed(99)
good <- sample_matrix(20, 10)

core_ends_here()

test_that("the number of features and the dimension say their range", {
  for (method in list(dscofs, fspca)) {
    expect_refused(method(good, 2, 3), "range", "`k` must be a whole number from 3 to 10; got 2")
    expect_refused(method(good, 11, 3), "range", "`k` must be a whole number from 3 to 10; got 11")
    expect_refused(method(good, 4.5, 3), "range", "`k`")
    expect_refused(method(good, NA, 3), "range", "`k`")
    expect_refused(method(good, 4, 0), "range", "`m` must be a whole number from 1 to 10")
    expect_refused(method(good[1:4, ], 6, 5), "range", "`m` must be a whole number from 1 to 3")
  }
  expect_refused(spcafs(good, 11), "range", "`m` must be a whole number from 1 to 10")
  expect_refused(spcafs(good[1:3, ], 3), "range", "`m` must be a whole number from 1 to 2")
})

test_that("alpha must leave m entries", {
  rule <- "`alpha` must be a share from 0.1 to 1 or a whole number of entries from 3 to 30"
  for (alpha in list(0, -0.5, 0.05, 2, 31, 2.5, NA, "a", c(0.1, 0.2), Inf, NULL)) {
    expect_refused(dscofs(good, 5, 3, alpha), "range", rule)
  }
  expect_s3_class(suppressWarnings(dscofs(good, 5, 3, 3)), "dscofs")
  expect_s3_class(suppressWarnings(dscofs(good, 5, 3, 0.1)), "dscofs")
})

test_that("starts and seeds are checked", {
  expect_refused(dscofs(good, 4, 3, starts = -1), "range", "`starts`")
  expect_refused(dscofs(good, 4, 3, starts = 0, start = "random"), "range", "`starts`")
  expect_refused(dscofs(good, 4, 3, seed = 0.5), "range", "`seed`")
})

test_that("penalties, exponents and choices are checked", {
  expect_refused(dscofs(good, 3, 2, mu1 = -1), "range", "`mu1`")
  expect_refused(dscofs(good, 3, 2, mu2 = Inf), "range", "`mu2`")
  expect_refused(dscofs(good, 3, 2, mu2 = "a"), "range", "`mu2`")
  expect_refused(dscofs(good, 3, 2, solver = "newton"), "choice", "\"pencf\"")
  expect_refused(dscofs(good, 3, 2, normalize = NA), "type", "`normalize`")
  expect_refused(dscofs(good, 3, 2, start = "zero"), "choice", "`start`")
  expect_refused(dscofs(good, 3, 2, start = diag(3)), "size", "10 x 2")
  expect_refused(dscofs(good, 3, 2, start = matrix(NA_real_, 10, 2)), "nonfinite", "`start`")
  expect_refused(spcafs(good, 2, -1), "range", "`lambda`")
  expect_refused(spcafs(good, 2, p = 0), "range", "`p`")
  expect_refused(spcafs(good, 2, p = 1.5), "range", "`p`")
  expect_refused(spcafs(good, 2, start = diag(2)), "size", "10 x 2")
  expect_refused(fspca(good, 3, 2, "greedy"), "choice", "\"ipu\"")
})

test_that("a time limit is seconds", {
  expect_refused(fspca(good, 3, 2, "exact", time_limit = -1), "range", "`time_limit`")
  expect_refused(fspca(good, 3, 2, "exact", time_limit = "a"), "range", "`time_limit`")
  expect_s3_class(fspca(good, 5, 5, "exact", time_limit = 0), "fspca")
})

test_that("data are checked as everywhere", {
  bad <- good
  bad[2, 3] <- NA
  for (fit in list(
    function(x) dscofs(x, 3, 2), function(x) fspca(x, 3, 2), function(x) spcafs(x, 2)
  )) {
    expect_refused(fit(bad), "nonfinite", "row 2, column 3")
    expect_refused(fit("a"), "type", "`x`")
    expect_refused(fit(good[1, , drop = FALSE]), "size", "at least 2 samples")
    expect_refused(fit(matrix(1, 5, 5)), "constant", "that varies")
    expect_refused(fit(cbind(good, g1 = 1:20)), "names", "distinct")
  }
})

test_that("an iteration limit is a warning, and the result is returned", {
  limited <- rowsparse_control(maxit = 1, tol = 0)
  for (fit in list(
    function() dscofs(good, 3, 2, 0.5, control = limited),
    function() spcafs(good, 2, 0.5, control = limited)
  )) {
    expect_warning(value <- fit(), class = "rowsparse_warning_convergence")
    expect_false(value$converged)
    expect_length(value$ranking, 10)
  }
})
