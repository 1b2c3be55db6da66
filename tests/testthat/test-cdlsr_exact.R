exact_problem <- function(n, d, c) {
  x <- sample_matrix(n, d, rank = 6, noise = 1)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + 2 * matrix(stats::rnorm(n * c), n)
  list(x = x, y = y)
}

# of all sets that hold the features in `into`
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

test_that("branch and bound equals exhaustive search", {
  set.seed(31)
  for (i in 1:24) {
    k <- 1 + i %% 4
    n <- sample(c(8, 14, 30), 1)
    data <- exact_problem(n, sample(8:13, 1), c = sample(1:3, 1))
    lambda <- c(0, 1)[1 + i %% 2]
    fit <- cdlsr(data$x, data$y, k, solver = "exact", ridge = lambda)
    best <- best_subset(data$x, data$y, k, lambda)
    expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-8)
    expect_true(fit$proof$complete)
    expect_equal(fit$bound, best, tolerance = 1e-7)
    expect_lte(fit$gap, 1e-7)
    expect_equal(fit$status, "proved optimal")
  }
})

core_ends_here()

test_that("the bounds prune: far fewer nodes than sets", {
  set.seed(32)
  # orthogonal features: the coherence bound is tight
  x <- qr.Q(qr(centred(matrix(stats::rnorm(60 * 30), 60))))
  y <- x[, 1:5] %*% 5:1 + 0.05 * stats::rnorm(60)
  fit <- cdlsr(x, y, 5, solver = "exact")
  expect_true(fit$proof$complete)
  expect_setequal(fit$selected, 1:5)
  expect_lt(fit$proof$nodes, 100)
  # few features: all of those left together bound what some of them explain
  data <- exact_problem(50, 20, 1)
  fit <- cdlsr(data$x, data$y, 6, solver = "exact")
  expect_equal(
    utils::tail(fit$path$objective, 1), best_subset(data$x, data$y, 6), tolerance = 1e-8
  )
  expect_lt(fit$proof$nodes, choose(20, 5) / 4)
})

test_that("without time the gap is stated", {
  set.seed(33)
  data <- exact_problem(30, 60, 4)
  expect_warning(
    fit <- cdlsr(data$x, data$y, 4, solver = "exact", time_limit = 0),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_match(fit$status, "gap")
  proved <- cdlsr(data$x, data$y, 4, solver = "exact")
  best <- utils::tail(proved$path$objective, 1)
  expect_true(proved$proof$complete)
  expect_lte(fit$bound, best * (1 + 1e-9))
  expect_gte(fit$gap, 0)
  expect_gte(utils::tail(fit$path$objective, 1), best * (1 - 1e-9))
})

test_that("exact is never above exchange, for sparse data and moments too", {
  set.seed(34)
  for (i in 1:5) {
    data <- exact_problem(12, 40, 2)
    x <- data$x
    x[abs(x) < 1] <- 0
    exchanged <- cdlsr(x, data$y, 3)
    fit <- cdlsr(x, data$y, 3, solver = "exact")
    expect_lte(utils::tail(fit$path$objective, 1), utils::tail(exchanged$path$objective, 1))
    sparse <- cdlsr(Matrix::Matrix(x, sparse = TRUE), data$y, 3, solver = "exact")
    merged <- cdlsr(moments(x, data$y), k = 3, solver = "exact")
    expect_equal(sparse$path$objective, fit$path$objective, tolerance = 1e-7)
    expect_equal(merged$path$objective, fit$path$objective, tolerance = 1e-7)
    expect_equal(fit$path$objective[3], sum((centred(data$y) -
      centred(predict(fit, x, type = "response")))^2), tolerance = 1e-8)
  }
})

test_that("the best known sets of SRBCT are proved for k = 1 and 2", {
  reference <- shared_reference("cdlsr")
  srbct <- shared_data("SRBCT")
  for (k in 1:2) {
    fit <- cdlsr(srbct$x, factor(srbct$y), k, solver = "exact")
    expect_true(fit$proof$complete)
    best <- reference$best_known$SRBCT[[as.character(k)]]
    expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-6)
  }
})

