# Rules of a panel, against all panels of small problems.

test_that("panels obey the rules, which are decided exactly, and are nearly all the best", {
  claims <- ruled_claims(1:5)
  expect_true(all(claims$decided))
  expect_true(all(claims$obeyed, na.rm = TRUE))
  expect_gte(mean(claims$best, na.rm = TRUE), 0.98)
})

core_ends_here()

test_that("rules that clash are told, and each of them is needed for that", {
  x <- matrix(rnorm(20 * 8), 20)
  rules <- panel_rules(
    cost = c(9, 9, 9, 1, 1, 1, 1, 1), budget = 15, sets = list(a = 1:3, b = 4:5, c = 6:8),
    at_least = c(a = 2, c = 1), at_most = c(b = 1)
  )
  expect_each_refused("rules",
    "rules that clash: the budget of 15, at least 2 of \"a\"." = fspca(x, 4, 1, rules = rules),
    "at least 2 of \"set 1\", at least 2 of \"set 2\"" =
      fspca(x, 2, 1, rules = panel_rules(sets = list(1:2, 3:4), at_least = 2)),
    "at most 1 of \"a\", the features in `include` (1, 2)" =
      css(x, 3, rules = panel_rules(sets = list(a = 1:4), at_most = 1), include = c(5, 1, 2)),
    "at least 2 of \"a\", which none obeys" =
      fspca(x, 3, 1, rules = panel_rules(sets = list(a = 1:2), at_least = 2), exclude = 1)
  )
  expect_output(print(rules), "the budget of 15.*at least 2 of \"a\".*at most 1 of \"b\"")
})

test_that("names, the order of columns and the kind of data do not matter", {
  p <- ruled_problem(5)
  order <- sample(ncol(p$x))
  label <- colnames(p$x)
  named <- panel_rules(
    stats::setNames(p$rules$cost, label)[order], p$rules$budget,
    lapply(p$rules$sets, function(own) label[own]), p$rules$at_least, p$rules$at_most
  )
  for (method in c("fspca", "css", "cdlsr", "alignment")) {
    set <- selected(ruled_fit(method, p))
    for (other in list(
      replace(p, c("x", "rules"), list(p$x[, order], named)),
      replace(p, "x", list(methods::as(p$x, "CsparseMatrix")))
    )) {
      expect_setequal(selected(ruled_fit(method, other)), set)
    }
  }
  expect_setequal(
    selected(fspca(moments(p$x), p$k, p$m, rules = p$rules)), selected(ruled_fit("fspca", p))
  )
})

test_that("features are supported by the levels of the block within which they vary", {
  block <- rep(c("a", "b", "c"), each = 10)
  x <- from_seed(4, matrix(rnorm(30 * 6), 30))
  x[block != "a", 1] <- 5 # varies in one level
  x[block == "c", 2] <- 0 # in two
  rules <- panel_rules(in_batches = 3)
  expect_setequal(selected(fspca(x, 4, 2, rules = rules, block = block)), 3:6)
  sparse <- methods::as(x, "CsparseMatrix")
  expect_setequal(selected(css(sparse, 4, m = 2, rules = rules, block = block)), 3:6)
  rows <- row_blocks(function(i) x[1:15 + 15 * (i - 1), ], rows = c(15, 15))
  expect_setequal(selected(fspca(rows, 4, 2, rules = rules, block = block)), 3:6)
  two <- fspca(x, 5, 2, rules = panel_rules(in_batches = 2), block = block)
  expect_setequal(selected(two), 2:6)
  expect_error(fspca(x, 5, 2, rules = rules, block = block), "in_batches = 3, which none obeys",
    class = "rowsparse_error_rules"
  )
  held <- fspca(x, 5, 2, rules = rules, block = block, include = 1)
  expect_setequal(selected(held), c(1, 3:6))
})

