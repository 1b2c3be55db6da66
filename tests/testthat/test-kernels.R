# Kernels of the C code that no method pins down alone, against plain R

# ---- order and projections -------------------------------------------------------------

test_that("top-k takes the largest, ties by index, NaN last", {
  set.seed(2)
  for (count in c(1, 2, 7, 100, 1000)) {
    values <- list(
      sample.int(3, count, TRUE) + 0, rnorm(count), as.double(seq_len(count)),
      sample(c(NaN, NA, -Inf, Inf, 0, 1), count, TRUE)
    )
    for (value in values) {
      expected <- order(is.na(value), -value, seq_along(value))
      for (k in unique(c(1, ceiling(count / c(20, 9, 2)), count))) {
        expect_identical(c_call("C_topk", value, as.integer(k)), utils::head(expected, k))
      }
    }
  }
})

test_that("top rows are those of largest norm, ties by the second value, then by index", {
  W <- from_seed(92, matrix(rnorm(120), 40))
  kept <- order(-plain_norms(W))[1:11]
  expect_identical(c_call("C_toprows", W, 11L, NULL), W * (seq_len(40) %in% kept))
  tied <- matrix(c(1, -1, 1, 0.5, 1 + 1e-14), 5)
  rows <- function(second) which(c_call("C_toprows", tied, 2L, second) != 0)
  expect_identical(rows(NULL), 1:2)
  expect_identical(rows(c(1, 2, 4, 9, 3)), c(3L, 5L))
})

test_that("polar is the nearest orthonormal matrix, and completes those of lower rank", {
  for (M in from_seed(3, of_sizes(list(c(6, 1), c(5, 5), c(300, 20)), normal_matrix))) {
    expect_equal(c_call("C_polar", M), plain_polar(M), tolerance = 1e-10)
  }
  M <- matrix(rnorm(36), 12)
  low <- list(M %*% diag(c(1, 1e-4, 1e-5)), M[, c(1, 2, 2)], cbind(M[, 1:2], 0), matrix(0, 12, 3))
  for (bad in low) {
    P <- c_call("C_polar", bad)
    expect_orthonormal(P)
    expect_equal(sum(P * bad), sum(svd(bad)$d), tolerance = 1e-10)
  }
})

test_that("the tangent projection is idempotent, tangent and orthogonal", {
  W <- from_seed(5, orthonormal(30, 4))
  M <- matrix(rnorm(120), 30)
  N <- c_call("C_project", W, M)
  expect_equal(c_call("C_project", W, N), N, tolerance = 1e-12)
  tangent <- crossprod(W, N)
  expect_lte(max(abs(tangent + t(tangent))), 1e-12)
  other <- c_call("C_project", W, matrix(rnorm(120), 30))
  expect_lte(abs(sum((M - N) * other)), 1e-10)
})

test_that("what goes wrong in a kernel is an error of the package", {
  expect_refused(c_call("C_polar", matrix(c(1, Inf, 2, 3), 2)), "numerical", "NaN or Inf arose")
  x <- sample_matrix(20, 10)
  data <- as_c_data(x)
  expect_refused(c_call("C_gram", data[names(data) != "mean"]), "internal", "mean")
  expect_refused(bsufs(x, 2, start = matrix(1e300, 10, 2)), "numerical", "start: NaN or Inf")
  skip_if_quick() # memory checkers stop at such a request
  wide <- Matrix::sparseMatrix(i = c(1, 2, 1e5), j = 1:3, x = c(1, 2, 3))
  settings <- list(tol = 0, maxit = 300L, left = FALSE)
  expect_refused(
    c_call("C_truncated_svd", as_c_data(wide), 2000000000L, settings), "memory", "out of memory"
  )
})

# ---- eigenpairs ------------------------------------------------------------------------

