#' Groups of features
#'
#' With `groups` a method selects whole groups, such as the dummy columns of a factor, the probes
#' of a gene, the lags of a series or the members of a pathway. `k` then counts groups.
#'
#' @section How groups are given:
#' `groups` holds one label for each column of x (a factor, strings or numbers), or is a list of
#' columns by name or number, one element for each group, whose names are the labels. A column in
#' no element of the list is a group of its own, labelled by its name. Each column belongs to one
#' group: an overlap is an error that names the column.
#'
#' `k`, paths and cross-validation then count groups, and `include` and `exclude` hold labels of
#' groups. In the fit `selected`, `scores`, `ranking` and all elements by feature still refer to
#' columns; the columns of a group are adjacent in the ranking and have the same score. The element
#' `groups` has the results by group. [selected()] gives the columns, `selected(fit, groups = TRUE)`
#' the groups. With groups of one column each the result is that without groups.
#'
#' @section The problems:
#' With \eqn{x_g} the columns of group g, and J a set of k groups with all their columns:
#' * [cdlsr()] and [css()] maximise the share that regression on the columns of J explains, of the
#'   response and of the data or their components.
#' * [fspca()] maximises the sum of the m leading eigenvalues of S on these columns, [alignment()]
#'   the alignment of their kernel, and [variance()] the sum of their variances.
#' * [ftest()] scores each group by the p-value of an F-test: for one response of the regression
#'   on its columns, for several responses or classes of Wilks' lambda.
#' * Penalised methods use the norm of all rows of a group, \eqn{\|W_g\|_F}{||W_g||}, in place of
#'   the norm of a row. The column `groups` of [rowsparse_methods()] lists the methods that take
#'   groups; others refuse them by an error of class `rowsparse_error_groups`.
#'
#' Larger groups explain more: their size is not penalised. Use groups of similar size, or
#' [ftest()], whose p-values take the size into account.
#'
#' @section Solvers:
#' Forward selection adds the group with the largest gain. Exchanges of single groups follow until
#' none helps, at every size up to k, and at size k restarts with some groups replaced; the result
#' is never worse than forward selection. With `solver = "exact"` a branch and bound over groups
#' follows. For least squares the bounds come from the regression on all remaining groups and its
#' loss without each of them (leaps and bounds), which needs more samples than columns, or a ridge;
#' for several responses also from the largest eigenvalues of the residual responses. For [fspca()]
#' they come from the eigenvalues on all remaining columns, and from the sums of the leading
#' eigenvalues of single groups. `bound`, `gap` and `proof` are those of [cdlsr()].
#'
#' @return The element `groups` of a fit is a list of `label`, the labels; `of`, for every feature
#'   the number of its group; `ranking`, the numbers of the groups, best first; `scores`, one for
#'   each group, named; `selected`, the numbers of the selected groups in rank order, or `NULL`.
#'   Errors are of class `rowsparse_error_groups`.
#' @name groups
#' @examples
#' # dummies of a factor: all or none of them
#' x <- model.matrix(~ Species + Sepal.Length + Sepal.Width, iris)[, -1]
#' fit <- rowsparse(x, iris$Petal.Length, k = 1, method = "cdlsr",
#'   groups = c("Species", "Species", "Sepal.Length", "Sepal.Width")
#' )
#' selected(fit)
#' selected(fit, groups = TRUE)
#'
#' # the other columns are groups of their own
#' selected(css(iris[, 1:4], k = 1, groups = list(petal = 3:4)), groups = TRUE)
NULL

# Data carry their groups as data$groups, for all columns of the whole (see view_of()):
#   label   of each group; of: the number of the group of each column
# What a method needs of them it takes from inner_groups().

# ---- the request -----------------------------------------------------------------

