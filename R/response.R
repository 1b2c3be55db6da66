# What a response is, for all methods: factors, strings and logicals are classes, which become
# indicator columns, and numbers are numbers. What could have been meant otherwise is told, unless
# it was `told` before. Returns a list: Y (n x c, double), y (a factor, or the same matrix), type
# ("class", "numeric" or "survival"), levels (for classes), names (of the columns of Y, or NULL),
# text (one of "4 classes", "numeric response", "3 numeric responses", "censored times, 9 events").
as_response <- function(y, n, told = FALSE) {
  y <- usable_response(y)
  if (is_survival(y)) {
    return(survival_response(y, n))
  }
  response <- if (is_classes(y)) class_response(y, n) else numeric_response(y, n)
  if (!told) tell_response(y)
  response$text <- response_text(response$type, ncol(response$Y))
  response
}

is_classes <- function(y) is.factor(y) || ((is.character(y) || is.logical(y)) && is.null(dim(y)))

# the response as the method reads it, with the arguments `given` to this
entry_response <- function(entry, y, n, given, told = FALSE) {
  if (is.null(entry$respond)) {
    refuse_survival(y)
    return(as_response(y, n, told))
  }
  entry$respond(y, n, given)
}

# A data frame of one column is that column. Times until an event, some of them censored, are a
# matrix of times and states, also where they are of class Surv; and 64-bit integers look like
# doubles.
usable_response <- function(y) {
  if (is.data.frame(y) && length(y) == 1L) y <- y[[1]]
  if (is.matrix(y) && ncol(y) == 1L && (is.logical(y) || is.character(y))) y <- y[, 1]
  states <- length(dim(y)) == 2L && all(c("time", "status") %in% tolower(colnames(y)))
  refuse_if(inherits(y, "integer64"), "type", "y", "must be classes or numbers", describe(y),
    way_out_of_type(y)
  )
  if (inherits(y, "Surv") || states) plain_survival(y) else y
}

# A selected feature (or factor) that alone gives the response to rounding is most likely a copy of
# it. `request`: see as_request(); of long selections the best 20 are looked at.
tell_determined <- function(fit, request) {
  x <- request[["x"]]
  y <- request[["y"]]
  in_memory <- is.matrix(x) || is.data.frame(x) || is_of(x, "sparseMatrix")
  if (!needs_response(request$entry) || is.null(y) || !in_memory) {
    return(invisible())
  }
  Y <- if (is_survival(y)) {
    y[, "time", drop = FALSE]
  } else {
    quietly(entry_response(request$entry, y, nrow(x), fit$parameters, told = TRUE))[["Y"]]
  }
  units <- if (is.null(fit$groups)) fit$selected else fit$groups$of[fit$selected]
  for (unit in utils::head(unique(units), 20L)) {
    own <- fit$selected[units == unit]
    if (determines(as.matrix(x[, own, drop = FALSE]), Y, is_classes(y))) {
      label <- feature_labels(unit_view(with_table(fit, request)), unit)
      say_rowsparse("determined", sprintf(paste(
        "`%s` alone gives the response to rounding: is it a copy of it, or made from it? `exclude`",
        "leaves it out."
      ), shorten(as.character(label))))
    }
  }
}

# Least squares of Y on X, or of one column on the indicators of the classes, leave rounding errors
# (and in the latter case no two classes have the same mean)
determines <- function(X, Y, classes) {
  leaves_rounding <- function(A, B) {
    B <- centre_columns(B / unit_above(max(abs(B))))$values
    rest <- stats::.lm.fit(cbind(1, centre_columns(A)$values), B)$residuals
    sum(rest^2) <= 1e-20 * sum(B^2)
  }
  may <- ncol(X) > 1L || is_close(X, Y, classes)
  have_own_means <- function() !anyDuplicated(signif(crossprod(Y, X) / colSums(Y), 10))
  may && ((2L * ncol(X) < nrow(X) && leaves_rounding(X, Y)) ||
    (classes && ncol(X) == 1L && have_own_means() && leaves_rounding(Y, X)))
}

