near_eps <- c(0, 0.001, 0.01, 0.1, 0.3)

roles_of <- function(x, y, k, tolerance = near_eps, ridge = 0, include = integer(),
                     exclude = integer(), weights = NULL, sets = 100, selected = NULL,
                     seconds = 30) {
  data <- in_binary_units(as_data(x, TRUE, weights = weights))
  response <- prepare_response(data, x, y, units = TRUE)
  if (is.null(selected)) {
    selected <- quietly(cdlsr(x, y, k, ridge = ridge, include = include, exclude = exclude,
      weights = weights
    ))$selected
  }
  found <- subset_roles(
    list(
      method = "cdlsr", inner = lock_inside(data, include, exclude), response = response,
      settings = list(ridge = ridge_in_units(ridge, data))
    ), selected, tolerance, sets, function() seconds
  )
  list(found = found, total = response$total)
}

weighted_scale <- function(x, w) {
  x <- sweep(x, 2, colSums(x * w) / sum(w))
  n <- length(w)
  deviation <- sqrt(colSums(x^2 * w) / (sum(w) * (n - 1) / n))
  sweep(x, 2, ifelse(deviation > 0, deviation, 1), "/") * sqrt(w)
}

# of independent features, if there is no ridge
explained_by_sets <- function(x, y, k, ridge, include, exclude, w) {
  d <- ncol(x)
  Y <- sweep(as.matrix(y), 2, colSums(as.matrix(y) * w) / sum(w)) * sqrt(w)
  X <- rbind(weighted_scale(x, w), diag(sqrt(ridge), d))
  truth_of_sets(x, X, rbind(Y, matrix(0, d, ncol(Y))), k, include, exclude, 1e-9)
}

check_roles <- function(x, y, k, tolerance = near_eps, ridge = 0, include = integer(),
                        exclude = integer(), weights = NULL, ...) {
  w <- if (is.null(weights)) rep(1, nrow(x)) else weights
  truth <- explained_by_sets(x, y, k, ridge, include, exclude, w)
  got <- roles_of(x, y, k, tolerance, ridge, include, exclude, weights, ...)
  expect_roles(got$found, truth$roles, tolerance, truth$total / got$total)
  got$found
}

# copies, near copies and few dimensions among them
roles_problem_of <- function(n, d, c, kind, rank) {
  x <- matrix(stats::rnorm(n * d), n) + stats::rnorm(n)
  if (kind == 1) x[, 2] <- 3 * x[, 1] + 1
  if (kind == 2) x[, 2] <- x[, 1] + 1e-3 * stats::rnorm(n)
  if (kind == 3) x <- matrix(stats::rnorm(n * rank), n) %*% matrix(stats::rnorm(rank * d), rank)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + 0.5 * matrix(stats::rnorm(n * c), n)
  list(x = x, y = y)
}

random_roles <- function(sizes, features) {
  k <- features[sample.int(length(features), 1)]
  d <- sample(sizes, 1)
  n <- sample(c(k + 3L, 14L, 40L), 1)
  p <- roles_problem_of(n, d, sample(1:3, 1), sample(1:5, 1), k + 1)
  include <- if (k > 1 && stats::runif(1) < 0.25) sample(d, 1) else integer()
  exclude <- if (stats::runif(1) < 0.25) setdiff(sample(d, 1), include) else integer()
  check_roles(p$x, p$y, k,
    ridge = sample(c(0, 0, 1e-6, 1, 1e3, 1e6), 1), include = include, exclude = exclude,
    weights = if (stats::runif(1) < 0.2) sample(1:3, n, TRUE)
  )
}

test_that("roles, intervals, witnesses and counts are those of enumeration", {
  set.seed(71)
  for (i in 1:5) random_roles(7:10, 1:5)
  # too many features for a list of all sets at once: questions
  for (i in 1:2) random_roles(11:12, 6:7)
})

core_ends_here()

test_that("questions are asked where sets are not listed, and answered alike", {
  set.seed(74)
  p <- roles_problem_of(40, 13, 1, 5)
  listed <- check_roles(p$x, p$y, 6, ridge = 1)
  asked <- check_roles(p$x, p$y, 6, ridge = 1, sets = 0, selected = 8:13)
  expect_lt(asked$given, asked$value)
  expect_identical(listed$best, asked$best)
  expect_true(all(is.na(asked$count)))
})

test_that("without time nothing is claimed, and what is stated holds", {
  set.seed(79)
  p <- roles_problem_of(30, 12, 1, 4)
  truth <- explained_by_sets(p$x, p$y, 6, 1, integer(), integer(), rep(1, 30))
  got <- roles_of(p$x, p$y, 6, near_eps, 1, seconds = 0)
  expect_roles(got$found, truth$roles, near_eps, truth$total / got$total, decided = FALSE)
  expect_equal(got$found$status, "time_limit")
})

test_that("the error that is stated is that of the best set, also of one that the search meets", {
  sets <- utils::combn(6, 3)
  for (seed in 1:4) {
    set.seed(seed)
    x <- matrix(stats::rnorm(19 * 6), 19)
    # one row makes all columns nearly the same
    x[2, ] <- 1e6 * stats::runif(6, 0.5, 1)
    y <- stats::rnorm(19)
    value <- apply(sets, 2, function(set) {
      1 - sum(qr.resid(qr(cbind(1, x[, set]), tol = 1e-14), y)^2) / sum((y - mean(y))^2)
    })
    rows <- row_blocks(function(i) x[i, , drop = FALSE], rep(1L, 19))
    for (given in sample(20, 3)) {
      found <- alternatives(rows, sets[, given], y, method = "cdlsr", scale = FALSE,
        tolerance = c(0, 0.01, 0.5), seconds = 5
      )
      best <- value[colSums(matrix(sets %in% found$best, 3)) == 3]
      table <- found$features[order(found$features$index), ]
      price <- vapply(1:6, function(j) {
        max(1 - max(value[(colSums(sets == j) > 0) != table$best[j]]) / best, 0)
      }, 0)
      room <- 2 * found$error + 1e-8
      expect_true(all(table$price_least <= price + room & price <= table$price_most + room))
    }
  }
})
