# What single methods refuse of their own arguments, by class and by what the message names. Bad
# data are the subject of test-errors.R, and of the contract for all methods.

x <- cbind(a = c(1, 2, 4, 3, 7, 9), b = c(2, 1, 4, 5, 3, 8), c = c(5, 1, 1, 2, 9, 4))
y <- c(1.5, 2, 3.5, 3, 8, 9)
classes <- factor(c("u", "u", "v", "v", "w", "w"))
good <- sin(outer(1:20, 1:10)) + cos(outer(1:20, 3:12)^2)

core_ends_here()

test_that("sizes say their range", {
  wide <- matrix(sin(1:24), 3)
  expect_each_refused("range",
    "got 1.5" = cdlsr(x, y, 1.5), "`ridge` > 0 lifts" = cdlsr(wide, c(1, 2, 4), 3),
    "from 1 to 8" = cdlsr(wide, c(1, 2, 4), 9, ridge = 1), "from 1 to 3" = css(x, 4),
    "`m` must be a whole number from 1 to 3; got 4" = bsufs(x, 4),
    "`k` must be a whole number from 3 to 10; got 2" = dscofs(good, 2, 3),
    "`m` must be a whole number from 1 to 3" = fspca(good[1:4, ], 6, 5),
    "`clusters` must be a whole number from 2 to 6" = kmeans_ufs(x, 1, 7),
    "`clusters`" = rowsparse(good, k = 2, method = "sogfs", clusters = 20),
    "from 1 to 3" = kmeans_ufs(cbind(x, 1), 4, 2),
    "`nlambda`" = rowsparse_path(x, method = "bsufs", m = 1, nlambda = 3e9),
    "from 1 to 2147483647; got 3e+09" = check_count(3e9, "k")
  )
  expect_length(cdlsr(wide, c(1, 2, 4), 3, ridge = 1)$selected, 3)
})

test_that("numbers say their range", {
  share <- "`alpha` must be a share from 0.1 to 1 or a whole number of entries from 3 to 30"
  for (alpha in list(0, 0.05, 31, 2.5, NA, c(0.1, 0.2))) {
    expect_refused(dscofs(good, 5, 3, alpha), "range", share)
  }
  expect_each_refused("range",
    "`p` must be a number from 0 to 1; got 1.2" = bsufs(x, 1, p = 1.2),
    "above 0" = bsufs(x, 1, beta1 = 0), "`mu1`" = dscofs(good, 3, 2, mu1 = -1),
    "`starts`" = dscofs(good, 4, 3, starts = 0, start = "random"),
    "`mu`" = kmeans_ufs(x, 1, 2, "admm", form = "quadratic", mu = 0.1),
    "`rho`" = kmeans_ufs(x, 1, 2, "admm", rho = 0.9),
    "`starts`" = cdlsr(x, y, 2, starts = 0),
    "`time_limit`" = css(x, 2, solver = "exact", time_limit = "1"),
    "rowsparse_path(lambda = ) fits several" = rfs(x, y, lambda = c(1, 2)),
    "`neighbours`" = lapscore(x, neighbours = c(3, 5)), "`t` must be a number" = spec(x, t = 0)
  )
})

test_that("choices, flags and starts are checked", {
  expect_each_refused("choice",
    "\"exchange\", \"cd\", \"exact\"" = cdlsr(x, y, 2, solver = "best"),
    "`start`" = rpfs(x, y, 2, start = "fisher"), "\"ipu\"" = fspca(good, 3, 2, "greedy"),
    "\"euclidean\", \"cosine\"" = lapscore(x, metric = "manhattan")
  )
  expect_each_refused("type",
    "`normalize` must be TRUE or FALSE" = bsufs(x, 1, normalize = NA),
    "`path`" = cdlsr(x, y, 2, path = NA),
    "`block` must be a vector of labels" = css(x, 2, block = mean),
    "must hold the samples themselves; got moments" = lapscore(moments(x)),
    "alternate" = kmeans_ufs(moments(x), 1, 2, "alternate"), "moments" = rfs(moments(x, y)),
    "moments" = pgd(moments(x, y), k = 2), "moments(x, y)" = cdlsr(moments(x), k = 2),
    "left out" = cdlsr(moments(x, y), y, 2), "`y` must be given" = cdlsr(x, k = 2)
  )
  expect_each_refused("size",
    "3 x 1" = bsufs(x, 1, start = diag(3)), "10 x 2" = dscofs(good, 3, 2, start = diag(3)),
    "3 x 1" = rfs(x, y, start = matrix(0, 2, 1)), "`start`" = rfs(x, y, start = rfs(x, classes))
  )
  expect_each_refused("nonfinite", "`start`" = pgd(x, y, 2, start = matrix(NA_real_, 3, 1)))
  expect_each_refused("range",
    "distinct columns" = cdlsr(x, y, 2, start = cbind(1, 1)),
    "(1 to 3)" = cdlsr(x, y, 2, start = cbind(1, 4))
  )
  expect_each_refused("constant", "`start`" = cdlsr(cbind(x, d = 1), y, 2, start = cbind(1, 4)))
  expect_each_refused("argument",
    "weights = \"heat\"" = lapscore(x, weights = "can", t = 1),
    "Methods that take it: alignment" = rowsparse(x, k = 1, method = "rne", rules = panel_rules())
  )
})

