# Decisions that rounding must not take. Values that differ by no more than a
# share of their scale are tied; of tied values the first wins, which is the
# smaller size, the larger penalty, or the setting that was named first.
tie_share <- 1e-8

# position of the first value that ties with the largest; NA are passed over
first_largest <- function(value, share = tie_share) {
  if (all(is.na(value))) {
    return(NA_integer_)
  }
  largest <- max(value, na.rm = TRUE)
  room <- if (is.finite(largest)) share * max(abs(value[is.finite(value)])) else 0
  which(value >= largest - room)[1]
}

# The first column of every row that ties with the largest value
largest_column <- function(values) {
  largest <- do.call(pmax, as.data.frame(values))
  scale <- max(abs(values[is.finite(values)]), 0)
  max.col((values >= largest - tie_share * scale) + 0, ties.method = "first")
}

# equal whole numbers for values that differ by no more than `share`, larger ones for
# larger values; `relative`: by that share of the values themselves
step_level <- function(value, share = 1e-11, relative = FALSE) {
  ascending <- order(value)
  sorted <- value[ascending]
  level <- integer(length(value))
  width <- if (relative) share * abs(sorted[-1]) else share
  # two that are both infinite are equal
  apart <- diff(sorted) > width
  level[ascending] <- cumsum(c(TRUE, !is.na(apart) & apart))
  level
}

# ---- the order of features ---------------------------------------------------------
#
# A search takes the first of features that tie. The order of the columns must not decide, so
# data with ties are put in an order that depends on their content: by variance, then by the
# projection on a fixed direction of the samples, then by mean. new_fit() restores the given order.

order_by_content <- function(data) {
  size <- switch(data$kind, sparse = length(data$x), moments = data$d^2, as.double(data$n) * data$d)
  # features may tie if two have one variance or, scaled, one shape
  repeats <- function(value) anyDuplicated(step_level(value[!data$constant], relative = TRUE)) > 0L
  if (size > 1e7 || !(repeats(raw_square(data)) ||
                        (!is.null(data$weight) && repeats(data$largest / data$deviation)))) {
    return(data)
  }
  content <- order(data$constant, -step_level(raw_square(data), relative = TRUE),
    fixed_projection(data), data$mean, method = "radix"
  )
  if (is.unsorted(content)) reorder_features(data, content) else data
}

# Levels of the squared projection on a fixed direction. Moments do not hold the samples: their
# features are told apart by their mean squared correlation with all.
fixed_projection <- function(data) {
  if (is_sketch(data)) {
    return(numeric(data$d))
  }
  square <- pmax(data$square, .Machine$double.xmin)
  found <- if (data$kind == "moments") {
    colSums(data$S^2 / square) / square / data$d
  } else {
    direction <- .Call(C_quasi_random, data$n, 1L)
    .Call(C_product_squares, unclass(data), direction / sqrt(sum(direction^2))) / square
  }
  step_level(found)
}

# random numbers go to the features in the order in which these were given
given_order <- function(data) order(view_of(data)$kept)

drawn_rows <- function(draws, data) {
  draws[given_order(data), ] <- draws
  draws
}

# ---- selections that are not the only ones --------------------------------------------
#
# The elements `unique` and `ties` of a fit, see ?rowsparse: features at places from to to tie in
# score and second criterion; reasons are sentences of the solver, and of scores that are all zero.

# scores that differ by no more than that share of the larger one tie
score_share <- 1e-10

find_ties <- function(scores, second, selected, data, reasons) {
  free <- setdiff(which(!data$constant), data$locked)
  score <- step_level(scores[free], score_share, relative = TRUE)
  level <- score * (length(free) + 1)
  if (!is.null(second)) level <- level + step_level(second[free], score_share, relative = TRUE)
  if (length(free) > 1L && all(scores[free] == 0) && length(reasons) == 0L) {
    reasons <- "the scores are all zero; features are ordered by their variance"
  }
  places <- if (!is.null(selected)) tied_at_cut(level, free %in% selected, length(selected))
  if (is.null(selected)) {
    size <- rle(sort(level, decreasing = TRUE))$lengths
    to <- cumsum(size)
    places <- cbind(from = to - size + 1L, to = to)[size > 1L, , drop = FALSE] + length(data$locked)
  }
  list(places = places, reasons = reasons)
}

