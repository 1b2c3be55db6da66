# Features that are locked in or out; what every method does with them is in test-contract.R.
group <- rep(1:3, 12)
x <- from_seed(701, matrix(rnorm(36 * 24), 36))
x[, 1:6] <- x[, 1:6] + 2 * matrix(rnorm(18), 3)[group, ]
colnames(x) <- paste0("g", 1:24)
data <- list(x = x, y = factor(group), out = c("g2", "g9", "g20"), into = c("g23", "g15"))

locked_fit <- function(name, data, ...) {
  set.seed(702)
  suppressWarnings(rowsparse(data$x, if (name %in% supervised_methods()) data$y, k = 5,
    method = name, ...
  ))
}

core_ends_here()

test_that("where a method ranks, the others keep their scores and their order", {
  for (name in c("lapscore", "ftest", "bsufs")) {
    fit <- locked_fit(name, data, include = data$into)
    plain <- locked_fit(name, data)
    others <- setdiff(plain$ranking, c(15, 23))
    expect_identical(fit$ranking[-(1:2)], others, info = name)
    expect_equal(fit$scores[others], plain$scores[others], info = name)
    expect_identical(fit$ranking[1:2], intersect(plain$ranking, c(15L, 23L)), info = name)
  }
})

test_that("names, columns and logicals say the same, of features that may hold anything", {
  byname <- variance(data$x, include = "g3", exclude = data$out)
  x <- data$x
  x[3, c(2, 9)] <- NA
  for (out in list(c(2, 9, 20), colnames(data$x) %in% data$out, factor(data$out))) {
    fit <- expect_silent(variance(x, include = 3L, exclude = out))
    expect_identical(fit[c("ranking", "scores")], byname[c("ranking", "scores")])
  }
  # columns are counted as the caller does
  x[4, 22] <- Inf
  expect_refused(variance(unname(x), exclude = c(2, 9, 20)), "nonfinite", "column 22")
})

test_that("requests that cannot be met are refused", {
  run <- function(..., k = 5) rowsparse(x, k = k, method = "variance", ...)
  expect_each_refused("names",
    "Did you mean \"g3\"?" = run(include = c("g1", "G33")),
    "columns from 1 to 24" = run(exclude = 25),
    "have no names" = rowsparse(unname(x), k = 2, method = "variance", include = "g1")
  )
  expect_each_refused("type",
    "`exclude`" = run(exclude = 1.5), "columns from 1 on" = run(exclude = -1),
    "`include`" = run(include = list("g1")),
    "`include`" = run(include = NA_character_)
  )
  expect_each_refused("length", "one TRUE or FALSE per feature" = run(exclude = c(TRUE, FALSE)))
  expect_each_refused("argument", "column 2 (\"g2\")" = run(include = 1:3, exclude = 2))
  expect_each_refused("range",
    "`exclude` must leave" = run(exclude = rep(TRUE, 24)),
    "must count the 3 features" = run(include = 1:3, k = 2),
    "at most 21" = run(exclude = 1:3, k = 22)
  )
})

# ---- the others given the included ones --------------------------------------------

# rest of the centred response after regression on a set
rest_after <- function(x, y, set) {
  x <- scale(x, scale = FALSE)
  y <- scale(y, scale = FALSE)
  sum(qr.resid(qr(x[, set, drop = FALSE]), y)^2)
}

sets_with <- function(d, k, into) {
  free <- utils::combn(setdiff(seq_len(d), into), k - length(into))
  lapply(seq_len(ncol(free)), function(at) c(into, free[, at]))
}

# does no exchange of a feature that is not included give a lower value?
expect_best_exchange <- function(value, set, into, d, info = NULL) {
  reached <- value(set)
  for (out in setdiff(set, into)) {
    for (new in setdiff(seq_len(d), set)) {
      expect_gte(value(c(setdiff(set, out), new)), reached * (1 - 1e-7), label = info)
    }
  }
}

