# alternatives(): roles, prices, witnesses and counts against the values of all sets in numbers of
# 113 bits.

# A copy of a column or none, features locked in or out or none, and tolerances
role_problem <- function(family) {
  x <- design(family)
  if (ncol(x) < 9 && stats::runif(1) < 0.4) x <- cbind(x, x[, sample.int(ncol(x), 1)])
  d <- ncol(x)
  locked <- sample.int(d, 2)
  include <- if (stats::runif(1) < 0.25) locked[1]
  exclude <- if (d > 4 && stats::runif(1) < 0.25) locked[2]
  list(
    x = x, scale = stats::runif(1) < 0.4, include = include, exclude = exclude,
    tolerance = sort(c(0, sample(c(1e-4, 0.001, 0.01, 0.05, 0.2, 0.5), between(1, 3)))),
    sets = one_of(c(0, 5, 1000)), form = one_of(names(all_forms))
  )
}

# all sets of size k that the locks allow
role_sets <- function(p, k) {
  sets <- utils::combn(ncol(p$x), k)
  held <- function(features) colSums(matrix(sets %in% features, k))
  sets[, held(p$include) == length(p$include) & held(p$exclude) == 0, drop = FALSE]
}

surely_independent <- 1e-6

# Everything that is claimed of these sets: `values` of all, `sure`: which of them count in any
# case, `error`: by how much values may be off, those of the other sets more where they are `vague`,
# as cross-products do not tell them; `clear`: those with costs of exchanges, NULL: these are bounds
wrong_roles <- function(found, sets, values, sure, error, vague = FALSE, clear = sure) {
  d <- found$d
  table <- found$features[order(found$features$index), ]
  member <- vapply(seq_len(d), function(j) colSums(sets == j) > 0, logical(ncol(sets)))
  member <- matrix(member, ncol = d)
  best <- sort(as.integer(found$best))
  value <- values[match(list(best), asplit_columns(sets))]
  free <- which(table$locked == "")
  # the error that is stated, twice: of both values that are compared
  if (!is.na(value)) error <- error + 2 * found$error * value
  wrong <- flag(
    best = is.na(value), monotone = any(!falls(found$roles, "essential")) ||
      any(!falls(found$roles, "excluded"))
  )
  if (length(wrong) > 0) return(wrong)
  for (at in seq_along(found$tolerance)) {
    cut <- (1 - found$tolerance[at]) * value
    role <- found$roles[, at]
    inside <- sure & values >= cut + error
    near <- values >= cut - error
    some <- function(which, with) vapply(free, function(j) any(which & member[, j] == with), NA)
    wrong <- c(wrong, flag(
      essential = any(role[free] == "essential" & some(inside, FALSE)),
      excluded = any(role[free] == "excluded" & some(inside, TRUE)),
      exchangeable = any(role[free] == "exchangeable" & !(some(near, TRUE) & some(near, FALSE))),
      count = !is.null(found$sets) && (found$sets$count[at] > sum(near) ||
        (found$sets$complete[at] && found$sets$count[at] < sum(inside)))
    ))
  }
  answer <- function(which) {
    vapply(free, function(j) max(values[which & member[, j] != table$best[j]], -Inf), 0)
  }
  room <- error / max(value, 1e-300)
  wrong <- c(wrong, flag(
    # shares of a value of 0 are not compared
    least = any(table$price_least[free] > pmax(1 - answer(sure) / value, 0) + room, na.rm = TRUE),
    most = any((!vague | answer(TRUE) <= answer(sure)) &
      table$price_most[free] < pmin(1 - answer(TRUE) / value, 1) - room, na.rm = TRUE),
    bound = found$kind == "proved" && found$value > 0 && any(sure) &&
      max(values[sure]) > value * found$bound / found$value + error
  ))
  unique(c(wrong, wrong_witnesses(found, sets, values, value, error),
    wrong_costs(found, sets, values, value, error, vague, clear)
  ))
}

# costs of single exchanges: of the best set in the table of all, of the set that was given beside
# the features
wrong_costs <- function(found, sets, values, value, error, vague, clear) {
  E <- if (is.null(found$exchanges)) diag(0) else found$exchanges
  table <- found$features[!is.na(found$features$replacement), ]
  other <- as.integer(as.character(table$replacement))
  judge <- function(from, out, into, told) {
    swap <- function(i, j) sort(c(setdiff(as.integer(from), i), j))
    at <- match(Map(swap, out, into), asplit_columns(sets))
    off <- told - pmax(1 - values[at] / value, 0)
    room <- error / max(value, 1e-300)
    low <- off < -room & (!vague | clear[at])
    flag(set = any(is.na(at) & !is.na(told)),
      cost = value > 0 && any(low | (length(clear) > 0 & clear[at] & off > room), na.rm = TRUE)
    )
  }
  unique(c(
    judge(found$best, as.integer(rownames(E))[row(E)], as.integer(colnames(E))[col(E)], c(E)),
    judge(found$selected, ifelse(table$selected, table$index, other),
      ifelse(table$selected, other, table$index), table$replacement_cost
    )
  ))
}

