#' Use the result of a cross-validation
#'
#' `predict()` gives the response or the class, `coef()` the coefficients and `selected()` the
#' features, from the fit to all samples at the chosen point. `plot()` draws the measure.
#'
#' @param object,x,fit A result of [cv_rowsparse()].
#' @param newdata,assay,block As for [predict.rowsparse()].
#' @param k Number of features, in place of the one chosen: any that the fit holds.
#' @param type `NULL`: `"response"` for a numeric response, `"class"` for classes, the selected
#'   `"features"` without a response. Others, see [predict.cdlsr()]; a model on the selected
#'   features gives `"response"`, or `"class"`, and `"prob"` if it predicts probabilities.
#' @param groups,expand As for [selected()].
#' @param row.names,optional Unused.
#' @param ... For `plot()`: further graphical parameters. Otherwise unused.
#' @return `predict()`: as [predict.cdlsr()]; `coef()`: as [coef.cdlsr()]; `selected()`: names or
#'   indices; `summary()`: the lines of `print()` with the table; `as.data.frame()`: the table
#'   with a column `chosen`; `plot()`: `x`, invisibly.
#' @section The plot:
#' The measure by number of features, or by penalty, largest first, with the mean number of features
#' above. Bars are one standard error either way. The dashed line is the point chosen, the dotted
#' one that of the other rule. The dotted curve is the limit of rule `"1se"`, which takes the first
#' point beyond it. Of several methods or settings there is a curve for each, without bars.
#' @examples
#' cv <- cv_rowsparse(iris[, 1:4], iris$Species, method = "cdlsr")
#' selected(cv)
#' coef(cv)
#' head(predict(cv, iris))
#' as.data.frame(cv)
#' @name predict.cv_rowsparse
#' @export
predict.cv_rowsparse <- function(object, newdata, k = NULL, type = NULL, assay = NULL,
                                 block = NULL, ...) {
  check_no_more("predict", setdiff(predict_arguments, "prior"), ...)
  newdata <- if (missing(newdata)) NULL else newdata
  if (!is.null(object$model) && !isTRUE(type %in% c("features", "components"))) {
    check_size_of_model(k)
    return(predict_by_model(object, newdata, type, assay))
  }
  if (!is.list(object$fit)) {
    return(new_features(object$features, newdata, object$columns))
  }
  stats::predict(object$fit, newdata,
    k = k, type = or_default(type, usual_type(object$fit)), assay = assay, block = block
  )
}

check_size_of_model <- function(k) {
  refuse_if(!is.null(k), "argument", "k", "must be left out: the model is of the selected features",
    describe(k)
  )
}

predict_by_model <- function(cv, newdata, type, assay) {
  levels <- cv$model$levels
  known <- if (is.null(levels)) "response" else c("class", "prob")
  type <- check_choice(or_default(type, known[1]), "type", known)
  check_newdata(newdata)
  columns <- as.matrix(new_values(cv$features, newdata, cv$columns, assay))
  guess <- cv$model$predict(cv$model$fit, model_columns(columns, seq_along(cv$columns), TRUE))
  if (type == "prob" && !is.matrix(guess)) {
    stop_rowsparse("choice", "type", "\"prob\" needs a `predict` that returns probabilities")
  }
  if (type != "class") {
    return(as.matrix(guess))
  }
  if (is.matrix(guess)) guess <- largest_class(guess, colnames(guess))
  factor(as.character(guess), levels)
}

#' @rdname predict.cv_rowsparse
#' @export
coef.cv_rowsparse <- function(object, k = NULL, ...) {
  check_no_more("coef", "k", ...)
  refuse_if(!is.null(object$model), "choice", "object",
    "has a model of its own on the selected features", object$model$label,
    "It is in the element `model`"
  )
  stats::coef(object$fit, k = k)
}

#' @rdname predict.cv_rowsparse
#' @export
selected.cv_rowsparse <- function(fit, k = NULL, groups = FALSE, expand = FALSE, ...) {
  check_no_more("selected", c("k", "groups", "expand"), ...)
  own <- if (is.list(fit$fit)) fit$fit else fit$features
  if (!is.null(k) && is.list(fit$fit)) {
    return(selected(own, k, groups = groups, expand = expand))
  }
  check_size_of_model(k)
  answer_labels(own, fit$columns, groups, expand)
}

