exact_problem <- function(n, d, c) {
  x <- sample_matrix(n, d, rank = 6, noise = 1)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + 2 * matrix(stats::rnorm(n * c), n)
  list(x = x, y = y)
}

best_subset <- function(x, y, k, lambda = 0) {
  xs <- centred(x, TRUE)
  Y <- centred(y)
  A <- crossprod(xs) + lambda * diag(ncol(xs))
  B <- crossprod(xs, Y)
  explained <- apply(utils::combn(ncol(x), k), 2, function(set) {
    sum(B[set, ] * solve(A[set, set, drop = FALSE], B[set, , drop = FALSE]))
  })
  sum(Y^2) - max(explained)
}

test_that("branch and bound equals exhaustive search", {
  set.seed(31)
  for (i in 1:24) {
    k <- 1 + i %% 4
    n <- sample(c(8, 14, 30), 1)
    data <- exact_problem(n, sample(8:13, 1), c = sample(1:3, 1))
    lambda <- c(0, 1)[1 + i %% 2]
    fit <- cdlsr(data$x, data$y, k, method = "exact", lambda = lambda)
    best <- best_subset(data$x, data$y, k, lambda)
    expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-8)
    expect_true(fit$certificate$complete)
    expect_equal(fit$certificate$lower_bound, best, tolerance = 1e-7)
    expect_lte(fit$certificate$gap, 1e-7)
    expect_equal(fit$status, "proved optimal")
  }
})

test_that("the bounds prune: far fewer nodes than sets", {
  set.seed(32)
  # orthogonal features: the coherence bound is tight
  x <- qr.Q(qr(centred(matrix(stats::rnorm(60 * 30), 60))))
  y <- x[, 1:5] %*% 5:1 + 0.05 * stats::rnorm(60)
  fit <- cdlsr(x, y, 5, method = "exact")
  expect_true(fit$certificate$complete)
  expect_setequal(fit$selected, 1:5)
  expect_lt(fit$certificate$nodes, 100)
  # few features: all of those left together bound what some of them explain
  data <- exact_problem(50, 20, 1)
  fit <- cdlsr(data$x, data$y, 6, method = "exact")
  expect_equal(
    utils::tail(fit$path$objective, 1), best_subset(data$x, data$y, 6), tolerance = 1e-8
  )
  expect_lt(fit$certificate$nodes, choose(20, 5) / 4)
})

test_that("without time the gap is stated", {
  set.seed(33)
  data <- exact_problem(30, 60, 4)
  expect_warning(
    fit <- cdlsr(data$x, data$y, 4, method = "exact", time_limit = 0),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_match(fit$status, "gap")
  proved <- cdlsr(data$x, data$y, 4, method = "exact")
  best <- utils::tail(proved$path$objective, 1)
  expect_true(proved$certificate$complete)
  expect_lte(fit$certificate$lower_bound, best * (1 + 1e-9))
  expect_gte(fit$certificate$gap, 0)
  expect_gte(utils::tail(fit$path$objective, 1), best * (1 - 1e-9))
})

test_that("exact is never above exchange, for sparse data and moments too", {
  set.seed(34)
  for (i in 1:5) {
    data <- exact_problem(12, 40, 2)
    x <- data$x
    x[abs(x) < 1] <- 0
    exchanged <- cdlsr(x, data$y, 3)
    fit <- cdlsr(x, data$y, 3, method = "exact")
    expect_lte(utils::tail(fit$path$objective, 1), utils::tail(exchanged$path$objective, 1))
    sparse <- cdlsr(Matrix::Matrix(x, sparse = TRUE), data$y, 3, method = "exact")
    merged <- cdlsr(moments(x, data$y), k = 3, method = "exact")
    expect_equal(sparse$path$objective, fit$path$objective, tolerance = 1e-7)
    expect_equal(merged$path$objective, fit$path$objective, tolerance = 1e-7)
    expect_equal(fit$path$objective[3], sum((centred(data$y) -
      centred(predict(fit, x, type = "response")))^2), tolerance = 1e-8)
  }
})

test_that("the best known sets of SRBCT are proved for k = 1 and 2", {
  reference <- shared_reference("cdlsr")
  srbct <- shared_data("SRBCT")
  for (k in 1:2) {
    fit <- cdlsr(srbct$x, factor(srbct$y), k, method = "exact")
    expect_true(fit$certificate$complete)
    best <- reference$best_known$SRBCT[[as.character(k)]]
    expect_equal(utils::tail(fit$path$objective, 1), best, tolerance = 1e-6)
  }
})
