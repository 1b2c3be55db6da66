# The share explained by sets, against least squares.

explained_of <- function(x, columns, ...) {
  rowsparse:::shares_explained(list(columns), rowsparse:::as_data(x, ...))
}

core_ends_here()

test_that("dense, sparse, moments and blocks agree with least squares", {
  x <- from_seed(2, matrix(rpois(40 * 15, 0.6), 40))
  columns <- c(3, 12, 1, 8)
  share <- share_reproduced(x, columns)
  parts <- moments(x[1:11, ]) + moments(x[12:40, ])
  for (input in list(x, Matrix::Matrix(x + 0, sparse = TRUE), parts, row_blocks(x + 0, rows = 9))) {
    expect_equal(explained_of(input, columns), share, tolerance = 1e-6)
    expect_equal(explained_of(input, columns, scale = TRUE), share_reproduced(scale(x), columns),
      tolerance = 1e-6
    )
  }
  expect_equal(explained_of(x[1:9, ], 1:9), 1)
})

test_that("dependent and constant columns add nothing", {
  x <- from_seed(4, matrix(rnorm(30 * 6), 30))
  x <- cbind(x, 2 * x[, 1] + 3, 1e8 + x[, 1] - x[, 2], 0.1)
  for (input in list(x, moments(x))) {
    gain <- rowsparse:::projection_gain(suppressWarnings(rowsparse:::as_data(input)),
      c(1, 7, 9, 2, 8, 4)
    )
    expect_equal(gain[c(2, 3, 5)], c(0, 0, 0))
    expect_equal(cumsum(gain)[c(1, 4, 6)] / sum(centred(x)^2),
      vapply(list(1, 1:2, c(1, 2, 4)), function(set) share_reproduced(x, set), 0),
      tolerance = 1e-6
    )
  }
})

test_that("shares that the machine cannot hold are missing", {
  set.seed(7)
  x <- Matrix::sparseMatrix(sample(1000, 3000, TRUE), rep(1:1000, 3), x = stats::rexp(3000))
  hold_options(rowsparse.memory = 5e6)
  explained <- function(k) rowsparse_path(x, k = k, method = "variance")$explained
  expect_identical(is.na(c(explained(c(3, 600)), explained(6))), c(TRUE, TRUE, FALSE))
})
