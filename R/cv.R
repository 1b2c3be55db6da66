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
#' their mean; `mae` is the mean absolute error, in units of the response. For classes `error` is
#' the share of wrong predictions, `balanced` the mean of that share over the classes, `log_loss`
#' the mean of \eqn{-\log p}{-log p}, p the predicted probability of the true class, at least 1e-6,
#' and of two classes `auc` the area under the ROC curve in each fold that holds both. Without a
#' response `explained` is the share of the sum of squares of the samples left out, about the means
#' of the training samples, that regression of all features on the selected ones reproduces, by
#' coefficients from the training samples; with `scale = TRUE` of features divided by their
#' standard deviations there.
#'
#' Supervised methods predict by themselves, see [predict.rowsparse()]. Others, and functions that
#' return a set, are judged by least squares on the selected features, or for classes by linear
#' discriminants; `fit` and `predict` replace these in any case, as `fit = glmnet::cv.glmnet` with
#' `predict = function(model, newx) predict(model, newx, s = "lambda.min")`.
#'
#' Of F folds of \eqn{n_f} samples with losses \eqn{e_f} the standard error `se` of the mean
#' \eqn{\bar e}{e} is the root of
#' \eqn{\sum_f (n_f / n) (e_f - \bar e)^2 / (F - 1)}{sum_f (n_f / n) (e_f - e)^2 / (F - 1)};
#' `difference_se` is that of the differences from the best point, in which the difficulty of a fold
#' cancels. With `repeats` the losses are averaged; their standard errors do not shrink, as the
#' samples are the same. With `weights` n_f and n are sums of weights.
#'
#' @section What is compared:
#' Sizes `k`; or for methods with a penalty ([rfs()], [crfs()], others if `lambda` is given)
#' penalties as by [rowsparse_path()]; the features are then those with a nonzero score. Where one
#' fit holds all sizes the default is 1, 2, ..., 50, as far as the training sets allow; for methods
#' that are refitted for each size, ten sizes up to 50.
#'
#' The best method and setting are those of the best point, which rule `"min"` takes. Rule `"1se"`,
#' the default with a response, takes the smallest of their sizes, or the largest of their
#' penalties, that is worse than the best by at most `difference_se`. In tests it took fewer false
#' features, with a little more error of classes and less of numbers (`bench/results/size_rule.md`).
#'
#' Without a response every feature helps to reproduce more. Rule `"elbow"`, the default there,
#' takes the corner of the curve: where the largest share that is reached up to a size is furthest
#' above the straight line from the first size to the last. If that is by less than a tenth of the
#' height of the curve, or than a standard error, no size stands out, as in data without structure:
#' a warning of class `rowsparse_warning_no_elbow` says so.
#'
#' The loss of the chosen point in the table is too low, as the point was chosen by it.
#' `corrected`, which `print()` tells, is the mean over the folds of
#' \eqn{e_f + (b_f - o_f) \sqrt{2 F - 1} / F}{e_f + (b_f - o_f) sqrt(2 F - 1) / F}, where fold f
#' loses b_f at the best point of all folds, o_f at its own best (Tibshirani and Tibshirani); its
#' standard error is that above times the root of (2 F - 1)/(F - 1), as folds share training samples
#' (Nadeau and Bengio). Folds learn from fewer samples than the fit: where these still matter, as in
#' wide data with few strong features, the error told is too high.
#' Choice and selection together, with folds inside the folds, are judged by a method that chooses:
#' `method = function(x, y, k) cv_rowsparse(x, y, k = 1:8)$fit`.
#'
#' @inheritParams rowsparse
#' @param x The samples themselves (no moments, no row blocks), see [rowsparse_data]; or a formula,
#'   with `data`, see [tables].
#' @param y Response, as in [rowsparse()]. `NULL`: selections are judged by what they reproduce.
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
#' @param ... Arguments of the method, the same at all points, and `include`, `exclude`, `groups`,
#'   `block`, `weights`, `assay` and `na.action`, as in [rowsparse()]. Functions take none but
#'   `weights`, which they must have as an argument then.
#' @param folds Number of folds, at most one for each sample. Samples are dealt out without random
#'   draws, in the order of the response (several: of its first principal component) and, where that
#'   is equal or there is none, of their distance from the mean; their own order has no effect.
#'   Levels of a `block` are spread evenly, and every training set keeps two samples of each.
#'   `"halves"`: 25 pairs of complementary halves, drawn with the same stratification, the same in
#'   every run, or from `seed`; for [false discoveries][predict.cv_rowsparse].
#' @param foldid The fold of each sample, in place of `folds`, for samples that belong together: a
#'   vector, or a matrix with a column for each repeat. Where a level of `block` is missing from the
#'   training set, its samples are predicted from the means over all training samples.
#' @param repeats How often folds are drawn, with the same stratification.
#' @param seed A whole number from which folds, and all else that is random, are drawn; the state of
#'   R's generator is then neither used nor changed. `NULL`: it is used where folds are drawn
#'   (`repeats` above 1), a method draws, or a function of yours is called.
#' @param measure What the rule goes by: of numbers `"error"` (the default) or `"mae"`; of classes
#'   `"error"` (the default), `"balanced"`, `"log_loss"`, or of two `"auc"`; without a response
#'   `"explained"`.
#' @param rule `"1se"`, `"min"`, or of sizes without a response `"elbow"`, see above. `NULL`:
#'   `"elbow"` of three sizes or more without a response, else `"1se"`.
#' @param fit,predict The model: `fit(x, y)` gets a numeric matrix with the selected columns and the
#'   response (a factor, a numeric vector, or a matrix of several responses), with `weights` also
#'   these; `predict(model, newx)` returns a class or number for each new sample, or for classes a
#'   matrix of probabilities, one named column per class. `NULL`: see above.
#' @param BPPARAM A BiocParallelParam, the [workers] that share the work. `NULL`: this process.
#' @return A list of class `cv_rowsparse`:
#'   \item{table}{data frame, a row per point: `method`, the columns of `grid`, `k` or `lambda`,
#'     the measures with their standard errors (`error` or `explained` and `se`; `mae` and
#'     `mae_se`, `balanced`, `log_loss` and `auc` likewise), `difference` from the best point and
#'     `difference_se`, `features` (mean number in the folds) and `stability` of the sets of the
#'     folds: the measure of Nogueira, Sechidis and Brown, 1 if all are the same, 0 in expectation
#'     if they are drawn}
#'   \item{at, k, lambda, method, setting}{the chosen point: its row, and what stands there}
#'   \item{best, elbow, no_elbow}{rows that the rules take, by their names; without a response the
#'     size at the corner of the curve, and whether none stands out}
#'   \item{corrected}{measures and standard errors of the chosen point, corrected for the choice and
#'     for shared training samples, by their names in the table}
#'   \item{rule, chosen_by, measure}{the rule, its measure, and the measure in words}
#'   \item{null_error, null_measures}{the measure without features: of numbers the mean squared
#'     error that `error` is relative to, of classes that of their shares; all measures by name}
#'   \item{fold_loss, fold_null, fold_losses}{the measure by fold (repeat after repeat) and point,
#'     as a loss, and without features; all measures by name}
#'   \item{frequency}{features x points, sparse: the share of the folds whose set has the feature}
#'   \item{foldid, repeats}{the folds, n x repeats with repeats; `NA` for samples of weight 0}
#'   \item{candidates}{with `folds = "halves"` the columns, of a group the first, that vary and are
#'     not in `include`, among which there are discoveries}
#'   \item{fit, columns, model}{on all samples, at the chosen point: the fit that [rowsparse()]
#'     gives, or what a function returned; its columns; the model on them if it does not predict}
#'   \item{no_better, open}{is no point better than no features (with a warning of class
#'     `rowsparse_warning_no_better`)? Is the chosen `k` or `lambda` an end of those compared?}
#' @references
#' Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection
#' algorithms. *Journal of Machine Learning Research* 18(174), 1--54.
#'
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* 52,
#' 239--281. \doi{10.1023/A:1024068626366}
#'
#' Tibshirani, R. J. and Tibshirani, R. (2009). A bias correction for the minimum error rate in
#' cross-validation. *Annals of Applied Statistics* 3, 822--829. \doi{10.1214/08-AOAS224}
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
                         measure = NULL, rule = NULL, fit = NULL, predict = NULL,
                         BPPARAM = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (inherits(x, "formula")) call$x <- x
  check_places(k, method)
  # these of a formula may be computed from its data, see value_in_data()
  dots <- names_of(as.list(match.call(expand.dots = FALSE)[["..."]]))
  late <- inherits(x, "formula") & dots %in% c("weights", "subset", "block")
  given <- stats::setNames(lapply(which(!late), function(i) ...elt(i)), dots[!late])
  of_door <- names_of(given) %in% door_arguments
  table <- do.call(read_door,
    c(list(call, parent.frame(), x, y, data), given[of_door]), quote = TRUE
  )
  if (inherits(x, "formula")) {
    foldid <- value_in_data(call[["foldid"]], or_default(data, y), parent.frame(), "foldid")
  }
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
  if (is.list(out$fit)) out$fit$call <- call
  out
}

