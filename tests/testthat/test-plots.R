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

# the points of a call that draws some, and all that is written
points_of <- function(drawn, at = 1) drawn[names(drawn) == "C_plotXY"][[at]][[1]]
written <- function(drawn, kind, part) {
  unlist(lapply(drawn[names(drawn) == kind], `[`, part), use.names = FALSE)
}
texts_of <- function(drawn) written(drawn, "C_text", 2)
titles_of <- function(drawn) c(written(drawn, "C_title", 1:4), written(drawn, "C_mtext", 1))
axis_labels <- function(drawn) lapply(drawn[names(drawn) == "C_axis"], `[[`, 3)

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
  expect_true(all(c("bsufs: scores", words) %in% titles_of(drawn)))
  none <- suppressWarnings(bsufs(x, 2, lambda1 = 1e6))
  expect_length(texts_of(draws(plot(none))), 0)
  expect_true("norm of the row of the loadings" %in% titles_of(drawn))
  expect_true("variance" %in% titles_of(draws(plot(variance(x)))))
  few <- draws(plot(fit, n = 2, labels = 2, main = "A title", ylab = "norm"))
  expect_equal(points_of(few)$y, unname(fit$scores[fit$ranking[1:2]]))
  expect_length(texts_of(few), 2)
  expect_true(all(c("A title", "norm") %in% titles_of(few)))
  # selected features beyond n are told
  wide <- rowsparse(sample_matrix(20, 90), k = 70, method = "variance")
  expect_true("rank (20 selected beyond n = 50 not drawn)" %in% titles_of(draws(plot(wide))))
  expect_true("rank" %in% titles_of(draws(plot(wide, n = 70))))
  # the longest name ends inside
  limits <- drawn[["C_plot_window"]][[2]]
  expect_identical(limits[1], 0)
  expect_gt(limits[2], max(fit$scores))
})

test_that("objective, loadings, coefficients and correlations are those of the fit and the data", {
  set.seed(111)
  x <- sample_matrix(30, 12)
  fit <- bsufs(x, 2)
  drawn <- draws(plot(fit, "objective"))
  expect_equal(points_of(drawn, 2)$x, seq_along(fit$objective) - 1)
  expect_equal(points_of(drawn, 2)$y, fit$objective)
  drawn <- draws(plot(fit, "loadings"))
  shown <- rev(fit$ranking[plain_norms(fit$loadings[fit$ranking, ]) > 0])
  expect_identical(axis_labels(drawn)[[2]], colnames(x)[shown])
  expect_true(any(grepl("one value", titles_of(draws(plot(variance(x), "objective"))))))
  # one response: dots, per standard deviation whether the data were divided by it or not
  for (scale in c(TRUE, FALSE)) {
    numeric <- cdlsr(x, x[, 1] - x[, 2] + x[, 3]^2, 4, scale = scale)
    slopes <- (coef(numeric)[-1, ] * apply(x, 2, stats::sd))[numeric$selected]
    drawn <- draws(plot(numeric, "coefficients"))
    expect_equal(points_of(drawn, 2)[c("x", "y")], list(x = unname(slopes), y = 4:1))
    expect_identical(written(drawn, "C_axis", 3), rev(selected(numeric)))
  }
  # classes are the columns of the coefficients of a fit to classes
  y <- factor(x[, 1] > 0, labels = c("low", "high"))
  classes <- cdlsr(x, y, 3)
  drawn <- draws(plot(classes, "coefficients"))
  expect_identical(axis_labels(drawn)[[1]], c("low", "high"))
  expect_identical(axis_labels(drawn)[[2]], rev(selected(classes)))
  expect_true("class" %in% titles_of(drawn))
  expect_refused(plot(fit, "coefficients"), "choice", "\"coefficients\" needs a supervised fit")
  fit <- rowsparse(x, k = 4)
  for (data in list(x, methods::as(x, "CsparseMatrix"), moments(x))) {
    found <- rowsparse:::correlation_of_features(fit, fit$selected, data)
    expect_equal(found, stats::cor(x[, fit$selected]), ignore_attr = TRUE)
    expect_lte(max(abs(found)), 1)
    draws(plot(fit, "correlation", data = data, n = 3))
  }
})

