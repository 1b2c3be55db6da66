# three classes whose means differ in the first features, of different sizes
class_samples <- function(n = 40, d = 6, seed = 301) {
  class <- rep(c(1, 2, 3, 3), length.out = n)
  x <- from_seed(seed, matrix(stats::rnorm(n * d), n))
  x[, 1:3] <- x[, 1:3] + 1.5 * diag(3)[class, ]
  list(x = x, class = class, weights = stats::runif(n, 0.5, 2))
}

# E of sample i by the rule of all other samples, in the features as they are given
left_out_once <- function(x, class, weights, variance, share) {
  total <- length(class)
  weights <- weights / mean(weights)
  t(vapply(seq_len(total), function(i) {
    own <- weights[-i]
    rest <- x[-i, , drop = FALSE]
    size <- tapply(own, class[-i], sum)
    mean <- rowsum(rest * own, class[-i]) / as.vector(size)
    z <- (rest - mean[class[-i], ]) * sqrt(own)
    S <- (1 - share) * crossprod(z) / (sum(own) - max(class)) + share * diag(variance, ncol(x))
    vapply(seq_len(max(class)), function(c) {
      u <- x[i, ] - mean[c, ]
      log(size[[c]] / sum(own)) - sum(u * solve(S, u)) / 2
    }, 0)
  }, numeric(max(class))))
}

core_ends_here()

test_that("scores of samples left out are those of rules that never saw them", {
  for (d in c(1, 6, 70)) {
    data <- class_samples(d = max(d, 3))
    x <- data$x[, seq_len(d), drop = FALSE]
    for (weights in list(rep(1, 40), data$weights)) {
      groups <- rowsparse:::class_groups(x, data$class, 3, weights / mean(weights), 0)
      shrunken <- rowsparse:::covariance_of_samples(groups)
      variance <- (shrunken$scale * groups$unit)^2
      expected <- left_out_once(x, data$class, weights, variance, shrunken$share)
      expect_equal(rowsparse:::left_out_scores(shrunken, groups), expected, tolerance = 1e-9)
    }
  }
})

test_that("the rule is that of the shrunken covariance matrix, from either side of the samples", {
  for (d in c(2, 6, 70)) {
    data <- class_samples(d = max(d, 3))
    x <- data$x[, seq_len(d), drop = FALSE]
    rule <- rowsparse:::discriminant(x, data$class, 3)
    size <- tabulate(data$class)
    mean <- rowsum(x, data$class) / size
    z <- x - mean[data$class, ]
    S <- crossprod(z) / 37
    v <- diag(S)
    # noise of the variances and of the correlations, pair by pair
    noise_of <- function(w) 40 / 39^3 * sum((w - mean(w))^2)
    noise <- sum(apply(z^2, 2, noise_of))
    a <- min(1, noise / sum((v - stats::median(v))^2))
    variance <- exp(a * stats::median(log(v)) + (1 - a) * log(v))
    scaled <- sweep(z, 2, sqrt(v), "/")
    pairs <- utils::combn(d, 2)
    products <- apply(pairs, 2, function(p) scaled[, p[1]] * scaled[, p[2]])
    r <- colSums(products) / 37
    l <- min(1, max(0.01, sum(apply(products, 2, noise_of)) / sum(r^2)))
    # the same of the correlations proper, of which the squares have a part
    odd <- (scaled[, pairs[1, ]]^2 + scaled[, pairs[2, ]]^2) / 2
    noise <- 40 / 39^3 * sum((products - odd * rep(r, each = 40))^2)
    expect_equal(rowsparse:::correlation_share(scaled, 37), min(1, noise / sum(r^2)))
    expect_equal(unname(rule$shrinkage), c(l, a), tolerance = 1e-9)
    S <- (1 - l) * S + l * diag(variance)
    slope <- solve(S, t(mean))
    expected <- sweep(x %*% slope, 2, log(size / 40) - colSums(t(mean) * slope) / 2, "+")
    scores <- rowsparse:::discriminant_scores(rule, x)
    expect_equal(scores - scores[, 1], expected - expected[, 1], tolerance = 1e-8,
      ignore_attr = TRUE
    )
  }
})

# features that nearly depend on each other, whose small differences tell two classes apart
spectra <- function(n) {
  class <- rep(1:2, length.out = n)
  x <- outer(stats::rnorm(n), 1:12 / 12) + 2 * stats::rnorm(n) +
    matrix(stats::rnorm(n * 12, sd = 0.003), n)
  x[, 3] <- x[, 3] + 0.01 * (class == 2)
  list(x = x, class = factor(class))
}

test_that("small differences of nearly dependent features tell classes apart", {
  skip_if_not_installed("MASS")
  set.seed(302)
  wrong <- vapply(1:3, function(draw) {
    train <- spectra(300)
    test <- spectra(1000)
    fits <- list(
      cdlsr(train$x, train$class, 12, ridge = 0.1), cdlsr(moments(train$x, train$class), k = 12)
    )
    oracle <- predict(MASS::lda(train$x, train$class), test$x)$class
    c(mean(oracle != test$class), vapply(fits, function(fit) {
      mean(predict(fit, test$x) != test$class)
    }, 0))
  }, numeric(3))
  # half of them by the share of the covariances
  expect_lt(max(wrong[-1, ] - rep(wrong[1, ], each = 2)), 0.05)
})

