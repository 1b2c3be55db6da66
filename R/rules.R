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
#' and if every feature of J varies (counts:
#' is expressed) among the samples of at least `in_batches` levels of the factor `block` of the
#' fit. A feature may be a member of several sets, or of none. Features in `include` count like
#' all others, but are kept in whatever batches they vary; features in `exclude` and constant
#' features count for no set.
#'
#' A limit on single features is also a set: the features above it, with `at_most` 0.
#'
#' @section Few exchanges:
#' With `near`, a panel P of any source, and s `swaps`, the panel J has
#' \deqn{|J \cap P| \ge \min(k, |P|) - s:}{|J and P| >= min(k, |P|) - s:}
#' a panel already ordered is made better by at most s exchanges. P itself need not obey the other
#' rules; if it does, the result is at least as good as P. The fit has an element `exchanges`, a
#' data frame of the features that `left` P and those that `came`, side by side in no particular
#' pairing; its attribute `share` is the value of P (what it carries or explains, or its alignment)
#' as a share of that of J.
#'
#' @section Consistency:
#' Whether any panel obeys the rules is decided before anything is selected, and exactly: features
#' that are members of the same sets form a class, and within a class the cheapest come first. If
#' any two sets are disjoint or nested, every set takes its cheapest features up to its minimum,
#' smaller sets before larger ones. For other overlaps a branch and bound over the number of
#' features from each class decides, with bounds by Lagrange multipliers. Rules that no panel
#' obeys are refused, and the conflicting rules are named: a minimal list, so that without any one
#' of them some panel obeys the others.
#'
#' @section Search:
#' Forward selection adds the best feature with which the panel can still be completed, by the
#' same check. Exchanges of single features, and restarts with some features replaced, stay among
#' the panels that obey the rules. So the result always obeys the rules, and is usually, not
#' provably, the best such panel. Other solvers are refused: `"go"`, `"ipu"` and `"exact"` of
#' [fspca()], `"cd"` and `"exact"` of [cdlsr()], `"exact"` of [css()]. The certificate of
#' [fspca()] ignores the rules: no panel of k features carries more, whether it obeys them or not.
#' Rules hold for panels of exactly k features: with them [css()] and [cdlsr()] give no sets of
#' smaller sizes, and the ridge of `cdlsr(ridge = "cv")` is chosen without them. Rules are refused
#' with [groups] of several features.
#'
#' Rules that exclude nothing (`panel_rules()`, or a cost without a budget) have no effect. `near`
#' always has one: the search is that within rules, and tells the `exchanges`.
#'
#' @param cost A number of at least 0 for each feature, in the order of the columns or named by
#'   the features: probes, or mean expression. `NULL`: none.
#' @param budget The largest total cost of a panel.
#' @param sets A list of sets of features, by name or column, such as markers by cell type or
#'   pathways. The names of the list name the rules.
#' @param at_least,at_most The smallest and largest number of members of a set in a panel: one
#'   number for all sets, one for each, or numbers named by set; sets not named have no rule.
#' @param in_batches The smallest number of levels of the `block` in which each feature varies;
#'   the fit then needs a `block` and samples. 0: no rule.
#' @param near A panel to stay near to: names or columns of features, or a fit that selects a
#'   number of features. `NULL`: none.
#' @param swaps The largest number of its features that may leave it.
#' @return An object of class `panel_rules`, a list of the arguments.
#' @section Errors:
#' Of class `rowsparse_error_rules`: rules that no panel obeys, a budget without costs, costs or
#' members that are not those of the data, `in_batches` without a `block` or with moments, rules
#' with groups or with a solver that does not take them. Values of the wrong type raise the same
#' errors as for other arguments.
#' @seealso [groups] for whole groups of features.
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
#' # no gene of mean expression above 1.2, as for optical crowding
#' bright <- list(bright = names(which(colMeans(x) > 1.2)))
#' selected(css(x, k = 6, m = 3, rules = panel_rules(sets = bright, at_most = 0)))
#'
#' # only genes that are expressed in both batches: the first one is not
#' batch <- rep(c("a", "b"), 45)
#' x[batch == "b", "g1"] <- 0
#' both <- fspca(x, k = 6, m = 3, rules = panel_rules(in_batches = 2), block = batch)
#' "g1" %in% selected(both)
#'
#' # at most two exchanges from a panel at hand
#' near <- fspca(x, k = 6, m = 3, rules = panel_rules(near = paste0("g", 1:6), swaps = 2))
#' near$exchanges
#'
#' # rules that clash are named
#' try(fspca(x, k = 5, m = 3, rules = rules))
#' @export
panel_rules <- function(cost = NULL, budget = Inf, sets = list(), at_least = 0, at_most = Inf,
                        in_batches = 0, near = NULL, swaps = Inf) {
  if (!is.null(cost)) cost <- check_costs(cost)
  if (!identical(budget, Inf)) budget <- check_number(budget, "budget", 0)
  if (is.finite(budget) && is.null(cost)) {
    stop_rules("budget", "must be Inf without `cost`", describe(budget))
  }
  sets <- check_member_sets(sets)
  at_least <- numbers_by_set(at_least, "at_least", names(sets), 0)
  at_most <- numbers_by_set(at_most, "at_most", names(sets), Inf)
  above <- which(at_least > at_most)
  if (length(above) > 0) {
    stop_rules("at_least", sprintf("must not be above `at_most`, as it is for %s",
      quoted(names(sets)[above[1]])
    ), sprintf("%g and %g", at_least[above[1]], at_most[above[1]]))
  }
  in_batches <- check_count(in_batches, "in_batches", 0L, .Machine$integer.max)
  near <- check_near(near)
  if (!identical(swaps, Inf)) swaps <- check_count(swaps, "swaps", 0L)
  if (is.null(near) && is.finite(swaps)) stop_rules("swaps", "must be Inf without `near`", swaps)
  structure(list(
    cost = cost, budget = budget, sets = sets, at_least = at_least, at_most = at_most,
    in_batches = in_batches, near = near, swaps = swaps
  ), class = "panel_rules")
}

