# What base graphics drew: the arguments of every call of a kind, for example
# "C_plotXY", in order. The result must be invisible and the margins as before.
draws <- function(expr) {
  draw_nowhere()
  grDevices::dev.control("enable")
  left <- c("mar", "oma", "mfrow", "cex", "xpd", "las", "mgp", "new")
  old <- graphics::par(left)
  testthat::expect_false(withVisible(expr)$visible)
  testthat::expect_identical(graphics::par(left), old)
  calls <- lapply(grDevices::recordPlot()[[1]], `[[`, 2)
  kinds <- vapply(calls, function(call) {
    if (is.list(call[[1]]) && !is.null(call[[1]]$name)) call[[1]]$name else ""
  }, "")
  structure(lapply(calls, function(call) call[-1]), names = kinds)
}

# the points of the first call that draws some, and all that is written
points_of <- function(drawn, at = 1) drawn[names(drawn) == "C_plotXY"][[at]][[1]]
texts_of <- function(drawn) {
  unlist(lapply(drawn[names(drawn) == "C_text"], `[[`, 2), use.names = FALSE)
}
titles_of <- function(drawn) {
  unlist(lapply(drawn[names(drawn) == "C_title"], function(call) unlist(call[1:4])))
}
axis_labels <- function(drawn) {
  lapply(drawn[names(drawn) == "C_axis"], `[[`, 3)
}

# three sizes, two methods and random sets on two data sets
small_comparison <- function(sets = c("one", "two")) {
  table <- expand.grid(k = c(2, 4, 8), method = c("a", "b", "random"), data = sets,
    stringsAsFactors = FALSE
  )[3:1]
  table$runs <- 3L
  table$acc_mean <- seq(0.3, 0.8, length.out = nrow(table))
  table$acc_sd <- 0.05
  table$nmi_mean <- rev(table$acc_mean)
  table$nmi_sd <- 0.02
  table$elapsed <- 1
  structure(table, class = c("method_comparison", "feature_evaluation", "data.frame"))
}

core_ends_here()

test_that("the scores are drawn at their ranks, those above zero named", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2, lambda1 = 0.7 * bsufs(x, 2)$parameters$lambda1_max)
  scored <- sum(fit$scores > 0)
  expect_lt(scored, 10)
  drawn <- draws(plot(fit))
  expect_equal(points_of(drawn)$x, seq_len(scored))
  expect_equal(points_of(drawn)$y, unname(fit$scores[fit$ranking[seq_len(scored)]]))
  expect_identical(texts_of(drawn), colnames(x)[fit$ranking[seq_len(scored)]])
  words <- sprintf("rank (%d features with score zero not drawn)", 12 - scored)
  expect_true(all(c("bsufs: scores", words, "score") %in% titles_of(drawn)))
  none <- suppressWarnings(bsufs(x, 2, lambda1 = 1e6))
  expect_length(texts_of(draws(plot(none))), 0)
  expect_length(texts_of(draws(plot(fit, labels = 0))), 0)
  few <- draws(plot(fit, n = 2, labels = 2, main = "A title", ylab = "norm"))
  expect_equal(points_of(few)$y, unname(fit$scores[fit$ranking[1:2]]))
  expect_length(texts_of(few), 2)
  expect_true(all(c("A title", "norm") %in% titles_of(few)))
  # no room above the largest score is lost, none is cut
  limits <- drawn[["C_plot_window"]][[2]]
  expect_identical(limits[1], 0)
  expect_gt(limits[2], max(fit$scores))
})

test_that("the objective and the loadings are those of the fit", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2)
  drawn <- draws(plot(fit, "objective"))
  expect_equal(points_of(drawn)$x, seq_along(fit$objective) - 1)
  expect_equal(points_of(drawn)$y, fit$objective)
  drawn <- draws(plot(fit, "loadings"))
  shown <- rev(fit$ranking[plain_norms(fit$loadings[fit$ranking, ]) > 0])
  expect_equal(drawn[["C_image"]][[2]], seq(0.5, length(shown) + 0.5))
  labels <- axis_labels(drawn)
  expect_identical(labels[[2]], colnames(x)[shown])
  # a supervised fit has classes for columns
  y <- factor(x[, 1] > 0, labels = c("low", "high"))
  drawn <- draws(plot(cdlsr(x, y, 3), "loadings"))
  expect_identical(axis_labels(drawn)[[1]], c("low", "high"))
  expect_true("class" %in% titles_of(drawn))
})

