# What alternatives() is asked, as the engines take it: the settings of the fit, the prepared data
# and response, the set, and the values of other sets.

# ---- the request ---------------------------------------------------------------------

# list(entry, k, y, given, columns, expected): the method, its arguments, the set as columns of x,
# and the seconds that a fit without a feature will take
resolve_request <- function(x, selected, y, k, method, given, argument = "selected") {
  fit <- fit_inside(selected)
  given <- given[!vapply(given, is.null, NA)]
  if (is.null(fit)) {
    if (!is.null(k)) {
      stop_rowsparse("argument", "k", sprintf(
        "is for fits that rank features: `%s` tells it here", argument
      ))
    }
    method <- or_default(method, if (has_response(x, y)) "cdlsr" else "fspca")
  } else {
    check_fit(fit, argument)
    if (!is.null(method) && !identical(method, fit_name(fit))) {
      stop_rowsparse("argument", "method", "must be left out: the fit tells it", describe(method))
    }
    method <- fit_name(fit)
  }
  entry <- request_entry(method, fit, x, y)
  locks <- c("include", "exclude", "block", "assay")
  given <- utils::modifyList(settings_of(fit, entry, x, given[["block"]]), given)
  check_takes_weights(entry, given[["weights"]])
  given <- c(
    check_arguments(entry, given[setdiff(names(given), locks)], locks),
    given[intersect(locks, names(given))]
  )
  if (is.null(y) && needs_response(entry)) y <- kept_y(fit)
  index <- if (!is.null(fit)) selected_index(fit, k)
  d <- sample_features(x)
  columns <- unique(as.integer(
    feature_columns(or_default(fit, selected), argument, d, request_names(x), index)
  ))
  list(
    entry = entry, k = length(columns), y = y, given = given, columns = columns,
    expected = if (!method %in% proved_methods) or_default(fit[["elapsed"]], 0) else 0
  )
}

# a fit, or the one that a tuning or cross-validation holds
fit_inside <- function(selected) {
  if (inherits(selected, c("rowsparse_tuning", "cv_rowsparse")) && is.list(selected)) {
    selected <- selected$fit
  }
  if (inherits(selected, "rowsparse")) selected
}

has_response <- function(x, y) {
  !is.null(y) || (inherits(x, "rowsparse_moments") && !is.null(x[["Sxy"]]))
}

# alignment() may have had a response or none
request_entry <- function(method, fit, x, y) {
  entry <- method_entry(method)
  if (entry$response == "optional") {
    supervised <- if (is.null(fit)) !is.null(y) else !is.null(fit[["response"]])
    entry$response <- if (supervised) "needed" else "none"
  }
  if (needs_response(entry) && is.null(y) && is.null(kept_y(fit)) && !has_response(x, y)) {
    stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
  }
  entry
}

kept_y <- function(fit) fit[["response"]][["y"]]

request_names <- function(x) {
  if (is_experiment(x)) {
    rows <- rownames(x)
    return(if (!is.null(rows)) make.unique(rows))
  }
  if (inherits(x, "rowsparse_moments")) {
    x[["feature_names"]]
  } else if (inherits(x, "rowsparse_blocks")) {
    colnames(blocks_outline(x))
  } else if (is.list(x)) {
    names(x)
  } else {
    colnames(x)
  }
}

# what a fit was told and says, but for how its set was searched
settings_of <- function(fit, entry, x, block) {
  if (is.null(fit)) {
    return(list())
  }
  search <- c(
    "k", "x", "y", "control", "certify", "time_limit", "search", "start", "starts", "path",
    names(formals(rowsparse_control)), if (entry$name %in% proved_methods) "solver"
  )
  parameters <- fit[["parameters"]]
  given <- parameters[setdiff(intersect(names(parameters), names(formals(entry$fit))), search)]
  if (!is.null(fit[["response"]][["root"]])) given$ridge <- "pillai"
  if (takes(entry, "scale")) given$scale <- !is.null(fit[["scale"]])
  if (entry$weighted) given$weights <- fit[["response"]][["weights"]]
  labels <- function(index) {
    if (is.null(fit[["feature_names"]])) index else fit$feature_names[index]
  }
  given$include <- labels(fit[["included"]])
  given$exclude <- labels(fit[["excluded"]])
  given$assay <- fit[["assay"]]
  given$block <- if (is.null(block)) block_beside(NULL, fit, x)
  Filter(Negate(is.null), given)
}

