# Features by name or column: what a fit or a vector selects, what is locked, members of sets.

# Columns of a data set with d features that `object` holds, best first: of a fit those of its
# features `index`, or all of them. A fit is matched by name if both sides have names, and must else
# be one to as many features. `what`: what an error calls the names.
feature_columns <- function(object, argument, d, feature_names, index = NULL,
                            what = "names of features") {
  if (inherits(object, "rowsparse")) {
    by_name <- !is.null(object$feature_names) && !is.null(feature_names)
    refuse_if(!by_name && object$d != d, "size", argument,
      sprintf("must be a fit to the %s of `x`, or both must have names", count_of(d, "feature")),
      sprintf("a fit to %s", count_of(object$d, "feature"))
    )
    index <- or_default(index, object$ranking)
    object <- if (by_name) object$feature_names[index] else index
  }
  features <- check_feature_vector(object, argument)
  by_name <- is.character(features)
  columns <- if (by_name) match(features, feature_names) else features
  lost <- features[if (by_name) is.na(columns) else columns > d]
  rule <- sprintf("must hold names of features, or columns from 1 to %.0f", d)
  if (by_name) rule <- paste("must hold", what)
  if (by_name && is.null(feature_names)) rule <- "must hold columns, as the features have no names"
  told <- sprintf("%s (%d of %d not found)",
    first_few(vapply(lost, describe, ""), 20L, paste("and", length(lost) - 20L, "more")),
    length(lost), length(features)
  )
  # what leaving_out() goes on without; of a panel some must be left
  free <- by_name && !is.null(feature_names) && (argument %in% c("include", "exclude", "sets") ||
    (grepl("^near$|^panels[$]", argument) && length(lost) < length(features)))
  withRestarts(
    refuse_if(length(lost) > 0L, c("names", if (free) "lost"), argument, rule, told,
      if (by_name) way_out_of_name(lost[1], argument, feature_names, length(features))
    ),
    leave_out = function() say_rowsparse("missing", sprintf("`%s`: %s: left out.", argument, told))
  )
  columns[!features %in% lost]
}

# The value of `expr`; if `missing` is "ignore", names that the data lack are left out
leaving_out <- function(expr, missing) {
  ignore <- check_choice(missing, "missing", c("error", "ignore")) == "ignore"
  withCallingHandlers(expr, rowsparse_error_lost = function(e) {
    if (ignore) tryInvokeRestart("leave_out")
  })
}

# rules without the names that were left out
known_rules <- function(rules, names) {
  own <- c("sets", "near")
  replace(rules, own, rapply(rules[own], intersect, "character", how = "replace", y = names))
}

way_out_of_name <- function(name, argument, known, count) {
  if (!is_pattern(name)) {
    did_you_mean(name, known)
  } else if (argument == "exclude" && count == 1L) {
    "As a pattern it fits no feature"
  } else {
    sprintf("%s = grep(%s, names, value = TRUE) takes what a pattern fits", argument, quoted(name))
  }
}

check_feature_vector <- function(object, argument) {
  if (is.factor(object)) object <- as.character(object)
  are_names <- is.character(object) && length(object) > 0L && !anyNA(object)
  are_columns <- is_whole(object) && all(object >= 1 & object <= largest_count)
  refuse_if(!are_names && !are_columns,
    "type", argument, "must hold names of features, or columns from 1 on", describe(object))
  twice <- anyDuplicated(object)
  refuse_if(twice > 0,
    "names", argument, "must not repeat a feature", paste(object[twice], "twice"))
  if (is.character(object)) object else as.integer(object)
}
