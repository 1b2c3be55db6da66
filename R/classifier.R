# What fits to classes predict by. They keep the samples of every feature that predict() may ask
# for, those of moments sums over them, and make the rule of R/discriminant.R from these then.

is_class_fit <- function(fit) identical(fit[["response"]]$type, "class")

# The fit with its element `training`: features; values, centred; rows, the samples that these
# are of, where they are not all; scores, of all samples then, which cannot be had again
with_training <- function(fit, data, most = NULL) {
  features <- training_features(fit)
  # two million numbers, but 2000 samples in any case
  most <- or_default(most, max(2000L, floor(2e6 / max(1L, length(features)))))
  rows <- training_rows(as.integer(fit[["response"]]$y), most)
  values <- training_values(data, features)
  fit$training <- list(
    features = features, rows = rows,
    values = if (is.null(rows)) values else values[rows, , drop = FALSE]
  )
  if (!is.null(rows)) {
    W <- classifier_of(fit)
    fit$training$scores <- discriminant_scores(W$rule, values[, match(W$features, features)])
  }
  fit
}

# Values of features as they are given, less what centring takes off. They come from the copy that
# fits make of scaled data, and are put back.
training_values <- function(data, features) {
  columns <- inner_index(features, data)
  values <- .Call(C_columns, unclass(data), columns) / or_default(data$observed$root, 1)
  weight <- data$weight[columns]
  if (is.null(weight)) values else values / rep(ifelse(weight > 0, weight, 1), each = nrow(values))
}

# The same of moments: features; sums, see discriminant_of_sums(). B is that of the features given.
with_sums <- function(fit, data, B) {
  if (is_class_fit(fit)) {
    features <- training_features(fit)
    columns <- inner_index(features, data)
    unit <- average_weight(data)
    fit$training <- list(features = features, sums = list(
      S = unname(data$S[columns, columns, drop = FALSE]) / unit,
      B = unname(B[columns, , drop = FALSE]) / unit,
      size = sample_size(data) * fit[["response"]]$mean
    ))
  }
  fit
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
  features <- which(fit$scores > 0)
  if (inherits(fit, "cdlsr")) features <- unique(unlist(fit$path$features))
  if (has_regression(fit)) fit$regression$order else features
}

# The scores of the classes by k features, see linear_function(), and `rule`, that of the centred
# features. The features are those of the regression, of rankings also what depends on others.
classifier_of <- function(fit, k = NULL) {
  training <- fit$training
  response <- fit[["response"]]
  lost <- max(0, or_default(fit$block[["rank"]], length(fit$block[["levels"]])) - 1)
  features <- if (has_regression(fit)) {
    utils::head(fit$regression$order, first_size(fit, k))
  } else {
    regression_of(fit, k)$features
  }
  at <- match(features, training$features)
  rule <- if (!is.null(training$sums)) {
    discriminant_of_sums(training$sums$S[at, at, drop = FALSE],
      training$sums$B[at, , drop = FALSE], training$sums$size, lost
    )
  } else {
    rows <- or_default(training$rows, seq_along(response$y))
    discriminant(training$values[, at, drop = FALSE], as.integer(response$y)[rows],
      length(response$levels), response$weights[rows], lost
    )
  }
  c(linear_function(fit, features, rule$slope, rule$intercept), list(rule = rule))
}

training_scores <- function(object, W) {
  training <- object$training
  if (!is.null(training$sums)) stop_no_samples("a fit of moments")
  scores <- or_default(training$scores, discriminant_scores(W$rule,
    training$values[, match(W$features, training$features), drop = FALSE]
  ))
  rownames(scores) <- rownames(object[["response"]]$fitted)
  scores
}

# ---- classes and probabilities ------------------------------------------------------

class_types <- c("class", "prob")

# Do classes come from the classifier? Fits of row blocks that were too large have none.
by_classifier <- function(held, type, prior = NULL) {
  refuse_if(!held && (type == "prob" || !is.null(prior)), "samples", "object",
    "must have kept its samples, which probabilities and priors come from",
    "a path of rfs(), or row blocks whose features did not fit into a quarter of the memory",
    "type = \"class\" gives the class of the largest fitted indicator"
  )
  held && type %in% class_types
}

# Classes or probabilities of samples by their scores E; `prior`: other shares of the classes
classified <- function(scores, rule, type, levels, prior) {
  scores <- rule$temperature * scores
  if (!is.null(prior)) scores <- scores + rep(log(prior / rule$prior), each = nrow(scores))
  if (type == "class") {
    return(largest_class(scores - row_max(scores), levels))
  }
  out <- softmax(scores)
  dimnames(out) <- list(rownames(scores), levels)
  out
}

largest_class <- function(fitted, levels) factor(levels[largest_column(fitted)], levels = levels)

# shares of the classes in their order, or by name
check_prior <- function(prior, type, levels) {
  if (is.null(prior)) {
    return(NULL)
  }
  refuse_if(!type %in% class_types, "argument", "prior",
    sprintf("is for classes and their probabilities, not for type = \"%s\"", type))
  named <- !is.null(names(prior))
  sound <- is_plain_numeric(prior) && is.null(dim(prior)) && length(prior) == length(levels) &&
    all(is.finite(prior)) && all(prior > 0) && (!named || setequal(names(prior), levels))
  refuse_if(!sound, "range", "prior",
    sprintf("must be a number above 0 for each of the %d classes, in their order or by name",
      length(levels)
    ), describe(prior), did_you_mean(setdiff(names(prior), levels)[1], levels)
  )
  if (named) prior <- prior[levels]
  unname(prior) / sum(prior)
}
