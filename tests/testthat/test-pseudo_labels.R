core_ends_here()

test_that("separate groups are found, the same at every call", {
  group <- rep(1:4, each = 12)
  x <- from_seed(1, 20 * diag(4)[group, ] %*% matrix(rnorm(4 * 30), 4) + matrix(rnorm(48 * 30), 48))
  data <- rowsparse:::as_data(x)
  before <- .Random.seed
  labels <- rowsparse:::start_labels(data, 4)
  expect_identical(.Random.seed, before)
  expect_identical(nmi(labels, group), 1)
  rows <- sample(48)
  moved <- rowsparse:::start_labels(rowsparse:::as_data(x[rows, ]), 4)
  expect_equal(nmi(moved, labels[rows]), 1)
  expect_identical(rowsparse:::label_matrix(c(2L, 1L), 3), rbind(c(0, 1, 0), c(1, 0, 0)))
})

test_that("given labels and matrices are checked", {
  data <- rowsparse:::as_data(matrix(rnorm(30), 6))
  given <- function(start, clusters = 2) rowsparse:::given_labels(start, data, clusters)
  expect_identical(given(c("a", "b", "b", "a", "a", "b")),
    rowsparse:::label_matrix(c(1L, 2L, 2L, 1L, 1L, 2L)))
  expect_refused(given(1:6), "range", "must have 2 different labels")
  expect_refused(given(1:5), "length", "start")
  expect_refused(given(matrix(-1, 6, 2)), "type", "6 x 2")
  expect_identical(given(matrix(1L, 6, 2)), matrix(1, 6, 2))
})
