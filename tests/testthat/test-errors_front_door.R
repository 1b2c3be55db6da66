core_ends_here()

test_that("the front door refuses what it cannot serve", {
  x <- sample_matrix(20, 6)
  expect_error(rowsparse(x, k = 0), class = "rowsparse_error_range")
  expect_error(rowsparse(x, k = 7), class = "rowsparse_error_range")
  expect_error(rowsparse(x, k = 2.5), class = "rowsparse_error_range")
  expect_error(rowsparse(x, k = 2, method = "nothing"), class = "rowsparse_error_choice")
  expect_error(rowsparse(x, k = 2, start = 1), class = "rowsparse_error_argument")
  expect_error(rowsparse(x, k = 2, method = "bsufs", lambda1 = -1), class = "rowsparse_error_range")
  expect_error(rowsparse(x, k = 2, diverse = NA), class = "rowsparse_error_type")
  expect_error(rowsparse(x, k = 2, diverse = 0), class = "rowsparse_error_range")
  expect_error(rowsparse(x, k = 2, method = "cdlsr"), "`y` must be given",
               class = "rowsparse_error_type")
  expect_error(rowsparse(x, 1:5, k = 2, method = "cdlsr"), class = "rowsparse_error_length")
})

test_that("an argument of another method is named", {
  x <- sample_matrix(20, 6)
  condition <- tryCatch(rowsparse(x, k = 2, method = "kmeans_ufs", m = 2), error = identity)
  expect_s3_class(condition, "rowsparse_error_argument")
  expect_identical(condition$argument, "m")
  expect_match(conditionMessage(condition), "clusters")
})

test_that("a table on its side is noticed", {
  x <- sample_matrix(20, 6)
  expect_error(rowsparse(x, 1:6, k = 2, method = "cdlsr"), "pass t\\(x\\)",
               class = "rowsparse_error_orientation")
  expect_error(rowsparse_path(x, 1:6, method = "cdlsr"), class = "rowsparse_error_orientation")
  expect_error(tune_rowsparse(x, 1:6, method = "cdlsr"), class = "rowsparse_error_orientation")
  y <- stats::rnorm(6)
  expect_length(rowsparse(x[1:6, ], y, k = 2, method = "cdlsr")$selected, 2)

  genes <- list(
    sprintf("ENSG%011d", 1:6), paste0(1:6, "_at"), sprintf("ILMN_%d", 1:6),
    c("ACTB", "GAPDH", "TP53", "x", "y", "z"), paste0("rs", 1001:1006)
  )
  for (names in genes) {
    table <- t(x)
    rownames(table) <- names
    expect_error(rowsparse(table, k = 2), "samples in rows",
                 class = "rowsparse_error_orientation")
    colnames(x) <- names
    expect_length(rowsparse(x, k = 2)$selected, 2)
  }
  for (names in list(paste0("S", 1:20), sprintf("GSM%d", 1:20), paste0("cell", 1:20))) {
    rownames(x) <- names
    expect_length(rowsparse(x, k = 2)$selected, 2)
  }
})

test_that("a path refuses contradictory grids", {
  x <- sample_matrix(20, 6)
  expect_error(rowsparse_path(x, method = "bsufs", k = 2, lambda = 1),
               class = "rowsparse_error_argument")
  expect_error(rowsparse_path(x, method = "css", lambda = 1), class = "rowsparse_error_argument")
  expect_error(rowsparse_path(x, method = "bsufs", lambda = -1), class = "rowsparse_error_range")
  expect_error(rowsparse_path(x, method = "bsufs", nlambda = 1), class = "rowsparse_error_range")
  expect_error(rowsparse_path(x, method = "bsufs", lambda_ratio = 0),
               class = "rowsparse_error_range")
  expect_error(rowsparse_path(x, method = "bsufs", lambda1 = 1), class = "rowsparse_error_argument")
  expect_error(rowsparse_path(x, method = "css", k = 7), class = "rowsparse_error_range")
  expect_error(rowsparse_path(x, method = "dscofs", m = 3, k = 2), class = "rowsparse_error_range")
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 5)
  expect_error(selected(path), class = "rowsparse_error_range")
  expect_error(selected(path, 7), class = "rowsparse_error_range")
  expect_error(coef(path, at = "a"), class = "rowsparse_error_range")
  path <- rowsparse_path(x, method = "css", k = 2, m = Inf)
  expect_error(coef(path, at = 2), class = "rowsparse_error_choice")
})

test_that("tuning refuses what it cannot judge", {
  x <- sample_matrix(20, 6)
  expect_error(tune_rowsparse(x, criterion = "accuracy"), class = "rowsparse_error_type")
  expect_error(tune_rowsparse(x, criterion = "error"), class = "rowsparse_error_type")
  expect_error(tune_rowsparse(x, rep(1:2, 10), method = "css", criterion = "error"),
    class = "rowsparse_error_choice"
  )
  expect_error(tune_rowsparse(x, criterion = "elbow"), class = "rowsparse_error_choice")
  expect_error(tune_rowsparse(x, grid = 1:3), class = "rowsparse_error_type")
  expect_error(tune_rowsparse(x, k = 7), class = "rowsparse_error_range")
  expect_error(tune_rowsparse(x, grid = list(lambda1 = 1)), class = "rowsparse_error_argument")
  expect_error(tune_rowsparse(x, subsamples = 1), class = "rowsparse_error_range")
  expect_error(tune_rowsparse(x, fraction = 0), class = "rowsparse_error_range")
  expect_error(tune_rowsparse(moments(x)), class = "rowsparse_error_type")
  x[1, 1] <- NA
  expect_error(tune_rowsparse(x), class = "rowsparse_error_nonfinite")
})

test_that("further arguments must be named", {
  x <- sample_matrix(20, 6)
  expect_error(rowsparse(x, NULL, 2, "bsufs", 2, 0.5), "named arguments of bsufs",
               class = "rowsparse_error_argument")
})

test_that("a ridge lifts the limit on the number of features", {
  set.seed(64)
  x <- sample_matrix(8, 20)
  y <- stats::rnorm(8)
  expect_warning(rowsparse(x, y, k = 12, method = "cdlsr"), class = "rowsparse_warning_fill")
  fit <- rowsparse(x, y, k = 12, method = "cdlsr", ridge = 1)
  expect_length(fit$selected, 12)
  expect_equal(fit$selected, cdlsr(x, y, 12, ridge = 1)$selected)
})

test_that("names and calls as arguments of a method are not evaluated", {
  x <- sample_matrix(12, 6)
  for (value in list(quote(nosuch), quote(nosuch + 1))) {
    expect_refused(rowsparse(x, k = 2, method = "bsufs", m = value), "range", "`m`")
    expect_refused(rowsparse_path(x, k = 1:2, method = "bsufs", m = value), "range", "`m`")
    expect_refused(rowsparse_path(x, k = 1:2, method = "dscofs", m = value), "range", "`m`")
    expect_refused(cv_rowsparse(x, x[, 1], method = "cdlsr", ridge = value), "range", "`ridge`")
  }
})
