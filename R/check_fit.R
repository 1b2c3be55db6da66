# Results that come back to the package: users take fits, paths and tables apart
# and put them together again. What a method needs of a result is checked when
# it is used, one message for all of them.

# Rules by element: function(value, whole object) and what it must be. Elements
# that are NULL pass, but for those named in `needed`, all of them where nothing is said.
check_elements <- function(object, argument, what, rules, needed = names(rules)) {
  if (!is.list(object)) {
    stop_rowsparse("object", argument, paste("must be", what), describe(object))
  }
  for (name in names(rules)) {
    value <- object[[name]]
    missing <- is.null(value) && name %in% needed
    if (missing || (!is.null(value) && !isTRUE(rules[[name]]$holds(value, object)))) {
      stop_rowsparse("object", argument,
        sprintf("must be %s, unchanged: its element `%s` must be %s", what, name,
          rules[[name]]$text
        ),
        paste0(describe(value), "; run the function that made it again")
      )
    }
  }
  invisible(object)
}

rule <- function(text, holds) list(text = text, holds = holds)

is_text <- function(value) is.character(value) && length(value) == 1L && !is.na(value)

is_count <- function(value, most = .Machine$integer.max) {
  is_number(value) && is.null(dim(value)) && value >= 0 && value <= most && value == round(value)
}

# merged blocks may have more samples than an integer holds
is_sample_size <- function(value) is_count(value, 2^53)

are_numbers <- function(value) is.numeric(value) && !anyNA(value)

is_permutation <- function(value, d) {
  length(value) == d && is_whole(value) && all(value >= 1 & value <= d) && !anyDuplicated(value)
}

are_columns <- function(value, d) {
  is_whole(value) && all(value >= 1 & value <= d) && !anyDuplicated(value)
}

# rows of a first and a last place
are_places <- function(value, d) {
  is.matrix(value) && identical(colnames(value), c("from", "to")) && are_numbers(value) &&
    all(value >= 1 & value <= d)
}

# what many elements must be
one_string <- rule("one string", function(v, x) is_text(v))
strings <- rule("text", function(v, x) is.character(v))
whole_number <- rule("a whole number", function(v, x) is_count(v))
one_number <- rule("a number", function(v, x) is_number(v) && is.null(dim(v)))
number_or_na <- rule("a number or NA", function(v, x) {
  length(v) == 1L && (is.numeric(v) || identical(v, NA))
})
some_numbers <- rule("numbers", function(v, x) is.numeric(v))
data_frame <- rule("a data frame", function(v, x) is.data.frame(v))
number_of_samples <- rule("the number of samples", function(v, x) is_sample_size(v))
number_of_features <- rule("the number of features", function(v, x) is_count(v) && v >= 1)
name_per_feature <- rule("one name per feature", function(v, x) is.character(v) && length(v) == x$d)
number_per_feature <- rule("one number per feature", function(v, x) {
  are_numbers(v) && length(v) == x$d
})
row_per_feature <- rule("a numeric matrix with one row per feature", function(v, x) {
  is.matrix(v) && are_numbers(v) && nrow(v) == x$d
})
row_per_sample <- rule("a matrix with a row per sample", function(v, x) {
  is.matrix(v) && are_numbers(v) && nrow(v) == x$n && ncol(v) > 0
})
different_columns <- rule("different columns", function(v, x) are_columns(v, x$d))

