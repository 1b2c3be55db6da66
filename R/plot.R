#' Plot a fit
#'
#' `"scores"`: the scores above zero in rank order, of a factor or group one, the selected ones in
#' blue; for fits that select features one by one ([css()], [cdlsr()]) the share of the sum of
#' squares that each adds, or would add. `"coefficients"`: those of `coef()` that are not zero,
#' times the standard deviation of the feature; a map for classes or several responses.
#' `"objective"`: at each outer iteration, or, if it stays constant, by the number of features. As
#' maps, `"loadings"`: their rows that are not zero; `"correlation"`: that of the selected features
#' in rank order. Maps are blue below zero and orange above. Every call draws one page, or the next
#' place of `par(mfrow = )`.
#'
#' `"types"`, of fits to classes: a dot for each feature, by the class that it marks (see
#' [as.data.frame()][as.data.frame.rowsparse]), and class. The colour goes from the smallest of its
#' means in the classes to the largest; if nothing is negative, and without a `block`, the area is
#' the share of the samples of the class above zero.
#'
#' @param x A fit.
#' @param type Which plot.
#' @param n Number of features shown. In `"correlation"` and `"types"` all selected features are
#'   shown if the fit selects a fixed number and `n` is missing.
#' @param labels Number of features named in `"scores"`.
#' @param data For `"correlation"`: the data, as in the call of the fit.
#' @param ... Graphical parameters, by name: passed on to the base graphics function.
#' @return `x`, invisibly.
#' @seealso Other plots: [rowsparse_path()], [cv_rowsparse()], [alternatives()],
#'   [compare_panels()].
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 2)
#' plot(fit)
#' plot(fit, type = "loadings")
#' plot(fit, type = "correlation", data = iris[, 1:4], n = 3)
#' plot(rowsparse(iris[, 1:4], iris$Species, k = 3), type = "types")
#' @export
plot.rowsparse <- function(x, type = c(
                             "scores", "coefficients", "objective", "loadings", "correlation",
                             "types"
                           ), n = 50, labels = 10, data = NULL, ...) {
  type <- check_choice(type, "type", eval(formals(plot.rowsparse)$type))
  most <- check_shown(n)
  labels <- check_shown(labels, "labels", 0L)
  shown <- if (missing(n) && !is.null(x$selected)) x$selected else utils::head(x$ranking, most)
  draw_picture(x, switch(type,
    scores = scores_picture(x, most, labels),
    coefficients = {
      check_supervised(x, "type", "\"coefficients\" needs a supervised fit")
      slopes <- as.matrix(stats::coef(x))[-1, , drop = FALSE]
      nonzero_map(x, slopes * x$deviation, most, "standardised coefficients")
    },
    objective = objective_picture(x),
    loadings = {
      refuse_if(is.null(x$loadings), "choice", "type",
        sprintf("\"loadings\": %s has none", fit_name(x))
      )
      nonzero_map(x, x$loadings, most, "loadings")
    },
    correlation = signed_map(x, correlation_of_features(x, shown, data), shown, seq_along(shown),
      limits = c(-1, 1), xlab = "rank", title = fit_title(x, "correlation of the selected features")
    ),
    types = types_picture(x, shown)
  ), ...)
}

# A picture is a list with a `kind`, a title, names of the axes, and what its kind needs, see
# plot_style.R

fit_title <- function(fit, what) paste0(fit_name(fit), ": ", what)

# ---- scores and objective ----------------------------------------------------------

