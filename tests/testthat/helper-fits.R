# of the sparse matrices that tests make by methods::as()
loadNamespace("Matrix")

# The methods that loops over all of them go through; ROWSPARSE_METHODS=a,b keeps
# these, while one of them is being written.
tested_table <- function() {
  table <- rowsparse:::method_table()
  wanted <- strsplit(Sys.getenv("ROWSPARSE_METHODS"), ",", fixed = TRUE)[[1]]
  if (length(wanted) > 0) table[names(table) %in% wanted] else table
}

# the functions of the baselines, which users reach by name alone
list2env(
  lapply(Filter(function(entry) length(entry$stated) > 0, rowsparse:::method_table()), `[[`, "fit"),
  environment()
)

tested_methods <- function() names(tested_table())

# a numeric response, or two classes of it where the method takes no other
response_for <- function(method, y) {
  numeric <- "numeric" %in% rowsparse:::method_table()[[method]]$responses
  if (numeric || is.factor(y)) y else cut(y, 2)
}

# the family that a method must be told of classes
family_of <- function(method) {
  if (takes(rowsparse:::method_table()[[method]], "family")) "multinomial"
}

supervised_methods <- function() {
  names(Filter(function(entry) entry$response == "needed", tested_table()))
}

# every fit holds every element, NA where a method has none
expect_whole <- function(fit) {
  name <- class(fit)[1]
  needed <- c("ranking", "scores", "selected", "loadings", "objective", "iterations", "converged",
    "status", "parameters", "n", "d", "feature_names", "elapsed", "call"
  )
  expect_identical(setdiff(needed, names(fit)), character(0), info = name)
  expect_length(fit$objective, fit$iterations + 1L)
  for (part in c("kkt", "explained", "bound", "gap")) {
    expect_true(is.numeric(fit[[part]]) && length(fit[[part]]) == 1L, info = name)
  }
  end <- end_of(fit)
  expect_equal(fit$gap, if (is.na(fit$bound)) NA_real_ else abs(end - fit$bound) / abs(end))
  expect_true(is.na(fit$bound) || fit$bound <= end, info = name)
  expect_true(is.na(fit$explained) || (fit$explained >= 0 && fit$explained <= 1), info = name)
  expect_true(all(diff(fit$scores[fit$ranking]) <= 0), info = name)
}

# a classed error of the package whose message holds the text
expect_refused <- function(code, subclass, text) {
  condition <- expect_error(code, class = paste0("rowsparse_error_", subclass))
  expect_s3_class(condition, "rowsparse_error")
  expect_match(conditionMessage(condition), text, fixed = TRUE)
}

# Every call in the dots stops with an error of this class, whose message holds the call's name
expect_each_refused <- function(subclass, ...) {
  calls <- as.list(substitute(list(...)))[-1]
  for (at in seq_along(calls)) {
    told <- tryCatch(
      suppressWarnings({
        eval(calls[[at]], parent.frame())
        NULL
      }),
      error = identity
    )
    label <- paste(deparse1(calls[[at]]), if (!is.null(told)) conditionMessage(told))
    expect_true(inherits(told, paste0("rowsparse_error_", subclass)), info = label)
    expect_true(grepl(names(calls)[at], conditionMessage(told), fixed = TRUE), info = label)
  }
}

# `run` refuses each of these values, given alone, as out of the range of its argument
expect_out_of_range <- function(run, ...) {
  given <- list(...)
  for (at in seq_along(given)) {
    expect_refused(do.call(run, given[at]), "range", sprintf("`%s`", names(given)[at]))
  }
}

# the conditions of this class that code signals, which nobody else hears
conditions_heard <- function(code, class) {
  heard <- list()
  withCallingHandlers(code, condition = function(condition) {
    if (inherits(condition, class)) {
      heard[[length(heard) + 1L]] <<- condition
      tryInvokeRestart(if (inherits(condition, "message")) "muffleMessage" else "muffleWarning")
    }
  })
  heard
}

# pictures are drawn on no page until the test or function that calls this ends
draw_nowhere <- function(test = parent.frame()) {
  grDevices::pdf(NULL)
  do.call("on.exit", list(quote(grDevices::dev.off()), add = TRUE), envir = test)
}

# Standard output of an R script that runs in a process of its own, with the
# same libraries. The script must end by itself.
run_child <- function(script, ..., seconds = 300) {
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(script), ...), stdout = TRUE, timeout = seconds,
    env = c(paste0("R_LIBS=", shQuote(libraries)), "LANGUAGE=en")
  ))
}
