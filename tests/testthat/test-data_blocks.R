# Rows from a reader, block by block, are the same data.
in_blocks <- function(x, rows = c(25L, 1L, nrow(x) - 26L)) {
  before <- c(0L, cumsum(rows))
  row_blocks(function(i) x[before[i] + seq_len(rows[i]), , drop = FALSE], rows)
}

block_matrix <- function(n = 60, d = 24) {
  set.seed(81)
  x <- matrix(stats::rnorm(n * d), n) %*% diag(seq(3, 1, length.out = d))
  x[, 1:5] <- x[, 1:5] + rep(c(-2, 2), each = n / 2)
  colnames(x) <- paste0("g", seq_len(d))
  x
}

core_ends_here()

test_that("every method selects the same from blocks as from the matrix", {
  x <- block_matrix()
  classes <- factor(rep(1:2, each = 30))
  known <- rowsparse_methods()
  for (at in seq_len(nrow(known))) {
    y <- if (known$supervised[at]) classes
    fits <- lapply(list(x, in_blocks(x)), function(data) {
      set.seed(1)
      suppressWarnings(rowsparse(data, y, k = 5, method = known$method[at]))
    })
    expect_identical(fits[[2]]$selected, fits[[1]]$selected, info = known$method[at])
    expect_equal(fits[[2]]$objective, fits[[1]]$objective, tolerance = 1e-8,
      info = known$method[at]
    )
    expect_identical(names(fits[[2]]$scores), colnames(x), info = known$method[at])
  }
})

test_that("every operation on blocks is that on the matrix", {
  x <- block_matrix(40, 70) # more than a panel of columns
  for (scale in c(FALSE, TRUE)) {
    z <- scale(x, scale = if (scale) apply(x, 2, stats::sd) else FALSE)
    data <- as_c_data(in_blocks(x), scale)
    w <- matrix(stats::rnorm(140), 70)
    expect_equal(c_call("C_covop", data, w)$product, unname(crossprod(z, z %*% w)),
      tolerance = 1e-10
    )
    expect_equal(c_call("C_gram", data), unname(crossprod(z)), tolerance = 1e-10)
    e <- stats::runif(70)
    e[3] <- 0
    expect_equal(c_call("C_gram_samples", data, e), unname(z %*% (e * t(z))), tolerance = 1e-10)
    expect_equal(c_call("C_gram_samples", data, NULL), unname(tcrossprod(z)), tolerance = 1e-10)
    expect_equal(c_call("C_row_squares", data), unname(rowSums(z^2)), tolerance = 1e-10)
    expect_equal(c_call("C_covop", data, w)$diagonal, unname(colSums(z^2)), tolerance = 1e-10)
    expect_equal(c_call("C_subpca", data, c(70L, 2L, 9L), 2L)$values,
      eigen(crossprod(z[, c(70, 2, 9)]), TRUE)$values[1:2], tolerance = 1e-10
    )
  }
})

test_that("statistics of blocks are those of the whole, far from zero too", {
  x <- block_matrix() + 1e8
  whole <- as_c_data(x)
  parts <- as_c_data(in_blocks(x))
  for (name in c("mean", "square", "deviation", "largest")) {
    expect_equal(parts[[name]], whole[[name]], tolerance = 1e-7, info = name)
  }
  expect_equal(moments(in_blocks(block_matrix()))$S, moments(block_matrix())$S, tolerance = 1e-12)
  counts <- matrix(rep(0:4, 12), 20)
  expect_equal(bsufs(in_blocks(counts, c(8L, 12L)), 1)$objective, bsufs(counts, 1)$objective)
})

test_that("blocks that are not what they should be are refused by their number", {
  x <- block_matrix()
  expect_error(row_blocks(1, 3), "read", class = "rowsparse_error_type")
  expect_error(row_blocks(identity, c(2, 0)), "rows", class = "rowsparse_error_type")
  expect_error(row_blocks(identity, NA), "rows", class = "rowsparse_error_type")
  wrong <- function(change, rows = c(30L, 30L)) {
    row_blocks(function(i) {
      block <- x[30 * (i - 1) + 1:30, ]
      if (i == 2) change(block) else block
    }, rows)
  }
  expect_error(bsufs(wrong(function(b) b[-1, ]), 2), "block 2", class = "rowsparse_error_block")
  expect_error(bsufs(wrong(function(b) b[, -1]), 2), "block 2", class = "rowsparse_error_block")
  expect_error(bsufs(wrong(function(b) "no"), 2), "block 2", class = "rowsparse_error_block")
  with_hole <- function(b) {
    b[3, 4] <- NA
    b
  }
  expect_error(bsufs(wrong(with_hole), 2), "row 33.*g4", class = "rowsparse_error_nonfinite")
  expect_output(print(in_blocks(x)), "3 blocks, 60 rows")
})

