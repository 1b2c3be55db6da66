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
  single <- is.null(problem$groups)
  engine <- if (single && problem$method %in% proved_methods) roles_engine(problem$method)
  left <- function() time_left(limit$started, limit$seconds)
  if (problem$method %in% filters) {
    return(c(rank_roles(problem), list(kind = "ranks")))
  }
  disjoint <- set_without(problem, problem$columns)
  found <- if (length(problem$data$locked) == problem$k) {
    c(single_set_roles(problem, tolerance, sets), list(kind = "proved"))
  } else if (single && is_additive(problem)) {
    with_copies(c(additive_roles(problem, tolerance, sets), list(kind = "proved")), problem)
  } else if (!is.null(engine)) {
    run_engine(engine, problem, disjoint, tolerance, sets, left(), limit$verbose)
  } else {
    c(refit_roles(problem, disjoint, left), list(kind = "refits"))
  }
  if (is.null(disjoint) || is.na(disjoint$value)) {
    return(c(found, list(disjoint = disjoint)))
  }
  if (counts_as_set(problem, disjoint$set)) {
    found <- with_known_set(found, disjoint$set, disjoint$value, problem$data$locked)
  }
  c(found, list(disjoint = disjoint))
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

# list(set, value), the set as inner columns, that a fit finds without these columns of x
set_without <- function(problem, columns) {
  fit <- fit_without(problem, columns)
  if (is.null(fit)) {
    return(NULL)
  }
  set <- inner_units(fit$selected, problem)
  list(set = set, value = value_of_fit(problem, fit, set))
}

# higher is better; NA where methods have no objective that may be compared
value_of_fit <- function(problem, fit, set) {
  if (problem$method %in% proved_methods) {
    return(set_value(problem, set))
  }
  if (!takes(problem$entry, "k")) {
    return(NA_real_)
  }
  value <- utils::tail(fit$objective, 1)
  if (!length(value) || !is.finite(value)) {
    return(NA_real_)
  }
  if (problem$method == "alignment") value else -value
}

# `include` names the whole set
single_set_roles <- function(problem, tolerance, sets) {
  value <- value_of_set(problem)
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

value_of_set <- function(problem) {
  if (problem$method %in% proved_methods) set_value(problem, problem$set) else NA_real_
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
  listed_sets(lapply(known, c, locked), square, cuts, sets, complete)
}

# the numbers of these sets within each cut, and the best of them
listed_sets <- function(known, square, cuts, sets, complete) {
  values <- vapply(known, function(set) sum(square[set]), 0)
  order <- order(-values)
  shown <- utils::head(order, sets)
  list(
    count = vapply(cuts, function(cut) sum(values >= cut), 0),
    complete = rep(complete, length(cuts)),
    frequency = vapply(cuts, function(cut) {
      as.double(tabulate(unlist(known[values >= cut]), length(square)))
    }, numeric(length(square))),
    sets = matrix(as.integer(unlist(known[shown])), ncol = length(shown)),
    set_values = values[shown]
  )
}

# ---- methods without a bound ---------------------------------------------------------

# The method once more without each of the selected features, as many as there is time for,
# those ranked last first, as they are the cheapest to replace
refit_roles <- function(problem, disjoint, left) {
  began <- proc.time()[["elapsed"]]
  found <- refit_start(problem, disjoint)
  asked <- rev(setdiff(found$best, problem$data$locked))
  done <- 0
  for (feature in asked) {
    if (left() <= 0) break
    other <- set_without(problem, outer_index(feature, problem$data))
    done <- done + 1
    if (is.null(other)) next
    found <- with_refit(found, feature, other)
  }
  found$status <- if (done == length(asked)) "finished" else "time_limit"
  found$questions <- done
  found$seconds <- proc.time()[["elapsed"]] - began
  found
}

# from the best of the set asked about, that of the method's own fit and the one without its
# features, where their values can be compared
refit_start <- function(problem, disjoint) {
  whole <- fit_without(problem, integer())
  sets <- list(list(set = problem$set, value = NA_real_), disjoint)
  if (!is.null(whole)) {
    own <- inner_units(whole$selected, problem)
    sets <- c(sets, list(list(set = own, value = value_of_fit(problem, whole, own))))
    if (setequal(own, problem$set)) sets[[1]]$value <- sets[[3]]$value
  }
  if (problem$method %in% proved_methods) sets[[1]]$value <- set_value(problem, problem$set)
  given <- sets[[1]]$value
  if (is.na(given)) {
    return(empty_roles(problem, given))
  }
  sets <- Filter(function(one) !is.na(one$value), sets[!vapply(sets, is.null, NA)])
  best <- sets[[first_largest(vapply(sets, `[[`, 0, "value"))]]
  found <- empty_roles(problem, best$value, best$set)
  found$given <- given
  with_known_set(found, problem$set, given, problem$data$locked)
}

# nothing known but a set
empty_roles <- function(problem, value, set = problem$set) {
  d <- problem$data$d
  list(
    value = value, bound = Inf, best = as.integer(set), given = value, low = rep(-Inf, d),
    high = rep(Inf, d), slack = 0, witness = rep(list(integer()), d), exchanges = NULL,
    count = NA_real_, copies = integer(d), proved = FALSE, status = "finished", seconds = 0,
    questions = 0
  )
}

# what a fit without a feature says of it and of those that entered; better sets are kept as
# they are, since without a bound the set asked about is the measure
with_refit <- function(found, feature, other) {
  found$witness[[feature]] <- as.integer(other$set)
  if (is.na(found$value) || is.na(other$value)) {
    return(found)
  }
  answered <- c(feature, setdiff(other$set, found$best))
  better <- answered[found$low[answered] < other$value]
  found$low[better] <- other$value
  found$witness[better] <- rep(list(as.integer(other$set)), length(better))
  found
}

# methods with a score for each feature alone
filters <- c("variance", "ftest", "lapscore", "spec")

# the first of the ranking that is not selected takes the place of whichever leaves
rank_roles <- function(problem) {
  found <- empty_roles(problem, NA_real_)
  fit <- fit_without(problem, integer())
  ranking <- inner_units(fit$ranking, problem)
  enters <- setdiff(ranking[!is.na(ranking)], problem$set)[1]
  if (is.na(enters)) {
    return(found)
  }
  for (feature in setdiff(problem$set, problem$data$locked)) {
    found$witness[[feature]] <- replace(problem$set, match(feature, problem$set), enters)
  }
  found
}
