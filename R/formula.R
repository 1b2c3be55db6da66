# What a front door is given besides data: a formula, a data frame, rows to leave out. Single
# methods take the data themselves.

# list(x, y, blueprint: where columns were coded, omitted: the rows that `na.action` left out,
# n and rows: how many there were and which are left, if some are not; locks: include, exclude and
# groups as the methods take them). `door`: the function asked, for its errors
read_table <- function(x, y, data, na_action, include = NULL, exclude = NULL, groups = NULL,
                       response = FALSE, subset = NULL, door = "rowsparse") {
  read <- if (inherits(x, "formula")) {
    if (response && length(x) < 3L) {
      stop_rowsparse("type", "x", "must name the response on its left side", deparse1(x))
    }
    read_formula(x, y, data, na_action, subset, door)
  } else {
    check_data_place(x, y, data, door)
    read_features(x, usable_response(y), na_action)
  }
  read$locks <- locks_of_table(read$blueprint,
    list(include = include, exclude = exclude, groups = groups)
  )
  read
}

# data themselves
read_features <- function(x, y, na_action) {
  if (!is.data.frame(x)) {
    if (!is.null(na_action)) {
      stop_rowsparse("argument", "na.action", "is for formulas and data frames", describe(x),
        "Of a matrix leave the rows out beforehand"
      )
    }
    return(list(x = x, y = y))
  }
  check_whole_frame(x, "x")
  if (!is.null(na_action) && !is.null(y)) check_response_length(y, nrow(x))
  read <- omit_rows(x, y, na_action, "x")
  c(code_table(read[["x"]]), read[c("y", "omitted", "n", "rows")])
}

# Rows with missing values are what the session does with them, unless the caller says otherwise.
read_formula <- function(x, y, data, na_action, subset, door) {
  if (is.null(data) && is.data.frame(y)) { # as the second argument, like in lm()
    data <- y
    y <- NULL
  }
  if (!is.null(y)) {
    stop_rowsparse("argument", "y", "must be left out: the formula names the response", describe(y))
  }
  check_formula_data(data, door)
  data <- as.data.frame(data)
  check_whole_frame(data, "data")
  check_names(names(data), "data")
  chosen <- chosen_rows(subset, data)
  response <- if (length(x) == 3L) x[[2]]
  y <- formula_response(response, data, x)
  columns <- summed_columns(x, names(data), all.vars(response))
  sum <- !is.null(columns)
  frame <- if (sum) data[columns] else frame_of_terms(formula_terms(x, data), data)
  terms <- if (!sum) attr(frame, "terms")
  if (!is.null(chosen)) {
    frame <- frame[chosen, , drop = FALSE]
    y <- if (!is.null(y)) rows_of(y, chosen)
  }
  read <- omit_rows(frame, y, or_default(na_action, getOption("na.action")), "data")
  coded <- if (sum) {
    code_table(read[["x"]], "data")
  } else {
    code_frame(read[["x"]], terms, names(data), "data")
  }
  c(coded, rows_within(read, chosen, nrow(data)))
}

# The rows that are left as those of all data
rows_within <- function(read, chosen, n) {
  if (!is.null(chosen)) {
    read$rows <- chosen[or_default(read$rows, seq_along(chosen))]
    read$n <- n
  }
  read[c("y", "omitted", "n", "rows")]
}

# `subset` of a formula: TRUE and FALSE, or numbers, of the rows of data
chosen_rows <- function(subset, data) {
  if (is.null(subset)) {
    return(NULL)
  }
  rows <- seq_len(nrow(data))
  flags <- is.logical(subset) && length(subset) == nrow(data)
  if (!flags && !(is_whole(subset) && all(abs(subset) %in% rows))) {
    stop_rowsparse("type", "subset", sprintf(
      "must be one TRUE or FALSE for each row of `data` (%d), or numbers of rows", nrow(data)
    ), describe(subset))
  }
  if (flags) which(subset) else rows[subset]
}

