# SummarizedExperiment and SingleCellExperiment objects, raw counts, DelayedMatrix assays
# and Seurat objects

# of packages that are not among those suggested
from_package <- function(package, name) getExportedValue(package, name)

# a package that is installed and works
skip_without <- function(package) {
  skip_if_not_installed(package)
  suppressPackageStartupMessages(requireNamespace(package, quietly = TRUE))
}

# counts of three kinds of cells, genes in rows
cell_counts <- function(d = 60, n = 45, seed = 1) {
  set.seed(seed)
  type <- rep(c("T", "B", "NK"), length.out = n)
  mean <- matrix(stats::rgamma(d, 3), d, n)
  mean[1:5, type == "T"] <- 20
  mean[6:10, type == "B"] <- 20
  depth <- stats::runif(n, 0.5, 2)
  counts <- matrix(stats::rpois(d * n, mean * rep(depth, each = d)), d)
  dimnames(counts) <- list(paste0("g", seq_len(d)), paste0("c", seq_len(n)))
  counts
}

cell_table <- function(n = 45) {
  data.frame(
    type = rep(c("T", "B", "NK"), length.out = n), age = seq_len(n) + 0.5,
    batch = rep(c("one", "two", "three"), each = n / 3), one = "same",
    good = rep(c(TRUE, TRUE, FALSE), length.out = n)
  )
}

cells <- function(assays = list(counts = cell_counts()), ...) {
  skip_without("SingleCellExperiment")
  n <- ncol(assays[[1]])
  SingleCellExperiment::SingleCellExperiment(assays, colData = cell_table(n), ...)
}

# x / s, logged, samples in rows, in plain R
logged <- function(counts, factors = colSums(counts)) {
  log2(t(counts) / (factors / mean(factors)) + 1)
}

cells_logged <- function(...) {
  counts <- cell_counts(...)
  cells(list(counts = counts, logcounts = t(logged(counts))))
}

quiet <- function(expr) suppressMessages(expr, classes = "rowsparse_message")

core_ends_here()

test_that("an experiment gives the fit of its transposed assay", {
  sce <- cells_logged()
  x <- logged(cell_counts())
  type <- cell_table()$type
  same <- c("ranking", "scores", "selected", "explained", "feature_names")
  genes <- rowsparse(x, k = 6, method = "fspca", solver = "go")
  expect_equal(rowsparse(sce, k = 6)[same], genes[same])
  expect_equal(rowsparse(sce, "type", 6)[same], rowsparse(x, type, 6)[same])
  for (method in c("css", "cdlsr", "rfs")) {
    by <- if (method != "css") "type"
    fit <- rowsparse(sce, by, k = 6, method = method)
    expect_equal(fit[same], rowsparse(x, if (method != "css") type, 6, method)[same])
  }
  expect_equal(cdlsr(sce, "age", 4)[same], cdlsr(x, cell_table()$age, 4)[same])
  expect_equal(alignment(sce, "type", 4)[same], alignment(x, type, 4)[same])
  expect_equal(moments(sce, "type")$Sxy, moments(x, type)$Sxy)
  set.seed(2)
  by_name <- cv_rowsparse(sce, "type", k = 1:3, method = "cdlsr", folds = 5)
  set.seed(2)
  expect_equal(by_name$table, cv_rowsparse(x, type, k = 1:3, method = "cdlsr", folds = 5)$table)
})

test_that("an experiment comes back with the result inside", {
  sce <- cells_logged()
  fit <- rowsparse(sce, "type", k = 6)
  marked <- rowsparse(sce, "type", k = 6, return = "object")
  expect_s4_class(marked, "SingleCellExperiment")
  table <- SummarizedExperiment::rowData(marked)
  expect_identical(table$rowsparse_score, unname(fit$scores))
  expect_identical(order(table$rowsparse_rank), fit$ranking)
  expect_identical(rownames(marked)[table$rowsparse_selected], rownames(sce)[sort(fit$selected)])
  expect_identical(marked@metadata$rowsparse$selected, fit$selected)
  expect_identical(dim(predict(marked@metadata$rowsparse, marked, type = "features")), c(6L, 45L))
  expect_length(predict(marked@metadata$rowsparse, marked), 45)
  # again: the columns are replaced, which is said
  expect_message(again <- rowsparse(marked, k = 3, return = "object"),
    "replaces the columns rowsparse_\\* of rowData\\(x\\) and metadata\\(x\\)\\$rowsparse",
    class = "rowsparse_message_replaced"
  )
  expect_no_message(rowsparse(sce, k = 3, return = "object"))
  fits <- marked
  names(fits@metadata) <- "first"
  names(SummarizedExperiment::rowData(fits)) <- c("first_score", "first_rank", "first_selected")
  expect_no_message(both <- rowsparse(fits, k = 3, return = "object"))
  expect_identical(SummarizedExperiment::rowData(both)$first_score, table$rowsparse_score)
  expect_identical(both@metadata$first, marked@metadata$rowsparse)
  expect_identical(sum(SummarizedExperiment::rowData(again)$rowsparse_selected), 3L)
  expect_identical(ncol(SummarizedExperiment::rowData(again)), 3L)
  # all samples come back where some were used
  part <- rowsparse(sce, k = 6, subset = 1:20, return = "object")
  expect_identical(dim(part), dim(sce))
  expect_identical(part@metadata$rowsparse$n, 20L)
  expect_refused(rowsparse(t(cell_counts()), k = 3, return = "object"), "type",
    "`return` = \"object\" needs a SummarizedExperiment"
  )
  expect_refused(rowsparse(sce, k = 3, return = "all"), "choice", "`return` must be one of")
})

