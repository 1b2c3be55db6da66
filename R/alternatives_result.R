# The result of alternatives(): roles and prices from bounds and witnesses, in the columns of x.

role_levels <- c("essential", "exchangeable", "undecided", "excluded")

new_alternatives <- function(problem, found, tolerance, sets, stability, call, started) {
  data <- problem$data
  view <- view_of(data)
  names <- or_default(view$names, as.character(seq_len(view$d)))
  labels <- function(index) feature_labels(list(feature_names = view$names), index)
  outer <- function(index) labels(outer_index(index, data))
  roles <- roles_matrix(found, tolerance, data)
  prices <- price_table(found, data)
  best <- outer_index(found$best, data)
  features <- feature_table(problem, found, prices, roles, labels, stability)
  structure(
    list(
      features = features, roles = roles,
      exchanges = exchange_costs(found, data, names),
      witness = witness_list(found, if (found$kind != "refits") min_cut(found, tolerance), outer),
      disjoint = disjoint_part(found, outer), sets = sets_part(found, tolerance, data, outer),
      groups = unname(lapply(split(seq_along(found$copies), found$copies), outer)[
        setdiff(as.character(unique(found$copies)), "0")
      ]),
      value = squares_in_units(found$value, problem$unit),
      bound = if (is.finite(found$bound)) squares_in_units(found$bound, problem$unit) else NA_real_,
      best = labels(best), selected = labels(problem$columns),
      share = share_of(found$given, found$value, found$slack),
      error = share_of(found$slack, found$value), kind = found$kind,
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

min_cut <- function(found, tolerance) min(cuts_of(found, tolerance))

# values that are above the total by no more than the error of both are that
share_of <- function(value, total, error = 0) {
  if (isTRUE(total == 0)) {
    return(rep(1, length(value)))
  }
  as.double(ifelse(value > total & value <= total + error, 1, value / total))
}

# ---- roles and prices ----------------------------------------------------------------

# of inner columns: TRUE for those of the best set
in_best <- function(found) seq_along(found$low) %in% found$best

roles_at <- function(found, tolerance) {
  cut <- cuts_of(found, tolerance)
  role <- rep("undecided", length(found$low))
  if (is.na(cut)) {
    return(role)
  }
  role[found$low >= cut] <- "exchangeable"
  never <- found$high < cut
  role[never] <- ifelse(in_best(found)[never], "essential", "excluded")
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

# least and most of the price of each feature of the whole; infinite where no set answers
price_table <- function(found, data) {
  value <- found$value
  price <- function(bound) if (isTRUE(value == 0)) 0 * bound else 1 - bound / value
  least <- price(found$high)
  most <- price(found$low)
  if (isTRUE(value == 0)) least[] <- most[] <- 0
  none <- found$high == -Inf
  least[is.na(least) | least < 0] <- 0
  most[found$low == -Inf] <- if (found$proved) 1 else NA_real_
  least[none] <- most[none] <- Inf
  out <- cbind(least = least, most = pmax(most, least))
  if (is.na(value)) out[] <- NA_real_
  per_feature(out, data, Inf, names = NULL)
}

# ---- the table of features -----------------------------------------------------------

feature_table <- function(problem, found, prices, roles, labels, stability) {
  data <- problem$data
  d <- view_of(data)$d
  whole <- seq_len(d)
  best <- outer_index(found$best, data)
  replacement <- replacements(found, data)
  locked <- rep("", d)
  locked[outer_index(data$locked, data)] <- "included"
  locked[view_of(data)$excluded] <- "excluded"
  role <- factor(roles[, 1], role_levels)
  table <- data.frame(
    feature = labels(whole), index = whole, selected = whole %in% problem$columns,
    best = whole %in% best, role = role, price_least = prices[, "least"],
    price_most = prices[, "most"], average_least = prices[, "least"] * problem$k,
    average_most = prices[, "most"] * problem$k, replacement = labels(replacement$feature),
    replacement_cost = replacement$cost, proved = found$proved & role != "undecided",
    locked = locked, group = per_feature(found$copies, data, 0L, names = NULL)
  )
  frequency <- found[["frequency"]]
  if (is.matrix(frequency)) {
    count <- max(found$count[1], 1)
    table$frequency <- per_feature(frequency[, 1] / count, data, names = NULL)
  }
  table$stability <- stability
  table <- table[order(!table$selected, ifelse(table$selected, -1, 1) * table$price_most,
    ifelse(table$selected, -1, 1) * table$price_least, match(whole, problem$columns), whole
  ), , drop = FALSE]
  rownames(table) <- NULL
  table
}

# of every feature of the whole: the cheapest single exchange with one of the other side, or what
# entered a set without it. list(feature, cost), columns and shares of the value
replacements <- function(found, data) {
  d <- view_of(data)$d
  out <- list(feature = rep(NA_integer_, d), cost = rep(NA_real_, d))
  if (is.matrix(found[["exchanges"]])) {
    table <- exchange_table(found)
    cost <- 1 - table$values / found$value
    cost[is.na(cost)] <- Inf
    if (ncol(cost) > 0) {
      into <- max.col(-cost, "first")
      out <- with_replacement(out, found$best, table$columns[into],
        cost[cbind(seq_along(into), into)], data
      )
      from <- max.col(-t(cost), "first")
      out <- with_replacement(out, table$columns, found$best[from],
        cost[cbind(from, seq_along(from))], data
      )
    }
  }
  lost <- which(lengths(found$witness) > 0 & is.na(out$feature[outer_index(seq_len(data$d), data)]))
  for (feature in lost) {
    set <- found$witness[[feature]]
    other <- if (feature %in% found$best) setdiff(set, found$best) else setdiff(found$best, set)
    at <- outer_index(feature, data)
    single <- length(other) == 1L
    if (single || found$kind == "refits") out$feature[at] <- outer_index(other[1], data)
    if (single) {
      cost <- 1 - found$low[feature] / found$value
      out$cost[at] <- if (is.finite(cost)) max(cost, 0) else NA_real_
    }
  }
  out
}

with_replacement <- function(out, features, others, cost, data) {
  known <- is.finite(cost)
  at <- outer_index(features[known], data)
  out$feature[at] <- outer_index(others[known], data)
  out$cost[at] <- pmax(cost[known], 0)
  out
}

# list(values, columns): exchanges with features that are not in the best set
exchange_table <- function(found) {
  columns <- or_default(found[["columns"]], seq_len(ncol(found$exchanges)))
  outside <- !columns %in% found$best
  list(values = found$exchanges[, outside, drop = FALSE], columns = columns[outside])
}

# ---- parts ---------------------------------------------------------------------------

# features of the best set that may leave, the dearest first, by the five cheapest replacements
# of each and the fifteen cheapest of all
exchange_costs <- function(found, data, names, each = 5L, all = 15L) {
  if (!is.matrix(found[["exchanges"]])) {
    return(NULL)
  }
  table <- exchange_table(found)
  cost <- pmax(1 - table$values / found$value, 0)
  rows <- which(rowSums(!is.na(cost)) > 0)
  if (length(rows) == 0L || isTRUE(found$value == 0)) {
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
  dimnames(out) <- list(
    names[outer_index(found$best[rows], data)], names[outer_index(table$columns[shown], data)]
  )
  out
}

# what leaves and enters the best set, for the features whose witness reaches the cut; without one
# for all that were asked about
witness_list <- function(found, cut, outer) {
  cut <- or_default(cut, NA)
  shown <- which(lengths(found$witness) > 0 & (is.na(cut) | found$low >= cut))
  out <- lapply(found$witness[shown], function(set) {
    list(out = outer(setdiff(found$best, set)), into = outer(setdiff(set, found$best)))
  })
  stats::setNames(out, as.character(outer(shown)))
}

disjoint_part <- function(found, outer) {
  if (is.null(found[["disjoint"]])) {
    return(NULL)
  }
  list(
    selected = outer(found$disjoint$set),
    share = share_of(found$disjoint$value, found$value, found$slack)
  )
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
