# Regressions, tables and components on groups of features, and claims about them held against
# all sets of groups.

# n x d with correlated columns, some of which depend on others, and a group for each
grouped_problem <- function(seed, n = 25, sizes = c(2, 1, 3, 2, 1, 2, 3), dependent = TRUE) {
  sizes <- from_seed(seed, sample(sizes))
  d <- sum(sizes)
  x <- matrix(rnorm(n * d), n) %*% chol(0.4 + 0.6 * diag(d))
  if (dependent) x[, sample(d, 1)] <- x[, 1] - x[, d]
  x <- x %*% diag(exp(rnorm(d, sd = 0.3)))
  label <- make.unique(rep_len(letters, length(sizes)))
  list(x = x, group = sample(rep(label, sizes)), y = x %*% rnorm(d) + rnorm(n))
}

sets_of_groups <- function(p, k) utils::combn(sort(unique(p$group)), k, simplify = FALSE)

best_of <- function(p, k, value) {
  max(vapply(sets_of_groups(p, k), function(set) value(p$group %in% set), 0))
}

explained_squares <- function(x, Y, inside, ridge = 0) {
  x <- x[, inside, drop = FALSE]
  if (ridge > 0) {
    B <- crossprod(x, Y)
    return(sum(B * solve(crossprod(x) + ridge * diag(ncol(x)), B)))
  }
  sum(qr.fitted(qr(x, tol = 1e-9), Y)^2)
}

# By what cdlsr() and css() compare sets of groups: loss / (n - 1 - m)^(3/2), m the columns shrunk
# by the ridge of features of standard deviation 1; without a degree of freedom fewer are better
price_in_r <- function(n, ridge) {
  function(loss, columns) {
    free <- n - 1 - columns * (n - 1) / (n - 1 + ridge)
    ifelse(free >= 1, loss / free^1.5, 1e8 * columns)
  }
}

# ---- claims ------------------------------------------------------------------------

# Is what a fit says wrong? `value` of a set, larger is better; `found`: of the exact fit, of the
# one by exchanges, of forward selection, what the former says that no set exceeds, and what else
# is claimed of the one by exchanges
wrong_group_claims <- function(p, k, value, exact, fit, found, tolerance) {
  best <- best_of(p, k, value)
  slack <- tolerance * abs(best)
  labels <- function(fit) selected(fit, groups = TRUE)
  own <- value(p$group %in% labels(exact))
  c(
    size = length(labels(fit)) != k || length(labels(exact)) != k,
    whole = !setequal(selected(fit), which(p$group %in% labels(fit))),
    proof = found$proved && own < best - slack, bound = found$bound < best - slack,
    gap = found$proved && exact$gap > 1e-8, value = abs(found$exact - own) > slack,
    exchange = abs(found$exchange - value(p$group %in% labels(fit))) > slack,
    above = found$exchange > best + slack, forward = found$exchange < found$forward - slack,
    other = found$other
  )
}

# are the coefficients of cdlsr() not those of the regression, or the share of css() another one?
wrong_regression <- function(fit, z, Y, ridge, inside) {
  if (inherits(fit, "css")) {
    return(abs(fit$explained - explained_squares(z, z, inside) / sum(z^2)) > 1e-8)
  }
  value <- sum((Y - z %*% fit$loadings)^2) + ridge * sum(fit$loadings^2)
  abs(value - end_of_path(fit)) > 1e-8 * sum(Y^2)
}

regression_claims_of_groups <- function(p, k, ridge, method, m = Inf) {
  z <- if (method == "cdlsr") scale(p$x) else centred(p$x)
  Y <- if (method == "cdlsr") centred(p$y) else z
  if (is.finite(m)) Y <- z %*% svd(z)$v[, seq_len(m)]
  total <- sum(Y^2)
  call <- function(...) {
    if (method == "cdlsr") {
      cdlsr(p$x, p$y, k, groups = p$group, ridge = ridge, ...)
    } else {
      css(p$x, k, m = m, groups = p$group, ...)
    }
  }
  exact <- call(solver = "exact", time_limit = 5)
  fit <- call()
  price <- price_in_r(nrow(z), ridge)
  inside <- function(fit) p$group %in% selected(fit, groups = TRUE)
  last <- function(fit) -price(end_of_path(fit), sum(inside(fit)))
  found <- list(
    proved = exact$proof$complete,
    bound = if (last(exact) < -1e7) Inf else -price(exact$bound, sum(inside(exact))),
    exact = last(exact), exchange = last(fit),
    forward = if (method == "css") last(call(solver = "forward")) else -Inf,
    other = wrong_regression(fit, z, Y, ridge, inside(fit))
  )
  value <- function(inside) -price(total - explained_squares(z, Y, inside, ridge), sum(inside))
  list(wrong = wrong_group_claims(p, k, value, exact, fit, found, 1e-7), proved = found$proved)
}

component_claims_of_groups <- function(p, k, m) {
  call <- function(...) fspca(p$x, k, m, groups = p$group, ...)
  exact <- call(solver = "exact", time_limit = 5)
  fit <- call()
  found <- list(
    proved = identical(exact$certificate$status, "optimal"), bound = -max(exact$bound, fit$bound),
    exact = sum(exact$values), exchange = sum(fit$values), forward = -fit$objective[1],
    other = FALSE
  )
  value <- components_value(scatter(p$x), m)
  list(wrong = wrong_group_claims(p, k, value, exact, fit, found, 1e-8), proved = found$proved)
}

# a problem of a family: groups of unequal sizes, columns that depend on others, few samples
group_claims <- list(
  `cdlsr, tall` = function(p, k) regression_claims_of_groups(p, k, 0, "cdlsr"),
  `cdlsr, ridge` = function(p, k) regression_claims_of_groups(p, k, 2, "cdlsr"),
  `cdlsr, wide` = function(p, k) regression_claims_of_groups(p, k, 0, "cdlsr"),
  css = function(p, k) regression_claims_of_groups(p, k, 0, "css"),
  `css, scores` = function(p, k) regression_claims_of_groups(p, k, 0, "css", 3L),
  fspca = function(p, k) component_claims_of_groups(p, k, 1L + k %% 3L)
)

# list(wrong, proved) of one problem
group_trial <- function(family) {
  sizes <- sample(1:4, sample(6:9, 1), replace = TRUE)
  # three components need as many columns in any set
  if (family == "fspca") sizes <- pmax(sizes, 2L)
  p <- grouped_problem(sample.int(1e8, 1), n = if (grepl("wide", family)) 12 else 40, sizes,
    dependent = stats::runif(1) < 0.5
  )
  if (stats::runif(1) < 0.5) p$y <- cbind(p$y, p$x[, 2]^2)
  suppressWarnings(group_claims[[family]](p, sample(4, 1)))
}
