core_ends_here()

test_that("the error is that of the fits to the training samples", {
  set.seed(51)
  x <- sample_matrix(40, 12)
  y <- cbind(x[, 1] - x[, 2], x[, 3]) + matrix(stats::rnorm(80), 40)
  folds <- rep(1:4, 10)
  cv <- cv_rowsparse(x, y, k = 1:5, method = "cdlsr", foldid = folds)
  for (fold in 1:4) {
    out <- folds == fold
    fit <- cdlsr(x[!out, ], y[!out, ], 5)
    for (k in c(1, 5)) {
      gap <- y[out, ] - predict(fit, x[out, ], k, "response")
      expect_equal(cv$fold_error[fold, k], mean(rowSums(gap^2)), tolerance = 1e-8)
    }
  }
  expect_equal(cv$table$error, colMeans(cv$fold_error), tolerance = 1e-12)
  expect_equal(cv$k, which.min(cv$table$error))
  expect_lte(cv$table$error[cv$k_1se], cv$table$error[cv$k_min] + cv$table$se[cv$k_min])
  expect_lte(cv$k_1se, cv$k_min)
  expect_equal(cv$fit$path$objective, cdlsr(x, y, 5)$path$objective)
})

test_that("folds follow the seed, are even, and hold the classes evenly", {
  y <- iris$Species[1:140]
  set.seed(52)
  one <- cv_rowsparse(iris[1:140, 1:4], y, k = 1:2, method = "cdlsr", folds = 5)
  set.seed(52)
  expect_identical(
    cv_rowsparse(iris[1:140, 1:4], y, k = 1:2, method = "cdlsr", folds = 5)$foldid, one$foldid
  )
  expect_lte(diff(range(table(one$foldid))), 1)
  expect_lte(max(apply(table(one$foldid, y), 2, function(n) diff(range(n)))), 1)
})

test_that("a planted set is found", {
  set.seed(53)
  x <- matrix(stats::rnorm(120 * 30), 120)
  class <- factor(max.col(x[, 1:3] + 0.3 * matrix(stats::rnorm(360), 120)))
  cv <- cv_rowsparse(x, class, k = 1:8, method = "cdlsr", folds = 5)
  expect_true(all(1:3 %in% selected(cv)))
  expect_lt(cv$table$error[cv$k], 0.25)
  expect_gt(cv$table$error[1], cv$table$error[3])
  y <- drop(x[, 1:4] %*% 4:1) + stats::rnorm(120)
  numeric_cv <- cv_rowsparse(x, y, k = 1:8, method = "cdlsr", folds = 5, rule = "1se")
  expect_true(all(1:4 %in% selected(numeric_cv)))
  expect_equal(numeric_cv$k, numeric_cv$k_1se)
})

test_that("methods use the size chosen", {
  set.seed(54)
  cv <- cv_rowsparse(iris[, 1:4], iris$Species, k = 1:4, method = "cdlsr", folds = 5)
  expect_equal(coef(cv), coef(cv$fit, cv$k))
  expect_equal(predict(cv, iris, type = "class"), predict(cv$fit, iris, cv$k, "class"))
  expect_length(selected(cv), cv$k)
  expect_length(selected(cv, 2), 2)
  expect_output(print(cv), "cross-validation")
  expect_equal(summary(cv)$table$error, cv$table$error)
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
  dense <- cv_rowsparse(x, y, k = 1:5, method = "cdlsr", foldid = folds)
  sparse <- cv_rowsparse(
    Matrix::Matrix(x, sparse = TRUE), y, k = 1:5, method = "cdlsr", foldid = folds
  )
  expect_equal(sparse$table, dense$table, tolerance = 1e-6)
  ridge <- cv_rowsparse(x, y, k = 1:30, method = "cdlsr", foldid = folds, ridge = 2)
  expect_identical(ridge$table$k, 1:30)
})

test_that("an experiment is split by its samples", {
  skip_if_not_installed("SummarizedExperiment")
  set.seed(56)
  x <- sample_matrix(30, 10)
  y <- x[, 1] + stats::rnorm(30)
  experiment <- SummarizedExperiment::SummarizedExperiment(list(scores = t(x)))
  folds <- rep(1:5, 6)
  cv <- cv_rowsparse(experiment, y, k = 1:4, method = "cdlsr", foldid = folds)
  expect_equal(cv$table, cv_rowsparse(x, y, k = 1:4, method = "cdlsr", foldid = folds)$table)
})