test_that("the iterative eigen-solver finds leading pairs, also of awkward matrices", {
  A <- from_seed(6, scatter(sample_matrix(90, 120, 8, 1)))
  exact <- eigen(A, symmetric = TRUE)
  for (wanted in c(1L, 4L, 12L)) {
    for (start in list(NULL, exact$vectors[, seq_len(wanted), drop = FALSE])) {
      blocks <- if (is.null(start)) c(1L, wanted + 2L) else wanted + 2L
      for (block in blocks) {
        found <- c_call("C_ritz", A, wanted, block, start, 1e-10)
        expect_equal(found$values, exact$values[seq_len(wanted)], tolerance = 1e-10)
        expect_orthonormal(found$vectors)
        residual <- A %*% found$vectors - sweep(found$vectors, 2, found$values, "*")
        expect_lte(max(abs(residual)), 1e-8 * exact$values[1])
      }
    }
  }
  Q <- orthonormal(40, 40)
  values <- c(5, 5, 5, 2, 1, rep(-1, 35))
  A <- Q %*% (values * t(Q))
  A <- (A + t(A)) / 2
  for (block in c(1L, 7L)) {
    leading <- function(A, m) c_call("C_ritz", A, m, min(block, nrow(A)), NULL, 1e-10)$values
    expect_equal(leading(A, 5L), values[1:5], tolerance = 1e-9)
    expect_equal(leading(-A, 2L), c(1, 1), tolerance = 1e-9)
    expect_equal(leading(matrix(7), 1L), 7)
    expect_equal(leading(matrix(0, 50, 50), 3L), c(0, 0, 0))
  }
})

# some LAPACKs mix vectors of nearly equal eigenvalues: here in one of eight draws
test_that("vectors of equal eigenvalues are orthonormal, and have these values", {
  set.seed(7)
  ones <- rep(1, 4)
  x <- cbind(
    c(2, rep(1, 7)), c(0 * ones, 1, 1, -1, -1), c(1, 1, -1, -1, 0 * ones),
    c(0, 0, 1, -1, 0 * ones), c(0 * ones, 1, -1, 0, 0), c(ones, -ones)
  )
  for (draw in 1:40) {
    m <- moments(x)
    S <- m$S * (1 + 2^-52 * sample(-2:2, 36, TRUE))
    m$S <- (S + t(S)) / 2
    V <- fspca(m, k = 6, m = 5, scale = TRUE)$loadings
    expect_orthonormal(V)
    inner <- crossprod(V, stats::cov2cor(m$S) %*% V)
    expect_equal(inner, diag(eigen(cor(x), TRUE, TRUE)$values[1:5]), ignore_attr = TRUE)
  }
})

# the dense solver up to order 256, the iterative one above
test_that("leading eigenpairs do not depend on the solver that finds them", {
  skip_if_quick()
  set.seed(101)
  leading_of <- getFromNamespace("leading_eigenvectors", "rowsparse")
  for (order in c(250, 300)) {
    x <- sample_matrix(310, order, rank = 8)
    exact <- eigen(scatter(x), symmetric = TRUE)$values
    wide <- t(unname(x))
    by_samples <- svd(centred(wide), nu = 0, nv = 0)$d^2
    subset <- sample.int(order, order - 3)
    inside <- eigen(scatter(x)[subset, subset], symmetric = TRUE)$values
    for (m in c(1L, 6L, if (order == 300) 299L)) {
      found <- leading_of(as_c_data(moments(x)), m)
      expect_equal(found$values, exact[seq_len(m)], tolerance = 1e-9)
      expect_orthonormal(found$vectors)
      if (m > 6L) next
      residual <- scatter(x) %*% found$vectors - sweep(found$vectors, 2, found$values, "*")
      expect_lte(max(abs(residual)), 1e-7 * exact[1])
      found <- leading_of(as_c_data(wide), m)
      expect_equal(found$values, by_samples[seq_len(m)], tolerance = 1e-9)
      part <- c_call("C_subpca", as_c_data(moments(x)), subset, m)
      expect_equal(part$values, inside[seq_len(m)], tolerance = 1e-9)
    }
  }
})

