# The score from an n x n matrix of weights, term by term
plain_lapscore <- function(x, W) {
  degree <- rowSums(W)
  apply(as.matrix(x), 2, function(f) {
    g <- f - sum(degree * f) / sum(degree)
    sum(g * (degree * g - W %*% g)) / sum(degree * g^2)
  })
}

test_that("scores are those of the formula, for every kind of weights", {
  x <- from_seed(1, matrix(rnorm(40 * 12), 40) + 5)
  for (weights in c("heat", "binary", "self_tuning", "can")) {
    fit <- lapscore(x, neighbours = 4, weights = weights)
    W <- embedded_weights(x, neighbours = 4, weights = weights)
    expect_equal(2 - unname(fit$scores), plain_lapscore(x, W), tolerance = 1e-10)
  }
  near <- as.matrix(dist(x))
  expect_equal(lapscore(x)$parameters$t, mean(near), tolerance = 1e-10)
})

core_ends_here()

test_that("classes as a graph give the Fisher score", {
  y <- rep(1:3, c(5, 7, 9))
  x <- from_seed(2, matrix(rnorm(21 * 4), 21))
  same <- outer(y, y, "==")
  # without self loops: cliques with weight 1 / (size - 1)
  W <- same / (as.vector(table(y))[y] - 1)
  diag(W) <- 0
  at <- which(t(W) > 0, arr.ind = TRUE)
  graph <- list(n = 21L, start = as.double(c(0, cumsum(rowSums(W > 0)))),
    index = unname(at[, 1]), weight = W[at[, 2:1]]
  )
  data <- rowsparse:::as_data(x)
  score <- c_call("C_roughness", unclass(data), graph)$relative
  expect_equal(score, plain_lapscore(x, W), tolerance = 1e-12)
  # D = I: f'Lf is sum over classes of size / (size - 1) times the sum of squares within
  within <- vapply(1:4, function(j) {
    sum(tapply(x[, j], y, function(v) var(v) * length(v)))
  }, 0)
  expect_equal(score, within / (20 * apply(x, 2, var)), tolerance = 1e-12)
})

test_that("weights that underflow are told", {
  x <- matrix(1000 * rnorm(40), 10)
  expect_warning(fit <- lapscore(x, t = 1e-3), class = "rowsparse_warning_isolated")
  expect_identical(fit$isolated, 10L)
  expect_false(fit$unique)
  expect_true(all(is.finite(fit$scores)))
  expect_identical(lapscore(x, neighbours = 10)$parameters$neighbours, 9L)
})
