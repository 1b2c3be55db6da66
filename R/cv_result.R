#' Use the result of a cross-validation
#'
#' `predict()` gives the response or the class, `coef()` the coefficients and `selected()` the
#' features, from the fit to all samples at the chosen point. `plot()` draws the measure.
#'
#' @param object,x,fit A result of [cv_rowsparse()].
#' @param newdata,assay,block As for [predict.rowsparse()].
#' @param k Number of features, in place of the one chosen: any that the fit holds.
#' @param type As for [predict.rowsparse()]; a model on the selected features gives `"response"`, or
#'   `"class"`, and `"prob"` if it predicts probabilities.
#' @param groups,expand As for [selected()].
#' @param errors For `selected()`: how many false features there may be on average, with
#'   `folds = "halves"`; `k` is then one of the sizes compared, `NULL` the one told below. For
#'   `plot(what = "features")` of halves: the same, for the size drawn and its threshold.
#' @param row.names,optional Unused.
#' @param what The `"points"` that were compared, or the `"features"`, or [groups], in the sets of
#'   the folds at the chosen point (in a plot of halves at the size that `errors` takes).
#' @param ... For `plot()`: further graphical parameters. Otherwise unused.
#' @return `predict()`: as [predict.cdlsr()]; `coef()`: as [coef.cdlsr()]; `selected()`: names or
#'   indices; `summary()`: the lines of `print()` with the other measures and the table;
#'   `as.data.frame()`: the table with a column `chosen`, or of the features their `frequency`, the
#'   share of the folds that select them, and whether the fit to all samples does (`selected`), the
#'   most frequent first; `plot()`: `x`, invisibly. With the package generics `tidy()` gives the
#'   table, and `glance()` one row on the chosen point: its `measure` with `value` and `se`,
#'   corrected for the choice, and `null`, without features.
#' @section The plot:
#' The measure by number of features, or by penalty, largest first, with the mean number of features
#' above; a curve for each method or setting. Bars are one standard error either way. A key tells
#' the points that the rules take, and the limit of rule `"1se"`, the dotted curve. With
#' `what = "features"` the 30 most frequent ones in the sets of the folds.
#' @section False discoveries:
#' With `folds = "halves"`, `selected(cv, errors = E)` gives the features, most frequent first, that
#' more than half of the 50 halves select, and a share of them of at least
#' \deqn{\pi = \frac12 + \frac{k^2}{2 E d}.}{pi = 1/2 + k^2 / (2 E d).}
#' On average at most E of these are false (Meinshausen and Buehlmann, 2010; with complementary
#' pairs, Shah and Samworth, 2013). k is the size of the sets, of penalties their
#' mean size, and d the number of features, or groups, that vary; those of `include` are left out of
#' both, and of the answer. Without `k` it is the largest size compared with
#' \eqn{\pi \le 3/5}{pi <= 3/5}, or else the smallest, whatever the response. A larger k than
#' \eqn{\sqrt{E d}}{sqrt(E d)} is an error.
#'
#' The bound needs that features without effect are interchangeable, each as likely as another to
#' be selected by accident, and a method that is no worse than guessing; it holds for one method
#' and one k that the response did not choose. A feature that copies one with an effect is false
#' too, and the two may share the halves, so that neither is found. From few samples (83, in
#' `bench/results/false_discoveries.md`) next to nothing is found.
#' @references
#' Meinshausen, N. and Buehlmann, P. (2010). Stability selection. *Journal of the Royal Statistical
#' Society B* 72, 417--473. \doi{10.1111/j.1467-9868.2010.00740.x}
#'
#' Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at
#' stability selection. The same 75, 55--80. \doi{10.1111/j.1467-9868.2011.01034.x}
#' @examples
#' cv <- cv_rowsparse(iris[, 1:4], iris$Species, method = "cdlsr")
#' selected(cv)
#' coef(cv)
#' head(predict(cv, iris))
#' as.data.frame(cv)
#' as.data.frame(cv, what = "features")
#'
#' # at most one false feature on average
#' set.seed(1)
#' x <- matrix(rnorm(100 * 30), 100)
#' halves <- cv_rowsparse(x, x[, 1] - x[, 2] + rnorm(100), 1:4, "cdlsr", folds = "halves")
#' selected(halves, errors = 1)
#' plot(halves, what = "features")
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
selected.cv_rowsparse <- function(fit, k = NULL, groups = FALSE, expand = FALSE, errors = NULL,
                                  ...) {
  check_no_more("selected", c("k", "groups", "expand", "errors"), ...)
  own <- answering_fit(fit)
  if (!is.null(errors)) {
    return(answer_labels(own, frequent_features(fit, errors, k)$columns, groups, expand))
  }
  if (!is.null(k) && is.list(fit$fit)) {
    return(selected(own, k, groups = groups, expand = expand))
  }
  check_size_of_model(k)
  answer_labels(own, fit$columns, groups, expand)
}

