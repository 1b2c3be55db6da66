supervised_data <- function(kind, n = 60, d = 12) {
  set.seed(311)
  x <- sample_matrix(n, d)
  rownames(x) <- paste0("s", seq_len(n))
  signal <- x[, 2] - 2 * x[, 5] + stats::rnorm(n, sd = 0.3)
  y <- if (kind == "class") factor(c("a", "b", "c"))[cut(signal, 3, labels = FALSE)] else signal
  list(x = x, y = y)
}

# the methods that take this kind of response without a family, one fit each through the front door
fits_to <- function(kind, data = supervised_data(kind), k = 4, ...) {
  table <- Filter(
    function(entry) {
      entry$response != "none" && kind %in% entry$responses && !takes(entry, "family")
    }, tested_table()
  )
  Map(function(method) {
    set.seed(312)
    suppressWarnings(rowsparse(data$x, data$y, k = k, method = method, ...))
  }, names(table))
}

test_that("every fit predicts its response; fitted values and residuals go with it", {
  for (kind in c("numeric", "class")) {
    data <- supervised_data(kind)
    fits <- fits_to(kind, data)
    expect_gte(length(fits), 1)
    Y <- if (kind == "class") stats::model.matrix(~ data$y - 1) else cbind(data$y)
    total <- sum(sweep(Y, 2, colMeans(Y))^2)
    for (method in names(fits)) {
      fit <- fits[[method]]
      predicted <- predict(fit, data$x)
      usual <- if (kind == "class") "class" else "response"
      expect_identical(predicted, predict(fit, data$x, type = usual), info = method)
      if (kind == "class") {
        expect_identical(levels(predicted), levels(data$y), info = method)
        expect_gt(mean(predicted == data$y), 0.5)
      } else {
        expect_gt(stats::cor(predicted, data$y), 0.5)
        expect_refused(predict(fit, data$x, type = "class"), "choice", "class labels")
      }
      response <- predict(fit, data$x, type = "response")
      expect_equal(fitted(fit), response, tolerance = 1e-8, info = method)
      expect_identical(predict(fit, type = "response"), fitted(fit), info = method)
      expect_identical(predict(fit), if (kind == "class") predicted else fitted(fit))
      expect_equal(residuals(fit), Y - response, tolerance = 1e-8, ignore_attr = TRUE)
      expect_identical(dimnames(residuals(fit)), dimnames(fitted(fit)), info = method)
      expect_equal(deviance(fit), sum(residuals(fit)^2), info = method)
      expect_identical(nobs(fit), 60L, info = method)
      expect_true(all(rownames(coef(fit))[rowSums(abs(coef(fit))) > 0][-1] %in% selected(fit)))
      expect_equal(unname(cbind(1, data$x) %*% coef(fit)), unname(fitted(fit)), tolerance = 1e-8)
      if (!method %in% c("rfs", "crfs")) {
        expect_equal(1 - deviance(fit) / total, fit$explained, tolerance = 1e-8, info = method)
        # without a ridge the others are least squares on the selected features
        plain <- stats::lm.fit(cbind(1, data$x[, fit$selected]), Y)$fitted.values
        if (kind == "numeric") expect_equal(fitted(fit), cbind(plain), ignore_attr = TRUE)
      }
    }
  }
})

core_ends_here()

test_that("sparse data, blocks of samples, excluded features and several responses are served", {
  data <- supervised_data("numeric")
  Y <- cbind(one = data$y, two = data$x[, 7] * 1e6)
  batch <- rep(c("p", "q", "r"), 20)
  holes <- replace(data$x, abs(data$x) < 0.5, 0)
  sparse <- methods::as(holes, "CsparseMatrix")
  for (method in intersect(c("cdlsr", "rfs", "ftest"), tested_methods())) {
    fit <- rowsparse(sparse, Y, k = 4, method = method, exclude = 3, block = batch)
    expect_equal(fitted(fit), predict(fit, holes, block = batch), tolerance = 1e-8,
      ignore_attr = TRUE
    )
    expect_equal(residuals(fit), Y - fitted(fit), tolerance = 1e-10, ignore_attr = TRUE)
    expect_equal(colnames(residuals(fit)), colnames(Y))
    expect_identical(residuals(unserialize(serialize(fit, NULL))), residuals(fit))
  }
})

