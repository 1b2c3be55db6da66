# Moments of data with missing entries: means and expected cross-products under a normal model that
# is fitted by EM to what is seen, in columns of mean 0 and mean square 1 over what is seen of them;
# y joins as further columns. `spread`: the summed covariances of what is missing.

# Moments of the completed samples, and what these lack, the summed covariances of what is missing
moments_with_gaps <- function(raw, y, rank) {
  raw <- dense_with_gaps(raw, "x")
  gap <- is.na(raw$x)
  empty <- which(colSums(gap) == raw$n)
  refuse_if(length(empty) > 0,
    "nonfinite", "x", "must have an entry in every column that is not missing",
    paste("none in", column_label(raw$names, empty[1])),
    "Leave such columns out: `x[, colSums(!is.na(x)) > 0]`"
  )
  y <- whole_response(y, raw$n)
  thin <- is.null(y) && raw$n < raw$d && raw$d > 2000 # whole products would be large
  if (thin) rank <- or_default(rank, raw$n)
  if (is.null(rank)) check_room_for_products(raw$d)
  model <- fit_gaps(raw, gap, y, is.null(rank))
  raw$x <- model$x
  out <- moments_of_rows(raw, y, rank = rank)
  if (model$route != "none") out <- add_spread(out, model)
  out$missing <- told_gaps(raw, gap, model)
  out
}

# doubles, all entries, NaN as NA
dense_with_gaps <- function(raw, argument) {
  check_memory(32 * as.double(raw$n) * raw$d, argument,
    "select features first: it is held dense here")
  raw <- raw_rows(unname(as.matrix(input_matrix(raw))), raw$names)
  storage.mode(raw$x) <- "double"
  infinite <- which(is.infinite(raw$x), arr.ind = TRUE)
  refuse_if(nrow(infinite) > 0, "nonfinite", argument, "must not hold infinite values",
    sprintf("%d of them, the first at row %d, %s", nrow(infinite), infinite[1, 1],
      column_label(raw$names, infinite[1, 2])
    ), "NA marks what is missing"
  )
  raw
}

# ---- the model ---------------------------------------------------------------------------

# Columns in units of what is seen: (x - centre) / scale, gaps kept; `varies`: those that do
standardise_seen <- function(x) {
  centre <- colMeans(x, na.rm = TRUE)
  z <- sweep(x, 2, centre)
  rest <- colMeans(z, na.rm = TRUE)
  z <- sweep(z, 2, rest)
  largest <- apply(abs(z), 2, max, na.rm = TRUE)
  scale <- largest * sqrt(colMeans(sweep(z, 2, pmax(largest, 1e-300), "/")^2, na.rm = TRUE))
  varies <- scale > 8 * .Machine$double.eps * (abs(centre) + largest)
  scale[!varies] <- 1
  list(z = sweep(z, 2, scale, "/"), centre = centre, rest = rest, scale = scale, varies = varies)
}

# What is fitted to x, of which `gap` is missing, and to y: `x`, completed, and the model of the
# columns `own`, which vary, in units of their scale; with the spread of the moments, if `whole`
fit_gaps <- function(raw, gap, y, whole) {
  seen <- standardise_seen(raw$x)
  own <- which(seen$varies)
  x <- raw$x
  x[gap] <- seen$centre[col(x)[gap]]
  if (!any(gap) || length(own) == 0L) {
    return(list(x = x, route = "none"))
  }
  z <- cbind(seen$z[, own, drop = FALSE], response_columns(y))
  # are the columns few, and seen often enough?
  normal <- ncol(z) <= 200 && nrow(z) > ncol(z) && min(colSums(!is.na(z))) > 1L
  fit <- if (normal) fit_normal(z) else fit_factors(z, whole)
  model <- c(lapply(seen[c("centre", "rest", "scale")], `[`, own), list(own = own))
  x[, own] <- in_gaps(x[, own, drop = FALSE], gap[, own, drop = FALSE], fit$filled, model)
  fit$filled <- NULL
  c(fit, model, list(x = x, z = z, jacobian = -sum(log(seen$scale) * colSums(!gap))))
}

