# What features have in complementary halves of the samples, made again in plain R.

halves_data <- function() {
  set.seed(191)
  x <- sample_matrix(61, 20)
  colnames(x) <- letters[1:20]
  list(x = x, y = drop(x[, 1:4] %*% c(2, -1, 0.6, 0.4)) + 2 * stats::rnorm(61))
}

core_ends_here()

test_that("pairs of halves part the samples, the same in every run and order, without a draw", {
  data <- halves_data()
  turned <- sample(61)
  class <- cut(data$y, 3, labels = FALSE)
  block <- rep(c("u", "v"), c(40, 21))
  run <- function(y, rows = 1:61, ...) {
    response <- if (is.null(y)) list(Y = matrix(0, 61, 1), type = "none")
    if (!is.null(y)) response <- rowsparse:::as_response(rowsparse:::rows_of(y, rows), 61)
    parts <- list(folds = "halves", repeats = 1)
    rowsparse:::fold_columns(parts, response, data$x[rows, ], ...)
  }
  before <- .Random.seed
  for (y in list(data$y, class, cbind(data$y, data$x[, 9]), NULL)) {
    folds <- run(y)
    expect_identical(dim(folds), c(61L, 25L))
    expect_true(all(folds %in% 1:2) && all(abs(colSums(folds == 1) - 30.5) == 0.5))
    # no pair is there twice, its halves in either order
    expect_identical(anyDuplicated(sweep(folds, 2, folds[1, ], "=="), MARGIN = 2), 0L)
    expect_identical(run(y), folds)
    expect_identical(run(y, turned), folds[turned, ])
  }
  of_classes <- apply(run(factor(class)), 2, function(fold) table(fold, class)[1, ])
  expect_true(all(abs(of_classes - as.vector(table(class)) / 2) <= 1))
  of_levels <- colSums(run(data$y, block = block) == 1 & block == "u")
  expect_true(all(abs(of_levels - 20) <= 1))
  cv <- function(...) cv_rowsparse(data$x, data$y, 2, "ftest", folds = "halves", ...)$foldid
  expect_identical(cv(), run(data$y))
  expect_identical(.Random.seed, before)
  expect_identical(cv(seed = 3), cv(seed = 3))
  expect_false(identical(cv(seed = 3), cv()))
})

test_that("frequencies are those of fits to the halves, and what is found reaches the threshold", {
  data <- halves_data()
  cv <- cv_rowsparse(data$x, data$y, 2:5, "cdlsr", ridge = 1, folds = "halves")
  sets <- apply(cbind(cv$foldid == 1, cv$foldid == 2), 2, function(inside) {
    fit <- cdlsr(data$x[inside, ], data$y[inside], 5, ridge = 1)
    lapply(2:5, function(k) match(selected(fit, k), letters))
  })
  share <- vapply(1:4, function(at) tabulate(unlist(lapply(sets, `[[`, at)), 20) / 50, numeric(20))
  expect_equal(unname(as.matrix(cv$frequency)), share)
  found <- function(k, errors) {
    own <- share[, k - 1]
    at <- which(own >= 0.5 + k^2 / (2 * errors * 20) - 1e-9 & own > 0.5)
    letters[at[order(-own[at])]]
  }
  for (errors in c(1, 2, 4)) {
    for (k in 2:4) expect_identical(selected(cv, k, errors = errors), found(k, errors))
  }
  expect_gt(length(found(4, 4)), length(found(4, 1)))
  # the largest size with a threshold of 0.6 at most: k^2 <= 4 errors; else the smallest
  for (case in list(c(2, 0.5), c(2, 1), c(3, 2.3), c(4, 4), c(5, 50))) {
    expect_identical(selected(cv, errors = case[2]), found(case[1], case[2]))
  }
  expect_output(print(cv), "25 pairs of halves")
  # a share that is the threshold reaches it, a half never does
  cv$frequency[, 3] <- replace(rep(0.07, 20), 1:4, c(0.68, 0.7, 0.5, 1))
  expect_identical(selected(cv, 4, errors = 2), c("d", "b"))
  expect_identical(selected(cv, 4, errors = 1e9), c("d", "b", "a"))
})

