# What is selected from some of the samples, judged by the others.
#   task      x, y (a factor, a matrix, or NULL), weights, level (of the block, as text), columns
#             (those that are not excluded), family and offset (of counts and censored times),
#             response (of the latter), unit (of the response), counts (weights of the
#             measures), model (list(fit, predict), or NULL), scale
#   entrant   what competes: a method by name (`entry`, `given`) or a function (`select`); `label`;
#             `grid`: list(sizes) or list(penalties), NULL for a function that gets no size
#   job       one training set: its `rows`, its `entrant`, and the `seed` of what is drawn in it
#   point     what an entrant selects at one size or penalty: `set`, columns; `fit`, where there is
#             one; `k`, the size at which a fit that holds several is asked

# ---- selections from the training samples ------------------------------------------------

# Results of one job, by point of its entrant: sets, whether fits converged, and losses, a row
# for each measure, with those without features in the first column
fold_job <- function(job, task, entrants) {
  rows <- rows_in_company(job$rows, task$level)
  out <- seq_len(nrow(task$x))[-job$rows]
  with_seed(job$seed, {
    points <- on_training_set(length(rows), nrow(task$x),
      points_of(entrants[[job$entrant]], task, rows)
    )
    sets <- lapply(points, `[[`, "set")
    judge <- if (is.null(task$y)) held_out_squares else held_out_losses
    list(
      sets = sets, converged = vapply(points, function(point) !isFALSE(point$converged), NA),
      loss = judge(sets, points, task, rows, out)
    )
  })
}

points_of <- function(entrant, task, rows) {
  x <- task$x[rows, , drop = FALSE]
  y <- rows_of(or_default(task$given_y, task$y), rows)
  if (!is.null(entrant$select)) {
    own <- if (!is.null(task$weights)) list(weights = task$weights[rows])
    return(lapply(or_default(entrant$grid$sizes, list(NULL)), function(k) {
      found <- do.call(entrant$select, c(list(x, plain_response(y), k), own), quote = TRUE)
      point_of_function(found, k, x)
    }))
  }
  entry <- entrant$entry
  given <- of_samples(entrant$given, task, rows)
  if (!is.null(given[["block"]])) given$block <- block_of_rows(given[["block"]], rows)
  quietly({
    shared <- share_over_path(entry, given, method_data(entry, x, given))
    fits_along(entry, x, y, shared$data, shared$given, entrant$grid, function(fit, set, k = Inf) {
      list(
        set = set, fit = fit, k = if (!is.null(k)) min(k, units_in(fit, set)),
        converged = fit$converged
      )
    })$points
  })
}

# A point from what a function of the caller gives, a set or a fit; with no size all of it
point_of_function <- function(found, k, x) {
  if (inherits(found, "cv_rowsparse")) found <- found$fit
  fits <- inherits(found, "rowsparse")
  set <- feature_columns(found, "method", ncol(x), colnames(x),
    if (fits && (is.null(k) || !is.null(found$selected))) selected_index(found, NULL)
  )
  refuse_if(length(set) < or_default(k, 1L), "length", "method",
    sprintf("must select at least %d features where k = %d", k, k), length(set)
  )
  shorter <- !is.null(k) && length(set) > k
  list(
    set = if (shorter) set[seq_len(k)] else set, fit = if (fits) found,
    k = if (shorter) k, converged = !fits || found$converged
  )
}

# one response is a vector for functions of the caller
plain_response <- function(y) if (is.matrix(y) && ncol(y) == 1L) y[, 1] else y

# what fails on a part of the samples says so, unless it would with all of them
on_training_set <- function(size, n, expr) {
  tryCatch(expr, rowsparse_error = function(e) {
    if (!inherits(e, paste0("rowsparse_error_", c("argument", "choice", "type")))) {
      e$message <- sprintf(
        "%s This is a training set of %d of the %d samples%s.", conditionMessage(e), size, n,
        if (n > 2) ": try other `folds`" else ", which are too few to leave one out"
      )
    }
    stop(e)
  })
}

# Silence warnings and messages of repeated fits; the caller reports them once.
quietly <- function(expr) {
  withCallingHandlers(expr, rowsparse_warning = function(w) tryInvokeRestart("muffleWarning"),
    rowsparse_message = function(m) tryInvokeRestart("muffleMessage")
  )
}

# ---- measures ------------------------------------------------------------------------

