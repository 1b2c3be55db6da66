# compare_methods() by the cross-validated error of selection followed by the usual model.

# `settings`: k, strict, folds, foldid, repeats, random
compare_errors <- function(sets, methods, settings, given, BPPARAM) {
  weighted <- any(vapply(sets, function(set) !is.null(set$weights), NA))
  methods <- error_methods(methods, given, weighted)
  if (settings$random > 0) methods$random <- draw_columns
  tasks <- Map(error_task, names(sets), sets, list(settings))
  jobs <- unlist(lapply(names(tasks), function(data) {
    lapply(names(methods), function(method) list(data = data, method = method))
  }), recursive = FALSE)
  results <- apply_with_progress(with_own_seeds(jobs), error_job,
    tasks = tasks, methods = methods, random = settings$random, given = given, BPPARAM = BPPARAM
  )
  warn_failed(jobs, results)
  table <- do.call(rbind, lapply(results, `[[`, "rows"))
  rownames(table) <- NULL
  structure(table, class = c("error_comparison", "data.frame"))
}

draw_columns <- function(x, y, k, weights = NULL) sample.int(ncol(x), k)

# names, or functions that are asked once for all sizes; what is selected already has seen
# the samples left out
error_methods <- function(methods, given, weighted) {
  if (is.character(methods)) {
    known <- rowsparse_methods()$method
    methods <- vapply(methods, check_choice, "", argument = "methods", choices = known)
    if (weighted) for (name in methods) check_takes_weights(method_entry(name), 1)
    return(stats::setNames(as.list(methods), methods))
  }
  methods <- check_methods(methods)
  lapply(stats::setNames(nm = names(methods)), function(name) {
    method <- methods[[name]]
    if (!is.function(method)) {
      stop_rowsparse("type", paste0("methods$", name),
        "must be a function for criterion = \"error\": features are selected in each training set",
        describe(method)
      )
    }
    if (weighted) check_function_takes_weights(method, paste0("methods$", name))
    sees_response <- "y" %in% names(formals(method))
    structure(
      function(x, y, k, weights = NULL) {
        do.call(method, c(list(x), if (sees_response) list(y = y), given,
          if (!is.null(weights)) list(weights = weights)
        ), quote = TRUE)
      },
      asked_once = TRUE
    )
  })
}

error_task <- function(name, set, settings) {
  in_data_set(name, {
    if (!is.null(set$block)) {
      stop_rowsparse("argument", "block", "must be left out for criterion = \"error\"")
    }
    x <- samples_in_memory(set$x)
    divided <- weighted_samples(x, set$y, settings, set$weights)
    x <- divided$x
    data <- without_constant_warning(as_data(x))
    response <- as_response(divided$y, data$n)
    y <- response_of(response)
    list(
      name = name, x = x, y = y, unit = response_unit(y), weights = divided$weights,
      foldid = fold_columns(divided$parts, response, x),
      sizes = unique(check_sizes(settings$k, data$d, default = !settings$strict))
    )
  })
}

# list(rows, failed): one row per size
error_job <- function(job, tasks, methods, random, given) {
  task <- tasks[[job$data]]
  method <- methods[[job$method]]
  model <- usual_model(task$y)
  folds <- all_fold_jobs(task$foldid)
  started <- proc.time()[["elapsed"]]
  times <- if (job$method == "random") random else 1L
  one_pass <- function() {
    lapply(folds, select_fit_job,
      x = task$x, y = task$y, sizes = task$sizes, method = method,
      given = if (is.character(method)) given else list(), model = model, outside = NULL,
      unit = task$unit, weights = task$weights
    )
  }
  found <- tryCatch(
    noting_warnings(with_seed(job$seed, lapply(seq_len(times), function(i) one_pass()))),
    error = identity
  )
  failed <- inherits(found, "error")
  missing <- list(error = NA_real_, se = NA_real_, balanced = NA_real_, log_loss = NA_real_)
  sums <- if (failed) missing else mean_errors(found$value, task)
  list(
    rows = data.frame(
      data = job$data, method = job$method, k = task$sizes, folds = length(folds),
      error = sums$error, se = sums$se, balanced = sums$balanced, log_loss = sums$log_loss,
      elapsed = (proc.time()[["elapsed"]] - started) / length(folds) / times,
      note = if (failed) conditionMessage(found) else found$note
    ),
    failed = if (failed) "error" else ""
  )
}

