# What rowsparse_glm() refuses, and what it tells and goes on.

bad_glm_data <- function(n = 40) {
  set.seed(911)
  list(
    x = matrix(stats::rnorm(6 * n), n, dimnames = list(NULL, letters[1:6])),
    count = stats::rpois(n, 2), time = stats::rexp(n), status = rep(c(1, 0, 1, 1), n / 4),
    class = factor(rep(c("p", "q", "r", "q"), n / 4))
  )
}

test_that("families that are none of the four are refused, with the function that serves them", {
  data <- bad_glm_data()
  fit <- function(family) rowsparse_glm(data$x, data$count, 2, family)
  expect_each_refused("choice",
    "cdlsr()" = fit("gaussian"), "cdlsr()" = fit(stats::gaussian), "poisson" = fit("quasipoisson"),
    "canonical" = fit(stats::binomial("probit")), "canonical" = fit(stats::poisson("sqrt")),
    "must be \"cox\"" = rowsparse_glm(data$x, cbind(time = data$time, status = 1), 2, "poisson")
  )
  expect_each_refused("missing", "`family` must be given" = fit(NULL))
  expect_each_refused("argument",
    "rowsparse_glm() takes it" = rowsparse(data$x, data$count, 2, "cdlsr", family = "poisson")
  )
})

test_that("responses that do not go with their family are refused by what is wrong", {
  data <- bad_glm_data()
  fit <- function(y, family, ...) rowsparse_glm(data$x, y, 2, family, ...)
  expect_each_refused("type",
    "\"multinomial\" takes more" = fit(data$class, "binomial"),
    "0 and 1" = fit(data$count, "binomial"),
    "factor(y)" = fit(data$count, "multinomial"), "one column" = fit(cbind(1:40, 40:1), "poisson"),
    "numeric vector" = fit(data$class, "poisson"), "must be given" = fit(NULL, "poisson")
  )
  expect_each_refused("range",
    "at least 0" = fit(data$count - 1, "poisson"),
    "failures" = fit(cbind(data$count, -1), "binomial")
  )
  expect_each_refused("constant",
    "must vary" = fit(numeric(40), "poisson"), "two classes" = fit(rep(1, 40), "binomial"),
    "same share" = fit(cbind(rep(2, 40), 1), "binomial")
  )
  expect_each_refused("nonfinite",
    "row 3" = fit(replace(data$count, 3, Inf), "poisson"),
    "NA" = fit(c(NA, rep(0:1, 19), 1), "binomial")
  )
  expect_message(fit(data$count / 2, "poisson", ridge = 1), class = "rowsparse_message_response")
  single <- factor(c("one", rep(c("p", "q"), length.out = 39)))
  expect_message(fit(single, "multinomial", ridge = 1), "one sample of \"one\"")
})

test_that("censored times of other kinds are refused, naming coxph(), and others have no method", {
  data <- bad_glm_data()
  y <- cbind(time = data$time, status = data$status)
  fit <- function(y, ...) rowsparse_glm(data$x, y, 2, "cox", ...)
  expect_each_refused("constant",
    "must have events" = fit(replace(y, 41:80, 0)), "times that differ" = fit(replace(y, 1:40, 3))
  )
  expect_each_refused("range", "got 1, 2" = fit(cbind(time = data$time, status = data$status + 1)))
  expect_each_refused("type",
    "Surv(time, status)" = fit(data$count), "alone" = fit(cbind(y, z = 1)),
    "only rowsparse_glm()" = cdlsr(data$x, y, 2), "only rowsparse_glm()" = moments(data$x, y),
    "only rowsparse_glm()" = rowsparse(data$x, y, 2, "ftest"),
    "only rowsparse_glm()" = compare_panels(1:2, data$x, y = y)
  )
  expect_each_refused("nonfinite", "row 2" = fit(replace(y, 2, NA)))
  expect_warning(fit(replace(y, 44:80, 0), ridge = 1), "k = 2 with 2 events")
  table <- data.frame(data$x, y)
  for (term in c("strata(b)", "cluster(b)", "survival::strata(b)")) {
    expect_refused(rowsparse(stats::reformulate(c("a", term), quote(Surv(time, status))),
      data = table, k = 1
    ), "type", "survival::coxph()")
  }
  skip_if_not_installed("survival")
  expect_each_refused("type",
    "survival::coxph()" = fit(survival::Surv(data$time, data$status, type = "left")),
    "survival::coxph()" = fit(survival::Surv(data$time, data$time + 1, data$status)),
    "survival::coxph()" = fit(survival::Surv(data$time, data$time + 1, type = "interval2"))
  )
  # 1 and 2 as Surv() takes them, in a formula where the package need not be attached
  twos <- rowsparse(Surv(time, status + 1) ~ ., data = table, k = 2, ridge = 1)
  expect_identical(twos$objective, fit(y, ridge = 1)$objective)
  expect_match(twos$response$text, "30 events")
})

