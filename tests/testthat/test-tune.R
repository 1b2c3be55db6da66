tuning_example <- function(...) {
  set.seed(91)
  x <- sample_matrix(40, 15)
  tune_rowsparse(x, method = "css", m = 3, grid = list(k = 2:8), repeats = 5, ...)
}

test_that("the table holds what single fits and sets give", {
  tuned <- tuning_example()
  set.seed(91)
  x <- sample_matrix(40, 15)
  path <- css(x, 8, 3, method = "forward")$path$features
  expected <- vapply(2:8, function(k) variance_explained(x, path[[k]]), 0)
  expect_equal(tuned$table$reconstruction, expected)
  expect_identical(tuned$table$k, 2:8)
  expect_identical(dim(tuned$frequency), c(15L, 7L))
  expect_equal(colSums(as.matrix(tuned$frequency)), 2:8, ignore_attr = TRUE)
  expect_identical(selected(tuned), selected(tuned$fit))
  expect_length(selected(tuned), tuned$k)
  expect_output(print(tuned), "How sure")
  expect_identical(as.data.frame(tuned), tuned$table)
})

test_that("the same seed gives the same answer, with workers too", {
  one <- tuning_example()
  expect_identical(tuning_example()$table, one$table)
  skip_if_not_installed("future.apply")
  skip_if_quick()
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  two <- tuning_example()
  same <- setdiff(names(one), c("elapsed", "call", "fit"))
  expect_identical(two[same], one[same])
  expect_identical(two$fit$scores, one$fit$scores)
})

test_that("the generator ends where drawing alone would leave it", {
  set.seed(92)
  x <- sample_matrix(30, 6)
  y <- factor(x[, 1] > 0)
  run <- function() {
    set.seed(93)
    tune_rowsparse(x, y, "rpfs", grid = list(k = 2:3), repeats = 2)
  }
  expect_identical(run()$table, run()$table)
  before <- {
    set.seed(94)
    stats::runif(1)
  }
  set.seed(94)
  value <- rowsparse:::with_seed(1, stats::runif(1))
  expect_identical(stats::runif(1), before)
  expect_identical(rowsparse:::with_seed(1, stats::runif(1)), value)
})

test_that("the elbow is the corner of a broken line", {
  expect_identical(rowsparse:::elbow(c(10, 4, 3, 2, 1)), 2L)
  expect_identical(rowsparse:::elbow(-c(0, 5, 9, 9.5, 10)), 3L)
  expect_identical(rowsparse:::elbow(5:1), 1L)
  expect_identical(rowsparse:::elbow(c(10, 1), 1:2), 1L)
  # unequal steps
  expect_identical(rowsparse:::elbow(-c(0, 8, 9, 10), c(1, 2, 10, 20)), 2L)
  expect_equal(rowsparse:::corner_height(c(0, 8, 9, 10), c(1, 2, 10, 20)), 0.8 - 1 / 19)
  expect_identical(rowsparse:::corner_height(1:4 + 0, 1:4), 0)
})

test_that("a planted number of features is found with confidence", {
  set.seed(95)
  n <- 120
  factors <- matrix(stats::rnorm(n * 4), n)
  x <- factors[, rep(1:4, each = 5)] + 0.05 * stats::rnorm(n * 20)
  tuned <- tune_rowsparse(x, grid = list(k = 1:10), repeats = 5)
  expect_identical(tuned$k, 4L)
  expect_identical(tuned$agreement, 1)
  expect_gt(tuned$sharpness, 0.4)
})

test_that("the simplified silhouette agrees with plain distances", {
  set.seed(96)
  x <- matrix(stats::rnorm(60), 20)
  cluster <- rep(1:3, length.out = 20)
  centres <- t(vapply(1:3, function(g) colMeans(x[cluster == g, ]), numeric(3)))
  width <- vapply(1:20, function(i) {
    distance <- sqrt(colSums((t(centres) - x[i, ])^2))
    a <- distance[cluster[i]]
    b <- min(distance[-cluster[i]])
    (b - a) / max(a, b)
  }, 0)
  expect_equal(rowsparse:::simplified_silhouette(x, cluster), mean(width))
  expect_identical(rowsparse:::simplified_silhouette(x, rep(1, 20)), 0)
})

test_that("stability along the grid is the index of the subsamples' sets", {
  set.seed(97)
  sets <- lapply(1:6, function(i) list(sample.int(9, 2), sample.int(9, 4)))
  curves <- rowsparse:::stability_curves(sets, 2, 9)
  for (at in 1:2) {
    Z <- rowsparse:::selection_matrix(lapply(sets, `[[`, at), 9)
    expect_equal(curves$value[at], rowsparse:::nogueira_stability(Z)$stability)
    expect_equal(curves$replicates[at, 2], rowsparse:::nogueira_stability(Z[-2, ])$stability)
  }
})

