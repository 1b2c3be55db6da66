# spca_psd(): Omega against formulas, feasible points, bounds and published runs in plain R

spca_objective <- function(x, omega, lambda, eta, loss = "frobenius") {
  x <- scale(x, scale = FALSE)
  residual <- x - x %*% omega
  value <- if (loss == "frobenius") sum(residual^2) else sum(sqrt(rowSums(residual^2)))
  value + lambda * sum(sqrt(colSums(omega^2))) + eta * sum(diag(omega))
}

psd_part <- function(m) {
  pairs <- eigen((m + t(m)) / 2, symmetric = TRUE)
  pairs$vectors %*% (pmax(pairs$values, 0) * t(pairs$vectors))
}

# the published iteration from the diagonal start w, with d x d matrices: without the cone by
# Nesterov's extrapolation if samples are many, under the l21 loss with less smoothing as it slows
published_steps <- function(x, w, lambda, eta, loss, psd, tol, steps) {
  x <- scale(x, scale = FALSE)
  d <- ncol(x)
  squares <- loss == "frobenius"
  low <- if (squares) .Machine$double.eps else 1e-3
  low_rows <- 1e-6 * sum(x^2) / nrow(x)
  ridge <- if (squares) 5e-5 * sum(x^2) / d else 3e-4 * sum(plain_norms(x)) / 2 / d
  levels <- if (psd || squares) 0 else 3
  squares_of <- function(at) if (psd) colSums(at^2) else rowSums(at^2)
  value <- function(at, rows = 0, columns = 0) {
    rest <- rowSums((x - x %*% at)^2)
    (if (squares) sum(rest) else sum(sqrt(rest + rows))) +
      lambda * sum(sqrt(squares_of(at) + columns)) + eta * sum(svd(at)$d)
  }
  at <- diag(w)
  nuclear <- diag(1 / (2 * sqrt(w^2 + low)))
  momentum <- last <- 0
  objective <- value(at)
  smoothed <- Inf
  for (step in seq_len(steps)) {
    t <- if (squares) rep(2, nrow(x)) else 1 / sqrt(rowSums((x - x %*% at)^2) + low_rows)
    s <- crossprod(x, t / 2 * x)
    weights <- diag(lambda / 2 / sqrt(squares_of(at) + low) + ridge)
    if (psd) {
      at <- psd_part((s - eta / 2 * diag(d)) %*% solve(s + weights))
    } else {
      at <- now <- solve(s + weights + eta * nuclear, s)
      following <- if (momentum > 0) (1 + sqrt(1 + 4 * momentum^2)) / 2 else 1
      weight <- if (momentum > 0 && nrow(x) >= d) (momentum - 1) / following else 0
      momentum <- following
      at <- now + weight * (now - last)
      if (weight > 0 && value(at, low_rows, low) > smoothed) {
        at <- now
        momentum <- 1
      }
      last <- now
    }
    objective <- c(objective, value(at))
    change <- abs(objective[step + 1] / objective[step] - 1) * objective[step] / objective[step + 1]
    if (change < tol) {
      if (levels == 0) break
      levels <- levels - 1
      ridge <- 0.2 * ridge
      low <- 0.1 * low
      low_rows <- 0.2 * low_rows
    }
    smoothed <- value(at, low_rows, low)
    pairs <- svd(at, nu = d)
    nuclear <- pairs$u %*% (1 / (2 * sqrt(pairs$d^2 + low)) * t(pairs$u))
  }
  list(objective = objective, at = at)
}

# low-rank data with noise; column 3 is small, column 5 hardly varies
spca_data <- function(n, d, rank = 3, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * rank), n) %*% matrix(rnorm(rank * d), rank) +
    matrix(rnorm(n * d, sd = 0.3), n)
  x[, 3] <- 0.05 * x[, 3]
  x[, 5] <- 1e-3 * x[, 5]
  x
}

total_of <- function(x) sum(scale(x, scale = FALSE)^2)

with_route <- function(route, code) {
  hold_options(rowsparse.spca_route = route)
  force(code)
}

quiet <- function(code) suppressWarnings(code, classes = "rowsparse_warning_convergence")

published <- function(...) spca_psd(..., solver = "paper")

test_that("the published iterations are those of plain R, on the cone and without it", {
  for (size in list(c(30, 12), c(10, 25))) {
    x <- spca_data(size[1], size[2])
    w <- runif(size[2])
    for (psd in c(TRUE, FALSE)) for (loss in c("frobenius", "l21")) {
      total <- if (loss == "l21") sum(plain_norms(scale(x, scale = FALSE))) else total_of(x)
      for (eta in c(if (!psd) 0, 0.001, 0.05) * total) {
        lambda <- max(0.1 * eta, 1e-4 * total)
        for (end in list(c(4, 1e-15), c(40, 1e-2))) {
          fit <- quiet(published(x, lambda, eta, loss = loss, psd = psd, start = diag(w),
            control = list(maxit = end[1], tol = end[2])
          ))
          plain <- published_steps(x, w, lambda, eta, loss, psd, end[2], end[1])
          expect_equal(fit$objective, plain$objective, tolerance = 1e-6)
          expect_equal(omega(fit), plain$at, tolerance = 1e-4)
        }
      }
    }
  }
})

