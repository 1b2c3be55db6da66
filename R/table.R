# Tables: data frames with columns that are no numbers, as the matrix that methods take. What
# was made of each column is kept as a blueprint, by which new rows are coded in the same way.
# It is a list of class "rowsparse_blueprint":
#   labels   of what the table has: its columns, or the terms of a formula
#   kind     of each column, see column_kind()
#   levels   by name: those of factors, text, and ordered factors that are taken as ranks
#   units    by name: of differences of times
#   names    of the columns of the matrix; source: which label each was made from
# That of a formula has more, see table_terms.R.

#' Tables and formulas
#'
#' How [rowsparse()], [rowsparse_path()], [cv_rowsparse()], [tune_rowsparse()] and
#' [selection_error()] code the columns of a data frame and the terms of a formula. The coding is
#' kept in the result, so that `predict()` codes new rows in the same way.
#'
#' @section Coding of columns:
#' \tabular{ll}{
#'   numbers, `TRUE` and `FALSE` \tab stay as they are\cr
#'   factor or text of two levels \tab one column, 1 for the second level\cr
#'   factor or text of more levels \tab an indicator for each level\cr
#'   ordered factor \tab the ranks of its levels; `options(rowsparse.ordered = "group")`: as
#'     other factors\cr
#'   Date, date-time, difference of times \tab days, seconds, or its units, as a number\cr
#' }
#'
#' Columns of the matrix are named as by [stats::model.matrix()], by the column and the level.
#' Data are centred, so that every level can have an indicator and there is no reference level:
#' fits do not depend on the order of the levels. Unused levels are dropped. A message of class
#' `rowsparse_message_table` reports ranks, dates and times. A table of numbers is used unchanged:
#' it gives the same result as the matrix.
#'
#' The following columns are refused, and named: factors with one level, factors with as many
#' levels as rows (row names), lists and matrices.
#'
#' @section Columns are groups:
#' `k` counts columns of the table, or terms: a factor of several levels is selected with all of its
#' indicators, as one of the [groups], and `selected(fit, groups = TRUE)` gives its name. Methods
#' that do not take groups refuse such tables by an error of class `rowsparse_error_groups`.
#' `include` and `exclude` take columns of the table, by name or number, and `groups` joins
#' columns, with one label for each. `predict(fit, data, type = "features")` gives the selected
#' columns uncoded; `coef()` has a row for each indicator. Where columns are scaled, each
#' indicator is divided by its own standard deviation.
#'
#' @section Formulas:
#' `rowsparse(mpg ~ wt + log(hp) + poly(qsec, 2) + gear * am, data = mtcars)`: the right side may
#' hold any terms of [stats::model.frame()] and [stats::model.matrix()]. `.` is every column of
#' `data` except those of the response, and the response may be any expression, as in
#' `log(mpg) ~ .` or `cbind(mpg, qsec) ~ .`. Names that are not columns are looked up in the
#' environment of the formula. An interaction has a column for each combination of levels, so that
#' it means the same whether or not its terms are also selected; unused combinations are left out.
#' Factors with their own contrasts ([stats::contrasts()]) keep them. Data are always centred:
#' there is no intercept to leave out, and an offset is refused.
#'
#' @section Rows with missing values:
#' With a formula the default of `na.action` is `options("na.action")`, usually
#' [stats::na.omit()]. With a data frame missing values are an error unless `na.action` is given.
#' A message of class `rowsparse_message_rows` counts the rows left out; `block`, `weights` and
#' `foldid` may have an entry for each original row. With `na.exclude` `fitted()`, `residuals()`
#' and `predict()` have rows of `NA` for the rows left out; `na.fail` stops, and `na.pass` passes
#' these rows to the method, which stops.
#'
#' @section New data:
#' `predict()` needs only the columns from which the selected features are made. Transformations
#' such as [stats::poly()] and [base::scale()] use their parameters from the data of the fit. Rows
#' with missing values in these columns are predicted as `NA`. A level that is not in the fit is
#' an error of class `rowsparse_error_levels`, which names it; a missing column is an error of
#' class `rowsparse_error_names`. `model.matrix(fit, data)` gives the coded numbers of new rows,
#' for functions that take a matrix.
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

