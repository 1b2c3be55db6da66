# Bounds and witnesses of all features, by the engines and where there is none. All ways give the
# same list, of inner columns:
#   value, bound        of the best set known, and of any set
#   best, given         that set, and the value of the set asked about
#   low, high, witness  of each feature, the value of a set that answers its question, a bound on
#                       all of them, and that set. The question of a feature of `best` is the best
#                       set without it, that of another one the best set with it.
#   slack               rounding of the values
#   exchanges           values of best - a + j, k x columns; columns: which these are
#   count, complete, frequency, sets, set_values   of the sets within each tolerance, or NA
#   copies              labels of groups, 0 for none
#   proved, status, seconds, questions

# ---- the way that is taken -----------------------------------------------------------

# the engine of a method, or NULL
roles_engine <- function(method) {
  get0(paste0(method, "_roles"), environment(roles_engine), mode = "function")
}

find_roles <- function(problem, tolerance, sets, limit) {
  left <- function() time_left(limit$started, limit$seconds)
  if (problem$method %in% filters) {
    return(c(rank_roles(problem), list(kind = "ranks")))
  }
  disjoint <- disjoint_set(problem, left())
  found <- decide_roles(problem, disjoint, tolerance, sets, left, limit$verbose)
  if (is.null(disjoint) || is.na(disjoint$value)) {
    return(c(found, list(disjoint = disjoint)))
  }
  if (counts_as_set(problem, disjoint$set)) {
    found <- with_known_set(found, disjoint$set, disjoint$value, problem$data$locked)
  }
  c(found, list(disjoint = disjoint))
}

decide_roles <- function(problem, disjoint, tolerance, sets, left, verbose) {
  single <- is.null(problem$groups)
  if (length(problem$data$locked) == problem$k) {
    return(c(single_set_roles(problem, tolerance, sets), list(kind = "proved")))
  }
  if (single && is_additive(problem)) {
    found <- c(additive_roles(problem, tolerance, sets), list(kind = "proved"))
    return(with_copies(found, problem))
  }
  engine <- if (single && problem$method %in% proved_methods) roles_engine(problem$method)
  if (!is.null(engine)) {
    return(run_engine(engine, problem, disjoint, tolerance, sets, left(), verbose))
  }
  found <- all_sets_roles(problem, tolerance, sets, left)
  if (!is.null(found)) {
    return(c(found, list(kind = "proved")))
  }
  if (single && problem$method == "alignment") {
    c(alignment_roles(problem, disjoint, left), list(kind = "witnesses"))
  } else {
    c(refit_roles(problem, disjoint, left), list(kind = "refits"))
  }
}

# The best set that is found without the features asked about: list(set, value), NULL where too few
# are left, with a value of NA and no set where there is no time for the fit
disjoint_set <- function(problem, seconds) {
  if (seconds < or_default(problem$expected, 0) || seconds == 0) {
    return(if (leaves_enough(problem, problem$columns)) list(set = integer(), value = NA_real_))
  }
  set_without(problem, problem$columns)
}

# From the better of the set given and the one without its features
run_engine <- function(engine, problem, disjoint, tolerance, sets, seconds, verbose) {
  value <- set_value(problem, problem$set)
  better <- isTRUE(disjoint$value > value) && counts_as_set(problem, disjoint$set)
  start <- if (better) disjoint$set else problem$set
  found <- engine(problem$inner, problem$response, problem$k, problem[["m"]], as.integer(start),
    tolerance, seconds, sets, or_default(problem$data$locked, integer()), integer(),
    c(problem$settings, list(operator = problem$operator, leading = problem$leading)), verbose
  )
  # in the engine's own arithmetic where it was asked about the set
  if (!setequal(start, problem$set)) found$given <- value
  found$kind <- if (isTRUE(found$proved)) "proved" else "witnesses"
  if (found$kind == "witnesses") found$status <- "finished"
  found <- with_copies(found, problem)
  if (counts_as_set(problem, problem$set)) {
    found <- with_known_set(found, problem$set, value, problem$data$locked)
  }
  found
}

# groups of near-copies, where the engine has not looked for them
with_copies <- function(found, problem) {
  if (all(found$copies == 0L) && problem$inner$kind != "blocks") {
    found$copies <- near_copies(problem$inner)
  }
  found
}

# a set whose value is known answers the questions of all features in which it differs
with_known_set <- function(found, set, value, locked = integer()) {
  if (anyNA(c(value, found$value)) || value > found$value) {
    return(found)
  }
  value <- value - 1e-11 * abs(value)
  answered <- setdiff(c(setdiff(found$best, set), setdiff(set, found$best)), locked)
  answered <- answered[found$low[answered] < value]
  check_against_set(found, answered, value)
  found$low[answered] <- value
  found$high[answered] <- pmax(found$high[answered], value)
  found$witness[answered] <- rep(list(as.integer(set)), length(answered))
  found
}

