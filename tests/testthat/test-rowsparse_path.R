path_data <- function() {
  set.seed(81)
  sample_matrix(60, 25, rank = 4)
}

core_ends_here()

test_that("a path over the penalty descends from where little is left", {
  x <- path_data()
  path <- rowsparse_path(x, method = "bsufs", m = 3, nlambda = 15, lambda_ratio = 0.02)
  expect_equal(diff(log(path$grid)), rep(log(0.02) / 14, 14))
  expect_equal(path$grid[1], bsufs(x, 3)$parameters$lambda1_max)
  expect_lte(path$nonzero[1], 6)
  expect_gt(path$nonzero[15], path$nonzero[1])
  expect_true(all(path$converged))
  expect_identical(path$nonzero, lengths(path$selected))
  expect_identical(rownames(path$scores), colnames(x))
  # nearly as good as fits from a cold start
  path <- rowsparse_path(x, method = "bsufs", m = 2, nlambda = 6,
    control = list(tol = 1e-10, maxit = 5000)
  )
  for (at in seq_along(path$grid)) {
    fit <- bsufs(x, 2, lambda1 = path$grid[at], start = NULL, control = list(tol = 1e-10))
    cold <- utils::tail(fit$objective, 1)
    expect_lt(path$objective[at], cold + 0.05 * abs(cold))
    expect_equal(plain_norms(coef(path, path$grid[at])), path$scores[, at], ignore_attr = TRUE)
  }
  # the share is that of a regression on the components
  path <- rowsparse_path(x, method = "spcafs", m = 3, nlambda = 3)
  fitted <- stats::lm.fit(centred(x) %*% coef(path, path$grid[2]), centred(x))$fitted.values
  expect_equal(path$explained[2], sum(fitted^2) / sum(centred(x)^2))
})

test_that("points of bsufs() are fits that start where the next smaller penalty ended", {
  x <- path_data()
  x[, 4] <- 2
  path <- quietly(rowsparse_path(x, method = "bsufs", m = 2, nlambda = 5, exclude = 7:8))
  fit <- NULL
  for (at in 5:1) {
    fit <- quietly(bsufs(x, m = 2, lambda1 = path$grid[at], start = fit, exclude = 7:8,
      control = list(tol = 5e-4)
    ))
    set <- utils::head(fit$ranking, sum(fit$scores > 0))
    expect_identical(path$selected[[at]], set)
    expect_equal(path$loadings[[at]], fit$loadings[set, ])
    expect_equal(path$scores[set, at], fit$scores[set])
    expect_equal(path$explained[at], fit$explained)
    expect_equal(path$objective[at], utils::tail(fit$objective, 1))
    expect_identical(path$iterations[at], as.double(fit$iterations))
  }
})

test_that("variance over k is that of the selected features", {
  x <- path_data()
  for (method in c("css", "bsufs", "dscofs")) {
    path <- rowsparse_path(x, method = method, k = c(3, 6, 9))
    expected <- vapply(path$selected, function(set) share_reproduced(x, set), 0)
    expect_equal(path$explained, expected)
    expect_identical(path$nonzero, c(3L, 6L, 9L))
  }
  scaled <- rowsparse_path(x, method = "css", k = 4, scale = TRUE)
  expect_equal(scaled$explained, share_reproduced(scale(x), scaled$selected[[1]]))
})

test_that("paths over k hold what single fits find", {
  x <- path_data()
  path <- rowsparse_path(x, method = "css", m = 5, k = 1:6)
  for (k in c(1, 4, 6)) {
    single <- css(x, k, 5, solver = "forward")
    expect_identical(path$selected[[k]], single$selected)
    expect_equal(path$objective[k], utils::tail(single$objective, 1))
  }
  set.seed(83)
  y <- drop(x %*% stats::rnorm(25)) + stats::rnorm(60)
  path <- rowsparse_path(x, y, method = "cdlsr", k = 1:4)
  whole <- cdlsr(x, y, 4)
  expect_identical(path$selected[[3]], whole$path$features[[3]])
  expect_equal(path$loadings[[3]], whole$path$coefficients[[3]], ignore_attr = TRUE)
  expect_identical(coef(path, 3), coef(whole, 3))
  path <- rowsparse_path(x, method = "fspca", m = 2, k = c(2, 5))
  expect_setequal(path$selected[[2]], fspca(x, 5, 2)$selected)
  path <- rowsparse_path(x, method = "kmeans_ufs", clusters = 3, k = 2:4)
  expect_identical(path$selected[[3]], kmeans_ufs(x, 4, 3)$selected)
})

test_that("a solver without sets of all sizes is run for every k", {
  x <- path_data()
  y <- drop(x %*% stats::rnorm(25)) + stats::rnorm(60)
  for (given in list(list(solver = "cd"), list(solver = "exact"), list(path = FALSE))) {
    path <- do.call(rowsparse_path, c(list(x, "cdlsr", y = y, k = 1:3), given))
    single <- lapply(1:3, function(k) do.call(cdlsr, c(list(x, y, k), given))$selected)
    expect_identical(path$selected, single)
  }
  path <- rowsparse_path(x, method = "css", m = 5, k = 2:3, path = FALSE)
  expect_identical(path$selected[[1]], css(x, 2, 5, solver = "forward")$selected)
})

# code with the package loaded and not attached, as in rowsparse::rowsparse_path()
unattached <- function(code) {
  if ("package:rowsparse" %in% search()) {
    detach("package:rowsparse")
    on.exit(attachNamespace("rowsparse"))
  }
  code
}

