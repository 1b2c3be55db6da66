#' Select features by any method of the package
#'
#' One call for every method: from data to exactly `k` features, with defaults that need no tuning.
#' The result is the method's own fit, described on its help page.
#'
#' @section How each method comes to exactly k features: Methods that rank features give the k best.
#' A default penalty that leaves fewer with a nonzero score is halved until there are enough. Places
#' beyond what a method can serve (least squares tells at most n - 1 features apart) are filled in
#' the order of its second criterion, then of the variance, with a warning of class
#' `rowsparse_warning_fill`. Of [css()] the default here is `solver = "forward"`, whose sets of
#' smaller k begin those of larger k.
#'
#' @section The default method:
#' `method = NULL`, or `"default"`, depends on the data. It draws no random numbers, and means the
#' same wherever a method is named: here, in [cv_rowsparse()], [rowsparse_path()], recipes and mlr3.
#' Printing a fit shows the call that gives it by name:
#' \tabular{ll}{
#'   a `family` \tab `rowsparse_glm(x, y, k, family)`\cr
#'   censored times \tab `rowsparse_glm(x, y, k, "cox")`\cr
#'   one number per sample, k at most n / 2 \tab `cdlsr(x, y, k, ridge = "cv")`\cr
#'   one number per sample, larger k \tab `alignment(x, y, k)`\cr
#'   classes \tab `cdlsr(x, y, k, ridge = "pillai")`\cr
#'   classes, more than 5 features per sample, or an experiment \tab `alignment(x, y, k)`\cr
#'   several numbers, or [row_blocks()] with numbers \tab `alignment(x, y, k)`\cr
#'   no response \tab `alignment(x, k = k)`\cr
#'   an experiment without a response \tab `fspca(x, k, solver = "go")`\cr
#'   the same with `rules` or `groups` \tab `fspca(x, k)`\cr
#'   [moments()] with classes \tab `cdlsr(x, k = k, ridge = "pillai")`\cr
#'   [moments()] with numbers \tab `cdlsr(x, k = k)`\cr
#'   [moments()] without a response \tab `css(x, k, solver = "forward")`
#' }
#' n is the number of samples; moments do not hold these, which `ridge = "cv"` and `alignment()`
#' need. Experiments are objects of class `SummarizedExperiment`, not matrices of expressions. For a
#' table of factors, or a formula, `rowsparse(..., method = "cdlsr", ridge = "cv")` is the same by
#' name. Where a default selects a feature and an exact copy of it, a message of class
#' `rowsparse_message_copies` names both; `diverse = TRUE` leaves copies out.
#'
#' For classes the indicators are divided by the root of the size of their class, so that Y'Y is a
#' projector, and the set maximises Pillai's trace with a ridge of a tenth of the samples,
#' \deqn{\mathrm{tr}\{(X_J'X_J + 0.1 n I)^{-1} X_J'Y Y'X_J\},}{
#'   tr((X_J'X_J + 0.1 n I)^-1 X_J'Y Y'X_J),}
#' n is the sum of the `weights`. Coefficients are those of the plain indicators.
#'
#' The evidence is in `vignette("imaging-panel")` for experiments and in `vignette("predict")` for
#' a number per sample. Without labels, k-means on 50 features of alignment found the classes of 25
#' data sets better than on a share of 0.86 of random sets of 50 ([css()] 0.75, variance 0.59); it
#' fails where the largest groups are not those of interest. With classes the mean error of the
#' classifier and of nearest neighbours was 0.274 (alignment 0.279, F statistics 0.377: 17 sets,
#' k = 3 to 20). `bench/usefulness.R` and `bench/response.R` of the sources repeat these studies.
#'
#' The default is the wrong choice where all features that carry the response are wanted ([ftest()]
#' ranks them), where k is far above the number of relevant features ([cv_rowsparse()] chooses it),
#' for responses far from normal, such as counts (`family = "poisson"`, or `log1p(y)`), and by a
#' little with few samples and k above a fifth of their number (`method = "alignment"`). A factor of
#' many levels counts as one of k and may be preferred for its many columns.
#'
#' A warning of class `rowsparse_warning_no_better` says that on samples left out (see
#' [print()][print.rowsparse]) the fit predicts no better than the mean or the shares of classes.
#'
#' @section Units: Methods without labels depend on variances, so a feature measured in large
#' numbers counts more, unless `scale = TRUE`. Where the method does not scale and, of 3 to 500
#' features that vary, one has at least a hundred times the median variance, a message of class
#' `rowsparse_message_scale` says so; `scale = TRUE` or `FALSE` silences it.
#'
#' @section The dimension of the subspace:
#' Where the dimension `m` (or the number of `clusters`) is left out, it is the elbow of the leading
#' eigenvalues of the scatter matrix: the point furthest below the straight line from the first to
#' the last of the logarithms of the (at most 30) largest eigenvalues. If no point lies below the
#' line, m is the number of eigenvalues above the mean, at most 10. The number is at least 2 for
#' clusters, and at most `k` where k features must carry m components ([dscofs()], [fspca()]).
#' [css()] takes as many components as carry 90% of the variance, at most 50, and `m = Inf` for all
#' of the data.
#'
#' @section Ties: Where equal scores at the cut, scores that are all zero, or components followed by
#' an equal eigenvalue let other sets serve as well, `unique` is `FALSE`, with a warning of class
#' `rowsparse_warning_not_unique`; `NA` for a ranking, which is not cut. `TRUE` means that no such
#' tie was found, not that a local solution is the only one. `ties` is a list: `places`, the first
#' and last place in the ranking of features with the same score; `reasons`, in words. Tied features
#' are taken in an order that depends on their values, by larger variance first; only copies,
#' features of more than 1e7 stored numbers, and those that [moments()] do not distinguish, in
#' column order.
#'
#' @section The redundancy guard:
#' With `diverse = 0.9` the ranking is followed from the top, and a feature is skipped when the
#' share of its variance that a linear regression on the \eqn{t} features taken before explains,
#' adjusted for their number,
#' \deqn{1 - \frac{\mathrm{RSS} / (n - 1 - t)}{\mathrm{TSS} / (n - 1)},}{ 1 - (RSS / (n - 1 - t)) /
#' (TSS / (n - 1)),} reaches this number, as with neighbouring pixels or co-regulated genes. If
#' fewer than k features are found, the best of the skipped ones are added, with a warning. The
#' guard changes `selected` and `ranking`; loadings and predictions remain those of the method.
#'
#' @inheritParams bsufs
#' @param x Data, samples in rows and features in columns, see [rowsparse_data]. Or a formula, as in
#'   `rowsparse(Species ~ ., data = iris)`, see [tables].
#' @param y Response for supervised methods: class labels or numbers, one per sample, see
#'   [rowsparse_data]; for an experiment also the name of a column of `colData(x)`. Unsupervised
#'   methods do not use it, [alignment()] does where it is given.
#' @param k How many features are selected: columns of x, columns or terms of a table with factors,
#'   or `groups`. The default, 50, is lowered to what the data have; [cv_rowsparse()] finds one.
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` or `"default"` for the default
#'   method below.
#' @param ... Further arguments of the method, by name, see its page: `scale = TRUE` where features
#'   have different units, `ridge` of [cdlsr()], `m` components, `control` of the iterations.
#' @param groups One label for each column of x, or a list of columns by name or number: `k` then
#'   counts [groups], which are selected as a whole.
#' @param weights Weights of the samples, for methods that take them ([cdlsr()], [pgd()]): numbers,
#'   `"balanced"`, the name of a column of `colData(x)`, or, with a formula, an expression of
#'   columns of `data`, as in [stats::lm()].
#' @param rules What a panel must obey beside its size, such as a budget, or so many markers of each
#'   type: see [panel_rules()].
#' @param data The data frame for a formula, see [tables].
#' @param na.action How to treat rows with missing values, where x is a formula or a data frame: a
#'   function such as [stats::na.omit()], or its name, see [tables].
#' @param diverse Skip features that better ones reproduce? The share of the variance, adjusted and
#'   between 0 and 1, from which a feature counts as reproduced; `TRUE` is 0.9. Skipped features are
#'   ranked after the selected ones, and no score exceeds that of the last selected one.
#' @param subset The samples to use. For an experiment `TRUE` and `FALSE`, numbers, names, or the
#'   name of a column of `colData(x)`; y and weights then have an entry for every sample of x. With
#'   a formula an expression of columns of `data`, as in [stats::lm()].
#' @param return `"fit"`, or for an experiment also `"object"`: x with columns `rowsparse_score`,
#'   `rowsparse_rank` and `rowsparse_selected` in its `rowData`, and the fit as
#'   `metadata(x)$rowsparse`.
#' @param missing What to do about names in `include`, `exclude` and `rules` (sets, and those of
#'   `near` if some are left) that the data lack: `"error"`, or `"ignore"`, which leaves them out
#'   with a message of class `rowsparse_message_missing` that names them.
#'
#' @return A fit of class `c("<method>", "rowsparse")` with exactly k features in `selected`, in
#'   rank order, see [rowsparse_fit]. With `diverse` also `diverse`, a list with `threshold`,
#'   `skipped` (the skipped columns) and `filled` (how many of them were added again).
#' @seealso [rowsparse_methods()]; [rowsparse_path()] and [cv_rowsparse()] to look at more than one
#'   k or penalty; [selected()], [compare_panels()]; [rowsparse_conditions] for errors
#' @examples
#' fit <- rowsparse(iris[, 1:4], k = 2)
#' fit
#' selected(fit)
#' head(predict(fit, iris))
#' rowsparse(Species ~ ., data = iris, k = 2) # for a response
#'
#' # features of one pattern left out, one selected in any case
#' rowsparse(iris[, 1:4], k = 2, include = "Sepal.Width", exclude = "^Petal.W")
#'
#' # near-copies of one feature: the guard takes one of them only
#' set.seed(1)
#' x <- matrix(rnorm(60 * 5), 60)
#' x <- cbind(3 * x[, 1] + matrix(rnorm(60 * 4, sd = 0.1), 60), 2 * x[, 2:3], x[, 4:5])
#' selected(rowsparse(x, k = 3, method = "bsufs", m = 3))
#' selected(rowsparse(x, k = 3, method = "bsufs", m = 3, diverse = TRUE))
#' @export
rowsparse <- function(x, y = NULL, k = 50, method = NULL, ..., data = NULL, include = NULL,
                      exclude = NULL, groups = NULL, block = NULL, weights = NULL, rules = NULL,
                      diverse = FALSE, subset = NULL, assay = NULL, na.action = NULL,
                      return = c("fit", "object"), missing = c("error", "ignore")) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (inherits(x, "formula")) call$x <- x # which formula() and update() find again
  wanted <- check_choice(return, "return", c("fit", "object"))
  refuse_if(wanted == "object" && !is_experiment(x), "type", "return",
    "= \"object\" needs a SummarizedExperiment", describe(x)
  )
  fit <- leaving_out(missing = missing, {
    request <- as_request("rowsparse", call, parent.frame(), x = x, y = y, k = k, method = method,
      rules = rules, ..., data = data, include = include, exclude = exclude, groups = groups,
      block = block, weights = weights, subset = subset, assay = assay, na.action = na.action
    )
    fit_request(request, k, missing(k), diverse_threshold(diverse, request$given))
  })
  fit$call <- call
  fit$elapsed <- proc.time()[["elapsed"]] - started
  if (wanted == "object") marked_experiment(request$object, fit) else fit
}

# What a front door was asked: entry (of the method), x (as methods read it: matrix, row blocks or
# moments), y, given (its arguments), object (x as it was, without rows left out), assay,
# identifiers, and blueprint, omitted, n, rows of a table, see read_door(). `door`: the function;
# `call`, `frame`: its call and where this was made; `reserved`, `adapt`: functions of the entry,
# and of the arguments and the entry
as_request <- function(door, call, frame, x, y, k, method, ..., data = NULL, include = NULL,
                       exclude = NULL, groups = NULL, block = NULL, weights = NULL, subset = NULL,
                       assay = NULL, na.action = NULL,
                       reserved = function(entry) NULL, adapt = function(given, entry) given) {
  check_places(k, method)
  table <- read_door(call, frame, x, y, data, include, exclude, groups, block, weights, subset,
    na.action
  )
  x <- table[["x"]]
  y <- table[["y"]]
  entry <- asked_entry(method, x, y, k = k, given = c(list(...), table$given))
  check_takes_weights(entry, table$given[["weights"]])
  given <- check_arguments(entry, c(adapt(list(...), entry), table$given, list(assay = assay)),
    reserved(entry), names(formals(door))
  )
  given <- rows_of_table(given, table, "offset")
  given[["rules"]] <- rules_of_samples(given[["rules"]], x, table$rows, table$n)
  check_orientation(x, y)
  read <- read_experiment(x, y, given, if (!table$formula) subset)
  check_use_of_response(entry, read$x, read$y, read$given)
  c(list(entry = entry, object = x), read, table[c("blueprint", "omitted", "n", "rows")])
}

# Calls that serve the data, response and method at hand where data with gaps were refused
ways_out_of_gaps <- function(request) {
  x <- request[["x"]]
  y <- request[["y"]]
  if (!is.matrix(x) && !is.data.frame(x)) {
    return("Leave out the samples or features that have them, or impute them")
  }
  finite <- !any(is.infinite(as.matrix(x)))
  left <- sprintf("`keep <- is.finite(rowSums(as.matrix(x)))`, then `rowsparse(x[keep, ]%s, ...)`",
    if (is.null(y)) "" else if (is.null(dim(y))) ", y[keep]" else ", y[keep, ]"
  )
  if (is_experiment(request$object)) {
    left <- samples_of_experiment(choose_assay(request$object, request$assay))
  }
  paste0(
    if (finite && is.data.frame(x)) "`na.action = na.omit` leaves out these samples. ",
    if (finite && "moments" %in% request$entry$input) {
      sprintf("`rowsparse(moments(x%s, missing = \"em\"), ...)` takes them as missing. ",
        if (needs_response(request$entry)) ", y" else ""
      )
    },
    left, ", fits the others"
  )
}