test_that("fits without samples or without a response say so", {
  data <- supervised_data("numeric")
  for (ridge in c(0, 5)) {
    fit <- cdlsr(moments(data$x, data$y), k = 3, ridge = ridge)
    expect_equal(deviance(fit), deviance(cdlsr(data$x, data$y, 3, ridge = ridge)))
  }
  expect_identical(nobs(fit), 60L)
  expect_refused(fitted(fit), "samples", "predict(fit, x, type = \"response\")")
  expect_refused(fitted(cdlsr(row_blocks(data$x, rows = 20), data$y, 3)), "samples", "row blocks")
  # a response that the method does not use is none
  for (plain in list(css(data$x, 3), rowsparse(data$x, data$y, k = 3, method = "variance"))) {
    expect_identical(predict(plain, data$x), data$x[, plain$selected])
    expect_refused(fitted(plain), "choice", "has no response")
    expect_refused(predict(plain, data$x, type = "response"), "choice", "has no response")
  }
})

test_that("update() changes the call", {
  fit <- rowsparse(mpg ~ ., data = mtcars, k = 3, method = "cdlsr")
  expect_identical(update(fit, k = 2)$selected, fit$path$features[[2]])
  expect_identical(update(fit, method = NULL, k = 2)$call$k, 2)
  fewer <- update(fit, . ~ . - wt - am, k = 2)
  expect_identical(fewer$feature_names, setdiff(names(mtcars), c("mpg", "wt", "am")))
})

test_that("a fit of a formula serves where a formula is taken", {
  own <- transform(mtcars, cyl = factor(cyl))
  for (written in list(mpg ~ ., mpg ~ . - hp + log(hp), log(mpg) ~ hp + cyl:wt)) {
    fit <- rowsparse(written, data = own, k = 2, method = "cdlsr", subset = qsec > 16)
    model <- lm(written, own, subset = qsec > 16)
    expect_equal(model.frame(fit), model.frame(model), ignore_attr = TRUE)
    expect_equal(coef(lm(fit)), coef(model))
    expect_equal(fitted(lm(fit, own)), fitted(lm(written, own)))
    expect_identical(as.formula(fit), formula(fit))
  }
  expect_equal(model.frame(rowsparse(iris[1:4], k = 2)), iris[1:4], ignore_attr = TRUE)
  fit$call$data <- quote(nowhere)
  expect_refused(model.frame(fit), "names", "'nowhere' not found")
  expect_refused(model.frame(cdlsr(as.matrix(iris[1:3]), iris[[4]], 2)), "type", "of a table")
})

test_that("formula, degrees of freedom and likelihood are those of lm()", {
  fit <- rowsparse(mpg ~ ., data = mtcars, k = 3, method = "cdlsr", ridge = 0)
  plain <- stats::lm(mpg ~ ., mtcars[c("mpg", selected(fit))])
  expect_equal(as.double(logLik(fit)), as.double(logLik(plain)))
  expect_identical(stats::AIC(fit), stats::AIC(plain))
  expect_equal(df.residual(fit), df.residual(plain))
  weights <- rep(1:4, 8)
  weighted <- cdlsr(mtcars[-1], mtcars$mpg, 2, weights = weights)
  plain <- stats::lm(mtcars$mpg ~ as.matrix(mtcars[selected(weighted)]), weights = weights)
  expect_equal(as.double(logLik(weighted)), as.double(logLik(plain)))
  expect_refused(logLik(rowsparse(Species ~ ., data = iris, k = 2)), "choice", "3 classes")
  expect_refused(df.residual(css(mtcars, 2)), "choice", "css has no response")
  expect_equal(sigma(weighted), sigma(plain))
  expect_refused(sigma(rowsparse(Species ~ ., data = iris, k = 2)), "choice", "3 classes")
  expect_identical(nobs(fit, use.fallback = TRUE), 32L)
  expect_identical(coef(fit, complete = TRUE), coef(fit))
  expect_refused(formula(css(mtcars, 2)), "type", "must be a fit to a formula")
})