# Stems in rank order, as far as scores are above zero. A fit that selects features one by one
# scores those selected above all others by a whole: what is drawn then is the share that each adds.
scores_picture <- function(fit, n, labels) {
  table <- as.data.frame(fit)
  scored <- sum(table$score > 0)
  left_out <- if (scored > 0) nrow(table) - scored else 0
  drawable <- utils::head(table, nrow(table) - left_out)
  shown <- utils::head(drawable, n)
  hidden <- sum(drawable$selected) - sum(shown$selected)
  apart <- c(
    if (left_out > 0) paste(count_of(left_out, unit_noun(fit)), "with score zero"),
    if (hidden > 0) sprintf("%d selected beyond n = %d", hidden, n)
  )
  shares <- !is.null(shown$gain)
  list(
    kind = "stems", named = min(labels, scored, nrow(shown)),
    table = data.frame(
      rank = shown$rank, value = if (shares) shown$gain else shown$score, feature = shown$feature,
      chosen = is.null(fit$selected) | shown$selected
    ),
    title = fit_title(fit, if (shares) "what each feature adds" else "scores"),
    ylab = if (shares) "share of the sum of squares" else score_words(fit),
    xlab = paste0("rank", if (length(apart) > 0L) sprintf(" (%s not drawn)", toString(apart)))
  )
}

# what the scores of a fit are
score_words <- function(fit) {
  name <- fit_name(fit)
  rows <- if (is.matrix(fit$loadings) && is.null(fit$groups)) row_norms(fit$loadings)
  switch(name,
    variance = "variance", lapscore = "2 - Laplacian score", covth = "entry of the component",
    ilfs = "mixing weight", ftest = "share explained by the feature alone",
    if (isTRUE(all.equal(unname(rows), unname(fit$scores)))) {
      "norm of the row of the loadings"
    } else {
      sprintf("score of %s()", name)
    }
  )
}

# along the iterations; if they do nothing, along the sizes, of a fit that holds some
objective_picture <- function(fit) {
  f <- fit$objective
  known <- unique(f[is.finite(f)])
  refuse_if(length(known) == 0L, "choice", "type",
    sprintf("\"objective\": this fit of %s holds no finite value", fit_name(fit))
  )
  by_size <- length(known) == 1L && length(fit$path$objective) > 1L
  list(
    kind = "lines", x = if (by_size) fit$path$k else seq_along(f) - 1,
    y = if (by_size) fit$path$objective else f, whole = TRUE, ylab = "objective",
    xlab = if (by_size) "number of features" else "outer iteration",
    title = fit_title(fit, "objective"),
    note = if (!by_size && length(known) == 1L) {
      sprintf("one value, %s: nothing to improve step by step", format(known, digits = 6))
    }
  )
}

# ---- maps --------------------------------------------------------------------------

# the rows of these features, white at zero
signed_map <- function(fit, value, shown, columns, limits = c(-1, 1) * largest, ...) {
  largest <- max(abs(value[is.finite(value)]), .Machine$double.xmin)
  list(
    kind = "map", value = unname(value), rows = as.character(feature_labels(fit, shown)),
    columns = columns, limits = limits, colours = diverging_colours(), ...
  )
}

# The rows that are not zero, best first; the columns of a fit to a response have its names, and
# those of one response are drawn as dots
nonzero_map <- function(fit, values, n, what) {
  shown <- utils::head(fit$ranking[rowSums(values[fit$ranking, , drop = FALSE] != 0) > 0], n)
  refuse_if(length(shown) == 0L, "choice", "type", sprintf("names %s, which are all zero", what))
  labels <- if (is_supervised_fit(fit)) colnames(values)
  noun <- if (identical(fit[["response"]]$type, "class")) "class" else "response"
  picture <- signed_map(fit, values[shown, , drop = FALSE], shown,
    or_default(labels, seq_len(ncol(values))), title = fit_title(fit, what),
    xlab = if (is.null(labels)) "component" else noun
  )
  if (length(labels) == 1L) picture[c("kind", "xlab")] <- c("dots",
    sprintf("change of %s per standard deviation", labels)
  )
  picture
}

