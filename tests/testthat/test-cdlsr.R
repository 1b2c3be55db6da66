# cdlsr(): objectives in plain R, sets that no exchange improves, published runs

# the objective of a set in plain R: ||Yc - Xc W||^2 + lambda ||W||^2
plain_objective <- function(x, y, set, lambda = 0, scale = TRUE) {
  xs <- centred(x, scale)[, set, drop = FALSE]
  Y <- centred(as_indicators(y))
  if (lambda > 0) {
    W <- solve(crossprod(xs) + lambda * diag(length(set)), crossprod(xs, Y))
    return(sum((Y - xs %*% W)^2) + lambda * sum(W^2))
  }
  sum(qr.resid(qr(xs), Y)^2)
}

as_indicators <- function(y) {
  if (is.factor(y)) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0 else as.matrix(y)
}

regression_data <- function(n, d, c = 2, true = 4, noise = 0.5) {
  x <- sample_matrix(n, d, rank = 6, noise = 1)
  set <- sample(d, true)
  y <- x[, set] %*% matrix(stats::rnorm(true * c), true)
  list(x = x, y = y + noise * stats::sd(y) * matrix(stats::rnorm(n * c), n), set = set)
}

# no exchange of one feature gains more than rounding
expect_exchange_optimum <- function(fit, x, y, lambda = 0, scale = TRUE) {
  here <- plain_objective(x, y, fit$selected, lambda, scale)
  total <- sum(centred(as_indicators(y))^2)
  others <- setdiff(seq_len(ncol(x)), fit$selected)
  there <- outer(seq_along(fit$selected), others, Vectorize(function(out, new) {
    plain_objective(x, y, replace(fit$selected, out, new), lambda, scale)
  }))
  testthat::expect_gte(min(there), here - 1e-8 * total)
}

test_that("the objective is the sum of squares of the refitted set at every size", {
  for (data in from_seed(1, of_sizes(list(c(40, 12), c(15, 30)), regression_data))) {
    for (lambda in c(0, 3)) {
      fit <- cdlsr(data$x, data$y, 6, ridge = lambda)
      plain <- vapply(fit$path$features, function(set) {
        plain_objective(data$x, data$y, set, lambda)
      }, numeric(1))
      expect_equal(fit$path$objective, plain, tolerance = 1e-9)
      expect_lte(max(diff(fit$path$objective)), 0)
      expect_true(all(fit$path$objective <= fit$path$forward * (1 + 1e-9)))
      expect_never_rises(fit$objective)
      expect_equal(utils::tail(fit$objective, 1), end_of_path(fit), tolerance = 1e-9)
      expect_setequal(fit$path$features[[6]], fit$selected)
    }
  }
})

core_ends_here()

test_that("forward selection is the greedy one", {
  data <- from_seed(2, regression_data(25, 15))
  fit <- cdlsr(data$x, data$y, 5)
  chosen <- integer()
  for (k in 1:5) {
    values <- vapply(seq_len(15), function(j) {
      if (j %in% chosen) Inf else plain_objective(data$x, data$y, c(chosen, j))
    }, numeric(1))
    chosen <- c(chosen, which.min(values))
    expect_equal(fit$path$forward[k], min(values), tolerance = 1e-9)
  }
})

test_that("exchange ends where no exchange gains, and finds the best sets of 1 and 2", {
  for (data in from_seed(3, of_sizes(list(c(30, 12), c(12, 25)), regression_data))) {
    expect_exchange_optimum(cdlsr(data$x, data$y, 4), data$x, data$y)
    ridge <- cdlsr(data$x, data$y, 4, ridge = 2, scale = FALSE)
    expect_exchange_optimum(ridge, data$x, data$y, 2, FALSE)
    for (k in 1:2) {
      best <- min(utils::combn(ncol(data$x), k, function(set) plain_objective(data$x, data$y, set)))
      expect_equal(end_of_path(cdlsr(data$x, data$y, k)), best, tolerance = 1e-9)
    }
  }
})

