# The role of every feature for fspca(), by the search of the certificate, see src/proof/roles.c.

fspca_roles <- function(problem, tolerance, sets, left) {
  m <- problem[["m"]]
  k <- problem$k
  operator <- problem$operator
  operator$locked <- union(operator$locked, problem$data$locked)
  check_certifiable(operator)
  given <- set_value(problem, problem$set)
  best <- if (is.null(problem$rules)) {
    roles_start(operator, problem$leading, problem$set, given, left())
  } else {
    set <- start_within(problem$rules, operator, "trace", k, left, m = m, tol = exact_tie)
    list(set = set, value = set_value(problem, set))
  }
  bound <- bound_above(min(free_bounds(operator, problem$leading, k)), best$value)
  settings <- list(
    m = m, k = k, value = best$value, bound = bound, form = operator$kind == "blocks",
    rules = problem$rules, barred = which(or_default(problem$rules$barred, FALSE))
  )
  found <- .Call(C_fspca_roles, unclass(operator),
    list(given = as.integer(problem$set), best = as.integer(best$set)),
    c(settings, certificate_sizes(operator, k), role_settings(tolerance, sets, left))
  )
  found <- as_roles(found, problem$set, integer(), sets)
  found$given <- given
  found
}

# The set to begin with: the given one, or a better one by exchanges in a tenth of the time
roles_start <- function(operator, leading, selected, given, seconds) {
  fit <- run_fspca(operator, leading, length(selected), "exchange", list(maxit = 100L),
    work = exchange_work / 10, perturbations = exchange_perturbations / 10, seconds = seconds / 10
  )
  value <- sum(fit$values)
  is_better <- value > given * (1 + 1e-10)
  list(set = if (is_better) fit$subset else selected, value = if (is_better) value else given)
}
