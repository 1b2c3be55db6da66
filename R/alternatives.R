# What could be selected instead: the role of every feature among all sets of k features that are
# nearly as good as the best one. The definitions are those of ?alternatives.

#' Which selected features could be replaced
#'
#' Tells for every feature whether nearly best sets of k features need it: which selected features
#' are in all such sets, which others could replace one, at what cost, and which are in none.
#' Answers are proved for [fspca()], [cdlsr()] and, up to some k, [css()].
#'
#' @section Roles:
#' Let \eqn{T(J)} be the value of a set \eqn{J} of k features: the variance that m components carry
#' on the set ([fspca()]), or the part of the response that it explains ([cdlsr()]; of the data for
#' [css()]), \eqn{\|Y_c\|^2}{||Yc||^2} less the minimum of the objective. With \eqn{v}{v} the value
#' of the best known set, and a tolerance \eqn{\epsilon}{eps}, the nearly best sets are
#' \deqn{N = \{J : |J| = k, \; T(J) \ge (1 - \epsilon) v\}.}{
#' N = all J with |J| = k and T(J) >= (1 - eps) v.}
#' A feature is
#' \describe{
#'   \item{essential}{if every set of N holds it,}
#'   \item{excluded}{if no set of N holds it,}
#'   \item{exchangeable}{if one set of N with it and another one without it are known, and}
#'   \item{undecided}{if none of these is shown.}
#' }
#' Essential and excluded rest on a bound of all sets, see [fspca_bound()] and [cdlsr()]. The
#' threshold \eqn{(1 - \epsilon) v}{(1 - eps) v} is lowered by the rounding error of the values, so
#' that rounding may leave a feature undecided but never decides. With `include` and `exclude` only
#' sets that hold all included and no excluded features count.
#'
#' @section Prices:
#' The role at any tolerance follows from the price of a feature: for a feature of the best known
#' set, the loss of the best set without it; for any other feature, the loss of the best set with
#' it:
#' \deqn{1 - \max_{J \not\ni i} T(J) / v, \qquad 1 - \max_{J \ni j} T(J) / v.}{
#' 1 - max of T(J) over the J without i / v,   1 - max of T(J) over the J with j / v.}
#' The price is known as an interval: its upper end, `price_most`, comes from a known set, its lower
#' end, `price_least`, from the bound. A feature of the best set is essential if and only if its
#' price is above the tolerance. Copies of a feature have its price, and `group` identifies them.
#'
#' Prices fall with k, as \eqn{v / k} is what a feature carries on average: at k = 50 nearly every
#' feature can be left out for little. So prices are also given in units of this average
#' (`average_least` and `average_most`), and the usual tolerance is a tenth of it, 0.1 / k.
#'
#' @section What roles do not mean:
#' Roles describe the objective on these samples, not the population. An excluded feature may carry
#' the same signal as a selected one, slightly less well; an essential one may be essential by
#' chance, and other samples may make another feature essential. How often features are selected
#' from subsamples is a different question: give the result of [tune_rowsparse()] as `stability` to
#' see its answer in the same table. Nor are roles causal: a predictor that is in every good model
#' need not act on the response.
#'
#' Single exchanges, in `exchanges`, do not determine the roles: where no exchange of one feature is
#' cheap, the exchange of all of them may be. `disjoint` is the best set found without any of the
#' selected features.
#'
#' @section Other methods:
#' Where no bound is known, nothing is proved, and prices come from known sets; other sets may lose
#' less. `kind` is the type of the answer:
#' \describe{
#'   \item{`"witnesses"`}{Single exchanges: [css()] beyond the k that can be proved, and
#'     [alignment()], whose value uses the target of the fit to all features.}
#'   \item{`"refits"`}{The method is refitted without each selected feature, as far as `seconds`
#'     allow, to show which feature enters. [dscofs()] and [s2dfs()] have an objective that is
#'     defined for any set; the objective of the new set is then that of a fit to all features with
#'     the set in `include`. Other methods have no cost.}
#'   \item{`"ranks"`}{For scores of single features ([variance()], [lapscore()], [spec()],
#'     [ftest()]) the next feature in the ranking enters.}
#' }
#' With at most 200 000 sets of k, and time to enumerate them, roles are also proved for
#' [alignment()].
#'
#' For fits of [groups], or of tables with factors, roles are those of groups: `k` and `d` count
#' groups, `feature` is the label of a group. For [fspca()], [cdlsr()], [css()] and [alignment()]
#' the roles of groups are proved where all sets of groups can be enumerated, as above. Otherwise
#' the methods are refitted without each selected group. So are [cdlsr()] and [css()] on moments and
#' row blocks, without a cost, as cross-products do not show how much nearly dependent columns
#' explain.
#'
#' @param x The data, as for [rowsparse()].
#' @param selected A fit, whose settings are taken (or a result of [tune_rowsparse()] or
#'   [cv_rowsparse()]), or a set of features: names or columns.
#' @param y The response of supervised methods. `NULL`: the response kept in the fit.
#' @param tolerance Shares of the value that a set may lose, from 0 to less than 1. `NULL`: 0.1 / k.
#'   One run answers for several tolerances.
#' @param seconds Time limit in elapsed seconds from the call on. Reading the data is not cut short,
#'   nor is a fit that has begun. Open questions are then reported as undecided.
#' @param sets How many of the nearly best sets to list, best first. Their total number and the
#'   share of them that holds each feature are given as well. 0: no counting.
#' @param ... Arguments of the method that are to differ from those of the fit, or that go with a
#'   set of features: `m`, `ridge`, `scale`, `weights` and so on. For `print()`, `plot()` and others
#'   see their pages.
#' @param k The number of features, where `selected` is a fit that ranks them.
#' @param method The method, for a set of features: see [rowsparse_methods()]. `NULL`: [cdlsr()]
#'   with `y`, and [fspca()] without.
#' @param include,exclude,block,assay As for [rowsparse()]; `NULL`: those of the fit.
#' @param stability A result of [tune_rowsparse()], to add a column with the share of the subsamples
#'   from which each feature is selected at this k.
#' @param control Settings from [rowsparse_control()]; `verbose` shows the progress.
#' @param return `"alternatives"`, or for a `SummarizedExperiment` `"object"`: x with the columns
#'   `rowsparse_role`, `rowsparse_price_least` and `rowsparse_price_most` in its `rowData`, and the
#'   result in `metadata(x)$rowsparse_alternatives`.
#'
#' @return A list of class `feature_alternatives`:
#'   \item{features}{a data frame with a row per feature: first the selected features, from the
#'     highest price down, then the others, from the lowest price up. Columns: `feature`, `index`,
#'     `selected`, `best` (in the best known set), `role` (at the first tolerance), `price_least`,
#'     `price_most`, `average_least`, `average_most`, `replacement` (the cheapest single exchange,
#'     or the highest-ranked feature that entered a fit without it), `replacement_cost` (of the
#'     exchange), `proved`, `locked` (by `include` or `exclude`), `group` (of copies, 0 for none),
#'     and, if requested, `frequency` (in the counted sets) and `stability`}
#'   \item{roles}{a matrix, features in their order in x by tolerances}
#'   \item{exchanges}{a matrix of costs, as shares of `value`: features of the best set by the
#'     cheapest features that could enter; `NULL` where costs are not known}
#'   \item{witness}{for exchangeable features, by name: a list of `out` and `into`, the features
#'     that leave and enter the best set to give the set that proves the role; for refits, for all
#'     features that were examined}
#'   \item{disjoint}{a list of `selected`, the best set found without any of the selected features,
#'     and `share`, its value as a share of `value` (`NA` without values); `NULL` where too few
#'     features remain, an empty set where time ran out}
#'   \item{sets}{if requested: `count` and `complete` for each tolerance (were all sets counted?),
#'     `frequency` (features by tolerances), `best` (a matrix, a set per column) and `share`}
#'   \item{groups}{groups of copies}
#'   \item{value, bound}{value of the best known set, and the upper bound for all sets, in the units
#'     of the method's objective; `NA` where there is no bound}
#'   \item{best, selected}{the best known set, which is the given one unless a better one was found,
#'     and the given set}
#'   \item{share, error}{the value of the given set, and the rounding error of values, by which the
#'     threshold is lowered, as shares of the best value}
#'   \item{kind}{`"proved"`, `"witnesses"`, `"refits"` or `"ranks"`}
#'   \item{tolerance, k, m, d, n, method, unit, feature_names, status, seconds, questions}{the
#'     settings, with `unit` (`"feature"` or `"group"`) the unit that k counts, and how the search
#'     ended}
#' @section Errors: Of class `rowsparse_error`: unusable data, sets that the method cannot have,
#'   arguments that it does not know, tolerances outside of
#'   \[0, 1), and the errors of the method itself.
#' @references
#' Fisher, Rudin and Dominici (2019) All models are wrong, but many are useful. Journal of Machine
#' Learning Research 20(177), 1-81.
#'
#' Breiman (2001) Statistical modeling: the two cultures. Statistical Science 16, 199-231.
#' \doi{10.1214/ss/1009213726}
#' @seealso [fspca_bound()] for the bound alone, [tune_rowsparse()] for the stability over samples,
#'   [summary()][summary.rowsparse] of a fit for near-copies and for what rounding could change
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 12), 40) %*% diag(runif(12, 0.5, 1.5))
#' fit <- fspca(x, k = 4, m = 2)
#' found <- alternatives(x, fit, tolerance = c(0.02, 0.1), sets = 3, seconds = 5)
#' found
#' head(as.data.frame(found))
#' plot(found)
#' @export
alternatives <- function(x, selected, y = NULL, tolerance = NULL, seconds = 60, sets = 0, ...,
                         k = NULL, method = NULL, include = NULL, exclude = NULL, block = NULL,
                         assay = NULL, stability = NULL, control = rowsparse_control(),
                         return = c("alternatives", "object")) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_no_formula(x)
  if (missing(selected)) {
    stop_rowsparse("missing", "selected", "must be given: a fit, or names or columns of features")
  }
  groups <- groups_of_request(selected)
  check_no_new_groups(list(...), groups)
  x <- features_of_fit(fit_inside(selected), x)
  seconds <- check_number(seconds, "seconds", 0)
  sets <- check_count(sets, "sets", 0L, 1e6)
  control <- resolve_control(control, tol = NULL, maxit = NULL)
  wanted <- check_choice(return, "return", c("alternatives", "object"))
  if (wanted == "object") check_return_of_roles(x, groups)
  stability <- or_default(stability, if (inherits(selected, "rowsparse_tuning")) selected)
  locks <- list(include = include, exclude = exclude, block = block, assay = assay)
  request <- resolve_request(x, selected, y, k, method, c(list(...), locks))
  problem <- roles_problem(x, request)
  if (!is.null(groups)) problem <- as_group_problem(problem, groups)
  tolerance <- resolve_tolerance(tolerance, problem$k)
  stability <- stability_column(stability, problem$k, sample_features(x))
  stability <- by_request(stability, groups)
  limit <- list(started = started, seconds = seconds, verbose = control$verbose)
  found <- find_roles(problem, tolerance, sets, limit)
  out <- new_alternatives(problem, found, tolerance, sets, stability, call, started)
  if (wanted == "object") experiment_with_roles(x, out) else out
}

