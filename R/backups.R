# What could stand in for each feature of a panel that may fail: backups, outside of the panel and
# all different, see the section of the help of alternatives().

# By feature of the whole: list(feature, restored), NA where there is none
backups_of <- function(problem) {
  data <- problem$data
  d <- view_of(data)$d
  out <- list(feature = rep(NA_integer_, d), restored = rep(NA_real_, d))
  if (!is.null(problem$groups)) {
    return(out)
  }
  set <- problem$set
  r <- correlations_with(data, set)
  explained <- explained_shares(problem)
  restored <- if (is.null(explained)) r^2 else (r^2 + explained) / 2
  restored[!may_back(problem, r)] <- NA
  backup <- distinct_largest(restored, r)
  at <- outer_index(set, data)
  out$feature[at] <- outer_index(backup, data)
  out$restored[at] <- restored[cbind(backup, seq_along(set))]
  out
}

# May the feature (row) be the backup of the member (column)? None of the panel, no constant one, no
# copy of another member, and none that the rules rule out as an exchange
may_back <- function(problem, r) {
  set <- problem$set
  usable <- !problem$data$constant & !seq_len(nrow(r)) %in% set
  copies <- abs(r) > 1 - tie_share
  vapply(seq_along(set), function(i) {
    own <- usable & rowSums(copies[, -i, drop = FALSE]) == 0
    if (!is.null(problem$rules)) {
      sets <- matrix(set, length(set), nrow(r))
      sets[i, ] <- seq_len(nrow(r))
      own <- own & obey_the(problem$rules, sets)
    }
    own
  }, logical(nrow(r)))
}

# Squared correlations, features by members, with what regression on the response explains of each
# member: for x'Py from X'Y and Y'Y. NULL without a response, or with one of a likelihood that has
# no classes.
explained_shares <- function(problem) {
  of_glm <- problem$method == "rowsparse_glm"
  if (!needs_response(problem$entry) || (of_glm && problem$response$family != "multinomial")) {
    return(NULL)
  }
  data <- in_binary_units(problem$data)
  response <- prepare_response(data, problem$x, problem$y)
  if (!is.null(response[["Y"]])) {
    response$YtY <- crossprod(response$Y)
    response <- crossed_response(response, data)
  }
  spectrum <- eigen(response$YtY, symmetric = TRUE)
  kept <- spectrum$values > 1e-10 * spectrum$values[1]
  root <- t(spectrum$vectors[, kept, drop = FALSE]) / sqrt(spectrum$values[kept])
  part <- response$B %*% t(root) / ifelse(data$constant, Inf, sqrt(data$square))
  own <- part[problem$set, , drop = FALSE]
  tcrossprod(part, own / pmax(sqrt(rowSums(own^2)), tie_share))^2
}

# Of each column the row of its largest value, all different where possible: of all pairs the
# largest first, ties by `second`. NA are no pairs.
distinct_largest <- function(value, second) {
  k <- ncol(value)
  level <- matrix(step_level(-value, 1e-9), nrow(value))
  level[is.na(value)] <- NA
  best <- lapply(seq_len(k), function(i) {
    utils::head(order(level[, i], -abs(second[, i]), na.last = NA), k)
  })
  pairs <- cbind(unlist(best), rep(seq_len(k), lengths(best)))
  out <- vapply(best, `[`, 0L, 1L) # shared where none is left
  open <- rep(TRUE, k)
  taken <- integer()
  for (at in order(level[pairs], -abs(second[pairs]))) {
    i <- pairs[at, 2]
    if (open[i] && !pairs[at, 1] %in% taken) {
      taken <- c(taken, out[i] <- pairs[at, 1])
      open[i] <- FALSE
    }
  }
  out
}
