# Rules that are refused.

refused <- function(expr, class, words) {
  expect_error(expr, words, class = paste0("rowsparse_error_", class))
}

core_ends_here()

test_that("panel_rules() names the argument and the rule", {
  refused(panel_rules(budget = 3), "rules", "`budget` must be Inf without `cost`")
  refused(panel_rules(cost = -1), "range", "`cost`")
  refused(panel_rules(cost = "a"), "range", "`cost`")
  refused(panel_rules(cost = c(a = 1, a = 2)), "names", "`cost`")
  refused(panel_rules(cost = 1, budget = -1), "range", "`budget`")
  refused(panel_rules(sets = 1:3), "type", "`sets` must be a list")
  refused(panel_rules(sets = list(a = 1, a = 2)), "names", "`sets`")
  refused(panel_rules(sets = list(a = 0)), "type", "`sets` must hold names")
  refused(panel_rules(at_least = 2), "rules", "`at_least` must be 0 without `sets`")
  refused(panel_rules(sets = list(1:3), at_least = 1.5), "range", "`at_least`")
  refused(panel_rules(sets = list(1:3), at_least = Inf), "range", "`at_least`")
  refused(panel_rules(sets = list(1:3), at_most = c(1, 2)), "length", "`at_most`")
  refused(panel_rules(sets = list(a = 1:3), at_least = c(b = 1)), "names", "`at_least`")
  refused(panel_rules(sets = list(a = 1:3), at_least = 2, at_most = 1), "rules", "\"a\"")
  refused(panel_rules(in_batches = -1), "range", "`in_batches`")
  refused(panel_rules(swaps = 2), "rules", "`swaps` must be Inf without `near`")
  refused(panel_rules(near = 1:3, swaps = -1), "range", "`swaps`")
  refused(panel_rules(near = c("a", "a")), "names", "`near`")
  refused(panel_rules(near = list(1)), "type", "`near`")
})

test_that("what rules ask of data and solvers is told", {
  x <- matrix(rnorm(20 * 6), 20, dimnames = list(NULL, letters[1:6]))
  y <- rnorm(20)
  some <- panel_rules(sets = list(s = 1:3), at_least = 1)
  refused(fspca(x, 3, 1, rules = list()), "type", "`rules` must be made by panel_rules")
  refused(fspca(x, 3, 1, rules = panel_rules(cost = 1:3, budget = 9)), "rules", "`cost`")
  refused(
    fspca(x, 3, 1, rules = panel_rules(cost = c(a = 1, z = 2), budget = 9)), "rules", "`cost`"
  )
  refused(fspca(x, 3, 1, rules = panel_rules(sets = list(7), at_least = 1)), "rules", "`sets`")
  refused(fspca(x, 3, 1, rules = panel_rules(sets = list("q"), at_least = 1)), "names", "`sets`")
  refused(fspca(x, 3, 1, rules = panel_rules(in_batches = 1)), "rules", "`in_batches`")
  refused(fspca(x, 3, 1, rules = panel_rules(near = 5:7)), "rules", "`near`")
  refused(fspca(x, 3, 1, rules = panel_rules(near = c("a", "q"))), "names", "`near`")
  block <- rep(1:2, 10)
  refused(
    fspca(moments(x, block = block), 3, 1, rules = panel_rules(in_batches = 1)), "rules",
    "`in_batches` must be 0 with moments"
  )
  for (solver in c("go", "ipu", "exact")) {
    refused(fspca(x, 3, 1, solver = solver, rules = some), "rules", solver)
  }
  refused(css(x, 3, m = 2, solver = "exact", rules = some), "rules", "exact")
  refused(cdlsr(x, y, 3, solver = "exact", rules = some), "rules", "exact")
  refused(cdlsr(x, y, 3, solver = "cd", rules = some), "rules", "cd")
  refused(fspca(x, 3, 1, starts = 2, rules = some), "argument", "`starts`")
  refused(cdlsr(x, y, 3, starts = 2, rules = some), "range", "`starts`")
  refused(fspca(x, 2, 1, groups = rep(1:3, 2), rules = some), "rules", "`groups`")
})