# ---- the problem ---------------------------------------------------------------------

# methods with an engine that proves roles
proved_methods <- c("fspca", "cdlsr", "css")

# list(entry, method, x, y, given, k, m, data, inner, response, operator, leading, set, unit):
# `data` of the whole with its view, `inner` as the C code takes it, `set` of inner columns
roles_problem <- function(x, request, argument = "selected") {
  problem <- c(request[c("entry", "k", "y", "given", "columns", "expected")], list(
    x = x, method = request$entry$name, unit = 1, settings = list()
  ))
  given <- request$given
  entry <- request$entry
  data <- without_constant_warning(as_data(x, scale_of(entry, given),
    given[["assay"]], given[["block"]], given[["include"]], given[["exclude"]],
    weights = if (entry$weighted) given[["weights"]]
  ))
  problem$data <- data
  problem$set <- set_of_problem(request$columns, data, argument)
  if (!entry$name %in% proved_methods) {
    problem[["m"]] <- NA_integer_
    if (entry$name == "alignment") problem$measure <- alignment_measure(problem)
    close_source(data$reads)
    return(problem)
  }
  switch(entry$name,
    fspca = fspca_problem(problem, data),
    cdlsr = cdlsr_problem(problem, data),
    css = css_problem(problem, data)
  )
}

# inner columns, which hold all that is included and none that is excluded
set_of_problem <- function(columns, data, argument) {
  set <- inner_index(columns, data)
  if (anyNA(set)) {
    stop_rowsparse("names", argument, "must not hold features that are in `exclude`")
  }
  if (!all(data$locked %in% set)) {
    stop_rowsparse("names", argument, "must hold all features that are in `include`")
  }
  set
}

fspca_problem <- function(problem, data) {
  m <- problem$given[["m"]]
  check_basis_size(problem$k, m, data)
  data <- with_spectrum(data, m)
  check_roles_size(problem, data, m)
  problem[["m"]] <- resolve_dimension(m, data, most = problem$k)
  problem$operator <- as_operator(data, problem[["m"]])
  problem$leading <- leading_eigenvectors(problem$operator, problem[["m"]])
  problem$inner <- problem$data <- data
  problem
}

cdlsr_problem <- function(problem, data) {
  ridge <- check_ridge(or_default(problem$given[["ridge"]], 0))
  inside <- in_binary_units(data)
  response <- prepare_response(inside, problem$x, problem$y, units = TRUE)
  if (is_pillai(ridge)) {
    response <- pillai_response(response, data_mass(inside, problem$x))
    ridge <- response$ridge
  }
  ridge <- check_number(ridge, "ridge", 0)
  check_size(problem$k, data, ridge)
  check_roles_size(problem, data, NULL, classes = length(response$squares), ridge = ridge)
  if (inside$kind == "blocks" && fits_cross_products(inside)) {
    response$B <- .Call(C_cross, unclass(inside), response$Y, ncol(response$Y))
    response$Y <- NULL
    inside <- second_moments(inside)
  }
  problem$settings <- list(ridge = ridge_in_units(ridge, inside))
  problem$inner <- inside
  problem$response <- response
  problem$unit <- response$unit
  problem
}

css_problem <- function(problem, data) {
  data <- resolve_blocks(data, "css")
  m <- problem$given[["m"]]
  check_dimension(problem$k, data, "k")
  if (!is.null(m) && !is_unlimited(m)) m <- check_dimension(m, data)
  check_roles_size(problem, data, if (!is_unlimited(m)) m)
  if (is.null(m)) {
    data <- with_eigenvectors(data)
    m <- main_components(data)
  }
  problem[["m"]] <- m
  problem$data <- data
  problem$inner <- sketch_rows_data(in_binary_units(data))
  problem$response <- component_response(problem$inner, m)
  problem$unit <- problem$inner$unit
  problem$settings <- list(ridge = 0)
  problem
}

