# The formula of the front door: which columns of a data frame are features, and what
# the response is. Matrices have no use for it, and single methods do not take it.

# list(x, y): the features as a data frame and the response, for a call with a formula;
# what is no formula stays as it is
read_formula <- function(x, y, data, call) {
  if (!inherits(x, "formula")) {
    if (!is.null(data)) {
      stop_rowsparse("argument", "data", "belongs to a formula: data themselves are `x`",
        describe(data), "Write rowsparse(y ~ ., data = data), or rowsparse(x, y)"
      )
    }
    check_formula_place(x, y)
    return(list(x = x, y = y))
  }
  if (is.null(data) && is.data.frame(y)) { # as the second argument, like in lm()
    data <- y
    y <- NULL
    call$data <- call$y
  }
  if (!is.null(y)) {
    stop_rowsparse("argument", "y", "must be left out: the formula names the response", describe(y))
  }
  check_formula_data(data)
  data <- as.data.frame(data)
  response <- if (length(x) == 3L) x[[2]]
  columns <- formula_columns(x, names(data), all.vars(response), call)
  check_formula_features(data[columns], x, call)
  list(x = data[columns], y = formula_response(response, data, x))
}

# a formula, or the name of a column, in the place of the response
check_formula_place <- function(x, y) {
  if (inherits(y, "formula")) {
    stop_rowsparse("type", "y", "must be the response itself", "a formula",
      if (is.data.frame(x)) {
        sprintf("Write rowsparse(%s, data = x)", shorten(formula_text(y), 200L))
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
      sprintf("Write rowsparse(%s ~ ., data = x)", name)
    )
  }
}

check_formula_data <- function(data) {
  if (is.null(data)) {
    stop_rowsparse("missing", "data", "must be given beside a formula: the data frame it speaks of",
      way_out = "Of matrices write rowsparse(x, y)"
    )
  }
  if (!is.data.frame(data)) {
    stop_rowsparse("type", "data", "must be a data frame where `x` is a formula", describe(data),
      if (is_experiment(data)) {
        "Of an experiment write rowsparse(x, y = \"column of colData\")"
      } else {
        "Of other data write rowsparse(x, y)"
      }
    )
  }
}

# The names that the right side adds up, from the left: `.` is every column but those of
# the response. A long sum is deep, so that it is taken apart without recursion.
formula_columns <- function(formula, names, response, call, term = formula[[length(formula)]]) {
  steps <- list()
  while (is.call(term) && is_sum(term)) {
    steps <- c(list(term), steps)
    term <- term[[2]]
  }
  one_term <- function(term) term_columns(term, names, response, formula, call)
  columns <- one_term(term)
  for (step in steps) {
    if (length(step) != 3L) next # a plus without a left side, or brackets
    change <- if (identical(step[[1]], as.name("+"))) union else setdiff
    columns <- change(columns, one_term(step[[3]]))
  }
  if (length(columns) == 0L) {
    stop_rowsparse("size", "x", "must name a feature on its right side", formula_text(formula))
  }
  columns
}

# a sum or difference of two, a plus sign, or brackets
is_sum <- function(term) {
  sign <- as.character(term[[1]])[1]
  sign %in% c("+", "(") || (sign == "-" && length(term) == 3L)
}

term_columns <- function(term, names, response, formula, call) {
  if (is.numeric(term)) {
    stop_rowsparse("type", "x", "must hold names of columns only", paste("the number", term),
      "Data are always centred: there is no intercept to add or to leave out"
    )
  }
  if (is.call(term) && identical(term[[1]], as.name("("))) {
    return(formula_columns(formula, names, response, call, term[[2]]))
  }
  if (!is.name(term)) {
    stop_rowsparse("type", "x", "must hold single columns, `.`, + and - on its right side",
      paste("the term", shorten(deparse1(term))), matrix_line(formula, call, names)
    )
  }
  name <- as.character(term)
  if (name == ".") {
    return(setdiff(names, response))
  }
  if (!name %in% names) {
    stop_rowsparse("names", "x", "must name columns of `data`", paste(quoted(name), "is none"))
  }
  if (name %in% response) {
    stop_rowsparse("names", "x", "must not have the response among the features", quoted(name))
  }
  name
}

check_formula_features <- function(x, formula, call) {
  coded <- !vapply(x, function(column) is_plain_numeric(column) || is.logical(column), NA)
  if (any(coded)) {
    first <- which(coded)[1]
    stop_rowsparse("type", "x", "must name numeric features",
      sprintf("%d that %s not, the first %s: %s", sum(coded), if (sum(coded) == 1) "is" else "are",
        quoted(names(x)[first]), describe(x[[first]])
      ),
      matrix_line(formula, call, names(x))
    )
  }
}

# the line that codes what a formula of lm() may hold as numbers
matrix_line <- function(formula, call, names) {
  data <- short_text(call$data, "data")
  response <- if (length(formula) == 3L) {
    if (is.name(formula[[2]])) {
      paste0(", ", data, "$", deparse1(formula[[2]], backtick = TRUE))
    } else {
      sprintf(", with(%s, %s)", data, deparse1(formula[[2]]))
    }
  }
  sprintf("model.matrix() makes numbers of it: rowsparse(model.matrix(%s - 1, %s)%s)",
    formula_text(formula), data, or_default(response, "")
  )
}

formula_text <- function(formula) deparse1(formula)

# an expression as it was written, where it is short
short_text <- function(expression, otherwise) {
  if (is.name(expression)) {
    return(as.character(expression))
  }
  text <- if (is.call(expression)) deparse(expression, nlines = 2L)
  if (length(text) == 1L && nchar(text) <= 40L) text else otherwise
}

# the left side, in the data and then where the formula was written
formula_response <- function(response, data, formula) {
  if (is.null(response)) {
    return(NULL)
  }
  tryCatch(
    eval(response, data, environment(formula)),
    error = function(e) {
      stop_rowsparse("names", "x", "must have a left side that can be computed from `data`",
        paste0(shorten(deparse1(response)), ": ", conditionMessage(e)),
        parent = e
      )
    }
  )
}

# everything but the front door takes the data themselves
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