# Dots for the means of features by class; those that mark a class side by side
types_picture <- function(fit, shown) {
  marks <- if (is_class_fit(fit)) marks_of(fit)[shown, ] else list(auc = NA)
  refuse_if(anyNA(marks$auc), "choice", "type",
    "\"types\" needs a fit to classes that keeps the values of its features", fit_name(fit))
  shown <- shown[order(match(marks$marks, fit[["response"]]$levels))]
  kept <- training_classes(fit, shown)
  by_class <- function(value) t(rowsum(value + 0, kept$class) / as.vector(table(kept$class)))
  value <- apply(by_class(kept$values), 1, function(own) (own - min(own)) / diff(range(own)))
  raw <- kept$values + rep(fit$center[shown], each = nrow(kept$values))
  rounding <- 1e-10 * max(abs(raw))
  shares <- is.null(fit[["block"]]) && all(raw >= -rounding)
  list(
    kind = "map", value = unname(t(value)), rows = as.character(feature_labels(fit, shown)),
    columns = levels(kept$class), limits = c(0, 1),
    size = if (shares) by_class(raw > rounding) else 0.6 + 0 * t(value),
    scale = c("lowest", "", "highest"),
    colours = grDevices::colorRampPalette(c("#FFFFFF", plot_colours[["blue"]], "#08306B"))(51L),
    xlab = paste0("class", if (shares) "; area: share of its samples above zero"),
    title = fit_title(fit, "means of the classes")
  )
}

correlation_of_features <- function(fit, shown, data) {
  refuse_if(is.null(data), "type", "data",
    "must be given for the correlations: the data of the fit"
  )
  data <- coded_like(fit, data, "data")
  data <- without_constant_warning(as_data(data,
    block = block_beside(NULL, fit, data), argument = "data"
  ))
  columns <- feature_columns(feature_labels(fit, shown), "x", data$d, data$names)
  correlations_with(data, columns)[columns, , drop = FALSE]
}

# ---- paths -------------------------------------------------------------------------

#' @rdname rowsparse_path
#' @param x For the methods: a path. For `rowsparse_path()`: the data.
#' @param type For `plot()`, what is drawn along the path: the `scores` of the features
#'   (over k: which features are selected), the number of features (`nonzero`),
#'   or the share `explained`. For `predict()` as for [predict.rowsparse()]: `NULL` for `"class"`
#'   where the response is classes, `"response"` where it is numbers, `"features"` without one.
#' @param labels Number of features named, the first to enter.
#' @export
plot.rowsparse_path <- function(x, type = c("scores", "nonzero", "explained"), labels = 10, ...) {
  type <- check_choice(type, "type", c("scores", "nonzero", "explained"))
  labels <- check_shown(labels, "labels", 0L)
  picture <- switch(type,
    scores = if (x$over == "k") entries_picture(x) else score_paths_picture(x, labels),
    nonzero = list(
      kind = "lines", y = x$nonzero, limits = c(0, max(x$nonzero, 1)),
      ylab = "number of selected features"
    ),
    explained = list(kind = "lines", y = x$explained, limits = c(0, 1), ylab = sprintf(
      "share of the %s explained", if (is_supervised_fit(x)) "response" else "features"
    ))
  )
  title <- sprintf("%s: path over %s", x$method, x$over)
  draw_picture(x, c(picture, path_axis(x), list(title = paste0(title, picture$more))), ...)
}

# penalties descend from left to right
path_axis <- function(path) {
  if (path$over == "k") {
    return(list(x = path$grid, whole = TRUE, xlab = "number of features k"))
  }
  positive <- path$grid[path$grid > 0]
  x <- if (length(positive) > 0) pmax(path$grid, min(positive) / 2) else path$grid
  list(x = x, log = length(positive) > 0, reverse = TRUE, xlab = path$over)
}

# features, or groups as if they were features, in the order in which they enter, those that never
# do left out: their columns and names
entered_units <- function(path, most) {
  columns <- entry_order(path)
  groups <- !is.null(path$groups)
  labels <- as.character(answer_labels(path, columns, groups, FALSE))
  if (groups) columns <- columns[!duplicated(path$groups$of[columns])]
  if (length(columns) == 0L) {
    stop_rowsparse("choice", "type", "\"scores\": no feature was selected along the path")
  }
  shown <- seq_len(min(most, length(columns)))
  list(columns = columns[shown], labels = labels[shown], all = length(columns))
}