test_that("css() and cdlsr() exchange features given those included, and never these", {
  x <- from_seed(711, matrix(rnorm(40 * 9), 40) %*% matrix(rnorm(81), 9))
  y <- cbind(x[, 2] - x[, 5] + rnorm(40), x[, 7] + rnorm(40))
  into <- c(8L, 3L)
  fit <- css(x, k = 4, m = Inf, include = into)
  value <- function(set) rest_after(x, x, set)
  expect_setequal(fit$selected[1:2], into)
  expect_best_exchange(value, fit$selected, into, 9)
  expect_equal(tail(fit$objective, 1), value(fit$selected))
  expect_lte(value(fit$selected), value(css(x, 4, Inf, "forward", include = into)$selected) + 1e-8)
  for (solver in c("exchange", "cd")) {
    fit <- cdlsr(x, y, k = 4, solver = solver, scale = FALSE, include = into)
    value <- function(set) rest_after(x, y, set)
    expect_setequal(fit$selected[1:2], into)
    if (solver == "exchange") expect_best_exchange(value, fit$selected, into, 9)
    all <- vapply(sets_with(9, 4, into), value, 0)
    expect_gte(value(fit$selected), min(all) * (1 - 1e-9))
    expect_equal(unname(fit$loadings[fit$selected, ]),
      unname(qr.coef(qr(scale(x[, fit$selected], scale = FALSE)), scale(y, scale = FALSE))),
      tolerance = 1e-6, ignore_attr = TRUE
    )
  }
  set.seed(712)
  starts <- cdlsr(x, y, k = 4, start = "random", starts = 5, scale = FALSE, include = into)$runs
  expect_true(all(apply(starts$sets, 1, function(set) all(into %in% set))))
  for (at in 1:5) expect_best_exchange(value, starts$sets[at, ], into, 9)
  # every size: the included ones first, the forward order among them
  path <- cdlsr(x, y, k = 5, scale = FALSE, include = into)$path
  expect_true(path$features[[1]] %in% into)
  for (size in 2:5) expect_setequal(path$features[[size]][1:2], into)
  expect_equal(path$objective[5], rest_after(x, y, path$features[[5]]))
})

test_that("included features that depend on each other, or are constant, take their places", {
  x <- from_seed(713, matrix(rnorm(30 * 8), 30))
  x <- cbind(x, x[, 1] + x[, 2], 1)
  y <- x[, 5] + rnorm(30)
  into <- c(1L, 2L, 9L, 10L)
  for (solver in c("exchange", "forward")) {
    fit <- suppressWarnings(css(x, 6, Inf, solver, include = into))
    expect_setequal(fit$selected[1:4], into)
    expect_identical(lengths(fit$path$features), 1:6)
    expect_equal(1 - fit$path$explained, fit$path$objective / sum(scale(x, scale = FALSE)^2))
    expect_equal(tail(fit$path$objective, 1), rest_after(x, x, fit$selected))
  }
  fit <- suppressWarnings(cdlsr(x, y, 6, include = into, starts = 3))
  expect_setequal(fit$selected[1:4], into)
  expect_equal(tail(fit$path$objective, 1), rest_after(x, y, fit$selected))
  expect_identical(ncol(fit$runs$sets), 6L)
  expect_error(suppressWarnings(cdlsr(x, y, 1, include = 10)), "`k`",
    class = "rowsparse_error_range"
  )
})

test_that("fspca() and the other methods of traces choose the others given those included", {
  x <- from_seed(714, matrix(rnorm(40 * 9), 40) %*% matrix(rnorm(81), 9))
  S <- crossprod(scale(x, scale = FALSE))
  into <- c(2L, 6L)
  value <- components_value(S, 2)
  all <- vapply(sets_with(9, 4, into), value, 0)
  exact <- fspca(x, 4, 2, "exact", include = into)
  expect_setequal(exact$selected[1:2], into)
  expect_equal(-tail(exact$objective, 1), max(all))
  expect_identical(exact$gap, 0)
  ipu <- fspca(x, 4, 2, "ipu", include = into)
  expect_true(all(diff(ipu$objective) <= 1e-9 * abs(ipu$objective[1])))
  expect_equal(-tail(ipu$objective, 1), value(ipu$selected))
  expect_lte(value(ipu$selected), max(all) * (1 + 1e-9))
  # m = k: the sum of variances
  expect_setequal(fspca(x, 3, 3, include = into)$selected,
    c(into, setdiff(order(-diag(S)), into)[1])
  )
})

test_that("the guard takes what is locked in, copies among them", {
  x <- cbind(data$x, copy = data$x[, "g1"], near = data$x[, "g1"] + 1e-3 * data$x[, 24])
  fit <- rowsparse(x, k = 4, method = "variance", diverse = TRUE, include = c("g1", "copy"),
    exclude = "g3"
  )
  expect_setequal(selected(fit)[1:2], c("g1", "copy"))
  expect_false(any(c("near", "g3") %in% selected(fit)))
  expect_length(fit$selected, 4)
  expect_identical(sort(fit$ranking), 1:26)
})

