# What a fit takes, told from sizes alone: the memory beyond the data in bytes, counted, and
# seconds of one thread, roughly. Each descriptor has `needs`, a function of sizes that adds up
# the parts below; the refusal of what does not fit and rowsparse_cost() both go by it.
# Sizes are a list: n, d, stored (numbers that are stored), kind (of the data, see as_data()),
# sparse (are they, or their blocks?), side = min(n, d), copy (numbers of the centred copy),
# tall (rows of the largest block), levels (of the factor within which data are centred), as
# (how methods take them), room (bytes of the machine), and what is asked for: k, m, clusters,
# classes, neighbours, threads, iterations, and other arguments of the method by name.

room <- function(numbers) c(memory = 8 * numbers, seconds = 0)

# products: multiplications in products of dense matrices; numbers: that go through anything else
work <- function(products = 0, numbers = 0) {
  c(memory = 0, seconds = 5e-11 * products + 1e-9 * numbers)
}

# again and again in the same room
repeated <- function(needs, times) needs * c(1, times)

# ---- products with the data ---------------------------------------------------------

# The data, or their transpose, times a matrix of so many columns. To come by a number of
# sparse data takes as long as multiplying it eight times.
data_product <- function(s, columns = 1) {
  if (s$sparse) {
    return(work(numbers = s$stored * (8 + columns) / 5))
  }
  rows <- if (s$kind == "moments") s$d else s$n
  work(rows * s$d * columns, rows * s$d)
}

# Xc'Xc, d x d
feature_gram <- function(s) {
  room(s$d^2) + if (s$kind == "moments") {
    work()
  } else if (s$sparse) {
    work(numbers = s$stored^2 / s$n / 2 + 4 * s$d^2)
  } else {
    work(s$n * s$d^2 / 2)
  }
}

# Xc Xc', n x n: a sparse column meets itself
sample_gram <- function(s) {
  room(s$n^2) + if (s$sparse) work(numbers = s$stored^2 / s$d + s$n^2) else work(s$n^2 * s$d / 2)
}

# by the cheaper side
smaller_gram <- function(s) if (s$d <= s$n) feature_gram(s) else sample_gram(s)

# ---- the covariance -----------------------------------------------------------------

# the sizes with which its operator works: those of moments where S is formed, about as the C
# code decides it
operator_sizes <- function(s) {
  formed <- s$kind != "moments" && 8 * s$d^2 <= s$room / 4 && !takes_wide_products(s) &&
    (s$kind == "blocks" || (s$d <= 2 * s$n && s$d^2 <= 40 * s$stored))
  if (formed) as_formed(s) else s
}

as_formed <- function(s) {
  utils::modifyList(s, list(kind = "moments", copy = 0, sparse = FALSE))
}

# S times a matrix of so many columns
operator_product <- function(s, columns) {
  product <- data_product(s, columns)
  if (s$kind == "moments") product else 2 * product
}

# the leading eigenpairs, of S or of Xc Xc', see eigen/leading: about fifteen products with a
# block of vectors
leading_needs <- function(s, m) {
  formed <- operator_sizes(s)
  forming <- if (formed$kind != s$kind) feature_gram(s) else work()
  order <- if (formed$kind == "moments") s$d else s$side
  block <- min(order, max(m + 8, 1.4 * m))
  forming + room(2 * s$d * min(m, order)) + if (order <= max(256, block)) {
    (if (formed$kind == "moments") work() else smaller_gram(s)) +
      room(3 * order^2) + work(numbers = order^3)
  } else if (formed$kind != "moments" && s$n < s$d && s$n <= 6000) {
    sample_gram(s) + room(6 * s$n * block) + work(15 * s$n^2 * block)
  } else {
    wide <- takes_wide_products(s)
    if (wide) block <- max(block, 32)
    repeated(operator_product(formed, block), if (wide) 30 else 15) +
      room((if (wide) 15 * s$d else 6 * (s$n + s$d)) * block)
  }
}

# the leading eigenvalues that a default dimension goes by, and the vectors; those asked for
spectrum_needs <- function(s) {
  asked <- intersect(c("m", "clusters"), s$given)
  leading_needs(s, if (length(asked) > 0) s[[asked[1]]] else spectrum_length)
}

# the smallest eigenpairs of a matrix of some order, by products with its inverse
inverse_needs <- function(order, m) work(4 / 3 * order^3 + 40 * order^2 * (m + 8))

# ---- graphs of the samples ------------------------------------------------------------

# exact nearest neighbours; rows of sparse data meet in groups
neighbour_needs <- function(s, k = s$neighbours) {
  products <- if (s$sparse) {
    work(numbers = min(s$stored * s$n, 2 * s$stored^2 / s$d) / 3)
  } else {
    work(s$n^2 * s$d)
  }
  products + work(numbers = 6 * s$n^2) +
    room(3 * s$n * max(k) + min(256, s$n) * (s$n + 2 * s$d))
}

# the smallest eigenpairs of a Laplacian with k neighbours: six blocks of vectors
embedding_needs <- function(s, m) {
  wide <- min(s$n, max(m + 8, 1.4 * m))
  room(6 * s$n * wide) + work(numbers = 10 * s$n * (2 * max(s$neighbours) + 11) * wide)
}

# differences of all features along the edges
edge_needs <- function(s) room(64 * s$n) + work(numbers = 2 * s$stored * max(s$neighbours))

# ---- regressions ------------------------------------------------------------------------

# a system of equations of the order of the smaller side, and the coefficients of
# `columns` responses; `weights` of the samples make the Gram matrix of features anew
ridge_needs <- function(s, columns, times, weights = FALSE) {
  gram <- smaller_gram(s)
  factor <- work(s$side^3 / 3 + s$side^2 * columns) + room(s$side^2)
  anew <- if (s$d > s$n || weights) times else 1
  repeated(gram, anew) + repeated(factor, times) + room(4 * columns * (s$d + s$n)) +
    repeated(data_product(s, columns), 2 * times)
}
