core_ends_here()

test_that("on noise the error is chance inside the folds, and far below it outside", {
  set.seed(71)
  x <- matrix(stats::rnorm(40 * 1000), 40)
  class <- factor(rep(c("a", "b"), 20))
  found <- selection_error(x, class, 8, "ftest", folds = 10, repeats = 3)
  expect_gt(found$table$inside, 0.35)
  expect_lt(found$table$outside, 0.2)
  expect_gt(found$table$difference, 2 * found$table$difference_se)
  expect_equal(found$null_error, 0.5)
  y <- stats::rnorm(40)
  found <- selection_error(x, y, 5, "cdlsr", folds = 8)
  expect_gt(found$table$inside, found$null_error)
  expect_lt(found$table$outside, 0.5 * found$null_error)
})

test_that("both errors are those of selections and models made by hand", {
  set.seed(72)
  x <- sample_matrix(30, 8)
  y <- x[, 1] - x[, 3] + stats::rnorm(30)
  folds <- rep(1:3, 10)
  found <- selection_error(x, y, c(1, 3), "ftest", foldid = folds)
  whole <- rowsparse(x, y, 3, "ftest")$selected
  expect_identical(found$selected[[2]], whole)
  for (fold in 1:3) {
    out <- folds == fold
    own <- rowsparse(x[!out, ], y[!out], 3, "ftest")$selected
    error <- vapply(list(own, whole), function(set) {
      B <- stats::lm.fit(cbind(1, x[!out, set]), y[!out])$coefficients
      mean((y[out] - cbind(1, x[out, set]) %*% B)^2)
    }, 0)
    expect_equal(found$fold_error$inside[fold, 2], error[1])
    expect_equal(found$fold_error$outside[fold, 2], error[2])
  }
  expect_equal(found$table$inside, colMeans(found$fold_error$inside))
  # the regression of a ranking is the same least squares
  cv <- cv_rowsparse(x, y, method = "ftest", k = c(1, 3), foldid = folds)
  expect_equal(cv$table$error, found$table$inside)
  expect_equal(cv$table$se, found$table$inside_se)
})

test_that("methods without a response, functions and other models serve", {
  set.seed(73)
  x <- as.matrix(iris[, 1:4])
  y <- iris$Species
  folds <- rep(1:5, 30)
  plain <- selection_error(x, y, 2, "css", foldid = folds)
  again <- selection_error(x, y, 2, function(x, y, k) css(x, k), foldid = folds)
  sparse <- selection_error(Matrix::Matrix(x, sparse = TRUE), y, 2, "css", foldid = folds)
  expect_equal(again$table, plain$table)
  expect_equal(sparse$table, plain$table)
  nearest <- selection_error(x, y, 2, "css", foldid = folds,
    fit = function(x, y) list(x = rowsum(x, y) / as.vector(table(y)), y = levels(y)),
    predict = function(model, newx) {
      gap <- outer(rowSums(newx^2), rowSums(model$x^2), "+") - 2 * newx %*% t(model$x)
      model$y[max.col(-gap)]
    }
  )
  expect_lt(nearest$table$inside, 0.2)
  expect_output(print(nearest), "the model given: 2 of 4 features")
  expect_output(print(nearest), "optimistic")
  several <- selection_error(x, cbind(x[, 1] + x[, 2], x[, 3]), 2, "cdlsr", foldid = folds)
  expect_lt(several$table$inside, several$null_error)
})

test_that("both errors are of the measure that is asked for", {
  x <- as.matrix(iris[, 1:4])
  folds <- rep(1:5, 30)
  run <- function(...) selection_error(x, iris$Species, 1:3, "ftest", foldid = folds, ...)
  plain <- run()
  for (measure in c("balanced", "log_loss")) {
    own <- run(measure = measure)
    for (part in c("inside", "outside")) {
      expect_equal(own$table[[part]], plain$table[[paste0(part, "_", measure)]])
      expect_equal(own$table[[paste0(part, "_error")]], plain$table[[part]])
      expect_equal(colMeans(own$fold_error[[part]]), own$table[[part]])
    }
    gap <- own$fold_error$inside - own$fold_error$outside
    expect_equal(own$table$difference_se, apply(gap, 2, stats::sd) / sqrt(5))
    expect_equal(own$null_error, plain$null_measures[[measure]])
    expect_output(print(own), own$measure)
  }
})
