# columns of norm 1, as the method sees them
unit_columns <- function(x) scale(x) / sqrt(nrow(x) - 1)

blobs <- function(n = 20, d = 8, shift = 6) {
  x <- matrix(rnorm(3 * n * d), 3 * n)
  x[, 1] <- x[, 1] + shift * rep(0:2, each = n)
  x[, 2] <- x[, 2] + shift * rep(c(0, 1, 0), each = n)
  x
}

test_that("rounds lower the objective at their lambda, which is that of plain R", {
  set.seed(1)
  for (size in list(c(40, 10), c(25, 40))) {
    x <- matrix(rnorm(prod(size)), size[1])
    x[, 1:4] <- x[, 1:4] + 2 * rep(0:1, length.out = size[1])
    for (p in c(0.5, 1)) {
      fit <- suppressWarnings(sogfs(x, m = 2, clusters = 3, gamma = 0.3, p = p))
      expect_lte(max(fit$rounds$after - fit$rounds$before), 1e-9 * max(fit$objective))
      expect_identical(fit$objective[-1], fit$rounds$after)
      expect_length(fit$objective, fit$iterations + 1L)
      expect_orthonormal(fit$loadings, 1e-9)
      A <- graph_weights(fit)
      expect_equal(rowSums(A), rep(1, fit$n))
      expect_identical(diag(A), numeric(fit$n))
      L <- graph_laplacian(A)
      ev <- rev(eigen(L, symmetric = TRUE, only.values = TRUE)$values)
      last <- tail(fit$rounds, 1)
      expect_equal(last$lowest, sum(ev[1:3]), tolerance = 1e-8)
      expect_equal(last$next_lowest, sum(ev[1:4]), tolerance = 1e-8)
      z <- unit_columns(x) %*% fit$loadings
      value <- sum((L %*% z) * z) + fit$parameters$alpha / 2 * sum(A^2) +
        0.3 * sum((rowSums(fit$loadings^2) + fit$parameters$eps)^(p / 2)) +
        last$lambda * sum(ev[1:3])
      expect_equal(last$after, value, tolerance = 1e-8)
    }
  }
})

core_ends_here()

# A after one update from the start, by plain R
test_that("the first rounds are those of plain R", {
  set.seed(2)
  x <- matrix(rnorm(30 * 6), 30)
  z <- unit_columns(x)
  k <- 4
  D <- as.matrix(dist(z))^2
  diag(D) <- Inf
  near <- t(apply(D, 1, order))[, seq_len(k + 1)]
  A <- matrix(0, 30, 30)
  alpha <- numeric(30)
  for (i in 1:30) {
    e <- D[i, near[i, ]]
    alpha[i] <- (k * e[k + 1] - sum(e[1:k])) / 2
    A[i, near[i, 1:k]] <- plain_simplex(-e[1:k] / (2 * alpha[i]), 1)
    expect_equal(A[i, near[i, 1:k]], unname((e[k + 1] - e[1:k]) / (2 * alpha[i])))
  }
  alpha <- mean(alpha)
  directions <- function(L, eps) {
    M <- t(z) %*% L %*% z
    q <- rep(1, 6)
    for (step in 1:100) {
      W <- eigen(M + 0.1 * diag(q), symmetric = TRUE)$vectors[, 5:6]
      q <- 0.5 / sqrt(rowSums(W^2) + eps)
    }
    W
  }
  eps <- 1e-10 * 2 / 6
  L <- graph_laplacian(A)
  vectors <- eigen(L, symmetric = TRUE)$vectors[, 28:30]
  W <- directions(L, eps)
  values <- numeric()
  B <- A
  for (i in 1:30) {
    among <- near[i, 1:k]
    e <- rowSums(sweep(z[among, ] %*% W, 2, z[i, ] %*% W)^2) +
      alpha * rowSums(sweep(vectors[among, ], 2, vectors[i, ])^2)
    B[i, among] <- plain_simplex(-e / (2 * alpha), 1)
  }
  fit <- suppressWarnings(sogfs(x, m = 2, clusters = 3, gamma = 0.1, neighbours = k,
    control = rowsparse_control(maxit = 1, inner_tol = 0, inner_maxit = 100)
  ))
  expect_equal(fit$parameters$alpha, alpha, tolerance = 1e-10)
  expect_equal(graph_weights(fit), B, tolerance = 1e-5, ignore_attr = TRUE)
})