test_that("cross-validated error is that of fits to the other folds", {
  set.seed(98)
  x <- sample_matrix(45, 8)
  y <- drop(x[, 1:2] %*% c(1, -1)) + stats::rnorm(45)
  class <- factor(y > 0)
  for (response in list(y, class)) {
    set.seed(99)
    tuned <- tune_rowsparse(x, response, "cdlsr", grid = list(k = 1:3), criterion = "error",
                            repeats = 2, folds = 3)
    set.seed(99)
    jobs <- rowsparse:::tuning_jobs(45, 2, 0.8, 3, response)
    folds <- Filter(function(job) job$kind == "fold", jobs)
    expect_identical(sort(unlist(lapply(folds, function(job) setdiff(1:45, job$rows)))), 1:45)
    error <- vapply(folds, function(job) {
      rows <- job$rows
      fit <- cdlsr(x[rows, ], response[rows], 3)
      if (is.factor(response)) {
        mean(predict(fit, x[-rows, ], k = 2, type = "class") != response[-rows])
      } else {
        gap <- response[-rows] - drop(predict(fit, x[-rows, ], k = 2, type = "response"))
        sum(gap^2) / sum((response[-rows] - mean(response[rows]))^2)
      }
    }, 0)
    expect_equal(tuned$table$error[2], mean(error))
  }
})

test_that("settings are compared, a penalty along a path", {
  set.seed(100)
  x <- sample_matrix(40, 12)
  tuned <- tune_rowsparse(x, method = "bsufs", grid = list(m = 1:3, k = c(2, 5)), repeats = 3)
  expect_identical(nrow(tuned$table), 6L)
  expect_true(tuned$setting$m %in% 1:3)
  expect_identical(tuned$fit$parameters$m, tuned$setting$m)
  tuned <- tune_rowsparse(x, method = "bsufs", m = 2, repeats = 3,
                          grid = list(lambda1 = c(0.01, 0.3, 0.1), k = c(2, 5)))
  expect_identical(unique(tuned$table$lambda1), c(0.3, 0.1, 0.01))
  expect_identical(tuned$fit$parameters$lambda1, tuned$setting$lambda1)
})

test_that("kinds of input give one table", {
  set.seed(101)
  x <- sample_matrix(30, 9)
  run <- function(x) {
    set.seed(102)
    tune_rowsparse(x, grid = list(k = 2:4), repeats = 3)$table
  }
  expect_equal(run(methods::as(x, "CsparseMatrix")), run(x))
  expect_equal(run(as.data.frame(x)), run(x))
})

test_that("labels and clusterings are judged", {
  skip_if_not_installed("clue")
  set.seed(103)
  shape <- simulate_shapes("diamond9", n = 270, ratio = 0.3)
  tuned <- tune_rowsparse(shape$x, shape$y, "css", grid = list(k = 2:5), repeats = 3, starts = 4,
                          criterion = c("nmi", "accuracy", "silhouette"))
  expect_identical(tuned$criterion, "nmi")
  expect_identical(tuned$k, 2L)
  expect_setequal(selected(tuned), colnames(shape$x)[shape$informative])
  expect_true(all(c("accuracy", "silhouette", "stability") %in% names(tuned$table)))
})

test_that("the silhouette needs no labels", {
  set.seed(104)
  shape <- simulate_shapes("diamond9", n = 270, ratio = 0.3)
  tuned <- tune_rowsparse(shape$x, method = "css", grid = list(k = 2:3), repeats = 3, starts = 4,
                          criterion = "silhouette", clusters = 9)
  expect_identical(tuned$k, 2L)
  expect_true(all(tuned$table$silhouette > 0 & tuned$table$silhouette < 1))
})

test_that("an experiment gives the table of its samples", {
  skip_if_not_installed("SummarizedExperiment")
  set.seed(105)
  x <- round(sample_matrix(30, 9), 1)
  x[abs(x) < 0.5] <- 0
  run <- function(x, ...) {
    set.seed(106)
    tune_rowsparse(x, grid = list(k = 2:4), repeats = 3, ...)$table
  }
  for (values in list(t(x), Matrix::Matrix(t(x), sparse = TRUE))) {
    experiment <- SummarizedExperiment::SummarizedExperiment(
      list(counts = 0 * values + 1, scores = values)
    )
    expect_equal(run(experiment, assay = "scores"), run(x))
  }
})

