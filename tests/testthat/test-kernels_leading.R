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
      found <- c_call("C_leading", as_c_data(moments(x)), m, 0, FALSE, Inf)
      expect_equal(found$values, exact$values[seq_len(m)], tolerance = 1e-9)
      expect_orthonormal(found$vectors)
      residual <- scatter(x) %*% found$vectors - sweep(found$vectors, 2, found$values, "*")
      expect_lte(max(abs(residual)), 1e-7 * exact$values[1])
      found <- c_call("C_leading", as_c_data(wide), m, 0, FALSE, Inf)
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
  found <- c_call("C_leading", as_c_data(moments(x)), 259L, 0, FALSE, Inf)
  expect_equal(found$values, exact[1:259], tolerance = 1e-9)
  expect_orthonormal(found$vectors)
})

test_that("few eigenpairs of many samples are found without their Gram matrix", {
  skip_if_quick()
  set.seed(103)
  x <- sample_matrix(760, 780, rank = 3)
  found <- c_call("C_leading", as_c_data(x), 1L, 0, FALSE, Inf)
  v <- found$vectors
  expect_equal(found$values, sum((centred(x) %*% v)^2), tolerance = 1e-9)
  residual <- crossprod(centred(x), centred(x) %*% v) - found$values * v
  expect_lte(max(abs(residual)), 1e-7 * found$values)
})

# rough and exact values of the same data, as the default dimensions are given them
with_leading <- function(data, ...) {
  data$operator <- data
  data$operator$leading <- rsp("leading_eigenvectors")(data, ...)
  data
}
rsp <- function(name) getFromNamespace(name, "rowsparse")

# samples whose scatter matrix has these eigenvalues, the others 0
with_spectrum_of <- function(values, n = 420, d = 300) {
  Q <- qr.Q(qr(cbind(1, matrix(rnorm(n * length(values)), n))))[, -1]
  rsp("as_data")(Q %*% (sqrt(values) * t(orthonormal(d, length(values)))))
}

test_that("the corner and what is selected are the same with rough values", {
  skip_if_quick()
  set.seed(104)
  bulk <- function(count) sort(runif(count, 0.5, 1), decreasing = TRUE)
  spectra <- list(
    geometric = 0.9^(1:290), power = (1:290)^-1.2, spiked = c(10 + 8:1, bulk(280)),
    close = c(rep(9, 3), rep(4, 3), bulk(280)), edge = c(5, 4, 3, 1.3, 1.2, 1.1, bulk(280)),
    flat = bulk(290), concave = seq(2, 1, length.out = 290)^2, low_rank = c(6:1, numeric(200))
  )
  if (!is_slow()) spectra <- spectra[c("spiked", "close", "edge")]
  for (name in names(spectra)) {
    data <- with_spectrum_of(spectra[[name]])
    exact <- with_leading(data, 30L)
    rough <- with_leading(data, 30L, 1e-3, corner = TRUE, large = 0)
    m <- rsp("corner_dimension")(exact)
    expect_identical(rsp("corner_dimension")(rough), m, label = name)
    expect_lte(max(rough$operator$leading$values - exact$operator$leading$values), 1e-7)
    expect_setequal(fspca(rough, k = 20)$selected, fspca(exact, k = 20)$selected)
    # to be gone on from
    better <- rsp("leading_eigenvectors")(rough$operator, m)
    expect_false(isTRUE(better$rough))
    expect_equal(better$values, exact$operator$leading$values[seq_len(m)], tolerance = 1e-9)
    expect_orthonormal(better$vectors)
  }
  rough <- with_leading(with_spectrum_of(spectra$spiked), 30L, 1e-3, corner = TRUE, large = 0)
  expect_true(rough$operator$leading$rough)
})

test_that("a corner counts as settled where no values between the bounds have another", {
  set.seed(105)
  settled <- function(low, high) c_call("C_certain_corner", low, high)
  elbow <- function(values) rsp("elbow")(log(values))
  falling <- function() sort(exp(rnorm(12) * runif(1, 0.1, 2)), decreasing = TRUE)
  found <- 0
  for (i in 1:150) {
    low <- falling()
    high <- sort(low * (1 + runif(1, 0, 0.3) * runif(12)), decreasing = TRUE)
    corner <- settled(low, high)
    if (corner == 0) next
    found <- found + 1
    between <- replicate(10, {
      values <- sort(low + (high - low) * sample(c(0, 1, runif(1)), 12, TRUE), decreasing = TRUE)
      elbow(values)
    })
    expect_true(all(between == corner))
  }
  expect_gt(found, 20)
  expect_identical(settled(2^-(1:9), 2^-(1:9)), 0L)
  expect_identical(settled(c(9, 1), c(9, 1)), 0L)
  expect_identical(settled(c(9, 1, 0), c(9, 1, 0)), 0L)
  expect_identical(settled(c(9, 2, 1), c(9, 2, 1)), 2L)
})

test_that("rough values of large data are near the exact ones", {
  skip_slow()
  set.seed(104)
  x <- Matrix::rsparsematrix(6300, 6400, 0.002, rand.x = function(count) 1 + rexp(count))
  group <- rep_len(1:4, nrow(x))
  for (g in 1:3) x[group == g, 20 * g + 1:20] <- 5
  data <- as_c_data(x)
  found <- c_call("C_leading", data, 30L, 1e-4, FALSE, 0)
  expect_true(found$rough)
  expect_false(is.unsorted(-found$values))
  exact <- c_call("C_leading", data, 3L, 0, FALSE, Inf)
  expect_false(exact$rough)
  expect_equal(found$values[1:3], exact$values, tolerance = 1e-6)
  # the samples are fewer: their vectors are gone on from
  data$leading <- c_call("C_leading", data, 30L, 1e-4, TRUE, 0)
  expect_identical(dim(data$leading$basis), c(6300L, 31L))
  better <- c_call("C_leading", data, 3L, 0, FALSE, 0)
  expect_false(better$rough)
  expect_equal(better$values, exact$values, tolerance = 1e-9)
  expect_equal(abs(crossprod(better$vectors, exact$vectors)), diag(3), tolerance = 1e-6)
  expect_false(c_call("C_leading", as_c_data(x[1:500, 1:400]), 3L, 1e-4, FALSE, 1e9)$rough)
})
