test_that("moments of blocks add up to the moments of all", {
  x <- from_seed(21, sample_matrix(60, 8) + 100)
  y <- factor(sample(c("a", "b", "c"), 60, TRUE))
  blocks <- split(1:60, rep(1:3, c(5, 25, 30)))
  parts <- lapply(blocks, function(rows) moments(x[rows, ], y[rows]))
  whole <- moments(x, y)
  expect_equal(Reduce(`+`, parts), whole, tolerance = 1e-10)
  expect_equal(Reduce(`+`, rev(parts)), whole, tolerance = 1e-10)
  expect_equal(whole$S, scatter(x), tolerance = 1e-10)
  Y <- outer(as.integer(y), 1:3, "==") + 0
  expect_equal(unname(whole$Sxy), unname(crossprod(centred(x), centred(Y))), tolerance = 1e-9)
  expect_equal(unname(whole$Syy), crossprod(centred(Y)), tolerance = 1e-10)
})

core_ends_here()

test_that("moments whose parts do not go together are refused wherever they are used", {
  x <- from_seed(25, sample_matrix(20, 5))
  good <- moments(x, x[, 1] + 1:20)
  change <- function(part, value) {
    good[part] <- list(value)
    good
  }
  entry <- function(i, j, value) change("S", replace(good$S, cbind(i, j), value))
  broken <- list(
    change("n", NULL), change("mean", good$mean[-1]), change("S", good$S[-1, ]),
    change("feature_names", "a"), change("Syy", NULL), entry(2, 1, NaN),
    change("Sxy", good$Sxy[-1, , drop = FALSE]), change("y_mean", 1:3 + 0), entry(1, 2, 1e9),
    entry(3, 3, -1), change("y_type", NULL)
  )
  for (m in broken) {
    expect_refused(bsufs(m, 2), "type", "must be moments as moments() makes them")
    expect_refused(good + m, "type", "`e2` must be moments")
  }
  expect_identical(+good, good)
  expect_refused(1 + good, "type", "`e1` must be moments; got 1")
  other <- `colnames<-`(x, letters[1:5])
  for (e2 in list(moments(x[, 1:3]), moments(other), moments(x, gl(2, 10)), moments(x))) {
    expect_refused(good + e2, "type", "of the same features and responses")
  }
  half <- change("n", 2e9)
  expect_refused(half + half, "range", "`e1 + e2`")
})

test_that("an empty block is refused, one of one row is not", {
  x <- sample_matrix(10, 4)
  expect_refused(moments(x[0, ]), "size", "got 0 x 4. Leave empty blocks out")
  expect_refused(moments(x[, 0]), "size", "got 10 x 0")
  expect_equal(moments(x[1, , drop = FALSE]) + moments(x[-1, ]), moments(x), tolerance = 1e-10)
  expect_refused(bsufs(moments(x[1, , drop = FALSE]), 1), "size", "at least 2 samples")
})

test_that("cross-products are the same however many rows are centred at a time", {
  n <- 1300
  d <- 2100 # more than one stripe of rows
  x <- from_seed(74, matrix(stats::rnorm(n * d), n) + 1)
  x[, 1:3] <- x[, 1:3] + 1e8 # centred twice
  some <- c(1:5, 600, d)
  level <- factor(rep(1:2, length.out = n))
  centred <- scale(scale(x, scale = FALSE), scale = FALSE)
  # sums of squares are n, errors of means 1e-8
  expect_equal(moments(x)$S[, some], crossprod(centred, centred[, some]), tolerance = 1e-10)
  within <- centred
  for (l in levels(level)) within[level == l, ] <- scale(centred[level == l, ], scale = FALSE)
  expect_equal(moments(x, block = level)$S[some, ], crossprod(within[, some], within),
    tolerance = 1e-10, ignore_attr = TRUE
  )
})

test_that("the summary of moments tells variances and the spectrum", {
  x <- from_seed(162, sample_matrix(40, 6))
  table <- as.data.frame(moments(x))
  expect_equal(table$mean, unname(colMeans(x)))
  expect_equal(table$variance, unname(apply(x, 2, stats::var)))
  expect_equal(summary(moments(x))$shares, eigen(scatter(x))$values / sum(diag(scatter(x))))
  told <- summary(moments(x), n = 2)
  expect_equal(told$shares, summary(moments(x))$shares[1:2])
  expect_equal(told$table, table[order(-table$variance)[1:2], ])
  expect_identical(nrow(summary(moments(unname(cbind(x, x))))$table), 10L)
  lines <- utils::capture.output(expect_identical(withVisible(print(told))$visible, FALSE))
  expect_identical(lines[c(1, 2, 5, 7)], c("Moments of 40 samples, 6 features",
    "Variances of the features:", "Shares of the total variance, by component:",
    "Largest variances:"))
  numbers <- function(text) scan(text = sub("^\\[1\\]", "", text), quiet = TRUE)
  expect_equal(numbers(lines[4]), unname(stats::quantile(table$variance)), tolerance = 1e-3)
  expect_equal(numbers(lines[6]), told$shares, tolerance = 1e-2)
  expect_identical(sub(" .*", "", trimws(lines[9:10])), told$table$feature)
  # one sample has no variance, and constant features no spectrum
  single <- moments(x[1, , drop = FALSE])
  expect_true(all(is.na(as.data.frame(single)$variance)))
  for (flat in list(single, moments(0 * x + 1))) expect_null(summary(flat)$shares)
})

# the most that a set leaves of y, over orders, where features with less than `level` of their
# length left beside those before them add nothing
most_left <- function(x, y, set, level) {
  z <- centred(x)[, set]
  max(vapply(seq_along(set), function(turn) {
    Q <- NULL
    for (j in (seq_along(set) + turn - 1L) %% length(set) + 1L) {
      left <- z[, j]
      if (!is.null(Q)) for (pass in 1:2) left <- left - Q %*% crossprod(Q, left)
      if (sum(left^2) > level^2 * sum(z[, j]^2)) Q <- cbind(Q, left / sqrt(sum(left^2)))
    }
    sum((centred(y) - Q %*% crossprod(Q, centred(y)))^2)
  }, 0))
}

test_that("a fit from moments hides no more features of its set than some order does", {
  for (seed in 1:20) {
    set.seed(seed)
    x <- exp(-outer(sort(runif(20)), seq(0, 1, length.out = 11), "-")^2 / runif(1, 0.3, 2))
    y <- rnorm(20) + x[, 3]
    fit <- suppressWarnings(cdlsr(moments(x, y), k = 6, start = "random", starts = 2))
    expect_lt(utils::tail(fit$objective, 1), most_left(x, y, fit$selected, 2e-4) * (1 + 1e-5))
  }
})