test_that("marks lie on the selected pixels", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  drawn <- draws(plot(fit, type = "pixels", dim = c(3, 4), background = colMeans(x)))
  marks <- drawn[names(drawn) == "C_rect"][[1]]
  expect_equal((marks[[1]] + marks[[3]]) / 2, (fit$selected - 1) %/% 3 + 1)
  expect_equal((marks[[2]] + marks[[4]]) / 2, 3 - (fit$selected - 1) %% 3)
})

test_that("paths, tunings and comparisons are drawn from their tables", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  drawn <- draws(plot(path, type = "nonzero"))
  expect_equal(points_of(drawn)[c("x", "y")], list(x = path$grid, y = path$nonzero))
  drawn <- draws(plot(path, type = "explained"))
  expect_equal(points_of(drawn)$y, path$explained)
  # the largest penalty stands at the left
  window <- drawn[["C_plot_window"]][[1]]
  expect_gt(window[1], window[2])
  tuned <- tune_rowsparse(x, method = "css", k = 2:6, subsamples = 3)
  drawn <- draws(plot(tuned))
  expect_equal(points_of(drawn)$y, tuned$table$reconstruction)
  expect_true(sprintf("css: suggested k = %d", tuned$k) %in% titles_of(drawn))
  drawn <- draws(plot(tuned, "frequency"))
  frequency <- sort(tuned$frequency[, as.character(tuned$k)], decreasing = TRUE)
  expect_equal(points_of(drawn)$x, frequency[frequency > 0], ignore_attr = TRUE)
  test <- friedman_nemenyi(cbind(a = 1:6 + 0, b = 2:7 + 0, c = c(9, 9, 9, 1, 9, 9)))
  drawn <- draws(plot(test, main = "Ranks"))
  expect_true(all(sprintf("%s (%.2f)", names(test$ranks), test$ranks) %in% texts_of(drawn)))
  expect_true(sprintf("CD = %.2f", test$critical_difference) %in% texts_of(drawn))
  expect_true("Ranks" %in% titles_of(drawn))
})

test_that("plots fit a small device, with long names", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  colnames(x) <- paste0("a_rather_long_name_of_a_feature_", 1:12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  path <- rowsparse_path(x, method = "css", k = 1:4)
  tuned <- tune_rowsparse(x, k = 2:4, subsamples = 2)
  grDevices::pdf(NULL, width = 1.5, height = 1.5)
  on.exit(grDevices::dev.off())
  expect_silent({
    for (type in c("scores", "objective", "loadings")) plot(fit, type)
    plot(fit, "correlation", data = x)
    plot(fit, "pixels", dim = c(3, 4))
    for (type in c("scores", "nonzero", "explained")) plot(path, type)
    for (type in c("criterion", "stability", "frequency")) plot(tuned, type)
    plot(friedman_nemenyi(cbind(a = 1:4, a_long_name_of_a_method = 4:1, c = 1)))
    for (count in c(1, 9)) {
      comparison <- small_comparison(paste0("a_long_name_of_a_data_set_", seq_len(count)))
      for (type in c("sizes", "map")) plot(comparison, type = type)
    }
    plot(fit, "objective", others = fit)
    plot(fit, "embedding", data = x)
  })
})

test_that("a path of one size, an empty one and a tuning without a choice are drawn or refused", {
  x <- outer(c(1, 4, 2, 8), 1:5)
  draws(plot(suppressWarnings(rowsparse_path(x, method = "css"))))
  empty <- suppressWarnings(rowsparse_path(x, method = "bsufs", m = 1, lambda = c(1e6, 1e5)))
  expect_refused(plot(empty), "choice", "no feature was selected along the path")
  expect_refused(selected(empty, 1), "range", "no point of the path selects a feature")
  draws(plot(suppressWarnings(rowsparse_path(x, method = "bsufs", m = 1, lambda = 0)), "nonzero"))
  tuned <- suppressWarnings(tune_rowsparse(x[, 1, drop = FALSE], method = "css", subsamples = 2))
  expect_refused(plot(tuned, "stability"), "choice", "all features are selected")
})

