#' The selected features
#'
#' Returns the best k features of a fit in rank order, with ties as [rowsparse()] breaks them, and
#' constant features last.
#'
#' @param fit A fit of any method in the package.
#' @param k Number of features, or of groups for a fit with [groups]; more than have a nonzero score
#'   are served with a warning of class `rowsparse_warning_fill`. May be left out for methods that
#'   select an exact number.
#' @param groups Return the labels of the groups of these features?
#' @param expand Return what the columns of a table were coded to, as `coef()` has it?
#' @param ... Passed on to methods.
#' @return Feature names where the data had names, column indices otherwise; of a table or formula,
#'   see [tables], the names of its columns or terms; labels of groups with `groups = TRUE`.
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 1)
#' selected(fit, 2)
#' @export
selected <- function(fit, k, ...) UseMethod("selected")

#' @rdname selected
#' @export
selected.rowsparse <- function(fit, k, groups = FALSE, expand = FALSE, ...) {
  check_no_more("selected", c("k", "groups", "expand"), ...)
  columns <- selected_index(fit, if (missing(k)) NULL else k)
  if (is.null(fit$selected) && all(fit$scores[columns] > 0)) {
    fit$selected <- columns
    if (is.na(or_default(fit$unique, NA))) warn_of_end(resolve_unique(fit), solver = FALSE)
  }
  answer_labels(fit, columns, groups, expand)
}

# column indices of the k best; k = NULL means the method's own selection
selected_index <- function(fit, k) {
  if (is.null(k)) {
    refuse_if(is.null(fit$selected), "range", "k", sprintf(
      "must be given (1 to %d): %s ranks %ss without choosing how many", selectable(fit),
      fit_name(fit), unit_noun(fit)
    ))
    return(fit$selected)
  }
  k <- check_count(k, "k", 1L, selectable(fit))
  # a subset method may have found a set of this very size
  at <- match(k, fit$path$k)
  if (inherits(fit, c("cdlsr", "css")) && !is.na(at)) {
    return(fit$path$features[[at]])
  }
  warn_filled(fit, k)
  first_columns(fit, k)
}

warn_filled <- function(fit, k) {
  words <- words_of_filling(fit, k)
  if (!is.null(words)) warn_rowsparse("fill", paste0(words, "."))
}

words_of_filling <- function(fit, k) {
  scored <- sum(unit_view(fit)$scores > 0)
  if (k > scored) {
    sprintf("only %d of the %d %ss asked for have a nonzero score; the others follow in %s",
      scored, k, unit_noun(fit), "the order of the second criterion, then of the variance"
    )
  }
}

#' Print a fit
#'
#' What was selected, how well it does, and what can be done next, a line for each:
#' \describe{
#'   \item{the selected features}{how many of how many, by which method, best first; or how many a
#'     ranking gives a score above zero. Of a table columns are counted, of a fit with [groups]
#'     groups, and columns in brackets}
#'   \item{the data}{samples, those left out for missing values, and the response; features locked
#'     in or excluded by `include` and `exclude`}
#'   \item{Deviance}{of a likelihood: without features, with them, and the share explained}
#'   \item{On samples left out}{where this is known. For numbers: the squared error relative to that
#'     of the mean, so that 1 is useless, of sets selected anew in the folds that choose the ridge.
#'     For classes: the share of wrong predictions, each sample left out of the classifier but not
#'     of the selection (too good where many features were to choose from), beside the share outside
#'     of the largest class. [cv_rowsparse()] leaves samples out of all}
#'   \item{Explained, Reproduced}{otherwise the share of the response that regression on the
#'     selected features explains on these very samples; without a response the share of the sum of
#'     squares of the data that the solution reproduces}
#'   \item{Association}{of [ftest()]: how many single features go with the response}
#'   \item{Size}{who chose the number of features}
#'   \item{Proved, Not proved}{whether another set of this size may be better by the criterion of
#'     the method; the bound, where there is one}
#'   \item{Not unique, Not converged}{other features would have served as well; the iterations ended
#'     before the solution was found (the warning says what to do)}
#'   \item{Call}{for a default method the call that gives this very fit by name}
#'   \item{Next}{functions that go on from here}
#' }
#' [summary()][summary.rowsparse] adds the course of the iteration, parameters and a table.
#'
#' @param x A fit.
#' @param n Number of features named. Long names are shortened.
#' @param digits Number of significant digits, at least 1.
#' @param ... Unused.
#' @return `x`, invisibly.
#' @examples
#' print(rowsparse(iris[, 1:4], k = 2))
#' @export
print.rowsparse <- function(x, n = 10, digits = 2, ...) {
  check_no_more("print", c("n", "digits"), ...)
  digits <- check_count(digits, "digits", 1L, 15L)
  cat(fit_lines(x, check_shown(n), digits), next_line(x), sep = "\n")
  invisible(x)
}

