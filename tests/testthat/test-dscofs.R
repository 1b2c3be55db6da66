# f in plain R from the copies of a fit, S already multiplied by its factor
plain_dscofs <- function(fit, x) {
  p <- fit$parameters
  S <- scatter(x, !is.null(fit$scale))
  if (p$normalize) S <- S * ncol(S) / sum(diag(S))
  f <- -sum(fit$W * (S %*% fit$W))
  if (p$s < length(fit$W)) f <- f + p$mu1 * sum((fit$W - fit$Y)^2)
  if (p$k < nrow(fit$W)) f <- f + p$mu2 * sum((fit$W - fit$Z)^2)
  f
}

nonzero_rows <- function(A) {
  which(rowSums(A != 0) > 0)
}

# relative to the objective itself, whatever its scale
expect_relative_descent <- function(objective) {
  rise <- diff(objective) / abs(utils::head(objective, -1))
  testthat::expect_lte(max(rise, -Inf), 1e-10)
}

# the best value of f for Z on the rows I, Y switched off: with ||W||^2 = m,
# min over Z leaves -tr(W'SW) + mu ||rows of W outside I||^2
best_on_rows <- function(S, rows, m, mu) {
  outside <- as.numeric(!seq_len(nrow(S)) %in% rows)
  -sum(eigen(S - mu * diag(outside), TRUE, TRUE)$values[seq_len(m)])
}

test_that("the objective is the formula, never rises, and the copies are feasible", {
  set.seed(61)
  x <- sample_matrix(40, 30)
  for (solver in c("mm", "pencf", "rtr")) {
    for (alpha in c(0.1, 0.5, 1, 12)) {
      fit <- suppressWarnings(dscofs(x, 8, 3, alpha, solver = solver))
      expect_equal(utils::tail(fit$objective, 1), plain_dscofs(fit, x), tolerance = 1e-9)
      expect_relative_descent(fit$objective)
      expect_true(fit$converged)
      expect_orthonormal(fit$W)
      s <- if (alpha <= 1) floor(alpha * 90) else alpha
      expect_lte(sum(fit$Y != 0), s)
      expect_length(nonzero_rows(fit$Z), 8)
      expect_lte(sum(fit$loadings != 0), s)
      expect_setequal(nonzero_rows(fit$loadings), fit$selected)
      expect_identical(fit$ranking[1:8], fit$selected)
      expect_false(is.unsorted(-fit$scores[fit$ranking]))
    }
  }
})

core_ends_here()

test_that("loadings keep a row each when entries are scarce", {
  set.seed(62)
  x <- sample_matrix(40, 30)
  fit <- dscofs(x, 10, 3, alpha = 10)
  expect_equal(unname(rowSums(fit$loadings[fit$selected, ] != 0)), rep(1, 10))
  largest <- max.col(abs(fit$Z[fit$selected, ]), ties.method = "first")
  expect_true(all(fit$loadings[cbind(fit$selected, largest)] != 0))
  few <- dscofs(x, 10, 3, alpha = 5)
  expect_equal(sum(few$loadings != 0), 5)
  expect_length(few$selected, 10)
})

test_that("run to the end, the point is stationary in W, Y and Z", {
  set.seed(63)
  x <- sample_matrix(40, 25)
  S <- scatter(x) * 25 / sum(diag(scatter(x)))
  fit <- dscofs(x, 6, 2, 0.2, control = rowsparse_control(tol = 1e-15, maxit = 20000))
  p <- fit$parameters
  gradient <- -2 * S %*% fit$W - 2 * p$mu1 * fit$Y - 2 * p$mu2 * fit$Z
  multiplier <- crossprod(fit$W, gradient)
  residual <- gradient - fit$W %*% (multiplier + t(multiplier)) / 2
  expect_lte(sqrt(sum(residual^2)) / sqrt(sum(gradient^2)), 1e-5)
  expect_equal(fit$Y[fit$Y != 0], fit$W[fit$Y != 0], tolerance = 1e-4)
  expect_equal(fit$Z[fit$selected, ], fit$W[fit$selected, ], tolerance = 1e-4)
  expect_lte(fit$kkt, 1e-4)
  expect_gt(dscofs(x, 6, 2, 0.2, control = rowsparse_control(tol = 1e-2))$kkt, fit$kkt)
})

test_that("without constraints it is principal component analysis", {
  set.seed(64)
  x <- sample_matrix(30, 20)
  best <- -sum(svd(centred(x))$d[1:3]^2)
  for (solver in c("mm", "pencf", "rtr")) {
    # whether a step ends above its start is a matter of rounding here
    fit <- suppressWarnings(classes = "rowsparse_warning_descent",
      dscofs(x, 20, 3, alpha = 1, normalize = FALSE, solver = solver)
    )
    expect_equal(utils::tail(fit$objective, 1), best, tolerance = 1e-8)
    expect_equal(unname(fit$scores), plain_norms(svd(centred(x))$v[, 1:3]), tolerance = 1e-4)
    expect_equal(fit$Y, fit$W)
    expect_equal(fit$Z, fit$W)
  }
})

