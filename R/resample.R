# One engine of resampling: parts of the samples, fits of any method to a part, and
# errors on the samples left out. tune_rowsparse() and cv_rowsparse() are made of it.
#   job    one part: its `kind` ("all", "subsample", "fold", ...), the `rows` that the
#          fits see, and the `seed` of what they draw (NULL: nothing is drawn)
#   entry  the method, see method_entry()
#   grid   settings (a list of argument lists), sizes (NULL: what has a nonzero score), and
#          path: does the fit of each setting start from that of the setting before?

# ---- samples and response ----------------------------------------------------------

# samples that can be subset by row, as yet unchecked
samples_in_memory <- function(x, assay = NULL) {
  kind <- c(rowsparse_moments = "moments", rowsparse_blocks = "row blocks")
  kind <- kind[match(class(x), names(kind), 0L)]
  if (length(kind) > 0) {
    stop_rowsparse("type", "x",
      sprintf("must hold the samples themselves, in memory, not %s: some have to be left out", kind)
    )
  }
  if (is.data.frame(x)) {
    data_frame_matrix(x, "x")
  } else {
    realised(plain_samples(x, assay), "x")
  }
}

# The response of a supervised method as a factor or as numbers, once for all
# fits; for the others one entry per sample
resolve_response <- function(y, n, entry, folded = FALSE) {
  if (is.null(y)) {
    return(NULL)
  }
  if (!needs_response(entry)) {
    check_response_length(y, n)
    return(y)
  }
  response <- as_response(y, n, told = TRUE)
  if (folded) check_class_sizes(response)
  response_of(response)
}

# a checked response as the methods take it
response_of <- function(response) {
  if (response$type == "class") {
    factor(response$levels[max.col(response$Y, ties.method = "first")], levels = response$levels)
  } else {
    response$Y
  }
}

# some samples of a response
rows_of <- function(y, rows) {
  if (is.null(dim(y))) y[rows] else y[rows, , drop = FALSE]
}

# What cross-validation divides where samples have weights: those of weight 0 take no part, so
# that every fold has something to be judged on. list(x, y, parts, weights, rows, samples)
weighted_samples <- function(x, y, parts, weights) {
  # what are no samples is refused later
  if (is.null(weights) || length(dim(x)) != 2L) {
    return(list(x = x, y = y, parts = parts, weights = weights))
  }
  n <- nrow(x)
  weights <- check_weights(weights, n)
  check_response_length(y, n)
  kept <- observed_samples(weights)$rows
  if (NROW(parts$foldid) == n) parts$foldid <- part_of(parts$foldid, kept)
  list(
    x = x[kept, , drop = FALSE], y = part_of(y, kept), parts = parts, weights = weights[kept],
    rows = kept, samples = n
  )
}

# folds as results hold them: a vector without repeats, and NA for samples that took no part
folds_of_all <- function(foldid, divided) {
  out <- foldid
  if (!is.null(divided$rows)) {
    out <- matrix(NA_integer_, divided$samples, ncol(foldid))
    out[divided$rows, ] <- foldid
  }
  if (ncol(out) == 1L) out[, 1] else out
}

# ---- folds -------------------------------------------------------------------------

# n x repeats: the fold of each sample, as given, dealt out in order, or drawn where they are
# to be several or there is a seed; `parts`: folds, foldid, repeats, seed
fold_columns <- function(parts, response, x, block = NULL) {
  n <- nrow(x)
  repeats <- check_count(parts$repeats, "repeats", 1L, 1e4)
  foldid <- parts$foldid
  if (is.null(foldid)) {
    count <- check_fold_count(parts$folds, n)
    check_class_sizes(response)
    if (repeats == 1L && is.null(parts$seed)) {
      return(cbind(dealt_folds(count, response, x, block)))
    }
    return(with_seed(check_seed(parts$seed), do.call(cbind, lapply(seq_len(repeats), function(i) {
      drawn_folds(count, response, n, block)
    }))))
  }
  given <- if (is.matrix(foldid)) ncol(foldid) else 1L
  if (!repeats %in% c(1L, given)) {
    stop_rowsparse("range", "repeats",
      sprintf("must be left out, or be the number of columns of `foldid` (%d)", given), repeats
    )
  }
  columns <- if (is.matrix(foldid)) asplit(foldid, 2) else list(foldid)
  do.call(cbind, lapply(columns, function(column) {
    column <- if (is.array(column)) as.vector(column) else column
    given_folds(column, response, n)
  }))
}

