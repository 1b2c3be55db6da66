# Proofs of sets by likelihoods against enumeration: losses, least values and sets in plain R

# minus the log likelihood of predictors h (n x q) but for a constant, and its gradient; y of cox:
# times and events
plain_losses <- list(
  gaussian = function(h, y) list(sum((h - y)^2) / 2, h - y),
  binomial = function(h, y) list(sum(log1p(exp(h)) - y * h), stats::plogis(h) - y),
  poisson = function(h, y) list(sum(exp(h) - y * h), exp(h) - y),
  multinomial = function(h, y) {
    list(sum(log(rowSums(exp(h))) - rowSums(y * h)), exp(h) / rowSums(exp(h)) - y)
  },
  cox = function(h, y) {
    risk <- outer(y[, 1], y[, 1], "<=") * rep(exp(h), each = nrow(y))
    events <- y[, 2]
    list(sum(events * (log(rowSums(risk)) - h)), colSums(events * risk / rowSums(risk)) - events)
  }
)

family_problem <- function(family, n = 30, d = 6) {
  x <- sample_matrix(n, d, rank = 2, noise = 1)
  h <- drop(scale(x[, 1] - x[, 2]))
  time <- ceiling(8 * stats::rexp(n, exp(h))) # some are tied
  y <- switch(family,
    gaussian = centred(matrix(h + stats::rnorm(n))),
    binomial = stats::rbinom(n, 1, stats::plogis(2 * h)),
    poisson = stats::rpois(n, exp(h)), cox = cbind(time, stats::rbinom(n, 1, 0.6)),
    multinomial = 1 * outer(max.col(cbind(h, -h, stats::rnorm(n))), 1:3, "==")
  )
  list(x = x, y = y, family = family, ridge = 2)
}

as_response <- function(p) {
  y <- as.matrix(p$y)
  falling <- order(-y[, 1])
  last <- vapply(y[falling, 1], function(t) sum(y[, 1] >= t), 1L)
  list(family = p$family, Y = if (p$family == "cox") y[, 2, drop = FALSE] else y + 0,
    order = falling, last = last
  )
}

# the least penalised loss on some columns, coefficients within their signs
least_loss <- function(p, x, sign = numeric(ncol(x))) {
  q <- if (p$family == "multinomial") ncol(p$y) else 1L
  with <- p$family %in% c("binomial", "poisson", "multinomial")
  P <- if (with) cbind(1, x) else x
  penalty <- rep(rep(c(0, p$ridge), c(with, ncol(x))), q)
  if (length(penalty) == 0) return(plain_losses[[p$family]](numeric(nrow(x)), p$y)[[1]])
  at <- function(b) plain_losses[[p$family]](drop(P %*% matrix(b, ncol = q)), p$y)
  bounds <- function(wrong, value) {
    rep(c(rep(value, with), ifelse(sign == wrong, 0, value)), q)
  }
  stats::optim(numeric(length(penalty)), function(b) at(b)[[1]] + sum(penalty * b^2) / 2,
    function(b) c(crossprod(P, at(b)[[2]])) + penalty * b,
    method = "L-BFGS-B", lower = bounds(1, -Inf), upper = bounds(-1, Inf),
    control = list(factr = 1, maxit = 1000)
  )$value
}

# what every set of k features lowers it by
values_of_sets <- function(p, k, sign = numeric(ncol(p$x))) {
  x <- unname(centred(p$x, TRUE))
  sets <- utils::combn(ncol(x), k)
  none <- least_loss(p, x[, 0])
  worth <- apply(sets, 2, function(set) none - least_loss(p, x[, set, drop = FALSE], sign[set]))
  list(sets = sets, values = worth, none = none)
}

family_settings <- function(p, k, sign = NULL, time_limit = 60, ...) {
  list(k = k, ridge = p$ridge, sign = sign, tol = 1e-9, time_limit = time_limit, verbose = 0L, ...)
}

prove_family <- function(p, set, ..., include = NULL) {
  data <- unclass(rowsparse:::as_data(p$x, TRUE, include = include, select = FALSE))
  proof <- .Call(rowsparse:::C_family_exact, data, as_response(p), list(set),
    family_settings(p, length(set), ...))[[1]]
  unit <- if (p$family == "gaussian") 2 else 1 # of least squares in R
  utils::modifyList(proof, list(value = proof$value / unit, bound = proof$bound / unit))
}

test_that("proofs are those of an enumeration, of every family, with signs and with locks", {
  set.seed(61)
  for (family in names(plain_losses)) {
    p <- family_problem(family)
    signs <- if (family != "multinomial") c(1L, 1L, -1L, 0L, 1L, -1L)
    for (sign in list(NULL, signs)) {
      all <- values_of_sets(p, 2L, if (is.null(sign)) numeric(6) else sign)
      worst <- all$sets[, which.min(all$values)]
      found <- prove_family(p, worst, sign = sign)
      expect_true(found$complete && found$resolved)
      expect_setequal(found$set, all$sets[, which.max(all$values)])
      expect_equal(found$value, max(all$values), tolerance = 1e-7)
      expect_equal(found$bound, found$value, tolerance = 1e-8)
      late <- prove_family(p, worst, sign = sign, time_limit = 0)
      expect_gte(late$bound, max(all$values) - 1e-7)
    }
    all <- values_of_sets(p, 3L)
    holds <- colSums(all$sets == 6L) > 0
    locked <- prove_family(p, c(4L, 5L, 6L), include = 6L)
    expect_true(locked$complete)
    expect_equal(locked$value, max(all$values[holds]), tolerance = 1e-7)
  }
})

