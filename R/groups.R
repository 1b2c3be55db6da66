#' Groups of features
#'
#' With `groups` a method selects whole groups, such as the dummy columns of a factor, the probes
#' of a gene, the lags of a series or the members of a pathway. `k` then counts groups.
#'
#' @section How groups are given:
#' `groups` holds one label for each column of x (a factor, strings or numbers), or is a list of
#' columns by name or number, one element for each group, whose names are the labels. Groups may
#' not overlap. A column in no element of the list is a group of its own, labelled by its name.
#'
#' `k`, paths and cross-validation then count groups, and `include` and `exclude` hold labels of
#' groups. In the fit `selected`, `scores`, `ranking` and all elements by feature still refer to
#' columns, where those of a group are adjacent and have the same score; the element `groups` has
#' the results by group. [selected()] gives the columns, `selected(fit, groups = TRUE)` the groups.
#'
#' @section The problems:
#' With \eqn{x_g} the columns of group g, and J a set of k groups with all their columns:
#' * [cdlsr()] and [css()] minimise, with n samples and L(J) the objective of the regression on the
#'   columns of J (of the response, and of the data or their components),
#'   \deqn{L(J) / (n - 1 - m_J)^{3/2},}{L(J) / (n - 1 - m_J)^(3/2),}
#'   where \eqn{m_J} is the number of columns of J that vary, divided by 1 + ridge / (n - 1) for
#'   features of standard deviation 1. A group pays if its columns explain 3/2 times the residual
#'   variance each; those of equal size compare by L alone. With a `block`, n - 1 becomes n less its
#'   levels. Sets that leave less than one degree of freedom, \eqn{n - 1 - m_J < 1}, are the last
#'   choice, with the fewest columns.
#' * [fspca()] maximises the sum of the m leading eigenvalues of S on these columns, [alignment()]
#'   the alignment of their kernel, and [variance()] the sum of their variances.
#' * [ftest()] scores each group by the p-value of an F-test: for one response of the regression
#'   on its columns, for several responses or classes of Wilks' lambda.
#' * Penalised methods use the norm of all rows of a group, \eqn{\|W_g\|_F}{||W_g||}, in place of
#'   the norm of a row. The column `groups` of [rowsparse_methods()] lists the methods that take
#'   groups; others refuse them by an error of class `rowsparse_error_groups`.
#'
#' `objective`, `gains` and `explained` are those of the regression, and `bound` is the least
#' objective that a set of as many columns as the selected one could have. In [fspca()] and
#' [alignment()] larger groups have more, and their size is not penalised.
#'
#' @section Solvers:
#' Forward selection, exchanges of single groups, and restarts with some groups replaced; with
#' `solver = "exact"` a branch and bound over groups, by leaps and bounds for least squares, which
#' needs more samples than columns, or a ridge, and by eigenvalues for [fspca()].
#'
#' @return The element `groups` of a fit is a list of `label`; `of`, the number of the group of each
#'   feature; and by group `ranking`, `scores` and `selected`, as those of [rowsparse_fit].
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
  refuse_if(!is.atomic(groups) || length(groups) != d || !is.null(dim(groups)), "groups", "groups",
    sprintf("must have one label per column (%d), or be a list of columns", d), describe(groups)
  )
  label <- as.character(groups)
  lost <- which(is.na(label) | !nzchar(label))
  refuse_if(length(lost) > 0L, "groups", "groups", "must have a label for every column",
    paste("none for", column_label(names, lost[1]))
  )
  known <- if (is.factor(groups)) intersect(levels(groups), label) else unique(label)
  list(label = known, of = match(label, known))
}

