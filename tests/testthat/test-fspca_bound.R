# The bound of row-sparse PCA; its oracle is in helper-certificates_fspca.R.

# the raw relaxation at given variables, or minimised
relaxation <- function(S, k, m, x = NULL, evaluations = 0L, widths = 0.005, inside = NULL,
                       outside = NULL) {
  .Call(rowsparse:::C_fspca_relaxation, S, x, list(
    k = as.integer(k), m = as.integer(m), evaluations = evaluations, tol = 1e-6, alpha = 1,
    widths = matrix(widths, 1), outside = outside,
    inside = if (is.null(inside)) logical(nrow(S)) else inside
  ))
}

# F(U, L, alpha) by its formula; rows in `inside` count in any case
plain_bound <- function(x, S, k, m, inside = logical(nrow(S))) {
  p <- nrow(S)
  r <- (length(x) - p^2 - p) / p
  U <- matrix(x[seq_len(p^2)], p, byrow = TRUE)
  L <- matrix(x[p^2 + seq_len(p * r)], p)
  alpha <- exp(utils::tail(x, p))
  s <- vapply(seq_len(p), function(i) {
    U[i, i]^2 + sum(utils::head(sort(U[i, -i]^2, decreasing = TRUE), k - 1))
  }, 0)
  h <- rowSums(L^2) + s / 4 / alpha
  A <- S - tcrossprod(L) - (U + t(U)) / 2 + diag(alpha, p)
  sum(eigen(A, TRUE, TRUE)$values[seq_len(m)]) + sum(h[inside]) +
    sum(utils::head(sort(h[!inside], decreasing = TRUE), k - sum(inside)))
}

captured_sum <- function(S, set, m) {
  sum(eigen(S[set, set, drop = FALSE], TRUE, TRUE)$values[seq_len(m)])
}

random_variables <- function(p, m) {
  r <- max(12, 3 * m)
  c(stats::rnorm(p^2), 0.3 * stats::rnorm(p * r), 0.5 * stats::rnorm(p))
}

test_that("the bound is its formula, and above every set, whatever the variables", {
  set.seed(501)
  for (trial in 1:60) {
    p <- sample(2:8, 1)
    m <- sample(min(3, p - 1), 1)
    k <- sample(seq(m, p), 1)
    S <- crossprod(matrix(stats::rnorm(p * sample(2:10, 1)), ncol = p))
    x <- random_variables(p, m)
    inside <- seq_len(p) %in% sample(p, sample(0:(k - 1), 1))
    found <- relaxation(S, k, m, x, inside = inside)
    plain <- plain_bound(x, S, k, m, inside)
    expect_equal(found$bound, plain, tolerance = 1e-10)
    expect_gte(found$bound, plain * (1 - 1e-14))
    sets <- utils::combn(p, k)
    sets <- sets[, apply(sets, 2, function(set) all(which(inside) %in% set)), drop = FALSE]
    best <- max(apply(sets, 2, function(set) {
      sum(eigen(S[set, set, drop = FALSE], TRUE, TRUE)$values[seq_len(m)])
    }))
    expect_gte(found$bound, best)
  }
})

test_that("the smoothed bound has the gradient of finite differences", {
  set.seed(502)
  for (width in c(0.5, 0.05)) {
    S <- crossprod(matrix(stats::rnorm(60), 10))
    x <- random_variables(6, 2)
    value <- function(x) relaxation(S, 3, 2, x, widths = width)$value
    step <- 1e-5
    differences <- vapply(seq_along(x), function(i) {
      (value(replace(x, i, x[i] + step)) - value(replace(x, i, x[i] - step))) / 2 / step
    }, 0)
    expect_equal(relaxation(S, 3, 2, x, widths = width)$gradient, differences, tolerance = 1e-6)
  }
})

test_that("rows outside press at the eigenvalue where the sum is least", {
  set.seed(506)
  S <- crossprod(matrix(stats::rnorm(60), 10))
  x <- random_variables(6, 2)
  outside <- cbind(stats::runif(9, 0, 3), stats::rexp(9, 0.1), 60 + stats::rnorm(9))
  value <- function(x, width = 0.5) relaxation(S, 3, 2, x, 0L, width, NULL, outside)$value
  step <- 1e-5
  differences <- vapply(seq_along(x), function(i) {
    (value(replace(x, i, x[i] + step)) - value(replace(x, i, x[i] - step))) / 2 / step
  }, 0)
  gradient <- relaxation(S, 3, 2, x, 0L, 0.5, NULL, outside)$gradient
  expect_equal(gradient, differences, tolerance = 1e-6)
  # hardly smoothed, beside the formula
  U <- matrix(x[1:36], 6, byrow = TRUE)
  L <- matrix(x[36 + 1:72], 6)
  A <- S - tcrossprod(L) - (U + t(U)) / 2 + diag(exp(x[109:114]))
  h <- relaxation(S, 3, 2, x)$h
  plain <- function(nu) {
    beta <- nu - outside[, 3]
    terms <- outside[, 1] + (sqrt(beta^2 + outside[, 2]) - beta) / 2
    values <- c(eigen(A, TRUE, TRUE)$values, nu, nu)
    sum(sort(values, decreasing = TRUE)[1:2]) + sum(sort(c(h, terms), decreasing = TRUE)[1:3])
  }
  least <- stats::optimize(plain, c(0, 200), tol = 1e-9)$objective
  expect_equal(value(x, 1e-4), least, tolerance = 1e-4)
  expect_lt(least, 0.99 * plain(eigen(A, TRUE, TRUE)$values[2]))
})

