# What fits to classes predict by. They keep the samples of every feature that predict() may be
# asked for, those of moments sums over them, and make the rule of R/discriminant.R from these when
# it asks.

is_class_fit <- function(fit) identical(fit[["response"]]$type, "class")

# The fit with its element `training`: features; values, centred; rows, the samples that these
# are of, where they are not all; scores, of all samples then, which cannot be had again
with_training <- function(fit, data, most = NULL) {
  if (!is_class_fit(fit)) {
    return(fit)
  }
  features <- training_features(fit)
  # two million numbers, but 2000 samples in any case
  most <- or_default(most, max(2000L, floor(2e6 / max(1L, length(features)))))
  rows <- training_rows(as.integer(fit[["response"]]$y), most)
  read <- training_reader(data, features)
  fit$training <- list(features = features, rows = rows, values = read(features, rows))
  if (!is.null(rows)) {
    rule <- classifier_of(fit)
    fit$training$scores <- discriminant_scores(rule, read(rule$features))
  }
  fit
}

# function(features, rows): their values; blocks are read once for all of them
training_reader <- function(data, features) {
  if (data$kind != "blocks") {
    return(function(own, rows = NULL) training_values(data, own, rows))
  }
  data$weight <- NULL
  values <- .Call(C_columns, unclass(data), inner_index(features, data))
  if (!is.null(data$observed)) values <- values / data$observed$root
  function(own, rows = NULL) {
    values[or_default(rows, seq_len(nrow(values))), match(own, features), drop = FALSE]
  }
}

# columns of row blocks are only read where they take no more than blocks may
can_read_training <- function(fit, data) {
  is_class_fit(fit) && !is.null(fit[["response"]]$y) &&
    8 * as.double(data$n) * length(training_features(fit)) <= passes_memory()
}

# The same of moments: features; sums, list(S, B, size), see discriminant_of_sums(). B is that of
# the features given.
with_sums <- function(fit, data, B) {
  if (is_class_fit(fit)) {
    features <- training_features(fit)
    columns <- inner_index(features, data)
    fit$training <- list(features = features, sums = list(
      S = unname(data$S[columns, columns, drop = FALSE]), B = unname(B[columns, , drop = FALSE]),
      size = data$n * fit[["response"]]$mean
    ))
  }
  fit
}

# these features as they are given, less what centring takes off
training_values <- function(data, features, rows = NULL) {
  columns <- inner_index(features, data)
  root <- data$observed$root
  if (is.null(rows)) rows <- seq_len(data$n)
  values <- unname(dense_columns(data, columns)[rows, , drop = FALSE])
  if (!is.null(root)) {
    return(values / root[rows])
  }
  if (is.null(data$block)) {
    return(sweep(sweep(values, 2, data$mean[columns]), 2, data$fine[columns]))
  }
  code <- data$block$code[rows]
  values <- values - unname(data$block$mean[code, columns, drop = FALSE])
  values - data$block$fine[code, columns, drop = FALSE]
}

# about so many, evenly spaced in each class; NULL for all
training_rows <- function(class, most) {
  if (length(class) <= most) {
    return(NULL)
  }
  share <- most / length(class)
  sort(unlist(lapply(split(seq_along(class), class), function(own) {
    own[unique(round(seq(1, length(own), length.out = max(2, ceiling(share * length(own))))))]
  }), use.names = FALSE))
}

# all features that some size may ask for
training_features <- function(fit) {
  if (has_regression(fit)) {
    fit$regression$order
  } else if (inherits(fit, "cdlsr")) {
    unique(unlist(fit$path$features))
  } else {
    which(fit$scores > 0)
  }
}

# those of one size, as regression_of() has them; of rankings also what depends on others
classified_features <- function(fit, k) {
  if (has_regression(fit)) {
    utils::head(fit$regression$order, first_size(fit, k))
  } else if (inherits(fit, "cdlsr")) {
    fit$path$features[[size_position(fit, k)]]
  } else {
    nonzero_features(fit, k)
  }
}