# Do products tell that a column, or its means in the classes, may have all squares of the other?
# What determines classes is constant in each of them.
is_close <- function(x, Y, classes) {
  x <- centre_columns(x / unit_above(max(abs(x))))$values
  size <- if (classes) colSums(Y) else sum(centre_columns(Y)$values^2)
  !isTRUE(sum(crossprod(Y, x)^2 / size) < 0.99 * sum(x^2))
}

# what may have been meant otherwise than it is taken
tell_response <- function(y) {
  counts <- is.matrix(y) && ncol(y) == 2L && is_whole(y) && all(y >= 0) && any(y > 1)
  single <- if (is_classes(y)) names(which(table(y) == 1L))
  told <- if (is.ordered(y)) {
    "is an ordered factor: taken as classes without an order; as.integer(y) keeps it"
  } else if (length(single) > 0L) {
    sprintf("has one sample of %s: join it to another class, or leave it out", few_quoted(single))
  } else if (counts) {
    paste("has two columns of counts: taken as two numeric responses; of successes and failures",
      "take the share y[, 1] / rowSums(y)"
    )
  } else if (may_be_labels(y)) {
    sprintf(paste("holds %d different whole numbers: taken as a numeric response, not as classes;",
      "factor(y) makes them classes"
    ), length(unique(y)))
  }
  if (!is.null(told)) say_rowsparse("response", sprintf("`y` %s.", told))
}

# whole numbers that could be labels: at most ten different ones, or 1, 2, ..., K or
# 0, 1, ..., K - 1, with two samples of each on average
may_be_labels <- function(y) {
  if (!is.null(dim(y)) || is.object(y) || !is_whole(y)) {
    return(FALSE)
  }
  count <- length(unique(y))
  counted <- min(y) %in% 0:1 && max(y) - min(y) == count - 1L
  count > 1L && 2L * count <= length(y) && (count <= 10L || counted)
}

class_response <- function(y, n) {
  check_response_length(y, n)
  check_known_labels(y, "y")
  y <- factor(y, ordered = FALSE)
  refuse_if(nlevels(y) < 2L, "constant", "y", "must have at least two classes", quoted(levels(y)))
  check_class_count(nlevels(y), n)
  check_memory(8 * as.double(n) * nlevels(y), "y", "use fewer classes")
  list(Y = indicators(y), y = y, type = "class", levels = levels(y), names = levels(y),
    class = as.integer(y)
  )
}

# each sample a class of its own tells nothing about classes
check_class_count <- function(count, n) {
  refuse_if(count == n && n > 2L, "constant", "y", "must have a class with more than one sample",
    sprintf("as many classes as samples (%d)", n),
    "Names of the samples are no classes; numbers that were read as text need as.numeric()"
  )
}

# what a fit says of its response
response_text <- function(type, count) {
  if (type == "class") {
    count_of(count, "class")
  } else if (count == 1L) {
    "numeric response"
  } else {
    sprintf("%d numeric responses", count)
  }
}

# a response is not imputed
check_known_labels <- function(y, argument) {
  refuse_if(anyNA(y), "nonfinite", argument, "must not hold NA",
    sprintf("%d of them, the first at %d", sum(is.na(y)), which(is.na(y))[1]), sprintf(
      "Leave these samples out: `keep <- !is.na(%1$s)`, then `x[keep, ]` and `%1$s[keep]`", argument
    )
  )
}

