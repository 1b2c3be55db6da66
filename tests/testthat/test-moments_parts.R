# rows in blocks of the sizes given, by a reader that carries its data
in_blocks <- function(x, sizes, before = function(i) NULL) {
  last <- cumsum(sizes)
  force(x)
  row_blocks(function(i) {
    before(i)
    x[seq.int(last[i] - sizes[i] + 1, last[i]), , drop = FALSE]
  }, sizes)
}

parts_data <- function(n = 90, d = 7) {
  set.seed(71)
  x <- sample_matrix(n, d) + 3
  colnames(x) <- letters[seq_len(d)]
  list(
    x = x, class = factor(sample(c("u", "v", "w"), n, TRUE)), number = x[, 1] + stats::rnorm(n),
    block = gl(3, n / 3, labels = c("one", "two", "three"))
  )
}

sizes_of_parts <- c(1, 20, 9, 3, 7, 30, 20)

core_ends_here()

test_that("one pass over blocks gives the moments of all rows", {
  data <- parts_data()
  passes <- 0
  blocks <- in_blocks(data$x, sizes_of_parts, function(i) passes <<- passes + 1)
  expect_equal(moments(blocks), moments(data$x), tolerance = 1e-12)
  expect_identical(passes, 7)
  for (block in list(NULL, data$block)) {
    for (y in data[c("class", "number")]) {
      expect_equal(moments(blocks, y, block), moments(data$x, y, block), tolerance = 1e-12)
    }
  }
  wide <- matrix(stats::rnorm(40 * 450), 40)
  expect_equal(moments(in_blocks(wide, c(15, 25))), moments(wide), tolerance = 1e-10)
})

test_that("means that are far from zero cost nothing", {
  set.seed(72)
  x <- matrix(stats::rnorm(300), 60) + 1e8
  exact <- crossprod(scale(x - 1e8, scale = FALSE))
  expect_equal(moments(in_blocks(x, c(20, 1, 39)))$S, exact, tolerance = 1e-7)
})

test_that("a response may be constant in a block, and a level may be absent", {
  data <- parts_data()
  y <- rep(c(0, 1, 2.5), each = 30)
  blocks <- in_blocks(data$x, rep(30, 3))
  expect_equal(moments(blocks, y, data$block)$Sxy, moments(data$x, y, data$block)$Sxy)
  expect_equal(moments(blocks, y), moments(data$x, y), tolerance = 1e-12)
  expect_refused(moments(blocks, rep(1, 90)), "constant", "`y` must vary")
  expect_refused(moments(blocks, y[-1]), "length", "`y`")
  expect_refused(moments(blocks, y, data$block[-1]), "length", "`block`")
})

test_that("the cut into parts depends on blocks and features only", {
  expect_identical(rowsparse:::parts_of_blocks(3, 10), 1:3)
  part <- rowsparse:::parts_of_blocks(100, 2000)
  expect_identical(range(part), c(1L, 16L))
  expect_false(is.unsorted(part))
  expect_lte(diff(range(table(part))), 1)
  expect_identical(max(rowsparse:::parts_of_blocks(100, 20000)), 1L)
  expect_identical(max(rowsparse:::parts_of_blocks(100, 20000, rank = 20)), 16L)
})

test_that("values that are not finite are found in the one pass", {
  data <- parts_data()
  for (at in c(1, 33, 90)) {
    x <- replace(data$x, at + 90 * 3, if (at == 33) NaN else NA)
    block <- findInterval(at - 1, c(0, cumsum(sizes_of_parts)))
    told <- sprintf(
      "1 of them in block %d, the first at row %d (%d of the block), column 4 (\"d\")",
      block, at, at - sum(sizes_of_parts[seq_len(block - 1)])
    )
    sparse <- methods::as(methods::as(x, "CsparseMatrix"), "generalMatrix")
    for (blocks in list(in_blocks(x, sizes_of_parts), in_blocks(sparse, sizes_of_parts))) {
      for (rank in list(NULL, 2)) {
        error <- tryCatch(moments(blocks, rank = rank), rowsparse_error_nonfinite = identity)
        expect_match(conditionMessage(error), told, fixed = TRUE)
        expect_identical(error$blocks, block)
        expect_s3_class(error, "rowsparse_error_block")
        expect_equal(error$done$n, 90 - sizes_of_parts[block])
      }
    }
  }
})