# what read_door() takes of the further arguments
door_arguments <- c("include", "exclude", "groups", "block", "weights", "subset", "na.action")

# the two functions of a model, or NULL for the usual one
check_model <- function(fit, predict) {
  if (is.null(fit) && is.null(predict)) {
    return(NULL)
  }
  model <- list(fit = fit, predict = predict, label = "the model given")
  wrong <- Find(function(name) !is.function(model[[name]]), c("fit", "predict"))
  refuse_if(!is.null(wrong), "type", wrong,
    "must be a function, and both `fit` and `predict` be given", describe(model[[wrong]])
  )
  model
}

# ---- the work --------------------------------------------------------------------

# `table`: as read_door() gives it; `given`: arguments of the methods; `asked`: those of
# cv_rowsparse()
cross_validate <- function(table, given, asked, BPPARAM) {
  x <- table[["x"]]
  y <- table[["y"]]
  check_orientation(x, y)
  given <- with_names_of_symbols(given, x)
  given["block"] <- list(sample_column(x, given[["block"]], "block"))
  given["weights"] <- list(sample_weights(x, given[["weights"]], y))
  given[["rules"]] <- rules_of_samples(given[["rules"]], x, table$rows, table$n)
  check_no_block_beside(given[c("weights", "block")])
  task <- weighted_samples(list(
    x = samples_in_memory(x, given[["assay"]]), y = sample_column(x, y, "y"),
    weights = if (is.numeric(given[["weights"]])) given[["weights"]], parts = asked$parts,
    model = asked$model, scale = given[["scale"]]
  ))
  entrants <- cv_entrants(x, y, task, given, asked)
  data <- entrants[[1]]$data
  # without a response samples are dealt out by their distance from the mean
  response <- judged_response(task$y, data$n, given[["family"]])
  measure <- check_measure(asked$measure, response)
  foldid <- fold_columns(task$parts, response, task$x, given[["block"]])
  if (!is.null(given[["block"]])) task$level <- as.character(given[["block"]])
  task <- with_likelihood(task, response, given[["offset"]])
  task$y <- response$y
  task$unit <- switch(response$type,
    none = unit_above(max(abs(range(if (is_of(task$x, "sparseMatrix")) task$x@x else task$x)))),
    class = , survival = 1, centre_response(response)$unit
  )
  task$counts <- measure_weights(task$y, sample_sizes(task, data$n))
  task$columns <- outer_index(seq_len(data$d), data)
  entrants <- lapply(entrants, with_points, task, asked, foldid)
  rule <- check_rule(asked$rule, entrants, response$type)
  found <- judged_folds(entrants, task, foldid, BPPARAM)
  points <- cv_points(found, entrants, foldid, task, measure, rule)
  words <- measure_words(measure, response$type)
  new_cv(points, entrants, task, rule, list(
    chosen_by = measure, measure = paste0(words, if (!is.null(task$weights)) " by weight"),
    response = response$text, type = response$type, n = data$n,
    foldid = folds_of_all(foldid, task), repeats = ncol(foldid)
  ), table, given[["assay"]])
}