numeric_response <- function(y, n) {
  if (is.data.frame(y)) {
    refuse_if(length(y) > 1L && !any(vapply(y, is_plain_numeric, NA)), "type", "y",
      "must be one column of classes, or numbers", describe(y),
      "`y[[1]]` takes the first column, interaction(y) makes one of all"
    )
    y <- data_frame_matrix(y, "y") + 0
  }
  refuse_if(!is_plain_numeric(y) || length(dim(y)) > 2L, "type", "y",
    "must be a factor, a vector of class labels, or a numeric vector, matrix or data frame",
    describe(y), if (length(dim(y)) == 2L) {
      "`y[, 1]` takes the first column"
    } else if (inherits(y, c("Date", "POSIXct", "difftime"))) {
      "as.numeric(y) makes numbers of them"
    }
  )
  check_response_length(y, n)
  Y <- as.matrix(unclass(y)) + 0
  refuse_if(ncol(Y) < 1L, "size", "y", "must have at least one column", "none")
  at <- which(!is.finite(Y), arr.ind = TRUE)
  refuse_if(length(at) > 0L, "nonfinite", "y", "must not hold NA, NaN or infinite values",
    sprintf("%d of them, the first at row %d, %s", nrow(at), at[1, 1],
      column_label(colnames(Y), at[1, 2])
    ), paste("Leave these samples out: `keep <- is.finite(rowSums(as.matrix(y)))`, then",
      "`x[keep, ]` and `as.matrix(y)[keep, ]`"
    )
  )
  range <- unname(apply(Y, 2, range))
  constant <- which(range[1, ] == range[2, ])
  refuse_if(length(constant) > 0L, "constant", "y", "must vary",
    paste("a constant response in", column_label(colnames(Y), constant[1]))
  )
  list(Y = Y, y = Y, type = "numeric", levels = NULL, names = colnames(Y), range = range)
}

# Every entry that takes a response asks this, whether its method uses it or not:
# rowsparse(x, 5) means k = 5, and 5 is the second argument.
check_response_length <- function(y, n, argument = "y") {
  meant <- if (argument == "y") argument_meant(y)
  refuse_if(NROW(y) != n, "length", argument, sprintf("must have one entry per sample (%.0f)", n),
    if (is_text(y)) paste("the string", quoted(y)) else format(NROW(y)),
    if (!is.null(meant)) {
      sprintf("Did you mean `%s = %s`?", meant, describe(y))
    } else if (is_text(y)) {
      "If it names a column, pass the column itself, and the others as features"
    }
  )
}

# the argument that stands elsewhere and was given in the place of the response
argument_meant <- function(y) {
  if (is_number(y) && y == round(y) && y >= 1) {
    "k"
  } else if (is_text(y) && y %in% names(method_table())) {
    "method"
  }
}

# ---- units -------------------------------------------------------------------

# Sums of squares of squares leave the range of numbers long before the data do. Data and response
# are therefore divided by powers of two, which loses nothing, and the results multiplied again.

# a power of two near `size`; 1 for sizes that have none
binary_unit <- function(size, power = round) {
  if (is.finite(size) && size > 0) 2^max(-1000, min(1000, power(log2(size)))) else 1
}

# the power of two above `size`
unit_above <- function(size) binary_unit(size, function(power) floor(power) + 1)

# Data whose largest column has a mean square near 1, and the unit divided out, unless that is near
# 1 anyway
in_binary_units <- function(data) {
  unit <- binary_unit(sqrt(max(data$square / data$n)))
  if (abs(log2(unit)) <= 60) unit <- 1
  if (unit != 1) {
    if (!is.null(data$operator)) data$operator <- operator_in_units(data$operator, unit)
    data <- divide_data(data, unit)
    # in a unit of the largest feature the squares of all others must be numbers as well
    lost <- which(!data$constant & data$square < 1e-280)
    refuse_if(length(lost) > 0L, "scale", "x",
      "must have features whose standard deviations differ by less than a factor of 1e140",
      sprintf("%.3g and, at %s, %.3g", max(data$deviation), data_column_label(data, lost[1]),
        data$deviation[lost[1]]
      ), "Divide the features by their standard deviations, as by scale = TRUE"
    )
  }
  data$unit <- unit
  data
}

operator_in_units <- function(operator, unit) {
  if (!is.null(operator$S) && is.null(operator$weight)) {
    operator$S <- operator$S / unit / unit
  } else {
    operator$weight <- or_default(operator$weight, rep(1, operator$d)) / unit
  }
  operator$leading$values <- operator$leading$values / unit / unit
  operator
}

