# What alternatives() says, against the values of all sets in plain R.

# every set of k of d features (columns) with all of `include` and none of `exclude`
all_sets <- function(d, k, include = integer(), exclude = integer()) {
  free <- setdiff(seq_len(d), c(include, exclude))
  more <- utils::combn(length(free), k - length(include))
  rbind(matrix(as.integer(include), length(include), ncol(more)), matrix(free[more], nrow(more)))
}

# ||Y||^2 less what a ridge regression on the columns leaves; NA if they depend on each other
regression_value <- function(X, Y, ridge = 0, least = 1e-6) {
  X <- rbind(X, diag(sqrt(ridge), ncol(X)))
  Y <- rbind(as.matrix(Y), matrix(0, ncol(X), NCOL(Y)))
  function(set) {
    q <- qr(X[, set, drop = FALSE], tol = least)
    if (q$rank < length(set)) NA else sum(qr.qty(q, Y)[seq_along(set), ]^2)
  }
}

# sum of t_j over the root of the squared cross-products with the ridge, as ?alignment has it
alignment_by_hand <- function(x, target) {
  G <- scatter(x)
  kappa <- mean(diag(G))
  function(set) sum(target[set]) / sqrt(sum(G[set, set]^2) + kappa^2)
}

# by enumeration, so that all prices are exact
alternatives_of_all <- function(...) instead_of("proved_methods", "none", alternatives(...))

# no enumeration of sets, so that methods without an engine show what they can
without_enumeration <- function(code) instead_of("most_sets", 0, code)

# All that is said must hold. `value`: of a set of columns (or numbers of groups); `decided`:
# nothing may be left open; `exact`: costs of exchanges are theirs, and not upper bounds.
expect_alternatives <- function(found, sets, value, decided = TRUE, exact = TRUE, near = 1e-7) {
  values <- apply(sets, 2, value)
  dependent <- sum(is.na(values)) # sets that may be counted
  sets <- sets[, !is.na(values), drop = FALSE]
  values <- values[!is.na(values)]
  best <- max(values)
  table <- found$features[order(found$features$index), ]
  columns <- function(labels) match(labels, table$feature)
  has <- vapply(table$index, function(i) colSums(sets == i) > 0, logical(ncol(sets)))
  answer <- vapply(table$index, function(i) max(-Inf, values[has[, i] != table$best[i]]), 0)
  price <- pmax(1 - answer / best, 0)
  room <- 2 * found$error + near
  expect_true(all(table$price_least <= price + room))
  expect_true(all(table$price_most >= price - room, na.rm = TRUE))
  if (decided) expect_equal(found$value, best, tolerance = near)
  if (!is.na(found$bound)) expect_gte(found$bound, best * (1 - near))
  expect_roles(found, table, price, room, decided)
  expect_counts(found, has, values / best, room, dependent)
  for (feature in names(found$witness)) {
    change <- found$witness[[feature]]
    set <- columns(c(setdiff(found$best, change$out), change$into))
    i <- match(feature, as.character(table$feature))
    expect_true(xor(table$best[i], i %in% set))
    expect_lte(table$price_most[i], max(found$tolerance) + room)
    expect_gte(value(set), (1 - table$price_most[i] - room) * found$value)
  }
  for (out in rownames(found$exchanges)) {
    for (into in colnames(found$exchanges)) {
      own <- value(columns(replace(as.character(found$best), match(out, found$best), into)))
      cost <- found$exchanges[out, into]
      expect_true(is.na(cost) || is.na(own) || cost >= 1 - own / found$value - 10 * room)
      if (exact && !is.na(own)) expect_lte(cost, max(0, 1 - own / found$value) + 10 * room)
    }
  }
}

# Replacements are those of the set asked about, by a feature of the other side, within `sets`
# (columns); `exact`: the cheapest of these, at their cost
expect_replacements <- function(found, sets, value, exact = TRUE) {
  table <- found$features
  own <- match(found$selected, table$feature)
  known <- apply(sets, 2, function(set) toString(sort(set)))
  for (i in which(!is.na(table$replacement))) {
    other <- match(table$replacement[i], table$feature)
    expect_true(xor(i %in% own, other %in% own))
    inside <- if (i %in% own) i else other
    exchanged <- function(out, into) sort(table$index[c(setdiff(own, out), into)])
    set <- exchanged(inside, setdiff(c(i, other), inside))
    expect_true(toString(set) %in% known)
    cost <- max(0, 1 - value(set) / found$value)
    expect_gte(table$replacement_cost[i], cost - 1e-6)
    if (!exact) next
    all <- if (i %in% own) {
      lapply(setdiff(seq_along(table$index), own), exchanged, out = i)
    } else {
      lapply(own, exchanged, into = i)
    }
    all <- Filter(function(set) toString(set) %in% known, all)
    least <- max(0, 1 - max(vapply(all, value, 0)) / found$value)
    expect_equal(table$replacement_cost[i], least, tolerance = 1e-6)
  }
}

# by their definition, but for prices that are at the tolerance
expect_roles <- function(found, table, price, room, decided) {
  for (at in seq_along(found$tolerance)) {
    tolerance <- found$tolerance[at]
    outside <- ifelse(table$best, "essential", "excluded")
    role <- ifelse(price <= tolerance, "exchangeable", outside)
    said <- unname(found$roles[, at])
    clear <- abs(price - tolerance) > 2 * room
    stated <- said != "undecided"
    expect_identical(said[clear & stated], role[clear & stated])
    if (decided) expect_true(all(stated[clear]))
  }
  expect_identical(as.character(table$role), unname(found$roles[, 1]))
}

# numbers of sets and frequencies, if no set is at the cut itself
expect_counts <- function(found, has, shares, room, dependent) {
  if (is.null(found$sets)) {
    return(invisible())
  }
  for (at in which(found$sets$complete)) {
    cut <- 1 - found$tolerance[at]
    if (any(abs(shares - cut) < room)) next
    more <- found$sets$count[[at]] - sum(shares >= cut)
    expect_true(more >= 0 && more <= dependent)
    if (more == 0) expect_equal(unname(found$sets$frequency[, at]),
      colMeans(has[shares >= cut, , drop = FALSE])
    )
  }
  expect_false(any(duplicated(t(found$sets$best))))
  best <- sort(shares, decreasing = TRUE)[seq_along(found$sets$share)]
  whole <- dependent == 0 && all(found$sets$complete)
  if (whole) expect_equal(found$sets$share, best, tolerance = 10 * room)
}
