# A filter for mlr3filters. Its class is made when it is first asked for, so that loading the
# package loads nothing of mlr3, and it enters the dictionary of filters when that is loaded.

#' Filter for mlr3 by any method
#'
#' With both packages loaded, `mlr3filters::flt("rowsparse")` is a filter whose scores are those of
#' [rowsparse()]. The target of classification, regression and survival tasks is the response.
#' Features are coded as in [tables], without missing values: a factor has one score, by methods
#' that take [groups]. Weights of a task are not used. Equal scores are told apart by their last
#' digits.
#'
#' @section Parameters:
#' \describe{
#'   \item{`method`}{name of a method; without it, or by `"default"`, that of [rowsparse()]}
#'   \item{`k`}{number of features for methods that choose exactly k; without it `nfeat` of
#'     `$calculate()`, and at most 50. Other features follow in the order of the ranking: set `k`
#'     to the number you keep.}
#'   \item{`response`}{do methods for which a response is optional, as [alignment()], use the
#'     target? `TRUE` by default}
#'   \item{`scale`, `m`, `options`}{as in the method, if it has them; a list of further arguments}
#' }
#'
#' @return An object of class `FilterRowsparse`, which inherits from `mlr3filters::Filter`.
#' @seealso [step_select_rowsparse()] for tidymodels
#' @examplesIf requireNamespace("mlr3filters", quietly = TRUE)
#' library(mlr3filters)
#' filter <- flt("rowsparse", method = "css", k = 2)
#' filter$calculate(mlr3::tsk("iris"))
#' filter
#' @name flt_rowsparse
#' @aliases FilterRowsparse
NULL

utils::globalVariables(c("self", "super"))

# the class, or what says which package it needs
filter_generator <- function() {
  if (!requireNamespace("R6", quietly = TRUE)) {
    return(list(
      classname = "FilterRowsparse", new = function() check_installed("R6", "for filters of mlr3")
    ))
  }
  R6::R6Class("FilterRowsparse",
    inherit = {
      check_installed("mlr3filters", "for filters of mlr3")
      mlr3filters::Filter
    },
    public = list(
      initialize = function() {
        super$initialize(
          id = "rowsparse", task_types = NA_character_, param_set = paradox::ps(
            method = paradox::p_fct(c("default", names(method_table()))),
            k = paradox::p_int(lower = 1L), response = paradox::p_lgl(default = TRUE),
            scale = paradox::p_lgl(), m = paradox::p_int(lower = 1L),
            options = paradox::p_uty(default = list())
          ), feature_types = intersect( # as far as this version of mlr3 knows them
            c("logical", "integer", "numeric", "character", "factor", "ordered", "POSIXct", "Date"),
            getExportedValue("mlr3", "mlr_reflections")$task_feature_types
          ), packages = "rowsparse",
          label = "Selection by Row-Sparse Matrix Optimisation", man = "rowsparse::flt_rowsparse"
        )
      }
    ),
    private = list(
      .calculate = function(task, nfeat) filter_scores(task, nfeat, self$param_set$values)
    ),
    parent_env = topenv()
  )
}

filter_scores <- function(task, nfeat, values) {
  x <- as.data.frame(task$data(cols = task$feature_names))
  k <- min(or_default(values$k, min(50L, nfeat)), ncol(x))
  seen <- !isFALSE(values$response) || needs_response(asked_entry(values$method, x, NULL))
  y <- if (seen && task$task_type %in% c("classif", "regr", "surv")) task$truth()
  given <- c(values[intersect(c("scale", "m"), names(values))], values$options)
  fit <- do.call(rowsparse, c(list(x, y, k, values$method), given), quote = TRUE)
  ranked <- ranked_columns(fit, names(x))
  stats::setNames(told_apart(ranked$score), ranked$name)
}

# scores that never increase, made to decrease
told_apart <- function(scores) {
  for (i in seq_along(scores)[-1]) {
    step <- max(abs(scores[i - 1]) * .Machine$double.eps, .Machine$double.xmin)
    scores[i] <- min(scores[i], scores[i - 1] - step)
  }
  scores
}

add_filter <- function() mlr3filters::mlr_filters$add("rowsparse", get("FilterRowsparse", topenv()))

.onLoad <- function(libname, pkgname) {
  .Call(C_blas_is_plain, is_plain_blas())
  delayedAssign("FilterRowsparse", filter_generator(), assign.env = topenv())
  setHook(packageEvent("mlr3filters", "onLoad"), function(...) {
    if (isNamespaceLoaded("rowsparse")) get("add_filter", asNamespace("rowsparse"))()
  })
  if (isNamespaceLoaded("mlr3filters")) add_filter()
}
