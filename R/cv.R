#' Cross-validation of a supervised method
#'
#' Chooses the number of features, or the penalty, by the error on held-out samples. For each fold
#' the method is fitted anew to the samples of the other folds. Selection, centring and scaling use
#' these training samples only, so the held-out samples take no part in the selection.
#'
#' @section Which points are compared:
#' Methods with a penalty ([rfs()], [crfs()]) use `nlambda` penalties, the largest first, with each
#' fit started from the previous one, and predict from the features with a nonzero score. All other
#' methods, and methods with a penalty where `k` is given, use numbers of features. Where one fit
#' holds all sizes ([cdlsr()] by exchanges, and the rankings) the default is 1, 2, ..., 50, as far
#' as the training sets allow; for methods that are refitted for each size, it is ten sizes up
#' to 50. Penalties are the same in all training sets.
#'
#' @section The error and its standard error:
#' For classes the error is the share of wrong predictions, for numbers the squared error per
#' sample, summed over the responses; predictions are those of [predict.rowsparse()]. The error is
#' the mean over all samples, each held out once. Its standard error comes from the deviations
#' between folds,
#' \deqn{\mathrm{se}^2 = \frac{1}{F - 1} \sum_f \frac{n_f}{n} (e_f - \bar e)^2}{
#'   se^2 = sum_f (n_f / n) (e_f - e)^2 / (F - 1)}
#' for F folds of \eqn{n_f} samples with errors \eqn{e_f}. With `repeats` the folds are drawn
#' several times. The error is then the mean over the repeats, which reduces the variation from
#' drawing folds. The samples are the same in all repeats, so the standard error does not shrink: it
#' is the root mean square of the standard errors of single repeats. `spread` is the standard
#' deviation of the error between the repeats.
#'
#' With `weights` every fit uses the weights of its training samples, and the error is the weighted
#' mean over the held-out samples: \eqn{e_f} within its fold, and \eqn{n_f} and n are sums of
#' weights. A factor in all weights changes nothing. For numbers a whole weight repeats its sample
#' that many times within one fold.
#'
#' Classes have two further measures. `balanced` is the mean over the classes of the share of wrong
#' predictions in the class, so a rare class counts as much as a frequent one: where 95 of 100
#' samples are healthy, always predicting healthy has error 0.05 and balanced error 0.5. `log_loss`
#' is the mean of \eqn{-\log p}{-log p}, with p the predicted probability of the true class, at
#' least 1e-6: it is low where probabilities are calibrated. A fold without a class does not enter
#' the result of that class. The rules choose by the given `measure`, with its own standard errors:
#' `"balanced"` where a rare class matters as much as the others, `"log_loss"` where probabilities
#' are needed. The logarithmic loss uses more than the most probable class, so it separates sizes
#' whose errors tie.
#'
#' @section Which point is chosen:
#' Rule `"1se"`, the default, takes the smallest size, or the largest penalty, whose error exceeds
#' the lowest by at most the standard error of the difference. This is the formula above with the
#' differences in the folds, \eqn{D_f = e_{fk} - e_{fm}}{D_f = e_fk - e_fm}, m the best point, in
#' place of the errors; the difficulty of a fold that all points share cancels. In eleven regimes of
#' simulated regressions with `cdlsr()` and 10 folds, of the features chosen by `"1se"` a share of
#' 0.18 was false, and 0.77 of the true ones were found; by `"min"` 0.20 and 0.80. The errors of
#' prediction were 0.361 and 0.355 of the variance (`Rscript bench/response.R rules`). So `"1se"`
#' gives slightly fewer false features for a slightly larger error.
#'
#' The lowest error is somewhat too low, as its point was chosen for it. [selection_error()] reports
#' the error of a given size, beside the error that selection outside the folds would have claimed.
#'
#' @inheritParams cdlsr
#' @inheritParams rowsparse
#' @param BPPARAM A BiocParallelParam, the [workers] that share the work. `NULL`: the workers of the
#'   future plan where one is set, else this process alone.
#' @param x The samples themselves (no moments, no row blocks), see [bsufs()]; or a formula, with
#'   `data`, see [tables].
#' @param y Response: class labels or numbers, as in [cdlsr()].
#' @param k Number of features, or several numbers to compare. `NULL`: the default above. For
#'   [cdlsr()] the training sets must have more than k samples unless `ridge > 0`.
#' @param method Name of a supervised method, see [rowsparse_methods()]; `NULL` for the default of
#'   [rowsparse()].
#' @param lambda Penalties to compare, in any order, for methods that have one. With `k` only one
#'   number, at which the sizes are compared. `NULL`: `nlambda` penalties from the largest useful
#'   one on all samples down, evenly spaced on the logarithmic scale.
#' @param folds Number of folds. By default samples are assigned to folds without random draws:
#'   classes one after the other; numbers from the smallest to the largest, to the folds 1, 2, ...,
#'   F, F, ..., 2, 1, 1, ...; several responses by their first principal component; samples of the
#'   same class or number by their distance from the mean. The order of samples and features has no
#'   effect. Levels of a `block` are spread evenly as well, and every training set keeps at least
#'   two samples of each level. With `seed`, or `repeats` above 1, folds are drawn with the same
#'   stratification.
#' @param seed A whole number from which folds are drawn; the state of R's generator is neither used
#'   nor changed. `NULL`: folds are not drawn, or with `repeats`, `set.seed()` governs them.
#' @param foldid The fold of each sample, in place of `folds`: a vector with one entry per sample,
#'   or a matrix with a column for each repeat. Every training set must have samples of all classes.
#'   Where a level of `block` is missing from the training set, for example when whole batches are
#'   left out, its samples are predicted from the means over all training samples.
#' @param weights Observation weights, a number of at least 0 per sample (for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`), for methods that take them:
#'   [cdlsr()] and [pgd()]. Other methods refuse weights, and `block` with weights is refused.
#'   Samples of weight 0 take no part. `NULL`: all samples count the same.
#' @param repeats How often the evaluation is repeated with new random draws, here of the folds; 1
#'   is ordinary cross-validation.
#' @param rule `"1se"`: the smallest size, or the largest penalty, that is not worse than the best
#'   by more than one standard error of the difference; `"min"`: the point with the lowest error.
#' @param measure The measure that the rule uses: `"error"`, or for classes also `"balanced"` or
#'   `"log_loss"`, see above.
#' @param nlambda,lambda_ratio Number of penalties, and the smallest divided by the largest.
#' @param ... Further arguments of the method, the same at all points.
#' @return A list of class `cv_rowsparse`:
#'   \item{table}{data frame, one row per point: `k` or `lambda`, `features` (their mean number in
#'     the folds), `error`, `se`, `spread` (`NA` without repeats), `se_paired` (standard error of
#'     the difference from the lowest error). `spread` and `se_paired` refer to the chosen measure.
#'     For classes also `balanced`, `balanced_se`, `log_loss`, `log_loss_se`}
#'   \item{method, over}{the method, and the varied argument: `"k"` or `"lambda"`}
#'   \item{k, k_min, k_1se}{over `k`: the size chosen by `rule`, and the sizes of both rules; over
#'     `lambda` the elements are `lambda`, `lambda_min` and `lambda_1se`}
#'   \item{rule, chosen_by, measure}{the rule, its measure, and the measure in words}
#'   \item{null_error}{this measure without features: predicting the most frequent class, or the
#'     mean, of the training sets; `null_measures`: for classes all measures, the logarithmic loss
#'     with the shares of the classes}
#'   \item{fold_error}{matrix of this measure, a row per fold (repeat after repeat), a column per
#'     point}
#'   \item{foldid, repeats}{the fold of each sample, n x repeats with repeats; `NA` for samples of
#'     weight 0}
#'   \item{fit}{the fit to all samples at the chosen point; for methods whose fit holds all sizes,
#'     the fit of the largest size}
#'   \item{other}{the fit at the point of the other rule, where it is another fit}
#'   \item{n, elapsed, call}{}
#' @section Errors:
#' As for the method. Also of class `rowsparse_error_argument` for `weights` of a method that takes
#' none; `rowsparse_error_choice` for a method without a response, or a `measure` of classes for
#' numbers; `rowsparse_error_type` for moments and row blocks, whose samples cannot be held out;
#' `rowsparse_error_class` when a class has one sample only, or is missing from a training set given
#' by `foldid`; `rowsparse_error_block` when a level of `block` has too few samples for the folds.
#' @seealso [predict.cv_rowsparse()] and related functions for the result, [selection_error()],
#'   [compare_methods()] for the errors of several methods, [tune_rowsparse()] for other criteria
#' @examples
#' cv <- cv_rowsparse(iris[, 1:4], iris$Species)
#' cv
#' plot(cv)
#' table(predict(cv, iris, s = "min"), iris$Species)
#'
#' cv_rowsparse(iris[, 1:3], iris$Petal.Width, method = "rfs", nlambda = 10, folds = 5)
#' cv_rowsparse(iris[, 1:4], iris$Species, k = 1:4, method = "cdlsr", measure = "log_loss")
#' @export
cv_rowsparse <- function(x, y, k = NULL, method = NULL, lambda = NULL, folds = 10, foldid = NULL,
                         repeats = 1, seed = NULL, rule = c("1se", "min"), nlambda = 30,
                         lambda_ratio = 0.01, ..., weights = NULL, include = NULL,
                         exclude = NULL, block = NULL,
                         BPPARAM = NULL, assay = NULL, data = NULL, na.action = NULL,
                         measure = c("error", "balanced", "log_loss"), groups = NULL) {
  call <- match.call()
  measure <- check_choice(measure, "measure", class_measures)
  check_given(missing(y), "y", inherits(x, c("rowsparse_moments", "formula")), formulas = TRUE)
  check_places(k, method)
  table <- read_table(x, if (missing(y)) NULL else y, data, na.action, include, exclude, groups,
    response = TRUE
  )
  x <- table[["x"]]
  entry <- cv_entry(method, x, table[["y"]], k)
  check_takes_weights(entry, weights)
  given <- check_arguments(entry, c(
    list(...), list(weights = weights, block = block), table$locks
  ), reserved = c(shared_start(entry), entry$penalty))
  given <- rows_of_table(with_one_penalty(entry, given, k, lambda), table)
  parts <- list(folds = folds, foldid = foldid, repeats = repeats, seed = seed)
  out <- cross_validate(entry, x, table[["y"]], given,
    list(k = k, lambda = if (is.null(k)) lambda, nlambda = nlambda, ratio = lambda_ratio),
    rows_of_table(parts, table, "foldid"), rule, measure, call, BPPARAM, assay
  )
  for (name in intersect(c("fit", "other"), names(out))) {
    if (!is.null(out[[name]])) out[[name]] <- with_table(out[[name]], table)
  }
  out
}

