#' @rdname tune_rowsparse
#' @param type For `plot()`: the deciding `criterion` against k with its
#'   standard error, one curve per setting; the `stability` index in the same
#'   way; the `frequency` with which the most frequent features were
#'   selected at the suggested point; the stability `paths`, these frequencies along k;
#'   or the `surface`, a map of the deciding criterion over
#'   two parameters, with the suggested point framed.
#' @param n Number of features drawn in `"frequency"` and `"paths"`, and named by `summary()`.
#' @param over For `"surface"`: the names of the two parameters, `"k"` included. `NULL`: the first
#'   two settings with several values, or the only one and k. The others are fixed at the
#'   suggested point.
#' @export
plot.rowsparse_tuning <- function(x, type = c(
                                    "criterion", "stability", "frequency", "paths", "surface"
                                  ),
                                  n = 30, over = NULL, ...) {
  check_tuning(x)
  draw_picture(x, tuning_picture(x, type, n, over), ...)
}

tuning_picture <- function(tuning, type, n, over) {
  type <- check_choice(type, "type", eval(formals(plot.rowsparse_tuning)$type))
  n <- check_shown(n)
  switch(type,
    criterion = tuning_curves_picture(tuning, tuning$criterion),
    stability = tuning_curves_picture(tuning, "stability"),
    frequency = frequency_picture(tuning, n),
    paths = stability_paths_picture(tuning, n),
    surface = surface_picture(tuning, over)
  )
}

criterion_labels <- c(
  reconstruction = "share of variance reproduced", stability = "stability of the selection",
  silhouette = "mean silhouette", accuracy = "clustering accuracy",
  nmi = "normalised mutual information", error = "cross-validated error"
)

# settings as curves; at most eight, the suggested one among them
tuning_curves_picture <- function(tuning, criterion) {
  curves <- tuning_curves(tuning, criterion)
  shown <- unique(c(curves$suggested, utils::head(seq_along(curves$labels), 8L)))
  shown <- sort(utils::head(shown, 8L))
  labels <- curves$labels[shown]
  list(
    kind = "curves", x = rep(curves$sizes, length(shown)),
    y = as.vector(curves$value[, shown]), se = as.vector(curves$se[, shown]), whole = TRUE,
    group = if (length(shown) > 1) factor(rep(labels, each = length(curves$sizes)), labels),
    line = tuning$k, xlab = "number of features k", ylab = criterion_labels[[criterion]],
    title = sprintf("%s: suggested k = %d%s", tuning$method, tuning$k,
      if (length(shown) < length(curves$labels)) {
        sprintf(" (%d of %d settings)", length(shown), length(curves$labels))
      } else {
        ""
      }
    )
  )
}

# size x setting
tuning_curves <- function(tuning, criterion) {
  sizes <- unique(tuning$table$k)
  settings <- names(tuning$setting)
  if (!any(is.finite(tuning$table[[criterion]]))) {
    stop_rowsparse("choice", "type", sprintf(
      "\"%s\" is undefined at every size: all features are selected", criterion
    ))
  }
  matrix_of <- function(column) matrix(tuning$table[[column]], length(sizes))
  first <- tuning$table[tuning$table$k == sizes[1], settings, drop = FALSE]
  labels <- if (is.null(settings)) tuning$method else setting_labels(first)
  list(
    sizes = sizes, value = matrix_of(criterion), se = matrix_of(paste0(criterion, "_se")),
    labels = labels,
    suggested = if (is.null(settings)) 1L else match(setting_labels(tuning$setting), labels)
  )
}

setting_labels <- function(table) {
  columns <- Map(function(name, value) {
    paste(name, "=", if (is.numeric(value)) signif(value, 3) else as.character(value))
  }, names(table), table)
  do.call(paste, c(unname(columns), sep = ", "))
}

# the features selected most often at the suggested point
frequency_table <- function(tuning, n) {
  frequency <- tuning$frequency[, match(tuning$k, colnames(tuning$frequency))]
  shown <- utils::head(order(-frequency, method = "radix"), n)
  shown <- shown[frequency[shown] > 0]
  data.frame(
    feature = as.character(feature_labels(tuning$fit, shown)), frequency = unname(frequency[shown]),
    chosen = shown %in% tuning$fit$selected
  )
}

frequency_picture <- function(tuning, n) {
  table <- frequency_table(tuning, n)
  names(table)[names(table) == "frequency"] <- "value"
  list(
    kind = "dots", table = table, xlab = sprintf("share of %d subsamples", tuning$subsamples),
    title = sprintf("%s: how often each feature was selected (k = %d)", tuning$method, tuning$k)
  )
}

