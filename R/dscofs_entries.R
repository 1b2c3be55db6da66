# Principal components of exactly k features with at most s nonzero loadings, both held exactly:
# the components are divided into blocks, and no feature serves two of them.

# list(k, m, s, work): what the search is told, beside the data
check_entries <- function(entries, k, m) {
  if (!is_count(entries) || entries < k || entries > as.double(k) * m) {
    stop_rowsparse("range", "entries",
      sprintf("must be a whole number from %d to %.0f (k to k m)", k, as.double(k) * m),
      describe(entries)
    )
  }
  as.double(entries)
}

# arguments of the other problem
check_entries_alone <- function(call) {
  for (name in c("alpha", "mu1", "mu2", "solver")) {
    if (!is.null(call[[name]])) {
      stop_rowsparse("argument", name, "must be left out with `entries`", describe(call[[name]]))
    }
  }
}

new_dscofs_entries <- function(problem, s, call, started) {
  data <- problem$data
  problem$s <- s
  found <- lowest_end(blocked_begins(problem), function(begin) {
    fit_blocks(begin$contribution, begin$sizes, problem)
  })
  # of the several that begin with one start, the lowest
  ends <- vapply(unique(names(found$ends)), function(name) {
    min(found$ends[names(found$ends) == name])
  }, 0)
  fit <- found$fit
  selected <- which(fit$owner > 0L)
  scores <- scores_of_blocks(fit, data)
  selected <- selected[order_features(scores[selected], data$square[selected])]
  captured <- colSums(fit$W * fit[["product"]])
  ahead <- order(-captured)
  W <- fit$W[, ahead, drop = FALSE]
  new_fit("dscofs", data,
    scores = scores, selected = selected, loadings = W, objective = fit$objective,
    iterations = length(fit$objective) - 1L, converged = fit$converged, status = fit$status,
    explained = explained_by(selected, problem$operator),
    parameters = c(
      list(m = problem$m, k = problem$k, entries = s, normalize = problem$normalize),
      list(start = found$start), problem$drawn, problem$control
    ),
    call = call, started = started, verbose = problem$control$verbose,
    polished = polished_basis(problem$operator, data, selected, problem$m),
    W = per_feature(W, data), values = captured[ahead],
    captured = sum(captured) / data_trace(data),
    division = match(fit$block[ahead], unique(fit$block[ahead])), ends = ends
  )
}

# what the features contribute to the components of their blocks, as in fspca(); all others to
# those of the block where they would contribute most
scores_of_blocks <- function(fit, data) {
  best <- do.call(pmax, as.data.frame(fit$contribution))
  chosen <- which(fit$owner > 0L)
  best[chosen] <- fit$contribution[cbind(chosen, fit$owner[chosen])]
  # no other is ranked before these
  best[-chosen] <- pmin(best[-chosen], min(best[chosen]))
  best
}

# Where a search begins: squared loadings of the starts and of their varimax rotations, with a
# block for each component, and with blocks of as many as every feature may serve
blocked_begins <- function(problem) {
  m <- problem$m
  wide <- problem$s %/% problem$k
  sizes <- unique(list(rep(1L, m), c(rep(wide, m %/% wide), m %% wide)))
  sizes <- lapply(sizes, function(size) size[size > 0])
  begins <- list()
  for (name in names(problem$begins)) {
    V <- problem$begins[[name]]
    turned <- if (m > 1L) stats::varimax(V, normalize = FALSE, eps = 1e-10)$loadings
    for (basis in c(list(V), if (m > 1L) list(unclass(turned)))) {
      for (size in sizes) {
        of_block <- rep(seq_along(size), size)
        begin <- list(contribution = summed_columns(basis^2, of_block), sizes = size)
        begins <- c(begins, stats::setNames(list(begin), name))
      }
    }
  }
  begins
}

summed_columns <- function(A, group) {
  vapply(seq_len(max(group)), function(g) rowSums(A[, group == g, drop = FALSE]), A[, 1])
}

