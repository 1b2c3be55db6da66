skip_if_not_installed("clue")

shape_data <- function(n = 180, ...) {
  set.seed(1)
  simulate_shapes("diamond9", n, ...)
}

core_ends_here()

test_that("the score is that of k-means from the drawn starts", {
  set <- shape_data()
  features <- c("f4", "f5", "f1")
  set.seed(2)
  result <- evaluate_features(features, set$x, set$y, k = c(2, 3), repeats = 3)
  set.seed(2)
  starts <- lapply(1:3, function(i) sample.int(180, 180))
  for (size in 2:3) {
    x <- set$x[, features[seq_len(size)]]
    runs <- lapply(starts, function(s) stats::kmeans(x, x[s[1:9], ], iter.max = 100)$cluster)
    acc <- vapply(runs, clustering_accuracy, 0, truth = set$y)
    agreement <- vapply(runs, nmi, 0, truth = set$y)
    row <- result[result$k == size, ]
    expect_equal(c(row$acc_mean, row$acc_sd), c(mean(acc), sd(acc)))
    expect_equal(c(row$nmi_mean, row$nmi_sd), c(mean(agreement), sd(agreement)))
    expect_identical(row$runs, 3L)
  }
})

# assignments to the nearest centre and means in turn, from the centres given
lloyd_clusters <- function(x, centres) {
  cluster <- 0L
  repeat {
    distance <- apply(centres, 1, function(centre) rowSums(sweep(x, 2, centre)^2))
    nearest <- apply(distance, 1, which.min)  # knows no centre that is NA
    if (identical(nearest, cluster)) {
      return(cluster)
    }
    cluster <- nearest
    for (j in seq_len(nrow(centres))) centres[j, ] <- colMeans(x[cluster == j, , drop = FALSE])
  }
}

test_that("Lloyd's iteration is the one that papers use, and the default is the other", {
  set <- shape_data()
  score <- function(...) {
    set.seed(2)
    evaluate_features(c("f4", "f5", "f1"), set$x, set$y, k = 3, repeats = 4, ...)
  }
  lloyd <- score(algorithm = "Lloyd")
  set.seed(2)
  starts <- lapply(1:4, function(i) sample.int(180, 180))
  x <- set$x[, c("f4", "f5", "f1")]
  acc <- vapply(starts, function(s) {
    clustering_accuracy(lloyd_clusters(x, x[s[1:9], ]), truth = set$y)
  }, 0)
  expect_equal(c(lloyd$acc_mean, lloyd$acc_sd), c(mean(acc), sd(acc)))
  expect_identical(score(algorithm = "Hartigan-Wong"), score())
  expect_false(identical(lloyd$acc_mean, score()$acc_mean))
})

test_that("clusters that Lloyd's iteration empties stay empty", {
  x <- cbind(
    c(-0.18, 0.25, -0.42, -0.66, -1.55, 0.4, 0.53, 0.27),
    c(-0.22, 2.11, -0.96, 1.35, -0.71, -1.17, 0.88, -1.05)
  )
  start <- c(8, 5, 3, 6)
  run <- kmeans_from(x, start, 4, "Lloyd")
  expect_true(run$converged)
  expect_length(unique(run$cluster), 3)
  expect_identical(run$cluster, lloyd_clusters(x, x[start, ]))
  set.seed(1)
  expect_silent(evaluate_features(1:2, x, gl(4, 2), 2, repeats = 20, algorithm = "Lloyd"))
})

test_that("the shape's features beat noise and random sets", {
  set <- shape_data()
  good <- evaluate_features(set$informative, set$x, set$y, k = 2, repeats = 10, random = 4)
  bad <- evaluate_features(c(1, 2), set$x, set$y, k = 2, repeats = 10)
  expect_identical(good$method, c("selection", "random"))
  expect_identical(good$runs, c(10L, 40L))
  expect_gt(good$acc_mean[1], 0.8)
  expect_lt(bad$acc_mean, 0.4)
  expect_gt(good$acc_mean[1], good$acc_mean[2])
})

