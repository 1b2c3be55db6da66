# Runs of published code, recorded outside of the package: of every method that has some, one
# test. Objectives are compared one-sided where the problem has many local solutions.

core_ends_here()

# `compare` of every recorded case whose name matches: function(data of the case, case, parameters)
expect_met <- function(file, cases, compare) {
  reference <- shared_reference(file)
  known <- reference[["cases"]]
  if (is.null(known)) known <- reference
  chosen <- grep(cases, names(known), value = TRUE)
  expect_gt(length(chosen), 0)
  for (name in chosen) {
    case <- known[[name]]
    case$name <- name
    compare(recorded_data(case, reference), case, case$params)
  }
}

recorded_data <- function(case, reference) {
  name <- c(case$data, case$params$data)[1]
  if (startsWith(name, "tiny")) {
    return(reference$tiny)
  }
  columns <- if (grepl("cols", name)) {
    shared_reference("baselines_pseudo_label_family")$lung60_cols
  }
  data <- shared_data(sub("[[].*", "", name))
  if (!is.null(columns)) data$x <- data$x[, columns]
  data$x <- data$x + 0
  data
}

# a symmetric matrix from its recorded half, and as the C code takes it
recorded_matrix <- function(half, n) {
  off <- half$i != half$j
  Matrix::sparseMatrix(c(half$i, half$j[off]), c(half$j, half$i[off]),
    x = c(half$w, half$w[off]), dims = c(n, n)
  )
}

recorded_graph <- function(half, n) {
  W <- recorded_matrix(half, n)
  list(n = n, start = as.double(W@p), index = W@i + 1L, weight = W@x)
}

# data that are not centred
uncentred <- function(x) {
  data <- as_c_data(x)
  data$mean <- 0 * data$mean
  data
}

test_that("ftest", {
  expect_met("baselines_supervised_family", "^ftest.*(tiny|lung)$", function(data, case, p) {
    statistic <- unname(quietly(ftest(data$x, factor(data$y)))$statistic)
    usable <- is.finite(statistic) & is.finite(case$score)
    expect_equal(statistic[usable], case$score[usable], tolerance = 1e-8)
  })
})

test_that("lapscore", {
  expect_met("baselines_graph_family", "^lapscore_cai_(bin|tmean)", function(data, case, p) {
    graph <- recorded_graph(case$graph, nrow(data$x))
    score <- c_call("C_roughness", as_c_data(data$x), graph)$relative
    expect_equal(score, case$score, tolerance = 1e-9)
  })
})

test_that("spec", {
  graphs <- shared_reference("baselines_graph_family")$cases
  expect_met("baselines_graph_family", "^spec_phi[12]_bin", function(data, case, p) {
    half <- graphs[[sub("spec_phi[12]", "lapscore_cai", case$name)]]$graph
    X <- as_c_data(data$x)
    graph <- recorded_graph(half, nrow(data$x))
    phi <- rowsparse:::spec_phi(X, graph, substr(case$name, 6, 9), NULL)$phi
    expect_equal(phi, case$score, tolerance = 1e-9)
  })
})

test_that("mcfs", {
  expect_met("baselines_graph_family", "^mcfs_cai_(tiny|lung)", function(data, case, p) {
    Y <- sweep(case$eigenvectors, 2, sqrt(colSums(case$eigenvectors^2)), "/")
    for (size in names(case$coef)) {
      end <- c_call("C_mcfs", uncentred(data$x), Y, list(size = as.integer(size), ridge = 0.001))
      a <- sweep(end$coefficients, 2, sqrt(colSums(end$coefficients^2)), "/")
      expect_equal(apply(abs(a), 1, max), as.vector(case$score[[size]]), tolerance = 1e-9)
    }
  })
})

test_that("udfs", {
  expect_met("baselines_pseudo_label_family", "^udfs_(tiny|lung60)_g", function(data, case, p) {
    fit <- quietly(udfs(data$x, p$m, p$gamma, p$lambda, p$k, control = list(tol = 0, maxit = 60)))
    expect_lte(fit$penalised, case$objective_final * (1 + 1e-5))
    if (p$gamma < 1) expect_equal(unname(fit$scores), case$score, tolerance = 1e-6)
  })
})

