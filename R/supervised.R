# What every fit to a response does, whichever its method: coefficients, predictions, fitted values,
# residuals. One engine for all of them; the fit tells where its regression is.

is_supervised_fit <- function(fit) !is.null(fit[["response"]])

# Slopes per unit of the features, and intercepts: of the regression that belongs to a
# size (cdlsr() and its kind), of least squares on the first features of a ranking, or of
# the nonzero rows of W, among the k best or the selected features
regression_of <- function(fit, k = NULL) {
  if (has_regression(fit)) {
    return(first_coefficients(fit, k))
  }
  if (inherits(fit, "cdlsr")) {
    at <- size_position(fit, k)
    return(in_original_units(fit, fit$path$features[[at]], fit$path$coefficients[[at]],
      or_default(fit$path$intercept[[at]], fit[["response"]]$mean)
    ))
  }
  features <- which(fit$scores > 0)
  best <- if (is.null(k)) {
    or_default(fit$selected, features)
  } else {
    first_columns(fit, check_count(k, "k", 1L, selectable(fit)))
  }
  features <- sort(intersect(best, features))
  in_original_units(fit, features, unname(fit$loadings[features, , drop = FALSE]))
}

in_original_units <- function(fit, features, slope, intercept = fit[["response"]]$mean) {
  if (!is.null(fit$scale)) slope <- slope / fit$scale[features]
  response <- fit[["response"]]
  W <- linear_function(fit, features, slope, intercept, response$level_mean)
  c(W, list(range = response[["range"]]))
}

# A linear function of features as they are given: `intercept` is that of the centred features,
# with a block `by_level` of each level
linear_function <- function(fit, features, slope, intercept, by_level = NULL) {
  levels <- fit$block[["levels"]]
  by_level <- or_default(by_level, rep(intercept, each = length(levels)))
  list(
    features = features, slope = slope,
    intercept = intercept - drop(crossprod(slope, fit$center[features])),
    level_intercept = if (!is.null(levels)) {
      unname(by_level - fit$block$mean[, features, drop = FALSE] %*% slope)
    }
  )
}

# The values of such functions of new samples, whose features are read once; those of a regression
# within the limits of its response
values_of_new <- function(object, functions, newdata, assay, block) {
  features <- as.integer(sort(unique(unlist(lapply(functions, `[[`, "features")))))
  columns <- new_values(object, newdata, features, assay)
  level <- new_levels(object, sample_column(newdata, block, "block"), nrow(columns))
  lapply(functions, function(W) {
    values <- as.matrix(columns[, match(W$features, features), drop = FALSE] %*% W$slope)
    intercepts <- unname(rbind(W$intercept, W$level_intercept))
    told_limits(values + intercepts[level + 1L, , drop = FALSE], W$range)
  })
}

#' Coefficients, fitted values and summaries of supervised fits
#'
#' R's usual functions for regressions, for every fit to a response; see [predict.rowsparse()] for
#' predictions.
#'
#' Methods that are regressions hold their own coefficients. For others, as [ftest()], they are by
#' least squares on the first k features of the ranking, 0 for one that depends linearly on earlier
#' ones. Of a ranking without a choice of k the fit holds 300 features, with more than 16 666
#' samples 5e6 / n but at least 50.
#'
#' Classes are fitted by their indicators, a column for each class, 1 for its samples and 0 for the
#' others: fitted values sum to 1 over the classes, residuals are the indicators minus these.
#'
#' @param object A fit, to a response except for `nobs()`.
#' @param k Size of the feature set, any that the fit holds; `NULL`: the size requested, or for a
#'   ranking all that the fit holds. [rfs()] and `"crfs"` have the nonzero rows of W among the k
#'   best, or the selected, features.
#' @param formula.,evaluate,complete,use.fallback,env,... As for the generics; otherwise unused.
#' @return `coef()`: a (d + 1) x c matrix on the original scale of the features, intercepts first,
#'   so that `cbind(1, x) %*% coef(fit)` is the fitted response, with zeros for features that are
#'   not selected; for a fit without a response its loadings. `print()` shows only the nonzero rows;
#'   `as.matrix()` makes an ordinary matrix.
#'
#'   `fitted()`, `residuals()`: n x c matrices, in the units of the response, from the features
#'   that `predict()` uses without k. `deviance()`: the sum of the squared residuals, weighted if
#'   the fit has weights. `nobs()`: the number of samples, without those of weight 0.
#'   `df.residual()`, `sigma()` and `logLik()` count the features with a coefficient as [lm()] does,
#'   as if they had not been chosen by the response and without a ridge.
#'
#'   `summary()` of [cdlsr()]: also the explained share of each response, and the path.
#' @examples
#' fit <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
#' coef(fit)
#' head(residuals(fit))
#' deviance(update(fit, k = 1)) / deviance(fit)
#' summary(fit)$explained
#' @aliases coef.cdlsr predict.cdlsr
#' @rdname coef.cdlsr
#' @order 1
#' @export
coef.rowsparse <- function(object, k = NULL, ..., complete) {
  check_no_more("coef", "k", ...)
  if (is_supervised_fit(object)) {
    return(full_coefficients(object, regression_of(object, k)))
  }
  if (!is.null(k)) check_no_more("coef", NULL, k = k)
  as_coefficients(object$loadings)
}

