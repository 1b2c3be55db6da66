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

# one published step from the diagonal start w, with d x d matrices
published_step <- function(x, w, lambda, eta) {
  x <- scale(x, scale = FALSE)
  s <- crossprod(x)
  ridge <- 5e-5 * mean(diag(s))
  weights <- 1 / (2 * sqrt(w^2 + .Machine$double.eps))
  psd_part((s - eta / 2 * diag(ncol(x))) %*% solve(s + diag(lambda * weights + ridge)))
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

final <- function(fit) tail(fit$objective, 1)

with_route <- function(route, code) {
  old <- options(rowsparse.spca_route = route)
  on.exit(options(old))
  force(code)
}

quiet <- function(code) suppressWarnings(code, classes = "rowsparse_warning_convergence")

published <- function(...) spca_psd(..., solver = "paper")

test_that("one step of both routes is the published formula", {
  for (size in list(c(30, 12), c(10, 25))) {
    x <- spca_data(size[1], size[2])
    w <- runif(size[2])
    for (eta in c(0.001, 0.05) * total_of(x)) {
      expected <- published_step(x, w, 0.1 * eta, eta)
      for (route in c("dense", if (size[1] < size[2]) "lowrank")) {
        fit <- quiet(with_route(route,
          published(x, 0.1 * eta, eta, start = w, control = list(maxit = 1))
        ))
        expect_identical(fit$parameters$route, route)
        expect_equal(omega(fit), expected, tolerance = 1e-5)
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
    expect_equal(final(fit), spca_objective(x, at, p$lambda, p$eta, case[2]), tolerance = 1e-9)
    expect_equal(unname(fit$scores), sqrt(colSums(at^2)), tolerance = 1e-9)
    centred <- scale(x, scale = FALSE)
    expect_equal(fit$reconstruction, sum((centred - centred %*% at)^2), tolerance = 1e-8)
    expect_gte(min(eigen(at, symmetric = TRUE)$values), -1e-10)
    expect_identical(qr(at, tol = 1e-7)$rank, fit$rank)
    expect_identical(is.na(fit$gap), case[2] == "l21")
  }
})

test_that("the routes agree for every model, with and without the cone", {
  x <- spca_data(20, 45)
  for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
    for (psd in c(TRUE, FALSE)) {
      fits <- lapply(c("dense", "lowrank"), function(route) {
        with_route(route, quiet(
          spca_psd(x, loss = model[1], center = model[2], psd = psd, solver = "paper")
        ))
      })
      expect_identical(fits[[1]]$iterations, fits[[2]]$iterations)
      expect_equal(fits[[1]]$objective, fits[[2]]$objective, tolerance = 1e-7)
      expect_lt(max(abs(omega(fits[[1]]) - omega(fits[[2]]))), 1e-6)
    }
  }
})

test_that("the default parameters are the published rule, and less on wide noise", {
  x <- spca_data(20, 10)
  fit <- spca_psd(x)
  expect_equal(fit$parameters$eta, 0.05 * total_of(x))
  expect_equal(fit$parameters$lambda, 0.05 * fit$parameters$eta)
  expect_identical(spca_psd(x, loss = "l21", center = "adaptive")$parameters$eta, 0)
  set.seed(22)
  x <- matrix(rnorm(60 * 1000), 60)
  for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
    expect_no_warning(fit <- quiet(spca_psd(x, loss = model[1], center = model[2])),
      class = "rowsparse_warning_zero"
    )
    expect_gt(sum(fit$scores > 1e-6 * max(fit$scores)), 20)
  }
})

# the lower bound of the optimum that follows from Omega, by eigen() in R
plain_bound <- function(x, omega, lambda, eta) {
  x <- scale(x, scale = FALSE)
  y <- 2 * (x - x %*% omega)
  z <- lambda * omega %*% diag(1 / sqrt(colSums(omega^2)))
  slack <- diag(eta, ncol(x)) - crossprod(x, y) + z
  lowest <- min(eigen((slack + t(slack)) / 2, symmetric = TRUE, only.values = TRUE)$values)
  share <- (lambda + eta) / (lambda + eta + max(0, -lowest))
  share * sum(y * x) - share^2 * sum(y^2) / 4
}

test_that("the optimum of a large table has the gap that plain R finds", {
  set.seed(31)
  x <- matrix(rnorm(340 * 4), 340) %*% matrix(rnorm(4 * 310), 4) +
    matrix(rnorm(340 * 310, sd = 1.5), 340)
  lambda <- 1e-4 * total_of(x)
  eta <- 0.02 * total_of(x)
  fit <- spca_psd(x, lambda, eta)
  objective <- spca_objective(x, omega(fit), lambda, eta)
  expect_lte(fit$gap, 1e-6)
  expect_lte(fit$bound, objective)
  own <- plain_bound(x, omega(fit), lambda, eta)
  # both are below the optimum, which is below the objective
  expect_lte(own, objective * (1 + 1e-12))
  expect_gt(own, objective * (1 - 1e-4))
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
        expect_lte(fit$bound, final(best) * (1 + 1e-12))
        expect_gte(final(fit), final(best) * (1 - 1e-8))
      }
    }
  }
})

