if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(rowsparse)
  test_check("rowsparse")
}
