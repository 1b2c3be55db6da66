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

rufs_groups <- function() {
  y <- rep(1:3, length.out = 60)
  x <- matrix(rnorm(60 * 15), 60)
  x[, 1:4] <- x[, 1:4] + 3 * matrix(rnorm(12), 3)[y, ]
  list(x = x, y = y)
}

start_of <- function(y, offset = 0.2) {
  rows <- outer(y, sort(unique(y)), "==") + offset
  sweep(rows, 2, sqrt(colSums(rows^2)), "/")
}

core_rufs <- function(x, start, L, ..., raw = FALSE) {
  settings <- utils::modifyList(
    list(alpha = 1, beta = 0.1, nu = 1, zeta = 100, eps = 1e-6, tol = 0, maxit = 20L,
      laplacian = "local"
    ), list(...)
  )
  data <- as_c_data(x)
  if (raw) data$mean <- 0 * data$mean
  rows <- if (is.list(L)) L else symmetric_rows(L)
  c_call("C_rufs", data, start, rows, settings)
}

test_that("local learning is kernel ridge regression on the neighbours", {
  set.seed(1)
  x <- matrix(rnorm(25 * 6), 25)
  data <- rowsparse:::as_data(x)
  near <- rowsparse:::find_neighbours(data, 4, "euclidean", ties = FALSE)
  for (t in c(0.5, 2)) {
    rows <- c_call("C_local_learning", unclass(data), near,
      list(neighbours = 4L, t = t, ridge = 0.1)
    )
    expect_equal(as.matrix(rowsparse:::sparse_rows(rows)), local_learning(x, 4, t),
      ignore_attr = TRUE
    )
  }
  # copies have one kernel value, and the ridge keeps the equations definite
  copies <- rowsparse:::as_data(x[c(1:5, 1:5, 1:5), ])
  near <- rowsparse:::find_neighbours(copies, 4, "euclidean", ties = FALSE)
  rows <- c_call("C_local_learning", unclass(copies), near,
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
        expect_length(fit$objective, fit$iterations + 1L)
      }
    }
  }
})

test_that("the symmetric Laplacian is that of the graph, isolated samples included", {
  set.seed(8)
  x <- matrix(rnorm(40 * 5), 40)
  start <- start_of(rep(1:3, length.out = 40))
  W <- exp(-as.matrix(dist(x)))
  W[W < 0.1] <- 0
  diag(W) <- 0
  W[, 7] <- W[7, ] <- 0
  degree <- rowSums(W)
  expect_gt(sum(degree > 0), 20)
  root <- ifelse(degree > 0, 1 / sqrt(degree), 0)
  L <- diag(as.double(degree > 0)) - root * W * rep(root, each = 40)
  given <- core_rufs(x, start, Matrix::Matrix(L, sparse = TRUE))
  graph <- symmetric_rows(Matrix::Matrix(W, sparse = TRUE))
  made <- core_rufs(x, start, graph, laplacian = "symmetric")
  expect_identical(made$isolated, sum(degree == 0))
  expect_equal(made[names(made) != "isolated"], given[names(given) != "isolated"])
})

test_that("an exact factorisation stays, where nothing else is asked", {
  set.seed(3)
  y <- rep(1:3, length.out = 30)
  G <- start_of(y, 0)
  x <- G %*% matrix(rexp(3 * 10), 3)
  fit <- core_rufs(x, G, Matrix::Diagonal(30), nu = 0, alpha = 1e-12, beta = 1e-12, zeta = 0,
    raw = TRUE
  )
  expect_lt(fit$terms[1], 1e-4)
  expect_equal(fit$F, G, tolerance = 1e-6)
})

