block <- batches()

plain_products <- function(Z, set) {
  t <- if (is.null(set$t)) rep(1, nrow(Z)) else set$t
  e <- if (is.null(set$e)) rep(1, ncol(Z)) else set$e
  list(
    times = Z %*% set$W, crossprod = crossprod(Z, set$Y), rows = t(Z[set$rows, ]),
    row_products = tcrossprod(Z, Z[set$rows, ]), columns = Z[, set$columns],
    gram = crossprod(Z, t * Z), gram_subset = crossprod(Z[, set$columns], t * Z[, set$columns]),
    gram_samples = Z %*% (e * t(Z)), column_squares = colSums(Z^2),
    row_squares = drop(Z^2 %*% e),
    crossprod_first = crossprod(Z[, seq_len(set$first)], set$Y)
  )
}

test_that("every operation of every kind of data is centred within the levels", {
  set.seed(611)
  n <- 41
  d <- 12L
  block <- batches(n)
  set <- list(
    W = matrix(rnorm(d * 3), d), Y = matrix(rnorm(n * 3), n), rows = c(2L, 3L, 17L, 41L),
    columns = c(1L, 2L, 3L, 9L), first = 5L
  )
  weighted <- c(set, list(t = stats::runif(n), e = c(0, stats::runif(d - 1))))
  for (sparse in c(FALSE, TRUE)) {
    x <- shifted(n, d, block, sparse)
    for (scale in c(FALSE, TRUE)) {
      for (chosen in list(NULL, block)) {
        Z <- if (is.null(chosen)) scale(x, scale = FALSE) else within_levels(x, chosen)
        degrees <- n - max(1, nlevels(chosen))
        if (scale) Z <- sweep(Z, 2, sqrt(colSums(Z^2) / degrees), "/")
        Z <- unname(Z[, ])
        attributes(Z) <- list(dim = dim(Z))
        for (kind in kinds(x)) {
          data <- unclass(as_data(kind, scale, block = chosen))
          for (asked in list(set, weighted)) {
            found <- c_call("C_data_products", data, asked, 8L)
            # columns in memory can leave out the last features
            expect_identical(found$stride, if (inherits(kind, "rowsparse_blocks")) d else 5L)
            expected <- plain_products(Z, asked)
            expect_equal(found[names(expected)], expected, tolerance = 1e-11)
          }
        }
      }
    }
  }
})

core_ends_here()

test_that("statistics and constant features are those within levels, with n - levels degrees", {
  x <- from_seed(613, shifted(sparse = TRUE))
  means <- rowsum(x, block) / as.vector(table(block))
  for (kind in kinds(x)) {
    data <- as_data(kind, block = block)
    expect_equal(data$square, colSums(within_levels(x, block)^2), tolerance = 1e-12)
    expect_equal(data$deviation^2, data$square / (41 - 4), tolerance = 1e-12)
    expect_equal(data$mean, colMeans(x), tolerance = 1e-12)
    expect_equal(data$block$mean, unname(means), tolerance = 1e-12)
    expect_identical(data$block$levels, levels(block))
    expect_identical(data$block$code, as.integer(block))
    expect_identical(degrees_of_freedom(data), 37L)
    expect_identical(largest_dimension(data), 12L)
  }
  x <- from_seed(614, shifted())
  x[, 4] <- c(0.1, 1e6 / 3, -7, 0)[block]
  x[, 5] <- 0
  for (kind in kinds(x)) {
    expect_warning(data <- as_data(kind, block = block), class = "rowsparse_warning_constant")
    expect_identical(which(data$constant), 4:5)
    expect_identical(data$square[4:5], c(0, 0))
  }
  expect_refused(as_data(x[, 4:5], block = block), "constant", "within levels of `block`")
})

