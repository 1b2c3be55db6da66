# Sets of whole groups, against enumeration of all of them and plain R.

test_that("what is said of sets of groups holds against all of them", {
  set.seed(30)
  for (family in names(group_claims)) {
    for (i in 1:4) {
      trial <- group_trial(family)
      expect_identical(names(which(trial$wrong)), character(), info = family)
      # of more columns than samples a proof may be out of reach
      expect_true(trial$proved || grepl("wide", family), info = family)
    }
  }
})

core_ends_here()

test_that("sets with a degree of freedom compare, and of others those with the fewest columns", {
  for (seed in 1:6) {
    p <- grouped_problem(seed, 8, c(2, 3, 5, 6, 7, 6), dependent = FALSE)
    ridge <- if (seed %% 3 == 0) 10^stats::runif(1, -6, 1) else 0
    price <- price_in_r(8, ridge)
    wide <- names(which(table(p$group) == sample(5:7, 1)))[1]
    if (seed %% 2 == 0) p$y <- rowSums(p$x[, p$group == wide])
    y <- centred(p$y)
    value <- function(set) {
      inside <- p$group %in% set
      price(sum(y^2) - explained_squares(scale(p$x), y, inside, ridge), sum(inside))
    }
    for (held in list(NULL, wide)) {
      sets <- Filter(function(set) all(held %in% set), sets_of_groups(p, 1L + length(held)))
      for (solver in c("exact", "exchange")) {
        fit <- suppressWarnings(cdlsr(p$x, p$y, 1L + length(held), groups = p$group,
          ridge = ridge, solver = solver, include = held
        ))
        best <- min(vapply(sets, value, 0))
        expect_equal(value(selected(fit, groups = TRUE)), best, tolerance = 1e-8)
      }
    }
  }
  # which a factor in weights does not change
  labels <- function(...) selected(cdlsr(p$x, p$y, 1, groups = p$group, ...), groups = TRUE)
  for (factor in c(1.5e-4, 150.5)) expect_identical(labels(weights = rep(factor, 8)), labels())
})

test_that("a ridge makes more columns independent than there are samples", {
  # short columns that the ridge keeps apart stand before long ones that depend on each other
  set.seed(1)
  x <- matrix(rnorm(600), 10) * rep(c(1e-3, 1e3), each = 300)
  y <- centred(rnorm(10))
  of <- rep(1:20, 3)
  loss <- function(set) {
    z <- rbind(centred(x[, of %in% set]), sqrt(1e-3) * diag(6))
    sum(qr.resid(qr(z), c(y, numeric(6)))^2)
  }
  fit <- cdlsr(x, y, 2, groups = of, solver = "exact", ridge = 1e-3, scale = FALSE)
  expect_equal(utils::tail(fit$objective, 1), min(utils::combn(20, 2, loss)), tolerance = 1e-7)
})

test_that("factors of many levels of noise do not come before what matters", {
  n <- 100
  for (seed in 1:3) {
    set.seed(seed)
    noise <- factor(sample(50, n, TRUE))
    x <- data.frame(a = rnorm(n), noise = noise, b = gl(3, 1, n), z = rnorm(n))
    y <- x$a + c(0, 1, 2)[x$b] + rnorm(n)
    for (ridge in list(0, "cv")) {
      fit <- rowsparse(x, y, 2, method = "cdlsr", ridge = ridge)
      expect_setequal(selected(fit, groups = TRUE), c("a", "b"))
    }
  }
})

test_that("alignment() adds the group of largest value", {
  for (seed in 1:6) {
    p <- grouped_problem(seed)
    z <- scale(p$x)
    y <- drop(centred(p$y))
    target <- drop(crossprod(z, y / sqrt(sum(y^2)))^2)
    kappa <- mean(colSums(z^2))
    value <- function(groups) {
      inside <- p$group %in% groups
      sum(target[inside]) / sqrt(sum(crossprod(z[, inside])^2) + kappa^2)
    }
    set <- character()
    course <- 0
    for (step in 1:4) {
      others <- setdiff(p$group, set)
      values <- vapply(others, function(g) value(c(set, g)), 0)
      set <- c(set, others[which.max(values)])
      course <- c(course, max(values))
    }
    fit <- alignment(p$x, p$y, 4, groups = p$group)
    expect_identical(selected(fit, groups = TRUE), set)
    expect_equal(fit$objective, course)
  }
  expect_length(selected(alignment(p$x, k = 3, groups = p$group), groups = TRUE), 3)
})