# what stands in the place of something else
check_data_place <- function(x, y, data, door) {
  if (!is.null(data)) {
    stop_rowsparse("argument", "data", "belongs to a formula: data themselves are `x`",
      describe(data), sprintf("Write %1$s(y ~ ., data = data), or %1$s(x, y)", door)
    )
  }
  if (inherits(y, "formula")) {
    stop_rowsparse("type", "y", "must be the response itself", "a formula",
      if (is.data.frame(x)) {
        sprintf("Write %s(%s, data = x)", door, shorten(deparse1(y), 200L))
      } else {
        "Formulas speak of the columns of a data frame, `data`"
      }
    )
  }
  if (is.data.frame(x) && is_text(y) && y %in% names(x) && nrow(x) != 1L) {
    stop_rowsparse("length", "y", sprintf("must have one entry per sample (%d)", nrow(x)),
      paste(quoted(y), "which is a column of `x`"),
      sprintf("Write %s(%s ~ ., data = x)", door, deparse1(as.name(y), backtick = TRUE))
    )
  }
}

check_formula_data <- function(data, door) {
  if (is.null(data)) {
    stop_rowsparse("missing", "data", "must be given beside a formula: the data frame it speaks of",
      way_out = sprintf("Of matrices write %s(x, y)", door)
    )
  }
  if (!is.data.frame(data)) {
    stop_rowsparse("type", "data", "must be a data frame if `x` is a formula", describe(data),
      sprintf(if (is_experiment(data)) {
        "Of an experiment write %s(x, y = \"column of colData\")"
      } else {
        "Of other data write %s(x, y)"
      }, door)
    )
  }
}

# The columns that a sum of names adds up, `.` being all but those of the response; NULL if the
# right side holds anything else. terms() keeps a matrix of terms by terms and takes sums apart by
# recursion, which thousands of columns do not allow.
summed_columns <- function(formula, names, response) {
  term <- formula[[length(formula)]]
  steps <- list()
  while (is.call(term) && length(term) == 3L && as.character(term[[1]])[1] %in% c("+", "-")) {
    steps <- c(list(term), steps)
    term <- term[[2]]
  }
  columns <- character()
  for (step in c(list(call("+", NULL, term)), steps)) {
    name <- if (is.name(step[[3]])) as.character(step[[3]]) else ""
    own <- if (name == ".") setdiff(names, response) else name
    if (!all(own %in% setdiff(names, response))) {
      return(NULL)
    }
    change <- if (as.character(step[[1]]) == "+") union else setdiff
    columns <- change(columns, own)
  }
  if (length(columns) > 0L) columns
}

formula_terms <- function(formula, data) {
  response <- if (length(formula) == 3L) all.vars(formula[[2]])
  text <- deparse1(formula)
  if (length(formula) == 3L) formula[[2]] <- NULL
  refuse <- function(rule, got, way_out = NULL, class = "type", parent = NULL) {
    stop_rowsparse(class, "x", rule, got, way_out, parent)
  }
  known <- data[setdiff(names(data), response)]
  terms <- tryCatch(stats::terms(formula, data = known), error = function(e) {
    refuse("must be a formula of columns, their functions and interactions",
      paste0(shorten(text, 80L), ": ", conditionMessage(e)), parent = e
    )
  })
  offset <- attr(terms, "offset")
  if (!is.null(offset)) {
    refuse("must have no offset: no method takes one",
      deparse1(attr(terms, "variables")[[offset[1] + 1L]]),
      "For a numeric response take it off there: y - offset ~ ..."
    )
  }
  if (attr(terms, "intercept") == 0L || is.numeric(formula[[2]])) {
    refuse("must hold features only", text,
      "Data are always centred: there is no intercept to add or to leave out"
    )
  }
  labels <- attr(terms, "term.labels")
  if (length(labels) == 0L) refuse("must name a feature on its right side", text, class = "size")
  own <- intersect(gsub("`", "", labels, fixed = TRUE), response)
  if (length(own) > 0L) {
    refuse("must not have the response among the features", quoted(own[1]), class = "names")
  }
  terms
}

# the variables of the terms, with what transformations learnt from the data in predvars
frame_of_terms <- function(terms, data) {
  force(terms)
  tryCatch(
    stats::model.frame(terms, data, na.action = stats::na.pass, drop.unused.levels = FALSE),
    error = function(e) {
      known <- names(data)
      lost <- setdiff(all.vars(terms), known)
      lost <- lost[!vapply(lost, exists, NA, envir = environment(terms))]
      if (length(lost) > 0L) {
        stop_rowsparse("names", "x", "must name columns of `data`",
          paste(quoted(lost[1]), "is none"), did_you_mean(lost[1], known)
        )
      }
      stop_rowsparse("names", "x", "must have terms that can be computed from `data`",
        conditionMessage(e), parent = e
      )
    }
  )
}

