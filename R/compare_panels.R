#' Compare panels
#'
#' Judges sets of features from any source (a fit, another package, a paper, a catalogue) on the
#' same samples, beside random sets of the same size and the features of largest variance. A panel
#' that is no better than these has found nothing.
#'
#' @section Measures:
#' With the features centred to \eqn{X_c}{Xc} (and divided by their standard deviations with
#' `scale = TRUE`), a panel T `explained` the share of the sum of squares that a regression of all
#' features on those of T reproduces,
#' \deqn{1 - \min_B \|X_c - X_{c,T} B\|^2 / \|X_c\|^2.}{
#' 1 - min over B of ||Xc - Xc[,T] B||^2 / ||Xc||^2.}
#' It `kept` the share of neighbours \eqn{|N_i \cap N_i(T)| / |N_i|}{|N_i and N_i(T)| / |N_i|} in
#' the mean over the samples i, where \eqn{N_i}{N_i} are the samples nearest to i by the Euclidean
#' distance on the 20 leading components of all features, or on `reference`, and
#' \eqn{N_i(T)}{N_i(T)} those nearest on the 20 leading components of the panel. On all features as
#' they are, noise and the features of largest variance would decide who is near. A random set of
#' neighbours has the expected share `neighbours / (n - 1)`.
#'
#' With `types`, the linear discriminants of [predict.rowsparse()] on the panel tell the samples of
#' each of ten folds from the others, and the F1 of a type is
#' \deqn{2 TP / (2 TP + FP + FN)}{2 TP / (2 TP + FP + FN)}
#' of the samples so told: too high for panels that were chosen by these very samples.
#'
#' With `clustering = TRUE` 50 runs of k-means on the panel are judged, as in published tables: at
#' most 200 rounds of Lloyd's iteration from samples drawn by k-means++, in as many clusters as
#' there are `types`; a cluster left empty gets the sample farthest from its centre. ACC is the
#' share of samples whose type is that of their cluster, by the best one-to-one matching; NMI the
#' mutual information of clusters and types over the root of the product of their entropies. The
#' standard error of a mean is its standard deviation over the root of 50. Such tables use all
#' samples (`samples = Inf`).
#'
#' @param panels A named list: every element is a fit or a result of [cv_rowsparse()], which stand
#'   for their selected features, or a vector of feature names or column numbers; for a
#'   `SummarizedExperiment` also of symbols, see [experiments]. A single panel needs no list.
#' @param x The samples, in memory: see [rowsparse_data].
#' @param types,y The class, and a numeric response, of each sample: factor and vector, or, for a
#'   `SummarizedExperiment`, names of columns of `colData(x)`. `y` may have several columns.
#' @param reference A matrix with a row for each sample of `x`, such as `reducedDim(x, "PCA")`, in
#'   which the neighbours are sought that panels should keep. `NULL`: the 20 leading components of
#'   all features, centred within the levels of the `block`.
#' @param neighbours Number of neighbours of a sample; the default gives way to fewer samples.
#' @param samples The largest number of samples that are compared, evenly spaced over the rows;
#'   `Inf` for all.
#' @param random Number of random sets of each size; their means are reported.
#' @param scale Divide the features by their standard deviations, for all panels?
#' @param block The level of each sample, see [rowsparse_data]. `NULL`: the block of the first fit
#'   among the panels that has one, if that is the name of a column that `x` has too; a message
#'   tells if it is not.
#' @param assay See [rowsparse_data].
#' @param clustering Also report ACC and NMI of 50 runs of k-means? Needs `types` and the package
#'   clue.
#' @param seed A whole number from which random sets and k-means are drawn, without R's generator;
#'   `NULL`: from its state.
#' @param missing What to do about names in a panel that x lacks: `"error"`, or `"ignore"`, which
#'   judges the panel without them, with a message of class `rowsparse_message_missing` that names
#'   them. A panel without any known name is an error.
#' @param ... Further graphical parameters for `plot()`; otherwise unused.
#'
#' @return A data frame of class `panel_comparison`, one row for each panel, then `"random"` and
#'   `"variance"` (for panels of several sizes with the size in brackets):
#'   \item{panel, k}{the name and the number of features}
#'   \item{explained, kept}{see above}
#'   \item{error}{with `y`: its relative squared error by least squares on the panel, in ten folds,
#'     see [cv_rowsparse()], of values less the means of their level where there is a `block`; too
#'     low for panels that were chosen by these very samples}
#'   \item{same}{with `types`: the share of neighbours of the sample's own type, as the mean over
#'     the types with at least two samples}
#'   \item{f1, lowest_f1}{with `types`: the mean F1 of the types in samples left out, and that of
#'     the type that is told worst}
#'   \item{redundancy, backed}{the mean over its features of the largest absolute correlation with
#'     another feature of the panel, and the share of those with a near-copy outside (0.9 or more)}
#'   \item{nmi}{with `types`: mean NMI, of 5 runs of k-means without `clustering`}
#'   \item{nmi_sd, acc, acc_sd}{with `clustering`: standard deviation over the runs, mean and
#'     standard deviation of ACC}
#'
#'   Attributes: `kept`, the shares by sample and panel, with their `rows` in x and the share
#'   by `chance`; `features`, a row per feature of the given panels with the `copy` outside that
#'   correlates most with it, the absolute `correlation`, the `count` of those outside with 0.9 or
#'   more, and the same `within` the panel, of a `partner`; `types`, a row per panel and type, the
#'   rarest first, with `samples`, the share of neighbours of the `same` type, in the reference
#'   (`same_all`) and by `chance`, the share `kept` and the `f1`; with `clustering` `runs`, a row
#'   for each run. `plot()` draws a map of the table, coloured by column from worse to better.
#' @references
#' Arthur and Vassilvitskii (2007) k-means++: the advantages of careful seeding. Proceedings of
#' the Annual ACM-SIAM Symposium on Discrete Algorithms 18, 1027-1035.
#'
#' Strehl and Ghosh (2002) Cluster ensembles: a knowledge reuse framework for combining multiple
#' partitions. Journal of Machine Learning Research 3, 583-617.
#' @examples
#' data <- simulate_shapes("diamond9", n = 200)
#' found <- rowsparse(data$x, k = 2)
#' table <- compare_panels(list(ours = found, theirs = c("f1", "f9")), data$x, types = data$y,
#'   seed = 1
#' )
#' table
#' plot(table)
#' head(attr(table, "types"))
#' @export
compare_panels <- function(panels, x, types = NULL, y = NULL, reference = NULL, neighbours = 15,
                           samples = 2000, random = 5, scale = FALSE, block = NULL, assay = NULL,
                           clustering = FALSE, seed = NULL, missing = c("error", "ignore")) {
  panels <- check_panels(panels)
  panels <- Map(names_of_symbols, panels, list(x), sprintf("panels$%s", names(panels)))
  random <- check_count(random, "random", 1L, 1000L)
  scale <- check_flag(scale, "scale")
  refuse_if(check_flag(clustering, "clustering") && is.null(types),
    "argument", "clustering", "must be FALSE without `types`", "TRUE")
  if (clustering) check_installed("clue", "to match clusters with types")
  fits <- Filter(function(panel) inherits(panel, "rowsparse"), panels)
  block <- block_beside(block, Find(function(fit) !is.null(fit[["block"]]), fits), x)
  for (fit in fits) x <- coded_like(fit, x)
  part <- spread_samples(x, samples, block, assay, types, y)
  data <- data_of_part(part, scale)
  if (missing(neighbours)) neighbours <- min(neighbours, data$n - 1L)
  columns <- leaving_out(missing = missing, Map(function(panel, name) {
    index <- if (inherits(panel, "rowsparse")) selected_index(panel, NULL)
    feature_columns(panel, sprintf("panels$%s", name), data$d, data$names, index)
  }, panels, names(panels)))
  cells <- cells_of_reference(reference, part, data)
  judge <- judge_of_part(part, data, cells, neighbours, scale, clustering)
  judged <- with_seed(check_seed(seed), {
    sets <- c(lapply(columns, list), panels_beside(data, lengths(columns), random))
    lapply(sets, function(draws) mean_of_draws(lapply(draws, judge)))
  })
  panel_comparison(judged, names(columns), part$rows, neighbours / (data$n - 1))
}

