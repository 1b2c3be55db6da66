# kmeans_ufs(): both objectives in plain R, enumeration, the published iteration

# plain versions of the two objectives
plain_between <- function(x, cluster) {
  sums <- rowsum(x, cluster)
  colSums(sums^2 / as.vector(table(cluster)))
}

plain_diagonal <- function(z, clusters) {
  s <- svd(z, nu = 0)
  take <- seq_len(min(clusters, length(s$d)))
  drop(s$v[, take, drop = FALSE]^2 %*% s$d[take]^2)
}

sets_of <- function(d, k) utils::combn(d, k, simplify = FALSE)

# groups of samples that differ in the first features, and features of noise
grouped_matrix <- function(n, d, groups, informative = d %/% 2, gap = 3) {
  group <- rep_len(seq_len(groups), n)
  centres <- matrix(0, groups, d)
  centres[, seq_len(informative)] <- gap * stats::rnorm(groups * informative)
  x <- centres[group, ] + matrix(stats::rnorm(n * d), n)
  dimnames(x) <- list(NULL, paste0("g", seq_len(d)))
  x
}

test_that("every route of the truncated SVD gives the leading triplets", {
  set.seed(51)
  for (size in list(c(60, 25), c(25, 60), c(450, 420), c(3000, 420))) {
    x <- sample_matrix(size[1], size[2], rank = 8)
    x[abs(x) < 0.5] <- 0
    truth <- svd(centred(x, TRUE), 4, 4)
    for (data in list(as_c_data(x, TRUE), as_c_data(Matrix::Matrix(x, sparse = TRUE), TRUE))) {
      s <- c_call("C_truncated_svd", data, 4, list(tol = 1e-10, maxit = 300L, left = TRUE))
      expect_equal(s$squares, truth$d[1:4]^2, tolerance = 1e-9)
      expect_equal(abs(crossprod(s$right, truth$v)), diag(4), tolerance = 1e-6)
      expect_equal(abs(crossprod(s$left, truth$u)), diag(4), tolerance = 1e-6)
    }
  }
})

core_ends_here()

test_that("exact attains the maximum of (8), and of its relaxation", {
  set.seed(53)
  for (k in 1:4) {
    x <- sample_matrix(20, 8)
    z <- centred(x, TRUE)
    A <- with(svd(z), v[, 1:3] %*% (d[1:3]^2 * t(v[, 1:3])))
    best <- max(vapply(sets_of(8, k), function(s) sum(diag(A)[s]), 0))
    fit <- kmeans_ufs(x, k, 3)
    expect_equal(-fit$objective, best, tolerance = 1e-10)
    expect_equal(sum(diag(A)[fit$selected]), best, tolerance = 1e-10)
    expect_identical(fit$gap, 0)
    run <- function(x, ...) kmeans_ufs(x, k, 2, scale = FALSE, ...)
    expect_equal(run(8 * x)$scores, 64 * run(x)$scores)
    expect_equal(run(x, "admm")$parameters$mu, 0.1 * mean(apply(x, 2, stats::var)))
  }
})

test_that("reported objectives are those of the set and the clustering", {
  x <- from_seed(56, grouped_matrix(70, 24, 4))
  z <- centred(x, TRUE)
  A <- plain_diagonal(z, 4)
  for (solver in c("exact", "admm", "alternate")) {
    fit <- kmeans_ufs(x, 5, 4, solver)
    between <- plain_between(z, fit$cluster)
    expect_equal(fit$objectives[["clustering"]], -sum(between[fit$selected]), tolerance = 1e-9)
    expect_equal(fit$objectives[["spectral"]], -sum(A[fit$selected]), tolerance = 1e-9)
    expect_equal(fit$objectives[["spectral_optimum"]], -sum(sort(A, TRUE)[1:5]), tolerance = 1e-9)
    known <- if (solver == "alternate") NA_real_ else fit$objectives[["spectral_optimum"]]
    expect_equal(fit$bound, known)
  }
})

# ---- ADMM -----------------------------------------------------------------------

