# several variables as `block`: the fit of the residuals that lm() leaves

v <- from_seed(1, data.frame(
  batch = factor(rep_len(c("a", "b", "c"), 60)), sex = rep_len(c("u", "v", "v", "u", "u"), 60),
  age = stats::rnorm(60, 40, 10)
))
x <- matrix(stats::rnorm(60 * 12), 60) * rep(seq(0.5, 2, length.out = 12), each = 60)
x <- x + 3 * matrix(stats::rnorm(36), 3)[v$batch, ] + outer(v$age / 10, stats::rnorm(12))
colnames(x) <- paste0("f", 1:12)

residuals_of <- function(x, v) {
  design <- stats::model.matrix(~., v)
  stats::lm.fit(design, x)$residuals + rep(colMeans(x), each = nrow(x))
}

core_ends_here()

test_that("every kind of data gives the fit of the residuals", {
  x[abs(x) < 1] <- 0
  rest <- residuals_of(x, v)
  for (method in c("fspca", "css", "lapscore", "alignment")) {
    plain <- rowsparse(rest, k = 4, method = method)
    for (data in kinds(x)) {
      fit <- rowsparse(data, k = 4, method = method, block = v)
      expect_identical(fit$selected, plain$selected)
      expect_equal(fit$explained, plain$explained, tolerance = 1e-6)
    }
  }
  scores <- variance(x, block = v)$scores
  expect_equal(unname(scores), unname(colSums(scale(rest, scale = FALSE)^2)) / (60 - 5))
})

test_that("a least-squares fit has the slopes and fitted values of lm()", {
  y <- x[, 2] - x[, 5] + as.integer(v$batch) + from_seed(2, stats::rnorm(60))
  fit <- cdlsr(x, y, k = 2, block = v)
  full <- stats::lm(y ~ x[, fit$selected] + batch + sex + age, v)
  slope <- coef(fit)[1 + fit$selected, ]
  expect_equal(unname(slope), unname(stats::coef(full)[2:3]), tolerance = 1e-8)
  expect_equal(as.vector(fitted(fit)), unname(stats::fitted(full)), tolerance = 1e-8)
  by_ridge <- rowsparse(x, y, k = 3, block = v)
  expect_length(by_ridge$selected, 3)
  expect_error(cdlsr(x, 2 * v$age + 1, k = 2, block = v), class = "rowsparse_error_constant")
})

test_that("formulas, lists and data frames say the same; one factor is itself", {
  fit <- fspca(x, k = 3, block = v)
  batch <- v$batch
  sex <- v$sex
  age <- v$age
  same <- function(block) expect_equal(fspca(x, k = 3, block = block)$scores, fit$scores)
  same(~ batch + sex + age)
  same(list(batch, sex, age))
  same(~ batch + sex + I(2 * age + 7) + age)
  same(cbind(v, copy = v$batch))
  one <- fspca(x, k = 3, block = batch)
  expect_equal(fspca(x, k = 3, block = ~batch)$block, one$block)
  expect_equal(fspca(x, k = 3, block = data.frame(batch))$block, one$block)
  cell <- interaction(batch, sex, drop = TRUE)
  crossed <- fspca(x, k = 3, block = ~ batch * sex)
  expect_equal(crossed$scores, fspca(x, k = 3, block = cell)$scores)
  # donors within batches: sparse data stay as they are
  donor <- factor(paste0(batch, rep(1:2, each = 30)))
  nested <- fspca(x, k = 3, block = ~ batch + donor)
  expect_identical(nested$block$levels, levels(donor))
  # a number beside factors whose cells are as many as the rank
  a <- factor(batch == "a")
  dose <- age * (a == "TRUE")
  for (block in list(~ sex + a + age, ~ a:dose)) {
    rest <- stats::lm.fit(stats::model.matrix(block), x)$residuals
    expect_equal(fspca(x, k = 3, block = block)$scores, fspca(rest, k = 3)$scores)
  }
})

test_that("a feature that the design reproduces is constant, whatever its mean", {
  x <- cbind(x, lost = 1e6 + 3 * v$age + as.integer(v$batch))
  for (data in list(x, row_blocks(x, rows = 17))) {
    fit <- suppressWarnings(variance(data, block = v), classes = "rowsparse_warning_constant")
    expect_identical(fit$scores[["lost"]], 0)
  }
})

test_that("columns of an experiment are found by formula and by names", {
  skip_if_not_installed("SummarizedExperiment")
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(x)),
    colData = methods::as(v, "DataFrame")
  )
  plain <- fspca(x, k = 3, block = v)
  by_formula <- fspca(object, k = 3, block = ~ batch + sex + age)
  by_names <- rowsparse(object, k = 3, method = "fspca", block = c("batch", "sex", "age"))
  expect_equal(by_formula$selected, plain$selected)
  expect_equal(by_names$selected, plain$selected)
  expect_identical(by_names$block$column, c("batch", "sex", "age"))
  # known again
  expect_no_message(judged <- compare_panels(by_formula, object))
  expect_equal(judged$explained[1], compare_panels(plain, x, block = v)$explained[1])
  expect_identical(fspca(object, k = 3, block = ~batch)$block$column, "batch")
})

test_that("data that do not fit into memory have a block of one factor", {
  hold_options(rowsparse.memory = 4 * 8 * length(x) - 1)
  expect_refused(css(row_blocks(x, rows = 20), 3, block = v), "memory",
    "`block` of several variables"
  )
  expect_length(css(row_blocks(x, rows = 20), 3, block = v$batch)$selected, 3)
})

test_that("what is no design is refused by name", {
  y <- x[, 1]
  refused <- function(block, class = "rowsparse_error_block") {
    expect_error(fspca(x, k = 3, block = block), "`block`", class = class)
  }
  refused(replace(v, "age", c(NA, v$age[-1])), "rowsparse_error_nonfinite")
  refused(v[-1, ], "rowsparse_error_length")
  refused(list(v$batch, v$age[-1]), "rowsparse_error_length")
  refused(~nothing_of_this_name)
  refused(y ~ age)
  refused(data.frame(a = rep(1, 60), b = "a"))
  refused(list())
  refused(list(v$batch, seq_len(60) == 3)) # one sample by itself
  refused(cbind(v, id = as.character(seq_len(60))))
  refused(list(v$batch, mean), "rowsparse_error_type")
  expect_error(moments(x, block = v), class = "rowsparse_error_block")
  expect_error(cv_rowsparse(x, y, k = 2, block = v), class = "rowsparse_error_block")
  fit <- cdlsr(x, y, k = 2, block = v)
  expect_error(predict(fit, x, block = v), class = "rowsparse_error_argument")
  expect_error(rowsparse(x, y, k = 2, block = v, weights = rep(1, 60)),
    class = "rowsparse_error_argument"
  )
})
