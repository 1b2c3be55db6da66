plain_ndfs <- function(z, L, fit, s) {
  G <- crossprod(fit$F) - diag(ncol(fit$F))
  sum(fit$F * (L %*% fit$F)) + s$alpha * (
    sum((z %*% fit$W - fit$F)^2) + s$beta * sum(plain_norms(fit$W))
  ) + s$gamma / 2 * sum(G^2)
}

# L of the graph that a method uses, as a matrix
plain_laplacian <- function(graph) {
  weights <- matrix(0, graph$n, graph$n)
  weights[cbind(rep(seq_len(graph$n), diff(graph$start)), graph$index)] <- graph$weight
  degree <- rowSums(weights)
  root <- ifelse(degree > 0, 1 / sqrt(degree), 0)
  diag(as.numeric(degree > 0)) - root * t(root * weights)
}

graph_of <- function(x, ...) spectral_embedding(x, 2, ..., regularization = 0.1)$graph

core_ndfs <- function(x, start, ..., raw = FALSE) {
  settings <- utils::modifyList(
    list(alpha = 1, beta = 0.3, gamma = 10, u = 1, solver = "monotone", tol = 0, maxit = 20L),
    list(...)
  )
  graph <- or_else(settings$graph, graph_of(x))
  settings$graph <- NULL
  data <- as_c_data(x)
  if (raw) data$mean <- 0 * data$mean
  c(c_call("C_ndfs", data, start, graph, settings), list(L = plain_laplacian(graph)))
}

or_else <- function(value, other) if (is.null(value)) other else value

indicator <- function(y) 0.2 + outer(y, sort(unique(y)), "==")

groups_data <- function(n = 60, d = 15) {
  y <- rep(1:3, length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, 1:4] <- x[, 1:4] + 3 * matrix(rnorm(12), 3)[y, ]
  list(x = x, y = y)
}

test_that("the objective is that of the paper and falls in every iteration", {
  set.seed(1)
  for (size in list(c(40, 8), c(15, 30))) {
    x <- matrix(rnorm(prod(size)), size[1]) + 3
    start <- indicator(rep(1:3, length.out = size[1]))
    for (gamma in c(0.1, 10, 1e3, 1e8)) {
      for (alpha in c(0.1, 5)) {
        fit <- core_ndfs(x, start, gamma = gamma, alpha = alpha, maxit = 60L)
        s <- list(alpha = alpha, beta = 0.3, gamma = gamma)
        expect_equal(tail(fit$objective, 1), plain_ndfs(centred(x), fit$L, fit, s),
          tolerance = 1e-8
        )
        expect_never_rises(fit$objective)
        expect_true(all(fit$F >= 0))
        expect_length(fit$objective, fit$iterations + 1L)
      }
    }
  }
})

core_ends_here()

test_that("with F held, W is the row-sparse regression on it", {
  set.seed(2)
  data <- groups_data()
  z <- centred(data$x)
  start <- sweep(outer(data$y, 1:3, "=="), 2, sqrt(tabulate(data$y)), "/")
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
  set.seed(3)
  data <- groups_data()
  fit <- ndfs(data$x, 3, start = data$y)
  limit <- fit$parameters$beta_max
  rows <- outer(data$y, 1:3, "==")
  most <- 2 * max(plain_norms(crossprod(centred(data$x), sweep(rows, 2, sqrt(colSums(rows)), "/"))))
  # the start has a share of 0.2 in the other clusters
  expect_equal(limit, most, tolerance = 0.5)
  expect_warning(
    empty <- ndfs(data$x, 3, start = data$y, beta = 2 * most,
      control = rowsparse_control(tol = 1e-9)
    ),
    class = "rowsparse_warning_zero"
  )
  expect_true(all(empty$scores == 0))
  some <- ndfs(data$x, 3, start = data$y, beta = 0.8 * most)
  expect_gt(max(some$scores), 0)
})

test_that("recorded runs of NDFS are met by the published step and improved by the other", {
  reference <- shared_reference("baselines_pseudo_label_family")
  lung <- shared_data("lung_discrete")$x
  cases <- reference$cases[grepl("^ndfs_(tiny|lung)", names(reference$cases))]
  for (case in cases) {
    x <- switch(gsub("[^a-z_]", "", case$data), tiny = reference$tiny$x, lung_discrete = lung,
      lung[, reference$lung60_cols]
    )
    edges <- case$graph
    n <- nrow(x)
    weights <- Matrix::sparseMatrix(c(edges$i, edges$j), c(edges$j, edges$i),
      x = rep(edges$w, 2), dims = c(n, n)
    )
    graph <- list(n = n, start = as.double(weights@p), index = weights@i + 1L, weight = weights@x)
    given <- case$params
    C <- ncol(case$start$F0)
    run <- function(solver, maxit) {
      core_ndfs(x + 0, case$start$F0,
        alpha = given$alpha, beta = given$beta, gamma = given$gamma, graph = graph, raw = TRUE,
        u = if (case$start$W0 == 0) 2 * sqrt(.Machine$double.eps) else 2 * sqrt(C),
        solver = solver, maxit = maxit
      )
    }
    tolerance <- if (given$gamma >= 1e3) 1e-7 else 1e-4
    expect_lt(max(abs(run("paper", 100L)$F - case$F)), tolerance)
    expect_lt(max(abs(run("paper", 99L)$W - case$W)), max(tolerance, 1e-6))
    own <- run("monotone", 300L)
    expect_never_rises(own$objective)
    expect_lte(tail(own$objective, 1), case$objective_final * (1 + 1e-3))
  }
})