test_that("minor components are those of a full eigendecomposition", {
  set.seed(2)
  for (size in list(c(30, 12), c(15, 40), if (!is_quick()) c(290, 310))) {
    if (is.null(size)) next
    x <- matrix(rnorm(prod(size)), size[1])
    z <- centred(x)
    A <- matrix(rexp(size[1]^2), size[1])
    A <- A + t(A)
    N <- (diag(rowSums(A)) - A) / size[1]
    q <- 10^runif(size[2], -2, 4)
    V <- if (size[2] >= size[1]) svd(z)$v[, seq_len(size[1] - 1)] else diag(size[2])
    H <- t(V) %*% (t(z) %*% N %*% z + 2 * diag(q)) %*% V
    W <- V %*% eigen((H + t(H)) / 2, symmetric = TRUE)$vectors[, ncol(H) - 0:2]
    found <- c_call("C_minor", as_c_data(x), N, q, list(m = 3L, gamma = 2))
    expect_identical(found$order, ncol(V))
    expect_equal(tcrossprod(found$W), tcrossprod(W), tolerance = 1e-7)
    expect_equal(found$trace, sum((N %*% z %*% W) * (z %*% W)), tolerance = 1e-7)
  }
})

# ---- linear systems --------------------------------------------------------------------

test_that("primal and dual ridge equations have their inverses", {
  for (x in from_seed(71, of_sizes(list(c(30, 8), c(9, 40), c(150, 131)), sample_matrix))) {
    w <- 10^runif(ncol(x), -1, 1)
    s <- 10^runif(nrow(x), -1, 1)
    primal <- unname(solve(crossprod(centred(x) / sqrt(s)) + diag(w)))
    dual <- unname(solve(tcrossprod(centred(x) %*% diag(1 / sqrt(w))) + diag(s)))
    for (data in list(as_c_data(x), as_c_data(Matrix::Matrix(x, sparse = TRUE)))) {
      for (by_samples in c(FALSE, TRUE)) {
        end <- c_call("C_ridge", data, w, s, by_samples)
        expect_equal(end$inverse, if (by_samples) dual else primal, tolerance = 1e-8)
        expect_identical(end$growth, 0)
      }
    }
  }
})

test_that("a ridge of rounding size makes the diagonal grow, and no more than it must", {
  x <- from_seed(72, sample_matrix(12, 5))
  x <- unname(cbind(x, x, x))
  solved <- function(w) c_call("C_ridge", as_c_data(x), rep(w, 15), rep(1, 12), FALSE)
  end <- solved(-1e-12)
  expect_true(all(is.finite(end$inverse)))
  expect_gt(end$growth, 0)
  expect_lte(end$growth, 1e-6)
  expect_refused(solved(-1e9), "numerical", "singular")
})

test_that("the Cholesky factor in pieces is the one of LAPACK", {
  set.seed(73)
  for (p in c(1, 7, 130, if (!is_quick()) 900)) {
    A <- crossprod(matrix(rnorm(p * (p + 5)), p + 5)) + diag(p)
    expect_equal(c_call("C_cholesky", A), chol(A), tolerance = 1e-9)
    expect_lt(max(abs(c_call("C_cholesky_inverse", A) %*% A - diag(p))), 1e-7)
    A[p, p] <- -1
    expect_refused(c_call("C_cholesky", A), "numerical", "singular")
  }
})

test_that("row-weighted coefficients are those of the normal equations, by either side", {
  set.seed(1)
  for (shape in list(c(30, 8), c(9, 40))) {
    x <- centred(sample_matrix(shape[1], shape[2]))
    target <- matrix(rnorm(3 * shape[1]), shape[1])
    u <- 10^runif(shape[2], -1, 1)
    u[2] <- 0
    live <- u > 0
    for (v in list(NULL, 10^runif(shape[1], -1, 1))) {
      weighted <- x[, live] / if (is.null(v)) 1 else v
      W <- matrix(0, shape[2], 3)
      W[live, ] <- solve(crossprod(weighted, x[, live]) + diag(0.7 / u[live]),
        crossprod(weighted, target)
      )
      for (data in list(as_c_data(x), as_c_data(Matrix::Matrix(x, sparse = TRUE)))) {
        end <- c_call("C_row_regression", data, target, u, v, NULL)
        expect_equal(end$W, W, ignore_attr = TRUE)
        expect_equal(end$R, target - x %*% W, ignore_attr = TRUE)
      }
    }
    centre <- matrix(rnorm(3 * shape[2]), shape[2])
    W <- solve(crossprod(x) + diag(0.7, shape[2]), crossprod(x, target) + 0.7 * centre)
    end <- c_call("C_row_regression", as_c_data(x), target, NULL, NULL, centre)
    expect_equal(end$W, W, ignore_attr = TRUE)
  }
})

