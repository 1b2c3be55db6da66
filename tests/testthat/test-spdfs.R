# the ratio of the page, with the best centres
plain_ratio <- function(x, W, y, r) {
  z <- centred(x) %*% W
  powers <- y^r
  total <- sum(z^2)
  within <- vapply(which(colSums(powers) > 0), function(j) {
    centre <- colSums(powers[, j] * z) / sum(powers[, j])
    sum(powers[, j] * rowSums(sweep(z, 2, centre)^2))
  }, 0)
  sum(within) / total
}

test_that("the ratio is that of the page", {
  for (shape in list(c(45, 12), c(20, 60), c(50, 300))) {
    data <- class_data(shape[2], shape[1], shape[2])
    for (r in c(1, 1.1, 1.5)) {
      fit <- spdfs(data$x, 6, 3, r = r)
      expect_orthonormal(fit$loadings)
      expect_setequal(which(rowSums(fit$loadings^2) > 0), fit$selected)
      expect_equal(rowSums(fit$membership), rep(1, shape[1]))
      expect_gte(min(fit$membership), 0)
      expect_equal(utils::tail(fit$objective, 1),
        plain_ratio(data$x, fit$loadings, fit$membership, r), tolerance = 1e-7
      )
    }
    expect_true(all(spdfs(data$x, 6, 3, r = 1)$membership %in% 0:1))
  }
})

core_ends_here()

test_that("all features with a crisp partition are trace-ratio discriminant analysis", {
  data <- class_data(2, d = 6)
  fit <- spdfs(data$x, 6, 3, m = 2, r = 1, start = data$label)
  St <- crossprod(centred(data$x))
  within <- centred(data$x - apply(data$x, 2, stats::ave, fit$cluster))
  Sw <- crossprod(within)
  ratio <- 1
  for (i in 1:60) {
    W <- eigen(ratio * St - Sw, symmetric = TRUE)$vectors[, 1:2]
    ratio <- sum(W * (Sw %*% W)) / sum(W * (St %*% W))
  }
  expect_equal(utils::tail(fit$objective, 1), ratio, tolerance = 1e-6)
})

test_that("a ratio of zero is said, and the first set kept in any order of the features", {
  x <- from_seed(5, matrix(stats::rnorm(6 * 40), 6))
  group <- c(1, 1, 2, 2, 3, 3)
  order <- sample(40)
  # 6 samples in 3 clusters: zero from 6 - 3 + m features on
  expect_silent(fit <- spdfs(x, 4, m = 2, start = group))
  expect_gt(utils::tail(fit$objective, 1), 1e-10)
  for (m in 1:2) {
    expect_warning(fit <- spdfs(x, 3 + m, m = m, r = 1, start = group),
      class = "rowsparse_warning_not_unique"
    )
    expect_lt(utils::tail(fit$objective, 1), 1e-14)
    expect_equal(plain_ratio(x, fit$loadings, fit$membership, 1), 0)
    again <- suppressWarnings(spdfs(x[, order], 3 + m, m = m, r = 1, start = group))
    expect_identical(order[again$selected], fit$selected)
    expect_equal(again$scores, fit$scores[order])
  }
})