# the response that judges; `Y`: by which samples are dealt out, see ordered_folds()
judged_response <- function(y, n, family) {
  if (is.null(y)) {
    return(list(Y = matrix(0, n, 1), type = "none"))
  }
  if (is.null(family) && !is_survival(usable_response(y))) {
    return(as_response(y, n))
  }
  response <- family_response(y, n, family)
  c(with_order(response), list(likelihood = response))
}

# the task with what judges a fit by likelihood
with_likelihood <- function(task, response, offset) {
  task$family <- response$family
  task$trials <- response$trials
  if (!is.null(response$trials)) task$given_y <- task$y
  if (!is.null(offset)) task$offset <- offset[or_default(task$rows, seq_along(offset))]
  if (response$type == "survival") {
    own <- response$likelihood
    own$weights <- task$weights
    task$response <- with_risk_sets(own)
  }
  task
}

# what samples count in means
sample_sizes <- function(task, n) {
  or_default(task$weights, rep(1, n)) * or_default(task$trials, 1)
}

# One job for each training set and entrant. By measure `loss`, folds x points, and `null`, of each
# fold without features; `sets`: by point, of the folds
judged_folds <- function(entrants, task, foldid, BPPARAM) {
  rows <- unlist(lapply(asplit(foldid, 2), function(folds) {
    lapply(seq_len(max(folds)), function(fold) which(folds != fold))
  }), recursive = FALSE, use.names = FALSE)
  jobs <- Map(list, rows = rep(rows, length(entrants)),
    entrant = rep(seq_along(entrants), each = length(rows))
  )
  draws <- vapply(entrants, function(one) is.null(one$entry) || isTRUE(one$entry$draws), NA)
  if (any(draws) || !is.null(task$model)) {
    # drawn before the work is spread, so that its order does not matter
    jobs <- Map(c, jobs, seed = sample.int(.Machine$integer.max, length(jobs)))
  }
  sent <- lapply(entrants, function(entrant) entrant[names(entrant) != "data"])
  results <- apply_with_progress(jobs, fold_job, task = task, entrants = sent, BPPARAM = BPPARAM)
  results <- matrix(results, length(rows))
  side_by_side <- function(part) {
    do.call(cbind, lapply(asplit(results, 2), function(own) do.call(rbind, lapply(own, part))))
  }
  converged <- side_by_side(function(job) job$converged)
  if (!all(converged)) {
    warn_rowsparse("convergence", sprintf(
      "%d of %d fits in the folds did not converge; see `maxit` and `tol` in rowsparse_control().",
      sum(!converged), length(converged)
    ))
  }
  measures <- stats::setNames(nm = rownames(results[[1]]$loss))
  list(
    loss = lapply(measures, function(name) side_by_side(function(job) unname(job$loss[name, -1]))),
    null = lapply(measures, function(name) {
      vapply(results[, 1], function(job) job$loss[[name, 1]], 0)
    }),
    sets = unname(asplit(side_by_side(function(job) job$sets), 2))
  )
}

