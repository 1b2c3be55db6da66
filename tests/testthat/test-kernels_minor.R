test_that("the row space has an orthonormal basis, copies of samples included", {
  set.seed(1)
  for (rank in c(29, 11)) {
    x <- matrix(rnorm(30 * 50), 30)
    if (rank == 11) x <- x[rep(1:12, length.out = 30), ]
    x <- sweep(x, 2, 10^runif(50, -3, 3), "*")
    space <- c_call("C_row_space", as_c_data(x))
    expect_identical(dim(space$basis), c(as.integer(rank), 50L))
    expect_orthonormal(t(space$basis), 1e-12)
    z <- centred(x)
    expect_equal(space$coordinates %*% space$basis, z, tolerance = 1e-9, ignore_attr = TRUE)
  }
  # fewer features than samples: all of them
  x <- matrix(rnorm(30 * 4), 30)
  expect_identical(nrow(c_call("C_row_space", as_c_data(x))$basis), 4L)
})

# W'MW + gamma diag(q) by R's own eigenvectors, in the space of the columns of V
plain_minor <- function(z, N, q, m, gamma, V = diag(ncol(z))) {
  H <- t(V) %*% (t(z) %*% N %*% z + gamma * diag(q)) %*% V
  e <- eigen((H + t(H)) / 2, symmetric = TRUE)
  V %*% e$vectors[, ncol(H) - seq_len(m) + 1, drop = FALSE]
}

laplacian_of <- function(n) {
  A <- matrix(rexp(n * n), n)
  A <- A + t(A)
  diag(A) <- 0
  diag(rowSums(A)) - A
}

test_that("minor components are those of a full eigendecomposition", {
  set.seed(2)
  sizes <- list(c(30, 12), c(15, 40))
  # beyond the order of the dense solver
  if (!is_quick()) sizes <- c(sizes, list(c(320, 300), c(290, 310)))
  for (size in sizes) {
    x <- matrix(rnorm(prod(size)), size[1])
    z <- centred(x)
    N <- laplacian_of(size[1]) / size[1]
    q <- 10^runif(size[2], -2, 4)
    V <- if (size[2] >= size[1]) svd(z)$v[, seq_len(size[1] - 1)] else diag(size[2])
    W <- plain_minor(z, N, q, 3, 2, V)
    found <- c_call("C_minor", as_c_data(x), N, q, list(m = 3L, gamma = 2))
    expect_identical(found$order, ncol(V))
    expect_equal(tcrossprod(found$W), tcrossprod(W), tolerance = 1e-7)
    expect_equal(found$trace, sum((N %*% z %*% W) * (z %*% W)), tolerance = 1e-7)
    expect_equal(found$projected, z %*% found$W, tolerance = 1e-9, ignore_attr = TRUE)
  }
})

test_that("constant features stay out, and more components than directions are not given", {
  set.seed(3)
  x <- cbind(3, matrix(rnorm(40), 20), 7)
  N <- laplacian_of(20)
  data <- suppressWarnings(as_c_data(x))
  data$square[data$constant] <- 0
  found <- c_call("C_minor", data, N, rep(1, 4), list(m = 4L, gamma = 0.1))
  expect_identical(dim(found$W), c(4L, 2L))
  expect_identical(found$W[c(1, 4), ], matrix(0, 2, 2))
})
