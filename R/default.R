# The default method, for every function in which a method may be left out.

# list(method, reason, settings): the method, what print() says of it, and the arguments that
# differ from its own defaults. `x` is the object as the caller gave it: what is read from an
# experiment is an ordinary matrix. The evidence is told in ?rowsparse.
usual_method <- function(x, y, k = NULL) {
  usual <- function(method, given, settings = NULL) {
    list(
      method = method, settings = settings,
      reason = sprintf("%s is the default for %s", method, given)
    )
  }
  kind <- response_kind(x, y)
  if (kind == "class" && is_wide(x)) {
    usual("alignment", "classes and more than five features per sample")
  } else if (kind == "class") {
    usual("cdlsr", "classes", list(ridge = "pillai", search = "fast"))
  } else if (kind == "number" && leaves_out(x, k)) {
    usual("cdlsr", "a numeric response", list(ridge = "cv"))
  } else if (kind == "moments") {
    usual("cdlsr", "moments with a response")
  } else if (kind != "none") {
    usual("alignment", if (kind == "number") {
      "a numeric response and few samples (k > n / 2)"
    } else {
      "data with a response"
    })
  } else if (inherits(x, "rowsparse_moments")) {
    usual("css", "moments, which do not tell samples apart")
  } else if (is_experiment(x) || are_blocks_of_experiment(x)) {
    usual("fspca", "expression objects without a response", list(solver = "go"))
  } else {
    usual("alignment", "data without a response")
  }
}

# "class", "number" (one per sample, in memory or not), "several", "moments" (numbers that moments
# hold) or "none". The response of an experiment may be the name of a column.
response_kind <- function(x, y) {
  if (inherits(x, "rowsparse_moments") && is.null(y)) {
    if (is.null(x[["Sxy"]])) return("none")
    return(if (identical(x[["y_type"]], "class")) "class" else "moments")
  }
  if (is.null(y)) {
    return("none")
  }
  if (is_experiment(x) && is_text(y)) y <- sample_column(x, y, "y")
  if (is_classes(y)) "class" else if (is_plain_numeric(y) && NCOL(y) == 1L) "number" else "several"
}

feature_count <- function(x) {
  if (inherits(x, "rowsparse_blocks")) {
    sample_features(x)
  } else if (is_experiment(x)) {
    nrow(x)
  } else {
    NCOL(x)
  }
}

# More than five features per sample? Moments, which alignment() does not take, never count.
is_wide <- function(x) {
  !inherits(x, "rowsparse_moments") && isTRUE(feature_count(x) > 5 * sample_count(x))
}

# Can samples be left out to choose a ridge? They must be in memory, and at least twice as many as
# features are asked for (all sizes up to 50 where none is)
leaves_out <- function(x, k) {
  if (inherits(x, c("rowsparse_moments", "rowsparse_blocks"))) {
    return(FALSE)
  }
  k <- if (is.numeric(k) && length(k) > 0L) max(k) else 50
  n <- sample_count(x)
  isTRUE(n > 2 && min(k, feature_count(x)) <= n / 2)
}

# ---- classes by Pillai's trace -------------------------------------------------------
#
# Indicators divided by the root of the size of their class, n_c, have the products
# Y'Y = I - sqrt(p) sqrt(p)', p_c = n_c / n: a projector, so that least squares on them with the
# ridge r maximises Pillai's trace, tr((X_J'X_J + r I)^-1 X_J'Y Y'X_J). Centring and dividing act
# on columns, and least squares takes each column by itself: coefficients for the plain indicators
# are those found times the roots.

# ridge of cdlsr(ridge = "pillai") as a share of the number of samples
pillai_share <- 0.1

is_pillai <- function(ridge) identical(ridge, "pillai")

# the sum of the weights of the samples, or their number
data_mass <- function(data, x) {
  if (data$kind == "moments" && inherits(x, "rowsparse_moments")) {
    moments_weight(x)
  } else {
    sample_mass(data$n, data$observed$weight)
  }
}

# a centred response with scaled columns; `root`, which takes coefficients back; and the `ridge`
pillai_response <- function(response, mass) {
  if (response$type != "class") {
    stop_rowsparse("choice", "ridge", "must be a number or \"cv\" for a numeric response",
      "\"pillai\"", "It is for classes; factor(y) makes classes of labels"
    )
  }
  root <- sqrt(mass * unname(response$mean))
  unit <- unit_above(1 / min(root))
  by_class <- function(Y) if (!is.null(Y)) Y / rep(root * unit, each = nrow(Y))
  response[["Y"]] <- by_class(response[["Y"]])
  response[["B"]] <- by_class(response[["B"]])
  response$squares <- response$squares / (root * unit)^2
  response$total <- sum(response$squares)
  response$YtY <- response$YtY / tcrossprod(root * unit)
  response$unit <- response$unit * unit
  response$root <- root
  response$ridge <- pillai_share * mass
  response
}

# coefficients, or products with the data, by columns of plain indicators
by_indicators <- function(values, response) {
  if (is.null(response$root)) values else values * rep(response$root, each = nrow(values))
}

# ---- a set that predicts nothing ---------------------------------------------------------

# A sentence if the samples left out are predicted no better than by the mean of the response or
# the shares of the classes; NULL if they are, or if none was left out. The folds of the ridge, or
# the classifier, have left them out already.
words_no_better <- function(fit) {
  choice <- fit[["ridge_choice"]]
  left_out <- fit[["left_out"]]
  if (!is.null(choice) && isTRUE(min(choice$errors$error) >= 1)) {
    sprintf("on samples left out, none of the sets predicts the response better than %s",
      "its mean: these features may be a choice among noise"
    )
  } else if (isTRUE(left_out[["rule"]] >= left_out[["prior"]])) {
    sprintf("on samples left out, the set predicts the classes no better than %s",
      "their shares: these features may be a choice among noise"
    )
  }
}

# numbers of products up to which the front door makes the classifier of a fit for its report
classifier_work <- 5e7

# the fit to classes with the mean losses of its classifier, `left_out`
with_left_out <- function(fit) {
  if (is_class_fit(fit) && !is.null(fit$training) && is.null(fit$training$sums)) {
    size <- dim(fit$training$values)
    if (prod(size) * min(length(fit$selected), size[2]) <= classifier_work) {
      size <- if (!inherits(fit, "cdlsr")) units_in(fit, fit$selected)
      fit$left_out <- classifier_of(fit, size)$rule$left_out
    }
  }
  fit
}
