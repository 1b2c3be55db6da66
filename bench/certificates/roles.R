# alternatives(): roles, prices, witnesses and counts against the values of all sets in numbers of
# 113 bits.

# A copy of a column or none, features locked in or out or none, and tolerances
role_problem <- function(family, forms = names(all_forms)) {
  x <- design(family)
  if (ncol(x) < 9 && stats::runif(1) < 0.4) x <- cbind(x, x[, sample.int(ncol(x), 1)])
  d <- ncol(x)
  locked <- sample.int(d, 2)
  include <- if (stats::runif(1) < 0.25) locked[1]
  exclude <- if (d > 4 && stats::runif(1) < 0.25) locked[2]
  list(
    x = x, scale = stats::runif(1) < 0.4, include = include, exclude = exclude,
    tolerance = sort(c(0, sample(c(1e-4, 0.001, 0.01, 0.05, 0.2, 0.5), between(1, 3)))),
    sets = one_of(c(0, 5, 1000)), form = one_of(forms)
  )
}

# all sets of size k that the locks allow
role_sets <- function(p, k) {
  sets <- utils::combn(ncol(p$x), k)
  held <- function(features) colSums(matrix(sets %in% features, k))
  sets[, held(p$include) == length(p$include) & held(p$exclude) == 0, drop = FALSE]
}

# The share of its squares that each feature of a set keeps at least, when the others are projected
# out. Sets of which every feature keeps more than this count in any case; others may count,
# where rounding leaves enough of them
independence_of <- function(x, sets) {
  centred <- scale(x, TRUE, FALSE)
  apply(sets, 2, function(set) {
    own <- centred[, set, drop = FALSE]
    s <- svd(sweep(own, 2, sqrt(colSums(own^2)), "/"))
    if (!all(is.finite(s$d)) || min(s$d) <= 0) 0 else 1 / max(rowSums(sweep(s$v, 2, s$d, "/")^2))
  })
}
surely_independent <- 1e-6

# Everything that is claimed of these sets: `values` of all, `sure`: which of them count in any
# case, `error`: by how much values may be off, those of the other sets more where they are `vague`,
# as cross-products do not tell them
wrong_roles <- function(found, sets, values, sure, error, vague = FALSE) {
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
  if (length(wrong) > 0) {
    return(wrong)
  }
  for (at in seq_along(found$tolerance)) {
    cut <- (1 - found$tolerance[at]) * value
    role <- found$roles[, at]
    inside <- sure & values >= cut + error
    near <- values >= cut - error
    some <- function(which, with) {
      vapply(free, function(j) any(which & member[, j] == with), NA)
    }
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
    least = any(table$price_least[free] > pmax(1 - answer(sure) / value, 0) + room),
    most = any((!vague | answer(TRUE) <= answer(sure)) &
      table$price_most[free] < pmin(1 - answer(TRUE) / value, 1) - room),
    bound = found$kind == "proved" && found$value > 0 && any(sure) &&
      max(values[sure]) > value * found$bound / found$value + error
  ))
  unique(c(wrong, wrong_witnesses(found, sets, values, sure, value, error)))
}

# does a role become no more frequent along the tolerances, feature by feature?
falls <- function(roles, role) {
  apply(roles == role, 1, function(at) !is.unsorted(!at))
}

# sets that are shown are what they are said to be
wrong_witnesses <- function(found, sets, values, sure, value, error) {
  known <- asplit_columns(sets)
  cut <- (1 - max(found$tolerance)) * value - error
  of <- function(set) values[match(list(sort(as.integer(set))), known)]
  shown <- vapply(names(found$witness), function(feature) {
    change <- found$witness[[feature]]
    set <- c(setdiff(found$best, change$out), change$into)
    other <- (as.integer(feature) %in% set) != (as.integer(feature) %in% found$best)
    isTRUE(of(set) >= cut) && other
  }, NA)
  disjoint <- found$disjoint
  # a set of features that depend on each other has the value of those that count
  room <- error + 1e-9 * value
  counts <- !is.null(disjoint) &&
    isTRUE(sure[match(list(sort(as.integer(disjoint$selected))), known)])
  flag(
    witness = !all(shown),
    disjoint = counts && !isTRUE(abs(disjoint$share * value - of(disjoint$selected)) <= room)
  )
}

role_verdict <- function(found, wrong, p) {
  verdict(wrong, any(found$roles == "undecided"), p$form, p = p, found = found)
}

