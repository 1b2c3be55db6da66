# cdlsr() and css(): sets that are called optimal, bounds, and exchanges.

tolerance <- 1e-9 # of ||Yc||^2, what ?cdlsr states

# From moments a feature with less than 1e-4 of its norm left counts as dependent, and its
# objective has half of the digits.
moment_tolerance <- 3e-6
moment_level <- 2e-4

# Is the objective reported not that of the set? Which features of a set depend on others at
# the rounding level of the data may hang on their order: the value is at least that where
# none does, and at most the largest of some orders.
is_other_objective <- function(reported, v, Y, set, ridge, form, scale_y = FALSE) {
  value <- function(level, set) {
    quad_regression(v, Y, matrix(set), ridge, numeric(), level, scale_y)$values
  }
  moments <- is_moments(form)
  slack <- if (moments) moment_tolerance else tolerance
  turned <- function(i) set[(seq_along(set) + i) %% length(set) + 1]
  orders <- c(list(sort(set), rev(sort(set)), set, rev(set)), lapply(seq_along(set), turned))
  most <- max(vapply(orders, value, 0, level = if (moments) moment_level else 0))
  reported < value(-1, set) - slack || reported > most + slack
}

# The claims of a fit of cdlsr(solver = "exact") against all sets of its size, and the bounds
# and sets that it had on the way
# `price`: by what the objectives of sets with other numbers of columns than the fit are compared
wrong_proofs <- function(fit, v, Y, k, ridge, form, sets = utils::combn(ncol(v$x), k), price = 1) {
  reported <- utils::tail(fit$objective, 1)
  q <- quad_regression(v, Y, sets, ridge, c(reported, fit$bound))
  best <- min(q$values * price)
  course <- if (all(price == 1)) fit$proof$trace
  slack <- if (is_moments(form)) moment_tolerance else tolerance
  flag(
    trace = fit$proof$resolved && any(course$bound < 1 - best - tolerance),
    incumbent = fit$proof$resolved && any(course$value > 1 - best + slack),
    objective = is_other_objective(q$claims[1], v, Y, fit$selected, ridge, form),
    proof = fit$proof$complete && best < q$claims[1] - tolerance,
    bound = q$claims[2] > best + tolerance,
    side = q$claims[2] > q$claims[1] + tolerance,
    gap = fit$gap < 0 || (fit$proof$complete && fit$gap != 0),
    status = (fit$status == "proved optimal") != fit$proof$complete
  )
}

# The sets that one exchange leads to
exchanges <- function(set, d) {
  outside <- setdiff(seq_len(d), set)
  swaps <- lapply(seq_along(set), function(i) {
    vapply(outside, function(j) sort(replace(set, i, j)), set)
  })
  matrix(unlist(swaps), length(set))
}

# `least`: the share of its squares that each feature keeps in the sets that count
wrong_exchanges <- function(fit, v, Y, k, ridge, form, scale_y = FALSE, least = -1) {
  reported <- utils::tail(fit$objective, 1)
  set <- fit$selected
  own <- quad_regression(v, Y, matrix(sort(set)), ridge, reported, 0, scale_y)
  wrong <- flag(objective = is_other_objective(own$claims, v, Y, set, ridge, form, scale_y))
  if (k < ncol(v$x)) {
    level <- if (is_moments(form)) moment_level else 0
    slack <- if (is_moments(form)) moment_tolerance else tolerance
    sets <- exchanges(set, ncol(v$x))
    if (least > 0) sets <- sets[, independence_of(v$x, sets) > least, drop = FALSE]
    q <- quad_regression(v, Y, sets, ridge, numeric(), level, scale_y)
    wrong <- c(wrong, flag(exchange = any(q$values < own$values - slack)))
  }
  wrong
}

regression_settings <- function(x, family) {
  scale <- sample(c(TRUE, TRUE, FALSE), 1)
  ridge <- one_of(c(0, 0, 0, 1e-6, 1))
  # without scaling the penalty is in the units of the data
  if (!scale && ridge > 0) ridge <- ridge * stats::var(x[, 1])
  if (!is.finite(ridge) || ridge < 1e-250) ridge <- 0
  most <- min(ncol(x) - 1, nrow(x) - 1, 4)
  k <- if (family == "few samples") most else between(1, most)
  list(scale = scale, ridge = ridge, k = k)
}

# weights from 0 to 1e8
observation_weights <- function(n) {
  w <- one_of(list(
    function() stats::runif(n), function() 10^stats::runif(n, 0, 8),
    function() sample(c(0, 1, 1e8), n, TRUE), function() as.double(sample(0:5, n, TRUE)),
    function() 10^stats::runif(n, -8, 8), function() replace(rep(1, n), 1, 1e8)
  ))()
  few <- sum(w > 0) < 4
  if (few) rep(2, n) else w
}

# Of a search on the perspective relaxation: ridges from 1e-12 to 1e12 of the squared length of a
# feature, several responses, weights, locked features, and starts that leave something to find

