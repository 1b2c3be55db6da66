# What a front door is given besides data: a formula, a data frame, rows to leave out. Single
# methods take the data themselves.

# list(x, y, blueprint: where columns were coded, omitted: the rows that `na.action` left out,
# n and rows of a table: how many there were, and which are left; formula: is x one?; given:
# weights, block and what is locked, as the methods take them). `call`, `frame`: the call of the
# front door and where this was made
read_door <- function(call, frame, x, y, data, include = NULL, exclude = NULL, groups = NULL,
                      block = NULL, weights = NULL, subset = NULL, na.action = NULL) {
  formula <- inherits(x, "formula")
  if (formula && is.null(data) && is.data.frame(y)) { # as the second argument, like in lm()
    data <- y
    y <- NULL
  }
  check_door(x, y, data, na.action)
  tell_no_column(call[["y"]], x, y)
  if (formula) {
    weights <- value_in_data(call[["weights"]], data, frame, "weights")
    subset <- value_in_data(call[["subset"]], data, frame, "subset")
    block <- block_variables(value_in_data(call[["block"]], data, frame, "block"), data)
    read <- read_formula(x, as.data.frame(data))
    na.action <- or_default(na.action, getOption("na.action"))
  } else {
    read <- list(x = x, y = usable_response(y))
  }
  argument <- if (formula) "data" else "x"
  if (is.data.frame(read[["x"]])) {
    read <- left_rows(read, if (formula) subset, na.action, argument)
  }
  if (formula && is.numeric(read[["y"]])) check_left_response(read[["y"]], x[[2]])
  n <- sample_count(read[["x"]])
  refuse_if(!is.na(n) && n < 2, "size", argument, "must have at least 2 samples (rows)", n)
  locks <- locks_of_table(read$blueprint,
    list(include = include, exclude = exclude, groups = groups)
  )
  read$given <- rows_of_table(c(list(weights = weights, block = block), locks), read)
  read$given$offset <- read[["offset"]]
  c(read, formula = formula)
}

# what stands in the place of something else, or is not there
check_door <- function(x, y, data, na_action) {
  if (!inherits(x, "formula")) {
    if (!is.null(conversion_of(x))) dense_input(x, "x") # which refuses it
    named <- is.data.frame(x) && is_text(y) && y %in% names(x) && nrow(x) != 1L
    refuse_if(!is.null(data), "argument", "data",
      "belongs to a formula: data themselves are `x`", describe(data)
    )
    refuse_if(inherits(y, "formula") || named, "type", "y", "must be the response itself",
      describe(y), sprintf("Of a data frame write rowsparse(%s, data = x)",
        if (named) paste(deparse1(as.name(y), backtick = TRUE), "~ .") else deparse1(y)
      )
    )
    refuse_if(!is.null(na_action) && !is.data.frame(x), "argument", "na.action",
      "is for formulas and data frames", describe(x)
    )
    return(invisible())
  }
  refuse_if(!is.null(y), "argument", "y", "must be left out: the formula names the response",
    describe(y)
  )
  refuse_if(is.null(data), "missing", "data",
    "must be given beside a formula: the data frame it speaks of",
    way_out = "Matrices are `x` and `y`, without a formula"
  )
  refuse_if(!is.data.frame(data), "type", "data", "must be a data frame if `x` is a formula",
    describe(data), paste("Other data are `x`, without a formula, and `y`, of an experiment also",
      "the name of a column of colData"
    )
  )
}

# As in lm(): an argument that may be computed from the columns of `data`, or be the name of one
value_in_data <- function(expression, data, frame, argument) {
  value <- computed_from(eval(expression, data, frame), argument,
    "must be computed from columns of `data`", names(data), all.vars(expression)
  )
  name <- is.character(value) && length(value) < nrow(data) && !identical(value, "balanced")
  lost <- if (name) setdiff(value, names(data))
  refuse_if(length(lost) > 0L, "names", argument, "must name a column of `data`, or be computed",
    quoted(lost[1]), did_you_mean(lost[1], c(names(data), if (argument == "weights") "balanced"))
  )
  if (name && length(value) == 1L) data[[value]] else value
}

