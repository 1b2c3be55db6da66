# least squares whose coefficients have signs, by bounds of L-BFGS-B
signed_objective <- function(z, y, set, sign, ridge) {
  z <- z[, set, drop = FALSE]
  y <- y - mean(y)
  stats::optim(0.1 * sign[set], function(b) sum((y - z %*% b)^2) + ridge * sum(b^2),
    function(b) drop(-2 * crossprod(z, y - z %*% b)) + 2 * ridge * b,
    method = "L-BFGS-B", lower = ifelse(sign[set] > 0, 0, -Inf),
    upper = ifelse(sign[set] < 0, 0, Inf), control = list(factr = 10)
  )$value
}

signed_data <- function() {
  set.seed(1)
  x <- matrix(rnorm(60 * 9), 60, dimnames = list(NULL, paste0("v", 1:9)))
  x[, 2] <- x[, 1] + 0.5 * x[, 2]
  list(x = x, y = drop(x %*% c(1, -1, 0.5, rep(0, 6))) + rnorm(60))
}

test_that("sets of every size are the best of those with such signs, and proved", {
  d <- signed_data()
  sign <- c(1, 1, 0, -1, 0, 1, 0, 1, 0)
  fit <- cdlsr(d$x, d$y, 4, ridge = 2, signs = sign)
  proved <- cdlsr(d$x, d$y, 1:4, "exact", ridge = 2, signs = sign)
  for (k in 1:4) {
    values <- combn(9, k, function(set) signed_objective(scale(d$x), d$y, set, sign, 2))
    expect_equal(fit$path$objective[k], min(values), tolerance = 1e-7)
    expect_equal(proved$path$objective[k], min(values), tolerance = 1e-7)
    expect_true(proved$path$proved[k])
    expect_true(all(coef(fit, k)[-1, ] * sign >= 0))
  }
  expect_equal(proved$bound, proved$path$objective[4], tolerance = 1e-6)
})

test_that("what belongs to a fit follows from its coefficients", {
  d <- signed_data()
  fit <- cdlsr(d$x, d$y, 3, ridge = 2, signs = 1)
  values <- cbind(1, d$x) %*% as.matrix(coef(fit))
  expect_equal(unname(predict(fit, d$x)), unname(values))
  expect_equal(deviance(fit), sum((d$y - values)^2))
  expect_equal(fit$explained, 1 - deviance(fit) / sum((d$y - mean(d$y))^2))
  same <- cdlsr(d$x, d$y, 3, ridge = 2, signs = rep(0, 9))
  expect_equal(coef(same), coef(cdlsr(d$x, d$y, 3, ridge = 2)))
  one <- cdlsr(d$x, d$y, 3, ridge = 2, signs = c(v1 = -1))
  expect_true(coef(one)["v1", ] <= 0)
  weights <- rep(0:2, 20)
  again <- rep(1:60, weights)
  expect_equal(coef(cdlsr(d$x, d$y, 3, ridge = 2, signs = 1, weights = weights)),
    coef(cdlsr(d$x[again, ], d$y[again], 3, ridge = 2, signs = 1))
  )
})

test_that("members without a coefficient are told, and what does not go is refused", {
  d <- signed_data()
  expect_warning(cdlsr(d$x, d$y, 9, ridge = 2, signs = 1), class = "rowsparse_warning_rank")
  refused <- function(...) expect_error(cdlsr(d$x, d$y, 2, ...), class = "rowsparse_error")
  refused(signs = 2)
  refused(signs = c(1, -1))
  refused(signs = c(none = 1))
  refused(signs = 1, solver = "cd")
  refused(signs = 1, solver = "exact")
  expect_error(cdlsr(d$x, cbind(d$y, d$y^2), 2, signs = 1), class = "rowsparse_error_type")
  expect_error(cdlsr(moments(d$x, d$y), k = 2, signs = 1), class = "rowsparse_error_type")
})
