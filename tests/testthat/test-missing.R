# ---- in plain R ------------------------------------------------------------------------------

# a few factors, some entries taken out
with_holes <- function(n, d, share, rank = 3, noise = 0.7) {
  x <- matrix(rnorm(n * rank), n) %*% matrix(rnorm(rank * d), rank) +
    matrix(rnorm(n * d, sd = noise), n)
  replace(x, sample(length(x), share * length(x)), NA)
}

# log density of what is seen
seen_loglik <- function(x, mean, sigma) {
  sum(vapply(seq_len(nrow(x)), function(i) {
    o <- which(!is.na(x[i, ]))
    if (length(o) == 0) {
      return(0)
    }
    R <- chol(sigma[o, o, drop = FALSE])
    z <- backsolve(R, x[i, o] - mean[o], transpose = TRUE)
    -0.5 * (length(o) * log(2 * pi) + 2 * sum(log(diag(R))) + sum(z^2))
  }, 0))
}

# conditional means, and the sum of the conditional covariances
plain_expectation <- function(x, mean, sigma) {
  spread <- 0 * sigma
  for (i in which(rowSums(is.na(x)) > 0)) {
    g <- which(is.na(x[i, ]))
    o <- setdiff(seq_along(mean), g)
    B <- matrix(0, length(g), 0)
    if (length(o) > 0) B <- sigma[g, o, drop = FALSE] %*% solve(sigma[o, o])
    x[i, g] <- mean[g] + drop(B %*% (x[i, o] - mean[o]))
    spread[g, g] <- spread[g, g] + sigma[g, g] - B %*% sigma[o, g, drop = FALSE]
  }
  list(x = x, spread = spread)
}

plain_em <- function(x, ridge, steps = 300) {
  mean <- numeric(ncol(x))
  sigma <- diag(ncol(x))
  for (step in seq_len(steps)) {
    e <- plain_expectation(x, mean, sigma)
    mean <- colMeans(e$x)
    S <- crossprod(sweep(e$x, 2, mean)) + e$spread
    sigma <- (S + diag(ridge, ncol(x))) / (nrow(x) + ridge)
  }
  list(mean = mean, sigma = sigma)
}

tight <- list(tol = 1e-13, maxit = 5000L)

log_prior <- function(sigma, ridge) {
  -0.5 * ridge * (determinant(sigma)$modulus[1] + sum(diag(solve(sigma))))
}

filled <- function(moments, x) {
  suppressWarnings(predict(moments, x), classes = "rowsparse_warning_imputed")
}

# ---- the normal model ------------------------------------------------------------------------

test_that("EM with the covariance of all columns has the fixed point of plain EM", {
  set.seed(1)
  for (case in 1:2) {
    x <- with_holes(50, 6, c(0.1, 0.5)[case])
    x[4, ] <- NA
    x[5, -2] <- NA
    ridge <- c(1e-3, 5)[case]
    plain <- plain_em(x, ridge)
    fit <- fit_normal(x, ridge, tight)
    expect_equal(fit$sigma, plain$sigma, tolerance = 1e-4)
    expect_equal(drop(fit$mean), plain$mean, tolerance = 1e-4)
    expect_gte(min(diff(fit$objective)), -1e-8)
    loglik <- seen_loglik(x, plain$mean, plain$sigma)
    expect_equal(tail(fit$loglik, 1), loglik, tolerance = 1e-7)
    expect_equal(tail(fit$objective, 1), loglik + log_prior(plain$sigma, ridge), tolerance = 1e-7)
    e <- plain_expectation(x, plain$mean, plain$sigma)
    expect_equal(fit$filled, e$x, tolerance = 1e-3)
    expect_equal(fit$spread, e$spread, tolerance = 1e-3)
  }
})

core_ends_here()

# ---- components ------------------------------------------------------------------------------

