# the problem of the page, with the best F
plain_value <- function(z, W, A, A0, lambda, gamma) {
  L <- graph_laplacian(A)
  P <- z %*% W
  fitted <- solve(L + lambda * diag(nrow(L)), lambda * P)
  sum(fitted * (L %*% fitted)) + lambda * sum((P - fitted)^2) + gamma * sum((A - A0)^2)
}

test_that("the objective is that of the page, direct or eliminated, and never rises", {
  for (shape in list(c(45, 12), c(20, 60), c(60, 300))) {
    x <- class_data(shape[2], shape[1], shape[2])$x
    z <- centred(x, scale = TRUE)
    A0 <- can_graph(squared_distances(z), 5)$A
    for (lambda in c(1e-3, 1, 100)) {
      fit <- sf2sog(x, 6, m = 2, lambda = lambda)
      expect_true(fit$converged)
      expect_gt(fit$iterations, 2)
      expect_never_rises(fit$objective)
      expect_orthonormal(fit$loadings)
      expect_setequal(which(rowSums(fit$loadings^2) > 0), fit$selected)
      expect_length(fit$selected, 6)
      A <- graph_weights(fit)
      gamma <- fit$parameters$gamma
      expect_equal(rowSums(A), rep(1, shape[1]))
      expect_gte(min(A), 0)
      expect_true(all(A0[A > 0] > 0))
      last <- utils::tail(fit$objective, 1)
      W <- fit$loadings
      expect_equal(last, plain_value(z, W, A, A0, lambda, gamma), tolerance = 1e-8)
      smooth <- flexible_smoother(graph_laplacian(A), lambda)
      P <- z %*% W
      expect_equal(last, sum(P * (smooth %*% P)) + gamma * sum((A - A0)^2), tolerance = 1e-7)
      # W is the best one on its features
      M <- crossprod(z[, fit$selected], smooth %*% z[, fit$selected])
      expect_equal(sum(P * (smooth %*% P)), smallest_sum(M, 2), tolerance = 1e-7)
    }
  }
})

core_ends_here()

test_that("whole runs are those of plain R", {
  for (shape in list(c(40, 10), c(25, 40))) {
    for (lambda in c(0.1, 10)) {
      x <- class_data(shape[1], shape[1], shape[2])$x
      control <- rowsparse_control(maxit = 10, tol = 0)
      fit <- suppressWarnings(sf2sog(x, 5, m = 2, lambda = lambda, control = control))
      plain <- plain_sf2sog(scale(x), 5, 2, lambda)
      expect_equal(fit$parameters$gamma, plain$gamma, tolerance = 1e-9)
      expect_equal(fit$objective, plain$objective[seq_along(fit$objective)], tolerance = 1e-7)
      expect_setequal(fit$selected, plain$set)
      expect_equal(graph_weights(fit), plain$A, tolerance = 1e-5)
    }
  }
})

test_that("on a fixed graph no set is below, and the set is a good one", {
  ratios <- vapply(1:8, function(seed) {
    x <- class_data(seed, 40, 9)$x
    z <- centred(x, scale = TRUE)
    M <- t(z) %*% flexible_smoother(graph_laplacian(can_graph(squared_distances(z), 5)$A), 1) %*% z
    sets <- utils::combn(9, 4)
    # m = k: the k smallest entries of the diagonal, exactly
    fit <- sf2sog(x, 4, m = 4, gamma = 1e9)
    expect_setequal(fit$selected, order(diag(M))[1:4])
    all <- apply(sets, 2, function(set) smallest_sum(M[set, set], 2))
    fit <- sf2sog(x, 4, m = 2, gamma = 1e9)
    found <- utils::tail(fit$objective, 1)
    expect_gte(found, min(all) * (1 - 1e-6))
    start <- order(diag(M))[1:4]
    expect_lte(found, smallest_sum(M[start, start], 2) * (1 + 1e-6))
    found / min(all)
  }, 0)
  expect_lt(stats::median(ratios), 1.1)
})
