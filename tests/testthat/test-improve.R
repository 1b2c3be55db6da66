# Panels improved by exchanges, against all sets within so many exchanges.

# all sets of k that have at most so many features that are not of the panel
ball <- function(p, panel, swaps, rules = NULL) {
  sets <- utils::combn(ncol(p$x), p$k, simplify = FALSE)
  Filter(function(set) {
    length(setdiff(set, panel)) <= swaps && (is.null(rules) || obeys(rules, set))
  }, sets)
}

improved_by <- function(method, p, panel, swaps, ...) {
  switch(method,
    fspca = improve(panel, p$x, swaps = swaps, method = "fspca", m = p$m, ...),
    css = improve(panel, p$x, swaps = swaps, method = "css", m = Inf, ...),
    cdlsr = improve(panel, p$x, p$y, swaps = swaps, method = "cdlsr", ...),
    alignment = improve(panel, p$x, p$y, swaps = swaps, method = "alignment", ...)
  )
}

check_against_ball <- function(seed, method, swaps, ruled, seconds) {
  p <- ruled_problem(seed)
  within <- if (ruled) panels_within(p) else utils::combn(ncol(p$x), p$k, simplify = FALSE)
  if (length(within) == 0L) {
    return(NA)
  }
  panel <- within[[1L + seed %% length(within)]]
  rules <- if (ruled) p$rules
  value <- ruled_values(p)[[method]]
  found <- quietly_run(improved_by(method, p, panel, swaps, rules = rules, seconds = seconds))
  values <- vapply(ball(p, panel, swaps, rules), value, 0)
  set <- found$index
  expect_lte(length(setdiff(set, panel)), swaps)
  if (ruled) expect_true(obeys(p$rules, set))
  # that of alignment up to its unit
  unit <- if (method == "alignment") found$before / value(panel) else 1
  expect_equal(found$before, unit * value(panel), tolerance = 1e-8)
  expect_equal(found$value, unit * value(set), tolerance = 1e-8)
  expect_gte(max(values), value(set) * (1 - 1e-7))
  course <- c(found$before, found$exchanges$value)
  expect_equal(course, cumsum(c(found$before, found$exchanges$gain)))
  expect_equal(utils::tail(course, 1), found$value)
  expect_setequal(found$exchanges$out, found$panel[!panel %in% set])
  expect_setequal(found$exchanges$into, colnames(p$x)[setdiff(set, panel)])
  if (!is.na(found$bound)) {
    all <- utils::combn(ncol(p$x), p$k, value)
    expect_gte(found$bound, unit * max(all) * (1 - 1e-7))
  }
  value(set) >= max(values) * (1 - 1e-7)
}

test_that("the best set within one exchange is found", {
  for (method in c("fspca", "css", "cdlsr", "alignment")) {
    best <- vapply(1:8, check_against_ball, NA,
      method = method, swaps = 1, ruled = FALSE, seconds = 0
    )
    expect_true(all(best), label = method)
  }
})

core_ends_here()

test_that("more exchanges lead to the best set within them, nearly always, with a bound", {
  share <- vapply(c("fspca", "css", "cdlsr", "alignment"), function(method) {
    mean(vapply(1:8, check_against_ball, NA,
      method = method, swaps = 2, ruled = FALSE, seconds = 5
    ))
  }, 0)
  expect_gte(mean(share), 0.9)
})

# data that are hard in a way each
hard_tables <- list(
  copies = function(n, d) {
    x <- matrix(rnorm(n * d), n)
    x[, 2] <- x[, 1]
    x[, 5] <- -x[, 4]
    x
  },
  low_rank = function(n, d) {
    matrix(rnorm(n * 2), n) %*% matrix(rnorm(2 * d), 2) + 1e-3 * matrix(rnorm(n * d), n)
  },
  binary = function(n, d) matrix(rbinom(n * d, 1, 0.4) + 0, n),
  far = function(n, d) matrix(rnorm(n * d), n) + 1e4,
  scales = function(n, d) matrix(rnorm(n * d), n) %*% diag(10^runif(d, -3, 3)),
  correlated = function(n, d) matrix(rnorm(n * d), n) %*% chol(0.9 + 0.1 * diag(d))
)