# The data frame x as list(x: matrix, blueprint); one of numbers only as it is
code_table <- function(x, argument = "x") {
  check_whole_frame(x, argument)
  kind <- vapply(x, column_kind, "", USE.NAMES = FALSE)
  if (all(kind %in% plain_kinds) || length(x) == 0L || nrow(x) == 0L) {
    return(list(x = x))
  }
  check_names(names(x), argument)
  check_table_complete(x, argument)
  blueprint <- table_blueprint(x, kind, argument)
  tell_table(blueprint)
  list(x = code_rows(blueprint, x, argument = argument), blueprint = blueprint)
}

plain_kinds <- c("numeric", "logical")

column_kind <- function(column) {
  if (!is.object(column) && is.null(dim(column)) && is.atomic(column)) {
    return(if (is.numeric(column)) "numeric" else plain_kind(column))
  }
  dated <- intersect(c("Date", "POSIXt", "difftime"), class(column))
  if (length(dim(column)) > 1L) {
    if (is_plain_numeric(column)) "matrix" else "other"
  } else if (is.factor(column)) {
    if (is.ordered(column)) "ordered" else "factor"
  } else if (length(dated) > 0L) {
    dated[1]
  } else if (is.list(column)) {
    "list"
  } else if (is_plain_numeric(column)) {
    "numeric"
  } else {
    plain_kind(column)
  }
}

plain_kind <- function(column) {
  if (is.logical(column) || is.character(column)) typeof(column) else "other"
}

table_blueprint <- function(x, kind, argument) {
  refuse_columns(x, kind, argument)
  kind[kind == "ordered" & !ordered_as_ranks()] <- "factor"
  names(kind) <- names(x)
  coded <- names(x)[kind %in% c("factor", "character", "ordered")]
  levels <- lapply(stats::setNames(nm = coded), function(name) {
    check_levels(known_levels(x[[name]], kind[[name]]), x[[name]], name, argument)
  })
  made <- as.list(names(x))
  for (at in which(kind %in% c("factor", "character"))) {
    made[[at]] <- coded_names(names(x)[at], levels[[names(x)[at]]])
  }
  new_blueprint(
    labels = names(x), kind = kind, levels = levels, units = units_of_time(x, kind),
    names = make.unique(unlist(made)), source = rep(seq_along(made), lengths(made))
  )
}

new_blueprint <- function(...) structure(list(...), class = "rowsparse_blueprint")

units_of_time <- function(x, kind) {
  spans <- names(x)[kind == "difftime"]
  vapply(stats::setNames(nm = spans), function(name) attr(x[[name]], "units"), "")
}

# those of the rows; all of the ones that stand for ranks
known_levels <- function(column, kind) {
  if (kind == "ordered") {
    levels(column)
  } else if (is.factor(column)) {
    levels(droplevels(column))
  } else {
    sort(unique(as.character(column)), method = "radix")
  }
}

# indicators of all levels, so that no level is a reference which the others are measured from;
# two levels share one
coded_names <- function(name, levels) {
  paste0(name, if (length(levels) == 2L) levels[2] else levels)
}

# options(rowsparse.ordered = "group") makes ordered factors groups of indicators
ordered_as_ranks <- function() {
  asked <- getOption("rowsparse.ordered", "rank")
  check_choice(asked, "options(rowsparse.ordered)", c("rank", "group")) == "rank"
}

# ---- what is refused --------------------------------------------------------------

refuse_columns <- function(x, kind, argument) {
  way_out <- c(
    matrix = paste(
      "Its columns can be columns of the table:",
      "do.call(data.frame, x) makes them of each"
    ),
    list = "Take out of it what is a number, a factor or text, or leave the column out",
    other = "Make numbers or a factor of it, or leave the column out"
  )
  at <- which(kind %in% names(way_out))
  if (length(at) == 0L) {
    return(invisible())
  }
  first <- at[1]
  column <- x[[first]]
  stop_rowsparse("type", argument,
    "must have columns that are numbers, factors, text, logical, dates or times",
    sprintf("%d that %s not, the first in %s: %s", length(at),
      if (length(at) == 1L) "is" else "are", column_label(names(x), first), describe(column)
    ),
    if (inherits(column, "integer64")) {
      way_out_of_type(column)
    } else {
      way_out[[kind[first]]]
    }
  )
}

