# Panels, samples and types that compare_panels() and summary(types = ) refuse.

small_table <- function() {
  set.seed(2)
  matrix(rnorm(45 * 14), 45, dimnames = list(NULL, paste0("g", 1:14)))
}

core_ends_here()

test_that("what is no panel is refused", {
  x <- small_table()
  expect_refused(compare_panels(list(1:2), x), "names", "`panels`")
  expect_refused(compare_panels(list(a = 1:2, a = 3), x), "names", "`panels`")
  expect_refused(compare_panels(list(), x), "type", "`panels`")
  expect_refused(compare_panels(mean, x), "type", "`panels`")
  expect_refused(compare_panels(list(a = "nobody"), x), "names", "`panels$a`")
  expect_refused(compare_panels(list(a = 15), x), "names", "`panels$a`")
  expect_refused(compare_panels(list(a = c(1, 1)), x), "names", "`panels$a`")
  expect_refused(compare_panels(1:2, x, random = 0), "range", "`random`")
  expect_refused(compare_panels(1:2, x, neighbours = 45), "range", "`neighbours`")
  expect_refused(compare_panels(1:2, moments(x)), "type", "in memory")
  expect_refused(compare_panels(1:2, x, types = "type"), "length", "`types`")
})

test_that("types that are not those of the samples are refused", {
  x <- small_table()
  fit <- rowsparse(x, k = 3, method = "variance")
  for (judge in list(
    function(types) compare_panels(1:3, x, types = types),
    function(types) summary(fit, x = x, types = types)
  )) {
    expect_refused(judge(1:44), "length", "`types`")
    expect_error(judge(c(NA, rep(1:2, 22))), "`types`", class = "rowsparse_error")
    expect_error(judge(list(1)), "`types`", class = "rowsparse_error")
  }
})
