#' How many features, which settings, which method, and how good: by samples left out
#'
#' Judges selections by samples that took no part in them. For each fold features are selected anew
#' from the other folds, by every method, setting and size that is compared; everything that is
#' chosen is chosen inside the folds.
#'
#' @section What is measured:
#' For a response that is numbers, `error` is the relative squared error: over the samples left out
#' of all folds,
#' \deqn{\sum_i \|y_i - \hat y_i\|^2 / \sum_i \|y_i - \bar y_i\|^2,}{
#'   sum_i ||y_i - yhat_i||^2 / sum_i ||y_i - ybar_i||^2,}
#' where \eqn{\hat y_i}{yhat_i} is predicted from the training samples and \eqn{\bar y_i}{ybar_i} is
#' their mean; 1 is no better than the mean. For classes `error` is the share of wrong predictions,
#' `balanced` the mean over the classes of that share (a rare class counts as much as a frequent
#' one), and `log_loss` the mean of \eqn{-\log p}{-log p}, p the predicted probability of the true
#' class, at least 1e-6. Without a response `explained` is the share of the sum of squares of the
#' samples left out, about the means of the training samples, that regression of all features on the
#' selected ones reproduces, by coefficients from the training samples; with `scale = TRUE` in the
#' call, of features divided by their standard deviations there.
#'
#' Supervised methods predict by themselves, see [predict.rowsparse()]. After other methods, and
#' after functions that return a set, the response is predicted from the selected features by least
#' squares, or for classes by linear discriminants; `fit` and `predict` replace these in any case:
#' \preformatted{
#' fit = function(x, y) MASS::lda(x, grouping = y)
#' predict = function(model, newx) predict(model, newx)$class
#'
#' fit = function(x, y) glmnet::cv.glmnet(x, y)
#' predict = function(model, newx) predict(model, newx, s = "lambda.min")
#' }
#'
#' The standard error of a mean loss \eqn{\bar e}{e} over F folds of \eqn{n_f} samples with losses
#' \eqn{e_f} is
#' \deqn{\mathrm{se}^2 = \frac{1}{F - 1} \sum_f \frac{n_f}{n} (e_f - \bar e)^2.}{
#'   se^2 = sum_f (n_f / n) (e_f - e)^2 / (F - 1).}
#' `difference_se` is that of the differences from the best point, in which the difficulty of a fold
#' cancels. With `repeats` the losses are averaged; their standard errors do not shrink, as the
#' samples are the same. With `weights` means are weighted, and \eqn{n_f} and n are sums of weights.
#'
#' @section What is compared:
#' Sizes `k`; or for methods with a penalty ([rfs()], [crfs()], others if `lambda` is given)
#' penalties, the largest first, each fit started from the previous one; the features are then those
#' with a nonzero score. Where one fit holds all sizes the default is 1, 2, ..., 50, as far as the
#' training sets allow; for methods that are refitted for each size, ten sizes up to 50.
#'
#' The best method and setting are those of the best point. Rule `"1se"`, the default, takes the
#' smallest of their sizes, or the largest of their penalties, that is worse than the best by at
#' most `difference_se`; rule `"min"` takes the best point. In eleven regimes of simulated
#' regressions with `cdlsr()` a share of 0.18 of the features chosen by `"1se"` was false, and 0.77
#' of the true ones were found; by `"min"` 0.20 and 0.80.
#'
#' The loss of the chosen point is somewhat too low, as the point was chosen for it. That of choice
#' and selection together is the error of a method that chooses:
#' \preformatted{
#' cv_rowsparse(x, y, method = function(x, y, k) cv_rowsparse(x, y, k = 1:8)$fit)
#' }
#'
#' @inheritParams rowsparse
#' @param x The samples themselves (no moments, no row blocks), see [bsufs()]; or a formula, with
#'   `data`, see [tables].
#' @param y Response: class labels or numbers, as in [cdlsr()]. `NULL`: selections are judged by
#'   what they reproduce of the samples left out.
#' @param k Numbers of features to compare. `NULL`: the default above.
#' @param method One or more names of methods, see [rowsparse_methods()]; or a function, or a named
#'   list of names and functions. A function is called as `method(x, y, k)` for each size (with
#'   `k = NULL` where no sizes are given) and returns columns, best first, as numbers or names, or
#'   a fit. `NULL`: the default of [rowsparse()].
#' @param lambda Penalties to compare, in any order, for methods that have one. With `k` only one
#'   number, at which the sizes are compared. `NULL`: 30 penalties from the largest useful one on
#'   all samples down to a hundredth of it, evenly spaced on the logarithmic scale.
#' @param grid Further arguments to vary, a named list of which all combinations are compared, or a
#'   data frame with a row for each.
#' @param ... Arguments of the method, the same at all points, among them `include`, `exclude`,
#'   `groups`, `block`, `weights`, `assay` and `na.action`, as in [rowsparse()]. Functions take none
#'   but `weights`, if they have such an argument.
#' @param folds Number of folds; with fewer samples as many as there are samples. Samples are
#'   assigned to folds without random draws: classes one after the other; numbers from the smallest
#'   to the largest, to the folds 1, 2, ..., F, F, ..., 2, 1, 1, ...; several responses by their
#'   first principal component; samples of equal response, and all without one, by their distance
#'   from the mean. The order of samples and features has no effect. Levels of a `block` are spread
#'   evenly, and every training set keeps at least two samples of each.
#' @param foldid The fold of each sample, in place of `folds`, for samples that belong together: a
#'   vector with one entry per sample, or a matrix with a column for each repeat. Where a level of
#'   `block` is missing from the training set, its samples are predicted from the means over all
#'   training samples.
#' @param repeats How often folds are drawn, with the same stratification.
#' @param seed A whole number from which folds, and all else that is random, are drawn; the state of
#'   R's generator is then neither used nor changed. `NULL`: it is used where folds are drawn
#'   (`repeats` above 1), a method draws, or a function of yours is called.
#' @param measure What the rule goes by: with a response `"error"`, for classes also `"balanced"` or
#'   `"log_loss"`; without one `"explained"`.
#' @param rule `"1se"` or `"min"`, see above.
#' @param fit,predict The model: `fit(x, y)` gets a numeric matrix with the selected columns and the
#'   response (a factor, a numeric vector, or a matrix of several responses), with `weights` also
#'   these; `predict(model, newx)` returns a class or number for each new sample, or for classes a
#'   matrix of probabilities, one named column per class. `NULL`: see above.
#' @param BPPARAM A BiocParallelParam, the [workers] that share the work. `NULL`: this process.
#' @return A list of class `cv_rowsparse`:
#'   \item{table}{data frame, a row per point: `method`, the columns of `grid`, `k` or `lambda`
#'     (both where methods differ in it), the measures with their standard errors (`error` and `se`,
#'     for classes also `balanced`, `balanced_se`, `log_loss`, `log_loss_se`; `explained` and `se`),
#'     `difference` from the best point and `difference_se`, `features` (mean number in the folds)
#'     and `stability` of the sets of the folds: the measure of Nogueira, Sechidis and Brown, 1 if
#'     all are the same, 0 in expectation if they are drawn}
#'   \item{at}{row of the chosen point; `k`, the number of features there, and over penalties
#'     `lambda`; `method` and `setting`, a row of `grid`}
#'   \item{best}{rows that the rules `"1se"` and `"min"` take; without a response also `elbow`, the
#'     size furthest above the straight line from the first to the last point of `explained`}
#'   \item{rule, chosen_by, measure}{the rule, its measure, and the measure in words}
#'   \item{null_error}{the measure without features: of numbers the mean squared error of the mean
#'     of the training samples (what `error` is relative to), of classes that of their shares;
#'     `null_measures`: of classes by all measures}
#'   \item{fold_loss, fold_null}{the measure by fold (repeat after repeat) and point, as a loss, and
#'     without features}
#'   \item{foldid, repeats}{the fold of each sample, n x repeats with repeats; `NA` for samples of
#'     weight 0}
#'   \item{fit}{on all samples, at the chosen point: the fit that [rowsparse()] gives, or what a
#'     function returned}
#'   \item{columns, model}{the selected columns; the model on them where the fit does not predict}
#'   \item{no_better, open}{is no point better than no features? which values were chosen from the
#'     ends of those compared?}
#'   \item{n, elapsed, call}{}
#' @section Errors and warnings:
#' As for the method. Also of class `rowsparse_error_choice` for a `measure` of classes for numbers;
#' `rowsparse_error_type` for moments and row blocks, whose samples cannot be held out;
#' `rowsparse_error_class` when a class has one sample only, or is missing from a training set;
#' `rowsparse_error_block` when a level of `block` has too few samples for the folds. A warning of
#' class `rowsparse_warning_no_better` where no point does better than no features. Conditions of
#' your own functions are passed on.
#' @references
#' Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection
#' algorithms. *Journal of Machine Learning Research* 18(174), 1--54.
#'
#' Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis of
#' microarray gene-expression data. *Proceedings of the National Academy of Sciences* 99,
#' 6562--6566. \doi{10.1073/pnas.102102699}
#' @seealso [predict.cv_rowsparse()] and related functions for the result, [rowsparse_path()]
#' @examples
#' cv <- cv_rowsparse(iris[, 1:4], iris$Species)
#' cv
#' plot(cv)
#' table(predict(cv, iris), iris$Species)
#'
#' # which method: one that uses the classes, one that does not, one of your own
#' cv_rowsparse(iris[, 1:4], iris$Species, k = 1:3, folds = 5, method = list(
#'   "ftest", "css", wide = function(x, y, k) order(-apply(x, 2, sd))[1:k]
#' ))
#'
#' # without a response, two settings
#' cv_rowsparse(iris[, 1:4], k = 2:4, method = "fspca", grid = list(m = 1:2), folds = 5)
#' @export
cv_rowsparse <- function(x, y = NULL, k = NULL, method = NULL, lambda = NULL, grid = NULL, ...,
                         data = NULL, folds = 10, foldid = NULL, repeats = 1, seed = NULL,
                         measure = NULL, rule = c("1se", "min"), fit = NULL, predict = NULL,
                         BPPARAM = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_places(k, method)
  given <- list(...)
  of_door <- names_of(given) %in% door_arguments
  table <- do.call(read_door,
    c(list("cv_rowsparse", call, parent.frame(), x, y, data), given[of_door]), quote = TRUE
  )
  rule <- check_choice(rule, "rule", c("1se", "min"))
  asked <- list(
    k = k, lambda = lambda, method = method, grid = expand_settings(grid), measure = measure,
    rule = rule, model = check_model(fit, predict),
    parts = rows_of_table(list(folds = folds, foldid = foldid, repeats = repeats, seed = seed),
      table, "foldid"
    )
  )
  check_workers(BPPARAM)
  given <- c(given[!of_door], table$given)
  out <- with_seed(check_seed(seed), cross_validate(table, given, asked, BPPARAM))
  out$elapsed <- proc.time()[["elapsed"]] - started
  out$call <- call
  if (inherits(out$fit, "rowsparse")) out$fit$call <- call
  out
}

