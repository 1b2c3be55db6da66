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
#' other rules; if it does, the result is at least as good as P, unless features nearly depend on
#' each other (to 1e-4 and less): the values of both rest on cross-products. The fit has an element
#' `exchanges`, a data frame of the features that `left` P and those that `came`, side by side in
#' no particular pairing; its attribute `share` is the value of P (what it carries or explains, or
#' its alignment) as a share of that of J.
#'
#' @section Search:
#' Whether any panel obeys the rules is decided before anything is selected, and exactly: by the
#' numbers of features from each class of members of the same sets, of which the cheapest come
#' first, and a branch and bound with Lagrange multipliers where sets overlap. Rules that no panel
#' obeys are refused, and the conflicting rules are named: a minimal list, so that without any one
#' of them some panel obeys the others.
#'
#' Forward selection adds the best feature with which the panel can still be completed. Exchanges
#' of single features, and restarts with some features replaced, stay among the panels that obey
#' the rules. So the result always obeys them, and is usually, not provably, the best such panel.
#' Solvers other than forward selection and exchanges are refused, and so are [groups] of several
#' features. The certificate of [fspca()] ignores the rules: no panel of k features carries more,
#' whether it obeys them or not. With rules [css()] and [cdlsr()] give no sets of smaller sizes,
#' and the ridge of `cdlsr(ridge = "cv")` is chosen without them.
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
#' Of class `rowsparse_error_rules`: rules that no panel obeys, or that need what the data or the
#' method do not have; otherwise those of [rowsparse_conditions].
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
#' # at most two exchanges from a panel at hand
#' near <- fspca(x, k = 6, m = 3, rules = panel_rules(near = paste0("g", 1:6), swaps = 2))
#' near$exchanges
#'
#' # rules that clash are named
#' try(fspca(x, k = 5, m = 3, rules = rules))
#' @export
panel_rules <- function(cost = NULL, budget = Inf, sets = list(), at_least = 0, at_most = Inf,
                        in_batches = 0, near = NULL, swaps = Inf) {
  if (!is.null(cost)) {
    cost <- stats::setNames(check_numbers(cost, "cost", lower = 0), names(cost))
    check_distinct(names(cost), "cost", "a different name for each feature, or none")
  }
  if (!identical(budget, Inf)) budget <- check_number(budget, "budget", 0)
  if (is.finite(budget) && is.null(cost)) {
    stop_rules("budget", "must be Inf without `cost`", describe(budget))
  }
  sets <- check_member_sets(sets)
  at_least <- numbers_by_set(at_least, "at_least", names(sets), 0)
  at_most <- numbers_by_set(at_most, "at_most", names(sets), Inf)
  above <- which(at_least > at_most)
  if (length(above) > 0) {
    stop_rules("at_least",
      sprintf("must not be above `at_most`, as it is for %s", quoted(names(sets)[above[1]])),
      sprintf("%g and %g", at_least[above[1]], at_most[above[1]])
    )
  }
  in_batches <- check_count(in_batches, "in_batches", 0L)
  if (inherits(near, "rowsparse")) near <- feature_labels(near, selected_index(near, NULL))
  if (!is.null(near)) near <- check_feature_vector(near, "near")
  if (!identical(swaps, Inf)) swaps <- check_count(swaps, "swaps", 0L)
  if (is.null(near) && is.finite(swaps)) stop_rules("swaps", "must be Inf without `near`", swaps)
  structure(list(
    cost = cost, budget = budget, sets = sets, at_least = at_least, at_most = at_most,
    in_batches = in_batches, near = near, swaps = swaps
  ), class = "panel_rules")
}

stop_rules <- function(argument, rule, got = NULL) stop_rowsparse("rules", argument, rule, got)

# names that some things have must tell them apart
check_distinct <- function(names, argument, rule) {
  if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    stop_rowsparse("names", argument, paste("must have", rule))
  }
}

check_member_sets <- function(sets) {
  if (!is.list(sets) || is.data.frame(sets)) {
    stop_rowsparse("type", "sets", "must be a list of sets of features, by name or column",
      describe(sets)
    )
  }
  if (is.null(names(sets))) names(sets) <- sprintf("set %d", seq_along(sets))
  check_distinct(names(sets), "sets", "a different name for each set, or none at all")
  lapply(sets, function(members) {
    if (is.factor(members)) members <- as.character(members)
    if (length(members) > 0L && !names_features(members)) {
      stop_rowsparse("type", "sets", "must hold names of features, or columns from 1 on",
        describe(members)
      )
    }
    unique(if (is.character(members)) members else as.integer(members))
  })
}

