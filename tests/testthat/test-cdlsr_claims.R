# What cdlsr() claims, for every kind of input. Where columns nearly depend on each other the
# truth is known without more digits: x2 = x1 + 2^-40 u holds exactly for small whole numbers, and
# x1 and x2 explain together what x1 and u do.

near_pair <- function(n, others, exponent = -40) {
  whole <- function(m = 1) matrix(sample(-64:64, n * m, TRUE), n)
  first <- whole()
  hidden <- whole()
  list(
    x = cbind(first, first + 2^exponent * hidden, whole(others)), hidden = drop(hidden),
    y = drop(hidden) + sample(-9:9, n, TRUE) + 0
  )
}

# the lowest of sum(w r^2) over all sets of k columns of near_pair()
lowest_near_pair <- function(problem, k, w = rep(1, length(problem$y))) {
  value <- function(set) {
    z <- problem$x[, set, drop = FALSE]
    if (all(1:2 %in% set)) z[, match(2, set)] <- problem$hidden
    z <- cbind(1, z) * sqrt(w)
    sum(qr.resid(qr(z, tol = 1e-12), problem$y * sqrt(w))^2)
  }
  min(utils::combn(ncol(problem$x), k, value))
}

last_objective <- function(fit) utils::tail(fit$path$objective, 1)

core_ends_here()

test_that("row blocks prove what the same rows in one piece prove", {
  set.seed(2)
  x <- matrix(stats::rnorm(240), 30)
  x[1, ] <- x[1, ] * 1e6
  y <- stats::rnorm(30)
  best <- min(utils::combn(8, 2, function(set) {
    sum(qr.resid(qr(cbind(1, x[, set]), tol = 1e-14), y)^2)
  }))
  for (rows in c(30, 15, 7, 1)) {
    for (solver in c("exact", "exchange")) {
      fit <- cdlsr(row_blocks(x, rows = rows), y, 2, solver = solver)
      expect_equal(last_objective(fit), best, tolerance = 1e-8)
    }
    fit <- cdlsr(row_blocks(x, rows = rows), y, 2, solver = "exact")
    expect_true(fit$proof$complete)
    sparse <- row_blocks(Matrix::Matrix(x, sparse = TRUE), rows = rows)
    fit <- cdlsr(sparse, y, 2, solver = "exact")
    expect_equal(last_objective(fit), best, tolerance = 1e-8)
    expect_true(fit$proof$complete)
  }
})

test_that("blocks that do not fit into memory at once claim no proof that they cannot have", {
  skip_slow()
  set.seed(3)
  problem <- near_pair(3000, 398)
  data <- row_blocks(problem$x, rows = 1100)
  best <- lowest_near_pair(list(x = problem$x[, 1:8], hidden = problem$hidden, y = problem$y), 2)
  old <- options(rowsparse.memory = 38e6)
  on.exit(options(old))
  fit <- suppressWarnings(cdlsr(data, problem$y, 2, solver = "exact"))
  expect_false(fit$proof$complete)
  expect_lte(fit$bound, best * (1 + 1e-8))
  options(old)
  fit <- cdlsr(data, problem$y, 2, solver = "exact")
  expect_true(fit$proof$complete)
  expect_setequal(fit$selected, 1:2)
  expect_equal(last_objective(fit), best, tolerance = 1e-8)
})

test_that("nearly dependent pairs are proved in blocks, with weights, and with both", {
  set.seed(4)
  for (exponent in c(-20, -33, -40)) {
    for (i in 1:3) {
      problem <- near_pair(20, 5, exponent)
      w <- 10^stats::runif(20, -3, 4)
      for (k in 2:3) {
        best <- lowest_near_pair(problem, k)
        total <- sum((problem$y - mean(problem$y))^2)
        fit <- cdlsr(row_blocks(problem$x, rows = 6), problem$y, k, solver = "exact")
        expect_lt(abs(last_objective(fit) - best), 1e-9 * total)
        expect_true(fit$proof$complete)
        best <- lowest_near_pair(problem, k, w)
        total <- sum(w * (problem$y - stats::weighted.mean(problem$y, w))^2)
        fit <- cdlsr(problem$x, problem$y, k, solver = "exact", weights = w)
        expect_lt(abs(last_objective(fit) - best), 1e-9 * total)
        expect_true(fit$proof$complete)
        # exchanges may end elsewhere, but not below
        fit <- cdlsr(problem$x, problem$y, k, weights = w)
        expect_gt(last_objective(fit) - best, -1e-9 * total)
        # whole weights repeat samples, a factor in all of them changes nothing, columns may go
        times <- sample(0:3, 20, TRUE)
        rows <- rep(1:20, times)
        same <- cdlsr(problem$x[rows, ], problem$y[rows], k, solver = "exact")
        for (factor in c(1, 3e-7, 2^300)) {
          fit <- cdlsr(cbind(7 * problem$x[, 3]^2, problem$x), problem$y, k,
            solver = "exact", weights = factor * times, exclude = 1
          )
          expect_lt(abs(last_objective(fit) / factor - last_objective(same)), 1e-9 * total)
          expect_setequal(fit$selected - 1, same$selected)
          expect_true(fit$proof$complete)
        }
      }
    }
  }
})

