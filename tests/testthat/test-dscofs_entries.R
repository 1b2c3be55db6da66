# dscofs(entries = s): W with k rows and at most s entries, orthonormal, in blocks

# the sizes of blocks into which m components may be divided
divisions <- list(list(1), list(c(1, 1), 2), list(c(1, 1, 1), c(2, 1), 3))

# the largest value of all features' places, by enumeration
best_in_blocks <- function(S, k, m, s) {
  best <- -Inf
  for (sizes in divisions[[m]]) {
    places <- as.matrix(expand.grid(rep(list(0:length(sizes)), nrow(S))))
    count <- vapply(seq_along(sizes), function(b) rowSums(places == b), numeric(nrow(places)))
    count <- matrix(count, nrow(places))
    allowed <- rowSums(count) == k & drop(count %*% sizes) <= s &
      colSums(t(count) >= sizes) == length(sizes)
    for (i in which(allowed)) {
      value <- sum(vapply(seq_along(sizes), function(b) {
        rows <- which(places[i, ] == b)
        sum(eigen(S[rows, rows, drop = FALSE], TRUE, TRUE)$values[seq_len(sizes[b])])
      }, 0))
      best <- max(best, value)
    }
  }
  best
}

expect_feasible <- function(fit, k, m, s) {
  expect_orthonormal(fit$W)
  expect_equal(unname(which(rowSums(fit$W != 0) > 0)), sort(fit$selected))
  expect_length(fit$selected, k)
  expect_lte(sum(fit$W != 0), s)
  # no feature serves two blocks
  used <- vapply(unique(fit$division), function(b) {
    rowSums(fit$W[, fit$division == b, drop = FALSE] != 0) > 0
  }, logical(nrow(fit$W)))
  expect_true(all(rowSums(used) <= 1))
  expect_length(fit$division, m)
}

core_ends_here()

test_that("every point is feasible, the value is that of W and never falls", {
  set.seed(91)
  for (size in list(c(50, 20), c(15, 40))) {
    x <- sample_matrix(size[1], size[2], rank = 7)
    S <- scatter(x)
    for (m in 1:3) {
      for (s in unique(round(seq(8, 8 * m, length.out = 3)))) {
        fit <- dscofs(x, 8, m, entries = s)
        expect_feasible(fit, 8, m, s)
        expect_true(fit$converged)
        value <- sum(fit$W * (S %*% fit$W))
        expect_equal(utils::tail(fit$objective, 1), -value * size[2] / sum(diag(S)))
        expect_true(all(diff(fit$objective) < 0))
        expect_equal(fit$captured, value / sum(diag(S)))
        expect_equal(fit$values, unname(diag(crossprod(fit$W, S %*% fit$W))))
        expect_lte(fit$captured, fit$polished$captured * (1 + 1e-9))
        expect_identical(fit$ranking[1:8], fit$selected)
        # stopped early it is feasible, too
        early <- suppressWarnings(dscofs(x, 8, m, entries = s, control = list(maxit = 1)))
        expect_feasible(early, 8, m, s)
        expect_gte(utils::tail(early$objective, 1), utils::tail(fit$objective, 1) - 1e-9)
      }
    }
  }
})

test_that("on tiny problems it is never above and mostly equal to the best of all", {
  set.seed(92)
  hits <- 0
  for (case in list(c(6, 4, 2, 4), c(6, 4, 2, 7), c(6, 4, 3, 6), c(6, 4, 3, 8), c(6, 5, 3, 5))) {
    for (trial in 1:4) {
      x <- sample_matrix(30, case[1], rank = 3)
      fit <- dscofs(x, case[2], case[3], entries = case[4], normalize = FALSE)
      best <- best_in_blocks(scatter(x), case[2], case[3], case[4])
      value <- -utils::tail(fit$objective, 1)
      expect_lte(value, best * (1 + 1e-9))
      expect_gte(value, 0.95 * best)
      hits <- hits + (value >= best * (1 - 1e-9))
    }
  }
  expect_gte(hits, 16)
})

test_that("at the ends of the range it is fspca() and one component for a feature", {
  set.seed(93)
  x <- sample_matrix(40, 25, rank = 6)
  whole <- dscofs(x, 7, 3, entries = 21)
  expect_setequal(whole$selected, fspca(x, 7, 3)$selected)
  expect_equal(whole$captured, fspca(x, 7, 3)$captured)
  expect_identical(whole$division, rep(1L, 3))
  apart <- dscofs(x, 7, 3, entries = 7)
  expect_equal(unname(rowSums(apart$W[apart$selected, ] != 0)), rep(1, 7))
  expect_identical(apart$division, 1:3)
  one <- dscofs(x, 7, 1, entries = 7)
  expect_setequal(one$selected, fspca(x, 7, 1)$selected)
  # m = k: a component for each of the largest variances
  each <- dscofs(x, 3, 3, entries = 3)
  expect_setequal(each$selected, order(-diag(scatter(x)))[1:3])
})

test_that("components of features that hang together are found", {
  set.seed(94)
  factors <- matrix(stats::rnorm(200 * 3), 200)
  x <- cbind(factors[, rep(1:3, each = 5)] + 0.3 * stats::rnorm(200 * 15),
    matrix(stats::rnorm(200 * 10), 200)
  )
  fit <- dscofs(x, 15, 3, entries = 15)
  expect_setequal(fit$selected, 1:15)
  block <- fit$division[max.col(fit$W[1:15, ] != 0)]
  expect_identical(match(block, unique(block)), rep(1:3, each = 5))
})

test_that("kinds of data, order of columns, starts, included and constant features", {
  set.seed(95)
  x <- sample_matrix(40, 20, rank = 6)
  x[abs(x) < 0.3] <- 0
  fit <- dscofs(x, 6, 3, entries = 9)
  for (other in list(Matrix::Matrix(x, sparse = TRUE), moments(x), x[, sample(20)], 100 * x)) {
    again <- dscofs(other, 6, 3, entries = 9)
    expect_setequal(selected(again), selected(fit))
    expect_equal(utils::tail(again$objective, 1), utils::tail(fit$objective, 1))
  }
  for (start in list("fspca", "leading", "random", fspca(x, 6, 3))) {
    alone <- dscofs(x, 6, 3, entries = 9, start = start)
    expect_feasible(alone, 6, 3, 9)
    expect_gte(utils::tail(alone$objective, 1), utils::tail(fit$objective, 1) - 1e-9)
  }
  last <- utils::tail(fit$ranking, 2)
  with <- dscofs(x, 6, 3, entries = 9, include = last, exclude = fit$selected[1])
  expect_true(all(last %in% with$selected))
  expect_false(fit$selected[1] %in% with$selected)
  expect_feasible(with, 6, 3, 9)
  expect_feasible(dscofs(x, 3, 3, entries = 3, include = 1:3), 3, 3, 3)
  expect_warning(few <- dscofs(cbind(1, x[, 1:4]), 3, 2, entries = 4),
    class = "rowsparse_warning_constant"
  )
  expect_false(1L %in% few$selected)
  expect_output(print(fit), "6 of 20 features")
  expect_identical(dim(coef(fit)), c(20L, 3L))
  expect_s3_class(rowsparse(x, k = 6, method = "dscofs", m = 3, entries = 9), "dscofs")
})