# x with what was filled in units of the model
in_gaps <- function(x, gap, filled, model) {
  place <- function(values) rep(values, each = nrow(x))
  filled <- filled[, seq_len(ncol(x)), drop = FALSE] * place(model$scale) + place(model$rest) +
    place(model$centre)
  replace(x, gap, filled[gap])
}

# the columns of a response that vary, in units of theirs; of classes all but one
response_columns <- function(y) {
  if (is.factor(y)) y <- indicators(droplevels(y))[, -1, drop = FALSE]
  if (!is.null(y)) {
    seen <- standardise_seen(unname(y))
    seen$z[, seen$varies, drop = FALSE]
  }
}

# Samples of the prior, see ?moments. Columns seen in s of n samples are seen `together` in s^2/n
prior_samples <- function(z, d = ncol(z), n = nrow(z), together = min(colSums(!is.na(z)))^2 / n) {
  1e-7 * n + 0.1 * min(n, max(0, 3 * (d + 1) - together))
}

# `limits`: the relative change at which EM ends, and the steps at most
fit_normal <- function(z, ridge = prior_samples(z), limits = list(tol = 1e-7, maxit = 1000L)) {
  d <- ncol(z)
  fit <- .Call(C_em_normal, z, list(
    mean = numeric(d), sigma = diag(d), ridge = ridge, tol = limits$tol, maxit = limits$maxit
  ))
  c(list(route = "normal", ridge = ridge), fit)
}

# EM at each number of components, a few steps from the last one, as long as the error of
# prediction falls; then at the best number to its end
fit_factors <- function(z, whole) {
  ridge <- prior_samples(z)
  most <- max(1L, min(dim(z) - c(2L, 1L), 36L))
  held <- held_out(z)
  known <- replace(z, held, NA)
  leading <- leading_of_seen(known, most)
  best <- last <- list(error = Inf)
  worse <- 0L
  for (r in unique(pmin(c(1, 2, 4, 7, 11, 16, 24, 36), most))) {
    start <- c(start_factors(leading, r, last), list(ridge = ridge, tol = 3e-4, maxit = 8L))
    fit <- .Call(C_em_factors, known, start, FALSE)
    last <- c(fit[c("mean", "W", "noise")], error = sum((fit$filled[held] - z[held])^2))
    worse <- if (last$error < best$error) 0L else worse + 1L
    if (worse == 0L) best <- last
    if (worse == 2L) break
  }
  start <- c(best[c("mean", "W", "noise")], list(ridge = ridge, tol = 1e-5, maxit = 500L))
  fit <- .Call(C_em_factors, z, start, whole)
  c(list(route = "factors", components = ncol(fit$W), ridge = ridge), fit)
}

# Entries by which the number of components is judged, one in twenty of those seen. Which
# they are depends on the values and not on the order of rows and columns.
held_out <- function(z) {
  z3 <- colMeans(z^3, na.rm = TRUE)
  mark <- 1e3 * (z + 1.7 * rowMeans(z, na.rm = TRUE) + rep(2.3 * z3, each = nrow(z)))
  held <- which(mark - floor(mark) < 0.05)
  # a column keeps four entries of five at least
  seen <- colSums(!is.na(z))
  taken <- tabulate((held - 1L) %/% nrow(z) + 1L, ncol(z))
  held[(taken <= seen / 5)[(held - 1L) %/% nrow(z) + 1L]]
}

# the leading components of the data with zeros in the gaps, which keep a share of the variance
leading_of_seen <- function(z, count) {
  data <- list(
    kind = "dense", n = nrow(z), d = ncol(z), x = replace(z, is.na(z), 0),
    mean = numeric(ncol(z)), kept = .Call(C_keeper)
  )
  leading <- leading_eigenvectors(data, count)
  list(values = leading$values / sum(!is.na(z)) * ncol(z), vectors = leading$vectors, d = ncol(z))
}

