# table 2 of the DSCOFS paper: accuracy (%) of eight methods on eight data sets
published <- rbind(
  COIL20 = c(54.82, 58.71, 49.66, 55.84, 50.15, 54.39, 56.57, 60.51),
  USPS = c(62.02, 59.52, 55.58, 46.04, 67.38, 67.34, 65.38, 69.67),
  lung_discrete = c(59.29, 68.58, 65.12, 64.05, 60.19, 71.37, 72.22, 73.12),
  GLIOMA = c(58.88, 56.80, 57.44, 58.32, 47.92, 50.60, 59.28, 60.88),
  UMIST = c(40.13, 47.12, 41.70, 40.35, 46.70, 46.78, 47.98, 48.10),
  warpPIE10P = c(28.94, 41.42, 46.90, 29.57, 28.01, 48.76, 43.74, 49.00),
  Isolet = c(52.21, 41.95, 49.31, 47.12, 53.62, 53.04, 51.91, 59.67),
  MSTAR = c(67.87, 78.15, 73.74, 69.16, 75.52, 80.80, 79.70, 82.59)
)
colnames(published) <- c("LapScore", "UDFS", "SOGFS", "RNE", "FSPCA", "SPCAFS", "SPCA-PSD",
                         "DSCOFS")

core_ends_here()

test_that("the published ranks, p value and groups come out", {
  result <- friedman_nemenyi(published)
  expect_equal(result$ranks, c(DSCOFS = 1, "SPCA-PSD" = 3.125, SPCAFS = 3.75, UDFS = 4.75,
                               FSPCA = 5.5, SOGFS = 5.75, LapScore = 6, RNE = 6.125))
  expect_equal(round(result$p_value, 4), 1e-4)
  expect_identical(result$groups[[1]], c("DSCOFS", "SPCA-PSD", "SPCAFS"))
})

