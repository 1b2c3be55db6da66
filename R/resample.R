# Parts of the samples: folds, the seeds of what is drawn in them, and the samples and the
# response that they divide.

# ---- samples and response ----------------------------------------------------------

# samples that can be subset by row, as yet unchecked
samples_in_memory <- function(x, assay = NULL) {
  refuse_if(inherits(x, c("rowsparse_moments", "rowsparse_blocks")), "type", "x",
    "must hold the samples themselves, in memory, as some have to be left out",
    if (inherits(x, "rowsparse_blocks")) "row blocks" else "moments"
  )
  if (is_experiment(x)) x <- experiment_matrix(x, assay, "x")
  if (is.data.frame(x)) data_frame_matrix(x, "x") else realised(x, "x")
}

# some samples of a response, if there is one
rows_of <- function(y, rows) if (is.null(dim(y))) y[rows] else y[rows, , drop = FALSE]

# The task without the samples of weight 0, so that every fold has something to be judged on
weighted_samples <- function(task) {
  # what are no samples is refused later
  if (is.null(task$weights) || length(dim(task$x)) != 2L) {
    return(task)
  }
  n <- nrow(task$x)
  weights <- check_weights(task$weights, n)
  check_response_length(task$y, n)
  kept <- observed_samples(weights)$rows
  if (NROW(task$parts$foldid) == n) task$parts$foldid <- part_of(task$parts$foldid, kept)
  task$x <- task$x[kept, , drop = FALSE]
  task$y <- part_of(task$y, kept)
  task$weights <- weights[kept]
  c(task, list(rows = kept, samples = n))
}

# folds as results hold them: a vector without repeats, and NA for samples that took no part
folds_of_all <- function(foldid, task) {
  if (!is.null(task$rows)) foldid <- foldid[match(seq_len(task$samples), task$rows), , drop = FALSE]
  if (ncol(foldid) == 1L) foldid[, 1] else foldid
}

# ---- folds -------------------------------------------------------------------------

# n x repeats: the fold of each sample, as given; dealt out in order; pairs of halves; or drawn,
# where there are several repeats or a seed. `parts`: folds, foldid, repeats, seed
fold_columns <- function(parts, response, x, block = NULL) {
  n <- nrow(x)
  repeats <- check_count(parts$repeats, "repeats", 1L, 1e4)
  if (is_halves(parts)) {
    return(fixed_draws(2L, response, x, block, half_pairs, if (is.null(parts$seed)) 1L))
  }
  if (!is.null(parts$foldid)) {
    return(given_folds(parts$foldid, repeats, response, n))
  }
  count <- check_count(parts$folds, "folds", 2L)
  if (count > n) {
    say_rowsparse("folds", sprintf("%d folds, one for each sample, in place of %d.", n, count))
    count <- n
  }
  if (repeats == 1L && is.null(parts$seed)) {
    return(cbind(dealt_folds(count, response, x, block)))
  }
  do.call(cbind, lapply(seq_len(repeats), function(i) drawn_folds(count, response, n, block)))
}

given_folds <- function(foldid, repeats, response, n) {
  columns <- if (is.atomic(foldid)) as.matrix(foldid)
  refuse_if(NROW(columns) != n || anyNA(columns), "length", "foldid",
    sprintf("must be a vector (or matrix) with the fold of each of the %d samples", n),
    describe(foldid)
  )
  refuse_if(!repeats %in% c(1L, ncol(columns)), "range", "repeats",
    sprintf("must be left out, or be the number of columns of `foldid` (%d)", ncol(columns)),
    repeats
  )
  out <- apply(columns, 2, function(column) as.integer(factor(column)))
  refuse_if(any(apply(out, 2, max) < 2L), "range", "foldid", "must have at least two folds", "one")
  apply(out, 2, check_training_classes, response, "foldid")
}

# Folds without a draw that the caller would notice
dealt_folds <- function(count, response, x, block = NULL) {
  if (is.null(block)) {
    return(check_training_classes(ordered_folds(count, response, x), response))
  }
  fixed_draws(count, response, x, block)[, 1]
}

# Draws of folds from a seed, a column each, for which the order of rows is of no account; without
# a seed from the generator as it is
fixed_draws <- function(count, response, x, block, draws = 1L, seed = 1L) {
  refuse_variables(block, "where parts of the samples are fitted")
  order <- order_of_samples(response, x)
  response$Y <- response$Y[order, , drop = FALSE]
  drawn <- with_seed(seed, replicate(draws, drawn_folds(count, response, nrow(x), block[order])))
  drawn[order(order), , drop = FALSE]
}

# how many pairs of complementary halves `folds = "halves"` draws, see R/halves.R
half_pairs <- 25L

