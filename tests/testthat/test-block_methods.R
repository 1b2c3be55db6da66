# a small problem with clusters of samples, and batches that move them about
blocked_problem <- function() {
  n <- 42
  block <- factor(rep_len(c("b", "a", "a", "c", "b"), n))
  type <- factor(rep_len(1:3, n))
  x <- from_seed(641, matrix(stats::rnorm(n * 14), n) * rep(stats::runif(14, 0.5, 2), each = n))
  x[, 1:6] <- x[, 1:6] + 3 * matrix(stats::rnorm(18), 3)[type, ]
  x <- x + 4 * matrix(stats::rnorm(42), 3)[block, ]
  colnames(x) <- paste0("f", 1:14)
  list(x = x, block = block, type = type, y = x[, 1] - x[, 3] + stats::rnorm(n) / 3)
}

# one fit of the front door, from the same random numbers
blocked_fit <- function(entry, x, problem, ...) {
  y <- if (entry$response == "needed") {
    if ("numeric" %in% entry$responses) problem$y else problem$type
  }
  set.seed(5)
  suppressWarnings(rowsparse(x, y, k = 4, method = entry$name, ...))
}

# but for the one that refuses a block
entries <- function() rowsparse:::method_table()[setdiff(tested_methods(), "rowsparse_glm")]

takes_scale <- function(entry) "scale" %in% names(formals(entry$fit))

# scores up to the unit that degrees of freedom enter
expect_same_fit <- function(fit, other, tolerance = 1e-5, sorted = identity) {
  expect_identical(sorted(fit$selected), sorted(other$selected))
  expect_equal(fit$scores / max(fit$scores), other$scores / max(other$scores),
    tolerance = tolerance
  )
}

core_ends_here()

test_that("every method with `block` is itself on data centred within the levels", {
  problem <- blocked_problem()
  block <- problem$block
  inside <- problem
  inside$y <- drop(adjusted(cbind(problem$y), block))
  for (entry in entries()) {
    unscaled <- if (takes_scale(entry)) list(scale = FALSE)
    fit_to <- function(x, problem, ...) {
      do.call(blocked_fit, c(list(entry, x, problem, ...), unscaled))
    }
    fit <- fit_to(problem$x, problem, block = block)
    # classes are no numbers that a block could be taken out of
    if (entry$response != "needed" || "numeric" %in% entry$responses) {
      expect_same_fit(fit, fit_to(adjusted(problem$x, block), inside))
    }
    for (kind in kinds(problem$x)[c("sparse", "blocks")]) {
      expect_same_fit(fit, fit_to(kind, problem, block = block))
    }
    if ("moments" %in% entry$input) {
      x <- moments(problem$x, if (entry$response == "needed") problem$y, block)
      problem_of_moments <- utils::modifyList(problem, list(y = NULL))
      expect_same_fit(fit, fit_to(x, problem_of_moments))
      expect_refused(fit_to(x, problem_of_moments, block = block), "block", "moments carry")
    }
    expect_identical(fit$block$levels, levels(block))
    expect_equal(unname(fit$block$mean), unname(rowsum(problem$x, block) / c(table(block))),
      ignore_attr = TRUE, tolerance = 1e-10
    )
  }
})