# what read_door() takes of the further arguments
door_arguments <- c("include", "exclude", "groups", "block", "weights", "subset", "na.action")

# the two functions of a model, or NULL for the usual one
check_model <- function(fit, predict) {
  if (is.null(fit) && is.null(predict)) {
    return(NULL)
  }
  given <- list(fit = fit, predict = predict)
  for (name in names(given)) {
    if (!is.function(given[[name]])) {
      stop_rowsparse("type", name, "must be a function, and both `fit` and `predict` be given",
        describe(given[[name]])
      )
    }
  }
  c(given, list(label = "the model given"))
}

# ---- the work --------------------------------------------------------------------

# `table`: as read_table() gives it; `given`: arguments of the methods; `asked`: those of
# cv_rowsparse()
cross_validate <- function(table, given, asked, BPPARAM) {
  x <- table[["x"]]
  check_orientation(x, table[["y"]])
  given["block"] <- list(sample_column(x, given[["block"]], "block"))
  weights <- sample_weights(x, given[["weights"]], table[["y"]])
  check_no_block_beside(list(weights = weights, block = given[["block"]]))
  task <- weighted_samples(list(
    x = samples_in_memory(x, given[["assay"]]), y = sample_column(x, table[["y"]], "y"),
    weights = if (is.numeric(weights)) weights, parts = asked$parts, block = given[["block"]],
    model = asked$model, scale = given[["scale"]]
  ))
  given["weights"] <- list(weights)
  if (!is.null(task$weights) && !is.null(asked$model)) {
    check_function_takes_weights(asked$model$fit, "fit")
  }
  entrants <- cv_entrants(x, table[["y"]], task, given, asked)
  data <- entrants[[1]]$data
  response <- if (is.null(task$y)) no_response(data$n) else as_response(task$y, data$n)
  measure <- check_measure(asked$measure, response)
  foldid <- fold_columns(task$parts, response, task$x, given[["block"]])
  task$y <- if (!is.null(task$y)) response_of(response)
  task$unit <- if (is.null(task$y)) unit_of_samples(task$x) else response_unit(task$y)
  task$counts <- measure_weights(task$y, task$weights)
  task$columns <- outer_index(seq_len(data$d), data)
  entrants <- lapply(entrants, with_points, task, asked, foldid)
  jobs <- cv_jobs(entrants, foldid, !is.null(asked$model))
  sent <- lapply(entrants, function(entrant) entrant[!names(entrant) %in% c("data", "asked")])
  results <- with_errors_of_all(apply_with_progress(jobs, fold_job,
    task = task, entrants = sent, BPPARAM = BPPARAM
  ), entrants, task, table)
  found <- collected(results, jobs)
  warn_unconverged_folds(found$converged)
  points <- cv_points(found, entrants, foldid, task, measure)
  new_cv(points, entrants, task, asked$rule, list(
    chosen_by = measure, measure = measure_words(measure, response$type, task$weights),
    response = response$text, foldid = folds_of_all(foldid, task), repeats = ncol(foldid),
    n = data$n
  ), table, given[["assay"]])
}

