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
  if (is.infinite(largest)) {
    return(which(value == largest)[1])
  }
  finite <- value[is.finite(value)]
  which(value >= largest - share * max(abs(finite)))[1]
}

# position of the first value of at least `level`, up to a tie
first_at_least <- function(value, level) {
  which(value >= level - tie_share * abs(level))[1]
}

# ranks, 1 for the smallest; tied values share their mean rank
tied_ranks <- function(value) {
  sorted <- order(value)
  steps <- diff(value[sorted])
  new <- c(TRUE, steps > tie_share * max(abs(value), .Machine$double.xmin))
  group <- integer(length(value))
  group[sorted] <- cumsum(new)
  rank(group)
}

# of every row the first column that ties with the largest value
largest_column <- function(values) {
  if (nrow(values) == 0L) {
    return(integer())
  }
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
# Where features tie in variance, or scaled ones in shape, a search may come to steps at
# which it cannot choose, and takes the first. As the order of the columns is never an answer,
# the features are put in an order that depends on what they hold: by variance, by their
# place in the data as a whole (feature_groups()), by a projection on a fixed direction.
# Copies keep their order. new_fit() gives everything as it was.
#   data$alike   the groups, where features tie; data$copy: equal numbers for copies

# stored numbers up to which data are looked at
content_limit <- 1e7

order_by_content <- function(data) {
  size <- switch(data$kind,
    sparse = length(data$x), moments = data$d^2, as.double(data$n) * data$d
  )
  if (size > content_limit || !may_tie(data)) {
    return(data)
  }
  projection <- numeric(data$d)
  # a sketch knows the variances, and of all else about as much as it needs
  if (!is_sketch(data)) {
    data$alike <- feature_groups(data)
    projection <- fixed_projection(data)
    data$copy <- copy_classes(data, projection)
  }
  content <- order(data$constant, -step_level(raw_square(data), relative = TRUE),
    or_default(data$alike, projection), projection, data$mean, method = "radix"
  )
  if (is.unsorted(content)) reorder_features(data, content) else data
}

# two features of one variance, or of one shape where only that counts
may_tie <- function(data) {
  repeats <- function(value) anyDuplicated(step_level(value[!data$constant], relative = TRUE)) > 0L
  repeats(raw_square(data)) || (!is.null(data$weight) && repeats(data$largest / data$deviation))
}

# Groups of features that a symmetry of the data may exchange: an order of the samples and of
# the features (and signs of these) in which the data are the same. Shades, which no such order
# changes, are refined from the features to the samples and back; features whose shades differ
# are in different groups. `Y`: what else is known of the samples.
feature_groups <- function(data, Y = NULL, rounds = 2L) {
  length <- sqrt(pmax(data$square, .Machine$double.xmin))
  start <- step_level(data$square, relative = TRUE)
  shade <- start / data$d
  for (round in seq_len(rounds)) {
    found <- if (data$kind == "moments") {
      shades_by_products(data, length, shade)
    } else {
      shades_by_samples(data, length, shade, Y)
    }
    shade <- shade / 2 + found
  }
  found[data$constant] <- 0
  pair <- start * (data$d + 1) + step_level(found)
  match(pair, sort(unique(pair)))
}

# squared cosines of the features with functions of what the samples are in the features
shades_by_samples <- function(data, length, shade, Y) {
  weight <- cbind(1 + shade, shade^2) / length
  weight[data$constant, ] <- 0
  sample <- .Call(C_times, unclass(data), weight)
  # sums that cancel are rounding
  sample[, colMeans(sample^2) <= 1e-20 * colSums(weight^2 * length^2) / data$n] <- 0
  sample <- cbind(sample, Y)
  sample <- sweep(sample, 2, pmax(sqrt(colMeans(sample^2)), .Machine$double.xmin), "/")
  sample <- cbind(sample, sample^2, sample * abs(sample), sample * rowSums(sample))
  share <- sqrt(colSums(sample^2) * seq_len(ncol(sample)))
  sample <- sweep(sample, 2, pmax(share, .Machine$double.xmin), "/")
  .Call(C_product_squares, unclass(data), unname(sample)) / length^2
}

# the same from correlations; `target` are those with a response
shades_by_products <- function(data, length, shade) {
  square <- (data$S / length / rep(length, each = data$d))^2
  square[data$constant, ] <- square[, data$constant] <- 0
  drop(square %*% (1 + shade) + square^2 %*% (1 + shade^2)) / data$d
}

# tells features apart that no symmetry does; moments do not hold the samples
fixed_projection <- function(data) {
  if (data$kind == "moments") {
    return(numeric(data$d))
  }
  direction <- .Call(C_quasi_random, data$n, 1L)
  found <- .Call(C_product_squares, unclass(data), direction / sqrt(sum(direction^2)))
  step_level(found / pmax(data$square, .Machine$double.xmin))
}

# equal numbers for features that are copies of each other, up to the sign
copy_classes <- function(data, projection) {
  pair <- data$alike * (data$d + 1) + projection
  class <- match(pair, pair)
  if (data$kind != "moments") {
    return(class)
  }
  for (group in split(seq_len(data$d), class)) {
    square <- data$square[group]
    near <- abs(data$S[group, group]) >= (1 - 1e-11) * sqrt(outer(square, square))
    class[group] <- group[max.col(near + 0, "first")]
  }
  class
}

# Random numbers go to the features in the order in which these were given: a random start is
# what set.seed() gives for the columns as they stand.
given_order <- function(data) order(view_of(data)$kept)

drawn_rows <- function(draws, data) {
  draws[given_order(data), ] <- draws
  draws
}

# ---- selections that are not the only ones --------------------------------------------
#
# A fit tells in `unique` whether other features would have served as well as those selected
# (NA for a ranking, which does not say how many), and in `ties` why:
#   places    from, to: places of the ranking whose features tie in score, and in the
#             method's second criterion
#   alike     groups of features that a symmetry of the data may exchange
#   reasons   sentences of the solver, and of scores that are all zero

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
  copy <- or_default(data$copy, seq_len(data$d))[free]
  list(
    places = if (is.null(selected)) {
      tied_places(level, copy, length(data$locked))
    } else {
      tied_at_cut(level, copy, free %in% selected, length(selected))
    },
    alike = tied_groups(data, free), reasons = reasons
  )
}

