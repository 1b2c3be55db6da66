# The result of alternatives(): roles and prices from bounds and witnesses, in the columns of x.

role_levels <- c("essential", "exchangeable", "undecided", "excluded")

new_alternatives <- function(problem, found, tolerance, sets, call, started) {
  data <- problem$data
  view <- view_of(data)
  labels <- function(index) feature_labels(list(feature_names = view$names), index)
  outer <- function(index) labels(outer_index(index, data))
  roles <- roles_matrix(found, tolerance, data)
  value <- squares_in_units(found$value, problem$unit)
  bound <- if (is.finite(found$bound)) squares_in_units(found$bound, problem$unit) else NA_real_
  copies <- split(seq_along(found$copies), found$copies)
  structure(
    list(
      features = feature_table(problem, found, roles, labels), roles = roles,
      exchanges = exchange_costs(found, outer), witness = witness_list(found, tolerance, outer),
      disjoint = if (!is.null(found$disjoint)) {
        list(
          selected = outer(found$disjoint$set),
          share = share_of(found$disjoint$value, found$value, found$slack)
        )
      },
      sets = sets_part(found, tolerance, data, outer),
      groups = unname(lapply(copies[setdiff(as.character(unique(found$copies)), "0")], outer)),
      value = value, bound = bound, gap = share_of(bound, value) - 1,
      best = outer(found$best), selected = labels(problem$columns),
      share = share_of(found$given, found$value, found$slack),
      error = share_of(found$slack, found$value),
      kind = if (isTRUE(found$proved)) "proved" else "witnesses",
      tolerance = tolerance, k = problem$k, m = or_default(problem[["m"]], NA_integer_),
      d = view$d, n = data$n, unit = if (is.null(problem$groups)) "feature" else "group",
      method = problem$method, feature_names = view$names, status = found$status,
      questions = found$questions, seconds = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "feature_alternatives"
  )
}

# values below which a set is out, as the engines compare
cuts_of <- function(found, tolerance) (1 - tolerance) * found$value - found$slack

# values that are above the total by no more than the error of both are that
share_of <- function(value, total, error = 0) {
  if (isTRUE(total == 0)) {
    return(rep(1, length(value)))
  }
  as.double(ifelse(value > total & value <= total + error, 1, value / total))
}

# ---- roles and prices ----------------------------------------------------------------

roles_at <- function(found, tolerance) {
  cut <- cuts_of(found, tolerance)
  role <- rep("undecided", length(found$low))
  role[found$low >= cut] <- "exchangeable"
  never <- found$high < cut
  role[never] <- ifelse(which(never) %in% found$best, "essential", "excluded")
  role
}

# features of the whole by tolerances; what `exclude` left out is excluded
roles_matrix <- function(found, tolerance, data) {
  columns <- lapply(tolerance, function(one) {
    per_feature(roles_at(found, one), data, "excluded", names = NULL)
  })
  names <- view_of(data)$names
  matrix(unlist(columns), ncol = length(tolerance), dimnames = list(names, format_share(tolerance)))
}

# least and most of the price of each feature of the whole; infinite if no set answers
price_table <- function(found, data) {
  price <- function(bound) pmax(1 - bound / found$value, 0)
  least <- price(found$high)
  most <- price(found$low)
  if (isTRUE(found$value == 0)) least[] <- most[] <- 0
  least[is.na(least)] <- 0
  most[found$low == -Inf] <- if (found$proved) 1 else NA_real_
  least[found$high == -Inf] <- most[found$high == -Inf] <- Inf
  per_feature(cbind(least = least, most = pmax(most, least)), data, Inf, names = NULL)
}

# ---- the table of features -----------------------------------------------------------

feature_table <- function(problem, found, roles, labels) {
  data <- problem$data
  whole <- seq_len(view_of(data)$d)
  prices <- price_table(found, data)
  replacement <- replacements(found, data)
  locked <- rep("", length(whole))
  locked[outer_index(data$locked, data)] <- "included"
  locked[view_of(data)$excluded] <- "excluded"
  role <- factor(roles[, 1], role_levels)
  table <- data.frame(
    feature = labels(whole), index = whole, selected = whole %in% problem$columns,
    best = whole %in% outer_index(found$best, data), role = role, price_least = prices[, "least"],
    price_most = prices[, "most"], average_least = prices[, "least"] * problem$k,
    average_most = prices[, "most"] * problem$k, replacement = labels(replacement$feature),
    replacement_cost = replacement$cost, proved = found$proved & role != "undecided",
    locked = locked, group = per_feature(found$copies, data, 0L, names = NULL)
  )
  frequency <- found[["frequency"]]
  if (is.matrix(frequency)) {
    table$frequency <- per_feature(frequency[, 1] / max(found$count[1], 1), data, names = NULL)
  }
  down <- ifelse(table$selected, -1, 1)
  table <- table[order(!table$selected, down * table$price_most, down * table$price_least,
    match(whole, problem$columns), whole
  ), , drop = FALSE]
  rownames(table) <- NULL
  table
}

# of every feature of the whole the cheapest single exchange with one of the other side: from the
# table of exchanges, or its witness. list(feature, cost), columns and shares of the value
replacements <- function(found, data) {
  d <- view_of(data)$d
  out <- list(feature = rep(NA_integer_, d), cost = rep(NA_real_, d))
  add <- function(features, others, cost) {
    known <- is.finite(cost)
    at <- outer_index(features[known], data)
    out$feature[at] <<- outer_index(others[known], data)
    out$cost[at] <<- pmax(cost[known], 0)
  }
  table <- exchange_table(found)
  if (length(table$columns) > 0L) {
    cost <- 1 - table$values / found$value
    cost[is.na(cost)] <- Inf
    into <- max.col(-cost, "first")
    add(found$best, table$columns[into], cost[cbind(seq_along(into), into)])
    from <- max.col(-t(cost), "first")
    add(table$columns, found$best[from], cost[cbind(from, seq_along(from))])
  }
  for (feature in which(is.na(out$feature[outer_index(seq_along(found$low), data)]))) {
    set <- found$witness[[feature]]
    other <- if (feature %in% found$best) setdiff(set, found$best) else setdiff(found$best, set)
    if (length(set) > 0L && length(other) == 1L) {
      add(feature, other, 1 - found$low[feature] / found$value)
    }
  }
  out
}

# list(values, columns): exchanges with features that are not in the best set; NULL if unknown
exchange_table <- function(found) {
  if (!is.matrix(found[["exchanges"]])) {
    return(NULL)
  }
  columns <- or_default(found[["columns"]], seq_len(ncol(found$exchanges)))
  outside <- !columns %in% found$best
  list(values = found$exchanges[, outside, drop = FALSE], columns = columns[outside])
}

# ---- parts ---------------------------------------------------------------------------

# features of the best set that may leave, the dearest first, by the five cheapest replacements
# of each and the fifteen cheapest of all
exchange_costs <- function(found, outer, each = 5L, all = 15L) {
  table <- exchange_table(found)
  if (is.null(table) || found$value == 0) {
    return(NULL)
  }
  cost <- pmax(1 - table$values / found$value, 0)
  rows <- which(rowSums(!is.na(cost)) > 0)
  if (length(rows) == 0L) {
    return(NULL)
  }
  rows <- rows[order(-apply(cost[rows, , drop = FALSE], 1, min, na.rm = TRUE))]
  cost <- cost[rows, , drop = FALSE]
  cheapest <- apply(cost, 2, min, Inf, na.rm = TRUE)
  first <- order(cheapest)[seq_len(min(all, sum(is.finite(cheapest))))]
  own <- apply(cost, 1, function(row) utils::head(order(row, na.last = NA), each))
  shown <- unique(c(first, unlist(own)))
  shown <- shown[order(cheapest[shown])]
  out <- cost[, shown, drop = FALSE]
  dimnames(out) <- list(outer(found$best[rows]), outer(table$columns[shown]))
  out
}

# what leaves and enters the best set, for the features whose witness reaches the lowest cut
witness_list <- function(found, tolerance, outer) {
  cut <- min(cuts_of(found, tolerance))
  shown <- which(lengths(found$witness) > 0 & found$low >= cut)
  out <- lapply(found$witness[shown], function(set) {
    list(out = outer(setdiff(found$best, set)), into = outer(setdiff(set, found$best)))
  })
  stats::setNames(out, as.character(outer(shown)))
}

sets_part <- function(found, tolerance, data, outer) {
  if (anyNA(found$count)) {
    return(NULL)
  }
  check_counts_of_sets(found, tolerance)
  names <- format_share(tolerance)
  count <- rep(pmax(found$count, 1), each = nrow(found$frequency))
  frequency <- per_feature(found$frequency / count, data)
  colnames(frequency) <- names
  list(
    count = stats::setNames(found$count, names), complete = stats::setNames(found$complete, names),
    frequency = frequency, best = apply(found$sets, 2, outer),
    share = share_of(found$set_values, found$value, found$slack)
  )
}

# the best set and the witnesses that reach a cut are among those that were counted
check_counts_of_sets <- function(found, tolerance) {
  for (at in which(found$complete)) {
    reach <- found$low >= (1 - tolerance[at]) * found$value + found$slack
    known <- length(unique(lapply(found$witness[reach], sort))) + 1
    if (known > found$count[at]) {
      stop_core("internal", "the number of sets",
        sprintf("%.0f are known, and %.0f were counted", known, found$count[at])
      )
    }
  }
}

# "0.1%", "2.5%"
format_share <- function(share) paste0(format_each(100 * share, 3), "%")

# ---- print and table -----------------------------------------------------------------

#' @export
print.feature_alternatives <- function(x, ...) {
  cat(role_lines(x), value_lines(x), disjoint_line(x), price_lines(x), sep = "\n")
  if (isTRUE(x$error > 1e-6)) {
    cat(sprintf("Rounding: values are known up to %s of the best one.\n", format_share(x$error)))
  }
  if (identical(x$status, "time_limit")) {
    cat(sprintf("The time was over after %.1f s: more may be decided in more.\n", x$seconds))
  }
  invisible(x)
}

# the set and the sets that are asked about, and a line for each tolerance
role_lines <- function(x) {
  head <- sprintf("%s: %d of %s selected; ", x$method, x$k, count_of(x$d, x$unit))
  count <- function(name, rows = seq_len(x$d)) colSums(x$roles[rows, , drop = FALSE] == name)
  own <- x$features$index[x$features$selected & x$features$locked == ""]
  if (x$kind != "proved") {
    return(c(
      paste0(head, "no bound is known, so nothing is proved:"),
      sprintf("  %d of your %d replaceable within %s (shown)", count("exchangeable", own),
        length(own), colnames(x$roles)
      )
    ))
  }
  prefix <- if (length(x$tolerance) > 1L) paste0(colnames(x$roles), ": ") else ""
  sets <- if (is.null(x$sets)) "" else sprintf(" | %s%.0f set%s",
    ifelse(x$sets$complete, "", "at least "), x$sets$count, ifelse(x$sets$count == 1, "", "s")
  )
  c(
    sprintf("%ssets of %d that reach at least %s of the best one known:", head, x$k,
      paste(reach_words(x$tolerance), collapse = " / ")
    ),
    sprintf("  %sin every one %d | in some %d (%d of yours) | in none %d, proved | undecided %d%s",
      prefix, count("essential"), count("exchangeable"), count("exchangeable", own),
      count("excluded"), count("undecided"), sets
    )
  )
}

# how good the set and the best one known are
value_lines <- function(x) {
  c(
    if (isTRUE(x$share < 1 - 1e-9)) {
      sprintf("Your set reaches %s of the best one that was met: see $best.",
        reach_words(1 - x$share)
      )
    },
    if (!is.na(x$gap)) {
      sprintf("No set of %d is better than the best one known%s.", x$k, if (x$gap <= optimal_gap) {
        ": proved"
      } else {
        sprintf(" by more than %s of its value", format_above(x$gap))
      })
    }
  )
}

# "99.9%" of a tolerance of 0.001, never rounded up
reach_words <- function(tolerance) {
  digits <- ifelse(tolerance > 0, pmax(0, 1 - floor(log10(100 * pmax(tolerance, 1e-12)))), 0)
  reach <- floor(100 * (1 - tolerance) * 10^digits + 1e-6) / 10^digits
  paste0(vapply(reach, format, "", digits = 12), "%")
}

disjoint_line <- function(x) {
  set <- as.character(x$disjoint$selected)
  without <- sprintf("Without any of your %ss", x$unit)
  if (length(set) == 0L) {
    return(sprintf("%s: %s.", without, if (is.null(x$disjoint)) {
      sprintf("no set of %d is left", x$k)
    } else {
      "not asked, for lack of time"
    }))
  }
  wrap_items(sprintf("%s: %.4g%% of the best one known, by", without, 100 * x$disjoint$share),
    short_labels(c(utils::head(set, 8), if (length(set) > 8) "..."))
  )
}

# the dearest and the cheapest of the selected features
price_lines <- function(x) {
  own <- x$features[x$features$selected & x$features$locked == "", ]
  ends <- unique(c(1L, nrow(own)))
  if (nrow(own) == 0L) {
    return(NULL)
  }
  words <- if (length(ends) > 1L) c("Dearest", "Cheapest") else "For example"
  vapply(seq_along(ends), function(at) {
    row <- own[ends[at], ]
    sprintf("%s: %s%s%s", words[at], short_labels(as.character(row$feature)), cost_words(x, row),
      replacement_words(row)
    )
  }, "")
}

cost_words <- function(x, row) {
  ends <- c(row$price_least, row$price_most)
  if (!is.finite(ends[2])) {
    return("")
  }
  if (x$kind != "proved") {
    return(sprintf(", at a cost of at most %s (shown, not proved)", format_share(ends[2])))
  }
  sprintf(", %s of the value (%s of an average %s)",
    paste(unique(format_share(ends)), collapse = " to "),
    paste(unique(format_share(x$k * ends)), collapse = " to "), x$unit
  )
}

replacement_words <- function(row) {
  known <- !is.na(row$replacement)
  paste0(
    if (!row$best) "; not in the best set",
    if (known && !row$best) ", where it could take the place of ",
    if (known && row$best) "; exchanged for ",
    if (known) {
      sprintf("%s%s at %s", short_labels(as.character(row$replacement)),
        if (row$best) " alone" else "", format_share(row$replacement_cost)
      )
    }
  )
}

#' @export
as.data.frame.feature_alternatives <- function(x, row.names = NULL, optional = FALSE, ..., # nolint
                                               tolerance = NULL) {
  check_table_arguments(...)
  roles <- roles_for(x, tolerance)
  table <- x$features
  at <- which(names(table) == "role")
  columns <- lapply(seq_len(ncol(roles)), function(column) {
    factor(unname(roles[table$index, column]), role_levels)
  })
  if (ncol(roles) > 1L) {
    names(columns) <- paste0("role_", colnames(roles))
    columns <- as.data.frame(columns, check.names = FALSE, optional = TRUE)
    return(cbind(table[seq_len(at - 1L)], columns, table[-seq_len(at)]))
  }
  table$role <- columns[[1]]
  table$proved <- x$kind == "proved" & table$role != "undecided"
  table
}

# roles at tolerances that were asked about, or by the prices, features of the whole in rows
roles_for <- function(x, tolerance) {
  if (is.null(tolerance)) {
    return(x$roles)
  }
  table <- x$features[order(x$features$index), ]
  tolerance <- resolve_tolerance(tolerance, x$k)
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
