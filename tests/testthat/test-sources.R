# Every source gives the same fit, and every failure of a source is named.

selecting_methods <- function(y) {
  list(
    fspca = function(x) fspca(x, k = 5, m = 3), bsufs = function(x) bsufs(x, m = 3),
    css = function(x) css(x, k = 5), kmeans_ufs = function(x) kmeans_ufs(x, k = 5, clusters = 3),
    alignment = function(x) alignment(x, k = 5), cdlsr = function(x) cdlsr(x, y, k = 5),
    lapscore = function(x) lapscore(x)
  )
}

# what a fit selects, or its best features
chosen <- function(fit) if (is.null(fit$selected)) fit$ranking[1:5] else fit$selected

expect_same_selection <- function(x, y, rows) {
  sources <- sources_of(x, rows)
  on.exit(close_sources(sources))
  methods <- selecting_methods(y)
  for (method in names(methods)) {
    set.seed(1)
    whole <- methods[[method]](x)
    for (source in names(sources)) {
      set.seed(1)
      fit <- methods[[method]](sources[[source]])
      expect_identical(chosen(fit), chosen(whole), info = paste(method, source))
      expect_equal(fit$objective, whole$objective, tolerance = 1e-7, info = paste(method, source))
      expect_identical(fit$feature_names, colnames(x))
    }
  }
}

small_data <- function(n = 60, d = 12) {
  set.seed(91)
  x <- matrix(stats::rpois(n * d, 2), n) * rep(1:3, length.out = d * n)
  x[, 1:4] <- x[, 1:4] + rep(c(0, 5, 11), each = n / 3)
  colnames(x) <- paste0("g", seq_len(d))
  x + 0
}

test_that("every source selects the same features", {
  expect_same_selection(small_data(), factor(rep(1:3, each = 20)), c(20, 1, 3, 11, 9, 6, 10))
})

core_ends_here()

test_that("every source of real data selects the same features", {
  data <- shared_data("lung_discrete")
  x <- data$x[, 1:60] + 0
  colnames(x) <- paste0("g", seq_len(ncol(x)))
  expect_same_selection(x, factor(data$y), c(20, 1, 5, 11, 17, 9, 10))
})

# ---- the sources ---------------------------------------------------------------------

test_that("pieces of a matrix are cut as asked", {
  x <- small_data()
  expect_identical(row_blocks(x, rows = 25)$rows, c(25L, 25L, 10L))
  expect_identical(row_blocks(x, rows = c(1, 59))$rows, c(1L, 59L))
  expect_identical(row_blocks(x)$rows, 60L)
  expect_identical(row_blocks(x, megabytes = 12 * 8 * 7 / 2^20)$rows, c(rep(7L, 8), 4L))
  expect_identical(row_blocks(x, rows = 100)$rows, 60L)
  expect_refused(row_blocks(x, rows = c(30, 31)), "size", "must add up to the rows of `x` (60)")
  expect_refused(row_blocks(x, megabytes = 0), "range", "megabytes")
  expect_refused(row_blocks(x, row = 3, size = 2), "argument", "size")
  expect_refused(row_blocks(x[0, ]), "size", "at least one row")
  frame <- row_blocks(as.data.frame(x), rows = 30)
  expect_identical(css(frame, k = 3)$selected, css(x, k = 3)$selected)
  expect_identical(dim(frame), c(60L, 12L))
  dense <- Matrix::Matrix(x, sparse = FALSE)
  expect_identical(css(row_blocks(dense, rows = 30), k = 3)$selected, css(x, k = 3)$selected)
})

test_that("a function may be named, and its blocks be named and sparse", {
  x <- unname(small_data())
  read <- function(i) x[30 * (i - 1) + 1:30, ]
  blocks <- row_blocks(read = read, rows = c(30, 30), names = letters[1:12], sparse = TRUE)
  data <- as_data(blocks)
  expect_true(data$sparse)
  expect_s4_class(data$read(2), "dgCMatrix")
  expect_identical(css(blocks, k = 2)$feature_names, letters[1:12])
  dense <- row_blocks(methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), rows = 20)
  dense$sparse <- FALSE
  expect_false(as_data(dense)$sparse)
  expect_equal(css(dense, k = 2)$objective, css(blocks, k = 2)$objective)
  expect_refused(row_blocks(read), "type", "number of rows")
  expect_refused(row_blocks(read, c(30, 30), names = 1:12), "type", "names")
  expect_refused(row_blocks(read, c(30, 30), sparse = NA), "type", "sparse")
  expect_refused(row_blocks(read = 3, rows = 2), "type", "read")
  expect_refused(row_blocks(list(1)), "type", "must be a function")
})