test_that("ndfs", {
  expect_met("baselines_pseudo_label_family", "^ndfs_(tiny|lung)_a", function(data, case, p) {
    u <- if (case$start$W0 == 0) 2 * sqrt(.Machine$double.eps) else 2 * sqrt(ncol(case$start$F0))
    run <- function(solver, maxit) {
      c_call("C_labels", uncentred(data$x), case$start$F0,
        recorded_graph(case$graph, nrow(data$x)), list(alpha = p$alpha, beta = p$alpha * p$beta,
          zeta = 2 * p$gamma, nu = 1, eps = 0, u = u, solver = solver, tol = 0, maxit = maxit,
          laplacian = "symmetric"
        )
      )
    }
    expect_lt(max(abs(run("paper", 100L)$F - case$F)), if (p$gamma >= 1e3) 1e-7 else 1e-4)
    expect_lte(end_of(run("monotone", 300L)), case$objective_final * (1 + 1e-3))
  })
})

test_that("rufs", {
  expect_met("baselines_pseudo_label_family", "^rufs_(tiny|norm_tiny)", function(data, case, p) {
    x <- (data$x - min(data$x)) / diff(range(data$x))
    start <- outer(case$start$assignment, sort(unique(case$start$assignment)), "==") + 0.2
    fit <- c_call("C_labels", uncentred(x), sweep(start, 2, sqrt(colSums(start^2)), "/"),
      recorded_graph(case$L, nrow(x)), c(p[c("alpha", "beta", "nu")],
        list(zeta = 1e7, eps = 1e-8, u = 0, tol = 1e-6, maxit = 200L, laplacian = "local",
          solver = "robust"
        )
      )
    )
    value <- sum(fit$terms[1:4] * c(1, p$nu, p$alpha, p$beta))
    expect_lte(value, case$objective_final * (1 + 1e-3))
  })
})

test_that("jelsr", {
  expect_met("baselines_pseudo_label_family", "^jelsr_liang", function(data, case, p) {
    L <- as.matrix(recorded_matrix(case$L, nrow(data$x)))
    found <- c_call("C_jelsr", as_c_data(data$x), L, list(m = as.integer(p$m), alpha = p$alpha,
      beta = p$beta, u = 1, tol = 0, maxit = as.integer(p$iterations - 1)
    ))
    expect_equal(plain_norms(found$W), case$score, tolerance = 1e-8)
  })
})

test_that("sogfs", {
  expect_met("baselines_structure_family", "^sogfs_tiny_g1_", function(data, case, p) {
    fit <- quietly(sogfs(data$x, p$m, p$C, p$gamma, p$p, p$k,
      control = list(inner_tol = 1e-9, inner_maxit = 100)
    ))
    expect_lt(max(abs(fit$scores - case$score)), 2e-6)
  })
})

test_that("rne", {
  expect_met("baselines_structure_family", "^rne_(tiny|lung60)", function(data, case, p) {
    x <- data$x / sqrt(rowSums(data$x^2))
    fit <- quietly(rne(x, p$s, transpose = grepl("code", case$name), start = case$start$H0,
      alpha = p$alpha
    ))
    expect_lte(end_of(fit), case$objective_final)
  })
})

test_that("fen_pcafs", {
  expect_met("baselines_pca_family", "^fen_ortho_tiny", function(data, case, p) {
    fit <- c_call("C_fen_pcafs", as_c_data(data$x), case$start$W0, c(p[c("lambda", "p", "u", "t")],
      list(ridge = 0.001, normalize = 0L, eps = .Machine$double.eps, tol = 0,
        maxit = as.integer(case$iterations))
    ))
    expect_equal(plain_norms(fit$W), case$score, tolerance = 1e-8)
  })
})

test_that("covth", {
  expect_met("baselines_pca_family", "^covth_(tiny|lung).*nodiag", function(data, case, p) {
    expect_equal(unname(covth(data$x, p$threshold)$scores), case$score, tolerance = 1e-6)
  })
})

