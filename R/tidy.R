# tidy(), glance() and augment(): results as tables with one fact per row, for those
# who work with such tables. The methods are there when the package generics is.

#' Tidy tables of fits, paths, tunings and comparisons
#'
#' `tidy()` gives the parts of a result as rows of a table, `glance()` a summary in one row, and
#' `augment()` the samples with their predictions. The verbs are those of the package generics,
#' which broom, recipes and others share: load one of these packages, or call
#' `generics::tidy(fit)`. The tables are tibbles if the package tibble is installed, and data
#' frames otherwise.
#'
#' @section Columns:
#' Columns have their names in broom where broom has one for the same thing. All columns are in
#' this list.
#' \describe{
#'   \item{term}{the feature, or `"(Intercept)"`}
#'   \item{method}{the method of a fit or of a row}
#'   \item{rank, score, selected}{rank of the feature, 1 for the best; its score, higher is
#'     better; is it selected?}
#'   \item{gain}{for [alignment()], [css()] and [cdlsr()]: what the feature adds to the value that
#'     the method maximises, given those that entered before it}
#'   \item{statistic, p.value}{of the F-test of the feature, for [ftest()]; of the test that
#'     compares several methods}
#'   \item{response, estimate}{class or response, and the coefficient of the term in its
#'     regression, per unit of the feature; elsewhere `estimate` is the mean of a criterion or
#'     measure}
#'   \item{std.error, std.dev, conf.low, conf.high}{standard error and standard deviation of an
#'     estimate, ends of its interval of 95% (of average ranks: of half the critical
#'     difference to either side)}
#'   \item{component, value}{column of the loadings, and the loading of the term}
#'   \item{step}{point of a path, 1 for the first}
#'   \item{k, lambda, ...}{number of features, penalty, or any other parameter of a path or of the
#'     grid of a tuning, by its own name}
#'   \item{criterion, metric}{the estimated quantity}
#'   \item{chosen}{is this the point that is suggested?}
#'   \item{probability}{share of the subsamples of a tuning that select the term at the suggested
#'     size, an estimate of how often other samples of this kind would select it}
#'   \item{nobs, features}{numbers of samples and of features}
#'   \item{nonzero}{number of features with a nonzero score}
#'   \item{explained}{share of the centred sum of squares of the data, or of the response, that
#'     is reproduced}
#'   \item{objective, iterations, converged, kkt, bound, gap}{as in every fit, see [bsufs()]}
#'   \item{.rownames, .fitted, .resid, .class}{of a sample: its name; the predicted number, with
#'     the name of the response after a dot if there are several; the response less the predicted
#'     number; the predicted class}
#' }
#'
#' @param x A fit, a path, a tuning, a cross-validation, a comparison or an evaluation, or
#'   a test in the summary of [compare_methods()].
#' @param matrix What to list. For a fit: its `"features"`, best first; the `"coefficients"` of a
#'   fit to a response, as given by `coef()`; or its `"loadings"`. For a tuning: its `"criteria"`,
#'   or its `"features"` with their probabilities of selection.
#' @param k Number of features. `NULL`: the selected features, or all with a nonzero score where
#'   the method only ranks; for coefficients, those that `coef()` takes.
#' @param data Samples as the fit took them: matrix, data frame, sparse matrix, or an
#'   experiment. New samples are allowed.
#' @param y The numeric response of these samples, for `.resid`. For an experiment also the
#'   name of a column of `colData(data)`.
#' @param at The point of a path, as in `predict()`, see [rowsparse_path()].
#' @param assay,block As for [predict.rowsparse()].
#' @param ... Unused; for a tuning or cross-validation, passed on to the method for its fit.
#' @return A tibble or a data frame.
#'
#'   `tidy()`: for a fit, one row per feature, or per response and term, or component and
#'   term; zero coefficients and rows of zero loadings are left out. For a path, one row per point
#'   and selected feature. For a tuning, one row per point and criterion, or per feature that any
#'   subsample selects at the suggested size, the most probable first. For a cross-validation, one
#'   per size; for comparisons, one per data set, method, size and metric; for a Friedman test,
#'   one per method, best first.
#'
#'   `glance()`: one row.
#'
#'   `augment()`: one row per sample with the selected features, in rank order, and, for fits to a
#'   response, the predictions.
#' @section Errors:
#' Of class `rowsparse_error`: coefficients or loadings that the fit does not have, `y` for a fit
#' without a numeric response or of another length, and the errors of [selected()] and
#' [predict.rowsparse()].
#' @seealso [as.data.frame()][as.data.frame.rowsparse] for the table of all features,
#'   [step_select_rowsparse()] and [flt_rowsparse] for selection inside other frameworks
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' library(generics, warn.conflicts = FALSE)
#' fit <- rowsparse(iris[, 1:3], iris$Petal.Width, k = 2, method = "cdlsr")
#' tidy(fit)
#' tidy(fit, "coefficients")
#' glance(fit)
#' head(augment(fit, iris, iris$Petal.Width))
#' @name tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.rowsparse <- function(x, matrix = c("features", "coefficients", "loadings"), k = NULL, ...) {
  check_no_more("tidy", c("matrix", "k"), ...)
  check_fit(x, "x")
  matrix <- check_choice(matrix, "matrix", c("features", "coefficients", "loadings"))
  tidy_table(switch(matrix,
    features = tidy_features(x, k), coefficients = tidy_coefficients(x, k),
    loadings = tidy_loadings(x, k)
  ))
}