# Intercepts, which proportional hazards have none of, and a row per feature, whose names are those
# that lm() writes beside an intercept
full_coefficients <- function(object, W) {
  full <- matrix(0, object$d + 1, ncol(W$slope))
  full[1, ] <- W$intercept
  full[W$features + 1, ] <- W$slope
  terms <- terms_of(object, seq_len(object$d))
  terms[terms == "(Intercept)"] <- "`(Intercept)`"
  dimnames(full) <- list(c("(Intercept)", terms), response_labels(object))
  hazards <- identical(object[["response"]][["family"]], "cox")
  as_coefficients(if (hazards) full[-1, , drop = FALSE] else full)
}

response_labels <- function(fit) {
  response <- fit[["response"]]
  count <- length(response$mean)
  or_default(response$names, if (count == 1L) "y" else paste0("y", seq_len(count)))
}

# ---- predictions -----------------------------------------------------------------

# the response of a fit that has one, as it was given; of others the selected features
usual_type <- function(object) {
  switch(or_default(object[["response"]]$type, "none"), none = "features", class = "class",
    "response"
  )
}

# does the fit of a ranking hold this many features?
holds_size <- function(fit, k) {
  is_supervised_fit(fit) && !(has_regression(fit) && isTRUE(k > units_of_regression(fit)))
}

# what: "regression" or "classifier"
held_at <- function(path, what, point) {
  W <- path[[what]][[point]]
  refuse_if(is.null(W), "range", "at", sprintf(
    "must be a point with a regression, which this path of %s does not hold there", path$method
  ), format(path$grid[point], digits = 3))
  W
}

# Responses or classes of one point of a path as a fit gives them, or of several (NULL: all)
# side by side: a column per point, n x c x points if each has several
predict_along <- function(path, newdata, at, type, assay, block) {
  check_class_type(path, type)
  points <- if (is.null(at)) {
    seq_along(path$grid)
  } else {
    vapply(check_numbers(at, "at", lower = 0), function(value) path_position(path, value), 0L)
  }
  rules <- !is_family_fit(path) && by_classifier(!is.null(path$classifier), type)
  what <- if (rules) "classifier" else "regression"
  each <- lapply(points, held_at, path = path, what = what)
  values <- values_of_new(path, each, newdata, assay, block)
  fitted <- Map(function(values, W) answer(path, values, type, W$rule), values, each)
  first <- fitted[[1]]
  if (length(at) == 1L) {
    return(first)
  }
  if (is.factor(first)) fitted <- lapply(fitted, as.character)
  size <- if (NCOL(first) > 1L) ncol(first)
  array(unlist(fitted), c(NROW(first), size, length(fitted)),
    c(list(rownames(values[[1]])), if (!is.null(size)) list(colnames(first)),
      list(as.character(signif(path$grid[points], 6)))
    )
  )
}