# what the engines hold beside a proof: the exchanges and a witness for each feature
roles_bytes <- function(entry, s) {
  tables <- 8 * s$d * (1.5 * s$k + 12)
  switch(entry$name,
    fspca = certify_bytes(s) + tables,
    cdlsr = 8 * proof_room(s) + 128 * s$d + tables, # scores of exchanges, sixteen at a time
    css = entry$bytes(utils::modifyList(s, list(solver = "exact"))) + tables,
    0
  )
}

check_roles_size <- function(problem, data, m, ...) {
  check_fit_size(problem$method, data, k = problem$k, m = m, alternatives = TRUE, ...)
}

# ---- values of sets ------------------------------------------------------------------

# methods that choose sets by a value that can be told of any set
valued_methods <- c(proved_methods, "alignment", "dscofs", "s2dfs")

# sets of these have their value without a fit
has_quick_values <- function(problem) problem$method %in% c(proved_methods, "alignment")

# the value of a set of inner columns, in the units of the problem; NA for methods without one
set_value <- function(problem, set) {
  if (!problem$method %in% valued_methods) {
    return(NA_real_)
  }
  if (!is.null(problem$groups)) {
    return(value_of_groups(problem, set))
  }
  switch(problem$method,
    fspca = sum(.Call(C_subpca, unclass(problem$operator), as.integer(set), problem[["m"]])$values),
    alignment = alignment_value(problem$measure, set),
    cdlsr = , css = or_default(problem$response$total, data_trace(problem$inner)) -
      fitted_subset(problem, set)$objective,
    value_of_fit(problem, set)
  )
}

# what a fit to this set and no other attains: higher is better
value_of_fit <- function(problem, set) {
  fit <- fit_within(problem, set)
  value <- if (!is.null(fit)) -utils::tail(fit$objective, 1)
  if (isTRUE(is.finite(value) && value >= 0)) value else NA_real_
}

# Regressions count sets of independent features, see ?cdlsr
counts_as_set <- function(problem, set) {
  problem$method == "fspca" || !problem$method %in% proved_methods || !is.null(problem$groups) ||
    length(fitted_subset(problem, set)$selected) == length(set)
}

# what cdlsr() and css() make of a set: `objective`, the squares that it leaves, with the ridge's
# part, and `selected`, its independent features
fitted_subset <- function(problem, set) {
  settings <- css_settings(length(set), "forward", FALSE, list(tol = 0, maxit = 1L))
  settings$forward <- FALSE
  settings$ridge <- problem$settings$ridge
  data <- problem$inner
  data$locked <- NULL
  .Call(C_cdlsr, unclass(data), core_response(problem$response), matrix(as.integer(set), 1),
    settings
  )$subset
}

# A fit to exactly k features without these of x, quietly: NULL where it cannot be
fit_without <- function(problem, columns) {
  if (!leaves_enough(problem, columns)) {
    return(NULL)
  }
  out <- left_out(problem, columns)
  locked <- outer_index(problem$data$locked, problem$data)
  fit_with_locks(problem, locked, out)
}

# the fit to a set of inner features alone
fit_within <- function(problem, set) {
  fit_with_locks(problem, outer_index(set, problem$data), left_out(problem, integer()))
}

# features of x, or groups, that are out of a fit without these
left_out <- function(problem, columns) {
  locked <- outer_index(problem$data$locked, problem$data)
  union(view_of(problem$data)$excluded, setdiff(columns, locked))
}

leaves_enough <- function(problem, columns) {
  view_of(problem$data)$d - length(left_out(problem, columns)) >= problem$k
}

# NULL where a fit of this size cannot be; what is wrong with other arguments is told
fit_with_locks <- function(problem, include, exclude,
                           may_fail = c("k", "m", "x", "include", "exclude")) {
  given <- problem$given
  given$exclude <- as_locks(exclude, problem)
  given$include <- if (length(include) > 0) as_locks(include, problem)
  given$groups <- problem$groups$label[problem$groups$of]
  if (problem$method == "css" && is.null(given[["solver"]])) given$solver <- "exchange"
  arguments <- c(list(problem$x, k = problem$k, method = problem$method), given)
  if (needs_response(problem$entry) && !is.null(problem$y)) arguments$y <- problem$y
  tryCatch(quietly(do.call(rowsparse, arguments, quote = TRUE)), rowsparse_error = function(e) {
    if (!isTRUE(e$argument %in% may_fail)) stop(e)
  })
}
