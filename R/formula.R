# The formula of the front door: which columns of a data frame are features, and what
# the response is. Sums of columns are taken apart here, all else by table_terms.R. Single
# methods do not take formulas.

# What a front door is given, as the methods take it: list(x, y, blueprint: where columns were
# coded, omitted: the rows that were left out, n: the rows that there were, locks: include, exclude
# and groups as the methods take them)
read_table <- function(x, y, data, na_action, include = NULL, exclude = NULL, groups = NULL,
                       response = FALSE) {
  read <- if (inherits(x, "formula")) {
    if (response && length(x) < 3L) {
      stop_rowsparse("type", "x", "must name the response on its left side", formula_text(x))
    }
    read_formula(x, y, data, na_action)
  } else {
    check_data_place(x, y, data)
    read_features(x, y, na_action)
  }
  read$locks <- locks_of_table(read$blueprint,
    list(include = include, exclude = exclude, groups = groups)
  )
  if (!is.null(read$omitted)) read$n <- nrow(read[["x"]]) + length(read$omitted)
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
  omitted <- NULL
  if (!is.null(na_action)) {
    check_whole_frame(x, "x")
    if (!is.null(y)) check_response_length(y, nrow(x))
    read <- omit_rows(x, y, na_action)
    x <- read[["x"]]
    y <- read[["y"]]
    omitted <- read$omitted
  }
  c(code_table(x), list(y = y, omitted = omitted))
}

# Rows with missing values are what the session does with them, unless the caller says otherwise.
read_formula <- function(x, y, data, na_action) {
  if (is.null(data) && is.data.frame(y)) { # as the second argument, like in lm()
    data <- y
    y <- NULL
  }
  if (!is.null(y)) {
    stop_rowsparse("argument", "y", "must be left out: the formula names the response", describe(y))
  }
  check_formula_data(data)
  data <- as.data.frame(data)
  check_whole_frame(data, "data")
  response <- if (length(x) == 3L) x[[2]]
  y <- formula_response(response, data, x)
  na_action <- or_default(na_action, getOption("na.action"))
  columns <- formula_columns(x, names(data), all.vars(response))
  if (is.null(columns)) {
    return(code_formula(x, data, y, na_action))
  }
  read <- omit_rows(data[columns], y, na_action, "data")
  c(code_table(read[["x"]], "data"), list(y = read[["y"]], omitted = read$omitted))
}

# what stands in the place of something else
check_data_place <- function(x, y, data) {
  if (!is.null(data)) {
    stop_rowsparse("argument", "data", "belongs to a formula: data themselves are `x`",
      describe(data), sprintf("Write %1$s(y ~ ., data = data), or %1$s(x, y)", front_door())
    )
  }
  check_formula_place(x, y)
}

# the function asked, as an error names it
front_door <- function() or_default(asked_function(), "rowsparse")

# a formula, or the name of a column, in the place of the response
check_formula_place <- function(x, y) {
  if (inherits(y, "formula")) {
    stop_rowsparse("type", "y", "must be the response itself", "a formula",
      if (is.data.frame(x)) {
        sprintf("Write %s(%s, data = x)", front_door(), shorten(formula_text(y), 200L))
      } else {
        "Formulas speak of the columns of a data frame, `data`"
      }
    )
  }
  named <- is.data.frame(x) && is_text(y) && y %in% names(x) && nrow(x) != 1L
  if (named) {
    name <- deparse1(as.name(y), backtick = TRUE)
    stop_rowsparse("length", "y", sprintf("must have one entry per sample (%d)", nrow(x)),
      paste(quoted(y), "which is a column of `x`"),
      sprintf("Write %s(%s ~ ., data = x)", front_door(), name)
    )
  }
}

check_formula_data <- function(data) {
  if (is.null(data)) {
    stop_rowsparse("missing", "data", "must be given beside a formula: the data frame it speaks of",
      way_out = sprintf("Of matrices write %s(x, y)", front_door())
    )
  }
  if (!is.data.frame(data)) {
    stop_rowsparse("type", "data", "must be a data frame where `x` is a formula", describe(data),
      if (is_experiment(data)) {
        sprintf("Of an experiment write %s(x, y = \"column of colData\")", front_door())
      } else {
        sprintf("Of other data write %s(x, y)", front_door())
      }
    )
  }
}

# The names that the right side adds up, from the left: `.` is every column but those of
# the response. NULL where it holds anything else. A long sum is deep, so that it is taken apart
# without recursion.
formula_columns <- function(formula, names, response, term = formula[[length(formula)]]) {
  steps <- list()
  while (is.call(term) && is_sum(term)) {
    steps <- c(list(term), steps)
    term <- term[[2]]
  }
  columns <- term_columns(term, names, response, formula)
  for (step in steps) {
    if (length(step) != 3L) next # a plus without a left side, or brackets
    change <- if (identical(step[[1]], as.name("+"))) union else setdiff
    own <- term_columns(step[[3]], names, response, formula)
    if (is.null(own) || is.null(columns)) {
      return(NULL)
    }
    columns <- change(columns, own)
  }
  if (!is.null(columns) && length(columns) == 0L) {
    stop_rowsparse("size", "x", "must name a feature on its right side", formula_text(formula))
  }
  columns
}

# a sum or difference of two, a plus sign, or brackets
is_sum <- function(term) {
  sign <- as.character(term[[1]])[1]
  sign %in% c("+", "(") || (sign == "-" && length(term) == 3L)
}

term_columns <- function(term, names, response, formula) {
  if (is.numeric(term)) refuse_intercept(paste("the number", term))
  if (is.call(term) && identical(term[[1]], as.name("("))) {
    return(formula_columns(formula, names, response, term[[2]]))
  }
  if (!is.name(term)) {
    return(NULL)
  }
  name <- as.character(term)
  if (name == ".") {
    return(setdiff(names, response))
  }
  if (name %in% response) {
    stop_rowsparse("names", "x", "must not have the response among the features", quoted(name))
  }
  if (name %in% names) name
}

formula_text <- function(formula) deparse1(formula)

# the left side, in the data and then where the formula was written
formula_response <- function(response, data, formula) {
  if (is.null(response)) {
    return(NULL)
  }
  y <- tryCatch(
    eval(response, data, environment(formula)),
    error = function(e) {
      stop_rowsparse("names", "x", "must have a left side that can be computed from `data`",
        paste0(shorten(deparse1(response)), ": ", conditionMessage(e)),
        parent = e
      )
    }
  )
  if (is.factor(y) && !(is.integer(unclass(y)) && is.character(levels(y)))) {
    stop_rowsparse("type", "x", "must have a left side that is a response",
      sprintf("%s, which is arithmetic on a factor", shorten(deparse1(response)))
    )
  }
  check_response_length(y, nrow(data))
  y
}

# single methods take the data themselves
check_no_formula <- function(x, argument = "x") {
  if (!inherits(x, "formula")) {
    return(invisible())
  }
  asked <- asked_function()
  method <- if (!is.null(asked) && asked %in% names(method_table())) {
    sprintf(", method = \"%s\"", asked)
  }
  stop_rowsparse("type", argument, "must hold the data", "a formula", sprintf(paste(
    "The front door takes formulas: rowsparse(y ~ ., data = data%s). Here pass the features as",
    "a matrix or data frame `x`, and the response, where there is one, as `y`"
  ), or_default(method, "")))
}
