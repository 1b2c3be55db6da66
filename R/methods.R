#' The selected features
#'
#' Returns the best k features of a fit in rank order.
#'
#' @param fit A fit of any method in the package.
#' @param k Number of features. May be left out for methods that select an
#'   exact number.
#' @param ... Passed on to methods.
#' @return Feature names where the data had names, column indices otherwise.
#' @section Warning:
#' Of class `rowsparse_warning_fill`, when `k` exceeds the number of features
#' with a nonzero score: the rest is then ordered by the method's second
#' criterion (see its page) and the order of the columns.
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 1)
#' selected(fit, 2)
#' @export
selected <- function(fit, k, ...) {
  UseMethod("selected")
}

#' @rdname selected
#' @export
selected.rowsparse <- function(fit, k, ...) {
  feature_labels(fit, selected_index(fit, if (missing(k)) NULL else k))
}

# column indices of the k best; k = NULL means the method's own selection
selected_index <- function(fit, k) {
  if (is.null(k)) {
    if (is.null(fit$selected)) {
      stop_rowsparse("range", "k",
        sprintf("must be given: %s ranks features without choosing how many", class(fit)[1])
      )
    }
    return(fit$selected)
  }
  k <- check_count(k, "k", 1L, fit$d)
  own <- set_of_size(fit, k)
  if (!is.null(own)) {
    return(own)
  }
  warn_filled(fit, k)
  fit$ranking[seq_len(k)]
}

warn_filled <- function(fit, k) {
  scored <- sum(fit$scores > 0)
  if (k > scored) {
    warn_rowsparse("fill", sprintf(
      "only %d of the %d features asked for have a nonzero score; the others follow in %s",
      scored, k, "the order of the second criterion, then of the columns."
    ))
  }
}

# the set that a subset method found for this very size, where it did
set_of_size <- function(fit, k) {
  if (inherits(fit, c("cdlsr", "css"))) {
    at <- match(k, fit$path$k)
    if (!is.na(at)) fit$path$features[[at]]
  }
}

#' @export
print.rowsparse <- function(x, n = 6, ...) {
  cat(one_line(x), "\n", sep = "")
  if (length(x$objective) > 0) {
    cat(sprintf("objective %s -> %s%s\n",
      format(x$objective[1], digits = 6), format(utils::tail(x$objective, 1), digits = 6),
      if (is.null(x$kkt)) "" else paste0(", first-order residual ", format(x$kkt, digits = 2))
    ))
  }
  top <- utils::head(x$ranking, n)
  cat(sprintf("%d features with a nonzero score; best: %s\n", sum(x$scores > 0),
    paste(feature_labels(x, top), collapse = ", ")
  ))
  invisible(x)
}

#' Summary of a fit
#'
#' Tells how the fit ended and how firmly its ranking stands: the margin between
#' the scores at rank k and k + 1, and the features whose order could flip under
#' a perturbation of the order of rounding (another BLAS, another order of the
#' samples). These are the features, among the best k or tied with the last of
#' them, whose scores are within \eqn{1.5 \cdot 10^{-8}}{1.5e-8} (the square root of the
#' machine precision) times the largest score of a neighbour in the ranking;
#' identical columns are the usual case. For [css()] and [cdlsr()] the share that
#' a feature adds takes the place of its score; a twin of a selected feature
#' adds nothing any more, and is not named.
#'
#' @param object A fit.
#' @param n Number of features listed.
#' @param k Rank that is judged; `NULL` for the number of selected features, or
#'   for the best 10 where the method ranks only.
#' @param ... Unused.
#' @return A list of class `summary.rowsparse` with, among others, `top` (the best
#'   features), and `fragility`: a list of `k`, `margin`, `relative` (the margin
#'   over the score at rank k) and `undecided` (names, or indices, of the
#'   features whose order could flip).
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' x <- cbind(x, Twin = x[, "Petal.Length"])
#' summary(rowsparse(x, k = 3, method = "kmeans_ufs"))
#' @export
summary.rowsparse <- function(object, n = 10, k = NULL, ...) {
  k <- if (is.null(k)) default_rank(object) else check_count(k, "k", 1L, object$d)
  out <- list(
    method = class(object)[1], line = one_line(object), call = object$call,
    top = utils::head(as.data.frame(object), n), nonzero = sum(object$scores > 0),
    d = object$d, objective = range_of_objective(object$objective), kkt = object$kkt,
    parameters = Filter(is_number, object$parameters), fragility = named_fragility(object, k)
  )
  structure(out, class = "summary.rowsparse")
}

range_of_objective <- function(objective) {
  c(start = objective[1], end = utils::tail(objective, 1))
}

