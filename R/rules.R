# Rules of a panel: what a set of k features costs, how many members of some sets it holds, and
# in how many batches its features vary. The sets that obey them are decided by src/sets/rules.

#' Rules of a panel
#'
#' Constraints on a panel of k features: a budget of probes or of expression, minimum and maximum
#' numbers of markers of cell types or members of pathways, support in several batches, and few
#' exchanges from a given panel. Pass them as `rules =` to [fspca()], [css()], [alignment()] and
#' [cdlsr()], or to [rowsparse()] and [rowsparse_path()] with one of these methods.
#'
#' @section The rules:
#' With \eqn{c_j \ge 0}{c_j >= 0} the cost of feature j, \eqn{b} the budget, \eqn{M_1, M_2,
#' \ldots}{M_1, M_2, ...} the sets, a panel J of k features obeys the rules if
#' \deqn{\sum_{j \in J} c_j \le b, \qquad l_s \le |J \cap M_s| \le u_s \mbox{ for every set } s,}{
#' sum of c_j over J <= b, and l_s <= |J and M_s| <= u_s for every set s,}
#' and if every feature of J varies among the samples of at least `in_batches` levels of the
#' `block` of the fit. A feature may be a member of several sets. Features in `include` count like
#' all others, but are kept in whatever batches they vary. A limit on single features is a set,
#' too: the features above it, with `at_most` 0.
#'
#' With `near`, a panel P of any source, and s `swaps`, also
#' \deqn{|J \cap P| \ge \min(k, |P|) - s,}{|J and P| >= min(k, |P|) - s,}
#' so a panel already ordered is made better by at most s exchanges. P itself need not obey the
#' other rules; if it does, the result is at least as good as P. The fit has an element `exchanges`,
#' a data frame of the features that `left` P and those that `came`, in no particular pairing; its
#' attribute `share` is the value of P (what it carries or explains, or its alignment) as a share of
#' that of J, `NA` where [moments()] take features of either for dependent that may not be.
#'
#' @section Types and candidates:
#' With `types` the rules make the sets of markers themselves, anew from the samples of each fit or
#' fold. A feature tells type t from the rest by the AUC, the Mann-Whitney statistic of all pairs,
#' \deqn{A_{jt} = \sum_{i \in t, l \notin t} \{1(x_{ij} > x_{lj}) + 1(x_{ij} = x_{lj}) / 2\} /
#' \{n_t (n - n_t)\}.}{
#' A_jt = sum over i in t, l not in t of ((x_ij > x_lj) + (x_ij = x_lj) / 2) / (n_t (n - n_t)).}
#' The markers of t are the ten features of largest AUC, at least 0.6, that may be selected.
#'
#' With a number of `candidates` the panel is searched among the best so many features of every type
#' by AUC, as many by pairwise t (the smallest mean over the other types of the rank by Welch's t of
#' t against each of them), and those in `include`. Both are options and no default: they help types
#' of few samples, but markers taken in turn from the types tell these better on one of two sets,
#' and with many types as well (`vignette("imaging-panel")`).
#'
#' @section Search:
#' Whether any panel obeys the rules is decided before anything is selected, and exactly, by a
#' branch and bound over the numbers of features from each class of members of the same sets. Rules
#' that no panel obeys are refused, and those that clash are named: a minimal list, so that without
#' any one of them some panel obeys the others.
#'
#' Forward selection, exchanges of single features, and restarts with some features replaced stay
#' among the panels that obey the rules. So the result always obeys them, and is usually, not
#' provably, the best such panel. Other solvers are refused, and so are [groups] of several
#' features. The certificate of [fspca()] ignores the rules: no panel of k features carries more,
#' whether it obeys them or not. With rules [css()] and [cdlsr()] give no sets of smaller sizes, and
#' the ridge of `cdlsr(ridge = "cv")` is chosen without them. [alternatives()] tells the roles of
#' features among the panels that obey the rules.
#'
#' @param cost A number of at least 0 for each feature, in the order of the columns or named by
#'   the features: probes, or mean expression. `NULL`: none.
#' @param budget The largest total cost of a panel.
#' @param sets A list of sets of features, by name or column, such as markers by cell type or
#'   pathways. The names of the list name the rules.
#' @param at_least,at_most The smallest and largest number of members of a set in a panel: one
#'   number for all sets, one for each, or numbers named by set; sets not named have no rule. The
#'   markers of `types` are further sets, named by type.
#' @param in_batches The smallest number of levels of the `block` in which each feature varies;
#'   the fit then needs a `block` and samples. 0: no rule.
#' @param near A panel to stay near to: names or columns of features, or a fit that selects a
#'   number of features. `NULL`: none.
#' @param swaps The largest number of its features that may leave it.
#' @param types The type of each sample (held in memory), a factor or text, or for an experiment the
#'   name of a column of `colData(x)`. `NULL`: none.
#' @param candidates The features that may be selected: one number for the best so many of every
#'   type, of `types` or else of the classes y, or names or columns. `NULL`: all.
#' @return An object of class `panel_rules`, a list of the arguments.
#' @section Errors:
#' Of class `rowsparse_error_rules`: rules that no panel obeys, or that need what the data or the
#' method do not have.
#' @examples
#' # a probe design: 12 genes, two markers at least of each type, at most 30 probes
#' set.seed(1)
#' type <- rep(c("T", "B", "NK"), each = 30)
#' x <- matrix(rpois(90 * 30, 1), 90, dimnames = list(NULL, paste0("g", 1:30)))
#' markers <- list(T = paste0("g", 1:6), B = paste0("g", 7:12), NK = paste0("g", 13:18))
#' for (name in names(markers)) {
#'   own <- markers[[name]]
#'   x[type == name, own] <- x[type == name, own] + rpois(30 * 6, 3)
#' }
#' x <- log1p(x)
#' probes <- setNames(sample(1:5, 30, replace = TRUE), colnames(x))
#' rules <- panel_rules(cost = probes, budget = 30, sets = markers, at_least = 2)
#' rules
#' fit <- fspca(x, k = 12, m = 3, rules = rules)
#' sum(probes[selected(fit)])
#' sapply(markers, function(own) sum(selected(fit) %in% own))
#'
#' # two markers at least of each type, as the data tell them
#' fit <- alignment(x, type, k = 8, rules = panel_rules(types = type, at_least = 2))
#' head(as.data.frame(fit), 8)
#'
#' # at most two exchanges from a panel at hand
#' near <- fspca(x, k = 6, m = 3, rules = panel_rules(near = paste0("g", 1:6), swaps = 2))
#' near$exchanges
#'
#' # rules that clash are named
#' try(fspca(x, k = 5, m = 3, rules = rules))
#' @export
panel_rules <- function(cost = NULL, budget = Inf, sets = list(), at_least = 0, at_most = Inf,
                        in_batches = 0, near = NULL, swaps = Inf, types = NULL,
                        candidates = NULL) {
  if (!is.null(cost)) {
    cost <- stats::setNames(check_numbers(cost, "cost", lower = 0), names(cost))
    check_distinct(names(cost), "cost", "a different name for each feature, or none")
  }
  if (!identical(budget, Inf)) budget <- check_number(budget, "budget", 0)
  refuse_if(is.finite(budget) && is.null(cost),
    "rules", "budget", "must be Inf without `cost`", describe(budget))
  sets <- check_member_sets(sets)
  if (inherits(near, "rowsparse")) near <- feature_labels(near, selected_index(near, NULL))
  if (!is.null(near)) near <- check_feature_vector(near, "near")
  if (!identical(swaps, Inf)) swaps <- check_count(swaps, "swaps", 0L)
  refuse_if(is.null(near) && is.finite(swaps),
    "rules", "swaps", "must be Inf without `near`", swaps)
  if (!is.null(candidates)) candidates <- check_feature_vector(candidates, "candidates")
  rules <- structure(list(
    cost = cost, budget = budget, sets = sets, at_least = at_least, at_most = at_most,
    in_batches = check_count(in_batches, "in_batches", 0L), near = near, swaps = swaps,
    types = types, candidates = candidates
  ), class = "panel_rules")
  # a name stands for a column of the samples, which are yet to come
  if (is_text(types)) rules else with_types(rules, types)
}

