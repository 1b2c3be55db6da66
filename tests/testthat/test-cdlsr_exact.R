# cdlsr(solver = "exact"): proofs against enumeration, and what is claimed without one

exact_problem <- function(n, d, c) {
  x <- sample_matrix(n, d, rank = 6, noise = 1)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + 2 * matrix(stats::rnorm(n * c), n)
  list(x = x, y = y)
}

# the lowest objective of all sets that hold the features in `into`
best_subset <- function(x, y, k, lambda = 0, into = integer()) {
  xs <- centred(x, TRUE)
  Y <- centred(y)
  A <- crossprod(xs) + lambda * diag(ncol(xs))
  B <- crossprod(xs, Y)
  sets <- utils::combn(ncol(x), k)
  holds <- apply(sets, 2, function(set) all(into %in% set))
  explained <- apply(sets[, holds, drop = FALSE], 2, function(set) {
    sum(B[set, ] * solve(A[set, set, drop = FALSE], B[set, , drop = FALSE]))
  })
  sum(Y^2) - max(explained)
}

test_that("branch and bound equals exhaustive search, with features that are locked in", {
  set.seed(31)
  for (i in 1:6) {
    k <- 1 + i %% 4
    data <- exact_problem(sample(c(8, 14, 30), 1), sample(8:11, 1), c = sample(1:3, 1))
    lambda <- c(0, 1)[1 + i %% 2]
    into <- if (i %% 3 == 0 && k > 1) sample(8, k - 1)
    fit <- cdlsr(data$x, data$y, k, solver = "exact", ridge = lambda, include = into)
    best <- best_subset(data$x, data$y, k, lambda, into)
    expect_equal(end_of_path(fit), best, tolerance = 1e-8)
    expect_equal(fit$bound, best, tolerance = 1e-7)
    expect_equal(fit$status, "proved optimal")
    expect_true(all(into %in% fit$selected))
  }
})

core_ends_here()

test_that("three of many features are proved best, with copies and designs that tie", {
  set.seed(35)
  for (c in 1:3) {
    for (spread in c(0.3, 1, 5)) {
      # factors shared by all features: the smaller the noise, the stronger the correlations
      x <- sample_matrix(25, 24, rank = 4, noise = spread)
      y <- x[, 1:4] %*% matrix(stats::rnorm(4 * c), 4) * c(0, 0.3, 1)[c] +
        matrix(stats::rnorm(25 * c), 25)
      lambda <- if (spread == 1) 2 else 0
      fit <- cdlsr(x, y, 3, solver = "exact", ridge = lambda)
      expect_true(fit$proof$complete)
      expect_equal(end_of_path(fit), best_subset(x, y, 3, lambda), tolerance = 1e-8)
    }
  }
  copied <- unname(cbind(x, x[, 1:20], 3 * x[, 1] - 5, x[, 2] + 1e-7 * x[, 9]))
  fit <- suppressWarnings(cdlsr(copied, y, 3, solver = "exact"))
  expect_true(fit$proof$complete)
  expect_equal(end_of_path(fit), best_subset(x, y, 3), tolerance = 1e-6)
  x <- as.matrix(expand.grid(rep(list(c(-1, 1)), 4)))
  x <- unname(cbind(x, x[, 1] * x[, 2], x[, 1] * x[, 3], x[, 2] * x[, 3] * x[, 4]))
  for (y in list(x[, 2:4], cbind(x[, 1] + x[, 5], x[, 6], 2 * x[, 7]), x %*% diag(7:1))) {
    fit <- suppressWarnings(cdlsr(x, y, 3, solver = "exact"))
    expect_true(fit$proof$complete)
    expect_equal(end_of_path(fit), best_subset(x, y, 3), tolerance = 1e-8)
  }
})

# what triples of columns explain of a response, by what the first leaves of the other two
triples_explain <- function(x, y) {
  x <- scale(x, scale = FALSE)
  S <- stats::cor(x)
  b <- drop(crossprod(x, y - mean(y))) / sqrt(colSums(x^2))
  unlist(lapply(seq_len(ncol(x) - 2L), function(i) {
    after <- seq(i + 1L, ncol(x))
    R <- S[after, after] - tcrossprod(S[after, i])
    square <- diag(R)
    own <- b[after] - S[after, i] * b[i]
    pairs <- outer(own^2, square) + outer(square, own^2) - 2 * R * tcrossprod(own)
    b[i]^2 + (pairs / (tcrossprod(square) - R^2))[upper.tri(R)]
  }))
}

test_that("all triples of one response near the best are met among near neighbours", {
  for (seed in 1:2) {
    x <- from_seed(seed, sample_matrix(30, 201, rank = 3, noise = 2))
    y <- drop(x[, 1:3] %*% c(1, 1, 0.8)) + 0.3 * stats::rnorm(30)
    explained <- triples_explain(x, y)
    fit <- cdlsr(x, y, 3, solver = "exact")
    expect_true(fit$proof$complete)
    expect_equal(sum((y - mean(y))^2) - end_of_path(fit), max(explained), tolerance = 1e-9)
    found <- alternatives(x, fit, y, tolerance = 0.3, sets = 1)
    expect_equal(unname(found$sets$count), sum(explained >= 0.7 * max(explained)))
  }
})

