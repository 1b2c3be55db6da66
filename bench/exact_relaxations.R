# How much a relaxation stronger than the perspective with the best diagonal would give to
# cdlsr(solver = "exact") on dependent features: semidefinite relaxations of best subsets,
# solved by package scs on the 24 features with the largest correlations, beside the optimum.
#   Rscript bench/exact_relaxations.R
# perspective: min <A, B> - 2 c'b + 1, B >= bb', B_jj z_j >= b_j^2, sum z <= k, whose optimum is
# that of the best diagonal. pairs: with w_ij <= min(1, z_i + z_j) for all pairs, the matrix
# [w_ij, b_i, b_j; ., B_ii, B_ij; ., ., B_jj] is positive semidefinite too.
source(file.path("bench", "common.R"))
if (!requireNamespace("scs", quietly = TRUE)) stop("package scs is needed")
machine_line()
if (is.null(shared_folder())) stop("the reference data are needed")
source(file.path(shared_folder(), "reference", "exact_cases.R"))
cases <- exact_cases(file.path(shared_folder(), "data"))

# rows of the constraint matrix that say: this symmetric matrix of variables and constants is
# positive semidefinite. `cells`: index of the variable of each cell (0: the constant 1).
cone_rows <- function(cells) {
  lower <- which(lower.tri(cells, diag = TRUE), arr.ind = TRUE)
  scale <- ifelse(lower[, 1] == lower[, 2], 1, sqrt(2))
  list(variable = cells[lower], scale = scale)
}

relaxation <- function(A, c, k, pairs) {
  N <- ncol(A)
  at <- matrix(0L, N, N)
  at[lower.tri(at, diag = TRUE)] <- N + seq_len(N * (N + 1) / 2)
  at <- pmax(at, t(at))
  z <- max(at) + seq_len(N)
  both <- if (pairs) utils::combn(N, 2) else matrix(0L, 2, 0)
  w <- max(z) + seq_len(ncol(both))
  total <- max(z, w)
  # linear: s = h - G x >= 0
  G <- list(
    Matrix::sparseMatrix(rep(1, N), z, x = 1, dims = c(1, total)),
    Matrix::sparseMatrix(seq_len(N), z, x = 1, dims = c(N, total)),
    Matrix::sparseMatrix(seq_len(N), z, x = -1, dims = c(N, total))
  )
  h <- c(k, rep(1, N), rep(0, N))
  if (pairs) {
    rows <- seq_along(w)
    G <- c(G, list(
      Matrix::sparseMatrix(rows, w, x = 1, dims = c(length(w), total)),
      Matrix::sparseMatrix(rep(rows, 3), c(w, z[both[1, ]], z[both[2, ]]),
        x = rep(c(1, -1, -1), each = length(w)), dims = c(length(w), total)
      )
    ))
    h <- c(h, rep(1, length(w)), rep(0, length(w)))
  }
  linear <- length(h)
  cones <- c(
    list(rbind(c(0L, seq_len(N)), cbind(seq_len(N), at))),
    lapply(seq_len(N), function(i) matrix(c(z[i], i, i, at[i, i]), 2)),
    lapply(seq_along(w), function(p) {
      i <- both[1, p]
      j <- both[2, p]
      matrix(c(w[p], i, j, i, at[i, i], at[i, j], j, at[i, j], at[j, j]), 3)
    })
  )
  parts <- lapply(cones, cone_rows)
  variable <- unlist(lapply(parts, `[[`, "variable"))
  scale <- unlist(lapply(parts, `[[`, "scale"))
  used <- variable > 0
  cone <- Matrix::sparseMatrix(which(used), variable[used], x = -scale[used],
    dims = c(length(variable), total)
  )
  objective <- numeric(total)
  objective[seq_len(N)] <- -2 * c
  twice <- 2 * A - diag(diag(A))
  objective[at[lower.tri(at, diag = TRUE)]] <- twice[lower.tri(at, diag = TRUE)]
  out <- scs::scs(
    A = do.call(rbind, c(G, list(cone))), b = c(h, as.numeric(!used)), obj = objective,
    cone = list(l = linear, s = vapply(cones, nrow, 0L)),
    control = list(eps_abs = 1e-7, eps_rel = 1e-7, max_iters = 20000L, verbose = FALSE)
  )
  1 + out$info$dobj
}

cat("| case | features | k | optimum | perspective | pairs | closed by pairs |\n")
cat("|---|---:|---:|---:|---:|---:|---:|\n")
for (name in c("usps_0_k5", "isolet_A_k5", "coil_1_k5", "ar_600x300_k10_rho0.9")) {
  case <- cases[[name]]
  y <- case$y / sqrt(sum(case$y^2))
  near <- order(-abs(crossprod(case$x, y)))[1:24]
  x <- case$x[, near]
  k <- min(case$k, 5)
  fit <- suppressWarnings(cdlsr(x, y, k, solver = "exact", ridge = case$ridge, scale = FALSE))
  stopifnot(fit$proof$complete)
  A <- crossprod(x) + diag(case$ridge, ncol(x))
  unit <- 1 / sqrt(diag(A))
  A <- A * outer(unit, unit)
  c <- drop(crossprod(x, y)) * unit
  optimum <- utils::tail(fit$objective, 1)
  bounds <- vapply(c(FALSE, TRUE), function(pairs) relaxation(A, c, k, pairs), 0)
  cat(sprintf("| %s | %d | %d | %.5f | %.5f (%.1f%%) | %.5f (%.1f%%) | %.0f%% |\n", name, 24L, k,
    optimum, bounds[1], 100 * (1 - bounds[1] / optimum), bounds[2],
    100 * (1 - bounds[2] / optimum), 100 * (bounds[2] - bounds[1]) / (optimum - bounds[1])
  ))
}
