# What a caller may hand over as data, and what stands beside it, where it cannot be used:
# errors with a class, that name the argument.

set.seed(1)
x <- matrix(rnorm(24 * 8), 24, dimnames = list(NULL, paste0("g", 1:8)))
y <- gl(3, 8)

# the function of a method with the least that it needs
least_call <- function(method, data, ...) {
  fit <- method_table()[[method]]$fit
  given <- list(data, ...)
  if ("y" %in% names(formals(fit))) given$y <- y
  if ("k" %in% names(formals(fit))) given$k <- 2
  do.call(fit, given)
}

core_ends_here()

test_that("data without columns or rows have no moments, whatever their kind", {
  empty <- matrix(0, 4, 0)
  sparse <- Matrix::Matrix(empty, sparse = TRUE)
  for (data in list(empty, sparse, row_blocks(empty, rows = 2), row_blocks(sparse, rows = 2))) {
    expect_refused(moments(data), "size", "at least one row and one column")
    expect_refused(moments(data, rank = 2), "size", "at least one row and one column")
  }
  expect_refused(moments(empty, weights = rep(1, 4)), "size", "got 4 x 0")
  expect_refused(moments(matrix(0, 0, 3), weights = numeric()), "size", "got 0 x 3")
  expect_refused(css(row_blocks(empty, rows = 2), 1), "size", "at least one feature")
  expect_refused(moments(NULL, weights = 1:3), "type", "a numeric matrix")
  expect_refused(moments("a", weights = 1), "type", "a numeric matrix")
})

test_that("a name that is NA is refused by every method and kind of data", {
  bad <- x
  colnames(bad)[3] <- NA
  told <- "NA as the name of column 3"
  expect_refused(row_blocks(bad, rows = 6), "names", told)
  expect_refused(css(Matrix::Matrix(bad, sparse = TRUE), 2), "names", told)
  expect_refused(css(as.data.frame(bad), 2), "names", told)
  skip_if_not_installed("SummarizedExperiment")
  se <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(x)))
  rownames(se)[3] <- NA
  for (method in names(method_table())) {
    expect_refused(least_call(method, se), "names", told)
  }
  expect_refused(rowsparse(se), "names", told)
  expect_refused(moments(se), "names", told)
  expect_refused(log_counts(se, assay = 1), "names", told)
})

test_that("several numbers are no number of neighbours, and functions are no labels", {
  for (method in names(method_table())) {
    takes <- names(formals(method_table()[[method]]$fit))
    if ("neighbours" %in% takes && method != "alignment") { # which takes several
      expect_refused(least_call(method, x, neighbours = c(3, 5, 7)), "range", "`neighbours`")
    }
    if ("start" %in% takes) {
      expect_error(least_call(method, x, start = mean), class = "rowsparse_error", info = method)
    }
  }
  expect_refused(css(x, 2, block = mean), "type", "`block` must be a factor")
})

test_that("blocks of unknown width and a response of the wrong length are told", {
  blocks <- row_blocks(function(i) x[6 * (i - 1) + 1:6, ], rows = rep(6, 4))
  for (response in list(rnorm(7), gl(2, 5), rnorm(8))) {
    expect_refused(rowsparse(blocks, response, k = 2), "length", "one entry per sample (24)")
  }
})

test_that("names in another encoding are found, told and drawn", {
  strange <- "a\xff"
  expect_refused(rowsparse(x, k = 2, include = strange), "names", "a\\xff")
  expect_refused(rowsparse(x, k = 2, exclude = strange), "names", "a\\xff")
  colnames(x)[1] <- strange
  expect_identical(rowsparse(x, k = 2, include = strange)$included, 1L)
  expect_refused(rowsparse(x, k = 2, include = "h2"), "names", "Did you mean \"g2\"?")
  draw_nowhere()
  expect_silent(plot(rowsparse(x, k = 8)))
})

