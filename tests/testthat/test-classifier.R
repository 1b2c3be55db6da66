classified_data <- function() {
  set.seed(321)
  x <- sample_matrix(60, 12)
  rownames(x) <- paste0("s", 1:60)
  y <- factor(c("low", "mid", "high"))[cut(x[, 2] - x[, 5] + stats::rnorm(60), 3, labels = FALSE)]
  list(x = x, y = y)
}

test_that("classes and probabilities of every method go together", {
  data <- classified_data()
  table <- Filter(
    function(entry) entry$response != "none" && "class" %in% entry$responses, tested_table()
  )
  for (method in names(table)) {
    set.seed(5)
    fit <- suppressWarnings(rowsparse(data$x, data$y, k = 4, method = method,
      family = family_of(method)
    ))
    p <- predict(fit, data$x, type = "prob")
    expect_identical(dimnames(p), list(rownames(data$x), levels(data$y)), info = method)
    expect_equal(rowSums(p), rep(1, 60), ignore_attr = TRUE, info = method)
    expect_identical(as.character(predict(fit, data$x)), colnames(p)[max.col(p)], info = method)
    expect_equal(predict(fit, type = "prob"), p, tolerance = 1e-8, info = method)
    expect_identical(predict(fit, type = "class"), predict(fit, data$x))
    expect_equal(predict(fit, type = "response"), fitted(fit))
    kept <- unserialize(serialize(fit, NULL))
    expect_identical(predict(kept, data$x, type = "prob"), p)
  }
})

core_ends_here()

test_that("a rule of k features is that of the first k", {
  data <- classified_data()
  fit <- ftest(data$x, data$y)
  for (k in c(1, 3, 12)) {
    chosen <- fit$ranking[seq_len(k)]
    rule <- rowsparse:::discriminant(unname(data$x[, chosen, drop = FALSE]), as.integer(data$y), 3)
    scores <- rule$temperature * rowsparse:::discriminant_scores(rule,
      data$x[, chosen, drop = FALSE]
    )
    expect_equal(predict(fit, data$x, k = k, type = "prob"), rowsparse:::softmax(scores),
      tolerance = 1e-8, ignore_attr = TRUE
    )
  }
  path <- rowsparse_path(data$x, data$y, method = "cdlsr", k = 1:3)
  fit <- cdlsr(data$x, data$y, k = 3)
  expect_equal(predict(path, data$x, at = 2, type = "prob"),
    predict(fit, data$x, k = 2, type = "prob"), tolerance = 1e-8
  )
  expect_identical(dim(predict(path, data$x, type = "prob")), c(60L, 3L, 3L))
  expect_identical(predict(path, data$x)[, 3], as.character(predict(fit, data$x)),
    ignore_attr = TRUE
  )
})

test_that("priors are shares of the classes", {
  data <- classified_data()
  fit <- rowsparse(data$x, data$y, k = 3)
  p <- predict(fit, data$x, type = "prob")
  share <- as.vector(table(data$y)) / 60
  expect_equal(predict(fit, data$x, type = "prob", prior = 7 * share), p)
  prior <- c(low = 0.5, mid = 0.4, high = 0.1)
  odds <- sweep(p, 2, prior[levels(data$y)] / share, "*")
  shifted <- predict(fit, data$x, type = "prob", prior = prior)
  expect_equal(shifted, odds / rowSums(odds))
  classes <- predict(fit, data$x, prior = unname(prior[levels(data$y)]))
  expect_identical(colnames(p)[max.col(shifted)], as.character(classes))
})

test_that("sparse data, blocks and weights are served", {
  data <- classified_data()
  data$x[abs(data$x) < 0.4] <- 0
  dense <- cdlsr(data$x, data$y, k = 4, exclude = 3)
  sparse <- methods::as(data$x, "CsparseMatrix")
  fit <- cdlsr(sparse, data$y, k = 4, exclude = 3)
  expect_equal(predict(fit, sparse, type = "prob"), predict(dense, data$x, type = "prob"),
    tolerance = 1e-5
  )
  batch <- rep(c("p", "q", "r"), 20)
  shifted <- data$x + 3 * match(batch, letters)
  fit <- rowsparse(shifted, data$y, k = 4, block = batch)
  inside <- predict(fit, shifted, type = "prob", block = batch)
  expect_equal(inside, predict(fit, type = "prob"), tolerance = 1e-8)
  weights <- rep(c(1, 2, 0), 20)
  fit <- cdlsr(data$x, data$y, k = 4, weights = weights)
  expect_equal(predict(fit, type = "prob"), predict(fit, data$x[weights > 0, ], type = "prob"),
    tolerance = 1e-8
  )
})

