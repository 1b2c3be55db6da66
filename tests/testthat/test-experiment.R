# SummarizedExperiment and SingleCellExperiment objects, counts, DelayedMatrix assays

# a package that is installed and works
skip_without <- function(package) {
  skip_if_not_installed(package)
  suppressPackageStartupMessages(requireNamespace(package, quietly = TRUE))
}

# counts of three kinds of cells, genes in rows
cell_counts <- function(d = 60, n = 45, seed = 1) {
  type <- rep(c("T", "B", "NK"), length.out = n)
  mean <- from_seed(seed, matrix(stats::rgamma(d, 3), d, n))
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
  expect_equal(rowsparse(sce, "type", 6)[same], rowsparse(x, type, 6, "alignment")[same])
  expect_equal(cdlsr(sce, "age", 4)[same], cdlsr(x, cell_table()$age, 4)[same])
  expect_equal(alignment(sce, "type", 4)[same], alignment(x, type, 4)[same])
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
  expect_length(predict(marked@metadata$rowsparse, marked), 45)
  # again: the columns are replaced, which is said
  expect_message(again <- rowsparse(marked, k = 3, return = "object"),
    "replaces the columns rowsparse_\\* of rowData\\(x\\) and metadata\\(x\\)\\$rowsparse",
    class = "rowsparse_message_replaced"
  )
  expect_identical(sum(SummarizedExperiment::rowData(again)$rowsparse_selected), 3L)
  # all samples come back where some were used
  part <- rowsparse(sce, k = 6, subset = 1:20, return = "object")
  expect_identical(dim(part), dim(sce))
  expect_identical(part@metadata$rowsparse$n, 20L)
  expect_refused(rowsparse(t(cell_counts()), k = 3, return = "object"), "type",
    "`return` = \"object\" needs a SummarizedExperiment"
  )
})

test_that("subset chooses samples, whatever names them", {
  sce <- cells_logged()
  good <- cell_table()$good
  reference <- rowsparse(sce[, good], "type", 6)
  for (subset in list(good, which(good), -which(!good), colnames(sce)[good], "good")) {
    fit <- rowsparse(sce, "type", 6, subset = subset)
    expect_identical(fit$scores, reference$scores)
    expect_identical(fit$n, 30L)
  }
  # a response given as such is that of all samples; its empty classes go
  type <- factor(cell_table()$type)
  expect_identical(rowsparse(sce, type, 6, subset = good)$scores, reference$scores)
  expect_refused(rowsparse(sce, type[good], 6, subset = good), "length", "per sample (45)")
  wrong <- list(rep(FALSE, 45), integer(), -(1:44), good[1:10], c(NA, good[-1]), c(1, 46), c(1, -2),
    c(1, 2, 1), c("c1", "c99"), "type", mean
  )
  for (subset in wrong) {
    expect_refused(rowsparse(sce, k = 3, subset = subset), "range", "`subset` must keep")
  }
  expect_refused(rowsparse(t(cell_counts()), k = 3, subset = 1:4), "type",
    "`subset` is for a SummarizedExperiment"
  )
})

test_that("columns of colData are found, as blocks in fits and predictions, or refused", {
  sce <- cells_logged()
  x <- logged(cell_counts())
  table <- cell_table()
  same <- c("ranking", "scores", "selected", "explained")
  expect_equal(css(sce, 4, block = "batch")[same], css(x, 4, block = table$batch)[same])
  expect_equal(moments(sce, block = "batch")$S, moments(x, block = table$batch)$S)
  fit <- cdlsr(sce, "type", 4, block = "batch")
  expect_equal(predict(fit, sce, type = "response", block = "batch"),
    predict(fit, x, type = "response", block = table$batch)
  )
  # levels of samples that are left out go
  kept <- table$batch != "two"
  expect_equal(rowsparse(sce, k = 4, block = "batch", subset = kept)[same],
    rowsparse(x[kept, ], k = 4, method = "fspca", solver = "go", block = table$batch[kept])[same]
  )
  expect_refused(rowsparse(sce, "typ", 3), "choice", "(type, age, batch, one, good)")
  expect_refused(rowsparse(sce, "css"), "choice", "Did you mean `method = \"css\"`?")
  told <- "is NULL: fitted without a response. colData\\(x\\) has \"type\", .* mean \"type\""
  expect_message(rowsparse(sce, sce$tipe, k = 3), told, class = "rowsparse_message_response")
  expect_message(cv_rowsparse(sce, sce[["tipe"]], k = 3, method = "variance", folds = 2), told)
  expect_no_message(rowsparse(sce, NULL, k = 3), class = "rowsparse_message_response")
  expect_refused(css(sce, 3, block = "one"), "block", "got one level, \"same\"")
  expect_refused(css(sce, 3, block = "plate"), "choice", "must name a column of colData(x)")
  # run lengths and factors
  sce$runs <- getExportedValue("S4Vectors", "Rle")(factor(cell_table()$batch))
  expect_identical(rowsparse(sce, "runs", 3)$scores, rowsparse(sce, "batch", 3)$scores)
  sce$type[3] <- NA
  expect_refused(rowsparse(sce, "type", 3), "nonfinite", "`y` must not hold NA")
  expect_refused(rowsparse(sce, "type", 3, subset = 1:20), "nonfinite", "in column \"type\"")
})

