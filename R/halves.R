# Features that many complementary halves of the samples select, and how many of them are false on
# average: see section "False discoveries" of ?predict.cv_rowsparse.

# a column of each feature, or group, that can be selected and need not be
candidate_columns <- function(data) {
  groups <- inner_groups(data)
  free <- setdiff(which(!groups$barred), groups$include)
  outer_index(vapply(groups$columns[free], `[`, 1L, 1L), data)
}

# Of the chosen method and setting, at the size asked for or the usual one: `at`, its row; `least`,
# the threshold; the `columns` that reach it, the most frequent first
frequent_features <- function(cv, errors, k = NULL) {
  errors <- check_number(errors, "errors", 0, open_lower = TRUE)
  refuse_if(is.null(cv$candidates), "choice", "errors",
    "needs the frequencies in complementary halves",
    way_out = "Call cv_rowsparse(folds = \"halves\")"
  )
  rows <- which(cv$entrant == cv$entrant[cv$at])
  share <- as.matrix(cv$frequency[cv$candidates, rows, drop = FALSE])
  # k less what is included; of penalties, and functions that choose, the mean over the halves
  size <- colSums(share)
  d <- length(cv$candidates)
  at <- if (is.null(k)) usual_halves_size(size, errors * d) else compared_size(k, cv$table, rows)
  least <- 0.5 + size[at]^2 / (2 * errors * d)
  if (least > 1 + tie_share) refuse_size(cv, errors, size[at])
  share <- unname(share[, at])
  # shares are multiples of 1/50, so that rounding decides nothing
  reached <- which(share >= least - tie_share & share > 0.5 + tie_share)
  columns <- cv$candidates[reached[order(-share[reached])]]
  of <- answering_fit(cv)$groups$of
  if (!is.null(of)) columns <- unlist(lapply(of[columns], function(group) which(of == group)))
  list(at = rows[at], least = least, columns = as.integer(columns))
}

# the largest size with a threshold of 3/5 at most, or else the smallest; `room`: errors d
usual_halves_size <- function(size, room) {
  fits <- size <= sqrt(0.2 * room) + tie_share
  if (any(fits)) which.max(ifelse(fits, size, -1)) else which.min(size)
}

compared_size <- function(k, table, rows) {
  known <- table[["k"]][rows]
  at <- match(check_count(k, "k"), known)
  refuse_if(is.na(at), "range", "k", "must be one of the sizes compared", describe(k),
    if (all(is.na(known))) "Leave it out: none were" else paste("They are", toString(known))
  )
  at
}

# the threshold would be above 1
refuse_size <- function(cv, errors, size) {
  fit <- answering_fit(cv)
  locked <- units_in(fit, fit[["included"]])
  d <- length(cv$candidates)
  largest <- floor(sqrt(errors * d) + tie_share)
  way_out <- sprintf("Allow more `errors`: %s at least", format(1 / d, digits = 3))
  if (largest > 0) way_out <- "Compare smaller sizes, or allow more `errors`"
  stop_rowsparse("range", "k", sprintf("must be at most %d for `errors = %s` and %s",
    largest + locked, format(errors), count_of(d, unit_noun(fit))
  ), format(size + locked), way_out)
}
