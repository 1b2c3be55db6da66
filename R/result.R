#' What a fit holds
#'
#' Every method returns a list of class `c("<method>", "rowsparse")` with the elements below, `NA`
#' or `NULL` where it has none; what a method adds is on its page. Fits survive `saveRDS()`.
#'
#' @return
#'   \item{ranking}{a permutation of the columns, best first; constant and excluded ones last}
#'   \item{scores}{by feature, higher is better, never increasing along the ranking; 0 for constant
#'     features}
#'   \item{selected}{the columns selected, in rank order; `NULL` of methods that rank, unless
#'     [rowsparse()] asked for k features}
#'   \item{loadings}{d x m, with zero rows for features that are not used; `NULL` if there are none}
#'   \item{objective}{at the start and after each iteration}
#'   \item{iterations, converged, status}{their number, whether they ended by themselves, and how}
#'   \item{kkt}{how far the end is from being stationary, as its method measures it}
#'   \item{explained}{share of the centred sum of squares of x, or of the response, that the solver
#'     knows to be reproduced}
#'   \item{bound, gap}{a bound that no solution passes, and abs(objective - bound) / abs(objective)}
#'   \item{unique, ties}{would other features have served as well? `NA`: not known; features of
#'     equal scores, and reasons in words}
#'   \item{parameters}{all that was used, defaults included, with the settings of
#'     [rowsparse_control()]}
#'   \item{included, excluded}{columns that were locked in or left out, if any}
#'   \item{n, d, feature_names, center, scale, deviation, block}{the data: their size, names, means,
#'     what features were divided by and their standard deviations; the levels of a block}
#'   \item{groups}{the groups of columns, if any}
#'   \item{response}{of methods with a response: its kind, levels or names, and the regression}
#'   \item{elapsed, call}{seconds, and the call}
#' @section What to do with it:
#' [selected()] gives names of features, [as.data.frame()][as.data.frame.rowsparse] and
#' [tidy()][tidy.rowsparse] a row for each, [print()][print.rowsparse] and
#' [summary()][summary.rowsparse] words, [plot()][plot.rowsparse] pictures, [coef()][coef.cdlsr] the
#' regression and what goes with it, [predict()][predict.rowsparse] responses, classes, selected
#' columns or components of new samples. [alternatives()] tells which features could stand in.
#' @name rowsparse_fit
#' @seealso [rowsparse()], [rowsparse_data], [rowsparse_conditions]
#' @examples
#' fit <- rowsparse(iris[, 1:4], k = 2, method = "css")
#' names(fit)
#' fit$explained
NULL

# Arguments refer to the features that remain after `exclude`. Further elements by feature must be
# passed through per_feature(), column numbers through outer_index().
# `method`: its name, followed by classes whose methods the fit inherits; `scores`: in column order,
# higher is better; `ties`: orders equal scores before the variance does; `run`: what the C code
# tells of every iteration, see r_add_run(); `undecided`: sentences of a solver that tell why other
# features would have served as well, see ties.R. What a method does not define is NA.
new_fit <- function(method, data, scores, ties = NULL, selected = NULL, loadings = NULL,
                    run = NULL, objective = run$objective, iterations = run$iterations,
                    converged = run$converged, status = run$status, kkt = NA_real_,
                    explained = NA_real_, bound = NA_real_,
                    gap = relative_gap(utils::tail(objective, 1), bound), parameters,
                    call, started, ..., undecided = NULL, verbose = FALSE) {
  bound <- honest_bound(bound, objective, method[1])
  scores[data$constant] <- 0
  if (!all(is.finite(scores))) stop_core("numerical", method[1], "NaN or Inf arose in the scores")
  undecided <- c(undecided, tied_spectrum(method[1], data, parameters))
  rank_by <- if (is_grouped(data)) rank_group_fit else rank_fit
  ranked <- rank_by(scores, ties, selected, data, undecided)
  fit <- structure(
    c(
      list(
        ranking = c(outer_index(ranked$ranking, data), view_of(data)$excluded),
        scores = per_feature(as.double(ranked$scores), data),
        selected = outer_index(ranked$selected, data), loadings = per_feature(loadings, data),
        objective = objective, iterations = iterations, converged = converged, status = status,
        kkt = kkt, explained = explained, bound = bound, gap = gap, parameters = parameters,
        unique = NA, ties = ranked$ties
      ),
      list(...), kept_of_data(data, ranked$selected),
      list(elapsed = proc.time()[["elapsed"]] - started, call = call)
    ),
    class = c(method, "rowsparse")
  )
  fit$groups <- fit_groups(fit, data$groups)
  fit <- resolve_unique(fit)
  warn_of_end(fit)
  if (verbose) message(fit_name(fit), ": ", toString(state_lines(fit)))
  fit
}

