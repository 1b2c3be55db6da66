# Classed conditions and argument checks. Every check names the argument, the
# rule, and what it got.

stop_rowsparse <- function(subclass, argument, rule, got = NULL) {
  message <- paste0("`", argument, "` ", rule, if (!is.null(got)) paste0("; got ", got), ".")
  stop(structure(
    class = c(paste0("rowsparse_error_", subclass), "rowsparse_error", "error", "condition"),
    list(message = message, call = NULL, argument = argument)
  ))
}

warn_rowsparse <- function(subclass, message) {
  warning(structure(
    class = c(
      paste0("rowsparse_warning_", subclass), "rowsparse_warning", "warning", "condition"
    ),
    list(message = message, call = NULL)
  ))
}

# what a value looks like, in a few words
describe <- function(value) {
  if (is.null(value)) {
    "NULL"
  } else if (is.atomic(value) && length(value) == 1L) {
    if (is.character(value)) paste0("\"", value, "\"") else format(value, digits = 6)
  } else {
    size <- if (is.null(dim(value))) length(value) else paste(dim(value), collapse = " x ")
    paste0("an object of class ", class(value)[1], " and size ", size)
  }
}

is_number <- function(value) {
  is.numeric(value) && length(value) == 1L && is.finite(value)
}

check_number <- function(value, argument, lower = -Inf, upper = Inf, open_lower = FALSE) {
  inside <- is_number(value) && value <= upper &&
    (if (open_lower) value > lower else value >= lower)
  if (!inside) {
    rule <- range_rule("a number", lower, upper, open_lower)
    stop_rowsparse("range", argument, rule, describe(value))
  }
  as.double(value)
}

range_rule <- function(what, lower, upper, open_lower = FALSE) {
  if (is.finite(lower) && is.finite(upper)) {
    paste0("must be ", what, if (open_lower) " above " else " from ", lower, " to ", upper)
  } else if (is.finite(lower)) {
    paste0("must be ", what, if (open_lower) " above " else " of at least ", lower)
  } else {
    paste0("must be ", what)
  }
}

check_count <- function(value, argument, lower = 1L, upper = Inf) {
  if (!is_number(value) || value != round(value) || value < lower || value > upper) {
    stop_rowsparse("range", argument, range_rule("a whole number", lower, upper), describe(value))
  }
  as.integer(value)
}

# vectors of numbers and of whole numbers, each within the bounds
check_numbers <- function(value, argument, lower = -Inf, upper = Inf) {
  inside <- is.numeric(value) && length(value) > 0 && all(is.finite(value)) &&
    all(value >= lower & value <= upper)
  if (!inside) {
    stop_rowsparse("range", argument, range_rule("numbers", lower, upper), describe(value))
  }
  as.double(value)
}

is_whole <- function(value) {
  is.numeric(value) && length(value) > 0 && all(is.finite(value)) && all(value == round(value))
}

check_counts <- function(value, argument, lower = 1L, upper = Inf) {
  if (!is_whole(value) || any(value < lower | value > upper)) {
    stop_rowsparse("range", argument, range_rule("whole numbers", lower, upper), describe(value))
  }
  as.integer(value)
}

check_flag <- function(value, argument) {
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    stop_rowsparse("type", argument, "must be TRUE or FALSE", describe(value))
  }
  value
}

# match.arg() with a classed error; the whole vector of choices means the first
check_choice <- function(value, argument, choices) {
  if (identical(value, choices)) {
    return(choices[1])
  }
  at <- if (is.character(value) && length(value) == 1L) pmatch(value, choices) else NA
  if (is.na(at)) {
    rule <- paste0("must be one of ", paste0("\"", choices, "\"", collapse = ", "))
    stop_rowsparse("choice", argument, rule, describe(value))
  }
  choices[at]
}

# one label (of any atomic kind) per sample
check_labels <- function(value, argument, n = length(value)) {
  if (!is.atomic(value) || !is.null(dim(value)) || length(value) == 0L) {
    stop_rowsparse("type", argument, "must be a vector of labels", describe(value))
  }
  check_response_length(length(value), n, argument)
  if (anyNA(value)) {
    stop_rowsparse("nonfinite", argument, "must not hold NA",
      sprintf("%d of them, the first at %d", sum(is.na(value)), which(is.na(value))[1])
    )
  }
  value
}

check_installed <- function(package, purpose) {
  if (!requireNamespace(package, quietly = TRUE)) {
    stop_rowsparse("package", package, paste("must be installed", purpose))
  }
}

# stop before a request that cannot fit: `bytes` needed, `way_out` a sentence
check_memory <- function(bytes, argument, way_out) {
  available <- memory_bytes()
  if (is.finite(available) && bytes > available) {
    rule <- sprintf("asks for %.1f GB of memory where the machine has %.1f GB; %s",
      bytes / 1e9, available / 1e9, way_out
    )
    stop_rowsparse("memory", argument, rule)
  }
  invisible(bytes)
}

# physical memory in bytes; Inf where it cannot be told
memory_bytes <- function() {
  option <- getOption("rowsparse.memory")
  if (is_number(option)) {
    return(option)
  }
  info <- "/proc/meminfo"
  if (!file.exists(info)) {
    return(Inf)
  }
  line <- grep("^MemTotal:", readLines(info, n = 5L), value = TRUE)
  kilobytes <- suppressWarnings(as.numeric(gsub("[^0-9]", "", line)))
  if (length(kilobytes) == 1L && is.finite(kilobytes)) 1024 * kilobytes else Inf
}
