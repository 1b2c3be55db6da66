# The objective in plain R, from the definition.
spca_objective <- function(x, omega, lambda, eta, loss = "frobenius", centre = NULL) {
  x <- sweep(x, 2, if (is.null(centre)) colMeans(x) else centre)
  residual <- x - x %*% omega
  value <- if (loss == "frobenius") sum(residual^2) else sum(sqrt(rowSums(residual^2)))
  value + lambda * sum(sqrt(colSums(omega^2))) + eta * sum(diag(omega))
}

psd_part <- function(m) {
  pairs <- eigen((m + t(m)) / 2, symmetric = TRUE)
  pairs$vectors %*% (pmax(pairs$values, 0) * t(pairs$vectors))
}

# One published step from the diagonal start w, with d x d matrices.
published_step <- function(x, w, lambda, eta) {
  x <- sweep(x, 2, colMeans(x))
  s <- crossprod(x)
  ridge <- 5e-5 * mean(diag(s))
  weights <- 1 / (2 * sqrt(w^2 + .Machine$double.eps))
  identity <- diag(ncol(x))
  psd_part((s - eta / 2 * identity) %*% solve(s + diag(lambda * weights + ridge)))
}

# Low-rank data with noise; column 3 is small, column 5 hardly varies.
spca_data <- function(n, d, rank = 3, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * rank), n) %*% matrix(rnorm(rank * d), rank) +
    matrix(rnorm(n * d, sd = 0.3), n)
  x[, 3] <- 0.05 * x[, 3]
  x[, 5] <- 1e-3 * x[, 5]
  x
}

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
    trace <- sum(scale(x, scale = FALSE)^2)
    for (eta in c(0.001, 0.05) * trace) {
      expected <- published_step(x, w, 0.1 * eta, eta)
      fit <- quiet(with_route("dense",
        published(x, 0.1 * eta, eta, start = w, control = list(maxit = 1))
      ))
      expect_equal(omega(fit), expected, tolerance = 1e-7)
      if (size[1] < size[2]) {
        fit <- quiet(with_route("lowrank",
          published(x, 0.1 * eta, eta, start = w, control = list(maxit = 1))
        ))
        expect_identical(fit$parameters$route, "lowrank")
        expect_equal(omega(fit), expected, tolerance = 1e-5)
      }
    }
  }
})

core_ends_here()

test_that("the routes agree to 1e-8 for every model", {
  x <- spca_data(20, 45)
  for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
    fits <- lapply(c("dense", "lowrank"), function(route) {
      with_route(route, spca_psd(x, loss = model[1], center = model[2]))
    })
    expect_identical(fits[[1]]$iterations, fits[[2]]$iterations)
    # the steps behind the iteration stop at a gap
    is_finished <- model[1] == "l21"
    published <- lapply(fits, function(fit) fit$objective[seq_len(fit$iterations + !is_finished)])
    expect_equal(published[[1]], published[[2]], tolerance = 1e-8)
    expect_equal(tail(fits[[1]]$objective, 1), tail(fits[[2]]$objective, 1),
      tolerance = if (is_finished) 1e-3 else 1e-8
    )
    if (is_finished) next
    expect_identical(fits[[1]]$rank, fits[[2]]$rank)
    expect_lt(max(abs(omega(fits[[1]]) - omega(fits[[2]]))), 1e-8)
  }
})

test_that("objective, scores, reconstruction and feasibility follow from the factor", {
  x <- spca_data(25, 15)
  colnames(x) <- paste0("gene", 1:15)
  for (solver in c("paper", "exact")) {
    for (loss in c("frobenius", "l21")) {
      fit <- spca_psd(x, loss = loss, solver = solver)
      matrix <- omega(fit)
      parameters <- fit$parameters
      expect_equal(tail(fit$objective, 1), tolerance = 1e-9,
        spca_objective(x, matrix, parameters$lambda, parameters$eta, loss)
      )
      expect_equal(fit$scores, sqrt(colSums(matrix^2)), tolerance = 1e-9)
      centred <- scale(x, scale = FALSE)
      expect_equal(fit$reconstruction, sum((centred - centred %*% matrix)^2), tolerance = 1e-8)
      expect_identical(matrix, t(matrix))
      expect_gte(min(eigen(matrix, symmetric = TRUE)$values), -1e-10)
      expect_identical(qr(matrix, tol = 1e-7)$rank, fit$rank)
      expect_identical(fit$ranking, order(-fit$scores))
      expect_identical(selected(fit, 2), names(sort(fit$scores, decreasing = TRUE))[1:2])
      expect_equal(predict(fit, x, type = "components"), centred %*% fit$factor,
        ignore_attr = TRUE, tolerance = 1e-10
      )
    }
  }
})