# What is minimised; of those that are reported as shares kept, 1 less the share. The first serves
# where none is asked for.
measures_for <- list(
  class = c("error", "balanced", "log_loss", "auc"), numeric = c("error", "mae"),
  survival = c("deviance", "concordance"), none = "explained"
)
rising_measures <- c("explained", "auc", "concordance")

# the measure that chooses: the usual one, or one that is asked for
check_measure <- function(measure, response) {
  # of a fit by likelihood its loss comes first
  likelihood <- if (response$type == "class") "log_loss" else "deviance"
  known <- unique(c(if (!is.null(response$family)) likelihood, measures_for[[response$type]]))
  measure <- check_choice(or_default(measure, known[1]), "measure", unique(unlist(measures_for)))
  refuse_if(!measure %in% known, "choice", "measure", sprintf("\"%s\" needs %s", measure,
    switch(measure, explained = "data without a response", mae = "a response that is numbers",
      deviance = "counts with a `family`, or censored times", concordance = "censored times",
      "classes"
    )
  ), or_default(response$text, "no response"))
  refuse_if(measure == "auc" && length(response$levels) != 2L, "choice", "measure",
    "\"auc\" needs two classes", response$text
  )
  measure
}

# Words for a measure in results and pictures
measure_words <- function(measure, type) {
  switch(measure,
    error = if (type == "class") "share of wrong classes" else "relative squared error",
    balanced = "balanced error", log_loss = "logarithmic loss", auc = "area under the ROC curve",
    mae = "mean absolute error", deviance = "deviance per sample",
    concordance = "concordance", explained = "share reproduced of samples left out"
  )
}

# columns of a table with the mean of a measure and its standard error
measure_columns_of <- function(measure) {
  c(measure, if (measure %in% c("error", "explained")) "se" else paste0(measure, "_se"))
}

# a probability counts as this at least, so that one sample cannot decide
least_probability <- 1e-6

# Weights by which means over left-out samples are taken, and by which folds count: `plain`, and
# for classes `balanced`, with which every class has the same sum over all samples.
measure_weights <- function(y, weights) {
  list(plain = weights, balanced = if (is.factor(y)) weights / weight_of_class(y, weights)[y])
}

weight_of_class <- function(y, weights) as.vector(tapply(shares_of(weights), y, sum, default = 0))

# weights as shares of their sum, whatever their unit
shares_of <- function(weights) {
  weights <- weights / max(weights)
  weights / sum(weights)
}

# A row for each measure of what is predicted for the samples `out`, without features and at every
# point, by the fit where it predicts, or by a model on the set
held_out_losses <- function(sets, points, task, rows, out) {
  survival <- is_survival(task$y)
  # risk sets join the samples left out with the others
  asked <- if (survival) seq_len(nrow(task$x)) else out
  test <- task$x[asked, , drop = FALSE]
  type <- if (survival) "link" else if (is.factor(task$y)) "prob" else "response"
  without <- guess_without(task, rows, asked)
  guesses <- lapply(points, function(point) {
    if (!is.null(task$model) || is.null(point$fit) || !is_supervised_fit(point$fit)) {
      model <- or_default(task$model, usual_model(task$y))
      guess <- model$predict(fit_model(model, point$set, task, rows),
        model_columns(task$x, point$set, asked)
      )
      check_guess(guess, if (survival) cbind(asked) else rows_of(task$y, asked))
      guess
    } else if (isTRUE(point$k == 0)) {
      without
    } else {
      predict_held_out(point$fit, point$k, test, type, task$level[asked], task$offset[asked])
    }
  })
  judge <- if (survival) survival_measures else measures_of
  do.call(cbind, lapply(c(list(without), guesses), judge, task, out))
}