test_that("what cannot be controlled is refused, with the way out", {
  data <- halves_data()
  run <- function(...) cv_rowsparse(data$x, data$y, method = "ftest", ...)
  cv <- run(k = 5:6, folds = "halves")
  expect_each_refused("range",
    "must be at most 4 for `errors = 1` and 20 features; got 5" = selected(cv, errors = 1),
    "must be at most 5 for `errors = 1.5` and 20 features; got 6" = selected(cv, 6, errors = 1.5),
    "0.05 at least" = selected(cv, errors = 0.04),
    "They are 5, 6" = selected(cv, 4, errors = 1), "`errors`" = selected(cv, errors = 0)
  )
  expect_refused(selected(run(k = 2), errors = 1), "choice", "folds = \"halves\"")
  expect_each_refused("argument",
    "`repeats`" = run(k = 2, folds = "halves", repeats = 2),
    "`foldid`" = run(k = 2, folds = "halves", foldid = rep_len(1:2, 61))
  )
  largest <- rowsparse_path(data$x, data$y, method = "rfs", nlambda = 2)$grid[1]
  penalties <- cv_rowsparse(data$x, data$y,
    method = "rfs", lambda = c(0.5, 0.4, 0.01) * largest, folds = "halves"
  )
  expect_refused(selected(penalties, 3, errors = 1), "range", "Leave it out: none were")
  # the mean size of the sets, of those with a threshold of 0.6 at most the largest
  size <- Matrix::colSums(penalties$frequency)
  at <- max(which(size <= sqrt(0.2 * 20 * 9)))
  expect_true(at < 3 && size[at] > 0)
  expect_setequal(selected(penalties, errors = 9),
    names(which(penalties$frequency[, at] >= 0.5 + size[at]^2 / 360))
  )
})

test_that("locked, constant and left out features do not count, groups count as one", {
  data <- halves_data()
  data$x[, 20] <- 3
  cv <- suppressWarnings(cv_rowsparse(data$x, data$y, 3:4, "cdlsr",
    include = "a", exclude = "t", folds = "halves"
  ))
  expect_identical(cv$candidates, 2:19)
  # k counts the one that is included: 4 others, of 18
  expect_refused(selected(cv, 4, errors = 0.4), "range", "must be at most 3 for `errors = 0.4`")
  reached <- which(cv$frequency[, 1] >= 0.5 + 2^2 / (2 * 18))
  expect_identical(reached[["a"]], 1L)
  expect_setequal(selected(cv, 3, errors = 1), setdiff(names(reached), "a"))
  group <- rep(c("p", "q", "r", "s", "t"), each = 4)
  data <- halves_data()
  grouped <- cv_rowsparse(data$x, data$y, 1:2, "cdlsr", groups = group, folds = "halves")
  expect_identical(grouped$candidates, c(1L, 5L, 9L, 13L, 17L))
  expect_identical(selected(grouped, 1, errors = 1, groups = TRUE), "p")
  expect_identical(selected(grouped, 1, errors = 1), letters[1:4])
  expect_refused(selected(grouped, 2, errors = 0.5), "range", "at most 1 for `errors = 0.5` and 5")
})

test_that("methods without labels, functions, and the entrant that is chosen", {
  data <- halves_data()
  free <- cv_rowsparse(data$x, k = 2, method = "css", folds = "halves")
  often <- free$frequency[, 1] >= 0.5 + 4 / 60
  expect_true(any(often))
  expect_setequal(selected(free, errors = 1.5), letters[which(often)])
  first <- function(x, y, k) order(-abs(stats::cor(x, y)))[seq_len(k)]
  cv <- cv_rowsparse(unname(data$x), data$y, 1:3, list("variance", own = first), folds = "halves")
  expect_identical(cv$method, "own")
  sets <- apply(cbind(cv$foldid == 1, cv$foldid == 2), 2, function(inside) {
    first(data$x[inside, ], data$y[inside], 2)
  })
  share <- tabulate(sets, 20) / 50
  expected <- order(-share)[seq_len(sum(share >= 0.5 + 4 / 40))]
  expect_identical(selected(cv, 2, errors = 1), expected)
  free <- cv_rowsparse(data$x, data$y, method = function(x, y, k) first(x, y, 2), folds = "halves")
  expect_identical(selected(free, errors = 1), letters[expected])
})
