# Many methods on many data sets. A task is a data set, read and checked, with its sizes,
# its starting samples and the seed of its draws; a job is one method on one task.

compare_on_sets <- function(sets, methods, settings, store, BPPARAM, ...) {
  settings <- check_comparison_settings(settings)
  methods <- if (is.character(methods)) method_symbols(methods) else methods
  methods <- c(check_methods(methods), if (settings$random > 0) list(random = as.name("random")))
  settings$dots <- list(...)
  store <- open_store(store)
  tasks <- Map(comparison_task, names(sets), sets, list(settings), store$seed)
  jobs <- comparison_jobs(tasks, methods, settings, store)
  results <- kept_results(jobs, settings$time_limit)
  open <- vapply(results, is.null, NA)
  results[open] <- apply_with_progress(jobs[open], comparison_job,
    tasks = tasks, methods = methods, settings = settings, BPPARAM = BPPARAM
  )
  new_comparison(jobs, results)
}

# ---- checks ----------------------------------------------------------------------

check_data_sets <- function(sets) {
  labels <- or_default(names(sets), "")
  if (length(sets) == 0 || !all(nzchar(labels) & !is.na(labels)) || anyDuplicated(labels)) {
    stop_rowsparse("type", "x",
      "must be data, or a list of data sets with different names", describe(sets)
    )
  }
  for (name in labels) {
    set <- sets[[name]]
    if (!is.list(set) || is.data.frame(set) || !all(c("x", "y") %in% names(set))) {
      stop_rowsparse("type", paste0("x$", name), "must be a list with elements x and y",
        describe(set)
      )
    }
  }
  sets
}

# seconds; NULL and Inf set no limit
check_time_limit <- function(seconds) {
  if (is.null(seconds) || identical(seconds, Inf)) {
    return(Inf)
  }
  check_number(seconds, "time_limit", 0, open_lower = TRUE)
}

check_comparison_settings <- function(settings) {
  check_installed("clue", "to evaluate features by clustering")
  settings$k <- check_counts(settings$k, "k", 1L, 1e9)
  settings$repeats <- check_count(settings$repeats, "repeats", 1, 1e6)
  settings$random <- check_count(settings$random, "random", 0, 1e6)
  settings
}

# methods by name: symbols, to tell them from names of features
method_symbols <- function(methods) {
  known <- rowsparse_methods()$method
  methods <- vapply(methods, check_choice, "", argument = "methods", choices = known)
  stats::setNames(lapply(methods, as.name), methods)
}

# ---- tasks and jobs --------------------------------------------------------------

comparison_task <- function(name, set, settings, seed) {
  in_data_set(name, {
    samples <- read_samples(set$x)
    seed <- seed_of(seed, checksum(list(samples, set$y)))
    task <- with_seed(seed, clustering_task(set$x, set$y, settings$repeats, set$block))
    sizes <- unique(check_sizes(settings$k, samples$d, default = !settings$strict))
    c(task, list(
      name = name, data = set$x, y = set$y, level = set$block, sizes = sizes, seed = seed
    ))
  })
}

# what is wrong with one data set says with which
in_data_set <- function(name, expr) {
  tryCatch(expr, rowsparse_error = function(e) {
    e$message <- sprintf("In data set \"%s\": %s", name, conditionMessage(e))
    stop(e)
  })
}

# `key`: all that a result depends on
comparison_jobs <- function(tasks, methods, settings, store) {
  texts <- lapply(methods, method_text, dots = settings$dots)
  jobs <- lapply(tasks, function(task) {
    lapply(names(methods), function(method) {
      key <- list(
        package = format(utils::packageVersion("rowsparse")), method = texts[[method]],
        seed = task$seed, k = task$sizes, repeats = settings$repeats, refit = settings$refit,
        random = if (method == "random") settings$random
      )
      if (!is.null(task$block)) key$block <- checksum(task$block)
      list(
        data = task$name, method = method, key = key, seed = seed_of(task$seed, method),
        file = if (!is.null(store$folder)) store_file(store$folder, task$name, method)
      )
    })
  })
  unlist(unname(jobs), recursive = FALSE)
}

# what tells methods apart: the name, the text of a function, the features of a selection
method_text <- function(method, dots) {
  if (is.function(method)) {
    return(checksum(list(deparse(args(method)), deparse(body(method)), dots)))
  }
  if (is.name(method)) {
    return(as.character(method))
  }
  checksum(if (inherits(method, "rowsparse")) method$ranking else method)
}

# ---- the work --------------------------------------------------------------------

# list(key, rows, elapsed, note, failed, time_limit), kept in the store
comparison_job <- function(job, tasks, methods, settings) {
  task <- tasks[[job$data]]
  found <- with_seed(job$seed, {
    if (job$method == "random") {
      random_choice(task, settings)
    } else {
      select_for_sizes(methods[[job$method]], task, settings)
    }
  })
  scored <- noting_warnings(score_choice(job$method, found$sets, task))
  result <- list(
    key = job$key, rows = scored$value, elapsed = found$elapsed,
    note = joined_notes(c(found$note, scored$note)), failed = found$failed,
    time_limit = settings$time_limit
  )
  keep_result(result, job$file)
  result
}

