# cdlsr(solver = "exact"), three to six of up to 16 features: the search on the perspective
# relaxation. Ridges from 1e-12 to 1e12 of the squared length of a feature, fewer samples than
# features and more, several responses, weights, features locked in and out, and starts that
# leave the search something to find.

shared_part <- function(n, d, share) {
  sqrt(1 - share) * normal(n, d) + sqrt(share) * stats::rnorm(n)
}

tree_designs <- list(
  independent = function(n, d) normal(n, d),
  "one factor" = function(n, d) shared_part(n, d, one_of(c(0.3, 0.6, 0.9, 0.99, 0.9999))),
  "three factors" = function(n, d) {
    normal(n, 3) %*% normal(3, d) + 10^-stats::runif(1, 0, 4) * normal(n, d)
  },
  "chain" = function(n, d) {
    rho <- stats::runif(1, 0.5, 0.99)
    x <- normal(n, d)
    for (j in seq_len(d)[-1]) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
    x
  },
  "zeros and ones" = function(n, d) {
    x <- matrix(stats::rbinom(n * d, 1, stats::runif(1, 0.1, 0.6)), n) + 0
    x[, 2] <- one_of(list(x[, 1], 1 - x[, 1], x[, 2]))
    x
  },
  "near copies" = function(n, d) {
    x <- normal(n, d)
    half <- d %/% 2
    apart <- 10^-stats::runif(1, 1, 14)
    x[, half + seq_len(half)] <- x[, seq_len(half)] + apart * normal(n, half)
    x
  },
  copies = function(n, d) {
    x <- normal(n, d)
    x[, d - 0:2] <- x[, 1:3] * rep(c(1, -2, 1e3), each = n)
    x
  },
  "units of columns" = designs[["units of columns"]],
  "few samples" = function(n, d) normal(between(4, d), d),
  "low rank" = function(n, d) designs[["low rank"]](n, d),
  "far from zero" = function(n, d) normal(n, d) + rep(10^stats::runif(d, 0, 9), each = n),
  "integers with ties" = designs[["integers with ties"]],
  "outlying rows" = designs[["outlying rows"]],
  kernel = designs[["kernel"]],
  "mostly zeros" = designs[["mostly zeros"]]
)

# some features and noise, one or several of these, or what other claims get
tree_response <- function(x, k) {
  z <- x / rep(pmax(apply(abs(x), 2, max), 1e-300), each = nrow(x))
  one <- function() {
    b <- replace(numeric(ncol(x)), sample.int(ncol(x), k), sample(c(-1, 1), k, TRUE))
    drop(z %*% b) + one_of(c(0.01, 0.3, 1, 3)) * stats::rnorm(nrow(x))
  }
  one_of(list(one, one, function() cbind(one(), one()), function() {
    cbind(one(), 10 * one(), 0.1 * one())
  }, function() varied_response(x)))()
}

# k, ridge, the features that are locked in and out, and where the search begins
tree_settings <- function(x, w) {
  d <- ncol(x)
  scale <- stats::runif(1) < 0.6
  lengths <- colSums(quad_table(view(x, scale, weights = w))^2)
  ridge <- stats::median(lengths) * 10^stats::runif(1, -12, one_of(c(0, 12)))
  if (!is.finite(ridge) || ridge < 1e-250 || ridge > 1e250 || stats::runif(1) < 0.2) ridge <- 0
  k <- between(3, max(3, min(6, d - 2, if (ridge == 0) sum(w > 0) - 2)))
  locked <- sample.int(d, 4)
  list(
    k = k, ridge = ridge, scale = scale, into = locked[seq_len(one_of(c(0, 0, 1, 2)))],
    out = locked[2 + seq_len(min(d - k, one_of(c(0, 0, 1, 2))))],
    start = one_of(c("forward", "random")), limit = one_of(c(0, 0, 0.001, 0.01, 0.05, 60, 60, 60))
  )
}

tree_sets <- function(d, s) {
  rest <- setdiff(seq_len(d), c(s$into, s$out))
  chosen <- utils::combn(length(rest), s$k - length(s$into))
  rbind(matrix(s$into, length(s$into), ncol(chosen)), matrix(rest[chosen], nrow(chosen)))
}

fit_tree <- function(a, s) {
  cdlsr(a$data, a$y, s$k,
    solver = "exact", ridge = s$ridge, scale = s$scale, time_limit = s$limit, start = s$start,
    search = if (s$start == "random") "fast" else "standard",
    include = if (length(s$into) > 0) s$into, exclude = if (length(s$out) > 0) s$out,
    weights = a$weights
  )
}

trial_tree <- function(family) {
  d <- one_of(c(7:12, 9:12, 13:16))
  x <- design(family, n = if (stats::runif(1) < 0.3) between(4, d) else between(d + 1, 30),
    d = d, among = tree_designs
  )
  w <- if (stats::runif(1) < 0.25) {
    if (stats::runif(1) < 0.5) stats::runif(nrow(x), 0.2, 3) else observation_weights(nrow(x))
  }
  s <- tree_settings(x, if (is.null(w)) rep(1, nrow(x)) else w)
  y <- tree_response(x, s$k)
  a <- if (is.null(w)) arrive(x, y) else arrive_weighted(x, y, w)
  time <- system.time(gcFirst = FALSE, fit <- fit_tree(a, s))
  v <- view(x, s$scale, weights = if (is.null(w)) rep(1, nrow(x)) else w)
  Y <- response_columns(y)
  sets <- tree_sets(ncol(x), s)
  wrong <- c(
    wrong_proofs(fit, v, Y, s$k, s$ridge, a$form, sets),
    flag(
      time = sum(time[1:2]) > 1.1 * s$limit + 1,
      locked = !all(s$into %in% fit$selected) || any(s$out %in% fit$selected)
    )
  )
  verdict(wrong, !fit$proof$complete, a$form, fit$proof$nodes,
    x = x, y = y, weights = w, settings = s, fit = fit
  )
}

tree_claims <- list(
  cdlsr_tree = list(
    text = paste(
      "`cdlsr()`, exact, three to six of up to 16 features, ridges of 1e-12 to 1e12, weights,",
      "features locked in and out, 0 to 0.05 seconds or as long as it takes: the same, and at no",
      "time was the bound below the best set"
    ),
    families = names(tree_designs), share = 2.5, trial = trial_tree
  )
)
