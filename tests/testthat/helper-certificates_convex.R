# Hostile data and plain-R oracles for what spca_psd() and rfs() claim about
# their optimum. Nothing here calls the code that made the claim. Each campaign
# returns a data frame family / tried / wrong / none (results that say that
# there is no certificate).

convex_families <- c(
  "ordinary", "collinear", "discrete", "rounded", "mixed", "tiny", "twins", "rank_one", "units"
)

convex_data <- function(family, samples = 8:25, features = 2:6) {
  n <- sample(samples, 1)
  d <- sample(features, 1)
  normal <- function(n, d) matrix(stats::rnorm(n * d), n)
  switch(family,
    ordinary = normal(n, d),
    collinear = {
      base <- normal(n, 2)
      base[, sample(2, d, TRUE)] + 10^-sample(3:8, 1) * normal(n, d)
    },
    discrete = matrix(sample(0:3, n * d, TRUE), n) + 0,
    rounded = round(normal(30, 2), 1),
    mixed = normal(n, d) %*% diag(10^stats::runif(d, -6, 6), d),
    tiny = normal(sample(2:4, 1), d),
    twins = {
      base <- normal(n, 2)
      base[, rep(1:2, length.out = d)]
    },
    rank_one = normal(n, 1) %*% normal(1, d),
    units = 10^stats::runif(1, -150, 150) * normal(n, d)
  )
}

varies <- function(x) any(apply(x, 2, function(column) max(column) > min(column)))

row_lengths <- function(m) sqrt(rowSums(m^2))

# TRUE: a wrong claim, NA: none was made
count_claims <- function(family, wrong) {
  data.frame(family, tried = length(wrong), wrong = sum(wrong, na.rm = TRUE),
    none = sum(is.na(wrong))
  )
}

# ---- SPCA-PSD ------------------------------------------------------------------

# objective and gradient at Omega = FF', roots smoothed by eps; x is centred and,
# where the centre is free, v is the last row of what is optimised
plain_spca <- function(x, lambda, eta, loss, adaptive) {
  d <- ncol(x)
  split <- function(par) {
    list(F = matrix(par[seq_len(d * d)], d), v = if (adaptive) par[d * d + seq_len(d)] else 0)
  }
  value <- function(par, eps = c(0, 0)) {
    at <- split(par)
    omega <- tcrossprod(at$F)
    R <- sweep(x - x %*% omega, 2, at$v)
    fit <- if (loss == "frobenius") sum(R^2) else sum(sqrt(rowSums(R^2) + eps[1]^2))
    fit + lambda * sum(sqrt(colSums(omega^2) + eps[2]^2)) + eta * sum(diag(omega))
  }
  slope <- function(par, eps) {
    at <- split(par)
    omega <- tcrossprod(at$F)
    R <- sweep(x - x %*% omega, 2, at$v)
    Y <- if (loss == "frobenius") 2 * R else R / sqrt(rowSums(R^2) + eps[1]^2)
    G <- -crossprod(x, Y) + lambda * sweep(omega, 2, sqrt(colSums(omega^2) + eps[2]^2), "/") +
      diag(eta, d)
    c((G + t(G)) %*% at$F, if (adaptive) -colSums(Y))
  }
  list(value = value, slope = slope)
}

# the geometric median of the rows, by Weiszfeld's iteration and the rows themselves
plain_median <- function(rows) {
  total <- function(v) sum(row_lengths(sweep(rows, 2, v)))
  v <- colMeans(rows)
  last <- Inf
  for (step in 1:3000) {
    lengths <- row_lengths(sweep(rows, 2, v))
    if (step %% 20 == 0) {
      if (sum(lengths) >= last * (1 - 1e-12)) break
      last <- sum(lengths)
    }
    weight <- 1 / pmax(lengths, 1e-15 * max(abs(rows)) + 1e-300)
    v <- colSums(rows * weight) / sum(weight)
  }
  tries <- rbind(v, rows)
  tries[which.min(apply(tries, 1, total)), ]
}

