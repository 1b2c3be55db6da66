# Which features could be selected instead, and whether a set is the best one: the role of every
# feature among all sets of k features that are nearly as good as the best one.

#' Which selected features could be replaced, and is the set the best one
#'
#' Tells for every feature whether nearly best sets of k features need it: which selected features
#' are in all such sets, which others could replace one, at what cost, and which are in none. With
#' `tolerance = 0` it is a certificate: how much more any set of k features could have.
#'
#' @section Roles and prices:
#' Let \eqn{T(J)} be the value of a set \eqn{J} of k features: the variance that m components carry
#' on the set ([fspca()]), or the part of the response that it explains ([cdlsr()]; of the data for
#' [css()]), \eqn{\|Y_c\|^2}{||Yc||^2} less the minimum of the objective, or twice what it lowers
#' the objective of no features ([rowsparse_glm()], the deviance but for the ridge). With \eqn{v}{v}
#' the value of the best known set, and a tolerance \eqn{\epsilon}{eps}, the nearly best sets are
#' \deqn{N = \{J : |J| = k, \; T(J) \ge (1 - \epsilon) v\}.}{
#' N = all J with |J| = k and T(J) >= (1 - eps) v.}
#' A feature is *essential* if every set of N holds it, *excluded* if none does, *exchangeable* if
#' one set of N with it and another one without it are known, and *undecided* if none of these is
#' shown. Essential and excluded rest on a bound of all sets; the threshold is lowered by the
#' rounding error of the values, so that rounding may leave a feature undecided but never decides.
#' With `include` and `exclude` only sets that hold all included and no excluded features count, and
#' with `rules`, those of the fit or of the call, only sets that obey these.
#'
#' The role at any tolerance follows from the price of a feature: for a feature of the best known
#' set, the loss of the best set without it; for any other feature, the loss of the best set with
#' it:
#' \deqn{1 - \max_{J \not\ni i} T(J) / v, \qquad 1 - \max_{J \ni j} T(J) / v.}{
#' 1 - max of T(J) over the J without i / v,   1 - max of T(J) over the J with j / v.}
#' The price is known as an interval: its upper end, `price_most`, comes from a known set, its lower
#' end, `price_least`, from the bound. Prices fall with k, as \eqn{v / k} is what a feature carries
#' on average; the usual tolerance is a tenth of this average, 0.1 / k.
#'
#' Roles describe the objective on these samples, not the population: other samples may make another
#' feature essential. Single exchanges do not determine the roles: where no exchange of one feature
#' is cheap, the exchange of all of them may be.
#'
#' @section Features that fail:
#' The recipe for a feature that fails, as a gene without a probe, is a refit with `include` = the
#' rest of the panel and `exclude` = the features that failed. A `backup`, which can be ordered
#' beforehand, comes near it; the `replacement` need not, as it is often the same for many features,
#' and may do something else than the feature did. Backups lie outside the panel, vary, are no
#' copies of another member, and obey the rules in exchange for their feature. Of these each
#' selected feature has the one that restores most of it, all different where possible: of all
#' pairs of a feature and a backup the one that restores most is made first. What is `restored` is
#' the squared correlation.
#' Groups have no backups.
#'
#' @section Which methods:
#' For [fspca()], [cdlsr()] and [rowsparse_glm()], and up to some k for [css()], roles and prices
#' are proved, and `kind` is `"proved"`. Beyond that k, and for [alignment()], whose value uses the
#' target of the fit to all features, single exchanges are shown and nothing is proved
#' (`"witnesses"`): other sets may lose less. With at most 200 000 sets of k, and time to enumerate
#' them, [alignment()] is proved, too, and so are fits of [groups], or of tables with factors, by
#' these methods: `k` and `d` then count groups and `feature` is the label of a group. Groups in
#' regressions on moments and row blocks are refused, as cross-products do not show how much nearly
#' dependent columns explain, and so are other methods: what these would take instead of a feature
#' is told by a fit with the feature in `exclude`.
#'
#' @section The bound of components:
#' Let W (d x m, orthonormal columns, k nonzero rows marked by z) be a solution, and
#' \eqn{P = WW'}{P = WW'}. Then P lies between 0 and Diag(z), its trace is m, the squares of row i
#' sum to \eqn{P_{ii}}{P_ii}, and at most k of them are nonzero. For every matrix U with rows
#' \eqn{u_i}{u_i}, every positive semidefinite M and every positive \eqn{\alpha}{alpha} it follows
#' for \eqn{S = X_c'X_c}{S = Xc'Xc} that
#' \deqn{\mathrm{tr}(SP) \le F(U, M, \alpha) = \sum_{c \le m} \lambda_c\left(S - M -
#' \frac{U + U'}{2} + \mathrm{Diag}(\alpha)\right) + \mbox{the } k \mbox{ largest } h_i,
#' \quad h_i = M_{ii} + \frac{s_i}{4 \alpha_i},}{
#' tr(SP) <= F(U, M, alpha) = the m largest eigenvalues of S - M - (U + U')/2 + Diag(alpha)
#' + the k largest h_i, h_i = M_ii + s_i / (4 alpha_i),}
#' where \eqn{s_i}{s_i} is the sum of \eqn{u_{ii}^2}{u_ii^2} and the k - 1 largest other
#' \eqn{u_{ij}^2}{u_ij^2}. U = M = 0 gives the sum of the m largest eigenvalues of S, and M = S that
#' of the k largest variances: the two free bounds of `fspca()$certificate`. F is convex and
#' minimised numerically. A feature outside the k largest h is in no better set if F, with its h in
#' place of the smallest of the k, is at most the best known value; a feature inside is in every
#' better set if F without it is. Where few features remain, branch and bound on the same relaxation
#' decides. Rounding errors of F only raise the bound, which includes sets better by at most 1e-9 of
#' the value, as these are not searched. Where the gap is large (many components, k near the rank)
#' more time helps little. Where [moments()] hold a sketch, the bound is that of the sketch.
#'
#' @param x The data, as for [rowsparse()]; for `plot()` the result.
#' @param selected A fit, whose settings are taken (or a result of [cv_rowsparse()]), or a set of
#'   features: names or columns. For experiments whose rows are named by identifiers also symbols,
#'   as in `include`, see [experiments].
#' @param y The response of supervised methods. `NULL`: the response kept in the fit.
#' @param tolerance Shares of the value that a set may lose, from 0 to less than 1. `NULL`: 0.1 / k.
#'   One run answers for several tolerances.
#' @param seconds Time limit in elapsed seconds from the call on. Reading the data is not cut short,
#'   nor is a fit that has begun. Open questions are then reported as undecided.
#' @param sets How many of the nearly best sets to list, best first. Their total number and the
#'   share of them that holds each feature are given as well. 0: no counting.
#' @param ... Arguments of the method that are to differ from those of the fit, or that go with a
#'   set of features: `m`, `ridge`, `scale`, `include`, `rules` and so on. For `plot()`: graphical
#'   parameters.
#' @param k The number of features, where `selected` is a fit that ranks them.
#' @param method The method, for a set of features: `"fspca"`, `"css"`, `"cdlsr"`, `"alignment"` or
#'   `"rowsparse_glm"`.
#'   `NULL`: [cdlsr()] with `y`, and [fspca()] without.
#'
#' @return A list of class `feature_alternatives`:
#'   \item{features}{a data frame with a row per feature: first the selected features, from the
#'     highest price down, then the others, from the lowest price up. Columns: `feature`, `index`,
#'     `selected`, `best` (in the best known set), `role` (at the first tolerance), `price_least`,
#'     `price_most`, `replacement` (the cheapest exchange of one feature of the given set that is
#'     known) and `replacement_cost` (the share of `value` that the set then lacks), `backup` and
#'     `restored` (of selected features, see "Features that fail"; `NA` where there is none),
#'     `proved`, `locked` (`"included"`, `"excluded"`, or `"rules"`, which no or all panels within
#'     the rules hold), and with `sets` the `frequency` in the counted sets}
#'   \item{roles}{a matrix, features in their order in x by tolerances}
#'   \item{exchanges}{a matrix of costs, as shares of `value`: features of the best set by the
#'     cheapest features that could enter (for [fspca()] upper bounds); `NA` where rounding of the
#'     data or of cross-products could move a cost by 1e-6, `NULL` where no costs are known}
#'   \item{witness}{for exchangeable features, by name: a list of `out` and `into`, the features
#'     that leave and enter the best set to give the set that proves the role}
#'   \item{sets}{if requested: `count` and `complete` for each tolerance (were all sets counted?
#'     Those of linearly dependent features, which fewer features equal, may be left out),
#'     `frequency` (features by tolerances), `best` (a matrix, a set per column) and `share`}
#'   \item{value, bound, gap}{value of the best known set, the upper bound for all sets, in units
#'     of the method's objective, and the excess of the bound over the value as a share of it: 0 for
#'     a set proved to be the best one; `NA` where there is no bound}
#'   \item{best, selected}{the best known set, which is the given one unless a better one was found,
#'     and the given set}
#'   \item{share, error}{the value of the given set, and the rounding error of values, by which the
#'     threshold is lowered, as shares of the best value}
#'   \item{kind}{`"proved"` or `"witnesses"`}
#'   \item{rules}{those of all sets, see [panel_rules()], or `NULL`}
#'   \item{tolerance, k, m, d, n, method, unit, feature_names, status, seconds, questions}{the
#'     settings, with `unit` (`"feature"` or `"group"`) the unit that k counts, and how the search
#'     ended}
#'
#'   `as.data.frame(found, tolerance = )` gives `features` with the roles at any tolerance, for
#'   several a column `role_<tolerance>` for each; `plot()` draws the prices as intervals on a
#'   logarithmic scale, filled if the role is proved, with a line at the tolerance. `print()` tells
#'   in one line where at most a hundredth of the features have a role and no price is above 0.
#' @references
#' Fisher, Rudin and Dominici (2019) All models are wrong, but many are useful. Journal of Machine
#' Learning Research 20(177), 1-81.
#'
#' Dey, Molinaro and Wang (2022) Solving sparse principal component analysis with global
#' support. Mathematical Programming. \doi{10.1007/s10107-022-01857-w}
#'
#' Cory-Wright and Pauphilet (2022) Sparse PCA with multiple components.
#' \doi{10.48550/arXiv.2209.14790}
#' @seealso [compare_panels()] for panels of any source, [cv_rowsparse()] for the stability of the
#'   sets over samples
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 12), 40) %*% diag(runif(12, 0.5, 1.5))
#' fit <- fspca(x, k = 4, m = 2)
#' found <- alternatives(x, fit, tolerance = c(0.02, 0.1), sets = 3, seconds = 5)
#' found
#' head(as.data.frame(found))
#' plot(found)
#'
#' # is a panel of another source the best one?
#' alternatives(x, c(1, 4, 5, 9), method = "fspca", m = 2, tolerance = 0)$gap
#' @export
alternatives <- function(x, selected, y = NULL, tolerance = NULL, seconds = 60, sets = 0, ...,
                         k = NULL, method = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_no_formula(x)
  refuse_if(missing(selected),
    "missing", "selected", "must be given: a fit, or names or columns of features")
  x <- features_of_fit(fit_inside(selected), x)
  seconds <- check_number(seconds, "seconds", 0)
  sets <- check_count(sets, "sets", 0L, 1e6)
  selected <- names_of_symbols(selected, x, "selected")
  given <- with_names_of_symbols(list(...), x)
  problem <- roles_problem(x, resolve_request(x, selected, y, k, method, given))
  tolerance <- resolve_tolerance(tolerance, problem$k)
  found <- find_roles(problem, tolerance, sets, function() time_left(started, seconds))
  new_alternatives(problem, found, tolerance, sets, call, started)
}

