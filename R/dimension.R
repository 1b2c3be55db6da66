# The dimension of the subspace (`m`) or the number of `clusters` where the caller
# leaves it out: the one place where it is chosen. The methods ask for it, the front
# door sees to it that the eigenvalues are computed once for all fits.

# How many leading eigenvalues the default dimensions look at, for the corner and for shares of the
# variance; and how exactly they are known where the last of them lie close together, as the noise
# of large data does: residuals as a share of the largest
corner_length <- 30L
spectrum_length <- 50L
spectrum_tol <- 1e-3

# cells of dense data beyond which rough values are taken
large_cells <- 2e8

# the data, with the eigenvalues from which the corner is found
with_spectrum <- function(data, m = NULL) {
  count <- min(corner_length, largest_dimension(data))
  if (is.null(m)) with_leading(data, count, rough = TRUE) else data
}

# data with the eigenvalues for shares of the variance, and their vectors in them; once they are
# there, nothing is computed again, but vectors that are rough
with_eigenvectors <- function(data) {
  with_leading(data, min(spectrum_length, largest_dimension(data)), rough = TRUE)
}

leading_values <- function(data) utils::head(data$operator$leading$values, spectrum_length)

# data with those that the default dimension of a method looks at
with_values_for <- function(data, entry) {
  needed <- if (identical(entry$choose_dimension, main_components)) with_eigenvectors
  or_default(needed, with_spectrum)(data)
}

# `most`: the default is not above it
resolve_dimension <- function(m, data, choose = corner_dimension, most = Inf) {
  if (is.null(m)) as.integer(min(choose(data), most)) else check_dimension(m, data)
}

resolve_clusters <- function(clusters, data) {
  most <- data$n - 1L
  clusters <- or_default(clusters, min(corner_clusters(with_spectrum(data)), most))
  check_count(clusters, "clusters", 1L, most)
}

needs_dimension <- function(entry, given) {
  !is.null(entry$dimension) && is.null(given[[entry$dimension]])
}

# m or the number of clusters that is given for several fits; css() takes Inf for all of the data
check_given_dimension <- function(entry, given, data, place = "") {
  value <- if (!is.null(entry$dimension)) given[[entry$dimension]]
  if (is.null(value) || (entry$unlimited && is_unlimited(value))) {
    return(invisible())
  }
  most <- if (entry$dimension == "clusters") data$n - 1L else largest_dimension(data)
  check_count(value, paste0(place, entry$dimension), 1L, most)
}

is_unlimited <- function(m) is.numeric(m) && identical(as.double(m), Inf)

# Elbow of the logarithms of the 30 leading eigenvalues of S: the one furthest
# below the straight line from the first to the last. Where none is below, as on
# a straight line, the number of those above the mean eigenvalue, at most 10.
corner_dimension <- function(data) {
  values <- utils::head(leading_values(data), corner_length)
  corner <- elbow(log(values[values > 1e-10 * values[1]]))
  average <- data_trace(data) / sum(!data$constant)
  large <- sum(values > (1 + tie_share) * average)
  if (corner > 1L) corner else max(1L, min(10L, large))
}

corner_clusters <- function(data) max(2L, corner_dimension(data))

# which of the two is the default of a method, by the argument that its descriptor names
corner_of <- function(dimension) {
  if (!is.null(dimension)) switch(dimension, m = corner_dimension, clusters = corner_clusters)
}

# the number of leading components that carry 90% of the variance, at most 50
main_components <- function(data) {
  share <- cumsum(leading_values(data)) / data_trace(data)
  reached <- which(share >= 0.9 * (1 - tie_share))[1]
  if (is.na(reached)) length(share) else reached
}

# Position of the corner of a falling (or, for its negative, rising) curve: the inner point furthest
# below the straight line from the first to the last, and 1 where there is none, or the curve does
# not fall. A depth of a millionth of the height is no depth, and of points equally deep to that
# precision the first is taken: logarithms of small eigenvalues are known to no more digits.
elbow <- function(y, x = seq_along(y)) {
  last <- length(y)
  height <- y[1] - y[last]
  if (last < 3L || !is.finite(height) || height <= 1e-12 * max(abs(y))) {
    return(1L)
  }
  inner <- seq.int(2L, last - 1L)
  depth <- (y[1] - y[inner]) / height - (x[inner] - x[1]) / (x[last] - x[1])
  if (any(depth > 1e-6)) which(depth >= max(depth) - 1e-6)[1] + 1L else 1L
}
