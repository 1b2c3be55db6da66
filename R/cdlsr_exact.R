# The proof of optimality by branch and bound, from the end of the exchanges.

# the fit's raw result with the best set in it, and the proof
prove <- function(data, response, out, settings, time_limit) {
  if (length(out$subset$selected) < settings$k || anyNA(out$starts$sets[out$best, ])) {
    return(list(out = out, proof = trivial_proof(out, data)))
  }
  explained <- utils::tail(out$subset$explained, 1)
  found <- .Call(C_cdlsr_exact, unclass(data), response[c("Y", "B", "total")],
    out$subset$selected,
    c(settings, list(explained = explained, time_limit = time_limit, YtY = response$YtY))
  )
  if (!setequal(found$set, out$subset$selected)) {
    out <- with_set(data, response, out, settings, found$set)
  }
  objective <- out$subset$objective
  lower <- if (found$complete) objective else lower_bound(found$bound, response$total, objective)
  list(out = out, proof = list(
    bound = lower, gap = if (objective > 0) (objective - lower) / objective else 0,
    complete = found$complete, resolved = found$resolved, nodes = found$nodes,
    seconds = found$seconds
  ))
}

# fewer than k independent features: they explain all that any set does; but
# cross-products alone do not tell dependent features from nearly dependent ones
trivial_proof <- function(out, data) {
  sure <- data$kind != "moments" || out$subset$objective <= 0
  list(
    bound = if (sure) out$subset$objective else 0, gap = if (sure) 0 else 1,
    complete = sure, resolved = sure, nodes = 0, seconds = 0
  )
}

# of the objective: `explained` is what no set exceeds
lower_bound <- function(explained, total, objective) {
  min(max(total - explained, 0), objective)
}

# the raw result with another set at the last size
with_set <- function(data, response, out, settings, set) {
  settings$solver <- "forward"
  settings$forward <- settings$path <- FALSE
  other <- .Call(C_cdlsr, unclass(data), response[c("Y", "B", "total")], matrix(set, 1), settings)
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
