# Formulas with more than columns to add up: interactions, transformations, polynomials. Their
# terms are those of model.frame() and model.matrix(), with the indicators of all levels in place
# of contrasts, so that a term means the same whichever others are there. The blueprint has besides
#   formula    the terms of the frame, with what a transformation learnt from the data
#   columns    of the data that they name
#   widths     by variable: the columns of a matrix
#   contrasts  by variable: the columns of factors
#   kept       which columns of model.matrix() are those of the blueprint

# The right side of a formula in `data`, with the response y: list(x: matrix, y, blueprint, omitted)
code_formula <- function(formula, data, y, na_action) {
  terms <- formula_terms(formula, data)
  frame <- formula_frame(terms, data)
  read <- omit_rows(frame, y, na_action, "data")
  check_table_complete(read$x, "data")
  blueprint <- terms_blueprint(attr(frame, "terms"), read$x, names(data))
  tell_table(blueprint)
  x <- terms_matrix(blueprint, variables_of_frame(blueprint, read$x))
  blueprint <- with_columns_of(blueprint, x)
  x <- x[, blueprint$kept, drop = FALSE]
  dimnames(x) <- list(given_row_names(read$x), blueprint$names)
  list(x = x, y = read$y, blueprint = blueprint, omitted = read$omitted)
}

# `.` is every column but those of the response
formula_terms <- function(formula, data) {
  response <- if (length(formula) == 3L) all.vars(formula[[2]])
  if (length(formula) == 3L) formula[[2]] <- NULL
  known <- data[setdiff(names(data), response)]
  terms <- tryCatch(stats::terms(formula, data = known), error = function(e) {
    stop_rowsparse("type", "x", "must be a formula of columns, their functions and interactions",
      paste0(shorten(formula_text(formula), 80L), ": ", conditionMessage(e)), parent = e
    )
  })
  offset <- attr(terms, "offset")
  if (!is.null(offset)) {
    stop_rowsparse("type", "x", "must have no offset: no method takes one",
      deparse1(attr(terms, "variables")[[offset[1] + 1L]]),
      "For a numeric response take it off there: y - offset ~ ..."
    )
  }
  if (attr(terms, "intercept") == 0L) refuse_intercept("the term - 1 or + 0")
  if (length(attr(terms, "term.labels")) == 0L) {
    stop_rowsparse("size", "x", "must name a feature on its right side", formula_text(formula))
  }
  terms
}

refuse_intercept <- function(got) {
  stop_rowsparse("type", "x", "must hold features only", got,
    "Data are always centred: there is no intercept to add or to leave out"
  )
}

formula_frame <- function(terms, data) {
  tryCatch(
    stats::model.frame(terms, data, na.action = stats::na.pass, drop.unused.levels = FALSE),
    error = function(e) {
      check_names_known(terms, names(data))
      stop_rowsparse("names", "x", "must have terms that can be computed from `data`",
        conditionMessage(e), parent = e
      )
    }
  )
}

# columns, or what is known where the formula was written
check_names_known <- function(terms, columns) {
  names <- setdiff(all.vars(terms), columns)
  lost <- names[!vapply(names, exists, NA, envir = environment(terms))]
  if (length(lost) > 0L) {
    stop_rowsparse("names", "x", "must name columns of `data`", paste(quoted(lost[1]), "is none"),
      did_you_mean(lost[1], columns)
    )
  }
}

terms_blueprint <- function(terms, frame, columns) {
  kind <- vapply(frame, column_kind, "")
  refuse_columns(frame, ifelse(kind == "matrix", "numeric", kind), "data")
  kind[kind == "ordered" & !ordered_as_ranks()] <- "factor"
  both <- vapply(frame, function(column) length(unique(column)) > 1L, NA)
  kind[kind == "logical" & !both] <- "numeric"
  coded <- names(frame)[kind %in% c("factor", "character", "ordered", "logical")]
  levels <- lapply(stats::setNames(nm = coded), function(name) {
    check_levels(known_levels(frame[[name]], kind[[name]]), frame[[name]], name, "data")
  })
  matrices <- names(frame)[kind == "matrix"]
  new_blueprint(
    labels = attr(terms, "term.labels"), kind = kind, levels = levels,
    units = units_of_time(frame, kind), formula = terms,
    columns = intersect(all.vars(terms), columns),
    widths = vapply(stats::setNames(nm = matrices), function(name) ncol(frame[[name]]), 0L),
    contrasts = lapply(stats::setNames(nm = setdiff(coded, names(frame)[kind == "ordered"])),
      function(name) columns_of_factor(frame[[name]], levels[[name]])
    )
  )
}

# indicators of all levels, or the contrasts that the caller has given the factor
columns_of_factor <- function(column, levels) {
  if (is.factor(column) && !is.null(attr(column, "contrasts"))) {
    own <- stats::contrasts(column)[levels, , drop = FALSE]
    if (!is.null(colnames(own)) || ncol(own) == 0L) return(own)
    colnames(own) <- seq_len(ncol(own))
    return(own)
  }
  stats::contr.treatment(levels, contrasts = FALSE)
}

