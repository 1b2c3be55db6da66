#' Many cores, many machines
#'
#' Independent parts of the work can be shared by several processes: the parts of [moments()] of row
#' blocks, the folds of [cv_rowsparse()], the starts of [kmeans_ufs()]. `BPPARAM`, a
#' BiocParallelParam of the package BiocParallel, names them: `MulticoreParam(4)` and `SnowParam(4)`
#' are processes on this machine, `SnowParam(c("one", "other"))` on other machines, and
#' `BatchtoolsParam(16, cluster = "slurm")` jobs of a queue.
#'
#' Random numbers are drawn before the work is shared, and sums are taken in a fixed order: on
#' machines of one kind the result is the same to the bit for any number of workers, and without.
#' Of [row_blocks()] the reading function is sent, with the objects it refers to, and moments are
#' returned, 8 d^2 bytes for each part; the workers need access to what it reads, and this package.
#' In all other cases the samples are sent to each worker. A worker that ends before its work is an
#' error of class `rowsparse_error_worker`.
#'
#' @section Progress:
#' In an interactive session, work in parts (folds, sizes, penalties, starts, blocks of a source) of
#' more than two seconds shows a bar, unless `options(rowsparse.progress = FALSE)`; handlers of
#' progressr are told instead if they are set. With workers the bar is BiocParallel's:
#' `MulticoreParam(4, progressbar = TRUE)`.
#'
#' @name workers
#' @examplesIf requireNamespace("BiocParallel", quietly = TRUE)
#' x <- as.matrix(iris[, 1:4])
#' blocks <- row_blocks(function(i) x[50 * (i - 1) + 1:50, ], rows = c(50, 50, 50))
#' identical(moments(blocks, BPPARAM = BiocParallel::SerialParam()), moments(blocks))
NULL

# TRUE if `BPPARAM` names other processes, FALSE if this one does the work
check_workers <- function(BPPARAM) {
  if (is.null(BPPARAM)) {
    return(FALSE)
  }
  refuse_if(!inherits(BPPARAM, "BiocParallelParam"), "type", "BPPARAM",
    "must be NULL or a BiocParallelParam, such as BiocParallel::SnowParam(2)", describe(BPPARAM)
  )
  check_installed("BiocParallel", "to work with `BPPARAM`")
  !inherits(BPPARAM, "SerialParam")
}

# lapply() over `items`, by workers or here with a bar; the first item that fails ends the work.
# Draw what is random before.
apply_with_progress <- function(items, f, ..., BPPARAM = NULL) {
  if (check_workers(BPPARAM)) {
    return(keeping_generator(apply_with_workers(items, f, ..., BPPARAM = BPPARAM)))
  }
  bar <- progress_bar(length(items))
  inside <- progress$inside
  progress$inside <- TRUE
  on.exit({
    progress$inside <- inside
    bar$close()
  })
  lapply(items, function(item) {
    result <- f(item, ...)
    bar$step()
    result
  })
}

# Errors of an item travel as values, so that their classes do. BiocParallel may draw a seed for
# its workers.
apply_with_workers <- function(items, work, ..., BPPARAM) {
  outcomes <- tryCatch(
    BiocParallel::bplapply(items, attempt, work = work, sparse = isNamespaceLoaded("Matrix"), ...,
      BPPARAM = BPPARAM
    ),
    error = function(e) {
      stop_rowsparse("worker", "BPPARAM", "must have workers that last until their work is done",
        shorten(sub("\n.*", "", conditionMessage(e)), 200L),
        "Workers end when memory runs out: fewer of them need less", parent = e
      )
    }
  )
  for (outcome in outcomes) if (!is.null(outcome$error)) stop(outcome$error)
  lapply(outcomes, `[[`, "value")
}

# a worker may be given sparse matrices before it has met the package that they are of
attempt <- function(item, work, sparse, ...) {
  if (sparse) loadNamespace("Matrix")
  tryCatch(list(value = work(item, ...)), error = function(e) list(error = e))
}

# `inside`: TRUE while work in parts is under way, which has the only bar
progress <- list2env(list(
  inside = FALSE, wait = 2, now = function() proc.time()[["elapsed"]]
), parent = emptyenv())

# list(step, close): `step(told)` after each of some steps; nothing is drawn within the first
# progress$wait seconds
progress_bar <- function(steps) {
  if (progress$inside || steps < 2L) {
    return(list(step = function(...) NULL, close = function() NULL))
  }
  if (has_progressr_handlers()) {
    tick <- progressr::progressor(steps, on_exit = FALSE)
    return(list(step = tick, close = function() tick(type = "finish")))
  }
  shown <- isTRUE(getOption("rowsparse.progress", interactive()))
  began <- progress$now()
  bar <- NULL
  done <- 0L
  list(
    step = function(...) {
      done <<- done + 1L
      if (shown && is.null(bar) && progress$now() - began > progress$wait) {
        bar <<- utils::txtProgressBar(max = steps, style = 3, file = stderr())
      }
      if (!is.null(bar)) utils::setTxtProgressBar(bar, done)
    },
    close = function() if (!is.null(bar)) close(bar)
  )
}

# handlers for the whole session, or a call of progressr::with_progress() that is under way
has_progressr_handlers <- function() {
  if (!isNamespaceLoaded("progressr")) {
    return(FALSE)
  }
  home <- asNamespace("progressr")
  isTRUE(progressr::handlers(global = NA)) ||
    any(vapply(sys.frames(), function(frame) identical(topenv(frame), home), NA))
}