test_that("every method has a path, attached or not", {
  set.seed(82)
  x <- sample_matrix(40, 12)
  y <- factor(x[, 2] > 0)
  for (method in tested_methods()) {
    of <- function(...) {
      suppressWarnings(rowsparse_path(x, y, method = method, family = family_of(method), ...))
    }
    path <- of(nlambda = 5)
    expect_s3_class(path, "rowsparse_path")
    expect_identical(ncol(path$scores), length(path$grid))
    expect_true(all(path$explained >= 0 & path$explained <= 1))
    expect_length(selected(path, 2), 2)
    expect_output(print(path), method)
    expect_identical(nrow(as.data.frame(path)), length(path$grid))
    expect_length(path$gap, length(path$grid))
    sizes <- unattached(of(k = 2:4))
    expect_identical(unname(lengths(sizes$selected)), 2:4, info = method)
    expect_output(print(summary(path, n = 3)), "Call:.*explained")
    last <- length(path$grid)
    at <- path$grid[last]
    features <- predict(path, x, at, "features")
    expect_identical(features, x[, path$selected[[last]], drop = FALSE])
    if (rowsparse_methods()$supervised[rowsparse_methods()$method == method]) {
      expect_refused(predict(path, x, at, "components"), "choice", "must be \"features\", or")
      classes <- predict(path, x)
      expect_identical(dim(classes), c(40L, length(path$grid)))
      expect_identical(classes[, as.character(signif(at, 6))],
        as.character(predict(path, x, at)), ignore_attr = TRUE
      )
      fitted <- predict(path, x, at, "response")
      linear <- cbind(1, x) %*% as.matrix(coef(path, at))
      if (method == "rowsparse_glm") linear <- rowsparse:::softmax(linear)
      expect_equal(fitted, linear, ignore_attr = TRUE, info = method)
    } else if (is.null(path$loadings[[last]])) {
      expect_refused(predict(path, x, at, "components"), "choice", "has no loadings")
    } else {
      known <- scale(x, scale = if (is.null(path$scale)) FALSE else path$scale)
      expect_equal(predict(path, x, at, "components"), known %*% coef(path, at),
        ignore_attr = TRUE
      )
    }
  }
})

test_that("a path can be read at its points, and counts the fits that stopped early", {
  x <- path_data()
  path <- rowsparse_path(x, method = "bsufs", m = 2, lambda = c(0.5, 0.1, 0.02, 0))
  expect_identical(path$grid, c(0.5, 0.1, 0.02, 0))
  expect_identical(selected(path, at = 0.09), colnames(x)[path$selected[[2]]])
  expect_identical(selected(path, at = 0), colnames(x)[path$selected[[4]]])
  first <- which(path$nonzero >= 2)[1]
  expect_identical(selected(path, 2), colnames(x)[path$selected[[first]][1:2]])
  for (feature in which(!is.na(path$entry))) {
    expect_true(feature %in% path$selected[[path$entry[feature]]])
  }
  expect_each_refused("argument",
    "`at` must be given" = predict(path, x), "`k`" = predict(path, x, 1, k = 2),
    "`k`" = summary(path, k = 2)
  )
  expect_refused(predict(path, at = 1), "type", "`newdata`")
  path <- suppressWarnings(rowsparse_path(x, method = "bsufs", m = 2, nlambda = 4,
    control = rowsparse_control(maxit = 1, tol = 0)
  ))
  expect_identical(path$converged, rep(FALSE, 4))
  expect_output(print(path), "4 of the fits did not converge")
})

test_that("a path of a supervised method predicts as the fits of its points do", {
  set.seed(92)
  x <- sample_matrix(40, 8)
  # within what the fits have seen: no prediction comes to its limits
  new <- sample_matrix(7, 8) / 3
  batch <- rep(c("a", "b"), 20)
  responses <- list(
    one = x[, 2] - x[, 5] + stats::rnorm(40),
    two = cbind(p = x[, 1], q = x[, 3] - x[, 4]) + stats::rnorm(80),
    class = factor(cut(x[, 1] + x[, 2], 3, labels = c("low", "mid", "high")))
  )
  for (name in names(responses)) {
    y <- responses[[name]]
    for (method in intersect(c("cdlsr", "ftest"), tested_methods())) {
      path <- rowsparse_path(x, y, method = method, k = 2:4)
      at_three <- predict(path, new, 3)
      fit <- rowsparse(x, y, k = 3, method = method)
      expect_equal(at_three, predict(fit, new), tolerance = 1e-7, info = method)
      expect_equal(coef(path, 3), coef(fit), tolerance = 1e-7, info = method)
      all <- predict(path, new)
      numbers <- predict(path, new, type = "response")
      expect_identical(utils::tail(dimnames(numbers), 1)[[1]], c("2", "3", "4"))
      if (name == "one") {
        expect_equal(all[, "3"], drop(at_three), ignore_attr = TRUE)
        expect_identical(dim(all), c(7L, 3L))
      } else {
        expect_identical(dim(numbers), c(7L, if (name == "two") 2L else 3L, 3L))
        expect_identical(numbers[, , "3"], predict(path, new, 3, "response"))
      }
    }
    within <- rowsparse_path(x, y, method = "cdlsr", k = 2:3, block = batch)
    alone <- rowsparse(x, y, k = 3, method = "cdlsr", block = batch)
    level <- rep(c("b", "a"), c(3, 4))
    expect_equal(predict(within, new, 3, block = level), predict(alone, new, block = level))
  }
  ranked <- rowsparse_path(x, responses$one, method = "ftest", k = 1:3)
  none <- rowsparse_path(x, method = "css", k = 1:3)
  expect_each_refused("choice",
    "class labels" = predict(ranked, new, 2, "class"), "`type`" = predict(ranked, new, type = "no"),
    "css has no response" = predict(none, new, 2, "response")
  )
  expect_refused(predict(ranked, new, "a"), "range", "`at`")
  expect_refused(predict(ranked, new, block = "a"), "argument", "`block`")
})