# names or columns of the features of a panel
check_near <- function(near) {
  if (is.null(near)) {
    return(NULL)
  }
  if (inherits(near, "rowsparse")) near <- feature_labels(near, selected_index(near, NULL))
  check_feature_vector(if (is.factor(near)) as.character(near) else near, "near")
}

stop_rules <- function(argument, rule, got = NULL, way_out = NULL) {
  stop_rowsparse("rules", argument, rule, got, way_out)
}

check_costs <- function(cost) {
  names <- names(cost)
  cost <- check_numbers(cost, "cost", lower = 0)
  if (!is.null(names) && (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names))) {
    stop_rowsparse("names", "cost", "must have a different name for each feature, or none")
  }
  stats::setNames(as.double(cost), names)
}

check_member_sets <- function(sets) {
  if (!is.list(sets) || is.data.frame(sets)) {
    stop_rowsparse("type", "sets", "must be a list of sets of features, by name or column",
      describe(sets)
    )
  }
  if (is.null(names(sets))) names(sets) <- sprintf("set %d", seq_along(sets))
  label <- names(sets)
  if (anyNA(label) || !all(nzchar(label)) || anyDuplicated(label)) {
    stop_rowsparse("names", "sets", "must have a different name for each set, or none at all")
  }
  lapply(sets, function(members) {
    if (is.factor(members)) members <- as.character(members)
    named <- is.character(members) && !anyNA(members)
    if (!named && !(is_whole(members) && all(members >= 1)) && length(members) > 0L) {
      stop_rowsparse("type", "sets", "must hold names of features, or columns from 1 on",
        describe(members)
      )
    }
    unique(if (named) members else as.integer(members))
  })
}