test_that("subset chooses samples, whatever names them", {
  sce <- cells_logged()
  good <- cell_table()$good
  reference <- rowsparse(sce[, good], "type", 6)
  chosen <- list(good, which(good), -which(!good), colnames(sce)[good], "good")
  for (subset in chosen) {
    fit <- rowsparse(sce, "type", 6, subset = subset)
    expect_identical(fit$scores, reference$scores)
    expect_identical(fit$n, 30L)
  }
  # a response given as such is that of all samples; its empty classes go
  type <- factor(cell_table()$type)
  expect_identical(rowsparse(sce, type, 6, subset = good)$scores, reference$scores)
  expect_refused(rowsparse(sce, type[good], 6, subset = good), "length", "per sample (45)")
  refused <- function(subset, class, text) {
    expect_refused(rowsparse(sce, k = 3, subset = subset), class, text)
  }
  refused(rep(FALSE, 45), "size", "`subset` must keep at least 2 samples; got 0")
  refused(integer(), "size", "at least 2 samples")
  refused(-(1:44), "size", "got 1")
  refused(good[1:10], "length", "one entry per sample (45); got 10")
  refused(c(NA, good[-1]), "nonfinite", "`subset` must not hold NA")
  refused(c(1, 46), "range", "numbers from 1 to 45")
  refused(c(1, -2), "range", "numbers from 1 to 45")
  refused(0:3, "range", "numbers from 1 to 45")
  refused(c(1, 2, 1), "names", "sample 1 twice")
  refused(c("c1", "c99"), "names", "1 unknown (first: \"c99\")")
  refused("none", "names", "column of colData(x)")
  refused("type", "type", "column of TRUE and FALSE; got \"type\" with a character vector")
  refused(list(1), "range", "`subset` must be samples")
  expect_refused(rowsparse(t(cell_counts()), k = 3, subset = 1:4), "type",
    "`subset` is for a SummarizedExperiment"
  )
})

test_that("columns of colData are found or refused", {
  sce <- cells_logged()
  expect_refused(rowsparse(sce, "typ", 3), "choice", "(type, age, batch, one, good)")
  expect_refused(rowsparse(sce, "css"), "choice", "Did you mean `method = \"css\"`?")
  expect_refused(cdlsr(sce, "typ", 3), "choice", "`y` must name a column of colData(x)")
  expect_refused(rowsparse(sce, "one", 3), "constant", "at least two classes; got \"same\"")
  sce$type[3] <- NA
  expect_refused(rowsparse(sce, "type", 3), "nonfinite", "`y` must not hold NA")
  # run lengths and factors
  sce <- cells_logged()
  runs <- from_package("S4Vectors", "Rle")(factor(cell_table()$batch))
  sce$runs <- runs
  expect_identical(rowsparse(sce, "runs", 3)$scores, rowsparse(sce, "batch", 3)$scores)
})

