core_ends_here()

test_that("censored times are refused with what to use instead", {
  x <- sample_matrix(20, 6)
  times <- structure(cbind(time = 1:20, status = rep(0:1, 10)), class = "Surv")
  for (method in c("cdlsr", "rfs", "alignment")) {
    expect_refused(rowsparse(x, times, k = 2, method = method), "type",
      "residuals(survival::coxph(y ~ 1), type = \"martingale\")"
    )
  }
  expect_refused(cdlsr(x, times, 2), "type", "censored times")
  expect_refused(moments(x, times), "type", "censored times")
  expect_refused(alignment(x, times, 2), "type", "censored times")
})

test_that("responses that could be meant otherwise are told what they are taken for", {
  set.seed(321)
  x <- sample_matrix(24, 6)
  steps <- factor(rep(1:3, 8), ordered = TRUE)
  expect_message(fit <- rowsparse(x, steps, k = 2, method = "cdlsr"), "classes without an order",
    class = "rowsparse_message_response"
  )
  expect_identical(class(predict(fit)), "factor")
  expect_identical(fit$response$levels, levels(steps))
  counts <- cbind(rep(0:3, 6), rep(5:2, each = 6)) + 0
  expect_message(rowsparse(x, counts, k = 2, method = "cdlsr"), "rowSums\\(y\\)",
    class = "rowsparse_message_response"
  )
  expect_message(fit <- rowsparse(x, rep(c(0, 1), 12), k = 2, method = "cdlsr"), "factor\\(y\\)",
    class = "rowsparse_message_response"
  )
  expect_identical(fit$response$type, "numeric")
  flags <- rep(c(TRUE, FALSE), 12)
  for (y in list(x[, 1], factor(rep(1:3, 8)), flags, cbind(flags + 0, 1 - flags))) {
    expect_no_message(rowsparse(x, y, k = 2, method = "cdlsr"))
  }
  # a method without labels does not use it
  expect_no_message(rowsparse(x, steps, k = 2, method = "css", scale = TRUE))
})

test_that("missing values are counted by rows and columns, and the lines lead on", {
  set.seed(322)
  x <- sample_matrix(30, 6)
  y <- x[, 1]
  x[3, 2] <- NA
  x[3, 5] <- NaN
  x[9, 2] <- Inf
  counted <- "3 of them, the first at row 3"
  spread <- "they are in 2 of 30 rows (3, 9) and 2 of 6 columns (\"g2\", \"g5\")"
  expect_refused(rowsparse(x, k = 2), "nonfinite", counted)
  for (bad in list(x, as.data.frame(x), methods::as(x, "CsparseMatrix"))) {
    expect_refused(css(bad, 2), "nonfinite", spread)
  }
  expect_refused(moments(x), "nonfinite", spread)
  expect_refused(css(x, 2), "nonfinite", "keep <- rowSums(!is.finite(as.matrix(x))) == 0")
  keep <- rowSums(!is.finite(as.matrix(x))) == 0
  expect_identical(cdlsr(x[keep, ], y[keep], 2)$n, 28L)
  full <- replace(x, !is.finite(x), 0)
  y[4] <- NA
  expect_refused(cdlsr(full, y, 2), "nonfinite", "`keep <- !is.na(y)`, then `x[keep, ]`")
  labels <- factor(rep(c("a", "b", NA), 10))
  expect_refused(cdlsr(full, labels, 2), "nonfinite", "10 of them, the first at 3")
  expect_refused(cdlsr(full, labels, 2), "nonfinite", "`keep <- !is.na(y)`")
  Y <- cbind(y, 1:30)
  expect_refused(cdlsr(full, Y, 2), "nonfinite", "keep <- rowSums(!is.finite(as.matrix(y))) == 0")
})

test_that("responses so large beside the features that no prediction is a number are refused", {
  set.seed(8)
  x <- 1e-150 * matrix(sample(0:1, 200, TRUE), 20)
  expect_refused(suppressWarnings(cv_rowsparse(x, 1e160 * stats::rnorm(20), k = 2)), "range", "y")
})

test_that("every entry takes or refuses a kind of response by one rule", {
  set.seed(323)
  x <- sample_matrix(30, 8)
  entries <- list(
    function(y) rowsparse(x, y, k = 2), function(y) rowsparse(x, y, k = 2, method = "ftest"),
    function(y) rfs(x, y), function(y) alignment(x, y, 2), function(y) cdlsr(moments(x, y), k = 2),
    function(y) cv_rowsparse(x, y, k = 1:2), function(y) selection_error(x, y, k = 2),
    function(y) tune_rowsparse(x, y, 1:2, criterion = "error", subsamples = 2),
    function(y) rowsparse_path(x, y, k = 1:2)
  )
  refused <- list(
    list(structure(cbind(time = 1:30, status = 0:1), class = "Surv"), "type", "censored times"),
    list(rep(3, 30), "constant", "must vary"),
    list(cbind(1:30, 2), "constant", "column 2"),
    list(factor(rep("a", 30)), "constant", "must"),
    list(factor(1:30), "constant", "as many classes as samples"),
    list(as.character(sin(1:30)), "constant", "as.numeric()"),
    list(as.difftime(1:30, units = "hours"), "type", "as.numeric(y) makes numbers"),
    list(Sys.Date() + 1:30, "type", "as.numeric(y) makes numbers"),
    list(complex(30, 1:30), "type", "numeric vector")
  )
  for (entry in entries) {
    for (case in refused) expect_refused(entry(case[[1]]), case[[2]], case[[3]])
  }
  # counts are numbers, and an ordered factor is classes, which is said once
  said <- function(code) {
    length(conditions_heard(suppressWarnings(code), "rowsparse_message_response"))
  }
  steps <- factor(rep(1:3, 10), ordered = TRUE)
  successes <- cbind(rep(0:5, 5), rep(6:2, 6)) + 0
  for (entry in entries) {
    for (y in list(steps, successes, rep(0:9, 3))) expect_identical(said(entry(y)), 1L)
    expect_identical(said(entry(round(exp(abs(5 * x[, 1]))))), 0L)
  }
})

test_that("a training set without what the others have says which and what to do", {
  set.seed(324)
  x <- sample_matrix(30, 6)
  folds <- rep(1:5, 6)
  rare <- replace(numeric(30), folds == 1, 1:6)
  for (method in c("cdlsr", "ftest", "rfs")) {
    for (run in list(cv_rowsparse, selection_error, function(...) {
      tune_rowsparse(..., criterion = "error", subsamples = 2)
    })) {
      expect_refused(suppressMessages(run(x, rare, 2, method, foldid = folds)), "constant",
        "This is a training set of 24 of the 30 samples: try other `folds`."
      )
    }
  }
  one <- factor(c("c", rep(c("a", "b"), length.out = 29)))
  expect_refused(cv_rowsparse(x, one, k = 2), "class", "one of class \"c\"")
  # those of a class may all lie in two folds: the others have no say about it
  two <- factor(c(rep(c("a", "b"), 14), "c", "c"))
  cv <- cv_rowsparse(x, two, 1:2, "cdlsr", foldid = folds, measure = "balanced")
  expect_true(all(is.finite(unlist(cv$table[c("error", "balanced", "log_loss")]))))
  wrong <- lapply(1:5, function(fold) {
    out <- folds == fold
    predict(cdlsr(x[!out, ], two[!out], 2), x[out, ], 2, "class") != two[out]
  })
  truth <- lapply(1:5, function(fold) two[folds == fold])
  expect_equal(cv$table$balanced[2], mean(tapply(unlist(wrong), unlist(truth), mean)))
})
