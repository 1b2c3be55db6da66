# What the PCA family and the proximal operators claim about their results, held
# against plain R on data that are hard on rounding. Each check
# returns a data frame: family, tried, wrong.

# ---- data ---------------------------------------------------------------------

hostile_families <- c(
  "gaussian", "collinear", "counts", "binary", "rounded", "mixed scales", "tiny n",
  "duplicates", "rank one", "small units", "large units", "constant", "wide"
)

hostile_matrix <- function(family, n = sample(5:30, 1), d = sample(2:20, 1)) {
  if (family == "tiny n") n <- sample(2:4, 1)
  if (family == "wide") d <- 4 * d
  x <- matrix(stats::rnorm(n * d), n)
  spread <- x %*% diag(stats::runif(d, 0.3, 2), d)
  x <- switch(family,
    collinear = replace(x, (d - 1) * n + seq_len(n), x[, 1] + 10^-sample(3:12, 1) * x[, d]),
    counts = matrix(stats::rpois(n * d, 2) + 0, n),
    binary = matrix(stats::rbinom(n * d, 1, 0.4) + 0, n),
    rounded = round(spread),
    "mixed scales" = x %*% diag(10^stats::runif(d, -6, 6), d),
    duplicates = spread[, sample(d, d, replace = TRUE), drop = FALSE],
    "rank one" = outer(stats::rnorm(n), stats::runif(d, -2, 2)),
    "small units" = spread * 10^-sample(c(5, 20, 80, 145), 1),
    "large units" = spread * 10^sample(c(5, 20, 80, 145), 1),
    constant = replace(spread, (sample(d, 1) - 1) * n + seq_len(n), 7),
    spread
  )
  if (!any(varying_columns(x))) x[1, 1] <- x[1, 1] + 1
  x
}

# `instances` of every family; check(x) says whether a claim is wrong, NA for no claim
hold_against <- function(check, instances, families = hostile_families, features = 2:20) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      suppressWarnings(check(hostile_matrix(family, d = sample(features, 1))))
    }, NA)
    data.frame(
      family, tried = instances, wrong = sum(wrong, na.rm = TRUE), none = sum(is.na(wrong))
    )
  })
  do.call(rbind, rows)
}

# ---- oracles ------------------------------------------------------------------

# S and what it was divided by: a power of two, so that nothing overflows
plain_operator <- function(x, normalize) {
  unit <- 2^round(log2(max(abs(centred(x)))))
  S <- crossprod(centred(x / unit))
  if (normalize) list(S = S * ncol(x) / sum(diag(S)), unit = 1) else list(S = S, unit = unit)
}

# c / unit^2 without overflow in between
in_unit <- function(value, unit) value / unit / unit

plain_gradient_residual <- function(W, gradient) {
  multiplier <- crossprod(W, gradient)
  tangent <- gradient - W %*% (multiplier + t(multiplier)) / 2
  scale <- sqrt(sum(gradient^2))
  if (scale > 0) sqrt(sum(tangent^2)) / scale else 0
}

# argmin of lambda |x|^q + (x - a)^2 / 2 by bisection; both where they tie
plain_prox_set <- function(a, lambda, q) {
  size <- abs(a)
  if (size == 0 || lambda * size^(q - 2) < 1e-17) return(a)
  if (q == 0) {
    root <- size
  } else if (q == 1) {
    root <- max(size - lambda, 0)
  } else {
    # the stationarity equation is convex; its right root lies right of the bend
    slope <- function(x) x - size + lambda * q * x^(q - 1)
    bend <- (lambda * q * (1 - q))^(1 / (2 - q))
    if (bend >= size || slope(bend) >= 0) return(0)
    low <- bend
    high <- size
    for (i in 1:200) {
      middle <- (low + high) / 2
      if (slope(middle) > 0) high <- middle else low <- middle
    }
    root <- high
  }
  gain <- size^2 / 2 - lambda * (if (q == 0) root > 0 else root^q) - (root - size)^2 / 2
  if (abs(gain) <= 1e-9 * size^2) return(c(0, sign(a) * root))
  if (gain < 0) 0 else sign(a) * root
}