# ---- the search --------------------------------------------------------------

# Which block a feature serves, 0 for none: k features with a large sum of `contribution`, in each
# block at least as many as it has components, and a price on entries so that there are at most s,
# where that can be. The sum is the largest where a feature costs the same in all blocks and none
# lacks features.
assign_blocks <- function(contribution, sizes, problem) {
  assign <- function(price) {
    place_features(contribution, contribution - rep(price * sizes, each = problem$data$d), sizes,
      problem
    )
  }
  fits <- function(owner) sum(sizes[owner]) <= problem$s
  owner <- assign(0)
  if (fits(owner)) {
    return(owner)
  }
  prices <- c(0, max(contribution) + 1)
  for (round in 1:40) {
    middle <- mean(prices)
    prices[1L + fits(assign(middle))] <- middle
  }
  assign(prices[2])
}

# every feature to the block of the best offer; where a block lacks features, its best ones first
place_features <- function(contribution, offer, sizes, problem) {
  data <- problem$data
  target <- largest_column(offer)
  best <- offer[cbind(seq_len(data$d), target)]
  ranked <- include_first(order_features(best, data$square), data)
  fixed <- integer(data$d)
  repeat {
    rest <- ranked[fixed[ranked] == 0L]
    rest <- utils::head(rest, problem$k - sum(fixed > 0L))
    owner <- fixed
    owner[rest] <- target[rest]
    lacking <- which(tabulate(owner, length(sizes)) < sizes)
    if (length(lacking) == 0L) {
      return(owner)
    }
    b <- lacking[1]
    free <- which(fixed == 0L)
    own <- free[order_features(contribution[free, b], data$square[free])]
    fixed[utils::head(include_first(own, data), sizes[b])] <- b
  }
}

# Feature sets, eigenpairs and contributions of blocks: contribution (d x blocks) is the diagonal
# of S W (W'SW)^+ W'S of each block, whose sum over a set is never above the sum of its leading
# eigenvalues, and equal to it for the set that W is of
blocks_at <- function(owner, sizes, problem) {
  data <- problem$data
  m <- sum(sizes)
  block <- rep(seq_along(sizes), sizes)
  W <- matrix(0, data$d, m)
  values <- numeric(m)
  for (b in seq_along(sizes)) {
    leading <- leading_of_rows(which(owner == b), sizes[b], problem)
    W[owner == b, block == b] <- leading$vectors
    values[block == b] <- leading$values
  }
  product <- .Call(C_covop, unclass(problem$operator), W)$product
  weight <- ifelse(values > rank_share(data$d) * max(values), 1 / values, 0)
  contribution <- summed_columns(product^2 * rep(weight, each = data$d), block)
  list(
    owner = owner, sizes = sizes, block = block, W = W, product = product,
    contribution = contribution, value = sum(values)
  )
}

leading_of_rows <- function(rows, size, problem) {
  .Call(C_subpca, unclass(problem$operator), rows, size)
}

value_of_rows <- function(rows, size, problem) {
  sum(pmax(leading_of_rows(rows, size, problem)$values, 0))
}

# above by more than rounding
is_above <- function(value, than) value > than * (1 + 1e-11)

# From a first assignment until no step has a larger value: all features anew, blocks that join,
# single features. No step lowers it, and no point has more rows or entries than are allowed.
fit_blocks <- function(contribution, sizes, problem) {
  at <- blocks_at(assign_blocks(contribution, sizes, problem), sizes, problem)
  values <- at$value
  status <- "iteration limit"
  steps <- list(reassign_all, join_blocks, exchange_single)
  while (length(values) <= problem$control$maxit) {
    better <- NULL
    for (step in steps) {
      better <- step(at, problem)
      if (!is.null(better)) break
    }
    if (is.null(better)) {
      status <- "converged"
      break
    }
    at <- better
    values <- c(values, at$value)
  }
  scale <- operator_factor(problem$data, problem$normalize)
  c(at, list(
    objective = -scale * values, converged = status == "converged", status = status
  ))
}

