# dscofs(): f in plain R, feasible copies, stationary ends, recorded runs

# f in plain R from the copies of a fit, S already multiplied by its factor
plain_dscofs <- function(fit, x) {
  p <- fit$parameters
  S <- scatter(x)
  if (p$normalize) S <- S * ncol(S) / sum(diag(S))
  f <- -sum(fit$W * (S %*% fit$W))
  if (p$s < length(fit$W)) f <- f + p$mu1 * sum((fit$W - fit$Y)^2)
  if (p$k < nrow(fit$W)) f <- f + p$mu2 * sum((fit$W - fit$Z)^2)
  f
}

nonzero_rows <- function(A) which(rowSums(A != 0) > 0)

# relative to the objective itself, whatever its scale
expect_relative_descent <- function(objective) {
  rise <- diff(objective) / abs(utils::head(objective, -1))
  testthat::expect_lte(max(rise, -Inf), 1e-10)
}

test_that("the objective is the formula, never rises, and the copies are feasible", {
  x <- from_seed(61, sample_matrix(40, 30))
  for (solver in c("mm", "pencf", "rtr")) {
    for (alpha in c(0.1, 0.5, 1, 12)) {
      fit <- suppressWarnings(dscofs(x, 8, 3, alpha, solver = solver))
      expect_equal(end_of(fit), plain_dscofs(fit, x), tolerance = 1e-9)
      expect_relative_descent(fit$objective)
      expect_orthonormal(fit$W)
      s <- if (alpha <= 1) floor(alpha * 90) else alpha
      expect_lte(sum(fit$Y != 0), s)
      expect_length(nonzero_rows(fit$Z), 8)
      expect_lte(sum(fit$loadings != 0), s)
      expect_setequal(nonzero_rows(fit$loadings), fit$selected)
    }
  }
})

core_ends_here()

test_that("loadings keep a row each when entries are scarce", {
  fit <- from_seed(62, dscofs(sample_matrix(40, 30), 10, 3, alpha = 10))
  expect_equal(unname(rowSums(fit$loadings[fit$selected, ] != 0)), rep(1, 10))
  largest <- max.col(abs(fit$Z[fit$selected, ]), ties.method = "first")
  expect_true(all(fit$loadings[cbind(fit$selected, largest)] != 0))
})

test_that("run to the end, the point is stationary in W, Y and Z", {
  x <- from_seed(63, sample_matrix(40, 25))
  fit <- dscofs(x, 6, 2, 0.2, control = rowsparse_control(tol = 1e-15, maxit = 20000))
  expect_lte(max(fit$kkt, dscofs_kkt(fit, x)), 1e-4)
})

test_that("without constraints it is principal component analysis, by every solver", {
  for (x in from_seed(64, of_sizes(list(c(30, 20), c(15, 40)), sample_matrix))) {
    parts <- svd(centred(x))
    for (solver in c("mm", "pencf", "rtr")) {
      # whether a step ends above its start is a matter of rounding here
      fit <- suppressWarnings(classes = "rowsparse_warning_descent",
        dscofs(x, ncol(x), 3, alpha = 1, normalize = FALSE, solver = solver)
      )
      expect_equal(end_of(fit), -sum(parts$d[1:3]^2), tolerance = 1e-8)
      expect_equal(unname(fit$scores), plain_norms(parts$v[, 1:3]), tolerance = 1e-4)
      expect_equal(fit$Z, fit$W)
    }
  }
})

test_that("with rows alone it ends at the best value for its rows, on tiny problems the best", {
  # With Y switched off, min over W and Z on the rows I is that of an eigenproblem:
  # -tr(W'SW) + mu ||rows of W outside I||^2
  best_on_rows <- function(S, rows, mu) {
    outside <- as.numeric(!seq_len(nrow(S)) %in% rows)
    -sum(eigen(S - mu * diag(outside), TRUE, TRUE)$values[1:2])
  }
  set.seed(65)
  hits <- vapply(1:30, function(trial) {
    x <- sample_matrix(25, 8, rank = 3)
    S <- scatter(x) * 8 / sum(diag(scatter(x)))
    fit <- dscofs(x, 3, 2, alpha = 1, mu2 = 5,
      control = rowsparse_control(tol = 1e-14, maxit = 20000)
    )
    f <- end_of(fit)
    expect_equal(f, best_on_rows(S, fit$selected, 5), tolerance = 1e-6)
    best <- min(utils::combn(8, 3, function(rows) best_on_rows(S, rows, 5)))
    expect_gte(f, best - 1e-8)
    f <= best + 1e-6
  }, NA)
  # a random set of rows is the best one in 1 of 56
  expect_gte(sum(hits), 11)
})

