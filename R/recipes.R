#' Select predictors by any method, as a step of a recipe
#'
#' Adds a step to a recipe of the package recipes: [rowsparse()] selects `k` of the predictors
#' when the recipe is prepared, and baking keeps only these, sparse ones sparse, and all columns
#' that are not candidates. In a workflow the selection is repeated in every resample, and `k` and
#' `method` can be tuned (`k = tune()`): without your own grid, `k` ranges from 1 to 50 and `method`
#' over `"default"`, `"alignment"`, `"css"`, `"fspca"`, `"ftest"` and `"variance"`. A `k` above the
#' number of predictors keeps all of them, with a warning of class `rowsparse_warning_fill`.
#'
#' Predictors must have no missing values: put `recipes::step_impute_mean()` or a similar step
#' before this step, or leave rows out of the selection by `options = list(na.action = "na.omit")`.
#' Factors, text, dates and times are coded as in [tables] for the selection only. Most methods
#' without a response favour features of large variance, so that `recipes::step_normalize()` before
#' this step changes the selection. Case weights are the `weights` of the method.
#'
#' @param recipe A recipe.
#' @param ... Selectors of the columns to choose from, such as `recipes::all_numeric_predictors()`.
#' @param role,trained,skip,id As in all steps of recipes.
#' @param k,method As in [rowsparse()]; the default of k is reduced if there are fewer columns.
#' @param outcome Names of the columns with the response. `NULL` takes those with the role
#'   `"outcome"`, which methods without a response do not use; with `FALSE` methods for which it
#'   is optional, such as [alignment()], use the predictors only.
#' @param options List of further arguments of the method, such as `scale`, `m` or `control`.
#' @param result Result of the preparation; `NULL` before.
#' @return `step_select_rowsparse()`: the recipe with the step added. `tidy()` of the step gives
#'   one row per candidate column, best first, with `terms`, `rank`, `score`, `selected` and `id`.
#' @seealso [flt_rowsparse] for mlr3
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' library(recipes, warn.conflicts = FALSE)
#' chosen <- recipe(Species ~ ., data = iris) |>
#'   step_normalize(all_numeric_predictors()) |>
#'   step_select_rowsparse(all_numeric_predictors(), k = 2) |>
#'   prep()
#' bake(chosen, iris)
#' tidy(chosen, number = 2)
#' @export
step_select_rowsparse <- function(recipe, ..., role = NA, trained = FALSE, k = 50, method = NULL,
                                  outcome = NULL, options = list(), result = NULL, skip = FALSE,
                                  id = recipes::rand_id("select_rowsparse")) {
  check_installed("recipes", "for recipes with this step")
  refuse_if(!inherits(recipe, "recipe"),
    "type", "recipe", "must be a recipe of the package recipes", describe(recipe))
  check_step(k, method, outcome, options)
  step <- recipes::step("select_rowsparse", terms = rlang::enquos(...), role = role,
    trained = trained, k = k, method = method, outcome = outcome, options = options,
    result = result, skip = skip, id = id, default = missing(k)
  )
  recipes::add_step(recipe, step)
}

# what is to be tuned is a call and comes later
check_step <- function(k, method, outcome, options) {
  if (!is.call(k)) check_count(k, "k")
  if (!is.call(method)) check_method(method)
  refuse_if(!is.null(outcome) && !is.character(outcome) && !identical(outcome, FALSE),
    "type", "outcome", "must be names of columns, NULL or FALSE", describe(outcome))
  refuse_if(!is.list(options) || sum(nzchar(names(options))) != length(options),
    "argument", "options", "must be a list of named arguments", describe(options))
}

