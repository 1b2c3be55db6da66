# N of the local discriminative matrix, neighbourhood by neighbourhood
plain_local <- function(x, near, lambda) {
  n <- nrow(x)
  N <- matrix(0, n, n)
  for (i in seq_len(n)) {
    at <- c(i, near[i, ])
    C <- diag(length(at)) - 1 / length(at)
    Z <- C %*% x[at, , drop = FALSE]
    N[at, at] <- N[at, at] + C %*% solve(tcrossprod(Z) + lambda * diag(length(at))) %*% C
  }
  N
}

local_lists <- function(data, k) rowsparse:::find_neighbours(data, k, "euclidean", ties = FALSE)

local_matrix <- function(x, k, lambda) {
  data <- rowsparse:::as_data(x)
  c_call("C_local_discriminant", unclass(data), local_lists(data, k),
    list(neighbours = as.integer(k), lambda = lambda)
  )
}

smoothed <- function(W, eps) sum(sqrt(rowSums(W^2) + eps))

test_that("local matrices are those of the formula, whichever of samples and features are more", {
  set.seed(1)
  for (d in c(3, 40)) {
    x <- matrix(rnorm(25 * d), 25) + 3
    near <- neighbours(x, 6)$index
    N <- local_matrix(x, 6, 0.7)$N
    expect_equal(N, plain_local(x, near, 0.7), tolerance = 1e-11)
    expect_lt(max(abs(rowSums(N))), 1e-11 * max(abs(N)))
    expect_gt(min(eigen(N, symmetric = TRUE, only.values = TRUE)$values), -1e-10)
    # the other form of the inverse, for few features
    Z <- scale(x[c(1, near[1, ]), ], scale = FALSE)
    other <- (diag(7) - 1 / 7 - Z %*% solve(0.7 * diag(d) + crossprod(Z), t(Z))) / 0.7
    C <- diag(7) - 1 / 7
    expect_equal(C %*% solve(tcrossprod(Z) + 0.7 * diag(7)) %*% C, other, tolerance = 1e-10)
  }
  expect_equal(local_matrix(x, 6, 1)$scatter, mean(vapply(1:25, function(i) {
    sum(scale(x[c(i, near[i, ]), ], scale = FALSE)^2) / 6
  }, 0)))
})

core_ends_here()

test_that("iterations are those of plain R, and the objective never rises", {
  for (x in from_seed(3, of_sizes(list(c(40, 9), c(20, 30)), normal_matrix, mean = 2))) {
    control <- rowsparse_control(tol = 0, maxit = 6)
    fit <- suppressWarnings(udfs(x, m = 2, gamma = 0.8, lambda = 2, control = control))
    z <- centred(x)
    M <- t(z) %*% plain_local(x, neighbours(x, 5)$index, 2) %*% z
    wide <- ncol(x) >= nrow(x)
    expect_identical(fit$restricted, wide)
    V <- if (wide) svd(z)$v[, seq_len(nrow(x) - 1)] else diag(ncol(x))
    eps <- 1e-10 * 2 / ncol(x)
    expect_equal(fit$parameters$eps, eps)
    q <- rep(1, ncol(x))
    for (k in 0:6) {
      H <- t(V) %*% (M + 0.8 * diag(q)) %*% V
      W <- V %*% eigen((H + t(H)) / 2, symmetric = TRUE)$vectors[, ncol(H) - 0:1]
      value <- sum((M %*% W) * W) + 0.8 * smoothed(W, eps)
      expect_equal(fit$objective[k + 1], value, tolerance = 1e-8)
      q <- 0.5 / sqrt(rowSums(W^2) + eps)
    }
    expect_equal(unname(fit$scores), plain_norms(W), tolerance = 1e-6)
    expect_equal(fit$penalised, sum((M %*% W) * W) + 0.8 * sum(plain_norms(W)), tolerance = 1e-7)
    full <- udfs(x, m = 2)
    expect_never_rises(full$objective)
    expect_orthonormal(full$loadings, 1e-9)
  }
})
