# Repeats the calls kept by tools/record-calls.R, by themselves or with a
# garbage collection at every allocation, which finds objects that the glue
# forgot to protect:
#   Rscript tools/replay-calls.R [torture]
# Exit status 1 when results differ or an entry point has no recorded call.

torture <- identical(commandArgs(trailingOnly = TRUE)[1], "torture")
namespace <- loadNamespace("rowsparse")
routines <- getDLLRegisteredRoutines("rowsparse")$.Call
recorded <- readRDS("build/calls.rds")

# The result of a call, without the time it took.
replay <- function(routine, arguments) {
  value <- tryCatch(do.call(.Call, c(list(routine), arguments)), error = conditionMessage)
  gctorture(FALSE)
  if (is.list(value)) value[names(value) != "seconds"] else value
}

# Whether a call gives the same result with a collection at every allocation.
survives_torture <- function(routine, arguments, value) {
  gctorture(TRUE)
  identical(replay(routine, arguments), value)
}

# what these return is the state that the call before them left
stateful <- c("C_blas_is_plain", "C_blas_threads")

differ <- 0
for (name in names(recorded)) {
  changed <- 0
  for (arguments in recorded[[name]]) {
    value <- replay(routines[[name]], arguments)
    if (torture) {
      same <- survives_torture(routines[[name]], arguments, value)
      changed <- changed + !(same || name %in% stateful)
    }
  }
  cat(sprintf("%s: %d calls%s\n", name, length(recorded[[name]]),
    if (changed > 0) sprintf(", %d RESULTS DIFFER", changed) else ""))
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