# the left side, in the data and then where the formula was written
formula_response <- function(response, data, formula) {
  if (is.null(response)) {
    return(NULL)
  }
  y <- tryCatch(eval(response, data, environment(formula)), error = function(e) {
    stop_rowsparse("names", "x", "must have a left side that can be computed from `data`",
      paste0(shorten(deparse1(response)), ": ", conditionMessage(e)), parent = e
    )
  })
  if (is.factor(y) && !(is.integer(unclass(y)) && is.character(levels(y)))) {
    stop_rowsparse("type", "x", "must have a left side that is a response",
      sprintf("%s, which is arithmetic on a factor", shorten(deparse1(response)))
    )
  }
  check_response_length(y, nrow(data))
  usable_response(y)
}

# single methods take the data themselves
check_no_formula <- function(x, argument = "x") {
  if (inherits(x, "formula")) {
    stop_rowsparse("type", argument, "must hold the data", "a formula", paste(
      "The front door takes formulas: rowsparse(y ~ ., data = data, method = ...). Here pass the",
      "features as a matrix or data frame `x`, and the response, if there is one, as `y`"
    ))
  }
}

# ---- rows with missing values --------------------------------------------------------

# The rows of x and y that `na.action` leaves: list(x, y, and where some are not left omitted: as
# na.omit() tells it, n: the rows that there were, rows: those that are left)
omit_rows <- function(x, y, na_action, argument = "x") {
  if (is.null(na_action)) {
    return(list(x = x, y = y))
  }
  frame <- x
  if (!is.null(y)) frame[["(response)"]] <- ifelse(stats::complete.cases(y), 0, NA)
  left <- tryCatch(action_on_missing(na_action)(frame), error = function(e) {
    if (inherits(e, "rowsparse_error")) stop(e)
    stop_rowsparse("nonfinite", argument, "must be what `na.action` lets pass",
      sprintf("%s: %s", missing_rows_words(frame), conditionMessage(e)), parent = e
    )
  })
  omitted <- attr(left, "na.action")
  sound <- is.data.frame(left) && all(names(frame) %in% names(left)) &&
    nrow(left) == nrow(frame) - length(omitted)
  if (!sound) {
    stop_rowsparse("type", "na.action",
      "must give the data frame back, and tell the rows that it left out as na.omit() does",
      describe(left)
    )
  }
  left <- left[names(x)]
  attr(left, "na.action") <- NULL
  if (is.null(omitted)) {
    return(list(x = left, y = y))
  }
  if (nrow(left) < 2L) {
    stop_rowsparse("nonfinite", argument, "must have two rows without missing values at least",
      missing_rows_words(frame), "Leave out the columns that have most of them"
    )
  }
  say_rowsparse("rows", sprintf("%s: %d left out.", missing_rows_words(frame), length(omitted)))
  rows <- seq_len(nrow(frame))[-as.integer(omitted)]
  list(x = left, y = if (!is.null(y)) rows_of(y, rows), omitted = omitted, n = nrow(frame),
    rows = rows
  )
}

# a function, or its name
action_on_missing <- function(na_action) {
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

# "20 of 32 rows with missing values, 18 in "hp", 3 in "cyl""
missing_rows_words <- function(frame, shown = 5L) {
  gaps <- table_gaps(frame)
  count <- sort(colSums(gaps)[colSums(gaps) > 0], decreasing = TRUE)
  each <- sprintf("%.0f in %s", count, ifelse(names(count) == "(response)", "the response",
    vapply(names(count), quoted, "")
  ))
  paste(c(
    sprintf("%d of %d rows with missing values", sum(rowSums(gaps) > 0), nrow(frame)),
    utils::head(each, shown), if (length(each) > shown) "..."
  ), collapse = ", ")
}

# arguments that are by sample, for the rows that are left
rows_of_table <- function(given, table, names = c("block", "weights")) {
  for (name in names) {
    value <- given[[name]]
    if (!is.null(table$rows) && NROW(value) == table$n) {
      given[[name]] <- rows_of(value, table$rows)
    }
  }
  given
}