test_that("predictions are checked", {
  fit <- cdlsr(x, y, 2)
  by_class <- rowsparse(iris[, 1:4], iris$Species, k = 2)
  expect_each_refused("range",
    "`k`" = predict(fit, x, 3, "response"),
    "fit holds (2)" = coef(cdlsr(x, y, 2, solver = "cd"), 1),
    "for each of the 3 classes" = predict(by_class, iris, prior = c(a = 1, b = 1, c = 1)),
    "for each of the 3 classes" = predict(by_class, iris, prior = -1:1)
  )
  expect_each_refused("choice",
    "class labels" = predict(fit, x, type = "prob"),
    "has no response" = predict(rowsparse(iris[, 1:4], k = 2), iris, type = "prob")
  )
  expect_each_refused("argument",
    "is for classes" = predict(by_class, iris, type = "features", prior = c(1, 1, 1)),
    "is for classes" = predict(fit, x, prior = 1)
  )
  expect_each_refused("names", "`newdata`" = predict(fit, x[, 1, drop = FALSE], type = "response"))
  expect_each_refused("size", "3 features" = predict(fit, unname(x)[, 1:2], type = "response"))
  expect_each_refused("type", "`newdata`" = predict(fit, 1:3, type = "response"))
})

test_that("rules of panels name the argument and the rule", {
  some <- panel_rules(sets = list(s = 1:2), at_least = 1)
  expect_each_refused("rules",
    "`budget` must be Inf without `cost`" = panel_rules(budget = 3),
    "`at_least` must be 0 without `sets`" = panel_rules(at_least = 2),
    "\"a\"" = panel_rules(sets = list(a = 1:3), at_least = 2, at_most = 1),
    "`cost`" = fspca(x, 2, 1, rules = panel_rules(cost = c(a = 1, z = 2), budget = 9)),
    "`in_batches`" = fspca(x, 2, 1, rules = panel_rules(in_batches = 1)),
    "`in_batches` must be 0 with moments" = fspca(moments(x, block = gl(2, 3)), 2, 1,
      rules = panel_rules(in_batches = 1)
    ),
    "exact" = css(x, 2, m = 2, solver = "exact", rules = some),
    "cd" = cdlsr(x, y, 2, solver = "cd", rules = some),
    "`groups`" = fspca(x, 2, 1, groups = c(1, 1, 2), rules = some),
    "`swaps` must be Inf without `near`" = panel_rules(swaps = 2)
  )
  expect_each_refused("range",
    "`budget`" = panel_rules(cost = 1, budget = -1),
    "`at_least`" = panel_rules(sets = list(1:3), at_least = 1.5)
  )
  expect_each_refused("names",
    "`cost`" = panel_rules(cost = c(a = 1, a = 2)),
    "`at_least`" = panel_rules(sets = list(a = 1:3), at_least = c(b = 1)),
    "`near`" = fspca(x, 2, 1, rules = panel_rules(near = c("a", "q"))),
    "`sets`" = fspca(x, 2, 1, rules = panel_rules(sets = list(7), at_least = 1)),
    "`sets`" = fspca(x, 2, 1, rules = panel_rules(sets = list("q"), at_least = 1))
  )
  expect_each_refused("type",
    "`sets` must be a list" = panel_rules(sets = 1:3),
    "must be made by panel_rules" = fspca(x, 2, 1, rules = list())
  )
  expect_each_refused("length", "`at_most`" = panel_rules(sets = list(1:3), at_most = c(1, 2)))
})
