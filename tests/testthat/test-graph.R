# Neighbours, weights of edges and embeddings, entry point by entry point.

found_neighbours <- function(x, k, ties = TRUE, metric = c("euclidean", "cosine")) {
  settings <- list(k = as.integer(k), ties = as.integer(ties), metric = metric)
  c_call("C_neighbours", as_c_data(x), settings)
}

# rows as a metric sees them
plain_rows <- function(x, metric) {
  z <- centred(x)
  if (metric == "euclidean") {
    return(z)
  }
  norms <- sqrt(rowSums(z^2))
  z / ifelse(norms > 1e-14 * max(norms), norms, 1)
}

# lists by brute force; distances that differ by rounding are equal
plain_neighbours <- function(x, k, ties, metric) {
  z <- plain_rows(x, metric)
  distances <- signif(as.matrix(stats::dist(z)), 12)
  distances[distances < 1e-12 * sqrt(max(rowSums(z^2)))] <- 0
  lapply(seq_len(nrow(z)), function(i) {
    by_distance <- setdiff(order(distances[i, ]), i)
    kth <- distances[i, by_distance[k]]
    if (ties) by_distance[distances[i, by_distance] <= kth] else by_distance[seq_len(k)]
  })
}

expect_neighbours <- function(x, k, like = x) {
  for (ties in c(FALSE, TRUE)) {
    found <- found_neighbours(x, k, ties)
    for (metric in names(found)) {
      one <- found[[metric]]
      lists <- unname(split(one$index, rep(seq_len(one$n), diff(one$start))))
      expect_identical(lists, plain_neighbours(like, k, ties, metric))
      z <- plain_rows(like, metric)
      gaps <- z[rep(seq_len(one$n), diff(one$start)), ] - z[one$index, ]
      expect_equal(one$distance, sqrt(rowSums(gaps^2)), tolerance = 1e-10)
      exact <- as.matrix(stats::dist(z))
      expect_equal(c(one$largest, one$mean), c(max(exact), mean(exact)), tolerance = 1e-7)
    }
  }
}

weights_of <- function(near, weights, q, mutual = FALSE, t = 0) {
  settings <- list(weights = weights, neighbours = q, mutual = as.integer(mutual), t = t)
  graph <- c_call("C_graph", near, settings)
  columns <- split(graph$index, rep(seq_len(graph$n), diff(graph$start)))
  expect_false(any(vapply(columns, is.unsorted, NA, strictly = TRUE)))
  graph
}

test_that("neighbours agree with brute force", {
  x <- from_seed(1, matrix(rnorm(120 * 7), 120))
  expect_neighbours(x, 6)
  expect_neighbours(x[1:40, ], 39)
  for (n in 2:5) for (k in seq_len(n - 1)) expect_neighbours(matrix(rnorm(3 * n), n), k)
  expect_neighbours(matrix(rnorm(300 * 3), 300) %*% matrix(rnorm(3 * 400), 3), 4)
})

core_ends_here()

test_that("copies of rows are neighbours at distance 0, ties go by index", {
  x <- from_seed(2, matrix(rnorm(60 * 5), 60))
  expect_neighbours(rbind(x, x[1:30, ], x[1:10, ]), 2)
  expect_neighbours(as.matrix(expand.grid(1:7, 1:7, 1:3)), 5)
})

test_that("the order of the rows decides nothing where ties are kept", {
  set.seed(4)
  x <- rbind(as.matrix(expand.grid(1:5, 1:6)), c(1, 1), c(1, 1))
  order <- sample(nrow(x))
  for (metric in c("euclidean", "cosine")) {
    near <- found_neighbours(x, 4, metric = metric)[[1]]
    moved <- found_neighbours(x[order, ], 4, metric = metric)[[1]]
    for (weights in c("binary", "heat", "self_tuning", "can")) {
      W <- graph_matrix(weights_of(near, weights, 3L))
      expect_equal(graph_matrix(weights_of(moved, weights, 3L)), W[order, order], tolerance = 1e-12)
      expect_equal(W, t(W))
      expect_true(all(diag(W) == 0))
    }
  }
})

test_that("weights of edges follow their definitions", {
  x <- from_seed(5, matrix(rnorm(80 * 4), 80))
  D <- as.matrix(stats::dist(x))
  dimnames(D) <- NULL
  near <- found_neighbours(x, 8)$euclidean
  q <- 5
  scale <- apply(D, 1, function(row) sort(row)[q + 1])
  out <- D <= scale & D > 0
  expect_equal(graph_matrix(weights_of(near, "binary", 5L)), (out | t(out)) + 0)
  expect_equal(graph_matrix(weights_of(near, "binary", 5L, mutual = TRUE)), (out & t(out)) + 0)
  expect_equal(graph_matrix(weights_of(near, "heat", 5L)),
               (out | t(out)) * exp(-D^2 / (2 * mean(D)^2)), tolerance = 1e-10)
  expect_equal(graph_matrix(weights_of(near, "heat", 5L, mutual = TRUE, t = 0.7)),
               (out & t(out)) * exp(-D^2 / (2 * 0.7^2)), tolerance = 1e-10)
  expect_equal(graph_matrix(weights_of(near, "self_tuning", 5L)),
               (out | t(out)) * exp(-D^2 / outer(scale, scale)), tolerance = 1e-10)
  next_one <- apply(D^2, 1, function(row) sort(row)[q + 2])
  A <- pmax(next_one - D^2, 0) * out
  A <- A / rowSums(A)
  expect_equal(graph_matrix(weights_of(near, "can", 5L)), (A + t(A)) / 2, tolerance = 1e-10)
})

