# Hostile regression problems and an oracle for what cdlsr() claims of them: all
# sets are evaluated by Gram-Schmidt in double precision, side by side, and those
# that rounding leaves in doubt in twice that precision. Nothing is shared with
# the package.

# ---- numbers that are sums of two doubles: lists of `high` and `low` ---------

dd <- function(high, low = 0 * high) list(high = high, low = low)

dd_two_sum <- function(a, b) {
  sum <- a + b
  part <- sum - a
  dd(sum, (a - (sum - part)) + (b - part))
}

dd_split <- function(a) {
  t <- 134217729 * a
  high <- t - (t - a)
  list(high = high, low = a - high)
}

dd_product <- function(a, b) {
  p <- a * b
  x <- dd_split(a)
  y <- dd_split(b)
  dd(p, ((x$high * y$high - p) + x$high * y$low + x$low * y$high) + x$low * y$low)
}

dd_add <- function(a, b) {
  s <- dd_two_sum(a$high, b$high)
  dd_two_sum(s$high, s$low + a$low + b$low)
}

dd_times <- function(a, b) {
  p <- dd_product(a$high, b$high)
  dd_two_sum(p$high, p$low + a$high * b$low + a$low * b$high)
}

dd_minus <- function(a, b) dd_add(a, dd(-b$high, -b$low))

dd_over <- function(a, b) {
  first <- a$high / b$high
  left <- dd_minus(a, dd_times(dd(first), b))
  dd_two_sum(first, left$high / b$high)
}

dd_root <- function(a) {
  if (a$high <= 0) {
    return(dd(0))
  }
  root <- sqrt(a$high)
  left <- dd_minus(a, dd_product(root, root))
  dd_two_sum(root, left$high / (2 * root))
}

# by halves
dd_sum <- function(a) {
  while (length(a$high) > 1) {
    n <- length(a$high)
    half <- seq_len(n %/% 2)
    rest <- if (n %% 2 == 1) dd(a$high[n], a$low[n])
    a <- dd_add(dd(a$high[half], a$low[half]), dd(a$high[n %/% 2 + half], a$low[n %/% 2 + half]))
    if (!is.null(rest)) a <- dd(c(a$high, rest$high), c(a$low, rest$low))
  }
  a
}

dd_dot <- function(a, b) dd_sum(dd_times(a, b))

# column j centred, in twice the precision, times `weight`
dd_column <- function(x, weight) {
  top <- 2^floor(log2(max(abs(x))))
  mean <- dd_over(dd_sum(dd(x / top)), dd(length(x)))
  z <- dd_minus(dd(x / top), dd(rep(mean$high, length(x)), rep(mean$low, length(x))))
  dd_times(z, dd(rep(weight * top, length(x))))
}

# ---- what a set explains -------------------------------------------------------

rounding_level <- 16 * .Machine$double.eps

# f(J) by Gram-Schmidt in twice the precision; a column whose residual is at the
# rounding level of the data adds nothing
dd_objective <- function(x, Y, set, lambda = 0, weight = rep(1, ncol(x))) {
  n <- nrow(x)
  k <- length(set)
  Q <- list()
  for (i in seq_len(k)) {
    column <- x[, set[i]]
    z <- dd_column(column, weight[set[i]])
    length <- dd_root(dd_dot(z, z))$high
    before <- weight[set[i]] * sqrt(sum((column / 2)^2)) * 2
    if (lambda > 0) {
      tail <- replace(numeric(k), i, sqrt(lambda))
      z <- dd(c(z$high, tail), c(z$low, numeric(k)))
    }
    for (pass in 1:2) {
      for (q in Q) {
        a <- dd_dot(q, z)
        m <- length(z$high)
        z <- dd_minus(z, dd_times(dd(rep(a$high, m), rep(a$low, m)), q))
      }
    }
    norm <- dd_root(dd_dot(z, z))
    if (length > 0 && norm$high > rounding_level * before) {
      m <- length(z$high)
      Q[[length(Q) + 1]] <- dd_over(z, dd(rep(norm$high, m), rep(norm$low, m)))
    }
  }
  total <- 0
  for (l in seq_len(ncol(Y))) {
    r <- dd(c(Y[, l], if (lambda > 0) numeric(k)))
    for (q in Q) {
      a <- dd_dot(q, r)
      m <- length(r$high)
      r <- dd_minus(r, dd_times(dd(rep(a$high, m), rep(a$low, m)), q))
    }
    total <- total + sum(r$high^2)
  }
  total
}

