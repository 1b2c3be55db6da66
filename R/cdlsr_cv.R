#' The number of features by cross-validation
#'
#' Fits the path of [cdlsr()], sizes 1 to k, on each set of training samples,
#' predicts the samples left out, and takes the size with the lowest error.
#' Several [workers] can share the fits, with the same result; progress is reported
#' through progressr when that is installed.
#'
#' @inheritParams cdlsr
#' @inheritParams moments
#' @param k Largest number of features. The training sets must have more than k
#'   samples unless `ridge > 0`.
#' @param folds Number of folds, drawn with R's generator (`set.seed()` governs
#'   them) and stratified: classes, or the order of a single numeric response,
#'   are spread evenly, and so are the levels of a `block`, of which every training set
#'   keeps at least two samples. Or a vector with the fold of each sample. Samples of a level
#'   that their training set does not have, as when whole batches are left out, are predicted
#'   from the means over all training samples.
#' @param rule `"min"`: the size with the lowest error; `"1se"`: the smallest
#'   size within one standard error of it.
#' @return A list of class `cv_cdlsr`:
#'   \item{k}{the size chosen by `rule`}
#'   \item{k_min, k_1se}{the sizes of both rules}
#'   \item{error, se}{mean error per size and its standard error over the folds:
#'     the share of wrong classes, or the squared error per sample, summed over
#'     responses}
#'   \item{fold_error}{folds x k matrix}
#'   \item{folds}{fold of each sample}
#'   \item{fit}{the path on all samples, a [cdlsr()] fit}
#'   \item{call}{}
#'   `coef()`, `predict()`, [selected()] and `summary()` work on it at the size
#'   chosen; `plot()` shows the error by size.
#' @section Errors:
#' As for [cdlsr()]; and of class `rowsparse_error_class` when a class has one
#' sample only, or is missing from a training set given by `folds`; and of class
#'   `rowsparse_error_block` when a level of `block` has too few samples for the folds.
#' @examples
#' set.seed(1)
#' cv <- cv_cdlsr(iris[, 1:4], iris$Species, k = 4)
#' cv
#' coef(cv)
#' @export
cv_cdlsr <- function(x, y, k, folds = 5, rule = c("min", "1se"), ridge = 0, scale = TRUE,
                     control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                     BPPARAM = NULL, assay = NULL) {
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  check_given(missing(k), "k")
  check_workers(BPPARAM)
  rule <- check_choice(rule, "rule", c("min", "1se"))
  entry <- method_entry("cdlsr")
  samples <- samples_in_memory(x, assay)
  given <- list(
    ridge = ridge, scale = scale, control = control, include = include, exclude = exclude,
    block = sample_column(x, block, "block")
  )
  data <- method_data(entry, samples, given)
  response <- as_response(sample_column(x, y, "y"), data$n)
  k <- check_size(k, data, check_number(ridge, "ridge", 0))
  folds <- as_folds(folds, response, data$n, given[["block"]])
  check_size_on_folds(k, folds, entry, data, given)
  y <- response_of(response)
  fit <- fit_method(entry, samples, y, data, k, given)
  fit$call <- call
  if (is_experiment(x)) fit$assay <- assay
  unit <- response_unit(y)
  errors <- cross_validated_errors(entry, samples, y, seq_len(k), folds, given, unit, BPPARAM)
  new_cv(fit, errors, folds, rule, response$type, call, unit)
}

# ---- result --------------------------------------------------------------------

new_cv <- function(fit, fold_error, folds, rule, type, call, unit) {
  weight <- tabulate(folds) / length(folds)
  error <- colSums(fold_error * weight)
  spread <- sqrt(colSums(weight * sweep(fold_error, 2, error)^2))
  se <- spread / sqrt(nrow(fold_error) - 1)
  k_min <- first_largest(-error)
  k_1se <- first_at_least(-error, -error[k_min] - se[k_min])
  structure(
    list(
      k = if (rule == "min") k_min else k_1se, k_min = k_min, k_1se = k_1se, rule = rule,
      error = squares_in_units(error, unit), se = squares_in_units(se, unit),
      fold_error = squares_in_units(fold_error, unit), folds = folds,
      measure = if (type == "class") "share of wrong classes" else "squared error",
      fit = fit, call = call
    ),
    class = "cv_cdlsr"
  )
}

#' @export
print.cv_cdlsr <- function(x, ...) {
  check_cv(x)
  chosen <- x$fit$path$features[[x$k]]
  text <- sprintf("cdlsr by cross-validation: %d of %s selected", x$k,
    count_of(x$fit$d, "feature")
  )
  cat(list_features(text, x$fit, chosen, 10L), sep = "\n")
  cat(sprintf("%s, %s, %d folds, sizes 1 to %d\n", count_of(x$fit$n, "sample"),
    response_words(x$fit$response), nrow(x$fold_error), length(x$error)
  ))
  cat(sprintf("k = %d by rule \"%s\" (lowest error at %d, within one standard error at %d)\n",
    x$k, x$rule, x$k_min, x$k_1se
  ))
  cat(sprintf("%s: %s (standard error %s)\n", x$measure,
    format(x$error[x$k], digits = 3), format(x$se[x$k], digits = 2)
  ))
  invisible(x)
}

#' @export
selected.cv_cdlsr <- function(fit, k, ...) {
  check_no_more("selected", "k", ...)
  check_cv(fit, "fit")
  selected(fit$fit, if (missing(k)) fit$k else k)
}

#' @rdname coef.cdlsr
#' @export
coef.cv_cdlsr <- function(object, k = NULL, ...) {
  check_no_more("coef", "k", ...)
  check_cv(object, "object")
  stats::coef(object$fit, or_default(k, object$k))
}

#' @rdname coef.cdlsr
#' @export
predict.cv_cdlsr <- function(object, newdata, k = NULL,
                             type = c("features", "components", "response", "class"),
                             assay = NULL, block = NULL, ...) {
  check_no_more("predict", predict_arguments, ...)
  check_cv(object, "object")
  stats::predict(object$fit, newdata, or_default(k, object$k), type, assay, block)
}

#' @export
summary.cv_cdlsr <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  cv_table(check_cv(object, "object"))
}

cv_table <- function(cv) {
  sizes <- seq_along(cv$error)
  data.frame(k = sizes, error = cv$error, se = cv$se, chosen = sizes == cv$k)
}

#' @export
as.data.frame.cv_cdlsr <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  cv_table(check_cv(x))
}

#' @export
plot.cv_cdlsr <- function(x, ...) {
  check_cv(x)
  check_graphical(...)
  check_drawable(x)
  sizes <- seq_along(x$error)
  margins <- set_margins(graphics::par("mar"))
  on.exit(graphics::par(margins))
  plot_arguments(graphics::plot.default, list(
    x = sizes, y = x$error, type = "o", pch = 19, cex = 0.6, col = plot_colours[["blue"]],
    bty = "l", las = 1, xlab = "number of features", ylab = x$measure,
    ylim = range(x$error - x$se, x$error + x$se), main = "cdlsr: cross-validated error"
  ), ...)
  graphics::segments(sizes, x$error - x$se, sizes, x$error + x$se, col = plot_colours[["grey"]])
  graphics::abline(v = x$k, lty = 2, col = plot_colours[["orange"]])
  invisible(x)
}

check_drawable <- function(cv, argument = "x") {
  if (!all(is.finite(c(cv$error, cv$se)))) {
    stop_rowsparse("range", argument, "must have finite errors to be drawn", "infinite ones",
      "Divide `y` by a power of ten"
    )
  }
}