test_that("the certificate holds for all panels, within the rules and without", {
  for (seed in 1:5) {
    p <- ruled_problem(seed)
    panels <- panels_within(p)
    if (length(panels) == 0L) next
    value <- ruled_values(p)$fspca
    fit <- ruled_fit("fspca", p, certify = TRUE)
    expect_equal(sum(fit$values), value(match(selected(fit), colnames(p$x))))
    all <- utils::combn(ncol(p$x), p$k, simplify = FALSE)
    expect_gte(-fit$bound, max(vapply(all, value, 0)) * (1 - 1e-9))
    expect_true(obeys(p$rules, match(selected(fit), colnames(p$x))))
    best <- max(vapply(panels, value, 0))
    expect_gte(fit$gap, best / sum(fit$values) - 1 - 1e-9)
    # without a rule what is essential is told as ever
    if (length(p$rules$sets) > 0L || is.finite(p$rules$budget)) {
      expect_length(c(fit$certificate$essential, fit$certificate$excluded), 0)
    }
    free <- ruled_fit("fspca", p)
    expect_gte(-free$bound, best * (1 - 1e-9))
  }
})

test_that("roles, prices and replacements are those among the panels that obey the rules", {
  eps <- c(0.001, 0.03)
  for (seed in c(5, 9)) {
    p <- ruled_problem(seed)
    colnames(p$x) <- NULL
    if (seed == 9) p$rules <- panel_rules(rep(1:3, 3), 6, list(a = 1:3, b = 2:7), 0, c(0, 2))
    if (seed == 5) p$rules <- panel_rules(near = c(9, 2, 4), swaps = 1)
    panels <- if (seed == 5) {
      Filter(function(set) sum(set %in% c(9, 2, 4)) > 1, utils::combn(9, p$k, simplify = FALSE))
    } else {
      panels_within(p)
    }
    if (length(panels) == 0L) next
    sets <- do.call(cbind, panels)
    for (method in names(ruled_values(p))) {
      value <- ruled_values(p)[[method]]
      fit <- ruled_fit(method, p)
      y <- if (method %in% c("cdlsr", "alignment")) p$y
      given <- list(p$x, sets[, 1], y, eps, sets = 2, method = method, rules = p$rules)
      given$m <- switch(method, fspca = p$m, css = Inf)
      for (found in list(alternatives(p$x, fit, y, eps), do.call(alternatives, given))) {
        expect_alternatives(found, sets, value, found$kind == "proved", exact = FALSE)
        expect_replacements(found, sets, value, method != "fspca")
        expect_output(print(found), "within the rules that reach")
      }
    }
  }
  none <- which(found$features$index %in% 1:3)
  expect_identical(as.character(found$features$role[none]), rep("excluded", 3))
  expect_identical(found$features$locked[none], rep("rules", 3))
})

test_that("exchanges of alignment() alone keep to the rules", {
  p <- ruled_problem(4)
  colnames(p$x) <- NULL
  p$rules <- panel_rules(rep(1:3, 3), 9, list(a = 4:6, b = c(5, 8)), c(1, 0), c(2, 1))
  sets <- do.call(cbind, panels_within(p))
  value <- ruled_values(p)$alignment
  found <- without_enumeration(alternatives(p$x, sets[, 1], p$y, rules = p$rules,
    method = "alignment"
  ))
  expect_alternatives(found, sets, value, decided = FALSE, exact = FALSE)
  expect_replacements(found, sets, value)
  expect_identical(found$kind, "witnesses")
})

test_that("a panel that breaks a rule is told of, with the rule and the features", {
  x <- matrix(rnorm(20 * 8), 20, dimnames = list(NULL, letters[1:8]))
  ask <- function(...) alternatives(x, c("a", "b", "g"), m = 1, rules = panel_rules(...))
  expect_each_refused("rules",
    "at most 1 of \"s\"; got 2, by a, b" = ask(sets = list(s = 1:3), at_most = 1),
    "at least 2 of \"s\"; got 1, by g" = ask(sets = list(s = 6:8), at_least = 2),
    "the budget of 4; got 10, by a, b, g" = ask(cost = 1:8, budget = 4),
    "at least 1 of \"near\"; got 0, by none" = ask(near = c("d", "e"), swaps = 1)
  )
  rules <- panel_rules(sets = list(1:3), at_most = 1)
  fit <- fspca(x, 3, 1, rules = rules)
  expect_false(is.null(alternatives(x, fit)$rules))
  expect_null(alternatives(x, fit, rules = panel_rules())$rules)
  grouped <- fspca(x, 2, 1, groups = rep(1:4, each = 2))
  expect_refused(alternatives(x, grouped, rules = rules), "rules", "left out with `groups`")
})