# list(label, of) of d columns with these names
resolve_groups <- function(groups, d, names) {
  if (is.list(groups) && !is.data.frame(groups)) {
    return(groups_of_list(groups, d, names))
  }
  if (!is.atomic(groups) || is.null(groups) || length(groups) != d || !is.null(dim(groups))) {
    stop_groups(sprintf("must have one label per column (%d), or be a list of columns", d),
      describe(groups)
    )
  }
  label <- as.character(groups)
  if (anyNA(label) || !all(nzchar(label))) {
    at <- which(is.na(label) | !nzchar(label))[1]
    stop_groups("must have a label for every column",
      sprintf("%s for %s", if (is.na(label[at])) "NA" else "an empty one", column_label(names, at))
    )
  }
  known <- if (is.factor(groups)) intersect(levels(groups), label) else unique(label)
  list(label = known, of = match(label, known))
}

stop_groups <- function(rule, got = NULL, way_out = NULL) {
  stop_rowsparse("groups", "groups", rule, got, way_out)
}

groups_of_list <- function(groups, d, names) {
  label <- names(groups)
  if (is.null(label) || anyNA(label) || !all(nzchar(label)) || anyDuplicated(label)) {
    stop_groups("must have a different name for each element of the list: the label of the group",
      describe(groups)
    )
  }
  of <- integer(d)
  for (at in seq_along(groups)) {
    columns <- group_columns_given(groups[[at]], label[at], d, names)
    taken <- columns[of[columns] > 0L]
    if (length(taken) > 0L) {
      stop_groups("must not overlap", sprintf("%s in %s and in %s", column_label(names, taken[1]),
        quoted(label[of[taken[1]]]), quoted(label[at])
      ))
    }
    of[columns] <- at
  }
  single <- which(of == 0L)
  own <- if (is.null(names)) as.character(single) else names[single]
  clash <- own[own %in% label]
  if (length(clash) > 0L) {
    stop_groups("must not have the name of a column that is in no group", quoted(clash[1]))
  }
  of[single] <- length(groups) + seq_along(single)
  list(label = c(label, own), of = of)
}

group_columns_given <- function(columns, label, d, names) {
  if (is.factor(columns)) columns <- as.character(columns)
  if (is.character(columns) && length(columns) > 0L && !anyNA(columns)) {
    columns <- named_columns(columns, "groups", names)
  } else if (!is_whole(columns) || any(columns < 1 | columns > d)) {
    stop_groups(sprintf("must hold names of columns, or columns from 1 to %d", d),
      sprintf("%s in %s", describe(columns), quoted(label))
    )
  }
  if (anyDuplicated(columns)) {
    stop_groups("must not hold a column twice",
      sprintf("%s in %s", column_label(names, columns[anyDuplicated(columns)]), quoted(label))
    )
  }
  as.integer(columns)
}

# raw or prepared data with these groups
add_groups <- function(data, groups) {
  if (is.null(groups)) {
    return(data)
  }
  whole <- view_of(data)
  data$groups <- resolve_groups(groups, whole$d, whole$names)
  data
}

# columns of the groups of these labels
locked_groups <- function(labels, argument, groups) {
  if (!is.atomic(labels) || is.logical(labels) || anyNA(labels)) {
    stop_rowsparse("type", argument, "must hold labels of groups", describe(labels))
  }
  at <- match(unique(as.character(labels)), groups$label)
  if (anyNA(at)) {
    lost <- unique(as.character(labels))[is.na(at)]
    stop_rowsparse("names", argument, "must hold labels of groups",
      sprintf("%s (%d of %d not found)", quoted(lost[1]), length(lost), length(at)),
      did_you_mean(lost[1], groups$label)
    )
  }
  which(groups$of %in% at)
}

