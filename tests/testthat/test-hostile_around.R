# Paths, tunings, evaluations and summaries of data that are hard: a result whose
# numbers are numbers, or a condition of the package; nothing of base R.

hostile_data <- function() {
  set.seed(1)
  base <- matrix(stats::rnorm(200), 20)
  list(
    ordinary = base, wide = matrix(stats::rnorm(40 * 200), 40),
    counts = matrix(stats::rpois(600, 1), 30), binary = matrix(stats::rbinom(600, 1, 0.3), 30),
    three = matrix(stats::rnorm(36), 3), two = matrix(stats::rnorm(12), 2),
    rank_one = outer(stats::rnorm(20), 1:6), twins = cbind(base, base),
    small = base * 1e-150, large = base * 1e150, far = base + 1e8,
    one_column = base[, 1, drop = FALSE], constant = cbind(base[, 1:3], 1),
    sparse = Matrix::rsparsematrix(30, 25, 0.2), outlier = replace(base, 3, 1e12)
  )
}

# the value of the call, or the package's own error; a base warning is an error
classed <- function(code) {
  withCallingHandlers(
    tryCatch(code, rowsparse_error = identity),
    warning = function(w) {
      if (!inherits(w, "rowsparse_warning")) stop("base warning: ", conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
}

refused <- function(result) inherits(result, "rowsparse_error")

shown <- function(object) {
  utils::capture.output(print(object))
  plot(object)
  object
}

core_ends_here()

test_that("paths, tunings and summaries of hostile data", {
  draw_nowhere()
  outcomes <- 0
  failures <- 0
  tables <- hostile_data()
  if (!is_slow()) tables <- tables[c("two", "rank_one", "small", "constant", "sparse")]
  for (x in tables) {
    k <- min(3, ncol(x), nrow(x) - 1)
    y <- stats::rnorm(nrow(x))
    for (method in c("css", "bsufs", "spcafs", "cdlsr", "rfs")) {
      response <- if (method %in% c("cdlsr", "rfs")) y
      path <- classed(shown(rowsparse_path(x, response, method = method, nlambda = 4)))
      tuned <- classed(shown(tune_rowsparse(x, response, method = method, k = seq_len(k),
        subsamples = 2, folds = 2, criterion = if (is.null(response)) "reconstruction" else "error"
      )))
      fit <- classed(shown(rowsparse(x, response, k, method)))
      results <- list(path, tuned, fit)
      outcomes <- outcomes + 3
      failures <- failures + sum(vapply(results, refused, NA))
      if (!refused(path)) expect_true(all(path$explained >= 0 & path$explained <= 1))
      if (!refused(tuned)) {
        expect_true(all(tuned$table$reconstruction >= 0 & tuned$table$reconstruction <= 1))
        expect_length(selected(tuned), tuned$k)
      }
      if (!refused(fit)) {
        classed(utils::capture.output(print(summary(fit))))
      }
    }
  }
  # a refusal is the exception: too few samples or features for what was asked
  expect_lt(failures / outcomes, 0.1)
})

test_that("evaluations of hostile data", {
  skip_if_not_installed("clue")
  draw_nowhere()
  for (x in hostile_data()) {
    n <- nrow(x)
    y <- rep(c("a", "b"), length.out = n)
    k <- seq_len(min(2, ncol(x), n - 1))
    for (result in list(
      classed(shown(evaluate_features(seq_len(max(k)), x, y, k = k, repeats = 2, random = 1))),
      classed(shown(compare_methods(x, y, methods = c("css", "cdlsr"), k = k, repeats = 2)))
    )) {
      expect_identical(refused(result), n == 2L)
      if (n > 2) expect_true(all(result$acc_mean >= 0.5 & result$nmi_mean >= 0))
    }
    tuned <- classed(tune_rowsparse(x, y, method = "css", k = k, subsamples = 2, starts = 2,
      criterion = "silhouette"
    ))
    if (!refused(tuned)) expect_true(all(is.finite(tuned$table$silhouette)))
  }
})