# f of many sets (columns) by Gram-Schmidt done twice, and by how much rounding
# may have raised it, about
many_objectives <- function(x, Y, sets, lambda, weight) {
  d <- ncol(x)
  X <- sweep(x, 2, colMeans(x))
  X <- sweep(sweep(X, 2, colMeans(X)), 2, weight, "*")
  k <- nrow(sets)
  m <- ncol(sets)
  n <- nrow(x)
  rows <- n + if (lambda > 0) k else 0
  Q <- list()
  doubt <- rep(1e-15, m)
  for (i in seq_len(k)) {
    Z <- matrix(0, rows, m)
    Z[seq_len(n), ] <- X[, sets[i, ]]
    if (lambda > 0) Z[n + i, ] <- sqrt(lambda)
    length <- sqrt(colSums(Z^2))
    for (pass in 1:2) {
      for (q in Q) Z <- Z - q * rep(colSums(q * Z), each = rows)
    }
    norm <- sqrt(colSums(Z^2))
    doubt <- doubt + 1e-13 / pmax(norm / length, 1e-13)
    Q[[i]] <- Z * rep(ifelse(norm > 0, 1 / norm, 0), each = rows)
  }
  value <- numeric(m)
  for (l in seq_len(ncol(Y))) {
    R <- matrix(0, rows, m)
    R[seq_len(n), ] <- Y[, l]
    for (q in Q) R <- R - q * rep(colSums(q * R), each = rows)
    value <- value + colSums(R^2)
  }
  list(value = value, doubt = pmin(doubt, 1) * sum(Y^2))
}

# the lowest f of the sets, certain where it lies below `claimed`
lowest_objective <- function(x, Y, sets, lambda, weight, claimed) {
  many <- many_objectives(x, Y, sets, lambda, weight)
  lowest <- min(Inf, many$value[many$doubt < 1e-12 * sum(Y^2)])
  unsure <- which(many$doubt >= 1e-12 * sum(Y^2) & many$value - many$doubt < min(claimed, lowest))
  for (i in unsure) {
    lowest <- min(lowest, dd_objective(x, Y, sets[, i], lambda, weight))
  }
  lowest
}

# ---- problems -------------------------------------------------------------------

certificate_families <- c(
  "ordinary", "near pair", "near triple", "copies", "binary", "genotypes", "counts", "units",
  "tiny", "outlier", "outlying row", "far from zero", "low rank"
)

certificate_forms <- c("dense", "sparse", "moments", "blocks", "weighted")

certificate_problem <- function(family, n = sample(8:24, 1), d = sample(5:9, 1)) {
  if (family == "tiny") n <- sample(3:6, 1)
  x <- matrix(stats::rnorm(n * d), n)
  small <- 10^-sample(3:10, 1)
  hidden <- stats::rnorm(n)
  if (family == "near pair") {
    x[, 2] <- x[, 1] + small * hidden
  } else if (family == "near triple") {
    x[, 3] <- x[, 1] - x[, 2] + small * hidden
  } else if (family == "copies") {
    x[, 2] <- x[, 1]
    x[, 4] <- -2 * x[, 3]
  } else if (family == "binary") {
    x <- matrix(stats::rbinom(n * d, 1, 0.4), n) + 0
    if (stats::runif(1) < 0.5) x[, 2] <- 1 - x[, 1]
  } else if (family == "genotypes") {
    x <- matrix(stats::rbinom(n * d, 2, 0.3), n) + 0
    if (stats::runif(1) < 0.5) x[, 3] <- x[, 1] + x[, 2]
  } else if (family == "counts") {
    x <- matrix(stats::rnbinom(n * d, mu = 3, size = 0.5), n) + 0
  } else if (family == "units") {
    x <- sweep(x, 2, 10^stats::runif(d, -8, 8), "*")
  } else if (family == "outlier") {
    x[sample(n * d, 2)] <- 1e6
  } else if (family == "outlying row") {
    x[1, ] <- x[1, ] * 10^sample(3:9, 1)
  } else if (family == "far from zero") {
    x <- sweep(x, 2, 10^sample(0:6, d, TRUE), "+")
  } else if (family == "low rank") {
    x <- matrix(sample(-3:3, 2 * n, TRUE), n) %*% matrix(sample(-2:2, 2 * d, TRUE), 2)
  }
  # a column that does not vary is made to
  flat <- apply(x, 2, function(column) all(column == column[1]))
  x[1, flat] <- x[1, flat] + 1
  list(x = x, y = certificate_response(x, hidden), family = family)
}

