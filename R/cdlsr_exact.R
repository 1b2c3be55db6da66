# The proofs of optimality of cdlsr(), for sets of one size or of several, from the end of the
# exchanges.

# the fit's raw result with the best sets in it, and the proof of the largest size, with those of
# all sizes as `sizes`, which count the lost features of `locked` as well
prove <- function(data, response, out, settings, time_limit, sizes, locked, verbose) {
  sets <- lapply(sizes, known_set, out)
  settings$k <- sizes
  found <- .Call(C_cdlsr_exact, unclass(data), core_response(response), sets,
    c(settings, list(time_limit = time_limit, YtY = response$YtY, verbose = as.integer(verbose)))
  )
  for (at in seq_along(sizes)) {
    if (!setequal(found[[at]]$set, sets[[at]])) {
      out <- with_set(data, response, out, settings, found[[at]]$set, sizes[at])
    }
  }
  # where it is not known that the lost ones change nothing
  nothing <- if (isTRUE(locked$hidden)) {
    list(complete = FALSE, resolved = FALSE, bound = response$total)
  }
  found <- lapply(found, utils::modifyList, or_default(nothing, list()))
  proofs <- lapply(seq_along(sizes), function(at) {
    objective <- known_objective(sizes[at], out)
    as_proof(found[[at]], response$total, objective, settings$tol)
  })
  proof <- proofs[[length(sizes)]]
  proof$late <- sum(vapply(proofs, `[[`, 0, "seconds")) >= 0.9 * time_limit
  proof$sizes <- list(
    k = sizes + length(locked$lost),
    bound = vapply(proofs, `[[`, 0, "bound"), gap = vapply(proofs, `[[`, 0, "gap"),
    complete = vapply(proofs, `[[`, NA, "complete"), seconds = vapply(proofs, `[[`, 0, "seconds")
  )
  list(out = out, proof = proof)
}

# the best set of a size; where there was no time for those of all sizes, the beginning of the last
known_set <- function(size, out) {
  if (size >= length(out$subset$selected)) {
    return(out$subset$selected)
  }
  if (is.null(out$path)) utils::head(out$subset$selected, size) else out$path$features[[size]]
}

known_objective <- function(size, out) {
  last <- size >= length(out$subset$selected) || is.null(out$path)
  if (last) out$subset$objective else out$path$objective[size]
}

as_proof <- function(found, total, objective, tol) {
  lower <- if (found$complete) objective else lower_bound(found, total, objective, tol)
  c(
    list(bound = lower, gap = if (objective > 0) (objective - lower) / objective else 0),
    found[c("complete", "resolved", "nodes", "seconds", "dropped", "joined", "trace")]
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

# the raw result with another set of so many features
with_set <- function(data, response, out, settings, set, size = settings$k) {
  settings$solver <- "forward"
  settings$forward <- settings$path <- FALSE
  settings$search_limit <- NULL
  settings$k <- size
  other <- .Call(C_cdlsr, unclass(data), core_response(response), matrix(set, 1), settings)
  if (size >= length(out$subset$selected)) {
    out$subset <- other$subset
    out$objective <- c(out$objective, utils::tail(other$objective, 1))
    out$iterations <- out$iterations + 1L
  }
  if (!is.null(out$path)) {
    out$path$features[[size]] <- other$subset$selected
    out$path$coefficients[[size]] <- other$subset$coefficients
    out$path$explained[size] <- utils::tail(other$subset$explained, 1)
    out$path$objective[size] <- other$subset$objective
  }
  out
}

# the points of a path over k in one search
cdlsr_points <- function(data, sizes, given, x, y) {
  if (chosen(given, "solver", cdlsr) != "exact" || !starts_forward(given)) {
    return(NULL)
  }
  fit <- quietly(fit_method(method_entry("cdlsr"), x, y, data, sizes, given))
  list(
    points = lapply(sizes, function(k) {
      path_element_point(fit, fit$path$features[[at_size(fit, k)]], k)
    }),
    parameters = fit$parameters
  )
}
