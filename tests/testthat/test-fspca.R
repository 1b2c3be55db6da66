# fspca(): values of sets in plain R, enumeration, published runs

best_of <- function(S, k, m) max(utils::combn(nrow(S), k, components_value(S, m)))

varied <- function(n, d) matrix(stats::rnorm(n * d), n) %*% diag(stats::runif(d, 0.3, 1.5))

value <- function(fit) -utils::tail(fit$objective, 1)

test_that("loadings are the best basis on the set and the objective is the formula", {
  for (x in from_seed(81, of_sizes(list(c(50, 20), c(15, 60)), sample_matrix))) {
    S <- scatter(x)
    values <- vapply(c("go", "ipu", "exchange"), function(solver) {
      fit <- fspca(x, 7, 3, solver)
      W <- fit$loadings
      expect_orthonormal(W)
      expect_setequal(which(rowSums(W != 0) > 0), fit$selected)
      expect_equal(value(fit), sum(W * (S %*% W)))
      expect_equal(value(fit), components_value(S, 3)(fit$selected))
      expect_equal(fit$captured, value(fit) / sum(diag(S)))
      expect_gte(-fit$bound, value(fit))
      expect_never_rises(fit$objective)
      value(fit)
    }, 0)
    expect_false(is.unsorted(values))
  }
})

core_ends_here()

test_that("ipu ends at a fixed point of its update", {
  x <- from_seed(82, varied(40, 30))
  fit <- fspca(x, 8, 3, "ipu")
  G <- scatter(x) %*% fit$loadings
  P <- diag(G %*% solve(crossprod(fit$loadings, G), t(G)))
  expect_setequal(order(-P)[1:8], fit$selected)
  expect_equal(sort(unname(fit$scores[fit$selected])), sort(unname(P[fit$selected])))
  updates <- vapply(1:20, function(seed) {
    set.seed(seed)
    fspca(varied(15, 60), 6, 2, "ipu")$iterations
  }, 0L)
  set.seed(which.max(updates))
  expect_warning(fspca(varied(15, 60), 6, 2, "ipu", control = list(maxit = 1)),
    class = "rowsparse_warning_convergence"
  )
})

test_that("go is optimal when the rank is at most m", {
  x <- from_seed(83, matrix(rnorm(40 * 2), 40) %*% matrix(rnorm(2 * 9), 2))
  for (m in 2:3) {
    fit <- fspca(x, 4, m, "go")
    expect_identical(fit$gap, 0)
    expect_equal(value(fit), best_of(scatter(x), 4, m))
    expect_true(all(is.finite(fit$scores)))
  }
  expect_gt(fspca(x, 4, 1, "go")$gap, 0)
})

test_that("exact equals the enumeration of all sets, and exchanges mostly find the best", {
  set.seed(84)
  found <- vapply(1:16, function(trial) {
    x <- if (trial %% 4) varied(30, 11) else varied(6, 11)
    if (trial %% 5 == 0) x[, 2] <- x[, 1]
    scale <- trial %% 3 == 0
    S <- scatter(x, scale)
    k <- sample(2:6, 1)
    m <- sample(k - 1, 1)
    fit <- suppressWarnings(fspca(x, k, m, "exact", scale = scale))
    best <- best_of(S, k, m)
    expect_equal(value(fit), best)
    expect_identical(fit$gap, 0)
    for (other in list(row_blocks(x, rows = 4), moments(x))) {
      expect_equal(value(suppressWarnings(fspca(other, k, m, "exact", scale = scale))), best)
    }
    values <- vapply(c("exchange", "ipu", "go"), function(solver) {
      components_value(S, m)(suppressWarnings(fspca(x, k, m, solver, scale = scale))$selected)
    }, 0)
    expect_gte(values[["exchange"]], max(values) * (1 - 1e-10))
    values >= best * (1 - 1e-9)
  }, logical(3))
  expect_gte(mean(found[1, ]), 0.9)
  # the exact search is not a copy of its candidates
  expect_lt(mean(found[2:3, ]), 1)
})

test_that("exact keeps the best of sets that differ by less than exchanges tell", {
  for (seed in 1:20) {
    x <- from_seed(seed, matrix(stats::rnorm(17 * 8), 17))
    x[1:2, ] <- x[1:2, ] * 10^stats::runif(2, 3, 6)
    fit <- suppressWarnings(fspca(x, 4, 3, solver = "exact", scale = TRUE))
    expect_gte(sum(fit$values), best_of(crossprod(scale(x)), 4, 3) * (1 - 3e-12))
  }
})