# ---- products for a plain BLAS ---------------------------------------------------------

# a matrix that holds op(A) of these sizes and `more` unused rows
operand <- function(trans, rows, cols, more) {
  size <- if (trans == "T") c(cols + more, rows) else c(rows + more, cols)
  matrix(rnorm(prod(size)), size[1], size[2])
}

# the used part of op(A)
used_part <- function(trans, A, rows, cols) {
  if (trans == "T") t(A[seq_len(cols), seq_len(rows), drop = FALSE]) else
    A[seq_len(rows), seq_len(cols), drop = FALSE]
}

tiled_gemm <- function(trans, size, alpha, A, B, C, upper = FALSE) {
  c_call("C_tiled_gemm", trans, as.integer(c(size, upper)), alpha, A, B, C)
}

expect_product <- function(trans, size, more = 0, alpha = 1) {
  A <- operand(trans[1], size[1], size[3], more)
  B <- operand(trans[2], size[3], size[2], 2 * more)
  C <- operand("N", size[1], size[2], more)
  rows <- seq_len(size[1])
  expected <- C
  expected[rows, ] <- C[rows, ] + alpha *
    used_part(trans[1], A, size[1], size[3]) %*% used_part(trans[2], B, size[3], size[2])
  found <- tiled_gemm(trans, size, alpha, A, B, C)
  # nothing behind the rows is touched
  expect_true(max(0, abs(found - expected)) <= 1e-12 * (1 + size[3]) &&
    identical(found[-rows, ], C[-rows, ]), info = toString(c(trans, size)))
}

transposed <- list(c("N", "N"), c("T", "N"), c("N", "T"), c("T", "T"))

test_that("tiled products are products on every edge of the tiles", {
  set.seed(1)
  for (trans in transposed) {
    for (rows in c(0:4, 7:9, 17)) {
      for (cols in c(0:4, 31:34)) {
        for (inner in c(0, 1, 5)) expect_product(trans, c(rows, cols, inner))
      }
    }
    for (inner in c(255:257, 300)) {
      expect_product(trans, c(11, 17, inner), more = 3, alpha = -0.7)
    }
  }
})

test_that("NaN and Inf come through a tiled product where they belong, zeros or not", {
  set.seed(2)
  for (trans in transposed) {
    for (bad in c(NaN, Inf)) {
      A <- operand(trans[1], 19, 130, 0)
      B <- 0 * operand(trans[2], 130, 17, 0)
      A[if (trans[1] == "T") cbind(129, 18) else cbind(18, 129)] <- bad
      found <- tiled_gemm(trans, c(19, 17, 130), 1, A, B, matrix(1, 19, 17))
      expect_true(all(is.nan(found[18, ])))
      expect_true(all(found[-18, ] == 1))
    }
  }
})

test_that("tiled squares fill the upper triangle and nothing else", {
  set.seed(4)
  for (trans in transposed[2:3]) {
    for (p in c(1:4, 9, 31:34)) {
      for (inner in c(0, 7, 260)) {
        A <- operand(trans[1], p, inner, 2)
        C <- operand("N", p, p, 1)
        found <- tiled_gemm(trans, c(p, p, inner), 1, A, A, C, TRUE)
        square <- tcrossprod(used_part(trans[1], A, p, inner))
        upper <- row(C) <= col(C)
        expect_lte(max(abs(found[upper] - C[upper] - square[upper.tri(square, TRUE)])), 1e-9)
        expect_identical(found[!upper], C[!upper])
      }
    }
  }
})