# every element of a fit that is read again, whichever its method
fit_rules <- function() {
  list(
    d = number_of_features, n = number_of_samples,
    ranking = rule("the columns in rank order", function(v, fit) is_permutation(v, fit$d)),
    scores = number_per_feature, selected = different_columns, feature_names = name_per_feature,
    loadings = row_per_feature, included = different_columns, excluded = different_columns,
    unique = rule("TRUE, FALSE or NA", function(v, fit) {
      is.logical(v) && length(v) == 1L && is.null(dim(v))
    }),
    ties = rule("a list of places and sentences", function(v, fit) {
      is.list(v) && are_places(v$places, fit$d) &&
        (is.null(v$reasons) || is.character(v$reasons))
    }),
    center = number_per_feature, scale = number_per_feature,
    block = rule("levels and their means", is_fit_block),
    identifiers = rule("a data frame with one row per feature", function(v, fit) {
      is.data.frame(v) && nrow(v) == fit$d
    }),
    # how it ended
    objective = some_numbers, iterations = whole_number, status = one_string,
    kkt = number_or_na, explained = number_or_na, bound = number_or_na, gap = number_or_na,
    default = one_string, elapsed = one_number, passes = one_number,
    parameters = rule("a list", function(v, fit) is.list(v)),
    blueprint = rule("what was made of the columns of a table", is_blueprint),
    na.action = rule("the rows that were left out", function(v, fit) is.numeric(v)),
    assay = rule("the name or number of an assay", function(v, fit) is_text(v) || is_count(v)),
    groups = rule("labels, numbers, ranking and scores of groups", is_group_element),
    # what some methods add
    path = rule("a list with sizes, features and coefficients", function(v, fit) {
      is_path_element(v, fit$d) && (!is.null(v$coefficients) || !inherits(fit, "cdlsr"))
    }),
    response = rule("a list with a type and means", function(v, fit) {
      is.list(v) && is_text(v$type) && are_numbers(v$mean) && length(v$mean) > 0 &&
        (v$type != "class" || length(v$levels) == length(v$mean)) &&
        (is.null(v$fitted) || has_fitted(v))
    }),
    ridge_choice = rule("a share and the errors of all", is_choice_of_ridge),
    training = rule("the samples of its features", is_training),
    regression = rule("the factors of a least squares fit", is_regression),
    gains = rule("one number per feature", function(v, fit) is.numeric(v) && length(v) == fit$d),
    k_ic = rule("a size", function(v, fit) length(v) == 0L || is_count(v)),
    margins = rule("numbers", function(v, fit) {
      are_numbers(v) && length(v) > 0 && length(fit$objective) == length(v) + 1L
    }),
    changes = rule("numbers of features by name", function(v, fit) {
      is.numeric(v) && !is.null(names(v))
    }),
    near_copies = rule("whole numbers", function(v, fit) is_whole(v)),
    embedding = row_per_sample, embedding_selected = row_per_sample,
    factor = row_per_feature, rank = whole_number,
    right = rule("a matrix of the shape of `factor`", function(v, fit) {
      is.matrix(v) && are_numbers(v) && identical(dim(v), dim(fit$factor))
    })
  )
}

is_choice_of_ridge <- function(value, fit) {
  if (!is.list(value) || !is_number(value$share) || !is_count(value$folds)) {
    return(FALSE)
  }
  errors <- value$errors
  is.data.frame(errors) && is.numeric(errors$error) && value$share %in% errors$share &&
    is_number(fit$explained)
}

# fitted values, and the response that they are of
has_fitted <- function(response) {
  size <- dim(response$fitted)
  is.matrix(response$fitted) && are_numbers(response$fitted) &&
    size[2] == length(response$mean) && NROW(response$y) == size[1] &&
    (is.factor(response$y) || is.numeric(response$y))
}

is_regression <- function(value, fit) {
  if (!is.list(value)) {
    return(FALSE)
  }
  rank <- length(value$at)
  is_sized <- function(part, columns) {
    is.matrix(part) && are_numbers(part) && identical(dim(part), c(rank, columns))
  }
  is_count(value$count) && are_columns(value$at, value$count) && has_features(value, rank, fit$d) &&
    length(value$order) == value$count && are_columns(value$order, fit$d) &&
    is_sized(value$R, rank) && is_sized(value$QtY, length(fit[["response"]]$mean))
}

has_features <- function(value, rank, d) {
  length(value$features) == rank && are_columns(value$features, d) &&
    are_numbers(value$share) && length(value$share) == rank
}

is_point_regression <- function(value, path) {
  if (is.null(value)) {
    return(TRUE)
  }
  responses <- length(path$response$mean)
  is.list(value) && are_slopes(value$slope, value$features, path$d, responses) &&
    are_numbers(value$intercept) && length(value$intercept) == responses
}