# Of predictions on left-out samples: the mean square in squares of the unit and the mean absolute
# error in units, or what measures_for has of classes (the logarithmic loss and the area are NA if
# classes alone were predicted). Probabilities are a matrix with a column for each class.
measures_of <- function(predicted, task, out) {
  truth <- rows_of(task$y, out)
  weights <- lapply(task$counts, `[`, out)
  mean_of <- function(each, own) sum(shares_of(own) * each)
  if (!is.factor(truth)) {
    gap <- (truth - as.matrix(predicted)) / task$unit
    sizes <- list(error = gap^2, mae = abs(gap))
    if (!is.null(task$family)) {
      sizes$deviance <- as.matrix(2 * mean_losses(task$family, truth, predicted))
    }
    return(vapply(sizes, function(each) mean_of(rowSums(each), weights$plain), 0))
  }
  loss <- area <- NA_real_
  if (is.matrix(predicted)) {
    own <- predicted[cbind(seq_along(truth), match(as.character(truth), colnames(predicted)))]
    own[is.na(own)] <- 0 # a class that is missing from the training samples
    loss <- mean_of(-log(pmin(1, pmax(own, least_probability))), weights$plain)
    if (nlevels(truth) == 2L) area <- area_missed(predicted, truth, weights$plain)
    predicted <- largest_class(predicted, colnames(predicted))
  }
  wrong <- as.character(predicted) != as.character(truth)
  c(
    error = mean_of(wrong, weights$plain), balanced = mean_of(wrong, weights$balanced),
    log_loss = loss, if (nlevels(truth) == 2L) c(auc = area)
  )
}

# The difference of the partial log likelihoods with and without the samples left out (Verweij and
# van Houwelingen), times -2 and as a mean; 1 less the concordance of the samples left out.
survival_measures <- function(predicted, task, out) {
  link <- as.matrix(predicted)
  loss <- function(rows) {
    sum(family_losses(part_of_response(task$response, rows), link[rows, , drop = FALSE]))
  }
  all <- seq_along(link)
  c(
    deviance = 2 * (loss(all) - loss(all[-out])) / length(out),
    concordance = concordance_missed(link[out], task$y[out, , drop = FALSE],
      task$counts$plain[out]
    )
  )
}

# 1 less Harrell's concordance: the share of the pairs, of a sample with an event and one whose time
# is longer, in which the first has the smaller hazard, ties by half; NaN where there are no pairs
concordance_missed <- function(link, y, weights) {
  sums <- vapply(which(y[, "status"] > 0), function(i) {
    longer <- y[, "time"] > y[i, "time"] | (y[, "time"] == y[i, "time"] & y[, "status"] == 0)
    wrong <- (link > link[i]) + (link == link[i]) / 2
    weights[i] * c(sum((weights * wrong)[longer]), sum(weights[longer]))
  }, c(0, 0))
  sum(sums[1, ]) / sum(sums[2, ])
}

# 1 less the area under the ROC curve: the share of the pairs of a sample of each class in which
# that of the second has the smaller probability of it, ties by half; NaN if a class is missing
area_missed <- function(predicted, truth, weights) {
  second <- levels(truth)[2]
  p <- if (second %in% colnames(predicted)) predicted[, second] else numeric(length(truth))
  sums <- rowsum(weights * cbind(truth != second, truth == second), p)
  above <- sum(sums[, 1]) - cumsum(sums[, 1]) + sums[, 1] / 2
  sum(sums[, 2] * above) / prod(colSums(sums))
}

# Losses by fold and point, over all samples: the mean over the repeats, and the root mean square
# of their standard errors, 0 of a single fold. Folds of share 0 are not judged.
fold_summary <- function(loss, shares) {
  parts <- mapply(function(rows, share) {
    inside <- loss[rows, , drop = FALSE]
    mean <- colSums(inside * share)
    squares <- colSums(share * (inside - rep(mean, each = length(share)))^2)
    cbind(mean, squares / max(sum(share > 0) - 1, 1))
  }, rows_of_repeats(shares), shares, SIMPLIFY = "array")
  parts <- unname(rowMeans(parts, dims = 2))
  list(mean = parts[, 1], se = sqrt(parts[, 2]))
}

rows_of_repeats <- function(shares) {
  unname(split(seq_len(sum(lengths(shares))), rep(seq_along(shares), lengths(shares))))
}

# by repeat what each fold counts: its share of the samples, or of their weights, those of `blind`
# folds nothing
fold_shares <- function(foldid, weights, blind) {
  shares <- lapply(seq_len(ncol(foldid)), function(r) rowsum(shares_of(weights), foldid[, r])[, 1])
  Map(function(share, rows) shares_of(replace(unname(share), blind[rows], 0)),
    shares, rows_of_repeats(shares)
  )
}

# The stability of M sets among d features, see ?cv_rowsparse; NA where all are empty or full. With
# p_f the share of the sets that hold feature f, and q the mean share of the features in a set,
#     1 - mean_f(M / (M - 1) p_f (1 - p_f)) / (q (1 - q))
stability_of <- function(sets, d) {
  count <- length(sets)
  p <- tabulate(unlist(sets), d) / count
  chance <- mean(p) * (1 - mean(p))
  if (chance == 0) NA_real_ else 1 - count / (count - 1) * mean(p * (1 - p)) / chance
}

