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

best_ratio <- function(S, k, m) {
  max(apply(utils::combn(ncol(S$Sb), k), 2, ratio_on, S = S, m = m))
}

discriminant_data <- function(seed, n = 40, d = 9) {
  set.seed(seed)
  y <- factor(rep(c("a", "b", "c"), length.out = n))
  x <- matrix(stats::rnorm(n * d), n) %*% matrix(stats::rnorm(d * d), d)
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

test_that("it ends no lower than from the set of fspca(), which the classes do not know", {
  for (shape in list(c(40, 20), c(30, 60))) {
    data <- discriminant_data(shape[1], shape[1], shape[2])
    for (m in 1:2) {
      fit <- s2dfs(data$x, data$y, 5, m)
      set <- fspca(scale(data$x), 5, m)$selected
      expect_gte(fit$ratio, s2dfs(data$x, data$y, 5, m, start = set)$ratio * (1 - 1e-9))
      into <- s2dfs(data$x, data$y, 5, m, include = c(7, 9))
      expect_true(all(c(7, 9) %in% into$selected))
      least <- s2dfs(data$x, data$y, 5, m, include = c(7, 9),
        start = fspca(scale(data$x), 5, m, include = c(7, 9))$selected
      )
      expect_gte(into$ratio, least$ratio * (1 - 1e-9))
    }
  }
})

test_that("starts, units, and the order of samples", {
  data <- discriminant_data(5)
  fit <- s2dfs(data$x, data$y, 3)
  expect_gte(s2dfs(data$x, data$y, 3, start = fit)$ratio, fit$ratio * (1 - 1e-10))
  bad <- s2dfs(data$x, data$y, 3, start = 7:9)
  expect_lte(bad$objective[length(bad$objective)], bad$objective[1])
  for (unit in c(1e-120, 1e120)) {
    again <- s2dfs(unit * data$x, data$y, 3, scale = FALSE)
    expect_equal(again$ratio, s2dfs(data$x, data$y, 3, scale = FALSE)$ratio, tolerance = 1e-8)
  }
  rows <- sample(40)
  expect_identical(s2dfs(data$x[rows, ], data$y[rows], 3)$selected, fit$selected)
})

test_that("features without scatter within the classes, and constant ones", {
  data <- discriminant_data(6)
  x <- cbind(data$x, as.integer(data$y), 2)
  fit <- suppressWarnings(s2dfs(x, data$y, 3))
  expect_true(10L %in% fit$selected)
  expect_false(11L %in% fit$selected)
  expect_true(is.finite(fit$ratio))
  expect_refused(suppressWarnings(s2dfs(x[, 10:11], data$y, 1, ridge = 0)), "numerical", "s2dfs")
})

test_that("bad arguments are refused", {
  data <- discriminant_data(7)
  expect_refused(s2dfs(data$x, data$x[, 1], 3), "type", "class labels")
  expect_refused(s2dfs(data$x, data$y, 2, 3), "range", "`k`")
  expect_refused(s2dfs(data$x, data$y, 10), "range", "`k`")
  expect_refused(s2dfs(data$x, data$y, 3, ridge = -1), "range", "`ridge`")
  expect_refused(s2dfs(data$x, data$y, 3, start = 1:2), "length", "must hold 3 features")
  expect_refused(s2dfs(data$x, data$y), "missing", "`k` must be given")
})

test_that("no recorded run of the authors' code has a larger ratio", {
  each_supervised_case("s2dfs", function(case, x, y) {
    fit <- s2dfs(x, factor(y), case$params$s, case$params$m, ridge = 0, scale = FALSE)
    expect_gte(fit$ratio, case$objective_best_of_3 * (1 - 1e-8))
    if (case$params$m == case$params$s) {
      best <- case$optimum$value
      if (!is.null(best)) expect_equal(fit$ratio, best, tolerance = 1e-8)
    }
  })
})

test_that("scores belong to the matrix of the last ratio", {
  data <- discriminant_data(7)
  fit <- s2dfs(data$x, data$y, 5, 1, scale = FALSE)
  S <- scatters(data$x, data$y, 1e-3)
  values <- eigen(S$Sb - fit$ratio * S$Sw, symmetric = TRUE)$values
  # in the set they are theta w_j^2, theta the leading eigenvalue of A on it, which is zero but
  # for the shift
  theta <- fit$scores[fit$selected] / fit$loadings[fit$selected, 1]^2
  expect_equal(unname(theta), rep(-min(values), 5), tolerance = 0.1)
})

test_that("features that are multiples of each other are selected by variance", {
  set.seed(16)
  x <- stats::rnorm(30) %o% stats::rnorm(40)
  y <- factor(rep(1:3, 10))
  order <- sample(40)
  select <- function(data) s2dfs(data, y, 6)$selected
  expect_identical(select(x), order(-apply(x, 2, stats::sd))[1:6])
  expect_identical(order[select(x[, order])], select(x))
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

test_that("exchanges keep features that are included, and leave constant ones outside", {
  data <- discriminant_data(8, 40, 20)
  x <- cbind(data$x, 1)
  # the mean of the sums of squares is over 21 features
  S <- scatters(data$x, data$y, 1e-3 * 20 / 21)
  fit <- suppressWarnings(s2dfs(x, data$y, 6, 2, scale = FALSE, include = c(18, 20)))
  expect_true(all(c(18, 20) %in% fit$selected))
  expect_false(21L %in% fit$selected)
  free <- setdiff(fit$selected, c(18, 20))
  for (enter in setdiff(1:20, fit$selected)) {
    for (leave in free) {
      other <- c(enter, setdiff(fit$selected, leave))
      expect_lte(ratio_on(other, S, 2), fit$ratio * (1 + 1e-9))
    }
  }
})

test_that("random exchanges on faces do not raise the ratio", {
  data <- shared_data("warpPIE10P")
  x <- scale(data$x)
  y <- factor(data$y)
  fit <- s2dfs(x, y, 12, scale = FALSE)
  expect_identical(fit$candidates, 1000L)
  x <- x[, seq_len(ncol(x))]
  total <- sum(x^2) / ncol(x)
  set.seed(1)
  swaps <- replicate(100, {
    set <- replace(fit$selected, sample(12, 1), sample(setdiff(seq_len(ncol(x)), fit$selected), 1))
    groups <- stats::model.matrix(~ 0 + y)
    part <- x[, set]
    Sb <- crossprod(qr.fitted(qr(groups), part))
    S <- list(Sb = Sb, Sw = crossprod(part) - Sb + 1e-3 * total * diag(12))
    ratio_on(1:12, S, 9)
  })
  expect_lte(max(swaps), fit$ratio * (1 + 1e-9))
})
