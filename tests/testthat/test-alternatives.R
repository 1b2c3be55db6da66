# alternatives(): roles, prices, witnesses, exchanges and counts against all sets in plain R.

near_eps <- c(0, 0.001, 0.01, 0.1, 0.3)

small_problem <- function(seed, n = 30, d = 9) {
  x <- from_seed(seed, sample_matrix(n, d, rank = d))
  x[, d] <- x[, 1] + 0.05 * stats::rnorm(n)
  x
}

# copies, near copies and few dimensions among them
random_data <- function(n, d, kind, rank = 3) {
  x <- matrix(stats::rnorm(n * d), n) %*% diag(exp(stats::rnorm(d) / 2)) + stats::rnorm(n)
  if (kind == 1) x[, 2] <- 3 * x[, 1] + 1
  if (kind == 2) x[, 2] <- x[, 1] + 1e-2 * stats::rnorm(n)
  if (kind == 3) x <- matrix(stats::rnorm(n * rank), n) %*% matrix(stats::rnorm(rank * d), rank)
  x
}

random_locks <- function(d, k) {
  include <- if (k > 1 && stats::runif(1) < 0.25) sample(d, 1) else integer()
  list(include = include, exclude = if (stats::runif(1) < 0.25) setdiff(sample(d, 1), include))
}

weighted_centre <- function(v, w) {
  sqrt(w) * sweep(as.matrix(v), 2, colSums(as.matrix(v) * w) / sum(w))
}

test_regression_roles <- function(d, k, sets = 100, ...) {
  n <- sample(c(k + 3L, 14L, 40L), 1)
  x <- random_data(n, d, sample(1:5, 1), k + 1)
  c <- sample(1:3, 1)
  y <- x[, 1:3] %*% matrix(stats::rnorm(3 * c), 3) + 0.5 * matrix(stats::rnorm(n * c), n)
  locks <- random_locks(d, k)
  ridge <- sample(c(0, 0, 1e-2, 1, 1e3), 1)
  w <- if (stats::runif(1) < 0.3) sample(1:3, n, TRUE)
  fit <- quietly(cdlsr(x, y, k, ridge = ridge, weights = w, scale = FALSE,
    include = locks$include, exclude = locks$exclude
  ))
  found <- alternatives(x, fit, tolerance = near_eps, sets = sets, weights = w, y = y, ...)
  w <- if (is.null(w)) rep(1, n) else w
  value <- regression_value(weighted_centre(x, w), weighted_centre(y, w), ridge)
  expect_alternatives(found, all_sets(d, k, locks$include, locks$exclude), value)
  expect_identical(found$kind, "proved")
}

test_subset_roles <- function(d, k, kind = sample(1:4, 1), n = sample(c(k + 3L, 14L, 40L), 1),
                              m = sample(c(Inf, 2), 1), decided = TRUE) {
  x <- random_data(n, d, kind, k + 1)
  locks <- if (decided) random_locks(d, k) else list()
  fit <- quietly(css(x, k, m, "forward", include = locks$include, exclude = locks$exclude))
  found <- alternatives(x, fit, tolerance = near_eps, sets = 100)
  Y <- centred(x)[, setdiff(seq_len(d), locks$exclude)] # the others are no data
  if (is.finite(m)) Y <- Y %*% svd(Y)$v[, seq_len(m)]
  value <- regression_value(centred(x), Y)
  expect_alternatives(found, all_sets(d, k, locks$include, locks$exclude), value, decided)
  found
}

test_component_roles <- function(x, k, m, include = integer(), decided = TRUE, ...) {
  set <- c(include, setdiff(seq_len(ncol(x)), include))[seq_len(k)]
  found <- alternatives(x, set, method = "fspca", m = m, include = include,
    tolerance = near_eps, sets = 4, ...
  )
  expect_alternatives(found, all_sets(ncol(x), k, include), components_value(scatter(x), m),
    decided, exact = FALSE
  )
  found
}

random_components <- function() {
  d <- sample(6:12, 1)
  n <- sample(c(4, 8, 20), 1)
  x <- random_data(n, d, sample(1:5, 1), 4)
  k <- sample(min(6, d - 1), 1)
  m <- sample(min(3, k, qr(centred(x))$rank), 1)
  test_component_roles(x, k, m, if (k > 1 && stats::runif(1) < 0.3) sample(d, 1) else integer())
}