# the distance of `copy` from the proximal points of W
prox_distance <- function(W, copy, lambda, q) {
  gaps <- mapply(function(w, u) min(abs(plain_prox_set(w, lambda, q) - u)), W, copy)
  sqrt(sum(gaps^2))
}

row_prox_distance <- function(W, copy, lambda, p) {
  gaps <- vapply(seq_len(nrow(W)), function(i) {
    size <- sqrt(sum(W[i, ]^2))
    ends <- plain_prox_set(size, lambda, p)
    min(vapply(ends, function(end) {
      sqrt(sum((copy[i, ] - if (size > 0) W[i, ] * end / size else 0)^2))
    }, 0))
  }, 0)
  sqrt(sum(gaps^2))
}

bsufs_kkt <- function(fit, x, operator = plain_operator(x, fit$parameters$normalize)) {
  p <- fit$parameters
  weight <- function(value) in_unit(value, operator$unit)
  on1 <- p$lambda2 > 0
  on2 <- p$lambda1 > 0
  W <- unname(fit$W)
  V <- unname(fit$loadings)
  gradient <- -2 * operator$S %*% W - on1 * weight(p$beta1) * fit$U - on2 * weight(p$beta2) * V
  kkt <- plain_gradient_residual(W, gradient)
  if (on1) kkt <- max(kkt, prox_distance(W, fit$U, p$lambda2 / p$beta1, p$q) / sqrt(ncol(W)))
  if (on2) kkt <- max(kkt, row_prox_distance(W, V, p$lambda1 / p$beta2, p$p) / sqrt(ncol(W)))
  kkt
}

dscofs_kkt <- function(fit, x, operator = plain_operator(x, fit$parameters$normalize)) {
  p <- fit$parameters
  weight <- function(value) in_unit(value, operator$unit)
  W <- unname(fit$W)
  on1 <- p$s < length(W)
  on2 <- p$k < nrow(W)
  gradient <- -2 * operator$S %*% W - 2 * on1 * weight(p$mu1) * fit$Y -
    2 * on2 * weight(p$mu2) * fit$Z
  gap <- function(copy) sqrt(sum((W - copy)[copy != 0]^2)) / sqrt(ncol(W))
  max(plain_gradient_residual(W, gradient), if (on1) gap(fit$Y), if (on2) gap(fit$Z))
}

spcafs_kkt <- function(fit, x, operator = plain_operator(x, fit$parameters$normalize)) {
  p <- fit$parameters
  W <- unname(fit$loadings)
  square <- rowSums(W^2)
  q <- ifelse(square > 0, p$p / 2 * (square + p$eps)^(p$p / 2 - 1), 0)
  gradient <- 2 * (in_unit(p$lambda, operator$unit) * q * W - operator$S %*% W)
  gradient[square == 0, ] <- 0
  plain_gradient_residual(W, gradient)
}

# a claim: the reported residual is the one defined, and it is small where the
# fit says that it converged
kkt_is_wrong <- function(fit, plain) {
  abs(fit$kkt - plain) > 1e-9 + 1e-6 * plain || (fit$converged && plain > 1.1e-2)
}

# ---- checks --------------------------------------------------------------------

varying_columns <- function(x) apply(x, 2, function(column) diff(range(column))) > 0

pick <- function(from, to) from + sample.int(to - from + 1L, 1) - 1L

random_dimension <- function(x) pick(1, min(3, nrow(x) - 1, sum(varying_columns(x))))

# penalties of a fit with normalize = TRUE, in the units of the data
absolute <- function(value, x) {
  operator <- plain_operator(x, FALSE)
  value * mean(diag(operator$S)) * operator$unit * operator$unit
}

