# alternatives() for fits of groups of columns: the problem whose features are the groups. The
# fits without a group, the values of sets and the tables are those of single features; no engine
# proves roles of groups.

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

# value of a set of groups: that of their columns
value_of_groups <- function(problem, set) {
  plain <- problem$by_columns
  columns <- which(problem$groups$of %in% outer_index(set, problem$data))
  columns <- inner_index(columns, plain$data)
  set_value(plain, columns[!plain$data$constant[columns]])
}

# what a fit is told of these features of the whole, or groups
as_locks <- function(features, problem) {
  if (is.null(problem$groups)) features else problem$groups$label[features]
}

# the frequency of a group is that of its columns
by_request <- function(values, groups) {
  if (is.null(groups)) values else values[match(seq_along(groups$label), groups$of)]
}
