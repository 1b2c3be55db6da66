# Checks of results of functions that go, until they are gone.

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

# merged blocks may have more samples than an integer holds
is_sample_size <- function(value) is_count(value, 2^53)

# what many elements must be
one_string <- rule("one string", function(v, x) is_text(v))

strings <- rule("text", function(v, x) is.character(v))

whole_number <- rule("a whole number", function(v, x) is_count(v))

one_number <- rule("a number", function(v, x) is_number(v) && is.null(dim(v)))

number_or_na <- rule("a number or NA", function(v, x) {
  length(v) == 1L && (is.numeric(v) || identical(v, NA))
})

data_frame <- rule("a data frame", function(v, x) is.data.frame(v))

number_of_samples <- rule("the number of samples", function(v, x) is_sample_size(v))

number_of_features <- rule("the number of features", function(v, x) is_count(v) && v >= 1)

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
