# the products of the core for a plain BLAS, against R's own sums

tiled_gemm <- function(trans, size, alpha, A, B, C) {
  c_call("C_tiled_gemm", trans, as.integer(size), alpha, A, B, C)
}

# sum_l op(A)[i, l] op(B)[l, j] without any BLAS
plain_product <- function(trans, size, A, B) {
  if (trans[1] == "T") A <- t(A)
  if (trans[2] == "T") B <- t(B)
  total <- matrix(0, size[1], size[2])
  for (l in seq_len(size[3])) {
    total <- total + outer(A[seq_len(size[1]), l], B[l, seq_len(size[2])])
  }
  total
}

# a matrix that holds op(A) of these sizes and `more` unused rows
operand <- function(trans, rows, cols, more) {
  size <- if (trans == "T") c(cols + more, rows) else c(rows + more, cols)
  matrix(rnorm(prod(size)), size[1], size[2])
}

expect_product <- function(trans, size, more = 0, alpha = 1) {
  A <- operand(trans[1], size[1], size[3], more)
  B <- operand(trans[2], size[3], size[2], 2 * more)
  C <- operand("N", size[1], size[2], more)
  rows <- seq_len(size[1])
  expected <- C
  expected[rows, ] <- C[rows, ] + alpha * plain_product(trans, size, A, B)
  found <- tiled_gemm(trans, size, alpha, A, B, C)
  expect_lte(max(0, abs(found - expected)), 1e-12 * (1 + size[3]))
  expect_identical(found[-rows, ], C[-rows, ]) # nothing behind the rows is touched
}

kinds <- list(c("N", "N"), c("T", "N"), c("N", "T"))

test_that("tiled products are products on every edge of the tiles", {
  set.seed(1)
  for (trans in kinds) {
    for (rows in c(1:4, 7:9, 17)) {
      for (cols in c(1:4, 15:18)) {
        for (inner in c(1, 2, 5)) expect_product(trans, c(rows, cols, inner))
      }
    }
    for (inner in c(127:129, 255:257, 300)) {
      for (rows in c(3, 8, 11)) expect_product(trans, c(rows, 17, inner), more = 3, alpha = -0.7)
    }
  }
})

test_that("tiled products of no rows, columns or terms leave what there is", {
  for (trans in kinds) {
    for (size in list(c(0, 3, 2), c(3, 0, 2), c(3, 2, 0))) expect_product(trans, size)
  }
})

test_that("NaN and Inf come through a tiled product where they belong, zeros or not", {
  set.seed(2)
  for (trans in kinds) {
    size <- c(19, 17, 130)
    for (bad in c(NaN, Inf)) {
      A <- operand(trans[1], size[1], size[3], 0)
      B <- operand(trans[2], size[3], size[2], 0)
      B[] <- 0
      at <- if (trans[1] == "T") c(129, 18) else c(18, 129) # row 18 of op(A), term 129
      A[at[1], at[2]] <- bad
      found <- tiled_gemm(trans, size, 1, A, B, matrix(1, size[1], size[2]))
      expect_true(all(is.nan(found[18, ])))
      expect_true(all(found[-18, ] == 1))
    }
  }
})

test_that("equal columns have equal tiled products wherever they stand", {
  set.seed(3)
  A <- matrix(rnorm(40 * 301), 40)
  b <- rnorm(301)
  found <- tiled_gemm(c("N", "N"), c(40, 19, 301), 1, A, matrix(b, 301, 19), matrix(0, 40, 19))
  expect_equal(found, matrix(found[, 1], 40, 19), tolerance = 1e-14)
  found <- tiled_gemm(c("T", "N"), c(40, 19, 301), 1, t(A), matrix(b, 301, 19), matrix(0, 40, 19))
  expect_equal(found, matrix(found[, 1], 40, 19), tolerance = 1e-14)
})

test_that("tiled squares fill the upper triangle and nothing else", {
  set.seed(4)
  for (trans in c("T", "N")) {
    for (p in c(1:4, 15:18, 33)) {
      for (inner in c(0, 1, 7, 260)) {
        A <- operand(trans, p, inner, 2)
        C <- operand("N", p, p, 1)
        found <- c_call("C_tiled_syrk", trans, as.integer(c(p, inner)), A, C)
        other <- if (trans == "T") "N" else "T"
        square <- plain_product(c(trans, other), c(p, p, inner), A, A)
        upper <- row(C) <= col(C)
        expected <- C
        expected[upper] <- C[upper] + square[upper.tri(square, TRUE)]
        expect_lte(max(abs(found - expected)), 1e-12 * (1 + inner))
        expect_identical(found[!upper], C[!upper])
      }
    }
  }
})

test_that("tiled products with a vector are products", {
  set.seed(5)
  for (rows in c(0:3, 8, 1023:1026)) {
    for (cols in c(0:7, 13)) {
      A <- operand("N", rows, cols, 2)
      used <- A[seq_len(rows), , drop = FALSE]
      for (trans in c("N", "T")) {
        op <- if (trans == "T") t(used) else used
        x <- rnorm(ncol(op))
        y <- rnorm(nrow(op))
        found <- c_call("C_tiled_gemv", trans, as.integer(c(rows, cols)), 0.3, A, x, y)
        expect_lte(max(0, abs(found - y - 0.3 * rowSums(sweep(op, 2, x, "*")))), 1e-11)
      }
    }
  }
  for (n in c(0:17, 1001)) {
    x <- rnorm(n)
    y <- rnorm(n)
    expect_equal(c_call("C_tiled_dot", x, y), sum(x * y), tolerance = 1e-12)
  }
  expect_true(is.nan(c_call("C_tiled_dot", c(Inf, 1), c(0, 1))))
})

