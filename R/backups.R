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
  restored <- replace(r^2, !may_back(problem, r), NA)
  backup <- distinct_largest(restored)
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
  obeys <- if (is.null(problem$rules)) TRUE else exchanges_within(problem$rules, set, nrow(r))
  usable & rowSums(copies) - copies == 0 & obeys
}

# Of each column the row of its largest value, all different where possible: of all pairs the
# largest first. NA are no pairs.
distinct_largest <- function(value) {
  left <- replace(-matrix(step_level(-value, 1e-9), nrow(value)), is.na(value), NA)
  out <- apply(left, 2, function(own) which.max(own)[1]) # shared where none is left
  while (length(best <- which.max(left)) > 0L) {
    at <- arrayInd(best, dim(left))
    out[at[2]] <- at[1]
    left[at[1], ] <- left[, at[2]] <- NA
  }
  out
}