# Columns of a table that the fit is of: those of a formula, and no response
features_of_fit <- function(fit, x) {
  names <- fit[["feature_names"]]
  if (!is.null(fit) && is.data.frame(x)) x <- coded_like(fit, x)
  if (is.data.frame(x) && !is.null(names) && all(names %in% names(x))) x[names] else x
}

resolve_tolerance <- function(tolerance, k) {
  tolerance <- check_numbers(or_default(tolerance, 0.1 / k), "tolerance", lower = 0)
  refuse_if(any(tolerance >= 1),
    "range", "tolerance", "must hold shares below 1", describe(tolerance))
  sort(unique(tolerance))
}

# ---- the request ---------------------------------------------------------------------

# methods with an engine that proves roles, and all that are served
proved_methods <- c("fspca", "cdlsr", "rowsparse_glm", "css")
roles_methods <- c(proved_methods, "alignment")

# list(entry, y, given, selected, index, groups): the method, its arguments, the fit or set with the
# columns that the fit selects, and the groups of the fit if some have several columns
resolve_request <- function(x, selected, y, k, method, given) {
  fit <- fit_inside(selected)
  in_moments <- inherits(x, "rowsparse_moments") && !is.null(x[["Sxy"]])
  supervised <- if (is.null(fit)) !is.null(y) || in_moments else !is.null(fit[["response"]])
  entry <- asked_entry(asked_method(fit, method, supervised, k), x, y, supervised)
  if (needs_response(entry) && is.null(y)) y <- fit[["response"]][["y"]]
  refuse_if(needs_response(entry) && is.null(y) && !in_moments,
    "type", "y", sprintf("must be given: %s is supervised", entry$name))
  refuse_if(!is.null(given[["groups"]]), "argument", "groups",
    "must be left out: a fit of groups tells them", describe(given[["groups"]]))
  given <- given[!vapply(given, is.null, NA)]
  settings <- if (!is.null(fit)) settings_of(fit, entry, x, given[["block"]])
  given <- c(given, settings[setdiff(names(settings), names(given))])
  check_takes_weights(entry, given[["weights"]])
  groups <- fit[["groups"]]
  list(
    entry = entry, y = y, given = check_arguments(entry, given),
    selected = or_default(fit, selected), index = if (!is.null(fit)) selected_index(fit, k),
    groups = if (anyDuplicated(groups$of) > 0L) groups[c("label", "of")]
  )
}

