# alternatives() for fits of groups of columns: the problem whose features are the groups. The
# fits without a group, the values of sets and the tables are those of single features. No engine
# proves roles of groups, so that they are proved where all sets can be enumerated.

# the groups of a fit, where some have several columns
groups_of_request <- function(selected) {
  groups <- fit_inside(selected)[["groups"]]
  if (anyDuplicated(groups$of) > 0L) groups[c("label", "of")]
}

# groups come with a fit
check_no_new_groups <- function(given, groups) {
  if (!is.null(given[["groups"]])) {
    stop_rowsparse("argument", "groups", "must be left out: a fit of groups tells them",
      describe(given[["groups"]]), if (is.null(groups)) "Pass such a fit as `selected`"
    )
  }
}

# `problem`: that of the columns, whose values of sets are asked for
as_group_problem <- function(problem, groups) {
  view <- view_of(problem$data)
  of_columns <- function(columns) unique(groups$of[columns])
  excluded <- of_columns(view$excluded)
  kept <- setdiff(seq_along(groups$label), excluded)
  out <- problem
  out$data <- list(
    kind = "groups", n = problem$data$n, d = length(kept),
    locked = match(of_columns(outer_index(problem$data$locked, problem$data)), kept),
    view = list(
      d = length(groups$label), names = groups$label, kept = kept, excluded = excluded
    )
  )
  out$by_columns <- problem
  out$groups <- groups
  out$columns <- of_columns(problem$columns)
  out$set <- match(out$columns, kept)
  out$k <- length(out$set)
  out
}

# inner features of a problem, of columns of x
inner_units <- function(columns, problem) {
  if (!is.null(problem$groups)) columns <- unique(problem$groups$of[columns])
  inner_index(columns, problem$data)
}

# Value of a set of groups: that of their columns. NA for regressions on cross-products alone, where
# rounding may hide what columns explain that nearly depend on others
value_of_groups <- function(problem, set) {
  plain <- problem$by_columns
  if (plain$method %in% c("cdlsr", "css") && !plain$data$kind %in% c("dense", "sparse")) {
    return(NA_real_)
  }
  columns <- which(problem$groups$of %in% outer_index(set, problem$data))
  columns <- inner_index(columns, plain$data)
  set_value(plain, columns[!plain$data$constant[columns]])
}

# inner features, or groups, that sets may hold
usable_units <- function(problem) {
  if (!is.null(problem$groups)) {
    data <- problem$by_columns$data
    constant <- tapply(data$constant, problem$groups$of[view_of(data)$kept], all)
    return(which(!constant[as.character(view_of(problem$data)$kept)]))
  }
  if (is.null(problem$measure)) which(!problem$data$constant) else which(problem$measure$usable)
}

# what a fit is told of these features of the whole, or groups
as_locks <- function(features, problem) {
  if (is.null(problem$groups)) features else problem$groups$label[features]
}

# the frequency of a group is that of its columns
by_request <- function(values, groups) {
  if (is.null(groups)) values else values[match(seq_along(groups$label), groups$of)]
}