test_that("with rows alone it ends at the best value for its rows, on tiny problems the best", {
  set.seed(65)
  mu <- 5
  hits <- 0
  for (trial in 1:40) {
    x <- sample_matrix(25, 8, rank = 3)
    S <- scatter(x) * 8 / sum(diag(scatter(x)))
    fit <- dscofs(x, 3, 2, alpha = 1, mu2 = mu,
      control = rowsparse_control(tol = 1e-14, maxit = 20000)
    )
    f <- utils::tail(fit$objective, 1)
    expect_equal(f, best_on_rows(S, fit$selected, 2, mu), tolerance = 1e-6)
    all <- utils::combn(8, 3, function(rows) best_on_rows(S, rows, 2, mu))
    expect_gte(f, min(all) - 1e-8)
    hits <- hits + (f <= min(all) + 1e-6)
  }
  # a random set of rows is the best one in 1 of 56
  expect_gte(hits, 15)
})

test_that("the polished basis is the principal components of the selected columns", {
  set.seed(66)
  for (size in list(c(60, 15), c(20, 80))) {
    x <- sample_matrix(size[1], size[2])
    for (k in c(4, 12)) {
      fit <- dscofs(x, k, 3, alpha = 0.5)
      values <- svd(centred(x)[, fit$selected])$d[1:3]^2
      expect_equal(fit$polished$values, values)
      expect_equal(fit$polished$captured, sum(values) / sum(centred(x)^2))
      P <- fit$polished$loadings
      expect_orthonormal(P)
      expect_setequal(nonzero_rows(P), fit$selected)
      expect_identical(rownames(P), colnames(x))
      expect_equal(sum(P * (scatter(x) %*% P)), sum(values))
    }
  }
})

test_that("mm descends at every penalty on data of every scale", {
  set.seed(67)
  x <- sample_matrix(30, 24)
  W0 <- orthonormal(24, 3)
  for (scale in 10^c(-6, -2, 0, 3, 6)) {
    for (mu in 10^c(-6, -2, 0, 2, 4, 6)) {
      fit <- suppressWarnings(dscofs(x * scale, 7, 3, 0.3,
        mu1 = mu, mu2 = mu, normalize = FALSE, start = W0,
        control = rowsparse_control(tol = 1e-10, maxit = 60)
      ))
      expect_relative_descent(fit$objective)
      expect_orthonormal(fit$W)
      expect_length(fit$selected, 7)
    }
  }
})

test_that("pencf reports and recovers from steps that rise", {
  set.seed(68)
  x <- sample_matrix(30, 24)
  W0 <- orthonormal(24, 3)
  replaced <- 0
  for (mu in 10^(3:8)) {
    seen <- NULL
    fit <- withCallingHandlers(
      dscofs(x, 7, 3, 0.3, mu1 = mu, mu2 = mu, normalize = FALSE, start = W0, solver = "pencf",
        control = rowsparse_control(maxit = 30, inner_maxit = 2)
      ),
      rowsparse_warning = function(w) {
        seen <<- c(seen, class(w)[1])
        invokeRestart("muffleWarning")
      }
    )
    expect_relative_descent(fit$objective)
    expect_identical("rowsparse_warning_descent" %in% seen, fit$rejected_steps > 0)
    replaced <- replaced + fit$rejected_steps
  }
  expect_gt(replaced, 0)
})

test_that("dense, sparse and moments give the same fit, also where d exceeds n", {
  set.seed(69)
  for (size in list(c(50, 20), c(15, 60))) {
    x <- sample_matrix(size[1], size[2])
    x[abs(x) < 1] <- 0
    for (scale in c(FALSE, TRUE)) {
      dense <- dscofs(x, 6, 2, 0.3, scale = scale)
      sparse <- dscofs(Matrix::Matrix(x, sparse = TRUE), 6, 2, 0.3, scale = scale)
      block <- dscofs(moments(x), 6, 2, 0.3, scale = scale)
      for (other in list(sparse, block)) {
        expect_identical(other$selected, dense$selected)
        expect_equal(other$objective[1], dense$objective[1])
        expect_equal(utils::tail(other$objective, 1), utils::tail(dense$objective, 1),
          tolerance = 1e-5
        )
        expect_equal(other$polished$captured, dense$polished$captured)
      }
    }
  }
})

