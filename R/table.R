#' Tables and formulas
#'
#' How [rowsparse()], [rowsparse_path()] and [cv_rowsparse()] code the columns of a data frame and
#' the terms of a formula. The coding is kept in the result, so that `predict()` codes new rows in
#' the same way.
#'
#' @section Coding of columns:
#' \tabular{ll}{
#'   numbers, `TRUE` and `FALSE` \tab stay as they are\cr
#'   factor or text of two levels \tab one column, 1 for the second level\cr
#'   factor or text of more levels \tab an indicator for each level\cr
#'   ordered factor \tab the ranks of its levels; `options(rowsparse.ordered = "group")`: as
#'     other factors\cr
#'   Date, date-time, difference of times \tab days, seconds, or its units, as a number
#' }
#'
#' Columns of the matrix are named as by [stats::model.matrix()]. Data are centred, so that every
#' level can have an indicator: fits do not depend on the order of the levels. Unused levels are
#' dropped. A message of class `rowsparse_message_table` reports ranks, dates and times. A table of
#' numbers gives the same result as the matrix. Factors with one level, factors with as many levels
#' as rows (row names), lists and matrices are refused by name.
#'
#' @section Columns are groups:
#' `k` counts columns of the table, or terms: a factor of several levels is selected with all of its
#' indicators, as one of the [groups], and `selected(fit, groups = TRUE)` gives its name; methods
#' that do not take groups refuse such tables. `include` and `exclude` take columns of the table, by
#' name or number, and `groups` joins columns, with one label for each.
#' `predict(fit, data, type = "features")` gives the selected columns uncoded; `coef()` has a row
#' for each indicator.
#'
#' @section Formulas:
#' `rowsparse(mpg ~ wt + log(hp) + poly(qsec, 2) + gear * am, data = mtcars)`: the right side may
#' hold any terms of [stats::model.frame()]. `.` is every column of `data` except those of the
#' response, and the response may be any expression, as in `cbind(mpg, qsec) ~ .`. An interaction
#' has a column for each combination of levels that there is, so that it means the same whether or
#' not its terms are also selected. Factors with their own contrasts ([stats::contrasts()]) keep
#' them where they stand alone. There is no intercept to leave out, and an offset is refused.
#' `weights` and `subset` are looked up in `data`.
#'
#' @section Rows with missing values:
#' With a formula the default of `na.action` is `options("na.action")`, usually
#' [stats::na.omit()]. With a data frame missing values are an error unless `na.action` is given.
#' A message of class `rowsparse_message_rows` counts the rows left out; `block`, `weights` and
#' `foldid` may have an entry for each original row. With `na.exclude` `fitted()`, `residuals()`
#' and `predict()` have rows of `NA` for the rows left out.
#'
#' @section New data:
#' `predict()` needs only the columns from which the selected features are made. Transformations
#' such as [stats::poly()] use their parameters from the data of the fit. Rows with missing values
#' in these columns are predicted as `NA`. `model.matrix(fit, data)` gives the coded numbers.
#'
#' @return `model.matrix()`: a numeric matrix with a column for each feature of the fit.
#' @seealso [rowsparse()]
#' @examples
#' cars <- transform(mtcars, cyl = factor(cyl), shift = ifelse(am == 1, "manual", "auto"))
#' cars$hp[3] <- NA
#' fit <- rowsparse(mpg ~ log(hp) + wt + qsec + cyl + shift, data = cars, k = 2)
#' selected(fit, groups = TRUE)
#' coef(fit)
#' predict(fit, cars[1:4, ])
#' head(model.matrix(fit, cars), 4)
#' @name tables
NULL

# Tables: data frames, and formulas in them, as the matrix that methods take. A data frame is the
# formula `~ .`. A formula has variables (columns, or calls such as log(hp)) and terms (products of
# variables). How they are coded is kept as a blueprint, by which new rows are coded as well:
#   variables   by number, see new_variable()
#   terms       the numbers of the variables of each term; labels: their names
#   names       of the columns of the matrix; source: the term that each belongs to; place: which
#               of the columns of this term it is
#   columns     of the data that the variables are computed from
#   formula     the terms object whose predvars compute the variables; NULL: these are columns