test_that("a fit is applied to other cells whose genes are in another order", {
  sce <- cells_logged()
  other <- cells_logged(seed = 2)[60:1, 1:20]
  x <- t(SummarizedExperiment::assay(other, "logcounts"))
  for (fit in list(rowsparse(sce, k = 6), rowsparse(sce, "type", k = 6, method = "cdlsr"))) {
    part <- predict(fit, other, type = "features")
    expect_identical(dim(part), c(6L, 20L))
    expect_equal(SummarizedExperiment::assay(part, "logcounts"), t(x[, selected(fit)]))
  }
  expect_equal(predict(fit, other, type = "response"), predict(fit, x, type = "response"))
  lost <- other[!rownames(other) %in% selected(fit)[2:3], ]
  expect_refused(predict(fit, lost, type = "features"), "names",
    sprintf("2 missing: \"%s\"", selected(fit)[2])
  )
})

test_that("repeated gene names are made distinct, in experiments only", {
  counts <- cell_counts()
  rownames(counts)[c(2, 7, 20)] <- "GAPDH"
  sce <- cells(list(logcounts = t(logged(counts))))
  expect_message(fit <- variance(sce), "2 repeated feature names: .*\"GAPDH\", \"GAPDH.1\"",
    class = "rowsparse_message_names"
  )
  expect_identical(fit$feature_names, make.unique(rownames(counts)))
  plain <- logged(counts)
  expect_refused(css(plain, 3), "names", "must have distinct feature names")
  # the same rule on new data, told where it decides
  expect_message(part <- predict(fit, sce, 12), "`newdata` has 2 repeated feature names",
    class = "rowsparse_message_names"
  )
  expect_equal(SummarizedExperiment::assay(part), t(plain)[fit$ranking[1:12], ])
  marked <- quiet(rowsparse(sce, k = 4, return = "object"))
  expect_identical(rownames(marked), rownames(counts))
})

# ---- counts ----------------------------------------------------------------------------

test_that("an assay called counts is normalised where there is nothing else, never silently", {
  skip_without("DelayedArray")
  counts <- cell_counts()
  x <- logged(counts)
  sparse <- Matrix::Matrix(counts, sparse = TRUE)
  kinds <- list(counts, sparse, DelayedArray::DelayedArray(sparse), counts + 0.25)
  for (values in kinds) {
    sce <- cells(list(counts = values))
    expect_message(fit <- css(sce, 6), "assay \"counts\" of `x` holds counts: log-normalised",
      class = "rowsparse_message_counts"
    )
    by <- if (identical(values, kinds[[4]])) logged(values) else x
    expect_equal(fit$scores, css(by, 6)$scores)
    blocks <- quiet(row_blocks(sce, rows = 20))
    expect_equal(as.matrix(blocks), by, ignore_attr = TRUE)
    # asked for by name
    expect_message(raw <- css(sce, 6, assay = "counts"), "taken as they are",
      class = "rowsparse_message_counts"
    )
    expect_equal(raw$scores, css(t(as.matrix(values)), 6)$scores)
  }
  named <- quiet(row_blocks(sce, rows = 20, assay = "counts", counts = TRUE))
  expect_equal(as.matrix(named), by, ignore_attr = TRUE)
  # other names are nobody's counts
  for (name in c("tpm", "normcounts", "logcounts")) {
    sce <- cells(stats::setNames(list(counts), name))
    expect_silent(fit <- css(sce, 4))
    expect_equal(fit$scores, css(t(counts), 4)$scores)
  }
})