# a named list of fits and vectors
check_panels <- function(panels) {
  one <- is.atomic(panels) || inherits(panels, c("rowsparse", "cv_rowsparse"))
  if (one) panels <- list(panel = panels)
  refuse_if(!is.list(panels) || length(panels) == 0L,
    "type", "panels", "must be a list of fits and vectors of features", describe(panels))
  check_distinct(c(or_default(names(panels), ""), "random", "variance"), "panels",
    "distinct names, as list(ours = , theirs = ) has, other than those of the baselines")
  lapply(panels, fit_of_panel)
}

# of a cross-validation its fit, or what stands for one, with the columns chosen; others as they are
fit_of_panel <- function(panel) {
  if (!inherits(panel, "cv_rowsparse")) {
    return(panel)
  }
  fit <- if (is.list(panel$fit)) panel$fit else structure(panel$features, class = "rowsparse")
  fit$selected <- panel$columns
  fit
}

# Random sets for each size, and a list of the features of largest variance
panels_beside <- function(data, sizes, random) {
  sizes <- sort(unique(unname(sizes)))
  by_variance <- order_features(ifelse(data$constant, 0, data$deviation), raw_square(data))
  beside <- lapply(sizes, function(k) {
    draws <- replicate(random, sample.int(data$d, k), simplify = FALSE)
    list(random = draws, variance = list(by_variance[seq_len(k)]))
  })
  words <- if (length(sizes) > 1L) sprintf(" (%d)", sizes) else ""
  names <- paste0(rep(c("random", "variance"), length(sizes)), rep(words, each = 2L))
  stats::setNames(unlist(beside, recursive = FALSE), names)
}

