# Repeats the calls kept by tools/record-calls.R, by themselves or with a
# garbage collection at every allocation, which finds objects that the glue
# forgot to protect:
#   Rscript tools/replay-calls.R [torture]
# Exit status 1 when results differ or an entry point has no recorded call.

torture <- identical(commandArgs(trailingOnly = TRUE)[1], "torture")
namespace <- loadNamespace("rowsparse")
routines <- getDLLRegisteredRoutines("rowsparse")$.Call
recorded <- readRDS("build/calls.rds")

replay <- function(entry, arguments) {
  value <- tryCatch(do.call(.Call, c(list(entry), arguments)), error = conditionMessage)
  gctorture(FALSE)
  value
}

differ <- 0
for (name in names(recorded)) {
  for (arguments in recorded[[name]]) {
    value <- replay(routines[[name]], arguments)
    if (torture) {
      gctorture(TRUE)
      differ <- differ + !identical(replay(routines[[name]], arguments), value)
    }
  }
  cat(sprintf("%s: %d calls\n", name, length(recorded[[name]])))
}
if (torture) {
  cat(sprintf("%d results differ under gctorture\n", differ))
}
never <- setdiff(names(routines), names(recorded))
if (length(never) > 0) {
  cat("Without a call:", never, "\n")
}
quit(status = as.integer(differ > 0 || length(never) > 0))
