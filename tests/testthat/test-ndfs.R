plain_ndfs <- function(z, L, fit, s) {
  G <- crossprod(fit$F) - diag(ncol(fit$F))
  sum(fit$F * (L %*% fit$F)) + s$alpha * (
    sum((z %*% fit$W - fit$F)^2) + s$beta * sum(plain_norms(fit$W))
  ) + s$gamma / 2 * sum(G^2)
}

core_ndfs <- function(x, start, ...) {
  settings <- utils::modifyList(
    list(alpha = 1, gamma = 10, u = 1, solver = "monotone", tol = 0, maxit = 20L, nu = 1, eps = 0),
    list(...)
  )
  settings <- c(settings, list(beta = 0.3 * settings$alpha, zeta = 2 * settings$gamma,
    laplacian = "symmetric"
  ))
  graph <- graph_of(x)
  c(c_call("C_labels", as_c_data(x), start, graph, settings), list(L = symmetric_laplacian(graph)))
}

indicator <- function(y) 0.2 + outer(y, sort(unique(y)), "==")

test_that("the objective is that of the paper and falls in every iteration", {
  for (x in from_seed(1, of_sizes(list(c(40, 8), c(15, 30)), normal_matrix, mean = 3))) {
    start <- indicator(rep(1:3, length.out = nrow(x)))
    for (gamma in c(0.1, 10, 1e3, 1e8)) {
      for (alpha in c(0.1, 5)) {
        fit <- core_ndfs(x, start, gamma = gamma, alpha = alpha, maxit = 60L)
        s <- list(alpha = alpha, beta = 0.3, gamma = gamma)
        expect_equal(tail(fit$objective, 1), plain_ndfs(centred(x), fit$L, fit, s),
          tolerance = 1e-8
        )
        expect_never_rises(fit$objective)
        expect_true(all(fit$F >= 0))
      }
    }
  }
})

core_ends_here()

test_that("with F held, W is the row-sparse regression on it", {
  data <- class_data(2, 60, 15)
  z <- centred(data$x)
  start <- sweep(outer(data$label, 1:3, "=="), 2, sqrt(tabulate(data$label)), "/")
  fit <- suppressWarnings(ndfs(data$x, 3,
    beta = 1, start = start, control = rowsparse_control(tol = 0, maxit = 2000)
  ))
  expect_lt(max(abs(fit$assignment - start)), 1e-4)
  # first-order conditions of ||X W - F||^2 + beta sum ||w_j||
  pull <- 2 * crossprod(z, fit$assignment - z %*% fit$loadings)
  norms <- plain_norms(fit$loadings)
  large <- norms > 1e-6
  expect_true(any(large) && !all(large))
  expect_equal(pull[large, ], unname(fit$loadings[large, ] / norms[large]), tolerance = 1e-4)
  expect_true(all(plain_norms(pull[!large, , drop = FALSE]) <= 1 + 1e-4))
})

test_that("W = 0 from beta_max on", {
  data <- class_data(3, 60, 15)
  fit <- ndfs(data$x, 3, start = data$label)
  limit <- fit$parameters$beta_max
  rows <- outer(data$label, 1:3, "==")
  most <- 2 * max(plain_norms(crossprod(centred(data$x), sweep(rows, 2, sqrt(colSums(rows)), "/"))))
  # the start has a share of 0.2 in the other clusters
  expect_equal(limit, most, tolerance = 0.5)
  expect_warning(
    empty <- ndfs(data$x, 3, start = data$label, beta = 2 * most,
      control = rowsparse_control(tol = 1e-9)
    ),
    class = "rowsparse_warning_zero"
  )
  expect_true(all(empty$scores == 0))
  some <- ndfs(data$x, 3, start = data$label, beta = 0.8 * most)
  expect_gt(max(some$scores), 0)
})