# the means over the sets that stand for one row of the table, and all their runs of k-means
mean_of_draws <- function(each) {
  part <- function(name) lapply(each, `[[`, name)
  out <- each[[1]]
  out$runs <- do.call(rbind, part("runs"))
  out[c("row", "types")] <- lapply(c("row", "types"), function(name) mean_of_tables(part(name)))
  out$kept <- rowMeans(do.call(cbind, part("kept")))
  if (!is.null(out$runs)) out$row$nmi <- mean(out$runs$nmi)
  if (!is.null(out$runs$acc)) {
    sds <- vapply(out$runs, stats::sd, 0)
    out$row[c("nmi_sd", "acc", "acc_sd")] <- list(sds[["nmi"]], mean(out$runs$acc), sds[["acc"]])
  }
  out
}

# means of the columns of numbers, of tables with the same rows; NULL of none
mean_of_tables <- function(tables) {
  out <- tables[[1]]
  for (column in names(out)[vapply(out, is.double, NA)]) {
    out[[column]] <- rowMeans(do.call(cbind, lapply(tables, `[[`, column)))
  }
  out
}

panel_comparison <- function(judged, given, rows, chance) {
  stack <- function(part, panels = names(judged)) {
    tables <- Filter(Negate(is.null), lapply(judged[panels], `[[`, part))
    do.call(rbind, unname(Map(cbind, panel = names(tables), tables)))
  }
  kept <- vapply(judged, `[[`, numeric(length(rows)), "kept")
  structure(stack("row"),
    kept = structure(kept, rows = rows, chance = chance), types = stack("types"),
    features = stack("features", given), runs = if (!is.null(judged[[1]]$runs$acc)) stack("runs"),
    class = c("panel_comparison", "data.frame")
  )
}

# What the columns say, for print(); low values are the good ones of some
panel_words <- c(
  explained = "share of the features that regression on the panel reproduces",
  kept = "share of the nearest neighbours of samples that stay the nearest",
  error = "relative squared error of y on samples left out (low is good)",
  same = "share of neighbours of the own type, mean over the types",
  f1 = "F1 of types in samples left out, mean over the types",
  lowest_f1 = "F1 of the type that is told worst",
  redundancy = "mean largest correlation inside the panel (low is good)",
  backed = "share of its features with a near-copy outside",
  nmi = "agreement of clusters with the types",
  acc = "share of samples in the cluster matched with their type"
)
panel_low <- c("error", "redundancy")

#' @export
print.panel_comparison <- function(x, digits = 3, ...) {
  digits <- check_count(digits, "digits", 0L, 15L)
  shown <- lapply(x, function(column) if (is.double(column)) round(column, digits) else column)
  kept <- attr(x, "kept")
  if (is.null(kept)) { # some of the columns, or rows
    print(as.data.frame(shown), row.names = FALSE)
    return(invisible(x))
  }
  cat(sprintf("Panels of features, judged on %s\n", count_of(nrow(kept), "sample")))
  print(as.data.frame(shown), row.names = FALSE)
  known <- intersect(names(x), names(panel_words))
  cat("", sprintf("%-11s %s", known, panel_words[known]), sep = "\n")
  cat("random, variance: sets of the same size, drawn, and of largest variance, to be beaten\n")
  types <- attr(x, "types")
  if (!is.null(types)) {
    cat("\nShare of neighbours of the own type, rare types first:\n")
    own <- split(types, factor(types$panel, unique(types$panel)))
    shares <- cbind(do.call(cbind, lapply(own, `[[`, "same")), reference = own[[1]]$same_all)
    rownames(shares) <- own[[1]]$type
    print(round(utils::head(shares, 12L), digits))
    more <- nrow(shares) - 12L
    if (more > 0L) cat(sprintf("and %s\n", count_of(more, "more type")))
  }
  invisible(x)
}

#' @export
as.data.frame.panel_comparison <- function(x, row.names = NULL, optional = FALSE, ...) { # nolint
  check_table_arguments(...)
  class(x) <- "data.frame"
  x
}