test_that("blocks are named by a column, in methods, front doors and predictions", {
  sce <- cells_logged()
  x <- logged(cell_counts())
  table <- cell_table()
  same <- c("ranking", "scores", "selected", "explained")
  expect_equal(css(sce, 4, block = "batch")[same], css(x, 4, block = table$batch)[same])
  expect_equal(rowsparse(sce, "type", 4, block = "batch")[same],
    rowsparse(x, table$type, 4, block = table$batch)[same]
  )
  expect_equal(moments(sce, block = "batch")$S, moments(x, block = table$batch)$S)
  expect_equal(rowsparse_path(sce, method = "css", k = 1:3, block = "batch")$selected,
    rowsparse_path(x, method = "css", k = 1:3, block = table$batch)$selected
  )
  fit <- cdlsr(sce, "type", 4, block = "batch")
  expect_equal(predict(fit, sce, type = "response", block = "batch"),
    predict(fit, x, type = "response", block = table$batch)
  )
  # levels of samples that are left out go
  kept <- table$batch != "two"
  expect_equal(rowsparse(sce, k = 4, block = "batch", subset = kept)[same],
    rowsparse(x[kept, ], k = 4, method = "fspca", solver = "go", block = table$batch[kept])[same]
  )
  sce$lone <- rep(c("x", "y"), c(1, 44))
  refused <- function(block, class, text) {
    expect_refused(css(sce, 3, block = block), class, text)
    expect_refused(rowsparse(sce, k = 3, block = block), class, text)
  }
  refused("one", "block", "must have at least two levels; got one level, \"same\"")
  refused("lone", "block", "at least two samples of each level; got one of level \"x\"")
  refused("plate", "choice", "`block` must name a column of colData(x)")
})

test_that("genes are locked in and out by name", {
  sce <- cells_logged()
  object <- rowsparse(sce, "type", 5, include = "g40", exclude = c("g1", "g6"), return = "object")
  table <- SummarizedExperiment::rowData(object)
  expect_true(table["g40", "rowsparse_selected"])
  expect_identical(sum(table$rowsparse_selected), 5L)
  expect_setequal(table[c("g1", "g6"), "rowsparse_rank"], 59:60)
  expect_identical(table[c("g1", "g6"), "rowsparse_score"], c(0, 0))
  expect_refused(rowsparse(sce, k = 5, include = "Actb"), "names", "`include` must")
  expect_refused(css(sce, 5, exclude = c("g1", "Actb", "Vim")), "names", "`exclude` must")
})

test_that("everything around the methods takes experiments", {
  sce <- cells_logged()
  x <- logged(cell_counts())
  type <- cell_table()$type
  fit <- css(sce, 5)
  share <- function(...) compare_panels(...)$explained[1]
  expect_equal(share(fit, sce), variance_explained(x, fit))
  expect_equal(moments(sce)$S, moments(x)$S)
  counts <- quiet(share(fit, sce, assay = "counts"))
  expect_equal(counts, variance_explained(t(cell_counts()), fit))
  expect_equal(quiet(moments(sce, assay = "counts"))$S, moments(t(cell_counts()))$S)
  expect_equal(suppressWarnings(spectral_embedding(sce, 2))$values,
    suppressWarnings(spectral_embedding(x, 2))$values
  )
  expect_equal(neighbours(sce, 3)$index, neighbours(x, 3)$index)
  for (method in c("css", "rfs", "bsufs")) {
    by <- if (method == "rfs") list("type", type)
    path <- rowsparse_path(sce, by[[1]], method = method, k = 1:4)
    expect_equal(path$selected, rowsparse_path(x, by[[2]], method = method, k = 1:4)$selected)
  }
  expect_equal(predict(path, sce, at = 4, type = "components"),
    predict(path, x, at = 4, type = "components"), ignore_attr = TRUE
  )
  tuned <- function(x, y) {
    set.seed(3)
    tune_rowsparse(x, y, method = "cdlsr", k = 2:3, criterion = "error", subsamples = 2, folds = 3)
  }
  expect_equal(tuned(sce, "type")$table, tuned(x, type)$table)
  diverse <- function(x) rowsparse(x, k = 4, method = "bsufs", m = 2, diverse = TRUE)$selected
  expect_identical(diverse(sce), diverse(x))
  skip_if_not_installed("clue")
  judged <- function(x, y) {
    set.seed(4)
    evaluate_features(fit, x, y, k = 2:3, repeats = 3)
  }
  expect_equal(judged(sce, "type"), judged(x, type))
  compared <- function(x, y, methods = c("css", "ftest")) {
    set.seed(5)
    out <- compare_methods(x, y, methods = methods, k = 2:3, repeats = 3, data = "cells")
    out[setdiff(names(out), "elapsed")]
  }
  expect_equal(compared(sce, "type"), compared(x, type))
  seen <- NULL
  compared(sce, "type", list(own = function(x) {
    seen <<- x
    1:3
  }))
  expect_s4_class(seen, "SingleCellExperiment")
  sets <- compare_methods(list(a = list(x = sce, y = "type")), methods = "css", k = 2, repeats = 2)
  expect_identical(sets$note, "")
})