# The rules with the type of each sample, and a number for each set and type
with_types <- function(rules, types) {
  if (!is.null(types)) types <- used_levels(types, length(types), "types")
  rules["types"] <- list(types)
  known <- c(names(rules$sets), levels(types))
  check_distinct(known, "sets", "other names than the types")
  rules$at_least <- numbers_by_set(rules$at_least, "at_least", known, 0)
  rules$at_most <- numbers_by_set(rules$at_most, "at_most", known, Inf)
  above <- known[rules$at_least > rules$at_most]
  refuse_if(length(above) > 0L,
    "rules", "at_least", paste("must not be above `at_most`, as it is for", quoted(above[1])))
  rules
}

# The rules of the samples of x, or of some `rows` of n; rules without types as they are
rules_of_samples <- function(rules, x, rows = NULL, n = length(rules$types)) {
  typed <- inherits(rules, "panel_rules") && !is.null(rules$types)
  if (typed && is_text(rules$types)) {
    rules <- with_types(rules, sample_column(x, rules$types, "types"))
  }
  if (typed && !is.null(rows)) {
    check_response_length(rules$types, n, "types")
    rules$types <- droplevels(rules$types[rows])
  }
  rules
}

# names that some things have must tell them apart
check_distinct <- function(names, argument, rule) {
  refuse_if(anyNA(names) || !all(nzchar(names)) || anyDuplicated(names) > 0L,
    "names", argument, paste("must have", rule))
}

