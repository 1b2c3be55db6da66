#' Plot a fit
#'
#' `"scores"`: the scores above zero in rank order, with the best features named and the selected
#' ones in blue; for fits that select features one by one ([css()], [cdlsr()]) the share of the
#' sum of squares that each adds, or would add; `"objective"`: the objective at each outer
#' iteration (or, if it stays constant, by the number of features), or with `others` the
#' convergence of several fits; `"loadings"`: the nonzero rows of the loadings as a heat map, best
#' feature on top, columns named by classes or responses if any; `"pixels"`: the selected features
#' in an image whose pixels are the features; `"correlation"`: the correlations of the selected
#' features in rank order; `"embedding"`: the samples on their first two principal components by
#' all features (left) and by the selected ones (right), with the right picture rotated to match
#' the left. For [alignment()] without `data`: the embedding to which the features were aligned
#' and its counterpart from the selected features; `"proof"`: for fits by `solver = "exact"`, the
#' share that the best set explains and the bound for any set, over the seconds of the search;
#' `"alternatives"`: the value of each feature's place in the set, see [alternatives()], which is
#' called with its defaults unless `data` is its result.
#'
#' Every call draws one page, or, if `par(mfrow = )` divides the page, uses the next places, one
#' for each panel. Classes and methods differ by symbol and by colours that colour-blind readers
#' can distinguish. Maps of signed values are blue below zero, white at zero and orange above;
#' other maps go from dark to light. Names too long for the page are shortened in the middle.
#'
#' @param x A fit.
#' @param type Which plot.
#' @param n Number of features shown. In `"pixels"`, `"correlation"` and `"embedding"` all
#'   selected features are shown if the fit selects a fixed number and `n` is missing.
#' @param labels Number of features named in `"scores"`.
#' @param dim For `"pixels"`: height and width of the image in pixels. The first feature is the
#'   pixel at the top left, the next ones lie below it: the features fill the image column by
#'   column, as R and MATLAB store matrices.
#' @param background For `"pixels"`: d grey values to draw below. `NULL`: the mean of the samples
#'   in `data`, or plain grey without `data`.
#' @param data For `"correlation"`, `"embedding"`, `"pixels"` and `"alternatives"`: the data, as in
#'   the call of the fit; for the last one also a result of [alternatives()].
#' @param groups For `"embedding"`: classes of the samples, shown by colour and symbol, or numbers
#'   with more than 20 different values, shown by shade. `NULL`: the shade is the position along
#'   the first direction on the left, so that samples can be recognised on the right.
#' @param others For `"objective"`: a fit or a named list of fits to draw beside `x`. Their
#'   objectives need not be comparable: drawn is, on a logarithmic scale, the distance to the
#'   final objective relative to that at the start.
#' @param byrow For `"pixels"`: `TRUE` where the features fill the image row by row.
#' @param ... Graphical parameters, by name: passed on to the base graphics function.
#' @return `x`, invisibly.
#' @section Errors:
#' Of class `rowsparse_error`: types that do not exist (`rowsparse_error_choice`), a `dim` that
#' does not hold all features (`rowsparse_error_size`), plots without the data that they need
#' (`rowsparse_error_type`).
#' @seealso [autoplot.rowsparse()]: the same with ggplot2. Other plots: [plot.rowsparse_path()],
#'   [plot.rowsparse_tuning()], [plot.feature_evaluation()], [plot.method_comparison()],
#'   [plot.rowsparse_moments()], [plot.feature_alternatives()].
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 2)
#' plot(fit)
#' plot(fit, type = "loadings")
#' plot(fit, type = "correlation", data = iris[, 1:4], n = 3)
#' plot(fit, type = "embedding", data = iris[, 1:4], n = 2, groups = iris$Species)
#' plot(fit, type = "objective", others = list(rtr = bsufs(iris[, 1:4], m = 2, solver = "rtr")))
#' # a 4 x 4 image with a bright corner that varies
#' set.seed(1)
#' pixels <- matrix(rnorm(20 * 16), 20)
#' pixels[, c(1, 2, 5, 6)] <- 3 * pixels[, c(1, 2, 5, 6)] + 5
#' plot(rowsparse(pixels, k = 4), type = "pixels", dim = c(4, 4), data = pixels)
#' @export
plot.rowsparse <- function(x, type = c(
                             "scores", "objective", "loadings", "pixels", "correlation",
                             "embedding", "proof", "alternatives"
                           ),
                           n = 50, labels = 10, dim = NULL, background = NULL, data = NULL,
                           ..., groups = NULL, others = NULL, byrow = FALSE) {
  check_fit(x, "x")
  check_graphical(...)
  picture <- fit_picture(x, type, if (missing(n)) NULL else check_shown(n),
    labels, dim, background, data, groups, others, byrow
  )
  draw_picture(x, picture, ...)
}