certify_bsufs <- function(instances) {
  hold_against(function(x) {
    m <- random_dimension(x)
    solver <- sample(c("mm", "mm", "rtr", "pencf"), 1)
    fit <- bsufs(x, m, p = sample(c(0, 0.5, 0.7, 1), 1), q = sample(c(0, 0.5, 1), 1),
      solver = solver
    )
    if (stats::runif(1) < 0.5) {
      p <- lapply(fit$parameters[c("lambda1", "lambda2", "beta1", "beta2")], absolute, x)
      fit <- bsufs(x, m, p$lambda1, p$lambda2, fit$parameters$p, fit$parameters$q, p$beta1,
        p$beta2, normalize = FALSE, solver = solver
      )
    }
    kkt_is_wrong(fit, bsufs_kkt(fit, x))
  }, instances)
}

certify_dscofs <- function(instances) {
  hold_against(function(x) {
    m <- random_dimension(x)
    k <- pick(m, ncol(x))
    solver <- sample(c("mm", "mm", "rtr", "pencf"), 1)
    alpha <- sample(c(0.5, 0.8, 1), 1)
    fit <- dscofs(x, k, m, alpha, solver = solver)
    if (stats::runif(1) < 0.5) {
      p <- lapply(fit$parameters[c("mu1", "mu2")], absolute, x)
      fit <- dscofs(x, k, m, alpha, p$mu1, p$mu2, normalize = FALSE, solver = solver)
    }
    length(unique(fit$selected)) != k || !all(is.finite(fit$scores)) ||
      kkt_is_wrong(fit, dscofs_kkt(fit, x))
  }, instances)
}

certify_spcafs <- function(instances, families = hostile_families) {
  hold_against(function(x) {
    m <- random_dimension(x)
    fit <- spcafs(x, m, p = sample(c(0.3, 0.5, 1), 1))
    if (stats::runif(1) < 0.5) {
      lambda <- absolute(fit$parameters$lambda * sample(c(0.1, 1, 3), 1), x)
      fit <- spcafs(x, m, lambda, fit$parameters$p, normalize = FALSE)
    }
    max(abs(crossprod(fit$loadings) - diag(ncol(fit$loadings)))) > 1e-8 ||
      kkt_is_wrong(fit, spcafs_kkt(fit, x))
  }, instances, families)
}

# a proximal point has the smallest value, in scaled form: a = 1, lambda a^(q-2)
prox_is_wrong <- function(a, lambda, q, x) {
  if (!is.finite(x) || x * a < 0 || abs(x) > abs(a) * (1 + 1e-12)) return(TRUE)
  share <- abs(x) / abs(a)
  slack <- 1e-12
  log_here <- log(lambda) + (q - 2) * log(abs(a))
  if (log_here > log(2)) return(share > slack && q < 1)
  here <- exp(log_here)
  value <- function(y) here * (if (q == 0) y > 0 else y^q) + (y - 1)^2 / 2
  ends <- plain_prox_set(1, here, q)
  value(share) > min(vapply(ends, value, 0)) * (1 + 1e-9) + slack ||
    min(abs(share - ends)) > 1e-6 && abs(value(0) - value(max(ends))) > 1e-9
}

certify_prox <- function(instances) {
  ranges <- list(ordinary = c(-3, 3), wide = c(-100, 100))
  counts <- vapply(ranges, function(range) {
    wrong <- vapply(seq_len(instances), function(i) {
      a <- 10^stats::runif(1, range[1], range[2]) * sample(c(-1, 1), 1)
      q <- sample(c(0, 0.1, 1 / 3, 0.5, 2 / 3, 0.9, 1, stats::runif(1)), 1)
      # around the threshold as often as anywhere
      power <- if (stats::runif(1) < 0.5) {
        (2 - q) * log10(abs(a)) + stats::runif(1, -2, 0.5)
      } else {
        stats::runif(1, -100, 100)
      }
      lambda <- 10^power
      rows <- sample(4, 1)
      A <- matrix(a / sqrt(rows), 1, rows)
      B <- prox_l2p(A, lambda, q)
      prox_is_wrong(a, lambda, q, prox_lq(a, lambda, q)) ||
        prox_is_wrong(a, lambda, q, sqrt(rows) * mean(B))
    }, NA)
    c(tried = length(wrong), wrong = sum(wrong))
  }, c(tried = 0, wrong = 0))
  data.frame(family = names(ranges), t(counts), row.names = NULL)
}