# A set that is better than a bound allows: the bound is wrong, and so is everything that would be
# said with it
check_against_set <- function(found, answered, value) {
  room <- 2 * found$slack + 1e-6 * abs(found$value)
  if (any(found$high[answered] < value - room)) {
    stop_core("internal", "the roles of features",
      sprintf("a set of value %.17g contradicts what was proved", value)
    )
  }
}

# `include` names the whole set
single_set_roles <- function(problem, tolerance, sets) {
  value <- set_value(problem, problem$set)
  found <- empty_roles(problem, value)
  found$bound <- value
  found$high[] <- -Inf
  found$proved <- TRUE
  if (sets > 0L && !is.na(value)) {
    member <- seq_len(problem$data$d) %in% problem$set
    found[c("count", "complete", "frequency", "sets", "set_values")] <- list(
      rep(1, length(tolerance)), rep(TRUE, length(tolerance)),
      matrix(member + 0, length(member), length(tolerance)), matrix(problem$set), value
    )
  }
  found
}

# ---- sums ----------------------------------------------------------------------------

# Does every set carry the sum of its variances, as with as many components as features, or as
# the rank?
is_additive <- function(problem) {
  problem$method == "fspca" && additive_error(problem) <= 1e-11 * data_trace(problem$inner)
}

# by how much the value of a set may be below that sum
additive_error <- function(problem) {
  if (problem[["m"]] == problem$k) {
    return(0)
  }
  data_trace(problem$inner) - sum(problem$leading$values)
}

# all answers in closed form: the best set has the largest variances
additive_roles <- function(problem, tolerance, sets) {
  square <- problem$inner$square
  locked <- or_default(problem$inner$locked, integer())
  d <- length(square)
  k <- problem$k
  free <- setdiff(order(-square), locked)
  best <- c(locked, free[seq_len(k - length(locked))])
  value <- sum(square[best])
  inside <- setdiff(best, locked)
  outside <- setdiff(seq_len(d), best)
  low <- rep(-Inf, d)
  witness <- rep(list(integer()), d)
  # the largest of the others takes the place of a feature, or the smallest gives it up
  if (length(outside) > 0 && length(inside) > 0) {
    enters <- outside[which.max(square[outside])]
    leaves <- inside[which.min(square[inside])]
    low[inside] <- value - square[inside] + square[enters]
    low[outside] <- value - square[leaves] + square[outside]
    witness[inside] <- lapply(inside, function(i) replace(best, match(i, best), enters))
    witness[outside] <- lapply(outside, function(j) replace(best, match(leaves, best), j))
  }
  exchanges <- matrix(NA_real_, k, d)
  exchanges[match(inside, best), outside] <- outer(value - square[inside], square[outside], "+")
  slack <- additive_error(problem) + 1e-13 * data_trace(problem$inner)
  c(
    list(
      value = value, bound = value, best = best, given = sum(square[problem$set]),
      low = low, high = low, slack = slack, witness = witness, exchanges = exchanges,
      copies = integer(d), proved = TRUE, status = "finished", seconds = 0, questions = 0
    ),
    count_sums(square, best, locked, (1 - tolerance) * value - slack, sets)
  )
}

# sets that are counted at most
counted_sums <- 1e4

# All sets of the size of `best` with a sum of at least each cut, by depth: entries in falling
# order, a branch is left where not even the next ones reach the cut
count_sums <- function(square, best, locked, cuts, sets) {
  if (sets == 0L) {
    return(list(count = NA_real_))
  }
  free <- setdiff(order(-square), locked)
  size <- length(best) - length(locked)
  sums <- c(0, cumsum(square[free]))
  least <- min(cuts) - sum(square[locked])
  known <- list()
  complete <- TRUE
  visit <- function(from, taken, sum) {
    wanted <- size - length(taken)
    if (wanted == 0L) {
      complete <<- complete && length(known) < counted_sums
      if (complete) known[[length(known) + 1L]] <<- taken
      return(invisible())
    }
    for (at in seq(from, length.out = max(0L, length(free) - from - wanted + 2L))) {
      if (!complete || sum + sums[at + wanted] - sums[at] < least) break
      visit(at + 1L, c(taken, free[at]), sum + square[free[at]])
    }
  }
  visit(1L, integer(), 0)
  known <- vapply(known, c, integer(length(best)), locked)
  known <- matrix(known, length(best))
  listed_sets(known, colSums(matrix(square[known], nrow(known))), length(square), cuts, sets,
    complete
  )
}

# the numbers of these sets (columns) within each cut, and the best of them
listed_sets <- function(known, values, d, cuts, sets, complete) {
  order <- order(-values)
  shown <- utils::head(order[values[order] >= min(cuts)], sets)
  list(
    count = vapply(cuts, function(cut) sum(values >= cut), 0),
    complete = rep(complete, length(cuts)),
    frequency = vapply(cuts, function(cut) {
      as.double(tabulate(known[, values >= cut], d))
    }, numeric(d)),
    sets = known[, shown, drop = FALSE], set_values = values[shown]
  )
}