test_that("paths and cross-validation hold what is locked", {
  for (name in c("bsufs", "kmeans_ufs")) {
    path <- rowsparse_path(data$x, method = name, include = data$into, exclude = data$out)
    for (set in path$selected) {
      expect_setequal(path$feature_names[set[1:2]], data$into)
      expect_false(any(data$out %in% path$feature_names[set]))
    }
    expect_output(print(path), "2 features locked in, 3 excluded", fixed = TRUE)
  }
  cv <- cv_rowsparse(data$x, data$y, k = 1:4, method = "cdlsr", folds = 3, exclude = data$out)
  expect_false(any(data$out %in% selected(cv)))
})

test_that("a start that comes from all features serves a fit without some", {
  fit <- bsufs(data$x, start = bsufs(data$x, m = 2), exclude = data$out)
  expect_identical(fit$excluded, c(2L, 9L, 20L))
  sets <- matrix(c(1, 3, 5), 1)
  expect_identical(cdlsr(data$x, data$y, k = 3, start = sets, exclude = 2)$excluded, 2L)
  expect_refused(cdlsr(data$x, data$y, k = 3, start = sets, exclude = 3), "names", "`start`")
})

test_that("one string of `exclude` may be a pattern, which tells what it fits", {
  set.seed(9)
  x <- matrix(rnorm(40 * 6), 40, dimnames = list(NULL, c("MT-A", "MT-B", "^MT", "a", "b", "c")))
  expect_message(fit <- variance(x, exclude = "^MT-"), "2 features: MT-A, MT-B",
    class = "rowsparse_message_pattern"
  )
  expect_identical(fit$excluded, 1:2)
  expect_no_message(named <- variance(x, exclude = "^MT")) # a name
  expect_identical(named$excluded, 3L)
  expect_each_refused("names",
    "fits no feature" = variance(x, exclude = "^ZZ"), "grep" =
      variance(x, exclude = c("^MT-", "a")), "grep" = variance(x, include = "^MT-"),
    "`exclude`" = variance(x, exclude = "[a")
  )
})

test_that("symbols are found in rowData", {
  skip_if_not_installed("SummarizedExperiment")
  x <- from_seed(10, matrix(rnorm(40 * 6), 6, dimnames = list(paste0("ENSG", 1:6), NULL)))
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = x),
    rowData = methods::as(
      data.frame(Symbol = c("MT-A", "MT-B", "CD3", "CD3", "CD4", "CD8")), "DataFrame"
    )
  )
  for (fit_with in list(
    function(...) variance(object, ...),
    function(...) rowsparse(object, k = 3, method = "variance", ...)
  )) {
    expect_message(fit <- fit_with(exclude = "^MT-"), "rowData\\(x\\)\\$Symbol",
      class = "rowsparse_message_symbols"
    )
    expect_identical(fit$excluded, 1:2)
    both <- suppressMessages(fit_with(include = c("CD4", "ENSG6"), exclude = "CD3"))
    expect_identical(sort(both$included), 5:6)
    expect_identical(both$excluded, 3:4)
    expect_error(fit_with(exclude = "CD33"), class = "rowsparse_error_names")
  }
  rules <- panel_rules(c(`MT-A` = 5, `MT-B` = 4, CD3 = 3, CD4 = 2, CD8 = 1), 5,
    list(T = c("CD3", "CD8")), at_least = 1, near = c("CD4", "ENSG1"), swaps = 1
  )
  same <- panel_rules(c(5, 4, 3, 3, 2, 1), 5, list(T = c(3, 4, 6)), at_least = 1, near = c(5, 1),
    swaps = 1
  )
  for (fit_with in list(css, fspca, function(...) rowsparse(..., method = "css"))) {
    held <- suppressMessages(fit_with(object, k = 2, rules = rules))
    expect_identical(held$selected, fit_with(object, k = 2, rules = same)$selected)
  }
  cv <- suppressMessages(cv_rowsparse(object, k = 2, method = "css", include = "CD4"))
  expect_true("ENSG5" %in% selected(cv))
  expect_message(table <- compare_panels(c("CD3", "ENSG6"), object, seed = 1), "CD3 \\(ENSG4\\)")
  expect_identical(table, compare_panels(c(6, 3, 4), object, seed = 1))
  rownames(object)[2] <- NA
  for (name in c("ENSG1", "CD4")) {
    expect_error(css(object, 2, include = name), class = "rowsparse_error_names")
  }
})
