# print(), summary() and tables of alternatives().

check_alternatives <- function(x, argument = "x") {
  rules <- c(alternatives_rules(), list(
    features = rule("the data frame of all features", is_role_table),
    roles = rule("a role for each feature and tolerance", are_roles),
    feature_names = rule("names of features", function(v, x) is.character(v) && length(v) == x$d),
    exchanges = rule("a matrix of costs", is_cost_matrix),
    disjoint = rule("a set and its share", is_disjoint_set),
    sets = rule("numbers of sets", are_counted_sets)
  ))
  check_elements(x, argument, "a result of alternatives()", rules,
    setdiff(names(rules), c("feature_names", "exchanges", "disjoint", "sets"))
  )
}

alternatives_rules <- function() {
  list(
    d = number_of_features, k = whole_number, method = one_string, unit = one_string,
    kind = rule("a kind", function(v, x) {
      is_text(v) && v %in% c("proved", "witnesses", "refits", "ranks")
    }),
    tolerance = rule("shares", function(v, x) are_numbers(v) && length(v) > 0),
    groups = rule("groups of features", function(v, x) is.list(v)),
    share = number_or_na, error = number_or_na, value = number_or_na, questions = one_number,
    witness = rule("a list", function(v, x) is.list(v)),
    status = one_string, seconds = one_number
  )
}

is_role_table <- function(v, x) {
  numbers <- c(
    "price_least", "price_most", "average_least", "average_most", "replacement_cost", "index"
  )
  flags <- c("selected", "best", "proved")
  is.data.frame(v) && nrow(v) == x$d &&
    all(c(numbers, flags, "feature", "role", "replacement", "locked", "group") %in% names(v)) &&
    identical(levels(v$role), role_levels) && are_columns(v$index, x$d) &&
    all(vapply(v[numbers], is.numeric, NA)) && all(vapply(v[flags], is.logical, NA))
}

are_roles <- function(v, x) {
  is.character(v) && is.matrix(v) && nrow(v) == x$d && ncol(v) == length(x$tolerance) &&
    all(v %in% role_levels)
}

is_cost_matrix <- function(v, x) {
  is.matrix(v) && is.numeric(v) && length(v) > 0 && !is.null(rownames(v)) && !is.null(colnames(v))
}

is_disjoint_set <- function(v, x) {
  is.list(v) && is.atomic(v$selected) && length(v$share) == 1L && is.numeric(v$share)
}

are_counted_sets <- function(v, x) {
  count <- length(x$tolerance)
  is.list(v) && are_numbers(v$count) && length(v$count) == count && is.logical(v$complete) &&
    length(v$complete) == count
}

#' Print, tables and plots of alternatives
#'
#' `print()` shows the roles of the features, the value of the best set without the selected
#' features, and which selected features have the highest and lowest prices. `summary()` covers
#' all tolerances and lists the selected features and their best replacements. `as.data.frame()`
#' gives a row per feature with its role, which follows from its price, at any tolerance; `tidy()`
#' a row per feature and tolerance. `plot()` draws the prices as intervals, on a
#' logarithmic scale: filled if the role is proved, with a line at the tolerance; an interval that
#' begins at 0 has no point at its left end.
#'
#' @param x,object A result of [alternatives()].
#' @param n For `summary()`: number of unselected features listed; for `plot()`: largest number of
#'   features drawn, `NULL` for the selected ones and as many others, at least 15.
#' @param tolerance For `as.data.frame()` and `tidy()`: shares of the value that a set may lose.
#'   `NULL`: those in the call of [alternatives()].
#' @param row.names,optional As in [as.data.frame()].
#' @param ... Graphical parameters for `plot()`; else unused.
#' @return `print()` and `plot()`: x, invisibly. `summary()`: a list of class
#'   `summary.feature_alternatives`. `as.data.frame()`: the data frame `features` with the roles at
#'   the tolerance, for several a column `role_<tolerance>` for each. `tidy()`: columns `term`,
#'   `selected`, `tolerance`, `role`, `conf.low` and `conf.high` (the price), `proved`.
#' @section Errors:
#' Of class `rowsparse_error`: a plot without prices, tolerances outside \[0, 1).
#' @seealso [alternatives()]
#' @examples
#' fit <- fspca(iris[, 1:4], k = 2, m = 1)
#' found <- alternatives(iris[, 1:4], fit, seconds = 5)
#' summary(found)
#' as.data.frame(found, tolerance = c(0.01, 0.5))
#' @name print.feature_alternatives
NULL

