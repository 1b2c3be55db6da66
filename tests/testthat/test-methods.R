x <- from_seed(61, sample_matrix(30, 12))

example_fit <- function(...) bsufs(x, 2, ...)

core_ends_here()

printed <- function(fit, ...) capture.output(print(fit, ...))

test_that("the first line says how many of how many were selected, and which", {
  fit <- css(x, 3, 2)
  expect_identical(
    printed(fit)[1],
    paste0("3 of 12 features selected by css: ", paste(selected(fit), collapse = ", "))
  )
  expect_match(printed(css(x, 1))[1], "^1 of 12 features selected by css: g[0-9]+$")
  expect_match(printed(css(unname(x), 2, 2))[1], "by css: columns [0-9]+, [0-9]+$")
  many <- css(x, 11)
  expect_identical(printed(many), utils::capture.output(print(many, n = 10)))
  # a ranking: those with a score only, best first
  fit <- bsufs(x, 2, lambda1 = 0.7 * bsufs(x, 2)$parameters$lambda1_max)
  scored <- sum(fit$scores > 0)
  expect_lt(scored, 10)
  expect_match(paste(printed(fit), collapse = " "),
    sprintf("12 features ranked by bsufs, %d with a nonzero score: %s", scored,
      paste(selected(fit, scored), collapse = ", ")
    )
  )
  empty <- suppressWarnings(bsufs(x, 2, lambda1 = 1e6))
  expect_identical(printed(empty)[1], "12 features ranked by bsufs, none with a nonzero score")
  filled <- suppressWarnings(rowsparse(x, k = 6, method = "bsufs", m = 2, lambda1 = 1e6))
  expect_match(printed(filled)[1], "6 of 12 features selected by bsufs, 6 with a score of zero")
})

test_that("what is printed fits the console", {
  colnames(x)[1:6] <- paste0("a_gene_with_a_name_that_goes_on_and_on_and_on_", 1:6)
  colnames(x)[7] <- "two\nlines"
  fit <- css(x, 12, 2)
  for (width in c(40, 80)) {
    old <- options(width = width)
    lines <- printed(fit, n = Inf)
    options(old)
    expect_lte(max(nchar(lines)), max(width, 60))
    for (name in c("a_gene_with_a_n...n_and_on_1", "two\\nlines", "g12")) {
      expect_match(paste(lines, collapse = " "), name, fixed = TRUE)
    }
  }
  expect_match(paste(printed(fit, n = 2), collapse = " "), ", [^,]+, \\.\\.\\.")
})

test_that("the second line tells samples and response, and summaries the course", {
  expect_match(printed(cdlsr(x, x[, 1:2], 2))[2], "^30 samples, 2 numeric responses$")
  expect_no_match(printed(summary(css(x, 2, 2, solver = "forward"))), "after 0|->")
  expect_match(printed(summary(kmeans_ufs(x, 2, 3))), "^solved, [0-9.]+ s$", all = FALSE)
})

test_that("selected() gives names or indices, as.data.frame() and coef() their rows", {
  fit <- example_fit()
  expect_identical(selected(fit, 3), paste0("g", fit$ranking[1:3]))
  expect_identical(as.matrix(coef(fit)), fit$loadings)
  table <- as.data.frame(fit)
  expect_identical(names(table), c("feature", "index", "rank", "score", "selected"))
  expect_identical(table$feature, paste0("g", fit$ranking))
  expect_identical(table$score, unname(fit$scores[fit$ranking]))
  expect_error(selected(fit), class = "rowsparse_error_range")
  expect_error(selected(fit, 13), class = "rowsparse_error_range")
  sparse <- suppressWarnings(example_fit(lambda1 = fit$parameters$lambda1_max, p = 0))
  expect_warning(selected(sparse, 12), class = "rowsparse_warning_fill")
  # scores of zero are ordered by the row norms of W
  none <- suppressWarnings(example_fit(lambda1 = 1e6))
  expect_true(all(none$scores == 0))
  expect_identical(none$ranking, order(-plain_norms(none$W)))
})

