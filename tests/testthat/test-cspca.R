# The problems by an iteration of our own on full matrices, small numbers under the roots
# falling to nothing
plain_cspca <- function(x, lambda, eta, free_centre = FALSE, smallest = 1e-8) {
  unit <- sqrt(mean(x^2))
  x <- sweep(x, 2, colMeans(x))
  norms <- function(m) sqrt(rowSums(m^2))
  W <- diag(0.5, ncol(x))
  v <- numeric(ncol(x))
  value <- function() {
    sum(norms(sweep(x - x %*% W, 2, v))) + lambda * sum(norms(W)) + eta * sum(svd(W)$d)
  }
  lowest <- Inf
  for (small in 10^seq(-2, log10(smallest), by = -1)) {
    for (step in 1:60) {
      r <- 1 / sqrt(norms(sweep(x - x %*% W, 2, v))^2 + (small * unit)^2)
      q <- 1 / sqrt(norms(W)^2 + small^2)
      pairs <- eigen(tcrossprod(W), symmetric = TRUE)
      N <- pairs$vectors %*% (t(pairs$vectors) / sqrt(pmax(pairs$values, 0) + small^2))
      centre <- if (free_centre) colSums(r * x) / sum(r) else 0
      z <- sweep(x, 2, centre)
      S <- crossprod(z, r * z)
      W <- solve(S + lambda * diag(q) + eta * N, S)
      v <- if (free_centre) drop(centre - centre %*% W) else v
      lowest <- min(lowest, value())
    }
  }
  lowest
}

cspca_data <- function(n = 25, d = 8) {
  set.seed(31)
  x <- matrix(rnorm(n * 3), n) %*% matrix(rnorm(3 * d), 3) + 0.3 * matrix(rnorm(n * d), n)
  colnames(x) <- paste0("f", seq_len(d))
  x[1, ] <- 8 * x[1, ]
  x
}

test_that("they are the models of spca_psd() without the cone", {
  x <- cspca_data()
  same <- c("ranking", "scores", "loadings", "right", "objective", "kkt", "explained", "rank")
  own <- cspca(x)
  expect_s3_class(own, c("cspca", "spca_psd", "rowsparse"), exact = TRUE)
  expect_identical(own[same], spca_psd(x, loss = "l21", psd = FALSE)[same])
  expect_identical(cspca(x, 0.3, 1, scale = TRUE)[same],
    spca_psd(x, 0.3, 1, loss = "l21", psd = FALSE, scale = TRUE)[same]
  )
  free <- aw_spca(x)
  expect_s3_class(free, c("aw_spca", "spca_psd", "rowsparse"), exact = TRUE)
  expect_identical(free[same], spca_psd(x, loss = "l21", center = "adaptive", psd = FALSE)[same])
  expect_identical(free$parameters$eta, 0)
  expect_equal(rowSums(omega(own)^2), own$scores^2, tolerance = 1e-8)
})

core_ends_here()

test_that("the minimum over all matrices is reached up to the smoothing", {
  x <- cspca_data()
  for (case in list(c(0.5, 0), c(0.5, 2), c(4, 1))) {
    fit <- cspca(x, case[1], case[2], control = list(tol = 1e-10))
    end <- tail(fit$objective, 1)
    best <- plain_cspca(x, case[1], case[2])
    expect_gt(end, best * (1 - 1e-6))
    expect_lt(end, best * (1 + 2e-3))
    expect_lt(fit$kkt, 1e-2)
  }
  for (lambda in c(0.5, 4)) {
    end <- tail(aw_spca(x, lambda, control = list(tol = 1e-9))$objective, 1)
    best <- plain_cspca(x, lambda, 0, free_centre = TRUE)
    expect_gt(end, best * (1 - 1e-6))
    expect_lt(end, best * (1 + 2e-3))
    # a free centre can only help
    expect_lt(best, plain_cspca(x, lambda, 0) * (1 + 1e-6))
  }
})

test_that("the limits of the penalties are met", {
  x <- scale(cspca_data(), scale = FALSE)
  loss <- sum(sqrt(rowSums(x^2)))
  G <- crossprod(x, x / sqrt(rowSums(x^2)))
  limit <- max(sqrt(rowSums(G^2)))
  # W = 0 is optimal from there on, and not below
  above <- suppressWarnings(cspca(x, 1.1 * limit, 0, control = list(tol = 1e-10)))
  expect_equal(tail(above$objective, 1), loss, tolerance = 2e-3)
  below <- cspca(x, 0.5 * limit, 0, control = list(tol = 1e-10))
  expect_lt(tail(below$objective, 1), 0.99 * loss)
  far <- suppressWarnings(cspca(x, 1e3 * limit, 0))
  expect_lt(max(far$scores), 1e-2)
  # without penalties the data reproduce themselves
  least <- cspca(x, 1e-6, 0)
  expect_lt(max(abs(x %*% omega(least) - x)), 0.01 * max(abs(x)))
})

test_that("in the row space it is the iteration on full matrices", {
  forced <- function(route, ...) {
    hold_options(rowsparse.spca_route = route)
    suppressWarnings(spca_psd(..., psd = FALSE))
  }
  set.seed(32)
  for (x in list(t(cspca_data(20, 12)), cbind(cspca_data(15, 30), 0))) {
    for (case in list(c("l21", "mean"), c("l21", "adaptive"), c("frobenius", "mean"))) {
      for (eta in list(NULL, 0, 0.1, 10)) {
        call <- list(x, eta = eta, loss = case[1], center = case[2])
        dense <- do.call(forced, c("dense", call))
        wide <- do.call(forced, c("lowrank", call))
        expect_identical(wide$iterations, dense$iterations)
        expect_equal(wide$objective, dense$objective, tolerance = 1e-7)
        expect_equal(wide$scores, dense$scores, tolerance = 1e-6)
        expect_equal(wide$kkt, dense$kkt, tolerance = if (case[1] == "l21") 1e-4 else 0.1)
        expect_equal(omega(wide), omega(dense), tolerance = 1e-6)
      }
    }
  }
  # from given weights, and of sparse data
  x <- cspca_data(15, 30)
  start <- diag(seq(0, 1, length.out = 30))
  by <- function(route, x) forced(route, x, 1, 2, loss = "l21", start = start)
  expect_equal(by("lowrank", x)$objective, by("dense", x)$objective, tolerance = 1e-7)
  sparse <- methods::as(x * (abs(x) > 1), "CsparseMatrix")
  expect_equal(by("lowrank", sparse)$scores, by("dense", as.matrix(sparse))$scores,
    tolerance = 1e-6
  )
})
