# Roles of groups: what is shown is held against all sets of groups, in plain R.

table_of_groups <- function(seed) {
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
    price <- table$price_most[table$feature == group]
    expect_equal(price, 1 - own / best, tolerance = 1e-8)
  }
  expect_equal(found$value, best, tolerance = 1e-8)
}

core_ends_here()

test_that("roles of groups are those of all sets of groups", {
  for (seed in 1:2) {
    p <- table_of_groups(seed)
    centred <- scale(p$x, TRUE, FALSE)
    y <- p$y - mean(p$y)
    explained <- function(j) sum(qr.fitted(qr(centred[, j]), y)^2)
    carried <- function(j) sum(utils::head(svd(centred[, j, drop = FALSE], 0, 0)$d^2, 2))
    reproduced <- function(j) sum(qr.fitted(qr(centred[, j]), centred)^2)
    cases <- list(
      list(fit = cdlsr(p$x, p$y, 2, groups = p$of, scale = FALSE), value = explained, y = p$y),
      list(fit = fspca(p$x, 2, m = 2, groups = p$of), value = carried, y = NULL),
      list(fit = css(p$x, 2, m = Inf, groups = p$of), value = reproduced, y = NULL)
    )
    for (case in cases) {
      tolerance <- c(0.05, 0.5)
      found <- alternatives(p$x, case$fit, case$y, tolerance = tolerance, sets = 3)
      all <- pairs_of_groups(p, case$value)
      expect_identical(found$kind, "proved")
      expect_identical(c(found$k, found$d), c(2L, 6L))
      expect_setequal(found$selected, selected(case$fit, groups = TRUE))
      by_number <- function(set) case$value(which(p$of %in% paste0("g", set)))
      for (at in 1:2) {
        expect_identical(unname(found$roles[, at]), defined_roles(6, 2, by_number, tolerance[at]))
        expect_identical(unname(found$sets$count[at]),
          sum(all$values >= (1 - tolerance[at] - 1e-9) * max(all$values)) + 0
        )
      }
      expect_equal(found$sets$share, sort(all$values / max(all$values), TRUE)[
        seq_along(found$sets$share)
      ])
      expect_shown(found, all)
      expect_exchange_costs(found, function(set) case$value(which(p$of %in% set)))
      expect_error(without_enumeration(alternatives(p$x, case$fit, case$y)), "at most 200000 sets",
        class = "rowsparse_error_groups"
      )
    }
  }
})

test_that("groups that are locked stay so where all sets are looked at", {
  p <- table_of_groups(9)
  fit <- cdlsr(p$x, p$y, 3, groups = p$of, include = "g5", exclude = "g2", scale = FALSE)
  found <- alternatives(p$x, fit, p$y, tolerance = 0.1)
  centred <- scale(p$x, TRUE, FALSE)
  value <- function(set) {
    sum(qr.fitted(qr(centred[, p$of %in% paste0("g", set)]), p$y - mean(p$y))^2)
  }
  expect_identical(unname(found$roles[, 1]), defined_roles(6, 3, value, 0.1, 5L, 2L))
  expect_identical(found$features$locked[match(c("g5", "g2"), found$features$feature)],
    c("included", "excluded")
  )
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

test_that("columns that nearly depend on others are proved by the samples, and not by moments", {
  sets <- utils::combn(5, 2)
  of <- rep(1:5, each = 2)
  for (seed in 1:4) {
    set.seed(seed)
    x <- matrix(stats::rnorm(250), 25)
    if (seed %% 2 == 0) x[2, ] <- 1e6 * stats::runif(10, 0.5, 1)
    if (seed %% 2 == 1) for (j in c(3, 5, 9)) x[, j] <- x[, 1] + 1e-6 * stats::rnorm(25)
    y <- stats::rnorm(25)
    value <- apply(sets, 2, function(set) {
      1 - sum(qr.resid(qr(cbind(1, x[, of %in% set]), tol = 1e-15), y)^2) / sum((y - mean(y))^2)
    })
    found <- alternatives(x, cdlsr(x, y, 2, groups = of, scale = FALSE), y, tolerance = 0.1)
    expect_identical(found$kind, "proved")
    best <- value[colSums(matrix(sets %in% found$best, 2)) == 2]
    price <- vapply(as.integer(found$features$feature), function(j) {
      others <- (colSums(sets == j) > 0) != found$features$best[found$features$feature == j]
      max(1 - max(value[others]) / best, 0)
    }, 0)
    expect_equal(found$features$price_least, price, tolerance = 1e-6)
    expect_equal(found$features$price_most, price, tolerance = 1e-6)
    summed <- moments(x, y)
    fit <- suppressWarnings(cdlsr(summed, k = 2, groups = of, scale = FALSE))
    expect_refused(alternatives(summed, fit), "groups", "known from the samples")
  }
})

test_that("groups come with a fit, and are printed as such", {
  p <- table_of_groups(8)
  expect_refused(alternatives(p$x, c("x1", "x2"), p$y, groups = p$of), "argument", "groups")
  fit <- alignment(p$x, p$y, 2, groups = p$of)
  expect_refused(alternatives(p$x, fit, p$y, groups = p$of), "argument", "groups")
  expect_output(print(alternatives(p$x, fit, p$y)), "2 of 6 groups selected")
})
