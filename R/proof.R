# What print() and summary() say of a proof of optimality: of fits with an element `proof` of
# complete, resolved, nodes, seconds and a trace, and of fspca(), whose certificate says the same.

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

# What is known of other sets: "Proved: no other 3 features fit better"; NULL of a ranking
proof_line <- function(fit) {
  proof <- proof_of(fit)
  better <- if (is.null(fit[["certificate"]])) "reproduces more" else "carries more"
  if (is_supervised_fit(fit)) better <- "fits better"
  if (!is.null(fit$groups) && inherits(fit, c("cdlsr", "css"))) {
    better <- "is better by the criterion, which counts columns"
  }
  size <- units_in(fit, or_default(fit$selected, integer()))
  sets <- sprintf("no other set of %s", count_of(size, unit_noun(fit)))
  gap <- fit[["gap"]]
  if (size == selectable(fit)) { # there is no other one
    NULL
  } else if (isTRUE(proof$complete) || identical(fit[["certificate"]]$status, "optimal")) {
    sprintf("Proved: %s %s", sets, better)
  } else if (isTRUE(gap < 1) && fit_name(fit) %in% proved_methods) {
    sprintf("Not proved: %s has an objective more than %s lower", sets, format_above(gap))
  } else if (isTRUE(gap > 0 && gap < 1)) {
    sprintf("Within %s of the least objective of its convex problem", format_above(gap))
  } else if (!is.null(fit$selected) && fit_name(fit) %in% proved_methods) {
    known <- if (is.null(proof)) "alternatives() says by how much at most"
    paste("Not proved: another set may be better;", or_default(known, "nothing is known of others"))
  }
}

proof_effort <- function(fit) {
  proof <- proof_of(fit)
  if (!is.null(proof)) paste("proof:", toString(c(
    count_of(proof$nodes, "node"),
    if (isTRUE(proof[["dropped"]] > 0)) {
      paste(count_of(proof$dropped, unit_noun(fit)), "eliminated")
    },
    if (isTRUE(proof[["joined"]] > 0)) sprintf("%.0f fixed", proof$joined),
    sprintf("%.2f s", proof$seconds)
  )))
}
