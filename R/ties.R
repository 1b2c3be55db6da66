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
