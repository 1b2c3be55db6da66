# a small labelled table that every method can fit
labelled_data <- function(n = 40, d = 20) {
  set.seed(71)
  x <- sample_matrix(n, d)
  list(x = x, y = factor(x[, 1] + x[, 3] > 0))
}

core_ends_here()

test_that("the table of methods is complete and true", {
  methods <- rowsparse_methods()
  expect_named(methods, c(
    "method", "title", "family", "sees", "supervised", "response", "exact_k", "input",
    "include", "groups", "cost", "reference"
  ))
  expect_identical(anyDuplicated(methods$method), 0L)
  expect_setequal(intersect(methods$method, getNamespaceExports("rowsparse")), c(
    "alignment", "bsufs", "cdlsr", "css", "dscofs", "fspca", "kmeans_ufs", "spca_psd", "spcafs",
    "rfs", "pgd", "rowsparse_glm", "lapscore", "mcfs", "ftest", "variance"
  ))
  expect_type(methods$supervised, "logical")
  expect_true(all(nzchar(as.matrix(methods[c("title", "input", "include", "cost", "reference")]))))
})

test_that("the default goes by the data, has one name everywhere, and print() says the call", {
  x <- labelled_data()$x
  y <- x[, 1] + x[, 3] + stats::rnorm(40) / 9
  class <- factor(y > 0)
  many <- gl(4, 10)
  wide <- unname(cbind(x, x^2))[c(1, 2, 39, 40), ]
  sparse <- methods::as(x, "CsparseMatrix")
  table <- data.frame(x[, 1:5], of = factor(rep(c("a", "b", "c"), length.out = 40)), y = y)
  asked <- expression(
    alignment = list(x), alignment = list(x, cbind(y, y^2)), cdlsr = list(x, y),
    cdlsr = list(x, class), cdlsr = list(x, many), cdlsr = list(sparse, y),
    alignment = list(x[1:5, ], y[1:5]), alignment = list(wide, gl(2, 2)),
    cdlsr = list(y ~ ., data = table), alignment = list(table),
    css = list(moments(x)), cdlsr = list(moments(x, y)), cdlsr = list(moments(x, class)),
    cdlsr = list(moments(rbind(x, x), rep(y, 2)))
  )
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    object <- SummarizedExperiment::SummarizedExperiment(
      list(logcounts = `dimnames<-`(t(x), list(paste0("gene", seq_len(ncol(x))), NULL)))
    )
    asked <- c(asked, expression(fspca = list(object), alignment = list(object, class)))
  }
  set.seed(1)
  before <- .Random.seed
  for (at in seq_along(asked)) {
    call <- asked[[at]]
    call[[1]] <- quote(rowsparse)
    call$k <- 3
    fit <- suppressMessages(suppressWarnings(eval(call)))
    expect_identical(class(fit), c(names(asked)[at], "rowsparse"))
    # the call by name stands between two lines of the print
    shown <- utils::capture.output(print(fit))
    lines <- shown[(grep("^Call by name", shown) + 1L):(grep("^Next", shown) - 1L)]
    named <- parse(text = lines)[[1]]
    expect_identical(named$method, names(asked)[at])
    call$method <- "default"
    for (same in list(named, call)) {
      other <- suppressMessages(suppressWarnings(eval(same)))
      expect_identical(other[c("selected", "parameters")], fit[c("selected", "parameters")],
        info = deparse1(same)
      )
    }
    call[[1]] <- quote(rowsparse_path)
    call$k <- 2:3
    expect_identical(suppressMessages(suppressWarnings(eval(call)))$method, names(asked)[at])
  }
  expect_identical(.Random.seed, before)
  expect_null(rowsparse(x, k = 3, method = "css")$default)
})

