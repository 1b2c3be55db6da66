# The roles of features among the sets that predict a response nearly as well as the best one:
# the problem of cdlsr() as the search takes it, and what alternatives() reads of the answer.

# Features are columns of `data`, prepared and in units (in_binary_units()); y: the response of
# prepare_response(units = TRUE). Values are what sets explain, in these units.
cdlsr_roles <- function(data, y, k, m, selected, tolerance, seconds, sets, include, exclude,
                        settings, progress = FALSE) {
  started <- proc.time()[["elapsed"]]
  data <- lock_for_roles(data, include, exclude)
  ridge <- or_default(settings[["ridge"]], 0)
  locked <- resolve_locked(data, y, k, ridge)
  data <- locked$data
  given <- setdiff(selected, locked$lost)
  wanted <- role_search(length(given), ridge)
  best <- better_set(data, y, given, wanted)
  found <- .Call(C_cdlsr_roles, unclass(data), core_response(y),
    list(given = as.integer(given), best = as.integer(best)),
    c(wanted, list(
      tolerance = as.numeric(tolerance), sets = role_sets(sets), YtY = y$YtY,
      time_limit = time_left(started, seconds)
    ))
  )
  found$copies <- near_copies(data)
  as_roles(found, locked$lost, started, sets)
}

# data in which the included features are locked, and the excluded ones come into no set
lock_for_roles <- function(data, include, exclude) {
  data$constant[exclude] <- TRUE
  data$locked <- if (length(include) > 0) as.integer(include)
  data
}

# the search for a good set, from the given one
role_search <- function(k, ridge) {
  begin <- list(forward = TRUE)
  cdlsr_settings("exchange", k, begin, FALSE, ridge, list(tol = 1e-9, maxit = 100L, threads = 1L),
    "standard"
  )
}

# the given set, or a better one that exchanges and restarts lead to
better_set <- function(data, response, given, settings) {
  found <- .Call(C_cdlsr, unclass(data), core_response(response), matrix(as.integer(given), 1),
    settings
  )
  set <- found$subset$selected
  if (length(set) == length(given)) set else given
}

# most sets that are listed
role_sets <- function(sets) as.integer(min(max(sets, 0), 1e6))

# What the engine found as the contract has it: the features that are locked in and change nothing
# belong to every set
as_roles <- function(found, lost, started, sets) {
  d <- length(found$low)
  found$witness <- lapply(seq_len(d), function(j) {
    set <- found$witness[, j]
    if (anyNA(set)) integer() else sort(c(set, lost))
  })
  found$exchanges <- rbind(
    found$exchanges, matrix(NA_real_, length(lost), ncol(found$exchanges))
  )
  best <- c(found$best, lost)
  order <- order(best)
  found$best <- best[order]
  found$exchanges <- found$exchanges[order, , drop = FALSE]
  if (length(lost) > 0) {
    found$sets <- rbind(found$sets, matrix(lost, length(lost), ncol(found$sets)))
    found$frequency[lost, ] <- rep(found$count, each = length(lost))
  }
  if (sets <= 0) found[c("count", "complete", "frequency", "sets", "set_values")] <- NA
  found$status <- if (found$decided) "finished" else "time_limit"
  found$seconds <- proc.time()[["elapsed"]] - started
  found
}
