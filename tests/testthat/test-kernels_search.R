# The steps of the search for best subsets: the perspective relaxation, the splitting of the
# diagonal, all sets of a leaf, and the engine.

# ---- problems of unit columns ----------------------------------------------------------

# A = X'X + ridge and C = X'Y of unit columns, ||Y|| = 1
unit_problem <- function(n, N, c = 1, ridge = 0.1, rho = 0.5) {
  x <- sqrt(1 - rho) * matrix(stats::rnorm(n * N), n) + sqrt(rho) * stats::rnorm(n)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + matrix(stats::rnorm(n * c), n)
  unit <- 1 / sqrt(colSums(x^2) + ridge * n)
  A <- unname((crossprod(x) + ridge * n * diag(N)) * outer(unit, unit))
  diag(A) <- 1
  list(A = A, C = unname(crossprod(x, y) * unit) / sqrt(sum(y^2)))
}

explains <- function(p, set) {
  sum(p$C[set, ] * solve(p$A[set, set, drop = FALSE], p$C[set, , drop = FALSE]))
}

# what the best set holds those in `into` and m others of the rest
best_of <- function(p, m, into = integer()) {
  rest <- setdiff(seq_len(nrow(p$A)), into)
  sets <- utils::combn(length(rest), m)
  max(apply(sets, 2, function(set) explains(p, c(into, rest[set]))))
}

# the largest multiple of diag(A^-1)^-1 that leaves A - diag(D) semidefinite
largest_split <- function(A) {
  inverse <- solve(A)
  D <- 1 / diag(inverse)
  D / max(eigen(inverse * sqrt(outer(D, D)), TRUE, TRUE)$values)
}

# ---- the relaxation --------------------------------------------------------------------

perspective <- function(p, m, D, z, into = integer(), ...) {
  N <- nrow(p$A)
  settings <- list(D = D, z = z, `in` = seq_len(N) %in% into, m = m, room = N, error = 0,
    enough = 0, share = 0, steps = 0L
  )
  c_call("C_perspective", p$A, p$C, utils::modifyList(settings, list(...)))
}

relaxed <- function(p, D, z) {
  S <- which(z > 0)
  K <- p$A[S, S, drop = FALSE] + diag(D[S] * (1 / z[S] - 1), length(S))
  B <- solve(K, p$C[S, , drop = FALSE])
  list(value = 1 - sum(p$C[S, ] * B), S = S, B = B)
}

# weights and bound that belong to z, by their formulas
plain_bound <- function(p, m, D, z, into) {
  at <- relaxed(p, D, z)
  B <- matrix(0, nrow(p$A), ncol(p$C))
  B[at$S, ] <- at$B
  MB <- p$A %*% B - D * B
  w <- rowSums((p$C - MB)^2) / D
  others <- sort(w[setdiff(seq_along(w), into)], decreasing = TRUE)
  base <- sum(B * MB) + sum(w[into])
  list(value = at$value, B = B, w = w, base = base, most = base + sum(others[seq_len(m)]))
}

random_share <- function(N, m, into) {
  z <- stats::runif(N) * stats::rbinom(N, 1, 0.7)
  z[into] <- 0
  z <- pmin(z * m / max(sum(z), 1e-9), 1)
  replace(z, into, 1)
}