test_that("paths are drawn from their tables, of a regression with the share of the response", {
  set.seed(113)
  x <- sample_matrix(30, 12)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6)
  drawn <- draws(plot(path, type = "nonzero"))
  expect_equal(points_of(drawn, 2)[c("x", "y")], list(x = path$grid, y = path$nonzero))
  expect_equal(points_of(draws(plot(path, type = "explained")), 2)$y, path$explained)
  # the largest penalty stands at the left
  window <- drawn[["C_plot_window"]][[1]]
  expect_gt(window[1], window[2])
  lines <- draws(plot(path))
  last <- sum(names(lines) == "C_plotXY")
  expect_equal(points_of(lines, last)$y, path$scores[rowsparse:::entry_order(path)[1], ])
  # a single size, and no feature at all
  draws(plot(rowsparse_path(x, method = "css", k = 3)))
  empty <- suppressWarnings(rowsparse_path(x, method = "bsufs", m = 1, lambda = c(1e6, 1e5)))
  expect_refused(plot(empty), "choice", "no feature was selected along the path")
  x <- as.matrix(mtcars[, -1])
  for (path in list(
    rowsparse_path(x, mtcars$mpg, k = 1:3, method = "cdlsr"),
    rowsparse_path(x, mtcars$mpg, k = 1:3, method = "ftest"),
    rowsparse_path(x, mtcars$mpg, method = "rfs", nlambda = 4)
  )) {
    rest <- colSums((mtcars$mpg - predict(path, x))^2)
    expect_equal(path$explained, unname(1 - rest / sum((mtcars$mpg - mean(mtcars$mpg))^2)),
      tolerance = 1e-6
    )
    expect_true("share of the response explained" %in% titles_of(draws(plot(path, "explained"))))
  }
  path <- rowsparse_path(x, k = 1:3, method = "css")
  expect_true("share of the features explained" %in% titles_of(draws(plot(path, "explained"))))
})

test_that("the limit of a cross-validation is that of its rule, and each method has its curve", {
  set.seed(114)
  x <- sample_matrix(60, 8)
  cv <- cv_rowsparse(x, x[, 1] + x[, 2] + rnorm(60), k = 1:3, method = "cdlsr", folds = 5)
  drawn <- draws(plot(cv))
  table <- as.data.frame(cv)
  limit <- points_of(drawn, 2)$y
  error <- points_of(drawn, 3)$y
  expect_equal(error, table$error)
  expect_identical(which(error <= limit * (1 + 1e-9))[1], cv$best[["1se"]])
  expect_equal(limit[which.min(error)], min(error))
  # what each line is; rules that take the same point share one
  cv$at <- 1L
  cv$rule <- "elbow"
  cv$best <- c("1se" = 2L, min = 2L, elbow = 1L)
  drawn <- draws(plot(cv))
  expect_identical(texts_of(drawn),
    c("chosen, \"elbow\": 1", "\"1se\", \"min\": 2", "limit of \"1se\"")
  )
  expect_equal(drawn[["C_abline"]][[4]], c(1, 2), ignore_attr = TRUE)
  # the choice at the end of the grid
  set.seed(114)
  short <- cv_rowsparse(x, x[, 1] + x[, 2] + rnorm(60), k = 1, method = "cdlsr", folds = 5)
  expect_false(any(grepl("of those compared", titles_of(draws(plot(short))))))
  cv <- cv_rowsparse(x, x %*% rep(1, 8), k = 1:3, method = "cdlsr", folds = 5)
  expect_true(any(grepl("k = 3 is the largest of those compared", titles_of(draws(plot(cv))))))
  y <- x[, 1] + x[, 2] + rnorm(60)
  calls <- list(
    list(k = 2, method = c("cdlsr", "ftest")), list(k = 1:3, method = c("cdlsr", "ftest")),
    list(k = 1:3, method = c("cdlsr", "rfs"))
  )
  for (call in calls) {
    cv <- do.call(cv_rowsparse, c(list(x, y, folds = 5), call))
    drawn <- draws(plot(cv))
    curves <- utils::tail(drawn[names(drawn) == "C_plotXY"], 2)
    for (at in 1:2) {
      own <- cv$table[cv$table$method == call$method[at], ]
      place <- match(if (anyNA(own$k)) own$features else own$k, curves[[3 - at]][[1]]$x)
      once <- !place %in% place[duplicated(place)]
      expect_equal(curves[[3 - at]][[1]]$y[place[once]], own$error[once])
      bars <- lapply(drawn[["C_segments"]][1:4], matrix, ncol = 2)
      expect_equal(((bars[[4]] - bars[[2]])[, at] / 2)[place[once]], own$se[once])
    }
    # beside each other, and named
    expect_true(all(bars[[1]][, 1] != bars[[1]][, 2]))
    expect_true(all(call$method %in% texts_of(drawn)))
  }
  # none is half of the least, whose logarithm can be drawn
  cv <- cv_rowsparse(x, method = "spcafs", lambda = c(4, 0, 1), folds = 3)
  expect_identical(range(points_of(draws(plot(cv)), 3)$x), c(0.5, 4))
})

