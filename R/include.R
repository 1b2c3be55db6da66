# Features that are locked in or out. as_data() drops the excluded ones, so that no method sees
# them, and remembers in data$view the whole it came from, also if it put the features in another
# order (see ties.R): d and names of all features; `kept`, the columns that are left, in their order
# here; `excluded`, the others. data$locked holds the columns, among those left, that are selected
# in any case (`include`). new_fit() puts everything back: a fit has indices and names of the whole.

# ---- the request -----------------------------------------------------------------

# `data`: as read_input() gives it, or prepared
lock_features <- function(data, include, exclude) {
  whole <- view_of(data)
  whole$groups <- data$groups
  include <- locked_columns(include, "include", whole)
  exclude <- locked_columns(exclude, "exclude", whole)
  both <- intersect(include, exclude)
  refuse_if(length(both) > 0, "argument", "include",
    "must not hold features that are in `exclude` as well", column_label(data$names, both[1]))
  refuse_if(length(exclude) >= whole$d,
    "range", "exclude", "must leave features to be selected", "all of them")
  if (length(exclude) > 0) {
    data <- reorder_features(data, which(!outer_index(seq_len(data$d), data) %in% exclude))
    data$view$excluded <- sort(exclude)
  }
  include <- inner_index(include, data)
  if (length(include) > 0) {
    data$locked <- include
    if (!is.null(data$operator)) data$operator$locked <- include
  }
  data
}

# Names, column numbers or a logical per feature, as distinct columns
locked_columns <- function(features, argument, data) {
  if (length(features) == 0L) {
    return(integer())
  }
  if (!is.null(data$groups)) {
    at <- feature_columns(as.character(unique(features)), argument, 0L, data$groups$label,
      what = "labels of groups"
    )
    return(which(data$groups$of %in% at))
  }
  if (is.logical(features)) {
    refuse_if(length(features) != data$d || anyNA(features), "length", argument,
      sprintf("must have one TRUE or FALSE per feature (%.0f)", data$d), describe(features))
    return(unname(which(features)))
  }
  found <- columns_of_pattern(features, argument, data$names)
  if (length(found) > 0L) found else feature_columns(unique(features), argument, data$d, data$names)
}

# The features that a string in `exclude`, no name, fits as a pattern, which is told once a session
columns_of_pattern <- function(features, argument, known) {
  if (argument != "exclude" || !is_text(features) || features %in% known || !is_pattern(features)) {
    return(integer())
  }
  columns <- columns_fitting(features, known)
  if (length(columns) > 0L) {
    say_once("pattern", sprintf("`exclude` = %s fits %s: %s. Left out.", quoted(features),
      count_of(length(columns), "feature"), first_few(known[columns])
    ))
  }
  columns
}

# parts of the samples would say it again
say_once <- function(class, text) {
  always <- identical(getOption("rowsparse.warn_constant"), "always")
  if (always || !text %in% already_said$said) say_rowsparse(class, text)
  already_said$said <- union(already_said$said, text)
}

# a regular expression, which fits names and is none
is_pattern <- function(name) grepl("^\\^|\\$$|[][*|\\\\]|[.][+*?]", name, useBytes = TRUE)

# the same, in the order of `columns`; the fit gives them as they were
reorder_features <- function(data, columns) {
  whole <- view_of(data)
  whole$kept <- whole$kept[columns]
  if (!is.null(data$locked)) data$locked <- match(data$locked, columns)
  data <- keep_features(data, columns)
  data$view <- whole
  data
}

# data with some of their features only, without what was computed from all of them
keep_features <- function(data, columns) {
  if (is_sketch(data)) {
    data$factor <- data$factor[, columns, drop = FALSE]
  } else if (data$kind == "moments") {
    data$S <- data$S[columns, columns, drop = FALSE]
  } else if (data$kind == "blocks") {
    read <- data[["read"]]
    data$read <- function(number) read(number)[, columns, drop = FALSE]
  } else {
    part <- keep_columns(data, columns)
    for (name in intersect(c("i", "p", "x", "given"), names(data))) data[[name]] <- part[[name]]
  }
  for (name in intersect(c("mean", "fine"), names(data$block))) {
    data$block[[name]] <- data$block[[name]][, columns, drop = FALSE]
  }
  by_feature <- c("names", "mean", "fine", "square", "deviation", "largest", "constant", "weight")
  own <- intersect(by_feature, names(data))
  data[own] <- lapply(data[own], `[`, columns)
  data$d <- length(columns)
  data$operator <- NULL
  if (!is.null(data$kept)) data$kept <- .Call(C_keeper)
  data
}