# the run of equal levels that the last selected feature shares with others not selected
tied_at_cut <- function(level, inside, k) {
  tied <- any(inside) & level == min(level[inside], Inf)
  cut <- cbind(from = k - sum(tied & inside) + 1, to = k + sum(tied & !inside))
  cut[any(tied & !inside), , drop = FALSE]
}

# do eigenvalues m and m + 1 tie?
ties_at <- function(values, m, d) {
  length(values) > m && values[m] > rank_share(d) * values[1] &&
    values[m] - values[m + 1L] <= tie_share * values[1]
}

words_of_spectrum <- function(m) {
  sprintf("eigenvalues %d and %d of the scatter matrix are equal, %s", m, m + 1L,
    "so that the leading components are not determined"
  )
}

# With as many components as features every orthonormal basis carries the sum of their
# variances: a sentence where one of those selected has the variance of one that is not.
words_of_sums <- function(selected, data) {
  free <- setdiff(which(!data$constant), data$locked)
  level <- step_level(data$square[free], score_share, relative = TRUE)
  if (nrow(tied_at_cut(level, free %in% selected, length(selected))) > 0L) {
    "with as many components as features only their variances count, and some are equal"
  }
}

# A sentence if the leading components of a method are not determined; NULL if they are, or if it
# would cost too many products to know
tied_spectrum <- function(method, data, parameters) {
  entry <- method_table()[[method]]
  m <- if (!is.null(entry$dimension)) parameters[[entry$dimension]]
  if (method == "kmeans_ufs" || !is_number(m) || m >= largest_dimension(data)) {
    return(NULL)
  }
  values <- data$operator$leading$values
  if (length(values) <= m || isTRUE(data$operator$leading$tol > 0)) {
    work <- as.double(data$n) * data$d * min(data$n, data$d)
    if (data$kind == "blocks" || is_sketch(data) || work > 5e7) {
      return(NULL)
    }
    values <- truncated_svd(data, as.integer(m) + 1L)$squares
  }
  if (ties_at(values, m, data$d)) words_of_spectrum(as.integer(m))
}

# why k features, these columns, are not the only ones: sentences, none where they are
tie_reasons <- function(fit, columns) {
  k <- units_in(fit, columns)
  ties <- fit$ties
  if (is.null(ties) || k >= selectable(fit)) {
    return(character())
  }
  cut <- which(ties$places[, "from"] <= k & ties$places[, "to"] > k)[1]
  c(
    ties$reasons,
    if (!is.na(cut)) sprintf("the features at places %.0f to %.0f have the same score",
      ties$places[cut, "from"], ties$places[cut, "to"]
    )
  )
}

resolve_unique <- function(fit) {
  if (length(fit$ties$reasons) > 0L) fit$unique <- FALSE
  if (!is.null(fit$selected)) fit$unique <- length(tie_reasons(fit, fit$selected)) == 0L
  fit
}

# Other sets would have served as well, or (if `solver`) the solver has not converged: one warning
# tells both. `k`: as many features as were asked for.
warn_of_end <- function(fit, k = units_in(fit, fit$selected), solver = TRUE) {
  found <- words_not_unique(fit, k)
  if (solver && !isTRUE(fit$converged)) {
    found$kinds <- c(found$kinds, "convergence")
    found$words <- c(found$words, sprintf(
      "did not converge in %d iterations (%s); the result is returned all the same. %s",
      fit$iterations, fit$status, "See `maxit` and `tol` in rowsparse_control()."
    ))
  }
  if (!is.null(found)) {
    warn_rowsparse(found$kinds, paste0(fit_name(fit), ": ", paste(found$words, collapse = " ")))
  }
}

words_not_unique <- function(fit, k) {
  # where no sample has an edge that was told as the cause
  if (!identical(fit$unique, FALSE) || identical(as.double(fit$isolated), as.double(fit$n))) {
    return(NULL)
  }
  reasons <- if (is.null(fit$selected)) fit$ties$reasons else tie_reasons(fit, fit$selected)
  filled <- words_of_filling(fit, k)
  list(
    kinds = c(if (all(fit$scores == 0)) "zero", if (!is.null(filled)) "fill", "not_unique"),
    words = sprintf("other features would have served as well: %s.",
      paste(c(reasons, filled), collapse = "; ")
    )
  )
}

# Rounding differs between machines and BLAS libraries, and a solver enlarges it by the condition of
# the problem: values closer than this share of the largest are tied.
rounding_share <- sqrt(.Machine$double.eps)
