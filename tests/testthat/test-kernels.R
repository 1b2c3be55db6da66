test_that("top-k takes the largest, ties by index", {
  set.seed(2)
  for (count in c(1, 2, 7, 100, 1000)) {
    for (levels in c(1, 3, 1e6)) {
      value <- sample.int(levels, count, replace = TRUE) + 0
      for (k in unique(c(1, ceiling(count / c(20, 9, 7, 2)), count))) {
        expect_identical(c_call("C_topk", value, as.integer(k)),
          utils::head(order(-value, seq_along(value)), k))
      }
    }
  }
  sorted <- as.double(1:5000)
  expect_identical(c_call("C_topk", sorted, 3L), 5000:4998)
  expect_identical(c_call("C_topk", rev(sorted), 3L), 1:3)
})

test_that("top-k ranks NaN last and always gives k different indices", {
  set.seed(9)
  for (count in c(1, 2, 3, 8, 50, 400)) {
    for (again in 1:20) {
      value <- sample(c(NaN, NA, -Inf, Inf, 0, 1, stats::rnorm(3)), count, replace = TRUE)
      expected <- order(is.na(value), -value, seq_along(value))
      for (k in unique(c(1, ceiling(count / c(20, 9, 7, 2)), count))) {
        expect_identical(c_call("C_topk", value, as.integer(k)), utils::head(expected, k))
      }
    }
  }
})

test_that("polar is the nearest orthonormal matrix", {
  set.seed(3)
  for (shape in list(c(6, 1), c(8, 3), c(5, 5), c(300, 20))) {
    M <- matrix(rnorm(prod(shape)), shape[1])
    expect_equal(c_call("C_polar", M), plain_polar(M), tolerance = 1e-10)
  }
  M <- matrix(rnorm(40), 10) %*% diag(c(1, 1e-2, 1e-4, 1e-5))
  P <- c_call("C_polar", M)
  expect_orthonormal(P, 1e-12)
  expect_equal(sum(P * M), sum(svd(M)$d), tolerance = 1e-12)
})

test_that("polar completes rank-deficient matrices", {
  set.seed(4)
  M <- matrix(rnorm(36), 12)
  for (bad in list(M[, c(1, 2, 2)], cbind(M[, 1:2], 0), matrix(0, 12, 3), matrix(1, 12, 3))) {
    P <- c_call("C_polar", bad)
    expect_orthonormal(P)
    expect_equal(sum(P * bad), sum(svd(bad)$d), tolerance = 1e-10)
  }
})

test_that("the tangent projection is idempotent, tangent and orthogonal", {
  set.seed(5)
  W <- orthonormal(30, 4)
  M <- matrix(rnorm(120), 30)
  N <- c_call("C_project", W, M)
  expect_equal(c_call("C_project", W, N), N, tolerance = 1e-12)
  tangent <- crossprod(W, N)
  expect_lte(max(abs(tangent + t(tangent))), 1e-12)
  other <- c_call("C_project", W, matrix(rnorm(120), 30))
  expect_lte(abs(sum((M - N) * other)), 1e-10)
})

test_that("the iterative eigen-solver finds the leading pairs", {
  set.seed(6)
  A <- scatter(sample_matrix(90, 120, 8, 1))
  exact <- eigen(A, symmetric = TRUE)
  for (wanted in c(1L, 4L, 12L)) {
    found <- c_call("C_eigs", A, wanted, NULL, 1e-10, 300L)
    expect_equal(found$values, exact$values[seq_len(wanted)], tolerance = 1e-10)
    expect_orthonormal(found$vectors)
    residual <- A %*% found$vectors - sweep(found$vectors, 2, found$values, "*")
    expect_lte(max(abs(residual)), 1e-8 * exact$values[1])
  }
})

test_that("the eigen-solver takes indefinite, degenerate and tiny matrices", {
  Q <- qr.Q(qr(outer(1:40, 1:40, function(i, j) cos(i * j))))
  values <- c(5, 5, 5, 2, 1, rep(-1, 35))
  A <- Q %*% (values * t(Q))
  A <- (A + t(A)) / 2
  expect_equal(c_call("C_eigs", A, 5L, NULL, 1e-10, 300L)$values, values[1:5], tolerance = 1e-9)
  expect_equal(c_call("C_eigs", -A, 2L, NULL, 1e-10, 300L)$values, c(1, 1), tolerance = 1e-9)
  expect_equal(c_call("C_eigs", diag(3), 2L, NULL, 1e-10, 300L)$values, c(1, 1))
  expect_equal(c_call("C_eigs", matrix(7), 1L, NULL, 1e-10, 300L)$values, 7)
  expect_equal(c_call("C_eigs", matrix(0, 50, 50), 3L, NULL, 1e-10, 300L)$values, c(0, 0, 0))
})

test_that("a warm start does not change the eigenpairs", {
  set.seed(7)
  A <- scatter(sample_matrix(60, 80))
  exact <- eigen(A, symmetric = TRUE)
  warm <- c_call("C_eigs", A, 3L, exact$vectors[, 1:3], 1e-10, 300L)
  expect_equal(warm$values, exact$values[1:3], tolerance = 1e-10)
})

test_that("the eigen-solver leaves the user's generator alone", {
  set.seed(8)
  before <- .Random.seed
  c_call("C_eigs", diag(as.double(30:1)), 2L, NULL, 1e-10, 300L)
  expect_identical(.Random.seed, before)
})

test_that("numbers that are not finite stop a kernel", {
  for (bad in c(NaN, Inf)) {
    expect_refused(c_call("C_polar", matrix(c(1, bad, 2, 3), 2)), "numerical", "NaN or Inf arose")
  }
})

test_that("what only hand-made arguments can cause is an error of the package", {
  data <- as_c_data(sample_matrix(6, 3))
  expect_refused(c_call("C_gram", data[names(data) != "mean"]), "internal", "mean")
})

test_that("a request that no machine can serve is an error of the package", {
  skip_if_quick() # memory checkers stop at such a request
  x <- Matrix::sparseMatrix(i = c(1, 2, 1e5), j = 1:3, x = c(1, 2, 3))
  expect_refused(
    c_call("C_leading", as_c_data(x), 2000000000L, 0, FALSE, Inf), "memory", "out of memory"
  )
})

test_that("a failure names the method that was asked for", {
  x <- sample_matrix(20, 10)
  expect_refused(bsufs(x, 2, start = matrix(1e300, 10, 2)), "numerical", "bsufs, start: NaN or Inf")
  expect_refused(rowsparse(x, k = 2, method = "dscofs", m = 1, start = matrix(1e300, 10, 1)),
                 "numerical", "dscofs, start: NaN or Inf")
  data <- rowsparse:::as_data(x)
  expect_refused(
    rowsparse:::new_fit("css", data, scores = c(NaN, 1:9), objective = 0, iterations = 0L,
                        converged = TRUE, status = "", parameters = list(), call = NULL,
                        started = 0),
    "numerical", "css: NaN or Inf arose in the scores"
  )
})
