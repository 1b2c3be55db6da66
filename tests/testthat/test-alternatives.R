# alternatives(): roles and prices against all sets, with an engine that enumerates them where
# the method's own is not what is tested.

small_problem <- function(seed, n = 30, d = 9) {
  set.seed(seed)
  x <- sample_matrix(n, d, rank = d)
  x[, d] <- x[, 1] + 0.05 * stats::rnorm(n)
  x
}

# the value of each set that is shown is what the price of its feature says
expect_witnessed <- function(found, value, names) {
  columns <- function(set) match(set, names)
  expect_true(length(found$witness) > 0)
  best <- value(columns(found$best))
  expect_equal(found$value, best)
  for (feature in names(found$witness)) {
    change <- found$witness[[feature]]
    set <- union(setdiff(found$best, change$out), change$into)
    expect_length(set, found$k)
    expect_true(xor(feature %in% found$best, feature %in% set))
    price <- found$features$price_most[found$features$feature == feature]
    expect_equal(price, max(0, 1 - value(columns(set)) / best), tolerance = 1e-6)
  }
}

test_that("roles are those of all sets that reach the cut", {
  for (seed in 1:3) {
    x <- small_problem(seed)
    tolerance <- c(0, 0.005, 0.05, 0.2)
    found <- alternatives_of_all(x, fspca(x, k = 3, m = 2), tolerance = tolerance)
    value <- components_value(scatter(x), 2)
    for (at in seq_along(tolerance)) {
      expect_identical(unname(found$roles[, at]), defined_roles(9, 3, value, tolerance[at]))
    }
    table <- found$features
    expect_identical(as.character(table$role), unname(found$roles[table$index, 1]))
    expect_true(all(found$features$proved))
  }
})

core_ends_here()

test_that("prices answer the question of each feature", {
  x <- small_problem(5)
  found <- alternatives_of_all(x, fspca(x, k = 3, m = 2))
  value <- components_value(scatter(x), 2)
  all <- all_set_values(9, 3, value)
  table <- found$features[order(found$features$index), ]
  for (i in 1:9) {
    has <- colSums(all$sets == i) > 0
    price <- 1 - max(all$values[if (table$best[i]) !has else has]) / max(all$values)
    expect_equal(table$price_least[i], price)
    expect_equal(table$price_most[i], price)
    expect_equal(table$average_most[i], 3 * price)
  }
  expect_equal(found$value, max(all$values))
  expect_equal(found$share, value(match(found$selected, colnames(x))) / max(all$values))
  # selected ones, dearest first, then the others from the cheapest on
  expect_false(is.unsorted(!found$features$selected))
  expect_false(is.unsorted(-found$features$price_most[found$features$selected]))
  expect_false(is.unsorted(found$features$price_most[!found$features$selected]))
})

test_that("single exchanges, witnesses and replacements are what they say", {
  x <- small_problem(6)
  found <- alternatives_of_all(x, fspca(x, k = 3, m = 2), tolerance = 0.3)
  value <- components_value(scatter(x), 2)
  expect_exchange_costs(found, function(set) value(match(set, colnames(x))))
  expect_witnessed(found, value, colnames(x))
  own <- found$features[found$features$best, ]
  for (at in seq_len(nrow(own))) {
    expect_equal(own$replacement_cost[at], min(found$exchanges[own$feature[at], ]))
    expect_identical(own$replacement[at],
      colnames(found$exchanges)[which.min(found$exchanges[own$feature[at], ])]
    )
  }
})

test_that("roles at any tolerance follow from the prices", {
  x <- small_problem(7)
  fit <- fspca(x, k = 3, m = 2)
  tolerance <- c(0.003, 0.04, 0.3)
  found <- alternatives_of_all(x, fit, tolerance = tolerance)
  single <- alternatives_of_all(x, fit, tolerance = 0.01)
  for (at in seq_along(tolerance)) {
    table <- as.data.frame(single, tolerance = tolerance[at])
    expect_identical(as.character(table$role), unname(found$roles[table$index, at]))
  }
  several <- as.data.frame(found)
  expect_identical(grep("^role", names(several), value = TRUE),
    c("role_0.3%", "role_4%", "role_30%")
  )
  # essential and excluded features become fewer as the tolerance grows
  for (role in c("essential", "excluded")) {
    expect_false(is.unsorted(-colSums(found$roles == role)))
  }
})