test_that("tiled products with a vector are products", {
  set.seed(5)
  for (rows in c(0:3, 8, 1023:1026)) {
    for (cols in c(0:7, 13)) {
      A <- operand("N", rows, cols, 2)
      for (trans in c("N", "T")) {
        op <- used_part("N", A, rows, cols)
        if (trans == "T") op <- t(op)
        x <- rnorm(ncol(op))
        y <- rnorm(nrow(op))
        found <- c_call("C_tiled_gemv", trans, as.integer(c(rows, cols)), 0.3, A, x, y)
        expect_lte(max(0, abs(found - y - 0.3 * drop(op %*% x))), 1e-11)
      }
    }
  }
  for (n in c(0:17, 1001)) {
    x <- rnorm(n)
    expect_equal(c_call("C_tiled_dot", x, rev(x)), sum(x * rev(x)), tolerance = 1e-12)
  }
})

test_that("the reference BLAS is told from others by its file", {
  plain <- function(file, size = 4e5, choice = "auto") rowsparse:::is_plain_blas(file, size, choice)
  for (file in c("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0", "C:/R/bin/x64/Rblas.dll")) {
    expect_true(plain(file))
    expect_false(plain(file, 3e7)) # OpenBLAS under its name
    expect_false(plain(file, choice = "blas"))
  }
  for (file in c("/usr/lib/openblas-pthread/libblas.so.3", "/opt/mkl/lib/libmkl_rt.so", "")) {
    expect_false(plain(file))
    expect_true(plain(file, choice = "tiled"))
  }
  was <- c_call("C_blas_is_plain", NULL)
  on.exit(c_call("C_blas_is_plain", was))
  c_call("C_blas_is_plain", FALSE)
})

# ---- proximal operators ----------------------------------------------------------------

prox_value <- function(x, a, lambda, q) lambda * plain_penalty(x, q) + (x - a)^2 / 2

exponents <- c(0, 0.1, 1 / 3, 0.5, 0.6, 2 / 3, 0.9, 0.99, 1)

test_that("prox_lq minimises its objective for every exponent, and is stationary", {
  grid <- seq(-1.2, 1.2, length.out = 24001)
  for (q in exponents) {
    for (lambda in c(1e-3, 0.1, 1, 10)) {
      for (a in c(-3, -0.7, 0, 0.01, 0.4, 2.5, 20)) {
        x <- c(0, grid * max(abs(a), 1e-3))
        least <- min(lambda * (if (q == 0) x != 0 else abs(x)^q) + (x - a)^2 / 2)
        expect_lte(prox_value(prox_lq(a, lambda, q), a, lambda, q), least + 1e-12)
      }
    }
    a <- c(0.5, 1, 3, 50)
    x <- prox_lq(a, 0.2, q)
    if (q > 0) expect_lte(max(abs(x - a + 0.2 * q * x^(q - 1))[x > 0] / a[x > 0]), 1e-12)
    expect_equal(prox_lq(-a, 0.2, q), -x)
    expect_identical(prox_lq(a, 0, q), a)
  }
})

test_that("the threshold is where zero stops being the minimiser", {
  for (q in exponents) {
    kappa <- if (q == 1) 0.3 else (2 - q) / (2 * (1 - q)) * (0.6 * (1 - q))^(1 / (2 - q))
    expect_identical(prox_lq(kappa * (1 - 1e-9), 0.3, q), 0)
    expect_gt(prox_lq(kappa * (1 + 1e-6), 0.3, q), 0)
    expect_equal(rowsparse:::prox_lambda_at(kappa, q), 0.3, tolerance = 1e-12)
  }
})

test_that("prox_l2p shrinks row norms and keeps directions", {
  A <- from_seed(1, rbind(matrix(rnorm(30), 10), 0))
  for (p in exponents) {
    norms <- prox_lq(plain_norms(A), 0.4, p)
    expect_equal(prox_l2p(A, 0.4, p), A * ifelse(norms > 0, norms / plain_norms(A), 0))
  }
})

