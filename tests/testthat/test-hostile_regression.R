regression_methods <- list(
  cdlsr = cdlsr, exact = function(...) cdlsr(..., solver = "exact"),
  cd = function(...) cdlsr(..., solver = "cd"), pgd = pgd, rpfs = rpfs, ipfs = ipfs
)

quiet_fit <- function(method, x, y, k, ...) {
  set.seed(1)
  fit <- if (method == "css") css else regression_methods[[method]]
  suppressWarnings(if (method == "css") fit(x, k, ...) else fit(x, y, k, ...))
}

all_methods <- c("css", names(regression_methods))

# exactly k features, a ranking of all, and finite numbers
expect_whole <- function(fit, k) {
  d <- fit$d
  expect_length(unique(fit$selected), k)
  expect_true(all(fit$selected %in% seq_len(d)))
  expect_identical(sort(fit$ranking), seq_len(d))
  expect_true(all(is.finite(fit$scores)))
  expect_true(all(is.finite(fit$objective)))
  expect_lte(max(diff(fit$scores[fit$ranking])), 1e-12)
}

# ---- units ---------------------------------------------------------------------

core_ends_here()

test_that("the units of a response do not matter", {
  set.seed(311)
  x <- matrix(stats::rnorm(30 * 12), 30)
  y <- drop(x[, 1:3] %*% c(2, -1, 1)) + stats::rnorm(30) / 2
  for (method in names(regression_methods)) {
    plain <- quiet_fit(method, x, y, 3)
    for (power in c(-1000, -660, -300, 300, 660, 1000)) {
      fit <- quiet_fit(method, x, y * 2^power, 3)
      expect_identical(fit$selected, plain$selected, info = paste(method, power))
      expect_identical(fit$scores, plain$scores)
      expect_identical(coef(fit), coef(plain) * 2^power)
      expect_identical(
        predict(fit, x, type = "response"), predict(plain, x, type = "response") * 2^power
      )
      expect_identical(fit$explained, plain$explained)
      expect_identical(fit$k_ic, plain$k_ic)
      if (abs(power) < 500) {
        expect_equal(fit$path$objective / 2^(2 * power), plain$path$objective, tolerance = 1e-14)
      }
    }
  }
  expect_warning(cdlsr(x, y * 1e200, 2), class = "rowsparse_warning_range")
  expect_warning(cdlsr(x, y * 1e-200, 2), class = "rowsparse_warning_range")
  expect_silent(cdlsr(x, y * 1e100, 2))
  set.seed(1)
  cv <- cv_rowsparse(x, y, k = 1:5, method = "cdlsr", folds = 5)
  set.seed(1)
  expect_identical(
    suppressWarnings(cv_rowsparse(x, y * 2^700, k = 1:5, method = "cdlsr", folds = 5))$k, cv$k
  )
})

test_that("the units of the data do not matter", {
  set.seed(312)
  x <- matrix(stats::rnorm(24 * 10), 24)
  y <- drop(x[, 1:2] %*% c(2, -1)) + stats::rnorm(24)
  for (shape in list(x, t(x))) {
    for (scale in c(TRUE, FALSE)) {
      for (m in list(NULL, 2)) {
        plain <- css(shape, 3, m = m, scale = scale)
        for (power in c(-490, -330, -100, 100, 280, 490)) {
          fit <- css(shape * 2^power, 3, m = m, scale = scale)
          expect_identical(fit$selected, plain$selected, info = power)
          expect_equal(fit$explained, plain$explained, tolerance = 1e-12)
          unit <- if (scale) 1 else 2^(2 * power)
          expect_equal(fit$path$objective / unit, plain$path$objective, tolerance = 1e-10)
        }
      }
    }
  }
  for (method in setdiff(names(regression_methods), "ipfs")) {
    plain <- quiet_fit(method, x, y, 3, scale = FALSE)
    for (power in c(-490, -330, 330, 490)) {
      fit <- quiet_fit(method, x * 2^power, y, 3, scale = FALSE)
      expect_identical(fit$selected, plain$selected, info = paste(method, power))
      expect_equal(coef(fit)[-1] * 2^power, coef(plain)[-1], tolerance = 1e-10)
    }
  }
  ridge <- cdlsr(x, y, 3, ridge = 1, scale = FALSE)
  far <- cdlsr(x * 2^300, y, 3, ridge = 2^600, scale = FALSE)
  expect_identical(far$selected, ridge$selected)
  expect_equal(far$path$objective, ridge$path$objective, tolerance = 1e-12)
})