# the size must hold what is included, and be served by what is left
check_locked_size <- function(k, data) {
  noun <- if (is_grouped(data)) "group" else "feature"
  locked <- unit_count(data, data$locked)
  refuse_if(is_number(k) && locked > 0L && k < locked,
    "range", "k", sprintf("must count the %s in `include`", count_of(locked, noun)), describe(k))
  left <- unit_count(data)
  all <- if (is_grouped(data)) length(data$groups$label) else view_of(data)$d
  refuse_if(is_number(k) && k > left && k <= all, "range", "k",
    sprintf("must be at most %d, the number of %ss that `exclude` leaves", left, noun), describe(k))
}

warn_constant_include <- function(data) {
  constant <- data$locked[data$constant[data$locked]]
  if (length(constant) > 0) warn_rowsparse("include", sprintf(
    "%s of those in `include` %s constant (first: %s): selected all the same.", length(constant),
    if (length(constant) > 1L) "are" else "is", data_column_label(data, constant[1])
  ))
}

# ---- the way back ----------------------------------------------------------------

# Which features of the whole these data hold, and in which order. What a method is given and what
# it gives goes through one of the four functions below.
view_of <- function(data) {
  or_default(data$view, list(d = data$d, names = data$names, kept = seq_len(data$d)))
}

# columns of what is left as those of the whole, and the other way round (NA for the excluded ones)
outer_index <- function(index, data) if (!is.null(index)) view_of(data)$kept[index]

inner_index <- function(index, data) if (!is.null(index)) match(index, view_of(data)$kept)

# a vector, or the rows of a matrix, of what is left as that of the whole, named
per_feature <- function(value, data, fill = 0, names = view_of(data)$names) {
  view <- view_of(data)
  if (is.matrix(value)) {
    out <- matrix(fill, view$d, ncol(value), dimnames = list(names, colnames(value)))
    out[view$kept, ] <- value
    out
  } else if (!is.null(value)) {
    stats::setNames(replace(rep(fill, view$d), view$kept, value), names)
  }
}

# rows of a matrix of the whole, as a caller or a fit gives it, for what is left
inner_rows <- function(value, data) {
  view <- view_of(data)
  if (is.matrix(value) && nrow(value) == view$d) value[view$kept, , drop = FALSE] else value
}

# a set to start from, or to ask about, holds none that are excluded, and all that are included
check_start_set <- function(set, data, argument = "start") {
  refuse_if(anyNA(set), "names", argument, "must not hold features that are in `exclude`")
  refuse_if(!all(data$locked %in% set),
    "names", argument, "must hold all features that are in `include`")
}

# ---- the ranking -----------------------------------------------------------------

# the included ones first, in the order that they have among themselves
include_first <- function(ranking, data) {
  inside <- ranking %in% data$locked
  c(ranking[inside], ranking[!inside])
}

# Put the included features first and keep the size of the set: those that the method did not
# choose take the places of its last ones.
include_in_set <- function(selected, scores, data) {
  lost <- setdiff(data$locked, selected)
  lost <- lost[order(-scores[lost])]
  if (!is.null(selected)) utils::head(include_first(c(lost, selected), data), length(selected))
}

# included features have the largest score of the others at least
raise_included <- function(scores, data) {
  locked <- data$locked
  if (length(locked) > 0 && length(locked) < length(scores)) {
    scores[locked] <- pmax(scores[locked], max(scores[-locked]))
  }
  scores
}

# how many of the features, or groups, of a fit may be selected
selectable <- function(fit) {
  view <- unit_view(fit)
  view$d - length(view$excluded)
}

# "20 features locked in, 13 excluded", NULL without any
locked_words <- function(fit) {
  noun <- unit_noun(fit)
  fit <- unit_view(fit)
  into <- length(fit$included)
  out <- length(fit$excluded)
  parts <- c(
    if (into > 0) paste(count_of(into, noun), "locked in"),
    if (out > 0) paste(if (into > 0) out else count_of(out, noun), "excluded")
  )
  if (length(parts) > 0) toString(parts)
}
