# `way_out`: what to do, without a full stop; `parent`: the condition that led to this one
stop_rowsparse <- function(subclass, argument, rule, got = NULL, way_out = NULL, parent = NULL) {
  message <- paste0(
    "`", argument, "` ", rule, if (!is.null(got)) paste0("; got ", got), ".",
    if (!is.null(way_out)) paste0(" ", way_out, if (!endsWith(way_out, "?")) ".")
  )
  stop(new_condition("error", subclass, message, argument = argument, way_out = way_out,
    parent = parent
  ))
}

# the same if `wrong` is TRUE; what it would say is not computed otherwise
refuse_if <- function(wrong, ...) if (wrong) stop_rowsparse(...)

warn_rowsparse <- function(subclass, message) warning(new_condition("warning", subclass, message))

# a message that can be caught by its class; `message`: sentences
say_rowsparse <- function(subclass, message) {
  message(new_condition("message", subclass, paste0(paste(message, collapse = " "), "\n")))
}

new_condition <- function(kind, subclass, message, ...) {
  name <- paste0("rowsparse_", kind)
  structure(
    class = c(paste0(name, "_", subclass), name, kind, "condition"),
    list(message = message, call = NULL, ...)
  )
}

# what a value looks like, in a few words
describe <- function(value) {
  if (is.null(value)) {
    "NULL"
  } else if (inherits(value, "formula")) {
    "a formula"
  } else if (is.function(value)) {
    "a function"
  } else if (is.atomic(value) && length(value) == 1L && is.null(dim(value))) {
    shown <- if (is.character(value)) quoted(value) else shorten(format(value, digits = 6))
    if (is.object(value)) paste(shown, "of class", class(value)[1]) else shown
  } else {
    paste(kind_of(value), size_of(value))
  }
}

# a string as in the source, long ones cut
quoted <- function(text) if (is.na(text)) "NA" else paste0("\"", shorten(encodeString(text)), "\"")

shorten <- function(text, width = 40L) {
  text <- in_valid_bytes(text)
  cut <- strtrim(text, width)
  if (is.na(text) || cut == text) text else paste0(cut, "...")
}

# bytes that are no characters here as <ff>: names from files in another encoding
in_valid_bytes <- function(text) {
  strange <- !validEnc(text)
  text[strange] <- iconv(text[strange], sub = "byte")
  text
}

kind_of <- function(value) {
  if (is.data.frame(value)) {
    "a data frame"
  } else if (is.object(value) && !inherits(value, "AsIs")) {
    paste("an object of class", shorten(class(value)[1]))
  } else if (is.list(value)) {
    "a list"
  } else if (is.atomic(value)) {
    type <- switch(typeof(value), integer = "an integer", double = "a numeric",
      paste("a", typeof(value))
    )
    paste(type, if (is.null(dim(value))) "vector" else "matrix")
  } else {
    paste("an object of type", typeof(value))
  }
}

# an object with broken slots may have none
size_of <- function(value) {
  tryCatch({
    what <- if (is.null(dim(value))) "of length" else "of size"
    paste(what, paste(or_default(dim(value), length(value)), collapse = " x "))
  }, error = function(e) "of unknown size")
}

# "column 3", or another word for `what` it is, with its name where there is one
column_label <- function(names, column, what = "column") {
  name <- if (is.null(names)) "" else names[column]
  label <- sprintf("%s %.0f", what, column)
  if (is.na(name) || !nzchar(name)) label else sprintf("%s (%s)", label, quoted(name))
}

# the same of a column of data, as the caller counts it
data_column_label <- function(data, column) {
  column_label(view_of(data)$names, outer_index(column, data))
}

is_number <- function(value) is_plain_numeric(value) && length(value) == 1L && is.finite(value)

# Nothing may be left in the dots of an S3 method, where it would change nothing and say nothing.
# `generic` is the function the user called, `takes` what it takes beside the object.
check_no_more <- function(generic, takes, ...) {
  name <- or_default(names(list(...))[1], "")
  refuse_if(...length() > 0L, "argument", if (nzchar(name)) name else "...", sprintf(
    "is not an argument of %s() for this object, which takes %s", generic,
    if (length(takes) > 0) toString(takes) else "no further ones"
  ), way_out = foreign_way_out(name, takes))
}

# 64-bit integers are stored as if they were doubles, and are not
is_plain_numeric <- function(value) is.numeric(value) && !inherits(value, "integer64")

# vectors of numbers, each of at least `lower`
check_numbers <- function(value, argument, lower = -Inf) {
  check_number(value, argument, lower, one = FALSE)
}

# whole numbers are kept as integers
largest_count <- .Machine$integer.max

check_count <- function(value, argument, lower = 1L, upper = largest_count) {
  check_number(value, argument, lower, min(upper, largest_count), whole = TRUE)
}

check_counts <- function(value, argument, lower = 1L, upper = largest_count) {
  check_number(value, argument, lower, min(upper, largest_count), one = FALSE, whole = TRUE)
}

# a number of things to show; Inf for all of them
check_shown <- function(n, argument = "n", lower = 1L) {
  if (identical(n, Inf)) largest_count else check_count(n, argument, lower)
}