test_that("ftest() tests each group as lm() and manova() do", {
  p <- grouped_problem(1, dependent = FALSE)
  fit <- ftest(p$x, p$y, groups = p$group)
  class <- factor(rep(c("u", "v", "w"), length.out = nrow(p$x)))
  by_class <- ftest(p$x, class, groups = p$group)
  for (label in unique(p$group)) {
    inside <- which(p$group == label)
    test <- summary(lm(p$y ~ p$x[, inside]))$fstatistic
    expect_equal(fit$statistic[inside], rep(test[[1]], length(inside)))
    expect_equal(unname(fit$degrees[label, ]), unname(test[2:3]))
    own <- if (length(inside) > 1L) {
      unname(summary(manova(p$x[, inside] ~ class), test = "Wilks")$stats[1, c(3, 6)])
    } else {
      unlist(anova(lm(p$x[, inside] ~ class))[1, 4:5], use.names = FALSE)
    }
    expect_equal(c(by_class$statistic[inside[1]], by_class$p_value[inside[1]]), own)
  }
  p_value <- fit$p_value[match(fit$groups$label, p$group)]
  expect_identical(fit$groups$ranking, order(p_value))
  expect_equal(unname(fit$groups$scores), -log10(p_value))
  table <- as.data.frame(fit)
  expect_equal(table$p, p_value[table$index])
  expect_equal(table$q, stats::p.adjust(p_value, "BH")[table$index])
})

test_that("paths speak of groups", {
  p <- grouped_problem(6)
  path <- rowsparse_path(p$x, p$y, 1:3, "cdlsr", groups = p$group)
  fit <- cdlsr(p$x, p$y, 3, groups = p$group)
  expect_identical(selected(path, 2), selected(fit, 2))
  expect_identical(selected(path, at = 3, groups = TRUE), selected(fit, groups = TRUE))
  expect_equal(predict(path, p$x, at = 2), predict(fit, p$x, k = 2), ignore_attr = TRUE)
})

test_that("what is printed, and tables, speak of groups", {
  p <- grouped_problem(7)
  fit <- cdlsr(p$x, p$y, 2, groups = p$group, solver = "exact")
  expect_output(print(fit), "2 of 7 groups selected by cdlsr \\([0-9]+ of 14 features\\)")
  expect_output(print(fit), "no other set of 2 groups is better by the criterion")
  expect_output(print(summary(fit)), "Explained, by response")
  table <- as.data.frame(fit)
  expect_setequal(table$feature, p$group)
  expect_identical(table$columns, tabulate(match(p$group, table$feature)))
  expect_false(is.unsorted(rev(fit$scores[fit$ranking])))
  expect_output(print(variance(p$x, groups = p$group)), "7 groups ranked by variance")
})

test_that("groups come as labels of any kind or as a list", {
  x <- as.matrix(iris[, 1:4])
  by <- function(groups) selected(css(x, 1, groups = groups), groups = TRUE)
  expect_identical(by(c(1, 1, 2, 2)), "2")
  expect_identical(by(factor(c("s", "s", "p", "p"))), "p")
  expect_identical(by(list(p = 3:4, s = 1:2)), "p")
  expect_identical(by(list(p = c("Petal.Length", "Petal.Width"))), "p")
  fit <- css(x, 1, groups = list(p = 3:4))
  expect_identical(fit$groups$label, c("p", "Sepal.Length", "Sepal.Width"))
})

test_that("bad groups are refused by name", {
  x <- as.matrix(iris[, 1:4])
  refused <- function(groups, text, ...) {
    expect_error(css(x, 1, groups = groups, ...), text, class = "rowsparse_error")
  }
  refused(1:3, "one label per column \\(4\\)")
  refused(c("a", NA, "b", "b"), "none for column 2 \\(\"Sepal.Width\"\\)")
  refused(c("a", "", "b", "b"), "label for every column")
  refused(list(a = 1:2, b = 2:3), "must not overlap; got column 2")
  refused(list(1:2, 3:4), "different name for each element")
  refused(list(a = 1:2, a = 3:4), "different name")
  refused(list(a = 1:5), "columns from 1 to 4")
  refused(list(a = c(1, 1)), "repeat a feature")
  refused(list(a = "Petal"), "must hold names of features")
  refused(list(Sepal.Width = 3:4), "name of a column")
  refused(list(), "different name for each element")
  refused(c(1, 1, 2, 2), "must hold labels of groups", include = "3")
  refused(c(1, 1, 2, 2), "must hold labels of groups", exclude = TRUE)
  expect_error(css(x, 3, groups = c(1, 1, 2, 2)), class = "rowsparse_error_range")
  expect_error(fspca(x, 1, 3, groups = c(1, 1, 2, 2)), class = "rowsparse_error_range")
  expect_error(fspca(x, 1, 1, solver = "go", groups = c(1, 1, 2, 2)), "exchange")
  expect_error(cdlsr(x, iris$Species, 1, solver = "cd", groups = c(1, 1, 2, 2)), "exchange")
  expect_error(cdlsr(x, iris$Species, 1, starts = 3, groups = c(1, 1, 2, 2)), "starts")
  expect_error(
    rowsparse(x, k = 1, method = "lapscore", groups = c(1, 1, 2, 2)), "not served by lapscore",
    class = "rowsparse_error_groups"
  )
  expect_error(rowsparse(x, k = 1, groups = c(1, 1, 2, 2), diverse = TRUE), "diverse")
  expect_error(selected(css(x, 1), groups = TRUE), "without groups")
})
