#' Tables and formulas
#'
#' How [rowsparse()], [rowsparse_path()] and [cv_rowsparse()] code the columns of a data frame and
#' the terms of a formula, in the data and in new rows.
#'
#' @section Coding of columns:
#' \tabular{ll}{
#'   numbers, `TRUE` and `FALSE` \tab stay as they are\cr
#'   factor or text of two levels \tab one column, 1 for the second level\cr
#'   factor or text of more levels \tab an indicator for each level\cr
#'   ordered factor \tab the ranks of its levels\cr
#'   Date, date-time, difference of times \tab days, seconds, or its units, as a number
#' }
#'
#' Columns of the matrix are named as by [stats::model.matrix()]. Data are centred, so that every
#' level can have an indicator: fits do not depend on the order of the levels or on contrasts. A
#' message of class `rowsparse_message_table` reports ranks, dates and times. A factor with one
#' level is a constant; factors with as many levels as rows, lists and matrices are refused.
#'
#' `k` counts columns of the table, or terms, which [selected()] gives: a factor of several levels
#' is selected with all of its indicators, as one of the [groups]; methods that do not take groups
#' refuse such tables. `include` and `exclude` take columns of the table, and `groups` joins some,
#' with one label for each. `predict(fit, data, type = "features")` gives selected columns uncoded;
#' `coef()` and `selected(fit, expand = TRUE)` have each indicator.
#'
#' @section Formulas:
#' `rowsparse(mpg ~ wt + log(hp) + poly(qsec, 2) + gear * am, data = mtcars)`: the right side may
#' hold any terms of [stats::model.frame()], `offset()` for [rowsparse_glm()] alone. `.` is every
#' column of `data` except those of the response, and the response may be any expression, as in
#' `cbind(mpg, qsec) ~ .`. An interaction has a column for each combination of levels that there is,
#' and means the same with or without its terms. `weights`, `block`, `foldid` and `subset` are
#' looked up in `data`.
#'
#' @section Rows with missing values:
#' With a formula the default of `na.action` is `options("na.action")`, usually
#' [stats::na.omit()]. With a data frame missing values are an error unless `na.action` is given.
#' A message of class `rowsparse_message_rows` counts the rows left out; `block`, `weights` and
#' `foldid` may have an entry for each original row. With `na.exclude` `fitted()`, `residuals()`
#' and `predict()` have rows of `NA` for the rows left out.
#'
#' @section New data:
#' `predict()` needs only the columns from which the selected features are made, and uses the
#' parameters that transformations such as [stats::poly()] had in the fit. Rows with missing values
#' are predicted as `NA`, and so are levels that the fit does not know, with a warning of class
#' `rowsparse_warning_levels`. `model.matrix(fit, data)` gives the coded numbers.
#'
#' @return `model.matrix()`: a numeric matrix with a column for each feature of the fit;
#'   `model.frame()`: the variables, by which `lm(fit, data)` fits the formula.
#' @seealso [rowsparse()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), shift = ifelse(am == 1, "manual", "auto"))
#' cars$hp[3] <- NA
#' fit <- rowsparse(mpg ~ log(hp) + wt + qsec + cyl + shift, data = cars, k = 2)
#' selected(fit)
#' coef(fit)
#' predict(fit, cars[1:4, ])
#' head(model.matrix(fit, cars), 4)
#' @name tables
NULL

# Tables: data frames, and formulas in them, as the matrix that methods take. A data frame is the
# formula `~ .`. A formula has variables (columns, or calls such as log(hp)) and terms (products of
# variables). How they are coded is kept as a blueprint, by which new rows are coded as well:
#   variables   by number, see new_variable(); calls: what computes them from `columns` of the data
#   terms       the numbers of the variables of each term; labels: their names
#   names       of the columns of the matrix; source: the term that each belongs to; place: which
#               of the columns of this term it is
#   formula     the terms object, NULL for `~ .`