test_that("every plot of a fit draws and puts the margins back", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  for (type in c("scores", "objective", "loadings")) draws(plot(fit, type = type))
  draws(plot(fit, type = "scores", ylab = "norm", main = "title"))
  draws(plot(fit, type = "pixels", dim = c(3, 4), background = colMeans(x)))
  draws(plot(fit, type = "pixels", dim = c(4, 3)))
  draws(plot(fit, type = "correlation", data = x))
  draws(plot(fit, type = "correlation", data = moments(x), n = 3))
  draws(plot(css(unname(x), 4)))
})

test_that("the correlations are those of the data", {
  set.seed(112)
  x <- sample_matrix(30, 8)
  fit <- rowsparse(x, k = 4)
  expected <- stats::cor(x[, fit$selected])
  for (data in list(x, methods::as(x, "CsparseMatrix"), moments(x))) {
    found <- rowsparse:::correlation_of_features(fit, fit$selected, data)
    expect_equal(found, expected, ignore_attr = TRUE)
    expect_lte(max(abs(found)), 1)
  }
})

test_that("every plot of a path and of a tuning draws", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  by_penalty <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  by_size <- rowsparse_path(x, method = "dscofs", m = 2, k = 2:6)
  for (type in c("scores", "nonzero", "explained")) {
    draws(plot(by_penalty, type = type))
    draws(plot(by_size, type = type))
  }
  tuned <- tune_rowsparse(x, method = "bsufs", k = 2:4, grid = list(m = 1:2), subsamples = 3)
  for (type in c("criterion", "stability", "frequency")) draws(plot(tuned, type = type))
})

test_that("ggplot2 draws the same pictures when it is there", {
  skip_if_not_installed("ggplot2")
  set.seed(114)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  sizes <- rowsparse_path(x, method = "css", k = 2:6)
  tuned <- tune_rowsparse(x, method = "bsufs", k = 2:4, grid = list(m = 1:2), subsamples = 3)
  draw_nowhere()
  builds <- function(picture) {
    expect_s3_class(picture, "ggplot")
    expect_silent(built <- ggplot2::ggplot_build(picture))
    invisible(built$data)
  }
  drawn <- builds(ggplot2::autoplot(fit))
  expect_equal(drawn[[2]]$y, unname(fit$scores[fit$ranking[seq_len(sum(fit$scores > 0))]]))
  builds(ggplot2::autoplot(fit, "objective"))
  expect_identical(nrow(builds(ggplot2::autoplot(fit, "loadings"))[[1]]),
                   2L * sum(plain_norms(fit$loadings) > 0))
  expect_identical(nrow(builds(ggplot2::autoplot(fit, "correlation", data = x))[[1]]), 25L)
  marks <- builds(ggplot2::autoplot(fit, "pixels", dim = c(3, 4)))[[2]]
  expect_identical(marks$x, (fit$selected - 1) %/% 3 + 1)
  expect_identical(marks$y, 3 - (fit$selected - 1) %% 3)
  for (type in c("scores", "nonzero", "explained")) {
    builds(ggplot2::autoplot(path, type))
    builds(ggplot2::autoplot(sizes, type))
  }
  for (type in c("criterion", "stability", "frequency")) builds(ggplot2::autoplot(tuned, type))
  expect_error(ggplot2::autoplot(fit, "pixels"), class = "rowsparse_error_size")
})

test_that("ggplot2 draws evaluations", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("clue")
  draw_nowhere()
  set.seed(115)
  shape <- simulate_shapes("banana", n = 60)
  result <- compare_methods(shape$x, shape$y, methods = list(truth = shape$informative), k = 1:2,
                            repeats = 2, random = 2, data = "a")
  both <- rbind(result, transform(result, data = "b"))
  for (metric in c("acc", "nmi")) {
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(result, metric)))
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(both, metric)))
  }
})