test_that("size factors are taken, in new data as well, and counts logged as by scuttle", {
  counts <- cell_counts()
  sce <- cells()
  fit <- quiet(cdlsr(sce, "type", 4))
  # library sizes of new data are of all genes, not the selected ones
  expect_equal(quiet(predict(fit, sce, type = "response")),
    predict(fit, logged(counts), type = "response")
  )
  sce$sizeFactor <- factors <- stats::runif(45, 0.5, 2)
  expect_message(fit <- cdlsr(sce, "type", 4), "size factors in colData",
    class = "rowsparse_message_counts"
  )
  by_factors <- cdlsr(logged(counts, factors), cell_table()$type, 4)
  expect_equal(fit$scores, by_factors$scores)
  expect_equal(quiet(predict(fit, sce, type = "response")),
    predict(by_factors, logged(counts, factors), type = "response")
  )
  # a fit asks for its assay again
  both <- cells_logged()
  fit <- quiet(cdlsr(both, "type", 4, assay = "counts"))
  expect_equal(quiet(predict(fit, both, type = "response")),
    predict(fit, t(counts), type = "response")
  )
  skip_without("scuttle")
  sce <- cells()
  usual <- getExportedValue("scuttle", "logNormCounts")(sce)
  expect_equal(quiet(as.matrix(row_blocks(sce))),
    t(SummarizedExperiment::assay(usual, "logcounts")), tolerance = 1e-10, ignore_attr = TRUE
  )
})

test_that("counts that are too large for memory are normalised in blocks, as in memory", {
  skip_without("DelayedArray")
  counts <- cell_counts(n = 450)
  stored <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "dgCMatrix")
  factors <- stats::runif(450, 0.5, 2)
  with_factors <- function(values) {
    x <- cells(list(counts = values))
    x$sizeFactor <- factors
    x
  }
  plain <- with_factors(counts)
  whole <- quiet(css(plain, 5))
  seen <- quiet(predict(whole, plain, type = "components"))
  hold_options(rowsparse.memory = 12 * sum(counts > 0) * 4 - 1)
  for (large in list(DelayedArray::DelayedArray(stored), stored)) {
    large <- with_factors(large)
    told <- testthat::capture_messages(fit <- css(large, 5))
    expect_match(told, "(450 x 60) takes over", fixed = TRUE, all = FALSE)
    expect_identical(fit$selected, whole$selected)
    expect_equal(utils::tail(fit$objective, 1), utils::tail(whole$objective, 1))
    expect_equal(quiet(predict(whole, large, type = "components")), seen, ignore_attr = TRUE)
  }
  # what is named is taken as it is, and in memory
  expect_silent(quiet(css(large, 5, assay = "counts")))
})

test_that("counts that cannot be normalised are refused, and never taken otherwise", {
  counts <- cell_counts()
  negative <- counts
  negative[3, 4] <- -1L
  for (values in list(negative, Matrix::Matrix(negative, sparse = TRUE))) {
    sce <- cells(list(counts = values))
    told <- "`x` must hold counts, none of them negative; got 1 below zero, the least -1"
    expect_refused(quiet(rowsparse(sce, k = 3)), "range", told)
    expect_refused(quiet(row_blocks(sce)), "range", told)
    expect_silent(quiet(rowsparse(sce, k = 3, assay = "counts")))
  }
  counts[, c(3, 8)] <- 0L
  sce <- cells(list(counts = counts))
  expect_refused(quiet(rowsparse(sce, k = 3)), "zero", "2 samples without any, the first sample 3")
  expect_silent(quiet(rowsparse(sce, k = 3, subset = -c(3, 8))))
  sce$sizeFactor <- c(1, -1, rep(1, 43))
  expect_refused(quiet(rowsparse(sce, k = 3)), "range", "1 that are not, the first, -1")
  # what is missing is told by its place
  expect_refused(quiet(css(cells(list(counts = replace(negative, 7, NA))), 3)), "nonfinite",
    "1 of them, the first at row 1, column 7"
  )
})

# ---- kinds ------------------------------------------------------------------------------