test_that("the front door gives what the method itself gives", {
  x <- labelled_data()$x
  expect_identical(rowsparse(x, k = 5, method = "css", m = 4)$selected,
                   css(x, 5, 4, solver = "forward")$selected)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 3, scale = TRUE)
  direct <- bsufs(x, 3, scale = TRUE)
  expect_identical(fit$ranking, direct$ranking)
  expect_identical(fit$parameters$m, 3L)
  expect_equal(fit$scale, direct$scale)
})

test_that("the default penalty is lowered until k features have a score", {
  set.seed(72)
  x <- sample_matrix(60, 40, rank = 3, noise = 0.05)
  few <- sum(bsufs(x, 3)$scores > 0)
  expect_lt(few, 40)
  fit <- rowsparse(x, k = 40, method = "bsufs", m = 3)
  expect_true(all(fit$scores > 0))
  expect_lt(fit$parameters$lambda1, bsufs(x, 3)$parameters$lambda1)
  # but not when it was given
  largest <- fit$parameters$lambda1_max
  expect_warning(
    fit <- rowsparse(x, k = 40, method = "bsufs", m = 3, lambda1 = largest),
    class = "rowsparse_warning_fill"
  )
  expect_identical(fit$parameters$lambda1, largest)
  expect_length(fit$selected, 40)
})

test_that("the default of k gives way and a request does not", {
  x <- as.matrix(iris[, 1:4])
  expect_length(rowsparse(x)$selected, 4)
  expect_error(rowsparse(x, k = 5), class = "rowsparse_error_range")
})

test_that("the default dimension is the corner of the spectrum", {
  set.seed(74)
  x <- sample_matrix(200, 40, rank = 4, noise = 0.05)
  all <- sort(eigen(scatter(x))$values, decreasing = TRUE)
  values <- log(all[1:30])
  chord <- values[1] + (values[30] - values[1]) * (0:29) / 29
  expect_identical(rowsparse(x, k = 5, method = "bsufs")$parameters$m, which.max(chord - values))
  # the components that carry 90% of the variance
  share <- cumsum(all) / sum(centred(x)^2)
  expect_identical(rowsparse(x, k = 5, method = "css")$parameters$m, which(share >= 0.9)[1])
})

# ---- the redundancy guard ------------------------------------------------------

# one feature after the other, by lm.fit
plain_diverse <- function(x, ranking, k, threshold) {
  taken <- integer()
  x <- centred(x)
  n <- nrow(x)
  for (j in ranking) {
    if (length(taken) == k) break
    t <- length(taken)
    share <- if (t == 0) {
      0
    } else if (t >= n - 1) {
      -Inf
    } else {
      rss <- sum(stats::lm.fit(x[, taken, drop = FALSE], x[, j])$residuals^2)
      1 - (rss / (n - 1 - t)) / (sum(x[, j]^2) / (n - 1))
    }
    if (share < threshold) taken <- c(taken, j)
  }
  taken
}

test_that("the guard agrees with one regression after the other", {
  set.seed(75)
  x <- sample_matrix(50, 150, rank = 12, noise = 0.4)
  x[, 4] <- x[, 3]
  ranking <- sample.int(150)
  for (threshold in c(0.5, 0.95)) {
    expected <- plain_diverse(x, ranking, 30, threshold)
    for (data in list(x, methods::as(x, "CsparseMatrix"), moments(x))) {
      found <- diverse_features(as_data(data), ranking, 30, threshold)
      expect_identical(found$selected[seq_along(expected)], expected)
      expect_length(found$selected, 30)
      expect_identical(found$filled, 30L - length(expected))
      expect_length(intersect(found$skipped, found$selected), 0)
    }
  }
})

test_that("a guard that runs out of features says so", {
  set.seed(78)
  x <- matrix(stats::rnorm(40), 40) %*% t(1:6) + 1e-3 * stats::rnorm(240)
  expect_warning(fit <- rowsparse(x, k = 3, method = "bsufs", m = 1, diverse = TRUE),
                 class = "rowsparse_warning_fill")
  expect_length(fit$selected, 3)
  expect_identical(fit$diverse$filled, 2L)
})
