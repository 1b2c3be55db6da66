# The redundancy guard: walk down a ranking and skip every feature that those taken before
# reproduce. A feature is reproduced by the t features taken before it if the adjusted share of its
# variance that a regression on them explains,
#     1 - (RSS / (f - t)) / (TSS / f),   f = n - 1 (n - levels of a block),
# is at least the threshold. The adjustment keeps t features of n samples from explaining anything
# by their number alone; with t >= f nothing can be said, and nothing is skipped.

# columns read together
diverse_block <- 64L

diverse_features <- function(data, ranking, k, threshold) {
  degrees <- degrees_of_freedom(data)
  taken <- copies <- skipped <- integer()
  columns <- NULL
  R <- matrix(0, 0, 0) # R'R are the cross-products of the features taken
  for (at in seq_along(ranking)) {
    if (length(taken) + length(copies) == k) break
    j <- ranking[at]
    within <- (at - 1L) %% diverse_block + 1L
    if (within == 1L) {
      near <- ranking[at:min(at + diverse_block - 1L, length(ranking))]
      block <- if (data$kind != "moments") centred_columns(data, near)
    }
    own <- block[, within, drop = FALSE]
    t <- length(taken)
    total <- residual <- drop(cross_block(data, j, own, j, own))
    if (t > 0L && t < degrees) {
      known <- backsolve(R, cross_block(data, taken, columns, j, own), transpose = TRUE)
      residual <- total - sum(known^2)
    }
    if (j %in% data$locked) {
      if (residual <= 1e-10 * total) {
        copies <- c(copies, j)
        next
      }
    } else if (t < degrees && (residual <= 1e-10 * total ||
      1 - (residual / (degrees - t)) / (total / degrees) >= threshold)) {
      skipped <- c(skipped, j)
      next
    }
    if (t < degrees) {
      R <- rbind(cbind(R, if (t > 0L) known), c(numeric(t), sqrt(residual)))
      columns <- cbind(columns, own)
    }
    taken <- c(taken, j)
  }
  taken <- ranking[ranking %in% c(taken, copies)]
  filled <- utils::head(skipped, k - length(taken))
  list(selected = c(taken, filled), skipped = setdiff(skipped, filled), filled = length(filled))
}

cross_block <- function(data, rows, A, columns, B) {
  if (data$kind == "moments") cross_products(data, rows, columns) else crossprod(A, B)
}
