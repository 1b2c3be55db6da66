# The proof of optimality by branch and bound, from the end of the exchanges.

# the fit's raw result with the best set in it, and the proof; `hidden`: of features that are
# locked in beside those of the data it is not known that they change nothing
prove <- function(data, response, out, settings, time_limit, hidden = FALSE) {
  found <- .Call(C_cdlsr_exact, unclass(data), core_response(response), out$subset$selected,
    c(settings, list(time_limit = time_limit, YtY = response$YtY))
  )
  if (!setequal(found$set, out$subset$selected)) {
    out <- with_set(data, response, out, settings, found$set)
  }
  if (hidden) {
    found$complete <- found$resolved <- FALSE
    found$bound <- response$total
  }
  objective <- out$subset$objective
  lower <- if (found$complete) {
    objective
  } else {
    lower_bound(found, response$total, objective, settings$tol)
  }
  list(out = out, proof = list(
    bound = lower, gap = if (objective > 0) (objective - lower) / objective else 0,
    complete = found$complete, resolved = found$resolved, nodes = found$nodes,
    seconds = found$seconds, dropped = found$dropped, joined = found$joined, trace = found$trace
  ))
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

# the raw result with another set at the last size
with_set <- function(data, response, out, settings, set) {
  settings$solver <- "forward"
  settings$forward <- settings$path <- FALSE
  settings$search_limit <- NULL
  other <- .Call(C_cdlsr, unclass(data), core_response(response), matrix(set, 1), settings)
  out$subset <- other$subset
  out$objective <- c(out$objective, utils::tail(other$objective, 1))
  out$iterations <- out$iterations + 1L
  if (!is.null(out$path)) {
    size <- length(out$path$explained)
    out$path$features[[size]] <- other$subset$selected
    out$path$coefficients[[size]] <- other$subset$coefficients
    out$path$explained[size] <- utils::tail(other$subset$explained, 1)
    out$path$objective[size] <- other$subset$objective
  }
  out
}
