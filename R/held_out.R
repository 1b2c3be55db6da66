# What is selected from some of the samples, judged by the others.
#   task      x, y (a factor, a matrix, or NULL), weights, block, columns (those that are not
#             excluded), unit (of the response), model (list(fit, predict), or NULL), scale
#   entrant   what competes: a method by name (`entry`, `given`) or a function (`select`); `label`;
#             `grid`: list(sizes) or list(penalties), NULL for a function that gets no size
#   job       one training set: its `rows`, its `entrant`, and the `seed` of what is drawn in it
#   point     what an entrant selects at one size or penalty: `set`, columns; `fit`, where there is
#             one; `k`, the size at which a fit that holds several is asked

# ---- selections from the training samples ------------------------------------------------

# Of one job and every point of its entrant: the sets, whether fits converged, and the losses by
# measure (vectors); `null`: the losses without features
fold_job <- function(job, task, entrants) {
  entrant <- entrants[[job$entrant]]
  rows <- rows_in_company(job$rows, task$block)
  with_seed(job$seed, {
    points <- on_training_set(points_of(entrant, task, rows), rows, nrow(task$x))
    c(
      list(
        sets = lapply(points, `[[`, "set"),
        converged = vapply(points, function(point) !isFALSE(point$converged), NA)
      ),
      judge_points(points, task, rows, seq_len(nrow(task$x))[-job$rows])
    )
  })
}

points_of <- function(entrant, task, rows) {
  x <- task$x[rows, , drop = FALSE]
  y <- if (!is.null(task$y)) rows_of(task$y, rows)
  if (!is.null(entrant$select)) {
    return(function_points(entrant, x, y, task$weights[rows]))
  }
  given <- entrant$given
  if (!is.null(given[["block"]])) given$block <- block_of_rows(given[["block"]], rows)
  if (is.numeric(given[["weights"]])) given$weights <- given[["weights"]][rows]
  fits_of_entrant(entrant, x, y, given)
}

fits_of_entrant <- function(entrant, x, y, given) {
  entry <- entrant$entry
  keep <- function(fit, set, k = Inf) {
    list(
      set = set, fit = fit, k = if (!is.null(k)) min(k, units_in(fit, set)),
      converged = fit$converged
    )
  }
  quietly({
    shared <- share_over_path(entry, given, method_data(entry, x, given))
    fits_along(entry, x, y, shared$data, shared$given, entrant$grid, keep)$points
  })
}

# what a function of the caller selects: a set, or a fit, for each size; with no size all of it
function_points <- function(entrant, x, y, weights = NULL) {
  own <- if (!is.null(weights)) list(weights = weights)
  lapply(or_default(entrant$grid$sizes, list(NULL)), function(k) {
    found <- do.call(entrant$select, c(list(x, plain_response(y), k), own), quote = TRUE)
    if (inherits(found, "cv_rowsparse")) found <- found$fit
    fits <- inherits(found, "rowsparse")
    set <- feature_columns(found, "method", ncol(x), colnames(x),
      if (fits && (is.null(k) || !is.null(found$selected))) selected_index(found, NULL)
    )
    if (length(set) < or_default(k, 1L)) {
      stop_rowsparse("length", "method",
        sprintf("must select at least %d features where k = %d", k, k), length(set)
      )
    }
    shorter <- !is.null(k) && length(set) > k
    list(
      set = if (shorter) set[seq_len(k)] else set, fit = if (fits) found,
      k = if (shorter) k, converged = !fits || found$converged
    )
  })
}

# one response is a vector for functions of the caller
plain_response <- function(y) if (is.matrix(y) && ncol(y) == 1L) y[, 1] else y

# what fails on a part of the samples says so
on_training_set <- function(expr, rows, n) {
  tryCatch(expr, rowsparse_error = function(e) {
    e$message <- sprintf(
      "%s This is a training set of %d of the %d samples: try other `folds`.",
      conditionMessage(e), length(rows), n
    )
    stop(e)
  })
}

# Silence warnings and messages of repeated fits; the caller reports them once.
quietly <- function(expr) {
  withCallingHandlers(expr,
    rowsparse_warning = function(w) tryInvokeRestart("muffleWarning"),
    rowsparse_message = function(m) tryInvokeRestart("muffleMessage")
  )
}

# ---- losses on the samples left out --------------------------------------------------------