# the rule on k features, list(features, slope, intercept, prior, temperature, shrinkage), for
# centred samples
classifier_of <- function(fit, k = NULL) {
  training <- fit$training
  response <- fit[["response"]]
  lost <- max(0, or_default(fit$block[["rank"]], length(fit$block[["levels"]])) - 1)
  features <- classified_features(fit, k)
  at <- match(features, training$features)
  if (!is.null(training$sums)) {
    rule <- discriminant_of_sums(training$sums$S[at, at, drop = FALSE],
      training$sums$B[at, , drop = FALSE], training$sums$size, lost
    )
    return(c(list(features = features), rule))
  }
  rows <- or_default(training$rows, seq_along(response$y))
  rule <- discriminant(training$values[, at, drop = FALSE], as.integer(response$y)[rows],
    length(response$levels), response$weights[rows], lost = lost
  )
  c(list(features = features), rule)
}

# ---- classes and probabilities ------------------------------------------------------

class_types <- c("class", "prob")

# Classes or probabilities of samples by their scores E; `prior`: other shares of the classes
classified <- function(scores, rule, type, response, prior, rows) {
  scores <- rule$temperature * scores
  if (!is.null(prior)) scores <- scores + rep(log(prior / rule$prior), each = nrow(scores))
  if (type == "class") {
    return(largest_class(scores - row_max(scores), response$levels))
  }
  out <- softmax(scores)
  dimnames(out) <- list(rows, response$levels)
  out
}

# of samples whose `columns` are `features`, among them those of the rule
classify_columns <- function(object, columns, features, rule, level, type, prior) {
  columns <- columns[, match(rule$features, features), drop = FALSE]
  slope <- rule$slope
  scores <- as.matrix(columns %*% slope) + rep(rule$intercept, each = nrow(columns))
  scores <- scores - if (is.null(level)) {
    rep(drop(object$center[rule$features] %*% slope), each = nrow(columns))
  } else {
    (object$block$mean[, rule$features, drop = FALSE] %*% slope)[level, , drop = FALSE]
  }
  classified(scores, rule, type, object[["response"]], prior, rownames(columns))
}

# of the samples of the fit
classify_training <- function(object, type, prior) {
  rule <- classifier_of(object)
  training <- object$training
  at <- match(rule$features, training$features)
  scores <- or_default(training$scores,
    discriminant_scores(rule, training$values[, at, drop = FALSE])
  )
  classified(scores, rule, type, object[["response"]], prior, rownames(object[["response"]]$fitted))
}

# type: "class" or "prob"
predict_classes <- function(object, newdata, k, type, assay, block, prior, own) {
  check_class_type(type, object[["response"]])
  prior <- check_prior(prior, object[["response"]]$levels)
  if (is.null(object$training)) {
    return(predict_by_indicators(object, newdata, k, type, assay, block, prior, own))
  }
  if (own && !is.null(object$training$sums)) stop_no_samples("a fit of moments")
  if (own) {
    return(with_rows_left_out(object, classify_training(object, type, prior)))
  }
  rule <- classifier_of(object, k)
  columns <- new_values(object, newdata, rule$features, assay)
  level <- new_levels(object, sample_column(newdata, block, "block"), nrow(columns))
  classify_columns(object, columns, rule$features, rule, level, type, prior)
}

# fits of row blocks that were too large have nothing to tell classes apart by
predict_by_indicators <- function(object, newdata, k, type, assay, block, prior, own) {
  if (type != "class" || !is.null(prior)) {
    stop_rowsparse("samples", "object",
      "must have kept its samples, which probabilities and priors come from",
      "a fit of row blocks whose features did not fit into a quarter of the memory",
      "type = \"class\" gives the class of the largest fitted indicator"
    )
  }
  fitted <- if (own) {
    with_rows_left_out(object, fitted_values(object))
  } else {
    predict_response(object, newdata, regression_of(object, k), assay, block)
  }
  largest_class(fitted, object[["response"]]$levels)
}

# shares of the classes in their order, or by name
check_prior <- function(prior, levels) {
  if (is.null(prior)) {
    return(NULL)
  }
  named <- !is.null(names(prior))
  sound <- is_plain_numeric(prior) && is.null(dim(prior)) && length(prior) == length(levels) &&
    all(is.finite(prior)) && all(prior > 0) && (!named || setequal(names(prior), levels))
  if (!sound) {
    stop_rowsparse("range", "prior",
      sprintf("must be a number above 0 for each of the %d classes, in their order or by name",
        length(levels)
      ), describe(prior)
    )
  }
  if (named) prior <- prior[levels]
  unname(prior) / sum(prior)
}