test_that("blocks can be chosen, counted and told", {
  x <- small_data()
  blocks <- row_blocks(x, rows = c(10, 20, 30))
  expect_identical(blocks[2:3]$rows, c(20L, 30L))
  expect_identical(blocks[-1]$read(1), x[11:30, ])
  expect_identical(css(blocks[3:1], k = 3)$selected, css(x, k = 3)$selected)
  expect_refused(blocks[4], "range", "from 1 to 3")
  expect_refused(blocks[integer()], "range", "from 1 to 3")
  expect_output(print(blocks), "3 blocks, 60 rows in all, from a matrix")
  lazy <- row_blocks(function(i) x[30 * (i - 1) + 1:30, ], c(30, 30))
  expect_identical(dim(lazy), c(60L, NA))
  expect_output(print(summary(lazy)), "60 samples, 12 features, in 2 blocks of 30 rows")
  expect_identical(dim(lazy), c(60L, 12L))
})

test_that("files are read by their kind", {
  x <- small_data()
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
  expect_identical(blocks$names, colnames(x))
  expect_output(print(blocks), "from 5 files, a.csv, ...", fixed = TRUE)
  expect_identical(css(blocks, k = 4)$selected, css(x, k = 4)$selected)

  # given rows are not counted
  reads <- 0
  count <- function(file) {
    reads <<- reads + 1
    readRDS(file)
  }
  files <- rds_files(x, c(40, 20))
  given <- row_blocks(files, rows = c(40, 20), read = count)
  expect_identical(reads, 0)
  expect_identical(css(given, k = 4)$selected, css(x, k = 4)$selected)
  expect_refused(row_blocks(files, rows = 60), "length", "number of rows of each file (2)")
  expect_refused(row_blocks(c(files, "nowhere.rds")), "range", "nowhere.rds")
  expect_refused(row_blocks(character()), "type", "names of files")
  file.copy(files[1], file("x.strange"))
  expect_refused(row_blocks(file("x.strange")), "choice", "x.strange")
  expect_identical(row_blocks(file("x.strange"), read = readRDS)$rows, 40L)
  expect_refused(row_blocks(files, read = "readRDS"), "type", "function of the name")
  expect_refused(row_blocks(files, read = function(f) stop("no luck")), "block", "no luck")
  expect_refused(row_blocks(files, read = function(f) 1:3), "block", "a table of rows")
  expect_refused(row_blocks(files, read = function(f) x[0, ]), "size", "at least one row")
})

test_that("the ten lines for binary files work", {
  from_binary <- function(files, columns) {
    rows <- file.size(files) / 8 / columns
    read <- function(i) {
      connection <- file(files[i], "rb")
      on.exit(close(connection))
      matrix(readBin(connection, "double", rows[i] * columns), ncol = columns)
    }
    row_blocks(read, rows)
  }
  x <- unname(small_data())
  files <- replicate(2, tempfile())
  writeBin(as.vector(x[1:13, ]), files[1])
  writeBin(as.vector(x[14:60, ]), files[2])
  expect_identical(css(from_binary(files, 12), k = 4)$selected, css(x, k = 4)$selected)
})

test_that("Parquet files are read by their row groups, several as they are", {
  skip_if_not_installed("nanoparquet")
  x <- small_data()
  write <- function(x, size) {
    file <- tempfile(fileext = ".parquet")
    nanoparquet::write_parquet(as.data.frame(x), file,
      options = nanoparquet::parquet_options(num_rows_per_row_group = size)
    )
    file
  }
  files <- c(write(x[1:25, ], 100L), write(x[26:60, ], 10L))
  several <- row_blocks(files)
  expect_identical(several$rows, c(25L, 35L))
  expect_identical(css(several, k = 4)$selected, css(x, k = 4)$selected)
  groups <- row_blocks(files[2])
  expect_identical(sum(groups$rows), 35L)
  expect_identical(css(groups, k = 4)$selected, css(x[26:60, ], k = 4)$selected)
  expect_identical(row_blocks(files[1])$rows, 25L)
  # the same without the function that reads one group, which is not exported
  by_columns <- rowsparse:::parquet_groups(files[2], NULL, "a file", read_group = NULL)
  expect_identical(by_columns$rows, groups$rows)
  for (i in seq_along(groups$rows)) expect_identical(by_columns$read(i), groups$read(i))
})

