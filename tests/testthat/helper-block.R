# samples of four batches of unequal size, shifted by batch; sparse ones have columns
# without holes, without entries in a batch, and full in one batch only
batches <- function(n = 41) factor(rep_len(c("b", "a", "a", "c", "d", "b", "a"), n))

shifted <- function(n = 41, d = 12, block = batches(n), sparse = FALSE, far = 3) {
  x <- matrix(stats::rnorm(n * d), n) * rep(stats::runif(d, 0.5, 2), each = n)
  if (sparse) {
    x[stats::runif(n * d) < 0.6] <- 0
    x[, 1] <- x[, 1] + far + stats::rnorm(n) / 10 # no holes
    x[block == "a", 2] <- 0 # no entries in one level
    x[block == "b", 3] <- far + stats::rnorm(sum(block == "b")) # full in one level
    x[x != 0] <- (x + outer(as.integer(block), seq_len(d) / d))[x != 0]
    return(x)
  }
  x + far * matrix(stats::rnorm(nlevels(block) * d), nlevels(block))[block, ]
}

within_levels <- function(x, block) x - rowsum(x, block)[block, ] / as.vector(table(block)[block])

# the data with the block taken out and the overall means kept
adjusted <- function(x, block) within_levels(x, block) + rep(colMeans(x), each = nrow(x))

kinds <- function(x) {
  sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
  uneven <- c(1L, 7L, 2L, nrow(x) - 11L, 1L)
  list(
    dense = x, sparse = sparse,
    blocks = row_blocks(
      function(i) x[seq.int(10 * (i - 1) + 1, min(10 * i, nrow(x))), , drop = FALSE],
      diff(c(seq.int(0, nrow(x) - 1, by = 10), nrow(x)))
    ),
    sparse_blocks = row_blocks(sparse, rows = uneven), uneven = row_blocks(x, rows = uneven)
  )
}
