# alignment(): the rule in plain R: targets from full eigen-decompositions of n x n matrices,
# and the greedy with all inner products computed anew.

plain_graph <- function(d2, q) {
  n <- nrow(d2)
  d <- sqrt(d2)
  sigma <- vapply(seq_len(n), function(i) sort(d[i, -i])[q], 0)
  square <- pmax(sigma^2, 1e-12 * max(d2))
  near <- d <= sigma * (1 + 1e-9) | t(t(d) <= sigma * (1 + 1e-9))
  W <- exp(-d2 / sqrt(outer(square, square))) * near
  diag(W) <- 0
  W
}

# of a graph that joins some rows; others take the mean of their nearest, from the distances of all
plain_vectors <- function(d2, rows, q, most) {
  near <- d2[rows, rows]
  out <- matrix(0, nrow(d2), most)
  out[rows, ] <- spectral_vectors(plain_graph(near, q), most, 0.1)
  scale <- vapply(seq_along(rows), function(j) sort(near[j, -j])[q], 0)
  for (i in setdiff(seq_len(nrow(d2)), rows)) {
    to <- order(d2[i, rows])[seq_len(q)]
    w <- exp(-d2[i, rows[to]] / sqrt(max(d2[i, rows[to]]) * scale[to]))
    out[i, ] <- w %*% out[rows[to], , drop = FALSE] / sum(w)
  }
  out <- sweep(out, 2, colMeans(out))
  sweep(out, 2, sqrt(colSums(out^2)), "/")
}

# distances are those of the rows of `of`
plain_targets <- function(x, neighbours = c(3, 5, 7), dimensions = c(1, 3, 7, 15, 31), of = x,
                          landmarks = nrow(x)) {
  x <- scale(as.matrix(x), TRUE, FALSE)
  z <- scale(as.matrix(of), TRUE, FALSE)
  norms <- sqrt(rowSums(z^2))
  joined <- round(seq(1, nrow(x), length.out = landmarks))
  dimensions <- unique(pmin(dimensions, max(1, landmarks - 2)))
  terms <- list()
  for (rows in list(z, z / ifelse(norms > 0, norms, 1))) {
    d2 <- as.matrix(dist(rows))^2
    for (q in unique(pmin(neighbours, landmarks - 1))) {
      V <- plain_vectors(d2, joined, q, max(dimensions))
      for (m in dimensions) {
        Y <- V[, seq_len(m), drop = FALSE]
        terms <- c(terms, list(rowSums(crossprod(x, Y)^2) / sqrt(sum(crossprod(Y)^2))))
      }
    }
  }
  unname(Reduce(`+`, terms) / length(terms))
}

plain_greedy <- function(x, target, k, include = integer(), usable = NULL) {
  x <- scale(as.matrix(x), TRUE, FALSE)
  size <- colSums(x^2)
  if (is.null(usable)) usable <- size > 0
  ridge <- mean(size[usable])^2
  value <- function(set) sum(target[set]) / sqrt(sum(crossprod(x[, set, drop = FALSE])^2) + ridge)
  set <- integer()
  values <- 0
  for (step in seq_len(k)) {
    open <- setdiff(which(usable), set)
    each <- vapply(open, function(j) value(c(set, j)), 0)
    set <- c(set, if (step <= length(include)) include[step] else open[which.max(each)])
    values <- c(values, value(set))
  }
  open <- setdiff(which(usable), set)
  after <- numeric(ncol(x))
  after[open] <- vapply(open, function(j) value(c(set, j)), 0)
  list(selected = set, objective = values, after = after)
}

class_targets <- function(x, y) {
  x <- scale(as.matrix(x))
  means <- rowsum(x, y) / as.vector(table(y))
  count <- as.vector(table(y))
  colSums(means^2 * count) / sqrt(length(count) - 1)
}

grouped <- function(n = 60, d = 30, groups = 3, informative = 8, seed = 1) {
  group <- rep(seq_len(groups), length.out = n)
  x <- from_seed(seed, matrix(rnorm(n * d), n))
  centres <- 2 * matrix(rnorm(groups * informative), groups)
  x[, seq_len(informative)] <- x[, seq_len(informative)] + centres[group, ]
  list(x = x, y = factor(letters[group]))
}

test_that("targets are those of full eigen-decompositions", {
  for (seed in 1:3) {
    data <- grouped(40 + 7 * seed, 25, seed = seed)
    fit <- alignment(data$x, k = 5)
    expect_equal(unname(fit$target), plain_targets(data$x), tolerance = 1e-7)
    fixed <- alignment(data$x, k = 5, clusters = 4, neighbours = 6)
    expect_equal(unname(fixed$target), plain_targets(data$x, 6, 3), tolerance = 1e-7)
  }
})