# list(x: the variables of the right side; y; terms: NULL for sums of columns; columns: of the data)
read_formula <- function(formula, data) {
  check_whole_frame(data, "data")
  check_names(names(data), "data")
  response <- if (length(formula) == 3L) formula[[2]]
  y <- computed_from(eval(response, data, place_of_response(response, environment(formula))), "x",
    "must have a left side that can be computed from `data`", names(data), all.vars(response)
  )
  if (!is.null(y)) check_response_length(y, nrow(data))
  columns <- summed_columns(formula[[length(formula)]], names(data), all.vars(response))
  y <- usable_response(y)
  frame <- if (is.null(columns)) {
    frame_of_terms(formula, data, all.vars(response))
  } else {
    data[columns]
  }
  own <- intersect(names(frame), all.vars(response))
  refuse_if(length(own) > 0L, "names", "x", "must not have the response among the features",
    quoted(own[1])
  )
  list(x = frame, y = y, terms = attr(frame, "terms"), columns = if (is.null(columns)) names(data))
}

# Where the left side of a formula is evaluated: censored times also where survival is not attached
place_of_response <- function(response, place) {
  if (!"Surv" %in% all.names(response) || exists("Surv", place, mode = "function") ||
    !requireNamespace("survival", quietly = TRUE)) {
    return(place)
  }
  list2env(list(Surv = getExportedValue("survival", "Surv")), parent = place)
}

# The response of a formula, of the rows that are left; `side`: the expression that gave it
check_left_response <- function(y, side) {
  bad <- rowSums(!is.finite(as.matrix(y))) > 0
  side <- deparse1(side)
  refuse_if(any(bad), "nonfinite", "data", "must not hold missing or infinite values",
    sprintf("%d of them in the response %s", sum(bad), quoted(side)),
    sprintf("`subset = is.finite(%s)` leaves out the rows that have them",
      if (NCOL(y) > 1L) sprintf("rowSums(%s)", side) else side
    )
  )
}

# `subset` of a formula: TRUE and FALSE, or numbers, of the rows of data
chosen_rows <- function(subset, n) {
  flags <- is.logical(subset) && length(subset) == n
  rows <- seq_len(n)[if (flags) {
    which(subset)
  } else if (is_whole(subset) && prod(range(sign(subset))) >= 0) {
    subset
  } else {
    NA
  }]
  refuse_if(anyNA(rows), "type", "subset", sprintf(
    "must be one TRUE or FALSE for each row of `data` (%d), or numbers of rows", n
  ), describe(subset))
  rows
}

# The columns that a sum of names adds up, `.` being all but those of the response, without those
# that are taken off at its end; NULL if there is anything else. terms() keeps a matrix of terms by
# terms and takes sums apart by recursion, which thousands of columns do not allow.
summed_columns <- function(term, names, response) {
  left_out <- NULL
  while (is.call(term) && identical(term[[1]], quote(`-`)) && is.name(term[[length(term)]])) {
    left_out <- c(left_out, as.character(term[[length(term)]]))
    term <- if (length(term) == 3L) term[[2]]
  }
  words <- all.names(term)
  added <- all.names(term, functions = FALSE)
  # a plus between any two of the names, and no numbers such as 0
  plain <- sum(words == "+") == length(added) - 1L &&
    sum(words %in% c("+", "(")) == length(words) - length(added)
  if (!plain || !all(c(setdiff(added, "."), left_out) %in% names)) {
    return(NULL)
  }
  columns <- unlist(lapply(added, function(name) {
    if (name == ".") setdiff(names, response) else name
  }))
  columns <- setdiff(columns, left_out)
  if (length(columns) > 0L) columns
}

# the variables of the terms, with what transformations learnt from the data in predvars
frame_of_terms <- function(formula, data, response) {
  text <- deparse1(formula)
  if (length(formula) == 3L) formula[[2]] <- NULL
  rule <- "must be a formula of columns of `data`, their functions and interactions"
  terms <- computed_from(
    stats::terms(formula, data = data[setdiff(names(data), response)]), "x", rule
  )
  calls_of <- function(names) {
    Find(function(call) is.call(call) && deparse1(call[[1]]) %in% names,
      as.list(attr(terms, "variables"))
    )
  }
  special <- c("strata", "cluster", "frailty", "tt")
  special <- calls_of(c(special, paste0("survival::", special)))
  refuse_if(!is.null(special), "type", "x", "must hold features only", deparse1(special),
    "survival::coxph() takes strata and clusters"
  )
  random <- calls_of(c("|", "||"))
  refuse_if(!is.null(random), "type", "x", "must have no random effects; I(a | b) is a feature",
    deparse1(random), sprintf("`block = %s` takes its means off", deparse1(random[[3]]))
  )
  refuse_if(attr(terms, "intercept") == 0L, "type", "x", "must hold features only", text,
    "Data are always centred: there is no intercept to add or to leave out"
  )
  refuse_if(length(attr(terms, "term.labels")) == 0L, "size", "x",
    "must name a feature on its right side", text
  )
  computed_from(
    stats::model.frame(terms, data, na.action = stats::na.pass, drop.unused.levels = FALSE), "x",
    rule, names(data), all.vars(terms),
    if (grepl("\\b(s|te|ti|t2)\\(", text)) "Smooth terms are poly(x, 3), or splines::ns(x, 4)"
  )
}

