# css(): shares in plain R, sets that no exchange improves, proofs against enumeration

css_cases <- function() {
  list(wide = sample_matrix(12, 30), tall = sample_matrix(40, 10), square = sample_matrix(15, 15))
}

test_that("the share is the variance reproduced, at every size", {
  cases <- from_seed(21, c(css_cases(), list(sample_matrix(50, 120, rank = 40))))
  for (x in cases) {
    for (scale in c(FALSE, TRUE)) {
      for (solver in c("exchange", "forward")) {
        k <- if (nrow(x) > 40) 25 else 6
        fit <- css(x, k, m = Inf, solver = solver, scale = scale)
        z <- centred(x, scale)
        plain <- vapply(fit$path$features, function(set) share_reproduced(z, set), 0)
        expect_equal(fit$path$explained, plain, tolerance = 1e-8)
        expect_equal(fit$explained, plain[k], tolerance = 1e-8)
        expect_setequal(fit$path$features[[k]], fit$selected)
        expect_lte(max(-diff(plain)), 1e-12)
        expect_never_rises(fit$objective)
      }
    }
  }
})

core_ends_here()

test_that("forward selection is the greedy one, whatever is kept in memory", {
  set.seed(22)
  for (x in css_cases()) {
    fit <- css(x, 5, m = Inf, solver = "forward")
    chosen <- integer()
    for (k in 1:5) {
      shares <- vapply(seq_len(ncol(x)), function(j) {
        if (j %in% chosen) 0 else share_reproduced(x, c(chosen, j))
      }, numeric(1))
      chosen <- c(chosen, which.max(shares))
    }
    expect_equal(fit$selected, chosen)
    expect_equal(css(x, 5, m = Inf)$path$forward, fit$path$objective, tolerance = 1e-9)
    gain <- share_reproduced(x, c(fit$selected, fit$ranking[6])) - fit$explained
    expect_equal(unname(fit$scores[fit$ranking[6]]), gain, tolerance = 1e-8)
  }
})

test_that("exchange is never below forward and ends where no exchange gains", {
  set.seed(23)
  for (x in list(sample_matrix(12, 25, rank = 8), sample_matrix(30, 14, rank = 8))) {
    fit <- css(x, 5, m = Inf)
    forward <- css(x, 5, m = Inf, solver = "forward")
    expect_true(all(fit$path$explained >= forward$path$explained - 1e-9))
    for (out in fit$selected) {
      for (new in setdiff(seq_len(ncol(x)), fit$selected)) {
        expect_lte(share_reproduced(x, c(setdiff(fit$selected, out), new)), fit$explained + 1e-8)
      }
    }
    for (k in 1:2) {
      best <- max(utils::combn(ncol(x), k, function(set) share_reproduced(x, set)))
      expect_equal(css(x, k, m = Inf)$explained, best, tolerance = 1e-9)
    }
  }
})

test_that("perturbations lead out of sets that no exchange improves", {
  x <- from_seed(19, matrix(stats::rnorm(1200), 30))
  proved <- c(2, 15, 20, 34, 35, 40) # by solver = "exact"
  expect_equal(css(x, 6, m = Inf)$explained, share_reproduced(x, proved))
})

test_that("component scores as the response; by default those of 90% of the variance", {
  # nearly dependent features, more than samples
  hilbert <- outer(1:6, 1:10, function(i, j) 1 / (i + j))
  expect_length(suppressWarnings(css(hilbert, 4, m = 2))$selected, 4)
  set.seed(26)
  for (x in css_cases()) {
    fit <- css(x, 4, m = 3)
    xc <- centred(x)
    scores <- xc %*% svd(xc, 0, 3)$v
    residual <- qr.resid(qr(xc[, fit$selected]), scores)
    expect_equal(utils::tail(fit$path$explained, 1), 1 - sum(residual^2) / sum(scores^2),
      tolerance = 1e-6
    )
    expect_equal(fit$explained, share_reproduced(x, fit$selected), tolerance = 1e-8)
    expect_equal(sum(rowSums(abs(fit$loadings)) > 0), 4)
    # with all components it is the problem of the data themselves
    rank <- qr(xc)$rank
    expect_equal(css(x, 4, m = rank)$explained, css(x, 4, m = Inf)$explained, tolerance = 1e-6)
    values <- eigen(scatter(x))$values
    expect_identical(css(x, 4)$parameters$m, which(cumsum(values) >= 0.9 * sum(values))[1])
  }
})

# ---- proofs ----------------------------------------------------------------------

# The largest share that k columns explain, and the sum of squares it is of. Only sets count whose
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

expect_true_claims <- function(fit, best, info) {
  room <- 3e-9 * best$total
  lowest <- best$total - best$value
  testthat::expect_lte(fit$bound, lowest + room, label = info)
  proved <- fit$status == "proved optimal"
  if (proved) testthat::expect_lte(end_of_path(fit), lowest + room, label = info)
  testthat::expect_identical(c(fit$proof$complete, fit$converged), c(proved, proved), info = info)
  proved
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

test_that("the best subset of columns is that of enumeration, and bounds hold without time", {
  set.seed(411)
  kinds <- c("plain", "copies", "ties", "rank", "units")
  forms <- list(
    identity, function(x) Matrix::Matrix(x, sparse = TRUE), moments,
    function(x) row_blocks(x, rows = c(2, nrow(x) - 2))
  )
  proved <- 0
  for (i in 1:60) {
    d <- sample(5:9, 1)
    n <- sample(c(6:9, 14, 30), 1)
    x <- css_problem(kinds[1 + i %% 5], n, d)
    if (any(apply(x, 2, stats::sd) == 0)) next
    k <- sample(min(6, n - 2, d - 1), 1)
    m <- if (i %% 3 == 0) sample(min(3, n - 2), 1) else Inf
    scale <- i %% 4 == 0
    include <- if (i %% 6 == 0 && k > 1) sample(d, sample(k - 1, 1))
    best <- best_columns(x, k, m, include, scale)
    if (best$value < 0) next
    info <- paste(i, n, d, k, m)
    for (limit in c(60, 0)) {
      fit <- suppressWarnings(css(forms[[1 + (i %/% 5) %% 4]](x), k, m,
        solver = "exact", scale = scale, include = include, time_limit = limit
      ))
      done <- expect_true_claims(fit, best, info)
      expect_true(all(include %in% fit$selected))
      if (limit == 60) proved <- proved + done
    }
  }
  expect_gte(proved, 45)
})

test_that("the course of a proof is in the fit, and a limit of time in its status", {
  x <- from_seed(417, sample_matrix(60, 40, rank = 12, noise = 0.5))
  fit <- css(x, 4, Inf, solver = "exact")
  trace <- fit$proof$trace
  expect_true(all(trace$value <= trace$bound + 1e-9) && all(diff(trace$value) >= 0))
  expect_equal(utils::tail(trace$value, 1), fit$explained, tolerance = 1e-8)
  expect_warning(css(x, 10, Inf, solver = "exact", time_limit = 0), "time limit reached, gap ")
})

test_that("nothing is exchanged in a set that leaves nothing", {
  x <- from_seed(31, matrix(stats::rnorm(400), 10))
  all <- css(x, 9)
  expect_lt(utils::tail(all$objective, 1), 1e-12 * sum(scale(x, scale = FALSE)^2))
  expect_identical(c(all$iterations, cdlsr(x[, -40], x[, 40], 9)$iterations), c(0L, 0L))
})
