# Markers of types of samples, for rules of panels and for what is told of fits to classes.

most_markers <- 10L
least_marker_auc <- 0.6

# By type (columns) of each feature (rows): `auc`, that of the type against the rest, and `place`,
# the mean of its ranks by Welch's t of the type against each other type. x: a matrix or dgCMatrix,
# samples in rows, of which a part at a time is made dense.
marker_statistics <- function(x, types) {
  inside <- indicators(types)
  size <- colSums(inside)
  each <- seq_len(ncol(x))
  parts <- lapply(split(each, each %/% ceiling(2e6 / nrow(x))), function(columns) {
    part <- as.matrix(x[, columns, drop = FALSE])
    mean <- t(crossprod(inside, part) / size)
    square <- t(crossprod(inside, (part - inside %*% t(mean))^2) / size / pmax(size - 1, 1))
    list(t(apply(part, 2, auc_by_type, inside, size)), mean, square)
  })
  whole <- lapply(1:3, function(i) do.call(rbind, lapply(parts, `[[`, i)))
  lapply(list(auc = whole[[1]], place = mean_places(whole[[2]], whole[[3]])), `dimnames<-`,
    list(colnames(x), levels(types))
  )
}

# by sums of mid-ranks, less that of the zeros, which are one tie and need no sorting
auc_by_type <- function(value, inside, size) {
  filled <- which(value != 0)
  zeros <- length(value) - length(filled)
  value <- value[filled]
  of_zeros <- sum(value < 0) + (zeros + 1) / 2
  above <- crossprod(inside[filled, , drop = FALSE], rank(value) + zeros * (value > 0) - of_zeros)
  (size * of_zeros + above - size * (size + 1) / 2) / (size * (nrow(inside) - size))
}

mean_places <- function(mean, square) {
  types <- seq_len(ncol(mean))
  matrix(vapply(types, function(own) {
    Reduce(`+`, lapply(types[-own], function(other) {
      gap <- mean[, own] - mean[, other]
      rank(-ifelse(gap == 0, 0, gap / sqrt(square[, own] + square[, other])))
    })) / (length(types) - 1)
  }, mean[, 1]), nrow(mean))
}

# list(rules: with sets of the markers of types, allowed: the features that `candidates` leave).
# `may`: which may be selected otherwise; `y`: the response, whose classes may serve as types
with_markers <- function(rules, data, may, y) {
  whole <- view_of(data)
  best <- if (is_number(rules$candidates)) rules$candidates
  among <- seq_len(data$d)
  if (length(rules$candidates) > length(best)) {
    own <- feature_columns(rules$candidates, "candidates", whole$d, whole$names)
    among <- inner_index(own, data)
  }
  types <- levels(rules$types)
  types <- types[rules$at_least[types] > 0 | rules$at_most[types] < Inf]
  if (length(types) > 0L || !is.null(best)) {
    values <- statistics_of_data(data, or_default(rules$types, y), is.null(rules$types))
    best_of <- function(value, may, count, ties = value) {
      which(may)[utils::head(order(-round(value[may], 12), -ties[may]), count)]
    }
    if (!is.null(best)) among <- apply(cbind(values$auc, -values$place), 2, best_of, may, best)
    may <- may & seq_len(data$d) %in% c(unlist(among), data$locked)
    markers <- sapply(intersect(types, colnames(values$auc)), simplify = FALSE, function(type) {
      auc <- values$auc[, type]
      own <- best_of(auc, may & auc >= least_marker_auc, most_markers, -values$place[, type])
      outer_index(own, data)
    })
    few <- names(markers)[lengths(markers) < rules$at_least[names(markers)]]
    refuse_if(length(few) > 0L, "rules", "types", sprintf(
      "must have as many markers as `at_least` says, of the best %d with an AUC of at least %g",
      most_markers, least_marker_auc
    ), toString(sprintf("%d of %s", lengths(markers[few]), sQuote(few, FALSE))),
    "Give numbers by type, as in at_least = c(T = 2, B = 1)")
    rules$sets <- c(rules$sets, markers)
  }
  for (name in c("at_least", "at_most")) rules[[name]] <- rules[[name]][names(rules$sets)]
  list(rules = rules, allowed = seq_len(data$d) %in% c(unlist(among), data$locked))
}

# of values as they were given, or what a `block` of several variables leaves of them
statistics_of_data <- function(data, types, by_response) {
  argument <- if (by_response) "candidates" else "types"
  refuse_if(data$kind %in% c("moments", "blocks"), "rules", argument,
    "needs the samples, in memory", if (data$kind == "blocks") "row blocks" else "moments",
    "Known markers are given as `sets`, and features as `candidates`"
  )
  refuse_if(by_response && !is_classes(types), "rules", "candidates",
    "must be names or columns of features, unless there are `types` or classes", describe(types))
  types <- used_levels(observed_response(types, data), data$n, argument)
  refuse_if(nlevels(types) < 2L, "rules", "types", "must be two at least", nlevels(types))
  marker_statistics(or_default(data$given, input_matrix(data)), types)
}

# ---- of fits -------------------------------------------------------------------------

# The values of features that a fit to classes keeps, and the class of each sample. Weights leave
# rounding errors between values that are equal.
training_classes <- function(fit, features) {
  training <- fit$training
  y <- fit[["response"]]$y
  list(
    values = signif(training$values[, match(features, training$features), drop = FALSE], 12),
    class = droplevels(y[or_default(training$rows, seq_along(y))])
  )
}

# `marks` and `auc` of each feature, see ?as.data.frame.rowsparse
marks_of <- function(fit) {
  out <- data.frame(marks = rep(NA_character_, fit$d), auc = NA_real_)
  features <- if (!is.null(fit$training$values)) fit$training$features
  if (length(features) > 0L) {
    kept <- training_classes(fit, features)
    auc <- marker_statistics(kept$values, kept$class)$auc
    # of two classes that in which the feature is higher
    at <- max.col(round(abs(auc - 0.5), 12) + 1e-11 * (auc > 0.5), "first")
    out[features, ] <- list(colnames(auc)[at], auc[cbind(seq_along(at), at)])
  }
  out
}