test_that("settings come from the fit, or from the call for a set", {
  x <- small_problem(17)
  fit <- fspca(x, k = 3, m = 2, scale = TRUE, include = "g5", exclude = c("g1", "g2"))
  found <- alternatives_of_all(x, fit, tolerance = 0.1)
  by_hand <- alternatives_of_all(x, selected(fit),
    tolerance = 0.1, m = 2, scale = TRUE, include = "g5",
    exclude = c("g1", "g2")
  )
  parts <- c("features", "roles", "value", "best")
  expect_equal(found[parts], by_hand[parts])
  expect_identical(unname(found$roles[c(5, 1, 2), 1]), c("essential", "excluded", "excluded"))
  table <- found$features[order(found$features$index), ]
  expect_identical(table$locked[c(1, 2, 5)], c("excluded", "excluded", "included"))
  expect_true(all(is.infinite(table$price_least[c(1, 2, 5)])))
  value <- components_value(stats::cor(x), 2)
  expect_identical(unname(found$roles[, 1]), defined_roles(9, 3, value, 0.1, 5, 1:2))
  # a set that is not the best one says so
  poor <- setdiff(colnames(x), selected(fspca(x, k = 3, m = 2)))[1:3]
  told <- alternatives_of_all(x, poor, m = 2)
  expect_lt(told$share, 1)
  expect_output(print(told), "Your set reaches")
  expect_output(print(told), "not in the best set")
  expect_setequal(told$best, colnames(x)[all_best(scatter(x), 3, 2)])
})

expect_claims_nothing <- function(found) {
  expect_false(any(found$features$proved))
  expect_false(any(c("essential", "excluded") %in% found$roles[found$features$locked == "", ]))
  expect_true(is.na(found$bound))
  told <- utils::capture.output(print(found))
  expect_match(paste(told, collapse = " "), "nothing (is )?proved")
  expect_false(any(grepl("essential|excluded|in every|in none", told)))
}

# sum of t_j over the root of the squared cross-products with the ridge, as ?alignment has it
alignment_by_hand <- function(x, target) {
  G <- scatter(x)
  kappa <- mean(diag(G))
  function(set) sum(target[set]) / sqrt(sum(G[set, set]^2) + kappa^2)
}

test_that("alignment is asked about single exchanges, or all sets if these are few", {
  x <- small_problem(18)
  fit <- quietly_run(alignment(x, k = 3))
  value <- alignment_by_hand(x, fit$target)
  expect_equal(value(fit$selected), utils::tail(fit$objective, 1))
  tolerance <- c(0.01, 0.1)
  all <- quietly_run(alternatives(x, fit, tolerance = tolerance))
  for (at in 1:2) {
    expect_identical(unname(all$roles[, at]), defined_roles(9, 3, value, tolerance[at]))
  }
  found <- quietly_run(without_enumeration(alternatives(x, fit, tolerance = 0.2)))
  expect_identical(found$kind, "witnesses")
  expect_claims_nothing(found)
  expect_witnessed(found, value, colnames(x))
  expect_exchange_costs(found, function(set) value(match(set, colnames(x))))
})