# the fit of a request with exactly k features
fit_request <- function(request, k, default, threshold) {
  entry <- request$entry
  given <- request$given
  data <- tryCatch(method_data(entry, request$x, given), rowsparse_error_nonfinite = function(e) {
    if (identical(e[["argument"]], "x")) {
      e$message <- sub(e[["way_out"]], ways_out_of_gaps(request), e$message, fixed = TRUE)
    }
    stop(e)
  })
  # a default gives way to small data, a request does not
  if (default) k <- min(k, unit_count(data))
  check_locked_size(k, data)
  k <- check_count(k, "k", 1L, unit_count(data))
  tell_units(entry, data, request$object, k, given)
  if (needs_dimension(entry, given)) data <- with_values_for(data, entry)
  own <- fit_sized(entry, request$x, request$y, data, k, given)
  fit <- select_exactly(own, data, k)
  if (!is.null(threshold)) fit <- resolve_unique(make_diverse(fit, data, k, threshold))
  if (has_regression(fit) && is.na(fit$explained)) fit$explained <- explained_by_first(fit, k)
  if (!identical(fit$selected, own$selected)) fit <- with_fitted(fit, data)
  tell_determined(fit, request)
  fit$default <- entry$usual
  fit$assay <- request$assay
  fit$identifiers <- request$identifiers
  fit <- with_left_out(fit)
  tell_copies(fit, data)
  no_better <- words_no_better(fit)
  if (!is.null(no_better)) warn_rowsparse("no_better", paste0(fit_name(fit), ": ", no_better, "."))
  with_table(fit, request)
}