# the smallest objective that a general optimiser finds, from Omega on
plain_optimum <- function(x, omega, lambda, eta, loss, adaptive, rounds = 10^-(3:9)) {
  problem <- plain_spca(x, lambda, eta, loss, adaptive)
  size <- sqrt(mean(x^2))
  best <- problem$value(plain_point(x, omega, adaptive))
  par <- plain_point(x, omega + diag(1e-8, ncol(x)), adaptive)
  for (eps in rounds) {
    run <- try(stats::optim(par, problem$value, problem$slope, eps = c(eps * size, eps),
      method = "BFGS", control = list(maxit = 300, reltol = 1e-14)
    ), silent = TRUE)
    if (inherits(run, "try-error")) break
    par <- run$par
    best <- min(best, problem$value(par))
  }
  best
}

# the parameters of the problem at Omega, with the best centre
plain_point <- function(x, omega, adaptive) {
  pairs <- eigen(omega, symmetric = TRUE)
  c(pairs$vectors %*% diag(sqrt(pmax(pairs$values, 0)), ncol(x)),
    if (adaptive) plain_median(x - x %*% omega)
  )
}

# what a fit claims against objective values in plain R: TRUE where it is wrong,
# NA where it says that it has no bound
spca_claim_is_wrong <- function(x, model, solver, lambda, eta, thorough) {
  adaptive <- model[2] == "adaptive"
  fit <- suppressWarnings(spca_psd(x, lambda, eta, loss = model[1], center = model[2],
    solver = solver
  ))
  # the oracle works in units in which squares are harmless
  unit <- max(abs(x))
  power <- if (model[1] == "frobenius") unit^2 else unit
  xc <- x / unit
  xc <- sweep(xc, 2, colMeans(xc))
  matrix <- omega(fit)
  problem <- plain_spca(xc, lambda / power, eta / power, model[1], adaptive)
  best <- if (thorough) {
    plain_optimum(xc, matrix, lambda / power, eta / power, model[1], adaptive)
  } else {
    plain_optimum(xc, matrix, lambda / power, eta / power, model[1], adaptive, 1e-7)
  }
  end <- utils::tail(fit$objective, 1) / power
  own <- problem$value(plain_point(xc, matrix, adaptive))
  wrong <- is_other_value(end, own, xc, model)
  if (is.na(fit$bound)) {
    return(if (wrong) TRUE else NA)
  }
  wrong || fit$bound / power > best || breaks_own_rules(fit, solver)
}

# the objective is that of Omega with the best centre, up to rounding
is_other_value <- function(end, own, xc, model) {
  scale <- if (model[1] == "frobenius") sum(xc^2) else sum(row_lengths(xc))
  abs(end - own) > (if (model[2] == "adaptive") 1e-6 else 1e-9) * own + 1e-11 * scale
}

breaks_own_rules <- function(fit, solver) {
  fit$gap < 0 || !is.finite(fit$kkt) || fit$kkt < 0 ||
    (solver == "exact" && fit$converged && fit$gap > 1e-6)
}

spca_campaign <- function(instances, thorough = FALSE, families = convex_families) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      x <- convex_data(family)
      while (!varies(x)) x <- convex_data(family)
      model <- c("frobenius", "mean")
      xc <- sweep(x, 2, colMeans(x))
      lambda <- 10^stats::runif(1, -5, -1) * sum(xc^2)
      eta <- 10^stats::runif(1, -5, -1) * sum(xc^2)
      solver <- sample(c("paper", "exact"), 1)
      suppressWarnings(spca_claim_is_wrong(x, model, solver, lambda, eta, thorough))
    }, NA)
    count_claims(family, wrong)
  })
  do.call(rbind, rows)
}