# what knows the names of the features, and their groups
answering_fit <- function(cv) if (is.list(cv$fit)) cv$fit else cv$features

#' @export
print.cv_rowsparse <- function(x, ...) {
  print_lines(x, cv_lines(x))
  table <- best_of_each(x)
  if (nrow(table) > 1L) print(table, digits = 3, row.names = FALSE)
  invisible(x)
}

# what print() says, and with `more` the lines that summary() adds
cv_lines <- function(cv, more = NULL) {
  fit <- answering_fit(cv)
  chosen <- units_of(fit, cv$columns)
  seen <- unit_view(fit)
  text <- sprintf("%d of %s selected by %s and cross-validation", length(chosen),
    count_of(seen$d, unit_noun(fit)), cv$method
  )
  stability <- cv$table$stability[cv$at]
  lines <- c(
    toString(c(count_of(cv$n, "sample"), cv$response,
      if (is.null(cv$candidates)) {
        paste0(NROW(cv$fold_loss) / cv$repeats, " folds",
          if (cv$repeats > 1) sprintf(" drawn %d times", cv$repeats)
        )
      } else {
        sprintf("%d pairs of halves, for selected(errors = )", cv$repeats)
      },
      if (max(cv$entrant) > 1L) paste(max(cv$entrant), "methods or settings")
    )),
    vapply(told_measures(cv), measure_line, "", cv = cv),
    if (nrow(cv$table) > 1L) rule_line(cv),
    if (!is.na(stability)) {
      sprintf("Stability: the sets of the folds agree by %s (1: all the same, 0: as by lot)",
        format(stability, digits = 2)
      )
    },
    more, cv$open, if (cv$no_better) no_better_words(cv),
    if (cv$rule == "elbow" && cv$no_elbow) no_elbow_words
  )
  c(list_features(text, seen, chosen, 10L), strwrap(lines, console_width(), exdent = 2),
    if (max(cv$entrant) == 1L) call_lines(fit), "Next: plot(), selected(), predict(), summary()"
  )
}

# the error, or the concordance, comes first, then what chose, if that is another measure
told_measures <- function(cv) {
  unique(c(intersect(c("error", "concordance"), names(cv$null_measures)), cv$chosen_by))
}

# "On samples left out: relative squared error 0.2 (standard error 0.03; without features 1)"
measure_line <- function(name, cv) {
  values <- cv$corrected[measure_columns_of(name)]
  words <- if (name == cv$chosen_by) cv$measure else measure_words(name, cv$type)
  without <- paste("; without features", format(cv$null_measures[[name]], digits = 3))
  sprintf("On samples left out: %s %s (standard error %s%s)",
    sub(" of samples left out", "", words), format(values[[1]], digits = 3),
    format(values[[2]], digits = 2), if (name == "explained") "" else without
  )
}

no_better_words <- function(cv) {
  sprintf("No %s does better than %s on samples left out", if (cv$over == "k") "set" else "penalty",
    switch(cv$type, class = "the shares of the classes", survival = "no features", "the mean")
  )
}

no_elbow_words <- paste("No size stands out: what is reproduced grows about evenly,",
  "as in data without structure")

