parts_data <- function(n = 90, d = 7) {
  x <- from_seed(71, sample_matrix(n, d) + 3)
  colnames(x) <- letters[seq_len(d)]
  list(
    x = x, class = factor(sample(c("u", "v", "w"), n, TRUE)), number = x[, 1] + stats::rnorm(n),
    block = gl(3, n / 3, labels = c("one", "two", "three"))
  )
}

sizes_of_parts <- c(1, 20, 9, 3, 7, 30, 20)

core_ends_here()

test_that("one pass over blocks gives the moments of all rows", {
  data <- parts_data()
  counted <- counted_blocks(data$x, sizes_of_parts)
  expect_equal(moments(counted$blocks), moments(data$x), tolerance = 1e-12)
  expect_identical(counted$passes(), 1)
  for (block in list(NULL, data$block)) {
    for (y in data[c("class", "number")]) {
      expect_equal(moments(counted$blocks, y, block), moments(data$x, y, block), tolerance = 1e-12)
    }
  }
  wide <- matrix(stats::rnorm(40 * 450), 40)
  expect_equal(moments(in_blocks(wide, c(15, 25))), moments(wide), tolerance = 1e-10)
})

test_that("a block that cannot be read or used ends the sum, and is named", {
  x <- parts_data()$x
  fails <- row_blocks(function(i) if (i == 2) stop("gone") else x[1:5, ], c(5, 5))
  expect_refused(moments(fails), "block", "block 2 was not; got the error: gone")
  other <- row_blocks(function(i) matrix(0, 5, i), c(5, 5))
  expect_error(moments(other), class = "rowsparse_error_block")
  huge <- in_blocks(matrix(c(1, 2, 3, 4) * 1e200, 4), c(2, 2))
  expect_refused(moments(huge), "scale", "double precision")
})

test_that("sparse blocks give the moments of dense ones, whatever the means", {
  set.seed(73)
  block <- batches(90)
  x <- shifted(90, 500, block, sparse = TRUE) # more columns than are made at a time
  x[, 4] <- 0 # nothing stored
  x[, 5] <- 7 # constant, all stored
  x[, 6] <- 1e6 + stats::rnorm(90) # full, far from zero
  x[, 7] <- replace(100 + stats::rnorm(90), 3, 0) # one hole
  x[, 8:9] <- x[, 8:9] * rep(c(1e-140, 1e140), each = 90)
  stored <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
  size <- sqrt(diag(moments(x)$S))
  scaled <- function(m) m$S / pmax(outer(size, size), 1e-300)
  for (level in list(NULL, block)) {
    whole <- moments(x, x[, 1], level)
    parts <- moments(in_blocks(stored, c(30, 1, 20, 39)), x[, 1], level)
    expect_equal(scaled(parts), scaled(whole), tolerance = 1e-9)
    expect_equal(parts$mean, whole$mean, tolerance = 1e-12)
    expect_equal(parts$Sxy / size, whole$Sxy / size, tolerance = 1e-10)
  }
})

test_that("what lies in a file is read in blocks, in both orientations", {
  skip_if_not_installed("HDF5Array")
  skip_if_not_installed("SummarizedExperiment")
  x <- parts_data()$x
  y <- rep_len(c("a", "b"), nrow(x))
  experiment <- function(values) {
    SummarizedExperiment::SummarizedExperiment(list(values = values),
      colData = data.frame(class = y, w = seq_len(nrow(x)))
    )
  }
  files <- list(hdf5_matrix(t(x)), DelayedArray::t(hdf5_matrix(x)),
    DelayedArray::DelayedArray(Matrix::Matrix(t(x), sparse = TRUE))
  )
  for (values in files) {
    data <- experiment(values)
    expect_equal(moments(data, "class"), moments(x, y), tolerance = 1e-12)
    expect_equal(moments(DelayedArray::t(values), block = y), moments(x, block = y),
      tolerance = 1e-12
    )
    # weights are of data in memory
    expect_equal(moments(data, weights = "w"), moments(x, weights = seq_len(nrow(x))))
  }
  # what is read by blocks says which
  missing <- experiment(hdf5_matrix(t(replace(x, 97, NA))))
  expect_error(moments(missing), "in block 1", class = "rowsparse_error_nonfinite")
})
