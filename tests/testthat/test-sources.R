# Every failure of a source is named, and what is read is what was given.

x <- from_seed(91, matrix(stats::rpois(720, 2), 60) * rep(1:3, length.out = 720))
x[, 1:4] <- x[, 1:4] + rep(c(0, 5, 11), each = 20)
colnames(x) <- paste0("g", 1:12)

as_sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")

test_that("pieces of a matrix are cut as asked", {
  expect_identical(row_blocks(x, rows = 25)$rows, c(25L, 25L, 10L))
  expect_identical(row_blocks(x, rows = c(1, 59))$rows, c(1L, 59L))
  expect_identical(row_blocks(x)$rows, 60L)
  expect_identical(row_blocks(x, megabytes = 12 * 8 * 7 / 2^20)$rows, c(rep(7L, 8), 4L))
  expect_identical(row_blocks(x, rows = 100)$rows, 60L)
  for (data in list(as.data.frame(x), as_sparse(x), Matrix::Matrix(x, sparse = FALSE))) {
    blocks <- row_blocks(data, rows = 17)
    expect_identical(dim(blocks), c(60L, 12L))
    expect_identical(as.matrix(blocks), x)
  }
})

core_ends_here()

test_that("arguments that make no blocks are refused by name", {
  read <- function(i) x[30 * (i - 1) + 1:30, ]
  rows <- c(30, 30)
  expect_refused(row_blocks(x, rows = c(30, 31)), "size", "must add up to the rows of `x` (60)")
  expect_refused(row_blocks(x, megabytes = 0), "range", "megabytes")
  expect_refused(row_blocks(x, row = 3, size = 2), "argument", "size")
  expect_refused(row_blocks(x[0, ]), "size", "at least one row")
  expect_refused(row_blocks(read, c(2, 0)), "type", "rows")
  expect_refused(row_blocks(read, rows, names = 1:12), "type", "names")
  expect_refused(row_blocks(read, rows, read = read), "argument", "`read`")
  expect_refused(row_blocks(list(1)), "type", "must be a function")
  files <- rds_files(x, c(40, 20))
  expect_refused(row_blocks(files, rows = 60), "length", "number of rows of each file (2)")
  expect_refused(row_blocks(c(files, "nowhere.rds")), "range", "nowhere.rds")
  expect_refused(row_blocks(files, read = "readRDS"), "type", "function of the name")
  expect_refused(row_blocks(files, read = function(f) stop("no luck")), "block", "no luck")
  expect_refused(row_blocks(files, read = function(f) 1:3), "block", "must be a numeric matrix")
  expect_refused(row_blocks(files, read = function(f) x[0, ]), "type", "`rows` must be")
  broken <- row_blocks(x, rows = 20)
  broken$rows <- mean
  expect_refused(moments(broken), "type", "must be row blocks")
})

test_that("blocks can be named, chosen, counted and told", {
  blocks <- row_blocks(x, rows = c(10, 20, 30))
  expect_identical(blocks[2:3]$rows, c(20L, 30L))
  expect_identical(blocks[-1]$read(1), x[11:30, ])
  expect_identical(css(blocks[3:1], k = 3)$selected, css(x, k = 3)$selected)
  expect_refused(blocks[4], "range", "from 1 to 3")
  expect_refused(blocks[integer()], "range", "from 1 to 3")
  expect_output(print(blocks), "3 blocks, 60 rows in all of 12 features, from a numeric matrix")
  lazy <- row_blocks(function(i) unname(x)[30 * (i - 1) + 1:30, ], c(30, 30))
  expect_identical(dim(lazy), c(60L, NA))
  expect_output(print(lazy), "2 blocks, 60 rows in all, from a function")
  css(lazy, k = 2)
  expect_identical(dim(lazy), c(60L, 12L))
  named <- row_blocks(lazy$read, c(30, 30), names = letters[1:12])
  expect_identical(css(named, k = 2)$feature_names, letters[1:12])
  hold_options(rowsparse.memory = 3000)
  expect_refused(as.matrix(blocks), "memory", "row blocks")
})