groups_of_list <- function(groups, d, names) {
  label <- or_default(names(groups), "")
  check_distinct(label, "groups", "a different name for each element of the list, its label")
  columns <- lapply(groups, feature_columns, "groups", d, names)
  at <- rep(seq_along(groups), lengths(columns))
  columns <- unlist(columns)
  twice <- columns[anyDuplicated(columns)]
  refuse_if(length(twice) > 0L, "groups", "groups", "must not overlap", sprintf("%s in %s",
    column_label(names, twice),
    paste(vapply(label[at[columns == twice]], quoted, ""), collapse = " and in ")
  ))
  single <- setdiff(seq_len(d), columns)
  own <- if (is.null(names)) as.character(single) else names[single]
  clash <- intersect(own, label)
  refuse_if(length(clash) > 0L, "groups", "groups",
    "must not have the name of a column that is in no group", quoted(clash[1])
  )
  of <- integer(d)
  of[c(columns, single)] <- c(at, length(groups) + seq_along(single))
  list(label = c(label, own), of = of)
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

check_takes_groups <- function(entry, groups) {
  if (is.null(groups) || takes(entry, "groups")) {
    return(invisible())
  }
  served <- toString(names(Filter(function(other) takes(other, "groups"), method_table())))
  made_from <- attr(groups, "table")
  refuse_if(is.null(made_from), "groups", "groups",
    sprintf("is not served by %s(), which selects single features", entry$name),
    way_out = paste("Groups are served by", served)
  )
  stop_rowsparse("groups", "x",
    sprintf("must have columns, or terms, that make one column each for %s()", entry$name),
    sprintf("several indicators of %s", quoted(made_from)),
    paste("model.matrix() makes single columns of them; groups of columns are served by", served)
  )
}

# ---- groups of the data that a method sees -----------------------------------------

# Number of the group of each column that is left; its own number without groups
inner_of <- function(data) {
  if (is.null(data$groups)) seq_len(data$d) else data$groups$of[view_of(data)$kept]
}

# is there a group of several columns?
is_grouped <- function(data) !is.null(data$groups) && anyDuplicated(inner_of(data)) > 0L

# What k counts, in words: of a table its columns, or the terms of a formula
unit_noun <- function(x) {
  table <- x[["blueprint"]]
  if (is.null(x$groups)) {
    "feature"
  } else if (!all(x$groups$label %in% table$labels)) {
    "group"
  } else if (all(table$labels %in% table$columns)) {
    "column"
  } else {
    "term"
  }
}

# how many of what k counts these columns have
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

# As the core reads them: number (in data$groups), columns (a list), start and column; `at`, which
# of them each column belongs to; second, which decides where groups tie; barred: none of their
# columns is `usable`
inner_groups <- function(data, usable = !data$constant) {
  of <- inner_of(data)
  number <- sort(unique(of))
  at <- match(of, number)
  single <- length(number) == data$d
  columns <- if (single) as.list(order(at)) else unname(split(seq_len(data$d), at))
  groups <- list(
    number = number, at = at, columns = columns, start = c(0L, cumsum(lengths(columns))),
    column = unlist(columns), include = sort(unique(at[data$locked]))
  )
  groups$second <- by_group(raw_square(data), groups)
  groups$barred <- by_group(as.double(usable), groups) == 0
  groups$barred[groups$include] <- FALSE
  if (is_ruled(data)) { # single features, with the rules that sets of them obey
    groups$barred <- data$rules$barred
    groups$rules <- data$rules
  }
  groups
}

# sums of a value by feature over the groups
by_group <- function(value, groups) {
  single <- length(groups$columns) == length(groups$at)
  as.vector(if (single) value[groups$column] else rowsum(value, groups$at))
}

columns_of <- function(set, groups) as.integer(unlist(groups$columns[set]))

# ---- the search ------------------------------------------------------------------

# restarts in a row that lead to no better set: more of small problems, and within rules, whose sets
# are less connected by exchanges
group_perturbations <- function(data) {
  counts <- if (is_ruled(data)) c(40L, 10L, 2L, 0L) else c(10L, 10L, 3L, 1L)
  size <- as.double(data$n) * data$d
  counts[1L + findInterval(size, c(1e4, 1e6, 1e7), left.open = TRUE)]
}

# Settings of a search for sets of k units by a `value`, with what it needs in ...: from forward
# selection and from `starts`, a set in each column, with so much `work` (multiplications) from a
# start and for perturbations, in so many `seconds`. `time_limit`: seconds for a proof, or NULL
find_settings <- function(value, k, ..., exchange = TRUE, sizes = FALSE, forward = TRUE,
                          starts = matrix(0L, k, 0), perturb = 0L, tol = 1e-9, maxit = 100L,
                          sweeps = FALSE, cd_tol = 0, work = Inf, perturb_work = Inf,
                          seconds = Inf, time_limit = NULL) {
  list(
    value = value, k = k, exchange = exchange, sizes = sizes, forward = forward, starts = starts,
    perturb = perturb, tol = tol, maxit = maxit, sweeps = sweeps, cd_tol = cd_tol, work = work,
    perturb_work = perturb_work, seconds = seconds, exact = !is.null(time_limit),
    time_limit = or_default(time_limit, 0), ...
  )
}

# what is found, of `groups` or, without them, of single features; sets as a list by size, the last
# one in the order in which forward selection within it takes them
find_units <- function(data, response, groups, settings) {
  found <- .Call(C_sets, unclass(data), response, groups, settings)
  units <- c("set", "sets", "end_sets")
  found[units] <- lapply(found[units], `+`, 1L)
  values <- c("total", "course", "end_values")
  found[values] <- lapply(found[values], `*`, found$unit)
  fits <- or_default(found$by_regression, found$by_family)
  if (!is.null(fits)) found$set <- fits[[length(fits)]]$members
  beginning <- function(size) found$sets[seq_len(size), size]
  if (settings$forward) {
    found$sets <- c(lapply(seq_len(settings$k - 1L), beginning), list(found$set))
  }
  found$sweeps <- found$end_sweeps[found$best]
  found$course <- found$course[seq_len(found$sweeps + 1L)]
  found
}

# sets of k groups, see find_settings()
search_groups <- function(data, groups, value, k, ..., response = NULL,
                          perturb = group_perturbations(data)) {
  settings <- find_settings(value, k, ..., perturb = perturb)
  found <- find_fits(data, response, groups, settings)
  beside_near(found, data, groups, response, settings)
}

# Solvers, starts and sizes of searches for single features
check_searched <- function(data, entry, args) {
  if (!searches_groups(data) || !takes(entry, "solver")) {
    return(invisible())
  }
  beside <- if (is_ruled(data)) "rules" else "groups"
  refuse <- function(argument, rule) {
    stop_rowsparse(beside, argument, sprintf("must be %s with `%s`", rule, beside),
      describe(args[[argument]])
    )
  }
  usual <- lapply(formals(entry$fit)[c("solver", "starts")], eval)
  served <- intersect(usual$solver, c("exchange", "forward", if (beside == "groups") "exact"))
  if (!args$solver %in% served) refuse("solver", paste0("\"", served, "\"", collapse = " or "))
  if (!or_default(args[["start"]], "forward")[1] %in% "forward") refuse("start", "\"forward\"")
  if (!isTRUE(all.equal(args[["starts"]], usual$starts))) refuse("starts", "left out")
  if (length(args[["sizes"]]) > 1L) refuse("k", "one number")
}

# ---- the result ------------------------------------------------------------------

# As rank_fit() for groups, of values that are equal within each: the ranking of the features, group
# after group
rank_group_fit <- function(scores, ties, selected, data, undecided) {
  groups <- inner_groups(data)
  first <- vapply(groups$columns, `[`, 1L, 1L)
  units <- list(
    constant = by_group(as.double(!data$constant), groups) == 0, locked = groups$include,
    square = groups$second
  )
  found <- rank_fit(scores[first], ties[first], if (!is.null(selected)) unique(groups$at[selected]),
    units, undecided
  )
  list(
    ranking = columns_of(found$ranking, groups), scores = found$scores[groups$at],
    selected = if (!is.null(selected)) columns_of(found$selected, groups), ties = found$ties
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

# A fit, or path, as if its groups were features, for what is said of these, by names of its table
unit_view <- function(fit) {
  groups <- fit$groups
  if (is.null(groups)) {
    fit$feature_names <- or_default(table_labels(fit), fit$feature_names)
    return(fit)
  }
  first <- match(seq_along(groups$label), groups$of)
  fit[c("d", "feature_names", "ranking", "scores", "selected")] <- list(
    length(groups$label), groups$label, groups$ranking, groups$scores, groups$selected
  )
  for (name in c("gains", "p_value", "q_value")) fit[[name]] <- unname(fit[[name]])[first]
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

# the features, or groups, that these columns are
units_of <- function(fit, columns) {
  if (is.null(fit$groups)) columns else unique(fit$groups$of[columns])
}

units_in <- function(fit, columns) length(units_of(fit, columns))

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
  largest * sqrt(by_group((norms / largest)^2, groups))[groups$at]
}
