expect_path_of_sets <- function(path, x, m, ...) {
  unit <- 2^round(log2(max(abs(centred(x)))))
  S <- scatter(x / unit)
  values <- -path$objective / unit^2
  for (at in seq_along(path$grid)) {
    k <- path$grid[at]
    set <- path$selected[[at]]
    expect_length(set, k)
    expect_equal(values[at], components_value(S, m)(set), tolerance = 1e-8)
    cold <- fspca(x, k, min(m, k), ...)
    expect_gte(-path$objective[at], -utils::tail(cold$objective, 1) * (1 - 1e-10))
  }
  expect_true(all(diff(values) >= -1e-10 * max(values)))
}

test_that("no size is worse than a fit of its own, and none than a smaller one", {
  set.seed(141)
  for (family in hostile_families) {
    x <- hostile_matrix(family, d = 9)
    x <- x[, apply(x, 2, stats::var) > 0, drop = FALSE]
    m <- sample(2, 1)
    d <- ncol(x)
    if (d < m + 2 || qr(centred(x))$rank < m) next
    sizes <- unique(c(m, m + 1, min(5, d), d - 1))
    path <- suppressWarnings(rowsparse_path(x, method = "fspca", m = m, k = sizes))
    suppressWarnings(expect_path_of_sets(path, x, m))
  }
  x <- sample_matrix(30, 60, rank = 6)
  path <- rowsparse_path(x, method = "fspca", m = 3, k = c(3, 4, 12, 30, 31))
  expect_path_of_sets(path, x, 3)
  # the default dimension is limited by k
  path <- rowsparse_path(x, method = "fspca", k = 1:5)
  cold <- vapply(1:5, function(k) utils::tail(fspca(x, k)$objective, 1), 0)
  expect_true(all(path$objective <= cold + 1e-10 * abs(cold)))
})

core_ends_here()

test_that("many sizes: sets of a chain, nearly as good, and searches at all sizes with `starts`", {
  x <- from_seed(146, sample_matrix(30, 30, rank = 9))
  S <- scatter(x)
  sizes <- 3:14
  cold <- vapply(sizes, function(k) -utils::tail(fspca(x, k, 3)$objective, 1), 0)
  path <- rowsparse_path(x, method = "fspca", m = 3, k = sizes)
  values <- -path$objective
  expect_equal(values, vapply(path$selected, components_value(S, 3), 0), tolerance = 1e-8)
  expect_identical(lengths(path$selected), sizes)
  expect_true(all(diff(values) >= -1e-10 * max(values)))
  expect_lte(mean(1 - values / cold), 0.005)
  expect_true(all(-path$bound >= pmax(values, cold) * (1 - 1e-9)))
  searched <- rowsparse_path(x, method = "fspca", m = 3, k = sizes, starts = 1)
  expect_true(all(-searched$objective >= cold * (1 - 1e-10)))
  locked <- rowsparse_path(x, method = "fspca", m = 3, k = sizes, include = c(4, 9), exclude = 1)
  expect_true(all(vapply(locked$selected, function(set) all(c(4, 9) %in% set), NA)))
  expect_false(1 %in% unlist(locked$selected))
})

test_that("blocks, whose scatter matrix is not there, give the sets of the data", {
  x <- from_seed(142, sample_matrix(40, 25, rank = 5))
  x[abs(x) < 0.5] <- 0
  sizes <- c(3, 5, 8, 12)
  dense <- rowsparse_path(x, method = "fspca", m = 2, k = sizes)
  blocks <- row_blocks(function(i) x[(20 * i - 19):(20 * i), ], c(20, 20))
  path <- rowsparse_path(blocks, method = "fspca", m = 2, k = sizes)
  expect_equal(path$objective, dense$objective)
  # no columns of S are read: sets grow by their scores
  expect_true(all(diff(-path$objective) > 0))
})

test_that("bounds along a path hold, and never fall", {
  set.seed(143)
  for (m in 1:2) {
    x <- sample_matrix(30, 9)
    S <- scatter(x)
    free <- rowsparse_path(x, method = "fspca", m = m, k = m:8)
    path <- rowsparse_path(x, method = "fspca", m = m, k = m:8, certify = 5)
    best <- vapply(m:8, function(k) {
      max(utils::combn(9, k, components_value(S, m)))
    }, 0)
    for (each in list(free, path)) {
      expect_true(all(-each$bound >= best * (1 - 1e-9)))
      expect_true(all(diff(-each$bound) >= 0))
      expect_equal(each$gap, (each$objective - each$bound) / abs(each$objective))
    }
    expect_equal(-path$objective, best)
    expect_equal(-path$bound, best, tolerance = 1e-8)
  }
  expect_true(all(is.na(rowsparse_path(x, method = "css", k = 2:3)$bound)))
  expect_identical(rowsparse_path(x, method = "fspca", m = 2, k = 3, solver = "go")$objective,
    utils::tail(fspca(x, 3, 2, "go")$objective, 1)
  )
})

test_that("paths of dscofs() over sizes end as low as single fits do", {
  x <- from_seed(145, sample_matrix(30, 20, rank = 6))
  path <- rowsparse_path(x, method = "dscofs", m = 3, k = c(3, 5, 8, 12, 20))
  cold <- vapply(path$grid, function(k) {
    utils::tail(suppressWarnings(dscofs(x, k, m = 3))$objective, 1)
  }, 0)
  expect_lte(mean((path$objective - cold) / abs(cold)), 0.01)
  # other starts, and data of lower rank, size by size
  expect_null(rowsparse:::dscofs_points(rowsparse:::as_data(x), 2:4, list(m = 2,
    start = "leading"
  )))
  low <- unname(sample_matrix(30, 12)[, rep(1:4, 3)])
  expect_identical(lengths(suppressWarnings(
    rowsparse_path(low, method = "dscofs", m = 6, k = 6:9)
  )$selected), 6:9)
})