test_that("blocks of a DelayedMatrix are whole chunks, and sparse ones stay sparse", {
  skip_if_not_installed("HDF5Array")
  x <- small_data()
  stored <- hdf5_matrix(x, chunk = c(8, 5))
  expect_identical(row_blocks(stored, rows = 60)$rows, 60L)
  # 20 rows by their size, 16 by the chunks
  blocks <- row_blocks(stored, megabytes = 20 * 12 * 8 / 2^20)
  expect_identical(blocks$rows, c(16L, 16L, 16L, 12L))
  expect_identical(row_blocks(stored, rows = 25)$rows, c(25L, 25L, 10L))
  expect_equal(css(blocks, k = 4)$objective, css(x, k = 4)$objective)
  sparse <- methods::as(Matrix::Matrix(x * (x > 3), sparse = TRUE), "generalMatrix")
  delayed <- DelayedArray::DelayedArray(sparse)
  blocks <- row_blocks(delayed, rows = 17)
  expect_true(blocks$sparse)
  expect_s4_class(blocks$read(2), "dgCMatrix")
  expect_equal(css(blocks, k = 3)$objective, css(sparse, k = 3)$objective)
})

test_that("an assay is read in blocks of its columns, normalised as in memory", {
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("HDF5Array")
  counts <- t(small_data())
  delayed <- SummarizedExperiment::SummarizedExperiment(list(counts = hdf5_matrix(counts)))
  plain <- SummarizedExperiment::SummarizedExperiment(list(counts = counts))
  expect_message(whole <- css(plain, k = 4), class = "rowsparse_message_counts")
  expect_message(blocks <- row_blocks(delayed, rows = 25), class = "rowsparse_message_counts")
  expect_identical(blocks$rows, c(25L, 25L, 10L))
  fit <- css(blocks, k = 4)
  expect_identical(fit$selected, whole$selected)
  expect_equal(fit$objective, whole$objective)
  expect_message(named <- row_blocks(delayed, rows = 25, assay = "counts"), "taken as they are")
  expect_identical(css(named, k = 4)$selected, css(t(counts), k = 4)$selected)
})

test_that("a DelayedMatrix is read where it is small, else in blocks, which is said", {
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("HDF5Array")
  x <- small_data()
  stored <- hdf5_matrix(x)
  whole <- css(x, k = 4)
  front <- rowsparse(x, k = 4, method = "css")
  expect_null(expect_silent(css(stored, k = 4))$passes)
  old <- options(rowsparse.memory = 4 * 8 * length(x) - 1)
  on.exit(options(old))
  expect_message(fit <- css(stored, k = 4), class = "rowsparse_message_blocks")
  expect_identical(fit$selected, whole$selected)
  expect_gt(fit$passes, 1)
  experiment <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(stored)))
  expect_message(fit <- css(experiment, k = 4), class = "rowsparse_message_blocks")
  expect_identical(fit$selected, whole$selected)
  expect_message(fit <- rowsparse(experiment, k = 4, method = "css"),
    class = "rowsparse_message_blocks"
  )
  expect_identical(fit$selected, front$selected)
  marked <- suppressMessages(rowsparse(experiment, k = 4, method = "css", return = "object"))
  expect_identical(which(SummarizedExperiment::rowData(marked)$rowsparse_selected),
    sort(front$selected)
  )
})

# ---- databases -----------------------------------------------------------------------