# a power of two above the entries
unit_of_samples <- function(x) {
  unit_above(max(abs(range(if (inherits(x, "sparseMatrix")) x@x else x))))
}

# one job for each training set and entrant; seeds only where something may be drawn
cv_jobs <- function(entrants, foldid, model) {
  folds <- unlist(lapply(seq_len(ncol(foldid)), function(r) {
    lapply(seq_len(max(foldid[, r])), function(fold) list(rows = which(foldid[, r] != fold)))
  }), recursive = FALSE)
  jobs <- unlist(lapply(seq_along(entrants), function(at) {
    lapply(folds, c, list(entrant = at))
  }), recursive = FALSE)
  draws <- vapply(entrants, function(entrant) {
    !is.null(entrant$select) || isTRUE(entrant$entry$draws)
  }, NA)
  if (!any(draws) && !model) {
    return(jobs)
  }
  # drawn before the work is spread, so that its order does not matter
  Map(function(job, seed) c(job, list(seed = seed)), jobs,
    sample.int(.Machine$integer.max, length(jobs))
  )
}

# by measure: loss, folds x points; null, of each fold. sets: by point, of the folds
collected <- function(results, jobs) {
  by <- unname(split(results, vapply(jobs, `[[`, 0L, "entrant")))
  side_by_side <- function(part) {
    do.call(cbind, lapply(by, function(own) do.call(rbind, lapply(own, part))))
  }
  measures <- stats::setNames(nm = names(results[[1]]$loss))
  list(
    loss = lapply(measures, function(name) side_by_side(function(job) job$loss[[name]])),
    null = lapply(measures, function(name) vapply(by[[1]], function(job) job$null[[name]], 0)),
    converged = side_by_side(function(job) job$converged),
    sets = unlist(lapply(by, function(own) {
      lapply(seq_along(own[[1]]$sets), function(at) lapply(own, function(job) job$sets[[at]]))
    }), recursive = FALSE)
  )
}

