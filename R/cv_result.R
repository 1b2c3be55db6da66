# What can be asked of a cross-validation.

#' Use the result of a cross-validation
#'
#' `predict()` gives the response or the class, `coef()` the coefficients and `selected()` the
#' features, from the fit to all samples at the chosen point, or at that of the other rule (`s`).
#' `plot()` draws the errors.
#'
#' @param object,x,fit A result of [cv_rowsparse()].
#' @param newdata Samples, as for [predict.rowsparse()].
#' @param k Number of features, in place of the choice of a rule: any that the fit holds.
#' @param type `NULL`: `"response"` for a numeric response, `"class"` for classes. Others, see
#'   [predict.cdlsr()].
#' @param s `"min"` or `"1se"`: the rule whose point is used; `NULL` for the rule of the
#'   cross-validation.
#' @param assay,block As for [predict.rowsparse()].
#' @param ... For `plot()`: further graphical parameters. Otherwise unused.
#' @return `predict()`: as [predict.cdlsr()]; `coef()`: as [coef.cdlsr()]; `selected()`: names or
#'   indices; `summary()`: the lines of `print()` with the table; `as.data.frame()`: the table
#'   with a column `chosen`; `plot()`: `x`, invisibly.
#' @section The plot:
#' Mean error by number of features, or by penalty, largest first, with the
#' mean number of features above. Bars are one standard error either way. The dashed line is the
#' point chosen, the dotted one that of the other rule. The dotted curve is the limit of rule
#' `"1se"`, which takes the first point below it: the lowest error plus the standard error of its
#' difference to the point, over the folds.
#' @examples
#' set.seed(1)
#' cv <- cv_rowsparse(iris[, 1:4], iris$Species, method = "cdlsr")
#' selected(cv)
#' coef(cv, s = "1se")
#' head(predict(cv, iris))
#' as.data.frame(cv)
#' @name predict.cv_rowsparse
#' @export
predict.cv_rowsparse <- function(object, newdata, k = NULL, type = NULL, assay = NULL,
                                 block = NULL, s = NULL, ...) {
  check_no_more("predict", c(predict_arguments, "s"), ...)
  at <- cv_at(object, s, k)
  newdata <- if (missing(newdata)) NULL else newdata
  type <- or_default(type, usual_type(at$fit))
  stats::predict(at$fit, newdata, k = at$k, type = type, assay = assay, block = block)
}

# the fit of a rule and the number of features that it is asked for; NULL: its own
cv_at <- function(cv, s = NULL, k = NULL) {
  rule <- if (is.null(s)) cv$rule else check_choice(s, "s", cv_rules_known)
  fit <- if (rule != cv$rule && !is.null(cv$other)) cv$other else cv$fit
  if (is.null(k) && cv$over == "k") k <- cv[[paste0("k_", rule)]]
  list(fit = fit, k = k, rule = rule)
}

#' @rdname predict.cv_rowsparse
#' @export
coef.cv_rowsparse <- function(object, k = NULL, s = NULL, ...) {
  check_no_more("coef", c("k", "s"), ...)
  at <- cv_at(object, s, k)
  stats::coef(at$fit, k = at$k)
}

#' @rdname predict.cv_rowsparse
#' @export
selected.cv_rowsparse <- function(fit, k, s = NULL, ...) {
  check_no_more("selected", c("k", "s"), ...)
  at <- cv_at(fit, s, if (missing(k)) NULL else k)
  if (is.null(at$k) && is.null(at$fit$selected)) {
    return(feature_labels(at$fit, integer()))
  }
  if (is.null(at$k)) selected(at$fit) else selected(at$fit, at$k)
}

#' @export
print.cv_rowsparse <- function(x, ...) {
  print_lines(x, cv_lines(x))
}

cv_lines <- function(cv) {
  chosen <- selected_columns(cv)
  at <- match(cv[[cv$over]], cv$table[[1]])
  curve <- cv_error(cv)
  fit <- cv$fit
  if (!is.null(fit$groups)) chosen <- unique(fit$groups$of[chosen])
  seen <- unit_view(fit)
  text <- sprintf("%s by cross-validation: %d of %s selected", cv$method, length(chosen),
    count_of(seen$d, unit_noun(fit))
  )
  folds <- sprintf("%.0f folds%s", NROW(cv$fold_error) / cv$repeats,
    if (cv$repeats > 1) sprintf(" drawn %d times", cv$repeats) else ""
  )
  c(
    list_features(text, seen, chosen, 10L),
    sprintf("%s, %s, %s, %s", count_of(cv$n, "sample"), cv$fit[["response"]]$text, folds,
      points_words(cv)
    ),
    rule_words(cv),
    sprintf("%s: %s (standard error %s; without features %s)", cv$measure,
      format(curve$error[at], digits = 3), format(curve$se[at], digits = 2),
      format(cv$null_error, digits = 3)
    ),
    other_measure_words(cv$table[at, ], cv$null_measures, cv$chosen_by),
    cv$fit$default
  )
}

# those of classes that did not choose:
# "balanced error 0.05 (without features 0.67), logarithmic loss 0.12 (without features 1.1)"
other_measure_words <- function(row, null, chosen_by) {
  if (is.null(null)) {
    return(NULL)
  }
  paste(vapply(setdiff(class_measures, chosen_by), function(name) {
    sprintf("%s %s (without features %s)", measure_words(name, "class"),
      format(row[[name]], digits = 3), format(null[[name]], digits = 3)
    )
  }, ""), collapse = ", ")
}

# the measure that chooses along the points, with its standard error
cv_error <- function(cv) {
  stats::setNames(cv$table[measure_columns_of(cv$chosen_by)], c("error", "se"))
}

# columns of the features at the chosen point
selected_columns <- function(cv) {
  at <- cv_at(cv)
  if (is.null(at$k)) at$fit$selected else selected_index(at$fit, at$k)
}

points_words <- function(cv) {
  values <- cv$table[[1]]
  ends <- format(range(values), digits = 3, trim = TRUE)
  if (cv$over == "lambda") {
    return(sprintf("%d penalties from %s down to %s", length(values), ends[2], ends[1]))
  }
  whole <- length(values) == 1L || all(diff(values) == 1)
  sprintf("%s %s", if (whole) "sizes" else paste(length(values), "sizes from"), from_to(ends))
}

rule_words <- function(cv) {
  number <- function(name) format(cv[[paste0(cv$over, name)]], digits = 3)
  sprintf("%s = %s by rule \"%s\" (lowest error at %s, within a paired standard error at %s)",
    cv$over, number(""), cv$rule, number("_min"), number("_1se")
  )
}

#' @export
summary.cv_rowsparse <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  table <- cv_table(object)
  rows <- unique(round(seq(1, nrow(table), length.out = min(20, nrow(table)))))
  structure(
    list(
      line = cv_lines(object), call = object$call, points = nrow(table),
      table = table[sort(union(rows, which(table$chosen))), ]
    ),
    class = "summary.cv_rowsparse"
  )
}

#' @export
print.summary.cv_rowsparse <- function(x, ...) print_lines_and_table(x)

cv_table <- function(cv) {
  cbind(cv$table, chosen = cv$table[[1]] == cv[[cv$over]])
}

#' @rdname predict.cv_rowsparse
#' @param row.names,optional As for [as.data.frame()]; unused.
#' @export
as.data.frame.cv_rowsparse <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  cv_table(x)
}
