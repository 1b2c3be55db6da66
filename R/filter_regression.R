# Methods that rank features for a response without a regression of their own
# predict by least squares on the first k of the ranking. Their fits hold its
# factors in the element `regression`; coef() and predict() of every fit read them.

# The fit of such a method: new_fit() and the regression, whose columns hold at most 5e6 numbers but
# are 50 at least. `problem` as problem_in_units() gives it, in units of its own.
new_filter <- function(method, problem, ..., started) {
  fit <- new_fit(method, problem$given, ..., started = started)
  wanted <- min(300L, max(50L, floor(5e6 / fit$n)))
  first <- or_default(fit$selected, utils::head(fit$ranking, min(wanted, problem$data$d)))
  chosen <- .Call(C_columns, unclass(problem$data), inner_index(first, problem$data))
  fit$regression <- regress_on_first(chosen, problem$data$unit, first, problem$response)
  fit$response <- kept_response(problem$response)
  if (!is.null(fit$selected)) fit$explained <- min(1, sum(fit$regression$share))
  fit <- with_fitted(fit, problem$given)
  fit$elapsed <- proc.time()[["elapsed"]] - started
  fit
}

# Least squares of the response (of centre_response()) on the first 1, 2, ... of the chosen columns,
# which are centred: with columns = QR, the coefficients of the first i solve the first i rows of
# R B = Q'Y. Columns that depend on those before them have none.
regress_on_first <- function(chosen, unit, features, response) {
  decomposition <- qr(chosen, tol = 1e-7)
  kept <- seq_len(decomposition$rank)
  at <- decomposition$pivot[kept]
  QtY <- qr.qty(decomposition, response$Y)[kept, , drop = FALSE]
  list(
    count = length(features), order = features, at = at, features = features[at],
    R = qr.R(decomposition)[kept, kept, drop = FALSE] * unit, QtY = QtY * response$unit,
    share = rowSums(QtY^2) / response$total
  )
}

has_regression <- function(fit) !is.null(fit$regression)

# how many features, or whole groups, the regression holds
units_of_regression <- function(fit) {
  count <- fit$regression$count
  if (is.null(fit$groups)) {
    return(count)
  }
  size <- tabulate(fit$groups$of)[fit$groups$ranking]
  sum(cumsum(size) <= count)
}

# how many of the first features: k, or as many as were selected, or all of them
first_size <- function(fit, k) {
  usual <- min(fit$regression$count, if (!is.null(fit$selected)) length(fit$selected))
  if (!is.null(k)) k <- check_count(k, "k", 1L, units_of_regression(fit))
  if (is.null(k)) usual else length(first_columns(fit, k))
}

# least squares on the first k features, per unit of the features
first_coefficients <- function(fit, k = NULL) {
  factors <- fit$regression
  first <- seq_len(sum(factors$at <= first_size(fit, k)))
  QtY <- factors$QtY[first, , drop = FALSE]
  # no feature where the first ones are constant in these samples
  B <- if (length(first) > 0) backsolve(factors$R[first, first, drop = FALSE], QtY) else QtY
  in_original_units(fit, factors$features[first], B)
}

# share of the response that this reproduces, NA beyond the sizes that the fit holds
explained_by_first <- function(fit, k) {
  factors <- fit$regression
  k <- length(first_columns(fit, k))
  if (k > factors$count) NA_real_ else min(1, sum(factors$share[factors$at <= k]))
}
