rne_value <- function(H, B, alpha) {
  sum(abs(B %*% H)) + alpha / 4 * sum((crossprod(H) - diag(ncol(H)))^2)
}

test_that("the objective is that of plain R, for both forms of B, and the best is kept", {
  for (x in from_seed(2, of_sizes(list(c(30, 9), c(20, 40)), normal_matrix, mean = 3))) {
    R <- plain_reconstruction(x, neighbours(x, 5)$index, 1e-8)
    expect_equal(rowSums(R), rep(1, nrow(x)))
    start <- matrix(runif(ncol(x) * 3), ncol(x))
    for (transpose in c(FALSE, TRUE)) {
      B <- (diag(nrow(x)) - if (transpose) t(R) else R) %*% x
      fit <- suppressWarnings(rne(x, 3, transpose = transpose, start = start, alpha = 50))
      expect_equal(tail(fit$objective, 1), rne_value(fit$loadings, B, 50), tolerance = 1e-6)
      first <- start * (start == apply(start, 1, max))
      first <- sweep(first, 2, sqrt(colSums(first^2)), "/")
      expect_equal(fit$objective[1], rne_value(first, B, 50), tolerance = 1e-6)
      expect_never_rises(fit$objective)
      expect_true(all(fit$loadings >= 0))
      expect_equal(unname(fit$scores), plain_norms(fit$loadings), tolerance = 1e-12)
    }
  }
})

core_ends_here()

test_that("more samples do not empty H by default", {
  set.seed(3)
  for (n in c(50, 8000)) {
    position <- runif(n)
    x <- cbind(
      sapply(1:4, function(j) sin(6 * position + j)) + 0.1 * matrix(rnorm(4 * n), n),
      0.7 * matrix(rnorm(6 * n), n)
    )
    fit <- suppressWarnings(rne(x, 3))
    expect_gte(sum(fit$scores > 0), 3)
    expect_gte(fit$parameters$alpha, 3 * sum(sqrt(rowSums(scale(x, TRUE, FALSE)^2))) * 0.9)
    # columns of H are near orthonormal: the penalty outweighs the sum over samples
    expect_lt(max(abs(crossprod(fit$loadings) - diag(3))), 0.2)
  }
  expect_warning(fit <- rne(x, 3, alpha = 1e-3), class = "rowsparse_warning_not_unique")
  expect_false(fit$unique)
})

test_that("of several starts the best is kept, and their spread is told", {
  x <- from_seed(8, matrix(rnorm(40 * 12), 40, dimnames = list(NULL, letters[1:12])))
  fit <- suppressWarnings(rne(x, 4, starts = 5, seed = 3))
  expect_length(fit$start_objectives, 5)
  expect_identical(fit$best_start, which.min(fit$start_objectives))
  expect_identical(utils::tail(fit$objective, 1), min(fit$start_objectives))
  expect_identical(dim(fit$start_sets), c(5L, 4L))
  expect_identical(fit$start_sets[fit$best_start, ], fit$selected)
  pairs <- utils::combn(5, 2, function(at) {
    length(intersect(fit$start_sets[at[1], ], fit$start_sets[at[2], ])) / 4
  })
  expect_equal(fit$overlap, mean(pairs))
  # the first start is that of one alone
  one <- suppressWarnings(rne(x, 4, seed = 3))
  expect_equal(one$start_objectives, fit$start_objectives[1])
  expect_identical(one$overlap, NA_real_)
  # columns of the caller
  part <- suppressWarnings(rne(x, 4, starts = 2, seed = 3, exclude = c("a", "c")))
  expect_true(all(part$start_sets %in% setdiff(1:12, c(1, 3))))
  expect_refused(rne(x, 2, starts = 2, start = matrix(1, 12, 2)), "range", "must be 1")
})