# The response, or classes, of the samples of the fit (`own`) or of new ones. type: "response" or
# one of the class_types
predict_supervised <- function(object, newdata, k, type, assay, block, prior, own) {
  if (!own) check_newdata(newdata)
  check_class_type(object, type)
  prior <- check_prior(prior, type, object[["response"]]$levels)
  held <- by_classifier(!is.null(object$training), type, prior)
  W <- if (held) classifier_of(object, k) else if (!own) regression_of(object, k)
  values <- if (!own) {
    values_of_new(object, list(W), newdata, assay, block)[[1]]
  } else if (held) {
    training_scores(object, W)
  } else {
    fitted_values(object)
  }
  values <- answer(object, values, type, W$rule, prior)
  if (own) with_rows_left_out(object, values) else values
}

# what the values of linear functions say, those of a classifier by its rule
answer <- function(object, values, type, rule = NULL, prior = NULL) {
  response <- object[["response"]]
  if (!is.null(rule)) {
    return(classified(values, rule, type, response$levels, prior))
  }
  dimnames(values) <- list(rownames(values), response_labels(object))
  if (!is.null(response[["family"]])) {
    return(family_answer(response, values, type))
  }
  if (type == "class") largest_class(values, response$levels) else values
}

check_supervised <- function(object, argument, rule) {
  refuse_if(!is_supervised_fit(object), "choice", argument,
    paste0(rule, "; ", or_default(object[["method"]], fit_name(object)), " has no response")
  )
}

check_class_type <- function(object, type) {
  check_supervised(object, "type", sprintf("\"%s\" needs a supervised fit", type))
  refuse_if(type %in% class_types && object[["response"]]$type != "class",
    "choice", "type", sprintf("\"%s\" needs a fit to class labels", type))
}

# How far beyond the responses of the fit a prediction may go, in parts of their range. A column
# that is constant but for one or two samples tells these apart, and a new sample may lie thousands
# of its standard deviations from them; so may one that breaks the dependence of two columns.
extrapolation_range <- 0.5

# `range`: the smallest and the largest of each response; NULL of classes
within_limits <- function(fitted, range) {
  if (is.null(range)) {
    return(fitted)
  }
  reach <- extrapolation_range * range[2, ] - extrapolation_range * range[1, ]
  lower <- rep(range[1, ] - reach, each = nrow(fitted))
  upper <- rep(range[2, ] + reach, each = nrow(fitted))
  fitted[] <- pmax(lower, pmin(upper, fitted))
  fitted
}

told_limits <- function(fitted, range) {
  limited <- within_limits(fitted, range)
  moved <- sum(rowSums(fitted != limited, na.rm = TRUE) > 0)
  if (moved > 0) {
    warn_rowsparse("limit", sprintf(paste(
      "Predictions of %d of %s go no further than half the range of the response beyond it:",
      "features of these samples are unlike those of the fit."
    ), moved, count_of(nrow(fitted), "sample")))
  }
  limited
}

# ---- the samples of the fit --------------------------------------------------------

# The fit with the fitted values of its samples, of the features that predict() takes when
# it is given no k. Moments have no samples; of blocks of rows the features that tell classes apart
# are read once more, if they take no more memory than blocks may.
with_fitted <- function(fit, data) {
  if (is_family_fit(fit)) {
    return(with_link(fit, data))
  }
  if (data$kind == "blocks" && is_class_fit(fit) && !is.null(fit[["response"]]$y) &&
    8 * as.double(data$n) * length(training_features(fit)) <= passes_memory()) {
    fit <- with_training(fit, data)
    if (!is.null(fit$passes)) fit$passes <- fit$passes + passes_of(data)
  }
  if (!is_supervised_fit(fit) || !data$kind %in% c("dense", "sparse")) {
    return(fit)
  }
  W <- regression_of(fit)
  response <- fit[["response"]]
  level <- if (!is.null(data$design)) {
    Y <- as_response(response$y, nrow(data$design$Q), told = TRUE)$Y
    Y - without_design(Y, data$design)
  } else if (!is.null(data$block)) {
    unname(response$level_mean)[data$block$code, , drop = FALSE]
  } else {
    rep(response$mean, each = data$n)
  }
  fit[["response"]]$fitted <- unname(training_values(data, W$features) %*% W$slope) + level
  dimnames(fit[["response"]]$fitted) <- list(rownames(data$x), response_labels(fit))
  if (is_class_fit(fit)) with_training(fit, data) else fit
}

