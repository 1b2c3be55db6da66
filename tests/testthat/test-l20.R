planted <- function(n, d, k, c = 2, noise = 0.05) {
  x <- matrix(stats::rnorm(n * d), n)
  set <- sample(d, k)
  y <- x[, set] %*% matrix(sample(c(-1, 1), k * c, TRUE) * stats::runif(k * c, 1, 2), k)
  list(x = x, y = y + noise * matrix(stats::rnorm(n * c), n), set = set)
}

test_that("with orthonormal columns one projected step is the optimum", {
  x <- from_seed(41, qr.Q(qr(centred(matrix(stats::rnorm(40 * 10), 40)))))
  y <- matrix(stats::rnorm(80), 40)
  best <- order(-rowSums(crossprod(x, centred(y))^2))[1:4]
  fit <- suppressWarnings(pgd(x, y, 4, step = 1, scale = FALSE, start = "random"))
  expect_setequal(fit$selected, best)
  expect_equal(end_of_path(fit), end_of_path(cdlsr(x, y, 4)), tolerance = 1e-8)
})

test_that("the loss of pgd never rises at the default step and is what it says", {
  for (data in from_seed(42, of_sizes(list(c(30, 10), c(12, 40)), planted, 3))) {
    for (start in c("fisher", "random")) {
      fit <- suppressWarnings(pgd(data$x, data$y, 3, start = start))
      expect_never_rises(fit$objective)
    }
    # all features: least squares
    if (nrow(data$x) > ncol(data$x)) {
      full <- suppressWarnings(pgd(data$x, data$y, 10, control = list(tol = 1e-12)))
      plain <- sum(stats::lm.fit(cbind(1, data$x), data$y)$residuals^2)
      expect_equal(utils::tail(full$objective, 1), plain, tolerance = 1e-6)
    }
  }
  start <- matrix(0, 40, 2)
  fit <- suppressWarnings(pgd(data$x, data$y, 3, start = start, control = list(maxit = 1)))
  expect_equal(fit$objective[1], sum(centred(data$y)^2), tolerance = 1e-10)
})

test_that("the Fisher start holds the features of largest between-class variance", {
  x <- as.matrix(iris[, 1:4])
  f <- vapply(1:4, function(j) {
    stats::anova(stats::lm(x[, j] ~ iris$Species))$`F value`[1]
  }, numeric(1))
  fit <- pgd(x, iris$Species, 2, control = list(maxit = 1, tol = 1e9))
  expect_setequal(fit$selected, order(-f)[1:2])
})

test_that("clear problems are solved by all three", {
  for (data in from_seed(43, of_sizes(list(c(60, 15), c(40, 60)), planted, 4))) {
    best <- end_of_path(cdlsr(data$x, data$y, 4))
    for (solve in list(pgd, rpfs, ipfs)) {
      fit <- suppressWarnings(solve(data$x, data$y, 4))
      expect_length(unique(fit$selected), 4)
      # the set is refitted: its objective is that of least squares on it
      plain <- stats::lm.fit(cbind(1, data$x[, fit$selected]), data$y)
      expect_equal(end_of_path(fit), sum(plain$residuals^2), tolerance = 1e-9)
      expect_gte(end_of_path(fit), best * (1 - 1e-9))
    }
    expect_setequal(suppressWarnings(rpfs(data$x, data$y, 4))$selected, data$set)
    expect_setequal(suppressWarnings(ipfs(data$x, data$y, 4))$selected, data$set)
    # projected steps stay near their start: from the solution they do not leave
    W <- matrix(0, ncol(data$x), 2)
    W[data$set, ] <- stats::lm.fit(cbind(1, centred(data$x, TRUE)[, data$set]), data$y)$
      coefficients[-1, ]
    there <- pgd(data$x, data$y, 4, start = W)
    expect_setequal(there$selected, data$set)
    expect_equal(end_of_path(there), best, tolerance = 1e-9)
  }
})

core_ends_here()

test_that("rpfs with all features is regression with the l2,1 loss", {
  x <- from_seed(44, matrix(stats::rnorm(60), 20))
  y <- x %*% matrix(stats::rnorm(6), 3) + matrix(stats::rt(40, 2), 20)
  fit <- rpfs(x, y, 3, mu = 0.1, rho = 1.01, control = list(tol = 1e-7, maxit = 3000))
  # reweighted least squares from the plain one
  ones <- cbind(1, x)
  W <- qr.coef(qr(ones), y)
  for (i in 1:2000) {
    weight <- 1 / pmax(plain_norms(ones %*% W - y), 1e-9)
    W <- solve(crossprod(ones, weight * ones), crossprod(ones, weight * y))
  }
  best <- sum(plain_norms(ones %*% W - y))
  expect_equal(min(fit$objective), best, tolerance = 1e-4)
  expect_setequal(fit$selected, 1:3)
})

test_that("the weights of ipfs() share out k", {
  weights <- ipfs(iris[, 1:4], iris$Species, 2)$weights
  expect_equal(names(weights), names(iris)[1:4])
  expect_equal(sum(weights), 2, tolerance = 0.05)
})