test_that("rows' order, units and column order do not matter", {
  set.seed(70)
  x <- sample_matrix(40, 20)
  fit <- dscofs(x, 5, 2)
  expect_setequal(selected(dscofs(x[sample(40), ], 5, 2)), selected(fit))
  expect_setequal(selected(dscofs(1e4 * x + 3, 5, 2)), selected(fit))
  mixed <- sample(20)
  expect_setequal(selected(dscofs(x[, mixed], 5, 2)), selected(fit))
  plain <- x
  colnames(plain) <- NULL
  expect_identical(dscofs(plain, 5, 2)$selected, fit$selected)
})

test_that("the solvers end at comparable points", {
  set.seed(71)
  x <- sample_matrix(40, 30)
  ends <- vapply(c("mm", "pencf", "rtr"), function(solver) {
    fit <- suppressWarnings(dscofs(x, 8, 3, 0.5, solver = solver,
      control = rowsparse_control(tol = 1e-9, maxit = 3000)
    ))
    utils::tail(fit$objective, 1)
  }, 0)
  expect_lte(max(ends) - min(ends), 0.02 * 30) # the trace is d
})

test_that("starts: another fit, random from R's generator, and none that draws", {
  set.seed(72)
  x <- sample_matrix(40, 30)
  other <- fspca(x, 8, 3, "ipu")
  tight <- dscofs(x, 8, 3, alpha = 1, mu2 = 1e4, start = other)
  expect_setequal(tight$selected, other$selected)
  again <- dscofs(x, 8, 3, start = tight)
  expect_s3_class(again, "dscofs")
  before <- .Random.seed
  one <- dscofs(x, 8, 3, start = "random")
  two <- dscofs(x, 8, 3, start = "random", seed = 2)
  dscofs(x, 8, 3)
  expect_identical(.Random.seed, before)
  expect_identical(dscofs(x, 8, 3, start = "random")$W, one$W)
  expect_false(identical(one$W, two$W))
  # without a seed set.seed() governs
  set.seed(1)
  free <- dscofs(x, 8, 3, start = "random", seed = NULL)
  expect_false(identical(.Random.seed, before))
  set.seed(1)
  expect_identical(dscofs(x, 8, 3, start = "random", seed = NULL)$W, free$W)
  stretched <- dscofs(x, 8, 3, start = 5 * other$loadings + 0)
  expect_equal(stretched$objective, dscofs(x, 8, 3, start = other)$objective)
})

test_that("the start fspca is its set, which carries more than the leading rows", {
  set.seed(76)
  for (size in list(c(50, 30), c(25, 60))) {
    x <- sample_matrix(size[1], size[2], rank = 6)
    S <- scatter(x)
    carried <- function(set, m) sum(eigen(S[set, set], TRUE, TRUE)$values[seq_len(m)])
    for (m in 1:3) {
      fit <- dscofs(x, 8, m, start = "fspca")
      best <- fspca(x, 8, m)
      # the first objective is that of the copies of this basis: its own s entries, all its rows
      tight <- dscofs(x, 8, m, alpha = 1, mu2 = 1e4, start = "fspca")
      expect_setequal(tight$selected, best$selected)
      expect_equal(tight$objective[1], -sum(best$values) * ncol(x) / sum(diag(S)))
      plain <- dscofs(x, 8, m, start = "leading")
      same <- dscofs(x, 8, m, start = eigen(S, TRUE)$vectors[, 1:m, drop = FALSE])
      expect_equal(plain$objective, same$objective, tolerance = 1e-6)
      expect_gte(carried(fit$selected, m), carried(plain$selected, m) * (1 - 1e-9))
    }
  }
  # all features, and as many as components
  largest <- sum(eigen(S, TRUE, TRUE)$values[1:2])
  expect_equal(dscofs(x, 60, 2, 1, start = "fspca")$objective[1], -largest * 60 / sum(diag(S)))
  expect_setequal(dscofs(x, 2, 2, alpha = 1, mu2 = 1e4)$selected, order(-diag(S))[1:2])
})

test_that("the default is the lowest end of all starts, never above any one", {
  set.seed(80)
  lowest <- character()
  for (trial in 1:40) {
    size <- list(c(40, 15), c(20, 40))[[1 + trial %% 2]]
    x <- sample_matrix(size[1], size[2], rank = 1 + trial %% 6)
    k <- 4 + trial %% 5
    m <- 1 + trial %% 3
    alpha <- c(0.1, 0.4, 1)[1 + trial %% 3]
    mu <- c(0.1, 1, 10)[1 + (trial %/% 3) %% 3]
    fit <- suppressWarnings(dscofs(x, k, m, alpha, mu, mu, starts = 2))
    end <- utils::tail(fit$objective, 1)
    for (start in c("fspca", "leading", "random")) {
      alone <- suppressWarnings(dscofs(x, k, m, alpha, mu, mu, starts = 2, start = start))
      expect_lte(end, utils::tail(alone$objective, 1) + 1e-9 * abs(end))
      expect_equal(fit$ends[names(alone$ends)], alone$ends, tolerance = 1e-9)
    }
    expect_named(fit$ends, c("fspca", "leading", "random 1", "random 2"))
    expect_equal(end, min(fit$ends), tolerance = 1e-9)
    expect_equal(fit$ends[[fit$parameters$start]], end)
    lowest <- c(lowest, fit$parameters$start)
  }
  # no start is always the best
  expect_gte(length(unique(lowest)), 3)
  expect_named(dscofs(x, 6, 2, starts = 0)$ends, c("fspca", "leading"))
  expect_named(dscofs(x, ncol(x), 2, starts = 0)$ends, "leading")
})

