# N of the order of the samples, from its parts
plain_inner <- function(parts, n) {
  N <- matrix(0, n, n)
  if (!is.null(parts$a)) N <- N + diag(parts$a)
  if (!is.null(parts$G)) N <- N + tcrossprod(parts$G)
  if (!is.null(parts$K)) N <- N + parts$K
  N
}

random_parts <- function(n, which) {
  K <- matrix(stats::rnorm(n^2), n)
  all <- list(a = stats::rnorm(n), G = matrix(stats::rnorm(3 * n), n), K = K + t(K))
  all[which]
}

trace_on <- function(A, set, m) {
  sum(eigen(A[set, set, drop = FALSE], symmetric = TRUE, only.values = TRUE)$values[seq_len(m)])
}

test_that("forms multiply, have their diagonal, and become positive", {
  set.seed(1)
  sizes <- list(c(20, 9), c(12, 40))
  # beyond the order of the dense solver
  if (!is_quick()) sizes <- c(sizes, list(c(30, 400)))
  for (size in sizes) {
    n <- size[1]
    d <- size[2]
    x <- matrix(stats::rnorm(n * d), n)
    z <- centred(x)
    W <- matrix(stats::rnorm(3 * d), d)
    for (which in list("a", "G", "K", c("a", "G"), c("a", "G", "K"))) {
      parts <- random_parts(n, which)
      B <- t(z) %*% plain_inner(parts, n) %*% z
      found <- c_call("C_trace_subset", as_c_data(x), parts, W, seq_len(5))
      least <- min(eigen(B, symmetric = TRUE, only.values = TRUE)$values)
      largest <- max(abs(B))
      expect_gte(found$shift, max(0, -least) - 1e-10 * largest)
      expect_lte(found$shift, max(0, -least) * 1.01 + 1e-10 * largest)
      A <- found$shift * diag(d) + B
      expect_equal(found$diagonal, diag(A), tolerance = 1e-10)
      expect_equal(found$AW, A %*% W, tolerance = 1e-10)
    }
  }
})

test_that("updates raise the trace to a set that stays", {
  for (seed in 1:6) {
    set.seed(seed)
    n <- 15
    d <- if (seed %% 2) 9 else 30
    x <- matrix(stats::rnorm(n * d), n)
    z <- centred(x)
    parts <- random_parts(n, if (seed < 4) "K" else c("a", "G", "K"))
    start <- sample(d, 4)
    found <- c_call("C_trace_subset", as_c_data(x), parts, matrix(0, d, 2), start)
    A <- found$shift * diag(d) + t(z) %*% plain_inner(parts, n) %*% z
    traces <- -found$objective
    expect_equal(traces[1], trace_on(A, start, 2), tolerance = 1e-9)
    expect_equal(utils::tail(traces, 1), trace_on(A, found$subset, 2), tolerance = 1e-9)
    expect_equal(sum(found$values), utils::tail(traces, 1))
    expect_never_rises(-traces)
    expect_orthonormal(found$V)
    expect_false(is.unsorted(found$subset))
    expect_equal(found$XV, z[, found$subset] %*% found$V, tolerance = 1e-10)
    W <- matrix(0, d, 2)
    W[found$subset, ] <- found$V
    P <- A %*% W %*% solve(t(W) %*% A %*% W, t(W) %*% A)
    expect_equal(found$scores, diag(P), tolerance = 1e-7)
    # the k largest of these are the set
    expect_setequal(order(-diag(P))[1:4], found$subset)
    # P is below A
    expect_lte(max(diag(P) - diag(A)), 1e-8 * max(diag(A)))
  }
})

test_that("all features, and matrices of rank m, are solved exactly", {
  set.seed(7)
  n <- 20
  d <- 8
  x <- matrix(stats::rnorm(n * d), n)
  z <- centred(x)
  K <- diag(n)
  parts <- list(K = K)
  found <- c_call("C_trace_subset", as_c_data(x), parts, matrix(0, d, 3), seq_len(d))
  values <- eigen(crossprod(z), symmetric = TRUE)$values
  expect_equal(found$values, values[1:3] + found$shift, tolerance = 1e-9)
  # rank 2: tr(W'AW) over sets is the sum of their diagonal
  G <- matrix(stats::rnorm(2 * n), n)
  parts <- list(G = G)
  A <- crossprod(crossprod(G, z))
  found <- c_call("C_trace_subset", as_c_data(x), parts, matrix(0, d, 2), c(1L, 3L, 4L))
  expect_setequal(found$subset, order(-diag(A))[1:3])
  expect_equal(sum(found$values), sum(sort(diag(A), decreasing = TRUE)[1:3]), tolerance = 1e-8)
})