test_that("where few eigenvectors are searched for the steps are the published ones", {
  x <- spca_data(340, 310)
  centred <- sweep(x, 2, colMeans(x))
  s <- crossprod(centred)
  eta <- 0.05 * sum(diag(s))
  w <- runif(310)
  for (step in 1:3) w <- sqrt(colSums(published_step(x, w, 0.05 * eta, eta)^2))
  fit <- quiet(with_route("dense",
    published(x, 0.05 * eta, eta, start = w, control = list(maxit = 1))
  ))
  several <- quiet(with_route("dense",
    published(x, 0.05 * eta, eta, start = fit, control = list(maxit = 3))
  ))
  for (step in 1:3) {
    expected <- published_step(x, if (step == 1) fit$scores else w, 0.05 * eta, eta)
    w <- sqrt(colSums(expected^2))
  }
  expect_equal(omega(several), expected, tolerance = 1e-5)
  expect_lt(several$rank, 20)
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

test_that("gaps of tables with many features and samples hold against those of plain R", {
  for (noise in c(0.3, 1.5)) {
    set.seed(31)
    x <- matrix(rnorm(340 * 4), 340) %*% matrix(rnorm(4 * 310), 4) +
      matrix(rnorm(340 * 310, sd = noise), 340)
    trace <- sum(scale(x, scale = FALSE)^2)
    fit <- spca_psd(x, 1e-4 * trace, 0.02 * trace, solver = "exact")
    objective <- spca_objective(x, omega(fit), 1e-4 * trace, 0.02 * trace)
    expect_lte(fit$gap, 1e-6)
    expect_lte(fit$bound, objective)
    own <- plain_bound(x, omega(fit), 1e-4 * trace, 0.02 * trace)
    # both are below the optimum, which is below the objective
    expect_lte(own, objective * (1 + 1e-12))
    expect_gt(own, objective * (1 - 1e-4))
    paper <- spca_psd(x, 1e-4 * trace, 0.02 * trace)
    expect_lte(paper$bound, objective)
    expect_gte(paper$bound, objective * (1 - 1e-4))
  }
})

test_that("exact closes the gap where residuals vanish, with and without a free centre", {
  for (size in list(c(25, 12), c(40, 8), c(12, 25))) {
    x <- 3 * spca_data(size[1], size[2])
    level <- sum(row_lengths(scale(x, scale = FALSE)))
    for (share in c(1e-3, 1e-4)) {
      for (center in c("mean", "adaptive")) {
        fit <- quiet(spca_psd(x, share * level, if (center == "mean") share * level / 10 else 0,
          loss = "l21", center = center, solver = "exact"
        ))
        # rounding may leave it a little above the tolerance
        expect_lt(fit$gap, 1e-5)
        expect_gt(sum(fit$scores > 0), 5)
      }
    }
  }
})

# The published codes of the l21 loss with d x d matrices: CSPCA-PSD from the
# diagonal start w, with its whole eta; AW-SPCA-PSD from unit weights and the mean.
published_robust <- function(x, lambda, eta, w = NULL) {
  d <- ncol(x)
  centred <- scale(x, scale = FALSE)
  samples <- if (is.null(w)) rep(1, nrow(x)) else row_lengths(centred %*% diag(1 - w))
  columns <- if (is.null(w)) rep(1, d) else w
  weight <- function(length) 1 / (2 * sqrt(length^2 + 1e-3))
  values <- numeric(0)
  t <- if (is.null(w)) rep(1, nrow(x)) else weight(samples)
  D <- if (is.null(w)) rep(1, d) else weight(columns)
  for (iteration in 1:60) {
    at <- if (is.null(w)) sweep(x, 2, colSums(t * x) / sum(t)) else centred
    s <- crossprod(at, t * at)
    omega <- psd_part(t(solve(s + diag(lambda * D + 1e-3), s - eta * diag(d))))
    t <- weight(row_lengths(at - at %*% omega))
    D <- weight(sqrt(colSums(omega^2)))
    values <- c(values, sum(row_lengths(at - at %*% omega)) +
      lambda * sum(sqrt(colSums(omega^2))) + eta * sum(diag(omega)))
  }
  values
}

test_that("under the l21 loss the optimum is never above the published code, nor its own course", {
  for (size in list(c(25, 12), c(12, 25), c(9, 40))) {
    x <- 3 * spca_data(size[1], size[2])
    level <- sum(row_lengths(scale(x, scale = FALSE)))
    w <- runif(size[2])
    for (share in c(1e-1, 1e-2, 1e-4)) {
      fit <- quiet(spca_psd(x, share * level / 5, share * level / 5, loss = "l21", start = w))
      code <- published_robust(x, share * level / 5, share * level / 5, w)
      expect_lte(tail(fit$objective, 1), min(code))
      expect_lte(tail(fit$objective, 1), min(fit$objective))
      at <- omega(fit)
      expect_equal(tail(fit$objective, 1), tolerance = 1e-8,
        spca_objective(x, at, share * level / 5, share * level / 5, "l21")
      )
      adaptive <- quiet(spca_psd(x, share * level, loss = "l21", center = "adaptive"))
      expect_lte(tail(adaptive$objective, 1), min(published_robust(x, share * level, 0)))
    }
  }
})

test_that("the default parameters are the published rule", {
  x <- spca_data(20, 10)
  fit <- spca_psd(x)
  trace <- sum(scale(x, scale = FALSE)^2)
  expect_equal(fit$parameters$eta, 0.05 * trace)
  expect_equal(fit$parameters$lambda, 0.05 * fit$parameters$eta)
  adaptive <- spca_psd(x, loss = "l21", center = "adaptive")
  expect_identical(adaptive$parameters$eta, 0)
  expect_gt(adaptive$parameters$lambda, 0)
})

test_that("without a norm penalty the optimum is PCA with shrunken eigenvalues", {
  x <- spca_data(30, 8)
  pairs <- eigen(crossprod(scale(x, scale = FALSE)), symmetric = TRUE)
  eta <- 0.1 * sum(pairs$values)
  fit <- spca_psd(x, 1e-9 * eta, eta, solver = "exact")
  expected <- pairs$vectors %*%
    (pmax(1 - eta / 2 / pairs$values, 0) * t(pairs$vectors))
  expect_lte(fit$gap, 1e-6)
  expect_equal(omega(fit), expected, tolerance = 1e-4)
})

test_that("exact is a minimum: no feasible perturbation is better, and the gap is certified", {
  x <- spca_data(18, 9)
  set.seed(2)
  for (loss in c("frobenius", "l21")) {
    fit <- spca_psd(x, loss = loss, solver = "exact")
    at <- omega(fit)
    parameters <- fit$parameters
    f <- function(m) spca_objective(x, m, parameters$lambda, parameters$eta, loss)
    expect_lte(fit$gap, 1e-6)
    expect_lt(fit$kkt, 1e-4)
    expect_lte(fit$bound, f(at))
    for (size in c(1e-1, 1e-3)) {
      better <- replicate(40, {
        step <- matrix(rnorm(81), 9)
        f(psd_part(at + size * step)) < fit$bound
      })
      expect_false(any(better))
    }
    expect_gte(f(omega(published(x, loss = loss))), fit$bound)
  }
})

test_that("the bound is valid: below a certified optimum wherever a fit stopped", {
  x <- spca_data(12, 20)
  trace <- sum(scale(x, scale = FALSE)^2)
  for (lambda in c(1e-3, 1e-2, 0.2) * trace) {
    eta <- 1e-2 * trace
    best <- quiet(spca_psd(x, lambda, eta, solver = "exact", control = list(tol = 1e-7)))
    optimum <- tail(best$objective, 1)
    for (maxit in c(1, 3, 100)) {
      fit <- quiet(published(x, lambda, eta, control = list(maxit = maxit)))
      expect_lte(fit$bound, optimum * (1 + 1e-12))
      expect_gte(fit$gap, 1 - optimum / tail(fit$objective, 1) - 1e-12)
    }
    expect_equal(tail(fit$objective, 1) >= optimum * (1 - 1e-8), TRUE)
  }
})

test_that("exact solves problems whose optimum has more rank than PCA suggests, and zero columns", {
  x <- spca_data(12, 20)
  trace <- sum(scale(x, scale = FALSE)^2)
  fit <- spca_psd(x, 0.02 * trace, 1e-4 * trace, solver = "exact")
  expect_lte(fit$gap, 1e-6)
  expect_gt(fit$rank, 11)
  fit <- spca_psd(x, 0.02 * trace, 0.02 * trace, solver = "exact")
  expect_lte(fit$gap, 1e-6)
  expect_identical(unname(fit$scores[5]), 0)
  expect_gt(sum(fit$scores > 0), 5)
})

test_that("exact does not depend on the start, and ends below all that it recorded", {
  x <- spca_data(15, 10)
  cold <- spca_psd(x, solver = "exact", control = list(tol = 1e-9))
  paper <- published(x)
  warm <- spca_psd(x, solver = "exact", start = paper, control = list(tol = 1e-9))
  matrix <- spca_psd(x, solver = "exact", start = diag(10), control = list(tol = 1e-9))
  expect_equal(tail(warm$objective, 1), tail(cold$objective, 1), tolerance = 1e-8)
  expect_equal(tail(matrix$objective, 1), tail(cold$objective, 1), tolerance = 1e-8)
  expect_equal(warm$scores, cold$scores, tolerance = 1e-3)
  # from round to round the smoothing narrows, which lowers the objective as well
  for (fit in list(cold, warm, matrix)) {
    expect_never_rises(fit$objective / fit$objective[1])
    expect_identical(fit$rises, 0L)
  }
})

test_that("a stall at rounding level ends the iteration, with any tolerance", {
  set.seed(21)
  for (size in list(c(3, 3), c(10, 30))) {
    x <- matrix(rnorm(prod(size)), size[1])
    for (loss in c("frobenius", "l21")) {
      fit <- quiet(spca_psd(x, loss = loss, solver = "exact", control = list(tol = 0)))
      # where residuals vanish, rounding decides which of the two comes first
      ends <- "stopped: no further progress"
      expect_match(fit$status, if (loss == "l21") paste0(ends, "|iteration limit") else ends)
      expect_gte(fit$gap, 0)
      expect_lte(fit$gap, 1e-9)
      for (psd in c(TRUE, FALSE)) {
        # in the row space of wide data the tail of the iteration is above rounding
        is_slow <- loss == "frobenius" && !psd && size[1] < size[2]
        most <- if (is_slow) 3e3 else 1e5
        fit <- quiet(spca_psd(x, loss = loss, psd = psd, control = list(tol = 0, maxit = most)))
        last <- utils::tail(fit$objective, 2)
        if (is_slow) expect_equal(last[1], last[2], tolerance = 1e-11)
        if (!is_slow) expect_match(fit$status, "stopped: no further progress")
      }
    }
  }
  grid <- quiet(spca_psd(matrix(rnorm(9), 3), psd = FALSE, eta = c(1, 0.1),
    control = list(maxit = 1e5, tol = 1e-12)
  ))
  expect_lt(max(grid$iterations), 1e5)
})

test_that("defaults find features on wide noise, and follow the units", {
  set.seed(22)
  for (size in list(c(60, 2000), c(3, 50))) {
    x <- matrix(rnorm(prod(size)), size[1])
    for (model in list(c("frobenius", "mean"), c("l21", "mean"), c("l21", "adaptive"))) {
      expect_no_warning(
        fit <- quiet(spca_psd(x, loss = model[1], center = model[2])),
        class = "rowsparse_warning_zero"
      )
      expect_gt(fit$rank, 0)
      expect_gt(sum(fit$scores > 1e-6 * max(fit$scores)), 20)
    }
  }
  # the default eta is below the largest useful one: Omega = 0 is not optimal
  x <- matrix(rnorm(20 * 300), 20)
  fit <- spca_psd(x, solver = "exact")
  expect_gt(fit$rank, 0)
  expect_lt(tail(fit$objective, 1), sum(scale(x, scale = FALSE)^2))
  x <- spca_data(20, 12)
  for (loss in c("frobenius", "l21")) {
    for (solver in c("paper", "exact")) {
      fit <- spca_psd(x, loss = loss, solver = solver)
      for (e in c(-490, -200, 200, 490)) {
        other <- spca_psd(x * 2^e, loss = loss, solver = solver)
        expect_identical(other$scores, fit$scores)
        expect_identical(other$gap, fit$gap)
      }
    }
  }
})

test_that("what empties Omega is told from both sides", {
  set.seed(23)
  x <- matrix(rnorm(40 * 6), 40)
  trace <- sum(scale(x, scale = FALSE)^2)
  expect_warning(fit <- spca_psd(x, 0.01 * trace, 2 * trace), class = "rowsparse_warning_zero")
  expect_identical(fit$ranking, order(-apply(x, 2, var)))
  text <- conditionMessage(tryCatch(spca_psd(x, 0.01 * trace, 2 * trace), warning = identity))
  pattern <- "between ([0-9.e+]+) and ([0-9.e+]*[0-9])"
  limits <- as.numeric(regmatches(text, regexec(pattern, text))[[1]][-1])
  expect_lte(limits[1], limits[2])
  # just below the lower one 0 is not optimal, from the upper one on it is
  below <- spca_psd(x, 0.01 * trace, 0.999 * limits[1], solver = "exact")
  expect_gt(below$rank, 0)
  expect_lt(tail(below$objective, 1), trace)
  expect_warning(above <- spca_psd(x, 0.01 * trace, 1.001 * limits[2], solver = "exact"),
    class = "rowsparse_warning_zero"
  )
  expect_equal(above$bound, trace)
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
      expect_equal(tail(fit$objective, 1), value, tolerance = 1e-6)
    }
  }
})