# the share of the sets of the folds that hold a feature, features x points
frequency_of <- function(sets, x) {
  by_point <- lapply(sets, unlist)
  counts <- Matrix::sparseMatrix(i = as.integer(unlist(by_point)),
    p = c(0, cumsum(lengths(by_point))), x = rep(1, sum(lengths(by_point))),
    dims = c(ncol(x), length(sets)), dimnames = list(colnames(x), NULL)
  )
  counts / max(lengths(sets))
}

# ---- predictions ---------------------------------------------------------------------

# Samples of levels that the fit knows are predicted by the means of these, the others by the
# overall ones.
predict_held_out <- function(fit, k, test, type, level, offset = NULL) {
  if (!is.null(k) && has_regression(fit)) k <- min(k, units_of_regression(fit))
  own <- if (!is.null(offset)) list(offset = offset)
  out <- quietly(do.call(stats::predict, c(list(fit, test, k = k, type = type), own), quote = TRUE))
  known <- which(level %in% fit$block$levels)
  if (length(known) > 0) {
    out[known, ] <- quietly(stats::predict(fit, test[known, , drop = FALSE], k = k, type = type,
      block = level[known]
    ))
  }
  out
}

# without features: the shares of the classes, or the means, of the training samples
guess_without <- function(task, rows, out) {
  y <- task$y
  if (is_survival(y)) {
    return(matrix(0, length(out), 1L))
  }
  if (!is.null(task$offset)) {
    rate <- exp(task$offset)
    weights <- task$counts$plain[rows]
    return(cbind(rate[out] * sum(weights * y[rows, 1]) / sum(weights * rate[rows])))
  }
  if (!is.factor(y)) {
    return(training_means(y, rows, task$level, task$counts$plain)[out, , drop = FALSE])
  }
  share <- weight_of_class(y[rows], task$counts$plain[rows])
  matrix(share, length(out), nlevels(y), byrow = TRUE, dimnames = list(NULL, levels(y)))
}

# Means, for every sample, of those in `rows` that are of its level, or of all of them
training_means <- function(values, rows, level, weights = rep(1, nrow(values))) {
  own <- values[rows, , drop = FALSE]
  means <- colSums(own * shares_of(weights[rows]))
  out <- matrix(means, nrow(values), length(means), byrow = TRUE)
  if (!is.null(level)) {
    of_levels <- rowsum(own, level[rows]) / as.vector(table(level[rows]))
    at <- match(level, rownames(of_levels))
    out[!is.na(at), ] <- of_levels[at[!is.na(at)], ]
  }
  out
}

# ---- without a response: what regression on the selected features reproduces ------------------

# The sum of squares of the samples left out, about the means of the training samples, and what
# regression on each set leaves of it, by coefficients from the training samples: all features are
# regressed on those of the set. As means per sample, so that folds count by their samples. With
# X_S = Q R the coefficients of the first j columns of S are those of R's leading block, so that
# sets that continue each other share a factorisation: column j takes (x R^-1)_j (Q'X)_j off the
# samples left out. Columns that depend on those before them are at the end, and take nothing.
held_out_squares <- function(sets, points, task, rows, out) {
  chains <- lapply(if (is_chain(sets)) list(seq_along(sets)) else seq_along(sets), function(at) {
    parts <- centred_parts(task, sets[[max(at)]], rows, out)
    decomposition <- qr(parts$train)
    first <- seq_len(decomposition$rank)
    kept <- decomposition$pivot[first]
    R <- qr.R(decomposition)[first, first, drop = FALSE]
    scores <- parts$test[, kept, drop = FALSE]
    if (length(first) > 0L) scores <- t(backsolve(R, t(scores), transpose = TRUE))
    list(
      at = at, qr = decomposition, first = first, scores = scores,
      taking = vapply(lengths(sets[at]), function(size) sum(kept <= size), 0L)
    )
  })
  left <- numeric(length(sets) + 1L)
  for (columns in split(task$columns, (seq_along(task$columns) - 1L) %/% 512L)) {
    parts <- centred_parts(task, columns, rows, out)
    total <- sum(parts$test^2)
    left[1] <- left[1] + total
    for (chain in chains) {
      effects <- qr.qty(chain$qr, parts$train)[chain$first, , drop = FALSE]
      with_test <- rowSums(crossprod(chain$scores, parts$test) * effects)
      squares <- crossprod(chain$scores) * tcrossprod(effects)
      taken <- 2 * with_test - 2 * colSums(squares * upper.tri(squares)) - diag(squares)
      left[1L + chain$at] <- left[1L + chain$at] + total - c(0, cumsum(taken))[1L + chain$taking]
    }
  }
  rbind(explained = pmax(left, 0) / length(out)) # rounding may take more than there is
}