# the same where few eigenvalues of S exceed eta / 2, from which the bound then comes
spca_leading_campaign <- function(instances, families = setdiff(convex_families, "rounded")) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      x <- convex_data(family, 16:40, 16:24)
      eta <- stats::runif(1, 0.3, 0.8) * sum(sweep(x, 2, colMeans(x))^2)
      lambda <- 10^stats::runif(1, -4, 0) * eta
      suppressWarnings(spca_claim_is_wrong(x, c("frobenius", "mean"),
        sample(c("paper", "exact"), 1), lambda, eta, FALSE
      ))
    }, NA)
    count_claims(family, wrong)
  })
  do.call(rbind, rows)
}

# ---- RFS -----------------------------------------------------------------------

plain_rfs_optimum <- function(x, y, W, lambda, rounds = 10^-(3:9)) {
  value <- function(w, eps = 0) {
    W <- matrix(w, ncol(x))
    sum(sqrt(rowSums((y - x %*% W)^2) + eps^2)) + lambda * sum(sqrt(rowSums(W^2) + eps^2))
  }
  slope <- function(w, eps) {
    W <- matrix(w, ncol(x))
    R <- y - x %*% W
    -crossprod(x, R / sqrt(rowSums(R^2) + eps^2)) + lambda * W / sqrt(rowSums(W^2) + eps^2)
  }
  w <- c(W)
  best <- value(w)
  for (eps in rounds) {
    run <- try(stats::optim(w, value, slope, eps = eps, method = "BFGS",
      control = list(maxit = 300, reltol = 1e-14)
    ), silent = TRUE)
    if (inherits(run, "try-error")) break
    w <- run$par
    best <- min(best, value(w))
  }
  best
}

rfs_response <- function(n) {
  repeat {
    y <- switch(sample(4, 1),
      matrix(stats::rnorm(2 * n), n),
      matrix(sample(0:2, n, TRUE), n),
      10^stats::runif(1, -150, 150) * matrix(stats::rnorm(n), n),
      stats::rt(n, 1.5)
    )
    if (varies(as.matrix(y))) return(y)
  }
}

rfs_claim_is_wrong <- function(x, y, share, tol, thorough) {
  fit <- suppressWarnings(rfs(x, y, control = list(tol = tol)))
  lambda <- share * fit$parameters$lambda_max
  fit <- suppressWarnings(rfs(x, y, lambda, control = list(tol = tol)))
  unit <- max(abs(y))
  deviation <- sqrt(colSums(sweep(x / max(abs(x)), 2, colMeans(x / max(abs(x))))^2) /
    (nrow(x) - 1)) * max(abs(x))
  xc <- x / rep(ifelse(fit$scores == 0 & deviation == 0, 1, deviation), each = nrow(x))
  xc <- sweep(xc, 2, colMeans(xc))
  yc <- as.matrix(y) / unit
  yc <- sweep(yc, 2, colMeans(yc))
  W <- unname(fit$loadings) / unit
  own <- sum(row_lengths(yc - xc %*% W)) + lambda * sum(row_lengths(W))
  best <- plain_rfs_optimum(xc, yc, W, lambda, if (thorough) 10^-(3:9) else 1e-7)
  end <- utils::tail(fit$objective, 1) / unit
  scale <- sum(row_lengths(yc))
  wrong <- abs(end - own) > 1e-8 * own + 1e-12 * scale
  if (is.na(fit$bound)) {
    return(if (wrong) TRUE else NA)
  }
  wrong || fit$bound / unit > best || fit$gap < 0 || (fit$converged && fit$gap > tol)
}

rfs_campaign <- function(instances, thorough = FALSE, families = convex_families) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      x <- convex_data(family)
      while (!all(apply(x, 2, stats::sd) > 0)) x <- convex_data(family)
      suppressWarnings(rfs_claim_is_wrong(x, rfs_response(nrow(x)), 10^stats::runif(1, -4, 0),
        10^-sample(3:6, 1), thorough
      ))
    }, NA)
    count_claims(family, wrong)
  })
  do.call(rbind, rows)
}

# the same with the splitting that large data begin with
rfs_split_campaign <- function(...) {
  instead_of("rfs_splits", function(side, responses) TRUE, rfs_campaign(...))
}