test_that("the adaptive centre is optimal for the exact fit", {
  set.seed(4)
  x <- matrix(rnorm(120), 40) %*% matrix(rnorm(18), 3) + matrix(rnorm(240), 40)
  x[1:4, ] <- x[1:4, ] + 8
  fit <- spca_psd(x, 15, loss = "l21", center = "adaptive", solver = "exact",
    control = list(tol = 1e-5)
  )
  expect_lte(fit$gap, 1e-5)
  rest <- x %*% (diag(6) - omega(fit))
  value <- function(v) sum(sqrt(rowSums(sweep(rest, 2, v)^2)))
  best <- optim(apply(rest, 2, median), value, method = "BFGS",
    control = list(maxit = 1000, reltol = 1e-14)
  )$value
  penalty <- fit$parameters$lambda * sum(fit$scores)
  expect_equal(tail(fit$objective, 1), best + penalty, tolerance = 1e-5)
  mean_centred <- spca_psd(x, 15, 0, loss = "l21", solver = "exact", control = list(tol = 1e-5))
  expect_lt(tail(fit$objective, 1), tail(mean_centred$objective, 1) * (1 + 1e-6))
})

test_that("results follow rows, units, names and column order", {
  x <- spca_data(16, 9)
  for (solver in c("paper", "exact")) {
    for (loss in c("frobenius", "l21")) {
      fit <- quiet(spca_psd(x, loss = loss, solver = solver))
      rows <- quiet(spca_psd(x[16:1, ], loss = loss, solver = solver))
      units <- quiet(spca_psd(1000 * x + 7, loss = loss, solver = solver))
      order <- c(4, 9, 1, 3, 2, 8, 5, 7, 6)
      columns <- quiet(spca_psd(x[, order], loss = loss, solver = solver))
      tolerance <- if (solver == "paper") 1e-7 else 1e-3
      expect_equal(rows$scores, fit$scores, tolerance = tolerance)
      expect_equal(units$scores, fit$scores, tolerance = tolerance)
      expect_equal(columns$scores, fit$scores[order], tolerance = tolerance)
    }
  }
})