# list(x: matrix, blueprint) of the variables x, or x as it is if these are numbers alone. `terms`:
# what model.frame() made of a formula; `columns`: of its data
code_table <- function(x, argument = "x", terms = NULL, columns = names(x)) {
  kinds <- vapply(x, column_kind, "")
  if (nrow(x) == 0L || (is.null(terms) && all(kinds == "numbers"))) {
    return(list(x = x))
  }
  check_names(names(x), argument)
  refuse_if(!all(nzchar(names(x))), "names", argument, "must have a name for every column",
    paste("none for", column_label(NULL, which(!nzchar(names(x)))[1])))
  check_kinds(x, kinds, argument)
  variables <- unname(Map(new_variable, x, names(x), kinds, argument))
  told <- kinds %in% c("dates", "date-times", "ordered levels", "differences of times")
  if (any(told)) say_rowsparse("table", sprintf("Taken as numbers, see ?tables: %s.",
    first_few(sprintf("`%s` (%s)", names(x), kinds)[told])
  ))
  used <- which(attr(terms, "factors") > 0, arr.ind = TRUE)
  of_terms <- if (is.null(terms)) as.list(seq_along(x)) else unname(split(used[, 1], used[, 2]))
  calls <- if (is.null(terms)) lapply(names(x), as.name) else as.list(attr(terms, "predvars"))[-1]
  blueprint <- list(variables = variables, terms = of_terms, calls = calls, columns = columns,
    formula = terms,
    labels = vapply(of_terms, function(own) paste(names(x)[own], collapse = ":"), "")
  )
  parts <- lapply(seq_along(of_terms), function(term) {
    part <- columns_of_term(blueprint, term, x)
    check_complete(part, blueprint$labels[term], argument)
    # combinations of levels without samples have no column; a term keeps one in any case
    varying <- which(apply(part, 2, function(column) any(column != column[1])))
    list(place = if (length(varying) > 0L) unname(varying) else 1L, part = part)
  })
  places <- lapply(parts, `[[`, "place")
  coded <- do.call(cbind, lapply(parts, function(own) own$part[, own$place, drop = FALSE]))
  dimnames(coded) <- list(given_row_names(x), make.unique(colnames(coded)))
  blueprint$source <- rep(seq_along(places), lengths(places))
  blueprint[c("place", "names")] <- list(unlist(places), colnames(coded))
  list(x = coded, blueprint = structure(blueprint, class = "rowsparse_blueprint"))
}

given_row_names <- function(x) if (.row_names_info(x) > 0L) row.names(x)

# ---- variables -----------------------------------------------------------------------

# What a variable holds, in the words of errors; "other" is refused
column_kind <- function(column) {
  flat <- length(dim(column)) < 2L
  if (is_plain_numeric(column) || is.logical(column)) {
    return(if (flat) "numbers" else "a matrix")
  }
  words <- c(Date = "dates", POSIXt = "date-times", difftime = "differences of times",
    ordered = "ordered levels", factor = "levels"
  )
  known <- words[inherits(column, names(words), which = TRUE) > 0L]
  c(if (flat) c(known, if (is.character(column)) "levels"), "other")[[1]]
}

# What new rows must know of a variable: list(name, kind, levels, inside: the levels that it has in
# products, units of differences of times)
new_variable <- function(column, name, kind, argument) {
  levels <- switch(kind, `ordered levels` = levels(column),
    levels = intersect(or_default(levels(column), sort(unique(column), method = "radix")), column)
  )
  if (identical(levels, character())) levels <- "" # nothing but missing values
  if (!is.null(levels)) check_levels(levels, column, name, argument)
  list(name = name, kind = kind, levels = levels,
    inside = if (is.logical(column)) c("FALSE", "TRUE") else levels,
    units = if (kind == "differences of times") units(column)
  )
}

# The columns of a variable, named as by model.matrix(). Alone, TRUE and FALSE are numbers, two
# levels share an indicator, and one is a constant; in products every level has one, so that a term
# means the same whichever others there are.
columns_of_variable <- function(variable, column, alone) {
  levels <- if (alone) variable$levels else variable$inside
  suffix <- ""
  if (is.null(levels)) {
    values <- as.double(column, units = variable$units)
    if (NCOL(column) > 1L) suffix <- or_default(colnames(column), seq_len(NCOL(column)))
  } else {
    if (is.null(variable$levels)) column <- as.logical(column)
    values <- match(as.character(column), levels)
    if (variable$kind != "ordered levels" && !(alone && length(levels) == 1L)) {
      own <- if (alone && length(levels) == 2L) 2L else seq_along(levels)
      suffix <- levels[own]
      values <- outer(values, own, "==")
    }
  }
  matrix(as.double(values), NROW(column), length(suffix),
    dimnames = list(NULL, paste0(variable$name, suffix))
  )
}

few_quoted <- function(text, ...) first_few(vapply(text, quoted, ""), ...)

# The columns of a term: products of those of its variables, the first changing fastest
columns_of_term <- function(blueprint, term, values) {
  own <- blueprint$terms[[term]]
  parts <- Map(columns_of_variable, blueprint$variables[own], values[own], length(own) == 1L)
  Reduce(function(a, b) {
    first <- rep(seq_len(ncol(a)), ncol(b))
    second <- rep(seq_len(ncol(b)), each = ncol(a))
    out <- a[, first, drop = FALSE] * b[, second, drop = FALSE]
    colnames(out) <- paste(colnames(a)[first], colnames(b)[second], sep = ":")
    out
  }, parts)
}

# ---- new rows ------------------------------------------------------------------------

