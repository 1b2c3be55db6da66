# rfs(): objective, bound and steps in plain R, published forms, paths

plain_rfs <- function(x, y, W, lambda, scale = TRUE) {
  sum(plain_norms(centred(y) - centred(x, scale) %*% W)) + lambda * sum(plain_norms(W))
}

# lambda from which W = 0
plain_lambda_max <- function(x, y, scale = TRUE) {
  y <- centred(y)
  max(plain_norms(crossprod(centred(x, scale), y / plain_norms(y))))
}

last <- function(values) utils::tail(values, 1)

regression_data <- function(n, d, k = 3, c = 2) {
  x <- sample_matrix(n, d)
  set <- sample(d, k)
  y <- centred(x, TRUE)[, set] %*% matrix(stats::rnorm(k * c), k) +
    0.3 * matrix(stats::rt(n * c, 2), n)
  list(x = x, y = y, set = set)
}

# f after many published steps in plain R: close to the minimum from above
plain_minimum <- function(x, y, lambda, steps = 60) {
  u <- rep(1, ncol(x))
  e <- rep(1, nrow(x))
  for (i in seq_len(steps)) {
    K <- x %*% (u * t(x))
    diag(K) <- diag(K) + lambda * e
    Z <- solve(K, y)
    W <- u * crossprod(x, Z)
    u <- 2 * sqrt(rowSums(W^2) + 1e-14)
    e <- 2 * sqrt(rowSums((lambda * e * Z)^2) + 1e-14)
  }
  sum(plain_norms(y - x %*% W)) + lambda * sum(plain_norms(W))
}

test_that("objective, bound and gap are what they say", {
  for (data in from_seed(81, of_sizes(list(c(40, 8), c(15, 40)), regression_data))) {
    for (scale in c(TRUE, FALSE)) {
      for (share in c(0.6, 0.01)) {
        lambda <- share * plain_lambda_max(data$x, data$y, scale)
        fit <- rfs(data$x, data$y, lambda, scale = scale)
        W <- unname(fit$loadings)
        expect_equal(last(fit$objective), plain_rfs(data$x, data$y, W, lambda, scale),
          tolerance = 1e-8
        )
        expect_equal(unname(fit$scores), plain_norms(W))
        expect_never_rises(fit$objective)
        expect_lte(fit$bound, last(fit$objective))
        expect_equal(fit$gap, 1 - fit$bound / last(fit$objective))
        expect_lte(fit$gap, 1e-3)
        expect_true(fit$converged)
        # a much better solution is not below the bound, and others find no better one
        close <- suppressWarnings(
          rfs(data$x, data$y, lambda, scale = scale, control = list(tol = 1e-6, maxit = 5000))
        )
        expect_gte(last(close$objective), fit$bound)
        expect_lte(last(close$objective), last(fit$objective) * (1 + 1e-12))
        reached <- plain_minimum(centred(data$x, scale), centred(data$y), lambda, 2000)
        expect_equal(last(close$objective), reached, tolerance = 1e-4)
        expect_lte(last(close$objective), reached * (1 + 1e-6))
      }
    }
  }
})

core_ends_here()

test_that("W is zero exactly from lambda_max on", {
  for (data in from_seed(83, of_sizes(list(c(30, 6), c(12, 50)), regression_data))) {
    fit <- rfs(data$x, data$y)
    limit <- fit$parameters$lambda_max
    expect_equal(limit, plain_lambda_max(data$x, data$y), tolerance = 1e-10)
    expect_equal(fit$parameters$lambda, 0.1 * limit)
    for (lambda in c(limit, 2 * limit)) {
      expect_warning(zero <- rfs(data$x, data$y, lambda), class = "rowsparse_warning_zero")
      expect_true(all(zero$loadings == 0))
      expect_equal(last(zero$objective), sum(plain_norms(centred(data$y))))
      expect_equal(zero$gap, 0)
      expect_true(zero$converged)
    }
    # the order of the penalties at which single features enter
    y <- centred(data$y)
    pull <- unname(plain_norms(crossprod(centred(data$x, TRUE), y / plain_norms(y))))
    expect_equal(zero$ranking, order(-pull))
    for (share in c(0.999, 0.9)) {
      nearly <- rfs(data$x, data$y, share * limit)
      expect_gt(max(nearly$scores), 0)
      expect_equal(nearly$ranking[1], which.max(pull))
      expect_lt(last(nearly$objective), last(zero$objective))
    }
  }
})

