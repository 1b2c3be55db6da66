#' The error of feature selection followed by a model, cross-validated together
#'
#' In each fold the features are selected from the training samples alone, the model is fitted to
#' these features, and the samples left out are predicted. For comparison the result also shows
#' the error that many reports give: features are selected once, from all samples, and only the
#' model is cross-validated. The samples left out have then taken part in the selection, and the
#' error is too low, by much with many features: on pure noise it falls far below chance.
#'
#' Both errors come from the same folds and the same model. Models of other packages
#' are given as two functions:
#' \preformatted{
#' # linear discriminants
#' fit = function(x, y) MASS::lda(x, grouping = y),
#' predict = function(model, newx) predict(model, newx)$class
#'
#' # lasso for a numeric response
#' fit = function(x, y) glmnet::cv.glmnet(x, y),
#' predict = function(model, newx) predict(model, newx, s = "lambda.min")
#'
#' # lasso for classes
#' fit = function(x, y) glmnet::cv.glmnet(x, y, family = "multinomial"),
#' predict = function(model, newx) predict(model, newx, s = "lambda.min", type = "class")
#'
#' # lasso with the weights of the samples
#' fit = function(x, y, weights) glmnet::cv.glmnet(x, y, weights = weights)
#' }
#'
#' With `weights` both steps use the weights of the training samples, and both errors are weighted
#' means over the samples left out, as in [cv_rowsparse()].
#'
#' @inheritParams cv_rowsparse
#' @param x The samples themselves: matrix, data frame, `dgCMatrix`, or a
#'   `SummarizedExperiment`; or a formula, with `data`, see [tables].
#' @param y Response: class labels or numbers, as in [cdlsr()].
#' @param k Number of features, or several numbers to compare.
#' @param method Name of any method, see [rowsparse_methods()], even of one that does not use `y`;
#'   `NULL` for the default of [rowsparse()]. Or a function called as `method(x, y, k)`, which
#'   returns a fit, or column indices or names, best first.
#' @param fit,predict The model: `fit(x, y)` gets a numeric matrix with the k selected columns
#'   and the response (a factor, a numeric vector, or a matrix of several responses), and
#'   returns a model of any kind; `predict(model, newx)` gets the model and new samples, and
#'   returns a class or number for each, or for classes a matrix of probabilities, one named
#'   column per class. `NULL`: least squares with an intercept; for classes the linear
#'   discriminants of [predict.rowsparse()].
#' @param measure Measure of `inside` and `outside`: `"error"`, or for classes also `"balanced"`
#'   or `"log_loss"`, see [cv_rowsparse()].
#' @param weights Observation weights, as in [cv_rowsparse()]. Both steps must take them: by name
#'   only the methods [cdlsr()] and [pgd()]; functions given as `method` or `fit` need an argument
#'   `weights`.
#' @param ... Further arguments of a method that is given by name.
#' @return A list of class `selection_error`:
#'   \item{table}{data frame, one row per size: `k`; `inside` and `outside`, the errors
#'     with the selection inside and outside the folds; `difference`; and with the suffix `_se`
#'     their standard errors (for the difference from its values in the folds); for classes also
#'     the other measures, as `inside_balanced`, `outside_balanced`, `inside_log_loss` and
#'     `outside_log_loss`, see [cv_rowsparse()] (`NA` where the model gives classes without
#'     probabilities)}
#'   \item{null_error, chosen_by, measure}{the error without features, the name of the measure,
#'     and the measure in words; see [cv_rowsparse()]; for classes `null_measures`: the errors
#'     without features by all measures}
#'   \item{fold_error}{list of the matrices `inside` and `outside`, folds x sizes}
#'   \item{selected}{list of the columns selected from all samples, by size}
#'   \item{method, foldid, repeats, n, d, elapsed, call}{}
#'   Methods: `print`, `summary`, `as.data.frame` (the table).
#' @section Errors:
#' As for [cv_rowsparse()]; only one of `fit` and `predict` given, or functions that do not
#' return what they must, or that do not take the `weights` that are given. Conditions from your
#' own functions are passed on.
#' @references
#' Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis of
#' microarray gene-expression data. *Proceedings of the National Academy of Sciences* 99,
#' 6562--6566. \doi{10.1073/pnas.102102699}
#' @seealso [cv_rowsparse()] to choose the size, [compare_methods()] for many methods
#' @examples
#' # nothing to be found: 40 samples, 300 features of noise
#' set.seed(1)
#' noise <- matrix(rnorm(40 * 300), 40)
#' class <- factor(rep(c("a", "b"), 20))
#' selection_error(noise, class, k = 5, method = "ftest")
#' @examplesIf requireNamespace("MASS", quietly = TRUE)
#' selection_error(iris[, 1:4], iris$Species, k = 2,
#'   fit = function(x, y) MASS::lda(x, grouping = y),
#'   predict = function(model, newx) predict(model, newx)$class
#' )
#' @export
selection_error <- function(x, y, k, method = NULL, fit = NULL, predict = NULL, folds = 10,
                            foldid = NULL, repeats = 1, seed = NULL, ..., weights = NULL,
                            BPPARAM = NULL, assay = NULL, data = NULL, na.action = NULL,
                            measure = c("error", "balanced", "log_loss"), groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  measure <- check_choice(measure, "measure", class_measures)
  check_given(missing(y), "y", inherits(x, "formula"), formulas = TRUE)
  check_given(missing(k), "k", formulas = TRUE)
  check_places(k, method)
  table <- read_table(x, if (missing(y)) NULL else y, data, na.action, groups = groups,
    response = TRUE
  )
  x <- table[["x"]]
  y <- table[["y"]]
  check_workers(BPPARAM)
  model <- check_model(fit, predict)
  samples <- samples_in_memory(x, assay)
  parts <- list(folds = folds, foldid = foldid, repeats = repeats, seed = seed)
  weights <- rows_of_table(list(weights = weights), table)[["weights"]]
  divided <- weighted_samples(samples, sample_column(x, y, "y"),
    rows_of_table(parts, table, "foldid"), sample_column(x, weights, "weights")
  )
  samples <- divided$x
  y <- divided$y
  weights <- divided$weights
  choice <- check_selection(method, samples, y, k, c(list(...), table$locks))
  if (!is.null(weights)) check_steps_take_weights(choice$method, model$fit, weights)
  data <- without_constant_warning(as_data(samples, groups = table$locks$groups))
  response <- as_response(y, data$n)
  check_measure_serves(measure, response)
  k <- sort(unique(check_counts(k, "k", 1L, unit_count(data))))
  foldid <- fold_columns(divided$parts, response, samples)
  y <- response_of(response)
  model <- or_default(model, usual_model(y))

  outside <- choose_sets(choice$method, samples, y, k, choice$given, weights)
  unit <- response_unit(y)
  jobs <- with_own_seeds(all_fold_jobs(foldid))
  found <- apply_with_progress(jobs, select_fit_job,
    x = samples, y = y, sizes = k, method = choice$method, given = choice$given, model = model,
    outside = outside, unit = unit, weights = weights, BPPARAM = BPPARAM
  )
  errors <- lapply(c(inside = "inside", outside = "outside", null = "null"), fold_matrices,
    found = found
  )
  structure(
    c(
      selection_table(k, errors, foldid, unit, measure, measure_weights(y, weights)),
      list(
        chosen_by = measure, measure = measure_words(measure, response$type, weights),
        selected = outside, method = choice$label, model = model$label, response = response$text,
        foldid = folds_of_all(foldid, divided), repeats = ncol(foldid),
        n = data$n, d = data$d, elapsed = proc.time()[["elapsed"]] - started, call = call
      )
    ),
    class = "selection_error"
  )
}

