# a list of data sets: their samples on the common features, the set as a block

two_sets <- function() {
  g <- function(n, names, far) {
    x <- matrix(stats::rnorm(n * length(names)), n, dimnames = list(NULL, names))
    x[, "f3"] <- 3 * x[, "f3"]
    x + far
  }
  list(one = g(30, paste0("f", 1:12), 0), two = g(24, paste0("f", c(20, 12:3)), 5))
}

common <- paste0("f", 3:12)

core_ends_here()

test_that("data sets are joined on their common features, the set is the block", {
  set.seed(1)
  sets <- two_sets()
  together <- rbind(sets$one[, common], sets$two[, common])
  set <- rep(c("one", "two"), c(30, 24))
  plain <- rowsparse(together, k = 3, method = "fspca", block = set)
  expect_message(fit <- rowsparse(sets, k = 3, method = "fspca"), "10 of 13 features",
    class = "rowsparse_message_common"
  )
  expect_identical(fit$feature_names, common)
  expect_identical(fit$selected, plain$selected)
  expect_equal(fit$block$mean, plain$block$mean)
  kinds <- list(
    lapply(sets, function(x) Matrix::Matrix(x, sparse = TRUE)),
    list(one = as.data.frame(sets$one), two = Matrix::Matrix(sets$two, sparse = TRUE)),
    list(one = row_blocks(sets$one, rows = 7), two = sets$two),
    lapply(sets, row_blocks, rows = 5)
  )
  for (other in kinds) {
    found <- suppressMessages(rowsparse(other, k = 3, method = "fspca"))
    expect_identical(found$selected, plain$selected)
    expect_equal(found$scores, plain$scores, tolerance = 1e-8)
  }
})

test_that("responses and blocks come by set, or of all samples", {
  set.seed(2)
  sets <- two_sets()
  together <- rbind(sets$one[, common], sets$two[, common])
  y <- unname(together[, 4] - together[, 7])
  set <- rep(c("one", "two"), c(30, 24))
  sex <- rep_len(c("u", "v", "v"), 54)
  plain <- rowsparse(together, y, k = 2, method = "cdlsr", block = data.frame(sex, set))
  join <- function(...) suppressMessages(rowsparse(sets, ..., k = 2, method = "cdlsr"))
  expect_identical(join(y, block = sex)$selected, plain$selected)
  by_set <- join(list(y[1:30], y[31:54]), block = list(one = sex[1:30], two = sex[31:54]))
  expect_identical(by_set$selected, plain$selected)
  expect_equal(by_set$objective, plain$objective)
})

test_that("data sets that cannot be joined are refused by name", {
  set.seed(4)
  sets <- two_sets()
  refused <- function(x, class, ...) {
    expect_error(suppressMessages(rowsparse(x, k = 2, method = "fspca", ...)),
      class = paste0("rowsparse_error_", class)
    )
  }
  refused(list(sets$one, matrix(1, 5, 2, dimnames = list(NULL, c("a", "b")))), "names")
  refused(list(sets$one, unname(sets$two)), "names")
  refused(stats::setNames(sets, c("a", "a")), "names")
  refused(sets, "length", block = list(one = 1:30, two = 1:3))
  refused(sets, "length", block = 1:7)
  refused(list(sets$one, "b"), "type")
  refused(sets, "type", return = "object")
  refused(sets, "argument", assay = "counts")
  expect_error(suppressMessages(rowsparse(sets, list(1:30, 1:3), k = 2)),
    class = "rowsparse_error_length"
  )
})
