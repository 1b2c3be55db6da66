# Bounds and witnesses of all features, by an engine, by all sets, or by single exchanges. All ways
# give the same list, of inner columns:
#   value, bound        of the best set known, and of any set
#   best, given         that set, and the value of the set asked about
#   low, high, witness  of each feature, the value of a set that answers its question, a bound on
#                       all of them, and that set. The question of a feature of `best` is the best
#                       set without it, that of another one the best set with it.
#   slack               rounding of the values
#   exchanges, of_given values of best - a + j and of set - a + j, k x d; NULL: the set is the best
#   count, complete, frequency, sets, set_values   of the sets within each tolerance, or NA
#   proved, status, questions

# ---- the problem ---------------------------------------------------------------------

# list(entry, method, x, y, given, columns, groups, k, m, data, inner, response, operator, leading,
# measure, set, rules, unit): `data` of the whole with its view, `inner` as the C code takes it,
# `set` of inner columns, ascending, and `rules` that all sets obey, as ruled_sets() has them
roles_problem <- function(x, request) {
  given <- request$given
  entry <- request$entry
  data <- without_constant_warning(as_data(x, scale_of(entry, given),
    given[["assay"]], given[["block"]], given[["include"]], given[["exclude"]],
    weights = if (entry$weighted) given[["weights"]]
  ))
  view <- view_of(data)
  columns <- feature_columns(request$selected, "selected", view$d, view$names, request$index)
  set <- inner_index(columns, data)
  check_start_set(set, data, "selected")
  rules <- ruled_sets(data, set, request, x)
  request$given$rules <- NULL
  problem <- c(request[c("entry", "y", "given")], list(
    x = x, method = entry$name, unit = 1, data = data, set = sort(set), inner = data,
    columns = columns, k = length(columns), rules = rules
  ))
  of_method <- switch(entry$name,
    fspca = fspca_problem, cdlsr = cdlsr_problem, rowsparse_glm = glm_problem, css = css_problem,
    alignment = alignment_problem
  )
  problem <- of_method(problem, data)
  problem$inner$locked <- problem$data$locked
  if (is.null(request$groups)) problem else as_group_problem(problem, request$groups)
}

fspca_problem <- function(problem, data) {
  m <- problem$given[["m"]]
  check_basis_size(problem$k, m, data)
  data <- with_spectrum(data, m)
  check_roles_size(problem, data, m)
  problem[["m"]] <- resolve_dimension(m, data, most = problem$k)
  problem$operator <- as_operator(data, problem[["m"]])
  problem$leading <- leading_eigenvectors(problem$operator, problem[["m"]])
  problem$inner <- problem$data <- data
  problem
}

cdlsr_problem <- function(problem, data) {
  ridge <- check_ridge(or_default(problem$given[["ridge"]], 0))
  inside <- in_binary_units(data)
  response <- prepare_response(inside, problem$x, problem$y)
  if (is_pillai(ridge)) {
    response <- pillai_response(response, inside)
    ridge <- response$ridge
  }
  ridge <- check_number(ridge, "ridge", 0)
  check_size(problem$k, data, ridge)
  check_roles_size(problem, data, NULL, classes = length(response$squares), ridge = ridge)
  if (inside$kind == "blocks" && fits_cross_products(inside)) {
    response <- crossed_response(response, inside)
    inside <- second_moments(inside)
  }
  problem$settings <- list(ridge = ridge_in_units(ridge, inside))
  problem$inner <- inside
  problem$response <- response
  problem$unit <- response$unit
  problem
}

# values are halves of what deviances lose
glm_problem <- function(problem, data) {
  args <- complete_arguments("rowsparse_glm", problem$given)
  args[c("x", "y", "k")] <- problem[c("x", "y", "k")]
  args <- check_glm(args, data)
  ridge <- positive(args$ridge, "ridge")
  inner <- family_problem(data, args)
  check_roles_size(problem, data, NULL, classes = ncol(inner$response$Y))
  problem[c("inner", "response")] <- inner[c("data", "response")]
  problem$settings <- list(ridge = ridge_in_units(ridge, inner$data))
  any <- refitted_set(inner$data, inner$response, which(!data$constant)[1], problem$settings$ridge)
  problem$response$total <- any$none$total
  problem$unit <- sqrt(2)
  problem
}