# Of a table the columns that the fit is of: those of a formula, and no response
features_of_fit <- function(fit, x) {
  names <- fit[["feature_names"]]
  if (is.null(fit) || !is.data.frame(x)) {
    return(x)
  }
  check_fit(fit, "selected")
  x <- coded_like(fit, x)
  if (is.data.frame(x) && !is.null(names) && all(names %in% names(x))) x[names] else x
}

# roles of groups have no row each in an experiment
check_return_of_roles <- function(x, groups) {
  if (!is.null(groups)) {
    stop_rowsparse("choice", "return", "must be \"alternatives\" for a fit of groups", "\"object\"")
  }
  check_return("object", x)
}

resolve_tolerance <- function(tolerance, k) {
  if (is.null(tolerance)) {
    return(0.1 / k)
  }
  sound <- is_plain_numeric(tolerance) && length(tolerance) > 0 && is.null(dim(tolerance)) &&
    all(is.finite(tolerance)) && all(tolerance >= 0 & tolerance < 1)
  if (!sound) {
    stop_rowsparse("range", "tolerance", "must hold shares from 0 to less than 1",
      describe(tolerance)
    )
  }
  sort(unique(as.double(tolerance)))
}

# the frequencies of selection at k, a number per feature; NULL where none are given
stability_column <- function(stability, k, d) {
  if (is.null(stability)) {
    return(NULL)
  }
  if (!inherits(stability, "rowsparse_tuning")) {
    stop_rowsparse("type", "stability", "must be a result of tune_rowsparse()", describe(stability))
  }
  check_tuning(stability, "stability")
  frequency <- stability$frequency
  at <- match(as.character(k), colnames(frequency))
  if (nrow(frequency) != d) {
    stop_rowsparse("size", "stability", sprintf("must be of data with %s", count_of(d, "feature")),
      count_of(nrow(frequency), "feature")
    )
  }
  if (is.na(at)) {
    stop_rowsparse("range", "stability", sprintf("must have looked at k = %d", k),
      paste("k =", shorten(toString(colnames(frequency))))
    )
  }
  unname(frequency[, at])
}