test_that("whole runs are those of plain R", {
  for (size in list(c(40, 10), c(25, 40))) {
    for (p in c(0.5, 1)) {
      set.seed(5)
      x <- matrix(rnorm(prod(size)), size[1])
      x[, 1:4] <- x[, 1:4] + 3 * rep(0:2, length.out = size[1])
      fit <- suppressWarnings(sogfs(x, m = 2, clusters = 3, gamma = 0.3, p = p,
        control = rowsparse_control(inner_tol = 1e-10)
      ))
      plain <- plain_sogfs(unit_columns(x), 2, 3, 0.3, p)
      expect_equal(fit$rounds$lambda, plain$lambda, tolerance = 1e-10)
      expect_equal(fit$objective, plain$objective, tolerance = 1e-5)
      expect_equal(unname(fit$scores), plain_norms(plain$W), tolerance = 1e-4)
      expect_equal(graph_weights(fit), plain$A, tolerance = 1e-4)
    }
  }
})

test_that("well separated groups become the components, and their features come first", {
  set.seed(3)
  x <- blobs()
  fit <- sogfs(x, m = 2, clusters = 3)
  expect_true(fit$converged)
  expect_identical(length(unique(fit$cluster)), 3L)
  expect_equal(nmi(rep(1:3, each = 20), fit$cluster), 1)
  # the neighbours alone make more components than wanted
  far <- rbind(blobs(shift = 30), blobs(shift = 30) + 100)
  fit <- sogfs(far, m = 2, clusters = 2)
  expect_true(fit$converged)
  expect_gt(length(unique(fit$cluster)), 2)
  expect_lte(fit$iterations, 10)
})

test_that("units and order change nothing", {
  set.seed(4)
  for (d in c(8, 50)) {
    x <- matrix(rnorm(30 * d), 30)
    x[1:15, 1:3] <- x[1:15, 1:3] + 3
    control <- rowsparse_control(maxit = 4)
    run <- function(x, ...) {
      suppressWarnings(sogfs(x, m = 2, clusters = 2, control = control, ...))
    }
    fit <- run(x)
    for (unit in c(1e-120, 1e120)) {
      expect_equal(run(unit * x)$scores, fit$scores, tolerance = 1e-5)
      expect_equal(run(unit * x, scale = FALSE)$scores, run(x, scale = FALSE)$scores,
        tolerance = 1e-5
      )
    }
    expect_equal(run(x %*% diag(10^runif(d, -3, 3)))$scores, fit$scores, tolerance = 1e-5)
    rows <- sample(30)
    expect_equal(run(x[rows, ])$scores, fit$scores, tolerance = 1e-4)
    columns <- sample(d)
    expect_equal(run(x[, columns])$scores, fit$scores[columns], tolerance = 1e-4)
  }
})

test_that("copies of samples, constants and few samples are handled", {
  set.seed(5)
  x <- cbind(matrix(rnorm(6 * 10), 6)[rep(1:6, each = 4), ], 3)
  fit <- suppressWarnings(sogfs(x, m = 2, clusters = 2, neighbours = 3))
  expect_true(all(is.finite(fit$scores)))
  expect_identical(fit$ranking[11], 11L)
  expect_true(all(fit$graph$index != row(fit$graph$index)))
  fit <- suppressWarnings(sogfs(matrix(rnorm(12), 4), m = 1, clusters = 2))
  expect_identical(fit$parameters$neighbours, 2L)
  fit <- suppressWarnings(sogfs(matrix(rnorm(9), 3), m = 1, clusters = 1))
  expect_true(all(is.finite(fit$scores)))
})