test_that("exact stops at its time limit and states what is left, or goes on to the end", {
  x <- from_seed(94, matrix(stats::rnorm(30 * 120), 30))
  expect_warning(fit <- fspca(x, 20, 3, "exact", time_limit = 0.2),
    class = "rowsparse_warning_convergence"
  )
  expect_gt(fit$gap, 0)
  expect_match(fit$status, "within .*% of the optimum")
  # more sets than an enumeration could look at
  y <- varied(60, 40)
  best <- fspca(y, 12, 1, "exact", time_limit = Inf)
  expect_identical(best$status, "optimal")
  expect_lte(value(fspca(y, 12, 1)), value(best))
  expect_error(rowsparse:::check_certifiable(list(kind = "blocks", d = 1e4)),
    class = "rowsparse_error_size"
  )
})

test_that("m = k takes the largest variances, k = d is principal component analysis", {
  x <- from_seed(86, varied(40, 15))
  for (solver in c("go", "ipu", "exact")) {
    fit <- fspca(x, 4, 4, solver)
    expect_setequal(fit$selected, order(-diag(scatter(x)))[1:4])
    expect_identical(fit$gap, 0)
    expect_equal(value(fspca(x, 15, 3, solver)), sum(svd(centred(x))$d[1:3]^2))
  }
})

test_that("closed forms take no constant feature, and the larger of variances that nearly tie", {
  set.seed(87)
  x <- cbind(replace(rep(1e15, 20), 1:2, 1e15 * (1 + 2^-52)), 1e-9 * rnorm(20), rnorm(20))
  expect_setequal(suppressWarnings(fspca(x, 2, 1, "go"))$selected, 2:3)
  z <- scale(matrix(rnorm(60), 20))
  z <- z * rep(c(1, 1 + 4e-12, 0.5), each = 20)
  expect_identical(suppressWarnings(fspca(z, 1, 1))$selected, 2L)
})

test_that("a proof takes no constant feature where all sets carry as much", {
  x <- Reduce(kronecker, rep(list(matrix(c(1, 1, 1, -1), 2)), 4))[, 1:11]
  for (given in list(list(), list(include = 3), list(exclude = 6), list(include = 1))) {
    for (k in 9:10 - length(given$exclude)) {
      # any m of the orthogonal columns carry m times their square
      fit <- suppressWarnings(do.call(fspca, c(list(x, k, 2, "exact", scale = TRUE), given)))
      expect_equal(value(fit), 2 * 15)
      expect_identical(fit$gap, 0)
      expect_identical(1L %in% fit$selected, identical(given$include, 1))
    }
  }
})

test_that("columns over 180 orders of magnitude have eigenvalues", {
  for (seed in 1:5) {
    x <- from_seed(seed, matrix(rnorm(24), 8) %*% diag(10^c(-45, 135, 8)))
    expect_equal(value(suppressWarnings(fspca(x, 3, 1, "ipu"))), sum(centred(x)[, 2]^2))
  }
})

test_that("no exchange of any two features is left where candidates are bounded", {
  for (seed in c(1, 3)) {
    set.seed(seed)
    for (m in 1:3) {
      x <- matrix(rnorm(20 * 100), 20)
      carried <- components_value(scatter(x), m)
      set <- selected(fspca(x, 8, m))
      best <- max(vapply(set, function(out) {
        others <- setdiff(seq_len(100), set)
        max(vapply(others, function(j) carried(c(setdiff(set, out), j)), 0))
      }, 0))
      expect_lte(best, carried(set) * (1 + 1e-9))
    }
  }
})

test_that("exchanges find what the leading rows hide, and random starts do not make it worse", {
  # one feature correlates with many small ones; large ones stand alone
  common <- from_seed(92, rnorm(60))
  x <- cbind(sapply(1:6, function(j) common + 0.3 * rnorm(60)), matrix(1.6 * rnorm(60 * 20), 60))
  carried <- components_value(scatter(x), 1)
  fit <- fspca(x, 6, 1)
  expect_gte(carried(fit$selected), carried(1:6) * (1 - 1e-10))
  set.seed(93)
  drawn <- fspca(x, 6, 1, starts = 10)
  set.seed(93)
  expect_identical(fspca(x, 6, 1, starts = 10)$selected, drawn$selected)
  expect_gte(value(drawn), value(fit))
})
