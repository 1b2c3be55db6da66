grouped <- function(seed, n, d) {
  set.seed(seed)
  x <- matrix(stats::rnorm(n * d), n)
  x[, 1:4] <- x[, 1:4] + 4 * matrix(stats::rnorm(12), 3)[rep(1:3, length.out = n), ]
  x
}

# the problem of the page, with the best F
plain_value <- function(z, W, A, A0, lambda, gamma) {
  L <- graph_laplacian(A)
  P <- z %*% W
  fitted <- solve(L + lambda * diag(nrow(L)), lambda * P)
  sum(fitted * (L %*% fitted)) + lambda * sum((P - fitted)^2) + gamma * sum((A - A0)^2)
}

test_that("the objective is that of the page, direct or eliminated, and never rises", {
  for (shape in list(c(45, 12), c(20, 60), c(60, 300))) {
    x <- grouped(shape[2], shape[1], shape[2])
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

test_that("with all features it is the plain alternation", {
  x <- grouped(1, 40, 6)
  z <- centred(x, scale = TRUE)
  A <- A0 <- can_graph(squared_distances(z), 5)$A
  n <- nrow(z)
  lambda <- 2
  gamma <- NULL
  values <- numeric()
  for (it in 1:6) {
    L <- graph_laplacian(A)
    M <- t(z) %*% flexible_smoother(L, lambda) %*% z
    W <- eigen(M, symmetric = TRUE)$vectors[, 5:6]
    fitted <- solve(L + lambda * diag(n), lambda * z %*% W)
    e <- as.matrix(stats::dist(fitted))^2
    if (is.null(gamma)) gamma <- sum(e[A0 > 0]) / (4 * n)
    values[it] <- plain_value(z, W, A, A0, lambda, gamma)
    for (i in seq_len(n)) {
      near <- which(A0[i, ] > 0)
      A[i, near] <- plain_simplex(A0[i, near] - e[i, near] / (4 * gamma), 1)
    }
  }
  fit <- suppressWarnings(
    sf2sog(x, 6, m = 2, lambda = lambda, control = rowsparse_control(maxit = 5, tol = 0))
  )
  expect_equal(fit$parameters$gamma, gamma, tolerance = 1e-9)
  expect_equal(fit$objective, values, tolerance = 1e-8)
})

test_that("whole runs are those of plain R", {
  for (shape in list(c(40, 10), c(25, 40))) {
    for (lambda in c(0.1, 10)) {
      x <- grouped(shape[1], shape[1], shape[2])
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

test_that("limits: large gamma keeps the graph, large lambda makes F the projection", {
  x <- grouped(2, 40, 10)
  z <- centred(x, scale = TRUE)
  A0 <- can_graph(squared_distances(z), 5)$A
  fixed <- sf2sog(x, 4, m = 2, gamma = 1e9)
  expect_equal(graph_weights(fixed), A0, tolerance = 1e-6)
  fit <- sf2sog(x, 4, m = 2, lambda = 1e8)
  P <- z %*% fit$loadings
  A <- graph_weights(fit)
  value <- sum(P * (graph_laplacian(A) %*% P)) + fit$parameters$gamma * sum((A - A0)^2)
  expect_equal(utils::tail(fit$objective, 1), value, tolerance = 1e-6)
  # a tiny gamma leaves a single neighbour
  crisp <- sf2sog(x, 4, m = 2, gamma = 1e-9)
  expect_true(all(abs(crisp$graph$weight - round(crisp$graph$weight)) < 1e-6))
  expect_never_rises(crisp$objective)
})

test_that("on a fixed graph no set is below, and the set is a good one", {
  ratios <- vapply(1:8, function(seed) {
    x <- grouped(seed, 40, 9)
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

test_that("units, order and constant features", {
  x <- grouped(3, 45, 12)
  for (scale in c(TRUE, FALSE)) {
    fit <- sf2sog(x, 4, m = 2, scale = scale)
    for (unit in c(1e-120, 1e120)) {
      again <- sf2sog(unit * x, 4, m = 2, scale = scale)
      expect_identical(again$selected, fit$selected)
      square <- if (scale) 1 else unit^2
      expect_equal(again$objective / square, fit$objective, tolerance = 1e-6)
      expect_equal(again$parameters$gamma / square, fit$parameters$gamma, tolerance = 1e-6)
      given <- sf2sog(unit * x, 4, m = 2, scale = scale, gamma = square * fit$parameters$gamma)
      expect_equal(given$objective / square, fit$objective, tolerance = 1e-6)
    }
  }
  fit <- sf2sog(x, 4, m = 2)
  turned <- sf2sog(x[45:1, 12:1], 4, m = 2)
  expect_setequal(13 - turned$selected, fit$selected)
  expect_equal(turned$objective, fit$objective, tolerance = 1e-6)
  with_constant <- suppressWarnings(sf2sog(cbind(2, x), 4, m = 2))
  expect_setequal(with_constant$selected - 1, fit$selected)
})

test_that("copies and few samples are handled, arbitrary choices told", {
  x <- grouped(4, 20, 30)
  copies <- x[rep(1:5, each = 4), ]
  for (data in list(copies, cbind(x, x), x[1:3, ])) {
    fit <- suppressWarnings(sf2sog(data, 3, m = 1))
    expect_true(all(is.finite(fit$scores)))
    expect_true(all(is.finite(fit$objective)))
    expect_orthonormal(fit$loadings)
  }
  expect_warning(
    suppressWarnings(sf2sog(x, 20, m = 1), classes = "rowsparse_warning_not_unique"),
    class = "rowsparse_warning_rank"
  )
  expect_no_warning(sf2sog(x, 19, m = 1))
})

test_that("where every set is equally good the features of largest variance are selected", {
  set.seed(6)
  x <- stats::rnorm(30) %o% c(stats::rnorm(40), 0)
  order <- sample(41)
  for (k in c(5, 12)) {
    messages <- capture_warnings(fit <- sf2sog(x, k, m = 1))
    expect_length(grep("arbitrary", messages), 1)
    expect_identical(fit$selected, order(-apply(x, 2, stats::sd))[seq_len(k)])
    expect_true(all(fit$scores[-41] == fit$scores[1]))
    expect_identical(unname(fit$scores[41]), 0)
    expect_orthonormal(fit$loadings)
    expect_lt(max(abs(centred(x, scale = TRUE)[, -41] %*% fit$loadings[-41, ])), 1e-10)
    turned <- suppressWarnings(sf2sog(x[, order], k, m = 1))
    expect_identical(order[turned$selected], fit$selected)
  }
  # of some copies, not of all sets
  x <- cbind(matrix(stats::rnorm(30 * 20), 30), 0)
  x[, 21] <- 1e-3 * x[, 20]
  expect_warning(fit <- sf2sog(x, 12, m = 1, lambda = 1), class = "rowsparse_warning_rank")
  expect_true(all(20:21 %in% fit$selected))
})

test_that("bad arguments are refused", {
  x <- grouped(5, 20, 6)
  expect_refused(sf2sog(x), "missing", "`k` must be given")
  expect_refused(sf2sog(x, 2, m = 3), "range", "`k`")
  expect_out_of_range(function(...) sf2sog(x, 2, ...), lambda = 0, gamma = 0, neighbours = 0)
  expect_refused(sf2sog(moments(x), 2), "type", "must hold the samples")
})

test_that("equal eigenvalues are all found", {
  # 80 features of 31 samples: LAPACK's faster routine misses some here
  x <- shared_data("borovecki")$x
  fit <- suppressWarnings(sf2sog(x, 80))
  expect_length(fit$selected, 80)
  expect_true(all(is.finite(fit$objective)))
})
