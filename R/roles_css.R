# The roles of features among the column subsets that reproduce nearly as much as the best one.

# As cdlsr_roles(); y: the component scores of component_response(), NULL for all of the data.
# Without a bound, where the search for the best set has no end, there are witnesses only.
css_roles <- function(data, y, k, m, selected, tolerance, seconds, sets, include, exclude,
                      settings = list(), progress = FALSE) {
  started <- proc.time()[["elapsed"]]
  data <- lock_for_roles(data, include, exclude)
  locked <- resolve_locked(data, y, k)
  data <- locked$data
  given <- as.integer(setdiff(selected, locked$lost))
  wanted <- c(
    css_settings(length(given), "exchange", FALSE, list(tol = 1e-9, maxit = 100L)),
    search_parts(css_effort)
  )
  best <- .Call(C_css_restart, unclass(data), y[c("B", "total")], given, wanted)$set
  found <- .Call(C_css_roles, unclass(data), y[c("B", "total")],
    list(given = given, best = as.integer(best)),
    c(wanted, list(
      tolerance = as.numeric(tolerance), sets = role_sets(sets), YtY = y$YtY,
      time_limit = time_left(started, seconds)
    ))
  )
  if (!found$proved) found$high[is.finite(found$high)] <- Inf
  found$copies <- near_copies(data)
  as_roles(found, locked$lost, started, sets)
}