test_that("files are read by their kind", {
  folder <- tempfile("kinds")
  dir.create(folder)
  file <- function(name) file.path(folder, name)
  utils::write.csv(x[1:20, ], file("a.csv"), row.names = FALSE)
  utils::write.table(x[21:30, ], file("b.tsv"), sep = "\t", row.names = FALSE)
  utils::write.table(x[31:40, ], file("c.txt"), row.names = FALSE)
  connection <- gzfile(file("d.csv.gz"), "w")
  utils::write.csv(x[41:50, ], connection, row.names = FALSE)
  close(connection)
  saveRDS(x[51:60, ], file("e.rds"))
  blocks <- row_blocks(sort(dir(folder, full.names = TRUE)))
  expect_identical(blocks$rows, c(20L, 10L, 10L, 10L, 10L))
  expect_output(print(blocks), "from 5 files, a.csv, b.tsv", fixed = TRUE)
  expect_identical(as.matrix(blocks), x)
  file.copy(file("e.rds"), file("x.strange"))
  expect_identical(row_blocks(file("x.strange"), read = readRDS)$rows, 10L)
  expect_refused(row_blocks(file("x.strange")), "choice", "x.strange")
})

test_that("blocks of a DelayedMatrix are whole chunks, and sparse ones stay sparse", {
  skip_if_not_installed("HDF5Array")
  stored <- hdf5_matrix(x, chunk = c(8, 5))
  expect_identical(row_blocks(stored, rows = 60)$rows, 60L)
  # 20 rows by their size, 16 by the chunks
  blocks <- row_blocks(stored, megabytes = 20 * 12 * 8 / 2^20)
  expect_identical(blocks$rows, c(16L, 16L, 16L, 12L))
  expect_identical(as.matrix(blocks), x)
  delayed <- DelayedArray::DelayedArray(as_sparse(x * (x > 3)))
  blocks <- row_blocks(delayed, rows = 17)
  expect_s4_class(blocks$read(2), "dgCMatrix")
  expect_identical(as.matrix(blocks), x * (x > 3))
})

test_that("a DelayedMatrix is read where it is small, else in blocks, which is said", {
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("HDF5Array")
  stored <- hdf5_matrix(x)
  experiment <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(stored)))
  whole <- css(x, k = 4)
  expect_null(expect_silent(css(stored, k = 4))$passes)
  hold_options(rowsparse.memory = 4 * 8 * length(x) - 1)
  for (data in list(stored, experiment)) {
    expect_message(fit <- css(data, k = 4), class = "rowsparse_message_blocks")
    expect_identical(fit$selected, whole$selected)
    expect_gt(fit$passes, 1)
  }
})

test_that("counts in row blocks are logged as they are read", {
  set.seed(3)
  counts <- matrix(stats::rpois(90 * 7, 3), 90, dimnames = list(NULL, paste0("g", 1:7)))
  size <- rowSums(counts)
  logged <- log2(counts / size * mean(size) + 1)
  for (x in list(counts, as_sparse(counts))) {
    blocks <- row_blocks(x, rows = c(20, 30, 40), counts = TRUE)
    expect_equal(as.matrix(blocks), logged)
    expect_equal(as.matrix(blocks[3:2]), logged[c(51:90, 21:50), ])
    expect_equal(moments(blocks)$S, moments(logged)$S)
  }
  expect_equal(as.matrix(row_blocks(rds_files(counts, c(50, 40)), counts = TRUE)), logged)
  empty <- replace(counts, cbind(33, 1:7), 0)
  expect_refused(row_blocks(empty, rows = 20, counts = TRUE), "zero", "sample 33")
  expect_refused(row_blocks(replace(counts, 5, -1), rows = 20, counts = TRUE), "range",
    "1 below zero, the least -1"
  )
})

# ---- what goes wrong -----------------------------------------------------------------

