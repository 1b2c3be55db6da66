# What panels keep of neighbours and of types, recomputed from sorted distances

typed_cells <- function(n = 45, d = 14) {
  set.seed(71)
  type <- factor(rep(c("common", "rare", "some"), c(26, 7, 12))[sample.int(n)])
  x <- matrix(stats::rnorm(n * d), n, dimnames = list(NULL, paste0("g", seq_len(d))))
  x[, 1:3] <- x[, 1:3] + 2 * outer(as.integer(type), c(1, -1, 0.5))
  x[, 8] <- x[, 2] + 0.1 * stats::rnorm(n)
  x[, 9] <- -x[, 5] + 0.5 * stats::rnorm(n)
  list(x = x, type = type)
}

nearest_by_dist <- function(x, neighbours) {
  gaps <- as.matrix(stats::dist(x))
  diag(gaps) <- Inf
  apply(gaps, 1, function(gap) order(gap)[seq_len(neighbours)])
}

own_by_type <- function(x, type, neighbours) {
  sets <- nearest_by_dist(x, neighbours)
  own <- vapply(seq_along(type), function(i) mean(type[sets[, i]] == type[i]), 0)
  tapply(own, type, mean)
}

core_ends_here()

test_that("a summary tells by type how many neighbours are of the type, rare ones first", {
  cells <- typed_cells()
  fit <- rowsparse(cells$x, k = 4, method = "css")
  told <- summary(fit, x = cells$x, types = cells$type, neighbours = 6)
  table <- told$panel$types
  expect_identical(table$type, c("rare", "some", "common"))
  expect_identical(table$samples, c(7L, 12L, 26L))
  on <- function(columns) {
    as.vector(own_by_type(cells$x[, columns], cells$type, 6)[table$type])
  }
  expect_equal(table$same, on(fit$selected))
  expect_equal(table$same_all, on(1:14))
  expect_equal(table$chance, (table$samples - 1) / 44)
  kept <- neighbours_kept(cells$x, fit$selected, 6)
  expect_equal(table$kept, as.vector(tapply(kept, cells$type, mean)[table$type]))
  expect_output(print(told), "rare types first")
  expect_output(print(told), "correlate most")
  expect_null(summary(fit, x = cells$x)$panel$types)
})

test_that("types without company have no share, and unusable ones are refused", {
  cells <- typed_cells()
  fit <- rowsparse(cells$x, k = 4, method = "css")
  type <- as.character(cells$type)
  type[1] <- "alone"
  table <- summary(fit, x = cells$x, types = type)$panel$types
  expect_identical(table$type[1], "alone")
  expect_true(is.na(table$same[1]) && !anyNA(table$same[-1]))
  judge <- function(...) summary(fit, ...)
  expect_refused(judge(types = type), "argument", "`types`")
  expect_refused(judge(x = cells$x, types = type[-1]), "length", "`types`")
  expect_refused(judge(x = cells$x, types = replace(type, 2, NA)), "nonfinite", "`types`")
  expect_refused(judge(x = cells$x, types = list(1)), "type", "`types`")
  wrong <- judge(x = cells$x, types = type)
  wrong$panel$types <- "x"
  expect_error(print(wrong), class = "rowsparse_error_object")
})

test_that("redundancy is the largest correlation within the panel", {
  cells <- typed_cells()
  fit <- rowsparse(cells$x, k = 5, method = "variance", include = c("g2", "g8"))
  table <- summary(fit, x = cells$x)$panel$near_copies
  r <- abs(stats::cor(cells$x))[fit$selected, fit$selected]
  diag(r) <- -1
  expect_equal(table$within, unname(apply(r, 1, max)))
  expect_identical(table$partner, colnames(cells$x)[fit$selected][apply(r, 1, which.max)])
  expect_true(is.na(summary(fit, x = cells$x, k = 1)$panel$near_copies$within))
})

test_that("a panel that is named as one of those beside stands in its place", {
  x <- as.matrix(iris[, 1:4])
  table <- compare_panels(list(ours = 1:2, random = c(2, 4)), x, neighbours = 6)
  expect_identical(table$panel, c("ours", "random", "variance"))
  expect_equal(table$kept[2], mean(neighbours_kept(x, c(2, 4), neighbours = 6)))
  expect_identical(
    compare_panels(list(variance = 1:2, a = 1:3), x, neighbours = 6)$panel,
    c("variance", "a", "random (2)", "random (3)")
  )
})