# one whole number a set
numbers_by_set <- function(value, argument, sets, usual) {
  names <- names(value)
  if (is.numeric(value) && length(value) == 0L && length(sets) == 0L) {
    return(numeric())
  }
  whole <- is.numeric(value) && is.null(dim(value)) && length(value) > 0L && !anyNA(value) &&
    all(value >= 0 & (value == floor(value)))
  if (!whole || (argument == "at_least" && any(is.infinite(value)))) {
    stop_rowsparse("range", argument, "must be whole numbers of at least 0", describe(value))
  }
  if (!is.null(names)) {
    lost <- setdiff(names, sets)
    if (length(lost) > 0L || anyDuplicated(names)) {
      stop_rowsparse("names", argument, "must be named by different ones of the `sets`",
        quoted(c(lost, names[duplicated(names)])[1]), did_you_mean(c(lost, names)[1], sets)
      )
    }
    out <- stats::setNames(rep(usual, length(sets)), sets)
    out[names] <- value
    return(out)
  }
  if (length(sets) == 0L && any(value != usual)) {
    stop_rules(argument, sprintf("must be %g without `sets`", usual), describe(value))
  }
  if (length(value) != 1L && length(value) != length(sets)) {
    stop_rowsparse("length", argument,
      sprintf("must be one number, or one for each of the %d sets", length(sets)), length(value)
    )
  }
  stats::setNames(rep_len(as.double(value), length(sets)), sets)
}

#' @rdname panel_rules
#' @param x,... For `print()`: the rules; unused.
#' @export
print.panel_rules <- function(x, ...) {
  x <- check_rules(x, "x")
  lines <- c(
    if (is.finite(x$budget)) {
      sprintf("cost at most %s (%s with a cost, %s the median)", format(x$budget, digits = 6),
        count_of(length(x$cost), "feature"), format(stats::median(x$cost), digits = 4)
      )
    },
    Map(function(name, members, least, most) {
      range <- c(
        if (least > 0) sprintf("at least %g", least),
        if (is.finite(most)) sprintf("at most %g", most)
      )
      if (length(range) > 0L) {
        sprintf("%s of %s (%s)", paste(range, collapse = " and "), short_labels(name),
          count_of(length(members), "feature")
        )
      }
    }, names(x$sets), x$sets, x$at_least, x$at_most),
    if (x$in_batches > 0) sprintf("each varies in at least %d levels of `block`", x$in_batches),
    if (!is.null(x$near)) {
      sprintf("at most %g of a panel of %d leave it", x$swaps, length(x$near))
    }
  )
  lines <- unlist(lines)
  if (length(lines) == 0L) {
    cat("Rules of a panel: none\n")
  } else {
    cat("Rules of a panel:\n")
    cat(paste0("  ", lines), sep = "\n")
  }
  invisible(x)
}

# what a caller hands over as rules, made anew from its parts
check_rules <- function(rules, argument = "rules") {
  parts <- names(formals(panel_rules))
  if (!inherits(rules, "panel_rules") || !is.list(rules) || !setequal(names(rules), parts)) {
    stop_rowsparse("type", argument, "must be made by panel_rules()", describe(rules))
  }
  do.call(panel_rules, unclass(rules)[parts])
}

# ---- rules of data ---------------------------------------------------------------

is_ruled <- function(data) !is.null(data$rules)

# are the sets those of the search over groups, of whole groups or of single features within rules?
searches_groups <- function(data) is_ruled(data) || is_grouped(data)

# Data with the rules that panels of k features must obey, where these rule out any. `usable`:
# which features may be taken
add_rules <- function(data, rules, k, usable = !data$constant) {
  if (is.null(rules)) {
    return(data)
  }
  rules <- check_rules(rules)
  bound <- is.finite(rules$budget) || any(rules$at_least > 0) || any(is.finite(rules$at_most)) ||
    rules$in_batches > 0 || !is.null(rules$near)
  if (!bound) {
    return(data)
  }
  if (is_grouped(data)) {
    stop_rules("rules", "must be left out with `groups` of several features")
  }
  whole <- view_of(data)
  cost <- cost_of_features(rules$cost, whole)[whole$kept]
  near <- if (!is.null(rules$near)) columns_of_rule(rules$near, "near", whole)
  rules <- with_near_set(rules, near, k)
  members <- lapply(rules$sets, function(own) {
    seq_len(data$d) %in% inner_index(columns_of_rule(own, "sets", whole), data)
  })
  usable[data$locked] <- TRUE
  problem <- list(
    k = as.integer(k), cost = if (is.null(cost)) numeric(data$d) else cost,
    budget = rules$budget, members = members, at_least = rules$at_least,
    at_most = rules$at_most, usable = usable, in_batches = rules$in_batches,
    supported = supported_features(data, rules$in_batches), locked = as.integer(data$locked)
  )
  check_consistent(problem)
  data$rules <- core_rules(problem)
  # the search notes here what the panel is worth
  if (!is.null(near)) {
    own <- inner_index(near, data)
    data$rules$near <- list2env(list(columns = near, own = own, share = NA_real_))
  }
  data
}