test_that("the relaxation at a point is that of its formulas, and its gradient is -w", {
  set.seed(83)
  for (i in 1:20) {
    N <- sample(6:12, 1)
    p <- unit_problem(sample(c(5, 30), 1), N, c = 1 + i %% 3, rho = 0.4)
    into <- sample.int(N, i %% 3)
    m <- sample(2:4, 1)
    D <- 0.9 * largest_split(p$A) * stats::runif(N, 0.3, 1)
    z <- random_share(N, m, into)
    at <- perspective(p, m, D, z, into)
    plain <- plain_bound(p, m, D, z, into)
    expect_equal(at$z, z)
    expect_equal(at$relaxed, plain$value, tolerance = 1e-10)
    expect_equal(at$weight, plain$w, tolerance = 1e-9)
    expect_equal(at$base, plain$base, tolerance = 1e-10)
    expect_equal(at$most, plain$most, tolerance = 1e-10)
    # rounding is allowed for, upwards
    expect_gt(at$most, plain$most)
    expect_gt(at$base, plain$base)
    G <- function(D, z) relaxed(p, D, z)$value
    others <- setdiff(seq_len(N), into)
    numeric <- vapply(others, function(j) {
      h <- replace(numeric(N), j, 1e-6)
      inner <- z[j] > 1e-3
      c(
        (G(D, z + h) - if (inner) G(D, z - h) else G(D, z)) / (if (inner) 2e-6 else 1e-6),
        (G(D + h * D, z) - G(D - h * D, z)) / (2e-6 * D[j]),
        if (z[j] > 0) G(D, replace(z, j, 0)) - at$relaxed else 0
      )
    }, numeric(3))
    expect_equal(numeric[1, ], -at$weight[others], tolerance = 2e-3)
    expect_equal(numeric[2, ], at$slopes[others], tolerance = 1e-4)
    expect_equal(numeric[3, ], at$costs[others], tolerance = 1e-8)
  }
})

test_that("at the minimum the relaxation and the bound agree, and no set explains more", {
  set.seed(84)
  for (i in 1:30) {
    N <- sample(8:11, 1)
    rho <- sample(c(0, 0.5, 0.95), 1)
    p <- unit_problem(
      sample(c(6, 30), 1), N, c = 1 + i %% 3, ridge = 10^stats::runif(1, -3, 1), rho
    )
    into <- sample.int(N, i %% 3)
    m <- sample(1:4, 1)
    D <- (1 - 1e-9) * largest_split(p$A)
    end <- perspective(p, m, D, random_share(N, m, into), into, steps = 100L)
    expect_lt(abs(end$best_most - (1 - end$relaxed)), 1e-6)
    expect_true(all(end$z >= 0 & end$z <= 1))
    expect_lte(sum(end$z), m + length(into) + 1e-9)
    best <- best_of(p, m, into)
    expect_gte(1 - end$relaxed, best - 1e-10)
    # wherever it stops, and with room for few features
    on_the_way <- vapply(0:7, function(step) {
      room <- if (step > 3) N else length(into) + 2L
      z <- random_share(N, m, into)
      perspective(p, m, D, z, into, steps = step %% 4L, room = room)$best_most
    }, 0)
    expect_gte(min(on_the_way), best)
    # it stops where it is low enough
    expect_equal(perspective(p, m, D, end$z, into, steps = 100L, enough = 2)$steps, 0)
  }
})

test_that("a bound allows for products that are off by the error stated", {
  set.seed(85)
  for (i in 1:40) {
    N <- 8
    p <- unit_problem(30, N, c = 1 + i %% 2, rho = 0.3)
    error <- 10^stats::runif(1, -6, -2)
    m <- sample(1:3, 1)
    best <- best_of(p, m)
    D <- (1 - 1e-9) * largest_split(p$A)
    off <- matrix(sample(c(-1, 1), N * N, TRUE), N)
    off[lower.tri(off)] <- t(off)[lower.tri(off)]
    given <- list(
      A = p$A + error * off * (row(off) != col(off)), C = p$C - error * sign(p$C)
    )
    end <- perspective(given, m, D, rep(m / N, N), steps = 100L, error = error)
    expect_gte(end$best_most, best)
  }
})

# ---- the splitting ---------------------------------------------------------------------

splitting <- function(A, g = rep(1, nrow(A)), ...) {
  settings <- list(error = 0, D = NULL, g = g, fixed = logical(nrow(A)), mu = 1e-3, passes = 1L,
    back = 0
  )
  given <- list(...)
  settings[names(given)] <- given
  c_call("C_splitting", A, settings)
}

smallest <- function(A) min(eigen(A, TRUE, TRUE)$values)

# one pass of coordinate ascent
plain_pass <- function(A, D, g, mu, fixed) {
  P <- solve(A - diag(D))
  for (j in which(!fixed)) {
    most <- 1 / P[j, j]
    left <- if (g[j] > 0) max(mu / g[j], 1e-3 * most) else Inf
    by <- max(most - left, -0.5 * D[j])
    D[j] <- D[j] + by
    P <- P + by / (1 - by * P[j, j]) * tcrossprod(P[, j])
  }
  D
}