# The data frame x as list(x: matrix, blueprint); one of numbers alone as it is
code_table <- function(x, argument = "x") {
  check_whole_frame(x, argument)
  plain <- all(vapply(x, column_kind, "") %in% plain_kinds)
  if (plain || length(x) == 0L || nrow(x) == 0L) {
    return(list(x = x))
  }
  check_names(names(x), argument)
  code_frame(x, NULL, names(x), argument)
}

# `frame`: the variables; `terms`: what model.frame() made of the formula, NULL for `~ .`;
# `columns`: of the data
code_frame <- function(frame, terms, columns, argument) {
  refuse_columns(frame, argument)
  check_table_complete(frame, argument, !is.null(terms))
  of_terms <- as.list(seq_along(frame))
  labels <- names(frame)
  if (!is.null(terms)) {
    factors <- attr(terms, "factors")
    of_terms <- lapply(seq_len(ncol(factors)), function(term) unname(which(factors[, term] > 0)))
    labels <- vapply(of_terms, function(own) paste(names(frame)[own], collapse = ":"), "")
  }
  variables <- Map(new_variable, frame, names(frame), argument)
  tell_table(variables)
  blueprint <- list(variables = unname(variables), terms = of_terms, labels = labels,
    columns = intersect(if (is.null(terms)) labels else all.vars(terms), columns), formula = terms
  )
  parts <- lapply(seq_along(of_terms), function(term) {
    columns_of_term(blueprint, term, frame, argument)
  })
  kept <- lapply(parts, varying_columns)
  x <- do.call(cbind, Map(function(part, own) part[, own, drop = FALSE], parts, kept))
  blueprint$source <- rep(seq_along(kept), lengths(kept))
  blueprint$place <- unlist(kept)
  blueprint$names <- make.unique(colnames(x))
  dimnames(x) <- list(given_row_names(frame), blueprint$names)
  list(x = x, blueprint = structure(blueprint, class = "rowsparse_blueprint"))
}

# Combinations of levels without samples have no column; a term keeps one in any case
varying_columns <- function(part) {
  if (ncol(part) == 1L) {
    return(1L)
  }
  varying <- which(apply(part, 2, function(column) any(column != column[1])))
  if (length(varying) > 0L) unname(varying) else 1L
}

given_row_names <- function(x) if (.row_names_info(x) > 0L) row.names(x)

# ---- variables -----------------------------------------------------------------------

plain_kinds <- c("numeric", "logical")

column_kind <- function(column) {
  if (!is.null(dim(column)) && length(dim(column)) > 1L) {
    return(if (is_plain_numeric(column)) "matrix" else "other")
  }
  dated <- intersect(c("Date", "POSIXt", "difftime"), class(column))
  if (length(dated) > 0L) {
    dated[1]
  } else if (is_plain_numeric(column)) {
    "numeric"
  } else if (is.ordered(column)) {
    "ordered"
  } else if (is.factor(column) || is.character(column)) {
    "factor"
  } else if (is.list(column)) {
    "list"
  } else {
    if (is.logical(column)) "logical" else "other"
  }
}

# What new rows must know of a variable: list(name, kind; levels of factors, their contrasts where
# the caller has given them some; units of differences of times; width of a matrix)
new_variable <- function(column, name, argument) {
  kind <- column_kind(column)
  if (kind == "ordered" && !ordered_as_ranks()) kind <- "factor"
  levels <- if (is.factor(column)) {
    levels(if (kind == "ordered") column else droplevels(column))
  } else if (kind == "factor") {
    sort(unique(column), method = "radix")
  }
  if (!is.null(levels)) check_levels(levels, column, name, argument)
  own <- if (kind == "factor" && !is.null(attr(column, "contrasts"))) {
    stats::contrasts(column)[levels, , drop = FALSE]
  }
  list(name = name, kind = kind, levels = levels, contrasts = own,
    units = if (kind == "difftime") attr(column, "units"), width = NCOL(column)
  )
}

# options(rowsparse.ordered = "group") makes ordered factors groups of indicators
ordered_as_ranks <- function() {
  asked <- getOption("rowsparse.ordered", "rank")
  check_choice(asked, "options(rowsparse.ordered)", c("rank", "group")) == "rank"
}

