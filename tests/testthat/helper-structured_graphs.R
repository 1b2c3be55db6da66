# Second implementations, in plain R, of methods that learn a graph of the samples (sogfs(), slap(),
# sf2sog()) and of ilfs(): from the formulas of their help pages, with dense matrices throughout.

# ---- graphs ------------------------------------------------------------------------

# A of a fit, n x n
graph_weights <- function(fit) {
  A <- matrix(0, fit$n, fit$n)
  at <- cbind(as.vector(row(fit$graph$index)), as.vector(fit$graph$index))
  some <- at[, 2] > 0
  A[at[some, , drop = FALSE]] <- as.vector(fit$graph$weight)[some]
  A
}

graph_laplacian <- function(A) {
  S <- (A + t(A)) / 2
  diag(rowSums(S)) - S
}

squared_distances <- function(z) unname(as.matrix(stats::dist(z))^2)

# the others, the nearest first, of all samples or of those with the same label
others_by_distance <- function(D, label = rep(1, nrow(D))) {
  lapply(seq_len(nrow(D)), function(i) {
    others <- setdiff(which(label == label[i]), i)
    others[order(D[i, others])]
  })
}

# CAN weights of the k nearest; alpha is the mean over the samples that have one more
can_graph <- function(D, k, label = rep(1, nrow(D))) {
  n <- nrow(D)
  A <- matrix(0, n, n)
  alpha <- rep(NA, n)
  lists <- others_by_distance(D, label)
  for (i in seq_len(n)) {
    e <- D[i, lists[[i]]]
    near <- utils::head(lists[[i]], k)
    if (length(e) > k) {
      A[i, near] <- (e[k + 1] - e[1:k]) / (k * e[k + 1] - sum(e[1:k]))
      alpha[i] <- (k * e[k + 1] - sum(e[1:k])) / 2
    } else {
      A[i, near] <- 1 / length(near)
    }
  }
  list(A = A, alpha = mean(alpha, na.rm = TRUE), near = lapply(lists, utils::head, k))
}

# rows of A for costs E over the candidates `near`, near `centre` where one is given
graph_rows <- function(E, near, alpha, centre = 0 * E) {
  A <- 0 * E
  for (i in seq_len(nrow(E))) {
    among <- near[[i]]
    if (length(among) > 0) {
      A[i, among] <- plain_simplex(centre[i, among] - E[i, among] / (2 * alpha), 1)
    }
  }
  A
}

component_count <- function(A) {
  label <- seq_len(nrow(A))
  repeat {
    joined <- vapply(seq_along(label), function(i) {
      min(label[i], label[A[i, ] > 0 | A[, i] > 0])
    }, 0L)
    if (identical(joined, label)) {
      return(length(unique(label)))
    }
    label <- joined
  }
}

# ---- directions ----------------------------------------------------------------------

# where W is sought: the row space of the data where that is no larger than the features
direction_space <- function(z) {
  if (ncol(z) < nrow(z)) {
    return(diag(ncol(z)))
  }
  s <- svd(z)
  s$v[, s$d > 1e-9 * s$d[1]]
}

direction_value <- function(M, W, gamma, p, eps) {
  sum(W * (M %*% W)) + gamma * sum((rowSums(W^2) + eps)^(p / 2))
}

# min tr(W'MW) + gamma sum_j (||w_j||^2 + eps)^(p/2) within a space, by reweighting from the
# weights of W, or from equal ones
reweighted_directions <- function(M, space, m, gamma, p, eps, W = NULL, tol = 1e-10, maxit = 100) {
  q <- rep(1, nrow(M))
  value <- Inf
  for (step in seq_len(maxit)) {
    if (!is.null(W)) q <- p / 2 * (rowSums(W^2) + eps)^(p / 2 - 1)
    H <- crossprod(space, (M + gamma * diag(q)) %*% space)
    W <- space %*% eigen(H, symmetric = TRUE)$vectors[, ncol(H) - seq_len(m) + 1, drop = FALSE]
    last <- value
    value <- direction_value(M, W, gamma, p, eps)
    if (abs(last - value) <= tol * abs(value)) break
  }
  W
}

# from equal weights, and from the W before where that ends lower
better_directions <- function(M, space, W, gamma, p, eps, ...) {
  found <- reweighted_directions(M, space, ncol(W), gamma, p, eps, ...)
  value <- function(W) direction_value(M, W, gamma, p, eps)
  if (value(found) <= value(W)) {
    return(found)
  }
  reweighted_directions(M, space, ncol(W), gamma, p, eps, W, ...)
}

# ---- sogfs and slap --------------------------------------------------------------------