# some features and noise, one or several of these, or what other claims get
tree_response <- function(x, k) {
  z <- x / rep(pmax(apply(abs(x), 2, max), 1e-300), each = nrow(x))
  one <- function() {
    b <- replace(numeric(ncol(x)), sample.int(ncol(x), k), sample(c(-1, 1), k, TRUE))
    drop(z %*% b) + one_of(c(0.01, 0.3, 1, 3)) * stats::rnorm(nrow(x))
  }
  one_of(list(one, one, function() cbind(one(), one()), function() {
    cbind(one(), 10 * one(), 0.1 * one())
  }, function() varied_response(x)))()
}

# k, ridge, the features that are locked in and out, and where the search begins
tree_settings <- function(x, w) {
  d <- ncol(x)
  scale <- stats::runif(1) < 0.6
  lengths <- colSums(quad_table(view(x, scale, weights = w))^2)
  ridge <- stats::median(lengths) * 10^stats::runif(1, -12, one_of(c(0, 12)))
  if (!is.finite(ridge) || ridge < 1e-250 || ridge > 1e250 || stats::runif(1) < 0.2) ridge <- 0
  k <- between(3, max(3, min(6, d - 2, if (ridge == 0) sum(w > 0) - 2)))
  locked <- sample.int(d, 4)
  into <- locked[seq_len(one_of(c(0, 0, 1, 2)))]
  out <- locked[2 + seq_len(min(d - k, one_of(c(0, 0, 1, 2))))]
  start <- one_of(c("forward", "random"))
  list(
    k = k, ridge = ridge, scale = scale, into = into, out = out,
    limit = one_of(c(0, 0, 0.001, 0.01, 0.05, 60, 60, 60)),
    more = list(start = start,
      include = if (length(into) > 0) into, exclude = if (length(out) > 0) out
    )
  )
}

tree_sets <- function(d, s) {
  rest <- setdiff(seq_len(d), c(s$into, s$out))
  chosen <- utils::combn(length(rest), s$k - length(s$into))
  rbind(matrix(s$into, length(s$into), ncol(chosen)), matrix(rest[chosen], nrow(chosen)))
}

tree_problem <- function(family) {
  d <- one_of(c(7:12, 9:12, 13:16))
  x <- design(family, n = if (stats::runif(1) < 0.3) between(4, d) else between(d + 1, 30),
    d = d
  )
  n <- nrow(x)
  w <- one_of(list(
    function() stats::runif(n, 0.2, 3), function() observation_weights(n)
  ))()
  if (stats::runif(1) < 0.75) w <- rep(1, n)
  s <- tree_settings(x, w)
  list(x = x, y = tree_response(x, s$k), group = rep(1L, n), weights = w, settings = s)
}

# A problem: x, y, what else the method gets (`more`) and the oracle (`group`, `weights`), by which
# claim is tried
regression_problem <- function(family, kind) {
  if (kind == "tree") return(tree_problem(family))
  x <- design(family, n = if (kind == "levels") between(10, 20) else between(6, 20))
  n <- nrow(x)
  y <- varied_response(x)
  p <- list(x = x, y = y, group = rep(1L, n), weights = rep(1, n))
  if (kind == "weights") {
    if (family == "near pairs") {
      # the response is what only the pair tells
      e <- 10^-stats::runif(1, 8, 13)
      p$x[, 2] <- x[, 1] + e * stats::rnorm(n)
      p$y <- (p$x[, 2] - x[, 1]) / e + 0.1 * stats::rnorm(n)
    }
    p$weights <- observation_weights(n)
  }
  if (kind == "levels") p$group <- rep_len(1:2, n)[sample(n)]
  p$settings <- regression_settings(p$x, family)
  spare <- if (kind == "levels") 3 else 1
  p$settings$k <- max(1, min(p$settings$k, sum(p$weights > 0) - spare))
  p
}

# as it comes to the method
arrived_problem <- function(p, kind) {
  if (kind == "levels") {
    a <- arrive(p$x, p$y, names(sample_forms))
    a$block <- p$group
  } else if (all(p$weights == 1)) {
    a <- arrive(p$x, p$y)
  } else {
    a <- arrive_weighted(p$x, p$y, p$weights)
  }
  a
}

trial_cdlsr <- function(kind = "plain", solvers = "exact", limits = 60) {
  function(family) {
    p <- regression_problem(family, kind)
    s <- p$settings
    if (is.null(s$limit)) s$limit <- one_of(limits)
    solver <- one_of(solvers)
    a <- arrived_problem(p, kind)
    time <- system.time(gcFirst = FALSE, fit <- do.call(cdlsr, c(
      list(a$data, a$y, s$k, solver = solver, ridge = s$ridge, scale = s$scale,
        time_limit = s$limit, weights = a$weights, block = a$block
      ), s$more
    )))
    v <- view(p$x, s$scale, p$group, p$weights)
    sets <- if (kind == "tree") tree_sets(ncol(p$x), s) else utils::combn(ncol(p$x), s$k)
    Y <- response_columns(p$y)
    wrong <- if (solver == "exact") {
      c(
        wrong_proofs(fit, v, Y, s$k, s$ridge, a$form, sets),
        flag(
          time = sum(time[1:2]) > 1.1 * s$limit + 1,
          locked = !all(s$into %in% fit$selected) || any(s$out %in% fit$selected)
        )
      )
    } else {
      wrong_exchanges(fit, v, Y, s$k, s$ridge, a$form)
    }
    verdict(wrong, solver == "exact" && !fit$proof$complete, a$form,
      if (kind == "tree") fit$proof$nodes else NA_real_, p = p, settings = s, fit = fit
    )
  }
}