test_that("methods give the same with products of either kind", {
  set.seed(6)
  x <- sample_matrix(60, 90, 4, 1)
  labels <- rep(1:3, 20)
  was <- c_call("C_blas_is_plain", NULL)
  on.exit(c_call("C_blas_is_plain", was))
  fits <- lapply(c(TRUE, FALSE), function(plain) {
    c_call("C_blas_is_plain", plain)
    list(bsufs(x, 3), dscofs(x, 20, 3), css(x, 10, m = Inf), cdlsr(x, labels, 8))
  })
  for (i in seq_along(fits[[1]])) {
    tiled <- fits[[1]][[i]]
    blas <- fits[[2]][[i]]
    expect_setequal(selected(tiled, 8), selected(blas, 8))
    expect_equal(utils::tail(tiled$objective, 1), utils::tail(blas$objective, 1),
      tolerance = 1e-6
    )
  }
})

test_that("the reference BLAS is told from others by its file", {
  plain <- function(file, size = 4e5, choice = "auto") {
    rowsparse:::is_plain_blas(file, size, choice)
  }
  for (file in c(
    "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0", "/usr/lib64/R/lib/libRblas.so",
    "/Library/Frameworks/R.framework/Resources/lib/libRblas.0.dylib",
    "C:/Program Files/R/R-4.4.1/bin/x64/Rblas.dll"
  )) {
    expect_true(plain(file))
    expect_false(plain(file, 3e7)) # OpenBLAS under its name
    expect_false(plain(file, NA))
    expect_false(plain(file, choice = "blas"))
  }
  for (file in c(
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", "/opt/mkl/lib/libmkl_rt.so",
    "/usr/lib64/libflexiblas.so.3", "/usr/lib/atlas/libblas.so.3", "/usr/lib/libR.so", "",
    "/Library/Frameworks/R.framework/Resources/lib/libRblas.vecLib.dylib"
  )) {
    expect_false(plain(file))
    expect_true(plain(file, choice = "tiled"))
  }
})

test_that("threads are held back only beside threads of a BLAS that cannot be held", {
  threaded <- function(file, held = NA, limits = "") {
    rowsparse:::is_blas_threaded(file, held, limits)
  }
  was <- c_call("C_blas_is_plain", NULL)
  on.exit(c_call("C_blas_is_plain", was))
  c_call("C_blas_is_plain", FALSE)
  expect_true(threaded("C:/R/bin/x64/openblas/Rblas.dll"))
  expect_true(threaded("/usr/lib64/libflexiblas.so.3", limits = c("", "2")))
  expect_false(threaded("/usr/lib64/libflexiblas.so.3", limits = c("", "1")))
  expect_false(threaded("/usr/lib/openblas/libblas.so.3", held = 4L))
  expect_false(threaded("/usr/lib64/libblis.so"))
  c_call("C_blas_is_plain", TRUE)
  expect_false(threaded("/usr/lib64/libflexiblas.so.3"))

  expect_identical(rowsparse:::threads_beside_blas(3L, FALSE), 3L)
  expect_identical(rowsparse:::threads_beside_blas(1L, TRUE), 1L)
  expect_warning(held <- rowsparse:::threads_beside_blas(3L, TRUE),
    class = "rowsparse_warning_threads"
  )
  expect_identical(held, 1L)
})

test_that("the BLAS has its threads back after random starts", {
  set.seed(7)
  x <- sample_matrix(40, 60)
  had <- c_call("C_blas_threads", 2L)
  if (!is.na(had)) on.exit(c_call("C_blas_threads", had))
  expected <- if (is.na(had)) NA_integer_ else 2L # NA: a BLAS that does not tell
  expect_identical(c_call("C_blas_threads", NULL), expected)
  cdlsr(x, rep(1:2, 20), 5, starts = 4, control = rowsparse_control(threads = 2))
  expect_identical(c_call("C_blas_threads", NULL), expected)
})

test_that("the BLAS that is held for one product has its threads back", {
  had <- c_call("C_blas_threads", 2L)
  if (!is.na(had)) on.exit(c_call("C_blas_threads", had))
  held <- c_call("C_blas_held")
  if (is.na(had)) {
    expect_identical(held, c(0L, 0L))
  } else {
    # one with threads of OpenBLAS, all with those of OpenMP
    own <- grepl("openblas-pthread", rowsparse:::blas_file())
    expect_true(held[1] %in% if (own) 1L else 1:2)
    expect_identical(held[2], 2L)
  }
  threads <- c_call("C_blas_threads", NULL)
  fspca(iris[, 1:4], k = 2, m = 1, solver = "exact")
  x <- sample_matrix(60, 200)
  expect_equal(moments(x)$S, crossprod(scale(x, scale = FALSE)), ignore_attr = TRUE)
  expect_identical(c_call("C_blas_threads", NULL), threads)
})