trial_component_roles <- function(family) {
  p <- role_problem(family)
  m <- components_of(p$x, p$scale)
  most <- ncol(p$x) - length(p$exclude)
  k <- if (stats::runif(1) < 0.15) m else between(m, max(m, min(most, 5)))
  k <- max(k, length(p$include), 1)
  data <- all_forms[[p$form]](p$x, NULL)
  given <- list(scale = p$scale, include = p$include, exclude = p$exclude)
  sets <- role_sets(p, k)
  found <- do.call(alternatives, c(list(data, sets[, sample.int(ncol(sets), 1)], m = m,
    tolerance = p$tolerance, sets = p$sets, seconds = 20, method = "fspca"
  ), Filter(Negate(is.null), given)))
  values <- quad_components(view(p$x, p$scale), sets, m)$values
  error <- 1e-8 * max(values) + 2 * value_error(p)
  role_verdict(found, wrong_roles(found, sets, values, rep(TRUE, ncol(sets)), error), p)
}

trial_regression_roles <- function(family) {
  p <- role_problem(family)
  n <- nrow(p$x)
  y <- varied_response(p$x)
  weights <- if (p$form == "dense" && stats::runif(1) < 0.3) sample(c(0.5, 1, 2, 3), n, TRUE)
  ridge <- if (stats::runif(1) < 0.4) (n - 1) * 10^stats::runif(1, -2, 1) else 0
  if (ridge > 0) p$scale <- TRUE
  k <- between(max(1, length(p$include)), max(1, min(4, ncol(p$x) - 2, n - 3)))
  sets <- role_sets(p, k)
  data <- all_forms[[p$form]](p$x, y)
  given <- list(include = p$include, exclude = p$exclude, weights = weights,
    y = if (!is_moments(p$form)) y
  )
  found <- do.call(alternatives, c(list(data, sets[, sample.int(ncol(sets), 1)], ridge = ridge,
    scale = p$scale, tolerance = p$tolerance, sets = p$sets, seconds = 20, method = "cdlsr"
  ), Filter(Negate(is.null), given)))
  v <- view(p$x, p$scale, weights = if (is.null(weights)) rep(1, n) else weights)
  values <- 1 - quad_regression(v, response_columns(y), sets, ridge)$values
  free <- if (ridge > 0) rep(1, ncol(sets)) else independence_of(p$x, sets)
  error <- if (is_moments(p$form)) moment_tolerance else tolerance
  role_verdict(found, wrong_roles(found, sets, values, free > surely_independent,
    error + 1e-8 * max(values), is_moments(p$form)
  ), p)
}

trial_subset_roles <- function(family) {
  p <- role_problem(family)
  k <- between(max(1, length(p$include)), max(1, min(4, ncol(p$x) - 2, nrow(p$x) - 2)))
  sets <- role_sets(p, k)
  data <- all_forms[[p$form]](p$x, NULL)
  given <- list(include = p$include, exclude = p$exclude)
  found <- do.call(alternatives, c(list(data, sets[, sample.int(ncol(sets), 1)], m = Inf,
    scale = p$scale, tolerance = p$tolerance, sets = p$sets, seconds = 20, method = "css"
  ), Filter(Negate(is.null), given)))
  v <- view(p$x, p$scale)
  # what was excluded is not to be reproduced either
  target <- v$x[, setdiff(seq_len(ncol(v$x)), p$exclude), drop = FALSE]
  values <- 1 - quad_regression(v, target, sets, 0, numeric(), 0, p$scale)$values
  free <- independence_of(p$x, sets)
  resolved <- is_moments(p$form) || ncol(p$x) <= nrow(p$x)
  error <- (if (resolved) moment_tolerance else tolerance) + 1e-8 * max(values)
  role_verdict(found, wrong_roles(found, sets, values, free > surely_independent, error,
    resolved
  ), p)
}

role_claims <- list(
  roles_fspca = list(
    text = "`alternatives()` to sets of `fspca()`: no role, price, witness or count is wrong",
    families = design_names, share = 0.25, trial = trial_component_roles
  ),
  roles_cdlsr = list(
    text = "`alternatives()` to sets of `cdlsr()`: the same",
    families = design_names, share = 0.25, trial = trial_regression_roles
  ),
  roles_css = list(
    text = "`alternatives()` to sets of `css()`: the same",
    families = design_names, share = 0.15, trial = trial_subset_roles
  )
)
