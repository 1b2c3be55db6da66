# Every class that the package returns, and what can be asked of its objects. A class
# or a method that is missing here fails the first test.
generics_of <- list(
  rowsparse = c("print", "summary", "plot", "autoplot", "coef", "predict", "as.data.frame",
    "selected"
  ),
  rowsparse_path = c("print", "summary", "plot", "autoplot", "coef", "predict", "as.data.frame",
    "selected"
  ),
  rowsparse_tuning = c("print", "summary", "plot", "autoplot", "coef", "predict",
    "as.data.frame", "selected"
  ),
  cv_rowsparse = c("print", "summary", "plot", "autoplot", "coef", "predict", "as.data.frame",
    "selected"
  ),
  selection_error = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  error_comparison = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  feature_evaluation = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  method_comparison = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  panel_comparison = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  improved_panel = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  friedman_nemenyi = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  rowsparse_moments = c("print", "summary", "predict", "as.data.frame"),
  rowsparse_blocks = c("print", "summary", "as.data.frame"),
  rowsparse_cost = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  feature_alternatives = c("print", "summary", "plot", "autoplot", "as.data.frame"),
  rowsparse_control = "print"
)

class_examples <- function() {
  set.seed(161)
  x <- sample_matrix(40, 6)
  y <- factor(x[, 1] > 0)
  evaluation <- data.frame(method = rep(c("a", "b"), each = 2), k = c(1, 2, 1, 2), runs = 3,
    acc_mean = c(0.5, 0.7, 0.9, 0.6), acc_sd = 0.1, nmi_mean = c(0.1, 0.2, 0.4, 0.3), nmi_sd = 0.1
  )
  class(evaluation) <- c("feature_evaluation", "data.frame")
  comparison <- rbind(data.frame(data = "one", evaluation), data.frame(data = "two", evaluation))
  comparison$elapsed <- 0.5
  comparison$note <- ""
  class(comparison) <- c("method_comparison", "feature_evaluation", "data.frame")
  list(
    rowsparse = rowsparse(x, k = 3, method = "css"),
    rowsparse_path = rowsparse_path(x, method = "bsufs", m = 2, nlambda = 4),
    rowsparse_tuning = tune_rowsparse(x, method = "bsufs", k = 2:4, grid = list(m = 1:2),
      subsamples = 3
    ),
    cv_rowsparse = cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 5),
    error_comparison = compare_methods(x, y, methods = c("css", "ftest"), k = 1:2,
      criterion = "error",
      folds = 4, random = 2
    ),
    selection_error = selection_error(x, y, 1:3, "ftest", folds = 4),
    feature_evaluation = evaluation,
    method_comparison = comparison,
    panel_comparison = compare_panels(list(ours = 1:2), x, types = y),
    improved_panel = improve(1:2, x, m = 1),
    friedman_nemenyi = friedman_nemenyi(cbind(a = 1:4, b = c(2, 1, 4, 3), c = 5:8)),
    rowsparse_moments = moments(x, y),
    rowsparse_blocks = row_blocks(function(i) x[20 * (i - 1) + 1:20, ], rows = c(20, 20)),
    rowsparse_cost = rowsparse_cost(x, method = c("css", "fspca"), k = 2),
    feature_alternatives = alternatives(x, fspca(x, k = 2, m = 2)),
    rowsparse_control = rowsparse_control(tol = 1e-8),
    x = x
  )
}

# the class of an object that this package registers a method for
registered <- function(generic, class) {
  home <- asNamespace(if (generic == "autoplot") "ggplot2" else "rowsparse")
  !is.null(utils::getS3method(generic, class, optional = TRUE, envir = home))
}

core_ends_here()

test_that("every class has the methods that make sense for it", {
  for (class in names(generics_of)) {
    tables <- c("feature_evaluation", "method_comparison", "error_comparison")
    inherited <- if (class %in% tables) "as.data.frame"
    for (generic in setdiff(generics_of[[class]], inherited)) {
      if (generic == "autoplot" && !requireNamespace("ggplot2", quietly = TRUE)) next
      expect_true(registered(generic, class), label = paste0(generic, ".", class))
    }
  }
  # what prints has a row above, but for summaries and fits of single methods
  methods <- asNamespace("rowsparse")[[".__NAMESPACE__."]]$S3methods
  classes <- methods[methods[, 1] == "print", 2]
  # and for the step of recipes and the bound of a set
  plain <- setdiff(classes[!startsWith(classes, "summary.")],
    c(rowsparse_methods()$method, "spec_fit", "step_select_rowsparse", "fspca_bound",
      "rowsparse_coef", "panel_rules"
    )
  )
  expect_setequal(plain, names(generics_of))
})

test_that("every method works on an object of its class", {
  examples <- class_examples()
  draw_nowhere()
  for (class in names(generics_of)) {
    object <- examples[[class]]
    expect_s3_class(object, class)
    for (generic in generics_of[[class]]) {
      value <- switch(generic,
        print = {
          expect_output(shown <- withVisible(print(object)))
          expect_identical(shown, list(value = object, visible = FALSE))
        },
        summary = expect_output(print(summary(object))),
        plot = expect_identical(plot(object), object),
        autoplot = if (requireNamespace("ggplot2", quietly = TRUE)) {
          expect_s3_class(ggplot2::autoplot(object), "ggplot")
        },
        coef = expect_true(is.numeric(if (class == "rowsparse_path") {
          coef(object, object$grid[2])
        } else {
          coef(object)
        })),
        predict = expect_identical(NROW(if (class == "rowsparse_path") {
          predict(object, examples$x, object$grid[2])
        } else {
          predict(object, examples$x)
        }), 40L),
        as.data.frame = expect_identical(class(as.data.frame(object)), "data.frame"),
        selected = expect_length(selected(object, 2), 2)
      )
    }
  }
})

