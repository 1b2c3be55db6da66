test_that("neighbours are the k nearest, in order, with the names of the samples", {
  set.seed(1)
  x <- matrix(rnorm(40 * 5), 40, dimnames = list(paste0("s", 1:40), NULL))
  near <- neighbours(x, k = 6)
  D <- as.matrix(dist(x))
  expect_identical(dim(near$index), c(40L, 6L))
  expect_identical(rownames(near$index), rownames(x))
  for (i in 1:40) {
    others <- order(D[i, ])[2:7]
    expect_identical(unname(near$index[i, ]), others)
    expect_equal(unname(near$distance[i, ]), unname(D[i, others]))
  }
  expect_equal(near$largest, max(D))
  expect_equal(near$mean, mean(D))
})

test_that("the cosine distance and scaling are those of the centred rows", {
  set.seed(2)
  x <- sweep(matrix(rnorm(30 * 4), 30), 2, c(1, 5, 20, 0.1), "*")
  for (scale in c(FALSE, TRUE)) {
    z <- centred(x, scale)
    expect_equal(neighbours(x, 3, scale = scale)$distance[, 1],
                 apply(as.matrix(dist(z)) + diag(Inf, 30), 1, min), ignore_attr = TRUE)
    z <- z / sqrt(rowSums(z^2))
    near <- neighbours(x, 3, "cosine", scale)
    expect_equal(near$distance[, 3], apply(as.matrix(dist(z)), 1, function(r) sort(r)[4]),
                 ignore_attr = TRUE)
    expect_equal(near$distance[5, 1]^2, 2 - 2 * sum(z[5, ] * z[near$index[5, 1], ]))
  }
})

test_that("all kinds of input have the same neighbours and keep sample names", {
  set.seed(3)
  x <- matrix(rpois(60 * 8, 1), 60, dimnames = list(paste0("cell", 1:60), paste0("g", 1:8)))
  near <- neighbours(x, 5)
  others <- list(
    as.data.frame(x), Matrix::Matrix(x, sparse = TRUE),
    row_blocks(function(i) x[30 * (i - 1) + 1:30, ], c(30, 30))
  )
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    others$experiment <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(x)))
  }
  for (other in others) {
    found <- suppressMessages(neighbours(other, 5), classes = "rowsparse_message_counts")
    expect_identical(unname(found$index), unname(near$index))
    expect_equal(unname(found$distance), unname(near$distance))
    if (!inherits(other, "rowsparse_blocks")) {
      expect_identical(rownames(found$index), rownames(x))
    }
  }
})

test_that("units change nothing but the distances", {
  set.seed(4)
  x <- rbind(matrix(rnorm(50 * 3), 50), 0, 0)
  near <- neighbours(x, 4)
  for (power in c(-495, -60, 60, 495)) {
    found <- neighbours(x * 2^power, 4)
    expect_identical(found$index, near$index)
    expect_equal(found$distance / 2^power, near$distance)
  }
  shifted <- neighbours(x + 1e6, 4)
  expect_equal(shifted$distance, near$distance, tolerance = 1e-6)
  expect_identical(shifted$distance[51:52, 1], c(0, 0))
})

test_that("neighbours print, and become a table", {
  x <- data.frame(a = c(1, 2, 4, 8, 8), b = 0:4 * 0, row.names = letters[1:5])
  expect_warning(near <- neighbours(x, 2), class = "rowsparse_warning_constant")
  expect_output(print(near), "the 2 nearest (euclidean) of each of 5 samples", fixed = TRUE)
  expect_output(print(near), "2 samples with a copy among the others")
  table <- as.data.frame(near)
  expect_identical(table$sample, rep(letters[1:5], each = 2))
  expect_identical(table$neighbour[1:4], c("b", "c", "a", "c"))
  expect_equal(table$distance[1:4], c(1, 3, 1, 2))
  expect_identical(table$neighbour[7:10], c("e", "c", "d", "c"))
  expect_identical(as.data.frame(neighbours(unname(as.matrix(x[1])), 1))$neighbour,
                   c(2L, 1L, 2L, 5L, 4L))
  expect_message(neighbours(x[1], 1, control = list(verbose = TRUE)), "1 nearest")
})

