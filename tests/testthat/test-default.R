# The default method with a response. What every method does is in test-contract.R.

y <- from_seed(341, factor(sample(c("a", "b", "c"), 90, TRUE, c(0.6, 0.25, 0.15))))
x <- matrix(stats::rnorm(90 * 8), 90, dimnames = list(NULL, paste0("g", 1:8)))
x[, 1:3] <- x[, 1:3] + 1.5 * diag(3)[y, ]
data <- list(x = x, y = y)

# tr((X_J'X_J + r I)^-1 X_J' Y Y' X_J) of standardised features and scaled indicators
pillai <- function(x, y, set, ridge) {
  z <- scale(x)[, set, drop = FALSE]
  Y <- scale(outer(as.integer(y), seq_len(nlevels(y)), "==") + 0, scale = FALSE)
  Y <- sweep(Y, 2, sqrt(table(y)), "/")
  sum(diag(solve(crossprod(z) + diag(ridge, length(set)), tcrossprod(crossprod(z, Y)))))
}

core_ends_here()

test_that("classes get the set of largest trace, and coefficients of plain indicators", {
  fit <- rowsparse(data$x, data$y, k = 3)
  expect_s3_class(fit, "cdlsr")
  expect_equal(fit$parameters$ridge, 9)
  sets <- utils::combn(8, 3)
  values <- apply(sets, 2, function(set) pillai(data$x, data$y, set, 9))
  expect_setequal(fit$selected, sets[, which.max(values)])
  expect_equal(utils::tail(fit$objective, 1), 2 - max(values))
  plain <- outer(as.integer(data$y), 1:3, "==") + 0
  z <- scale(data$x[, fit$selected])
  slope <- solve(crossprod(z) + 9 * diag(3), crossprod(z, plain)) / attr(z, "scaled:scale")
  expect_equal(as.matrix(coef(fit))[fit$selected + 1, ], slope, ignore_attr = TRUE)
  expect_equal(sum(residuals(fit)^2), deviance(fit))
  expect_equal(colMeans(residuals(fit)), rep(0, 3), ignore_attr = TRUE)
  roles <- alternatives(data$x, fit, tolerance = 0)
  expect_equal(roles$value, max(values))
  expect_setequal(roles$best, selected(fit))
})

test_that("moments, row blocks and weights have the same default", {
  fit <- rowsparse(data$x, data$y, k = 3)
  for (other in list(
    rowsparse(moments(data$x, data$y), k = 3),
    rowsparse(row_blocks(data$x, rows = 30), data$y, k = 3)
  )) {
    expect_identical(other$selected, fit$selected)
    expect_equal(coef(other), coef(fit))
    expect_equal(deviance(other), deviance(fit))
  }
  weights <- rep(1:3, 30)
  weighted <- rowsparse(data$x, data$y, k = 3, weights = weights)
  expect_equal(weighted$parameters$ridge, 18)
  again <- rowsparse(moments(data$x, data$y, weights = weights), k = 3)
  expect_equal(coef(again), coef(weighted))
})

test_that("two classes have the sets of their numbers", {
  y <- factor(data$y == "a")
  fit <- rowsparse(data$x, y, k = 4)
  numbers <- cdlsr(data$x, as.double(y), k = 4, ridge = 9)
  expect_identical(fit$path$features, numbers$path$features)
  expect_equal(as.matrix(coef(fit))[, 2] - c(1, rep(0, 8)) * -1, as.matrix(coef(numbers))[, 1],
    ignore_attr = TRUE
  )
  expect_refused(cdlsr(data$x, rnorm(90), 2, ridge = "pillai"), "choice", "is for classes")
})

test_that("wide data with classes, several numbers, and few samples have another default", {
  wide <- from_seed(343, matrix(stats::rnorm(16 * 88), 16))
  usual <- function(x, y, k = 2) class(suppressWarnings(rowsparse(x, y, k)))[1]
  expect_identical(usual(wide, gl(2, 8)), "alignment")
  expect_identical(usual(wide[, 1:80], gl(2, 8)), "cdlsr")
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    cells <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(wide[, 1:80])))
    expect_identical(usual(cells, gl(2, 8)), "alignment")
    expect_identical(usual(row_blocks(cells), gl(2, 8)), "alignment")
  }
  expect_identical(usual(data$x, data$x[, 1:2]), "alignment")
  expect_identical(usual(wide[, 1:80], stats::rnorm(16), 9), "alignment")
})

test_that("a set that predicts nothing on samples left out is told", {
  x <- from_seed(342, matrix(stats::rnorm(60 * 30), 60))
  y <- stats::rnorm(60)
  expect_warning(fit <- rowsparse(x, y, k = 5), class = "rowsparse_warning_no_better")
  expect_gte(min(fit$ridge_choice$errors$error), 1)
  expect_output(print(fit), "No better than the mean")
  # classes, whose samples were left out of the classifier alone, not of the selection
  class <- gl(2, 30)
  same <- rbind(x[1:30, 1:3], x[1:30, 1:3] + 1e-6 * x[31:60, 1:3])
  expect_warning(fit <- rowsparse(same, class, k = 2), class = "rowsparse_warning_no_better")
  expect_gte(fit$left_out[["rule"]], fit$left_out[["prior"]])
  expect_equal(fit$left_out[["prior"]], log(2))
  expect_output(print(fit), "No better than the shares")
  x[, 1] <- x[, 1] + 2 * y
  x[, 2] <- x[, 2] + as.integer(class)
  expect_no_warning(rowsparse(x, y, k = 5), class = "rowsparse_warning_no_better")
  expect_no_warning(rowsparse(x, class, k = 5), class = "rowsparse_warning_no_better")
})