css_problem <- function(problem, data) {
  data <- resolve_blocks(data, "css")
  m <- problem$given[["m"]]
  check_dimension(problem$k, data, "k")
  if (!is.null(m) && !is_unlimited(m)) m <- check_dimension(m, data)
  check_roles_size(problem, data, if (!is_unlimited(m)) m)
  if (is.null(m)) {
    data <- with_eigenvectors(data)
    m <- main_components(data)
  }
  problem[["m"]] <- m
  problem$data <- data
  problem$inner <- sketch_rows_data(in_binary_units(data))
  problem$response <- component_response(problem$inner, m)
  problem$unit <- problem$inner$unit
  problem$settings <- list(ridge = 0)
  problem
}

# What alignment() measures sets by: the features in units, their targets, which do not depend on k,
# the ridge, and which may be selected; `squares` of all cross-products where features are few
alignment_problem <- function(problem, data, most = 700L) {
  y <- if (needs_response(problem$entry)) problem$y
  arguments <- c(list(problem$x, y, max(1L, length(data$locked)), "alignment"), problem$given)
  target <- unname(quietly(do.call(rowsparse, arguments, quote = TRUE))$target)
  inside <- in_binary_units(resolve_blocks(data, "alignment"))
  usable <- usable_features(data)
  problem$measure <- list(
    data = inside, target = target[view_of(data)$kept] / inside$unit / inside$unit,
    usable = usable, ridge = mean(inside$square[usable])^2,
    squares = if (data$d <= most) cross_squares(inside, seq_len(data$d))
  )
  problem
}

# what the engines hold beside a proof: the exchanges and a witness for each feature
roles_bytes <- function(entry, s) {
  tables <- 8 * s$d * (11 * s$k + 12) # the most are held while backups are drawn
  switch(entry$name,
    fspca = certify_bytes(s) + tables,
    cdlsr = 8 * proof_room(s) + 128 * s$d + tables, # scores of exchanges, sixteen at a time
    rowsparse_glm = , css = entry$bytes(utils::modifyList(s, list(solver = "exact"))) + tables,
    0
  )
}

check_roles_size <- function(problem, data, m, ...) {
  check_fit_size(problem$method, data, k = problem$k, m = m, alternatives = TRUE, ...)
}

# The problem whose features are the groups; `by_columns`: that of the columns, whose values of sets
# are asked for; `members`: the columns of each group that vary
as_group_problem <- function(problem, groups) {
  view <- view_of(problem$data)
  of_columns <- function(columns) unique(groups$of[columns])
  count <- length(groups$label)
  excluded <- of_columns(view$excluded)
  kept <- setdiff(seq_len(count), excluded)
  varying <- which(!problem$data$constant)
  out <- problem
  out$by_columns <- problem
  out$groups <- groups
  out$members <- unname(split(varying, factor(groups$of[view$kept[varying]], kept)))
  out$columns <- of_columns(problem$columns)
  out$set <- sort(match(out$columns, kept))
  out$k <- length(out$set)
  out$data <- list(
    kind = "groups", n = problem$data$n, d = length(kept),
    locked = match(of_columns(outer_index(problem$data$locked, problem$data)), kept),
    view = list(d = count, names = groups$label, kept = kept, excluded = excluded)
  )
  out
}

# ---- values of sets ------------------------------------------------------------------

# The value of a set of inner columns, or of groups with all their columns, in the units of the
# problem. NA for groups in regressions on cross-products alone, where rounding may hide what
# columns explain that nearly depend on others
set_value <- function(problem, set) {
  if (!is.null(problem$groups)) {
    plain <- problem$by_columns
    told <- plain$method %in% c("fspca", "alignment") || plain$data$kind %in% c("dense", "sparse")
    return(if (told) set_value(plain, unlist(problem$members[set])) else NA_real_)
  }
  switch(problem$method,
    fspca = sum(.Call(C_subpca, unclass(problem$operator), as.integer(set), problem[["m"]])$values),
    alignment = alignment_value(problem$measure, set),
    or_default(problem$response$total, data_trace(problem$inner)) -
      fitted_subset(problem, set)$objective
  )
}

# what cdlsr() and css() make of a set: `objective`, the squares that it leaves, with the ridge's
# part, and `selected`, its independent features
fitted_subset <- function(problem, set) {
  data <- problem$inner
  data$locked <- NULL
  set <- as.integer(set[!data$constant[set]])
  refitted_set(data, problem$response, set, problem$settings$ridge)$subset
}