test_that("features that tell the clusters apart come first, for any unit and order", {
  set.seed(4)
  data <- rufs_groups()
  for (laplacian in c("local", "symmetric")) {
    fit <- rufs(data$x, 3, laplacian = laplacian)
    expect_true(all(selected(fit, 3) %in% 1:4))
    expect_equal(nmi(data$y, fit$cluster), 1)
    expect_never_rises(fit$objective)
    for (unit in c(1e-120, 1e120)) {
      scaled <- rufs(data$x * unit, 3, laplacian = laplacian)
      expect_identical(scaled$ranking, fit$ranking)
      expect_equal(scaled$objective / unit, fit$objective, tolerance = 1e-6)
    }
    given <- do.call(rufs, c(list(data$x, 3, laplacian = laplacian),
      fit$parameters[c("alpha", "beta", "nu", "zeta")]
    ))
    expect_equal(given$scores, fit$scores, tolerance = 1e-8)
    rows <- sample(60)
    columns <- sample(15)
    again <- rufs(data$x[rows, columns], 3, laplacian = laplacian)
    expect_equal(again$scores, fit$scores[columns], tolerance = 1e-5)
  }
  sparse <- rufs(methods::as(data$x, "CsparseMatrix"), 3)
  expect_equal(sparse$scores, rufs(data$x, 3)$scores, tolerance = 1e-6)
})

test_that("W = 0 from beta_max on", {
  set.seed(5)
  data <- rufs_groups()
  fit <- rufs(data$x, 3)
  empty <- suppressWarnings(rufs(data$x, 3,
    beta = 3 * fit$parameters$beta_max, control = rowsparse_control(tol = 0, maxit = 300)
  ))
  expect_true(all(empty$scores == 0))
})

test_that("outlying, repeated and constant samples and features do no harm", {
  set.seed(6)
  x <- matrix(rnorm(60), 12)
  x <- rbind(x, x[1:6, ], 1e4)
  fit <- suppressWarnings(rufs(cbind(x, 1), 2, neighbours = 2))
  expect_true(all(is.finite(fit$scores)))
  expect_identical(tail(fit$ranking, 1), 6L)
  expect_true(all(is.finite(suppressWarnings(rufs(x, 2, nu = 0, zeta = 0))$scores)))
  # a cluster for every sample: residuals vanish, and products that should be zero
  exact <- suppressWarnings(rufs(matrix(rbinom(200, 1, 0.3), 20), 20))
  expect_true(all(is.finite(exact$objective)))
  expect_never_rises(exact$objective)
})

test_that("what cannot be is refused", {
  x <- matrix(rnorm(60), 12)
  expect_refused(rufs(x, 1), "range", "`clusters`")
  expect_refused(rufs(x, 2, alpha = 0), "range", "`alpha`")
  expect_refused(rufs(x, 2, zeta = -1), "range", "`zeta`")
  expect_refused(rufs(x, 2, laplacian = "none"), "choice", "`laplacian`")
  expect_refused(rufs(moments(x), 2), "type", "`x`")
})

test_that("recorded runs of RUFS are matched or improved where the clusters stay", {
  reference <- shared_reference("baselines_pseudo_label_family")
  cases <- reference$cases[grepl("^rufs", names(reference$cases))]
  lung <- shared_data("lung_discrete")$x
  for (name in names(cases)) {
    case <- cases[[name]]
    x <- switch(gsub("[^a-z_]", "", case$data), tiny = reference$tiny$x, lung_discrete = lung,
      lung[, reference$lung60_cols]
    )
    x <- (x - min(x)) / (max(x) - min(x))
    entries <- case$L
    off <- entries$i != entries$j
    L <- Matrix::sparseMatrix(c(entries$i, entries$j[off]), c(entries$j, entries$i[off]),
      x = c(entries$w, entries$w[off]), dims = c(nrow(x), nrow(x))
    )
    given <- case$params
    run <- function(start, zeta) {
      core_rufs(x, start, L,
        alpha = given$alpha, beta = given$beta, nu = given$nu, zeta = zeta, eps = 1e-8,
        tol = 1e-6, maxit = 200L, raw = TRUE
      )
    }
    # the recorded steps move G further under this zeta: a smaller one comes first
    moved <- grepl("norm_lung", name)
    fit <- list(F = start_of(case$start$assignment))
    for (zeta in if (moved) 10^(3:7) else 1e7) fit <- run(fit$F, zeta)
    value <- sum(fit$terms[1:4] * c(1, given$nu, given$alpha, given$beta))
    expect_lte(value, case$objective_final * (1 + 1e-3))
    expect_lte(fit$terms[5], if (moved) 1e-4 else 1e-6)
  }
})
