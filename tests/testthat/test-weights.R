weighted_data <- function(n = 50, d = 9, seed = 341) {
  set.seed(seed)
  x <- sample_matrix(n, d) + rep(seq(-40, 40, length.out = d), each = n)
  y <- x[, 2] - x[, 5] + stats::rnorm(n)
  list(x = x, y = y, w = rep(c(3, 1, 2, 0, 1), length.out = n), classes = factor(cut(y, 3)))
}

# those of least squares
weighted_methods <- function() {
  names(Filter(function(entry) entry$weighted && !takes(entry, "family"), tested_table()))
}

# repeated samples, which stay in the fold of the one that they repeat
repeated_rows <- function(data) rep(seq_along(data$w), data$w)

test_that("whole weights are repeated samples, and weights of 0 dropped ones", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  kept <- data$w > 0
  for (method in weighted_methods()) {
    for (y in list(data$y, cbind(data$y, data$x[, 7]^2), data$classes)) {
      fit <- rowsparse(data$x, y, k = 3, method = method, weights = data$w)
      repeated <- rowsparse(data$x[rows, ], rows_of(y, rows), k = 3, method = method)
      expect_identical(fit$selected, repeated$selected, info = method)
      expect_equal(coef(fit), coef(repeated), tolerance = 1e-7, info = method)
      expect_equal(deviance(fit), deviance(repeated), tolerance = 1e-8, info = method)
      expect_equal(fit$explained, repeated$explained, tolerance = 1e-8, info = method)
      if (is.factor(y)) {
        expect_equal(predict(fit, data$x, type = "prob"), predict(repeated, data$x, type = "prob"),
          tolerance = 1e-7, info = method
        )
      }
      expect_identical(nobs(fit), sum(kept), info = method)
      expect_equal(fitted(fit), predict(fit, data$x[kept, ], type = "response"),
        tolerance = 1e-8, ignore_attr = TRUE
      )
      once <- rowsparse(data$x[kept, ], rows_of(y, kept), k = 3, method = method,
        weights = data$w[kept]
      )
      expect_equal(coef(once), coef(fit), tolerance = 1e-10, info = method)
    }
  }
})

test_that("whole weights are counts in scales and criteria, others are relative", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  fit <- cdlsr(data$x, data$classes, 3, ridge = 20, weights = data$w)
  repeated <- cdlsr(data$x[rows, ], data$classes[rows], 3, ridge = 20)
  expect_equal(coef(fit), coef(repeated), tolerance = 1e-10)
  expect_equal(fit$path$ic, repeated$path$ic, tolerance = 1e-10)
  probability <- function(fit) predict(fit, data$x, type = "prob")
  of_moments <- function(unit, from = weighted_moments(unit)) cdlsr(from, k = 3)
  weighted_moments <- function(unit, part = 1:50) {
    moments(data$x[part, ], data$classes[part], weights = unit * data$w[part])
  }
  long <- moments(data$x[rows, ], data$classes[rows])
  halves <- weighted_moments(1, 1:20) + weighted_moments(1, 21:50)
  for (all in list(weighted_moments(1), halves)) {
    expect_equal(as.data.frame(all), as.data.frame(long))
    expect_equal(variance(all)$scores, variance(long)$scores)
    expect_equal(probability(of_moments(1, all)), probability(of_moments(1, long)))
  }
  # a factor in relative weights: the mean is that of 40 samples
  expect_equal(probability(of_moments(0.3)), probability(of_moments(0.01)))
  expect_equal(variance(weighted_moments(0.3))$scores, variance(weighted_moments(0.01))$scores)
  plain <- cdlsr(data$x, data$classes, 3, weights = 0.3 * data$w)
  expect_equal(probability(update(plain, weights = 0.01 * data$w)), probability(plain))
})

core_ends_here()

