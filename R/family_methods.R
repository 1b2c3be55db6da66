# What fits of rowsparse_glm() do beside those of other methods: their predictors stand in
# response$link, and by size path$deviance, path$intercept and, of censored times, path$baseline.

# the fit with the predictors of its samples
with_link <- function(fit, data) {
  response <- fit[["response"]]
  link_at <- function(at) {
    set <- fit$path$features[[at]]
    slope <- fit$path$coefficients[[at]]
    if (!is.null(fit$scale)) slope <- slope / fit$scale[set]
    intercept <- or_default(fit$path$intercept[[at]], response$mean)
    link_with(unname(training_values(data, set)) %*% slope, intercept, response)
  }
  last <- length(fit$path$k)
  link <- link_at(last)
  dimnames(link) <- list(rownames(data$x), response_labels(fit))
  fit[["response"]]$link <- link
  fit[["response"]]$fitted <- inverse_link(response$family, link)
  if (response$family == "cox") {
    fit$path$baseline <- lapply(seq_len(last), function(at) baseline_hazard(response, link_at(at)))
  }
  fit
}

#' Predictions of likelihoods
#'
#' @param object A fit of [rowsparse_glm()].
#' @param newdata New samples, as for [predict.rowsparse()]; left out: those of the fit.
#' @param k Number of features, any that the fit holds.
#' @param type `"link"`, the linear predictor (of censored times the logarithm of the hazard
#'   relative to that of the mean of the features); `"response"`, by the inverse link: the
#'   probability of the second class or of a success, of every class, the expected count, or the
#'   relative hazard; `"class"` and `"prob"` of classes; `"survival"`, the share that survives
#'   `times`, by the baseline of Breslow; `"features"` and `"components"` as for other fits. `NULL`:
#'   `"class"` of classes, else `"response"`. For residuals: `"deviance"`, the default of counts and
#'   two classes, `"response"`, or for censored times `"martingale"`.
#' @param times Times for `"survival"`; `NULL`: those of the events of the fit.
#' @param offset A number for each new sample, where the fit has an `offset` that is no term of a
#'   formula.
#' @param assay,block As for [predict.rowsparse()]; a fit has no `block`.
#' @param ... Unused.
#' @return As [predict.rowsparse()]; for `"survival"` a matrix, samples by times. `logLik()` counts
#'   the features and intercepts as if they had not been chosen; `deviance()` is twice the loss of
#'   the k features, without the ridge.
#' @examples
#' fit <- rowsparse_glm(mtcars[, 2:7], mtcars$am, k = 2, family = "binomial")
#' head(predict(fit, mtcars, type = "prob"))
#' AIC(fit)
#' @export
predict.rowsparse_glm <- function(object, newdata, k = NULL, type = NULL, times = NULL,
                                  offset = NULL, assay = NULL, block = NULL, ...) {
  check_no_more("predict", c("newdata", "k", "type", "times", "offset", "assay"), ...)
  response <- object[["response"]]
  known <- c("response", "link", if (response$type == "class") class_types,
    if (response$family == "cox") "survival", "features", "components"
  )
  type <- check_choice(or_default(type, usual_type(object)), "type", known)
  refuse_if(!is.null(times) && type != "survival", "argument", "times",
    "is for type = \"survival\"", describe(times)
  )
  if (type %in% c("features", "components")) {
    return(predict.rowsparse(object, newdata, k, type, assay, block))
  }
  check_no_block(block)
  own <- missing(newdata) && is.null(k)
  if (missing(newdata)) newdata <- NULL
  link <- if (own) response$link else link_of_new(object, newdata, k, offset, assay)
  out <- if (type == "survival") {
    baseline <- object$path$baseline[[size_position(object, k)]]
    events <- baseline$time[diff(c(0, baseline$hazard)) > 0]
    survival_shares(baseline, link, check_numbers(or_default(times, events), "times"))
  } else {
    family_answer(response, link, type)
  }
  if (own) with_rows_left_out(object, out) else out
}

link_of_new <- function(object, newdata, k, offset, assay) {
  check_newdata(newdata)
  link <- values_of_new(object, list(regression_of(object, k)), newdata, assay, NULL)[[1]]
  dimnames(link) <- list(rownames(link), response_labels(object))
  link + offset_of_new(object, newdata, offset, nrow(link))
}

# of new samples: what is given, or the terms of the formula
offset_of_new <- function(object, newdata, offset, n) {
  has <- !is.null(object[["response"]][["offset"]])
  at <- attr(object[["blueprint"]]$formula, "offset")
  if (is.null(offset) && has && !is.null(at) && is.data.frame(newdata)) {
    values <- variables_of_rows(object[["blueprint"]], newdata, at, "newdata")
    return(Reduce(`+`, lapply(values, as.double)))
  }
  refuse_if(has && is.null(offset), "missing", "offset",
    "must be given: the fit has one, a number for each sample",
    way_out = "predict(fit, newdata, offset = ) takes those of the new samples"
  )
  refuse_if(!has && !is.null(offset), "argument", "offset", "must be left out: the fit has none")
  or_default(check_offset(offset, n), 0)
}

#' @rdname predict.rowsparse_glm
#' @export
residuals.rowsparse_glm <- function(object, type = NULL, ...) {
  check_no_more("residuals", "type", ...)
  response <- object[["response"]]
  known <- switch(response$family, multinomial = "response", cox = "martingale",
    c("deviance", "response")
  )
  type <- check_choice(or_default(type, known[1]), "type", known)
  out <- switch(type, martingale = martingale_residuals(response, response$link),
    response = response$Y - response$fitted,
    deviance = sign(response$Y - response$fitted) * sqrt(pmax(2 * family_losses(response,
      response$link
    ), 0))
  )
  dimnames(out) <- dimnames(response$fitted)
  with_rows_left_out(object, out)
}

#' @rdname predict.rowsparse_glm
#' @export
deviance.rowsparse_glm <- function(object, k = NULL, ...) {
  check_no_more("deviance", "k", ...)
  object$path$deviance[size_position(object, k)]
}

#' @rdname predict.rowsparse_glm
#' @export
logLik.rowsparse_glm <- function(object, k = NULL, ...) {
  check_no_more("logLik", "k", ...)
  response <- object[["response"]]
  features <- length(object$path$features[[size_position(object, k)]])
  predictors <- length(response$mean) - (response$family == "multinomial")
  structure(response$saturated - deviance(object, k) / 2,
    df = predictors * (features + (response$family != "cox")), nobs = object$n, class = "logLik"
  )
}

#' @rdname predict.rowsparse_glm
#' @export
df.residual.rowsparse_glm <- function(object, ...) {
  check_no_more("df.residual", NULL, ...)
  object$n - attr(logLik(object), "df")
}
