# The copy U of W0 R carries lambda |.|^q: the sum that a turn lowers, in plain R.
turn <- function(W, lambda, q, beta = 1, enough = 1e-12, maxit = 500L, tau = 1e-3) {
  c_call("C_turn", W, list(
    lambda = lambda, q = q, beta = beta, tau = tau, enough = enough, maxit = maxit
  ))
}

best_copy <- function(W, lambda, q, beta) {
  matrix(prox_lq(as.vector(W), lambda / beta, q), nrow(W))
}

turn_value <- function(W, U, lambda, q, beta) {
  lambda * plain_penalty(U, q) + beta / 2 * sum((W - U)^2)
}

test_that("a turn stays in the span, and tells how far the sum fell", {
  set.seed(91)
  W <- orthonormal(30, 4)
  for (q in c(0, 0.5, 2 / 3, 1)) {
    for (beta in c(0.5, 3)) {
      lambda <- 0.02 * beta
      out <- turn(W, lambda, q, beta)
      expect_orthonormal(out$R)
      expect_equal(out$W, W %*% out$R, tolerance = 1e-10)
      before <- turn_value(W, best_copy(W, lambda, q, beta), lambda, q, beta)
      after <- turn_value(out$W, out$U, lambda, q, beta)
      expect_equal(before - after, out$gain, tolerance = 1e-8)
      expect_gt(out$gain, 0)
      # U is the proximal point of W where nothing moves any more
      expect_equal(after, turn_value(out$W, best_copy(out$W, lambda, q, beta), lambda, q, beta),
        tolerance = 1e-6
      )
    }
  }
})

test_that("the basis with few entries is found where the span has one", {
  set.seed(92)
  sparse <- matrix(0, 12, 3)
  sparse[cbind(1:12, rep(1:3, each = 4))] <- rnorm(12, 1, 0.2)
  sparse <- sweep(sparse, 2, sqrt(colSums(sparse^2)), "/")
  W <- sparse %*% orthonormal(3, 3)
  out <- turn(W, 0.02, 0.5)
  expect_lte(sum(abs(out$U) > 1e-8), 12)
  expect_equal(abs(crossprod(out$W, sparse)) > 0.5, abs(crossprod(out$W, sparse)) > 0.01)
})

test_that("two columns turn to the best angle of a fine grid, or stay at a local one", {
  set.seed(93)
  W <- orthonormal(8, 2)
  value <- function(angle, flip = 1) {
    R <- cbind(c(cos(angle), sin(angle)), flip * c(-sin(angle), cos(angle)))
    turn_value(W %*% R, best_copy(W %*% R, 0.05, 1, 1), 0.05, 1, 1)
  }
  values <- vapply(seq(0, pi / 2, length.out = 2001), value, 0)
  minima <- values[values <= c(Inf, values[-2001]) & values <= c(values[-1], Inf)]
  out <- turn(W, 0.05, 1, enough = 0, maxit = 3000L)
  reached <- turn_value(out$W, out$U, 0.05, 1, 1)
  expect_lt(min(abs(minima - reached)), 1e-5)
})