test_that("A - diag(D) is positive semidefinite, and the ascent is that of its formulas", {
  set.seed(86)
  for (i in 1:20) {
    N <- c(5, 20, 40, 75)[1 + i %% 4]
    p <- unit_problem(sample(c(N %/% 2, 3 * N), 1), N, ridge = 10^stats::runif(1, -3, 1))
    g <- stats::rexp(N) * stats::rbinom(N, 1, 0.8)
    fixed <- stats::runif(N) < 0.2
    mu <- 10^stats::runif(1, -4, 0)
    first <- splitting(p$A, g, fixed = fixed, mu = mu)
    expect_true(first$able)
    expect_true(all(first$first > 0))
    expect_gte(smallest(p$A - diag(first$first)), 0)
    # not far from as much as can be taken off in these proportions
    expect_gt(min(first$first / largest_split(p$A)), 0.7)
    expect_gte(smallest(p$A - diag(first$D)), 0)
    expect_identical(first$D[fixed], first$first[fixed])
    if (first$moved) {
      value <- function(D) sum(g * D) + mu * as.numeric(determinant(p$A - diag(D))$modulus)
      expect_gte(value(first$D), value(first$first) - 1e-8)
      expect_equal(first$D, plain_pass(p$A, first$first, g, mu, fixed), tolerance = 1e-3)
      half <- splitting(p$A, g, D = first$first, fixed = fixed, mu = mu, back = 0.5)
      expect_equal(half$D, (first$D + first$first) / 2, tolerance = 1e-3)
    }
    twice <- splitting(p$A, g, mu = mu, passes = 3L)
    expect_gte(smallest(p$A - diag(twice$D)), 0)
  }
})

test_that("a diagonal that is too large is not proved, nor one that the errors could make so", {
  set.seed(87)
  for (i in 1:10) {
    N <- sample(3:30, 1)
    A <- unit_problem(2 * N, N)$A
    D <- largest_split(A)
    expect_true(splitting(A, D = D * (1 - 1e-7))$able)
    expect_false(splitting(A, D = D * (1 + 1e-9))$able)
    # what an error of each entry may move an eigenvalue by
    expect_false(splitting(A, D = D * (1 - 1e-7), error = 1e-6)$able)
    off <- 1e-6 * tcrossprod(sign(eigen(A - diag(D), TRUE)$vectors[, N]))
    proved <- splitting(A, D = D * (1 - 1e-4), error = 1e-6)
    if (proved$able) expect_gte(smallest(A - off - diag(D * (1 - 1e-4))), 0)
  }
  singular <- unit_problem(5, 9, ridge = 0)
  expect_false(splitting(singular$A)$able)
})

# ---- all sets of a leaf ----------------------------------------------------------------

leaf <- function(p, m, cut, into = integer(), base = 2, weight = rep(1, nrow(p$A)), most = Inf,
                 error = 0) {
  c_call("C_leaf", p$A, p$C, list(
    `in` = seq_len(nrow(p$A)) %in% into, m = as.integer(m), base = base, weight = weight,
    error = error, cut = cut, most = most
  ))
}

# what pairs explain beside `into`: a matrix of all
pair_values <- function(p, into) {
  A <- p$A
  C <- p$C
  first <- 0
  for (j in into) {
    first <- first + sum(C[j, ]^2) / A[j, j]
    C <- C - A[, j] %*% C[j, , drop = FALSE] / A[j, j]
    A <- A - tcrossprod(A[, j]) / A[j, j]
    A[j, j] <- NA
  }
  P <- tcrossprod(C)
  l <- diag(A)
  first + (outer(diag(P), l) + outer(l, diag(P)) - 2 * P * A) / (outer(l, l) - A^2)
}

