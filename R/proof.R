# What fits say of a proof of optimality: the lines of print() and summary(), and the picture of
# the best set and the bound over time. For fits with an element `proof` of complete, resolved,
# nodes, seconds and, where the search kept it, trace: seconds, value and bound, shares explained.

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
proof_lines <- function(fit) {
  proof <- fit[["proof"]]
  if (!is_proof(proof)) {
    return(NULL)
  }
  sets <- sprintf("other %s", count_of(length(fit$selected), "feature"))
  claim <- if (proof$complete) {
    sprintf("proved: no %s %s", sets,
      if (is.null(fit[["response"]])) "reproduce more" else "fit better"
    )
  } else if (!isTRUE(fit[["gap"]] < 1)) {
    "not proved: nothing is known of other sets"
  } else {
    sprintf("not proved: no %s have an objective more than %s%% lower", sets,
      format(100 * fit[["gap"]], digits = 2)
    )
  }
  effort <- c(
    count_of(proof$nodes, "node"),
    if (isTRUE(proof[["dropped"]] > 0)) paste(count_of(proof$dropped, "feature"), "eliminated"),
    if (isTRUE(proof[["joined"]] > 0)) sprintf("%.0f fixed", proof$joined),
    sprintf("%.2f s", proof$seconds)
  )
  sprintf("%s; %s", claim, paste(effort, collapse = ", "))
}

# the share explained by the best set, and the bound of all sets, as steps over the seconds
proof_picture <- function(fit) {
  trace <- if (is_proof(fit[["proof"]])) fit$proof[["trace"]]
  if (!is_trace(trace)) {
    stop_rowsparse("choice", "type",
      "\"proof\" needs a fit by `solver = \"exact\"` whose search kept its course", class(fit)[1]
    )
  }
  end <- max(fit$proof$seconds, trace$seconds)
  at <- c(rbind(trace$seconds, c(trace$seconds[-1], end)))
  value <- rep(trace$value, each = 2)
  bound <- rep(trace$bound, each = 2)
  if (fit$proof$complete) {
    at <- c(at, end)
    value <- c(value, trace$value[length(trace$value)])
    bound <- c(bound, value[length(value)])
  }
  list(
    kind = "curves", x = c(at, at), y = c(value, bound),
    group = factor(rep(c("best set", "bound of all sets"), each = length(at)),
      levels = c("best set", "bound of all sets")
    ),
    whole = FALSE, points = FALSE, xlab = "seconds", ylab = "share explained",
    title = plot_title(fit, "proof")
  )
}
