#' Many cores, many machines
#'
#' Independent parts of the work can be shared by several processes, on this machine or on others:
#' the blocks of [moments()], and of [rowsparse()] for methods that take moments, the fits of
#' [tune_rowsparse()] and [cv_rowsparse()], the runs of [compare_methods()] and
#' [evaluate_features()], the starts of [kmeans_ufs()]. The processes are run by one of two
#' packages; one process needs neither:
#'
#' * `BPPARAM`, a BiocParallelParam of the package BiocParallel: `MulticoreParam(4)` and
#'   `SnowParam(4)` use processes on this machine, `SnowParam(c("one", "other"))` on other
#'   machines, and `BatchtoolsParam()` jobs of a queue such as Slurm.
#' * Without `BPPARAM`, the plan of the package future if one is set: `plan(multisession)`,
#'   `plan(cluster)`, and the plans of future.batchtools and future.mirai. Package future.apply is
#'   also needed.
#'
#' @section Same result:
#' Random numbers are drawn before the work is shared, or by a generator with its own seed for
#' each part, and sums are taken in a fixed order. On machines of one kind the result is the same
#' to the bit for any number of workers, and without workers.
#'
#' @section Data sent to the workers:
#' For [row_blocks()] the reading function is sent, with the
#' objects it refers to, and the moments are returned, 8 d^2 bytes for each part of the blocks. A
#' function that opens a file by its name sends no data; the workers must have access to the file.
#' Counts that [log_counts()] keeps in memory are read again by the workers. Connections to
#' databases cannot be sent: open one in your own function. In all other cases the samples are
#' sent to each worker. Workers need the package installed.
#'
#' @section When a worker ends before its work:
#' The error is of class `rowsparse_error_worker`. In [moments()] it holds the results of the
#' other workers: see there. Workers of a `plan()` have to be started again by another call of
#' `plan()`.
#'
#' @section Slurm:
#' `system.file("templates", "slurm.tmpl", package = "rowsparse")` is a template for the
#' package batchtools, which sends jobs to Slurm. On a cluster:
#' \preformatted{
#' template <- system.file("templates", "slurm.tmpl", package = "rowsparse")
#' resources <- list(walltime = 3600, memory = 4000, ncpus = 1) # seconds, MB
#'
#' # with BiocParallel
#' queue <- BiocParallel::BatchtoolsParam(
#'   workers = 16, cluster = "slurm", template = template, resources = resources
#' )
#' moments(blocks, BPPARAM = queue)
#'
#' # with future
#' future::plan(future.batchtools::batchtools_slurm,
#'   workers = 16, template = template, resources = resources
#' )
#' moments(blocks)
#' }
#' The same calls run on one machine with `BatchtoolsParam(workers = 2, cluster =
#' "multicore")`, or `plan(future.batchtools::batchtools_local)`.
#'
#' @name workers
#' @examplesIf requireNamespace("BiocParallel", quietly = TRUE)
#' x <- as.matrix(iris[, 1:4])
#' blocks <- row_blocks(function(i) x[50 * (i - 1) + 1:50, ], rows = c(50, 50, 50))
#' here <- moments(blocks)
#' identical(moments(blocks, BPPARAM = BiocParallel::SerialParam()), here)
NULL

# Work that several workers can share: those of a BiocParallelParam, those of a future
# plan, or this process. An item is one call f(item, ...); results do not depend on who
# makes them, so whatever is drawn for an item is drawn before, or from a seed in it.

# who does the work: "BiocParallel", "future" or "here"
check_workers <- function(BPPARAM) {
  if (is.null(BPPARAM)) {
    return(if (has_plan()) "future" else "here")
  }
  if (!inherits(BPPARAM, "BiocParallelParam")) {
    stop_rowsparse("type", "BPPARAM",
      "must be NULL or a BiocParallelParam, such as BiocParallel::SnowParam(2)",
      describe(BPPARAM)
    )
  }
  check_installed("BiocParallel", "to work with `BPPARAM`")
  if (inherits(BPPARAM, "SerialParam")) "here" else "BiocParallel"
}

# is there a plan with workers?
has_plan <- function() {
  isNamespaceLoaded("future") && !inherits(future::plan(), "uniprocess")
}

# lapply over `items`; the first item that fails ends the work
apply_with_progress <- function(items, f, ..., BPPARAM = NULL) {
  workers <- check_workers(BPPARAM)
  tick <- progress_along(items)
  if (workers == "BiocParallel") {
    results_of(apply_bioc(items, f, tick, ..., BPPARAM = BPPARAM))
  } else if (workers == "future" && requireNamespace("future.apply", quietly = TRUE)) {
    tryCatch(
      future.apply::future_lapply(items, call_and_tick, f = f, tick = tick, ...),
      FutureError = function(e) stop_worker(e)
    )
  } else {
    lapply(items, call_and_tick, f = f, tick = tick, ...)
  }
}

