# A panel made better by a few exchanges, whoever chose it. The sets within so many exchanges are
# searched by src/sets/group_ball.c, on the values of alternatives().

#' Improve a panel by a few exchanges
#'
#' Looks for the best set within a given number of exchanges from a panel (of a fit, another
#' package, a catalogue already ordered). Shows what each exchange gains, and how much better any
#' other panel of this size could be.
#'
#' @section The problem:
#' Let \eqn{T(J)} be the value of a set of k features, as in [alternatives()]: the variance of m
#' components on these features ([fspca()]), the part of the response ([cdlsr()]) or of the data
#' ([css()]) that they explain, or their alignment with the samples' clusters ([alignment()], with
#' the target of the fit to all features). For a panel P and s swaps
#' \deqn{\max_J T(J) \quad \mbox{subject to} \quad |J| = k, \; |J \setminus P| \le s,}{
#' max of T(J)   subject to   |J| = k,  |J less P| <= s,}
#' with the features in `include` in J, none of `exclude`, and the `rules` obeyed.
#' The search repeats the best of all exchanges while one helps; a feature that entered may leave
#' again. It ends at a set that no single allowed exchange improves, which is usually, not
#' provably, the best; for panels of more than 40 features by [fspca()] each member is exchanged
#' only for the most promising candidate. If the search for the bound meets a better set within
#' `swaps`, this set is returned.
#'
#' The bound holds for all panels of k features with those in `include` and none of `exclude`,
#' however many exchanges away, and whether they obey the `rules` or not. It comes from
#' [fspca_bound()] or the exact search of [cdlsr()] and [css()] within `seconds`; for
#' [alignment()] it is known if all sets can be evaluated (200 000 at most).
#'
#' @param panel The panel: a fit, which stands for its selected features, or names or columns of
#'   features. From fits by [fspca()], [cdlsr()], [css()] and [alignment()] the settings are used
#'   as well, from others only the set.
#' @param x The data, as for [rowsparse()].
#' @param y The response of supervised methods. `NULL`: the response kept in the fit.
#' @param swaps The largest number of features exchanged. 0: the panel is judged unchanged.
#' @param ... Arguments of the method, as for [alternatives()]: `m`, `ridge`, `scale`, `weights`.
#' @param k The number of features, if `panel` is a fit that only ranks.
#' @param method The method whose value is maximised: `"fspca"`, `"css"`, `"alignment"` or
#'   `"cdlsr"`. `NULL`: that of the fit if it is one of them, else `"cdlsr"` with `y` and
#'   `"fspca"` without.
#' @param rules Rules that the given and the improved panel must obey, see [panel_rules()].
#' @param include Features of the panel that must stay (locked genes). `NULL`: those of the fit.
#' @param exclude,block,assay As for [rowsparse()]; `NULL`: those of the fit.
#' @param seconds Elapsed seconds that the bound may take. 0: only a bound known without search.
#' @param control Settings from [rowsparse_control()]: `tol`, the least gain of an exchange as a
#'   share of the largest possible value (1e-9), `maxit`, the number of exchanges tried (1000),
#'   `verbose`.
#'
#' @return An object of class `improved_panel`, a list:
#'   \item{selected}{the improved panel, names or columns: those that stay in their order, then the
#'     new ones; `index`: their columns; [selected()] gives the same}
#'   \item{exchanges}{a data frame with a row for each exchange, the one that gains most first:
#'     the features `out` and `into`, the `value` after it and its `gain`, also as a `share` of
#'     the value of the panel given. With `rules` the intermediate panels need not obey them}
#'   \item{before, value}{the value of the panel that was given, and of the improved one, in the
#'     units of the method's objective}
#'   \item{bound, room}{the value that no panel of k features exceeds, and its excess over that of
#'     the improved panel, as a share of the latter; `NA` if no bound is known}
#'   \item{known}{the value of the best panel found, however many exchanges away}
#'   \item{panel, k, swaps, method, m, n, d, feature_names, converged, status, seconds, call}{the
#'     settings, and how the search ended}
#'
#'   `summary()` also says which features stay; `as.data.frame()` is `exchanges`.
#' @section Errors:
#' Of class `rowsparse_error`: those of [alternatives()]; fits of groups; a panel that lacks
#' features of `include`, or does not obey the `rules`.
#' @seealso [alternatives()] for the role of every feature, [compare_panels()] to judge a panel by
#'   neighbours and types
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 30), 60) %*% diag(runif(30, 0.5, 2))
#' colnames(x) <- paste0("g", 1:30)
#' panel <- paste0("g", 1:8)
#' better <- improve(panel, x, swaps = 3, m = 3, include = "g2")
#' better
#' compare_panels(list(given = panel, improved = better), x)
#' @export
improve <- function(panel, x, y = NULL, swaps = 5, ..., k = NULL, method = NULL, rules = NULL,
                    include = NULL, exclude = NULL, block = NULL, assay = NULL, seconds = 10,
                    control = rowsparse_control()) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (missing(panel)) {
    stop_rowsparse("missing", "panel", "must be given: a fit, or names or columns of features")
  }
  check_no_formula(x)
  swaps <- check_count(swaps, "swaps", 0L)
  seconds <- check_number(seconds, "seconds", 0)
  control <- resolve_control(control, tol = 1e-9, maxit = 1000L)
  x <- features_of_fit(fit_inside(panel), x)
  asked <- panel_to_improve(panel, method, k, x)
  locks <- list(include = include, exclude = exclude, block = block, assay = assay)
  request <- resolve_request(x, asked$panel, y, asked$k, method, c(list(...), locks), "panel")
  problem <- roles_problem(x, request, "panel")
  problem$data <- rules_of_problem(problem, rules)
  left <- function() time_left(started, seconds)
  found <- improve_set(problem, swaps, control)
  other <- any_panel(problem, found, left, control)
  if (is_within(other$set, other$value, problem, swaps, found)) {
    found <- improve_set(problem, swaps, control, other$set)
  }
  new_improved_panel(problem, found, other, swaps, call, started)
}