# ---- who competes ------------------------------------------------------------------

# one for each method and row of the grid, with its `data` of all samples
cv_entrants <- function(x, y, task, given, asked) {
  methods <- asked$method
  methods <- if (is.null(methods) || is.function(methods)) list(methods) else as.list(methods)
  refuse_if(length(methods) == 0L, "length", "method", "must name one method at least", "none")
  settings <- lapply(seq_len(max(1L, nrow(asked$grid))), function(row) {
    as.list(asked$grid[row, , drop = FALSE])
  })
  labels <- names_of(methods)
  # among others a default is called that: the method of its name may be one of them
  by_default <- vapply(methods, identical, NA, "default")
  if (length(methods) > 1L) labels[by_default & !nzchar(labels)] <- "default"
  unlist(lapply(seq_along(methods), function(at) {
    own <- if (is.function(methods[[at]])) {
      label <- if (length(methods) > 1L) paste("function", at) else "the function given"
      list(function_entrant(methods[[at]], label, task, given, asked))
    } else {
      lapply(settings, named_entrant, methods[[at]], x, y, task, given, asked)
    }
    if (nzchar(labels[at])) lapply(own, replace, "label", labels[at]) else own
  }), recursive = FALSE)
}

function_entrant <- function(select, label, task, given, asked) {
  own <- setdiff(names_of(Filter(Negate(is.null), given)), c("weights", "assay"))
  own <- c(own, if (length(asked$grid) > 0) "grid", if (!is.null(asked$lambda)) "lambda")
  refuse_if(length(own) > 0, "argument", if (nzchar(own[1])) own[1] else "...",
    "must be left out where `method` is a function", way_out = foreign_way_out(own[1])
  )
  data <- without_constant_warning(as_data(task$x))
  grid <- if (!is.null(asked$k)) list(sizes = sort(unique(check_counts(asked$k, "k", 1L, data$d))))
  list(select = select, label = label, grid = grid, data = data, over = "k")
}