test_that("all that is said of sets is what enumeration tells", {
  set.seed(71)
  for (i in 1:12) {
    random_components()
    test_regression_roles(sample(7:10, 1), sample(5, 1))
    test_subset_roles(sample(7:11, 1), sample(5, 1))
  }
})

core_ends_here()

test_that("questions are asked where sets are too many for a list, or not all rows have room", {
  set.seed(74)
  for (i in 1:2) test_regression_roles(12, 6)
  test_regression_roles(13, 6, sets = 0)
  asked <- 0
  sizes <- function(operator, k) list(core = 5L, most = 7L, nodes = 1e6)
  for (i in 1:4) {
    x <- matrix(rnorm(25 * 12), 25) %*% diag(runif(12, 0.7, 1.2))
    found <- instead_of("certificate_sizes", sizes,
      test_component_roles(x, 4, 1 + i %% 2, if (i %% 3 == 0) 4L else integer(), decided = FALSE)
    )
    asked <- asked + found$questions
    expect_identical(found$status, "finished") # nodes without room are no matter of time
  }
  expect_gt(asked, 0)
})

test_that("bounds of a question are not those of all sets, if a better set ends the first bounds", {
  start <- function(operator, leading, selected, given, seconds) list(set = selected, value = given)
  for (seed in c(29, 39)) {
    x <- from_seed(seed, scale(matrix(stats::rbinom(30 * 14, 1, 0.4), 30) + 0))
    found <- instead_of("roles_start", start,
      alternatives(x, 1:3, method = "fspca", m = 1, tolerance = 0.05)
    )
    expect_alternatives(found, all_sets(14, 3), components_value(scatter(x), 1), exact = FALSE)
  }
})

test_that("with m = k the order of the variances tells all, and low ranks are no trap", {
  x <- from_seed(5, matrix(rnorm(30 * 9), 30) %*% diag(runif(9, 0.5, 1.5)))
  found <- test_component_roles(x, 3, 3)
  expect_setequal(found$best, order(-colSums(centred(x)^2))[1:3])
  test_component_roles(cbind(x, -x[, 2]), 4, 2, include = 3L)
  test_component_roles(matrix(rnorm(40), 20) %*% matrix(rnorm(16), 2), 4, 2)
})

test_that("what is said without time is true, and beyond what is proved there are witnesses", {
  x <- from_seed(9, matrix(rnorm(20 * 10), 20) %*% diag(runif(10, 0.5, 1.5)))
  for (k in 2:5) test_component_roles(x, k, 2, decided = FALSE, seconds = 0)
  set <- 1:6
  x <- random_data(30, 12, 4)
  y <- drop(x[, 1:3] %*% c(1, -1, 2)) + rnorm(30)
  found <- alternatives(x, set, y, ridge = 1, scale = FALSE, tolerance = near_eps, seconds = 0)
  expect_alternatives(found, all_sets(12, 6), regression_value(centred(x), centred(y), 1), FALSE)
  expect_identical(found$status, "time_limit")
  for (kind in c(1, 4)) {
    found <- test_subset_roles(11, 6, kind, 30, Inf, decided = FALSE)
    expect_identical(found$kind, "witnesses")
    expect_false(any(c("essential", "excluded") %in% found$roles))
  }
})

test_that("roles do not depend on the order of columns, on units, or on the set to begin with", {
  x <- small_problem(7, d = 11)
  order <- sample(11)
  for (method in c("fspca", "css")) {
    run <- function(x, set) alternatives(x, set, method = method, m = 2, tolerance = 0.02, sets = 1)
    plain <- run(x, 1:4)
    others <- list(run(x[, order] * 1e50, 1:4), run(x, 7:10))
    expect_equal(others[[1]]$value, 1e100 * plain$value)
    for (other in others) {
      expect_setequal(other$best, plain$best)
      at <- match(plain$features$feature, other$features$feature)
      expect_identical(other$features$role[at], plain$features$role)
      expect_equal(other$sets$count, plain$sets$count)
    }
  }
})

