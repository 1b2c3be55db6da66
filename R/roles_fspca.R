# The role of every feature for fspca(): which are in all, in some or in none of the sets of k
# features whose value comes near the best. The search is that of the certificate, see
# src/method/fspca/roles.h.

# Bounds and witnesses of every feature's question, by inner columns; `settings`: operator and
# leading eigenvectors of `data`, where these are known. `include` beside what is locked in `data`;
# `exclude` must have left the data.
fspca_roles <- function(data, y, k, m, selected, tolerance, seconds, sets, include, exclude,
                        settings, progress = FALSE) {
  started <- proc.time()[["elapsed"]]
  operator <- or_default(settings[["operator"]], as_operator(data, m))
  operator$locked <- union(operator$locked, include)
  leading <- or_default(settings[["leading"]], leading_eigenvectors(operator, m))
  check_certifiable(operator)
  given <- subset_value(operator, selected, m)
  start <- roles_start(operator, leading, selected, given, time_left(started, seconds))
  free <- free_bounds(operator, leading, k)
  known <- list(
    m = m, value = start$value, bound = bound_above(min(free), start$value),
    seconds = time_left(started, seconds), verbose = isTRUE(progress), tie = 0,
    form = operator$kind == "blocks", tolerance = as.double(tolerance), sets = as.integer(sets)
  )
  found <- .Call(C_fspca_roles, unclass(operator), as.integer(start$set),
    c(known, certificate_sizes(operator, k))
  )
  found$copies <- near_copies(data)
  new_fspca_roles(found, operator, given, sets)
}

# what C says, as all engines say it
new_fspca_roles <- function(found, operator, given, sets) {
  locked <- operator$locked
  found$low[locked] <- found$high[locked] <- -Inf
  known <- is.finite(found$low)
  found$witness <- lapply(seq_along(known), function(i) {
    if (known[i]) found$witness[, i] else integer()
  })
  found$given <- given
  found$exchanges[!is.finite(found$exchanges)] <- NA_real_
  if (sets == 0L) found$count <- NA_real_
  found$proved <- TRUE
  found$status <- if (found$finished) "finished" else "time_limit"
  found
}

subset_value <- function(operator, set, m) {
  sum(.Call(C_subpca, unclass(operator), as.integer(set), m)$values)
}

# The best set to begin with: that of the exchanges where it is better than the given one, in a
# tenth of the time
roles_start <- function(operator, leading, selected, given, seconds) {
  fit <- run_fspca(operator, leading, length(selected), "exchange", list(maxit = 100L),
    work = exchange_work / 10, perturbations = exchange_perturbations / 10, seconds = seconds / 10
  )
  value <- sum(fit$values)
  if (value > given * (1 + 1e-10)) {
    return(list(set = fit$subset, value = value))
  }
  list(set = selected, value = given)
}