test_that("what is no block, and a response that does not vary within the levels, is refused", {
  x <- from_seed(617, shifted())
  refused <- function(block, class, told) expect_refused(as_data(x, block = block), class, told)
  refused(block[-1], "length", "one entry per sample (41); got 40")
  refused(replace(block, 3, NA), "nonfinite", "1 of them, the first at 3")
  refused(rep("only", 41), "block", "at least two levels; got one level, \"only\"")
  refused(replace(as.character(block), 5, "lone"), "block", "got one of level \"lone\"")
  refused(matrix(1:41, 1), "type", "must be a vector of labels")
  refused(list(mean), "type", "must hold factors")
  expect_refused(as_data(moments(x), block = block), "block", "moments carry their own")
  x <- from_seed(633, shifted())
  expect_refused(cdlsr(x, as.integer(block) / 3, k = 2, block = block), "constant",
    "must vary within the levels of `block`"
  )
  nested <- ifelse(block == "a", "own", rep_len(c("p", "q"), 41))
  expect_refused(cdlsr(x, nested, k = 2, block = block), "constant", "column 1 (\"own\")")
})

# ---- moments ------------------------------------------------------------------------

plain_moments <- function(x, y, block) {
  size <- as.vector(table(block))
  list(
    n = nrow(x), mean = colMeans(x), S = crossprod(within_levels(x, block)),
    Sxy = crossprod(within_levels(x, block), within_levels(y, block)),
    Syy = crossprod(within_levels(y, block)), size = as.double(size),
    level_mean = rowsum(x, block) / size, y_level_mean = rowsum(y, block) / size
  )
}

expect_moments <- function(found, plain) {
  expect_equal(found$n, plain$n)
  expect_equal(unname(found$mean), unname(plain$mean), tolerance = 1e-12)
  for (name in c("S", "Sxy", "Syy")) {
    expect_equal(unname(found[[name]]), unname(plain[[name]]), tolerance = 1e-11)
  }
  expect_identical(found$block$size, plain$size)
  expect_equal(unname(found$block$mean), unname(plain$level_mean), tolerance = 1e-12)
  expect_equal(unname(found$block$y_mean), unname(plain$y_level_mean), tolerance = 1e-12)
}

test_that("moments with a block are pooled within the levels, and pieces of these levels add up", {
  set.seed(621)
  for (sparse in c(FALSE, TRUE)) {
    x <- shifted(sparse = sparse)
    y <- cbind(a = stats::rnorm(41), b = as.integer(batches()) + stats::rnorm(41))
    plain <- plain_moments(x, y, block)
    whole <- moments(x, y, block)
    expect_moments(whole, plain)
    expect_moments(moments(kinds(x)$sparse, y, block), plain)
    expect_moments(moments(kinds(x)$blocks, y, block), plain)
    # pieces lack levels, or have one sample of one
    pieces <- split(seq_len(41), cut(seq_len(41), c(0, 3, 20, 41)))
    parts <- lapply(pieces, function(rows) {
      moments(x[rows, , drop = FALSE], y[rows, , drop = FALSE], block[rows])
    })
    expect_moments(Reduce(`+`, parts), plain)
    expect_moments(Reduce(`+`, rev(parts)), plain)
  }
  expect_output(print(whole), "Moments of 41 samples, 4 levels, 12 features, 2 numeric responses")
  expect_equal(as.data.frame(whole)$variance, unname(diag(plain$S)) / 37)
  expect_null(summary(parts[[1]])$shares)
  x <- from_seed(622, shifted())
  with_block <- moments(x, block = block)
  expect_refused(with_block + moments(x), "type", "different levels of the block")
  expect_refused(with_block + moments(x, block = factor(block, rev(levels(block)))), "type",
    "different levels of the block"
  )
  changed <- with_block
  for (bad in list(5, list(), utils::modifyList(with_block$block, list(levels = 1:4)),
                   utils::modifyList(with_block$block, list(mean = matrix(0, 4, 11))))) {
    changed$block <- bad
    expect_refused(css(changed, k = 2), "type", "parts that do not go together")
  }
  lone <- moments(x[1:7, ], block = block[1:7])
  expect_refused(css(lone, k = 2), "block", "two samples of each level")
})

# ---- new samples --------------------------------------------------------------------