test_that("exchanges of alignment keep what is locked, with a response and in other units", {
  x <- small_problem(40)
  y <- factor(rep(1:3, length.out = nrow(x)))
  fit <- quietly_run(alignment(x, y, k = 4, include = "g2", exclude = "g1"))
  found <- quietly_run(without_enumeration(alternatives(x, fit, y, tolerance = 0.5)))
  z <- scale(x)[, -1]
  value <- alignment_by_hand(z, fit$target[-1])
  expect_witnessed(found, value, colnames(z))
  expect_true("g2" %in% found$best && !"g1" %in% unlist(found$witness))
  expect_false("g2" %in% names(found$witness))
  far <- quietly_run(without_enumeration(alternatives(x * 1e120, fit, y, tolerance = 0.5)))
  expect_equal(far$features$price_most, found$features$price_most)
})

test_that("of the table of a formula the response is no feature", {
  fit <- rowsparse(mpg ~ ., mtcars, k = 2)
  plain <- rowsparse(mtcars[-1], mtcars$mpg, k = 2)
  expect_equal(alternatives(mtcars, fit)$features, alternatives(mtcars[-1], plain)$features)
  some <- rowsparse(mpg ~ wt + hp + qsec, mtcars, k = 2)
  expect_setequal(alternatives(mtcars, some)$features$feature, c("wt", "hp", "qsec"))
  table <- data.frame(mtcars, kind = factor(mtcars$cyl))
  classes <- rowsparse(kind ~ mpg + wt + hp, table, k = 2)
  expect_identical(quietly_run(alternatives(table, classes))$d, 3L)
  validated <- cv_rowsparse(mpg ~ wt + hp + qsec, mtcars, method = "cdlsr", k = 1:2, folds = 3)
  expect_identical(alternatives(mtcars, validated)$d, 3L)
})

test_that("a set that is included as a whole has no alternatives", {
  x <- small_problem(23)
  y <- x[, 1] + stats::rnorm(nrow(x))
  for (found in list(
    alternatives(x, c(2, 5), m = 1, include = c(2, 5), sets = 2),
    alternatives(x, c(2, 5), method = "css", m = Inf, include = c(2, 5), sets = 2),
    alternatives(x, c(2, 5), y, include = c(2, 5), sets = 2)
  )) {
    expect_identical(unname(found$roles[, 1]),
      ifelse(seq_len(9) %in% c(2, 5), "essential", "excluded")
    )
    expect_identical(unname(found$sets$count), 1)
    expect_true(all(found$features$proved))
  }
})

test_that("roles of regressions are those of all sets", {
  for (seed in 24:26) {
    x <- small_problem(seed)
    set.seed(seed)
    y <- drop(x[, 1:3] %*% c(1, -1, 2)) + stats::rnorm(nrow(x))
    weights <- if (seed %% 2 == 0) sample(1:3, nrow(x), TRUE)
    ridge <- if (seed %% 3 == 0) 5 else 0
    fit <- cdlsr(x, y, 3, ridge = ridge, weights = weights, scale = FALSE)
    found <- alternatives(x, fit, weights = weights, tolerance = c(0.001, 0.1), sets = 3)
    w <- if (is.null(weights)) rep(1, nrow(x)) else weights
    centre <- function(v) sqrt(w) * sweep(as.matrix(v), 2, colSums(as.matrix(v) * w) / sum(w))
    value <- regression_value(centre(x), centre(y), ridge)
    all <- all_set_values(9, 3, value)
    for (at in 1:2) {
      expect_identical(unname(found$roles[, at]), defined_roles(9, 3, value, found$tolerance[at]))
      near <- all$values >= (1 - found$tolerance[at] - 1e-9) * max(all$values)
      expect_identical(unname(found$sets$count[at]), sum(near) + 0)
      expect_equal(unname(found$sets$frequency[, at]),
        vapply(1:9, function(i) mean(colSums(all$sets[, near, drop = FALSE] == i)), 0)
      )
    }
    shares <- sort(all$values[near] / max(all$values), TRUE)
    expect_equal(found$sets$share, utils::head(shares, 3))
    expect_output(print(found), sprintf("%d set", sum(near)))
    expect_identical(found$kind, "proved")
    expect_equal(found$value, max(all$values))
    # the response is that of the fit
    if (is.null(weights)) {
      expect_equal(alternatives(x, fit, y)$features, alternatives(x, fit)$features)
    }
  }
})

