# Oracles in plain R for what spca_psd() and rfs() claim about their optimum. Nothing here calls
# the code that made the claim.

# Omega of a fit of spca_psd(), d x d
omega <- function(fit) tcrossprod(fit$factor, fit$right)

# hostile data of few features, which a general optimiser serves
hold_convex <- function(check, instances) {
  hold_against(check, instances, setdiff(hostile_families, c("constant", "wide")), 2:6)
}

# the smallest value that a general optimiser finds; `eps` smooths the roots
descended <- function(start, value, slope, eps = 1e-7) {
  run <- try(stats::optim(c(start), value, slope, eps = eps, method = "BFGS",
    control = list(maxit = 300, reltol = 1e-14)
  ), silent = TRUE)
  min(value(c(start)), if (!inherits(run, "try-error")) value(run$par))
}

# ---- SPCA-PSD ------------------------------------------------------------------

# ||Xc - Xc Omega||^2 + lambda ||Omega||_2,1 + eta tr(Omega) at Omega = FF' from a fit, and the
# smallest value from there on; x is centred
plain_optimum <- function(x, omega, lambda, eta) {
  d <- ncol(x)
  value <- function(par, eps = 0) {
    omega <- tcrossprod(matrix(par, d))
    sum((x - x %*% omega)^2) + lambda * sum(sqrt(colSums(omega^2) + eps^2)) +
      eta * sum(diag(omega))
  }
  slope <- function(par, eps) {
    factor <- matrix(par, d)
    omega <- tcrossprod(factor)
    G <- -2 * crossprod(x, x - x %*% omega) + diag(eta, d) +
      lambda * sweep(omega, 2, sqrt(colSums(omega^2) + eps^2), "/")
    c((G + t(G)) %*% factor)
  }
  root <- function(omega) {
    pairs <- eigen(omega, symmetric = TRUE)
    c(pairs$vectors %*% diag(sqrt(pmax(pairs$values, 0)), d))
  }
  own <- value(root(omega))
  list(own = own, best = min(own, descended(root(omega + diag(1e-8, d)), value, slope)))
}

# what a fit claims against objective values in plain R: TRUE if it is wrong, NA if it says
# that it has no bound
spca_claim_is_wrong <- function(x) {
  solver <- sample(c("paper", "exact"), 1)
  penalties <- 10^stats::runif(2, -5, -1)
  # the oracle works in units in which squares are harmless
  unit <- max(abs(x))
  xc <- centred(x / unit)
  penalties <- penalties * sum(xc^2)
  fit <- suppressWarnings(
    spca_psd(x, penalties[1] * unit * unit, penalties[2] * unit * unit, solver = solver)
  )
  plain <- plain_optimum(xc, omega(fit), penalties[1], penalties[2])
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

spca_campaign <- function(instances) hold_convex(spca_claim_is_wrong, instances)

# ---- RFS -----------------------------------------------------------------------

plain_rfs_optimum <- function(x, y, W, lambda) {
  value <- function(w, eps = 0) {
    W <- matrix(w, ncol(x))
    sum(sqrt(rowSums((y - x %*% W)^2) + eps^2)) + lambda * sum(sqrt(rowSums(W^2) + eps^2))
  }
  slope <- function(w, eps) {
    W <- matrix(w, ncol(x))
    R <- y - x %*% W
    -crossprod(x, R / sqrt(rowSums(R^2) + eps^2)) + lambda * W / sqrt(rowSums(W^2) + eps^2)
  }
  descended(W, value, slope)
}

rfs_response <- function(n) {
  repeat {
    y <- switch(sample(4, 1),
      matrix(stats::rnorm(2 * n), n),
      matrix(sample(0:2, n, TRUE), n),
      10^stats::runif(1, -150, 150) * matrix(stats::rnorm(n), n),
      stats::rt(n, 1.5)
    )
    if (any(varying_columns(as.matrix(y)))) return(y)
  }
}

rfs_claim_is_wrong <- function(x) {
  x <- x[, varying_columns(x), drop = FALSE]
  y <- rfs_response(nrow(x))
  tol <- 10^-sample(3:6, 1)
  call <- function(...) suppressWarnings(rfs(x, y, ..., control = list(tol = tol)))
  lambda <- 10^stats::runif(1, -4, 0) * call()$parameters$lambda_max
  fit <- call(lambda)
  unit <- max(abs(y))
  xc <- centred(x / max(abs(x)), TRUE)
  yc <- centred(as.matrix(y) / unit)
  W <- unname(fit$loadings) / unit
  own <- sum(plain_norms(yc - xc %*% W)) + lambda * sum(plain_norms(W))
  best <- plain_rfs_optimum(xc, yc, W, lambda)
  end <- utils::tail(fit$objective, 1) / unit
  scale <- sum(plain_norms(yc))
  wrong <- abs(end - own) > 1e-8 * own + 1e-12 * scale
  if (is.na(fit$bound)) {
    return(if (wrong) TRUE else NA)
  }
  wrong || fit$bound / unit > best || fit$gap < 0 || (fit$converged && fit$gap > tol)
}

rfs_campaign <- function(instances) hold_convex(rfs_claim_is_wrong, instances)

# the geometric median of the rows, by Weiszfeld's iteration and the rows themselves
plain_median <- function(rows) {
  total <- function(v) sum(plain_norms(sweep(rows, 2, v)))
  v <- colMeans(rows)
  last <- Inf
  for (step in 1:3000) {
    lengths <- plain_norms(sweep(rows, 2, v))
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