is_point_rule <- function(value, path) {
  is_point_regression(value, path) && (is.null(value) || is_number(value$temperature))
}

# none of no features
are_slopes <- function(slope, features, d, responses) {
  if (!is.matrix(slope) || !identical(dim(slope), c(length(features), responses))) {
    return(FALSE)
  }
  length(features) == 0L || (are_columns(features, d) && are_numbers(slope))
}

is_path_element <- function(path, d) {
  is.list(path) && is_whole(path$k) && is.list(path$features) &&
    length(path$features) == length(path$k) &&
    all(vapply(path$features, are_columns, NA, d = d)) &&
    (is.null(path$coefficients) || are_coefficients(path$coefficients, lengths(path$features)))
}

are_coefficients <- function(value, rows) {
  fits <- function(B, size) is.matrix(B) && are_numbers(B) && nrow(B) == size
  is.list(value) && length(value) == length(rows) && all(mapply(fits, value, rows))
}

# a fit as new_fit() made it, or as the functions that change one leave it
check_fit <- function(fit, argument = "fit", needed = NULL) {
  check_elements(fit, argument, "a fit", fit_rules(), c("d", "ranking", "scores", needed))
}

# what the print methods of summaries read; `more` elements for one class
check_summary <- function(x, more = NULL) {
  rules <- c(list(
    line = strings, objective = some_numbers,
    fragility = rule("a list with a rank, a margin and features", function(v, x) {
      is.list(v) && is_count(v$k) && length(v$margin) == 1L && is.numeric(v$margin) &&
        length(v$relative) == 1L && is.numeric(v$relative) && is.atomic(v$tied)
    })
  ), more)
  optional <- fit_rules()[c("kkt", "bound", "k_ic", "near_copies")]
  check_elements(x, "x", "a summary", c(rules, optional), names(rules))
}

# ---- paths, tunings and tables ---------------------------------------------------

# what a path is over, and what it holds for every point
path_rules <- function() {
  of_points <- function(v, x) length(v) == length(x$grid)
  number_per_point <- rule("one number per point", function(v, x) is.numeric(v) && of_points(v, x))
  c(list(
    method = one_string, over = one_string, d = number_of_features, n = number_of_samples,
    groups = rule("labels and numbers of groups", function(v, x) {
      is.list(v) && is.character(v$label) && length(v$of) == x$d && is_whole(v$of) &&
        all(v$of >= 1 & v$of <= length(v$label))
    }),
    grid = rule("numbers from 0", function(v, x) {
      are_numbers(v) && is.null(dim(v)) && length(v) > 0 && all(is.finite(v) & v >= 0)
    }),
    others = rule("a data frame of numbers, one row per point", function(v, x) {
      is.data.frame(v) && nrow(v) == length(x$grid) && length(v) > 0 &&
        all(vapply(v, function(column) are_numbers(column) && is.null(dim(column)), NA)) &&
        all(unlist(v) >= 0 & is.finite(unlist(v)))
    }),
    selected = rule("one set of columns per point", function(v, x) {
      is.list(v) && of_points(v, x) &&
        all(vapply(v, function(set) length(set) == 0 || are_columns(set, x$d), NA))
    }),
    nonzero = rule("one count per point", function(v, x) are_numbers(v) && of_points(v, x)),
    explained = number_per_point, objective = number_per_point, iterations = number_per_point,
    converged = rule("TRUE or FALSE per point", function(v, x) is.logical(v) && of_points(v, x)),
    scores = rule("a matrix, features x points", function(v, x) {
      identical(dim(v), c(as.integer(x$d), length(x$grid)))
    }),
    gap = number_per_point,
    loadings = rule("one matrix or NULL per point", function(v, x) is.list(v) && of_points(v, x)),
    regression = rule("one regression or NULL per point", function(v, x) {
      is.list(v) && of_points(v, x) && all(vapply(v, is_point_regression, NA, path = x))
    }),
    classifier = rule("one rule or NULL per point", function(v, x) {
      is.list(v) && of_points(v, x) && all(vapply(v, is_point_rule, NA, path = x))
    }),
    entry = rule("one point or NA per feature", function(v, x) is.numeric(v) && length(v) == x$d),
    elapsed = one_number, feature_names = name_per_feature
  ), fit_rules()[c("center", "scale", "response", "blueprint", "na.action")])
}