test_that("panels stand beside random sets and the largest variances of their size", {
  cells <- typed_cells()
  fit <- rowsparse(cells$x, k = 4, method = "css")
  theirs <- c("g1", "g9", "g5", "g12")
  set.seed(5)
  table <- compare_panels(list(ours = fit, theirs = theirs), cells$x, types = cells$type,
    neighbours = 6, random = 3
  )
  expect_identical(table$panel, c("ours", "theirs", "random", "variance"))
  expect_identical(table$k, rep(4L, 4))
  set.seed(5)
  draws <- replicate(3, sample.int(14, 4), simplify = FALSE)
  largest <- order(-apply(cells$x, 2, stats::var))[1:4]
  each <- function(value) {
    c(value(fit$selected), value(match(theirs, colnames(cells$x))),
      mean(vapply(draws, value, 0)), value(largest)
    )
  }
  expect_equal(table$kept, each(function(set) mean(neighbours_kept(cells$x, set, 6))))
  own <- function(set) own_by_type(cells$x[, set], cells$type, 6)
  expect_equal(table$same, each(function(set) mean(own(set))))
  expect_equal(table$rare, each(function(set) min(own(set))))
  r <- abs(stats::cor(cells$x))
  within <- function(set) {
    part <- r[set, set]
    diag(part) <- -1
    mean(apply(part, 1, max))
  }
  expect_equal(table$redundancy, each(within))
  expect_equal(table$backed, each(function(set) mean(apply(r[-set, set] >= 0.9, 2, any))))
  by_type <- attr(table, "types")
  expect_equal(by_type$same[by_type$panel == "theirs"],
    as.vector(own(match(theirs, colnames(cells$x)))[c("rare", "some", "common")])
  )
  expect_identical(unique(attr(table, "features")$panel), c("ours", "theirs"))
})

test_that("without types, scaled, sparse, in blocks and of several sizes", {
  cells <- typed_cells()
  x <- cells$x
  set.seed(1)
  table <- compare_panels(list(a = 1:3, b = 4:8), x, neighbours = 5)
  expect_identical(table$panel,
    c("a", "b", "random (3)", "variance (3)", "random (5)", "variance (5)")
  )
  expect_null(table[["same"]])
  set.seed(1)
  sparse <- compare_panels(list(a = 1:3, b = 4:8), Matrix::Matrix(x, sparse = TRUE),
    neighbours = 5
  )
  expect_equal(as.data.frame(sparse), as.data.frame(table))
  scaled <- compare_panels(1:3, x, scale = TRUE, neighbours = 5)
  expect_equal(scaled$kept[1], mean(neighbours_kept(scale(x), 1:3, 5)))
  block <- rep_len(c("p", "q"), 45)
  within <- compare_panels(list(a = 1:3), x + 9 * (block == "q"), block = block, neighbours = 5)
  expect_equal(within$kept[1], mean(neighbours_kept(x, 1:3, 5, block = block)))
  fit <- rowsparse(x, k = 3, method = "variance", exclude = "g8", include = "g2")
  out <- attr(compare_panels(list(a = fit, b = fit$selected), x), "features")
  expect_false("g8" %in% out$copy[out$panel == "a"])
  expect_true("g8" %in% out$copy[out$panel == "b"])
})

test_that("a comparison is printed, summed up and drawn", {
  cells <- typed_cells()
  table <- compare_panels(list(ours = 1:4), cells$x, types = cells$type)
  expect_output(print(table), "Panels: what they keep")
  told <- summary(table)
  expect_output(print(told), "rare types first")
  picture <- rowsparse:::panels_picture(table)
  expect_equal(picture$value[, 1], table$kept)
  expect_identical(picture$columns, c("kept", "rare", "some", "common"))
  expect_identical(picture$rows, table$panel)
  draw_nowhere()
  expect_identical(plot(compare_panels(1:2, cells$x))$panel, c("panel", "random", "variance"))
  wrong <- table
  wrong$kept <- "x"
  for (use in list(print, summary, plot, as.data.frame)) {
    expect_error(use(wrong), class = "rowsparse_error_object")
  }
  told$panels <- told$types <- "x"
  expect_error(print(told), class = "rowsparse_error_object")
})