test_that("both engines draw bars over the methods that do not differ", {
  set.seed(116)
  scores <- sapply(c(worst = 0, poor = 0.5, good = 2, best = 4), function(level) {
    level + stats::rnorm(12)
  })
  result <- friedman_nemenyi(scores)
  bars <- rowsparse:::ranks_picture(result)$bars
  expect_identical(nrow(bars), length(result$groups))
  near <- abs(outer(result$ranks, result$ranks, "-")) <= result$critical_difference
  under <- function(rank) bars$from <= rank & rank <= bars$to
  together <- outer(result$ranks, result$ranks, Vectorize(function(a, b) any(under(a) & under(b))))
  expect_identical(together[upper.tri(near)], near[upper.tri(near)])
  expect_false(all(near))
  drawn <- draws(plot(result))
  lines <- drawn[names(drawn) == "C_segments"]
  expect_true(any(vapply(lines, function(l) isTRUE(all.equal(l[[1]], bars$from)), NA)))
  skip_if_not_installed("ggplot2")
  draw_nowhere()
  built <- ggplot2::ggplot_build(ggplot2::autoplot(result))$data
  expect_equal(built[[1]]$x, bars$from)
  expect_equal(built[[1]]$xend, bars$to)
  texts <- unlist(lapply(built, `[[`, "label"))
  expect_true(sprintf("CD = %.2f", result$critical_difference) %in% texts)
})

test_that("curves of a comparison are its means, random sets a band", {
  one <- small_comparison("one")
  drawn <- draws(plot(one, main = "A title"))
  lines <- drawn[names(drawn) == "C_plotXY"]
  expect_equal(lines[[2]][[1]]$y, one$acc_mean[one$method == "random"])
  expect_equal(lines[[3]][[1]]$y, one$acc_mean[one$method == "a"])
  expect_equal(lines[[4]][[1]]$y, one$acc_mean[one$method == "b"])
  expect_true("A title" %in% titles_of(drawn))
  band <- drawn[["C_polygon"]]
  random <- one$acc_mean[one$method == "random"]
  expect_equal(band[[1]], c(2, 4, 8, 8, 4, 2))
  expect_equal(band[[2]], c(random - 0.05, rev(random + 0.05)))
  # one panel for each data set; its methods keep their style where one is missing
  two <- small_comparison()
  drawn <- draws(plot(two[!(two$data == "two" & two$method == "a"), ], "nmi"))
  expect_true(all(c("one", "two") %in% titles_of(drawn)))
  draws(plot(two[two$k == 2, ]))
  draws(plot(two[two$method == "random", ]))
  draws(plot(two[two$method != "random", ]))
  two$acc_mean[1:3] <- two$acc_sd[1:3] <- NA
  draws(plot(two))
  expect_refused(plot(two[0, ]), "object", "`k` must be one size per row")
  expect_refused(plot(two, type = "maps"), "choice", "`type`")
})

test_that("a map of a comparison holds the means, coloured against random sets", {
  two <- small_comparison()
  drawn <- draws(plot(two, type = "map"))
  means <- tapply(two$acc_mean, list(two$data, two$method), mean)
  gain <- means[, c("a", "b")] - means[, "random"]
  map <- rowsparse:::comparison_map(two, "acc")
  expect_equal(map$gain[, c("a", "b")], gain)
  expect_identical(map$methods, c("b", "a"))
  expect_true(all(sub("^0", "", sprintf("%.2f", means[, "a"])) %in% texts_of(drawn)))
  plain <- rowsparse:::comparison_map(two[two$method != "random", ], "acc")
  expect_equal(unname(rowSums(plain$gain)), c(0, 0))
  expect_refused(plot(two[two$method == "random", ], type = "map"), "choice", "beside the random")
  two$acc_mean[1] <- NA
  draws(plot(two, type = "map"))
  skip_if_not_installed("ggplot2")
  for (type in c("sizes", "map")) {
    for (metric in c("acc", "nmi")) {
      expect_silent(built <- ggplot2::ggplot_build(ggplot2::autoplot(two, metric, type)))
    }
    if (type == "map") expect_identical(nrow(built$data[[1]]), 4L)
  }
  band <- ggplot2::ggplot_build(ggplot2::autoplot(small_comparison("one")))$data[[1]]
  expect_equal(band$ymax - band$ymin, rep(0.1, 3))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(two[two$k == 2, ])))
  expect_refused(ggplot2::autoplot(two[0, ]), "object", "`k` must be one size per row")
})