certificate_response <- function(x, hidden) {
  n <- nrow(x)
  kind <- sample(c("numbers", "hidden", "several", "classes"), 1)
  y <- switch(kind,
    numbers = stats::rnorm(n), hidden = hidden + sample(c(0, 0.1), 1) * stats::rnorm(n),
    several = cbind(hidden, x[, 1] / max(abs(x[, 1])) + stats::rnorm(n)),
    classes = factor(rep_len(sample(c("a", "b", "c"), if (n > 3) 3 else 2), n))
  )
  unname(y)
}

response_matrix <- function(y) {
  Y <- if (is.factor(y)) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0 else as.matrix(y)
  sweep(Y, 2, colMeans(Y))
}

# ---- claims ---------------------------------------------------------------------

# What is wrong with a fit: a vector of names, empty when all claims hold. The
# tolerance is that of the help page, tol ||Yc||^2, and a hundredth of it; `share`
# of ||Yc||^2 is that of the objective reported.
wrong_claims <- function(fit, x, y, k, lambda, scale, exact = TRUE, share = 1e-9) {
  Y <- response_matrix(y)
  slack <- 1.01e-9 * sum(Y^2)
  deviation <- sqrt(colSums(centred(x)^2) / (nrow(x) - 1))
  weight <- if (scale) 1 / deviation else rep(1, ncol(x))
  set <- fit$selected
  reported <- utils::tail(fit$path$objective, 1)
  true <- dd_objective(x, Y, sort(set), lambda, weight)
  wrong <- character()
  if (abs(reported - true) > share * sum(Y^2)) wrong <- c(wrong, "objective")
  if (exact) {
    sets <- utils::combn(ncol(x), k)
    lowest <- lowest_objective(x, Y, sets, lambda, weight, reported)
    if (fit$proof$complete && lowest < reported - slack) wrong <- c(wrong, "proof")
    if (fit$bound > lowest + slack) wrong <- c(wrong, "bound")
    if (fit$bound > reported) wrong <- c(wrong, "gap")
  } else {
    outside <- setdiff(seq_len(ncol(x)), set)
    swaps <- do.call(cbind, lapply(seq_along(set), function(i) {
      vapply(outside, function(j) as.double(replace(set, i, j)), numeric(k))
    }))
    if (length(outside) > 0) {
      swaps <- matrix(swaps, k)
      lowest <- lowest_objective(x, Y, swaps, lambda, weight, reported)
      if (lowest < reported - slack) wrong <- c(wrong, "exchange")
    }
  }
  wrong
}

# one problem of the family, one call, and what is wrong with its claims
certificate_trial <- function(family, solvers = c("exact", "exchange")) {
  problem <- certificate_problem(family)
  x <- problem$x
  y <- problem$y
  scale <- sample(c(TRUE, TRUE, FALSE), 1)
  lambda <- sample(c(0, 0, 0, 1, 1e-6), 1)
  if (!scale && family %in% c("units", "outlier")) lambda <- 0
  k <- sample(seq_len(min(4, ncol(x) - 1, nrow(x) - 1)), 1)
  form <- sample(certificate_forms, 1)
  solver <- sample(solvers, 1)
  # cross-products resolve no more than half of the digits
  if (form == "moments") solver <- "exact"
  if (form == "weighted") lambda <- 0
  times <- sample(c(1, 1, 2, 7), nrow(x), TRUE)
  # powers of two change no digit
  same <- lambda > 0 || family %in% c("units", "outlier")
  problem$unit <- if (same) 1 else 2^sample(c(-440, -130, 0, 0, 0, 130, 440), 1)
  z <- x * problem$unit
  fit <- suppressWarnings(switch(form,
    dense = cdlsr(z, y, k, solver = solver, ridge = lambda, scale = scale),
    # Matrix() takes a square of tiny numbers for symmetric
    sparse = cdlsr(Matrix::Matrix(x, sparse = TRUE) * problem$unit, y, k, solver = solver,
      ridge = lambda, scale = scale
    ),
    moments = cdlsr(moments(z, y), k = k, solver = solver, ridge = lambda, scale = scale),
    blocks = cdlsr(row_blocks(z, rows = sample(2:nrow(x), 1)), y, k, solver = solver,
      ridge = lambda, scale = scale
    ),
    weighted = cdlsr(z, y, k, solver = solver, ridge = lambda, scale = scale, weights = times)
  ))
  share <- switch(form, moments = 3e-6, sparse = 1e-9, blocks = 3e-6, 1e-10)
  if (form == "moments" && !fit$proof$resolved) share <- Inf
  if (form == "weighted") { # whole weights are repeated samples
    rows <- rep(seq_len(nrow(x)), times)
    x <- x[rows, ]
    y <- if (is.matrix(y)) y[rows, ] else y[rows]
  }
  wrong <- wrong_claims(fit, x, y, k, lambda, scale, solver == "exact", share)
  list(
    wrong = wrong, solver = solver, form = form, k = k, lambda = lambda, scale = scale,
    proved = isTRUE(fit$proof$complete), problem = problem
  )
}

