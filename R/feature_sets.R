# Feature sets: what a fit, or a plain vector of indices or names, selects.

# Columns of a data set with d features that `object` names, best first: of a fit those that
# hold its features `index`, or all of them. A fit is matched by name if both sides have names, and
# must else be one to as many features.
feature_columns <- function(object, argument, d, feature_names, index = NULL) {
  is_fit <- inherits(object, "rowsparse")
  if (is_fit && !is.null(object$feature_names) && !is.null(feature_names)) {
    features <- object$feature_names[or_default(index, object$ranking)]
  } else if (is_fit && object$d != d) {
    stop_rowsparse("size", argument,
      sprintf("must be a fit to the %s of `x`, or both must have names", count_of(d, "feature")),
      sprintf("a fit to %s", count_of(object$d, "feature"))
    )
  } else {
    features <- if (is_fit) or_default(index, object$ranking) else object
    features <- check_feature_vector(features, argument)
  }
  by_name <- is.character(features)
  columns <- if (by_name) match(features, feature_names) else features
  lost <- is.na(columns) | columns > d
  if (any(lost)) {
    first <- features[lost][1]
    stop_rowsparse("names", argument, sprintf("must select among the %d columns of `x`", d),
      paste(first, "(first of", sum(lost), "not found)"),
      if (by_name) did_you_mean(first, feature_names)
    )
  }
  columns
}

# names, or columns from 1 on?
names_features <- function(object) {
  if (is.character(object)) {
    length(object) > 0L && !anyNA(object)
  } else {
    is_whole(object) && all(object >= 1 & object <= .Machine$integer.max)
  }
}

check_feature_vector <- function(object, argument) {
  if (is.factor(object)) object <- as.character(object)
  if (!names_features(object)) {
    stop_rowsparse("type", argument,
      "must be a fit, or a vector of column indices or feature names", describe(object)
    )
  }
  twice <- anyDuplicated(object)
  if (twice > 0) {
    stop_rowsparse("names", argument, "must not repeat a feature", paste(object[twice], "twice"))
  }
  if (is.character(object)) object else as.integer(object)
}