test_that("copies are told as groups", {
  x <- small_problem(33)
  x <- cbind(x, twin = -2 * x[, "g3"])
  y <- x[, 1] + x[, 3] + stats::rnorm(nrow(x))
  for (found in list(
    alternatives(x, c("g3", "g4"), m = 1, scale = TRUE), alternatives(x, c("g3", "g4"), m = 2),
    alternatives(x, c("g3", "g4"), y), alternatives(x, c("g3", "g4"), method = "css", m = Inf)
  )) {
    expect_identical(lapply(found$groups, sort), list(c("g3", "twin")))
    group <- found$features$group[match(c("g3", "twin"), found$features$feature)]
    expect_true(group[1] > 0 && group[1] == group[2])
  }
})

test_that("tolerance 0 is the certificate of a set, from any kind of data", {
  x <- small_problem(43, d = 14)
  value <- components_value(scatter(x), 2)
  best <- max(utils::combn(14, 4, value))
  panel <- c(3, 5, 8, 13)
  blocks <- row_blocks(x, rows = 11)
  for (data in list(x, Matrix::Matrix(x, sparse = TRUE), moments(x), blocks)) {
    found <- alternatives(data, panel, method = "fspca", m = 2, tolerance = 0)
    expect_equal(found$value, best)
    expect_equal(found$share, value(panel) / best)
    expect_gte(found$bound, best * (1 - 1e-12))
    expect_equal(found$gap, found$bound / found$value - 1)
    expect_lt(found$gap, 2e-9)
    expect_output(print(found), "No set of 4 is better than the best one known: proved")
  }
  for (seconds in c(0, 1e-2)) {
    found <- alternatives(x, panel, method = "fspca", m = 2, tolerance = 0, seconds = seconds)
    expect_gte(found$bound, best * (1 - 1e-12))
    expect_lte(found$value, best * (1 + 1e-12))
    expect_equal(found$value, value(match(found$best, colnames(x))))
  }
  open <- alternatives(sample_matrix(60, 200), 1:10, method = "fspca", m = 3, tolerance = 0,
    seconds = 0
  )
  expect_gt(open$gap, 0)
  expect_output(print(open), "by more than")
})

test_that("what is wrong with a question about alternatives is told", {
  x <- small_problem(44)
  fit <- fspca(x, k = 3, m = 3)
  expect_refused(alternatives(x), "missing", "`selected`")
  expect_refused(alternatives(x, "nosuch"), "names", "`selected`")
  expect_refused(alternatives(x, NULL), "type", "`selected`")
  expect_refused(alternatives(x, 1:3, k = 3), "argument", "`k`")
  expect_refused(alternatives(x, fit, method = "css"), "argument", "`method`")
  expect_refused(alternatives(x, 1:3, method = "lapscore"), "choice", "`method`")
  expect_refused(alternatives(x, bsufs(x, m = 1), k = 3), "choice", "`exclude`")
  expect_refused(alternatives(x, 1:3, ridge = 1), "argument", "`ridge`")
  expect_refused(alternatives(x, 1:3, m = 4), "range", "`k`")
  expect_refused(alternatives(x, 1:3, method = "cdlsr"), "type", "`y`")
  expect_refused(alternatives(x, fit, weights = rep(1, 30)), "argument", "`weights`")
  for (tolerance in list(-1, 1, NA, "a", numeric(), Inf)) {
    expect_refused(alternatives(x, fit, tolerance = tolerance), "range", "`tolerance`")
  }
  expect_refused(alternatives(x, 1:3, m = 3, exclude = 1), "names", "`selected`")
  expect_refused(alternatives(x, 1:3, m = 3, include = 4), "names", "`selected`")
  expect_refused(alternatives(x[, 1:5], fit), "names", "`selected`")
  expect_refused(as.data.frame(alternatives(x, fit), tolerance = 2), "range", "`tolerance`")
})
