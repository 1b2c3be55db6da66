test_that("neighbours are the k nearest, in order, with the names of the samples", {
  set.seed(1)
  x <- matrix(rnorm(40 * 5), 40, dimnames = list(paste0("s", 1:40), NULL))
  near <- neighbours(x, k = 6)
  D <- as.matrix(dist(x))
  expect_identical(dim(near$index), c(40L, 6L))
  expect_identical(rownames(near$index), rownames(x))
  for (i in 1:40) {
    others <- order(D[i, ])[2:7]
    expect_identical(unname(near$index[i, ]), others)
    expect_equal(unname(near$distance[i, ]), unname(D[i, others]))
  }
  expect_equal(near$largest, max(D))
  expect_equal(near$mean, mean(D))
})

core_ends_here()

test_that("the cosine distance and scaling are those of the centred rows", {
  set.seed(2)
  x <- sweep(matrix(rnorm(30 * 4), 30), 2, c(1, 5, 20, 0.1), "*")
  for (scale in c(FALSE, TRUE)) {
    z <- centred(x, scale)
    expect_equal(neighbours(x, 3, scale = scale)$distance[, 1],
                 apply(as.matrix(dist(z)) + diag(Inf, 30), 1, min), ignore_attr = TRUE)
    z <- z / sqrt(rowSums(z^2))
    near <- neighbours(x, 3, "cosine", scale)
    expect_equal(near$distance[, 3], apply(as.matrix(dist(z)), 1, function(r) sort(r)[4]),
                 ignore_attr = TRUE)
    expect_equal(near$distance[5, 1]^2, 2 - 2 * sum(z[5, ] * z[near$index[5, 1], ]))
  }
})

test_that("all kinds of input have the same neighbours and keep sample names", {
  set.seed(3)
  x <- matrix(rpois(60 * 8, 1), 60, dimnames = list(paste0("cell", 1:60), paste0("g", 1:8)))
  near <- neighbours(x, 5)
  others <- list(
    as.data.frame(x), Matrix::Matrix(x, sparse = TRUE),
    row_blocks(function(i) x[30 * (i - 1) + 1:30, ], c(30, 30))
  )
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    others$experiment <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(x)))
  }
  for (other in others) {
    found <- suppressMessages(neighbours(other, 5), classes = "rowsparse_message_counts")
    expect_identical(unname(found$index), unname(near$index))
    expect_equal(unname(found$distance), unname(near$distance))
    if (!inherits(other, "rowsparse_blocks")) {
      expect_identical(rownames(found$index), rownames(x))
    }
  }
})

test_that("neighbours may be all others", {
  x <- matrix(c(1, 5, 2, 8), 4)
  expect_identical(neighbours(x, 3)$index, rbind(c(3L, 2L, 4L), c(3L, 4L, 1L), c(1L, 2L, 4L),
                                                 c(2L, 3L, 1L)))
  expect_identical(neighbours(x[1:2, , drop = FALSE], 1)$index, cbind(2:1))
})