test_that("random starts follow the features when columns change places", {
  set.seed(81)
  x <- sample_matrix(40, 20, rank = 5)
  mixed <- sample(20)
  fit <- dscofs(x, 5, 2, start = "random", starts = 3)
  turned <- dscofs(x[, mixed], 5, 2, start = "random", starts = 3)
  expect_setequal(selected(turned), selected(fit))
  expect_equal(turned$objective, fit$objective, tolerance = 1e-6)
})

test_that("what changes nothing is said, and what does is counted", {
  set.seed(82)
  x <- sample_matrix(50, 30, rank = 6)
  held <- dscofs(x, 8, 3, 0.3, start = "fspca")
  expect_setequal(held$selected, fspca(x, 8, 3)$selected)
  expect_identical(held$changes, c(alpha = 0L, coupling = 0L, solver = NA_integer_))
  expect_output(print(held), "alpha = 0.3 changes nothing here: alpha = 1 selects the same")
  expect_output(print(held), "the coupling changes nothing here: .* of the start \"fspca\"")
  # the counts are those of the fits themselves
  seen <- 0
  for (trial in 1:15) {
    x <- sample_matrix(30, 20, rank = 5)
    fit <- suppressWarnings(dscofs(x, 5, 2, 0.1, 0.3, 0.3, start = "random", seed = trial))
    rows <- suppressWarnings(dscofs(x, 5, 2, 1, 0.3, 0.3, start = "random", seed = trial))
    expect_identical(fit$changes[["alpha"]], sum(!fit$selected %in% rows$selected))
    expect_identical(rows$changes[["alpha"]], NA_integer_)
    expect_identical(any(grepl("alpha", utils::capture.output(print(fit)))),
      fit$changes[["alpha"]] == 0L
    )
    seen <- seen + (fit$changes[["alpha"]] > 0)
  }
  expect_gte(seen, 1)
  other <- suppressWarnings(dscofs(x, 5, 2, solver = "rtr"))
  plain <- dscofs(x, 5, 2, start = other$parameters$start)
  expect_identical(other$changes[["solver"]], sum(!other$selected %in% plain$selected))
  expect_identical(dscofs(x, 20, 2)$changes[["coupling"]], NA_integer_)
})

test_that("fewer active rows than k are filled up by variance", {
  set.seed(73)
  x <- cbind(matrix(rnorm(40 * 3), 40) * 5, matrix(rnorm(40 * 5), 40))
  x <- qr.Q(qr(centred(x))) %*% diag(c(5, 5, 5, 1:5) / 2)
  x[, 1:3] <- x[, 1:3] %*% chol(matrix(0.9, 3, 3) + 0.1 * diag(3))
  fit <- dscofs(x, 5, 1, alpha = 1, mu2 = 10)
  expect_setequal(fit$selected[1:3], 1:3)
  expect_identical(fit$selected[4:5], c(8L, 7L))
})

test_that("constant features come last and print, summary and predict work", {
  set.seed(74)
  x <- cbind(a = 1, sample_matrix(30, 6))
  expect_warning(fit <- dscofs(x, 3, 2), class = "rowsparse_warning_constant")
  expect_identical(fit$ranking[7], 1L)
  expect_output(print(fit), "dscofs")
  expect_output(print(summary(fit)), "mu1")
  expect_identical(colnames(predict(fit, x)), selected(fit))
  expect_identical(as.data.frame(fit)$selected, rep(c(TRUE, FALSE), c(3, 4)))
  expect_identical(dim(coef(fit)), c(7L, 2L))
})

test_that("no reference run is better, from the default and from its own start", {
  skip_if_quick()
  for (case in shared_reference("dscofs")) {
    x <- shared_data(case$data)$x / case$divided_by
    block <- moments(x)
    trace <- sum(diag(block$S))
    for (start in list(NULL, case$W0)) {
      fit <- suppressWarnings(dscofs(block, case$k, case$m, case$alpha,
        mu1 = case$mu_elements, mu2 = case$mu_rows, normalize = FALSE, start = start
      ))
      expect_lte(utils::tail(fit$objective, 1), case$objective + 1e-3 * trace)
      expect_relative_descent(fit$objective)
    }
  }
})