check_path <- function(path, argument = "x") {
  rules <- path_rules()
  check_elements(path, argument, "a path", rules,
    setdiff(names(rules), c(
      "feature_names", "others", "scale", "response", "regression", "classifier", "groups",
      "blueprint", "na.action"
    ))
  )
}

check_tuning <- function(tuning, argument = "x") {
  rules <- list(
    method = one_string,
    criterion = rule("one of the criteria", function(v, x) is_text(v) && v %in% tuning_criteria),
    k = rule("a number of features", function(v, x) is_count(v) && v >= 1),
    table = rule("the data frame of all settings and sizes", function(v, x) {
      is.data.frame(v) && all(c("k", "stability", "stability_se", x$criterion) %in% names(v)) &&
        nrow(v) > 0 && all(vapply(v[c("k", x$criterion)], is.numeric, NA)) &&
        length(unique(table(v$k))) == 1L
    }),
    setting = rule("one row of settings of the table", function(v, x) {
      is.data.frame(v) && nrow(v) == 1L && all(names(v) %in% names(x$table))
    }),
    subsamples = whole_number,
    agreement = rule("a share", function(v, x) is.numeric(v) && length(v) == 1L),
    k_range = rule("two sizes", function(v, x) {
      is.numeric(v) && length(v) == 2L && (is.na(x$agreement) || !anyNA(v))
    }),
    sharpness = rule("a number", function(v, x) is_number(v)),
    sure = one_string,
    why = strings,
    elapsed = one_number,
    frequency = rule("a matrix, features x sizes", function(v, x) {
      length(dim(v)) == 2L && x$k %in% colnames(v)
    }),
    stability = rule("the index and its interval", function(v, x) {
      is.numeric(v) && all(c("stability", "lower", "upper") %in% names(v))
    }),
    fit = rule("a fit", function(v, x) is.list(v) && inherits(v, "rowsparse"))
  )
  needed <- setdiff(names(rules), c("setting", "sharpness", "why"))
  check_elements(tuning, argument, "a tuning", rules, needed)
  check_fit(tuning$fit, paste0(argument, "$fit"))
  invisible(tuning)
}

# a table of scores: its columns may be bound, filtered and sorted, not bent
check_evaluation <- function(table, argument = "x") {
  rows <- length(attr(table, "row.names"))
  fits <- function(v) is.atomic(v) && is.null(dim(v)) && length(v) == rows
  score <- rule("one number per row", function(v, x) is.numeric(v) && fits(v))
  rules <- list(
    method = rule("one name per row", function(v, x) (is.character(v) || is.factor(v)) && fits(v)),
    k = rule("one size per row", function(v, x) is_whole(v) && fits(v)),
    acc_mean = score, acc_sd = score, nmi_mean = score, nmi_sd = score,
    data = rule("one name per row", function(v, x) fits(v)),
    elapsed = score,
    note = rule("one text per row", function(v, x) is.character(v) && fits(v))
  )
  check_elements(unclass(table), argument, "an evaluation of features", rules,
    c("method", "k", "acc_mean", "acc_sd", "nmi_mean", "nmi_sd",
      if (inherits(table, "method_comparison")) "data"
    )
  )
  check_columns(table, argument)
}

# a table that can be printed, whatever columns are left
check_columns <- function(table, argument = "x") {
  plain <- function(column) is.atomic(column) && is.null(dim(column))
  sound <- is.list(table) && all(vapply(unclass(table), plain, NA)) &&
    length(unique(lengths(table))) <= 1L
  if (!sound) {
    stop_rowsparse("object", argument, "must have columns of one length", describe(table))
  }
}