# the best three of unit features, by the closed form for all of them
best_triple <- function(x, y, lambda = 0) {
  xs <- centred(x, TRUE)
  Y <- centred(y)
  A <- crossprod(xs) + lambda * diag(ncol(xs))
  unit <- 1 / sqrt(diag(A))
  A <- A * outer(unit, unit)
  C <- tcrossprod(crossprod(xs, Y) * unit)
  s <- utils::combn(ncol(x), 3)
  pair <- function(M, a, b) M[cbind(s[a, ], s[b, ])]
  p <- pair(A, 1, 2)
  q <- pair(A, 1, 3)
  r <- pair(A, 2, 3)
  det <- 1 + 2 * p * q * r - p^2 - q^2 - r^2
  explained <- pair(C, 1, 1) * (1 - r^2) + pair(C, 2, 2) * (1 - q^2) +
    pair(C, 3, 3) * (1 - p^2) + 2 * (pair(C, 1, 2) * (q * r - p) +
      pair(C, 1, 3) * (p * r - q) + pair(C, 2, 3) * (p * q - r))
  usable <- det > 1e-6
  sum(Y^2) - max(explained[usable] / det[usable])
}

test_that("three features are proved best whatever the response and the correlations", {
  set.seed(35)
  n <- 25
  for (c in 1:4) {
    for (spread in c(0.3, 1, 5)) {
      # factors shared by all features: the smaller the noise, the stronger the correlations
      x <- sample_matrix(n, 70, rank = 4, noise = spread)
      weights <- matrix(stats::rnorm(4 * c), 4) * rep(10^-(seq_len(c) - 1), each = 4)
      noise <- matrix(stats::rnorm(n * c), n) * rep(10^-(seq_len(c) - 1), each = n)
      y <- x[, 1:4] %*% weights * c(0, 0.3, 1)[1 + c %% 3] + noise
      lambda <- if (spread == 1) 2 else 0
      fit <- cdlsr(x, y, 3, solver = "exact", ridge = lambda)
      best <- best_triple(x, y, lambda)
      expect_true(fit$proof$complete)
      expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-8)
      expect_equal(fit$bound, best, tolerance = 1e-7)
    }
  }
})

test_that("three features: copies, units and classes make no difference", {
  set.seed(36)
  x <- sample_matrix(30, 60, rank = 5, noise = 1)
  y <- x[, 1] - x[, 2] + x[, 7] + stats::rnorm(30)
  best <- best_triple(x, y)
  copied <- cbind(x, x[, 1:20], 3 * x[, 1] - 5, x[, 2] + 1e-7 * x[, 9], 1)
  colnames(copied) <- NULL
  expect_warning(
    fit <- cdlsr(copied, y, 3, solver = "exact"), class = "rowsparse_warning_constant"
  )
  expect_true(fit$proof$complete)
  expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-6)
  for (unit in c(1e-12, 1e12)) {
    fit <- cdlsr(x / unit, y * unit, 3, solver = "exact")
    expect_true(fit$proof$complete)
    expect_equal(utils::tail(fit$path$objective, 1) / unit^2, best, tolerance = 1e-7)
  }
  labels <- factor(y > 0)
  fit <- cdlsr(x, labels, 3, solver = "exact")
  expect_equal(utils::tail(fit$path$objective, 1), 2 * best_triple(x, as.double(y > 0)),
    tolerance = 1e-8
  )
})

