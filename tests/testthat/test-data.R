inputs <- function() {
  dense <- from_seed(11, sample_matrix(25, 40) + 3)
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

core_ends_here()

test_that("column statistics are those of R for any number of rows, and find what is bad", {
  set.seed(15)
  for (n in c(2:9, 4003)) {
    x <- matrix(stats::rnorm(3 * n, 2), n)
    stats <- c_call("C_column_stats", x, NULL, n, NULL)
    expect_equal(stats$mean, colMeans(x), tolerance = 1e-13)
    expect_equal(stats$deviation, apply(x, 2, stats::sd), tolerance = 1e-12)
    expect_identical(stats$largest, apply(abs(x), 2, max))
    expect_identical(stats$bad, 0)
  }
  for (at in seq_along(x <- matrix(stats::rnorm(14), 7))) {
    for (bad in c(NA, NaN, Inf, -Inf)) {
      stats <- c_call("C_column_stats", replace(x, at, bad), NULL, 7, NULL)
      expect_identical(stats$bad, 1)
    }
  }
  expect_identical(c_call("C_column_stats", x * NA, NULL, 7, NULL)$bad, 14)
})

test_that("units of features and of data outside of 1e-150 to 1e150 are told apart", {
  x <- from_seed(19, matrix(stats::rnorm(60), 12, dimnames = list(NULL, letters[1:5])))
  bad <- x
  bad[3, 2] <- 1e300
  for (data in list(bad, methods::as(bad, "CsparseMatrix"), as.data.frame(bad))) {
    expect_refused(css(data, 2), "scale", "column 2 (\"b\") with values as large as 1e+300")
    expect_refused(moments(data), "scale", "Divide by that number.")
  }
  for (unit in c(1e-320, 1e-200, 1e160, 1e300)) {
    expect_refused(css(x * unit, 2), "scale", "or use scale = TRUE")
  }
  expect_refused(css(x * 1e-320, 2, scale = TRUE), "scale", "from 1e-300 to 1e300")
  small <- x %*% diag(c(1, 1e-309, 1, 1, 1))
  expect_refused(css(row_blocks(small, rows = 3), 2, scale = TRUE), "scale", "values as large as")
  expect_refused(cdlsr(small, x[, 2], 2, weights = rep(1:2, 6)), "scale", "values as large as")
  expect_refused(moments(small), "scale", "values as large as")
  many <- matrix(stats::rnorm(4e4), 4) * 5e152
  expect_true(all(is.finite(colSums(many^2))))
  expect_refused(css(many, 2), "scale", "values as large as")
})

test_that("with scale = TRUE every feature may have units of its own", {
  x <- from_seed(20, matrix(stats::rnorm(30 * 6), 30))
  x[, 4] <- round(x[, 4])
  y <- stats::rnorm(30)
  moved <- x %*% diag(2^c(-900, -500, 0, 3, 500, 900))
  expected <- bsufs(x, 2, scale = TRUE)
  for (data in list(moved, methods::as(moved, "CsparseMatrix"))) {
    fit <- bsufs(data, 2, scale = TRUE)
    expect_identical(fit$ranking, expected$ranking)
    expect_equal(unname(fit$scores), unname(expected$scores), tolerance = 1e-9)
    expect_equal(cdlsr(data, y, 3)$explained, cdlsr(x, y, 3)$explained, tolerance = 1e-9)
  }
})

test_that("a constant is one at any scale, and nothing else is", {
  varying <- from_seed(21, stats::rnorm(12))
  for (unit in 2^c(-1060, -900, -500, 0, 500, 900)) {
    stats <- c_call("C_column_stats", cbind(varying * unit, unit, 0, (1 + 1e-9 * varying) * unit),
                    NULL, 12, NULL)
    raw <- c(stats, n = 12)
    expect_identical(rowsparse:::is_constant(raw), c(FALSE, TRUE, TRUE, unit < 2^-1000))
    rounding <- if (unit < 1e-300) 1e-3 else 1e-12
    expect_equal(stats$mean[1] / unit, mean(varying), tolerance = rounding)
    expect_equal(stats$deviation[1] / unit, stats::sd(varying), tolerance = rounding)
    expect_identical(stats$mean[2], unit)
    expect_identical(stats$deviation[2:3], c(0, 0))
  }
  ten <- c_call("C_column_stats", matrix(0.1, 1e5, 1), NULL, 1e5, NULL)
  expect_identical(c(ten$mean, ten$square), c(0.1, 0))
})

# what Matrix makes of a class, and what its dense form gives
matrix_classes <- function() {
  x <- from_seed(22, matrix(sample(c(0, 0, 1, 2, 5), 30, TRUE), 6))
  sparse <- methods::as(x, "CsparseMatrix")
  square <- methods::as(crossprod(x), "CsparseMatrix")
  triplets <- methods::as(sparse, "TsparseMatrix")
  doubled <- methods::new("dgTMatrix", i = rep(triplets@i, 2), j = rep(triplets@j, 2),
                          x = rep(triplets@x, 2), Dim = triplets@Dim)
  pattern <- methods::as(sparse, "nMatrix")
  list(
    dgC = sparse, dgT = triplets, doubled = doubled, dgR = methods::as(sparse, "RsparseMatrix"),
    ngC = pattern, ngT = methods::as(pattern, "TsparseMatrix"), lgC = sparse > 1,
    dsC = Matrix::forceSymmetric(square), dtC = Matrix::triu(square),
    ddi = Matrix::Diagonal(5, 1:5), unit = Matrix::Diagonal(5),
    ldi = Matrix::Diagonal(3, c(TRUE, FALSE, TRUE)),
    p = methods::as(c(2L, 3L, 1L), "pMatrix"), ind = methods::as(c(2L, 3L, 1L, 1L), "indMatrix"),
    dge = Matrix::Matrix(x, sparse = FALSE), dsy = Matrix::forceSymmetric(Matrix::Matrix(x[1:5, ]))
  )
}

test_that("every class of Matrix is read as what it holds", {
  for (name in names(matrix_classes())) {
    x <- matrix_classes()[[name]]
    S <- unname(moments(x)$S)
    expect_equal(S, unname(scatter(as.matrix(x) + 0)), tolerance = 1e-12, label = name)
  }
})

test_that("broken slots are refused", {
  sound <- from_seed(23, Matrix::rsparsematrix(9, 6, 0.5))
  change <- function(slot, at, value) {
    values <- methods::slot(sound, slot)
    values[at] <- value
    replace_slot(slot, values)
  }
  replace_slot <- function(slot, value) {
    attr(sound, slot) <- value
    sound
  }
  broken <- list(
    change("p", 2:3, rev(sound@p[2:3])), change("p", 3, NA), change("p", 1, 2L),
    change("p", 7, 1000L), change("p", 7, sound@p[7] - 1L), replace_slot("p", integer()),
    change("i", 1, 9L), change("i", 1, -1L), change("i", 2, NA),
    replace_slot("x", sound@x[-1]), replace_slot("Dim", c(3L, 6L)),
    replace_slot("Dim", c(-9L, 6L)), replace_slot("Dim", 9L),
    replace_slot("Dimnames", list(NULL, "a")), replace_slot("Dimnames", list())
  )
  broken <- c(broken, change("i", 1:2, sound@i[2:1]), change("i", 2, sound@i[1]))
  triplets <- methods::as(sound, "TsparseMatrix")
  triplets@i[1] <- 99L
  rows <- methods::as(sound, "RsparseMatrix")
  rows@j[1] <- 99L
  for (x in c(broken, triplets, rows)) {
    expect_refused(css(x, 2), "type", "must be a valid sparse matrix")
    expect_refused(moments(x), "type", "must be a valid sparse matrix")
  }
  for (empty in list(sound[0, ], sound[, 0], sound[0, 0])) {
    expect_refused(css(empty, 1), "size", "must have at least")
  }
})

test_that("cross-products of sparse columns are those of the centred ones, full or not", {
  set.seed(23)
  for (levels in c(1L, 3L)) for (share in c(0.05, 0.5, 0.97)) {
    n <- if (share == 0.5) 300L else 40L
    x <- Matrix::rsparsematrix(n, 50, share)
    x@x <- abs(x@x) + 5
    x[, 3] <- 0
    x[, 4] <- 7 # constant
    x[, 5] <- 1e3 + stats::rnorm(n) # full, far from zero
    x[, 6] <- 1e4 + stats::rnorm(n) # and with a hole
    x[2, 6] <- 0
    x[, 10] <- x[, 9]
    x <- methods::as(x, "CsparseMatrix")
    block <- if (levels > 1L) factor(rep_len(seq_len(levels), n))
    for (scale in c(FALSE, TRUE)) {
      data <- suppressWarnings(rowsparse:::as_data(x, scale, block = block))
      z <- as.matrix(x)
      z <- z - if (is.null(block)) rep(colMeans(z), each = n) else apply(z, 2, stats::ave, block)
      if (scale) z <- sweep(z, 2, data$weight, "*")
      S <- c_call("C_gram", unclass(data))
      norms <- sqrt(pmax(colSums(z^2), 1e-200))
      error <- abs(S - crossprod(z)) / outer(norms, norms)
      info <- paste(levels, n, share, scale)
      expect_lt(max(error[-(3:4), -(3:4)]), 1e-12, label = info)
      expect_true(all(S[3:4, ] == 0), info = info)
      expect_identical(S, t(S), info = info)
      expect_identical(S[9, -(9:10)], S[10, -(9:10)], info = info) # copies stay copies
    }
  }
})

test_that("Matrix is loaded with the first sparse matrix, also one from a file", {
  script <- tempfile(fileext = ".R")
  saved <- tempfile(fileext = ".rds")
  x <- from_seed(24, Matrix::rsparsematrix(40, 8, 0.4))
  saveRDS(x, saved)
  writeLines(c(
    "library(rowsparse)", "dense <- variance(as.matrix(cars))",
    "cat(isNamespaceLoaded(\"Matrix\"), \"\")", sprintf("x <- readRDS(%s)", deparse(saved)),
    "blocks <- variance(row_blocks(x, rows = 20L))$ranking[1:3]",
    "cat(variance(x)$ranking[1:3], blocks)"
  ), script)
  best <- variance(as.matrix(x))$ranking[1:3]
  expect_identical(utils::tail(run_child(script), 1), paste(c("FALSE", best, best), collapse = " "))
})