# The columns of a variable, named as by model.matrix(). Alone, TRUE and FALSE are numbers, two
# levels share an indicator, and a factor may have contrasts of its own; in products every level
# has an indicator, so that a term means the same whichever others there are.
columns_of_variable <- function(variable, column, alone, argument) {
  check_same_kind(column, variable, argument)
  name <- variable$name
  if (variable$kind == "matrix") {
    return(named_columns_of(unclass(column), name, ncol(column) > 1L))
  }
  if (variable$kind == "logical" && !alone) variable$levels <- c("FALSE", "TRUE")
  if (is.null(variable$levels)) {
    return(named_columns_of(as.matrix(plain_numbers(column, variable)), name, FALSE))
  }
  if (variable$kind == "logical") column <- as.logical(column)
  codes <- level_codes(column, variable$levels, name, argument)
  if (variable$kind == "ordered") {
    return(named_columns_of(as.matrix(as.double(codes)), name, FALSE))
  }
  coding <- diag(length(variable$levels))
  colnames(coding) <- variable$levels
  if (alone && nrow(coding) == 2L) coding <- coding[, 2L, drop = FALSE]
  if (alone && !is.null(variable$contrasts)) coding <- variable$contrasts
  named_columns_of(coding[codes, , drop = FALSE], name, TRUE)
}

named_columns_of <- function(values, name, several) {
  own <- or_default(colnames(values), seq_len(ncol(values)))
  storage.mode(values) <- "double"
  dimnames(values) <- list(NULL, if (several) paste0(name, own) else name)
  values
}

plain_numbers <- function(column, variable) {
  if (variable$kind == "POSIXt") column <- as.POSIXct(column)
  values <- as.double(unclass(column))
  if (variable$kind != "difftime" || attr(column, "units") == variable$units) {
    return(values)
  }
  seconds <- c(secs = 1, mins = 60, hours = 3600, days = 86400, weeks = 604800)
  values * seconds[[attr(column, "units")]] / seconds[[variable$units]]
}

level_codes <- function(column, levels, name, argument) {
  text <- as.character(column)
  codes <- match(text, levels)
  unknown <- unique(text[is.na(codes) & !is.na(text)])
  if (length(unknown) > 0L) {
    stop_rowsparse("levels", argument, sprintf("must have the levels of the fit in %s",
      quoted(name)
    ), some_quoted(unknown), sprintf("It knows %s", some_quoted(levels, 10L)))
  }
  codes
}

# the first few
some_quoted <- function(text, shown = 5L) {
  paste(c(vapply(utils::head(text, shown), quoted, ""), if (length(text) > shown) "..."),
    collapse = ", "
  )
}

# The columns of a term: products of those of its variables, the first changing fastest
columns_of_term <- function(blueprint, term, values, argument) {
  own <- blueprint$terms[[term]]
  parts <- lapply(own, function(at) {
    columns_of_variable(blueprint$variables[[at]], values[[at]], length(own) == 1L, argument)
  })
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
  terms <- unique(blueprint$source[index])
  needed <- unique(unlist(blueprint$terms[terms]))
  values <- list()
  values[needed] <- variables_of_rows(blueprint, x, needed, argument)
  out <- matrix(0, nrow(x), length(index), dimnames = list(given_row_names(x),
    blueprint$names[index]
  ))
  own <- split(seq_along(index), match(blueprint$source[index], terms))
  for (at in seq_along(terms)) {
    part <- columns_of_term(blueprint, terms[at], values, argument)
    out[, own[[at]]] <- part[, blueprint$place[index[own[[at]]]]]
  }
  out
}

variables_of_rows <- function(blueprint, x, needed, argument) {
  if (is.null(blueprint$formula)) {
    wanted <- blueprint$labels[needed]
    check_columns_there(wanted, names(x), argument)
    return(unclass(x)[wanted])
  }
  computed <- as.list(attr(blueprint$formula, "predvars"))[needed + 1L]
  own <- unlist(lapply(computed, all.vars))
  check_columns_there(intersect(own, blueprint$columns), names(x), argument)
  lapply(seq_along(needed), function(at) {
    value <- tryCatch(eval(computed[[at]], x, environment(blueprint$formula)), error = function(e) {
      stop_rowsparse("names", argument, "must hold what the terms of the fit are computed from",
        conditionMessage(e), parent = e
      )
    })
    if (NROW(value) != nrow(x)) {
      stop_rowsparse("length", argument,
        sprintf("must hold what the terms of the fit are computed from (%s for %s)",
          shorten(blueprint$variables[[needed[at]]]$name), count_of(nrow(x), "row")
        ), NROW(value)
      )
    }
    value
  })
}