test_that("a feature called (Intercept) has a row of its own", {
  set.seed(314)
  x <- cbind("(Intercept)" = rnorm(30), b = rnorm(30))
  y <- 2 * x[, 1] + x[, 2] + rnorm(30)
  B <- coef(cdlsr(x, y, 2))
  expect_identical(rownames(B), c("(Intercept)", "`(Intercept)`", "b"))
  expect_equal(B[, 1], stats::coef(stats::lm(y ~ x)), ignore_attr = TRUE)
})

test_that("coefficients are a matrix that prints its nonzero rows", {
  x <- as.matrix(iris[, 1:3])
  fit <- cdlsr(x, iris$Petal.Width, k = 1)
  B <- coef(fit)
  shown <- utils::capture.output(B)
  expect_identical(shown, utils::capture.output(print(B)))
  expect_length(shown, 4) # header, intercept, one feature, how many are zero
  expect_match(shown[4], "and 2 rows of zeros", fixed = TRUE)
  plain <- as.matrix(B)
  expect_identical(class(plain), c("matrix", "array"))
  expect_identical(dimnames(plain), list(c("(Intercept)", colnames(x)), "y"))
  expect_identical(cbind(1, x) %*% B, cbind(1, x) %*% plain)
  expect_identical(as.matrix(2 * B), 2 * plain)
  sparse <- methods::as(Matrix::Matrix(cbind(1, x), sparse = TRUE), "generalMatrix")
  expect_equal(as.matrix(sparse %*% B), cbind(1, x) %*% plain, ignore_attr = TRUE)
  # loadings of data without names: the numbers of the rows stay
  loadings <- coef(css(unname(x), 1))
  expect_output(print(loadings), sprintf("[%d,]", which(loadings != 0)), fixed = TRUE)
  expect_output(print(loadings), "and 2 rows of zeros", fixed = TRUE)
})

# columns that are constant but for one sample, by thousandths; a new sample is far from all
edge_data <- function(n = 40) {
  set.seed(313)
  x <- sample_matrix(n, 10)
  x[, 6:9] <- 0
  x[cbind(1:4, 6:9)] <- 1e-3
  y <- x[, 1:2] + matrix(0.3 * stats::rnorm(2 * n), n)
  y[1:4, ] <- y[1:4, ] + 3
  new <- 0.3 * sample_matrix(16, 10)
  new[, 6:9] <- 0
  new[1:2, 6:9] <- 1
  list(x = x, y = y, new = new)
}

test_that("predictions go half the range of the response beyond it, whoever makes them", {
  data <- edge_data()
  reach <- function(y) apply(y, 2, range) + c(-0.5, 0.5) %o% apply(apply(y, 2, range), 2, diff)
  ends <- reach(data$y)
  fits <- list(
    cdlsr(data$x, data$y, 8), alignment(data$x, data$y, k = 8),
    rfs(data$x, data$y, lambda = 0.1), cdlsr(data$x, data$y, 8, ridge = 1e-4)
  )
  for (fit in fits) {
    free <- cbind(1, data$new) %*% unclass(coef(fit))
    expect_gt(max(abs(free)), 100)
    expect_warning(
      held <- predict(fit, data$new, type = "response"), "Predictions of 2 of 16 samples",
      class = "rowsparse_warning_limit"
    )
    for (j in 1:2) {
      expect_equal(held[, j], pmin(pmax(free[, j], ends[1, j]), ends[2, j]), ignore_attr = TRUE)
    }
    # within the limits nothing changes, nor do units
    expect_no_warning(same <- predict(fit, data$x, type = "response"))
    expect_equal(same, cbind(1, data$x) %*% unclass(coef(fit)), ignore_attr = TRUE)
  }
  # moments in parts know the smallest and the largest response as well
  parts <- moments(data$x[1:20, ], data$y[1:20, ]) + moments(data$x[-(1:20), ], data$y[-(1:20), ])
  expect_equal(suppressWarnings(predict(cdlsr(parts, k = 8), data$new)),
    suppressWarnings(predict(fits[[1]], data$new)), tolerance = 1e-6
  )
  path <- suppressWarnings(rowsparse_path(data$x, data$y, method = "rfs", lambda = c(1, 0.1)))
  expect_warning(predict(path, data$new, at = 0.1, type = "response"),
    class = "rowsparse_warning_limit"
  )
})