# the default, or the one named, which must be able to use y
cv_entry <- function(method, x, y, k = NULL) {
  entry <- asked_entry(method, x, y, by_response = TRUE, k = k)
  if (!needs_response(entry)) {
    stop_rowsparse("choice", "method",
      sprintf("must be a supervised method; %s does not use `y`", entry$name), NULL,
      "selection_error() gives the error of its selection followed by a fit to `y`"
    )
  }
  entry
}

# sizes may be compared at one penalty
with_one_penalty <- function(entry, given, k, lambda) {
  if (is.null(k) || is.null(lambda)) {
    return(given)
  }
  path_variable(entry, NULL, lambda)
  given[[entry$penalty]] <- check_number(lambda, "lambda", 0)
  given
}

cv_rules_known <- c("1se", "min")

# ---- the work --------------------------------------------------------------------

# `asked`: the points that the caller wants; `parts`: how the samples are divided
cross_validate <- function(entry, x, y, given, asked, parts, rule, measure, call, BPPARAM,
                           assay) {
  started <- proc.time()[["elapsed"]]
  check_workers(BPPARAM)
  rule <- check_choice(rule, "rule", cv_rules_known)
  samples <- samples_in_memory(x, assay)
  given["block"] <- list(sample_column(x, given[["block"]], "block"))
  given$weights <- sample_weights(x, given[["weights"]], y)
  check_no_block_beside(given)
  divided <- weighted_samples(samples, sample_column(x, y, "y"), parts, given[["weights"]])
  samples <- divided$x
  given$weights <- divided$weights
  data <- method_data(entry, samples, given)
  response <- as_response(divided$y, data$n)
  check_measure_serves(measure, response)
  foldid <- fold_columns(divided$parts, response, samples, given[["block"]])
  y <- response_of(response)
  check_slopes_hold(y, data)
  grid <- cv_grid(entry, data, y, given, asked, foldid)
  whole <- whole_fits(entry, samples, y, data, grid)
  unit <- response_unit(y)
  found <- cross_validated(entry, samples, y, grid, foldid, unit, BPPARAM)
  warn_unconverged_folds(found$converged)
  points <- cv_points(found, foldid, grid, unit, measure, measure_weights(y, grid_weights(grid)))
  points$foldid <- folds_of_all(foldid, divided)
  at <- points$at
  fits <- whole$fits_at(at[c(rule, setdiff(names(at), rule))])
  if (is_experiment(x)) for (one in which(lengths(fits) > 0)) fits[[one]]$assay <- assay
  words <- measure_words(measure, response$type, divided$weights)
  new_cv(entry, points, rule, fits, ncol(foldid), measure, words, data$n, call, started)
}