named_entrant <- function(setting, method, x, y, task, given, asked) {
  entry <- asked_entry(method, x, y, k = asked$k, given = given)
  if (needs_response(entry) && is.null(y)) {
    stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
  }
  check_takes_weights(entry, given[["weights"]])
  given <- check_arguments(entry, given, c(shared_start(entry), entry$penalty),
    names(formals(cv_rowsparse))
  )
  if (length(setting) > 0) check_arguments(entry, setting, shared_start(entry))
  given[names(setting)] <- setting
  # sizes are compared unless penalties are given, or a supervised method has one
  over_penalty <- is.null(asked$k) && !is.null(entry$penalty) && is.null(given[[entry$penalty]]) &&
    (!is.null(asked$lambda) || needs_response(entry))
  if (!is.null(asked$lambda)) {
    path_variable(entry, NULL, asked$lambda)
    if (!over_penalty) given[[entry$penalty]] <- check_number(asked$lambda, "lambda", 0)
  }
  data <- method_data(entry, task$x, of_samples(given, task))
  check_given_dimension(entry, given, data, if (length(setting) > 0) "grid$" else "")
  list(
    entry = entry, label = entry$name, given = given, setting = setting, data = data,
    over = if (over_penalty) "lambda" else "k"
  )
}

# arguments for samples that were read
of_samples <- function(given, task, rows = TRUE) {
  if (!is.null(task$weights)) given$weights <- task$weights[rows]
  if (!is.null(task$offset)) given$offset <- task$offset[rows]
  given[["rules"]] <- rules_of_samples(given[["rules"]], task$x,
    or_default(task$rows, seq_len(NROW(task$x)))[rows]
  )
  given[names(given) != "assay"]
}

# Settings as a data frame with a row for each
expand_settings <- function(grid) {
  if (is.null(grid)) {
    return(data.frame())
  }
  named <- sum(nzchar(names(grid))) == length(grid) && !anyDuplicated(c(names(grid), "k"))
  sound <- is.list(grid) && named && all(vapply(grid, is.atomic, NA)) && all(lengths(grid) > 0)
  refuse_if(!sound, "type", "grid",
    "must be a data frame or a named list of values of settings; sizes are the argument `k`",
    describe(grid)
  )
  unique(if (is.data.frame(grid)) grid else expand.grid(grid, stringsAsFactors = FALSE))
}

# the entrant with its `grid`, the sizes or penalties that are compared
with_points <- function(entrant, task, asked, foldid) {
  if (entrant$over == "lambda") {
    entrant$grid <- list(penalties = path_penalties(entrant$entry, entrant$data, task$y,
      entrant$given, asked$lambda, 30, 0.01
    ))
  } else if (!is.null(entrant$entry)) {
    sizes <- cv_sizes(asked$k, entrant$entry, entrant$data, entrant$given, foldid)
    entrant$grid <- list(sizes = sizes)
  }
  entrant
}

