inputs <- function() {
  set.seed(11)
  dense <- sample_matrix(25, 40) + 3
  sparse <- Matrix::rsparsematrix(25, 40, 0.2)
  colnames(sparse) <- colnames(dense)
  wide <- sample_matrix(12, 90)
  list(dense = dense, sparse = sparse, wide = wide, integer = round(dense))
}

test_that("products, diagonal and trace are those of the scatter matrix", {
  for (x in inputs()) {
    for (scale in c(FALSE, TRUE)) {
      S <- scatter(x, scale)
      W <- matrix(rnorm(ncol(x) * 3), ncol(x))
      out <- c_call("C_covop", as_c_data(x, scale), W)
      expect_equal(out$product, unname(S %*% W), tolerance = 1e-10)
      expect_equal(out$diagonal, unname(diag(S)), tolerance = 1e-10)
      expect_equal(out$trace, sum(diag(S)), tolerance = 1e-10)
      expect_equal(out$products, 3)
    }
  }
})

test_that("explicit S and thin products agree", {
  x <- inputs()$dense
  W <- matrix(rnorm(ncol(x) * 2), ncol(x))
  explicit <- c_call("C_covop", as_c_data(moments(x)), W)
  expect_equal(explicit, c_call("C_covop", as_c_data(x), W), tolerance = 1e-10)
  scaled <- c_call("C_covop", as_c_data(moments(x), TRUE), W)
  expect_equal(scaled, c_call("C_covop", as_c_data(x, TRUE), W), tolerance = 1e-10)
})

test_that("the Gram matrix of the samples carries weights", {
  set.seed(12)
  for (x in inputs()) {
    e <- runif(ncol(x))
    for (scale in c(FALSE, TRUE)) {
      Z <- unname(centred(x, scale))
      data <- as_c_data(x, scale)
      expect_equal(c_call("C_gram_samples", data, e), Z %*% (e * t(Z)), tolerance = 1e-9)
      expect_equal(c_call("C_gram_samples", data, NULL), tcrossprod(Z), tolerance = 1e-9)
    }
  }
})

test_that("leading eigenvectors agree between the routes", {
  for (x in inputs()) {
    S <- scatter(x)
    exact <- eigen(S, symmetric = TRUE)
    found <- c_call("C_leading", as_c_data(x), 4L)
    expect_equal(found$values, exact$values[1:4], tolerance = 1e-8)
    expect_orthonormal(found$vectors)
    captured <- sum(diag(crossprod(found$vectors, S %*% found$vectors)))
    expect_equal(captured, sum(exact$values[1:4]), tolerance = 1e-8)
  }
})

test_that("large orders take the iterative route to the same eigenvectors", {
  set.seed(13)
  x <- sample_matrix(300, 320, 6)
  exact <- svd(centred(x))$d[1:3]^2
  expect_equal(c_call("C_leading", as_c_data(x), 3L)$values, exact, tolerance = 1e-8)
  expect_equal(c_call("C_leading", as_c_data(moments(x)), 3L)$values, exact, tolerance = 1e-8)
})

test_that("column statistics survive large means", {
  set.seed(14)
  x <- matrix(rnorm(200), 50) + 1e8
  stats <- c_call("C_column_stats", x, NULL, nrow(x))
  expect_equal(stats$square, colSums(centred(x)^2), tolerance = 1e-6)
  expect_equal(stats$mean, colMeans(x))
})

test_that("all kinds of input reach the same data", {
  x <- round(inputs()$dense)
  reference <- rowsparse:::as_data(x)
  same <- c("n", "d", "mean", "square", "names", "constant")
  integers <- x
  storage.mode(integers) <- "integer"
  expect_equal(rowsparse:::as_data(integers)[same], reference[same])
  expect_equal(rowsparse:::as_data(as.data.frame(x))[same], reference[same])
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(rowsparse:::as_data(sparse)[same], reference[same])
  triplets <- methods::as(sparse, "TsparseMatrix")
  expect_equal(rowsparse:::as_data(triplets)[same], reference[same])
})

test_that("experiments are transposed and their assay chosen", {
  skip_if_not_installed("SummarizedExperiment")
  x <- inputs()$dense
  experiment <- SummarizedExperiment::SummarizedExperiment(
    list(counts = t(round(x)), logcounts = t(x))
  )
  expect_equal(rowsparse:::as_data(experiment)$x, x)
  expect_equal(rowsparse:::as_data(experiment, assay = "counts")$x, round(x))
  expect_error(rowsparse:::as_data(experiment, assay = "none"), class = "rowsparse_error_choice")
  sparse <- Matrix::Matrix(t(round(x)), sparse = TRUE)
  experiment <- SummarizedExperiment::SummarizedExperiment(list(counts = sparse))
  expect_identical(rowsparse:::as_data(experiment)$kind, "sparse")
})

test_that("the flop count chooses the form of S", {
  prefers <- function(...) c_call("C_prefers_explicit", ...)
  expect_true(prefers(1000, 200, 5, 50))
  expect_false(prefers(50, 5000, 5, 50))
  expect_false(prefers(1000, 1500, 1, 1))
})

test_that("prepared data give the fit that the data themselves give", {
  set.seed(12)
  for (size in list(c(40, 8), c(15, 60))) {
    x <- sample_matrix(size[1], size[2])
    prepared <- rowsparse:::prepare_data(x, TRUE, m = 3)
    fit <- bsufs(x, 2, scale = TRUE)
    again <- bsufs(prepared, 2)
    expect_identical(again$ranking, fit$ranking)
    expect_equal(again$scores, fit$scores, tolerance = 1e-8)
    expect_identical(again$scale, fit$scale)
    top <- fit$ranking[1:4]
    expect_equal(variance_explained(prepared, top, k = 1:4),
                 variance_explained(scale(x), top, k = 1:4))
  }
})

test_that("logical and packed matrices are read as numbers", {
  set.seed(15)
  x <- matrix(stats::rnorm(60) > 0, 12)
  expect_equal(bsufs(x, 2)$scores, bsufs(x + 0, 2)$scores)
  dense <- matrix(stats::rnorm(60), 12, dimnames = list(NULL, letters[1:5]))
  expect_equal(bsufs(Matrix::Matrix(dense), 2)$scores, bsufs(dense, 2)$scores)
})

test_that("thin products with many samples are those of R", {
  set.seed(16)
  x <- matrix(stats::rnorm(40000 * 3), ncol = 3) + 2
  W <- matrix(stats::rnorm(6), 3)
  out <- c_call("C_covop", as_c_data(x), W)
  expect_equal(out$product, scatter(x) %*% W, tolerance = 1e-10)
})

test_that("moments have no rows to look at", {
  data <- as_c_data(moments(inputs()$dense))
  expect_error(c_call("C_gram_samples", data, NULL), "data of kind 'moments' has no rows")
})
