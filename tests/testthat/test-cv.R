# What cross-validation gives is made again in plain R: selections of the training samples, models
# on them, and errors on the samples left out.

cv_data <- function() {
  set.seed(151)
  x <- sample_matrix(42, 9)
  colnames(x) <- letters[1:9]
  y <- drop(x[, 1:3] %*% 3:1) + stats::rnorm(42)
  list(x = x, y = y, several = cbind(y, x[, 4]), class = cut(y, 3), folds = rep(1:3, 14))
}

test_that("errors of numbers are sums over the folds, relative to those of the mean", {
  data <- cv_data()
  cv <- cv_rowsparse(data$x, data$several, k = 1:5, method = "cdlsr", foldid = data$folds)
  parts <- lapply(1:3, function(fold) {
    out <- data$folds == fold
    y <- data$several[out, ]
    fit <- cdlsr(data$x[!out, ], data$several[!out, ], 5)
    null <- sum(sweep(y, 2, colMeans(data$several[!out, ]))^2)
    list(error = vapply(1:5, function(k) {
      sum((y - predict(fit, data$x[out, ], k, "response"))^2)
    }, 0), null = null)
  })
  error <- do.call(rbind, lapply(parts, `[[`, "error"))
  null <- sum(vapply(parts, `[[`, 0, "null"))
  expect_equal(cv$table$error, colSums(error) / null)
  expect_equal(c(cv$null_error, mean(cv$fold_null)), c(null / 42, 1))
  expect_equal(cv$fold_loss, 42 * error / 14 / null)
  expect_equal(cv$table$se, apply(cv$fold_loss, 2, stats::sd) / sqrt(3))
  gap <- cv$fold_loss - cv$fold_loss[, which.min(colSums(error))]
  expect_equal(cv$table$difference, colMeans(gap))
  expect_equal(cv$table$difference_se, apply(gap, 2, stats::sd) / sqrt(3))
  expect_equal(unname(cv$best), c(
    which(colMeans(gap) <= cv$table$difference_se + 1e-12)[1], which.min(colSums(error))
  ))
  expect_identical(cv$at, cv$best[["1se"]])
  expect_equal(coef(cv), coef(cdlsr(data$x, data$several, cv$k)))
})

test_that("measures of classes, with the rule by each", {
  data <- cv_data()
  x <- rbind(data$x, data$x + 0.1)
  class <- factor(rep(c("a", "b", "a", "a", "a", "b", "a"), 12))
  x[class == "b", 1:2] <- x[class == "b", 1:2] + 1
  folds <- rep(1:4, each = 21)
  losses <- function(fold, k) {
    out <- folds == fold
    fit <- cdlsr(x[!out, ], class[!out], 5)
    p <- predict(fit, x[out, ], k, "prob")
    truth <- class[out]
    wrong <- predict(fit, x[out, ], k, "class") != truth
    c(
      error = mean(wrong), balanced = mean(tapply(wrong, truth, mean)),
      log_loss = -mean(log(pmax(p[cbind(seq_along(truth), as.integer(truth))], 1e-6)))
    )
  }
  all <- vapply(1:5, function(k) vapply(1:4, losses, c(0, 0, 0), k = k), matrix(0, 3, 4))
  for (measure in c("error", "balanced", "log_loss")) {
    cv <- cv_rowsparse(x, class, 1:5, "cdlsr", foldid = folds, measure = measure)
    by_fold <- unname(all[measure, , ])
    expect_equal(unname(cv$fold_loss), by_fold, tolerance = 1e-8)
    expect_identical(cv$best[["min"]], which(colMeans(by_fold) <= min(colMeans(by_fold)) + 1e-9)[1])
    for (name in c("error", "balanced", "log_loss")) {
      expect_equal(cv$table[[name]], colMeans(all[name, , ]), tolerance = 1e-8)
    }
    expect_equal(cv$null_error, cv$null_measures[[measure]])
    expect_output(print(summary(cv)), "logarithmic loss [.0-9]+ [(]")
  }
  expect_equal(cv$null_measures[["error"]], mean(class == "b"))
})