test_that("ilfs", {
  expect_met("baselines_supervised_family", "^ilfsC_(tiny|lung60)", function(data, case, p) {
    expect_equal(unname(ilfs(data$x, factor(data$y), p$T)$scores), case$pi, tolerance = 1e-6)
  })
})

test_that("s2dfs", {
  expect_met("baselines_supervised_family", "^s2dfs_(tiny|lung60)", function(data, case, p) {
    fit <- quietly(s2dfs(data$x, factor(data$y), p$s, p$m, ridge = 0, scale = FALSE))
    expect_gte(fit$ratio, case$objective_best_of_3 * (1 - 1e-9))
  })
})

test_that("fspca", {
  expect_met("fspca", "m3_k10", function(data, case, p) {
    for (solver in c("go", "ipu")) {
      fit <- fspca(data$x, p$k, p$m, solver)
      expect_setequal(fit$selected, p[[paste0(solver, "_set")]])
      expect_equal(-end_of(fit) / (nrow(data$x) - 1), p[[paste0(solver, "_obj")]], tolerance = 1e-8)
    }
  })
})

test_that("dscofs", {
  expect_met("dscofs", "lung", function(data, case, p) {
    fit <- quietly(dscofs(data$x, case$k, case$m, case$alpha, mu1 = case$mu_elements,
      mu2 = case$mu_rows, normalize = FALSE
    ))
    expect_lte(end_of(fit), case$objective + 1e-3 * sum(diag(scatter(data$x))))
  })
})

test_that("bsufs", {
  expect_met("bsufs", "lung_p12_q12", function(data, case, p) {
    fit <- quietly(bsufs(data$x, case$m, case$lambda1, case$lambda2, case$p, case$q,
      case$beta1, case$beta2, normalize = FALSE
    ))
    expect_lte(end_of(fit), case$objective + 1e-3 * sum(diag(scatter(data$x))))
  })
})

test_that("spcafs", {
  expect_met("spca_family", "^SPCAFS.*g10_sym1", function(data, case, p) {
    fit <- quietly(spcafs(data$x, p$m, p$gamma, p$p, normalize = FALSE))
    expect_lte(fit$penalised, utils::tail(p$obj_l2p, 1) + 1e-6 * sum(diag(scatter(data$x))))
  })
})

test_that("cspca and aw_spca", {
  expect_met("spca_family", "plain_lung_small_c1(_e3)?$", function(data, case, p) {
    final <- utils::tail(case$objective_history, 1)
    control <- list(tol = 1e-5 / final, maxit = 250)
    fit <- quietly(if (startsWith(case$name, "AW")) {
      aw_spca(data$x, or_default(p$lambda, p$alpha), control = control)
    } else {
      start <- diag(shared_reference("spca_family")$omega_diag_init$d325)
      cspca(data$x, p$alpha, p$beta, start = start, control = control)
    })
    # smaller numbers stand under the roots at the end here
    expect_lt(end_of(fit) / final, 1 + 1e-5)
    expect_gt(end_of(fit) / final, 1 - 5e-3)
  })
})

test_that("spca_psd", {
  x <- shared_data("lung_discrete")$x
  for (case in shared_reference("spca_psd_optimum")$cases[c("opt_lung_c1", "opt_lung_c3")]) {
    fit <- spca_psd(x, case$params$lambda, case$params$eta)
    expect_lt(abs(end_of(fit) / case$params$F_opt - 1), 1e-6)
    expect_lte(fit$bound, case$params$F_opt * (1 + 1e-12))
  }
})

test_that("cdlsr", {
  reference <- shared_reference("cdlsr")
  data <- shared_data("SRBCT")
  for (case in reference$cases) {
    fit <- quietly(cdlsr(data$x, factor(data$y), case$k, solver = "cd", start = case$start_sets))
    expect_equal(fit$runs$objective, case$objective, tolerance = 1e-6)
  }
})

test_that("alignment", {
  for (name in c("SRBCT", "GLIOMA")) {
    data <- shared_data(name)
    known <- shared_reference("alignment")[[name]]
    expect_identical(quietly(alignment(data$x, k = 100))$selected, known$selected)
    labelled <- quietly(alignment(data$x, factor(data$y), k = 100))
    expect_identical(labelled$selected, known$selected_supervised)
  }
})