test_that("dense, sparse, moments and data frames agree", {
  for (size in list(c(30, 8), c(10, 20))) {
    x <- spca_data(size[1], size[2])
    x[abs(x) < 0.5] <- 0
    x[1:2, c(3, 5)] <- c(1, -2, 3, 1)
    sparse <- Matrix::Matrix(x, sparse = TRUE)
    for (loss in c("frobenius", "l21")) {
      for (solver in c("paper", "exact")) {
        dense <- quiet(spca_psd(x, loss = loss, solver = solver, scale = TRUE))
        other <- quiet(spca_psd(sparse, loss = loss, solver = solver, scale = TRUE))
        tolerance <- if (solver == "paper") 1e-6 else 1e-3
        expect_equal(other$scores, dense$scores, tolerance = tolerance)
        expect_equal(tail(other$objective, 1), tail(dense$objective, 1), tolerance = 1e-6)
      }
    }
    routes <- lapply(c("dense", "lowrank")[seq_len(1 + (size[1] < size[2]))], function(route) {
      with_route(route, published(sparse, loss = "l21", center = "adaptive"))$scores
    })
    expect_equal(routes[[length(routes)]], routes[[1]], tolerance = 1e-7)
    frame <- spca_psd(as.data.frame(x))
    expect_equal(unname(frame$scores), unname(spca_psd(x)$scores), tolerance = 1e-10)
    expect_equal(spca_psd(moments(x))$scores, spca_psd(x)$scores, tolerance = 1e-6)
  }
})

