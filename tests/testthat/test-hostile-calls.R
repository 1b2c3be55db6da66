# What hostile calls of all kinds (make fuzz) found, one test per rule.

test_that("no score is above that of a feature ranked before it", {
  falls <- function(fit) all(diff(fit$scores[fit$ranking]) <= 0)
  set.seed(8)
  one <- matrix(stats::rnorm(5), 1)[rep(1, 12), ] + (row(matrix(0, 12, 5)) == 1)
  expect_true(falls(fspca(one, m = 1, k = 3)))
  equal <- suppressWarnings(kmeans_ufs(matrix(stats::rnorm(75), 25), clusters = 4, k = 1))
  expect_true(falls(equal))
  set.seed(1)
  x <- matrix(stats::rnorm(60 * 5), 60)
  x <- cbind(3 * x[, 1] + matrix(stats::rnorm(60 * 4, sd = 0.1), 60), 2 * x[, 2:3], x[, 4:5])
  free <- rowsparse(x, k = 4, method = "bsufs", m = 3)
  diverse <- rowsparse(x, k = 4, method = "bsufs", m = 3, diverse = TRUE)
  expect_false(setequal(free$selected, diverse$selected))
  expect_true(falls(diverse))
  expect_identical(diverse$scores[diverse$selected], free$scores[diverse$selected])
})

test_that("a sparse matrix that lacks a slot is refused, wherever it goes", {
  x <- Matrix::Matrix(stats::rnorm(60), 12, sparse = TRUE)
  for (slot in c("i", "p", "x", "Dim", "Dimnames")) {
    broken <- x
    attr(broken, slot) <- NULL
    expect_refused(css(broken, 2), "type", "valid sparse matrix")
    expect_refused(rowsparse(broken, k = 2), "type", "valid sparse matrix")
    expect_refused(moments(broken), "type", "valid sparse matrix")
  }
})

test_that("moments of a response are numbers or are refused", {
  set.seed(9)
  x <- matrix(stats::rnorm(60), 12)
  expect_refused(moments(x, x[, 1] * 1e200), "range", "double precision can hold")
  expect_true(all(is.finite(moments(x, x[, 1] * 1e150)$Syy)))
})

test_that("a summary, a grid and a factor taken apart by hand are refused", {
  fit <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
  for (part in c("path", "fragility", "r2", "line")) {
    bent <- summary(fit)
    bent[[part]] <- mean
    expect_refused(print(bent), "object", part)
  }
  bent <- summary(css(iris[, 1:4], 2))
  bent$nonzero <- 1e300
  expect_refused(print(bent), "object", "nonzero")
  grid <- spca_psd(iris[, 1:4], lambda = c(1, 0.1))
  grid$elapsed <- "a"
  expect_refused(print(grid), "object", "elapsed")
  fit <- spca_psd(iris[, 1:4])
  fit$factor <- matrix(1)
  expect_refused(omega(fit), "object", "factor")
})

test_that("tables of labels that do not fit into memory are refused", {
  skip_if_not_installed("clue")
  expect_refused(nmi(1:1e6, 1:1e6), "memory", "GB")
  expect_refused(clustering_accuracy(1:1e6, 1:1e6), "memory", "GB")
})

test_that("a path without labels is drawn, and y is no argument of a plot", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  path <- rowsparse_path(iris[, 1:4], method = "bsufs", m = 1, nlambda = 5)
  expect_silent(plot(path, labels = 0))
  expect_refused(plot(bsufs(iris[, 1:4], m = 2), y = 1:10), "argument", "y")
})

test_that("a ratio may be a matrix of one number", {
  set.seed(10)
  expect_silent(simulate_shapes("banana", n = 30, ratio = matrix(2)))
})