test_that("without a response the measure is what regression on the set reproduces", {
  data <- cv_data()
  shares <- function(x, sets) {
    parts <- vapply(1:3, function(fold) {
      out <- data$folds == fold
      means <- colMeans(x[!out, ])
      train <- sweep(x[!out, ], 2, means)
      test <- sweep(x[out, ], 2, means)
      set <- sets(x[!out, ])
      c(sum((test - test[, set] %*% qr.coef(qr(train[, set]), train))^2), sum(test^2))
    }, c(0, 0))
    1 - sum(parts[1, ]) / sum(parts[2, ])
  }
  run <- function(x, ...) cv_rowsparse(x, k = 2:4, foldid = data$folds, ...)
  for (method in c("fspca", "css")) {
    cv <- run(data$x, method = method)
    expect_equal(cv$table$explained, vapply(2:4, function(k) {
      shares(data$x, function(train) rowsparse(train, k = k, method = method)$selected)
    }, 0))
    expect_equal(run(1e100 * data$x, method = method)$table$explained, cv$table$explained)
  }
  expect_equal(run(Matrix::Matrix(data$x, sparse = TRUE), method = "css")$table, cv$table)
  # a feature that copies another adds nothing, and one that is left out is not reproduced
  double <- cbind(data$x, copy = data$x[, 1])
  set <- cv_rowsparse(double, k = 2:3, method = function(x, y, k) c("a", "copy", "b")[1:k],
    foldid = data$folds
  )
  expect_equal(set$table$explained[1], shares(double, function(train) 1))
  expect_equal(set$table$explained[2], shares(double, function(train) 1:2))
  without <- run(double, method = "css", exclude = "copy")
  expect_equal(without$table$explained, cv$table$explained)
  scaled <- run(sweep(data$x, 2, 10^(1:9), `*`), method = "css", scale = TRUE)
  expect_equal(scaled$table$explained, run(data$x, method = "css", scale = TRUE)$table$explained)
  expect_identical(cv$elbow, (2:4)[rowsparse:::elbow(-cv$table$explained, 2:4)])
  # all features leave nothing, and no less than that
  for (seed in 1:8) {
    set.seed(seed)
    rounded <- round(matrix(rnorm(200), 20))
    all <- cv_rowsparse(rounded, k = 10, method = "variance")
    expect_true(all(all$fold_loss >= 0 & all$fold_loss < 1e-12))
  }
  expect_identical(rowsparse:::elbow(c(10, 5, 3, 1, 0)), 2L) # of two corners the first
  expect_identical(rowsparse:::elbow(c(9, 6, 3, 0)), 1L) # a straight line has none
})

test_that("absolute errors are in units of the response, areas of pairs of the two classes", {
  data <- cv_data()
  y <- 100 * data$y
  class <- factor(y > 0, labels = c("low", "high"))
  run <- function(y, measure, folds = data$folds) {
    cv_rowsparse(data$x, y, 1:3, "cdlsr", foldid = folds, measure = measure)
  }
  by_hand <- vapply(1:3, function(fold) {
    out <- data$folds == fold
    guess <- predict(cdlsr(data$x[!out, ], y[!out], 2), data$x[out, ])
    p <- predict(cdlsr(data$x[!out, ], class[!out], 2), data$x[out, ], type = "prob")[, "high"]
    pairs <- outer(p[class[out] == "high"], p[class[out] == "low"], "-")
    c(
      mae = mean(abs(y[out] - guess)), null = mean(abs(y[out] - mean(y[!out]))),
      auc = mean((pairs > 0) + (pairs == 0) / 2)
    )
  }, c(mae = 0, null = 0, auc = 0))
  size <- run(y, "mae")
  expect_equal(size$fold_loss[, 2], by_hand["mae", ])
  expect_equal(c(size$table$mae_se[2], size$null_measures[["mae"]]),
    c(stats::sd(by_hand["mae", ]) / sqrt(3), mean(by_hand["null", ]))
  )
  expect_identical(size$best[["min"]], which.min(size$table$mae))
  area <- run(class, "auc")
  expect_equal(area$fold_loss[, 2], 1 - by_hand["auc", ])
  expect_equal(c(area$table$auc[2], area$null_measures[["auc"]]), c(mean(by_hand["auc", ]), 0.5))
  expect_identical(area$best[["min"]], which.max(area$table$auc))
  # ties count by half, weights as samples
  p <- cbind(low = 1 - c(1, 1, 2, 3) / 4, high = c(1, 1, 2, 3) / 4)
  truth <- factor(c("low", "high", "low", "high"), c("low", "high"))
  expect_equal(rowsparse:::area_missed(p, truth, c(1, 1, 2, 1)), (0.5 + 2) / 6)
  # a fold with one class is passed over, by the standard error too
  folds <- replace(data$folds, which(class == "low")[1:3], 4L)
  part <- run(class, "auc", folds)
  share <- tabulate(folds[folds < 4]) / sum(folds < 4)
  loss <- part$fold_loss[1:3, ]
  expect_equal(part$table$auc, 1 - colSums(loss * share))
  expect_equal(part$table$auc_se^2, colSums(share * sweep(loss, 2, 1 - part$table$auc)^2) / 2)
})