check_number <- function(value, argument, lower = -Inf, upper = Inf, open_lower = FALSE, one = TRUE,
                         whole = FALSE) {
  inside <- is_plain_numeric(value) && (if (one) length(value) == 1L else length(value) > 0L) &&
    all(is.finite(value)) && all(value <= upper) &&
    all(if (open_lower) value > lower else value >= lower) && (!whole || is_whole(value))
  if (!inside) {
    what <- paste0(if (one) "a ", if (whole) "whole ", "number", if (!one) "s")
    several <- one && argument == "lambda" && is.numeric(value) && length(value) > 1L
    stop_rowsparse("range", argument, range_rule(what, lower, upper, open_lower), describe(value),
      if (several) "rowsparse_path(lambda = ) fits several penalties")
  }
  if (whole) as.integer(value) else as.double(value)
}

range_rule <- function(what, lower, upper, open_lower) {
  bound <- function(value) {
    if (value == round(value) && abs(value) < 1e10) sprintf("%.0f", value) else format(value)
  }
  limited <- is.finite(upper)
  from <- if (open_lower) " above " else if (limited) " from " else " of at least "
  paste0("must be ", what, if (is.finite(lower)) paste0(from, bound(lower)),
    if (is.finite(lower) && limited) paste0(" to ", bound(upper))
  )
}

check_finite_numbers <- function(value, argument) {
  refuse_if(!is.numeric(value), "type", argument, "must be numeric", describe(value))
  bad <- sum(!is.finite(value))
  refuse_if(bad > 0,
    "nonfinite", argument, "must not hold NA, NaN or infinite values", paste(bad, "of them"))
  value + 0
}

is_whole <- function(value) {
  is_plain_numeric(value) && length(value) > 0 && all(is.finite(value)) &&
    all(value == round(value))
}

check_flag <- function(value, argument) {
  refuse_if(!isTRUE(value) && !isFALSE(value),
    "type", argument, "must be TRUE or FALSE", describe(value))
  value
}

# match.arg() with a classed error; the whole vector of choices means the first
check_choice <- function(value, argument, choices) {
  if (identical(value, choices)) value <- choices[1]
  at <- if (is.character(value) && length(value) == 1L) pmatch(value, choices) else NA
  if (is.na(at)) {
    meant <- or_default(if (is_text(value)) foreign_values[[value]], value)
    near <- closest_name(meant, choices)
    rule <- paste0("must be one of ", paste0("\"", union(near, choices), "\"", collapse = ", "))
    stop_rowsparse("choice", argument, rule, describe(value), did_you_mean(meant, choices))
  }
  choices[at]
}

# what an error says of a name that is not among those `known`, where one of these is like it
did_you_mean <- function(name, known) {
  near <- closest_name(name, known)
  if (!is.null(near)) sprintf("Did you mean %s?", quoted(near))
}

# the name with the fewest letters to change, where these are less than half
closest_name <- function(name, known) {
  known <- as.character(known)
  known <- known[validEnc(known)]
  if (length(known) == 0L || !is_text(name) || !validEnc(name) || !nzchar(name)) {
    return(NULL)
  }
  distance <- utils::adist(name, known, ignore.case = TRUE)
  at <- which.min(distance)
  if (distance[at] <= nchar(name) / 2) known[at]
}

# Arguments come as x, y, k, method. What stands in the place of another is told before any work.
check_places <- function(k, method, argument = "method") {
  near <- if (is_text(k)) closest_name(k, names(method_table()))
  refuse_if(is.character(k), "range", "k", "must be whole numbers", describe(k),
    if (!is.null(near)) sprintf("Did you mean `%s = %s`?", argument, quoted(near)))
  refuse_if(is_number(method), "choice", argument, "must be the name of a method", describe(method),
    sprintf("Did you mean `k = %s`? (`m = ` needs `method = ` by its name beside it)",
      describe(method)
    )
  )
}

# one label (of any atomic kind) per sample
check_labels <- function(value, argument, n = length(value)) {
  refuse_if(!is.atomic(value) || !is.null(dim(value)) || length(value) == 0L,
    "type", argument, "must be a vector of labels", describe(value))
  check_response_length(value, n, argument)
  check_known_labels(value, argument)
  value
}

check_installed <- function(package, purpose) {
  refuse_if(!requireNamespace(package, quietly = TRUE),
    "package", package, paste("must be installed", purpose))
}

# Called from C where a computation has no result: `kind` is "numerical",
# "memory", "ties" or "internal", `where` the part of the computation, `what` went wrong.
stop_core <- function(kind, where, what) {
  way_out <- switch(kind,
    numerical = paste(
      "Rescale the data or the response (divide by the largest magnitude, or use scale = TRUE),",
      "or change the penalties"
    ),
    memory = paste(
      "Fewer features (see rowsparse_methods() for cheap rankings), a sparse matrix,",
      "or a smaller m, k or number of starts need less"
    ),
    ties = "Leave out copies of samples, or break the ties by a feature that varies more",
    internal = paste(
      "Objects that were changed by hand can cause this; otherwise it is an error of rowsparse"
    )
  )
  stop(new_condition("error", kind, paste0(where, ": ", what, ". ", way_out, "."), argument = NULL))
}

is_text <- function(value) is.character(value) && length(value) == 1L && !is.na(value)
