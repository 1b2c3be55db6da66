# Feature sets: what a fit, or a plain vector of indices or names, selects.

# Features in the order of `object`, best first: names when `by_name`, else
# column indices. A fit gives its selection, or with `all` its whole ranking.
feature_order <- function(object, argument, by_name = FALSE, all = TRUE) {
  if (inherits(object, "rowsparse")) {
    order <- if (all) object$ranking else selected_index(object, NULL)
    if (by_name && is.null(object$feature_names)) {
      stop_rowsparse("names", argument, "must have feature names to be compared with names",
                     "a fit to data without column names")
    }
    return(if (by_name) object$feature_names[order] else order)
  }
  if (by_name && !is.character(object)) {
    stop_rowsparse("names", argument, "must hold feature names, as the other selection does",
                   describe(object))
  }
  check_feature_vector(object, argument)
}

# Columns of a data set with d features that `object` names, best first: of a fit those that
# hold its features `index`, or all of them. A fit is matched by name where both sides have
# names, and elsewhere must be one to as many features.
feature_columns <- function(object, argument, d, feature_names, index = NULL) {
  is_fit <- inherits(object, "rowsparse")
  by_name <- is.character(object) ||
    (is_fit && !is.null(object$feature_names) && !is.null(feature_names))
  features <- if (is.null(index)) {
    feature_order(object, argument, by_name)
  } else if (by_name) {
    object$feature_names[index]
  } else {
    index
  }
  if (is_fit && !by_name && object$d != d) {
    stop_rowsparse("size", argument,
      sprintf("must be a fit to the %s of `x`, or both must have names", count_of(d, "feature")),
      sprintf("a fit to %s", count_of(object$d, "feature"))
    )
  }
  columns <- if (by_name) match(features, feature_names) else features
  lost <- is.na(columns) | columns > d
  if (any(lost)) {
    stop_rowsparse("names", argument, sprintf("must select among the %d columns of `x`", d),
                   paste(features[lost][1], "(first of", sum(lost), "not found)"),
                   if (by_name) did_you_mean(features[lost][1], feature_names))
  }
  columns
}

check_feature_vector <- function(object, argument) {
  known <- if (is.character(object)) {
    length(object) > 0 && !anyNA(object)
  } else {
    is_whole(object) && all(object >= 1 & object <= .Machine$integer.max)
  }
  if (!known) {
    stop_rowsparse("type", argument,
                   "must be a fit, or a vector of column indices or feature names",
                   describe(object))
  }
  twice <- anyDuplicated(object)
  if (twice > 0) {
    stop_rowsparse("names", argument, "must not repeat a feature",
                   paste(object[twice], "twice"))
  }
  if (is.character(object)) object else as.integer(object)
}

