plain_crfs <- function(x, Y, W, lambda, s) {
  sum(s * (1 - exp(-rowSums((Y - x %*% W)^2) / s))) + lambda * sum(sqrt(rowSums(W^2)))
}

test_that("the objective is the one of the page, falls, and ends at a stationary point", {
  for (shape in list(c(60, 10), c(20, 40))) {
    data <- class_data(1, shape[1], shape[2])
    x <- centred(data$x, TRUE)
    Y <- centred(outer(data$y, levels(data$y), "==") + 0)
    for (sigma in list(NULL, 0.5)) {
      fit <- crfs(data$x, data$y, sigma = sigma, control = list(tol = 1e-12, maxit = 5000))
      s <- 2 * fit$parameters$sigma^2
      W <- unname(fit$loadings)
      lambda <- fit$parameters$lambda
      expect_equal(utils::tail(fit$objective, 1), plain_crfs(x, Y, W, lambda, s), tolerance = 1e-4)
      held <- if (is.null(sigma)) fit$objective[-(1:20)] else fit$objective
      expect_never_rises(held)
      e <- Y - x %*% W
      r <- exp(-rowSums(e^2) / s)
      expect_equal(fit$sample_weights, r, tolerance = 1e-6)
      rows <- fit$scores > 1e-2 * max(fit$scores)
      slope <- lambda * W / fit$scores - 2 * crossprod(x, r * e)
      expect_lt(max(abs(slope[rows, ])), 1e-3 * lambda)
      expect_lt(max(sqrt(rowSums((2 * crossprod(x, r * e))^2))), lambda * 1.001)
    }
  }
})

core_ends_here()

test_that("a wide loss is least squares with an l2,1 penalty, a large penalty leaves nothing", {
  data <- class_data(2, 60, 10)
  x <- centred(data$x, TRUE)
  Y <- centred(outer(data$y, levels(data$y), "==") + 0)
  fit <- crfs(data$x, data$y, lambda = 5, sigma = 1e4, control = list(tol = 1e-13, maxit = 5000))
  W <- matrix(0, 10, 3)
  step <- 1 / (2 * svd(x)$d[1]^2)
  for (i in 1:5000) {
    G <- W + 2 * step * crossprod(x, Y - x %*% W)
    W <- G * pmax(0, 1 - 5 * step / sqrt(rowSums(G^2)))
  }
  expect_equal(unname(fit$loadings), W, tolerance = 1e-3)
  most <- crfs(data$x, data$y)$parameters$lambda_max
  none <- crfs(data$x, data$y, 1.2 * most, control = list(maxit = 3000, tol = 1e-12))
  expect_lt(max(none$scores), 1e-3 * max(crfs(data$x, data$y)$scores))
})
