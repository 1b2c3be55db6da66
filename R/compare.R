#' Comparison of feature selections on one data set
#'
#' [evaluate_features()] for several selections, with the same starting samples
#' of k-means for all of them.
#'
#' @inheritParams evaluate_features
#' @param methods A named list; every entry is a fit of this package, a vector
#'   of column indices or feature names (best first), or a function that is
#'   called as `f(x, ...)` and returns one of these. Or a character vector of
#'   methods from [rowsparse_methods()], each run by [rowsparse()] for the
#'   largest `k`; those that need labels are given `y`.
#' @param data Name of the data set, for the column `data`; results on several
#'   data sets can then be stacked with [rbind()].
#' @param ... Passed on to the functions in `methods`.
#'
#' @return A data frame of classes `method_comparison` and
#'   `feature_evaluation`: the columns of [evaluate_features()], preceded by
#'   `data`, and `elapsed`, the seconds that the selection took (`NA` where it
#'   was given). `print` and `plot` as there.
#' @section Errors:
#' As for [evaluate_features()]; and `methods` without names.
#' @seealso [friedman_nemenyi()] to judge the differences
#' @examplesIf requireNamespace("clue", quietly = TRUE)
#' set.seed(1)
#' data <- simulate_shapes("banana", n = 300)
#' largest_variance <- function(x) order(-apply(x, 2, var))
#' compare_methods(data$x, data$y,
#'                 list(truth = data$informative, variance = largest_variance),
#'                 k = 2, repeats = 5, random = 2)
#' compare_methods(data$x, data$y, c("css", "bsufs"), k = 2, repeats = 5)
#' @export
compare_methods <- function(x, y, methods, k = seq(10, 100, 10), repeats = 50, random = 0,
                            data = deparse1(substitute(x)), ...) {
  data <- check_data_name(data)
  if (!is.character(methods)) methods <- check_methods(methods)
  task <- clustering_task(x, y, repeats)
  default <- missing(k)
  k <- check_counts(k, "k", 1L, if (default) 1e9 else task$x$d)
  if (is.character(methods)) {
    methods <- check_methods(named_methods(methods, y, min(max(k), task$x$d)))
  }
  random <- check_count(random, "random", 0, 1e6)
  timed <- lapply(methods, timed_selection, x = x, ...)
  features <- Map(function(selection, name) {
    feature_columns(selection$fit, sprintf("methods$%s", name), task$x$d, task$x$names)
  }, timed, names(methods))
  k <- check_sizes(k, min(lengths(features)), default = default)
  for (selection in timed) warn_if_filled(selection$fit, k)

  sets <- unlist(Map(leading_sets, names(methods), features, list(k)), recursive = FALSE)
  sets <- c(unname(sets), random_sets(task$x$d, k, random))
  result <- feature_evaluation(score_sets(task, sets))
  elapsed <- vapply(timed, `[[`, 0, "elapsed")
  result <- cbind(data = data, result, elapsed = unname(elapsed[result$method]))
  class(result) <- c("method_comparison", "feature_evaluation", "data.frame")
  result
}

# the name of a data set: one string
check_data_name <- function(data) {
  if (!is.atomic(data) || length(data) != 1L || is.na(data)) {
    stop_rowsparse("type", "data", "must be one string: the name of the data set", describe(data))
  }
  as.character(data)
}

# functions that select k features by the methods of these names
named_methods <- function(methods, y, k) {
  known <- rowsparse_methods()
  methods <- vapply(methods, check_choice, "", argument = "methods", choices = known$method)
  select <- function(name) {
    response <- if (known$supervised[known$method == name]) factor(y)
    function(x, ...) rowsparse(x, response, k = k, method = name, ...)
  }
  stats::setNames(lapply(methods, select), methods)
}

check_methods <- function(methods) {
  labels <- names(methods)
  if (anyNA(labels)) labels[is.na(labels)] <- ""
  if (!is.list(methods) || inherits(methods, "rowsparse") || length(labels) == 0) {
    stop_rowsparse("type", "methods",
      "must be method names or a named list of fits, vectors or functions", describe(methods)
    )
  }
  if (!all(nzchar(labels)) || anyDuplicated(c(labels, "random"))) {
    stop_rowsparse("names", "methods", "must have different names, other than \"random\"",
                   paste0("\"", labels, "\"", collapse = ", "))
  }
  methods
}

# A selection and the seconds that it took
timed_selection <- function(method, x, ...) {
  if (!is.function(method)) {
    elapsed <- if (inherits(method, "rowsparse")) check_fit(method, "methods")$elapsed
    return(list(fit = method, elapsed = or_default(elapsed, NA_real_)))
  }
  start <- proc.time()[["elapsed"]]
  fit <- method(x, ...)
  list(fit = fit, elapsed = proc.time()[["elapsed"]] - start)
}