# what print() and summary() say
fit_lines <- function(fit, n, digits = 2) {
  lines <- c(
    data_line(fit), locked_words(fit), deviance_line(fit, digits), held_out_line(fit, digits),
    size_line(fit),
    proof_line(fit),
    if (identical(fit$unique, FALSE)) "Not unique: other features would have served as well",
    if (!isTRUE(fit$converged)) paste0("Not converged: ", end_words(fit)),
    if (!is.null(fit[["exchanges"]])) near_line(fit), association_line(fit), words_no_better(fit)
  )
  c(selection_lines(fit, n), strwrap(lines, console_width(), exdent = 2), call_lines(fit))
}

# of ftest(), which tests
association_line <- function(fit) {
  q <- unit_view(fit)[["q_value"]]
  if (!is.null(q)) {
    sprintf("Association, one feature at a time: %d of %d with q of at most 0.1",
      sum(q <= 0.1, na.rm = TRUE), sum(!is.na(q))
    )
  }
}

console_width <- function() max(getOption("width"), 60)

# "On samples left out: error 0.21 of 1, that of the mean", where samples were left out; otherwise
# what is explained of these
held_out_line <- function(fit, digits) {
  number <- function(value) format(value, digits = digits)
  choice <- fit[["ridge_choice"]]
  left_out <- fit[["left_out"]]
  if (!is.null(choice) && is_number(min(choice$errors$error))) {
    sprintf("On samples left out: %s %s, where %s %s 1 (%d folds)", error_noun(fit),
      number(min(choice$errors$error)), words_for_none(fit),
      if (is_family_fit(fit)) "have" else "has", choice$folds
    )
  } else if (!is.null(left_out)) {
    sprintf(paste(
      "On samples left out of the classifier, not of the selection: %s of the classes wrong, by",
      "the largest class alone %s; cv_rowsparse() leaves them out of both"
    ), number(left_out[["wrong"]]), number(left_out[["wrong_prior"]]))
  } else if (is_number(fit$explained) && !is_family_fit(fit)) {
    sprintf(if (is_supervised_fit(fit)) {
      "Explained: %s of the response in these samples (in new ones: cv_rowsparse())"
    } else {
      "Reproduced: %s of the sum of squares of the data"
    }, number(fit$explained))
  }
}

# what predictions are judged by, and what is predicted without features
error_noun <- function(fit) if (is_family_fit(fit)) "deviance" else "error"
words_for_none <- function(fit) if (is_family_fit(fit)) "no features" else "the mean"

# "Deviance: 431.8 -> 374.9 in these samples, 0.13 of it explained"
deviance_line <- function(fit, digits) {
  if (is_family_fit(fit)) {
    ends <- c(fit[["response"]]$null_deviance, utils::tail(fit$path$deviance, 1))
    sprintf("Deviance: %s, %s of it explained in these samples",
      paste(format_each(ends, digits + 2L), collapse = " -> "),
      format(fit$explained, digits = digits)
    )
  }
}

