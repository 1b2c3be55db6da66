# A score for the package filtro of tidymodels. Its class inherits from one of that package, so it
# is made when it is first asked for.

#' Score for filtro by any method
#'
#' filtro scores the predictors of a data frame by several criteria, so that scores can be
#' compared, combined and thresholded. `score_rowsparse()` is a further score object, by
#' [rowsparse()]: `fit()` takes a formula and the data, and its `results` have the columns `name`,
#' `score`, `outcome` and `predictor`, as for all scores of filtro.
#'
#' Numeric predictors are scored jointly, unlike by scores of single predictors: among redundant
#' ones the first has the high score. Predictors of other kinds have the score `NA`, which
#' `filtro::fill_safe_value()` replaces by one that keeps them.
#'
#' The scores are those of the fit. Equal scores are made to differ in their last digits, in the
#' order of the method's ranking, so that `filtro::show_best_score_num()` takes the features that
#' the fit selects. Set `k` to the number you keep: methods that choose exactly `k` features rank
#' the others after these.
#'
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` for the default of
#'   [rowsparse()].
#' @param k Number of features for methods that choose exactly k; reduced if there are fewer
#'   numeric predictors.
#' @param ... Further arguments of the method.
#' @return An object of class `class_score_rowsparse`, which inherits from `filtro::class_score`.
#'   `fit(object, formula, data, case_weights = NULL)` fills its `results`; `case_weights` are the
#'   `weights` of methods that take them, see [cdlsr()].
#' @section Errors:
#' Of class `rowsparse_error_package` if filtro is not installed; of class
#' `rowsparse_error_argument` for arguments that the method does not have; from `fit()` the errors
#' of [rowsparse()], and of class `rowsparse_error_type` without numeric predictors.
#' @seealso [step_select_rowsparse()] for a step of a recipe
#' @examplesIf requireNamespace("filtro", quietly = TRUE)
#' library(filtro)
#' scored <- fit(score_rowsparse("cdlsr", k = 2), Species ~ ., data = iris)
#' S7::prop(scored, "results") # in R >= 4.3 scored@results
#' show_best_score_num(scored, num_terms = 2)
#' @export
score_rowsparse <- function(method = NULL, k = 50, ...) {
  check_installed("filtro", "for scores")
  options <- list(...)
  if (!is.null(method)) {
    check_arguments(method_entry(method), options, reserved = c("assay", "block", "weights"))
  }
  k <- check_count(k, "k", 1L)
  filter_score_class()(
    method = method, k = k, options = options, outcome_type = c("numeric", "factor"),
    predictor_type = "numeric", case_weights = TRUE, range = c(0, Inf),
    inclusive = c(TRUE, FALSE), fallback_value = Inf,
    score_type = paste(c("rowsparse", method), collapse = "_"), direction = "maximize",
    deterministic = is.null(method) || !method_entry(method)$draws, tuning = TRUE,
    label = "Selection by row-sparse matrix optimisation", packages = "rowsparse"
  )
}

made_classes <- new.env(parent = emptyenv())

filter_score_class <- function() {
  if (is.null(made_classes$score)) {
    class <- S7::new_class("class_score_rowsparse",
      parent = filtro::class_score, package = "rowsparse",
      properties = list(
        method = S7::new_union(NULL, S7::class_character), k = S7::class_numeric,
        options = S7::class_list
      )
    )
    fit <- filtro::fit
    S7::method(fit, class) <- fit_score
    made_classes$score <- class
  }
  made_classes$score
}

fit_score <- function(object, formula, data, ..., case_weights = NULL) {
  check_no_more("fit", "case_weights", ...)
  frame <- stats::model.frame(formula, data, na.action = "na.pass", drop.unused.levels = TRUE)
  y <- frame[[1]]
  predictors <- frame[-1]
  numeric <- vapply(predictors, function(column) is.numeric(column) && is.null(dim(column)), NA)
  if (!any(numeric)) {
    stop_rowsparse("type", "data", "must have numeric predictors", "none")
  }
  x <- predictors[numeric]
  asked <- S7::props(object, c("k", "method", "options", "score_type"))
  weights <- if (!is.null(case_weights)) list(weights = as.double(case_weights))
  fit <- do.call(rowsparse,
    c(list(x, y, min(asked$k, ncol(x)), asked$method), asked$options, weights), quote = TRUE
  )
  score <- rep(NA_real_, length(predictors))
  score[which(numeric)[fit$ranking]] <- told_apart(unname(fit$scores[fit$ranking]))
  S7::prop(object, "results") <- tidy_table(data.frame(
    name = asked$score_type, score = score, outcome = names(frame)[1],
    predictor = names(predictors)
  ))
  object
}
