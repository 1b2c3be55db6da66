# Panels side by side, whoever chose them: what each keeps of the neighbourhoods of the samples
# and of their types, beside random sets and the features of largest variance.

#' Compare panels
#'
#' Judges sets of features from any source (a fit, another package, a paper, a catalogue) on the
#' same samples, together with two baselines of the same size: random sets, and the features of
#' largest variance. A panel that is no better than the baselines has found nothing.
#'
#' Neighbours are found as in [neighbours_kept()], by the Euclidean distance of the centred rows,
#' on all features and on those of each panel. `types` are only used for judging. Near-copies are
#' searched outside the panel, redundancy is measured within it.
#'
#' @inheritParams neighbours_kept
#' @param panels A named list: every element is a fit of this package, which stands for its
#'   selected features, a result of [improve()], or a vector of feature names or column numbers. A
#'   single panel needs no list. A panel named `random` or `variance` replaces that baseline.
#' @param types The type of each sample: a factor or vector, for a `SummarizedExperiment` also the
#'   name of a column of `colData(x)`. If samples are left out (see `samples`), types with fewer
#'   than two compared samples have no share.
#' @param random Number of random sets of each size; their means are reported.
#' @param scale Divide the features by their standard deviations, for all panels?
#' @param block The level of each sample, see [variance_explained()]; `NULL`: the block of the
#'   first fit among the panels that has one, if x has it too.
#' @param object,x A comparison of panels, or for `compare_panels()` the data.
#' @param ... For `plot()`: further graphical parameters. Otherwise unused.
#'
#' @return A data frame of class `panel_comparison`, one row for each panel, then `"random"` and
#'   `"variance"` (for panels of several sizes with the size in brackets):
#'   \item{panel, k}{the name and the number of features}
#'   \item{kept}{the mean share of a sample's neighbours on all features that the panel keeps}
#'   \item{same, rare}{with `types`: the share of neighbours of the sample's own type, as the mean
#'     over the types, and in the type with the smallest share}
#'   \item{redundancy}{the mean over its features of the largest absolute correlation with another
#'     feature of the panel}
#'   \item{backed}{the share of its features with a near-copy outside (absolute correlation of 0.9
#'     or more)}
#'
#'   Attribute `types`: a data frame of `panel`, `type`, the number of `samples`, the share of
#'   neighbours of the `same` type, the same share on all features (`same_all`) and by `chance`,
#'   and the share of neighbours `kept`, the rarest types first. Attribute `features`: for the
#'   given panels a row per feature, with its `copy` outside, as in [summary.rowsparse()].
#'   `summary()` is a list of these three tables; `plot()` draws a map of the
#'   panels by these measures.
#' @section Errors:
#' Of class `rowsparse_error`: panels without names or with features that `x` does not have,
#' unusable data, `types` of another length or with missing values, `neighbours`, `samples` or
#' `random` out of range, [moments()] and [row_blocks()], which hold no samples.
#' @seealso `summary(fit, x = , types = )` for one fit, [compare_methods()] for clusterings
#' @examples
#' set.seed(1)
#' data <- simulate_shapes("diamond9", n = 200)
#' found <- rowsparse(data$x, k = 2)
#' table <- compare_panels(list(ours = found, theirs = c("f1", "f9")), data$x, types = data$y)
#' table
#' plot(table)
#' head(summary(table)$types)
#' @export
compare_panels <- function(panels, x, types = NULL, neighbours = 15, samples = 2000, random = 5,
                           scale = FALSE, block = NULL, assay = NULL) {
  panels <- check_panels(panels)
  random <- check_count(random, "random", 1L, 1000L)
  scale <- check_flag(scale, "scale")
  block <- block_beside(block, first_with_block(panels), x)
  for (panel in panels) x <- coded_like(panel, x)
  part <- spread_samples(x, samples, block, assay, types)
  data <- data_of_part(part, scale)
  columns <- Map(function(panel, name) panel_columns(panel, name, data), panels, names(panels))
  sets <- with_beside(columns, panels_beside(data, lengths(columns), random))
  judge <- judge_of_part(part, data, neighbours, scale)
  never <- lapply(panels, function(panel) {
    if (inherits(panel, "rowsparse")) kept_out(panel, data)
  })
  judged <- Map(function(set, name) judge_panel(judge, data, set, never[[name]]), sets, names(sets))
  panel_comparison(judged, sets, columns)
}

# NULL where none has one
first_with_block <- function(panels) {
  Find(function(panel) inherits(panel, "rowsparse") && !is.null(panel[["block"]]), panels)
}

# a named list of fits and vectors
check_panels <- function(panels) {
  single <- inherits(panels, c("rowsparse", "improved_panel")) || is.atomic(panels)
  if (single) panels <- list(panel = panels)
  if (!is.list(panels) || length(panels) == 0L) {
    stop_rowsparse("type", "panels", "must be a list of fits and vectors of features",
      describe(panels)
    )
  }
  named <- names(panels)
  if (is.null(named) || anyNA(named) || !all(nzchar(named)) || anyDuplicated(named)) {
    stop_rowsparse("names", "panels", "must have distinct names",
      if (is.null(named)) "none" else describe(named), "list(ours = , theirs = ), for example"
    )
  }
  panels
}

panel_columns <- function(panel, name, data) {
  argument <- sprintf("panels$%s", name)
  if (is.factor(panel)) panel <- as.character(panel)
  index <- NULL
  if (inherits(panel, "rowsparse")) {
    check_fit(panel, argument)
    index <- selected_index(panel, NULL)
  } else if (inherits(panel, "improved_panel")) {
    check_improved(panel, argument)
    panel <- panel$selected
  }
  feature_columns(panel, argument, data$d, data$names, index)
}

