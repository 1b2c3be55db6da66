# Paths of spca_psd() beside fits one by one, and bounds beside objectives in plain R.

steep_data <- function(n, d, decay = 0.7) {
  base <- matrix(rnorm(n * min(n, d)), n)
  rotation <- qr.Q(qr(matrix(rnorm(d * min(n, d)), d)))
  base %*% (decay^(seq_len(min(n, d)) - 1) * t(rotation)) + 0.01 * matrix(rnorm(n * d), n)
}

# such data, and penalties on a path at these powers of ten
path_problem <- function(n, d, powers) {
  x <- steep_data(n, d, 0.8)
  eta <- 0.05 * sum(scale(x, scale = FALSE)^2)
  list(x = x, eta = eta, lambda = eta * 10^powers)
}

plain_objective <- function(x, fit) {
  x <- sweep(x, 2, colMeans(x))
  matrix <- omega(fit)
  sum((x - x %*% matrix)^2) + fit$parameters$lambda * sum(sqrt(colSums(matrix^2))) +
    fit$parameters$eta * sum(diag(matrix))
}

test_that("bounds from the leading eigenpairs are below the optimum and close to it", {
  set.seed(11)
  for (i in seq_len(instances(60))) {
    n <- sample(8:60, 1)
    d <- sample(8:60, 1)
    x <- steep_data(n, d, runif(1, 0.5, 0.98))
    if (i %% 4 == 0) x[, 1] <- 30 * x[, 1]
    if (i %% 5 == 0) x <- x[, c(1, 1, seq_len(d))]
    trace <- sum(scale(x, scale = FALSE)^2)
    eta <- runif(1, 0.05, 0.7) * trace
    lambda <- 10^runif(1, -4, 0) * eta
    fit <- function(...) suppressWarnings(spca_psd(x, lambda, eta, ...))
    tight <- fit(solver = "exact", control = rowsparse_control(tol = 1e-10))
    least <- plain_objective(x, tight)
    expect_equal(least, tail(tight$objective, 1), tolerance = 1e-9)
    for (other in list(tight, fit(), fit(solver = "exact"),
      fit(solver = "exact", control = rowsparse_control(tol = 1e-2)))) {
      expect_lte(other$bound, least * (1 + 1e-12))
    }
    if (lambda < 0.2 * eta) expect_lte(fit(solver = "exact")$gap, 1e-6)
  }
})

core_ends_here()

expect_same_as_alone <- function(path, x, at, ...) {
  for (i in at) {
    alone <- suppressWarnings(spca_psd(x, path$grid[i], path$parameters$eta, ...))
    value <- tail(alone$objective, 1)
    expect_equal(path$objective[i], value, tolerance = 2e-6)
    expect_lte(path$bound[i], value * (1 + 1e-12))
    loadings <- coef(path, path$grid[i])
    expect_equal(tcrossprod(loadings), omega(alone), tolerance = 1e-2, ignore_attr = TRUE)
    expect_equal(path$explained[i],
      rowsparse:::explained_by_components(loadings, rowsparse:::as_data(x, FALSE)),
      tolerance = 1e-6
    )
  }
}

test_that("a path along the optima holds what single fits find", {
  set.seed(12)
  for (size in list(c(100, 40), c(90, 140), c(30, 60))) {
    problem <- path_problem(size[1], size[2], seq(-0.2, -3, length.out = 25))
    path <- spca_psd(problem$x, problem$lambda, problem$eta, solver = "exact")
    expect_true(all(path$converged))
    expect_true(all(path$gap <= 1e-6))
    expect_same_as_alone(path, problem$x, c(1, 5, 9, 13, 18, 25), solver = "exact")
  }
})

test_that("a path begins anywhere, passes Omega = 0, and takes several values of eta", {
  set.seed(13)
  x <- steep_data(50, 30)
  trace <- sum(scale(x, scale = FALSE)^2)
  grid <- trace * 10^c(1, 0.5, seq(-1.2, -4, length.out = 10))
  path <- spca_psd(x, grid, 0.1 * trace, solver = "exact")
  expect_identical(path$nonzero[1:2], c(0L, 0L))
  expect_true(all(path$gap <= 1e-6))
  expect_same_as_alone(path, x, c(2, 6, 12), solver = "exact")
  from <- spca_psd(x, grid[8], 0.1 * trace)
  begun <- spca_psd(x, grid[5:9], 0.1 * trace, solver = "exact", start = from)
  expect_equal(begun$objective, path$objective[5:9], tolerance = 2e-6)
  both <- spca_psd(x, grid[6:8], c(0.3, 0.1, 0.02) * trace, solver = "exact")
  expect_true(all(both$gap <= 1e-6))
  expect_equal(both$objective[4:6], path$objective[6:8], tolerance = 2e-6)
})

test_that("a path of the published iteration ends where single fits do, with bounds that hold", {
  set.seed(14)
  for (size in list(c(100, 40), c(60, 310), c(30, 60))) {
    problem <- path_problem(size[1], size[2], seq(-0.5, -2.5, length.out = 12))
    run <- function(lambda, ...) spca_psd(problem$x, lambda, problem$eta, ...)
    path <- suppressWarnings(run(problem$lambda))
    for (i in c(1, 4, 8, 12)) {
      alone <- suppressWarnings(run(problem$lambda[i]))
      best <- run(problem$lambda[i], solver = "exact")
      expect_equal(path$objective[i], tail(alone$objective, 1), tolerance = 1e-3)
      expect_gte(path$objective[i], best$bound)
      expect_lte(path$bound[i], tail(best$objective, 1) * (1 + 1e-12))
      expect_lte(path$gap[i], 1.1 * alone$gap + 1e-4)
    }
  }
  # from Omega = 0 on
  x <- problem$x
  trace <- sum(scale(x, scale = FALSE)^2)
  path <- suppressWarnings(spca_psd(x, c(2e-3, 1e-3) * trace, c(3, 0.05) * trace))
  expect_identical(path$nonzero[1:2], c(0L, 0L))
  expect_true(all(path$nonzero[3:4] > 0))
  alone <- suppressWarnings(spca_psd(x, 1e-3 * trace, 0.05 * trace))
  expect_equal(path$objective[4], tail(alone$objective, 1), tolerance = 1e-3)
})

test_that("the front door walks along the same optima", {
  set.seed(14)
  x <- steep_data(60, 30, 0.8)
  eta <- 0.05 * sum(scale(x, scale = FALSE)^2)
  grid <- eta * 10^seq(-0.5, -2, length.out = 12)
  for (solver in c("exact", "paper")) {
    own <- spca_psd(x, grid, eta, solver = solver, control = rowsparse_control(tol = 1e-6))
    front <- rowsparse_path(x, method = "spca_psd", lambda = grid, eta = eta, solver = solver,
      control = rowsparse_control(tol = 1e-6)
    )
    held <- c("grid", "scores", "selected", "nonzero", "explained", "objective", "bound")
    expect_equal(front[held], own[held], info = solver)
    # a path that may end early is fitted point by point, to the same optima
    early <- rowsparse_path(x, method = "spca_psd", lambda = grid, eta = eta, solver = solver,
      early_stop = TRUE, control = rowsparse_control(tol = 1e-6)
    )
    kept <- seq_along(early$grid)
    expect_equal(early$objective, front$objective[kept], tolerance = 1e-3, info = solver)
  }
  expect_equal(rowsparse_path(moments(x), method = "spca_psd", lambda = grid, eta = eta)$objective,
    rowsparse_path(x, method = "spca_psd", lambda = grid, eta = eta)$objective,
    tolerance = 1e-5
  )
})
