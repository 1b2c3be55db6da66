# The dimension of the subspace (`m`) or the number of `clusters` where the caller
# leaves it out: the one place where it is chosen. The methods ask for it, the front
# door sees to it that the eigenvalues are computed once for all fits.

# what a method is asked for: m itself, the columns of a given start, or NULL
asked_dimension <- function(m, start = NULL) {
  if (!is.null(m)) {
    return(m)
  }
  if (inherits(start, "rowsparse")) start <- or_default(start$W, start$loadings)
  if (is.matrix(start)) ncol(start)
}

# the data, with the eigenvalues from which the corner is found
with_spectrum <- function(data, m = NULL) {
  if (!is.null(m)) {
    return(data)
  }
  prepare_data(data,
    m = min(corner_length, largest_dimension(data)), rough = spectrum_tol, corner = TRUE
  )
}

# `most`: the default is not above it
resolve_dimension <- function(m, data, choose = corner_dimension, most = Inf) {
  if (is.null(m)) as.integer(min(choose(data), most)) else check_dimension(m, data)
}

needs_dimension <- function(entry, given) {
  !is.null(entry$dimension) && is.null(given[[entry$dimension]])
}

# how many leading eigenvalues the default dimensions look at: for the corner, and for shares
# of the variance
corner_length <- 30L
spectrum_length <- 50L

# And how exactly they are known where the last of them lie close together, as the noise of
# large data does: residuals as a share of the largest. For the corner they may be rougher
# where it cannot change any more, see src/base/corner.h.
spectrum_tol <- 1e-3

# flops of the products with the data beyond which rough values are taken
large_products <- 3e11

# data with these eigenvalues and their vectors in them; once they are there, nothing
# is computed again, but vectors that are rough
with_eigenvectors <- function(data) {
  prepare_data(data, m = min(spectrum_length, largest_dimension(data)), rough = spectrum_tol)
}

# those that the default dimension of a method looks at
with_values_for <- function(data, entry) {
  if (identical(entry$choose_dimension, main_components)) {
    with_eigenvectors(data)
  } else {
    with_spectrum(data)
  }
}

leading_values <- function(data) {
  utils::head(data$operator$leading$values, spectrum_length)
}

# For what is shared by several fits, the default is determined once; where k features
# must carry the components, it depends on k and is left to the method.
with_dimension <- function(entry, given, data) {
  if (!entry$basis) given[[entry$dimension]] <- entry$choose_dimension(data)
  given
}

# largest m (or number of clusters) of a method; css() takes Inf for all of the data
dimension_limit <- function(entry, data) {
  if (entry$dimension == "clusters") data$n - 1L else largest_dimension(data)
}

check_given_dimension <- function(entry, given, data, place = "") {
  value <- if (!is.null(entry$dimension)) given[[entry$dimension]]
  if (is.null(value) || (entry$unlimited && is_unlimited(value))) {
    return(invisible())
  }
  check_count(value, paste0(place, entry$dimension), 1L, dimension_limit(entry, data))
}

is_unlimited <- function(m) is.numeric(m) && identical(as.double(m), Inf)

# Elbow of the logarithms of the 30 leading eigenvalues of S: the one furthest
# below the straight line from the first to the last. Where none is below, as on
# a straight line, the number of those above the mean eigenvalue, at most 10.
corner_dimension <- function(data) {
  values <- utils::head(leading_values(data), corner_length)
  corner <- elbow(log(values[values > 1e-10 * values[1]]))
  if (corner > 1L) {
    return(corner)
  }
  average <- data_trace(data) / sum(!data$constant)
  large <- sum(values > (1 + tie_share) * average)
  max(1L, min(10L, large))
}

corner_clusters <- function(data) max(2L, corner_dimension(data))

# which of the two is the default of a method, by the argument that its descriptor names
corner_of <- function(dimension) {
  if (!is.null(dimension)) switch(dimension, m = corner_dimension, clusters = corner_clusters)
}

# the number of leading components that carry 90% of the variance, at most 50
main_components <- function(data) {
  share <- cumsum(leading_values(data)) / data_trace(data)
  reached <- first_at_least(share, 0.9)
  if (is.na(reached)) length(share) else reached
}

# Position of the corner of a falling (or, for its negative, rising) curve: the
# inner point furthest below the straight line from the first to the last, and 1
# where none is below. A depth of a millionth of the height is no depth, and of
# points equally deep to that precision the first is taken: logarithms of small
# eigenvalues are known to no more digits.
elbow <- function(y, x = seq_along(y)) {
  depth <- depth_below_chord(y, x)
  if (length(depth) == 0L || max(depth) <= elbow_tie) {
    return(1L)
  }
  which(depth >= max(depth) - elbow_tie)[1] + 1L
}

elbow_tie <- 1e-6

# Of the inner points, as a share of the height; empty for a curve that does not
# fall or has none
depth_below_chord <- function(y, x = seq_along(y)) {
  last <- length(y)
  height <- y[1] - y[last]
  if (last < 3L || !is.finite(height) || height <= 1e-12 * max(abs(y))) {
    return(numeric())
  }
  inner <- seq.int(2L, last - 1L)
  (y[1] - y[inner]) / height - (x[inner] - x[1]) / (x[last] - x[1])
}
