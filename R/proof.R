# What fits say of a proof of optimality: the lines of print() and summary(), and the picture of
# the best set and the bound over time. For fits with an element `proof` of complete, resolved,
# nodes, seconds and, where the search kept it, trace: seconds, value and bound, shares explained;
# and those of fspca() with a certificate, which says the same.

# is this what a search left, and not edited by hand?
is_proof <- function(proof) {
  is.list(proof) && isTRUE(proof[["complete"]] %in% c(TRUE, FALSE)) &&
    is_number(proof[["nodes"]]) && is_number(proof[["seconds"]])
}

is_trace <- function(trace) {
  is.list(trace) && all(vapply(c("seconds", "value", "bound"), function(name) {
    is.numeric(trace[[name]]) && length(trace[[name]]) == length(trace[["seconds"]]) &&
      all(is.finite(trace[[name]]))
  }, NA)) && length(trace[["seconds"]]) > 0L
}

# NULL for fits without a proof
proof_of <- function(fit) {
  if (is_proof(fit[["proof"]])) fit$proof else proof_by_certificate(fit)
}

proof_by_certificate <- function(fit) {
  certificate <- fit[["certificate"]]
  proof <- list(
    complete = identical(certificate[["status"]], "optimal"), nodes = certificate[["nodes"]],
    seconds = certificate[["seconds"]], dropped = length(certificate[["excluded"]]),
    joined = length(certificate[["essential"]]), trace = certificate[["trace"]]
  )
  if (!is_proof(proof) || !isTRUE(certificate[["evaluations"]] > 0)) {
    return(NULL)
  }
  if (is_trace(proof$trace) && is_number(fit[["captured"]])) {
    share <- fit$captured / sum(fit$values)
    proof$trace[c("value", "bound")] <- lapply(proof$trace[c("value", "bound")], `*`, share)
  }
  proof
}

# NULL for fits without a proof
proof_lines <- function(fit) {
  proof <- proof_of(fit)
  if (is.null(proof)) {
    return(NULL)
  }
  sets <- sprintf("other %s", count_of(units_in(fit, fit$selected), unit_noun(fit)))
  claim <- if (proof$complete) {
    sprintf("proved: no %s %s", sets, better_words(fit))
  } else if (!isTRUE(fit[["gap"]] < 1)) {
    "not proved: nothing is known of other sets"
  } else {
    sprintf("not proved: no %s have an objective more than %s%% lower", sets,
      format(100 * fit[["gap"]], digits = 2)
    )
  }
  effort <- c(
    count_of(proof$nodes, "node"),
    if (isTRUE(proof[["dropped"]] > 0)) {
      paste(count_of(proof$dropped, unit_noun(fit)), "eliminated")
    },
    if (isTRUE(proof[["joined"]] > 0)) sprintf("%.0f fixed", proof$joined),
    sprintf("%.2f s", proof$seconds)
  )
  sprintf("%s; %s", claim, paste(effort, collapse = ", "))
}

better_words <- function(fit) {
  if (!is.null(fit[["response"]])) {
    "fit better"
  } else if (is.null(fit[["certificate"]])) {
    "reproduce more"
  } else {
    "carry more"
  }
}
