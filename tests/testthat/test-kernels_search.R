# Steps of the search for best subsets: the perspective relaxation and the splitting of the diagonal

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

# all sets that hold `into` and m others, one per column
sets_with <- function(p, m, into) {
  rest <- setdiff(seq_len(nrow(p$A)), into)
  chosen <- utils::combn(length(rest), m)
  rbind(matrix(into, length(into), ncol(chosen)), matrix(rest[chosen], m))
}

values_of <- function(p, sets) apply(sets, 2, explains, p = p)

# the largest multiple of diag(A^-1)^-1 that leaves A - diag(D) semidefinite
largest_split <- function(A) {
  inverse <- solve(A)
  D <- 1 / diag(inverse)
  D / max(eigen(inverse * sqrt(outer(D, D)), TRUE, TRUE)$values)
}

perspective <- function(p, m, D, z, into = integer(), ...) {
  N <- nrow(p$A)
  settings <- list(D = D, z = z, `in` = seq_len(N) %in% into, m = m, room = N, error = 0,
    enough = 0, share = 0, steps = 0L
  )
  c_call("C_perspective", p$A, p$C, utils::modifyList(settings, list(...)))
}

# weights and bound that belong to z, by their formulas
plain_relaxation <- function(p, m, D, z, into) {
  S <- which(z > 0)
  K <- p$A[S, S, drop = FALSE] + diag(D[S] * (1 / z[S] - 1), length(S))
  B <- matrix(0, nrow(p$A), ncol(p$C))
  B[S, ] <- solve(K, p$C[S, , drop = FALSE])
  MB <- p$A %*% B - D * B
  w <- rowSums((p$C - MB)^2) / D
  others <- sort(w[setdiff(seq_along(w), into)], decreasing = TRUE)
  base <- sum(B * MB) + sum(w[into])
  list(value = 1 - sum(p$C * B), w = w, base = base, most = base + sum(others[seq_len(m)]))
}

random_share <- function(N, m, into) {
  z <- stats::runif(N) * stats::rbinom(N, 1, 0.7)
  z[into] <- 0
  replace(pmin(z * m / max(sum(z), 1e-9), 1), into, 1)
}

test_that("the relaxation is that of its formulas, with its gradient; no set explains more", {
  set.seed(83)
  for (i in 1:20) {
    N <- sample(8:11, 1)
    p <- unit_problem(sample(c(6, 30), 1), N, 1 + i %% 3, 10^stats::runif(1, -2, 1))
    into <- sample.int(N, i %% 3)
    m <- sample(1:4, 1)
    D <- 0.9 * largest_split(p$A)
    z <- random_share(N, m, into)
    at <- perspective(p, m, D, z, into)
    plain <- plain_relaxation(p, m, D, z, into)
    expect_equal(at$relaxed, plain$value, tolerance = 1e-10)
    expect_equal(at$weight, plain$w, tolerance = 1e-9)
    expect_equal(at$most, plain$most, tolerance = 1e-10)
    expect_gt(at$most, plain$most) # rounding is allowed for, upwards
    for (j in setdiff(which(z > 1e-3 & z < 0.99), into)) {
      ends <- vapply(c(1e-6, -1e-6), function(h) {
        plain_relaxation(p, m, D, replace(z, j, z[j] + h), into)$value
      }, 0)
      expect_equal(diff(ends) / 2e-6, at$weight[j], tolerance = 2e-3)
    }
    best <- max(values_of(p, sets_with(p, m, into)))
    for (steps in 0:3) expect_gte(perspective(p, m, D, z, into, steps = steps)$best_most, best)
    end <- perspective(p, m, D, z, into, steps = 100L)
    expect_lt(abs(end$best_most - (1 - end$relaxed)), 1e-4)
    # products that are off by an error that is stated
    off <- 1e-4 * matrix(sample(c(-1, 1), N * N, TRUE), N) * (row(p$A) < col(p$A))
    given <- list(A = p$A + off + t(off), C = p$C - 1e-4 * sign(p$C))
    expect_gte(perspective(given, m, D, z, into, steps = 50L, error = 1e-4)$best_most, best)
  }
})

test_that("A - diag(D) is positive semidefinite, and a D that is too large is not proved", {
  splitting <- function(A, ...) {
    settings <- list(error = 0, D = NULL, g = rep(1, nrow(A)), fixed = logical(nrow(A)), mu = 1e-3)
    given <- list(...)
    settings[names(given)] <- given
    c_call("C_splitting", A, settings)
  }
  set.seed(86)
  for (i in 1:12) {
    N <- c(5, 20, 40, 75)[1 + i %% 4]
    A <- unit_problem(sample(c(N %/% 2, 3 * N), 1), N, ridge = 10^stats::runif(1, -3, 1))$A
    g <- stats::rexp(N)
    fixed <- stats::runif(N) < 0.2
    end <- splitting(A, g = g, fixed = fixed)
    expect_gte(min(eigen(A - diag(end$first), TRUE, TRUE)$values), 0)
    expect_gt(min(end$first / largest_split(A)), 0.7)
    expect_gte(min(eigen(A - diag(end$D), TRUE, TRUE)$values), 0)
    expect_identical(end$D[fixed], end$first[fixed])
    value <- function(D) sum(g * D) + 1e-3 * as.numeric(determinant(A - diag(D))$modulus)
    expect_gte(value(end$D), value(end$first) - 1e-8)
    D <- largest_split(A)
    expect_true(splitting(A, D = D * (1 - 1e-7))$able)
    expect_false(splitting(A, D = D * (1 + 1e-9))$able)
    # an error of each entry may move an eigenvalue by more
    expect_false(splitting(A, D = D * (1 - 1e-7), error = 1e-6)$able)
  }
})
