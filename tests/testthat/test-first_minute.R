test_that("features of different units are told, once and with the way out", {
  expect_message(fit <- rowsparse(mtcars, k = 3), "scale = TRUE", class = "rowsparse_message_scale")
  expect_message(rowsparse(as.matrix(mtcars), k = 3, method = "css"), "css takes large numbers",
    class = "rowsparse_message_scale"
  )
  expect_message(rowsparse(~., data = mtcars, k = 3), class = "rowsparse_message_scale")
  expect_no_message(rowsparse(mtcars, k = 3, scale = TRUE))
  expect_no_message(rowsparse(mtcars, k = 3, scale = FALSE))
  expect_no_message(rowsparse(mpg ~ ., data = mtcars, k = 3)) # which scales
  expect_no_message(rowsparse(mtcars, k = 3, method = "variance")) # which has no scale
  expect_no_message(rowsparse(iris[1:4], k = 2))
  expect_no_message(css(mtcars, 3))
})

core_ends_here()

test_that("pixels, genes and expression objects are not asked about their units", {
  set.seed(331)
  # an image with an empty border
  light <- outer(stats::dnorm(1:16, 8, 2), stats::dnorm(1:16, 8, 2))
  image <- matrix(stats::runif(40 * 256), 40) * rep(pmax(c(light) / max(light), 0.2), each = 40)
  expect_no_message(rowsparse(image, k = 5, method = "css"))
  genes <- matrix(stats::rnorm(20 * 600), 20) * rep(10^stats::runif(600, 0, 4), each = 20)
  expect_no_message(rowsparse(genes, k = 5, method = "variance"))
  expect_no_message(rowsparse(genes, k = 5, method = "css", m = 3))
  few <- genes[, 1:30]
  expect_message(rowsparse(few, k = 5, method = "css"), class = "rowsparse_message_scale")
  expect_no_message(rowsparse(methods::as(few, "CsparseMatrix"), k = 5, method = "css"))
  expect_no_message(rowsparse(moments(few), k = 5, method = "css"))
  skip_if_not_installed("SummarizedExperiment")
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(few)))
  expect_no_message(rowsparse(object, k = 5, method = "css"))
})

test_that("print() says which, of how many, how good, who chose the size, and what comes next", {
  fit <- rowsparse(Species ~ ., data = iris, k = 2)
  shown <- utils::capture.output(print(fit))
  expect_match(shown[1], "^2 of 4 features selected by cdlsr: Petal")
  expect_identical(shown[2], "150 samples, 3 classes")
  expect_match(paste(shown, collapse = ""), "not of the selection: 0.04.*wrong.*alone 0.67")
  expect_match(shown, "^Size: 2 features as asked; cv_rowsparse", all = FALSE)
  expect_match(shown, "^Not proved", all = FALSE)
  expect_match(shown, "^Next: predict\\(\\), coef\\(\\)", all = FALSE)
  expect_no_match(shown, "objective|iteration|ridge .*n:")
  expect_output(print(summary(fit)), "converged after [0-9]+ iterations?, [0-9.]+ s\nobjective")
  named <- utils::capture.output(print(rowsparse(iris[, 1:4], method = "css", m = 2)))
  expect_match(named, "^Reproduced: 1 of the sum of squares of the data", all = FALSE)
  expect_match(named, "^Size: 4 features by default", all = FALSE)
  expect_output(print(bsufs(iris[, 1:4])), "\nSize: not chosen; selected\\(fit, k\\)")
  sizes <- cv_rowsparse(iris[, 1:4], iris$Species, k = 1:2, folds = 3)
  expect_output(print(sizes$fit), "\nSize: [12] features? by cross-validation")
})

test_that("a default that takes a feature and its copy says so", {
  x <- from_seed(7, matrix(stats::rnorm(80 * 8), 80, dimnames = list(NULL, letters[1:8])))
  x <- cbind(x, twin = -3 * x[, 2] + 5)
  y <- x[, 2] + stats::rnorm(80) / 9
  expect_message(fit <- rowsparse(x, y, k = 9), "`twin` of `b`|`b` of `twin`",
    class = "rowsparse_message_copies"
  )
  expect_no_message(rowsparse(x[, 1:8], y, k = 4))
  expect_no_message(other <- rowsparse(x, y, k = 8, diverse = TRUE))
  expect_length(intersect(c("b", "twin"), selected(other)), 1L)
})
