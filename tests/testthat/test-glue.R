# What stands between R and the core: the centred copy that stays with the data,
# words that name choices, lists put together element by element.
core_ends_here()

test_that("dense data are copied once and again only when they change", {
  x <- from_seed(1, sample_matrix(30, 8) + 5)
  data <- as_c_data(x)
  w <- matrix(stats::rnorm(16), 8)
  product <- function(data) c_call("C_covop", data, w)$product
  centred <- scale(x, scale = FALSE)
  expected <- crossprod(centred, centred %*% w)
  expect_equal(product(data), unname(expected), tolerance = 1e-12)
  expect_identical(product(data), product(data))
  # another matrix, other means, weights: the copy of before is not taken
  changed <- data
  changed$x <- 2 * data$x
  changed$mean <- 2 * data$mean
  expect_equal(product(changed), unname(4 * expected), tolerance = 1e-12)
  weighted <- data
  weighted$weight <- rep(3, 8)
  expect_equal(product(weighted), unname(9 * expected), tolerance = 1e-12)
  expect_equal(product(data), unname(expected), tolerance = 1e-12)
  # and without a place to keep it, it is made for the call
  data$kept <- NULL
  expect_equal(product(data), unname(expected), tolerance = 1e-12)
})

test_that("a column far from zero is centred to the last digit", {
  x <- from_seed(2, matrix(stats::rnorm(200), 20) + 2^30 / 3)
  data <- as_c_data(x)
  K <- c_call("C_gram_samples", data, NULL)
  expect_lte(max(abs(rowSums(K))), 1e-10 * max(abs(K)))
})

test_that("the sum of two fits on one copy is the same as on two", {
  x <- from_seed(3, sample_matrix(40, 12))
  path <- rowsparse_path(x, method = "bsufs", m = 2)
  expect_identical(anyNA(unlist(path$objective)), FALSE)
  first <- bsufs(x, 2)
  again <- bsufs(x, 2)
  expect_identical(first$ranking, again$ranking)
  expect_identical(first$objective, again$objective)
})

test_that("a word that the core does not know, or none, is an internal error", {
  x <- from_seed(4, sample_matrix(20, 5))
  near <- c_call("C_neighbours", as_c_data(x), list(k = 3L, ties = 0L, metric = "euclidean"))
  for (weights in list("x", 1L, NULL)) {
    expect_error(
      c_call("C_graph", near$euclidean, list(weights = weights, mutual = 0L, t = 0)), "weights",
      class = "rowsparse_error_internal"
    )
  }
})

test_that("a result has a name for every element, however many there are", {
  x <- from_seed(5, sample_matrix(30, 6))
  fit <- suppressWarnings(spca_psd(x))
  raw <- c_call("C_column_stats", x, NULL, 30, NULL)
  expect_identical(names(raw), c("mean", "fine", "square", "deviation", "largest", "bad"))
  expect_identical(anyDuplicated(names(fit)), 0L)
})