# one level says nothing, and as many levels as rows are names of the rows
check_levels <- function(levels, column, name, argument) {
  present <- length(unique(as.character(column)))
  if (present < 2L) {
    stop_rowsparse("constant", argument, "must have columns whose levels vary",
      sprintf("a single level, %s, in %s", quoted(as.character(column[1])), quoted(name)),
      leave_column_out(name, argument)
    )
  }
  if (present == length(column) && present > 2L && !is.ordered(column)) {
    stop_rowsparse("identifier", argument, "must have columns with fewer levels than rows",
      sprintf("as many levels as rows (%d) in %s", present, quoted(name)),
      paste0(leave_column_out(name, argument),
        if (holds_numbers(levels)) {
          sprintf(", or as.numeric() where it holds numbers that were read as text")
        }
      )
    )
  }
  check_memory(8 * as.double(length(column)) * length(levels), argument,
    sprintf("join levels of %s, or leave it out", quoted(name))
  )
  levels
}

holds_numbers <- function(text) {
  !anyNA(suppressWarnings(as.numeric(text)))
}

leave_column_out <- function(name, argument) {
  if (argument == "data") {
    return(sprintf("Leave it out of the formula: - %s", deparse1(as.name(name), backtick = TRUE)))
  }
  sprintf("Leave it out: %1$s[setdiff(names(%1$s), %2$s)]", argument, deparse1(name))
}

check_table_complete <- function(x, argument) {
  gaps <- table_gaps(x)
  count <- colSums(gaps)
  if (any(count > 0)) {
    first <- which(count > 0)[1]
    stop_rowsparse("nonfinite", argument, "must not hold missing values",
      sprintf("%.0f of them, the first at row %d, %s", sum(count), which(gaps[, first])[1],
        column_label(names(x), first)
      ),
      "`na.action = na.omit` leaves out the rows that have them"
    )
  }
}

# which rows lack which columns
table_gaps <- function(x) {
  gaps <- lapply(x, function(column) {
    if (is.list(column) && !inherits(column, "POSIXlt")) {
      logical(NROW(column))
    } else if (length(dim(column)) > 1L) {
      rowSums(is.na(column)) > 0
    } else {
      as.vector(is.na(column))
    }
  })
  matrix(unlist(gaps), ncol = length(x), dimnames = list(NULL, names(x)))
}

# what is not as it was: dates and times as numbers, and orders as ranks
tell_table <- function(blueprint) {
  told <- c(
    told_columns(blueprint, "Date", "days since 1970-01-01"),
    told_columns(blueprint, "POSIXt", "seconds since 1970-01-01"),
    vapply(names(blueprint$units), function(name) {
      sprintf("`%s` as a number of %s", shorten(name), blueprint$units[[name]])
    }, ""),
    told_columns(blueprint, "ordered", "ranks of its levels")
  )
  if (length(told) > 0L) {
    say_rowsparse("table", paste0("Taken as numbers: ", paste(told, collapse = "; "), ".",
      if ("ordered" %in% blueprint$kind) {
        " options(rowsparse.ordered = \"group\") makes groups of indicators of ordered factors."
      }
    ))
  }
}

told_columns <- function(blueprint, kind, what) {
  names <- names(blueprint$kind)[blueprint$kind == kind]
  if (length(names) > 0L) {
    sprintf("%s as %s", paste0("`", vapply(names, shorten, ""), "`", collapse = ", "), what)
  }
}

# ---- rows by their blueprint ---------------------------------------------------------

# The columns `index` of the matrix that the table x makes, which needs those columns of the
# table only that they are made from
code_rows <- function(blueprint, x, index = seq_along(blueprint$names), argument = "newdata") {
  if (!is.null(blueprint$formula)) {
    return(code_terms(blueprint, x, index, argument))
  }
  x <- as.data.frame(x)
  needed <- unique(blueprint$source[index])
  check_columns_there(blueprint$labels[needed], names(x), argument)
  out <- matrix(0, nrow(x), length(index), dimnames = list(given_row_names(x),
    blueprint$names[index]
  ))
  own <- split(seq_along(index), match(blueprint$source[index], needed))
  first <- match(needed, blueprint$source)
  place <- match(blueprint$labels[needed], names(x))
  for (at in seq_along(needed)) {
    values <- column_values(blueprint, needed[at], x[[place[at]]], argument)
    out[, own[[at]]] <- values[, index[own[[at]]] - first[at] + 1L]
  }
  out
}

