# What pgd(), rpfs() and ipfs() share, regression with exactly k nonzero rows: starting points, and
# the set of k features refitted at the end.

check_l20 <- function(args, data) {
  args$k <- check_size(args$k, data)
  args
}

l20_start <- function(start, problem, k, choices, seed = NULL) {
  if (is.numeric(start)) {
    return(list(name = "matrix", W = given_loadings(start, problem)))
  }
  start <- check_choice(start, "start", choices)
  size <- as.double(problem$data$d) * ncol(problem$response$Y)
  W <- if (start == "random") {
    drawn_rows(matrix(with_seed(seed, stats::rnorm(size)), problem$data$d), problem$data)
  } else {
    fisher_start(problem, k)
  }
  list(name = start, W = W)
}

# the k features of largest ||xj'Yc (Y'Y)^{-1/2}||, refitted
fisher_start <- function(problem, k) {
  response <- problem$response
  data <- problem$data
  cross <- cross_with_response(data, whiten_response(response, data$n))
  set <- largest_scores(row_norms(cross), k, data)
  subset <- refitted_set(data, response, set)$subset
  expand_rows(subset$coefficients, subset$selected, data)
}

# Yc (Y'Y)^{-1/2}; Y'Y is diagonal for indicators, the centred one serves else
whiten_response <- function(response, n) {
  if (response$type == "class" && is.null(response$level_mean) && is.null(response$weights)) {
    return(response$Y * rep(1 / sqrt(n * response$mean), each = n))
  }
  spectrum <- eigen(response$YtY, symmetric = TRUE)
  good <- spectrum$values > 1e-10 * spectrum$values[1]
  response$Y %*% (spectrum$vectors[, good] %*% diag(1 / sqrt(spectrum$values[good]), sum(good)))
}

# the k features of the largest scores; ties by variance, then by column
largest_scores <- function(score, k, data) {
  best <- order(data$constant, -tidy_ties(as.double(score)), -data$deviation)
  include_first(best, data)[seq_len(k)]
}

# `out`: what the solver found; `score`: by which its k features are taken
new_l20 <- function(name, problem, out, score, parameters, ...) {
  data <- problem$data
  k <- parameters$k
  set <- largest_scores(score, k, data)
  refitted <- fill_rank(refitted_set(data, problem$response, set), k, data, prefer = set)
  ended <- c("objective", "iterations", "converged", "status")
  refitted[ended] <- out[ended]
  new_cdlsr(name, problem, problem$response, refitted, parameters, ...)
}
