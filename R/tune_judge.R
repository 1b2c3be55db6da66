# From the results of the jobs of tune_rowsparse() to a suggestion.

# For every setting a list of criteria, each with `value` and `se` by size and
# `replicates`, one curve per column; `counts`: the weights of the samples in each measure
judge_settings <- function(results, jobs, grid, criterion, d, counts = NULL) {
  kind <- vapply(jobs, `[[`, "", "kind")
  lapply(seq_along(grid$settings), function(s) {
    outcomes <- lapply(results, `[[`, s)
    sets <- lapply(outcomes[kind == "subsample"], `[[`, "sets")
    criteria <- lapply(criterion, function(name) {
      switch(name,
        stability = stability_curves(sets, length(grid$sizes), d),
        error = , balanced = , log_loss = fold_curves(
          outcomes[kind == "fold"], name, jobs[kind == "fold"], counts
        ),
        silhouette = silhouette_curves(outcomes[kind == "all"], outcomes[kind == "subsample"]),
        reconstruction = c(
          sample_curves(outcomes[kind == "all"], outcomes[kind == "subsample"], name),
          list(shuffled = unlist(lapply(outcomes[kind == "shuffled"], `[[`, name)))
        ),
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

# the samples too could have been others
silhouette_curves <- function(all, subsamples) {
  curves <- sample_curves(all, subsamples, "silhouette")
  noise <- rowMeans(curve_matrix(c(all, subsamples), "silhouette_noise"))
  curves$se <- sqrt(curves$se^2 + noise)
  curves
}

# Other folds of the same samples take nothing off the error. Folds count the same, but for the
# balanced error by the classes that they hold. `se_paired`: of the differences between the sizes,
# size x size
fold_curves <- function(folds, name, jobs, counts) {
  curves <- curve_matrix(folds, name)
  repeats <- jobs[[1]]$repeats
  own <- if (name == "balanced") {
    shares_of(vapply(jobs, function(job) sum(counts$balanced[-job$rows]), 0))
  } else {
    rep(1 / ncol(curves), ncol(curves))
  }
  se_of <- function(values) {
    gaps <- values - drop(values %*% own)
    sqrt(drop(gaps^2 %*% own) / (ncol(values) - 1) * repeats)
  }
  paired <- lapply(seq_len(nrow(curves)), function(at) {
    se_of(curves - rep(curves[at, ], each = nrow(curves)))
  })
  list(
    value = drop(curves %*% own), se = se_of(curves), se_paired = do.call(cbind, paired),
    replicates = curves
  )
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

# list(setting, at, agreement, k_range, sharpness, sure, why)
suggest_point <- function(points, sizes, criterion) {
  curves <- lapply(points, function(point) point$criteria[[criterion]])
  merit <- vapply(curves, function(curve) setting_merit(curve$value, criterion), 0)
  setting <- first_largest(merit)
  curve <- curves[[setting]]
  at <- choose_size(curve$value, or_default(curve$se_paired, curve$se), sizes, criterion)
  choices <- replicate_choices(curve, sizes, criterion)
  range <- if (length(choices) > 0) {
    stats::quantile(choices, c(0.1, 0.9), type = 1, names = FALSE)
  } else {
    c(NA_integer_, NA_integer_)
  }
  agreement <- mean(abs(choices - at) <= step_of_agreement(sizes))
  c(
    list(
      setting = setting, at = at, agreement = agreement, k_range = sizes[range],
      sharpness = if (criterion == "reconstruction") corner_height(curve$value, sizes)
    ),
    judge_suggestion(curve, at, sizes, criterion, agreement)
  )
}

# on a few sizes one step reaches nearly all of them
step_of_agreement <- function(sizes) {
  if (length(sizes) > 4L) 1L else 0L
}

# list(sure, why): whether some size stands out at all comes before whether the
# replicates agree about it
judge_suggestion <- function(curve, at, sizes, criterion, agreement) {
  why <- doubts_of_curve(curve, at, sizes, criterion)
  sure <- if (length(sizes) < 2L || is.na(agreement)) {
    "cannot be told"
  } else if (length(why) > 0 || agreement < 0.5) {
    "not sure"
  } else if (agreement < 0.8 || at %in% c(1L, length(sizes))) {
    "fairly sure"
  } else {
    "sure"
  }
  if (sure %in% c("sure", "fairly sure") && criterion == "silhouette") {
    sure <- "fairly sure"
    why <- "the fewest that show the clusters, which more may carry"
  }
  if (sure == "cannot be told") {
    why <- if (length(sizes) < 2L) "the grid has one size" else "there are two subsamples only"
  } else if (length(why) == 0 && at %in% c(1L, length(sizes))) {
    why <- sprintf("it is the %s size of the grid", if (at == 1L) "smallest" else "largest")
  }
  list(sure = sure, why = why)
}

doubts_of_curve <- function(curve, at, sizes, criterion) {
  value <- if (criterion %in% class_measures) -curve$value else curve$value
  if (criterion == "reconstruction") {
    return(if (length(sizes) > 1L) doubts_of_elbow(curve, at, sizes))
  }
  best <- first_largest(value)
  if (is.na(best)) {
    return("the criterion is undefined at every size")
  }
  slack <- slack_of_sizes(or_default(curve$se_paired, curve$se), best)
  near <- which(value >= value[best] - slack - tie_share * abs(value[best]))
  if (criterion == "silhouette" && value[best] <= 2 * slack) {
    "no clusters beyond those of a normal distribution"
  } else if (length(near) > max(1, length(sizes) / 2)) {
    sprintf("%d of %d sizes are within one standard error of the best", length(near),
      length(sizes)
    )
  }
}

# a curve bends even where the features are independent: samples run out
doubts_of_elbow <- function(curve, at, sizes) {
  above <- function(value) {
    depth <- depth_below_chord(-value, sizes)
    if (length(depth) > 0) c(0, depth, 0)[at] else 0
  }
  if (corner_height(curve$value, sizes) < least_sharpness) {
    "the curve is nearly straight, no size stands out"
  } else if (above(curve$value) - above(curve$shuffled) < least_sharpness) {
    "independent features would give such a curve, no size stands out"
  }
}

# elbows are compared by the whole curve, other criteria by their best value
setting_merit <- function(value, criterion) {
  switch(criterion,
    reconstruction = mean(value),
    error = , balanced = , log_loss = -min(value),
    max(c(value[!is.na(value)], -Inf))
  )
}

choose_size <- function(value, se, sizes, criterion) {
  if (criterion == "reconstruction") {
    return(choose_by_elbow(value, sizes))
  }
  if (criterion %in% class_measures) value <- -value
  if (all(is.na(value))) {
    return(length(sizes))
  }
  best <- first_largest(value)
  slack <- slack_of_sizes(se, best)
  first_at_least(value, value[best] - slack)
}

# one standard error of the best size, or of the difference of each from it where `se` has those
slack_of_sizes <- function(se, best) {
  slack <- if (is.matrix(se)) se[, best] else se[best]
  slack[is.na(slack)] <- 0
  slack
}

# the elbow; where there is hardly one, the first size that reproduces 90%
choose_by_elbow <- function(value, sizes) {
  if (corner_height(value, sizes) >= least_sharpness) {
    return(elbow(-value, sizes))
  }
  reached <- first_at_least(value, 0.9)
  if (is.na(reached)) length(sizes) else reached
}

# height above the chord from which on a corner counts as one
least_sharpness <- 0.1

replicate_choices <- function(curve, sizes, criterion) {
  if (is.null(curve$replicates)) {
    return(integer())
  }
  apply(curve$replicates, 2, choose_size,
    se = or_default(curve$se_paired, curve$se), sizes = sizes, criterion = criterion
  )
}

# height of a rising curve above its chord, both scaled to the unit square
corner_height <- function(value, sizes) {
  max(0, depth_below_chord(-value, sizes))
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
print.rowsparse_tuning <- function(x, n = 10, ...) {
  check_tuning(x)
  n <- check_shown(n)
  print_lines(x, tuning_lines(x, n))
}

tuning_lines <- function(x, n) {
  setting <- if (!is.null(x$setting)) {
    paste0(", ", paste(names(x$setting), vapply(x$setting, format, "", digits = 4),
      sep = " = ", collapse = ", "
    ))
  }
  text <- sprintf("%s: %d of %s suggested by %s", x$method, x$k, count_of(x$fit$d, "feature"),
    x$criterion
  )
  c(
    list_features(text, x$fit, x$fit$selected, n),
    sprintf("k = %d%s, the best of %s; %s, %.1f s", x$k, or_default(setting, ""),
      count_of(nrow(x$table), "point"), count_of(x$subsamples, "subsample"), x$elapsed
    ),
    judgement_lines(x), stability_line(x$stability)
  )
}

stability_line <- function(stability) {
  if (is.na(stability[["stability"]])) {
    return("Stability there: undefined, all features are selected")
  }
  sprintf("Stability there: %.3f (95%% interval %.3f to %.3f)", stability[["stability"]],
    stability[["lower"]], stability[["upper"]]
  )
}

# two lines: the judgement, and what the replicates chose
judgement_lines <- function(tuning) {
  why <- if (length(tuning$why) > 0) paste0(": ", tuning$why[1])
  line <- paste0("How sure: ", tuning$sure, or_default(why, ""), if (!is.null(tuning$sharpness)) {
    sprintf(" (sharpness of the elbow %.2f)", tuning$sharpness)
  })
  if (is.na(tuning$agreement)) {
    return(line)
  }
  near <- if (step_of_agreement(unique(tuning$table$k)) > 0) "come within one step of" else "choose"
  middle <- tuning$k_range
  c(line, sprintf("Agreement: %.0f%% of the replicates %s k = %d; the middle 80%% choose %s",
    100 * tuning$agreement, near, tuning$k,
    if (middle[1] == middle[2]) middle[1] else sprintf("%d to %d", middle[1], middle[2])
  ))
}

#' @rdname tune_rowsparse
#' @param object A tuning.
#' @export
summary.rowsparse_tuning <- function(object, n = 10, ...) {
  check_no_more("summary", "n", ...)
  check_tuning(object, "object")
  n <- check_shown(n)
  table <- object$table
  for (name in names(object$setting)) {
    table <- table[table[[name]] == object$setting[[name]], , drop = FALSE]
  }
  structure(
    list(
      line = tuning_lines(object, n), call = object$call, points = nrow(object$table),
      table = cbind(table, chosen = table$k == object[["k"]], row.names = NULL)
    ),
    class = "summary.rowsparse_tuning"
  )
}

#' @export
print.summary.rowsparse_tuning <- function(x, ...) print_lines_and_table(x)

#' @export
as.data.frame.rowsparse_tuning <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_tuning(x)$table
}

#' @export
coef.rowsparse_tuning <- function(object, ...) {
  stats::coef(check_tuning(object, "object")$fit, ...)
}

# the chosen fit at the chosen number of features
#' @export
predict.rowsparse_tuning <- function(object, newdata, k = NULL, ...) {
  check_tuning(object, "object")
  stats::predict(object$fit, newdata, or_default(k, object[["k"]]), ...)
}

#' @rdname selected
#' @export
selected.rowsparse_tuning <- function(fit, k, ...) {
  check_no_more("selected", "k", ...)
  check_tuning(fit, "fit")
  if (missing(k)) selected(fit$fit) else selected(fit$fit, k)
}