check_takes_groups <- function(entry, groups) {
  if (is.null(groups) || takes(entry, "groups")) {
    return(invisible())
  }
  table <- method_table()
  serve <- names(table)[vapply(table, takes, NA, argument = "groups")]
  made_from <- attr(groups, "table")
  if (!is.null(made_from)) {
    stop_rowsparse("groups", "x",
      sprintf("must have columns, or terms, that make one column each for %s()", entry$name),
      sprintf("several indicators of %s", quoted(made_from)), paste(
        "model.matrix() makes single columns of them; groups of columns are served by",
        paste(serve, collapse = ", ")
      )
    )
  }
  stop_groups(sprintf("is not served by %s(), which selects single features", entry$name), NULL,
    paste("Groups are served by", paste(serve, collapse = ", "))
  )
}

# ---- groups of the data that a method sees -----------------------------------------

# of the columns that are left, the number of the group of each; without groups their own
inner_of <- function(data) {
  if (is.null(data$groups)) seq_len(data$d) else data$groups$of[view_of(data)$kept]
}

# is there a group of several columns?
is_grouped <- function(data) !is.null(data$groups) && anyDuplicated(inner_of(data)) > 0L

# what k counts, and how many of them these columns have
unit_noun <- function(x) if (is.null(x$groups)) "feature" else "group"

unit_count <- function(data, columns = seq_len(data$d)) {
  if (is_grouped(data)) length(unique(inner_of(data)[columns])) else length(columns)
}

varying_units <- function(data) {
  unit_count(data, union(which(!data$constant), if (is_grouped(data)) data$locked))
}

# k groups, of those that vary
check_group_size <- function(k, data) {
  check_locked_size(k, data)
  check_count(k, "k", 1L, varying_units(data))
}

# As the core reads them: number (in data$groups), columns (a list), start and column;
# second, which decides where groups tie; barred: none of their columns is `usable`
inner_groups <- function(data, usable = !data$constant) {
  of <- inner_of(data)
  number <- sort(unique(of))
  at <- match(of, number)
  columns <- unname(split(seq_len(data$d), at))
  include <- sort(unique(at[data$locked]))
  barred <- as.vector(rowsum(usable + 0, at)) == 0
  barred[include] <- FALSE
  ruled_groups(list(
    number = number, columns = columns, start = c(0L, cumsum(lengths(columns))),
    column = unlist(columns), second = as.vector(rowsum(raw_square(data), at)), barred = barred,
    include = as.integer(include)
  ), data)
}

# sums of a value by feature over the groups; a value by group for every feature
by_group <- function(value, groups) as.vector(rowsum(value[groups$column], group_at(groups)))

spread_groups <- function(value, groups) {
  out <- numeric(length(groups$column))
  out[groups$column] <- value[group_at(groups)]
  out
}

group_at <- function(groups) rep(seq_along(groups$columns), lengths(groups$columns))

columns_of <- function(set, groups) as.integer(unlist(groups$columns[set]))

# ---- the search ------------------------------------------------------------------

# restarts in a row that lead to no better set
group_perturbations <- function(data) {
  if (is_ruled(data)) {
    return(ruled_perturbations(data))
  }
  size <- as.double(data$n) * data$d
  if (size <= 1e6) 10L else if (size <= 1e7) 3L else 1L
}

# Sets of k groups by forward selection and exchanges. `value`: what they are judged by, with what
# it needs in ...
search_groups <- function(data, groups, value, k, ..., response = NULL, exchange = TRUE,
                          sizes = FALSE, perturb = group_perturbations(data), tol = 1e-9,
                          maxit = 100L, time_limit = NULL) {
  settings <- list(
    value = value, k = k, exchange = exchange + 0L, sizes = sizes + 0L, perturb = perturb,
    tol = tol, maxit = maxit, exact = as.integer(!is.null(time_limit)),
    time_limit = or_default(time_limit, 0), ...
  )
  found <- .Call(C_groups, unclass(data), response, groups, settings)
  beside_near(found, data, groups, response, settings)
}

# ---- the result ------------------------------------------------------------------

