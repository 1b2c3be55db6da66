# Sets of k features: of rowsparse_glm(), abess, L0Learn, glmnet and cdlsr().

# y as models take it
response <- function(data) {
  switch(data$family, cox = survival::Surv(data$time, data$y), poisson = data$y, factor(data$y))
}

ours <- function(data, k, ridge, ...) {
  quiet(rowsparse_glm(data$x, response(data), k, data$family, ridge = ridge, scale = FALSE, ...))
}

strengths <- function(beta) {
  as.matrix(if (is.list(beta)) Reduce(`+`, lapply(beta, abs)) else abs(beta))
}

abess_set <- function(data, k, ridge) {
  fit <- abess::abess(data$x, response(data), family = data$family, support.size = k,
    lambda = ridge / nrow(data$x), num.threads = 1
  )
  which(rowSums(strengths(fit$beta)) > 0)
}

# the k largest of the first point of the path with k
glmnet_set <- function(data, k, ridge) {
  beta <- strengths(glmnet::glmnet(data$x, response(data), family = data$family, dfmax = 3 * k,
    standardize = FALSE, type.multinomial = "grouped"
  )$beta)
  order(-beta[, c(which(colSums(beta > 0) >= k), ncol(beta))[1]])[seq_len(k)]
}

l0learn_sets <- function(data, k, ridge) {
  rho <- ridge / nrow(data$x)
  fit <- L0Learn::L0Learn.fit(data$x, data$y, loss = "Logistic", penalty = "L0L2", nGamma = 3,
    gammaMax = 2 * rho, gammaMin = rho / 2, maxSuppSize = k + 3, algorithm = "CDPSI"
  )
  unlist(lapply(fit$beta, function(beta) apply(beta != 0, 2, which, simplify = FALSE)), FALSE)
}

# least squares on 0/1, log(1 + y) or martingale residuals
cdlsr_set <- function(data, k, ridge) {
  y <- switch(data$family, poisson = log1p(data$y), binomial = , multinomial = factor(data$y),
    -losses$cox(numeric(length(data$y)), data)$gradient
  )
  cdlsr(data$x, y, k, ridge = ridge, path = FALSE)$selected
}

# of the sets of each program the least objective, and processor seconds of one fit
others <- function(data, k, ridge) {
  best <- function(sets, runs = 1) {
    run <- tryCatch(timed(quiet(sets), 1), error = function(absent) list(cpu = NA))
    found <- unique(Filter(function(set) length(set) == k, run$value))
    values <- vapply(found, function(set) refit(data, set, ridge)$objective, 0)
    c(if (length(values) > 0) min(values) else NA, run$cpu / runs)
  }
  # a minute each of times of 3000 samples
  ridges <- if (nrow(data$x) > 2000) ridge else c(0, ridge / 2, ridge)
  list(
    abess = best(lapply(ridges, abess_set, data = data, k = k), length(ridges)),
    L0Learn = if (data$family == "binomial") best(l0learn_sets(data, k, ridge)) else NA,
    glmnet = best(list(glmnet_set(data, k))), cdlsr = best(list(cdlsr_set(data, k, ridge)))
  )
}
