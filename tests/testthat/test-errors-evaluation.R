expect_rejected <- function(expr, subclass, argument) {
  error <- expect_error(expr, class = paste0("rowsparse_error_", subclass))
  expect_s3_class(error, "rowsparse_error")
  expect_match(conditionMessage(error), paste0("`", argument, "`"), fixed = TRUE)
}

x <- matrix(c(1, 2, 4, 3, 5, 9, 2, 2, 1, 0, 0, 1), 6)
y <- c(1, 1, 1, 2, 2, 2)

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

test_that("partitions must be complete and of one length", {
  for (score in list(clustering_accuracy, nmi)) {
    expect_rejected(score(1:3, 1:2), "length", "cluster")
    expect_rejected(score(c(1, NA), 1:2), "nonfinite", "truth")
    expect_rejected(score(1:2, c("a", NA)), "nonfinite", "cluster")
    expect_rejected(score(integer(), integer()), "type", "truth")
    expect_rejected(score(list(1, 2), 1:2), "type", "truth")
  }
})

test_that("a missing package is told as such", {
  expect_rejected(check_installed("no.such.package", "for accuracy"), "package",
                  "no.such.package")
  expect_silent(check_installed("stats", "for anything"))
})

test_that("selections must be selections", {
  expect_rejected(feature_similarity(1:3, 1:2), "length", "k")
  expect_rejected(feature_similarity(1:3, 1:2, 3), "range", "k")
  expect_rejected(feature_similarity("a", 1, 1), "names", "b")
  expect_rejected(feature_similarity(c(1, 1), 1:2), "names", "a")
  expect_rejected(feature_similarity(0:1, 1:2), "type", "a")
  expect_rejected(feature_similarity(1:2, c(1, NA)), "type", "b")
  expect_rejected(feature_similarity(NULL, 1:2), "type", "a")
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
  expect_rejected(evaluate_features(1:2, moments(x), y), "type", "x")
  expect_rejected(evaluate_features(1:2, replace(x, 5, NA), y), "nonfinite", "x")
  expect_rejected(evaluate_features(1:2, letters, y), "type", "x")
  result <- evaluate_features(1:2, x, y, k = 1, repeats = 1)
  expect_rejected(plot(result, metric = "ari"), "choice", "metric")
})

test_that("variance_explained() rejects bad selections", {
  expect_rejected(variance_explained(x, 3), "names", "selected")
  expect_rejected(variance_explained(x, "a"), "names", "selected")
  expect_rejected(variance_explained(x, c(1, 1)), "names", "selected")
  expect_rejected(variance_explained(x, 1:2, k = 3), "range", "k")
  expect_rejected(variance_explained(x, 1.5), "type", "selected")
  expect_rejected(variance_explained(matrix(1, 3, 2), 1), "constant", "x")
})

test_that("comparisons need named methods and complete scores", {
  skip_if_not_installed("clue")
  expect_rejected(compare_methods(x, y, list(1:2)), "type", "methods")
  expect_rejected(compare_methods(x, y, 1:2), "type", "methods")
  expect_rejected(compare_methods(x, y, list(random = 1)), "names", "methods")
  expect_rejected(compare_methods(x, y, list(a = 1, a = 2)), "names", "methods")
  expect_rejected(compare_methods(x, y, list(a = 1, b = 7)), "names", "methods$b")
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
