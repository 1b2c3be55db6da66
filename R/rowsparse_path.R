#' Paths over the penalty or over the number of features
#'
#' Fits a method along a grid. The data are read once, and what fits share is computed once.
#'
#' Over a penalty, the grid descends, equally spaced on the logarithmic scale, from the smallest
#' value that empties the loadings at the principal components (for [rfs()], all loadings; for
#' [spcafs()], a value that leaves about m features; for [spca_psd()], twenty times the default),
#' and each fit starts from the previous one. [bsufs()] and [spcafs()] run upwards instead: this
#' ends lower, and zero rows of [spcafs()] cannot become nonzero again. A point of [bsufs()] stops
#' at a relative change of the objective of 5e-4 unless `control` says otherwise. Except for [rfs()]
#' and [spca_psd()] the problems are not convex, so that a point of the path and a fit from a cold
#' start may be different local minima.
#'
#' Over `k`, methods whose first k features are nested need one fit only. [fspca()] over more than
#' five sizes searches at three of them and derives the other sets from neighbouring sizes: a few
#' may carry up to a percent less variance than with their own search (`starts = 1`).
#'
#' @inheritParams rowsparse
#' @param k Number of features, or several: the path goes over these sizes. `NULL`: over the
#'   penalty, and for methods without one over 1, 2, ..., 50, as far as the data allow.
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` for the default of
#'   [rowsparse()].
#' @param lambda Values of the penalty (`lambda1` of [bsufs()]), in any order. With neither `k` nor
#'   `lambda`, methods with a penalty get `nlambda` values.
#' @param nlambda,lambda_ratio Number of penalties, and the smallest divided by the largest one.
#' @param ... Arguments of the method. `certify = TRUE`, or a number of seconds, proves the sets of
#'   a path over `k` of [fspca()], [cdlsr()] and [css()]: `bound` and `gap` say how far each set is
#'   from the best possible one.
#'
#' @return A list of class `rowsparse_path`, with L points, and data and parameters as in
#'   [rowsparse_fit]:
#'   \item{method, over, grid}{the method, the argument that changes, and its L values in the order
#'     of the path}
#'   \item{scores}{d x L sparse matrix: the scores of the features that the point selects (nonzero
#'     rows, or the k best)}
#'   \item{selected, nonzero}{list of L integer vectors: the selected features, best first; their
#'     numbers}
#'   \item{explained}{with a response, its share that the regression of the point reproduces (`NA`
#'     over k for methods that regress on all features, as [rfs()]); otherwise that of
#'     \eqn{\|X_c\|^2}{||Xc||^2}, over a penalty by regression on the m components \eqn{X_c V}{Xc V}
#'     (V the loadings), over k by regression on the selected features}
#'   \item{objective, iterations, converged, bound, gap}{of every fit, or of the one fit that serves
#'     the path; single fits do not warn}
#'   \item{loadings, regression}{lists of L: the nonzero rows of the loadings, where the method has
#'     any, and the regressions for a response}
#'   \item{entry}{for every feature the first point that selects it, `NA` for none}
#'
#'   `coef(path, at)` gives the d x m loadings at the grid point nearest to `at` or, with a
#'   response, the (d + 1) x c coefficients; `predict(path, newdata, at, type)` is that of a fit,
#'   see [predict.rowsparse()]; responses and classes of several points, or of all where `at` is
#'   left out, are a matrix with a column per point (n x c x L numbers for several responses or
#'   classes). `selected(path, k)` gives the k best features at the first point that has at least
#'   k; `selected(path, at = )` all of a point; `as.data.frame()` a row per point; `plot()` draws
#'   the `"scores"`, the number that is `"nonzero"`, or the share `"explained"`.
#' @seealso [rowsparse()], [cv_rowsparse()] to choose a point
#' @examples
#' set.seed(1)
#' shape <- simulate_shapes("diamond9", n = 300, ratio = 0.5)
#' path <- rowsparse_path(shape$x, method = "bsufs", m = 2, nlambda = 20)
#' path
#' plot(path)
#' selected(path, 2)
#'
#' # one of a supervised method predicts, at one point or all of them
#' path <- rowsparse_path(iris[, 1:4], iris$Species, k = 1:3, method = "cdlsr")
#' colMeans(predict(path, iris) != iris$Species)
#' @order 1
#' @export
rowsparse_path <- function(x, y = NULL, k = NULL, method = NULL, lambda = NULL, nlambda = 50,
                           lambda_ratio = 0.01, ..., data = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  request <- as_request("rowsparse_path", call, parent.frame(), x = x, y = y, k = k,
    method = method, ..., data = data, adapt = with_certify,
    reserved = function(entry) c(shared_start(entry), entry$penalty)
  )
  entry <- request$entry
  given <- request$given
  over <- path_variable(entry, k, lambda)
  data <- method_data(entry, request$x, given)
  check_given_dimension(entry, given, data)
  grid <- if (over == "k") list(sizes = path_sizes(k, data, entry, given))
  shared <- share_over_path(entry, given, data)
  if (is.null(grid)) {
    grid <- list(penalties = path_penalties(entry, shared$data, request$y, shared$given, lambda,
      nlambda, lambda_ratio
    ))
  }
  path <- path_along(entry, request$x, request$y, shared$data, shared$given, grid)
  out <- new_path(entry, over, grid[[1]], path, shared$data)
  out$elapsed <- proc.time()[["elapsed"]] - started
  out$call <- call
  out$assay <- request$assay
  tell_determined(replace(out, "selected", list(unique(unlist(out$selected)))), request)
  with_table(out, request)
}

names_of <- function(given) or_default(names(given), rep("", length(given)))

# `certify` of methods whose proofs are a solver: TRUE, or the seconds for them
with_certify <- function(given, entry) {
  if (!"certify" %in% names(given) || takes(entry, "certify") || !takes(entry, "time_limit")) {
    return(given)
  }
  seconds <- check_certify(given[["certify"]])
  if (seconds > 0) given[c("solver", "time_limit")] <- list("exact", seconds)
  given["certify"] <- NULL
  given
}

# The argument `start` is not the caller's if fits of a path start from each other
shared_start <- function(entry) if (!is.null(entry$penalty)) "start"

path_variable <- function(entry, k, lambda) {
  refuse_if(!is.null(lambda) && (!is.null(k) || is.null(entry$penalty)), "argument", "lambda",
    paste("must be left out:",
      if (is.null(k)) paste(entry$name, "has no penalty") else "the path goes over `k`"
    )
  )
  if (is.null(k) && !is.null(entry$penalty)) entry$penalty else "k"
}

path_sizes <- function(k, data, entry, given) {
  largest <- entry$largest(data, given)
  least <- max(1L, unit_count(data, data$locked),
    if (entry$basis && !is_grouped(data)) given[["m"]]
  )
  if (is.null(k)) k <- seq.int(least, min(max(50L, least), largest))
  for (size in if (is.numeric(k) && length(k) > 0) range(k)) check_locked_size(size, data)
  sort(unique(check_counts(k, "k", lower = least, upper = largest)))
}

# the operator and its eigenvectors once for all fits, and a dimension
share_over_path <- function(entry, given, data) {
  if (needs_dimension(entry, given)) {
    data <- with_values_for(data, entry)
    # where k features must carry the components, the default depends on k
    if (!entry$basis) given[[entry$dimension]] <- entry$choose_dimension(data)
  } else if (identical(entry$dimension, "m") && !is_unlimited(given[["m"]])) {
    # many fits: the scatter matrix pays sooner
    data <- with_leading(data, m = check_dimension(given[["m"]], data), iterations = 500)
  }
  if (is.null(data$operator) && !is.null(entry$penalty)) {
    data <- with_leading(data, m = 1L, iterations = 500)
  }
  list(data = data, given = given)
}

# ---- fits along a grid ---------------------------------------------------------

# list(points, parameters): what `keep(fit, set, k)` takes of the fit, and of the columns that it
# selects, at each of grid$sizes or grid$penalties; parameters of the last fit. `k`: the size that
# is asked of a fit that holds several; NULL for a fit to this very size, left out for a penalty.
# Penalties descend, but for methods that say that fits with smaller ones come first.
fits_along <- function(entry, x, y, data, given, grid, keep) {
  fit <- NULL
  fit_to <- function(k, given) fit <<- quietly(fit_method(entry, x, y, data, k, given))
  kind <- if (is.null(grid$sizes)) "penalty" else sizes_of(entry, given)
  sizes <- pmin(grid$sizes, entry$largest(data, given))
  if (kind %in% c("nested", "path")) {
    fit <- fit_sized(entry, x, y, data, max(sizes), given)
    if (kind == "nested") warn_filled(fit, max(sizes))
  } else if (kind == "penalty") {
    given <- with_path_control(entry, given)
  }
  turned <- if (entry$upwards) rev else identity
  points <- switch(kind,
    nested = lapply(sizes, function(k) keep(fit, first_columns(fit, k), k)),
    path = lapply(sizes, function(k) keep(fit, fit$path$features[[at_size(fit, k)]], k)),
    refit = apply_with_progress(sizes, function(k) {
      fit_to(k, given)
      keep(fit, fit$selected, NULL)
    }),
    penalty = turned(apply_with_progress(turned(grid$penalties), function(penalty) {
      given[[entry$penalty]] <- penalty
      if (takes(entry, "start")) given["start"] <- list(fit)
      fit_to(NULL, given)
      keep(fit, scored_features(fit))
    }))
  )
  list(points = points, parameters = fit$parameters)
}

with_path_control <- function(entry, given) {
  if (is.null(given[["control"]])) given$control <- rowsparse_control(tol = entry$path_tol)
  given
}

# the position of the set of k features, or of the largest set, among those that a fit holds
at_size <- function(fit, k) match(min(k, max(fit$path$k)), fit$path$k)

# The same for a path: by what the method itself makes together, or fit by fit; with the shares
# of the variance where the method does not give them
path_along <- function(entry, x, y, data, given, grid) {
  kind <- if (is.null(grid$penalties)) sizes_of(entry, given) else "penalty"
  made <- if (is_grouped(data)) {
    NULL
  } else if (kind == "refit" && !is.null(entry$points)) {
    entry$points(data, grid$sizes, given, x, y)
  } else if (kind == "penalty" && !is.null(entry$penalty_points) && length(data$locked) == 0L) {
    # features that are locked in take their place in the ranking of every single fit
    entry$penalty_points(data, grid$penalties, with_path_control(entry, given), y)
  }
  made <- or_default(made, fits_along(entry, x, y, data, given, grid, switch(kind,
    path = path_element_point,
    penalty = function(fit, set) {
      point <- path_point(fit, set)
      replace(point, "explained", or_default(point$explained, fit$explained))
    },
    path_point
  )))
  if (is.null(made$points[[1]]$explained)) {
    # where the scatter matrix is there, it gives the shares faster than the data
    sets <- lapply(made$points, function(point) inner_index(point$selected, data))
    made$points <- Map(replace, made$points, "explained", shares_explained(sets, data))
  }
  made
}

# the largest first: those of the caller, or evenly spaced on the logarithmic scale
path_penalties <- function(entry, data, y, given, lambda, nlambda, lambda_ratio) {
  if (!is.null(lambda)) {
    return(sort(unique(check_numbers(lambda, "lambda", lower = 0)), decreasing = TRUE))
  }
  nlambda <- check_count(nlambda, "nlambda", 2L, 1e4)
  lambda_ratio <- check_number(lambda_ratio, "lambda_ratio", 0, 1, open_lower = TRUE)
  entry$largest_penalty(data, given, y) * lambda_ratio^seq(0, 1, length.out = nlambda)
}

# Features with a nonzero score, and in any case those that are locked in
scored_features <- function(fit) {
  utils::head(fit$ranking, max(sum(fit$scores > 0), length(fit$included)))
}

# what a point keeps of a fit: the selected features, their scores and loadings
path_point <- function(fit, selected, k = NULL) {
  held <- holds_size(fit, k)
  list(
    regression = if (held) regression_of(fit, k),
    classifier = if (held && !is.null(fit$training)) classifier_of(fit, k),
    response = fit[["response"]][c("type", "levels", "names", "mean", "range", "family")],
    selected = selected, scores = unname(fit$scores[selected]),
    explained = if (is_supervised_fit(fit)) response_share(fit, k),
    loadings = fit$loadings[selected, , drop = FALSE], objective = utils::tail(fit$objective, 1),
    iterations = fit$iterations, converged = fit$converged, bound = fit$bound, gap = fit[["gap"]]
  )
}

# The share of the response that a fit, or the regression on k of its features, reproduces; NA if
# the method regresses on all features only
response_share <- function(fit, k) {
  if (has_regression(fit)) {
    return(explained_by_first(fit, or_default(k, length(fit$selected))))
  }
  if (is.null(k)) fit$explained else c(fit$path$explained[match(k, fit$path$k)], NA_real_)[1]
}

# A point of a fit that holds sets of all sizes in its element `path`
path_element_point <- function(fit, set, k) {
  at <- at_size(fit, k)
  path <- fit$path
  last <- max(path$k)
  point <- path_point(fit, set, path$k[at])
  point["loadings"] <- list(path$coefficients[[at]])
  point$objective <- path$objective[at]
  if (!is.null(path$bound) && k <= last) {
    point[c("bound", "gap")] <- list(path$bound[at], path$gap[at])
    point$converged <- isTRUE(path$proved[at])
  } else if (is.null(path$bound) && path$k[at] != last) {
    point$bound <- point$gap <- NA_real_
  } # those of the largest size, beyond which no more features are independent
  point
}

# ---- the result ------------------------------------------------------------------

new_path <- function(entry, over, grid, path, data) {
  points <- path$points
  selected <- lapply(points, `[[`, "selected")
  number <- function(field) vapply(points, function(point) as.double(point[[field]]), 0)
  with_response <- !is.null(points[[1]]$response)
  has_rules <- any(lengths(lapply(points, `[[`, "classifier")) > 0)
  path$parameters[c(over, "selected")] <- NULL
  whole <- view_of(data)
  entry_points <- stats::setNames(rep(NA_integer_, whole$d), whole$names)
  for (at in rev(seq_along(selected))) entry_points[selected[[at]]] <- at
  structure(
    c(list(
      method = entry$name, over = over, grid = grid,
      scores = Matrix::sparseMatrix(
        i = unlist(selected), j = rep(seq_along(points), lengths(selected)),
        x = unlist(lapply(points, `[[`, "scores")), dims = c(whole$d, length(points)),
        dimnames = list(whole$names, NULL)
      ),
      selected = selected, nonzero = lengths(selected),
      explained = number("explained"), objective = number("objective"),
      iterations = number("iterations"), converged = number("converged") == 1,
      bound = number("bound"), gap = number("gap"),
      loadings = lapply(points, `[[`, "loadings"), entry = entry_points,
      regression = if (with_response) lapply(points, `[[`, "regression"),
      classifier = if (has_rules) lapply(points, `[[`, "classifier"),
      response = if (with_response) points[[1]]$response, parameters = path$parameters
    ), shape_of_data(data), if (!is.null(data$groups)) list(groups = data$groups)),
    class = "rowsparse_path"
  )
}

# ---- S3 methods ------------------------------------------------------------------

#' @export
print.rowsparse_path <- function(x, n = 10, ...) {
  print_lines(x, path_lines(x, check_shown(n)))
}

path_lines <- function(path, n) {
  last <- length(path$grid)
  entered <- units_of(path, entry_order(path))
  units <- unit_view(path)
  text <- sprintf("%d of %s selected by %s along the path", length(entered),
    count_of(units$d, unit_noun(path)), path$method
  )
  c(
    list_features(text, units, entered, n), locked_words(path),
    sprintf("%s over %s %s: %s features; share of the %s explained %s; %s, %.2f s",
      count_of(last, "point"), path$over,
      from_to(format(path$grid[c(1, last)], digits = 3, trim = TRUE)),
      from_to(path$nonzero[c(1, last)]), if (is_supervised_fit(path)) "response" else "features",
      from_to(sprintf("%.3f", path$explained[c(1, last)])), count_of(path$n, "sample"), path$elapsed
    ),
    if (!all(path$converged)) sprintf("%d of the fits did not converge", sum(!path$converged))
  )
}

#' @rdname rowsparse_path
#' @param n Number of features named, and of points in the table.
#' @export
summary.rowsparse_path <- function(object, n = 10, ...) {
  check_no_more("summary", "n", ...)
  n <- check_shown(n)
  summary_of_points(object, path_lines(object, n), n)
}

# the lines of a result, which print() returns
print_lines <- function(x, lines) {
  cat(lines, sep = "\n")
  invisible(x)
}

# lines, the call and at most n rows of the table of a result with points, with row `also`
summary_of_points <- function(object, lines, n, also = NULL) {
  table <- as.data.frame(object)
  shown <- round(seq(1, nrow(table), length.out = min(n, nrow(table))))
  structure(
    list(
      line = lines, call = object$call, points = nrow(table),
      table = table[sort(union(shown, also)), ]
    ),
    class = "summary.rowsparse_points"
  )
}

#' @export
print.summary.rowsparse_points <- function(x, ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat(x$line, sep = "\n")
  if (nrow(x$table) < x$points) {
    cat(sprintf("%d of the %s:\n", nrow(x$table), count_of(x$points, "point")))
  }
  print(x$table, digits = 4, row.names = FALSE)
  invisible(x)
}

from_to <- function(ends) if (ends[1] == ends[2]) ends[1] else paste(ends[1], "to", ends[2])

#' @export
as.data.frame.rowsparse_path <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  data.frame(
    stats::setNames(list(x$grid), x$over), nonzero = x$nonzero, explained = x$explained,
    objective = x$objective, gap = x$gap, iterations = x$iterations, converged = x$converged
  )
}

#' @export
coef.rowsparse_path <- function(object, at = NULL, ...) {
  check_no_more("coef", "at", ...)
  point <- path_position(object, at)
  if (!is.null(object[["response"]])) {
    return(full_coefficients(object, held_at(object, "regression", point)))
  }
  point_loadings(object, point)
}

point_loadings <- function(object, point) {
  rows <- object$loadings[[point]]
  refuse_if(is.null(rows),
    "choice", "object", sprintf("has no loadings: %s does not", object$method))
  full <- matrix(0, object$d, ncol(rows), dimnames = list(object$feature_names, colnames(rows)))
  full[object$selected[[point]], ] <- rows
  as_coefficients(full)
}

#' @rdname rowsparse_path
#' @param object A path.
#' @param newdata,assay,block As for [predict.rowsparse()].
#' @param at The point of the path nearest to this value; for responses and classes also several,
#'   or none for all points.
#' @export
predict.rowsparse_path <- function(object, newdata, at = NULL, type = NULL, assay = NULL,
                                   block = NULL, ...) {
  check_no_more("predict", c("newdata", "at", "type", "assay", "block"), ...)
  type <- resolve_type(object, type)
  check_newdata(if (missing(newdata)) NULL else newdata)
  if (type %in% c("response", class_types)) {
    return(predict_along(object, newdata, at, type, assay, block))
  }
  point <- path_position(object, at)
  selected <- object$selected[[point]]
  if (type == "features") {
    check_no_block(block)
    return(new_features(object, newdata, selected))
  }
  refuse_if(needs_response(method_table()[[object$method]]), "choice", "type",
    sprintf("must be \"features\", or what is predicted, for a path of %s", object$method)
  )
  loadings <- point_loadings(object, point)[selected, , drop = FALSE]
  project(object, loadings, newdata, selected, assay, block)
}

# The grid point nearest to a value, on the logarithmic scale for penalties; of two equally near the
# one with fewer features
path_position <- function(path, at) {
  refuse_if(is.null(at), "argument", "at", sprintf("must be given: a value of %s from %s",
    path$over, from_to(format(range(path$grid), digits = 3, trim = TRUE))
  ))
  at <- check_number(at, "at", 0)
  scale <- if (path$over == "k" || at == 0) identity else log
  first_largest(-abs(scale(path$grid) - scale(at)))
}

#' @rdname selected
#' @param at For a path: the point of the grid nearest to this value, in place of `k`.
#' @export
selected.rowsparse_path <- function(fit, k = NULL, at = NULL, groups = FALSE, expand = FALSE,
                                    ...) {
  check_no_more("selected", c("k", "at", "groups", "expand"), ...)
  if (!is.null(at)) {
    return(answer_labels(fit, fit$selected[[path_position(fit, at)]], groups, expand))
  }
  counts <- vapply(fit$selected, function(columns) units_in(fit, columns), 0L)
  refuse_if(is.null(k) || max(counts) < 1L,
    "range", "k", "must be given, or `at`; some point must select a feature")
  k <- check_count(k, "k", 1L, max(counts))
  columns <- fit$selected[[which(counts >= k)[1]]]
  units <- if (is.null(fit$groups)) columns else fit$groups$of[columns]
  answer_labels(fit, columns[units %in% unique(units)[seq_len(k)]], groups, expand)
}