test_that("folds are even for several responses, and hold their ranks evenly for one", {
  set.seed(57)
  x <- sample_matrix(43, 6)
  several <- cv_rowsparse(x, x[, 1:2] + stats::rnorm(86), k = 1:2, method = "cdlsr", folds = 4)
  expect_identical(sort(tabulate(several$foldid)), c(10L, 11L, 11L, 11L))
  y <- stats::rnorm(40)
  one <- cv_rowsparse(x[1:40, ], y, k = 1:2, method = "cdlsr", folds = 4)
  # four neighbours in rank lie in four folds
  neighbours <- matrix(one$foldid[order(y)], 4)
  expect_true(all(apply(neighbours, 2, function(fold) length(unique(fold)) == 4)))
})

test_that("over penalties the error is that of warm paths in the training sets", {
  set.seed(58)
  x <- sample_matrix(36, 10)
  y <- x[, 1] - 2 * x[, 2] + stats::rnorm(36)
  folds <- rep(1:3, 12)
  tight <- rowsparse_control(tol = 1e-7)
  cv <- cv_rowsparse(x, y, method = "rfs", foldid = folds, nlambda = 5, control = tight)
  expect_identical(cv$over, "lambda")
  expect_false(is.unsorted(-cv$table$lambda))
  expect_equal(cv$table$features[1], 0)
  for (fold in 1:3) {
    out <- folds == fold
    expect_equal(cv$fold_error[fold, 1], mean((y[out] - mean(y[!out]))^2))
    fit <- rfs(x[!out, ], y[!out], lambda = cv$table$lambda[4], control = tight)
    error <- mean((y[out] - predict(fit, x[out, ], type = "response"))^2)
    expect_equal(cv$fold_error[fold, 4], error, tolerance = 1e-4)
  }
  expect_gte(cv$lambda_1se, cv$lambda_min)
  expect_equal(cv$fit$parameters$lambda, cv$lambda)
  expect_identical(selected(cv), selected(cv$fit))
  expect_identical(coef(cv, s = "1se"), coef(if (is.null(cv$other)) cv$fit else cv$other))
  sizes <- cv_rowsparse(x, y, method = "rfs", k = c(1, 3), lambda = cv$lambda, foldid = folds)
  expect_identical(sizes$table$k, c(1L, 3L))
  expect_identical(sum(coef(sizes)[-1, ] != 0), sizes$k)
})

test_that("sizes that need fits of their own have them, inside and at the end", {
  set.seed(59)
  x <- sample_matrix(36, 10)
  y <- x[, 1] - 2 * x[, 2] + stats::rnorm(36)
  folds <- rep(1:3, 12)
  cv <- cv_rowsparse(x, y, method = "ipfs", k = c(1, 2, 6), foldid = folds, rule = "1se")
  for (fold in 1:3) {
    out <- folds == fold
    fit <- ipfs(x[!out, ], y[!out], 2)
    error <- mean((y[out] - predict(fit, x[out, ], type = "response"))^2)
    expect_equal(cv$fold_error[fold, 2], error)
  }
  expect_length(selected(cv), cv$k_1se)
  expect_length(selected(cv, s = "min"), cv$k_min)
  expect_equal(coef(cv), coef(ipfs(x, y, cv$k_1se)))
  ranked <- cv_rowsparse(x, y, method = "ftest", k = 1:4, foldid = folds)
  expect_identical(ranked$fit$selected, rowsparse(x, y, ranked$k, "ftest")$selected)
  expect_equal(predict(ranked, x, s = "1se"), predict(ftest(x, y), x, ranked$k_1se, "response"))
  expect_identical(predict(ranked, x, 2, "features"), x[, selected(ranked, 2)])
})