test_that("without the cone the iteration descends to a stationary point below the cone's", {
  x <- spca_data(14, 7)
  for (center in c("mean", "adaptive")) {
    plain <- quiet(spca_psd(x, loss = "l21", center = center, psd = FALSE,
      control = list(tol = 1e-10)
    ))
    # the smoothed objective descends; the plain one follows it closely
    expect_true(all(diff(plain$objective) < 1e-3 * plain$objective[1]))
    expect_lt(plain$kkt, 1e-3)
    expect_identical(is.na(plain$gap), TRUE)
    cone <- quiet(spca_psd(x, plain$parameters$lambda, plain$parameters$eta,
      loss = "l21", center = center, solver = "exact"
    ))
    expect_lt(tail(plain$objective, 1), tail(cone$objective, 1) * (1 + 1e-2))
    expect_equal(plain$scores, sqrt(rowSums(omega(plain)^2)), tolerance = 1e-8)
  }
})

test_that("AW-SPCA without the cone needs no d x d matrix", {
  x <- spca_data(12, 30)
  for (data in list(x, Matrix::Matrix(round(x, 2), sparse = TRUE)[, -5])) {
    fits <- lapply(c("dense", "lowrank"), function(route) {
      with_route(route, spca_psd(data, loss = "l21", center = "adaptive", psd = FALSE))
    })
    expect_identical(fits[[2]]$parameters$route, "lowrank")
    expect_lt(max(abs(omega(fits[[1]]) - omega(fits[[2]]))), 1e-8)
    expect_equal(fits[[2]]$objective, fits[[1]]$objective, tolerance = 1e-9)
    expect_equal(fits[[2]]$kkt, fits[[1]]$kkt, tolerance = 1e-3)
    expect_identical(fits[[2]]$rank, fits[[1]]$rank)
  }
})

test_that("the plain models recompute from Omega", {
  x <- spca_data(14, 7)
  fit <- spca_psd(x, 0.5, 2, loss = "l21", psd = FALSE)
  at <- omega(fit)
  centred <- scale(x, scale = FALSE)
  value <- sum(sqrt(rowSums((centred - centred %*% at)^2))) +
    0.5 * sum(sqrt(rowSums(at^2))) + 2 * sum(svd(at)$d)
  expect_equal(tail(fit$objective, 1), value, tolerance = 1e-8)
  # stationarity against small changes, up to the smoothing of the roots
  set.seed(3)
  f <- function(m) {
    sum(sqrt(rowSums((centred - centred %*% m)^2))) + 0.5 * sum(sqrt(rowSums(m^2))) +
      2 * sum(svd(m)$d)
  }
  changes <- replicate(50, f(at + 0.05 * matrix(rnorm(49), 7)) - value)
  expect_gt(min(changes), -0.005 * value)
})