test_that("the optimum does not depend on the start, and the objective never rises", {
  x <- spca_data(15, 10)
  for (start in list(NULL, published(x), diag(10))) {
    fit <- spca_psd(x, start = start, control = list(tol = 1e-9))
    expect_equal(final(fit), final(spca_psd(x, control = list(tol = 1e-9))), tolerance = 1e-8)
    expect_never_rises(fit$objective / fit$objective[1])
  }
})

test_that("a stall at rounding level ends the iteration, with any tolerance", {
  set.seed(21)
  for (size in list(c(3, 3), c(10, 30))) {
    x <- matrix(rnorm(prod(size)), size[1])
    fit <- quiet(spca_psd(x, control = list(tol = 0)))
    expect_match(fit$status, "stopped: no further progress")
    expect_lte(fit$gap, 1e-9)
    for (psd in c(TRUE, FALSE)) {
      fit <- quiet(spca_psd(x, loss = "l21", psd = psd, control = list(tol = 0, maxit = 1e5)))
      expect_match(fit$status, "stopped: no further progress")
    }
  }
})

test_that("what empties Omega is told from both sides", {
  set.seed(23)
  x <- matrix(rnorm(40 * 6), 40)
  total <- total_of(x)
  expect_warning(fit <- spca_psd(x, 0.01 * total, 2 * total), class = "rowsparse_warning_zero")
  expect_identical(fit$ranking, order(-apply(x, 2, var)))
  text <- conditionMessage(tryCatch(spca_psd(x, 0.01 * total, 2 * total), warning = identity))
  pattern <- "between ([0-9.e+]+) and ([0-9.e+]*[0-9])"
  limits <- as.numeric(regmatches(text, regexec(pattern, text))[[1]][-1])
  # just below the lower one 0 is not optimal, from the upper one on it is
  below <- spca_psd(x, 0.01 * total, 0.999 * limits[1])
  expect_lt(final(below), total)
  expect_warning(above <- spca_psd(x, 0.01 * total, 1.001 * limits[2]),
    class = "rowsparse_warning_zero"
  )
  expect_equal(above$bound, total)
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
      value <- sum(row_lengths(sweep(rest, 2, plain_median(rest)))) +
        fit$parameters$lambda * sum(norms)
      expect_equal(final(fit), value, tolerance = 1e-6)
    }
  }
})

test_that("without the cone the end is a stationary point of the objective of Omega", {
  x <- spca_data(14, 7)
  fit <- quiet(spca_psd(x, 0.5, 2, loss = "l21", psd = FALSE, control = list(tol = 1e-10)))
  centred <- scale(x, scale = FALSE)
  f <- function(m) {
    sum(sqrt(rowSums((centred - centred %*% m)^2))) + 0.5 * sum(sqrt(rowSums(m^2))) +
      2 * sum(svd(m)$d)
  }
  expect_equal(final(fit), f(omega(fit)), tolerance = 1e-8)
  expect_equal(unname(fit$scores), sqrt(rowSums(omega(fit)^2)), tolerance = 1e-8)
  # up to the smoothing of the roots
  changes <- replicate(50, f(omega(fit) + 0.05 * matrix(rnorm(49), 7)) - final(fit))
  expect_gt(min(changes), -0.005 * final(fit))
  expect_lt(fit$kkt, 1e-3)
  expect_identical(fit$gap, NA_real_)
  start <- matrix(rnorm(49), 7)
  run <- function(start) spca_psd(x, 0.5, 2, loss = "l21", psd = FALSE, start = start)
  expect_identical(run(start)$objective, run(sqrt(rowSums(start^2)))$objective)
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
      expect_equal(path$objective[at], final(alone), tolerance = 2e-6)
      loadings <- coef(path, path$grid[at])
      expect_equal(tcrossprod(loadings), omega(alone), tolerance = 1e-2, ignore_attr = TRUE)
      expect_equal(path$explained[at], tolerance = 1e-6,
        rowsparse:::explained_by_components(loadings, rowsparse:::as_data(x, FALSE))
      )
    }
    # the published iteration is made fit by fit
    paper <- rowsparse_path(x,
      method = "spca_psd", lambda = grid[4:9], eta = eta, solver = "paper"
    )
    expect_true(all(paper$objective >= path$bound[4:9] * (1 - 1e-12)))
    expect_equal(paper$objective, path$objective[4:9], tolerance = 0.05)
    expect_equal(
      rowsparse_path(moments(x), method = "spca_psd", lambda = grid, eta = eta)$objective,
      path$objective, tolerance = 1e-4
    )
  }
})