check_member_sets <- function(sets) {
  refuse_if(!is.list(sets) || is.data.frame(sets),
    "type", "sets", "must be a list of sets of features, by name or column", describe(sets))
  if (is.null(names(sets))) names(sets) <- sprintf("set %d", seq_along(sets))
  check_distinct(names(sets), "sets", "a different name for each set, or none at all")
  lapply(sets, function(own) if (length(own) > 0L) check_feature_vector(unique(own), "sets"))
}

# one whole number a set, the `usual` one for sets without
numbers_by_set <- function(value, argument, sets, usual) {
  whole <- is_plain_numeric(value) && !anyNA(value) && all(value >= 0 & value == floor(value))
  refuse_if(!whole || (usual == 0 && any(is.infinite(value))),
    "range", argument, "must be whole numbers of at least 0", describe(value))
  out <- stats::setNames(rep(usual, length(sets)), sets)
  if (!is.null(names(value))) {
    out[feature_columns(names(value), argument, 0L, sets, what = "names of sets or types")] <- value
    return(out)
  }
  refuse_if(length(sets) == 0L && any(value != usual),
    "rules", argument, sprintf("must be %g without `sets`", usual), describe(value))
  refuse_if(!length(value) %in% c(1L, length(sets)), "length", argument,
    sprintf("must be one number, or one for each of the %d sets", length(sets)), length(value))
  out[] <- value
  out
}

# What rules limit: a row for each of them with its value, the value that limits nothing, and words
limits_of <- function(rules) {
  sets <- vapply(names(rules$sets), quoted, "")
  count <- length(sets)
  data.frame(
    kind = rep(c("budget", "in_batches", "at_least", "at_most"), c(1L, 1L, count, count)),
    value = c(rules$budget, rules$in_batches, rules$at_least, rules$at_most),
    free = rep(c(Inf, 0, 0, Inf), c(1L, 1L, count, count)),
    words = c(
      sprintf("the budget of %g", rules$budget), sprintf("in_batches = %d", rules$in_batches),
      sprintf("at least %g of %s", rules$at_least, sets),
      sprintf("at most %g of %s", rules$at_most, sets)
    )
  )
}

#' @rdname panel_rules
#' @param x,... For `print()`: the rules; unused.
#' @export
print.panel_rules <- function(x, ...) {
  if (is_text(x$types)) { # a column, of whose types only those with numbers of their own are known
    named <- setdiff(names(c(x$at_least, x$at_most)), names(x$sets))
    x <- with_types(x, c(named, paste("each type of", x$types)))
  }
  x$sets[levels(x$types)] <- list(integer())
  for (name in c("at_least", "at_most")) x[[name]] <- x[[name]][names(x$sets)]
  limits <- limits_of(x)
  lines <- c(
    limits$words[limits$value != limits$free],
    if (!is.null(x$near)) sprintf("at most %g of a panel of %d leave it", x$swaps, length(x$near)),
    sprintf("among the best %d markers of every type", if (is_number(x$candidates)) x$candidates),
    if (length(x$candidates) > 1L) sprintf("among %d candidates", length(x$candidates))
  )
  cat("Rules of a panel:", if (length(lines) == 0L) " none" else paste0("\n  ", lines), "\n",
    sep = ""
  )
  invisible(x)
}

# ---- rules of data ---------------------------------------------------------------

is_ruled <- function(data) !is.null(data$rules)

