# k-means of the features of many methods on one data set, kept in a folder: one file for each data
# set and method, so that a rerun computes what is missing.

# One row per size. `method`: a name of rowsparse_methods(), "random", or list(name, columns).
# `settings`: k, repeats, random, refit, seconds, store
score_method <- function(data, set, method, settings) {
  name <- if (is.list(method)) method$name else method
  file <- file.path(settings$store, data, paste0(name, ".rds"))
  key <- list(
    package = format(utils::packageVersion("rowsparse")), columns = if (is.list(method)) method,
    k = settings$k, repeats = settings$repeats, refit = settings$refit,
    random = if (name == "random") settings$random
  )
  kept <- if (file.exists(file)) tryCatch(readRDS(file), error = function(e) NULL)
  if (is_finished(kept, key, settings$seconds)) return(rows_of_result(data, kept))
  # the same draws for every method and process
  set.seed(sum(utf8ToInt(data)))
  task <- clustering_task(set$x, set$y, settings$repeats)
  found <- if (name == "random") {
    list(sets = random_sets(ncol(set$x), settings$k, settings$random))
  } else {
    chosen_sets(method, name, set, settings)
  }
  rows <- data.frame(
    method = name, k = settings$k, runs = 0L, acc_mean = NA_real_, acc_sd = NA_real_,
    nmi_mean = NA_real_, nmi_sd = NA_real_
  )
  if (length(found$sets) > 0L) {
    scored <- mean_scores(score_sets(task, found$sets))
    rows[match(scored$k, rows$k), ] <- scored
  }
  result <- list(
    key = key, rows = rows, elapsed = if (is.null(found$elapsed)) NA_real_ else found$elapsed,
    note = if (is.null(found$note)) "" else found$note, failed = isTRUE(found$failed),
    seconds = settings$seconds
  )
  rows_of_result(data, keep(result, file))
}

rows_of_result <- function(data, result) {
  data.frame(data = data, result$rows, elapsed = result$elapsed, note = result$note)
}

# failures are tried again with more time
is_finished <- function(kept, key, seconds) {
  is.list(kept) && identical(kept$key, key) && (!kept$failed || seconds <= kept$seconds)
}

# the sets of all sizes, as far as there are any, with seconds and notes
chosen_sets <- function(method, name, set, settings) {
  sizes <- settings$k
  if (is.list(method)) {
    runs <- list(list(k = max(sizes), selected = method$columns, elapsed = NA_real_, note = ""))
  } else {
    known <- rowsparse_methods()
    again <- settings$refit && known$exact_k[known$method == name]
    runs <- list()
    for (k in if (again) rev(sort(sizes)) else max(sizes)) {
      y <- if (known$supervised[known$method == name]) factor(set$y)
      run <- c(k = k, limited_fit(name, set$x, y, min(k, ncol(set$x))))
      runs <- c(runs, list(run))
      # what takes too long for one size is not tried for others
      if (run$note == "limit") break
    }
  }
  sets <- lapply(sizes, function(size) {
    own <- Filter(function(run) run$k == size, runs)
    run <- c(own, runs[1])[[1]]
    if (length(own) == 0L && length(runs) > 1L || length(run$selected) < size) return(NULL)
    list(method = name, k = size, columns = run$selected[seq_len(size)])
  })
  notes <- unique(vapply(runs, `[[`, "", "note"))
  list(
    sets = Filter(Negate(is.null), sets), elapsed = mean(vapply(runs, `[[`, 0, "elapsed")),
    note = paste(notes[nzchar(notes)], collapse = "; "),
    failed = any(vapply(runs, function(run) is.null(run$selected), NA))
  )
}
