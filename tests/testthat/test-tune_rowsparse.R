tuning_example <- function(...) {
  set.seed(91)
  x <- sample_matrix(40, 15)
  tune_rowsparse(x, method = "css", m = 3, k = 2:8, subsamples = 5, ...)
}

core_ends_here()

test_that("the table holds what single fits and sets give", {
  tuned <- tuning_example()
  set.seed(91)
  x <- sample_matrix(40, 15)
  path <- css(x, 8, 3, solver = "forward")$path$features
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
    tune_rowsparse(x, y, method = "rpfs", k = 2:3, subsamples = 2)
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

test_that("rounding decides no elbow", {
  set.seed(117)
  shaken <- function(y) y * (1 + 4 * .Machine$double.eps * sample(-1:1, length(y), TRUE))
  for (i in 1:100) {
    n <- sample(3:30, 1)
    # a falling curve that bends down everywhere has none
    concave <- stats::rnorm(1) - cumsum(cumsum(stats::runif(n)))
    expect_identical(rowsparse:::elbow(shaken(concave)), 1L)
    # nor has a straight line
    line <- stats::runif(1) * 10^stats::runif(1, -3, 3) * seq(n, 1)
    expect_identical(rowsparse:::elbow(shaken(line)), 1L)
    # two corners equally deep: the first
    twins <- c(10, 5, 3, 1, 0)
    expect_identical(rowsparse:::elbow(shaken(twins)), 2L)
    # any other curve: the same however it is rounded
    curve <- sort(stats::rexp(n), decreasing = TRUE)
    expect_identical(rowsparse:::elbow(shaken(curve)), rowsparse:::elbow(curve))
  }
  expect_identical(rowsparse:::elbow(c(1, 1, 1)), 1L)
  expect_identical(rowsparse:::elbow(c(1, NaN, 0)[c(1, 1, 3)]), 1L)
})

test_that("rounding decides no size, setting or rank", {
  set.seed(121)
  shake <- function(v) v * (1 + 4 * .Machine$double.eps * sample(-1:1, length(v), TRUE))
  for (i in 1:60) {
    value <- sample(c(0.3, 0.6, 0.9), 8, TRUE)
    expect_identical(rowsparse:::first_largest(shake(value)), which.max(value))
    expect_equal(rowsparse:::tied_ranks(shake(value)), rank(value))
    at <- rowsparse:::choose_size(shake(value), rep(0, 8), 1:8, "nmi")
    expect_identical(at, which.max(value))
    at <- rowsparse:::choose_size(shake(value), shake(rep(0.3, 8)), 1:8, "error")
    expect_identical(at, which(value <= min(value) + 0.3 + 1e-9)[1])
    votes <- matrix(sample(c(0.25, 0.5), 12, TRUE), 4)
    expect_identical(rowsparse:::largest_column(shake(votes)), max.col(votes, "first"))
    points <- lapply(c(0.2, 0.5, 0.5), function(level) {
      curve <- list(value = shake(rep(level, 5)), se = rep(0, 5), replicates = NULL)
      list(criteria = list(nmi = curve))
    })
    expect_identical(rowsparse:::suggest_point(points, 1:5, "nmi")$setting, 2L)
  }
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
  tuned <- tune_rowsparse(x, method = "css", k = 1:10, subsamples = 5)
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
    tuned <- tune_rowsparse(x, response, method = "cdlsr", k = 1:3, criterion = "error",
                            subsamples = 2, folds = 3)
    set.seed(99)
    jobs <- rowsparse:::tuning_jobs(x, 2, 0.8, list(folds = 3, repeats = 1), response)
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
  tuned <- tune_rowsparse(x, method = "bsufs", k = c(2, 5), grid = list(m = 1:3), subsamples = 3)
  expect_identical(nrow(tuned$table), 6L)
  expect_true(tuned$setting$m %in% 1:3)
  expect_identical(tuned$fit$parameters$m, tuned$setting$m)
  tuned <- tune_rowsparse(x, method = "bsufs", m = 2, subsamples = 3,
                          k = c(2, 5), grid = list(lambda1 = c(0.01, 0.3, 0.1)))
  expect_identical(unique(tuned$table$lambda1), c(0.01, 0.1, 0.3))
  expect_identical(tuned$fit$parameters$lambda1, tuned$setting$lambda1)
})

test_that("kinds of input give one table", {
  set.seed(101)
  x <- sample_matrix(30, 9)
  run <- function(x) {
    set.seed(102)
    tune_rowsparse(x, method = "css", k = 2:4, subsamples = 3)$table
  }
  expect_equal(run(methods::as(x, "CsparseMatrix")), run(x))
  expect_equal(run(as.data.frame(x)), run(x))
})

test_that("labels and clusterings are judged", {
  skip_if_not_installed("clue")
  set.seed(103)
  shape <- simulate_shapes("diamond9", n = 270, ratio = 0.3)
  tuned <- tune_rowsparse(shape$x, shape$y, method = "css", k = 2:5, subsamples = 3, starts = 4,
                          criterion = c("nmi", "accuracy", "silhouette"))
  expect_identical(tuned$criterion, "nmi")
  expect_identical(tuned$k, 2L)
  expect_setequal(selected(tuned), colnames(shape$x)[shape$informative])
  expect_true(all(c("accuracy", "silhouette", "stability") %in% names(tuned$table)))
})

test_that("the silhouette needs no labels", {
  set.seed(104)
  shape <- simulate_shapes("diamond9", n = 270, ratio = 0.3)
  tuned <- tune_rowsparse(shape$x, method = "css", k = 2:3, subsamples = 3, starts = 4,
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
    tune_rowsparse(x, method = "css", k = 2:4, subsamples = 3, ...)$table
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
  tuned <- tune_rowsparse(sample_matrix(30, 8), method = "css", k = 2:5,
    criterion = "stability", subsamples = 2
  )
  expect_identical(tuned$k_range, c(NA_integer_, NA_integer_))
  expect_true(is.na(tuned$agreement))
  expect_output(print(tuned), "cannot be told")
})

test_that("a size at which every subsample agrees by necessity is the last resort", {
  set.seed(108)
  tuned <- tune_rowsparse(sample_matrix(20, 4), method = "css", k = 4,
    criterion = "stability", subsamples = 3
  )
  expect_identical(tuned$k, 4L)
  expect_setequal(selected(tuned), paste0("g", 1:4))
})

test_that("data without structure have no corner", {
  set.seed(109)
  x <- matrix(stats::rnorm(1000 * 20), 1000)
  tuned <- tune_rowsparse(x, method = "css", k = seq(2, 20, 3), subsamples = 5)
  expect_lt(tuned$sharpness, 0.1)
  expect_identical(tuned$sure, "not sure")
  expect_output(print(tuned), "How sure: not sure: the curve is nearly straight", fixed = TRUE)
})

test_that("replicates that agree on a straight line make nothing sure", {
  # orthogonal columns of equal length: every feature adds the same
  x <- qr.Q(qr(cbind(1, matrix(sin(1:1200), 60))))[, -1]
  tuned <- tune_rowsparse(x, method = "css", m = 5, k = seq(2, 20, 3), subsamples = 4)
  expect_lt(tuned$sharpness, 0.1)
  expect_identical(tuned$sure, "not sure")
  # 90% of the variance is where there is no corner
  expect_identical(tuned$k, 20L)
  shares <- tuned$table$reconstruction
  expect_identical(tuned$k, tuned$table$k[which(shares >= 0.9)[1]])
  printed <- paste(capture.output(print(tuned)), collapse = "\n")
  expect_match(printed, "How sure: not sure: the curve is nearly straight", fixed = TRUE)
  # the agreement stands on a line of its own
  expect_no_match(printed, "How sure[^\n]*replicates")
})

judged <- function(value, se, sizes, criterion, replicates) {
  curve <- list(value = value, se = se, replicates = replicates)
  points <- list(list(criteria = stats::setNames(list(curve), criterion)))
  rowsparse:::suggest_point(points, sizes, criterion)
}

test_that("the verdict asks for a size that stands out, not at an end, and agreement", {
  peak <- c(0.2, 0.5, 0.9, 0.5, 0.2)
  flat <- c(0.88, 0.89, 0.9, 0.88, 0.2)
  se <- rep(0.05, 5)
  same <- function(value) matrix(value, 5, 10)
  verdict <- function(value, replicates = same(value), criterion = "nmi") {
    judged(value, se, 1:5, criterion, replicates)
  }
  expect_identical(verdict(peak)$sure, "sure")
  expect_identical(verdict(flat)$sure, "not sure")
  expect_match(verdict(flat)$why, "4 of 5 sizes", fixed = TRUE)
  expect_identical(verdict(rev(sort(peak)))$sure, "fairly sure")
  expect_match(verdict(sort(peak)[c(1, 2, 4, 3, 5)])$why, "largest size", fixed = TRUE)
  # five of ten replicates elsewhere
  split <- same(peak)
  split[, 1:4] <- c(0.9, 0.5, 0.2, 0.2, 0.2)
  expect_identical(verdict(peak, split)$sure, "fairly sure")
  split[, 5:6] <- split[, 1]
  expect_identical(verdict(peak, split)$sure, "not sure")
  expect_identical(verdict(peak, criterion = "silhouette")$sure, "fairly sure")
  expect_identical(verdict(1 - peak, criterion = "error")$sure, "sure")
  # of few sizes the same one must be chosen
  small <- judged(c(0.2, 0.9, 0.2), se[1:3], 1:3, "nmi", cbind(c(0.9, 0.2, 0.2), c(0.2, 0.9, 0.2)))
  expect_identical(small$agreement, 0.5)
  expect_identical(judged(0.5, 0.1, 4L, "nmi", matrix(0.5, 1, 5))$sure, "cannot be told")
})

test_that("the silhouette sees clusters only where there are more than in a normal sample", {
  for (seed in 1:3) {
    set.seed(seed)
    noise <- matrix(stats::rnorm(60 * 40), 60)
    tuned <- tune_rowsparse(
      noise, NULL, method = "css", criterion = "silhouette", subsamples = 4, starts = 3
    )
    expect_identical(tuned$sure, "not sure")
    expect_lt(max(tuned$table$silhouette), 0.15)
    # correlated, without clusters
    factor <- outer(stats::rnorm(80), rep(1, 20)) + matrix(stats::rnorm(1600), 80)
    tuned <- tune_rowsparse(factor, NULL, method = "css", criterion = "silhouette", subsamples = 4,
      starts = 3, clusters = 2
    )
    expect_identical(tuned$sure, "not sure")
    # forty features that carry three clusters: two are no sure answer
    centres <- matrix(stats::rnorm(120), 3)
    x <- matrix(stats::rnorm(120 * 100), 120)
    x[, 1:40] <- x[, 1:40] + centres[rep(1:3, 40), ]
    tuned <- tune_rowsparse(x, NULL, method = "css", criterion = "silhouette", subsamples = 4,
      starts = 3, clusters = 3
    )
    expect_gt(max(tuned$table$silhouette), 0.1)
    expect_false(tuned$sure == "sure")
    expect_match(tuned$why, ".")
  }
})

test_that("a normal sample like the data has their covariance", {
  set.seed(96)
  for (size in list(c(4000, 3), c(300, 400))) {
    x <- sample_matrix(size[1], size[2], rank = 2) * 1e100
    like <- rowsparse:::normal_like(x)
    expect_identical(dim(like), dim(x))
    top <- function(x) eigen(stats::cov(x), symmetric = TRUE)$values[1:2]
    expect_equal(top(like), top(x / 2^floor(log2(max(abs(x))))), tolerance = 0.25)
  }
})

test_that("a penalty is tuned by prediction error", {
  set.seed(118)
  x <- sample_matrix(50, 12)
  y <- drop(x[, 1:2] %*% c(2, -1)) + stats::rnorm(50)
  for (response in list(y, factor(y > 0), cbind(y, x[, 3]))) {
    set.seed(99)
    tuned <- tune_rowsparse(
      x, response, method = "rfs", criterion = "error", subsamples = 2, folds = 3
    )
    expect_identical(nrow(unique(tuned$table["lambda"])), 10L)
    expect_true(all(is.finite(tuned$table$error)))
    expect_identical(tuned$fit$parameters$lambda, tuned$setting$lambda)
    expect_lt(min(tuned$table$error), 0.8 * max(tuned$table$error))
    set.seed(99)
    settled <- rowsparse:::resolve_response(response, 50, rowsparse:::method_entry("rfs"))
    jobs <- rowsparse:::tuning_jobs(x, 2, 0.8, list(folds = 3, repeats = 1), settled)
    folds <- Filter(function(job) job$kind == "fold", jobs)
    # the largest penalty is the first of the path, with no warm start
    row <- which(tuned$table$lambda == max(tuned$table$lambda) & tuned$table$k == 2)
    error <- vapply(folds, function(job) {
      rows <- job$rows
      part <- if (is.matrix(settled)) settled[rows, , drop = FALSE] else settled[rows]
      fit <- suppressWarnings(rfs(x[rows, ], part, lambda = max(tuned$table$lambda)))
      if (is.factor(settled)) {
        mean(predict(fit, x[-rows, ], k = 2) != settled[-rows])
      } else {
        kept <- fit$loadings
        kept[-fit$ranking[1:2], ] <- 0
        centred <- sweep(sweep(x[-rows, ], 2, colMeans(x[rows, ])), 2, apply(x[rows, ], 2, sd), "/")
        scores <- sweep(centred %*% kept, 2, fit$response$mean, "+")
        truth <- settled[-rows, , drop = FALSE]
        sum((truth - scores)^2) / sum(sweep(truth, 2, colMeans(part))^2)
      }
    }, 0)
    expect_equal(tuned$table$error[row], mean(error))
  }
})

test_that("every supervised method is tuned by prediction error", {
  set.seed(119)
  x <- sample_matrix(40, 9)
  y <- drop(x[, 1:2] %*% c(2, -1)) + stats::rnorm(40)
  methods <- rowsparse_methods()
  for (method in methods$method[methods$supervised]) {
    takes <- rowsparse:::method_table()[[method]]$responses
    for (response in list(numeric = y, class = cut(y, 3))[takes]) {
      tuned <- suppressWarnings(tune_rowsparse(x, response, method = method, criterion = "error",
        k = 1:4, subsamples = 2, folds = 3
      ))
      expect_identical(tuned$criterion, "error")
      expect_true(all(is.finite(tuned$table$error) & tuned$table$error >= 0))
      expect_lt(min(tuned$table$error), 0.9)
    }
  }
})

test_that("data of low rank are tuned, with duplicates and of rank 1", {
  set.seed(120)
  x <- matrix(stats::rnorm(200), 20)
  for (data in list(cbind(x, x), outer(x[, 1], 1:6), cbind(x[, 1:2], x[, 1:2]))) {
    for (method in c("css", "bsufs", "dscofs", "kmeans_ufs", "fspca", "spcafs", "spca_psd")) {
      tuned <- suppressWarnings(tune_rowsparse(data, method = method, subsamples = 2))
      expect_s3_class(tuned, "rowsparse_tuning")
      expect_true(all(is.finite(tuned$table$reconstruction)))
      expect_length(selected(tuned), tuned$k)
    }
  }
  tuned <- suppressWarnings(tune_rowsparse(cbind(x, x), method = "css", subsamples = 2))
  share <- tuned$table$reconstruction[tuned$table$k >= 10]
  expect_equal(share, rep(1, length(share)))
})

test_that("a setting is named, and the fit answers for the tuning", {
  set.seed(110)
  tuned <- tune_rowsparse(sample_matrix(30, 10), method = "bsufs", subsamples = 3,
    k = c(2, 4), grid = data.frame(m = c(1, 2))
  )
  expect_identical(unique(tuned$table[c("m", "k")]), tuned$table[c("m", "k")])
  expect_output(print(tuned), sprintf("k = %d, m = %d", tuned$k, tuned$setting$m))
  expect_identical(coef(tuned), coef(tuned$fit))
  expect_identical(selected(tuned, 3), selected(tuned$fit, 3))
})

test_that("without a grid the sizes grow geometrically to what the method serves", {
  set.seed(111)
  sizes <- tune_rowsparse(sample_matrix(40, 150), method = "bsufs", m = 2, subsamples = 2,
    grid = NULL
  )$table$k
  expect_identical(range(sizes), c(2L, 100L))
  expect_lte(diff(range(diff(log(sizes[sizes > 10])))), 0.1)
  few <- tune_rowsparse(sample_matrix(20, 6), method = "css", subsamples = 2)$table$k
  expect_identical(few, 2:6)
})

test_that("clusters are as many as the classes of a label", {
  set.seed(112)
  shape <- simulate_shapes("diamond9", n = 180, ratio = 0.3)
  run <- function(...) {
    set.seed(113)
    tune_rowsparse(shape$x, method = "css", k = 2:3, subsamples = 2, starts = 2,
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
  tuned <- tune_rowsparse(x, y, method = "cdlsr", k = 1:3, criterion = "error", subsamples = 2,
    folds = 4
  )
  set.seed(115)
  jobs <- rowsparse:::tuning_jobs(x, 2, 0.8, list(folds = 4, repeats = 1), y)
  jobs <- Filter(function(job) job$kind == "fold", jobs)
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
    tune_rowsparse(x, method = "bsufs", m = 2, k = 2:3, subsamples = 3,
      control = rowsparse_control(maxit = 1, tol = 0)
    ),
    rowsparse_warning_convergence = function(condition) {
      warnings <<- c(warnings, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }
  )
  expect_match(warnings[[1]], "^4 of 4 fits did not converge")
})

test_that("an elbow that independent features have too is no sure one", {
  verdicts <- function(make, methods) {
    vapply(seq_len(12), function(seed) {
      set.seed(700 + seed)
      method <- methods[seed %% length(methods) + 1]
      suppressWarnings(tune_rowsparse(make(seed), method = method, subsamples = 5))$sure
    }, "")
  }
  noise <- function(seed) {
    size <- list(c(20, 10), c(20, 60), c(40, 20), c(60, 90))[[seed %% 4 + 1]]
    matrix(stats::rnorm(prod(size)), size[1])
  }
  expect_lte(sum(verdicts(noise, c("css", "bsufs", "kmeans_ufs")) != "not sure"), 1)
  sparse_noise <- function(seed) {
    Matrix::rsparsematrix(40, 30, 0.3, rand.x = stats::rnorm)
  }
  expect_lte(sum(verdicts(sparse_noise, "css") != "not sure"), 1)
  # five factors in thirty features
  factors <- function(seed) {
    x <- matrix(stats::rnorm(300), 60) %*% matrix(stats::rnorm(150), 5)
    x + 0.3 * matrix(stats::rnorm(length(x)), 60)
  }
  expect_lte(sum(verdicts(factors, c("css", "bsufs")) == "not sure"), 1)
})

test_that("shuffled columns keep their values and lose their order", {
  set.seed(71)
  x <- matrix(stats::rnorm(60), 12, dimnames = list(NULL, letters[1:5]))
  shuffled <- rowsparse:::shuffle_columns(x)
  expect_identical(apply(shuffled, 2, sort), apply(x, 2, sort))
  expect_false(identical(order(shuffled[, 1]), order(x[, 1])))
  sparse <- Matrix::rsparsematrix(30, 6, 0.4)
  shuffled <- rowsparse:::shuffle_columns(sparse)
  expect_s4_class(shuffled, "dgCMatrix")
  expect_identical(apply(as.matrix(shuffled), 2, sort), apply(as.matrix(sparse), 2, sort))
})

test_that("sizes are compared by the standard error of their difference over the folds", {
  # a fold that is hard for all sizes says nothing about which is better
  curves <- rbind(c(0.30, 0.90), c(0.20, 0.80), c(0.19, 0.81))
  folds <- lapply(1:2, function(fold) list(error = curves[, fold]))
  jobs <- lapply(1:2, function(fold) list(repeats = 1))
  found <- rowsparse:::fold_curves(folds, "error", jobs, NULL)
  expect_equal(found$se, apply(curves, 1, stats::sd) / sqrt(2))
  expect_equal(found$se_paired[, 2], c(0, 0, stats::sd(c(-0.01, 0.01)) / sqrt(2)))
  expect_equal(found$se_paired, t(found$se_paired))
  points <- list(list(criteria = list(error = found)))
  expect_identical(rowsparse:::suggest_point(points, 1:3, "error")$at, 2L)

  set.seed(122)
  x <- sample_matrix(60, 8)
  class <- factor(x[, 1] + x[, 2] + stats::rnorm(60) > 0)
  folds <- rep(1:6, 10)
  for (measure in c("error", "balanced", "log_loss")) {
    set.seed(123)
    tuned <- tune_rowsparse(x, class, 1:5, "ftest", criterion = measure, subsamples = 2,
      foldid = folds
    )
    cv <- cv_rowsparse(x, class, 1:5, "ftest", measure = measure, foldid = folds)
    expect_equal(tuned$table[[measure]], cv$table[[measure]])
    expect_identical(tuned$k, cv$k_1se)
  }
})
