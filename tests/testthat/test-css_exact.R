# What css(solver = "exact") proves, against enumeration in plain R.

# the largest share that k columns explain, and the sum of squares it is of; only sets whose
# features keep more than `least` of their squares when the others are projected out
best_columns <- function(x, k, m = Inf, include = integer(), scale = FALSE, least = 1e-8) {
  xc <- centred(x, scale)
  length <- sqrt(colSums(xc^2))
  Y <- if (is.finite(m)) xc %*% svd(xc)$v[, seq_len(m), drop = FALSE] else xc
  sets <- utils::combn(ncol(x), k)
  holds <- apply(sets, 2, function(set) all(include %in% set))
  values <- apply(sets[, holds, drop = FALSE], 2, function(set) {
    s <- svd(sweep(xc[, set, drop = FALSE], 2, length[set], "/"))
    inverse <- rowSums(sweep(s$v, 2, s$d, "/")^2)
    if (min(s$d) <= 0 || max(inverse) * least >= 1) -1 else sum(crossprod(s$u, Y)^2)
  })
  list(value = max(values), total = sum(Y^2))
}

last_objective <- function(fit) utils::tail(fit$path$objective, 1)

# the claims of a fit; `room` is a share of the total
expect_true_claims <- function(fit, best, info, room = 3e-9) {
  room <- room * best$total
  lowest <- best$total - best$value
  testthat::expect_lte(fit$bound, lowest + room, label = info)
  testthat::expect_gte(fit$gap, 0)
  if (fit$status == "proved optimal") {
    testthat::expect_lte(last_objective(fit), lowest + room, label = info)
    testthat::expect_true(fit$proof$complete && fit$converged)
  } else {
    testthat::expect_match(fit$status, "^(time limit reached|not proved)", info = info)
    testthat::expect_false(fit$proof$complete || fit$converged)
  }
}

# hard on rounding, ties and rank
css_problem <- function(kind, n, d) {
  x <- matrix(stats::rnorm(n * d), n)
  switch(kind,
    plain = x,
    copies = {
      x[, 2] <- x[, 1] + 10^-stats::runif(1, 1, 5) * x[, 2]
      x[, d] <- x[, 3]
      x
    },
    ties = matrix(sample(0:2, n * d, TRUE), n) + rep(c(0, 1), length.out = n),
    rank = x %*% matrix(stats::rnorm(d * 3), d) %*% matrix(stats::rnorm(3 * d), 3) + 0.05 * x,
    units = x %*% diag(10^stats::runif(d, -3, 3))
  )
}

css_kinds <- c("plain", "copies", "ties", "rank", "units")

css_forms <- list(
  dense = identity,
  sparse = function(x) Matrix::Matrix(x, sparse = TRUE),
  moments = function(x) moments(x),
  blocks = function(x) row_blocks(x, rows = c(2, nrow(x) - 2))
)

test_that("the best subset of columns is that of enumeration", {
  set.seed(411)
  proved <- 0
  for (i in 1:120) {
    kind <- css_kinds[1 + i %% 5]
    form <- names(css_forms)[1 + (i %/% 5) %% 4]
    d <- sample(5:10, 1)
    n <- sample(c(6:9, 14, 30), 1)
    x <- css_problem(kind, n, d)
    if (any(apply(x, 2, stats::sd) == 0)) next
    k <- sample(min(6, n - 2, d - 1), 1)
    m <- if (i %% 3 == 0) sample(min(3, n - 2), 1) else Inf
    scale <- i %% 4 == 0
    include <- if (i %% 6 == 0 && k > 1) sample(d, sample(k - 1, 1))
    fit <- suppressWarnings(
      css(css_forms[[form]](x), k, m, solver = "exact", scale = scale, include = include)
    )
    best <- best_columns(x, k, m, include, scale)
    info <- paste(i, kind, form, n, d, k, m)
    if (best$value < 0) next
    expect_true_claims(fit, best, info)
    expect_length(fit$selected, k)
    expect_true(all(include %in% fit$selected))
    proved <- proved + (fit$status == "proved optimal")
  }
  expect_gte(proved, 95)
})

core_ends_here()