# ---- the way that is taken -----------------------------------------------------------

# `left()`: the seconds that are left
find_roles <- function(problem, tolerance, sets, left) {
  single <- length(problem$data$locked) == problem$k # all of it is included
  engine <- if (problem$method == "fspca") fspca_roles else subset_roles
  proves <- is.null(problem$groups) && problem$method %in% proved_methods && !single
  if (!proves) engine <- all_sets_roles
  found <- engine(problem, tolerance, sets, left)
  if (is.null(found)) found <- alignment_roles(problem, left)
  if (!isTRUE(found$proved)) found$status <- "finished"
  found <- with_known_set(found, problem)
  decided <- problem$rules$decided
  found$low[decided] <- found$high[decided] <- -Inf
  found$witness[decided] <- list(integer())
  found
}

# the set asked about answers the questions of all features in which it differs from the best one,
# unless rounding hides a hundredth of the values
with_known_set <- function(found, problem) {
  set <- as.integer(problem$set)
  if (setequal(set, found$best)) {
    return(found)
  }
  # regressions count sets of independent features, see ?cdlsr
  counts <- problem$method %in% c("fspca", "alignment") || !is.null(problem$groups) ||
    length(fitted_subset(problem, set)$selected) == length(set)
  value <- if (counts) set_value(problem, set)
  if (!isTRUE(value <= found$value) || found$slack > 0.02 * abs(found$value)) {
    return(found)
  }
  value <- value - 1e-11 * abs(value)
  answered <- setdiff(c(setdiff(found$best, set), setdiff(set, found$best)), problem$data$locked)
  answered <- answered[found$low[answered] < value]
  # a set that is better than a bound allows: the bound is wrong, and all that would be said with
  # it, unless the products of css() count one of its features as dependent
  room <- 2 * found$slack + 1e-6 * abs(found$value)
  counted <- problem$method != "css" || is.finite(found$given)
  if (counted && any(found$high[answered] < value - room)) {
    stop_core("internal", "the roles of features",
      sprintf("a set of value %.17g contradicts what was proved", value))
  }
  found$low[answered] <- value
  found$high[answered] <- pmax(found$high[answered], value)
  found$witness[answered] <- rep(list(set), length(answered))
  found
}

# Roles if nothing is known but a set
empty_roles <- function(problem, value, set) {
  d <- problem$data$d
  list(
    value = value, bound = Inf, best = as.integer(set), given = value, low = rep(-Inf, d),
    high = rep(Inf, d), slack = 0, witness = rep(list(integer()), d), exchanges = NULL,
    count = NA_real_, proved = FALSE, status = "finished", questions = 0
  )
}

# ---- all sets ------------------------------------------------------------------------

# sets that are enumerated at most, and numbers of features in them
most_sets <- 2e5
most_members <- 4e6

# Roles from the values of all sets, if these are few and quickly computed: in half of the time that
# is left, as the first of them show. Else NULL, or for groups a refusal
all_sets_roles <- function(problem, tolerance, sets, left) {
  locked <- as.integer(problem$data$locked)
  varies <- if (is.null(problem$groups)) !problem$data$constant else lengths(problem$members) > 0L
  free <- setdiff(which(varies), c(locked, which(or_default(problem$rules$barred, FALSE))))
  size <- problem$k - length(locked)
  count <- choose(length(free), size)
  values <- NULL
  if (count > 0 && count <= most_sets && count * size <= most_members) {
    others <- utils::combn(length(free), size)
    all <- rbind(matrix(locked, length(locked), ncol(others)),
      matrix(free[others], size, ncol(others))
    )
    all <- all[, obey_the(problem$rules, all), drop = FALSE]
    values <- values_in_time(problem, all, left() / 2)
  }
  if (is.null(values)) {
    refuse_if(!is.null(problem$groups), "groups", "selected", paste(
      "must be a fit of single features, or of groups with at most 200000 sets of k whose values",
      "are known from the samples and told in half of `seconds`"
    ), sprintf("%.0f sets of %d groups", count, problem$k))
    return(NULL)
  }
  found <- roles_of_sets(problem, cbind(problem$set, all),
    c(set_value(problem, problem$set), values)
  )
  found[c("slack", "bound", "high", "proved", "questions")] <- list(
    1e-9 * abs(found$value), found$value, found$low, TRUE, ncol(all)
  )
  found$exchanges <- exchanges_among(all, values, found$best, problem$data$d)
  found$of_given <- exchanges_among(all, values, problem$set, problem$data$d)
  if (sets > 0L) {
    listed <- listed_sets(all, values, problem$data$d, cuts_of(found, tolerance), sets)
    found[names(listed)] <- listed
  }
  found
}

