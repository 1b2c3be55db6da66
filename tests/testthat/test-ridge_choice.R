ridge_data <- function(n = 60, d = 12, seed = 331) {
  x <- from_seed(seed, sample_matrix(n, d))
  list(x = x, y = drop(scale(x[, 1:2]) %*% c(2, -1)) + stats::rnorm(n))
}

data <- ridge_data()

# the folds of the choice: 1, ..., 5, 5, ..., 1 along the order of the response
snake_of <- function(y) {
  folds <- integer(length(y))
  folds[order(y)] <- rep_len(c(1:5, 5:1), length(y))
  folds
}

core_ends_here()

test_that("the errors are those of fits to the other folds, and the best ridge is taken", {
  folds <- snake_of(data$y)
  fit <- cdlsr(data$x, data$y, k = 3, ridge = "cv")
  squares <- vapply(c(3e-4, 0.003, 0.03, 0.3), function(share) {
    sum(vapply(1:5, function(fold) {
      out <- folds == fold
      fit <- cdlsr(data$x[!out, ], data$y[!out], k = 3, ridge = share * sum(!out), path = FALSE)
      sum((data$y[out] - predict(fit, data$x[out, ]))^2)
    }, 0))
  }, 0)
  null <- sum(vapply(1:5, function(fold) {
    sum((data$y[folds == fold] - mean(data$y[folds != fold]))^2)
  }, 0))
  choice <- fit$ridge_choice
  expect_equal(choice$errors$error, squares / null, tolerance = 1e-8)
  expect_equal(choice$share, choice$errors$share[which.min(squares)])
  expect_equal(fit$parameters$ridge, 60 * choice$share)
  expect_equal(coef(fit), coef(cdlsr(data$x, data$y, k = 3, ridge = fit$parameters$ridge)))
  expect_output(print(fit), "On samples left out: error 0[.][0-9]+, where the mean has 1 .5 folds")
  expect_output(print(summary(fit)), "by 5 folds: error on samples")
})

test_that("nothing is drawn, and neither units nor the order of the samples matter", {
  set.seed(9)
  before <- .Random.seed
  fit <- rowsparse(data$x, data$y, k = 3)
  expect_identical(.Random.seed, before)
  order <- sample(60)
  shuffled <- rowsparse(data$x[order, ], data$y[order], k = 3)
  expect_equal(shuffled$ridge_choice, fit$ridge_choice, tolerance = 1e-8)
  units <- rowsparse(sweep(data$x, 2, 10^(-5:6), "*"), 1e-70 * data$y, k = 3)
  expect_equal(units$ridge_choice, fit$ridge_choice, tolerance = 1e-8)
  expect_identical(units$selected, fit$selected)
})

test_that("samples that tie are dealt out by what they are, not by where they stand", {
  order <- from_seed(333, sample(60))
  columns <- sample(ncol(data$x))
  named <- c(a = "second", b = "first")[1 + (data$y > 0)]
  batch <- rep(c("u", "v", "w"), 20)
  turned <- data$x[order, columns] %*% diag(2^seq_along(columns))
  dealt <- function(y, x, ...) rowsparse:::dealt_folds(5L, rowsparse:::as_response(y, 60), x, ...)
  for (y in list(round(data$y), factor(named), factor(named, rev(sort(unique(named)))))) {
    folds <- dealt(y, data$x)
    expect_identical(dealt(y[order], turned), folds[order])
    expect_lte(diff(range(table(folds))), 1)
    expect_identical(dealt(y, methods::as(data$x, "CsparseMatrix")), folds)
    expect_identical(dealt(y[order], turned, batch[order]), dealt(y, data$x, batch)[order])
  }
  # nothing but ties: constant columns, and one value
  flat <- rowsparse:::ordered_folds(2L, rowsparse:::as_response(rep(1:2, 5), 10), matrix(1, 10, 2))
  expect_identical(sort(flat), rep(1:2, each = 5))
})