improving_methods <- c("fspca", "css", "alignment", "cdlsr")

# list(panel, k): the fit whose settings are taken, or features alone
panel_to_improve <- function(panel, method, k, x) {
  method <- if (!is.null(method)) check_choice(method, "method", improving_methods)
  fit <- fit_inside(panel)
  if (is.null(fit)) {
    return(list(panel = panel, k = k))
  }
  check_fit(fit, "panel")
  if (anyDuplicated(fit$groups$of) > 0L) {
    stop_groups("are not exchanged by improve(): `panel` must be a fit of single features")
  }
  if (fit_name(fit) %in% or_default(method, improving_methods)) {
    return(list(panel = fit, k = k))
  }
  columns <- feature_columns(fit, "panel", sample_features(x), request_names(x),
    selected_index(fit, k)
  )
  list(panel = columns)
}

# the data with the rules, which the panel obeys
rules_of_problem <- function(problem, rules) {
  usable <- seq_len(problem$data$d) %in% usable_units(problem)
  data <- add_rules(problem$data, rules, problem$k, usable)
  if (is_ruled(data) && !.Call(C_rules, data$rules, as.integer(problem$set))) {
    stop_rules("panel", "must obey the `rules` itself", count_of(problem$k, "feature"))
  }
  data
}

# The set within so many exchanges, or the exchanges that lead to `set`: list(set, out, into, after,
# before, value, converged, status)
improve_set <- function(problem, swaps, control, set = NULL) {
  data <- problem$data
  usable <- seq_len(data$d) %in% usable_units(problem)
  value <- value_for_search(problem)
  settings <- c(value$settings, list(
    value = value$name, k = problem$k, swaps = min(swaps, problem$k), maxit = control$maxit,
    tol = control$tol, from = as.integer(problem$set), set = if (!is.null(set)) as.integer(set)
  ))
  .Call(C_improve, unclass(value$data), value$response, inner_groups(data, usable), settings)
}

