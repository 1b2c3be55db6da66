# The roles of features for cdlsr(), rowsparse_glm() and css(). The engine takes a problem of
# roles_problem(), whose `inner` data and `response` are in units; no response stands for all of the
# data. Without a bound, if the search for the best set of css() has no end, there are witnesses
# only.

subset_roles <- function(problem, tolerance, sets, left) {
  y <- problem$response
  ridge <- problem$settings$ridge
  locked <- resolve_locked(problem$inner, y, problem$k, ridge)
  data <- unclass(locked$data)
  given <- best <- as.integer(setdiff(problem$set, locked$lost))
  response <- core_response(y)
  of_css <- problem$method == "css"
  settings <- do.call(subset_settings, c(list(length(given), ridge = ridge, forward = FALSE),
    if (of_css) css_effort
  ))
  rules <- rules_beside(problem$rules, locked$lost, data)
  searched <- if (is.null(rules)) {
    search_sets(data, y, settings, matrix(given, 1))$subset$selected
  } else {
    start_within(rules, locked$data, value_for(y), length(given), left,
      response = core_response(y), ridge = ridge, YtY = y$YtY, sign = y[["sign"]]
    )
  }
  if (length(searched) == length(given)) best <- searched
  start <- list(given = given, best = as.integer(best))
  settings <- utils::modifyList(settings, c(role_settings(tolerance, sets, left), list(
    YtY = y$YtY, searched = if (of_css) settings$k else 0L, rules = rules, sign = y[["sign"]]
  )))
  found <- if (value_for(y) == "lsq") {
    .Call(C_sets_roles, data, response, start, settings)
  } else {
    .Call(C_family_roles, data, response, start, settings)
  }
  if (!found$proved) found$high[is.finite(found$high)] <- Inf
  as_roles(found, given, locked$lost, sets)
}

# a tenth of the time is kept for what follows the search
role_settings <- function(tolerance, sets, left) {
  list(tolerance = as.double(tolerance), sets = as.integer(sets), time_limit = 0.9 * left())
}

# What was found, as the contract has it: features locked in that change nothing are in every set
as_roles <- function(found, given, lost, sets) {
  tables <- intersect(c("exchanges", "of_given"), names(found))
  scaled <- c("value", "low", "high", "bound", "given", "slack", "set_values", tables)
  found[scaled] <- lapply(found[scaled], `*`, found$unit)
  found$witness <- lapply(seq_along(found$low), function(j) {
    set <- found$witness[, j]
    if (anyNA(set)) integer() else sort(c(set, lost))
  })
  unknown <- matrix(NA_real_, length(lost), length(found$low))
  found[tables] <- Map(function(table, set) {
    table[is.nan(table)] <- NA
    rbind(table, unknown)[order(c(set, lost)), , drop = FALSE]
  }, found[tables], list(found$best, given)[seq_along(tables)])
  found$best <- sort(c(found$best, lost))
  if (length(lost) > 0) {
    found$sets <- rbind(found$sets, matrix(lost, length(lost), ncol(found$sets)))
    found$frequency[lost, ] <- rep(found$count, each = length(lost))
  }
  if (sets <= 0) found[c("count", "complete", "frequency", "sets", "set_values")] <- NA
  found$status <- if (found$late) "time_limit" else "finished"
  found
}
