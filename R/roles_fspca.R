# The role of every feature for fspca(): which are in all, in some or in none of the sets of k
# features whose value comes near the best. The search is that of the certificate, see
# src/method/fspca/roles.h.

# Bounds and witnesses of every feature's question, by inner columns
fspca_roles <- function(problem, tolerance, sets, left) {
  m <- problem[["m"]]
  k <- problem$k
  operator <- problem$operator
  operator$locked <- union(operator$locked, problem$data$locked)
  check_certifiable(operator)
  given <- set_value(problem, problem$set)
  best <- roles_start(operator, problem$leading, problem$set, given, left())
  bound <- bound_above(min(free_bounds(operator, problem$leading, k)), best$value)
  settings <- c(
    list(
      m = m, verbose = isTRUE(problem$given[["control"]]$verbose), tie = 0,
      form = operator$kind == "blocks"
    ), certificate_sizes(operator, k)
  )
  repeat {
    set <- as.integer(best$set)
    found <- .Call(C_fspca_roles, unclass(operator), list(given = set, best = set),
      c(settings, role_settings(tolerance, sets, left),
        list(k = k, value = best$value, bound = bound)
      )
    )
    found <- ask_alone(found, operator, settings, tolerance, left)
    if (is.null(found$better)) break
    best <- found$better # all of it again, from the better set
  }
  found$given <- given
  as_roles(found, integer(), sets)
}

# ---- questions that the search left open ----------------------------------------------

# A certificate for each, those with the smallest bound first: of the sets without a feature of the
# best one, or with another one. `left()`: seconds.
ask_alone <- function(found, operator, settings, tolerance, left) {
  asked <- logical(length(found$low))
  repeat {
    cut <- open_cut(found, tolerance)
    cut[asked | seq_along(cut) %in% operator$locked] <- NA
    open <- which(!is.na(cut))
    if (length(open) == 0L || left() == 0 || !is.null(found$better)) {
      # time may be over where nothing is open any more
      found$decided <- left() > 0 || all(is.na(open_cut(found, tolerance)))
      return(found)
    }
    i <- open[which.min(found$high[open])]
    asked[i] <- TRUE
    found <- ask_about(i, cut[i], found, operator,
      utils::modifyList(settings, list(time_limit = left() / min(length(open), 10)))
    )
  }
}

# the lowest cut of the tolerances for which it is open whether the answer to a feature's question
# reaches it, or NA
open_cut <- function(found, tolerance) {
  lowest <- rep(NA_real_, length(found$low))
  for (one in sort(tolerance)) {
    cut <- (1 - one) * found$value - found$slack
    is_open <- is.finite(found$low) & found$low < cut & found$high >= cut
    lowest[is_open] <- cut
  }
  lowest
}

# the certificate of the sets that answer the question of a feature, as far as it takes to know
# whether they reach the cut, or a set `better` than the best one
ask_about <- function(i, cut, found, operator, settings) {
  if (i %in% found$best) settings$barred <- i else operator$locked <- union(operator$locked, i)
  set <- found$witness[, i]
  value <- subset_value(operator, set, settings$m)
  settings <- utils::modifyList(settings,
    list(value = value, bound = found$high[i], tie = max(0.999 * (cut / value - 1), 0))
  )
  proof <- .Call(C_fspca_bound, unclass(operator), as.integer(set), settings)
  found$questions <- found$questions + 1
  if (proof$value > found$value * (1 + better_value)) {
    found$better <- list(set = proof$set, value = proof$value)
    return(found)
  }
  found$high[i] <- min(found$high[i], max(proof$bound, proof$value))
  low <- min(proof$value * (1 - roles_value_error), found$value)
  if (low > found$low[i]) {
    found$low[i] <- low
    found$witness[, i] <- sort(proof$set)
  }
  found
}

# values of sets are known up to this share, and this is a better one
roles_value_error <- 1e-11
better_value <- 1e-10

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
  if (value > given * (1 + better_value)) {
    return(list(set = fit$subset, value = value))
  }
  list(set = selected, value = given)
}