test_that("experiments without data are refused, other objects with the line that converts them", {
  sce <- cells_logged()
  expect_refused(rowsparse(sce[0, ], k = 1), "size", "at least one feature")
  expect_refused(rowsparse(sce[, 1], k = 1), "size", "at least 2 samples (rows); got 1")
  expect_refused(quiet(rowsparse(cells()[0, ], k = 1)), "size", "at least one feature")
  for (assay in list("tpm", NA, 3, 1.5, mean, c("counts", "logcounts"))) {
    expect_refused(rowsparse(sce, k = 1, assay = assay), "choice",
      "(\"counts\", \"logcounts\") or a number from 1 to 2"
    )
  }
  experiment <- function(...) SummarizedExperiment::SummarizedExperiment(list(...))
  expect_refused(css(experiment(), 1), "size", "must have an assay")
  expect_refused(css(experiment(matrix("a", 3, 4)), 1), "type", "a character matrix")
  expect_refused(css(experiment(array(1:60, 3:5)), 1), "type", "`assay` must name a matrix")
  other <- sce
  SingleCellExperiment::altExp(other, "spikes") <- sce[1:9, ]
  expect_identical(rowsparse(other, k = 4)$scores, rowsparse(sce, k = 4)$scores)
  m <- cell_counts(20, 10)
  made <- function(package, name, ...) {
    if (requireNamespace(package, quietly = TRUE)) getExportedValue(package, name)(...)
  }
  objects <- list(
    structure(list(E = m), class = "EList"), structure(list(M = m), class = "MAList"),
    made("Biobase", "ExpressionSet", m), made("edgeR", "DGEList", m),
    made("S4Vectors", "DataFrame", t(m)),
    made("MultiAssayExperiment", "MultiAssayExperiment", list(rna = cells_logged(20)))
  )
  for (x in Filter(Negate(is.null), objects)) {
    told <- conditionMessage(expect_error(rowsparse(x, gl(2, 5), k = 2), "`x` must be a numeric"))
    line <- regmatches(told, regexpr("[^`]*(?=` makes data of it)", told, perl = TRUE))
    expect_length(suppressWarnings(css(eval(str2lang(line)), 2))$scores, 20)
  }
  seurat <- structure(list(), class = "Seurat")
  expect_refused(css(seurat, 1), "type", "`Seurat::as.SingleCellExperiment(x)` makes")
})

test_that("the identifiers of an experiment stand in the table of a fit", {
  skip_without("SummarizedExperiment")
  set.seed(3)
  values <- matrix(stats::rnorm(6 * 20), 6, dimnames = list(c("a", "b", "b", "c", "d", "b"), NULL))
  symbols <- data.frame(ID = paste0("ENSG", 1:6), rank = letters[1:6], length = 1:6)
  x <- SummarizedExperiment::SummarizedExperiment(list(logcounts = values), rowData = symbols)
  for (fit in quiet(list(rowsparse(x, k = 3, method = "css"), css(x, 3, exclude = 1)))) {
    table <- as.data.frame(fit)
    expect_identical(table$ID, symbols$ID[table$index])
    expect_identical(table$name, rownames(values)[table$index])
    expect_identical(table$feature, make.unique(rownames(values))[table$index])
  }
  SummarizedExperiment::rowData(x) <- NULL
  rownames(x) <- letters[1:6]
  expect_null(css(x, 3)$identifiers)
})

test_that("what is beside a fit is within its block, and row blocks have the same default", {
  sce <- cells_logged()
  batch <- cell_table()$batch
  v <- SummarizedExperiment::assay(sce, "logcounts")
  within <- apply(t(v), 2, function(z) z - stats::ave(z, batch))
  for (fit in list(rowsparse(sce, k = 5, block = "batch"), fspca(sce, 5, 2, block = "batch"))) {
    judged <- function(...) as.data.frame(compare_panels(...))[1, c("explained", "kept")]
    own <- judged(selected(fit), within)
    expect_equal(judged(fit, sce), own, ignore_attr = TRUE)
    # a matrix does not know the block
    expect_equal(judged(fit, t(v), block = batch), own, ignore_attr = TRUE)
    expect_message(compare_panels(fit, t(v)), class = "rowsparse_message_block")
    alone <- sce[, batch == batch[1]] # one level has the same mean
    expect_equal(judged(fit, alone), judged(selected(fit), alone), ignore_attr = TRUE)
  }
  some <- rowsparse(sce, k = 5, block = "batch", subset = 1:40)
  expect_equal(some$block$column, "batch")
  blocks <- row_blocks(sce, rows = 7)
  for (one in list(blocks, blocks[1:3])) expect_s3_class(rowsparse(one, k = 4), "fspca")
  expect_equal(selected(rowsparse(blocks, k = 4)), selected(rowsparse(sce, k = 4)))
})
