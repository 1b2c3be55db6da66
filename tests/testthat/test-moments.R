test_that("moments of blocks add up to the moments of all", {
  set.seed(21)
  x <- sample_matrix(60, 8) + 100
  y <- factor(sample(c("a", "b", "c"), 60, TRUE))
  blocks <- split(1:60, rep(1:3, c(5, 25, 30)))
  parts <- lapply(blocks, function(rows) moments(x[rows, ], y[rows]))
  whole <- moments(x, y)
  expect_equal(Reduce(`+`, parts), whole, tolerance = 1e-10)
  expect_equal(Reduce(`+`, rev(parts)), whole, tolerance = 1e-10)
  expect_equal(whole$S, scatter(x), tolerance = 1e-10)
  Y <- outer(as.integer(y), 1:3, "==") + 0
  expect_equal(unname(whole$Sxy), unname(crossprod(centred(x), centred(Y))), tolerance = 1e-9)
  expect_equal(unname(whole$Syy), crossprod(centred(Y)), tolerance = 1e-10)
})

test_that("dense, integer and sparse blocks give the same moments", {
  set.seed(22)
  x <- Matrix::rsparsematrix(30, 12, 0.3, rand.x = function(n) rpois(n, 4) + 1)
  y <- rnorm(30)
  dense <- as.matrix(x)
  integers <- dense
  storage.mode(integers) <- "integer"
  expect_equal(moments(x, y), moments(dense, y), tolerance = 1e-10)
  expect_equal(moments(integers, y), moments(dense, y), tolerance = 1e-10)
  expect_output(print(moments(x, y)), "30 samples, 12 features, 1 responses")
})

test_that("blocks that do not fit together are refused", {
  x <- sample_matrix(10, 4)
  expect_error(moments(x) + moments(x[, 1:3]), class = "rowsparse_error_type")
  expect_error(moments(x) + 1, class = "rowsparse_error_type")
  other <- x
  colnames(other) <- letters[1:4]
  expect_error(moments(x) + moments(other), class = "rowsparse_error_type")
  expect_error(moments(x) + moments(x, 1:10 + 0), class = "rowsparse_error_type")
  expect_error(moments(moments(x)), class = "rowsparse_error_type")
})

test_that("labels of any kind are classes, and all must be known", {
  set.seed(23)
  x <- sample_matrix(12, 3)
  y <- rep(c("b", "a", "c"), 4)
  expect_identical(moments(x, y), moments(x, factor(y)))
  expect_identical(moments(x, y == "a")$levels, c("FALSE", "TRUE"))
  expect_error(moments(x, replace(factor(y), 3, NA)), class = "rowsparse_error_nonfinite")
  expect_error(moments(x, y[-1]), class = "rowsparse_error_length")
})

test_that("a block may lack classes, all blocks together may not", {
  set.seed(24)
  x <- sample_matrix(20, 4)
  y <- factor(rep(c("a", "b"), each = 10))
  one <- moments(x[1:10, ], y[1:10])
  other <- moments(x[11:20, ], y[11:20])
  expect_error(cdlsr(one, k = 2), "`y` must vary", class = "rowsparse_error_constant")
  expect_equal(cdlsr(one + other, k = 2)$selected, cdlsr(x, y, 2)$selected)
})