# the rule asked for, or the usual one, see bench/results/size_rule.md
check_rule <- function(rule, entrants, type) {
  sizes <- unlist(lapply(entrants, function(entrant) or_default(entrant$grid$sizes, NA)))
  bends <- type == "none" && !anyNA(sizes) && length(unique(sizes)) > 2L
  rule <- check_choice(or_default(rule, if (bends) "elbow" else "1se"), "rule",
    c("1se", "min", "elbow")
  )
  refuse_if(rule == "elbow" && !bends, "choice", "rule",
    "\"elbow\" needs three sizes at least, and data without a response",
    way_out = "Leave it out, or take \"1se\" or \"min\""
  )
  rule
}

# what the smallest training set can serve
cv_sizes <- function(k, entry, data, given, foldid) {
  if (!is.null(k)) check_counts(k, "k", 1L, unit_count(data))
  data$n <- nrow(foldid) - max(apply(foldid, 2, tabulate, max(foldid)))
  on_training_set(data$n, nrow(foldid), {
    if (is.null(k) && sizes_of(entry, given) == "refit") {
      ends <- range(path_sizes(NULL, data, entry, given))
      k <- unique(round(exp(seq(log(ends[1]), log(ends[2]), length.out = 10))))
    }
    path_sizes(k, data, entry, given)
  })
}

# ---- the table and the choice ----------------------------------------------------------

# The table, with the entrant and the point of each row; `best`: the rows of all rules
cv_points <- function(found, entrants, foldid, task, measure, rule) {
  judged <- judged_losses(found, foldid, task)
  loss <- judged$loss
  shares <- judged$shares
  choosing <- loss[[measure]]
  check_losses(choosing, measure, task$y, judged$null[[measure]])
  rows <- point_rows(entrants)
  chosen <- chosen_points(choosing, shares[[measure]], rows$entrant)
  bend <- if (is.null(task$y)) elbow_point(choosing, shares[[measure]], rows$table[["k"]])
  best <- c(chosen$best, elbow = bend$at)
  at <- best[[rule]]
  table <- data.frame(rows$table, measure_columns(loss, shares),
    difference = chosen$against$mean * if (measure %in% rising_measures) -1 else 1,
    difference_se = chosen$against$se,
    features = vapply(found$sets, function(sets) mean(lengths(sets)), 0),
    stability = vapply(found$sets, stability_of, 0, d = ncol(task$x))
  )
  corrected <- corrected_measures(loss, shares, at, best[["min"]], apply(choosing, 1, which.min))
  rising <- names(judged$null) %in% rising_measures
  list(
    table = table, entrant = rows$entrant, point = rows$point, best = best, no_elbow = bend$none,
    corrected = corrected, frequency = frequency_of(found$sets, task$x), fold_loss = choosing,
    fold_losses = loss, fold_null = judged$fold_null[[measure]],
    null_error = if (is.factor(task$y)) judged$null[[measure]] else judged$squares,
    null_measures = abs(rising - judged$null),
    no_better = min(fold_summary(choosing, shares[[measure]])$mean) >= judged$null[[measure]]
  )
}

# By measure the losses, folds x points, those without features, fold_null and their means null, and
# what each fold counts. Squared errors, and what is not explained, are relative to those without
# features (of numbers, `squares`), absolute errors in the units of the response.
judged_losses <- function(found, foldid, task) {
  measures <- stats::setNames(nm = names(found$loss))
  # a fold without samples of one of the classes, or without events, has no pairs
  blind <- lapply(measures, function(name) {
    name %in% c("auc", "concordance") & is.nan(found$null[[name]])
  })
  shares <- lapply(measures, function(name) {
    weights <- task$counts[[if (name == "balanced") "balanced" else "plain"]]
    fold_shares(foldid, weights, blind[[name]])
  })
  loss <- Map(function(loss, blind) replace(loss, blind[row(loss)], 0), found$loss, blind)
  fold_null <- Map(replace, found$null, blind, 0)
  null <- mapply(function(loss, share) fold_summary(cbind(loss), share)$mean, fold_null, shares)
  relative <- !is.factor(task$y) & measures %in% c("error", "explained") & null > 0
  unit <- ifelse(relative, null, ifelse(measures == "mae", 1 / task$unit, 1))
  list(
    loss = Map(`/`, loss, unit), fold_null = Map(`/`, fold_null, unit), null = null / unit,
    shares = shares, squares = if (is.matrix(task$y) && "error" %in% measures) {
      squares_in_units(null[["error"]], task$unit)
    }
  )
}

