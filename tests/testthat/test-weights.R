weighted_data <- function(n = 50, d = 9, seed = 341) {
  set.seed(seed)
  x <- sample_matrix(n, d) + rep(seq(-40, 40, length.out = d), each = n)
  y <- x[, 2] - x[, 5] + stats::rnorm(n)
  list(x = x, y = y, w = rep(c(3, 1, 2, 0, 1), length.out = n), classes = factor(cut(y, 3)))
}

weighted_methods <- function() {
  names(Filter(function(entry) isTRUE(entry$weighted), tested_table()))
}

test_that("whole weights are repeated samples, and weights of 0 dropped ones", {
  data <- weighted_data()
  rows <- rep(seq_len(50), data$w)
  kept <- data$w > 0
  for (method in weighted_methods()) {
    for (y in list(data$y, cbind(data$y, data$x[, 7]^2), data$classes)) {
      y <- if (is.factor(y)) y else as.matrix(y)
      part <- function(rows) if (is.factor(y)) y[rows] else y[rows, , drop = FALSE]
      fit <- rowsparse(data$x, y, k = 3, method = method, weights = data$w)
      repeated <- rowsparse(data$x[rows, ], part(rows), k = 3, method = method)
      expect_identical(fit$selected, repeated$selected, info = method)
      expect_equal(utils::tail(fit$path$objective, 1), utils::tail(repeated$path$objective, 1))
      expect_equal(coef(fit), coef(repeated), tolerance = 1e-7, info = method)
      expect_equal(deviance(fit), deviance(repeated), tolerance = 1e-8, info = method)
      expect_equal(fit$explained, repeated$explained, tolerance = 1e-8, info = method)
      expect_identical(nobs(fit), sum(kept), info = method)
      expect_equal(fitted(fit), predict(fit, data$x[kept, ], type = "response"),
        tolerance = 1e-8, ignore_attr = TRUE
      )
      once <- rowsparse(data$x[kept, ], part(kept), k = 3, method = method,
        weights = data$w[kept]
      )
      expect_equal(coef(once), coef(fit), tolerance = 1e-10, info = method)
    }
  }
})

core_ends_here()

test_that("equal weights change nothing, and a factor in all of them no selection", {
  data <- weighted_data()
  data$w <- stats::runif(50)
  for (method in weighted_methods()) {
    plain <- rowsparse(data$x, data$y, k = 4, method = method)
    ones <- rowsparse(data$x, data$y, k = 4, method = method, weights = rep(1, 50))
    expect_identical(ones$selected, plain$selected)
    expect_equal(ones$objective, plain$objective, tolerance = 1e-8)
    expect_equal(ones$scale, plain$scale)
    fit <- rowsparse(data$x, data$y, k = 4, method = method, weights = data$w)
    for (factor in c(1e-6, 1e6)) {
      scaled <- rowsparse(data$x, data$y, k = 4, method = method, weights = factor * data$w)
      expect_identical(scaled$selected, fit$selected, info = method)
      expect_equal(scaled$scores, fit$scores, tolerance = 1e-7, info = method)
      expect_equal(scaled$scale, fit$scale, info = method)
      expect_equal(deviance(scaled), factor * deviance(fit), info = method)
    }
  }
})

