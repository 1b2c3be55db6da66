# What alternatives() shows where no engine proves it: all sets, where they are few, exchanges in
# the value of alignment(), fits without a feature, and the next in rank.

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

# Sets (columns) and their values, the first the one asked about: the best of them, and what they
# say of each feature
roles_of_sets <- function(problem, sets, values) {
  best <- which(values >= max(values) - 1e-12 * abs(max(values)))[1]
  found <- empty_roles(problem, values[best], sets[, best])
  found$given <- values[1]
  order <- order(-values)
  sets <- sets[, order, drop = FALSE]
  # of each feature the first set that answers its question
  first <- ceiling(match(seq_len(problem$data$d), sets) / problem$k)
  first[found$best] <- vapply(found$best, function(i) {
    which(colSums(sets == i) == 0)[1]
  }, 0L)
  first[problem$data$locked] <- NA
  known <- which(!is.na(first))
  found$low[known] <- values[order][first[known]]
  found$witness[known] <- lapply(first[known], function(at) as.integer(sets[, at]))
  found
}

# ---- all sets ------------------------------------------------------------------------

# sets that are enumerated at most, and numbers of features in them
most_sets <- 2e5
most_members <- 4e6

# Roles from the values of all sets, where these are few and quickly computed: in half of the time
# that is left, as the first of them show. NULL elsewhere
all_sets_roles <- function(problem, tolerance, sets, left) {
  locked <- or_default(problem$data$locked, integer())
  free <- setdiff(usable_units(problem), locked)
  size <- problem$k - length(locked)
  count <- choose(length(free), size)
  few <- count > 0 && count <= most_sets && count * size <= most_members
  if (!has_quick_values(problem) || !few) {
    return(NULL)
  }
  began <- proc.time()[["elapsed"]]
  all <- matrix(free[utils::combn(length(free), size)], size)
  all <- rbind(matrix(locked, length(locked), ncol(all)), all)
  values <- values_in_time(problem, all, left)
  if (is.null(values)) {
    return(NULL)
  }
  given <- set_value(problem, problem$set)
  found <- roles_of_sets(problem, cbind(problem$set, all), c(given, values))
  found$slack <- 1e-9 * abs(found$value)
  found$bound <- found$value
  found$high <- found$low
  found$proved <- TRUE
  found$exchanges <- exchanges_among(all, values, found$best, problem$data$d)
  found$questions <- ncol(all)
  found$seconds <- proc.time()[["elapsed"]] - began
  if (sets > 0L) {
    counted <- listed_sets(all, values, problem$data$d, cuts_of(found, tolerance), sets, TRUE)
    found[names(counted)] <- counted
  }
  found
}

# the values of the sets (columns) that differ in one feature from `best`, by rows of what leaves
exchanges_among <- function(sets, values, best, d) {
  inside <- matrix(sets %in% best, nrow(sets))
  near <- which(colSums(inside) == length(best) - 1L)
  leaves <- sum(best) - colSums(sets * inside)[near]
  out <- matrix(NA_real_, length(best), d)
  out[cbind(match(leaves, best), colSums(sets * !inside)[near])] <- values[near]
  out
}

# the values of these sets, NULL where that takes too long
values_in_time <- function(problem, sets, left) {
  values <- numeric(ncol(sets))
  began <- proc.time()[["elapsed"]]
  room <- left() / 2
  for (at in seq_along(values)) {
    values[at] <- set_value(problem, sets[, at])
    passed <- if (at %% 100L == 0L) proc.time()[["elapsed"]] - began else 0
    if (passed * length(values) / at > room) {
      return(NULL)
    }
  }
  if (!anyNA(values)) values
}

# ---- alignment() ---------------------------------------------------------------------

# What alignment() measures sets by: the features in units, the target of each, the ridge, and
# which may be selected; `squares` of all cross-products where features are few
alignment_measure <- function(problem, most = 700L) {
  locked <- outer_index(problem$data$locked, problem$data)
  fit <- fit_with_locks(problem, locked, left_out(problem, integer()), character())
  data <- resolve_blocks(problem$data, "alignment")
  inside <- in_binary_units(data)
  usable <- alignment_pool(data)$usable
  target <- unname(fit$target)[view_of(data)$kept] / inside$unit / inside$unit
  list(
    data = inside, target = target, usable = usable, ridge = mean(inside$square[usable])^2,
    squares = if (data$d <= most) cross_squares(inside, seq_len(data$d))
  )
}

# squared cross-products of these columns with all
cross_squares <- function(data, columns) {
  values <- .Call(C_columns, unclass(data), as.integer(columns))
  t(.Call(C_cross, unclass(data), values, length(columns)))^2
}

alignment_value <- function(measure, set) {
  squares <- measure$squares[set, set]
  if (is.null(measure$squares)) squares <- cross_squares(measure$data, set)[, set]
  sum(measure$target[set]) / sqrt(sum(squares) + measure$ridge)
}