warn_unconverged_folds <- function(converged) {
  if (!all(converged)) {
    warn_rowsparse("convergence", sprintf(
      "%d of %d fits in the folds did not converge; see `maxit` and `tol` in rowsparse_control().",
      sum(!converged), length(converged)
    ))
  }
}

# ---- who competes ------------------------------------------------------------------

# one for each method and row of the grid, with its `data` of all samples
cv_entrants <- function(x, y, task, given, asked) {
  methods <- asked$method
  if (!is.list(methods)) methods <- if (length(methods) > 1L) as.list(methods) else list(methods)
  labels <- names_of(methods)
  rows <- max(1L, nrow(asked$grid))
  entrants <- lapply(seq_along(methods), function(at) {
    if (is.function(methods[[at]])) {
      label <- if (length(methods) > 1L) paste("function", at) else "the function given"
      if (nzchar(labels[at])) label <- labels[at]
      return(list(function_entrant(methods[[at]], label, task, given, asked)))
    }
    lapply(seq_len(rows), function(row) {
      entrant <- named_entrant(methods[[at]], x, y, task, given, asked,
        as.list(asked$grid[row, , drop = FALSE])
      )
      if (nzchar(labels[at])) entrant$label <- labels[at]
      entrant
    })
  })
  unlist(entrants, recursive = FALSE)
}

