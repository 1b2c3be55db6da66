# The three scores of Zhao and Liu from an n x n matrix of weights and all eigenpairs
plain_spec <- function(x, W, K) {
  degree <- rowSums(W)
  root <- sqrt(degree)
  L <- diag(nrow(W)) - W / outer(root, root)
  trivial <- root / sqrt(sum(degree))
  # the trivial vector first, whatever the other zeros are
  spectrum <- eigen(L - 3 * tcrossprod(trivial), symmetric = TRUE)
  at <- rev(seq_len(nrow(W)))
  U <- spectrum$vectors[, at]
  values <- pmax(0, c(0, spectrum$values[at][-1]))
  Z <- sweep(root * x, 2, sqrt(colSums((root * x)^2)), "/")
  A <- crossprod(U, Z)^2
  leading <- 2:K
  list(
    phi1 = colSums(values * A), phi2 = colSums(values * A) / colSums(A[-1, ]),
    phi3 = colSums((2 - values[leading]) * A[leading, , drop = FALSE])
  )
}

scores_of <- function(fit) {
  value <- unname(fit$scores)
  if (fit$parameters$style == "phi3") value else 2 - value
}

test_that("the scores are those of the formula, on sparse graphs and on the full one", {
  x <- from_seed(1, matrix(rnorm(40 * 12), 40) + rep(c(0, 5, -1), each = 40 * 4))
  x[1:15, 1:5] <- x[1:15, 1:5] + 3
  near <- as.matrix(dist(x))
  graphs <- list(
    list(given = list(neighbours = 4, weights = "binary")),
    list(given = list(neighbours = 6, weights = "self_tuning")),
    list(given = list(neighbours = Inf), W = exp(-near^2 / (2 * mean(near)^2))),
    list(given = list(neighbours = Inf, t = 3), W = exp(-near^2 / 18))
  )
  for (graph in graphs) {
    W <- if (is.null(graph$W)) do.call(embedded_weights, c(list(x), graph$given)) else graph$W
    diag(W) <- 0
    expected <- plain_spec(x, W, 4)
    for (style in names(expected)) {
      fit <- do.call(spec, c(list(x, style, clusters = 4), graph$given))
      expect_equal(scores_of(fit), expected[[style]], tolerance = 1e-9)
    }
  }
})