test_that("several penalties give a path that holds what single fits find", {
  x <- spca_data(20, 12)
  trace <- sum(scale(x, scale = FALSE)^2)
  values <- c(1e-3, 4e-3, 2e-3) * trace
  path <- spca_psd(x, values, 0.05 * trace, solver = "exact")
  expect_s3_class(path, "rowsparse_path", exact = TRUE)
  expect_identical(path$over, "lambda")
  expect_null(path$others)
  expect_equal(path$grid, sort(values, decreasing = TRUE))
  expect_true(all(path$gap <= 1e-6))
  for (at in 1:3) {
    alone <- spca_psd(x, path$grid[at], 0.05 * trace, solver = "exact")
    expect_equal(path$objective[at], tail(alone$objective, 1), tolerance = 2e-6)
    expect_equal(unname(path$scores[, at]), unname(alone$scores), tolerance = 1e-2)
    expect_equal(tcrossprod(coef(path, path$grid[at])), omega(alone), tolerance = 1e-2,
      ignore_attr = TRUE
    )
  }
  expect_equal(path$parameters$eta, 0.05 * trace)
  expect_null(path$parameters$lambda)
  plain <- spca_psd(x, values, 0.05 * trace, loss = "l21", psd = FALSE)
  expect_true(all(is.na(plain$gap)))
})

test_that("a path over both penalties holds every pair, the larger ones first", {
  x <- spca_data(20, 12)
  trace <- sum(scale(x, scale = FALSE)^2)
  lambda <- c(1e-3, 4e-3) * trace
  eta <- c(0.02, 0.05) * trace
  path <- spca_psd(x, lambda, eta, solver = "exact")
  table <- as.data.frame(path)
  expect_identical(names(table)[1:2], c("lambda", "eta"))
  expect_equal(table$lambda, rev(lambda)[c(1, 2, 1, 2)])
  expect_equal(table$eta, rev(eta)[c(1, 1, 2, 2)])
  for (at in 1:4) {
    alone <- spca_psd(x, table$lambda[at], table$eta[at], solver = "exact")
    expect_equal(table$objective[at], tail(alone$objective, 1), tolerance = 2e-6)
    pair <- c(eta = table$eta[at], lambda = table$lambda[at])
    expect_identical(selected(path, at = pair), rowsparse:::feature_labels(path,
      path$selected[[at]]))
    expect_identical(coef(path, rev(unname(pair))), coef(path, pair))
  }
  expect_false(identical(coef(path, c(lambda[1], eta[1])), coef(path, c(lambda[1], eta[2]))))
  # one number is the first penalty, at the largest of the other
  expect_identical(coef(path, lambda[1]), coef(path, c(lambda[1], eta[2])))
  expect_identical(coef(path, c(eta = eta[1])), coef(path, c(lambda[2], eta[1])))
  for (at in list(c(lambda = 1, mu = 2), c(1, 2, 3), c(eta = 1, eta = 2))) {
    expect_refused(coef(path, at), "argument", "`at` must hold one value of each of lambda, eta")
  }
  expect_refused(coef(path, c(1, NA)), "range", "`at`")
  expect_output(print(path), "4 points over lambda .* to .* and eta .* to ")
})

test_that("where lambda follows from eta, the path is over eta", {
  x <- spca_data(20, 12)
  trace <- sum(scale(x, scale = FALSE)^2)
  path <- spca_psd(x, eta = c(0.02, 0.05) * trace)
  expect_identical(path$over, "eta")
  expect_equal(path$grid, c(0.05, 0.02) * trace)
  expect_equal(path$others, data.frame(lambda = 0.05 * path$grid))
  expect_null(spca_psd(x, 0.01 * trace, c(0.02, 0.05) * trace)$others)
  single <- spca_psd(x, eta = 0.02 * trace)
  expect_equal(path$objective[2], tail(single$objective, 1), tolerance = 1e-2)
})

test_that("paths of one and of two penalties print, predict and are drawn", {
  x <- spca_data(20, 12)
  trace <- sum(scale(x, scale = FALSE)^2)
  lambda <- c(1e-3, 4e-3) * trace
  draw_nowhere()
  paths <- list(
    spca_psd(x, lambda, 0.02 * trace), spca_psd(x, 1e-3 * trace, c(0.02, 0.05) * trace),
    spca_psd(x, lambda, c(0, 0.02, 0.05) * trace), spca_psd(x, eta = c(0.02, 0.05) * trace),
    spca_psd(x, lambda, 0, center = "adaptive", loss = "l21", scale = TRUE)
  )
  for (path in paths) {
    at <- path$grid[2]
    expect_output(print(path), "spca_psd: .* selected along the path")
    expect_output(print(summary(path)), "Call: ")
    expect_identical(summary(path)$table, as.data.frame(path))
    expect_identical(dim(coef(path, at)), dim(path$loadings[[2]]) + c(12L - path$nonzero[2], 0L))
    expect_length(selected(path, 2), 2)
    expect_identical(ncol(predict(path, x, at)), path$nonzero[2])
    known <- scale(x, scale = if (is.null(path$scale)) FALSE else path$scale)
    expect_equal(predict(path, x, at, "components"), known %*% coef(path, at),
      ignore_attr = TRUE
    )
    for (type in c("scores", "nonzero", "explained")) {
      expect_silent(plot(path, type))
    }
  }
})