is_chain <- function(sets) {
  last <- sets[[length(sets)]]
  all(vapply(sets, function(set) identical(set, last[seq_along(set)]), NA))
}

# Columns of the training samples and of the others, less the means of the former, in units in
# which their squares are numbers
centred_parts <- function(task, columns, rows, out) {
  values <- unname(as.matrix(task$x[, columns, drop = FALSE])) / task$unit
  values <- values - training_means(values, rows, task$level)
  if (isTRUE(task$scale)) {
    deviation <- sqrt(colSums(values[rows, , drop = FALSE]^2) / (length(rows) - 1))
    deviation[deviation == 0] <- 1
    values <- values / rep(deviation, each = nrow(values))
  }
  list(train = values[rows, , drop = FALSE], test = values[out, , drop = FALSE])
}

# ---- models on the selected features ---------------------------------------------------------

# least squares with an intercept, or discriminants of classes
usual_model <- function(y) {
  if (is_survival(y)) {
    list(fit = proportional_hazards, predict = stats::predict, label = "proportional hazards")
  } else if (is.factor(y)) {
    list(fit = classify_by, predict = predict_probabilities, label = "linear discriminants")
  } else {
    list(fit = least_squares, predict = predict_least_squares, label = "least squares")
  }
}

least_squares <- function(x, y, weights = rep(1, nrow(x))) {
  Y <- as.matrix(y)
  share <- shares_of(weights)
  center <- colSums(x * share)
  level <- colSums(Y * share)
  slope <- as.matrix(stats::lm.wfit(sweep(x, 2, center), sweep(Y, 2, level), share)$coefficients)
  slope[is.na(slope)] <- 0
  list(slope = slope, intercept = level - drop(center %*% slope), range = apply(Y, 2, range))
}

predict_least_squares <- function(model, x) {
  within_limits(x %*% model$slope + rep(model$intercept, each = nrow(x)), model$range)
}

# with a ridge so small that it only tells apart what the samples do not
proportional_hazards <- function(x, y, weights = NULL) {
  quietly(rowsparse_glm(x, y, ncol(x), "cox", ridge = 1e-4 * nrow(x), weights = weights,
    path = FALSE
  ))
}

# the rule of the fits themselves, see discriminant()
classify_by <- function(x, y, weights = NULL) {
  y <- droplevels(y)
  c(list(levels = levels(y)), discriminant(x, as.integer(y), nlevels(y), weights))
}

predict_probabilities <- function(model, x) {
  classified(discriminant_scores(model, unname(x)), model, "prob", model$levels, NULL)
}

# the model fitted to these columns of the samples in `rows`
fit_model <- function(model, set, task, rows) {
  own <- if (!is.null(task$weights)) list(weights = task$weights[rows])
  do.call(model$fit, c(
    list(model_columns(task$x, set, rows), plain_response(rows_of(task$y, rows))), own
  ), quote = TRUE)
}

# Columns as an ordinary matrix with names
model_columns <- function(x, columns, rows) {
  out <- as.matrix(x[rows, columns, drop = FALSE])
  if (is.null(colnames(out))) colnames(out) <- paste0("V", columns)
  out
}

# a class or number for each new sample, or a column of probabilities for each class
check_guess <- function(guess, truth) {
  right <- is.atomic(guess) && !anyNA(guess) && if (!is.factor(truth)) {
    is.numeric(guess) && identical(dim(as.matrix(guess)), dim(truth))
  } else if (is.matrix(guess) && is.numeric(guess)) {
    nrow(guess) == length(truth) && !is.null(colnames(guess)) &&
      all(colnames(guess) %in% levels(truth)) && all(is.finite(guess) & guess >= 0)
  } else {
    length(guess) == length(truth)
  }
  refuse_if(!right, "type", "predict", sprintf("must return %s for each of %s",
    if (is.factor(truth)) "a class" else "a number (of each response)",
    count_of(NROW(truth), "new sample")
  ), describe(guess))
}