# family / tried / proved / wrong for so many random problems of each family
check_cdlsr_certificates <- function(trials = 20, families = certificate_families,
                                     solvers = c("exact", "exchange")) {
  rows <- lapply(families, function(family) {
    done <- lapply(seq_len(trials), function(i) certificate_trial(family, solvers))
    wrong <- vapply(done, function(trial) length(trial$wrong) > 0, logical(1))
    data.frame(
      family = family, tried = trials,
      proved = sum(vapply(done, function(trial) trial$proved, logical(1))), wrong = sum(wrong)
    )
  })
  do.call(rbind, rows)
}

# ---- searches that time ends --------------------------------------------------------

# Sets of three to five features with next to no time: what is claimed then rests on the
# bounds of all sets at once, which need a ridge or more samples than features.
unfinished_trial <- function(family) {
  d <- sample(5:9, 1)
  problem <- certificate_problem(family, n = sample(c(6:9, 12:30), 1), d = d)
  x <- problem$x
  y <- problem$y
  scale <- sample(c(TRUE, TRUE, FALSE), 1)
  lambda <- sample(c(0, 1e-9, 1e-6, 1e-3, 0.1, 1, 10, 1000), 1)
  if (!scale && family %in% c("units", "outlier")) lambda <- 0
  most <- if (lambda > 0) d - 1 else min(d, nrow(x)) - 1
  k <- sample(seq(min(3, most), min(5, most)), 1)
  limit <- sample(c(0, 0, 1e-3), 1)
  form <- sample(c("dense", "sparse", "moments"), 1)
  fit <- suppressWarnings(switch(form,
    dense = cdlsr(x, y, k, solver = "exact", ridge = lambda, scale = scale, time_limit = limit),
    sparse = cdlsr(Matrix::Matrix(x, sparse = TRUE), y, k,
      solver = "exact", ridge = lambda, scale = scale, time_limit = limit
    ),
    moments = cdlsr(moments(x, y),
      k = k, solver = "exact", ridge = lambda, scale = scale, time_limit = limit
    )
  ))
  share <- switch(form, moments = 3e-6, sparse = 1e-9, dense = 1e-10)
  if (form == "moments" && !fit$proof$resolved) share <- Inf
  list(
    wrong = wrong_claims(fit, x, y, k, lambda, scale, TRUE, share), form = form, k = k,
    lambda = lambda, scale = scale, fit = fit, problem = problem
  )
}

# family / tried / bounded (a gap below 1) / none / wrong
check_cdlsr_unfinished <- function(trials = 20, families = certificate_families) {
  rows <- lapply(families, function(family) {
    done <- lapply(seq_len(trials), function(i) unfinished_trial(family))
    bounded <- sum(vapply(done, function(trial) trial$fit$gap < 1, logical(1)))
    data.frame(
      family = family, tried = trials, bounded = bounded, none = trials - bounded,
      wrong = sum(vapply(done, function(trial) length(trial$wrong) > 0, logical(1)))
    )
  })
  do.call(rbind, rows)
}

# no claim in a table of counts is wrong; returns the table
expect_none_wrong <- function(table) {
  expect_true(all(table$wrong == 0), info = format_table(table))
  invisible(table)
}

# six features, the second the first and a little of what is to be explained
near_copy <- function(apart) {
  x <- matrix(stats::rnorm(20 * 6), 20)
  y <- stats::rnorm(20)
  x[, 2] <- x[, 1] + apart * y
  list(x = x, y = y, moments = moments(x, y))
}

format_table <- function(table) {
  paste(utils::capture.output(print(table)), collapse = "\n")
}
