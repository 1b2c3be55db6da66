captured <- function(S, rows, m) {
  sum(eigen(S[rows, rows, drop = FALSE], TRUE, TRUE)$values[seq_len(m)])
}

varied <- function(n, d) {
  matrix(stats::rnorm(n * d), n) %*% diag(stats::runif(d, 0.3, 1.5))
}

test_that("loadings are the best basis on the set and the objective is the formula", {
  set.seed(81)
  for (size in list(c(50, 20), c(15, 60))) {
    x <- sample_matrix(size[1], size[2])
    S <- scatter(x)
    for (solver in c("go", "ipu")) {
      fit <- fspca(x, 7, 3, solver)
      W <- fit$loadings
      expect_orthonormal(W)
      expect_setequal(which(rowSums(W != 0) > 0), fit$selected)
      expect_equal(utils::tail(fit$objective, 1), -sum(W * (S %*% W)))
      expect_equal(-utils::tail(fit$objective, 1), captured(S, fit$selected, 3))
      expect_equal(fit$captured, captured(S, fit$selected, 3) / sum(diag(S)))
      expect_never_rises(fit$objective)
      expect_true(fit$converged)
      expect_false(is.unsorted(-fit$scores[fit$ranking]))
    }
    expect_lte(utils::tail(fspca(x, 7, 3, "ipu")$objective, 1),
      utils::tail(fspca(x, 7, 3, "go")$objective, 1)
    )
  }
})

core_ends_here()

test_that("ipu ends at a fixed point of its update", {
  set.seed(82)
  x <- varied(40, 30)
  S <- scatter(x)
  fit <- fspca(x, 8, 3, "ipu")
  W <- fit$loadings
  G <- S %*% W
  P <- diag(G %*% solve(crossprod(W, G), t(G)))
  expect_setequal(order(-P)[1:8], fit$selected)
  expect_equal(sort(unname(fit$scores[fit$selected])), sort(unname(P[fit$selected])))
})

test_that("go is optimal when the rank is at most m", {
  set.seed(83)
  x <- matrix(rnorm(40 * 2), 40) %*% matrix(rnorm(2 * 9), 2)
  S <- scatter(x)
  for (m in 2:3) {
    fit <- fspca(x, 4, m, "go")
    expect_identical(fit$gap, 0)
    best <- max(utils::combn(9, 4, function(rows) captured(S, rows, m)))
    expect_equal(-utils::tail(fit$objective, 1), best)
  }
  expect_gt(fspca(x, 4, 1, "go")$gap, 0)
})

test_that("exact equals the enumeration of all sets", {
  set.seed(84)
  better <- 0
  for (trial in 1:12) {
    x <- varied(30, 12)
    S <- scatter(x)
    k <- sample(2:8, 1)
    m <- sample(k - 1, 1)
    fit <- fspca(x, k, m, "exact")
    sums <- utils::combn(12, k, function(rows) captured(S, rows, m))
    expect_equal(-utils::tail(fit$objective, 1), max(sums))
    expect_setequal(fit$selected, utils::combn(12, k)[, which.max(sums)])
    expect_identical(fit$gap, 0)
    ipu <- fspca(x, k, m, "ipu")
    end <- utils::tail(fit$objective, 1)
    expect_gte(utils::tail(ipu$objective, 1), end - 1e-9)
    better <- better + (utils::tail(ipu$objective, 1) > end + 1e-9)
  }
  expect_gt(better, 0) # the search is not a copy of its first candidate
})

test_that("exact takes wide and sparse data and moments", {
  set.seed(85)
  x <- varied(6, 10)
  fit <- fspca(x, 4, 2, "exact")
  expect_identical(fspca(moments(x), 4, 2, "exact")$selected, fit$selected)
  expect_identical(fspca(Matrix::Matrix(x, sparse = TRUE), 4, 2, "exact")$selected, fit$selected)
  scaled <- fspca(x, 4, 2, "exact", scale = TRUE)
  expect_equal(-utils::tail(scaled$objective, 1),
    max(utils::combn(10, 4, function(rows) captured(scatter(x, TRUE), rows, 2)))
  )
})