# does a role become no more frequent along the tolerances, feature by feature?
falls <- function(roles, role) apply(roles == role, 1, function(at) !is.unsorted(!at))

# sets that are shown are what they are said to be
wrong_witnesses <- function(found, sets, values, value, error) {
  known <- asplit_columns(sets)
  cut <- (1 - max(found$tolerance)) * value - error
  of <- function(set) values[match(list(sort(as.integer(set))), known)]
  shown <- vapply(names(found$witness), function(feature) {
    change <- found$witness[[feature]]
    set <- c(setdiff(found$best, change$out), change$into)
    other <- (as.integer(feature) %in% set) != (as.integer(feature) %in% found$best)
    isTRUE(of(set) >= cut) && other
  }, NA)
  flag(witness = !all(shown))
}

# A question about a set by alternatives(), of k features, against the values of all sets: `judge`
# gives these, which of them count in any case, the error of values, and whether others are vague
trial_roles <- function(p, k, of, judge, y = NULL, ...) {
  sets <- role_sets(p, k)
  found <- do.call(alternatives, c(Filter(Negate(is.null), list(
    all_forms[[p$form]](p$x, y), sets[, sample.int(ncol(sets), 1)],
    y = if (!is_moments(p$form)) y, include = p$include, exclude = p$exclude, ...
  )), list(
    scale = p$scale, tolerance = p$tolerance, sets = p$sets, seconds = 20, method = of
  )))
  told <- judge(sets)
  wrong <- wrong_roles(found, sets, told$values, told$sure,
    told$error + 1e-8 * max(told$values), told$vague, told$clear
  )
  verdict(wrong, any(found$roles == "undecided"), p$form, p = p, found = found)
}

trial_component_roles <- function(family) {
  p <- role_problem(family)
  m <- components_of(p$x, p$scale)
  most <- ncol(p$x) - length(p$exclude)
  k <- if (stats::runif(1) < 0.15) m else between(m, max(m, min(most, 5)))
  k <- max(k, length(p$include), 1)
  trial_roles(p, k, "fspca", function(sets) {
    list(values = quad_components(view(p$x, p$scale), sets, m)$values,
      sure = rep(TRUE, ncol(sets)), error = 2 * value_error(p), vague = FALSE
    )
  }, m = m)
}

trial_regression_roles <- function(family) {
  p <- role_problem(family)
  n <- nrow(p$x)
  y <- varied_response(p$x)
  weights <- if (p$form == "dense" && stats::runif(1) < 0.3) sample(c(0.5, 1, 2, 3), n, TRUE)
  ridge <- if (stats::runif(1) < 0.4) (n - 1) * 10^stats::runif(1, -2, 1) else 0
  if (ridge > 0) p$scale <- TRUE
  k <- between(max(1, length(p$include)), max(1, min(4, ncol(p$x) - 2, n - 3)))
  v <- view(p$x, p$scale, weights = if (is.null(weights)) rep(1, n) else weights)
  trial_roles(p, k, "cdlsr", function(sets) {
    free <- if (ridge > 0) rep(1, ncol(sets)) else independence_of(p$x, sets)
    list(values = 1 - quad_regression(v, response_columns(y), sets, ridge)$values,
      sure = free > surely_independent, vague = is_moments(p$form),
      clear = free > if (is_moments(p$form)) surely_independent else 1e-22,
      error = if (is_moments(p$form)) moment_tolerance else tolerance
    )
  }, y, ridge = ridge, weights = weights)
}

trial_subset_roles <- function(family) {
  p <- role_problem(family)
  k <- between(max(1, length(p$include)), max(1, min(4, ncol(p$x) - 2, nrow(p$x) - 2)))
  v <- view(p$x, p$scale)
  # what was excluded is not to be reproduced either
  target <- v$x[, setdiff(seq_len(ncol(v$x)), p$exclude), drop = FALSE]
  resolved <- is_moments(p$form) || ncol(p$x) <= nrow(p$x)
  trial_roles(p, k, "css", function(sets) {
    free <- independence_of(p$x, sets)
    list(values = 1 - quad_regression(v, target, sets, 0, numeric(), 0, p$scale)$values,
      sure = free > surely_independent, vague = resolved,
      clear = free > surely_independent,
      error = if (resolved) moment_tolerance else tolerance
    )
  }, m = Inf)
}

role_claims <- list(
  roles_fspca = claim(
    "`alternatives()` to sets of `fspca()`: no role, price, witness or count is wrong",
    0.25, trial_component_roles
  ),
  roles_cdlsr = claim("`alternatives()` to sets of `cdlsr()`: the same", 0.25,
    trial_regression_roles
  ),
  roles_css = claim("`alternatives()` to sets of `css()`: the same", 0.15, trial_subset_roles)
)
