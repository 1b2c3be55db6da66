# Selection followed by a fit to the selected features: what is selected from some of the
# samples, fitted to them, and predicted for the others.

# One set of columns per size. `method`: a name, or function(x, y, k), which is asked for each
# size unless it has the attribute `asked_once`; with weights, it is given these too
choose_sets <- function(method, x, y, sizes, given = list(), weights = NULL) {
  ask <- function(k) {
    chosen <- if (is.null(weights)) {
      method(x, plain_response(y), k)
    } else {
      method(x, plain_response(y), k, weights = weights)
    }
    chosen_by(chosen, k, ncol(x), colnames(x))
  }
  if (isTRUE(attr(method, "asked_once"))) {
    chosen <- ask(max(sizes))
    return(lapply(sizes, function(k) chosen[seq_len(k)]))
  }
  if (is.function(method)) {
    return(lapply(sizes, ask))
  }
  own <- if (!is.null(weights)) list(weights = weights)
  one <- function(k) quietly(do.call(rowsparse, c(list(x, y, k, method), given, own), quote = TRUE))
  switch(sizes_of(method_entry(method), given),
    nested = {
      fit <- one(max(sizes))
      lapply(sizes, function(k) {
        if (is.null(fit$groups)) fit$selected[seq_len(k)] else first_columns(fit, k)
      })
    },
    path = {
      fit <- one(max(sizes))
      lapply(sizes, function(k) selected_index(fit, k))
    },
    refit = lapply(sizes, function(k) one(k)$selected)
  )
}

# the first k of what a function of the caller selects
chosen_by <- function(object, k, d, names) {
  columns <- feature_columns(object, "method", d, names)
  if (length(columns) < k) {
    stop_rowsparse("length", "method",
      sprintf("must select at least %d features where k = %d", k, k), length(columns)
    )
  }
  columns[seq_len(k)]
}

# these columns as an ordinary matrix with names
model_columns <- function(x, columns) {
  out <- as.matrix(x[, columns, drop = FALSE])
  if (is.null(colnames(out))) colnames(out) <- paste0("V", columns)
  out
}

# ---- the usual model ---------------------------------------------------------------

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

# ---- errors in the folds -------------------------------------------------------------

# Of one fold and every size: the errors, by measure, where features are selected from its training
# set, and where the sets were selected beforehand (NULL: not asked for); those without features
select_fit_job <- function(job, x, y, sizes, method, given, model, outside, unit,
                           weights = NULL) {
  rows <- job$rows
  train <- x[rows, , drop = FALSE]
  inside <- with_seed(job$seed, on_part(
    choose_sets(method, train, rows_of(y, rows), sizes, given, weights[rows]), job, nrow(x)
  ))
  errors <- function(sets) {
    by_measure(lapply(sets, model_error,
      x = x, y = y, rows = rows, model = model, unit = unit, weights = weights
    ))
  }
  with_seed(job$seed, list(
    inside = errors(inside), outside = if (!is.null(outside)) errors(outside),
    null = as.list(error_without(y, rows, unit, weights))
  ))
}

model_error <- function(columns, x, y, rows, model, unit, weights = NULL) {
  columns <- model_columns(x, columns)
  truth <- rows_of(y, -rows)
  train <- columns[rows, , drop = FALSE]
  own <- plain_response(rows_of(y, rows))
  fit <- if (is.null(weights)) {
    model$fit(train, own)
  } else {
    model$fit(train, own, weights = weights[rows])
  }
  guess <- model$predict(fit, columns[-rows, , drop = FALSE])
  check_guess(guess, truth)
  if (!is.factor(truth)) guess <- as.matrix(guess)
  measures_of(guess, truth, unit, test_weights(y, rows, weights))
}

# a matrix for each measure: folds x sizes
fold_matrices <- function(found, part) {
  each <- lapply(found, `[[`, part)
  lapply(stats::setNames(nm = names(each[[1]])), function(name) {
    do.call(rbind, lapply(each, `[[`, name))
  })
}

# one response is a vector for models of the caller
plain_response <- function(y) if (is.matrix(y) && ncol(y) == 1L) y[, 1] else y

# classes may come as their probabilities
check_guess <- function(guess, truth) {
  if (is.factor(truth) && is.matrix(guess) && are_probabilities(guess, truth)) {
    return(invisible())
  }
  wanted <- if (is.factor(truth)) length(truth) else dim(truth)
  got <- if (is.factor(truth)) length(guess) else dim(as.matrix(guess))
  right <- is.atomic(guess) && identical(as.integer(got), as.integer(wanted)) && !anyNA(guess) &&
    (is.factor(truth) || is.numeric(guess))
  if (!right) {
    stop_rowsparse("type", "predict", sprintf("must return %s for each of %s",
      if (is.factor(truth)) "a class" else "a number (of each response)",
      count_of(NROW(truth), "new sample")
    ), describe(guess))
  }
}

are_probabilities <- function(guess, truth) {
  is.numeric(guess) && nrow(guess) == length(truth) && all(colnames(guess) %in% levels(truth)) &&
    !is.null(colnames(guess)) && all(is.finite(guess)) && all(guess >= 0)
}