test_that("exact stops at its time limit and states what is left, or goes on to the end", {
  set.seed(94)
  x <- matrix(stats::rnorm(30 * 120), 30)
  expect_warning(fit <- fspca(x, 20, 3, "exact", time_limit = 0.2),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_gt(fit$gap, 0)
  expect_lt(fit$bound, utils::tail(fit$objective, 1))
  expect_match(fit$status, "within .*% of the optimum")
  expect_identical(fit$parameters$time_limit, 0.2)
  # more sets than an enumeration could look at
  y <- varied(60, 40)
  best <- fspca(y, 12, 1, "exact", time_limit = Inf)
  expect_identical(c(best$gap, best$converged), c(0, 1))
  expect_identical(best$status, "optimal")
  expect_gte(utils::tail(fspca(y, 12, 1)$objective, 1), utils::tail(best$objective, 1))
})

test_that("exact takes row blocks, as long as their cross-products are small", {
  set.seed(95)
  x <- varied(30, 10)
  expect_setequal(fspca(row_blocks(x, rows = 7), 4, 2, "exact")$selected,
    fspca(x, 4, 2, "exact")$selected
  )
  expect_error(rowsparse:::check_certifiable(list(kind = "blocks", d = 1e4)),
    class = "rowsparse_error_size"
  )
})

test_that("m = k takes the largest variances, k = d is principal component analysis", {
  set.seed(86)
  x <- varied(40, 15)
  for (solver in c("go", "ipu", "exact")) {
    fit <- fspca(x, 4, 4, solver)
    expect_setequal(fit$selected, order(-diag(scatter(x)))[1:4])
    expect_identical(fit$gap, 0)
    full <- fspca(x, 15, 3, solver)
    expect_equal(-utils::tail(full$objective, 1), sum(svd(centred(x))$d[1:3]^2))
  }
})

test_that("dense, sparse and moments agree, and a wide set uses the samples", {
  set.seed(87)
  for (size in list(c(50, 20, 6), c(12, 60, 30))) {
    x <- sample_matrix(size[1], size[2])
    x[abs(x) < 1] <- 0
    for (solver in c("go", "ipu")) {
      dense <- fspca(x, size[3], 2, solver)
      for (other in list(
        fspca(Matrix::Matrix(x, sparse = TRUE), size[3], 2, solver),
        fspca(moments(x), size[3], 2, solver)
      )) {
        expect_setequal(other$selected, dense$selected)
        expect_equal(other$objective, dense$objective)
      }
    }
  }
})

test_that("large sets go through the iterative eigen-solver", {
  skip_if_quick()
  set.seed(88)
  x <- sample_matrix(700, 400, rank = 8)
  fit <- fspca(x, 320, 3, "ipu")
  expect_equal(-utils::tail(fit$objective, 1), captured(scatter(x), fit$selected, 3))
  wide <- sample_matrix(300, 700, rank = 8)
  fit <- fspca(wide, 500, 3, "go")
  expect_equal(-fit$objective, sum(svd(centred(wide)[, fit$selected])$d[1:3]^2))
})

test_that("the published sets and objectives come out", {
  x <- shared_data("lung_discrete")$x
  for (case in shared_reference("fspca")) {
    p <- case$params
    go <- fspca(x, p$k, p$m, "go")
    ipu <- fspca(x, p$k, p$m, "ipu")
    expect_setequal(go$selected, p$go_set)
    expect_setequal(ipu$selected, p$ipu_set)
    expect_equal(-utils::tail(go$objective, 1) / (nrow(x) - 1), p$go_obj, tolerance = 1e-8)
    expect_equal(-utils::tail(ipu$objective, 1) / (nrow(x) - 1), p$ipu_obj, tolerance = 1e-8)
  }
})

test_that("components beyond the rank of the data leave scores finite", {
  set.seed(89)
  x <- outer(stats::rnorm(20), stats::runif(8, 0.5, 2))
  for (solver in c("go", "ipu")) {
    fit <- fspca(x, 5, 3, solver)
    expect_true(all(is.finite(fit$scores)))
    # rank one: the largest variances are the best set
    expect_setequal(fit$selected, order(-diag(scatter(x)))[1:5])
    expect_equal(-utils::tail(fit$objective, 1), sum(sort(diag(scatter(x)), TRUE)[1:5]))
  }
})

test_that("one update of ipu is a warning", {
  run <- function(seed, ...) {
    set.seed(seed)
    fspca(varied(15, 60), 6, 2, "ipu", control = list(...))
  }
  updates <- vapply(1:40, function(seed) run(seed)$iterations, 0L)
  expect_warning(fit <- run(which.max(updates), maxit = 1), class = "rowsparse_warning_convergence")
  expect_length(fit$selected, 6)
  expect_lte(fit$objective[2], fit$objective[1])
})

test_that("exchanges end no lower than the other solvers, and mostly at the best set", {
  set.seed(91)
  best_found <- vapply(1:20, function(trial) {
    d <- sample(8:11, 1)
    x <- varied(30, d)
    if (trial %% 4 == 0) x[, 2] <- x[, 1]
    S <- scatter(x)
    k <- sample(3:5, 1)
    m <- sample(2, 1)
    value <- vapply(c("exchange", "ipu", "go"), function(solver) {
      fit <- fspca(x, k, m, solver)
      # from the set itself, in plain R
      captured(S, fit$selected, m)
    }, 0)
    expect_gte(value[["exchange"]], max(value) * (1 - 1e-10))
    best <- max(utils::combn(d, k, function(rows) captured(S, rows, m)))
    expect_lte(value[["exchange"]], best * (1 + 1e-10))
    value[["exchange"]] >= best * (1 - 1e-9)
  }, NA)
  expect_gte(mean(best_found), 0.9)
})

test_that("exchanges find what the leading rows hide", {
  # one feature correlates with many small ones; large ones stand alone
  set.seed(92)
  common <- rnorm(60)
  x <- cbind(
    sapply(1:6, function(j) common + 0.3 * rnorm(60)), matrix(1.6 * rnorm(60 * 20), 60)
  )
  S <- scatter(x)
  fit <- fspca(x, 6, 1)
  expect_gte(captured(S, fit$selected, 1), captured(S, 1:6, 1) * (1 - 1e-10))
})

test_that("without starts nothing is drawn, and starts do not make it worse", {
  x <- varied(40, 60)
  set.seed(93)
  before <- .Random.seed
  plain <- fspca(x, 8, 2)
  expect_identical(.Random.seed, before)
  drawn <- fspca(x, 8, 2, starts = 10)
  set.seed(93)
  again <- fspca(x, 8, 2, starts = 10)
  expect_identical(again$selected, drawn$selected)
  expect_lte(utils::tail(drawn$objective, 1), utils::tail(plain$objective, 1) * (1 - 1e-10))
})

test_that("exact keeps the best of sets that differ by less than exchanges tell", {
  for (seed in 1:40) {
    set.seed(seed)
    x <- matrix(stats::rnorm(17 * 8), 17)
    x[1:2, ] <- x[1:2, ] * 10^stats::runif(2, 3, 6)
    fit <- suppressWarnings(fspca(x, 4, 3, solver = "exact", scale = TRUE))
    S <- crossprod(scale(x))
    best <- max(utils::combn(8, 4, function(set) {
      sum(eigen(S[set, set], TRUE, TRUE)$values[1:3])
    }))
    expect_gte(sum(fit$values), best * (1 - 3e-12))
  }
})