# a response in units of the features must be a number
check_slopes_hold <- function(y, data) {
  steepest <- response_unit(y) / min(data$deviation[!data$constant])
  if (!is.finite(steepest)) {
    stop_rowsparse("range", "y",
      "must be of a size beside the features at which double precision holds slopes",
      "one that is 1e308 times larger, or more", "Divide it, or multiply the features"
    )
  }
}

# One setting and its sizes, or a setting for each penalty; `over`: what changes
cv_grid <- function(entry, data, y, given, asked, foldid) {
  if (path_variable(entry, asked$k, asked$lambda) == "k") {
    sizes <- cv_sizes(asked$k, entry, data, given, foldid)
    return(list(settings = list(given), sizes = sizes, path = FALSE, over = "k"))
  }
  penalties <- path_penalties(entry, data, y, given,
    asked$lambda, or_default(asked$nlambda, 30), or_default(asked$ratio, 0.01)
  )
  if (is.null(given[["control"]])) given$control <- rowsparse_control(tol = entry$path_tol)
  settings <- lapply(penalties, function(penalty) {
    given[[entry$penalty]] <- penalty
    given
  })
  list(
    settings = settings, sizes = NULL, path = takes(entry, "start"), over = entry$penalty,
    penalties = penalties
  )
}

# what the smallest training set can serve
cv_sizes <- function(k, entry, data, given, foldid) {
  data$n <- nrow(foldid) - max(apply(foldid, 2, function(fold) max(tabulate(fold))))
  largest <- largest_size(entry, data, given)
  refit <- sizes_of(entry, given) == "refit"
  least <- max(1L, if (refit) locked_count(data))
  if (is.null(k)) {
    last <- max(least, min(50, largest))
    k <- if (refit) exp(seq(log(least), log(last), length.out = 10)) else seq(least, last)
    return(unique(as.integer(round(k))))
  }
  if (is.numeric(k) && length(k) > 0) {
    for (size in if (refit) range(k) else max(k)) check_locked_size(size, data)
  }
  k <- sort(unique(check_counts(k, "k", 1L, unit_count(data))))
  if (max(k) > largest) {
    stop_rowsparse("range", "k",
      sprintf("must be at most %d, what the smallest training set (%s) can serve", largest,
        count_of(data$n, "sample")
      ),
      max(k), if (takes(entry, "ridge")) "`ridge` > 0 lifts this limit"
    )
  }
  k
}