test_that("the default for experiments serves rules and groups, and says by what solver", {
  skip_if_not_installed("SummarizedExperiment")
  p <- ruled_problem(2)
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(p$x)),
    colData = data.frame(row.names = paste0("s", seq_len(nrow(p$x))))
  )
  rules <- panel_rules(sets = list(a = 1:6), at_most = 1)
  fit <- rowsparse(object, k = 3, rules = rules)
  expect_setequal(selected(fit), selected(fspca(p$x, 3, rules = rules)))
  expect_output(print(fit), "expression objects without a response, with solver = \"exchange\"")
  grouped <- rowsparse(object, k = 2, groups = rep(1:3, 3))
  expect_identical(grouped$parameters$solver, "exchange")
  expect_identical(rowsparse(object, k = 3)$parameters$solver, "go")
})

test_that("the front door and paths hand rules on", {
  p <- ruled_problem(2, n = 40)
  rules <- panel_rules(sets = list(a = 1:4), at_least = 2, at_most = 2)
  inside <- function(set) sum(match(set, colnames(p$x)) %in% 1:4)
  for (method in c("fspca", "css", "alignment", "cdlsr")) {
    y <- if (method == "cdlsr") p$y
    expect_identical(inside(selected(rowsparse(p$x, y, 4, method, rules = rules))), 2L)
    path <- rowsparse_path(p$x, y, 3:5, method, rules = rules)
    for (k in 3:5) expect_identical(inside(selected(path, k)), 2L)
  }
})

# ---- near a panel ----------------------------------------------------------------

test_that("near a panel the best set within the swaps is found, and what left and came told", {
  best <- NULL
  for (seed in 1:5) {
    p <- ruled_problem(seed)
    given <- p$rules
    for (ruled in c(FALSE, TRUE)) {
      p$rules <- given
      panels <- if (ruled) panels_within(p) else utils::combn(9, p$k, simplify = FALSE)
      if (length(panels) == 0L) next
      own <- panels[[1L + seed %% length(panels)]]
      swaps <- 1L + seed %% 2L
      rules <- if (ruled) given else panel_rules()
      rules["near"] <- list(if (seed %% 2L == 0L) own else colnames(p$x)[own])
      rules$swaps <- swaps
      near <- Filter(function(set) length(setdiff(set, own)) <= swaps, panels)
      for (method in names(ruled_values(p))) {
        value <- ruled_values(p)[[method]]
        p$rules <- rules
        fit <- quietly(ruled_fit(method, p))
        set <- match(selected(fit), colnames(p$x))
        expect_true(list(sort(set)) %in% near)
        expect_setequal(fit$exchanges$left, colnames(p$x)[setdiff(own, set)])
        expect_setequal(fit$exchanges$came, colnames(p$x)[setdiff(set, own)])
        share <- attr(fit$exchanges, "share")
        expect_equal(share, value(own) / value(set), tolerance = 1e-7)
        expect_lte(share, 1 + 1e-9)
        best <- c(best, value(set) >= max(vapply(near, value, 0)) * (1 - 1e-7))
      }
    }
  }
  expect_gte(mean(best), 0.9)
})

test_that("no swaps give the panel itself, and others grow, shrink or lack a member", {
  p <- ruled_problem(6)
  own <- colnames(p$x)[c(2, 4, 6, 7)]
  same <- fspca(p$x, 4, 2, rules = panel_rules(near = own, swaps = 0))
  expect_setequal(selected(same), own)
  expect_identical(nrow(same$exchanges), 0L)
  expect_output(print(same), "0 exchanges from the given panel, which reaches 100% of the value")
  grown <- css(p$x, 6, m = Inf, rules = panel_rules(near = same, swaps = 1))
  expect_gte(sum(own %in% selected(grown)), 3)
  expect_lt(attr(grown$exchanges, "share"), 1)
  few <- css(p$x, 2, m = Inf, rules = panel_rules(near = own, swaps = 1))
  expect_gte(sum(selected(few) %in% own), 1)
  without <- fspca(p$x, 4, 2, exclude = own[1], rules = panel_rules(near = own, swaps = 2))
  expect_gte(sum(own %in% selected(without)), 2)
  expect_true(is.na(attr(without$exchanges, "share")))
  free <- fspca(p$x, 4, 2, rules = panel_rules(near = own))
  expect_setequal(selected(free), selected(fspca(p$x, 4, 2)))
  expect_refused(fspca(p$x, 4, 2, exclude = own, rules = panel_rules(near = own, swaps = 2)),
    "rules", "at least 2 of \"near\""
  )
})