# one whole number a set, the `usual` one for sets without
numbers_by_set <- function(value, argument, sets, usual) {
  whole <- is_plain_numeric(value) && !anyNA(value) && all(value >= 0 & value == floor(value))
  if (!whole || (usual == 0 && any(is.infinite(value)))) {
    stop_rowsparse("range", argument, "must be whole numbers of at least 0", describe(value))
  }
  out <- stats::setNames(rep(usual, length(sets)), sets)
  named <- names(value)
  wrong <- c(setdiff(named, sets), named[duplicated(named)])
  if (length(wrong) > 0L) {
    stop_rowsparse("names", argument, "must be named by different ones of the `sets`",
      quoted(wrong[1]), did_you_mean(wrong[1], sets)
    )
  }
  if (is.null(named) && length(sets) == 0L && any(value != usual)) {
    stop_rules(argument, sprintf("must be %g without `sets`", usual), describe(value))
  }
  if (is.null(named) && !length(value) %in% c(1L, length(sets))) {
    stop_rowsparse("length", argument,
      sprintf("must be one number, or one for each of the %d sets", length(sets)), length(value)
    )
  }
  out[if (is.null(named)) seq_along(sets) else named] <- value
  out
}

#' @rdname panel_rules
#' @param x,... For `print()`: the rules; unused.
#' @export
print.panel_rules <- function(x, ...) {
  members <- Map(function(name, members, least, most) {
    range <- c(
      if (least > 0) sprintf("at least %g", least), if (most < Inf) sprintf("at most %g", most)
    )
    if (length(range) > 0L) {
      sprintf("%s of %s (%s)", paste(range, collapse = " and "), short_labels(name),
        count_of(length(members), "feature")
      )
    }
  }, names(x$sets), x$sets, x$at_least, x$at_most)
  lines <- c(
    if (is.finite(x$budget)) sprintf("cost at most %s", format(x$budget, digits = 6)),
    unlist(members),
    if (x$in_batches > 0) sprintf("each varies in at least %d levels of `block`", x$in_batches),
    if (!is.null(x$near)) {
      sprintf("at most %g of a panel of %d leave it", x$swaps, length(x$near))
    }
  )
  cat("Rules of a panel:", if (length(lines) == 0L) "none" else paste0("\n  ", lines), "\n",
    sep = if (length(lines) == 0L) " " else ""
  )
  invisible(x)
}

# ---- rules of data ---------------------------------------------------------------

is_ruled <- function(data) !is.null(data$rules)

# are the sets those of the search over groups, of whole groups or of single features within rules?
searches_groups <- function(data) is_ruled(data) || is_grouped(data)

# Data with the rules that panels of k features must obey, if these rule out any. `usable`:
# which features may be taken
add_rules <- function(data, rules, k, usable = !data$constant) {
  if (is.null(rules)) {
    return(data)
  }
  if (!inherits(rules, "panel_rules")) {
    stop_rowsparse("type", "rules", "must be made by panel_rules()", describe(rules))
  }
  bound <- is.finite(rules$budget) || any(rules$at_least > 0) || any(is.finite(rules$at_most)) ||
    rules$in_batches > 0 || !is.null(rules$near)
  if (!bound) {
    return(data)
  }
  if (is_grouped(data)) {
    stop_rules("rules", "must be left out with `groups` of several features")
  }
  near <- if (!is.null(rules$near)) columns_of_rule(rules$near, "near", data)
  rules <- with_near_set(rules, near, k)
  usable[data$locked] <- TRUE
  problem <- list(
    k = as.integer(k), cost = costs_of_features(rules$cost, data), budget = rules$budget,
    members = lapply(rules$sets, function(own) {
      seq_len(data$d) %in% inner_index(columns_of_rule(own, "sets", data), data)
    }),
    at_least = rules$at_least, at_most = rules$at_most, usable = usable,
    in_batches = rules$in_batches, supported = supported_features(data, rules$in_batches),
    locked = as.integer(data$locked)
  )
  if (!has_panel(problem)) stop_clash(problem)
  data$rules <- core_rules(problem)
  # the search notes here what the panel is worth
  if (!is.null(near)) {
    own <- inner_index(near, data)
    data$rules$near <- list2env(list(columns = near, own = own, share = NA_real_))
  }
  data
}