test_that("summaries refuse further arguments, and print what they hold", {
  examples <- class_examples()
  for (class in names(Filter(function(generics) "summary" %in% generics, generics_of))) {
    expect_refused(summary(examples[[class]], what = 1), "argument", "`what`")
    if (!is.data.frame(examples[[class]])) {
      expect_refused(as.data.frame(examples[[class]], what = 1), "argument", "`what`")
    }
  }
  table <- summary(examples$rowsparse_tuning)$table
  expect_identical(table$k, 2:4)
  expect_identical(table$k[table$chosen], examples$rowsparse_tuning$k)
  means <- summary(examples$feature_evaluation)
  expect_equal(means$acc_mean, c(0.6, 0.75))
  expect_equal(means$k_best, c(2, 1))
  expect_equal(means$nmi_best, c(0.2, 0.4))
  both <- summary(examples$method_comparison)
  expect_identical(both$methods$method, c("b", "a"))
  expect_equal(both$methods$acc_mean, c(0.75, 0.6))
  expect_identical(both$methods$acc_wins, c(2, 0))
  expect_equal(both$sets[both$sets$data == "two", names(means)], means, ignore_attr = TRUE)
})

test_that("a Friedman summary judges every pair as the critical difference does", {
  test <- friedman_nemenyi(cbind(a = 1:9, b = c(2, 1, 4, 3, 9, 8, 7, 2, 1), c = 5:13, d = 21:29))
  pairs <- summary(test)$pairs
  expect_identical(nrow(pairs), 6L)
  expect_identical(pairs$differ, pairs$p_value < test$alpha)
  expect_identical(pairs$differ, pairs$difference > test$critical_difference)
  expect_true(any(pairs$differ) && !all(pairs$differ))
  expect_false(is.unsorted(-pairs$difference))
})

test_that("moments tell means, variances and the spectrum", {
  set.seed(162)
  x <- sample_matrix(40, 6)
  sums <- moments(x)
  table <- as.data.frame(sums)
  expect_identical(table$feature, colnames(x))
  expect_equal(table$mean, unname(colMeans(x)))
  expect_equal(table$variance, unname(apply(x, 2, stats::var)))
  shares <- eigen(scatter(x))$values / sum(diag(scatter(x)))
  expect_equal(summary(sums)$shares, shares)
  expect_identical(summary(sums, n = 2)$table$feature,
    colnames(x)[order(-table$variance)[1:2]]
  )
  # one sample has no variance, and constant features no spectrum
  single <- moments(x[1, , drop = FALSE])
  expect_true(all(is.na(as.data.frame(single)$variance)))
  for (flat in list(single, moments(0 * x + 1))) {
    expect_output(print(summary(flat)), "Moments")
    expect_null(summary(flat)$shares)
  }
  wide <- moments(sample_matrix(10, 80))
  expect_lte(sum(summary(wide)$shares), 1 + 1e-12)
})

test_that("blocks tell their rows, and settings their values", {
  x <- as.matrix(iris[, 1:4])
  blocks <- row_blocks(function(i) x[list(1:60, 61:150)[[i]], ], rows = c(60, 90))
  expect_identical(as.data.frame(blocks),
    data.frame(block = 1:2, first = c(1L, 61L), last = c(60L, 150L), rows = c(60L, 90L))
  )
  expect_output(print(summary(blocks)), "150 samples, 4 features, in 2 blocks of 60 to 90 rows")
  expect_output(print(rowsparse_control(maxit = 7)), "maxit +7")
  expect_output(print(rowsparse_control()), "tol +the method's own")
  expect_refused(print(structure(list(what = 1), class = "rowsparse_control")), "control", "what")
})

test_that("a path over two penalties has a curve for each value of the second", {
  set.seed(163)
  x <- sample_matrix(20, 6)
  path <- suppressWarnings(spca_psd(x, lambda = c(2, 1, 0.5), eta = c(0.1, 0.2)))
  groups <- rowsparse:::path_groups(path)
  expect_identical(nlevels(groups), 2L)
  picture <- rowsparse:::path_picture(path, "explained", 10)
  for (at in 1:2) {
    same <- path$others[[1]] == unique(path$others[[1]])[at]
    expect_equal(picture$y[picture$group == levels(groups)[at]], path$explained[same])
  }
  axis <- rowsparse:::block_axis(list(blocks = groups, xlab = "lambda"))
  expect_identical(axis$order, c(1:3, NA, 4:6))
  expect_equal(unname(axis$centres), c(2, 6))
  draw_nowhere()
  for (type in c("scores", "nonzero", "explained")) {
    expect_silent(plot(path, type))
    if (!requireNamespace("ggplot2", quietly = TRUE)) next
    expect_silent(built <- ggplot2::ggplot_build(ggplot2::autoplot(path, type)))
    if (type != "scores") expect_identical(length(unique(built$data[[1]]$group)), 2L)
  }
})