test_that("the surface of a tuning is its table over two parameters", {
  set.seed(117)
  x <- sample_matrix(30, 8)
  tuned <- tune_rowsparse(x, method = "bsufs", m = 2, subsamples = 2,
    k = 2:4, grid = list(lambda1 = c(0.01, 0.1, 1), lambda2 = c(0.1, 1))
  )
  map <- rowsparse:::tuning_surface(tuned, NULL)
  expect_identical(map$over, c("lambda1", "lambda2"))
  held <- tuned$table[tuned$table$k == tuned$k, ]
  for (i in seq_len(nrow(held))) {
    at <- c(match(held$lambda1[i], c(0.01, 0.1, 1)), match(held$lambda2[i], c(0.1, 1)))
    expect_identical(map$value[at[1], at[2]], held$reconstruction[i])
  }
  expect_equal(map$labels[[1]][map$suggested[[1]]], tuned$setting$lambda1)
  drawn <- draws(plot(tuned, "surface"))
  frame <- drawn[names(drawn) == "C_rect"]
  frame <- frame[[length(frame)]]
  expect_equal((frame[[1]] + frame[[3]]) / 2, map$suggested[[1]], ignore_attr = TRUE)
  by_size <- rowsparse:::tuning_surface(tuned, c("k", "lambda2"))
  expect_identical(dim(by_size$value), c(3L, 2L))
  draws(plot(tuned, "surface", over = c("k", "lambda2")))
  for (over in list("k", c("k", "k"), c("k", "m"), 1:2, c("k", NA))) {
    expect_refused(plot(tuned, "surface", over = over), "choice", "`over` must name two of")
  }
  sizes <- tune_rowsparse(x, method = "css", k = 2:4, subsamples = 2)
  expect_refused(plot(sizes, "surface"), "choice", "needs two parameters with several values")
  skip_if_not_installed("ggplot2")
  expect_silent(built <- ggplot2::ggplot_build(ggplot2::autoplot(tuned, "surface")))
  expect_identical(nrow(built$data[[1]]), 6L)
  expect_identical(nrow(built$data[[2]]), 1L)
})

test_that("the convergence of several fits is drawn relative to their start", {
  set.seed(118)
  x <- sample_matrix(30, 12)
  fits <- list(bsufs(x, 2), dscofs(x, 4, 2), spca_psd(x))
  table <- rowsparse:::convergence_table(fits[[1]], list(named = fits[[2]], fits[[3]], fits[[1]]))
  expect_identical(levels(table$fit), c("bsufs", "named", "spca_psd", "bsufs 1"))
  own <- table[table$fit == "named", ]
  f <- fits[[2]]$objective
  gap <- abs(f - f[length(f)]) / abs(f[1] - f[length(f)])
  expect_equal(own$gap, gap[gap > 1e-12])
  expect_identical(own$iteration, which(gap > 1e-12) - 1)
  draws(plot(fits[[1]], "objective", others = fits[2:3], main = "Three"))
  draws(plot(fits[[1]], "objective", others = fits[[2]]))
  for (others in list(1, list(), list(1), "bsufs")) {
    expect_refused(plot(fits[[1]], "objective", others = others), "type", "`others`")
  }
  still <- variance(x)
  expect_refused(plot(still, "objective", others = still), "choice", "objective")
  skip_if_not_installed("ggplot2")
  expect_silent(built <- ggplot2::ggplot_build(
    ggplot2::autoplot(fits[[1]], "objective", others = fits[2:3])
  ))
  expect_identical(length(unique(built$data[[1]]$group)), 3L)
})

test_that("any fit shows the samples by all and by its features", {
  set.seed(119)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 4, method = "css")
  pair <- rowsparse:::component_pair(fit, x, NULL)
  components <- stats::prcomp(x)$x[, 1:2]
  expect_equal(abs(pair$all), abs(components), ignore_attr = TRUE, tolerance = 1e-6)
  own <- stats::prcomp(x[, fit$selected])$x[, 1:2]
  expect_equal(tcrossprod(pair$seen), tcrossprod(own), ignore_attr = TRUE, tolerance = 1e-6)
  # no rotation brings it nearer
  for (angle in c(0.1, -0.1)) {
    turn <- matrix(c(cos(angle), sin(angle), -sin(angle), cos(angle)), 2)
    expect_lt(sum((pair$seen - pair$all)^2), sum((pair$seen %*% turn - pair$all)^2))
  }
  scaled <- rowsparse(x, k = 4, method = "kmeans_ufs")
  by_scale <- rowsparse:::component_pair(scaled, x, NULL)
  expect_equal(abs(by_scale$all), abs(stats::prcomp(x, scale. = TRUE)$x[, 1:2]),
    ignore_attr = TRUE, tolerance = 1e-6
  )
  groups <- rep(c("u", "v"), 15)
  sparse <- methods::as(x, "CsparseMatrix")
  expect_equal(rowsparse:::component_pair(fit, sparse, NULL), pair, tolerance = 1e-6)
  for (data in list(x, as.data.frame(x), sparse)) {
    draws(plot(fit, "embedding", data = data, groups = groups))
  }
  draws(plot(fit, "embedding", data = x, n = 1))
  drawn <- draws(plot(alignment(x, k = 3), "embedding", data = x))
  expect_true(all(c("by all 12 features", "seen in 3 features") %in% titles_of(drawn)))
  expect_refused(plot(fit, "embedding"), "type", "`data` must be given for the embedding")
  expect_refused(plot(fit, "embedding", data = moments(x)), "type", "`data` must hold the samples")
  expect_refused(plot(fit, "embedding", data = x[, 1:3]), "names", "`data`")
  expect_refused(plot(fit, "embedding", data = x, groups = 1:3), "length", "`groups`")
  skip_if_not_installed("ggplot2")
  expect_silent(built <- ggplot2::ggplot_build(ggplot2::autoplot(fit, "embedding", data = x)))
  expect_identical(nrow(built$data[[1]]), 60L)
})

