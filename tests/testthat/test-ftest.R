anova_data <- function(seed, classes = 3, n = 30, d = 6) {
  set.seed(seed)
  y <- factor(sample(rep(letters[seq_len(classes)], length.out = n)))
  list(x = matrix(stats::rnorm(n * d), n) + outer(as.integer(y), seq_len(d) / d), y = y)
}

test_that("F and p are those of the analysis of variance", {
  data <- anova_data(1)
  fit <- ftest(data$x, data$y)
  for (j in 1:6) {
    table <- summary(stats::aov(data$x[, j] ~ data$y))[[1]]
    expect_equal(fit$statistic[j], table[["F value"]][1], tolerance = 1e-10)
    expect_equal(fit$p_value[j], table[["Pr(>F)"]][1], tolerance = 1e-8)
    expect_equal(fit$scores[j], summary(stats::lm(data$x[, j] ~ data$y))$r.squared)
  }
  expect_identical(fit$degrees, c(2L, 27L))
  expect_identical(fit$ranking, order(-fit$statistic))
})

core_ends_here()

test_that("with two classes F is the square of t, with one number that of regression", {
  data <- anova_data(2, 2)
  fit <- ftest(data$x, data$y)
  t <- apply(data$x, 2, function(f) stats::t.test(f ~ data$y, var.equal = TRUE)$statistic)
  expect_equal(fit$statistic, t^2)
  y <- data$x[, 3] + stats::rnorm(30)
  fit <- ftest(data$x, y, scale = FALSE)
  plain <- apply(data$x, 2, function(f) summary(stats::lm(y ~ f))$fstatistic[1])
  expect_equal(fit$statistic, plain)
  Y <- cbind(y, data$x[, 1] - data$x[, 2])
  several <- ftest(data$x, Y)
  plain <- apply(data$x, 2, function(f) summary(stats::lm(f ~ Y))$fstatistic[1])
  expect_equal(several$statistic, plain)
})

test_that("features that do not vary within the classes are first, constant ones last", {
  data <- anova_data(3)
  x <- cbind(data$x, as.integer(data$y) * 1e6 + 0.1, 5, as.integer(data$y) == 1)
  expect_warning(fit <- ftest(x, data$y), class = "rowsparse_warning_constant")
  expect_identical(fit$ranking[c(1, 9)], c(7L, 8L))
  expect_identical(fit$statistic[7:8], c(Inf, NA))
  expect_identical(fit$p_value[7:8], c(0, NA))
  # adjusted over those that vary
  expect_equal(fit$q_value[-8], stats::p.adjust(fit$p_value[-8], "BH"))
  table <- as.data.frame(fit)
  expect_equal(table[c("p", "q")], data.frame(p = fit$p_value, q = fit$q_value)[table$index, ],
    ignore_attr = TRUE
  )
  words <- sprintf("one feature at a time: %d of 8 with q", sum(fit$q_value <= 0.1, na.rm = TRUE))
  expect_output(print(fit), words)
  expect_identical(fit$scores[7:8], c(1, 0))
})

test_that("a ranking predicts by least squares on its first features", {
  data <- anova_data(5)
  y <- data$x[, 2] + stats::rnorm(30)
  x <- cbind(data$x, data$x[, 1] + data$x[, 2])
  fit <- ftest(x, y)
  for (k in c(1, 3, 7)) {
    first <- fit$ranking[seq_len(k)]
    plain <- stats::lm(y ~ x[, first])
    expect_equal(drop(predict(fit, x, k, "response")), unname(plain$fitted.values))
    expect_equal(drop(cbind(1, x) %*% coef(fit, k)), unname(plain$fitted.values))
  }
  expect_equal(predict(fit, x, type = "response"), predict(fit, x, 7, "response"))
  front <- rowsparse(x, y, k = 3, method = "ftest")
  expect_equal(predict(front, x, type = "response"), predict(fit, x, 3, "response"))
  expect_equal(front$explained, summary(stats::lm(y ~ x[, front$selected]))$r.squared)
  expect_refused(predict(fit, x, 8, "response"), "range", "from 1 to 7")
  expect_refused(predict(fit, x, 2, "class"), "choice", "class labels")
  labelled <- ftest(x, data$y)
  expect_identical(levels(predict(labelled, x, 2, "class")), levels(data$y))
})

test_that("a response that leaves no degrees of freedom is refused", {
  data <- anova_data(7)
  expect_refused(ftest(data$x[1:4, ], factor(1:4)), "constant", "as many classes as samples (4)")
  expect_refused(ftest(data$x[1:2, ], c(1.5, 2)), "size", "at most 0 responses")
})