# the last model with further components, or as many from the beginning
start_factors <- function(leading, r, last) {
  if (is.null(last$W)) {
    noise <- max(0.02, 1 - sum(leading$values[seq_len(r)]) / leading$d)
    last <- list(mean = numeric(leading$d), noise = noise)
  }
  fresh <- setdiff(seq_len(r), seq_along(last$W[1, ]))
  size <- sqrt(pmax(leading$values[fresh] - last$noise, 1e-3 * leading$values[1]))
  last$W <- cbind(last$W, leading$vectors[, fresh, drop = FALSE] * rep(size, each = leading$d))
  last[c("mean", "W", "noise")]
}

# ---- moments from it ---------------------------------------------------------------------

# Summed covariances of what is missing, of the columns `own`, in units of x. A sketch takes their
# variances, and its bound the rest: of components noise is a diagonal matrix.
add_spread <- function(moments, model) {
  own <- model$own
  mine <- seq_along(own)
  if (is.null(model$spread)) {
    variances <- model$square[mine] * model$scale^2
    noise <- model$noise * colSums(is.na(model$z[, mine, drop = FALSE])) * model$scale^2
    rest <- min(sum(variances), max(noise) + sum(pmax(0, variances - noise)))
  } else {
    spread <- model$spread[mine, mine, drop = FALSE] * outer(model$scale, model$scale)
    if (!is_sketch(moments)) {
      moments$S[own, own] <- moments$S[own, own] + spread
      return(moments)
    }
    variances <- diag(spread)
    rest <- norm(spread, "F")
  }
  moments[["square"]][own] <- moments[["square"]][own] + variances
  moments$error <- moments$error + rest
  moments
}

# what moments hold of the gaps, and of the model that predict() asks
told_gaps <- function(raw, gap, model) {
  rows <- rowSums(gap)
  told <- list(
    entries = sum(gap), by_column = stats::setNames(colSums(gap), raw$names),
    rows = sum(rows > 0), empty = sum(rows == raw$d), route = model$route
  )
  if (model$route == "none") {
    return(told)
  }
  if (!model$converged) warn_rowsparse("convergence", sprintf(
    "moments: EM stopped after %d steps: %s.", model$iterations, model$status
  ))
  kept <- model[c("own", "scale", "centre", "rest")]
  if (model$route == "factors") {
    own <- seq_along(model$own)
    kept <- c(kept, list(
      mean = model$mean[own], W = model$W[own, , drop = FALSE], noise = model$noise
    ))
  }
  model[c("loglik", "objective")] <- lapply(model[c("loglik", "objective")], `+`, model$jacobian)
  parts <- c("components", "ridge", "loglik", "objective", "iterations", "converged", "status")
  c(told, model[intersect(parts, names(model))], list(model = kept))
}

# ---- in words ----------------------------------------------------------------------------

# "12 of 600 entries (2%), in 3 of 6 columns, were missing"
missing_line <- function(told, n) {
  d <- length(told$by_column)
  if (told$entries == 0) {
    return("No entry was missing")
  }
  sprintf("%.0f of %.0f entries (%s%%), in %d of %d columns, were missing", told$entries,
    as.double(n) * d, format(100 * told$entries / n / d, digits = 2), sum(told$by_column > 0), d
  )
}

model_line <- function(told) {
  if (!is.null(told) && told$route != "none") {
    sprintf("EM with %s: %s, log likelihood %s after %d steps", switch(told$route,
      normal = "the covariance of all columns", factors = count_of(told$components, "component")
    ), told$status, format(utils::tail(told$loglik, 1), digits = 8), told$iterations)
  }
}

# ---- samples -----------------------------------------------------------------------------