test_that("reconstruction weights minimise what they say", {
  x <- from_seed(6, matrix(rnorm(50 * 6), 50))
  near <- found_neighbours(x, 4)$euclidean
  for (ridge in c(1e-3, 0.5)) {
    settings <- list(neighbours = 4L, t = 0, ridge = ridge)
    R <- graph_matrix(c_call("C_local_weights", as_c_data(x), near, settings))
    near_rows <- matrix(near$index, 50, byrow = TRUE)
    expect_equal(R, plain_reconstruction(x, near_rows, ridge), tolerance = 1e-9)
    expect_equal(rowSums(R != 0), rep(4, 50))
  }
})

kinds <- c("symmetric", "unnormalized")

plain_laplacian <- function(W, kind, tau) {
  n <- nrow(W)
  A <- W + tau * mean(rowSums(W)) / n
  degree <- rowSums(A)
  root <- ifelse(degree > 0, 1 / sqrt(degree), 0)
  identity <- diag(as.double(degree > 0), n)
  switch(kind, symmetric = identity - root * A * rep(root, each = n), diag(degree, n) - A)
}

# embeddings by LAPACK, the trivial eigenvector left out
plain_embedding <- function(W, kind, tau, m) {
  n <- nrow(W)
  L <- plain_laplacian(W, kind, tau)
  degree <- rowSums(W + tau * mean(rowSums(W)) / n)
  trivial <- if (kind == "unnormalized") rep(1, n) else sqrt(degree)
  L <- L + 10 * max(diag(L)) * tcrossprod(trivial / sqrt(sum(trivial^2)))
  decomposition <- eigen(L, symmetric = TRUE)
  at <- n + 1 - seq_len(m)
  vectors <- decomposition$vectors[, at, drop = FALSE]
  list(values = decomposition$values[at], vectors = sweep(vectors, 2, plain_norms(t(vectors)), "/"))
}

embedding_of <- function(graph, kind, tau, m, tol = 1e-12, maxit = 500L) {
  c_call("C_embedding", graph, list(
    laplacian = kind, regularization = tau, m = m, tol = tol, maxit = maxit
  ))
}

# the same space
expect_same_space <- function(V, U, tolerance = 1e-8) {
  project <- function(V) tcrossprod(qr.Q(qr(V)))
  expect_lte(max(abs(project(V) - project(U))), tolerance)
}

test_that("embeddings agree with LAPACK, by the dense solver and by the sparse one", {
  set.seed(8)
  for (n in c(90, 400)) {
    x <- matrix(rnorm(n * 4), n)
    graph <- weights_of(found_neighbours(x, 6)$euclidean, "self_tuning", 6L)
    W <- graph_matrix(graph)
    for (kind in kinds) for (tau in c(0, 0.1)) {
      found <- embedding_of(graph, kind, tau, 8L)
      plain <- plain_embedding(W, kind, tau, 8)
      expect_true(found$converged)
      expect_equal(found$values, plain$values, tolerance = 1e-10)
      expect_same_space(found$vectors, plain$vectors)
      expect_equal(colSums(found$vectors^2), rep(1, 8))
      residual <- plain_laplacian(W, kind, tau) %*% found$vectors -
        sweep(found$vectors, 2, found$values, "*")
      expect_equal(plain_norms(t(residual)), found$residuals, tolerance = 1e-2, ignore_attr = TRUE)
      expect_lte(max(found$residuals), 1e-10 * max(rowSums(W)))
    }
  }
})

test_that("a graph has as many null vectors as components", {
  set.seed(9)
  for (size in c(30, 120)) {
    x <- do.call(rbind, lapply(1:5, function(g) matrix(rnorm(size * 3), size) + 100 * g))
    x <- rbind(x, x[nrow(x), ] + 1e4)
    near <- found_neighbours(x, 4)$euclidean
    graph <- weights_of(near, "binary", 4L, mutual = TRUE) # samples without edges too
    W <- graph_matrix(graph)
    found <- embedding_of(graph, "symmetric", 0, 8L)
    spectrum <- eigen(plain_laplacian(W, "symmetric", 0), symmetric = TRUE)$values
    expect_identical(found$components, sum(spectrum < 1e-10))
    expect_equal(found$values, sort(spectrum)[2:9], tolerance = 1e-10)
    expect_identical(found$isolated, sum(rowSums(W) == 0))
    expect_true(all(W[outer(found$label, found$label, "!=")] == 0))
    expect_true(all(is.finite(found$vectors)))
  }
})