test_that("no claim of a certificate is wrong", {
  set.seed(503)
  counts <- certify_fspca_bound(4)
  expect_gt(sum(counts$tried), 40)
  expect_identical(sum(counts$wrong), 0)
  expect_lt(sum(counts$none), sum(counts$tried) / 2)
})

test_that("no claim of hundreds of certificates is wrong", {
  skip_slow()
  set.seed(504)
  counts <- certify_fspca_bound(40)
  expect_identical(sum(counts$wrong), 0)
})

test_that("sets of sixty features are proved optimal", {
  skip_if_quick()
  set.seed(505)
  x <- matrix(stats::rnorm(60 * 30), 60) %*% diag(stats::runif(30, 0.5, 1.5))
  fit <- fspca(x, 6, 2, certify = 30)
  expect_identical(fit$certificate$status, "optimal")
  expect_identical(fit$status, "optimal")
  expect_lte(fit$gap, 2e-9)
  expect_lte(fit$bound, utils::tail(fit$objective, 1))
  sum_of <- function(set) sum(eigen(scatter(x)[set, set], TRUE, TRUE)$values[1:2])
  expect_equal(sum_of(fit$selected), fit$certificate$bound, tolerance = 1e-8)
})

test_that("the free bounds come with every fit, and a certificate is never above them", {
  set.seed(506)
  x <- sample_matrix(40, 30)
  S <- scatter(x)
  free <- c(
    eigenvalues = sum(eigen(S, TRUE, TRUE)$values[1:2]), variances = sum(sort(diag(S), TRUE)[1:5])
  )
  fit <- fspca(x, 5, 2)
  expect_equal(fit$certificate$free, free, tolerance = 1e-6)
  expect_equal(-fit$bound, min(free), tolerance = 1e-6)
  expect_identical(fit$certificate$status, "not certified")
  none <- fspca(x, 5, 2, certify = 0)
  expect_identical(none$bound, fit$bound)
  full <- fspca(x, 5, 2, certify = 5)
  expect_lte(full$certificate$bound, min(full$certificate$free) * (1 + 1e-12))
  expect_gte(full$certificate$bound, captured_sum(S, full$selected, 2) * (1 - 1e-12))
})

test_that("any set is certified, from any kind of data", {
  set.seed(507)
  x <- sample_matrix(50, 16)
  panel <- c(3, 5, 8, 13)
  dense <- fspca_bound(x, 4, 2, panel, seconds = 10)
  expect_equal(dense$value, captured_sum(scatter(x), panel, 2))
  expect_gte(dense$best_value, dense$value)
  expect_lte(dense$share, 1)
  expect_equal(dense$share, dense$value / dense$bound)
  best <- max(utils::combn(16, 4, function(set) captured_sum(scatter(x), set, 2)))
  expect_equal(dense$best_value, best)
  expect_gte(dense$bound, best * (1 - 1e-12))
  expect_equal(fspca_bound(Matrix::Matrix(x, sparse = TRUE), 4, 2, panel, 10)$bound, dense$bound,
    tolerance = 1e-6
  )
  expect_equal(fspca_bound(moments(x), 4, 2, panel, 10)$bound, dense$bound, tolerance = 1e-6)
  expect_equal(fspca_bound(x, 4, 2, colnames(x)[panel], 10)$value, dense$value)
  expect_equal(fspca_bound(x, 4, 2, css(x, 4), 0)$m, 2L)
  expect_output(print(dense), "Your panel of 4 features of 16 carries at least")
  expect_identical(fspca_bound(x, 4, 2, seconds = 0)$status, "not certified")
})