# The share from which the guard, which looks at single features, takes one as reproduced; NULL: no
# guard
diverse_threshold <- function(diverse, given) {
  if (is.logical(diverse) && !check_flag(diverse, "diverse")) {
    return(NULL)
  }
  wrong <- intersect(c("groups", "rules"), names(given))
  refuse_if(length(wrong) > 0L, "argument", "diverse", sprintf("must be FALSE with `%s`", wrong[1]))
  if (isTRUE(diverse)) 0.9 else check_number(diverse, "diverse", 0, 1, open_lower = TRUE)
}

# Check the response, and tell once what it is taken for
check_use_of_response <- function(entry, x, y, given) {
  n <- sample_count(x)
  if (!is.null(y) && !is.na(n)) check_response_length(y, n)
  from_moments <- inherits(x, "rowsparse_moments") && !is.null(x$Sxy)
  refuse_if(needs_response(entry) && is.null(y) && !from_moments, "type", "y",
    sprintf("must be given: %s is supervised", entry$name)
  )
  if (needs_response(entry) && !is.null(y)) entry_response(entry, y, NROW(y), given)
}

# Features of different units: of at most 500 (pixels and genes are more, and have one),
# one has a hundred times the median of the variances. Whoever says `scale` has decided.
tell_units <- function(entry, data, object, k, given) {
  plain <- is.matrix(object) || is.data.frame(object)
  asks <- plain && takes(entry, "scale") && is.null(given[["scale"]]) && !isTRUE(data$scaled)
  varying <- which(!data$constant)
  variance <- data$deviation[varying]^2
  largest <- which.max(variance)
  middle <- stats::median(variance)
  if (asks && k < data$d && length(varying) %in% 3:500 && variance[largest] >= 100 * middle) {
    say_rowsparse("scale", sprintf(paste(
      "The variances of the features differ by orders of magnitude (%s: %.3g, the median: %.3g),",
      "and %s takes large numbers as they are. If the units differ, say scale = TRUE; if they",
      "are the same, scale = FALSE."
    ), data_column_label(data, varying[largest]), variance[largest], middle, entry$name))
  }
}