test_that("dense, sparse and data frame input give the same scores", {
  set.seed(3)
  x <- matrix(rpois(60 * 8, 1), 60, dimnames = list(NULL, paste0("g", 1:8)))
  y <- rep(c("a", "b", "c"), 20)
  inputs <- list(x, as.data.frame(x), Matrix::Matrix(x + 0, sparse = TRUE))
  results <- lapply(inputs, function(input) {
    set.seed(4)
    evaluate_features(c(7, 2, 5, 1), input, y, k = 1:4, repeats = 4, random = 1)
  })
  expect_identical(results[[2]], results[[1]])
  expect_equal(results[[3]], results[[1]])
})

test_that("labels, feature order in x and plain indices do not matter", {
  set <- shape_data(90)
  score <- function(features, x, y) {
    set.seed(5)
    evaluate_features(features, x, y, k = 2:3, repeats = 3)
  }
  base <- score(c("f4", "f5", "f2"), set$x, set$y)
  expect_equal(score(c(4, 5, 2), set$x, letters[set$y]), base)
  expect_equal(score(c("f4", "f5", "f2"), set$x[, 9:1], factor(set$y)), base)
  fit <- fake_fit(c(4, 5, 2, 1, 3, 6:9), feature_names = colnames(set$x), method = "dscofs")
  fitted <- score(fit, set$x[, 9:1], set$y)
  expect_identical(fitted$method, rep("dscofs", 2))
  expect_equal(fitted[-1], base[-1])
})

test_that("features without a score are told of", {
  set <- shape_data(90)
  fit <- fake_fit(c(4, 5, 2, 1, 3, 6:9), scored = 2)
  expect_silent(evaluate_features(fit, set$x, set$y, k = 2, repeats = 1))
  expect_warning(evaluate_features(fit, set$x, set$y, k = 2:3, repeats = 1),
                 class = "rowsparse_warning_fill")
})

test_that("samples that coincide on few features are no obstacle", {
  set.seed(6)
  x <- cbind(rep(0:1, 30), rep(0:2, 20), 1, rnorm(60))
  y <- rep(1:4, 15)
  # 2, 1 and 6 different points for 4 clusters
  few <- evaluate_features(1, x, y, k = 1, repeats = 5)
  flat <- evaluate_features(3, x, y, k = 1, repeats = 5)
  several <- evaluate_features(c(1, 2), x, y, k = 2, repeats = 5)
  expect_equal(few$acc_sd, 0)
  expect_equal(few$acc_mean, clustering_accuracy(y, x[, 1]))
  expect_equal(flat$acc_mean, 1 / 4)
  expect_equal(flat$nmi_mean, 0)
  expect_gt(several$acc_mean, 1 / 4)
})

test_that("default sizes give way to the data, requested ones do not", {
  set <- shape_data(90)
  expect_identical(evaluate_features(1:9, set$x, set$y, repeats = 1)$k, 9L)
  wide <- matrix(rnorm(40 * 25), 40)
  expect_identical(evaluate_features(1:25, wide, rep(1:2, 20), repeats = 1)$k, c(10L, 20L))
  expect_error(evaluate_features(1:9, set$x, set$y, k = 10), class = "rowsparse_error_range")
})

test_that("progress is told once per repeat", {
  skip_if_not_installed("progressr")
  set <- shape_data(90)
  old <- options(progressr.enable = TRUE)  # off by default outside interactive use
  on.exit(options(old))
  steps <- 0
  withCallingHandlers(
    evaluate_features(4:5, set$x, set$y, k = 2, repeats = 4),
    progression = function(p) if (p$type == "update") steps <<- steps + p$amount
  )
  expect_identical(steps, 4)
})

test_that("results print and plot", {
  set <- shape_data(90)
  result <- evaluate_features(c(4, 5, 1), set$x, set$y, k = 1:3, repeats = 2, random = 1)
  expect_output(shown <- print(result), "selection +1 +2 ")
  expect_identical(shown, result)
  draw_nowhere()
})

test_that("runs of k-means that were cut short are counted", {
  runs <- data.frame(
    method = "a", k = 2L, acc = c(0.5, 0.7, 0.9), nmi = c(0.1, 0.2, 0.3), converged = c(1, 0, 1)
  )
  expect_warning(result <- rowsparse:::feature_evaluation(runs), "1 of 3 k-means runs",
                 class = "rowsparse_warning_convergence")
  expect_equal(result$acc_mean, 0.7)
  expect_equal(result$nmi_sd, stats::sd(runs$nmi))
  runs$converged <- 1
  expect_silent(rowsparse:::feature_evaluation(runs))
})