function_entrant <- function(select, label, task, given, asked) {
  given <- given[!vapply(given, is.null, NA)]
  own <- c(
    setdiff(names_of(given), c("weights", "assay")),
    if (length(asked$grid) > 0) "grid", if (!is.null(asked$lambda)) "lambda"
  )
  if (length(own) > 0) {
    stop_rowsparse("argument", if (nzchar(own[1])) own[1] else "...",
      "must be left out where `method` is a function", way_out = foreign_way_out(own[1])
    )
  }
  if (!is.null(given[["weights"]])) check_function_takes_weights(select, "method")
  data <- without_constant_warning(as_data(task$x))
  sizes <- if (!is.null(asked$k)) sort(unique(check_counts(asked$k, "k", 1L, data$d)))
  list(select = select, label = label, sizes = sizes, data = data)
}

check_function_takes_weights <- function(f, argument) {
  if (!"weights" %in% names(formals(args(f)))) {
    stop_rowsparse("argument", argument,
      "must be a function with an argument `weights` where these are given"
    )
  }
}

named_entrant <- function(method, x, y, task, given, asked, setting) {
  entry <- asked_entry(method, x, y, k = or_default(asked$k, NULL))
  if (needs_response(entry) && is.null(y)) {
    stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
  }
  check_takes_weights(entry, given[["weights"]])
  asked_for <- check_arguments(entry, given, c(shared_start(entry), entry$penalty),
    names(formals(cv_rowsparse))
  )
  if (length(setting) > 0) check_arguments(entry, setting, shared_start(entry))
  asked_for[names(setting)] <- setting
  given <- asked_for[names(asked_for) != "assay"]
  if (!is.null(task$weights)) given$weights <- task$weights
  data <- method_data(entry, task$x, given)
  check_given_dimension(entry, given, data, if (length(setting) > 0) "grid$" else "")
  list(
    entry = entry, label = entry$name, asked = asked_for, given = given, setting = setting,
    data = data,
    over = if (over_penalty(entry, given, asked)) entry$penalty else "k"
  )
}

# Sizes are compared unless penalties are given, or a supervised method has one.
over_penalty <- function(entry, given, asked) {
  if (!is.null(asked$lambda)) path_variable(entry, NULL, asked$lambda)
  is.null(asked$k) && !is.null(entry$penalty) && is.null(given[[entry$penalty]]) &&
    (!is.null(asked$lambda) || needs_response(entry))
}