fitted_values <- function(object) {
  check_supervised(object, "object", "must be a fit to a response")
  if (is.null(object[["response"]]$fitted)) stop_no_samples("a fit of moments or of row blocks")
  object[["response"]]$fitted
}

stop_no_samples <- function(got) {
  stop_rowsparse("samples", "object", "must have kept its samples", got,
    "predict(fit, x, type = \"response\") gives fitted values"
  )
}

#' @rdname coef.cdlsr
#' @export
fitted.rowsparse <- function(object, ...) {
  check_no_more("fitted", NULL, ...)
  with_rows_left_out(object, fitted_values(object))
}

# rows of NA for those that na.exclude() left out
with_rows_left_out <- function(object, values) stats::naresid(object$na.action, values)

#' @rdname coef.cdlsr
#' @export
residuals.rowsparse <- function(object, ...) {
  check_no_more("residuals", NULL, ...)
  with_rows_left_out(object, own_residuals(object))
}

# the response, of classes their indicators, less the fitted values
own_residuals <- function(object) {
  y <- object[["response"]]$y
  if (is.factor(y)) y <- indicators(y)
  unname(y) - fitted_values(object)
}

#' @rdname coef.cdlsr
#' @export
deviance.rowsparse <- function(object, ...) {
  check_no_more("deviance", NULL, ...)
  if (is.null(object[["response"]]$fitted) && inherits(object, "cdlsr")) {
    return(object[["response"]]$deviance)
  }
  sum(or_default(object[["response"]]$weights, 1) * own_residuals(object)^2)
}

#' @rdname coef.cdlsr
#' @importFrom stats nobs deviance df.residual logLik sigma update
#' @export
nobs.rowsparse <- function(object, ..., use.fallback) {
  check_no_more("nobs", NULL, ...)
  object$n
}

#' @rdname coef.cdlsr
#' @export
df.residual.rowsparse <- function(object, ...) {
  check_no_more("df.residual", NULL, ...)
  check_supervised(object, "object", "must be a fit to a response")
  object$n - 1L - length(regression_of(object)$features)
}

#' @rdname coef.cdlsr
#' @export
logLik.rowsparse <- function(object, ...) {
  check_no_more("logLik", NULL, ...)
  check_supervised(object, "object", "must be a fit to a response")
  response <- object[["response"]]
  refuse_if(response$type == "class" || length(response$mean) > 1L,
    "choice", "object", "must be a fit to one numeric response", response$text)
  n <- object$n
  weights <- or_default(response$weights, rep(1, n))
  value <- sum(log(weights[weights > 0])) / 2 - n / 2 * (log(2 * pi * deviance(object) / n) + 1)
  structure(value, df = n - df.residual(object) + 1, nobs = n, class = "logLik")
}

#' @rdname coef.cdlsr
#' @export
sigma.rowsparse <- function(object, ...) {
  check_no_more("sigma", NULL, ...)
  logLik(object) # refuses what is not one numeric response
  sqrt(deviance(object) / df.residual(object))
}

#' @rdname coef.cdlsr
#' @param x A fit to a formula, whose `.` is written out as columns.
#' @export
formula.rowsparse <- function(x, env, ...) {
  check_no_more("formula", NULL, ...)
  value <- x$call$x
  refuse_if(!inherits(value, "formula"), "type", "x", "must be a fit to a formula", fit_name(x))
  right <- length(value)
  columns <- or_default(x[["blueprint"]]$columns, x$feature_names)
  columns <- setdiff(columns, if (right == 3L) all.vars(value[[2]]))
  dot <- Reduce(function(a, b) call("+", a, b), lapply(columns, as.name))
  if (right == 3L) environment(value) <- place_of_response(value[[2]], environment(value))
  value[[right]] <- do.call(substitute, list(value[[right]], list(. = dot)))
  value
}

#' @rdname coef.cdlsr
#' @export
update.rowsparse <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  if (!missing(formula.)) call$x <- stats::update.formula(stats::formula(object), formula.)
  changes <- match.call(expand.dots = FALSE)[["..."]]
  for (name in names(changes)) call[[name]] <- changes[[name]]
  if (evaluate) eval(call, parent.frame()) else call
}