test_that("two subsamples tell nothing of how sure a stable choice is", {
  set.seed(107)
  tuned <- tune_rowsparse(sample_matrix(30, 8), method = "css", grid = list(k = 2:5),
    criterion = "stability", repeats = 2
  )
  expect_identical(tuned$k_range, c(NA_integer_, NA_integer_))
  expect_true(is.na(tuned$agreement))
  expect_output(print(tuned), "cannot be told")
})

test_that("a size at which every subsample agrees by necessity is the last resort", {
  set.seed(108)
  tuned <- tune_rowsparse(sample_matrix(20, 4), method = "css", grid = list(k = 4),
    criterion = "stability", repeats = 3
  )
  expect_identical(tuned$k, 4L)
  expect_setequal(selected(tuned), paste0("g", 1:4))
})

test_that("data without structure have no corner", {
  set.seed(109)
  x <- matrix(stats::rnorm(1000 * 20), 1000)
  tuned <- tune_rowsparse(x, method = "css", grid = list(k = seq(2, 20, 3)), repeats = 5)
  expect_lt(tuned$sharpness, 0.1)
  expect_output(print(tuned), "not sure.*hardly a corner")
})

test_that("a setting is named, and the fit answers for the tuning", {
  set.seed(110)
  tuned <- tune_rowsparse(sample_matrix(30, 10), method = "bsufs", repeats = 3,
    grid = data.frame(m = c(1, 1, 2, 2), k = c(2, 4, 2, 4))
  )
  expect_identical(unique(tuned$table[c("m", "k")]), tuned$table[c("m", "k")])
  expect_output(print(tuned), sprintf("k = %d, m = %d", tuned$k, tuned$setting$m))
  expect_identical(coef(tuned), coef(tuned$fit))
  expect_identical(selected(tuned, 3), selected(tuned$fit, 3))
})

test_that("without a grid the sizes grow geometrically to what the method serves", {
  set.seed(111)
  sizes <- tune_rowsparse(sample_matrix(40, 150), method = "bsufs", m = 2, repeats = 2,
    grid = NULL
  )$table$k
  expect_identical(range(sizes), c(2L, 100L))
  expect_lte(diff(range(diff(log(sizes[sizes > 10])))), 0.1)
  few <- tune_rowsparse(sample_matrix(20, 6), method = "css", repeats = 2)$table$k
  expect_identical(few, 2:6)
})

test_that("clusters are as many as the classes of a label", {
  set.seed(112)
  shape <- simulate_shapes("diamond9", n = 180, ratio = 0.3)
  run <- function(...) {
    set.seed(113)
    tune_rowsparse(shape$x, method = "css", grid = list(k = 2:3), repeats = 2, starts = 2,
      criterion = "silhouette", ...
    )$table$silhouette
  }
  labelled <- run(y = factor(shape$y))
  expect_identical(run(y = factor(shape$y), clusters = 9), labelled)
  expect_false(identical(run(y = factor(shape$y), clusters = 4), labelled))
})

test_that("the error of several responses is that of their sum of squares", {
  set.seed(114)
  x <- sample_matrix(40, 8)
  y <- cbind(x[, 1] - x[, 2], x[, 3]) + matrix(stats::rnorm(80), 40)
  set.seed(115)
  tuned <- tune_rowsparse(x, y, "cdlsr", grid = list(k = 1:3), criterion = "error", repeats = 2,
    folds = 4
  )
  set.seed(115)
  jobs <- Filter(function(job) job$kind == "fold", rowsparse:::tuning_jobs(40, 2, 0.8, 4, y))
  error <- vapply(jobs, function(job) {
    rows <- job$rows
    gap <- y[-rows, ] - predict(cdlsr(x[rows, ], y[rows, ], 3), x[-rows, ], 3, "response")
    sum(gap^2) / sum(sweep(y[-rows, ], 2, colMeans(y[rows, ]))^2)
  }, 0)
  expect_equal(tuned$table$error[3], mean(error))
})

test_that("fits that stopped early are counted once", {
  set.seed(116)
  x <- sample_matrix(20, 6)
  warnings <- list()
  withCallingHandlers(
    tune_rowsparse(x, method = "bsufs", m = 2, grid = list(k = 2:3), repeats = 3,
      control = rowsparse_control(maxit = 1, tol = 0)
    ),
    rowsparse_warning_convergence = function(condition) {
      warnings <<- c(warnings, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }
  )
  expect_match(warnings[[1]], "^4 of 4 fits did not converge")
})