# a fit that knows at least k features, as far as the method can
fit_sized <- function(entry, x, y, data, k, given) {
  free <- setdiff(or_default(entry$lowered, entry$penalty), names(given))
  if (length(free) == 0L) {
    return(fit_method(entry, x, y, data, min(k, entry$largest(data, given)), given))
  }
  fit <- lower_penalty(entry, x, y, data, k, given, free)
  warn_of_end(fit, k)
  fit
}

# The penalties that the caller left free are halved until k features have a
# nonzero score; what becomes of the last fit is told by the caller.
lower_penalty <- function(entry, x, y, data, k, given, free) {
  one_fit <- function(given) {
    suppressWarnings(fit_method(entry, x, y, data, k, given),
      classes = c("rowsparse_warning_not_unique", "rowsparse_warning_convergence")
    )
  }
  fit <- one_fit(given)
  wanted <- min(k, varying_units(data))
  for (halving in 1:20) {
    if (sum(unit_view(fit)$scores > 0) >= wanted) break
    for (penalty in free) given[[penalty]] <- fit$parameters[[penalty]] / 2
    fit <- one_fit(given)
  }
  fit
}

# If a method cannot choose as many as k, its scores of the others are rounding
# errors: these follow in the order of their variance.
select_exactly <- function(fit, data, k) {
  served <- units_in(fit, fit$selected)
  if (served > 0 && served < k) {
    warn_rowsparse("fill", sprintf(
      "%s can choose at most %d %ss here; the others follow in the order of their variance.",
      fit_name(fit), served, unit_noun(fit)
    ))
    variance <- raw_square(data)
    chosen <- inner_index(fit$selected, data)
    ranking <- rank_features(variance, NULL, data$constant, chosen, variance)
    fit$ranking <- c(outer_index(ranking, data), fit$excluded)
    fit$scores <- lower_scores(fit$scores, fit$ranking)
  }
  fit$selected <- first_columns(fit, k)
  fit$groups <- fit_groups(fit, fit$groups)
  if (served != k) { # the set is another one than that of the method
    known <- identical(fit$unique, FALSE)
    fit <- resolve_unique(fit)
    if (!known) warn_of_end(fit, solver = FALSE)
  }
  if (served == 0 && !identical(fit$unique, FALSE)) warn_filled(fit, k)
  fit
}

make_diverse <- function(fit, data, k, threshold) {
  ranking <- utils::head(inner_index(fit$ranking, data), data$d)
  found <- diverse_features(data, ranking, k, threshold)
  found[c("selected", "skipped")] <- lapply(found[c("selected", "skipped")], outer_index, data)
  if (found$filled > 0) {
    warn_rowsparse("fill", sprintf(paste(
      "only %d features are not reproduced by better ones at `diverse` = %g; the best %d of those",
      "skipped fill up."
    ), k - found$filled, threshold, found$filled))
  }
  fit$selected <- found$selected
  fit$ranking <- c(found$selected, setdiff(fit$ranking, found$selected))
  fit$scores <- lower_scores(fit$scores, fit$ranking)
  fit$margins <- fit$near_copies <- NULL # of the features as they entered
  fit$diverse <- c(list(threshold = threshold), found[c("skipped", "filled")])
  fit
}
