# Counts that are kept packed: the same numbers, read once.

counted_cells <- function(n = 60, d = 40, largest = 12) {
  set.seed(31)
  x <- Matrix::rsparsematrix(n, d, 0.3, rand.x = function(size) sample.int(largest, size, TRUE))
  x <- x + Matrix::sparseMatrix(seq_len(n), rep_len(seq_len(d), n), x = 1) # none is empty
  dimnames(x) <- list(paste0("c", seq_len(n)), paste0("g", seq_len(d)))
  methods::as(x, "CsparseMatrix")
}

in_logs <- function(x, factors = Matrix::rowSums(x) / mean(Matrix::rowSums(x))) {
  x@x <- log2(x@x / unname(factors)[x@i + 1L] + 1)
  x
}

test_that("packed counts are logged as they would be unpacked", {
  for (largest in c(1, 255, 256, 65535)) {
    x <- counted_cells(largest = largest)
    x@x[c(1, 5)] <- c(largest, 0) # a zero may be stored
    factors <- stats::runif(nrow(x), 0.2, 3)
    packed <- rowsparse:::packed_block(x)
    expect_identical(packed$bytes, if (max(x@x) < 256) 1L else 2L)
    expect_equal(rowsparse:::logged_packed(packed, factors), in_logs(x, factors), tolerance = 1e-14)
  }
})

core_ends_here()

test_that("what is no small whole number is not packed", {
  for (other in c(0.5, -1, 65536, NA)) {
    x <- counted_cells()
    x@x[3] <- other
    expect_null(rowsparse:::packed_block(x), info = other)
  }
  expect_null(rowsparse:::packed_block(as.matrix(counted_cells())))
  expect_null(rowsparse:::packed_block(Matrix::sparseMatrix(65537, 1, x = 2)))
})

test_that("counts are read once, or again if there is no room for them", {
  x <- counted_cells(150, 30)
  whole <- in_logs(x)
  rows <- c(40L, 80L, 30L)
  for (memory in list(NULL, 4 * 2000)) {
    old <- options(rowsparse.memory = memory)
    counted <- counted_blocks(x, rows, counts = TRUE)
    options(old)
    expect_identical(counted$passes(), 1)
    expect_equal(as.matrix(counted$blocks), as.matrix(whole), tolerance = 1e-12, ignore_attr = TRUE)
    expect_equal(moments(counted$blocks[2:3])$S, moments(whole[41:150, ])$S, tolerance = 1e-10)
    if (is.null(memory)) {
      fit <- fspca(counted$blocks, 6)
      expect_identical(fit$selected, fspca(whole, 6)$selected)
      expect_identical(counted$passes(), 1)
    } else {
      expect_gt(counted$passes(), 2)
    }
  }
})

test_that("kept counts do not travel: workers read the source", {
  x <- counted_cells(2000, 200)
  path <- tempfile(fileext = ".rds")
  on.exit(unlink(path))
  saveRDS(x, path)
  read <- utils::removeSource(function(i) readRDS(path)[1000 * (i - 1) + 1:1000, ])
  environment(read) <- list2env(list(path = path), parent = globalenv())
  logged <- row_blocks(read, c(1000L, 1000L), names = colnames(x), counts = TRUE)
  raw <- rowsparse:::blocks_input(logged, "x")
  travels <- rowsparse:::travelling_reader(raw)
  expect_lt(length(serialize(travels, NULL)), 0.5 * length(serialize(logged$read, NULL)))
  expect_equal(rbind(travels(1), travels(2)), in_logs(x), tolerance = 1e-14)
  expect_equal(logged[2]$from_source(1), in_logs(x)[1001:2000, ], tolerance = 1e-14)
})

test_that("with many features the leading eigenvectors are found without S", {
  skip_slow()
  n <- 4200
  d <- 4100
  type <- from_seed(12, sample.int(6, n, TRUE))
  at <- cbind(rep(seq_len(n), 49), c(outer(10 * type, 0:8, "+"), sample.int(d, 40 * n, TRUE)))
  x <- Matrix::sparseMatrix(at[, 1], at[, 2], x = 1, dims = c(n, d))
  x[1, ] <- 1
  colnames(x) <- paste0("g", seq_len(d))
  counted <- counted_blocks(x, rep(700L, 6), counts = TRUE)
  fit <- rowsparse(counted$blocks, k = 50, method = "fspca", solver = "go")
  whole <- fspca(moments(in_logs(x)), k = 50, solver = "go") # S itself
  expect_identical(counted$passes(), 1)
  expect_gt(fit$passes, 4) # over what is in memory
  expect_identical(fit$selected, whole$selected)
  expect_equal(fit$objective, whole$objective, tolerance = 1e-8)
})
