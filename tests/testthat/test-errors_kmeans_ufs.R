x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8, 0, 1, 4, 1, 5, 9), 6)

core_ends_here()

test_that("the number of clusters must fit the samples", {
  expect_refused(kmeans_ufs(x, 1, 7), "range", "`clusters` must be a whole number from 2 to 6")
  expect_refused(kmeans_ufs(x, 1, 1), "range", "`clusters`")
  expect_refused(kmeans_ufs(x, 1, 2.5), "range", "`clusters`")
  expect_refused(kmeans_ufs(x, 1, NA), "range", "`clusters`")
})

test_that("as many clusters as samples are allowed", {
  for (solver in c("exact", "admm", "alternate")) {
    fit <- suppressWarnings(kmeans_ufs(x, 2, 6, solver))
    expect_length(fit$selected, 2)
    expect_equal(sort(unique(fit$cluster)), 1:6)
  }
})

test_that("the number of features must fit those that vary", {
  expect_refused(kmeans_ufs(x, 4, 2), "range", "`k` must be a whole number from 1 to 3; got 4")
  expect_refused(kmeans_ufs(x, 0, 2), "range", "`k`")
  expect_refused(suppressWarnings(kmeans_ufs(cbind(x, 1), 4, 2)), "range", "from 1 to 3")
  expect_refused(kmeans_ufs(matrix(1, 4, 3), 1, 2), "constant", "`x`")
})

test_that("choices and settings are checked", {
  expect_refused(kmeans_ufs(x, 1, 2, "lloyd"), "choice", "`solver`")
  expect_refused(kmeans_ufs(x, 1, 2, "admm", form = "cubic"), "choice", "`form`")
  expect_refused(kmeans_ufs(x, 1, 2, "admm", mu = 0), "range", "`mu`")
  expect_refused(kmeans_ufs(x, 1, 2, "admm", form = "quadratic", mu = 0.1), "range", "`mu`")
  expect_refused(kmeans_ufs(x, 1, 2, "admm", rho = 0.9), "range", "`rho`")
  expect_refused(kmeans_ufs(x, 1, 2, "alternate", starts = 0), "range", "`starts`")
  expect_refused(kmeans_ufs(x, 1, 2, scale = NA), "type", "`scale`")
  expect_refused(kmeans_ufs(x, 1, 2, control = list(steps = 3)), "control", "steps")
})

test_that("moments hold no samples to cluster", {
  expect_refused(kmeans_ufs(moments(x), 1, 2, "alternate"), "type", "alternate")
})

test_that("requests beyond the memory are refused with the way out", {
  old <- options(rowsparse.memory = 100)
  on.exit(options(old))
  expect_refused(kmeans_ufs(moments(x), 3, 2, "admm"), "memory", "exact")
})

test_that("too few iterations bring a warning and a result", {
  few <- rowsparse_control(maxit = 2)
  expect_warning(
    fit <- kmeans_ufs(x, 2, 2, "admm", control = few),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_length(fit$selected, 2)
})

test_that("a single start and repeated samples are no trouble", {
  repeated <- x[rep(1:3, 4), ]
  for (solver in c("exact", "admm", "alternate")) {
    fit <- suppressWarnings(kmeans_ufs(repeated, 2, 5, solver, starts = 1))
    expect_length(unique(fit$selected), 2)
    expect_true(all(fit$cluster %in% 1:5))
  }
})