# the sets, sorted, that explain more than the cut, as words
better_sets <- function(p, m, cut, into) {
  N <- nrow(p$A)
  words <- function(sets) sort(apply(apply(sets, 2, sort), 2, paste, collapse = " "))
  rest <- setdiff(seq_len(N), into)
  if (m == 1) {
    values <- vapply(rest, function(j) explains(p, c(into, j)), 0)
    return(sort(as.character(rest[values > cut])))
  }
  heads <- if (m == 3) rest else 0
  sets <- lapply(heads, function(head) {
    held <- c(into, if (m == 3) head)
    values <- pair_values(p, held)
    at <- which(upper.tri(values) & values > cut, arr.ind = TRUE)
    at <- at[at[, 1] > head & !(at[, 1] %in% held) & !(at[, 2] %in% held), , drop = FALSE]
    rbind(if (m == 3) rep(head, nrow(at)), t(at))
  })
  sets <- do.call(cbind, sets)
  if (ncol(sets) > 0) words(sets) else character()
}

offered_sets <- function(end) {
  sort(apply(end$sets, 2, function(set) paste(sort(set), collapse = " ")))
}

test_that("all sets of a leaf that explain more are offered, and few others", {
  set.seed(88)
  for (i in 1:30) {
    N <- c(7, 14, 30, 75)[1 + i %% 4]
    m <- 1 + i %% 3
    p <- unit_problem(2 * N, N, c = sample(1:3, 1), rho = sample(c(0, 0.8), 1))
    into <- sample.int(N, sample(0:2, 1))
    rest <- setdiff(seq_len(N), into)
    some <- replicate(300, explains(p, c(into, sample(rest, m))))
    cut <- stats::quantile(some, 0.98, names = FALSE) + 1e-9
    end <- leaf(p, m, cut, into)
    expect_true(end$able)
    expect_identical(offered_sets(end), better_sets(p, m, cut, into))
    expect_false(leaf(p, m, cut, into, most = choose(length(rest), m) - 1)$able)
  }
})

test_that("a leaf looks at all sets whose weights of the relaxation allow them", {
  set.seed(89)
  for (i in 1:30) {
    N <- 12
    m <- 1 + i %% 3
    p <- unit_problem(30, N, c = sample(1:3, 1), rho = 0.5)
    into <- sample.int(N, i %% 4)
    D <- (1 - 1e-9) * largest_split(p$A)
    bound <- perspective(p, m, D, random_share(N, m, into), into, steps = 30L)
    cut <- best_of(p, m, into) - 0.02
    end <- leaf(p, m, cut, into, bound$best_base, bound$best_weight)
    expect_identical(offered_sets(end), better_sets(p, m, cut, into))
  }
})

test_that("near copies are offered where rounding hides what they add, or the leaf declines", {
  set.seed(90)
  for (i in 1:10) {
    N <- 12
    m <- 2 + i %% 2
    n <- 30
    x <- matrix(stats::rnorm(n * N), n)
    hidden <- stats::rnorm(n)
    apart <- 10^-stats::runif(1, 3, 7)
    x[, 2] <- x[, 1] + apart * hidden
    y <- matrix(hidden + 0.3 * stats::rnorm(n))
    unit <- 1 / sqrt(colSums(x^2))
    p <- list(A = crossprod(x) * outer(unit, unit), C = crossprod(x, y) * unit / sqrt(sum(y^2)))
    diag(p$A) <- 1
    cut <- 0.7
    end <- leaf(p, m, cut, error = 1e-14)
    true <- sum(qr.fitted(qr(cbind(x[, 1], hidden)), y)^2) / sum(y^2)
    pairs <- offered_sets(end)
    if (true > cut) expect_true(any(grepl("^1 2( |$)", pairs)))
    # one of them in every set: what the other adds is hidden
    if (apart < 1e-5) expect_false(leaf(p, m, cut, into = 1:2, error = 1e-14)$able)
  }
})

# ---- the engine ------------------------------------------------------------------------

toy <- function(d, dear = 1) {
  price <- matrix(stats::rexp(d * d), d) * dear
  price <- (price + t(price)) / 2
  list(value = sort(stats::runif(d), decreasing = TRUE), price = price)
}