test_that("classes and counts whose coefficients have no end ask for a ridge", {
  data <- bad_glm_data()
  zero <- cbind(data$x, zero = rep(c(0, 0, 0, 1), 10))
  rest <- 1 - zero[, "zero"]
  count <- data$count * rest
  fit <- function(ridge, y = data$x[, 1] > 0, family = "binomial", x = data$x) {
    rowsparse_glm(x, y, 2, family, ridge = ridge)
  }
  expect_each_refused("separation",
    "got a" = fit(0), "zero" = fit(0, count, "poisson", zero),
    "zero" = fit(0, cbind(time = data$time, status = data$status * rest), "cox", zero)
  )
  expect_true(fit(0.1)$converged && fit(1, count, "poisson", zero)$converged)
  small <- fit(1e-6, data$count, "poisson")
  expect_identical(selected(fit(0, data$count, "poisson")), selected(small))
})

test_that("arguments are checked before any work", {
  data <- bad_glm_data()
  fit <- function(..., family = "poisson", y = data$count, x = data$x) {
    rowsparse_glm(x, y, 2, family, ...)
  }
  expect_each_refused("argument",
    "`include` indicators" = fit(block = gl(2, 20)),
    "offset" = fit(offset = data$time, family = "multinomial", y = data$class),
    "signs" = fit(signs = 1, family = "multinomial", y = data$class)
  )
  expect_each_refused("type",
    "sparse matrix or experiment" = fit(x = moments(data$x)),
    "sparse matrix or experiment" = fit(x = row_blocks(data$x)),
    "or experiment" = rowsparse(row_blocks(data$x), data$count, 2, family = "poisson"),
    "balanced" = fit(weights = "balanced")
  )
  expect_each_refused("length", "offset" = fit(offset = 1:3), "signs" = fit(signs = c(1, 1)))
  expect_each_refused("nonfinite", "offset" = fit(offset = replace(data$time, 2, NA)))
  expect_each_refused("range", "1, -1 or 0" = fit(signs = 2),
    "1e-4 n changes little" = fit(solver = "exact", ridge = 0), "ridge" = fit(ridge = -1)
  )
  expect_each_refused("names", "signs" = fit(signs = c(z = 1)))
  expect_each_refused("choice", "ridge" = fit(ridge = "pillai"))
  expect_each_refused("groups", "exchange" = fit(solver = "exact", groups = rep(1:3, 2)))
  expect_identical(coef(fit(ridge = 1, offset = numeric(40))), coef(fit(ridge = 1)))
  balanced <- fit(weights = "balanced", family = "multinomial", y = data$class, ridge = 1)
  expect_equal(sum(balanced$response$weights), 40)
  told <- fit(ridge = 1)
  expect_each_refused("choice",
    "type" = predict(told, data$x, type = "class"), "type" = predict(told, type = "survival"),
    "type" = residuals(told, "martingale")
  )
  expect_each_refused("argument", "times" = predict(told, times = 1))
  expect_each_refused("range", "k" = predict(told, data$x, k = 3), "k" = deviance(told, 3))
})