# columns of z have norm 1; the rounds as on the page of sogfs()
plain_sogfs <- function(z, m, clusters, gamma, p = 1, k = 5, maxit = 50) {
  n <- nrow(z)
  space <- direction_space(z)
  eps <- 1e-10 * m / ncol(z)
  graph <- can_graph(squared_distances(z), k)
  alpha <- lambda <- graph$alpha
  A <- graph$A
  smallest <- function(L) {
    pairs <- eigen(L, symmetric = TRUE)
    list(values = rev(pairs$values), vectors = pairs$vectors[, n:(n - clusters + 1), drop = FALSE])
  }
  L <- graph_laplacian(A)
  embedding <- smallest(L)$vectors
  W <- reweighted_directions(t(z) %*% L %*% z, space, m, gamma, p, eps)
  value <- function() {
    direction_value(t(z) %*% L %*% z, W, gamma, p, eps) + alpha / 2 * sum(A^2) +
      lambda * sum(embedding * (L %*% embedding))
  }
  objective <- value()
  lambdas <- numeric()
  direction <- turns <- 0
  factor <- 2
  for (round in seq_len(maxit)) {
    lambdas[round] <- lambda
    E <- squared_distances(z %*% W) + lambda * squared_distances(embedding)
    near <- if (round <= 5) graph$near else lapply(others_by_distance(E), utils::head, k)
    A <- graph_rows(E, near, alpha)
    L <- graph_laplacian(A)
    M <- t(z) %*% L %*% z
    undecided <- ncol(space) - (n - component_count(A)) > m
    W <- if (undecided) {
      reweighted_directions(M, space, m, gamma, p, eps, W)
    } else {
      better_directions(M, space, W, gamma, p, eps)
    }
    before <- embedding
    found <- smallest(L)
    embedding <- found$vectors
    objective[round + 1] <- value()
    unit <- mean(diag(L))
    few <- sum(found$values[seq_len(clusters)]) > 1e-9 * unit
    many <- sum(found$values[seq_len(clusters + 1)]) < 1e-11 * unit
    now <- if (few) 1 else -many
    if (now != 0) {
      if (direction != 0 && now != direction) {
        if (turns > 0) factor <- sqrt(factor)
        turns <- turns + 1
      }
      direction <- now
      lambda <- lambda * factor^now
      if (now < 0) embedding <- before
    }
    if ((now == 0 || lambda < alpha / 8) && round > 1) break
  }
  list(W = W, A = A, objective = objective, lambda = lambdas, alpha = alpha)
}

plain_slap <- function(z, y, m, gamma, k = 5, maxit = 5) {
  space <- direction_space(z)
  eps <- 1e-10 * m / ncol(z)
  graph <- can_graph(squared_distances(z), k, y)
  A <- graph$A
  scatter_of <- function(A) t(z) %*% graph_laplacian(A) %*% z
  W <- reweighted_directions(scatter_of(A), space, m, gamma, 1, eps)
  value <- function() direction_value(scatter_of(A), W, gamma, 1, eps) + graph$alpha / 2 * sum(A^2)
  objective <- value()
  for (round in seq_len(maxit)) {
    E <- squared_distances(z %*% W)
    A <- graph_rows(E, lapply(others_by_distance(E, y), utils::head, k), graph$alpha)
    W <- better_directions(scatter_of(A), space, W, gamma, 1, eps)
    objective[round + 1] <- value()
  }
  list(W = W, A = A, objective = objective, alpha = graph$alpha)
}

# ---- sf2sog ------------------------------------------------------------------------------

# T with tr(F'LF) + lambda ||P - F||^2 = tr(P'TP) at the best F
flexible_smoother <- function(L, lambda) lambda * L %*% solve(L + lambda * diag(nrow(L)))

smallest_sum <- function(M, m) {
  sum(rev(eigen(M, symmetric = TRUE, only.values = TRUE)$values)[seq_len(m)])
}

# sets of k features by projection updates on eta I - M, from a set
projected_set <- function(M, set, m, maxit = 100) {
  B <- max(eigen(M, symmetric = TRUE, only.values = TRUE)$values) * diag(nrow(M)) - M
  for (update in seq_len(maxit)) {
    V <- eigen(B[set, set], symmetric = TRUE)$vectors[, seq_len(m), drop = FALSE]
    image <- B[, set] %*% V
    P <- image %*% solve(crossprod(V, image[set, ])) %*% t(image)
    after <- sort(order(-diag(P))[seq_along(set)])
    if (identical(after, set)) break
    set <- after
  }
  set
}

plain_sf2sog <- function(z, k, m, lambda, gamma = NULL, neighbours = 5, maxit = 10) {
  graph <- can_graph(squared_distances(z), neighbours)
  A <- graph$A
  set <- NULL
  objective <- numeric()
  for (round in 0:maxit) {
    L <- graph_laplacian(A)
    M <- t(z) %*% flexible_smoother(L, lambda) %*% z
    if (is.null(set)) set <- sort(order(diag(M))[seq_len(k)])
    set <- projected_set(M, set, m)
    V <- eigen(M[set, set], symmetric = TRUE)$vectors[, k - seq_len(m) + 1, drop = FALSE]
    E <- squared_distances(solve(L + lambda * diag(nrow(z)), lambda * z[, set] %*% V))
    if (is.null(gamma)) gamma <- sum(E[graph$A > 0]) / (4 * nrow(z))
    objective[round + 1] <- smallest_sum(M[set, set], m) + gamma * sum((A - graph$A)^2)
    last <- A
    A <- graph_rows(E, graph$near, 2 * gamma, graph$A)
  }
  list(set = set, A = last, objective = objective, gamma = gamma)
}

# ---- ilfs --------------------------------------------------------------------------------

# the published steps, with the matrix of all paths
plain_ilfs <- function(x, y, tokens = 4, steps = 15) {
  a <- seq(5000, 1, length.out = tokens)
  a <- a / sum(a)
  b <- rev(a)
  pi <- apply(x, 2, function(f) {
    gap <- outer(f, tapply(f, y, mean), "-")^2
    p <- gap[cbind(seq_along(f), as.integer(y))] / rowSums(gap)
    range <- if (diff(range(p)) > 0) range(p) else c(0, 1)
    edges <- seq(range[1], range[2], length.out = tokens) - 1e-12 * diff(range)
    counts <- tabulate(findInterval(p, edges), tokens)
    pi <- sum(counts[seq_len(max(1, round(0.2 * tokens)))]) / length(f)
    for (step in seq_len(steps)) {
      w <- pi * a / (pi * a + (1 - pi) * b)
      pi <- sum(counts * w) / sum(counts)
    }
    pi
  })
  A <- tcrossprod(pi)
  list(pi = pi, paths = rowSums(solve(diag(ncol(x)) - 0.99 / sum(pi^2) * A) - diag(ncol(x))))
}