test_that("sizes and weights near the limits of the double range are no limits", {
  expect_identical(prox_lq(1e155, 0.1, 2 / 3), 1e155)
  expect_identical(prox_lq(1e300, 0.1, 0.5), 1e300)
  expect_identical(prox_lq(5e-324, 5e-324, 0), 0)
  A <- rbind(c(3, 4), c(0.3, 0.4), c(0, 0))
  for (e in c(-500, 500)) {
    for (q in c(0, 0.25, 0.5, 0.75)) {
      # scaled by 2^e, with lambda scaled by 2^(e (2 - q)), the answer scales
      a <- c(-3, 0.2, 0.9, 1, 5)
      expect_equal(prox_lq(a * 2^e, 0.3 * 2^(e * (2 - q)), q) / 2^e, prox_lq(a, 0.3, q),
        tolerance = 1e-12
      )
    }
    expect_equal(prox_l2p(A * 2^e, 2^(e - 1), 1) / 2^e, prox_l2p(A, 0.5, 1), tolerance = 1e-12)
  }
})

# ---- on the Stiefel manifold -----------------------------------------------------------

q_problem <- function(d = 60, m = 4) {
  S <- from_seed(31, scatter(sample_matrix(80, d)))
  # a coupling of the size of S, as the methods have it: one basin
  C <- 4 * orthonormal(d, m) + 0.1 * matrix(rnorm(d * m), d)
  list(S = S / norm(S, "2"), C = C, start = orthonormal(d, m))
}

solve_q <- function(problem, solver, tol = 1e-10, maxit = 50000L) {
  c_call("C_qsolve", problem$S, problem$C, problem$start,
    list(solver = solver, inner_tol = tol, inner_maxit = maxit)
  )
}

test_that("the three solvers of the step in W are feasible, stationary and descend", {
  problem <- q_problem()
  value <- function(W) -sum(W * (problem$S %*% W)) - sum(W * problem$C)
  values <- vapply(c("mm", "rtr", "pencf"), function(solver) {
    end <- solve_q(problem, solver)
    expect_orthonormal(end$W)
    expect_equal(end$value, value(end$W), tolerance = 1e-12)
    gradient <- -2 * problem$S %*% end$W - problem$C
    expect_lte(plain_gradient_residual(end$W, gradient), 1e-8)
    for (maxit in c(1L, 3L)) {
      expect_lte(solve_q(problem, solver, 0, maxit)$value, value(problem$start) + 1e-12)
    }
    end$value
  }, 0)
  expect_lte(diff(range(values)), 1e-8 * abs(values[1]))
})

test_that("the step in W is PCA without C, and the polar factor without S", {
  problem <- q_problem()
  pca <- -sum(eigen(problem$S, symmetric = TRUE)$values[1:4])
  polar <- -sum(svd(problem$C)$d)
  for (solver in c("mm", "rtr", "pencf")) {
    without <- function(part) replace(problem, part, list(0 * problem[[part]]))
    expect_equal(solve_q(without("C"), solver, 1e-8)$value, pca, tolerance = 1e-8)
    expect_equal(solve_q(without("S"), solver)$value, polar, tolerance = 1e-8)
  }
})

# ---- traces of forms in samples --------------------------------------------------------