test_that("several responses are ordered by their first component, whatever its sign", {
  Y <- cbind(data$y, data$x[, 3], -data$y + data$x[, 4])
  first <- svd(scale(Y))$u[, 1]
  first <- first * sign(first[which.max(abs(first))])
  folds <- rowsparse:::ordered_folds(5L, rowsparse:::as_response(Y, 60), data$x)
  expect_identical(folds, as.integer(snake_of(first)))
  for (y in list(Y, data$y > 0)) {
    errors <- cdlsr(data$x, y, k = 3, ridge = "cv")$ridge_choice$errors$error
    expect_true(all(errors > 0) && min(errors) < 1)
  }
})

test_that("sparse data, weights, blocks, and features in and out are served", {
  chosen <- function(x, y = data$y, ...) cdlsr(x, y, k = 3, ridge = "cv", ...)
  holes <- data$x * (abs(data$x) >= 0.3)
  dense <- chosen(holes, exclude = 5, include = 7)
  sparse <- chosen(methods::as(holes, "CsparseMatrix"), exclude = 5, include = 7)
  expect_equal(sparse$ridge_choice, dense$ridge_choice, tolerance = 1e-6)
  expect_true(7 %in% dense$selected && !5 %in% dense$selected)
  weights <- rep(c(1.5, 0, 2), 20)
  kept <- weights > 0
  heavy <- chosen(data$x, weights = weights)
  some <- chosen(data$x[kept, ], data$y[kept], weights = 1e-5 * weights[kept])
  expect_equal(heavy$ridge_choice$errors$error, some$ridge_choice$errors$error, tolerance = 1e-8)
  expect_equal(heavy$parameters$ridge, 70 * heavy$ridge_choice$share)
  batch <- rep(c("p", "q"), 30)
  shift <- 10 * (batch == "p")
  shifted <- chosen(data$x + shift, data$y - 2 * shift, block = batch)
  expect_equal(shifted$selected, chosen(data$x, block = batch)$selected)
})

test_that("more features than samples, and responses that a fold does not have, are no obstacle", {
  data <- ridge_data(n = 20, d = 40)
  fit <- cdlsr(data$x, data$y, k = 30, ridge = "cv")
  expect_length(fit$selected, 30)
  rare <- c(1, rep(0, 19))
  expect_length(cdlsr(data$x, rare, k = 2, ridge = "cv")$selected, 2)
  # fewer and larger ridges where a fit takes long
  expect_identical(rowsparse:::ridge_grid(200, 10000)$folds, 3L)
})

test_that("one number per sample is served by cdlsr() where samples can be left out", {
  fit <- rowsparse(data$x, data$y, 3)
  expect_s3_class(fit, "cdlsr")
  expect_output(print(fit), "the default for a numeric response.:")
  expect_output(print(rowsparse(data$x[1:12, ], data$y[1:12], 7)), "few samples")
  expect_s3_class(rowsparse(row_blocks(data$x, rows = 20), data$y, 3), "alignment")
  expect_equal(rowsparse(data$x, data$y, k = 3, ridge = 0)$parameters$ridge, 0)
  expect_refused(cdlsr(moments(data$x, data$y), k = 3, ridge = "cv"), "type", "samples themselves")
  expect_refused(cdlsr(data$x, data$y, k = 3, ridge = "gcv"), "choice", "must be one of")
})

test_that("of thousands of features all folds grow by the same products, to the same sets", {
  x <- from_seed(332, matrix(rnorm(40 * 1100), 40))
  y <- drop(x[, 1:3] %*% c(3, -2, 2)) + rnorm(40) / 4
  batch <- rep(c("p", "q"), 20)
  folds <- snake_of(y - ave(y, batch))
  choice <- cdlsr(x, y, k = 3, ridge = "cv", block = batch)$ridge_choice
  squares <- vapply(c(3e-4, 0.003, 0.03, 0.3), function(share) {
    sum(vapply(1:5, function(fold) {
      out <- folds == fold
      fit <- cdlsr(x[!out, ], y[!out], k = 3, ridge = share * sum(!out), block = batch[!out])
      sum((y[out] - predict(fit, x[out, ], block = batch[out]))^2)
    }, 0))
  }, 0)
  expect_equal(choice$errors$error / choice$errors$error[1], squares / squares[1])
})