# Values by group, of all features that are left: the ranking of the features, group after group;
# scores that never increase along it; and ties, of groups
rank_group_fit <- function(scores, ties, selected, data, undecided) {
  groups <- inner_groups(data)
  first <- vapply(groups$columns, `[`, 1L, 1L)
  score <- scores[first]
  second <- if (!is.null(ties)) ties[first]
  set <- if (!is.null(selected)) {
    unique(as.integer(spread_groups(seq_along(first), groups)[selected]))
  }
  constant <- vapply(groups$columns, function(own) all(data$constant[own]), NA)
  unit <- list(
    d = length(first), constant = constant, locked = groups$include, view = NULL,
    kind = "groups"
  )
  found <- find_ties(score, second, set, unit, undecided)
  set <- include_in_set(set, score, unit)
  order <- include_first(rank_features(score, second, constant, set, groups$second), unit)
  score <- lower_scores(raise_included(score, unit), order)
  list(
    ranking = columns_of(order, groups), scores = spread_groups(score, groups),
    selected = if (!is.null(set)) columns_of(set, groups), ties = found
  )
}

# the same in what comes back, from the ranking of the features
fit_groups <- function(fit, groups) {
  if (is.null(groups)) {
    return(NULL)
  }
  ranking <- unique(groups$of[fit$ranking])
  first <- match(seq_along(groups$label), groups$of)
  list(
    label = groups$label, of = groups$of, ranking = ranking,
    scores = stats::setNames(unname(fit$scores)[first], groups$label),
    selected = if (!is.null(fit$selected)) unique(groups$of[fit$selected])
  )
}

# A fit as if its groups were features, for what is said of these; other fits as they are
unit_view <- function(fit) {
  groups <- fit$groups
  if (is.null(groups)) {
    return(fit)
  }
  first <- match(seq_along(groups$label), groups$of)
  fit$d <- length(groups$label)
  fit$feature_names <- groups$label
  fit$ranking <- groups$ranking
  fit$scores <- groups$scores
  fit$selected <- groups$selected
  if (!is.null(fit$gains)) fit$gains <- unname(fit$gains)[first]
  for (name in c("included", "excluded")) {
    if (!is.null(fit[[name]])) fit[[name]] <- unique(groups$of[fit[[name]]])
  }
  fit
}

# the columns of the k best features or groups
first_columns <- function(fit, k) {
  if (is.null(fit$groups)) {
    return(fit$ranking[seq_len(k)])
  }
  best <- fit$groups$ranking[seq_len(k)]
  fit$ranking[fit$groups$of[fit$ranking] %in% best]
}

# how many features, or groups, these columns are
units_in <- function(fit, columns) {
  if (is.null(fit$groups)) length(columns) else length(unique(fit$groups$of[columns]))
}

# as many columns as the first k features or groups have
columns_in_first <- function(fit, k) length(first_columns(fit, k))

# labels of the groups of these columns, in their order
group_labels <- function(fit, columns) {
  if (is.null(fit$groups)) {
    stop_rowsparse("argument", "groups", "must be FALSE: the fit was made without groups")
  }
  fit$groups$label[unique(fit$groups$of[columns])]
}

# columns of the k largest groups, for what a fit takes, or of the k smallest
needed_columns <- function(k, data, largest = TRUE) {
  if (!is_grouped(data)) {
    return(k)
  }
  size <- sort(unname(c(table(inner_of(data)))), decreasing = largest)
  sum(utils::head(size, k))
}

# ---- penalties on the rows of groups -------------------------------------------------

# settings, and for each row the number of its group, where rows are penalised together
with_row_groups <- function(settings, data) {
  if (is_grouped(data)) {
    of <- inner_of(data)
    settings$groups <- match(of, unique(of))
  }
  settings
}

# norms of rows, or for every row that of its group
group_norms <- function(norms, data) {
  if (!is_grouped(data)) {
    return(norms)
  }
  groups <- inner_groups(data)
  largest <- max(norms, .Machine$double.xmin)
  largest * spread_groups(sqrt(by_group((norms / largest)^2, groups)), groups)
}