test_that("the error that is stated is that of the best set, also of one that the search meets", {
  sets <- all_sets(6, 3)
  for (seed in 1:3) {
    x <- from_seed(seed, matrix(stats::rnorm(19 * 6), 19))
    x[2, ] <- 1e6 * stats::runif(6, 0.5, 1) # makes all columns nearly the same
    y <- stats::rnorm(19)
    value <- function(set) {
      1 - sum(qr.resid(qr(cbind(1, x[, set]), tol = 1e-14), y)^2) / sum((y - mean(y))^2)
    }
    rows <- row_blocks(function(i) x[i, , drop = FALSE], rep(1L, 19))
    found <- alternatives(rows, sets[, sample(20, 1)], y, method = "cdlsr", scale = FALSE,
      tolerance = c(0, 0.01, 0.5), seconds = 5
    )
    found$value <- value(found$best) # a share here
    found$bound <- NA
    expect_alternatives(found, sets, value, decided = FALSE, exact = FALSE)
  }
})

test_that("replacements are those of the set that was asked about, also of a poor one", {
  met <- 0
  for (seed in 1:3) {
    p <- ruled_problem(seed)
    colnames(p$x) <- NULL
    sets <- all_sets(9, p$k)
    for (method in names(ruled_values(p))) {
      given <- list(p$x, sets[, 5 * seed], if (method %in% c("cdlsr", "alignment")) p$y,
        method = method
      )
      given$m <- switch(method, fspca = p$m, css = Inf)
      found <- do.call(alternatives, given)
      met <- met + (found$share < 1)
      expect_replacements(found, sets, ruled_values(p)[[method]], method != "fspca")
      expect_false(anyNA(found$features$replacement))
    }
  }
  expect_gt(met, 6)
})

# told costs of exchanges that are not those of the values, shares of all that are told
expect_costs <- function(found, value, least = 0) {
  costs <- found$exchanges
  best <- as.integer(found$best)
  true <- costs
  for (out in rownames(costs)) {
    for (into in colnames(costs)) {
      set <- replace(best, match(out, best), as.integer(into))
      true[out, into] <- max(0, 1 - value(set) / value(best))
    }
  }
  expect_lte(max(0, abs(costs - true), na.rm = TRUE), 1e-6 + 4 * found$error)
  if (least > 0) expect_gte(mean(!is.na(costs)), least)
}

test_that("costs of exchanges of nearly dependent columns are from the samples, or not told", {
  for (seed in 1:3) {
    n <- 12
    noise <- from_seed(seed, matrix(stats::rnorm(n * 4), n))
    base <- stats::rnorm(n)
    others <- matrix(stats::rnorm(n * 2), n)
    y <- cbind(drop(scale(noise[, 1] - noise[, 2])) + 0.1 * stats::rnorm(n), stats::rnorm(n))
    for (size in 10^-c(5, 7, 10, 12)) {
      x <- cbind(base + size * noise, others)
      w <- if (seed == 2) rep(1:3, 4) else rep(1, n)
      Y <- y[, seq_len(1 + (seed == 3)), drop = FALSE]
      value <- regression_value(weighted_centre(x, w), weighted_centre(Y, w), least = 1e-15)
      ask <- function(x, y = Y, weights = if (seed == 2) w) {
        quietly(alternatives(x, c(1, 2, 5), y,
          method = "cdlsr", tolerance = 0.1, scale = FALSE, weights = weights
        ))
      }
      for (data in list(x, Matrix::Matrix(x, sparse = TRUE))) {
        expect_costs(ask(data), value, if (size > 1e-8) 0.9 else 0)
      }
      if (seed == 1 && size > 1e-8) expect_costs(ask(moments(x, Y), NULL), value)
    }
  }
  # a ridge keeps columns apart
  penalised <- alternatives(x, c(1, 2, 5), Y, method = "cdlsr", ridge = 1e-8, scale = FALSE)
  expect_costs(penalised, regression_value(centred(x), centred(Y), 1e-8, 1e-15), 0.9)
})