test_that("without a response the size is at the corner, and of noise none stands out", {
  for (x in list(iris[, 1:4], mtcars, datasets::swiss)) {
    cv <- cv_rowsparse(x)
    expect_identical(cv$at, cv$best[["elbow"]])
    expect_false(cv$no_elbow)
    expect_lt(cv$k, ncol(x))
  }
  for (size in list(c(50, 10), c(60, 100), c(100, 5))) {
    set.seed(sum(size))
    noise <- matrix(stats::rnorm(prod(size)), size[1])
    suppressWarnings(classes = "rowsparse_warning_no_better", {
      expect_warning(cv <- cv_rowsparse(noise), class = "rowsparse_warning_no_elbow")
      expect_no_warning(cv_rowsparse(noise, rule = "min"), class = "rowsparse_warning_no_elbow")
    })
    expect_output(print(cv), "No size stands out")
  }
  # the share falls where regressions on more features fit the noise: the corner is before
  loss <- rbind(c(9, 5, 3, 3.5, 9, 12, 20), c(9, 5, 2, 2.5, 9, 12, 20))
  corner <- function(loss, k) rowsparse:::elbow_point(loss, list(c(0.5, 0.5)), k)
  expect_identical(corner(loss, 1:7), list(at = 3L, none = FALSE))
  # of two entrants the better one at each size
  expect_identical(corner(cbind(loss, loss - 1), rep(1:7, 2))$at, 10L)
  expect_identical(cv_rowsparse(iris[, 1:4], k = 2:3)$rule, "1se")
})

test_that("features have the share of the folds that select them, and verbs give tables", {
  data <- cv_data()
  run <- function(...) cv_rowsparse(data$x, data$y, foldid = data$folds, rule = "min", ...)
  cv <- run(k = 1:4, method = "ftest")
  share <- tabulate(unlist(lapply(1:3, function(fold) {
    out <- data$folds == fold
    rowsparse(data$x[!out, ], data$y[!out], cv$k, "ftest")$selected
  })), 9) / 3
  expect_equal(unname(cv$frequency[, cv$at]), share)
  table <- as.data.frame(cv, what = "features")
  expect_equal(table$frequency, sort(share[match(table$feature, letters)], decreasing = TRUE))
  expect_setequal(table$feature, letters[union(which(share > 0), cv$columns)])
  expect_identical(table$selected, table$feature %in% selected(cv))
  last <- run(k = 2, method = function(x, y, k) if (nrow(x) < 42) 1:2 else c(9, 1))
  expect_identical(as.data.frame(last, what = "features")$feature, c("a", "b", "i"))
  grouped <- run(k = 1:2, method = "cdlsr", groups = rep(c("u", "v", "w"), each = 3))
  own <- as.data.frame(grouped, what = "features")
  expect_setequal(own$feature[own$selected], selected(grouped, groups = TRUE))
  skip_if_not_installed("generics")
  expect_equal(as.data.frame(generics::tidy(cv)), as.data.frame(cv))
  row <- generics::glance(cv)
  expect_equal(c(row$value, row$se, row$null), c(unname(cv$corrected[c("error", "se")]), 1))
  expect_identical(list(row$k, row$rule, row$nobs), list(cv$k, "min", 42L))
})