test_that("EM with components raises the objective, whose terms are those of plain R", {
  x <- from_seed(3, with_holes(30, 9, 0.35))
  x[2, ] <- NA
  x[3, -1] <- NA
  start <- list(mean = numeric(9), W = matrix(rnorm(27), 9), noise = 0.7)
  run <- function(steps, from = start) {
    .Call(C_em_factors, x, c(from, list(ridge = 0.8, tol = 1e-13, maxit = steps)), TRUE)
  }
  fit <- run(60L)
  expect_gte(min(diff(fit$objective)), -1e-8)
  for (steps in c(0L, 1L, 60L)) {
    now <- run(steps)
    C <- tcrossprod(now$W) + diag(now$noise, 9)
    loglik <- seen_loglik(x, drop(now$mean), C)
    expect_equal(tail(now$loglik, 1), loglik, tolerance = 1e-10)
    expect_equal(tail(now$objective, 1), loglik + log_prior(C, 0.8), tolerance = 1e-10)
    e <- plain_expectation(x, drop(now$mean), C)
    expect_equal(now$filled, e$x, tolerance = 1e-9)
    expect_equal(now$square, diag(e$spread), tolerance = 1e-9)
    expect_equal(now$spread, e$spread, tolerance = 1e-9)
  }
})

test_that("the number of components is that of the data, whatever the order", {
  x <- from_seed(5, with_holes(60, 250, 0.2, rank = 4, noise = 0.5))
  known <- moments(x, missing = "em")
  expect_identical(known$missing$route, "factors")
  expect_identical(known$missing$components, 4L)
  expect_gte(min(diff(known$missing$objective)), -1e-7)
  rows <- sample(60)
  columns <- sample(250)
  other <- moments(x[rows, columns], missing = "em")
  expect_identical(other$missing$components, 4L)
  expect_equal(other$S, known$S[columns, columns], tolerance = 1e-6)
})

# ---- moments ---------------------------------------------------------------------------------

test_that("order, units and kind of data change nothing", {
  x <- from_seed(8, with_holes(50, 6, 0.25))
  colnames(x) <- letters[1:6]
  y <- factor(sample(c("a", "b", "c"), 50, TRUE))
  known <- moments(x, y, missing = "em")
  rows <- sample(50)
  columns <- sample(6)
  other <- moments(x[rows, columns], y[rows], missing = "em")
  expect_equal(other$S, known$S[columns, columns], tolerance = 1e-8)
  expect_equal(other$Sxy, known$Sxy[columns, ], tolerance = 1e-8)
  units <- 2^(1:6)
  scaled <- moments(sweep(x, 2, units, "*"), y, missing = "em")
  expect_equal(scaled$S, known$S * outer(units, units), tolerance = 1e-8)
  expect_equal(scaled$mean, known$mean * units, tolerance = 1e-8)
  expect_equal(moments(as.data.frame(x), y, missing = "em"), known)
  expect_equal(moments(methods::as(x, "CsparseMatrix"), y, missing = "em"), known)
  levels(y) <- rev(levels(y))
  expect_equal(moments(x, y, missing = "em")$S, known$S, tolerance = 1e-10)
  expect_equal(unname(rowSums(known$Sxy)), numeric(6), tolerance = 1e-8)
})

test_that("constant columns, empty rows and few samples are taken", {
  x <- from_seed(10, with_holes(20, 30, 0.4))
  x[3, ] <- NA
  x[, 7] <- ifelse(is.na(x[, 7]), NA, 3)
  x[-1, 8] <- NA
  x[1, 8] <- 5
  known <- moments(x, missing = "em")
  expect_true(all(is.finite(known$S)))
  expect_identical(known$missing$empty, 1L)
  expect_equal(known$mean[7:8], c(3, 5))
  expect_equal(diag(known$S)[7:8], c(0, 0))
  expect_gte(min(eigen(known$S, symmetric = TRUE)$values), -1e-8 * max(diag(known$S)))
  only <- matrix(c(1, NA, 1, 1), 4, 2)
  expect_equal(moments(only, missing = "em")$S, matrix(0, 2, 2))
})

test_that("wide data give a sketch with all variances, or whole moments with a response", {
  x <- from_seed(11, with_holes(20, 2100, 0.2))
  y <- rnorm(20)
  known <- moments(x, missing = "em")
  expect_identical(ncol(known$factor), 2100L)
  expect_lte(nrow(known$factor), 20L)
  expect_identical(length(known$square), 2100L)
  whole <- moments(cbind(x), y, missing = "em")
  expect_identical(dim(whole$S), c(2100L, 2100L))
  expect_equal(known$square, unname(diag(whole$S)), tolerance = 0.02)
  thin <- moments(x[, 1:300], rank = 4, missing = "em")
  full <- moments(x[, 1:300], missing = "em")
  expect_identical(nrow(thin$factor), 4L)
  expect_equal(thin$square, unname(diag(full$S)), tolerance = 1e-10)
  left <- full$S - crossprod(thin$factor)
  expect_lte(max(eigen(left, symmetric = TRUE)$values), thin$error * (1 + 1e-8))
  expect_length(fspca(known, k = 5)$selected, 5)
})

