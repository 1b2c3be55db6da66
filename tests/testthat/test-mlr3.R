# The filter of mlr3. Its packages take long to build: make test-ecosystem installs them.

mlr3 <- function(name, from = "mlr3") {
  skip_if_not_installed("mlr3filters")
  getExportedValue(from, name)
}

core_ends_here()

test_that("the class is there without mlr3, and says what it needs", {
  expect_identical(FilterRowsparse$classname, "FilterRowsparse")
  if (requireNamespace("mlr3filters", quietly = TRUE)) {
    expect_s3_class(FilterRowsparse$new(), "FilterRowsparse")
  } else {
    expect_error(FilterRowsparse$new(), class = "rowsparse_error_package")
  }
})

test_that("loading the package loads nothing of mlr3", {
  code <- "library(rowsparse); cat(intersect(loadedNamespaces(), c('mlr3', 'mlr3filters', 'R6')))"
  out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE)
  expect_identical(out, character())
})

test_that("scores are those of the fit, in an order that is not left to chance", {
  filter <- mlr3("flt", "mlr3filters")("rowsparse", method = "css", k = 2)
  expect_s3_class(filter, "FilterRowsparse")
  filter$calculate(mlr3("tsk")("iris"))
  fit <- rowsparse(iris[, 1:4], k = 2, method = "css")
  # tasks sort their features
  expect_identical(names(filter$scores)[1:2], selected(fit))
  expect_equal(filter$scores[names(fit$scores)], fit$scores)
  copies <- mlr3("as_task_regr")(cbind(mtcars, one = mtcars$disp), target = "mpg")
  orders <- lapply(1:2, function(seed) {
    set.seed(seed)
    names(suppressWarnings(filter$calculate(copies))$scores)
  })
  expect_identical(orders[[1]], orders[[2]])
})

test_that("the target is seen where there is one and the method takes it", {
  flt <- mlr3("flt", "mlr3filters")
  best <- function(task, ...) names(flt("rowsparse", ..., k = 2)$calculate(task)$scores)[1:2]
  regression <- mlr3("as_task_regr")(iris[1:4], target = "Petal.Width")
  x <- as.data.frame(regression$data(cols = regression$feature_names))
  y <- iris$Petal.Width
  expect_identical(best(regression), selected(rowsparse(x, y, k = 2)))
  expect_identical(best(regression, method = "default"), best(regression))
  expect_identical(best(regression, response = FALSE), selected(rowsparse(x, k = 2)))
  expect_identical(best(regression, method = "cdlsr"), selected(cdlsr(x, y, 2)))
  expect_identical(best(regression, method = "css", scale = TRUE),
    selected(rowsparse(x, k = 2, method = "css", scale = TRUE))
  )
  without <- mlr3("TaskUnsupervised")$new("flowers", "unsupervised", iris[1:4])
  expect_identical(best(without), selected(rowsparse(iris[1:4], k = 2)))
  expect_error(best(without, method = "cdlsr"), class = "rowsparse_error_type")
  filter <- flt("rowsparse")$calculate(regression, nfeat = 1)
  expect_identical(names(filter$scores)[1], selected(rowsparse(x, y, k = 1)))
})

test_that("the dictionary has the filter in either order of loading", {
  skip_if_not_installed("mlr3filters")
  for (order in list(c("rowsparse", "mlr3filters"), c("mlr3filters", "rowsparse"))) {
    code <- paste(c(
      sprintf("loadNamespace('%s')", order), "cat(mlr3filters::flt('rowsparse')$id)"
    ), collapse = "; ")
    out <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE)
    expect_match(paste(out, collapse = ""), "rowsparse$")
  }
})

test_that("equal scores are told apart in their last digits", {
  scores <- c(2, 1, 1, 1, 1e-9, 0, 0, 0)
  expect_true(all(diff(told_apart(scores)) < 0))
  expect_equal(told_apart(scores), scores)
  expect_identical(told_apart(c(3, 2, 1)), c(3, 2, 1))
  expect_true(all(diff(told_apart(rep(1e-310, 4))) < 0))
})

test_that("features that are no numbers have a score each", {
  data <- mtcars[c("mpg", "hp", "wt", "qsec")]
  data$shift <- factor(mtcars$am, labels = c("auto", "manual"))
  data$cyl <- factor(mtcars$cyl)
  task <- mlr3("as_task_regr")(data, target = "mpg")
  filter <- mlr3("flt", "mlr3filters")("rowsparse", method = "cdlsr", k = 2)
  filter$calculate(task)
  expect_setequal(names(filter$scores), setdiff(names(data), "mpg"))
  fit <- rowsparse(mpg ~ ., data = data, k = 2, method = "cdlsr")
  expect_setequal(names(filter$scores)[1:2], names(predict(fit, data, type = "features")))
})
