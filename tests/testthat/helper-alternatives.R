# The roles of all features by enumeration, in the form that the engines give, in plain R.

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

# what an engine gives, from all sets
enumerated_roles <- function(d, k, value, selected, tolerance, sets = 0, include = integer()) {
  all <- all_set_values(d, k, value, include)
  best <- all$sets[, which.max(all$values)]
  v <- max(all$values)
  inside <- matrix(holds(all$sets, d), ncol = d)
  asked <- inside != matrix(seq_len(d) %in% best, nrow(inside), d, byrow = TRUE)
  answer <- vapply(seq_len(d), function(i) max(all$values[asked[, i]], -Inf), 0)
  answer[include] <- -Inf
  witness <- lapply(seq_len(d), function(i) {
    if (answer[i] == -Inf) {
      return(integer())
    }
    all$sets[, which(asked[, i])[which.max(all$values[asked[, i]])]]
  })
  exchanges <- matrix(NA_real_, k, d)
  for (row in setdiff(seq_len(k), match(include, best))) {
    for (j in setdiff(seq_len(d), best)) exchanges[row, j] <- value(replace(best, row, j))
  }
  slack <- 1e-9 * abs(v)
  order <- order(-all$values)
  cuts <- (1 - tolerance) * v - slack
  shown <- utils::head(order, min(sets, sum(all$values >= min(cuts))))
  c(
    list(
      value = v, bound = v, best = as.integer(best), given = value(selected), low = answer,
      high = answer, slack = slack, witness = witness, exchanges = exchanges,
      copies = integer(d), proved = TRUE, status = "finished", seconds = 0, questions = d
    ),
    if (sets > 0) {
      list(
        count = vapply(cuts, function(cut) sum(all$values >= cut), 0),
        complete = rep(TRUE, length(cuts)),
        frequency = vapply(cuts, function(cut) {
          colSums(inside[all$values >= cut, , drop = FALSE]) + 0
        }, numeric(d)),
        sets = all$sets[, shown, drop = FALSE], set_values = all$values[shown]
      )
    } else {
      list(count = NA_real_)
    }
  )
}

# an engine for fspca() of this kind
enumerating_engine <- function(data, y, k, m, selected, tolerance, seconds, sets, include, exclude,
                               settings, progress) {
  S <- if (data$kind == "moments") {
    data$S
  } else {
    crossprod(rowsparse:::centred_columns(data, seq_len(data$d)))
  }
  if (!is.null(data$weight)) S <- S * outer(data$weight, data$weight)
  enumerated_roles(data$d, k, components_value(S, m), selected, tolerance, sets, include)
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

or_none <- function(value) if (is.null(value)) integer() else as.integer(value)

# the best set of all
all_best <- function(S, k, m) {
  all <- all_set_values(ncol(S), k, components_value(S, m))
  all$sets[, which.max(all$values)]
}

quietly_run <- function(code) suppressMessages(suppressWarnings(code))

# alternatives() by enumeration
alternatives_of_all <- function(...) {
  own <- rowsparse:::roles_engine
  utils::assignInNamespace("roles_engine", function(method) enumerating_engine, "rowsparse")
  on.exit(utils::assignInNamespace("roles_engine", own, "rowsparse"))
  alternatives(...)
}

# no enumeration of sets, so that methods without an engine show what they can
without_enumeration <- function(code) {
  own <- rowsparse:::most_sets
  utils::assignInNamespace("most_sets", 0, "rowsparse")
  on.exit(utils::assignInNamespace("most_sets", own, "rowsparse"))
  code
}