test_that("stability is that of Nogueira, Sechidis and Brown", {
  set.seed(2)
  d <- 15
  sets <- replicate(6, sample(d, 4, prob = (1:d)^2), simplify = FALSE)
  Z <- t(vapply(sets, function(set) as.numeric(1:d %in% set), numeric(d)))
  expected <- 1 - mean(apply(Z, 2, stats::var)) / (4 / d * (1 - 4 / d))
  expect_equal(rowsparse:::stability_of(sets, d), expected)
  expect_identical(rowsparse:::stability_of(list(1:3, 1:3), 3), NA_real_)
  data <- cv_data()
  cv <- cv_rowsparse(data$x, data$y, k = 1:2, method = "ftest", foldid = data$folds)
  own <- lapply(1:3, function(fold) {
    out <- data$folds == fold
    rowsparse(data$x[!out, ], data$y[!out], 2, "ftest")$selected
  })
  expect_equal(cv$table$stability[2], rowsparse:::stability_of(own, 9))
})

# the point that a rule takes in plain R, `owner`: the entrant of each
chosen_by_hand <- function(loss, share, rule, owner) {
  mean_of <- function(loss) colSums(loss * share) / sum(share)
  best <- which(mean_of(loss) <= min(mean_of(loss)) + 1e-9)[1]
  gap <- loss - loss[, best]
  se <- sqrt(mean_of(sweep(gap, 2, mean_of(gap))^2) / max(1, length(share) - 1))
  if (rule == "min") best else which(owner == owner[best] & mean_of(gap) <= se + 1e-9)[1]
}

test_that("the measures told are corrected for the choice by the best points of single folds", {
  data <- cv_data()
  expect_corrected <- function(..., foldid = rep(1:5, c(6, 8, 8, 10, 10)), weights = NULL) {
    folds <- as.matrix(foldid)
    repeats <- seq_len(ncol(folds))
    counts <- if (is.null(weights)) rep(1, 42) else weights
    share <- vapply(repeats, function(r) tapply(counts, folds[, r], sum), rep(0, max(folds)))
    share <- as.vector(share) / sum(share)
    # variances of the mean of the folds and of one, as they share training samples
    variance <- c(1 / max(folds), 1) + 1 / (max(folds) - 1)
    for (rule in c("1se", "min")) {
      cv <- cv_rowsparse(data$x, ..., foldid = foldid, weights = weights, rule = rule)
      loss <- cv$fold_loss
      best <- chosen_by_hand(loss, share, "min", cv$entrant)
      expect_identical(cv$best[["min"]], best)
      if (length(repeats) == 1L) {
        expect_identical(cv$at, chosen_by_hand(loss, share, rule, cv$entrant))
      }
      e <- loss[, cv$at] + sqrt(variance[1] / variance[2]) * (loss[, best] - apply(loss, 1, min))
      told <- sum(share * e)
      of <- rep(repeats, each = max(folds))
      e <- e - stats::ave(length(repeats) * share * e, of, FUN = sum)
      se <- sqrt(sum(share * e^2) / (1 - 1 / max(folds)) * variance[1])
      if (cv$chosen_by == "explained") told <- 1 - told
      expect_equal(unname(cv$corrected[rowsparse:::measure_columns_of(cv$chosen_by)]), c(told, se))
    }
    cv
  }
  cv <- expect_corrected(data$y, k = 1:6, method = "ftest")
  told <- format(cv$corrected[["error"]], digits = 3)
  expect_output(print(cv), sprintf("On samples left out: relative squared error %s [(]", told))
  expect_output(print(summary(cv)), format(cv$table$error[cv$at], digits = 3), fixed = TRUE)
  # beside the choice, what the other rule gives, corrected alike
  cv <- cv_rowsparse(mtcars[, -1], mtcars$mpg, rule = "min")
  other <- cv$corrected[["error"]] + diff(cv$table$error[rev(cv$best)])
  expect_output(print(cv), sprintf("\"1se\"[^;]*error\\s+of\\s+%s", format(other, digits = 3)))
  expect_corrected(data$class, k = 1:4, method = "cdlsr", weights = rep(1:3, 14))
  expect_corrected(data$y, k = 1:3, method = list("ftest", "css"), foldid = rep(1:2, 21))
  two <- cbind(rep_len(1:4, 42), rep(1:4, c(9, 9, 12, 12)))
  expect_corrected(data$y, k = 1:4, method = "ftest", foldid = two)
  expect_corrected(data$y, method = "rfs", lambda = c(10, 1, 0.1))
  expect_corrected(k = 1:4, method = "variance")
  # no loss is corrected where there is no choice, or choices are the same
  for (k in list(3, c(3, 3))) {
    method <- lapply(k, function(k) function(x, y, .) seq_len(k))
    one <- cv_rowsparse(data$x, data$y, method = method, foldid = data$folds)
    columns <- c("error", "se", "mae", "mae_se")
    expect_equal(one$corrected, unlist(one$table[1, columns]) * c(1, sqrt(5 / 2)))
  }
  # measures that do not choose are those of the same points
  run <- function(measure) {
    cv_rowsparse(data$x, data$class, 1:5, "ftest", foldid = data$folds, measure = measure)
  }
  by_error <- run("error")
  lost <- run("log_loss")$fold_loss
  own <- lost[cbind(1:3, apply(by_error$fold_loss, 1, which.min))]
  gap <- sqrt(5) / 3 * (lost[, by_error$best[["min"]]] - own)
  expect_equal(by_error$corrected[["log_loss"]], mean(lost[, by_error$at] + gap))
})

