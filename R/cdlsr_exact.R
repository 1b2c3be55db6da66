# The proofs of optimality of cdlsr() and css(), for sets of one size or of several, from the end of
# the exchanges.

# the fit's raw result with the best sets in it, and the proof of the largest size, of cdlsr() with
# those of all sizes as `sizes`, which count the lost features of `locked` as well
prove_found <- function(data, response, out, settings, args, locked, left, of_css) {
  if (args$solver != "exact") {
    return(list(out = out))
  }
  total <- or_default(or_default(response$total, out$none$total), data_trace(data))
  objective_of <- function(size, out) objective_at(size, out, data, response, settings$ridge)
  sizes <- or_default(args[["sizes"]], args$k) - length(locked$lost)
  sets <- lapply(sizes, known_set, out)
  settings_of_proof <- utils::modifyList(settings, list(
    k = sizes, searched = if (of_css) sizes else 0L, time_limit = left, YtY = response$YtY,
    sign = response[["sign"]]
  ))
  found <- prove_sets(data, response, sets, settings_of_proof)
  # cross-products of features that just count as independent in css() resolve 1e-6 of the total
  tol <- if (of_css) max(settings$tol, 1e-6) else settings$tol
  for (at in seq_along(sizes)) {
    if (!setequal(found[[at]]$set, sets[[at]])) {
      other <- with_set(data, response, out, found[[at]]$set, settings$ridge)
      room <- max(tol, 1e-12) * total
      if (objective_of(sizes[at], other) <= objective_of(sizes[at], out) + room) {
        out <- other
      } else { # cross-products told otherwise
        found[[at]][c("complete", "resolved")] <- FALSE
      }
    }
  }
  proofs <- lapply(seq_along(sizes), function(at) {
    # where it is not known that the lost ones change nothing
    if (!of_css && isTRUE(locked$hidden)) {
      found[[at]][c("complete", "resolved", "bound")] <- list(FALSE, FALSE, total)
    }
    as_proof(found[[at]], total, max(objective_of(sizes[at], out), 0), tol)
  })
  proof <- proofs[[length(sizes)]]
  of_all <- function(what) vapply(proofs, `[[`, proof[[what]], what)
  proof$late <- sum(of_all("seconds")) >= 0.9 * left
  proof$sizes <- if (!of_css) {
    list(
      k = args$sizes, bound = of_all("bound"), gap = of_all("gap"), complete = of_all("complete")
    )
  }
  list(out = out, proof = proof)
}

prove_sets <- function(data, response, sets, settings) {
  data <- unclass(data)
  given <- core_response(response)
  if (value_for(response) == "lsq") {
    .Call(C_sets_exact, data, given, sets, settings)
  } else {
    .Call(C_family_exact, data, given, sets, settings)
  }
}

# the best set of a size; where there was no time for those of all sizes, the beginning of the last
known_set <- function(size, out) {
  if (has_size(size, out)) out$path$features[[size]] else utils::head(out$subset$selected, size)
}

# is a set of that size, below that of the last one, among those told? They end where features of
# one depend on each other
has_size <- function(size, out) {
  size < length(out$subset$selected) && size <= length(out$path$features)
}

# also of the beginning of the last set
objective_at <- function(size, out, data, response, ridge) {
  if (has_size(size, out)) {
    return(out$path$objective[size])
  }
  subset <- out$subset
  if (size < length(subset$selected)) {
    subset <- refitted_set(data, response, known_set(size, out), ridge)$subset
  }
  subset$objective
}

as_proof <- function(found, total, objective, tol) {
  # nothing is proved of a set that has less than the proof took it to have
  if (objective - (total - found$value) > max(tol, 1e-12) * total) {
    found[c("complete", "resolved")] <- FALSE
  }
  lower <- if (found$complete) objective else lower_bound(found, total, objective, tol)
  c(
    list(bound = lower, gap = if (objective > 0) (objective - lower) / objective else 0),
    found[setdiff(names(found), "bound")]
  )
}

# of the objective: `bound` is what no set explains more of. Beyond the objective of the set
# itself it can only be by rounding
lower_bound <- function(found, total, objective, tol) {
  lower <- max(total - found$bound, 0)
  if (found$resolved && lower - objective > max(tol, 1e-12) * total) {
    stop_core("internal", "bound", "a bound is on the wrong side of the objective")
  }
  min(lower, objective)
}

# the raw result with another set of its size
with_set <- function(data, response, out, set, ridge = 0) {
  size <- length(set)
  subset <- refitted_set(data, response, set, ridge)$subset
  if (size >= length(out$subset$selected)) {
    out$subset <- subset
    out$objective <- c(out$objective, subset$objective)
    out$iterations <- out$iterations + 1L
  }
  if (size <= length(out$path$features)) {
    out$path$features[[size]] <- subset$selected
    out$path$coefficients[[size]] <- subset$coefficients
    out$path$intercept[size] <- list(subset[["intercept"]])
    out$path$explained[size] <- utils::tail(subset$explained, 1)
    out$path$objective[size] <- subset$objective
  }
  out
}

# the points of a path over k in one search
points_proved <- function(name) {
  function(data, sizes, given, x, y) {
    entry <- method_table()[[name]]
    if (chosen(given, "solver", entry$fit) != "exact" || !starts_forward(given)) {
      return(NULL)
    }
    fit <- quietly(fit_method(entry, x, y, data, sizes, given))
    list(
      points = lapply(sizes, function(k) {
        path_element_point(fit, fit$path$features[[at_size(fit, k)]], k)
      }),
      parameters = fit$parameters
    )
  }
}