test_that("three features: orthogonal designs with entries that are zero or tie", {
  x <- as.matrix(expand.grid(rep(list(c(-1, 1)), 4)))
  x <- cbind(x, x[, 1] * x[, 2], x[, 1] * x[, 3], x[, 2] * x[, 3] * x[, 4], x[, 1] + x[, 2])
  dimnames(x) <- NULL
  for (y in list(
    x[, 2:4], cbind(x[, 1] + x[, 5], x[, 6], 2 * x[, 7]), x[, 1] + x[, 2] + x[, 6],
    x[, 1:7] %*% diag(7:1), cbind(x[, 8] + 0.1 * x[, 4], x[, 3])
  )) {
    fit <- suppressWarnings(cdlsr(x, y, 3, solver = "exact"),
      classes = "rowsparse_warning_not_unique"
    )
    # of these sums of single features two can be exchanged
    expect_identical(fit$unique, !identical(y, x[, 1] + x[, 2] + x[, 6]))
    expect_true(fit$proof$complete)
    expect_equal(utils::tail(fit$path$objective, 1), best_triple(x, y), tolerance = 1e-8)
  }
})

test_that("three features: a fraction of all sets is tested, and no end is missed", {
  set.seed(37)
  d <- 4200
  x <- matrix(stats::rnorm(50 * d), 50)
  y <- x[, d] + x[, 1] - x[, 2] + 0.5 * stats::rnorm(50)
  fit <- cdlsr(x, y, 3, solver = "exact")
  expect_true(fit$proof$complete)
  expect_setequal(fit$selected, c(1, 2, d))
  expect_lt(fit$proof$nodes, d^2 / 100)
})

test_that("three features: what is stated when time runs out is true", {
  set.seed(38)
  data <- exact_problem(30, 120, 5)
  best <- best_triple(data$x, data$y)
  for (limit in c(0, 0.01, 0.05)) {
    fit <- suppressWarnings(cdlsr(data$x, data$y, 3, solver = "exact", time_limit = limit))
    reached <- utils::tail(fit$path$objective, 1)
    expect_lte(fit$bound, best * (1 + 1e-9))
    expect_gte(reached, best * (1 - 1e-9))
    expect_equal(fit$gap, (reached - fit$bound) / reached)
    expect_equal(fit$converged, fit$proof$complete)
  }
})

test_that("a ridge, or more samples than features, bounds the objective without any search", {
  set.seed(39)
  for (case in 1:8) {
    few <- case %% 2 == 1
    data <- exact_problem(if (few) 9 else 40, 15, c = 1 + case %% 3)
    lambda <- if (few) 10^(case / 2 - 2) else 0
    for (k in 3:5) {
      fit <- suppressWarnings(
        cdlsr(data$x, data$y, k, solver = "exact", ridge = lambda, time_limit = 0)
      )
      best <- best_subset(data$x, data$y, k, lambda)
      expect_lte(fit$bound, best * (1 + 1e-9))
      expect_gt(fit$bound, 0)
      expect_lt(fit$gap, 1)
      reached <- utils::tail(fit$path$objective, 1)
      expect_equal(fit$gap, if (fit$proof$complete) 0 else (reached - fit$bound) / reached)
    }
  }
})

test_that("a strong ridge eliminates most features at once", {
  set.seed(40)
  data <- exact_problem(40, 300, 2)
  fit <- cdlsr(data$x, data$y, 5, solver = "exact", ridge = 400)
  expect_true(fit$proof$complete)
  expect_lt(fit$proof$nodes, choose(300, 4) / 1e4)
  # no set of other features is better, as far as exchanges of two show
  set <- fit$selected
  xs <- centred(data$x, TRUE)
  Y <- centred(data$y)
  B <- crossprod(xs, Y)
  A <- crossprod(xs) + 400 * diag(300)
  worth <- function(set) sum(Y^2) - sum(B[set, ] * solve(A[set, set], B[set, ]))
  others <- utils::head(setdiff(order(-fit$gains), set), 25)
  for (out in utils::combn(5, 2, simplify = FALSE)) {
    for (new in utils::combn(others, 2, simplify = FALSE)) {
      expect_gte(worth(c(set[-out], new)), worth(set) * (1 - 1e-9))
    }
  }
})