# a variable as model.matrix() takes it: numbers, or a factor
frame_variable <- function(blueprint, column, name, argument) {
  kind <- blueprint$kind[[name]]
  check_same_kind(column, kind, name, argument)
  if (kind == "matrix") {
    check_same_width(column, blueprint$widths[[name]], name, argument)
    return(unclass(column))
  }
  levels <- blueprint$levels[[name]]
  if (is.null(levels)) {
    return(plain_numbers(column, kind, blueprint$units[name]))
  }
  codes <- level_codes(column, levels, name, argument)
  if (kind == "ordered") as.numeric(codes) else factor(levels[codes], levels = levels)
}

check_same_width <- function(column, width, name, argument) {
  if (NCOL(column) != width) {
    stop_rowsparse("size", argument, sprintf("must have %s in %s, as the fit had",
      count_of(width, "column"), quoted(name)
    ), NCOL(column))
  }
}

variables_of_frame <- function(blueprint, frame) {
  each <- lapply(stats::setNames(nm = names(frame)), function(name) {
    frame_variable(blueprint, frame[[name]], name, "data")
  })
  as_frame(each, nrow(frame))
}

as_frame <- function(columns, n) {
  structure(columns, class = "data.frame", row.names = .set_row_names(n))
}

# all columns of model.matrix(), the intercept among them
terms_matrix <- function(blueprint, frame) {
  attr(frame, "terms") <- blueprint$formula
  contrasts <- blueprint$contrasts
  stats::model.matrix(blueprint$formula, frame,
    contrasts.arg = if (length(contrasts) > 0L) contrasts
  )
}

# Which columns of the matrix count: not the intercept; one of the two of two levels; and of
# combinations of levels those that there are.
with_columns_of <- function(blueprint, x) {
  assign <- attr(x, "assign")
  names <- colnames(x)
  single <- single_indicators(blueprint)
  kept <- lapply(seq_along(blueprint$labels), function(term) {
    own <- which(assign == term)
    if (term %in% single) {
      return(own[2])
    }
    varying <- own[apply(x[, own, drop = FALSE], 2, function(v) any(v != v[1], na.rm = TRUE))]
    if (length(varying) > 0L) varying else own[1]
  })
  blueprint$kept <- unlist(kept)
  blueprint$source <- rep(seq_along(kept), lengths(kept))
  logical <- blueprint$labels %in% names(blueprint$kind)[blueprint$kind == "logical"]
  for (term in intersect(single, which(logical))) names[kept[[term]]] <- blueprint$labels[term]
  blueprint$names <- make.unique(names[blueprint$kept])
  blueprint
}

# terms that are a variable of two levels by itself
single_indicators <- function(blueprint) {
  two <- vapply(blueprint$contrasts, function(columns) identical(dim(columns), c(2L, 2L)), NA)
  which(attr(blueprint$formula, "order") == 1L &
    terms_variables(blueprint) %in% names(blueprint$contrasts)[as.logical(two)])
}

# the first variable of each term
terms_variables <- function(blueprint) {
  factors <- attr(blueprint$formula, "factors")
  rownames(factors)[apply(factors > 0, 2, which.max)]
}

# ---- new rows ----------------------------------------------------------------------------

# Only the variables of the terms asked for are computed; the others are filled in, as
# model.matrix() must have them all.
code_terms <- function(blueprint, x, index, argument) {
  x <- as.data.frame(x)
  factors <- attr(blueprint$formula, "factors")
  terms <- unique(blueprint$source[index])
  needed <- rowSums(factors[, terms, drop = FALSE] > 0) > 0
  computed <- attr(blueprint$formula, "predvars")[c(TRUE, needed)]
  check_columns_there(intersect(all.vars(computed), blueprint$columns), names(x), argument)
  each <- lapply(seq_len(nrow(factors)), function(at) {
    name <- rownames(factors)[at]
    if (needed[at]) {
      frame_variable(blueprint, new_variable(blueprint, x, at, argument), name, argument)
    } else {
      filled_variable(blueprint, name, nrow(x))
    }
  })
  names(each) <- rownames(factors)
  out <- terms_matrix(blueprint, as_frame(each, nrow(x)))
  out <- out[, blueprint$kept[index], drop = FALSE]
  dimnames(out) <- list(given_row_names(x), blueprint$names[index])
  out
}

new_variable <- function(blueprint, x, at, argument) {
  expression <- attr(blueprint$formula, "predvars")[[at + 1L]]
  value <- tryCatch(eval(expression, x, environment(blueprint$formula)), error = function(e) {
    stop_rowsparse("names", argument, "must hold what the terms of the fit are computed from",
      conditionMessage(e), parent = e
    )
  })
  if (NROW(value) != nrow(x)) {
    stop_rowsparse("length", argument,
      sprintf("must hold what the terms of the fit are computed from (%s for %s)",
        shorten(deparse1(attr(blueprint$formula, "variables")[[at + 1L]])),
        count_of(nrow(x), "row")
      ), NROW(value)
    )
  }
  value
}

filled_variable <- function(blueprint, name, n) {
  levels <- blueprint$levels[[name]]
  if (name %in% names(blueprint$contrasts)) {
    factor(rep(levels[1], n), levels = levels)
  } else if (name %in% names(blueprint$widths)) {
    matrix(0, n, blueprint$widths[[name]])
  } else {
    numeric(n)
  }
}