# the published iteration with d x d matrices
plain_admm <- function(A, rank, k, mu, rho, steps, form = "bilinear") {
  d <- nrow(A)
  e <- eigen(A, symmetric = TRUE)
  start <- rowsparse:::admm_start(e$vectors[, seq_len(rank), drop = FALSE], k)
  V <- U <- W <- qr.Q(qr(start)) %*% diag(sign(diag(qr.R(qr(start)))), k)
  Omega <- Gamma <- 0 * V
  values <- norms <- numeric(steps)
  for (t in seq_len(steps)) {
    if (form == "bilinear") {
      M <- A %*% U + mu * (U - Omega / mu) + mu * (W - Gamma / mu)
      V <- sqrt(k) * M / sqrt(sum(M^2))
      U <- plain_polar(A %*% V + mu * (V + Omega / mu))
    } else {
      V <- mu / 2 * solve(mu * diag(d) - A, (U - Omega / mu) + (W - Gamma / mu))
      U <- plain_polar(V + Omega / mu)
    }
    full <- V + Gamma / mu
    keep <- order(-plain_norms(full))[seq_len(k)]
    W <- 0 * full
    W[keep, ] <- full[keep, ]
    Omega <- Omega + mu * (V - U)
    Gamma <- Gamma + mu * (V - W)
    mu <- min(mu * rho, 1e7)
    values[t] <- -sum(diag(A)[keep])
    norms[t] <- sqrt(sum(V^2))
  }
  list(objective = values, norms = norms)
}

test_that("the ADMM is the published iteration, in both forms", {
  x <- from_seed(57, grouped_matrix(40, 18, 4))
  z <- centred(x, TRUE)
  A <- with(svd(z), v[, 1:4] %*% (d[1:4]^2 * t(v[, 1:4])))
  few <- rowsparse_control(maxit = 12)
  for (k in c(3, 7)) {
    fit <- suppressWarnings(kmeans_ufs(x, k, 4, "admm", control = few, mu = 5))
    plain <- plain_admm(A, 4, k, 5, 1.05, 12)
    expect_equal(fit$objective[-1], plain$objective, tolerance = 1e-8)
    expect_equal(fit$v_norm, plain$norms, tolerance = 1e-8)
  }
  mu <- svd(z)$d[1]^2 + 50
  fit <- suppressWarnings(kmeans_ufs(x, 7, 4, "admm", form = "quadratic", control = few, mu = mu))
  plain <- plain_admm(A, 4, 7, mu, 1.05, 12, "quadratic")
  expect_equal(fit$v_norm, plain$norms, tolerance = 1e-6)
  expect_equal(fit$objective[-1], plain$objective, tolerance = 1e-6)
})

test_that("the quadratic form says that its norm grew, the other keeps it", {
  x <- from_seed(59, grouped_matrix(60, 25, 3))
  expect_warning(
    fit <- kmeans_ufs(x, 10, 3, "admm", form = "quadratic"),
    class = "rowsparse_warning_convergence"
  )
  expect_true(fit$blown_up)
  expect_gt(max(fit$v_norm), 1e3 * sqrt(10))
  expect_false(fit$converged)
  fit <- kmeans_ufs(x, 6, 3, "admm")
  expect_true(fit$converged && !fit$blown_up)
  expect_equal(fit$v_norm, rep(sqrt(6), fit$iterations), tolerance = 1e-12)
  expect_lte(max(-fit$objective), -fit$objectives[["spectral_optimum"]] * (1 + 1e-12))
})

# ---- alternation --------------------------------------------------------------------