# columns of the whole, given by name or number
columns_of_rule <- function(own, argument, data) {
  whole <- view_of(data)
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

# of the features that are left; 0 if there are none
costs_of_features <- function(cost, data) {
  whole <- view_of(data)
  if (is.null(cost)) {
    return(numeric(data$d))
  }
  if (!is.null(names(cost)) && !is.null(whole$names)) {
    cost <- cost[match(whole$names, names(cost))]
  }
  if (length(cost) != whole$d || anyNA(cost)) {
    stop_rules("cost", sprintf("must have a number for every feature (%.0f)", whole$d),
      if (anyNA(cost)) {
        paste("none for", column_label(whole$names, which(is.na(cost))[1]))
      } else {
        length(cost)
      }
    )
  }
  unname(cost[whole$kept])
}

# As the core reads them. A feature is barred if it is not usable or not supported, unless it
# is locked in. Features of the same sets form a class.
core_rules <- function(problem) {
  d <- length(problem$cost)
  pattern <- do.call(paste0, c(list(rep("", d)), lapply(problem$members, as.integer)))
  kinds <- unique(pattern)
  first <- match(kinds, pattern)
  barred <- !(problem$usable & problem$supported)
  barred[problem$locked] <- FALSE
  list(
    k = problem$k, of = match(pattern, kinds), classes = length(kinds),
    `in` = as.logical(unlist(lapply(problem$members, function(own) own[first]))),
    least = as.integer(problem$at_least), most = as.integer(pmin(problem$at_most, problem$k)),
    cost = as.double(problem$cost), budget = problem$budget, barred = barred
  )
}

has_panel <- function(problem) {
  length(problem$locked) <= problem$k && .Call(C_rules, core_rules(problem), problem$locked)
}

# Rules that no panel obeys are told by name: each is left out in turn, and stays out if the
# others clash without it
stop_clash <- function(problem) {
  named <- character()
  leave_out <- function(part, free, ...) {
    without <- replace(problem, part, list(free))
    if (has_panel(without)) named <<- c(named, sprintf(...)) else problem <<- without
  }
  if (is.finite(problem$budget)) leave_out("budget", Inf, "the budget of %g", problem$budget)
  if (problem$in_batches > 0) {
    leave_out("supported", rep(TRUE, length(problem$cost)), "in_batches = %d", problem$in_batches)
  }
  for (set in names(problem$members)) {
    least <- problem$at_least
    if (least[[set]] > 0) {
      leave_out("at_least", replace(least, set, 0), "at least %g of %s", least[[set]], quoted(set))
    }
    most <- problem$at_most
    if (most[[set]] < Inf) {
      leave_out("at_most", replace(most, set, Inf), "at most %g of %s", most[[set]], quoted(set))
    }
  }
  if (length(problem$locked) > 0L) leave_out("locked", integer(), "the features in `include`")
  stop_rules("rules",
    sprintf("must leave a panel of k = %d features, of the %d that may be selected here",
      problem$k, sum(problem$usable)
    ),
    if (length(named) == 1L) {
      sprintf("%s, which none obeys", named)
    } else {
      sprintf("rules that clash: %s", paste(named, collapse = ", "))
    }
  )
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
  start <- if (data$kind == "blocks") data$start else c(0L, data$n)
  together <- vector("list", length(data$block$levels))
  for (number in seq_len(length(start) - 1L)) {
    rows <- if (data$kind == "blocks") data[["read"]](number) else input_matrix(data)
    code <- data$block$code[start[number] + seq_len(nrow(rows))]
    for (level in unique(code)) {
      part <- statistics_of_level(rows[code == level, , drop = FALSE])
      known <- together[[level]]
      together[[level]] <- if (is.null(known)) part else merge_statistics(known, part)
    }
  }
  vapply(together, function(own) {
    rounding <- 8 * .Machine$double.eps * abs(drop(own$mean))
    sqrt(own[["square"]] / max(1, own$size - 1)) > rounding
  }, logical(data$d))
}

# as merge_statistics() takes them
statistics_of_level <- function(rows) {
  stats <- statistics_of_rows(rows, nrow(rows), NULL)
  c(stats[c("square", "largest")], list(
    size = nrow(rows), mean = matrix(stats$mean, 1L), fine = matrix(stats$fine, 1L)
  ))
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
  if (is.null(fit$exchanges)) {
    return(NULL)
  }
  share <- attr(fit$exchanges, "share")
  sprintf("%s from the given panel%s", count_of(nrow(fit$exchanges), "exchange"),
    if (is.na(share)) "" else sprintf(", which reaches %s of the value", reach_words(1 - share))
  )
}

# restarts in a row that lead to no better set: more of small problems, whose sets within
# rules are less connected by exchanges
ruled_perturbations <- function(data) {
  size <- as.double(data$n) * data$d
  if (size <= 1e4) 40L else if (size <= 1e6) 10L else if (size <= 1e7) 2L else 0L
}
