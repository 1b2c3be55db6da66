# Objectives in plain R: losses of the families, and the least one of a set, by optim() and by
# Newton's method with differences of the gradient.

# loss and gradient at the linear predictors h, a column for each class; of cox without the
# saturated part
losses <- list(
  gaussian = function(h, data) list(value = sum((h - data$y)^2) / 2, gradient = h - data$y),
  binomial = function(h, data) {
    value <- sum(pmax(h, 0) + log1p(exp(-abs(h))) - data$y * h)
    list(value = value, gradient = stats::plogis(h) - data$y)
  },
  multinomial = function(h, data) {
    own <- outer(as.integer(data$y), seq_along(levels(data$y)), "==")
    h <- h - apply(h, 1, max)
    total <- rowSums(exp(h))
    list(value = sum(log(total)) - sum(h[own]), gradient = exp(h) / total - own)
  },
  poisson = function(h, data) {
    y <- data$y
    list(value = sum(exp(h) - y * h + ifelse(y > 0, y * log(y), 0) - y), gradient = exp(h) - y)
  },
  cox = function(h, data) {
    y <- data$y
    last <- length(y) + 1 - match(data$time, rev(data$time))
    at_risk <- cumsum(exp(h))[last]
    hazards <- rowsum(y / at_risk, last, reorder = TRUE)
    jumps <- replace(numeric(length(y)), as.integer(rownames(hazards)), hazards)
    list(value = sum(y * (log(at_risk) - h)), gradient = exp(h) * rev(cumsum(rev(jumps))) - y)
  }
)

# the least objective of a set, with its coefficients, after intercepts, and the penalties of these
refit <- function(data, set, ridge) {
  z <- with_intercept(data, set)
  count <- ncol(z) * if (data$family == "multinomial") nlevels(data$y) else 1
  penalty <- rep_len(ridge * rep(0:1, c(ncol(z) - length(set), length(set))), count)
  at <- function(b) losses[[data$family]](z %*% matrix(b, ncol(z)), data)
  value <- function(b) at(b)$value + sum(penalty * b^2) / 2
  slope <- function(b) as.vector(crossprod(z, at(b)$gradient)) + penalty * b
  b <- stats::optim(numeric(count), value, slope, method = "BFGS",
    control = list(maxit = 500, reltol = 1e-12)
  )$par
  for (step in 1:4) {
    curvature <- stats::optimHess(b, value, slope)
    b <- b - solve(curvature + diag(1e-9 * max(diag(curvature)), count), slope(b))
  }
  list(objective = value(b), coefficients = matrix(b, ncol(z)))
}

with_intercept <- function(data, set) {
  cbind(if (data$family != "cox") 1, data$x[, set, drop = FALSE])
}

# ---- ridges and errors by samples left out --------------------------------------------------

in_rows <- function(data, rows) {
  list(x = data$x[rows, ], y = data$y[rows], time = data$time[rows], family = data$family)
}

link_of <- function(data, fit) with_intercept(data, fit$set) %*% fit$coefficients

# loss of new samples, or the share of their pairs that is not in order
error_of <- function(data, link) {
  if (data$family != "cox") return(losses[[data$family]](link, data)$value)
  1 - survival::concordance(response(data) ~ link, reverse = TRUE)$concordance
}

# the set that `choose` finds, with the ridge of the least loss of five folds, over which events,
# counts or classes are even
by_folds <- function(data, choose, k, shares = c(0.001, 0.01, 0.1)) {
  fit <- function(data, share) {
    ridge <- share * nrow(data$x)
    set <- quiet(choose(data, k, ridge))
    c(refit(data, set, ridge), list(set = set))
  }
  loss <- function(data, fit) losses[[data$family]](link_of(data, fit), data)$value
  fold <- order(order(data$y)) %% 5
  lost <- vapply(shares, function(share) {
    sum(vapply(0:4, function(out) {
      part <- in_rows(data, fold != out)
      found <- fit(part, share)
      loss(data, found) - loss(part, found)
    }, 0))
  }, 0)
  fit(data, shares[which.min(lost)])
}