entry_order <- function(path) order(path$entry, -path$scores[, length(path$grid)], na.last = NA)

# one line per feature; the first to enter named
score_paths_picture <- function(path, labels) {
  drawn <- entered_units(path, 300L)
  list(
    kind = "lines", y = unname(t(as.matrix(path$scores[drawn$columns, , drop = FALSE]))),
    names = utils::head(drawn$labels, labels), naming = "first to enter", ylab = "score"
  )
}

# the sizes at which features are selected, the first to enter on top
entries_picture <- function(path) {
  drawn <- entered_units(path, 40L)
  inside <- vapply(path$selected, function(set) drawn$columns %in% set, drawn$columns > 0)
  list(
    kind = "map", value = matrix(inside + 0, length(drawn$columns)), columns = path$grid,
    rows = drawn$labels, limits = c(0, 1), scale = FALSE,
    colours = c("grey95", plot_colours[["blue"]]),
    more = if (drawn$all > length(drawn$columns)) {
      sprintf(", the first %d of %d that enter", length(drawn$columns), drawn$all)
    } else {
      ", features selected"
    }
  )
}

# ---- cross-validations, alternatives and panels --------------------------------------

#' @rdname predict.cv_rowsparse
#' @export
plot.cv_rowsparse <- function(x, what = c("points", "features"), errors = 1, ...) {
  if (check_choice(what, "what", c("points", "features")) == "features") {
    return(draw_picture(x, frequencies_picture(x, errors), ...))
  }
  log <- x$over == "lambda"
  at <- x$table[[x$over]]
  at[is.na(at)] <- x$table$features[is.na(at)]
  if (log) at[which(at <= 0)] <- min(at[which(at > 0)], 1) / 2
  curves <- if (max(x$entrant) > 1L) cv_curves(x, at) else cv_curve(x, at)
  draw_picture(x, c(curves, list(
    kind = "lines", log = log, reverse = log, whole = !log, ylab = x$measure,
    xlab = if (log) "lambda" else "number of features",
    title = sprintf("%s: cross-validation", toString(unique(x$table$method)))
  )), ...)
}

# Of the chosen point; of halves at the size and with the threshold of so many `errors`
frequencies_picture <- function(cv, errors) {
  found <- if (!is.null(cv$candidates)) frequent_features(cv, errors)
  at <- or_default(found$at, cv$at)
  table <- feature_frequencies(cv, at, if (is.null(found)) cv$columns else found$columns)
  refuse_if(nrow(table) == 0L, "choice", "what", "\"features\": no set of the folds has any")
  table <- utils::head(table, 30L)
  value <- cv$table[[cv$over]][at]
  list(
    kind = "dots", value = table$frequency, rows = table$feature, limits = c(0, 1),
    chosen = table$selected, line = found$least,
    key = if (is.null(found)) {
      c("selected", "not selected")
    } else {
      c(sprintf("at most %s false on average", format(errors)), "others")
    },
    xlab = sprintf("share of the %d %s that select it", NROW(cv$fold_loss),
      if (is.null(found)) "folds" else "halves"
    ),
    title = paste0(cv$table$method[at], ": most frequent ", unit_noun(answering_fit(cv)), "s",
      if (!is.na(value)) sprintf(", %s = %s", cv$over, format(value, digits = 3))
    )
  )
}

# What the vertical lines are: the point chosen, and those that other rules take
cv_marks <- function(cv, at) {
  rows <- unique(c(cv$at, cv$best))
  words <- vapply(rows, function(row) {
    rules <- paste0("\"", names(cv$best)[cv$best == row], "\"", collapse = ", ")
    value <- format(cv$table[[cv$over]][row], digits = 3)
    paste0(if (row == cv$at) "chosen, ", rules, ": ",
      toString(c(if (max(cv$entrant) > 1L) cv$table$method[row], if (value != "NA") value))
    )
  }, "")
  stats::setNames(at[rows], words)
}