# are the sets those of the search over groups, of whole groups or of single features within rules?
searches_groups <- function(data) is_ruled(data) || is_grouped(data)

# Data with the rules of panels of k features, if these rule out any. `y`: classes that may serve as
# types; `panel`: one to be checked
add_rules <- function(data, rules, k, y = NULL, panel = NULL) {
  if (is.null(rules)) {
    return(data)
  }
  refuse_if(!inherits(rules, "panel_rules"),
    "type", "rules", "must be made by panel_rules()", describe(rules))
  whole <- view_of(data)
  columns <- function(own, argument) feature_columns(own, argument, whole$d, whole$names)
  asked <- rules
  usable <- usable_features(data)
  support <- levels_with_variance(data, rules$in_batches)
  found <- with_markers(rules, data, usable & support >= rules$in_batches, y)
  rules <- found$rules
  near <- if (!is.null(rules$near)) columns(rules$near, "near")
  rules <- with_near_set(rules, near, k)
  limits <- limits_of(rules)
  if (all(limits$value == limits$free) && is.null(near) && all(found$allowed)) {
    return(data)
  }
  refuse_if(is_grouped(data),
    "rules", "rules", "must be left out with `groups` of several features")
  problem <- list(
    k = as.integer(k), cost = costs_of_features(rules$cost, data), usable = usable & found$allowed,
    members = lapply(rules$sets, function(own) {
      seq_len(data$d) %in% inner_index(if (length(own) > 0L) columns(own, "sets"), data)
    }),
    support = support, locked = as.integer(data$locked)
  )
  refuse_if(sum(problem$usable) < k && sum(usable) >= k, "rules", "candidates",
    sprintf("must leave k = %d features that may be selected", k), sum(problem$usable))
  if (!is.null(panel)) check_within(panel, problem, limits, data)
  if (!has_panel(problem, limits)) stop_clash(problem, limits, data)
  data$rules <- c(core_rules(problem, limits), list(asked = asked))
  # the search notes here what the panel is worth
  if (!is.null(near)) {
    own <- inner_index(near, data)
    data$rules$near <- list2env(list(columns = near, own = own, share = NA_real_))
  }
  data
}

# the set of the panel that is to stay, as a further one of the sets
with_near_set <- function(rules, near, k) {
  least <- min(k, length(near)) - rules$swaps
  if (is.null(near) || least <= 0) {
    return(rules)
  }
  name <- utils::tail(make.unique(c(names(rules$sets), "near")), 1)
  rules$sets[[name]] <- near
  rules$at_least[[name]] <- least
  rules$at_most[[name]] <- Inf
  rules
}

# Costs of the features that are left; 0 if there are none
costs_of_features <- function(cost, data) {
  whole <- view_of(data)
  if (is.null(cost)) {
    return(numeric(data$d))
  }
  if (!is.null(names(cost)) && !is.null(whole$names)) cost <- cost[match(whole$names, names(cost))]
  refuse_if(length(cost) != whole$d || anyNA(cost), "rules", "cost",
    sprintf("must have a number for every feature (%.0f)", whole$d), sum(!is.na(cost)))
  unname(cost[whole$kept])
}

# As the core reads them. A feature is barred if it is not usable or varies in too few levels,
# unless it is locked in. Features of the same sets form a class.
core_rules <- function(problem, limits, locked = problem$locked) {
  limit <- function(kind) limits$value[limits$kind == kind]
  pattern <- do.call(paste0, c(list(character(length(problem$cost))),
    lapply(problem$members, as.integer)
  ))
  kinds <- unique(pattern)
  first <- match(kinds, pattern)
  barred <- replace(!problem$usable | problem$support < limit("in_batches"), locked, FALSE)
  list(
    k = problem$k, of = match(pattern, kinds), classes = length(kinds),
    `in` = as.logical(unlist(lapply(problem$members, function(own) own[first]))),
    least = as.integer(limit("at_least")), most = as.integer(pmin(limit("at_most"), problem$k)),
    cost = as.double(problem$cost), budget = limit("budget"), barred = barred
  )
}

has_panel <- function(problem, limits, locked = problem$locked) {
  length(locked) <= problem$k && .Call(C_rules, core_rules(problem, limits, locked), locked)
}

