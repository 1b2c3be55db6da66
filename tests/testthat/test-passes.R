# How often data in row blocks are read, and that nothing else comes of it.

uneven <- function(n) {
  rows <- as.integer(pmax(1, round(n * c(0.05, 0.25, 0.1, 0.02, 0.28, 0.2))))
  c(rows, as.integer(n - sum(rows)))
}

# groups that differ in some features, of different sizes
grouped_cells <- function(n, d, seed) {
  type <- from_seed(seed, sample.int(5, n, TRUE))
  x <- matrix(stats::rnorm(n * d), n) %*% diag(exp(stats::rnorm(d) / 3))
  x[, seq_len(d %/% 5)] <- x[, seq_len(d %/% 5)] + 2 *
    matrix(stats::rnorm(5 * (d %/% 5)), 5)[type, ]
  colnames(x) <- paste0("g", seq_len(d))
  list(x = x, type = factor(type))
}

# a response that the method takes, or none
response_for <- function(method, type) {
  if (rowsparse:::needs_response(rowsparse:::method_table()[[method]])) type
}

few <- c(alignment = 8, css = 3, kmeans_ufs = 5, fspca = 3, bsufs = 3, dscofs = 3, spcafs = 3,
  fen_pcafs = 3, covth = 3, spca_psd = 3, cdlsr = 5, lapscore = 7, spec = 7, variance = 2
)

core_ends_here()

# those that take row blocks
reading_methods <- function() {
  Filter(function(entry) "blocks" %in% entry$input, rowsparse:::method_table())
}

test_that("what needs all samples at once holds them, or says how much that would be", {
  cells <- grouped_cells(90, 20, 7)
  counted <- counted_blocks(cells$x, uneven(90))
  table <- reading_methods()
  often <- names(table)[is.infinite(vapply(table, `[[`, 0, "passes"))]
  hold_options(rowsparse.memory = 8 * 90 * 20 * 3)
  for (method in often) {
    fit <- function() {
      suppressWarnings(rowsparse(counted$blocks, response_for(method, cells$type), k = 5, method))
    }
    expect_refused(fit(), "memory", "all samples at once")
  }
})

test_that("without all cross-products, those of the features to come are read together", {
  hold_options(rowsparse.memory = 8 * 800^2 * 4 - 8)
  cells <- grouped_cells(420, 800, 17)
  for (given in list(NULL, c("g30", "g800", "g7"))) {
    counted <- counted_blocks(cells$x, uneven(420))
    fit <- alignment(counted$blocks, k = 60, include = given)
    whole <- alignment(cells$x, k = 60, include = given)
    one_by_one <- alignment(methods::as(cells$x, "CsparseMatrix"), k = 60, include = given)
    expect_identical(fit$selected, whole$selected)
    expect_identical(one_by_one$selected, whole$selected)
    expect_equal(fit$objective, whole$objective, tolerance = 1e-8)
    expect_equal(one_by_one$objective, whole$objective, tolerance = 1e-8)
    expect_lte(counted$passes(), few[["alignment"]] + 4)
  }
})

test_that("every method reads as often as it says", {
  table <- reading_methods()
  passes <- vapply(table, `[[`, 0, "passes")
  # a few, or once for all and before that for the statistics and for the front door
  cells <- grouped_cells(60, 40, 9)
  for (method in names(table)) {
    counted <- counted_blocks(cells$x, uneven(60))
    select <- function(x) {
      set.seed(1)
      y <- response_for(method, cells$type)
      suppressWarnings(rowsparse(x, y, k = 5, method = method))
    }
    fit <- select(counted$blocks)
    most <- if (is.finite(passes[[method]])) max(passes[[method]], 5) else 3
    if (method %in% names(few)) most <- few[[method]]
    expect_lte(counted$passes(), most + 0.5, label = paste(method, counted$passes()))
    expect_identical(fit$selected, select(cells$x)$selected, info = method)
  }
})

test_that("wide data in blocks are read once, and go by the smaller side", {
  cells <- grouped_cells(40, 200, 10)
  sparse <- methods::as(cells$x * (cells$x > 1), "CsparseMatrix")
  for (x in list(cells$x, sparse)) {
    data <- suppressWarnings(rowsparse:::as_data(counted_blocks(x, uneven(40))$blocks))
    expect_identical(data$kind, if (is.matrix(x)) "dense" else "sparse")
    # products of samples, not of features: 40 x 40 numbers
    held <- rowsparse:::as_operator(data, 5)
    expect_identical(held$kind, data$kind)
  }
  # what no quarter of the memory holds stays where it is
  hold_options(rowsparse.memory = 4 * 8 * 40 * 200 - 1)
  expect_identical(rowsparse:::as_data(counted_blocks(cells$x, uneven(40))$blocks)$kind, "blocks")
})