# One curve with its standard errors. A point is as good as the best one if it is within the
# standard error of their difference.
cv_curve <- function(cv, at) {
  table <- cv$table
  columns <- measure_columns_of(cv$chosen_by)
  value <- table[[columns[1]]]
  slack <- table$difference_se * if (cv$chosen_by %in% rising_measures) -1 else 1
  list(
    x = at, y = value, se = table[[columns[2]]], allowed = value[cv$best[["min"]]] + slack,
    marks = cv_marks(cv, at), note = cv$open,
    top = if (cv$over == "lambda") {
      format(round(table$features, max(table$features) < 10), trim = TRUE)
    }
  )
}

# a curve for each method and setting; between its points it is straight, so that they share x
cv_curves <- function(cv, at) {
  x <- sort(unique(at))
  columns <- measure_columns_of(cv$chosen_by)
  value <- cv$table[[columns[1]]]
  each <- split(seq_along(value), cv$entrant)
  first <- vapply(each, `[`, 0L, 1L)
  by_curve <- function(curve) matrix(vapply(each, curve, numeric(length(x))), length(x))
  curve <- function(own) {
    if (length(unique(at[own])) < 2L) return(value[own[match(x, at[own])]])
    stats::approx(at[own], value[own], x, ties = mean)$y
  }
  list(
    x = x, y = by_curve(curve),
    se = by_curve(function(own) cv$table[[columns[2]]][own[match(x, at[own])]]),
    names = do.call(paste, unname(cv$table[first, c("method", names(cv$setting)), drop = FALSE])),
    marks = cv_marks(cv, at), note = cv$open
  )
}

#' @rdname alternatives
#' @param n For `plot()`: largest number of features drawn, `NULL` for the selected ones and as many
#'   others, at least 15. Of these as many are drawn as have room for their names, the rest is
#'   counted below the axis.
#' @export
plot.feature_alternatives <- function(x, n = NULL, ...) {
  table <- as.data.frame(x, tolerance = x$tolerance[1])
  table <- table[is.finite(table$price_most), ]
  own <- sum(table$selected)
  n <- if (is.null(n)) own + max(own, 15L) else check_shown(n)
  table <- utils::head(table, n)
  refuse_if(nrow(table) == 0L, "choice", "x", "must have prices to be drawn", "none")
  shares <- c(table$price_least, table$price_most, x$tolerance)
  floor <- min(shares[shares > 0], 1) / 3
  draw_picture(x, list(
    kind = "intervals", table = data.frame(
      feature = as.character(table$feature), lower = pmax(table$price_least, floor),
      upper = pmax(table$price_most, floor), role = table$role, proved = table$proved,
      chosen = table$selected, from_zero = table$price_least < floor & table$price_most > floor
    ),
    line = x$tolerance[x$tolerance > 0], xlab = "price, share of the value", unit = x$unit,
    title = paste0(x$method, ": prices of features")
  ), ...)
}

#' @rdname compare_panels
#' @export
plot.panel_comparison <- function(x, ...) {
  table <- as.data.frame(x)
  shares <- vapply(table, is.double, NA) & !grepl("^k$|_sd$", names(table))
  value <- as.matrix(table[shares])
  goodness <- pmin(pmax(value, 0), 1)
  low <- colnames(value) %in% panel_low
  goodness[, low] <- 1 - goodness[, low]
  draw_picture(x, list(
    kind = "map", value = unname(value), shade = unname(goodness), rows = table$panel,
    columns = colnames(value), limits = c(0, 1), scale = c("worse", "", "better"),
    colours = grDevices::hcl.colors(51L, "Cividis"), xlab = "", tiles = TRUE,
    title = "Panels, measure by measure"
  ), ...)
}