# who chose the number of features
size_line <- function(fit) {
  if (is.null(fit$selected)) {
    return("Size: not chosen; selected(fit, k) gives the best k")
  }
  size <- count_of(units_in(fit, fit$selected), unit_noun(fit))
  if ("cv_rowsparse" %in% all.names(fit$call)) {
    paste("Size:", size, "by cross-validation")
  } else {
    chosen <- if (is.null(fit$call[["k"]])) "by default" else "as asked"
    sprintf("Size: %s %s; cv_rowsparse() finds out how many are needed", size, chosen)
  }
}

next_line <- function(fit) {
  paste0("Next: ", toString(c(
    if (is_supervised_fit(fit)) c("predict()", "coef()") else "compare_panels()", "plot()",
    if (fit_name(fit) %in% roles_methods) "alternatives()", "summary()"
  )))
}

# "5 of 23 features selected by css: a, b, ..."
selection_lines <- function(fit, n) {
  noun <- unit_noun(fit)
  columns <- ""
  if (noun == "group") {
    columns <- sprintf(" (%d of %s)", length(fit$selected), count_of(fit$d, "feature"))
  }
  fit <- unit_view(fit)
  scored <- sum(fit$scores > 0)
  if (is.null(fit$selected)) {
    shown <- utils::head(fit$ranking, scored)
    text <- sprintf("%s ranked by %s, %s with a nonzero score", count_of(fit$d, noun),
      fit_name(fit), if (scored == 0) "none" else scored
    )
  } else {
    shown <- fit$selected
    empty <- sum(fit$scores[shown] <= 0)
    text <- sprintf("%d of %s selected by %s%s%s", length(shown), count_of(fit$d, noun),
      fit_name(fit), columns, if (empty > 0) sprintf(", %d with a score of zero", empty) else ""
    )
  }
  list_features(text, fit, shown, n)
}

# A text, and after a colon the first n of these features
list_features <- function(text, fit, features, n) {
  if (length(features) == 0) {
    return(text)
  }
  labels <- as.character(feature_labels(fit, utils::head(features, n)))
  if (length(features) > n) labels <- c(labels, "...")
  what <- if (is.null(fit$feature_names)) {
    if (length(features) > 1) "columns" else "column"
  }
  wrap_items(paste(c(paste0(text, ":"), what), collapse = " "), short_labels(labels))
}

# 1 feature, 2 features
count_of <- function(count, noun) {
  plural <- if (endsWith(noun, "ss")) "es" else "s"
  paste0(count, " ", noun, if (!isTRUE(count == 1)) plural else "")
}

# Long names lose their middle, or what they have in common if they would become alike. What would
# break a line is written out.
short_labels <- function(labels, width = 28L) {
  labels <- encodeString(labels)
  long <- nchar(labels, "width") > width
  names <- unique(labels[long])
  tail <- (2L * (width - 3L)) %/% 5L
  short <- paste0(substr(names, 1L, width - 3L - tail), "...",
    substr(names, nchar(names) - tail + 1L, nchar(names))
  )
  if (anyDuplicated(short) > 0L) {
    ends <- strsplit(range(names), "")
    common <- sum(cumprod(do.call(`==`, lapply(ends, utils::head, min(lengths(ends))))))
    from <- max(1L, common - 1L)
    short <- paste0(if (from > 1L) "...", substr(names, from, from + width - 7L), "...")
  }
  labels[long] <- make.unique(short, "~")[match(labels[long], names)]
  labels
}

# Text and items, separated by commas, on lines no wider than the console; a carriage return, which
# no label holds, keeps the words of an item together
wrap_items <- function(text, items, width = getOption("width")) {
  items <- paste(gsub(" ", "\r", items, fixed = TRUE), collapse = ", ")
  gsub("\r", " ", strwrap(paste(text, items), width + 1L, exdent = 2L), fixed = TRUE)
}

# "150 samples (3 more left out), 3 classes"
data_line <- function(fit) {
  omitted <- length(fit$na.action)
  landmarks <- fit$parameters$landmarks
  toString(c(
    paste0(count_of(fit$n, "sample"), if (omitted > 0L) sprintf(" (%d more left out)", omitted)),
    if (is.numeric(landmarks)) sprintf("%.0f of them in the graph", landmarks),
    fit[["response"]]$text
  ))
}