# what chooses must be known of every fold and point
check_losses <- function(loss, measure, y, null) {
  if (!is.factor(y) && anyNA(loss)) {
    stop_rowsparse("range", "y", "and `x` must be in units in which predictions can be represented")
  }
  refuse_if(is.nan(null), "choice", "measure",
    "\"auc\" needs folds whose samples are of both classes", "none",
    "Take fewer `folds`, or another measure"
  )
  refuse_if(anyNA(loss), "choice", "measure",
    sprintf("\"%s\" needs a `predict` that returns probabilities", measure), "classes alone"
  )
}

# by measure the means over the folds, none below 0, and their standard errors
measure_columns <- function(loss, shares) {
  do.call(cbind, unname(Map(function(loss, share, name) {
    sums <- fold_summary(loss, share)
    sums$mean <- pmax(sums$mean, 0)
    if (name %in% rising_measures) sums$mean <- 1 - sums$mean
    stats::setNames(as.data.frame(sums), measure_columns_of(name))
  }, loss, shares, names(loss))))
}

# the points that each rule takes, by losses of some folds, and the differences from the best
chosen_points <- function(loss, shares, entrant) {
  mean <- fold_summary(loss, shares)$mean
  best <- first_largest(-mean)
  paired <- fold_summary(loss - loss[, best], shares)
  # of the same entrant those with fewer features, or larger penalties, come first
  close <- paired$mean <= paired$se + tie_share * max(abs(mean))
  one_se <- which(entrant == entrant[best] & close)[1]
  list(best = c("1se" = one_se, min = best), against = paired)
}

# The corner of the least loss that is reached up to each size, by several entrants the best there:
# its point `at`, and whether there is `none`, see ?cv_rowsparse: curves of noise bend by less.
elbow_point <- function(loss, shares, k) {
  if (anyNA(k) || length(unique(k)) < 3L) {
    return(NULL)
  }
  mean <- fold_summary(loss, shares)$mean
  points <- vapply(split(seq_along(k), k), function(at) at[first_largest(-mean[at])], 0L)
  reached <- cummin(mean[points])
  at <- points[[elbow(reached, k[points])]]
  along <- (k[at] - min(k)) / diff(range(k))
  ends <- points[c(1L, which.min(mean[points]))]
  depth <- fold_summary(loss[, ends] %*% c(1 - along, along) - loss[, at], shares)
  list(at = at, none = depth$mean <= max(depth$se, (reached[1] - min(reached)) / 10))
}

# The measures of the chosen point, corrected for the choice, and their standard errors: see
# ?cv_rowsparse. `own`: the best point of each fold
corrected_measures <- function(loss, shares, at, best, own) {
  folds <- length(own) / length(shares[[1]])
  corrected <- unlist(measure_columns(lapply(loss, function(loss) {
    gap <- loss[, best] - loss[cbind(seq_along(own), own)]
    cbind(loss[, at] + sqrt(2 * folds - 1) / folds * gap)
  }), shares))
  corrected * c(1, sqrt((2 * folds - 1) / (folds - 1)))
}

# method, settings, k and lambda of every point
point_rows <- function(entrants) {
  values <- lapply(entrants, function(entrant) or_default(unlist(entrant$grid), NA))
  owner <- rep(seq_along(entrants), lengths(values))
  penalty <- (vapply(entrants, `[[`, "", "over") == "lambda")[owner]
  value <- unlist(values, use.names = FALSE)
  table <- data.frame(method = vapply(entrants, `[[`, "", "label")[owner])
  for (name in unique(unlist(lapply(entrants, function(entrant) names(entrant$setting))))) {
    own <- lapply(entrants, function(entrant) or_default(entrant$setting[[name]], NA))
    table[[name]] <- unlist(own)[owner]
  }
  if (!all(penalty)) table$k <- as.integer(ifelse(penalty, NA, value))
  if (any(penalty)) table$lambda <- ifelse(penalty, value, NA)
  list(table = table, entrant = owner, point = sequence(lengths(values)))
}