random_choice <- function(task, settings) {
  sets <- random_sets(task$x$d, task$sizes, settings$random)
  list(sets = sets, elapsed = NA_real_, note = "", failed = "")
}

# one set per size, the sizes that failed left out
select_for_sizes <- function(method, task, settings) {
  again <- settings$refit && is.name(method) &&
    sizes_of(method_entry(as.character(method)), list()) != "nested"
  asked <- if (again) rev(sort(task$sizes)) else max(task$sizes)
  runs <- list()
  for (k in asked) {
    runs[[length(runs) + 1L]] <- run <- limited_selection(method, task, k, settings)
    # what takes too long for one size is not tried for others
    if (run$failed == "limit") break
  }
  sets <- lapply(task$sizes, function(size) {
    run <- if (again) runs[match(size, asked)][[1]] else runs[[1]] # NULL where not tried
    if (length(run$columns) >= size) list(k = size, columns = run$columns[seq_len(size)])
  })
  ended <- vapply(runs, `[[`, "", "failed")
  list(
    sets = Filter(Negate(is.null), sets), elapsed = mean(vapply(runs, `[[`, 0, "elapsed")),
    note = vapply(runs, `[[`, "", "note"), failed = c(ended[nzchar(ended)], "")[1]
  )
}

# list(columns, elapsed, note, failed): failed is "", "error" or "limit"
limited_selection <- function(method, task, k, settings) {
  set <- list(y = task$y, block = task$level)
  choose <- if (is.name(method)) named_methods(as.character(method), set, k)[[1]] else method
  before <- proc.time()
  outcome <- tryCatch(
    noting_warnings({
      timed <- within_time(
        do.call(timed_selection, c(list(choose, task$data), settings$dots), quote = TRUE),
        settings$time_limit
      )
      columns <- feature_columns(timed$fit, "methods", task$x$d, task$x$names)
      list(columns = columns, elapsed = timed$elapsed)
    }),
    error = function(e) e
  )
  if (!inherits(outcome, "error")) {
    short <- length(outcome$value$columns) < k
    few <- if (short) sprintf("%d features only", length(outcome$value$columns))
    note <- joined_notes(c(outcome$note, few))
    return(c(outcome$value, list(note = note, failed = "")))
  }
  spent <- proc.time() - before
  limit <- spent[["elapsed"]] >= 0.95 * settings$time_limit
  note <- if (limit) {
    sprintf("time limit of %g s", settings$time_limit)
  } else {
    conditionMessage(outcome)
  }
  list(
    columns = NULL, elapsed = spent[["elapsed"]], note = note,
    failed = if (limit) "limit" else "error"
  )
}

within_time <- function(expr, seconds) {
  if (is.finite(seconds)) {
    setTimeLimit(elapsed = seconds, transient = TRUE)
    on.exit(setTimeLimit())
  }
  expr
}

# the value, and the warnings in place of warnings
noting_warnings <- function(expr) {
  notes <- character()
  value <- withCallingHandlers(expr, warning = function(w) {
    notes <<- c(notes, conditionMessage(w))
    tryInvokeRestart("muffleWarning")
  })
  list(value = value, note = joined_notes(notes))
}

joined_notes <- function(notes) {
  paste(unique(notes[nzchar(notes)]), collapse = "; ")
}

# means and deviations by size; sizes without a set have none
score_choice <- function(method, sets, task) {
  empty <- empty_scores(method, task$sizes)
  if (length(sets) == 0) {
    return(empty)
  }
  sets <- lapply(sets, function(set) utils::modifyList(set, list(method = method)))
  rows <- as.data.frame(feature_evaluation(score_sets(task, sets, lapply)))
  empty[match(rows$k, empty$k), ] <- rows
  empty
}

empty_scores <- function(method, sizes) {
  data.frame(
    method = method, k = sizes, runs = 0L, acc_mean = NA_real_, acc_sd = NA_real_,
    nmi_mean = NA_real_, nmi_sd = NA_real_
  )
}

# ---- the result ------------------------------------------------------------------

new_comparison <- function(jobs, results) {
  tables <- Map(function(job, result) {
    data.frame(
      data = job$data, result$rows, elapsed = result$elapsed, note = result$note
    )
  }, jobs, results)
  result <- do.call(rbind, unname(tables))
  rownames(result) <- NULL
  warn_failed(jobs, results)
  as_comparison(result)
}

warn_failed <- function(jobs, results) {
  failed <- jobs[vapply(results, function(result) nzchar(result$failed), NA)]
  if (length(failed) > 0) {
    first <- utils::head(failed, 3L)
    named <- vapply(first, function(job) sprintf("%s on %s", job$method, job$data), "")
    warn_rowsparse("failed", sprintf(
      "%d of %d selections failed (%s%s): see the column `note`.", length(failed), length(jobs),
      toString(named), if (length(failed) > 3L) ", ..." else ""
    ))
  }
}
