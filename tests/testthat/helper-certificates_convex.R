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

# ||Xc - Xc Omega||^2 + lambda ||Omega||_2,1 + eta tr(Omega) and its gradient at Omega = FF', roots
# smoothed by eps; x is centred
plain_spca <- function(x, lambda, eta) {
  d <- ncol(x)
  value <- function(par, eps = 0) {
    omega <- tcrossprod(matrix(par, d))
    sum((x - x %*% omega)^2) + lambda * sum(sqrt(colSums(omega^2) + eps^2)) +
      eta * sum(diag(omega))
  }
  slope <- function(par, eps) {
    F <- matrix(par, d)
    omega <- tcrossprod(F)
    G <- -2 * crossprod(x, x - x %*% omega) + diag(eta, d) +
      lambda * sweep(omega, 2, sqrt(colSums(omega^2) + eps^2), "/")
    c((G + t(G)) %*% F)
  }
  list(value = value, slope = slope)
}

# the smallest objective that a general optimiser finds, from Omega on
plain_optimum <- function(x, omega, lambda, eta, eps = 1e-7) {
  problem <- plain_spca(x, lambda, eta)
  root <- function(omega) {
    pairs <- eigen(omega, symmetric = TRUE)
    c(pairs$vectors %*% diag(sqrt(pmax(pairs$values, 0)), ncol(x)))
  }
  run <- try(stats::optim(root(omega + diag(1e-8, ncol(x))), problem$value, problem$slope,
    eps = eps, method = "BFGS", control = list(maxit = 300, reltol = 1e-14)
  ), silent = TRUE)
  own <- problem$value(root(omega))
  list(own = own, best = min(own, if (!inherits(run, "try-error")) problem$value(run$par)))
}

# what a fit claims against objective values in plain R: TRUE where it is wrong, NA where it says
# that it has no bound
spca_claim_is_wrong <- function(x, solver, lambda, eta) {
  fit <- suppressWarnings(spca_psd(x, lambda, eta, solver = solver))
  # the oracle works in units in which squares are harmless
  unit <- max(abs(x))
  xc <- centred(x / unit)
  plain <- plain_optimum(xc, rowsparse:::omega(fit), lambda / unit / unit, eta / unit / unit)
  end <- utils::tail(fit$objective, 1) / unit / unit
  if (abs(end - plain$own) > 1e-9 * plain$own + 1e-11 * sum(xc^2)) {
    return(TRUE)
  }
  if (is.na(fit$bound)) {
    return(NA)
  }
  fit$bound / unit / unit > plain$best || fit$gap < 0 || !is.finite(fit$kkt) || fit$kkt < 0 ||
    (solver == "exact" && fit$converged && fit$gap > 1e-6)
}

spca_campaign <- function(instances, families = convex_families) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      x <- convex_data(family)
      while (!varies(x)) x <- convex_data(family)
      scale <- sum(centred(x)^2)
      spca_claim_is_wrong(x, sample(c("paper", "exact"), 1), 10^stats::runif(1, -5, -1) * scale,
        10^stats::runif(1, -5, -1) * scale
      )
    }, NA)
    count_claims(family, wrong)
  })
  do.call(rbind, rows)
}

# ---- RFS -----------------------------------------------------------------------

plain_rfs_optimum <- function(x, y, W, lambda, eps = 1e-7) {
  value <- function(w, eps = 0) {
    W <- matrix(w, ncol(x))
    sum(sqrt(rowSums((y - x %*% W)^2) + eps^2)) + lambda * sum(sqrt(rowSums(W^2) + eps^2))
  }
  slope <- function(w, eps) {
    W <- matrix(w, ncol(x))
    R <- y - x %*% W
    -crossprod(x, R / sqrt(rowSums(R^2) + eps^2)) + lambda * W / sqrt(rowSums(W^2) + eps^2)
  }
  run <- try(stats::optim(c(W), value, slope, eps = eps, method = "BFGS",
    control = list(maxit = 300, reltol = 1e-14)
  ), silent = TRUE)
  min(value(c(W)), if (!inherits(run, "try-error")) value(run$par))
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

rfs_claim_is_wrong <- function(x, y, share, tol) {
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
  best <- plain_rfs_optimum(xc, yc, W, lambda)
  end <- utils::tail(fit$objective, 1) / unit
  scale <- sum(row_lengths(yc))
  wrong <- abs(end - own) > 1e-8 * own + 1e-12 * scale
  if (is.na(fit$bound)) {
    return(if (wrong) TRUE else NA)
  }
  wrong || fit$bound / unit > best || fit$gap < 0 || (fit$converged && fit$gap > tol)
}

rfs_campaign <- function(instances, families = convex_families) {
  rows <- lapply(families, function(family) {
    wrong <- vapply(seq_len(instances), function(i) {
      x <- convex_data(family)
      while (!all(apply(x, 2, stats::sd) > 0)) x <- convex_data(family)
      suppressWarnings(rfs_claim_is_wrong(x, rfs_response(nrow(x)), 10^stats::runif(1, -4, 0),
        10^-sample(3:6, 1)
      ))
    }, NA)
    count_claims(family, wrong)
  })
  do.call(rbind, rows)
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