# list(loss, null): by measure, vectors with an entry per point, and numbers. `out`: the samples
# left out of `rows`
judge_points <- function(points, task, rows, out) {
  if (is.null(task$y)) {
    return(held_out_squares(lapply(points, `[[`, "set"), task, rows, out))
  }
  truth <- rows_of(task$y, out)
  counts <- lapply(task$counts, `[`, out)
  level <- if (!is.null(task$block)) as.character(task$block)
  each <- lapply(points, function(point) {
    guess <- if (is.null(task$model) && !is.null(point$fit) && is_supervised_fit(point$fit)) {
      predict_held_out(point, task$x[out, , drop = FALSE],
        if (is.factor(truth)) "prob" else "response", level[out]
      )
    } else {
      guess_by_model(or_default(task$model, usual_model(task$y)), point$set, task, rows, out)
    }
    measures_of(guess, truth, task$unit, counts)
  })
  null <- measures_of(guess_without(task, rows, out, level), truth, task$unit, counts)
  names <- stats::setNames(nm = names(null))
  list(
    loss = lapply(names, function(name) vapply(each, `[[`, 0, name)), null = as.list(null)
  )
}

# Samples of levels that the fit knows are predicted by the means of these, the others by the
# overall ones.
predict_held_out <- function(point, test, type, level) {
  fit <- point$fit
  k <- point$k
  if (isTRUE(k == 0)) {
    return(predict_without(fit, nrow(test), type, level))
  }
  if (!is.null(k) && has_regression(fit)) k <- min(k, units_of_regression(fit))
  out <- quietly(stats::predict(fit, test, k = k, type = type))
  known <- which(level %in% fit$block$levels)
  if (length(known) > 0) {
    out[known, ] <- quietly(stats::predict(fit, test[known, , drop = FALSE], k = k, type = type,
      block = level[known]
    ))
  }
  out
}

# from no feature at all: the means of the training samples, of classes their shares
predict_without <- function(fit, n, type, level) {
  response <- fit[["response"]]
  at <- if (type == "response") match(level, fit$block$levels)
  out <- means_of_levels(response$mean, response$level_mean, at, n)
  if (type != "response") colnames(out) <- response$levels
  out
}

# without features: the shares of the classes, or the means, of the training samples
guess_without <- function(task, rows, out, level) {
  y <- task$y
  if (is.factor(y)) {
    share <- shares_of(weight_of_class(y[rows], task$counts$plain[rows]))
    return(matrix(share, length(out), nlevels(y), byrow = TRUE, dimnames = list(NULL, levels(y))))
  }
  training_means(y[rows, , drop = FALSE], level[rows], level[out], length(out),
    task$counts$plain[rows]
  )
}

# a row for each of n samples: the means of the training samples of its level, or of all of them
training_means <- function(values, level, new_level, n, weights = rep(1, nrow(values))) {
  means <- colSums(values * shares_of(weights))
  of_levels <- if (!is.null(level)) rowsum(values, level) / as.vector(table(level))
  means_of_levels(means, of_levels, match(new_level, rownames(of_levels)), n)
}

# a row for each of n samples: its row `at` of the means of the levels, or where that is NA, or
# there are no levels, the overall means
means_of_levels <- function(means, of_levels, at, n) {
  out <- matrix(means, n, length(means), byrow = TRUE)
  known <- which(!is.na(at))
  if (length(known) > 0) out[known, ] <- of_levels[at[known], ]
  out
}

# ---- without a response: what regression on the selected features reproduces ------------------

# The sum of squares of the samples left out, about the means of the training samples, and what
# regression on each set leaves of it, by coefficients from the training samples: all features are
# regressed on those of the set. As means per sample, so that folds count by their samples.
held_out_squares <- function(sets, task, rows, out) {
  chains <- lapply(chained_columns(sets), function(chain) {
    parts <- centred_parts(task, chain$set, rows, out)
    c(chain, list(qr = qr(parts$train), test = parts$test))
  })
  loss <- numeric(length(sets))
  null <- 0
  for (columns in split(task$columns, (seq_along(task$columns) - 1L) %/% 512L)) {
    parts <- centred_parts(task, columns, rows, out)
    null <- null + sum(parts$test^2)
    for (chain in chains) loss[chain$at] <- loss[chain$at] + squares_left(chain, parts)
  }
  list(
    loss = list(explained = loss / length(out)), null = list(explained = null / length(out))
  )
}

# Sets that continue each other share a factorisation: list(set, sizes, at), `at` the positions
# in `sets` of the first `sizes` columns of `set`
chained_columns <- function(sets) {
  if (is_chain(sets)) {
    return(list(list(set = sets[[length(sets)]], sizes = lengths(sets), at = seq_along(sets))))
  }
  lapply(seq_along(sets), function(at) {
    list(set = sets[[at]], sizes = length(sets[[at]]), at = at)
  })
}

is_chain <- function(sets) {
  last <- sets[[length(sets)]]
  all(vapply(sets, function(set) identical(set, last[seq_along(set)]), NA))
}

