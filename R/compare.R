#' Comparison of feature selection methods
#'
#' [evaluate_features()] for several selections, with the same starting samples
#' of k-means for all of them, on one data set or on many.
#'
#' @section Many data sets:
#' `x` may be a named list of data sets, each a list with elements `x` and `y` (others are
#' ignored). Every pair of data set and method is then a separate job: a method that fails on a
#' data set has missing values there and its message in the column `note`, and the other jobs go
#' on; warnings go to `note` as well. Sizes `k` above the number of features of a data set are
#' left out there. Several [workers] can share the jobs, and progressr reports them. Starting
#' samples, random sets and the random numbers of the methods follow from one number taken from
#' R's generator and from the contents of the data set, so that results depend neither on the
#' number of workers nor on the other methods and data sets.
#'
#' With `store`, the result of every finished job is written to a file in this folder,
#' `<data set>/<method>.rds`. A later call reads the files and computes the missing results. A
#' file is read only if it was made from the same data (by a checksum), the same method, `k`,
#' `repeats`, `random` and `refit`, by the same version of the package; other results are computed
#' again, with a message. Failed jobs are tried again, those at the time limit if it is raised.
#' The number that determines the random draws is kept in the store too: all results in one store
#' have the same starting samples. A function in `methods` is identified by its text, not by the
#' variables that it reads. Files are written under another name, read back and renamed: a full
#' disk ends the call with an error of class `rowsparse_error_store`, and leaves the stored
#' results intact. A file that is damaged or is no result is replaced, with a warning of class
#' `rowsparse_warning_store`.
#'
#' Data sets with batches have a third element, `block`.
#'
#' `store`, `time_limit` and `refit` also work for one data set, with the same columns in the
#' result as for several.
#'
#' @section By the error:
#' `criterion = "error"` asks how well the selected features predict `y`, classes or numbers. In
#' each fold every method selects features from the training samples; least squares, or for
#' classes the linear discriminants of [predict.rowsparse()], are fitted to the k selected
#' features, and the samples left out are predicted. The error is the share of wrong classes, or
#' the squared error divided by that of predicting the mean of the training samples, so that 1 is
#' no better than the mean. All methods see the same folds, which are drawn `repeats` times.
#' Methods may be given by name or as functions, which are called as `f(x, y = , ...)` if they
#' have an argument `y`; fits and vectors are refused, as they have seen the samples left out.
#' `store`, `time_limit`, `refit` and `block` are for clustering only. See [selection_error()] for
#' other models. Observation `weights`, given among the further arguments or as an element of each
#' data set, are used in both steps and in the error, as in [cv_rowsparse()]. All methods must
#' take them: by name only [cdlsr()] and [pgd()], functions by an argument `weights`.
#'
#' @section What is fair:
#' Methods that need labels see the labels by which they are then judged. Compared with methods
#' without labels, they show what labels would be worth. By default each method is fitted once,
#' for the largest `k`, and judged by its first features at smaller sizes. Methods that choose
#' sets of exactly k features may do better there when fitted for each size: `refit = TRUE`.
#' Include `random` sets: a method that does not beat them has found nothing.
#'
#' @inheritParams evaluate_features
#' @param x The data, samples in rows: numeric matrix, data frame or `dgCMatrix`, or a
#'   `SummarizedExperiment` (see [experiments]), which functions among the `methods` get
#'   unchanged. Or a named list of data sets: see below.
#' @param y Class of every sample, or the name of a column of `colData(x)`. Left out where `x`
#'   is a list of data sets.
#' @param methods A named list; every entry is a fit of this package, a vector
#'   of column indices or feature names (best first), or a function that is
#'   called as `f(x, ...)` and returns one of these. Or a character vector of
#'   methods from [rowsparse_methods()], each run by [rowsparse()] for the
#'   largest `k`; those that need labels are given `y`.
#' @param data Name of the data set, for the column `data`; results on several
#'   data sets can then be stacked with [rbind()].
#' @param ... Passed on to the functions in `methods`.
#' @param store Name of a folder for the results of single data sets and methods, created if
#'   missing. `NULL`: nothing is kept.
#' @param time_limit Elapsed seconds that one fit may take. A limit of your own set by
#'   [setTimeLimit()] is lifted.
#' @param refit Fit methods that are given by name and choose exactly k features again for
#'   every `k`? `elapsed` is then the mean over the fits.
#' @param block The level of each sample, such as its batch: a factor or vector, for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`. Only methods given by name
#'   get it, not functions and fits. All selections are then judged on features centred within the
#'   levels, as in [evaluate_features()]; to see what `block` does to a selection, compare
#'   functions or fits with and without it.
#'
#' @param criterion `"clustering"`: k-means on the selected features finds the classes; `"error"`:
#'   least squares or discriminants on them predict `y`, see By the error.
#' @param folds,foldid For `"error"`: as for [cv_rowsparse()]; `foldid` for one data set only.
#'
#' @return A data frame of classes `method_comparison` and
#'   `feature_evaluation`: the columns of [evaluate_features()], preceded by
#'   `data`, and `elapsed`, the seconds that the selection took (`NA` for given selections); with
#'   a list of data sets, `store`, `time_limit` or `refit` also `note`: why there is no result,
#'   what a method warned about, or `""`. With `criterion = "error"` a data frame of class
#'   `error_comparison`: `data`, `method`, `k`, `folds`, `error`, `se` (see [cv_rowsparse()]),
#'   `elapsed` (seconds per fold) and `note`, and a `summary` of the
#'   means and ranks of the methods, the matrix `errors`, data sets x methods, and the `test` of
#'   the differences, see [summary.method_comparison()].
#' @section Errors:
#' As for [evaluate_features()]; and `methods` without names, an unusable list of data sets,
#' a `store` that cannot be written to (`rowsparse_error_store` if that happens later). With many
#' data sets, failures of single methods raise no error; a warning of class
#' `rowsparse_warning_failed` counts them.
#' @seealso [summary.method_comparison()] for means, ranks, plots and a test of the differences
#' @examplesIf requireNamespace("clue", quietly = TRUE)
#' set.seed(1)
#' data <- simulate_shapes("banana", n = 300)
#' largest_variance <- function(x) order(-apply(x, 2, var))
#' compare_methods(data$x, data$y, k = 2,
#'                 methods = list(truth = data$informative, variance = largest_variance),
#'                 repeats = 5, random = 2)
#' compare_methods(data$x, data$y, k = 2, methods = c("css", "bsufs"), repeats = 5)
#'
#' # how well they predict
#' compare_methods(iris[, 1:4], iris$Species, k = 1:3, methods = c("css", "ftest"),
#'                 criterion = "error")
#'
#' sets <- list(banana = data, moons = simulate_shapes("two_moons", n = 100))
#' compare_methods(sets, k = 1:3, methods = c("css", "bsufs"), repeats = 5, random = 2)
#' @export
compare_methods <- function(x, y, k = seq(10, 100, 10), methods, repeats = 50, random = 0,
                            data = deparse1(substitute(x)), ..., store = NULL, time_limit = Inf,
                            refit = FALSE, block = NULL, BPPARAM = NULL,
                            criterion = c("clustering", "error"), folds = 10, foldid = NULL) {
  criterion <- check_choice(criterion, "criterion", c("clustering", "error"))
  check_places(k, if (!missing(methods)) methods, "methods")
  if (!missing(methods) && length(methods) == 0L) {
    stop_rowsparse("size", "methods", "must hold at least one method", "none")
  }
  several <- is.list(x) && !is.object(x)
  if (several) {
    check_left_out(c(y = missing(y), data = missing(data), block = is.null(block)))
    sets <- check_data_sets(x)
  } else {
    check_given(missing(y), "y")
    sets <- stats::setNames(list(list(x = x, y = y, block = block)), check_data_name(data))
  }
  sets <- lapply(sets, plain_data_set, methods = methods, assay = list(...)[["assay"]])
  if (criterion == "error") {
    check_for_clustering(store, time_limit, refit, if (several) foldid)
    settings <- list(
      k = k, strict = !several && !missing(k), folds = folds, foldid = foldid,
      repeats = if (missing(repeats)) 1 else repeats,
      random = check_count(random, "random", 0, 1e6)
    )
    given <- list(...)
    if (!several) sets[[1]]["weights"] <- list(sample_column(x, given[["weights"]], "weights"))
    given$weights <- NULL
    return(compare_errors(sets, methods, settings, given, BPPARAM))
  }
  refit <- check_flag(refit, "refit")
  check_workers(BPPARAM)
  time_limit <- check_time_limit(time_limit)
  if (several || !is.null(store) || is.finite(time_limit) || refit) {
    settings <- list(
      k = k, strict = !several && !missing(k), repeats = repeats, random = random,
      time_limit = time_limit, refit = refit
    )
    # by name: `m` among the others is no short form of `methods`
    return(compare_on_sets(sets = sets, methods = methods, settings = settings, store = store,
      BPPARAM = BPPARAM, ...
    ))
  }
  compare_on_one(
    set = sets[[1]], methods = methods, k = k, default = missing(k), repeats = repeats,
    random = random, data = names(sets), BPPARAM = BPPARAM, ...
  )
}