given_row_names <- function(x) if (.row_names_info(x) > 0L) row.names(x)

check_columns_there <- function(wanted, known, argument) {
  lost <- setdiff(wanted, known)
  if (length(lost) > 0L) {
    stop_rowsparse("names", argument, "must have the columns of the fit that were selected",
      sprintf("%d missing: %s", length(lost), some_quoted(lost)), did_you_mean(lost[1], known)
    )
  }
}

# the first few
some_quoted <- function(text, shown = 5L) {
  paste(c(vapply(utils::head(text, shown), quoted, ""), if (length(text) > shown) "..."),
    collapse = ", "
  )
}

# a matrix of numbers: a column, or one for each level
column_values <- function(blueprint, at, column, argument) {
  kind <- blueprint$kind[[at]]
  name <- blueprint$labels[at]
  check_same_kind(column, kind, name, argument)
  levels <- if (!kind %in% plain_kinds) blueprint$levels[[name]]
  if (is.null(levels)) {
    return(as.matrix(plain_numbers(column, kind, blueprint$units[name])))
  }
  codes <- level_codes(column, levels, name, argument)
  if (kind == "ordered") as.matrix(codes) else indicators(codes, length(levels))
}

plain_numbers <- function(column, kind, units) {
  switch(kind,
    POSIXt = as.numeric(as.POSIXct(column)),
    difftime = as.numeric(column, units = units),
    as.numeric(column)
  )
}