# The best of some sets (columns), the first the one asked about, and what they say of each feature
roles_of_sets <- function(problem, sets, values) {
  best <- which(values >= max(values) - 1e-12 * abs(max(values)))[1]
  found <- empty_roles(problem, values[best], sets[, best])
  found$given <- values[1]
  order <- order(-values)
  sets <- sets[, order, drop = FALSE]
  # of each feature the first set that answers its question
  first <- ceiling(match(seq_len(problem$data$d), sets) / problem$k)
  first[found$best] <- vapply(found$best, function(i) which(colSums(sets == i) == 0)[1], 0L)
  first[problem$data$locked] <- NA
  known <- which(!is.na(first))
  found$low[known] <- values[order][first[known]]
  found$witness[known] <- lapply(first[known], function(at) as.integer(sets[, at]))
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

# the values of these sets, NULL if that takes more than some seconds or one is not known
values_in_time <- function(problem, sets, seconds) {
  values <- numeric(ncol(sets))
  began <- proc.time()[["elapsed"]]
  for (at in seq_along(values)) {
    values[at] <- set_value(problem, sets[, at])
    passed <- if (at %% 100L == 0L) proc.time()[["elapsed"]] - began else 0
    if (is.na(values[at]) || passed * length(values) / at > seconds) {
      return(NULL)
    }
  }
  values
}

# the numbers of these sets (columns) within each cut, and the best of them
listed_sets <- function(known, values, d, cuts, sets) {
  order <- order(-values)
  shown <- utils::head(order[values[order] >= min(cuts)], sets)
  list(
    count = vapply(cuts, function(cut) sum(values >= cut), 0),
    complete = rep(TRUE, length(cuts)),
    frequency = matrix(vapply(cuts, function(cut) {
      as.double(tabulate(known[, values >= cut], d))
    }, numeric(d)), d),
    sets = known[, shown, drop = FALSE], set_values = values[shown]
  )
}

# ---- exchanges of alignment() --------------------------------------------------------

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

# values of sets with one feature of `set` (rows) exchanged; `squares`: those of the set, with all
alignment_exchanges <- function(measure, set, squares, locked, rules) {
  target <- measure$target
  own <- colSums(squares)
  single <- (measure$data$square)^2
  inside <- sum(own[set]) - 2 * own[set] + single[set]
  norms <- outer(inside, 2 * own + single, "+") - 2 * squares
  out <- outer(sum(target[set]) - target[set], target, "+") / sqrt(norms + measure$ridge)
  out[, set] <- NA_real_
  out[, !measure$usable] <- NA_real_
  out[set %in% locked, ] <- NA_real_
  if (!is.null(rules)) out[!t(exchanges_within(rules, set, ncol(out)))] <- NA_real_
  out
}

# exchanges from the set, as long as one gains and there is time, and the exchanges in the last set
alignment_roles <- function(problem, left) {
  measure <- problem$measure
  set <- problem$set
  squares <- cross_squares(measure$data, set)
  given <- value <- set_value(problem, set)
  sweeps <- 0
  repeat {
    table <- alignment_exchanges(measure, set, squares, problem$data$locked, problem$rules)
    if (sweeps == 0) first <- table
    sweeps <- sweeps + 1
    best <- arrayInd(which.max(table), dim(table))
    if (length(best) == 0L || !isTRUE(table[best] > value * (1 + 1e-9)) || left() <= 0) break
    value <- table[best]
    set[best[1]] <- best[2]
    squares[best[1], ] <- cross_squares(measure$data, best[2])
  }
  found <- roles_of_exchanges(problem, set, set_value(problem, set), table)
  found[c("of_given", "given", "questions")] <- list(first, given, sweeps)
  found
}

# Roles by the value of a set and those of its exchanges
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