check_left_out <- function(left_out) {
  if (!all(left_out)) {
    stop_rowsparse("argument", names(which(!left_out))[1],
      "must be left out where `x` is a list of data sets, which has its own"
    )
  }
}

# what has no meaning for errors
check_for_clustering <- function(store, time_limit, refit, foldid) {
  given <- c(
    store = !is.null(store), time_limit = !identical(check_time_limit(time_limit), Inf),
    refit = check_flag(refit, "refit"), foldid = !is.null(foldid)
  )
  if (any(given)) {
    stop_rowsparse("argument", names(which(given))[1],
      "must be left out for criterion = \"error\" of these data"
    )
  }
}

# Of an experiment the methods of the package get the samples, functions of the caller the
# experiment itself
plain_data_set <- function(set, methods, assay) {
  set$y <- sample_column(set$x, set$y, "y")
  set["block"] <- list(sample_column(set$x, set$block, "block"))
  if (is.character(methods)) set$x <- plain_samples(set$x, assay)
  set
}

compare_on_one <- function(set, methods, k, default, repeats, random, data, BPPARAM, ...) {
  if (!is.character(methods)) methods <- check_methods(methods)
  task <- clustering_task(set$x, set$y, repeats, set$block)
  k <- check_counts(k, "k", 1L, if (default) 1e9 else task$x$d)
  if (is.character(methods)) {
    methods <- check_methods(named_methods(methods, set, min(max(k), task$x$d)))
  }
  random <- check_count(random, "random", 0, 1e6)
  timed <- lapply(methods, timed_selection, x = set$x, ...)
  features <- Map(function(selection, name) {
    feature_columns(selection$fit, sprintf("methods$%s", name), task$x$d, task$x$names)
  }, timed, names(methods))
  k <- check_sizes(k, min(lengths(features)), default = default)
  for (selection in timed) warn_if_filled(selection$fit, k)

  sets <- unlist(Map(leading_sets, names(methods), features, list(k)), recursive = FALSE)
  sets <- c(unname(sets), random_sets(task$x$d, k, random))
  result <- feature_evaluation(score_sets(task, sets, BPPARAM = BPPARAM))
  elapsed <- vapply(timed, `[[`, 0, "elapsed")
  result <- cbind(data = data, result, elapsed = unname(elapsed[result$method]))
  as_comparison(result)
}

