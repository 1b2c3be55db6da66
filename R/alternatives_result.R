# The result of alternatives(): roles and prices from bounds and witnesses, in the columns of x.

role_levels <- c("essential", "exchangeable", "undecided", "excluded")

new_alternatives <- function(problem, found, tolerance, sets, call, started) {
  view <- view_of(problem$data)
  labels <- function(index) feature_labels(list(feature_names = view$names), index)
  found <- found_of_whole(found, problem)
  error <- share_of(found$slack, found$value)
  table <- feature_table(problem, found, labels, backups_of(problem))
  roles <- roles_at(table, tolerance, error)
  dimnames(roles) <- list(view$names, format_share(tolerance))
  table$role <- factor(roles[, 1], role_levels)
  table$proved <- found$proved & table$role != "undecided"
  down <- ifelse(table$selected, -1, 1)
  table <- data.frame(table[order(!table$selected, down * table$price_most,
    down * table$price_least, match(table$index, problem$columns), table$index
  ), ], row.names = NULL)
  value <- squares_in_units(found$value, problem$unit)
  bound <- if (is.finite(found$bound)) squares_in_units(found$bound, problem$unit) else NA_real_
  structure(
    list(
      features = table, roles = roles, exchanges = exchange_costs(found$cost, labels),
      witness = witness_list(found, min(cuts_of(found, tolerance)), labels),
      sets = if (!anyNA(found$count)) sets_part(found, format_share(tolerance), labels),
      value = value, bound = bound, gap = share_of(bound, value) - 1, best = labels(found$best),
      selected = labels(problem$columns), share = share_of(found$given, found$value, found$slack),
      error = error, kind = if (found$proved) "proved" else "witnesses", tolerance = tolerance,
      k = problem$k, m = or_default(problem[["m"]], NA_integer_), d = view$d, n = problem$data$n,
      unit = if (is.null(problem$groups)) "feature" else "group", method = problem$method,
      feature_names = view$names, status = found$status, rules = problem$rules$asked,
      questions = found$questions, seconds = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "feature_alternatives"
  )
}

# What was found in the columns of the whole, where those that `exclude` left out are in no set,
# with `cost` of exchanges, features of the best set by all others, NA where it is not known, and
# `own_cost` of those of the set asked about
found_of_whole <- function(found, problem) {
  data <- problem$data
  outer <- function(set) outer_index(set, data)
  found$proved <- isTRUE(found$proved)
  costs_of <- function(table, set) {
    others <- setdiff(seq_along(found$low), set)
    if (is.matrix(table)) structure(pmax(1 - table[, others, drop = FALSE] / found$value, 0),
      dimnames = list(outer(set), outer(others))
    )
  }
  found$cost <- costs_of(found[["exchanges"]], found$best)
  found$own_cost <- costs_of(or_default(found[["of_given"]], found[["exchanges"]]), problem$set)
  sides <- c("low", "high")
  found[sides] <- lapply(found[sides], per_feature, data, -Inf, names = NULL)
  found$witness <- per_feature(lapply(found$witness, outer), data, list(integer()), names = NULL)
  found$best <- outer(found$best)
  if (!anyNA(found$count)) {
    found$sets[] <- outer(c(found$sets))
    found$frequency <- per_feature(found$frequency, data)
  }
  found$locked <- rep("", length(found$witness))
  found$locked[outer(problem$rules$decided)] <- "rules"
  found$locked[outer(data$locked)] <- "included"
  found$locked[view_of(data)$excluded] <- "excluded"
  found
}

# values below which a set is out, as the engines compare
cuts_of <- function(found, tolerance) (1 - tolerance) * found$value - found$slack

# values that are above the total by no more than the error of both are that
share_of <- function(value, total, error = 0) {
  is_total <- isTRUE(total == 0) | (value > total & value <= total + error)
  as.double(ifelse(is_total, 1, value / total))
}

# roles by the prices (features by tolerances), which are known up to `error`
roles_at <- function(table, tolerance, error) {
  roles <- vapply(tolerance, function(one) {
    role <- rep("undecided", nrow(table))
    role[which(table$price_most <= one + error)] <- "exchangeable"
    never <- which(table$price_least > one + error)
    role[never] <- ifelse(table$best[never], "essential", "excluded")
    role
  }, character(nrow(table)))
  matrix(roles, nrow(table))
}

# A row for each feature, in their order. Prices are infinite if no set answers the question.
feature_table <- function(problem, found, labels, backups) {
  price <- function(bound) if (found$value == 0) 0 * bound else pmax(1 - bound / found$value, 0)
  least <- price(found$high)
  most <- price(found$low)
  least[is.na(least)] <- 0
  most[found$low == -Inf] <- if (found$proved) 1 else NA_real_
  least[found$high == -Inf] <- most[found$high == -Inf] <- Inf
  most <- pmax(most, least)
  instead <- replacements(found$own_cost, length(least))
  index <- seq_along(least)
  table <- data.frame(
    feature = labels(index), index = index, selected = index %in% problem$columns,
    best = index %in% found$best, role = NA, price_least = least, price_most = most,
    replacement = labels(instead$feature), replacement_cost = instead$cost,
    backup = labels(backups$feature), restored = backups$restored, proved = NA,
    locked = found$locked
  )
  if (is.matrix(found[["frequency"]])) {
    table$frequency <- unname(found$frequency[, 1]) / max(found$count[1], 1)
  }
  table
}

# The cheapest exchange of each of d features with one of the other side: list(feature, cost)
replacements <- function(cost, d) {
  out <- list(feature = rep(NA_integer_, d), cost = rep(NA_real_, d))
  for (table in if (length(cost) > 0L) list(cost, t(cost))) {
    table[is.na(table)] <- Inf
    ends <- cbind(seq_len(nrow(table)), max.col(-table, "first"))
    known <- is.finite(table[ends])
    at <- as.integer(rownames(table))[known]
    out$feature[at] <- as.integer(colnames(table))[ends[known, 2]]
    out$cost[at] <- table[ends][known]
  }
  out
}

# features of the best set that may leave, the dearest first, by the five cheapest replacements
# of each and the fifteen cheapest of all
exchange_costs <- function(cost, labels) {
  known <- which(rowSums(!is.na(cost)) > 0)
  if (length(known) == 0L) {
    return(NULL)
  }
  cost <- cost[known, , drop = FALSE]
  cheapest <- apply(cost, 2, min, Inf, na.rm = TRUE)
  own <- apply(cost, 1, function(row) utils::head(order(row, na.last = NA), 5))
  shown <- union(utils::head(order(cheapest), 15), unlist(own))
  shown <- shown[is.finite(cheapest[shown])]
  rows <- order(-apply(cost, 1, min, na.rm = TRUE))
  out <- cost[rows, shown[order(cheapest[shown])], drop = FALSE]
  dimnames(out) <- lapply(dimnames(out), function(index) labels(as.integer(index)))
  out
}

# what leaves and enters the best set, for the features whose witness reaches the cut
witness_list <- function(found, cut, labels) {
  shown <- which(lengths(found$witness) > 0 & found$low >= cut)
  label <- labels(seq_along(found$witness))
  out <- lapply(found$witness[shown], function(set) {
    list(out = label[found$best[!found$best %in% set]], into = label[set[!set %in% found$best]])
  })
  stats::setNames(out, as.character(labels(shown)))
}

sets_part <- function(found, names, labels) {
  frequency <- sweep(found$frequency, 2, pmax(found$count, 1), "/")
  colnames(frequency) <- names
  list(
    count = stats::setNames(found$count, names), complete = stats::setNames(found$complete, names),
    frequency = frequency, best = matrix(labels(c(found$sets)), nrow(found$sets)),
    share = share_of(found$set_values, found$value, found$slack)
  )
}

# "0.1%", "2.5%"
format_share <- function(share) paste0(format_each(100 * share, 3), "%")

# ---- print and table -----------------------------------------------------------------

#' @export
print.feature_alternatives <- function(x, ...) {
  open <- is_undecided(x)
  cat(if (open) open_line(x) else role_lines(x), value_lines(x), price_lines(x, open), sep = "\n")
  if (isTRUE(x$error > 1e-6)) {
    cat(sprintf("Rounding: values are known up to %s of the best one.\n", format_share(x$error)))
  }
  if (identical(x$status, "time_limit")) {
    cat(sprintf("The time was over after %.1f s: more may be decided in more.\n", x$seconds))
  }
  invisible(x)
}

# has no price a lower end above rounding, and no more than one in a hundred features a role?
is_undecided <- function(x) {
  free <- x$features$locked == ""
  decided <- colSums(x$roles[x$features$index[free], , drop = FALSE] != "undecided")
  all(decided <= x$d / 100) && all(x$features$price_least[free] <= x$error)
}

open_line <- function(x) {
  sprintf("%s: %d of %s selected; nothing is decided of %d of them, and no price is above 0.",
    x$method, x$k, count_of(x$d, x$unit), min(colSums(x$roles == "undecided"))
  )
}

# the set and the sets that are asked about, and a line for each tolerance
role_lines <- function(x) {
  proved <- x$kind == "proved"
  count <- function(name, rows = seq_len(x$d)) colSums(x$roles[rows, , drop = FALSE] == name)
  own <- x$features$index[x$features$selected & x$features$locked == ""]
  parts <- list(
    if (proved) sprintf("in every one %d", count("essential")),
    sprintf("in some %d (%d of your %d)", count("exchangeable"), count("exchangeable", own),
      length(own)
    ),
    if (proved) sprintf("in none %d, proved", count("excluded")),
    if (proved) sprintf("undecided %d", count("undecided")),
    if (!is.null(x$sets)) {
      sprintf("%s%.0f set%s", ifelse(x$sets$complete, "", "at least "), x$sets$count,
        ifelse(x$sets$count == 1, "", "s")
      )
    }
  )
  c(
    sprintf("%s: %d of %s selected; sets of %d%s that reach at least %s of the best one known%s:",
      x$method, x$k, count_of(x$d, x$unit), x$k, within_rules(x),
      paste(reach_words(x$tolerance), collapse = " / "),
      if (proved) "" else " (no bound is known, so nothing is proved)"
    ),
    paste0("  ", if (length(x$tolerance) > 1L) paste0(colnames(x$roles), ": "),
      do.call(paste, c(Filter(Negate(is.null), parts), sep = " | "))
    )
  )
}

within_rules <- function(x) if (is.null(x$rules)) "" else " within the rules"

# how good the set and the best one known are
value_lines <- function(x) {
  beyond <- sprintf(" by more than %s of its value", format_above(x$gap))
  if (isTRUE(x$gap <= optimal_gap)) beyond <- ": proved"
  c(
    if (isTRUE(x$share < 1 - 1e-9)) sprintf(
      "Your set reaches %s of the best one that was met: see $best.", reach_words(1 - x$share)
    ),
    if (!is.na(x$gap)) sprintf(
      "No set of %d%s is better than the best one known%s.", x$k, within_rules(x), beyond
    )
  )
}

# "99.9%" of a tolerance of 0.001, never rounded up
reach_words <- function(tolerance) {
  digits <- ifelse(tolerance > 0, pmax(0, 1 - floor(log10(100 * pmax(tolerance, 1e-12)))), 0)
  reach <- floor(100 * (1 - tolerance) * 10^digits + 1e-6) / 10^digits
  paste0(vapply(reach, format, "", digits = 12), "%")
}

# the dearest and the cheapest of the selected features, as a table; `open`: their backups only
price_lines <- function(x, open, each = 3L) {
  own <- which(x$features$selected & x$features$locked == "")
  columns <- c("feature", "role", "best", "price_least", "price_most", "replacement",
    "replacement_cost", "backup", "restored"
  )
  if (open) columns <- c("feature", "backup", "restored")
  table <- x$features[union(utils::head(own, each), utils::tail(own, each)), columns]
  if (nrow(table) == 0L) {
    return(NULL)
  }
  plain <- c("best"[all(table$best)], "price_least"[all(table$price_least == 0)],
    c("backup", "restored")[all(is.na(table$backup))]
  )
  table <- table[setdiff(columns, plain)]
  names <- intersect(c("feature", "replacement", "backup"), names(table))
  table[names] <- lapply(table[names], function(labels) short_labels(as.character(labels)))
  names(table) <- sub("replacement_cost", "cost", names(table))
  c(
    if (nrow(table) < length(own)) "The dearest and the cheapest:" else "Prices:",
    utils::capture.output(print(table, digits = 3, row.names = FALSE))
  )
}

#' @export
as.data.frame.feature_alternatives <- function(x, row.names = NULL, optional = FALSE, ..., # nolint
                                               tolerance = NULL) {
  check_table_arguments(...)
  tolerance <- if (is.null(tolerance)) x$tolerance else resolve_tolerance(tolerance, x$k)
  table <- x$features
  roles <- as.data.frame(roles_at(table, tolerance, x$error))
  roles[] <- lapply(roles, factor, role_levels)
  at <- which(names(table) == "role")
  if (length(tolerance) > 1L) {
    names(roles) <- paste0("role_", format_share(tolerance))
    return(cbind(table[seq_len(at - 1L)], roles, table[-seq_len(at)]))
  }
  table$role <- roles[[1]]
  table$proved <- x$kind == "proved" & table$role != "undecided"
  table
}