test_that("features are drawn by the share of the folds, of halves beside the threshold", {
  set.seed(114)
  x <- sample_matrix(60, 40)
  y <- x[, 1] + x[, 2] + rnorm(60)
  cv <- cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 5, rule = "min")
  drawn <- draws(plot(cv, what = "features"))
  table <- as.data.frame(cv, what = "features")
  expect_equal(points_of(drawn, 2)$x, table$frequency)
  expect_true("share of the 5 folds that select it" %in% titles_of(drawn))
  halves <- cv_rowsparse(x, y, k = 1:4, method = "ftest", folds = "halves")
  drawn <- draws(plot(halves, "features", errors = 0.5))
  # k = 2, the largest size with a threshold of 0.6 at most
  share <- sort(halves$frequency[, 2], decreasing = TRUE)
  expect_equal(points_of(drawn, 2)$x, unname(share[share > 0])[1:min(30, sum(share > 0))])
  expect_equal(drawn[names(drawn) == "C_abline"][[2]][[4]], 0.5 + 4 / 40)
  expect_true("ftest: most frequent features, k = 2" %in% titles_of(drawn))
  colours <- ifelse(share[share > 0] >= 0.6, "#0072B2", "#999999")
  used <- drawn[names(drawn) == "C_plotXY"][[2]][[5]]
  expect_identical(unname(used), utils::head(unname(colours), 30))
})

test_that("prices and panels are drawn from their tables", {
  set.seed(115)
  x <- sample_matrix(40, 8)
  found <- alternatives(x, fspca(x, k = 3, m = 3))
  table <- as.data.frame(found)
  drawn <- draws(plot(found))
  expect_setequal(written(drawn, "C_axis", 3), as.character(table$feature))
  ends <- drawn[["C_segments"]]
  shares <- c(table$price_least, table$price_most, found$tolerance)
  floor <- min(shares[shares > 0]) / 3 # nothing is drawn at zero
  expect_equal(ends[[1]], pmax(table$price_least, floor))
  expect_equal(ends[[3]], pmax(table$price_most, floor))
  # every row that is drawn has its name
  x <- sample_matrix(70, 90)
  colnames(x) <- paste0("a_rather_long_name_", 1:90)
  drawn <- draws(plot(alternatives(x, 1:40, method = "fspca", m = 2, seconds = 0)))
  expect_length(written(drawn, "C_axis", 3), length(drawn[["C_segments"]][[1]]))
  expect_match(titles_of(drawn), "not drawn", all = FALSE)
  x <- x[, 1:8]
  panels <- compare_panels(list(ours = 1:3, theirs = 4:6), x)
  drawn <- draws(plot(panels))
  expect_true(all(sub("^0", "", sprintf("%.2f", panels$kept)) %in% texts_of(drawn)))
  # colours go from worse to better in every column
  good <- cbind(panels$explained, panels$kept, 1 - panels$redundancy, panels$backed)
  expect_identical(drawn[["C_image"]][[3]][, 4:1], floor(t(good) * (51 - 1e-5)))
  expect_true(all(c("worse", "better") %in% texts_of(drawn)))
  below <- function(names) rowsparse:::names_below(names, 3)$turned
  draw_nowhere()
  graphics::plot.new()
  expect_identical(c(below(c("a", "b")), below(strrep(c("a", "b"), 60))), c(FALSE, TRUE))
})