# The response centred, within the levels of a block if there is one, and in its unit: the largest
# entry of Y is between 1/2 and 1. Indicators of classes have the unit 1.
centre_response <- function(response, block = NULL, observed = NULL) {
  first <- unit_above(max(abs(response$Y)))
  response$Y <- response$Y / first
  response <- take_off_means(response, block, observed)
  second <- unit_above(max(abs(response$Y)))
  response$Y <- response$Y / second
  response$mean <- response$mean * first
  if (!is.null(response$level_mean)) response$level_mean <- response$level_mean * first
  response$unit <- first * second
  response$squares <- colSums(response$Y^2)
  # in a unit of the largest response the squares of all others must be numbers as well
  lost <- which(response$squares < 1e-280)
  refuse_if(response$type == "numeric" && length(lost) > 0L, "range", "y",
    "must have responses whose ranges differ by less than a factor of 1e140",
    sprintf("a much smaller one in %s", column_label(response$names, lost[1])),
    "Divide the responses by their standard deviations"
  )
  response$total <- sum(response$squares)
  response$YtY <- crossprod(response$Y)
  response
}

# mean: over all samples, by their weights where they have some; with a block level_mean,
# levels x c, is what is taken off
take_off_means <- function(response, block, observed = NULL) {
  Y <- response$Y
  if (!is.null(observed)) {
    centred <- centre_by_weights(Y, observed)
    response$Y <- centred$values
    response$mean <- centred$mean
    response$weights <- observed$weight
    return(response)
  }
  response$mean <- colMeans(Y)
  if (is.null(block)) {
    response$Y <- centre_columns(Y)$values
    return(response)
  }
  response$Y <- without_level_means(Y, block)
  if (!inherits(block, "rowsparse_design")) response$level_mean <- level_means(Y, block)$mean
  rest <- apply(abs(response$Y), 2, max)
  lost <- which(rest <= 8 * .Machine$double.eps * apply(abs(Y), 2, max))
  refuse_if(length(lost) > 0L, "constant", "y",
    "must vary within the levels of `block`, or beside its variables",
    paste("a response or class that does not in", column_label(response$names, lost[1]))
  )
  spectrum <- svd(response$Y / max(abs(response$Y)), 0, 0)$d
  response$rank <- sum(spectrum > 1e-7 * spectrum[1])
  response
}

# what a fit keeps of its response
kept_response <- function(response) {
  response[intersect(c("y", "weights", "type", "levels", "names", "mean", "range", "text",
    "level_mean", "root", "family"
  ), names(response))]
}

# numbers in the units of the caller; refused where they leave the range
in_range <- function(value, factors, what) {
  out <- Reduce(`*`, factors, value)
  refuse_if(any(!is.finite(out)) || any(out == 0 & value != 0), "range", "y", sprintf(
    "and `x` must be in units in which %s can be represented; divide them by a power of ten", what
  ))
  out
}

# coefficients in the units of the caller, where those of the unweighted columns can be
# represented as well
coefficients_in_range <- function(W, factors, data) {
  W <- in_range(W, factors, "the coefficients")
  if (!is.null(data$weight)) in_range(W, list(data$weight), "the coefficients")
  W
}

# sums of squares in the unit of the response: Inf or 0 where they leave the range
squares_in_units <- function(value, unit) value * unit * unit

warn_squares <- function(total, unit) {
  square <- squares_in_units(total, unit)
  if (!is.finite(square) || square < .Machine$double.xmin) {
    warn_rowsparse("range", paste(
      "sums of squares of the response cannot be represented: objectives are Inf or 0.",
      "Divide `y` by a power of ten; everything else is right."
    ))
  }
}

# Data and centred response of methods, in units of theirs, and `given` the data in those of the
# caller
problem_in_units <- function(given, x, y) {
  data <- in_binary_units(given)
  list(data = data, given = given, response = prepare_response(data, x, y))
}

# the d x c matrix of the caller, in the units of the problem
given_loadings <- function(start, problem) {
  start <- given_matrix(start, problem$data, ncol(problem$response$Y))
  start / problem$response$unit * problem$data$unit
}
