# the dense solver up to order 256, the iterative one above
test_that("leading eigenpairs do not depend on the solver that finds them", {
  skip_if_quick()
  set.seed(101)
  for (order in c(250, 256, 257, 300)) {
    x <- sample_matrix(310, order, rank = 8)
    exact <- eigen(scatter(x), symmetric = TRUE)
    wide <- t(sample_matrix(310, order, rank = 8))
    colnames(wide) <- paste0("g", seq_len(ncol(wide)))
    by_samples <- svd(centred(wide), nu = 0, nv = 0)$d^2
    for (m in c(1L, 6L)) {
      found <- c_call("C_leading", as_c_data(moments(x)), m, 0)
      expect_equal(found$values, exact$values[seq_len(m)], tolerance = 1e-9)
      expect_orthonormal(found$vectors)
      residual <- scatter(x) %*% found$vectors - sweep(found$vectors, 2, found$values, "*")
      expect_lte(max(abs(residual)), 1e-7 * exact$values[1])
      found <- c_call("C_leading", as_c_data(wide), m, 0)
      expect_equal(found$values, by_samples[seq_len(m)], tolerance = 1e-9)
      expect_orthonormal(found$vectors)
      subset <- sample.int(order, order - 3)
      part <- c_call("C_subpca", as_c_data(moments(x)), subset, m)
      expect_equal(part$values, tolerance = 1e-9,
                   eigen(scatter(x)[subset, subset], symmetric = TRUE)$values[seq_len(m)])
    }
  }
})

test_that("nearly all eigenpairs of a large matrix come from the dense solver", {
  skip_if_quick()
  set.seed(102)
  x <- sample_matrix(300, 260, rank = 260)
  exact <- eigen(scatter(x), symmetric = TRUE)$values
  found <- c_call("C_leading", as_c_data(moments(x)), 259L, 0)
  expect_equal(found$values, exact[1:259], tolerance = 1e-9)
  expect_orthonormal(found$vectors)
})

test_that("few eigenpairs of many samples are found without their Gram matrix", {
  skip_if_quick()
  set.seed(103)
  x <- sample_matrix(760, 780, rank = 3)
  found <- c_call("C_leading", as_c_data(x), 1L, 0)
  v <- found$vectors
  expect_equal(found$values, sum((centred(x) %*% v)^2), tolerance = 1e-9)
  residual <- crossprod(centred(x), centred(x) %*% v) - found$values * v
  expect_lte(max(abs(residual)), 1e-7 * found$values)
})

test_that("rough values of large data are near the exact ones", {
  skip_if_quick()
  skip_slow()
  set.seed(104)
  x <- Matrix::rsparsematrix(6300, 6400, 0.04, rand.x = function(count) 1 + rexp(count))
  group <- rep_len(1:4, nrow(x))
  for (g in 1:3) x[group == g, 20 * g + 1:20] <- 5
  found <- c_call("C_leading", as_c_data(x), 250L, 1e-4)
  expect_true(found$rough)
  expect_false(is.unsorted(-found$values))
  exact <- c_call("C_leading", as_c_data(x), 3L, 0)
  expect_false(exact$rough)
  expect_equal(found$values[1:3], exact$values, tolerance = 1e-6)
  expect_false(c_call("C_leading", as_c_data(x[1:500, 1:400]), 3L, 1e-4)$rough)
})
