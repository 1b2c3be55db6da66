#' Choose the number of features and the settings of a method
#'
#' Fits a method on a grid of settings and sizes, on all samples and on subsamples, judges every
#' point by one or more criteria, and suggests a point together with how sure the suggestion is.
#'
#' @section Criteria:
#' * `"reconstruction"`: the share of the variance of all features that regression on the selected
#'   ones reproduces ([compare_panels()]). The share never falls with k, so k is the elbow of
#'   the curve: the size furthest above the straight line from the first to the last size. A curve
#'   that stays within a tenth of its height of that line has no elbow: k is then the smallest size
#'   that reproduces 90% of the variance, or else the largest of the grid.
#' * `"stability"`: the index of Nogueira, Sechidis and Brown for the sets selected on the
#'   subsamples; 1 when all agree, 0 on average for random sets.
#' * `"silhouette"`: k-means on the selected features, and the mean over samples of
#'   \eqn{(b - a) / \max(a, b)}{(b - a) / max(a, b)}, with \eqn{a} the distance to the centre of the
#'   sample's own cluster and \eqn{b} to the nearest other centre (the simplified silhouette), less
#'   the same value for normal samples with the covariance of the selected features. k-means finds
#'   seemingly good clusters in any sample of few features; only the excess over samples without
#'   clusters counts.
#' * `"accuracy"`, `"nmi"`: k-means on the selected features compared with the labels `y`, as in
#'   [evaluate_features()].
#' * `"error"`: cross-validated error of a supervised method: the share of wrong classes, or the
#'   mean squared error over the variance of the response. `"balanced"` and `"log_loss"`, for
#'   classes: the mean over the classes of the share of wrong predictions, and the logarithmic loss,
#'   see [cv_rowsparse()]. With any of the three the table holds all of them. A method with a path
#'   over k predicts with the fit of each size; [rfs()] with the k largest rows of its coefficients.
#'
#' The first two are always computed. For all but `"reconstruction"`, k is the smallest size whose
#' value is within one standard error of the best. The standard error is taken over the subsamples;
#' for the silhouette it also includes the variance over the normal samples. For the three errors it
#' is the standard error of the difference from the best size over the folds, as in
#' [cv_rowsparse()]. The setting with the best value (for `"reconstruction"`, the highest mean) is
#' taken. Values that agree to eight digits are ties, and go to the smaller size and to the setting
#' that comes first in the table.
#'
#' @section How sure:
#' The same rule is applied to each subsample (or fold) alone; for `"stability"`, which needs
#' several, to all subsamples but one. `agreement` is the share of these replicates whose choice is
#' within one step of the grid of the suggested k (with at most four sizes: that choose this k), and
#' `k_range` the interval that holds the middle 80% of their choices. For an elbow, `sharpness` is
#' the distance from the curve to the straight line, 0 for no corner and 1 for a right angle.
#'
#' `sure` is the verdict. A suggestion is `"not sure"` when fewer than half of the replicates agree
#' or, whatever the agreement, when no size stands out: the sharpness is below 0.1; the elbow is
#' less than 0.1 further from the line than the curve of the same data with the values of every
#' feature shuffled; more than half of the sizes are within one standard error of the best; or no
#' silhouette is two standard errors above that of normal samples. It is `"sure"` when at least 80%
#' agree and k is not at an end of the grid, beyond which a better k may lie; else `"fairly sure"`.
#' The silhouette gets at most `"fairly sure"`: two features can show clusters that forty carry, so
#' its k is rather a lower bound. With a grid of one size, or two subsamples, it is
#' `"cannot be told"`. `why` gives the reason in words.
#'
#' @section Parallel work:
#' Subsamples, folds, starting samples of k-means and seeds of random methods are drawn before the
#' work is distributed, so the result is the same for any number of [workers], to the last bit on
#' machines of one kind. Progress is reported through progressr when that is installed.
#'
#' @inheritParams rowsparse
#' @param BPPARAM A BiocParallelParam, the [workers] that share the work. `NULL`: the workers of the
#'   future plan where one is set, else this process alone.
#' @param x The samples themselves (no moments): see [bsufs()]; or a formula, with `data`, see
#'   [tables].
#' @param k Number of features, or several numbers to compare. `NULL`: twelve sizes from 2 to 100
#'   (as far as the data allow), evenly spaced on the logarithmic scale.
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` for the default of
#'   [rowsparse()]. [alignment()] selects by `y`, but not for the criteria `"accuracy"` and `"nmi"`,
#'   where labels judge a selection made without them.
#' @param grid Settings to compare: a data frame with one row per setting, or a named list whose
#'   combinations are taken. Names are arguments of the method. A penalty alone forms a path with
#'   warm starts. `NULL`: the method's defaults, and for `"error"` with a method that has a penalty,
#'   ten penalties from the largest useful one down to a hundredth of it.
#' @param criterion One or more of the criteria; the first one decides.
#' @param subsamples Number of subsamples.
#' @param fraction Share of the samples in each subsample.
#' @param folds,foldid,repeats For `"error"`: the number of folds, the fold of each sample, and how
#'   often folds are drawn, as in [cv_rowsparse()].
#' @param clusters Number of clusters for `"silhouette"`; `NULL` for the number of classes in `y`,
#'   or without `y` for the elbow of the eigenvalues, see [rowsparse()]. [kmeans_ufs()] uses the
#'   same number, unless the grid has its own.
#' @param starts Number of k-means runs per set.
#'
#' @return A list of class `rowsparse_tuning`:
#'   \item{table}{data frame, one row per setting and size: the settings, `k`,
#'     and for every criterion its value and (with suffix `_se`) its standard
#'     error}
#'   \item{k, setting, criterion}{the suggestion (`setting`: a one-row data frame or `NULL`) and the
#'     criterion that decided}
#'   \item{sure, why, agreement, k_range, sharpness}{how sure it is}
#'   \item{frequency}{features x sizes, for the suggested setting: the share of the
#'     subsamples in which a feature was selected}
#'   \item{stability}{index and 95% interval at the suggested point}
#'   \item{fit}{[rowsparse()] at the suggested point}
#'   \item{method, subsamples, elapsed, call}{}
#'
#'   Methods: `print`; `summary`, with the table of the suggested setting;
#'   `coef()`, `predict()` and
#'   `selected()` of the fit; `as.data.frame` (the table).
#' @section Errors:
#' As for [rowsparse()]; criteria that need `y` where it is not given; unusable grids.
#' @references
#' Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature
#' selection algorithms. *Journal of Machine Learning Research* 18(174), 1--54.
#' @seealso [rowsparse_path()], [evaluate_features()]
#' @examples
#' set.seed(1)
#' shape <- simulate_shapes("diamond9", n = 200, ratio = 0.5)
#' tuned <- tune_rowsparse(shape$x, method = "bsufs", k = 1:5, grid = list(m = 1:2),
#'                         subsamples = 5)
#' tuned
#' @order 1
#' @export
tune_rowsparse <- function(x, y = NULL, k = NULL, method = NULL, grid = NULL,
                           criterion = c("reconstruction", "stability", "silhouette",
                                         "accuracy", "nmi", "error", "balanced", "log_loss"),
                           m = NULL, subsamples = 20, fraction = 0.8, folds = 5, clusters = NULL,
                           starts = 10, ..., include = NULL, exclude = NULL, block = NULL,
                           BPPARAM = NULL, assay = NULL, foldid = NULL, repeats = 1, data = NULL,
                           na.action = NULL, groups = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_places(k, method)
  table <- read_table(x, y, data, na.action, include, exclude, groups)
  check_workers(BPPARAM)
  criterion <- if (missing(criterion)) "reconstruction" else check_criteria(criterion)
  entry <- asked_entry(method, table[["x"]], table[["y"]],
    by_response = !is.null(table[["y"]]) && selects_by_response(criterion),
    k = or_default(k, if (is.list(grid)) grid[["k"]])
  )
  if (!is.null(clusters)) clusters <- check_count(clusters, "clusters", 2L, 1e9)
  in_grid <- is.list(grid) && !is.null(grid[["clusters"]])
  own <- if (identical(entry$dimension, "clusters") && !in_grid) clusters
  locks <- c(list(block = block, assay = assay), table$locks)
  given <- check_arguments(entry, c(list(m = m, clusters = own), list(...), locks),
    reserved = shared_start(entry)
  )
  read <- read_for_fits(entry, table, given)
  given <- read$given
  y <- read$y
  criterion <- criteria_to_judge(criterion, entry, y)
  parts <- rows_of_table(list(folds = folds, foldid = foldid, repeats = repeats), table, "foldid")
  divided <- weighted_samples(samples_in_memory(read$x), y, parts, given[["weights"]])
  samples <- divided$x
  y <- divided$y
  given$weights <- divided$weights
  data <- without_constant_warning(as_data(samples,
    block = given[["block"]], include = given[["include"]], exclude = given[["exclude"]],
    select = FALSE, groups = given[["groups"]]
  ))
  given["exclude"] <- NULL
  given$rules <- rules_of_kept(given[["rules"]], data)
  # from here on of the features that are left
  label <- if (!is.null(data$groups)) data$groups$label[inner_of(data)]
  given$groups <- label
  given$include <- if (is.null(label)) data$locked else unique(label[data$locked])
  whole <- samples
  if (!is.null(data$view$excluded)) samples <- samples[, data$view$kept, drop = FALSE]

  n <- nrow(samples)
  y <- resolve_response(y, n, entry, folded = judged_by_error(criterion))
  subsamples <- check_count(subsamples, "subsamples", 2L, 1e6)
  check_memory(8 * as.double(subsamples) * n, "subsamples", "take fewer subsamples")
  fraction <- check_number(fraction, "fraction", 0.1, 1)
  if (is.null(grid) && judged_by_error(criterion)) grid <- penalty_grid(entry, samples, given, y)
  grid <- tuning_grid(k, grid, entry, samples, given, max(2L, floor(fraction * n)))
  task <- tuning_task(samples, y, criterion, clusters, starts)
  if (!is.null(task)) task$block <- data$block
  unit <- if (judged_by_error(criterion)) response_unit(y)
  jobs <- tuning_jobs(samples, subsamples, fraction,
    if (judged_by_error(criterion)) divided$parts, y,
    reference = criterion[1] == "reconstruction", block = given[["block"]]
  )
  results <- apply_with_progress(jobs, tuning_job,
    x = samples, y = y, entry = entry, grid = grid, task = task, unit = unit, BPPARAM = BPPARAM
  )
  warn_unconverged_jobs(results[vapply(jobs, `[[`, "", "kind") != "shuffled"])
  points <- judge_settings(results, jobs, grid, criterion, ncol(samples),
    if (judged_by_error(criterion)) measure_weights(y, given[["weights"]])
  )
  out <- new_tuning(points, entry, whole, y, grid, criterion, subsamples, call, started, data,
    table$locks
  )
  out$fit <- with_table(out$fit, table)
  out$fit$assay <- read$assay
  out$fit$identifiers <- read$identifiers
  out
}

# `data`: those that are left of x, see lock_features()
new_tuning <- function(points, entry, x, y, grid, criterion, subsamples, call, started, data,
                       locks) {
  suggested <- suggest_point(points, grid$sizes, criterion[1])
  k <- grid$sizes[suggested$at]
  point <- points[[suggested$setting]]
  index <- point$criteria$stability
  by <- if (needs_response(entry)) y
  setting <- grid$settings[[suggested$setting]]
  setting[names(locks)] <- locks
  fit <- without_response_message(
    do.call(rowsparse, c(list(x, by, k, entry$name), setting), quote = TRUE)
  )
  fit$call <- call
  structure(
    list(
      table = tuning_table(points, grid, criterion), k = k,
      setting = if (!is.null(grid$table)) grid$table[suggested$setting, , drop = FALSE],
      criterion = criterion[1], agreement = suggested$agreement, k_range = suggested$k_range,
      sharpness = suggested$sharpness, sure = suggested$sure, why = suggested$why,
      frequency = selection_frequency(outer_sets(point$sets, data), grid$sizes, ncol(x),
        colnames(x)
      ),
      stability = c(
        stability = index$value[suggested$at], lower = index$lower[suggested$at],
        upper = index$upper[suggested$at]
      ),
      fit = fit, method = entry$name, subsamples = subsamples,
      elapsed = proc.time()[["elapsed"]] - started, call = call
    ),
    class = "rowsparse_tuning"
  )
}

# sets by replicate and size as columns of the whole
outer_sets <- function(sets, data) {
  lapply(sets, function(of_sizes) lapply(of_sizes, outer_index, data))
}

tuning_criteria <- c(
  "reconstruction", "stability", "silhouette", "accuracy", "nmi", "error", "balanced", "log_loss"
)

check_criteria <- function(criterion) {
  if (!is.character(criterion)) {
    stop_rowsparse("choice", "criterion", "must be names of criteria", describe(criterion))
  }
  criterion <- vapply(criterion, check_choice, "", argument = "criterion",
    choices = tuning_criteria, USE.NAMES = FALSE
  )
  if (length(criterion) == 0L) {
    stop_rowsparse("choice", "criterion", "must name at least one criterion", describe(criterion))
  }
  criterion
}

judged_by_error <- function(criterion) any(class_measures %in% criterion)

# where a method can do with and without: labels that judge do not select
selects_by_response <- function(criterion) {
  judged_by_error(criterion) || !any(c("accuracy", "nmi") %in% criterion)
}

# the first two are always computed
criteria_to_judge <- function(criterion, entry, y) {
  labelled <- intersect(criterion, c("accuracy", "nmi", class_measures))
  if (length(labelled) > 0 && is.null(y)) {
    stop_rowsparse("type", "y", sprintf("must be given for the criterion \"%s\"", labelled[1]))
  }
  by_error <- intersect(class_measures, criterion)
  if (length(by_error) > 0 && !needs_response(entry)) {
    stop_rowsparse("choice", "criterion",
      sprintf("\"%s\" needs a supervised method; %s is not", by_error[1], entry$name)
    )
  }
  if (length(setdiff(by_error, "error")) > 0 && !is_classes(y)) {
    stop_rowsparse("choice", "criterion",
      sprintf("\"%s\" needs classes", setdiff(by_error, "error")[1]), describe(y)
    )
  }
  # what classes have beside the share of wrong ones
  if (length(by_error) > 0 && is_classes(y)) criterion <- c(criterion, class_measures)
  unique(c(criterion, "reconstruction", "stability"))
}

# ---- the grid --------------------------------------------------------------------

# list(settings: list of argument lists, table: their data frame or NULL,
# sizes, path: is it a path over the penalty?)
tuning_grid <- function(k, grid, entry, samples, given, n) {
  grid <- expand_settings(grid)
  data <- without_constant_warning(as_data(samples,
    block = given[["block"]], include = given[["include"]], select = FALSE,
    groups = given[["groups"]]
  ))
  data$n <- as.integer(n)
  sizes <- tuning_sizes(k, entry, data, given)
  table <- unique(grid)
  check_arguments(entry, as.list(table), reserved = shared_start(entry))
  check_given_dimension(entry, given, data)
  for (value in if (!is.null(entry$dimension)) table[[entry$dimension]]) {
    check_given_dimension(entry, stats::setNames(list(value), entry$dimension), data, "grid$")
  }
  path <- identical(names(table), entry$penalty) && nrow(table) > 1
  if (path) table <- table[order(table[[1]], decreasing = !entry$upwards), , drop = FALSE]
  rownames(table) <- NULL
  settings <- if (ncol(table) == 0) {
    list(given)
  } else {
    lapply(seq_len(nrow(table)), function(row) {
      utils::modifyList(given, as.list(table[row, , drop = FALSE]))
    })
  }
  list(settings = settings, table = if (ncol(table) > 0) table, sizes = sizes, path = path)
}

# the penalties from which the prediction error chooses where none are given
penalty_grid <- function(entry, samples, given, y) {
  if (is.null(entry$penalty) || !is.null(given[[entry$penalty]])) {
    return(NULL)
  }
  data <- without_constant_warning(method_data(entry, samples, given))
  largest <- entry$largest_penalty(data, given, y)
  stats::setNames(list(largest * 0.01^seq(0.1, 1, length.out = 10)), entry$penalty)
}

expand_settings <- function(grid) {
  if (is.null(grid)) grid <- list()
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
  if (is.data.frame(grid)) {
    return(grid)
  }
  expand.grid(grid, stringsAsFactors = FALSE)
}

tuning_sizes <- function(k, entry, data, given) {
  largest <- largest_size(entry, data, given)
  least <- max(1L, length(data$locked))
  if (!is.null(k) && !is.numeric(k)) {
    stop_rowsparse("range", "k",
      sprintf("must be whole numbers from %d to %d", least, largest), describe(k)
    )
  }
  if (is.null(k)) {
    last <- min(max(100, least), largest)
    k <- round(exp(seq(log(min(max(2, least), last)), log(last), length.out = 12)))
  }
  sort(unique(check_counts(k, "k", lower = least, upper = largest)))
}

# ---- the work ----------------------------------------------------------------------

# what k-means needs, drawn once: NULL where no criterion asks for it
tuning_task <- function(samples, y, criterion, clusters, starts) {
  wanted <- intersect(criterion, c("silhouette", "accuracy", "nmi"))
  if (length(wanted) == 0) {
    return(NULL)
  }
  if (any(c("accuracy", "nmi") %in% wanted)) {
    task <- clustering_task(samples, y, starts)
  } else {
    task <- list(x = read_samples(samples), classes = silhouette_clusters(samples, y))
    task$starts <- draw_samples(starts, "starts", task$x$n, task$classes)
  }
  if (!is.null(clusters)) {
    task$classes <- check_count(clusters, "clusters", 2L, task$x$n - 1L)
  }
  check_cluster_count(task$classes, task$x$n, if (is.null(y)) "clusters" else "y")
  task$wanted <- wanted
  task
}

silhouette_clusters <- function(samples, y) {
  if (!is.null(y) && is.null(dim(y))) {
    return(max(2L, length(unique(y))))
  }
  max(2L, corner_dimension(with_spectrum(without_constant_warning(as_data(samples)))))
}

# all samples, the subsamples, the folds, and for elbows all samples with their
# features made independent; each with a seed of its own
tuning_jobs <- function(x, subsamples, fraction, parts, y, reference = FALSE, block = NULL) {
  n <- nrow(x)
  foldid <- if (!is.null(parts)) fold_columns(parts, as_response(y, n, told = TRUE), x, block)
  with_own_seeds(c(
    whole_job("all", n), subsample_jobs(n, subsamples, fraction),
    if (!is.null(foldid)) lapply(all_fold_jobs(foldid), c, list(repeats = ncol(foldid))),
    if (reference) whole_job("shuffled", n)
  ))
}

# Of one job, for every setting and size: the selected set, whether its fit
# converged, and the values of the criteria
tuning_job <- function(job, x, y, entry, grid, task, unit) {
  if (job$kind == "fold") {
    return(lapply(fold_job(job, x, y, entry, grid, unit), error_over_variance))
  }
  if (job$kind == "shuffled") {
    x <- with_seed(job$seed, shuffle_columns(x))
    task <- NULL
  }
  whole <- without_constant_warning(as_data(x, block = grid_block(grid)))
  with_seed(job$seed, {
    lapply(fit_part(job, x, y, entry, grid), function(selection) {
      c(selection[c("sets", "converged")],
        list(reconstruction = reconstruction_of(selection$sets, whole)),
        if (!is.null(task)) clustering_of(selection$sets, task)
      )
    })
  })
}

# 1: no better than the mean of the training samples
error_over_variance <- function(outcome) {
  outcome$error <- if (outcome$reference > 0) {
    outcome$error / outcome$reference
  } else {
    as.double(outcome$error > 0)
  }
  outcome
}

# every feature in an order of the samples of its own
shuffle_columns <- function(x) {
  if (!inherits(x, "sparseMatrix")) {
    return(apply(as.matrix(x), 2, sample))
  }
  x <- compress_columns(x, "x")
  rows <- lapply(diff(x@p), function(count) sample.int(nrow(x), count))
  Matrix::sparseMatrix(i = unlist(rows), p = x@p, x = x@x, dims = dim(x), dimnames = dimnames(x))
}

# one factorisation serves sets that continue each other
reconstruction_of <- function(sets, data) {
  last <- sets[[length(sets)]]
  if (all(vapply(sets, function(columns) identical(columns, last[seq_along(columns)]), NA))) {
    return(pmin(1, cumsum(projection_gain(data, last))[lengths(sets)] / data_trace(data)))
  }
  vapply(sets, function(columns) {
    min(1, sum(projection_gain(data, columns)) / data_trace(data))
  }, 0)
}

# By size, the mean over the runs of k-means of every criterion wanted; for the
# silhouette also `silhouette_noise`, its variance over samples without clusters
clustering_of <- function(sets, task) {
  rows <- lapply(sets, function(columns) {
    x <- dense_columns(task$x, columns) + 0
    x <- without_level_means(x, task$block)
    clusters <- lapply(task$starts, function(start) kmeans_from(x, start, task$classes)$cluster)
    c(
      if ("silhouette" %in% task$wanted) silhouette_excess(x, clusters, task),
      label_agreement(clusters, task)
    )
  })
  values <- do.call(rbind, rows)
  lapply(stats::setNames(nm = colnames(values)), function(name) unname(values[, name]))
}

silhouette_excess <- function(x, clusters, task) {
  own <- vapply(clusters, simplified_silhouette, 0, x = x)
  starts <- rep(task$starts, length.out = max(2L, length(task$starts)))
  normal <- vapply(starts, normal_silhouette, 0, x = x, classes = task$classes)
  c(silhouette = mean(own) - mean(normal), silhouette_noise = stats::var(normal))
}

label_agreement <- function(clusters, task) {
  # [[: `$` would take `classes` where there are no labels
  class <- task[["class"]]
  if (is.null(class)) {
    return(NULL)
  }
  counts <- lapply(clusters, contingency, truth = class)
  c(
    accuracy = mean(vapply(counts, matched_share, 0)),
    nmi = mean(vapply(counts, mutual_information_share, 0))
  )
}

# of k-means on a normal sample with the covariance of x
normal_silhouette <- function(start, x, classes) {
  sample <- normal_like(x)
  simplified_silhouette(sample, kmeans_from(sample, start, classes)$cluster)
}

# A root R of the covariance matrix, R'R = Xc'Xc / (n - 1), mixed by a standard
# normal matrix
normal_like <- function(x) {
  n <- nrow(x)
  root <- sweep(in_unit_range(x), 2, colMeans(in_unit_range(x))) / sqrt(n - 1)
  if (ncol(x) < n) {
    spectrum <- eigen(crossprod(root), symmetric = TRUE)
    root <- sqrt(pmax(spectrum$values, 0)) * t(spectrum$vectors)
  }
  matrix(stats::rnorm(n * nrow(root)), n) %*% root
}

simplified_silhouette <- function(x, cluster) {
  x <- in_unit_range(x)
  x <- sweep(x, 2, colMeans(x))
  groups <- match(cluster, unique(cluster))
  if (max(groups) < 2) {
    return(0)
  }
  centres <- rowsum(x, groups, reorder = TRUE) / tabulate(groups)
  squares <- outer(rowSums(x^2), rowSums(centres^2), "+") - 2 * tcrossprod(x, centres)
  distance <- sqrt(pmax(squares, 0))
  own <- cbind(seq_along(groups), groups)
  a <- distance[own]
  distance[own] <- Inf
  b <- do.call(pmin, as.data.frame(distance))
  mean(ifelse(pmax(a, b) > 0, (b - a) / pmax(a, b), 0))
}

warn_unconverged_jobs <- function(results) {
  fits <- unlist(lapply(results, function(job) vapply(job, `[[`, NA, "converged")))
  if (!all(fits)) {
    warn_rowsparse("convergence", sprintf(
      "%d of %d fits did not converge; see `maxit` and `tol` in rowsparse_control().",
      sum(!fits), length(fits)
    ))
  }
}
