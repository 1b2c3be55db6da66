# min ||T - X W||^2 + lambda sum ||w_j|| by accelerated proximal gradients
plain_tsfs <- function(x, teacher, lambda, steps = 2000) {
  z <- centred(x)
  target <- centred(teacher)
  length <- 1 / (2 * max(svd(z)$d)^2)
  W <- V <- matrix(0, ncol(z), ncol(target))
  momentum <- 1
  for (step in seq_len(steps)) {
    before <- W
    G <- V + 2 * length * crossprod(z, target - z %*% V)
    norms <- plain_norms(G)
    W <- G * pmax(0, 1 - lambda * length / pmax(norms, 1e-300))
    following <- (1 + sqrt(1 + 4 * momentum^2)) / 2
    V <- W + (momentum - 1) / following * (W - before)
    momentum <- following
  }
  W
}

tsfs_objective <- function(x, teacher, W, lambda) {
  sum((centred(teacher) - centred(x) %*% W)^2) + lambda * sum(plain_norms(W))
}

exact <- rowsparse_control(tol = 1e-10, maxit = 5000)

test_that("the minimum is that of proximal gradients, and meets its conditions", {
  for (x in from_seed(1, of_sizes(list(c(40, 12), c(15, 40)), sample_matrix, noise = 1))) {
    teacher <- matrix(rnorm(nrow(x) * 3), nrow(x)) + x[, 1:3]
    for (share in c(0.5, 0.1)) {
      lambda <- share * 2 * max(plain_norms(crossprod(centred(x), centred(teacher))))
      fit <- tsfs(x, teacher, lambda = lambda, control = exact)
      expect_equal(fit$parameters$lambda_max, lambda / share, tolerance = 1e-10)
      W <- fit$loadings
      expect_equal(end_of(fit), tsfs_objective(x, teacher, W, lambda), tolerance = 1e-10)
      plain <- plain_tsfs(x, teacher, lambda)
      expect_equal(end_of(fit), tsfs_objective(x, teacher, plain, lambda), tolerance = 1e-7)
      pull <- 2 * crossprod(centred(x), centred(teacher) - centred(x) %*% W)
      expect_lte(max(plain_norms(pull)), lambda * (1 + 1e-4))
      nonzero <- plain_norms(W) > 0
      expect_equal(unname(pull[nonzero, ]),
        unname(lambda * W[nonzero, ] / plain_norms(W)[nonzero]), tolerance = 1e-3
      )
      expect_lte(fit$gap, 1e-10)
      rest <- centred(teacher) - centred(x) %*% W
      expect_equal(fit$fidelity, 1 - sum(rest^2) / sum(centred(teacher)^2), tolerance = 1e-8)
    }
  }
})

core_ends_here()

test_that("the bound is below every value, and within the tolerance of the least", {
  x <- from_seed(2, sample_matrix(30, 60))
  teacher <- matrix(rnorm(60), 30)
  best <- end_of(tsfs(x, teacher, control = exact))
  for (tol in c(0.5, 0.1, 1e-3)) {
    fit <- tsfs(x, teacher, control = rowsparse_control(tol = tol))
    expect_true(fit$converged)
    expect_true(fit$bound <= best * (1 + 1e-9) && fit$bound >= (1 - 2 * tol) * best)
    expect_gte(end_of(fit), best * (1 - 1e-9))
  }
  expect_warning(tsfs(x, teacher, control = rowsparse_control(tol = 1e-12, maxit = 1)),
    class = "rowsparse_warning_convergence"
  )
})

test_that("from lambda_max on W is zero, and just below it is not", {
  x <- from_seed(4, cbind(sample_matrix(25, 10), one = 2))
  top <- suppressWarnings(tsfs(x, m = 2))$parameters$lambda_max
  classes <- function(lambda) {
    heard <- conditions_heard(tsfs(x, m = 2, lambda = lambda), "warning")
    vapply(heard, function(warning) class(warning)[1], "")
  }
  expect_true("rowsparse_warning_zero" %in% classes(1.001 * top))
  expect_false("rowsparse_warning_zero" %in% classes(0.98 * top))
  fit <- suppressWarnings(tsfs(x, m = 2, lambda = 2 * top))
  expect_lte(fit$gap, 1e-12)
  expect_identical(fit$ranking[11], 11L)
  path <- suppressWarnings(rowsparse_path(x, method = "tsfs", m = 2))
  expect_s3_class(path, "rowsparse_path")
})

test_that("the default teacher is the smoothest vectors on the graph", {
  x <- from_seed(5, sample_matrix(50, 15, noise = 1))
  fit <- tsfs(x, m = 3)
  vectors <- spectral_embedding(x, 3)
  walk <- vectors$vectors / sqrt(vectors$degree)
  vectors$vectors <- sweep(walk, 2, sqrt(colSums(walk^2)), "/")
  expect_equal(abs(fit$teacher), abs(unname(centred(vectors$vectors))), tolerance = 1e-6)
  again <- tsfs(x, vectors$vectors)
  expect_equal(again$scores, fit$scores, tolerance = 1e-4)
  expect_identical(tsfs(x, as.data.frame(vectors$vectors))$ranking, again$ranking)
  # the teacher of a fit goes on with it, and its end is a good start
  warm <- tsfs(x, lambda = fit$parameters$lambda, start = fit)
  expect_equal(warm$teacher, fit$teacher)
  expect_identical(warm$iterations, 0L)
  zero <- matrix(0, 15, 3)
  expect_equal(tsfs(x, m = 3, start = zero)$scores, fit$scores)
})

test_that("a teacher that does not fit is refused", {
  x <- sample_matrix(20, 6)
  expect_each_refused("size", "`teacher`" = tsfs(x, matrix(1:10 + 0, 10)),
    "`teacher`" = tsfs(x, "pca"), "`m` columns" = tsfs(x, x[, 1:2], m = 3),
    "`start`" = tsfs(x, x[, 1:2], start = matrix(0, 3, 3))
  )
  expect_refused(tsfs(x, matrix(3, 20, 2)), "constant", "`teacher`")
  expect_refused(tsfs(x, matrix(c(NA, 1:19), 20)), "range", "`teacher`")
})