# the course of the iteration, for summary() and `verbose`
state_lines <- function(fit) {
  strwrap(c(
    toString(c(end_words(fit), if (!is.null(fit$passes)) count_of(signif(fit$passes, 3), "pass"),
      sprintf("%.2f s", fit$elapsed)
    )),
    objective_line(fit), proof_effort(fit), if (!is.null(fit[["ridge_choice"]])) ridge_line(fit)
  ), console_width(), exdent = 2)
}

# how a fit ended, in words; a closed form has no iterations to count
end_words <- function(fit) {
  if (fit$status != "solved" && fit$iterations > 0) {
    paste(fit$status, "after", count_of(fit$iterations, "iteration"))
  } else if (fit$status == "converged") {
    "nothing left to improve at the start"
  } else {
    fit$status
  }
}

objective_line <- function(fit) {
  ends <- fit$objective[unique(c(1L, length(fit$objective)))]
  residual <- if (!is.na(fit$kkt)) sprintf(", first-order residual %s", format(fit$kkt, digits = 2))
  paste0("objective ", paste(unique(format_each(ends, 6)), collapse = " -> "), residual)
}

format_each <- function(values, digits) vapply(unname(values), format, "", digits = digits)

#' Summary of a fit
#'
#' Adds to what [print()][print.rowsparse] shows how the iteration ended, the errors of all ridges
#' of `ridge = "cv"`, the parameters, how many selected features have near-copies, and the table of
#' the best features.
#'
#' @param object A fit.
#' @param n Number of features listed, at least 1.
#' @param digits Number of significant digits, at least 1.
#' @param ... Unused.
#' @return A list with, among others, `top`: the best features, see
#'   [as.data.frame()][as.data.frame.rowsparse].
#' @examples
#' summary(rowsparse(mtcars[, -1], mtcars$mpg, k = 3))
#' @export
summary.rowsparse <- function(object, n = 10, digits = 3, ...) {
  check_no_more("summary", c("n", "digits"), ...)
  n <- check_shown(n)
  digits <- check_count(digits, "digits", 1L, 15L)
  structure(class = "summary.rowsparse", list(
    line = c(fit_lines(object, n, digits), state_lines(object), if (!is.null(object[["missing"]])) {
      missing_line(object[["missing"]], object$n)
    }),
    parameters = Filter(is_number, object$parameters), near_copies = object[["near_copies"]],
    top = utils::head(as.data.frame(object), n), digits = digits
  ))
}

#' @export
print.summary.rowsparse <- function(x, ...) {
  values <- paste(names(x$parameters), "=", vapply(x$parameters, format, "", digits = x$digits))
  cat(x$line, if (length(x$parameters) > 0) wrap_items("Parameters:", values),
    near_copy_lines(x$near_copies), sep = "\n"
  )
  print(x$top, row.names = FALSE, digits = x$digits)
  invisible(x)
}

# the choice is one of several where features have near-copies
near_copy_lines <- function(counts) {
  if (length(counts) > 0) {
    strwrap(sprintf(
      "%d of %s have a near-copy (correlation of at least 0.9), %s of them in the median; %s",
      sum(counts > 0), count_of(length(counts), "selected feature"),
      format(stats::median(counts)), "other samples may select others"
    ), exdent = 2)
  }
}

# what data.frame() and its like pass on is theirs
check_table_arguments <- function(..., stringsAsFactors, make.names, cut.names) { # nolint
  check_no_more("as.data.frame", NULL, ...)
}