check_columns_there <- function(wanted, known, argument) {
  lost <- setdiff(wanted, known)
  if (length(lost) > 0L) {
    stop_rowsparse("names", argument, "must have the columns of the fit that were selected",
      sprintf("%d missing: %s", length(lost), some_quoted(lost)), did_you_mean(lost[1], known)
    )
  }
  check_names(known[known %in% wanted], argument)
}

# ---- what is refused, and what is said -----------------------------------------------

refuse_columns <- function(frame, argument) {
  way_out <- c(
    list = "Take out of it what is a number, a factor or text, or leave the column out",
    other = "Make numbers or a factor of it, or leave the column out"
  )
  kind <- vapply(frame, column_kind, "")
  # the matrices of a formula are those of poly() and its like
  if (argument == "x") {
    way_out[["matrix"]] <- "do.call(data.frame, x) makes columns of the table of its columns"
  }
  at <- which(kind %in% names(way_out))
  if (length(at) > 0L) {
    column <- frame[[at[1]]]
    stop_rowsparse("type", argument,
      "must have columns that are numbers, factors, text, logical, dates or times",
      sprintf("%s in %s", describe(column), quoted(names(frame)[at[1]])),
      if (inherits(column, "integer64")) way_out_of_type(column) else way_out[[kind[at[1]]]]
    )
  }
}

# A single level says nothing, and as many levels as rows are names of the rows
check_levels <- function(levels, column, name, argument) {
  leave_out <- if (argument == "data") {
    sprintf("Leave it out of the formula: - %s", deparse1(as.name(name), backtick = TRUE))
  } else {
    sprintf("Leave it out: %1$s[setdiff(names(%1$s), %2$s)]", argument, deparse1(name))
  }
  present <- length(unique(as.character(column)))
  if (present < 2L) {
    stop_rowsparse("constant", argument, "must have columns whose levels vary",
      sprintf("a single level, %s, in %s", quoted(as.character(column[1])), quoted(name)), leave_out
    )
  }
  if (present == length(column) && present > 2L && !is.ordered(column)) {
    numbers <- !anyNA(suppressWarnings(as.numeric(levels)))
    stop_rowsparse("identifier", argument, "must have columns with fewer levels than rows",
      sprintf("as many levels as rows (%d) in %s", present, quoted(name)),
      paste0(leave_out, if (numbers) ", or as.numeric() if it holds numbers read as text")
    )
  }
  check_memory(8 * as.double(length(column)) * length(levels), argument,
    sprintf("join levels of %s, or leave it out", quoted(name))
  )
}

# Words for words, numbers for numbers; levels also come as numbers from files
check_same_kind <- function(column, variable, argument) {
  now <- column_kind(column)
  alike <- list(
    factor = c("factor", "ordered", plain_kinds), ordered = c("factor", "ordered", plain_kinds),
    numeric = plain_kinds, logical = plain_kinds
  )
  kind <- variable$kind
  gaps <- now == "logical" && all(is.na(column)) # a column of NA alone is logical
  if (!now %in% c(kind, alike[[kind]]) && !gaps) {
    words <- c(numeric = "numbers", logical = "TRUE and FALSE", factor = "levels",
      ordered = "levels", Date = "dates", POSIXt = "date-times",
      difftime = "differences of times", matrix = "a matrix"
    )
    stop_rowsparse("type", argument,
      sprintf("must have %s in %s, as the fit had", words[[kind]], quoted(variable$name)),
      describe(column)
    )
  }
  if (kind == "matrix" && NCOL(column) != variable$width) {
    stop_rowsparse("size", argument, sprintf("must have %s in %s, as the fit had",
      count_of(variable$width, "column"), quoted(variable$name)
    ), NCOL(column))
  }
}

# `formula`: calls such as log(hp) may make infinite values
check_table_complete <- function(frame, argument, formula) {
  gaps <- table_gaps(frame)
  bad <- gaps | rows_with(frame, function(values) is.numeric(values) & is.infinite(values))
  first <- which(colSums(bad) > 0)[1]
  if (!is.na(first)) {
    name <- names(frame)[first]
    stop_rowsparse("nonfinite", argument, "must not hold missing or infinite values",
      sprintf("%.0f of them, the first at row %d, %s", sum(bad), which(bad[, first])[1],
        column_label(names(frame), first)
      ),
      if (any(gaps)) {
        "`na.action = na.omit` leaves out the rows that have them"
      } else if (formula) {
        sprintf("`subset = is.finite(%s)` leaves out the rows that have them", name)
      } else {
        sprintf("Leave these rows out: `keep <- is.finite(%s[[%s]])`", argument, quoted(name))
      }
    )
  }
}

