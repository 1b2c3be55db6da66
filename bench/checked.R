# Methods checked against plain R and against published code. Writes bench/results/checked.md; with
# names of parts (plain, proofs, exchanges, penalty) it prints these alone:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/checked.R [part ...]
source(file.path("bench", "common.R"))

final <- function(fit) utils::tail(fit$objective, 1)
section <- function(title, ...) {
  cat(sprintf("\n## %s\n", title), strwrap(paste(...), 100), sep = "\n")
}
shown <- function(value, digits = 4) format(value, digits = digits)
row_norms <- function(W) sqrt(rowSums(W^2))
trace_of <- function(x) sum(scale(x, scale = FALSE)^2)

# ---- published iterations in plain R -----------------------------------------------------

# SPCAFS: an eigenproblem of order d each time, until the smoothed objective changes by 1e-6
plain_spcafs <- function(x, m, p, iterations = 400) {
  S <- crossprod(scale(x, scale = FALSE))
  W <- eigen(S, TRUE)$vectors[, seq_len(m)]
  value <- function(eps) -sum(W * (S %*% W)) + p$lambda * sum((rowSums(W^2) + eps)^(p$p / 2))
  last <- Inf
  for (i in seq_len(iterations)) {
    q <- p$p / 2 * (rowSums(W^2) + p$eps)^(p$p / 2 - 1)
    W <- eigen(S - p$lambda * diag(q), TRUE)$vectors[, seq_len(m)]
    now <- value(p$eps)
    if (abs(last - now) <= 1e-6 * abs(now)) break
    last <- now
  }
  list(value = value(0), iterations = i, rows = sum(rowSums(W^2) > 1e-10))
}

# RFS in its constrained form, min ||[W; E]||_{2,1} with XW + lambda E = Y: n equations each time,
# from unit weights; NULL where these become singular
plain_rfs <- function(x, y, lambda, steps) {
  u <- rep(1, ncol(x))
  e <- rep(1, nrow(x))
  for (i in seq_len(steps)) {
    K <- x %*% (u * t(x))
    diag(K) <- diag(K) + lambda^2 * e
    Z <- tryCatch(solve(K, y), error = function(condition) NULL)
    if (is.null(Z)) return(NULL)
    W <- u * crossprod(x, Z)
    u <- 2 * row_norms(W)
    e <- 2 * row_norms(lambda * e * Z)
  }
  W
}

plain <- function() {
  section("spcafs() beside the published iteration in plain R", "Both until the smoothed objective",
    "changes by no more than 1e-6; the objective without smoothing; s: processor seconds."
  )
  markdown(rows_of(c("lung_discrete", "Isolet"), function(name) {
    x <- unname(bench_data(name)$x)
    m <- c(lung_discrete = 7, Isolet = 26)[[name]]
    usual <- quiet(spcafs(x, m, normalize = FALSE))$parameters
    rows_of(c(1, 5), function(times) {
      ours <- timed(quiet(spcafs(x, m, times * usual$lambda, normalize = FALSE)), 1)
      fit <- ours$value
      theirs <- timed(plain_spcafs(x, m, fit$parameters), 1)
      data.frame(data = name, penalty = sprintf("%d x default", times), s = decimals(ours$cpu),
        iterations = fit$iterations, objective = shown(fit$penalised, 6),
        rows = sum(fit$scores > 0), "plain: s" = decimals(theirs$cpu),
        iterations = theirs$value$iterations, objective = shown(theirs$value$value, 6),
        rows = theirs$value$rows, check.names = FALSE
      )
    })
  }))

  section("rfs() beside the published iteration in plain R", "Above best: objective / best - 1,",
    "where best is that of `rfs()` with a tolerance of 1e-6. Rows above 1e-6 of the largest."
  )
  markdown(rows_of(c("SRBCT", "ALLAML", "Isolet", "COIL20"), plain_beside_rfs))
}

plain_beside_rfs <- function(name) {
  data <- bench_data(name)
  y <- factor(data$y)
  ours <- timed(quiet(rfs(data$x, y)), 1)
  fit <- ours$value
  lambda <- fit$parameters$lambda
  best <- final(quiet(rfs(data$x, y, start = fit, control = list(tol = 1e-6, maxit = 2000))))
  x <- scale(data$x)
  x <- unname(x[, attr(x, "scaled:scale") > 0])
  Y <- scale(outer(data$y, sort(unique(data$y)), "==") + 0, TRUE, FALSE)
  row <- function(solver, steps, objective, gap, rows, cpu) {
    data.frame(data = name, solver = solver, steps = steps, above = shown(objective / best - 1, 2),
      gap = gap, rows = rows, s = decimals(cpu)
    )
  }
  rows <- rows_of(c(20, 50), function(steps) {
    theirs <- timed(plain_rfs(x, Y, lambda, steps), 1)
    W <- theirs$value
    if (is.null(W)) return(row("plain, singular", steps, NA, "", NA, theirs$cpu))
    value <- sum(row_norms(Y - x %*% W)) + lambda * sum(row_norms(W))
    row("plain", steps, value, "", sum(row_norms(W) > 1e-6 * max(row_norms(W))), theirs$cpu)
  })
  own <- row("rfs()", fit$iterations, final(fit), shown(fit$gap, 2), sum(fit$scores > 0), ours$cpu)
  rbind(own, rows)
}