# Columns of the training samples and of the others, less the means of the former, in units in
# which their squares are numbers
centred_parts <- function(task, columns, rows, out) {
  train <- as.matrix(task$x[rows, columns, drop = FALSE]) / task$unit
  test <- as.matrix(task$x[out, columns, drop = FALSE]) / task$unit
  level <- if (!is.null(task$block)) as.character(task$block)
  centre <- function(values, own) {
    values - training_means(train, level[rows], level[own], nrow(values))
  }
  test <- centre(test, out)
  train <- centre(train, rows)
  if (isTRUE(task$scale)) {
    deviation <- sqrt(colSums(train^2) / (nrow(train) - 1))
    deviation[deviation == 0] <- 1
    test <- test / rep(deviation, each = nrow(test))
    train <- train / rep(deviation, each = nrow(train))
  }
  list(train = unname(train), test = unname(test))
}

# With X_S = Q R the coefficients of the first j columns of S are those of R's leading block, so
# that column j takes (x R^-1)_j (Q'X)_j off the samples left out. Columns that depend on those
# before them are at the end, and take nothing.
squares_left <- function(chain, parts) {
  rank <- chain$qr$rank
  kept <- chain$qr$pivot[seq_len(rank)]
  rest <- parts$test
  left <- sum(rest^2)
  if (rank > 0L) {
    effects <- qr.qty(chain$qr, parts$train)[seq_len(rank), , drop = FALSE]
    R <- qr.R(chain$qr)[seq_len(rank), seq_len(rank), drop = FALSE]
    scores <- t(backsolve(R, t(chain$test[, kept, drop = FALSE]), transpose = TRUE))
    for (j in seq_len(rank)) {
      rest <- rest - tcrossprod(scores[, j], effects[j, ])
      left[j + 1L] <- sum(rest^2)
    }
  }
  left[1L + vapply(chain$sizes, function(size) sum(kept <= size), 0L)]
}

# ---- models on the selected features ---------------------------------------------------------

# least squares with an intercept, or discriminants of classes
usual_model <- function(y) {
  if (is.factor(y)) {
    list(fit = classify_by, predict = predict_probabilities, label = "linear discriminants")
  } else {
    list(fit = least_squares, predict = predict_least_squares, label = "least squares")
  }
}

least_squares <- function(x, y, weights = rep(1, nrow(x))) {
  response <- as_response(y, nrow(x), told = TRUE)
  share <- shares_of(weights)
  center <- colSums(x * share)
  level <- colSums(response$Y * share)
  root <- sqrt(share)
  decomposition <- qr(root * sweep(x, 2, center), tol = 1e-7)
  slope <- qr.coef(decomposition, root * sweep(response$Y, 2, level))
  slope[is.na(slope)] <- 0
  list(slope = slope, intercept = level - drop(center %*% slope), range = response$range)
}

predict_least_squares <- function(model, x) {
  within_limits(x %*% model$slope + rep(model$intercept, each = nrow(x)), model$range)
}

# the rule of the fits themselves, see discriminant()
classify_by <- function(x, y, weights = NULL) {
  y <- droplevels(y)
  c(list(levels = levels(y)), discriminant(x, as.integer(y), nlevels(y), weights))
}

predict_probabilities <- function(model, x) {
  out <- softmax(model$temperature * discriminant_scores(model, x))
  dimnames(out) <- list(NULL, model$levels)
  out
}

# the model fitted to these columns of the samples in `rows`
fit_model <- function(model, set, task, rows) {
  own <- if (!is.null(task$weights)) list(weights = task$weights[rows])
  do.call(model$fit, c(
    list(model_columns(task$x, set, rows), plain_response(rows_of(task$y, rows))), own
  ), quote = TRUE)
}

guess_by_model <- function(model, set, task, rows, out) {
  guess <- model$predict(fit_model(model, set, task, rows), model_columns(task$x, set, out))
  truth <- rows_of(task$y, out)
  check_guess(guess, truth)
  if (is.factor(truth)) guess else as.matrix(guess)
}

# these columns as an ordinary matrix with names
model_columns <- function(x, columns, rows) {
  out <- as.matrix(x[rows, columns, drop = FALSE])
  if (is.null(colnames(out))) colnames(out) <- paste0("V", columns)
  out
}

# a class or number for each new sample, or a column of probabilities for each class
check_guess <- function(guess, truth) {
  size <- if (is.matrix(guess) || !is.factor(truth)) dim(as.matrix(guess)) else length(guess)
  right <- if (is.factor(truth) && is.matrix(guess) && is.numeric(guess)) {
    size[1] == length(truth) && !is.null(colnames(guess)) &&
      all(colnames(guess) %in% levels(truth)) && all(is.finite(guess)) && all(guess >= 0)
  } else {
    is.atomic(guess) && identical(size, or_default(dim(truth), length(truth))) && !anyNA(guess) &&
      (is.factor(truth) || is.numeric(guess))
  }
  if (!right) {
    stop_rowsparse("type", "predict", sprintf("must return %s for each of %s",
      if (is.factor(truth)) "a class" else "a number (of each response)",
      count_of(NROW(truth), "new sample")
    ), describe(guess))
  }
}