test_that("bounds hold when there was no time", {
  set.seed(412)
  for (i in 1:60) {
    kind <- css_kinds[1 + i %% 5]
    d <- sample(8:11, 1)
    n <- sample(c(9, 14, 30), 1)
    x <- css_problem(kind, n, d)
    if (any(apply(x, 2, stats::sd) == 0)) next
    k <- sample(3:6, 1)
    limit <- c(0, 0, 1e-4, 1e-3, 0.01, 0.05)[1 + i %% 6]
    fit <- suppressWarnings(css(x, k, Inf, solver = "exact", time_limit = limit))
    best <- best_columns(x, k)
    if (best$value < 0) next
    expect_true_claims(fit, best, paste(i, kind, n, d, k, limit))
  }
})

test_that("features that are left out are not there", {
  set.seed(413)
  x <- css_problem("plain", 20, 9)
  colnames(x) <- letters[1:9]
  fit <- css(x, 4, Inf, solver = "exact", exclude = c("b", "c"))
  alone <- css(x[, -(2:3)], 4, Inf, solver = "exact")
  expect_setequal(colnames(x)[fit$selected], colnames(x[, -(2:3)])[alone$selected])
  expect_equal(fit$bound, alone$bound)
  expect_equal(fit$status, "proved optimal")
})

test_that("groups of samples, permuted columns and rows: the same claim", {
  set.seed(414)
  x <- css_problem("rank", 24, 11)
  group <- rep(1:3, 8)
  within <- x - apply(x, 2, stats::ave, group)
  fit <- css(x, 4, Inf, solver = "exact", block = group)
  best <- best_columns(within, 4)
  expect_true_claims(fit, best, "within groups")
  expect_equal(fit$status, "proved optimal")
  first <- css(x, 4, Inf, solver = "exact")
  for (i in 1:4) {
    columns <- sample(11)
    again <- css(x[sample(24), columns], 4, Inf, solver = "exact")
    expect_equal(again$status, first$status)
    expect_equal(last_objective(again), last_objective(first), tolerance = 1e-8)
    expect_setequal(columns[again$selected], first$selected)
  }
})

test_that("the default is no worse than single exchanges and less than the proved best", {
  set.seed(416)
  x <- sample_matrix(40, 30, rank = 8, noise = 0.5)
  for (k in c(3, 5)) {
    default <- css(x, k, Inf)
    exact <- css(x, k, Inf, solver = "exact")
    expect_equal(exact$status, "proved optimal")
    expect_lte(exact$bound, last_objective(default) * (1 + 1e-9))
    expect_gte(last_objective(default), last_objective(exact) * (1 - 1e-9))
    expect_true(is.na(default$bound))
  }
})

test_that("the course of a proof is in the fit", {
  set.seed(417)
  x <- sample_matrix(60, 40, rank = 12, noise = 0.5)
  fit <- css(x, 4, Inf, solver = "exact")
  proof <- fit$proof
  expect_named(proof, c("complete", "resolved", "nodes", "seconds", "trace"))
  expect_named(proof$trace, c("seconds", "value", "bound"))
  count <- length(proof$trace$seconds)
  expect_gt(count, 1)
  expect_true(all(proof$trace$value <= proof$trace$bound + 1e-9))
  expect_true(all(diff(proof$trace$value) >= 0))
  expect_equal(proof$trace$value[count], fit$explained, tolerance = 1e-8)
  expect_gt(proof$nodes, 0)
  expect_warning(far <- css(x, 10, Inf, solver = "exact", time_limit = 0), "time limit reached")
  expect_match(far$status, "time limit reached, gap .*: bounds of so many features are far")
  expect_gt(far$gap, 0.01)
  expect_true(any(grepl("nodes", utils::capture.output(summary(fit)))))
})

test_that("sets that the data do not span are not called proved wrongly", {
  set.seed(418)
  x <- matrix(stats::rnorm(40), 8) %*% matrix(stats::rnorm(60), 5)
  expect_warning(fit <- css(x, 6, Inf, solver = "exact"), class = "rowsparse_warning_rank")
  expect_equal(fit$explained, 1)
  expect_equal(fit$gap, 0)
  expect_equal(css(x, 1, 1, solver = "exact")$status, "proved optimal")
  expect_equal(css(x[, 1, drop = FALSE], 1, Inf, solver = "exact")$status, "proved optimal")
})
