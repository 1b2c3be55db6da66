plain_rufs <- function(z, L, fit, s) {
  plus <- sweep(z, 2, pmin(apply(z, 2, min), 0))
  smoothed <- function(R, eps) sum(sqrt(rowSums(R^2) + eps^2))
  c(
    smoothed(plus - fit$F %*% t(fit$basis), s$eps), sum(fit$F * (L %*% fit$F)),
    smoothed(z %*% fit$W - fit$F, s$eps_regression), sum(plain_norms(fit$W)),
    sum((crossprod(fit$F) - diag(ncol(fit$F)))^2)
  )
}

local_learning <- function(x, q, t) {
  near <- as.matrix(dist(x))
  A <- matrix(0, nrow(x), nrow(x))
  for (i in seq_len(nrow(x))) {
    set <- setdiff(order(near[i, ]), i)[seq_len(q)]
    K <- exp(-near[set, set]^2 / (2 * t^2))
    A[i, set] <- solve(K + 0.1 * diag(q), exp(-near[i, set]^2 / (2 * t^2)))
  }
  A
}

symmetric_rows <- function(L) {
  L <- methods::as(methods::as(L, "generalMatrix"), "CsparseMatrix")
  list(n = nrow(L), start = as.double(L@p), index = L@i + 1L, weight = L@x)
}

start_of <- function(y, offset = 0.2) {
  rows <- outer(y, sort(unique(y)), "==") + offset
  sweep(rows, 2, sqrt(colSums(rows^2)), "/")
}

core_rufs <- function(x, start, L, ...) {
  settings <- utils::modifyList(
    list(tol = 0, maxit = 20L, u = 0, laplacian = "local", solver = "robust"), list(...)
  )
  c_call("C_labels", as_c_data(x), start, symmetric_rows(L), settings)
}

test_that("local learning is kernel ridge regression on the neighbours", {
  x <- from_seed(1, matrix(rnorm(25 * 6), 25))
  data <- rowsparse:::as_data(x)
  near <- rowsparse:::find_neighbours(data, 4, "euclidean", ties = FALSE)
  for (t in c(0.5, 2)) {
    rows <- c_call("C_local_weights", unclass(data), near,
      list(neighbours = 4L, t = t, ridge = 0.1)
    )
    expect_equal(as.matrix(rowsparse:::squared_rest(rows)),
      crossprod(diag(25) - local_learning(x, 4, t)), ignore_attr = TRUE
    )
  }
  # copies have one kernel value, and the ridge keeps the equations definite
  copies <- rowsparse:::as_data(x[c(1:5, 1:5, 1:5), ])
  near <- rowsparse:::find_neighbours(copies, 4, "euclidean", ties = FALSE)
  rows <- c_call("C_local_weights", unclass(copies), near,
    list(neighbours = 4L, t = 1, ridge = 0.1)
  )
  expect_true(all(is.finite(rows$weight)))
})

core_ends_here()

test_that("the objective is that of the paper, smoothed, and falls in every iteration", {
  set.seed(2)
  for (size in list(c(40, 8), c(15, 30))) {
    x <- matrix(rexp(prod(size)), size[1])
    start <- start_of(rep(1:3, length.out = size[1]))
    A <- local_learning(x, 4, 1.5)
    for (L in list(crossprod(diag(size[1]) - A), diag(size[1]))) {
      for (zeta in c(0, 1, 1e6)) {
        s <- list(alpha = 2, beta = 0.4, nu = 0.7, zeta = zeta, eps = 1e-6)
        fit <- do.call(core_rufs, c(list(x, start, Matrix::Matrix(L, sparse = TRUE)), s))
        s$eps_regression <- 1e-6 * mean(plain_norms(start))
        terms <- plain_rufs(centred(x), L, fit, s)
        expect_equal(fit$terms, terms, tolerance = 1e-6)
        expect_equal(tail(fit$objective, 1), sum(terms * c(1, 0.7, 2, 0.4, zeta / 4)),
          tolerance = 1e-6
        )
        expect_never_rises(fit$objective)
        expect_true(all(fit$F >= 0) && all(fit$basis >= 0))
      }
    }
  }
})

test_that("W = 0 from beta_max on", {
  data <- class_data(5, 60, 15)
  fit <- rufs(data$x, 3)
  empty <- suppressWarnings(rufs(data$x, 3,
    beta = 3 * fit$parameters$beta_max, control = rowsparse_control(tol = 0, maxit = 300)
  ))
  expect_true(all(empty$scores == 0))
  large <- rufs(1e3 * data$x, 3)
  told <- large$parameters[c("alpha", "beta", "nu", "zeta")]
  again <- do.call(rufs, c(list(1e3 * data$x, 3), told))
  expect_equal(again$objective, large$objective)
})