# The columns `index` of the matrix for new rows x, which need only what these are made from
code_rows <- function(blueprint, x, index = seq_along(blueprint$names), argument = "newdata") {
  x <- as.data.frame(x)
  source <- blueprint$source[index]
  needed <- unique(unlist(blueprint$terms[source]))
  values <- replace(list(), needed, variables_of_rows(blueprint, x, needed, argument))
  out <- matrix(0, nrow(x), length(index), dimnames = list(given_row_names(x),
    blueprint$names[index]
  ))
  for (term in unique(source)) {
    own <- which(source == term)
    part <- columns_of_term(blueprint, term, values)
    out[, own] <- part[, blueprint$place[index[own]]]
  }
  out
}

variables_of_rows <- function(blueprint, x, needed, argument) {
  calls <- blueprint$calls[needed]
  columns <- intersect(unlist(lapply(calls, all.vars)), blueprint$columns)
  check_columns_there(columns, names(x), argument)
  place <- list2env(as.list(x), parent = or_default(environment(blueprint$formula), baseenv()))
  rule <- "must hold what the terms of the fit are computed from"
  values <- lapply(calls, function(call) computed_from(eval(call, place), argument, rule))
  wrong <- which(vapply(values, NROW, 0L) != nrow(x))
  refuse_if(length(wrong) > 0L, "length", argument,
    sprintf("%s (%s for %s)", rule, shorten(deparse1(calls[[wrong[1]]])), count_of(nrow(x), "row")),
    NROW(values[[wrong[1]]])
  )
  Map(check_same_kind, values, blueprint$variables[needed], argument)
  values
}

# The value of `code`; errors of R say that the argument does not follow the rule. `known`: columns
# that may have been meant by the names `used`
computed_from <- function(code, argument, rule, known = NULL, used = NULL, way_out = NULL) {
  tryCatch(code, error = function(e) {
    stop_rowsparse("names", argument, rule, conditionMessage(e),
      or_default(way_out, did_you_mean(setdiff(used, known)[1], known)), e)
  })
}

check_columns_there <- function(wanted, known, argument) {
  lost <- setdiff(wanted, known)
  refuse_if(length(lost) > 0L, "names", argument,
    "must have the columns of the fit that were selected",
    sprintf("%d missing: %s", length(lost), few_quoted(lost)), did_you_mean(lost[1], known)
  )
  check_names(known[known %in% wanted], argument)
}

# ---- what is refused, and what is said -----------------------------------------------

# the matrices of a formula are those of poly() and its like
check_kinds <- function(x, kinds, argument) {
  at <- which(kinds %in% c("other", if (argument == "x") "a matrix"))[1]
  refuse_if(!is.na(at), "type", argument,
    "must have columns that are numbers, factors, text, logical, dates or times",
    sprintf("%s in %s", describe(x[[at]]), quoted(names(x)[at])), or_default(
      way_out_of_type(x[[at]]), paste("Make numbers or a factor of it (columns of a matrix, by",
        "do.call(data.frame, x)), or leave it out"
      )
    )
  )
}

# As many levels as rows are names of the rows
check_levels <- function(levels, column, name, argument) {
  present <- length(intersect(levels, column))
  refuse_if(present == length(column) && present > 2L && !is.ordered(column), "identifier",
    argument, "must have columns with fewer levels than rows",
    sprintf("as many levels as rows (%d) in %s", present, quoted(name)), sprintf(paste(
      "Leave it out: x[setdiff(names(x), %s)], or - %s in a formula; numbers that were read as",
      "text need as.numeric()"
    ), deparse1(name), deparse1(as.name(name), backtick = TRUE))
  )
  check_memory(8 * as.double(length(column)) * length(levels), argument,
    sprintf("join levels of %s, or leave it out", quoted(name)))
}

# Words for words, numbers for numbers; levels also come as numbers from files, and a column of NA
# alone is logical. New rows may have other levels.
check_same_kind <- function(column, variable, argument) {
  now <- column_kind(column)
  alike <- now == variable$kind || (is.logical(column) && all(is.na(column))) ||
    (!is.null(variable$levels) && now %in% c("levels", "ordered levels", "numbers"))
  refuse_if(!alike, "type", argument,
    sprintf("must have %s in %s, as the fit had", variable$kind, quoted(variable$name)),
    describe(column)
  )
  unknown <- if (!is.null(variable$levels)) setdiff(as.character(column), c(variable$levels, NA))
  if (length(unknown) > 0L) warn_rowsparse("levels", paste(c(sprintf(
    "`%s` has levels in %s that the fit does not know: %s, which are NA. It knows %s.", argument,
    quoted(variable$name), few_quoted(unknown), few_quoted(variable$levels)
  ), did_you_mean(unknown[1], variable$levels)), collapse = " "))
}

