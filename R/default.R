# The default method, for every function in which a method may be left out.

# list(method, settings, reason): the method, the arguments that differ from its own defaults, and
# for which data it is the default, as print() says. `x` is the object as the caller gave it: what
# is read from an experiment is an ordinary matrix. `searched`: are sets within rules, or of groups,
# asked for, which closed forms do not give? `family`: of a likelihood that is asked for, or NULL.
# The evidence is told in ?rowsparse.
usual_method <- function(x, y, k = NULL, searched = FALSE, family = NULL) {
  usual <- function(method, reason, settings = NULL) {
    list(method = method, settings = settings, reason = reason)
  }
  if (!is.null(family) && !is.null(y)) {
    return(usual("rowsparse_glm", "a `family`"))
  }
  in_blocks <- inherits(x, "rowsparse_blocks")
  experiment <- is_experiment(x) || in_blocks && isTRUE(x[["experiment"]])
  n <- sample_count(x)
  in_moments <- inherits(x, "rowsparse_moments")
  d <- function() if (in_blocks) blocks_input(x, "x")$d else data_size(x)[2]
  size <- if (is.numeric(k) && length(k) > 0L) max(k) else 50
  switch(response_kind(x, y),
    class = if (experiment) {
      usual("alignment", "classes of expression objects")
    } else if (!in_moments && isTRUE(d() > 5 * n)) {
      usual("alignment", "classes and more than five features per sample")
    } else {
      usual("cdlsr", if (isTRUE(d() > 5 * n)) {
        "classes in moments, as alignment() needs the samples themselves"
      } else {
        "classes"
      }, list(ridge = "pillai"))
    },
    # samples can be left out, to choose a ridge, if they are in memory and twice as many as k
    number = if (in_blocks) {
      usual("alignment", "data with a response")
    } else if (isTRUE(n > 2 && min(size, d()) <= n / 2)) {
      usual("cdlsr", "a numeric response", list(ridge = "cv"))
    } else {
      usual("alignment", "a numeric response and few samples (k > n / 2)")
    },
    several = usual("alignment", "data with a response"),
    survival = usual("rowsparse_glm", "censored times", list(family = "cox")),
    moments = usual("cdlsr",
      "numbers in moments, without a ridge: to choose it needs the samples themselves"
    ),
    none = if (in_moments) {
      usual("css", "moments, as alignment() needs the samples themselves")
    } else if (experiment) {
      usual("fspca", paste0("expression objects without a response",
        if (searched) ", with solver = \"exchange\" for `rules` or `groups`"
      ), if (!searched) list(solver = "go"))
    } else {
      usual("alignment", "data without a response")
    }
  )
}

# "class", "number" (one per sample), "several", "survival", "moments" (numbers that moments hold)
# or "none".
# The response of an experiment may be the name of a column.
response_kind <- function(x, y) {
  if (is.null(y)) {
    held <- inherits(x, "rowsparse_moments") && !is.null(x[["Sxy"]])
    return(if (!held) "none" else if (identical(x[["y_type"]], "class")) "class" else "moments")
  }
  if (is_experiment(x) && is_text(y)) y <- usable_response(sample_column(x, y, "y"))
  if (is_survival(y)) {
    return("survival")
  }
  if (is_classes(y)) "class" else if (is_plain_numeric(y) && NCOL(y) == 1L) "number" else "several"
}

# For a default method the call that gives this very fit by name: that of the user with the method
# and its settings. What stands there as data, as in do.call(), is called by the argument's name.
call_lines <- function(fit) {
  usual <- fit$default
  if (is.null(usual)) {
    return(NULL)
  }
  call <- fit$call
  if (is.function(call[[1]])) call[[1]] <- as.name("rowsparse")
  for (name in names(call)[-1L]) {
    value <- call[[name]]
    if (!is.language(value) && length(value) > 1L) call[[name]] <- as.name(name)
  }
  call[["method"]] <- usual$method
  added <- setdiff(names(usual$settings), names(call))
  call[added] <- usual$settings[added]
  c(paste0("Call by name (the default for ", usual$reason, "):"),
    paste0("  ", deparse(call, console_width() - 10L))
  )
}

# ---- classes by Pillai's trace -------------------------------------------------------
#
# Least squares with a ridge on indicators divided by the root of the size of their class, see
# ?rowsparse. It takes each column by itself, so coefficients for the plain indicators are those
# found times the roots.

is_pillai <- function(ridge) identical(ridge, "pillai")

# a centred response with scaled columns; `root`, which takes coefficients back; and the `ridge`
pillai_response <- function(response, data) {
  refuse_if(response$type != "class", "choice", "ridge",
    "must be a number or \"cv\" for a numeric response", "\"pillai\"",
    "It is for classes; factor(y) makes classes of labels"
  )
  mass <- or_default(data$observed$total, data$n)
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
  response$ridge <- 0.1 * mass
  response
}

# coefficients, or products with the data, by columns of plain indicators
by_indicators <- function(values, response) {
  if (is.null(response$root)) values else values * rep(response$root, each = nrow(values))
}

# ---- copies, and a set that predicts nothing -----------------------------------------

# A sentence if the samples that the folds of the ridge, or the classifier, have left out are
# predicted no better than by the mean of the response or the shares of the classes
words_no_better <- function(fit) {
  choice <- fit[["ridge_choice"]]
  left_out <- fit[["left_out"]]
  words <- "No better than %s on samples left out: these features may be a choice among noise"
  if (!is.null(choice) && isTRUE(min(choice$errors$error) >= 1)) {
    sprintf(words, words_for_none(fit))
  } else if (isTRUE(left_out[["rule"]] >= left_out[["prior"]])) {
    sprintf(words, "the shares of the classes")
  }
}

# The fit to classes with the mean losses of its classifier, `left_out`, if this takes few products
with_left_out <- function(fit) {
  if (is_class_fit(fit) && !is.null(fit$training) && is.null(fit$training$sums)) {
    size <- dim(fit$training$values)
    if (prod(size) * min(length(fit$selected), size[2]) <= 5e7) {
      size <- if (!inherits(fit, "cdlsr")) units_in(fit, fit$selected)
      fit$left_out <- classifier_of(fit, size)$rule$left_out
    }
  }
  fit
}

# Copies of each other among the features that a default method selects, where this takes few
# products. They share a ridge, and so a feature and its copy may be worth more than another one.
tell_copies <- function(fit, data) {
  columns <- inner_index(fit$selected, data)
  few <- as.double(data$n) * length(columns)^2 <= 1e8
  if (is.null(fit$default) || !data$kind %in% c("dense", "sparse") || is_grouped(data) || !few) {
    return(invisible())
  }
  columns <- columns[!data$constant[columns]]
  values <- training_values(data, outer_index(columns, data))
  values <- values / rep(sqrt(colSums(values^2)), each = nrow(values))
  r <- abs(crossprod(values))
  r[!upper.tri(r)] <- 0
  pairs <- which(r > 1 - 1e-10, arr.ind = TRUE)
  if (nrow(pairs) > 0L) {
    label <- function(at) feature_labels(fit, outer_index(columns[at], data))
    say_rowsparse("copies", sprintf("%s: %s. `diverse = TRUE` leaves copies out.",
      "Selected features that are copies of others", first_few(sprintf("`%s` of `%s`",
        label(pairs[, 2]), label(pairs[, 1])
      ))
    ))
  }
}
