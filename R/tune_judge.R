# From the results of the jobs of tune_rowsparse() to a suggestion.

# For every setting a list of criteria, each with `value` and `se` by size and
# `replicates`, one curve per column
judge_settings <- function(results, jobs, grid, criterion, d) {
  kind <- vapply(jobs, `[[`, "", "kind")
  lapply(seq_along(grid$settings), function(s) {
    outcomes <- lapply(results, `[[`, s)
    sets <- lapply(outcomes[kind == "subsample"], `[[`, "sets")
    criteria <- lapply(criterion, function(name) {
      switch(name,
        stability = stability_curves(sets, length(grid$sizes), d),
        error = fold_curves(outcomes[kind == "fold"], name),
        sample_curves(outcomes[kind == "all"], outcomes[kind == "subsample"], name)
      )
    })
    list(criteria = stats::setNames(criteria, criterion), sets = sets)
  })
}

# size x replicate
curve_matrix <- function(outcomes, name) {
  do.call(cbind, lapply(outcomes, `[[`, name))
}

standard_error <- function(curves) {
  apply(curves, 1, stats::sd) / sqrt(ncol(curves))
}

# the value of all samples, the spread over the subsamples
sample_curves <- function(all, subsamples, name) {
  curves <- curve_matrix(subsamples, name)
  list(value = all[[1]][[name]], se = standard_error(curves), replicates = curves)
}

fold_curves <- function(folds, name) {
  curves <- curve_matrix(folds, name)
  list(value = rowMeans(curves), se = standard_error(curves), replicates = curves)
}

# replicates: the index of all subsamples but one
stability_curves <- function(sets, sizes, d) {
  indices <- lapply(seq_len(sizes), function(at) {
    chosen <- compact_selections(lapply(sets, `[[`, at))
    but_one <- if (length(sets) > 2) {
      vapply(seq_along(sets), function(run) {
        nogueira_stability(chosen[-run, , drop = FALSE], d = d)$stability
      }, 0)
    }
    list(whole = nogueira_stability(chosen, d = d), but_one = but_one)
  })
  whole <- lapply(indices, `[[`, "whole")
  number <- function(field) vapply(whole, `[[`, 0, field)
  list(
    value = number("stability"), se = sqrt(number("variance")),
    lower = number("lower"), upper = number("upper"),
    replicates = do.call(rbind, lapply(indices, `[[`, "but_one"))
  )
}

# 0/1 matrix of the features that any set holds
compact_selections <- function(sets) {
  features <- sort(unique(unlist(sets)))
  selection_matrix(lapply(sets, match, features), length(features))
}

# ---- the choice ------------------------------------------------------------------

# list(setting, at, agreement, k_range, sharpness)
suggest_point <- function(points, sizes, criterion) {
  curves <- lapply(points, function(point) point$criteria[[criterion]])
  merit <- vapply(curves, function(curve) setting_merit(curve$value, criterion), 0)
  setting <- which.max(merit)
  curve <- curves[[setting]]
  at <- choose_size(curve$value, curve$se, sizes, criterion)
  choices <- replicate_choices(curve, sizes, criterion)
  range <- if (length(choices) > 0) {
    stats::quantile(choices, c(0.1, 0.9), type = 1, names = FALSE)
  } else {
    c(NA_integer_, NA_integer_)
  }
  list(
    setting = setting, at = at, agreement = mean(abs(choices - at) <= 1),
    k_range = sizes[range],
    sharpness = if (criterion == "reconstruction") corner_height(curve$value, sizes)
  )
}

# elbows are compared by the whole curve, other criteria by their best value
setting_merit <- function(value, criterion) {
  switch(criterion,
    reconstruction = mean(value),
    error = -min(value),
    max(c(value[!is.na(value)], -Inf))
  )
}