#' @exportS3Method recipes::prep
prep.step_select_rowsparse <- function(x, training, info = NULL, ...) {
  check_step(x$k, x$method, x$outcome, x$options)
  columns <- unname(recipes::recipes_eval_select(x$terms, training, info))
  gaps <- columns[vapply(training[columns], anyNA, NA)]
  refuse_if(is.null(x$options$na.action) && length(gaps) > 0L, "nonfinite", "recipe",
    "must have no missing values where this step selects", few_quoted(gaps), paste(
      "Put a step as recipes::step_impute_mean() before this one, or leave rows out of the",
      "selection by options = list(na.action = \"na.omit\")"
    )
  )
  ranked <- data.frame(name = character(), score = numeric(), selected = logical())
  if (length(columns) > 0L) {
    fit <- fit_in_step(x, training[columns], step_outcome(x, training, info, columns),
      training[info$variable[info$role %in% "case_weights"]]
    )
    x$fitted <- class(fit)[1]
    ranked <- ranked_columns(fit, columns)
  }
  x$result <- data.frame(terms = ranked$name, rank = seq_along(ranked$name), score = ranked$score,
    selected = ranked$selected
  )
  x$trained <- TRUE
  x
}

# The columns of the response: a vector, or a data frame where there are several
step_outcome <- function(x, training, info, columns) {
  if (identical(x$outcome, FALSE)) {
    return(NULL)
  }
  names <- or_default(x$outcome, unique(info$variable[info$role %in% "outcome"]))
  wrong <- c(setdiff(names, names(training)), intersect(names, columns))
  refuse_if(length(wrong) > 0L, "choice", "outcome",
    "must name columns of the data that are not among those to select from", quoted(wrong[1]),
    did_you_mean(setdiff(wrong[1], names(training)), setdiff(names(training), columns))
  )
  if (length(names) > 0L) as.data.frame(training[names])
}

# A default of k gives way in silence, a request with a warning; `weights`: a column, or none
fit_in_step <- function(x, predictors, y, weights) {
  k <- check_count(x$k, "k")
  available <- length(predictors)
  if (k > available && !isTRUE(x$default)) warn_rowsparse("fill", sprintf(
    "only %s to select from where `k` is %d: all are kept.", count_of(available, "predictor"), k
  ))
  arguments <- list(step_matrix(predictors), y, min(k, available), x$method)
  if (length(weights) > 0L && is.null(x$options$weights)) arguments$weights <- weights[[1]]
  do.call(rowsparse, c(arguments, x$options), quote = TRUE)
}

# predictors that are stored as sparse vectors, in a sparse matrix
step_matrix <- function(predictors) {
  numbers <- all(vapply(predictors, column_kind, "") == "numbers")
  sparse <- numbers && requireNamespace("sparsevctrs", quietly = TRUE) &&
    any(vapply(predictors, sparsevctrs::is_sparse_vector, NA))
  if (sparse) sparsevctrs::coerce_to_sparse_matrix(predictors) else as.data.frame(predictors)
}

#' @exportS3Method recipes::bake
bake.step_select_rowsparse <- function(object, new_data, ...) {
  check_columns_there(object$result$terms[object$result$selected], names(new_data), "new_data")
  new_data[!names(new_data) %in% object$result$terms[!object$result$selected]]
}

#' @export
print.step_select_rowsparse <- function(x, width = max(20, options()$width - 36), ...) {
  words <- function(value) if (is.call(value)) deparse1(value) else value
  by <- or_default(x$fitted, or_default(words(x$method), "default method"))
  recipes::print_step(x$result$terms[x$result$selected], x$terms, x$trained,
    sprintf("Selection of %s by %s from ", words(x$k), by), width
  )
  invisible(x)
}

#' @exportS3Method generics::tidy
tidy.step_select_rowsparse <- function(x, ...) {
  table <- x$result
  if (!isTRUE(x$trained)) table <- data.frame(
    terms = recipes::sel2char(x$terms), rank = NA_integer_, score = NA_real_, selected = NA
  )
  table$id <- rep(x$id, nrow(table))
  tidy_table(table)
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_select_rowsparse <- function(x, ...) "rowsparse" # nolint: object_length_linter.

#' @exportS3Method generics::tunable
tunable.step_select_rowsparse <- function(x, ...) {
  table <- data.frame(name = c("k", "method"), source = "recipe",
    component = "step_select_rowsparse", component_id = x$id
  )
  table$call_info <- list(
    list(pkg = "dials", fun = "num_comp", range = c(1L, 50L)),
    list(pkg = "dials", fun = "new_qual_param", values = tuned_methods)
  )
  tidy_table(table)
}

# Methods that tuning chooses from if the caller names none
tuned_methods <- c("default", "alignment", "css", "fspca", "ftest", "variance")