test_that("alternate never rises and ends where neither step improves", {
  set.seed(65)
  for (case in list(c(60, 12, 3, 3), c(80, 30, 5, 6), c(50, 8, 2, 1))) {
    x <- grouped_matrix(case[1], case[2], case[3], gap = 1)
    z <- centred(x, TRUE)
    fit <- kmeans_ufs(x, case[4], case[3], "alternate", starts = 5)
    between <- plain_between(z, fit$cluster)
    expect_never_rises(fit$objective)
    expect_equal(unname(fit$scores), unname(between), tolerance = 1e-9)
    expect_setequal(fit$selected, order(-between)[seq_len(case[4])])
    chosen <- z[, fit$selected, drop = FALSE]
    moved <- outer(seq_len(case[1]), seq_len(case[3]), Vectorize(function(i, j) {
      cluster <- fit$cluster
      cluster[i] <- j
      sum(plain_between(chosen, cluster))
    }))
    expect_lte(max(moved), sum(between[fit$selected]) * (1 + 1e-9))
    expect_equal(min(fit$start_objectives), fit$objectives[["clustering"]])
    expect_length(fit$start_objectives, 5)
  }
})

test_that("alternate finds the optimum of (7) on tiny problems", {
  set.seed(66)
  n <- 9
  splits <- as.matrix(expand.grid(c(list(1), rep(list(1:2), n - 1))))[-1, ]
  for (repeats in 1:4) {
    x <- matrix(stats::rnorm(n * 5), n)
    z <- centred(x, TRUE)
    best <- max(apply(splits, 1, function(cluster) {
      sum(sort(plain_between(z, cluster), TRUE)[1:2])
    }))
    fit <- kmeans_ufs(x, 2, 2, "alternate", starts = 200)
    expect_equal(-fit$objectives[["clustering"]], best, tolerance = 1e-9)
  }
})

test_that("clustering through products agrees with clustering of copied columns", {
  x <- from_seed(68, grouped_matrix(80, 24, 4))
  x[abs(x) < 0.3] <- 0
  run <- function(x) kmeans_ufs(x, 5, 4, "alternate", starts = 10, seed = 1)
  copied <- run(x)
  products <- instead_of("kmeans_room", 1, run(x))
  sparse <- instead_of("kmeans_room", 1, run(Matrix::Matrix(x, sparse = TRUE)))
  expect_equal(products$objectives, copied$objectives, tolerance = 1e-6)
  expect_setequal(products$selected, copied$selected)
  expect_equal(sparse$start_objectives, products$start_objectives, tolerance = 1e-8)
  # groups without much noise in two families of features: as many starts end in each as in copies
  x <- from_seed(1, matrix(stats::rnorm(60 * 24, sd = 0.15), 60))
  x[, 1:20] <- x[, 1:20] + (1:60 <= 12)
  x[, 21:24] <- x[, 21:24] + (1:60 %% 4 == 0)
  fit <- function() kmeans_ufs(x, 4, 2, "alternate", starts = 20, seed = 1)
  second <- function() mean(fit()$start_sets > 20)
  expect_lte(abs(instead_of("kmeans_room", 1, second()) - second()), 0.1)
  # starts that need several rounds on many features end as well
  x <- from_seed(1, grouped_matrix(80, 60, 4, informative = 12, gap = 2))
  start <- function() mean(kmeans_ufs(x, 5, 4, "alternate", starts = 30, seed = 1)$start_objectives)
  expect_equal(instead_of("kmeans_room", 1, start()), start(), tolerance = 0.005)
})

test_that("singular vectors that are not known well are a warning with the residual", {
  x <- from_seed(71, matrix(stats::rnorm(600 * 450), 600))
  expect_warning(
    fit <- kmeans_ufs(x, 10, 5, control = rowsparse_control(inner_maxit = 1)),
    "known to a residual of", class = "rowsparse_warning_convergence"
  )
  expect_false(fit$converged)
  expect_gt(fit$svd$residual, 1e-8)
})

test_that("the spread of random starts is told", {
  x <- from_seed(9, simulate_shapes("diamond9", 120)$x)
  fit <- kmeans_ufs(x, 3, 4, "alternate", starts = 6, seed = 2)
  expect_identical(dim(fit$start_sets), c(6L, 3L))
  expect_setequal(fit$start_sets[fit$best_start, ], fit$selected)
  counts <- table(factor(fit$start_sets, 1:9))
  expect_equal(fit$overlap, sum(choose(counts, 2)) / choose(6, 2) / 3)
})