test_that("several penalties are refused where one fit is meant", {
  x <- spca_data(20, 12)
  expect_refused(rowsparse(x, k = 2, method = "spca_psd", lambda = 1:2), "range",
    "`lambda` must be one number here; spca_psd() itself takes several"
  )
  expect_refused(rowsparse_path(x, method = "spca_psd", eta = 1:2), "range", "`eta` must be one")
})

test_that("a constant feature scores zero and fits survive a round trip", {
  x <- spca_data(15, 8)
  x[, 2] <- 3
  for (solver in c("paper", "exact")) {
    expect_warning(fit <- spca_psd(x, solver = solver), class = "rowsparse_warning_constant")
    expect_identical(unname(fit$scores[2]), 0)
    expect_identical(fit$ranking[8], 2L)
  }
  file <- tempfile()
  saveRDS(fit, file)
  expect_equal(omega(readRDS(file)), omega(fit))
  unlink(file)
  expect_output(print(fit), "rank")
})

# ---- reference runs -----------------------------------------------------------

reference_fit <- function(case, start, ..., maxit = NULL) {
  p <- case$params
  adaptive <- startsWith(p$method, "AW")
  robust <- adaptive || startsWith(p$method, "CSPCA")
  final <- tail(case$objective_history, 1)
  spca_psd(shared_data(p$data)$x,
    lambda = if (is.null(p$lambda)) p$alpha else p$lambda,
    eta = if (adaptive) 0 else if (is.null(p$eta)) p$beta else p$eta,
    loss = if (robust) "l21" else "frobenius", center = if (adaptive) "adaptive" else "mean",
    start = if (!adaptive) start[[paste0("d", p$d)]],
    control = rowsparse_control(tol = 1e-5 / final, maxit = maxit), ...
  )
}

# names of the recorded runs of these methods; those of the largest data take long
recorded_runs <- function(reference, methods) {
  runs <- grep(methods, names(reference$cases), value = TRUE)
  if (is_slow()) runs else runs[!grepl("Isolet", runs)]
}

test_that("the published iteration reaches the recorded objectives and features", {
  skip_if_quick()
  reference <- shared_reference("spca_family")
  for (name in recorded_runs(reference, "^SPCAPSD|^AWSPCAPSD")) {
    case <- reference$cases[[name]]
    fit <- reference_fit(case, reference$omega_diag_init, solver = "paper")
    iterations <- fit$iterations
    # where the centre is free the last value is that of the best one
    at <- length(fit$objective) - startsWith(name, "AW")
    ratio <- fit$objective[at] / tail(case$objective_history, 1)
    expect_lt(abs(ratio - 1), 1e-3, label = name)
    if (startsWith(name, "AW")) {
      expect_lte(abs(iterations - length(case$objective_history)), 2, label = name)
    } else {
      common <- length(intersect(fit$ranking[1:50], case$ranking[1:50]))
      expect_gte(common, 48, label = name)
    }
  }
})

test_that("under the l21 loss the objective is at or below that of the recorded runs", {
  skip_if_quick()
  reference <- shared_reference("spca_family")
  for (name in recorded_runs(reference, "^AWSPCAPSD|^CSPCAPSD")) {
    case <- reference$cases[[name]]
    fit <- quiet(reference_fit(case, reference$omega_diag_init))
    expect_lte(tail(fit$objective, 1), min(case$objective_history[-1]), label = name)
    expect_lte(fit$bound, tail(fit$objective, 1), label = name)
  }
})

test_that("the iterations without the cone reach the recorded objectives", {
  skip_if_quick()
  reference <- shared_reference("spca_family")
  for (name in c("AWSPCAplain_lung_small_c1", "CSPCAplain_lung_small_c1_e3")) {
    case <- reference$cases[[name]]
    # smaller numbers stand under the roots at the end here than in the recorded runs
    fit <- quiet(reference_fit(case, reference$omega_diag_init, psd = FALSE, maxit = 250))
    final <- tail(case$objective_history, 1)
    expect_lt(tail(fit$objective, 1) / final - 1, 1e-5, label = name)
    expect_gt(tail(fit$objective, 1) / final - 1, -5e-3, label = name)
  }
})

test_that("exact meets every certified optimum, with a valid gap", {
  reference <- shared_reference("spca_psd_optimum")
  lung <- shared_data("lung_discrete")$x
  for (name in names(reference$cases)) {
    case <- reference$cases[[name]]
    p <- case$params
    x <- if (p$d == 60) t(reference$X$n200) else lung
    fit <- spca_psd(x, p$lambda, p$eta, solver = "exact")
    value <- tail(fit$objective, 1)
    expect_lt(abs(value / p$F_opt - 1), 1e-6, label = name)
    expect_lte(fit$gap, 1e-6, label = name)
    # the recorded optimum is itself known to within its own bound
    expect_gte(fit$gap, (value - p$F_opt) / value - 1e-12, label = name)
    expect_lte(fit$bound, p$F_opt * (1 + 1e-12), label = name)
    matrix <- omega(fit)
    expect_gte(min(eigen(matrix, symmetric = TRUE, only.values = TRUE)$values), -1e-10)
    if (!is.null(case$Omega_opt)) {
      expect_lt(sqrt(sum((matrix - case$Omega_opt)^2)), 1e-2 * sqrt(sum(case$Omega_opt^2)))
    }
  }
})