core_ends_here()

test_that("several methods and settings are compared in the same folds", {
  data <- cv_data()
  run <- function(...) cv_rowsparse(data$x, data$y, k = 1:3, foldid = data$folds, ...)
  both <- run(method = list("ftest", "css", own = function(x, y, k) order(-abs(stats::cor(x, y)))))
  alone <- run(method = "ftest")
  columns <- c("k", "error", "se", "features", "stability")
  expect_equal(both$table[1:3, columns], alone$table[columns])
  # least squares on the first features of the same order is the regression of the ranking
  expect_equal(both$table$error[7:9], alone$table$error)
  expect_equal(both$table$error[4:6], run(method = "css")$table$error)
  best <- which.min(both$table$error)
  expect_equal(both$table$difference, colMeans(both$fold_loss - both$fold_loss[, best]))
  expect_identical(both$method, both$table$method[best])
  expect_output(print(both), "3 methods or settings")
  grid <- run(method = "cdlsr", grid = list(ridge = c(0, 5), scale = c(TRUE, FALSE)))
  expect_identical(nrow(grid$table), 12L)
  for (ridge in c(0, 5)) {
    one <- run(method = "cdlsr", ridge = ridge, scale = FALSE)$table$error
    expect_equal(grid$table$error[grid$table$ridge == ridge & !grid$table$scale], one)
  }
  expect_identical(grid$setting$ridge, grid$table$ridge[grid$at])
  expect_equal(coef(grid), coef(cdlsr(data$x, data$y, grid$k,
    ridge = grid$setting$ridge, scale = grid$setting$scale
  )))
})

test_that("a method that chooses has the error of its choice: folds inside the folds", {
  data <- cv_data()
  choose <- function(x, y, k) cv_rowsparse(x, y, k = 1:4, method = "cdlsr", folds = 4)$fit
  cv <- cv_rowsparse(data$x, data$y, method = choose, foldid = data$folds)
  by_hand <- vapply(1:3, function(fold) {
    out <- data$folds == fold
    inner <- cv_rowsparse(data$x[!out, ], data$y[!out], k = 1:4, method = "cdlsr", folds = 4)
    c(
      sum((data$y[out] - predict(inner, data$x[out, ]))^2),
      sum((data$y[out] - mean(data$y[!out]))^2), inner$k
    )
  }, c(0, 0, 0))
  expect_equal(cv$table$error, sum(by_hand[1, ]) / sum(by_hand[2, ]))
  expect_equal(cv$table$features, mean(by_hand[3, ]))
  expect_equal(predict(cv, data$x), predict(choose(data$x, data$y), data$x))
  # on noise the selection is judged as chance, whatever the samples of the folds promise
  set.seed(72)
  noise <- matrix(stats::rnorm(40 * 500), 40)
  expect_warning(
    cv <- cv_rowsparse(noise, factor(rep(c("a", "b"), 20)), 8, "ftest", repeats = 2),
    class = "rowsparse_warning_no_better"
  )
  expect_gt(cv$table$error, 0.35)
  expect_output(print(cv), "No set does better than the shares of the classes")
})

