# How firmly a ranking stands at rank k. Rounding differs between machines and
# BLAS libraries; a solver passes it on, enlarged by the condition of the
# problem. Scores closer than sqrt(machine epsilon) times the largest score are
# tied.
rounding_share <- sqrt(.Machine$double.eps)

# list(k, margin, relative, tied): `tied` are the columns whose order,
# among the first k or across the boundary, could flip
fragility <- function(fit, k) {
  fit <- unit_view(fit)
  if (!is.null(fit$margins)) {
    return(fragility_of_entry(fit, k))
  }
  # what is locked in leads the ranking, whatever its score
  locked <- length(fit$included)
  scores <- utils::tail(ranked_strength(fit), length(fit$ranking) - locked)
  at <- k - locked
  if (at < 1L) {
    return(list(k = k, margin = NA_real_, relative = NA_real_, tied = integer()))
  }
  last <- sum(scores > 0)
  margin <- if (at < length(scores)) scores[at] - scores[at + 1] else NA_real_
  close <- rounding_share * max(abs(scores))
  reach <- seq_len(max(0, min(last, length(scores) - 1)))
  tied <- reach[abs(scores[reach] - scores[reach + 1]) <= close]
  # chains of near-equal scores that touch the first k
  chain <- cumsum(c(TRUE, !(seq_along(scores)[-1] - 1L) %in% tied))
  touching <- chain <= chain[at] & chain %in% chain[duplicated(chain)]
  list(
    k = k, margin = margin, relative = if (scores[at] > 0) margin / scores[at] else NA_real_,
    tied = fit$ranking[locked + which(touching & scores > 0)]
  )
}

# where features entered one at a time, each ahead of the next best by a margin
fragility_of_entry <- function(fit, k) {
  place <- min(k, length(fit$margins))
  value <- fit$objective[seq_along(fit$margins) + 1L]
  close <- fit$margins <= rounding_share * abs(value)
  list(
    k = k, margin = fit$margins[place], relative = fit$margins[place] / value[place],
    tied = fit$ranking[which(close[seq_len(place)])]
  )
}

named_fragility <- function(fit, k) {
  fragile <- fragility(fit, k)
  fragile$tied <- feature_labels(unit_view(fit), fragile$tied)
  fragile
}

# Scores in rank order; where a method has gains, these are what counts
ranked_strength <- function(fit) {
  strength <- unname(or_default(fit$gains, fit$scores)[fit$ranking])
  strength[is.na(strength)] <- 0
  pmax(strength, 0)
}

# the rank at which a fit is judged when the user does not say
default_rank <- function(fit) {
  fit <- unit_view(fit)
  if (!is.null(fit$selected)) {
    return(length(fit$selected))
  }
  max(1L, min(10L, sum(fit$scores > 0)))
}