test_that("the unit of the data changes nothing, whatever they are given as", {
  set.seed(5)
  x <- matrix(stats::rnorm(300), 30)
  y <- x[, 1] + x[, 2] + stats::rnorm(30)
  plain <- cdlsr(x, y, 2, scale = FALSE)
  w <- stats::runif(30)
  weighted <- cdlsr(x, y, 2, scale = FALSE, weights = w)
  for (exponent in c(-440, -63, 400)) {
    z <- x * 2^exponent
    forms <- list(z, Matrix::Matrix(z, sparse = TRUE), row_blocks(z, rows = 7))
    for (scale in c(TRUE, FALSE)) {
      fits <- lapply(forms, cdlsr, y, 2, solver = "exact", scale = scale)
      moments <- moments(z, y)
      fits <- c(fits, lapply(c("exact", "exchange", "cd"), function(solver) {
        cdlsr(moments, k = 2, solver = solver, scale = scale)
      }))
      for (fit in fits) {
        expect_setequal(fit$selected, plain$selected)
        expect_equal(fit$explained, plain$explained, tolerance = 1e-9)
        expect_equal(last_objective(fit), last_objective(plain), tolerance = 1e-9)
        expect_equal(coef(fit)[-1] * 2^exponent, coef(plain)[-1],
          tolerance = 1e-7, ignore_attr = TRUE
        )
        expect_equal(predict(fit, z), predict(plain, x), tolerance = 1e-7, ignore_attr = TRUE)
      }
      for (fit in Filter(function(fit) !is.na(fit$bound), fits)) {
        expect_true(fit$proof$complete)
        expect_equal(fit$bound, last_objective(plain), tolerance = 1e-8)
      }
    }
    fit <- cdlsr(z, y, 2, scale = FALSE, weights = w)
    expect_equal(last_objective(fit), last_objective(weighted), tolerance = 1e-9)
    fit <- cdlsr(moments(z, y, weights = w), k = 2, scale = FALSE)
    expect_equal(last_objective(fit), last_objective(weighted), tolerance = 1e-9)
  }
})

test_that("moments of parts far from zero state no more than they know", {
  set.seed(6)
  for (far in c(1e3, 1e6, 1e9)) {
    x <- matrix(stats::rnorm(40 * 6), 40) + far
    y <- stats::rnorm(40) + far / 2
    parts <- moments(x[1:13, ], y[1:13]) + moments(x[14:40, ], y[14:40])
    xc <- sweep(x, 2, colMeans(x))
    yc <- y - mean(y)
    for (k in 1:3) {
      best <- min(utils::combn(6, k, function(set) sum(qr.resid(qr(cbind(1, xc[, set])), yc)^2)))
      for (fit in list(
        suppressWarnings(cdlsr(parts, k = k, solver = "exact")),
        cdlsr(row_blocks(x, rows = 9), y, k, solver = "exact")
      )) {
        expect_lte(fit$bound, best + 1e-9 * sum(yc^2))
        if (fit$proof$complete) {
          expect_lte(last_objective(fit), best + 1e-9 * sum(yc^2))
          expect_gte(last_objective(fit), best - 1e-9 * sum(yc^2))
        }
      }
      # row blocks can be read again
      expect_true(fit$proof$complete)
    }
  }
})

test_that("fewer independent features than asked for prove something only from the data", {
  x <- outer(1:12, 1:6, function(i, j) (i %% 3 == 0) * j) + 0
  x[, 4:6] <- (1:12) %*% t(1:3)
  y <- sqrt(1:12)
  best <- sum(qr.resid(qr(cbind(1, x[, c(1, 4)])), y)^2)
  for (data in list(x, Matrix::Matrix(x, sparse = TRUE), row_blocks(x, rows = 5))) {
    fit <- suppressWarnings(cdlsr(data, y, 4, solver = "exact"))
    expect_true(fit$proof$complete)
    expect_equal(fit$bound, best, tolerance = 1e-9)
  }
  fit <- suppressWarnings(cdlsr(moments(x, y), k = 4, solver = "exact"))
  expect_false(fit$proof$complete)
  expect_lte(fit$bound, best)
  # but nothing explains more than everything
  fit <- suppressWarnings(cdlsr(moments(x, x[, 1] - x[, 4]), k = 4, solver = "exact"))
  expect_true(fit$proof$complete)
})