test_that("a model of the caller is fitted to the selected columns", {
  x <- as.matrix(iris[, 1:4])
  folds <- rep(1:5, 30)
  nearest <- function(x, y) list(x = rowsum(x, y) / as.vector(table(y)), y = levels(y))
  classify <- function(model, newx) {
    model$y[max.col(-(outer(rowSums(newx^2), rowSums(model$x^2), "+") - 2 * newx %*% t(model$x)))]
  }
  cv <- cv_rowsparse(x, iris$Species, 2, "css", foldid = folds, fit = nearest, predict = classify)
  wrong <- vapply(1:5, function(fold) {
    out <- folds == fold
    set <- css(x[!out, ], 2)$selected
    mean(classify(nearest(x[!out, set], iris$Species[!out]), x[out, set]) != iris$Species[out])
  }, 0)
  expect_equal(cv$table$error, mean(wrong))
  expect_identical(
    as.character(predict(cv, iris[1:4])),
    classify(nearest(x[, cv$columns], iris$Species), x[, cv$columns])
  )
  expect_refused(predict(cv, x, type = "prob"), "choice", "probabilities")
  expect_refused(coef(cv), "choice", "model")
  # the usual models: least squares, and discriminants with probabilities
  cv <- cv_rowsparse(x[, -4], x[, 4], 2, "css", foldid = folds)
  own <- stats::lm(x[, 4] ~ x[, cv$columns])
  expect_equal(drop(predict(cv, x)), unname(stats::fitted(own)))
  cv <- cv_rowsparse(x, iris$Species, 2, "css", folds = 3)
  expect_equal(rowSums(predict(cv, iris[1:4], type = "prob")), rep(1, 150))
  expect_identical(c(cv$chosen_by, cv$rule), c("error", "1se"))
  table <- cv_rowsparse(Species ~ ., data = iris, k = 2, method = "css", folds = 3)
  expect_identical(predict(table, iris), predict(cv, iris[1:4]))
})

test_that("over penalties the error is that of warm paths in the training sets", {
  data <- cv_data()
  tight <- rowsparse_control(tol = 1e-7)
  lambda <- rowsparse_path(data$x, data$y, method = "rfs", nlambda = 5)$grid
  cv <- cv_rowsparse(data$x, data$y, method = "rfs", foldid = data$folds, lambda = rev(lambda),
    control = tight
  )
  expect_identical(cv$over, "lambda")
  expect_equal(cv$table$lambda, lambda)
  expect_equal(cv$table$features[1], 0)
  error <- rowMeans(vapply(1:3, function(fold) {
    out <- data$folds == fold
    fit <- rfs(data$x[!out, ], data$y[!out], lambda = lambda[4], control = tight)
    c(
      mean((data$y[out] - mean(data$y[!out]))^2),
      mean((data$y[out] - predict(fit, data$x[out, ], type = "response"))^2)
    )
  }, c(0, 0)))
  expect_equal(cv$table$error[1], 1)
  expect_equal(cv$table$error[4], error[2] / error[1], tolerance = 1e-4)
  expect_equal(cv$fit$parameters$lambda, cv$lambda)
  expect_identical(selected(cv), selected(cv$fit))
  sizes <- cv_rowsparse(data$x, data$y, method = "rfs", k = c(1, 3), lambda = cv$lambda, folds = 3)
  expect_identical(sizes$table$k, c(1L, 3L))
  expect_identical(sum(coef(sizes)[-1, ] != 0), sizes$k)
  # where rows that are zero stay so, from the smallest penalty on
  upwards <- cv_rowsparse(data$x, method = "spcafs", m = 2, foldid = data$folds, lambda = lambda)
  expect_false(is.unsorted(upwards$table$features))
})