test_that("one pass of a query is one result set, and none is left open", {
  x <- small_data()
  connection <- sqlite_table(x)
  on.exit(DBI::dbDisconnect(connection))
  blocks <- row_blocks(connection, query = table_query(x), rows = 25)
  expect_identical(blocks$rows, c(25L, 25L, 10L))
  expect_identical(blocks$names, colnames(x))
  expect_output(print(blocks), "a query to a SQLiteConnection")
  expect_identical(as.matrix(blocks$read(2)), x[26:50, ], ignore_attr = TRUE)
  expect_identical(as.matrix(blocks$read(1)), x[1:25, ], ignore_attr = TRUE)
  expect_identical(as.matrix(blocks$read(3)), x[51:60, ], ignore_attr = TRUE)
  # a result set that is open makes this warn
  answers <- function() DBI::dbGetQuery(connection, "SELECT 1 AS one")$one
  expect_silent(expect_equal(answers(), 1))
  expect_identical(css(blocks, k = 4)$selected, css(x, k = 4)$selected)
  expect_silent(expect_equal(answers(), 1))
  summary(blocks)
  expect_silent(expect_equal(answers(), 1))
  # the user's own query between two blocks
  blocks$read(1)
  suppressWarnings(answers())
  expect_identical(as.matrix(blocks$read(2)), x[26:50, ], ignore_attr = TRUE)
  blocks$close()
  expect_silent(expect_equal(answers(), 1))
})

test_that("queries that cannot be read are refused, and leave nothing open", {
  x <- small_data()
  connection <- sqlite_table(x)
  on.exit(DBI::dbDisconnect(connection))
  answers <- function() DBI::dbGetQuery(connection, "SELECT 1 AS one")$one
  expect_refused(row_blocks(connection), "type", "query")
  expect_refused(row_blocks(connection, query = 5), "type", "must be one SELECT")
  expect_refused(row_blocks(connection, query = "SELECT g1 FROM nowhere"), "type", "nowhere")
  DBI::dbExecute(connection, "UPDATE samples SET g3 = NULL WHERE sample = 33")
  blocks <- row_blocks(connection, query = table_query(x), rows = 25)
  expect_refused(css(blocks, k = 2), "nonfinite", "block 2")
  expect_silent(expect_equal(answers(), 1))
  DBI::dbExecute(connection, "UPDATE samples SET g3 = 'three' WHERE sample = 33")
  expect_refused(css(blocks, k = 2), "block", "block 2")
  expect_silent(expect_equal(answers(), 1))
  DBI::dbExecute(connection, "UPDATE samples SET g3 = 3 WHERE sample = 33")
  # a row goes between the count and the pass
  DBI::dbExecute(connection, "DELETE FROM samples WHERE sample = 60")
  expect_refused(css(blocks, k = 2), "block", "10 rows as block 3; got 9")
  expect_silent(expect_equal(answers(), 1))
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
  x <- small_data()
  wrong <- list(
    block = function(b) stop("the disk is gone"), block = function(b) b + 1e-9 * (b > 20),
    block = function(b) b[, -1], block = function(b) b[-1, ], block = function(b) b[, 12:1],
    block = function(b) array("a", dim(b)), block = function(b) NULL,
    block = function(b) replace(b, 7, NA)
  )
  for (at in seq_along(wrong)) {
    problem <- tryCatch(alignment(failing(x, wrong[[at]]), k = 3), error = identity)
    expect_s3_class(problem, "rowsparse_error_block")
    expect_match(conditionMessage(problem), "block 2")
  }
  for (change in wrong[-2]) {
    problem <- tryCatch(css(failing(x, change, 1), k = 3), error = identity)
    expect_s3_class(problem, "rowsparse_error")
    expect_match(conditionMessage(problem), "block 2")
  }
  problem <- tryCatch(alignment(failing(x, wrong[[1]]), k = 3), error = identity)
  expect_identical(conditionMessage(problem$parent), "the disk is gone")
  expect_match(
    tryCatch(css(failing(x, wrong[[5]], 1), k = 3), error = conditionMessage), "\"g1\".*\"g12\""
  )
  # the same rows as integers, or as a data frame, are the same
  as_other <- failing(x, function(b) as.data.frame(array(as.integer(b), dim(b), dimnames(b))))
  expect_identical(alignment(as_other, k = 3)$selected, alignment(x, k = 3)$selected)
  expect_true(css(x, k = 3)$converged) # nothing is left behind
})

