# Numbers of groups, 0 where a feature is alone. Features belong together where what their
# directions differ by, up to the sign, is shorter than sqrt(2 share): correlations of about
# 1 - share and more. Its length comes from its projections on fixed directions, as in a sketch.
near_copies <- function(data, share = 1e-6, directions = 32L) {
  group <- integer(data$d)
  open <- which(!data$constant & data$square > 0)
  if (length(open) < 2L || is_sketch(data)) {
    return(group)
  }
  linked <- if (data$kind == "moments") {
    linked_by_products(data, open, share)
  } else {
    linked_by_projections(data, open, share, directions)
  }
  # each feature takes the smallest number that it is linked to, until none changes
  label <- seq_along(open)
  repeat {
    least <- pmin(label[linked$a], label[linked$b])
    before <- label
    for (side in linked[c("a", "b")]) {
      lower <- tapply(least, side, min)
      at <- as.integer(names(lower))
      label[at] <- pmin(label[at], as.integer(lower))
    }
    if (identical(label, before)) break
  }
  shared <- label[duplicated(label)]
  group[open] <- match(label, unique(shared), nomatch = 0L)
  group
}

linked_by_products <- function(data, open, share) {
  length <- sqrt(data$square[open])
  S <- data$S[open, open, drop = FALSE]
  at <- which(abs(S) >= (1 - share) * outer(length, length) & upper.tri(S), arr.ind = TRUE)
  list(a = unname(at[, 1]), b = unname(at[, 2]))
}

linked_by_projections <- function(data, open, share, directions) {
  Y <- fixed_directions(data$n, directions)
  P <- .Call(C_cross, unclass(data), Y, ncol(Y))[open, , drop = FALSE] / sqrt(data$square[open])
  P <- P * ifelse(P[, 1] < 0, -1, 1)
  order <- order(P[, 1])
  sorted <- P[order, , drop = FALSE]
  # six standard deviations of one projection
  reach <- findInterval(sorted[, 1] + 6 * sqrt(2 * share), sorted[, 1])
  pairs <- lapply(which(reach > seq_along(reach)), function(i) {
    others <- (i + 1L):reach[i]
    apart <- rowMeans(sweep(sorted[others, , drop = FALSE], 2, sorted[i, ])^2)
    near <- others[apart <= 2 * share]
    cbind(rep(order[i], length(near)), order[near])
  })
  at <- do.call(rbind, c(list(matrix(0L, 0, 2)), pairs))
  list(a = at[, 1], b = at[, 2])
}

# directions (n x count) whose entries have mean 0 and variance 1
fixed_directions <- function(n, count) {
  matrix(.Call(C_quasi_random, n * count, 1L), n) * sqrt(3)
}