test_that("a set that leaves nothing is proved at once", {
  x <- from_seed(3, matrix(stats::rnorm(40 * 400), 40))
  fit <- cdlsr(x, drop(x[, 1:5] %*% 1:5), 5, solver = "exact")
  expect_setequal(fit$selected, 1:5)
  expect_true(fit$proof$complete)
  expect_equal(fit$proof$nodes, 0)
  # a ridge leaves something
  expect_gt(cdlsr(x, x[, 1], 2, solver = "exact", ridge = 1, time_limit = 30)$bound, 0)
})

test_that("whatever the limit of time, what a fit states holds", {
  set.seed(39)
  for (case in c(1, 6, 8, 11)) {
    few <- case %% 2 == 1
    data <- exact_problem(if (few) 9 else 40, 12, c = 1 + case %% 3)
    lambda <- if (few && case > 4) 10^(case / 3 - 2) else 0
    k <- 3 + case %% 3
    best <- best_subset(data$x, data$y, k, lambda)
    forms <- list(
      list(data$x, data$y), list(row_blocks(data$x, rows = 5), data$y),
      list(moments(data$x, data$y)), list(data$x, data$y, start = "random")
    )
    for (form in forms) {
      for (limit in c(0, 0.01, 60)) {
        fit <- suppressWarnings(do.call(cdlsr,
          c(form, list(k = k, solver = "exact", ridge = lambda, time_limit = limit))
        ))
        reached <- end_of_path(fit)
        expect_lte(fit$bound, best * (1 + 1e-9))
        expect_gte(reached, best * (1 - 1e-9))
        expect_equal(fit$gap, if (fit$proof$complete) 0 else (reached - fit$bound) / reached)
        expect_identical(fit$converged, fit$proof$complete)
        expect_identical(fit$proof$complete, fit$status == "proved optimal")
        total <- sum(centred(data$y)^2)
        expect_true(all(fit$proof$trace$bound >= 1 - best / total - 1e-9))
        expect_true(all(fit$proof$trace$value <= 1 - best / total + 1e-9))
      }
      expect_true(fit$proof$complete)
    }
  }
})

test_that("where time ends before the sets of all sizes are known, what is told of them holds", {
  data <- from_seed(46, exact_problem(40, 12, c = 1))
  for (given in list(list(), list(include = c(9, 11)), list(ridge = 1))) {
    fit <- suppressWarnings(do.call(cdlsr,
      c(list(data$x, data$y, c(4, 9), solver = "exact", time_limit = 0), given)
    ))
    known <- match(fit$path$k, c(4, 9), 0L)
    expect_gt(max(known), 0)
    for (at in which(known > 0)) {
      best <- best_subset(data$x, data$y, fit$path$k[at], max(given$ridge, 0))
      if (is.null(given$include)) expect_lte(fit$path$bound[at], best * (1 + 1e-9))
      expect_lte(fit$path$bound[at], fit$path$objective[at])
    }
  }
})

test_that("beside a huge entry nothing is proved of the rest, unless it is rounding", {
  set.seed(46)
  for (huge in 10^c(6, 9, 12)) {
    x <- matrix(stats::rnorm(96), 12)
    y <- stats::rnorm(12)
    x[3, 5] <- y[3] <- huge
    # with feature 5 the third sample is fitted, by a coefficient of about 1
    loss <- function(others) sum(lm.fit(cbind(1, x[-3, others]), y[-3] - x[-3, 5])$residuals^2)
    best <- min(utils::combn(c(1:4, 6:8), 2, loss))
    for (scale in c(TRUE, FALSE)) {
      fit <- suppressWarnings(cdlsr(x, y, c(1, 3), solver = "exact", scale = scale))
      expect_lte(fit$bound, best * (1 + 1e-3))
      expect_identical(fit$path$proved, c(FALSE, NA, FALSE))
      expect_match(fit$status, "rounding hides")
    }
    pairs <- rep(1:4, each = 2)
    grouped <- suppressWarnings(cdlsr(x, y, 2, groups = pairs, solver = "exact"))
    expect_lte(grouped$bound, min(loss(c(1:2, 6)), loss(c(3:4, 6)), loss(6:8)) * (1 + 1e-3))
    expect_false(grouped$proof$complete)
    expect_true(cdlsr(x[, 4:5], y, 2, solver = "exact")$proof$complete)
  }
  exact <- cdlsr(x[, -5], x[, 1] - 2 * x[, 2], 2, solver = "exact")
  expect_true(exact$proof$complete && setequal(exact$selected, 1:2))
})

test_that("cross-products prove nothing that they do not resolve", {
  data <- from_seed(45, near_copy(1e-5))
  for (k in 3:5) {
    sure <- suppressWarnings(cdlsr(data$x, data$y, k, solver = "exact", include = 1:2))
    fit <- suppressWarnings(cdlsr(data$moments, k = k, solver = "exact", include = 1:2))
    expect_true(sure$proof$complete)
    expect_lte(fit$bound, 1e-9 * sum(data$y^2))
    expect_false(fit$proof$complete)
  }
  # parts of moments far from zero
  for (far in c(1e3, 1e9)) {
    x <- matrix(stats::rnorm(40 * 6), 40) + far
    y <- stats::rnorm(40) + far / 2
    parts <- moments(x[1:13, ], y[1:13]) + moments(x[14:40, ], y[14:40])
    best <- best_subset(sweep(x, 2, colMeans(x)), y - mean(y), 2)
    fit <- suppressWarnings(cdlsr(parts, k = 2, solver = "exact"))
    expect_lte(fit$bound, best + 1e-9 * sum((y - mean(y))^2))
    # row blocks can be read again
    expect_true(cdlsr(row_blocks(x, rows = 9), y, 2, solver = "exact")$proof$complete)
  }
})