test_that("values that are not finite are named by block, row and column", {
  x <- small_data()
  x[33, 4] <- NA
  for (z in list(x, x + 0 * x, methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"))) {
    expect_refused(css(row_blocks(z, rows = 25), k = 2), "nonfinite",
      "1 of them in block 2, the first at row 33 (8 of the block), column 4 (\"g4\")"
    )
  }
  x[33, 4] <- Inf
  expect_refused(css(row_blocks(x, rows = 25), k = 2), "nonfinite", "block 2")
  whole <- x
  whole[33, 4] <- 0
  storage.mode(whole) <- "integer"
  whole[58, 12] <- NA
  expect_refused(css(row_blocks(whole, rows = 25), k = 2), "nonfinite",
    "block 3, the first at row 58 (8 of the block), column 12"
  )
})

test_that("sparse blocks that are unsound are refused, out of order put in order", {
  x <- methods::as(Matrix::Matrix(small_data(), sparse = TRUE), "generalMatrix")
  change <- function(edit) {
    row_blocks(function(i) {
      block <- x[30 * (i - 1) + 1:30, ]
      if (i == 2) edit(block) else block
    }, c(30, 30))
  }
  outside <- change(function(b) {
    b@i[3] <- 99L
    b
  })
  expect_refused(css(outside, k = 2), "block", "block 2")
  short <- change(function(b) {
    b@x <- b@x[-1]
    b
  })
  expect_refused(css(short, k = 2), "block", "block 2")
  unordered <- change(function(b) {
    b@i[1:2] <- b@i[2:1]
    b@x[1:2] <- b@x[2:1]
    b
  })
  expect_equal(css(unordered, k = 3)$objective, css(x, k = 3)$objective)
})

signal_interrupt <- function() {
  interrupt <- list(message = "", call = NULL)
  signalCondition(structure(interrupt, class = c("interrupt", "condition")))
}

test_that("an interrupt in a reader ends the fit, and the source serves again", {
  x <- small_data()
  stops <- TRUE
  calls <- 0
  blocks <- row_blocks(function(i) {
    calls <<- calls + 1
    if (stops && calls == 5) {
      signal_interrupt()
    }
    x[30 * (i - 1) + 1:30, ]
  }, c(30, 30))
  ended <- tryCatch(alignment(blocks, k = 3), interrupt = function(e) "interrupted")
  expect_identical(ended, "interrupted")
  expect_identical(calls, 5)
  stops <- FALSE
  expect_identical(alignment(blocks, k = 3)$selected, alignment(x, k = 3)$selected)
})

test_that("an interrupt leaves no result set open", {
  x <- small_data()
  connection <- sqlite_table(x)
  on.exit(DBI::dbDisconnect(connection))
  blocks <- row_blocks(connection, query = table_query(x), rows = 25)
  read <- blocks$read
  blocks$read <- function(i) {
    rows <- read(i)
    if (i == 2) {
      signal_interrupt()
    }
    rows
  }
  expect_identical(tryCatch(css(blocks, k = 3), interrupt = function(e) "interrupted"),
    "interrupted"
  )
  expect_silent(DBI::dbGetQuery(connection, "SELECT 1"))
})

# ---- sources that do not stay as they are ----------------------------------------------

# a method that reads twice, and moments, before and after `change`
expect_noticed <- function(make, change, sizes = TRUE, first = sizes) {
  for (read in list(function(x) css(x, 3), function(x) as.matrix(x), if (sizes) moments)) {
    if (is.null(read)) next
    source <- make()
    read(source$blocks)
    change(source)
    expect_error(read(source$blocks), class = "rowsparse_error_block")
    if (is.function(source$end)) source$end()
  }
  # the first one reads when nothing is known but what row_blocks() saw
  if (first) {
    source <- make()
    change(source)
    expect_error(css(source$blocks, 3), class = "rowsparse_error_block")
    if (is.function(source$end)) source$end()
  }
}

test_that("databases that grow, shrink or change are noticed", {
  skip_if_not_installed("RSQLite")
  x <- small_data()
  make <- function(rows) {
    function() {
      connection <- sqlite_table(x)
      blocks <- row_blocks(connection, query = table_query(x), rows = rows)
      list(blocks = blocks, connection = connection, end = function() {
        blocks$close()
        DBI::dbDisconnect(connection)
      })
    }
  }
  run <- function(...) function(source) DBI::dbExecute(source$connection, paste(...))
  for (rows in c(20, 27, 60)) {
    copy <- "INSERT INTO samples SELECT"
    columns <- paste(DBI::dbQuoteIdentifier(DBI::ANSI(), colnames(x)), collapse = ", ")
    # before all others, among them, and after them
    for (at in c(0, 30.5, 61)) {
      expect_noticed(make(rows), run(copy, at, ",", columns, "FROM samples WHERE sample = 5"))
    }
    expect_noticed(make(rows), run("DELETE FROM samples WHERE sample = 3"))
    expect_noticed(make(rows), run("DELETE FROM samples WHERE sample > 20"))
    expect_noticed(make(rows), run("UPDATE samples SET sample = 99 WHERE sample = 3"), FALSE)
    expect_noticed(make(rows),
      run("UPDATE samples SET", colnames(x)[2], "=", colnames(x)[2], "+ 1e-9 WHERE sample = 60"),
      FALSE
    )
  }
  # some of the blocks end before the table does
  source <- make(20)()
  expect_identical(unname(as.matrix(source$blocks[1:2])), unname(x[1:40, ]))
  source$end()
})

test_that("files that grow, shrink or change are noticed", {
  x <- small_data()
  save_rows <- function(rows) function(source) saveRDS(rows, source$files[2])
  make <- function() {
    files <- rds_files(x, c(30, 30))
    list(blocks = row_blocks(files), files = files)
  }
  expect_noticed(make, save_rows(x[c(31:60, 1), ]))
  expect_noticed(make, save_rows(x[32:60, ]))
  expect_noticed(make, save_rows(x[31:60, -1]))
  expect_noticed(make, save_rows(x[60:31, ]), FALSE)
  suppressWarnings(expect_noticed(make, function(source) unlink(source$files[2])))
})

test_that("parts of Parquet files that grow, shrink or change are noticed", {
  skip_if_not_installed("nanoparquet")
  x <- small_data()
  write <- function(rows, file) {
    nanoparquet::write_parquet(as.data.frame(rows), file,
      options = nanoparquet::parquet_options(num_rows_per_row_group = 25L)
    )
  }
  for (reader in list(NULL, rowsparse:::parquet_group_reader())) {
    make <- function() {
      file <- tempfile(fileext = ".parquet")
      write(x, file)
      list(blocks = rowsparse:::parquet_groups(file, NULL, "a file", reader), file = file)
    }
    expect_noticed(make, function(source) write(x[c(1:60, 1:10), ], source$file))
    expect_noticed(make, function(source) write(x[c(1:60, 1:40), ], source$file))
    expect_noticed(make, function(source) write(x[1:50, ], source$file))
    expect_noticed(make, function(source) write(x[60:1, ], source$file), FALSE)
  }
})

test_that("HDF5 files that grow, shrink or change are noticed", {
  skip_if_not_installed("HDF5Array")
  skip_if_not_installed("rhdf5")
  x <- small_data()
  for (turned in c(FALSE, TRUE)) {
    make <- function() {
      file <- tempfile(fileext = ".h5")
      rhdf5::h5createFile(file)
      values <- if (turned) t(x) else x
      rhdf5::h5createDataset(file, "x", dim(values), rep(200, 2), chunk = c(5, 4))
      rhdf5::h5write(values, file, "x")
      array <- HDF5Array::HDF5Array(file, "x")
      blocks <- row_blocks(if (turned) DelayedArray::t(array) else array, rows = 25)
      list(blocks = blocks, file = file)
    }
    resize <- function(rows) {
      size <- c(rows, ncol(x))
      function(source) rhdf5::h5set_extent(source$file, "x", if (turned) rev(size) else size)
    }
    expect_noticed(make, resize(61))
    expect_noticed(make, resize(100))
    expect_noticed(make, resize(50))
    other <- if (turned) t(x[60:1, ]) else x[60:1, ]
    expect_noticed(make, function(source) rhdf5::h5write(other, source$file, "x"), FALSE)
  }
})

test_that("readers that change their answer from one fit to the next are noticed", {
  x <- small_data()
  make <- function() {
    held <- new.env()
    held$x <- x
    list(
      blocks = row_blocks(function(i) held$x[seq.int(30 * i - 29, min(30 * i, nrow(held$x))), ],
        c(30, 30)
      ), held = held
    )
  }
  expect_noticed(make, function(source) source$held$x <- x[-60, ])
  expect_noticed(make, function(source) source$held$x <- x[, -1], first = FALSE)
  expect_noticed(make, function(source) source$held$x[60, 1] <- 7, FALSE)
  # what is made of a source is another one
  counts <- round(abs(x) * 50)
  blocks <- row_blocks(counts, rows = 25)
  expect_equal(unname(as.matrix(blocks)), unname(counts))
  expect_equal(as.matrix(log_counts(blocks)), log_counts(counts), ignore_attr = TRUE)
  expect_equal(as.matrix(blocks[3:2]), counts[c(51:60, 26:50), ], ignore_attr = TRUE)
  blocks$sparse <- TRUE
  expect_equal(as.matrix(blocks), counts, ignore_attr = TRUE)
})

# ---- passes --------------------------------------------------------------------------

test_that("passes are counted and told", {
  x <- small_data()
  calls <- 0
  blocks <- row_blocks(function(i) {
    calls <<- calls + 1
    x[20 * (i - 1) + 1:20, ]
  }, c(20, 20, 20))
  fit <- variance(blocks)
  expect_identical(calls, 3)
  expect_identical(fit$passes, 1)
  expect_output(print(fit), "1 pass,")
  expect_output(print(summary(fit)), "1 pass,")
  calls <- 0
  fit <- alignment(blocks, k = 3)
  expect_identical(fit$passes, calls / 3)
  expect_output(print(fit), "passes,")
  expect_null(variance(x)$passes)
  # prepared data are read once for all fits, and each counts its own
  calls <- 0
  path <- rowsparse_path(blocks, method = "spca_psd", lambda = c(0.1, 0.2))
  expect_gt(calls, 0)
  fit$passes <- "many"
  expect_refused(print(fit), "object", "passes")
})

test_that("progress is told pass by pass", {
  skip_if_not_installed("progressr")
  x <- small_data()
  told <- character()
  old <- options(progressr.enable = TRUE)
  on.exit(options(old))
  withCallingHandlers(
    variance(row_blocks(x, rows = 20)),
    progression = function(p) told <<- c(told, if (p$type == "update") p$message)
  )
  expect_identical(told, sprintf("pass 1, block %d", 1:3))
})

# ---- new data ------------------------------------------------------------------------

test_that("predictions read the selected columns of blocks", {
  x <- small_data()
  y <- factor(rep(1:3, each = 20))
  blocks <- row_blocks(function(i) x[30 * (i - 1) + 1:30, 12:1], c(30, 30))
  fit <- cdlsr(x, y, k = 3)
  features <- predict(fit, x, type = "features")
  expect_equal(predict(fit, blocks, type = "features"), features)
  expect_equal(predict(fit, blocks), predict(fit, x))
  pca <- bsufs(x, m = 2)
  expect_equal(predict(pca, blocks, type = "components"), predict(pca, x, type = "components"))
  sparse <- row_blocks(methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), rows = 9)
  expect_equal(as.matrix(predict(fit, sparse, type = "features")), features, ignore_attr = TRUE)
  expect_refused(predict(fit, row_blocks(unname(x)[, -1], rows = 30)), "size", "12 features")
  skip_if_not_installed("clue")
  expect_refused(evaluate_features(fit, blocks, y, k = 2), "type", "predict(")
})

