# share of ||Xc||^2 that regression on the set reproduces
plain_share <- function(x, set, scale = FALSE) {
  xc <- centred(x, scale)
  1 - sum(qr.resid(qr(xc[, set, drop = FALSE]), xc)^2) / sum(xc^2)
}

css_cases <- function() {
  list(
    wide = sample_matrix(12, 30), tall = sample_matrix(40, 10), square = sample_matrix(15, 15)
  )
}

test_that("the share is the variance reproduced, at every size", {
  set.seed(21)
  for (x in css_cases()) {
    for (scale in c(FALSE, TRUE)) {
      for (solver in c("exchange", "forward")) {
        fit <- css(x, 6, m = Inf, solver = solver, scale = scale)
        plain <- vapply(fit$path$features, function(set) plain_share(x, set, scale), numeric(1))
        expect_equal(fit$path$explained, plain, tolerance = 1e-9)
        expect_equal(fit$explained, plain[6], tolerance = 1e-9)
        expect_setequal(fit$path$features[[6]], fit$selected)
        total <- sum(centred(x, scale)^2)
        expect_equal(fit$path$objective, (1 - plain) * total, tolerance = 1e-8)
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
        if (j %in% chosen) 0 else plain_share(x, c(chosen, j))
      }, numeric(1))
      chosen <- c(chosen, which.max(shares))
    }
    expect_equal(fit$selected, chosen)
    expect_equal(css(x, 5, m = Inf)$path$forward, fit$path$objective, tolerance = 1e-9)
  }
})

test_that("exchange is never below forward and ends where no exchange gains", {
  set.seed(23)
  for (i in 1:6) {
    x <- if (i %% 2) sample_matrix(12, 25, rank = 8) else sample_matrix(30, 14, rank = 8)
    fit <- css(x, 5, m = Inf)
    forward <- css(x, 5, m = Inf, solver = "forward")
    expect_true(all(fit$path$explained >= forward$path$explained - 1e-9))
    for (out in fit$selected) {
      for (new in setdiff(seq_len(ncol(x)), fit$selected)) {
        expect_lte(plain_share(x, c(setdiff(fit$selected, out), new)), fit$explained + 1e-8)
      }
    }
  }
})

test_that("k = 1 and 2 equal exhaustive search", {
  set.seed(24)
  for (i in 1:20) {
    x <- sample_matrix(sample(6:20, 1), sample(6:14, 1), rank = 6, noise = 1)
    for (k in 1:2) {
      sets <- utils::combn(ncol(x), k)
      best <- max(apply(sets, 2, function(set) plain_share(x, set)))
      expect_equal(css(x, k, m = Inf)$explained, best, tolerance = 1e-9)
    }
  }
})

test_that("dense, sparse and moments give one answer", {
  set.seed(25)
  for (x in css_cases()) {
    x[abs(x) < 1] <- 0
    dense <- css(x, 5, m = Inf)
    sparse <- css(Matrix::Matrix(x, sparse = TRUE), 5, m = Inf)
    for (fit in list(sparse, css(moments(x), 5, m = Inf))) {
      expect_equal(fit$path$explained, dense$path$explained, tolerance = 1e-8)
      expect_setequal(fit$selected, dense$selected)
    }
  }
})

test_that("the default is the components that carry 90% of the variance", {
  set.seed(26)
  x <- sample_matrix(50, 12)
  shares <- cumsum(eigen(scatter(x))$values) / sum(diag(scatter(x)))
  m <- which(shares >= 0.9)[1]
  expect_identical(css(x, 4)$parameters$m, m)
  expect_identical(css(x, 4)$selected, css(x, 4, m = m)$selected)
  expect_identical(rowsparse(x, k = 4, method = "css")$parameters$m, m)
})

test_that("component scores as the response", {
  set.seed(26)
  for (x in css_cases()) {
    fit <- css(x, 4, m = 3)
    xc <- centred(x)
    scores <- xc %*% svd(xc, 0, 3)$v
    residual <- qr.resid(qr(xc[, fit$selected]), scores)
    expect_equal(utils::tail(fit$path$explained, 1), 1 - sum(residual^2) / sum(scores^2),
      tolerance = 1e-6
    )
    expect_equal(fit$explained, variance_explained(x, fit))
    expect_equal(dim(fit$loadings), c(ncol(x), 3L))
    expect_equal(sum(rowSums(abs(fit$loadings)) > 0), 4)
    # with all components it is the problem of the data themselves
    rank <- qr(xc)$rank
    expect_equal(css(x, 4, m = rank)$explained, css(x, 4, m = Inf)$explained, tolerance = 1e-6)
    expect_setequal(css(x, 3, m = 2, solver = "forward")$path$k, 1:3)
  }
})

test_that("duplicated and constant columns never break it", {
  set.seed(27)
  x <- sample_matrix(20, 5, rank = 5, noise = 1)
  doubled <- unname(cbind(x, x, x[, 1] - x[, 2], 7))
  for (solver in c("exchange", "forward")) {
    expect_warning(fit <- css(doubled, 4, m = Inf, solver = solver),
      class = "rowsparse_warning_constant"
    )
    expect_equal(qr(doubled[, fit$selected])$rank, 4)
    expect_equal(fit$explained, plain_share(doubled, fit$selected), tolerance = 1e-8)
    fit <- suppressWarnings(css(doubled, 8, m = Inf, solver = solver))
    expect_length(unique(fit$selected), 8)
    expect_equal(fit$explained, 1, tolerance = 1e-8)
    expect_equal(utils::tail(fit$ranking, 1), 12)
  }
  expect_warning(css(doubled[, -12], 8, m = Inf), class = "rowsparse_warning_rank")
})

test_that("scores follow the ranking and the order of entry", {
  set.seed(28)
  x <- sample_matrix(15, 20)
  fit <- css(x, 5, m = Inf)
  expect_equal(fit$ranking[1:5], fit$selected)
  expect_lte(max(diff(fit$scores[fit$ranking])), 1e-12)
  gain <- plain_share(x, c(fit$selected, fit$ranking[6])) - fit$explained
  expect_equal(unname(fit$scores[fit$ranking[6]]), gain, tolerance = 1e-8)
  expect_equal(predict(fit, x), x[, fit$selected])
  expect_equal(css(x, 3, m = Inf, path = FALSE)$path$k, 3)
})

test_that("longer runs of exchanges stay exact", {
  set.seed(29)
  for (x in list(sample_matrix(50, 120, rank = 40), sample_matrix(150, 80, rank = 40))) {
    fit <- css(x, 25, m = Inf)
    shares <- vapply(fit$path$features, function(set) plain_share(x, set), numeric(1))
    expect_equal(fit$path$explained, shares, tolerance = 1e-8)
    expect_lte(max(-diff(fit$path$explained)), 1e-12)
  }
})