# ---- what is drawn, the same for base graphics and ggplot2 ------------------------------

# A picture is a list with a `kind`, a title and axis labels, and what its kind needs;
# draw_picture() and gg_picture() know the kinds. n: NULL where the caller gave none.
fit_picture <- function(fit, type, n, labels, dim, background, data, groups, others, byrow) {
  type <- check_choice(type, "type", eval(formals(plot.rowsparse)$type))
  labels <- check_shown(labels, "labels", 0L)
  data <- coded_like(fit, data, "data")
  shown <- function() features_shown(fit, n)
  most <- or_default(n, 50L)
  switch(type,
    scores = scores_picture(fit, most, labels),
    objective = if (is.null(others)) objective_picture(fit) else convergence_picture(fit, others),
    loadings = loadings_picture(fit, most),
    pixels = pixels_picture(fit, shown(), dim, background, data, byrow),
    correlation = correlation_picture(fit, shown(), data),
    embedding = embedding_picture(fit, groups, data, n),
    proof = proof_picture(fit),
    alternatives = fit_alternatives_picture(fit, data, n)
  )
}

# columns in rank order: the n best, or the fit's own selection
features_shown <- function(fit, n) {
  if (is.null(n) && is.null(fit$selected)) n <- 50L
  if (is.null(n)) fit$selected else utils::head(fit$ranking, n)
}

# Stems in rank order, as far as scores are above zero. A fit that selects features one by
# one scores those selected above all others by a whole: what is drawn then is the share
# that each adds.
scores_picture <- function(fit, n, labels) {
  shares <- is.numeric(fit$gains) && length(fit$gains) == fit$d
  scored <- sum(fit$scores > 0)
  shown <- utils::head(fit$ranking, min(n, if (scored > 0) scored else n))
  values <- unname(if (shares) fit$gains[shown] else fit$scores[shown])
  left_out <- fit$d - scored
  table <- data.frame(
    rank = seq_along(shown), value = values, feature = as.character(feature_labels(fit, shown)),
    chosen = is.null(fit$selected) | shown %in% fit$selected
  )
  list(
    kind = "stems", table = table, named = min(labels, scored, nrow(table)),
    title = plot_title(fit, if (shares) "what each feature adds" else "scores"),
    ylab = if (shares) "share of the sum of squares" else "score",
    xlab = if (scored > 0 && left_out > 0) {
      sprintf("rank (%s with score zero not drawn)", count_of(left_out, "feature"))
    } else {
      "rank"
    }
  )
}

# along the iterations; where they do nothing, along the sizes if the fit holds some
objective_picture <- function(fit) {
  check_objective(fit)
  f <- fit$objective
  known <- unique(f[is.finite(f)])
  path <- fit$path
  by_size <- length(known) == 1L && is.numeric(path$objective) && length(path$objective) > 1L &&
    length(path$objective) == length(path$k)
  list(
    kind = "curves", x = if (by_size) path$k else seq_along(f) - 1,
    y = if (by_size) path$objective else f, whole = TRUE,
    xlab = if (by_size) "number of features" else "outer iteration", ylab = "objective",
    title = plot_title(fit, "objective"),
    note = if (!by_size && length(known) == 1L) {
      sprintf("one value, %s: nothing to improve step by step", format(known, digits = 6))
    }
  )
}

convergence_picture <- function(fit, others) {
  table <- convergence_table(fit, others)
  list(
    kind = "curves", x = table$iteration, y = table$gap, group = table$fit, log = "y",
    whole = TRUE, xlab = "outer iteration", ylab = "distance to the end, relative to the start",
    title = "Convergence"
  )
}

# iteration, gap and fit: |f_t - f_T| / |f_0 - f_T| as far as it is more than rounding
convergence_table <- function(fit, others) {
  fits <- fits_to_draw(fit, others)
  rows <- Map(function(one, name) {
    check_objective(one)
    f <- one$objective
    gap <- abs(f - f[length(f)])
    first <- gap[is.finite(gap) & gap > 0]
    gap <- gap / c(first, 1)[1]
    known <- is.finite(gap) & gap > 1e-12
    data.frame(iteration = seq_along(f)[known] - 1, gap = gap[known], fit = rep(name, sum(known)))
  }, fits, names(fits))
  table <- do.call(rbind, unname(rows))
  if (nrow(table) == 0) {
    stop_rowsparse("choice", "others", "must hold fits whose objective changes")
  }
  table$fit <- factor(table$fit, names(fits))
  table
}