# Rules that no panel obeys are named: each is left out, and stays out if the others still clash
stop_clash <- function(problem, limits, data) {
  named <- character()
  for (at in which(limits$value != limits$free)) {
    without <- limits
    without$value[at] <- limits$free[at]
    if (has_panel(problem, without)) named <- c(named, limits$words[at]) else limits <- without
  }
  needed <- problem$locked
  for (j in needed) {
    if (!has_panel(problem, limits, setdiff(needed, j))) needed <- setdiff(needed, j)
  }
  if (length(needed) > 0L && has_panel(problem, limits, integer())) {
    named <- c(named, sprintf("the features in `include` (%s)", labels_of(needed, data)))
  }
  stop_rowsparse("rules", "rules",
    sprintf("must leave a panel of k = %d features, of the %d that may be selected here",
      problem$k, sum(problem$usable)
    ),
    sprintf(if (length(named) == 1L) "%s, which none obeys" else "rules that clash: %s",
      toString(named)
    )
  )
}

# "a, b" of inner columns
labels_of <- function(columns, data) {
  label <- feature_labels(list(feature_names = view_of(data)$names), outer_index(columns, data))
  if (length(label) == 0L) "none" else toString(label)
}

# A panel that breaks a rule is refused, by the first one with the features that it is about
check_within <- function(panel, problem, limits, data) {
  free <- setdiff(panel, problem$locked)
  about <- c(
    list(panel, free[problem$support[free] < limits$value[2]]),
    rep(lapply(problem$members, function(own) panel[own[panel]]), 2)
  )
  number <- c(sum(problem$cost[panel]), -length(about[[2]]), lengths(about[-(1:2)]))
  free <- free[!problem$usable[free]]
  refuse_if(length(free) > 0L,
    "rules", "selected", "must hold features that vary, among the `candidates`",
    labels_of(free, data))
  bound <- c(limits$value[1] * (1 + 1e-12), 0, limits$value[-(1:2)])
  at <- which(ifelse(limits$free == 0, number < bound, number > bound))[1]
  refuse_if(!is.na(at), "rules", "selected", sprintf("must obey the rules: %s", limits$words[at]),
    sprintf("%g, by %s", abs(number[at]), labels_of(about[[at]], data)))
}

# ---- sets within rules, for alternatives() ---------------------------------------

# The rules that a set of inner columns and all others must obey, or NULL: as the core reads them,
# with all features barred that no such set holds, and `decided`: these, and those of all sets
ruled_sets <- function(data, set, request, x) {
  rules <- request$given[["rules"]]
  refuse_if(!is.null(rules) && !is.null(request$groups),
    "rules", "rules", "must be left out with `groups` of several features")
  y <- sample_column(x, request$y, "y")
  rules <- add_rules(data, rules_of_samples(rules, x), length(set), y, set)$rules
  if (is.null(rules)) {
    return(NULL)
  }
  locked <- as.integer(data$locked)
  possible <- function(barred, own = locked) {
    rules$barred <- barred
    .Call(C_rules, rules, own)
  }
  barred <- rules$barred
  open <- setdiff(order(-rules$cost), c(which(barred), set)) # the dearest first
  for (own in split(open, rules$of[open])) {
    for (j in own) if (possible(barred, c(locked, j))) break else rules$barred[j] <- TRUE
  }
  needed <- vapply(set, function(j) !possible(replace(barred, j, TRUE)), NA)
  rules$decided <- setdiff(c(which(rules$barred), set[needed]), locked)
  rules["near"] <- NULL
  rules
}

# do these sets (columns) obey the rules?
obey_the <- function(rules, sets) {
  if (is.null(rules)) {
    return(rep(TRUE, ncol(sets)))
  }
  number <- function(value) colSums(matrix(value[sets], nrow(sets)))
  inside <- matrix(rules[["in"]], rules$classes)[rules$of, , drop = FALSE]
  obeys <- number(rules$barred) == 0 & number(rules$cost) <= rules$budget * (1 + 1e-12)
  for (s in seq_along(rules$least)) {
    own <- number(inside[, s])
    obeys <- obeys & own >= rules$least[s] & own <= rules$most[s]
  }
  obeys
}

# May each of d features (row) take the place of the member (column) of a set?
exchanges_within <- function(rules, set, d) {
  vapply(seq_along(set), function(i) {
    sets <- matrix(set, length(set), d)
    sets[i, ] <- seq_len(d)
    obey_the(rules, sets)
  }, logical(d))
}