worth <- function(t, set) {
  inside <- t$price[set, set]
  sum(t$value[set]) - sum(inside[upper.tri(inside)])
}

bnb <- function(t, k, order = "best", ...) {
  set <- length(t$value) + 1L - seq_len(k)
  settings <- list(k = k, order = order, seconds = Inf, nodes = Inf, bytes = 1e7, tie = 0,
    set = set, value = worth(t, set), late_after = Inf
  )
  c_call("C_bnb", t$value, t$price, utils::modifyList(settings, list(...)))
}

# what must hold of any end: of the optimum `best`
expect_sound <- function(t, end, best, tie = 0) {
  near <- 1e-12
  course <- end$trace
  right <- c(
    value = abs(worth(t, end$set) - end$value) < near && end$value <= best + near,
    bound = end$bound >= max(best - near, end$value),
    trace = all(course$bound >= best - near) && all(diff(course$bound) <= near) &&
      all(diff(course$value) >= 0),
    complete = !end$complete ||
      (end$value >= best - tie - near && end$bound <= end$value + tie + near && !end$stopped)
  )
  expect_true(all(right), info = paste(names(right)[!right], collapse = " "))
}

# a problem of as many features as one of `sizes`, with all sets of two to five and their worth
enumerated_toy <- function(sizes) {
  d <- sample(sizes, 1)
  k <- sample(2:5, 1)
  t <- toy(d, 10^stats::runif(1, -2, 0))
  sets <- utils::combn(d, k)
  c(t, list(k = k, sets = sets, worth = apply(sets, 2, function(set) worth(t, set))))
}

test_that("branch and bound finds the best set, whatever the order and the room", {
  set.seed(91)
  for (i in 1:12) {
    t <- enumerated_toy(8:12)
    k <- t$k
    best <- max(t$worth)
    for (order in c("best", "depth")) {
      end <- bnb(t, k, order)
      expect_true(end$complete)
      expect_sound(t, end, best)
      expect_sound(t, bnb(t, k, order, tie = 0.1), best, 0.1)
      for (nodes in c(0, 1, 7)) {
        few <- bnb(t, k, order, nodes = nodes)
        expect_lte(few$nodes, nodes)
        expect_sound(t, few, best)
        if (end$nodes > nodes) expect_true(few$stopped && !few$complete)
        late <- bnb(t, k, order, late_after = nodes)
        expect_sound(t, late, best)
        if (end$nodes > nodes) expect_true(late$stopped && !late$complete)
      }
      for (bytes in c(0, 600, 1200)) {
        tight <- bnb(t, k, order, bytes = bytes)
        expect_gte(tight$most, 2)
        expect_sound(t, tight, best)
      }
      expect_sound(t, bnb(t, k, order, seconds = 0), best)
    }
    # the largest bound first, and never a node that cannot be better
    expect_true(all(diff(bnb(t, k)$bounds) <= 1e-12))
    expect_gt(min(bnb(t, k)$bounds), best - 1e-12)
  }
})

test_that("with a tie below zero every set above the cut is met, and each of them once", {
  set.seed(93)
  for (i in 1:12) {
    t <- enumerated_toy(8:11)
    k <- t$k
    value <- t$worth
    best <- which.max(value)
    for (below in c(0.001, 0.05, 0.3) * abs(value[best])) {
      inside <- value > value[best] - below
      # from any set, and from the best one, which the search then meets again
      for (order in c("best", "depth")) {
        ends <- list(
          bnb(t, k, order, tie = -below),
          bnb(t, k, order, tie = -below, set = t$sets[, best], value = value[best])
        )
        for (end in ends) {
          expect_true(end$complete)
          expect_equal(end$value, value[best])
          expect_equal(end$near, sum(inside))
          expect_equal(end$frequency, tabulate(t$sets[, inside], length(t$value)))
        }
      }
    }
  }
})

