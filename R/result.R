# The result that every method returns: class c("<method>", "rowsparse").

# `scores` in column order, higher is better; `ties` orders equal scores before
# the column order does
new_fit <- function(method, data, scores, ties = NULL, selected = NULL, loadings = NULL,
                    objective, iterations, converged, status, kkt = NULL, parameters,
                    call, started, ..., verbose = FALSE) {
  scores[data$constant] <- 0
  ranking <- rank_features(scores, ties, data$constant, selected)
  fit <- structure(
    c(
      list(
        ranking = ranking,
        scores = stats::setNames(as.double(scores), data$names),
        selected = selected,
        loadings = name_rows(loadings, data$names),
        objective = objective, iterations = iterations, converged = converged,
        status = status, kkt = kkt, parameters = parameters
      ),
      list(...),
      list(
        n = data$n, d = data$d, feature_names = data$names,
        center = data$mean, scale = if (!is.null(data$weight)) 1 / data$weight,
        elapsed = proc.time()[["elapsed"]] - started, call = call
      )
    ),
    class = c(method, "rowsparse")
  )
  warn_unconverged(fit)
  if (verbose) message(one_line(fit))
  fit
}

# best first; constant features last; ties by `ties`, then by column order.
# Selected features, where a method selects exactly, come first in their order.
rank_features <- function(scores, ties, constant, selected) {
  if (is.null(ties)) ties <- numeric(length(scores))
  ranking <- order(constant, -scores, -ties, method = "radix")
  if (!is.null(selected)) ranking <- c(selected, setdiff(ranking, selected))
  as.integer(ranking)
}

name_rows <- function(loadings, names) {
  if (!is.null(loadings)) rownames(loadings) <- names
  loadings
}

warn_unconverged <- function(fit) {
  if (!isTRUE(fit$converged)) {
    warn_rowsparse("convergence", sprintf(
      "%s did not converge in %d iterations (%s); the result is returned all the same. %s",
      class(fit)[1], fit$iterations, fit$status, "See `maxit` and `tol` in rowsparse_control()."
    ))
  }
}

one_line <- function(fit) {
  sprintf("%s: %d samples, %d features, %s after %d iteration%s, %.2f s",
    class(fit)[1], fit$n, fit$d, fit$status, fit$iterations,
    if (identical(fit$iterations, 1L)) "" else "s", fit$elapsed
  )
}

# names of features where there are any, indices elsewhere
feature_labels <- function(fit, index) {
  if (is.null(fit$feature_names)) index else fit$feature_names[index]
}
