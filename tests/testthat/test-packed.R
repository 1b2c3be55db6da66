# Counts that are kept packed: the same numbers, read once.

counted_cells <- function(n = 60, d = 40, largest = 12) {
  set.seed(31)
  x <- Matrix::rsparsematrix(n, d, 0.3, rand.x = function(size) sample.int(largest, size, TRUE))
  x <- x + Matrix::sparseMatrix(seq_len(n), rep_len(seq_len(d), n), x = 1) # none is empty
  dimnames(x) <- list(paste0("c", seq_len(n)), paste0("g", seq_len(d)))
  methods::as(x, "CsparseMatrix")
}

read_in_blocks <- function(x, rows) {
  last <- cumsum(rows)
  seen <- new.env()
  seen$reads <- 0L
  blocks <- row_blocks(function(i) {
    seen$reads <- seen$reads + 1L
    x[seq.int(last[i] - rows[i] + 1, last[i]), , drop = FALSE]
  }, rows, names = colnames(x))
  list(blocks = blocks, reads = function() seen$reads / length(rows))
}

in_rows_of <- function(x, size) {
  row_blocks(function(i) x[(i - 1) * size + seq_len(size), ], rep(size, nrow(x) / size))
}

test_that("packed counts are logged as they would be unpacked", {
  for (largest in c(1, 7, 8, 255, 256, 65535)) {
    x <- counted_cells(largest = largest)
    x@x[c(1, 5)] <- c(largest, 0) # a zero may be stored
    factors <- stats::runif(nrow(x), 0.2, 3)
    packed <- rowsparse:::packed_block(x)
    expect_identical(packed$bytes, if (max(x@x) < 256) 1L else 2L)
    expect_equal(rowsparse:::logged_packed(packed, factors),
      rowsparse:::log_by_sample(x, factors, 1L), tolerance = 1e-14
    )
  }
  empty <- methods::as(Matrix::sparseMatrix(integer(), integer(), dims = c(3, 2)), "dMatrix")
  expect_equal(rowsparse:::logged_packed(rowsparse:::packed_block(empty), c(1, 2, 3)), empty)
})

core_ends_here()

test_that("what is no small whole number is not packed", {
  for (other in c(0.5, -1, 65536, 1e10, NA, Inf)) {
    x <- counted_cells()
    x@x[3] <- other
    expect_null(rowsparse:::packed_block(x), info = other)
  }
  expect_null(rowsparse:::packed_block(as.matrix(counted_cells())))
  tall <- Matrix::sparseMatrix(65537, 1, x = 2)
  expect_null(rowsparse:::packed_block(tall))
  last <- Matrix::sparseMatrix(65536, 1, x = 2)
  expect_equal(rowsparse:::logged_packed(rowsparse:::packed_block(last), rep(2, 65536)),
    methods::as(Matrix::sparseMatrix(65536, 1, x = 1), "CsparseMatrix")
  )
})

test_that("counts are read once, and the fit is that of the logged matrix", {
  x <- counted_cells(150, 30)
  whole <- log_counts(x)
  rows <- c(40L, 80L, 30L)
  kept <- read_in_blocks(x, rows)
  logged <- log_counts(kept$blocks)
  expect_equal(as.matrix(logged), as.matrix(whole), tolerance = 1e-12, ignore_attr = TRUE)
  for (method in c("fspca", "alignment", "css")) {
    expect_identical(selected(rowsparse(logged, k = 6, method = method)),
      selected(rowsparse(whole, k = 6, method = method)), info = method
    )
  }
  expect_lte(kept$reads(), 1)
  expect_equal(as.matrix(logged[2:3]), as.matrix(whole[41:150, ]), tolerance = 1e-12,
    ignore_attr = TRUE
  )
  expect_equal(moments(logged)$S, moments(whole)$S, tolerance = 1e-10)
})

test_that("where there is no room for them counts are read again", {
  x <- counted_cells(150, 30)
  rows <- c(40L, 80L, 30L)
  old <- options(rowsparse.memory = 4 * 2000)
  on.exit(options(old))
  again <- read_in_blocks(x, rows)
  logged <- log_counts(again$blocks)
  options(old)
  expect_identical(again$reads(), 1)
  expect_equal(as.matrix(logged), as.matrix(log_counts(x)), tolerance = 1e-12, ignore_attr = TRUE)
  expect_gte(again$reads(), 2)
})

test_that("processes that would have to be sent the counts read the source", {
  x <- counted_cells(90, 20)
  logged <- log_counts(read_in_blocks(x, c(40L, 50L))$blocks)
  raw <- rowsparse:::blocks_input(logged, "x", once = TRUE)
  read <- rowsparse:::source_reader(rowsparse:::travelling_source(logged, raw))
  expect_equal(rbind(read(1), read(2)), log_counts(x), tolerance = 1e-14)
  some <- logged[2]
  expect_equal(some$from_source(1), log_counts(x)[41:90, ], tolerance = 1e-14)
})

test_that("kept counts do not travel with what reads the source", {
  x <- counted_cells(2000, 60)
  path <- tempfile(fileext = ".rds")
  on.exit(unlink(path))
  saveRDS(x, path)
  read <- function(i) readRDS(path)[1000 * (i - 1) + 1:1000, ]
  read <- utils::removeSource(read)
  environment(read) <- list2env(list(path = path), parent = globalenv())
  logged <- log_counts(row_blocks(read, c(1000L, 1000L), colnames(x)))
  bytes <- function(read) length(serialize(read, NULL))
  for (blocks in list(logged, logged[2])) {
    expect_gt(bytes(blocks$read), 3 * length(x@x))
    expect_lt(bytes(blocks$from_source), 3 * length(x@x))
  }
})

