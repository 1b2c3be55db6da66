# From errors by fold to the table of points of a cross-validation, and the point that a rule takes.

# `found` as cross_validated() gives it; `measure`: the one that chooses; `weights`: of the samples
# in each measure. Points are chosen before the errors are in the units of the caller, where their
# squares may be infinite.
cv_points <- function(found, foldid, grid, unit, measure, weights) {
  plain <- fold_summary(found$error$error, foldid, weights$plain)
  choosing <- found$error[[measure]]
  own <- weights_of_measure(measure, weights)
  sums <- fold_summary(choosing, foldid, own)
  paired <- paired_differences(choosing, sums$error, foldid, own)
  table <- data.frame(
    point = or_default(grid$sizes, grid$penalties), features = colMeans(found$features),
    error = squares_in_units(plain$error, unit), se = squares_in_units(plain$se, unit),
    spread = squares_in_units(sums$spread, unit), se_paired = squares_in_units(paired$se, unit)
  )
  names(table)[1] <- if (is.null(grid$sizes)) "lambda" else "k"
  others <- measure_columns(found, foldid, weights)
  null <- c(error = fold_summary(found$null$error, foldid, weights$plain)$error, others$null)
  list(
    table = if (is.null(others)) table else cbind(table, others$table),
    at = cv_choices(sums$error, paired), fold_error = squares_in_units(choosing, unit),
    null_error = squares_in_units(null[[measure]], unit),
    null_measures = if (!is.null(others)) null
  )
}

# columns of the measures that classes have beside the error, and those without features
measure_columns <- function(found, foldid, weights) {
  names <- setdiff(names(found$error), "error")
  if (length(names) == 0L) {
    return(NULL)
  }
  sums <- lapply(stats::setNames(nm = names), function(name) {
    own <- weights_of_measure(name, weights)
    table <- fold_summary(found$error[[name]], foldid, own)[c("error", "se")]
    list(table = table, null = fold_summary(found$null[[name]], foldid, own)$error)
  })
  table <- unlist(lapply(sums, `[[`, "table"), recursive = FALSE)
  names(table) <- paste0(rep(names, each = 2), c("", "_se"))
  list(table = as.data.frame(table), null = vapply(sums, `[[`, 0, "null"))
}

# of each point from the one of least error, and their standard errors: between points the
# folds, which are easy or hard for all of them, cancel
paired_differences <- function(error, mean, foldid, weights) {
  fold_summary(error - error[, first_largest(-mean)], foldid, weights)[c("error", "se")]
}

# points with fewer features, or larger penalties, come first
cv_choices <- function(error, paired) {
  slack <- paired$se + tie_share * max(abs(error))
  c("1se" = which(paired$error <= slack)[1], min = first_largest(-error))
}