# The fits to all samples, made first as they check what was given. fits_at(rows of the table)
# gives the fit of the first, and that of the second where it is another one.
whole_fits <- function(entry, x, y, data, grid) {
  if (is.null(grid$sizes)) {
    fits <- fit_settings(entry, x, y, grid)
    return(list(fits_at = function(at) {
      out <- lapply(unique(at), function(point) with_scored(fits[[point]]$fit, data))
      warn_of_end(out[[1]])
      out
    }))
  }
  given <- grid$settings[[1]]
  kind <- sizes_of(entry, given)
  largest <- fit_sized(entry, x, y, data, max(grid$sizes), given)
  check_predicted_size(largest, grid$sizes)
  list(fits_at = function(at) {
    sizes <- unique(grid$sizes[at])
    if (kind == "path") {
      return(list(largest))
    }
    if (kind == "nested") sizes <- sizes[1]
    lapply(sizes, function(k) {
      again <- kind == "refit" && k < max(grid$sizes)
      fit <- if (again) fit_sized(entry, x, y, data, k, given) else largest
      with_selected(fit, data, k)
    })
  })
}

# the features of a penalised fit are those with a nonzero score
with_scored <- function(fit, data) {
  features <- scored_features(fit)
  if (length(features) > 0) fit$selected <- features
  fit$groups <- fit_groups(fit, fit$groups)
  with_fitted(fit, data)
}

# the k best of a fit selected, as the front door leaves it
with_selected <- function(fit, data, k) {
  fit <- select_exactly(fit, data, k)
  if (has_regression(fit) && is.na(fit$explained)) fit$explained <- explained_by_first(fit, k)
  with_fitted(fit, data)
}

# rankings hold the regression on so many features
check_predicted_size <- function(fit, sizes) {
  if (has_regression(fit) && max(sizes) > units_of_regression(fit)) {
    stop_rowsparse("range", "k", sprintf(
      "must be at most %d, as many as the fit of %s can predict from", units_of_regression(fit),
      class(fit)[1]
    ), max(sizes))
  }
}

warn_unconverged_folds <- function(converged) {
  if (!all(converged)) {
    warn_rowsparse("convergence", sprintf(
      "%d of %d fits in the folds did not converge; see `maxit` and `tol` in rowsparse_control().",
      sum(!converged), length(converged)
    ))
  }
}

new_cv <- function(entry, points, rule, fits, repeats, measure, words, n, call, started) {
  over <- names(points$table)[1]
  values <- points$table[[1]][points$at[c(rule, "min", "1se")]]
  fit <- fits[[1]]
  fit$call <- call
  fit$default <- entry$reason
  structure(
    c(
      list(method = entry$name, over = over),
      stats::setNames(as.list(values), paste0(over, c("", "_min", "_1se"))),
      list(
        rule = rule, table = points$table, fold_error = points$fold_error,
        null_error = points$null_error, null_measures = points$null_measures,
        chosen_by = measure, measure = words, foldid = points$foldid, repeats = repeats,
        fit = fit, other = if (length(fits) > 1L) fits[[2]], n = n,
        elapsed = proc.time()[["elapsed"]] - started, call = call
      )
    ),
    class = "cv_rowsparse"
  )
}