test_that("what is told of hard data is so, as all sets have it", {
  d <- 9L
  for (name in names(hard_tables)) {
    for (seed in 1:2) {
      set.seed(seed)
      n <- 12L + 5L * seed
      x <- hard_tables[[name]](n, d)
      colnames(x) <- paste0("f", seq_len(d))
      y <- drop(x %*% rnorm(d)) + sd(x) * rnorm(n)
      panel <- sample(d, 3)
      include <- panel[1]
      exclude <- setdiff(seq_len(d), panel)[seed]
      z <- scale(x, scale = FALSE)
      explained <- function(J, Y) sum(qr.fitted(qr(z[, J], tol = 1e-9), Y)^2)
      values <- list(
        fspca = function(J) sum(eigen(crossprod(z[, J]), TRUE, TRUE)$values[1:2]),
        cdlsr = function(J) explained(J, y - mean(y)),
        # not of what is left out
        css = function(J) explained(J, z[, -exclude])
      )
      others <- utils::combn(setdiff(seq_len(d), c(include, exclude)), 2, simplify = FALSE)
      for (method in names(values)) {
        value <- values[[method]]
        most <- max(vapply(others, function(set) value(c(include, set)), 0))
        found <- quietly_run(do.call(improve, c(
          list(panel, x, swaps = 1, method = method, include = include, exclude = exclude),
          switch(method, fspca = list(m = 2), css = list(m = Inf), list(y = y, scale = FALSE))
        )))
        slight <- 1e-6 * most
        label <- paste(method, name)
        expect_lte(length(setdiff(found$index, panel)), 1, label = label)
        expect_true(include %in% found$index && !exclude %in% found$index, label = label)
        expect_lte(abs(found$before - value(panel)), slight, label = label)
        expect_lte(abs(found$value - value(found$index)), slight, label = label)
        expect_lte(found$known, most + slight, label = label)
        if (!is.na(found$bound)) expect_gte(found$bound, most - slight, label = label)
      }
    }
  }
})

test_that("rules are obeyed", {
  share <- vapply(c("fspca", "css", "cdlsr", "alignment"), function(method) {
    mean(vapply(11:18, check_against_ball, NA,
      method = method, swaps = 2, ruled = TRUE, seconds = 0
    ), na.rm = TRUE)
  }, 0)
  expect_gte(mean(share), 0.8)
})

test_that("without swaps the panel is judged as it is", {
  p <- ruled_problem(3)
  panel <- seq_len(p$k)
  found <- improve(panel, p$x, swaps = 0, m = p$m)
  expect_identical(found$index, panel)
  expect_identical(nrow(found$exchanges), 0L)
  expect_equal(found$value, ruled_values(p)$fspca(panel))
  best <- max(utils::combn(ncol(p$x), p$k, ruled_values(p)$fspca))
  expect_equal(found$bound, best)
  expect_equal(found$known, best)
  expect_output(print(found), "as it is")
})

test_that("locked features stay, and excluded ones do not come", {
  p <- ruled_problem(7)
  panel <- colnames(p$x)[seq_len(p$k)]
  found <- improve(panel, p$x, swaps = p$k, m = p$m, include = panel[2], exclude = colnames(p$x)[9])
  expect_true(panel[2] %in% selected(found))
  expect_false(colnames(p$x)[9] %in% selected(found))
})

test_that("a fit lends its settings, or its set where it is by another method", {
  p <- ruled_problem(6)
  fit <- fspca(p$x, p$k, p$m)
  found <- improve(fit, p$x, swaps = 2)
  expect_identical(found$method, "fspca")
  expect_equal(found$m, p$m)
  expect_equal(found$value, sum(fit$values))
  expect_lt(found$room, 1e-9)
  other <- lapscore(p$x)
  found <- improve(other, p$x, k = 3, swaps = 1, method = "css")
  expect_setequal(found$panel, selected(other, 3))
  expect_identical(found$method, "css")
  scaled <- improve(css(p$x, 3, scale = TRUE), p$x, swaps = 1)
  expect_equal(scaled$before, improve(scaled$panel, p$x, swaps = 1, method = "css",
    scale = TRUE
  )$before)
})