# single methods take the data themselves
check_no_formula <- function(x, argument = "x") {
  refuse_if(inherits(x, "formula"), "type", argument, "must hold the data", "a formula", paste(
    "The front door takes formulas: rowsparse(y ~ ., data = data, method = ...). Here pass the",
    "features as a matrix or data frame `x`, and the response, if there is one, as `y`"
  ))
}

# ---- rows that are left --------------------------------------------------------------

# A table of which `subset` and `na.action` leave some rows, coded; see read_door()
left_rows <- function(read, subset, na_action, argument) {
  check_whole_frame(read$x, argument)
  n <- nrow(read$x)
  rows <- seq_len(n)
  if (!is.null(na_action) && !is.null(read$y)) check_response_length(read$y, n)
  if (!is.null(subset)) {
    rows <- chosen_rows(subset, n)
    read$x <- read$x[rows, , drop = FALSE]
    read$y <- rows_of(read$y, rows)
  }
  left <- omit_rows(read$x, read$y, na_action, argument)
  if (length(left$omitted) > 0L) rows <- rows[-left$omitted]
  c(code_table(left$x, argument, read$terms, or_default(read$columns, names(left$x))),
    list(y = left$y, omitted = left$omitted, n = n, rows = rows,
      offset = offset_of_terms(read$terms, left$x)
    )
  )
}

# the sum of what a formula has as offset()
offset_of_terms <- function(terms, values) {
  at <- attr(terms, "offset")
  if (!is.null(at)) rowSums(as.matrix(do.call(cbind, values[at])))
}

# The rows of x and y that `na.action` leaves: list(x, y, omitted: as na.omit() tells it)
omit_rows <- function(x, y, na_action, argument = "x") {
  if (is.null(na_action)) {
    return(list(x = x, y = y))
  }
  frame <- x
  if (!is.null(y)) frame[["(response)"]] <- ifelse(stats::complete.cases(y), 0, NA)
  action <- if (is_text(na_action)) get0(na_action, mode = "function") else na_action
  left <- if (is.function(action)) {
    tryCatch(action(frame), error = function(e) {
      stop_rowsparse("nonfinite", argument, "must be what `na.action` lets pass",
        sprintf("%s: %s", missing_rows_words(frame), conditionMessage(e)), parent = e
      )
    })
  }
  omitted <- attr(left, "na.action")
  refuse_if(!is.data.frame(left) || nrow(left) != nrow(frame) - length(omitted), "type",
    "na.action", paste("must be a function such as na.omit, na.exclude, na.pass or na.fail, or its",
      "name, that gives the data frame back and tells the rows left out as na.omit() does"
    )
  )
  left <- left[names(x)]
  attr(left, "na.action") <- NULL
  if (is.null(omitted)) {
    return(list(x = left, y = y))
  }
  refuse_if(nrow(left) < 2L, "nonfinite", argument,
    "must have two rows without missing values at least", missing_rows_words(frame),
    "Leave out the columns that have most of them"
  )
  lost <- if (is_classes(y)) setdiff(as.character(y), c(as.character(y)[-omitted], NA))
  say_rowsparse("rows", sprintf("%s: %d left out%s.", missing_rows_words(frame), length(omitted),
    if (length(lost) > 0L) sprintf(" (all of %s: fill them to keep it)", few_quoted(lost)) else ""
  ))
  list(x = left, y = rows_of(y, -as.integer(omitted)), omitted = omitted)
}

# "20 of 32 rows with missing values, 18 in "hp", 3 in "cyl""
missing_rows_words <- function(frame) {
  gaps <- lapply(frame, function(column) rowSums(as.matrix(is.na(column))) > 0)
  count <- sort(vapply(Filter(any, gaps), sum, 0L), decreasing = TRUE)
  words <- ifelse(names(count) == "(response)", "the response", vapply(names(count), quoted, ""))
  sprintf("%d of %d rows with missing values, %s", sum(Reduce(`|`, gaps)), nrow(frame),
    first_few(sprintf("%d in %s", count, words))
  )
}

# arguments that are by sample, for the rows that are left
rows_of_table <- function(given, table, names = c("block", "weights")) {
  for (name in names) {
    value <- given[[name]]
    if (!is.null(table$rows) && NROW(value) == table$n) given[[name]] <- rows_of(value, table$rows)
  }
  given
}
