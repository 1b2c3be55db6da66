# residual of a plain regression on the selected columns
plain_share <- function(x, columns) {
  centred <- scale(as.matrix(x), scale = FALSE)
  residual <- stats::lm.fit(centred[, columns, drop = FALSE], centred)$residuals
  1 - sum(residual^2) / sum(centred^2)
}

wide <- function(n, d) {
  x <- matrix(rnorm(n * 4), n) %*% matrix(rnorm(4 * d), 4) + matrix(rnorm(n * d, sd = 0.5), n)
  colnames(x) <- paste0("g", seq_len(d))
  sweep(x, 2, runif(d, -5, 5), "+")
}

core_ends_here()

test_that("the share is that of a least squares regression", {
  set.seed(1)
  for (size in list(c(30, 8), c(10, 25))) {
    x <- wide(size[1], size[2])
    columns <- c(5, 2, 7)
    expect_equal(variance_explained(x, columns), plain_share(x, columns))
    expect_equal(variance_explained(x, columns, k = c(3, 1)),
                 c(plain_share(x, columns), plain_share(x, 5)))
  }
})

test_that("dense, integer, sparse, moments and data frames agree", {
  set.seed(2)
  x <- matrix(rpois(40 * 15, 0.6), 40, dimnames = list(NULL, paste0("g", 1:15)))
  columns <- c("g3", "g12", "g1", "g8")
  expected <- vapply(1:4, function(k) plain_share(x, columns[seq_len(k)]), 0)
  expect_equal(variance_explained(x, columns, 1:4), expected)
  expect_equal(variance_explained(as.data.frame(x), columns, 1:4), expected)
  expect_equal(variance_explained(Matrix::Matrix(x + 0, sparse = TRUE), columns, 1:4), expected)
  both <- moments(x[1:11, ]) + moments(x[12:40, ])
  expect_equal(variance_explained(both, columns, 1:4), expected, tolerance = 1e-6)
})

test_that("the share rises with k, up to 1", {
  set.seed(3)
  x <- wide(9, 20)
  share <- variance_explained(x, sample(20), k = 1:20)
  expect_true(all(diff(share) >= 0))
  expect_true(all(share >= 0 & share <= 1))
  expect_lt(share[7], 1 - 1e-8)
  expect_equal(share[8:20], rep(1, 13))
  expect_equal(variance_explained(moments(x), 1:20), 1, tolerance = 1e-6)
})

test_that("dependent and constant columns add nothing", {
  set.seed(4)
  x <- wide(30, 6)
  x <- cbind(x, twice = 2 * x[, 1] + 3, sum = x[, 1] - x[, 2], flat = 0.1)
  selected <- c("g1", "twice", "flat", "g2", "sum", "g4")
  expected <- vapply(list(1, 1:2, c(1, 2, 4)), function(j) plain_share(x[, 1:9], j), 0)
  for (input in list(x, moments(x))) {
    expect_silent(share <- variance_explained(input, selected, 1:6))
    expect_equal(share, expected[c(1, 1, 1, 2, 2, 3)], tolerance = 1e-6)
  }
  expect_silent(none <- variance_explained(x, "flat"))
  expect_identical(none, 0)
})

test_that("the share is blind to row order, shifts, units and rotation of samples", {
  set.seed(5)
  x <- wide(25, 10)
  share <- variance_explained(x, c(2, 9))
  expect_equal(variance_explained(x[sample(25), ], c(2, 9)), share)
  expect_equal(variance_explained(1e-6 * sweep(x, 2, 1e3), c(2, 9)), share, tolerance = 1e-6)
  expect_equal(variance_explained(x[, 10:1], c("g9", "g2")), share)
})

test_that("leading components bound what any selection explains", {
  set.seed(6)
  x <- wide(40, 12)
  values <- svd(scale(x, scale = FALSE))$d^2
  expect_true(all(variance_explained(x, sample(12), 1:12) <=
                    cumsum(values) / sum(values) + 1e-12))
})

test_that("a fit is read by its ranking and matched by name", {
  set.seed(7)
  x <- wide(30, 6)
  fit <- fake_fit(c(4, 1, 6, 2, 3, 5), selected = c(4L, 1L), colnames(x), scored = 3)
  expect_equal(variance_explained(x, fit), plain_share(x, c(4, 1)))
  expect_equal(variance_explained(x[, 6:1], fit, 3), plain_share(x, c(4, 1, 6)))
  expect_warning(variance_explained(x, fit, 4), class = "rowsparse_warning_fill")
  fit$selected <- NULL
  expect_error(variance_explained(x, fit), class = "rowsparse_error_range")
})

test_that("shares that the machine cannot hold are missing in a fit, and refused by themselves", {
  set.seed(7)
  x <- Matrix::sparseMatrix(sample(1000, 3000, TRUE), rep(1:1000, 3), x = stats::rexp(3000))
  old <- options(rowsparse.memory = 5e6)
  on.exit(options(old))
  fit <- rowsparse(x, k = 600, method = "variance")
  expect_length(fit$selected, 600)
  expect_identical(fit$explained, NA_real_)
  expect_output(print(fit), "variance")
  expect_refused(variance_explained(x, fit), "memory", "choose fewer features")
  path <- rowsparse_path(x, k = c(3, 600), method = "variance")
  expect_true(all(is.na(path$explained)))
  expect_false(is.na(rowsparse(x, k = 6, method = "variance")$explained))
})