core_ends_here()

test_that("the greedy takes the best feature at every step", {
  for (seed in 1:2) {
    data <- grouped(30, 40, seed = seed)
    fit <- alignment(data$x, k = 40)
    plain <- plain_greedy(data$x, plain_targets(data$x), 40)
    expect_identical(fit$selected, plain$selected)
    expect_equal(fit$objective, plain$objective, tolerance = 1e-8)
    short <- alignment(data$x, k = 11)
    expect_identical(short$selected, fit$selected[1:11])
    after <- plain_greedy(data$x, plain_targets(data$x), 11)$after
    others <- setdiff(1:40, short$selected)
    expect_equal(unname(short$gains[others]), after[others] - short$objective[12], tolerance = 1e-6)
  }
})

test_that("with classes the target is the sum of squares between them", {
  data <- grouped(45, 30, 4)
  fit <- alignment(data$x, data$y, k = 30)
  target <- class_targets(data$x, data$y)
  expect_equal(unname(fit$target), target, tolerance = 1e-10)
  plain <- plain_greedy(scale(data$x), target, 30)
  expect_identical(fit$selected, plain$selected)
  expect_equal(fit$objective, plain$objective, tolerance = 1e-10)
  expect_setequal(alignment(data$x, data$y, k = 8)$selected, 1:8)
})

test_that("with a numeric response the target is its squared correlation", {
  x <- from_seed(2, matrix(rnorm(50 * 20), 50))
  y <- x[, 3] - x[, 7] + rnorm(50, sd = 0.1)
  fit <- alignment(x, y, k = 2)
  expect_setequal(fit$selected, c(3, 7))
  expect_equal(unname(fit$target), 49 * drop(cor(x, y))^2, tolerance = 1e-10)
  both <- cbind(y, x[, 5])
  Y <- scale(both) / 7
  expect_equal(unname(alignment(x, both, k = 2)$target),
    rowSums(crossprod(scale(x), Y)^2) / sqrt(sum(crossprod(Y)^2)),
    tolerance = 1e-10
  )
})

test_that("the value is the alignment of the kernels", {
  data <- grouped(35, 20)
  fit <- alignment(data$x, k = 20)
  # all of the directions of K_Y are in the embedding where it has few
  binary <- alignment(data$x, factor(data$y), k = 6)
  x <- scale(data$x)
  KJ <- tcrossprod(x[, binary$selected])
  KY <- binary$embedding %*% (binary$embedding_values * t(binary$embedding))
  ridge <- mean(colSums(x^2))^2
  expect_equal(binary$objective[7], sum(KJ * KY) / sqrt(sum(KJ^2) + ridge), tolerance = 1e-10)
  expect_equal(sum(KY^2), 1, tolerance = 1e-10)
  expect_lte(max(fit$objective), 1)
})

test_that("a feature is constant by its own scale", {
  data <- grouped(40, 10)
  x <- cbind(data$x, 5, 1e-7 * rnorm(40))
  fit <- suppressWarnings(alignment(x, k = 11))
  expect_setequal(fit$selected, c(1:10, 12))
  expect_error(suppressWarnings(alignment(x, k = 12)), class = "rowsparse_error_range")
})

test_that("the embedding holds the leading directions of the kernel", {
  data <- grouped(50, 20)
  fit <- alignment(data$x, k = 8)
  expect_equal(crossprod(fit$embedding), diag(ncol(fit$embedding)), tolerance = 1e-8)
  expect_true(all(diff(fit$embedding_values) <= 1e-12))
  # t_j is a sum over directions
  part <- rowSums(sweep(crossprod(scale(data$x, TRUE, FALSE), fit$embedding)^2, 2,
    fit$embedding_values, "*"
  ))
  expect_true(all(part <= fit$target * (1 + 1e-8)))
  expect_equal(nrow(fit$graphs), 6)
  expect_true(all(fit$graphs$residual < 1e-6))
})

test_that("landmarks carry the graph to the other samples", {
  for (seed in 1:2) {
    data <- grouped(90, 20, seed = seed)
    fit <- alignment(data$x, k = 5, landmarks = 40)
    expect_equal(unname(fit$target), plain_targets(data$x, landmarks = 40), tolerance = 1e-6)
    expect_identical(fit$parameters$landmarks, 40L)
    expect_identical(unique(fit$graphs$samples), 40L)
    expect_identical(dim(fit$embedding), c(90L, 10L))
    expect_output(print(fit), "90 samples, 40 of them in the graph")
    # few landmarks limit neighbours and dimensions
    few <- alignment(data$x, k = 5, landmarks = 10, neighbours = c(4, 30))
    expect_equal(unname(few$target), plain_targets(data$x, c(4, 30), landmarks = 10),
      tolerance = 1e-6
    )
  }
  # as many as are needed, and only where distances take long
  joined <- function(n, numbers) rowsparse:::resolve_landmarks(NULL, n, numbers)
  expect_null(joined(3000, 101))
  many <- vapply(c(3001, 8000, 1e6), joined, 1L, 101)
  expect_identical(many, c(1000L, 2000L, 5000L))
  expect_null(joined(20000, 100))
  expect_identical(joined(20004, 20), 5000L)
})