# The same, item by item: collect(number, outcome) hears of every item as it comes, in no
# order, and an outcome is list(value = ) or list(error = ). What workers do not return, a
# `lost` item, is heard of last.
apply_apart <- function(items, f, collect, ..., BPPARAM = NULL) {
  workers <- check_workers(BPPARAM)
  # here, what reads blocks tells of each
  tick <- if (workers == "here") function() NULL else progress_along(items)
  heard <- logical(length(items))
  hear <- function(number, outcome) {
    heard[number] <<- TRUE
    collect(number, outcome)
    tick()
  }
  reason <- switch(workers,
    BiocParallel = apart_bioc(items, f, hear, ..., BPPARAM = BPPARAM),
    future = apart_future(items, f, hear, ...),
    here = for (i in seq_along(items)) hear(i, attempt(items[[i]], f, ...))
  )
  for (i in which(!heard)) collect(i, list(error = worker_error(reason), lost = TRUE))
  invisible()
}

progress_along <- function(items) {
  if (requireNamespace("progressr", quietly = TRUE)) {
    progressr::progressor(along = items)
  } else {
    function() NULL
  }
}

call_and_tick <- function(item, f, tick, ...) {
  result <- f(item, ...)
  tick()
  result
}

# Errors of an item travel as values, so that their classes do. No argument is called f, which
# would be short for another one in BiocParallel.
attempt <- function(item, work, ...) {
  tryCatch(list(value = work(item, ...)), error = function(e) list(error = e))
}

results_of <- function(outcomes) {
  for (outcome in outcomes) if (!is.null(outcome$error)) stop(outcome$error)
  lapply(outcomes, `[[`, "value")
}

worker_error <- function(reason) {
  tryCatch(stop_worker(reason), rowsparse_error_worker = identity)
}

stop_worker <- function(reason) {
  got <- if (inherits(reason, "condition")) conditionMessage(reason) else reason
  stop_rowsparse("worker", "BPPARAM",
    "or plan() has a worker that ended, or could not be reached, before its work was done",
    shorten(sub("[.] Post-mortem.*", "", sub("\n.*", "", or_default(got, "no result"))), 200L),
    "Workers end when memory runs out: fewer of them need less. Make new workers and run again"
  )
}

# ---- BiocParallel --------------------------------------------------------------------

# BiocParallel may draw a seed for its workers: ours have theirs, and the generator stays
with_bioc <- function(BPPARAM, expr) {
  before <- globalenv()[[".Random.seed"]]
  was_up <- BiocParallel::bpisup(BPPARAM)
  on.exit({
    if (!is.null(before)) {
      assign(".Random.seed", before, envir = globalenv())
    } else if (exists(".Random.seed", globalenv(), inherits = FALSE)) {
      rm(".Random.seed", envir = globalenv())
    }
    if (!was_up) end_workers(BPPARAM)
  })
  expr
}

# where a worker died, the others are still there, and cannot be asked to end
end_workers <- function(BPPARAM) {
  if (!BiocParallel::bpisup(BPPARAM)) {
    return(invisible())
  }
  ended <- tryCatch(is.environment(BiocParallel::bpstop(BPPARAM)) || TRUE,
    error = function(e) FALSE
  )
  if (!ended && inherits(BPPARAM, "SnowParam")) {
    for (node in BiocParallel::bpbackend(BPPARAM)) try(close(node$con), silent = TRUE)
    try(silent = TRUE, BiocParallel::`bpbackend<-`(BPPARAM,
      structure(list(), class = c("SOCKcluster", "cluster"))
    ))
  }
  invisible()
}

apply_bioc <- function(items, f, tick, ..., BPPARAM) {
  outcomes <- with_bioc(BPPARAM, tryCatch(
    BiocParallel::bplapply(items, attempt, work = f, ..., BPPARAM = BPPARAM),
    error = function(e) stop_worker(e)
  ))
  for (item in items) tick()
  outcomes
}

# one task per item; the error that ended the work early, or NULL
apart_bioc <- function(items, f, hear, ..., BPPARAM) {
  at <- 0L
  following <- function() {
    if (at < length(items)) {
      at <<- at + 1L
      list(number = at, item = items[[at]])
    }
  }
  take <- function(sum, result) {
    hear(result$number, result$outcome)
    TRUE
  }
  with_bioc(BPPARAM, tryCatch(
    {
      BiocParallel::bpiterate(following, attempt_task, work = f, ..., REDUCE = take, init = TRUE,
        reduce.in.order = FALSE, BPPARAM = BPPARAM
      )
      NULL
    },
    error = identity
  ))
}

attempt_task <- function(task, work, ...) {
  list(number = task$number, outcome = attempt(task$item, work, ...))
}

# ---- future ---------------------------------------------------------------------------

# one future per item; the first error that is not of an item, or NULL
apart_future <- function(items, f, hear, ...) {
  reason <- NULL
  unreachable <- function(e) {
    if (is.null(reason)) reason <<- e
    NULL
  }
  arguments <- list(work = f, ...)
  asked <- lapply(items, function(item) {
    call <- list(item = item, arguments = arguments)
    tryCatch(
      future::future(do.call(attempt, c(list(call$item), call$arguments)), seed = NULL,
        globals = list(call = call, attempt = attempt), packages = "rowsparse"
      ),
      FutureError = unreachable
    )
  })
  for (i in seq_along(asked)) {
    if (is.null(asked[[i]])) next
    outcome <- tryCatch(future::value(asked[[i]]), FutureError = unreachable)
    asked[i] <- list(NULL)
    if (!is.null(outcome)) hear(i, outcome)
  }
  reason
}