# of the second of two levels, or of all
indicators <- function(codes, count) {
  out <- outer(codes, if (count == 2L) 2L else seq_len(count), "==")
  storage.mode(out) <- "double"
  out
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

# Words for words, numbers for numbers; levels also come as numbers from files
check_same_kind <- function(column, kind, name, argument) {
  now <- column_kind(column)
  as_before <- if (kind %in% c("factor", "character", "ordered")) {
    now %in% c("factor", "character", "ordered", plain_kinds)
  } else if (kind %in% plain_kinds) {
    now %in% plain_kinds
  } else {
    now == kind
  }
  # a column of NA alone is logical
  if (!as_before && !(now == "logical" && all(is.na(column)))) {
    stop_rowsparse("type", argument, sprintf("must have %s in %s, as the fit had",
      kind_words[[kind]], quoted(name)
    ), describe(column))
  }
}

kind_words <- c(
  numeric = "numbers", logical = "TRUE and FALSE", factor = "levels", character = "text",
  ordered = "levels", Date = "dates", POSIXt = "date-times", difftime = "differences of times",
  matrix = "a matrix"
)

# ---- rows with missing values --------------------------------------------------------

# The rows of x and y that `na.action` leaves: list(x, y, omitted: as na.omit() tells it, or
# NULL). `columns`: those that count, as model.frame() would have them
omit_rows <- function(x, y, na_action, argument = "x") {
  act <- action_on_missing(na_action)
  if (is.null(act)) {
    return(list(x = x, y = y))
  }
  frame <- x
  of_response <- "(response)"
  if (!is.null(y)) frame[[of_response]] <- ifelse(stats::complete.cases(y), 0, NA)
  left <- tryCatch(act(frame), error = function(e) {
    stop_rowsparse("nonfinite", argument, "must be what `na.action` lets pass",
      sprintf("%s: %s", missing_rows_words(frame), conditionMessage(e)), parent = e
    )
  })
  omitted <- attr(left, "na.action")
  check_left_rows(left, frame, omitted, argument)
  if (!is.null(omitted)) {
    tell_omitted(frame, omitted)
    y <- rows_of(y, -as.integer(omitted))
  }
  left <- left[names(x)]
  attr(left, "na.action") <- NULL
  list(x = left, y = y, omitted = omitted)
}

# a function, its name, or NULL
action_on_missing <- function(na_action) {
  if (is.null(na_action)) {
    return(NULL)
  }
  if (is_text(na_action)) {
    na_action <- get0(na_action, mode = "function", ifnotfound = na_action)
  }
  if (!is.function(na_action)) {
    stop_rowsparse("type", "na.action",
      "must be a function such as na.omit, na.exclude, na.pass or na.fail, or its name",
      describe(na_action)
    )
  }
  na_action
}

check_left_rows <- function(left, frame, omitted, argument) {
  sound <- is.data.frame(left) && all(names(frame) %in% names(left)) &&
    nrow(left) == nrow(frame) - length(omitted)
  if (!sound) {
    stop_rowsparse("type", "na.action",
      "must give the data frame back, and tell the rows that it left out as na.omit() does",
      describe(left)
    )
  }
  if (nrow(left) < 2L) {
    stop_rowsparse("nonfinite", argument, "must have two rows without missing values at least",
      missing_rows_words(frame), "Leave out the columns that have most of them"
    )
  }
}

# "20 of 32 rows have missing values, 18 in "hp", 3 in "cyl""
missing_rows_words <- function(frame, shown = 5L) {
  gaps <- table_gaps(frame)
  count <- sort(colSums(gaps)[colSums(gaps) > 0], decreasing = TRUE)
  each <- sprintf("%.0f in %s", count, ifelse(names(count) == "(response)", "the response",
    vapply(names(count), quoted, "")
  ))
  incomplete <- sum(rowSums(gaps) > 0)
  paste(c(
    sprintf("%d of %d rows with missing values", incomplete, nrow(frame)),
    utils::head(each, shown), if (length(each) > shown) "..."
  ), collapse = ", ")
}

tell_omitted <- function(frame, omitted) {
  say_rowsparse("rows", sprintf("%s: %d left out.", missing_rows_words(frame), length(omitted)))
}

# ---- what a fit of a table takes and keeps ---------------------------------------------

# arguments that are by sample, without the rows left out
rows_of_table <- function(given, table, names = c("block", "weights")) {
  for (name in names) {
    value <- given[[name]]
    if (!is.null(table$omitted) && NROW(value) == table$n) {
      given[[name]] <- rows_of(value, -as.integer(table$omitted))
    }
  }
  given
}

# Columns of the table, or terms, are groups of those that they make. `include` and `exclude` name
# them, and so do the caller's `groups`, which join them.
locks_of_table <- function(blueprint, locks) {
  if (is.null(blueprint)) {
    return(locks)
  }
  source <- blueprint$source
  label <- blueprint$labels
  several <- anyDuplicated(source) > 0L
  if (!is.null(locks$groups)) {
    joined <- resolve_groups(locks$groups, length(label), label)
    locks$groups <- joined$label[joined$of][source]
    return(locks)
  }
  for (name in intersect(c("include", "exclude"), names(locks))) {
    named <- table_labels(locks[[name]], name, label)
    if (!several && is.character(named)) {
      at <- match(named, label[source])
      named[!is.na(at)] <- blueprint$names[at[!is.na(at)]]
    }
    locks[name] <- list(named)
  }
  first <- label[source[anyDuplicated(source)]]
  if (several) locks$groups <- structure(label[source], table = first)
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

is_blueprint <- function(value, fit) {
  inherits(value, "rowsparse_blueprint") && is.list(value) && has_columns(value, fit$d) &&
    has_kinds(value) && (is.null(value$formula) || is_formula_blueprint(value))
}

has_columns <- function(value, d) {
  is.character(value$names) && length(value$names) == d && length(value$source) == d &&
    is.character(value$labels) && all(value$source %in% seq_along(value$labels))
}

has_kinds <- function(value) {
  is.character(value$kind) && !is.null(names(value$kind)) && is.list(value$levels)
}

is_formula_blueprint <- function(value) {
  inherits(value$formula, "terms") && is.character(value$columns) && is.list(value$contrasts) &&
    length(value$kept) == length(value$names)
}

#' @importFrom stats model.matrix
#' @rdname tables
#' @param object A fit, path, cross-validation or tuning of a table or formula.
#' @param data A data frame of new rows.
#' @param ... Unused.
#' @export
model.matrix.rowsparse <- function(object, data, ...) {
  check_no_more("model.matrix", "data", ...)
  if (missing(data) || !is.data.frame(data)) {
    stop_rowsparse("type", "data", "must be a data frame", if (!missing(data)) describe(data))
  }
  if (is.null(object[["blueprint"]])) {
    index <- seq_len(object$d)
    return(data_frame_matrix(data[new_columns(object, data, index)], "data"))
  }
  code_rows(object[["blueprint"]], data, argument = "data")
}