#' @rdname print.feature_alternatives
#' @export
print.feature_alternatives <- function(x, ...) {
  check_alternatives(x)
  cat(alternatives_head(x), role_lines(x), best_line(x), disjoint_line(x), price_lines(x),
    sep = "\n"
  )
  if (isTRUE(x$error > 1e-6)) {
    cat(sprintf("Rounding: values are known up to %s of the best one.\n", format_share(x$error)))
  }
  if (identical(x$status, "time_limit")) {
    cat(sprintf("The time was over after %.1f s: more may be %s in more.\n", x$seconds,
      if (x$kind == "proved") "decided" else "shown"
    ))
  }
  invisible(x)
}

alternatives_head <- function(x) {
  text <- sprintf("%s: %d of %s selected", x$method, x$k, count_of(x$d, x$unit))
  paste0(text, switch(x$kind,
    ranks = "; the next in rank takes the place of any (no cost, nothing proved)",
    proved = sprintf("; sets of %d that reach at least %s of the best one known:", x$k,
      paste(reach_words(x$tolerance), collapse = " / ")
    ),
    "; no bound is known, so nothing is proved:"
  ))
}

# where a better set than the given one was met
best_line <- function(x) {
  if (isTRUE(x$share < 1 - 1e-9)) {
    sprintf("Your set reaches %s of the best one that was met: see $best.",
      reach_words(1 - x$share)
    )
  }
}

# "99.9%" of a tolerance of 0.001, never rounded up
reach_words <- function(tolerance) {
  reach <- 100 * (1 - tolerance)
  digits <- ifelse(tolerance > 0, pmax(0, 1 - floor(log10(100 * pmax(tolerance, 1e-12)))), 0)
  vapply(seq_along(reach), function(at) {
    scale <- 10^digits[at]
    paste0(format(floor(reach[at] * scale + 1e-6) / scale, digits = 12), "%")
  }, "")
}

# one line for each tolerance
role_lines <- function(x) {
  if (x$kind == "ranks") {
    return(NULL)
  }
  yours <- x$features$index[x$features$selected]
  if (x$kind != "proved") {
    return(witness_lines(x, yours))
  }
  vapply(seq_along(x$tolerance), function(at) {
    role <- x$roles[, at]
    count <- function(name) sum(role == name)
    sprintf("  %sin every one %d | in some %d (%d of yours) | in none %d, proved | undecided %d%s",
      if (length(x$tolerance) > 1L) paste0(colnames(x$roles)[at], ": ") else "",
      count("essential"), count("exchangeable"), sum(role[yours] == "exchangeable"),
      count("excluded"), count("undecided"), sets_words(x$sets, at)
    )
  }, "")
}

sets_words <- function(sets, at) {
  if (is.null(sets)) {
    return("")
  }
  sprintf(" | %s%s", if (sets$complete[at]) "" else "at least ",
    count_of(format(sets$count[at], scientific = FALSE), "set")
  )
}

# what was shown, in words that claim nothing of other sets
witness_lines <- function(x, yours) {
  own <- yours[x$features$locked[match(yours, x$features$index)] == ""]
  left <- if (x$kind == "refits") max(length(own) - x$questions, 0) else 0
  shown <- as.integer(colSums(x$roles[own, , drop = FALSE] == "exchangeable"))
  if (is.na(x$value)) {
    return(sprintf("  fitted again without each of %.0f of yours: what enters is in $witness%s",
      length(own) - left, left_words(left)
    ))
  }
  left <- pmin(left, length(own) - shown)
  none <- length(own) - shown - left
  sprintf("  %d of yours replaceable within %s (shown)%s%s", shown, colnames(x$roles),
    ifelse(none > 0, sprintf("; for %.0f none was met within it", none), ""), left_words(left)
  )
}

left_words <- function(count) ifelse(count > 0, sprintf(", %.0f not asked about", count), "")

