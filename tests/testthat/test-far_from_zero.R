# Features far from zero, beside their deviations. Whole numbers plus a power of two are exact,
# so the cross-products must be those of the small numbers alone.

far_data <- function(exponent, n = 60L, d = 8L) {
  small <- matrix(sample(-300:300, n * d, TRUE), n) + 0
  off <- 2^exponent * rep_len(c(1, -1, 3), d)
  x <- sweep(small, 2, off, "+")
  stopifnot(identical(sweep(x, 2, off), small))
  list(x = x, small = small, sparse = methods::as(Matrix::Matrix(x, sparse = TRUE), "dgCMatrix"))
}

products_of <- function(data) {
  if (data$kind == "moments") {
    data$S * tcrossprod(or_default(data$weight, rep(1, data$d)))
  } else {
    c_call("C_gram", unclass(data))
  }
}

expect_products <- function(data, truth, info) {
  size <- sqrt(diag(truth))
  expect_lt(max(abs(products_of(data) - truth) / outer(size, size)), 1e-14, label = info)
  expect_equal(data$square, diag(truth), tolerance = 1e-14, label = info)
}

pieces <- function(x, parts, level = NULL, ...) {
  Reduce(`+`, lapply(parts, function(rows) {
    moments(x[rows, ], block = if (!is.null(level)) level[rows], ...)
  }))
}

core_ends_here()

test_that("cross-products and sums of squares hold far from zero, for every kind of data", {
  set.seed(1)
  # the first rows have none of the level "c", whose mean comes from later ones alone
  level <- factor(c(rep(c("a", "b"), 10), rep(c("a", "b", "c", "c"), 10)))
  parts <- list(1:20, 21:45, 46:60)
  for (exponent in c(30, 43)) {
    far <- far_data(exponent)
    truth <- crossprod(sweep(far$small, 2, colMeans(far$small)))
    within <- crossprod(apply(far$small, 2, function(z) z - ave(z, level)))
    for (x in list(far$x, far$sparse)) {
      whole <- list(x, row_blocks(x, rows = 7), moments(x), moments(row_blocks(x, rows = 7)),
        pieces(x, parts)
      )
      for (one in whole) expect_products(as_data(one), truth, paste(class(one)[1], exponent))
      for (one in whole[1:2]) {
        expect_products(as_data(one, block = level), within, paste(class(one)[1], "in levels"))
      }
      levels <- list(moments(x, block = level), moments(row_blocks(x, rows = 7), block = level),
        pieces(x, parts, level)
      )
      for (one in levels) expect_products(as_data(one), within, "moments in levels")
    }
  }
})

test_that("weighted ones do", {
  far <- from_seed(2, far_data(38))
  weights <- sample(1:4, 60, TRUE)
  centred <- sweep(far$small, 2, colSums(far$small * weights) / sum(weights)) * sqrt(weights)
  expect_products(as_data(far$x, weights = weights), crossprod(centred), "weights")
  both <- moments(far$x[1:25, ], weights = weights[1:25]) +
    moments(far$x[26:60, ], weights = weights[26:60])
  expect_products(as_data(both), crossprod(centred), "moments with weights")
  alone <- rowsparse:::pool_means(list(mean = matrix(2^60)), list(mean = matrix(1)), 1)
  expect_identical(alone$mean, matrix(1))
})

test_that("products with a response do, and a sketch", {
  far <- from_seed(3, far_data(38))
  y <- far$small[, 1] - far$small[, 2] + sample(-9:9, 60, TRUE)
  both <- moments(far$x[1:25, ], y[1:25] + 2^40) + moments(far$x[26:60, ], y[26:60] + 2^40)
  centred <- sweep(far$small, 2, colMeans(far$small))
  expect_equal(unname(both$Sxy), unname(crossprod(centred, y - mean(y))), tolerance = 1e-12)
  expect_equal(drop(both$Syy), sum((y - mean(y))^2), tolerance = 1e-13)
  sketch <- moments(row_blocks(far$x, rows = 7), rank = 8)
  expect_lt(max(abs(crossprod(sketch$factor) - crossprod(centred))),
    1e-12 * max(colSums(centred^2)))
})

test_that("what rounding leaves of constant features counts for nothing", {
  x <- from_seed(6, cbind(6e17 + 400 * matrix(rnorm(80), 40), matrix(rnorm(240), 40)))
  rest <- x[, -(1:2)]
  fits <- function(x, scale) {
    lapply(list(x, row_blocks(x, rows = 7), moments(x)), function(one) {
      without_constant_warning(fspca(one, 3, 2, solver = "exact", scale = scale))
    })
  }
  for (scale in c(FALSE, TRUE)) {
    alone <- fspca(rest, 3, 2, solver = "exact", scale = scale)
    for (fit in fits(x, scale)) {
      expect_setequal(fit$selected, alone$selected + 2L)
      expect_equal(fit$captured, alone$captured)
      expect_true(all(fit$loadings[1:2, ] == 0))
      if (scale) expect_equal(fit$scale, c(1, 1, alone$scale))
    }
  }
})