test_that("methods run on such moments, and say how much was missing", {
  full <- from_seed(12, with_holes(100, 8, 0))
  x <- replace(full, is.na(with_holes(100, 8, 0.1)), NA)
  known <- moments(x, full[, 2] - full[, 5], missing = "em")
  fit <- cdlsr(known, k = 2)
  expect_setequal(fit$selected, c(2, 5))
  expect_output(print(summary(fit)), "80 of 800 entries \\(10%\\), in 8 of 8 columns, were missing")
  expect_output(print(summary(known)), "EM with the covariance of all columns: converged")
  expect_identical(summary(known)$missing, known$missing$by_column)
})

# ---- gaps filled -----------------------------------------------------------------------------

test_that("gaps are filled by conditional means, and the others stay", {
  x <- from_seed(13, with_holes(60, 5, 0.2) + 10)
  known <- moments(x, missing = "em")
  expect_warning(full <- predict(known, x), class = "rowsparse_warning_imputed")
  scale <- known$missing$model$scale
  sigma <- (known$S / outer(scale, scale) + diag(known$missing$ridge, 5)) /
    (60 + known$missing$ridge) * outer(scale, scale)
  expect_equal(full, plain_expectation(x, known$mean, sigma)$x, tolerance = 1e-2)
  expect_identical(full[!is.na(x)], x[!is.na(x)])
  expect_lt(sum(apply(full, 2, var)), sum(diag(known$S)) / 59)
  expect_no_warning(expect_identical(predict(known, full), full))
  complete <- moments(full)
  expected <- plain_expectation(x, complete$mean, complete$S / 60)$x
  expect_equal(filled(complete, x), expected, tolerance = 1e-4)
  expect_equal(filled(complete, as.data.frame(x)), as.data.frame(expected), tolerance = 1e-4)
})

test_that("filling by components is that of their covariance, and hears no response", {
  x <- from_seed(14, with_holes(30, 210, 0.2))
  known <- moments(x, rnorm(30), missing = "em")
  expect_identical(known$missing$route, "factors")
  model <- known$missing$model
  C <- tcrossprod(model$W) + diag(model$noise, 210)
  z <- sweep(sweep(x, 2, model$centre + model$rest), 2, model$scale, "/")
  plain <- plain_expectation(z, drop(model$mean), C)$x
  plain <- sweep(sweep(plain, 2, model$scale, "*"), 2, model$centre + model$rest, "+")
  expect_equal(filled(known, x), plain, tolerance = 1e-8)
})

# ---- what is refused ----------------------------------------------------------------------------

test_that("what goes together with no model of gaps is refused by name", {
  x <- from_seed(15, with_holes(30, 5, 0.2))
  em <- function(x, ...) moments(x, missing = "em", ...)
  bad <- `colnames<-`(x, letters[1:5])
  bad[, 3] <- NA
  known <- em(x)
  expect_each_refused("argument",
    "cannot go together with `weights`" = em(x, weights = rep(1, 30)),
    "cannot go together with `block`" = em(x, block = rep(1:2, 15)),
    "cannot go together with row blocks" = em(row_blocks(x, 10))
  )
  expect_each_refused("nonfinite",
    "row 4, column 1" = em(replace(x, 4, Inf)), "none in column 3 (\"c\")" = em(bad),
    "y" = em(x, replace(1:30 + 0, 3, NA)), "infinite" = predict(known, replace(x, 2, -Inf))
  )
  expect_each_refused("type",
    "without missing entries" = known + known,
    "samples in memory" = predict(known, row_blocks(x, 10)),
    "whole moments" = predict(moments(sample_matrix(9, 4), rank = 2), x[, 1:4])
  )
  known_by_name <- em(bad[, -3])
  expect_no_warning(try(predict(known_by_name, bad[, 1:3]), silent = TRUE))
  expect_each_refused("names",
    "the 5 features of the moments" = predict(known, x[, 1:3]),
    "\"c\" in place of \"d\"" = predict(known_by_name, `colnames<-`(x[, 1:4], letters[1:4]))
  )
  expect_refused(moments(x, missing = "mean"), "choice", "\"em\"")
})