# a method by name that does, or functions with such an argument
check_steps_take_weights <- function(method, fit, weights) {
  if (!is.function(method)) check_takes_weights(method_entry(method), weights)
  steps <- Filter(is.function, list(method = method, fit = fit))
  for (name in names(steps)) check_function_takes_weights(steps[[name]], name)
}

check_function_takes_weights <- function(f, argument) {
  if (!"weights" %in% names(formals(args(f)))) {
    stop_rowsparse("argument", argument,
      "must be a function with an argument `weights` where these are given"
    )
  }
}

# the two functions of a model, or NULL for the usual one
check_model <- function(fit, predict) {
  if (is.null(fit) && is.null(predict)) {
    return(NULL)
  }
  given <- list(fit = fit, predict = predict)
  for (name in names(given)) {
    if (!is.function(given[[name]])) {
      stop_rowsparse("type", name, "must be a function, and both `fit` and `predict` be given",
        describe(given[[name]])
      )
    }
  }
  c(given, list(label = "the model given"))
}

# a method by name with its arguments, or a function
check_selection <- function(method, x, y, k, given) {
  if (is.function(method)) {
    given <- given[!vapply(given, is.null, NA)]
    if (length(given) > 0) {
      stop_rowsparse("argument", or_default(names(given)[1], "..."),
        "must be left out where `method` is a function"
      )
    }
    return(list(method = method, given = list(), label = "the function given"))
  }
  entry <- asked_entry(method, x, y, by_response = TRUE, k = k)
  reserved <- c("start", "include", "exclude", "block", "assay")
  list(
    method = entry$name, given = check_arguments(entry, given, reserved = reserved),
    label = entry$name
  )
}

# a - b, 0 where that is rounding, as where the sets are the same
clear_difference <- function(a, b) {
  difference <- a - b
  difference[abs(difference) <= 1e-10 * pmax(abs(a), abs(b))] <- 0
  difference
}