test_that("nearly dependent features are worth near a panel what regression on them tells", {
  t <- seq(0, 1, length.out = 9)
  for (seed in 1:6) {
    peaks <- from_seed(seed, vapply(stats::runif(3), function(at) exp(-(t - at)^2 / 0.1), t))
    x <- matrix(rnorm(45), 15) %*% t(peaks) + 10^-(2 + seed) * matrix(rnorm(135), 15)
    y <- rnorm(15)
    panel <- sample(9, 4)
    fit <- quietly(cdlsr(x, y, 4, rules = panel_rules(near = panel, swaps = 3)))
    value <- function(set) {
      sum(centred(y)^2) - sum(qr.resid(qr(centred(x[, set], TRUE), tol = 1e-14), centred(y))^2)
    }
    share <- attr(fit$exchanges, "share")
    expect_equal(share, value(panel) / value(fit$selected), tolerance = 1e-5)
    expect_lte(share, 1)
  }
})

test_that("where sums hide what features explain the share of a panel is not told", {
  x <- from_seed(101, matrix(rnorm(9 * 7), 9))
  x[2, ] <- 3e4 * runif(7, 0.5, 1)
  y <- rnorm(9)
  value <- function(set) sum(qr.fitted(qr(centred(x[, set]), tol = 1e-14), centred(y))^2)
  told <- 0
  for (panel in utils::combn(7, 3, simplify = FALSE)[1:12]) {
    rules <- panel_rules(near = panel, swaps = 1)
    fit <- quietly(cdlsr(moments(x, y), k = 2, rules = rules))
    share <- attr(fit$exchanges, "share")
    expect_true(is.na(share) || abs(share * value(fit$selected) / value(panel) - 1) < 1e-5)
    told <- told + !is.na(share)
    exact <- attr(quietly(cdlsr(x, y, k = 2, rules = rules))$exchanges, "share")
    expect_false(is.na(exact))
  }
  expect_gt(told, 0)
})

test_that("a large panel ends where no allowed exchange of those that came helps", {
  x <- from_seed(5, matrix(rnorm(120 * 100), 120) %*% chol(0.5^abs(outer(1:100, 1:100, "-"))))
  y <- x[, sample(100, 30)] %*% matrix(rnorm(60), 30) + matrix(rnorm(240), 120)
  S <- crossprod(centred(x))
  B <- crossprod(x, centred(y))
  value <- function(J) sum(B[J, ] * solve(S[J, J], B[J, ]))
  panel <- 1:45
  fit <- cdlsr(x, y, 45, scale = FALSE, rules = panel_rules(near = panel, swaps = 3))
  set <- fit$selected
  expect_lte(length(setdiff(set, panel)), 3)
  expect_equal(attr(fit$exchanges, "share"), value(panel) / value(set))
  best <- vapply(setdiff(set, panel), function(out) {
    max(vapply(setdiff(1:100, set), function(j) value(c(setdiff(set, out), j)), 0))
  }, 0)
  expect_lte(max(best), value(set) * (1 + 1e-7))
})

test_that("rules hold where features nearly depend on others", {
  for (seed in 1:3) {
    x <- from_seed(seed, matrix(rnorm(36), 9))
    x[5, ] <- 1e8 * x[5, ]
    fit <- cdlsr(x, rnorm(9), 3, scale = FALSE, rules = panel_rules(sets = list(2:3), at_most = 1))
    expect_lte(sum(fit$selected %in% 2:3), 1)
  }
})