# named list of fits, named by their methods where the caller gives no names
fits_to_draw <- function(fit, others) {
  if (inherits(others, "rowsparse")) others <- list(others)
  sound <- is.list(others) && length(others) > 0 &&
    all(vapply(others, inherits, NA, what = "rowsparse"))
  if (!sound) {
    stop_rowsparse("type", "others", "must be a fit or a list of fits", describe(others))
  }
  for (one in others) check_fit(one, "others")
  labels <- or_default(names(others), rep("", length(others)))
  own <- vapply(others, function(one) class(one)[1], "")
  labels[is.na(labels) | !nzchar(labels)] <- own[is.na(labels) | !nzchar(labels)]
  fits <- c(list(fit), unname(others))
  stats::setNames(fits, make.unique(c(class(fit)[1], labels), " "))
}

check_objective <- function(fit) {
  if (!any(is.finite(fit$objective))) {
    stop_rowsparse("choice", "type",
      sprintf("\"objective\": this fit of %s holds no finite value", class(fit)[1])
    )
  }
}

# A map holds values (rows from top to bottom x columns), the names of both, limits and
# colours; `tiles` are words in the tiles
signed_map <- function(value, rows, columns, limits = symmetric_limits(value), ...) {
  list(
    kind = "map", value = unname(value), rows = as.character(rows), columns = columns,
    limits = limits, colours = diverging_colours(), ...
  )
}

loadings_picture <- function(fit, n) {
  shown <- nonzero_loadings(fit, n)
  columns <- loading_columns(fit)
  signed_map(fit$loadings[shown, , drop = FALSE], feature_labels(fit, shown), columns$labels,
    xlab = columns$what, title = plot_title(fit, "loadings")
  )
}

# what the columns of the loadings are
loading_columns <- function(fit) {
  labels <- colnames(fit$loadings)
  if (is.null(fit[["response"]]) || is.null(labels)) {
    return(list(labels = seq_len(ncol(fit$loadings)), what = "component"))
  }
  list(labels = labels, what = if (fit[["response"]]$type == "class") "class" else "response")
}

# features with a nonzero row of loadings, best first, at most n
nonzero_loadings <- function(fit, n) {
  if (is.null(fit$loadings)) {
    stop_rowsparse("choice", "type", sprintf("\"loadings\": %s has none", class(fit)[1]))
  }
  norms <- row_norms(fit$loadings[fit$ranking, , drop = FALSE])
  utils::head(fit$ranking[norms > 0], n)
}

correlation_picture <- function(fit, shown, data) {
  signed_map(correlation_of_features(fit, shown, data), feature_labels(fit, shown),
    seq_along(shown), limits = c(-1, 1), xlab = "rank",
    title = plot_title(fit, "correlation of the selected features")
  )
}

correlation_of_features <- function(fit, shown, data) {
  if (is.null(data)) {
    stop_rowsparse("type", "data", "must be given for the correlations: the data of the fit")
  }
  data <- without_constant_warning(as_data(data,
    block = block_beside(NULL, fit, data), argument = "data"
  ))
  columns <- feature_columns(feature_labels(fit, shown), "x", data$d, data$names)
  block <- centred_block(data, columns)
  S <- cross_block(data, columns, block, columns, block)
  deviation <- pmax(sqrt(diag(S)), .Machine$double.xmin)
  # rounding must not leave the scale of the picture
  correlation <- pmin(pmax(sweep(S / deviation, 2, deviation, "/"), -1), 1)
  diag(correlation) <- sign(diag(correlation))
  correlation
}

pixels_picture <- function(fit, shown, dim, background, data, byrow) {
  if (is.null(background) && !is.null(data)) background <- mean_image(data, fit$d)
  check_pixels(dim, background, byrow, fit$d)
  list(
    kind = "pixels", dim = dim, marks = pixel_places(shown, dim, byrow),
    all = pixel_places(seq_len(fit$d), dim, byrow), grey = background,
    title = plot_title(fit, count_of(length(shown), "selected pixel"))
  )
}