test_that("css() takes columns apart by the samples, and tells what it counts", {
  x <- from_seed(3, matrix(stats::rnorm(12 * 6), 12))
  x[, 2] <- x[, 1] + 5e-5 * stats::rnorm(12)
  value <- regression_value(centred(x), centred(x), least = 1e-14)
  for (data in list(x, Matrix::Matrix(x, sparse = TRUE), moments(x))) {
    found <- alternatives(data, 1:2,
      method = "css", m = Inf, include = 1, tolerance = c(0.01, 0.9), sets = 3
    )
    if (inherits(data, "rowsparse_moments")) next # do not tell whether the pair counts
    expect_equal(found$share, value(1:2) / max(apply(all_sets(6, 2, 1), 2, value)))
    expect_alternatives(found, all_sets(6, 2, 1), value)
  }
  # one feature has all of the variance, and another one is nearly a copy of it
  sets <- all_sets(6, 2)
  for (size in 10^c(4, 8, 12)) {
    z <- cbind(size * x[, 1], x[, c(1, 3:6)])
    y <- centred(z)
    counts <- apply(sets, 2, function(set) {
      left <- qr.resid(qr(scale(y[, set], FALSE, sqrt(colSums(y[, set]^2))), tol = 1e-9), y)
      sum(left^2) <= 0.01 * sum(y^2)
    })
    found <- alternatives(z, 1:2, method = "css", m = Inf, tolerance = 0.01, sets = 100)
    expect_true(found$sets$complete)
    expect_true(found$sets$count %in% (sum(counts) - 0:1)) # with the pair or without it
  }
})

test_that("a set above the bound is an error, of css() if its products count the set", {
  x <- from_seed(2, matrix(stats::rnorm(60), 12))
  problem <- roles_problem(x, resolve_request(x, 1:2, NULL, NULL, "css", list(m = Inf)))
  found <- subset_roles(problem, 0.1, 0, function() 10)
  differs <- c(setdiff(found$best, 1:2), setdiff(1:2, found$best))
  expect_gt(length(differs), 0)
  wrong <- replace(found, c("low", "high"), list(rep(-Inf, 5), rep(0.9 * found$given, 5)))
  expect_error(with_known_set(wrong, problem), class = "rowsparse_error_internal")
  told <- with_known_set(replace(wrong, "given", -Inf), problem)
  expect_equal(told$high[differs], rep(found$given, length(differs)))
})

test_that("the table is in order, and roles at any tolerance follow from the prices", {
  x <- small_problem(7)
  fit <- fspca(x, k = 3, m = 2)
  tolerance <- c(0.003, 0.04, 0.3)
  found <- alternatives_of_all(x, fit, tolerance = tolerance)
  table <- found$features
  expect_false(is.unsorted(!table$selected))
  expect_false(is.unsorted(-table$price_most[table$selected]))
  expect_false(is.unsorted(table$price_most[!table$selected]))
  single <- alternatives_of_all(x, fit, tolerance = 0.01)
  for (at in seq_along(tolerance)) {
    told <- as.data.frame(single, tolerance = tolerance[at])
    expect_identical(as.character(told$role), unname(found$roles[told$index, at]))
  }
  expect_identical(grep("^role", names(as.data.frame(found)), value = TRUE),
    c("role_0.3%", "role_4%", "role_30%")
  )
  own <- table[table$best, ]
  costs <- found$exchanges[own$feature, ]
  expect_equal(own$replacement_cost, unname(apply(costs, 1, min)))
  expect_identical(own$replacement, colnames(costs)[apply(costs, 1, which.min)])
})

test_that("settings come from the fit, or from the call for a set", {
  x <- small_problem(17)
  fit <- fspca(x, k = 3, m = 2, scale = TRUE, include = "g5", exclude = c("g1", "g2"))
  found <- alternatives(x, fit, tolerance = 0.1)
  by_hand <- alternatives(x, selected(fit),
    tolerance = 0.1, m = 2, scale = TRUE, include = "g5", exclude = c("g1", "g2")
  )
  parts <- c("features", "roles", "value", "best")
  expect_equal(found[parts], by_hand[parts])
  expect_alternatives(found, all_sets(9, 3, 5, 1:2), components_value(stats::cor(x) * 29, 2),
    exact = FALSE
  )
  table <- found$features[order(found$features$index), ]
  expect_identical(table$locked[c(1, 2, 5)], c("excluded", "excluded", "included"))
  expect_true(all(is.infinite(table$price_least[c(1, 2, 5)])))
  # a set that is not the best one says so
  poor <- setdiff(colnames(x), selected(fspca(x, k = 3, m = 2)))[1:3]
  told <- alternatives(x, poor, m = 2)
  expect_lt(told$share, 1)
  expect_output(print(told), "Your set reaches")
})