# calls such as log(hp) may make infinite values
check_complete <- function(part, label, argument) {
  rows <- which(rowSums(!is.finite(part)) > 0)
  refuse_if(length(rows) > 0L, "nonfinite", argument, "must not hold missing or infinite values",
    sprintf("%d of them in %s, the first at row %d", length(rows), quoted(label), rows[1]),
    if (argument == "x" && !any(is.infinite(part))) {
      "`na.action = na.omit` leaves out the rows with missing values"
    } else if (argument == "x") {
      sprintf("`x[is.finite(x[[%s]]), ]` leaves out the rows that have them", quoted(label))
    } else {
      sprintf("`subset = is.finite(%s)` leaves out the rows that have them", label)
    }
  )
}

# ---- what a fit of a table takes and keeps -------------------------------------------

# Columns of the table, or terms, are groups of those that they make. `include` and `exclude` name
# them, and so do the caller's `groups`, which join them.
locks_of_table <- function(blueprint, locks) {
  if (is.null(blueprint)) {
    return(locks)
  }
  source <- blueprint$source
  label <- blueprint$labels
  if (!is.null(locks$groups)) {
    joined <- resolve_groups(locks$groups, length(label), label)
    locks$groups <- joined$label[joined$of][source]
    return(locks)
  }
  several <- anyDuplicated(source)
  for (name in names(Filter(length, locks))) {
    terms <- locked_columns(locks[[name]], name, list(d = length(label), names = label))
    locks[[name]] <- if (several > 0L) label[terms] else terms
  }
  if (several > 0L) locks$groups <- structure(label[source], table = label[source[several]])
  locks
}

# a fit, or a path, that codes new rows like those it is of
with_table <- function(fit, table) {
  fit$blueprint <- table$blueprint
  fit$na.action <- table$omitted
  fit
}

is_coded_table <- function(fit, newdata) is.data.frame(newdata) && !is.null(fit[["blueprint"]])

# data beside a fit, as the matrix that it was made from
coded_like <- function(fit, x, argument = "x") {
  coded <- inherits(fit, "rowsparse") && is_coded_table(fit, x)
  if (coded) code_rows(fit[["blueprint"]], x, argument = argument) else x
}

# The column of the table, or term, of each column of the matrix; NULL if it is no coded table
table_labels <- function(fit) {
  blueprint <- fit[["blueprint"]]
  if (!is.null(blueprint)) blueprint$labels[blueprint$source]
}

# What an answer calls columns of the matrix: by groups, by the table, or as coded, to `expand` it
answer_labels <- function(fit, columns, groups, expand) {
  label <- if (!check_flag(expand, "expand")) table_labels(fit)
  if (check_flag(groups, "groups")) label <- or_default(fit$groups$label[fit$groups$of], label)
  refuse_if(groups && is.null(label), "argument", "groups", "must be FALSE without groups")
  if (is.null(label)) feature_labels(fit, columns) else unique(label[columns])
}

# Best first, the columns of the table that a fit is of, whatever was made of them: their names,
# scores, and whether they are selected
ranked_columns <- function(fit, names) {
  label <- or_default(table_labels(fit), names)
  first <- fit$ranking[!duplicated(label[fit$ranking])]
  data.frame(name = label[first], score = unname(fit$scores[first]),
    selected = first %in% fit$selected
  )
}

#' @rdname tables
#' @export
model.frame.rowsparse <- function(formula, data = NULL, ...) {
  given <- as.list(formula$call)
  terms <- if (inherits(given[["x"]], "formula")) stats::formula(formula)
  source <- if (is.null(terms)) given[["x"]] else or_default(given[["data"]], given[["y"]])
  rows <- or_default(data, computed_from(
    eval(source, or_default(environment(terms), parent.frame())), "formula",
    "must be a fit whose data are found by its call, or given as `data`"
  ))
  refuse_if(!is.data.frame(rows), "type", "formula", "must be a fit of a table or formula")
  call <- list(quote(stats::model.frame), or_default(terms, ~.), quote(rows), quote(...))
  own <- if (is.null(data)) intersect(c("subset", "na.action"), names(given))
  eval(as.call(c(call, given[own])))
}

#' @importFrom stats model.frame model.matrix
#' @rdname tables
#' @param object,formula A fit, path or cross-validation of a table or formula.
#' @param data A data frame of new rows.
#' @param ... Passed to [stats::model.frame()]; otherwise unused.
#' @export
model.matrix.rowsparse <- function(object, data, ...) {
  check_no_more("model.matrix", "data", ...)
  refuse_if(missing(data) || !is.data.frame(data), "type", "data", "must be a data frame")
  new_values(object, data, seq_len(object$d), NULL)
}