test_that("exact is at or below the published CSPCA-PSD everywhere", {
  skip_if_quick()
  reference <- shared_reference("spca_family")
  lung <- shared_data("lung_discrete")$x
  for (name in c("CSPCAPSD_lung_small_c1", "CSPCAPSD_lung_small_c2")) {
    case <- reference$cases[[name]]
    fit <- quiet(spca_psd(lung, case$params$alpha, case$params$beta,
      loss = "l21", solver = "exact"
    ))
    expect_lt(tail(fit$objective, 1), tail(case$objective_history, 1), label = name)
    expect_lt(fit$gap, 1e-2, label = name)
  }
})

test_that("the low-rank route makes room where Omega has more rank than S above eta / 2", {
  set.seed(5)
  x <- matrix(rnorm(20 * 60), 20) %*% diag(exp(rnorm(60)))
  pairs <- svd(scale(x, scale = FALSE))$d^2
  eta <- 0.3 * sum(pairs)
  start <- rep(c(1e-6, 1), 30)
  fits <- lapply(c("dense", "lowrank"), function(route) {
    with_route(route,
      quiet(published(x, 1e-3 * sum(pairs), eta, start = start, control = list(maxit = 1)))
    )
  })
  expect_gt(fits[[2]]$rank, 5 * sum(pairs > eta / 2))
  expect_identical(fits[[2]]$rank, fits[[1]]$rank)
  expect_lt(max(abs(omega(fits[[2]]) - omega(fits[[1]]))), 1e-7)
})

test_that("the bound is valid where columns of a wide fit vanished", {
  set.seed(6)
  x <- sample_matrix(7, 70, 2, 0.1)
  small <- seq(2, 70, 2)
  x[, small] <- 0.02 * x[, small]
  level <- sum(sqrt(rowSums(scale(x, scale = FALSE)^2)))
  fits <- lapply(c(3, 10, 30, 120), function(maxit) {
    quiet(spca_psd(x, 0.05 * level, 1e-5 * level, loss = "l21", solver = "exact",
      control = list(maxit = maxit)
    ))
  })
  values <- vapply(fits, function(fit) tail(fit$objective, 1), 0)
  bounds <- vapply(fits, `[[`, 0, "bound")
  expect_gt(sum(fits[[4]]$scores == 0), 10)
  expect_lte(max(bounds), min(values) * (1 + 1e-12))
  expect_gt(max(bounds), 0.9 * min(values))
})

test_that("a matrix may start the model without the cone, by its row norms", {
  x <- spca_data(14, 7)
  set.seed(7)
  start <- matrix(rnorm(49), 7)
  run <- function(start) spca_psd(x, 0.5, 2, loss = "l21", psd = FALSE, start = start)
  expect_identical(run(start)$objective, run(sqrt(rowSums(start^2)))$objective)
})

test_that("scaled moments are the moments of the scaled data", {
  x <- spca_data(25, 10)
  for (scale in c(TRUE, FALSE)) {
    fit <- spca_psd(moments(x), scale = scale)
    expect_equal(fit$scores, spca_psd(x, scale = scale)$scores, tolerance = 1e-6)
  }
})

test_that("small penalties of the l21 loss leave the projector onto the row space", {
  set.seed(41)
  for (size in list(c(30, 8), c(8, 30))) {
    x <- matrix(rnorm(prod(size)), size[1])
    centred <- sweep(x, 2, colMeans(x))
    parts <- svd(centred)
    v <- parts$v[, parts$d > 1e-10 * parts$d[1]]
    projector <- tcrossprod(v)
    norms <- sqrt(colSums(projector^2))
    # multipliers y_i of the residuals that make it optimal; none is longer than 1
    multipliers <- parts$u[, seq_len(ncol(v))] %*%
      ((t(v) * rep(1 / norms, each = ncol(v))) / parts$d[seq_len(ncol(v))])
    lambda <- 0.5 / max(sqrt(rowSums(multipliers^2)))
    for (center in c("mean", "adaptive")) {
      fit <- spca_psd(x, lambda, 0, loss = "l21", center = center, solver = "exact")
      expect_equal(omega(fit), projector, tolerance = 1e-8, ignore_attr = TRUE)
      expect_equal(utils::tail(fit$objective, 1), lambda * sum(norms), tolerance = 1e-8)
      expect_lt(fit$gap, 1e-6)
    }
  }
})

test_that("a free centre without a penalty on the trace reaches the gap on wide data", {
  set.seed(42)
  x <- matrix(rnorm(12 * 60), 12) + 3 * tcrossprod(rnorm(12), rnorm(60))
  lambda <- 0.02 * sum(sqrt(rowSums(sweep(x, 2, colMeans(x))^2)))
  fit <- spca_psd(x, lambda, loss = "l21", center = "adaptive", solver = "exact")
  expect_lt(fit$gap, 1e-5)
  expect_lte(fit$bound, utils::tail(fit$objective, 1))
})