# For each size random sets, as a list of them, and the features of largest variance
panels_beside <- function(data, sizes, random) {
  sizes <- sort(unique(unname(sizes)))
  check_memory(8 * as.double(random) * sum(sizes + 20), "random", "take fewer random sets")
  by_variance <- order_features(ifelse(data$constant, 0, data$deviation), raw_square(data))
  beside <- lapply(sizes, function(k) {
    draws <- replicate(random, sample.int(data$d, k), simplify = FALSE)
    list(random = draws, variance = by_variance[seq_len(k)])
  })
  words <- if (length(sizes) > 1L) sprintf(" (%d)", sizes) else ""
  names <- paste0(rep(c("random", "variance"), length(sizes)), rep(words, each = 2L))
  stats::setNames(unlist(beside, recursive = FALSE), names)
}

# A panel that was given under such a name takes the place of those beside it
with_beside <- function(given, beside) {
  kind <- sub(" [(][0-9]+[)]$", "", names(beside))
  c(given, beside[!kind %in% names(given) & !names(beside) %in% names(given)])
}

# One set, or the means of several: list(row, types, features)
judge_panel <- function(judge, data, set, never = NULL) {
  if (is.list(set)) {
    each <- lapply(set, function(columns) judge_panel(judge, data, columns))
    return(list(
      row = mean_of_tables(lapply(each, `[[`, "row")),
      types = mean_of_tables(lapply(each, `[[`, "types"))
    ))
  }
  judged <- judge(set)
  copies <- nearest_copies(data, set, never)
  row <- data.frame(k = length(set), kept = mean(judged$kept))
  if (!is.null(judged$types)) {
    same <- judged$types$same
    row$same <- mean(same, na.rm = TRUE)
    row$rare <- if (all(is.na(same))) NA_real_ else min(same, na.rm = TRUE)
  }
  row$redundancy <- mean(copies$within)
  row$backed <- mean(copies$count > 0)
  list(row = row, types = judged$types, features = copies)
}

# of the same rows and columns; NULL of none
mean_of_tables <- function(tables) {
  out <- tables[[1]]
  for (column in names(out)[vapply(out, is.double, NA)]) {
    out[[column]] <- rowMeans(do.call(cbind, lapply(tables, `[[`, column)))
  }
  out
}

panel_comparison <- function(judged, sets, given) {
  stack <- function(part, names) {
    tables <- lapply(names, function(name) {
      table <- judged[[name]][[part]]
      if (!is.null(table)) cbind(panel = name, table)
    })
    do.call(rbind, tables)
  }
  structure(stack("row", names(sets)),
    types = stack("types", names(sets)), features = stack("features", names(given)),
    class = c("panel_comparison", "data.frame")
  )
}

# ---- what is made of it --------------------------------------------------------------

check_panel_comparison <- function(table, argument = "x") {
  parts <- c("panel", "k", "kept", "redundancy", "backed")
  types <- attr(table, "types")
  by_type <- c("panel", "type", "samples", "same")
  sound <- is.data.frame(table) && nrow(table) > 0L && all(parts %in% names(table)) &&
    all(vapply(unclass(table), function(v) is.null(dim(v)) && length(v) == nrow(table), NA)) &&
    all(vapply(table[setdiff(names(table), "panel")], is.numeric, NA)) &&
    is.character(table$panel) && !anyNA(table$panel) && !anyDuplicated(table$panel) &&
    (is.null(types) || (are_types(types) && all(by_type %in% names(types)) && nrow(types) > 0L))
  if (!sound) {
    stop_rowsparse("object", argument, "must be a comparison of panels, unchanged",
      describe(table), "Run compare_panels() again"
    )
  }
  invisible(table)
}

#' @export
print.panel_comparison <- function(x, digits = 3, ...) {
  check_panel_comparison(x)
  digits <- check_count(digits, "digits", 0L, 15L)
  cat("Panels: what they keep of the neighbours of the samples",
    if (!is.null(x[["same"]])) ", and of their types", "\n", sep = ""
  )
  print_rounded(x, digits)
  invisible(x)
}

#' @rdname compare_panels
#' @export
summary.panel_comparison <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_panel_comparison(object, "object")
  out <- list(
    panels = as.data.frame(object), types = attr(object, "types"),
    features = attr(object, "features")
  )
  structure(out, class = "summary.panel_comparison")
}

#' @export
print.summary.panel_comparison <- function(x, digits = 3, ...) {
  check_elements(x, "x", "a summary", list(panels = data_frame))
  if (!is.null(x$types) && !are_types(x$types)) {
    stop_rowsparse("object", "x", "must be a summary, unchanged", describe(x$types))
  }
  digits <- check_count(digits, "digits", 0L, 15L)
  print_rounded(x$panels, digits)
  if (!is.null(x$types)) {
    cat("\nShare of neighbours of the own type, rare types first:\n")
    print(round(type_matrix(x$types), digits))
  }
  invisible(x)
}

#' @export
as.data.frame.panel_comparison <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  check_table_arguments(...)
  check_panel_comparison(x)
  attr(x, "types") <- attr(x, "features") <- NULL
  class(x) <- "data.frame"
  x
}

# types x panels, the rarest first, both named; and what all features give
type_matrix <- function(types) {
  panels <- unique(types$panel)
  kinds <- unique(types$type)
  out <- matrix(NA_real_, length(kinds), length(panels) + 1L,
    dimnames = list(kinds, c(panels, "all features"))
  )
  out[cbind(match(types$type, kinds), match(types$panel, panels))] <- types$same
  out[, "all features"] <- types$same_all[match(kinds, types$type)]
  out
}