test_that("repeats average out the folds, not the samples", {
  set.seed(60)
  x <- sample_matrix(30, 6)
  y <- factor(x[, 1] + stats::rnorm(30) > 0)
  cv <- cv_rowsparse(x, y, method = "ftest", k = 1:3, folds = 5, repeats = 3)
  expect_identical(dim(cv$foldid), c(30L, 3L))
  expect_identical(dim(cv$fold_error), c(15L, 3L))
  single <- lapply(1:3, function(r) {
    cv_rowsparse(x, y, method = "ftest", k = 1:3, foldid = cv$foldid[, r])$table
  })
  error <- vapply(single, `[[`, numeric(3), "error")
  expect_equal(cv$table$error, rowMeans(error))
  expect_equal(cv$table$spread, apply(error, 1, stats::sd))
  expect_equal(cv$table$se, sqrt(rowMeans(vapply(single, `[[`, numeric(3), "se")^2)))
  again <- cv_rowsparse(x, y, method = "ftest", k = 1:3, foldid = cv$foldid)
  expect_identical(again$table, cv$table)
  expect_identical(again$repeats, 3L)
  # the most frequent class of each training set
  wrong <- vapply(split(seq_len(30), cv$foldid[, 1]), function(out) {
    sum(y[out] != names(which.max(table(y[-out]))))
  }, 0)
  one <- cv_rowsparse(x, y, method = "ftest", k = 1:3, foldid = cv$foldid[, 1])
  expect_equal(one$null_error, sum(wrong) / 30)
})

test_that("the default method and its sizes serve classes and numbers", {
  set.seed(61)
  cv <- cv_rowsparse(iris[, 1:4], iris$Species, folds = 3)
  expect_identical(cv$method, usual_method(iris[, 1:4], iris$Species)$method)
  expect_s3_class(predict(cv, iris), "factor")
  expect_output(print(cv), "is the default for classes")
  numeric_cv <- cv_rowsparse(iris[, 1:3], iris$Petal.Width, folds = 3)
  expect_identical(dim(predict(numeric_cv, iris)), c(150L, 1L))
  expect_identical(numeric_cv$table$k, 1:3)
})

# nine of ten samples are of one class; the folds hold both
unbalanced_data <- function() {
  set.seed(62)
  x <- matrix(stats::rnorm(120 * 12), 120)
  class <- factor(rep(c(rep("often", 9), "rare"), 12))
  x[class == "rare", 1:3] <- x[class == "rare", 1:3] + 1.2
  list(x = x, class = class, folds = rep(1:4, each = 30))
}

test_that("the rule goes by the measure that is asked for, with its paired standard error", {
  data <- unbalanced_data()
  losses <- function(fold, k) {
    out <- data$folds == fold
    fit <- cdlsr(data$x[!out, ], data$class[!out], 6)
    p <- predict(fit, data$x[out, ], k, "prob")
    truth <- data$class[out]
    wrong <- predict(fit, data$x[out, ], k, "class") != truth
    c(
      error = mean(wrong), balanced = mean(tapply(wrong, truth, mean)),
      log_loss = -mean(log(pmax(p[cbind(seq_along(truth), as.integer(truth))], 1e-6)))
    )
  }
  all <- vapply(1:6, function(k) vapply(1:4, losses, c(0, 0, 0), k = k), matrix(0, 3, 4))
  for (measure in c("error", "balanced", "log_loss")) {
    cv <- cv_rowsparse(data$x, data$class, 1:6, "cdlsr", foldid = data$folds, measure = measure)
    by_fold <- unname(all[measure, , ])
    expect_equal(unname(cv$fold_error), by_fold, tolerance = 1e-8)
    expect_identical(cv$chosen_by, measure)
    mean <- colMeans(by_fold)
    best <- which(mean <= min(mean) + 1e-9)[1]
    gap <- by_fold - by_fold[, best]
    se <- apply(gap, 2, stats::sd) / 2
    expect_equal(cv$table$se_paired, se, tolerance = 1e-8)
    expect_identical(cv$k_min, best)
    expect_identical(cv$k, which(colMeans(gap) <= se + 1e-9)[1])
    expect_equal(cv$null_error, cv$null_measures[[measure]])
    for (name in c("error", "balanced", "log_loss")) {
      expect_equal(cv$table[[name]], colMeans(all[name, , ]), tolerance = 1e-8)
    }
    expect_output(print(cv), c(
      error = "share of wrong classes: ", balanced = "balanced error: ",
      log_loss = "logarithmic loss: "
    )[[measure]])
  }
})
