# The stability of repeated selections (Nogueira, Sechidis and Brown 2018,
# Journal of Machine Learning Research 18(174), 1-54).
#
# Z is a 0/1 matrix, one row per run, one column per feature. With p_f the
# frequency of feature f, kbar the mean number of features selected, and M runs
#     stability = 1 - mean_f( M/(M-1) p_f (1 - p_f) ) / ( kbar/d (1 - kbar/d) ):
# 1 when all runs agree, 0 in expectation when they choose at random. Its
# variance comes from the contribution phi_i of every run (theorem 7 there),
#     v = 4/M^2 sum_i (phi_i - mean(phi))^2,
# and the interval is the normal one. When no run, or every run, selects all
# there is, the index is undefined: NA. Columns of features that no run selects
# may be left out of Z when d, the number of all features, is given.
nogueira_stability <- function(Z, level = 0.95, d = ncol(Z)) {
  Z <- check_selection_matrix(Z)
  runs <- nrow(Z)
  frequency <- colMeans(Z)
  sizes <- rowSums(Z) / d
  mean_size <- mean(sizes)
  chance <- mean_size * (1 - mean_size)
  if (chance == 0) {
    return(list(stability = NA_real_, variance = NA_real_, lower = NA_real_, upper = NA_real_))
  }
  disagreement <- runs / (runs - 1) * sum(frequency * (1 - frequency)) / d
  stability <- 1 - disagreement / chance
  phi <- (drop(Z %*% frequency) / d - sizes * mean_size +
            stability / 2 * (2 * sizes * mean_size - sizes - mean_size + 1)) / chance
  variance <- 4 / runs^2 * sum((phi - mean(phi))^2)
  half_width <- stats::qnorm((1 + level) / 2) * sqrt(variance)
  list(stability = stability, variance = variance,
       lower = stability - half_width, upper = stability + half_width)
}

# The 0/1 matrix of selections given as a list of index vectors
selection_matrix <- function(selections, d) {
  Z <- matrix(0, length(selections), d)
  Z[cbind(rep(seq_along(selections), lengths(selections)), unlist(selections))] <- 1
  Z
}

check_selection_matrix <- function(Z) {
  if (!is.matrix(Z) || !(is.numeric(Z) || is.logical(Z)) || !all(Z %in% c(0, 1))) {
    stop_rowsparse("type", "Z", "must be a matrix of zeros and ones", describe(Z))
  }
  if (nrow(Z) < 2) {
    stop_rowsparse("range", "Z", "must have at least 2 rows (runs)", sprintf("%d", nrow(Z)))
  }
  Z + 0
}