test_that("arguments out of range are refused", {
  x <- matrix(rnorm(60), 10)
  expect_out_of_range(function(...) sogfs(x, ...),
    p = 0, gamma = -1, clusters = 10, neighbours = 0.5
  )
  expect_error(sogfs(moments(x)), class = "rowsparse_error_type")
})

test_that("recorded runs of SOGFS are met round by round", {
  reference <- shared_reference("baselines_structure_family")
  lung <- shared_data("lung_discrete")$x
  columns <- shared_reference("baselines_pseudo_label_family")$lung60_cols
  run <- function(case, ...) {
    x <- if (case$data == "tiny") reference$tiny$x else lung[, columns]
    p <- case$params
    suppressWarnings(sogfs(x, m = p$m, clusters = p$C, gamma = p$gamma, p = p$p,
      neighbours = p$k, control = rowsparse_control(...)
    ))
  }
  recorded <- function(case) {
    terms <- case$terms_trace
    list(
      objective = terms[, 1] / 2 + terms[, 2] / 2 + terms[, 3] + terms[, 4] / 2,
      lambda = terms[, 5], lowest = terms[, 6], next_lowest = terms[, 7]
    )
  }
  for (name in c("sogfs_tiny_g1_p1", "sogfs_tiny_g0.01_p1", "sogfs_tiny_g1_p0.5")) {
    case <- reference$cases[[name]]
    # steps of their first inner loop
    steps <- if (case$params$gamma == 0.01) 3 else 100
    fit <- run(case, inner_tol = 1e-9, inner_maxit = steps)
    theirs <- recorded(case)
    expect_equal(fit$parameters$alpha, case$params$alpha, tolerance = 1e-12)
    expect_equal(fit$rounds$lambda, theirs$lambda, tolerance = 1e-10)
    # smoothing costs 1e-10 ||w||^2 in every row here
    expect_equal(fit$rounds$after, theirs$objective, tolerance = 1e-2)
    expect_equal(fit$rounds$next_lowest, theirs$next_lowest, tolerance = 1e-5)
    expect_lt(max(abs(fit$rounds$lowest - theirs$lowest)), 1e-6)
    expect_lt(max(abs(fit$scores - case$score)), 2e-6)
  }
  case <- reference$cases$sogfs_lung60_g0.1_p1
  fit <- run(case, maxit = 4, inner_tol = 1e-9)
  expect_equal(fit$objective[-1], recorded(case)$objective[1:4], tolerance = 1e-5)
  expect_equal(fit$rounds$next_lowest, recorded(case)$next_lowest[1:4], tolerance = 1e-4)
  # where the steps from equal weights end above the W before, ours are lower
  case <- reference$cases$sogfs_lung60_g10_p1
  fit <- run(case, maxit = 1)
  expect_equal(fit$rounds$next_lowest, recorded(case)$next_lowest[1], tolerance = 1e-5)
  expect_lt(fit$objective[2], recorded(case)$objective[1])
})

test_that("a penalty beyond all bounds leaves the penalty alone to decide", {
  set.seed(12)
  x <- outer(stats::rnorm(20), stats::rnorm(10))
  wide <- matrix(stats::rnorm(8 * 15), 8)
  for (x in list(x, wide)) {
    fits <- lapply(c(1e60, 1e160, 1e300), function(gamma) {
      suppressWarnings(sogfs(x, m = 1, gamma = gamma, p = 2))
    })
    for (fit in fits) {
      expect_lt(fit$kkt, 1e-6)
      expect_equal(fit$objective / fit$parameters$gamma, fits[[1]]$objective / 1e60,
        tolerance = 1e-6
      )
    }
  }
})