test_that("images may be stored by rows", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  drawn <- draws(plot(fit, type = "pixels", dim = c(3, 4), byrow = TRUE, background = 1:12))
  marks <- drawn[names(drawn) == "C_rect"][[1]]
  expect_equal((marks[[1]] + marks[[3]]) / 2, (fit$selected - 1) %% 4 + 1)
  expect_equal((marks[[2]] + marks[[4]]) / 2, 3 - (fit$selected - 1) %/% 4)
  expect_refused(plot(fit, type = "pixels", dim = c(3, 4), byrow = 2), "type", "`byrow`")
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(
    ggplot2::autoplot(fit, "pixels", dim = c(3, 4), byrow = TRUE)
  )$data[[2]]
  expect_identical(built$x, (fit$selected - 1) %% 4 + 1)
})

# every picture of the package: what plot() and autoplot() are called with
every_picture <- function() {
  set.seed(120)
  x <- sample_matrix(40, 12)
  y <- factor(rep(paste("class", 1:20), 2))
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  subset <- css(x, 4, m = 2)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 5)
  tuned <- tune_rowsparse(x, method = "bsufs", k = 2:4, grid = list(m = 1:2), subsamples = 3)
  call <- function(object, ...) list(object, ...)
  c(
    list(
      call(fit), call(subset), call(subset, type = "objective"), call(fit, type = "objective"),
      call(fit, type = "objective", others = subset), call(fit, type = "loadings"),
      call(cdlsr(x, y, 3), type = "loadings"), call(fit, type = "pixels", dim = c(3, 4)),
      call(fit, type = "pixels", dim = c(3, 4), data = x),
      call(fit, type = "correlation", data = x), call(fit, type = "embedding", data = x),
      call(fit, type = "embedding", data = x, groups = y),
      call(fit, type = "embedding", data = x, groups = x[, 1]),
      call(moments(x)), call(moments(x), type = "variances"),
      call(small_comparison("one")),
      call(friedman_nemenyi(cbind(a = 1:6 + 0, b = 2:7 + 0, c = c(9, 9, 9, 1, 9, 9))))
    ),
    lapply(c("scores", "nonzero", "explained"), call, object = path),
    list(call(rowsparse_path(x, method = "css", k = 1:4))),
    lapply(c("criterion", "stability", "frequency", "paths", "surface"), call, object = tuned),
    lapply(c("sizes", "map", "criteria"), function(type) {
      call(small_comparison(c("one", "two", "three")), type = type)
    })
  )
}

