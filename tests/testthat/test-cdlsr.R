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

exhaustive <- function(x, y, k, lambda = 0, scale = TRUE) {
  sets <- utils::combn(ncol(x), k)
  values <- apply(sets, 2, function(set) plain_objective(x, y, set, lambda, scale))
  list(objective = min(values), set = sets[, which.min(values)])
}

final <- function(fit) {
  utils::tail(fit$path$objective, 1)
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
  for (out in fit$selected) {
    for (new in setdiff(seq_len(ncol(x)), fit$selected)) {
      there <- plain_objective(x, y, c(setdiff(fit$selected, out), new), lambda, scale)
      testthat::expect_gte(there, here - 1e-8 * total)
    }
  }
}

test_that("the objective is the sum of squares of the refitted set at every size", {
  set.seed(1)
  for (shape in list(c(40, 12), c(15, 30), c(60, 20))) {
    data <- regression_data(shape[1], shape[2])
    for (lambda in c(0, 3)) {
      fit <- cdlsr(data$x, data$y, 6, ridge = lambda)
      plain <- vapply(fit$path$features, function(set) {
        plain_objective(data$x, data$y, set, lambda)
      }, numeric(1))
      expect_equal(fit$path$objective, plain, tolerance = 1e-9)
      expect_equal(fit$path$k, 1:6)
      expect_lte(max(diff(fit$path$objective)), 0)
      expect_true(all(fit$path$objective <= fit$path$forward * (1 + 1e-9)))
      expect_never_rises(fit$objective)
      expect_equal(utils::tail(fit$objective, 1), final(fit), tolerance = 1e-9)
      expect_setequal(fit$path$features[[6]], fit$selected)
    }
  }
})

core_ends_here()