test_that("sparse data, other orders and other units give the same", {
  p <- ruled_problem(5, n = 30, d = 12)
  x <- p$x * (abs(p$x) > 0.4)
  panel <- colnames(x)[1:4]
  usual <- improve(panel, x, swaps = 2, m = 2)
  same <- function(x, panel, unit = 1) {
    other <- improve(panel, x, swaps = 2, m = 2)
    expect_setequal(selected(other), selected(usual))
    expect_equal(other$value, usual$value * unit)
    expect_equal(other$bound, usual$bound * unit)
  }
  same(Matrix::Matrix(x, sparse = TRUE), panel)
  same(x[, 12:1], rev(panel))
  same(x[30:1, ], panel)
  same(x * 1e-60, panel, 1e-120)
  same(moments(x), panel)
})

test_that("large panels are searched by what members are worth", {
  set.seed(4)
  x <- matrix(rnorm(60 * 150), 60) %*% diag(exp(rnorm(150, sd = 0.5)))
  panel <- 1:60
  found <- improve(panel, x, swaps = 3, m = 4, seconds = 0)
  S <- crossprod(scale(x, scale = FALSE))
  value <- function(set) sum(eigen(S[set, set], TRUE, TRUE)$values[1:4])
  expect_equal(found$before, value(panel), tolerance = 1e-8)
  expect_equal(found$value, value(found$index), tolerance = 1e-8)
  # no exchange of one of those that came for another one helps
  last <- utils::tail(found$index, 1)
  others <- setdiff(1:150, found$index)
  best <- max(vapply(others, function(j) value(c(setdiff(found$index, last), j)), 0))
  expect_lte(best, found$value * (1 + 1e-8))
})

test_that("the end of a search in a large panel has no exchange that helps, of any member", {
  set.seed(5)
  x <- matrix(rnorm(120 * 100), 120) %*% chol(0.5^abs(outer(1:100, 1:100, "-")))
  y <- x[, sample(100, 30)] %*% matrix(rnorm(60), 30) + matrix(rnorm(240), 120)
  S <- crossprod(scale(x, scale = FALSE))
  B <- crossprod(x, scale(y, scale = FALSE))
  value <- function(J) sum(B[J, ] * solve(S[J, J], B[J, ]))
  panel <- 1:45
  for (swaps in c(3, 45)) {
    found <- improve(panel, x, y, swaps = swaps, method = "cdlsr", scale = FALSE, seconds = 0)
    set <- found$index
    expect_equal(found$before, value(panel), tolerance = 1e-8)
    expect_equal(found$value, value(set), tolerance = 1e-8)
    # given members only give way to given ones where all swaps are made
    full <- length(setdiff(set, panel)) == swaps
    best <- vapply(set, function(out) {
      into <- setdiff(if (full && out %in% panel) panel else 1:100, set)
      max(-Inf, vapply(into, function(j) value(c(setdiff(set, out), j)), 0))
    }, 0)
    expect_lte(max(best), found$value * (1 + 1e-7))
  }
})

test_that("a panel that is wholly exchanged is told of as such", {
  x <- cbind(matrix(c(1, -1, 2, 0, 1, 0.5), 6, 1) * 0.1, c(5, -4, 3, 2, -6, 1))
  found <- improve(1, x, m = 1)
  expect_equal(found$index, 2)
  expect_output(print(summary(found)), "No feature stays")
})

test_that("panels to improve are refused by name", {
  p <- ruled_problem(6)
  named <- colnames(p$x)
  expect_refused(improve(x = p$x), "missing", "`panel`")
  expect_refused(improve(c("f1", "none"), p$x), "names", "`panel`")
  expect_refused(improve(1:3, p$x, swaps = -1), "range", "`swaps`")
  expect_refused(improve(1:3, p$x, method = "lapscore"), "choice", "`method`")
  expect_refused(improve(1:3, p$x, include = named[9]), "names", "`panel` must hold")
  expect_refused(improve(1:3, p$x, exclude = named[2]), "names", "`panel` must not hold")
  expect_refused(improve(1:3, p$x, k = 2), "argument", "`panel` tells it")
  grouped <- css(p$x, 2, groups = rep(1:5, length.out = 9))
  expect_refused(improve(grouped, p$x), "groups", "single features")
  few <- panel_rules(sets = list(a = 1:3), at_most = 1)
  expect_refused(improve(1:3, p$x, rules = few), "rules", "`panel` must obey")
  found <- improve(1:3, p$x, swaps = 1)
  expect_refused(selected(found, 2), "argument", "`k`")
  found$exchanges <- NULL
  expect_refused(print(found), "object", "exchanges")
})