test_that("a layout of the caller's stays, and goes on behind the picture", {
  file <- file.path(tempfile(), "page%03d.pdf")
  dir.create(dirname(file))
  kept <- c("mar", "oma", "mfrow", "new", "cex", "mgp", "las")
  panels <- integer()
  for (call in every_picture()) {
    grDevices::pdf(file, width = 14, height = 14, onefile = FALSE)
    graphics::par(mfrow = c(3, 3), mar = c(3, 3, 1, 1), cex = 0.5, las = 2)
    before <- graphics::par(kept)
    graphics::plot(1)
    do.call(plot, call)
    expect_identical(graphics::par(kept), before)
    place <- graphics::par("mfg")
    panels <- c(panels, 3L * (place[1] - 1L) + place[2] - 1L)
    graphics::plot(2)
    expect_identical(graphics::par("mfg")[1:2], c((panels[length(panels)] + 1L) %/% 3L,
      (panels[length(panels)] + 1L) %% 3L) + 1L
    )
    grDevices::dev.off()
    expect_length(list.files(dirname(file)), 1L)
    unlink(list.files(dirname(file), full.names = TRUE))
  }
  # the two views of an embedding take a place each
  expect_setequal(panels, c(1L, 2L, 4L))
  grDevices::pdf(NULL)
  graphics::par(cex = 0.7)
  fit <- bsufs(mtcars, 2)
  plot(fit, type = "embedding", data = mtcars)
  expect_identical(graphics::par("cex"), 0.7)
  grDevices::dev.off()
})

test_that("every call draws one page, in both engines from the same picture", {
  file <- file.path(tempfile(), "page%03d.pdf")
  dir.create(dirname(file))
  pictures <- list()
  keep <- function(picture, ...) pictures[[length(pictures) + 1L]] <<- picture
  calls <- every_picture()
  for (call in calls) {
    grDevices::pdf(file, onefile = FALSE)
    before <- graphics::par("mar", "oma", "mfrow", "new")
    do.call(plot, call)
    expect_identical(graphics::par("mar", "oma", "mfrow", "new"), before)
    grDevices::dev.off()
    expect_length(list.files(dirname(file)), 1L)
    unlink(list.files(dirname(file), full.names = TRUE))
  }
  skip_if_not_installed("ggplot2")
  for (call in calls) {
    pictures <- list()
    instead_of("draw_picture", function(x, ...) keep(...), do.call(plot, call))
    instead_of("gg_picture", keep, do.call(ggplot2::autoplot, call))
    expect_length(pictures, 2L)
    expect_identical(pictures[[1]], pictures[[2]])
  }
})

test_that("numbers in both engines are the same", {
  skip_if_not_installed("ggplot2")
  set.seed(121)
  x <- sample_matrix(30, 12)
  fit <- rowsparse(x, k = 5, method = "css")
  tuned <- tune_rowsparse(x, method = "css", k = 2:4, subsamples = 3)
  draw_nowhere()
  layers <- function(...) ggplot2::ggplot_build(ggplot2::autoplot(...))$data
  expect_equal(points_of(draws(plot(fit)))$y, layers(fit)[[2]]$y)
  expect_equal(points_of(draws(plot(fit)))$y, unname(fit$gains[fit$ranking]))
  expect_equal(points_of(draws(plot(fit, "objective")))$y, fit$path$objective)
  expect_equal(layers(fit, "objective")[[2]]$y, fit$path$objective)
  expect_equal(points_of(draws(plot(tuned)))$y, layers(tuned)[[3]]$y)
  expect_equal(points_of(draws(plot(tuned, "frequency")))$x, layers(tuned, "frequency")[[2]]$x)
  lines <- draws(plot(tuned, "paths"))
  drawn <- lapply(lines[names(lines) == "C_plotXY"][-1], function(call) call[[1]]$y)
  own <- Filter(nrow, layers(tuned, "paths")[1:2])
  told <- unlist(lapply(own, function(layer) split(layer$y, layer$group)), recursive = FALSE)
  expect_setequal(unname(lapply(drawn, as.double)), unname(told))
  tiles <- layers(fit, "correlation", data = x)[[1]]
  expect_identical(tiles$fill[tiles$x + tiles$y == 6], rep(tail(
    rowsparse:::diverging_colours(), 1
  ), 5))
})

test_that("colours are light at zero, and rise or fall in lightness elsewhere", {
  lightness <- function(colours) {
    grDevices::convertColor(t(grDevices::col2rgb(colours)) / 255, "sRGB", "Lab")[, 1]
  }
  both <- lightness(rowsparse:::diverging_colours(51))
  expect_equal(both[26], 100, tolerance = 1e-3)
  expect_true(all(diff(both[1:26]) > 0), all(diff(both[26:51]) < 0))
  expect_lt(max(abs(both - rev(both))), 15)
  expect_true(all(diff(lightness(rowsparse:::sequential_colours(51))) > 0))
  ink <- rowsparse:::ink_on(c(-1, 0, 1), c(-1, 1), rowsparse:::diverging_colours())
  expect_identical(ink, c("white", "black", "white"))
})