is_halves <- function(parts) {
  halves <- identical(parts$folds, "halves")
  wrong <- c(if (!is.null(parts$foldid)) "foldid", if (!isTRUE(parts$repeats == 1)) "repeats")
  refuse_if(halves && length(wrong) > 0L, "argument", wrong[1],
    sprintf("must be left out with `folds = \"halves\"`, which are %d pairs", half_pairs)
  )
  halves
}

# `folds`, if each training set has samples of all classes
check_training_classes <- function(folds, response, argument = "folds") {
  missing <- missing_classes(folds, response)
  refuse_if(length(missing) > 0, "class", argument,
    "must leave samples of each class in each training set",
    sprintf("none of class \"%s\" without fold %d", response$levels[missing[1, 2]], missing[1, 1]),
    "A class needs two samples at least: join it to another one, or leave it out"
  )
  folds
}

# a row for each fold, and class, without which no sample of the class is left
missing_classes <- function(folds, response) {
  if (response$type == "class") {
    inside <- rowsum(response$Y, folds)
    which(sweep(inside, 2, colSums(response$Y)) == 0, arr.ind = TRUE)
  }
}

check_seed <- function(seed) if (is.null(seed)) NULL else check_count(seed, "seed", 0L)

# Folds without a draw. Classes are dealt out one after the other, 1, 2, ..., F, 1, 2, ...; numbers
# from the smallest to the largest, 1, ..., F, F, ..., 1, 1, ..., so that no fold has the larger
# ones of every round. Several responses are ordered by their first principal component.
ordered_folds <- function(count, response, x) {
  round <- c(seq_len(count), if (response$type != "class") rev(seq_len(count)))
  rep_len(round, nrow(x))[order(order_of_samples(response, x))]
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
  # columns in standard deviations
  data <- tryCatch(quietly(as_data(x, TRUE)), rowsparse_error_constant = function(e) NULL)
  distance <- if (is.null(data)) numeric(nrow(x)) else .Call(C_row_squares, unclass(data))
  order(value, share_of_range(distance))
}

# Values as a share of their range, so that rounding errors make no order
share_of_range <- function(values) {
  range <- range(values)
  round((values - range[1]) / max(range[2] - range[1], .Machine$double.xmin), 10)
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

# Drawn folds. One level of a block after the other is dealt out, within it one class, or run of
# `count` ranks of a single response, after the other, all in random order, until every training
# set has all classes.
drawn_folds <- function(count, response, n, block = NULL, tries = 100L) {
  level <- if (is.null(block)) gl(1L, n) else used_levels(block, n, "block")
  if (!is.null(block)) check_levels_for_folds(level, count)
  stratum <- if (response$type == "class") {
    max.col(response$Y, ties.method = "first")
  } else if (ncol(response$Y) == 1L) {
    (stats::ave(response$Y[, 1], level, FUN = function(y) order(order(y))) - 1) %/% count
  } else {
    rep(1, n)
  }
  cell <- interaction(level, stratum, drop = TRUE)
  folds <- integer(n)
  for (try in seq_len(tries)) {
    order <- order(sample.int(nlevels(level))[level], sample.int(nlevels(cell))[cell],
      stats::runif(n)
    )
    folds[order] <- rep_len(sample.int(count), n)
    if (length(missing_classes(folds, response)) == 0L) break
  }
  check_training_classes(folds, response)
}

# a training set must keep two samples of each level, as one is zero without its mean
check_levels_for_folds <- function(block, count) {
  size <- tabulate(block, nlevels(block))
  small <- which(size - ceiling(size / count) < 2)
  least <- if (count == 2L) 4L else 3L
  refuse_if(length(small) > 0L, "block", "block",
    sprintf("must have at least %d samples of each level for %d folds", least, count),
    sprintf("%d of level %s", size[small[1]], quoted(levels(block)[small[1]])),
    "Merge levels, or give the fold of each sample as `foldid`"
  )
}

# ---- seeds -------------------------------------------------------------------------

# the value of an expression for which the generator starts from `seed`, and is put back
with_seed <- function(seed, expr) {
  if (is.null(seed)) {
    return(expr)
  }
  keeping_generator({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    expr
  })
}

keeping_generator <- function(expr) {
  before <- globalenv()[[".Random.seed"]]
  on.exit(if (is.null(before)) {
    suppressWarnings(rm(".Random.seed", envir = globalenv()))
  } else {
    assign(".Random.seed", before, envir = globalenv())
  })
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
  least <- min(reached)
  list(
    start_objectives = reached, best_start = which(reached <= least + 1e-12 * abs(least))[1],
    start_sets = unname(sets), overlap = overlap
  )
}
