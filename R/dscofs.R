dscofs <- function(x, m, k, alpha = 0.5, mu1 = NULL, mu2 = NULL, normalize = TRUE,
                   solver = c("mm", "pencf", "rtr"), start = NULL, scale = FALSE,
                   control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  solver <- check_choice(solver, "solver", c("mm", "pencf", "rtr"))
  normalize <- check_flag(normalize, "normalize")
  given <- list(mu1 = check_penalty(mu1, "mu1"), mu2 = check_penalty(mu2, "mu2"))
  control <- q_control(control, solver)
  data <- as_data(x, scale, assay)
  m <- check_dimension(m, data)
  k <- check_selection_size(k, m, data)
  entries <- check_entries(alpha, m, data)

  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  start <- if (identical(start, "random")) {
    best_random_start(operator, m)
  } else {
    as_start(start, data, m, leading$vectors)
  }
  parameters <- c(
    list(k = k, alpha = alpha, s = entries),
    dscofs_parameters(given, data, leading, normalize)
  )
  fit <- .Call(C_dscofs, unclass(operator), start, c(parameters, q_settings(solver, control)))
  warn_rejected(fit$rejected)

  selected <- largest_rows(fit$Z, fit$W, data$square, k)
  new_fit("dscofs", data,
    scores = selection_scores(fit$Z, fit$W, selected), ties = data$square, selected = selected,
    loadings = fit$loadings, objective = fit$objective, iterations = fit$iterations,
    converged = fit$converged, status = fit$status, kkt = fit$kkt,
    parameters = c(list(m = m), parameters, list(solver = solver), control),
    call = call, started = started, verbose = control$verbose,
    polished = polished_basis(data, selected, m),
    W = name_rows(fit$W, data$names), Y = name_rows(fit$Y, data$names),
    Z = name_rows(fit$Z, data$names), inner_iterations = fit$inner,
    rejected_steps = fit$rejected, products = fit$products
  )
}

check_penalty <- function(value, argument) {
  if (is.null(value)) NULL else check_number(value, argument, 0)
}

# k rows carry an orthonormal basis of m columns only if k >= m
check_selection_size <- function(k, m, data) {
  check_count(k, "k", m, data$d)
}

# the number s of nonzero entries from a share or a count
check_entries <- function(alpha, m, data) {
  total <- as.double(data$d) * m
  s <- if (!is_number(alpha) || alpha <= 0) {
    NA
  } else if (alpha <= 1) {
    floor(alpha * total)
  } else if (alpha == round(alpha)) {
    alpha
  } else {
    NA
  }
  if (is.na(s) || s < m || s > total) {
    stop_rowsparse("range", "alpha",
      sprintf(
        "must be a share from %.4g to 1 or a whole number of entries from %d to %.0f (m to d m)",
        1 / data$d, max(2L, m), total
      ),
      describe(alpha)
    )
  }
  s
}

# the share of the eigenvalue level that the penalties take by default
dscofs_share <- 0.1

# every parameter in the scale of the operator that the solver sees
dscofs_parameters <- function(given, data, leading, normalize) {
  level <- mean(leading$values) * operator_factor(data, normalize)
  list(
    mu1 = or_default(given$mu1, dscofs_share * level),
    mu2 = or_default(given$mu2, dscofs_share * level),
    tau1 = proximal_weight(level, normalize), tau2 = 1e-3, normalize = normalize
  )
}

# the best of `tries` random orthonormal matrices, from R's generator
best_random_start <- function(operator, m, tries = 10L) {
  candidates <- lapply(seq_len(tries), function(i) {
    qr.Q(qr(matrix(stats::rnorm(operator$d * m), operator$d, m)))
  })
  all <- do.call(cbind, candidates)
  captured <- colSums(all * .Call(C_covop, unclass(operator), all)$product)
  candidates[[which.max(colSums(matrix(captured, m)))]]
}

# k rows by norm in Z, then in W, then by variance: Z may have fewer than k
# rows that are not zero
largest_rows <- function(Z, W, square, k) {
  order(-row_norms(Z), -row_norms(W), -square, method = "radix")[seq_len(k)]
}

# row norms of Z for the selected features, of W for the others, which never
# score above a selected one
selection_scores <- function(Z, W, selected) {
  scores <- row_norms(W)
  inside <- row_norms(Z[selected, , drop = FALSE])
  scores <- pmin(scores, min(inside))
  scores[selected] <- inside
  scores
}

# the best orthonormal basis on the selected features, and what it explains
polished_basis <- function(data, selected, m) {
  part <- restrict_features(data, selected)
  leading <- leading_eigenvectors(as_operator(part, m), m)
  loadings <- matrix(0, data$d, m)
  loadings[selected, ] <- leading$vectors
  list(
    loadings = name_rows(loadings, data$names), values = leading$values,
    explained = sum(leading$values) / data_trace(data)
  )
}

# the same data with the features `index` only
restrict_features <- function(data, index) {
  switch(data$kind,
    dense = data$x <- data$x[, index, drop = FALSE],
    moments = data$S <- data$S[index, index, drop = FALSE],
    sparse = {
      counts <- diff(data$p)[index]
      entries <- unlist(lapply(index, function(j) seq.int(data$p[j] + 1, length.out = diff(data$p)[j])))
      data$i <- data$i[entries]
      data$x <- data$x[entries]
      data$p <- as.integer(c(0, cumsum(counts)))
    }
  )
  data$d <- length(index)
  for (name in c("mean", "weight", "square", "names", "constant")) {
    data[[name]] <- data[[name]][index]
  }
  data
}

warn_rejected <- function(rejected) {
  if (rejected > 0) {
    warn_rowsparse("descent", sprintf(
      "%d steps of the inner solver ended above their start and were replaced by descent steps.",
      rejected
    ))
  }
}
