# tidy(), glance() and augment(), and the table of features

# the generics' own dispatch, as broom and recipes use it
verb <- function(name) {
  skip_if_not_installed("generics")
  getExportedValue("generics", name)
}

core_ends_here()

test_that("tidy() of a fit lists the selected features as selected() does", {
  tidy <- verb("tidy")
  fit <- rowsparse(iris[, 1:4], k = 2)
  table <- tidy(fit)
  expect_named(table, c("term", "rank", "score", "selected", if (!is.null(fit$gains)) "gain"))
  expect_identical(table$term, selected(fit))
  expect_identical(table$rank, 1:2)
  expect_identical(table$score, unname(fit$scores[fit$selected]))
  expect_identical(tidy(fit, k = 1)$term, selected(fit, 1))
  if (requireNamespace("tibble", quietly = TRUE)) expect_s3_class(table, "tbl_df")

  ranked <- bsufs(iris[, 1:4], m = 2)
  expect_identical(tidy(ranked)$term, names(iris)[ranked$ranking])
  expect_false(any(tidy(ranked)$selected))
  unnamed <- variance(unname(as.matrix(iris[, 1:4])))
  expect_setequal(tidy(unnamed)$term, paste0("V", 1:4))
  test <- tidy(ftest(iris[, 1:4], iris$Species))
  best <- summary(stats::aov(Petal.Length ~ Species, iris))[[1]]
  expect_equal(test$statistic[test$term == "Petal.Length"], best[["F value"]][1])
})

test_that("coefficients and loadings come in long tables without zeros", {
  tidy <- verb("tidy")
  fit <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
  table <- tidy(fit, "coefficients")
  expect_identical(table$response, rep("y", 3))
  expect_equal(stats::setNames(table$estimate, table$term),
    stats::coef(fit)[c("(Intercept)", selected(fit)), 1]
  )
  expect_identical(nrow(tidy(fit, "coefficients", k = 1)), 2L)
  classes <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  expect_identical(unique(tidy(classes, "coefficients")$response), levels(iris$Species))

  ranked <- bsufs(iris[, 1:4], m = 2)
  loadings <- tidy(ranked, "loadings", k = 3)
  expect_named(loadings, c("term", "component", "value"))
  at <- cbind(match(loadings$term, names(iris)), as.integer(loadings$component))
  expect_identical(loadings$value, unname(ranked$loadings[at]))
  expect_setequal(loadings$term, selected(ranked, 3))

  expect_error(tidy(ranked, "coefficients"), class = "rowsparse_error_choice")
  aligned <- alignment(iris[, 1:4], iris$Species, k = 2)
  expect_error(tidy(aligned, "loadings"), class = "rowsparse_error_choice")
  expect_error(tidy(ranked, "else"), class = "rowsparse_error_choice")
  expect_error(tidy(ranked, number = 3), class = "rowsparse_error_argument")
})

test_that("glance() has one row for everything that can be glanced at", {
  glance <- verb("glance")
  fit <- css(iris[, 1:4], 2, 2)
  row <- glance(fit)
  expect_identical(nrow(row), 1L)
  expect_identical(row$method, "css")
  expect_identical(c(row$nobs, row$features, row$k), c(150L, 4L, 2L))
  expect_identical(row$explained, fit$explained)
  expect_identical(glance(bsufs(iris[, 1:4], m = 1))$k, NA_integer_)
  path <- rowsparse_path(iris[, 1:4], method = "css", k = 1:3)
  expect_identical(glance(path)$steps, 3L)
  ranks <- friedman_nemenyi(cbind(a = 1:4, b = c(2, 1, 4, 3), c = 5:8))
  expect_identical(glance(ranks)$p.value, ranks$p_value)
})

test_that("augment() gives the selected columns and what is predicted", {
  augment <- verb("augment")
  fit <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
  table <- augment(fit, iris, iris$Petal.Width)
  expect_named(table, c(selected(fit), ".fitted", ".resid"))
  expect_identical(table[[1]], iris[[selected(fit)[1]]])
  ordinary <- stats::lm(iris$Petal.Width ~ as.matrix(iris[selected(fit)]))
  expect_equal(table$.fitted, unname(stats::fitted(ordinary)))
  expect_equal(table$.resid, unname(stats::residuals(ordinary)))
  expect_named(augment(fit, iris), c(selected(fit), ".fitted"))

  two <- cdlsr(iris[, 1:2], iris[, 3:4], k = 1)
  expect_named(augment(two, iris, iris[, 3:4]), c(selected(two),
    ".fitted.Petal.Length", ".fitted.Petal.Width", ".resid.Petal.Length", ".resid.Petal.Width"
  ))
  expect_error(augment(two, iris, iris[, 3]), class = "rowsparse_error_size")

  classes <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  table <- augment(classes, iris)
  expect_identical(table$.class, predict(classes, iris, type = "class"))
  expect_error(augment(classes, iris, iris$Species), class = "rowsparse_error_choice")
  expect_error(augment(classes), class = "rowsparse_error_type")
})

