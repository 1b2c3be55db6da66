# spca_psd() and rfs(): no bound is above an objective that is reached anywhere. Points are
# sought in double precision; what counts is their value in 113 bits, and a bound has no
# allowance but that of moments for their own rounding.

# the end of a descent, or its start where that fails
descended_from <- function(start, value, slope, steps) {
  run <- try(stats::optim(c(start), value, slope, method = "BFGS",
    control = list(maxit = steps, reltol = 1e-14)
  ), silent = TRUE)
  if (inherits(run, "try-error")) start else matrix(run$par, nrow(start))
}

# ---- reconstruction ---------------------------------------------------------------------

# Points Omega = FF' that may be near the optimum: nothing, everything, the projector on the
# row space, on leading directions, and soft ones
spca_points <- function(z, eta) {
  d <- ncol(z)
  s <- svd(z / max(abs(z)), nu = 0)
  keep <- s$d > 1e-13 * s$d[1]
  V <- s$v[, keep, drop = FALSE]
  square <- s$d[keep]^2 * max(abs(z))^2
  soft <- pmax(1 - eta / 2 / square, 0)
  soft[!is.finite(soft)] <- 0
  leading <- lapply(seq_len(ncol(V)), function(r) V[, seq_len(r), drop = FALSE])
  c(list(matrix(0, d, 1), diag(d), V %*% diag(sqrt(soft), ncol(V))), leading)
}

# A smoothed descent from a point, by a general optimiser: the data have unit size
spca_descent <- function(z, root, lambda, eta, l21, eps = 1e-7) {
  d <- ncol(z)
  at <- function(par) {
    root <- matrix(par, d)
    omega <- tcrossprod(root)
    list(root = root, omega = omega, R = z - z %*% omega)
  }
  value <- function(par) {
    p <- at(par)
    (if (l21) sum(sqrt(rowSums(p$R^2) + eps^2)) else sum(p$R^2)) +
      lambda * sum(sqrt(colSums(p$omega^2) + eps^2)) + eta * sum(diag(p$omega))
  }
  slope <- function(par) {
    p <- at(par)
    Y <- if (l21) p$R / sqrt(rowSums(p$R^2) + eps^2) else 2 * p$R
    G <- -crossprod(z, Y) + diag(eta, d) +
      lambda * sweep(p$omega, 2, sqrt(colSums(p$omega^2) + eps^2), "/")
    (G + t(G)) %*% p$root
  }
  root <- cbind(root, matrix(0, d, max(0, d - ncol(root))))[, seq_len(d)] + diag(1e-5, d)
  descended_from(root, value, slope, 150)
}

spca_problem <- function(family, loss) {
  x <- design(family, d = between(3, 6))
  scale <- stats::runif(1) < 0.2
  v <- view(x, scale)
  z <- quad_table(v)
  unit <- if (loss == "l21") sum(sqrt(rowSums((z / max(abs(z)))^2))) * max(abs(z)) / 2 else sum(z^2)
  # what empties Omega, what leaves all, and all between
  lambda <- unit * 10^one_of(list(stats::runif(1, -9, -3), stats::runif(1, -4, -1)))
  eta <- if (stats::runif(1) < 0.2) 0 else unit * 10^stats::runif(1, -10, -0.5)
  forms <- if (loss == "l21") names(sample_forms) else names(all_forms)
  list(x = x, v = v, z = z, scale = scale, lambda = lambda, eta = eta, a = arrive(x, forms = forms))
}

# the smallest value found, with the shares of it by which the claims are above
spca_best <- function(p, factor, l21, claims) {
  size <- max(abs(p$z))
  power <- if (l21) size else size^2
  at <- function(root) {
    quad_reconstruction(p$v, root, numeric(ncol(p$z)), p$lambda, p$eta, l21, claims)
  }
  points <- c(list(unname(factor)), spca_points(p$z, if (l21) 0 else p$eta))
  values <- lapply(points, at)
  first <- which.min(vapply(values, `[[`, 0, "value"))
  for (from in unique(c(1, first))) {
    low <- spca_descent(p$z / size, points[[from]], p$lambda / power, p$eta / power, l21)
    values <- c(values, list(at(low)))
  }
  all <- vapply(values, `[[`, 0, "value")
  list(own = values[[1]], best = values[[which.min(all)]],
    simple = min(all[2:3], all[length(points)])
  )
}

trial_spca <- function(family) {
  p <- spca_problem(family, "frobenius")
  solver <- sample(c("paper", "exact", "exact"), 1)
  tol <- if (solver == "exact") one_of(c(0.5, 0.1, 0.05, 0.05, 0.01, 1e-3, 1e-5, 1e-6))
  time <- system.time(gcFirst = FALSE, fit <- spca_psd(p$a$data, p$lambda, p$eta,
    solver = solver, scale = p$scale, control = list(tol = tol)[!is.null(tol)]
  ))
  end <- utils::tail(fit$objective, 1)
  found <- spca_best(p, fit$factor, FALSE, c(end, or(fit$bound, 0)))
  squares <- sum(p$z^2)
  error <- ncol(p$x) * data_error(p$a$form, p$x)
  slack <- if (is_moments(p$a$form)) error * squares / found$best$value else 0
  # rounding of the residuals, which may be far below the data
  near <- 1e-9 + (1e-11 + error) * squares / found$own$value
  none <- is.na(fit$bound)
  verdict(
    c(flag(objective = abs(found$own$above[1]) > near),
      if (!none) {
        flag(
          bound = fit$bound > 0 && found$best$above[2] > slack, side = fit$bound > end,
          gap = fit$gap < 0,
          tolerance = solver == "exact" && fit$converged && fit$gap > tol * (1 + 1e-9)
        )
      },
      # 0, the identity and the projector are never far below the end of the exact solver
      if (solver == "exact") {
        flag(above = end > found$simple * 1.01 + 1e-11 * squares, time = sum(time[1:2]) > 10)
      }
    ),
    none, p$a$form, p = p, solver = solver, tol = tol, fit = fit
  )
}