#' The features of a fit as a table
#'
#' One row per feature, best first, or per group for a fit with [groups] (so a factor has one).
#'
#' @param x A fit.
#' @param row.names,optional,... Unused; arguments of the generic.
#' @return A data frame of `feature` (the name, or the number of the column where the data had no
#'   names; the label of a group), `index` (the column; the number of a group), `rank`, `score`
#'   and `selected`, for groups the number of their `columns`, and for [ftest()] `p` and `q`. For a
#'   `SummarizedExperiment` the text columns of its `rowData` follow `feature`, and as `name` the
#'   row names, if these had to be made distinct.
#'
#'   Of fits to classes, but for groups, `marks` is the class that a feature tells best from the
#'   others, of two that in which it is higher, and `auc` how well: the AUC furthest from a half,
#'   see [panel_rules()], below it where the feature is lower in the class. Both are `NA` for
#'   features whose values, less the means of a `block`, the fit does not keep for its classifier:
#'   all of [moments()] and [rowsparse_glm()].
#' @examples
#' table <- as.data.frame(rowsparse(iris[, 1:4], k = 2))
#' write.csv(table[table$selected, ], row.names = FALSE)
#' @export
as.data.frame.rowsparse <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  view <- unit_view(x)
  ranking <- view$ranking
  table <- data.frame(
    index = ranking, rank = seq_along(ranking), score = unname(view$scores[ranking]),
    selected = ranking %in% view$selected
  )
  if (!is.null(x$groups)) table$columns <- tabulate(x$groups$of)[ranking]
  table$gain <- unname(view$gains[ranking])
  table$p <- unname(view[["p_value"]][ranking])
  table$q <- unname(view[["q_value"]][ranking])
  if (is_class_fit(x) && is.null(x$groups)) table[c("marks", "auc")] <- marks_of(x)[ranking, ]
  feature <- data.frame(feature = as.character(feature_labels(view, ranking)))
  if (is.null(x$identifiers) || !is.null(x$groups)) {
    return(cbind(feature, table))
  }
  identifiers <- x$identifiers[ranking, , drop = FALSE]
  own <- c("feature", names(table))
  names(identifiers) <- utils::tail(make.unique(c(own, names(identifiers))), length(identifiers))
  rownames(identifiers) <- NULL
  cbind(feature, identifiers, table)
}