# every kind of picture: what plot() is called with
every_picture <- function() {
  set.seed(120)
  x <- sample_matrix(40, 12)
  colnames(x) <- paste0("a_rather_long_name_of_a_feature_", 1:12)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 2)
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 5)
  call <- function(object, ...) list(object, ...)
  c(
    list(
      call(fit), call(css(unname(x), 4)), call(fit, "objective"), call(fit, "loadings"),
      call(cdlsr(x, factor(rep(paste("class", 1:20), 2)), 3), "coefficients"),
      call(fit, "correlation", data = x),
      call(rowsparse_path(x, method = "css", k = 1:4)),
      call(cv_rowsparse(x, x[, 1], k = 1:3, method = "cdlsr", folds = 3)),
      call(cv_rowsparse(x, x[, 1], method = "rfs", folds = 3)),
      call(compare_panels(list(a = 1:3), x)), call(alternatives(x, fspca(x, k = 2, m = 2)))
    ),
    lapply(c("scores", "nonzero", "explained"), call, object = path)
  )
}

test_that("every picture is one page, one place of a layout, and fits a small device", {
  file <- file.path(tempfile(), "page%03d.pdf")
  dir.create(dirname(file))
  on.exit(unlink(dirname(file), recursive = TRUE))
  for (call in every_picture()) {
    grDevices::pdf(file, 14, 14, onefile = FALSE)
    graphics::par(mfrow = c(2, 2), mar = c(3, 3, 1, 1), cex = 0.5, las = 2)
    before <- graphics::par("mar", "mfrow", "new", "cex", "las")
    do.call(plot, call)
    expect_identical(graphics::par("mar", "mfrow", "new", "cex", "las"), before)
    expect_identical(graphics::par("mfg")[1:2], c(1L, 1L))
    graphics::plot(2)
    expect_identical(graphics::par("mfg")[1:2], c(1L, 2L))
    grDevices::dev.off()
    expect_length(list.files(dirname(file)), 1L)
    unlink(list.files(dirname(file), full.names = TRUE))
    grDevices::pdf(NULL, 1.5, 1.5)
    expect_silent(do.call(plot, call))
    grDevices::dev.off()
  }
})

test_that("plots say what they cannot draw", {
  fit <- css(iris[, 1:4], 2, m = Inf)
  expect_each_refused("choice",
    "`type`" = plot(fit, "pictures"), "`type`" = plot(fit, "loadings")
  )
  none <- suppressWarnings(rfs(iris[, 1:3], iris$Petal.Width, lambda = 1e9))
  expect_refused(plot(none, "coefficients"), "choice", "all zero")
  expect_refused(plot(fit, "correlation"), "type", "`data`")
  expect_each_refused("range", "`n`" = plot(fit, n = 0), "`labels`" = plot(fit, labels = -1))
  expect_refused(plot(fit, k = 3), "argument", "`k`")
})

test_that("names are shortened to the room, and stay different", {
  short <- rowsparse:::short_labels
  expect_identical(short(c("a", strrep("b", 28))), c("a", strrep("b", 28)))
  start <- "a_name_that_is_far_too_long_"
  expect_match(short(paste0(start, "and_its_end"), 20), "^a_name_.*[.]{3}.*_end$")
  for (names in list(
    paste0(start, c("x", "y"), "_in_the_middle_of_it"), paste0(start, start, 1:3),
    paste0(c("x", "y"), start, start), paste0(start, letters, start)
  )) {
    cut <- short(names, 20)
    expect_identical(anyDuplicated(cut), 0L)
    expect_false(any(grepl("~", cut)))
    expect_lte(max(nchar(cut)), 20)
  }
  expect_identical(rowsparse:::whole_ticks(c(0.5, 3.5)), c(1, 2, 3))
})

test_that("means of classes are dots, whose areas are shares, grouped by the class marked", {
  x <- from_seed(2, matrix(rpois(60 * 8, 1), 60, dimnames = list(NULL, letters[1:8])))
  fit <- cdlsr(x, y <- gl(3, 20), 4)
  drawn <- draws(plot(fit, type = "types"))
  table <- as.data.frame(fit)[1:4, ]
  expect_identical(rev(axis_labels(drawn)[[2]]), table$feature[order(table$marks)])
  shares <- apply(x[, axis_labels(drawn)[[2]]] > 0, 2, tapply, y, mean)
  expect_equal(cor(as.vector(t(shares)), drawn$C_symbols[[4]]^2), 1)
  expect_refused(plot(css(x, 2), type = "types"), "choice", "needs a fit to classes")
})