# the chosen point with the fit to all samples there, and with the model on its features where the
# fit does not predict
new_cv <- function(points, entrants, task, rule, about, table, assay) {
  at <- points$best[[rule]]
  entrant <- entrants[[points$entrant[at]]]
  over <- entrant$over
  end <- end_of(entrant, task, points$point[at], table)
  features <- list(d = ncol(task$x), feature_names = colnames(task$x), assay = assay)
  own <- points$table[points$entrant == points$entrant[at], ]
  out <- structure(class = "cv_rowsparse", c(
    list(
      method = entrant$label, over = over,
      k = if (is.list(end$fit)) units_in(end$fit, end$set) else length(end$set),
      lambda = points$table$lambda[at],
      setting = if (length(entrant$setting) > 0) as.data.frame(entrant$setting), at = at,
      rule = rule, features = with_table(features, table),
      elbow = if ("elbow" %in% names(points$best)) points$table$k[points$best[["elbow"]]],
      open = open_end(own[[over]], points$table[[over]][at], over, unit_count(entrant$data)),
      candidates = if (is_halves(task$parts)) candidate_columns(entrant$data)
    ),
    points[setdiff(names(points), "point")], about,
    list(fit = end$fit, columns = end$set, model = final_model(task, end))
  ))
  if (out$no_better) warn_rowsparse("no_better", paste0(no_better_words(out), "."))
  if (rule == "elbow" && out$no_elbow) warn_rowsparse("no_elbow", paste0(no_elbow_words, "."))
  out
}

# List(fit, set) of all samples at a point: what a function returned, of a set the names; the fit of
# rowsparse(), without messages that were given before; or that at the end of the path of penalties
end_of <- function(entrant, task, point, table) {
  entry <- entrant$entry
  sizes <- entrant$grid$sizes[point]
  if (is.null(entry)) {
    entrant$grid$sizes <- sizes
    found <- points_of(entrant, task, seq_len(nrow(task$x)))[[1]]
    names <- feature_labels(list(feature_names = colnames(task$x)), found$set)
    fit <- if (is.null(found$fit)) names else with_table(found$fit, table)
    return(list(fit = fit, set = found$set))
  }
  if (!is.null(sizes)) {
    fit <- withCallingHandlers(
      do.call(rowsparse, c(list(
        x = table[["x"]], y = table[["y"]], k = sizes, method = entry$name
      ), entrant$given), quote = TRUE),
      rowsparse_message = function(m) {
        if (!inherits(m, "rowsparse_message_determined")) tryInvokeRestart("muffleMessage")
      },
      rowsparse_warning_no_better = function(w) tryInvokeRestart("muffleWarning")
    )
    set <- fit$selected
  } else {
    fit <- points_of(entrant, task, seq_len(nrow(task$x)))[[point]]$fit
    warn_of_end(fit)
    set <- scored_features(fit)
    if (length(set) > 0) fit$selected <- set
    fit$groups <- fit_groups(fit, fit$groups)
    fit <- with_fitted(fit, entrant$data)
    fit$assay <- entrant$given[["assay"]]
    tell_determined(fit, c(list(entry = entry), table[c("x", "y")]))
  }
  fit <- with_table(fit, table)
  fit$default <- entry$usual
  list(fit = fit, set = set)
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

# A value that was chosen though it is the first or the last of those compared, beyond which a
# better one may lie: "k = 20 is the largest of those compared"
open_end <- function(values, value, over, d) {
  word <- if (length(unique(values)) == 1L) {
    NULL
  } else if (value == min(values) && value > (over == "k")) {
    "smallest"
  } else if (value == max(values) && (over != "k" || value < d)) {
    "largest"
  }
  if (!is.null(word)) {
    sprintf("%s = %s is the %s of those compared", over, format(value, digits = 3), word)
  }
}