test_that("blocks that cannot be read are named, and can be added", {
  data <- parts_data()
  whole <- in_blocks(data$x, sizes_of_parts)
  fails <- function(bad) in_blocks(data$x, sizes_of_parts, function(i) if (i %in% bad) stop("gone"))
  error <- tryCatch(moments(fails(c(3, 6))), rowsparse_error_block = identity)
  expect_identical(error$blocks, c(3L, 6L))
  expect_match(conditionMessage(error), "block 3.*gone.*blocks 3, 6 of 7")
  expect_equal(error$done$n, 90 - 9 - 30)
  rest <- lapply(error$blocks, function(i) whole$read(i))
  again <- row_blocks(function(i) rest[[i]], vapply(rest, nrow, 0L))
  expect_equal(error$done + moments(again), moments(data$x), tolerance = 1e-12)

  error <- tryCatch(moments(fails(1:7)), rowsparse_error_block = identity)
  expect_null(error$done)
  expect_identical(error$blocks, 1:7)
  expect_identical(error$done + moments(whole), moments(whole))
})

test_that("what is wrong with a block keeps its class", {
  data <- parts_data()
  data$x[25, 2] <- NA
  error <- expect_error(moments(in_blocks(data$x, sizes_of_parts)), "row 25",
    class = "rowsparse_error_nonfinite"
  )
  expect_s3_class(error, "rowsparse_error_block")
  expect_identical(error$blocks, 3L)
  other <- row_blocks(function(i) matrix(0, 5, i), c(5, 5))
  expect_error(moments(other), class = "rowsparse_error_block")
  huge <- in_blocks(matrix(c(1, 2, 3, 4) * 1e200, 4), c(2, 2))
  expect_refused(moments(huge), "scale", "double precision")
})

test_that("no result depends on the number of workers", {
  skip_if_not_installed("BiocParallel")
  skip_if_not_installed("future.apply")
  skip_if_quick()
  data <- parts_data()
  blocks <- in_blocks(data$x, sizes_of_parts)
  whole <- moments(blocks, data$class, data$block)
  set.seed(5)
  before <- .Random.seed
  workers <- BiocParallel::SnowParam(2)
  expect_identical(moments(blocks, data$class, data$block, BPPARAM = workers), whole)
  expect_identical(.Random.seed, before)
  expect_identical(
    moments(blocks, rank = 3, BPPARAM = BiocParallel::SerialParam()), moments(blocks, rank = 3)
  )
  sketch <- moments(blocks, rank = 3)
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_identical(moments(blocks, data$class, data$block), whole)
  expect_identical(moments(blocks, rank = 3), sketch)
})

# block 6 ends the process that reads it, once the others have had their turn
deadly <- function(x) {
  in_blocks(x, sizes_of_parts, function(i) {
    if (i == 6) {
      Sys.sleep(1)
      tools::pskill(Sys.getpid(), 9)
    }
  })
}

expect_repairable <- function(error, x) {
  expect_s3_class(error, "rowsparse_error_worker")
  expect_true(6L %in% error$blocks)
  expect_equal(or_nothing(error$done$n) + sum(sizes_of_parts[error$blocks]), nrow(x))
  rest <- in_blocks(x, sizes_of_parts)
  again <- row_blocks(function(i) rest$read(error$blocks[i]), rest$rows[error$blocks])
  expect_equal(error$done + moments(again), moments(x), tolerance = 1e-12)
}

or_nothing <- function(n) if (is.null(n)) 0 else n

test_that("a worker of BiocParallel that dies leaves what the others did", {
  skip_if_not_installed("BiocParallel")
  skip_if_quick()
  skip_on_os("windows")
  data <- parts_data()
  workers <- BiocParallel::SnowParam(2)
  error <- tryCatch(moments(deadly(data$x), BPPARAM = workers), error = identity)
  expect_repairable(error, data$x)
  expect_false(BiocParallel::bpisup(workers))
})

test_that("a worker of a plan that dies leaves what the others did", {
  skip_if_not_installed("future.apply")
  skip_if_quick()
  skip_on_os("windows")
  data <- parts_data()
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  error <- tryCatch(moments(deadly(data$x)), error = identity)
  expect_repairable(error, data$x)
})

