# Every class that the package returns, and what can be asked of its objects. A class
# or a method that is missing here fails the first test.
generics_of <- list(
  rowsparse = c("print", "summary", "plot", "coef", "predict", "as.data.frame", "selected"),
  rowsparse_path = c("print", "summary", "plot", "coef", "predict", "as.data.frame", "selected"),
  cv_rowsparse = c("print", "summary", "plot", "coef", "predict", "as.data.frame", "selected"),
  panel_comparison = c("print", "plot", "as.data.frame"),
  rowsparse_moments = c("print", "summary", "predict", "as.data.frame"),
  rowsparse_blocks = "print",
  feature_alternatives = c("print", "plot", "as.data.frame"),
  rowsparse_control = "print",
  rowsparse_methods = "print"
)

class_examples <- function() {
  x <- from_seed(161, sample_matrix(40, 6))
  y <- factor(x[, 1] > 0)
  list(
    rowsparse = rowsparse(x, k = 3, method = "css"),
    rowsparse_path = rowsparse_path(x, method = "bsufs", m = 2, nlambda = 4),
    cv_rowsparse = cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 5),
    panel_comparison = compare_panels(list(ours = 1:2), x, types = y),
    rowsparse_moments = moments(x, y),
    rowsparse_blocks = row_blocks(function(i) x[20 * (i - 1) + 1:20, ], rows = c(20, 20)),
    feature_alternatives = alternatives(x, fspca(x, k = 2, m = 2)),
    rowsparse_control = rowsparse_control(tol = 1e-8),
    rowsparse_methods = rowsparse_methods(),
    x = x
  )
}

core_ends_here()

test_that("every class has the methods that make sense for it", {
  for (class in names(generics_of)) {
    for (generic in generics_of[[class]]) {
      method <- utils::getS3method(generic, class, TRUE, envir = asNamespace("rowsparse"))
      expect_false(is.null(method), label = paste0(generic, ".", class))
    }
  }
  # what prints has a row above, but for summaries, fits of single methods, rules and coefficients
  methods <- asNamespace("rowsparse")[[".__NAMESPACE__."]]$S3methods
  classes <- methods[methods[, 1] == "print", 2]
  plain <- setdiff(classes[!startsWith(classes, "summary.")], c(rowsparse_methods()$method,
    "spec_fit", "step_select_rowsparse", "rowsparse_coef", "panel_rules"
  ))
  expect_setequal(plain, names(generics_of))
})

test_that("every method works on an object of its class", {
  examples <- class_examples()
  draw_nowhere()
  for (class in names(generics_of)) {
    object <- examples[[class]]
    expect_s3_class(object, class)
    at <- if (class == "rowsparse_path") object$grid[2]
    with_point <- function(generic, ...) {
      if (is.null(at)) generic(object, ...) else generic(object, ..., at = at)
    }
    for (generic in generics_of[[class]]) {
      switch(generic,
        print = {
          expect_output(shown <- withVisible(print(object)))
          expect_identical(shown, list(value = object, visible = FALSE))
        },
        summary = expect_output(print(summary(object))),
        plot = expect_identical(plot(object), object),
        coef = expect_true(is.numeric(with_point(coef))),
        predict = expect_identical(NROW(with_point(predict, examples$x)), 40L),
        as.data.frame = expect_identical(class(as.data.frame(object)), "data.frame"),
        selected = expect_length(selected(object, 2), 2)
      )
    }
    if ("summary" %in% generics_of[[class]]) {
      expect_refused(summary(object, what = 1), "argument", "`what`")
    }
  }
})

test_that("settings tell their values", {
  expect_output(print(rowsparse_control(maxit = 7)), "maxit +7")
  expect_output(print(rowsparse_control()), "tol +the method's own")
})