test_that("a fit is applied to other cells whose genes are in another order", {
  sce <- cells_logged()
  other <- cells_logged(seed = 2)[60:1, 1:20]
  x <- t(SummarizedExperiment::assay(other, "logcounts"))
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  for (fit in list(rowsparse(sce, k = 6), rowsparse(sce, "type", k = 6, method = "cdlsr"))) {
    saveRDS(fit, file)
    back <- readRDS(file)
    part <- predict(back, other, type = "features")
    expect_identical(rownames(part), selected(fit))
    expect_identical(dim(part), c(6L, 20L))
    expect_equal(SummarizedExperiment::assay(part, "logcounts"), t(x[, selected(fit)]))
  }
  expect_equal(predict(back, other, type = "response"), predict(fit, x, type = "response"))
  lost <- other[!rownames(other) %in% selected(fit)[2:3], ]
  expect_refused(predict(fit, lost, type = "features"), "names",
    sprintf("2 missing (first: \"%s\")", selected(fit)[2])
  )
  expect_refused(predict(fit, lost, type = "response"), "names", "2 missing")
})

test_that("repeated gene names are made distinct, in experiments only", {
  counts <- cell_counts()
  rownames(counts)[c(2, 7, 20)] <- c("GAPDH", "GAPDH", "GAPDH")
  sce <- cells(list(logcounts = t(logged(counts))))
  expect_message(fit <- variance(sce), "2 repeated feature names: .*\"GAPDH\", \"GAPDH.1\"",
    class = "rowsparse_message_names"
  )
  expect_identical(fit$feature_names, make.unique(rownames(counts)))
  expect_true("GAPDH.1" %in% selected(fit, 12))
  expect_length(capture_messages(css(sce, 3)), 1)
  plain <- logged(counts)
  expect_refused(css(plain, 3), "names", "must have distinct feature names")
  # the same rule on new data, told where it decides
  expect_message(part <- predict(fit, sce, 12), "matched by the order of the copies",
    class = "rowsparse_message_names"
  )
  expect_identical(rownames(part), rownames(counts)[fit$ranking[1:12]])
  expect_equal(SummarizedExperiment::assay(part), t(plain)[fit$ranking[1:12], ])
  fit <- quiet(cdlsr(sce, "type", 8))
  colnames(plain) <- make.unique(colnames(plain))
  turned <- order(duplicated(rownames(sce)), -seq_len(60)) # copies in their order
  expect_equal(quiet(predict(fit, sce[turned, ], type = "response")),
    predict(fit, plain, type = "response")
  )
  marked <- quiet(rowsparse(sce, k = 4, return = "object"))
  expect_identical(rownames(marked), rownames(counts))
})

test_that("raw counts are normalised where there is nothing else, never silently", {
  counts <- cell_counts()
  sce <- cells()
  x <- logged(counts)
  expect_message(fit <- rowsparse(sce, k = 6), "assay \"counts\" of `x` holds raw counts only",
    class = "rowsparse_message_counts"
  )
  expect_equal(fit$scores, rowsparse(x, k = 6, method = "fspca", solver = "go")$scores)
  expect_message(css(sce, 3), "library sizes", class = "rowsparse_message_counts")
  # asked for by name
  expect_message(raw <- rowsparse(sce, k = 6, assay = "counts"), "taken as they are",
    class = "rowsparse_message_counts"
  )
  expect_equal(raw$scores, rowsparse(t(counts) + 0, k = 6, method = "fspca", solver = "go")$scores)
  # a fit asks for its assay again
  both <- cells_logged()
  expect_equal(quiet(predict(raw, both, k = 2, type = "features")), both[raw$selected[1:2], ])
  fit <- quiet(cdlsr(both, "type", 4, assay = "counts"))
  expect_identical(fit$assay, "counts")
  expect_equal(quiet(predict(fit, both, type = "response")),
    predict(fit, t(counts), type = "response")
  )
  expect_equal(predict(fit, both, type = "response", assay = "logcounts"),
    predict(fit, x, type = "response")
  )
  # size factors of the object; those of new data are by all genes, not the selected ones
  factors <- stats::runif(45, 0.5, 2)
  sce$sizeFactor <- factors
  expect_message(fit <- cdlsr(sce, "type", 4), "size factors in colData",
    class = "rowsparse_message_counts"
  )
  by_factors <- cdlsr(logged(counts, factors), cell_table()$type, 4)
  expect_equal(fit$scores, by_factors$scores)
  expect_equal(quiet(predict(fit, sce, type = "response")),
    predict(by_factors, logged(counts, factors), type = "response")
  )
  fit <- quiet(cdlsr(cells(), "type", 4))
  expect_equal(quiet(predict(fit, cells(), type = "response")), predict(fit, x, type = "response"))
  # logged values, fractions and signs are nobody's counts; matrices are left alone
  expect_silent(rowsparse(both, k = 3))
  expect_silent(rowsparse(cells(list(values = t(x))), k = 3))
  expect_silent(rowsparse(cells(list(values = counts - 5)), k = 3))
  expect_silent(rowsparse(t(counts), k = 3))
  expect_silent(rowsparse(Matrix::Matrix(t(counts), sparse = TRUE), k = 3))
})

