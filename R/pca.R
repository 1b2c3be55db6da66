# What the PCA-type methods share: the solvers of the step in W, starting points, scales.

# Defaults of rowsparse_control(). `tol` of "mm" is smaller: its outer iterations are cheap steps
q_defaults <- function(args) {
  c(
    list(maxit = 500L),
    switch(args$solver,
      mm = list(tol = 1e-6, inner_tol = 1e-6, inner_maxit = 1L),
      rtr = list(tol = 1e-5, inner_tol = 1e-6, inner_maxit = 100L),
      pencf = list(tol = 1e-5, inner_tol = 1e-8, inner_maxit = 1000L)
    )
  )
}

q_settings <- function(solver, control) {
  c(list(solver = solver), control[c("tol", "maxit", "inner_tol", "inner_maxit")])
}

# rows of a matrix of a fit, one per feature, in the order of the data's where both have names
rows_of_features <- function(fit, rows, data) {
  known <- view_of(data)$names
  size <- c(length(known), length(fit$feature_names))
  if (is.null(rows) || any(size != nrow(rows))) {
    return(rows)
  }
  at <- match(known, fit$feature_names)
  refuse_if(anyNA(at), "names", "start", "must be a fit to the features of `x`",
    sprintf("none for %s", quoted(known[is.na(at)][1])))
  rows[at, , drop = FALSE]
}

# a d x m start: the caller's matrix or fit, or the leading eigenvectors
as_start <- function(start, data, m, leading) {
  if (is.null(start)) {
    return(leading)
  }
  if (inherits(start, "rowsparse")) {
    start <- rows_of_features(start, or_default(start$W, start$loadings), data)
  }
  given_matrix(start, data, m, " or a fit with such loadings")
}

# a matrix of the caller, with a row for each feature of x
given_matrix <- function(start, data, columns, other = "") {
  start <- inner_rows(start, data)
  refuse_if(!is.numeric(start) || !is.matrix(start) || !all(dim(start) == c(data$d, columns)),
    "size", "start", sprintf("must be a numeric %d x %d matrix%s", data$d, columns, other),
    describe(start)
  )
  check_finite_numbers(unname(start), "start")
}

# The scale of all parameters, as the solvers see the operator: the mean of the leading eigenvalues
# of S, which is multiplied by d / tr(S) or as it is
component_level <- function(data, leading, normalize) {
  mean(leading$values) * if (normalize) data$d / data_trace(data) else 1
}

# weight tau of the proximal terms as a share of that level, the published value where it is 1
proximal_share <- 1e-3

# eigenvalues below this share of the largest one are rounding
rank_share <- function(d) 4 * d * .Machine$double.eps

# the number of leading eigenvalues above rounding, never below 1
leading_rank <- function(values, d) max(1L, sum(values > rank_share(d) * values[1], na.rm = TRUE))

# the arguments with the dimension that a given start has
check_components <- function(given, data) {
  start <- given[["start"]]
  if (inherits(start, "rowsparse")) start <- or_default(start$W, start$loadings)
  given["m"] <- list(or_default(given[["m"]], if (is.matrix(start)) ncol(start)))
  given
}

# What a search for m components begins with: m, the operator of the data, its leading
# eigenpairs within the rank, and the first basis
components_problem <- function(data, m, start) {
  data <- with_spectrum(data, m)
  m <- resolve_dimension(m, data)
  operator <- as_operator(data, m)
  leading <- within_rank(leading_eigenvectors(operator, m), data$d, start)
  m <- length(leading$values)
  list(
    data = data, m = m, operator = operator, leading = leading,
    start = as_start(start, data, m, leading$vectors)
  )
}

# Directions beyond the rank of the data are rounding: fewer columns, unless the caller gave some
within_rank <- function(leading, d, start) {
  if (is.matrix(start)) {
    return(leading)
  }
  keep <- seq_len(leading_rank(leading$values, d))
  warn_rank(length(keep), length(leading$values))
  list(values = leading$values[keep], vectors = leading$vectors[, keep, drop = FALSE])
}

warn_rank <- function(used, asked) {
  if (used < asked) warn_rowsparse("rank", sprintf(
    "the data have rank %d: `m` = %d is used in place of %d.", used, used, asked
  ))
}

# Best first, constant features, whose square is 0, last. Values that differ by rounding, relative
# to the largest, tie; ties go to the larger square, compared in the same way, then to column order.
order_features <- function(value, square, ...) {
  order(square <= 0, -tie_level(value, ...), -tie_level(square, ...), method = "radix")
}

# equal numbers for values that tie, larger ones for larger values
tie_level <- function(value, share = 1e-11) step_level(value, share * max(abs(value), 0))

# where squares leave the range, in a unit of the row
row_norms <- function(W) {
  norms <- sqrt(rowSums(W^2))
  far <- which(norms > 1e150 | norms < 1e-150)
  if (length(far) > 0) {
    rows <- W[far, , drop = FALSE]
    unit <- rowSums(abs(rows) / ncol(rows))
    norms[far] <- ifelse(unit > 0, unit * sqrt(rowSums((rows / unit)^2)), 0)
  }
  norms
}

or_default <- function(value, default) if (is.null(value)) default else value

# about twenty d x m blocks: the iterates, their products, a point to return to
principal_bytes <- function(s) spectrum_bytes(s) + 160 * s$d * s$m