core_ends_here()

test_that("objective, scores, reconstruction and feasibility follow from the factor", {
  x <- spca_data(25, 15)
  for (case in list(c("paper", "frobenius"), c("exact", "frobenius"), c("paper", "l21"))) {
    fit <- spca_psd(x, loss = case[2], solver = case[1])
    at <- omega(fit)
    p <- fit$parameters
    expect_equal(end_of(fit), spca_objective(x, at, p$lambda, p$eta, case[2]), tolerance = 1e-9)
    expect_equal(unname(fit$scores), sqrt(colSums(at^2)), tolerance = 1e-9)
    centred <- scale(x, scale = FALSE)
    expect_equal(fit$reconstruction, sum((centred - centred %*% at)^2), tolerance = 1e-8)
    expect_gte(min(eigen(at, symmetric = TRUE)$values), -1e-10)
    expect_identical(qr(at, tol = 1e-7)$rank, fit$rank)
    expect_identical(is.na(fit$gap), case[2] == "l21")
    short <- quiet(spca_psd(x, loss = case[2], solver = case[1], control = list(maxit = 1)))
    expect_equal(short$objective[1], fit$objective[1])
  }
})

test_that("the routes agree for every model on the cone", {
  x <- spca_data(20, 45)
  for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
    fits <- lapply(c("dense", "lowrank"), function(route) {
      with_route(route, quiet(published(x, loss = model[1], center = model[2])))
    })
    expect_identical(fits[[1]]$iterations, fits[[2]]$iterations)
    expect_equal(fits[[1]]$objective, fits[[2]]$objective, tolerance = 1e-7)
    expect_lt(max(abs(omega(fits[[1]]) - omega(fits[[2]]))), 1e-6)
  }
})

test_that("the default parameters are the published rule, and less on wide noise", {
  x <- spca_data(20, 10)
  fit <- spca_psd(x)
  expect_equal(fit$parameters$eta, 0.05 * total_of(x))
  expect_equal(fit$parameters$lambda, 0.05 * fit$parameters$eta)
  expect_identical(spca_psd(x, loss = "l21", center = "adaptive")$parameters$eta, 0)
  x <- from_seed(22, matrix(rnorm(60 * 1000), 60))
  for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
    expect_no_warning(fit <- quiet(spca_psd(x, loss = model[1], center = model[2])),
      class = "rowsparse_warning_zero"
    )
    expect_gt(sum(fit$scores > 1e-6 * max(fit$scores)), 20)
  }
})

test_that("without a penalty on columns the optimum is PCA with shrunken eigenvalues", {
  x <- spca_data(30, 8)
  pairs <- eigen(crossprod(scale(x, scale = FALSE)), symmetric = TRUE)
  eta <- 0.1 * sum(pairs$values)
  fit <- spca_psd(x, 1e-9 * eta, eta)
  expected <- pairs$vectors %*% (pmax(1 - eta / 2 / pairs$values, 0) * t(pairs$vectors))
  expect_equal(omega(fit), expected, tolerance = 1e-4)
})

test_that("no feasible point is below the bound, wherever a fit stopped", {
  for (size in list(c(18, 9), c(12, 20))) {
    x <- spca_data(size[1], size[2])
    d <- size[2]
    for (lambda in c(1e-3, 1e-2) * total_of(x)) {
      eta <- 1e-2 * total_of(x)
      best <- quiet(spca_psd(x, lambda, eta, control = list(tol = 1e-7)))
      f <- function(m) spca_objective(x, m, lambda, eta)
      expect_lte(best$gap, 1e-6)
      expect_lt(best$kkt, 1e-4)
      near <- replicate(20, f(psd_part(omega(best) + 1e-2 * matrix(rnorm(d * d), d))))
      expect_gte(min(near), best$bound)
      for (maxit in c(1, 100)) {
        fit <- quiet(published(x, lambda, eta, control = list(maxit = maxit)))
        expect_lte(fit$bound, end_of(best) * (1 + 1e-12))
        expect_gte(end_of(fit), end_of(best) * (1 - 1e-8))
      }
    }
  }
})

test_that("the optimum does not depend on the start, and the objective never rises", {
  x <- spca_data(15, 10)
  for (start in list(NULL, published(x), diag(10))) {
    fit <- spca_psd(x, start = start, control = list(tol = 1e-9))
    expect_equal(end_of(fit), end_of(spca_psd(x, control = list(tol = 1e-9))), tolerance = 1e-8)
    expect_never_rises(fit$objective / fit$objective[1])
  }
})