test_that("augment() takes other kinds of samples and keeps their names", {
  augment <- verb("augment")
  x <- as.matrix(mtcars)
  fit <- rowsparse(x, k = 3, method = "variance")
  frame <- augment(fit, mtcars)
  expect_named(frame, c(".rownames", selected(fit)))
  expect_identical(augment(fit, x), frame)
  expect_identical(augment(fit, Matrix::Matrix(x, sparse = TRUE)), frame)
  expect_identical(dim(augment(bsufs(x, m = 2), x, k = 2)), c(32L, 3L))
  blocks <- row_blocks(x, rows = c(16, 16))
  expect_error(augment(fit, blocks), class = "rowsparse_error_type")
})

test_that("paths, tunings and cross-validations are tables of their points", {
  tidy <- verb("tidy")
  augment <- verb("augment")
  path <- rowsparse_path(iris[, 1:4], method = "bsufs", m = 2, nlambda = 5)
  table <- tidy(path)
  expect_named(table, c("step", "lambda1", "term", "rank", "score"))
  expect_identical(as.vector(table(factor(table$step, 1:5))), as.integer(path$nonzero))
  last <- table[table$step == 5, ]
  expect_identical(last$term, selected(path, at = path$grid[5]))
  expect_named(augment(path, iris, at = path$grid[2]), selected(path, at = path$grid[2]))
  for (y in list(iris$Species, iris$Petal.Width)) {
    path <- rowsparse_path(iris[, 1:3], y, method = "cdlsr", k = 1:3)
    table <- augment(path, iris, at = 2)
    fit <- rowsparse(iris[, 1:3], y, k = 2, method = "cdlsr")
    expect_equal(table[[3]], drop(predict(fit, iris)), ignore_attr = TRUE)
    expect_named(table, c(selected(path, 2), if (is.factor(y)) ".class" else ".fitted"))
  }

  set.seed(1)
  tuned <- tune_rowsparse(
    iris[, 1:4], method = "bsufs", k = 1:3, grid = list(m = 1:2), subsamples = 3
  )
  table <- tidy(tuned)
  expect_named(table, c("m", "k", "criterion", "estimate", "std.error", "chosen"))
  expect_identical(nrow(table), 12L)
  chosen <- table[table$chosen & table$criterion == tuned$criterion, ]
  expect_identical(c(chosen$k, chosen$m), c(tuned$k, tuned$setting$m))
  expect_identical(chosen$estimate, verb("glance")(tuned)$estimate)
  expect_identical(ncol(augment(tuned, iris)), tuned$k)
  likely <- tidy(tuned, "features")
  expect_named(likely, c("term", "selected", "probability"))
  expect_false(is.unsorted(-likely$probability))
  expect_setequal(likely$term[likely$selected], selected(tuned))
  share <- tuned$frequency[, as.character(tuned$k)]
  expect_equal(likely$probability, unname(share[likely$term]))
  expect_equal(sum(likely$probability), sum(share))

  cv <- cv_rowsparse(iris[, 1:4], iris$Species, k = 1:3, method = "cdlsr", folds = 5)
  expect_equal(tidy(cv)$estimate, cv$table$error)
  by_loss <- cv_rowsparse(iris[, 1:4], iris$Species, 1:3, "cdlsr", folds = 5, measure = "log_loss")
  expect_equal(tidy(by_loss)$estimate, by_loss$table$log_loss)
  expect_identical(verb("glance")(by_loss)$metric, "logarithmic loss")
  expect_identical(verb("glance")(cv)$k, cv$k)
  expect_identical(ncol(augment(cv, iris)), cv$k + 1L)
})

test_that("comparisons are long tables", {
  tidy <- verb("tidy")
  skip_if_not_installed("clue")
  set.seed(2)
  compared <- compare_methods(iris[, 1:4], iris$Species, methods = c("css", "variance"), k = 1:2,
    repeats = 2, data = "iris"
  )
  table <- tidy(compared)
  expect_named(table, c("data", "method", "k", "metric", "estimate", "std.dev"))
  expect_identical(table$estimate[table$metric == "nmi"], compared$nmi_mean)
  best <- verb("glance")(compared)
  expect_equal(best$acc.estimate, max(tapply(compared$acc_mean, compared$method, mean)))
  ranks <- friedman_nemenyi(cbind(a = 1:4, b = c(2, 1, 4, 3), c = 5:8))
  expect_identical(tidy(ranks)$method[1], "c")
})

test_that("what was changed by hand is refused", {
  tidy <- verb("tidy")
  fit <- css(iris[, 1:4], 2, 2)
  fit$ranking <- 1:3
  expect_error(tidy(fit), class = "rowsparse_error_object")
  expect_error(verb("glance")(fit), class = "rowsparse_error_object")
})

# ---- as.data.frame() ---------------------------------------------------------

test_that("the table of features goes through a file and back", {
  fit <- rowsparse(iris[, 1:4], k = 2)
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  utils::write.csv(as.data.frame(fit), file, row.names = FALSE)
  expect_equal(utils::read.csv(file), as.data.frame(fit))
})