# ---- proofs, exchanges - ---------------------------------------------------------

proofs <- function() {
  section("css(m = Inf, solver = \"exact\"): what is proved", "Share: of the variance, by the set.")
  cases <- list(lung_discrete = 3:5, USPS_1000 = 3:4, SRBCT = 3, Isolet = 3)
  markdown(rows_of(names(cases), function(name) {
    x <- bench_data(name)$x
    rows_of(cases[[name]], function(k) {
      run <- timed(quiet(css(x, k, m = Inf, solver = "exact")), 1)
      fit <- run$value
      data.frame(data = name, size = paste(dim(x), collapse = " x "), k = k, status = fit$status,
        share = decimals(fit$explained, 6), nodes = fit$proof$nodes, s = decimals(run$cpu)
      )
    })
  }))
  section("What the first bound of larger sets allows beyond the set found", "No search.")
  markdown(rows_of(c("lung_discrete", "SRBCT", "USPS_1000", "UMIST", "Isolet"), function(name) {
    x <- bench_data(name)$x
    rows_of(c(5, 20, 50), function(k) {
      fit <- quiet(css(x, k, m = Inf, solver = "exact", time_limit = 0))
      bound <- 1 - fit$bound / trace_of(x)
      data.frame(data = name, k = k, share = decimals(fit$explained, 4),
        bound = decimals(bound, 4), "more, %" = decimals(100 * (bound / fit$explained - 1), 1),
        check.names = FALSE
      )
    })
  }))
}

# max over orthonormal W of tr(W'BW) / tr(W'AW), by its root
largest_ratio <- function(B, A, m) {
  above <- function(ratio) sum(eigen(B - ratio * A, TRUE, TRUE)$values[seq_len(m)])
  upper <- 2
  while (above(upper) > 0) upper <- 2 * upper
  stats::uniroot(above, c(0, upper), tol = 1e-10)$root
}

exchanges <- function() {
  section("The exchanges of s2dfs()", "Of the sets that differ from the one returned by one",
    "feature 250 at random, each with its trace ratio by R's eigen()."
  )
  sets <- c("lung_discrete", "SRBCT", "pomeroy", "su", "COIL20", "Isolet")
  markdown(rows_of(sets, function(name) {
    data <- bench_data(name)
    y <- factor(data$y)
    run <- timed(quiet(rowsparse(data$x, y, 10, "s2dfs")), 1)
    fit <- run$value
    z <- scale(as.matrix(data$x))
    z[is.nan(z)] <- 0
    indicators <- qr(outer(as.integer(y), seq_len(nlevels(y)), "==") + 0)
    delta <- fit$parameters$ridge * sum(z^2) / ncol(z)
    free <- setdiff(which(colSums(z^2) > 0), fit$selected)
    set.seed(1)
    others <- replicate(250, {
      part <- z[, replace(fit$selected, sample(10, 1), sample(free, 1))]
      between <- crossprod(qr.fitted(indicators, part))
      largest_ratio(between, crossprod(part) - between + diag(delta, 10), fit$parameters$m)
    })
    data.frame(data = name, k = 10, s = decimals(run$cpu), ratio = decimals(fit$ratio, 4),
      "best of 250 exchanges" = decimals(max(others), 4), check.names = FALSE
    )
  }))
}

# ---- the default penalty of rfs() ---------------------------------------------------------

penalty <- function(shares = c(0.7, 0.5, 0.3, 0.1, 0.03, 0.01)) {
  section("The default penalty of rfs()", "Mean accuracy of least squares on the best 1 to 80",
    "features, five stratified folds, by the share of the penalty at which W = 0."
  )
  sets <- c("SRBCT", "ALLAML", "USPS_1000", "UMIST", "COIL20", "Isolet")
  accuracy <- t(vapply(sets, function(name) {
    data <- bench_data(name)
    data$x <- data$x[, apply(data$x, 2, stats::sd) > 0] + 0
    set.seed(1)
    folds <- stratified_folds(data$y)
    k <- seq_len(min(80, length(data$y) - max(tabulate(folds)) - 1))
    rowMeans(vapply(1:5, function(fold) {
      part <- function(rows) list(x = data$x[rows, ], y = data$y[rows])
      train <- part(folds != fold)
      y <- factor(train$y)
      limit <- quiet(rfs(train$x, y, lambda = 1e9))$parameters$lambda_max
      vapply(shares, function(share) {
        fit <- quiet(rfs(train$x, y, lambda = share * limit))
        mean(nested_accuracy(train, part(folds == fold), fit$ranking, k))
      }, 0)
    }, shares))
  }, shares))
  shown <- stats::setNames(as.data.frame(decimals(accuracy, 3)), shares)
  markdown(cbind(data = sets, shown))
  behind <- apply(accuracy, 1, max) - accuracy[, shares == 0.1]
  cat(sprintf("\nA tenth is at most %.3f below the best share (%s).\n", max(behind),
    sets[which.max(behind)]
  ))
}

parts <- list(
  plain = plain, proofs = proofs, exchanges = exchanges, penalty = penalty
)
run_parts(parts, "checked.md", "# Methods checked against plain R and published code\n\n    ",
  "OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/checked.R\n\n",
  "Processor seconds of one thread, on a shared machine. "
)