test_that("an error of the reader, in the middle of a solver, is passed on", {
  x <- block_matrix()
  calls <- 0
  failing <- row_blocks(function(i) {
    calls <<- calls + 1
    if (calls > 3) stop("the disk is gone")
    x[30 * (i - 1) + 1:30, ]
  }, c(30, 30))
  expect_error(bsufs(failing, 2), "the disk is gone")
  expect_identical(calls, 4)
  expect_true(bsufs(x, 2)$converged) # nothing is left behind
})

test_that("random starts on blocks do not use threads, and say the same", {
  x <- block_matrix()
  y <- x[, 1] - x[, 2] + sin(1:60)
  ends <- lapply(1:2, function(threads) {
    set.seed(2)
    cdlsr(in_blocks(x), y, 4, start = "random", starts = 5,
      control = rowsparse_control(threads = threads)
    )$selected
  })
  expect_identical(ends[[2]], ends[[1]])
})

test_that("the share explained is that of the whole", {
  set.seed(12)
  x <- sample_matrix(30, 6)
  blocks <- row_blocks(function(i) x[10 * (i - 1) + 1:10, ], rep(10, 3))
  y <- drop(x[, 1] + x[, 2])
  set.seed(1)
  whole <- suppressWarnings(rpfs(x, y, 2))
  set.seed(1)
  expect_equal(suppressWarnings(rpfs(blocks, y, 2))$objective[1], whole$objective[1])
  for (method in list(function(x) css(x, 2), function(x) rfs(x, y), function(x) bsufs(x, 2))) {
    expect_equal(method(blocks)$explained, method(x)$explained, tolerance = 1e-6)
  }
})

test_that("a fingerprint sees every number, and all that are not finite", {
  set.seed(82)
  print_of <- function(x, i = NULL, p = NULL) c_call("C_check_block", x, i, p)$print
  for (n in c(1, 3, 4, 5, 8, 11)) {
    x <- stats::rnorm(n)
    expect_identical(print_of(x), print_of(x + 0))
    changed <- lapply(seq_len(n), function(at) print_of(replace(x, at, x[at] * (1 + 1e-15))))
    expect_length(unique(c(changed, list(print_of(x)))), n + 1)
    whole <- sample.int(100L, n)
    expect_identical(print_of(whole), print_of(as.double(whole)))
    for (bad in c(NA, NaN, Inf, -Inf)) {
      at <- sample.int(n, 1)
      found <- c_call("C_check_block", replace(x, at, bad), NULL, NULL)
      expect_identical(c(found$bad, found$first), c(1, at - 1))
    }
    missing <- c_call("C_check_block", replace(whole, n, NA), NULL, NULL)
    expect_identical(c(missing$bad, missing$first), c(1, n - 1))
    expect_identical(c_call("C_check_block", x, NULL, NULL)[c("bad", "first")],
      list(bad = 0, first = -1)
    )
  }
  x <- stats::rnorm(6)
  expect_false(identical(print_of(x, 0:5, c(0L, 6L)), print_of(x, c(0:4, 6L), c(0L, 6L))))
  expect_false(identical(print_of(x, 0:5, c(0L, 3L, 6L)), print_of(x, 0:5, c(0L, 2L, 6L))))
  expect_false(identical(print_of(x), print_of(x[c(5, 2, 3, 4, 1, 6)]))) # of the same lane
  expect_length(print_of(numeric()), 2L)
})

test_that("counts in row blocks are logged as they are read, and blocks become a matrix", {
  set.seed(3)
  counts <- matrix(stats::rpois(90 * 7, 3), 90, dimnames = list(NULL, paste0("g", 1:7)))
  for (x in list(counts, methods::as(1 * counts, "CsparseMatrix"))) {
    blocks <- row_blocks(function(i) x[c(0, 20, 50)[i] + seq_len(c(20, 30, 40)[i]), ],
      c(20L, 30L, 40L)
    )
    expect_equal(as.matrix(blocks), 1 * counts)
    logged <- log_counts(blocks)
    expect_equal(as.matrix(logged), log_counts(counts))
    expect_equal(as.matrix(logged[2:3]), log_counts(counts)[21:90, ])
    expect_equal(as.matrix(log_counts(blocks, seq_len(90))), log_counts(counts, seq_len(90)))
    expect_warning(expect_identical(log_counts(logged), logged), class = "rowsparse_warning_counts")
  }
  empty <- counts
  empty[33, ] <- 0
  expect_refused(log_counts(row_blocks(empty, rows = 20)), "zero", "sample 33")
  expect_refused(log_counts(blocks, 1:3), "length", "`size_factors`")
  old <- options(rowsparse.memory = 3000)
  on.exit(options(old))
  expect_refused(as.matrix(blocks), "memory", "row blocks")
})