# the next point, or NULL where it would not be better
reassign_all <- function(at, problem) {
  owner <- assign_blocks(at$contribution, at$sizes, problem)
  if (identical(owner, at$owner) || sum(at$sizes[owner]) > problem$s) {
    return(NULL)
  }
  better <- blocks_at(owner, at$sizes, problem)
  if (is_above(better$value, at$value)) better
}

# the two blocks that gain most by sharing their features, where the entries allow it
join_blocks <- function(at, problem) {
  count <- tabulate(at$owner, length(at$sizes))
  used <- sum(count * at$sizes)
  values <- block_values(at)
  best <- NULL
  for (a in seq_along(count)) {
    for (b in seq_len(a - 1L)) {
      more <- count[a] * at$sizes[b] + count[b] * at$sizes[a]
      if (used + more > problem$s) next
      rows <- which(at$owner %in% c(a, b))
      gain <- value_of_rows(rows, at$sizes[a] + at$sizes[b], problem) - values[a] - values[b]
      if (is.null(best) || is_above(gain, best$gain)) best <- list(gain = gain, a = a, b = b)
    }
  }
  if (is.null(best) || !is_above(at$value + best$gain, at$value)) {
    return(NULL)
  }
  owner <- at$owner
  owner[owner == best$a] <- best$b
  sizes <- at$sizes
  sizes[best$b] <- sizes[best$b] + sizes[best$a]
  blocks_at(owner - (owner > best$a), sizes[-best$a], problem)
}

block_values <- function(at) drop(rowsum(colSums(at$W * at$product), at$block))

# One feature for another, or from one block to another: the promising moves are looked at in
# turn, and the first that leads higher is taken
exchange_single <- function(at, problem, most = 60L) {
  moves <- promising_moves(at, problem)
  values <- block_values(at)
  for (row in utils::head(seq_len(nrow(moves)), most)) {
    move <- moves[row, ]
    owner <- at$owner
    owner[move[["out"]]] <- 0L
    owner[move[["into"]]] <- as.integer(move[["block"]])
    changed <- unique(c(at$owner[move[["out"]]], as.integer(move[["block"]])))
    found <- vapply(changed, function(b) {
      value_of_rows(which(owner == b), at$sizes[b], problem)
    }, 0)
    if (is_above(at$value + sum(found) - sum(values[changed]), at$value)) {
      better <- blocks_at(owner, at$sizes, problem)
      if (is_above(better$value, at$value)) {
        return(better)
      }
    }
  }
  NULL
}

# out, into, block: a feature that leaves, one that takes its place and the block that this one
# serves (the same feature: it goes to another block), by what the contributions promise
promising_moves <- function(at, problem, width = 12L) {
  chosen <- which(at$owner > 0L)
  own <- at$contribution[cbind(chosen, at$owner[chosen])]
  count <- tabulate(at$owner, length(at$sizes))
  leaving <- setdiff(chosen[order(own)], problem$data$locked)
  out <- utils::head(leaving, 2L * width)
  blocks <- seq_along(at$sizes)
  others <- setdiff(seq_along(at$owner), chosen)
  moves <- do.call(rbind, lapply(blocks, function(b) {
    into <- utils::head(others[order(-at$contribution[others, b])], width)
    rbind(
      expand.grid(out = out, into = into, block = b),
      data.frame(out = chosen, into = chosen, block = b)[at$owner[chosen] != b, ]
    )
  }))
  from <- at$owner[moves$out]
  cost <- sum(count * at$sizes) - at$sizes[from] + at$sizes[moves$block]
  allowed <- cost <= problem$s & (from == moves$block | count[from] > at$sizes[from])
  promise <- at$contribution[cbind(moves$into, moves$block)] -
    at$contribution[cbind(moves$out, from)]
  moves <- as.matrix(moves)
  moves[order(-tie_level(promise))[allowed[order(-tie_level(promise))]], , drop = FALSE]
}