# columns of the whole, given by name or number
columns_of_rule <- function(own, argument, whole) {
  if (is.character(own)) {
    return(named_columns(own, argument, whole$names))
  }
  if (any(own > whole$d)) {
    stop_rules(argument, sprintf("must hold columns from 1 to %.0f", whole$d), max(own))
  }
  own
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

# costs of all features, or NULL
cost_of_features <- function(cost, whole) {
  if (is.null(cost)) {
    return(NULL)
  }
  if (!is.null(names(cost)) && !is.null(whole$names)) {
    at <- match(whole$names, names(cost))
    if (anyNA(at)) {
      stop_rules("cost", "must have a number for every feature",
        sprintf("none for %s", column_label(whole$names, which(is.na(at))[1]))
      )
    }
    return(unname(cost[at]))
  }
  if (length(cost) != whole$d) {
    stop_rules("cost", sprintf("must have a number for every feature (%.0f)", whole$d),
      length(cost)
    )
  }
  unname(cost)
}

# As the core reads them; a feature is barred where it is not usable or supported, unless it
# is locked in
core_rules <- function(problem) {
  d <- length(problem$cost)
  pattern <- if (length(problem$members) > 0L) {
    do.call(paste0, lapply(problem$members, as.integer))
  } else {
    rep("", d)
  }
  kinds <- unique(pattern)
  first <- match(kinds, pattern)
  barred <- !(problem$usable & problem$supported)
  barred[problem$locked] <- FALSE
  list(
    k = problem$k, of = match(pattern, kinds), classes = length(kinds),
    `in` = unlist(lapply(problem$members, function(own) own[first]), use.names = FALSE) == TRUE,
    least = as.integer(problem$at_least), most = as.integer(pmin(problem$at_most, problem$k)),
    cost = as.double(problem$cost), budget = problem$budget, barred = barred
  )
}

has_panel <- function(problem) {
  given <- core_rules(problem)
  length(problem$locked) <= problem$k && .Call(C_rules, given, problem$locked)
}

# Rules that no panel obeys are told by name: each is left out in turn, and stays out where the
# others clash without it
check_consistent <- function(problem) {
  if (has_panel(problem)) {
    return(invisible())
  }
  clash <- problem
  named <- character()
  leave_out <- function(without, words) {
    if (!has_panel(without)) {
      clash <<- without
    } else {
      named <<- c(named, words)
    }
  }
  if (is.finite(clash$budget)) {
    leave_out(replace(clash, "budget", Inf), sprintf("the budget of %g", clash$budget))
  }
  if (clash$in_batches > 0) {
    free <- replace(clash, "supported", list(rep(TRUE, length(clash$cost))))
    leave_out(free, sprintf("in_batches = %d", clash$in_batches))
  }
  for (set in names(clash$members)) {
    if (clash$at_least[[set]] > 0) {
      free <- clash
      free$at_least[[set]] <- 0
      leave_out(free, sprintf("at least %g of %s", clash$at_least[[set]], quoted(set)))
    }
    if (is.finite(clash$at_most[[set]])) {
      free <- clash
      free$at_most[[set]] <- Inf
      leave_out(free, sprintf("at most %g of %s", clash$at_most[[set]], quoted(set)))
    }
  }
  if (length(clash$locked) > 0L) {
    leave_out(replace(clash, "locked", list(integer())), "the features in `include`")
  }
  stop_rules("rules", sprintf(
    "must leave a panel of k = %d features, of the %d that may be selected here", problem$k,
    sum(problem$usable)
  ), if (length(named) == 1L) {
    sprintf("%s, which none obeys", named)
  } else {
    sprintf("rules that clash: %s", paste(named, collapse = ", "))
  })
}

# ---- support in batches -------------------------------------------------------------

# Which features vary within at least so many levels of the block
supported_features <- function(data, levels) {
  if (levels == 0L) {
    return(rep(TRUE, data$d))
  }
  if (is.null(data$block)) {
    stop_rules("in_batches", "must be 0 without `block`", levels)
  }
  if (data$kind == "moments") {
    stop_rules("in_batches", "must be 0 with moments, which do not hold the samples", levels)
  }
  rowSums(varies_within(data)) >= levels
}

# features x levels
varies_within <- function(data) {
  blocks <- if (data$kind == "blocks") seq_len(length(data$start) - 1L) else 1L
  together <- vector("list", length(data$block$levels))
  for (number in blocks) {
    rows <- if (data$kind == "blocks") data[["read"]](number)
    first <- if (data$kind == "blocks") data$start[number] else 0L
    code <- data$block$code[first + seq_len(if (is.null(rows)) data$n else nrow(rows))]
    for (level in unique(code)) {
      part <- level_statistics(data, rows, code == level)
      known <- together[[level]]
      together[[level]] <- if (is.null(known)) part else merge_statistics(known, part)
    }
  }
  vapply(together, function(own) {
    rounding <- 8 * .Machine$double.eps * abs(drop(own$mean))
    sqrt(own[["square"]] / max(1, own$size - 1)) > rounding
  }, logical(data$d))
}

# of some rows of the data, or of a block of them
level_statistics <- function(data, rows, chosen) {
  size <- sum(chosen)
  stats <- if (!is.null(rows)) {
    statistics_of_rows(rows[chosen, , drop = FALSE], size, NULL)
  } else if (data$kind == "dense") {
    .Call(C_column_stats, data$x[chosen, , drop = FALSE], NULL, size, NULL)
  } else {
    own <- chosen[data[["i"]] + 1L]
    column <- rep(seq_len(data$d), diff(data$p))
    .Call(C_column_stats, data$x[own], c(0L, cumsum(tabulate(column[own], data$d))), size, NULL)
  }
  list(
    size = size, square = stats$square, largest = stats$largest, mean = matrix(stats$mean, 1L),
    fine = matrix(stats$fine, 1L)
  )
}

# ---- the search -----------------------------------------------------------------

# single features as groups, with the rules that sets of them obey
ruled_groups <- function(groups, data) {
  if (!is_ruled(data)) {
    return(groups)
  }
  groups$barred <- data$rules$barred
  groups$rules <- data$rules
  groups
}

# What was found, or the panel that was to stay near where that obeys the rules and is better. Notes
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
  settings <- utils::modifyList(settings, list(
    k = length(own), exchange = 0L, sizes = 0L, perturb = 0L, exact = 0L
  ))
  if (!is.null(settings[["m"]])) settings$m <- min(settings$m, length(own))
  alone <- .Call(C_groups, unclass(data), response, free, settings)
  last <- function(found) found$value[length(found$value)]
  obeys <- length(own) == length(found$value) && all(groups$include %in% own) &&
    .Call(C_rules, groups$rules, own)
  if (obeys && last(alone) > last(found)) found <- alone
  near$share <- last(alone) / last(found)
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
  made <- fit[["exchanges"]]
  if (is.null(made)) {
    return(NULL)
  }
  share <- attr(made, "share")
  sprintf("%s from the given panel%s", count_of(nrow(made), "exchange"),
    if (is.na(share)) "" else sprintf(", which reaches %s of the value", reach_words(1 - share))
  )
}

# restarts in a row that lead to no better set: more of small problems, whose sets within
# rules are less connected by exchanges
ruled_perturbations <- function(data) {
  size <- as.double(data$n) * data$d
  if (size <= 1e4) 40L else if (size <= 1e6) 10L else if (size <= 1e7) 2L else 0L
}

# solvers with steps of their own
check_ruled_solver <- function(data, solver, served, starts = NULL) {
  if (!is_ruled(data)) {
    return(invisible())
  }
  if (!solver %in% served) {
    stop_rules("rules", sprintf("are not served by solver = %s, but by %s", quoted(solver),
      paste0("\"", served, "\"", collapse = " and ")
    ))
  }
  if (!is.null(starts)) {
    stop_rowsparse("argument", "starts", "must be left out with `rules`", describe(starts))
  }
}
