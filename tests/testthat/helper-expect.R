# Expectations that hold, in a tenth of the time: before it compares, testthat prepares to print
# what differs, which takes it several milliseconds. What may not hold it is asked, as ever.

holding <- function(expectation, holds) {
  function(object, ..., info = NULL, label = deparse1(substitute(object))) {
    if (isTRUE(holds(object, ...))) {
      testthat::succeed()
      return(invisible(object))
    }
    expectation(object, ..., info = info, label = label)
  }
}

expect_true <- holding(testthat::expect_true, function(object) isTRUE(as.vector(object)))
expect_identical <- holding(testthat::expect_identical, function(object, expected, ...) {
  ...length() == 0L && identical(object, expected)
})
expect_equal <- holding(testthat::expect_equal, function(
  object, expected, ..., tolerance = testthat::testthat_tolerance()
) {
  ...length() == 0L && isTRUE(all.equal(expected, object, tolerance = tolerance))
})