# what the loss of C adds, so that it is never below 0
saturated <- function(p) {
  entropy <- function(v) sum(v[v > 0] * log(v[v > 0]))
  switch(p$family,
    poisson = entropy(p$y) - sum(p$y), cox = -entropy(tapply(p$y[, 2], p$y[, 1], sum)), 0
  )
}

test_that("the bound is never on the wrong side, whatever the predictors are", {
  set.seed(62)
  for (family in names(plain_losses)) {
    p <- family_problem(family)
    loss <- function(H) plain_losses[[family]](drop(H), p$y)[[1]] + saturated(p)
    all <- values_of_sets(p, 2L)
    x <- centred(p$x, TRUE)
    known <- 0
    for (scale in c(0.1, 0.5, 1, 2)) {
      H <- scale * matrix(stats::rnorm(3 * nrow(x)), ncol = 3)[, seq_len(ncol(as_response(p)$Y)),
        drop = FALSE]
      at <- c_call("C_family_dual", as_response(p), H)
      expect_gte(loss(H), at$least + sum(at$g * H))
      if (at$least == -Inf) next # gradients without their mean are out of range
      known <- known + 1
      if (family != "gaussian") expect_lt(max(abs(colSums(at$g))), 1e-9)
      for (i in 1:20) {
        other <- H + stats::rexp(1) * stats::rnorm(length(H))
        expect_gte(loss(other), at$least + sum(at$g * other) - 1e-9)
      }
      w <- rowSums(crossprod(x, at$g)^2) / (2 * p$ridge)
      bound <- all$none + saturated(p) - at$least + colSums(matrix(w[all$sets], 2))
      expect_gte(min(bound - all$values), -1e-7)
    }
    expect_gt(known, 0)
  }
})

test_that("least squares with signs is proved as by nonnegative least squares", {
  set.seed(63)
  nonnegative <- function(A, b) { # of all parts of a set, the best one whose solution is positive
    parts <- unlist(lapply(seq_along(b), utils::combn, x = length(b), simplify = FALSE), FALSE)
    max(0, vapply(parts, function(s) {
      fit <- solve(A[s, s, drop = FALSE], b[s])
      if (all(fit >= 0)) sum(b[s] * fit) / 2 else 0
    }, 0))
  }
  for (ridge in c(0.01, 1, 10)) {
    p <- utils::modifyList(family_problem("gaussian", sample(c(7, 30), 1), 8), list(ridge = ridge))
    x <- centred(p$x, TRUE)
    A <- crossprod(x) + ridge * diag(8)
    b <- crossprod(x, p$y)
    sets <- utils::combn(8, 3)
    values <- apply(sets, 2, function(s) nonnegative(A[s, s], b[s]))
    found <- prove_family(p, sets[, which.min(values)], sign = rep(1L, 8))
    expect_true(found$complete)
    expect_equal(found$value, max(values), tolerance = 1e-8)
    at <- which.max(values)
    expect_equal(nonnegative(A[found$set, found$set], b[found$set]), values[at], tolerance = 1e-8)
  }
})

test_that("roles of features are those of all sets", {
  set.seed(64)
  for (family in names(plain_losses)) {
    p <- family_problem(family)
    all <- values_of_sets(p, 2L)
    best <- all$sets[, which.max(all$values)]
    settings <- c(family_settings(p, 2L), list(tolerance = 0.2, sets = 20L))
    data <- as_c_data(p$x, TRUE)
    roles <- .Call(rowsparse:::C_family_roles, data, as_response(p),
      list(given = best, best = all$sets[, which.min(all$values)]), settings)
    near <- all$values >= 0.8 * max(all$values)
    expect_true(roles$complete)
    expect_setequal(roles$best, best)
    expect_equal(roles$count, sum(near))
    expect_equal(roles$frequency[, 1], as.double(table(factor(all$sets[, near], 1:6))))
    holds <- vapply(1:6, function(j) max(all$values[colSums(all$sets == j) > 0]), 0)
    others <- setdiff(1:6, best)
    expect_true(all(roles$low[others] <= holds[others] * (1 + 1e-7)))
    expect_true(all(roles$high[others] >= holds[others] * (1 - 1e-7)))
    for (j in others) { # exchanges are known by fits of their sets
      own <- all$values[colSums(all$sets == sort(c(roles$best[2], j))) == 2]
      expect_equal(roles$exchanges[1, j], own, tolerance = 1e-6)
    }
  }
})