test_that("a bound beyond the objective is an error, not a gap of zero", {
  expect_error(
    lower_bound(list(bound = 1, resolved = TRUE), 10, 8, 1e-9),
    class = "rowsparse_error_internal"
  )
  expect_identical(lower_bound(list(bound = 3, resolved = TRUE), 10, 8, 1e-9), 7)
  expect_identical(lower_bound(list(bound = 2, resolved = TRUE), 10, 8 - 1e-12, 1e-9), 8 - 1e-12)
})

test_that("whatever the limit, there is a whole fit and what it states holds", {
  set.seed(7)
  n <- 60
  x <- matrix(stats::rnorm(n * 40), n)
  for (j in 2:40) x[, j] <- 0.6 * x[, j - 1] + 0.8 * x[, j]
  y <- rowSums(x[, seq(1, 40, 4)]) + 2 * stats::rnorm(n)
  total <- sum((y - mean(y))^2)
  rss <- function(set) sum(qr.resid(qr(cbind(1, x[, set])), y)^2)
  # what better searches of longer time found
  known <- vapply(c(2, 3, 6, 12), function(k) rss(cdlsr(x, y, k, search = "thorough")$selected), 0)
  forms <- list(
    dense = list(x, y), blocks = list(row_blocks(x, rows = 25), y), moments = list(moments(x, y)),
    weighted = list(x, y, weights = rep(1, n)), random = list(x, y, start = "random", starts = 3),
    given = list(x, y, start = rbind(1:2, 3:4))
  )
  for (limit in c(0, 0.05, 0.1, 1)) {
    for (name in names(forms)) {
      for (at in if (name == "given") 1 else 1:4) {
        k <- c(2, 3, 6, 12)[at]
        if (limit == 1 && at > 2) next
        fit <- suppressWarnings(do.call(cdlsr, c(forms[[name]], list(
          k = k, solver = "exact", time_limit = limit
        ))))
        expect_length(unique(fit$selected), k)
        expect_equal(last_objective(fit), rss(fit$selected), tolerance = 1e-8)
        expect_lte(fit$bound, known[at] + 1e-9 * total)
        expect_lte(fit$bound, last_objective(fit))
        expect_identical(fit$proof$complete, fit$status == "proved optimal")
        if (fit$proof$complete) expect_lte(last_objective(fit), known[at] + 1e-9 * total)
        expect_identical(utils::tail(fit$path$features, 1)[[1]], fit$selected)
        expect_setequal(which(coef(fit)[-1] != 0), fit$selected)
        expect_output(print(summary(fit)), "Objective")
      }
    }
  }
})

test_that("a search that stops in the middle of many nearly dependent features bounds them all", {
  set.seed(8)
  base <- matrix(stats::rnorm(40 * 12), 40)
  x <- cbind(base, base + 1e-6 * matrix(stats::rnorm(40 * 12), 40))
  y <- stats::rnorm(40)
  proved <- cdlsr(x, y, 4, solver = "exact", time_limit = 600)
  expect_true(proved$proof$complete)
  for (limit in 2^-(3:9)) {
    fit <- suppressWarnings(cdlsr(x, y, 4, solver = "exact", time_limit = limit))
    expect_lte(fit$bound, last_objective(proved) * (1 + 1e-9))
    expect_gte(last_objective(fit), last_objective(proved) * (1 - 1e-9))
  }
})

test_that("a bound without a feature to start from is one", {
  # units so far apart that no feature has a share in the relaxation
  set.seed(31)
  for (seed in 1:5) {
    x <- matrix(stats::rnorm(54), 6) %*% diag(10^c(-7, 5, 5, 6, -4, 0, 0, -5, 5))
    y <- stats::rnorm(6)
    for (data in list(moments(x, y), row_blocks(x, rows = c(3, 1, 1, 1)))) {
      fit <- suppressWarnings(cdlsr(data, if (!inherits(data, "rowsparse_moments")) y,
        k = 4, solver = "exact", ridge = 1e-19, scale = FALSE
      ))
      expect_lte(fit$bound, utils::tail(fit$objective, 1))
    }
  }
})