test_that("estimated counts are counts for fits as for log_counts()", {
  skip_without("DelayedArray")
  counts <- cell_counts() * 20 + matrix(stats::runif(60 * 45), 60)
  x <- logged(counts)
  kinds <- list(
    dense = counts, sparse = Matrix::Matrix(counts, sparse = TRUE),
    delayed = DelayedArray::DelayedArray(counts)
  )
  for (kind in names(kinds)) {
    for (name in c("counts", if (kind == "dense") c("decontXcounts", "raw_count"))) {
      sce <- cells(stats::setNames(kinds[kind], name))
      expect_message(fit <- css(sce, 4), "holds raw counts only: normalised",
        class = "rowsparse_message_counts"
      )
      expect_equal(fit$scores, css(x, 4)$scores, info = kind)
      expect_equal(quiet(as.matrix(row_blocks(sce, rows = 20))), unname(x), ignore_attr = TRUE)
      expect_equal(
        t(as.matrix(SummarizedExperiment::assay(log_counts(sce), "logcounts"))), x,
        info = kind
      )
      # new samples by the same rule
      fit <- quiet(cdlsr(sce, "type", 4))
      expect_equal(quiet(predict(fit, sce, type = "response")), predict(fit, x, type = "response"))
      expect_message(raw <- css(sce, 4, assay = name), "raw counts: taken as they are",
        class = "rowsparse_message_counts"
      )
      expect_equal(raw$scores, css(t(counts), 4)$scores)
    }
  }
  # what is not called counts is taken as it is, which is said unless it was named
  for (name in c("tpm", "normcounts", "logcounts")) {
    sce <- cells(stats::setNames(list(counts), name))
    expect_message(fit <- css(sce, 4), "values above 100, which no logarithms are: taken as they",
      class = "rowsparse_message_counts"
    )
    expect_equal(fit$scores, css(t(counts), 4)$scores)
    expect_silent(css(sce, 4, assay = name))
  }
  # as logarithms, or as few counts: both doors leave them
  few <- cells(list(counts = t(x)))
  expect_message(fit <- css(few, 4), "no value above 100, as logarithms do: taken as they are",
    class = "rowsparse_message_counts"
  )
  expect_equal(fit$scores, css(x, 4)$scores)
  expect_warning(expect_identical(log_counts(few), few), class = "rowsparse_warning_counts")
})

test_that("log_counts() is log2(x / s + 1) for every kind of data", {
  counts <- cell_counts()
  x <- t(counts)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(log_counts(x), logged(counts), tolerance = 1e-14)
  expect_equal(log_counts(as.data.frame(x)), logged(counts), tolerance = 1e-14)
  expect_s4_class(log_counts(sparse), "dgCMatrix")
  expect_identical(as.matrix(log_counts(sparse)), log_counts(x))
  factors <- stats::runif(45, 0.5, 2)
  expect_equal(log_counts(x, factors), logged(counts, factors), tolerance = 1e-14)
  expect_equal(log_counts(sparse, 10 * factors), log_counts(sparse, factors), tolerance = 1e-14)
  # estimated counts have fractions
  expect_equal(log_counts(100 * x + 0.5), logged(100 * counts + 0.5), tolerance = 1e-14)
  skip_without("SingleCellExperiment")
  sce <- cells(list(other = 0 * counts, counts = counts))
  logcounts <- function(x) SummarizedExperiment::assay(x, "logcounts")
  expect_equal(logcounts(log_counts(sce)), t(logged(counts)))
  expect_equal(logcounts(log_counts(sce, factors)), t(logged(counts, factors)))
  sce$sizeFactor <- factors
  expect_equal(logcounts(log_counts(sce)), t(logged(counts, factors)))
  sce <- cells(list(a = Matrix::Matrix(counts, sparse = TRUE)))
  expect_s4_class(logcounts(log_counts(sce)), "dgCMatrix")
  expect_equal(as.matrix(logcounts(log_counts(sce))), t(logged(counts)))
  skip_without("DelayedArray")
  delayed <- DelayedArray::DelayedArray(Matrix::Matrix(counts, sparse = TRUE))
  out <- logcounts(log_counts(cells(list(counts = delayed))))
  expect_true(DelayedArray::is_sparse(out))
  expect_equal(as.matrix(out), t(logged(counts)))
  expect_equal(as.matrix(log_counts(t(delayed))), logged(counts))
})