# ---- refusals --------------------------------------------------------------------

test_that("penalties, models and starts are checked", {
  x <- as.matrix(iris[, 1:4])
  for (name in c("lambda", "eta")) {
    for (bad in list(c(1, 2), -1, NA, "a")) {
      expect_refused(do.call(spca_psd, c(list(x), stats::setNames(list(bad), name))), "range",
        sprintf("`%s` must be", name)
      )
    }
  }
  expect_refused(spca_psd(x, c(1, 2)), "range", "rowsparse_path(lambda = )")
  expect_refused(spca_psd(x, loss = "l21", solver = "exact"), "choice", "`solver` must be \"paper")
  expect_refused(spca_psd(x, psd = FALSE, solver = "exact"), "choice", "`solver`")
  expect_refused(spca_psd(moments(x), loss = "l21"), "type", "must hold the samples")
  expect_refused(spca_psd(x, start = c(1, 1, -1, 1)), "start", "positive semidefinite")
  expect_refused(spca_psd(x, start = diag(c(1, 1, 1, -1))), "start", "smallest eigenvalue")
  expect_refused(spca_psd(x, start = matrix(1:16, 4)), "start", "symmetric")
  expect_refused(spca_psd(x, start = rep(1, 3)), "size", "`start`")
  expect_refused(spca_psd(x, start = "pca"), "type", "`start`")
  expect_refused(spca_psd(x, start = spca_psd(x[, 1:3])), "size", "same features")
  expect_refused(with_route("fast", spca_psd(x)), "choice", "rowsparse.spca_route")
  expect_warning(spca_psd(x, control = list(maxit = 1)), class = "rowsparse_warning_convergence")
})

# ---- reference runs --------------------------------------------------------------

test_that("the published iterations reach the recorded objectives and features", {
  skip_if_quick()
  reference <- shared_reference("spca_family")
  runs <- c("SPCAPSD", "AWSPCAPSD", "AWSPCAplain_lung_small_c1", "CSPCAplain_lung_small_c1_e3")
  runs <- grep(paste0("^", runs, collapse = "|"), names(reference$cases), value = TRUE)
  for (name in runs[!grepl("Isolet", runs) | is_slow()]) {
    case <- reference$cases[[name]]
    p <- case$params
    adaptive <- startsWith(name, "AW")
    plain <- grepl("plain", name)
    last <- tail(case$objective_history, 1)
    fit <- quiet(spca_psd(shared_data(p$data)$x,
      lambda = if (is.null(p$lambda)) p$alpha else p$lambda,
      eta = if (adaptive) 0 else if (is.null(p$eta)) p$beta else p$eta,
      loss = if (adaptive || plain) "l21" else "frobenius",
      center = if (adaptive) "adaptive" else "mean", psd = !plain, solver = "paper",
      start = if (!adaptive) reference$omega_diag_init[[paste0("d", p$d)]],
      control = rowsparse_control(tol = 1e-5 / last, maxit = if (plain) 250)
    ))
    # a free centre is the best one at the end only; without the cone less smoothing is left
    at <- length(fit$objective) - (adaptive && !plain)
    expect_lt(abs(fit$objective[at] / last - 1), if (plain) 5e-3 else 1e-3, label = name)
    if (!adaptive && !plain) {
      expect_gte(length(intersect(fit$ranking[1:50], case$ranking[1:50])), 48, label = name)
    }
  }
})

test_that("exact meets every certified optimum, with a valid gap", {
  reference <- shared_reference("spca_psd_optimum")
  lung <- shared_data("lung_discrete")$x
  for (name in names(reference$cases)) {
    case <- reference$cases[[name]]
    p <- case$params
    fit <- spca_psd(if (p$d == 60) t(reference$X$n200) else lung, p$lambda, p$eta)
    expect_lt(abs(final(fit) / p$F_opt - 1), 1e-6, label = name)
    expect_lte(fit$gap, 1e-6, label = name)
    # the recorded optimum is itself known to within its own bound
    expect_gte(fit$gap, (final(fit) - p$F_opt) / final(fit) - 1e-12, label = name)
    expect_lte(fit$bound, p$F_opt * (1 + 1e-12), label = name)
    if (!is.null(case$Omega_opt)) {
      expect_lt(sqrt(sum((omega(fit) - case$Omega_opt)^2)), 1e-2 * sqrt(sum(case$Omega_opt^2)))
    }
  }
})
