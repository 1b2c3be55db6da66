test_that("the projection on the simplex is the nearest point of it", {
  set.seed(91)
  for (count in c(1, 2, 10, 500)) {
    for (total in c(1e-3, 1, 50)) {
      for (v in list(rnorm(count), rep(2, count), -rexp(count), c(1e3, rnorm(count - 1)))) {
        x <- c_call("C_simplex", v, total)
        expect_equal(x, plain_simplex(v, total), tolerance = 1e-10)
        expect_equal(sum(x), total, tolerance = 1e-12)
        expect_gte(min(x), 0)
        # the angle at the nearest point is not acute
        other <- rexp(count)
        other <- total * other / sum(other)
        expect_lte(sum((v - x) * (other - x)), 1e-9 * max(1, abs(v)) * total)
      }
    }
  }
})

test_that("the projection keeps points of the simplex, digits and order", {
  x <- c(0.2, 0.5, 0, 0.3)
  expect_equal(c_call("C_simplex", x, 1), x, tolerance = 1e-15)
  expect_equal(c_call("C_simplex", x + 1e12, 1), x, tolerance = 1e-3)
  expect_identical(c_call("C_simplex", c(3, -1, 0), 0), c(0, 0, 0))
  expect_identical(c_call("C_simplex", c(1e300, 0), 1), c(1, 0))
  expect_refused(c_call("C_simplex", c(1, NaN), 1), "numerical", "NaN or Inf")
  expect_refused(c_call("C_simplex", numeric(0), 1), "internal", "invalid arguments")
  expect_refused(c_call("C_simplex", 1, -1), "internal", "invalid arguments")
})

test_that("top rows are those of largest norm, ties by the second value, then by index", {
  set.seed(92)
  for (shape in list(c(1, 1), c(9, 1), c(40, 3))) {
    W <- matrix(rnorm(prod(shape)), shape[1])
    for (k in unique(c(0L, 1L, shape[1] %/% 2L, as.integer(shape[1])))) {
      kept <- order(-plain_norms(W))[seq_len(k)]
      expected <- W
      expected[setdiff(seq_len(shape[1]), kept), ] <- 0
      expect_identical(c_call("C_toprows", W, k, NULL), expected)
    }
  }
  tied <- matrix(c(1, -1, 1, 0.5, 1 + 1e-14), 5)
  rows <- function(second) which(c_call("C_toprows", tied, 2L, second) != 0)
  expect_identical(rows(NULL), 1:2)
  expect_identical(rows(c(1, 2, 4, 9, 3)), c(3L, 5L))
  expect_refused(c_call("C_toprows", matrix(c(1, Inf), 2), 1L, NULL), "numerical", "NaN or Inf")
})