test_that("counts that are too large for memory are normalised in blocks, as in memory", {
  skip_without("DelayedArray")
  counts <- cell_counts(n = 450)
  stored <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "dgCMatrix")
  kept <- DelayedArray::DelayedArray(stored)
  plain <- cells(list(counts = counts))
  large <- cells(list(counts = kept))
  old <- options(rowsparse.memory = NULL)
  on.exit(options(old))
  small_memory <- function() options(rowsparse.memory = 12 * sum(counts > 0) * 4 - 1)
  for (factors in list(NULL, stats::runif(450, 0.5, 2))) {
    plain$sizeFactor <- large$sizeFactor <- factors
    whole <- suppressMessages(css(plain, 5))
    seen <- suppressMessages(predict(whole, plain, type = "components"))
    small_memory()
    told <- testthat::capture_messages(fit <- css(large, 5))
    expect_match(told, "read in blocks", all = FALSE)
    expect_match(told, if (is.null(factors)) "library sizes" else "in colData", all = FALSE)
    expect_identical(fit$selected, whole$selected)
    expect_equal(fit$objective, whole$objective)
    found <- suppressMessages(predict(whole, large, type = "components"))
    expect_equal(found, seen, ignore_attr = TRUE)
    options(old)
  }
  # as they are
  small_memory()
  expect_identical(
    suppressMessages(css(large, 5, assay = "counts"))$selected,
    suppressMessages(css(plain, 5, assay = "counts"))$selected
  )
  counts[, 7] <- 0
  empty <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "dgCMatrix")
  empty <- cells(list(counts = DelayedArray::DelayedArray(empty)))
  expect_error(suppressMessages(css(empty, 5)), "\"c7\"", class = "rowsparse_error_zero")
})

test_that("log_counts() agrees with the usual normalisation of single cells", {
  skip_without("SingleCellExperiment")
  skip_without("scuttle")
  usual <- function(x) {
    SummarizedExperiment::assay(from_package("scuttle", "logNormCounts")(x), "logcounts")
  }
  sce <- cells()
  expect_equal(SummarizedExperiment::assay(log_counts(sce), "logcounts"), usual(sce),
    tolerance = 1e-10
  )
  sce$sizeFactor <- stats::runif(45, 0.5, 2)
  expect_equal(SummarizedExperiment::assay(log_counts(sce), "logcounts"), usual(sce),
    tolerance = 1e-10
  )
})

test_that("what looks logged is left alone, and said so", {
  x <- logged(cell_counts())
  left <- function(x, text = "left as it is", ...) {
    expect_warning(out <- log_counts(x, ...), text, class = "rowsparse_warning_counts")
    expect_identical(out, x)
  }
  left(x)
  left(Matrix::Matrix(x, sparse = TRUE))
  left(t(cell_counts()) - 1)
  left((x > 1) + 0)
  sce <- cells_logged()
  left(sce, "assay \"logcounts\" of `x`")
  left(sce, "assay \"logcounts\" of `x`", assay = "logcounts")
  # the counts by name: computed again
  again <- log_counts(sce, rep(1, 45), assay = "counts")
  expect_equal(SummarizedExperiment::assay(again, "logcounts"), log2(cell_counts() + 1))
  # a wrong name for counts: taken as they are, and said so
  wrong <- cells(list(logcounts = cell_counts()))
  expect_message(fit <- css(wrong, 3), "taken as they are", class = "rowsparse_message_counts")
  expect_equal(fit$scores, css(t(cell_counts()), 3)$scores)
})

test_that("counts that cannot be normalised are refused", {
  x <- t(cell_counts())
  x[c(3, 8), ] <- 0L
  expect_refused(log_counts(x), "zero", "2 samples without any, the first sample 3 (\"c3\")")
  expect_refused(log_counts(unname(x)), "zero", "the first sample 3. Leave them out")
  expect_refused(log_counts(Matrix::Matrix(x, sparse = TRUE)), "zero", "2 samples")
  expect_identical(dim(log_counts(x, rep(1:3, 15))), dim(x)) # with size factors they can
  x <- t(cell_counts())
  expect_refused(log_counts(x, 1:3), "length", "one number per sample (45)")
  expect_refused(log_counts(x, letters), "length", "one number per sample (45)")
  expect_refused(log_counts(x, c(rep(1, 43), 0, NA)), "range", "2 that are not, the first, 0, for")
  for (wrong in list(letters, matrix("1", 2, 2), NULL, 1:3, array(1:8, c(2, 2, 2)), mean)) {
    expect_refused(log_counts(wrong), "type", "`x` must be counts")
  }
  expect_refused(log_counts(rbind(x, NA)), "nonfinite", "NA, NaN or infinite")
  broken <- Matrix::Matrix(x, sparse = TRUE)
  attr(broken, "x") <- NULL
  expect_refused(log_counts(broken), "type", "valid sparse matrix")
  twice <- Matrix::sparseMatrix(i = c(1, 2), j = c(1, 1), x = c(3, 4), dims = c(2, 2))
  twice@i <- c(1L, 1L) # 3 and 4 in the same place
  twice@p <- c(0L, 2L, 2L)
  expect_equal(as.matrix(log_counts(twice, c(1, 1))), log2(cbind(c(0, 7), 0) + 1))
  counts <- cell_counts()
  counts[, c(3, 8)] <- 0L
  sce <- cells(list(counts = counts))
  expect_refused(rowsparse(sce, k = 3), "zero", "the first sample 3 (\"c3\")")
  expect_refused(log_counts(sce), "zero", "2 samples without any")
  expect_silent(quiet(rowsparse(sce, k = 3, assay = "counts")))
  expect_silent(quiet(rowsparse(sce, k = 3, subset = -c(3, 8))))
  sce$sizeFactor <- c(1, -1, rep(1, 43))
  expect_refused(rowsparse(sce, k = 3), "range", "1 that are not, the first, -1, for sample 2")
  expect_refused(log_counts(cells(), assay = "logcounts"), "choice", "`assay` must be one of")
})