test_that("a proved set that leaves nothing but rounding has a bound", {
  for (seed in 1:60) {
    set.seed(seed)
    x <- matrix(stats::rnorm(16), 4)
    y <- stats::rnorm(4)
    expect_no_warning(fit <- cdlsr(x, y, 3, solver = "exact"))
    expect_identical(fit$status, "proved optimal")
    expect_lte(fit$bound, utils::tail(fit$objective, 1))
    expect_lte(abs(fit$bound), 1e-9 * sum((y - mean(y))^2))
  }
})

test_that("the best set with features that are locked in is that of an enumeration", {
  set.seed(43)
  for (case in 1:24) {
    few <- case %% 2 == 0
    data <- exact_problem(if (few) 8 else 30, 9, c = 1 + case %% 3)
    ridge <- if (few || case %% 4 == 1) 0.5 else 0
    k <- 2 + case %% 4
    into <- sample(9, 1 + case %% 2)
    if (k <= length(into)) next
    fit <- cdlsr(data$x, data$y, k, solver = "exact", ridge = ridge, include = into)
    expect_true(fit$proof$complete)
    expect_true(all(into %in% fit$selected))
    expect_equal(utils::tail(fit$objective, 1),
      best_subset(data$x, data$y, k, ridge, into), tolerance = 1e-8
    )
  }
})

test_that("copies in a random start are replaced when there is no time for more", {
  set.seed(44)
  base <- matrix(stats::rnorm(20 * 5), 20)
  x <- cbind(base, -2 * base)
  y <- drop(base %*% c(1, -1, 1, -1, 1)) + stats::rnorm(20)
  best <- best_subset(base, y, 4)
  for (i in 1:20) {
    for (data in list(x, moments(x, y))) {
      fit <- suppressWarnings(cdlsr(data, if (is.matrix(data)) y,
        k = 4, solver = "exact", start = "random", search = "fast", time_limit = 0
      ))
      expect_lte(fit$bound, best * (1 + 1e-8))
      objective <- utils::tail(fit$path$objective, 1)
      if (fit$proof$complete) expect_equal(objective, best, tolerance = 1e-8)
      expect_equal(sum(stats::resid(stats::lm(y ~ x[, fit$selected]))^2), objective)
    }
  }
})

test_that("products prove nothing where a locked feature may or may not depend on another", {
  set.seed(45)
  data <- near_copy(1e-5)
  for (k in 3:5) {
    sure <- cdlsr(data$x, data$y, k, solver = "exact", include = 1:2)
    fit <- suppressWarnings(cdlsr(data$moments, k = k, solver = "exact", include = 1:2))
    expect_true(sure$proof$complete)
    expect_lt(utils::tail(sure$path$objective, 1), 1e-9)
    expect_lte(fit$bound, 1e-9 * sum(data$y^2))
    expect_false(fit$proof$complete)
  }
  # a feature that does not vary hides nothing
  plain <- suppressWarnings(
    cdlsr(moments(cbind(data$x[, 2:5], 1), data$y), k = 3, solver = "exact", include = c(1, 5))
  )
  expect_true(plain$proof$complete)
})

test_that("no bound on the way is below what the best set explains", {
  set.seed(46)
  for (i in 1:30) {
    data <- exact_problem(sample(c(10, 25), 1), 11, 1)
    k <- 1 + i %% 6
    into <- seq_len(c(0, 0, k - 1)[1 + i %% 3])
    ridge <- 10^stats::runif(1, -6, 1)
    # a bad set to begin with, so that the search finds better ones
    fit <- suppressWarnings(cdlsr(data$x, data$y, k,
      solver = "exact", ridge = ridge, start = "random", search = "fast", include = into,
      time_limit = c(0, 60)[1 + i %% 2]
    ))
    trace <- fit$proof$trace
    best <- 1 - best_subset(data$x, data$y, k, ridge, into) / sum(centred(data$y)^2)
    expect_gt(length(trace$bound), 0)
    expect_true(all(trace$bound >= best - 1e-9))
    expect_true(all(trace$value <= best + 1e-9))
    if (fit$proof$complete) expect_equal(utils::tail(trace$bound, 1), best, tolerance = 1e-8)
  }
})
