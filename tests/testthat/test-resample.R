resampling_data <- function() {
  set.seed(151)
  x <- sample_matrix(42, 9)
  y <- drop(x[, 1:3] %*% 3:1) + stats::rnorm(42)
  list(x = x, y = y, several = cbind(y, x[, 4]), class = cut(y, 3), folds = rep(1:3, 14))
}

core_ends_here()

test_that("a tuning and a cross-validation see the same errors in the same folds", {
  data <- resampling_data()
  for (y in data[c("y", "several", "class")]) {
    cv <- cv_rowsparse(data$x, y, k = 1:4, method = "cdlsr", foldid = data$folds)
    tuned <- tune_rowsparse(data$x, y, method = "cdlsr", k = 1:4, criterion = "error",
      foldid = data$folds, subsamples = 2
    )
    # squared errors of a tuning are over those of the mean of the training samples
    reference <- vapply(1:3, function(fold) {
      out <- data$folds == fold
      if (is.factor(y)) {
        return(1)
      }
      centre <- colMeans(as.matrix(y)[!out, , drop = FALSE])
      mean(rowSums(sweep(as.matrix(y)[out, , drop = FALSE], 2, centre)^2))
    }, 0)
    expect_equal(tuned$table$error, colMeans(cv$fold_error / reference))
  }
})

test_that("folds may be named, and are checked", {
  data <- resampling_data()
  run <- function(folds, y = data$y) {
    set.seed(152)
    tune_rowsparse(data$x, y, method = "cdlsr", k = 1:2, criterion = "error", foldid = folds,
      subsamples = 2
    )$table
  }
  expect_identical(run(letters[data$folds]), run(data$folds))
  expect_refused(run(1:5), "length", "`foldid`")
  expect_refused(run(rep(1, 42)), "range", "`foldid`")
  expect_refused(run(as.integer(data$class), data$class), "class", "without fold 1")
})

test_that("a tuning repeats its folds", {
  data <- resampling_data()
  run <- function(...) {
    tune_rowsparse(data$x, data$y, method = "ftest", k = 1:2, criterion = "error",
      subsamples = 2, ...
    )$table$error
  }
  both <- cbind(data$folds, rep(1:3, each = 14))
  expect_equal(run(foldid = both), (run(foldid = both[, 1]) + run(foldid = both[, 2])) / 2)
  expect_length(run(folds = 3, repeats = 2), 2)
  expect_refused(run(foldid = 1:3), "length", "`foldid`")
})

test_that("every supervised method has cross-validated errors by size", {
  data <- resampling_data()
  for (y in data[c("several", "class")]) {
    for (method in supervised_methods()) {
      entry <- rowsparse:::method_entry(method)
      if (!(if (is.factor(y)) "class" else "numeric") %in% entry$responses) next
      unit <- rowsparse:::response_unit(y)
      grid <- list(settings = list(list()), sizes = c(1, 3), path = FALSE)
      errors <- suppressWarnings(rowsparse:::cross_validated(entry, data$x, y, grid,
        as.matrix(data$folds), unit
      ))$error$error
      expect_identical(dim(errors), c(3L, 2L))
      expect_true(all(errors >= 0))
      spread <- if (is.factor(y)) 0.9 else 1.5 * sum(apply(y, 2, stats::var)) / unit^2
      expect_lt(mean(errors), spread)
    }
  }
})

test_that("what draws nothing leaves the generator alone", {
  data <- resampling_data()
  set.seed(154)
  expected <- stats::runif(1)
  set.seed(154)
  cv_rowsparse(data$x, data$class, k = 1:3, method = "cdlsr", foldid = data$folds)
  rowsparse_path(data$x, data$class, method = "cdlsr", k = 1:3)
  expect_identical(stats::runif(1), expected)
})

test_that("an error in a training set says so", {
  data <- resampling_data()
  # with one fold left out, the response is constant
  y <- ifelse(data$folds == 2, data$y, 1)
  expect_refused(cv_rowsparse(data$x, y, k = 1:2, method = "cdlsr", foldid = data$folds),
    "constant",
    "This is a training set of 28 of the 42 samples: try other `folds`."
  )
})

test_that("row blocks cannot be resampled", {
  x <- as.matrix(iris[, 1:4])
  blocks <- row_blocks(function(i) x[50 * (i - 1) + 1:50, ], rows = c(50, 50, 50))
  expect_refused(tune_rowsparse(blocks), "type", "not row blocks")
  expect_refused(
    cv_rowsparse(blocks, iris$Species, k = 1:2, method = "cdlsr"), "type", "not row blocks"
  )
})