test_that("what empties Omega is told from both sides", {
  x <- from_seed(23, matrix(rnorm(40 * 6), 40))
  total <- total_of(x)
  expect_warning(fit <- spca_psd(x, 0.01 * total, 2 * total), class = "rowsparse_warning_zero")
  expect_identical(fit$ranking, order(-apply(x, 2, var)))
  text <- conditionMessage(tryCatch(spca_psd(x, 0.01 * total, 2 * total), warning = identity))
  pattern <- "between ([0-9.e+]+) and ([0-9.e+]*[0-9])"
  limits <- as.numeric(regmatches(text, regexec(pattern, text))[[1]][-1])
  # just below the lower one 0 is not optimal, from the upper one on it is
  below <- spca_psd(x, 0.01 * total, 0.999 * limits[1])
  expect_lt(end_of(below), total)
  expect_warning(above <- spca_psd(x, 0.01 * total, 1.001 * limits[2]),
    class = "rowsparse_warning_zero"
  )
  expect_equal(above$bound, total)
  expect_warning(spca_psd(x, total, 0), "largest useful `lambda` at `eta` = 0 is about")
})

test_that("a free centre is the best one when the published iteration ends", {
  set.seed(24)
  for (psd in c(TRUE, FALSE)) {
    for (size in list(c(20, 5), c(8, 20))) {
      x <- matrix(rnorm(prod(size)), size[1]) %*% diag(10^runif(size[2], -1, 1))
      fit <- quiet(spca_psd(x, loss = "l21", center = "adaptive", psd = psd))
      at <- omega(fit)
      rest <- scale(x, scale = FALSE) %*% (diag(size[2]) - at)
      norms <- if (psd) sqrt(colSums(at^2)) else sqrt(rowSums(at^2))
      value <- sum(plain_norms(sweep(rest, 2, plain_median(rest)))) +
        fit$parameters$lambda * sum(norms)
      expect_equal(end_of(fit), value, tolerance = 1e-6)
    }
  }
})

# ---- paths -----------------------------------------------------------------------

test_that("a path holds what single fits find, along the optima and one by one", {
  for (size in list(c(60, 30), c(30, 60))) {
    x <- spca_data(size[1], size[2], 8)
    eta <- 0.05 * total_of(x)
    grid <- eta * 10^c(2, seq(-0.5, -2, length.out = 10))
    path <- rowsparse_path(x, method = "spca_psd", lambda = grid, eta = eta,
      control = rowsparse_control(tol = 1e-6)
    )
    expect_identical(path$nonzero[1], 0L)
    expect_true(all(path$gap <= 1e-6))
    for (at in c(2, 6, 11)) {
      alone <- spca_psd(x, path$grid[at], eta)
      expect_equal(path$objective[at], end_of(alone), tolerance = 2e-6)
      loadings <- coef(path, path$grid[at])
      expect_equal(tcrossprod(loadings), omega(alone), tolerance = 1e-2, ignore_attr = TRUE)
      expect_equal(path$explained[at], tolerance = 1e-6,
        rowsparse:::explained_by_components(loadings, rowsparse:::as_data(x, FALSE))
      )
    }
    # the published iteration is made fit by fit
    paper <- rowsparse_path(x, method = "spca_psd", lambda = grid[4:9], eta = eta, solver = "paper")
    expect_true(all(paper$objective >= path$bound[4:9] * (1 - 1e-12)))
    expect_equal(paper$objective, path$objective[4:9], tolerance = 0.05)
    expect_equal(
      rowsparse_path(moments(x), method = "spca_psd", lambda = grid, eta = eta)$objective,
      path$objective, tolerance = 1e-4
    )
  }
})

test_that("models and starts are checked", {
  x <- as.matrix(iris[, 1:4])
  expect_each_refused("range", "`lambda` must be" = spca_psd(x, c(1, 2)),
    "`lambda` must be" = spca_psd(x, 0), "`eta` must be" = spca_psd(x, eta = -1)
  )
  expect_each_refused("choice", "with `loss" = spca_psd(x, loss = "l21", solver = "exact"),
    "with `loss" = spca_psd(x, psd = FALSE, solver = "exact"),
    "\"exact\", \"paper\"" = spca_psd(x, solver = 1:2),
    "rowsparse.spca_route" = with_route("fast", spca_psd(x))
  )
  expect_refused(spca_psd(moments(x), loss = "l21"), "type", "must hold the samples")
  expect_each_refused("start",
    "positive semidefinite" = spca_psd(x, start = diag(c(1, 1, 1, -1))),
    "symmetric" = spca_psd(x, start = matrix(1:16, 4))
  )
  expect_each_refused("size", "`start`" = spca_psd(x, start = rep(1, 3)),
    "`start`" = spca_psd(x, start = "pca"),
    "same features" = spca_psd(x, start = spca_psd(x[, 1:3]))
  )
})
