# What a selection keeps of the neighbourhoods, and what could stand in for it

three_groups <- function(n = 40, d = 12) {
  set.seed(11)
  x <- matrix(stats::rnorm(n * d), n, dimnames = list(NULL, paste0("f", seq_len(d))))
  x[, 1:4] <- x[, 1:4] + 2 * rep(1:2, length.out = n)
  x[, 9] <- x[, 2] + 0.1 * stats::rnorm(n)
  x[, 10] <- -x[, 3] + 0.05 * stats::rnorm(n)
  x
}

# by sorting the rows of dist()
plain_shares <- function(x, columns, neighbours) {
  sets <- function(x) {
    gaps <- as.matrix(stats::dist(x))
    diag(gaps) <- Inf
    apply(gaps, 1, function(gap) order(gap)[seq_len(neighbours)])
  }
  all <- sets(x)
  some <- sets(x[, columns, drop = FALSE])
  vapply(seq_len(nrow(x)), function(i) mean(all[, i] %in% some[, i]), 0)
}

core_ends_here()

test_that("the shares are those of sorted distances", {
  x <- three_groups()
  for (columns in list(1:3, 5, 1:12)) {
    kept <- neighbours_kept(x, columns, 5)
    expect_equal(as.vector(kept), plain_shares(x, columns, 5))
    expect_equal(attr(kept, "chance"), 5 / 39)
  }
  expect_equal(as.vector(neighbours_kept(x, c("f2", "f1"), 4, scale = TRUE)),
    plain_shares(scale(x), 2:1, 4)
  )
  expect_identical(as.vector(neighbours_kept(x, 1:12)), rep(1, 40))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(neighbours_kept(sparse, 1:3, 5), neighbours_kept(x, 1:3, 5))
})

test_that("evenly spaced samples stand for many", {
  x <- three_groups()
  rownames(x) <- sprintf("s%02d", 1:40)
  kept <- neighbours_kept(x, 1:3, 5, samples = 11)
  rows <- attr(kept, "rows")
  expect_length(rows, 11)
  expect_identical(range(rows), c(1, 40))
  expect_lte(diff(range(diff(rows))), 1)
  expect_identical(names(kept), rownames(x)[rows])
  expect_equal(as.vector(kept), plain_shares(x[rows, ], 1:3, 5))
})

test_that("within blocks the data are centred", {
  x <- three_groups()
  block <- rep(c("a", "b"), each = 20)
  centred <- x - apply(x, 2, stats::ave, block)
  shifted <- x + 100 * (block == "b")
  expect_equal(neighbours_kept(shifted, 1:3, 5, block = block), neighbours_kept(centred, 1:3, 5))
})

test_that("a summary with the data tells of neighbourhoods and near-copies", {
  x <- three_groups()
  fit <- rowsparse(x, k = 4, method = "css")
  told <- summary(fit, x = x, neighbours = 6)
  expect_equal(as.vector(told$panel$kept), plain_shares(x, fit$selected, 6))
  table <- told$panel$near_copies
  r <- abs(stats::cor(x))[, fit$selected]
  outside <- setdiff(1:12, fit$selected)
  expect_identical(table$feature, names(fit$scores)[fit$selected])
  best <- outside[apply(r[outside, ], 2, which.max)]
  expect_identical(table$copy, colnames(x)[best])
  expect_equal(table$correlation, unname(apply(r[outside, ], 2, max)), tolerance = 1e-12)
  expect_identical(table$count, unname(as.integer(colSums(r[outside, ] >= 0.9))))
  expect_output(print(told), "nearest neighbours on all features")
  # other samples, other order of the features
  again <- summary(fit, x = x[40:1, 12:1], neighbours = 6)
  expect_equal(again$panel$near_copies, table)
  expect_equal(rev(as.vector(again$panel$kept)), as.vector(told$panel$kept))
  expect_null(summary(fit)$panel)
  # edited by hand
  for (part in names(told$panel)) {
    wrong <- told
    wrong$panel[[part]] <- "x"
    expect_error(print(wrong), class = "rowsparse_error")
  }
})

test_that("all features leave nothing to stand in, and scaled fits are judged scaled", {
  x <- three_groups()
  all <- summary(rowsparse(x, k = 12, method = "variance"), x = x)
  expect_true(all(is.na(all$panel$near_copies$correlation)))
  expect_output(print(all), "No feature outside")
  fit <- rowsparse(x, k = 3, method = "css", scale = TRUE)
  expect_equal(as.vector(summary(fit, x = x, neighbours = 5)$panel$kept),
    plain_shares(scale(x), fit$selected, 5)
  )
})

test_that("what cannot be compared is refused", {
  x <- three_groups()
  expect_error(neighbours_kept(x, 13), class = "rowsparse_error_names")
  expect_error(neighbours_kept(x, "nobody"), class = "rowsparse_error_names")
  expect_error(neighbours_kept(x, 1, 40), class = "rowsparse_error_range")
  expect_error(neighbours_kept(x, 1, samples = 1), class = "rowsparse_error_range")
  expect_error(neighbours_kept("x", 1), class = "rowsparse_error_type")
  expect_error(neighbours_kept(moments(x), 1), class = "rowsparse_error_type")
  expect_error(neighbours_kept(x, 1, block = "batch"), class = "rowsparse_error")
  fit <- rowsparse(x, k = 4, method = "css")
  expect_error(summary(fit, x = x[, 1:3]), class = "rowsparse_error_names")
  expect_error(summary(fit, x = moments(x)), class = "rowsparse_error_type")
})

test_that("what is locked in is not told to be tied", {
  x <- three_groups()
  fit <- rowsparse(x, k = 4, method = "variance", include = c("f5", "f6"))
  told <- summary(fit)$fragility
  expect_length(told$tied, 0)
  free <- sort(apply(x[, setdiff(colnames(x), c("f5", "f6"))], 2, stats::var), decreasing = TRUE)
  expect_equal(told$relative, unname(1 - free[3] / free[2]))
  expect_true(is.na(summary(fit, k = 2)$fragility$margin))
})

test_that("what was excluded is no near-copy", {
  x <- three_groups()
  free <- summary(rowsparse(x, k = 2, method = "variance", include = "f2"), x = x)
  out <- summary(rowsparse(x, k = 2, method = "variance", include = "f2", exclude = "f9"), x = x)
  at <- function(told) told$panel$near_copies$copy[told$panel$near_copies$feature == "f2"]
  expect_identical(at(free), "f9")
  expect_false("f9" %in% out$panel$near_copies$copy)
})