disjoint_line <- function(x) {
  without <- if (any(x$features$selected & x$features$locked == "included")) {
    sprintf("Without any of your %ss that may leave", x$unit)
  } else {
    sprintf("Without any of your %ss", x$unit)
  }
  if (is.null(x$disjoint)) {
    return(sprintf("%s no set of %d is left.", without, x$k))
  }
  if (length(x$disjoint$selected) == 0L) {
    return(sprintf("%s: not asked, for lack of time.", without))
  }
  reach <- if (!is.na(x$disjoint$share)) {
    sprintf(" %.4g%% of the best%s, by", 100 * x$disjoint$share,
      if (x$kind == "proved") "" else " one met"
    )
  }
  wrap_items(paste0(without, ":", or_default(reach, "")),
    short_labels(c(as.character(utils::head(x$disjoint$selected, 8)),
      if (length(x$disjoint$selected) > 8) "..."
    ))
  )
}

# the dearest and the cheapest of the selected features
price_lines <- function(x) {
  own <- x$features[x$features$selected & x$features$locked == "", ]
  if (nrow(own) == 0L) {
    return(NULL)
  }
  ends <- unique(c(1L, nrow(own)))
  if (all(is.na(own$price_most))) ends <- 1L
  words <- if (length(ends) > 1L) c("Dearest", "Cheapest") else "For example"
  vapply(seq_along(ends), function(at) {
    row <- own[ends[at], ]
    sprintf("%s: %s%s%s", words[at], short_labels(as.character(row$feature)), cost_words(x, row),
      replacement_words(x, row)
    )
  }, "")
}

cost_words <- function(x, row) {
  if (is.na(row$price_most) || !is.finite(row$price_most)) {
    return("")
  }
  ends <- c(row$price_least, row$price_most)
  if (x$kind != "proved") {
    return(sprintf(", at a cost of at most %s (shown, not proved)", format_share(ends[2])))
  }
  words <- unique(format_share(ends))
  sprintf(", %s of the value (%s of an average %s)", paste(words, collapse = " to "),
    paste(unique(format_share(x$k * ends)), collapse = " to "), x$unit
  )
}

replacement_words <- function(x, row) {
  if (!row$best) {
    return(if (is.finite(row$replacement_cost)) place_words(row) else "; not in the best set")
  }
  change <- x$witness[[as.character(row$feature)]]
  if (x$kind == "refits" && length(change$into) > 1L) {
    leaves <- setdiff(change$out, row$feature)
    return(sprintf("; the fit without it has %s%s", some_labels(change$into),
      if (length(leaves) > 0) sprintf(", and not %s", some_labels(leaves)) else ""
    ))
  }
  if (is.na(row$replacement)) {
    return("")
  }
  cost <- if (x$kind == "proved" && is.finite(row$replacement_cost)) {
    paste0(" at ", format_share(row$replacement_cost))
  }
  other <- short_labels(as.character(row$replacement))
  if (is.null(cost)) {
    return(sprintf("; replaceable by %s", other))
  }
  sprintf("; exchanged for %s alone%s", other, cost)
}

# of a selected feature that the best set does without: the price is that of taking it in
place_words <- function(row) {
  sprintf("; not in the best set, where it could take the place of %s at %s",
    short_labels(as.character(row$replacement)), format_share(row$replacement_cost)
  )
}

# the first few, with the number of the others
some_labels <- function(features, shown = 3L) {
  text <- short_labels(as.character(utils::head(features, shown)))
  more <- length(features) - length(text)
  paste0(paste(text, collapse = ", "), if (more > 0) sprintf(" and %d more", more) else "")
}

#' @rdname print.feature_alternatives
#' @export
summary.feature_alternatives <- function(object, n = 10, ...) {
  check_no_more("summary", "n", ...)
  check_alternatives(object, "object")
  n <- check_shown(n)
  columns <- intersect(c("feature", "role", "price_least", "price_most", "average_most",
    "replacement", "replacement_cost", "frequency", "stability"
  ), names(object$features))
  others <- which(!object$features$selected & object$features$locked != "excluded")
  counts <- vapply(seq_along(object$tolerance), function(at) {
    as.integer(table(factor(object$roles[, at], role_levels)))
  }, integer(length(role_levels)))
  structure(
    list(
      alternatives = object, roles = data.frame(
        tolerance = object$tolerance, matrix(t(counts), ncol = length(role_levels),
          dimnames = list(NULL, role_levels)
        )
      ),
      selected = object$features[object$features$selected, columns],
      others = object$features[utils::head(others, n), columns]
    ),
    class = "summary.feature_alternatives"
  )
}