# The choice, and beside it what the other rules take, with the measure told first, corrected alike:
# "Size: k = 3 is the smallest about as good as the best (rule "1se"); k = 5 is the best by
# logarithmic loss (rule "min"), with a share of wrong classes of 0.2"
rule_line <- function(cv) {
  chosen <- c(stats::setNames(list(cv[[cv$over]]), cv$over), cv$setting)
  extreme <- if (cv$over == "k") "smallest" else "largest"
  words <- c(
    `1se` = paste("the", extreme, "about as good as the best"),
    min = paste("the best by", sub(" of samples left out", "", cv$measure)),
    elbow = "the corner of the curve"
  )[names(cv$best)]
  told <- split(sprintf("%s (rule \"%s\")", words, names(words)), cv$best)
  told <- vapply(told, paste, "", collapse = " and ")
  at <- as.integer(names(told))
  first <- told_measures(cv)[1]
  value <- cv$corrected[[first]] + cv$table[[first]][at] - cv$table[[first]][cv$at]
  short <- function(values) vapply(values, format, "", digits = 3)
  others <- sprintf("%s = %s is %s, with a %s of %s", cv$over, short(cv$table[[cv$over]][at]), told,
    sub(" of samples left out", "", measure_words(first, cv$type)), short(value)
  )
  chosen <- toString(paste(names(chosen), "=", short(chosen)))
  text <- c(paste(chosen, "is", told[at == cv$at]), others[at != cv$at])
  paste(if (cv$over == "k") "Size:" else "Penalty:", paste(text, collapse = "; "))
}

# the best point of each method and setting, without the measures that do not choose
best_of_each <- function(cv) {
  value <- cv$table[[cv$chosen_by]]
  if (!cv$chosen_by %in% rising_measures) value <- -value
  rows <- vapply(split(seq_along(value), cv$entrant), function(at) at[first_largest(value[at])], 0L)
  others <- unlist(lapply(setdiff(names(cv$fold_losses), told_measures(cv)), measure_columns_of))
  cv$table[rows, setdiff(names(cv$table), others)]
}

#' @export
summary.cv_rowsparse <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  others <- setdiff(names(object$null_measures), told_measures(object))
  known <- Filter(function(name) !is.na(object$corrected[[name]]), others)
  more <- c(vapply(known, measure_line, "", cv = object), if (nrow(object$table) > 1L) {
    sprintf("%s compared; %s of the chosen one before the correction for the choice: %s",
      count_of(nrow(object$table), "point"), object$measure,
      format(object$table[[object$chosen_by]][object$at], digits = 3)
    )
  })
  summary_of_points(object, cv_lines(object, more), 20, object$at)
}

#' @rdname predict.cv_rowsparse
#' @export
as.data.frame.cv_rowsparse <- function(x, row.names = NULL, optional = FALSE,
                                       what = c("points", "features"), ...) {
  check_table_arguments(...)
  if (check_choice(what, "what", c("points", "features")) == "features") {
    return(feature_frequencies(x))
  }
  cbind(x$table, chosen = seq_len(nrow(x$table)) == x$at)
}

# a row for each feature, or group, in the sets of the folds at a point or in the final one
feature_frequencies <- function(cv, at = cv$at, chosen = cv$columns) {
  fit <- answering_fit(cv)
  share <- unname(cv$frequency[, at])
  if (!is.null(fit$groups)) share <- share[match(seq_along(fit$groups$label), fit$groups$of)]
  chosen <- units_of(fit, chosen)
  listed <- union(chosen, which(share > 0))
  listed <- listed[order(-share[listed])]
  data.frame(
    feature = as.character(feature_labels(unit_view(fit), listed)), frequency = share[listed],
    selected = listed %in% chosen
  )
}

#' @rdname predict.cv_rowsparse
#' @exportS3Method generics::tidy
tidy.cv_rowsparse <- function(x, ...) {
  check_no_more("tidy", NULL, ...)
  tidy_table(as.data.frame(x))
}

#' @rdname predict.cv_rowsparse
#' @exportS3Method generics::glance
glance.cv_rowsparse <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  columns <- measure_columns_of(x$chosen_by)
  tidy_table(data.frame(
    method = x$method, nobs = x$n, features = x$features$d, k = x$k,
    lambda = as.double(or_default(x$lambda, NA)), rule = x$rule, measure = x$chosen_by,
    value = x$corrected[[columns[1]]], se = x$corrected[[columns[2]]],
    null = x$null_measures[[x$chosen_by]],
    stability = x$table$stability[x$at], folds = NROW(x$fold_loss) / x$repeats, repeats = x$repeats
  ))
}
