# What a fit needs, told from sizes alone: the memory beyond the data in bytes, work of
# a few kinds, whose rates differ by orders of magnitude (see speed.R), and passes over
# row blocks. Each descriptor has `needs`, a function of sizes that adds up the parts
# below; the refusal of what does not fit and rowsparse_cost() both go by it.
#   product   multiplications in products of matrices (BLAS 3, Cholesky factors)
#   read      numbers of dense data that a product with few columns goes through
#   sparse    multiplications with the numbers of a sparse matrix
#   eigen     cube of the order of a symmetric matrix whose eigenpairs are all computed
#   moved     numbers that go through simple arithmetic
#   passes    over the blocks
# Sizes are a list: n, d, stored (numbers that are stored), kind (of the data, see
# as_data()), sparse (are they, or their blocks?), side = min(n, d), copy (numbers of the
# centred copy), tall (rows of the largest block), levels (of the factor within which data are
# centred), as (how methods take them), room (bytes of the machine), and what is asked for: k,
# m, clusters, classes, neighbours, threads, iterations, and other arguments of the method by
# name.
need <- function(memory = 0, product = 0, read = 0, sparse = 0, eigen = 0, moved = 0,
                 passes = 0) {
  c(
    memory = memory, product = product, read = read, sparse = sparse, eigen = eigen,
    moved = moved, passes = passes
  )
}

# all of it, held at the same time
together <- function(...) Reduce(`+`, list(...))

# again and again in the same room
repeated <- function(needs, times) {
  c(needs["memory"], needs[-1] * times)
}

in_room <- function(numbers) need(memory = 8 * numbers)

# what as_data() and the first product make of the data: statistics, a centred copy
reading_needs <- function(s) {
  block <- if (s$kind == "blocks") 3 * s$tall / s$n * data_bytes(s) / 8 else 0
  together(
    in_room(s$copy + (5 + s$levels) * s$d + block),
    need(moved = (if (s$sparse) 60 else 8) * s$stored, passes = 1)
  )
}

# ---- products with the data ---------------------------------------------------------

# The data, or their transpose, times a matrix of so many columns. To come by a number of
# sparse data takes as long as multiplying it eight times; the rate is that of two columns.
data_product <- function(s, columns = 1) {
  if (s$sparse) {
    return(need(sparse = s$stored * (8 + columns) / 5, passes = 1))
  }
  rows <- if (s$kind == "moments") s$d else s$n
  need(product = rows * s$d * columns, read = rows * s$d, passes = 1)
}

# Xc'Xc, d x d
feature_gram <- function(s) {
  room <- in_room(s$d^2)
  together(room, if (s$kind == "moments") {
    need()
  } else if (s$sparse) {
    need(sparse = s$stored * s$stored / s$n / 2, moved = 4 * s$d^2, passes = 1)
  } else {
    need(product = s$n * s$d^2 / 2, passes = 1)
  })
}

# Xc Xc', n x n: a sparse column meets itself, blocks meet in pairs
sample_gram <- function(s) {
  together(in_room(s$n^2), if (s$sparse) {
    need(sparse = unevenness * s$stored^2 / s$d / 2, moved = s$n^2, passes = 1)
  } else {
    need(product = s$n^2 * s$d / 2, passes = (s$n / max(1, s$tall) + 1) / 2)
  })
}

# by the cheaper side
smaller_gram <- function(s) if (s$d <= s$n) feature_gram(s) else sample_gram(s)

# ---- the covariance -----------------------------------------------------------------

# the sizes with which its operator works: those of moments where S is formed, by the
# rule of as_operator()
operator_sizes <- function(s, columns = spectrum_length, iterations = 50) {
  if (forms_operator(s, columns, iterations)) as_formed(s) else s
}

as_formed <- function(s) {
  utils::modifyList(s, list(kind = "moments", copy = 0, sparse = FALSE))
}

forms_operator <- function(s, columns, iterations) {
  if (s$kind == "moments" || 8 * s$d^2 > s$room / 4) {
    return(FALSE)
  }
  products <- columns * iterations
  gram <- if (s$sparse) sparse_cost * (s$d^2 + s$stored^2 / s$n) else s$n * s$d^2
  thin <- 4 * products * if (s$sparse) sparse_cost * s$stored else s$n * s$d
  s$kind == "blocks" || (s$d <= 2 * s$n && gram + 2 * s$d^2 * products < thin)
}