#' @export
print.summary.rowsparse <- function(x, ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat(x$line, "\n", sep = "")
  cat(sprintf("Objective: %s\n", paste(format(x$objective, digits = 8), collapse = " -> ")))
  if (!is.null(x$kkt)) cat("First-order residual:", format(x$kkt, digits = 3), "\n")
  cat("Parameters: ")
  cat(paste(names(x$parameters), vapply(x$parameters, format, "", digits = 4), sep = " = "),
    sep = ", ", fill = TRUE
  )
  cat(sprintf("Nonzero scores: %d of %d\n", x$nonzero, x$d))
  cat(fragility_lines(x$fragility), sep = "\n")
  print(x$top, row.names = FALSE)
  invisible(x)
}

fragility_lines <- function(fragile, shown = 12L) {
  margin <- if (!is.na(fragile$margin)) {
    sprintf("Score margin at rank %d: %s (%s of the score there)", fragile$k,
      format(fragile$margin, digits = 3), paste0(format(100 * fragile$relative, digits = 2), "%")
    )
  }
  count <- length(fragile$undecided)
  if (count == 0) {
    return(c(margin, sprintf("The order of the best %d is beyond rounding", fragile$k)))
  }
  c(margin, sprintf("Rounding could change the order of %d features: %s%s", count,
    paste(utils::head(fragile$undecided, shown), collapse = ", "),
    if (count > shown) ", ..." else ""
  ))
}

#' @export
coef.rowsparse <- function(object, ...) {
  object$loadings
}

#' @export
as.data.frame.rowsparse <- function(x, row.names = NULL, optional = FALSE, ...) {
  ranking <- x$ranking
  data.frame(
    feature = as.character(feature_labels(x, ranking)),
    index = ranking,
    rank = seq_along(ranking),
    score = unname(x$scores[ranking]),
    selected = ranking %in% x$selected
  )
}

#' Use a fit on new data
#'
#' `type = "features"` restricts `newdata` to the selected columns, matched by
#' name where both have names. `type = "components"` projects: the columns are
#' centred (and scaled) as in the fit and multiplied by its loadings, those of
#' the k best features only when `k` is given.
#'
#' @param object A fit.
#' @param newdata Matrix, data frame or sparse matrix, samples in rows.
#' @param k Number of features; may be left out for exact-k methods and, to use
#'   all loadings, for components.
#' @param type What to return; `"response"` and `"class"` exist for [cdlsr()] and
#'   [rfs()].
#' @param ... Unused.
#' @return For features, an object of the class of `newdata` with k columns in
#'   rank order; for components, an n x m matrix.
#' @examples
#' fit <- bsufs(iris[, 1:4], m = 2)
#' head(predict(fit, iris, k = 2))
#' head(predict(fit, iris[, 1:4], type = "components"))
#' @export
predict.rowsparse <- function(object, newdata, k = NULL,
                              type = c("features", "components", "response"), ...) {
  type <- check_choice(type, "type", c("features", "components", "response"))
  switch(type,
    features = newdata[, new_columns(object, newdata, selected_index(object, k)), drop = FALSE],
    components = new_components(object, newdata, k),
    response = stop_rowsparse("choice", "type",
      sprintf("\"response\" needs a supervised fit; %s has no response", class(object)[1])
    )
  )
}

# columns of newdata that hold the features `index` of the fit
new_columns <- function(object, newdata, index) {
  if (is.null(dim(newdata))) {
    stop_rowsparse("type", "newdata", "must be a matrix or data frame", describe(newdata))
  }
  wanted <- feature_labels(object, index)
  known <- colnames(newdata)
  if (is.character(wanted) && !is.null(known)) {
    at <- match(wanted, known)
    if (anyNA(at)) {
      stop_rowsparse("names", "newdata", "must have all selected features among its columns",
        paste0(sum(is.na(at)), " missing (first: \"", wanted[is.na(at)][1], "\")")
      )
    }
    return(at)
  }
  if (ncol(newdata) != object$d) {
    stop_rowsparse("size", "newdata", sprintf("must have %d columns or feature names", object$d),
      ncol(newdata)
    )
  }
  index
}

new_components <- function(object, newdata, k) {
  index <- if (is.null(k)) seq_len(object$d) else selected_index(object, k)
  loadings <- object$loadings[index, , drop = FALSE]
  if (!is.null(object$scale)) loadings <- loadings / object$scale[index]
  columns <- newdata[, new_columns(object, newdata, index), drop = FALSE]
  if (is.data.frame(columns)) columns <- as.matrix(columns)
  shift <- crossprod(loadings, object$center[index])
  sweep(as.matrix(columns %*% loadings), 2, drop(shift))
}