kept_of_data <- function(data, selected) {
  c(
    shape_of_data(data),
    if (!is.null(data$gaps)) list(missing = data$gaps),
    if (is_ruled(data)) list(rules = known_rules(data$rules$asked, view_of(data)$names)),
    if (!is.null(data$rules[["near"]])) list(exchanges = exchanges_of(selected, data)),
    if (!is.null(data$assay)) list(assay = data$assay),
    if (!is.null(data$identifiers)) list(identifiers = data$identifiers),
    if (!is.null(data$reads)) list(passes = passes_of(data))
  )
}

# The part that a path keeps as well
shape_of_data <- function(data) {
  whole <- view_of(data)
  c(
    if (length(data$locked) > 0) list(included = outer_index(data$locked, data)),
    if (length(data$view$excluded) > 0) list(excluded = data$view$excluded),
    list(
      n = data$n, d = whole$d, feature_names = whole$names,
      center = per_feature(data$mean, data, names = NULL), scale = feature_scales(data),
      deviation = per_feature(data$deviation, data, names = NULL), block = fit_block(data)
    )
  )
}

rank_fit <- function(scores, ties, selected, data, undecided) {
  found <- find_ties(scores, ties, selected, data, undecided)
  selected <- include_in_set(selected, scores, data)
  ranking <- rank_features(scores, ties, data$constant, selected, raw_square(data))
  ranking <- include_first(ranking, data)
  scores <- lower_scores(raise_included(scores, data), ranking)
  list(ranking = ranking, scores = scores, selected = selected, ties = found)
}

# how far a value may be, as a share of it, from the optimum, which is not below `bound`
relative_gap <- function(objective, bound) {
  if (isTRUE(objective == bound)) 0 else (objective - bound) / abs(objective)
}

# A lower bound as it may be stated. Above the value that it confines by no more than rounding
# it is that value; above that the proof is wrong, which is said and not hidden. Rounding is
# judged beside the largest of the values, earlier ones of an iteration for instance.
honest_bound <- function(bound, values, where) {
  value <- utils::tail(values, 1)
  if (is.na(bound) || bound <= value ||
    bound - value <= rounding_share * max(abs(values[is.finite(values)]))) {
    return(min(bound, value))
  }
  warn_rowsparse("internal", sprintf(
    "%s: a bound of %s lies beyond the value %s that it must confine: an error of rowsparse. %s",
    where, format(bound, digits = 10), format(value, digits = 10),
    "The bound is left out; the value is that of a feasible point."
  ))
  NA_real_
}

# The share of tr(S) that regression of all features on each set reproduces; from the scatter
# matrix, where it is there. NA where the memory of the machine does not hold what it takes.
shares_explained <- function(sets, data) {
  known <- or_default(data$operator, data)
  # S_.T, its factor and the product with it
  if (24 * as.double(known$d) * max(lengths(sets)) > memory_bytes()) {
    return(rep(NA_real_, length(sets)))
  }
  total <- data_trace(known)
  if (is_chain(sets)) {
    # one factorisation serves sets that continue each other
    gains <- projection_gain(known, sets[[length(sets)]])
    return(pmin(1, cumsum(gains)[lengths(sets)] / total))
  }
  vapply(sets, function(set) min(1, sum(projection_gain(known, set)) / total), 0)
}

# Share of tr(S) that a regression on the components Xc V reproduces: tr((V'SV)^+ (SV)'(SV)) / tr(S)
explained_by_components <- function(V, data) {
  none <- is.null(V) || all(V == 0)
  if (none) 0 else .Call(C_components_share, unclass(as_operator(data, ncol(V))), unname(V))
}

# Best first; constant features last; what differs by rounding ties: by `ties`, then by
# `variance`, then by the order of the data (see ties.R). Selected features, where a method
# selects exactly, come first in their order.
rank_features <- function(scores, ties, constant, selected, variance) {
  if (is.null(ties)) ties <- numeric(length(scores))
  level <- lapply(list(scores, ties, variance), step_level, relative = TRUE)
  ranking <- order(constant, -level[[1]], -level[[2]], -level[[3]], method = "radix")
  if (!is.null(selected)) ranking <- c(selected, setdiff(ranking, selected))
  as.integer(ranking)
}

# no score is above that of a feature ranked before: where the order of selection
# overrules a score (or its rounding), that score is lowered
lower_scores <- function(scores, ranking) {
  replace(scores, ranking, cummin(scores[ranking]))
}

# centred sums of squares before scaling
raw_square <- function(data) {
  weight <- data$weight
  if (is.null(weight)) data$square else data$square / ifelse(weight > 0, weight, 1)^2
}

# the function that made a fit: the class of that of spec() is another one
fit_name <- function(fit) sub("_fit$", "", class(fit)[1])

# names of features where there are any, indices elsewhere
feature_labels <- function(fit, index) {
  if (is.null(fit$feature_names)) index else fit$feature_names[index]
}
