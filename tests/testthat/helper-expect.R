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
expect_false <- holding(testthat::expect_false, function(object) isFALSE(as.vector(object)))
expect_null <- holding(testthat::expect_null, is.null)
expect_identical <- holding(testthat::expect_identical, function(object, expected, ...) {
  ...length() == 0L && identical(object, expected)
})

# numbers whose mean difference is below the tolerance, and lists of such
is_near <- function(x, y, ..., tolerance = testthat::testthat_tolerance()) {
  if (...length() > 0L || !identical(attributes(x), attributes(y)) || length(x) != length(y)) {
    FALSE
  } else if (is.numeric(x) && is.numeric(y)) {
    gap <- abs(as.vector(x) - as.vector(y))
    all(gap == 0) || sum(gap) < min(tolerance, 1) * sum(abs(as.vector(y))[gap > 0])
  } else if (is.list(x) && is.list(y)) {
    all(unlist(Map(is_near, unclass(x), unclass(y), tolerance = tolerance)))
  } else {
    identical(x, y)
  }
}

expect_equal <- holding(testthat::expect_equal, is_near)

# errors of a class; what they say is compared by testthat
expect_error <- function(object, regexp = NULL, class = "error", ...) {
  told <- tryCatch({
    object
    NULL
  }, error = identity)
  if (is.null(regexp) && inherits(told, class)) {
    testthat::succeed()
    return(invisible(told))
  }
  testthat::expect_error(if (is.null(told)) object else stop(told), regexp, class, ...)
}