test_that("neighbours may be all others", {
  x <- matrix(c(1, 5, 2, 8), 4)
  expect_identical(neighbours(x, 3)$index, rbind(c(3L, 2L, 4L), c(3L, 4L, 1L), c(1L, 2L, 4L),
                                                 c(2L, 3L, 1L)))
  expect_identical(neighbours(x[1:2, , drop = FALSE], 1)$index, cbind(2:1))
})

# ---- approximate search -----------------------------------------------------------

# groups of samples around 20 centres
groups_of_samples <- function(n, d) {
  matrix(rnorm(20 * d, sd = 3), 20)[sample(20, n, TRUE), ] + matrix(rnorm(n * d), n)
}

# share of the neighbours that the exact search finds
recall_of <- function(near, exact) {
  mean(vapply(seq_len(near$n), function(i) mean(exact$index[i, ] %in% near$index[i, ]), 0))
}

# what every result of the approximate search is, for dense data x of the same samples
expect_sound_search <- function(near, x, least = 0.95, z = centred(x, FALSE)) {
  expect_false(any(near$index == row(near$index)))
  expect_true(all(apply(near$index, 1, anyDuplicated) == 0))
  expect_true(all(near$distance[, -1] >= near$distance[, -near$k]))
  if (near$metric == "cosine") z <- z / sqrt(rowSums(z^2))
  D <- as.matrix(dist(z))
  expect_equal(as.vector(near$distance), D[cbind(as.vector(row(near$index)),
                                                 as.vector(near$index))])
  expect_equal(near$rms, sqrt(mean(D^2)))
  nearest <- t(apply(D + diag(Inf, nrow(D)), 1, order))[, seq_len(near$k), drop = FALSE]
  expect_gt(recall_of(near, list(index = nearest)), least)
}

test_that("the approximate search finds nearly all, in both metrics, the same in every call", {
  skip_if_not_installed("RcppHNSW")
  set.seed(5)
  x <- groups_of_samples(800, 12)
  rownames(x) <- paste0("s", 1:800)
  for (metric in c("euclidean", "cosine")) {
    near <- neighbours(x, 8, metric, search = "approximate")
    expect_sound_search(near, x)
    expect_identical(dimnames(near$index), list(rownames(x), NULL))
    expect_identical(near[c("search", "components", "space")],
                     list(search = "approximate", components = NA_integer_, space = "data"))
    expect_identical(c(near$largest, near$mean), c(NA_real_, NA_real_))
    again <- neighbours(x, 8, metric, search = "approximate")
    expect_identical(again[c("index", "distance", "rms")], near[c("index", "distance", "rms")])
  }
  scaled <- neighbours(x %*% diag(2^(1:12)), 5, scale = TRUE, search = "approximate")
  expect_sound_search(scaled, x, z = centred(x, TRUE))
  tiny <- neighbours(x * 2^-400, 8, "euclidean", search = "approximate")
  tiny$distance <- tiny$distance * 2^400
  tiny$rms <- tiny$rms * 2^400
  expect_sound_search(tiny, x)
  exact <- neighbours(x, 8)
  expect_identical(exact$search, "exact")
  expect_null(exact$components)
})

test_that("the approximate search goes by components where there are many features", {
  skip_if_not_installed("RcppHNSW")
  set.seed(6)
  x <- cbind(groups_of_samples(600, 10), matrix(rnorm(600 * 300, sd = 0.1), 600))
  near <- neighbours(x, 6, search = "approximate")
  expect_identical(near$components, 50L)
  expect_sound_search(near, x, 0.9)
  expect_output(print(near), "Searched by the scores of 50 components")
  near <- neighbours(x, 6, "cosine", search = "approximate", components = 10)
  expect_identical(near$components, 10L)
  expect_sound_search(near, x, 0.9)
})