check_fold_count <- function(folds, n) {
  if (length(folds) > 1L && NROW(folds) == n) {
    stop_rowsparse("range", "folds", "must be a number of folds", describe(folds),
      "The fold of each sample is `foldid`"
    )
  }
  check_count(folds, "folds", 2L, n)
}

# the same without a draw that the caller would notice
dealt_folds <- function(count, response, x, block = NULL) {
  refuse_variables(block, "where parts of the samples are fitted")
  if (is.null(block)) {
    return(ordered_folds(count, response, x))
  }
  order <- order_of_samples(response, x)
  response$Y <- response$Y[order, , drop = FALSE]
  folds <- integer(nrow(x))
  folds[order] <- with_seed(1L, drawn_folds(count, response, nrow(x), block[order]))
  folds
}

# the fold of each sample, 1, 2, ...; each training set has all levels of the block
drawn_folds <- function(count, response, n, block = NULL) {
  if (is.null(block)) {
    return(draw_folds(count, response, n))
  }
  block <- used_levels(block, n, "block")
  check_levels_for_folds(block, count)
  draw_folds_by_level(count, response, block)
}

# the same, as the caller gave it
given_folds <- function(foldid, response, n) {
  if (!is.atomic(foldid) || length(foldid) != n || anyNA(foldid)) {
    stop_rowsparse("length", "foldid",
      sprintf("must be a vector (or matrix) with the fold of each of the %d samples", n),
      describe(foldid)
    )
  }
  foldid <- as.integer(factor(foldid))
  if (max(foldid) < 2L) {
    stop_rowsparse("range", "foldid", "must have at least two folds", "one")
  }
  check_training_classes(foldid, response, "foldid")
  foldid
}

check_class_sizes <- function(response) {
  counts <- colSums(response$Y)
  if (response$type == "class" && any(counts < 2)) {
    stop_rowsparse("class", "y",
      "must have at least two samples of each class for cross-validation",
      paste0("one of class \"", response$levels[counts < 2][1], "\"")
    )
  }
}

check_training_classes <- function(folds, response, argument = "folds") {
  if (response$type != "class") {
    return(invisible())
  }
  inside <- rowsum(response$Y, folds)
  missing <- which(sweep(inside, 2, colSums(response$Y)) == 0, arr.ind = TRUE)
  if (length(missing) > 0) {
    stop_rowsparse("class", argument, "must leave samples of each class in each training set",
      sprintf("none of class \"%s\" without fold %d", response$levels[missing[1, 2]], missing[1, 1])
    )
  }
}

check_seed <- function(seed) {
  if (is.null(seed)) NULL else check_count(seed, "seed", 0L)
}

# Folds without a draw. Classes are dealt out one after the other, 1, 2, ..., F, 1, 2, ...; numbers
# from the smallest to the largest, 1, ..., F, F, ..., 1, 1, ..., so that no fold has the larger
# ones of every round. Several responses are ordered by their first principal component.
ordered_folds <- function(count, response, x) {
  n <- nrow(x)
  round <- if (response$type != "class") c(seq_len(count), rev(seq_len(count))) else seq_len(count)
  folds <- integer(n)
  folds[order_of_samples(response, x)] <- rep_len(round, n)
  folds
}

# The samples from the smallest response to the largest, or class after class, those of equal
# response by their distance from the mean: the order of rows, columns and levels is of no account.
order_of_samples <- function(response, x) {
  value <- if (response$type == "class") {
    order(order(response$levels, method = "radix"))[max.col(response$Y, "first")]
  } else {
    share_of_range(response_order(response$Y))
  }
  if (anyDuplicated(value) == 0L) {
    return(order(value))
  }
  order(value, share_of_range(distance_from_mean(x)))
}

