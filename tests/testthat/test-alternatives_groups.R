# Roles of groups: what is shown is held against all sets of groups, in plain R.

grouped_problem <- function(seed) {
  set.seed(seed)
  x <- matrix(stats::rnorm(40 * 12), 40, dimnames = list(NULL, paste0("x", 1:12)))
  x[, 2] <- x[, 1] + 0.3 * x[, 2]
  list(
    x = x, y = drop(x[, c(1, 4, 7)] %*% c(2, -1, 1)) + stats::rnorm(40),
    of = rep(paste0("g", 1:6), c(3, 1, 2, 2, 1, 3))
  )
}

# value of every pair of groups, a list of (sets, values)
pairs_of_groups <- function(p, value) {
  sets <- utils::combn(unique(p$of), 2)
  list(sets = sets, values = apply(sets, 2, function(set) value(which(p$of %in% set))))
}

expect_shown <- function(found, all) {
  holds <- function(group) colSums(all$sets == group) > 0
  best <- all$values[holds(found$best[1]) & holds(found$best[2])]
  table <- found$features
  known <- is.finite(table$price_most)
  for (at in which(known)) {
    answers <- holds(table$feature[at]) != table$best[at]
    expect_gte(table$price_most[at], 1 - max(all$values[answers]) / best - 1e-9)
  }
  for (group in names(found$witness)) {
    set <- c(setdiff(found$best, found$witness[[group]]$out), found$witness[[group]]$into)
    own <- all$values[holds(set[1]) & holds(set[2])]
    expect_gte(own, (1 - max(found$tolerance)) * best - 1e-9 * best)
  }
  expect_false(any(found$roles %in% c("essential", "excluded") & table$locked == ""))
  expect_equal(found$value, best, tolerance = 1e-8)
}

test_that("what is shown of groups is true of all sets of groups", {
  for (seed in 1:4) {
    p <- grouped_problem(seed)
    centred <- scale(p$x, TRUE, FALSE)
    y <- p$y - mean(p$y)
    explained <- pairs_of_groups(p, function(j) sum(qr.fitted(qr(centred[, j]), y)^2))
    carried <- pairs_of_groups(p, function(j) {
      sum(utils::head(svd(centred[, j, drop = FALSE], 0, 0)$d^2, 2))
    })
    cases <- list(
      list(fit = cdlsr(p$x, p$y, 2, groups = p$of, scale = FALSE), all = explained, y = p$y),
      list(fit = fspca(p$x, 2, m = 2, groups = p$of), all = carried, y = NULL)
    )
    for (case in cases) {
      found <- alternatives(p$x, case$fit, case$y, tolerance = c(0.05, 0.5))
      expect_identical(found$kind, "refits")
      expect_identical(c(found$k, found$d), c(2L, 6L))
      expect_setequal(found$selected, selected(case$fit, groups = TRUE))
      expect_shown(found, case$all)
      expect_length(intersect(found$disjoint$selected, found$selected), 0)
    }
  }
})

test_that("tables with factors are asked about as the fit was", {
  x <- mtcars[c("hp", "wt", "qsec", "am")]
  x$cyl <- factor(mtcars$cyl)
  fit <- rowsparse(x, mtcars$mpg, k = 2, include = "cyl")
  found <- alternatives(x, fit)
  expect_identical(found$d, 5L)
  expect_identical(found$features$locked[found$features$feature == "cyl"], "included")
  expect_true("cyl" %in% found$selected)
  expect_output(print(found), "2 of 5 groups selected")
  expect_identical(alternatives(x, fit, mtcars$mpg)$features, found$features)
  turned <- rowsparse(x[5:1], mtcars$mpg, k = 2, include = "cyl")
  other <- alternatives(x[5:1], turned)$features
  at <- match(found$features$feature, other$feature)
  expect_equal(other$price_most[at], found$features$price_most)
  out <- alternatives(x, rowsparse(x, mtcars$mpg, k = 2, exclude = "cyl"))
  expect_identical(out$features$locked[out$features$feature == "cyl"], "excluded")
})

test_that("every method that selects groups answers, and pictures and tables follow", {
  p <- grouped_problem(7)
  for (method in c("css", "alignment", "variance", "ftest", "bsufs")) {
    fit <- rowsparse(p$x, p$y, k = 2, method = method, groups = p$of)
    ranks <- !rowsparse:::takes(rowsparse:::method_entry(method), "k")
    found <- alternatives(p$x, fit, p$y, k = if (ranks) 2)
    expect_identical(nrow(found$features), 6L)
    expect_true(all(found$features$feature %in% p$of))
    expect_output(print(summary(found)), "of 6 groups")
    expect_silent(as.data.frame(found))
  }
  path <- tempfile(fileext = ".pdf")
  on.exit(unlink(path))
  grDevices::pdf(path)
  plot(alternatives(p$x, cdlsr(p$x, p$y, 2, groups = p$of), p$y))
  grDevices::dev.off()
  expect_gt(file.size(path), 0)
})

test_that("groups come with a fit, and have no row each in an experiment", {
  p <- grouped_problem(8)
  expect_refused(alternatives(p$x, c("x1", "x2"), p$y, groups = p$of), "argument", "groups")
  fit <- cdlsr(p$x, p$y, 2, groups = p$of)
  expect_refused(alternatives(p$x, fit, p$y, groups = p$of), "argument", "groups")
  expect_refused(alternatives(p$x, fit, p$y, return = "object"), "choice", "return")
})