test_that("sparse data, levels of a block and row blocks are searched approximately", {
  skip_if_not_installed("RcppHNSW")
  set.seed(7)
  x <- round(pmax(groups_of_samples(600, 20), 0))
  for (metric in c("euclidean", "cosine")) {
    near <- neighbours(Matrix::Matrix(x, sparse = TRUE), 6, metric, search = "approximate")
    expect_identical(near$components, 20L)
    expect_sound_search(near, x)
  }
  level <- rep(1:3, 200)
  z <- x - rowsum(x, level)[level, ] / 200
  for (data in list(x + 5 * level, Matrix::Matrix(x + 5 * level, sparse = TRUE))) {
    near <- neighbours(data, 6, block = level, search = "approximate")
    expect_sound_search(near, x, z = z)
  }
  blocks <- row_blocks(function(i) x[200 * (i - 1) + 1:200, ], rep(200, 3))
  near <- neighbours(blocks, 6, search = "approximate")
  expect_identical(near$space, "components")
  expect_sound_search(near, x)
  expect_output(print(near), "whose distances these are")
  few <- neighbours(blocks, 6, search = "approximate", components = 3)
  scores <- svd(centred(x, FALSE), nv = 0, nu = 3)
  scores <- sweep(scores$u, 2, scores$d[1:3], "*")
  expect_equal(few$distance[7, ], sqrt(colSums((t(scores)[, few$index[7, ]] - scores[7, ])^2)),
               tolerance = 1e-3)
})

test_that("every sample has k approximate neighbours, copies or not", {
  skip_if_not_installed("RcppHNSW")
  set.seed(8)
  x <- matrix(rnorm(5 * 3), 5)[rep(1:5, each = 60), ]
  near <- neighbours(x, 70, search = "approximate")
  expect_identical(dim(near$index), c(300L, 70L))
  expect_false(any(near$index == row(near$index)))
  expect_equal(near$distance, neighbours(x, 70)$distance)
  expect_identical(neighbours(x[c(1, 61), ], 1, search = "approximate")$index, cbind(2:1))
  few <- cbind(c(1, 5, 2, 8))
  expect_identical(neighbours(few, 3, search = "approximate")$index, neighbours(few, 3)$index)
})

test_that("approximate neighbours print, and make an embedding", {
  skip_if_not_installed("RcppHNSW")
  set.seed(9)
  x <- groups_of_samples(300, 5)
  near <- neighbours(x, 6, search = "approximate")
  expect_output(print(near), "the 6 nearest (euclidean, approximate) of each of 300 samples",
                fixed = TRUE)
  expect_output(print(near), "of all pairs, root mean square")
  expect_identical(summary(near)$search, rep("approximate", 6))
  expect_identical(nrow(as.data.frame(near)), 1800L)
  for (weights in c("heat", "self_tuning", "can")) {
    fit <- spectral_embedding(x, 2, 5, weights, regularization = 0.1, search = "approximate")
    exact <- spectral_embedding(x, 2, 5, weights, t = if (weights == "heat") near$rms,
                                regularization = 0.1)
    expect_equal(fit$values, exact$values, tolerance = 1e-3)
    again <- spectral_embedding(near, 2, 5, weights, regularization = 0.1)
    expect_equal(again$values, fit$values)
    expect_identical(again$parameters$search, "approximate")
  }
  expect_output(print(fit), "5 approximate neighbours")
})

test_that("bad requests of an approximate search are refused", {
  x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 6)
  expect_refused(neighbours(x, 2, search = "fast"), "choice", "\"exact\", \"approximate\"")
  expect_refused(neighbours(x, 2, components = 2), "argument", "search = \"approximate\"")
  expect_refused(spectral_embedding(neighbours(x, 2), 1, 2, search = "exact"), "argument", "search")
  skip_if_not_installed("RcppHNSW")
  expect_refused(neighbours(x, 2, search = "approximate", components = 3), "range", "1 to 2; got 3")
  expect_refused(neighbours(moments(x), 2, search = "approximate"), "type", "samples")
  near <- neighbours(x, 2, search = "approximate")
  near$rms <- NULL
  expect_refused(print(near), "object", "`rms`")
})

test_that("an approximate search needs RcppHNSW", {
  absent <- list(check_installed = function(package, purpose) {
    check_installed(paste0("no.such.", package), purpose)
  })
  alone <- check_search
  environment(alone) <- list2env(absent, parent = environment(check_search))
  expect_refused(alone("approximate"), "package", "must be installed for search = \"approximate\"")
  expect_identical(alone("exact"), "exact")
})
