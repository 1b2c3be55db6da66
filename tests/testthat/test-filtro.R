# The score for filtro, where that is installed: make test-ecosystem.

filtro <- function(name) {
  skip_if_not_installed("filtro")
  getExportedValue("filtro", name)
}

results <- function(score) S7::prop(score, "results")

core_ends_here()

test_that("results are those of the fit, in the columns of filtro's own scores", {
  skip_if_not_installed("filtro")
  x <- as.matrix(iris[, 1:4])
  own <- filtro("fit")(filtro("score_aov_fstat"), Species ~ ., data = iris)
  for (method in list(NULL, "ftest", "cdlsr", "css", "alignment")) {
    scored <- filtro("fit")(score_rowsparse(method, k = 2), Species ~ ., data = iris)
    fit <- rowsparse(x, iris$Species, 2, method)
    expect_s3_class(scored, "filtro::class_score")
    expect_identical(names(results(scored)), names(results(own)))
    expect_equal(results(scored)$score, unname(fit$scores))
    expect_identical(results(scored)$predictor, colnames(x))
    expect_identical(unique(results(scored)$outcome), "Species")
    expect_identical(unique(results(scored)$name), paste(c("rowsparse", method), collapse = "_"))
    best <- filtro("show_best_score_num")(scored, num_terms = 2)
    expect_setequal(best$predictor, colnames(x)[fit$selected])
  }
  expect_true("filtro" %in% filtro("required_pkgs")(scored))
  bound <- filtro("bind_scores")(list(own, scored))
  expect_true(all(c("aov_fstat", "rowsparse_alignment") %in% names(bound)))
})

test_that("ties have an order, other kinds of predictors no score, and weights count", {
  skip_if_not_installed("filtro")
  twins <- data.frame(y = sin(1:30), a = cos(1:30), twin = cos(1:30), group = gl(3, 10))
  run <- function(score, ...) filtro("fit")(score, y ~ ., data = twins, ...)
  scored <- run(score_rowsparse("variance"))
  expect_identical(is.na(results(scored)$score), c(FALSE, FALSE, TRUE))
  expect_identical(nrow(filtro("show_best_score_num")(scored, num_terms = 1)), 1L)
  filled <- filtro("fill_safe_value")(scored)
  filled <- if (is.data.frame(filled)) filled else results(filled)
  expect_identical(which.max(filled$score), 3L)
  weights <- rep(1:2, 15)
  twins$twin <- twins$twin^2
  expect_equal(
    results(run(score_rowsparse("cdlsr", k = 1), case_weights = weights))$score[1:2],
    unname(cdlsr(twins[, 2:3], twins$y, 1, weights = weights)$scores)
  )
  scaled <- run(score_rowsparse("css", k = 1, scale = FALSE))
  expect_equal(results(scaled)$score[1:2], unname(css(twins[, 2:3], 1, scale = FALSE)$scores))
})

test_that("what is wrong with a score is told", {
  if (!requireNamespace("filtro", quietly = TRUE)) {
    expect_refused(score_rowsparse(), "package", "filtro")
    skip("filtro is not installed")
  }
  expect_refused(score_rowsparse("nosuch"), "choice", "`method`")
  expect_refused(score_rowsparse("ftest", ridge = 1), "argument", "`ridge`")
  expect_refused(score_rowsparse(k = 0), "range", "`k`")
  run <- function(formula, data = iris, ...) {
    filtro("fit")(score_rowsparse("ftest"), formula, data = data, ...)
  }
  expect_refused(run(Sepal.Length ~ Species), "type", "numeric predictors")
  expect_refused(run(Species ~ ., weight = 1), "argument", "`weight`")
  expect_refused(run(Species ~ ., case_weights = rep(1, 150)), "argument", "`weights`")
})