tidy_table <- function(table) {
  rownames(table) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table) else table
}

# those asked for, those selected, or those with a score
listed_features <- function(fit, k) {
  if (is.null(k) && is.null(fit$selected)) {
    fit$ranking[fit$scores[fit$ranking] > 0]
  } else {
    selected_index(fit, k)
  }
}

tidy_features <- function(fit, k) {
  listed <- listed_features(fit, k)
  table <- data.frame(
    term = terms_of(fit, listed), rank = match(listed, fit$ranking),
    score = unname(fit$scores[listed]), selected = listed %in% fit$selected
  )
  table$gain <- unname(fit$gains[listed])
  if (!is.null(fit$groups)) table$group <- fit$groups$label[fit$groups$of[listed]]
  if (inherits(fit, "ftest")) {
    table$statistic <- unname(fit$statistic[listed])
    table$p.value <- unname(fit$p_value[listed])
  }
  table
}

terms_of <- function(fit, index) {
  if (is.null(fit$feature_names)) paste0("V", index) else fit$feature_names[index]
}

tidy_coefficients <- function(fit, k) {
  if (is.null(fit[["response"]])) {
    stop_rowsparse("choice", "matrix",
      sprintf("\"coefficients\" needs a supervised fit; %s has no response", class(fit)[1])
    )
  }
  values <- if (is.null(k)) stats::coef(fit) else stats::coef(fit, k)
  used <- which(rowSums(values[-1, , drop = FALSE] != 0) > 0)
  used <- used[order(match(used, fit$ranking))]
  values <- values[c(1L, used + 1L), , drop = FALSE]
  data.frame(
    response = rep(colnames(values), each = nrow(values)),
    term = rep(c("(Intercept)", terms_of(fit, used)), ncol(values)), estimate = as.vector(values)
  )
}

