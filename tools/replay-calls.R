# Repeats the calls kept by tools/record-calls.R, by themselves or with a
# garbage collection at every allocation, which finds objects that the glue
# forgot to protect:
#   Rscript tools/replay-calls.R [torture]
# Exit status 1 when results differ or an entry point has no recorded call.

torture <- identical(commandArgs(trailingOnly = TRUE)[1], "torture")
compiler::enableJIT(0L) # collections would hold up the compiler for minutes
namespace <- loadNamespace("rowsparse")
routines <- getDLLRegisteredRoutines("rowsparse")$.Call
recorded <- readRDS("build/calls.rds")

# Sums of cross-products are behind pointers, which no file keeps: every call gets new ones,
# sums of nothing, and the matrix in the one that it returns is looked at.
with_new_sums <- function(arguments) {
  data <- arguments[[2]]
  d <- c(
    if (is.numeric(arguments[[1]])) arguments[[1]], if (is.list(data)) data$d,
    ncol(arguments[[3]]), ncol(arguments[[4]]), 4L
  )[1]
  is_sum <- vapply(arguments, typeof, "") == "externalptr"
  arguments[is_sum] <- lapply(which(is_sum), function(at) .Call(routines$C_scatter, d, NULL))
  arguments
}

call_of_sums <- function(routine, arguments) {
  known <- c(arguments, rep(list(NULL), 4 - length(arguments)))
  value <- do.call(.Call, c(list(routine), with_new_sums(known)[seq_along(arguments)]))
  if (typeof(value) == "externalptr") .Call(routines$C_scatter_end, value) else value
}

# a result without the times of its parts
without_times <- function(x) {
  if (!is.list(x)) {
    return(x)
  }
  x[["seconds"]] <- NULL
  lapply(x, without_times)
}

# The result of a call, without the time it took.
replay <- function(routine, arguments) {
  plain <- function(routine, arguments) do.call(.Call, c(list(routine), arguments))
  call <- if (startsWith(routine$name, "C_scatter")) call_of_sums else plain
  value <- tryCatch(call(routine, arguments), error = conditionMessage)
  gctorture(FALSE)
  without_times(value)
}

# Whether a call gives the same result with a collection at every allocation.
survives_torture <- function(routine, arguments, value) {
  gctorture(TRUE)
  identical(replay(routine, arguments), value)
}

# Blocks of rows are read by functions of R, which a collection at every allocation would
# hold up for hours: what they gave first, rows or an error, is kept.
with_kept_rows <- function(x) {
  for (i in seq_along(x)) {
    if (is.function(x[[i]])) {
      x[[i]] <- remembering(x[[i]])
    } else if (is.list(x[[i]])) {
      x[[i]] <- with_kept_rows(x[[i]])
    }
  }
  x
}

remembering <- function(read) {
  force(read)
  kept <- list()
  function(number) {
    key <- as.character(number)
    if (is.null(kept[[key]])) {
      kept[[key]] <<- tryCatch(list(rows = read(number)), error = identity)
    }
    if (inherits(kept[[key]], "error")) stop(kept[[key]])
    kept[[key]]$rows
  }
}

# what these return is the state that the call before them left
stateful <- "C_blas_is_plain"

differ <- 0
for (name in names(recorded)) {
  changed <- 0
  for (arguments in recorded[[name]]) {
    arguments <- with_kept_rows(arguments)
    value <- replay(routines[[name]], arguments)
    if (torture) {
      same <- survives_torture(routines[[name]], arguments, value)
      changed <- changed + !(same || name %in% stateful)
    }
  }
  cat(sprintf("%s: %d calls%s\n", name, length(recorded[[name]]),
    if (changed > 0) sprintf(", %d RESULTS DIFFER", changed) else ""))
  flush(stdout())
  differ <- differ + changed
}
if (torture) {
  cat(sprintf("%d results differ under gctorture\n", differ))
}
never <- setdiff(names(routines), names(recorded))
if (length(never) > 0) {
  cat("Without a call:", never, "\n")
}
quit(status = as.integer(differ > 0 || length(never) > 0))
