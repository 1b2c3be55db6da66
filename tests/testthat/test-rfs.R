plain_rfs <- function(x, y, W, lambda, scale = TRUE) {
  sum(plain_norms(centred(y) - centred(x, scale) %*% W)) + lambda * sum(plain_norms(W))
}

indicators <- function(labels) {
  outer(as.character(labels), levels(factor(labels)), "==") + 0
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

test_that("objective, bound and gap are what they say", {
  set.seed(81)
  for (shape in list(c(40, 8), c(15, 40))) {
    data <- regression_data(shape[1], shape[2])
    for (scale in c(TRUE, FALSE)) {
      for (share in c(0.6, 0.1, 0.001)) {
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
        expect_length(fit$objective, fit$iterations + 1)
        # a much better solution is not below the bound, nor by more than the gap
        close <- suppressWarnings(
          rfs(data$x, data$y, lambda, scale = scale, control = list(tol = 1e-6, maxit = 5000))
        )
        expect_gte(last(close$objective), fit$bound)
        expect_lte(last(close$objective), last(fit$objective) * (1 + 1e-12))
      }
    }
  }
})

core_ends_here()

test_that("no general optimiser finds less", {
  set.seed(82)
  for (shape in list(c(20, 4), c(8, 12))) {
    data <- regression_data(shape[1], shape[2])
    x <- centred(data$x, TRUE)
    y <- centred(data$y)
    for (share in c(0.5, 0.1)) {
      lambda <- share * plain_lambda_max(data$x, data$y)
      fit <- suppressWarnings(
        rfs(data$x, data$y, lambda, control = list(tol = 1e-7, maxit = 5000))
      )
      smooth <- function(w, eps) {
        W <- matrix(w, ncol(x))
        sum(sqrt(rowSums((y - x %*% W)^2) + eps)) + lambda * sum(sqrt(rowSums(W^2) + eps))
      }
      slope <- function(w, eps) {
        W <- matrix(w, ncol(x))
        R <- y - x %*% W
        -crossprod(x, R / sqrt(rowSums(R^2) + eps)) + lambda * W / sqrt(rowSums(W^2) + eps)
      }
      w <- numeric(2 * ncol(x))
      for (eps in 10^-(2:12)) {
        w <- stats::optim(w, smooth, slope, eps = eps, method = "BFGS",
          control = list(maxit = 2000, reltol = 1e-14)
        )$par
      }
      slow <- plain_rfs(data$x, data$y, matrix(w, ncol(x)), lambda)
      expect_equal(last(fit$objective), slow, tolerance = 1e-4)
      expect_lte(last(fit$objective), slow * (1 + 1e-6))
    }
  }
})

test_that("W is zero exactly from lambda_max on", {
  set.seed(83)
  for (shape in list(c(30, 6), c(12, 50))) {
    data <- regression_data(shape[1], shape[2])
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

test_that("lambda_max of indicators is that of the centred ones", {
  x <- as.matrix(iris[, 1:4])
  fit <- rfs(x, iris$Species)
  y <- indicators(iris$Species)
  expect_equal(fit$parameters$lambda_max, plain_lambda_max(x, y), tolerance = 1e-10)
  expect_equal(last(fit$objective), plain_rfs(x, y, fit$loadings, fit$parameters$lambda))
})

# the first two published steps, from the weights of W = 0 with equal rows, in
# the d x d form and in the n x n form
plain_steps <- function(x, y, lambda, tol, dual) {
  n <- nrow(x)
  d <- ncol(x)
  at_zero <- sum(plain_norms(y))
  eps <- 0.02 * tol * at_zero
  u <- rep(2 * at_zero / (lambda * d), d)
  v <- 2 * pmax(plain_norms(y), eps / n)
  values <- at_zero
  for (i in 1:2) {
    W <- if (dual) {
      u * crossprod(x, solve(x %*% (u * t(x)) + lambda * diag(v), y))
    } else {
      solve(crossprod(x, x / v) + lambda * diag(1 / u), crossprod(x, y / v))
    }
    R <- y - x %*% W
    values <- c(values, min(values, sum(plain_norms(R)) + lambda * sum(plain_norms(W))))
    u <- 2 * sqrt(rowSums(W^2) + (eps / (lambda * d))^2)
    v <- 2 * sqrt(rowSums(R^2) + (eps / n)^2)
  }
  values
}

test_that("the steps are the published ones, in either form", {
  set.seed(84)
  for (shape in list(c(30, 7), c(10, 25), c(12, 12))) {
    data <- regression_data(shape[1], shape[2])
    lambda <- 0.2 * plain_lambda_max(data$x, data$y)
    fit <- suppressWarnings(rfs(data$x, data$y, lambda, control = list(maxit = 3)))
    expect_false(fit$converged)
    x <- centred(data$x, TRUE)
    for (dual in c(TRUE, FALSE)) {
      steps <- plain_steps(x, centred(data$y), lambda, 1e-3, dual)
      expect_lt(steps[3], steps[1])
      expect_equal(fit$objective[1:3], steps, tolerance = 1e-8)
    }
  }
})

test_that("residuals may vanish: interpolation", {
  set.seed(85)
  x <- matrix(stats::rnorm(10 * 60), 10)
  y <- x[, 1:2] %*% matrix(c(1, -1, 2, 1), 2)
  limit <- plain_lambda_max(x, y)
  for (share in c(1e-2, 1e-4, 1e-8)) {
    fit <- rfs(x, y, share * limit)
    expect_true(fit$converged)
    fitted <- centred(x, TRUE) %*% unname(fit$loadings)
    expect_lte(max(abs(centred(y) - fitted)), 1e-3 * max(abs(y)))
    # then the penalty alone is minimised
    expect_equal(last(fit$objective) / (share * limit), sum(fit$scores), tolerance = 1e-2)
  }
})

test_that("an outlying sample matters less than in least squares", {
  set.seed(86)
  x <- matrix(stats::rnorm(60 * 10), 60)
  y <- x[, 1] + x[, 2] + 0.1 * stats::rnorm(60)
  # the mean, which is not robust, stays where it is
  bad <- 1e4 * c(1, -1, numeric(58))
  best <- rfs(x, y)$ranking[1:2]
  expect_setequal(best, 1:2)
  expect_setequal(rfs(x, y + bad)$ranking[1:2], best)
})

test_that("order, units and names change nothing", {
  set.seed(87)
  data <- regression_data(25, 40)
  control <- list(tol = 1e-6, maxit = 5000)
  solve_with <- function(...) suppressWarnings(rfs(..., control = control))
  fit <- solve_with(data$x, data$y)
  end <- last(fit$objective)
  rows <- sample(25)
  expect_equal(last(solve_with(data$x[rows, ], data$y[rows, ])$objective), end, tolerance = 2e-6)
  columns <- sample(40)
  permuted <- solve_with(data$x[, columns], data$y)
  expect_equal(last(permuted$objective), end, tolerance = 2e-6)
  expect_equal(selected(permuted, 3), selected(fit, 3))
  expect_equal(permuted$scores[names(fit$scores)], fit$scores, tolerance = 0.02)
  # units of features, of the response, and rotations of it
  units <- solve_with(sweep(data$x, 2, 10^stats::runif(40, -3, 3), "*"), data$y)
  expect_equal(last(units$objective), end, tolerance = 2e-6)
  times <- solve_with(data$x, 1000 * data$y)
  expect_equal(times$parameters$lambda_max, fit$parameters$lambda_max)
  expect_equal(last(times$objective), 1000 * end, tolerance = 2e-6)
  turned <- solve_with(data$x, data$y %*% qr.Q(qr(matrix(c(1, 2, 3, 5), 2))))
  expect_equal(last(turned$objective), end, tolerance = 2e-6)
  expect_equal(rownames(fit$loadings), colnames(data$x))
})

test_that("dense, sparse and integer data agree", {
  set.seed(88)
  for (shape in list(c(40, 12), c(15, 50))) {
    x <- matrix(stats::rpois(prod(shape), 0.6), shape[1])
    colnames(x) <- paste0("g", seq_len(ncol(x)))
    y <- factor(rep(c("a", "b", "c"), length.out = nrow(x)))
    sparse <- Matrix::Matrix(x + 0, sparse = TRUE)
    for (scale in c(TRUE, FALSE)) {
      dense <- rfs(x, y, scale = scale)
      other <- rfs(sparse, y, scale = scale)
      expect_equal(other$parameters$lambda_max, dense$parameters$lambda_max)
      expect_equal(last(other$objective), last(dense$objective), tolerance = 1e-3)
      expect_equal(utils::head(other$objective, 3), utils::head(dense$objective, 3),
        tolerance = 1e-8
      )
      expect_equal(other$ranking[1:2], dense$ranking[1:2])
    }
  }
})

test_that("dense and sparse agree with more features than a panel holds", {
  set.seed(89)
  x <- matrix(stats::rpois(100 * 80, 0.6), 100) + 0
  y <- matrix(stats::rnorm(200), 100) + x[, 1:2]
  dense <- rfs(x, y)
  sparse <- rfs(Matrix::Matrix(x, sparse = TRUE), y)
  expect_equal(sparse$objective[1:3], dense$objective[1:3], tolerance = 1e-8)
  expect_equal(last(sparse$objective), last(dense$objective), tolerance = 1e-3)
  steps <- plain_steps(centred(x, TRUE), centred(y), dense$parameters$lambda, 1e-3, FALSE)
  expect_equal(dense$objective[1:3], steps, tolerance = 1e-8)
})

test_that("constant and duplicated features do no harm", {
  set.seed(90)
  data <- regression_data(20, 30)
  twice <- cbind(data$x, data$x[, data$set[1]], 7)
  colnames(twice) <- c(colnames(data$x), "twin", "flat")
  control <- list(tol = 1e-6, maxit = 5000)
  fit <- suppressWarnings(rfs(data$x, data$y, control = control))
  expect_warning(more <- rfs(twice, data$y, fit$parameters$lambda, control = list(tol = 1e-5)),
    class = "rowsparse_warning_constant"
  )
  expect_equal(more$scores[["flat"]], 0)
  expect_equal(last(more$ranking), 32L)
  # a twin shares the row of the other
  expect_equal(last(more$objective), last(fit$objective), tolerance = 1e-4)
  original <- colnames(data$x)[data$set[1]]
  expect_equal(more$scores[[original]], more$scores[["twin"]], tolerance = 1e-6)
})

test_that("the start does not change the solution", {
  set.seed(91)
  data <- regression_data(20, 30)
  control <- list(tol = 1e-5, maxit = 5000)
  fit <- rfs(data$x, data$y, control = control)
  again <- rfs(data$x, data$y, start = fit, control = control)
  expect_lte(again$objective[1], last(fit$objective) * (1 + 1e-12))
  other <- matrix(stats::rnorm(60), 30)
  for (start in list(other, 0 * other)) {
    warm <- rfs(data$x, data$y, start = start, control = control)
    expect_equal(last(warm$objective), last(fit$objective), tolerance = 2e-5)
  }
})

test_that("fits predict and print", {
  fit <- rfs(iris[, 1:4], iris$Species)
  expect_s3_class(fit, c("rfs", "rowsparse"), exact = TRUE)
  expect_output(print(fit), "rfs: 4 features ranked, 3 with a nonzero score.*150 samples, 3")
  expect_output(print(summary(fit)), "lambda_max")
  fitted <- predict(fit, iris, type = "response")
  expect_equal(unname(cbind(1, as.matrix(iris[, 1:4])) %*% coef(fit)), unname(fitted))
  expect_equal(unname(fitted),
    unname(sweep(centred(iris[, 1:4], TRUE) %*% fit$loadings, 2, 1 / 3, "+"))
  )
  classes <- predict(fit, iris, type = "class")
  expect_equal(levels(classes), levels(iris$Species))
  expect_gt(mean(classes == iris$Species), 0.7)
  expect_equal(dim(predict(fit, iris, k = 2, type = "features")), c(150L, 2L))
  zero <- suppressWarnings(rfs(iris[, 1:4], iris$Species, lambda = 1e6))
  expect_true(all(predict(zero, iris, type = "response") - 1 / 3 == 0))
  one <- rfs(iris[, 1:3], iris$Petal.Width)
  expect_equal(colnames(coef(one)), "y")
})

test_that("the front door, paths and tuning know it", {
  set.seed(92)
  x <- sample_matrix(40, 30)
  y <- factor(ifelse(x[, 3] - x[, 8] + stats::rnorm(40) > 0, "up", "down"))
  fit <- rowsparse(x, y, k = 25, method = "rfs")
  expect_length(fit$selected, 25)
  expect_gte(sum(fit$scores > 0), 25)
  expect_lte(fit$parameters$lambda, 0.1 * fit$parameters$lambda_max)
  path <- rowsparse_path(x, y, method = "rfs", nlambda = 8)
  expect_equal(path$over, "lambda")
  expect_equal(path$grid[1], fit$parameters$lambda_max)
  expect_equal(path$nonzero[1], 0)
  expect_gt(last(path$nonzero), 10)
  # a minimum grows with the penalty
  expect_true(all(diff(path$objective) <= 0))
  expect_true(all(path$converged))
  sizes <- rowsparse_path(x, y, method = "rfs", k = c(2, 4))
  expect_equal(sizes$nonzero, c(2L, 4L))
  tuned <- tune_rowsparse(
    x, y, method = "rfs", k = 2:3, grid = list(lambda = c(1, 5)), subsamples = 2
  )
  expect_setequal(unique(tuned$table$k), 2:3)
  expect_setequal(unique(tuned$table$lambda), c(1, 5))
})

test_that("the default penalty certifies SRBCT", {
  srbct <- shared_data("SRBCT")
  y <- factor(srbct$y)
  fit <- rfs(srbct$x, y)
  expect_true(fit$converged)
  expect_lte(fit$gap, 1e-3)
  lambda <- fit$parameters$lambda
  expect_equal(last(fit$objective), plain_rfs(srbct$x, indicators(y), fit$loadings, lambda),
    tolerance = 1e-8
  )
})

test_that("the units of data and response change no digit of the selection", {
  set.seed(93)
  x <- sample_matrix(25, 30)
  y <- x[, 1] - x[, 2] + stats::rnorm(25)
  for (scale in c(TRUE, FALSE)) {
    fit <- rfs(x, y, scale = scale)
    for (e in c(-450, -200, 200, 450)) {
      for (other in list(rfs(x * 2^e, y, scale = scale), rfs(x, y * 2^e, scale = scale),
        rfs(x * 2^e, y * 2^-e, scale = scale))) {
        expect_identical(other$ranking, fit$ranking)
        expect_identical(other$gap, fit$gap)
      }
    }
  }
})

test_that("the gap closes where residuals vanish and on collinear features", {
  set.seed(94)
  gaps <- vapply(1:60, function(i) {
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

test_that("splitting keeps what the gap promises, for any shape, start and kind of data", {
  set.seed(95)
  for (shape in list(c(300, 260), c(260, 290))) {
    data <- regression_data(shape[1], shape[2], k = 10)
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
      expect_length(fit$objective, fit$iterations + 1)
      reached <- plain_minimum(x, y, lambda)
      expect_lte(end, reached * (1 + 1e-3))
      expect_lte(fit$bound, min(reached, end))
      warm <- rfs(data$x, data$y, lambda, start = fit)
      expect_lte(last(warm$objective), end * (1 + 1e-3))
      expect_lte(warm$bound, min(reached, end))
    }
    sparse <- rfs(Matrix::Matrix(data$x, sparse = TRUE), data$y, lambda)
    expect_equal(sparse$objective, fit$objective, tolerance = 1e-6)
    order <- sample(shape[2])
    expect_equal(last(rfs(data$x[, order], data$y, lambda)$objective), end, tolerance = 1e-6)
  }
})

test_that("splitting and the regressions after it meet where the tolerance is small", {
  set.seed(96)
  data <- regression_data(270, 260, k = 5)
  lambda <- 0.3 * plain_lambda_max(data$x, data$y)
  loose <- rfs(data$x, data$y, lambda)
  close <- rfs(data$x, data$y, lambda, control = list(tol = 1e-7, maxit = 3000))
  expect_lte(close$gap, 1e-7)
  expect_gte(last(close$objective), loose$bound)
  expect_lte(last(close$objective), last(loose$objective))
  # few steps: what was found so far, and no claim about the penalty
  expect_warning(few <- rfs(data$x, data$y, lambda, control = list(maxit = 2)),
    class = "rowsparse_warning_convergence"
  )
  expect_lte(few$bound, last(close$objective))
  expect_equal(few$iterations, 2L)
})

test_that("splitting bears copies, constants, vanishing residuals and any units", {
  set.seed(97)
  x <- matrix(stats::rnorm(260 * 270), 260)
  x[, 11:20] <- x[, 1:10]
  x[, 21] <- 3
  y <- x[, 1:2] %*% matrix(c(1, -1, 2, 1), 2)
  limit <- plain_lambda_max(x[, -21], y)
  for (share in c(0.2, 1e-3, 1e-6)) {
    fit <- suppressWarnings(rfs(x, y, share * limit))
    expect_true(fit$converged)
    expect_equal(fit$scores[[21]], 0)
    end <- last(fit$objective)
    expect_equal(end, plain_rfs(x[, -21], y, unname(fit$loadings)[-21, ], share * limit),
      tolerance = 1e-8
    )
    for (unit in 2^c(-300, 300)) {
      expect_identical(suppressWarnings(rfs(x * unit, y / unit, share * limit))$gap, fit$gap)
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

test_that("a path takes any grid, a tighter tolerance and an end", {
  set.seed(98)
  data <- regression_data(120, 110, k = 6)
  most <- plain_lambda_max(data$x, data$y)
  fit <- function(...) rowsparse_path(data$x, data$y, method = "rfs", ...)
  # without the zero at the beginning, unevenly, and with several zeros
  for (grid in list(most * c(0.5, 0.49, 0.1), most * c(3, 2, 1, 0.2, 0.02))) {
    path <- fit(lambda = grid)
    expect_true(all(path$gap <= 1e-3))
    expect_identical(path$nonzero == 0, path$grid >= most)
  }
  tight <- fit(lambda = most * c(0.2, 0.1), control = rowsparse_control(tol = 2e-4))
  expect_true(all(tight$gap <= 2e-4))
  whole <- fit(nlambda = 8)
  ended <- fit(nlambda = 8, dfmax = whole$nonzero[4])
  held <- c("grid", "selected", "objective", "bound")
  expect_equal(length(ended$grid), sum(cumsum(whole$nonzero > whole$nonzero[4]) == 0))
  first <- seq_along(ended$grid)
  expect_equal(ended[held], lapply(whole[held], `[`, first))
  early <- fit(nlambda = 8, early_stop = TRUE)
  expect_equal(early$objective, whole$objective[seq_along(early$grid)], tolerance = 1e-3)
  # features that are locked take their place in every fit
  locked <- fit(nlambda = 4, include = 3)
  expect_true(all(vapply(locked$selected, function(set) 3 %in% set, NA)))
  sparse <- rowsparse_path(
    Matrix::Matrix(data$x, sparse = TRUE), data$y, method = "rfs", nlambda = 8
  )
  expect_equal(sparse$objective, whole$objective, tolerance = 1e-3)
})