test_that("the fit is that of rowsparse() at the chosen point, and the result speaks for it", {
  data <- cv_data()
  for (method in c("ftest", "cdlsr")) {
    cv <- cv_rowsparse(data$x, data$y, 1:4, method, foldid = data$folds)
    fit <- rowsparse(data$x, data$y, cv$k, method)
    expect_identical(selected(cv), selected(fit))
    expect_equal(predict(cv, data$x), predict(fit, data$x))
    expect_equal(coef(cv), coef(fit))
  }
  expect_identical(predict(cv, data$x, type = "features"), data$x[, selected(cv)])
  expect_equal(summary(cv)$table$error, cv$table$error)
  expect_identical(as.data.frame(cv)$chosen, seq_len(4) == cv$at)
  grouped <- cv_rowsparse(data$x, data$y, 1:2, "cdlsr", groups = rep(c("u", "v", "w"), each = 3),
    foldid = data$folds
  )
  expect_identical(selected(grouped, groups = TRUE), selected(grouped$fit, groups = TRUE))
  expect_identical(length(selected(grouped)), 3L * grouped$k)
  # the default is one of the methods by its name, and may stand beside that of its method
  both <- cv_rowsparse(iris[, 1:4], iris$Species, folds = 3, method = c("default", "cdlsr"))
  alone <- cv_rowsparse(iris[, 1:4], iris$Species, folds = 3)
  expect_identical(both$table$error[both$table$method == "default"], alone$table$error)
  expect_output(print(alone), "the default for classes.:\n  cv_rowsparse.*ridge = \"pillai\"")
  # a choice at the edge of the grid says so, unless nothing lies beyond
  edge <- cv_rowsparse(data$x, data$y, 1:2, "cdlsr", foldid = data$folds, rule = "min")
  expect_output(print(edge), "k = 2 is the largest of those compared")
  expect_null(cv_rowsparse(data$x, k = 8:9, method = "css", rule = "min")$open)
})

test_that("include, exclude and block hold in every training set", {
  data <- cv_data()
  batch <- rep(c("p", "q"), 21)
  shifted <- data$y + 5 * (batch == "q")
  run <- function(...) cv_rowsparse(data$x, shifted, 1:3, "cdlsr", foldid = data$folds, ...)
  locked <- run(include = "i", exclude = "a")
  expect_true("i" %in% selected(locked))
  expect_false("a" %in% selected(locked))
  blocked <- run(block = batch)
  sums <- rowSums(vapply(1:3, function(fold) {
    out <- data$folds == fold
    fit <- cdlsr(data$x[!out, ], shifted[!out], 3, block = batch[!out])
    guess <- predict(fit, data$x[out, ], type = "response", block = batch[out])
    without <- tapply(shifted[!out], batch[!out], mean)[batch[out]]
    c(sum((shifted[out] - guess)^2), sum((shifted[out] - without)^2))
  }, c(0, 0)))
  expect_equal(blocked$table$error[3], sums[1] / sums[2])
  # a whole batch that is left out is predicted from the means of the others
  expect_gt(cv_rowsparse(data$x, shifted, 3, "cdlsr", block = batch, foldid = batch)$table$error, 0)
})

test_that("functions of the caller use the weights of each training set", {
  data <- cv_data()
  w <- rep(c(0, 1, 2), 14)
  rows <- rep(1:42, w)
  folds <- rep(1:3, each = 14)
  by_lm <- function(x, y, weights = rep(1, length(y))) {
    stats::lm.wfit(cbind(1, x), y, weights)$coefficients
  }
  pick <- function(x, y, k, weights = rep(1, length(y))) {
    order(-abs(stats::cov.wt(cbind(y, x), weights, cor = TRUE)$cor[1, -1]))[seq_len(k)]
  }
  run <- function(x, y, foldid, ...) {
    cv_rowsparse(x, y, c(1, 3), pick, foldid = foldid, fit = by_lm,
      predict = function(model, newx) cbind(1, newx) %*% model, ...
    )
  }
  weighted <- run(data$x, data$y, folds, weights = w)
  expect_equal(weighted$table, run(data$x[rows, ], data$y[rows], folds[rows])$table)
  expect_identical(is.na(weighted$foldid), w == 0)
})

test_that("what draws nothing leaves the generator alone, and seeds make the rest repeatable", {
  data <- cv_data()
  before <- globalenv()[[".Random.seed"]]
  cv_rowsparse(data$x, data$class, k = 1:3)
  cv_rowsparse(data$x, k = 2, method = "fspca", grid = list(m = 1:2))
  seeded <- function() {
    cv_rowsparse(data$x, k = 2:3, method = c("mcfs", "kmeans_ufs"), seed = 5, folds = 3)
  }
  one <- seeded()
  expect_identical(globalenv()[[".Random.seed"]], before)
  expect_identical(seeded()$table, one$table)
})