# how often features are selected, along the sizes: the n that are most often at some size,
# those most frequent at the suggested point named
stability_paths_picture <- function(tuning, n) {
  frequency <- unname(as.matrix(tuning$frequency))
  sizes <- as.double(colnames(tuning$frequency))
  at <- match(tuning$k, sizes)
  drawn <- utils::head(order(-frequency[, at], -rowMeans(frequency), method = "radix"), n)
  drawn <- drawn[rowSums(frequency[drawn, , drop = FALSE]) > 0]
  list(
    kind = "paths", x = sizes, value = t(frequency[drawn, , drop = FALSE]), whole = TRUE,
    features = as.character(feature_labels(tuning$fit, drawn)), named = min(10L, length(drawn)),
    naming = "most frequent", line = tuning$k, xlab = "number of features k",
    ylab = sprintf("share of %d subsamples", tuning$subsamples),
    title = sprintf("%s: how often each feature was selected", tuning$method)
  )
}

# ---- a map over two parameters ---------------------------------------------------

surface_picture <- function(tuning, over) {
  map <- tuning_surface(tuning, over)
  # the largest value of the second parameter on top
  from_top <- rev(seq_along(map$labels[[2]]))
  list(
    kind = "map", value = t(map$value)[from_top, , drop = FALSE],
    rows = as.character(map$labels[[2]])[from_top], columns = as.character(map$labels[[1]]),
    limits = map$limits, colours = sequential_colours(),
    frame = c(match(map$suggested[[2]], from_top), map$suggested[[1]]), xlab = map$over[1],
    ylab = map$over[2], title = map$title
  )
}

# value: first parameter x second; labels of both, the place of the suggestion
tuning_surface <- function(tuning, over) {
  over <- check_over(tuning, over)
  suggested <- c(as.list(tuning$setting), list(k = tuning$k))
  held <- setdiff(names(suggested), over)
  same <- function(name) same_value(tuning$table[[name]], suggested[[name]])
  rows <- Reduce(`&`, lapply(held, same), rep(TRUE, nrow(tuning$table)))
  table <- tuning$table[rows, , drop = FALSE]
  values <- lapply(table[over], function(column) sort(unique(column)))
  value <- matrix(NA_real_, length(values[[1]]), length(values[[2]]))
  at <- function(name, of) match(TRUE, same_value(values[[name]], of))
  places <- vapply(over, function(name) {
    vapply(table[[name]], function(of) at(name, of), 0L)
  }, integer(nrow(table)))
  value[matrix(places, ncol = 2)] <- table[[tuning$criterion]]
  if (!any(is.finite(value))) {
    stop_rowsparse("choice", "type", sprintf("\"%s\" is undefined at every point",
      tuning$criterion
    ))
  }
  list(
    value = value, over = over, limits = widened_range(value[is.finite(value)]),
    labels = lapply(values, function(v) if (is.numeric(v)) signif(v, 3) else as.character(v)),
    suggested = vapply(over, function(name) at(name, suggested[[name]]), 0L),
    title = surface_title(tuning, suggested[held])
  )
}

# numbers of a grid may have been rounded on their way
same_value <- function(values, value) {
  if (is.numeric(values)) abs(values - value) <= 1e-8 * abs(value) else values == value
}

# differences that are rounding are none
widened_range <- function(values) {
  limits <- range(values)
  largest <- max(abs(limits), 1e-300)
  if (diff(limits) > tie_share * largest) limits else limits + c(-0.5, 0.5) * largest
}

surface_title <- function(tuning, held) {
  words <- criterion_labels[[tuning$criterion]]
  if (length(held) == 0) {
    return(sprintf("%s: %s", tuning$method, words))
  }
  sprintf("%s: %s at %s", tuning$method, words, setting_labels(as.data.frame(held)))
}

check_over <- function(tuning, over) {
  names <- c(names(tuning$setting), "k")
  counts <- vapply(names, function(name) length(unique(tuning$table[[name]])), 0L)
  varied <- names[counts > 1]
  if (length(varied) < 2) {
    stop_rowsparse("choice", "type", "\"surface\" needs two parameters with several values",
      if (length(varied) == 0) "none" else toString(varied)
    )
  }
  if (is.null(over)) {
    return(varied[1:2])
  }
  if (!is.character(over) || length(over) != 2L || anyNA(over) || over[1] == over[2] ||
      !all(over %in% varied)) {
    stop_rowsparse("choice", "over", sprintf("must name two of %s", toString(varied)),
      if (is.character(over)) toString(over) else describe(over)
    )
  }
  over
}
