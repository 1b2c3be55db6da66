# What fits say of a proof of optimality, as lines of print() and summary(). For fits with an
# element `proof` of complete, resolved, nodes, seconds and a trace; and those of fspca() with a
# certificate, which says the same.

# NULL for fits without a proof
proof_of <- function(fit) {
  certificate <- fit[["certificate"]]
  if (is.null(certificate[["trace"]])) {
    return(fit[["proof"]])
  }
  c(certificate[c("nodes", "seconds")], list(
    complete = identical(certificate$status, "optimal"),
    dropped = length(certificate[["excluded"]]), joined = length(certificate[["essential"]])
  ))
}

# NULL for fits without a proof
proof_lines <- function(fit) {
  proof <- proof_of(fit)
  if (is.null(proof)) {
    return(NULL)
  }
  better <- if (!is.null(fit[["response"]])) {
    "fit better"
  } else if (is.null(fit[["certificate"]])) {
    "reproduce more"
  } else {
    "carry more"
  }
  sets <- sprintf("other %s", count_of(units_in(fit, fit$selected), unit_noun(fit)))
  claim <- if (proof$complete) {
    sprintf("proved: no %s %s", sets, better)
  } else if (!isTRUE(fit[["gap"]] < 1)) {
    "not proved: nothing is known of other sets"
  } else {
    sprintf("not proved: no %s have an objective more than %s%% lower", sets,
      format(100 * fit[["gap"]], digits = 2)
    )
  }
  paste(c(claim, paste(c(
    count_of(proof$nodes, "node"),
    if (isTRUE(proof[["dropped"]] > 0)) {
      paste(count_of(proof$dropped, unit_noun(fit)), "eliminated")
    },
    if (isTRUE(proof[["joined"]] > 0)) sprintf("%.0f fixed", proof$joined),
    sprintf("%.2f s", proof$seconds)
  ), collapse = ", ")), collapse = "; ")
}