test_that("statistic and critical difference follow their formulas", {
  result <- friedman_nemenyi(published)
  ranks <- colMeans(t(apply(-published, 1, rank)))
  expect_equal(result$statistic, 12 * 8 / (8 * 9) * sum((ranks - 4.5)^2))
  expect_equal(result$p_value, pchisq(result$statistic, 7, lower.tail = FALSE))
  # q at 0.05 for 2, ..., 10 methods (Demsar 2006, table 5)
  q <- c(1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
  for (k in 2:10) {
    scores <- matrix(seq_len(5 * k) %% 7, 5)
    expect_equal(friedman_nemenyi(scores)$critical_difference, q[k - 1] * sqrt(k * (k + 1) / 30),
                 tolerance = 1e-3)
  }
  expect_gt(friedman_nemenyi(published, alpha = 0.01)$critical_difference,
            result$critical_difference)
})

test_that("ranks depend on order only, and on the direction", {
  result <- friedman_nemenyi(published)
  expect_equal(friedman_nemenyi(exp(published / 10))$ranks, result$ranks)
  expect_equal(friedman_nemenyi(-published, larger_is_better = FALSE), result)
  expect_equal(friedman_nemenyi(as.data.frame(published, optional = TRUE)[8:1, ])$ranks,
               result$ranks)
})

test_that("groups are the maximal sets within the critical difference", {
  ranks <- c(a = 1, b = 1.5, c = 2.2, d = 3.4, e = 3.5)
  expect_identical(rank_groups(ranks, 1.2), list(c("a", "b", "c"), c("c", "d"), c("d", "e")))
  expect_identical(rank_groups(ranks, 0.1), list(c("d", "e")))
  expect_identical(rank_groups(ranks, 0.01), list())
  expect_identical(rank_groups(ranks, 3), list(names(ranks)))
})

test_that("ties everywhere are no difference", {
  result <- friedman_nemenyi(matrix(1, 4, 3))
  expect_identical(result$p_value, 1)
  expect_equal(unname(result$ranks), rep(2, 3))
  expect_length(result$groups[[1]], 3)
})

test_that("the diagram draws and prints", {
  draw_nowhere()
  result <- friedman_nemenyi(published)
  expect_output(print(result), "critical difference at level 0.05: 3.712")
})

test_that("a comparison gives what the single evaluations give", {
  skip_if_not_installed("clue")
  set.seed(1)
  set <- simulate_shapes("banana", 120)
  by_variance <- function(x, decreasing = TRUE) order(apply(x, 2, var), decreasing = decreasing)
  fit <- fake_fit(c(4, 5, 1:3, 6:9), feature_names = colnames(set$x))
  methods <- list(truth = c("f4", "f5", "f9"), least = by_variance, fitted = fit)
  set.seed(2)
  result <- compare_methods(set$x, set$y, methods = methods, k = 1:3, repeats = 4, random = 2,
                            data = "banana", decreasing = FALSE)
  expect_s3_class(result, c("method_comparison", "feature_evaluation"))
  expect_identical(unique(result$data), "banana")
  expect_identical(result$method, rep(c("truth", "least", "fitted", "random"), each = 3))
  set.seed(2)
  alone <- evaluate_features(by_variance(set$x, FALSE), set$x, set$y, k = 1:3, repeats = 4)
  columns <- c("k", "runs", "acc_mean", "acc_sd", "nmi_mean", "nmi_sd")
  expect_equal(result[result$method == "least", columns], alone[columns], ignore_attr = TRUE)
  elapsed <- tapply(result$elapsed, result$method, unique)
  expect_equal(elapsed[["fitted"]], 0.25)
  expect_gte(elapsed[["least"]], 0)
  expect_true(all(is.na(elapsed[c("truth", "random")])))
  expect_output(print(result), "banana")
})

test_that("comparisons stack, and the test takes the mean or best over k per data set", {
  skip_if_not_installed("clue")
  one <- function(shape) {
    set <- simulate_shapes(shape, 90)
    compare_methods(set$x, set$y, methods = list(truth = 4:5, noise = 1:2), k = 1:2, repeats = 3,
                    data = shape)
  }
  set.seed(3)
  stacked <- rbind(one("diamond9"), one("two_moons"), one("three_rings"))
  expect_identical(nrow(stacked), 12L)
  shapes <- unique(stacked$data)
  best <- tapply(stacked$nmi_mean, list(stacked$data, stacked$method), max)[shapes, ]
  expect_equal(friedman_nemenyi(stacked, "nmi", sizes = "best"), friedman_nemenyi(best))
  means <- tapply(stacked$nmi_mean, list(stacked$data, stacked$method), mean)[shapes, ]
  expect_equal(friedman_nemenyi(stacked, "nmi"), friedman_nemenyi(means))
  single <- stacked[stacked$data == "diamond9", ]
  expect_identical(friedman_nemenyi(single)$blocks, 2L)
  # one page with a panel for every data set
  pages <- file.path(tempfile("pages"), "%d.pdf")
  dir.create(dirname(pages))
  grDevices::pdf(pages, onefile = FALSE)
  grDevices::dev.off()
  expect_length(list.files(dirname(pages)), 1)
})

test_that("methods can be given by name", {
  skip_if_not_installed("clue")
  set.seed(4)
  x <- as.matrix(iris[, 1:4])
  by_name <- compare_methods(x, iris$Species, methods = c("bsufs", "cdlsr"), k = 2, repeats = 3)
  fits <- list(
    bsufs = rowsparse(x, k = 2, method = "bsufs"),
    cdlsr = rowsparse(x, iris$Species, k = 2, method = "cdlsr")
  )
  expect_identical(by_name$method, names(fits))
  set.seed(5)
  named <- compare_methods(x, iris$Species, methods = c("bsufs", "cdlsr"), k = 2, repeats = 3)
  set.seed(5)
  fitted <- compare_methods(x, iris$Species, methods = fits, k = 2, repeats = 3)
  expect_equal(named$acc_mean, fitted$acc_mean)
  expect_error(
    compare_methods(x, iris$Species, methods = "nothing"), class = "rowsparse_error_choice"
  )
})

test_that("scores that differ by rounding share their rank, and the edge belongs to a group", {
  set.seed(12)
  for (i in 1:100) {
    scores <- matrix(sample(c(0.3, 0.5, 0.8), 24, TRUE), 6, dimnames = list(NULL, letters[1:4]))
    shaken <- scores * (1 + 4 * .Machine$double.eps * sample(-1:1, 24, TRUE))
    expect_equal(friedman_nemenyi(shaken), friedman_nemenyi(scores))
  }
  ranks <- c(a = 1, b = 1.3, c = 1.6)
  expect_identical(rank_groups(ranks, (1.3 - 1) * 2)[[1]], c("a", "b", "c"))
  expect_identical(rank_groups(ranks, (1.6 - 1) * (1 - 1e-15))[[1]], c("a", "b", "c"))
})

test_that("arguments of the methods are no short forms of others", {
  skip_if_not_installed("clue")
  set.seed(5)
  x <- sample_matrix(30, 8)
  y <- rep(1:2, 15)
  seen <- list()
  noted <- function(x, ...) {
    seen[[length(seen) + 1L]] <<- list(...)
    1:3
  }
  for (store in list(NULL, tempfile())) {
    result <- compare_methods(x, y, methods = list(noted = noted), k = 3, repeats = 2, m = 3,
      store = store
    )
    expect_identical(result$method, "noted")
  }
  expect_identical(seen, list(list(m = 3), list(m = 3)))
})

test_that("the summary of a comparison holds the tests of its ranks", {
  skip_if_not_installed("clue")
  set.seed(462)
  sets <- lapply(c(a = "banana", b = "two_moons", c = "diamond9"), simulate_shapes, n = 60)
  result <- compare_methods(sets, k = 1:2, methods = c("css", "variance"), repeats = 2, random = 1)
  told <- summary(result)
  expect_equal(told$acc_test, friedman_nemenyi(result))
  expect_equal(told$nmi_test, friedman_nemenyi(result, "nmi"))
  best <- summary(result, sizes = "best", alpha = 0.1)
  expect_equal(best$acc_test, friedman_nemenyi(result, sizes = "best", alpha = 0.1))
  expect_output(print(told), "Friedman test")
  expect_refused(summary(result, alpha = 2), "range", "`alpha`")
  one <- compare_methods(sets$a$x, sets$a$y, k = 2, methods = c("css", "variance"), repeats = 2)
  expect_null(summary(one)$acc_test)
  told$acc_test <- character()
  expect_refused(print(told), "object", "acc_test")
  errors <- compare_methods(sets,
    k = 1, methods = c("css", "ftest"), criterion = "error", folds = 3
  )
  errors <- summary(errors)
  expect_equal(errors$test, friedman_nemenyi(errors$errors, larger_is_better = FALSE))
})
