# What cdlsr() claims of hostile problems, held against all sets: by Gram-Schmidt in double
# precision, where it resolves a set. bench/certificates.R does the same in 113 bits, thousands of
# times.

certificate_families <- c(
  "ordinary", "near pair", "near triple", "copies", "binary", "genotypes", "counts", "units",
  "tiny", "outlying row", "far from zero", "low rank"
)

certificate_problem <- function(family, n = sample(8:24, 1), d = sample(5:8, 1)) {
  if (family == "tiny") n <- sample(4:6, 1)
  x <- matrix(stats::rnorm(n * d), n)
  hidden <- stats::rnorm(n)
  small <- 10^-sample(3:6, 1)
  x <- switch(family,
    "near pair" = replace(x, n + seq_len(n), x[, 1] + small * hidden),
    "near triple" = replace(x, 2 * n + seq_len(n), x[, 1] - x[, 2] + small * hidden),
    copies = x[, c(1, 1, 2, 2, 3:d)[seq_len(d)]] %*% diag(c(1, -3, 1, 0.5, rep(1, d - 4))),
    binary = matrix(stats::rbinom(n * d, 1, 0.4), n) + 0,
    genotypes = matrix(stats::rbinom(n * d, 2, 0.3), n) + 0,
    counts = matrix(stats::rnbinom(n * d, mu = 3, size = 0.5), n) + 0,
    units = x %*% diag(10^stats::runif(d, -8, 8)),
    "outlying row" = replace(x, cbind(1, seq_len(d)), x[1, ] * 10^sample(3:5, 1)),
    "far from zero" = sweep(x, 2, 10^sample(0:5, d, TRUE), "+"),
    "low rank" = matrix(sample(-3:3, 2 * n, TRUE), n) %*% matrix(sample(-2:2, 2 * d, TRUE), 2),
    x
  )
  flat <- apply(x, 2, function(column) all(column == column[1]))
  x[1, flat] <- x[1, flat] + 1
  y <- switch(sample(3, 1), hidden + 0.1 * stats::rnorm(n), cbind(hidden, stats::rnorm(n)),
    factor(rep_len(c("a", "b", "c"), n))
  )
  list(x = unname(x), y = unname(y))
}

response_matrix <- function(y) {
  centred(if (is.factor(y)) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0 else y)
}

# what a set leaves of Y, in the features divided by their deviations; NA if rounding hides it
left_by <- function(X, Y, set, lambda) {
  X <- rbind(X[, set, drop = FALSE], diag(sqrt(lambda), length(set)))
  Y <- rbind(Y, matrix(0, length(set), ncol(Y)))
  Q <- NULL
  for (i in seq_along(set)) {
    z <- X[, i]
    if (!is.null(Q)) for (pass in 1:2) z <- z - Q %*% crossprod(Q, z)
    share <- sqrt(sum(z^2) / sum(X[, i]^2))
    if (share < 1e-12) next # depends on the others
    if (share < 1e-7) {
      return(NA_real_)
    }
    Q <- cbind(Q, z / sqrt(sum(z^2)))
  }
  sum((Y - Q %*% crossprod(Q, Y))^2)
}

# the names of the claims of a fit that are wrong, `digits`: what its data resolve of the objective
wrong_claims <- function(fit, x, y, k, lambda, digits) {
  Y <- response_matrix(y)
  X <- scale(x)
  total <- sum(Y^2)
  own <- left_by(X, Y, fit$selected, lambda)
  values <- utils::combn(ncol(x), k, left_by, X = X, Y = Y, lambda = lambda)
  lowest <- min(values, na.rm = TRUE)
  reported <- utils::tail(fit$path$objective, 1)
  slack <- 2e-9 * total
  wrong <- c(
    objective = abs(reported - own) > digits * total,
    proof = isTRUE(fit$proof$complete) && lowest < reported - slack,
    bound = fit$bound > lowest + slack || fit$bound > reported
  )
  names(which(wrong))
}

certificate_trial <- function(family, limit = 60) {
  p <- certificate_problem(family)
  k <- sample(seq_len(min(4, ncol(p$x) - 1, nrow(p$x) - 1)), 1)
  lambda <- sample(c(0, 0, 1, 1e-6), 1)
  form <- sample(c("dense", "sparse", "moments", "blocks"), 1)
  data <- switch(form,
    dense = p$x, sparse = Matrix::Matrix(p$x, sparse = TRUE), moments = moments(p$x, p$y),
    blocks = row_blocks(p$x, rows = sample(2:nrow(p$x), 1))
  )
  fit <- suppressWarnings(cdlsr(data, if (form != "moments") p$y, k,
    solver = "exact", ridge = lambda, time_limit = limit
  ))
  # cross-products resolve half of the digits
  digits <- switch(form, moments = if (fit$proof$resolved) 3e-6 else Inf, blocks = 3e-6, 1e-9)
  list(wrong = wrong_claims(fit, p$x, p$y, k, lambda, digits), proved = fit$proof$complete)
}

test_that("claims hold on hostile problems of every family, with time and without", {
  set.seed(303)
  for (limit in c(60, 0)) {
    proved <- NULL
    for (family in certificate_families) {
      for (i in 1:3) {
        trial <- certificate_trial(family, limit)
        expect_identical(trial$wrong, character(), info = paste(family, i, limit))
        proved <- c(proved, trial$proved)
      }
    }
    if (limit > 0) expect_gt(mean(proved), 0.3)
  }
})

core_ends_here()

test_that("nearly dependent pairs are resolved down to the rounding level, also with weights", {
  # x2 = x1 + 2^-e u holds exactly for small whole numbers: x1 and x2 explain what x1 and u do
  set.seed(4)
  for (exponent in c(-20, -33, -40)) {
    whole <- matrix(sample(-64:64, 20 * 7, TRUE), 20)
    x <- cbind(whole[, 1], whole[, 1] + 2^exponent * whole[, 2], whole[, 3:7])
    y <- whole[, 2] + sample(-9:9, 20, TRUE)
    weights <- 10^stats::runif(20, -3, 4)
    for (k in 2:3) {
      left <- function(w) {
        min(utils::combn(7, k, function(set) {
          z <- x[, set]
          if (all(1:2 %in% set)) z[, match(2, set)] <- whole[, 2]
          sum(qr.resid(qr(cbind(1, z) * sqrt(w), tol = 1e-12), y * sqrt(w))^2)
        }))
      }
      for (data in list(x, row_blocks(x, rows = 6))) {
        fit <- cdlsr(data, y, k, solver = "exact")
        expect_equal(utils::tail(fit$path$objective, 1), left(1), tolerance = 1e-8)
        expect_true(fit$proof$complete)
        expect_true(all(1:2 %in% fit$selected))
      }
      expect_gte(utils::tail(cdlsr(x, y, k)$path$objective, 1), left(1) * (1 - 1e-8))
      fit <- cdlsr(x, y, k, solver = "exact", weights = weights)
      total <- sum(weights * (y - stats::weighted.mean(y, weights))^2)
      expect_lt(abs(utils::tail(fit$path$objective, 1) - left(weights)), 1e-9 * total)
      expect_true(fit$proof$complete)
    }
  }
})