or <- function(value, other) if (is.na(value)) other else value

# ---- regression of rows --------------------------------------------------------------------

rows_descent <- function(z, Y, W, lambda, squares, eps = 1e-8) {
  loss <- function(R) if (squares) sum(R^2) else sum(sqrt(rowSums(R^2) + eps^2))
  value <- function(w) {
    W <- matrix(w, ncol(z))
    loss(Y - z %*% W) + lambda * sum(sqrt(rowSums(W^2) + eps^2))
  }
  slope <- function(w) {
    W <- matrix(w, ncol(z))
    R <- Y - z %*% W
    -crossprod(z, if (squares) 2 * R else R / sqrt(rowSums(R^2) + eps^2)) +
      lambda * W / sqrt(rowSums(W^2) + eps^2)
  }
  descended_from(W, value, slope, 200)
}

# the smallest value among some W, with the shares of it by which the claims are above
rows_best <- function(v, y, W, lambda, claims, squares = FALSE) {
  z <- quad_table(v)
  Y <- response_columns(y)
  yc <- quad_table(view(Y))
  unit <- max(abs(yc))
  size <- max(abs(z))
  # W in the units in which both have size 1
  own <- W / unit * size
  s <- svd(z / size)
  keep <- s$d > 1e-10 * s$d[1]
  least <- s$v[, keep, drop = FALSE] %*%
    (crossprod(s$u[, keep, drop = FALSE], yc / unit) / s$d[keep])
  descend <- function(from) {
    rows_descent(z / size, yc / unit, from, lambda / size / (if (squares) unit else 1), squares)
  }
  tries <- list(own, 0 * own, least, descend(own), descend(least))
  values <- lapply(tries, function(W) quad_rows(v, Y, W * (unit / size), lambda, claims, squares))
  list(own = values[[1]], best = values[[which.min(vapply(values, `[[`, 0, "value"))]],
    size = if (squares) sum(yc^2) else sum(sqrt(rowSums((yc / unit)^2))) * unit
  )
}

wrong_rows <- function(fit, v, y, tol, form, squares = FALSE) {
  end <- utils::tail(fit$objective, 1)
  W <- unname(fit$loadings)
  found <- rows_best(v, y, W, fit$parameters$lambda, c(end, or(fit$bound, 0)), squares)
  near <- 1e-8 + 1e-12 * found$size / found$own$value
  c(
    flag(objective = abs(found$own$above[1]) > near),
    if (!is.na(fit$bound)) {
      flag(
        bound = fit$bound > 0 && found$best$above[2] > 0, side = fit$bound > end,
        gap = fit$gap < 0, tolerance = fit$converged && fit$gap > tol
      )
    }
  )
}

trial_rfs <- function(family) {
  x <- design(family)
  y <- varied_response(x)
  scale <- stats::runif(1) < 0.7
  tol <- 10^-between(3, 6)
  a <- arrive(x, y, names(sample_forms))
  call <- function(...) rfs(a$data, y, ..., scale = scale, control = list(tol = tol))
  lambda <- call()$parameters$lambda_max * 10^stats::runif(1, -5, 0)
  fit <- call(lambda)
  verdict(wrong_rows(fit, view(x, scale), y, tol, a$form), is.na(fit$bound), a$form,
    x = x, y = y, scale = scale, lambda = lambda, tol = tol, fit = fit
  )
}

trial_tsfs <- function(family) {
  x <- design(family)
  scale <- stats::runif(1) < 0.5
  a <- arrive(x, forms = names(sample_forms))
  teacher <- normal(nrow(x), between(1, 3)) * 10^one_of(c(-50, 0, 0, 50))
  call <- function(...) {
    rowsparse(a$data, k = ncol(x), method = "tsfs", teacher = teacher, ..., scale = scale)
  }
  lambda <- call()$parameters$lambda_max * 10^stats::runif(1, -5, 0)
  fit <- call(lambda = lambda)
  verdict(wrong_rows(fit, view(x, scale), teacher, 1e-4, a$form, TRUE), is.na(fit$bound), a$form,
    x = x, teacher = teacher, scale = scale, lambda = lambda, fit = fit
  )
}

convex_claims <- list(
  spca = claim("`spca_psd()`, Frobenius loss: no bound is above an objective that is reached",
    1, trial_spca
  ),
  rfs = claim("`rfs()`: no bound is above an objective that is reached", 0.7, trial_rfs),
  tsfs = claim("`tsfs()`: no bound is above an objective that is reached", 0.4, trial_tsfs)
)
