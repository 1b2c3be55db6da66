expect_rejected <- function(expr, subclass, argument) {
  expect_refused(expr, subclass, paste0("`", argument, "`"))
}

x <- matrix(c(1, 2, 4, 3, 5, 9, 2, 2, 1, 0, 0, 1), 6)
y <- c(1, 1, 1, 2, 2, 2)

core_ends_here()

test_that("simulate_shapes() rejects what it cannot draw", {
  expect_rejected(simulate_shapes("triangle"), "choice", "shape")
  expect_rejected(simulate_shapes("diamond9", 8), "range", "n")
  expect_rejected(simulate_shapes("banana", 20.5), "range", "n")
  expect_rejected(simulate_shapes("banana", noise = -1), "range", "noise")
  expect_rejected(simulate_shapes("banana", ratio = -1), "range", "ratio")
  expect_rejected(simulate_shapes("banana", ratio = 1:2), "length", "ratio")
  expect_rejected(simulate_shapes("banana", position = c(9, 10)), "range", "position")
  expect_rejected(simulate_shapes("banana", position = c(2, 2)), "range", "position")
  expect_rejected(simulate_shapes("banana", position = 1), "range", "position")
  expect_rejected(simulate_shapes("banana", noise = 0), "range", "position")
  expect_rejected(simulate_shapes("banana", contamination = "rain"), "choice", "contamination")
  expect_rejected(simulate_shapes("banana", contamination = "salt_pepper", level = 1.1), "range",
                  "level")
})

test_that("a ratio of any shape is a number", {
  expect_no_warning(simulate_shapes("banana", 20, ratio = array(0.5, 1)))
})

test_that("a missing package is told as such", {
  expect_rejected(check_installed("no.such.package", "for accuracy"), "package",
                  "no.such.package")
  expect_silent(check_installed("stats", "for anything"))
})

test_that("evaluation rejects bad data, labels and sizes before any run", {
  skip_if_not_installed("clue")
  expect_rejected(evaluate_features(3, x, y), "names", "fit")
  expect_rejected(evaluate_features("f1", x, y), "names", "fit")
  expect_rejected(evaluate_features(1:2, x, y[-1]), "length", "y")
  expect_rejected(evaluate_features(1:2, x, c(y[-1], NA)), "nonfinite", "y")
  expect_rejected(evaluate_features(1:2, x, rep(1, 6)), "constant", "y")
  expect_rejected(evaluate_features(1:2, x, y, k = 0), "range", "k")
  expect_rejected(evaluate_features(1:2, x, y, k = integer()), "range", "k")
  expect_rejected(evaluate_features(1:2, x, y, repeats = 0), "range", "repeats")
  expect_rejected(evaluate_features(1:2, x, y, random = -1), "range", "random")
  expect_rejected(evaluate_features(1:2, x, y, algorithm = "lloyds"), "choice", "algorithm")
  expect_rejected(evaluate_features(1:2, x, y, algorithm = 1), "choice", "algorithm")
  expect_rejected(evaluate_features(1:2, moments(x), y), "type", "x")
  expect_rejected(evaluate_features(1:2, replace(x, 5, NA), y), "nonfinite", "x")
  expect_rejected(evaluate_features(1:2, letters, y), "type", "x")
  result <- evaluate_features(1:2, x, y, k = 1, repeats = 1)
})

test_that("comparisons need named methods and complete scores", {
  skip_if_not_installed("clue")
  expect_rejected(compare_methods(x, y, methods = list(1:2)), "type", "methods")
  expect_rejected(compare_methods(x, y, methods = 1:2), "type", "methods")
  expect_rejected(compare_methods(x, y, methods = list(random = 1)), "names", "methods")
  expect_rejected(compare_methods(x, y, methods = list(a = 1, a = 2)), "names", "methods")
  expect_rejected(compare_methods(x, y, methods = list(a = 1, b = 7)), "names", "methods$b")
  scores <- cbind(a = 1:3, b = 3:1)
  expect_rejected(friedman_nemenyi(scores[1, , drop = FALSE]), "range", "scores")
  expect_rejected(friedman_nemenyi(scores[, 1, drop = FALSE]), "range", "scores")
  expect_rejected(friedman_nemenyi(replace(scores, 2, NA)), "nonfinite", "scores")
  expect_rejected(friedman_nemenyi("a"), "type", "scores")
  expect_rejected(friedman_nemenyi(scores, alpha = 2), "range", "alpha")
  expect_rejected(friedman_nemenyi(scores, larger_is_better = NA), "type", "larger_is_better")
})

test_that("stability needs a 0/1 matrix of several runs", {
  expect_rejected(nogueira_stability(matrix(2, 2, 2)), "type", "Z")
  expect_rejected(nogueira_stability(c(0, 1)), "type", "Z")
  expect_rejected(nogueira_stability(matrix(1, 1, 3)), "range", "Z")
})