#' Use a fit on new data
#'
#' For a fit to a response, `predict(fit, x)` gives the predicted response or class of new
#' samples; for other fits, the selected columns of x. `type` chooses by name.
#'
#' @section Types:
#' `"features"` restricts `newdata` to the selected columns, matched by name if both have names.
#' `"components"` centres (and scales) the columns as in the fit and multiplies them by its
#' loadings, with `k` by those of the k best features.
#'
#' `"response"`: that of new samples, or without `newdata` of those of the fit, by the regression
#' that [coef()][coef.cdlsr] gives. For classes it is the regression on their indicators, whose
#' values need not lie between 0 and 1. A predicted number lies at most half the range of the
#' responses of the fit beyond them; a warning of class `rowsparse_warning_limit` counts the samples
#' that reach this limit, which `cbind(1, x) %*% coef(fit)` does not have.
#'
#' `"class"` and `"prob"`, for fits to classes: the most probable class, and the probabilities,
#' which sum to 1 in each row, by the classifier below on the selected features.
#'
#' @section The classifier:
#' Linear discriminants with a shrunken covariance matrix, whichever method selected the features:
#' with \eqn{m_c} the mean of class c, \eqn{n_c} its samples, and \eqn{S^*}{S*} the covariance
#' matrix within the classes, the score of a sample x is
#' \deqn{E_c = \log(n_c / n) + x' S^{*-1} m_c - m_c' S^{*-1} m_c / 2.}{
#' E_c = log(n_c / n) + x' S*^-1 m_c - m_c' S*^-1 m_c / 2.}
#' In S* correlations are multiplied by \eqn{1 - \lambda}{1 - l}, where \eqn{\lambda}{l} is the
#' share of their sum of squares that is sampling noise, and variances are shrunk to their median in
#' the same way, on the logarithmic scale (Schaefer and Strimmer, 2005; Opgen-Rhein and Strimmer,
#' 2007), in the units of the data: other units of single features change probabilities. There may
#' be more features than samples. Probabilities are proportional to
#' \eqn{\exp(T E_c)}{exp(T E_c)}; T, between 0.01 and 1, minimises the logarithmic loss on the
#' samples, each scored by the rule without it, and on one added error per class.
#'
#' Two estimates of \eqn{\lambda}{l} compete: by the noise of covariances of standardised features,
#' (1 + r^2) / n for normal ones, at least 0.01, and by that of correlations, (1 - r^2)^2 / n, for
#' features that nearly depend on each other, as in a spectrum. The second is taken if it is smaller
#' and lowers the logarithmic loss of samples left out by more than two standard errors.
#'
#' Whole `weights` count as repeated samples, others beside the mean weight; with a `block` the
#' means of the levels are subtracted first. The fit keeps up to two million values, beyond that of
#' samples evenly spaced in each class (at least 2000). Fits of [row_blocks()] read them in one more
#' pass; if they take more than a quarter of the memory, `"class"` is the class of the largest
#' fitted indicator, and there are no probabilities. Fits of [moments()] take noise and T as for
#' normal samples; with few samples their probabilities are too sure.
#'
#' @param object A fit.
#' @param newdata The samples, as the fit took them, see [rowsparse_data]; no [moments()].
#' @param k Number of features; may be left out for methods that select exactly k and, to use all
#'   loadings, for components. For responses see [coef.cdlsr()].
#' @param prior For types `"class"` and `"prob"`: the shares of the classes among the new
#'   samples, in the order of the levels or by name. `NULL`: the shares in the fit.
#' @param type What to return, see Types. `NULL` for `"class"` of fits to classes,
#'   `"response"` of fits to numbers, and `"features"` of all others.
#' @param assay For a `SummarizedExperiment`: see [rowsparse_data]; `NULL` takes that of the fit.
#' @param block For fits with a `block`: the level of each new sample, whose means then count; the
#'   overall means serve for levels that the fit lacks, which a message tells, and for `NULL`.
#' @param ... Unused.
#' @return For features, an object of the class of `newdata` with k columns (a
#'   `SummarizedExperiment`: k rows; of row blocks a matrix, in one pass) in rank order; for
#'   components an n x m matrix; for responses and probabilities an n x c matrix; for classes a
#'   factor.
#' @references
#' Schaefer and Strimmer (2005) A shrinkage approach to large-scale covariance matrix estimation and
#' implications for functional genomics. Statistical Applications in Genetics and Molecular Biology
#' 4, 32. \doi{10.2202/1544-6115.1175}
#'
#' Opgen-Rhein and Strimmer (2007) Accurate ranking of differentially expressed genes by a
#' distribution-free shrinkage approach. The same 6, 9. \doi{10.2202/1544-6115.1252}
#' @seealso [coef.cdlsr()] for `fitted()`, `residuals()` and related methods
#' @examples
#' fit <- rowsparse(Species ~ ., data = iris, k = 2)
#' table(predict(fit, iris), iris$Species)
#' head(predict(fit, iris, type = "prob"))
#' head(predict(fit, iris, type = "features"))
#' head(predict(bsufs(iris[, 1:4], m = 2), iris[, 1:4], type = "components"))
#' @export
predict.rowsparse <- function(object, newdata, k = NULL, type = NULL, assay = NULL,
                              block = NULL, prior = NULL, ...) {
  check_no_more("predict", predict_arguments, ...)
  type <- resolve_type(object, type)
  own <- missing(newdata) && is.null(k) && is.null(block)
  if (missing(newdata)) newdata <- NULL
  if (type %in% c("response", class_types)) {
    return(predict_supervised(object, newdata, k, type, assay, block, prior, own))
  }
  check_prior(prior, type)
  check_newdata(newdata)
  if (type == "features") {
    check_no_block(block)
    return(new_features(object, newdata, selected_index(object, k)))
  }
  refuse_if(is.null(object$loadings), "choice", "type", sprintf(
    "\"components\" needs loadings, which %s does not have%s; \"features\" gives the columns",
    fit_name(object), if (inherits(object, "css")) " for `m = Inf`" else ""
  ))
  index <- if (is.null(k)) {
    setdiff(seq_len(object$d), object$excluded)
  } else {
    selected_index(object, k)
  }
  project(object, object$loadings[index, , drop = FALSE], newdata, index, assay, block)
}