# sizes with both errors, and what belongs to them; `weights` as measure_weights() gives them
selection_table <- function(k, errors, foldid, unit, measure, weights) {
  in_units <- function(value) squares_in_units(value, unit)
  summary_of <- function(error, name = measure) {
    sums <- fold_summary(error, foldid, weights_of_measure(name, weights))
    lapply(sums, in_units)
  }
  check_model_measures(errors, measure)
  inside <- summary_of(errors$inside[[measure]])
  outside <- summary_of(errors$outside[[measure]])
  between <- summary_of(clear_difference(errors$inside[[measure]], errors$outside[[measure]]))
  table <- data.frame(
    k = k, inside = inside$error, inside_se = inside$se, outside = outside$error,
    outside_se = outside$se, difference = between$error, difference_se = between$se
  )
  null <- vapply(stats::setNames(nm = names(errors$null)), function(name) {
    summary_of(errors$null[[name]], name)$error
  }, 0)
  for (name in setdiff(names(null), measure)) {
    for (part in c("inside", "outside")) {
      table[[paste0(part, "_", name)]] <- summary_of(errors[[part]][[name]], name)$error
    }
  }
  list(
    table = table, null_error = null[[measure]], null_measures = if (length(null) > 1L) null,
    fold_error = lapply(errors[c("inside", "outside")], function(part) in_units(part[[measure]]))
  )
}

# classes alone have no logarithmic loss
check_model_measures <- function(errors, measure) {
  if (anyNA(errors$inside[[measure]])) {
    stop_rowsparse("choice", "measure",
      sprintf("\"%s\" needs a `predict` that returns probabilities", measure), "classes alone"
    )
  }
}

# ---- S3 methods --------------------------------------------------------------

check_selection_error <- function(x, argument = "x") {
  columns <- c(
    "k", "inside", "inside_se", "outside", "outside_se", "difference", "difference_se"
  )
  rules <- list(
    table = rule("the data frame of both errors by size", function(v, x) {
      is.data.frame(v) && nrow(v) > 0 && all(columns %in% names(v)) &&
        all(vapply(v, function(column) is.numeric(column) && is.null(dim(column)), NA)) &&
        !anyNA(v[columns])
    }),
    null_error = rule("a number", function(v, x) is.numeric(v) && length(v) == 1L),
    measure = one_string, method = one_string, model = one_string, response = one_string,
    fold_error = rule("a list of two matrices", function(v, x) {
      is.list(v) && is.matrix(v$inside) && is.matrix(v$outside)
    }),
    repeats = rule("a whole number", function(v, x) is_count(v) && v >= 1),
    n = number_of_samples, d = number_of_features
  )
  check_elements(x, argument, "a result of selection_error()", rules)
}

#' @export
print.selection_error <- function(x, ...) {
  check_selection_error(x)
  cat(selection_error_lines(x), sep = "\n")
  shown <- x$table
  shown[-1] <- lapply(shown[-1], format, digits = 3)
  print(shown, row.names = FALSE)
  cat(paste(
    c("inside:  selected anew in each training set: what new samples may expect",
      "outside: selected once from all samples, also those left out: optimistic"
    ), collapse = "\n"
  ), "\n", sep = "")
  invisible(x)
}

selection_error_lines <- function(x) {
  c(
    sprintf("Selection by %s, then %s: %s of %s", x$method, x$model, from_to(range(x$table$k)),
      count_of(x$d, "feature")
    ),
    sprintf("%s, %s, %d folds%s; %s (without features %s)", count_of(x$n, "sample"), x$response,
      nrow(x$fold_error$inside) / x$repeats,
      if (x$repeats > 1) sprintf(" drawn %d times", x$repeats) else "",
      x$measure, format(x$null_error, digits = 3)
    )
  )
}

#' @export
summary.selection_error <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_selection_error(object, "object")
  structure(
    list(
      line = selection_error_lines(object), call = object$call, points = nrow(object$table),
      table = object$table
    ),
    class = "summary.selection_error"
  )
}

#' @export
print.summary.selection_error <- function(x, ...) print_lines_and_table(x)

#' @export
as.data.frame.selection_error <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_selection_error(x)$table
}

# both errors as curves, one row per size and kind
error_curves <- function(x, argument) {
  check_selection_error(x, argument)
  table <- x$table
  both <- data.frame(
    method = rep(c("inside the folds", "outside"), each = nrow(table)), k = table$k,
    error_mean = c(table$inside, table$outside), error_sd = c(table$inside_se, table$outside_se)
  )
  if (!all(is.finite(c(both$error_mean, both$error_sd)))) {
    stop_rowsparse("range", argument, "must have finite errors to be drawn", "infinite ones",
      "Divide `y` by a power of ten"
    )
  }
  both
}

selection_title <- function(x) sprintf("Selection by %s, then %s", x$method, x$model)