# The share of its squares that each feature of a set keeps at least, when the others are projected
# out. Sets of which every feature keeps more than this count in any case; others may count,
# where rounding leaves enough of them
independence_of <- function(x, sets) {
  centred <- scale(x, TRUE, FALSE)
  vapply(asplit_columns(sets), function(set) {
    own <- centred[, set, drop = FALSE]
    s <- svd(sweep(own, 2, sqrt(colSums(own^2)), "/"))
    if (!all(is.finite(s$d)) || min(s$d) <= 0) 0 else 1 / max(rowSums(sweep(s$v, 2, s$d, "/")^2))
  }, 0)
}
# Only sets whose features count as independent, see ?css; those next to the limit count
# neither way
wrong_css_proofs <- function(fit, v, k, form, sets = utils::combn(ncol(v$x), k), price = 1) {
  least <- independence_of(v$x, sets)
  limit <- if (is_moments(form)) 1e-7 else 1e-8
  reported <- utils::tail(fit$objective, 1)
  if (!any(least > limit)) return(flag(gap = fit$gap < 0))
  sure <- asplit_columns(sets)[least > limit]
  q <- quad_regression(v, v$x, sure, 0, c(reported, fit$bound), 0, v$scale)
  best <- min(q$values * rep_len(price, length(least))[least > limit])
  room <- tolerance + if (is_moments(form) || ncol(v$x) <= nrow(v$x)) 1e-7 else 0
  flag(
    proof = fit$proof$complete && best < q$claims[1] - room,
    bound = q$claims[2] > best + room, side = q$claims[2] > q$claims[1] + room,
    gap = fit$gap < 0 || (fit$proof$complete && fit$gap != 0),
    status = (fit$status == "proved optimal") != fit$proof$complete
  )
}

trial_css <- function(solver) {
  function(family) {
    x <- design(family)
    scale <- stats::runif(1) < 0.5
    k <- between(1, min(5, ncol(x) - 1, nrow(x) - 1))
    limit <- one_of(c(60, 60, 60, 0, 1e-3, 0.02))
    a <- arrive(x)
    fit <- css(a$data, k = k, m = Inf, solver = solver, scale = scale, time_limit = limit)
    v <- view(x, scale)
    # cross-products resolve what they do for moments, as ?css states
    resolved <- if (ncol(x) <= nrow(x)) "moments" else a$form
    wrong <- switch(solver, exact = wrong_css_proofs(fit, v, k, a$form),
      wrong_exchanges(fit, v, v$x, k, 0, resolved, scale, 1e-8)
    )
    verdict(wrong, solver == "exact" && !fit$proof$complete, a$form,
      x = x, k = k, scale = scale, limit = limit, fit = fit
    )
  }
}

regression_claims <- list(
  cdlsr_proof = claim(
    "`cdlsr()`, exact: a set called proved is optimal, no bound is above the optimum",
    1.5, trial_cdlsr()
  ),
  cdlsr_limit = claim("`cdlsr()`, exact, with 0 to 0.1 seconds: the same, and the time is kept",
    1, trial_cdlsr(limits = c(0, 0, 1e-4, 1e-3, 0.01, 0.1))
  ),
  cdlsr_swaps = claim("`cdlsr()`, exchange: no exchange of one feature lowers the objective",
    1, trial_cdlsr(solvers = "exchange")
  ),
  cdlsr_weights = claim("`cdlsr()` with weights from 0 to 1e8: the same", 1,
    trial_cdlsr("weights", c("exact", "exact", "exchange"))
  ),
  cdlsr_levels = claim("`cdlsr()` centred within levels: the same", 0.5, trial_cdlsr("levels")),
  cdlsr_tree = claim(
    paste("`cdlsr()`, exact, three to six of up to 16 features, ridges of 1e-12 to 1e12, weights,",
      "features locked in and out, 0 to 0.05 seconds or as long as it takes: the same, and at no",
      "time was the bound below the best set"
    ),
    2.5, trial_cdlsr("tree")
  ),
  css = claim("`css()`: no exchange of one feature raises the variance reproduced", 0.5,
    trial_css("exchange")
  ),
  css_proof = claim("`css()`, exact: a set called proved is optimal, no bound is above the optimum",
    1, trial_css("exact")
  )
)