test_that("neither variance explained nor the redundancy guard sees the units", {
  set.seed(319)
  x <- matrix(stats::rnorm(30 * 8), 30)
  x <- cbind(x, x[, 1:4] + 0.01 * matrix(stats::rnorm(30 * 4), 30))
  plain <- rowsparse(x, k = 5, method = "css", diverse = TRUE)
  expect_identical(plain$diverse$filled, 0L)
  for (power in c(-490, -300, 300, 490)) {
    judged <- compare_panels(c(2, 9, 1, 5), x * 2^power, random = 1)
    expect_equal(judged$explained[1], variance_explained(x, c(2, 9, 1, 5)), tolerance = 1e-12)
    fit <- rowsparse(x * 2^power, k = 5, method = "css", diverse = TRUE)
    expect_identical(fit$selected, plain$selected)
    expect_identical(fit$diverse, plain$diverse)
  }
})

test_that("coefficients that no number can hold are refused", {
  x <- cbind(c(1, 2, 4, 3, 7), c(2, 1, 4, 5, 3))
  y <- c(1.5, 2, 3.5, 3, 8)
  expect_refused(suppressWarnings(cdlsr(x * 1e-150, y * 1e200, 1)), "range", "the coefficients")
  expect_refused(suppressWarnings(cdlsr(x * 1e150, y * 1e-200, 1)), "range", "the coefficients")
})

test_that("large units do not crash exchanges", {
  set.seed(313)
  x <- matrix(stats::rnorm(200), 5)
  y <- stats::rnorm(5)
  plain <- quiet_fit("cdlsr", x, y, 2, starts = 4)
  fit <- quiet_fit("cdlsr", x * 2^500, y, 2, starts = 4)
  expect_identical(fit$selected, plain$selected)
})

# ---- ties ----------------------------------------------------------------------

test_that("ties go to the larger variance, whatever the order of the columns", {
  set.seed(314)
  a <- stats::rnorm(20)
  b <- stats::rnorm(20)
  x <- cbind(a, 3 * a + 1, b, -7 * b, stats::rnorm(20))
  y <- a + 0.5 * b + 0.1 * stats::rnorm(20)
  for (method in c("cdlsr", "exact", "cd")) {
    for (order in list(1:5, 5:1, c(3, 1, 5, 2, 4))) {
      fit <- quiet_fit(method, unname(x[, order]), y, 2)
      expect_setequal(order[fit$selected], c(2, 4))
    }
  }
  for (order in list(1:4, 4:1, c(3, 1, 4, 2))) {
    fit <- css(unname(x[, order]), 2, scale = TRUE)
    expect_setequal(order[fit$selected], c(2, 4))
  }
})

test_that("permuted columns give the permuted answer", {
  set.seed(315)
  base <- matrix(stats::rnorm(30 * 8), 30)
  x <- cbind(base, base[, 1:4], matrix(stats::rbinom(30 * 6, 1, 0.3), 30))
  y <- drop(base[, 1:3] %*% c(1, 2, -1)) + x[, 14] + stats::rnorm(30)
  keys <- function(fit, x) {
    sort(apply(x[, fit$selected], 2, function(column) paste(format(column), collapse = "")))
  }
  for (method in c("css", "cdlsr", "exact", "cd", "pgd", "ipfs")) {
    plain <- keys(quiet_fit(method, x, y, 3), x)
    for (i in 1:3) {
      permuted <- x[, sample(ncol(x))]
      expect_identical(keys(quiet_fit(method, permuted, y, 3), permuted), plain, info = method)
    }
  }
})