test_that("with all features the fit is that of lm() with weights", {
  data <- weighted_data()
  data$w <- stats::runif(50)
  plain <- stats::lm(data$y ~ data$x, weights = data$w)
  for (method in weighted_methods()) {
    fit <- rowsparse(data$x, data$y, k = 9, method = method, weights = data$w)
    expect_equal(coef(fit)[, 1], stats::coef(plain), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(deviance(fit), stats::deviance(plain), info = method)
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
    for (given in list(x, sparse)) {
      summed <- moments(given, y, weights = data$w)
      from_moments <- cdlsr(summed, k = 3)
      expect_identical(from_moments$selected, fit$selected)
      expect_equal(utils::tail(from_moments$objective, 1), utils::tail(fit$objective, 1))
      expect_equal(coef(from_moments), coef(fit), tolerance = 1e-7)
      expect_equal(from_moments$scale, fit$scale)
    }
    parts <- rowsparse:::weighted_moments(sparse, y, data$w, numbers = 100)
    expect_equal(unclass(parts), unclass(moments(x, y, weights = data$w)), tolerance = 1e-10)
  }
})

test_that("moments with weights are those of repeated samples, and add up", {
  data <- weighted_data()
  rows <- rep(seq_len(50), data$w)
  all <- moments(data$x, data$y, weights = data$w)
  repeated <- moments(data$x[rows, ], data$y[rows])
  parts <- c("mean", "S", "y_mean", "Sxy", "Syy")
  expect_equal(unclass(all)[parts], unclass(repeated)[parts], tolerance = 1e-10)
  expect_identical(all$weight, sum(data$w))
  expect_identical(all$n, sum(data$w > 0))
  one <- 1:20
  both <- moments(data$x[one, ], data$y[one], weights = data$w[one]) +
    moments(data$x[-one, ], data$y[-one], weights = data$w[-one])
  expect_equal(both, all, tolerance = 1e-10)
  mixed <- moments(data$x[one, ]) + moments(data$x[-one, ], weights = rep(2, 30))
  twice <- moments(data$x[c(one, 21:50, 21:50), ])
  expect_equal(mixed$S, twice$S)
  expect_identical(mixed$weight, 80)
  expect_output(print(all), "40 samples, weighted, 9 features")
  expect_equal(as.data.frame(moments(data$x, weights = rep(7, 50))), as.data.frame(moments(data$x)))
  expect_identical(css(moments(data$x, weights = rep(2, 50)), 3)$selected, css(data$x, 3)$selected)
})

test_that("weights are refused where they mean nothing, with those that take them", {
  data <- weighted_data()
  for (method in c("css", "alignment", "ndfs", "rfs", "ftest")) {
    expect_refused(rowsparse(data$x, data$y, k = 3, method = method, weights = data$w),
      "argument", "cdlsr(), pgd() take them"
    )
  }
  expect_refused(cdlsr(data$x, data$y, 3, weights = 1:3), "length", "one number per sample (50)")
  expect_refused(cdlsr(data$x, data$y, 3, weights = letters), "length", "`weights`")
  expect_refused(cdlsr(data$x, data$y, 3, weights = -data$w), "range", "at least 0")
  expect_refused(cdlsr(data$x, data$y, 3, weights = replace(data$w, 1, NA)), "range", "1 that")
  expect_refused(cdlsr(data$x, data$y, 3, weights = rep(0, 50)), "range", "0 above 0")
  expect_refused(cdlsr(data$x, data$y[-1], 3, weights = data$w), "length", "`y`")
  summed <- moments(data$x, data$y)
  expect_refused(cdlsr(summed, k = 3, weights = data$w), "argument", "carry their own")
  batch <- rep(1:2, 25)
  expect_refused(cdlsr(data$x, data$y, 3, weights = data$w, block = batch), "argument", "`block`")
  blocks <- row_blocks(data$x, rows = 25)
  expect_refused(cdlsr(blocks, data$y, 3, weights = data$w), "argument", "row blocks")
  expect_refused(moments(blocks, weights = data$w), "argument", "row blocks")
  expect_refused(moments(data$x, block = batch, weights = data$w), "argument", "`block`")
  expect_refused(moments(data$x, rank = 3, weights = data$w), "argument", "`rank`")
  expect_refused(moments(data$x, weights = rep(0, 50)), "range", "above 0")
  expect_refused(moments(data$x, weights = 1), "length", "`weights`")
  summed$weight <- -1
  expect_refused(css(summed, 2), "type", "do not go together")
})

test_that("ends of ranges, copies and names of columns are served", {
  data <- weighted_data()
  copies <- cbind(data$x, twin = data$x[, 2], constant = 1)
  fit <- suppressWarnings(cdlsr(copies, data$y, 4, weights = data$w))
  expect_false(all(c("twin", colnames(data$x)[2]) %in% selected(fit)))
  for (unit in c(1e-100, 1e100)) {
    scaled <- cdlsr(data$x * unit, data$y, 3, weights = data$w)
    expect_identical(scaled$selected, cdlsr(data$x, data$y, 3, weights = data$w)$selected)
  }
  far <- data$x + 1e9
  expect_identical(
    cdlsr(far, data$y, 3, weights = data$w)$selected,
    cdlsr(data$x, data$y, 3, weights = data$w)$selected
  )
  expect_identical(
    rowsparse(data$x, data$y, k = 3, method = "cdlsr", weights = data$w, exclude = 2)$d, 9L
  )
  skip_if_not_installed("SummarizedExperiment")
  object <- SummarizedExperiment::SummarizedExperiment(list(values = t(data$x)),
    colData = data.frame(w = data$w, y = data$y)
  )
  expect_identical(
    rowsparse(object, "y", k = 3, method = "cdlsr", weights = "w", subset = 1:30)$selected,
    cdlsr(data$x[1:30, ], data$y[1:30], 3, weights = data$w[1:30])$selected
  )
})

# ---- errors of samples left out ----------------------------------------------------------

# repeated samples stay in the fold of the one that they repeat
repeated_rows <- function(data) rep(seq_along(data$w), data$w)

test_that("cross-validation by weights is that of repeated samples kept in one fold", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  folds <- cbind(rep(1:4, length.out = 50), rep(1:5, each = 10))
  for (y in list(data$y, cbind(data$y, data$x[, 7]^2))) {
    y <- as.matrix(y)
    part <- function(rows) y[rows, , drop = FALSE]
    for (method in weighted_methods()) {
      cv <- cv_rowsparse(data$x, y, method = method, k = c(1, 3), foldid = folds, weights = data$w)
      long <- cv_rowsparse(
        data$x[rows, ], part(rows), method = method, k = c(1, 3), foldid = folds[rows, ]
      )
      expect_equal(cv$table, long$table, tolerance = 1e-7, info = method)
      expect_equal(cv$fold_error, long$fold_error, tolerance = 1e-7, info = method)
      expect_equal(cv$null_error, long$null_error, tolerance = 1e-9, info = method)
      expect_identical(cv$foldid[data$w > 0, ], folds[data$w > 0, ])
      expect_true(all(is.na(cv$foldid[data$w == 0, ])))
      expect_identical(selected(cv), selected(long))
    }
    one <- cv_rowsparse(data$x, y, k = 1:4, method = "cdlsr", foldid = folds[, 1], weights = data$w)
    long <- cv_rowsparse(
      data$x[rows, ], part(rows), k = 1:4, method = "cdlsr", foldid = folds[rows, 1]
    )
    expect_equal(one$table, long$table, tolerance = 1e-7)
    again <- cv_rowsparse(
      data$x, y, k = 1:4, method = "cdlsr", foldid = one$foldid, weights = 1e-7 * data$w
    )
    expect_equal(again$table, one$table, tolerance = 1e-7)
  }
  classes <- cv_rowsparse(data$x, data$classes, "cdlsr", k = 2, foldid = folds[, 1],
    weights = data$w
  )
  expect_output(print(classes), "share of wrong classes by weight")
})