# the rules of the sets without these members, that all of them have
rules_beside <- function(rules, lost, data) {
  if (is.null(rules)) {
    return(NULL)
  }
  inside <- matrix(rules[["in"]], rules$classes)[rules$of[lost], , drop = FALSE]
  rules$least <- as.integer(pmax(rules$least - colSums(inside), 0))
  rules$most <- as.integer(rules$most - colSums(inside))
  rules$budget <- rules$budget - sum(rules$cost[lost])
  rules$k <- rules$k - length(lost)
  rules$barred <- replace(rules$barred | data$constant, lost, TRUE)
  rules
}

# a good set within the rules, in a tenth of the time
start_within <- function(rules, data, value, k, left, ...) {
  data$rules <- rules
  search_groups(data, inner_groups(data), value, k, ..., seconds = left() / 10)$sets[[k]]
}

# Number of levels of the block in which each feature varies, if `least` are asked for
levels_with_variance <- function(data, least) {
  if (least == 0L) {
    return(integer(data$d))
  }
  refuse_if(is.null(data$block), "rules", "in_batches", "must be 0 without `block`", least)
  refuse_if(data$kind == "moments",
    "rules", "in_batches", "must be 0 with moments, which do not hold the samples", least)
  start <- if (data$kind == "blocks") data$start else c(0L, data$n)
  together <- list()
  for (number in seq_len(length(start) - 1L)) {
    rows <- if (data$kind == "blocks") data[["read"]](number) else input_matrix(data)
    code <- data$block$code[start[number] + seq_len(nrow(rows))]
    for (level in as.character(unique(code))) {
      part <- piece_moments(raw_rows(rows[code == level, , drop = FALSE], NULL))$summary
      known <- together[[level]]
      together[[level]] <- if (is.null(known)) part else merge_means(known, part)$sum
    }
  }
  varies <- vapply(together, function(own) {
    rounding <- 8 * .Machine$double.eps * abs(own$mean)
    sqrt(own[["square"]] / max(1, own$n - 1)) > rounding
  }, logical(data$d))
  rowSums(matrix(varies, data$d))
}

# ---- near a panel ---------------------------------------------------------------

# What was found, or the panel that was to stay near if that obeys the rules and is better. Notes
# its value as a share of the better one: that of a search that may take nothing else.
beside_near <- function(found, data, groups, response, settings) {
  near <- groups$rules[["near"]]
  own <- near$own
  if (is.null(near) || anyNA(own) || any(groups$barred[own])) {
    return(found)
  }
  free <- groups
  free$rules <- NULL
  free$barred[-own] <- TRUE
  free$include <- integer()
  alone <- utils::modifyList(settings, list(
    k = length(own), exchange = FALSE, sizes = FALSE, perturb = 0L, exact = FALSE
  ))
  if (!is.null(settings[["m"]])) alone$m <- min(settings$m, length(own))
  alone$starts <- matrix(0L, alone$k, 0)
  alone <- find_units(data, response, free, alone)
  # cross-products do not show how much nearly dependent features explain: a regression does
  value_of <- function(found) {
    if (settings$value != "lsq") {
      return(found$end_values[found$best])
    }
    fit <- found$by_regression[[length(found$by_regression)]]
    # sums hide what features explain that they take for dependent ones
    hidden <- data$kind == "moments" && length(fit$selected) < length(fit$members)
    if (hidden) NA_real_ else found$total - fit$objective
  }
  values <- c(value_of(alone), value_of(found))
  obeys <- length(own) == settings$k && all(groups$include %in% own) &&
    .Call(C_rules, groups$rules, own)
  if (obeys && isTRUE(values[1] > values[2])) found <- alone
  near$share <- values[1] / if (obeys) max(values) else values[2]
  found
}

# what left and came of a fit near a panel, as ?panel_rules has it
exchanges_of <- function(selected, data) {
  near <- data$rules[["near"]]
  now <- outer_index(selected, data)
  label <- function(columns) feature_labels(list(feature_names = view_of(data)$names), columns)
  left <- setdiff(near$columns, now)
  came <- setdiff(now, near$columns)
  rows <- seq_len(max(length(left), length(came)))
  structure(data.frame(left = label(left)[rows], came = label(came)[rows]), share = near$share)
}

near_line <- function(fit) {
  share <- attr(fit$exchanges, "share")
  sprintf("%s from the given panel%s", count_of(nrow(fit$exchanges), "exchange"),
    if (is.na(share)) "" else sprintf(", which reaches %s of the value", reach_words(1 - share))
  )
}
