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
  expect_identical(inherits(table, "tbl_df"), requireNamespace("tibble", quietly = TRUE))
  expect_identical(table$score, unname(fit$scores[fit$selected]))
  expect_identical(tidy(fit, k = 1)$term, selected(fit, 1))

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
  through_zero <- cdlsr(cbind(c(-1, 1, -1, 1), c(1, -1, -1, 1)), c(-1, 1, -2, 2), k = 1, ridge = 0)
  expect_identical(tidy(through_zero, "coefficients")$term, c("(Intercept)", "V1"))
  classes <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  expect_identical(unique(tidy(classes, "coefficients")$response), levels(iris$Species))

  ranked <- bsufs(iris[, 1:4], m = 2)
  test <- ftest(iris[, 1:4], iris$Species)
  loadings <- tidy(ranked, "loadings", k = 3)
  expect_named(loadings, c("term", "component", "value"))
  at <- cbind(match(loadings$term, names(iris)), as.integer(loadings$component))
  expect_identical(loadings$value, unname(ranked$loadings[at]))
  expect_setequal(loadings$term, selected(ranked, 3))

  expect_each_refused("choice",
    "supervised" = tidy(ranked, "coefficients"), "ftest has none" = tidy(test, "loadings")
  )
})

test_that("glance() has one row", {
  glance <- verb("glance")
  fit <- css(iris[, 1:4], 2, 2)
  row <- glance(fit)
  expect_identical(nrow(row), 1L)
  expect_identical(row$method, "css")
  expect_identical(c(row$nobs, row$features, row$k), c(150L, 4L, 2L))
  expect_identical(row$explained, fit$explained)
  expect_identical(glance(bsufs(iris[, 1:4], m = 1))$k, NA_integer_)
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
  classes <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  expect_identical(augment(classes, iris)$.class, predict(classes, iris, type = "class"))
  expect_each_refused("size", "2 columns" = augment(two, iris, iris[, 3]))
  expect_each_refused("choice", "`y`" = augment(classes, iris, iris$Species))
  expect_each_refused("type", "`data` must be samples" = augment(classes),
    "in memory" = augment(classes, row_blocks(as.matrix(iris[1:4]), rows = 150))
  )
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
})