test_that("a search for want of room goes deep, and loses no set that is better", {
  set.seed(92)
  t <- toy(22, 0.2)
  end <- bnb(t, 6)
  expect_true(end$complete)
  expect_gt(end$nodes, 500)
  expect_lt(max(diff(end$bounds)), 1e-12)
  deep <- bnb(t, 6, "depth")
  expect_equal(deep$value, end$value)
  expect_true(deep$complete)
  for (bytes in c(2e3, 1e4, 4e4)) {
    tight <- bnb(t, 6, bytes = bytes)
    expect_sound(t, tight, end$value)
    expect_lt(tight$most, 300)
  }
  # with room for some nodes beside a whole descent nothing is lost
  expect_true(tight$complete)
  expect_true(any(diff(tight$bounds) > 0))
})

# ---- the whole search ------------------------------------------------------------------

sample_problem <- function(n, d, c, rho) {
  x <- sqrt(1 - rho) * matrix(stats::rnorm(n * d), n) + sqrt(rho) * stats::rnorm(n)
  y <- x[, seq_len(4)] %*% matrix(stats::rnorm(4 * c), 4) + 2 * matrix(stats::rnorm(n * c), n)
  list(x = x, y = y)
}

# what sets explain of the scaled data, as a share; NULL where they depend on each other
share_of_sets <- function(data, sets, ridge) {
  z <- scale(data$x)
  Y <- scale(data$y, scale = FALSE)
  A <- crossprod(z) + ridge * diag(ncol(z))
  B <- crossprod(z, Y)
  apply(sets, 2, function(set) {
    R <- chol(A[set, set])
    sum(backsolve(R, B[set, , drop = FALSE], transpose = TRUE)^2)
  }) / sum(Y^2)
}

test_that("no bound of a node is above its best set: features locked in and out, no time", {
  set.seed(93)
  gaps <- numeric()
  problems <- if (is_quick()) 3 else if (is_slow()) 200 else 30
  for (i in seq_len(problems)) {
    d <- sample(8:10, 1)
    k <- sample(4:6, 1)
    data <- sample_problem(sample(c(6, 30), 1), d, 1 + i %% 2, sample(c(0, 0.5, 0.95), 1))
    ridge <- 10^stats::runif(1, -4, 2)
    sets <- utils::combn(d, k)
    share <- share_of_sets(data, sets, ridge)
    into <- out <- integer()
    # down the tree, by what the search would have branched on or not
    for (feature in sample.int(d, 4)) {
      fit <- suppressWarnings(cdlsr(data$x, data$y, k,
        solver = "exact", ridge = ridge, start = "random", search = "fast", time_limit = 0,
        include = if (length(into) > 0) into, exclude = if (length(out) > 0) out
      ))
      inside <- apply(sets, 2, function(set) all(into %in% set) && !any(out %in% set))
      total <- sum(scale(data$y, scale = FALSE)^2)
      best <- 1 - max(share[inside])
      expect_lte(fit$bound / total, best + 1e-9)
      expect_gte(utils::tail(fit$path$objective, 1) / total, best - 1e-9)
      gaps <- c(gaps, fit$gap)
      if (stats::runif(1) < 0.5 && length(into) < k - 2) into <- c(into, feature)
      else if (length(out) < d - k - 1) out <- c(out, feature)
    }
  }
  # and some of them were not searched to the end
  if (!is_quick()) expect_gt(mean(gaps > 1e-9), 0.05)
})

# trees of several nodes
branched <- function(seed = 96, n = 20) {
  set.seed(seed)
  data <- sample_problem(n, 16, 1, 0.9)
  data$y <- data$y + 4 * stats::rnorm(n)
  data
}

claim_of <- function(data, k = 7, ridge = 0.01, ...) {
  fit <- cdlsr(
    data$x, data$y, k, solver = "exact", ridge = ridge, start = "random", search = "fast", ...
  )
  list(set = sort(fit$selected), objective = utils::tail(fit$path$objective, 1),
    proved = fit$proof$complete, nodes = fit$proof$nodes, bound = fit$bound
  )
}