# what C_groups and C_improve judge a set by: list(name, data, response, settings)
value_for_search <- function(problem) {
  if (problem$method == "fspca") {
    return(list(name = "trace", data = problem$operator, settings = list(m = problem[["m"]])))
  }
  if (problem$method == "alignment") {
    measure <- problem$measure
    inside <- measure$data
    return(list(
      name = "alignment", data = if (has_cross_products(inside)) inside$operator else inside,
      settings = list(target = measure$target, penalty = measure$ridge)
    ))
  }
  response <- problem$response
  if (is.null(response)) {
    response <- component_response(problem$inner, largest_dimension(problem$inner))
  }
  list(
    name = "lsq", data = problem$inner, response = core_response(response),
    settings = list(ridge = problem$settings$ridge)
  )
}

# What no panel exceeds, and the best one that was met: list(bound, value, set), in the units of
# the value
any_panel <- function(problem, found, left, control) {
  problem$set <- found$set
  none <- list(bound = NA_real_, value = found$value, set = found$set)
  if (problem$method == "fspca") {
    fit <- run_fspca(problem$operator, problem$leading, problem$k, "given",
      list(maxit = 1L, verbose = FALSE), matrix(as.integer(found$set))
    )
    proof <- certify_set(problem$operator, problem$leading, fit, left(), control$verbose)
    return(proof[c("bound", "value", "set")])
  }
  if (left() == 0) {
    return(none)
  }
  roles <- if (problem$method == "alignment") {
    all_sets_roles(problem, 0, 0L, left)
  } else {
    decide_roles(problem, NULL, 0, 0L, left, control$verbose)
  }
  if (is.null(roles)) {
    return(none)
  }
  list(
    bound = if (isTRUE(roles$proved) && is.finite(roles$bound)) roles$bound else NA_real_,
    value = roles$value, set = roles$best
  )
}

# is this a better set that the swaps allow? Rules it need not obey
is_within <- function(set, value, problem, swaps, found) {
  !is_ruled(problem$data) && length(set) == problem$k &&
    isTRUE(value > found$value * (1 + 1e-9)) && length(setdiff(set, problem$set)) <= swaps
}

new_improved_panel <- function(problem, found, other, swaps, call, started) {
  data <- problem$data
  view <- view_of(data)
  labels <- function(index) feature_labels(list(feature_names = view$names), index)
  in_units <- function(value) squares_in_units(value, problem$unit)
  outer <- function(set) outer_index(as.integer(set), data)
  index <- outer(c(intersect(problem$set, found$set), setdiff(found$set, problem$set)))
  after <- in_units(found$after)
  before <- in_units(found$before)
  value <- in_units(found$value)
  bound <- in_units(other$bound)
  if (!is.na(bound)) bound <- bound_above(bound, value)
  gain <- diff(c(before, after))
  structure(list(
    selected = labels(index), index = index,
    exchanges = data.frame(
      out = labels(outer(found$out)), into = labels(outer(found$into)), value = after,
      gain = gain, share = share_of(gain, before)
    ),
    before = before, value = value, bound = bound, room = share_of(bound, value) - 1,
    known = max(in_units(other$value), value), panel = labels(problem$columns), k = problem$k,
    swaps = swaps, method = problem$method, m = or_default(problem[["m"]], NA_integer_),
    n = data$n, d = view$d, feature_names = view$names, converged = found$converged,
    status = found$status, seconds = proc.time()[["elapsed"]] - started, call = call
  ), class = "improved_panel")
}

# ---- what is made of it --------------------------------------------------------------