#' @export
print.cv_rowsparse <- function(x, ...) {
  print_lines(x, cv_lines(x))
  table <- best_of_each(x)
  if (nrow(table) > 1L) print(table, digits = 3, row.names = FALSE)
  invisible(x)
}

cv_lines <- function(cv) {
  fit <- if (is.list(cv$fit)) cv$fit else cv$features
  chosen <- if (is.null(fit$groups)) cv$columns else unique(fit$groups$of[cv$columns])
  seen <- unit_view(fit)
  text <- sprintf("%s by cross-validation: %d of %s selected", cv$method, length(chosen),
    count_of(seen$d, unit_noun(fit))
  )
  entrants <- max(cv$entrant)
  stability <- cv$table$stability[cv$at]
  c(
    list_features(text, seen, chosen, 10L),
    paste(c(
      count_of(cv$n, "sample"), cv$response,
      paste0(NROW(cv$fold_loss) / cv$repeats, " folds",
        if (cv$repeats > 1) sprintf(" drawn %d times", cv$repeats)
      ),
      if (entrants > 1L) paste(entrants, "methods or settings"), count_of(nrow(cv$table), "point")
    ), collapse = ", "),
    choice_words(cv),
    vapply(unique(c(cv$chosen_by, names(cv$null_measures))), measure_line, "", cv = cv),
    if (!is.na(stability)) {
      paste("stability of the sets of the folds:", format(stability, digits = 2))
    },
    cv$open, if (cv$no_better) no_better_words(cv), call_lines(fit)
  )
}

# "relative squared error: 0.2 (standard error 0.03; without features 1; 0.19 uncorrected)"
measure_line <- function(name, cv) {
  columns <- measure_columns_of(name)
  values <- cv$corrected[columns]
  without <- or_default(cv$null_measures[name], 1)
  words <- if (name == cv$chosen_by) cv$measure else measure_words(name, "class")
  sprintf("%s: %s (%s)", words, format(values[[1]], digits = 3), paste(c(
    paste("standard error", format(values[[2]], digits = 2)),
    if (name != "explained") paste("without features", format(without, digits = 3)),
    if (nrow(cv$table) > 1L) paste(format(cv$table[[columns[1]]][cv$at], digits = 3), "uncorrected")
  ), collapse = "; "))
}

no_better_words <- function(cv) {
  sprintf("no %s does better than %s on samples left out", if (cv$over == "k") "set" else "penalty",
    if (is.null(cv$null_measures)) "the mean" else "the shares of the classes"
  )
}

choice_words <- function(cv) {
  at <- function(rule) format(cv$table[[cv$over]][cv$best[[rule]]], digits = 3)
  chosen <- c(stats::setNames(list(cv[[cv$over]]), cv$over), cv$setting)
  paste0(
    toString(paste(names(chosen), "=", vapply(chosen, format, "", digits = 3))),
    if (nrow(cv$table) > 1L) {
      sprintf(" by rule \"%s\" (best at %s, within a standard error of it at %s)", cv$rule,
        at("min"), at("1se")
      )
    },
    if (!is.null(cv$elbow)) sprintf("; elbow of the curve at %d", cv$elbow)
  )
}

# the best point of each method and setting, without the measures that do not choose
best_of_each <- function(cv) {
  value <- cv$table[[measure_columns_of(cv$chosen_by)[1]]]
  if (cv$chosen_by != "explained") value <- -value
  rows <- vapply(split(seq_along(value), cv$entrant), function(at) at[first_largest(value[at])], 0L)
  others <- unlist(lapply(setdiff(class_measures, cv$chosen_by), measure_columns_of))
  cv$table[rows, setdiff(names(cv$table), others)]
}

#' @export
summary.cv_rowsparse <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  summary_of_points(object, cv_lines(object), 20, object$at)
}

#' @rdname predict.cv_rowsparse
#' @export
as.data.frame.cv_rowsparse <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  cbind(x$table, chosen = seq_len(nrow(x$table)) == x$at)
}