test_that("a file that ends early is refused by its class wherever it is met", {
  skip_if_not_installed("HDF5Array")
  skip_if_not_installed("SummarizedExperiment")
  whole <- tempfile(fileext = ".h5")
  part <- tempfile(fileext = ".h5")
  large <- matrix(abs(rnorm(2000)), 40)
  HDF5Array::writeHDF5Array(large, whole, "x", chunkdim = c(10, 10))
  bytes <- readBin(whole, "raw", file.size(whole))
  writeBin(bytes, part)
  delayed <- HDF5Array::HDF5Array(part, "x")
  se <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(delayed)))
  counts <- SummarizedExperiment::SummarizedExperiment(list(counts = t(delayed)))
  writeBin(bytes[seq_len(length(bytes) %/% 2)], part)
  for (data in list(delayed, se, counts)) {
    for (call in list(rowsparse, moments, variance, neighbours)) {
      expect_refused(call(data), "read", "must be readable")
    }
  }
  for (call in list(row_blocks, log_counts)) {
    expect_refused(call(delayed), "read", "must be readable")
  }
  expect_refused(log_counts(counts), "read", "must be readable")
  fit <- css(large, 2)
  expect_refused(predict(fit, delayed), "read", "must be readable")
})

test_that("a block goes with whatever else an experiment tells of its features", {
  skip_if_not_installed("SummarizedExperiment")
  block <- rep(1:2, 12)
  make <- function(names = colnames(x), text = "a") {
    SummarizedExperiment::SummarizedExperiment(list(logcounts = unname(t(x))),
      rowData = data.frame(symbol = rep_len(text, 8), row.names = NULL),
      colData = data.frame(batch = block)
    ) |> `rownames<-`(names)
  }
  plain <- css(x, 3, block = block)
  expect_identical(css(make(), 3, block = "batch")$selected, plain$selected)
  repeated <- make(c("g1", "g1", colnames(x)[3:8]))
  fit <- suppressMessages(css(repeated, 3, block = "batch"))
  expect_identical(fit$selected, plain$selected)
  expect_equal(
    suppressMessages(moments(repeated, block = "batch"))$S, moments(x, block = block)$S,
    ignore_attr = TRUE
  )
})

test_that("the guard against near-copies reads row blocks", {
  copies <- cbind(x, x[, 1:4] + matrix(rnorm(24 * 4, sd = 0.01), 24))
  colnames(copies) <- paste0("g", 1:12)
  sparse <- Matrix::Matrix(copies, sparse = TRUE)
  for (method in c("variance", "bsufs", "css")) {
    plain <- rowsparse(copies, k = 5, method = method, diverse = TRUE)
    for (blocks in list(row_blocks(copies, rows = 7), row_blocks(sparse, rows = 24))) {
      fit <- rowsparse(blocks, k = 5, method = method, diverse = TRUE)
      expect_identical(fit$selected, plain$selected)
      expect_identical(fit$diverse$skipped, plain$diverse$skipped)
    }
  }
  supervised <- rowsparse(row_blocks(copies, rows = 7), y, 5, "ftest", diverse = TRUE)
  expect_identical(supervised$selected, rowsparse(copies, y, 5, "ftest", diverse = TRUE)$selected)
})

test_that("what was probably meant is said", {
  table <- as.data.frame(x)
  table$type <- as.integer(y)
  expect_refused(rowsparse(table, type ~ g1), "type", "rowsparse(type ~ g1, data = x)")
  expect_refused(rowsparse(table, "type"), "length", "rowsparse(type ~ ., data = x)")
  expect_refused(rowsparse(x, k = 2, method = "alignmnet"), "choice", "one of \"alignment\", ")
  expect_refused(rowsparse(x, k = 2, method = "lapscor3"), "choice", "Did you mean \"lapscore\"?")
  told <- "As a pattern it fits no feature"
  expect_refused(rowsparse(x, k = 2, exclude = "^RP[SL]"), "names", told)
  expect_refused(rowsparse(x, k = 2, exclude = "g.1"), "names", "Did you mean \"g1\"?")
})

test_that("what is empty or no vector is refused by name", {
  x <- iris[, 1:4]
  for (criterion in c("clustering", "error")) {
    expect_refused(
      compare_methods(x, iris$Species, methods = character(), k = 1:2, criterion = criterion),
      "size", "methods"
    )
  }
  expect_refused(rowsparse_path(x, iris$Species, method = "cdlsr", k = integer()), "range", "k")
  expect_refused(cv_rowsparse(x, iris$Species, method = "cdlsr", k = integer()), "range", "k")
})

test_that("data that were changed by hand are refused by class", {
  frame <- iris[, 1:4]
  attr(frame, "names") <- "Sepal.Length"
  expect_error(moments(frame), class = "rowsparse_error")
  short <- Matrix::rsparsematrix(20, 6, 0.4)
  short@Dim <- c(20L, 7L)
  expect_error(compare_panels(1, short, samples = 5), class = "rowsparse_error")
})

