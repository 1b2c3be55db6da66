# Rows from a reader, block by block, are the same data.

uneven <- function(n) c(25L, 1L, n - 26L)

block_data <- function(n = 60, d = 24) {
  x <- from_seed(81, matrix(stats::rnorm(n * d), n) %*% diag(seq(3, 1, length.out = d)))
  x[, 1:5] <- x[, 1:5] + rep(c(-2, 2), each = n / 2)
  colnames(x) <- paste0("g", seq_len(d))
  x
}

test_that("every operation on blocks is that on the matrix", {
  x <- block_data(40, 70) # more than a panel of columns
  for (scale in c(FALSE, TRUE)) {
    z <- scale(x, scale = if (scale) apply(x, 2, stats::sd) else FALSE)
    data <- as_c_data(in_blocks(x, uneven(40)), scale)
    w <- matrix(stats::rnorm(140), 70)
    expect_equal(c_call("C_covop", data, w)$product, unname(crossprod(z, z %*% w)),
      tolerance = 1e-10
    )
    expect_equal(c_call("C_gram", data), unname(crossprod(z)), tolerance = 1e-10)
    e <- replace(stats::runif(70), 3, 0)
    expect_equal(c_call("C_gram_samples", data, e), unname(z %*% (e * t(z))), tolerance = 1e-10)
    expect_equal(c_call("C_row_squares", data), unname(rowSums(z^2)), tolerance = 1e-10)
    for (set in list(c(70L, 2L, 9L), 70:4)) {
      expect_equal(c_call("C_subpca", data, set, 2L)$values,
        eigen(crossprod(z[, set]), TRUE)$values[1:2], tolerance = 1e-10
      )
    }
  }
})

core_ends_here()

test_that("a fingerprint sees every number, and all that are not finite", {
  set.seed(82)
  print_of <- function(x, i = NULL, p = NULL) c_call("C_check_block", x, i, p)$print
  for (n in c(1, 3, 4, 5, 8, 11)) {
    x <- stats::rnorm(n)
    changed <- lapply(seq_len(n), function(at) print_of(replace(x, at, x[at] * (1 + 1e-15))))
    expect_length(unique(c(changed, list(print_of(x)), list(print_of(x + 0)))), n + 1)
    whole <- sample.int(100L, n)
    expect_identical(print_of(whole), print_of(as.double(whole)))
    for (bad in list(replace(x, n, Inf), replace(x, n, NaN), replace(whole, n, NA))) {
      found <- c_call("C_check_block", bad, NULL, NULL)
      expect_identical(c(found$bad, found$first), c(1, n - 1))
    }
  }
  x <- stats::rnorm(6)
  expect_false(identical(print_of(x, 0:5, c(0L, 6L)), print_of(x, c(0:4, 6L), c(0L, 6L))))
  expect_false(identical(print_of(x, 0:5, c(0L, 3L, 6L)), print_of(x, 0:5, c(0L, 2L, 6L))))
  expect_false(identical(print_of(x), print_of(x[c(5, 2, 3, 4, 1, 6)]))) # of the same lane
})