test_that("names are cut in the middle, never beyond the room, and stay apart", {
  long <- paste0("a_name_that_is_far_too_long_", c("x", "y"), "_in_the_middle_of_it")
  expect_identical(rowsparse:::cut_names("short"), "short")
  cut <- rowsparse:::cut_names(long, 20)
  expect_true(all(nchar(cut) <= 22))
  expect_identical(anyDuplicated(cut), 0L)
  expect_match(cut[1], "^a_name.*[.]{3}.*of_it$")
  grDevices::pdf(NULL, width = 4, height = 3)
  on.exit(grDevices::dev.off())
  x <- sample_matrix(20, 8)
  colnames(x) <- paste0(strrep("long_", 100), 1:8)
  fit <- css(x, 4)
  for (type in c("scores", "loadings")) plot(fit, type = type)
  graphics::plot.new()
  expect_lte(max(graphics::strwidth(rowsparse:::names_within(colnames(x), 1), "inches", 0.8)), 1)
  title <- rowsparse:::title_within(strrep("word ", 60))
  expect_lte(max(graphics::strwidth(strsplit(title, "\n")[[1]], "inches", 1.1, 2)), 4)
  expect_length(strsplit(title, "\n")[[1]], 2)
  expect_identical(rowsparse:::whole_ticks(c(0.5, 3.5)), c(1, 2, 3))
  expect_identical(rowsparse:::apart(c(1, 2, 3), 2, 10), c(1, 3, 5))
  expect_identical(rowsparse:::apart(c(1, 2, 3), 2, 4), c(0, 2, 4))
})

test_that("pixels lie on the mean of the samples where these are given", {
  set.seed(122)
  x <- sample_matrix(20, 12)
  fit <- rowsparse(x, k = 3, method = "variance")
  picture <- rowsparse:::fit_picture(fit, "pixels", NULL, 10, c(3, 4), NULL, x, NULL, NULL, FALSE)
  expect_equal(picture$grey, colMeans(x))
  expect_identical(rowsparse:::mark_rim(c(80, 10)), NA)
  expect_refused(plot(fit, "pixels", dim = c(3, 4), data = x[, 1:4]), "size", "`data`")
  expect_refused(plot(fit, "pixels"), "size", "`dim`")
  expect_refused(plot(fit, "pixels", dim = c(3, 3)), "size", "`dim`")
  expect_refused(plot(fit, "pictures"), "choice", "`type`")
})

test_that("methods are compared by criteria, as a radar chart or as a map", {
  sets <- small_comparison(c("one", "two"))
  sets$elapsed <- ifelse(sets$method == "a", 1, 100)
  table <- rowsparse:::criteria_table(sets)
  told <- summary(sets)$methods
  expect_equal(unname(table$value[, "accuracy"]), told$acc_mean[told$method != "random"])
  expect_equal(unname(apply(table$share, 2, range)), rbind(rep(0, ncol(table$share)), 1))
  expect_identical(table$share[["a", "speed"]], 1)
  expect_identical(rowsparse:::criteria_picture(sets)$kind, "radar")
  points <- rowsparse:::radar_points(table$share)
  expect_equal(sqrt(points$x^2 + points$y^2), as.vector(0.15 + 0.85 * table$share))
  more <- do.call(rbind, lapply(letters[1:6], function(method) {
    one <- sets[sets$method == "a", ]
    one$method <- method
    one$acc_mean <- one$acc_mean + match(method, letters) / 100
    one$nmi_mean <- one$acc_mean
    one
  }))
  expect_identical(rowsparse:::criteria_picture(more)$kind, "map")
  draws(plot(more, type = "criteria"))
  alone <- sets[sets$method != "b", ]
  expect_refused(plot(alone, type = "criteria"), "choice", "needs two methods")
})

test_that("panels fill the device", {
  expect_identical(rowsparse:::panel_grid(3L, c(9, 3)), c(1, 3))
  expect_identical(rowsparse:::panel_grid(3L, c(4, 9)), c(3, 1))
  expect_identical(rowsparse:::panel_grid(12L, c(8, 6)), c(4, 3))
  for (count in 1:40) {
    grid <- rowsparse:::panel_grid(count, c(7, 7))
    expect_gte(prod(grid), count)
    expect_lt(prod(grid) - count, max(grid))
  }
})