# values of all sets in which one feature of `set` (rows) is exchanged for another one; `squares`:
# those of the set, with all
alignment_exchanges <- function(measure, set, squares, locked) {
  target <- measure$target
  own <- colSums(squares)
  single <- (measure$data$square)^2
  inside <- sum(own[set]) - 2 * own[set] + single[set]
  norms <- outer(inside, 2 * own + single, "+") - 2 * squares
  out <- outer(sum(target[set]) - target[set], target, "+") / sqrt(norms + measure$ridge)
  out[, set] <- NA_real_
  out[, !measure$usable] <- NA_real_
  out[set %in% locked, ] <- NA_real_
  out
}

# Exchanges from the best set that is known, as long as one gains and there is time, and the
# exchanges in the last set
alignment_roles <- function(problem, disjoint, left) {
  began <- proc.time()[["elapsed"]]
  measure <- problem$measure
  locked <- problem$data$locked
  given <- set_value(problem, problem$set)
  set <- if (isTRUE(disjoint$value > given)) disjoint$set else problem$set
  squares <- cross_squares(measure$data, set)
  value <- set_value(problem, set)
  sweeps <- 0
  repeat {
    table <- alignment_exchanges(measure, set, squares, locked)
    sweeps <- sweeps + 1
    best <- arrayInd(which.max(table), dim(table))
    if (length(best) == 0L || !isTRUE(table[best] > value * (1 + 1e-9)) || left() <= 0) break
    value <- table[best]
    set[best[1]] <- best[2]
    squares[best[1], ] <- cross_squares(measure$data, best[2])
  }
  found <- roles_of_exchanges(problem, set, set_value(problem, set), table)
  found$given <- given
  found$questions <- sweeps
  found$seconds <- proc.time()[["elapsed"]] - began
  with_known_set(found, problem$set, given, locked)
}

# of a set, its value and those of its exchanges
roles_of_exchanges <- function(problem, set, value, table) {
  found <- empty_roles(problem, value, set)
  found$exchanges <- table
  table[is.na(table)] <- -Inf
  into <- max.col(table, "first")
  from <- max.col(t(table), "first")
  outside <- setdiff(seq_len(ncol(table)), set)
  found$low[set] <- table[cbind(seq_along(set), into)]
  found$low[outside] <- table[cbind(from, seq_along(from))][outside]
  found$witness[set] <- Map(replace, list(found$best), seq_along(set), into)
  found$witness[outside] <- Map(replace, list(found$best), from[outside], outside)
  found$witness[!is.finite(found$low)] <- list(integer())
  found
}

# ---- fits without a feature ----------------------------------------------------------

# list(set, value), the set as inner columns in rank order, that a fit finds without these columns
# of x
set_without <- function(problem, columns) {
  fit <- fit_without(problem, columns)
  set <- if (!is.null(fit)) inner_units(fit$selected, problem)
  if (length(set) == problem$k) list(set = set, value = set_value(problem, set))
}

# The method once more without each of the selected features, as many as there is time for,
# those ranked last first, as they are the cheapest to replace
refit_roles <- function(problem, disjoint, left) {
  began <- proc.time()[["elapsed"]]
  longest <- problem$expected
  asked <- rev(setdiff(problem$set, problem$data$locked))
  others <- list(disjoint)
  done <- 0
  for (feature in asked) {
    if (left() <= longest) break
    from <- proc.time()[["elapsed"]]
    other <- set_without(problem, outer_index(feature, problem$data))
    others <- c(others, list(c(other, list(asked = feature))))
    longest <- max(longest, proc.time()[["elapsed"]] - from)
    done <- done + 1
  }
  found <- roles_of_refits(problem, others, left() > 0)
  found$status <- if (done == length(asked)) "finished" else "time_limit"
  found$questions <- done
  found$seconds <- proc.time()[["elapsed"]] - began
  found
}

# sets whose values are known, or what entered where the method gives sets no value
roles_of_refits <- function(problem, others, in_time) {
  others <- Filter(function(other) length(other$set) > 0, others)
  sets <- lapply(others, `[[`, "set")
  values <- vapply(others, `[[`, 0, "value")
  if (in_time && !anyNA(values)) {
    given <- set_value(problem, problem$set)
    if (!is.na(given)) {
      return(roles_of_sets(problem, do.call(cbind, c(list(problem$set), sets)), c(given, values)))
    }
  }
  found <- empty_roles(problem, NA_real_)
  for (other in others) found$witness[other[["asked"]]] <- list(other$set)
  found
}

# ---- ranks ---------------------------------------------------------------------------

# methods with a score for each feature alone
filters <- c("variance", "ftest", "lapscore", "spec")

# the first of the ranking that is not selected takes the place of whichever leaves, and the first
# k of them that of all
rank_roles <- function(problem) {
  found <- empty_roles(problem, NA_real_)
  fit <- fit_without(problem, integer())
  ranking <- inner_units(fit$ranking, problem)
  locked <- or_default(problem$data$locked, integer())
  others <- setdiff(ranking[!is.na(ranking)], problem$set)
  for (feature in if (length(others) > 0) setdiff(problem$set, locked)) {
    found$witness[[feature]] <- replace(problem$set, match(feature, problem$set), others[1])
  }
  free <- problem$k - length(locked)
  if (length(others) >= free && free > 0) {
    set <- c(locked, others[seq_len(free)])
    found$disjoint <- list(set = as.integer(set), value = NA_real_)
  }
  found
}