# from its call number `from` on, block 2 is `change` of what it was
failing <- function(x, change, from = 3) {
  calls <- 0
  row_blocks(function(i) {
    calls <<- calls + 1
    rows <- x[30 * (i - 1) + 1:30, ]
    if (i == 2 && calls >= from) change(rows) else rows
  }, c(30, 30))
}

test_that("what a reader does at a later pass is found and named", {
  wrong <- list(
    "the disk is gone" = function(b) stop("the disk is gone"),
    "other rows" = function(b) b + 1e-9 * (b > 20), "11" = function(b) b[, -1],
    "29" = function(b) b[-1, ], "\"g1\".*\"g12\"" = function(b) b[, 12:1],
    "numeric" = function(b) array("a", dim(b)), "NULL" = function(b) NULL
  )
  for (told in names(wrong)) {
    problem <- tryCatch(alignment(failing(x, wrong[[told]]), k = 3), error = identity)
    expect_s3_class(problem, "rowsparse_error_block")
    expect_match(conditionMessage(problem), "block 2")
    expect_match(conditionMessage(problem), told)
  }
  problem <- tryCatch(alignment(failing(x, wrong[[1]]), k = 3), error = identity)
  expect_identical(conditionMessage(problem$parent), "the disk is gone")
  # the same rows as integers, or as a data frame, are the same
  as_other <- failing(x, function(b) as.data.frame(array(as.integer(b), dim(b), dimnames(b))))
  expect_identical(alignment(as_other, k = 3)$selected, alignment(x, k = 3)$selected)
})

test_that("values that are not finite are named by block, row and column", {
  x[33, 4] <- NA
  for (z in list(x, as_sparse(x))) {
    expect_refused(css(row_blocks(z, rows = 25), k = 2), "nonfinite",
      "1 of them in block 2, the first at row 33 (8 of the block), column 4 (\"g4\")"
    )
  }
})

test_that("sparse blocks that are unsound are refused", {
  x <- as_sparse(x)
  changed <- function(edit) failing(x, edit, 1)
  outside <- function(b) {
    b@i[3] <- 99L
    b
  }
  short <- function(b) {
    b@x <- b@x[-1]
    b
  }
  unordered <- function(b) {
    b@i[1:2] <- b@i[2:1]
    b
  }
  for (edit in list(outside, short, unordered)) {
    expect_refused(css(changed(edit), 2), "block", "block 2")
  }
})

# ---- sources that do not stay as they are ----------------------------------------------

# before and after `change`
expect_noticed <- function(make, change) {
  for (read in c(function(x) css(x, 3), as.matrix, moments)) {
    source <- make()
    read(source$blocks)
    change(source)
    expect_error(read(source$blocks), class = "rowsparse_error_block")
  }
}

test_that("files that grow, shrink or change are noticed", {
  save_rows <- function(rows) function(source) saveRDS(rows, source$files[2])
  make <- function() {
    files <- rds_files(x, c(30, 30))
    list(blocks = row_blocks(files), files = files)
  }
  expect_noticed(make, save_rows(x[c(31:60, 1), ]))
  expect_noticed(make, save_rows(x[31:60, -1]))
  expect_noticed(make, save_rows(x[60:31, ]))
  source <- make()
  unlink(source$files[2])
  expect_error(suppressWarnings(fspca(source$blocks, 1, 1)), class = "rowsparse_error_block")
})

# ---- new data ---------------------------------------------------------------

test_that("predictions read the selected columns of blocks", {
  fit <- cdlsr(x, factor(rep(1:3, each = 20)), k = 3)
  features <- predict(fit, x, type = "features")
  expect_equal(predict(fit, row_blocks(x[, 12:1], rows = 30), type = "features"), features)
  sparse <- row_blocks(as_sparse(x), rows = 9)
  expect_equal(as.matrix(predict(fit, sparse, type = "features")), features, ignore_attr = TRUE)
  expect_refused(predict(fit, row_blocks(unname(x)[, -1], rows = 30)), "size", "12 features")
})
