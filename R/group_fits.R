# Regressions on whole groups of features, as cdlsr() and css() have them: the sets from the
# search over groups (groups.R).

# The raw result that those two put into a fit, and the proof of the largest size. `time_limit`:
# seconds for a proof, or NULL
find_groups <- function(data, response, k, ridge, path, control, perturb, time_limit = NULL,
                        exchange = TRUE) {
  groups <- inner_groups(data)
  groups$price <- price_of_columns(data, groups, ridge)
  found <- search_groups(data, groups, value_for(response), k, response = core_response(response),
    ridge = ridge, sizes = path, YtY = response$YtY, sign = response[["sign"]], perturb = perturb,
    exchange = exchange, tol = control$tol, maxit = control$maxit, time_limit = time_limit
  )
  total <- or_default(response$total, found$total)
  fits <- found$by_regression
  last <- fits[[length(fits)]]
  out <- raw_sets(found)
  out$subset <- group_subset(last, found, groups, total)
  out$starts$sets <- matrix(columns_of(found$sets[[k]], groups), 1)
  out$path <- if (path) group_sizes(fits, found, groups, total)
  list(out = out, proof = if (!is.null(found$proof)) c(
    as_proof(found$proof, total, last$objective, control$tol),
    late = found$proof$seconds >= 0.9 * time_limit
  ))
}

# By what sets of unequal numbers of columns are compared, see src/sets/value.h: the columns of each
# group that vary, how a ridge shrinks them, and the degrees of freedom of the samples. NULL where
# all groups have as many
price_of_columns <- function(data, groups, ridge) {
  columns <- as.integer(by_group(as.double(!data$constant), groups))
  square <- data$square[!data$constant]
  if (length(unique(columns[!groups$barred])) > 1L) {
    shrink <- mean(square) / (mean(square) + ridge)
    list(columns = columns, shrink = shrink, freedom = degrees_of_freedom(data))
  }
}

# rows of coefficients for all columns of the set, zero for those that change nothing
coefficients_of_groups <- function(fit, columns) {
  expand_rows(fit$coefficients, match(fit$selected, columns), list(d = length(columns)))
}

# what subset_scores() and its kin read, by feature
group_subset <- function(fit, found, groups, total) {
  set <- found$sets[[length(found$sets)]]
  columns <- columns_of(set, groups)
  size <- lengths(groups$columns[set])
  explained <- fit$explained
  explained[length(explained)] <- total - fit$objective
  explained <- cummax(explained)
  before <- c(0, explained[-length(explained)])
  list(
    selected = columns, coefficients = coefficients_of_groups(fit, columns),
    intercept = fit[["intercept"]], objective = fit$objective,
    response_explained = fit$response_explained,
    explained = rep(explained, size), before = rep(before, size),
    gains = found$gains[groups$at], alone = found$alone[groups$at]
  )
}

group_sizes <- function(fits, found, groups, total) {
  features <- lapply(found$sets, columns_of, groups)
  objective <- vapply(fits, `[[`, 0, "objective")
  list(
    features = features, coefficients = Map(coefficients_of_groups, fits, features),
    intercept = lapply(fits, `[[`, "intercept"),
    explained = total - objective, objective = objective, forward = total - found$forward
  )
}

# ---- fspca() -------------------------------------------------------------------------

# the raw result of fspca() and the proof, as certify_set() gives it
find_fspca_groups <- function(data, operator, leading, k, m, control, seconds) {
  groups <- inner_groups(data)
  found <- search_groups(operator, groups, "trace", k,
    m = m, maxit = control$maxit, time_limit = if (!is_ruled(data)) seconds, tol = exact_tie
  )
  columns <- columns_of(found$sets[[k]], groups)
  fit <- run_fspca(operator, leading, length(columns), "given", control, matrix(columns))
  value <- sum(fit$values)
  fit$objective <- -c(found$course, value)
  if (is_ruled(data)) {
    fit$converged <- found$converged
    fit$is_global <- FALSE
    proof <- bound_without_rules(operator, leading, fit, control, seconds)
    return(list(fit = fit, proof = proof))
  }
  squares <- sort(by_group(data$square, groups), decreasing = TRUE)
  free <- c(sum(leading$values[seq_len(m)]), sum(utils::head(squares, k)))
  proof <- certify_set(operator, leading, fit, 0)
  own <- c("complete", "nodes", "seconds", "trace")
  if (!is.null(found$proof)) proof[own] <- found$proof[own]
  proof[c("free", "bound", "is_certified", "evaluations")] <- list(
    free, bound_above(min(free, found$proof$bound), value), !is.null(seconds), proof$nodes
  )
  fit$scores <- by_group(fit$scores, groups)[groups$at]
  fit$is_global <- proof$complete
  if (proof$complete) proof$bound <- value
  fit$converged <- found$converged && (is.null(seconds) || proof$complete)
  list(fit = fit, proof = proof)
}

# The certificate of the best set that was found without rules: what it says of all sets holds for
# those within rules
bound_without_rules <- function(operator, leading, fit, control, seconds) {
  k <- length(fit$subset)
  operator$rules <- NULL
  if (is.null(seconds)) {
    return(certify_set(operator, leading, fit, 0))
  }
  free <- run_fspca(operator, leading, k, "exchange", control, seconds = seconds / 2)
  proof <- certify_set(operator, leading, free, seconds, control$verbose)
  proof[c("set", "value")] <- list(fit$subset, sum(fit$values))
  # these are of sets that need not obey the rules
  proof$essential <- proof$excluded <- integer()
  proof$is_certified <- TRUE
  proof
}

# m components need as many columns, whatever the groups
check_group_basis <- function(k, m, data) {
  k <- check_group_size(k, data)
  least <- needed_columns(k, data, largest = FALSE)
  refuse_if(!is.null(m) && check_dimension(m, data) > least, "range", "m",
    sprintf("must be at most %d, the columns that k = %d groups have at least", least, k),
    describe(m)
  )
  k
}