test_that("the temperature is of least loss on the samples left out", {
  data <- class_samples()
  groups <- rowsparse:::class_groups(data$x, data$class, 3, rep(1, 40), 0)
  E <- rowsparse:::left_out_scores(rowsparse:::covariance_of_samples(groups), groups)
  own <- cbind(1:40, data$class)
  margin <- E[own] - apply(replace(E, own, -Inf), 1, max)
  q <- stats::quantile(margin[margin > 0], 0.25)
  loss <- function(t) {
    p <- exp(t * E) / rowSums(exp(t * E))
    -sum(log(p[own])) + 3 * log(1 + exp(t * q))
  }
  found <- rowsparse:::judged_scores(E, data$class, rep(1, 40))
  grid <- seq(0.01, 1, by = 0.001)
  expect_equal(found$temperature, grid[which.min(vapply(grid, loss, 0))], tolerance = 2e-3)
  p <- exp(found$temperature * E)
  expect_equal(found$loss, log(rowSums(p)) - log(p[own]))
  expect_identical(found$wrong, max.col(E) != data$class)
  # samples that nothing tells apart are not told apart with confidence
  noise <- from_seed(5, matrix(stats::rnorm(40 * 20), 40))
  expect_lt(rowsparse:::discriminant(noise, data$class, 3)$temperature, 0.5)
})

test_that("neither units nor origin nor order of the samples matter, nor a factor in all weights", {
  data <- class_samples()
  probability <- function(x, class, at, ...) {
    rule <- rowsparse:::discriminant(x, class, 3, ...)
    rowsparse:::softmax(rule$temperature * rowsparse:::discriminant_scores(rule, at))
  }
  plain <- probability(data$x, data$class, data$x)
  expect_equal(probability(1e9 * data$x, data$class, 1e9 * data$x), plain, tolerance = 1e-6)
  moved <- sweep(data$x, 2, c(1e3, -1e4, 0, 5, 7, 1e2), "+")
  expect_equal(probability(moved, data$class, moved), plain, tolerance = 1e-6)
  order <- sample(40)
  expect_equal(probability(data$x[order, ], data$class[order], data$x), plain, tolerance = 1e-6)
  expect_equal(probability(data$x, data$class, data$x, rep(1e-7, 40)), plain)
  heavy <- ifelse(data$class == 1, 10, 1)
  expect_equal(rowsparse:::discriminant(data$x, data$class, 3, heavy)$prior, c(100, 10, 20) / 130)
  far <- sweep(data$x, 2, 10^c(-200, 150, 0, 2, -1, 5), "*")
  expect_true(all(is.finite(probability(far, data$class, far))))
})

test_that("whole weights are repeated samples in every estimate, one feature has no correlations", {
  for (d in c(1, 3, 6, 60)) {
    data <- class_samples(d = max(d, 3))
    x <- data$x[, seq_len(d), drop = FALSE]
    counts <- rep(c(1, 3, 2, 1, 5), 8)
    rows <- rep(1:40, counts)
    weighted <- rowsparse:::discriminant(x, data$class, 3, counts)
    repeated <- rowsparse:::discriminant(x[rows, , drop = FALSE], data$class[rows], 3)
    expect_equal(weighted, repeated, tolerance = 1e-6)
    if (d == 1) expect_identical(repeated$shrinkage[["covariance"]], 1)
  }
  groups <- rowsparse:::class_groups(x, data$class, 3, counts, 0)
  long <- rowsparse:::class_groups(x[rows, ], data$class[rows], 3, rep(1, length(rows)), 0)
  difference <- seq(-1, 1, length.out = 40)
  for (by in seq(0, 0.5, by = 0.01)) { # near two standard errors on either side
    expect_identical(rowsparse:::is_clearly_above(difference + by, groups),
      rowsparse:::is_clearly_above((difference + by)[rows], long)
    )
  }
  value <- c(3, -1, 7, 2.5)
  expect_equal(rowsparse:::lower_quartile(value, c(2, 1, 4, 3)),
    stats::quantile(rep(value, c(2, 1, 4, 3)), 0.25, names = FALSE)
  )
})

test_that("constant, perfect and repeated features, and classes of one sample, are served", {
  data <- class_samples()
  rule_of <- function(x, class = data$class) rowsparse:::discriminant(x, class, max(class))
  same <- rule_of(cbind(data$x, 5, 0))
  expect_equal(same$slope, rbind(rule_of(data$x)$slope, 0, 0))
  expect_equal(exp(rule_of(matrix(1, 40, 2))$intercept), tabulate(data$class) / 40)
  perfect <- cbind(data$class + 0, data$class == 2)
  scores <- rowsparse:::discriminant_scores(rule_of(perfect), perfect)
  expect_identical(max.col(scores), as.integer(data$class))
  # the last: as few samples as there can be
  for (rule in list(rule_of(data$x[, c(1:6, 1:6)]), rule_of(data$x, c(data$class[-40], 4)),
    rule_of(rbind(c(0, 1), c(1, 1.5), c(4, 0)), c(1, 1, 2))
  )) {
    expect_true(all(is.finite(unlist(rule))))
  }
})

test_that("probabilities of noisy classes are as often right as they say", {
  set.seed(303)
  draw <- function(n) {
    class <- rep(1:2, length.out = n)
    x <- matrix(stats::rnorm(n * 30), n)
    x[, 1:3] <- x[, 1:3] + c(-0.5, 0.5)[class]
    list(x = x, y = factor(class))
  }
  train <- draw(60)
  test <- draw(4000)
  fit <- rowsparse(train$x, train$y, k = 30, method = "ftest")
  p <- predict(fit, test$x, type = "prob")
  sure <- p[cbind(1:4000, max.col(p))]
  right <- predict(fit, test$x) == test$y
  for (bin in split(1:4000, cut(sure, c(0.5, 0.65, 0.8, 1)))) {
    expect_lt(abs(mean(sure[bin]) - mean(right[bin])), 0.12)
  }
})
