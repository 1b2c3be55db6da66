# How firmly a ranking stands at rank k. Rounding differs between machines and BLAS libraries, and a
# solver enlarges it by the condition of the problem: scores closer than this share of the largest
# are tied.
rounding_share <- sqrt(.Machine$double.eps)

# list(k, margin, relative, tied): the features whose order, among the first k or across the
# boundary, rounding could change
fragility <- function(fit, k) {
  fit <- unit_view(fit)
  found <- if (is.null(fit$margins)) fragility_of_scores(fit, k) else fragility_of_entry(fit, k)
  found$tied <- feature_labels(fit, found$tied)
  c(list(k = k), found)
}

fragility_of_scores <- function(fit, k) {
  # included features lead the ranking whatever their score
  locked <- length(fit$included)
  at <- k - locked
  if (at < 1L) {
    return(list(margin = NA_real_, relative = NA_real_, tied = integer()))
  }
  scores <- unname(or_default(fit$gains, fit$scores)[fit$ranking])
  scores <- utils::tail(pmax(ifelse(is.na(scores), 0, scores), 0), length(scores) - locked)
  margin <- if (at < length(scores)) scores[at] - scores[at + 1] else NA_real_
  # chains of near-equal scores that begin among the first k
  apart <- abs(diff(scores)) > rounding_share * max(abs(scores)) | scores[-1] == 0
  chain <- cumsum(c(TRUE, apart))
  touching <- chain <= chain[at] & chain %in% chain[duplicated(chain)] & scores > 0
  list(
    margin = margin, relative = if (scores[at] > 0) margin / scores[at] else NA_real_,
    tied = fit$ranking[locked + which(touching)]
  )
}

# The same where features entered one at a time, each ahead of the next best by a margin
fragility_of_entry <- function(fit, k) {
  place <- min(k, length(fit$margins))
  value <- fit$objective[seq_along(fit$margins) + 1L]
  close <- fit$margins <= rounding_share * abs(value)
  list(
    margin = fit$margins[place], relative = fit$margins[place] / value[place],
    tied = fit$ranking[which(close[seq_len(place)])]
  )
}

# the rank at which a fit is judged unless the user says another
default_rank <- function(fit) {
  fit <- unit_view(fit)
  if (is.null(fit$selected)) max(1L, min(10L, sum(fit$scores > 0))) else length(fit$selected)
}