test_that("alignment is asked about single exchanges, or all sets if these are few", {
  x <- small_problem(40)
  y <- factor(rep(1:3, length.out = nrow(x)))
  plain <- quietly(alignment(x, k = 3))
  locked <- quietly(alignment(x, y, k = 4, include = "g2", exclude = "g1"))
  cases <- list(
    list(fit = plain, x = x, sets = all_sets(9, 3)),
    list(fit = locked, x = scale(x), sets = all_sets(9, 4, 2, 1), y = y)
  )
  for (case in cases) {
    z <- case$x
    z[, case$fit$excluded] <- 0
    value <- alignment_by_hand(z, case$fit$target)
    if (length(case$fit$excluded) > 0) {
      kappa <- mean(diag(scatter(z))[-1])
      value <- function(set) sum(case$fit$target[set]) / sqrt(sum(scatter(z)[set, set]^2) + kappa^2)
    }
    ask <- function(x) quietly(alternatives(x, case$fit, case$y, tolerance = c(0.01, 0.5)))
    expect_alternatives(ask(x), case$sets, value)
    found <- without_enumeration(ask(x))
    expect_alternatives(found, case$sets, value, decided = FALSE)
    expect_identical(found$kind, "witnesses")
    expect_false(any(found$features$proved))
    told <- paste(utils::capture.output(print(found)), collapse = " ")
    expect_match(told, "nothing is proved")
    expect_equal(without_enumeration(ask(x * 1e100))$features$price_most, found$features$price_most)
  }
})

test_that("of the table of a formula the response is no feature, and factors are groups", {
  fit <- rowsparse(mpg ~ ., mtcars, k = 2)
  plain <- rowsparse(mtcars[-1], mtcars$mpg, k = 2)
  expect_equal(alternatives(mtcars, fit)$features, alternatives(mtcars[-1], plain)$features)
  some <- rowsparse(mpg ~ wt + hp + qsec, mtcars, k = 2)
  expect_setequal(alternatives(mtcars, some)$features$feature, c("wt", "hp", "qsec"))
  validated <- cv_rowsparse(mpg ~ wt + hp + qsec, mtcars, method = "cdlsr", k = 1:2, folds = 3)
  expect_identical(alternatives(mtcars, validated)$d, 3L)
  x <- mtcars[c("hp", "wt", "qsec", "am")]
  x$cyl <- factor(mtcars$cyl)
  found <- alternatives(x, rowsparse(x, mtcars$mpg, k = 2, include = "cyl"))
  expect_identical(found$d, 5L)
  expect_identical(found$features$locked[found$features$feature == "cyl"], "included")
  expect_true("cyl" %in% found$selected)
  expect_output(print(found), "2 of 5 groups selected")
  out <- alternatives(x, rowsparse(x, mtcars$mpg, k = 2, exclude = "cyl"))
  expect_identical(out$features$locked[out$features$feature == "cyl"], "excluded")
})

test_that("a set that is included as a whole has no alternatives", {
  x <- small_problem(23)
  y <- x[, 1] + stats::rnorm(nrow(x))
  whole <- c("g3", "g5")
  for (given in list(list(m = 1), list(method = "css", m = Inf), list(y = y))) {
    found <- do.call(alternatives, c(list(x, whole, include = whole, sets = 2), given))
    expect_identical(unname(found$roles[, 1]),
      ifelse(colnames(x) %in% whole, "essential", "excluded")
    )
    expect_identical(unname(found$sets$count), 1)
    expect_true(all(found$features$proved))
    # one set that may be: all others are excluded, and its lists are matrices still
    alone <- do.call(alternatives, c(list(x, "g3", include = "g3", tolerance = c(0, 0.1), sets = 2,
      exclude = setdiff(colnames(x), "g3")), given))
    expect_identical(alone$sets$best, matrix("g3"))
    expect_equal(alone$sets$frequency > 0, alone$roles == "essential", ignore_attr = TRUE)
  }
})