#' @export
print.summary.feature_alternatives <- function(x, ...) {
  check_elements(x, "x", "a summary", list(
    alternatives = rule("a result of alternatives()", function(v, x) {
      inherits(v, "feature_alternatives")
    }),
    roles = data_frame, selected = data_frame, others = data_frame
  ))
  print(x$alternatives)
  cat("\nNumbers of features by role:\n")
  print(x$roles, row.names = FALSE)
  cat("\nYours, dearest first (prices as shares of the value):\n")
  print(x$selected, row.names = FALSE, digits = 3)
  cat("\nOthers, cheapest first:\n")
  print(x$others, row.names = FALSE, digits = 3)
  groups <- x$alternatives$groups
  if (length(groups) > 0) {
    cat("\nCopies, which are alternatives to each other:\n")
    for (group in groups) cat(wrap_items(" ", short_labels(as.character(group))), sep = "\n")
  }
  invisible(x)
}

#' @rdname print.feature_alternatives
#' @export
as.data.frame.feature_alternatives <- function(x, row.names = NULL, optional = FALSE, ...,
                                               tolerance = NULL) {
  check_table_arguments(...)
  check_alternatives(x)
  roles <- roles_for(x, tolerance)
  table <- x$features
  at <- which(names(table) == "role")
  if (ncol(roles) > 1L) {
    columns <- as.data.frame(lapply(seq_len(ncol(roles)), function(column) {
      factor(roles[table$index, column], role_levels)
    }), col.names = paste0("role_", colnames(roles)), check.names = FALSE)
    rownames(columns) <- NULL
    return(cbind(table[seq_len(at - 1L)], columns, table[-seq_len(at)]))
  }
  table$role <- factor(unname(roles[table$index, 1]), role_levels)
  table$proved <- x$kind == "proved" & table$role != "undecided"
  table
}

# roles at tolerances that were asked about, or by the prices, features of the whole in rows
roles_for <- function(x, tolerance) {
  if (is.null(tolerance)) {
    return(x$roles)
  }
  tolerance <- resolve_tolerance(tolerance, x$k)
  table <- x$features[order(x$features$index), ]
  roles <- vapply(tolerance, function(one) {
    asked <- match(one, x$tolerance)
    if (is.na(asked)) roles_by_price(table, one, x$kind == "proved") else unname(x$roles[, asked])
  }, character(x$d))
  matrix(roles, x$d, dimnames = list(x$feature_names, format_share(tolerance)))
}

# the prices have the rounding of the values, which decides nothing
roles_by_price <- function(table, tolerance, proved, rounding = 1e-9) {
  role <- rep("undecided", nrow(table))
  role[!is.na(table$price_most) & table$price_most <= tolerance] <- "exchangeable"
  never <- !is.na(table$price_least) & table$price_least > tolerance + rounding & proved
  never <- never | table$locked != ""
  role[never] <- ifelse(table$best[never], "essential", "excluded")
  role
}

#' @rdname print.feature_alternatives
#' @exportS3Method generics::tidy
tidy.feature_alternatives <- function(x, tolerance = NULL, ...) {
  check_no_more("tidy", "tolerance", ...)
  check_alternatives(x)
  roles <- roles_for(x, tolerance)
  given <- if (is.null(tolerance)) x$tolerance else resolve_tolerance(tolerance, x$k)
  table <- x$features
  rows <- lapply(seq_along(given), function(at) {
    role <- factor(unname(roles[table$index, at]), role_levels)
    data.frame(
      term = if (is.null(x$feature_names)) paste0("V", table$index) else table$feature,
      selected = table$selected, tolerance = given[at], role = role, conf.low = table$price_least,
      conf.high = table$price_most, proved = x$kind == "proved" & role != "undecided"
    )
  })
  tidy_table(do.call(rbind, rows))
}
