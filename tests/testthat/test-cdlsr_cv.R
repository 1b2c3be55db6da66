test_that("the error is that of the fits to the training samples", {
  set.seed(51)
  x <- sample_matrix(40, 12)
  y <- cbind(x[, 1] - x[, 2], x[, 3]) + matrix(stats::rnorm(80), 40)
  folds <- rep(1:4, 10)
  cv <- cv_cdlsr(x, y, 5, folds = folds)
  for (fold in 1:4) {
    out <- folds == fold
    fit <- cdlsr(x[!out, ], y[!out, ], 5)
    for (k in c(1, 5)) {
      gap <- y[out, ] - predict(fit, x[out, ], k, "response")
      expect_equal(cv$fold_error[fold, k], mean(rowSums(gap^2)), tolerance = 1e-8)
    }
  }
  expect_equal(cv$error, colMeans(cv$fold_error), tolerance = 1e-12)
  expect_equal(cv$k, which.min(cv$error))
  expect_lte(cv$error[cv$k_1se], cv$error[cv$k_min] + cv$se[cv$k_min])
  expect_lte(cv$k_1se, cv$k_min)
  expect_equal(cv$fit$path$objective, cdlsr(x, y, 5)$path$objective)
})

test_that("folds follow the seed, are even, and hold the classes evenly", {
  y <- iris$Species[1:140]
  set.seed(52)
  one <- cv_cdlsr(iris[1:140, 1:4], y, 2)
  set.seed(52)
  expect_identical(cv_cdlsr(iris[1:140, 1:4], y, 2)$folds, one$folds)
  expect_lte(diff(range(table(one$folds))), 1)
  expect_lte(max(apply(table(one$folds, y), 2, function(n) diff(range(n)))), 1)
})

test_that("a planted set is found", {
  set.seed(53)
  x <- matrix(stats::rnorm(120 * 30), 120)
  class <- factor(max.col(x[, 1:3] + 0.3 * matrix(stats::rnorm(360), 120)))
  cv <- cv_cdlsr(x, class, 8)
  expect_true(all(1:3 %in% selected(cv)))
  expect_lt(cv$error[cv$k], 0.25)
  expect_gt(cv$error[1], cv$error[3])
  y <- drop(x[, 1:4] %*% 4:1) + stats::rnorm(120)
  numeric_cv <- cv_cdlsr(x, y, 8, rule = "1se")
  expect_true(all(1:4 %in% selected(numeric_cv)))
  expect_equal(numeric_cv$k, numeric_cv$k_1se)
})

test_that("methods use the size chosen", {
  set.seed(54)
  cv <- cv_cdlsr(iris[, 1:4], iris$Species, 4)
  expect_equal(coef(cv), coef(cv$fit, cv$k))
  expect_equal(predict(cv, iris, type = "class"), predict(cv$fit, iris, cv$k, "class"))
  expect_length(selected(cv), cv$k)
  expect_length(selected(cv, 2), 2)
  expect_output(print(cv), "cross-validation")
  expect_equal(summary(cv)$error, cv$error)
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  plot(cv)
  grDevices::dev.off()
  expect_gt(file.size(file), 0)
  unlink(file)
})

test_that("sparse data and ridge serve too", {
  set.seed(55)
  x <- sample_matrix(24, 40)
  x[abs(x) < 1] <- 0
  y <- x[, 1] + stats::rnorm(24)
  folds <- rep(1:3, 8)
  dense <- cv_cdlsr(x, y, 5, folds = folds)
  sparse <- cv_cdlsr(Matrix::Matrix(x, sparse = TRUE), y, 5, folds = folds)
  expect_equal(sparse$error, dense$error, tolerance = 1e-6)
  ridge <- cv_cdlsr(x, y, 30, folds = folds, ridge = 2)
  expect_length(ridge$error, 30)
})

test_that("an experiment is split by its samples", {
  skip_if_not_installed("SummarizedExperiment")
  set.seed(56)
  x <- sample_matrix(30, 10)
  y <- x[, 1] + stats::rnorm(30)
  experiment <- SummarizedExperiment::SummarizedExperiment(list(scores = t(x)))
  folds <- rep(1:5, 6)
  cv <- cv_cdlsr(experiment, y, 4, folds = folds)
  expect_equal(cv$error, cv_cdlsr(x, y, 4, folds = folds)$error)
})

test_that("folds are even for several responses, and hold their ranks evenly for one", {
  set.seed(57)
  x <- sample_matrix(43, 6)
  several <- cv_cdlsr(x, x[, 1:2] + stats::rnorm(86), 2, folds = 4)
  expect_identical(sort(tabulate(several$folds)), c(10L, 11L, 11L, 11L))
  y <- stats::rnorm(40)
  one <- cv_cdlsr(x[1:40, ], y, 2, folds = 4)
  # four neighbours in rank lie in four folds
  neighbours <- matrix(one$folds[order(y)], 4)
  expect_true(all(apply(neighbours, 2, function(fold) length(unique(fold)) == 4)))
})
