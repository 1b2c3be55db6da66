# Numbers at the ends of their range, few samples, low rank, features of every size: results whose
# numbers are numbers, or an error of the package. `make fuzz` looks for more of these.

regression_methods <- list(
  cdlsr = cdlsr, exact = function(...) cdlsr(..., solver = "exact"), pgd = pgd, rpfs = rpfs
)

quiet_fit <- function(method, ...) suppressWarnings(regression_methods[[method]](...))

hard_tables <- function() {
  base <- from_seed(317, matrix(stats::rnorm(200), 20))
  list(
    wide = matrix(stats::rnorm(20 * 300), 20), three = matrix(stats::rnorm(3 * 20), 3),
    counts = matrix(stats::rnbinom(600, mu = 4, size = 0.3), 30) + 0,
    binary = matrix(stats::rbinom(600, 1, 0.3), 30) + 0,
    rank_one = outer(stats::rnorm(15), c(1:6, -3, 0.5)), doubled = cbind(base, base),
    units = sweep(base, 2, 10^seq(-9, 9, 2), "*"), far = base + 1e8,
    small = base * 1e-150, large = base * 1e150, constant = cbind(base[, 1:3], 1),
    sparse = Matrix::rsparsematrix(30, 25, 0.2), outlier = replace(base, 3, 1e12)
  )
}

core_ends_here()

test_that("fits and paths of hard tables are whole, and nothing of base R warns", {
  quietly <- function(code) {
    withCallingHandlers(code, rowsparse_warning = function(w) tryInvokeRestart("muffleWarning"))
  }
  for (name in names(hard_tables())) {
    x <- hard_tables()[[name]]
    y <- x[, 2] / max(abs(x[, 2])) + 0.1 * stats::rnorm(nrow(x))
    k <- min(2, nrow(x) - 1)
    for (method in c("css", "bsufs", "spcafs", "cdlsr", "rfs", "pgd", "rpfs")) {
      response <- if (method_table()[[method]]$response == "needed") y
      expect_no_warning(fit <- quietly(rowsparse(x, response, k, method)))
      expect_length(unique(fit$selected), k)
      expect_identical(sort(fit$ranking), seq_len(ncol(x)))
      expect_true(all(is.finite(fit$scores)) && all(is.finite(fit$objective)), info = name)
      expect_true(all(diff(fit$scores[fit$ranking]) <= 1e-12), info = paste(name, method))
      expect_no_warning(quietly(utils::capture.output(print(fit), print(summary(fit)))))
    }
    path <- quietly(rowsparse_path(x, method = "bsufs", m = 1, nlambda = 4))
    expect_true(all(path$explained >= 0 & path$explained <= 1), info = name)
  }
})

test_that("what no number can hold is refused by name", {
  set.seed(21)
  small <- cbind(c(1, 2, 4, 3, 7), c(2, 1, 4, 5, 3)) * 1e-150
  apart <- matrix(stats::rnorm(75), 25) * 1e-150
  apart[1] <- 1e100
  y <- stats::rnorm(25)
  responses <- cbind(y * 1e300, y^2)
  binary <- matrix(as.numeric(stats::runif(360) < 0.5), 12) * 1e-150
  huge <- replace(stats::rnorm(12), 1, 1e300)
  expect_each_refused("range",
    "the coefficients" = cdlsr(small, c(1.5, 2, 3.5, 3, 8) * 1e200, 1),
    "double precision can hold" = moments(apart[, -1], y * 1e200), "`y`" = rfs(binary, huge),
    "`y`" = crfs(binary, huge), "column 2" = cdlsr(apart[, -1], responses, 1),
    "column 2" = ipfs(apart[, -1], responses, 1)
  )
  expect_each_refused("scale",
    "factor of 1e140" = cdlsr(apart, y, 1, scale = FALSE), "column 2" = css(apart, 1),
    "factor of 1e140" = cdlsr(moments(apart, y), k = 1, scale = FALSE),
    "x" = moments(replace(apart, 5, 1e300), weights = 1:25),
    "x" = css(row_blocks(replace(apart, 5, 1e300), rows = 5), 1, block = gl(5, 5))
  )
  for (method in c("cdlsr", "exact", "pgd", "rpfs")) {
    expect_length(quiet_fit(method, apart, y, 1, scale = TRUE)$selected, 1)
  }
})

test_that("names in another encoding are found and drawn", {
  x <- from_seed(5, matrix(rnorm(96), 12, dimnames = list(NULL, c("a\xff", paste0("g", 2:8)))))
  fit <- rowsparse(x, k = 8, method = "variance", include = "a\xff")
  expect_identical(fit$included, 1L)
  draw_nowhere()
  expect_silent(plot(fit))
})