test_that("the same features are selected from every kind of assay", {
  counts <- cell_counts()
  x <- logged(counts)
  sparse <- Matrix::Matrix(t(x), sparse = TRUE)
  assays <- list(t(x), sparse)
  if (requireNamespace("DelayedArray", quietly = TRUE)) {
    assays <- c(assays, lapply(assays, DelayedArray::DelayedArray))
    delayed <- DelayedArray::DelayedArray(Matrix::t(sparse))
    data <- rowsparse:::as_data(delayed)
    expect_identical(data$kind, "sparse")
    expect_identical(css(delayed, 5)$selected, css(x, 5)$selected)
    expect_identical(rowsparse:::as_data(assays[[3]])$kind, "dense")
    expect_identical(rowsparse:::as_data(cells(list(logcounts = assays[[4]])))$kind, "sparse")
  }
  if (requireNamespace("HDF5Array", quietly = TRUE)) {
    assays$file <- from_package("HDF5Array", "writeHDF5Array")(t(x), with.dimnames = TRUE)
  }
  for (method in c("css", "variance")) {
    chosen <- selected(rowsparse(x, k = 6, method = method))
    for (values in assays) {
      sce <- cells(list(logcounts = values))
      expect_identical(selected(rowsparse(sce, k = 6, method = method)), chosen)
    }
  }
  fit <- cdlsr(x, cell_table()$type, 4)
  for (values in assays) {
    sce <- cells(list(logcounts = values))
    expect_equal(predict(fit, sce, type = "response"), predict(fit, x, type = "response"))
  }
  # raw counts as well
  counts <- list(counts, Matrix::Matrix(counts, sparse = TRUE))
  if (length(assays) > 2L) counts[[3]] <- DelayedArray::DelayedArray(counts[[2]])
  for (values in counts) {
    expect_equal(quiet(rowsparse(cells(list(counts = values)), k = 6))$scores,
      rowsparse(x, k = 6, method = "fspca", solver = "go")$scores
    )
  }
})

test_that("experiments without data are refused, others beside them ignored", {
  sce <- cells_logged()
  expect_refused(rowsparse(sce[0, ], k = 1), "size", "at least one feature")
  expect_refused(rowsparse(sce[, 0], k = 1), "size", "at least 2 samples")
  expect_refused(rowsparse(sce[, 1], k = 1), "size", "at least 2 samples (rows); got 1")
  expect_refused(quiet(rowsparse(cells()[0, ], k = 1)), "size", "at least one feature")
  expect_refused(rowsparse(sce, k = 1, assay = "tpm"), "choice", "(\"counts\", \"logcounts\")")
  expect_refused(tune_rowsparse(sce, assay = "tpm"), "choice", "(\"counts\", \"logcounts\")")
  expect_refused(evaluate_features(1:3, sce, "type", assay = 3), "choice", "number from 1 to 2")
  other <- sce
  SingleCellExperiment::altExp(other, "spikes") <- sce[1:9, ]
  expect_identical(rowsparse(other, k = 4)$scores, rowsparse(sce, k = 4)$scores)
  plain <- SummarizedExperiment::SummarizedExperiment(
    SummarizedExperiment::assays(sce), colData = SummarizedExperiment::colData(sce)
  )
  expect_identical(rowsparse(plain, "type", 4)$scores, rowsparse(sce, "type", 4)$scores)
  marked <- rowsparse(plain, k = 4, return = "object")
  expect_s4_class(marked, "SummarizedExperiment")
})