test_that("neighbours in components are found in the scores", {
  data <- grouped(90, 20)
  scores <- prcomp(data$x)$x[, 1:4]
  fit <- alignment(data$x, k = 8, components = 4)
  expect_equal(unname(fit$target), plain_targets(data$x, of = scores), tolerance = 1e-6)
  fit <- alignment(data$x, k = 5, components = 4, clusters = 5, landmarks = 50)
  expect_equal(unname(fit$target), plain_targets(data$x, dimensions = 4, of = scores,
    landmarks = 50
  ), tolerance = 1e-6)
})

test_that("clusters, components, neighbours and landmarks are checked", {
  data <- grouped(30, 8)
  x <- data$x
  expect_refused(alignment(x, 3), "length", "Did you mean `k = 3`")
  expect_out_of_range(function(...) alignment(x, k = 2, ...),
    clusters = 1, clusters = 30, neighbours = 0, landmarks = 9, components = 100
  )
  expect_refused(alignment(x, k = 2, clusters = 15, landmarks = 15), "range", "`clusters`")
  expect_refused(alignment(x, data$y, k = 2, clusters = 3), "argument", "`clusters`")
  expect_refused(alignment(x, data$y, k = 2, components = 3), "argument", "`components`")
})

test_that("scores are the gains, or fall evenly where these rise", {
  set.seed(461)
  for (i in 1:20) {
    x <- matrix(stats::rnorm(50 * 12), 50)
    x[, 1:4] <- x[, 1:4] + 2 * stats::rbinom(50, 1, 0.5)
    for (y in list(NULL, factor(x[, 1] > 0))) {
      fit <- alignment(x, y, k = 6)
      gains <- fit$gains[fit$selected]
      scores <- fit$scores[fit$selected]
      expect_true(all(diff(fit$scores[fit$ranking]) <= 0))
      if (all(diff(gains) <= 0) && gains[6] > 0) {
        expect_identical(scores, gains)
      } else {
        expect_equal(scores, gains[1] * (6:1) / 6)
      }
    }
  }
})

test_that("neighbours of thousands of samples that are mostly zeros are found in 20 components", {
  n <- 2100
  type <- rep_len(1:3, n)
  x <- from_seed(6, as.matrix(Matrix::rsparsematrix(n, 22, 0.2)))
  x[, 1:9] <- x[, 1:9] + (outer(type, rep(1:3, each = 3), "==") & stats::runif(9 * n) < 0.6) * 3
  colnames(x) <- paste0("g", 1:22)
  fit <- function(...) alignment(..., k = 6, neighbours = 5)
  values <- function(...) fit(...)[c("selected", "objective", "target")]
  asked <- values(x, components = 20)
  expect_equal(values(x), asked, tolerance = 1e-8)
  sparse <- methods::as(x, "CsparseMatrix")
  expect_equal(values(sparse), asked, tolerance = 1e-8)
  expect_equal(values(row_blocks(sparse, rows = 500)), asked, tolerance = 1e-8)
  # in all of the data with fewer samples, fewer zeros, or Inf
  whole <- values(sparse, components = Inf)
  expect_false(isTRUE(all.equal(whole$target, asked$target, tolerance = 1e-4)))
  expect_identical(fit(sparse[1:1900, ])$parameters$components, Inf)
  full <- fit(x + 1)
  expect_identical(full$parameters$components, Inf)
  expect_equal(full$target, whole$target, tolerance = 1e-6)
})

test_that("groups of one column in any order are these columns", {
  x <- from_seed(32, matrix(stats::rnorm(60 * 12), 60))
  x[, 4:6] <- x[, 1:3] + x[, 4:6] / 2
  colnames(x) <- letters[1:12]
  order <- c(7, 3, 12, 1, 9, 5, 2, 11, 4, 8, 10, 6)
  grouped <- alignment(x, k = 4, groups = stats::setNames(as.list(order), colnames(x)[order]))
  plain <- alignment(x, k = 4)
  expect_setequal(selected(grouped), selected(plain))
  expect_equal(utils::tail(grouped$objective, 1), utils::tail(plain$objective, 1))
})