test_that("searches of several nodes find the best set", {
  sets <- utils::combn(16, 6)
  nodes <- 0
  for (seed in if (is_quick()) 96 else 90:105) {
    data <- branched(seed, n = sample(c(14, 20, 40), 1))
    best <- 1 - max(share_of_sets(data, sets, 0.1))
    total <- sum(scale(data$y, scale = FALSE)^2)
    claim <- claim_of(data, 6, 0.1)
    expect_true(claim$proved)
    expect_equal(claim$objective / total, best, tolerance = 1e-9)
    nodes <- nodes + claim$nodes
  }
  if (!is_quick()) expect_gt(nodes, 40)
})

test_that("the order of features and samples, units and threads change no claim", {
  data <- branched()
  first <- claim_of(data)
  expect_same <- function(other, features = 1:16, unit = 1) {
    expect_identical(sort(features[other$set]), first$set)
    expect_equal(other$objective, first$objective * unit^2, tolerance = 1e-10)
    expect_equal(other$bound, first$bound * unit^2, tolerance = 1e-8)
    expect_true(other$proved)
  }
  for (i in 1:3) {
    features <- sample.int(16)
    samples <- sample.int(20)
    expect_same(
      claim_of(list(x = data$x[samples, features], y = data$y[samples, , drop = FALSE])), features
    )
  }
  expect_same(claim_of(list(x = data$x * 1e-30, y = data$y * 1e20)), unit = 1e20)
  expect_same(claim_of(list(x = sweep(data$x, 2, 10^seq(-8, 8, length.out = 16), "*"), y = data$y)))
  expect_same(claim_of(list(x = sweep(data$x, 2, c(-1, 1), "*"), y = -data$y)))
  had <- c_call("C_blas_threads", 2L)
  if (!is.na(had)) on.exit(c_call("C_blas_threads", had))
  expect_same(claim_of(data))
})

# ---- roles -----------------------------------------------------------------------------

roles_table <- function(sets, value, d, bound = 2, with = rep(bound, d), without = rep(bound, d),
                        cut = 0) {
  c_call("C_roles", sets, value, list(d = d, bound = bound, with = with, without = without,
    cut = cut
  ))
}

# the table from all sets at once
plain_roles <- function(sets, value, d) {
  best <- which.max(value)
  low <- vapply(seq_len(d), function(i) {
    holds <- colSums(sets == i) > 0
    max(value[holds != holds[best]], -Inf)
  }, 0)
  list(best = sort(sets[, best]), value = value[best], low = low)
}

test_that("the table of roles is that of all sets met, in whatever order", {
  set.seed(90)
  for (i in 1:10) {
    d <- sample(3:9, 1)
    k <- sample(d - 1, 1)
    count <- sample(20, 1)
    sets <- vapply(seq_len(count), function(j) sample(d, k), integer(k))
    sets <- matrix(sets, k)
    value <- stats::runif(count)
    # a set that is met twice has one value
    key <- apply(sets, 2, function(set) paste(sort(set), collapse = " "))
    value <- value[match(key, key)]
    plain <- plain_roles(sets, value, d)
    for (turn in 1:3) {
      order <- sample(count)
      found <- roles_table(sets[, order, drop = FALSE], value[order], d)
      expect_identical(found$best, plain$best)
      expect_identical(found[c("value", "low")], plain[c("value", "low")])
      for (j in which(is.finite(found$low))) {
        witness <- found$witness[, j]
        expect_identical(value[match(paste(witness, collapse = " "), key)], found$low[j])
        expect_identical(j %in% witness, !j %in% found$best)
      }
    }
  }
})

test_that("bounds are those of the question that a feature has, and decide with the witness", {
  with <- c(0.9, 0.5, 0.7, 0.2)
  without <- c(0.3, 0.8, 0.1, 0.6)
  sets <- cbind(c(1L, 2L), c(1L, 3L))
  found <- roles_table(sets, c(0.85, 0.65), 4L, bound = 1, with, without, cut = 0.6)
  expect_identical(found$high, c(without[1:2], with[3:4]))
  expect_identical(found$low, c(-Inf, 0.65, 0.65, -Inf))
  # 1 and 4 by their bounds, 2 and 3 by the witness
  expect_identical(found$undecided, 0L)
  expect_identical(roles_table(sets, c(0.85, 0.65), 4L, 1, with, without, 0.75)$undecided, 1L)
})