check_improved <- function(x, argument = "x") {
  same <- function(n) rule("as many as the panel has", function(v, x) length(v) == x[[n]])
  check_elements(x, argument, "a result of improve()", list(
    d = number_of_features, k = whole_number, swaps = whole_number, method = one_string,
    selected = same("k"), panel = same("k"),
    index = rule("columns of the data", function(v, x) are_columns(v, x$d) && length(v) == x$k),
    exchanges = rule("a table of exchanges", is_exchange_table),
    before = one_number, value = one_number, bound = number_or_na, room = number_or_na,
    known = one_number, status = one_string
  ))
}

is_exchange_table <- function(v, x) {
  numbers <- c("value", "gain", "share")
  is.data.frame(v) && all(c("out", "into", numbers) %in% names(v)) && nrow(v) <= x$k &&
    all(vapply(v[numbers], is.numeric, NA))
}

#' @export
print.improved_panel <- function(x, digits = 3, ...) {
  check_improved(x)
  digits <- check_count(digits, "digits", 1L, 15L)
  cat(strwrap(improved_words(x), exdent = 2), sep = "\n")
  if (nrow(x$exchanges) > 0) {
    shown <- x$exchanges
    for (name in c("value", "gain")) shown[[name]] <- signif(shown[[name]], digits + 1L)
    shown$share <- sprintf("%+.*f%%", max(0L, digits - 1L), 100 * shown$share)
    print(shown, row.names = FALSE)
  }
  cat(strwrap(room_words(x), exdent = 2), sep = "\n")
  invisible(x)
}

improved_words <- function(x) {
  count <- nrow(x$exchanges)
  made <- if (x$swaps == 0) {
    "as it is"
  } else if (count == 0) {
    sprintf("no exchange of at most %d helps", x$swaps)
  } else {
    sprintf("%s, of at most %d", count_of(count, "exchange"), x$swaps)
  }
  sprintf("A panel of %s by %s(): %s. Value %s%s", count_of(x$k, "feature"), x$method, made,
    format(x$before, digits = 5),
    if (count > 0) {
      sprintf(", now %s (%+.2f%%)", format(x$value, digits = 5), 100 * (x$value / x$before - 1))
    } else {
      ""
    }
  )
}

room_words <- function(x) {
  better <- if (x$known > x$value * (1 + 1e-9)) {
    sprintf("A panel more exchanges away has %+.2f%%.", 100 * (x$known / x$value - 1))
  }
  bound <- if (is.na(x$room)) {
    "What any panel of this size could still gain is not known."
  } else if (x$room < 1e-9) {
    "No panel of this size has more: proved."
  } else {
    sprintf("No panel of this size has more than %+.2f%%.", 100 * x$room)
  }
  paste(c(better, bound), collapse = " ")
}

#' @rdname improve
#' @param object For `summary()`: a result of `improve()`.
#' @export
summary.improved_panel <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_improved(object, "object")
  class(object) <- c("summary.improved_panel", "improved_panel")
  object
}

#' @export
print.summary.improved_panel <- function(x, digits = 3, ...) {
  print.improved_panel(x, digits)
  fixed <- setdiff(as.character(x$selected), as.character(x$exchanges$into))
  told <- if (length(fixed) > 0L) {
    wrap_items(sprintf("%s stay:", count_of(length(fixed), "feature")),
      c(utils::head(fixed, 12L), if (length(fixed) > 12L) "...")
    )
  } else {
    "No feature stays."
  }
  cat(told, sep = "\n")
  invisible(x)
}

#' @export
as.data.frame.improved_panel <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  check_table_arguments(...)
  check_improved(x)
  x$exchanges
}

#' @export
selected.improved_panel <- function(fit, k, ...) {
  check_no_more("selected", NULL, ...)
  check_improved(fit, "fit")
  if (!missing(k)) {
    stop_rowsparse("argument", "k", "must be left out: an improved panel is not ranked")
  }
  fit$selected
}