test_that("the sweeps are the paper's", {
  data <- from_seed(6, regression_data(20, 12))
  xs <- centred(data$x, TRUE)
  Y <- centred(data$y)
  start <- set <- c(3, 8, 11)
  for (sweep in 1:30) {
    V <- solve(crossprod(xs[, set]), crossprod(xs[, set], Y))
    for (i in 1:3) {
      candidates <- setdiff(1:12, set[-i])
      scores <- vapply(candidates, function(p) sum((Y - xs[, replace(set, i, p)] %*% V)^2), 0)
      set[i] <- candidates[which.min(scores)]
    }
  }
  fit <- cdlsr(data$x, data$y, 3, solver = "cd", start = start)
  expect_setequal(fit$selected, set)
  expect_never_rises(fit$objective)
  expect_gte(fit$iterations, 5)
  expect_warning(
    cdlsr(data$x, data$y, 6, solver = "cd", start = 1:6, control = list(maxit = 1)),
    class = "rowsparse_warning_convergence"
  )
})

test_that("coefficients and predictions are those of least squares on the set", {
  data <- from_seed(12, regression_data(30, 10))
  colnames(data$y) <- c("first", "second")
  fit <- cdlsr(data$x, data$y, 4)
  for (k in c(2, 4)) {
    plain <- stats::lm.fit(cbind(1, data$x[, fit$path$features[[k]]]), data$y)
    fitted <- unname(data$y - plain$residuals)
    expect_equal(unname(predict(fit, data$x, k, "response")), fitted, tolerance = 1e-8)
    expect_equal(unname(cbind(1, data$x) %*% coef(fit, k)), fitted, tolerance = 1e-8)
  }
  expect_equal(rownames(coef(fit)), c("(Intercept)", colnames(data$x)))
  r2 <- 1 - colSums(plain$residuals^2) / colSums(centred(data$y)^2)
  expect_equal(fit$response$explained, r2, tolerance = 1e-9)
})

test_that("ridge coefficients solve the normal equations, also for k above n", {
  data <- from_seed(13, regression_data(12, 30))
  fit <- cdlsr(data$x, data$y, 14, ridge = 0.5)
  xs <- centred(data$x, TRUE)[, fit$selected]
  W <- unname(fit$loadings[fit$selected, ])
  gap <- crossprod(xs) %*% W + 0.5 * W - crossprod(xs, centred(data$y))
  expect_lte(max(abs(gap)), 1e-8 * max(abs(crossprod(xs, data$y))))
  residual <- data$y - predict(fit, data$x, type = "response")
  explained <- 1 - colSums(residual^2) / colSums(centred(data$y)^2)
  expect_equal(unname(fit$response$explained), unname(explained), tolerance = 1e-8)
})

test_that("scores are shares of the response, and the path holds sets that are not nested", {
  data <- from_seed(14, regression_data(30, 12))
  fit <- cdlsr(data$x, data$y, 4)
  expect_equal(fit$ranking[1:4], fit$selected)
  outside <- fit$ranking[5]
  gain <- plain_objective(data$x, data$y, fit$selected) -
    plain_objective(data$x, data$y, c(fit$selected, outside))
  expect_equal(unname(fit$scores[outside]), gain / sum(centred(data$y)^2), tolerance = 1e-8)
  nested <- vapply(1:10, function(i) {
    data <- regression_data(20, 30, true = 6)
    sets <- cdlsr(data$x, data$y, 6)$path$features
    all(vapply(1:5, function(k) all(sets[[k]] %in% sets[[k + 1]]), NA))
  }, NA)
  expect_false(all(nested))
})

test_that("the information criterion is its formula and finds a planted set", {
  x <- from_seed(15, matrix(stats::rnorm(200 * 40), 200))
  y <- x[, 1:5] %*% matrix(stats::runif(10, 1, 2), 5) + matrix(stats::rnorm(400), 200)
  fit <- cdlsr(x, y, 12)
  rss <- fit$path$objective
  expect_equal(fit$path$ic, 400 * log(rss / 400) + 2 * (1:12) * log(40) * log(log(200)))
  expect_equal(fit$k_ic, 5)
  expect_setequal(fit$path$features[[5]], 1:5)
})

test_that("collinear and duplicated columns never break it", {
  x <- from_seed(9, matrix(stats::rnorm(20 * 6), 20))
  y <- x[, 1] + x[, 2] + 0.1 * stats::rnorm(20)
  doubled <- cbind(x, x, x[, 1] + x[, 2], x[, 3] + 1e-7 * stats::rnorm(20))
  for (scale in c(TRUE, FALSE)) {
    fit <- cdlsr(doubled, y, 3, scale = scale)
    expect_lte(end_of_path(fit), end_of_path(cdlsr(x, y, 3)) * (1 + 1e-6))
    plain <- plain_objective(doubled, y, fit$selected, scale = scale)
    expect_equal(end_of_path(fit), plain, tolerance = 1e-6)
  }
  expect_warning(fit <- cdlsr(doubled, y, 12), class = "rowsparse_warning_rank")
  expect_length(unique(fit$selected), 12)
  expect_lte(end_of_path(fit), end_of_path(cdlsr(x, y, 6)) * (1 + 1e-6))
  sets <- matrix(c(1, 7, 13, 2, 8, 1), 2, byrow = TRUE)
  for (solver in c("cd", "exchange")) {
    fit <- suppressWarnings(cdlsr(doubled, y, 3, solver = solver, start = sets))
    expect_length(unique(fit$selected), 3)
  }
})