test_that("tolerance 0 is the certificate of a set, from any kind of data", {
  x <- small_problem(43, d = 14)
  value <- components_value(scatter(x), 2)
  best <- max(utils::combn(14, 4, value))
  panel <- c(3, 5, 8, 13)
  for (data in list(x, Matrix::Matrix(x, sparse = TRUE), moments(x), row_blocks(x, rows = 11))) {
    found <- alternatives(data, panel, method = "fspca", m = 2, tolerance = 0)
    expect_equal(found$value, best)
    expect_equal(found$share, value(panel) / best)
    expect_gte(found$bound, best * (1 - 1e-12))
    expect_lt(found$gap, 2e-9)
    expect_output(print(found), "No set of 4 is better than the best one known: proved")
  }
  open <- alternatives(sample_matrix(60, 200), 1:10, method = "fspca", m = 3, tolerance = 0,
    seconds = 0
  )
  expect_gt(open$gap, 0)
  expect_output(print(open), "by more than.*cheapest:(\n[^\n]*){7}\nThe time")
})

# ---- backups ---------------------------------------------------------------------------

# `share`: squared correlations of all features with those of the set
expect_backups <- function(found, share, set, may) {
  table <- found$features[order(found$features$index), ]
  own <- table[set, ]
  expect_false(any(c(own$backup, own$replacement) %in% table$feature[set]))
  expect_identical(anyDuplicated(own$backup), 0L)
  expect_true(all(is.na(table$backup[-set])))
  for (a in seq_along(set)) for (j in seq_len(nrow(share))) {
    if (j %in% set || !may(set[a], j)) share[j, a] <- -1
  }
  left <- share
  for (a in seq_along(set)) {
    at <- arrayInd(which.max(left), dim(left))
    expect_identical(own$backup[at[2]], table$feature[at[1]])
    expect_equal(own$restored[at[2]], share[at])
    left[at[1], ] <- left[, at[2]] <- -2
  }
}

test_that("backups are the features outside that restore most, all different, for any data", {
  set.seed(91)
  x <- small_problem(91, 40, 14)
  x[, 12] <- 3 - x[, 2] # a copy of a member helps no other one
  x[, 13] <- 1
  y <- factor(rep(1:4, 10))
  set <- c(2, 5, 7)
  order <- sample(14)
  may <- function(i, j) j != 13 && (j != 12 || i == 2)
  for (method in c("fspca", "css", "cdlsr", "alignment")) {
    of <- if (method %in% c("cdlsr", "alignment")) y
    ask <- function(x, y = of, ...) {
      quietly(alternatives(x, paste0("g", set), y, method = method, m = if (is.null(of)) 2, ...))
    }
    share <- suppressWarnings(stats::cor(x, x[, set]))^2
    summed <- if (method %in% c("fspca", "css")) list(list(moments(x), NULL))
    if (method == "cdlsr") summed <- list(list(moments(x, y), NULL))
    for (data in c(list(x, Matrix::Matrix(x, sparse = TRUE), row_blocks(x, rows = 15)), summed)) {
      found <- if (is.list(data) && length(data) == 2L) ask(data[[1]], NULL) else ask(data)
      expect_backups(found, share, set, may)
    }
    of_set <- function(found) found$features[match(paste0("g", set), found$features$feature), ]
    columns <- c("backup", "restored")
    expect_equal(of_set(ask(x[, order]))[columns], of_set(found)[columns], ignore_attr = TRUE)
    # rules, features locked in and left out
    rules <- panel_rules(sets = list(a = c(2, 3, 4), b = c(5, 9, 10)), at_least = 1)
    allowed <- function(i, j) {
      now <- c(setdiff(set, i), j)
      may(i, j) && any(c(2, 3, 4) %in% now) && any(c(5, 9, 10) %in% now)
    }
    expect_backups(ask(x, rules = rules), share, set, allowed)
    kept <- setdiff(seq_len(14), c(1, 3))
    expect_backups(ask(x, include = "g5", exclude = c("g1", "g3")), share, set,
      function(i, j) may(i, j) && j %in% kept
    )
  }
  # fewer features outside than inside are shared
  few <- alternatives(x[, 1:5], 1:4, m = 1)$features
  expect_identical(few$backup[few$selected], rep("g5", 4))
})

