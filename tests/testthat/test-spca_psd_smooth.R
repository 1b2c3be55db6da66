# Designs whose singular values fall by many orders of magnitude, where residuals are as small
# as penalties, and others without any freedom. Every claim is held against plain R.

smooth_designs <- function() {
  list(
    hilbert = outer(1:20, 1:6, function(i, j) 1 / (i + j - 1)),
    polynomial = outer((1:20) / 20, 1:6, function(x, j) x^j),
    kernel = outer((1:20) / 20, (1:8) / 8, function(a, b) exp(-2 * (a - b)^2)),
    wide = outer((1:8) / 8, (1:15) / 15, function(a, b) exp(-2 * (a - b)^2)),
    circulant = outer(1:9, 1:9, function(i, j) {
      cos(2 * pi * (i - j) / 9) + 0.3 * cos(4 * pi * (i - j) / 9)
    }),
    permutation = diag(8)[c(3, 1, 4, 8, 5, 2, 7, 6), ]
  )
}

# the sum of row norms, or of squares, with both penalties; the best centre by Weiszfeld's
# iteration where it is free, and the rows themselves
smooth_objective <- function(x, omega, lambda, eta, loss = "l21", adaptive = FALSE) {
  residual <- scale(x, TRUE, FALSE)
  residual <- residual - residual %*% omega
  value <- if (loss == "frobenius") sum(residual^2) else sum_of_rows(residual, adaptive)
  value + lambda * sum(sqrt(colSums(omega^2))) + eta * sum(diag(omega))
}

sum_of_rows <- function(residual, adaptive) {
  from <- function(centre) sqrt(rowSums(sweep(residual, 2, centre)^2))
  lengths <- from(0)
  best <- sum(lengths)
  if (!adaptive || best == 0) {
    return(best)
  }
  for (step in 1:50) {
    weight <- 1 / pmax(lengths, 1e-14 * max(lengths, 1e-300))
    lengths <- from(colSums(residual * weight) / sum(weight))
    best <- min(best, sum(lengths))
  }
  min(best, apply(residual, 1, function(row) sum(from(row))))
}

# Omega = 0, the projector onto the row space, and the identity
simple_points <- function(x) {
  parts <- svd(scale(x, TRUE, FALSE))
  kept <- parts$d > 1e-13 * max(dim(x)) * parts$d[1]
  d <- ncol(x)
  list(diag(0, d), tcrossprod(parts$v[, kept, drop = FALSE]), diag(d))
}

# a fit that may end before its tolerance
small_fit <- function(x, lambda, eta, tol, ..., loss = "l21") {
  suppressWarnings(
    spca_psd(x, lambda, eta, ..., loss = loss, control = rowsparse_control(tol = tol)),
    classes = c("rowsparse_warning_convergence", "rowsparse_warning_zero")
  )
}

scale_of_rows <- function(x) sum(sqrt(rowSums(scale(x, TRUE, FALSE)^2))) / 2

# Claims of fits against plain R: the objective is that of Omega, but for the rounding of
# residuals, and that of the exact solver no worse than 1.01 times that of the best simple point;
# no bound lies above a feasible point (rounding may leave that of the published iteration
# none); what is said to have converged has the gap.
expect_sound <- function(x, lambda, eta, tols, ..., loss = "l21", adaptive = FALSE) {
  at <- function(omega) smooth_objective(x, omega, lambda, eta, loss, adaptive)
  least <- min(vapply(simple_points(x), at, 0))
  for (tol in tols) {
    fit <- small_fit(x, lambda, eta, tol, ..., loss = loss)
    own <- at(omega(fit))
    reached <- utils::tail(fit$objective, 1)
    paper <- fit$parameters$solver == "paper"
    closed <- paper || !fit$converged || fit$gap <= tol
    sound <- abs(own - reached) <= 1e-4 * own && (paper || reached <= 1.01 * least) &&
      (paper && is.na(fit$bound) || fit$bound <= min(least, own, reached) * (1 + 1e-9)) && closed
    expect_true(isTRUE(sound), info = paste(
      "lambda", lambda, "eta", eta, "tol", tol, "own", own, "reached", reached, "simple", least,
      "bound", fit$bound, "gap", fit$gap
    ))
  }
}

core_ends_here()

test_that("no bound lies above a feasible point and no objective far above a simple one", {
  for (x in smooth_designs()) {
    unit <- scale_of_rows(x)
    for (lambda in unit * c(1e-9, 1e-7, 3e-7, 0.1)) {
      for (eta in unit * c(0, 2e-8, 0.01)) {
        expect_sound(x, lambda, eta, c(0.5, 1e-3), solver = "exact")
      }
    }
  }
})

test_that("the same holds of a free centre, of the published iteration and of squares", {
  for (x in smooth_designs()) {
    unit <- scale_of_rows(x)
    for (lambda in unit * c(1e-9, 1e-7, 1e-3)) {
      expect_sound(x, lambda, 0, c(0.5, 0.05, 1e-3),
        solver = "exact", center = "adaptive", adaptive = TRUE
      )
      expect_sound(x, lambda, 1e-7 * unit, c(0.05, 1e-3), solver = "paper")
      expect_sound(x, lambda, 0, 1e-3, solver = "paper", center = "adaptive", adaptive = TRUE)
      expect_sound(x, lambda, 1e-7 * unit, c(0.05, 1e-3), solver = "exact", loss = "frobenius")
    }
  }
})