# Settings as a data frame with a row for each
expand_settings <- function(grid) {
  if (is.null(grid)) {
    return(data.frame())
  }
  named <- sum(nzchar(names(grid))) == length(grid) && !anyDuplicated(names(grid))
  usable <- is.list(grid) && named && all(vapply(grid, is.atomic, NA)) && all(lengths(grid) > 0)
  if (!usable) {
    stop_rowsparse("type", "grid", "must be a data frame or a named list of values", describe(grid))
  }
  if ("k" %in% names(grid)) {
    stop_rowsparse("argument", "grid",
      "must hold settings of the method; sizes are the argument `k`", "an element `k`"
    )
  }
  unique(if (is.data.frame(grid)) grid else expand.grid(grid, stringsAsFactors = FALSE))
}

# the entrant with its `grid`: settings, sizes or penalties, path
with_points <- function(entrant, task, asked, foldid) {
  if (!is.null(entrant$select)) {
    return(entrant)
  }
  entry <- entrant$entry
  data <- entrant$data
  given <- entrant$given
  if (!is.null(task$y) && !is.factor(task$y)) check_slopes_hold(task$y, data)
  if (entrant$over == "k") {
    if (!is.null(asked$lambda)) given[[entry$penalty]] <- check_number(asked$lambda, "lambda", 0)
    sizes <- cv_sizes(asked$k, entry, data, given, foldid)
    entrant$grid <- list(settings = list(given), sizes = sizes, path = FALSE)
  } else {
    penalties <- path_penalties(entry, data, task$y, given, asked$lambda, 30, 0.01)
    if (is.null(given[["control"]])) given$control <- rowsparse_control(tol = entry$path_tol)
    settings <- lapply(penalties, function(penalty) {
      given[[entry$penalty]] <- penalty
      given
    })
    entrant$grid <- list(settings = settings, penalties = penalties, path = takes(entry, "start"))
  }
  if (!is.null(asked$lambda)) entrant$asked[[entry$penalty]] <- asked$lambda
  entrant
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

# what the smallest training set can serve
cv_sizes <- function(k, entry, data, given, foldid) {
  data$n <- nrow(foldid) - max(apply(foldid, 2, function(fold) max(tabulate(fold))))
  largest <- largest_size(entry, data, given)
  if (is_whole(k) && max(k) > largest && max(k) <= unit_count(data)) {
    stop_rowsparse("range", "k",
      sprintf("must be at most %d, what the smallest training set (%s) can serve", largest,
        count_of(data$n, "sample")
      ),
      max(k), if (takes(entry, "ridge")) "`ridge` > 0 lifts this limit"
    )
  }
  if (is.null(k) && sizes_of(entry, given) == "refit") {
    ends <- range(path_sizes(NULL, data, entry, given))
    k <- unique(round(exp(seq(log(ends[1]), log(ends[2]), length.out = 10))))
  }
  path_sizes(k, data, entry, given)
}

# ---- fits to all samples -------------------------------------------------------------

# At the point `at` of its entrant the fit that rowsparse() gives, or the one that ends the path
# down to the penalty; messages were given before.
final_fit <- function(entrant, task, table, at) {
  grid <- entrant$grid
  if (!is.null(grid$sizes)) {
    return(withCallingHandlers(
      do.call(rowsparse, c(list(
        x = table[["x"]], y = table[["y"]], k = grid$sizes[at], method = entrant$entry$name
      ), entrant$asked), quote = TRUE),
      rowsparse_message = function(m) tryInvokeRestart("muffleMessage"),
      rowsparse_warning_no_better = function(w) tryInvokeRestart("muffleWarning")
    ))
  }
  fit <- fit_settings(entrant$entry, task$x, task$y, grid)[[at]]$fit
  warn_of_end(fit)
  features <- scored_features(fit)
  if (length(features) > 0) fit$selected <- features
  fit$groups <- fit_groups(fit, fit$groups)
  fit <- with_fitted(fit, entrant$data)
  fit$assay <- entrant$asked$assay
  fit
}

# What fails in a training set may fail with all samples, and then says so without its words.
with_errors_of_all <- function(expr, entrants, task, table) {
  tryCatch(expr, rowsparse_error = function(e) {
    for (entrant in entrants) {
      last <- max(1L, length(entrant$grid$sizes))
      if (is.null(entrant$select)) final_fit(entrant, task, table, last)
    }
    stop(e)
  })
}

# ---- the table and the choice ----------------------------------------------------------

# list(table, entrant and point: of each row, best: the rows of both rules, fold_loss, fold_null,
# null_error, null_measures). Losses of numbers, and what is not explained, are relative to those
# without features.
cv_points <- function(found, entrants, foldid, task, measure) {
  summary_of <- function(loss, name) {
    fold_summary(loss, foldid, weights_of_measure(name, task$counts))
  }
  null <- vapply(stats::setNames(nm = names(found$null)), function(name) {
    summary_of(cbind(found$null[[name]]), name)$mean
  }, 0)
  relative <- !is.factor(task$y)
  unit <- if (relative && null[[1]] > 0) null[[1]] else 1
  loss <- lapply(found$loss, `/`, unit)
  choosing <- loss[[measure]]
  if (anyNA(choosing)) {
    stop_rowsparse("choice", "measure",
      sprintf("\"%s\" needs a `predict` that returns probabilities", measure), "classes alone"
    )
  }
  mean <- summary_of(choosing, measure)$mean
  paired <- summary_of(choosing - choosing[, first_largest(-mean)], measure)
  rows <- point_rows(entrants)
  direction <- if (measure == "explained") -1 else 1
  table <- do.call(cbind, c(
    list(rows$table),
    lapply(names(loss), function(name) {
      sums <- summary_of(loss[[name]], name)
      if (name == "explained") sums$mean <- 1 - sums$mean
      stats::setNames(as.data.frame(sums), measure_columns_of(name))
    }),
    list(data.frame(
      difference = direction * paired$mean, difference_se = paired$se,
      features = vapply(found$sets, function(sets) mean(lengths(sets)), 0),
      stability = vapply(found$sets, stability_of, 0, d = ncol(task$x))
    ))
  ))
  list(
    table = table, entrant = rows$entrant, point = rows$point,
    best = cv_choices(mean, paired, rows$entrant), fold_loss = choosing,
    fold_null = found$null[[measure]] / unit,
    null_error = if (!is.null(task$y)) {
      if (relative) squares_in_units(null[[1]], task$unit) else null[[measure]]
    },
    null_measures = if (!relative) null, no_better = min(mean) >= null[[measure]] / unit
  )
}

# method, settings, k and lambda of every point
point_rows <- function(entrants) {
  each <- lapply(entrants, function(entrant) {
    grid <- entrant$grid
    values <- or_default(or_default(grid$penalties, grid$sizes), or_default(entrant$sizes, NA))
    list(value = values, penalty = !is.null(grid$penalties))
  })
  count <- lengths(lapply(each, `[[`, "value"))
  owner <- rep(seq_along(entrants), count)
  value <- unlist(lapply(each, `[[`, "value"))
  penalty <- rep(vapply(each, `[[`, NA, "penalty"), count)
  table <- data.frame(method = vapply(entrants, `[[`, "", "label")[owner])
  for (name in unique(unlist(lapply(entrants, function(entrant) names(entrant$setting))))) {
    own <- lapply(entrants, function(entrant) or_default(entrant$setting[[name]], NA))
    table[[name]] <- unlist(own)[owner]
  }
  if (!all(penalty)) table$k <- as.integer(ifelse(penalty, NA, value))
  if (any(penalty)) table$lambda <- ifelse(penalty, value, NA)
  list(table = table, entrant = owner, point = sequence(count))
}

# Among the points of the best entrant those with fewer features, or larger penalties, come first.
cv_choices <- function(mean, paired, entrant) {
  best <- first_largest(-mean)
  slack <- paired$se + tie_share * max(abs(mean))
  c("1se" = which(entrant == entrant[best] & paired$mean <= slack)[1], min = best)
}

# the chosen point with the fit to all samples there, and with the model on its features where the
# fit does not predict
new_cv <- function(points, entrants, task, rule, about, table, assay) {
  at <- points$best[[rule]]
  entrant <- entrants[[points$entrant[at]]]
  end <- if (is.null(entrant$select)) named_end else function_end
  end <- end(entrant, task, points$point[at], table)
  features <- list(d = ncol(task$x), feature_names = colnames(task$x), assay = assay)
  own <- which(points$entrant == points$entrant[at])
  out <- c(
    list(
      method = entrant$label, over = end$over, k = count_units(end$set, end$fit),
      lambda = points$table$lambda[at],
      setting = if (length(entrant$setting) > 0) as.data.frame(entrant$setting), at = at,
      rule = rule, features = with_table(features, table),
      elbow = if (is.null(task$y)) elbow_of(points$table[own, ]),
      open = open_ends(points$table, own, at, end$over, entrant)
    ),
    points[setdiff(names(points), "point")], about,
    list(fit = end$fit, columns = end$set, model = final_model(task, end))
  )
  out <- structure(out, class = "cv_rowsparse")
  if (out$no_better) warn_no_better(no_better_words(out))
  out
}

count_units <- function(set, fit) {
  if (is.list(fit) && length(set) > 0) units_in(fit, set) else length(set)
}

warn_no_better <- function(words) warn_rowsparse("no_better", paste0(words, "."))

named_end <- function(entrant, task, point, table) {
  fit <- with_table(final_fit(entrant, task, table, point), table)
  fit$default <- entrant$entry$reason
  if (is.null(entrant$grid$sizes)) {
    list(fit = fit, over = "lambda", set = scored_features(fit))
  } else {
    list(fit = fit, over = "k", set = fit$selected)
  }
}

function_end <- function(entrant, task, point, table) {
  entrant["sizes"] <- list(entrant$sizes[point])
  point <- function_points(entrant, task$x, task$y, task$weights)[[1]]
  fit <- if (!is.null(point$fit)) with_table(point$fit, table)
  names <- list(feature_names = colnames(task$x))
  list(fit = or_default(fit, feature_labels(names, point$set)), over = "k", set = point$set)
}

final_model <- function(task, end) {
  if (is.null(task$y) || (is.null(task$model) && is.list(end$fit) && is_supervised_fit(end$fit))) {
    return(NULL)
  }
  model <- or_default(task$model, usual_model(task$y))
  list(
    fit = fit_model(model, end$set, task, seq_len(nrow(task$x))), predict = model$predict,
    label = model$label, levels = levels(task$y)
  )
}

# the size of the curve of what is reproduced that is furthest above the line between its ends
elbow_of <- function(table) {
  if (!anyNA(table$k)) table$k[elbow(-table$explained, table$k)]
}

# Values that were chosen though they are the first or the last of those compared, beyond which a
# better one may lie: "k = 20 is the largest of those compared". `own`: rows of the entrant
open_ends <- function(table, own, at, over, entrant) {
  d <- if (is.null(entrant$select)) unit_count(entrant$data) else entrant$data$d
  end_of <- function(name, rows, least, bounds) {
    values <- table[[name]][rows]
    value <- table[[name]][at]
    if (length(unique(values)) < least || anyNA(values)) {
      return(NULL)
    }
    words <- c("smallest", "largest")[c(
      value == min(values) && value > bounds[1], value == max(values) && value < bounds[2]
    )]
    if (length(words) > 0) {
      sprintf("%s = %s is the %s of those compared", name, format(value, digits = 3), words)
    }
  }
  settings <- names(Filter(is.numeric, entrant$setting))
  c(
    end_of(over, own, 2L, if (over == "k") c(1, d) else c(0, Inf)),
    unlist(lapply(settings, end_of, seq_len(nrow(table)), 3L, c(0, Inf)))
  )
}