mean_image <- function(data, d) {
  samples <- read_samples(data, "data")
  if (samples$d != d) {
    stop_rowsparse("size", "data", sprintf("must have %s, as the fit", count_of(d, "feature")),
      samples$d
    )
  }
  Matrix::colMeans(input_matrix(samples))
}

# column from the left and row from below of the pixels of some features
pixel_places <- function(index, dim, byrow) {
  if (byrow) {
    data.frame(column = (index - 1) %% dim[2] + 1, row = dim[1] - (index - 1) %/% dim[2])
  } else {
    data.frame(column = (index - 1) %/% dim[1] + 1, row = dim[1] - (index - 1) %% dim[1])
  }
}

check_pixels <- function(dim, background, byrow, d) {
  check_flag(byrow, "byrow")
  if (!is_whole(dim) || length(dim) != 2L || any(dim < 1) || prod(dim) != d) {
    stop_rowsparse("size", "dim",
      sprintf("must be two whole numbers with product %d, the number of features", d),
      describe(dim)
    )
  }
  if (!is.null(background) && length(check_numbers(background, "background")) != d) {
    stop_rowsparse("length", "background", sprintf("must hold %d values, one per feature", d),
      length(background)
    )
  }
}

# ---- the samples ------------------------------------------------------------------

# two panels, and what colours the samples: classes, or a number by which they are shaded
embedding_picture <- function(fit, groups, data, n) {
  pair <- if (is.null(data)) fitted_embeddings(fit) else component_pair(fit, data, n)
  view <- function(vectors, title) {
    at <- vectors[, seq_len(min(2L, ncol(vectors))), drop = FALSE]
    labels <- paste(pair$axis, 1:2)
    if (ncol(at) == 1L) {
      at <- cbind(seq_len(nrow(at)), at)
      labels <- c("sample", labels[1])
    }
    list(at = unname(at), labels = labels, title = title)
  }
  told <- sample_colours(groups, nrow(pair$all), unname(pair$all[, 1]))
  list(
    kind = "samples", title = plot_title(fit, "samples"), groups = told$groups,
    shade = told$shade, scale = told$scale,
    panels = list(
      view(pair$all, pair$title),
      view(pair$seen, sprintf("seen in %s", count_of(pair$k, "feature")))
    )
  )
}

# numbers of many values shade the samples, anything else is their class
sample_colours <- function(groups, n, shade) {
  if (is.null(groups)) {
    return(list(shade = shade, scale = FALSE))
  }
  if (is.numeric(groups) && is.null(dim(groups)) && length(unique(groups)) > 20L) {
    check_response_length(groups, n, "groups")
    return(list(shade = check_numbers(groups, "groups"), scale = TRUE))
  }
  class_response(groups, n, "groups")
  list(groups = droplevels(as.factor(groups)))
}

# what alignment() has aligned to
fitted_embeddings <- function(fit) {
  if (is.null(fit[["embedding"]]) || is.null(fit$embedding_selected)) {
    stop_rowsparse("type", "data",
      sprintf("must be given for the embedding: the data of the fit of %s", class(fit)[1])
    )
  }
  list(
    all = fit[["embedding"]], seen = fit$embedding_selected, k = fit$parameters$k,
    title = "aligned to", axis = "direction"
  )
}

# the two leading components by all features and by the selected ones, the latter turned
# to the former
component_pair <- function(fit, data, shown) {
  samples <- read_samples(data, "data")
  chosen <- feature_labels(fit, features_shown(fit, shown))
  columns <- feature_columns(chosen, "data", samples$d, samples$names)
  scale <- !is.null(fit$scale)
  block <- block_beside(NULL, fit, data)
  all <- two_components(input_matrix(samples), scale, block)
  seen <- two_components(dense_columns(samples, columns), scale, block)
  list(
    all = all, seen = turned_to(seen, all), k = length(columns),
    title = sprintf("by all %s", count_of(samples$d, "feature")), axis = "component"
  )
}

# scores of the samples on at most two principal components
two_components <- function(x, scale, block = NULL) {
  data <- without_constant_warning(as_data(x, scale, block = block, argument = "data"))
  inside <- in_binary_units(data)
  svd <- truncated_svd(inside, min(2L, largest_dimension(data)))
  sweep(svd$left, 2, sqrt(pmax(svd$squares[seq_len(ncol(svd$left))], 0)), "*")
}

# rotation and reflection that bring A nearest to B; columns that it lacks are zero
turned_to <- function(A, B) {
  turn <- svd(crossprod(A, B))
  A %*% turn$u %*% t(turn$v)
}