test_that("forward selection is the greedy one", {
  set.seed(2)
  data <- regression_data(25, 15)
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

test_that("exchange ends where no single exchange gains", {
  set.seed(3)
  for (shape in list(c(30, 12), c(12, 25))) {
    data <- regression_data(shape[1], shape[2])
    expect_exchange_optimum(cdlsr(data$x, data$y, 4), data$x, data$y)
    ridge <- cdlsr(data$x, data$y, 4, ridge = 2, scale = FALSE)
    expect_exchange_optimum(ridge, data$x, data$y, 2, FALSE)
  }
})

test_that("exchange equals exhaustive search for k = 1 and 2", {
  set.seed(4)
  for (i in 1:50) {
    n <- sample(8:40, 1)
    d <- sample(5:14, 1)
    data <- regression_data(n, d, c = 1 + i %% 3)
    for (k in 1:2) {
      best <- exhaustive(data$x, data$y, k)
      expect_equal(final(cdlsr(data$x, data$y, k)), best$objective, tolerance = 1e-9)
    }
  }
})

test_that("exchange is never above the sweeps from the same starts", {
  set.seed(5)
  for (i in 1:15) {
    data <- regression_data(20, 40)
    starts <- t(replicate(4, sample(40, 5)))
    sweeps <- cdlsr(data$x, data$y, 5, solver = "cd", start = starts)
    exchanged <- cdlsr(data$x, data$y, 5, start = starts)
    slack <- 1 + 1e-8
    expect_true(all(exchanged$runs$objective <= sweeps$runs$objective * slack))
  }
})

test_that("one sweep is the paper's", {
  set.seed(6)
  data <- regression_data(20, 12)
  xs <- centred(data$x, TRUE)
  Y <- centred(data$y)
  A <- crossprod(xs)
  B <- crossprod(xs, Y)
  value <- function(set, V) sum((Y - xs[, set] %*% V)^2)
  start <- c(3, 8, 11)
  set <- start
  for (sweep in 1:30) {
    V <- solve(A[set, set], B[set, ])
    for (i in 1:3) {
      candidates <- setdiff(1:12, set[-i])
      scores <- vapply(candidates, function(p) value(replace(set, i, p), V), numeric(1))
      set[i] <- candidates[which.min(scores)]
    }
  }
  fit <- cdlsr(data$x, data$y, 3, solver = "cd", start = matrix(start, 1))
  expect_setequal(fit$selected, set)
  expect_never_rises(fit$objective)
  expect_gte(fit$iterations, 5)
})

test_that("dense, sparse, moments and data frames give one answer", {
  set.seed(7)
  for (shape in list(c(40, 10), c(14, 30))) {
    x <- sample_matrix(shape[1], shape[2])
    x[abs(x) < 1] <- 0
    y <- factor(sample(c("a", "b", "c"), shape[1], TRUE))
    dense <- cdlsr(x, y, 4)
    others <- list(
      cdlsr(Matrix::Matrix(x, sparse = TRUE), y, 4), cdlsr(moments(x, y), k = 4),
      cdlsr(as.data.frame(x), as.character(y), 4), cdlsr(x, factor(as.integer(y)), 4)
    )
    for (fit in others) {
      expect_equal(fit$path$objective, dense$path$objective, tolerance = 1e-8)
      expect_setequal(fit$selected, dense$selected)
      expect_equal(unname(coef(fit)), unname(coef(dense)), tolerance = 1e-6)
    }
  }
})

test_that("rows may be permuted and features scaled", {
  set.seed(8)
  data <- regression_data(30, 15)
  fit <- cdlsr(data$x, data$y, 4)
  order <- sample(30)
  expect_equal(cdlsr(data$x[order, ], data$y[order, ], 4)$selected, fit$selected)
  scaled <- sweep(data$x, 2, stats::runif(15, 0.1, 10), "*") + 5
  expect_equal(cdlsr(scaled, data$y, 4)$selected, fit$selected)
  expect_equal(
    cdlsr(scaled, data$y, 4, scale = FALSE)$path$objective, fit$path$objective,
    tolerance = 1e-8
  )
})

test_that("collinear and duplicated columns never break it", {
  set.seed(9)
  x <- matrix(stats::rnorm(20 * 6), 20)
  y <- x[, 1] + x[, 2] + 0.1 * stats::rnorm(20)
  doubled <- cbind(x, x, x[, 1] + x[, 2], x[, 3] + 1e-7 * stats::rnorm(20))
  single <- cdlsr(x, y, 2)
  for (scale in c(TRUE, FALSE)) {
    fit <- cdlsr(doubled, y, 3, scale = scale)
    expect_lte(final(fit), final(cdlsr(x, y, 3)) * (1 + 1e-6))
    expect_equal(
      final(fit), plain_objective(doubled, y, fit$selected, scale = scale),
      tolerance = 1e-6
    )
  }
  expect_warning(fit <- cdlsr(doubled, y, 12), class = "rowsparse_warning_rank")
  expect_length(unique(fit$selected), 12)
  expect_lte(final(fit), final(cdlsr(x, y, 6)) * (1 + 1e-6))
  sets <- matrix(c(1, 7, 13, 2, 8, 1), 2, byrow = TRUE)
  for (solver in c("cd", "exchange")) {
    fit <- suppressWarnings(cdlsr(doubled, y, 3, solver = solver, start = sets))
    expect_true(all(is.finite(fit$runs$objective)))
    expect_length(unique(fit$selected), 3)
  }
  expect_lte(final(cdlsr(doubled, y, 12, ridge = 1)), final(single) + 12)
})

test_that("long runs of exchanges do not drift", {
  set.seed(10)
  data <- regression_data(60, 300, c = 3, true = 20)
  starts <- t(replicate(3, sample(300, 30)))
  fit <- cdlsr(data$x, data$y, 30, start = starts)
  for (i in 1:3) {
    plain <- plain_objective(data$x, data$y, fit$runs$sets[i, ])
    expect_equal(fit$runs$objective[i], plain, tolerance = 1e-7)
  }
})

test_that("random starts follow the seed and not the threads", {
  set.seed(11)
  data <- regression_data(25, 60)
  run <- function(threads) {
    set.seed(99)
    cdlsr(data$x, data$y, 5, start = "random", starts = 6,
      control = rowsparse_control(threads = threads)
    )
  }
  one <- run(1)
  two <- run(2)
  expect_identical(one$runs, two$runs)
  expect_identical(one$selected, two$selected)
  expect_equal(final(one), min(one$runs$objective), tolerance = 1e-9)
  set.seed(1)
  before <- .Random.seed
  cdlsr(data$x, data$y, 3)
  expect_identical(.Random.seed, before)
})

test_that("coefficients and predictions are those of least squares on the set", {
  set.seed(12)
  data <- regression_data(30, 10)
  colnames(data$y) <- c("first", "second")
  fit <- cdlsr(data$x, data$y, 4)
  for (k in c(2, 4)) {
    set <- fit$path$features[[k]]
    plain <- stats::lm.fit(cbind(1, data$x[, set]), data$y)
    expect_equal(
      unname(predict(fit, data$x, k, "response")), unname(data$y - plain$residuals),
      tolerance = 1e-8
    )
    expect_equal(
      unname(cbind(1, data$x) %*% coef(fit, k)), unname(data$y - plain$residuals),
      tolerance = 1e-8
    )
  }
  expect_equal(colnames(coef(fit)), colnames(data$y))
  expect_equal(rownames(coef(fit)), c("(Intercept)", colnames(data$x)))
  residual <- data$y - predict(fit, data$x, type = "response")
  r2 <- 1 - colSums(residual^2) / colSums(centred(data$y)^2)
  expect_equal(fit$response$explained, r2, tolerance = 1e-9)
  expect_equal(summary(fit)$explained, r2, tolerance = 1e-9)
  expect_equal(predict(fit, data$x, type = "features"), data$x[, fit$selected])
  components <- centred(data$x, TRUE) %*% fit$loadings
  expect_equal(
    unname(predict(fit, data$x, type = "components")), unname(components), tolerance = 1e-10
  )
  shuffled <- data$x[, sample(10)]
  expect_equal(
    predict(fit, shuffled, type = "response"), predict(fit, data$x, type = "response")
  )
})

test_that("ridge coefficients solve the normal equations", {
  set.seed(13)
  data <- regression_data(12, 30)
  fit <- cdlsr(data$x, data$y, 14, ridge = 0.5)
  expect_length(fit$selected, 14)
  xs <- centred(data$x, TRUE)[, fit$selected]
  W <- unname(fit$loadings[fit$selected, ])
  gap <- crossprod(xs) %*% W + 0.5 * W - crossprod(xs, centred(data$y))
  expect_lte(max(abs(gap)), 1e-8 * max(abs(crossprod(xs, data$y))))
  expect_equal(sum(rowSums(abs(fit$loadings)) > 0), 14)
  residual <- data$y - predict(fit, data$x, type = "response")
  expect_equal(
    unname(fit$response$explained), unname(1 - colSums(residual^2) / colSums(centred(data$y)^2)),
    tolerance = 1e-8
  )
})

test_that("classes are predicted as the most probable ones", {
  fit <- cdlsr(iris[, 1:4], iris$Species, 3)
  class <- predict(fit, iris, type = "class")
  probability <- predict(fit, iris[, 1:4], type = "prob")
  expect_s3_class(class, "factor")
  expect_equal(as.character(class), colnames(probability)[max.col(probability, "first")])
  expect_gt(mean(class == iris$Species), 0.8)
})

test_that("scores, ranking and selection agree", {
  set.seed(14)
  data <- regression_data(30, 12)
  x <- cbind(data$x, constant = 1)
  expect_warning(fit <- cdlsr(x, data$y, 4), class = "rowsparse_warning_constant")
  expect_equal(fit$ranking[1:4], fit$selected)
  expect_equal(sort(fit$ranking), 1:13)
  expect_equal(fit$ranking[13], 13)
  expect_lte(max(diff(fit$scores[fit$ranking])), 0)
  expect_equal(names(fit$scores), colnames(x))
  # gain of a feature outside
  outside <- fit$ranking[5]
  gain <- plain_objective(data$x, data$y, fit$selected) -
    plain_objective(data$x, data$y, c(fit$selected, outside))
  expect_equal(unname(fit$scores[outside]), gain / sum(centred(data$y)^2), tolerance = 1e-8)
  expect_equal(selected(fit, 4), colnames(x)[fit$selected])
  expect_equal(selected(fit, 2), colnames(x)[fit$path$features[[2]]])
})

test_that("the sets of the path are those of their size", {
  set.seed(17)
  found <- FALSE
  for (i in 1:20) {
    data <- regression_data(20, 30, true = 6)
    fit <- cdlsr(data$x, data$y, 6)
    sets <- fit$path$features
    nested <- vapply(1:5, function(k) all(sets[[k]] %in% sets[[k + 1]]), logical(1))
    found <- found || !all(nested)
    for (k in 1:6) {
      expect_equal(selected(fit, k), colnames(data$x)[sets[[k]]])
      expect_equal(predict(fit, data$x, k, "features"), data$x[, sets[[k]], drop = FALSE])
    }
  }
  expect_true(found) # sets that forward selection cannot give
})

test_that("the information criterion finds a planted set", {
  set.seed(15)
  x <- matrix(stats::rnorm(200 * 40), 200)
  y <- x[, 1:5] %*% matrix(stats::runif(10, 1, 2), 5) + matrix(stats::rnorm(400), 200)
  fit <- cdlsr(x, y, 12)
  expect_equal(fit$k_ic, 5)
  expect_setequal(fit$path$features[[5]], 1:5)
})

test_that("printing says what was found", {
  fit <- cdlsr(iris[, 1:4], iris$Species, 2)
  expect_output(print(fit), "cdlsr: 2 of 4 features selected: Petal.Width, Sepal.Width\n150")
  expect_output(print(summary(fit)), "Explained, by response")
  expect_output(print(summary(fit)), "order of entry")
})

test_that("the reference runs are met", {
  reference <- shared_reference("cdlsr")
  srbct <- shared_data("SRBCT")
  y <- factor(srbct$y)
  for (case in reference$cases) {
    sweeps <- cdlsr(srbct$x, y, case$k, solver = "cd", start = case$start_sets)
    expect_equal(sweeps$runs$objective, case$objective, tolerance = 1e-6)
    exchanged <- cdlsr(srbct$x, y, case$k)
    best <- reference$best_known$SRBCT[[as.character(case$k)]]
    expect_lte(final(exchanged), best * (1 + 1e-6))
    expect_lte(final(exchanged), min(case$objective) * (1 + 1e-9))
  }
})

# published: mean and sd of 40 runs; ours: 200 runs, so that the chance is theirs
test_that("random starts give the published means on SRBCT", {
  srbct <- shared_data("SRBCT")
  published <- list(c(1, 45.71, 4.1), c(5, 12.91, 2.1), c(10, 6.994, 1.0))
  set.seed(2)
  for (row in published) {
    fit <- cdlsr(srbct$x, factor(srbct$y), row[1],
      solver = "cd", start = "random", starts = 200
    )
    ours <- fit$runs$objective
    error <- sqrt(stats::var(ours) / 40 + row[3]^2 / 40)
    expect_lte(abs(mean(ours) - row[2]), 2 * error)
  }
})

test_that("a starting set may be a vector, a response a data frame", {
  set.seed(18)
  data <- regression_data(25, 12)
  one <- cdlsr(data$x, data$y, 3, start = c(2, 5, 9))
  expect_identical(one$runs, cdlsr(data$x, data$y, 3, start = cbind(2, 5, 9))$runs)
  colnames(data$y) <- c("first", "second")
  framed <- cdlsr(data$x, as.data.frame(data$y), 3)
  plain <- cdlsr(data$x, data$y, 3)
  expect_identical(dim(coef(framed)), c(13L, 2L))
  expect_equal(coef(framed), coef(plain))
  expect_identical(framed$selected, plain$selected)
})

test_that("one sweep is a warning and its set is returned", {
  set.seed(19)
  data <- regression_data(40, 60)
  expect_warning(
    fit <- cdlsr(data$x, data$y, 6, solver = "cd", start = 1:6, control = list(maxit = 1)),
    class = "rowsparse_warning_convergence"
  )
  expect_identical(fit$status, "iteration limit reached")
  expect_equal(final(fit), plain_objective(data$x, data$y, fit$selected), tolerance = 1e-8)
})

test_that("an information criterion needs no more than a perfect fit", {
  set.seed(20)
  x <- matrix(stats::rnorm(30 * 8), 30)
  fit <- cdlsr(x, x[, 3] - 2 * x[, 6], 4)
  expect_lte(final(fit), 1e-12 * sum(centred(x)^2))
  expect_setequal(fit$path$features[[2]], c(3, 6))
})

test_that("perturbations never lose, and keep what is locked in", {
  set.seed(430)
  last <- function(fit) utils::tail(fit$path$objective, 1)
  sets <- utils::combn(16, 4)
  ends <- t(vapply(1:30, function(i) {
    n <- 30
    common <- matrix(stats::rnorm(n * 4), n)
    x <- common %*% matrix(stats::rnorm(4 * 16), 4) + 0.5 * matrix(stats::rnorm(n * 16), n)
    y <- x[, sample(16, 6)] %*% stats::rnorm(6) + 0.3 * stats::rnorm(n)
    order <- sample(16)
    fits <- lapply(c("fast", "standard", "thorough"), function(effort) {
      cdlsr(x, y, 4, search = effort)
    })
    turned <- cdlsr(x[, order], y, 4, search = "thorough")
    kept <- cdlsr(x, y, 4, search = "thorough", include = c(7, 9))
    expect_true(all(c(7, 9) %in% kept$selected))
    expect_lte(last(kept), last(cdlsr(x, y, 4, search = "fast", include = c(7, 9))) * (1 + 1e-9))
    xc <- centred(x)
    yc <- centred(y)
    best <- min(apply(sets, 2, function(set) sum(stats::.lm.fit(xc[, set], yc)$residuals^2)))
    c(vapply(fits, last, 0), last(turned), best)
  }, numeric(5)))
  expect_true(all(ends[, 2] <= ends[, 1] * (1 + 1e-9)))
  expect_true(all(ends[, 3] <= ends[, 2] * (1 + 1e-9)))
  expect_equal(ends[, 4], ends[, 3], tolerance = 1e-8)
  # better sets are found, nearly always the best
  missed <- colSums(ends[, 1:3] > ends[, 5] * (1 + 1e-9))
  expect_gt(missed[1], missed[3])
  expect_lte(missed[3], 3)
})

# the best exchange of one feature, in plain R
best_exchange <- function(x, y, set, ridge) {
  value <- function(J) {
    rows <- sqrt(ridge) * diag(length(J))
    fit <- stats::.lm.fit(rbind(x[, J], rows), rbind(y, matrix(0, length(J), ncol(y))))
    sum(fit$residuals^2)
  }
  others <- setdiff(seq_len(ncol(x)), set)
  ends <- outer(seq_along(set), others, Vectorize(function(l, j) value(c(set[-l], j))))
  list(now = value(set), best = min(ends))
}

test_that("the tabu search never loses, and ends where no exchange helps, in any order", {
  set.seed(440)
  last <- function(fit) utils::tail(fit$path$objective, 1)
  solve <- function(...) {
    suppressWarnings(cdlsr(...), classes = "rowsparse_warning_constant")
  }
  ends <- t(vapply(1:12, function(i) {
    n <- 40
    d <- 60
    k <- 6
    ridge <- c(0, 0, 3)[1 + i %% 3]
    common <- matrix(stats::rnorm(n * 8), n)
    x <- common %*% matrix(stats::rnorm(8 * d), 8) + 0.7 * matrix(stats::rnorm(n * d), n)
    if (i %% 2 == 0) {
      # copies, near-copies and a constant column
      x[, 11:14] <- x[, 1:4]
      x[, 15:18] <- x[, 1:4] + 1e-5 * matrix(stats::rnorm(n * 4), n)
      x[, 19] <- 2
    }
    y <- x[, sample(d, 9)] %*% matrix(stats::rnorm(27), 9) + matrix(stats::rnorm(n * 3), n)
    colnames(y) <- paste0("y", 1:3)
    order <- sample(d)
    fit <- solve(x, y, k, ridge = ridge)
    xs <- centred(x)
    xs[, -19] <- scale(xs)[, -19]
    if (i %% 2 == 1) xs <- scale(xs)
    check <- best_exchange(xs, centred(y), fit$selected, ridge)
    expect_equal(last(fit), check$now, tolerance = 1e-8)
    expect_gte(check$best, check$now * (1 - 1e-7))
    c(
      last(solve(x, y, k, ridge = ridge, search = "fast")), last(fit),
      last(solve(x[, order], y, k, ridge = ridge)),
      last(solve(moments(x, y), k = k, ridge = ridge))
    )
  }, numeric(4)))
  expect_true(all(ends[, 2] <= ends[, 1] * (1 + 1e-9)))
  expect_true(any(ends[, 2] < ends[, 1] * (1 - 1e-6)))
  expect_equal(ends[, 3], ends[, 2], tolerance = 1e-6)
  expect_true(all(ends[, 4] <= ends[, 1] * (1 + 1e-6)))
})

test_that("exchanges in the tableau hold where features nearly depend on others, in any order", {
  set.seed(450)
  for (apart in 10^-c(1, 2, 3, 5)) {
    n <- 45
    d <- 45
    common <- matrix(stats::rnorm(n * 6), n)
    x <- common %*% matrix(stats::rnorm(6 * d), 6) + matrix(stats::rnorm(n * d), n)
    # pairs that differ little, and a feature that is nearly a sum of three
    x[, 21:40] <- x[, 1:20] + apart * matrix(stats::rnorm(n * 20), n)
    x[, 41] <- rowSums(x[, 1:3]) + apart * stats::rnorm(n)
    # the small differences explain the response as well
    y <- cbind(
      a = x[, 4] - x[, 9] + (x[, 21] - x[, 1]) / apart,
      b = x[, 20] + (x[, 41] - rowSums(x[, 1:3])) / apart
    )
    y <- y + 0.3 * matrix(stats::rnorm(n * 2), n)
    fit <- cdlsr(x, y, 6)
    expect_exchange_optimum(fit, x, y)
    expect_equal(final(fit), plain_objective(x, y, fit$selected), tolerance = 1e-7)
    expect_lte(final(fit), final(cdlsr(x, y, 6, search = "fast")) * (1 + 1e-9))
    order <- sample(d)
    expect_equal(final(cdlsr(x[, order], y, 6)), final(fit), tolerance = 1e-6)
  }
})

test_that("other first features are tried, behind those that are locked in", {
  set.seed(460)
  ends <- t(vapply(1:20, function(i) {
    n <- 30
    d <- 400
    x <- matrix(stats::rnorm(n * 6), n) %*% matrix(stats::rnorm(6 * d), 6) +
      matrix(stats::rnorm(n * d), n)
    y <- x[, 1:8] %*% stats::rnorm(8)
    alone <- stats::cor(x, y)^2
    firsts <- order(-alone)[2:4]
    # exchanges from the forward selections that begin elsewhere
    others <- vapply(firsts, function(first) {
      start <- utils::tail(cdlsr(x, y, 5, include = first, search = "fast")$selected, 5)
      final(cdlsr(x, y, 5, start = matrix(start, 1), search = "fast"))
    }, 0)
    kept <- cdlsr(x, y, 5, include = c(390, 395))
    expect_true(all(c(390, 395) %in% kept$selected))
    expect_lte(
      final(kept), final(cdlsr(x, y, 5, include = c(390, 395), search = "fast")) * (1 + 1e-9)
    )
    fits <- list(cdlsr(x, y, 5), cdlsr(x, y, 5, search = "fast"))
    turned <- sample(d)
    c(vapply(fits, final, 0), min(others), final(cdlsr(x[, turned], y, 5)))
  }, numeric(4)))
  expect_true(all(ends[, 1] <= ends[, 2] * (1 + 1e-9)))
  expect_equal(ends[, 4], ends[, 1], tolerance = 1e-8)
  expect_lt(mean(log(ends[, 1])), mean(log(pmin(ends[, 2], ends[, 3]))))
})

test_that("the search ends where nothing of the response is left", {
  set.seed(470)
  x <- matrix(stats::rnorm(12 * 40), 12)
  y <- matrix(stats::rnorm(24), 12, dimnames = list(NULL, c("a", "b")))
  total <- sum(centred(y)^2)
  for (effort in c("fast", "thorough")) {
    fit <- cdlsr(x, y, 11, search = effort)
    expect_lte(final(fit), 1e-20 * total)
    expect_true(fit$converged)
    expect_lte(max(fit$objective), 1e-20 * total)
  }
  # one size before, exchanges still help
  fit <- cdlsr(x, y, 10)
  expect_exchange_optimum(fit, x, y)
  expect_gt(final(fit), 1e-12 * total)
})

test_that("the order of the samples decides nothing where genes depend on those selected", {
  skip_slow()
  cells <- shared_data("panc8_small")
  x <- cells$x
  depth <- Matrix::rowSums(x)
  x@x <- log2(1 + x@x / (depth / mean(depth))[x@i + 1L])
  x <- x[, Matrix::colSums(x > 0) > 0]
  y <- factor(cells$y)
  set.seed(480)
  order <- sample(nrow(x))
  ends <- c(final(cdlsr(x, y, 100)), final(cdlsr(x[order, ], y[order], 100)))
  expect_equal(ends[2], ends[1], tolerance = 1e-8)
})

# ---- what the parts of the search are for -----------------------------------------

# products of few factors, and features that follow each other
search_problem <- function(i, kind) {
  n <- if (kind == "tall") 300 else if (kind == "wide") 50 else 60
  set.seed(c(tall = 700, wide = 600, chain = 400)[[kind]] + i)
  if (kind == "chain") {
    x <- matrix(stats::rnorm(n * 200), n)
    for (j in 2:200) x[, j] <- 0.8 * x[, j - 1] + 0.6 * x[, j]
    b <- numeric(200)
    b[sample(200, 12)] <- stats::rnorm(12)
    return(list(x = x, y = drop(x %*% b) + 2 * stats::rnorm(n)))
  }
  q <- if (kind == "tall") c(8, 60) else c(5, 200)
  x <- matrix(stats::rnorm(n * q[1]), n) %*% matrix(stats::rnorm(q[1] * q[2]), q[1]) +
    0.3 * matrix(stats::rnorm(n * q[2]), n)
  list(x = x, y = if (kind == "tall") drop(x %*% stats::rnorm(60)) + 5 * stats::rnorm(n)
    else stats::rnorm(n))
}

test_that("every part of the search lowers objectives somewhere, and few rise by it", {
  skip_if_quick()
  cases <- list(
    perturb = list("wide", 6, "forward"), tabu = list("wide", 12, "forward"),
    firsts = list("chain", 12, "forward"), sweeps = list("chain", 12, "random")
  )
  for (part in names(cases)) {
    case <- cases[[part]]
    objectives <- function(off) {
      old <- options(rowsparse.search_without = off)
      on.exit(options(old))
      vapply(1:12, function(i) {
        data <- search_problem(i, case[[1]])
        set.seed(1)
        fit <- suppressWarnings(cdlsr(data$x, data$y, case[[2]],
          start = case[[3]], starts = if (case[[3]] == "random") 3 else 1
        ))
        utils::tail(fit$objective, 1)
      }, 0)
    }
    ratio <- objectives(part) / objectives(NULL)
    expect_gt(max(ratio), 1 + 1e-6, label = part)
    expect_gt(exp(mean(log(ratio))), 1, label = part)
  }
})