test_that("Seurat objects are converted in three lines", {
  skip_without("SeuratObject")
  counts <- Matrix::Matrix(cell_counts(), sparse = TRUE)
  object <- suppressWarnings(SeuratObject::CreateSeuratObject(counts))
  by_layer <- utils::packageVersion("SeuratObject") >= "5.0.0"
  object <- if (by_layer) {
    SeuratObject::SetAssayData(object, layer = "data", new.data = Matrix::t(log_counts(Matrix::t(
      counts
    ))))
  } else {
    SeuratObject::SetAssayData(object, "data", Matrix::t(log_counts(Matrix::t(counts))))
  }
  x <- Matrix::t(SeuratObject::GetAssayData(object))
  fit <- rowsparse(x, k = 6)
  SeuratObject::VariableFeatures(object) <- selected(fit)
  expect_identical(selected(fit), selected(rowsparse(logged(cell_counts()), k = 6)))
  expect_identical(SeuratObject::VariableFeatures(object), selected(fit))
  same <- if (by_layer) {
    SeuratObject::LayerData(object, "data")
  } else {
    SeuratObject::GetAssayData(object, slot = "data")
  }
  expect_identical(Matrix::t(same), x)
})

test_that("the identifiers of an experiment stand in its table, and only there", {
  skip_without("SummarizedExperiment")
  set.seed(3)
  values <- matrix(stats::rnorm(6 * 20), 6, dimnames = list(c("a", "b", "b", "c", "d", "b"), NULL))
  symbols <- data.frame(ID = paste0("ENSG", 1:6), rank = letters[1:6], length = 1:6)
  x <- SummarizedExperiment::SummarizedExperiment(list(logcounts = values), rowData = symbols)
  for (fit in suppressMessages(list(
    rowsparse(x, k = 3, method = "css"), css(x, 3, exclude = 1), variance(x)
  ))) {
    table <- as.data.frame(fit)
    expect_named(table, c(
      "feature", "name", "ID", "rank.1", "index", "rank", "score", "selected",
      if (!is.null(fit[["gains"]])) "gain"
    ))
    expect_identical(table$ID, symbols$ID[table$index])
    expect_identical(table$name, rownames(values)[table$index])
    expect_identical(table$feature, make.unique(rownames(values))[table$index])
  }
  rownames(x) <- letters[1:6]
  expect_null(as.data.frame(css(x, 3))$name)
  SummarizedExperiment::rowData(x) <- NULL
  expect_null(css(x, 3)$identifiers)
})

test_that("what is looked at beside a fit is within its block", {
  skip_if_not_installed("SingleCellExperiment")
  set.seed(31)
  batch <- rep(c("a", "b", "c"), 20)
  v <- matrix(rnorm(1800), 30) + outer(rnorm(30, sd = 3), match(batch, letters))
  dimnames(v) <- list(paste0("g", 1:30), paste0("c", 1:60))
  sce <- SingleCellExperiment::SingleCellExperiment(list(logcounts = v),
    colData = methods::as(data.frame(batch = batch), "DataFrame")
  )
  within <- apply(t(v), 2, function(z) z - stats::ave(z, batch))
  for (fit in list(rowsparse(sce, k = 5, block = "batch"), fspca(sce, 5, 2, block = "batch"))) {
    judged <- function(...) as.data.frame(compare_panels(...))[1, c("explained", "kept")]
    own <- judged(selected(fit), within)
    expect_equal(judged(fit, sce), own, ignore_attr = TRUE)
    expect_equal(fit$explained, own$explained)
    # a matrix does not know the block
    expect_equal(judged(fit, t(v), block = batch), own, ignore_attr = TRUE)
    expect_message(compare_panels(fit, t(v)), class = "rowsparse_message_block")
  }
  bound <- fspca_bound(sce, 5, 2, fit, seconds = 0)
  expect_equal(bound$value, sum(fit$values))
  some <- rowsparse(sce, k = 5, block = "batch", subset = 1:40)
  expect_equal(some$block$column, "batch")
})

test_that("row blocks of an experiment have the default of the experiment", {
  skip_if_not_installed("SummarizedExperiment")
  set.seed(32)
  v <- matrix(rnorm(600), 20, dimnames = list(paste0("g", 1:20), NULL))
  se <- SummarizedExperiment::SummarizedExperiment(list(logcounts = v))
  blocks <- row_blocks(se, rows = 7)
  for (one in list(blocks, blocks[1:3])) expect_s3_class(rowsparse(one, k = 4), "fspca")
  expect_equal(selected(rowsparse(blocks, k = 4)), selected(rowsparse(se, k = 4)))
})