test_that("where nothing is decided one line says so, above the backups", {
  x <- from_seed(4, sample_matrix(60, 300))
  found <- alternatives(x, 1:40, method = "fspca", m = 3, tolerance = 0, seconds = 0)
  told <- utils::capture.output(print(found))
  expect_match(told[1], "40 of 300 features selected; nothing is decided of")
  expect_false(any(grepl("price_most|in every one", told)))
  expect_true(any(grepl("^ *feature +backup +restored$", told)))
})

test_that("symbols of rowData name the features that are asked about", {
  skip_if_not_installed("SummarizedExperiment")
  x <- small_problem(7)
  ids <- paste0("ENSG", 1:9)
  e <- SummarizedExperiment::SummarizedExperiment(list(logcounts = `rownames<-`(t(x), ids)),
    rowData = data.frame(symbol = colnames(x))
  )
  rules <- panel_rules(sets = list(a = c("g6", "g7")), at_most = 0)
  ask <- function(x, set, ...) quietly(alternatives(x, set, method = "fspca", m = 2, ...))
  found <- ask(e, c("g2", "g4", "g5"), include = "g5", exclude = "g1", rules = rules)$features
  plain <- ask(x, c("g2", "g4", "g5"), include = "g5", exclude = "g1", rules = rules)$features
  expect_equal(found$price_most, plain$price_most)
  expect_identical(found$feature, ids[match(plain$feature, colnames(x))])
  expect_identical(found$backup, ids[match(plain$backup, colnames(x))])
})

# ---- groups ------------------------------------------------------------------------

test_that("roles of groups are those of all sets of groups", {
  of <- rep(paste0("g", 1:6), c(3, 1, 2, 2, 1, 3))
  for (seed in 1:2) {
    set.seed(seed)
    x <- matrix(stats::rnorm(40 * 12), 40, dimnames = list(NULL, paste0("x", 1:12)))
    x[, 2] <- x[, 1] + 0.3 * x[, 2]
    y <- drop(x[, c(1, 4, 7)] %*% c(2, -1, 1)) + stats::rnorm(40)
    z <- centred(x)
    of_groups <- function(value) function(set) value(which(of %in% paste0("g", set)))
    explained <- of_groups(regression_value(z, y - mean(y)))
    cases <- list(
      list(fit = cdlsr(x, y, 2, groups = of, scale = FALSE), value = explained, y = y),
      list(
        fit = fspca(x, 2, m = 2, groups = of), value = of_groups(components_value(scatter(x), 2))
      ),
      list(fit = css(x, 2, m = Inf, groups = of), value = of_groups(regression_value(z, z)))
    )
    for (case in cases) {
      found <- alternatives(x, case$fit, case$y, tolerance = c(0.05, 0.5), sets = 3)
      expect_identical(c(found$kind, found$k, found$d), c("proved", "2", "6"))
      expect_setequal(found$selected, selected(case$fit, groups = TRUE))
      expect_alternatives(found, all_sets(6, 2), case$value)
      expect_error(without_enumeration(alternatives(x, case$fit, case$y)), "at most 200000 sets",
        class = "rowsparse_error_groups"
      )
    }
    locked <- cdlsr(x, y, 3, groups = of, include = "g5", exclude = "g2", scale = FALSE)
    found <- alternatives(x, locked, y, tolerance = 0.1)
    expect_alternatives(found, all_sets(6, 3, 5, 2), explained)
  }
  fit <- alignment(x, y, 2, groups = of)
  expect_output(print(alternatives(x, fit, y)), "2 of 6 groups selected")
  expect_refused(alternatives(x, fit, y, groups = of), "argument", "groups")
})

