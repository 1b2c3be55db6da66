scatters <- function(x, y, ridge) {
  x <- centred(x)
  groups <- stats::model.matrix(~ 0 + y)
  Sb <- crossprod(qr.fitted(qr(groups), x))
  St <- crossprod(x)
  list(Sb = Sb, Sw = St - Sb + ridge * mean(diag(St)) * diag(ncol(x)))
}

trace_ratio <- function(W, S) sum(W * (S$Sb %*% W)) / sum(W * (S$Sw %*% W))

# the best ratio on a set, by Dinkelbach's iteration
ratio_on <- function(set, S, m) {
  part <- lapply(S, function(A) A[set, set, drop = FALSE])
  ratio <- 0
  repeat {
    W <- eigen(part$Sb - ratio * part$Sw, symmetric = TRUE)$vectors[, seq_len(m), drop = FALSE]
    if (trace_ratio(W, part) <= ratio * (1 + 1e-13)) {
      return(ratio)
    }
    ratio <- trace_ratio(W, part)
  }
}

best_ratio <- function(S, k, m) max(apply(utils::combn(ncol(S$Sb), k), 2, ratio_on, S = S, m = m))

discriminant_data <- function(seed, n = 40, d = 9) {
  y <- factor(rep(c("a", "b", "c"), length.out = n))
  x <- from_seed(seed, matrix(stats::rnorm(n * d), n) %*% matrix(stats::rnorm(d * d), d))
  x[, 1:4] <- x[, 1:4] + 3 * matrix(stats::rnorm(12), 3)[y, ]
  list(x = x, y = y)
}

test_that("the ratio is that of the loadings, never falls, and is the best on its set", {
  for (shape in list(c(40, 9), c(15, 40), c(60, 300))) {
    data <- discriminant_data(shape[2], shape[1], shape[2])
    for (m in c(1, 2, 5)) {
      fit <- s2dfs(data$x, data$y, 6, m, scale = FALSE)
      S <- scatters(data$x, data$y, 1e-3)
      expect_orthonormal(fit$loadings)
      expect_setequal(which(rowSums(fit$loadings^2) > 0), fit$selected)
      expect_equal(trace_ratio(fit$loadings, S), fit$ratio, tolerance = 1e-8)
      expect_equal(-utils::tail(fit$objective, 1), fit$ratio)
      expect_never_rises(fit$objective)
      expect_equal(ratio_on(fit$selected, S, m), fit$ratio, tolerance = 1e-8)
    }
  }
})

core_ends_here()

test_that("m = k gives the global optimum, all features trace-ratio discriminant analysis", {
  for (seed in 1:4) {
    data <- discriminant_data(seed)
    S <- scatters(data$x, data$y, 1e-3)
    fit <- s2dfs(data$x, data$y, 4, 4, scale = FALSE)
    sums <- utils::combn(9, 4, function(set) sum(diag(S$Sb)[set]) / sum(diag(S$Sw)[set]))
    expect_equal(fit$ratio, max(sums), tolerance = 1e-10)
    expect_identical(fit$gap, 0)
    expect_equal(trace_ratio(fit$loadings, S), fit$ratio, tolerance = 1e-8)
    all <- s2dfs(data$x, data$y, 9, 2, scale = FALSE)
    expect_equal(all$ratio, ratio_on(1:9, S, 2), tolerance = 1e-8)
  }
})

test_that("on small problems it is the best set, or near it", {
  share <- vapply(1:10, function(seed) {
    data <- discriminant_data(20 + seed, 40, 8)
    S <- scatters(data$x, data$y, 1e-3)
    s2dfs(data$x, data$y, 3, 2, scale = FALSE)$ratio / best_ratio(S, 3, 2)
  }, 0)
  expect_lte(max(share), 1 + 1e-8)
  expect_gt(min(share), 0.8)
  expect_gt(mean(share), 0.95)
})

test_that("no exchange of one feature among the candidates raises the ratio", {
  shapes <- list(c(40, 9, 3, 2), c(30, 30, 6, 2), c(15, 60, 8, 2), c(60, 40, 5, 1), c(40, 25, 7, 5))
  for (shape in shapes) {
    for (seed in 1:3) {
      data <- discriminant_data(100 * seed + shape[2], shape[1], shape[2])
      S <- scatters(data$x, data$y, 1e-3)
      fit <- s2dfs(data$x, data$y, shape[3], shape[4], scale = FALSE)
      outside <- setdiff(seq_len(shape[2]), fit$selected)
      expect_identical(fit$candidates, length(outside))
      others <- vapply(outside, function(enter) {
        max(vapply(seq_len(shape[3]), function(place) {
          ratio_on(replace(fit$selected, place, enter), S, shape[4])
        }, 0))
      }, 0)
      expect_lte(max(others), fit$ratio * (1 + 1e-9))
    }
  }
})