# as a share of the range, so that rounding errors make no order
share_of_range <- function(values) {
  range <- range(values)
  round((values - range[1]) / max(range[2] - range[1], .Machine$double.xmin), 10)
}

# squared distances of the samples from their mean, columns in standard deviations
distance_from_mean <- function(x) {
  data <- tryCatch(quietly(as_data(x, TRUE)), rowsparse_error_constant = function(e) NULL)
  if (is.null(data)) numeric(nrow(x)) else .Call(C_row_squares, unclass(data))
}

# a number for each sample; the sign is that with which the largest entry is positive
response_order <- function(Y) {
  if (ncol(Y) == 1L) {
    return(Y[, 1])
  }
  Y <- centre_columns(Y / rep(apply(abs(Y), 2, max), each = nrow(Y)))$values
  Y <- Y / rep(sqrt(colSums(Y^2)), each = nrow(Y))
  first <- svd(Y, 1, 0)$u[, 1]
  first * sign(first[first_largest(abs(first))])
}

# classes are dealt out one after the other, in random order within each; so
# are the ranks of a single numeric response, and the samples of several
draw_folds <- function(count, response, n) {
  deal_folds(count, order(fold_strata(count, response, seq_len(n)), stats::runif(n)))
}

fold_strata <- function(count, response, rows) {
  Y <- response$Y[rows, , drop = FALSE]
  if (response$type == "class") {
    max.col(Y, ties.method = "first")
  } else if (ncol(Y) == 1L) {
    (rank(Y, ties.method = "first") - 1) %/% count
  } else {
    rep(1, length(rows))
  }
}

deal_folds <- function(count, order) {
  folds <- integer(length(order))
  folds[order] <- rep_len(sample.int(count), length(order))
  folds
}

# a training set must keep two samples of each level, as one is zero without its mean
check_levels_for_folds <- function(block, count) {
  size <- tabulate(block, nlevels(block))
  if (any(size - ceiling(size / count) < 2)) {
    least <- if (count == 2L) 4L else 3L
    small <- which(size < least)[1]
    stop_rowsparse("block", "block",
      sprintf("must have at least %d samples of each level for %d folds", least, count),
      sprintf("%d of level %s", size[small], quoted(levels(block)[small])),
      "Merge levels, or give the fold of each sample as `foldid`"
    )
  }
}

# Level after level is dealt out, and the strata within each, both in random order, until
# every training set has all classes.
draw_folds_by_level <- function(count, response, block, tries = 100L) {
  n <- length(block)
  rows <- split(seq_len(n), block)
  strata <- integer(n)
  for (own in rows) strata[own] <- fold_strata(count, response, own)
  classes <- ncol(response$Y)
  code <- as.integer(block)
  for (try in seq_len(tries)) {
    shuffled <- sample.int(classes * nlevels(block))
    key <- if (response$type == "class") shuffled[strata + classes * (code - 1L)] else strata
    folds <- deal_folds(count, order(sample.int(nlevels(block))[code], key, stats::runif(n)))
    if (has_training_classes(folds, response)) break
  }
  check_training_classes(folds, response)
  folds
}

has_training_classes <- function(folds, response) {
  is.null(tryCatch(check_training_classes(folds, response), rowsparse_error = identity))
}

# ---- jobs --------------------------------------------------------------------------

whole_job <- function(kind, n) list(list(kind = kind, rows = seq_len(n)))

subsample_jobs <- function(n, repeats, fraction) {
  size <- max(2L, floor(fraction * n))
  lapply(seq_len(repeats), function(i) list(kind = "subsample", rows = sort(sample.int(n, size))))
}

fold_jobs <- function(folds) {
  lapply(seq_len(max(folds)), function(i) list(kind = "fold", rows = which(folds != i)))
}