# by size; of numbers over the error of the mean, and of these alone
mean_errors <- function(passes, task) {
  weights <- measure_weights(task$y, task$weights)
  parts <- lapply(passes, function(pass) {
    summary_of <- function(part, name = "error") {
      fold_summary(fold_matrices(pass, part)[[name]], task$foldid,
        weights_of_measure(name, weights)
      )
    }
    scale <- if (is.factor(task$y)) 1 else summary_of("null")$error
    sums <- summary_of("inside")
    other <- function(name) if (is.factor(task$y)) summary_of("inside", name)$error else NA_real_
    list(
      error = sums$error / scale, se = sums$se / scale, balanced = other("balanced"),
      log_loss = other("log_loss")
    )
  })
  average <- function(part) Reduce(`+`, lapply(parts, `[[`, part)) / length(parts)
  lapply(stats::setNames(nm = names(parts[[1]])), average)
}

# ---- S3 methods --------------------------------------------------------------

check_errors <- function(table, argument = "x") {
  rows <- length(attr(table, "row.names"))
  fits <- function(v) is.atomic(v) && is.null(dim(v)) && length(v) == rows
  name <- rule("one name per row", function(v, x) (is.character(v) || is.factor(v)) && fits(v))
  number <- rule("one number per row", function(v, x) is.numeric(v) && fits(v))
  rules <- list(
    data = name, method = name, error = number, se = number, elapsed = number,
    k = rule("one size per row", function(v, x) is_whole(v) && fits(v)),
    note = rule("one text per row", function(v, x) is.character(v) && fits(v))
  )
  check_elements(unclass(table), argument, "a comparison of errors", rules,
    c("data", "method", "k", "error", "se")
  )
  check_columns(table, argument)
}

#' @export
print.error_comparison <- function(x, digits = 3, ...) {
  check_columns(x)
  digits <- check_count(digits, "digits", 0L, 15L)
  cat("Cross-validated error of selection, then least squares or linear discriminants\n")
  shown <- as.data.frame(unclass(x))
  if (!any(nzchar(as.character(shown[["note"]])))) shown[["note"]] <- NULL
  shown[] <- lapply(shown, function(column) {
    if (is.double(column)) round(column, digits) else column
  })
  print(shown, row.names = FALSE)
  invisible(x)
}

#' @rdname compare_methods
#' @param object For the methods: a comparison by error.
#' @param alpha For `summary()`: level of the test.
#' @export
summary.error_comparison <- function(object, alpha = 0.05, ...) {
  check_no_more("summary", "alpha", ...)
  check_errors(object, "object")
  method <- factor(object$method, unique(object$method))
  data <- factor(object$data, unique(object$data))
  errors <- tapply(object$error, list(data, method), mean)
  ranks <- rank_methods(errors)
  rivals <- -errors
  methods <- data.frame(
    method = colnames(errors), error_mean = known_means(errors), error_rank = colMeans(ranks),
    error_wins = shared_wins(rivals), failed = colSums(is.na(errors))
  )
  methods <- methods[order(methods$error_rank), ]
  rownames(methods) <- NULL
  test <- test_of_ranks(errors, larger_is_better = FALSE, alpha = alpha)
  structure(list(methods = methods, errors = errors, test = test),
    class = "summary.error_comparison"
  )
}

#' @export
print.summary.error_comparison <- function(x, digits = 3, ...) {
  check_elements(x, "x", "a summary", list(
    methods = data_frame, errors = rule("a matrix", function(v, x) is.matrix(v) && is.numeric(v))
  ))
  check_columns(x$methods, "x$methods")
  if (!is.null(x$test)) check_friedman(x$test, "x$test")
  digits <- check_count(digits, "digits", 1L, 15L)
  cat(sprintf("Cross-validated errors on %s, mean over the sizes\n",
    count_of(nrow(x$errors), "data set")
  ))
  print(x$methods, digits = digits, row.names = FALSE)
  if (!is.null(x$test)) cat(friedman_lines(x$test, digits), sep = "\n")
  invisible(x)
}

# as the pictures of evaluations want it
drawn_errors <- function(table, argument) {
  check_errors(table, argument)
  if (!any(is.finite(table$error))) {
    stop_rowsparse("range", argument, "must have finite errors to be drawn", "none")
  }
  drawn <- as.data.frame(unclass(table))
  drawn$error_mean <- drawn$error
  drawn$error_sd <- drawn$se
  drawn
}
