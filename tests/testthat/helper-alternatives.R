# The roles of all features by enumeration, in plain R.

# the values of all sets of k columns that hold `include`: list(sets, values)
all_set_values <- function(d, k, value, include = integer()) {
  free <- setdiff(seq_len(d), include)
  more <- utils::combn(length(free), k - length(include))
  sets <- rbind(matrix(include, length(include), ncol(more)), matrix(free[more], nrow(more)))
  list(sets = sets, values = apply(sets, 2, value))
}

# the sum of the m largest eigenvalues of S on a set
components_value <- function(S, m) {
  function(set) {
    values <- eigen(S[set, set, drop = FALSE], symmetric = TRUE, only.values = TRUE)$values
    sum(utils::head(values, m))
  }
}

# ||Y||^2 less what a ridge regression on the columns leaves
regression_value <- function(X, Y, ridge = 0) {
  function(set) {
    G <- crossprod(X[, set, drop = FALSE]) + diag(ridge, length(set))
    B <- crossprod(X[, set, drop = FALSE], Y)
    e <- eigen(G, symmetric = TRUE)
    keep <- e$values > 1e-10 * max(e$values)
    sum((crossprod(e$vectors[, keep, drop = FALSE], B))^2 / e$values[keep])
  }
}

holds <- function(sets, d) {
  vapply(seq_len(d), function(i) colSums(sets == i) > 0, logical(ncol(sets)))
}

# roles at a tolerance from all sets, in plain words of their definition
defined_roles <- function(d, k, value, tolerance, include = integer(), exclude = integer()) {
  all <- all_set_values(d, k, value, include)
  free <- colSums(matrix(all$sets %in% exclude, k)) == 0
  sets <- all$sets[, free, drop = FALSE]
  values <- all$values[free]
  near <- values >= (1 - tolerance) * max(values) - 1e-9 * abs(max(values))
  inside <- matrix(holds(sets[, near, drop = FALSE], d), ncol = d)
  ifelse(colMeans(inside) == 1, "essential", ifelse(colMeans(inside) == 0, "excluded",
    "exchangeable"
  ))
}

# the table of costs of exchanges; `value` of a set of labels
expect_exchange_costs <- function(found, value) {
  for (out in rownames(found$exchanges)) {
    for (into in colnames(found$exchanges)) {
      own <- value(replace(as.character(found$best), match(out, found$best), into))
      testthat::expect_equal(found$exchanges[out, into], max(0, 1 - own / found$value))
    }
  }
}

# the best set of all
all_best <- function(S, k, m) {
  all <- all_set_values(ncol(S), k, components_value(S, m))
  all$sets[, which.max(all$values)]
}

quietly_run <- function(code) suppressMessages(suppressWarnings(code))

# alternatives() by enumeration, so that all prices are exact
alternatives_of_all <- function(...) {
  instead_of("proved_methods", "none", alternatives(...))
}

# no enumeration of sets, so that methods without an engine show what they can
without_enumeration <- function(code) instead_of("most_sets", 0, code)