test_that("the error is a mean by weight of fits by lm() with weights", {
  data <- weighted_data()
  data$w <- stats::runif(50) + 0.1
  folds <- rep(1:4, length.out = 50)
  all <- cv_rowsparse(data$x, data$y, method = "cdlsr", k = 9, foldid = folds, weights = data$w)
  named <- data.frame(y = data$y, data$x)
  errors <- vapply(1:4, function(fold) {
    out <- folds == fold
    plain <- stats::lm(y ~ ., named[!out, ], weights = data$w[!out])
    null <- stats::weighted.mean(data$y[!out], data$w[!out])
    c(
      stats::weighted.mean((data$y[out] - stats::predict(plain, named[out, ]))^2, data$w[out]),
      stats::weighted.mean((data$y[out] - null)^2, data$w[out])
    )
  }, c(0, 0))
  share <- as.vector(tapply(data$w, folds, sum)) / sum(data$w)
  mean <- sum(share * errors[1, ])
  expect_equal(drop(all$fold_error), errors[1, ], tolerance = 1e-7)
  expect_equal(all$table$error, mean, tolerance = 1e-7)
  expect_equal(all$table$se, sqrt(sum(share * (errors[1, ] - mean)^2) / 3), tolerance = 1e-7)
  expect_equal(all$null_error, sum(share * errors[2, ]), tolerance = 1e-9)
  # with all features selection changes nothing, and least squares are least squares
  both <- selection_error(data$x, data$y, 9, "cdlsr", foldid = folds, weights = data$w)
  expect_equal(both$table$inside, mean, tolerance = 1e-7)
  expect_equal(both$table$outside, mean, tolerance = 1e-7)
  expect_equal(both$table$inside_se, all$table$se, tolerance = 1e-7)
})