check_friedman <- function(test, argument = "x") {
  rules <- list(
    statistic = one_number, df = whole_number, p_value = one_number,
    critical_difference = one_number, blocks = whole_number, alpha = one_number,
    ranks = rule("named average ranks", function(v, x) {
      are_numbers(v) && length(v) >= 2 && !is.null(names(v))
    }),
    groups = rule("a list of method names", function(v, x) {
      is.list(v) && all(unlist(v) %in% names(x$ranks))
    }),
    block_ranks = rule("a matrix of ranks", function(v, x) is.matrix(v) && are_numbers(v))
  )
  check_elements(test, argument, "a Friedman test as summary() of a comparison gives it", rules)
}

check_cv <- function(cv, argument = "x") {
  over <- if (is.list(cv) && identical(cv[["over"]], "lambda")) "lambda" else "k"
  value <- rule(sprintf("a value of `%s` in the table", over), function(v, x) {
    is_number(v) && is.null(dim(v)) && v %in% x$table[[over]]
  })
  chosen <- stats::setNames(rep(list(value), 3), paste0(over, c("", "_min", "_1se")))
  rules <- c(cv_rules(), chosen)
  check_elements(cv, argument, "a result of cv_rowsparse()", rules,
    setdiff(names(rules), "null_measures")
  )
  check_fit(cv$fit, paste0(argument, "$fit"), "response")
  if (!is.null(cv$other)) check_fit(cv$other, paste0(argument, "$other"), "response")
  invisible(cv)
}

cv_rules <- function() {
  list(
    method = one_string,
    over = rule("\"k\" or \"lambda\"", function(v, x) is_text(v) && v %in% c("k", "lambda")),
    table = rule("the data frame of all points", is_cv_table),
    fold_error = rule("a matrix, folds x points", function(v, x) {
      is.matrix(v) && is.numeric(v) && ncol(v) == nrow(x$table)
    }),
    repeats = rule("a whole number", function(v, x) is_count(v) && v >= 1),
    null_error = rule("a number", function(v, x) is.numeric(v) && length(v) == 1L),
    null_measures = rule("the measures of classes, which the table has as well", are_measures),
    n = number_of_samples,
    measure = one_string,
    chosen_by = rule("a measure in the table", function(v, x) {
      is_text(v) && v %in% class_measures && all(measure_columns_of(v) %in% names(x$table)) &&
        !anyNA(x$table[measure_columns_of(v)])
    }),
    rule = rule("\"min\" or \"1se\"", function(v, x) is_text(v) && v %in% c("min", "1se")),
    fit = rule("a fit", function(v, x) is.list(v) && inherits(v, "rowsparse"))
  )
}

are_measures <- function(value, x) {
  is.numeric(value) && all(class_measures %in% names(value)) &&
    all(class_measures %in% names(x$table)) && all(vapply(x$table[class_measures], is.numeric, NA))
}

is_cv_table <- function(table, cv) {
  needed <- c(cv$over, "features", "error", "se")
  is.data.frame(table) && nrow(table) > 0 && all(needed %in% names(table)) &&
    names(table)[1] == cv$over && !anyNA(table[needed]) &&
    all(vapply(table, function(column) is.numeric(column) && is.null(dim(column)), NA))
}

# a number of things to show; Inf for all of them
check_shown <- function(n, argument = "n", lower = 1L) {
  many <- is.numeric(n) && length(n) == 1L && isTRUE(n > .Machine$integer.max)
  if (many) .Machine$integer.max else check_count(n, argument, lower)
}

# An argument without a default that was left out; `in_x`: x holds it; `formulas`: does the
# function read these?
check_given <- function(missing, argument, in_x = FALSE, formulas = FALSE) {
  if (missing && !formulas) check_no_formula(get0("x", parent.frame()))
  if (missing && !in_x) {
    stop_rowsparse("missing", argument, paste("must be given:", missing_words[[argument]]))
  }
}

# of a method that takes both
check_y_and_k <- function(x, y, k) {
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  check_given(missing(k), "k")
}

missing_words <- c(
  k = "the number of features to select",
  y = "the response, one entry per sample"
)
