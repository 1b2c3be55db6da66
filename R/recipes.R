# A step for the recipes of tidymodels. The package recipes is needed to use it, and its
# methods are registered when it is there.

#' Select predictors by any method, as a step of a recipe
#'
#' Adds a step to a recipe of the package recipes: [rowsparse()] selects `k` of the predictors
#' when the recipe is prepared, and baking keeps only these. Selected columns, and all columns
#' that are not candidates, stay unchanged; sparse ones stay sparse. In a workflow the selection
#' is repeated in every resample, from its own training samples, and `k` and `method` can be
#' tuned (`k = tune()`, `method = tune()`): without your own grid, `k` ranges from 1 to 50 and
#' `method` over `"alignment"`, `"cdlsr"`, `"css"`, `"fspca"`, `"ftest"` and `"variance"`. A `k`
#' above the number of predictors keeps all of them, with a warning of class
#' `rowsparse_warning_fill`.
#'
#' @section Order of the steps:
#' Predictors must have no missing values: put `recipes::step_impute_mean()` or a similar step
#' before this step, or leave rows out of the selection by
#' `options = list(na.action = "na.omit")`. Factors, text, dates and times are coded as in
#' [tables] for the selection only; a factor counts as one of the k, by a method that takes
#' [groups]. Most methods without a response favour features of large variance, so that
#' `recipes::step_normalize()` before this step changes the selection. Case weights are the
#' `weights` of the method.
#'
#' @param recipe A recipe.
#' @param ... Selectors of the columns to choose from, such as
#'   `recipes::all_numeric_predictors()`.
#' @param role Not used: columns that are kept keep their roles.
#' @param trained Has the step been prepared?
#' @param k Number of columns to keep; the default is reduced if there are fewer.
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` for the default of
#'   [rowsparse()].
#' @param outcome Names of the columns with the response. `NULL` takes those with the role
#'   `"outcome"`, which methods without a response do not use; with `FALSE` methods for which it
#'   is optional, such as [alignment()], use the predictors only.
#' @param options List of further arguments of the method, such as `scale`, `m` or `control`.
#' @param result Result of the preparation; `NULL` before.
#' @param skip Leave the columns alone when new data are baked? Models that follow
#'   would then miss the selection.
#' @param id Name of the step, by default random as for all steps.
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
  if (!inherits(recipe, "recipe")) {
    stop_rowsparse("type", "recipe", "must be a recipe of the package recipes", describe(recipe))
  }
  check_step(k, method, outcome, options)
  step <- recipes::step("select_rowsparse",
    terms = rlang::enquos(...), role = role, trained = trained, k = k, method = method,
    outcome = outcome, options = options, result = result, skip = skip, id = id,
    default = missing(k)
  )
  recipes::add_step(recipe, step)
}

# what is to be tuned is a call and comes later
check_step <- function(k, method, outcome, options) {
  if (!is.call(k)) check_count(k, "k")
  if (!is.null(method) && !is.call(method)) method_entry(method)
  if (!is.null(outcome) && !is.character(outcome) && !identical(outcome, FALSE)) {
    stop_rowsparse("type", "outcome", "must be names of columns, NULL or FALSE", describe(outcome))
  }
  plain <- is.list(options) && !is.object(options) &&
    sum(nzchar(names(options))) == length(options)
  if (!plain) {
    stop_rowsparse("argument", "options", "must be a list of named arguments", describe(options))
  }
}

#' @exportS3Method recipes::prep
prep.step_select_rowsparse <- function(x, training, info = NULL, ...) {
  check_step(x$k, x$method, x$outcome, x$options)
  columns <- unname(recipes::recipes_eval_select(x$terms, training, info))
  check_predictors(training[columns], !is.null(x$options$na.action))
  x$result <- if (length(columns) > 0) {
    y <- step_outcome(x, training, info, columns)
    select_in_step(x, training[columns], y, step_weights(training, info))
  } else {
    step_result(character(), integer(), numeric(), logical())
  }
  x$trained <- TRUE
  x
}

# the numbers of a column of case weights, NULL without one
step_weights <- function(training, info) {
  at <- which(info$role %in% "case_weights")
  if (length(at) > 0) as.double(unclass(training[[info$variable[at[1]]]]))
}

check_predictors <- function(predictors, leaves_out) {
  gaps <- names(predictors)[vapply(predictors, anyNA, NA)]
  if (!leaves_out && length(gaps) > 0L) {
    stop_rowsparse("nonfinite", "recipe", "must have no missing values where this step selects",
      first_few(quoted(gaps)), paste(
        "Put a step as recipes::step_impute_mean() before this one, or leave rows out of the",
        "selection by options = list(na.action = \"na.omit\")"
      )
    )
  }
}

# The columns of the response: a vector, or a data frame where there are several
step_outcome <- function(x, training, info, columns) {
  if (identical(x$outcome, FALSE)) {
    return(NULL)
  }
  names <- or_default(x$outcome, unique(info$variable[info$role %in% "outcome"]))
  unknown <- setdiff(names, names(training))
  if (length(unknown) > 0) {
    stop_rowsparse("choice", "outcome", "must name columns of the data", quoted(unknown[1]))
  }
  if (any(names %in% columns)) {
    stop_rowsparse("choice", "outcome", "must not be among the columns to select from",
      quoted(intersect(names, columns)[1])
    )
  }
  switch(min(length(names), 2L) + 1L, NULL, training[[names]], as.data.frame(training[names]))
}

select_in_step <- function(x, predictors, y, weights) {
  k <- step_size(x, length(predictors))
  arguments <- list(step_matrix(predictors), k = k, method = x$method)
  if (!is.null(y)) arguments$y <- y
  if (is.null(x$options$weights)) arguments$weights <- weights
  fit <- do.call(rowsparse, c(arguments, x$options), quote = TRUE)
  ranked <- ranked_columns(fit, names(predictors))
  step_result(ranked$name, seq_along(ranked$name), ranked$score, ranked$selected, class(fit)[1])
}

step_result <- function(terms, rank, score, selected, method = NA_character_) {
  list(
    table = data.frame(terms = terms, rank = rank, score = score, selected = selected),
    removed = terms[!selected], method = method
  )
}

# a default gives way in silence, a request with a warning
step_size <- function(x, available) {
  k <- check_count(x$k, "k")
  if (k > available && !isTRUE(x$default)) {
    warn_rowsparse("fill", sprintf(
      "only %s to select from where `k` is %d: all are kept.", count_of(available, "predictor"), k
    ))
  }
  min(k, available)
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
  selected <- object$result$table$terms[object$result$table$selected]
  missing <- setdiff(selected, names(new_data))
  if (length(missing) > 0) {
    stop_rowsparse("names", "new_data", "must have all selected columns", sprintf(
      "%d missing (first: %s)", length(missing), quoted(missing[1])
    ))
  }
  new_data[!names(new_data) %in% object$result$removed]
}

#' @export
print.step_select_rowsparse <- function(x, width = max(20, options()$width - 36), ...) {
  asked <- if (is.call(x$method)) deparse1(x$method) else or_default(x$method, "default method")
  title <- sprintf("Selection of %s by %s from ", if (is.call(x$k)) deparse1(x$k) else x$k,
    if (isTRUE(x$trained)) or_default(x$result$method, asked) else asked
  )
  listed <- x$result$table$terms[x$result$table$selected]
  recipes::print_step(listed, x$terms, x$trained, title, width)
  invisible(x)
}

#' @exportS3Method generics::tidy
tidy.step_select_rowsparse <- function(x, ...) {
  table <- if (isTRUE(x$trained)) {
    x$result$table
  } else {
    data.frame(
      terms = recipes::sel2char(x$terms), rank = NA_integer_, score = NA_real_, selected = NA
    )
  }
  table$id <- rep(x$id, nrow(table))
  tidy_table(table)
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_select_rowsparse <- function(x, ...) { # nolint: object_length_linter.
  "rowsparse"
}

#' @exportS3Method generics::tunable
tunable.step_select_rowsparse <- function(x, ...) {
  table <- data.frame(name = c("k", "method"))
  table$call_info <- list(
    list(pkg = "dials", fun = "num_comp", range = c(1L, 50L)),
    list(pkg = "dials", fun = "new_qual_param", values = tuned_methods)
  )
  table$source <- "recipe"
  table$component <- "step_select_rowsparse"
  table$component_id <- x$id
  tidy_table(table)
}

# those that tuning chooses from where the caller names none
tuned_methods <- c("alignment", "cdlsr", "css", "fspca", "ftest", "variance")