# runs of equal levels, but for those of copies
tied_places <- function(level, copy, before) {
  best <- order(-level)
  size <- rle(level[best])$lengths
  to <- cumsum(size)
  from <- to - size + 1L
  differs <- c(0L, cumsum(diff(copy[best]) != 0))
  cbind(from = from, to = to)[differs[to] > differs[from], , drop = FALSE] + before
}

# the last of those selected ties with some that are not, and are no copies of it
tied_at_cut <- function(level, copy, inside, k) {
  out <- cbind(from = numeric(), to = numeric())
  if (!any(inside)) {
    return(out)
  }
  tied <- level == min(level[inside])
  if (all(inside[tied]) || length(unique(copy[tied])) == 1L) {
    return(out)
  }
  rbind(out, c(k - sum(tied & inside) + 1, k + sum(tied & !inside)))
}

# of more than one feature, copies counted once; with a response of the samples, where there
# is one
tied_groups <- function(data, free) {
  if (is.null(data$alike)) {
    return(list())
  }
  alike <- data$alike
  if (!is.null(data$target)) {
    if (data$kind %in% c("moments", "blocks")) {
      return(list())
    }
    alike <- feature_groups(data, data$target)
  }
  groups <- split(free, alike[free])
  apart <- vapply(groups, function(group) length(unique(data$copy[group])) > 1L, NA)
  unname(lapply(groups[apart], outer_index, data))
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
  copy <- or_default(data$copy, seq_len(data$d))[free]
  cut <- tied_at_cut(level, copy, free %in% selected, length(selected))
  if (nrow(cut) > 0L) {
    "with as many components as features only their variances count, and some are equal"
  }
}

# numbers of products up to which eigenvalues are computed for the sake of the report
spectrum_work <- 5e7

# A sentence where the leading components of a method are not determined; NULL where they are,
# or where it would cost too much to know
tied_spectrum <- function(method, data, parameters) {
  entry <- known_descriptor(method)
  m <- if (!is.null(entry$dimension)) parameters[[entry$dimension]]
  if (method == "kmeans_ufs" || !is_number(m) || m >= largest_dimension(data)) {
    return(NULL)
  }
  values <- data$operator$leading$values
  if (length(values) <= m || isTRUE(data$operator$leading$rough)) {
    work <- as.double(data$n) * data$d * min(data$n, data$d)
    if (data$kind == "blocks" || is_sketch(data) || work > spectrum_work) {
      return(NULL)
    }
    values <- truncated_svd(data, as.integer(m) + 1L)$squares
  }
  if (ties_at(values, m, data$d)) words_of_spectrum(as.integer(m))
}

# why k features, these columns, are not the only ones: sentences, none where they are
tie_reasons <- function(fit, columns) {
  if (!is.null(fit$groups)) {
    columns <- unique(fit$groups$of[columns])
    fit <- unit_view(fit)
    fit$groups <- NULL
  }
  k <- length(columns)
  ties <- fit$ties
  if (is.null(ties) || k >= selectable(fit)) {
    return(character())
  }
  cut <- ties$places[, "from"] <= k & ties$places[, "to"] > k
  split <- vapply(ties$alike, function(group) {
    count <- sum(group %in% columns)
    count > 0L && count < length(group)
  }, NA)
  c(
    ties$reasons,
    if (any(cut)) sprintf("the features at places %.0f to %.0f have the same score",
      ties$places[cut, "from"][1], ties$places[cut, "to"][1]
    ),
    if (any(split)) sprintf(
      "a symmetry of the data exchanges features selected and not selected, as %s",
      paste(feature_labels(fit, both_sides(ties$alike[[which(split)[1]]], columns)),
        collapse = " and "
      )
    )
  )
}

both_sides <- function(group, columns) {
  c(group[group %in% columns][1], group[!group %in% columns][1])
}

settle_unique <- function(fit) {
  if (!is.null(fit$selected)) {
    fit$unique <- length(tie_reasons(fit, fit$selected)) == 0L
  } else if (length(fit$ties$reasons) > 0L) {
    fit$unique <- FALSE
  }
  fit
}

# Other sets would have served as well, or the solver has not converged: one warning tells
# both. `k`: as many features as were asked for.
warn_of_end <- function(fit, k = units_in(fit, fit$selected)) {
  found <- list(words_not_unique(fit, k), words_unconverged(fit))
  kinds <- unlist(lapply(found, `[[`, "kinds"))
  if (is.null(kinds)) {
    return(invisible())
  }
  words <- vapply(Filter(Negate(is.null), found), `[[`, "", "words")
  warn_rowsparse(kinds, paste0(fit_name(fit), ": ", paste(words, collapse = " ")))
}

warn_not_unique <- function(fit) {
  found <- words_not_unique(fit, units_in(fit, fit$selected))
  if (!is.null(found)) warn_rowsparse(found$kinds, paste0(fit_name(fit), ": ", found$words))
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