test_that("predict restricts and projects", {
  fit <- bsufs(x, 2, scale = TRUE)
  top <- fit$ranking[1:4]
  expect_identical(predict(fit, x, k = 4), x[, top])
  expect_identical(predict(fit, x[, sample(12)], k = 4), x[, top])
  expect_identical(predict(fit, unname(x), k = 4), unname(x)[, top])
  expected <- unname(centred(x, TRUE) %*% fit$loadings)
  expect_equal(unname(predict(fit, x, type = "components")), expected)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(unname(predict(fit, sparse, type = "components")), expected)
  few <- centred(x, TRUE)[, top] %*% fit$loadings[top, ]
  expect_equal(unname(predict(fit, x, k = 4, type = "components")), unname(few))
  # tables with other columns beside, and no samples at all
  expect_identical(predict(fit, data.frame(id = "a", x), k = 4), data.frame(x[, top]))
  expect_identical(dim(predict(fit, x[0, ], type = "components")), c(0L, 2L))
})

test_that("predict() takes a SummarizedExperiment as the fit did", {
  skip_if_not_installed("SummarizedExperiment")
  x <- from_seed(64, sample_matrix(30, 12))
  se <- SummarizedExperiment::SummarizedExperiment(list(other = 0 * t(x), logcounts = t(x)))
  fit <- rowsparse(se, k = 4, method = "bsufs", m = 2)
  part <- predict(fit, se)
  expect_s4_class(part, "SummarizedExperiment")
  expect_identical(rownames(part), selected(fit))
  # features are found by name, in any order
  expect_equal(predict(fit, se[12:1, 1:5], type = "components"),
    predict(fit, x[1:5, ], type = "components"), ignore_attr = TRUE
  )
  expect_equal(unname(predict(fit, se, type = "components", assay = "other")),
    unname(predict(fit, 0 * x, type = "components"))
  )
  classes <- cdlsr(se, factor(x[, 1] > 0), 3)
  expect_identical(predict(classes, se), predict(classes, x))
  expect_refused(predict(classes, se, type = "response", assay = "counts"), "choice", "`assay`")
})

test_that("new data that are no samples are refused, whatever is asked of them", {
  x <- from_seed(65, sample_matrix(20, 6))
  fit <- cdlsr(x, x[, 1], 3)
  for (newdata in list(NULL, letters, matrix("1", 20, 6), list(1), moments(x), mean, 1:6)) {
    for (type in c("features", "components", "response")) {
      expect_refused(predict(fit, newdata, 3, type), "type", "`newdata` must be samples")
    }
  }
  expect_refused(predict(fit, x[, setdiff(1:6, fit$ranking[1])], 3), "names", "1 missing")
  expect_refused(predict(fit, unname(x[, 1:3]), 3), "size", "6 features of the fit")
  expect_refused(predict(css(x, 3, m = Inf), x, k = 2, type = "components"), "choice",
    "\"components\" needs loadings, which css does not have for `m = Inf`; \"features\" gives"
  )
})

test_that("counts of what is shown are checked, and Inf is all", {
  fit <- example_fit()
  for (n in list(NULL, 0, 1.5, "a")) {
    expect_each_refused("range", "`n`" = print(fit, n = n), "`n`" = summary(fit, n = n))
  }
  expect_output(print(fit, n = Inf), "g")
})

test_that("a factor is one row of the table of features, and is drawn once", {
  fit <- rowsparse(Sepal.Length ~ ., data = iris, k = 3, method = "cdlsr")
  table <- as.data.frame(fit)
  expect_identical(table$selected, table$feature %in% selected(fit))
  expect_identical(table$columns[table$feature == "Species"], 3L)
  expect_identical(rowsparse:::scores_picture(fit, 50, 10)$table$feature, table$feature)
})

test_that("the methods are one screen, and some of their columns an ordinary table", {
  known <- rowsparse_methods()
  old <- options(width = 60)
  lines <- printed(known)
  options(old)
  expect_lte(max(nchar(lines)), 60)
  expect_lte(length(lines), nrow(known) + 6L)
  expect_identical(sub("^ *([^ ]+) .*", "\\1", lines[1 + seq_len(nrow(known))]), known$method)
  part <- known[, c("method", "title")]
  expect_identical(printed(part), printed(data.frame(method = known$method, title = known$title)))
})