# those of every repeat, one repeat after the other
all_fold_jobs <- function(foldid) {
  unlist(lapply(seq_len(ncol(foldid)), function(r) fold_jobs(foldid[, r])), recursive = FALSE)
}

# drawn before the work is spread, so that its order does not matter
with_own_seeds <- function(jobs) {
  seeds <- sample.int(.Machine$integer.max, length(jobs))
  Map(function(job, seed) c(job, list(seed = seed)), jobs, seeds)
}

# the generator as `seed` sets it, and back to where it was
with_seed <- function(seed, expr) {
  if (is.null(seed)) {
    return(expr)
  }
  before <- globalenv()[[".Random.seed"]]
  on.exit(if (is.null(before)) {
    rm(".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", before, envir = globalenv())
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expr
}

# among the parameters of a fit, where it was given
given_seed <- function(seed) if (!is.null(seed)) list(seed = seed)

# What several random starts of a fit came to: `ends` have an objective and the selected features.
# The first of the smallest is the best, up to rounding; overlap: the mean share of the features
# that two of them have in common.
spread_of_starts <- function(ends, data) {
  reached <- vapply(ends, function(end) utils::tail(end$objective, 1), 0)
  sets <- do.call(rbind, lapply(ends, function(end) outer_index(end$selected, data)))
  overlap <- if (length(ends) > 1L) {
    sum(choose(tabulate(sets), 2)) / choose(nrow(sets), 2) / ncol(sets)
  } else {
    NA_real_
  }
  list(
    start_objectives = reached, best_start = which(reached <= lowered_by_rounding(reached))[1],
    start_sets = unname(sets), overlap = overlap
  )
}

lowered_by_rounding <- function(reached) min(reached) + 1e-12 * abs(min(reached))

# ---- fits to a part ----------------------------------------------------------------

# one selection per setting, from the samples of the job
fit_part <- function(job, x, y, entry, grid) {
  job$rows <- rows_in_company(job$rows, grid_block(grid))
  train <- x[job$rows, , drop = FALSE]
  grid$settings <- lapply(grid$settings, settings_of_rows, job$rows)
  on_part(fit_settings(entry, train, rows_of(y, job$rows), grid), job, nrow(x))
}

# what is by sample among the arguments
settings_of_rows <- function(given, rows) {
  if (!is.null(given[["block"]])) given$block <- block_of_rows(given[["block"]], rows)
  if (is.numeric(given[["weights"]])) given$weights <- given[["weights"]][rows]
  given
}

# all settings have the same
grid_block <- function(grid) grid$settings[[1]][["block"]]

grid_weights <- function(grid) grid$settings[[1]][["weights"]]

# what fails on a part of the samples says so
on_part <- function(expr, job, n) {
  words <- part_words[[job$kind]]
  if (is.null(words)) {
    return(expr)
  }
  tryCatch(expr, rowsparse_error = function(e) {
    e$message <- sprintf("%s This is a %s of %d of the %d samples: try %s.", conditionMessage(e),
      words[["part"]], length(job$rows), n, words[["way_out"]]
    )
    stop(e)
  })
}

part_words <- list(
  subsample = c(part = "subsample", way_out = "a larger `fraction`"),
  fold = c(part = "training set", way_out = "other `folds`")
)

# one selection per setting; along a penalty each starts from the last
fit_settings <- function(entry, x, y, grid) {
  shared <- list()
  previous <- NULL
  lapply(grid$settings, function(given) {
    quietly({
      scale <- as.character(scale_of(entry, given))
      if (is.null(shared[[scale]])) shared[[scale]] <<- data_for_settings(entry, x, given, grid)
      data <- shared[[scale]]
      if (needs_dimension(entry, given)) {
        given <- with_dimension(entry, given, data)
      }
      if (grid$path && takes(entry, "start")) given["start"] <- list(previous)
      selection <- select_sizes(entry, x, y, data, grid$sizes, given)
    })
    previous <<- selection$fit
    selection
  })
}

# with the leading eigenvectors that any of the settings wants
data_for_settings <- function(entry, x, given, grid) {
  data <- method_data(entry, x, given)
  if (is.null(entry$dimension)) {
    return(data)
  }
  asked <- vapply(grid$settings, function(given) as.double(or_default(given[["m"]], 1)), 0)
  asked <- asked[is.finite(asked)]
  prepare_data(data,
    m = min(largest_dimension(data), max(spectrum_length, asked)),
    iterations = 50 * length(grid$settings)
  )
}

# many fits, or fits to parts of the data, may warn about each, or say the same of each; the
# caller counts, or has said it
quietly <- function(expr) {
  withCallingHandlers(expr,
    rowsparse_warning = function(w) tryInvokeRestart("muffleWarning"),
    rowsparse_message = function(m) tryInvokeRestart("muffleMessage")
  )
}

# sets of all sizes for one setting
select_sizes <- function(entry, x, y, data, sizes, given) {
  if (is.null(sizes)) {
    return(select_scored(entry, x, y, data, given))
  }
  largest <- largest_size(entry, data, given)
  served <- pmin(sizes, largest)
  fits <- if (sizes_of(entry, given) == "refit") {
    lapply(served, function(k) fit_method(entry, x, y, data, k, given))
  } else {
    list(fit_sized(entry, x, y, data, max(served), given))
  }
  last <- fits[[length(fits)]]
  sets <- switch(sizes_of(entry, given),
    nested = lapply(served, function(k) first_columns(last, k)),
    path = last$path$features[match(pmin(served, max(last$path$k)), last$path$k)],
    refit = lapply(fits, `[[`, "selected")
  )
  list(
    sets = sets, converged = all(vapply(fits, function(fit) isTRUE(fit$converged), NA)),
    fit = last, fits = fits, given = given
  )
}

# the features with a nonzero score
select_scored <- function(entry, x, y, data, given) {
  fit <- fit_method(entry, x, y, data, NULL, given)
  list(
    sets = list(scored_features(fit)), converged = isTRUE(fit$converged), fit = fit,
    fits = list(fit), given = given
  )
}

# ---- errors on the samples left out ------------------------------------------------

# Of one fold, for every setting: the selected sets, whether the fits converged, and
# the errors by size
fold_job <- function(job, x, y, entry, grid, unit) {
  with_seed(job$seed, {
    lapply(fit_part(job, x, y, entry, grid), function(selection) {
      c(
        selection[c("sets", "converged")],
        held_out_error(selection, x, y, job$rows, unit, grid_block(grid), grid_weights(grid))
      )
    })
  })
}

# error: by size, the share of wrong classes, or the squared error per sample, summed
# over the responses, in squares of the unit; of classes also `balanced` and `log_loss`, see
# measures_of(); null: the same of predictions without features, by the shares of the classes or
# the mean of the training samples; reference: what errors are compared with, for classes 1.
# All are means by the weights, where there are some
held_out_error <- function(selection, x, y, rows, unit, block = NULL, weights = NULL) {
  test <- x[-rows, , drop = FALSE]
  level <- if (!is.null(block)) as.character(block)[-rows]
  counts <- test_weights(y, rows, weights)
  truth <- rows_of(y, seq_len(NROW(y))[-rows])
  fits <- selection$fits
  each <- lapply(seq_along(selection$sets), function(at) {
    several <- length(fits) > 1L
    fit <- fits[[if (several) at else 1L]]
    k <- if (!several) units_in(fit, selection$sets[[at]])
    type <- if (is.factor(truth)) "prob" else "response"
    measures_of(predict_held_out(fit, test, k, type, level), truth, unit, counts)
  })
  null <- error_without(y, rows, unit, weights, fits[[1]], level)
  c(by_measure(each), list(null = null, reference = if (is.factor(y)) 1 else null[["error"]]))
}

# one vector per measure, of vectors of measures
by_measure <- function(each) {
  names <- names(each[[1]])
  lapply(stats::setNames(nm = names), function(name) vapply(each, `[[`, 0, name))
}

# ---- measures ------------------------------------------------------------------------

class_measures <- c("error", "balanced", "log_loss")

# all but the error are of classes
check_measure_serves <- function(measure, response) {
  if (measure != "error" && response$type != "class") {
    stop_rowsparse("choice", "measure", sprintf("\"%s\" needs classes", measure), response$text)
  }
}

# what is minimised, as results and pictures call it
measure_words <- function(measure, type, weights = NULL) {
  words <- switch(measure,
    error = if (type == "class") "share of wrong classes" else "squared error",
    balanced = "balanced error", log_loss = "logarithmic loss"
  )
  paste0(words, if (!is.null(weights)) " by weight")
}

# columns of a table with the mean of a measure and its standard error
measure_columns_of <- function(measure) {
  if (measure == "error") c("error", "se") else paste0(measure, c("", "_se"))
}

measures_for <- function(y) if (is.factor(y)) class_measures else "error"

# a probability counts as this at least, so that one sample cannot decide
least_probability <- 1e-6

# Weights by which means over left-out samples are taken: `plain`, NULL for ones, and for classes
# `balanced`, with which every class has the same sum over all samples. Folds count by the same
# ones, so that a fold without a class has no say about it.
measure_weights <- function(y, weights = NULL) {
  if (!is.factor(y)) {
    return(list(plain = weights))
  }
  own <- or_default(weights, rep(1, length(y)))
  list(plain = weights, balanced = own / weight_of_class(y, weights)[as.integer(y)])
}

weight_of_class <- function(y, weights = NULL) {
  if (is.null(weights)) {
    return(tabulate(y, nlevels(y)))
  }
  vapply(levels(y), function(level) sum(shares_of(weights)[y == level]), 0)
}

test_weights <- function(y, rows, weights = NULL) {
  lapply(measure_weights(y, weights), function(own) own[-rows])
}

# which weights belong to a measure
weights_of_measure <- function(name, weights) {
  weights[[if (name == "balanced") "balanced" else "plain"]]
}

# Of predictions on left-out samples: the mean square in squares of the unit, or the share of wrong
# classes, the mean over the classes of that share, and the mean of -log of the probability of the
# true class (NA where classes alone were predicted). Probabilities are a matrix with a
# column for each class.
measures_of <- function(predicted, truth, unit, weights) {
  mean_of <- function(each, own) if (is.null(own)) mean(each) else sum(shares_of(own) * each)
  if (!is.factor(truth)) {
    return(c(error = mean_of(rowSums(((truth - predicted) / unit)^2), weights$plain)))
  }
  loss <- NA_real_
  if (is.matrix(predicted)) {
    own <- predicted[cbind(seq_along(truth), match(as.character(truth), colnames(predicted)))]
    own[is.na(own)] <- 0 # a class that is missing from the training samples
    loss <- mean_of(-log(pmin(1, pmax(own, least_probability))), weights$plain)
    predicted <- largest_class(predicted, colnames(predicted))
  }
  wrong <- as.character(predicted) != as.character(truth)
  c(
    error = mean_of(wrong, weights$plain), balanced = mean_of(wrong, weights$balanced),
    log_loss = loss
  )
}

# weights as shares of their sum, whatever their unit
shares_of <- function(weights) {
  weights <- weights / max(weights)
  weights / sum(weights)
}

# of the shares of the classes or the mean of the training samples
error_without <- function(y, rows, unit, weights = NULL, fit = NULL, level = NULL) {
  truth <- rows_of(y, seq_len(NROW(y))[-rows])
  guess <- if (is.factor(y)) {
    share <- shares_of(weight_of_class(y[rows], weights[rows]))
    matrix(share, length(truth), nlevels(y), byrow = TRUE, dimnames = list(NULL, levels(y)))
  } else {
    training_means(rows_of(y, rows), fit, level, nrow(truth), weights[rows])
  }
  measures_of(guess, truth, unit, test_weights(y, rows, weights))
}

# k: the size at which a fit that holds several is asked; samples of levels that the fit knows
# by the means of these, the others by the overall ones
predict_held_out <- function(fit, test, k, type, level) {
  if (identical(k, 0L)) {
    return(predict_without(fit, nrow(test), type, level))
  }
  if (!is.null(k) && has_regression(fit)) k <- min(k, units_of_regression(fit))
  out <- quietly(stats::predict(fit, test, k = k, type = type))
  known <- which(level %in% fit$block$levels)
  if (length(known) > 0) {
    inside <- quietly(stats::predict(fit, test[known, , drop = FALSE], k = k, type = type,
      block = level[known]
    ))
    out[known, ] <- inside
  }
  out
}

# from no feature at all: the means of the training samples, of classes their shares
predict_without <- function(fit, n, type, level) {
  response <- fit[["response"]]
  means <- matrix(response$mean, n, length(response$mean), byrow = TRUE)
  if (type != "response") {
    colnames(means) <- response$levels
    return(means)
  }
  at <- match(level, fit$block$levels)
  known <- which(!is.na(at))
  if (length(known) > 0) means[known, ] <- response$level_mean[at[known], ]
  means
}

# a row for each of n held-out samples: the means of the training samples, of its level
# where the fit knows it
training_means <- function(y, fit, level, n, weights = NULL) {
  means <- if (is.null(weights)) colMeans(y) else colSums(y * shares_of(weights))
  out <- matrix(means, n, ncol(y), byrow = TRUE)
  at <- match(level, fit$block$levels)
  known <- which(!is.na(at))
  if (length(known) > 0) out[known, ] <- fit[["response"]]$level_mean[at[known], ]
  out
}

# a power of two in which squares of the response are numbers
response_unit <- function(y) {
  if (is.factor(y)) 1 else centre_response(as_response(y, NROW(y), told = TRUE))$unit
}

# Of every fold (rows; those of one repeat after those of another) and point (columns: the
# sizes, or the settings): errors by measure and number of features, whether the fit converged;
# and the errors without features
cross_validated <- function(entry, x, y, grid, foldid, unit, BPPARAM = NULL) {
  jobs <- all_fold_jobs(foldid)
  if (entry$draws) jobs <- with_own_seeds(jobs)
  results <- apply_with_progress(jobs, fold_job,
    x = x, y = y, entry = entry, grid = grid, unit = unit, BPPARAM = BPPARAM
  )
  rows <- function(value) {
    do.call(rbind, lapply(results, function(job) unlist(lapply(job, value))))
  }
  names <- stats::setNames(nm = measures_for(y))
  list(
    error = lapply(names, function(name) rows(function(setting) setting[[name]])),
    features = rows(function(setting) lengths(setting$sets)),
    converged = rows(function(setting) setting$converged),
    null = lapply(names, function(name) {
      rows(function(setting) setting$null[[name]])[, 1, drop = FALSE]
    })
  )
}

# Errors by fold and point, over all samples: the mean over the repeats, the root mean square
# of their standard errors, and the deviation between them. A fold counts by its samples, or
# by their weights
fold_summary <- function(error, foldid, weights = NULL) {
  share <- if (is.null(weights)) rep(1 / nrow(foldid), nrow(foldid)) else shares_of(weights)
  counts <- apply(foldid, 2, max)
  own <- split(seq_along(error[, 1]), rep(seq_along(counts), counts))
  parts <- lapply(seq_along(own), function(r) {
    inside <- error[own[[r]], , drop = FALSE]
    weight <- as.vector(rowsum(share, foldid[, r]))
    mean <- colSums(inside * weight)
    variance <- colSums(weight * sweep(inside, 2, mean)^2) / (counts[r] - 1)
    list(mean = mean, variance = variance)
  })
  means <- do.call(rbind, lapply(parts, `[[`, "mean"))
  variances <- do.call(rbind, lapply(parts, `[[`, "variance"))
  list(
    error = colMeans(means), se = sqrt(colMeans(variances)), spread = apply(means, 2, stats::sd)
  )
}