test_that("features that are locked in or out bound the sets that are meant", {
  set.seed(508)
  x <- matrix(stats::rnorm(30 * 10), 30) %*% diag(stats::runif(10, 0.3, 1.5))
  fit <- fspca(x, 4, 2, certify = 10, include = 2:3, exclude = 1)
  S <- scatter(x)
  best <- max(utils::combn(4:10, 2, function(set) captured_sum(S, c(2, 3, set), 2)))
  expect_equal(sum(fit$values), best)
  expect_equal(fit$certificate$bound, best, tolerance = 1e-8)
  expect_true(all(2:3 %in% fit$selected))
})

test_that("m = k is exact, and so are data of rank m", {
  set.seed(509)
  x <- matrix(stats::rnorm(200), 20)
  fit <- fspca(x, 3, 3, certify = TRUE)
  expect_identical(fit$gap, 0)
  expect_identical(fit$certificate$status, "optimal")
  one <- outer(stats::rnorm(20), c(3, 1, 2, 5, 4))
  expect_identical(fspca(one, 2, 1, certify = 5)$certificate$status, "optimal")
})

test_that("what cannot be certified is refused", {
  set.seed(510)
  x <- matrix(stats::rnorm(200), 20)
  expect_refused <- function(call, subclass) {
    expect_error(call, class = paste0("rowsparse_error_", subclass))
  }
  expect_refused(fspca(x, 3, 2, certify = -1), "range")
  expect_refused(fspca(x, 3, 2, certify = NA), "type")
  expect_refused(fspca_bound(x, 2, 3), "range")
  expect_refused(fspca_bound(x, 11, 2), "range")
  expect_refused(fspca_bound(x, 4, 2, selected = 1), "length")
  expect_refused(fspca_bound(x, 4, 2, selected = 11), "names")
  expect_refused(fspca_bound(x, 4, 2, seconds = Inf), "range")
  expect_refused(fspca_bound(replace(x, 3, NaN), 4, 2), "nonfinite")
})

test_that("words hold what they say", {
  words <- rowsparse:::certificate_words
  expect_identical(words(0), "optimal")
  expect_identical(words(0.0201), "within 2.1% of the optimum")
  expect_identical(words(0.25), "within 25% of the optimum")
  expect_identical(words(0.5, FALSE), "not certified")
})

# ---- steps -----------------------------------------------------------------------

test_that("L-BFGS finds the minimum of a curved valley", {
  found <- .Call(rowsparse:::C_lbfgs, rep(c(-1.2, 1), 5), 1000L, NULL)
  expect_equal(found$x, rep(1, 10), tolerance = 1e-4)
  expect_lt(found$value, 1e-8)
  expect_lte(found$evaluations, 1000)
  # the metric changes the way, not the end
  other <- .Call(rowsparse:::C_lbfgs, rep(c(-1.2, 1), 5), 1000L, 10^seq(-1, 1, length.out = 10))
  expect_equal(other$x, rep(1, 10), tolerance = 1e-4)
  expect_false(identical(other$evaluations, found$evaluations))
  few <- .Call(rowsparse:::C_lbfgs, rep(c(-1.2, 1), 5), 7L, NULL)
  expect_identical(few$evaluations, 7L)
  expect_lt(few$value, .Call(rowsparse:::C_lbfgs, rep(c(-1.2, 1), 5), 1L, NULL)$value)
})

test_that("smooth sums of the largest are near them, on the right side", {
  set.seed(511)
  for (trial in 1:20) {
    x <- stats::rnorm(sample(2:20, 1))
    k <- sample(length(x) - 1, 1)
    sum_of <- sum(sort(x, decreasing = TRUE)[seq_len(k)])
    for (width in c(1, 0.1, 1e-3)) {
      log <- .Call(rowsparse:::C_softtop, x, k, width, TRUE)
      square <- .Call(rowsparse:::C_softtop, x, k, width, FALSE)
      for (soft in list(log, square)) {
        expect_equal(sum(soft$weight), k, tolerance = 1e-8)
        expect_true(all(soft$weight >= 0 & soft$weight <= 1))
      }
      expect_gte(log$value, sum_of - 1e-10)
      expect_lte(log$value, sum_of + width * length(x))
      expect_lte(square$value, sum_of + 1e-10)
      expect_gte(square$value, sum_of - k * width / 2 - 1e-10)
    }
  }
})

test_that("the sum of an arrow's largest eigenvalues is that of the matrix", {
  set.seed(512)
  for (trial in 1:50) {
    m <- sample(4, 1)
    l <- sort(stats::runif(m, 0, 3), decreasing = TRUE)
    b <- stats::rnorm(m) * sample(c(1, 1e-3), 1)
    s <- stats::runif(1, 0, 4)
    A <- rbind(cbind(diag(l, m), b), c(b, s))
    values <- eigen(A, TRUE, TRUE)$values
    expect_equal(.Call(rowsparse:::C_arrow_sum, l, b, s), sum(values[seq_len(m)]), tolerance = 1e-6)
  }
})