test_that("with all features the fit is that of lm() with weights", {
  data <- weighted_data()
  data$w <- stats::runif(50)
  plain <- stats::lm(data$y ~ data$x, weights = data$w)
  for (method in weighted_methods()) {
    fit <- rowsparse(data$x, data$y, k = 9, method = method, weights = data$w)
    expect_equal(coef(fit)[, 1], stats::coef(plain), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(drop(residuals(fit)), stats::residuals(plain), tolerance = 1e-7,
      ignore_attr = TRUE
    )
  }
  few <- cdlsr(data$x, data$y, 3, weights = data$w, solver = "exact")
  best <- min(utils::combn(9, 3, function(set) {
    stats::deviance(stats::lm(data$y ~ data$x[, set], weights = data$w))
  }))
  expect_equal(deviance(few), best)
  expect_equal(few$bound, best, tolerance = 1e-6)
})

test_that("dense, sparse and moments give the same", {
  data <- weighted_data()
  x <- data$x
  x[sample.int(450, 200)] <- 0
  sparse <- methods::as(x, "CsparseMatrix")
  for (y in list(data$y, data$classes)) {
    fit <- cdlsr(x, y, 3, weights = data$w)
    expect_identical(cdlsr(sparse, y, 3, weights = data$w)$selected, fit$selected)
    from_moments <- cdlsr(moments(sparse, y, weights = data$w), k = 3)
    expect_identical(from_moments$selected, fit$selected)
    expect_equal(coef(from_moments), coef(fit), tolerance = 1e-7)
    whole <- moments(sparse, y, weights = data$w)
    expect_equal(unclass(whole), unclass(moments(x, y, weights = data$w)), tolerance = 1e-10)
  }
})

test_that("moments with weights are those of repeated samples, and add up", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  all <- moments(data$x, data$y, weights = data$w)
  repeated <- moments(data$x[rows, ], data$y[rows])
  parts <- c("mean", "S", "y_mean", "Sxy", "Syy")
  expect_equal(unclass(all)[parts], unclass(repeated)[parts], tolerance = 1e-10)
  expect_identical(c(all$weight, all$n), c(sum(data$w), sum(data$w > 0)))
  one <- 1:20
  both <- moments(data$x[one, ], data$y[one], weights = data$w[one]) +
    moments(data$x[-one, ], data$y[-one], weights = data$w[-one])
  expect_equal(both, all, tolerance = 1e-10)
  expect_output(print(all), "40 samples, weighted, 9 features")
})

test_that("case weights of hardhat are numbers wherever weights are taken", {
  skip_if_not_installed("hardhat")
  data <- weighted_data()
  own <- getExportedValue("hardhat", "frequency_weights")(as.integer(data$w))
  for (run in list(
    function(w) cdlsr(data$x, data$y, 2, weights = w)$objective,
    function(w) moments(data$x, data$y, weights = w)$S,
    function(w) cv_rowsparse(data$x, data$y, k = 2, weights = w, foldid = rep(1:5, 10))$table
  )) expect_identical(run(own), run(as.numeric(data$w)))
})

test_that("weights are refused where they mean nothing, with those that take them", {
  data <- weighted_data()
  x <- data$x
  y <- data$y
  w <- data$w
  batch <- rep(1:2, 25)
  blocks <- row_blocks(x, rows = 25)
  expect_each_refused("argument",
    "cdlsr(), pgd(), rowsparse_glm() take" = rowsparse(x, y, k = 3, method = "css", weights = w),
    "rfs does not" = cv_rowsparse(x, y, method = "rfs", weights = w),
    "carry their own" = cdlsr(moments(x, y), k = 3, weights = w),
    "row blocks" = cdlsr(blocks, y, 3, weights = w),
    "row blocks" = moments(blocks, weights = w),
    "`block`" = cdlsr(x, y, 3, weights = w, block = batch),
    "`block`" = cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = w, block = batch),
    "`rank`" = moments(x, rank = 3, weights = w)
  )
  expect_each_refused("length",
    "one number per sample (50)" = cdlsr(x, y, 3, weights = 1:3),
    "`weights`" = cdlsr(x, y, 3, weights = letters),
    "`y`" = cdlsr(x, y[-1], 3, weights = w), "`weights`" = moments(x, weights = 1),
    "one number per sample (50)" = cv_rowsparse(x, y, method = "cdlsr", weights = 1:3)
  )
  expect_each_refused("range",
    "at least 0" = cdlsr(x, y, 3, weights = -w),
    "1 that" = cdlsr(x, y, 3, weights = replace(w, 1, NA)),
    "0 above 0" = moments(x, weights = rep(0, 50)),
    "0 above 0" = cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = rep(0, 50))
  )
  expect_each_refused("type", "needs the classes" = cdlsr(x, y, 2, weights = "balanced"))
})

test_that("cross-validation by weights is that of repeated samples kept in one fold", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  folds <- rep(1:4, length.out = 50)
  for (y in list(data$y, cbind(data$y, data$x[, 7]^2), data$classes)) {
    for (method in weighted_methods()) {
      cv <- suppressWarnings(
        cv_rowsparse(data$x, y, method = method, k = c(1, 3), foldid = folds, weights = data$w)
      )
      long <- suppressWarnings(cv_rowsparse(
        data$x[rows, ], rows_of(y, rows), method = method, k = c(1, 3), foldid = folds[rows]
      ))
      expect_equal(cv$table, long$table, tolerance = 1e-7, info = method)
      expect_identical(selected(cv), selected(long))
    }
  }
})

test_that("balanced weights give every class the same weight together", {
  set.seed(12)
  y <- factor(rep(c("a", "b", "c"), c(30, 8, 4)))
  x <- matrix(rnorm(42 * 6), 42)
  x[, 2] <- x[, 2] + as.integer(y)
  own <- as.vector((42 / 3 / table(y))[as.integer(y)])
  for (run in list(
    function(w) cdlsr(x, y, 2, weights = w)$objective, function(w) moments(x, y, weights = w)$S,
    function(w) cv_rowsparse(x, y, 1:2, "cdlsr", weights = w, foldid = rep(1:6, 7))$table
  )) expect_equal(run("balanced"), run(own))
})
