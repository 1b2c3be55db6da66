# Roles by full enumeration, and what a search for roles says of them.

# sets: k x count, values of them; -> what a search should say. `open`: features that have a role
true_roles <- function(sets, values, d, open) {
  list(
    sets = sets, values = values, best = max(values), d = d, open = open,
    # the largest value of the sets with a feature, and without it
    with = vapply(seq_len(d), function(j) holding(sets, values, j, TRUE), 0),
    without = vapply(seq_len(d), function(j) holding(sets, values, j, FALSE), 0)
  )
}

holding <- function(sets, values, j, holds) {
  max(-Inf, values[(colSums(sets == j) > 0) == holds])
}

# every set of k of the features, with all of `include`
all_sets <- function(features, k, include = integer()) {
  sets <- matrix(features[utils::combn(length(features), k)], k)
  sets[, apply(sets, 2, function(set) all(include %in% set)), drop = FALSE]
}

# what all sets of independent columns of X explain of Y: list(roles, total)
truth_of_sets <- function(x, X, Y, k, include, exclude, least) {
  varies <- which(apply(x, 2, function(column) length(unique(column)) > 1))
  sets <- all_sets(setdiff(varies, exclude), k, include)
  values <- apply(sets, 2, function(set) {
    q <- qr(X[, set, drop = FALSE], tol = least)
    if (q$rank < k) NA else sum(qr.qty(q, Y)[seq_len(k), ]^2)
  })
  known <- !is.na(values)
  open <- setdiff(varies, c(include, exclude))
  list(
    roles = true_roles(sets[, known, drop = FALSE], values[known], ncol(x), open),
    total = sum(Y^2)
  )
}

# data in which features are locked in, and others come into no set
lock_inside <- function(data, include, exclude) {
  data$constant[exclude] <- TRUE
  data$locked <- if (length(include) > 0) as.integer(include)
  data
}

value_among <- function(set, truth) {
  truth$values[colSums(matrix(truth$sets %in% set, nrow(truth$sets))) == length(set)]
}

# found: as an engine gives it, its values times `unit` are those of the truth. Everything that it
# says must hold; `decided`: nothing may be left open; `exact`: values of witnesses and exchanges
# are theirs, and not lower bounds as those of fspca().
expect_roles <- function(found, truth, tolerance, unit = 1, decided = TRUE, near = 1e-8,
                         exact = TRUE) {
  best <- truth$best
  slack <- found$slack * unit
  expect_equal(found$value * unit, best, tolerance = near)
  expect_gte(found$bound * unit, best * (1 - near))
  answer <- ifelse(seq_len(truth$d) %in% found$best, truth$without, truth$with)
  answer[-truth$open] <- -Inf
  low <- found$low * unit
  high <- found$high * unit
  expect_true(all(low <= answer + near * best))
  expect_true(all(high >= answer - near * best))
  expect_true(all(is.infinite(c(low[-truth$open], high[-truth$open]))))
  expect_witnesses(found, truth, low, near * best, exact)
  expect_exchanges(found, truth, unit, 10 * near * best, exact)
  for (eps in tolerance) {
    cut <- (1 - eps) * best - slack
    sure <- abs(answer - cut) > near * best
    expect_true(all(answer[high < cut & sure] < cut))
    expect_true(all(answer[low >= cut & sure] >= cut))
    left <- low < cut & high >= cut & is.finite(high)
    if (decided) expect_false(any(left))
  }
  expect_counts(found, truth, tolerance, slack, near)
}

expect_witnesses <- function(found, truth, low, error, exact) {
  shown <- which(is.finite(low))
  expect_true(all(lengths(found$witness[shown]) == length(found$best)))
  for (j in shown) {
    set <- found$witness[[j]]
    expect_identical(j %in% set, !j %in% found$best)
    value <- value_among(set, truth)
    expect_lt(low[j] - value, error)
    if (exact) expect_lt(value - low[j], error)
  }
}

expect_exchanges <- function(found, truth, unit, error, exact) {
  for (a in seq_along(found$best)) {
    for (j in setdiff(truth$open, found$best)) {
      value <- value_among(c(found$best[-a], j), truth)
      stated <- found$exchanges[a, j] * unit
      if (length(value) == 1L && !is.na(stated)) {
        expect_lt(stated - value, error)
        if (exact) expect_lt(value - stated, error)
      }
    }
  }
}

# numbers of sets and frequencies, where no set is at the cut itself
expect_counts <- function(found, truth, tolerance, slack, near) {
  for (at in which(found$complete %in% TRUE)) {
    cut <- (1 - tolerance[at]) * truth$best - slack
    if (any(abs(truth$values - cut) < near * truth$best)) next
    inside <- truth$values >= cut
    expect_equal(found$count[at], sum(inside))
    expect_equal(found$frequency[, at], tabulate(truth$sets[, inside], truth$d))
  }
  if (length(found$set_values) > 1L || !is.na(found$set_values)) {
    expect_false(is.unsorted(-found$set_values))
    expect_false(any(duplicated(t(found$sets))))
  }
}
