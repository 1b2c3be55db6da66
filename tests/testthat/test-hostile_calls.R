# What hostile calls of all kinds (make fuzz) found, one test per rule.

core_ends_here()

test_that("no score is above that of a feature ranked before it", {
  falls <- function(fit) all(diff(fit$scores[fit$ranking]) <= 0)
  set.seed(8)
  one <- matrix(stats::rnorm(5), 1)[rep(1, 12), ] + (row(matrix(0, 12, 5)) == 1)
  expect_true(falls(fspca(one, k = 3, m = 1)))
  equal <- suppressWarnings(kmeans_ufs(matrix(stats::rnorm(75), 25), k = 1, clusters = 4))
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

test_that("a sparse matrix with broken slots is refused before names or columns are taken", {
  good <- Matrix::rsparsematrix(12, 5, 0.5)
  fit <- css(good, 2)
  labels <- factor(rep(1:2, 6))
  wrong <- list(Dimnames = list(), i = 1000000L, p = c(0L, 5L, 2L, 9L), x = "a", Dim = c(NA, 5L))
  for (slot in names(wrong)) {
    broken <- good
    attr(broken, slot) <- wrong[[slot]]
    expect_refused(rowsparse(broken, labels, 2, "cdlsr"), "type", "valid sparse matrix")
    expect_refused(rowsparse_path(broken, method = "bsufs"), "type", "valid sparse matrix")
    expect_refused(predict(fit, broken), "type", "`newdata` must be a valid sparse matrix")
  }
  rows <- methods::as(good, "RsparseMatrix")
  expect_equal(as.matrix(predict(fit, rows)), as.matrix(predict(fit, good)))
  attr(rows, "j") <- rep(1000000L, length(rows@j))
  expect_refused(predict(fit, rows), "type", "`newdata` must be a valid sparse matrix")
  bent <- moments(as.matrix(good))
  bent$n <- quote(a)
  expect_refused(rowsparse(bent, labels, k = 2, method = "cdlsr"), "type", "moments")
})

test_that("features beyond a common unit are refused or scaled", {
  set.seed(21)
  x <- matrix(stats::rnorm(75), 25) * 1e-150
  x[1] <- 1e100
  y <- stats::rnorm(25)
  exact <- function(...) cdlsr(..., solver = "exact")
  for (fit in list(cdlsr, exact, pgd, rpfs)) {
    expect_refused(fit(x, y, 1, scale = FALSE), "scale", "factor of 1e140")
    expect_length(fit(x, y, 1, scale = TRUE)$selected, 1)
  }
  expect_refused(css(x, 1), "scale", "column 2")
  expect_refused(cdlsr(moments(x, y), k = 1, scale = FALSE), "scale", "factor of 1e140")
  x[, -1] <- x[, -1] * 1e120
  expect_silent(fit <- cdlsr(x, y, 2, scale = FALSE))
  expect_identical(fit$selected, cdlsr(x * c(1e-100, 1e30, 1e30)[col(x)], y, 2)$selected)
})

test_that("responses beyond a common unit are refused", {
  set.seed(24)
  x <- matrix(stats::rnorm(200), 20)
  y <- matrix(stats::rnorm(40), 20)
  for (fit in list(cdlsr, pgd, rpfs, ipfs)) {
    expect_refused(fit(x, cbind(y[, 1] * 1e300, y[, 2]), 2), "range", "column 2")
    apart <- suppressWarnings(fit(x, cbind(y[, 1] * 1e100, y[, 2]), 2))
    expect_true(all(is.finite(apart$response$explained)))
  }
})

test_that("the residual beside a vanishing penalty is a number", {
  set.seed(25)
  x <- outer(stats::rnorm(8), 1:8)
  for (solver in c("exact", "paper")) {
    fit <- suppressWarnings(spca_psd(x, eta = 1e-320, solver = solver),
      classes = "rowsparse_warning_convergence"
    )
    expect_true(is.finite(fit$kkt) && fit$kkt >= 0)
  }
})

test_that("the residual of spcafs() is a number for any penalty", {
  set.seed(26)
  x <- matrix(stats::rnorm(200), 20)
  for (lambda in c(1e100, 1e200, 1e300)) {
    fit <- spcafs(x, m = 2, lambda = lambda, scale = TRUE)
    expect_lt(fit$kkt, 1e-6)
    expect_identical(fit$status, "converged")
  }
})

test_that("numbers of rows beyond counting are refused without a warning", {
  expect_silent(expect_refused(row_blocks(identity, c(5, 1e300)), "size", "2^31"))
  expect_silent(expect_refused(row_blocks(identity, c(5, Inf)), "type", "number of rows"))
})

test_that("components of a feature beyond all others are explained by it", {
  set.seed(22)
  x <- matrix(stats::rnorm(200), 20)
  x[7] <- 1e100
  for (data in list(x, moments(x))) {
    for (m in 1:3) {
      fit <- css(data, 2, m = m)
      expect_identical(fit$selected[1], 1L)
      expect_equal(fit$explained, 1)
    }
  }
})

test_that("errors that cannot be represented are not drawn", {
  set.seed(23)
  x <- matrix(stats::rnorm(120), 20)
  expect_warning(
    cv <- cv_rowsparse(x, stats::rnorm(20) * 1e160, k = 1:2, method = "cdlsr", folds = 5),
    class = "rowsparse_warning_range"
  )
  expect_refused(plot(cv), "range", "finite errors")
})

test_that("moments of a response are numbers or are refused", {
  set.seed(9)
  x <- matrix(stats::rnorm(60), 12)
  expect_refused(moments(x, x[, 1] * 1e200), "range", "double precision can hold")
  expect_true(all(is.finite(moments(x, x[, 1] * 1e150)$Syy)))
})

test_that("a ratio may be a matrix of one number", {
  set.seed(10)
  expect_silent(simulate_shapes("banana", n = 30, ratio = matrix(2)))
})

test_that("what a method of a fit does not take is refused by name", {
  unsupervised <- suppressWarnings(list(bsufs(iris[, 1:4], m = 2), css(iris[, 1:4], 2)))
  for (fit in unsupervised) {
    expect_refused(coef(fit, k = mean), "argument", "`k` is not an argument of coef()")
    expect_refused(coef(fit, 5), "argument", "which takes no further ones")
  }
  expect_refused(coef(rfs(iris[, 1:4], iris$Species), k = mean), "range", "`k`")
  fit <- unsupervised[[1]]
  expect_refused(predict(fit, iris, k = mean), "range", "`k`")
  expect_refused(predict(fit, iris, 2, typ = "components", what = 1), "argument", "`what`")
  expect_refused(selected(fit, mean), "range", "`k`")
  expect_refused(selected(fit, 2, at = 1), "argument", "`at`")
  expect_refused(summary(fit, k = mean), "range", "`k`")
  expect_refused(summary(fit, digits = 3), "argument", "takes n, k")
  expect_refused(as.data.frame(fit, k = 2), "argument", "`k`")
  expect_identical(nrow(data.frame(fit)), 4L)
  numeric <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
  expect_refused(coef(numeric, k = mean), "range", "`k`")
  expect_refused(coef(numeric, 2, 3), "argument", "takes k")
  expect_refused(summary(numeric, k = 1), "argument", "`k`")
  expect_refused(predict(numeric, iris, type = "response", kk = 1), "argument", "`kk`")
  for (type in c("features", "components", "response")) {
    expect_identical(predict(numeric, iris, 2, type), predict(numeric, iris, k = 2, typ = type))
  }
  cv <- cv_rowsparse(iris[, 1:3], iris$Petal.Width, k = 1:2, method = "cdlsr", folds = 5)
  expect_refused(coef(cv, k = mean), "range", "`k`")
  expect_refused(summary(cv, 3), "argument", "`...`")
  path <- rowsparse_path(iris[, 1:4], method = "bsufs", m = 1, nlambda = 5)
  expect_refused(coef(path, k = 2), "argument", "takes at")
  expect_refused(coef(path, mean), "range", "`at`")
  expect_refused(as.data.frame(path, mean, FALSE, 3), "argument", "`...`")
  tuned <- tune_rowsparse(iris[, 1:4], k = 1:3, subsamples = 2)
  expect_refused(coef(tuned, k = mean), "argument", "`k`")
  expect_refused(selected(tuned, 2, 3), "argument", "`...`")
  expect_refused(as.data.frame(tuned, k = 3), "argument", "`k`")
})

test_that("plots take graphical parameters by name and nothing else", {
  draw_nowhere()
  fit <- bsufs(iris[, 1:4], m = 2)
  path <- rowsparse_path(iris[, 1:4], method = "bsufs", m = 1, nlambda = 5)
  for (type in c("scores", "nonzero", "explained")) {
    expect_refused(plot(path, type, y = 1:5), "argument", "`y`")
    expect_refused(plot(path, type, k = mean), "argument", "`k`")
    expect_silent(plot(path, type, ylab = "height", main = ""))
  }
  expect_silent(plot(path, "explained", ylim = c(0, 2)))
  expect_refused(plot(fit, k = mean), "argument", "`k`")
  expect_refused(plot(fit, "scores", 5, 3, NULL, NULL, NULL, 7), "argument", "by name")
})

test_that("a formula in place of the data is told the way out first", {
  expect_refused(cdlsr(Species ~ ., iris), "type", "takes formulas")
  expect_refused(cdlsr(Species ~ ., iris, k = 2), "type", "takes formulas")
  expect_refused(rfs(Species ~ .), "type", "takes formulas")
  expect_refused(bsufs(~.), "type", "takes formulas")
})