test_that("a missing count on disk is refused as missing", {
  skip_if_not_installed("HDF5Array")
  skip_if_not_installed("SummarizedExperiment")
  counts <- matrix(as.double(1:60), 6)
  counts[2, 3] <- NA
  cells <- SummarizedExperiment::SummarizedExperiment(
    list(counts = HDF5Array::writeHDF5Array(counts))
  )
  expect_error(fspca(row_blocks(cells), 2, 1), class = "rowsparse_error_nonfinite")
})

test_that("an assay that an experiment does not have is refused by name", {
  skip_if_not_installed("SummarizedExperiment")
  cells <- SummarizedExperiment::SummarizedExperiment(list(logcounts = matrix(stats::rnorm(60), 6)))
  expect_refused(rowsparse(cells, method = "css", k = 1, assay = "tpm"), "choice", "assay")
})

test_that("values that no sum of squares holds are refused in blocks with levels, too", {
  set.seed(5)
  x <- matrix(stats::rnorm(200), 20)
  x[5, 2] <- 1e300
  level <- factor(rep_len(1:3, 20))
  expect_refused(
    cdlsr(row_blocks(x, rows = 1), stats::rnorm(20), k = 1, block = level), "scale", "x"
  )
  expect_refused(moments(x, weights = rep(1:2, 10)), "scale", "x")
})

test_that("a path whose first features are constant in a fold is cross-validated", {
  set.seed(6)
  x <- diag(20)[, 1:10]
  cv <- suppressWarnings(cv_rowsparse(x, stats::rnorm(20), include = 2:3))
  expect_s3_class(cv, "cv_rowsparse")
})

test_that("averages of images come from sparse data as well", {
  x <- abs(round(matrix(stats::rnorm(20 * 12), 20)))
  fit <- variance(x)
  draw <- function(data) plot(fit, type = "pixels", dim = c(3, 4), data = data)
  draw_nowhere()
  expect_no_error(draw(x))
  expect_no_error(draw(Matrix::Matrix(x, sparse = TRUE)))
})

test_that("the nearest known name is told, whatever was misspelt", {
  x <- matrix(sin(1:60), 12, dimnames = list(NULL, paste0("gene", 1:5)))
  meant <- function(code, name) {
    condition <- expect_error(code, class = "rowsparse_error")
    expect_match(conditionMessage(condition), sprintf("Did you mean \"%s\"?", name), fixed = TRUE)
  }
  meant(rowsparse(x, k = 2, method = "lapscor3"), "lapscore")
  meant(rowsparse(x, k = 2, method = "css", solvr = "forward"), "solver")
  meant(css(x, 2, solver = "forwrd"), "forward")
  meant(css(x, 2, control = list(maxiter = 5)), "maxit")
  meant(rowsparse_control(maxiter = 5), "maxit")
  meant(css(x, 2, include = "gen1"), "gene1")
  meant(compare_panels("gne3", x), "gene3")
  meant(predict(css(x, 2), x, typ3 = "features"), "type")
  meant(tune_rowsparse(x, criterion = "stabilty"), "stability")
})

test_that("an argument in the place of another is told", {
  x <- matrix(sin(1:60), 12)
  y <- cos(1:12)
  calls <- list(
    rowsparse = function(...) rowsparse(x, y, ...), path = function(...) rowsparse_path(x, y, ...),
    cv = function(...) cv_rowsparse(x, y, ...), tune = function(...) tune_rowsparse(x, y, ...),
    error = function(...) selection_error(x, y, ...)
  )
  for (call in calls) {
    expect_refused(call("cdlsr"), "range", "Did you mean `method = \"cdlsr\"`?")
    expect_refused(call(method = 3, k = 2), "choice", "Did you mean `k = 3`?")
  }
  expect_refused(compare_methods(x, y, "css"), "range", "Did you mean `methods = \"css\"`?")
  expect_refused(rowsparse(x, "css"), "length", "Did you mean `method = \"css\"`?")
  expect_refused(rowsparse(iris, "Species"), "length", "rowsparse(Species ~ ., data = x)")
  expect_refused(rowsparse(iris, Species ~ .), "type", "rowsparse(Species ~ ., data = x)")
})