test_that("the polished basis is the principal components of the selected columns", {
  for (x in from_seed(66, of_sizes(list(c(60, 15), c(20, 80)), sample_matrix))) {
    fit <- dscofs(x, 7, 3, alpha = 0.5)
    values <- svd(centred(x)[, fit$selected])$d[1:3]^2
    expect_equal(fit$polished$values, values)
    expect_equal(fit$polished$captured, sum(values) / sum(centred(x)^2))
    P <- fit$polished$loadings
    expect_orthonormal(P)
    expect_setequal(nonzero_rows(P), fit$selected)
    expect_equal(sum(P * (scatter(x) %*% P)), sum(values))
  }
})

test_that("f descends at every penalty; pencf tells and replaces steps that rise", {
  x <- from_seed(67, sample_matrix(30, 24))
  W0 <- orthonormal(24, 3)
  replaced <- 0
  for (mu in 10^c(-6, 0, 2, 3:8)) {
    for (solver in c("mm", "pencf")) {
      run <- function() {
        dscofs(x, 7, 3, 0.3, mu1 = mu, mu2 = mu, normalize = FALSE, start = W0, solver = solver,
          control = rowsparse_control(maxit = 30, inner_maxit = 2)
        )
      }
      told <- conditions_heard(fit <- run(), "rowsparse_warning")
      expect_relative_descent(fit$objective)
      expect_orthonormal(fit$W)
      descent <- any(vapply(told, inherits, NA, "rowsparse_warning_descent"))
      expect_identical(descent, fit$rejected_steps > 0)
      replaced <- replaced + fit$rejected_steps
    }
  }
  expect_gt(replaced, 0)
})

test_that("starts: sets of fspca(), eigenvectors, another fit, a matrix, random ones", {
  for (x in from_seed(72, of_sizes(list(c(50, 30), c(25, 60)), sample_matrix, rank = 6))) {
    S <- scatter(x)
    # the first objective is that of the copies of this basis: its own entries, all its rows
    tight <- dscofs(x, 8, 3, alpha = 1, mu2 = 1e4, start = "fspca")
    best <- fspca(x, 8, 3)
    expect_setequal(tight$selected, best$selected)
    expect_equal(tight$objective[1], -sum(best$values) * ncol(x) / sum(diag(S)))
    same <- dscofs(x, 8, 3, start = eigen(S, TRUE)$vectors[, 1:3])
    expect_equal(dscofs(x, 8, 3, start = "leading")$objective, same$objective, tolerance = 1e-6)
  }
  stretched <- dscofs(x, 8, 3, start = 5 * best$loadings + 0)
  expect_equal(stretched$objective, dscofs(x, 8, 3, start = best)$objective)
  run <- function(seed) dscofs(x, 8, 3, start = "random", seed = seed)$W
  expect_false(identical(run(1), run(2)))
  set.seed(1)
  free <- run(NULL)
  set.seed(1)
  expect_identical(run(NULL), free)
})

test_that("the default is the lowest end of all starts, never above any one", {
  set.seed(80)
  lowest <- vapply(1:6, function(trial) {
    x <- sample_matrix(40, 15, rank = trial)
    mu <- c(0.1, 1, 10)[1 + trial %% 3]
    run <- function(...) {
      suppressWarnings(dscofs(x, 6, 1 + trial %% 3, 0.4, mu, mu, starts = 2, ...))
    }
    fit <- run()
    expect_named(fit$ends, c("fspca", "leading", "random 1", "random 2"))
    for (start in c("fspca", "leading", "random")) {
      alone <- run(start = start)
      expect_equal(fit$ends[names(alone$ends)], alone$ends, tolerance = 1e-9)
    }
    expect_equal(end_of(fit), min(fit$ends), tolerance = 1e-9)
    fit$parameters$start
  }, "")
  expect_gte(length(unique(lowest)), 2)
})