test_that("columns that nearly depend on others are proved by the samples, and not by moments", {
  of <- rep(1:5, each = 2)
  for (seed in 1:4) {
    x <- from_seed(seed, matrix(stats::rnorm(250), 25))
    if (seed %% 2 == 0) x[2, ] <- 1e6 * stats::runif(10, 0.5, 1)
    if (seed %% 2 == 1) for (j in c(3, 5, 9)) x[, j] <- x[, 1] + 1e-6 * stats::rnorm(25)
    y <- stats::rnorm(25)
    value <- function(set) {
      sum((y - mean(y))^2) - sum(qr.resid(qr(cbind(1, x[, of %in% set]), tol = 1e-15), y)^2)
    }
    found <- alternatives(x, cdlsr(x, y, 2, groups = of, scale = FALSE), y, tolerance = 0.1)
    expect_identical(found$kind, "proved")
    expect_alternatives(found, all_sets(5, 2), value, near = 1e-6)
    summed <- moments(x, y)
    fit <- suppressWarnings(cdlsr(summed, k = 2, groups = of, scale = FALSE))
    expect_refused(alternatives(summed, fit), "groups", "known from the samples")
  }
})

test_that("a set shows nothing of others where moments of data far from zero hide the values", {
  x <- from_seed(1, matrix(stats::rnorm(42), 6) + rep(10^stats::runif(7, 9, 12), each = 6))
  y <- x[, 5] - mean(x[, 5]) + stats::rnorm(6)
  asked <- quietly(alternatives(moments(row_blocks(x, rows = 3), y), c(4, 6), method = "cdlsr"))
  expect_gt(asked$error, 0.02)
  expect_true(all(asked$roles == "undecided") && length(asked$witness) == 0L)
})

test_that("more features than cross-products are held of contradict no exchange", {
  set.seed(1)
  x <- matrix(stats::rnorm(60 * 6100), 60)
  y <- x[, 1:3] %*% c(2, 1.5, 1) + stats::rnorm(60) / 2
  fit <- cdlsr(x, y, k = 3, ridge = 5)
  found <- alternatives(x, fit, tolerance = 0.02, seconds = 3)$features
  squares_by <- function(set) {
    X <- scale(x[, set], scale = FALSE)
    b <- crossprod(X, y)
    sum(b * solve(crossprod(X) + diag(5, 3), b))
  }
  for (j in found$index[!found$selected][c(1:20, 6000:6097)]) {
    with <- max(vapply(1:3, function(i) squares_by(replace(fit$selected, i, j)), 0))
    expect_lte(found$price_least[found$index == j], 1 - with / squares_by(fit$selected) + 1e-9)
  }
})

test_that("what is wrong with a question about alternatives is told", {
  x <- small_problem(44)
  fit <- fspca(x, k = 3, m = 3)
  expect_each_refused("names",
    "`selected`" = alternatives(x, "nosuch"),
    "`selected`" = alternatives(x, 1:3, m = 3, exclude = 1),
    "`selected`" = alternatives(x, 1:3, m = 3, include = 4),
    "`selected`" = alternatives(x[, 1:5], fit)
  )
  expect_each_refused("type",
    "`selected`" = alternatives(x, NULL), "`y`" = alternatives(x, 1:3, method = "cdlsr")
  )
  expect_each_refused("argument",
    "`k`" = alternatives(x, 1:3, k = 3), "`method`" = alternatives(x, fit, method = "css"),
    "`ridge`" = alternatives(x, 1:3, ridge = 1),
    "`weights`" = alternatives(x, fit, weights = rep(1, 30)),
    "`groups`" = alternatives(x, 1:3, groups = rep(1:3, 3))
  )
  expect_each_refused("choice",
    "`method`" = alternatives(x, 1:3, method = "lapscore"),
    "`exclude`" = alternatives(x, bsufs(x, m = 1), k = 3)
  )
  expect_each_refused("range",
    "`k`" = alternatives(x, 1:3, m = 4), "`tolerance`" = alternatives(x, fit, tolerance = -1),
    "`tolerance`" = alternatives(x, fit, tolerance = NA), "`tolerance`" =
      as.data.frame(alternatives(x, fit), tolerance = 2)
  )
  expect_refused(alternatives(x), "missing", "`selected`")
})