choose_size <- function(value, se, sizes, criterion) {
  if (criterion == "reconstruction") {
    return(elbow(-value, sizes))
  }
  if (criterion == "error") value <- -value
  if (all(is.na(value))) {
    return(length(sizes))
  }
  best <- which.max(value)
  slack <- if (is.na(se[best])) 0 else se[best]
  which(value >= value[best] - slack)[1]
}

replicate_choices <- function(curve, sizes, criterion) {
  if (is.null(curve$replicates)) {
    return(integer())
  }
  apply(curve$replicates, 2, choose_size, se = curve$se, sizes = sizes, criterion = criterion)
}

# height of a rising curve above its chord, both scaled to the unit square
corner_height <- function(value, sizes) {
  last <- length(value)
  rise <- value[last] - value[1]
  if (last < 3L || rise <= 0) {
    return(0)
  }
  max((value - value[1]) / rise - (sizes - sizes[1]) / (sizes[last] - sizes[1]))
}

# ---- the result ------------------------------------------------------------------

tuning_table <- function(points, grid, criterion) {
  rows <- lapply(seq_along(points), function(s) {
    columns <- list(k = grid$sizes)
    for (name in criterion) {
      curve <- points[[s]]$criteria[[name]]
      columns[[name]] <- curve$value
      columns[[paste0(name, "_se")]] <- curve$se
    }
    values <- as.data.frame(columns)
    if (is.null(grid$table)) {
      return(values)
    }
    cbind(grid$table[s, , drop = FALSE], values, row.names = NULL)
  })
  do.call(rbind, rows)
}

selection_frequency <- function(sets, sizes, d, names) {
  columns <- lapply(seq_along(sizes), function(at) {
    tabulate(unlist(lapply(sets, `[[`, at)), d) / length(sets)
  })
  frequency <- Matrix::Matrix(do.call(cbind, columns), sparse = TRUE)
  dimnames(frequency) <- list(names, sizes)
  frequency
}

# ---- S3 methods ------------------------------------------------------------------

#' @export
print.rowsparse_tuning <- function(x, ...) {
  cat(sprintf("Tuning of %s: %d settings and sizes, %d subsamples, %.1f s\n", x$method,
    nrow(x$table), x$repeats, x$elapsed
  ))
  setting <- if (!is.null(x$setting)) {
    paste0(", ", paste(names(x$setting), vapply(x$setting, format, "", digits = 4),
      sep = " = ", collapse = ", "
    ))
  }
  cat(sprintf("Suggested by %s: k = %d%s\n", x$criterion, x$k, or_default(setting, "")))
  cat(sureness(x))
  cat(sprintf("Stability there: %.3f (95%% interval %.3f to %.3f)\n", x$stability[["stability"]],
    x$stability[["lower"]], x$stability[["upper"]]
  ))
  invisible(x)
}

sureness <- function(tuning) {
  level <- tuning$agreement
  if (is.na(level)) {
    return("How sure: cannot be told from two subsamples\n")
  }
  straight <- !is.null(tuning$sharpness) && tuning$sharpness < 0.1
  word <- if (level >= 0.8 && !straight) {
    "sure"
  } else if (level >= 0.5 && !straight) {
    "fairly sure"
  } else {
    "not sure"
  }
  corner <- if (!is.null(tuning$sharpness)) {
    sprintf("; sharpness of the elbow %.2f%s", tuning$sharpness,
      if (straight) ", hardly a corner" else ""
    )
  }
  sprintf("How sure: %s, %.0f%% of the replicates agree within one step (80%% of them: %s)%s\n",
    word, 100 * level, sprintf("k = %d to %d", tuning$k_range[1], tuning$k_range[2]),
    or_default(corner, "")
  )
}

#' @export
as.data.frame.rowsparse_tuning <- function(x, row.names = NULL, optional = FALSE, ...) {
  x$table
}

#' @export
coef.rowsparse_tuning <- function(object, ...) {
  stats::coef(object$fit, ...)
}

#' @rdname selected
#' @export
selected.rowsparse_tuning <- function(fit, k, ...) {
  if (missing(k)) selected(fit$fit) else selected(fit$fit, k)
}