# TRUE for the rows that lack a column
table_gaps <- function(frame) rows_with(frame, is.na)

# In which rows `holds` is true of an entry of each column
rows_with <- function(frame, holds) {
  found <- lapply(frame, function(column) {
    if (inherits(column, "POSIXlt")) column <- as.POSIXct(column)
    if (is.list(column)) logical(NROW(column)) else rowSums(as.matrix(holds(column))) > 0
  })
  matrix(unlist(found), ncol = length(frame), dimnames = list(NULL, names(frame)))
}

# what is not as it was: dates and times as numbers, and orders as ranks
tell_table <- function(variables) {
  kind <- vapply(variables, `[[`, "", "kind")
  names <- sprintf("`%s`", vapply(names(variables), shorten, ""))
  told <- c(
    Date = "days since 1970-01-01", POSIXt = "seconds since 1970-01-01",
    ordered = "ranks of its levels"
  )
  told <- c(
    vapply(intersect(names(told), kind), function(one) {
      sprintf("%s as %s", toString(names[kind == one]), told[[one]])
    }, ""),
    vapply(which(kind == "difftime"), function(at) {
      sprintf("%s as a number of %s", names[at], variables[[at]]$units)
    }, "")
  )
  if (length(told) > 0L) {
    say_rowsparse("table", paste0("Taken as numbers: ", paste(told, collapse = "; "), ".",
      if ("ordered" %in% kind) {
        " options(rowsparse.ordered = \"group\") makes groups of indicators of ordered factors."
      }
    ))
  }
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
  for (name in c("include", "exclude")) {
    named <- table_labels(locks[[name]], name, label)
    if (several == 0L && is.character(named)) {
      at <- match(named, label[source])
      named[!is.na(at)] <- blueprint$names[at[!is.na(at)]]
    }
    locks[name] <- list(named)
  }
  if (several > 0L) locks$groups <- structure(label[source], table = label[source[several]])
  locks
}

# names, numbers, or TRUE and FALSE of the columns as names
table_labels <- function(value, argument, label) {
  if (is.factor(value)) value <- as.character(value)
  if (is.logical(value) && length(value) > 0L) {
    return(label[which(check_locked_flags(value, argument, length(label)))])
  }
  numbers <- length(value) > 0L && is_whole(value) && all(value >= 1 & value <= length(label))
  if (numbers) label[value] else value
}

# a fit, or a path, that codes new rows like those it is of
with_table <- function(fit, table) {
  fit$blueprint <- table$blueprint
  fit$na.action <- table$omitted
  fit
}

is_coded_table <- function(object, newdata) {
  !is.null(object[["blueprint"]]) && is.data.frame(newdata)
}

# data beside a fit, as the matrix that it was made from
coded_like <- function(fit, x, argument = "x") {
  if (!inherits(fit, "rowsparse") || !is_coded_table(fit, x)) {
    return(x)
  }
  code_rows(fit[["blueprint"]], x, argument = argument)
}

# Best first, the columns of the table that a fit is of, whatever was made of them: their names,
# scores, and whether they are selected
ranked_columns <- function(fit, names) {
  blueprint <- fit[["blueprint"]]
  label <- if (is.null(blueprint)) names else blueprint$labels[blueprint$source]
  first <- fit$ranking[!duplicated(label[fit$ranking])]
  data.frame(name = label[first], score = unname(fit$scores[first]),
    selected = first %in% fit$selected
  )
}

#' @importFrom stats model.matrix
#' @rdname tables
#' @param object A fit, path or cross-validation of a table or formula.
#' @param data A data frame of new rows.
#' @param ... Unused.
#' @export
model.matrix.rowsparse <- function(object, data, ...) {
  check_no_more("model.matrix", "data", ...)
  if (missing(data) || !is.data.frame(data)) {
    stop_rowsparse("type", "data", "must be a data frame", if (!missing(data)) describe(data))
  }
  if (!is.null(object[["blueprint"]])) {
    return(code_rows(object[["blueprint"]], data, argument = "data"))
  }
  data_frame_matrix(data[new_columns(object, data, seq_len(object$d))], "data")
}