test_that("the gap closes where residuals vanish and on collinear features", {
  set.seed(94)
  gaps <- vapply(1:30, function(i) {
    x <- matrix(stats::rnorm(80), 20)
    if (i %% 3 == 0) x <- round(x)
    if (i %% 3 == 1) x <- x[, c(1, 1, 2, 2)]
    y <- x[, 1] + ifelse(stats::runif(20) < 0.3, stats::rnorm(20), 0)
    limit <- suppressWarnings(rfs(x, y, control = list(maxit = 1))$parameters$lambda_max)
    lambda <- 10^stats::runif(1, -4, -0.2) * limit
    suppressWarnings(rfs(x, y, lambda, control = list(tol = 1e-6)))$gap
  }, 0)
  expect_gt(mean(gaps <= 1e-6), 0.9)
  expect_lt(max(gaps), 1e-2)
})

test_that("splitting keeps what the gap promises, for any shape and start", {
  for (data in from_seed(95, of_sizes(list(c(300, 260), c(260, 290)), regression_data, k = 10))) {
    x <- centred(data$x, TRUE)
    y <- centred(data$y)
    limit <- plain_lambda_max(data$x, data$y)
    for (share in c(0.5, 0.05)) {
      lambda <- share * limit
      fit <- rfs(data$x, data$y, lambda)
      end <- last(fit$objective)
      expect_true(fit$converged)
      expect_lte(fit$gap, 1e-3)
      expect_equal(end, plain_rfs(data$x, data$y, unname(fit$loadings), lambda), tolerance = 1e-8)
      expect_never_rises(fit$objective)
      reached <- plain_minimum(x, y, lambda)
      expect_lte(end, reached * (1 + 1e-3))
      expect_lte(fit$bound, min(reached, end))
      warm <- rfs(data$x, data$y, lambda, start = fit)
      expect_lte(last(warm$objective), end * (1 + 1e-3))
      expect_lte(warm$bound, min(reached, end))
      expect_lt(warm$objective[9], fit$objective[9]) # the first that are looked at
    }
  }
})

test_that("a path holds what single fits find, with bounds that hold", {
  set.seed(97)
  for (shape in list(c(40, 8), c(15, 40), c(290, 260), c(260, 300))) {
    data <- regression_data(shape[1], shape[2], k = 6)
    path <- rowsparse_path(data$x, data$y, method = "rfs", nlambda = 8, lambda_ratio = 0.05)
    expect_true(all(path$converged))
    expect_true(all(path$gap <= 1e-3))
    expect_equal(path$gap, 1 - path$bound / path$objective)
    for (at in c(1, 3, 5, 8)) {
      lambda <- path$grid[at]
      W <- unname(coef(path, lambda)[-1, , drop = FALSE])
      W <- W * apply(data$x, 2, stats::sd)
      expect_equal(path$objective[at], plain_rfs(data$x, data$y, W, lambda), tolerance = 1e-8)
      alone <- suppressWarnings(rfs(data$x, data$y, lambda))
      expect_equal(path$objective[at], last(alone$objective), tolerance = 1e-3)
      expect_lte(path$bound[at], last(alone$objective) * (1 + 1e-12))
      expect_lte(alone$bound, path$objective[at] * (1 + 1e-12))
      expect_setequal(path$selected[[at]], which(plain_norms(W) > 0))
      expect_equal(path$explained[at], alone$explained, tolerance = 1e-2)
    }
  }
})