test_that("Parquet files that are no such, and files that went away, end in classed errors", {
  x <- as.data.frame(matrix(c(1, 5, 2, 8, 3, 1, 4, 4, 9, 2, 2, 6), 6))
  gone <- tempfile(fileext = ".rds")
  saveRDS(x, gone)
  blocks <- row_blocks(gone, rows = 6)
  unlink(gone)
  expect_error(fspca(blocks, 1, 1), "the file is gone", class = "rowsparse_error_block")
  skip_if_not_installed("nanoparquet")
  for (size in c(0, 20, 200)) {
    file <- tempfile(fileext = ".parquet")
    nanoparquet::write_parquet(x, file)
    bytes <- readBin(file, "raw", file.size(file))
    writeBin(bytes[seq_len(size)], file)
    expect_error(row_blocks(file), class = "rowsparse_error_block")
    expect_error(row_blocks(c(file, file)), class = "rowsparse_error_block")
  }
})

test_that("row blocks edited by hand are refused by moments() as well", {
  blocks <- row_blocks(matrix(1:12 / 7, 6), rows = 2)
  blocks$rows <- mean
  expect_error(moments(blocks), class = "rowsparse_error_type")
})

test_that("what R warns of while it reads a file comes as a warning with a class", {
  file <- tempfile(fileext = ".csv")
  cat("a,b,c\n1,2,3\n4,5,7\n2,9,1\n6,1,4", file = file)
  expect_warning(row_blocks(file), class = "rowsparse_warning_file")
  expect_equal(suppressWarnings(fspca(row_blocks(file), 1, 1))$n, 4)
})