# The convex problem by an interior point method: smoothed norms, a logarithmic barrier for the
# cone, Newton's method on the lower triangle of Omega; the best objective on its way.
barrier_optimum <- function(x, lambda, eta) {
  x <- scale(x, TRUE, FALSE)
  d <- ncol(x)
  at <- which(lower.tri(diag(d), TRUE), arr.ind = TRUE)
  duplicate <- matrix(0, d * d, nrow(at))
  duplicate[cbind(at[, 1] + d * (at[, 2] - 1), seq_len(nrow(at)))] <- 1
  duplicate[cbind(at[, 2] + d * (at[, 1] - 1), seq_len(nrow(at)))] <- 1
  row_part <- lapply(seq_len(nrow(x)), function(i) -kronecker(diag(d), t(x[i, ])) %*% duplicate)
  column_part <- lapply(seq_len(d), function(j) kronecker(t(diag(d)[j, ]), diag(d)) %*% duplicate)
  norms <- function(omega, smooth) {
    sum(sqrt(rowSums((x - x %*% omega)^2) + smooth[1]^2)) +
      lambda * sum(sqrt(colSums(omega^2) + smooth[2]^2)) + eta * sum(diag(omega))
  }
  value <- function(omega, smooth, barrier) {
    root <- tryCatch(chol(omega), error = function(e) NULL)
    if (is.null(root)) Inf else norms(omega, smooth) - 2 * barrier * sum(log(diag(root)))
  }
  derivatives <- function(omega, smooth, barrier) {
    inverse <- chol2inv(chol(omega))
    gradient <- crossprod(duplicate, c(diag(eta, d) - barrier * inverse))
    hessian <- barrier * crossprod(duplicate, kronecker(inverse, inverse) %*% duplicate)
    add <- function(jacobian, vector, floor, weight) {
      length <- sqrt(sum(vector^2) + floor^2)
      slope <- crossprod(jacobian, vector) / length
      gradient <<- gradient + weight * slope
      hessian <<- hessian + weight * (crossprod(jacobian) - tcrossprod(slope)) / length
    }
    residual <- x - x %*% omega
    for (i in seq_len(nrow(x))) add(row_part[[i]], residual[i, ], smooth[1], 1)
    for (j in seq_len(d)) add(column_part[[j]], omega[, j], smooth[2], lambda)
    list(gradient = gradient, hessian = hessian)
  }
  newton_step <- function(parts) {
    unit <- 1 / sqrt(diag(parts$hessian))
    pairs <- eigen(parts$hessian * tcrossprod(unit), symmetric = TRUE)
    curved <- pmax(pairs$values, 1e-15 * pairs$values[1])
    -unit * (pairs$vectors %*% (crossprod(pairs$vectors, unit * parts$gradient) / curved))
  }
  omega <- diag(0.5, d)
  best <- share <- sum(sqrt(rowSums(x^2)))
  while (share > 1e-5 * best) {
    share <- share / 2
    smooth <- c(share / nrow(x), min(share / (lambda * d), 0.1))
    for (step in 1:60) {
      parts <- derivatives(omega, smooth, share / d)
      move <- newton_step(parts)
      slope <- sum(move * parts$gradient)
      before <- value(omega, smooth, share / d)
      change <- matrix(duplicate %*% move, d)
      length <- 1
      while (length > 1e-10 &&
               !(value(omega + length * change, smooth, share / d) <=
                   before + 0.1 * length * slope)) {
        length <- length / 2
      }
      if (-slope < 1e-6 * share || length <= 1e-10) break
      omega <- omega + length * change
    }
    best <- min(best, norms(omega, c(0, 0)))
  }
  best
}

test_that("exact ends where an interior point method in plain R does", {
  designs <- smooth_designs()[c("hilbert", "polynomial")]
  set.seed(1)
  designs$random <- matrix(rnorm(60), 12)
  for (x in designs) {
    unit <- scale_of_rows(x)
    for (lambda in unit * c(1e-7, 1e-4, 0.2)) {
      for (eta in unit * c(0, 1e-2)) {
        fit <- small_fit(x, lambda, eta, 1e-4, solver = "exact")
        optimum <- barrier_optimum(x, lambda, eta)
        expect_true(fit$converged)
        expect_lte(utils::tail(fit$objective, 1), optimum * (1 + 1e-4))
        expect_lte(fit$bound, optimum * (1 + 1e-9))
      }
    }
  }
})

test_that("a free centre ends on designs without any freedom, and says how", {
  x <- smooth_designs()$wide
  lambda <- 1e-8 * scale_of_rows(x)
  setTimeLimit(elapsed = 120, transient = TRUE)
  on.exit(setTimeLimit())
  expect_sound(x, lambda, 0, 0.05, solver = "exact", center = "adaptive", adaptive = TRUE)
  tight <- small_fit(x, lambda, 0, 1e-12, solver = "exact", center = "adaptive")
  expect_false(tight$converged)
  few <- suppressWarnings(spca_psd(x, lambda, 0,
    loss = "l21", solver = "exact", center = "adaptive",
    control = rowsparse_control(tol = 1e-9, maxit = 2)
  ))
  expect_false(few$converged)
  expect_lte(few$iterations, 2 + 64)
})

test_that("where zero is optimal its bound says so", {
  for (x in smooth_designs()) {
    fit <- small_fit(x, 4 * scale_of_rows(x), 0, 1e-3, solver = "exact")
    expect_identical(fit$rank, 0L)
    expect_true(fit$converged)
  }
})