test_that("what fills a set up follows by what it explains alone", {
  set.seed(316)
  base <- matrix(stats::rnorm(20 * 2), 20)
  x <- unname(cbind(base[, 1] + base[, 2], base[, 1] - 3 * base[, 2], base, 2 * base[, 1]))
  y <- base[, 1] + 0.1 * stats::rnorm(20)
  expect_warning(fit <- cdlsr(x, y, 4), class = "rowsparse_warning_rank")
  alone <- drop(stats::cor(x, y))^2
  rest <- fit$ranking[-(1:2)]
  expect_lte(max(diff(alone[rest])), 1e-9)
  expect_false(identical(rest, sort(rest)))
})

# ---- tables --------------------------------------------------------------------

hostile_tables <- function() {
  n <- 40
  wide <- matrix(stats::rnorm(n * 800), n)
  classes <- rep(1:2, each = n / 2)
  wide[, 401:420] <- wide[, 401:420] + 2 * (classes == 2)
  low <- matrix(stats::rnorm(30 * 2), 30) %*% matrix(stats::rnorm(2 * 12), 2)
  list(
    wide = list(x = wide, y = factor(classes)),
    counts = list(x = matrix(stats::rnbinom(30 * 40, mu = 4, size = 0.3), 30) + 0),
    binary = list(x = matrix(stats::rbinom(30 * 20, 1, 0.3), 30) + 0),
    three = list(x = matrix(stats::rnorm(3 * 20), 3)),
    rank_one = list(x = outer(stats::rnorm(15), c(1:6, -3, 0.5))),
    rank_two = list(x = low),
    doubled = list(x = (function(x) cbind(x, x, x))(matrix(stats::rnorm(20 * 5), 20))),
    units = list(x = sweep(matrix(stats::rnorm(25 * 10), 25), 2, 10^seq(-9, 9, 2), "*"))
  )
}

test_that("every method answers sensibly on every kind of table", {
  set.seed(317)
  tables <- hostile_tables()
  for (name in names(tables)) {
    x <- tables[[name]]$x
    y <- tables[[name]]$y
    if (is.null(y)) y <- x[, 2] / max(abs(x[, 2])) + 0.1 * stats::rnorm(nrow(x))
    k <- min(2, nrow(x) - 1)
    for (method in all_methods) {
      fit <- quiet_fit(method, x, y, k)
      expect_whole(fit, k)
    }
  }
})

test_that("raised features of a wide table are found", {
  set.seed(318)
  x <- matrix(stats::rnorm(60 * 2000), 60)
  y <- rep(0:1, 30)
  x[, 901:940] <- x[, 901:940] + 2 * y
  for (method in c("cdlsr", "cd", "pgd", "rpfs")) {
    fit <- quiet_fit(method, x, factor(y), 5)
    expect_gte(sum(fit$selected %in% 901:940), 2)
    expect_gte(mean(utils::head(fit$ranking, 3) %in% 901:940), 1 / 3)
  }
})

test_that("coefficients of unweighted columns that no number holds are refused by name", {
  set.seed(3)
  x <- matrix(as.numeric(runif(360) < 0.5), 12) * 1e-150
  y <- replace(rnorm(12), 1, 1e300)
  for (method in c("rfs", "crfs")) {
    expect_error(do.call(method, list(x, y)), class = "rowsparse_error_range")
  }
  fit <- rfs(x, y / 1e300 * 1e100)
  expect_true(fit$explained >= 0 && fit$explained <= 1)
})

test_that("scores are the norms of the rows where squares leave the range", {
  set.seed(4)
  W <- matrix(rnorm(12), 6)
  W[2, ] <- 0
  norms <- sqrt(rowSums(W^2))
  for (unit in 2^c(0, -700, 700)) {
    expect_equal(rowsparse:::row_norms(W * unit) / unit, norms, tolerance = 1e-14)
  }
})