test_that("sparse blocks give the moments of dense ones, whatever the means", {
  set.seed(73)
  block <- batches(90)
  x <- shifted(90, 40, block, sparse = TRUE)
  x[, 4] <- 0 # nothing stored
  x[, 5] <- 7 # constant, all stored
  x[, 6] <- 1e6 + stats::rnorm(90) # full, far from zero
  x[, 7] <- replace(100 + stats::rnorm(90), 3, 0) # one hole
  x[, 8] <- x[, 8] * 1e-140
  x[, 9] <- x[, 9] * 1e140
  stored <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
  blocks <- in_blocks(stored, c(30, 1, 20, 39))
  size <- sqrt(diag(moments(x)$S))
  scaled <- function(m) m$S / pmax(outer(size, size), 1e-300)
  for (level in list(NULL, block)) {
    whole <- moments(x, x[, 1], level)
    parts <- moments(blocks, x[, 1], level)
    expect_equal(scaled(parts), scaled(whole), tolerance = 1e-9)
    expect_equal(parts$mean, whole$mean, tolerance = 1e-12)
    expect_equal(parts$Sxy / size, whole$Sxy / size, tolerance = 1e-10)
  }
  # more columns than are made at a time, near and far ones mixed
  wide <- Matrix::rsparsematrix(40, 500, 0.1)
  far <- seq(3, 500, by = 2)
  wide[, far] <- wide[, far] + 3
  expect_equal(moments(in_blocks(wide, c(15, 25)))$S, moments(as.matrix(wide))$S,
    tolerance = 1e-12
  )
})

test_that("a sparse DelayedMatrix that is large comes in blocks, and gives the same", {
  skip_if_not_installed("DelayedArray")
  set.seed(11)
  x <- Matrix::rsparsematrix(200, 30, 0.2)
  colnames(x) <- paste0("g", seq_len(30))
  old <- options(rowsparse.memory = 40000)
  on.exit(options(old))
  from_blocks <- moments(DelayedArray::DelayedArray(x))
  options(old)
  expect_equal(from_blocks, moments(x), tolerance = 1e-12)
})

test_that("what lies in a file is read in blocks, in both orientations", {
  skip_if_not_installed("HDF5Array")
  skip_if_not_installed("SummarizedExperiment")
  x <- parts_data()$x
  colnames(x) <- paste0("g", seq_len(ncol(x)))
  y <- rep_len(c("a", "b"), nrow(x))
  experiment <- function(values) {
    SummarizedExperiment::SummarizedExperiment(list(values = values),
      colData = data.frame(class = y, w = seq_len(nrow(x)))
    )
  }
  lie <- list(columns = hdf5_matrix(t(x)), rows = DelayedArray::t(hdf5_matrix(x)))
  for (values in lie) {
    same <- list(experiment(values), DelayedArray::t(values))
    for (data in same) {
      named <- if (methods::is(data, "SummarizedExperiment")) "class" else y
      expect_equal(moments(data, named), moments(x, y), tolerance = 1e-12)
      expect_equal(moments(data, block = named), moments(x, block = y), tolerance = 1e-12)
    }
    # weights are of data in memory
    expect_equal(moments(same[[1]], weights = "w"), moments(x, weights = seq_len(nrow(x))))
    expect_equal(moments(same[[2]], weights = seq_len(nrow(x))),
      moments(x, weights = seq_len(nrow(x)))
    )
  }
  # what is read by blocks says which
  x[7, 2] <- NA
  for (values in list(hdf5_matrix(t(x)), DelayedArray::t(hdf5_matrix(x)))) {
    expect_error(moments(experiment(values)), "in block 1", class = "rowsparse_error_nonfinite")
  }
})

test_that("an experiment is read once for its moments, and said once what was done", {
  skip_if_not_installed("SummarizedExperiment")
  counts <- matrix(stats::rpois(400, 20), 20, dimnames = list(paste0("g", 1:20), NULL))
  se <- SummarizedExperiment::SummarizedExperiment(list(counts = counts))
  told <- character()
  withCallingHandlers(moments(se), message = function(m) {
    told <<- c(told, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  expect_length(told, 1L)
})