predict_arguments <- c("newdata", "k", "type", "assay", "block", "prior")

resolve_type <- function(object, type) {
  check_choice(or_default(type, usual_type(object)), "type",
    c("features", "components", "response", class_types)
  )
}

check_newdata <- function(newdata, argument = "newdata") {
  check_readable(newdata, argument)
  kinds <- c("data.frame", "Matrix", "DelayedMatrix", "SummarizedExperiment", "rowsparse_blocks")
  numbers <- is.matrix(newdata) && (is.numeric(newdata) || is.logical(newdata))
  refuse_if(!numbers && !inherits(newdata, kinds), "type", argument, paste(
    "must be samples as the fit took them: a numeric matrix, a data frame, a sparse Matrix, row",
    "blocks or a SummarizedExperiment"
  ), describe(newdata))
}

# features are the rows of a SummarizedExperiment
take_features <- function(newdata, columns) {
  force(columns) # an error within S4 dispatch would lose its class
  if (is_experiment(newdata)) {
    newdata[columns, ]
  } else if (inherits(newdata, "rowsparse_blocks")) {
    read_columns(blocks_input(newdata, "newdata"), columns)
  } else {
    newdata[, columns, drop = FALSE]
  }
}

# columns of newdata that hold the features `index` of the fit
new_columns <- function(object, newdata, index) {
  if (inherits(newdata, "rowsparse_blocks")) {
    raw <- blocks_input(newdata, "newdata")
    newdata <- matrix(0, 0L, raw$d, dimnames = list(NULL, raw$names))
  }
  experiment <- is_experiment(newdata)
  wanted <- feature_labels(object, index)
  known <- colnames(newdata)
  if (experiment) known <- distinct_names(rownames(newdata), "newdata", wanted)
  if (is.character(wanted) && !is.null(known)) {
    check_columns_there(wanted, known, "newdata")
    return(match(wanted, known))
  }
  available <- if (experiment) nrow(newdata) else ncol(newdata)
  refuse_if(available != object$d, "size", "newdata",
    sprintf("must have the %s of the fit, or their names", count_of(object$d, "feature")), available
  )
  index
}

# The features `index` of newdata in the shape that it has. Of a table the columns that they were
# made from, whole factors; of a formula the columns that its terms make.
new_features <- function(object, newdata, index) {
  if (!is_coded_table(object, newdata)) {
    return(take_features(newdata, new_columns(object, newdata, index)))
  }
  blueprint <- object[["blueprint"]]
  if (!is.null(blueprint$formula)) {
    return(as.data.frame(code_rows(blueprint, newdata, index), optional = TRUE))
  }
  wanted <- unique(blueprint$labels[blueprint$source[index]])
  check_columns_there(wanted, names(newdata), "newdata")
  newdata[wanted]
}

# Features of newdata as a matrix that can be multiplied, samples in rows
new_values <- function(object, newdata, index, assay) {
  if (is_coded_table(object, newdata)) {
    return(code_rows(object[["blueprint"]], newdata, index))
  }
  columns <- new_columns(object, newdata, index)
  if (is_experiment(newdata)) {
    assay <- or_default(assay, object$assay)
    values <- experiment_matrix(newdata, assay, "newdata", row_blocks, features = columns)
    read_input(values, NULL, "newdata") # its checks
    return(values)
  }
  part <- realised(take_features(newdata, columns), "newdata")
  if (is.data.frame(part)) part <- data_frame_matrix(part, "newdata")
  if (is_of(part, "sparseMatrix")) part else as.matrix(part)
}

# the features `index` of newdata, centred and scaled as `object` was, times loadings
project <- function(object, loadings, newdata, index, assay, block = NULL) {
  if (!is.null(object$scale)) loadings <- loadings / object$scale[index]
  components <- linear_function(object, index, loadings, numeric(ncol(loadings)))
  values_of_new(object, list(components), newdata, assay, block)[[1]]
}
