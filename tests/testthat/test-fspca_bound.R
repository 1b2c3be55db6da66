# The bound of row-sparse PCA; its oracle is in helper-certificates_fspca.R.

# the raw relaxation at given variables, or minimised
relaxation <- function(S, k, m, x = NULL, evaluations = 0L, widths = 0.005, inside = NULL,
                       outside = NULL, asked = NULL, with = TRUE) {
  c_call("C_fspca_relaxation", S, x, list(
    k = as.integer(k), m = as.integer(m), evaluations = evaluations, tol = 1e-6, alpha = 1,
    widths = matrix(widths, 1), outside = outside, asked = asked, with = as.integer(with),
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

core_ends_here()

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

test_that("what is minimised for open questions is its formula, with its gradient", {
  set.seed(507)
  S <- crossprod(matrix(stats::rnorm(70), 10))
  x <- random_variables(7, 2)
  inside <- seq_len(7) == 3
  step <- 1e-5
  for (with in c(TRUE, FALSE)) {
    # without them: rows among the k largest
    h <- relaxation(S, 4, 2, x, inside = inside)$h
    free <- order(h * !inside, decreasing = TRUE)
    asked <- seq_len(7) %in% (if (with) free[c(2, 5, 6)] else free[1:3])
    value <- function(x, width) {
      relaxation(S, 4, 2, x, widths = width, inside = inside, asked = asked, with = with)
    }
    differences <- vapply(seq_along(x), function(i) {
      (value(replace(x, i, x[i] + step), 0.3)$value -
        value(replace(x, i, x[i] - step), 0.3)$value) / 2 / step
    }, 0)
    expect_equal(value(x, 0.3)$gradient, differences, tolerance = 1e-6)
    rows <- plain_bound(x, S, 4, 2, inside) - sum(sort(h[!inside], decreasing = TRUE)[1:3])
    others <- sum(sort(h[!inside], decreasing = TRUE)[seq_len(if (with) 2 else 4)])
    plain <- rows + others + if (with) max(h[asked]) else -min(h[asked])
    expect_equal(value(x, 1e-4)$value, plain, tolerance = 1e-3)
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

test_that("a core of which less than a set is left begins anew", {
  set.seed(507)
  wrong <- replicate(60, {
    x <- matrix(stats::rnorm(28 * 9), 28) %*% diag(stats::runif(9, 0.1, 2))
    sizes <- list(core = 5L, most = 7L, few = 0L, nodes = 1e4)
    # from the worst set
    found <- raw_certificate(x, 4, 3, sizes, set = order(apply(x, 2, stats::var))[1:4])
    certificate_is_wrong(found, values_of_sets(x, 4, 3))
  })
  expect_false(any(wrong))
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
  expect_output(print(dense), "This panel of 4 features of 16 carries at least")
  expect_identical(fspca_bound(x, 4, 2, seconds = 0)$status, "not certified")
})

test_that("bounds that were given little or no time hold", {
  set.seed(520)
  for (case in list(list(d = 12, n = 30, held = NULL), list(d = 14, n = 8, held = 3L))) {
    x <- matrix(stats::rnorm(case$n * case$d), case$n) %*% diag(stats::runif(case$d, 0.3, 1.5))
    S <- scatter(x)
    others <- setdiff(seq_len(case$d), case$held)
    sets <- utils::combn(others, 4 - length(case$held))
    best <- max(apply(sets, 2, function(set) captured_sum(S, c(case$held, set), 2)))
    for (seconds in c(0, 1e-3, 1e-2)) {
      bound <- fspca_bound(x, 4, 2, seconds = seconds, include = case$held)
      expect_gte(bound$bound, best * (1 - 1e-12))
      expect_lte(bound$best_value, best * (1 + 1e-12))
      expect_equal(bound$best_value, captured_sum(S, bound$best, 2))
      expect_true(all(case$held %in% bound$best))
    }
  }
})

test_that("a search that is broken off states what it knew", {
  set.seed(521)
  x <- matrix(stats::rnorm(60 * 200), 60) %*% diag(stats::runif(200, 0.3, 1.5))
  S <- scatter(x)
  known <- sum(fspca(x, 10, 3)$values)
  for (seconds in c(0, 0.02, 0.1, 0.3)) {
    bound <- fspca_bound(x, 10, 3, seconds = seconds)
    expect_gte(bound$bound, max(known, bound$best_value) * (1 - 1e-12))
    expect_equal(bound$best_value, captured_sum(S, bound$best, 3))
    expect_lte(bound$bound, min(bound$free) * (1 + 1e-9))
  }
})

test_that("the search for a set ends with its time, with a set of the closed form at least", {
  set.seed(522)
  x <- matrix(stats::rnorm(50 * 400), 50)
  data <- rowsparse:::as_data(x, FALSE, NULL, NULL, NULL, NULL)
  operator <- rowsparse:::as_operator(data, 3)
  leading <- rowsparse:::leading_eigenvectors(operator, 3)
  control <- list(maxit = 100L)
  closed <- rowsparse:::run_fspca(operator, leading, 12L, "go", control)
  none <- rowsparse:::run_fspca(operator, leading, 12L, "exchange", control, seconds = 0)
  all <- rowsparse:::run_fspca(operator, leading, 12L, "exchange", control)
  expect_setequal(none$subset, closed$subset)
  expect_equal(none$values, closed$values)
  expect_equal(crossprod(none$V), diag(3))
  expect_gt(sum(all$values), sum(none$values))
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
  found <- c_call("C_lbfgs", rep(c(-1.2, 1), 5), 1000L, NULL)
  expect_equal(found$x, rep(1, 10), tolerance = 1e-4)
  expect_lt(found$value, 1e-8)
  expect_lte(found$evaluations, 1000)
  # the metric changes the way, not the end
  other <- c_call("C_lbfgs", rep(c(-1.2, 1), 5), 1000L, 10^seq(-1, 1, length.out = 10))
  expect_equal(other$x, rep(1, 10), tolerance = 1e-4)
  expect_false(identical(other$evaluations, found$evaluations))
  few <- c_call("C_lbfgs", rep(c(-1.2, 1), 5), 7L, NULL)
  expect_identical(few$evaluations, 7L)
  expect_lt(few$value, c_call("C_lbfgs", rep(c(-1.2, 1), 5), 1L, NULL)$value)
})

test_that("smooth sums of the largest are near them, on the right side", {
  set.seed(511)
  for (trial in 1:20) {
    x <- stats::rnorm(sample(2:20, 1))
    k <- sample(length(x) - 1, 1)
    sum_of <- sum(sort(x, decreasing = TRUE)[seq_len(k)])
    for (width in c(1, 0.1, 1e-3)) {
      log <- c_call("C_softtop", x, k, width, TRUE)
      square <- c_call("C_softtop", x, k, width, FALSE)
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
    expect_equal(c_call("C_arrow_sum", l, b, s), sum(values[seq_len(m)]), tolerance = 1e-6)
  }
})

test_that("a fit is certified by the names of its features, and may have other columns", {
  set.seed(5)
  x <- matrix(rnorm(270), 30) %*% diag(seq(0.4, 2, 0.2))
  colnames(x) <- letters[1:9]
  turned <- x[, c(4, 9, 2, 7, 1, 3, 8, 6, 5)]
  fit <- fspca(x, 4, 2, solver = "exact")
  bound <- fspca_bound(turned, 4, 2, fit)
  expect_setequal(colnames(turned)[bound$selected], selected(fit))
  expect_equal(bound$value, sum(fit$values))
  expect_equal(variance_explained(turned, fit), variance_explained(x, fit))
  ranked <- variance(x)
  expect_equal(fspca_bound(turned, 4, 2, ranked)$value, fspca_bound(x, 4, 2, ranked)$value)
  without <- x[, setdiff(letters[1:9], selected(fit)[2])]
  expect_error(fspca_bound(without, 4, 2, fit), class = "rowsparse_error_names")
  # without names, only the same columns will do
  expect_equal(fspca_bound(unname(x), 4, 2, fit)$value, sum(fit$values))
  expect_error(fspca_bound(unname(x)[, -1], 4, 2, fit), class = "rowsparse_error_size")
  expect_error(variance_explained(unname(x)[, -1], fit), class = "rowsparse_error_size")
})

test_that("a fit to start from is taken by the names of its features", {
  set.seed(6)
  x <- matrix(rnorm(400), 40) %*% diag(seq(0.4, 2.2, 0.2))
  y <- factor(rep(1:4, 10))
  colnames(x) <- letters[1:10]
  turned <- x[, 10:1]
  few_rounds <- rowsparse_control(maxit = 2)
  first <- fspca(x, 4, 2)
  starts <- lapply(list(x, turned), function(one) {
    suppressWarnings(s2dfs(one, y, 4, start = first, control = few_rounds))$objective[1]
  })
  expect_equal(starts[[1]], starts[[2]])
  begin <- dscofs(x, 4, 2)
  again <- lapply(list(x, turned), function(one) {
    suppressWarnings(dscofs(one, 4, 2, start = begin, control = few_rounds))$objective[1]
  })
  expect_equal(again[[1]], again[[2]], tolerance = 1e-8)
})

test_that("a panel that carries nothing is told so, and a bound below a set is an error", {
  set.seed(7)
  x <- cbind(matrix(rnorm(180), 30), 1, 2, 3)
  nothing <- without_constant_warning(fspca_bound(x, 4, 2, 7:9))
  expect_equal(c(nothing$value, nothing$share, nothing$gap), c(0, 0, Inf))
  expect_match(nothing$status, "nothing carried")
  expect_output(print(nothing), "at least 0.0%")
  free <- without_constant_warning(fspca_bound(x, 4, 2, 7:9, seconds = 0))
  expect_equal(free$status, "not certified")
  fit <- suppressWarnings(fspca(x, 3, 2, include = 7:9, certify = TRUE))
  expect_equal(c(fit$captured, fit$gap), c(0, 0))
  expect_equal(bound_above(1 - 1e-12, 1), 1)
  expect_error(bound_above(1 - 1e-8, 1), class = "rowsparse_error_internal")
  expect_error(bound_above(NaN, 1), class = "rowsparse_error_internal")
})

test_that("bounds that were edited by hand are not printed", {
  set.seed(8)
  bound <- fspca_bound(matrix(rnorm(60), 12), 2, 1, seconds = 0)
  for (part in c("value", "free", "status", "selected", "share")) {
    broken <- bound
    broken[[part]] <- list("a")
    expect_error(print(broken), class = "rowsparse_error_object")
  }
  expect_output(print(bound), "carries at least")
})