test_that("exchanges hold where features nearly depend on others", {
  set.seed(450)
  for (apart in 10^-c(1, 3, 5)) {
    x <- matrix(stats::rnorm(45 * 6), 45) %*% matrix(stats::rnorm(6 * 45), 6) +
      matrix(stats::rnorm(45 * 45), 45)
    # pairs that differ little, and a feature that is nearly a sum of three
    x[, 21:40] <- x[, 1:20] + apart * matrix(stats::rnorm(45 * 20), 45)
    x[, 41] <- rowSums(x[, 1:3]) + apart * stats::rnorm(45)
    # the small differences explain the response as well
    y <- cbind(
      a = x[, 4] - x[, 9] + (x[, 21] - x[, 1]) / apart,
      b = x[, 20] + (x[, 41] - rowSums(x[, 1:3])) / apart
    )
    y <- y + 0.3 * matrix(stats::rnorm(90), 45)
    fit <- cdlsr(x, y, 6)
    expect_exchange_optimum(fit, x, y)
    expect_equal(end_of_path(fit), plain_objective(x, y, fit$selected), tolerance = 1e-7)
  }
})

test_that("whether features depend on each other is told in any order, rounding adds nothing", {
  sets <- utils::combn(6, 4)
  for (seed in c(1, 4)) {
    x <- from_seed(seed, matrix(rnorm(30 * 6), 30))
    y <- x[, 1] - x[, 3] + rnorm(30)
    for (share in 10^-c(2, 3, 5)) {
      x[, 6] <- x[, 2] + share * x[, 3] # but for rounding
      left <- function(set) sum(qr.resid(qr(cbind(1, x[, set]), tol = 1e-11), y)^2)
      best <- min(apply(sets[, !apply(sets, 2, function(set) all(c(2, 3, 6) %in% set))], 2, left))
      for (order in list(1:6, c(6, 2, 3, 1, 4, 5))) {
        for (solver in c("exchange", "exact")) {
          fit <- suppressWarnings(cdlsr(x[, order], y, 4, solver = solver))
          expect_false(all(c(2, 3, 6) %in% order[fit$selected]))
          expect_equal(left(order[fit$selected]), best, tolerance = 1e-8)
        }
      }
    }
  }
})

test_that("among thousands of features no exchange gains, and sizes are told by regression", {
  x <- from_seed(23, scale(matrix(rnorm(30 * 2500), 30)))
  y <- drop(x[, 1:6] %*% c(3, -2, 2, -1, 1, 1)) + rnorm(30) / 2
  fit <- cdlsr(x, y, 8)
  rest_of <- function(set) sum(qr.resid(qr(cbind(1, x[, set])), y)^2)
  expect_equal(fit$path$objective, vapply(fit$path$features, rest_of, 0))
  expect_true(all(fit$path$objective <= fit$path$forward * (1 + 1e-9)))
  for (member in fit$selected) {
    others <- qr(cbind(1, x[, setdiff(fit$selected, member)]))
    z <- qr.resid(others, x)
    least <- sum(qr.resid(others, y)^2) - max(drop(crossprod(z, y))^2 / pmax(colSums(z^2), 1e-9))
    expect_gte(least, fit$path$objective[8] * (1 - 1e-7))
  }
})

test_that("features that add nothing to a response explained in full take no others' place", {
  x <- from_seed(24, matrix(sample(0:3, 40 * 1200, TRUE), 40))
  x[, -(1:3)] <- x[, rep(1:3, length.out = 1197)]
  for (ridge in list(0, "cv")) {
    fit <- quietly(cdlsr(x, x[, 1] + 2 * x[, 2], 7, ridge = ridge))
    expect_length(unique(fit$selected), 7)
    expect_gt(fit$explained, 0.99)
  }
})