as_comparison <- function(table) {
  class(table) <- c("method_comparison", "feature_evaluation", "data.frame")
  table
}

# the name of a data set: one string
check_data_name <- function(data) {
  if (!is.atomic(data) || length(data) != 1L || is.na(data) || !nzchar(data)) {
    stop_rowsparse("type", "data", "must be one string: the name of the data set", describe(data))
  }
  as.character(data)
}

# functions that select k features of a data set by the methods of these names
named_methods <- function(methods, set, k) {
  known <- rowsparse_methods()
  methods <- vapply(methods, check_choice, "", argument = "methods", choices = known$method)
  select <- function(name) {
    response <- if (known$supervised[known$method == name]) factor(set$y)
    function(x, ...) rowsparse(x, response, k = k, method = name, block = set$block, ...)
  }
  stats::setNames(lapply(methods, select), methods)
}

check_methods <- function(methods) {
  labels <- names(methods)
  if (anyNA(labels)) labels[is.na(labels)] <- ""
  if (!is.list(methods) || inherits(methods, "rowsparse") || length(labels) == 0) {
    stop_rowsparse("type", "methods",
      "must be method names or a named list of fits, vectors or functions", describe(methods)
    )
  }
  if (!all(nzchar(labels)) || anyDuplicated(c(labels, "random"))) {
    stop_rowsparse("names", "methods", "must have different names, other than \"random\"",
                   paste0("\"", labels, "\"", collapse = ", "))
  }
  methods
}

# A selection and the seconds that it took
timed_selection <- function(selection, x, ...) {
  if (!is.function(selection)) {
    elapsed <- if (inherits(selection, "rowsparse")) selection$elapsed
    return(list(fit = selection, elapsed = or_default(elapsed, NA_real_)))
  }
  start <- proc.time()[["elapsed"]]
  fit <- selection(x, ...)
  list(fit = fit, elapsed = proc.time()[["elapsed"]] - start)
}