test_that("updates raise the trace of a form in the samples to a set that stays", {
  for (seed in 1:6) {
    set.seed(seed)
    d <- if (seed %% 2) 9 else 30
    x <- matrix(stats::rnorm(15 * d), 15)
    z <- centred(x)
    K <- matrix(stats::rnorm(225), 15)
    parts <- list(a = stats::rnorm(15), G = matrix(stats::rnorm(45), 15), K = K + t(K))
    N <- diag(parts$a) + tcrossprod(parts$G) + parts$K
    if (seed > 3) {
      parts <- parts["G"]
      N <- tcrossprod(parts$G)
    }
    B <- t(z) %*% N %*% z
    start <- sample(d, 4)
    M <- matrix(stats::rnorm(2 * d), d)
    found <- c_call("C_trace_subset", as_c_data(x), parts, M, start)
    least <- min(eigen(B, symmetric = TRUE, only.values = TRUE)$values)
    expect_gte(found$shift, max(0, -least) - 1e-9 * max(abs(B)))
    A <- found$shift * diag(d) + B
    trace_on <- components_value(A, 2)
    expect_equal(found$diagonal, diag(A), tolerance = 1e-9)
    expect_equal(found$AW, A %*% M, tolerance = 1e-9)
    expect_equal(-found$objective[1], trace_on(start), tolerance = 1e-8)
    expect_equal(-utils::tail(found$objective, 1), trace_on(found$subset), tolerance = 1e-8)
    expect_never_rises(found$objective)
    # the k largest diagonal entries of P, which is below A, are the set
    W <- matrix(0, d, 2)
    W[found$subset, ] <- found$V
    P <- A %*% W %*% solve(t(W) %*% A %*% W, t(W) %*% A)
    expect_equal(found$scores, diag(P), tolerance = 1e-6)
    expect_setequal(order(-diag(P))[1:4], found$subset)
  }
})

# ---- lasso paths -----------------------------------------------------------------------

lasso_paths <- function(x, Y, size, ridge = 0) {
  c_call("C_mcfs", as_c_data(x), as.matrix(Y), list(size = as.integer(size), ridge = ridge))
}

# the conditions under which a is the lasso of lambda, and how many correlations reach it
expect_lasso <- function(x, y, a, lambda, pull) {
  z <- centred(x)
  correlation <- unname(drop(crossprod(z, y - z %*% a)))
  unit <- max(abs(crossprod(z, y)))
  expect_lte(max(abs(correlation)), lambda + 1e-9 * unit)
  expect_equal(correlation[a != 0] / unit, lambda / unit * sign(a[a != 0]), tolerance = 1e-9)
  if (lambda > 0) expect_equal(pull, abs(correlation) / lambda, tolerance = 1e-6)
}

test_that("paths end where one feature more would enter, at the lasso of their penalty", {
  for (x in from_seed(1, of_sizes(list(c(30, 8), c(12, 40)), sample_matrix, noise = 1))) {
    Y <- matrix(rnorm(nrow(x) * 3), nrow(x))
    for (size in c(1, 5, 7)) {
      end <- lasso_paths(x, Y, size)
      for (l in 1:3) {
        a <- end$coefficients[, l]
        expect_lasso(x, Y[, l] - mean(Y[, l]), a, end$lambda[l], end$pull[, l])
        expect_identical(sum(a != 0), as.integer(size))
        # the next feature is at the door
        expect_equal(max(end$pull[a == 0, l]), 1, tolerance = 1e-8)
      }
    }
  }
})

test_that("copies and sums of active features never enter, and ties have no order", {
  x <- from_seed(4, unname(sample_matrix(20, 6)))
  y <- rnorm(20)
  copied <- cbind(x, x[, 2], -x[, 4], x[, 1] + x[, 3])
  end <- lasso_paths(copied, y, 4)
  expect_lasso(copied, y - mean(y), end$coefficients[, 1], end$lambda, end$pull[, 1])
  expect_equal(end$lambda, lasso_paths(x, y, 4)$lambda, tolerance = 1e-10)
  # Orthogonal columns with the same correlation come together: if there is no room for one of
  # them, neither gets a coefficient.
  z <- contr.helmert(8)
  z <- sweep(z, 2, sqrt(colSums(z^2)), "/")
  y <- drop(z %*% c(3, 2, 2, 1, 0, 0, 0))
  for (columns in list(1:7, 7:1)) {
    a <- function(size) lasso_paths(z[, columns], y, size)$coefficients[order(columns), 1]
    expect_equal(a(2), c(1, 0, 0, 0, 0, 0, 0), tolerance = 1e-10)
    expect_equal(a(3), c(2, 1, 1, 0, 0, 0, 0), tolerance = 1e-10)
  }
})
