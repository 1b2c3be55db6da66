#' Tidy tables of fits
#'
#' `tidy()` gives the parts of a fit as rows of a table, `glance()` a summary in one row, and
#' `augment()` the samples with their predictions. The verbs are those of the package generics, and
#' the tables tibbles if the package tibble is installed, else data frames. Other results have
#' `as.data.frame()`.
#'
#' @param x A fit.
#' @param matrix What to list: the `"features"` of the fit, best first; the `"coefficients"` of a
#'   fit to a response, as given by `coef()`; or its `"loadings"`.
#' @param k Number of features. `NULL`: the selected features, or all with a nonzero score where
#'   the method only ranks; for coefficients, those that `coef()` takes.
#' @param expand For features, as for [selected()]; the others are always of coded columns.
#' @param data Samples in memory, as the fit took them; new ones are allowed.
#' @param y The numeric response of these samples, for `.resid`.
#' @param assay,block As for [predict.rowsparse()].
#' @param ... Unused.
#' @return `tidy()`: a row per feature with `term`, `rank` (1 for the best), `score`, `selected`,
#'   for greedy methods the `gain` of the feature, with [groups] its `group`, and for [ftest()]
#'   `statistic`, `p.value` and `q.value`; a row per `response` and term with the `estimate` of the
#'   coefficient; or a row per `component` and term with the `value` of the loading. Coefficients
#'   and loadings of features that have only zeros are left out.
#'
#'   `glance()`: one row with `method`, `nobs`, `features` and `k` (numbers of all and of selected
#'   ones, or groups), `nonzero` (number of scores), and others as in the fit.
#'
#'   `augment()`: a row per sample with its name (`.rownames`), the selected features in rank
#'   order, and for fits to a response the predicted `.class` or number `.fitted`, and the residual
#'   `.resid`; for several responses with their names after a dot.
#' @seealso [as.data.frame()][as.data.frame.rowsparse] for the table of all features
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' library(generics, warn.conflicts = FALSE)
#' fit <- rowsparse(iris[, 1:3], iris$Petal.Width, k = 2, method = "cdlsr")
#' tidy(fit)
#' tidy(fit, "coefficients")
#' glance(fit)
#' head(augment(fit, iris, iris$Petal.Width))
#' @name tidy.rowsparse
#' @exportS3Method generics::tidy
tidy.rowsparse <- function(x, matrix = c("features", "coefficients", "loadings"), k = NULL,
                           expand = FALSE, ...) {
  check_no_more("tidy", c("matrix", "k", "expand"), ...)
  matrix <- check_choice(matrix, "matrix", c("features", "coefficients", "loadings"))
  tidy_table(switch(matrix,
    features = tidy_features(x, k, expand), coefficients = tidy_coefficients(x, k),
    loadings = tidy_loadings(x, k)
  ))
}

tidy_table <- function(table) {
  rownames(table) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table) else table
}

# Features that are asked for, selected, or have a score
listed_features <- function(fit, k) {
  if (is.null(k) && is.null(fit$selected)) k <- max(1L, sum(fit$scores > 0))
  selected_index(fit, k)
}

tidy_features <- function(fit, k, expand) {
  label <- if (!check_flag(expand, "expand")) table_labels(fit)
  if (is.null(label)) label <- terms_of(fit, seq_len(fit$d))
  listed <- listed_features(fit, k)
  listed <- listed[!duplicated(label[listed])]
  table <- data.frame(
    term = label[listed], rank = match(label[listed], unique(label[fit$ranking])),
    score = unname(fit$scores[listed]), selected = listed %in% fit$selected
  )
  table$gain <- unname(fit$gains[listed])
  group <- fit$groups$label[fit$groups$of[listed]]
  if (!identical(group, table$term)) table$group <- group # unless each is a group of its own
  table$statistic <- unname(fit[["statistic"]][listed])
  table$p.value <- unname(fit[["p_value"]][listed])
  table$q.value <- unname(fit[["q_value"]][listed])
  table
}

terms_of <- function(fit, index) {
  if (is.null(fit$feature_names)) paste0("V", index) else fit$feature_names[index]
}