test_that("of very many samples the fit keeps some of each class", {
  rows <- rowsparse:::training_rows(rep(1:3, c(5, 1000, 30000)), 2000)
  expect_lte(length(rows), 2010)
  expect_gte(sum(rows <= 5), 2)
  expect_null(rowsparse:::training_rows(rep(1:2, 50), 1000))
  data <- classified_data()
  fit <- rowsparse(data$x, data$y, k = 3, method = "ftest")
  fit <- rowsparse:::with_training(fit, rowsparse:::as_data(data$x), most = 30)
  expect_lte(nrow(fit$training$values), 32)
  expect_equal(predict(fit, type = "prob"), predict(fit, data$x, type = "prob"), tolerance = 1e-8)
})

test_that("fits of moments have linear discriminants from sums over the samples", {
  data <- classified_data()
  held <- cdlsr(data$x, data$y, k = 3, exclude = 2)
  for (scale in c(FALSE, TRUE)) {
    fit <- cdlsr(moments(1e3 * data$x, data$y), k = 3, exclude = 2, scale = scale)
    p <- predict(fit, 1e3 * data$x, type = "prob")
    expect_equal(rowSums(p), rep(1, 60), ignore_attr = TRUE)
    expect_gte(mean(predict(fit, 1e3 * data$x) == predict(held, data$x)), 0.9)
    told <- predict(fit, 1e3 * data$x, type = "prob", prior = c(8, 1, 1))
    odds <- p * rep(c(8, 1, 1) / fit$response$mean, each = 60)
    expect_equal(told, odds / rowSums(odds), ignore_attr = TRUE)
    expect_refused(predict(fit, type = "class"), "samples", "a fit of moments")
  }
  batch <- rep(c("p", "q", "r"), 20)
  shifted <- data$x + 3 * match(batch, letters)
  inside <- cdlsr(moments(shifted, data$y, block = batch), k = 4)
  expect_gt(mean(predict(inside, shifted, block = batch) == data$y), 0.7)
})

test_that("the rule from sums is the usual one where nothing is shrunken", {
  set.seed(322)
  n <- 4000
  class <- rep(1:3, c(2000, 1500, 500))
  root <- matrix(c(1, 0.8, 0, 0.6), 2)
  x <- matrix(stats::rnorm(2 * n), n) %*% root + cbind(class, 2 * (class == 2))
  x <- sweep(x, 2, colMeans(x))
  B <- t(rowsum(x, class))
  size <- tabulate(class)
  rule <- rowsparse:::discriminant_of_sums(crossprod(x), B, size)
  expect_lte(rule$shrinkage[["covariance"]], 0.0101)
  mean <- t(B) / size
  inside <- crossprod(x - mean[class, ]) / (n - 3)
  R <- stats::cov2cor(inside)
  l <- rule$shrinkage[["covariance"]]
  a <- rule$shrinkage[["variance"]]
  v <- exp((1 - a) * log(diag(inside)) + a * stats::median(log(diag(inside))))
  S <- (1 - l) * inside + l * diag(v)
  expect_equal(rule$slope, solve(S, t(mean)), ignore_attr = TRUE)
  expect_equal(rule$intercept, log(size / n) - rowSums(t(solve(S, t(mean))) * mean) / 2)
  # normal samples of this number: what single samples say is nearly the same
  own <- rowsparse:::discriminant(x, class, 3)
  expect_equal(own$slope, rule$slope, tolerance = 0.02)
  expect_equal(own$temperature, 1, tolerance = 0.1)
  expect_gt(rule$temperature, 0.99)
  # and fewer samples are believed less
  few <- rowsparse:::discriminant_of_sums(crossprod(x) / 200, B / 200, size / 200)
  expect_lt(few$temperature, 0.95)
})