test_that("selection_error(), compare_methods() and tuning use the weights of each training set", {
  data <- weighted_data()
  rows <- repeated_rows(data)
  folds <- rep(1:4, length.out = 50)
  by_lm <- list(
    fit = function(x, y, weights = NULL) {
      stats::lm.wfit(cbind(1, x), y, or_one(weights, y))$coefficients
    },
    predict = function(model, newx) cbind(1, newx) %*% model
  )
  or_one <- function(weights, y) if (is.null(weights)) rep(1, length(y)) else weights
  pick <- function(x, y, k, weights = NULL) {
    weights <- or_one(weights, y)
    order(-abs(stats::cov.wt(cbind(y, x), weights, cor = TRUE)$cor[1, -1]))[seq_len(k)]
  }
  for (method in list("cdlsr", "pgd", pick)) {
    weighted <- selection_error(data$x, data$y, c(1, 3), method, foldid = folds, weights = data$w)
    long <- selection_error(data$x[rows, ], data$y[rows], c(1, 3), method, foldid = folds[rows])
    expect_equal(weighted$table, long$table, tolerance = 1e-7)
    expect_equal(weighted$null_error, long$null_error)
    other <- selection_error(data$x, data$y, c(1, 3), method, by_lm$fit, by_lm$predict,
      foldid = folds, weights = data$w
    )
    expect_equal(other$table, long$table, tolerance = 1e-7)
  }
  expect_true(all(is.na(weighted$foldid[data$w == 0])))
  classes <- selection_error(data$x, data$classes, 2, "cdlsr", foldid = folds, weights = data$w)
  again <- selection_error(data$x, data$classes, 2, "cdlsr", foldid = folds, weights = 9 * data$w)
  expect_equal(classes$table, again$table, tolerance = 1e-7)
  long <- selection_error(data$x[rows, ], data$classes[rows], 2, "cdlsr", foldid = folds[rows])
  expect_identical(classes$selected, long$selected)
  expect_equal(classes$null_measures, long$null_measures)

  compared <- function(x, y, folds, ...) {
    set.seed(2)
    compare_methods(x, y, methods = c("cdlsr", "pgd"), k = c(1, 3), random = 2, criterion = "error",
      data = "d", foldid = folds, ...
    )
  }
  shown <- c("data", "method", "k", "folds", "error", "se")
  short <- as.data.frame(unclass(compared(data$x, data$y, folds, weights = data$w)))
  long <- as.data.frame(unclass(compared(data$x[rows, ], data$y[rows], folds[rows])))
  expect_equal(short[shown], long[shown], tolerance = 1e-7)
  several <- compare_methods(list(d = list(x = data$x, y = data$y, weights = data$w)),
    methods = list(pick = function(x, y, weights) pick(x, y, 3, weights)), k = 3,
    criterion = "error"
  )
  expect_true(is.finite(several$error))

  tuned <- function(x, y, folds, ...) {
    set.seed(3)
    table <- tune_rowsparse(x, y, method = "cdlsr", k = 1:3, criterion = "error", subsamples = 2,
      fraction = 1, foldid = folds, ...
    )$table
    table$error
  }
  short <- tuned(data$x, data$y, folds, weights = data$w)
  expect_equal(short, tuned(data$x[rows, ], data$y[rows], folds[rows]), tolerance = 1e-7)
})