# the name of the method, one of those that are served
asked_method <- function(fit, method, supervised, k) {
  if (is.null(fit)) {
    refuse_if(!is.null(k),
      "argument", "k", "is for fits that rank features: `selected` tells it here")
    usual <- if (supervised) "cdlsr" else "fspca"
    return(check_choice(or_default(method, usual), "method", roles_methods))
  }
  name <- fit_name(fit)
  refuse_if(!is.null(method) && !identical(method, name),
    "argument", "method", "must be left out: the fit tells it", describe(method))
  refuse_if(!name %in% roles_methods, "choice", "selected",
    sprintf("must be a fit by %s, or the features of one", toString(paste0(roles_methods, "()"))),
    sprintf("one by %s()", name),
    "What the method takes instead of a feature is told by a fit with the feature in `exclude`"
  )
  name
}

# a fit, or the one that a cross-validation holds
fit_inside <- function(selected) {
  if (inherits(selected, "cv_rowsparse")) selected <- selected$fit
  if (inherits(selected, "rowsparse")) selected
}

# what a fit was told and says, but for how its set was searched
settings_of <- function(fit, entry, x, block) {
  search <- c(
    "k", "x", "y", "control", "certify", "time_limit", "search", "start", "starts", "path",
    names(formals(rowsparse_control)), if (entry$name %in% proved_methods) "solver"
  )
  parameters <- fit[["parameters"]]
  given <- parameters[setdiff(intersect(names(parameters), names(formals(entry$fit))), search)]
  if (!is.null(fit[["response"]][["root"]])) given$ridge <- "pillai"
  if (takes(entry, "scale")) given$scale <- !is.null(fit[["scale"]])
  if (entry$weighted) given$weights <- fit[["response"]][["weights"]]
  if (takes(entry, "offset")) given$offset <- fit[["response"]][["offset"]]
  given$include <- feature_labels(fit, fit[["included"]])
  given$exclude <- feature_labels(fit, fit[["excluded"]])
  given$assay <- fit[["assay"]]
  given$rules <- fit[["rules"]]
  given$block <- if (is.null(block)) block_beside(NULL, fit, x)
  Filter(Negate(is.null), given)
}
