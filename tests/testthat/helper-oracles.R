# Plain and slow versions of what the C code computes.

centred <- function(x, scale = FALSE) {
  x <- as.matrix(x)
  x <- sweep(x, 2, colMeans(x))
  if (scale) {
    deviation <- sqrt(colSums(x^2) / (nrow(x) - 1))
    x <- sweep(x, 2, ifelse(deviation > 0, deviation, 1), "/")
  }
  x
}

scatter <- function(x, scale = FALSE) crossprod(centred(x, scale))

plain_norms <- function(W) sqrt(rowSums(W^2))

plain_penalty <- function(a, q) if (q == 0) sum(a != 0) else sum(abs(a)^q)

# polar factor by the singular value decomposition
plain_polar <- function(M) {
  s <- svd(M)
  s$u %*% t(s$v)
}

# the nearest point of the simplex, by sorting: the largest entries less a common threshold
plain_simplex <- function(v, total) {
  s <- sort(v, decreasing = TRUE)
  tau <- (cumsum(s) - total) / seq_along(s)
  pmax(v - tau[max(which(s > tau))], 0)
}

# the sum of the m largest eigenvalues of S on a set
components_value <- function(S, m) {
  function(set) sum(utils::head(eigen(S[set, set, drop = FALSE], TRUE, TRUE)$values, m))
}

orthonormal <- function(d, m) qr.Q(qr(matrix(stats::rnorm(d * m), d)))

# data that are drawn after set.seed(seed); what is drawn next goes on from there
from_seed <- function(seed, data) {
  set.seed(seed)
  data
}

# what make() gives of each of these numbers of samples and features
of_sizes <- function(sizes, make, ...) lapply(sizes, function(n) make(n[1], n[2], ...))

normal_matrix <- function(n, d, mean = 0) matrix(stats::rnorm(n * d, mean), n)

# correlated columns with a decaying spectrum, n x d
sample_matrix <- function(n, d, rank = 5, noise = 0.3) {
  rank <- min(rank, n, d)
  scores <- matrix(stats::rnorm(n * rank), n) %*% diag(rank:1, rank)
  x <- scores %*% matrix(stats::rnorm(rank * d), rank) + noise * matrix(stats::rnorm(n * d), n)
  colnames(x) <- paste0("g", seq_len(d))
  x
}

# An entry point of the C code. Those of src/testing are there only where ROWSPARSE_TESTING=1
# was in the environment of the compilation, as it is in `make test`: elsewhere the test is
# skipped.
c_call <- function(name, ...) {
  inside <- asNamespace("rowsparse")
  if (!exists(name, inside, inherits = FALSE)) {
    testthat::skip(paste(name, "is compiled with ROWSPARSE_TESTING=1 only"))
  }
  .Call(get(name, inside), ...)
}

as_c_data <- function(x, scale = FALSE) unclass(suppressWarnings(rowsparse:::as_data(x, scale)))

# the last value of the objective, or that of the largest set of a path
end_of <- function(fit) utils::tail(fit$objective, 1)

end_of_path <- function(fit) utils::tail(fit$path$objective, 1)

# no step goes up by more than rounding, whatever the units of the objective
expect_never_rises <- function(objective) {
  testthat::expect_gt(length(objective), 0)
  testthat::expect_lte(max(diff(objective), -Inf), 1e-10 * max(abs(objective)))
}

expect_orthonormal <- function(W, tolerance = 1e-10) {
  testthat::expect_lte(max(abs(crossprod(W) - diag(ncol(W)))), tolerance)
}

# runs code while a function of the package is another one
instead_of <- function(name, other, code) {
  inside <- asNamespace("rowsparse")
  own <- get(name, inside)
  unlockBinding(name, inside)
  on.exit({
    assign(name, own, inside)
    lockBinding(name, inside)
  })
  assign(name, other, inside)
  force(code)
}

# options that are other ones until the test or function that calls this ends
hold_options <- function(..., test = parent.frame()) {
  do.call("on.exit", list(bquote(options(.(options(...)))), add = TRUE), envir = test)
}

# weights that reconstruct each sample, by plain R
plain_reconstruction <- function(x, near, ridge) {
  n <- nrow(x)
  R <- matrix(0, n, n)
  for (i in seq_len(n)) {
    gaps <- sweep(x[near[i, ], , drop = FALSE], 2, x[i, ])
    G <- tcrossprod(gaps)
    w <- solve(G + ridge * sum(diag(G)) * diag(nrow(G)), rep(1, nrow(G)))
    R[i, near[i, ]] <- w / sum(w)
  }
  R
}

# the smoothest vectors on a graph with the weights W, L y = value D y, each of norm 1
spectral_vectors <- function(W, m, tau = 0) {
  W <- W + tau * mean(rowSums(W)) / nrow(W)
  degree <- rowSums(W)
  spectrum <- eigen(W / sqrt(outer(degree, degree)), symmetric = TRUE)
  V <- spectrum$vectors[, 1 + seq_len(m), drop = FALSE] / sqrt(degree)
  sweep(V, 2, sqrt(colSums(V^2)), "/")
}

# the share of the centred sum of squares that least squares on the first k columns of a set, or
# of a fit, reproduces
share_reproduced <- function(x, set, k = NULL) {
  if (inherits(set, "rowsparse")) set <- selected(set)
  if (is.null(k)) k <- length(set)
  x <- centred(x)
  vapply(k, function(size) {
    sum(qr.fitted(qr(x[, set[seq_len(size)], drop = FALSE]), x)^2) / sum(x^2)
  }, 0)
}

# six features, the second the first and a little of what is to be explained
near_copy <- function(apart) {
  x <- matrix(stats::rnorm(20 * 6), 20)
  y <- stats::rnorm(20)
  x[, 2] <- x[, 1] + apart * y
  list(x = x, y = y, moments = moments(x, y))
}

# no claim in a table of counts is wrong; returns the table
expect_none_wrong <- function(table) {
  testthat::expect_gt(sum(table$tried), 0)
  wrong <- paste(utils::capture.output(print(table)), collapse = "\n")
  testthat::expect_true(all(table$wrong == 0), info = wrong)
  invisible(table)
}

# three classes of samples that differ in the first features
class_data <- function(seed, n = 45, d = 12, informative = 4) {
  y <- factor(rep(c("a", "b", "c"), length.out = n))
  x <- from_seed(seed, matrix(stats::rnorm(n * d), n))
  first <- seq_len(informative)
  x[, first] <- x[, first] + 3 * matrix(stats::rnorm(3 * informative), 3)[y, ]
  list(x = x, y = y, label = as.integer(y))
}