test_that("weights that a step does not take are refused", {
  data <- weighted_data()
  x <- data$x
  y <- data$y
  w <- data$w
  expect_refused(
    cv_rowsparse(x, y, method = "ftest", weights = w), "argument", "cdlsr(), pgd() take them"
  )
  expect_refused(cv_rowsparse(x, y, method = "rfs", weights = w), "argument", "rfs does not")
  expect_refused(
    cv_rowsparse(x, y, method = "cdlsr", weights = 1:3), "length", "one number per sample (50)"
  )
  expect_refused(cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = -w), "range", "`weights`")
  expect_refused(
    cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = rep(0, 50)), "range", "0 above 0"
  )
  expect_refused(cv_rowsparse(x, y[-1], k = 1:2, method = "cdlsr", weights = w), "length", "`y`")
  expect_refused(cv_rowsparse("x", y, k = 1:2, method = "cdlsr", weights = w), "type", "`x`")
  expect_refused(cv_rowsparse("x", y, method = "ftest"), "type", "`x`")
  expect_refused(selection_error("x", y, 2, "cdlsr", weights = w), "type", "`x`")
  expect_refused(
    cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = w, foldid = 1:7), "length", "`foldid`"
  )
  expect_refused(
    cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = w, block = rep(1:2, 25)), "argument",
    "`block`"
  )
  expect_refused(selection_error(x, y, 2, "css", weights = w), "argument", "css does not")
  expect_refused(
    selection_error(x, y, 2, function(x, y, k) seq_len(k), weights = w), "argument", "`method`"
  )
  expect_refused(
    selection_error(x, y, 2, "cdlsr", weights = w, fit = function(x, y) 1, predict = identity),
    "argument", "`fit` must be a function with an argument `weights`"
  )
  expect_refused(
    compare_methods(x, y, methods = c("cdlsr", "css"), k = 2, criterion = "error", weights = w),
    "argument", "css does not"
  )
  expect_refused(
    compare_methods(x, y, methods = list(one = function(x, y) 1:3), k = 2, criterion = "error",
      weights = w),
    "argument", "`methods$one`"
  )
})

test_that("balanced weights give every class the same weight together", {
  set.seed(12)
  y <- factor(rep(c("a", "b", "c"), c(30, 8, 4)))
  x <- matrix(rnorm(42 * 6), 42)
  x[, 2] <- x[, 2] + as.integer(y)
  by_class <- (42 / 3 / table(y))[as.integer(y)]
  own <- as.vector(by_class)
  expect_equal(vapply(split(own, y), sum, 0), c(a = 14, b = 14, c = 14))
  balanced <- cdlsr(x, y, 2, weights = "balanced")
  expect_equal(balanced$objective, cdlsr(x, y, 2, weights = own)$objective)
  expect_equal(
    rowsparse(x, y, k = 2, method = "cdlsr", weights = "balanced")$objective, balanced$objective
  )
  expect_equal(moments(x, y, weights = "balanced"), moments(x, y, weights = own))
  set.seed(1)
  cv <- cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = "balanced", folds = 4)
  set.seed(1)
  expect_equal(cv$points, cv_rowsparse(x, y, k = 1:2, method = "cdlsr", weights = own,
    folds = 4
  )$points)
  expect_error(cdlsr(x, rnorm(42), 2, weights = "balanced"), class = "rowsparse_error_type")
  expect_error(moments(x, weights = "balanced"), class = "rowsparse_error_type")
})