tidy_loadings <- function(fit, k) {
  if (is.null(fit$loadings)) {
    stop_rowsparse("choice", "matrix",
      sprintf("\"loadings\" must be there, and %s has none", class(fit)[1])
    )
  }
  listed <- if (is.null(k)) fit$ranking else selected_index(fit, k)
  listed <- listed[rowSums(fit$loadings[listed, , drop = FALSE] != 0) > 0]
  values <- unname(fit$loadings[listed, , drop = FALSE])
  columns <- or_default(colnames(fit$loadings), as.character(seq_len(ncol(values))))
  data.frame(
    term = rep(terms_of(fit, listed), ncol(values)),
    component = rep(columns, each = length(listed)), value = as.vector(values)
  )
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.rowsparse <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_fit(x, "x", c("n", "objective", "iterations", "converged"))
  number <- function(name) as.double(or_default(x[[name]], NA_real_))
  tidy_table(data.frame(
    method = class(x)[1], nobs = x$n, features = x$d,
    k = if (is.null(x$selected)) NA_integer_ else units_in(x, x$selected),
    nonzero = sum(x$scores > 0),
    explained = number("explained"), objective = utils::tail(x$objective, 1),
    iterations = x$iterations, converged = isTRUE(x$converged), kkt = number("kkt"),
    bound = number("bound"), gap = number("gap")
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::augment
augment.rowsparse <- function(x, data, y = NULL, k = NULL, assay = NULL, block = NULL, ...) {
  check_no_more("augment", c("data", "y", "k", "assay", "block"), ...)
  check_fit(x, "x", if (is.null(x$response)) NULL else "response")
  data <- check_augmented(if (missing(data)) NULL else data)
  listed <- selected_index(x, if (is.null(k)) augmented_size(x) else k)
  table <- augmented_columns(x, data, listed, assay)
  numeric <- !is.null(x$response) && x$response$type == "numeric"
  if (!is.null(y) && !numeric) {
    stop_rowsparse("choice", "y", "is for fits to numeric responses, whose residuals it gives")
  }
  if (is.null(x$response)) {
    tidy_table(table)
  } else if (numeric) {
    fitted <- stats::predict(x, data, k, type = "response", assay = assay, block = block)
    tidy_table(cbind(table, augmented_numbers(as.matrix(fitted), data, y)))
  } else {
    class <- stats::predict(x, data, k, type = "class", assay = assay, block = block)
    tidy_table(cbind(table, .class = class))
  }
}

check_augmented <- function(data) {
  check_newdata(data)
  if (inherits(data, "rowsparse_blocks")) {
    stop_rowsparse("type", "data", "must be samples in memory", describe(data))
  }
  data
}

# where a method ranks only, all that have a score
augmented_size <- function(fit) {
  if (is.null(fit$selected)) max(1L, sum(fit$scores > 0))
}

# columns of a data frame stay as they are
augmented_columns <- function(fit, data, listed, assay) {
  if (is.data.frame(data)) {
    table <- as.data.frame(new_features(fit, data, listed))
    automatic <- .row_names_info(data) < 0
    rows <- if (!automatic) rownames(data)
  } else {
    values <- as.matrix(new_values(fit, data, listed, assay))
    rows <- rownames(values)
    table <- as.data.frame(unname(values))
    names(table) <- terms_of(fit, listed)
  }
  rownames(table) <- NULL
  if (is.null(rows)) table else cbind(.rownames = rows, table)
}

augmented_numbers <- function(fitted, data, y = NULL) {
  ending <- if (ncol(fitted) > 1) paste0(".", colnames(fitted)) else ""
  out <- as.data.frame(unname(fitted))
  names(out) <- paste0(".fitted", ending)
  if (is.null(y)) {
    return(out)
  }
  observed <- numeric_response(sample_column(data, y, "y"), nrow(fitted))$Y
  if (ncol(observed) != ncol(fitted)) {
    stop_rowsparse("size", "y", sprintf("must have %s, as the fit", count_of(
      ncol(fitted), "column"
    )), ncol(observed))
  }
  residuals <- as.data.frame(unname(observed - fitted))
  names(residuals) <- paste0(".resid", ending)
  cbind(out, residuals)
}

# ---- paths -------------------------------------------------------------------------

#' @rdname tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.rowsparse_path <- function(x, ...) {
  check_no_more("tidy", NULL, ...)
  check_path(x)
  listed <- as.integer(unlist(x$selected))
  step <- rep(seq_along(x$grid), lengths(x$selected))
  tidy_table(data.frame(
    step = step, lapply(path_values(x), function(values) values[step]),
    term = terms_of(x, listed), rank = sequence(lengths(x$selected)),
    score = unname(x$scores[cbind(listed, step)])
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.rowsparse_path <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_path(x)
  tidy_table(data.frame(
    method = x$method, over = x$over, steps = length(x$grid), nobs = x$n, features = x$d,
    nonzero = sum(!is.na(x$entry)), explained = max(x$explained), converged = all(x$converged)
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::augment
augment.rowsparse_path <- function(x, data, at, ...) {
  check_no_more("augment", c("data", "at"), ...)
  check_path(x)
  data <- check_augmented(if (missing(data)) NULL else data)
  point <- path_position(x, if (missing(at)) NULL else at)
  table <- augmented_columns(x, data, x$selected[[point]], x$assay)
  if (!is.null(x$response)) {
    fitted <- stats::predict(x, data, x$grid[point])
    new <- if (is.factor(fitted)) data.frame(.class = fitted) else augmented_numbers(fitted, data)
    table <- cbind(table, new)
  }
  tidy_table(table)
}

# ---- tunings and cross-validation --------------------------------------------------

#' @rdname tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.rowsparse_tuning <- function(x, matrix = c("criteria", "features"), ...) {
  check_no_more("tidy", "matrix", ...)
  check_tuning(x)
  matrix <- check_choice(matrix, "matrix", c("criteria", "features"))
  if (matrix == "features") {
    return(tidy_table(selection_probabilities(x)))
  }
  table <- x$table
  names <- names(table)
  criteria <- names[paste0(names, "_se") %in% names]
  settings <- setdiff(names, c(criteria, paste0(criteria, "_se")))
  chosen <- table$k == x$k
  for (name in names(x$setting)) chosen <- chosen & table[[name]] == x$setting[[name]]
  tidy_table(do.call(rbind, lapply(criteria, function(name) {
    data.frame(table[settings], criterion = name, estimate = table[[name]],
      std.error = table[[paste0(name, "_se")]], chosen = chosen
    )
  })))
}

# features that some subsample selects at the suggested point, and those of the fit, likely ones
# first
selection_probabilities <- function(tuning) {
  probability <- unname(tuning$frequency[, as.character(tuning$k)])
  chosen <- tuning$fit$selected
  listed <- union(chosen, which(probability > 0))
  listed <- listed[order(-probability[listed])]
  data.frame(term = terms_of(tuning$fit, listed), selected = listed %in% chosen,
    probability = probability[listed]
  )
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.rowsparse_tuning <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_tuning(x)
  at <- x$table$k == x$k
  for (name in names(x$setting)) at <- at & x$table[[name]] == x$setting[[name]]
  table <- data.frame(
    method = x$method, nobs = x$fit$n, features = x$fit$d, k = x$k, criterion = x$criterion,
    estimate = x$table[[x$criterion]][at][1], stability = x$stability[["stability"]],
    conf.low = x$stability[["lower"]], conf.high = x$stability[["upper"]]
  )
  tidy_table(if (is.null(x$setting)) table else cbind(table, x$setting, row.names = NULL))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::augment
augment.rowsparse_tuning <- function(x, data, ...) {
  check_tuning(x)
  augment.rowsparse(x$fit, if (missing(data)) NULL else data, ...)
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.cv_rowsparse <- function(x, ...) {
  check_no_more("tidy", NULL, ...)
  table <- as.data.frame(x)
  chosen_by <- measure_columns_of(x$chosen_by)
  names(table)[match(chosen_by, names(table))] <- c("estimate", "std.error")
  tidy_table(table)
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.cv_rowsparse <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_cv(x)
  table <- as.data.frame(x)
  at <- which(table$chosen)[1]
  tidy_table(data.frame(
    method = x$method, nobs = x$n, features = x$fit$d, k = length(selected_columns(x)),
    metric = x$measure, estimate = cv_error(x)$error[at], std.error = cv_error(x)$se[at]
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::augment
augment.cv_rowsparse <- function(x, data, ..., k = NULL) {
  check_cv(x)
  augment.rowsparse(x$fit, if (missing(data)) NULL else data, ..., k = or_default(k, x$k))
}

# ---- comparisons -------------------------------------------------------------------

#' @rdname tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.feature_evaluation <- function(x, ...) {
  check_no_more("tidy", NULL, ...)
  check_evaluation(x)
  table <- as.data.frame(x)
  known <- table[intersect(c("data", "method", "k"), names(table))]
  tidy_table(do.call(rbind, lapply(c("acc", "nmi"), function(metric) {
    data.frame(known, metric = metric, estimate = table[[paste0(metric, "_mean")]],
      std.dev = table[[paste0(metric, "_sd")]]
    )
  })))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.feature_evaluation <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_evaluation(x)
  table <- as.data.frame(x)
  best <- function(metric) {
    means <- known_means(score_matrix(table, metric, "mean"))
    at <- first_largest(means)
    list(method = names(means)[at], estimate = unname(means[at]))
  }
  by <- lapply(c(acc = "acc", nmi = "nmi"), best)
  tidy_table(data.frame(
    sets = max(1L, length(unique(table[["data"]]))), methods = length(unique(table$method)),
    sizes = length(unique(table$k)), acc.method = by$acc$method, acc.estimate = by$acc$estimate,
    nmi.method = by$nmi$method, nmi.estimate = by$nmi$estimate
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.friedman_nemenyi <- function(x, ...) {
  check_no_more("tidy", NULL, ...)
  check_friedman(x)
  ranks <- sort(x$ranks)
  half <- x$critical_difference / 2
  tidy_table(data.frame(
    method = names(ranks), estimate = unname(ranks), conf.low = unname(ranks) - half,
    conf.high = unname(ranks) + half
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.friedman_nemenyi <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  check_friedman(x)
  tidy_table(data.frame(
    statistic = x$statistic, p.value = x$p_value, df = x$df, nobs = x$blocks,
    critical.difference = x$critical_difference
  ))
}
