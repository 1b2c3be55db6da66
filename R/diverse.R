# The redundancy guard: walk down a ranking and skip every feature that those
# taken before reproduce.
#
# A feature x is reproduced by the t features T taken before it when the
# adjusted share of its variance that a regression on T explains,
#     1 - (RSS / (f - t)) / (TSS / f),   f = n - 1 (n - levels of a block),
# is at least the threshold. The adjustment keeps t features of n samples from
# explaining anything by their number alone; with t >= f nothing can be said, and
# nothing is skipped.

# columns examined together
diverse_block <- 64L

diverse_features <- function(data, ranking, k, threshold) {
  state <- list(
    taken = integer(), copies = integer(), skipped = integer(), R = matrix(0, 0, 0),
    columns = NULL
  )
  at <- 0L
  while (length(state$taken) + length(state$copies) < k && at < length(ranking)) {
    block <- ranking[seq.int(at + 1L, min(at + diverse_block, length(ranking)))]
    state <- take_block(state, data, block, k, threshold)
    at <- at + length(block)
  }
  taken <- ranking[ranking %in% c(state$taken, state$copies)]
  missing <- k - length(taken)
  filled <- utils::head(state$skipped, missing)
  list(
    selected = c(taken, filled), skipped = setdiff(state$skipped, filled),
    filled = length(filled)
  )
}

# With F the factor of the taken features' cross-products (F'F = S_TT) and
# L = F'^{-1} S_TB, the residual cross-products of the block are S_BB - L'L.
take_block <- function(state, data, block, k, threshold) {
  candidates <- centred_block(data, block)
  G <- cross_block(data, block, candidates, block, candidates)
  total <- diag(G)
  if (length(state$taken) %in% seq_len(degrees_of_freedom(data) - 1L)) {
    known <- cross_block(data, state$taken, state$columns, block, candidates)
    L <- backsolve(state$R, known, transpose = TRUE)
    G <- G - crossprod(L)
  }
  before <- length(state$taken)
  accepted <- integer()
  for (j in seq_along(block)) {
    taken <- before + length(accepted)
    if (taken + length(state$copies) == k) break
    locked <- block[j] %in% data$locked
    degrees <- degrees_of_freedom(data)
    if (locked && G[j, j] <= 1e-10 * total[j]) {
      state$copies <- c(state$copies, block[j])
    } else if (!locked && is_reproduced(G[j, j], total[j], taken, degrees, threshold)) {
      state$skipped <- c(state$skipped, block[j])
    } else {
      accepted <- c(accepted, j)
      # the residuals of the later ones lose their part along this one's
      if (G[j, j] > 0) G <- G - tcrossprod(G[, j] / sqrt(G[j, j]))
    }
  }
  append_taken(state, data, block, candidates, accepted, k)
}

is_reproduced <- function(residual, total, taken, degrees, threshold) {
  if (taken >= degrees) {
    return(FALSE)
  }
  residual <= 1e-10 * total ||
    1 - (residual / (degrees - taken)) / (total / degrees) >= threshold
}

# taken features with their columns and the factor R of their cross-products
append_taken <- function(state, data, block, candidates, accepted, k) {
  if (length(accepted) == 0) {
    return(state)
  }
  new <- block[accepted]
  state$columns <- cbind(state$columns, candidates[, accepted, drop = FALSE])
  state$taken <- c(state$taken, new)
  if (length(state$taken) < min(k, degrees_of_freedom(data))) {
    S <- cross_block(data, state$taken, state$columns, state$taken, state$columns)
    state$R <- chol(S)
  }
  state
}

# centred columns; moments need none
centred_block <- function(data, columns) {
  if (data$kind == "moments") {
    return(NULL)
  }
  centred_columns(data, columns)
}

cross_block <- function(data, rows, A, columns, B) {
  if (data$kind == "moments") cross_products(data, rows, columns) else crossprod(A, B)
}