# a multiplication with numbers of a sparse matrix beside one in a product of dense ones, as
# the C code weighs them
sparse_cost <- 20

forming_needs <- function(s, columns = spectrum_length) {
  if (forms_operator(s, columns, 50)) feature_gram(s) else need()
}

# S times a matrix of so many columns
operator_product <- function(s, columns) {
  product <- data_product(s, columns)
  if (s$kind == "moments") product else repeated(product, 2)
}

# the leading eigenpairs, of S or of Xc Xc'; see solve/leading. About fifteen products
# with a block of vectors are usual, in a basis of a few blocks, and single vectors where these
# are many.
leading_needs <- function(s, m) {
  formed <- operator_sizes(s, m)
  order <- if (formed$kind == "moments") s$d else s$side
  m <- min(m, order)
  block <- min(order, m + max(8, 0.4 * m))
  work <- if (order <= max(256, block)) {
    gram <- if (formed$kind == "moments") need() else smaller_gram(s)
    together(gram, need(eigen = order^3, memory = 24 * order^2))
  } else if (formed$kind != "moments" && s$n < s$d && s$n <= 6000) {
    together(sample_gram(s), need(product = 15 * s$n^2 * block, memory = 48 * s$n * block))
  } else {
    columns <- if (40 * block * s$stored > 3e11) 8 else block
    together(
      repeated(operator_product(formed, columns), 15), in_room(6 * (s$n + s$d) * block)
    )
  }
  rounds <- if (order > max(256, block)) need(eigen = 15 * min(order, 4 * block)^3) else need()
  together(forming_needs(s, m), work, rounds, in_room(2 * s$d * m))
}

# the leading eigenvalues that a default dimension goes by, and the vectors; those asked for
spectrum_needs <- function(s) {
  asked <- intersect(c("m", "clusters"), s$given)
  leading_needs(s, if (length(asked) > 0) s[[asked[1]]] else spectrum_length)
}

# the smallest eigenpairs of a matrix of some order, by products with its inverse
inverse_needs <- function(order, m) {
  need(product = 4 / 3 * order^3 + 40 * order^2 * (m + 8))
}

# ---- graphs of the samples ------------------------------------------------------------

# exact nearest neighbours, in one metric or more
neighbour_needs <- function(s, k = s$neighbours, metrics = 1) {
  k <- max(k)
  tile <- min(256, s$n) * (s$n + 2 * s$d)
  products <- if (s$sparse) {
    # a third of what products with few columns take, as rows meet by groups
    need(sparse = min(s$stored * s$n, unevenness * s$stored^2 / s$d) / 3)
  } else {
    need(product = s$n^2 * s$d)
  }
  together(products, need(
    memory = 24 * s$n * k + 8 * tile, moved = 6 * metrics * s$n^2,
    passes = 1 + 3 * ceiling(s$n / wide_tile(s))
  ))
}

# samples that a pass over row blocks is multiplied with, as graph/neighbours has it; their
# rows are read, the products, and the rows that are near once more
wide_tile <- function(s) min(s$n, max(16, 64e6 / (s$n + 3 * s$d)))

# the mean square of the numbers of entries per column beside the square of their mean
unevenness <- 2

# the smallest eigenpairs of a Laplacian with k neighbours: six blocks of vectors
embedding_needs <- function(s, m, k = s$neighbours) {
  wide <- min(s$n, m + max(8, 0.4 * m))
  need(memory = 48 * s$n * wide, sparse = 20 * s$n * (2 * max(k) + 1) * wide,
    moved = 100 * s$n * wide
  )
}

# differences of all features along the edges
edge_needs <- function(s, k = s$neighbours) {
  need(memory = 8 * 64 * s$n, moved = 2 * s$stored * max(k), passes = 2)
}

# ---- regressions ------------------------------------------------------------------------

# a system of equations of the order of the smaller side, and the coefficients of
# `columns` responses; `weights` of the samples make the Gram matrix of features anew
ridge_needs <- function(s, columns, times, weights = FALSE) {
  solved <- repeated(data_product(s, columns), 2)
  gram <- smaller_gram(s)
  factor <- need(product = s$side^3 / 3 + s$side^2 * columns, memory = 8 * s$side^2)
  kept <- s$d <= s$n && !weights
  together(
    if (kept) together(gram, repeated(factor, times)) else
      repeated(together(gram, factor), times),
    repeated(solved, times), in_room(columns * (4 * s$d + 4 * s$n))
  )
}