test_that("predictions take off the means of the levels that are given, else the overall ones", {
  x <- from_seed(631, shifted())
  colnames(x) <- paste0("f", 1:12)
  fit <- bsufs(x, m = 2, block = block)
  V <- fit$loadings
  expect_identical(fit$block$levels, levels(block))
  expect_equal(predict(fit, x, type = "components", block = block), within_levels(x, block) %*% V,
    ignore_attr = TRUE, tolerance = 1e-10
  )
  expect_equal(predict(fit, x, type = "components"), scale(x, scale = FALSE) %*% V,
    ignore_attr = TRUE, tolerance = 1e-10
  )
  # of new samples in another order, and with fewer levels
  some <- c(9, 2, 3)
  expect_equal(predict(fit, x[some, ], type = "components", block = as.character(block[some])),
    (within_levels(x, block) %*% V)[some, ], ignore_attr = TRUE, tolerance = 1e-10
  )
  # those that the fit does not know have the overall means
  at <- which(block == "a")[1]
  expect_message(mixed <- predict(fit, x[c(at, 5, 7), ], type = "components",
    block = c("a", "new", "more")
  ), "overall means serve for \"more\", \"new\"", class = "rowsparse_message_block")
  centred <- rbind(within_levels(x, block)[at, ], scale(x, scale = FALSE)[c(5, 7), ])
  expect_equal(mixed, centred %*% V, ignore_attr = TRUE, tolerance = 1e-10)
  expect_refused(predict(fit, x, k = 2, block = block), "argument", "not for type")
  expect_refused(predict(bsufs(x, m = 2), x, type = "components", block = block), "argument",
    "is for fits that were given a factor"
  )
})

test_that("regressions within levels are those with an intercept for each", {
  x <- from_seed(632, shifted())
  y <- drop(x %*% c(1, -1, rep(0, 10))) + 5 * as.integer(block) + stats::rnorm(41) / 10
  plain <- stats::lm(y ~ x[, 1:2] + block)
  for (fit in list(cdlsr(x, y, k = 2, block = block), cdlsr(moments(x, y, block), k = 2))) {
    expect_setequal(fit$selected, 1:2)
    expect_equal(unname(coef(fit)[2:3, ]), unname(coef(plain)[2:3]), tolerance = 1e-8)
    expect_equal(unname(drop(predict(fit, x, type = "response", block = block))),
      unname(stats::fitted(plain)), tolerance = 1e-8
    )
  }
})

test_that("the test of each feature is that of a linear model with the block", {
  x <- from_seed(634, shifted())
  type <- factor(rep_len(1:3, 41))
  fit <- ftest(x, type, block = block)
  plain <- vapply(1:12, function(j) {
    stats::anova(stats::lm(x[, j] ~ block), stats::lm(x[, j] ~ block + type))$F[2]
  }, 0)
  expect_equal(unname(fit$statistic), plain, tolerance = 1e-8)
  expect_equal(fit$degrees, c(2, 41 - 4 - 2))
})

# ---- parts of the samples -----------------------------------------------------------

test_that("samples alone in their level are left out, and drawn folds leave two of each level", {
  block <- c("a", "a", "b", "b", "c")
  expect_identical(rows_in_company(c(1L, 3L, 4L), block), 3:4)
  expect_null(block_of_rows(block, 3:4))
  expect_identical(rows_in_company(1:5, block), 1:4)
  expect_identical(block_of_rows(block, 1:4), block[1:4])
  expect_identical(rows_in_company(c(1L, 3L), block), c(1L, 3L))
  expect_null(block_of_rows(block, c(1L, 3L)))
  set.seed(642)
  block <- factor(rep(c("a", "b", "c"), c(3, 17, 10)))
  class <- factor(c("x", "y", "z", rep_len(c("x", "y"), 13), "z", rep_len(c("y", "x"), 13)))
  numbers <- cbind(stats::rnorm(30))
  for (y in list(class, numbers, cbind(numbers, numbers^2))) {
    for (count in c(3, 5, 10)) {
      folds <- drawn_folds(count, as_response(y, 30L), 30L, block)
      expect_setequal(folds, seq_len(count))
      for (fold in seq_len(count)) {
        expect_gte(min(table(block[folds != fold])), 2)
        if (is.factor(y)) expect_true(all(table(y[folds != fold]) > 0))
        expect_lte(diff(range(table(folds))), 1)
      }
    }
  }
  expect_refused(drawn_folds(2, as_response(class, 30L), 30L, block), "block", "at least 4 samples")
})
