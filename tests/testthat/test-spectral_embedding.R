test_that("the vectors minimise the smoothness of the help page", {
  set.seed(1)
  x <- matrix(rnorm(80 * 3), 80, dimnames = list(paste0("s", 1:80), NULL))
  for (laplacian in c("symmetric", "random_walk", "unnormalized")) for (tau in c(0, 0.3)) {
    fit <- spectral_embedding(x, 3, 8, "self_tuning", laplacian = laplacian, regularization = tau)
    W <- graph_matrix(fit$graph)
    A <- W + tau * mean(rowSums(W)) / 80
    D <- rowSums(A)
    expect_equal(unname(fit$degree), D)
    root <- if (laplacian == "unnormalized") rep(1, 80) else 1 / sqrt(D)
    spectrum <- eigen(root * (diag(D) - A) * rep(root, each = 80), symmetric = TRUE)
    expect_equal(fit$values, rev(spectrum$values)[2:4], tolerance = 1e-9)
    V <- spectrum$vectors[, 79:77]
    if (laplacian == "random_walk") V <- V * root
    V <- sweep(V, 2, sqrt(colSums(V^2)), "/")
    V <- sweep(V, 2, sign(colSums(V * fit$vectors)), "*")
    expect_equal(unname(fit$vectors), V, tolerance = 1e-7)
    expect_lte(max(fit$residuals), 1e-12 * max(1, D))
  }
})

core_ends_here()

test_that("large and small problems, LAPACK and the sparse iteration, agree", {
  set.seed(5)
  x <- matrix(rnorm(300 * 5), 300)
  fit <- spectral_embedding(x, 5, 7, "can", regularization = 0.1)
  W <- graph_matrix(fit$graph)
  A <- W + 0.1 * mean(rowSums(W)) / 300
  root <- 1 / sqrt(rowSums(A))
  spectrum <- eigen(root * A * rep(root, each = 300), symmetric = TRUE)
  expect_equal(1 - fit$values, spectrum$values[2:6], tolerance = 1e-10)
  z <- centred(x)
  for (m in 1:5) {
    expect_equal(sum(crossprod(z, fit$vectors[, 1:m])^2),
                 sum(crossprod(z, spectrum$vectors[, 1 + 1:m])^2), tolerance = 1e-8)
  }
})

test_that("t is the length scale of heat", {
  set.seed(7)
  x <- matrix(rnorm(50 * 3), 50)
  mean_distance <- mean(as.matrix(dist(x)))
  fit <- spectral_embedding(x, 2)
  expect_equal(fit$parameters$t, mean_distance)
  expect_equal(spectral_embedding(x, 2, t = mean_distance)$values, fit$values)
  D <- as.matrix(dist(x))
  W <- graph_matrix(spectral_embedding(x, 2, t = 0.5)$graph)
  expect_equal(W[W > 0], exp(-D^2 / (2 * 0.25))[W > 0])
  # edges that vanish leave samples without any
  alone <- spectral_embedding(x, 2, t = 1e-3)
  expect_identical(alone$components, 50L)
  expect_true(all(is.finite(alone$vectors)))
})