#' @rdname moments
#' @section Filling gaps:
#' `predict(moments, x)` replaces missing entries of x by their conditional means given the observed
#' entries of the sample, under the model fitted by `missing = "em"` (without the response, which
#' must not influence the features), or the normal distribution with the means and the S of other
#' moments. Nothing is estimated from x. It returns a matrix, or a data frame if x is one. Filled
#' values lie on the regression of a feature on the others, without the scatter about it: variances
#' of the completed samples are too small, correlations too large, tests too good. A warning of
#' class `rowsparse_warning_imputed` says so. Methods that take moments need no completed samples.
#' @param object Moments.
#' @param newdata The samples to complete, in memory, with the features of the moments.
#' @param ... None.
#' @export
predict.rowsparse_moments <- function(object, newdata, assay = NULL, ...) {
  check_no_more("predict", c("newdata", "assay"), ...)
  check_moments(object, "object")
  model <- model_of_moments(object)
  held <- as_kept(newdata, assay, TRUE)
  refuse_if(inherits(held, c("rowsparse_blocks", "rowsparse_moments")), "type", "newdata",
    "must be samples in memory", describe(newdata), "Fill row blocks block by block")
  rows <- rownames(held)
  raw <- dense_with_gaps(read_input(held, assay, "newdata"), "newdata")
  check_features_of_moments(raw, object)
  gap <- is.na(raw$x)
  filled <- fill_gaps(raw$x, gap, model, unname(object$mean))
  if (any(gap)) warn_rowsparse("imputed", sprintf(
    "%s filled by conditional means: variances are too small now, see ?moments.",
    count_of(sum(gap), "missing value")
  ))
  if (is.data.frame(newdata)) {
    for (j in which(colSums(gap) > 0)) newdata[[j]] <- filled[, j]
    return(newdata)
  }
  dimnames(filled) <- if (!is.null(rows) || !is.null(raw$names)) list(rows, raw$names)
  filled
}

check_features_of_moments <- function(raw, moments) {
  known <- or_default(moments$feature_names, raw$names)
  given <- or_default(raw$names, known)
  sized <- raw$d == length(moments$mean)
  if (!sized || !identical(given, known)) {
    at <- if (sized) which(given != known)[1]
    stop_rowsparse("names", "newdata",
      sprintf("must have the %d features of the moments in their order", length(moments$mean)),
      if (sized) sprintf("%s in place of %s", quoted(given[at]), quoted(known[at])) else raw$d
    )
  }
}

# A model of the columns `own`: centre, rest, scale; in these units mean, and sigma or W and noise
model_of_moments <- function(moments) {
  told <- moments[["missing"]]
  refuse_if(!is.null(moments$block), "type", "object", "must be moments without a block")
  if (identical(told$route, "factors")) {
    return(c(list(ridge = 1), told$model))
  }
  refuse_if(is_sketch(moments),
    "type", "object", "must be whole moments, or made by missing = \"em\"", "moments with a `rank`")
  weight <- moments_weight(moments)
  square <- unname(diag(moments$S)) / weight
  mean <- unname(moments$mean)
  own <- which(sqrt(square) > 8 * .Machine$double.eps * abs(mean))
  scale <- sqrt(square[own])
  ridge <- or_default(told$ridge, prior_samples(NULL, length(own), weight, weight))
  sigma <- unname(moments$S[own, own, drop = FALSE]) / outer(scale, scale)
  list(
    own = own, centre = mean[own], scale = scale,
    rest = or_default(moments$fine, numeric(length(mean)))[own], mean = numeric(length(own)),
    sigma = (sigma + diag(ridge, length(own))) / (weight + ridge), ridge = ridge
  )
}

fill_gaps <- function(x, gap, model, mean) {
  own <- model$own
  x[gap] <- mean[col(x)[gap]]
  holes <- gap[, own, drop = FALSE]
  if (any(holes)) {
    z <- sweep(sweep(sweep(x[, own, drop = FALSE], 2, model$centre), 2, model$rest), 2,
      model$scale, "/"
    )
    z[holes] <- NA
    settings <- c(model[intersect(c("mean", "sigma", "W", "noise", "ridge"), names(model))],
      list(tol = 1, maxit = 0L)
    )
    end <- if (is.null(model$W)) {
      .Call(C_em_normal, z, settings)
    } else {
      .Call(C_em_factors, z, settings, FALSE)
    }
    x[, own] <- in_gaps(x[, own, drop = FALSE], holes, end$filled, model)
  }
  x
}
