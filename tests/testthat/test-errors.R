x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 4)

expect_message_names <- function(code, subclass, text) {
  condition <- expect_error(code, class = paste0("rowsparse_error_", subclass))
  expect_s3_class(condition, "rowsparse_error")
  expect_match(conditionMessage(condition), text, fixed = TRUE)
}

test_that("data that are not numeric are refused", {
  expect_message_names(bsufs(letters, 1), "type", "`x` must be a numeric matrix")
  expect_message_names(bsufs(matrix("a", 3, 3), 1), "type", "`x`")
  expect_message_names(bsufs(iris, 1), "type", "Species")
  expect_message_names(bsufs(list(1, 2), 1), "type", "`x`")
  expect_message_names(bsufs(NULL, 1), "type", "NULL")
  expect_message_names(bsufs(1:10, 1), "type", "`x`")
})

test_that("missing and infinite values are counted and located", {
  bad <- x
  bad[3, 2] <- NA
  bad[4, 3] <- Inf
  expect_message_names(bsufs(bad, 1), "nonfinite", "2 of them, the first at row 3, column 2")
  bad[1, 2] <- NaN
  expect_message_names(bsufs(bad, 1), "nonfinite", "3 of them, the first at row 1, column 2")
  whole <- round(x)
  storage.mode(whole) <- "integer"
  whole[2, 1] <- NA
  expect_message_names(bsufs(whole, 1), "nonfinite", "row 2, column 1")
  sparse <- Matrix::sparseMatrix(i = c(1, 3, 2), j = c(1, 2, 3), x = c(1, NA, 2), dims = c(4, 3))
  expect_message_names(bsufs(sparse, 1), "nonfinite", "row 3, column 2")
})

test_that("the shape of the data is checked", {
  expect_message_names(bsufs(x[1, , drop = FALSE], 1), "size", "at least 2 samples (rows); got 1")
  expect_message_names(bsufs(x[, 0], 1), "size", "at least one feature")
  named <- x
  colnames(named) <- c("a", "b", "a")
  expect_message_names(bsufs(named, 1), "names", "\"a\"")
  expect_message_names(bsufs(matrix(2, 5, 3), 1), "constant", "that varies")
})

test_that("constant features get score 0, the last ranks and a warning", {
  mixed <- cbind(7, x, 1e10)
  expect_warning(fit <- bsufs(mixed, 1), class = "rowsparse_warning_constant")
  expect_identical(fit$scores[c(1, 5)], c(0, 0))
  expect_identical(fit$ranking[4:5], c(1L, 5L))
  scaled <- suppressWarnings(bsufs(mixed, 1, scale = TRUE))
  expect_true(all(is.finite(scaled$scores)))
})

test_that("arguments out of range say the range", {
  expect_message_names(bsufs(x, 0), "range", "from 1 to 3")
  expect_message_names(bsufs(x, 4), "range", "`m` must be a whole number from 1 to 3; got 4")
  expect_message_names(bsufs(x, 1.5), "range", "`m`")
  expect_message_names(bsufs(x, "a"), "range", "`m`")
  expect_message_names(bsufs(x, 1, p = 1.2), "range", "`p` must be a number from 0 to 1; got 1.2")
  expect_message_names(bsufs(x, 1, q = -1), "range", "`q`")
  expect_message_names(bsufs(x, 1, lambda1 = -1), "range", "`lambda1`")
  expect_message_names(bsufs(x, 1, lambda2 = NA_real_), "range", "`lambda2`")
  expect_message_names(bsufs(x, 1, beta1 = 0), "range", "above 0")
  expect_message_names(bsufs(x, 1, solver = "newton"), "choice", "\"mm\", \"rtr\", \"pencf\"")
  expect_message_names(bsufs(x, 1, normalize = NA), "type", "`normalize` must be TRUE or FALSE")
  expect_message_names(bsufs(x, 1, scale = "yes"), "type", "`scale`")
  expect_message_names(bsufs(x, 1, start = diag(3)), "size", "3 x 1")
  expect_message_names(bsufs(x, 1, start = matrix(NaN, 3, 1)), "nonfinite", "`start`")
})

test_that("the control is checked", {
  expect_message_names(rowsparse_control(tol = -1), "range", "`tol`")
  expect_message_names(rowsparse_control(maxit = 0), "range", "`maxit`")
  expect_message_names(rowsparse_control(threads = 0), "range", "`threads`")
  expect_message_names(rowsparse_control(verbose = 1), "type", "`verbose`")
  expect_error(rowsparse_control(tolerance = 1), "unused argument")
  expect_message_names(bsufs(x, 1, control = list(tolerance = 1)), "control", "tolerance")
  expect_message_names(bsufs(x, 1, control = 1e-6), "type", "rowsparse_control()")
  expect_identical(bsufs(x, 1, control = list(maxit = 400))$parameters$maxit, 400L)
})

test_that("requests beyond the machine's memory are refused beforehand", {
  old <- options(rowsparse.memory = 1000)
  on.exit(options(old))
  wide <- matrix(rnorm(400), 4)
  expect_message_names(bsufs(wide, 1), "memory", "GB")
  options(rowsparse.memory = 10000)
  expect_message_names(bsufs(wide, 3), "memory", "`m`")
  expect_message_names(moments(wide), "memory", "select features first")
})

test_that("a fit that did not converge warns and is returned", {
  expect_warning(
    fit <- bsufs(x, 1, control = rowsparse_control(maxit = 1, tol = 0)),
    class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_identical(fit$status, "iteration limit reached")
  expect_identical(fit$iterations, 1L)
})

test_that("the proximal operators check their arguments", {
  expect_message_names(prox_lq("a", 1, 0), "type", "`a`")
  expect_message_names(prox_lq(NA_real_, 1, 0), "nonfinite", "`a`")
  expect_message_names(prox_lq(1, -1, 0), "range", "`lambda`")
  expect_message_names(prox_lq(1, 1, 2), "range", "`q`")
  expect_message_names(prox_l2p(1:3, 1, 0), "type", "`A`")
  expect_message_names(prox_l2p(diag(2), 1, -0.1), "range", "`p`")
})

test_that("responses are checked", {
  response <- rowsparse:::as_response
  expect_message_names(response(letters[1:3], 4), "length", "one entry per sample (4); got 3")
  expect_message_names(response(c("a", NA, "b"), 3), "nonfinite", "`y`")
  expect_message_names(response(c("a", "a"), 2), "constant", "two classes")
  expect_message_names(response(c(1, 1), 2), "constant", "must vary")
  expect_message_names(response(c(1, NaN), 2), "nonfinite", "row 2, column 1")
  expect_message_names(response(list(1, 2), 2), "type", "`y`")
  expect_identical(response(c("b", "a", "b"), 3)$levels, c("a", "b"))
})
