test_that("the objective is that of plain R, never rises, and rows stay within classes", {
  for (d in c(8, 60)) {
    data <- class_data(1, d = d)
    fit <- slap(data$x, data$y, gamma = 0.4)
    expect_never_rises(fit$objective)
    expect_orthonormal(fit$loadings, 1e-9)
    A <- graph_weights(fit)
    expect_equal(rowSums(A), rep(1, 45))
    expect_true(all(A[outer(data$y, data$y, "!=")] == 0))
    expect_true(all(diag(A) == 0) && all(A >= 0))
    z <- scale(data$x) %*% fit$loadings / sqrt(44)
    value <- sum((graph_laplacian(A) %*% z) * z) + fit$parameters$alpha / 2 * sum(A^2) +
      0.4 * sum(sqrt(rowSums(fit$loadings^2) + fit$parameters$eps))
    expect_equal(tail(fit$objective, 1), value, tolerance = 1e-9)
    expect_equal(unname(fit$scores), plain_norms(fit$loadings), tolerance = 1e-10)
  }
})

core_ends_here()

test_that("rows of A solve their problem over the class", {
  data <- class_data(3, 30, 8)
  fit <- slap(data$x, data$y, m = 2, neighbours = 4, control = rowsparse_control(tol = 1e-12))
  A <- graph_weights(fit)
  z <- scale(data$x) / sqrt(29)
  D <- as.matrix(dist(z %*% fit$loadings))^2
  for (i in 1:30) {
    others <- setdiff(which(data$y == data$y[i]), i)
    near <- others[order(D[i, others])[1:4]]
    row <- plain_simplex(unname(-D[i, near] / (2 * fit$parameters$alpha)), 1)
    expect_equal(A[i, near], row, tolerance = 1e-3)
  }
})

test_that("whole runs are those of plain R", {
  for (d in c(8, 60)) {
    data <- class_data(d, d = d)
    control <- rowsparse_control(maxit = 5, tol = 0, inner_tol = 1e-10, inner_maxit = 100)
    fit <- suppressWarnings(slap(data$x, data$y, m = 2, gamma = 0.4, control = control))
    plain <- plain_slap(scale(data$x) / sqrt(44), data$y, 2, 0.4)
    expect_equal(fit$objective, plain$objective[seq_along(fit$objective)], tolerance = 1e-6)
    expect_equal(fit$parameters$alpha, plain$alpha, tolerance = 1e-9)
    expect_equal(unname(fit$scores), plain_norms(plain$W), tolerance = 1e-4)
    expect_equal(graph_weights(fit), plain$A, tolerance = 1e-4)
  }
})