test_that("as many classes as samples are no classes", {
  skip_if_not_installed("clue")
  numbers <- c(0.3, 1.2, 5.1, 4.4, 2.2, 9.9)
  for (labels in list(1:6, letters[1:6], numbers)) {
    expect_refused(evaluate_features(1:2, x, labels, k = 1, repeats = 2), "class", "got 6 for 6")
    expect_refused(
      compare_methods(x, labels, methods = list(a = 1:2), k = 1, repeats = 2), "class", "cut()"
    )
    expect_refused(
      compare_methods(x, labels, methods = "css", k = 1, repeats = 2), "class", "got 6 for 6"
    )
    expect_refused(tune_rowsparse(x, labels, method = "css", k = 1:2, criterion = "silhouette"),
      "class", "fewer classes than there are samples"
    )
  }
  expect_refused(tune_rowsparse(x, k = 1:2, criterion = "silhouette", clusters = 6),
    "range", "`clusters`"
  )
})

test_that("comparisons check sizes, labels and names before any work", {
  skip_if_not_installed("clue")
  for (k in list(mean, NULL, NA, 0, "a", 1.5, 3, list(1))) {
    expect_refused(
      compare_methods(x, y, methods = "css", k = k), "range", "`k` must be whole numbers"
    )
    expect_refused(
      compare_methods(x, y, methods = list(a = 1:2), k = k), "range", "`k` must be whole numbers"
    )
    expect_refused(evaluate_features(1:2, x, y, k = k), "range", "`k` must be whole numbers")
  }
  for (labels in list(list(1, 2), data.frame(y), NULL, mean, cbind(y))) {
    expect_refused(
      compare_methods(x, labels, methods = "css", k = 1), "type", "`y` must be a vector of labels"
    )
    expect_refused(evaluate_features(1:2, x, labels, 1), "type", "`y` must be a vector of labels")
  }
  expect_refused(
    compare_methods(x, y, methods = "css", k = 1, data = 1:2), "type", "`data` must be one string"
  )
  expect_refused(
    compare_methods(x, y, methods = c("css", "css"), k = 1), "names", "different names"
  )
  expect_refused(friedman_nemenyi(cbind(a = 1:3, b = c(1, Inf, 2))), "nonfinite", "1 missing")
  expect_refused(friedman_nemenyi(cbind(a = 1:3, b = 3:1), alpha = 1), "range", "got 1")
  result <- friedman_nemenyi(cbind(a = 1:3, b = 3:1))
  for (digits in list(NULL, NA, -1, "a", 1:2)) {
    expect_refused(print(result, digits = digits), "range", "`digits` must be a whole number")
    table <- evaluate_features(1:2, x, y, k = 1, repeats = 1)
    expect_refused(print(table, digits = digits), "range", "`digits` must be a whole number")
  }
})

test_that("dimensions, grids and points are checked before any fit", {
  for (m in list(NA, "a", 1:2, 0, 1e10, mean)) {
    for (method in c("css", "bsufs", "dscofs", "fspca", "spcafs")) {
      expect_refused(tune_rowsparse(x, method = method, m = m), "range", "`m` must be a whole")
      expect_refused(rowsparse_path(x, method = method, m = m), "range", "`m` must be a whole")
    }
  }
  for (m in list(NA_real_, "a", 0, 50)) {
    expect_refused(
      tune_rowsparse(x, NULL, method = "bsufs", k = 1, grid = list(m = m)), "range", "`grid$m`"
    )
  }
  expect_refused(tune_rowsparse(x, method = "kmeans_ufs", clusters = 2:3), "range", "`clusters`")
  expect_refused(tune_rowsparse(x, k = mean), "range", "`k`")
  expect_refused(tune_rowsparse(x, grid = list(k = 1:2)), "argument", "the argument `k`")
  expect_refused(tune_rowsparse(x, k = "a"), "range", "`k`")
  expect_refused(tune_rowsparse(x, criterion = mean), "choice", "`criterion`")
  expect_refused(tune_rowsparse(x, criterion = character()), "choice", "`criterion`")
  expect_refused(tune_rowsparse(x, 1:3, method = "css"), "length", "`y`")
  expect_refused(rowsparse_path(x, 1:3, method = "css"), "length", "`y`")
  expect_refused(rowsparse_path(x, method = "kmeans_ufs", solver = NA), "choice", "`solver`")
  expect_refused(rowsparse_path(x, method = "bsufs", m = 1, solver = NA), "choice", "`solver`")
  single <- factor(c("a", "b", "b", "b", "b", "b"))
  expect_refused(
    tune_rowsparse(x, single, method = "cdlsr", k = 1, criterion = "error", folds = 2),
    "class", "two samples of each class"
  )
})

test_that("a data set without a name, and errors that are all missing, are no trouble", {
  x <- as.matrix(iris[1:40, 1:4])
  y <- factor(rep(1:2, 20))
  expect_error(compare_methods(x, y, methods = "variance", k = 2, repeats = 2, data = ""),
    class = "rowsparse_error_type"
  )
  failed <- suppressWarnings(compare_methods(x, y, methods = list(a = length), k = 2, folds = 2,
    criterion = "error"
  ))
  expect_no_warning(utils::capture.output(print(summary(failed))))
})
