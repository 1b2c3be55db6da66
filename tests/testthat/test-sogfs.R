# columns of norm 1, as the method sees them
unit_columns <- function(x) scale(x) / sqrt(nrow(x) - 1)

test_that("rounds lower the objective at their lambda, which is that of plain R", {
  for (x in from_seed(1, of_sizes(list(c(40, 10), c(25, 40)), normal_matrix))) {
    x[, 1:4] <- x[, 1:4] + 2 * rep(0:1, length.out = nrow(x))
    for (p in c(0.5, 1)) {
      fit <- suppressWarnings(sogfs(x, m = 2, clusters = 3, gamma = 0.3, p = p))
      expect_lte(max(fit$rounds$after - fit$rounds$before), 1e-9 * max(fit$objective))
      expect_identical(fit$objective[-1], fit$rounds$after)
      expect_orthonormal(fit$loadings, 1e-9)
      A <- graph_weights(fit)
      expect_equal(rowSums(A), rep(1, fit$n))
      expect_identical(diag(A), numeric(fit$n))
      L <- graph_laplacian(A)
      ev <- rev(eigen(L, symmetric = TRUE, only.values = TRUE)$values)
      last <- tail(fit$rounds, 1)
      expect_equal(last$lowest, sum(ev[1:3]), tolerance = 1e-8)
      expect_equal(last$next_lowest, sum(ev[1:4]), tolerance = 1e-8)
      z <- unit_columns(x) %*% fit$loadings
      value <- sum((L %*% z) * z) + fit$parameters$alpha / 2 * sum(A^2) +
        0.3 * sum((rowSums(fit$loadings^2) + fit$parameters$eps)^(p / 2)) +
        last$lambda * sum(ev[1:3])
      expect_equal(last$after, value, tolerance = 1e-8)
    }
  }
})

core_ends_here()

test_that("whole runs are those of plain R", {
  for (size in list(c(40, 10), c(25, 40))) {
    for (p in c(0.5, 1)) {
      x <- from_seed(5, matrix(rnorm(prod(size)), size[1]))
      x[, 1:4] <- x[, 1:4] + 3 * rep(0:2, length.out = size[1])
      fit <- suppressWarnings(sogfs(x, m = 2, clusters = 3, gamma = 0.3, p = p,
        control = rowsparse_control(inner_tol = 1e-10)
      ))
      plain <- plain_sogfs(unit_columns(x), 2, 3, 0.3, p)
      expect_equal(fit$rounds$lambda, plain$lambda, tolerance = 1e-10)
      expect_equal(fit$objective, plain$objective, tolerance = 1e-5)
      expect_equal(unname(fit$scores), plain_norms(plain$W), tolerance = 1e-4)
      expect_equal(graph_weights(fit), plain$A, tolerance = 1e-4)
    }
  }
})