test_that("leading eigenvectors of blocks are found by products with wide blocks of columns", {
  set.seed(7)
  x <- matrix(stats::rnorm(400 * 300), 400) %*% diag(c(9, 8, 6, 5, rep(1, 296)))
  S <- crossprod(scale(x, scale = FALSE))
  known <- eigen(S, TRUE)
  data <- as_c_data(in_rows_of(x, 100L))
  accurate <- c_call("C_leading", data, 4L, 0, FALSE, 3e11)
  expect_equal(accurate$values, known$values[1:4], tolerance = 1e-10)
  expect_equal(abs(colSums(accurate$vectors * known$vectors[, 1:4])), rep(1, 4), tolerance = 1e-12)
  rough <- c_call("C_leading", data, 10L, 1e-2, TRUE, 3e11)
  expect_true(rough$rough)
  expect_equal(rough$values[1:4], known$values[1:4], tolerance = 0.02)
  # and gone on from there
  data$leading <- rough
  expect_equal(c_call("C_leading", data, 4L, 0, FALSE, 3e11)$values, known$values[1:4],
    tolerance = 1e-10
  )
})

test_that("of many sparse counts the leading eigenvectors are found without S", {
  skip_slow()
  set.seed(12)
  n <- 4200
  d <- 4100
  type <- sample.int(6, n, TRUE)
  at <- cbind(rep(seq_len(n), 49), c(
    outer(10 * type, 0:8, "+"), sample.int(d, 40 * n, TRUE)
  ))
  x <- Matrix::sparseMatrix(at[, 1], at[, 2], x = 1, dims = c(n, d))
  x[1, ] <- 1
  colnames(x) <- paste0("g", seq_len(d))
  kept <- read_in_blocks(x, rep(700L, 6))
  fit <- rowsparse(log_counts(kept$blocks), k = 50, method = "fspca", solver = "go")
  logged <- log_counts(x)
  held <- rowsparse(logged, k = 50, method = "fspca", solver = "go")
  whole <- fspca(moments(logged), k = 50, solver = "go") # S itself
  expect_identical(held$selected, whole$selected)
  expect_equal(held$objective, whole$objective, tolerance = 1e-8)
  expect_identical(kept$reads(), 1)
  expect_gt(fit$passes, 4) # over what is in memory
  expect_identical(fit$selected, whole$selected)
  expect_equal(fit$objective, whole$objective, tolerance = 1e-8)
})

test_that("in memory as well, wide products find the eigenvectors that S has", {
  set.seed(3)
  x <- Matrix::rsparsematrix(500, 300, 0.2) %*% Matrix::Diagonal(300, c(9, 7, 5, rep(1, 297)))
  known <- eigen(crossprod(scale(as.matrix(x), scale = FALSE)), TRUE)
  data <- as_c_data(methods::as(x, "CsparseMatrix"))
  data$wide_products <- TRUE
  found <- c_call("C_leading", data, 3L, 0, FALSE, 3e11)
  expect_equal(found$values, known$values[1:3], tolerance = 1e-10)
  expect_equal(abs(colSums(found$vectors * known$vectors[, 1:3])), rep(1, 3), tolerance = 1e-10)
})

test_that("large counts of an experiment in memory are packed, not turned as a whole", {
  skip_if_not_installed("SingleCellExperiment")
  x <- counted_cells(20000, 30)
  sce <- SingleCellExperiment::SingleCellExperiment(
    list(counts = Matrix::t(x)), colData = data.frame(batch = rep(1:2, 10000))
  )
  stored <- length(x@x)
  whole <- suppressMessages(rowsparse(sce, k = 6, block = "batch"))
  old <- options(rowsparse.memory = 4 * 11 * stored)
  on.exit(options(old))
  messages <- capture_messages(fit <- rowsparse(sce, k = 6, block = "batch"))
  expect_match(messages, "(20000 x 30) takes more than", fixed = TRUE, all = FALSE)
  expect_identical(selected(fit), selected(whole))
  expect_equal(fit$objective, whole$objective, tolerance = 1e-8)
  seen <- rowsparse:::look_at_sizes(sce, NULL)
  expect_identical(seen[c("kind", "n", "d", "stored", "quick")],
    list(kind = "blocks", n = 20000, d = 30, stored = as.double(stored), quick = TRUE)
  )
  blocks <- suppressMessages(
    rowsparse:::experiment_matrix(sce, NULL, "x", delayed = "large")
  )
  expect_true(is.function(blocks$from_source))
  first <- blocks$read(1)
  expect_equal(first[1:3, ], log_counts(x)[1:3, ], tolerance = 1e-12, ignore_attr = TRUE)
  # what is named is taken as it is, and in memory
  expect_s4_class(suppressMessages(
    rowsparse:::experiment_matrix(sce, "counts", "x", delayed = "large")
  ), "dgCMatrix")
})

test_that("a fraction is found wherever it stands", {
  x <- numeric(2500001)
  expect_true(rowsparse:::are_whole(x))
  for (at in c(1, 1e6, 1e6 + 1, 2e6, 2500001)) {
    other <- x
    other[at] <- 0.5
    expect_false(rowsparse:::are_whole(other), info = at)
  }
  expect_true(rowsparse:::are_whole(numeric()))
  expect_true(rowsparse:::are_whole(c(1, NA, 2)))
})
