# Penalties on the rows of groups of features: objectives recomputed in plain R.

group_problem <- function(seed) {
  set.seed(seed)
  group <- rep(letters[1:8], c(1, 2, 3, 2, 4, 1, 2, 3))
  d <- length(group)
  x <- matrix(rnorm(40 * d), 40) %*% chol(0.3 + 0.7 * diag(d))
  x <- x + outer(rep(c(0, 2), 20), (group %in% c("c", "e")) + 0)
  order <- sample(d)
  list(x = x[, order], group = group[order], y = factor(rep(c("u", "v"), 20)))
}

norms_of <- function(W, group) sqrt(tapply(rowSums(W^2), group, sum))

# all rows of a group are zero or none
expect_whole_groups <- function(W, group) {
  share <- tapply(rowSums(W^2) > 0, group, mean)
  testthat::expect_true(all(share %in% c(0, 1)))
}

never_rises <- function(objective) all(diff(objective) <= 1e-8 * max(abs(objective)))

penalised_calls <- list(
  bsufs = function(p, ...) bsufs(p$x, m = 2, ...),
  fen_pcafs = function(p, ...) fen_pcafs(p$x, m = 2, ...),
  spcafs = function(p, ...) spcafs(p$x, m = 2, ...),
  udfs = function(p, ...) udfs(p$x, m = 2, ...),
  sogfs = function(p, ...) sogfs(p$x, m = 2, ...),
  slap = function(p, ...) slap(p$x, p$y, m = 2, ...),
  cspca = function(p, ...) cspca(p$x, ...), aw_spca = function(p, ...) aw_spca(p$x, ...)
)

core_ends_here()

test_that("scores are the norms of the rows of groups", {
  p <- group_problem(1)
  for (name in names(penalised_calls)) {
    fit <- suppressWarnings(penalised_calls[[name]](p, groups = p$group))
    expect_s3_class(fit, name)
    expect_length(selected(fit, 3, groups = TRUE), 3)
    norms <- norms_of(fit$loadings, p$group)[fit$groups$label]
    if (!name %in% c("cspca", "aw_spca")) {
      found <- fit$groups$scores
      expect_equal(found[found > 0], c(norms)[found > 0], tolerance = 1e-6, info = name)
    }
    expect_false(is.unsorted(rev(fit$groups$scores[fit$groups$ranking])), info = name)
    # another problem than that of single rows
    plain <- suppressWarnings(penalised_calls[[name]](p))
    expect_false(isTRUE(all.equal(utils::tail(fit$objective, 1), utils::tail(plain$objective, 1))))
  }
})

test_that("bsufs() minimises with the norms of groups and zeroes them as a whole", {
  p <- group_problem(3)
  S <- crossprod(scale(p$x, scale = FALSE))
  fit <- bsufs(p$x, m = 2, lambda1 = 50, lambda2 = 0, beta2 = 100, normalize = FALSE, p = 1,
    groups = p$group
  )
  V <- fit$loadings
  value <- -sum(fit$W * (S %*% fit$W)) + 50 * sum(norms_of(V, p$group)) +
    50 * sum((fit$W - V)^2)
  expect_equal(utils::tail(fit$objective, 1), value, tolerance = 1e-8)
  expect_true(never_rises(fit$objective))
  expect_whole_groups(V, p$group)
  expect_true(any(fit$groups$scores == 0))
  # V is the proximal point of W
  norms <- norms_of(fit$W, p$group)
  shrunk <- fit$W * vapply(p$group, function(g) max(0, 1 - 0.5 / norms[[g]]), 0)
  expect_equal(V, shrunk, tolerance = 1e-2, ignore_attr = TRUE)
})

test_that("spcafs() and udfs() state the penalty of groups", {
  p <- group_problem(4)
  S <- crossprod(scale(p$x, scale = FALSE))
  fit <- spcafs(p$x, m = 2, lambda = 40, p = 1, normalize = FALSE, groups = p$group)
  value <- -sum(fit$loadings * (S %*% fit$loadings)) + 40 * sum(norms_of(fit$loadings, p$group))
  expect_equal(fit$penalised, value, tolerance = 1e-6)
  expect_true(never_rises(fit$objective))
  expect_lt(fit$kkt, 1e-2)
  minor <- udfs(p$x, m = 2, gamma = 1, lambda = 1, groups = p$group)
  plain <- udfs(p$x, m = 2, gamma = 1, lambda = 1)
  expect_true(never_rises(minor$objective))
  # at the other's W the penalty of groups is no better
  trace <- function(fit) fit$penalised - sum(sqrt(rowSums(fit$loadings^2)))
  own <- minor$penalised
  other <- trace(plain) + sum(norms_of(plain$loadings, p$group))
  expect_lte(own, other * (1 + 1e-6))
})

test_that("cspca() minimises the objective with the norms of groups", {
  p <- group_problem(5)
  x <- scale(p$x, scale = FALSE)
  fit <- cspca(p$x, lambda = 30, eta = 0, groups = p$group)
  omega <- fit$factor %*% t(fit$right)
  value <- function(W) sum(sqrt(rowSums((x - x %*% W)^2))) + 30 * sum(norms_of(W, p$group))
  expect_equal(utils::tail(fit$objective, 1), value(omega), tolerance = 1e-4)
  # a convex problem: no point near by is lower
  set.seed(1)
  for (step in c(1e-2, 1e-3)) {
    other <- omega + step * matrix(rnorm(length(omega)), nrow(omega))
    expect_gte(value(other), value(omega) * (1 - 1e-6))
  }
})