# rows of a matrix that are not zero, or are named the intercept, one entry after the other
long_table <- function(values, row, column, value) {
  kept <- rowSums(values != 0) > 0 | rownames(values) == "(Intercept)"
  values <- values[kept, , drop = FALSE]
  names <- list(rep(rownames(values), ncol(values)), rep(colnames(values), each = nrow(values)))
  stats::setNames(data.frame(names, as.vector(values)), c(row, column, value))
}

tidy_coefficients <- function(fit, k) {
  check_supervised(fit, "matrix", "\"coefficients\" needs a supervised fit")
  values <- as.matrix(stats::coef(fit, k))[c(1L, fit$ranking + 1L), , drop = FALSE]
  long_table(values, "term", "response", "estimate")[c("response", "term", "estimate")]
}

tidy_loadings <- function(fit, k) {
  refuse_if(is.null(fit$loadings), "choice", "matrix",
    sprintf("\"loadings\" must be there, and %s has none", fit_name(fit))
  )
  listed <- if (is.null(k)) fit$ranking else selected_index(fit, k)
  values <- fit$loadings[listed, , drop = FALSE]
  dimnames(values) <- list(terms_of(fit, listed), or_default(colnames(values),
    as.character(seq_len(ncol(values)))
  ))
  long_table(values, "term", "component", "value")
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::glance
glance.rowsparse <- function(x, ...) {
  check_no_more("glance", NULL, ...)
  tidy_table(data.frame(
    method = fit_name(x), nobs = x$n, features = x$d,
    k = if (is.null(x$selected)) NA_integer_ else units_in(x, x$selected),
    nonzero = sum(x$scores > 0), explained = as.double(x$explained),
    objective = utils::tail(x$objective, 1), iterations = x$iterations,
    converged = isTRUE(x$converged), kkt = as.double(x$kkt), bound = as.double(x[["bound"]]),
    gap = as.double(x[["gap"]])
  ))
}

#' @rdname tidy.rowsparse
#' @exportS3Method generics::augment
augment.rowsparse <- function(x, data, y = NULL, k = NULL, assay = NULL, block = NULL, ...) {
  check_no_more("augment", c("data", "y", "k", "assay", "block"), ...)
  if (missing(data)) data <- NULL
  check_newdata(data, "data")
  refuse_if(inherits(data, "rowsparse_blocks"), "type", "data", "must be samples in memory",
    describe(data)
  )
  type <- usual_type(x)
  refuse_if(!is.null(y) && type != "response", "choice", "y",
    "is for fits to numeric responses, whose residuals it gives"
  )
  table <- augmented_columns(x, data, assay, listed_features(x, k))
  if (type == "features") {
    return(tidy_table(table))
  }
  fitted <- stats::predict(x, data, k, type = type, assay = assay, block = block)
  tidy_table(cbind(table, if (type == "class") {
    data.frame(.class = fitted)
  } else {
    augmented_numbers(as.matrix(fitted), data, y)
  }))
}

# columns of a data frame stay as they are
augmented_columns <- function(fit, data, assay, listed) {
  if (is.data.frame(data)) {
    table <- as.data.frame(new_features(fit, data, listed))
    rows <- if (.row_names_info(data) > 0) rownames(data)
  } else {
    values <- as.matrix(new_values(fit, data, listed, assay))
    rows <- rownames(values)
    table <- as.data.frame(unname(values))
    names(table) <- terms_of(fit, listed)
  }
  if (is.null(rows)) table else cbind(.rownames = rows, table)
}

augmented_numbers <- function(fitted, data, y) {
  ending <- if (ncol(fitted) > 1L) paste0(".", colnames(fitted)) else ""
  named <- function(values, name) {
    stats::setNames(as.data.frame(unname(values)), paste0(name, ending))
  }
  if (is.null(y)) {
    return(named(fitted, ".fitted"))
  }
  observed <- numeric_response(sample_column(data, y, "y"), nrow(fitted))$Y
  refuse_if(ncol(observed) != ncol(fitted), "size", "y",
    sprintf("must have %s, as the fit", count_of(ncol(fitted), "column")), ncol(observed)
  )
  cbind(named(fitted, ".fitted"), named(observed - fitted, ".resid"))
}
